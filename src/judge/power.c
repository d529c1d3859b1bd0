/*
 * power.c: what these runs could have seen, and how many it takes: the t test under a change,
 * which follows the noncentral t distribution. No equations to invert in closed form: bisection.
 */
#include <errno.h>
#include <math.h>

#include "zhist/stats.h"

#define UNKNOWN ((double)NAN)

static const double ALPHA = 0.05, POWER = 0.8;
enum { MORE_MOST = 9999 };

static bool are_shares(double alpha, double power) {
    if (alpha > 0 && alpha < 1 && power > 0 && power < 1)
        return true;
    errno = EDOM;
    return false;
}

/* Power rises with the noncentrality; to 1e-12 of it. */
double stats_noncentrality(double df, double alpha, double power) {
    if (!are_shares(alpha, power) || !(df > 0))
        return UNKNOWN;
    double t = dist_t_quantile(1 - alpha / 2, df), low = 0, high = 1;
    while (dist_nct_upper(t, df, high) < power && high < 1e6)
        low = high, high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        double middle = (low + high) / 2;
        if (dist_nct_upper(t, df, middle) < power)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* ---- of a comparison --------------------------------------------------------------------------- */

double stats_mde(const struct comparison *c) {
    const struct interval *r = &c->ratio;
    if (c->n_of == N_OF_ITERATIONS || c->n_of == N_OF_NONE)
        return UNKNOWN;
    if (r->low > 0 && r->df > 0) {
        double se = log(r->high / r->low) / 2 / dist_t_quantile(1 - ALPHA / 2, r->df);
        return expm1(stats_noncentrality(r->df, ALPHA, POWER) * se);
    }
    double scale = fabs(c->mean[0]);
    if (!(c->diff.df > 0) || !(scale > 0))
        return UNKNOWN;
    double se = (c->diff.high - c->diff.low) / 2 / dist_t_quantile(1 - ALPHA / 2, c->diff.df);
    return stats_noncentrality(c->diff.df, ALPHA, POWER) * se / scale;
}

/* Squares of the spread of one value, as a share of its side's mean. */
struct spread {
    double variance[2];
    bool paired;
};

static bool spread_of(const struct comparison *c, struct spread *s) {
    const struct interval *r = &c->ratio;
    if (c->n_of == N_OF_BLOCKS && r->low > 0 && r->df > 0) {
        double half = log(r->high / r->low) / 2 / dist_t_quantile(1 - ALPHA / 2, r->df);
        *s = (struct spread){{0, half * half * (double)c->n[0]}, true};
        return true;
    }
    if (c->n_of != N_OF_RUNS)
        return false;
    for (int side = 0; side < 2; side++) { /* of one run: that of the other side */
        int from = c->n[side] > 1 ? side : !side;
        double cv = c->sd[from] / c->mean[from];
        s->variance[side] = cv * cv;
    }
    s->paired = false;
    return s->variance[0] + s->variance[1] > 0;
}

static double power_with(const struct comparison *c, const struct spread *s, double log_delta,
                         double more, bool only_b) {
    double n[2] = {(double)c->n[0] + (only_b ? 0 : more), (double)c->n[1] + more};
    double a = s->paired ? 0 : s->variance[0] / n[0], b = s->variance[1] / n[1];
    double down = (s->paired ? 0 : a * a / fmax(n[0] - 1, 1e-9)) + b * b / fmax(n[1] - 1, 1e-9);
    double df = (a + b) * (a + b) / down;
    if (!(df >= 0.5))
        return 0;
    return dist_nct_upper(dist_t_quantile(1 - ALPHA / 2, df), df, log_delta / sqrt(a + b));
}

double stats_more_runs(const struct comparison *c, double delta, bool only_b) {
    struct spread s;
    if (!(delta > 0) || !spread_of(c, &s))
        return UNKNOWN;
    double low = 0, high = MORE_MOST;
    if (!(power_with(c, &s, log1p(delta), high, only_b) >= POWER))
        return UNKNOWN;
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (power_with(c, &s, log1p(delta), middle, only_b) >= POWER)
            high = middle;
        else
            low = middle;
    }
    return high;
}
