/*
 * power.c: what these runs could have seen, and how many it takes: the t test under a change,
 * which follows the noncentral t distribution. No equations to invert in closed form: bisection.
 */
#include <errno.h>
#include <math.h>

#include "zhist/stats.h"

#define UNKNOWN ((double)NAN)
#define MOST_NEEDED 1e7

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

double stats_power(double n, double delta, double sd, double alpha) {
    if (!(n > 1) || !(sd > 0) || !isfinite(delta) || !are_shares(alpha, 0.5))
        return UNKNOWN;
    double df = 2 * (n - 1);
    return dist_nct_upper(dist_t_quantile(1 - alpha / 2, df), df, sqrt(n / 2) * fabs(delta) / sd);
}

double stats_needed(double delta, double sd, double alpha, double power) {
    if (!are_shares(alpha, power) || !(sd > 0) || !isfinite(delta) || delta == 0)
        return UNKNOWN;
    double low = 1 + 1e-9, high = 2;
    while (!(stats_power(high, delta, sd, alpha) >= power)) {
        if (high > MOST_NEEDED)
            return UNKNOWN;
        low = high, high *= 2;
    }
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        double middle = (low + high) / 2;
        if (stats_power(middle, delta, sd, alpha) >= power)
            high = middle;
        else
            low = middle;
    }
    return high;
}

double stats_detectable(double n, double alpha, double power) {
    if (!(n > 1))
        return UNKNOWN;
    return stats_noncentrality(2 * (n - 1), alpha, power) * sqrt(2 / n);
}
