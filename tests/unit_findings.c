/*
 * unit_findings.c: from what was judged of iterations to the findings of a cell: each finding once
 * provoked and once not, with its severity, its numbers and what to do; and the cell itself.
 */
#include <math.h>

#include "../src/cli/recorder.h"
#include "../src/measure/kind.h"
#include "check.h"
#include "zhist/command.h"

enum { N = 12 };

/* Of main.c: nothing is printed here. */
int print_out(const struct buf *text, struct err *e) {
    (void)text, (void)e;
    return 0;
}
void print_note(const char *fmt, ...) {
    (void)fmt;
}

static struct arena arena;
static struct recorder r;
static struct command_call call;
static struct plan plan;
static struct workload work;
static struct work run_work, *works[] = {&run_work};
static struct judged judged[N];
static struct finding_list found;
static const char *names[] = {"tank"};
static int64_t sizes[] = {INT64_C(1) << 30};
static enum storage storage[] = {STORAGE_ZFS};

static struct series *series(enum phase phase) {
    return recorder_series(&r, 0, 0, phase);
}

/* A calm run of N iterations: cold reads or writes at 100 MB/s. */
static void calm(void) {
    found = (struct finding_list){0};
    call = (struct command_call){.arena = &arena};
    work = (struct workload){.name = "stream",
                             .kind = KIND_FILE,
                             .phase = {PHASE_READ},
                             .n_phases = 1,
                             .block = 1 << 20,
                             .jobs = 1,
                             .depth = 1,
                             .flush = FLUSH_END,
                             .data = {.compress = 1}};
    plan = (struct plan){.names = names, .n_targets = 1, .sizes = sizes};
    plan.profile.workloads = &work;
    plan.profile.n_workloads = 1;
    r = (struct recorder){.call = &call, .plan = &plan, .works = works, .storage = storage};
    run_work = (struct work){.engine = ENGINE_PSYNC};
    r.series = arena_new(&arena, struct series, PHASES);
    r.known = arena_new(&arena, struct known_target, 1);
    witness_context(&r.known[0].context);
    r.known[0].context.expansion = 2;
    r.known[0].dirty_limit = INT64_C(4) << 30;
    r.known[0].ceiling = (struct ceiling){200e6, 200e6, CEILING_DISKS};
    for (int i = 0; i < N; i++) {
        struct judged *j = &judged[i];
        *j = (struct judged){.ordinal = i + 1,
                             .bytes = 1 << 30,
                             .counted = true,
                             .bound = BOUND_DISK,
                             .evidence = "{}",
                             .occupied = NAN,
                             .value = 100e6 + 1e5 * (double)(i % 3),
                             .rate = 100e6};
        j->witness.class = CACHE_COLD;
        j->witness.cached = 0;
        j->witness.direct = EFFECT_NO;
        j->witness.direct_why = "the bytes went through the cache";
        j->witness.numbers.stored_ratio = 1;
        j->witness.numbers.write_expansion = 2.05;
    }
}

/* The codes of what is found, joined by ' '. */
static const char *codes(enum phase phase) {
    struct series *s = series(phase);
    struct buf b = {0};
    work.phase[0] = phase;
    s->judged = judged;
    s->n_judged = N;
    s->started = true;
    record_judge_cell(&r, s);
    record_cell_findings(&r, 0, 0, phase, &found);
    for (size_t i = 0; i < found.n; i++)
        buf_fmt(&b, "%s%s", b.len ? " " : "", found.items[i].code);
    const char *text = arena_str(&arena, b.data ? b.data : "");
    buf_release(&b);
    return text;
}

static bool told(size_t i, enum severity severity, const char *words) {
    bool ok = i < found.n && found.items[i].severity == severity &&
              strstr(found.items[i].text, words) != NULL;
    if (!ok)
        printf("# %s\n", i < found.n ? found.items[i].text : "no finding");
    return ok;
}

static void test_calm(void) {
    calm();
    CHECK_TEXT("a calm read has none", codes(PHASE_READ), "");
    CHECK_TEXT("its class", series(PHASE_READ)->cell.class, "cold");
    CHECK_TEXT("what bound it", series(PHASE_READ)->cell.bound_by, "disk");
    CHECK_TEXT("O_DIRECT", series(PHASE_READ)->cell.direct_effect, "no");
    calm();
    CHECK_TEXT("a calm write has none", codes(PHASE_WRITE), "");
    calm();
    for (int i = 0; i < N; i++)
        judged[i].counted = i > 0; /* a warm-up that came from memory */
    judged[0].witness.class = CACHE_CACHED;
    CHECK_TEXT("a warm-up does not count", codes(PHASE_READ), "");
    CHECK_TEXT("nor for the class", series(PHASE_READ)->cell.class, "cold");
}

static void test_memory(void) {
    calm();
    for (int i = 0; i < N; i++) {
        judged[i].witness.class = CACHE_CACHED;
        judged[i].witness.cached = 0.99;
    }
    CHECK_TEXT("reads from memory", codes(PHASE_READ), "cached-reads");
    CHECK("with its number and a way out",
          told(0, SEVERITY_CLASS, "99 % of the bytes came from memory") &&
              told(0, SEVERITY_CLASS, "keep: true (1.07 GB"));
    calm();
    for (int i = 0; i < N; i++)
        judged[i].witness.class = CACHE_CACHED;
    storage[0] = STORAGE_MEMORY;
    CHECK_TEXT("of a file system in memory it is no news", codes(PHASE_READ), "");
    storage[0] = STORAGE_ZFS;
    calm();
    judged[4].witness.class = CACHE_CACHED;
    CHECK_TEXT("one that differs", codes(PHASE_READ), "class-differs");
    CHECK("which one", told(0, SEVERITY_CLASS, "iteration 5 (cached)"));
    calm();
    for (int i = 0; i < N; i += 2)
        judged[i].witness.class = CACHE_CACHED;
    CHECK_TEXT("half and half is partial, and none differs", codes(PHASE_READ), "");
    CHECK_TEXT("partial", series(PHASE_READ)->cell.class, "partial");
    calm();
    work.direct = true;
    CHECK_TEXT("O_DIRECT without effect", codes(PHASE_READ), "direct-ignored");
    CHECK("why", told(0, SEVERITY_CLASS, "the bytes went through the cache"));
    calm();
    work.direct = true;
    for (int i = 0; i < N; i++)
        judged[i].witness.direct = EFFECT_YES;
    CHECK_TEXT("O_DIRECT with effect", codes(PHASE_READ), "");
}

static void test_pace(void) {
    calm();
    for (int i = 0; i < N; i++)
        judged[i].bound = BOUND_GENERATOR;
    CHECK_TEXT("the generator", codes(PHASE_WRITE), "generator-bound");
    calm();
    for (int i = 0; i < N; i++)
        judged[i].bound = BOUND_LATENCY;
    CHECK_TEXT("one request in flight", codes(PHASE_READ), "single-depth-bound");
    calm();
    work.depth = 32;
    for (int i = 0; i < N; i++)
        judged[i].bound = BOUND_LATENCY;
    CHECK_TEXT("many in flight", codes(PHASE_READ), "");
    calm();
    run_work.fallback = "io_uring cannot be had here: Operation not permitted";
    work.engine = ENGINE_URING;
    CHECK_TEXT("another engine", codes(PHASE_READ), "engine-fallback");
    CHECK("which, and why", told(0, SEVERITY_CLASS, "engine psync ran instead of uring") &&
                                told(0, SEVERITY_CLASS, "not permitted"));
    calm();
    for (int i = 0; i < N; i++) {
        judged[i].too_fast = TOO_FAST_MEMORY;
        judged[i].rate = 7.6e9;
    }
    CHECK_TEXT("faster than disks can", codes(PHASE_READ), "faster-than-hardware");
    CHECK("with both numbers",
          told(0, SEVERITY_CLASS, "7.60 GB/s") && told(0, SEVERITY_CLASS, "200 MB/s"));
    calm();
    judged[3].too_fast = TOO_FAST_MEMORY;
    CHECK_TEXT("once is not enough for that", codes(PHASE_READ), "");
}

static void test_data(void) {
    calm();
    for (int i = 0; i < N; i++)
        judged[i].witness.numbers.stored_ratio = 3;
    CHECK_TEXT("stored smaller", codes(PHASE_WRITE), "compressible");
    CHECK("how much", told(0, SEVERITY_CLASS, "3.0 times less"));
    calm();
    for (int i = 0; i < N; i++)
        judged[i].witness.numbers.write_expansion = 0.2;
    CHECK_TEXT("less written, without dedup: not told", codes(PHASE_WRITE), "");
    r.known[0].context.dedup = true;
    CHECK_TEXT("with dedup", codes(PHASE_WRITE), "deduplicated");
    calm();
    r.known[0].context.dedup = true;
    judged[0].occupied = 0.12; /* all was written into the log, and stored once */
    CHECK_TEXT("by the room it took", codes(PHASE_WRITE), "deduplicated");
    CHECK("how much", told(0, SEVERITY_CLASS, "only 12 % of the room"));
    calm();
    r.known[0].context.dedup = true;
    judged[0].occupied = 1.02;
    CHECK_TEXT("all its room", codes(PHASE_WRITE), "");
    calm();
    r.known[0].context.dedup = true;
    work.flush = FLUSH_NONE;
    r.known[0].dirty_limit = UNKNOWN;
    for (int i = 0; i < N; i++)
        judged[i].witness.numbers.write_expansion = 0;
    CHECK_TEXT("not written yet is not deduplicated", codes(PHASE_WRITE), "");
    calm();
    work.flush = FLUSH_NONE;
    CHECK_TEXT("fits into the write buffer", codes(PHASE_WRITE), "fits-dirty-limit");
    calm();
    work.flush = FLUSH_NONE;
    r.known[0].dirty_limit = 1 << 20;
    CHECK_TEXT("does not fit", codes(PHASE_WRITE), "");
}

static void test_shapes(void) {
    static const char *const want[SHAPES] = {"collapse", "stall", "burst", "drift"};
    for (enum shape shape = 0; shape < SHAPES; shape++) {
        calm();
        int last = shape == SHAPE_DRIFT ? N - 1 : 6;
        for (int i = 6; i <= last; i++)
            judged[i].shape[shape] = (struct shape_seen){true, 180e6, shape == SHAPE_STALL ? 0 : 40e6,
                                                         12 * NS_PER_S, 3 * NS_PER_S};
        if (shape == SHAPE_DRIFT) {
            CHECK_TEXT("half of them may move by chance", codes(PHASE_WRITE), "");
            judged[5].shape[shape] = judged[6].shape[shape];
        }
        CHECK_TEXT("inside an iteration", codes(PHASE_WRITE), want[shape]);
        CHECK("in which one", told(0, SEVERITY_SHAPE,
                                   shape == SHAPE_DRIFT ? "in 7 of 12 iterations, iteration 6 for one"
                                                        : "in 1 of 12 iterations, iteration 7 for one"));
    }
    calm();
    judged[6].shape[SHAPE_DRIFT] = (struct shape_seen){true, 9e9, 5e9, NS_PER_S, NS_PER_S};
    storage[0] = STORAGE_MEMORY;
    CHECK_TEXT("memory does not settle", codes(PHASE_WRITE), "");
    storage[0] = STORAGE_ZFS;
    calm();
    for (int i = 0; i < N; i++)
        judged[i].value = 100e6 * (1 + 0.02 * i);
    CHECK_TEXT("over the iterations", codes(PHASE_WRITE), "drift");
    calm();
    judged[0].value = 300e6;
    const char *first = codes(PHASE_WRITE);
    CHECK("the first", strstr(first, "first-differs") != NULL);
    calm();
    judged[5].value = 20e6;
    CHECK_TEXT("one far away", codes(PHASE_WRITE), "outliers");
}

static void test_disks(void) {
    calm();
    for (int i = 0; i < N; i++)
        judged[i].slow_disk = i % 4 ? "sdb" : NULL;
    for (int i = 0; i < N; i++)
        judged[i].disks = (struct disk_shape){
            .slow_service = 40e6, .siblings_service = 8e6, .throttled = UNKNOWN};
    CHECK_TEXT("a slow disk", codes(PHASE_READ), "slow-disk");
    CHECK("which, and how slow",
          told(0, SEVERITY_SHAPE, "disk sdb took 40") && told(0, SEVERITY_SHAPE, "its siblings 8"));
    calm();
    judged[2].slow_disk = "sdb";
    CHECK_TEXT("slow once", codes(PHASE_READ), "");
    calm();
    judged[2].hot_disk = "sda";
    judged[2].disks.temperature = 61;
    judged[2].disks.temperature_limit = 55;
    CHECK_TEXT("a hot one", codes(PHASE_READ), "hot-disk");
    calm();
    judged[2].disks.throttled = 4;
    CHECK_TEXT("heat", codes(PHASE_READ), "throttled");
    calm();
    judged[2].witness.other_io = true;
    judged[2].witness.others = 3e8;
    judged[2].witness.others_share = 0.3;
    CHECK_TEXT("others", codes(PHASE_READ), "other-io");
    CHECK("of that iteration alone",
          told(0, SEVERITY_DISTURBED, "300 MB") && found.items[0].ordinal == 3);
}

int main(void) {
    test_calm();
    test_memory();
    test_pace();
    test_data();
    test_shapes();
    test_disks();
    arena_release(&arena);
    return check_done();
}
