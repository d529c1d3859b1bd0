/*
 * unit_simulate.c: how often the statistics cry wolf, and how often they sleep: made-up series
 * with and without a change, counted. Seeded: the figures are the same everywhere.
 *
 *     unit_simulate [TIMES]     TIMES as many series: make simulate
 */
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "zhist/change.h"

static uint64_t state = 20250601;
static int times = 1;
static char name_buf[200];
#define NAME(...) (snprintf(name_buf, sizeof name_buf, __VA_ARGS__), name_buf)

/* ---- noise ------------------------------------------------------------------------------------- */

static double uniform(void) {
    return ((double)(random_next(&state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void) {
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

enum kind { NORMAL, LOGNORMAL, HEAVY, OUTLIERS, KINDS };
static const char *const kinds[KINDS] = {"normal", "lognormal", "t with 3 degrees", "5 % outliers"};

/* About 1, with a coefficient of variation of cv. */
static double draw(enum kind kind, double cv) {
    double z = normal();
    if (kind == LOGNORMAL)
        return exp(2 * cv * z - 2 * cv * cv) * 0.5 + 0.5 * exp(cv * z);
    if (kind == HEAVY) {
        double a = normal(), b = normal(), c = normal();
        return exp(cv * z / sqrt(a * a + b * b + c * c)); /* t3 / sqrt(3): sd 1 */
    }
    if (kind == OUTLIERS && uniform() < 0.05)
        return (1 + cv * z) * (uniform() < 0.5 ? 0.5 : 1.5);
    return 1 + cv * z;
}

static void fill(double *x, size_t from, size_t to, enum kind kind, double cv, double level) {
    for (size_t i = from; i < to; i++)
        x[i] = level * draw(kind, cv);
}

/* ---- a report ---------------------------------------------------------------------------------- */

/* p of the first search where the series shows a certain point, else 1. */
static double certain(const double *x, size_t n, size_t family, double delta) {
    struct change c[40];
    struct change_ask ask = {.seed = random_next(&state), .family = family, .delta = delta};
    size_t found = stats_changes(x, n, &ask, c, 40);
    for (size_t i = 0; i < found; i++)
        if (c[i].certainty == CHANGE_CERTAIN)
            return c[i].p_first;
    return 1;
}

static void false_alarms_of_series(void) {
    static const size_t lengths[] = {8, 30, 100};
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t l = 0; l < LENGTH(lengths); l++) {
            int series = 1000 * times, alarms = 0;
            for (int i = 0; i < series; i++) {
                double x[100];
                fill(x, 0, lengths[l], (enum kind)kind, 0.1, 1);
                alarms += certain(x, lengths[l], 1, 0) < 1;
            }
            double rate = (double)alarms / series;
            printf("# noise, %s, %zu runs: a change in %.2f %% of %d series\n", kinds[kind],
                   lengths[l], 100 * rate, series);
            CHECK(NAME("noise, %s, %zu runs: at most 2 %% have a change", kinds[kind], lengths[l]),
                  rate <= 0.02);
        }
}

/* As reports/changes.sql has it: Holm over the series, steps at 4 %, drifts at 1 %. */
static bool report_alarms(size_t n_series) {
    double step[40], drift[40], x[60], t[60];
    bool alarm = false;
    for (size_t s = 0; s < n_series; s++) {
        struct change c[40];
        struct slope slope;
        struct change_ask ask = {.seed = random_next(&state), .family = n_series, .delta = 0.05};
        for (size_t i = 0; i < 60; i++)
            t[i] = (double)i;
        fill(x, 0, 60, (enum kind)(s % KINDS), 0.1, 1);
        size_t found = stats_levels(t, x, 60, &ask, c, 40, &slope);
        step[s] = 1;
        for (size_t i = 0; i < found; i++)
            if (c[i].certainty == CHANGE_CERTAIN)
                step[s] = c[i].p_first;
        drift[s] = slope.p <= 0.01 ? slope.p : 1;
    }
    stats_holm(step, n_series);
    stats_holm(drift, n_series);
    for (size_t s = 0; s < n_series; s++)
        alarm |= step[s] <= 0.04 || drift[s] <= 0.01;
    return alarm;
}

static void false_alarms_of_reports(void) {
    int reports = 100 * times, alarms = 0;
    for (int r = 0; r < reports; r++)
        alarms += report_alarms(40);
    printf("# reports of 40 noise series: a change or drift in %.1f %% of %d\n",
           100. * alarms / reports, reports);
    /* of so many, chance may show two standard errors more */
    CHECK("at most 5 % of reports of 40 noise series show something",
          alarms <= 0.05 * reports + 2 * sqrt(0.05 * 0.95 * reports));
}

static void power_of_reports(void) {
    int series = 200 * times, found = 0;
    for (int i = 0; i < series; i++) {
        double x[35];
        fill(x, 0, 30, NORMAL, 0.02, 1);
        fill(x, 30, 35, NORMAL, 0.02, 1 - 5 * 0.02);
        found += certain(x, 35, 1, 0.05) < 1;
    }
    printf("# a step of 5 sd with 5 new runs: found in %.1f %% of %d\n", 100. * found / series,
           series);
    CHECK("a step of 5 sd with 5 new runs is found in 95 %", found >= 0.95 * series);
}

/* ---- the gate ---------------------------------------------------------------------------------- */

static bool speaks(const double *x, size_t n) {
    struct change c[4];
    struct gate_ask ask = {.seed = 1, .delta = 0.05, .better = 1};
    return gate_search(x, n, &ask, c, 4) > 0;
}

static void false_alarms_of_the_gate(void) {
    int series = 60 * times, alarms = 0;
    for (int i = 0; i < series; i++) {
        double x[180];
        bool any = false;
        fill(x, 0, 180, (enum kind)(i % KINDS), 0.1, 1);
        for (size_t night = 6; night <= 180 && !any; night++)
            any = speaks(x, night);
        alarms += any;
    }
    printf("# the gate, 180 nights of noise at cv 10 %%: %d of %d series ever alarm\n", alarms,
           series);
    CHECK("at most 1 % of noise series ever alarm in 180 nights", alarms <= 0.01 * series);
}

static void power_of_the_gate(void) {
    int series = 40 * times, found = 0, nights = 0;
    for (int i = 0; i < series; i++) {
        double x[107];
        fill(x, 0, 100, NORMAL, 0.05, 1);
        fill(x, 100, 107, NORMAL, 0.05, 0.85);
        for (size_t night = 1; night <= 7; night++)
            if (speaks(x, 100 + night)) {
                found++;
                nights += (int)night;
                break;
            }
    }
    printf("# the gate, a step of 15 %% at cv 5 %%: told within 7 nights in %d of %d, after %.1f\n",
           found, series, found ? (double)nights / found : 0);
    /* 95 %, and of few two standard errors less */
    CHECK("a step of 15 % at cv 5 % is told within 7 nights",
          found >= 0.95 * series - 2 * sqrt(0.95 * 0.05 * series));
}

/* An event that changes nothing, looked at three times. */
static void planned_looks(void) {
    int events = 4000 * times, alarms = 0, seen = 0;
    for (int i = 0; i < events; i++) {
        double a[20], b[14];
        fill(a, 0, 20, (enum kind)(i % KINDS), 0.05, 1);
        fill(b, 0, 14, (enum kind)(i % KINDS), 0.05, 1);
        struct gate_look look = gate_planned(a, 20, b, 14);
        alarms += look.p <= 0.05 && look.ratio.value * 1.05 <= 1;
        fill(a, 0, 20, NORMAL, 0.05, 1);
        fill(b, 0, 7, NORMAL, 0.05, 0.9);
        seen += gate_planned(a, 20, b, 7).p <= 0.05;
    }
    printf("# an event without effect: an alarm at any of three looks in %.2f %%\n",
           100. * alarms / events);
    printf("# an event with a loss of 10 %% at cv 5 %%: seen by the second look in %.1f %%\n",
           100. * seen / events);
    CHECK("an event without effect alarms in at most 5 %", alarms <= 0.05 * events);
    CHECK("a loss of 10 % at cv 5 % is seen with 7 runs in 90 %", seen >= 0.9 * events);
}

int main(int argc, char **argv) {
    static void (*const parts[])(void) = {false_alarms_of_series, false_alarms_of_reports,
                                          power_of_reports, false_alarms_of_the_gate,
                                          power_of_the_gate, planned_looks};
    if (argc > 1)
        times = (int)strtod(argv[1], NULL);
    for (size_t i = 0; i < LENGTH(parts); i++) {
        int64_t start = clock_monotonic_ns();
        parts[i]();
        printf("# %.1f s\n", (double)(clock_monotonic_ns() - start) / 1e9);
    }
    return check_done();
}
