/*
 * findings.c: the table of findings and the list they are put into.
 *
 * Every code that zhist can say is a row here, with the severities it may have. Who decides that
 * something is to be said: preflight*.c and hardware.c before a run, postflight.c after it.
 */
#include "preflight.h"

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
    {"scan-running",         REFUSE | DISTURBED, "a scrub, resilver, trim or the like"},
    {"scan-paused",          SAY, "a scrub that waits to be taken up again"},
    {"scan-unknown",         SAY | REFUSE, "whether a scrub or resilver runs cannot be told"},
    {"pool-degraded",        REFUSE | DISTURBED, "the pool is not healthy"},
    {"pool-suspended",       REFUSE, "every access to the pool hangs, forced or not"},
    {"disk-errors",          DISTURBED, "error counters rose"},
    {"other-io",             SAY | DISTURBED, "somebody else used the disks or the CPUs"},
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

bool finding_passes(const struct finding *f) {
    return f->severity >= SEVERITY_DISTURBED &&
           (!strcmp(f->code, "scan-running") || !strcmp(f->code, "scan-unknown") ||
            !strcmp(f->code, "other-io"));
}

bool finding_stands(const struct finding *f, bool forced) {
    return f->severity == SEVERITY_REFUSE && (!forced || !strcmp(f->code, "pool-suspended"));
}

static bool finding_same(const struct finding *x, const struct finding *y) {
    return !strcmp(x->code, y->code) && x->severity == y->severity && !strcmp(x->text, y->text) &&
           x->workload == y->workload;
}

/* Where " on 'NAME'" stands in the text, and behind it; NULL: nowhere. */
static const char *place_of(const struct finding *f, const char *const *names, size_t *len) {
    struct buf b = {0};
    buf_fmt(&b, " on '%s'", names[f->target]);
    const char *at = strstr(f->text, b.data);
    *len = b.len;
    buf_release(&b);
    return at;
}

/* Do they say the same of their targets, each by its name? */
static bool says_the_same(const struct finding *x, const struct finding *y,
                          const char *const *names) {
    size_t n, m;
    if (strcmp(x->code, y->code) || y->severity != SEVERITY_SAY || y->target == UNKNOWN)
        return false;
    const char *at = place_of(x, names, &n), *to = place_of(y, names, &m);
    return at && to && at - x->text == to - y->text &&
           !strncmp(x->text, y->text, (size_t)(at - x->text)) && !strcmp(at + n, to + m);
}

void findings_join(struct arena *a, struct finding_list *list, const char *const *names) {
    for (size_t i = 0; i < list->n; i++) {
        struct finding *f = &list->items[i];
        struct buf named = {0};
        size_t len, to = i + 1;
        if (f->severity != SEVERITY_SAY || f->target == UNKNOWN)
            continue;
        for (size_t k = i + 1; k < list->n; k++)
            if (says_the_same(f, &list->items[k], names))
                buf_fmt(&named, ", '%s'", names[list->items[k].target]);
            else
                list->items[to++] = list->items[k];
        list->n = to;
        if (named.len) {
            const char *end = place_of(f, names, &len) + len;
            f->text = arena_fmt(a, "%.*s%s%s", (int)(end - f->text), f->text, named.data, end);
            f->target = UNKNOWN;
        }
        buf_release(&named);
    }
}

void findings_merge(struct finding_list *list, size_t n_targets) {
    for (size_t i = 0; i < list->n && n_targets > 1; i++) {
        struct finding *f = &list->items[i];
        size_t same = 0;
        for (size_t k = i; k < list->n && f->target != UNKNOWN; k++)
            same += finding_same(f, &list->items[k]) && list->items[k].target != UNKNOWN;
        if (same < n_targets)
            continue;
        size_t to = i + 1;
        for (size_t k = i + 1; k < list->n; k++)
            if (list->items[k].target == UNKNOWN || !finding_same(f, &list->items[k]))
                list->items[to++] = list->items[k];
        list->n = to;
        f->target = UNKNOWN;
    }
}
