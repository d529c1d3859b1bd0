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
} kinds[] = {
    {"slower", "is slower", "are slower"},
    {"faster", "is faster", "are faster"},
    {"small change", "changed a little", "changed a little"},
    {"same", "is the same", "are the same"},
    {"new meaning", "has a new meaning", "have a new meaning"},
    {"not comparable", "cannot be compared", "cannot be compared"},
    {"undecided", "is undecided", "are undecided"},
    {"insufficient", "has too few values", "have too few values"},
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
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        if (!counts[i])
            continue;
        if (told++)
            buf_fmt(out, ", %zu %s", counts[i], counts[i] == 1 ? kinds[i].one : kinds[i].many);
        else
            buf_fmt(out, "%zu of %zu %s", counts[i], n,
                    counts[i] == 1 ? kinds[i].one : kinds[i].many);
    }
    buf_str(out, ".\n");
}

void summary_print(const struct summary_facts *facts, const struct result *trend,
                   const struct result *compare, struct buf *out) {
    if (!facts->runs)
        buf_str(out, "Nothing was recorded yet: start with zhist record quick.\n");
    else if (!trend->n_rows)
        buf_str(out, "No runs in this window; a longer one: zhist report --since 365d.\n");
    else if (!compare->n_rows)
        buf_str(out, "Nothing to compare yet: no two targets, and no setting changed.\n");
    else {
        buf_fmt(out, "%s: ", cell_text(compare, 0, "summary"));
        put_counts(compare, out);
    }
    if (trend->n_rows)
        buf_str(out, "\n");
}

void summary_foot(const struct summary_facts *facts, const char *path, bool whole,
                  const struct result *last, struct buf *out) {
    if (whole && last->n_rows && facts->unfinished)
        buf_fmt(out, "\n%lld run%s did not end: zhist show runs\n", (long long)facts->unfinished,
                facts->unfinished == 1 ? "" : "s");
    buf_fmt(out, "\nHistory: %s (%lld run%s", path, (long long)facts->runs,
            facts->runs == 1 ? "" : "s");
    if (facts->first_at > 0) {
        buf_str(out, " since ");
        unit_put_date(out, facts->first_at);
    }
    buf_str(out, ")\n");
}
