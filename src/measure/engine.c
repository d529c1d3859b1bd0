/*
 * engine.c: the table of engines, the null engine, and the run of a phase: one thread a job, all
 * released together; the clock runs from the first operation of the first job to the last of the
 * last. Only then, together again, do the jobs make their files durable, and that is timed apart.
 * Threads are made before the clock, and results are merged after the join.
 */
#include "engine.h"

#include "loop.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

/* The operation that does nothing: what remains is what the tool itself costs. */
LOOP_INLINE int null_operation(struct engine_job *job, void *bytes, int64_t len, int64_t offset) {
    (void)job, (void)bytes, (void)len, (void)offset;
    return 0;
}

static void null_loop(struct engine_job *job) {
    LOOP_DISPATCH(job, null_operation, null_operation);
}

static const struct engine engine_null = {.id = ENGINE_NULL, .files = false, .loop = null_loop};

static const struct engine *const engines[ENGINES] = {
    [ENGINE_PSYNC] = &engine_psync,
    [ENGINE_URING] = &engine_uring,
    [ENGINE_NULL] = &engine_null,
};

const struct engine *engine_find(enum engine_id id) {
    return engines[id];
}

/* Where the threads of a phase meet. */
struct engine_gate {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int n, ready, done;
    int open; /* 1: run; -1: go home */
};

static bool gate_start(struct engine_gate *g) {
    pthread_mutex_lock(&g->lock);
    g->ready++;
    pthread_cond_broadcast(&g->moved);
    while (g->open == 0)
        pthread_cond_wait(&g->moved, &g->lock);
    bool run = g->open > 0;
    pthread_mutex_unlock(&g->lock);
    return run;
}

static void take_reading(struct engine_run *run, enum meter_moment moment) {
    if (!run->meter || !run->trace)
        return;
    meter_read(run->meter, &run->trace->reading[moment]);
    run->trace->read[moment] = true;
}

/* The last one to come reads the meter, and lets all go on. */
static void gate_finish(struct engine_gate *g, struct engine_run *run) {
    pthread_mutex_lock(&g->lock);
    if (g->done + 1 == g->n) {
        take_reading(run, METER_AFTER);
        g->done++;
        pthread_cond_broadcast(&g->moved);
    } else {
        g->done++;
    }
    while (g->done < g->n)
        pthread_cond_wait(&g->moved, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

/* Opens once n threads are ready: 1 to run, -1 to go home. */
static void gate_open(struct engine_gate *g, int n, int open, int64_t *moment) {
    pthread_mutex_lock(&g->lock);
    while (g->ready < n)
        pthread_cond_wait(&g->moved, &g->lock);
    *moment = clock_real_ns();
    g->open = open;
    pthread_cond_broadcast(&g->moved);
    pthread_mutex_unlock(&g->lock);
}

/* ---- ticks: what the jobs told, looked at by the thread that only waits for them ---------------- */

static const int64_t TICK_NS = NS_PER_S / 100;

struct ticker {
    struct engine_trace *trace;
    struct work_progress *progress;
    int64_t bytes, ops; /* told so far */
    int64_t start, every;
};

static void tick_begin(struct ticker *k, struct engine_run *run) {
    *k = (struct ticker){.trace = run->trace, .progress = run->progress, .every = TICK_NS,
                         .bytes = atomic_load(&run->progress->bytes),
                         .ops = atomic_load(&run->progress->ops)};
    k->start = clock_monotonic_ns();
    if (k->trace)
        k->trace->n_ticks = 0;
}

static void halve(struct ticker *k) {
    struct tick *t = k->trace->tick;
    for (size_t i = 0; i < TICKS_MAX / 2; i++)
        t[i] = (struct tick){t[2 * i + 1].ms, t[2 * i].bytes + t[2 * i + 1].bytes,
                             t[2 * i].ops + t[2 * i + 1].ops};
    k->trace->n_ticks = TICKS_MAX / 2;
    k->every *= 2;
}

static void tick_take(struct ticker *k) {
    int64_t bytes = atomic_load_explicit(&k->progress->bytes, memory_order_relaxed);
    int64_t ops = atomic_load_explicit(&k->progress->ops, memory_order_relaxed);
    int64_t ms = (clock_monotonic_ns() - k->start) / (NS_PER_S / 1000);
    struct engine_trace *trace = k->trace;
    if (trace->n_ticks == TICKS_MAX)
        halve(k);
    if (trace->n_ticks && trace->tick[trace->n_ticks - 1].ms >= ms)
        return;
    trace->tick[trace->n_ticks++] = (struct tick){ms, bytes - k->bytes, ops - k->ops};
    k->bytes = bytes;
    k->ops = ops;
}

/* The last one ends where the phase ends, and all together are all that was done; then few enough
 * are kept to look at. */
static void tick_end(struct ticker *k, const struct engine_run *run) {
    struct tick *t = k->trace->tick, sum = {0};
    int64_t end = (run->duration + NS_PER_S / 1000 - 1) / (NS_PER_S / 1000), bytes = 0, ops = 0;
    int64_t seconds = end / 1000, every = seconds > TICKS_SHORT ? 1000 : end / TICKS_SHORT;
    size_t n = 0;
    for (int i = 0; i < run->n_jobs; i++) {
        bytes += run->jobs[i].bytes;
        ops += run->jobs[i].ops;
    }
    for (size_t i = 0; i < k->trace->n_ticks && t[i].ms < end; i++) {
        sum.bytes += t[i].bytes;
        sum.ops += t[i].ops;
        bytes -= t[i].bytes;
        ops -= t[i].ops;
        if (t[i].ms < (n ? t[n - 1].ms : 0) + every)
            continue;
        t[n++] = (struct tick){t[i].ms, sum.bytes, sum.ops};
        sum = (struct tick){0};
    }
    t[n++] = (struct tick){end, sum.bytes + bytes, sum.ops + ops};
    k->trace->n_ticks = n;
}

/* Waits until all jobs have done their last operation. */
static void gate_watch(struct engine_gate *g, struct ticker *k) {
    pthread_mutex_lock(&g->lock);
    while (k->trace && g->done < g->n) {
        int64_t next = clock_monotonic_ns() + k->every;
        struct timespec until = {next / NS_PER_S, (long)(next % NS_PER_S)};
        if (pthread_cond_timedwait(&g->moved, &g->lock, &until) == ETIMEDOUT)
            tick_take(k);
    }
    pthread_mutex_unlock(&g->lock);
}

static void flush_file(struct engine_job *job) {
    const struct engine_run *run = job->run;
    bool all = run->flush == ENGINE_FLUSH_ALL;
    int result;
    do
        result = all ? fsync(job->file) : fdatasync(job->file);
    while (result != 0 && errno == EINTR);
    job->flushed = clock_monotonic_ns();
    if (result == 0)
        return;
    job->errnum = errno;
    job->what = all ? "fsync" : "fdatasync";
    job->where = UNKNOWN;
}

static void *job_main(void *arg) {
    struct engine_job *job = arg;
    struct engine_run *run = job->run;
    if (!gate_start(job->gate))
        return NULL;
    run->engine->loop(job);
    if (job->stopped)
        atomic_store_explicit(&run->broken, true, memory_order_relaxed);
    gate_finish(job->gate, run);
    if (run->flush == ENGINE_FLUSH_NONE ||
        atomic_load_explicit(&run->broken, memory_order_relaxed))
        return NULL;
    if (run->engine->flush)
        run->engine->flush(job);
    else
        flush_file(job);
    return NULL;
}

static void take_times(struct engine_run *run) {
    int64_t started = INT64_MAX, ended = INT64_MIN, flushed = UNKNOWN;
    for (int i = 0; i < run->n_jobs; i++) {
        const struct engine_job *job = &run->jobs[i];
        started = job->started < started ? job->started : started;
        ended = job->ended > ended ? job->ended : ended;
        flushed = job->flushed > flushed ? job->flushed : flushed;
    }
    run->duration = ended - started;
    if (flushed != UNKNOWN)
        run->flushed = flushed - ended;
}

static void reset_jobs(struct engine_run *run) {
    run->duration = run->flushed = UNKNOWN;
    run->started_at = clock_real_ns();
    atomic_store(&run->broken, false);
    if (run->trace) {
        memset(run->trace->read, 0, sizeof run->trace->read);
        run->trace->n_ticks = 0;
    }
    for (int i = 0; i < run->n_jobs; i++) {
        struct engine_job *job = &run->jobs[i];
        job->run = run;
        job->started = job->ended = job->flushed = job->where = UNKNOWN;
        job->bytes = job->ops = job->read_bytes = job->read_ops = 0;
        job->stopped = false;
        job->errnum = 0;
        job->what = job->why = NULL;
        hist_clear(&job->hist);
        hist_clear(&job->hist_writes);
    }
}

int engine_run(struct engine_run *run, struct err *e) {
    struct engine_gate gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .n = run->n_jobs};
    struct ticker ticker;
    pthread_condattr_t monotonic;
    int made = 0, errnum = 0;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&gate.moved, &monotonic);
    pthread_condattr_destroy(&monotonic);

    reset_jobs(run);
    for (; made < run->n_jobs && errnum == 0; made += errnum == 0) {
        run->jobs[made].gate = &gate;
        errnum = pthread_create(&run->jobs[made].thread, NULL, job_main, &run->jobs[made]);
    }
    if (!errnum)
        take_reading(run, METER_BEFORE);
    tick_begin(&ticker, run);
    gate_open(&gate, made, errnum ? -1 : 1, &run->started_at);
    if (!errnum)
        gate_watch(&gate, &ticker);
    for (int i = 0; i < made; i++)
        pthread_join(run->jobs[i].thread, NULL);
    pthread_cond_destroy(&gate.moved);
    pthread_mutex_destroy(&gate.lock);
    if (errnum)
        return err_sys(e, errnum, "cannot start thread %d of %d", made + 1, run->n_jobs);
    if (run->flush != ENGINE_FLUSH_NONE)
        take_reading(run, METER_FLUSHED);
    take_times(run);
    if (run->trace)
        tick_end(&ticker, run);
    return 0;
}
