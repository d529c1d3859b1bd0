/*
 * file_layout.h: the files of the kind `file` on a target: names, laid out, cold, open, removed.
 *
 * What lies on a target is asked of the target each time (a file counts as laid out when it has
 * its size), so one workload can go back and forth between targets.
 */
#ifndef MEASURE_FILE_LAYOUT_H
#define MEASURE_FILE_LAYOUT_H

#include "engine.h"
#include "kind.h"

struct file_work {
    struct work work;
    const struct engine *engine;
    int64_t size, block, chunk; /* of each file; of an operation; of a write that lays out */
    struct engine_job *jobs;
    int n_jobs;
    char tag[9];      /* of the files' names */
    int64_t laid_out; /* bytes, for the phase at hand */
    struct hist hist; /* of all jobs */
    struct err why;   /* the sentence of a failed iteration */
};

enum made { MADE, MADE_FAILED, MADE_STOPPED };

/* Everything a phase needs, before its clock: files laid out, cold if asked, and open in the jobs.
 * The sentence of a failure is f->why. */
enum made file_prepare(struct file_work *f, struct target *t, enum phase phase,
                       const struct work_watch *watch);
/* Closes what is open; a failure makes a good iteration a failed one. */
void file_close_all(struct file_work *f, struct target *t, struct iteration *it);
int file_remove_all(struct file_work *f, struct target *t, struct err *e);
/* Sets f->why: what was done, where in which job's file (UNKNOWN: nowhere in particular), and the
 * system's reason, or ours where errnum is 0. */
enum made file_say(struct file_work *f, const struct target *t, int job, const char *what,
                   int64_t offset, int errnum, const char *why);

#endif
