/*
 * stats.h: what may be concluded: pure functions over arrays; no allocation is kept, no state.
 *
 * A function given a NaN or an infinity answers NaN and sets errno to EDOM: failed iterations must
 * never reach a sample. Formulas and their sources stand beside the code.
 */
#ifndef ZHIST_STATS_H
#define ZHIST_STATS_H

#include "zhist/base.h"

/* ---- distributions (dist.c, through libRmath) ------------------------------------------------ */
double dist_normal_cdf(double z);
double dist_t_cdf(double t, double df);
double dist_t_quantile(double p, double df); /* df up to 1e300 */
double dist_normal_quantile(double p);
double dist_nct_upper(double t, double df, double ncp); /* noncentral t; ncp >= 0 */

/* ---- one sample (stats.c) -------------------------------------------------------------------- */
struct summary {
    size_t n;
    double mean, m2; /* m2: sum of squared deviations */
    double sd;       /* n-1 divisor; NaN for n < 2 */
    double min, max, median;
};
struct summary stats_summary(const double *x, size_t n); /* two passes; n = 0: all NaN */
/* Of a sample known by its published numbers only: min, max and median are NaN (unknown). */
struct summary stats_summary_of(size_t n, double mean, double sd);
double stats_quantile(const double *x, size_t n, double q); /* type 7; x in any order */
/* Lag-1 autocorrelation; NaN (no error) for n < 2 or a constant sample. */
double stats_lag1(const double *x, size_t n);
/* n (1-r1)/(1+r1) where r1 > 2/sqrt(n), else n; never below 2 */
double stats_effective_n(const double *x, size_t n);
/* t(0.975, n-1) s / (sqrt(n_eff) |mean|): half-width of the 95 % interval as a share of the mean;
 * NaN (no error) for n < 2 or a mean of 0 */
double stats_half_width(const double *x, size_t n);
size_t stats_outliers(const double *x, size_t n); /* |x - median| > 5 * 1.4826 * MAD */

/* ---- a trend over equal steps (drift.c) ------------------------------------------------------ */
struct trend {
    double s;         /* Mann-Kendall's S */
    double variance;  /* of S where nothing moves, corrected for ties */
    double z;         /* with the continuity correction; 0 where S is; NaN for a constant sample */
    double p;         /* two-sided: exact for n <= 50 without ties, else by z; NaN likewise */
    double slope;     /* Theil-Sen: the median of all slopes; per step */
    double intercept; /* median of x - slope * its median index: the line at the first value */
};
/* n < 3 or a constant sample: z and p are NaN. At most TREND_MAX values: else all NaN, no error. */
enum { TREND_MAX = 2000 };
struct trend stats_trend(const double *x, size_t n);
double stats_mann_kendall(const double *x, size_t n); /* its p alone; x finite */

/* ---- two samples ----------------------------------------------------------------------------- */
/*
 * NaN where a number does not exist. value exists from one observation a side on; low, high, t, df
 * and p need two a side and some spread: where the standard error is below 10 epsilon of what was
 * measured (the rule of R's t.test), there is none, and never a p of 0 made of rounding.
 */
struct interval {
    double value, low, high, t, df, p;
};
/* mean(b) - mean(a), Welch, never pooled. level: 0.95 */
struct interval stats_welch(const struct summary *a, const struct summary *b, double level);
/* mean(b) / mean(a) with the log-ratio interval; df by Satterthwaite from cA, cB; p two-sided.
 * All NaN unless all values (min, where it is known, and the mean) are positive. */
struct interval stats_log_ratio(const struct summary *a, const struct summary *b, double level);
/* mean of n log-ratios with its t interval, as ratios. n = 1: value only. */
struct interval stats_paired_ratio(const double *log_ratio, size_t n, double level);
/* Mean of n paired differences with its t interval. scale: how large the values were that were
 * subtracted (their rounding is no spread); 0 where unknown. n = 1: value only. */
struct interval stats_paired_diff(const double *diff, size_t n, double scale, double level);
/* b - m for one new value b against the runs a: prediction interval +- t s sqrt(1 + 1/n). */
struct interval stats_prediction(const struct summary *a, double b, double level);
/* The same turned into the ratio b/m; p of (b - m) / (s sqrt(1 + 1/n)). low may be negative. */
struct interval stats_one_against(const struct summary *a, double b, double level);

/* ---- without the means (rank.c) ---------------------------------------------------------------- */
/*
 * value: the median of all b - a (Hodges & Lehmann 1963). low, high: the interval that goes with
 * the test; NaN where no test of this size reaches the level. w: pairs with b above a, ties a half
 * (R's W with the samples exchanged); of pairs the sum of the positive ranks. p, two-sided: exact
 * up to 2500 pairs without ties and up to 60 values with them (then given these ties), else normal
 * with their variance and a continuity correction; NaN where all values are equal. p_least: the
 * smallest p that so few values can have; above 0.05 the test has no say.
 */
struct shift {
    double value, low, high, w, p, p_least;
    bool exact;
};
struct shift stats_shift(const double *a, size_t n_a, const double *b, size_t n_b, double level);
/* Of paired differences: the median of all means of two, the signed-rank test (Wilcoxon 1945). */
struct shift stats_paired_shift(const double *diff, size_t n, double level);

/* ---- power (power.c) --------------------------------------------------------------------------- */
/* The noncentrality, change over its standard error, that a two-sided t test at alpha sees with
 * this power (R's power.t.test: the far tail is not counted). */
double stats_noncentrality(double df, double alpha, double power);

/* Holm's step-down adjustment in place; NaN stay NaN and are not counted. Anything else outside
 * [0, 1] becomes NaN, with EDOM. */
void stats_holm(double *p, size_t n);

/* ---- a comparison (verdict.c) ---------------------------------------------------------------- */

/* One observation: side 0 is the baseline. run and block number the repetitions. */
struct observation {
    int side;
    int64_t run, block;
    double value;
};

enum unit_of_analysis { N_OF_NONE, N_OF_BLOCKS, N_OF_RUNS, N_OF_ITERATIONS };

struct comparison {
    enum unit_of_analysis n_of;
    int64_t runs[2]; /* runs a side that were counted */
    int64_t n[2];    /* of n_of a side: what the interval rests on */
    double mean[2], sd[2];
    struct interval diff;   /* b - a, in units */
    struct interval ratio;  /* b / a; NaN where a value is not positive */
    struct interval paired; /* the same as ratio where n_of is blocks, else NaN */
    double p;               /* unadjusted, of the ratio, else of the difference. NaN for one run
                             * against fewer than five: these do not count in Holm's adjustment */
    struct interval robust; /* Hodges-Lehmann as b / a (shift over the baseline's median), its interval
                             * and p; low and high are NaN where it has no say (p_least > 0.05) */
    int64_t outliers;       /* among the values the interval rests on */
    bool no_spread;         /* enough values, but no interval can be had from them */
    bool all_equal;         /* no spread, and no difference either */
};

/*
 * interleaved: both sides were measured block by block in the same runs. total: the metric is one
 * whose run value is the mean of its iterations, else the median. Order of obs is of no importance.
 *
 * blocks      interleaved, and both sides are in every run, or in at least two runs (runs that have
 *             one side only are then left out). n: blocks that pair where there is one run, else
 *             runs. mean and sd: of the iterations where there is one run, else of the run means.
 * iterations  otherwise, where there is one run a side. diff and ratio are for show: p is NaN.
 * runs        otherwise. Two or more a side: Welch. Five or more against one: the prediction
 *             interval. Two to four against one: value only.
 * none        a side is empty, or a value is not finite (then errno is EDOM); all numbers are NaN.
 */
struct comparison stats_compare(const struct observation *obs, size_t n, bool interleaved,
                                bool total);

/* The smallest change, as a share of the baseline, that these would have shown with power 0.8 at
 * 5 %. NaN where there is no interval, and for iterations, which are no repetitions. */
double stats_mde(const struct comparison *c);
/* How many more runs (blocks of a single run) are needed until a change of delta is seen so, at
 * the spread there is now: on both sides, or on side b only. At least 1. NaN: never, beyond 9999,
 * or the spread is not known. */
double stats_more_runs(const struct comparison *c, double delta, bool only_b);

struct verdict_ask {
    const struct comparison *c;
    double p_adjusted;  /* Holm; NaN: c->p is taken */
    double delta;       /* practical threshold, 0.05 */
    int better;         /* +1, -1; 0: a change is told as "changed" */
    const char *reason; /* "not comparable (host)" or "new meaning", or NULL; it wins */
    bool headline;      /* others get no verdict: "" */
};
/*
 * Writes one of: the reason; "undecided (one run each)"; "undecided (one run so far)";
 * "insufficient"; "undecided (outliers)" (there are some, and with them the ratio interval and the
 * robust one contradict each other); "same (no spread recorded: check timer resolution)";
 * "insufficient (zero variance)"; "same"; "small change"; "slower", "faster", "changed" (with "?"
 * where one run stands against five or more); "undecided".
 */
void stats_verdict(const struct verdict_ask *ask, char *out, size_t size);

#endif
