/*
 * plan.h: what a `record` is going to do: the profile after the command line had its say, the
 * targets opened, the sizes resolved. Nothing is created by making a plan.
 */
#ifndef ZHIST_PLAN_H
#define ZHIST_PLAN_H

#include "zhist/command.h"
#include "zhist/facts.h"
#include "zhist/model.h"
#include "zhist/target.h"

struct plan {
    const char *profile_name;   /* as given: what messages call it */
    struct profile profile;     /* only the workloads asked for */
    struct target *targets;
    size_t n_targets;
    const char **names, **paths; /* of the targets */
    int64_t *sizes;             /* bytes of each job's file, per workload; UNKNOWN: kind without */
    int64_t round_written;      /* bytes one block of everything writes, layouts included */
    int64_t space, files;       /* that lie on one target at the same time, at most */
    bool quick;
    bool waits; /* --wait: not knowing of a scan is not enough */
};

int plan_make(const struct command_call *call, const char *word, struct plan *plan, struct err *e);
void plan_close(struct plan *plan);
/* Bytes a workload writes to one target in one block, layout included; phases that run by time are
 * not counted: they write what the storage takes. */
int64_t plan_round_written(const struct plan *plan, size_t workload);
/* What there is to say of a plan on this machine as it is now: called once the history's place is
 * known. db_device: st_dev of the history's file system, 0 unknown. earlier: NULL where no history
 * was asked. */
void plan_preflight(struct arena *a, const struct plan *plan, uint64_t db_device,
                    const struct fact_sheet *sheet, const struct disk_use *use,
                    const struct earlier *earlier, struct finding_list *findings);
/* What one block, every workload on every target, will cost. */
struct plan_estimate {
    double seconds, written;
    bool timed; /* some writing phase runs by time: written is a guess */
};
struct plan_estimate plan_estimate(const struct plan *plan);
/* --dry-run: targets, sizes, bytes written a run and a year, free space, time, findings. */
void plan_print(const struct plan *plan, const struct finding_list *findings, struct buf *out);
/* One, as "BEFORE CODE KIND: sentence". */
void plan_put_finding(const char *before, const struct finding *f, const char *kind, int indent,
                      struct buf *out);
/* All of them but the refusals, which stand at the top (record_tell.c). */
void plan_put_findings(const struct finding_list *findings, struct buf *out);
/* Reads a profile by path or built-in name and parses it; also for show run --profile. */
int profile_load(struct arena *a, const char *word, struct profile *profile, struct err *e);

#endif
