/*
 * unit_series_shape.c: the trend test against known numbers; drift, first-differs and outliers of a
 * run; how often runs without any get one.
 */
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "zhist/stats.h"
#include "zhist/witness.h"

static FILE *data_open(const char *file) {
    const char *tests = getenv("ZHIST_TESTS");
    char path[4096];
    snprintf(path, sizeof path, "%s/data/stats/%s", tests ? tests : "tests", file);
    return fopen(path, "r");
}

static char text[256];
#define NAME(...) (snprintf(text, sizeof text, __VA_ARGS__), text)

/* ---- Mann-Kendall and Theil-Sen -------------------------------------------------------------- */

static size_t read_numbers(const char *name, double *x) {
    char line[1024], *at;
    size_t n = 0;
    FILE *f = data_open("trend/data.csv");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ',')
            for (at = line + strlen(name) + 1; *at > ' ' && *at != 'F'; at += *at == ' ')
                x[n++] = strtod(at, &at);
    if (f)
        fclose(f);
    f = n ? NULL : data_open("trend/nile.dat");
    while (f && fgets(line, sizeof line, f))
        x[n++] = strtod(line, NULL);
    if (f)
        fclose(f);
    return n;
}

static void test_vectors(void) {
    FILE *f = data_open("trend/expected.csv");
    char line[1024];
    int rows = 0;
    while (f && fgets(line, sizeof line, f)) {
        double x[200], want[12];
        char *at = strchr(line, ',');
        if (!at || !strncmp(line, "name,", 5))
            continue;
        *at = 0;
        for (size_t i = 0; i < 11; i++)
            want[i] = strtod(at + 1, &at);
        size_t n = read_numbers(line, x);
        struct trend t = stats_trend(x, n);
        CHECK(NAME("%s: n", line), n == (size_t)want[0]);
        CHECK(NAME("%s: S", line), t.s == want[1]);
        CHECK_NEAR(NAME("%s: variance", line), t.variance, want[2], 1e-12);
        if (want[2] > 0)
            CHECK_NEAR(NAME("%s: z", line), t.z, want[3], 1e-12);
        CHECK_NEAR(NAME("%s: p", line), t.p, isnan(want[6]) ? want[4] : want[6], 1e-10);
        CHECK_NEAR(NAME("%s: slope", line), t.slope, want[7], 1e-12);
        CHECK_NEAR(NAME("%s: intercept", line), t.intercept, want[10], 1e-12);
        rows++;
    }
    CHECK("the vectors were read", rows == 8);
    if (f)
        fclose(f);
    errno = 0;
    CHECK("not finite", isnan(stats_trend((double[]){1, INFINITY, 3}, 3).p) && errno == EDOM);
    CHECK("two values: no p", isnan(stats_trend((double[]){1, 2}, 2).p));
    CHECK("one: nothing", isnan(stats_trend((double[]){1}, 1).slope));
    CHECK("all orders of four: 2 of 24 are at the ends",
          fabs(stats_trend((double[]){1, 2, 3, 4}, 4).p - 2.0 / 24) < 1e-15);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static struct series_shape shape(const double *x, size_t n) {
    struct series_shape s;
    series_shape(x, n, 0.05, &s);
    return s;
}

static void test_words(void) {
    static const double down[] = {512, 509, 511, 505, 507, 500, 498, 501,
                                  493, 490, 488, 492, 481, 479, 480};
    static const double first[] = {210, 100, 101, 99, 100, 102, 98, 100};
    static const double far[] = {100, 101, 99, 100, 160, 100, 99, 101, 100, 102, 98, 100};
    CHECK("down by 7 %: drift", shape(down, 15).drift);
    CHECK_NEAR("by how much", shape(down, 15).change, -2.4285714285714284 * 14 / 498, 1e-12);
    struct series_shape s;
    series_shape(down, 15, 0.10, &s);
    CHECK("less than delta is none", !s.drift && s.drift_p < 0.01);
    CHECK("nine iterations are too few", !shape(down, 9).drift && isnan(shape(down, 9).drift_p));
    CHECK("the first differs", shape(first, 8).first_differs);
    CHECK_NEAR("it is twice as much", shape(first, 8).first, 1.1, 1e-12);
    CHECK("the second does not make a first", !shape(first + 1, 7).first_differs);
    CHECK("constant, but for the first", shape((double[]){7, 5, 5, 5, 5}, 5).first_differs);
    CHECK("three iterations are too few", !shape(first, 3).first_differs);
    CHECK("one outlier", shape(far, 12).outliers == 1);
    CHECK("which is no drift and no first", !shape(far, 12).drift && !shape(far, 12).first_differs);
    CHECK("constant: nothing", shape((double[]){5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 10).outliers == 0);
    CHECK("four percent beside constant is below delta",
          shape((double[]){5, 5, 5, 5, 5, 5, 5, 5, 5, 5.2}, 10).outliers == 0);
    static double many[10000];
    for (size_t i = 0; i < LENGTH(many); i++)
        many[i] = 1000 + (double)(i % 7) - 0.01 * (double)i;
    CHECK("ten thousand iterations", shape(many, LENGTH(many)).drift);
    CHECK_NEAR("down by a tenth", shape(many, LENGTH(many)).change, -0.105, 0.01);
    CHECK("no iterations", !shape(down, 0).drift && isnan(shape(down, 0).first));
}

/* ---- noise ----------------------------------------------------------------------------------- */

static uint64_t seed = 20;

static double normal(void) {
    double u = (double)(random_next(&seed) >> 11) / 9007199254740992.0;
    double v = (double)(random_next(&seed) >> 11) / 9007199254740992.0;
    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

static void test_noise(void) {
    static const size_t sizes[] = {5, 10, 20, 50};
    static const double spread[] = {0.02, 0.1, 0.3};
    enum { RUNS = 2000 };
    for (size_t k = 0; k < LENGTH(sizes); k++)
        for (size_t c = 0; c < LENGTH(spread); c++) {
            int drift = 0, first = 0, outliers = 0;
            for (int run = 0; run < RUNS; run++) {
                double x[50];
                for (size_t i = 0; i < sizes[k]; i++)
                    x[i] = 100 * exp(spread[c] * normal());
                struct series_shape s = shape(x, sizes[k]);
                drift += s.drift;
                first += s.first_differs;
                outliers += s.outliers > 0;
            }
            const char *name = NAME("%d runs of %zu, cv %g: drift <= 1.5 %%, first <= 1.5 %%, "
                                    "outliers <= 2 %%",
                                    RUNS, sizes[k], spread[c]);
            if (!CHECK(name,
                       drift <= RUNS * 0.015 && first <= RUNS * 0.015 && outliers <= RUNS * 0.02))
                printf("#   drift %d, first %d, outliers %d\n", drift, first, outliers);
        }
}

int main(void) {
    test_vectors();
    test_words();
    test_noise();
    return check_done();
}
