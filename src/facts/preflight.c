/*
 * preflight.c: what must be said or refused before a run: room, what the profile expects, the
 * machine. The pool: preflight_pool.c; the dataset: preflight_dataset.c; others' I/O: busy.c;
 * whether the hardware fits: hardware.c.
 *
 * Each finding is one sentence for a person: what was seen, with the number; what it means; what
 * to do. What cannot be known is never held against anybody. Must not measure, nor read anything:
 * the facts and the numbers are handed in.
 */
#include "preflight.h"

/* Shares of the file system that are left once the run's files lie there. */
const double LOW_SPACE_SAY = 0.10;    /* allocators begin to search, fragments appear */
const double LOW_SPACE_REFUSE = 0.05; /* ZFS turns to its slow search; others use it too */
/* Free bytes for each byte written: as much again stays for whoever else writes there. */
static const int64_t LOW_SPACE_TIMES = 2;

const char *size_text(struct arena *a, int64_t bytes) {
    struct buf b = {0};
    unit_put(&b, (double)bytes, "B", UNITS_IEC);
    const char *text = arena_str(a, b.data);
    buf_release(&b);
    return text;
}

const struct target_spec *target_spec_of(const struct preflight_ask *ask, size_t target) {
    const struct profile *p = ask->profile;
    for (size_t i = 0; i < p->n_targets; i++) {
        const char *name = p->targets[i].name ? p->targets[i].name : p->targets[i].path;
        if (name && !strcmp(name, ask->target_names[target]))
            return &p->targets[i];
    }
    return NULL;
}

const struct factset *pool_of(const struct fact_sheet *sheet, size_t target) {
    return facts_find(sheet, "pool", (int64_t)target);
}

int64_t fact_count(const struct factset *set, const char *key) {
    const char *text = fact_value(set, key);
    int64_t count;
    return text && !unit_read_count(text, &count) ? count : UNKNOWN;
}

bool fact_is(const struct factset *set, const char *key, const char *value) {
    const char *text = fact_value(set, key);
    return text && !strcmp(text, value);
}

const char *fact_why(const struct factset *set, const char *key) {
    for (size_t i = 0; set && i < set->n_facts; i++)
        if (!strcmp(set->facts[i].key, key))
            return set->facts[i].value ? NULL : set->facts[i].source;
    return NULL;
}

/* ---- one function a question ----------------------------------------------------------------- */

static void low_space(struct arena *a, const struct preflight_ask *ask, size_t t,
                      struct finding_list *out) {
    const char *name = ask->target_names[t];
    int64_t free_now = ask->free_bytes[t], needed = ask->needed_bytes[t];
    int64_t size = fact_count(facts_find(ask->sheet, "mount", (int64_t)t), "size");
    if (free_now == UNKNOWN) {
        finding_put(a, out, "low-space", SEVERITY_SAY, (int64_t)t,
                    "the free space of '%s' could not be read: the run may stop when it is full; "
                    "look with df first",
                    name);
        return;
    }
    if (needed == UNKNOWN)
        needed = 0;
    bool twice = needed > free_now / LOW_SPACE_TIMES;
    double left = (double)free_now - (double)needed;
    double share = size > 0 ? left / (double)size : 1; /* without a size no share is low */
    if (!twice && share >= LOW_SPACE_SAY)
        return;
    const char *has = size_text(a, free_now), *needs = size_text(a, needed);
    if (twice) {
        finding_put(a, out, "low-space", SEVERITY_REFUSE, (int64_t)t,
                    "'%s' has %s free and %s will lie there at once: twice that must be free, so "
                    "that nobody else's writes fail; make room, or a smaller `size` or `total`",
                    name, has, needs);
        return;
    }
    bool refuse = share < LOW_SPACE_REFUSE;
    finding_put(a, out, "low-space", refuse ? SEVERITY_REFUSE : SEVERITY_SAY, (int64_t)t,
                "'%s' has %s free, and with the %s of the run on it %.1f %% of its %s: a file "
                "system that full %s; make room, or measure elsewhere",
                name, has, needs, 100 * share, size_text(a, size),
                refuse ? "is busy searching for space, and others on it may run out of it"
                       : "is slower than it was when it had room");
}

static void db_on_target(struct arena *a, const struct preflight_ask *ask, size_t t,
                         struct finding_list *out) {
    if (ask->db_on_target[t])
        finding_put(a, out, "db-on-target", SEVERITY_SAY, (int64_t)t,
                    "the history lies on the same file system as '%s': it is written between the "
                    "iterations and flushed with them, so small numbers carry some of it; keep "
                    "it elsewhere with --db",
                    ask->target_names[t]);
}

/* Sizes are read exactly (131072) and written by people (128K); no limit is both 0 and none. */
static bool as_expected(const char *value, const char *want) {
    int64_t x, y;
    if (!strcmp(value, want))
        return true;
    if (!strcmp(value, "0") || !strcmp(want, "0"))
        return !strcmp(value, "none") || !strcmp(want, "none");
    return !unit_read_size(value, &x) && !unit_read_size(want, &y) && x == y;
}

/* Properties are known where there is a set of kind dataset for the target. */
static void expect(struct arena *a, const struct preflight_ask *ask, size_t t,
                   struct finding_list *out) {
    const struct target_spec *spec = target_spec_of(ask, t);
    const struct factset *dataset = facts_dataset(ask->sheet, (int64_t)t);
    const char *fstype = fact_value(facts_find(ask->sheet, "mount", (int64_t)t), "fstype");
    struct buf unknown = {0}, differs = {0};
    for (size_t i = 0; spec && i < spec->n_expect; i++) {
        const struct setting *want = &spec->expect[i];
        const char *value = fact_value(dataset, want->key);
        if (!value)
            buf_fmt(&unknown, "%s%s: %s", unknown.len ? ", " : "", want->key, want->value);
        else if (!as_expected(value, want->value))
            buf_fmt(&differs, "%s%s is '%s', not '%s'", differs.len ? ", " : "", want->key, value,
                    want->value);
    }
    if (differs.len)
        finding_put(a, out, "expect-differs", SEVERITY_REFUSE, (int64_t)t,
                    "'%s' is not what the profile expects: %s; the numbers would stand under the "
                    "wrong name; set the property, or correct `expect`",
                    ask->target_names[t], differs.data);
    if (unknown.len)
        finding_put(a, out, "expect-unknown", SEVERITY_SAY, (int64_t)t,
                    "'%s' is expected to have {%s}, which cannot be read on %s here: it is "
                    "measured as it is, unchecked; look yourself, or move it to `declares`",
                    ask->target_names[t], unknown.data, fstype ? fstype : "this file system");
    buf_release(&unknown);
    buf_release(&differs);
}

static void machine(struct arena *a, const struct preflight_ask *ask, struct finding_list *out) {
    const struct factset *host = facts_find(ask->sheet, "system", UNKNOWN);
    const char *kind = fact_value(host, "virtual");
    const char *clock = fact_value(host, "clock_synchronised");
    if (kind && strcmp(kind, "no"))
        finding_put(a, out, "virtual-machine", SEVERITY_SAY, UNKNOWN,
                    "this is a virtual machine%s%s%s: neighbours and the cache of its host are in "
                    "the numbers, and what it says of its disks is what the host shows; compare "
                    "only with runs on this very machine",
                    strcmp(kind, "yes") ? " (" : "", strcmp(kind, "yes") ? kind : "",
                    strcmp(kind, "yes") ? ")" : "");
    if (clock && !strcmp(clock, "no"))
        finding_put(a, out, "clock-unsynchronised", SEVERITY_SAY, UNKNOWN,
                    "the kernel says that nothing keeps the clock right: durations are not "
                    "touched, but the date of this run may be wrong and runs may sort wrongly; "
                    "start chrony or another NTP client");
}

void preflight(struct arena *a, const struct preflight_ask *ask, struct finding_list *out) {
    if (ask->quick)
        finding_put(a, out, "quick", SEVERITY_SAY, UNKNOWN,
                    "--quick capped sizes, times and iterations: good for trying things, not for "
                    "conclusions; these workloads are series of their own, leave --quick out to "
                    "measure");
    machine(a, ask, out);
    for (size_t t = 0; t < ask->n_targets; t++) {
        low_space(a, ask, t, out);
        pool_check(a, ask, t, out);
        dataset_check(a, ask, t, out);
        expect(a, ask, t, out);
        busy_check(a, ask, t, out);
        db_on_target(a, ask, t, out);
    }
    load_check(a, ask, out);
    hardware_check(a, ask, out);
    findings_join(a, out, ask->target_names);
    findings_merge(out, ask->n_targets);
}
