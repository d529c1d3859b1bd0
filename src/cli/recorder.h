/*
 * recorder.h: the state of one `record` while it measures; shared by the files of the command:
 * cmd_record.c (begin and end), record_survey.c and record_wait.c (before it begins), record_tell.c
 * (what it says of findings), record_meter.c (what is counted), record_context.c, record_judge.c and
 * record_findings.c (what the counters say), record_loop.c (blocks, targets, phases), record_stop.c
 * (when is it enough), lines.c (JSON lines and the spill), progress.c (the terminal line).
 */
#ifndef ZHIST_RECORDER_H
#define ZHIST_RECORDER_H

#include "plan.h"
#include "zhist/meter.h"
#include "zhist/store.h"
#include "zhist/witness.h"
#include "zhist/work.h"

/* What the counters said of one iteration. */
struct judged {
    int64_t ordinal, bytes;
    bool counted;               /* it was ok and no warm-up */
    struct witness witness;
    enum bound bound;
    const char *evidence;       /* of the bound: JSON */
    double occupied;            /* room the files took from the file system, as a share of what they
                                   say they take; NaN */
    double value, rate;         /* headline; bytes a second as they reached the disks; NaN */
    struct shape_seen shape[SHAPES];
    struct disk_shape disks;
    const char *slow_disk, *hot_disk; /* NULL: none */
    enum too_fast too_fast;
};

/* One phase of one workload on one target. */
struct series {
    bool started;
    bool kept;                  /* a file kept from an earlier run was read: that is what counts */
    int64_t ordinal;
    int failures;               /* in a row */
    double *value;              /* headline of the measured iterations that were ok, */
    int64_t *block;             /* and their blocks */
    size_t n, cap_value, cap_block;
    struct judged *judged;      /* every iteration */
    size_t n_judged, cap_judged;
    struct stored_cell cell;
};

/* What must be known of a target before counters can be judged. */
struct known_target {
    struct witness_context context;
    struct ceiling ceiling;
    enum media *media;          /* of the disks of a reading, in its order */
    int64_t dirty_limit;        /* bytes memory takes before writers wait; UNKNOWN */
    int64_t dirty;              /* bytes of ours that may reach the disks later; UNKNOWN: some */
    bool sync_disabled; /* a flush comes back at once: there is none */
};

struct progress;

/* The machine as one look found it, and what there is to say of it. */
struct survey {
    struct arena arena;         /* of the facts and findings: emptied by the next look */
    struct fact_sheet sheet;
    struct disk_use *use;       /* per target */
    struct finding_list findings;
    int64_t took; /* ns to look */
};

struct recorder {
    const struct command_call *call;
    struct plan *plan;
    struct db *db;
    uint64_t db_device;         /* st_dev of where the history lies; 0: unknown */
    struct survey survey;
    struct earlier *earlier;    /* per target; NULL: the history was not asked */
    int64_t waited;             /* ns, by --wait */
    struct stored_run run;
    struct work **works;        /* per workload */
    struct meter **meters;      /* per target */
    enum storage *storage;
    const char **disks;         /* kernel names, joined by ' '; NULL: unknown */
    struct known_target *known;
    double generator;           /* rate of the control */
    double seen;                /* the most the disks of this host ever moved a second; NaN */
    double *ratio;              /* per workload and target: size / allocated of its files; NaN */
    struct phase_counts *counts;/* of the iteration at hand */
    struct series *series;      /* see recorder_series */
    const char **stop_rule;     /* per workload: why it stopped, NULL while it runs */
    int64_t *round_time;        /* ns, the last block of each workload on all targets, */
    int64_t *round_written;     /* and what it wrote */
    struct progress *progress;
    bool json, quiet;
    uint64_t random;            /* shuffles the targets */
    int64_t began;              /* monotonic */
    int64_t written;            /* bytes so far, layouts included */
    int64_t stored, failed, measured; /* iterations; measured: ok and no warm-up */
    const char *spilled;        /* where, when the history could not be written */
    struct err *e;
};

struct series *recorder_series(const struct recorder *r, size_t workload, size_t target,
                               enum phase phase);

/* record_survey.c */
/* Facts of host and targets, and what the profile declares of them. earlier: a program that was
 * silent then is not asked; NULL: all are. */
void record_probe(const struct plan *plan, struct arena *a, const struct fact_sheet *earlier,
                  struct fact_sheet *sheet);
/* Looks at the machine anew: facts, and who uses the disks. since: a reading made before. */
void survey_look(struct recorder *r, const struct disk_reading *since);
void survey_judge(struct recorder *r); /* -> findings */
void survey_release(struct survey *s);
/* Facts after the run, once its files are gone from the targets, and what came from outside. Where
 * they seem to lie there still it waits for some seconds. */
void survey_after(struct recorder *r, struct fact_sheet *after, struct finding_list *findings);
const struct finding *survey_refusal(const struct survey *s, bool forced); /* the first, or NULL */

/* record_wait.c */
/* Waits while nothing but what passes by itself (a scan, others' I/O) stands against the run, at
 * most `limit` ns; then the findings stand as the last look left them. -1: interrupted. */
int record_wait(struct recorder *r, int64_t limit, struct err *e);
const struct finding *wait_needed(const struct survey *s); /* what for; NULL: nothing */
/* ns to rest before the next look: poll, but the look is to end when nothing is left. */
int64_t wait_rest(int64_t poll, int64_t left, int64_t look);
/* What --skip-busy skips for: a state of the moment, and nothing else is refused. NULL: nothing. */
const struct finding *wait_skip(const struct survey *s);

/* record_tell.c */
/* aloud: to a person too; else to a program alone. */
int tell_findings(const struct recorder *r, const struct finding_list *list, bool aloud,
                  struct err *e);
/* "; refused as well: ...": one sentence is enough to stop, but nobody should put that right and
 * meet the next one. "" where there is none. */
const char *tell_others(const struct recorder *r, const struct finding *told);
/* -1: a limit ended the run before the first iteration that counts; which, and what to set. */
int tell_nothing(const struct recorder *r, struct err *e);
/* What would come of this run, where it would not just be measured: the top of a dry run. */
void tell_outlook(const struct recorder *r, bool skip_busy, struct buf *out);

/* record_loop.c */
bool record_stopped(const struct recorder *r); /* by a signal */
void record_rest(const struct recorder *r, int64_t ns); /* less when stopped */
/* Everything between the first and the last iteration. -1 with the error in *e:
 * interrupted, history lost, storage full; what was measured is stored all the same. */
int record_loop(struct recorder *r, struct err *e);

/* record_meter.c: opens what is counted of each target, from the facts of the run. */
void record_meters_open(struct recorder *r);
void record_meters_close(struct recorder *r);
/* The speed of what is not storage, measured now, as state facts of the survey. */
void record_controls(struct recorder *r);

/* record_context.c: facts, profile and controls as the judging wants them; after record_meters_open. */
void record_describe_targets(struct recorder *r);
/* ratio: size / allocated of the files of this phase, or NaN. */
void record_context(const struct recorder *r, const struct iteration *it, double ratio,
                    struct witness_context *out);

/* record_judge.c: sets it->cache and it->bound (and fails what must be cold and was not), makes all
 * samples, and keeps what was said for the cell. */
void record_judge(struct recorder *r, struct series *s, struct iteration *it,
                  struct sample samples[METRICS], size_t *n);
/* How long to wait, at most, for what is stored to be known: once a workload and target, on ZFS. */
int64_t record_settle(const struct recorder *r, size_t workload, size_t target);
void record_judge_cell(struct recorder *r, struct series *s);

/* record_findings.c */
void record_cell_findings(struct recorder *r, size_t workload, size_t target, enum phase phase,
                          struct finding_list *out);

/* record_stop.c: the rule that stops a workload after this many measured blocks, or NULL. The
 * targets are those measured together. */
const char *record_stop(const struct recorder *r, size_t workload, const size_t *targets,
                        size_t n_targets, int64_t measured);

/* lines.c */
void line_run_started(const struct recorder *r, struct buf *out);
void line_iteration(const struct recorder *r, const struct iteration *it,
                    const struct sample *samples, size_t n_samples, struct buf *out);
void line_finding(const struct recorder *r, const struct finding *f, struct buf *out);
void line_run_finished(const struct recorder *r, const char *status, struct buf *out);
/* What the history did not take, as JSON lines in a new file beside it, else in $TMPDIR or /tmp;
 * NULL where nothing could be written. */
const char *spill_iteration(const struct recorder *r, const struct iteration *it,
                            const struct sample *samples, size_t n_samples);

/* progress.c: one line on a terminal, redrawn twice a second by a thread of its own. */
struct progress *progress_open(struct arena *a, bool enabled);
/* what: workload, target, phase; of: how far the run is, 0 .. 1, NaN unknown. */
void progress_begin(struct progress *p, const char *what, double done, int64_t began);
struct work_progress *progress_counter(struct progress *p);
void progress_end(struct progress *p);
void progress_close(struct progress *p);

#endif
