/*
 * sqlchange.c: our SQL functions about changes over time; the bridge to split.c, slope.c, gate.c.
 * All are deterministic and without effects. Lists are JSON arrays of numbers, as series() has them.
 *
 *   find_levels(days, values, delta, family, most, possible)
 *                   a JSON array: {"kind":"step","at":index of the first of the new level,"p","p_first",
 *                   "certainty":"certain","possible (slow drift)","possible","before","after",
 *                   "ratio","low","high","n_before","n_after"}, in order, and at most one
 *                   {"kind":"drift","at",...} behind them. family: lists searched for one answer;
 *                   most: only the last so many are looked at
 *   gate_search(values, delta, better)
 *                   the same for the gate: changes for the worse that three nights in a row found
 *   gate_planned(before, after)
 *                   like compare(), of the best of the looks that are due: p, ratio, ratio_low,
 *                   ratio_high, mean_a, mean_b, n_a, n_b; NULL: none is due
 *   short_digest(text)  eight hexadecimal digits
 */
#include <math.h>

#include "connection.h"
#include "zhist/change.h"
#include "zhist/digest.h"

enum { POINTS = 64 };

static const char *text_of(sqlite3_value *v) {
    const char *text = (const char *)sqlite3_value_text(v);
    return text ? text : "";
}

static double *numbers_of(struct arena *a, sqlite3_value *v, size_t *n) {
    const char *at = text_of(v);
    double *items = arena_new(a, double, strlen(at) / 2 + 2);
    *n = 0;
    for (char *end;; at = end) {
        at += strspn(at, "[, ");
        double x = strtod(at, &end);
        if (end == at)
            return items;
        items[(*n)++] = x;
    }
}

static void put(struct buf *b, const char *key, double value) {
    buf_fmt(b, ",\"%s\":", key);
    buf_json_number(b, value);
}

static void put_change(struct buf *b, const struct change *c, size_t skip) {
    buf_fmt(b, "%s{\"kind\":\"step\",\"at\":%zu,\"n_before\":%zu,\"n_after\":%zu,\"certainty\":",
            b->len > 1 ? "," : "", c->at + skip, c->at - c->from, c->to - c->at);
    buf_json(b, certainty_names[c->certainty]);
    put(b, "p", c->p);
    put(b, "p_first", c->p_first);
    put(b, "before", c->before);
    put(b, "after", c->after);
    put(b, "ratio", c->ratio.value);
    put(b, "low", c->ratio.low);
    put(b, "high", c->ratio.high);
    buf_str(b, "}");
}

static void put_drift(struct buf *b, const struct slope *s, size_t n, size_t skip) {
    buf_fmt(b, "%s{\"kind\":\"drift\",\"at\":%zu,\"n_before\":%zu,\"n_after\":%zu",
            b->len > 1 ? "," : "", s->from + skip, s->from, n - s->from);
    put(b, "p", s->p);
    put(b, "p_first", s->p);
    put(b, "before", s->before);
    put(b, "after", s->after);
    bool positive = s->before > 0 && s->after > 0;
    put(b, "ratio", positive ? s->after / s->before : (double)NAN);
    put(b, "low", positive ? s->low / s->before : (double)NAN);
    put(b, "high", positive ? s->high / s->before : (double)NAN);
    buf_str(b, "}");
}

static void result_buf(sqlite3_context *c, struct buf *b) {
    sqlite3_result_text(c, b->data, (int)b->len, SQLITE_TRANSIENT);
    buf_release(b);
}

/* The same list gives the same p: the seed is always this one. */
enum { SEED = 1 };

static void find_levels(sqlite3_context *c, int argc, sqlite3_value **argv) {
    struct arena a = {0};
    struct buf b = {0};
    struct change list[POINTS];
    struct slope drift;
    size_t n_days, n;
    double *days = numbers_of(&a, argv[0], &n_days), *values = numbers_of(&a, argv[1], &n);
    int family = sqlite3_value_int(argv[3]);
    struct change_ask ask = {.seed = SEED,
                             .delta = sqlite3_value_double(argv[2]),
                             .family = family > 0 ? (size_t)family : 1,
                             .possible = sqlite3_value_int(argv[5]) != 0};
    (void)argc;
    if (n_days != n) {
        sqlite3_result_error(c, "find_levels: as many days as values are needed", -1);
    } else {
        int most = sqlite3_value_int(argv[4]);
        size_t skip = most > 0 && n > (size_t)most ? n - (size_t)most : 0;
        n -= skip;
        size_t found = stats_levels(days + skip, values + skip, n, &ask, list, POINTS, &drift);
        buf_str(&b, "[");
        for (size_t i = 0; i < found; i++)
            put_change(&b, &list[i], skip);
        if (!isnan(drift.p))
            put_drift(&b, &drift, n, skip);
        buf_str(&b, "]");
        result_buf(c, &b);
    }
    arena_release(&a);
}

static void gate(sqlite3_context *c, int argc, sqlite3_value **argv) {
    struct arena a = {0};
    struct buf b = {0};
    struct change list[POINTS];
    size_t n;
    double *values = numbers_of(&a, argv[0], &n);
    struct gate_ask ask = {.seed = SEED,
                           .delta = sqlite3_value_double(argv[1]),
                           .better = sqlite3_value_int(argv[2])};
    (void)argc;
    size_t found = gate_search(values, n, &ask, list, POINTS);
    buf_str(&b, "[");
    for (size_t i = 0; i < found; i++)
        put_change(&b, &list[i], 0);
    buf_str(&b, "]");
    result_buf(c, &b);
    arena_release(&a);
}

static void planned(sqlite3_context *c, int argc, sqlite3_value **argv) {
    struct arena a = {0};
    struct buf b = {0};
    size_t n_before, n_after;
    double *before = numbers_of(&a, argv[0], &n_before), *after = numbers_of(&a, argv[1], &n_after);
    struct gate_look look = gate_planned(before, n_before, after, n_after);
    (void)argc;
    if (look.runs > 0 && n_before > 0) {
        buf_fmt(&b, "{\"n_a\":%zu,\"n_b\":%zu", n_before, look.runs);
        put(&b, "p", look.p);
        put(&b, "ratio", look.ratio.value);
        put(&b, "ratio_low", look.ratio.low);
        put(&b, "ratio_high", look.ratio.high);
        put(&b, "mean_a", stats_summary(before, n_before).mean);
        put(&b, "mean_b", stats_summary(after, look.runs).mean);
        buf_str(&b, "}");
        result_buf(c, &b);
    }
    arena_release(&a);
}

static void short_digest(sqlite3_context *c, int argc, sqlite3_value **argv) {
    const char *text = text_of(argv[0]);
    char hex[65];
    (void)argc;
    digest_hex(text, strlen(text), hex);
    sqlite3_result_text(c, hex, 8, SQLITE_TRANSIENT);
}

int sqlchange_register(sqlite3 *handle) {
    static const struct {
        const char *name;
        int args;
        void (*run)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"find_levels", 6, find_levels},
                     {"gate_search", 3, gate},
                     {"gate_planned", 2, planned},
                     {"short_digest", 1, short_digest}};
    int code = SQLITE_OK;
    for (size_t i = 0; i < LENGTH(functions) && code == SQLITE_OK; i++)
        code = sqlite3_create_function_v2(
            handle, functions[i].name, functions[i].args,
            SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, NULL, functions[i].run, NULL,
            NULL, NULL);
    return code;
}
