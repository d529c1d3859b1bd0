/*
 * record_loop.c: blocks of workloads, targets in shuffled order, phases; every iteration is stored
 * durably before the next begins. Nothing is decided here about what the numbers mean.
 */
#include <errno.h>
#include <math.h>
#include <time.h>

#include "recorder.h"
#include "zhist/profile.h"

enum { GIVE_UP_AFTER = 3 }; /* failures of a series in a row: it will not get better by repeating */

struct series *recorder_series(const struct recorder *r, size_t workload, size_t target,
                               enum phase phase) {
    return &r->series[(workload * r->plan->n_targets + target) * PHASES + (size_t)phase];
}

bool record_stopped(const struct recorder *r) {
    return __atomic_load_n(r->call->stop, __ATOMIC_RELAXED) != 0;
}

void record_rest(const struct recorder *r, int64_t ns) {
    int64_t until = clock_monotonic_ns() + ns;
    /* In slices: a signal between the look and the sleep would be slept through. */
    while (ns > 0 && !record_stopped(r)) {
        struct timespec slice = {0, (long)(ns < NS_PER_S / 10 ? ns : NS_PER_S / 10)};
        nanosleep(&slice, NULL);
        ns = until - clock_monotonic_ns();
    }
}

/* What is known of the cell so far. A failed iteration may not have come as far as O_DIRECT. */
static void describe_cell(struct recorder *r, struct series *s, const struct iteration *it) {
    if (s->started && it->status != ITERATION_OK)
        return;
    s->started = true;
    const char *why;
    s->cell = (struct stored_cell){.target = it->target,
                                   .workload = it->workload,
                                   .phase = it->phase,
                                   .engine_effect = work_engine_effect(r->works[it->workload], &why),
                                   .size = r->plan->sizes[it->workload]};
    record_judge_cell(r, s);
}

static void keep_headline(struct recorder *r, struct series *s, const struct iteration *it,
                          const struct sample *samples, size_t n) {
    enum metric headline =
        workload_headline(&r->plan->profile.workloads[it->workload], it->phase);
    for (size_t i = 0; i < n; i++)
        if (samples[i].metric == headline && !it->warmup && samples[i].value > 0) {
            size_t at = s->n;
            *array_add(r->call->arena, s->value, at, s->cap_value) = samples[i].value;
            *array_add(r->call->arena, s->block, s->n, s->cap_block) = it->block;
        }
}

static int store(struct recorder *r, struct series *s, struct iteration *it, struct err *e) {
    struct sample samples[METRICS];
    size_t n;
    record_judge(r, s, it, samples, &n);
    describe_cell(r, s, it);
    if (store_iteration(r->db, &r->run, it, &s->cell, samples, n, e)) {
        size_t len = strlen(e->text);
        r->spilled = spill_iteration(r, it, samples, n);
        if (!r->spilled)
            snprintf(e->text + len, sizeof e->text - len,
                     "; the iteration is lost: no file could be written for it either");
        return -1;
    }
    r->stored++;
    r->failed += it->status == ITERATION_FAILED;
    r->measured += it->status == ITERATION_OK && !it->warmup;
    keep_headline(r, s, it, samples, n);
    if (!r->json)
        return 0;
    struct buf line = {0};
    line_iteration(r, it, samples, n, &line);
    int status = print_out(&line, e);
    buf_release(&line);
    return status;
}

/* What one more iteration cannot mend. */
static bool is_fatal(int errnum) {
    return errnum == ENOSPC || errnum == EDQUOT || errnum == EROFS;
}

/* What a writing phase that runs by time may write, so that max_written holds from the first round
 * on: what is left, in equal shares for those of a round. 0: no limit. */
static int64_t timed_share(const struct recorder *r, size_t w) {
    const struct workload *work = &r->plan->profile.workloads[w];
    int64_t most = r->plan->profile.run.max_written, phases_left = 0;
    if (most == UNKNOWN || !work->time)
        return 0;
    for (size_t k = 0; k < work->n_phases; k++)
        phases_left += phases[work->phase[k]].writes;
    if (!phases_left)
        return 0;
    int64_t share = (most - r->written) / phases_left / (int64_t)r->plan->n_targets;
    return share > 0 ? share : 1;
}

/* With `keep: true` the read of the kept file is the one that counts; later ones of the run read what
 * was just written. Where there was none (the first run), all count. */
static void note_kept(const struct recorder *r, struct series *s, struct iteration *it) {
    const struct workload *work = &r->plan->profile.workloads[it->workload];
    const char *tried = work->keep && phases[it->phase].reads ? work_cold_tried(r->works[it->workload]) : NULL;
    if (s->kept)
        it->warmup = true;
    if (tried && it->status == ITERATION_OK && !it->warmup && strstr(tried, "keep") && !strstr(tried, "keep ("))
        s->kept = true;
}

/* One iteration of one phase. 1: the rest of this block on this target makes no sense. */
static int run_phase(struct recorder *r, size_t w, size_t t, enum phase phase, int64_t block,
                     int64_t position, double done, struct err *e) {
    const struct workload *work = &r->plan->profile.workloads[w];
    struct series *s = recorder_series(r, w, t, phase);
    struct iteration it = {.target = t, .workload = w, .phase = phase, .block = block,
                           .position = position, .ordinal = s->ordinal + 1,
                           .warmup = block <= r->plan->profile.run.warmup};
    char what[300];
    if (r->stored + (r->spilled != NULL) > 0)
        record_rest(r, r->plan->profile.run.pause);
    if (record_stopped(r))
        return err_set(e, ERR_INTERRUPTED, "interrupted");
    snprintf(what, sizeof what, "%s  %s  %s  iteration %lld of %lld%s", work->name,
             r->plan->names[t], phases[phase].name,
             (long long)(it.warmup ? block : block - r->plan->profile.run.warmup),
             (long long)(it.warmup ? r->plan->profile.run.warmup
                                   : r->plan->profile.run.iterations_max),
             it.warmup ? " (warm-up)" : "");
    progress_begin(r->progress, what, done, r->began);
    struct work_watch watch = {.stop = r->call->stop,
                               .bytes = phases[phase].writes ? timed_share(r, w) : 0,
                               .progress = progress_counter(r->progress),
                               .settle = record_settle(r, w, t),
                               .drop_caches = r->plan->profile.run.allow_drop_caches,
                               .meter = r->meters[t]};
    int status = work_run(r->works[w], &r->plan->targets[t], phase, &watch, &it, e);
    progress_end(r->progress);
    if (status)
        return -1;
    s->ordinal++;
    note_kept(r, s, &it);
    if (phases[phase].writes && it.bytes > 0)
        r->written += it.bytes;
    r->written += it.laid_out;
    if (store(r, s, &it, e))
        return -1;
    if (it.status == ITERATION_INTERRUPTED)
        return err_set(e, ERR_INTERRUPTED, "interrupted");
    s->failures = it.status == ITERATION_FAILED ? s->failures + 1 : 0;
    if (it.status != ITERATION_FAILED)
        return 0;
    if (is_fatal(it.errnum))
        return err_set(e, ERR_FAILED,
                       "%s on %s, %s: iteration %lld failed and is stored as failed: %s; %s, or "
                       "measure elsewhere with --target",
                       work->name, r->plan->names[t], phases[phase].name, (long long)it.ordinal,
                       it.failed,
                       it.errnum == EROFS ? "mount it read-write" : "make room there");
    print_note("%s on %s, %s: iteration %lld failed: %s", work->name, r->plan->names[t],
               phases[phase].name, (long long)it.ordinal, it.failed);
    if (s->failures >= GIVE_UP_AFTER)
        r->stop_rule[w] = "failed";
    return 1;
}

static void shuffle(struct recorder *r, size_t *order, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)(random_next(&r->random) % i);
        size_t keep = order[i - 1];
        order[i - 1] = order[k];
        order[k] = keep;
    }
}

/* A workload once on each target, in shuffled order. */
static int run_round(struct recorder *r, size_t w, size_t *order, size_t n, int64_t block,
                     double done, struct err *e) {
    const struct workload *work = &r->plan->profile.workloads[w];
    int64_t began = clock_monotonic_ns(), written = r->written;
    shuffle(r, order, n);
    for (size_t i = 0; i < n; i++) {
        int status = 0;
        for (size_t k = 0; k < work->n_phases && !status; k++)
            status = run_phase(r, w, order[i], work->phase[k], block, (int64_t)i, done, e);
        struct err ignored;
        if (work_clean(r->works[w], &r->plan->targets[order[i]], status < 0 ? &ignored : e) ||
            status < 0)
            return -1;
    }
    r->round_time[w] = clock_monotonic_ns() - began;
    r->round_written[w] = r->written - written;
    return 0;
}

/* Time and wear: a round that would pass a limit is not begun. */
static const char *limit(const struct recorder *r, size_t w, size_t n_targets) {
    const struct run_spec *run = &r->plan->profile.run;
    double bytes = (double)plan_round_written(r->plan, w) * (double)n_targets;
    if (bytes < (double)r->round_written[w])
        bytes = (double)r->round_written[w];
    if (run->max_time != UNKNOWN &&
        clock_monotonic_ns() - r->began + r->round_time[w] > run->max_time)
        return "time";
    if (run->max_written != UNKNOWN &&
        (double)r->written + bytes > (double)run->max_written)
        return "written";
    return NULL;
}

/* Targets measured together: all when interleaved, else one after the other. */
static int run_group(struct recorder *r, const size_t *targets, size_t n_targets, double done_from,
                     double done_share, struct err *e) {
    const struct profile *p = &r->plan->profile;
    size_t *order = arena_new(r->call->arena, size_t, n_targets), running = p->n_workloads;
    memcpy(order, targets, n_targets * sizeof *order);
    memset(r->stop_rule, 0, p->n_workloads * sizeof *r->stop_rule);
    double total = (double)(p->run.iterations_max + p->run.warmup) * (double)p->n_workloads;
    for (int64_t block = 1; running; block++) {
        for (size_t w = 0; w < p->n_workloads; w++) {
            if (r->stop_rule[w])
                continue;
            double done = done_from + done_share *
                          ((double)(block - 1) * (double)p->n_workloads + (double)w) / total;
            r->stop_rule[w] = limit(r, w, n_targets);
            if (!r->stop_rule[w] && run_round(r, w, order, n_targets, block, done, e))
                return -1;
            if (!r->stop_rule[w] && block > p->run.warmup)
                r->stop_rule[w] = record_stop(r, w, targets, n_targets, block - p->run.warmup);
            running -= r->stop_rule[w] != NULL;
        }
    }
    return 0;
}

/* Every cell learns why its workload stopped. */
static void note_rules(struct recorder *r, const size_t *targets, size_t n, const char *otherwise) {
    const struct profile *p = &r->plan->profile;
    for (size_t w = 0; w < p->n_workloads; w++)
        for (size_t t = 0; t < n; t++)
            for (size_t k = 0; k < p->workloads[w].n_phases; k++)
                recorder_series(r, w, targets[t], p->workloads[w].phase[k])->cell.stop_rule =
                    r->stop_rule[w] ? r->stop_rule[w] : otherwise;
}

int record_loop(struct recorder *r, struct err *e) {
    size_t n = r->plan->n_targets, *all = arena_new(r->call->arena, size_t, n);
    size_t together = r->plan->profile.run.interleaved ? n : 1;
    int status = 0;
    for (size_t i = 0; i < n; i++)
        all[i] = i;
    for (size_t i = 0; i < n && !status; i += together) {
        double share = (double)together / (double)n;
        status = run_group(r, all + i, together, (double)i / (double)n, share, e);
        note_rules(r, all + i, together,
                   status && e->kind == ERR_INTERRUPTED ? "interrupted" : "failed");
    }
    return status;
}
