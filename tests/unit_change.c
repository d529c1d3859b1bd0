/*
 * unit_change.c: the search for changes of level against numbers others computed (where, how
 * strong, how likely by chance), then the rules around it and what has no answer.
 */
#include <errno.h>

#include "check.h"
#include "zhist/change.h"

static char name_buf[200];
#define NAME(...) (snprintf(name_buf, sizeof name_buf, __VA_ARGS__), name_buf)

static FILE *data_open(const char *file) {
    const char *tests = getenv("ZHIST_TESTS");
    char path[4096];
    snprintf(path, sizeof path, "%s/data/stats/changepoint/%s", tests ? tests : "tests", file);
    FILE *f = fopen(path, "r");
    if (!f)
        CHECK(NAME("open %s", file), false);
    return f;
}

static size_t read_values(const char *file, double *x) {
    FILE *f = data_open(file);
    size_t n = 0;
    while (f && n < CHANGE_MOST && fscanf(f, "%lf", &x[n]) == 1)
        n++;
    if (f)
        fclose(f);
    return n;
}

/* ---- the vectors ------------------------------------------------------------------------------- */

static void check_side(const char *where, const char *which, const struct split_side *got,
                       size_t from, const double want[3]) {
    CHECK(NAME("%s %s: tau", where, which), from + got->tau == (size_t)want[0]);
    /* near 0 it is the rounding of sums of distances */
    CHECK(NAME("%s %s: Q", where, which),
          fabs(got->q - want[1]) <= 1e-9 * fabs(want[1]) + 1e-10);
    CHECK(NAME("%s %s: p %.4f (%.4f)", where, which, got->p, want[2]),
          fabs(got->p - want[2]) <= 0.01 + 3 * sqrt(want[2] * (1 - want[2]) / 999));
}

static void check_segment(const char *file, const double *x, const char *line) {
    double end[3], best[3], tau, p, welch;
    size_t from, to;
    char where[100];
    if (sscanf(line,
               " segment [%zu,%zu) END tau=%lf Q=%lf p=%lf | KAP tau=%lf Q=%lf p=%lf | tau=%lf "
               "p=%lf welch_bonf=%lf",
               &from, &to, &end[0], &end[1], &end[2], &best[0], &best[1], &best[2], &tau, &p,
               &welch) != 11) {
        CHECK(NAME("a line of %s", file), false);
        return;
    }
    snprintf(where, sizeof where, "%s [%zu,%zu)", file, from, to);
    struct split s = stats_split(x + from, to - from, &(struct split_ask){9999, 1, 1});
    check_side(where, "END", &s.end, from, end);
    check_side(where, "KAP", &s.best, from, best);
    if (from + s.tau != (size_t)tau) /* which is smaller may be chance */
        CHECK(NAME("%s: the two p are near each other", where), fabs(end[2] - best[2]) <= 0.02);
    else
        CHECK(NAME("%s: Welch", where), fabs(s.p_welch - welch) <= 0.005 * welch);
}

static void check_points(const char *file, const double *x, size_t n, const char *list) {
    struct change got[20];
    struct buf text = {0};
    size_t count = stats_changes(x, n, &(struct change_ask){.seed = 1}, got, 20);
    if (strstr(file, "ar1")) { /* of two places with p 0.001 and 0.002 chance takes one */
        CHECK("a series that remembers: steps", count > 1);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (got[i].certainty != CHANGE_POSSIBLE)
            buf_fmt(&text, " %zu", got[i].at);
    buf_str(&text, "\n");
    CHECK_TEXT(NAME("%s: its change points", file), text.data, list);
    buf_release(&text);
}

static void test_vectors(void) {
    FILE *f = data_open("expected.txt");
    char line[1024], file[100] = "";
    double x[CHANGE_MOST];
    size_t n = 0, series = 0;
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "  ", 2)) {
            if (sscanf(line, "%99s", file) == 1)
                n = read_values(file, x);
            series++;
        } else if (!strncmp(line, "  segment", 9)) {
            check_segment(file, x, line);
        } else {
            check_points(file, x, n, strchr(line, ':') + 1);
        }
    }
    if (f)
        fclose(f);
    CHECK("all series were read", series == 13);
}

/* ---- the rules --------------------------------------------------------------------------------- */

static uint64_t state = 7;

static double noise(void) {
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)(random_next(&state) >> 11) * 0x1p-53;
    return sum - 6;
}

static void fill(double *x, size_t from, size_t to, double level, double sd) {
    for (size_t i = from; i < to; i++)
        x[i] = level + sd * noise();
}

static size_t look(const double *x, size_t n, struct change_ask ask, struct change *out) {
    ask.seed = 5;
    return stats_changes(x, n, &ask, out, 20);
}

static void test_rules(void) {
    double x[1000];
    struct change c[20];
    struct change_ask plain = {.delta = 0.05};

    fill(x, 0, 40, 100, 1);
    fill(x, 40, 80, 92, 1);
    CHECK("a step of 8 %: one point", look(x, 80, plain, c) == 1 && c[0].at == 40);
    CHECK("it is certain, with both levels", c[0].certainty == CHANGE_CERTAIN && c[0].from == 0 &&
                                                 c[0].to == 80 && fabs(c[0].before - 100) < 1);
    CHECK("its interval holds the truth", c[0].ratio.low < 0.92 && c[0].ratio.high > 0.92);
    CHECK("the same series, the same answer",
          look(x, 80, plain, c + 10) == 1 && c[10].p == c[0].p && c[10].at == c[0].at);

    fill(x, 40, 80, 97, 0.5);
    CHECK("a step of 3 % is below delta", look(x, 80, plain, c) == 0);
    CHECK("without delta it is one", look(x, 80, (struct change_ask){.delta = 0}, c) == 1);

    /* two steps of 4 % each are one of 8 % where the middle goes */
    fill(x, 0, 40, 100, 0.5);
    fill(x, 40, 44, 96.5, 0.5);
    fill(x, 44, 84, 92, 0.5);
    CHECK("of two small steps one of 8 % is left",
          look(x, 84, plain, c) == 1 && c[0].from == 0 && c[0].to == 84 && c[0].at >= 40 &&
              c[0].at <= 44);

    fill(x, 0, 60, 100, 1);
    x[30] = 160;
    CHECK("a single outlier splits nothing", look(x, 60, plain, c) == 0);
    x[31] = 30;
    CHECK("nor do two", look(x, 60, plain, c) == 0);

    for (size_t i = 0; i < 200; i++)
        x[i] = i ? 0.9 * x[i - 1] + 10 + 4 * noise() : 100;
    size_t n = look(x, 200, plain, c);
    for (size_t i = 0; i < n; i++)
        CHECK("what remembers gives possible points only", c[i].certainty == CHANGE_DRIFTING);
    CHECK("and gave some", n > 0);

    fill(x, 0, 560, 100, 1);
    fill(x, 560, 600, 80, 1);
    fill(x, 0, 100, 50, 1);
    n = look(x, 600, plain, c);
    CHECK("of 600 runs the last 400 are looked at, with indices of all", n == 1 && c[0].at == 560);
    CHECK("and levels", c[0].from == 200 && c[0].to == 600);
}

static void test_family(void) {
    double x[60];
    struct change c[20];
    fill(x, 0, 30, 100, 1);
    fill(x, 30, 60, 80, 1);
    CHECK("999 permutations give 0.002",
          look(x, 60, (struct change_ask){.delta = 0.05}, c) == 1 && c[0].p == 0.002);
    look(x, 60, (struct change_ask){.delta = 0.05, .family = 200}, c);
    CHECK("for a family of 200 more are drawn", c[0].p <= 0.05 / 200);
    look(x, 60, (struct change_ask){.delta = 0.05, .family = 1000000}, c);
    CHECK("99999 at most", fabs(c[0].p - 2e-5) < 1e-12);
}

static void test_edges(void) {
    double x[20] = {1, 1, 1, 9, 9};
    struct change c[20];
    struct change_ask plain = {.delta = 0.05};
    CHECK("five values: none", look(x, 5, plain, c) == 0);
    CHECK("no values: none", look(x, 0, plain, c) == 0);
    for (size_t i = 0; i < 20; i++)
        x[i] = 42;
    CHECK("constant: none", look(x, 20, plain, c) == 0);
    struct split s = stats_split(x, 20, &(struct split_ask){999, 1, 1});
    CHECK("constant: Q 0, p 1, no Welch", s.end.q == 0 && s.p == 1 && s.p_welch == 1);
    for (size_t i = 0; i < 20; i++)
        x[i] = i < 10 ? -1 : 1;
    CHECK("two constant levels: one point", look(x, 20, plain, c) == 1 && c[0].at == 10);
    CHECK("no ratio where a value is not positive", isnan(c[0].ratio.value));
    for (size_t i = 0; i < 20; i++)
        x[i] = i < 10 ? 0 : 1;
    CHECK("from 0 everything is a large change", look(x, 20, plain, c) == 1);
    for (size_t i = 0; i < 20; i++)
        x[i] = (i < 10 ? 1e300 : 2e300) * (1 + (double)i * 1e-3);
    CHECK("large numbers", look(x, 20, plain, c) == 1 && c[0].at == 10);
    for (size_t i = 0; i < 20; i++)
        x[i] *= 1e-310 * 1e-290;
    look(x, 20, plain, c); /* only that it ends */
    x[3] = (double)NAN;
    errno = 0;
    CHECK("NaN: none, EDOM", look(x, 20, plain, c) == 0 && errno == EDOM);
    CHECK("room for none: none", stats_changes(x, 20, &plain, c, 0) == 0);
}

/* ---- drift ------------------------------------------------------------------------------------- */

static size_t levels(const double *x, size_t n, double delta, struct change *c, struct slope *s) {
    double days[1000];
    for (size_t i = 0; i < n; i++)
        days[i] = (double)i;
    return stats_levels(days, x, n, &(struct change_ask){.seed = 5, .delta = delta}, c, 20, s);
}

static void test_drift(void) {
    double x[1000];
    struct change c[20];
    struct slope s;
    size_t n = read_values("syn_drift.dat", x);
    CHECK("a drift is told as one, not as steps", levels(x, n, 0.05, c, &s) == 0 && s.p < 1e-6);
    CHECK("from 100 to 110", fabs(s.before - 100) < 1 && fabs(s.after - 110) < 1.5 && s.low < 110 &&
                                 s.high > 108);
    n = read_values("nile.dat", x);
    CHECK("the Nile is a step, though Mann-Kendall sees a trend",
          levels(x, n, 0.05, c, &s) == 1 && c[0].at == 28 && isnan(s.p));
    n = read_values("syn_step_40_5pct.dat", x);
    CHECK("nor is a step too small to tell a drift",
          levels(x, n, 0.05, c, &s) == 0 && isnan(s.p));

    fill(x, 0, 60, 100, 1);
    for (size_t i = 60; i < 120; i++)
        x[i] = 100 - 0.2 * (double)(i - 60) + noise();
    CHECK("level, then downwards", levels(x, 120, 0.05, c, &s) == 0 && s.from > 50 && s.from < 70);
    fill(x, 0, 60, 130, 1);
    n = levels(x, 120, 0.05, c, &s);
    CHECK("a step, then downwards: both", n == 1 && c[0].at == 60 && s.from >= 60 && s.p < 0.01 &&
                                              fabs(s.after - 88) < 2);
    fill(x, 0, 400, 100, 1);
    for (size_t i = 400; i < 700; i++)
        x[i] = 100 - 0.1 * (double)(i - 400) + noise();
    CHECK("of 700 runs the last 400, by the indices of all",
          levels(x, 700, 0.05, c, &s) == 0 && s.from > 390 && s.from < 420);
    for (size_t i = 0; i < 12; i++)
        x[i] = 100 - 2 * (double)i;
    double hours[12];
    for (size_t i = 0; i < 12; i++)
        hours[i] = (double)i / 24;
    stats_levels(hours, x, 12, &(struct change_ask){.delta = 0.05}, c, 20, &s);
    CHECK("twelve hours are no slow drift", isnan(s.p));
    fill(x, 0, 30, 100, 1);
    for (size_t i = 0; i < 30; i++)
        x[i] -= 0.1 * (double)i;
    CHECK("3 % in all is too little", levels(x, 30, 0.05, c, &s) == 0 && isnan(s.p));
    errno = 0;
    x[3] = (double)NAN;
    CHECK("NaN: none", levels(x, 30, 0.05, c, &s) == 0 && isnan(s.p) && errno == EDOM);
}

int main(void) {
    test_drift();
    test_vectors();
    test_rules();
    test_family();
    test_edges();
    return check_done();
}
