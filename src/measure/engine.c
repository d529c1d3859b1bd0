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

static const struct engine engine_null = {.files = false, .loop = null_loop};

static const struct engine *const engines[ENGINES] = {
    [ENGINE_PSYNC] = &engine_psync,
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

static void gate_finish(struct engine_gate *g) {
    pthread_mutex_lock(&g->lock);
    if (++g->done == g->n)
        pthread_cond_broadcast(&g->moved);
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
    if (run->flush == ENGINE_FLUSH_NONE)
        return NULL;
    gate_finish(job->gate);
    if (atomic_load_explicit(&run->broken, memory_order_relaxed))
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
    for (int i = 0; i < run->n_jobs; i++) {
        struct engine_job *job = &run->jobs[i];
        job->run = run;
        job->started = job->ended = job->flushed = job->where = UNKNOWN;
        job->bytes = job->ops = 0;
        job->stopped = false;
        job->errnum = 0;
        job->what = job->why = NULL;
        hist_clear(&job->hist);
    }
}

int engine_run(struct engine_run *run, struct err *e) {
    struct engine_gate gate = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER, .n = run->n_jobs};
    int made = 0, errnum = 0;

    reset_jobs(run);
    for (; made < run->n_jobs && errnum == 0; made += errnum == 0) {
        run->jobs[made].gate = &gate;
        errnum = pthread_create(&run->jobs[made].thread, NULL, job_main, &run->jobs[made]);
    }
    gate_open(&gate, made, errnum ? -1 : 1, &run->started_at);
    for (int i = 0; i < made; i++)
        pthread_join(run->jobs[i].thread, NULL);
    pthread_cond_destroy(&gate.moved);
    pthread_mutex_destroy(&gate.lock);
    if (errnum)
        return err_sys(e, errnum, "cannot start thread %d of %d", made + 1, run->n_jobs);
    take_times(run);
    return 0;
}
