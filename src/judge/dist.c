/*
 * dist.c: the distributions, and the only door to libRmath.
 *
 * libRmath prints its warnings on stdout, where our results go: every argument it would warn about
 * is answered here (NaN, errno EDOM) and never reaches it. Its names are very short, so its header
 * is included nowhere else. Must not hold state: nothing here may use its global tables.
 */
#include <errno.h>
#include <math.h>

#include "zhist/stats.h"

#ifndef MATHLIB_STANDALONE
#define MATHLIB_STANDALONE
#endif
#include <Rmath.h>

/* Below this quantiles overflow; no formula here asks for less than 1. Tried silent from here on.
 */
#define LEAST_DF 0.01

static bool df_is_usable(double df) {
    return df >= LEAST_DF; /* false for NaN; infinity is the normal distribution */
}

/*
 * Hill 1970 and the incomplete beta function of Didonato & Morris 1992 (TOMS 708), as R has them.
 * Relative error below 1e-13 on the vectors of R 4.2.2, df 1 to 1e6; for t far out in the tail
 * it is the smaller tail that is exact: ask for dist_t_cdf(-fabs(t), df).
 */
double dist_t_cdf(double t, double df) {
    if (isnan(t) || !df_is_usable(df)) {
        errno = EDOM;
        return (double)NAN;
    }
    return pt(t, df, 1, 0);
}

/* Hill 1970 (CACM 396) with Newton steps as in R. Relative error below 1e-12. */
double dist_t_quantile(double p, double df) {
    if (!(p >= 0 && p <= 1) || !df_is_usable(df)) {
        errno = EDOM;
        return (double)NAN;
    }
    return qt(p, df, 1, 0);
}

/* Cody 1969 as in R: full double precision, also far out. */
double dist_normal_cdf(double z) {
    if (isnan(z)) {
        errno = EDOM;
        return (double)NAN;
    }
    return pnorm(z, 0, 1, 1, 0);
}

/* Wichura 1988 (AS 241), as in R: about 1e-16. */
double dist_normal_quantile(double p) {
    if (!(p >= 0 && p <= 1)) {
        errno = EDOM;
        return (double)NAN;
    }
    return qnorm(p, 0, 1, 1, 0);
}

/*
 * P(T > t) of the noncentral t (Lenth 1989, AS 243, as in R; absolute error 1e-12, beyond
 * ncp 37.62 Abramowitz & Stegun 26.7.10, error 1e-3). The upper tail is the one libRmath does not
 * warn about.
 */
double dist_nct_upper(double t, double df, double ncp) {
    if (isnan(t) || !df_is_usable(df) || !isfinite(ncp) || ncp < 0) {
        errno = EDOM;
        return (double)NAN;
    }
    return pnt(t, df, ncp, 0, 0);
}
