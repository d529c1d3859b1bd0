/*
 * split.c: one search for a change of level by E-divisive (Matteson & James 2014, JASA 109:334),
 * with both of its statistics: END splits the whole series, KAP the part up to its best right end,
 * so that a short spell in the middle is found as well. p by permutation.
 *
 * With W(i, j) the sum of all distances within i .. j-1, the statistic of X = 0 .. t-1 against
 * Y = t .. e-1 is  Q = 2 W(0,e)/e - 2 (e-1)/e (W(0,t)/(t-1) + W(t,e)/(e-t-1)).  So one more value
 * costs one walk back over the starts t, and all of KAP n^2/2 steps; four permutations are walked
 * at once. 999 of 365 values take 0.06 s.
 */
#include <math.h>

#include "numbers.h"
#include "zhist/change.h"

/* Reached by chance as well: what differs by rounding only (sums of n^2 distances). */
static const double TIE = 1e-12;

/* ---- the series as it is ----------------------------------------------------------------------- */

struct table {
    double *within, *part; /* W(t, e) by t; W(0, t)/(t-1) by t */
};

static void observe_to(const double *x, size_t e, struct table *w, struct split *s, bool last) {
    double sum = 0, least = INFINITY;
    size_t tau = 0;
    for (size_t t = e - 1; t-- > 0;) {
        sum += fabs(x[t] - x[e - 1]);
        w->within[t] += sum;
        double q = w->part[t] + w->within[t] * (1 / (double)(e - t - 1));
        if (t >= CHANGE_SEGMENT && e - t >= CHANGE_SEGMENT && q <= least) {
            least = q;
            tau = t;
        }
    }
    double size = (double)e, all = w->within[0], q;
    w->part[e] = all * (1 / (size - 1));
    if (e < CHANGE_LEAST)
        return;
    q = 2 * all / size - 2 * (size - 1) / size * least;
    if (q > s->best.q) {
        s->best.q = q;
        s->best.tau = tau;
    }
    if (last) {
        s->end.q = q;
        s->end.tau = tau;
    }
}

static void observe(struct arena *a, const double *x, size_t n, struct split *s) {
    struct table w = {arena_new(a, double, n + 1), arena_new(a, double, n + 1)};
    s->best.q = -INFINITY;
    for (size_t e = 2; e <= n; e++)
        observe_to(x, e, &w, s, e == n);
}

/* ---- four of its permutations ------------------------------------------------------------------ */

/* One instruction works on two numbers; two of these hide how long it takes. */
#define TWO(type) __attribute__((vector_size(16))) type
enum { LANES = 4 };
struct four {
    TWO(double) a, b;
};

struct walk {
    struct four *x, *within, *part;
    double *inverse; /* 1/(k-1) by k */
    size_t n;
};

static struct walk walk_new(struct arena *a, const double *x, size_t n) {
    struct walk w = {arena_new(a, struct four, n), arena_new(a, struct four, n + 1),
                     arena_new(a, struct four, n + 1), arena_new(a, double, n + 1), n};
    for (size_t k = 2; k <= n; k++)
        w.inverse[k] = 1 / (double)(k - 1);
    for (size_t i = 0; i < n; i++)
        w.x[i] = (struct four){{x[i], x[i]}, {x[i], x[i]}};
    return w;
}

static inline TWO(double) smaller(TWO(double) x, TWO(double) y) {
    TWO(int64_t) below = x < y;
    return (TWO(double))(((TWO(int64_t))x & below) | ((TWO(int64_t))y & ~below));
}

static inline TWO(double) size_of(TWO(double) x) {
    return (TWO(double))((TWO(int64_t))x & INT64_MAX);
}

/* The distance of x[t] to the new value joins W(t, e). */
static inline void join(const struct walk *w, size_t t, const struct four *new, struct four *sum) {
    sum->a += size_of(w->x[t].a - new->a);
    sum->b += size_of(w->x[t].b - new->b);
    w->within[t].a += sum->a;
    w->within[t].b += sum->b;
}

/* The smallest W(0,t)/(t-1) + W(t,e)/(e-t-1). */
static struct four step(const struct walk *w, size_t e) {
    const struct four new = w->x[e - 1];
    struct four sum = {{0, 0}, {0, 0}}, least = {{INFINITY, INFINITY}, {INFINITY, INFINITY}};
    size_t t = e - 1;
    while (t > 0 && e - (t - 1) < CHANGE_SEGMENT)
        join(w, --t, &new, &sum);
    while (t > CHANGE_SEGMENT) {
        join(w, --t, &new, &sum);
        double inverse = w->inverse[e - t];
        least.a = smaller(w->part[t].a + w->within[t].a * inverse, least.a);
        least.b = smaller(w->part[t].b + w->within[t].b * inverse, least.b);
    }
    while (t > 0)
        join(w, --t, &new, &sum);
    return least;
}

static void walk(const struct walk *w, struct four *end, struct four *best) {
    memset(w->within, 0, (w->n + 1) * sizeof *w->within);
    *end = *best = (struct four){{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}};
    for (size_t e = 2; e <= w->n; e++) {
        struct four least = step(w, e), all = w->within[0];
        double size = (double)e;
        w->part[e].a = all.a * w->inverse[e];
        w->part[e].b = all.b * w->inverse[e];
        if (e < CHANGE_LEAST)
            continue;
        end->a = 2 * all.a / size - 2 * (size - 1) / size * least.a;
        end->b = 2 * all.b / size - 2 * (size - 1) / size * least.b;
        best->a = -smaller(-end->a, -best->a);
        best->b = -smaller(-end->b, -best->b);
    }
}

static double *lane(struct four *f, int l) {
    return l < 2 ? (double *)&f->a + l : (double *)&f->b + (l - 2);
}

/* Fisher & Yates, from the permutation before. */
static void shuffle(const struct walk *w, uint64_t *random) {
    for (int l = 0; l < LANES; l++)
        for (size_t i = w->n; i > 1; i--) {
            double *x = lane(&w->x[i - 1], l), *y = lane(&w->x[random_next(random) % i], l);
            double keep = *x;
            *x = *y;
            *y = keep;
        }
}

static void count_chance(struct arena *a, const double *x, size_t n, const struct split_ask *ask,
                         struct split *s) {
    struct walk w = walk_new(a, x, n);
    uint64_t random = ask->seed;
    struct four end, best;
    size_t reached[2] = {0, 0};
    double limit[2] = {s->end.q * (1 - TIE), s->best.q * (1 - TIE)};
    double all = (double)ask->permutations + 1;
    while (s->permutations < ask->permutations) {
        shuffle(&w, &random);
        walk(&w, &end, &best);
        for (int l = 0; l < LANES && s->permutations < ask->permutations; l++) {
            reached[0] += *lane(&end, l) >= limit[0];
            reached[1] += *lane(&best, l) >= limit[1];
            s->permutations++;
        }
        size_t fewer = reached[0] < reached[1] ? reached[0] : reached[1];
        if (ask->enough < 1 && 2 * (double)(fewer + 1) > ask->enough * all)
            break;
    }
    s->end.p = (double)(reached[0] + 1) / ((double)s->permutations + 1);
    s->best.p = (double)(reached[1] + 1) / ((double)s->permutations + 1);
}

/* ---- the search -------------------------------------------------------------------------------- */

static double bonferroni_welch(const double *x, size_t n, size_t tau) {
    struct summary a = stats_summary(x, tau), b = stats_summary(x + tau, n - tau);
    double p = stats_welch(&a, &b, 0.95).p * ((double)n - 5);
    return p < 1 ? p : 1; /* also where there is none */
}

struct split stats_split(const double *x, size_t n, const struct split_ask *ask) {
    struct split s = {.end.p = 1, .best.p = 1, .p = 1, .p_welch = 1, .p_welch_least = 1};
    if (n < CHANGE_LEAST || n > CHANGE_MOST || !all_finite(x, n))
        return s;
    struct arena scratch = {0};
    observe(&scratch, x, n, &s);
    count_chance(&scratch, x, n, ask, &s);
    arena_release(&scratch);
    const struct split_side *side = s.best.p < s.end.p ? &s.best : &s.end;
    s.tau = side->tau;
    s.p = fmin(1, 2 * side->p);
    s.p_welch = bonferroni_welch(x, n, s.tau);
    s.p_welch_least = fmin(bonferroni_welch(x, n, s.end.tau), bonferroni_welch(x, n, s.best.tau));
    return s;
}
