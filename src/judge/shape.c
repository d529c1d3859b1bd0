/*
 * shape.c: what happened inside an iteration, by its ticks: did the rate fall for good (collapse,
 * or burst where it was the beginning that was faster), did nothing move for a while (stall), did
 * the rate move one way all the time (drift)?
 *
 * Phases of noise get a word in at most 1 % of cases, also where neighbouring ticks are alike (r
 * 0.6, cv 15 %; simulated in unit_shape.c).
 */
#include <math.h>

#include "zhist/stats.h"
#include "zhist/witness.h"

const char *const shape_names[SHAPES] = {"collapse", "stall", "burst", "drift"};

enum {
    TICKS_LEAST = 10, /* fewer have no shape */
    PART_LEAST = 3,   /* ticks on each side of a break: one or two are an accident */
    BINS_MOST = 200,  /* ticks are averaged to so many: Theil-Sen looks at all pairs */
    TREND_LEAST = 20,
};

/* "Broke down": to less than half. Smaller falls are the zones of a disk (inside about half). */
static const double HALF = 0.5;
/* A level: four of five ticks are on their side of the middle. A pool that writes in bursts goes
 * up and down all the time and has none. */
static const double LEVEL = 0.8, MIDDLE = 0.75;
/* The fast part is the beginning (a cache or write buffer filled up) up to here. */
static const double BEGINNING = 1.0 / 3;
/* Nothing for a second, where operations come far more often. A tick of a second may be 5 % short.
 */
static const double STALL_NS = 0.95e9, STALL_OPS = 10;
/* By a fifth: a disk is slower towards its inner tracks, a few percent over a benchmark's file. */
static const double DRIFT = 0.2, DRIFT_P = 0.003;

struct rates {
    double *rate; /* a second */
    double *end;  /* ms */
    size_t n;
};

static bool moved_bytes(const struct tick *t, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (t[i].bytes > 0)
            return true;
    return false;
}

/* The last tick ends where the phase does: a short rest of one says little. */
static struct rates rates_of(struct arena *a, const struct tick *t, size_t n) {
    struct rates r = {arena_new(a, double, n + 1), arena_new(a, double, n + 1), 0};
    bool bytes = moved_bytes(t, n);
    int64_t from = 0, usual = n > 1 ? t[n / 2].ms - t[n / 2 - 1].ms : 0;
    for (size_t i = 0; i < n; i++) {
        int64_t length = t[i].ms - from;
        if (length <= 0 || (i + 1 == n && length < usual / 2))
            continue;
        r.rate[r.n] = 1000.0 * (double)(bytes ? t[i].bytes : t[i].ops) / (double)length;
        r.end[r.n++] = (double)t[i].ms;
        from = t[i].ms;
    }
    return r;
}

/* ---- collapse and burst ---------------------------------------------------------------------- */

/* Where two levels explain most (least squares): the number of ticks before it; 0: nowhere. */
static size_t best_break(const struct rates *r) {
    double total = 0, before = 0, best = 0;
    size_t at = 0;
    for (size_t i = 0; i < r->n; i++)
        total += r->rate[i];
    for (size_t k = 1; k + PART_LEAST <= r->n; k++) {
        before += r->rate[k - 1];
        double n = (double)k, m = (double)(r->n - k);
        double apart = before / n - (total - before) / m;
        if (k >= PART_LEAST && apart > 0 && apart * apart * n * m > best) {
            best = apart * apart * n * m;
            at = k;
        }
    }
    return at;
}

static double share_above(const double *x, size_t n, double limit) {
    size_t above = 0;
    for (size_t i = 0; i < n; i++)
        above += x[i] > limit;
    return (double)above / (double)n;
}

static void look_for_fall(const struct rates *r, struct shape_seen out[SHAPES]) {
    size_t k = best_break(r);
    if (k == 0)
        return;
    double before = stats_quantile(r->rate, k, 0.5);
    double after = stats_quantile(r->rate + k, r->n - k, 0.5);
    if (!(after < HALF * before) || share_above(r->rate, k, MIDDLE * before) < LEVEL ||
        share_above(r->rate + k, r->n - k, MIDDLE * before) > 1 - LEVEL)
        return;
    bool begins = r->end[k - 1] <= BEGINNING * r->end[r->n - 1];
    out[begins ? SHAPE_BURST : SHAPE_COLLAPSE] =
        (struct shape_seen){.found = true,
                            .before = before,
                            .after = after,
                            .at = (int64_t)(r->end[k - 1] * 1e6),
                            .length = (int64_t)((r->end[r->n - 1] - r->end[k - 1]) * 1e6)};
}

/* ---- stall ----------------------------------------------------------------------------------- */

static void look_for_stall(const struct tick *t, size_t n, const struct rates *r,
                           struct shape_seen *out) {
    double ops = 0, length = 0;
    int64_t from = 0, longest = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        ops += (double)t[i].ops;
        if (t[i].bytes > 0 || t[i].ops > 0)
            from = t[i].ms;
        else if (t[i].ms - from > longest) {
            longest = t[i].ms - from;
            at = from;
        }
    }
    length = (double)t[n - 1].ms * 1e6;
    double limit = fmax(STALL_NS, ops > 0 ? STALL_OPS * length / ops : 0);
    if (ops > 0 && (double)longest * 1e6 >= limit)
        *out = (struct shape_seen){.found = true,
                                   .before = stats_quantile(r->rate, r->n, 0.5),
                                   .after = 0,
                                   .at = at * 1000000,
                                   .length = longest * 1000000};
}

/* ---- drift ----------------------------------------------------------------------------------- */

static size_t average_to_bins(struct arena *a, const struct rates *r, double **bins) {
    size_t width = (r->n + BINS_MOST - 1) / BINS_MOST, n = r->n / width;
    *bins = arena_new(a, double, n);
    for (size_t i = 0; i < n * width; i++)
        (*bins)[i / width] += r->rate[i] / (double)width;
    return n;
}

/* Neighbouring ticks are alike: as many count as are independent around the line. */
static void look_for_drift(struct arena *a, const struct rates *r, struct shape_seen *out) {
    double *x = NULL;
    size_t n = average_to_bins(a, r, &x);
    struct trend t = stats_trend(x, n);
    double last = t.intercept + t.slope * (double)(n - 1), middle = (t.intercept + last) / 2;
    if (n < TREND_LEAST || isnan(t.z) || !(fabs(last - t.intercept) >= DRIFT * middle))
        return;
    for (size_t i = 0; i < n; i++)
        x[i] -= t.intercept + t.slope * (double)i;
    double z = t.z * sqrt(stats_effective_n(x, n) / (double)n);
    if (2 * dist_normal_cdf(-fabs(z)) <= DRIFT_P)
        *out = (struct shape_seen){.found = true,
                                   .before = t.intercept,
                                   .after = last,
                                   .at = 0,
                                   .length = (int64_t)(r->end[r->n - 1] * 1e6)};
}

void shape_of_ticks(const struct tick *ticks, size_t n, struct shape_seen out[SHAPES]) {
    struct arena scratch = {0};
    for (size_t i = 0; i < SHAPES; i++)
        out[i] = (struct shape_seen){
            .before = (double)NAN, .after = (double)NAN, .at = UNKNOWN, .length = UNKNOWN};
    if (n == 0)
        return;
    struct rates r = rates_of(&scratch, ticks, n);
    if (r.n > 0)
        look_for_stall(ticks, n, &r, &out[SHAPE_STALL]);
    if (r.n >= TICKS_LEAST) {
        look_for_fall(&r, out);
        if (!out[SHAPE_COLLAPSE].found && !out[SHAPE_BURST].found)
            look_for_drift(&scratch, &r, &out[SHAPE_DRIFT]);
    }
    arena_release(&scratch);
}
