/*
 * siblings.c: which mounted datasets lie beside the one under a path, or right below it, in the
 * order of their names. From mountinfo alone: what is not mounted cannot be measured.
 */
#include "probe.h"

/* The length of the parent's name in tank/a/b: tank/a; 0: a pool has none. */
static size_t parent_len(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) : 0;
}

/* A mount of the whole dataset, which is no snapshot. */
static bool is_dataset(const struct mount *m) {
    return !strcmp(m->fstype, "zfs") && *m->source && !strchr(m->source, '@') &&
           !strcmp(m->root, "/");
}

static int by_source(const void *a, const void *b) {
    return strcmp((*(const struct mount *const *)a)->source,
                  (*(const struct mount *const *)b)->source);
}

/* Those whose parent is the first len characters of `of`; of two mounts of one the later counts. */
static size_t gather(struct probe *p, const char *of, size_t len, const char ***paths) {
    const struct mount **found = arena_new(p->a, const struct mount *, p->n_mounts + 1);
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < p->n_mounts; i++) {
        const struct mount *m = &p->mounts[i];
        bool fits = is_dataset(m) && parent_len(m->source) == len && !strncmp(m->source, of, len) &&
                    mount_of_path(p->mounts, p->n_mounts, m->point) == m; /* not mounted over */
        if (fits)
            found[n++] = m;
    }
    if (n)
        qsort(found, n, sizeof *found, by_source);
    *paths = arena_new(p->a, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || strcmp(found[i]->source, found[i + 1]->source))
            (*paths)[kept++] = found[i]->point;
    return kept;
}

size_t facts_siblings_at(struct arena *a, const char *root, const char *path, bool below,
                         const char ***paths) {
    struct probe p;
    probe_open(&p, a, root, NULL, NULL);
    probe_mounts(&p);
    const struct mount *m = p.mounts ? mount_of_target(&p, path) : NULL;
    *paths = NULL;
    if (!m || !is_dataset(m))
        return 0;
    size_t len = below ? strlen(m->source) : parent_len(m->source);
    return len ? gather(&p, m->source, len, paths) : 0;
}

size_t facts_siblings(struct arena *a, const char *path, bool below, const char ***paths) {
    return facts_siblings_at(a, "", path, below, paths);
}
