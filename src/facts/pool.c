/*
 * pool.c: the probe of the pool each target lies in: vdev tree, layout, properties, health, scans,
 * errors, and the disks at its leaves.
 *
 * Whether the pool is suspended is read from /proc first: zpool would wait for it for ever. Then
 * one zpool status and one zpool get a pool, however many targets lie in it. With -P and not -L:
 * links are followed here, and zpool's JSON loses what it resolved itself (src/zfs/status_json.c).
 */
#include <math.h>

#include "probe.h"
#include "zhist/zfs.h"

static const char from_status[] = "zpool status", unsaid[] = "zpool status: not said";

/* ---- the tree and its disks ------------------------------------------------------------------ */

struct leaf {
    const struct vdev *v;
    const char *disks; /* joined by ' '; NULL: why */
    const char *why;
};

struct members {
    struct probe *p;
    const char *pool;
    int64_t target;
    struct leaf *leaves;
    size_t n, cap;
    const char **disks; /* of all but spares, each once */
    size_t n_disks, cap_disks;
    struct buf open; /* leaves without a disk, and why */
};

static void add_leaf(void *ctx, const struct vdev *v, const struct vdev *top) {
    struct members *m = ctx;
    struct leaf *leaf = array_add(m->p->a, m->leaves, m->n, m->cap);
    const char **names = NULL, *why = v->note ? v->note : "it has no path";
    struct block *b = v->path ? chain_of_path(m->p, v->path, &why) : NULL;
    int64_t count;
    size_t n = b ? chain_disks(m->p->a, b, &names, &count) : 0;
    struct buf all = {0};
    *leaf = (struct leaf){.v = v, .why = b ? "no disk at its end" : why};
    for (size_t i = 0; i < n; i++)
        buf_fmt(&all, "%s%s", i ? " " : "", names[i]);
    leaf->disks = n ? arena_str(m->p->a, all.data) : NULL;
    buf_release(&all);
    if (!strcmp(v->class, "spare")) /* nothing is written to it */
        return;
    if (!n)
        buf_fmt(&m->open, "%s%s (%s)", m->open.len ? ", " : "", v->name, leaf->why);
    for (size_t i = 0; i < n; i++) {
        *array_add(m->p->a, m->p->members, m->p->n_members, m->p->cap_members) =
            (struct member){.disk = names[i],
                            .pool = m->pool,
                            .vdev = top == v ? "disk" : top->name,
                            .class = v->class,
                            .target = m->target};
        size_t k = 0;
        while (k < m->n_disks && strcmp(m->disks[k], names[i]))
            k++;
        if (k == m->n_disks)
            *array_add(m->p->a, m->disks, m->n_disks, m->cap_disks) = names[i];
    }
}

static void put_count(struct buf *b, const char *before, int64_t value) {
    buf_str(b, before);
    if (value == UNKNOWN)
        buf_str(b, "null");
    else
        buf_fmt(b, "%lld", (long long)value);
}

static void put_key(struct buf *b, const char *key, const char *text) {
    buf_fmt(b, "\"%s\":", key);
    buf_json(b, text);
    buf_str(b, ",");
}

static void put_tree(struct buf *b, const struct members *m, const struct vdev *v) {
    buf_str(b, "{");
    put_key(b, "name", v->name);
    put_key(b, "type", v->type);
    put_key(b, "class", v->class);
    put_key(b, "state", v->state);
    if (v->note)
        put_key(b, "note", v->note);
    for (size_t i = 0; i < m->n; i++)
        if (m->leaves[i].v == v) {
            put_key(b, "disk", m->leaves[i].disks);
            if (!m->leaves[i].disks)
                put_key(b, "why", m->leaves[i].why);
        }
    put_count(b, "\"errors\":[", v->read_errors);
    put_count(b, ",", v->write_errors);
    put_count(b, ",", v->checksum_errors);
    buf_str(b, "],\"below\":[");
    for (size_t i = 0; i < v->n_below; i++) {
        buf_str(b, i ? "," : "");
        put_tree(b, m, v->below[i]);
    }
    buf_str(b, "]}");
}

/* read, write, checksum: of all vdevs, so that a rise anywhere is one. */
static void add_errors(const struct vdev *v, int64_t sums[3]) {
    int64_t own[] = {v->read_errors, v->write_errors, v->checksum_errors};
    for (size_t i = 0; i < LENGTH(own); i++)
        if (own[i] != UNKNOWN && sums[i] < INT64_MAX / 2 && own[i] < INT64_MAX / 2)
            sums[i] = (sums[i] == UNKNOWN ? 0 : sums[i]) + own[i];
    for (size_t i = 0; i < v->n_below; i++)
        add_errors(v->below[i], sums);
}

/* A reason with the program it comes from, which those of probe_run() name themselves. */
static const char *said_by(struct probe *p, const char *program, const char *why) {
    return strstr(why, program) ? arena_str(p->a, why) : arena_fmt(p->a, "%s: %s", program, why);
}

/* Asked for JSON, then for text: both failed. */
static const char *both(struct probe *p, const char *json, const char *text) {
    return json && text && strcmp(json, text) ? arena_fmt(p->a, "%s; as text: %s", json, text)
           : text                             ? text
                                              : json;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void tree_facts(struct probe *p, struct factset *set, const struct pool *pool) {
    struct members m = {.p = p, .pool = pool->name, .target = set->target};
    struct buf b = {0};
    int64_t sums[3] = {UNKNOWN, UNKNOWN, UNKNOWN};
    const char *uncounted = "zpool status: no counters in it";
    pool_leaves(pool, add_leaf, &m);
    put_tree(&b, &m, pool->root);
    fact_add(p->a, set, "tree", b.data, from_status);
    const char *unsure = pool->unsure ? said_by(p, from_status, pool->unsure) : NULL;
    fact_add(p->a, set, "layout", pool_layout(p->a, pool), unsure ? unsure : from_status);
    fact_number(p, set, "disk_count", pool_members(pool), unsure ? unsure : from_status);
    b.len = 0;
    if (m.n_disks)
        qsort(m.disks, m.n_disks, sizeof *m.disks, by_name);
    for (size_t i = 0; i < m.n_disks; i++)
        buf_fmt(&b, "%s%s", i ? " " : "", m.disks[i]);
    const char *source = unsure       ? unsure
                         : m.open.len ? arena_fmt(p->a, "no disk found for %s", m.open.data)
                         : m.n_disks  ? from_status
                                      : "zpool status: no disks in it";
    fact_add(p->a, set, "disks", m.n_disks && !unsure ? b.data : NULL, source);
    add_errors(pool->root, sums);
    fact_number(p, set, "read_errors", sums[0], sums[0] == UNKNOWN ? uncounted : from_status);
    fact_number(p, set, "write_errors", sums[1], sums[1] == UNKNOWN ? uncounted : from_status);
    fact_number(p, set, "checksum_errors", sums[2], sums[2] == UNKNOWN ? uncounted : from_status);
    buf_release(&b);
    buf_release(&m.open);
}

/* ---- what zpool status says ------------------------------------------------------------------ */

static const char *const status_keys[] = {
    "suspended",  "scan",   "scan_text",   "scan_started", "scan_ended",
    "scan_done",  "status", "errors",      "data_errors",  "trim",
    "initialize", "remove", "expand",      "tree",         "layout",
    "disk_count", "disks",  "read_errors", "write_errors", "checksum_errors"};
static const char *const property_keys[] = {"health", "guid", "ashift", "autotrim", "readonly"};

/* What has no value yet is unknown, for this reason. */
static void rest_unknown(struct probe *p, struct factset *set, const char *const *keys, size_t n,
                         const char *why) {
    for (size_t i = 0; i < n; i++)
        if (!fact_find(set, keys[i]))
            fact_add(p->a, set, keys[i], NULL, why);
}

static void fact_text(struct probe *p, struct factset *set, const char *key, const char *value,
                      const char *why) {
    fact_add(p->a, set, key, value, value ? from_status : why);
}

static void fact_told(struct probe *p, struct factset *set, const char *key, enum told told) {
    fact_text(p, set, key,
              told == TOLD_YES  ? "yes"
              : told == TOLD_NO ? "no"
                                : NULL,
              "zpool status does not tell");
}

static void scan_facts(struct probe *p, struct factset *set, const struct scan *s) {
    bool known = s->kind != SCAN_NOT_UNDERSTOOD;
    const char *value = !known                  ? NULL
                        : s->kind == SCAN_NEVER ? "none"
                                                : arena_fmt(p->a, "%s %s", scan_kind_names[s->kind],
                                                            scan_state_names[s->state]);
    fact_text(p, set, "scan", value,
              arena_fmt(p->a, "zpool status: not understood: '%.200s'", s->text));
    fact_add(p->a, set, "scan_text", s->text, from_status);
    /* A date that cannot be read is not compared with another. */
    const char *no_date = arena_fmt(p->a, "zpool status: no date in '%.200s'", s->text);
    bool over = s->state == SCAN_FINISHED || s->state == SCAN_CANCELED;
    bool begun = s->state == SCAN_RUNNING || s->state == SCAN_PAUSED;
    fact_text(p, set, "scan_started", s->started, begun ? no_date : unsaid);
    fact_text(p, set, "scan_ended", s->ended, over ? no_date : unsaid);
    fact_text(p, set, "scan_done", isnan(s->done) ? NULL : arena_fmt(p->a, "%.4f", s->done),
              unsaid);
}

static int status_as(struct probe *p, const char *name, bool json, struct pool_list *list,
                     const char **why) {
    const char *const as_json[] = {"zpool", "status", "-j",         "-i", "-t",
                                   "-P",    "-p",     "--json-int", name, NULL};
    const char *const as_text[] = {"zpool", "status", "-P", name, NULL};
    struct err e = {0};
    size_t len;
    *list = (struct pool_list){0};
    const char *text = probe_run(p, json ? as_json : as_text, RUN_LIMIT_MS, &len, why);
    if (!text)
        return -1;
    if (!(json ? pools_from_json : pools_from_text)(p->a, text, len, list, &e))
        return 0;
    *why = said_by(p, from_status, e.text);
    return -1;
}

static void status_facts(struct probe *p, struct factset *set, const char *name) {
    struct pool_list list;
    const char *why = NULL, *why_json = NULL;
    const struct pool *pool = NULL;
    bool json = probe_zfs_json(p);
    int rc = status_as(p, name, json, &list, &why);
    if (rc && json && !p->n_silent) { /* a JSON that is not ours: its text is as it was */
        why_json = why;
        rc = status_as(p, name, false, &list, &why);
    }
    why = rc ? both(p, why_json, why) : NULL;
    for (size_t i = 0; i < list.n && !pool; i++)
        if (!strcmp(list.items[i].name, name))
            pool = &list.items[i];
    if (!pool) {
        why = rc ? why : arena_fmt(p->a, "zpool status: says nothing of '%s'", name);
        rest_unknown(p, set, status_keys, LENGTH(status_keys), why);
        return;
    }
    if (pool->state)
        fact_add(p->a, set, "health", pool->state, from_status);
    if (pool->guid)
        fact_add(p->a, set, "guid", pool->guid, from_status);
    if (!pool->headless) { /* else it stays open, for the reason everything else does */
        fact_add(p->a, set, "status", pool->status ? pool->status : "none", from_status);
        scan_facts(p, set, &pool->scan);
    }
    if (pool->suspended || !pool->headless)
        fact_add(p->a, set, "suspended", pool->suspended ? "yes" : "no", from_status);
    fact_text(p, set, "errors", pool->errors, unsaid);
    fact_number(p, set, "data_errors", pool->data_errors,
                pool->data_errors != UNKNOWN ? from_status
                : pool->errors               ? said_by(p, from_status, pool->errors)
                                             : unsaid);
    fact_told(p, set, "remove", pool->removing);
    fact_told(p, set, "expand", pool->expanding);
    if (!rc && pool->root) {
        fact_told(p, set, "trim", pool->trimming);
        fact_told(p, set, "initialize", pool->initializing);
        tree_facts(p, set, pool);
    }
    rest_unknown(p, set, status_keys, LENGTH(status_keys), why ? why : "zpool status: no vdevs");
}

/* ---- properties ------------------------------------------------------------------------------ */

/* A feature is active from its first use on, by itself: it was enabled before. */
static const char *property_value(const struct property *property) {
    return property->value && !strncmp(property->name, "feature@", 8) &&
                   !strcmp(property->value, "active")
               ? "enabled"
               : property->value;
}

static int get_as(struct probe *p, const char *name, bool json, struct property_list *list,
                  const char **why) {
    const char *const as_json[] = {"zpool", "get", "-j", "-p", "all", name, NULL};
    const char *const as_text[] = {"zpool", "get", "-Hp", "all", name, NULL};
    struct err e = {0};
    size_t len;
    *list = (struct property_list){0};
    const char *text = probe_run(p, json ? as_json : as_text, RUN_LIMIT_MS, &len, why);
    if (!text)
        return -1;
    if (!(json ? properties_from_json : properties_from_text)(p->a, text, len, list, &e))
        return 0;
    *why = said_by(p, "zpool get", e.text);
    return -1;
}

static void property_facts(struct probe *p, struct factset *set, const char *name) {
    struct property_list list;
    const char *why = NULL, *why_json = NULL;
    bool json = probe_zfs_json(p);
    int rc = get_as(p, name, json, &list, &why);
    if (rc && json && !p->n_silent) {
        why_json = why;
        rc = get_as(p, name, false, &list, &why);
    }
    why = rc ? both(p, why_json, why) : "zpool get: not among its properties";
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct property *property = &list.items[i];
        if (strcmp(property->name, "name") && (!property->of || !strcmp(property->of, name)))
            fact_add(p->a, set, property->name, property_value(property),
                     strcmp(property->source, "-") ? property->source : "zpool get");
    }
    rest_unknown(p, set, property_keys, LENGTH(property_keys), why);
}

/* ---- the pool of each target ----------------------------------------------------------------- */

/* Why zpool is not asked about this pool, or NULL. */
static const char *not_asked(struct probe *p, struct factset *set, const char *name) {
    const char *why, *path = arena_fmt(p->a, "/proc/spl/kstat/zfs/%s/state", name);
    const char *state = probe_read(p, path, &why);
    if (*name == '-')
        return "zpool would take such a name for an option";
    if (!state || strcmp(state, "SUSPENDED"))
        return NULL;
    fact_add(p->a, set, "health", state, path);
    fact_add(p->a, set, "suspended", "yes", path);
    return "the pool is suspended: zpool is not asked, it may wait for ever";
}

/* Of tank/a@b: tank. */
static const char *pool_of_target(struct probe *p, int64_t target) {
    const struct factset *mount = facts_find(p->sheet, "mount", target);
    const char *dataset = fact_value(facts_find(p->sheet, "dataset", target), "name");
    const char *fstype = fact_value(mount, "fstype");
    if (!dataset && fstype && !strcmp(fstype, "zfs"))
        dataset = fact_value(mount, "source");
    size_t len = dataset ? strcspn(dataset, "/@#") : 0;
    return len ? arena_copy(p->a, dataset, len) : NULL;
}

/* Another target lies in it too: the facts are the same, and so are the members. */
static bool copied(struct probe *p, const char *name, int64_t target) {
    const struct factset *known = NULL;
    for (size_t i = 0; i < p->sheet->n_sets && !known; i++) {
        const struct factset *set = &p->sheet->sets[i];
        if (!strcmp(set->kind, "pool") && !strcmp(fact_value(set, "name"), name))
            known = set;
    }
    if (!known)
        return false;
    struct factset copy = *known;
    struct factset *set = factset_add(p->a, p->sheet, "pool", "", target);
    set->facts = arena_new(p->a, struct fact, copy.n_facts);
    memcpy(set->facts, copy.facts, copy.n_facts * sizeof *set->facts);
    set->n_facts = set->cap_facts = copy.n_facts;
    for (size_t i = 0, n = p->n_members; i < n; i++)
        if (!strcmp(p->members[i].pool, name) && p->members[i].target == copy.target) {
            struct member member = p->members[i];
            member.target = target;
            *array_add(p->a, p->members, p->n_members, p->cap_members) = member;
        }
    return true;
}

void probe_pool(struct probe *p) {
    for (size_t i = 0; i < p->ask->n_paths; i++) {
        const char *name = pool_of_target(p, (int64_t)i);
        if (!name || copied(p, name, (int64_t)i))
            continue;
        struct factset *set = factset_add(p->a, p->sheet, "pool", "", (int64_t)i);
        fact_add(p->a, set, "name", name, "the name of the dataset");
        const char *why = not_asked(p, set, name);
        if (why) {
            rest_unknown(p, set, status_keys, LENGTH(status_keys), why);
            rest_unknown(p, set, property_keys, LENGTH(property_keys), why);
            continue;
        }
        status_facts(p, set, name);
        property_facts(p, set, name);
    }
}
