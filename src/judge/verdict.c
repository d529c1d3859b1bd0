/*
 * verdict.c: what two groups of measurements say: first which repetitions are independent (the
 * unit of analysis), then numbers over those, then the word.
 *
 * Iterations of one run share cache, open transaction group and temperature: pooled, they find a
 * change in 75 % of comparisons of equals. So no word but "undecided" may ever rest on them. No
 * formula stands here; stats.c has them.
 */
#include <errno.h>
#include <float.h>
#include <math.h>

#include "zhist/stats.h"

#define LEVEL 0.95
#define ALPHA 0.05
#define RUNS_AGAINST_ONE 5 /* fewer cannot tell the spread between runs */
#define UNKNOWN ((double)NAN)

struct values {
    double *x;
    size_t n;
};

struct comparing {
    struct arena scratch;
    struct observation *obs; /* by run, block, side, value */
    size_t n;
    struct comparison c;
};

static struct values values_new(struct comparing *k) {
    return (struct values){.x = arena_new(&k->scratch, double, k->n)};
}

static void values_add(struct values *v, double x) {
    v->x[v->n++] = x;
}

/* Value last: then sums, and so the last bit, do not depend on the order of the rows. */
static int compare_observations(const void *a, const void *b) {
    const struct observation *x = a, *y = b;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static size_t run_end(const struct comparing *k, size_t from) {
    size_t i = from;
    while (i < k->n && k->obs[i].run == k->obs[from].run)
        i++;
    return i;
}

static size_t block_end(const struct comparing *k, size_t from, size_t end) {
    size_t i = from;
    while (i < end && k->obs[i].block == k->obs[from].block)
        i++;
    return i;
}

static bool has_side(const struct comparing *k, size_t from, size_t end, int side) {
    for (size_t i = from; i < end; i++)
        if (k->obs[i].side == side)
            return true;
    return false;
}

static bool has_both(const struct comparing *k, size_t from, size_t end) {
    return has_side(k, from, end, 0) && has_side(k, from, end, 1);
}

static struct summary side_summary(const struct comparing *k, size_t from, size_t end, int side,
                                   struct values *v) {
    v->n = 0;
    for (size_t i = from; i < end; i++)
        if (k->obs[i].side == side)
            values_add(v, k->obs[i].value);
    return stats_summary(v->x, v->n);
}

static void set_sides(struct comparison *c, const struct summary *a, const struct summary *b) {
    const struct summary *side[2] = {a, b};
    for (int s = 0; s < 2; s++) {
        c->n[s] = (int64_t)side[s]->n;
        c->mean[s] = side[s]->mean;
        c->sd[s] = side[s]->sd;
    }
}

/* What does not trust the means; of pairs: b are the logarithms (or differences), a is empty. */
static void second_opinion(struct comparison *c, const struct values *a, const struct values *b,
                           bool logarithms) {
    struct shift s = a ? stats_shift(a->x, a->n, b->x, b->n, LEVEL)
                       : stats_paired_shift(b->x, b->n, LEVEL);
    double scale = a ? fabs(stats_quantile(a->x, a->n, 0.5)) : fabs(c->mean[0]);
    c->outliers = (int64_t)((a ? stats_outliers(a->x, a->n) : 0) + stats_outliers(b->x, b->n));
    if (!logarithms && !(scale > 0))
        return;
    bool has_say = s.p_least <= ALPHA;
    c->robust = (struct interval){
        .value = logarithms ? exp(s.value) : 1 + s.value / scale,
        .low = !has_say ? UNKNOWN : logarithms ? exp(s.low) : 1 + s.low / scale,
        .high = !has_say ? UNKNOWN : logarithms ? exp(s.high) : 1 + s.high / scale,
        .t = UNKNOWN,
        .df = UNKNOWN,
        .p = s.p};
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct pairs {
    struct values log_ratio, diff, side[2]; /* one entry a pair; side: the means that were paired */
};

static struct pairs pairs_new(struct comparing *k) {
    return (struct pairs){values_new(k), values_new(k), {values_new(k), values_new(k)}};
}

static void pairs_add(struct pairs *p, double log_ratio, const double side[2]) {
    values_add(&p->log_ratio, log_ratio);
    values_add(&p->diff, side[1] - side[0]);
    values_add(&p->side[0], side[0]);
    values_add(&p->side[1], side[1]);
}

/* The blocks of one run that have both sides. A log-ratio is NaN where a value is not positive. */
static void pair_blocks(const struct comparing *k, size_t from, size_t end, struct values *spare,
                        struct pairs *blocks, struct values iterations[2]) {
    for (size_t i = from, next; i < end; i = next) {
        next = block_end(k, i, end);
        if (!has_both(k, i, next))
            continue;
        double mean[2];
        bool positive = true;
        for (int s = 0; s < 2; s++) {
            struct summary summary = side_summary(k, i, next, s, spare);
            mean[s] = summary.mean;
            positive = positive && summary.min > 0;
            for (size_t j = 0; j < spare->n; j++)
                values_add(&iterations[s], spare->x[j]);
        }
        pairs_add(blocks, positive ? log(mean[1]) - log(mean[0]) : UNKNOWN, mean);
    }
}

static double mean_of(const struct values *v) {
    for (size_t i = 0; i < v->n; i++)
        if (isnan(v->x[i])) /* no log-ratio, which is no error */
            return UNKNOWN;
    return stats_summary(v->x, v->n).mean;
}

static void by_blocks(struct comparing *k, bool single) {
    struct comparison *c = &k->c;
    struct values spare = values_new(k), iterations[2] = {values_new(k), values_new(k)};
    struct pairs runs = pairs_new(k), blocks = pairs_new(k);
    for (size_t i = 0, next; i < k->n; i = next) {
        next = run_end(k, i);
        if (!single)
            blocks.log_ratio.n = blocks.diff.n = blocks.side[0].n = blocks.side[1].n = 0;
        pair_blocks(k, i, next, &spare, &blocks, iterations);
        if (!single && blocks.diff.n > 0)
            pairs_add(&runs, mean_of(&blocks.log_ratio),
                      (double[]){mean_of(&blocks.side[0]), mean_of(&blocks.side[1])});
    }
    const struct pairs *of = single ? &blocks : &runs;
    const struct values *shown = single ? iterations : runs.side;
    struct summary a = stats_summary(shown[0].x, shown[0].n);
    struct summary b = stats_summary(shown[1].x, shown[1].n);
    set_sides(c, &a, &b);
    c->n_of = N_OF_BLOCKS;
    c->n[0] = c->n[1] = (int64_t)of->diff.n;
    c->runs[0] = c->runs[1] = single ? 1 : (int64_t)of->diff.n;
    c->diff = stats_paired_diff(of->diff.x, of->diff.n, fmax(fabs(a.mean), fabs(b.mean)), LEVEL);
    bool positive = !isnan(mean_of(&of->log_ratio));
    if (positive)
        c->paired = c->ratio = stats_paired_ratio(of->log_ratio.x, of->log_ratio.n, LEVEL);
    second_opinion(c, NULL, positive ? &of->log_ratio : &of->diff, positive);
}

/* ---- runs, iterations ------------------------------------------------------------------------ */

/* One run against several: the prediction is seen from the several, the signs from side 0. */
static void one_against(struct comparison *c, const struct summary *a, const struct summary *b) {
    if (b->n == 1) {
        c->diff = stats_prediction(a, b->mean, LEVEL);
        c->ratio = stats_one_against(a, b->mean, LEVEL);
        return;
    }
    struct interval i = stats_prediction(b, a->mean, LEVEL);
    c->diff = i;
    c->diff.value = -i.value;
    c->diff.low = -i.high;
    c->diff.high = -i.low;
    c->diff.t = -i.t;
    c->ratio = stats_log_ratio(a, b, LEVEL); /* the value, or nothing where one is not positive */
    if (isnan(c->ratio.value))
        return;
    c->ratio = c->diff;
    c->ratio.value = b->mean / a->mean;
    c->ratio.low = 1 + c->diff.low / a->mean;
    c->ratio.high = 1 + c->diff.high / a->mean;
}

static void by_runs(struct comparing *k, bool total) {
    struct values spare = values_new(k), runs[2] = {values_new(k), values_new(k)};
    for (size_t i = 0, next; i < k->n; i = next) {
        next = run_end(k, i);
        for (int s = 0; s < 2; s++) {
            struct summary summary = side_summary(k, i, next, s, &spare);
            if (summary.n > 0)
                values_add(&runs[s], total ? summary.mean : summary.median);
        }
    }
    struct summary a = stats_summary(runs[0].x, runs[0].n);
    struct summary b = stats_summary(runs[1].x, runs[1].n);
    set_sides(&k->c, &a, &b);
    k->c.n_of = N_OF_RUNS;
    if ((a.n == 1 && b.n >= RUNS_AGAINST_ONE) || (b.n == 1 && a.n >= RUNS_AGAINST_ONE)) {
        one_against(&k->c, &a, &b);
    } else {
        k->c.diff = stats_welch(&a, &b, LEVEL);
        k->c.ratio = stats_log_ratio(&a, &b, LEVEL);
    }
    second_opinion(&k->c, &runs[0], &runs[1], false);
}

static void by_iterations(struct comparing *k) {
    struct values side[2] = {values_new(k), values_new(k)};
    struct summary a = side_summary(k, 0, k->n, 0, &side[0]);
    struct summary b = side_summary(k, 0, k->n, 1, &side[1]);
    set_sides(&k->c, &a, &b);
    k->c.n_of = N_OF_ITERATIONS;
    k->c.diff = stats_welch(&a, &b, LEVEL);
    k->c.ratio = stats_log_ratio(&a, &b, LEVEL);
    second_opinion(&k->c, &side[0], &side[1], false);
}

/* ---- the comparison -------------------------------------------------------------------------- */

static bool is_usable(const struct observation *obs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(obs[i].value) || (obs[i].side != 0 && obs[i].side != 1)) {
            errno = EDOM;
            return false;
        }
    return true;
}

static bool one_stands_against_many(const struct comparison *c) {
    return c->n_of == N_OF_RUNS && (c->n[0] == 1 || c->n[1] == 1) &&
           (c->n[0] >= RUNS_AGAINST_ONE || c->n[1] >= RUNS_AGAINST_ONE);
}

static bool has_enough(const struct comparison *c) {
    return one_stands_against_many(c) || (c->n[0] >= 2 && c->n[1] >= 2);
}

/* Equal up to rounding: the means of equal values may differ in their last bits. */
static bool is_no_difference(const struct comparison *c) {
    double scale = fmax(fabs(c->mean[0]), fabs(c->mean[1]));
    return fabs(c->diff.value) <= 10 * DBL_EPSILON * scale;
}

/*
 * Where only a part of the runs has both sides, two of them suffice for pairing, since the drift
 * that pairing cancels is the larger error. A single one beside other runs is not enough: its
 * blocks would outvote the runs.
 */
static void choose_unit(struct comparing *k, bool interleaved, bool total) {
    int64_t runs[2] = {0, 0}, both = 0, all = 0;
    for (size_t i = 0, next; i < k->n; i = next) {
        next = run_end(k, i);
        bool pairs = false;
        for (size_t j = i, end; j < next; j = end) {
            end = block_end(k, j, next);
            pairs = pairs || has_both(k, j, end);
        }
        all++;
        both += pairs;
        runs[0] += has_side(k, i, next, 0);
        runs[1] += has_side(k, i, next, 1);
    }
    k->c.runs[0] = runs[0];
    k->c.runs[1] = runs[1];
    if (runs[0] == 0 || runs[1] == 0)
        return;
    if (interleaved && (both >= 2 || (both == 1 && all == 1)))
        by_blocks(k, both == 1);
    else if (runs[0] == 1 && runs[1] == 1)
        by_iterations(k);
    else
        by_runs(k, total);
}

struct comparison stats_compare(const struct observation *obs, size_t n, bool interleaved,
                                bool total) {
    const struct interval none = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};
    struct comparing k = {.n = n,
                          .c = {.mean = {UNKNOWN, UNKNOWN},
                                .sd = {UNKNOWN, UNKNOWN},
                                .diff = none,
                                .ratio = none,
                                .paired = none,
                                .robust = none,
                                .p = UNKNOWN}};
    if (n == 0 || !is_usable(obs, n))
        return k.c;
    k.obs = arena_new(&k.scratch, struct observation, n);
    memcpy(k.obs, obs, n * sizeof *obs);
    qsort(k.obs, n, sizeof *k.obs, compare_observations);
    choose_unit(&k, interleaved, total);
    arena_release(&k.scratch);

    struct comparison *c = &k.c;
    double p = isnan(c->ratio.p) ? c->diff.p : c->ratio.p;
    if (c->n_of != N_OF_ITERATIONS)
        c->p = p;
    c->no_spread = c->n_of != N_OF_NONE && has_enough(c) && isnan(p);
    c->all_equal = c->no_spread && is_no_difference(c);
    return *c;
}

/* ---- the words ------------------------------------------------------------------------------- */

static const char *word_of_few(const struct comparison *c) {
    int64_t least = c->n[0] < c->n[1] ? c->n[0] : c->n[1];
    if (c->n_of == N_OF_ITERATIONS && least >= 2) /* with less there is no interval to show */
        return "undecided (one run each)";
    if (c->n_of == N_OF_RUNS && least == 1 && !one_stands_against_many(c))
        return "undecided (one run so far)";
    if (c->n_of == N_OF_NONE || !has_enough(c))
        return "insufficient";
    if (c->all_equal)
        return "same (no spread recorded: check timer resolution)";
    return c->no_spread ? "insufficient (zero variance)" : NULL;
}

/*
 * The ratio interval; where there is none, the difference as a share of the baseline. Of a baseline
 * that is 0 every difference is a large one.
 */
static struct interval effect_of(const struct comparison *c) {
    if (!isnan(c->ratio.low))
        return c->ratio;
    struct interval i = c->diff;
    double share = fmax(fabs(c->mean[0]), DBL_TRUE_MIN);
    i.value = 1 + i.value / share;
    i.low = 1 + i.low / share;
    i.high = 1 + i.high / share;
    return i;
}

static const char *word_of_direction(double ratio, int better, bool doubtful) {
    if (better == 0)
        return doubtful ? "changed?" : "changed";
    if ((ratio > 1) == (better > 0))
        return doubtful ? "faster?" : "faster";
    return doubtful ? "slower?" : "slower";
}

static bool is_within(const struct interval *i, double limit) {
    return i->low * limit >= 1 && i->high <= limit;
}

static const char *word_of_change(const struct verdict_ask *ask) {
    struct interval r = effect_of(ask->c);
    double limit = 1 + ask->delta, p = isnan(ask->p_adjusted) ? ask->c->p : ask->p_adjusted;
    bool large = r.value >= limit || r.value * limit <= 1;
    if (is_within(&r, limit))
        return "same";
    if (!large && (r.low > 1 || r.high < 1))
        return "small change";
    if (large && p <= ALPHA)
        return word_of_direction(r.value, ask->better, one_stands_against_many(ask->c));
    return "undecided";
}

/* -1, 1: the whole interval lies below or above no change. */
static int says(const struct interval *i) {
    return (i->low > 1) - (i->high < 1);
}

/* Without an outlier the two differ near the limit by chance only, and the means decide. */
static bool is_contradicted(const struct comparison *c, double delta) {
    struct interval r = effect_of(c);
    if (c->outliers == 0 || isnan(c->robust.low) || isnan(r.low) || says(&r) == says(&c->robust))
        return false;
    return !(is_within(&r, 1 + delta) && is_within(&c->robust, 1 + delta)); /* same, says each */
}

void stats_verdict(const struct verdict_ask *ask, char *out, size_t size) {
    const char *word = ask->reason ? ask->reason : ask->headline ? word_of_few(ask->c) : "";
    if (!word)
        word = is_contradicted(ask->c, ask->delta) ? "undecided (outliers)" : word_of_change(ask);
    snprintf(out, size, "%s", word);
}
