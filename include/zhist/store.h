/*
 * store.h: a run and its parts: structs in, rows out.
 *
 * store_iteration is one durable transaction: when it returned 0 the iteration survives a crash.
 */
#ifndef ZHIST_STORE_H
#define ZHIST_STORE_H

#include "zhist/db.h"
#include "zhist/model.h"

struct stored_target {
    const char *name, *path, *fstype;
    const char *dataset_guid, *pool_guid; /* NULL: not on ZFS, or not known */
    int64_t id;                 /* set by store_run_begin */
};

struct stored_run {
    const char *uuid, *machine_id, *host_name, *note, *version, *process;
    int64_t started_at, seed;
    bool forced;
    const struct profile *profile;
    struct stored_target *targets;
    size_t n_targets;
    const struct setting *labels;
    size_t n_labels;
    const struct fact_sheet *facts;
    /* set by store_run_begin: */
    int64_t id, host_id;
    int64_t *workload_ids;      /* one for each workload of the profile */
};

struct stored_cell {
    size_t target, workload;
    enum phase phase;
    const char *class, *direct_effect, *engine_effect, *stop_rule; /* words of the tables in model.h */
    const char *bound_by, *evidence; /* NULL: unknown; evidence: JSON */
    int64_t size;
};

int store_run_begin(struct arena *a, struct db *db, struct stored_run *run, struct err *e);
/* cell: as known so far; written again by store_run_end. */
int store_iteration(struct db *db, const struct stored_run *run, const struct iteration *it,
                    const struct stored_cell *cell, const struct sample *samples,
                    size_t n_samples, struct err *e);
int store_findings(struct db *db, const struct stored_run *run, const struct finding_list *list,
                   struct err *e);
/* Cells, what moved (after: sets that differ from before), rollups, status: one transaction.
 * status: done, failed, interrupted, refused. */
int store_run_end(struct db *db, const struct stored_run *run, const struct stored_cell *cells,
                  size_t n_cells, const struct fact_sheet *after, const char *status,
                  int64_t finished_at, struct err *e);
/* What lay under each of these targets of a host, at this path, at its newest run there that was not
 * refused and counts; all NULL where there is none. */
int store_earlier(struct arena *a, struct db *db, const char *machine_id, const char *const *targets,
                  const char *const *paths, size_t n_targets, struct earlier *earlier,
                  struct err *e);
/* Bytes a second: the most that the disks of this host ever moved while it was measured; NaN: never
 * measured. */
int store_most_seen(struct db *db, const char *machine_id, double *rate, struct err *e);
/* Fills the rollups of runs of this host that never ended and whose process is gone. */
int store_adopt_crashed(struct db *db, const char *machine_id, struct err *e);

#endif
