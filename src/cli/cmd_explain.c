/*
 * cmd_explain.c: `zhist explain`: the numbers behind a verdict, enough to recompute it by hand: the
 * values on both sides, what was made of them and by which formula, what was asked of it.
 */
#include <math.h>

#include "check.h"
#include "zhist/report.h"
#include "zhist/change.h"
#include "zhist/unit.h"

struct told {
    struct arena *a;
    struct buf *out;
    const struct result *r;
    size_t row;
};

static const char *text_of(const struct told *t, const char *column) {
    const struct value *v = result_cell(t->r, t->row, column);
    return v->kind == VALUE_TEXT ? report_clean(t->a, v->text) : "";
}

static double number_of(const struct told *t, const char *column) {
    const struct value *v = result_cell(t->r, t->row, column);
    return v->kind == VALUE_REAL ? v->r : v->kind == VALUE_INT ? (double)v->i : (double)NAN;
}

static void line(const struct told *t, const char *head, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void line(const struct told *t, const char *head, const char *fmt, ...) {
    struct buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&text, fmt, ap);
    va_end(ap);
    buf_fmt(t->out, "  %-14s", head);
    report_wrap(t->out, text.len ? text.data : "-", 16, 16, 80);
    buf_str(t->out, "\n");
    buf_release(&text);
}

static size_t read_list(struct arena *a, const char *json, double **x) {
    size_t n = 0;
    *x = arena_new(a, double, strlen(json) / 2 + 2);
    for (char *end;; json = end) {
        json += strspn(json, "[, ");
        double value = strtod(json, &end);
        if (end == json)
            return n;
        (*x)[n++] = value;
    }
}

/* Base units, 9 digits: a value to compute with, not one to look at. */
static void put_side(const struct told *t, const char *head, const double *x, size_t n) {
    struct buf b = {0};
    struct summary s = stats_summary(x, n);
    for (size_t i = 0; i < n; i++)
        buf_fmt(&b, "%s%.9g", i ? " " : "", x[i]);
    line(t, head, "%s", b.len ? b.data : "none");
    line(t, "", "n %zu, mean %.9g, sd %.6g, median %.9g; lag-1 %.3f; outliers %zu", n, s.mean, s.sd,
         s.median, stats_lag1(x, n), stats_outliers(x, n));
    buf_release(&b);
}

static void put_tests(const struct told *t, const double *a, size_t n_a, const double *b,
                      size_t n_b) {
    struct summary sa = stats_summary(a, n_a), sb = stats_summary(b, n_b);
    struct interval d = stats_welch(&sa, &sb, 0.95), r = stats_log_ratio(&sa, &sb, 0.95);
    struct shift s = stats_shift(a, n_a, b, n_b, 0.95);
    line(t, "difference", "%.6g (%.6g .. %.6g), Welch: t %.4f, df %.3f, p %.3g", d.value, d.low,
         d.high, d.t, d.df, d.p);
    line(t, "ratio", "%.6f (%.6f .. %.6f), of the logarithms: t %.4f, df %.3f, p %.3g", r.value,
         r.low, r.high, r.t, r.df, r.p);
    line(t, "ranks", "Hodges-Lehmann %.6g (%.6g .. %.6g), Mann-Whitney W %g, p %.3g%s; the smallest "
         "these sizes can have: %.3g", s.value, s.low, s.high, s.w, s.p,
         s.exact ? " (exact)" : " (normal)", s.p_least);
    struct comparison c = {.n_of = N_OF_RUNS, .n = {(int64_t)n_a, (int64_t)n_b},
                           .mean = {sa.mean, sb.mean}, .ratio = r, .diff = d};
    line(t, "power", "a change of %.2f %% or more is seen with a probability of 0.8",
         100 * stats_mde(&c));
}

static void put_search(const struct told *t, const double *x, size_t n_a, size_t n) {
    struct split s = stats_split(x, n, &(struct split_ask){9999, 1, 1});
    line(t, "search", "E-divisive over these %zu values, 9999 permutations: END Q %.6g at %zu, p %.4f; "
         "KAP Q %.6g at %zu, p %.4f; twice the smaller p: %.4f. Here %zu lie before.", n, s.end.q,
         s.end.tau, s.end.p, s.best.q, s.best.tau, s.best.p, s.p, n_a);
}

static void put_row(const struct told *t) {
    double *a, *b;
    const char *kind = text_of(t, "kind");
    size_t n_a = read_list(t->a, text_of(t, "values_before"), &a);
    size_t n_b = read_list(t->a, text_of(t, "values_after"), &b);
    buf_fmt(t->out, "%s%s  %s, %s: %s\n", t->out->len ? "\n" : "", text_of(t, "key"),
            text_of(t, "host"), text_of(t, "target"), text_of(t, "label"));
    line(t, "verdict", "%s", text_of(t, "sentence"));
    line(t, "kind", "%s; certainty: %s", kind, text_of(t, "certainty"));
    line(t, "cause", "%s %s -> %s", text_of(t, "cause"), text_of(t, "from_value"),
         text_of(t, "to_value"));
    line(t, "with it", "%s", text_of(t, "also_changed"));
    line(t, "unchanged", "%s", text_of(t, "unchanged"));
    line(t, "metric", "%s of %s %s, in %s; one value a run, the median of its iterations",
         text_of(t, "metric"), text_of(t, "workload"), text_of(t, "phase"), text_of(t, "unit"));
    put_side(t, "before", a, n_a);
    put_side(t, "after", b, n_b);
    if (n_a > 1 && n_b > 1 && strcmp(kind, "drift"))
        put_tests(t, a, n_a, b, n_b);
    if (!strcmp(kind, "step")) {
        double *all = arena_new(t->a, double, n_a + n_b);
        memcpy(all, a, n_a * sizeof *a);
        memcpy(all + n_a, b, n_b * sizeof *b);
        put_search(t, all, n_a, n_a + n_b);
    }
    line(t, "asked", "a change counts from %g %% on; p %.3g, among %g tested together (Holm): %.3g",
         100 * number_of(t, "delta"), number_of(t, "p_raw"), number_of(t, "tested"),
         number_of(t, "p"));
}

static int of_key(const struct command_call *call, struct db *db, const char *word, struct buf *out,
                  struct err *e) {
    const struct setting params[] = {{"since", "1970-01-02"}, {"all", "1"}};
    struct report_ask ask = {.arena = call->arena, .params = params, .n_params = LENGTH(params)};
    struct report report;
    struct result r;
    struct check_list list = {0};
    if (report_load_show(call->arena, "changes", &report, e) ||
        report_run(db, &report, &ask, &r, e) || check_gather(call->arena, db, NULL, &list, e))
        return -1;
    for (size_t row = 0; row < r.n_rows; row++) {
        struct told t = {call->arena, out, &r, row};
        if (!strncmp(text_of(&t, "key"), word, strlen(word)))
            put_row(&t);
    }
    bool found = out->len > 0;
    for (size_t i = 0; i < list.n; i++)
        if (!strncmp(list.items[i].key, word, strlen(word))) {
            if (!found)
                buf_fmt(out, "%s  ", list.items[i].key);
            else
                buf_str(out, "\nThe gate: ");
            buf_fmt(out, "%s\n", report_clean(call->arena, list.items[i].text));
        }
    return 0;
}

static bool is_key(const char *word) {
    size_t hex = strspn(word, "0123456789abcdef");
    return hex == 8 && word[8] == '-' && strspn(word + 9, "0123456789") == 8 && !word[17];
}

static int explain(const struct command_call *call, struct err *e) {
    const char *word = call->options.words[0], *uuid;
    struct buf out = {0};
    struct db *db = NULL;
    struct err no_run = {0};
    int64_t id;
    if (strlen(word) < 4)
        return err_set(e, ERR_USAGE, "\"%s\": four characters of a key or a run at least", word);
    if (history_open(call, DB_READ, &db, e))
        return -1;
    int status = 0;
    bool run = !is_key(word) && !history_run(call, db, word, &id, &uuid, &no_run);
    if (run) {
        struct report_ask ask = {.arena = call->arena, .width = report_width(), .run = uuid};
        status = report_show(db, "explain_run", &ask, &out, e);
    } else {
        status = of_key(call, db, word, &out, e);
    }
    db_close(db);
    if (!status && !out.len)
        status = err_set(e, ERR_USAGE, "neither a key nor a run begins with \"%s\"; report changes -v "
                                       "and check --all show keys, show runs shows runs", word);
    if (!status)
        status = print_out(&out, e);
    buf_release(&out);
    return status;
}

const struct command command_explain = {
    .name = "explain",
    .args = "RUN|KEY",
    .about = "the numbers behind a verdict, to recompute it",
    .more =
        "KEY is that of report changes -v, of check, or its first four characters; all values\n"
        "are in base units (B, B/s, ns, s). Of a run: every iteration of each phase.\n",
    .min_words = 1,
    .max_words = 1,
    .run = explain,
};
