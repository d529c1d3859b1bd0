/*
 * fileset_layout.h: private to the kind `fileset`: what lies on a target, and what must lie there
 * before a phase.
 */
#ifndef MEASURE_FILESET_LAYOUT_H
#define MEASURE_FILESET_LAYOUT_H

#include "fileset.h"
#include "kind.h"

#include <sys/types.h>

/* What this workload has left in a box. */
struct fileset_box {
    dev_t device;
    ino_t inode;
    enum {
        BOX_UNSEEN,
        BOX_EMPTY,
        BOX_WHOLE,
        BOX_RENAMED
    } state; /* UNSEEN: anything may lie there */
};

struct fileset_work {
    struct work work;
    struct arena *arena;
    struct fileset_plan plan;
    struct engine_job *jobs;
    int n_jobs;
    int source;      /* descriptor of the tree of real files, or -1 */
    int direct_flag; /* of openat; 0: unknown here */
    char tag[9];
    struct fileset_box *boxes;
    size_t n_boxes, cap_boxes;
    int64_t laid_out; /* bytes, for the phase at hand */
    struct hist hist;
    struct err why; /* the sentence of a failed iteration */
};

enum fileset_made { FILESET_MADE, FILESET_FAILED, FILESET_STOPPED };

struct fileset_box *fileset_box(struct fileset_work *f, const struct target *t);
/* A run of this phase on this target, all but flush and who looks on. */
struct fileset_run fileset_run_of(struct fileset_work *f, const struct target *t, enum phase phase,
                                  const struct work_watch *watch);
/* Everything a phase needs, before its clock: no files or all of them, durable; cold if asked. */
enum fileset_made fileset_prepare(struct fileset_work *f, struct target *t, enum phase phase,
                                  const struct work_watch *watch);
/* Removes directories and files. */
int fileset_remove(struct fileset_work *f, struct target *t, struct err *e);
/* The sentence of an operation that failed: which, of what, why. where: number of the file, -2 - d:
 * directory d, UNKNOWN: neither. */
void fileset_say(struct fileset_work *f, const struct target *t, char letter, const char *what,
                 int64_t where, int errnum, const char *why);

#endif
