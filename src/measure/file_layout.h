/*
 * file_layout.h: the files of the kind `file` on a target: names, laid out, cold, open, removed.
 *
 * What lies on a target is asked of the target each time (a file counts as laid out when it has
 * its size), so one workload can go back and forth between targets.
 */
#ifndef MEASURE_FILE_LAYOUT_H
#define MEASURE_FILE_LAYOUT_H

#include "box.h"
#include "engine.h"
#include "kind.h"

enum { FILE_NAME_LEN = 32 };

/* What became of the kept file on one target in this run. */
enum kept_state {
    KEPT_READY, /* it lies there, of our size, and was not read yet */
    KEPT_NONE,  /* none does, or not a whole one */
    KEPT_READ,
    KEPT_DONE, /* it was replaced, or cannot be had */
};

struct kept {
    const char *target; /* its path */
    enum kept_state state;
    const char *why; /* it cannot be had; NULL: it can */
};

struct file_work {
    struct work work;
    struct arena *arena;
    const struct engine *engine;
    int64_t size, block, chunk; /* of each file; of an operation; of a write that lays out */
    struct engine_job *jobs;
    int n_jobs;
    char tag[9];      /* of the files' names */
    int64_t laid_out; /* bytes, for the phase at hand */
    struct hist hist, hist_writes; /* of all jobs */
    struct err why;   /* the sentence of a failed iteration */
    /* where the files of the phase at hand are: the box of the run, or the kept one */
    int dir;
    char box[BOX_NAME];
    struct box kept_box; /* while it is used */
    struct kept *kept;   /* a row a target */
    size_t n_kept, cap_kept;
    const volatile int *stop; /* of the last run */
};

enum made { MADE, MADE_FAILED, MADE_STOPPED };

/* Everything a phase needs, before its clock: files laid out, cold if asked, and open in the jobs.
 * The sentence of a failure is f->why. */
enum made file_prepare(struct file_work *f, struct target *t, const struct work_watch *watch,
                       const struct iteration *it);
/* Closes what is open; a failure makes a good iteration a failed one. */
void file_close_all(struct file_work *f, struct target *t, struct iteration *it);
/* At the end of a block: replaces the kept files where it is time to, removes the others. */
int file_finish(struct file_work *f, struct target *t, struct err *e);
/* Sets f->why: what was done, where in which job's file (UNKNOWN: nowhere in particular), and the
 * system's reason, or ours where errnum is 0. */
enum made file_say(struct file_work *f, const struct target *t, int job, const char *what,
                   int64_t offset, int errnum, const char *why);

/* ---- between file_layout.c and file_keep.c --------------------------------------------------- */

void file_name(const struct file_work *f, int job, char name[FILE_NAME_LEN]);
/* The files are those of the run's box. */
void file_use_own(struct file_work *f, const struct target *t);
/* Is there a file of this job in dir, of its size? */
bool file_is_whole(const struct file_work *f, int dir, int job);
/* Lays out what is missing in the run's box. */
enum made file_lay_out(struct file_work *f, struct target *t, const volatile int *stop);

/* file_keep.c: a phase that reads is to take the kept files, if they were not read in this run:
 * then they are those in use until the phase is closed. Notes it as a rung. */
void file_use_kept(struct file_work *f, const struct target *t, const struct iteration *it);
/* Makes the files of the run the kept ones, once a run and target. */
void file_renew_kept(struct file_work *f, struct target *t);

#endif
