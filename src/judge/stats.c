/*
 * stats.c: one sample, two samples, pairs, and many p values: numbers in, numbers out.
 *
 * Nothing here knows what a run is or what a verdict is called (verdict.c does), keeps memory, or
 * pools variances. Each formula has its source and the error it may have beside it. A relative
 * error of "k eps" means k * 2.2e-16.
 */
#include <errno.h>
#include <float.h>
#include <math.h>

#include "numbers.h"
#include "zhist/stats.h"

#define UNKNOWN ((double)NAN)
static const struct interval no_interval = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};

/* Hyndman & Fan 1996, type 7. Interpolated between two neighbours: 3 eps of the larger. */
static double sorted_quantile(const double *sorted, size_t n, double q) {
    double at = (double)(n - 1) * q, below = floor(at);
    size_t i = (size_t)below;
    if (i + 1 >= n)
        return sorted[n - 1];
    return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}

/* ---- one sample ------------------------------------------------------------------------------ */

/*
 * Two passes (Chan, Golub & LeVeque 1983), the mean refined by the mean of what is left over: it is
 * then right to 2 eps, and that of a constant sample exact. With c = sqrt(1 + mean^2/variance) the
 * relative error of m2 is n eps + (2 eps c)^2; beyond that stands only the rounding of the input
 * (NIST NumAcc3, c = 1e7: 1e-9 of sd).
 */
static void moments(struct summary *s, const double *x, size_t n) {
    double sum = 0, left = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        left += x[i] - mean;
    s->mean = mean + left / (double)n;
    s->m2 = 0;
    for (size_t i = 0; i < n; i++)
        s->m2 += (x[i] - s->mean) * (x[i] - s->mean);
}

struct summary stats_summary(const double *x, size_t n) {
    struct summary s = stats_summary_of(n, UNKNOWN, UNKNOWN);
    if (n == 0 || !all_finite(x, n))
        return s;
    struct arena scratch = {0};
    const double *sorted = sorted_copy(&scratch, x, n);
    s.min = sorted[0];
    s.max = sorted[n - 1];
    s.median = sorted_quantile(sorted, n, 0.5);
    arena_release(&scratch);
    moments(&s, x, n);
    if (n > 1)
        s.sd = sqrt(s.m2 / (double)(n - 1));
    return s;
}

struct summary stats_summary_of(size_t n, double mean, double sd) {
    return (struct summary){.n = n,
                            .mean = mean,
                            .m2 = n > 1 ? sd * sd * (double)(n - 1) : mean - mean,
                            .sd = n > 1 ? sd : UNKNOWN,
                            .min = UNKNOWN,
                            .max = UNKNOWN,
                            .median = UNKNOWN};
}

double stats_quantile(const double *x, size_t n, double q) {
    if (!(q >= 0 && q <= 1)) {
        errno = EDOM;
        return UNKNOWN;
    }
    if (n == 0 || !all_finite(x, n))
        return UNKNOWN;
    struct arena scratch = {0};
    double value = sorted_quantile(sorted_copy(&scratch, x, n), n, q);
    arena_release(&scratch);
    return value;
}

/* NIST's definition: sum of (x[i]-m)(x[i+1]-m) over sum of (x[i]-m)^2. Absolute error n eps c^2. */
double stats_lag1(const double *x, size_t n) {
    struct summary s = stats_summary(x, n);
    if (n < 2 || !(s.m2 > 0))
        return UNKNOWN;
    double products = 0;
    for (size_t i = 0; i + 1 < n; i++)
        products += (x[i] - s.mean) * (x[i + 1] - s.mean);
    return products / s.m2;
}

/* The variance of the mean of an AR(1) series (Bayley & Hammersley 1946, for large n). */
double stats_effective_n(const double *x, size_t n) {
    double size = (double)n;
    if (!all_finite(x, n))
        return UNKNOWN;
    double r1 = stats_lag1(x, n);
    if (!(r1 > 2 / sqrt(size)))
        return size;
    return fmax(2, size * (1 - r1) / (1 + r1));
}

double stats_half_width(const double *x, size_t n) {
    struct summary s = stats_summary(x, n);
    if (n < 2 || isnan(s.mean) || s.mean == 0)
        return UNKNOWN;
    return dist_t_quantile(0.975, (double)(n - 1)) * s.sd /
           (sqrt(stats_effective_n(x, n)) * fabs(s.mean));
}

/* 1.4826 MAD estimates the sd of a normal sample (Hampel 1974); 5 of it spare mere skew. */
size_t stats_outliers(const double *x, size_t n) {
    if (n == 0 || !all_finite(x, n))
        return 0;
    struct arena scratch = {0};
    double *away = sorted_copy(&scratch, x, n);
    double median = sorted_quantile(away, n, 0.5);
    for (size_t i = 0; i < n; i++)
        away[i] = fabs(x[i] - median);
    double limit = 5 * 1.4826 * stats_quantile(away, n, 0.5);
    size_t outliers = 0;
    for (size_t i = 0; i < n; i++)
        outliers += away[i] > limit;
    arena_release(&scratch);
    return outliers;
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* value +- t(df) se. A standard error within the rounding of scale is none. */
static struct interval t_interval(double value, double se, double df, double scale, double level) {
    struct interval i = no_interval;
    i.value = value;
    if (!(level > 0 && level < 1) || !isfinite(value) || !isfinite(se)) {
        errno = EDOM;
        return i;
    }
    if (!(se > 10 * DBL_EPSILON * scale))
        return i;
    double half = dist_t_quantile(1 - (1 - level) / 2, df) * se;
    i.low = value - half;
    i.high = value + half;
    i.t = value / se;
    i.df = df;
    i.p = 2 * dist_t_cdf(-fabs(i.t), df);
    return i;
}

/*
 * Two independent errors (Welch 1938, Satterthwaite 1946). df through the share of each side, since
 * (s^2/n)^2 overflows.
 */
static struct interval welch(double value, double se_a, size_t n_a, double se_b, size_t n_b,
                             double scale, double level) {
    double se = hypot(se_a, se_b), df_a = (double)(n_a - 1), df_b = (double)(n_b - 1);
    double share_a = se > 0 ? se_a / se : 0, share_b = se > 0 ? se_b / se : 0;
    share_a *= share_a;
    share_b *= share_b;
    double df = 1 / (share_a * share_a / df_a + share_b * share_b / df_b);
    return t_interval(value, se, df, scale, level);
}

static double standard_error(const struct summary *s) {
    return s->sd / sqrt((double)s->n);
}

/* A mean that is NaN although there are values: something not finite was among them. */
static bool summary_is_usable(const struct summary *s) {
    if (s->n > 0 && !isfinite(s->mean))
        errno = EDOM;
    return s->n > 0 && isfinite(s->mean);
}

/* Relative error of t, df and the half-width: that of the two sd, and 1e-13 of the quantile. */
struct interval stats_welch(const struct summary *a, const struct summary *b, double level) {
    struct interval i = no_interval;
    if (!summary_is_usable(a) || !summary_is_usable(b))
        return i;
    i.value = b->mean - a->mean;
    if (a->n < 2 || b->n < 2)
        return i;
    return welch(i.value, standard_error(a), a->n, standard_error(b), b->n,
                 fmax(fabs(a->mean), fabs(b->mean)), level);
}

static struct interval exp_interval(struct interval i) {
    i.value = exp(i.value);
    i.low = exp(i.low);
    i.high = exp(i.high);
    return i;
}

static bool is_positive(const struct summary *s) {
    return s->mean > 0 && !(s->min <= 0);
}

/*
 * ln(mB/mA) by the delta method: the variance of ln m is that of m over m^2 (Hedges, Gurevitch &
 * Curtis 1999). Its ends lie within 3 % of the width from Fieller's exact ones while t times the
 * standard error of mA is below 10 % of mA (both tested). Unlike those they always exist.
 */
struct interval stats_log_ratio(const struct summary *a, const struct summary *b, double level) {
    if (!summary_is_usable(a) || !summary_is_usable(b) || !is_positive(a) || !is_positive(b))
        return no_interval;
    struct interval i = no_interval;
    i.value = log(b->mean) - log(a->mean);
    if (a->n > 1 && b->n > 1)
        i = welch(i.value, standard_error(a) / a->mean, a->n, standard_error(b) / b->mean, b->n, 1,
                  level);
    i = exp_interval(i);
    i.value = b->mean / a->mean;
    return i;
}

/* Student 1908. The error is that of the sample's mean and sd. */
struct interval stats_paired_diff(const double *diff, size_t n, double scale, double level) {
    struct summary s = stats_summary(diff, n);
    struct interval i = no_interval;
    if (!summary_is_usable(&s))
        return i;
    i.value = s.mean;
    if (n < 2)
        return i;
    return t_interval(s.mean, standard_error(&s), (double)(n - 1), fmax(scale, fabs(s.mean)),
                      level);
}

/* A logarithm of a ratio carries the rounding of the ratio, eps, whatever its own size. */
struct interval stats_paired_ratio(const double *log_ratio, size_t n, double level) {
    return exp_interval(stats_paired_diff(log_ratio, n, 1, level));
}

/* Of one future value (Hahn & Meeker 1991, 4.7): both its own error and that of the mean. */
struct interval stats_prediction(const struct summary *a, double b, double level) {
    struct interval i = no_interval;
    if (!isfinite(b))
        errno = EDOM;
    if (!isfinite(b) || !summary_is_usable(a))
        return i;
    i.value = b - a->mean;
    if (a->n < 2)
        return i;
    double n = (double)a->n;
    return t_interval(i.value, a->sd * sqrt(1 + 1 / n), n - 1, fmax(fabs(a->mean), fabs(b)), level);
}

struct interval stats_one_against(const struct summary *a, double b, double level) {
    struct interval i = stats_prediction(a, b, level);
    if (isnan(i.value) || !is_positive(a) || b <= 0)
        return no_interval;
    i.value = b / a->mean;
    i.low = 1 + i.low / a->mean;
    i.high = 1 + i.high / a->mean;
    return i;
}

/* ---- many p values --------------------------------------------------------------------------- */

struct ranked {
    double p;
    size_t at;
};

static int compare_ranked(const void *a, const void *b) {
    return compare_doubles(&((const struct ranked *)a)->p, &((const struct ranked *)b)->p);
}

/* Holm 1979, as R's p.adjust: the running maximum of (m - i) p, at most 1. Error: 1 eps. */
void stats_holm(double *p, size_t n) {
    struct arena scratch = {0};
    struct ranked *ranked = n ? arena_new(&scratch, struct ranked, n) : NULL;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(p[i]))
            continue;
        if (p[i] >= 0 && p[i] <= 1) {
            ranked[m++] = (struct ranked){p[i], i};
        } else {
            errno = EDOM;
            p[i] = UNKNOWN;
        }
    }
    if (m > 0)
        qsort(ranked, m, sizeof *ranked, compare_ranked);
    double largest = 0;
    for (size_t i = 0; i < m; i++) {
        largest = fmax(largest, fmin(1, (double)(m - i) * ranked[i].p));
        p[ranked[i].at] = largest;
    }
    arena_release(&scratch);
}
