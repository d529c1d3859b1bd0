/*
 * gate.c: what may wake somebody. It is asked every night for years, so each answer must be much
 * surer than that of a report: a searched change only when three nights in a row find it, a planned
 * comparison at three looks that share its alpha.
 */
#include <math.h>

#include "zhist/change.h"

/* 0.002 on three nights alarms in 1 % of noise series in half a year; 0.001 on the last of them in
 * half of that, at the same power, since p falls from night to night (unit_simulate.c). */
static const double ACCEPT = 0.002, ACCEPT_NOW = 0.001, LEVEL = 0.95;
enum { PERMUTATIONS = 9999, POINTS = 40 };
static const size_t looks[GATE_LOOKS] = {3, 7, 14};

static size_t search(const double *x, size_t n, const struct gate_ask *ask, double accept,
                     struct change *out) {
    return stats_changes(x, n,
                         &(struct change_ask){.permutations = PERMUTATIONS,
                                              .seed = ask->seed,
                                              .accept = accept,
                                              .delta = ask->delta},
                         out, POINTS);
}

/* That the rest has no memory is asked of the newest data only: asked thrice, chance says no in one
 * of fifteen. */
static bool is_found(const struct change *list, size_t n, size_t at) {
    for (size_t i = 0; i < n; i++) {
        size_t apart = list[i].at > at ? list[i].at - at : at - list[i].at;
        if (list[i].certainty != CHANGE_POSSIBLE && apart <= GATE_NEAR)
            return true;
    }
    return false;
}

static bool is_worse(double before, double now, const struct gate_ask *ask) {
    double share = before > 0 ? now / before : 1 + (now - before) / fmax(fabs(before), 1e-300);
    bool large = share >= (1 + ask->delta) * (1 - 1e-12) || share * (1 + ask->delta) <= 1 + 1e-12;
    return large && (ask->better == 0 || (share > 1) == (ask->better < 0));
}

size_t gate_search(const double *x, size_t n, const struct gate_ask *ask, struct change *out,
                   size_t max) {
    struct change now[POINTS], earlier[POINTS];
    size_t found = n > GATE_NIGHTS ? search(x, n, ask, ACCEPT_NOW, now) : 0, kept = 0, said = 0;
    if (found == 0)
        return 0;
    double level = now[found - 1].after;
    for (size_t i = 0; i < found; i++)
        if (now[i].certainty == CHANGE_CERTAIN && is_worse(now[i].before, now[i].after, ask) &&
            is_worse(now[i].before, level, ask))
            now[kept++] = now[i];
    for (size_t back = 1; kept > 0 && back < GATE_NIGHTS; back++) {
        size_t n_earlier = search(x, n - back, ask, ACCEPT, earlier), still = 0;
        for (size_t i = 0; i < kept; i++)
            if (is_found(earlier, n_earlier, now[i].at))
                now[still++] = now[i];
        kept = still;
    }
    for (; said < kept && said < max; said++)
        out[said] = now[said];
    return said;
}

struct gate_look gate_planned(const double *before, size_t n_before, const double *after,
                              size_t n_after) {
    struct gate_look best = {.p = (double)NAN};
    struct summary a = stats_summary(before, n_before);
    for (size_t i = 0; i < GATE_LOOKS && looks[i] <= n_after; i++) {
        struct summary b = stats_summary(after, looks[i]);
        struct interval ratio = stats_log_ratio(&a, &b, LEVEL);
        double p = isnan(ratio.p) ? stats_welch(&a, &b, LEVEL).p : ratio.p;
        if (best.runs == 0 || (!isnan(p) && !(best.p <= p)))
            best = (struct gate_look){ratio, p, looks[i]};
    }
    best.p = fmin(1, GATE_LOOKS * best.p) + 0 * best.p; /* NaN stays NaN */
    return best;
}
