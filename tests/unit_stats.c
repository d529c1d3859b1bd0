/*
 * unit_stats.c: dist.c and stats.c against numbers that others computed: NIST's certified values,
 * R 4.2.2, published tables; then what no table has: nothing, one value, no spread, NaN.
 */
#include <errno.h>
#include <float.h>

#include "check.h"
#include "zhist/stats.h"

#define MAX_VALUES 5000

static char name_buf[160];
#define NAME(...) (snprintf(name_buf, sizeof name_buf, __VA_ARGS__), name_buf)
static const double nan_value = (double)NAN, inf_value = (double)INFINITY;

static FILE *data_open(const char *file) {
    const char *tests = getenv("ZHIST_TESTS");
    char path[4096];
    snprintf(path, sizeof path, "%s/data/stats/%s", tests ? tests : "tests", file);
    FILE *f = fopen(path, "r");
    if (!f)
        CHECK(NAME("open %s", file), false);
    return f;
}

/* A row of a CSV without quotes; line is cut into pieces. */
static size_t split(char *line, char separator, char **field, size_t max) {
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *p = line; p && n < max;) {
        field[n++] = p;
        p = strchr(p, separator);
        if (p)
            *p++ = '\0';
    }
    return n;
}

static double number(const char *text) {
    return strcmp(text, "NA") ? strtod(text, NULL) : nan_value;
}

static size_t read_values(const char *file, double *x) {
    FILE *f = data_open(file);
    size_t n = 0;
    while (f && n < MAX_VALUES && fscanf(f, "%lf", &x[n]) == 1)
        n++;
    if (f)
        fclose(f);
    return n;
}

/* ---- distributions --------------------------------------------------------------------------- */

static void test_distributions(void) {
    FILE *f = data_open("misc/expected.txt");
    char line[4096];
    int rows = 0;
    while (f && fgets(line, sizeof line, f)) {
        double df, q975, q995, tail;
        if (sscanf(line, "qt(.975, %lf )= %lf qt(.995)= %lf pt(-2,df)= %lf", &df, &q975, &q995,
                   &tail) != 4)
            continue;
        rows++;
        CHECK_NEAR(NAME("t quantile 0.975, df %g", df), dist_t_quantile(0.975, df), q975, 1e-13);
        CHECK_NEAR(NAME("t quantile 0.995, df %g", df), dist_t_quantile(0.995, df), q995, 1e-13);
        CHECK_NEAR(NAME("t cdf of -2, df %g", df), dist_t_cdf(-2, df), tail, 1e-13);
    }
    if (f)
        fclose(f);
    CHECK("rows of R's t table were read", rows == 16);

    CHECK_NEAR("huge df: the quantile is the normal one", dist_t_quantile(0.975, 1e300),
               1.959963984540054, 1e-13);
    CHECK_NEAR("infinite df: the normal distribution", dist_t_cdf(-1.959963984540054, inf_value),
               0.025, 1e-13);
    CHECK_NEAR("df 2e6: 1e-6 beside the normal quantile", dist_t_quantile(0.975, 2e6),
               1.959963984540054, 1e-6);
    CHECK_NEAR("t far out has a small tail, not 0", dist_t_cdf(-1e10, 1), 3.183098861837907e-11,
               1e-12);
    CHECK_NEAR("cdf of 0", dist_t_cdf(0, 3.3), 0.5, 1e-15);
    CHECK("cdf of minus infinity", dist_t_cdf(-inf_value, 3) == 0);
    static const double bad_df[] = {0, -1, 1e-9};
    for (size_t i = 0; i < LENGTH(bad_df); i++) {
        errno = 0;
        CHECK(NAME("df %g: NaN and EDOM", bad_df[i]), isnan(dist_t_cdf(1, bad_df[i])) &&
                                                          isnan(dist_t_quantile(0.9, bad_df[i])) &&
                                                          errno == EDOM);
    }
    errno = 0;
    CHECK("t NaN, df NaN",
          isnan(dist_t_cdf(1, nan_value)) && isnan(dist_t_cdf(nan_value, 1)) && errno == EDOM);
    errno = 0;
    CHECK("a probability above 1", isnan(dist_t_quantile(1.5, 1)) && errno == EDOM);
}

/* ---- one sample ------------------------------------------------------------------------------ */

static void test_nist(void) {
    static double x[MAX_VALUES];
    FILE *f = data_open("nist/expected.csv");
    char line[1024], *field[9], file[128];
    int sets = 0;
    while (f && fgets(line, sizeof line, f)) {
        if (!strchr(line, ',') || line[0] == '#' || split(line, ',', field, 9) != 9 ||
            !strcmp(field[0], "file"))
            continue;
        snprintf(file, sizeof file, "nist/%s", field[0]);
        size_t n = read_values(file, x);
        struct summary s = stats_summary(x, n);
        sets++;
        CHECK(NAME("%s: n", field[0]), n == (size_t)number(field[2]));
        CHECK_NEAR(NAME("%s: mean", field[0]), s.mean, number(field[3]), number(field[6]));
        CHECK_NEAR(NAME("%s: sd", field[0]), s.sd, number(field[4]), number(field[7]));
        CHECK_NEAR(NAME("%s: lag 1", field[0]), stats_lag1(x, n), number(field[5]),
                   number(field[8]));
    }
    if (f)
        fclose(f);
    CHECK("NIST's sets were read", sets == 6);
}

static void test_summary(void) {
    struct summary s = stats_summary(NULL, 0);
    CHECK("summary of nothing: n 0, all NaN", s.n == 0 && isnan(s.mean) && isnan(s.m2) &&
                                                  isnan(s.sd) && isnan(s.min) && isnan(s.max) &&
                                                  isnan(s.median));
    s = stats_summary((double[]){-7.5}, 1);
    CHECK("summary of one value: no sd", s.n == 1 && s.mean == -7.5 && s.m2 == 0 && isnan(s.sd) &&
                                             s.min == -7.5 && s.max == -7.5 && s.median == -7.5);
    s = stats_summary((double[]){3, -1}, 2);
    CHECK("summary of two values",
          s.mean == 1 && s.m2 == 8 && s.min == -1 && s.max == 3 && s.median == 1);
    CHECK_NEAR("sd divides by n-1", s.sd, sqrt(8), 1e-15);
    s = stats_summary((double[]){0.1, 0.1, 0.1}, 3);
    CHECK("a constant sample has no spread made of rounding",
          s.mean == 0.1 && s.m2 == 0 && s.sd == 0);
    static double tenths[MAX_VALUES]; /* a plain sum is off by 1e-13 */
    for (size_t i = 0; i < MAX_VALUES; i++)
        tenths[i] = 0.1;
    tenths[17] = 0.2;
    CHECK_NEAR("the mean of many is right to the last bit", stats_summary(tenths, MAX_VALUES).mean,
               0.10002, 3e-16);
    s = stats_summary((double[]){9, 1, 5, 7}, 4);
    CHECK("the median of an even number lies between the two", s.median == 6);

    const double bad[] = {nan_value, inf_value, -inf_value};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        double x[3] = {5, bad[i], 6};
        errno = 0;
        s = stats_summary(x, 3);
        CHECK(NAME("summary with %g: NaN and EDOM", bad[i]),
              isnan(s.mean) && isnan(s.sd) && isnan(s.median) && isnan(s.min) && errno == EDOM);
        errno = 0;
        CHECK(NAME("quantile with %g", bad[i]), isnan(stats_quantile(x, 3, 0.5)) && errno == EDOM);
        errno = 0;
        CHECK(NAME("lag 1 with %g", bad[i]), isnan(stats_lag1(x, 3)) && errno == EDOM);
        errno = 0;
        CHECK(NAME("effective n with %g", bad[i]), isnan(stats_effective_n(x, 3)) && errno == EDOM);
        errno = 0;
        CHECK(NAME("half-width with %g", bad[i]), isnan(stats_half_width(x, 3)) && errno == EDOM);
        errno = 0;
        CHECK(NAME("outliers with %g", bad[i]), stats_outliers(x, 3) == 0 && errno == EDOM);
    }
    s = stats_summary_of(4, 10, 2);
    CHECK("published numbers: m2 from sd, the rest unknown",
          s.n == 4 && s.mean == 10 && s.m2 == 12 && s.sd == 2 && isnan(s.min) && isnan(s.median));
}

static void test_quantiles(void) {
    /* The sample behind the quantiles of vectors/misc (R, type 7), in another order. */
    static const double x[] = {22, 1, 16, 2, 11, 4, 7};
    static const double want[][2] = {{0.25, 3},   {0.5, 7},     {0.75, 13.5},
                                     {0.9, 18.4}, {0.95, 20.2}, {0.99, 21.64}};
    for (size_t i = 0; i < LENGTH(want); i++)
        CHECK_NEAR(NAME("quantile %g, type 7", want[i][0]), stats_quantile(x, 7, want[i][0]),
                   want[i][1], 1e-14);
    CHECK("quantile 0 is the smallest", stats_quantile(x, 7, 0) == 1);
    CHECK("quantile 1 is the largest", stats_quantile(x, 7, 1) == 22);
    CHECK("quantile of one value", stats_quantile(x, 1, 0.99) == 22);
    errno = 0;
    CHECK("quantile of nothing: NaN, no error", isnan(stats_quantile(x, 0, 0.5)) && errno == 0);
    CHECK("quantile 1.01: EDOM", isnan(stats_quantile(x, 4, 1.01)) && errno == EDOM);
}

static void test_autocorrelation(void) {
    static const double steady[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const double zigzag[] = {1, 9, 1, 9, 1, 9, 1, 9};
    errno = 0;
    CHECK("lag 1 of one value: NaN, no error", isnan(stats_lag1(steady, 1)) && errno == 0);
    CHECK("lag 1 of a constant: NaN, no error",
          isnan(stats_lag1((double[]){4, 4, 4}, 3)) && errno == 0);
    /* sum over i of (i-8.5)(i-7.5), i = 1..15, over 340 */
    CHECK_NEAR("lag 1 of a ramp", stats_lag1(steady, 16), 276.25 / 340, 1e-14);
    double r1 = 276.25 / 340;
    CHECK_NEAR("effective n of a ramp is small but not below 2", stats_effective_n(steady, 16),
               fmax(2, 16 * (1 - r1) / (1 + r1)), 1e-12);
    CHECK("negative autocorrelation never raises n", stats_effective_n(zigzag, 8) == 8);
    CHECK("effective n of a constant is n", stats_effective_n((double[]){4, 4, 4}, 3) == 3);
    CHECK("effective n of 0 and 1 values",
          stats_effective_n(steady, 0) == 0 && stats_effective_n(steady, 1) == 1);
    static double mavro[MAX_VALUES];
    size_t n = read_values("nist/Mavro.dat", mavro);
    CHECK("Mavro: R says 1.5999, never below 2", stats_effective_n(mavro, n) == 2);
    /* r1 = 0.1667 lies below 2/sqrt(6): it may be chance, and n stays. */
    static const double weak[] = {1, 2, 3, 5, 4, 2};
    double r = stats_lag1(weak, 6);
    CHECK("weak autocorrelation is not believed",
          r > 0 && r < 2 / sqrt(6) && stats_effective_n(weak, 6) == 6);

    CHECK_NEAR("half-width: t s / (sqrt(n) mean)",
               stats_half_width((double[]){9, 10, 11, 10, 10}, 5),
               2.7764451051977987 * sqrt(0.5) / (sqrt(5) * 10), 1e-13);
    CHECK_NEAR("half-width widens by the effective n", stats_half_width(steady, 16),
               2.131449545559323 * sqrt(340.0 / 15) / (sqrt(2) * 8.5), 1e-12);
    CHECK_NEAR("half-width of negative values is positive",
               stats_half_width((double[]){-9, -10, -11, -10, -10}, 5),
               2.7764451051977987 * sqrt(0.5) / (sqrt(5) * 10), 1e-13);
    CHECK("half-width of a constant is 0", stats_half_width((double[]){4, 4, 4}, 3) == 0);
    CHECK("half-width of one value, of mean 0: NaN",
          isnan(stats_half_width(steady, 1)) && isnan(stats_half_width((double[]){-1, 1}, 2)));
}

static void test_outliers(void) {
    /* median 10, MAD 1: the limit is 10 +- 7.413 */
    CHECK("outlier above the limit",
          stats_outliers((double[]){9, 9, 9, 10, 10, 11, 11, 11, 17.5}, 9) == 1);
    CHECK("no outlier below the limit",
          stats_outliers((double[]){9, 9, 9, 10, 10, 11, 11, 11, 17.41}, 9) == 0);
    CHECK("outliers on both ends",
          stats_outliers((double[]){9, 2, 9, 10, 10, 11, 9, 11, 18}, 9) == 2);
    CHECK("no outlier in a constant, or in nothing",
          stats_outliers((double[]){5, 5, 5, 5}, 4) == 0 && stats_outliers(NULL, 0) == 0);
}

/* ---- two samples ----------------------------------------------------------------------------- */

static size_t numbers(char *text, double *x) {
    char *end;
    size_t n = 0;
    for (double v = strtod(text, &end); end != text; v = strtod(text, &end)) {
        x[n++] = v;
        text = end;
    }
    return n;
}

static bool sample_of(const char *name, const char *side, struct summary *s) {
    static double x[MAX_VALUES];
    char line[1024], *field[3];
    bool found = false;
    if (!strcmp(name, "auto83b")) {
        size_t n =
            read_values(*side == 'a' ? "welch/auto83b_us.dat" : "welch/auto83b_japan.dat", x);
        *s = stats_summary(x, n);
        return n > 0;
    }
    FILE *f = data_open("welch/data_small.csv");
    while (f && !found && fgets(line, sizeof line, f))
        if (line[0] != '#' && split(line, ',', field, 3) == 3 && !strcmp(field[0], name) &&
            !strcmp(field[1], side)) {
            *s = stats_summary(x, numbers(field[2], x));
            found = true;
        }
    if (f)
        fclose(f);
    return found;
}

/* R's difference is a - b, ours b - a. */
static void test_welch(void) {
    FILE *f = data_open("welch/expected.csv");
    char line[2048], *v[19];
    int sets = 0;
    while (f && fgets(line, sizeof line, f)) {
        struct summary a, b;
        if (line[0] == '#' || split(line, ',', v, 19) != 19 || !strcmp(v[0], "name"))
            continue;
        if (!sample_of(v[0], "a", &a) || !sample_of(v[0], "b", &b)) {
            CHECK(NAME("%s: its samples", v[0]), false);
            continue;
        }
        sets++;
        /* The input of tiny_relative_sd is itself rounded at 1e-7 of its spread. */
        double tolerance = strcmp(v[0], "tiny_relative_sd") ? 1e-12 : 1e-9;
        struct interval i = stats_welch(&a, &b, 0.95), wide = stats_welch(&a, &b, 0.99);
        CHECK_NEAR(NAME("%s: difference", v[0]), i.value, number(v[4]) - number(v[3]), 1e-9);
        CHECK_NEAR(NAME("%s: Welch t", v[0]), i.t, -number(v[7]), tolerance);
        CHECK_NEAR(NAME("%s: Welch df", v[0]), i.df, number(v[8]), tolerance);
        CHECK_NEAR(NAME("%s: Welch p", v[0]), i.p, number(v[9]), tolerance * 10);
        CHECK_NEAR(NAME("%s: Welch low", v[0]), i.low, -number(v[11]), tolerance);
        CHECK_NEAR(NAME("%s: Welch high", v[0]), i.high, -number(v[10]), tolerance);
        CHECK_NEAR(NAME("%s: Welch low, 99 %%", v[0]), wide.low, -number(v[13]), tolerance);
        CHECK_NEAR(NAME("%s: Welch high, 99 %%", v[0]), wide.high, -number(v[12]), tolerance);
    }
    if (f)
        fclose(f);
    CHECK("R's Welch sets were read", sets == 8);
}

static void test_log_ratio(void) {
    FILE *f = data_open("misc/ratio_expected.csv");
    char line[1024], *v[10];
    int sets = 0;
    while (f && fgets(line, sizeof line, f)) {
        struct summary a, b;
        if (split(line, ',', v, 10) != 10 || !sample_of(v[0], "a", &a) || !sample_of(v[0], "b", &b))
            continue;
        sets++;
        struct interval i = stats_log_ratio(&a, &b, 0.95);
        bool exists = !isnan(number(v[2]));
        CHECK_NEAR(NAME("%s: ratio", v[0]), i.value, exists ? number(v[1]) : nan_value, 1e-13);
        CHECK_NEAR(NAME("%s: log-ratio df", v[0]), i.df, number(v[2]), 1e-9);
        CHECK_NEAR(NAME("%s: log-ratio low", v[0]), i.low, number(v[3]), 1e-12);
        CHECK_NEAR(NAME("%s: log-ratio high", v[0]), i.high, number(v[4]), 1e-12);
        if (!(number(v[8]) > 0 && number(v[8]) < 0.0107) || isnan(number(v[6])))
            continue; /* v[8]: t^2 cA, see stats.c */
        double near = 0.03 * (number(v[7]) - number(v[6]));
        CHECK(NAME("%s: Fieller's interval is near", v[0]),
              fabs(i.low - number(v[6])) < near && fabs(i.high - number(v[7])) < near);
    }
    if (f)
        fclose(f);
    CHECK("R's ratio sets were read", sets == 7);
}

/* The table of the forum: published as mean, sd, n. Baseline is the plain one. */
static void test_forum_table(void) {
    struct summary plain = stats_summary_of(100, 4.69, 0.77),
                   lz4 = stats_summary_of(100, 5.10, 0.77);
    struct interval d = stats_welch(&plain, &lz4, 0.95);
    CHECK("forum, write: 4.2 .. 13.3 % of the baseline",
          fabs(100 * d.low / 4.69 - 4.2) < 0.05 && fabs(100 * d.high / 4.69 - 13.3) < 0.05);
    plain = stats_summary_of(100, 0.263, 0.062);
    lz4 = stats_summary_of(100, 0.513, 0.33);
    d = stats_welch(&plain, &lz4, 0.95);
    struct interval r = stats_log_ratio(&plain, &lz4, 0.95);
    CHECK("forum, read: df 105.98", fabs(d.df - 105.98) < 0.005);
    CHECK("forum, read: 69.7 .. 120.4 % of the baseline",
          fabs(100 * d.low / 0.263 - 69.7) < 0.05 && fabs(100 * d.high / 0.263 - 120.4) < 0.05);
    CHECK("forum, read: log-ratio 70.3 .. 123.4 %",
          fabs(100 * r.low - 170.3) < 0.05 && fabs(100 * r.high - 223.4) < 0.05);
}

static bool only_value(struct interval i, double value) {
    return fabs(i.value - value) < 1e-12 && isnan(i.low) && isnan(i.high) && isnan(i.p) &&
           isnan(i.t) && isnan(i.df);
}

static bool nothing(struct interval i) {
    return isnan(i.value) && isnan(i.low) && isnan(i.high) && isnan(i.p);
}

static void test_two_sample_edges(void) {
    struct summary none = stats_summary(NULL, 0), one = stats_summary((double[]){5}, 1);
    struct summary three = stats_summary((double[]){4.9, 5.1, 5.0}, 3);
    struct summary fives = stats_summary((double[]){5, 5, 5}, 3);
    struct summary sixes = stats_summary((double[]){6, 6, 6}, 3);
    struct summary negative = stats_summary((double[]){-4, -5, -6}, 3);
    int exact_ratios = 0;
    for (int i = 2; i < 100; i++) {
        struct summary small = stats_summary_of(3, 3, 0.1), large = stats_summary_of(3, i, 0.1);
        exact_ratios += stats_log_ratio(&small, &large, 0.95).value == i / 3.0;
    }
    CHECK("the ratio is exactly that of the means", exact_ratios == 98);
    errno = 0;
    CHECK("an empty side: nothing, no error", nothing(stats_welch(&none, &three, 0.95)) &&
                                                  nothing(stats_log_ratio(&three, &none, 0.95)));
    CHECK("one value a side: difference only", only_value(stats_welch(&one, &three, 0.95), 0) &&
                                                   only_value(stats_welch(&three, &one, 0.95), 0));
    CHECK("one value a side: ratio only", only_value(stats_log_ratio(&one, &three, 0.95), 1));
    CHECK("both constant and equal: difference 0 only",
          only_value(stats_welch(&fives, &fives, 0.95), 0));
    CHECK("both constant and different: difference only, never p = 0",
          only_value(stats_welch(&fives, &sixes, 0.95), 1) &&
              only_value(stats_log_ratio(&fives, &sixes, 0.95), 1.2));
    CHECK("negative values have a difference", stats_welch(&three, &negative, 0.95).high < 0);
    CHECK("negative values have no ratio", nothing(stats_log_ratio(&three, &negative, 0.95)) &&
                                               nothing(stats_log_ratio(&negative, &three, 0.95)));
    CHECK("none of these is an error", errno == 0);
    struct summary rounding = {.n = 3, .mean = 1e9, .sd = 1e-7, .min = 1e9, .max = 1e9};
    CHECK("spread within the rounding is no spread",
          only_value(stats_welch(&rounding, &rounding, 0.95), 0));

    struct summary broken = stats_summary((double[]){1, inf_value}, 2);
    errno = 0;
    CHECK("a sample with infinity: NaN and EDOM",
          nothing(stats_welch(&broken, &three, 0.95)) && errno == EDOM);
    errno = 0;
    CHECK("ratio of it: NaN and EDOM",
          nothing(stats_log_ratio(&three, &broken, 0.95)) && errno == EDOM);
    errno = 0;
    CHECK("level 1: EDOM", isnan(stats_welch(&three, &three, 1).low) && errno == EDOM);

    struct summary many = stats_summary_of(1000000, 10, 1e200);
    struct interval i = stats_welch(&many, &many, 0.95); /* variances of 1e400 */
    CHECK_NEAR("n = 1e6 a side: df, and no overflow", i.df, 2e6 - 2, 1e-12);
    CHECK_NEAR("n = 1e6 a side: the normal quantile", i.high / (sqrt(2) * 1e197), 1.959963984540054,
               1e-6);
    struct summary pair = stats_summary_of(2, 1, 1), exact = stats_summary_of(1000, 1, 0);
    CHECK_NEAR("df never falls below the smaller n-1", stats_welch(&pair, &exact, 0.95).df, 1,
               1e-15);
}

static void test_pairs(void) {
    /* R: t.test of extra hours of sleep, paired (Student 1908): t = -4.0621, p = 0.002833 */
    static const double hours[] = {1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4};
    struct interval i = stats_paired_diff(hours, 10, 0, 0.95);
    CHECK_NEAR("Student's sleep, paired: t", i.t, 4.0621, 1e-5);
    CHECK_NEAR("Student's sleep, paired: p", i.p, 0.00283289, 1e-5);
    CHECK_NEAR("Student's sleep, paired: low", i.low, 0.7001142, 1e-6);
    CHECK_NEAR("Student's sleep, paired: high", i.high, 2.4598858, 1e-6);
    CHECK("Student's sleep, paired: df", i.df == 9);
    struct interval r = stats_paired_ratio(hours, 10, 0.95);
    CHECK_NEAR("a paired ratio is the exponential: value", r.value, exp(1.58), 1e-14);
    CHECK_NEAR("a paired ratio is the exponential: low", r.low, exp(i.low), 1e-14);
    CHECK_NEAR("a paired ratio is the exponential: high", r.high, exp(i.high), 1e-14);
    CHECK("a paired ratio keeps p", r.p == i.p);
    CHECK("one pair: value only", only_value(stats_paired_ratio((double[]){log(2)}, 1, 0.95), 2));
    CHECK("no pair: nothing", nothing(stats_paired_ratio(NULL, 0, 0.95)));
    CHECK("equal pairs: value only, whatever the rounding",
          only_value(stats_paired_ratio((double[]){1e-16, 2e-16, 0}, 3, 0.95), 1));
    CHECK("differences within the rounding of what was subtracted are none",
          isnan(stats_paired_diff((double[]){1e-7, 2e-7, 3e-7}, 3, 1e9, 0.95).p));
    errno = 0;
    CHECK("a pair of NaN: EDOM",
          nothing(stats_paired_ratio((double[]){1, nan_value}, 2, 0.95)) && errno == EDOM);
}

static void test_one_against(void) {
    /* mean 10, sd 1, n 5: half = 2.776445 * sqrt(1.2) */
    struct summary a = stats_summary((double[]){9, 9.5, 10, 10, 11.5}, 5);
    double s = sqrt(3.5 / 4), half = 2.7764451051977987 * s * sqrt(1.2);
    struct interval i = stats_prediction(&a, 14, 0.95), r = stats_one_against(&a, 14, 0.95);
    CHECK_NEAR("prediction: value", i.value, 4, 1e-14);
    CHECK_NEAR("prediction: low", i.low, 4 - half, 1e-13);
    CHECK_NEAR("prediction: high", i.high, 4 + half, 1e-13);
    CHECK_NEAR("prediction: t", i.t, 4 / (s * sqrt(1.2)), 1e-13);
    CHECK_NEAR("prediction: p", i.p, 2 * dist_t_cdf(-4 / (s * sqrt(1.2)), 4), 1e-13);
    CHECK_NEAR("prediction as ratio: value", r.value, 1.4, 1e-14);
    CHECK_NEAR("prediction as ratio: low", r.low, (14 - half) / 10, 1e-13);
    CHECK_NEAR("prediction as ratio: high", r.high, (14 + half) / 10, 1e-13);
    CHECK("prediction as ratio: p is the same", r.p == i.p);
    CHECK("no ratio of a value that is not positive",
          nothing(stats_one_against(&a, 0, 0.95)) && nothing(stats_one_against(&a, -1, 0.95)));
    struct summary constant = stats_summary_of(3, 5, 0), one = stats_summary(&s, 1);
    CHECK("no spread to predict from", only_value(stats_one_against(&constant, 6, 0.95), 1.2));
    CHECK("one run to predict from", only_value(stats_prediction(&one, s + 1, 0.95), 1));
    errno = 0;
    CHECK("a NaN to predict", nothing(stats_prediction(&a, nan_value, 0.95)) && errno == EDOM);
}

/* ---- many p values --------------------------------------------------------------------------- */

static void test_holm(void) {
    double four[] = {0.01, 0.04, 0.03, 0.005};
    static const double four_holm[] = {0.03, 0.06, 0.06, 0.02};
    stats_holm(four, 4);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(NAME("Holm, four of R, %zu", i), four[i], four_holm[i], 1e-15);
    double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                  0.0459, 0.324,  0.4262, 0.5719, 0.6528, 0.759,  1};
    static const double holm[] = {0.0015, 0.0056, 0.0247, 0.114, 0.2211, 0.278, 0.278, 0.278,
                                  0.3213, 1,      1,      1,     1,      1,     1};
    stats_holm(p, 15);
    for (size_t i = 0; i < 15; i++)
        CHECK_NEAR(NAME("Holm, Benjamini & Hochberg's table, %zu", i), p[i], holm[i], 1e-14);
    double gap[] = {0.02, nan_value, 0.001, 0.02};
    errno = 0;
    stats_holm(gap, 4);
    CHECK_NEAR("Holm with NaN: first", gap[0], 0.04, 1e-15);
    CHECK("Holm with NaN: stays, and is no error", isnan(gap[1]) && errno == 0);
    CHECK_NEAR("Holm with NaN: counts three", gap[2], 0.003, 1e-15);
    CHECK_NEAR("Holm with NaN: ties", gap[3], 0.04, 1e-15);
    double bad[] = {inf_value, 0.01, -1};
    stats_holm(bad, 3);
    CHECK("Holm of no probability: NaN and EDOM",
          isnan(bad[0]) && isnan(bad[2]) && bad[1] == 0.01 && errno == EDOM);
    stats_holm(bad + 2, 1);
    stats_holm(NULL, 0);
    CHECK("Holm of nothing", isnan(bad[2]));
}

int main(void) {
    test_distributions();
    test_nist();
    test_summary();
    test_quantiles();
    test_autocorrelation();
    test_outliers();
    test_welch();
    test_log_ratio();
    test_forum_table();
    test_two_sample_edges();
    test_pairs();
    test_one_against();
    test_holm();
    return check_done();
}
