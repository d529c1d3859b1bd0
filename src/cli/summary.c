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

/* A fact that nobody ever saw change cannot divide the runs. */
static const char *why_not_by(struct arena *a, const struct summary_facts *facts) {
    const char *by = report_clean(a, facts->by);
    bool fact = strcmp(by, "run") && strcmp(by, "host") && strcmp(by, "target");
    if (!strcmp(by, "run"))
        return "Nothing to compare: fewer than two runs of this time have numbers that count.";
    if (!facts->n_values)
        return arena_fmt(a,
                         "Nothing to compare: %s is unknown in every run; zhist show facts lists "
                         "what is known.",
                         by);
    if (facts->n_values == 1)
        return arena_fmt(a, "Nothing to compare: %s %s%s in every run; %s.", by,
                         facts->value ? "is " : "has one value",
                         facts->value ? report_clean(a, facts->value) : "",
                         fact ? "record again after it changed, or name another (zhist show facts)"
                              : "without --by, runs before and after a change are compared");
    return arena_fmt(
        a,
        "Nothing to compare: no two values of %s in this time%s; a longer one: --since "
        "365d%s.",
        by, facts->filtered ? " behind these filters" : "",
        fact ? "; between hosts or targets: --by host, --by target" : "");
}

const char *summary_why(struct arena *a, const struct summary_facts *facts, const char *name) {
    bool trend = !strcmp(name, "trend");
    if (!trend && strcmp(name, "compare"))
        return NULL;
    if (!facts->runs)
        return "Nothing was recorded yet: start with zhist record quick.";
    if (trend && facts->n_left_out)
        return "No runs that count in this window.";
    if (trend)
        return facts->filtered ? "No runs in this window pass these filters; a longer one: zhist "
                                 "report --since 365d."
                               : "No runs in this window; a longer one: zhist report --since 365d.";
    if (facts->by)
        return why_not_by(a, facts);
    return facts->n_left_out
               ? "Nothing to compare yet: among the runs that count in this time no two "
                 "targets share one, and no setting changed."
               : "Nothing to compare yet: no two targets in one run, and no setting "
                 "changed in this time.";
}

static void put_line(struct buf *out, const char *text, int width) {
    if (width)
        report_wrap(out, text, 0, 2, width);
    else
        buf_str(out, text);
    buf_str(out, "\n");
}

void summary_print(struct arena *a, const struct summary_facts *facts, int width,
                   const struct result *trend, const struct result *compare,
                   const char *const *notes, size_t n_notes, struct buf *out) {
    struct buf line = {0};
    if (!facts->runs || !trend->n_rows)
        buf_str(&line, summary_why(a, facts, "trend"));
    else if (!compare->n_rows)
        buf_str(&line, summary_why(a, facts, "compare"));
    else {
        put_what(a, compare, &line);
        put_counts(compare, &line);
    }
    put_line(out, line.data, width);
    for (size_t i = 0; i < n_notes; i++)
        put_line(out, report_clean(a, notes[i]), width);
    buf_str(out, trend->n_rows ? "\n" : "");
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
