/*
 * work.h: a workload on a target: lay out, run one phase with the clock, hand back an iteration.
 *
 * Kinds and engines are rows of const tables (work.c, engine.c); a new one is a new file and a row.
 */
#ifndef ZHIST_WORK_H
#define ZHIST_WORK_H

#include "zhist/meter.h"
#include "zhist/model.h"
#include "zhist/target.h"

/* What a terminal shows while a phase runs: written by the jobs, read by the progress thread. */
struct work_progress {
    _Atomic int64_t bytes, ops;
};

/* Who looks on while a phase runs, and what may end it before its work is done. All may be NULL. */
struct work_watch {
    const volatile int *stop; /* non-zero: what is in flight is finished, then it ends as
                                 interrupted; read once an operation, as an atomic int */
    int64_t bytes;            /* a phase that runs by time ends well at so many; 0: no limit */
    bool drop_caches;         /* the profile allows it: before a read that is to be cold */
    struct work_progress *progress;
    int64_t settle;             /* ns to wait, at most, until what the files of a phase that wrote take
                                   on disk stands still: ZFS knows it with the next transaction group,
                                   whatever was flushed. 0: it is taken as it is */
    struct meter *meter; /* read before the clock, after the last operation, after the flush */
};

/* Looks at what a workload points to, once, before anything else is asked of it: of a fileset the
 * real files of `from` (tree, files, dirs), and its total to the byte. Any other is left as it is. */
int work_resolve(struct arena *a, struct workload *w, struct err *e);

struct work; /* one workload, its buffers and threads' state */

/* Everything that costs time or memory: data is generated, buffers are touched, jobs made.
 * size is the resolved size of each job's file (with direct it is cut to a multiple of 4 KiB).
 * Of a fileset the workload says it all, and size is passed over. The arena must outlive the work.
 * Data is unique whatever the seed; seed decides the random offsets. Refused with a sentence: what
 * this version cannot do (kind, engine, phase, depth, data), and direct with odd blocks.
 * Takes about 17 MiB and a block of memory a job. */
int work_open(struct arena *a, const struct workload *w, int64_t size, uint64_t seed,
              struct work **work, struct err *e);
void work_close(struct work *work);

/*
 * One phase on one target. Lays out first what the phase needs (a read needs the file: written and
 * flushed before the clock), then runs it. Always fills *it (status, errnum, failed) except the
 * fields the caller owns: target, workload, ordinal, block, position, warmup. it->failed and the
 * histograms live until the next call or work_close. The flush (fsync after write, else fdatasync)
 * starts when all jobs have done their last operation; after flush: each it comes too and finds
 * little to do; a failed or interrupted phase is not flushed. -1 only where nothing could be
 * measured at all (the target is gone).
 */
int work_run(struct work *work, struct target *t, enum phase phase, const struct work_watch *watch,
             struct iteration *it, struct err *e);
/* What the last work_run on this workload did with `direct: true`: "no" (not asked, or refused by
 * the open, then the cache was used) or "unknown": accepted, counters must tell. */
const char *work_direct_effect(const struct work *work);
/* What the last work_run did before the clock so that its reads come from the disks, its rungs
 * joined by ", ": keep, fadvise, drop_caches, each with the reason where it could not be done.
 * NULL: nothing, since nothing was to be read cold. What came of it only counters can tell. */
const char *work_cold_tried(const struct work *work);
/* The engine that runs ("psync" where the kernel forbids io_uring), and then why, else NULL. */
const char *work_engine_effect(const struct work *work, const char **why);
/* Removes the workload's files from the target (end of its block). With `keep: true` the first
 * time, on each target, after the kept file was read or where there was none: they become the kept
 * one, see keep.h; where there are none they are laid out for it. */
int work_clean(struct work *work, struct target *t, struct err *e);

/* Bytes of memory for data and buffers. */
int64_t work_memory(const struct workload *w, int64_t size);

/* Bytes this phase writes in one iteration without its layout (UNKNOWN: as many as `time` lets it),
 * bytes its layout writes where files are missing; bytes and files on disk. */
int64_t work_written(const struct workload *w, int64_t size, enum phase phase);
int64_t work_layout_written(const struct workload *w, int64_t size, enum phase phase);
int64_t work_space(const struct workload *w, int64_t size, int64_t *files);

/* The samples of an iteration, at most METRICS of them; a failed one has none. Returns how many. */
size_t work_samples(const struct workload *w, const struct iteration *it,
                    struct sample out[METRICS]);

/* Bytes a second the data generator makes and stamps, measured once: a control. */
double work_generator_rate(void);

#endif
