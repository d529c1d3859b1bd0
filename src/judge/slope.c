/*
 * slope.c: is it a slow drift rather than steps? A level that from some day on follows a line, by
 * least squares, against the levels that a search for steps gave.
 */
#include <errno.h>
#include <float.h>
#include <math.h>

#include "zhist/change.h"

#define UNKNOWN ((double)NAN)

/* n ln(SSE/n) + k ln n (Schwarz 1978): the smaller fits better for what it takes. */
static double schwarz(double sse, double scale, size_t n, double parameters) {
    double least = 64 * DBL_EPSILON * DBL_EPSILON * scale * scale * (double)n; /* rounding */
    return (double)n * log(fmax(sse, fmax(least, DBL_MIN)) / (double)n) +
           parameters * log((double)n);
}

/* Of the levels from `from` on. */
static double steps_cost(const double *x, size_t from, size_t n, const struct change *steps,
                         size_t n_steps) {
    double sse = 0, mean = stats_summary(x + from, n - from).mean;
    size_t size = n - from;
    for (size_t i = 0; i <= n_steps; i++) {
        size_t to = i < n_steps ? steps[i].at : n;
        sse += stats_summary(x + from, to - from).m2;
        from = to;
    }
    return schwarz(sse, mean, size, 1 + 2 * (double)n_steps);
}

struct fit {
    double level, slope, sse, sxx;
};

/* Sums over the values from `from` on: of u = t - t[from], of u^2, and of u (x - mean). */
struct sums {
    double u, uu, ux, x;
    size_t n;
};

/* Seen from an earlier start: every u grows by `step`, and the new value has none. */
static void extend(struct sums *s, double step, double away) {
    s->uu += 2 * step * s->u + (double)s->n * step * step;
    s->ux += step * s->x;
    s->u += (double)s->n * step;
    s->x += away;
    s->n++;
}

/* x = level + slope max(0, t - t[from]), by least squares over all n values. */
static struct fit fit_of(const struct sums *s, size_t n, double mean, double m2) {
    double middle = s->u / (double)n;
    struct fit f = {.sxx = s->uu - s->u * middle};
    f.slope = f.sxx > 0 ? s->ux / f.sxx : 0;
    f.level = mean - f.slope * middle;
    f.sse = fmax(0, m2 - f.slope * s->ux);
    return f;
}

static bool in_order(const double *t, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || !isfinite(t[i]) || (i > 0 && t[i] < t[i - 1])) {
            errno = EDOM;
            return false;
        }
    return true;
}

struct slope stats_slope(const double *t, const double *x, size_t n) {
    struct slope s = {.p = UNKNOWN, .cost = UNKNOWN, .before = UNKNOWN, .after = UNKNOWN,
                      .low = UNKNOWN, .high = UNKNOWN};
    if (n < SLOPE_LEAST || n > CHANGE_MOST || !in_order(t, x, n) || !(t[n - 1] - t[0] > 0))
        return s;
    struct summary all = stats_summary(x, n);
    double mean = all.mean;
    struct sums sums = {0};
    struct fit best = {.sse = HUGE_VAL};
    for (size_t from = n; from-- > 0;) {
        extend(&sums, from + 1 < n ? t[from + 1] - t[from] : 0, x[from] - mean);
        struct fit f = fit_of(&sums, n, mean, all.m2);
        if (from + SLOPE_LEAST <= n && f.sxx > 0 && f.sse <= best.sse) {
            best = f;
            s.from = from;
        }
    }
    double span = t[n - 1] - t[s.from], df = (double)n - 3;
    double half = dist_t_quantile(0.975, df) * sqrt(best.sse / df / best.sxx) * span;
    s.p = stats_mann_kendall(x, n);
    s.cost = schwarz(best.sse, mean, n, s.from ? 3 : 2);
    s.span = span;
    s.before = best.level;
    s.after = best.level + best.slope * span;
    s.low = s.after - half;
    s.high = s.after + half;
    return s;
}

static bool is_drift(const struct slope *s, double steps, double delta) {
    double share = s->before > 0 && s->after > 0 ? fabs(log(s->after / s->before))
                                                 : fabs(s->after - s->before) / fabs(s->before);
    return s->cost < steps && s->span >= SLOPE_DAYS && share >= log1p(delta) && s->p <= 0.01;
}

/* Of a long series the last values: what was found there, by the indices of all. */
static size_t of_the_last(const double *t, const double *x, size_t n, const struct change_ask *ask,
                          struct change *out, size_t max, struct slope *drift) {
    size_t skip = n - CHANGE_MOST;
    size_t count = stats_levels(t + skip, x + skip, CHANGE_MOST, ask, out, max, drift);
    drift->from += skip;
    for (size_t i = 0; i < count; i++) {
        out[i].at += skip;
        out[i].from += skip;
        out[i].to += skip;
    }
    return count;
}

size_t stats_levels(const double *t, const double *x, size_t n, const struct change_ask *ask,
                    struct change *out, size_t max, struct slope *drift) {
    if (n > CHANGE_MOST)
        return of_the_last(t, x, n, ask, out, max, drift);
    struct change_ask all = *ask;
    all.delta = 0; /* what is too small to tell still says that it was a step */
    size_t n_all = stats_changes(x, n, &all, out, max);
    for (size_t i = 0; i <= n_all; i++) {
        size_t from = i ? out[i - 1].at : 0;
        *drift = stats_slope(t + from, x + from, n - from);
        if (!is_drift(drift, steps_cost(x, from, n, out + i, n_all - i), ask->delta))
            continue;
        size_t flat = drift->from; /* a step before is judged by what is level behind it */
        drift->from += from;
        return stats_drop_small(x, from + (flat >= CHANGE_SEGMENT ? flat : SLOPE_LEAST), ask->delta,
                                out, i);
    }
    drift->p = UNKNOWN;
    return stats_drop_small(x, n, ask->delta, out, n_all);
}
