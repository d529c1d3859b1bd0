/*
 * series.c: the shape of a run: one number an iteration, in order. Each word needs both: that it
 * is hardly chance, and that it is large enough to matter (delta).
 *
 * How often runs without any of it get a word (simulated in unit_series_shape.c): drift below 1 %,
 * first-differs below 1 %, outliers below 2 % of runs.
 */
#include <math.h>

#include "zhist/stats.h"
#include "zhist/witness.h"

enum {
    DRIFT_LEAST = 10,    /* statistics.md */
    FIRST_LEAST = 4,     /* three others: fewer have no spread of their own to speak of */
    OUTLIERS_LEAST = 10, /* the MAD of fewer is often far too small by chance */
};
static const double DRIFT_P = 0.01, FIRST_LEVEL = 0.99;
/* statistics.md: 5 robust standard deviations (of a normal sample: 1.4826 MAD). */
static const double FAR = 5 * 1.4826;

/* Share of the median. NaN: there is none. */
static double away(double x, double median) {
    return median != 0 ? (x - median) / fabs(median) : (double)NAN;
}

static void look_for_drift(const double *x, size_t n, double median, double delta,
                           struct series_shape *out) {
    if (n < DRIFT_LEAST || n > TREND_MAX)
        return;
    struct trend t = stats_trend(x, n);
    out->drift_p = t.p;
    out->change = median != 0 ? t.slope * (double)(n - 1) / fabs(median) : (double)NAN;
    out->drift = t.p <= DRIFT_P && fabs(out->change) >= delta;
}

static double far_limit(struct arena *a, const double *x, size_t n, double median) {
    double *apart = arena_new(a, double, n);
    for (size_t i = 0; i < n; i++)
        apart[i] = fabs(x[i] - median);
    return FAR * stats_quantile(apart, n, 0.5);
}

/* Outside the prediction interval of the others, and far by their MAD: an outlier among them makes
 * the first wide, skew the second. */
static void look_at_first(struct arena *a, const double *x, size_t n, double delta,
                          struct series_shape *out) {
    if (n < FIRST_LEAST)
        return;
    struct summary others = stats_summary(x + 1, n - 1);
    struct interval i = stats_prediction(&others, x[0], FIRST_LEVEL);
    out->first = away(x[0], others.median);
    bool unlikely = isnan(i.p) ? !(others.sd > 0) : i.p <= 1 - FIRST_LEVEL;
    out->first_differs = unlikely && fabs(out->first) >= delta &&
                         fabs(x[0] - others.median) > far_limit(a, x + 1, n - 1, others.median);
}

void series_shape(const double *x, size_t n, double delta, struct series_shape *out) {
    *out =
        (struct series_shape){.drift_p = (double)NAN, .change = (double)NAN, .first = (double)NAN};
    struct summary s = stats_summary(x, n);
    if (isnan(s.mean))
        return;
    struct arena scratch = {0};
    look_for_drift(x, n, s.median, delta, out);
    look_at_first(&scratch, x, n, delta, out);
    double limit = far_limit(&scratch, x, n, s.median);
    for (size_t i = 0; i < n && n >= OUTLIERS_LEAST; i++)
        out->outliers += fabs(x[i] - s.median) > limit && fabs(away(x[i], s.median)) >= delta;
    arena_release(&scratch);
}
