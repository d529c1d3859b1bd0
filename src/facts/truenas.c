/*
 * truenas.c: the probe of the appliance: TrueNAS's version, train and build, added to the system
 * set. On anything else it adds nothing.
 *
 * Sources, as truenas/scale-build and truenas/middleware write and read them: /etc/version holds
 * the version; /data/manifest.json holds {"buildtime", "train", "version"} but lies in a directory
 * only root may read; the kernel's release ends in "+truenas". `midclt call system.version` prints
 * the version behind "TrueNAS-" or "TrueNAS-SCALE-"; it needs a running middleware that knows the
 * user and takes its time, so it is asked only where no file tells.
 *
 * The identity of the host stays /etc/machine-id (facts_host()): TrueNAS carries it over upgrades
 * as it does /etc/hostid, from which its own `system.host_id` is made, but two machines installed
 * from one image can have the same hostid (truenas/zfs#446).
 */
#include "probe.h"
#include "zhist/json.h"

#define VERSION_FILE "/etc/version"
#define MANIFEST "/data/manifest.json"

/* "TrueNAS-SCALE-22.12.3.1", "TrueNAS-13.0-U6.1 (5cf5a3)", "25.10.0-MASTER-20250601": without the
 * brand and what stands behind a blank. NULL: no version. */
static const char *version_of(struct arena *a, const char *text) {
    static const char *const brands[] = {"TrueNAS-", "FreeNAS-", "SCALE-", "CORE-"};
    text += strspn(text, " \t\n\"");
    for (size_t i = 0; i < LENGTH(brands); i++)
        if (!strncmp(text, brands[i], strlen(brands[i])))
            text += strlen(brands[i]);
    size_t len = strcspn(text, " \t\n\"");
    bool good = len && len < 100 && (strspn(text, "0123456789") || !strncmp(text, "MASTER", 6));
    return good ? arena_copy(a, text, len) : NULL;
}

/* The first line of the answer, without quotes. */
static const char *ask(struct probe *p, const char *method, const char **source) {
    const char *const argv[] = {"midclt", "call", method, NULL};
    size_t len;
    const char *why = NULL, *text = probe_run(p, argv, RUN_SHORT_MS, &len, &why);
    *source = text ? arena_fmt(p->a, "midclt call %s", method) : why;
    if (!text)
        return NULL;
    text += strspn(text, " \t\n\"");
    return arena_copy(p->a, text, strcspn(text, "\n\""));
}

static bool digit(char c) {
    return c >= '0' && c <= '9';
}

/* A version with the brand, or one of the appliance's own files. A bare 25.04.2 counts on Debian,
 * which is what TrueNAS is made of and which has no such file itself, but not in a container. */
static bool is_truenas(struct probe *p, const struct factset *set, const char *version,
                       const struct json *manifest) {
    const char *os = fact_value(set, "os"), *box = fact_value(set, "container");
    const char *v = version ? version : "";
    bool bare = digit(v[0]) && digit(v[1]) && v[2] == '.' && digit(v[3]) && digit(v[4]);
    return !strncmp(v, "TrueNAS-", 8) || !strncmp(v, "FreeNAS-", 8) ||
           (manifest && json_get(manifest, "train") && json_get(manifest, "version")) ||
           probe_exists(p, "/usr/bin/midclt") || probe_exists(p, "/data/freenas-v1.db") ||
           (bare && os && strstr(os, "Debian") && box && !strcmp(box, "no"));
}

void probe_truenas(struct probe *p) {
    struct factset *set = NULL;
    for (size_t i = 0; i < p->sheet->n_sets && !set; i++)
        if (!strcmp(p->sheet->sets[i].kind, "system"))
            set = &p->sheet->sets[i];
    const char *why_file = NULL, *why = NULL, *file = probe_read(p, VERSION_FILE, &why_file);
    if (!set)
        return;

    struct err e = {0};
    const char *text = probe_read(p, MANIFEST, &why), *source = VERSION_FILE, *said;
    const struct json *manifest = text ? json_read(p->a, text, strlen(text), &e) : NULL;
    if (text && (!manifest || manifest->type != JSON_OBJECT)) {
        manifest = NULL;
        why = arena_fmt(p->a, MANIFEST ": %s", *e.text ? e.text : "no JSON object");
    }
    if (!is_truenas(p, set, file, manifest))
        return;

    static const char *const keys[][2] = {{"truenas_train", "train"},
                                          {"truenas_build", "buildtime"}};
    for (size_t i = 0; i < LENGTH(keys); i++) {
        const char *value = manifest ? json_text(manifest, keys[i][1]) : NULL;
        fact_add(p->a, set, keys[i][0], value,
                 value      ? MANIFEST
                 : manifest ? arena_fmt(p->a, MANIFEST ": no %s", keys[i][1])
                            : why);
    }

    const char *version = file ? version_of(p->a, file) : NULL, *why_asked = NULL;
    if (!version && manifest && (said = json_text(manifest, "version"))) {
        version = version_of(p->a, said);
        source = MANIFEST;
    }
    if (!version) {
        said = ask(p, "system.version", &source);
        version = said ? version_of(p->a, said) : NULL;
        why_asked = said ? arena_fmt(p->a, "%s: not understood: '%.100s'", source, said) : source;
    }
    if (!version) /* nobody told: why each of them did not */
        source = arena_fmt(p->a, "%s; %s; %s", file ? VERSION_FILE ": not understood" : why_file,
                           manifest ? MANIFEST ": no version" : why, why_asked);
    fact_add(p->a, set, "truenas", version, source);
}
