/*
 * series.c: the shape of a run: one number an iteration, in order. Each word needs both: that it
 * is hardly chance, and that it is large enough to matter (delta).
 *
 * How often runs without any of it get a word, simulated in unit_series_shape.c over 5 to 50
 * iterations and spreads of 2 to 30 %: drift and first-differs at most 1.5 % of runs (1 % is
 * asked), outliers at most 2 %.
 */
#include <math.h>
#include <string.h>

#include "zhist/stats.h"
#include "zhist/witness.h"

enum {
    DRIFT_LEAST = 10,    /* statistics.md */
    FIRST_LEAST = 4,     /* three others: fewer have no spread of their own to speak of */
    OUTLIERS_LEAST = 10, /* the MAD of fewer is often far too small by chance */
};
static const double DRIFT_P = 0.01, FIRST_LEVEL = 0.99;
/* statistics.md: 5 robust standard deviations (of a normal sample: 1.4826 MAD). The MAD of a small
 * sample is too small by chance now and then: (1 + 5/n) times as much keeps the rate above. */
static const double FAR = 5 * 1.4826, FEW = 5;

/* Times and rates are skewed: what is far must be so as a ratio too, where all are positive. */
struct scales {
    double *x[2];
    size_t n_scales, n;
};

static struct scales scales_of(struct arena *a, const double *x, size_t n) {
    struct scales s = {{arena_new(a, double, n), arena_new(a, double, n)}, 2, n};
    memcpy(s.x[0], x, n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        if (x[i] > 0)
            s.x[1][i] = log(x[i]);
        else
            s.n_scales = 1;
    }
    return s;
}

/* Share of the median. NaN: there is none. */
static double away(double x, double median) {
    return median != 0 ? (x - median) / fabs(median) : (double)NAN;
}

/* A very long run is averaged in groups first: the test looks at all pairs. */
static size_t shorten(struct arena *a, const double *x, size_t n, double **means) {
    size_t width = (n + TREND_MAX - 1) / TREND_MAX, groups = n / width;
    *means = arena_new(a, double, groups);
    for (size_t i = 0; i < groups * width; i++)
        (*means)[i / width] += x[i] / (double)width;
    return groups;
}

static void look_for_drift(struct arena *a, const double *x, size_t n, double median, double delta,
                           struct series_shape *out) {
    if (n < DRIFT_LEAST)
        return;
    double *means = NULL;
    size_t groups = shorten(a, x, n, &means);
    struct trend t = stats_trend(means, groups);
    out->drift_p = t.p;
    out->change = median != 0 ? t.slope * (double)(groups - 1) / fabs(median) : (double)NAN;
    out->drift = t.p <= DRIFT_P && fabs(out->change) >= delta;
}

struct middle {
    double median, limit; /* what is further away is far */
};

static struct middle middle_of(struct arena *a, const double *x, size_t n) {
    double *apart = arena_new(a, double, n), median = stats_quantile(x, n, 0.5);
    for (size_t i = 0; i < n; i++)
        apart[i] = fabs(x[i] - median);
    return (struct middle){median, FAR * (1 + FEW / (double)n) * stats_quantile(apart, n, 0.5)};
}

static bool is_far(double x, struct middle m) {
    return fabs(x - m.median) > m.limit;
}

/* Outside the prediction interval of the others? Where they are constant there is none. */
static bool is_unlikely(double x, const double *others, size_t n) {
    struct summary s = stats_summary(others, n);
    struct interval i = stats_prediction(&s, x, FIRST_LEVEL);
    return isnan(i.p) ? x != s.median : i.p <= 1 - FIRST_LEVEL;
}

static void look_at_first(struct arena *a, const struct scales *s, double delta,
                          struct series_shape *out) {
    if (s->n < FIRST_LEAST)
        return;
    out->first = away(s->x[0][0], stats_quantile(s->x[0] + 1, s->n - 1, 0.5));
    out->first_differs = fabs(out->first) >= delta;
    for (size_t k = 0; k < s->n_scales; k++)
        out->first_differs &= is_unlikely(s->x[k][0], s->x[k] + 1, s->n - 1) &&
                              is_far(s->x[k][0], middle_of(a, s->x[k] + 1, s->n - 1));
}

static void look_for_outliers(struct arena *a, const struct scales *s, double delta,
                              struct series_shape *out) {
    if (s->n < OUTLIERS_LEAST)
        return;
    struct middle m[2] = {middle_of(a, s->x[0], s->n)};
    if (s->n_scales > 1)
        m[1] = middle_of(a, s->x[1], s->n);
    for (size_t i = 0; i < s->n; i++) {
        bool far = fabs(away(s->x[0][i], m[0].median)) >= delta;
        for (size_t k = 0; k < s->n_scales; k++)
            far &= is_far(s->x[k][i], m[k]);
        out->outliers += far;
    }
}

void series_shape(const double *x, size_t n, double delta, struct series_shape *out) {
    *out =
        (struct series_shape){.drift_p = (double)NAN, .change = (double)NAN, .first = (double)NAN};
    struct summary summary = stats_summary(x, n);
    if (isnan(summary.mean))
        return;
    struct arena scratch = {0};
    struct scales s = scales_of(&scratch, x, n);
    look_for_drift(&scratch, x, n, summary.median, delta, out);
    look_at_first(&scratch, &s, delta, out);
    look_for_outliers(&scratch, &s, delta, out);
    arena_release(&scratch);
}
