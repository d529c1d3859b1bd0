/*
 * drift.c: does a series move one way? Mann-Kendall's test, Theil-Sen's slope. Equal steps.
 *
 * The test asks about order only: one outlier cannot make a trend, and a step is one as well
 * (whoever wants to tell them apart looks for steps first).
 */
#include <math.h>

#include "numbers.h"
#include "zhist/stats.h"

/* Beyond, the normal approximation is right to 1e-3 of p where p is around 0.01. */
enum { EXACT_MAX = 50 };

/*
 * P(at most k of n(n-1)/2 pairs are in the wrong order), all orders alike (Kendall 1938): the
 * polynomial prod (1 + q + ... + q^(i-1))/i, one factor after the other. Relative error: n eps.
 */
static double inversions_cdf(size_t n, size_t k) {
    static const size_t most = EXACT_MAX * (EXACT_MAX - 1) / 2 + 1;
    struct arena scratch = {0};
    double *now = arena_new(&scratch, double, most), *next = arena_new(&scratch, double, most);
    now[0] = 1;
    for (size_t i = 2, top = 1; i <= n; i++) {
        double window = 0;
        top += i - 1;
        for (size_t j = 0; j < top; j++) {
            /* Summed anew where terms leave: a difference would lose the small tail. */
            window = 0;
            for (size_t back = 0; back < i && back <= j; back++)
                window += now[j - back];
            next[j] = window / (double)i;
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    double p = 0;
    for (size_t j = 0; j <= k && j < most; j++)
        p += now[j];
    arena_release(&scratch);
    return p;
}

/* n(n-1)(2n+5)/18, less t(t-1)(2t+5)/18 for each group of t equal values (Kendall 1955). */
static double variance_of_s(const double *sorted, size_t n, bool *ties) {
    double v = (double)n * ((double)n - 1) * (2 * (double)n + 5);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && !(sorted[next] > sorted[i]);)
            next++;
        double t = (double)(next - i);
        *ties |= t > 1;
        v -= t * (t - 1) * (2 * t + 5);
    }
    return v / 18;
}

static double score(const double *x, size_t n) {
    double s = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            s += (x[j] > x[i]) - (x[j] < x[i]);
    return s;
}

/* Sen 1968: the median of n(n-1)/2 slopes. */
static double slope_of(struct arena *scratch, const double *x, size_t n) {
    double *slopes = arena_new(scratch, double, n *(n - 1) / 2);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            slopes[k++] = (x[j] - x[i]) / (double)(j - i);
    return stats_quantile(slopes, k, 0.5);
}

/* With S moved by one towards 0: it is discrete. */
static double z_of(double s, double variance) {
    return s == 0 ? 0 : (s > 0 ? s - 1 : s + 1) / sqrt(variance);
}

static double p_of(const struct trend *t, size_t n, bool ties) {
    if (ties || n > EXACT_MAX)
        return fmin(1, 2 * dist_normal_cdf(-fabs(t->z)));
    double pairs = (double)n * ((double)n - 1) / 2;
    return fmin(1, 2 * inversions_cdf(n, (size_t)((pairs - fabs(t->s)) / 2)));
}

/* The test's part of t. */
static void mann_kendall(struct arena *scratch, const double *x, size_t n, struct trend *t) {
    bool ties = false;
    t->s = score(x, n);
    t->variance = variance_of_s(sorted_copy(scratch, x, n), n, &ties);
    if (n >= 3 && t->variance > 0) {
        t->z = z_of(t->s, t->variance);
        t->p = p_of(t, n, ties);
    }
}

double stats_mann_kendall(const double *x, size_t n) {
    struct trend t = {.p = (double)NAN};
    struct arena scratch = {0};
    if (n >= 3 && n <= TREND_MAX)
        mann_kendall(&scratch, x, n, &t);
    arena_release(&scratch);
    return t.p;
}

struct trend stats_trend(const double *x, size_t n) {
    const double none = (double)NAN;
    struct trend t = {none, none, none, none, none, none};
    struct arena scratch = {0};
    if (!all_finite(x, n) || n < 2 || n > TREND_MAX)
        return t;
    mann_kendall(&scratch, x, n, &t);
    t.slope = slope_of(&scratch, x, n);
    t.intercept = stats_quantile(x, n, 0.5) - t.slope * (double)(n - 1) / 2;
    arena_release(&scratch);
    return t;
}
