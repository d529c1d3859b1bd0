/*
 * unit_postflight.c: what is said of a run afterwards, from two sheets; and that nothing is said
 * of an hour in which only what always moves has moved.
 */
#include "../src/facts/preflight.h"
#include "check.h"

static struct arena arena;
static const char *const names[] = {"plain", "other"};

struct boxes {
    struct fact_sheet before, after;
};

static void put(struct fact_sheet *sheet, const char *kind, int64_t target, const char *key,
                const char *value) {
    struct factset *set = NULL;
    for (size_t i = 0; i < sheet->n_sets; i++)
        if (!strcmp(sheet->sets[i].kind, kind) && sheet->sets[i].target == target)
            set = &sheet->sets[i];
    if (!set)
        set = factset_add(&arena, sheet, kind, "", target);
    fact_add(&arena, set, key, value, value ? "test" : "the test hides it");
}

static void fill(struct fact_sheet *sheet, int64_t n) {
    for (int64_t t = 0; t < n; t++) {
        put(sheet, "mount", t, "size", "1000000");
        put(sheet, "mount", t, "used", "100000");
        put(sheet, "dataset", t, "name", "tank/plain");
        put(sheet, "dataset", t, "snapshots", "3");
        put(sheet, "dataset", t, "snapshot_newest", "auto-3");
        put(sheet, "pool", t, "name", "tank");
        put(sheet, "pool", t, "health", "ONLINE");
        put(sheet, "pool", t, "scan", "scrub finished");
        put(sheet, "pool", t, "scan_started", "1000");
        put(sheet, "pool", t, "scan_ended", "2000");
        put(sheet, "pool", t, "read_errors", "0");
        put(sheet, "pool", t, "write_errors", "0");
        put(sheet, "pool", t, "checksum_errors", "2");
        put(sheet, "pool", t, "size", "1000000");
        put(sheet, "pool", t, "allocated", "500000");
        put(sheet, "pool", t, "freeing", "0");
    }
}

static struct boxes *boxes(int64_t n) {
    struct boxes *b = arena_new(&arena, struct boxes, 1);
    fill(&b->before, n);
    fill(&b->after, n);
    return b;
}

static struct finding_list run(struct boxes *b, size_t n) {
    struct finding_list out = {0};
    postflight(&arena, &b->before, &b->after, names, n, &out);
    for (size_t i = 0; i < out.n; i++) {
        printf("# %s %s %lld: %s\n", out.items[i].code, severity_names[out.items[i].severity],
               (long long)out.items[i].target, out.items[i].text);
        if (out.items[i].severity != SEVERITY_DISTURBED &&
            strcmp(out.items[i].code, "scan-unknown"))
            CHECK("all of it is from outside", 0);
    }
    return out;
}

/* A fact that is `was` before and `is` after. */
static bool moves(const char *kind, const char *key, const char *was, const char *is,
                  const char *code) {
    struct boxes *b = boxes(1);
    put(&b->before, kind, 0, key, was);
    put(&b->after, kind, 0, key, is);
    struct finding_list l = run(b, 1);
    return *code ? l.n == 1 && !strcmp(l.items[0].code, code) && l.items[0].target == 0 : l.n == 0;
}

static void scans(void) {
    CHECK("nothing moved", run(boxes(1), 1).n == 0);
    CHECK("a scrub runs at the end",
          moves("pool", "scan", "scrub finished", "scrub running", "scan-running"));
    CHECK("one began and ended in between",
          moves("pool", "scan_ended", "2000", "3000", "scan-running"));
    CHECK("the first of the pool", moves("pool", "scan", "none", "scrub finished", "scan-running"));
    CHECK("one was paused", moves("pool", "scan", "scrub running", "scrub paused", "scan-running"));
    CHECK("one went on and was paused again",
          moves("pool", "scan_done", "0.25", "0.5", "scan-running"));
    CHECK("one stays paused", moves("pool", "scan", "scrub paused", "scrub paused", ""));
    CHECK("unknown at the end", moves("pool", "scan", "scrub finished", NULL, "scan-unknown"));
    CHECK("unknown all the time: said before", moves("pool", "scan", NULL, NULL, ""));
    CHECK("unknown at the start", moves("pool", "scan", NULL, "scrub finished", ""));
    CHECK("unknown at the start, runs at the end",
          moves("pool", "scan", NULL, "scrub running", "scan-running"));
    CHECK("a trim at the end", moves("pool", "trim", "no", "yes", "scan-running"));
    CHECK("a trim that ended", moves("pool", "trim", "yes", "no", "scan-running"));
    struct boxes *b = boxes(2);
    put(&b->after, "pool", 0, "scan", "scrub running");
    put(&b->after, "pool", 1, "scan", "scrub running");
    struct finding_list l = run(b, 2);
    CHECK("of both targets: once", l.n == 1 && l.items[0].target == UNKNOWN);
    put(&b->after, "pool", 1, "scan", "scrub finished");
    l = run(b, 2);
    CHECK("of one of two: of that one", l.n == 1 && l.items[0].target == 0);
}

static void whole(void) {
    CHECK("a disk went", moves("pool", "health", "ONLINE", "DEGRADED", "pool-degraded"));
    CHECK("one came back", moves("pool", "health", "DEGRADED", "ONLINE", "pool-degraded"));
    CHECK("degraded all the time: said before",
          moves("pool", "health", "DEGRADED", "DEGRADED", ""));
    CHECK("unknown, then degraded", moves("pool", "health", NULL, "DEGRADED", "pool-degraded"));
    CHECK("unknown at the end", moves("pool", "health", "ONLINE", NULL, ""));
    CHECK("suspended", moves("pool", "suspended", "no", "yes", "pool-degraded"));
    CHECK("read errors", moves("pool", "read_errors", "0", "3", "disk-errors"));
    CHECK("more checksum errors", moves("pool", "checksum_errors", "2", "4", "disk-errors"));
    CHECK("cleared", moves("pool", "checksum_errors", "2", "0", ""));
    CHECK("not known before", moves("pool", "write_errors", NULL, "4", ""));
    CHECK("no number", moves("pool", "write_errors", "0", "1.2K", ""));
}

static void room(void) {
    CHECK("5 points", moves("pool", "allocated", "500000", "550000", ""));
    CHECK("more", moves("pool", "allocated", "500000", "550001", "filled-by-run"));
    CHECK("less", moves("pool", "allocated", "500000", "440000", "filled-by-run"));
    CHECK("unknown", moves("pool", "allocated", "500000", NULL, ""));
    CHECK("what others keep in the dataset's pool counts, not its own size",
          moves("mount", "used", "100000", "900000", ""));
    struct boxes *b = boxes(1);
    put(&b->after, "pool", 0, "allocated", "900000");
    put(&b->after, "pool", 0, "freeing", "400000");
    CHECK("what is being freed is gone", run(b, 1).n == 0);
    b = arena_new(&arena, struct boxes, 1);
    put(&b->before, "mount", 0, "size", "1000000");
    put(&b->before, "mount", 0, "used", "100000");
    put(&b->after, "mount", 0, "size", "1000000");
    put(&b->after, "mount", 0, "used", "150000");
    CHECK("ext4: 5 points", run(b, 1).n == 0);
    put(&b->after, "mount", 0, "used", "150001");
    struct finding_list l = run(b, 1);
    CHECK("ext4: more", l.n == 1 && !strcmp(l.items[0].code, "filled-by-run"));
    CHECK("with both",
          l.n && strstr(l.items[0].text, "10.0 %") && strstr(l.items[0].text, "15.0 %"));
}

static void snapshots(void) {
    CHECK("one more", moves("dataset", "snapshots", "3", "4", "snapshotted"));
    CHECK("one taken, one gone",
          moves("dataset", "snapshot_newest", "auto-3", "auto-4", "snapshotted"));
    CHECK("the property", moves("dataset", "snapshots_changed", "1000", "2000", "snapshotted"));
    CHECK("unknown", moves("dataset", "snapshots", "3", NULL, ""));
    struct boxes *b = boxes(1);
    b->after.n_sets = 1; /* only the mount: the dataset was destroyed */
    CHECK("the dataset is gone", run(b, 1).n == 0);
    b = boxes(1);
    put(&b->before, "dataset", 0, "compression", "lz4");
    put(&b->after, "dataset", 0, "compression", "zstd");
    struct finding_list l = run(b, 1);
    CHECK("settings that moved are among it",
          l.n == 1 && !strcmp(l.items[0].code, "moved-during-run"));
}

static void merge(void) {
    struct finding_list l = {0};
    finding_add(&arena, &l, "drift", SEVERITY_SHAPE, 0, "a");
    finding_add(&arena, &l, "drift", SEVERITY_SHAPE, 1, "b");
    finding_add(&arena, &l, "drift", SEVERITY_SHAPE, 1, "a");
    finding_add(&arena, &l, "drift", SEVERITY_DISTURBED, 1, "a");
    finding_add(&arena, &l, "stall", SEVERITY_SHAPE, UNKNOWN, "a");
    findings_merge(&l, 2);
    CHECK("two targets, the same words: one of the run, in its place",
          l.n == 4 && l.items[0].target == UNKNOWN && l.items[1].target == 1 &&
              !strcmp(l.items[1].text, "b") && l.items[2].severity == SEVERITY_DISTURBED);
    findings_merge(&l, 2);
    CHECK("again: nothing more", l.n == 4);
    struct finding_list one = {0};
    finding_add(&arena, &one, "drift", SEVERITY_SHAPE, 0, "a");
    findings_merge(&one, 1);
    CHECK("one target keeps its own", one.n == 1 && one.items[0].target == 0);
}

int main(void) {
    scans();
    whole();
    room();
    snapshots();
    merge();
    arena_release(&arena);
    return check_done();
}
