/*
 * sqlfn.c: our functions in SQL; the bridge from rows to judge. All are deterministic and without
 * effects (SQLITE_INNOCUOUS), except lives(), which asks the machine.
 *
 *   stddev(x)  median(x)  p95(x)  percentile(x, q)  m2(x)    aggregates; q in 0 .. 1, type 7;
 *                             m2: sum of squared deviations. NULLs are skipped, no value: NULL
 *   half_width(x)             half of the 95 % t interval of the mean
 *   t_half(n, m2)             the same of numbers already summed up, as in rollup
 *   lag1(time, x)             lag-1 autocorrelation; sorts by time itself
 *   series(time, x)           the values by time as a JSON array; a text, for an event, is "|"
 *   distinct_texts(x)         the different values, sorted, with ' | ' between; NULL is "unknown"
 *   observations(run, block, value)
 *                             aggregate: what compare() takes
 *   compare(observations, observations, interleaved)
 *                             the baseline first: a JSON object with n_of, runs_a,
 *                             runs_b, n_a, n_b, mean_a, sd_a, mean_b, sd_b, diff, diff_low,
 *                             diff_high, ratio, ratio_low, ratio_high, paired_low, paired_high, p,
 *                             hl, hl_low, hl_high (Hodges-Lehmann as ratios), hl_p, mde (share), and
 *                             for verdict(): outliers, no_spread, all_equal
 *   verdict(compare, p_adjusted, delta, better, reason, headline)
 *                             the word, as in stats.h
 *   more_runs(compare, delta, only_b)
 *                             how many more runs until a change of delta is seen; NULL: unknown
 *   lives(process)            1 it runs, 0 it is gone, NULL cannot be told from here
 * Those that make texts for people are in sqltext.c, changes over time in sqlchange.c.
 */
#include <errno.h>
#include <math.h>

#include "connection.h"
#include "zhist/process.h"
#include "zhist/stats.h"

/* ---- aggregates over numbers ------------------------------------------------------------------- */

struct point {
    double time, x;
    size_t at; /* values of the same time stay in the order they came in */
    bool mark; /* a text instead of a number: an event in series() */
};

struct gather {
    struct point *points;
    size_t n, cap;
    double q; /* percentile's second argument */
};

/* A query without end must not take all memory: SQLite's limits do not see ours. */
enum { GATHER_MOST = 1 << 24 };

static void gather_add(sqlite3_context *c, struct gather *g, double time, double x, bool mark) {
    if (g->n == GATHER_MOST) {
        sqlite3_result_error(c, "more than 16777216 values in one aggregate", -1);
        return;
    }
    if (g->n == g->cap) {
        g->cap = g->cap ? g->cap * 2 : 32;
        g->points = must(realloc(g->points, g->cap * sizeof *g->points));
    }
    g->points[g->n] = (struct point){time, x, g->n, mark};
    g->n++;
}

/* A text in the place of a number is a mistake of the query, and would count as zero. */
static bool is_number(sqlite3_context *c, sqlite3_value *v) {
    int type = sqlite3_value_numeric_type(v);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT && type != SQLITE_NULL)
        sqlite3_result_error(c, "a text stands where a number is expected", -1);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static void value_step(sqlite3_context *c, int argc, sqlite3_value **argv) {
    struct gather *g = sqlite3_aggregate_context(c, sizeof *g);
    if (!g)
        return;
    if (argc == 2)
        g->q = is_number(c, argv[1]) ? sqlite3_value_double(argv[1]) : (double)NAN;
    if (is_number(c, argv[0]))
        gather_add(c, g, 0, sqlite3_value_double(argv[0]), false);
}

static void timed_step(sqlite3_context *c, int argc, sqlite3_value **argv) {
    struct gather *g = sqlite3_aggregate_context(c, sizeof *g);
    (void)argc;
    if (g && sqlite3_value_type(argv[1]) != SQLITE_NULL)
        gather_add(c, g, sqlite3_value_double(argv[0]), sqlite3_value_double(argv[1]),
                   sqlite3_value_type(argv[1]) == SQLITE_TEXT);
}

static int by_time(const void *a, const void *b) {
    const struct point *l = a, *r = b;
    if (l->time != r->time)
        return l->time < r->time ? -1 : 1;
    return (l->at > r->at) - (l->at < r->at);
}

/* The gathered values in time order; NULL for none. The caller frees it. */
static double *gather_take(sqlite3_context *c, struct gather *g, size_t *n) {
    (void)c;
    *n = g ? g->n : 0;
    if (!*n)
        return NULL;
    qsort(g->points, g->n, sizeof *g->points, by_time);
    double *x = must(malloc(g->n * sizeof *x));
    for (size_t i = 0; i < g->n; i++)
        x[i] = g->points[i].mark ? (double)NAN : g->points[i].x;
    free(g->points);
    return x;
}

static void result_real(sqlite3_context *c, double value) {
    if (isfinite(value))
        sqlite3_result_double(c, value);
    else
        sqlite3_result_null(c);
}

enum which { STDDEV, MEDIAN, P95, PERCENTILE, M2, HALF_WIDTH, LAG1, SERIES };

static void gather_final(sqlite3_context *c) {
    struct gather *g = sqlite3_aggregate_context(c, 0);
    double q = g ? g->q : 0;
    size_t n;
    double *x = gather_take(c, g, &n);
    if (!x)
        return; /* NULL */
    enum which which = *(const enum which *)sqlite3_user_data(c);
    struct summary s = {0};
    if (which != SERIES) /* its marks are no numbers */
        s = stats_summary(x, n);
    switch (which) {
    case STDDEV:
        result_real(c, s.sd);
        break;
    case MEDIAN:
        result_real(c, s.median);
        break;
    case P95:
        result_real(c, stats_quantile(x, n, 0.95));
        break;
    case PERCENTILE:
        if (q >= 0 && q <= 1)
            result_real(c, stats_quantile(x, n, q));
        else
            sqlite3_result_error(c, "percentile(x, q): q is a share from 0 to 1", -1);
        break;
    case M2:
        result_real(c, s.m2);
        break;
    case HALF_WIDTH:
        if (n > 1)
            result_real(c, dist_t_quantile(0.975, (double)n - 1) * s.sd / sqrt((double)n));
        break;
    case LAG1:
        result_real(c, stats_lag1(x, n));
        break;
    case SERIES: {
        struct buf b = {0};
        for (size_t i = 0; i < n; i++) {
            buf_str(&b, i ? "," : "[");
            if (isnan(x[i]))
                buf_str(&b, "\"|\"");
            else
                buf_json_number(&b, x[i]);
        }
        buf_str(&b, "]");
        sqlite3_result_text(c, b.data, (int)b.len, SQLITE_TRANSIENT);
        buf_release(&b);
    }
    }
    free(x);
}

/* ---- compare and verdict ----------------------------------------------------------------------- */

/* observations(): a flat JSON array, run, block, value, run, block, value ... */
static void observations_step(sqlite3_context *c, int argc, sqlite3_value **argv) {
    struct buf *b = sqlite3_aggregate_context(c, sizeof *b);
    (void)argc;
    if (!b || !is_number(c, argv[2]))
        return;
    buf_fmt(b, "%s%lld,%lld,", b->len ? "," : "[", (long long)sqlite3_value_int64(argv[0]),
            (long long)sqlite3_value_int64(argv[1]));
    buf_json_number(b, sqlite3_value_double(argv[2]));
}

static void observations_final(sqlite3_context *c) {
    struct buf *b = sqlite3_aggregate_context(c, 0);
    if (!b || !b->len)
        return;
    buf_str(b, "]");
    sqlite3_result_text(c, b->data, (int)b->len, SQLITE_TRANSIENT);
    buf_release(b);
}

/* null is what JSON has for a value that is not finite. */
static int read_number(const char **at, double *value) {
    char *end;
    *at += strspn(*at, "[,");
    bool null = !strncmp(*at, "null", 4);
    *value = null ? (double)NAN : strtod(*at, &end);
    if (null) {
        *at += 4;
        return true;
    }
    bool any = end != *at;
    *at = end;
    return any;
}

static int64_t whole(double number) {
    return fabs(number) < 9e18 ? (int64_t)number : 0; /* NaN too: the cast would be undefined */
}

static void read_observations(struct arena *a, const char *json, int side,
                              struct observation **out, size_t *n, size_t *cap) {
    double run, block, value;
    while (json && read_number(&json, &run) && read_number(&json, &block) &&
           read_number(&json, &value))
        *array_add(a, *out, *n, *cap) =
            (struct observation){side, whole(run), whole(block), value};
}

struct texts {
    char **items;
    size_t n, cap;
};

static void texts_step(sqlite3_context *c, int argc, sqlite3_value **argv) {
    struct texts *t = sqlite3_aggregate_context(c, sizeof *t);
    const char *text = (const char *)sqlite3_value_text(argv[0]);
    (void)argc;
    if (!t)
        return;
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 8;
        t->items = must(realloc(t->items, t->cap * sizeof *t->items));
    }
    t->items[t->n++] = must(strdup(text ? text : "unknown"));
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void texts_final(sqlite3_context *c) {
    struct texts *t = sqlite3_aggregate_context(c, 0);
    struct buf b = {0};
    if (!t || !t->n)
        return;
    qsort(t->items, t->n, sizeof *t->items, by_text);
    for (size_t i = 0; i < t->n; i++)
        if (!i || strcmp(t->items[i], t->items[i - 1]))
            buf_fmt(&b, "%s%s", i ? " | " : "", t->items[i]);
    for (size_t i = 0; i < t->n; i++)
        free(t->items[i]);
    free(t->items);
    sqlite3_result_text(c, b.data, (int)b.len, SQLITE_TRANSIENT);
    buf_release(&b);
}

static const char *const units_of_analysis[] = {NULL, "blocks", "runs", "iterations"};

static void put_key(struct buf *b, const char *key, double value) {
    buf_fmt(b, ",\"%s\":", key);
    buf_json_number(b, value);
}

static void compare(sqlite3_context *c, int argc, sqlite3_value **argv) {
    struct arena a = {0};
    struct observation *items = NULL;
    size_t n = 0, cap = 0;
    (void)argc;
    for (int side = 0; side < 2; side++)
        read_observations(&a, (const char *)sqlite3_value_text(argv[side]), side, &items, &n, &cap);
    struct comparison r = stats_compare(items, n, sqlite3_value_int(argv[2]) != 0, false);
    arena_release(&a);
    struct buf b = {0};
    buf_str(&b, "{\"n_of\":");
    buf_json(&b, units_of_analysis[r.n_of]);
    buf_fmt(&b, ",\"runs_a\":%lld,\"runs_b\":%lld,\"n_a\":%lld,\"n_b\":%lld",
            (long long)r.runs[0], (long long)r.runs[1], (long long)r.n[0], (long long)r.n[1]);
    const struct {
        const char *key;
        double value;
    } fields[] = {
        {"mean_a", r.mean[0]},       {"sd_a", r.sd[0]},
        {"mean_b", r.mean[1]},       {"sd_b", r.sd[1]},
        {"diff", r.diff.value},      {"diff_low", r.diff.low},
        {"diff_high", r.diff.high},  {"ratio", r.ratio.value},
        {"ratio_low", r.ratio.low},  {"ratio_high", r.ratio.high}, {"ratio_df", r.ratio.df},
        {"paired", r.paired.value},  {"paired_low", r.paired.low},
        {"paired_high", r.paired.high}, {"p", r.p},
        {"hl", r.robust.value},      {"hl_low", r.robust.low},
        {"hl_high", r.robust.high},  {"hl_p", r.robust.p},
        {"mde", stats_mde(&r)},      {"outliers", (double)r.outliers},
    };
    for (size_t i = 0; i < LENGTH(fields); i++)
        put_key(&b, fields[i].key, fields[i].value);
    buf_fmt(&b, ",\"no_spread\":%d,\"all_equal\":%d}", r.no_spread, r.all_equal);
    sqlite3_result_text(c, b.data, (int)b.len, SQLITE_TRANSIENT);
    buf_release(&b);
}

/* Our own JSON of compare() read back; a key is looked for as written there. */
static const char *json_at(const char *json, const char *key) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(json, quoted);
    return at ? at + strlen(quoted) : NULL;
}

static double json_real(const char *json, const char *key) {
    const char *at = json_at(json, key);
    return at && *at != 'n' ? strtod(at, NULL) : (double)NAN;
}

static struct comparison comparison_read(const char *json) {
    struct comparison r = {.n_of = N_OF_NONE};
    const char *unit = json_at(json, "n_of");
    for (size_t i = 1; i < LENGTH(units_of_analysis); i++)
        if (unit && *unit == '"' && !strncmp(unit + 1, units_of_analysis[i], strlen(units_of_analysis[i])))
            r.n_of = (enum unit_of_analysis)i;
    r.runs[0] = whole(json_real(json, "runs_a"));
    r.runs[1] = whole(json_real(json, "runs_b"));
    r.n[0] = whole(json_real(json, "n_a"));
    r.n[1] = whole(json_real(json, "n_b"));
    r.mean[0] = json_real(json, "mean_a");
    r.mean[1] = json_real(json, "mean_b");
    r.sd[0] = json_real(json, "sd_a");
    r.sd[1] = json_real(json, "sd_b");
    r.diff = (struct interval){.value = json_real(json, "diff"),
                               .low = json_real(json, "diff_low"),
                               .high = json_real(json, "diff_high")};
    r.ratio = (struct interval){.value = json_real(json, "ratio"),
                                .low = json_real(json, "ratio_low"),
                                .high = json_real(json, "ratio_high")};
    r.paired = (struct interval){.value = json_real(json, "paired"),
                                 .low = json_real(json, "paired_low"),
                                 .high = json_real(json, "paired_high")};
    r.ratio.df = json_real(json, "ratio_df");
    r.robust = (struct interval){.value = json_real(json, "hl"),
                                 .low = json_real(json, "hl_low"),
                                 .high = json_real(json, "hl_high"),
                                 .p = json_real(json, "hl_p")};
    r.p = json_real(json, "p");
    r.outliers = whole(json_real(json, "outliers"));
    r.no_spread = json_real(json, "no_spread") == 1;
    r.all_equal = json_real(json, "all_equal") == 1;
    return r;
}

static double real_or_nan(sqlite3_value *v) {
    int type = sqlite3_value_numeric_type(v);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_value_double(v) : (double)NAN;
}

static void verdict(sqlite3_context *c, int argc, sqlite3_value **argv) {
    const char *json = (const char *)sqlite3_value_text(argv[0]);
    (void)argc;
    struct comparison r = comparison_read(json ? json : "");
    if (!json && sqlite3_value_type(argv[4]) == SQLITE_NULL)
        return;
    char word[256];
    stats_verdict(&(struct verdict_ask){.c = &r,
                                        .p_adjusted = real_or_nan(argv[1]),
                                        .delta = real_or_nan(argv[2]),
                                        .better = sqlite3_value_int(argv[3]),
                                        .reason = (const char *)sqlite3_value_text(argv[4]),
                                        .headline = sqlite3_value_int(argv[5]) != 0},
                  word, sizeof word);
    if (*word)
        sqlite3_result_text(c, word, -1, SQLITE_TRANSIENT);
}

static void more_runs(sqlite3_context *c, int argc, sqlite3_value **argv) {
    const char *json = (const char *)sqlite3_value_text(argv[0]);
    struct comparison r = comparison_read(json ? json : "");
    (void)argc;
    result_real(c, stats_more_runs(&r, real_or_nan(argv[1]), sqlite3_value_int(argv[2]) != 0));
}

/* ---- plain functions --------------------------------------------------------------------------- */

static void lives(sqlite3_context *c, int argc, sqlite3_value **argv) {
    const char *process = (const char *)sqlite3_value_text(argv[0]);
    (void)argc;
    int alive = process ? process_lives(process) : -1;
    if (alive >= 0)
        sqlite3_result_int(c, alive);
}

static void t_half(sqlite3_context *c, int argc, sqlite3_value **argv) {
    double n = real_or_nan(argv[0]), m2 = real_or_nan(argv[1]);
    (void)argc;
    if (n > 1 && m2 >= 0)
        result_real(c, dist_t_quantile(0.975, n - 1) * sqrt(m2 / (n - 1) / n));
}

int sqlfn_register(sqlite3 *handle) {
    typedef void step_function(sqlite3_context *, int, sqlite3_value **);
    static const enum which which[] = {STDDEV, MEDIAN, P95, PERCENTILE, M2, HALF_WIDTH, LAG1,
                                       SERIES};
    static const struct {
        const char *name;
        int args, flags;
        const enum which *which;
        step_function *plain, *step;
        void (*final)(sqlite3_context *);
    } functions[] = {
        {"stddev", 1, SQLITE_DETERMINISTIC, &which[STDDEV], NULL, value_step, gather_final},
        {"median", 1, SQLITE_DETERMINISTIC, &which[MEDIAN], NULL, value_step, gather_final},
        {"p95", 1, SQLITE_DETERMINISTIC, &which[P95], NULL, value_step, gather_final},
        {"percentile", 2, SQLITE_DETERMINISTIC, &which[PERCENTILE], NULL, value_step, gather_final},
        {"m2", 1, SQLITE_DETERMINISTIC, &which[M2], NULL, value_step, gather_final},
        {"half_width", 1, SQLITE_DETERMINISTIC, &which[HALF_WIDTH], NULL, value_step, gather_final},
        {"lag1", 2, SQLITE_DETERMINISTIC, &which[LAG1], NULL, timed_step, gather_final},
        {"series", 2, SQLITE_DETERMINISTIC, &which[SERIES], NULL, timed_step, gather_final},
        {"distinct_texts", 1, SQLITE_DETERMINISTIC, NULL, NULL, texts_step, texts_final},
        {"observations", 3, SQLITE_DETERMINISTIC, NULL, NULL, observations_step,
         observations_final},
        {"compare", 3, SQLITE_DETERMINISTIC, NULL, compare, NULL, NULL},
        {"more_runs", 3, SQLITE_DETERMINISTIC, NULL, more_runs, NULL, NULL},
        {"verdict", 6, SQLITE_DETERMINISTIC, NULL, verdict, NULL, NULL},
        {"lives", 1, 0, NULL, lives, NULL, NULL},
        {"t_half", 2, SQLITE_DETERMINISTIC, NULL, t_half, NULL, NULL},
    };
    int code = SQLITE_OK;
    for (size_t i = 0; i < LENGTH(functions) && code == SQLITE_OK; i++) {
        void *data = NULL;
        memcpy(&data, &functions[i].which, sizeof data); /* SQLite's signature drops the const */
        code = sqlite3_create_function_v2(handle, functions[i].name, functions[i].args,
                                          SQLITE_UTF8 | SQLITE_INNOCUOUS | functions[i].flags, data,
                                          functions[i].plain, functions[i].step, functions[i].final,
                                          NULL);
    }
    code = code == SQLITE_OK ? sqltext_register(handle) : code;
    return code == SQLITE_OK ? sqlchange_register(handle) : code;
}
