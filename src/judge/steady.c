/*
 * steady.c: has a solid-state disk settled? SNIA Solid State Storage Performance Test
 * Specification 2.0, "steady state": over the last five rounds the values stay within 20 % of
 * their average, and the least-squares line moves by at most 10 % of it.
 */
#include <math.h>

#include "zhist/witness.h"

static const double RANGE = 0.20, EXCURSION = 0.10;
/* A value on the limit is inside, also after rounding: 20 % of 110 - 90 is 20.000000000000004. */
static const double ROUNDING = 1e-12;

/* Over 0 .. n-1: sum (i - m) x[i] over sum (i - m)^2, which is 10 for five. */
static double least_squares_slope(const double *x, size_t n) {
    double middle = (double)(n - 1) / 2, up = 0, down = 0;
    for (size_t i = 0; i < n; i++) {
        up += ((double)i - middle) * x[i];
        down += ((double)i - middle) * ((double)i - middle);
    }
    return up / down;
}

struct steady steady_state(const double *rounds, size_t n) {
    struct steady s = {false, (double)NAN, (double)NAN, (double)NAN};
    if (n < STEADY_WINDOW)
        return s;
    const double *x = rounds + n - STEADY_WINDOW;
    double low = x[0], high = x[0], sum = 0;
    for (size_t i = 0; i < STEADY_WINDOW; i++) {
        if (!isfinite(x[i]))
            return s;
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
        sum += x[i] / STEADY_WINDOW;
    }
    s.average = sum;
    if (!(sum > 0))
        return s;
    s.range = (high - low) / sum;
    s.excursion = fabs(least_squares_slope(x, STEADY_WINDOW)) * (STEADY_WINDOW - 1) / sum;
    s.steady = s.range <= RANGE + ROUNDING && s.excursion <= EXCURSION + ROUNDING;
    return s;
}
