/*
 * kind.h: what a workload kind is to work.c: a row of its table, implemented in work_KIND.c.
 */
#ifndef MEASURE_KIND_H
#define MEASURE_KIND_H

#include "zhist/work.h"

struct work_kind_ops {
    /* Fills the kind's own struct, whose first member is struct work. */
    int (*open)(struct arena *a, const struct workload *w, int64_t size, uint64_t seed,
                struct work **work, struct err *e);
    void (*close)(struct work *work);
    int (*run)(struct work *work, struct target *t, enum phase phase,
               const struct work_watch *watch, struct iteration *it, struct err *e);
    /* Size of the files of a phase that wrote, and what they take on disk as far as that is known
     * now; -1: cannot be told. */
    int (*stored)(struct work *work, struct target *t, int64_t *size, int64_t *allocated);
    int (*clean)(struct work *work, struct target *t, struct err *e);
    int64_t (*written)(const struct workload *w, int64_t size, enum phase phase);
    int64_t (*layout_written)(const struct workload *w, int64_t size, enum phase phase);
    int64_t (*memory)(const struct workload *w, int64_t size);
    int64_t (*space)(const struct workload *w, int64_t size, int64_t *files);
};

struct engine_trace;

struct work {
    const struct workload *spec;
    struct engine_trace *trace; /* of the last run: for engine_run */
    const struct work_kind_ops *kind;
    bool direct_refused; /* by the open of the last run */
    enum engine_id engine; /* that runs; not the one asked for where the kernel forbids that */
    const char *fallback;  /* why; or NULL */
    char cold_tried[120]; /* before the clock of the last run, see cold.h */
};

extern const struct work_kind_ops work_file, work_fileset;

#endif
