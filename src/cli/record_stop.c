/*
 * record_stop.c: when a workload has been measured often enough: the fixed number, the precision
 * asked for, the steady state, or the maximum. Time and written bytes are the loop's business.
 */
#include <math.h>

#include "recorder.h"
#include "zhist/profile.h"
#include "zhist/stats.h"

/* Fewer say nothing about spread (statistics.md of the plan: "Stopping"). */
enum { LEAST = 10, LEAST_QUICK = 3 };

/* Log-ratios of two series over the blocks that both have. */
static size_t pair(const struct series *x, const struct series *y, double *out) {
    size_t n = 0;
    for (size_t i = 0, k = 0; i < x->n && k < y->n;) {
        if (x->block[i] < y->block[k])
            i++;
        else if (x->block[i] > y->block[k])
            k++;
        else
            out[n++] = log(y->value[k++] / x->value[i++]);
    }
    return n;
}

/* Half of the 95 % interval of a mean log-ratio is, to first order, that share of the ratio. */
static bool ratio_precise(const struct series *x, const struct series *y, double precision) {
    double *ratio = must(calloc(x->n + 1, sizeof *ratio));
    size_t n = pair(x, y, ratio);
    struct summary s = stats_summary(ratio, n);
    double n_eff = stats_effective_n(ratio, n);
    free(ratio);
    return n > 1 && dist_t_quantile(0.975, (double)n - 1) * s.sd / sqrt(n_eff) <= precision;
}

static bool precise(const struct recorder *r, size_t w, const size_t *targets, size_t n_targets,
                    size_t least) {
    const struct workload *work = &r->plan->profile.workloads[w];
    double precision = r->plan->profile.run.precision;
    bool paired = r->plan->profile.run.interleaved;
    for (size_t k = 0; k < work->n_phases; k++) {
        const struct series *first = recorder_series(r, w, targets[0], work->phase[k]);
        for (size_t t = 0; t < n_targets; t++) {
            const struct series *s = recorder_series(r, w, targets[t], work->phase[k]);
            if (s->n < least || !(stats_half_width(s->value, s->n) <= precision))
                return false;
            if (paired && t && !ratio_precise(first, s, precision))
                return false;
        }
    }
    return true;
}

static bool steady(const struct recorder *r, size_t w, const size_t *targets, size_t n_targets) {
    const struct workload *work = &r->plan->profile.workloads[w];
    for (size_t k = 0; k < work->n_phases; k++)
        for (size_t t = 0; t < n_targets; t++) {
            const struct series *s = recorder_series(r, w, targets[t], work->phase[k]);
            if (!steady_state(s->value, s->n).steady)
                return false;
        }
    return true;
}

const char *record_stop(const struct recorder *r, size_t workload, const size_t *targets,
                        size_t n_targets, int64_t measured) {
    const struct run_spec *run = &r->plan->profile.run;
    int64_t least = r->plan->quick ? LEAST_QUICK : LEAST;
    if (run->steady_snia) {
        if (measured >= run->iterations_min && steady(r, workload, targets, n_targets))
            return "steady";
        return measured >= run->iterations_max ? "maximum" : NULL;
    }
    if (run->iterations_min == run->iterations_max)
        return measured >= run->iterations_max ? "fixed" : NULL;
    if (run->iterations_min > least)
        least = run->iterations_min;
    if (measured >= least && precise(r, workload, targets, n_targets, (size_t)least))
        return "precision";
    return measured >= run->iterations_max ? "maximum" : NULL;
}
