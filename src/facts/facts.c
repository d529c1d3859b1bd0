/*
 * facts.c: the probe table, fact sheets, digests, and what moved between two sheets.
 *
 * A new probe is one file and one row here. Nothing is started and nothing fails: a fact that
 * cannot be read stays in the sheet without a value, its source says why. The digest leaves out
 * state, so that the same box gives the same digest an hour later.
 */
#include <unistd.h>

#include "probe.h"
#include "zhist/digest.h"
#include "zhist/unit.h"

/* In this order: the disk probe takes its disks from the sets before it. */
static const struct probe_row probes[] = {
    {"system", "kernel, CPU, memory, what of the machine sets the pace", probe_system},
    {"system", "TrueNAS: version, train, build", probe_truenas},
    {"module", "parameters, implementations and limits of the ZFS modules", probe_module},
    {"mount", "file system, options and block devices under each target", probe_mount},
    {"dataset", "the ZFS dataset under each target and its properties", probe_dataset},
    {"pool", "vdevs, properties, health and scans of the pool under each target", probe_pool},
    {"dataset", "snapshots, and who takes them", probe_snapshot},
    {"disk", "model, kind and queue of each disk under a target", probe_disk},
};

void probe_open(struct probe *p, struct arena *a, const char *root, const struct facts_ask *ask,
                struct fact_sheet *sheet) {
    const char *full = *root ? path_resolve(a, root) : NULL;
    *p = (struct probe){
        .a = a, .root = full ? full : root, .ask = ask, .sheet = sheet, .live = !*root};
}

static void probe_all(struct arena *a, const char *root, const struct facts_ask *ask,
                      const struct fact_sheet *earlier, struct fact_sheet *sheet) {
    struct probe p;
    *sheet = (struct fact_sheet){0};
    probe_open(&p, a, root, ask, sheet);
    for (size_t i = 0; earlier && i < earlier->n_silent; i++)
        *array_add(a, p.silent, p.n_silent, p.cap_silent) = earlier->silent[i];
    for (size_t i = 0; i < LENGTH(probes); i++)
        probes[i].run(&p);
    sheet->silent = p.silent;
    sheet->n_silent = p.n_silent;
    for (size_t i = 0; i < sheet->n_sets; i++)
        factset_seal(&sheet->sets[i]);
}

void facts_probe_at(struct arena *a, const char *root, const struct facts_ask *ask,
                    struct fact_sheet *sheet) {
    probe_all(a, root, ask, NULL, sheet);
}

void facts_probe(struct arena *a, const struct facts_ask *ask, struct fact_sheet *sheet) {
    probe_all(a, "", ask, NULL, sheet);
}

void facts_probe_again(struct arena *a, const struct facts_ask *ask,
                       const struct fact_sheet *earlier, struct fact_sheet *sheet) {
    probe_all(a, "", ask, earlier, sheet);
}

struct factset *factset_add(struct arena *a, struct fact_sheet *sheet, const char *kind,
                            const char *subject, int64_t target) {
    struct factset *set = array_add(a, sheet->sets, sheet->n_sets, sheet->cap_sets);
    *set = (struct factset){
        .kind = arena_str(a, kind), .subject = arena_str(a, subject), .target = target};
    return set;
}

/* Names and values go to JSON and to terminals: bytes that are no printable UTF-8 become \ooo. */
static const char *clean(struct arena *a, const char *text) {
    if (!text)
        return NULL;
    const unsigned char *at = (const unsigned char *)text;
    size_t left = strlen(text), bad = 0;
    for (size_t len; left; at += len, left -= len) {
        len = (size_t)utf8_length(at, left);
        if (!len || *at < ' ' || *at == 0x7f) {
            bad++;
            len = 1;
        }
    }
    if (!bad)
        return arena_str(a, text);
    char *copy = arena_alloc(a, strlen(text) + 3 * bad + 1, 1), *to = copy;
    at = (const unsigned char *)text;
    left = strlen(text);
    for (size_t len; left; at += len, left -= len) {
        len = (size_t)utf8_length(at, left);
        if (!len || *at < ' ' || *at == 0x7f) {
            len = 1;
            *to++ = '\\';
            *to++ = (char)('0' + (*at >> 6));
            *to++ = (char)('0' + (*at >> 3 & 7));
            *to++ = (char)('0' + (*at & 7));
        } else {
            memcpy(to, at, len);
            to += len;
        }
    }
    return copy;
}

const struct fact *fact_find(const struct factset *set, const char *key) {
    for (size_t i = 0; set && i < set->n_facts; i++)
        if (!strcmp(set->facts[i].key, key))
            return &set->facts[i];
    return NULL;
}

void fact_add(struct arena *a, struct factset *set, const char *key, const char *value,
              const char *source) {
    const char *name = clean(a, key);
    struct fact *fact = NULL;
    for (size_t i = 0; i < set->n_facts && !fact; i++)
        if (!strcmp(set->facts[i].key, name))
            fact = &set->facts[i];
    if (!fact)
        fact = array_add(a, set->facts, set->n_facts, set->cap_facts);
    enum fact_class class = fact_class_sourced(set->kind, name, source);
    *fact = (struct fact){.key = name,
                          .value = clean(a, value),
                          .source = clean(a, source ? source : ""),
                          .class = class,
                          .leader = class == FACT_CONSEQUENCE ? fact_leader(set->kind, name)
                                                              : NULL};
}

static int by_key(const void *a, const void *b) {
    return strcmp(((const struct fact *)a)->key, ((const struct fact *)b)->key);
}

/* Lengths frame the texts, so that no value can look like two facts; '!' is unknown. */
void factset_seal(struct factset *set) {
    struct buf b = {0};
    if (set->n_facts)
        qsort(set->facts, set->n_facts, sizeof *set->facts, by_key);
    buf_fmt(&b, "%zu:%s\n", strlen(set->kind), set->kind);
    for (size_t i = 0; i < set->n_facts; i++) {
        const struct fact *f = &set->facts[i];
        if (f->class == FACT_STATE)
            continue;
        buf_fmt(&b, "%zu:%s=", strlen(f->key), f->key);
        if (f->value)
            buf_fmt(&b, "%zu:%s\n", strlen(f->value), f->value);
        else /* with the reason: else that of another run would be told */
            buf_fmt(&b, "!%zu:%s\n", strlen(f->source), f->source);
    }
    digest_hex(b.data, b.len, set->digest);
    buf_release(&b);
}

const struct factset *facts_find(const struct fact_sheet *sheet, const char *kind, int64_t target) {
    for (size_t i = 0; i < sheet->n_sets; i++)
        if (!strcmp(sheet->sets[i].kind, kind) && sheet->sets[i].target == target)
            return &sheet->sets[i];
    return NULL;
}

const struct factset *facts_dataset(const struct fact_sheet *sheet, int64_t target) {
    for (size_t i = 0; i < sheet->n_sets; i++)
        if (!strcmp(sheet->sets[i].kind, "dataset") && sheet->sets[i].target == target &&
            strcmp(sheet->sets[i].subject, "declared"))
            return &sheet->sets[i];
    return NULL;
}

const char *fact_value(const struct factset *set, const char *key) {
    const struct fact *f = fact_find(set, key);
    return f ? f->value : NULL;
}

/* ---- what moved ------------------------------------------------------------------------------ */

static const struct factset *same_set(const struct fact_sheet *sheet, const struct factset *set) {
    for (size_t i = 0; i < sheet->n_sets; i++)
        if (!strcmp(sheet->sets[i].kind, set->kind) && sheet->sets[i].target == set->target &&
            !strcmp(sheet->sets[i].subject, set->subject))
            return &sheet->sets[i];
    return NULL;
}

/* What a set is about, as people call it: a disk by its kernel name and model. */
static void put_subject(struct buf *b, const struct factset *set) {
    const char *name = fact_value(set, "name"), *model = fact_value(set, "model");
    buf_str(b, set->kind);
    if (!*set->subject)
        return;
    buf_fmt(b, " %s", name ? name : set->subject);
    if (model)
        buf_fmt(b, " (%s)", model);
}

/* key "": the whole set, there on one side only. */
static void moved_add(struct arena *a, const struct factset *set, const char *key,
                      const char *before, const char *after, struct finding_list *out) {
    struct buf b = {0};
    put_subject(&b, set);
    buf_fmt(&b, "%s%s ", !*key ? "" : *set->subject ? " " : ".", key);
    if (!*key)
        buf_str(&b, before && *before == 'y'
                        ? "was there at the start and is gone at the end"
                        : "was not there at the start and is there at the end");
    else if (before && after)
        buf_fmt(&b, "was '%s' at the start and '%s' at the end", before, after);
    else
        buf_fmt(&b, "(%s) was %s at the start and %s at the end", before ? before : after,
                before ? "set" : "not set", after ? "set" : "not set");
    buf_str(&b, " of the run: the iterations were not measured under one and the same setting; "
                "find out what changed it and run again");
    finding_add(a, out, "moved-during-run", SEVERITY_DISTURBED, set->target, b.data);
    b.len = 0;
    buf_str(&b, "{\"kind\":");
    buf_json(&b, set->kind);
    buf_str(&b, ",\"subject\":");
    buf_json(&b, set->subject);
    buf_str(&b, ",\"key\":");
    buf_json(&b, *key ? key : "present");
    buf_str(&b, ",\"before\":");
    buf_json(&b, before);
    buf_str(&b, ",\"after\":");
    buf_json(&b, after);
    buf_str(&b, "}");
    out->items[out->n - 1].evidence = arena_str(a, b.data);
    buf_release(&b);
}

/*
 * Unknown on one side proves no change. A missing mount option does, when both lists of options
 * were read: an option is a fact only while it is set.
 */
static bool moved(const struct factset *from, const struct fact *f, const struct factset *to) {
    const struct fact *other = fact_find(to, f->key);
    if ((f->class != FACT_SETTING && f->class != FACT_CONSEQUENCE) || !f->value)
        return false;
    if (other)
        return other->value && strcmp(f->value, other->value);
    return !strcmp(from->kind, "mount") && !strncmp(f->key, "option.", 7) &&
           fact_value(from, "fstype") && fact_value(to, "fstype");
}

static bool leader_moved(const struct fact_sheet *before, const struct fact_sheet *after,
                         const struct factset *set, const struct fact *f) {
    const char *leader = f->class == FACT_CONSEQUENCE ? fact_leader(set->kind, f->key) : NULL;
    const char *dot = leader ? strchr(leader, '.') : NULL;
    for (size_t i = 0; dot && i < before->n_sets; i++) {
        const struct factset *from = &before->sets[i], *to = same_set(after, from);
        const struct fact *lead = fact_find(from, dot + 1);
        bool near = from->target == set->target || from->target == UNKNOWN;
        if (to && lead && near && strlen(from->kind) == (size_t)(dot - leader) &&
            !strncmp(from->kind, leader, (size_t)(dot - leader)) && moved(from, lead, to))
            return true;
    }
    return false;
}

/* A disk or pool that is on one side only moved where the other side has any of its kind: else that
 * side could not see them. Of other kinds a missing set proves nothing. */
static bool came_or_went(const struct fact_sheet *other, const struct factset *set) {
    return (!strcmp(set->kind, "disk") || !strcmp(set->kind, "pool")) &&
           facts_find(other, set->kind, set->target);
}

void facts_moved(struct arena *a, const struct fact_sheet *before, const struct fact_sheet *after,
                 struct finding_list *out) {
    for (size_t i = 0; i < before->n_sets; i++) {
        const struct factset *from = &before->sets[i], *to = same_set(after, from);
        if (!to && came_or_went(after, from))
            moved_add(a, from, "", "yes", "no", out);
        if (!to)
            continue;
        for (size_t k = 0; k < from->n_facts; k++) {
            const struct fact *f = &from->facts[k];
            if (moved(from, f, to) && !leader_moved(before, after, from, f))
                moved_add(a, from, f->key, f->value, fact_value(to, f->key), out);
        }
        for (size_t k = 0; k < to->n_facts; k++) /* what only the second sheet has */
            if (!fact_find(from, to->facts[k].key) && moved(to, &to->facts[k], from))
                moved_add(a, from, to->facts[k].key, NULL, to->facts[k].value, out);
    }
    for (size_t i = 0; i < after->n_sets; i++)
        if (!same_set(before, &after->sets[i]) && came_or_went(before, &after->sets[i]))
            moved_add(a, &after->sets[i], "", "no", "yes", out);
}

/* ---- the host -------------------------------------------------------------------------------- */

static bool is_machine_id(const char *text) {
    return strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32 && strspn(text, "0") < 32;
}

void facts_host_at(struct arena *a, const char *root, const char **machine_id, const char **name) {
    static const char *const files[] = {"/etc/machine-id", "/var/lib/dbus/machine-id"};
    struct probe p;
    const char *why, *found = NULL, *host;
    char text[256] = "";
    probe_open(&p, a, root, NULL, NULL);
    host = probe_read(&p, "/proc/sys/kernel/hostname", &why);
    if ((!host || !*host) && p.live && !gethostname(text, sizeof text - 1))
        host = text;
    *name = clean(a, host && *host ? host : "unknown");
    for (size_t i = 0; i < LENGTH(files) && !found; i++) {
        const char *id = probe_read(&p, files[i], &why);
        if (id && is_machine_id(id)) /* an image not yet booted says "uninitialized" */
            found = id;
    }
    *machine_id = found ? found : arena_fmt(a, "unknown-%s", *name);
}

void facts_host(struct arena *a, const char **machine_id, const char **name) {
    facts_host_at(a, "", machine_id, name);
}
