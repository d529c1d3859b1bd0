/* summary.c: the sentence before the tables and the line after them. */
#include "summary.h"
#include "zhist/unit.h"

int summary_read(struct arena *a, struct db *db, struct summary_facts *facts, struct err *e) {
    struct query *q;
    (void)a;
    if (db_query(db, "count_runs", &q, e) || query_step(q, e) < 0)
        return -1;
    facts->runs = query_get_int(q, "runs");
    facts->first_at = query_get_int(q, "first_at");
    facts->refused = query_get_int(q, "refused");
    facts->unfinished = query_get_int(q, "unfinished");
    return query_run(q, e);
}

static bool starts(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

/* The verdicts of the headline rows, in the order a reader wants them. */
static const struct {
    const char *word, *one, *many;
    const char *later; /* behind others: "1 of 3 is slower, 2 the same"; NULL: as if first */
} kinds[] = {
    {"slower?", "may be slower", "may be slower", NULL},
    {"slower", "is slower", "are slower", "slower"},
    {"faster?", "may be faster", "may be faster", NULL},
    {"faster", "is faster", "are faster", "faster"},
    {"changed?", "may have changed", "may have changed", NULL},
    {"changed", "changed", "changed", NULL},
    {"small change", "changed a little", "changed a little", NULL},
    {"same", "is the same", "are the same", "the same"},
    {"new meaning", "has a new meaning", "have a new meaning", NULL},
    {"not comparable", "cannot be compared", "cannot be compared", NULL},
    {"undecided", "is undecided", "are undecided", "undecided"},
    {"insufficient", "has too few values", "have too few values", NULL},
};

static const char *cell_text(const struct result *r, size_t row, const char *column) {
    const struct value *v = result_cell(r, row, column);
    return v->kind == VALUE_TEXT ? v->text : "";
}

static void put_counts(const struct result *compare, struct buf *out) {
    size_t counts[LENGTH(kinds)] = {0}, n = 0, told = 0;
    for (size_t row = 0; row < compare->n_rows; row++) {
        const char *word = cell_text(compare, row, "verdict");
        if (!*word)
            continue;
        n++;
        for (size_t i = 0; i < LENGTH(kinds); i++)
            if (starts(word, kinds[i].word)) {
                counts[i]++;
                break;
            }
    }
    if (!n)
        buf_str(out, "numbers only; a verdict is given for the headline of each phase");
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        if (!counts[i])
            continue;
        const char *words = told && kinds[i].later ? kinds[i].later
                            : counts[i] == 1       ? kinds[i].one
                                                   : kinds[i].many;
        if (told++)
            buf_fmt(out, ", %zu %s", counts[i], words);
        else
            buf_fmt(out, "%zu of %zu %s", counts[i], n, words);
    }
    buf_str(out, ".");
}

/* "Since 2026-03-01 (kernel 6.1 -> 6.12)", "encrypted against plain", or how many there are. */
static void put_what(struct arena *a, const struct result *compare, struct buf *out) {
    const char *first = cell_text(compare, 0, "summary");
    size_t n = 1;
    for (size_t row = 1; row < compare->n_rows; row++) {
        bool fresh = true;
        for (size_t before = 0; before < row; before++)
            fresh = fresh && strcmp(cell_text(compare, row, "heading"),
                                    cell_text(compare, before, "heading"));
        n += fresh;
    }
    if (n == 1)
        buf_str(out, report_clean(a, first));
    else
        buf_fmt(out, "In %zu comparisons", n);
    buf_str(out, ": ");
}

static void put_answer(struct arena *a, const struct summary_facts *facts, const char *by,
                       const struct result *trend, const struct result *compare,
                       struct buf *out) {
    if (!facts->runs)
        buf_str(out, "Nothing was recorded yet: start with zhist record quick.");
    else if (!trend->n_rows)
        buf_str(out, "No runs in this window; a longer one: zhist report --since 365d.");
    else if (!compare->n_rows && by)
        buf_fmt(out, "Nothing to compare: no two values of %s in this time.",
                report_clean(a, by));
    else if (!compare->n_rows)
        buf_str(out, "Nothing to compare yet: no two targets in one run, and no setting changed in "
                     "this time.");
    else {
        put_what(a, compare, out);
        put_counts(compare, out);
    }
}

void summary_print(struct arena *a, const struct summary_facts *facts, const char *by, int width,
                   const struct result *trend, const struct result *compare, struct buf *out) {
    struct buf line = {0};
    put_answer(a, facts, by, trend, compare, &line);
    if (width)
        report_wrap(out, line.data, 0, 2, width);
    else
        buf_str(out, line.data);
    buf_str(out, trend->n_rows ? "\n\n" : "\n");
    buf_release(&line);
}

void summary_foot(struct arena *a, const struct summary_facts *facts, const char *path,
                  bool unfinished, struct buf *out) {
    if (unfinished && facts->unfinished)
        buf_fmt(out, "\n%lld run%s did not end: zhist show runs\n", (long long)facts->unfinished,
                facts->unfinished == 1 ? "" : "s");
    buf_fmt(out, "\nHistory: %s%s%lld run%s", path ? report_clean(a, path) : "", path ? " (" : "",
            (long long)facts->runs, facts->runs == 1 ? "" : "s");
    if (facts->first_at > 0) {
        buf_str(out, " since ");
        unit_put_date(out, facts->first_at);
    }
    buf_str(out, path ? ")\n" : "\n");
}
