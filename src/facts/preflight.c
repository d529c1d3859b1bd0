/*
 * preflight.c: the table of findings, and what must be said or refused before a run.
 *
 * Each finding is one sentence for a person: what was seen, with the number; what it means; what
 * to do. What cannot be known is never held against anybody. Must not measure, nor read anything:
 * the facts and the numbers are handed in. Whether the hardware fits: hardware.c.
 */
#include "preflight.h"

/* Shares of the file system that are left once the run's files lie there. */
static const double LOW_SPACE_SAY = 0.10;    /* allocators begin to search, fragments appear */
static const double LOW_SPACE_REFUSE = 0.05; /* ZFS turns to its slow search; others use it too */
/* Free bytes for each byte written: as much again stays for whoever else writes there. */
static const int64_t LOW_SPACE_TIMES = 2;

enum {
    SAY = 1 << SEVERITY_SAY,
    CLASS = 1 << SEVERITY_CLASS,
    SHAPE = 1 << SEVERITY_SHAPE,
    DISTURBED = 1 << SEVERITY_DISTURBED,
    REFUSE = 1 << SEVERITY_REFUSE,
};

/* clang-format off */
const struct finding_info finding_infos[] = {
    {"cached-reads",         CLASS, "reads were served from memory, not from the disks"},
    {"direct-ignored",       CLASS, "O_DIRECT was asked for and not in effect"},
    {"faster-than-hardware", CLASS, "faster than disks, link, or anything seen here before"},
    {"generator-bound",      CLASS, "making the data set the pace, not the storage"},
    {"single-depth-bound",   CLASS, "one request in flight set the pace, not the storage"},
    {"fits-dirty-limit",     CLASS, "all writes fitted into the write buffer, no flush"},
    {"compressible",         CLASS, "far less was allocated than written"},
    {"deduplicated",         CLASS, "far less was allocated than written, through dedup"},
    {"smr-disk",             CLASS, "a shingled disk: slow once its cache is full"},
    {"drift",                SHAPE, "the numbers moved one way over the iterations"},
    {"collapse",             SHAPE, "the rate broke down inside an iteration"},
    {"stall",                SHAPE, "nothing moved for a while inside an iteration"},
    {"burst",                SHAPE, "an iteration began much faster than it went on"},
    {"outliers",             SHAPE, "some iterations are far from the others"},
    {"first-differs",        SHAPE, "the first iteration is far from the others"},
    {"slow-disk",            SHAPE, "one disk is far slower than its siblings"},
    {"hot-disk",             SHAPE, "a disk was hotter than it should be"},
    {"throttled",            SHAPE, "the CPU or a disk throttled itself"},
    {"class-differs",        CLASS, "an iteration of another cache class than its cell"},
    {"engine-fallback",      CLASS, "another engine ran than was asked for"},
    {"contradiction",        DISTURBED, "rate, operations and size of an import disagree"},
    {"scan-running",         REFUSE | DISTURBED, "a scrub, resilver, trim or the like is running"},
    {"pool-degraded",        REFUSE | DISTURBED, "the pool is not healthy"},
    {"disk-errors",          DISTURBED, "error counters rose"},
    {"other-io",             DISTURBED, "somebody else used the disks"},
    {"moved-during-run",     DISTURBED, "a setting differs between the start and the end"},
    {"filled-by-run",        DISTURBED, "the run filled the file system by over 5 points"},
    {"low-space",            SAY | REFUSE, "too little space would be left"},
    {"other-dataset",        REFUSE, "another dataset lies under the path than last time"},
    {"new-dataset",          SAY, "the dataset was made anew since the last run"},
    {"snapshotted",          SAY | DISTURBED, "snapshots may keep what is written"},
    {"dedup-table-small",    SAY, "the dedup table is far smaller than the data planned"},
    {"fits-in-cache",        SAY, "the data fits into memory"},
    {"sync-disabled",        SAY, "sync=disabled: a flush does not wait for the disks"},
    {"atime-on",             SAY, "each read writes an access time"},
    {"recordsize-mismatch",  SAY, "blocks and records differ in size"},
    {"clock-unsynchronised", SAY, "nothing keeps the clock right"},
    {"virtual-machine",      SAY, "the machine shares its hardware"},
    {"db-on-target",         SAY, "the history lies on the file system that is measured"},
    {"hardware-mismatch",    SAY | REFUSE, "not the hardware the profile is written for"},
    {"hardware-unknown",     SAY, "whether the hardware fits cannot be told"},
    {"expect-unknown",       SAY, "whether the target is as expected cannot be told"},
    {"expect-differs",       REFUSE, "the target is not what the profile expects"},
    {"quick",                SAY, "sizes, times and iterations were capped"},
};
/* clang-format on */
const size_t n_finding_infos = LENGTH(finding_infos);

static struct finding *append(struct arena *a, struct finding_list *list, const char *code,
                              enum severity severity, int64_t target) {
    struct finding *f = array_add(a, list->items, list->n, list->cap);
    *f = (struct finding){
        .code = arena_str(a, code), .severity = severity, .target = target, .workload = UNKNOWN};
    return f;
}

void finding_add(struct arena *a, struct finding_list *list, const char *code,
                 enum severity severity, int64_t target, const char *text) {
    append(a, list, code, severity, target)->text = arena_str(a, text);
}

void finding_put(struct arena *a, struct finding_list *list, const char *code,
                 enum severity severity, int64_t target, const char *fmt, ...) {
    struct buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    append(a, list, code, severity, target)->text = arena_str(a, b.data);
    buf_release(&b);
}

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

/* ---- one function a question ----------------------------------------------------------------- */

static void low_space(struct arena *a, const struct preflight_ask *ask, size_t t,
                      struct finding_list *out) {
    const char *name = ask->target_names[t];
    const char *text = fact_value(facts_find(ask->sheet, "mount", (int64_t)t), "size");
    int64_t free_now = ask->free_bytes[t], needed = ask->needed_bytes[t], size = UNKNOWN;
    if (text && unit_read_count(text, &size))
        size = UNKNOWN;
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

/* Properties are known where there is a set of kind dataset for the target. */
static void expect(struct arena *a, const struct preflight_ask *ask, size_t t,
                   struct finding_list *out) {
    const struct target_spec *spec = target_spec_of(ask, t);
    const struct factset *dataset = facts_find(ask->sheet, "dataset", (int64_t)t);
    const char *fstype = fact_value(facts_find(ask->sheet, "mount", (int64_t)t), "fstype");
    struct buf unknown = {0}, differs = {0};
    for (size_t i = 0; spec && i < spec->n_expect; i++) {
        const struct setting *want = &spec->expect[i];
        const char *value = fact_value(dataset, want->key);
        if (!value)
            buf_fmt(&unknown, "%s%s: %s", unknown.len ? ", " : "", want->key, want->value);
        else if (strcmp(value, want->value))
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
        expect(a, ask, t, out);
        db_on_target(a, ask, t, out);
    }
    hardware_check(a, ask, out);
}
