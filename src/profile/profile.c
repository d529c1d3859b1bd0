/*
 * profile.c: the tree of a profile -> struct profile: the top level, hardware, targets, run,
 * thresholds and requirements. Workloads are decoded in workload.c.
 *
 * It must touch nothing on the machine: whether a target exists or hardware fits is for others.
 */
#include "field.h"
#include "zhist/digest.h"
#include "zhist/unit.h"

#include <math.h>

enum { FORMAT_VERSION = 1, MOST_ITERATIONS = 1000000, MOST_WARMUPS = 1000 };

/* ---- hardware -------------------------------------------------------------------------------- */

static void decode_hardware(struct decoder *d, const struct conf *root, struct hardware_spec *h) {
    static const char *const media[] = {"hdd", "ssd", "nvme", "mixed"};
    static const char *const layouts[] = {"single", "stripe", "mirror", "raidz1", "raidz2",
                                          "raidz3", "draid1", "draid2", "draid3"};
    const struct conf *map = field_node(root, "hardware");
    *h = (struct hardware_spec){
        .disks = UNKNOWN, .disk_throughput = NAN, .disk_iops = NAN, .network = NAN};
    if (!map || !section_check(d, map, "hardware", KINDS))
        return;
    int i = field_word(d, map, "hardware.media", media, LENGTH(media));
    h->media = i < 0 ? NULL : media[i];
    i = field_word(d, map, "hardware.layout", layouts, LENGTH(layouts));
    h->layout = i < 0 ? NULL : layouts[i];
    field_count(d, map, "hardware.disks", 1, 100000, &h->disks);
    field_text(d, map, "hardware.model", &h->model);
    field_rate(d, map, "hardware.disk_throughput", &h->disk_throughput);
    field_number(d, map, "hardware.disk_iops", 1, 1e9, &h->disk_iops);
    field_rate(d, map, "hardware.network", &h->network);
    field_bool(d, map, "hardware.strict", &h->strict);
}

/* ---- targets --------------------------------------------------------------------------------- */

/* Property values stay verbatim: "off" is a text, not a boolean. */
static void decode_settings(struct decoder *d, const struct conf *map, const char *path,
                            struct setting **settings, size_t *n) {
    const struct conf *node = field_node(map, path);
    if (!node)
        return;
    if (node->kind != CONF_MAP) {
        mistake(d, node->line, node->column, "%s needs properties, like {compression: lz4}",
                node->key);
        return;
    }
    *settings = arena_new(d->a, struct setting, node->n_items);
    for (size_t i = 0; i < node->n_items; i++) {
        struct field f;
        if (!*node->items[i].key)
            mistake(d, node->items[i].key_line, node->items[i].key_column,
                    "%s holds a property without a name", node->key);
        else if (field_of(d, &node->items[i], node->items[i].key, &f))
            (*settings)[(*n)++] = (struct setting){f.key, f.text};
    }
}

static void check_target_name(struct decoder *d, const struct conf *map,
                              const struct target_spec *targets, struct target_spec *t) {
    struct field f;
    field_name(d, map, "targets[].name", &t->name);
    if (!t->name || !field_read(d, map, "targets[].name", &f))
        return;
    if (strpbrk(t->name, "/="))
        field_mistake(d, &f, "must not hold / or =, so that --target NAME=PATH is clear");
    for (const struct target_spec *other = targets; other < t; other++)
        if (other->name && !strcmp(other->name, t->name))
            field_mistake(d, &f, "stands here twice, first in line %d", other->line);
}

static void decode_targets(struct decoder *d, const struct conf *root, struct profile *p) {
    const struct conf *list = field_list(d, root, "targets");
    if (!list)
        return;
    p->targets = arena_new(d->a, struct target_spec, list->n_items);
    for (size_t i = 0; i < list->n_items; i++) {
        const struct conf *map = &list->items[i];
        struct target_spec *t = &p->targets[p->n_targets++];
        struct field f;
        t->line = map->line;
        if (!section_check(d, map, "targets[]", KINDS))
            continue;
        check_target_name(d, map, p->targets, t);
        if (field_read(d, map, "targets[].path", &f)) {
            t->path = f.text;
            if (f.text[0] != '/')
                field_mistake(d, &f, "must be an absolute path");
        }
        decode_settings(d, map, "targets[].expect", &t->expect, &t->n_expect);
        decode_settings(d, map, "targets[].declares", &t->declares, &t->n_declares);
    }
}

/* SNIA SSS PTS 2.0, "steady state": a window of 5 rounds, looked for in at most 25. */
enum { STEADY_LEAST = 5, STEADY_MOST = 25 };

/* ---- run ------------------------------------------------------------------------------------- */

static void read_iterations(struct decoder *d, const struct conf *map, struct run_spec *r) {
    struct field f;
    int64_t low, high;
    if (!field_read(d, map, "run.iterations", &f))
        return;
    const char *dots = strstr(f.text, ".."), *reason;
    if (dots) {
        reason = unit_read_count(arena_copy(d->a, f.text, (size_t)(dots - f.text)), &low);
        if (!reason)
            reason = unit_read_count(dots + 2, &high);
        if (reason)
            reason = "is not a range, like 10..100";
    } else {
        reason = unit_read_count(f.text, &low);
        high = low;
    }
    if (reason)
        field_mistake(d, &f, "%s", reason);
    else if (low < 1 || high < 1)
        field_mistake(d, &f, "must be at least 1");
    else if (high > MOST_ITERATIONS)
        field_mistake(d, &f, "must be at most %d", MOST_ITERATIONS);
    else if (low > high)
        field_mistake(d, &f, "must begin with the smaller number");
    else {
        r->iterations_min = low;
        r->iterations_max = high;
    }
}

static void read_allow(struct decoder *d, const struct conf *map, struct run_spec *r) {
    static const char *const words[] = {"drop_caches", "raw_read"};
    const struct conf *list = field_list(d, map, "run.allow");
    for (size_t i = 0; list && i < list->n_items; i++) {
        struct field f;
        int word = field_of(d, &list->items[i], "allow", &f)
                       ? word_index(d, &f, words, LENGTH(words))
                       : -1;
        r->allow_drop_caches |= word == 0;
        r->allow_raw_read |= word == 1;
    }
}

static void decode_run(struct decoder *d, const struct conf *root, struct run_spec *r) {
    static const char *const orders[] = {"interleaved", "sequential"};
    static const char *const steady[] = {"snia"};
    const struct conf *map = field_node(root, "run");
    *r = (struct run_spec){
        .precision = NAN, .max_time = UNKNOWN, .max_written = UNKNOWN, .every = UNKNOWN};
    if (map && !section_check(d, map, "run", KINDS))
        return;
    read_iterations(d, map, r);
    /* What a fixed number would do with it is a guess: measure on, or stop early? */
    const struct conf *precision = field_node(map, "run.precision");
    if (r->iterations_min < r->iterations_max)
        field_percent(d, map, "run.precision", 0.01, 100, &r->precision);
    else if (precision && r->iterations_min > 0)
        mistake(d, precision->key_line, precision->key_column,
                "precision needs a range of iterations, like 10..100");
    field_int(d, map, "run.warmup", 0, MOST_WARMUPS, &r->warmup);
    r->interleaved = field_word(d, map, "run.order", orders, LENGTH(orders)) == 0;
    field_duration(d, map, "run.pause", true, &r->pause);
    field_duration(d, map, "run.max_time", false, &r->max_time);
    field_size(d, map, "run.max_written", 1, INT64_MAX, &r->max_written);
    field_duration(d, map, "run.every", false, &r->every);
    read_allow(d, map, r);
    r->steady_snia = field_word(d, map, "run.steady", steady, LENGTH(steady)) == 0;
    if (r->steady_snia && !field_node(map, "run.iterations")) {
        r->iterations_min = STEADY_LEAST;
        r->iterations_max = STEADY_MOST;
    }
}

/* ---- workloads ------------------------------------------------------------------------------- */

static void decode_workloads(struct decoder *d, const struct conf *root, struct profile *p) {
    const struct conf *list = field_list(d, root, "workloads");
    if (!list)
        return;
    p->workloads = arena_new(d->a, struct workload, list->n_items);
    for (size_t i = 0; i < list->n_items; i++) {
        struct workload *w = &p->workloads[p->n_workloads++];
        struct field f;
        workload_decode(d, &list->items[i], w);
        for (const struct workload *other = p->workloads; w->name && other < w; other++)
            if (other->name && !strcmp(other->name, w->name) &&
                field_read(d, &list->items[i], "workloads[].name", &f))
                field_mistake(d, &f, "stands here twice, first in line %d", other->line);
    }
}

/* ---- thresholds and requirements ------------------------------------------------------------- */

static int read_metric(struct decoder *d, const struct field *f) {
    const char *names[METRICS];
    for (size_t i = 0; i < METRICS; i++)
        names[i] = metrics[i].name;
    return word_index(d, f, names, METRICS);
}

static void decode_thresholds(struct decoder *d, const struct conf *root, struct profile *p) {
    const struct conf *map = field_node(root, "thresholds");
    if (!map)
        return;
    if (map->kind != CONF_MAP) {
        mistake(d, map->line, map->column, "thresholds needs metrics, like {throughput: 5%%}");
        return;
    }
    p->thresholds = arena_new(d->a, struct threshold, map->n_items);
    for (size_t i = 0; i < map->n_items; i++) {
        const struct conf *item = &map->items[i];
        struct field f = {"metric", item->key, item->key_line, item->key_column};
        double share = 0;
        int metric = read_metric(d, &f);
        if (metric < 0 || !field_of(d, item, item->key, &f))
            continue;
        const char *reason = unit_read_percent(f.text, &share);
        if (reason || share <= 0)
            field_mistake(d, &f, "%s", reason ? reason : "must be more than zero");
        else
            p->thresholds[p->n_thresholds++] = (struct threshold){metrics[metric].name, share};
    }
}

/* The value in the base unit of the metric. */
static const char *read_metric_value(const char *text, const char *unit, double *value) {
    int64_t ns;
    const char *reason;
    if (!strcmp(unit, "B/s"))
        return unit_read_rate(text, value);
    if (strcmp(unit, "s") && strcmp(unit, "ns"))
        return unit_read_number(text, value);
    reason = unit_read_duration(text, &ns);
    if (!reason)
        *value = !strcmp(unit, "s") ? (double)ns / (double)NS_PER_S : (double)ns;
    return reason;
}

static void read_limit(struct decoder *d, const struct conf *map, int metric,
                       struct requirement *r) {
    struct field f;
    bool least = field_node(map, "require[].at_least"), most = field_node(map, "require[].at_most");
    if (least == most) {
        mistake(d, map->line, map->column,
                least ? "at_least and at_most exclude each other in a requirement"
                      : "at_least or at_most is missing in a requirement");
        return;
    }
    r->at_least = least;
    if (!field_read(d, map, least ? "require[].at_least" : "require[].at_most", &f) || metric < 0)
        return;
    const char *reason = read_metric_value(f.text, metrics[metric].unit, &r->value);
    if (reason)
        field_mistake(d, &f, "%s", reason);
    else if (r->value <= 0)
        field_mistake(d, &f, "must be more than zero");
}

static const struct workload *read_workload_name(struct decoder *d, const struct conf *map,
                                                 const struct profile *p) {
    struct field f;
    if (!field_read(d, map, "require[].workload", &f) || p->n_workloads == 0)
        return NULL;
    const char **names = arena_new(d->a, const char *, p->n_workloads);
    for (size_t i = 0; i < p->n_workloads; i++)
        names[i] = p->workloads[i].name ? p->workloads[i].name : "";
    int i = word_index(d, &f, names, p->n_workloads);
    return i < 0 ? NULL : &p->workloads[i];
}

static void read_target_name(struct decoder *d, const struct conf *map, const struct profile *p,
                             struct requirement *r) {
    struct field f;
    if (!field_read(d, map, "require[].target", &f))
        return;
    r->target = f.text;
    if (p->n_targets == 0) /* any directory serves, --target names it */
        return;
    const char **names = arena_new(d->a, const char *, p->n_targets);
    for (size_t i = 0; i < p->n_targets; i++)
        names[i] = p->targets[i].name ? p->targets[i].name : "";
    word_index(d, &f, names, p->n_targets);
}

static void read_phase(struct decoder *d, const struct conf *map, const struct workload *w,
                       struct requirement *r) {
    const char *names[PHASES];
    struct field f;
    if (!field_read(d, map, "require[].phase", &f) || (w && w->n_phases == 0))
        return;
    for (size_t i = 0; i < PHASES; i++)
        names[i] = phases[i].name;
    int phase = word_index(d, &f, names, PHASES);
    if (phase < 0)
        return;
    r->phase = (enum phase)phase;
    for (size_t i = 0; w && i < w->n_phases; i++)
        if (w->phase[i] == r->phase)
            return;
    if (w && w->name)
        field_mistake(d, &f, "is not a phase of workload \"%s\"", w->name);
}

static void decode_requires(struct decoder *d, const struct conf *root, struct profile *p) {
    const struct conf *list = field_list(d, root, "require");
    if (!list)
        return;
    p->requires = arena_new(d->a, struct requirement, list->n_items);
    for (size_t i = 0; i < list->n_items; i++) {
        const struct conf *map = &list->items[i];
        struct requirement *r = &p->requires[p->n_requires++];
        struct field f;
        if (!section_check(d, map, "require[]", KINDS))
            continue;
        const struct workload *w = read_workload_name(d, map, p);
        r->workload = w ? w->name : NULL;
        read_target_name(d, map, p, r);
        read_phase(d, map, w, r);
        int metric = field_read(d, map, "require[].metric", &f) ? read_metric(d, &f) : -1;
        r->metric = metric < 0 ? NULL : metrics[metric].name;
        read_limit(d, map, metric, r);
        field_text(d, map, "require[].why", &r->why);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* False: of another version, about whose keys nothing can be said. */
static bool check_version(struct decoder *d, const struct conf *root) {
    struct field f;
    int64_t version;
    if (root->kind != CONF_MAP || !field_read(d, root, "zhist", &f))
        return true;
    const char *reason = unit_read_count(f.text, &version);
    if (!reason && version == FORMAT_VERSION)
        return true;
    if (!reason && version > FORMAT_VERSION)
        mistake(d, f.line, f.column, "format version %lld is newer than this zhist reads (%d)",
                (long long)version, FORMAT_VERSION);
    else
        field_mistake(d, &f, "is not a format version; write %d", FORMAT_VERSION);
    return false;
}

static void check_profile_name(struct decoder *d, const struct conf *root, struct profile *p) {
    struct field f;
    if (!field_read(d, root, "name", &f))
        return;
    p->name = f.text;
    if (strspn(f.text, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(f.text))
        field_mistake(d, &f, "must consist of a-z, 0-9 and -");
    else if (strlen(f.text) > LONGEST_NAME)
        field_mistake(d, &f, "must have at most %d letters", LONGEST_NAME);
}

static void check_alike(struct decoder *d, const struct profile *p) {
    enum phase phase;
    for (size_t i = 1; i < p->n_workloads; i++)
        for (size_t k = 0; k < i; k++)
            if (workload_alike(&p->workloads[k], &p->workloads[i], &phase)) {
                mistake(d, p->workloads[i].line, 1,
                        "workload \"%s\" measures the same as \"%s\" (line %d) in phase %s: name, "
                        "cold, keep and steady make no other series; give it another size, block, "
                        "jobs or the like, or a profile of its own",
                        p->workloads[i].name, p->workloads[k].name, p->workloads[k].line,
                        phases[phase].name);
                break;
            }
}

int profile_parse(struct arena *a, const char *name, const char *dir, const char *text, size_t len,
                  struct profile *p, struct err *e) {
    struct decoder d = {.a = a, .name = name, .dir = dir};
    struct conf root;
    *p = (struct profile){0};
    if (conf_parse(a, name, text, len, &root, e))
        return -1;
    if (check_version(&d, &root) && section_check(&d, &root, "", KINDS)) {
        check_profile_name(&d, &root, p);
        field_text(&d, &root, "about", &p->about);
        decode_hardware(&d, &root, &p->hardware);
        decode_targets(&d, &root, p);
        decode_run(&d, &root, &p->run);
        decode_workloads(&d, &root, p);
        decode_thresholds(&d, &root, p);
        decode_requires(&d, &root, p);
    }
    p->text = arena_copy(a, text, len);
    digest_hex(text, len, p->digest);
    if (mistakes_report(&d, e))
        return -1;
    for (size_t i = 0; i < p->n_workloads; i++)
        workload_identify(a, &p->workloads[i]);
    check_alike(&d, p);
    return mistakes_report(&d, e);
}
