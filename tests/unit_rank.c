/*
 * unit_rank.c: Hodges-Lehmann, Mann-Whitney, signed ranks and power against numbers of R, against
 * a count of all possibilities, and where there is no answer.
 */
#include <errno.h>

#include "check.h"
#include "zhist/stats.h"

static char name_buf[200];
#define NAME(...) (snprintf(name_buf, sizeof name_buf, __VA_ARGS__), name_buf)
enum { MOST = 200 };

static FILE *data_open(const char *file) {
    const char *tests = getenv("ZHIST_TESTS");
    char path[4096];
    snprintf(path, sizeof path, "%s/data/stats/%s", tests ? tests : "tests", file);
    FILE *f = fopen(path, "r");
    if (!f)
        CHECK(NAME("open %s", file), false);
    return f;
}

static size_t read_sample(const char *name, char side, double *x) {
    FILE *f = data_open("mwu/data.csv");
    char line[4096];
    size_t n = 0, len = strlen(name);
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, len) && line[len] == ',' && line[len + 1] == side)
            for (char *at = line + len + 3, *end; n < MOST; at = end) {
                x[n] = strtod(at, &end);
                if (end == at)
                    break;
                n++;
            }
    if (f)
        fclose(f);
    return n;
}

static double number(const char *text) {
    return strcmp(text, "NA") ? strtod(text, NULL) : (double)NAN;
}

/* ---- Mann-Whitney ------------------------------------------------------------------------------ */

static void test_vectors(void) {
    FILE *f = data_open("mwu/expected.csv");
    char line[1024];
    int rows = 0;
    while (f && fgets(line, sizeof line, f)) {
        char *v[13];
        size_t n = 0;
        double a[MOST], b[MOST];
        if (*line == '#' || !strncmp(line, "name,", 5))
            continue;
        line[strcspn(line, "\r\n")] = '\0';
        for (char *at = line; at && n < 13; n++) {
            v[n] = at;
            at = strchr(at, ',');
            if (at)
                *at++ = '\0';
        }
        size_t n_a = read_sample(v[0], 'a', a), n_b = read_sample(v[0], 'b', b);
        CHECK(NAME("%s: its samples", v[0]),
              n == 13 && n_a == (size_t)number(v[1]) && n_b == (size_t)number(v[2]));
        /* R's W is of a above b, and its shift a - b */
        struct shift s = stats_shift(b, n_b, a, n_a, 0.95);
        CHECK_NEAR(NAME("%s: W", v[0]), s.w, number(v[4]), 1e-15);
        CHECK_NEAR(NAME("%s: Hodges-Lehmann", v[0]), s.value, number(v[5]), 1e-12);
        CHECK_NEAR(NAME("%s: exact p", v[0]), s.p, number(v[11]), 1e-12);
        if (!isnan(number(v[7]))) {
            CHECK_NEAR(NAME("%s: low", v[0]), s.low, number(v[7]), 1e-12);
            CHECK_NEAR(NAME("%s: high", v[0]), s.high, number(v[8]), 1e-12);
        }
        CHECK(NAME("%s: exact", v[0]), s.exact);
        struct shift back = stats_shift(a, n_a, b, n_b, 0.95);
        CHECK(NAME("%s: the other way round", v[0]),
              back.value == -s.value && fabs(back.p - s.p) < 1e-14 && back.low == -s.high);
        rows++;
    }
    if (f)
        fclose(f);
    CHECK("all rows were read", rows == 3);
}

/* All ways to deal the pooled values out; the p of the sum of mean ranks. */
static double counted_p(const double *a, size_t n_a, const double *b, size_t n_b) {
    double pooled[16], rank[16], observed = 0;
    size_t n = n_a + n_b, far = 0, all = 0;
    memcpy(pooled, a, n_a * sizeof *a);
    memcpy(pooled + n_a, b, n_b * sizeof *b);
    for (size_t i = 0; i < n; i++) {
        rank[i] = 0.5;
        for (size_t j = 0; j < n; j++)
            rank[i] += pooled[j] < pooled[i] ? 1 : !(pooled[j] > pooled[i]) ? 0.5 : 0;
        observed += i < n_a ? rank[i] : 0;
    }
    double middle = (double)n_a * (double)(n + 1) / 2;
    for (unsigned set = 0; set < 1u << n; set++) {
        double sum = 0;
        size_t taken = 0;
        for (size_t i = 0; i < n; i++)
            if (set >> i & 1) {
                sum += rank[i];
                taken++;
            }
        if (taken != n_a)
            continue;
        all++;
        far += fabs(sum - middle) >= fabs(observed - middle) - 1e-9;
    }
    return (double)far / (double)all;
}

static void test_counted(void) {
    uint64_t state = 3;
    for (int turn = 0; turn < 40; turn++) {
        double a[7], b[7];
        size_t n_a = 2 + random_next(&state) % 6, n_b = 2 + random_next(&state) % 6;
        bool ties = turn % 2;
        for (size_t i = 0; i < 7; i++) {
            a[i] = ties ? (double)(random_next(&state) % 4) : (double)(random_next(&state) >> 20);
            b[i] = ties ? (double)(random_next(&state) % 5) : (double)(random_next(&state) >> 20);
        }
        struct shift s = stats_shift(a, n_a, b, n_b, 0.95);
        double p = counted_p(a, n_a, b, n_b);
        CHECK(NAME("%zu against %zu%s: p is that of all possibilities", n_a, n_b,
                   ties ? ", ties" : ""),
              isnan(s.p) ? p > 1 - 1e-12 : fabs(s.p - p) < 1e-12);
    }
}

static void test_small(void) {
    static const double a[] = {1, 2, 3}, b[] = {4, 5, 6}, same[] = {5, 5, 5, 5};
    struct shift s = stats_shift(a, 3, b, 3, 0.95);
    CHECK_NEAR("3 + 3 apart: p 0.1", s.p, 0.1, 1e-14);
    CHECK_NEAR("which is the least they can have", s.p_least, 0.1, 1e-14);
    CHECK("and no interval at 95 %", isnan(s.low) && s.value == 3);
    s = stats_shift(a, 3, b, 3, 0.90);
    CHECK("at 90 % it is the whole range", s.low == 1 && s.high == 5);
    s = stats_shift(same, 4, same, 4, 0.95);
    CHECK("all equal: shift 0, no p", s.value == 0 && isnan(s.p) && s.low == 0 && s.high == 0);
    s = stats_shift(a, 1, b, 1, 0.95);
    CHECK("one each: the difference", s.value == 3 && isnan(s.low) && s.p_least == 1);
    CHECK("none: nothing", isnan(stats_shift(a, 0, b, 3, 0.95).value));
    double bad[] = {1, (double)NAN};
    errno = 0;
    CHECK("NaN: NaN and EDOM", isnan(stats_shift(bad, 2, b, 3, 0.95).value) && errno == EDOM);
}

static double noise(uint64_t *state) {
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)(random_next(state) >> 11) * 0x1p-53;
    return sum - 6;
}

static void test_large(void) {
    static double a[3000], b[3000];
    uint64_t state = 1;
    int inside = 0, seen = 0;
    for (size_t i = 0; i < 3000; i++) {
        a[i] = 100 + noise(&state);
        b[i] = 101 + noise(&state);
    }
    struct shift s = stats_shift(a, 3000, b, 3000, 0.95);
    CHECK("9 million pairs: shift", fabs(s.value - 1) < 0.1 && s.low < 1.05 && s.high > 0.95);
    CHECK("9 million pairs: p, not exact", s.p < 1e-10 && !s.exact);
    for (size_t i = 0; i < 60; i++)
        b[i] -= 0.5;
    /* the normal one meets the exact one where they touch */
    struct shift exact = stats_shift(a, 50, b, 50, 0.95), normal = stats_shift(a, 50, b, 51, 0.95);
    CHECK("50 x 50 is exact, 50 x 51 is not", exact.exact && !normal.exact);
    CHECK("and they are alike", fabs(log(exact.p / normal.p)) < 0.5 &&
                                    fabs(exact.low - normal.low) < 0.1);
    for (int turn = 0; turn < 2000; turn++) {
        for (size_t i = 0; i < 8; i++) {
            a[i] = exp(noise(&state));
            b[i] = 2 + exp(noise(&state));
        }
        s = stats_shift(a, 8, b, 8, 0.95);
        inside += s.low <= 2 && s.high >= 2;
        seen += s.p <= 0.05;
    }
    CHECK(NAME("its interval covers: %.3f", inside / 2000.), inside > 2000 * 0.94);
    CHECK("and it sees a shift of skewed values", seen > 1000);
}

/* ---- pairs ------------------------------------------------------------------------------------- */

static void test_pairs(void) {
    /* Hollander & Wolfe 1973, 3.1, as in R's help of wilcox.test: V 40, p 0.0390625; one-sided
     * there. By conf.int: 0.46, 0.01 .. 0.786. */
    double x[MOST], y[MOST], d[MOST], far[] = {1, 2, 3, 4, 5, 6, 7, 800};
    size_t n = read_sample("hw_depression", 'a', x), m = read_sample("hw_depression", 'b', y);
    for (size_t i = 0; i < n; i++)
        d[i] = x[i] - y[i];
    struct shift s = stats_paired_shift(d, n, 0.95);
    CHECK("nine pairs", n == 9 && m == 9);
    CHECK_NEAR("V", s.w, 40, 1e-15);
    CHECK_NEAR("signed-rank p", s.p, 0.0390625, 1e-12);
    CHECK_NEAR("its shift", s.value, 0.46, 1e-12);
    CHECK_NEAR("low", s.low, 0.01, 1e-9);
    CHECK_NEAR("high", s.high, 0.786, 1e-12);
    s = stats_paired_shift(far, 8, 0.95);
    CHECK("one far value moves neither", s.value < 10 && s.p < 0.01 && s.low > 0);
    double none[] = {0, 0, 0, 0, 0, 0};
    s = stats_paired_shift(none, 6, 0.95);
    CHECK("no difference: 0, no p", s.value == 0 && isnan(s.p));
    double tied[] = {1, 1, 1, 1, 1, -1, 0};
    s = stats_paired_shift(tied, 7, 0.95);
    CHECK_NEAR("ties and a zero: 14 of 64", s.p, 14.0 / 64, 1e-12);
    CHECK_NEAR("least p of five pairs", stats_paired_shift(far, 5, 0.95).p_least, 1.0 / 16, 1e-15);
    CHECK("and no interval", isnan(stats_paired_shift(far, 5, 0.95).low));
}

/* ---- power ------------------------------------------------------------------------------------- */

/* The smallest change, in units of sd, that two samples of n see. */
static double detectable(double n, double alpha, double power) {
    return stats_noncentrality(2 * (n - 1), alpha, power) * sqrt(2 / n);
}

static void test_power(void) {
    FILE *f = data_open("misc/expected.txt");
    char line[4096];
    int rows = 0;
    while (f && fgets(line, sizeof line, f)) {
        double n, at5, at1, cv, diff;
        if (sscanf(line, "MDE n= %lf power .8 sig .05: delta/sd = %lf power .8 sig .01: %lf", &n,
                   &at5, &at1) == 3) {
            CHECK_NEAR(NAME("detectable, n %g", n), detectable(n, 0.05, 0.8), at5, 1e-4);
            CHECK_NEAR(NAME("detectable at 1 %%, n %g", n), detectable(n, 0.01, 0.8), at1,
                       1e-4); /* uniroot's tolerance in R: 1.2e-4 */
            rows++;
        } else if (sscanf(line, "cv %lf diff %lf n = %lf", &cv, &diff, &n) == 3) {
            CHECK(NAME("needed, cv %g, %g", cv, diff),
                  detectable(n, 0.05, 0.8) * cv <= diff && detectable(n - 1, 0.05, 0.8) * cv > diff);
            rows++;
        }
    }
    if (f)
        fclose(f);
    CHECK("all rows of R's power were read", rows == 24);
    CHECK_NEAR("power.t.test(20)", detectable(20, 0.05, 0.868952801692498), 1, 1e-9);
    CHECK_NEAR("power.t.test(power = 0.9)", detectable(22.0210977038512, 0.05, 0.9), 1, 1e-6);
    CHECK_NEAR("one degree of freedom", dist_nct_upper(dist_t_quantile(0.975, 1), 1,
               stats_noncentrality(1, 0.05, 0.8)), 0.8, 1e-6);
    CHECK("one run sees nothing", isnan(detectable(1, 0.05, 0.8)));
    errno = 0;
    CHECK("shares outside 0 .. 1", isnan(stats_noncentrality(10, 0, 0.8)) && errno == EDOM);
    CHECK_NEAR("normal quantile", dist_normal_quantile(0.975), 1.959963984540054, 1e-15);
}

int main(void) {
    test_vectors();
    test_counted();
    test_small();
    test_large();
    test_pairs();
    test_power();
    return check_done();
}
