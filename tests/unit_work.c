/*
 * unit_work.c: workloads of kind `file` on a real directory: every phase, what lies on disk after
 * it, layout, direct, time, several jobs and targets; failures as failures with a sentence, never
 * as zeros. Nothing here depends on how fast the machine is.
 */
#include "check.h"

#include "../src/measure/engine.h"
#include "zhist/work.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define UUID "01234567-89ab-4def-8123-456789abcdef"

enum { KIB = 1024, MIB = 1 << 20, STAMPS = 20000 };

static char dir[512];
static struct arena memory;
static struct target target, second;
static struct err e;
static struct iteration it;
static uint64_t (*stamps)[2];
static size_t n_stamps;

static struct workload plain(int64_t block, int jobs) {
    return (struct workload){.name = "w",
                             .kind = KIND_FILE,
                             .block = block,
                             .jobs = jobs,
                             .depth = 1,
                             .flush = FLUSH_END,
                             .data = {.compress = 1}};
}

static struct work *last; /* what it.failed and the histograms lie in */

/* One phase of a workload opened for it; the files stay. */
static int once(const struct workload *w, int64_t size, enum phase phase) {
    struct work *work = NULL;
    work_close(last);
    last = NULL;
    it = (struct iteration){0};
    int status = work_open(&memory, w, size, 1, &work, &e);
    last = work;
    if (status == 0 && work_run(work, &target, phase, NULL, &it, &e) == 0)
        return it.status == ITERATION_OK;
    printf("#   %s\n", e.text);
    return 0;
}

static const char *path_of(const struct target *t, const struct workload *w, int job) {
    uint32_t hash = UINT32_C(2166136261);
    for (const char *c = w->name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT32_C(16777619);
    return arena_fmt(&memory, "%s/.zhist-%s/w%08x-j%d", t->path, t->uuid, (unsigned)hash, job);
}

static int64_t size_of(const struct workload *w, int job) {
    struct stat st;
    return stat(path_of(&target, w, job), &st) == 0 ? (int64_t)st.st_size : -1;
}

static void clean(const struct workload *w, int64_t size) {
    struct work *work;
    if (work_open(&memory, w, size, 1, &work, &e) != 0 || work_clean(work, &target, &e) != 0)
        printf("#   %s\n", e.text);
    else
        work_close(work);
}

static void gather(const struct workload *w, int job) {
    unsigned char unit[4096];
    int fd = open(path_of(&target, w, job), O_RDONLY);
    while (n_stamps < STAMPS && read(fd, unit, sizeof unit) == (ssize_t)sizeof unit)
        memcpy(stamps[n_stamps++], unit, 16);
    close(fd);
}

static int by_stamp(const void *a, const void *b) {
    return memcmp(a, b, 16);
}

static int all_differ(void) {
    qsort(stamps, n_stamps, 16, by_stamp);
    for (size_t i = 1; i < n_stamps; i++)
        if (!memcmp(stamps[i - 1], stamps[i], 16))
            return 0;
    return 1;
}

/* ---- phases ---------------------------------------------------------------------------------- */

static void test_phases(void) {
    static const enum phase all[] = {PHASE_WRITE, PHASE_READ, PHASE_REWRITE, PHASE_RANDREAD,
                                     PHASE_RANDWRITE};
    struct workload w = plain(64 * KIB, 2);
    const int64_t size = 3 * MIB;
    for (size_t i = 0; i < LENGTH(all); i++) {
        const struct phase_info *p = &phases[all[i]];
        const struct hist *h;
        CHECK(p->name, once(&w, size, all[i]));
        h = p->writes ? it.write : it.read;
        CHECK("  moved it all", it.bytes == 2 * size && it.ops == 2 * size / (64 * KIB));
        CHECK("  timed each operation",
              h && h->count == it.ops && !(p->writes ? it.read : it.write));
        CHECK("  took its time",
              it.duration > 0 && it.started_at > 0 && (it.flush >= 0) == p->writes);
        CHECK("  left whole files", size_of(&w, 0) == size && size_of(&w, 1) == size);
        CHECK("  wrote what it said", work_written(&w, size, all[i]) == (p->writes ? 2 * size : 0));
    }
    clean(&w, size);
    CHECK("clean removes the files", size_of(&w, 0) == -1 && size_of(&w, 1) == -1);
}

static void test_sizes(void) {
    struct workload w = plain(64 * KIB, 1);
    CHECK("a tail is written", once(&w, MIB + 100, PHASE_WRITE) && it.bytes == MIB + 100 &&
                                   it.ops == 17 && size_of(&w, 0) == MIB + 100);
    CHECK("a tail is read", once(&w, MIB + 100, PHASE_READ) && it.bytes == MIB + 100);
    CHECK("random picks whole blocks", once(&w, MIB + 100, PHASE_RANDREAD) && it.bytes == MIB &&
                                           work_written(&w, MIB + 100, PHASE_RANDWRITE) == MIB);
    CHECK("a file smaller than a block is one operation",
          once(&w, 10, PHASE_RANDWRITE) && it.bytes == 10 && it.ops == 1 && size_of(&w, 0) == 10);
    clean(&w, 10);
    w.block = 1000;
    CHECK("odd blocks are fine", once(&w, 12345, PHASE_WRITE) && it.bytes == 12345 && it.ops == 13);
    clean(&w, 12345);
}

static void test_layout(void) {
    struct workload w = plain(4 * KIB, 1);
    for (int phase = PHASE_READ; phase <= PHASE_RANDWRITE; phase++) {
        CHECK("a phase lays out what it needs",
              once(&w, MIB, (enum phase)phase) && it.bytes == MIB && size_of(&w, 0) == MIB);
        clean(&w, MIB);
    }
    int64_t files;
    CHECK("layout is announced", work_layout_written(&w, MIB, PHASE_READ) == MIB &&
                                     work_layout_written(&w, MIB, PHASE_WRITE) == 0);
    CHECK("space is announced", work_space(&w, MIB, &files) == MIB && files == 1);
    once(&w, MIB, PHASE_WRITE);
    once(&w, 2 * MIB, PHASE_READ);
    CHECK("a file of another size is laid out anew", size_of(&w, 0) == 2 * MIB);
    w.cold = COLD_TRY;
    CHECK("cold: try reads as well", once(&w, 2 * MIB, PHASE_READ) && it.bytes == 2 * MIB);
    clean(&w, MIB);
}

/* Random phases hit each block once: twice would be a hit in the cache. */
static void test_random_order(void) {
    static const int sizes[] = {1, 2, 3, 5, 64, 100, 257};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct workload w = plain(4 * KIB, 1);
        int64_t size = sizes[i] * 4 * KIB;
        n_stamps = 0;
        once(&w, size, PHASE_READ); /* laid out */
        CHECK("it is laid out", it.laid_out == size);
        gather(&w, 0);
        CHECK("random writes are as many as blocks",
              once(&w, size, PHASE_RANDWRITE) && it.ops == sizes[i] && it.laid_out == 0);
        gather(&w, 0);
        CHECK("each block was written, none twice", n_stamps == 2 * (size_t)sizes[i] && all_differ());
        clean(&w, size);
    }
}

static void test_byte_limit(void) {
    struct workload w = plain(4 * KIB, 2);
    struct work *work = NULL;
    int flag = 0;
    w.time = 3600 * NS_PER_S; /* the limit ends it, not the clock */
    struct work_watch watch = {.stop = &flag, .bytes = 64 * KIB};
    it = (struct iteration){0};
    CHECK("a phase by time ends at the limit",
          work_open(&memory, &w, MIB, 1, &work, &e) == 0 &&
              work_run(work, &target, PHASE_RANDWRITE, &watch, &it, &e) == 0 &&
              it.status == ITERATION_OK && it.bytes == 64 * KIB);
    CHECK("both files were laid out", it.laid_out == 2 * MIB);
    work_close(work);
    clean(&w, MIB);
    CHECK("its memory is told", work_memory(&w, MIB) > 4 * MIB && work_memory(&w, 64 * MIB) > 32 * MIB);
}

static void test_unique(void) {
    struct workload w = plain(64 * KIB, 2);
    n_stamps = 0;
    for (int i = 0; i < 3; i++) {
        once(&w, MIB, PHASE_WRITE);
        gather(&w, 0);
        gather(&w, 1);
    }
    once(&w, MIB, PHASE_REWRITE);
    gather(&w, 0);
    clean(&w, MIB);
    once(&w, MIB, PHASE_READ); /* laid out */
    gather(&w, 1);
    CHECK("4 KiB are the same nowhere: files, iterations, layout",
          n_stamps == 8 * 256 && all_differ());
    clean(&w, MIB);
}

static void test_flush(void) {
    struct workload w = plain(64 * KIB, 1);
    w.flush = FLUSH_NONE;
    CHECK("without a flush its time is unknown", once(&w, MIB, PHASE_WRITE) && it.flush == UNKNOWN);
    w.flush = FLUSH_EACH;
    CHECK("flush: each ends durable too", once(&w, MIB, PHASE_WRITE) && it.flush >= 0);
    clean(&w, MIB);
}

static void test_time(void) {
    struct workload w = plain(64 * KIB, 2);
    w.time = 30 * 1000 * 1000;
    CHECK("time ends a read", once(&w, MIB, PHASE_READ) && it.duration >= w.time && it.ops > 0);
    CHECK("time ends random writes", once(&w, MIB, PHASE_RANDWRITE) && it.duration >= w.time);
    CHECK("a write goes round",
          once(&w, 128 * KIB, PHASE_WRITE) && it.duration >= w.time && size_of(&w, 0) <= 128 * KIB);
    CHECK("how much time writes is unknown", work_written(&w, MIB, PHASE_WRITE) == UNKNOWN);
    clean(&w, MIB);
}

static void test_null(void) {
    struct workload w = plain(4 * KIB, 2);
    w.engine = ENGINE_NULL;
    CHECK("null reads nothing, fast", once(&w, 64 * MIB, PHASE_READ) && it.ops == 2 * 16 * KIB);
    CHECK("null writes nothing", once(&w, 64 * MIB, PHASE_WRITE) && size_of(&w, 0) == -1);
    CHECK("and says so", work_written(&w, 64 * MIB, PHASE_WRITE) == 0 && it.flush == UNKNOWN);
}

static void test_direct(void) {
    struct workload w = plain(4 * KIB, 1);
    struct work *work;
    w.direct = true;
    if (work_open(&memory, &w, MIB + 100, 1, &work, &e) != 0 ||
        work_run(work, &target, PHASE_WRITE, NULL, &it, &e) != 0) {
        CHECK("direct opens", 0);
        return;
    }
    CHECK("direct works, or is refused and told",
          it.status == ITERATION_OK && (!strcmp(work_direct_effect(work), "unknown") ||
                                        !strcmp(work_direct_effect(work), "no")));
    printf("# direct here: %s\n", work_direct_effect(work));
    CHECK("the file ends on a boundary", it.bytes == MIB && size_of(&w, 0) == MIB);
    work_run(work, &target, PHASE_RANDREAD, NULL, &it, &e);
    CHECK("direct reads", it.status == ITERATION_OK && it.bytes == MIB);
    work_close(work);
    clean(&w, MIB);
    w.block = 1000;
    CHECK("direct with odd blocks is refused", work_open(&memory, &w, MIB, 1, &work, &e) == -1);
    w = plain(4 * KIB, 1);
    work_open(&memory, &w, MIB, 1, &work, &e);
    CHECK_TEXT("not asked is no", work_direct_effect(work), "no");
    work_close(work);
}

static void test_targets(void) {
    struct workload w = plain(64 * KIB, 1);
    struct work *work;
    int ok = work_open(&memory, &w, MIB, 1, &work, &e) == 0;
    for (int i = 0; i < 2 && ok; i++) {
        ok &= work_run(work, &target, PHASE_WRITE, NULL, &it, &e) == 0;
        ok &= work_run(work, &second, PHASE_READ, NULL, &it, &e) == 0 &&
              it.status == ITERATION_OK;
    }
    CHECK("one workload serves two targets in turn", ok && it.bytes == MIB);
    CHECK("and cleans both", work_clean(work, &target, &e) == 0 &&
                                 work_clean(work, &second, &e) == 0 &&
                                 work_clean(work, &second, &e) == 0 && size_of(&w, 0) == -1);
    work_close(work);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static int failed_with(int errnum, const char *part) {
    struct sample samples[METRICS];
    struct workload w = plain(1, 1);
    if (it.status == ITERATION_FAILED && it.errnum == errnum && it.failed &&
        strstr(it.failed, part) && work_samples(&w, &it, samples) == 0)
        return 1;
    printf("#   status %d, errno %d: %s\n", (int)it.status, it.errnum, it.failed ? it.failed : "");
    return 0;
}

static void test_failures(void) {
    struct workload w = plain(64 * KIB, 2);
    struct rlimit old, low = {0};
    getrlimit(RLIMIT_FSIZE, &old);
    low.rlim_max = old.rlim_max;
    low.rlim_cur = 512 * KIB;
    setrlimit(RLIMIT_FSIZE, &low);
    once(&w, MIB, PHASE_WRITE);
    CHECK("a write that fails names its place", failed_with(EFBIG, "write at offset 524288 of \""));
    CHECK("and the reason", strstr(it.failed, "-j") && strstr(it.failed, "\": File too large"));
    CHECK("what was done is kept", it.bytes >= 512 * KIB && it.bytes <= MIB);
    CHECK("no flush is claimed", it.flush == UNKNOWN);
    once(&w, MIB, PHASE_READ);
    CHECK("a layout that fails is a failed iteration",
          failed_with(EFBIG, "File too large") && it.duration == UNKNOWN);
    setrlimit(RLIMIT_FSIZE, &old);
    clean(&w, MIB);

    once(&w, MIB, PHASE_WRITE);
    const char *path = path_of(&target, &w, 1), *canary = arena_fmt(&memory, "%s/canary", dir);
    struct stat before, after;
    CHECK("it is laid for the test", !link(path, canary));
    stat(canary, &before);
    once(&w, MIB, PHASE_REWRITE);
    CHECK("a file with a second name is not written", failed_with(0, "another name as well"));
    unlink(path);
    CHECK("it is laid for the test", !symlink(canary, path));
    once(&w, MIB, PHASE_REWRITE);
    stat(canary, &after);
    CHECK("a link is replaced, what it leads to is not written",
          it.status == ITERATION_OK && before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
              before.st_mtim.tv_nsec == after.st_mtim.tv_nsec && after.st_nlink == 1);
    unlink(canary);
    clean(&w, MIB);
}

/* The file is shorter than the engine was told: only this way is an end of file certain. */
static void test_end_of_file(void) {
    static struct work_progress progress;
    static const volatile int go_on;
    char path[600], bytes[64 * KIB];
    static struct engine_job jobs[2];
    struct engine_run run = {.engine = engine_find(ENGINE_PSYNC),
                             .jobs = jobs,
                             .n_jobs = 2,
                             .size = MIB,
                             .block = 64 * KIB,
                             .stop = &go_on,
                             .progress = &progress};
    snprintf(path, sizeof path, "%s/short", dir);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (ftruncate(fd, 100000) != 0)
        printf("# cannot make the file\n");
    for (int i = 0; i < 2; i++) {
        jobs[i].file = fd;
        jobs[i].buffer = bytes;
    }
    run.n_jobs = 1;
    CHECK("a run of the engine ends", engine_run(&run, &e) == 0);
    CHECK("the end of a file is a failure",
          jobs[0].what && jobs[0].errnum == 0 && jobs[0].where == 64 * KIB && jobs[0].ops == 1);
    CHECK_TEXT("with a reason", jobs[0].why, "the file ended");
    CHECK("progress counts what was done", atomic_load(&progress.bytes) == 64 * KIB);
    close(fd);
    unlink(path);
}

static void test_refused(void) {
    struct work *work;
    struct workload w = plain(4 * KIB, 1);
    w.kind = KIND_FIO;
    CHECK("a kind that is not built is told",
          work_open(&memory, &w, MIB, 1, &work, &e) == -1 && strstr(e.text, "kind \"fio\""));
    w = plain(4 * KIB, 1);
    w.phase[w.n_phases++] = PHASE_JOB;
    CHECK("so is a phase",
          work_open(&memory, &w, MIB, 1, &work, &e) == -1 && strstr(e.text, "phase \"job\""));
    w = plain(4 * KIB, 1);
    w.depth = 8;
    CHECK("psync has one operation in flight", work_open(&memory, &w, MIB, 1, &work, &e) == -1);
}

/* ---- stop ------------------------------------------------------------------------------------ */

static int stop_flag;

static void *stop_soon(void *arg) {
    struct work_progress *p = arg;
    while (atomic_load(&p->ops) == 0)
        sched_yield();
    __atomic_store_n(&stop_flag, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void test_stop(void) {
    struct workload w = plain(4 * KIB, 2);
    static struct work_progress progress;
    struct work_watch watch = {.stop = &stop_flag, .progress = &progress};
    struct sample samples[METRICS];
    struct work *work;
    pthread_t thread;
    w.time = 3600 * NS_PER_S;
    work_open(&memory, &w, MIB, 1, &work, &e);
    pthread_create(&thread, NULL, stop_soon, &progress);
    int status = work_run(work, &target, PHASE_REWRITE, &watch, &it, &e);
    pthread_join(thread, NULL);
    CHECK("stopped is interrupted", status == 0 && it.status == ITERATION_INTERRUPTED);
    CHECK("what was done counts",
          it.ops > 0 && it.bytes == it.ops * 4 * KIB && atomic_load(&progress.ops) == it.ops);
    CHECK("it has no samples", work_samples(&w, &it, samples) == 0 && it.flush == UNKNOWN);
    work_clean(work, &target, &e);
    status = work_run(work, &target, PHASE_READ, &watch, &it, &e);
    CHECK("stopped in the layout too", status == 0 && it.status == ITERATION_INTERRUPTED &&
                                           it.duration == UNKNOWN && it.ops == 0);
    work_clean(work, &target, &e);
    work_close(work);
}

/* ---- samples --------------------------------------------------------------------------------- */

static double sample_of(const struct sample *s, size_t n, enum metric metric) {
    for (size_t i = 0; i < n; i++)
        if (s[i].metric == metric)
            return s[i].value;
    return (double)NAN;
}

static void test_samples(void) {
    static struct hist h;
    struct workload w = plain(MIB, 1);
    struct sample s[METRICS];
    hist_clear(&h);
    hist_add(&h, 100);
    hist_add(&h, 300);
    struct iteration one = {.duration = 2 * NS_PER_S,
                            .flush = 2 * NS_PER_S,
                            .bytes = 800,
                            .ops = 2,
                            .status = ITERATION_OK,
                            .write = &h};
    size_t n = work_samples(&w, &one, s);
    CHECK_NEAR("duration", sample_of(s, n, METRIC_DURATION), 2, 0);
    CHECK_NEAR("duration_durable", sample_of(s, n, METRIC_DURATION_DURABLE), 4, 0);
    CHECK_NEAR("throughput", sample_of(s, n, METRIC_THROUGHPUT), 400, 0);
    CHECK_NEAR("throughput_durable", sample_of(s, n, METRIC_THROUGHPUT_DURABLE), 200, 0);
    CHECK_NEAR("ops_per_second", sample_of(s, n, METRIC_OPS_PER_SECOND), 1, 0);
    CHECK_NEAR("flush_time", sample_of(s, n, METRIC_FLUSH_TIME), 2, 0);
    CHECK_NEAR("lat_mean", sample_of(s, n, METRIC_LAT_MEAN), 200, 0);
    CHECK_NEAR("lat_max", sample_of(s, n, METRIC_LAT_MAX), 300, 0);
    one.flush = UNKNOWN;
    n = work_samples(&w, &one, s);
    CHECK("without a flush nothing is called durable",
          isnan(sample_of(s, n, METRIC_DURATION_DURABLE)) &&
              isnan(sample_of(s, n, METRIC_THROUGHPUT_DURABLE)) &&
              isnan(sample_of(s, n, METRIC_FLUSH_TIME)));
    one.status = ITERATION_FAILED;
    CHECK("a failed one has no samples", work_samples(&w, &one, s) == 0);
}

static int enter(const char *name, struct target *t) {
    const char *path = arena_fmt(&memory, "%s/%s", dir, name);
    mkdir(path, 0700);
    if (target_open(&memory, NULL, path, t, &e) == 0 && target_enter(&memory, t, UUID, &e) == 0)
        return 0;
    printf("# %s\n", e.text);
    return -1;
}

static void test_gone(void) {
    struct workload w = plain(4 * KIB, 1);
    struct work *work;
    work_open(&memory, &w, MIB, 1, &work, &e);
    target_leave(&second, &e);
    CHECK("a target that was left is gone",
          work_run(work, &second, PHASE_WRITE, NULL, &it, &e) == -1);
    work_close(work);
}

int main(void) {
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/zhist-work-XXXXXX", tmp ? tmp : "/tmp");
    signal(SIGXFSZ, SIG_IGN);
    stamps = malloc(STAMPS * sizeof *stamps);
    if (!mkdtemp(dir) || enter("one", &target) != 0 || enter("two", &second) != 0)
        return 1;
    test_phases();
    test_sizes();
    test_layout();
    test_random_order();
    test_byte_limit();
    test_unique();
    test_flush();
    test_time();
    test_null();
    test_direct();
    test_targets();
    test_failures();
    test_end_of_file();
    test_refused();
    test_stop();
    test_samples();
    test_gone();
    CHECK("nothing is left in the targets", target_leave(&target, &e) == 0 &&
                                                rmdir(target.path) == 0 &&
                                                rmdir(second.path) == 0 && rmdir(dir) == 0);
    work_close(last);
    target_close(&target);
    target_close(&second);
    free(stamps);
    arena_release(&memory);
    return check_done();
}
