/*
 * dataset.c: the probe of the ZFS dataset under each target, every property with its source.
 *
 * The name comes from the mount, where it is always right (ZFS writes the dataset as the source,
 * renamed ones and snapshots too), or, for a file system on a zvol, from the links udev makes in
 * /dev/zvol, or it is the one in which the file of a loop device or the upper directory of an
 * overlay lies; only that dataset is asked for, once, however many there are. Without an answer of
 * zfs the name stays known and the rest is unknown.
 */
#include <unistd.h>

#include "probe.h"
#include "zhist/zfs.h"

/* ---- zvols ----------------------------------------------------------------------------------- */

enum { ZVOL_DEPTH_MAX = 64 }; /* ZFS allows 50 (zfs_max_dataset_nesting) */

struct zvol_search {
    const char *device, *name; /* name: found */
    bool several;
};

/* dir: below /dev/zvol, with the slash it begins with, or "". */
static void search(struct probe *p, struct zvol_search *s, const char *dir, int depth) {
    const char **names;
    size_t n = probe_list(p, arena_fmt(p->a, "/dev/zvol%s", dir), &names);
    for (size_t i = 0; i < n; i++) {
        char to[1024];
        const char *path = arena_fmt(p->a, "%s/%s", dir, names[i]);
        ssize_t len = readlink(arena_fmt(p->a, "%s/dev/zvol%s", p->root, path), to, sizeof to - 1);
        if (len < 0) {
            if (depth < ZVOL_DEPTH_MAX)
                search(p, s, path, depth + 1);
            continue;
        }
        to[len] = '\0';
        const char *slash = strrchr(to, '/');
        if (strcmp(slash ? slash + 1 : to, s->device))
            continue;
        char *name = arena_str(p->a, path + 1);
        for (char *c = name; *c; c++) /* zvol_id writes a space as '+', which no name has */
            *c = *c == '+' ? ' ' : *c;
        s->several |= s->name && strcmp(s->name, name);
        s->name = name;
    }
}

const char *zvol_dataset(struct probe *p, const char *device, const char **why) {
    struct zvol_search s = {.device = device};
    search(p, &s, "", 0);
    if (s.name && !s.several)
        return s.name;
    *why =
        arena_fmt(p->a, s.name ? "/dev/zvol: two links to %s" : "/dev/zvol: no link to %s", device);
    return NULL;
}

/* The zvols and datasets (behind a loop device, under an overlay) a chain ends in. */
static void ends_of(struct probe *p, const struct block *b, const struct block ***ends, size_t *n,
                    size_t *cap) {
    for (size_t i = 0; i < b->n_below; i++)
        ends_of(p, b->below[i], ends, n, cap);
    if (b->n_below || (strcmp(b->kind, "zvol") && strcmp(b->kind, "dataset")))
        return;
    for (size_t i = 0; i < *n; i++)
        if (!strcmp((*ends)[i]->name, b->name))
            return;
    *array_add(p->a, *ends, *n, *cap) = b;
}

/* ---- which dataset --------------------------------------------------------------------------- */

struct under {
    bool zfs;         /* there is one */
    const char *name; /* NULL: unknown, source says why */
    const char *source;
};

static struct under dataset_of(struct probe *p, const char *path) {
    const char *why = NULL;
    const struct block **ends = NULL;
    size_t n = 0, cap = 0;
    const struct mount *m = mount_of_target(p, path);
    if (!m)
        return (struct under){0};
    if (!strcmp(m->fstype, "zfs")) {
        if (!*m->source)
            return (struct under){true, NULL, "/proc/self/mountinfo: the mount has no source"};
        return (struct under){true, m->source, "/proc/self/mountinfo"};
    }
    const struct block *b = chain_of_mount(p, m, &why);
    if (b)
        ends_of(p, b, &ends, &n, &cap);
    if (n == 1 && !strcmp(ends[0]->kind, "dataset"))
        return (struct under){true, ends[0]->name, "/proc/self/mountinfo"};
    if (n == 1) {
        const char *name = zvol_dataset(p, ends[0]->name, &why);
        return (struct under){true, name, name ? "/dev/zvol" : why};
    }
    return (struct under){n > 1, NULL, "it stands on more than one zvol or dataset"};
}

/* ---- its properties -------------------------------------------------------------------------- */

struct answer {
    const char *name;
    struct property_list list;
    const char *why; /* NULL: the list is whole */
};

static const char *text_of(struct probe *p, const char *name, struct property_list *list) {
    const char *const argv[] = {"zfs", "get", "-Hp", "-o", "name,property,value,source",
                                "all", name,  NULL};
    const char *why = NULL;
    struct err e;
    size_t len;
    const char *text = probe_run(p, argv, RUN_LIMIT_MS, &len, &why);
    *list = (struct property_list){0};
    if (!text)
        return why;
    return properties_from_text(p->a, text, len, list, &e) ? arena_fmt(p->a, "zfs get: %s", e.text)
                                                           : NULL;
}

/*
 * In the C locale 2.3 and 2.4 end their JSON in the middle of the first text that is not ASCII
 * (tried: a user property, a mount point), with exit status 0; in a UTF-8 locale they lose
 * characters beyond U+FFFF without a sign. So broken JSON is no failure: the text form writes all
 * bytes as they are.
 */
static const char *json_of(struct probe *p, const char *name, struct property_list *list) {
    const char *const argv[] = {"zfs", "get", "-j", "-p", "all", name, NULL};
    const char *why = NULL;
    struct err e;
    size_t len;
    const char *text = probe_run(p, argv, RUN_LIMIT_MS, &len, &why);
    if (!text)
        return why;
    return properties_from_json(p->a, text, len, list, &e) ? text_of(p, name, list) : NULL;
}

static struct answer ask(struct probe *p, const char *name) {
    struct answer x = {.name = name};
    size_t kept = 0;
    if (*name == '-') {
        x.why = "zfs would take such a name for an option";
        return x;
    }
    x.why = probe_zfs_json(p) ? json_of(p, name, &x.list) : text_of(p, name, &x.list);
    for (size_t i = 0; i < x.list.n; i++)
        if (!strcmp(x.list.items[i].of, name))
            x.list.items[kept++] = x.list.items[i];
    x.list.n = x.why ? 0 : kept; /* half an answer is none */
    if (!x.why && !kept)
        x.why = "zfs get: nothing of this dataset";
    return x;
}

/* No limit, and nothing counted: UINT64_MAX, which 2.1 prints with -p, and later releases as none.
 */
static const char *value_of(const struct property *property) {
    static const char *const keys[] = {"filesystem_limit", "snapshot_limit", "filesystem_count",
                                       "snapshot_count"};
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (!strcmp(property->name, keys[i]) && property->value &&
            !strcmp(property->value, "18446744073709551615"))
            return "none";
    return property->value;
}

static void put(struct probe *p, struct factset *set, const struct answer *x) {
    /* What is asked for by name elsewhere: with the reason instead of nothing. */
    static const char *const keys[] = {"type",  "guid",         "recordsize", "compression",
                                       "dedup", "encryption",   "checksum",   "sync",
                                       "atime", "primarycache", "logbias",    "available"};
    for (size_t i = 0; x->why && i < LENGTH(keys); i++)
        fact_add(p->a, set, keys[i], NULL, x->why);
    for (size_t i = 0; i < x->list.n; i++)
        fact_add(p->a, set, x->list.items[i].name, value_of(&x->list.items[i]),
                 x->list.items[i].source);
}

void probe_dataset(struct probe *p) {
    struct answer *answers = NULL;
    size_t n = 0, cap = 0;
    for (size_t i = 0; i < p->ask->n_paths; i++) {
        struct under u = dataset_of(p, p->ask->paths[i]);
        if (!u.zfs)
            continue;
        struct factset *set = factset_add(p->a, p->sheet, "dataset", "", (int64_t)i);
        const struct answer *x = NULL;
        for (size_t k = 0; u.name && k < n && !x; k++)
            if (!strcmp(answers[k].name, u.name))
                x = &answers[k];
        if (u.name && !x) {
            struct answer fresh = ask(p, u.name);
            x = array_add(p->a, answers, n, cap);
            answers[n - 1] = fresh;
        }
        put(p, set, x ? x : &(struct answer){.why = u.source});
        fact_add(p->a, set, "name", u.name, u.source); /* last: no property may pass for it */
    }
}

const char *facts_locked(struct arena *a, const struct fact_sheet *sheet, const char *dataset) {
    const char *const argv[] = {"zfs",   "get", "-H", "-o", "value", "keystatus,encryptionroot",
                                dataset, NULL};
    struct probe p;
    const char *why;
    size_t len;
    probe_open(&p, a, "", NULL, NULL);
    for (size_t i = 0; i < sheet->n_silent; i++)
        *array_add(a, p.silent, p.n_silent, p.cap_silent) = sheet->silent[i];
    const char *text = *dataset == '-' ? NULL : probe_run(&p, argv, RUN_LIMIT_MS, &len, &why);
    const char *root = text ? strchr(text, '\n') : NULL;
    if (!root)
        return NULL;
    if (strncmp(text, "unavailable\n", 12))
        return "";
    size_t n = strcspn(root + 1, "\n");
    return n && root[1] != '-' ? arena_copy(a, root + 1, n) : arena_str(a, dataset);
}
