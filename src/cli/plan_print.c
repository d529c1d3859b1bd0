/*
 * plan_print.c: the plan for a person (--dry-run): targets, workloads, what will be written, how
 * long it will take. Estimates say what they rest on.
 */
#include <math.h>

#include "plan.h"
#include "zhist/unit.h"
#include "zhist/work.h"

/* Where the profile does not say what a disk does: a hard disk of today. */
static const double USUAL_RATE = 150e6; /* B/s */
/* What a file costs beside its bytes where it must be sought, and where its name is looked up. */
static const double FILE_SECONDS = 0.002, NAME_SECONDS = 0.0001;

static double rate_of(const struct profile *p) {
    return isfinite(p->hardware.disk_throughput) ? p->hardware.disk_throughput : USUAL_RATE;
}

static double set_seconds(const struct profile *p, const struct workload *w, enum phase phase) {
    bool names = phase == PHASE_LIST || phase == PHASE_STAT || phase == PHASE_RENAME;
    bool moves = phase == PHASE_CREATE || phase == PHASE_READ;
    return (double)w->files * (names ? NAME_SECONDS : FILE_SECONDS) +
           (moves ? (double)w->total / rate_of(p) : 0);
}

static void add_phase(struct plan_estimate *sum, const struct profile *p, const struct workload *w,
                      int64_t size, enum phase phase) {
    double bytes = (double)size * w->jobs, rate = rate_of(p);
    if (w->kind == KIND_FILESET) {
        sum->seconds += set_seconds(p, w, phase);
        return;
    }
    if (phases[phase].random && isfinite(p->hardware.disk_iops))
        rate = fmin(rate, p->hardware.disk_iops * (double)w->block);
    double seconds = w->time ? (double)w->time / 1e9 : bytes / rate;
    sum->seconds += seconds;
    if (phases[phase].writes && w->time) {
        sum->timed = true;
        sum->written += seconds * rate;
    }
}

struct plan_estimate plan_estimate(const struct plan *plan) {
    const struct profile *p = &plan->profile;
    struct plan_estimate sum = {0};
    for (size_t i = 0; i < p->n_workloads; i++) {
        const struct workload *w = &p->workloads[i];
        if (w->engine == ENGINE_NULL)
            continue;
        for (size_t k = 0; k < w->n_phases; k++)
            add_phase(&sum, p, w, plan->sizes[i], w->phase[k]);
        if (w->kind == KIND_FILESET && w->phase[0] != PHASE_CREATE)
            sum.seconds += set_seconds(p, w, PHASE_CREATE); /* its layout */
        if (w->kind == KIND_FILE && w->phase[0] != PHASE_WRITE)
            sum.seconds += (double)plan->sizes[i] * w->jobs / rate_of(p); /* its layout */
        sum.written += (double)plan_round_written(plan, i);
    }
    sum.seconds *= (double)plan->n_targets;
    sum.written *= (double)plan->n_targets;
    return sum;
}

static void put_seconds(struct buf *out, double seconds) {
    double whole = seconds < 120 ? ceil(seconds) : ceil(seconds / 60) * 60;
    unit_put_duration(out, (int64_t)(fmin(whole, 9e8) * 1e9));
}

static void put_set(const struct workload *w, struct buf *out) {
    buf_fmt(out, "; %lld file%s of ", (long long)w->files, w->files > 1 ? "s" : "");
    unit_put(out, (double)w->total, "B", UNITS_SI);
    buf_fmt(out, "%s in %lld director%s", w->files > 1 ? " together" : "", (long long)w->dirs,
            w->dirs > 1 ? "ies" : "y");
    if (w->jobs > 1)
        buf_fmt(out, ", %d jobs", w->jobs);
    buf_str(out, "\n");
}

static void put_workload(const struct workload *w, int64_t size, struct buf *out) {
    buf_fmt(out, "  %s: ", w->name);
    for (size_t k = 0; k < w->n_phases; k++)
        buf_fmt(out, "%s%s", k ? ", " : "", phases[w->phase[k]].name);
    if (w->kind == KIND_FILESET) {
        put_set(w, out);
        return;
    }
    buf_fmt(out, "; %d file%s of ", w->jobs, w->jobs > 1 ? "s" : "");
    unit_put_exact(out, size);
    buf_str(out, ", blocks of ");
    unit_put_exact(out, w->block);
    if (w->time) {
        buf_str(out, ", ");
        unit_put_duration(out, w->time);
        buf_str(out, " a phase");
    }
    buf_str(out, "\n");
}

static void put_iterations(const struct run_spec *r, struct buf *out) {
    buf_fmt(out, "\nIterations: %d warm-up, ", r->warmup);
    if (r->steady_snia)
        buf_fmt(out, "at most %lld measured, until five in a row are alike (steady: snia)\n",
                (long long)r->iterations_max);
    else if (r->iterations_min == r->iterations_max)
        buf_fmt(out, "%lld measured\n", (long long)r->iterations_max);
    else
        buf_fmt(out, "%lld to %lld measured, until the interval is within %.3g %%\n",
                (long long)r->iterations_min, (long long)r->iterations_max, 100 * r->precision);
}

static void put_written(const struct run_spec *r, const struct plan_estimate *block, struct buf *out) {
    double most = block->written * (double)(r->iterations_max + r->warmup);
    double year = 365.0 * 86400e9 / (double)(r->every == UNKNOWN ? 86400 * NS_PER_S : r->every);
    bool capped = r->max_written != UNKNOWN && most > (double)r->max_written;
    if (capped)
        most = (double)r->max_written;
    buf_str(out, block->timed && !capped ? "Written: about " : "Written: at most ");
    unit_put(out, most, "B", UNITS_SI);
    buf_str(out, " a run, ");
    unit_put(out, most * year, "B", UNITS_SI);
    buf_str(out, r->every == UNKNOWN ? " a year if run daily" : " a year at its interval");
    buf_str(out, block->timed && !capped ? " (phases that run by time write what the storage takes)\n"
                                         : "\n");
}

static void put_time(const struct profile *p, const struct plan_estimate *block, struct buf *out) {
    const struct run_spec *r = &p->run;
    double pause = (double)r->pause / 1e9;
    double low = (block->seconds + pause) * (double)(r->iterations_min + r->warmup);
    double high = (block->seconds + pause) * (double)(r->iterations_max + r->warmup);
    buf_str(out, "Time: about ");
    put_seconds(out, low);
    if (high > low) {
        buf_str(out, " to ");
        put_seconds(out, high);
    }
    buf_fmt(out, " where a disk does %.0f MB/s%s\n", rate_of(p) / 1e6,
            isfinite(p->hardware.disk_throughput) ? "" : " (the profile does not say)");
    if (r->max_time != UNKNOWN) {
        buf_str(out, "      no round is begun that would pass ");
        unit_put_duration(out, r->max_time);
        buf_str(out, "\n");
    }
}

void plan_print(const struct plan *plan, const struct finding_list *findings, struct buf *out) {
    const struct profile *p = &plan->profile;
    struct plan_estimate block = plan_estimate(plan);
    buf_fmt(out, "Profile %s%s: nothing is measured or written (--dry-run).\n\nTargets\n", p->name,
            plan->quick ? ", quick" : "");
    for (size_t i = 0; i < plan->n_targets; i++) {
        buf_str(out, "  ");
        buf_clean(out, plan->names[i]);
        buf_str(out, ": ");
        buf_clean(out, plan->paths[i]);
        buf_str(out, ", ");
        unit_put(out, (double)plan->targets[i].free_bytes, "B", UNITS_SI);
        buf_str(out, " free\n");
    }
    buf_str(out, "\nWorkloads\n");
    for (size_t i = 0; i < p->n_workloads; i++)
        put_workload(&p->workloads[i], plan->sizes[i], out);
    put_iterations(&p->run, out);
    put_written(&p->run, &block, out);
    buf_str(out, "Space: ");
    unit_put(out, (double)plan->space, "B", UNITS_SI);
    buf_str(out, " at a time on each target\n");
    put_time(p, &block, out);
    plan_put_findings(findings, out);
}
