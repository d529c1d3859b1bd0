/*
 * engine.h: how operations are issued, and the run of one phase: threads, clock, flush.
 *
 * An engine is a row of the table in engine.c and a file of its own. Its loop runs one job in one
 * thread; loop.h is the loop that engines with one operation in flight share. While it runs: no
 * allocation, no printing, no locale, no lock.
 */
#ifndef MEASURE_ENGINE_H
#define MEASURE_ENGINE_H

#include "zhist/hist.h"
#include "zhist/model.h"
#include "zhist/work.h"

#include "fill.h"

#include <pthread.h>

enum engine_flush { ENGINE_FLUSH_NONE, ENGINE_FLUSH_DATA, ENGINE_FLUSH_ALL };

/* One thread's share of a phase. Nothing in it is shared while the clock runs but what run has. */
struct engine_job {
    /* set before the clock */
    struct engine_run *run;
    struct engine_gate *gate;
    pthread_t thread;
    int file;
    void *buffer; /* of one block, for reads */
    struct uring *uring; /* of the engine uring, else NULL */
    struct fill fill;
    uint64_t random; /* state of the offsets */
    /* results */
    int64_t started, ended, flushed; /* monotonic */
    int64_t bytes, ops;
    int64_t read_bytes, read_ops; /* those of them that read */
    bool stopped; /* ended before its work was done */
    int errnum;
    const char *what; /* the operation that failed; NULL: none did */
    const char *why;  /* where errnum is 0 */
    int64_t where;    /* at this offset; UNKNOWN: no offset */
    struct hist hist;         /* of reads where both are mixed */
    struct hist hist_writes;  /* of writes where both are mixed */
};

enum {
    TICKS_MAX = 4096,      /* kept while it runs; then neighbours are joined, and half as many made */
    TICKS_SHORT = 100,     /* of a phase of up to so many seconds; else one a second */
};

/* What was seen of a phase while it ran. */
struct engine_trace {
    struct meter_reading reading[METER_MOMENTS];
    bool read[METER_MOMENTS];
    struct tick tick[TICKS_MAX];
    size_t n_ticks;
};

/* One phase of all jobs. */
struct engine_run {
    const struct engine *engine;
    struct engine_job *jobs;
    int n_jobs;
    bool reads, writes, random, flush_each; /* both: each operation is a read or a write */
    double mix_read;         /* then: the share of reads */
    enum engine_flush flush; /* after the last operation of all jobs */
    int64_t size, block;     /* of each job's file; block <= size */
    int64_t time;            /* ns; 0: until size is done */
    int64_t most_ops;        /* of a job, where time ends it */
    const volatile int *stop;
    struct work_progress *progress;
    struct meter *meter;        /* or NULL */
    struct engine_trace *trace; /* or NULL */
    _Atomic bool broken; /* a job failed: the others end too */
    /* results */
    int64_t started_at;        /* real time */
    int64_t duration, flushed; /* ns; UNKNOWN: none */
};

struct engine {
    enum engine_id id;
    bool files; /* false: no file is opened at all */
    void (*loop)(struct engine_job *job);
    /* Makes durable what the job wrote, and sets flushed. NULL: fsync or fdatasync of its file. */
    void (*flush)(struct engine_job *job);
};

/* NULL: this version has no such engine. */
const struct engine *engine_find(enum engine_id id);
/* Starts the jobs together, ends when all have ended. Failures of operations are told by the
 * jobs; -1: no thread could be had. */
int engine_run(struct engine_run *run, struct err *e);

extern const struct engine engine_psync, engine_uring;

/* A ring and buffers for `depth` requests of a job. 0, or an errno: ENOSYS, EPERM where the kernel
 * forbids it. */
int engine_uring_open(struct engine_job *job, int depth, int64_t block);
void engine_uring_close(struct engine_job *job);

#endif
