/*
 * unit_engines.c: conformance over the table of engines: every engine does every phase of a file,
 * tells the same sums in bytes, operations, latencies and ticks, and writes what was to be written;
 * requests in flight, mixed operations, failures; and io_uring where the kernel forbids it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "zhist/work.h"

enum { KIB = 1024, MIB = 1024 * 1024, BLOCK = 16 * KIB, JOBS = 2, STAMPS = 4096 };

static struct arena memory;
static struct target target = {.dir = -1, .box = -1, .lock = -1};
static struct iteration it;
static struct err e;
static struct work *work;

static struct workload spec(enum engine_id engine, enum phase phase) {
    return (struct workload){.name = "w",
                             .kind = KIND_FILE,
                             .block = BLOCK,
                             .jobs = JOBS,
                             .depth = engine == ENGINE_URING ? 8 : 1,
                             .engine = engine,
                             .phase = {phase},
                             .n_phases = 1,
                             .flush = FLUSH_END,
                             .cold = COLD_NO,
                             .mix_read = 0.7,
                             .data = {.compress = 1}};
}

static bool begin(const struct workload *w, int64_t size, enum phase phase) {
    it = (struct iteration){0};
    work = NULL;
    bool ok = work_open(&memory, w, size, 1, &work, &e) == 0 &&
              work_run(work, &target, phase, NULL, &it, &e) == 0;
    if (!ok || it.status != ITERATION_OK)
        printf("# %s\n", ok ? it.failed : e.text);
    return ok;
}

static void end(bool clean) {
    if (work && clean)
        work_clean(work, &target, &e);
    work_close(work);
}

static int64_t sum_of_ticks(bool ops) {
    int64_t sum = 0;
    for (size_t i = 0; i < it.n_ticks; i++)
        sum += ops ? it.ticks[i].ops : it.ticks[i].bytes;
    return sum;
}

static bool ticks_ascend(void) {
    for (size_t i = 1; i < it.n_ticks; i++)
        if (it.ticks[i].ms <= it.ticks[i - 1].ms)
            return false;
    return it.n_ticks > 0 && it.ticks[it.n_ticks - 1].ms == (it.duration + 999999) / 1000000;
}

static void all_phases(enum engine_id engine) {
    static const enum phase all[] = {PHASE_WRITE,    PHASE_READ,      PHASE_REWRITE,
                                     PHASE_RANDREAD, PHASE_RANDWRITE, PHASE_MIXED};
    const int64_t size = 3 * MIB, ops = JOBS * size / BLOCK;
    for (size_t i = 0; i < LENGTH(all); i++) {
        struct workload w = spec(engine, all[i]);
        const struct phase_info *p = &phases[all[i]];
        const char *why;
        bool ok = begin(&w, size, all[i]);
        int64_t reads = it.read ? it.read->count : 0, writes = it.write ? it.write->count : 0;
        CHECK(arena_fmt(&memory, "%s: %s", engine_names[engine], p->name),
              ok && it.status == ITERATION_OK);
        CHECK("  moved it all", it.bytes == JOBS * size && it.ops == ops);
        CHECK("  reads apart", it.read_ops == reads && it.read_bytes == reads * BLOCK &&
                                   (p->reads || !reads) && (p->writes || reads == ops));
        CHECK("  timed each operation", reads + writes == ops);
        CHECK("  its ticks are all of it",
              sum_of_ticks(false) == it.bytes && sum_of_ticks(true) == it.ops);
        CHECK("  and end with it", ticks_ascend());
        CHECK("  flushed what it wrote", (it.flush >= 0) == p->writes || engine == ENGINE_NULL);
        CHECK_TEXT("  the engine that ran", work_engine_effect(work, &why), engine_names[engine]);
        end(true);
    }
}

static int by_stamp(const void *a, const void *b) {
    return memcmp(a, b, 16);
}

/* Every 4 KiB of what was written has a stamp no other has: no request took another's data. */
static void written_whole(enum engine_id engine, enum phase phase) {
    static unsigned char stamps[STAMPS][16];
    struct workload w = spec(engine, phase);
    size_t n = 0, same = 0;
    w.jobs = 1;
    w.depth = engine == ENGINE_URING ? 32 : 1;
    begin(&w, 8 * MIB, phase);
    char *path = arena_fmt(&memory, "%s/.zhist-%s", target.path, target.uuid);
    uint32_t hash = UINT32_C(2166136261);
    for (const char *c = w.name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT32_C(16777619);
    int fd = open(arena_fmt(&memory, "%s/w%08x-j0", path, (unsigned)hash), O_RDONLY);
    unsigned char unit[4096];
    while (n < STAMPS && read(fd, unit, sizeof unit) == (ssize_t)sizeof unit)
        memcpy(stamps[n++], unit, 16);
    close(fd);
    qsort(stamps, n, 16, by_stamp);
    for (size_t i = 1; i < n; i++)
        same += !memcmp(stamps[i - 1], stamps[i], 16);
    CHECK(arena_fmt(&memory, "%s, %s: every unit is its own", engine_names[engine],
                    phases[phase].name),
          n == 8 * MIB / 4096 && same == 0);
    end(true);
}

static void mixed(enum engine_id engine) {
    struct workload w = spec(engine, PHASE_MIXED);
    struct sample samples[METRICS];
    double read_rate = 0, write_rate = 0, total = 0;
    w.block = KIB;
    bool ok = begin(&w, 8 * MIB, PHASE_MIXED);
    double share = (double)it.read_ops / (double)it.ops;
    CHECK("the share of reads is as asked", ok && share > 0.65 && share < 0.75);
    size_t n = work_samples(&w, &it, samples);
    for (size_t i = 0; i < n; i++) {
        read_rate = samples[i].metric == METRIC_READ_OPS_PER_SECOND ? samples[i].value : read_rate;
        write_rate =
            samples[i].metric == METRIC_WRITE_OPS_PER_SECOND ? samples[i].value : write_rate;
        total = samples[i].metric == METRIC_OPS_PER_SECOND ? samples[i].value : total;
    }
    CHECK("reads and writes are told apart, and add up",
          read_rate > 0 && write_rate > 0 && read_rate + write_rate > 0.999 * total &&
              read_rate + write_rate < 1.001 * total);
    end(true);
}

static void in_flight(void) {
    struct workload w = spec(ENGINE_URING, PHASE_RANDREAD);
    w.time = NS_PER_S / 50;
    CHECK("by time", begin(&w, MIB, PHASE_RANDREAD) && it.status == ITERATION_OK && it.ops > 8 &&
                         it.duration >= w.time);
    end(true);
    w = spec(ENGINE_URING, PHASE_WRITE);
    w.flush = FLUSH_EACH;
    CHECK("each write durable",
          begin(&w, MIB, PHASE_WRITE) && it.status == ITERATION_OK && it.bytes == JOBS * MIB);
    end(true);
    w = spec(ENGINE_URING, PHASE_WRITE);
    CHECK("a tail", begin(&w, MIB + 100, PHASE_WRITE) && it.bytes == JOBS * (MIB + 100));
    end(true);
    w = spec(ENGINE_URING, PHASE_READ);
    w.depth = 1;
    CHECK("one in flight", begin(&w, MIB, PHASE_READ) && it.status == ITERATION_OK);
    end(true);
    w = spec(ENGINE_PSYNC, PHASE_READ);
    w.depth = 8;
    CHECK("not with psync",
          work_open(&memory, &w, MIB, 1, &work, &e) == -1 && strstr(e.text, "uring"));
}

/* In a child, since it cannot be taken back: io_uring_setup is answered with EPERM. */
static int where_forbidden(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {LENGTH(filter), filter};
    struct workload w = spec(ENGINE_URING, PHASE_RANDREAD);
    const char *why;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    bool ok = begin(&w, MIB, PHASE_RANDREAD) && it.status == ITERATION_OK &&
              it.ops == JOBS * MIB / BLOCK && !strcmp(work_engine_effect(work, &why), "psync") &&
              why && strstr(why, "not permitted");
    end(true);
    return ok ? 0 : 1;
}

static void forbidden(void) {
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(where_forbidden());
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP("where io_uring is forbidden psync runs, and says why", "no seccomp here");
    else
        CHECK("where io_uring is forbidden psync runs, and says why", status == 0);
}

int main(void) {
    struct workload w = spec(ENGINE_URING, PHASE_READ);
    char dir[] = "/tmp/zhist-unit-XXXXXX";
    const char *why = NULL;
    if (!mkdtemp(dir) || target_open(&memory, "t", dir, &target, &e) != 0 ||
        target_enter(&memory, &target, "8d3f1f0e-0000-4000-8000-00000000e119", &e) != 0) {
        printf("Bail out! %s\n", e.text);
        return 1;
    }
    bool allowed =
        work_open(&memory, &w, MIB, 1, &work, &e) == 0 && work_engine_effect(work, &why) && !why;
    end(false);
    for (enum engine_id engine = 0; engine < ENGINES; engine++) {
        if (engine == ENGINE_URING && !allowed) {
            SKIP("uring", why ? why : e.text);
            continue;
        }
        all_phases(engine);
        mixed(engine);
        if (engine == ENGINE_NULL)
            continue;
        written_whole(engine, PHASE_WRITE);
        written_whole(engine, PHASE_RANDWRITE);
    }
    if (allowed)
        in_flight();
    forbidden();
    target_leave(&target, &e);
    target_close(&target);
    rmdir(dir);
    arena_release(&memory);
    return check_done();
}
