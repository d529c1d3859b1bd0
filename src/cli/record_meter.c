/*
 * record_meter.c: what is counted while a run measures: a meter a target, told from the facts what
 * to look at; and the controls, which count nothing of the storage.
 */
#include <math.h>

#include "recorder.h"
#include "zhist/control.h"

static const struct factset *set_of(const struct recorder *r, const char *kind, size_t target) {
    return facts_find(r->run.facts, kind, (int64_t)target);
}

static enum storage storage_of(const char *fstype, const char *backing, const char *dataset) {
    if (dataset && fstype && !strcmp(fstype, "zfs"))
        return STORAGE_ZFS;
    if (!backing)
        return STORAGE_UNKNOWN;
    return !strcmp(backing, "memory")    ? STORAGE_MEMORY
           : !strcmp(backing, "network") ? STORAGE_NETWORK
                                         : STORAGE_DISKS; /* a zvol's disks are its pool's */
}

/* A space, tab, line feed or backslash in a name is written as \ooo there. */
static const char *escaped(struct arena *a, const char *text) {
    struct buf b = {0};
    for (const char *c = text; *c; c++)
        if (strchr(" \t\n\\", *c))
            buf_fmt(&b, "\\%03o", (unsigned)*c);
        else
            buf_fmt(&b, "%c", *c);
    text = arena_str(a, b.data ? b.data : "");
    buf_release(&b);
    return text;
}

static struct meter_spec spec_of(struct recorder *r, size_t t) {
    struct arena *a = r->call->arena;
    const struct factset *mount = set_of(r, "mount", t), *pool = set_of(r, "pool", t);
    const struct factset *dataset = facts_dataset(r->run.facts, (int64_t)t);
    const char *fstype = fact_value(mount, "fstype"), *disks = fact_value(pool, "disks");
    const char *source = fact_value(mount, "source"), *point = fact_value(mount, "mount_point");
    struct meter_spec spec = {.path = r->plan->paths[t],
                              .pool = fact_value(pool, "name"),
                              .dataset = fact_value(dataset, "name"),
                              .disks = disks ? disks : fact_value(mount, "disks")};
    spec.storage = storage_of(fstype, fact_value(mount, "backing"), spec.dataset);
    if (fstype && source && point && !strncmp(fstype, "nfs", 3))
        spec.nfs_device = arena_fmt(a, "%s mounted on %s", escaped(a, source), escaped(a, point));
    return spec;
}

void record_meters_open(struct recorder *r) {
    r->storage = arena_new(r->call->arena, enum storage, r->plan->n_targets);
    r->disks = arena_new(r->call->arena, const char *, r->plan->n_targets);
    r->meters = arena_new(r->call->arena, struct meter *, r->plan->n_targets);
    for (size_t t = 0; t < r->plan->n_targets; t++) {
        struct meter_spec spec = spec_of(r, t);
        r->storage[t] = spec.storage;
        r->disks[t] = spec.disks;
        r->meters[t] = meter_open(r->call->arena, &spec);
    }
}

void record_meters_close(struct recorder *r) {
    for (size_t t = 0; r->meters && t < r->plan->n_targets; t++)
        meter_close(r->meters[t]);
    r->meters = NULL;
}

/* ---- controls ----------------------------------------------------------------------------------
 */

static void add_control(struct arena *a, struct factset *set, const char *key, double value,
                        const char *source) {
    fact_add(a, set, key, isfinite(value) ? arena_fmt(a, "%.0f", value) : NULL, source);
}

static struct factset *own_set(struct recorder *r, const char *kind, int64_t target) {
    struct fact_sheet *sheet = &r->survey.sheet;
    for (size_t i = 0; i < sheet->n_sets; i++)
        if (sheet->sets[i].target == target && !strcmp(sheet->sets[i].kind, kind))
            return &sheet->sets[i];
    return NULL;
}

/* The first disk of a target stands for its siblings. */
static void raw_read(struct recorder *r, size_t t) {
    struct arena *a = &r->survey.arena;
    struct factset *pool = own_set(r, "pool", (int64_t)t);
    struct factset *set = pool ? pool : own_set(r, "mount", (int64_t)t);
    const char *disks = fact_value(set, "disks");
    struct err e = {.text = "its disks are unknown"};
    double rate = (double)NAN;
    if (!set)
        return;
    if (disks)
        rate = control_raw_read(arena_copy(a, disks, strcspn(disks, " ")), &e);
    add_control(a, set, "control_raw_read", rate,
                isfinite(rate) ? "measured" : arena_str(a, e.text));
    factset_seal(set);
}

void record_controls(struct recorder *r) {
    struct arena *a = &r->survey.arena;
    struct factset *host = own_set(r, "system", UNKNOWN);
    struct controls c;
    controls_measure(&c);
    r->generator = c.generator;
    add_control(a, host, "control_generator", c.generator, "measured");
    add_control(a, host, "control_memory_copy", c.memory_copy, "measured");
    add_control(a, host, "control_timer", c.timer, "measured");
    add_control(a, host, "control_timer_cost", c.timer_cost, "measured");
    factset_seal(host);
    for (size_t t = 0; r->plan->profile.run.allow_raw_read && t < r->plan->n_targets; t++)
        raw_read(r, t);
}
