/*
 * rank.c: what does not trust the means: Hodges-Lehmann's shift with its interval, and the
 * Mann-Whitney and signed-rank tests that go with it. One outlier moves none of them.
 *
 * Where values are few, the distribution of the rank sum is counted, also with ties (then given
 * the ties that are there); else the normal one with the variance of the ties and a continuity
 * correction stands in.
 */
#include <float.h>
#include <math.h>

#include "numbers.h"
#include "zhist/stats.h"

#define UNKNOWN ((double)NAN)

enum {
    EXACT_PAIRS = 2500, /* n_a * n_b without ties */
    EXACT_TIED = 60,    /* n_a + n_b with ties, and differences of a signed-rank test */
};

static size_t tie_end(const double *sorted, size_t n, size_t from) {
    size_t i = from + 1;
    while (i < n && !(sorted[i] > sorted[from]))
        i++;
    return i;
}

/* ---- order statistics of all differences b - a, or of all means of two ------------------------ */

/* Doubles in their order as whole numbers, so that halving an interval of them ends. */
static int64_t order_of(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double value_at(int64_t order) {
    double x;
    int64_t bits = order < 0 ? INT64_MIN - order : order;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Two sorted lists; walsh: only one, whose values are averaged with each other (i <= j). */
struct pairs {
    const double *a, *b;
    size_t n_a, n_b;
    bool walsh;
};

static double of_pair(const struct pairs *p, size_t i, size_t j) {
    return p->walsh ? p->a[i] / 2 + p->a[j] / 2 : p->b[j] - p->a[i];
}

/* How many are at most v: one walk through both lists, since each row and column is sorted. */
static size_t count_to(const struct pairs *p, double v) {
    size_t count = 0;
    if (p->walsh) {
        for (size_t i = 0, j = p->n_a; i < p->n_a; i++) {
            while (j > 0 && of_pair(p, i, j - 1) > v)
                j--;
            count += j > i ? j - i : 0;
        }
        return count;
    }
    for (size_t i = 0, j = 0; i < p->n_a; i++) {
        while (j < p->n_b && of_pair(p, i, j) <= v)
            j++;
        count += j;
    }
    return count;
}

/* The k-th smallest, from 1: exact, in at most 64 walks and no memory. */
static double kth(const struct pairs *p, size_t k) {
    double least = p->walsh ? p->a[0] : of_pair(p, p->n_a - 1, 0);
    double most = p->walsh ? p->a[p->n_a - 1] : of_pair(p, 0, p->n_b - 1);
    int64_t low = order_of(least), high = order_of(most);
    while (low < high) {
        int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
        if (count_to(p, value_at(middle)) >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return value_at(low) + 0.0; /* no negative zero */
}

static double middle_of(const struct pairs *p, size_t n) {
    double upper = kth(p, n / 2 + 1);
    return n % 2 ? upper : kth(p, n / 2) / 2 + upper / 2;
}

/* ---- the distribution of a sum of scores ------------------------------------------------------ */

/*
 * Of all ways to take `take` of the scores (take = SIZE_MAX: any number of them) the share that
 * reaches each sum. Only additions of positive numbers: relative error n eps.
 */
struct sums {
    double *p;
    size_t n;
};

static struct sums count_any(struct arena *a, const size_t *score, size_t n) {
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += score[i];
    struct sums s = {arena_new(a, double, total + 1), total + 1};
    s.p[0] = 1;
    for (size_t i = 0, top = 0; i < n; i++) {
        top += score[i];
        for (size_t j = top + 1; j-- > 0;)
            s.p[j] = (s.p[j] + (j >= score[i] ? s.p[j - score[i]] : 0)) / 2;
    }
    return s;
}

/* score: rising. Rows: how many were taken; a row is as long as the largest sum of `take`. */
static struct sums count_some(struct arena *a, const size_t *score, size_t n, size_t take) {
    size_t most = 0;
    for (size_t i = n - take; i < n; i++)
        most += score[i];
    size_t width = most + 1;
    double *rows = arena_new(a, double, (take + 1) * width);
    rows[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i < take ? i + 1 : take; j > 0; j--) {
            const double *from = rows + (j - 1) * width;
            double *to = rows + j * width + score[i];
            for (size_t s = 0; s + score[i] < width; s++)
                to[s] += from[s];
        }
    struct sums s = {rows + take * width, width};
    double all = 0;
    for (size_t i = 0; i < width; i++)
        all += s.p[i];
    for (size_t i = 0; i < width; i++)
        s.p[i] /= all;
    return s;
}

/* At least as far from the middle as the observed sum; middle2: twice the middle. */
static double both_tails(const struct sums *s, size_t observed, size_t middle2) {
    size_t apart = 2 * observed > middle2 ? 2 * observed - middle2 : middle2 - 2 * observed;
    double p = 0;
    for (size_t i = 0; i < s->n; i++)
        if (2 * i >= middle2 + apart || 2 * i + apart <= middle2)
            p += s->p[i];
    return fmin(1, p);
}

/* The first sum at which the distribution reaches p, as R's qwilcox has it: a tie is reached. The
 * very first one reaches exactly p: it may lie outside. */
static size_t quantile_of(const struct sums *s, double p) {
    double reached = 0;
    for (size_t i = 0; i < s->n; i++)
        if ((reached += s->p[i]) >= p * (1 - 64 * DBL_EPSILON))
            return i == 0 && reached <= p * (1 + 64 * DBL_EPSILON) ? 1 : i;
    return s->n;
}

/* ---- two samples ------------------------------------------------------------------------------- */

/* Both samples in one sorted list, with twice the mean rank of each group of ties. */
struct ranking {
    size_t *score;      /* rising, one a value; 2 * rank */
    double *pooled;
    double tie_term;    /* sum of t^3 - t */
    bool ties;
};

static struct ranking ranking_of(struct arena *a, const double *x, size_t n) {
    struct ranking r = {arena_new(a, size_t, n + 1), sorted_copy(a, x, n), 0, false};
    for (size_t i = 0, end; i < n; i = end) {
        end = tie_end(r.pooled, n, i);
        double t = (double)(end - i);
        r.ties |= end - i > 1;
        r.tie_term += t * t * t - t;
        for (size_t k = i; k < end; k++)
            r.score[k] = i + end + 1;
    }
    return r;
}

static struct sums untied_sums(struct arena *a, size_t n, size_t take) {
    size_t *score = arena_new(a, size_t, n);
    for (size_t i = 0; i < n; i++)
        score[i] = i; /* from 0: the least sum is take (take - 1) / 2 */
    struct sums s = count_some(a, score, n, take);
    size_t least = take * (take - 1) / 2;
    return (struct sums){s.p + least, s.n - least};
}

/* p(W at least this far from its middle), W: the pairs with b above a, ties a half. */
static double mann_whitney_p(struct arena *a, const struct ranking *r, size_t n_a, size_t n_b,
                             double w, bool *exact) {
    size_t n = n_a + n_b, take = n_a < n_b ? n_a : n_b;
    *exact = r->ties ? n <= EXACT_TIED : n_a <= EXACT_PAIRS / n_b;
    double pairs = (double)n_a * (double)n_b;
    if (*exact && !r->ties) { /* which of the two is counted does not matter: it is symmetric */
        struct sums s = untied_sums(a, n, take);
        return both_tails(&s, (size_t)w, n_a * n_b);
    }
    if (*exact) {
        double of_b = w + (double)n_b * ((double)n_b + 1) / 2, of_all = (double)n * ((double)n + 1) / 2;
        size_t observed = (size_t)(2 * (n_b == take ? of_b : of_all - of_b) + 0.5);
        struct sums s = count_some(a, r->score, n, take);
        return both_tails(&s, observed, 2 * take * (n + 1));
    }
    double size = (double)n;
    double variance = pairs / 12 * (size + 1 - r->tie_term / (size * (size - 1)));
    if (!(variance > 0))
        return UNKNOWN;
    return fmin(1, 2 * dist_normal_cdf(-fmax(0, fabs(w - pairs / 2) - 0.5) / sqrt(variance)));
}

/*
 * How many differences lie outside each end of the interval, from 1: R's, and conservative with
 * ties (Lehmann 1975, 2.4). 0: even the whole range is not enough.
 */
static size_t outside(struct arena *a, size_t n_a, size_t n_b, double level) {
    double half = (1 - level) / 2, pairs = (double)n_a * (double)n_b;
    if (n_a <= EXACT_PAIRS / n_b) {
        struct sums s = untied_sums(a, n_a + n_b, n_a < n_b ? n_a : n_b);
        return quantile_of(&s, half);
    }
    double sd = sqrt(pairs * ((double)n_a + (double)n_b + 1) / 12);
    return (size_t)fmax(0, ceil(pairs / 2 + dist_normal_quantile(half) * sd - 0.5));
}

/* Of two samples of one size each: nothing is tied and all of one lie above the other. */
static double least_p(size_t n_a, size_t n_b) {
    double p = 2;
    for (size_t i = 1; i <= n_a; i++)
        p *= (double)i / (double)(n_b + i);
    return fmin(1, p);
}

static const struct shift no_shift = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, false};

struct shift stats_shift(const double *a, size_t n_a, const double *b, size_t n_b, double level) {
    struct shift s = no_shift;
    if (n_a == 0 || n_b == 0 || !all_finite(a, n_a) || !all_finite(b, n_b))
        return s;
    struct arena scratch = {0};
    double *pooled = arena_new(&scratch, double, n_a + n_b);
    memcpy(pooled, a, n_a * sizeof *a);
    memcpy(pooled + n_a, b, n_b * sizeof *b);
    struct ranking r = ranking_of(&scratch, pooled, n_a + n_b);
    struct pairs p = {sorted_copy(&scratch, a, n_a), sorted_copy(&scratch, b, n_b), n_a, n_b, false};

    size_t n = n_a * n_b, not_above = count_to(&p, 0), below = count_to(&p, -0x1p-1074);
    s.value = middle_of(&p, n);
    s.w = (double)(n - not_above) + (double)(not_above - below) / 2;
    s.p_least = least_p(n_a, n_b);
    size_t k = outside(&scratch, n_a, n_b, level);
    if (k > 0 && k <= (n + 1) / 2) {
        s.low = kth(&p, k);
        s.high = kth(&p, n + 1 - k);
    }
    if (r.pooled[0] < r.pooled[n_a + n_b - 1])
        s.p = mann_whitney_p(&scratch, &r, n_a, n_b, s.w, &s.exact);
    arena_release(&scratch);
    return s;
}

/* ---- pairs ------------------------------------------------------------------------------------- */

/* Wilcoxon 1945: the ranks of the sizes, summed over the positive ones; zeros are dropped. */
static double signed_rank_p(struct arena *a, const double *x, size_t n, struct shift *s) {
    double *sizes = arena_new(a, double, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] < 0 || x[i] > 0)
            sizes[m++] = fabs(x[i]);
    if (m == 0)
        return UNKNOWN;
    struct ranking r = ranking_of(a, sizes, m);
    size_t doubled = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (x[i] > 0 && r.pooled[k] < x[i])
            k++;
        doubled += x[i] > 0 ? r.score[k] : 0;
    }
    s->w = (double)doubled / 2;
    s->exact = m <= EXACT_TIED;
    if (s->exact) {
        struct sums all = count_any(a, r.score, m);
        return both_tails(&all, doubled, m * (m + 1));
    }
    double size = (double)m, middle = size * (size + 1) / 4;
    double variance = size * (size + 1) * (2 * size + 1) / 24 - r.tie_term / 48;
    return fmin(1, 2 * dist_normal_cdf(-fmax(0, fabs(s->w - middle) - 0.5) / sqrt(variance)));
}

static size_t outside_of_signed(struct arena *a, size_t n, double level) {
    double half = (1 - level) / 2, size = (double)n;
    if (n <= EXACT_TIED) {
        size_t *score = arena_new(a, size_t, n);
        for (size_t i = 0; i < n; i++)
            score[i] = i + 1;
        struct sums s = count_any(a, score, n);
        return quantile_of(&s, half);
    }
    double sd = sqrt(size * (size + 1) * (2 * size + 1) / 24);
    return (size_t)fmax(0, ceil(size * (size + 1) / 4 + dist_normal_quantile(half) * sd - 0.5));
}

struct shift stats_paired_shift(const double *diff, size_t n, double level) {
    struct shift s = no_shift;
    if (n == 0 || !all_finite(diff, n))
        return s;
    struct arena scratch = {0};
    struct pairs p = {.a = sorted_copy(&scratch, diff, n), .n_a = n, .walsh = true};
    size_t means = n * (n + 1) / 2, k = outside_of_signed(&scratch, n, level);
    s.value = middle_of(&p, means);
    s.p_least = fmin(1, ldexp(2, -(int)(n < 1000 ? n : 1000)));
    if (k > 0 && k <= (means + 1) / 2) {
        s.low = kth(&p, k);
        s.high = kth(&p, means + 1 - k);
    }
    s.p = signed_rank_p(&scratch, diff, n, &s);
    arena_release(&scratch);
    return s;
}
