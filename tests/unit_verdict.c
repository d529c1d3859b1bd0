/*
 * unit_verdict.c: which repetitions are counted (the unit of analysis), what is computed over them,
 * and the words, at their limits.
 */
#include <errno.h>

#include "check.h"
#include "zhist/stats.h"

static const double nan_value = (double)NAN;

struct set {
    struct observation obs[400];
    size_t n;
};

static void add(struct set *s, int side, int64_t run, int64_t block, double value) {
    s->obs[s->n++] = (struct observation){side, run, block, value};
}

/* One run of one side: its iterations, one a block. */
static void add_run(struct set *s, int side, int64_t run, size_t n, const double *values) {
    for (size_t i = 0; i < n; i++)
        add(s, side, run, (int64_t)i, values[i]);
}

static struct comparison compare(const struct set *s, bool interleaved) {
    return stats_compare(s->obs, s->n, interleaved, false);
}

static const char *word_for(const struct comparison *c, double p_adjusted, int better) {
    static char word[128];
    const struct verdict_ask ask = {c, p_adjusted, 0.05, better, NULL, true};
    stats_verdict(&ask, word, sizeof word);
    return word;
}

static const char *word(const struct comparison *c) {
    return word_for(c, nan_value, 1);
}

static bool same_interval(struct interval a, struct interval b) {
    return !memcmp(&a, &b, sizeof a);
}

static bool none(struct interval i) {
    return isnan(i.value) && isnan(i.low) && isnan(i.high) && isnan(i.p);
}

static bool value_only(struct interval i) {
    return !isnan(i.value) && isnan(i.low) && isnan(i.high) && isnan(i.p);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void test_blocks_of_one_run(void) {
    static const double a[] = {100, 90, 80, 70}, b[] = {81, 72, 65, 56};
    struct set s = {.n = 0};
    double log_ratio[4], diff[4];
    for (size_t i = 0; i < 4; i++) {
        add(&s, 1, 7, (int64_t)i, b[i]);
        add(&s, 0, 7, (int64_t)i, a[i]);
        log_ratio[i] = log(b[i]) - log(a[i]);
        diff[i] = b[i] - a[i];
    }
    struct comparison c = compare(&s, true);
    CHECK("one interleaved run: blocks are counted",
          c.n_of == N_OF_BLOCKS && c.n[0] == 4 && c.n[1] == 4 && c.runs[0] == 1 && c.runs[1] == 1);
    CHECK("blocks: the ratio is the paired one",
          same_interval(c.paired, stats_paired_ratio(log_ratio, 4, 0.95)) &&
              same_interval(c.ratio, c.paired));
    CHECK("blocks: p of the row is that of the pairs", c.p == c.paired.p && c.p < 0.001);
    CHECK("blocks: the difference is paired too",
          same_interval(c.diff, stats_paired_diff(diff, 4, 85, 0.95)));
    CHECK("blocks: means over iterations", c.mean[0] == 85 && c.mean[1] == 68.5);
    CHECK_NEAR("blocks: sd over iterations", c.sd[0], sqrt(500.0 / 3), 1e-14);
    CHECK_TEXT("blocks: drift cancels", word(&c), "slower");
    struct comparison apart = compare(&s, false);
    CHECK("the same values not interleaved: iterations of one run each",
          apart.n_of == N_OF_ITERATIONS && none(apart.paired));

    add(&s, 0, 7, 4, 1000);
    struct comparison broken_off = compare(&s, true);
    CHECK("a block with one side only is left out", broken_off.n[0] == 4 &&
                                                        broken_off.mean[0] == 85 &&
                                                        same_interval(broken_off.ratio, c.ratio));

    struct set twice = {.n = 0};
    for (size_t i = 0; i < 4; i++) {
        add(&twice, 0, 7, (int64_t)i, a[i] - 5);
        add(&twice, 1, 7, (int64_t)i, b[i]);
        add(&twice, 0, 7, (int64_t)i, a[i] + 5);
    }
    c = compare(&twice, true);
    CHECK_NEAR("several values in a block: their mean is paired", c.ratio.value,
               stats_paired_ratio(log_ratio, 4, 0.95).value, 1e-14);
    CHECK("several values in a block count as one", c.n[0] == 4 && c.n[1] == 4);
    CHECK_NEAR("several values in a block: sd is still over iterations", c.sd[0],
               stats_summary((double[]){95, 105, 85, 95, 75, 85, 65, 75}, 8).sd, 1e-14);
}

static void test_blocks_of_several_runs(void) {
    static const double a[3][2] = {{100, 110}, {50, 60}, {70, 70}};
    static const double b[3][2] = {{111, 120}, {56, 65}, {76, 79}};
    struct set s = {.n = 0};
    double log_ratio[3], diff[3];
    for (int r = 0; r < 3; r++) {
        add_run(&s, 0, r + 1, 2, a[r]);
        add_run(&s, 1, r + 1, 2, b[r]);
        log_ratio[r] = (log(b[r][0]) - log(a[r][0]) + log(b[r][1]) - log(a[r][1])) / 2;
        diff[r] = (b[r][0] + b[r][1] - a[r][0] - a[r][1]) / 2;
    }
    struct comparison c = compare(&s, true);
    struct interval want = stats_paired_ratio(log_ratio, 3, 0.95);
    CHECK("several interleaved runs: t over runs, not over blocks",
          c.n_of == N_OF_BLOCKS && c.n[0] == 3 && c.n[1] == 3 && c.runs[0] == 3 &&
              c.paired.df == 2);
    CHECK_NEAR("several interleaved runs: ratio", c.ratio.value, want.value, 1e-13);
    CHECK_NEAR("several interleaved runs: low", c.ratio.low, want.low, 1e-12);
    CHECK_NEAR("several interleaved runs: p", c.p, want.p, 1e-11);
    CHECK_NEAR("several interleaved runs: difference", c.diff.low,
               stats_paired_diff(diff, 3, 0, 0.95).low, 1e-12);
    CHECK_NEAR("several interleaved runs: mean of run means", c.mean[0], 230.0 / 3, 1e-14);
    CHECK_NEAR("several interleaved runs: sd over run means", c.sd[1],
               stats_summary((double[]){115.5, 60.5, 77.5}, 3).sd, 1e-13);
    CHECK_TEXT("several interleaved runs: a plain word", word(&c), "faster");

    struct set two = {.n = 0};
    for (int r = 0; r < 2; r++) {
        add_run(&two, 0, r, 2, a[r]);
        add_run(&two, 1, r, 2, b[r]);
    }
    c = compare(&two, true);
    CHECK("two interleaved runs: df 1", c.n_of == N_OF_BLOCKS && c.n[0] == 2 && c.paired.df == 1);

    add_run(&two, 0, 9, 2, (double[]){500, 500});
    struct comparison left_out = compare(&two, true);
    CHECK("two runs with both sides: a third with one side is left out",
          left_out.n_of == N_OF_BLOCKS && left_out.runs[0] == 2 &&
              same_interval(left_out.ratio, c.ratio) && left_out.mean[0] == c.mean[0]);

    struct set lone = {.n = 0};
    add_run(&lone, 0, 1, 2, a[0]);
    add_run(&lone, 1, 1, 2, b[0]);
    add_run(&lone, 0, 2, 2, a[0]);
    c = compare(&lone, true);
    CHECK("a single run with both sides beside another: by runs",
          c.n_of == N_OF_RUNS && c.runs[0] == 2 && c.runs[1] == 1 && none(c.paired));
    CHECK_TEXT("... which is one run so far", word(&c), "undecided (one run so far)");
}

/* qsort is not stable, and rows come from SQL in any order. */
static void test_order_does_not_matter(void) {
    struct set s = {.n = 0}, mixed = {.n = 0};
    uint64_t x = 1;
    for (int i = 0; i < 240; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        add(&s, i % 2, i / 40, i / 8 % 5, 1 + (double)(x >> 40) / 1e6);
    }
    for (size_t i = 0; i < 240; i++)
        mixed.obs[mixed.n++] = s.obs[i * 77 % 240];
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        struct comparison a = compare(&s, interleaved), b = compare(&mixed, interleaved);
        CHECK(interleaved ? "blocks: rows in any order" : "runs: rows in any order",
              same_interval(a.ratio, b.ratio) && same_interval(a.diff, b.diff) && a.p == b.p &&
                  a.n[0] == 6 && a.sd[0] == b.sd[0]);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void test_runs(void) {
    static const double a[3][3] = {{10, 11, 30}, {12, 12, 12}, {9, 13, 11}};
    static const double b[2][3] = {{8, 8, 8}, {7, 9, 2}};
    struct set s = {.n = 0};
    for (int r = 0; r < 3; r++)
        add_run(&s, 0, r, 3, a[r]);
    for (int r = 0; r < 2; r++)
        add_run(&s, 1, 10 + r, 3, b[r]);
    struct comparison c = compare(&s, false);
    struct summary sa = stats_summary((double[]){11, 12, 11}, 3);
    struct summary sb = stats_summary((double[]){8, 7}, 2);
    CHECK("runs are counted", c.n_of == N_OF_RUNS && c.runs[0] == 3 && c.runs[1] == 2 &&
                                  c.n[0] == 3 && c.n[1] == 2 && none(c.paired));
    CHECK("a run is the median of its iterations",
          c.mean[0] == sa.mean && c.mean[1] == sb.mean && c.sd[0] == sa.sd && c.sd[1] == sb.sd);
    CHECK("runs: Welch", same_interval(c.diff, stats_welch(&sa, &sb, 0.95)));
    CHECK("runs: log-ratio, and its p is that of the row",
          same_interval(c.ratio, stats_log_ratio(&sa, &sb, 0.95)) && c.p == c.ratio.p);
    c = stats_compare(s.obs, s.n, false, true);
    CHECK("a total is the mean of its iterations", c.mean[0] == 40.0 / 3 && c.mean[1] == 7);
}

/* k runs of about 100 on one side, one run of value on the other. */
static struct comparison one_run(int k, int side_of_one, double value) {
    static const double about[] = {100, 101, 99, 102, 98, 100.5};
    struct set s = {.n = 0};
    for (int r = 0; r < k; r++)
        add(&s, !side_of_one, r, 0, about[r]);
    for (int i = 0; i < 20; i++)
        add(&s, side_of_one, 50, i, value);
    return compare(&s, false);
}

static void test_one_run(void) {
    struct comparison c = one_run(5, 1, 80);
    struct summary five = stats_summary((double[]){100, 101, 99, 102, 98}, 5);
    CHECK("five runs against one: the prediction interval",
          c.n_of == N_OF_RUNS && c.n[0] == 5 && c.n[1] == 1 &&
              same_interval(c.ratio, stats_one_against(&five, 80, 0.95)) &&
              same_interval(c.diff, stats_prediction(&five, 80, 0.95)) && c.p == c.ratio.p);
    CHECK_TEXT("five against one: slower?", word(&c), "slower?");
    CHECK_TEXT("five against one: faster?", word_for(&c, nan_value, -1), "faster?");
    CHECK_TEXT("five against one: changed?", word_for(&c, nan_value, 0), "changed?");
    c = one_run(5, 1, 100.1);
    CHECK_TEXT("five against one, equal: same", word(&c), "same");
    c = one_run(5, 1, 105.2);
    CHECK("five against one, 5.2 % above", c.p < 0.05 && c.ratio.low > 1);

    c = one_run(5, 0, 80);
    double half = 2.7764451051977987 * sqrt(2.5) * sqrt(1.2);
    CHECK("one run against five",
          c.n[0] == 1 && c.n[1] == 5 && c.mean[0] == 80 && c.mean[1] == 100);
    CHECK_NEAR("one against five: difference", c.diff.value, 20, 1e-14);
    CHECK_NEAR("one against five: low", c.diff.low, 20 - half, 1e-13);
    CHECK_NEAR("one against five: high", c.diff.high, 20 + half, 1e-13);
    CHECK_NEAR("one against five: ratio", c.ratio.value, 1.25, 1e-14);
    CHECK_NEAR("one against five: ratio low", c.ratio.low, (100 - half) / 80, 1e-13);
    CHECK_NEAR("one against five: ratio high", c.ratio.high, (100 + half) / 80, 1e-13);
    CHECK("one against five: p, t", c.p == one_run(5, 1, 120).p && c.ratio.t > 0);
    CHECK_TEXT("one against five: faster?", word(&c), "faster?");

    for (int k = 2; k <= 4; k++) {
        c = one_run(k, 1, 50);
        CHECK("two to four against one: value only",
              c.n_of == N_OF_RUNS && value_only(c.ratio) && value_only(c.diff) && isnan(c.p));
        CHECK_TEXT("two to four against one", word(&c), "undecided (one run so far)");
        c = one_run(k, 0, 50);
        CHECK_TEXT("one against two to four", word(&c), "undecided (one run so far)");
    }
}

static void test_one_run_each(void) {
    static const double a[] = {10, 11, 12}, b[] = {20, 21, 23};
    struct set s = {.n = 0};
    add_run(&s, 0, 1, 3, a);
    add_run(&s, 1, 2, 3, b);
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        struct comparison c = compare(&s, interleaved);
        struct summary sa = stats_summary(a, 3), sb = stats_summary(b, 3);
        CHECK("one run each: iterations are shown", c.n_of == N_OF_ITERATIONS && c.n[0] == 3 &&
                                                        c.n[1] == 3 && c.runs[0] == 1 &&
                                                        c.runs[1] == 1);
        CHECK("one run each: the intervals are there, p of the row is not",
              same_interval(c.diff, stats_welch(&sa, &sb, 0.95)) &&
                  same_interval(c.ratio, stats_log_ratio(&sa, &sb, 0.95)) && isnan(c.p));
        CHECK_TEXT("one run each", word(&c), "undecided (one run each)");
        CHECK_TEXT("one run each, whatever p", word_for(&c, 1e-9, 1), "undecided (one run each)");
    }
}

/* ---- too little, no spread, no ratio --------------------------------------------------------- */

static struct comparison runs_of(size_t na, const double *a, size_t nb, const double *b) {
    struct set s = {.n = 0};
    for (size_t i = 0; i < na; i++)
        add(&s, 0, (int64_t)i, 0, a[i]);
    for (size_t i = 0; i < nb; i++)
        add(&s, 1, (int64_t)(100 + i), 0, b[i]);
    return compare(&s, false);
}

static void test_too_little(void) {
    struct comparison c = stats_compare(NULL, 0, true, false);
    CHECK("nothing: no unit, all NaN",
          c.n_of == N_OF_NONE && isnan(c.mean[0]) && none(c.ratio) && none(c.diff) && isnan(c.p));
    CHECK_TEXT("nothing", word(&c), "insufficient");
    struct set s = {.n = 0};
    add(&s, 0, 1, 1, 5);
    add(&s, 0, 2, 1, 6);
    c = compare(&s, true);
    CHECK("one side only: no unit", c.n_of == N_OF_NONE && c.runs[0] == 2 && c.runs[1] == 0);
    CHECK_TEXT("one side only", word(&c), "insufficient");

    add(&s, 1, 3, 1, nan_value);
    errno = 0;
    c = compare(&s, false);
    CHECK("NaN in a sample: no unit and EDOM",
          c.n_of == N_OF_NONE && none(c.ratio) && errno == EDOM);
    CHECK_TEXT("NaN in a sample", word(&c), "insufficient");

    struct set pair = {.n = 0};
    add(&pair, 0, 1, 1, 5);
    add(&pair, 1, 1, 1, 6);
    c = compare(&pair, true);
    CHECK("one block: both values and the change, no interval",
          c.n_of == N_OF_BLOCKS && c.n[0] == 1 && c.mean[0] == 5 && c.mean[1] == 6 &&
              value_only(c.ratio) && value_only(c.diff) && !c.no_spread);
    CHECK_TEXT("one block", word(&c), "insufficient");

    struct set few = {.n = 0};
    add(&few, 0, 1, 1, 5);
    add_run(&few, 1, 2, 3, (double[]){4.9, 5.1, 5.0});
    c = compare(&few, false);
    CHECK_TEXT("one iteration on a side: there is no interval", word(&c), "insufficient");
}

static void test_no_spread(void) {
    static const double fives[] = {5, 5, 5, 5, 5}, sixes[] = {6, 6, 6}, up[] = {6, 7, 8, 9, 10};
    const char *equal = "same (no spread recorded: check timer resolution)";
    struct comparison c = runs_of(3, fives, 3, fives);
    CHECK("constant and equal: no p",
          c.no_spread && c.all_equal && isnan(c.p) && c.diff.value == 0);
    CHECK_TEXT("constant and equal", word(&c), equal);
    c = runs_of(3, fives, 3, sixes);
    CHECK("constant and different: the change is still there",
          c.no_spread && !c.all_equal && isnan(c.p) && c.diff.value == 1 && c.ratio.value == 1.2);
    CHECK_TEXT("constant and different", word(&c), "insufficient (zero variance)");
    c = runs_of(5, fives, 5, up);
    CHECK_NEAR("one side constant: Welch is defined", c.diff.p, 0.0132355995636827, 1e-12);
    CHECK_TEXT("one side constant", word(&c), "faster");
    c = runs_of(5, fives, 1, fives);
    CHECK_TEXT("five constant against one equal", word(&c), equal);
    c = runs_of(5, fives, 1, sixes);
    CHECK_TEXT("five constant against one different", word(&c), "insufficient (zero variance)");

    struct set s = {.n = 0}, scaled = {.n = 0};
    for (int i = 0; i < 5; i++) {
        add(&s, 0, 1, i, up[i]);
        add(&s, 1, 1, i, up[i]);
        add(&scaled, 0, 1, i, up[i]);
        add(&scaled, 1, 1, i, up[i] * 0.7);
    }
    c = compare(&s, true);
    CHECK_TEXT("blocks that are equal one by one", word(&c), equal);
    c = compare(&scaled, true);
    CHECK("blocks of one exact ratio: the difference speaks",
          !c.no_spread && isnan(c.ratio.low) && c.p == c.diff.p && c.p < 0.05);
    CHECK_TEXT("blocks of one exact ratio", word(&c), "slower");

    struct set offset = {.n = 0};
    for (int i = 0; i < 5; i++) {
        add(&offset, 0, 1, i, 1e9 + 0.1 * up[i]);
        add(&offset, 1, 1, i, 1e9 + (0.1 * up[i] + 0.2));
    }
    c = compare(&offset, true);
    CHECK("blocks whose differences vary by rounding only", c.no_spread && isnan(c.p));
}

static void test_no_ratio(void) {
    static const double low[] = {-10, -11, -9, -10}, high[] = {10, 11, 9, 10}, zero[] = {0, 0, 0};
    struct comparison c = runs_of(4, low, 4, high);
    CHECK("negative runs: no ratio, p of the difference",
          none(c.ratio) && c.p == c.diff.p && c.p < 0.001);
    CHECK_TEXT("negative baseline, more is better", word(&c), "faster");
    CHECK_TEXT("negative baseline, less is better", word_for(&c, nan_value, -1), "slower");
    c = runs_of(4, high, 4, low);
    CHECK_TEXT("negative new value", word(&c), "slower");
    c = runs_of(3, zero, 4, high);
    CHECK_TEXT("a baseline of 0: every difference is large", word(&c), "faster");
    c = runs_of(4, low, 4, (double[]){-10.01, -11, -9, -10});
    CHECK_TEXT("negative and equal: the difference is too wide", word(&c), "undecided");
    c = runs_of(4, (double[]){-1000, -1001, -999, -1000}, 4, (double[]){-1000, -999, -1000, -1001});
    CHECK_TEXT("negative and equal: same", word(&c), "same");
    CHECK("five negative runs against one: no ratio",
          none(runs_of(5, (double[]){-1, -2, -3, -4, -5}, 1, high).ratio) &&
              none(runs_of(1, high, 5, (double[]){-1, -2, -3, -4, -5}).ratio));

    struct set s = {.n = 0};
    for (int i = 0; i < 4; i++) {
        add(&s, 0, 1, i, high[i]);
        add(&s, 1, 1, i, i ? high[i] - 9.9 - 0.01 * i : 0);
    }
    errno = 0;
    c = compare(&s, true);
    CHECK("a block with a 0: no ratio, the paired difference",
          none(c.ratio) && none(c.paired) && c.p == c.diff.p && c.n_of == N_OF_BLOCKS &&
              errno == 0);
    CHECK_TEXT("a block with a 0", word(&c), "slower");
}

/* ---- the words ------------------------------------------------------------------------------- */

static struct comparison with_ratio(double value, double low, double high, double p) {
    struct comparison c = runs_of(4, (double[]){1, 2, 3, 4}, 4, (double[]){1, 2, 3, 5});
    c.ratio = (struct interval){value, low, high, 2, 6, p};
    c.p = p;
    return c;
}

static void test_words(void) {
    const struct {
        const char *name;
        double value, low, high, p, p_adjusted;
        int better;
        const char *want;
    } rows[] = {
        {"interval inside the threshold", 1.01, 0.99, 1.03, 0.4, 0.4, 1, "same"},
        {"same wins over small change", 1.02, 1.01, 1.03, 0.001, 0.001, 1, "same"},
        {"same at its very limits", 1, 1 / 1.05, 1.05, 1, 1, 1, "same"},
        {"same needs the low end", 1, 0.952, 1.04, 1, 1, 1, "undecided"},
        {"same needs the high end", 1, 0.96, 1.0501, 1, 1, 1, "undecided"},
        {"excludes 1, below the threshold", 1.04, 1.01, 1.07, 0.01, 0.01, 1, "small change"},
        {"excludes 1 downwards", 0.96, 0.93, 0.99, 0.01, 0.01, 1, "small change"},
        {"small change does not ask p_adj", 1.04, 1.01, 1.07, 0.01, 0.3, 1, "small change"},
        {"small, includes 1", 1.04, 0.99, 1.09, 0.2, 0.2, 1, "undecided"},
        {"small, includes 1, whatever p_adj", 1.04, 0.99, 1.09, 0.2, 0.01, 1, "undecided"},
        {"large, more is better", 1.2, 1.1, 1.3, 0.01, 0.02, 1, "faster"},
        {"large, less is better", 1.2, 1.1, 1.3, 0.01, 0.02, -1, "slower"},
        {"large downwards, more is better", 0.8, 0.7, 0.9, 0.01, 0.02, 1, "slower"},
        {"large downwards, less is better", 0.8, 0.7, 0.9, 0.01, 0.02, -1, "faster"},
        {"large, neither is better", 0.8, 0.7, 0.9, 0.01, 0.02, 0, "changed"},
        {"large, p_adj at its limit", 1.2, 1.1, 1.3, 0.01, 0.05, 1, "faster"},
        {"large, p_adj above its limit", 1.2, 1.1, 1.3, 0.01, 0.0501, 1, "undecided"},
        {"large, no p_adj: p is taken", 1.2, 1.1, 1.3, 0.01, nan_value, 1, "faster"},
        {"large, no p_adj and a large p", 1.2, 0.9, 1.6, 0.2, nan_value, 1, "undecided"},
        {"at the threshold is large", 1.05, 1.04, 1.06, 0.01, 0.01, 1, "faster"},
        {"just below the threshold is small", 1.0499, 1.04, 1.06, 0.01, 0.01, 1, "small change"},
        {"the threshold is symmetric in ln R", 0.9523, 0.94, 0.96, 0.01, 0.01, 1, "slower"},
        {"0.953 is less than 5 % in ln R", 0.953, 0.94, 0.96, 0.01, 0.01, 1, "small change"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct comparison c = with_ratio(rows[i].value, rows[i].low, rows[i].high, rows[i].p);
        CHECK_TEXT(rows[i].name, word_for(&c, rows[i].p_adjusted, rows[i].better), rows[i].want);
    }

    struct comparison c = with_ratio(1.2, 1.1, 1.3, 0.01), empty = stats_compare(NULL, 0, 0, 0);
    char out[64];
    struct verdict_ask ask = {&c, 0.01, 0.05, 1, "not comparable (host)", true};
    stats_verdict(&ask, out, sizeof out);
    CHECK_TEXT("a reason wins", out, "not comparable (host)");
    ask.reason = "new meaning";
    ask.c = &empty;
    stats_verdict(&ask, out, sizeof out);
    CHECK_TEXT("a reason wins over too little", out, "new meaning");
    ask.headline = false;
    stats_verdict(&ask, out, sizeof out);
    CHECK_TEXT("a reason wins for every row", out, "new meaning");
    ask = (struct verdict_ask){&c, 0.01, 0.05, 1, NULL, false};
    stats_verdict(&ask, out, sizeof out);
    CHECK_TEXT("no headline, no verdict", out, "");
    ask.headline = true;
    ask.delta = 0.25;
    stats_verdict(&ask, out, sizeof out);
    CHECK_TEXT("another threshold", out, "small change");
    stats_verdict(&ask, out, 6);
    CHECK_TEXT("a short buffer is ended", out, "small");
}

/* ---- the second opinion, and what could have been seen ------------------------------------------ */

static void test_outliers(void) {
    static const double a[] = {100, 101, 99, 100.5, 99.5, 100.2}, low[] = {90, 91, 89, 90.5, 89.5, 300},
                        clean[] = {90, 91, 89, 90.5, 89.5, 90.2}, one[] = {100, 101, 99, 100.4, 99.6, 5},
                        same[] = {100.1, 100.9, 99.2, 100.3, 99.4, 250};
    struct comparison c = runs_of(6, a, 6, low);
    CHECK("one far value among six", c.outliers == 1);
    CHECK("the robust shift is that of the others", c.robust.value > 0.88 && c.robust.value < 0.93);
    CHECK_TEXT("the means cannot tell", word(&c), "undecided");
    c = runs_of(6, a, 6, clean);
    CHECK("without it: no outlier, both agree", c.outliers == 0 && c.robust.high < 1);
    CHECK_TEXT("and a verdict", word(&c), "slower");
    static const double many[] = {90, 91, 89, 90.5, 89.5, 90.2, 90.3, 89.9, 300},
                        few[] = {100, 101, 99, 100.5, 99.5, 100.2, 99.8, 100.1, 100.3};
    c = runs_of(9, few, 9, many);
    CHECK("nine a side: the order says slower, the means nothing",
          c.robust.high < 1 && c.ratio.low < 1 && c.ratio.high > 1);
    CHECK_TEXT("they contradict each other", word(&c), "undecided (outliers)");
    c = runs_of(6, a, 6, same);
    CHECK("a far value, and no change: both say so", c.outliers == 1 && c.robust.low < 1);
    CHECK_TEXT("so it is plainly undecided", word(&c), "undecided");
    c = runs_of(3, a, 3, clean);
    CHECK("3 + 3: ranks have no say", isnan(c.robust.low) && c.robust.value < 1);
    CHECK_TEXT("the means have", word(&c), "slower");
    c = runs_of(6, a, 6, one);
    CHECK_NEAR("the share is that of the baseline's median", c.robust.value,
               1 + stats_shift(a, 6, one, 6, 0.95).value / stats_quantile(a, 6, 0.5), 1e-14);

    struct set s = {.n = 0};
    for (size_t i = 0; i < 8; i++) {
        add(&s, 0, 1, (int64_t)i, 100 + (double)i);
        add(&s, 1, 1, (int64_t)i, (i == 3 ? 400 : 90) + (double)i);
    }
    c = compare(&s, true);
    CHECK("blocks: pairs have ranks too", c.outliers == 1 && c.robust.value < 0.95);
}

static void test_detectable(void) {
    static const double a[] = {99, 100, 101, 98, 102}, b[] = {99.5, 100.5, 101.5, 98.5, 102.5};
    struct comparison c = runs_of(5, a, 5, b);
    double sd = stats_summary(a, 5).sd;
    /* se of the logarithms at 100 and 100.5, equal sizes: nearly R's two samples of n = 5 */
    CHECK_NEAR("smallest change seen by 5 + 5", stats_mde(&c),
               stats_noncentrality(8, 0.05, 0.8) * sqrt(2.0 / 5) * sd / 100, 0.03);
    double n = 5 + stats_more_runs(&c, 0.02, false);
    CHECK("with so many more 2 % are seen",
          stats_noncentrality(2 * (n - 1), 0.05, 0.8) * sqrt(2 / n) * sd / 100 <= 0.0205);
    CHECK("and with two fewer not",
          stats_noncentrality(2 * (n - 3), 0.05, 0.8) * sqrt(2 / (n - 2)) * sd / 100 > 0.02);
    CHECK("on one side only it takes more", stats_more_runs(&c, 0.03, true) > stats_more_runs(&c, 0.03, false));
    CHECK("or is never reached", isnan(stats_more_runs(&c, 0.02, true)));
    CHECK("what is seen already still takes one", stats_more_runs(&c, 0.5, false) == 1);
    c = runs_of(5, a, 1, b);
    CHECK("one so far against five: 5 % will be seen", stats_more_runs(&c, 0.05, true) >= 2);
    c = runs_of(1, a, 1, b);
    CHECK("one each: unknown", isnan(stats_mde(&c)) && isnan(stats_more_runs(&c, 0.05, false)));
    c = stats_compare(NULL, 0, false, false);
    CHECK("none: unknown", isnan(stats_mde(&c)) && isnan(stats_more_runs(&c, 0.05, false)));
}

int main(void) {
    test_blocks_of_one_run();
    test_blocks_of_several_runs();
    test_order_does_not_matter();
    test_runs();
    test_one_run();
    test_one_run_each();
    test_too_little();
    test_no_spread();
    test_no_ratio();
    test_words();
    test_outliers();
    test_detectable();
    return check_done();
}
