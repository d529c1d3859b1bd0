/*
 * check_gather.c: what the gate finds: requirements that are not met, changes for the worse and
 * new meanings (reports/changes.sql as the gate asks it), and runs that stopped coming.
 */
#include "check.h"
#include "zhist/profile.h"
#include "zhist/report.h"
#include "zhist/unit.h"

static const char *text_of(struct arena *a, const struct result *r, size_t row, const char *column) {
    const struct value *v = result_cell(r, row, column);
    return v->kind == VALUE_TEXT ? arena_str(a, v->text) : "";
}

static void add(struct arena *a, struct check_list *list, const char *key, const char *low,
                const char *high, const char *text) {
    *array_add(a, list->items, list->n, list->cap) = (struct check_finding){key, low, high, text};
}

static int run(struct arena *a, struct db *db, const struct report *r, const char *profile,
               bool gate, struct result *result, struct err *e) {
    struct setting params[3];
    size_t n = 0;
    if (profile)
        params[n++] = (struct setting){"profile", profile};
    if (gate)
        params[n++] = (struct setting){"gate", "1"};
    struct report_ask ask = {.arena = a, .params = params, .n_params = n};
    return report_run(db, r, &ask, result, e);
}

/* Where several hosts or targets are in the report, its sentences name them. */
static int gather_changes(struct arena *a, struct db *db, const char *profile,
                          struct check_list *list, struct err *e) {
    struct report report;
    struct result r;
    if (report_load_show(a, "changes", &report, e) || run(a, db, &report, profile, true, &r, e))
        return -1;
    for (size_t row = 0; row < r.n_rows; row++)
        add(a, list, text_of(a, &r, row, "key"), text_of(a, &r, row, "day_low"),
            text_of(a, &r, row, "day_high"),
            arena_fmt(a, "%s, %s: %s%s", text_of(a, &r, row, "host"), text_of(a, &r, row, "target"),
                      text_of(a, &r, row, "sentence"),
                      strcmp(text_of(a, &r, row, "kind"), "new meaning")
                          ? ""
                          : " This is no loss and no gain."));
    return 0;
}

static int gather_needs(struct arena *a, struct db *db, const char *profile,
                        struct check_list *list, struct err *e) {
    struct report report;
    struct result r;
    if (report_load_show(a, "check_needs", &report, e) ||
        run(a, db, &report, profile, false, &r, e))
        return -1;
    for (size_t row = 0; row < r.n_rows; row++)
        add(a, list, text_of(a, &r, row, "key"), text_of(a, &r, row, "day_low"),
            text_of(a, &r, row, "day_high"), text_of(a, &r, row, "sentence"));
    return 0;
}

/* A profile that this version cannot read says nothing of `every:`. */
static int64_t every_of(const char *name, const char *text) {
    struct arena scratch = {0};
    struct profile p;
    struct err ignored;
    int64_t every =
        profile_parse(&scratch, name, NULL, text, strlen(text), &p, &ignored) ? UNKNOWN : p.run.every;
    arena_release(&scratch);
    return every;
}

/* One that is missed may be a reboot or a scrub; two are a habit. */
enum { MISSED = 2 };

static void add_stopped(struct arena *a, struct query *q, int64_t now, struct check_list *list) {
    const char *name = query_get_text(q, "name"), *reasons = query_get_text(q, "reasons");
    int64_t every = every_of(name, query_get_text(q, "text")), last = query_get_int(q, "last_at");
    if (every == UNKNOWN || now - last <= MISSED * every)
        return;
    struct buf text = {0};
    buf_fmt(&text, "%s: no run of %s ended well ", query_get_text(q, "host"), name);
    buf_str(&text, query_get_int(q, "never") ? "so far, the first began " : "for ");
    unit_put_duration(&text, (now - last) / NS_PER_S * NS_PER_S);
    buf_fmt(&text, "%s, it is meant to run every ", query_get_int(q, "never") ? " ago" : "");
    unit_put_duration(&text, every);
    buf_fmt(&text, "%s%s.", reasons ? ": " : "; none was begun since",
            reasons ? reasons : "");
    const char *day = arena_str(a, query_get_text(q, "day"));
    add(a, list, arena_str(a, query_get_text(q, "key")), day, day, arena_str(a, text.data));
    buf_release(&text);
}

static int gather_stopped(struct arena *a, struct db *db, const char *profile,
                          struct check_list *list, struct err *e) {
    struct query *q;
    int status;
    if (db_query(db, "check_runs", &q, e))
        return -1;
    query_text(q, "profile", profile);
    while ((status = query_step(q, e)) > 0)
        add_stopped(a, q, clock_real_ns(), list);
    return status;
}

int check_gather(struct arena *a, struct db *db, const char *profile, struct check_list *list,
                 struct err *e) {
    return gather_needs(a, db, profile, list, e) || gather_changes(a, db, profile, list, e) ||
                   gather_stopped(a, db, profile, list, e)
               ? -1
               : 0;
}
