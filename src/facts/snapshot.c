/*
 * snapshot.c: the probe of snapshots of the dataset under each target: how many, the newest, and
 * whether something takes them by itself. Adds to the dataset's set; all of it is state.
 *
 * Automatic ones are told by what their makers call them, or by a task of TrueNAS that covers the
 * dataset (middleware: pool.snapshottask.query, replication.query; only root may ask). createtxg
 * orders snapshots as they were taken and costs no reading of each (OpenZFS 2.2 on).
 */
#include "preflight.h"
#include "probe.h"
#include "zhist/json.h"

/* How the names of those who take snapshots begin, as each documents it. */
static const struct maker {
    const char *prefix, *name;
} makers[] = {
    {"auto-2", "TrueNAS"},
    {"auto_2", "TrueNAS"},
    {"autosnap_", "sanoid"},
    {"syncoid_", "syncoid"},
    {"zfs-auto-snap_", "zfs-auto-snapshot"},
    {"zrepl_", "zrepl"},
    {"pyznap_", "pyznap"},
    {"znapzend_", "znapzend"},
};
/* Whatever their maker: so many that differ in their digits alone, a date's worth of them. */
enum { SAME_SHAPE = 3, DATE_DIGITS = 8 };

static bool digit(char c) {
    return c >= '0' && c <= '9';
}

static bool same_shape(const char *x, const char *y) {
    while (*x && *y && (*x == *y || (digit(*x) && digit(*y)))) {
        x++;
        y++;
    }
    return *x == *y;
}

static size_t digits(const char *name) {
    size_t n = 0;
    for (; *name; name++)
        n += (size_t)digit(*name);
    return n;
}

struct snapshots {
    const char **names; /* what stands behind '@', oldest first */
    size_t n, cap;
};

/* "tank/a@snap\t1234" a line; -1: something else stands there. */
static int parse(struct arena *a, const char *text, size_t len, const char *dataset,
                 struct snapshots *s) {
    size_t name = strlen(dataset);
    for (const char *line = text, *end = text + len; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const char *tab = stop ? memchr(line, '\t', (size_t)(stop - line)) : NULL;
        if (!tab || (size_t)(tab - line) < name + 2 || strncmp(line, dataset, name) ||
            line[name] != '@')
            return -1;
        *array_add(a, s->names, s->n, s->cap) =
            arena_copy(a, line + name + 1, (size_t)(tab - line) - name - 1);
        line = stop + 1;
    }
    return 0;
}

/* Who takes them, from the names, none of which is told: they are the users' own. NULL: a person.
 */
static const char *maker_of(struct arena *a, const struct snapshots *s) {
    for (size_t i = s->n; i-- > 0;)
        for (size_t k = 0; k < LENGTH(makers); k++)
            if (!strncmp(s->names[i], makers[k].prefix, strlen(makers[k].prefix)))
                return arena_fmt(a, "named %s... as %s does", makers[k].prefix, makers[k].name);
    const char *newest = s->n ? s->names[s->n - 1] : "";
    size_t alike = 0;
    for (size_t i = 0; i < s->n && digits(newest) >= DATE_DIGITS; i++)
        alike += same_shape(newest, s->names[i]);
    return alike >= SAME_SHAPE ? arena_fmt(a, "%zu are named alike, with a date", alike) : NULL;
}

static bool listed(struct probe *p, struct factset *set, const char *dataset) {
    const char *const argv[] = {"zfs", "list",           "-Hp", "-t",        "snapshot", "-d", "1",
                                "-o",  "name,createtxg", "-s",  "createtxg", dataset,    NULL};
    static const char *const keys[] = {"snapshots", "snapshot_newest", "snapshot_automatic"};
    struct snapshots s = {0};
    const char *why = NULL, *source = "zfs list -t snapshot";
    size_t len = 0;
    const char *text = NULL;
    if (*dataset == '-')
        why = "zfs would take such a name for an option";
    else
        text = probe_run(p, argv, RUN_LIMIT_MS, &len, &why);
    if (text && parse(p->a, text, len, dataset, &s)) {
        text = NULL;
        why = "zfs list: a line that is no snapshot of this dataset";
    }
    if (!text) {
        for (size_t i = 0; i < LENGTH(keys); i++)
            fact_add(p->a, set, keys[i], NULL, why);
        return false;
    }
    const char *maker = maker_of(p->a, &s);
    fact_number(p, set, keys[0], (int64_t)s.n, source);
    fact_add(p->a, set, keys[1], s.n ? s.names[s.n - 1] : "none", source);
    fact_add(p->a, set, keys[2], maker ? "yes" : "no", maker ? maker : source);
    return maker != NULL;
}

/* ---- tasks of TrueNAS
 * ---------------------------------------------------------------------------- */

static bool below(const char *dataset, const char *parent) {
    size_t len = strlen(parent);
    return !strncmp(dataset, parent, len) && dataset[len] == '/';
}

static bool holds(const struct json *list, const char *dataset) {
    for (const struct json *item = list ? list->first : NULL; item; item = item->next)
        if (item->text && (!strcmp(item->text, dataset) || below(dataset, item->text)))
            return true;
    return false;
}

static bool is_true(const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    return value && value->type == JSON_TRUE;
}

/* Of a snapshot task `dataset` is a text, of a replication `source_datasets` a list. */
static bool covers(const struct json *task, const struct json *source, const char *dataset) {
    if (!source || !source->text || !is_true(task, "enabled"))
        return false;
    return !strcmp(source->text, dataset) ||
           (below(dataset, source->text) && is_true(task, "recursive") &&
            !holds(json_get(task, "exclude"), dataset));
}

static const char *task_of(struct arena *a, const struct json *tasks, const char *dataset) {
    for (const struct json *task = tasks->first; task; task = task->next) {
        const struct json *sources = json_get(task, "source_datasets");
        const struct json *source = sources ? sources->first : json_get(task, "dataset");
        const char *id = json_text(task, "id"), *name = json_text(task, "name");
        const char *direction = json_text(task, "direction");
        if (direction && !strcmp(direction, "PULL")) /* its source lies elsewhere */
            continue;
        for (; source; source = sources ? source->next : NULL)
            if (covers(task, source, dataset))
                return sources ? arena_fmt(a, "replication task %s of %s",
                                           name ? name
                                           : id ? id
                                                : "?",
                                           source->text)
                               : arena_fmt(a, "periodic snapshot task %s of %s", id ? id : "?",
                                           source->text);
    }
    return NULL;
}

static void tasks(struct probe *p, struct factset *set, const char *dataset) {
    static const char *const methods[] = {"pool.snapshottask.query", "replication.query"};
    const char *found = NULL, *source = NULL;
    for (size_t i = 0; i < LENGTH(methods) && !found; i++) {
        const char *const argv[] = {"midclt", "call", methods[i], NULL};
        struct err e = {0};
        const char *why = NULL;
        size_t len = 0;
        const char *text = probe_run(p, argv, RUN_SHORT_MS, &len, &why);
        const struct json *list = text ? json_read(p->a, text, len, &e) : NULL;
        if (!list || list->type != JSON_ARRAY) {
            why = text ? arena_fmt(p->a, "midclt call %s: %s", methods[i],
                                   *e.text ? e.text : "no list")
                       : why;
            fact_add(p->a, set, "snapshot_task", NULL, why);
            return;
        }
        found = task_of(p->a, list, dataset);
        source = arena_fmt(p->a, "midclt call %s", methods[i]);
    }
    fact_add(p->a, set, "snapshot_task", found ? found : "no", source);
}

void probe_snapshot(struct probe *p) {
    const char *truenas = fact_value(facts_find(p->sheet, "system", UNKNOWN), "truenas");
    for (size_t t = 0; t < p->ask->n_paths; t++) {
        struct factset *set = NULL;
        const char *name = fact_value(facts_dataset(p->sheet, (int64_t)t), "name");
        for (size_t i = 0; i < p->sheet->n_sets && name && !set; i++)
            if (&p->sheet->sets[i] == facts_dataset(p->sheet, (int64_t)t))
                set = &p->sheet->sets[i];
        /* A suspended pool would let zfs wait for ever. */
        if (!set || fact_is(pool_of(p->sheet, t), "suspended", "yes"))
            continue;
        const char *dataset = arena_copy(p->a, name, strcspn(name, "@"));
        if (!listed(p, set, dataset) && truenas) /* the names have told it already */
            tasks(p, set, dataset);
    }
}
