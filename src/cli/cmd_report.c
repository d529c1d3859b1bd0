/*
 * cmd_report.c: `zhist report`: options become the parameters of reports; the history is read to
 * the end and closed before anything is printed, since an open reader delays a writer's COMMIT.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "known.h"
#include "summary.h"
#include "zhist/command.h"
#include "zhist/report.h"

enum { BUDGET_S = 60 }; /* for all asked reports together */

static const struct option_row rows[] = {
    {"since", "TIME", "from then on: 30d, 2026-03-01 (default: 90 days or 20 runs)"},
    {"until", "TIME", "up to then; of a day all of it: 2026-03-01"},
    {"host", "NAME", "only this host"},
    {"target", "NAME", "only this target"},
    {"dataset", "NAME", "only runs where this ZFS dataset lay under the target"},
    {"workload", "NAME", "only this workload"},
    {"where", "FACT=VALUE...", "only runs where this was true"},
    {"label", "K=V...", "only runs with this label"},
    {"run", "RUN", "only this run"},
    {"metric", "NAME|all", "this metric; default: the headline of each phase"},
    {"by", "FACT", "compare by target, host, run, label:K, or any fact: encryption, kernel"},
    {"baseline", "VALUE", "the value of --by that others are compared with"},
    {"include", "WHAT", "disturbed: iterations touched from outside count too"},
    {"each", NULL, "trend: one line a run"},
    {"all", NULL, "also runs that are left out (marked *); --each: no limit to the last 20"},
    {"v", NULL, "more columns; all settings of a change"},
    {"p", "NAME=VALUE...", "a parameter of the report"},
    {"format", "F", "table, markdown, csv, json"},
    {"units", "si|iec", "MB/s or MiB/s in tables"},
    {"o", "FILE", "write there instead of stdout"},
    {"fail", NULL, "exit 3 if something became slower for certain, or a requirement is not met"},
    {"mask", NULL, "host-1, target-1 instead of names; no serials, servers and paths"},
};

struct asked {
    struct arena *a;
    struct setting *params;
    const char **options; /* the option each came from, for messages */
    size_t n, cap_params, cap_options;
};

static void add(struct asked *asked, const char *name, const char *value, const char *option) {
    size_t n = asked->n;
    *array_add(asked->a, asked->options, n, asked->cap_options) = option;
    *array_add(asked->a, asked->params, asked->n, asked->cap_params) =
        (struct setting){name, value};
}

/* --where, --dataset and --label: JSON lists of [key, value, value...], for json_each. */
static void put_pair(struct buf *list, const char *key, const char *const *values, size_t n) {
    buf_str(list, list->len ? ",[" : "[[");
    buf_json(list, key);
    for (size_t i = 0; i < n; i++) {
        buf_str(list, ",");
        buf_json(list, values[i]);
    }
    buf_str(list, "]");
}

static const char *end_pairs(struct arena *a, struct buf *list) {
    buf_str(list, "]");
    const char *text = arena_copy(a, list->data, list->len);
    buf_release(list);
    return text;
}

static int add_pairs(const struct command_call *call, struct asked *asked, struct err *e) {
    static const char *const both[] = {"label", "where"};
    const char *dataset = option_value(&call->options, "dataset"), *text, *key, *value;
    for (size_t p = 0; p < LENGTH(both); p++) {
        struct buf list = {0};
        for (size_t i = 0; (text = option_nth(&call->options, both[p], i)); i++) {
            if (option_pair(call->arena, both[p], text, &key, &value, e)) {
                buf_release(&list);
                return -1;
            }
            put_pair(&list, key, &value, 1);
        }
        bool where = !strcmp(both[p], "where");
        const char *named = where && !list.len ? "dataset" : both[p];
        if (where && dataset)
            put_pair(&list, "dataset.name", &dataset, 1);
        if (list.len)
            add(asked, both[p], end_pairs(call->arena, &list), named);
    }
    return 0;
}

static int add_include(const struct command_call *call, struct asked *asked, struct err *e) {
    const char *what = option_value(&call->options, "include");
    if (!what)
        return 0;
    if (!strcmp(what, "imported"))
        return err_set(e, ERR_USAGE, "--include imported is not built yet; there is disturbed");
    if (strcmp(what, "disturbed"))
        return err_set(e, ERR_USAGE, "--include \"%s\" is unknown; there is disturbed", what);
    add(asked, "disturbed", "1", "include");
    return 0;
}

/* -p NAME=VALUE where an option of that name fills the parameter: it is that option. */
static int add_param(const struct command_call *call, struct asked *asked, const char *key,
                     const char *value, bool plain, struct err *e) {
    const char *option = plain ? option_value(&call->options, key) : NULL;
    if (option && strcmp(option, value))
        return err_set(e, ERR_USAGE, "-p %s=%s and --%s %s: leave one of them out", key, value, key,
                       option);
    if (!option)
        add(asked, key, value, plain ? key : "p");
    return 0;
}

static int gather(const struct command_call *call, struct asked *asked, struct err *e) {
    static const char *const plain[] = {"since", "until",  "host", "target",  "workload",
                                        "run",   "metric", "by",   "baseline"};
    static const char *const flags[] = {"each", "all", "mask"};
    const char *text, *key, *value;
    for (size_t i = 0; i < LENGTH(plain); i++)
        if ((text = option_value(&call->options, plain[i])))
            add(asked, plain[i], text, plain[i]);
    for (size_t i = 0; i < LENGTH(flags); i++)
        if (option_flag(&call->options, flags[i]))
            add(asked, flags[i], "1", flags[i]);
    for (size_t i = 0; (text = option_nth(&call->options, "p", i)); i++) {
        bool is_plain = false;
        if (option_pair(call->arena, "-p", text, &key, &value, e))
            return -1;
        for (size_t k = 0; k < LENGTH(plain); k++)
            is_plain |= !strcmp(plain[k], key);
        if (add_param(call, asked, key, value, is_plain, e))
            return -1;
    }
    return add_pairs(call, asked, e) || add_include(call, asked, e) ? -1 : 0;
}

/* A filter that none of the asked reports knows would be ignored silently: refuse it. */
static int check_bound(const struct asked *asked, const struct report *reports, size_t n,
                       struct err *e) {
    for (size_t i = 0; i < asked->n; i++) {
        bool known = false;
        for (size_t k = 0; k < n; k++)
            known |= report_param(&reports[k], asked->params[i].key) != NULL;
        if (known)
            continue;
        if (!strcmp(asked->options[i], "p"))
            return err_set(e, ERR_USAGE, "report %s has no parameter \"%s\"%s", reports[0].name,
                           asked->params[i].key, n > 1 ? ", nor have the others" : "");
        return err_set(e, ERR_USAGE, "report %s does not use --%s%s", reports[0].name,
                       asked->options[i], n > 1 ? ", nor do the others" : "");
    }
    return 0;
}

static int find(const struct command_call *call, const char *path, struct report *reports, size_t n,
                const char *const *names, struct err *e) {
    for (size_t i = 0; i < n; i++)
        if (report_find(call->arena, path, names[i], &reports[i], e))
            return -1;
    return 0;
}

/* --where FACT=VALUE in full names and stored values; --dataset is one of them. */
static int settle_where(const struct command_call *call, const struct known *known,
                        struct setting *param, struct err *e) {
    const char *dataset = option_value(&call->options, "dataset"), *text, *key, *value;
    const char *const *values;
    struct buf list = {0};
    int status = 0;
    size_t n;
    for (size_t i = 0; !status && (text = option_nth(&call->options, "where", i)); i++) {
        status = option_pair(call->arena, "where", text, &key, &value, e) ||
                         known_fact(known, "where", key, &key, NULL, e) ||
                         known_values(known, "where", key, value, &values, &n, e)
                     ? -1
                     : 0;
        if (!status)
            put_pair(&list, key, values, n);
    }
    if (!status && dataset) {
        status = known_check(known, "dataset", dataset, e);
        put_pair(&list, "dataset.name", &dataset, 1);
    }
    if (status)
        buf_release(&list);
    else
        param->value = end_pairs(call->arena, &list);
    return status;
}

static int settle_baseline(const struct command_call *call, struct db *db,
                           const struct known *known, const char *by, struct setting *param,
                           struct err *e) {
    int64_t id;
    if (!by || strcmp(by, "run"))
        return known_baseline(known, by, &param->value, e);
    if (history_run(call, db, param->value, &id, &param->value, e))
        return -1;
    param->value = arena_fmt(call->arena, "%.8s", param->value); /* as compare shows it */
    return 0;
}

/* What the options name must be there; run ids become whole ones, facts get their full name. */
static int check_names(const struct command_call *call, struct db *db, struct asked *asked,
                       const char **by, struct err *e) {
    const char *text, *key, *value;
    struct known known;
    int64_t id;
    if (known_read(call->arena, db, &known, e) || (*by && known_by(&known, *by, by, e)))
        return -1;
    for (size_t i = 0; i < asked->n; i++) {
        const char *option = asked->options[i];
        struct setting *param = &asked->params[i];
        int status;
        if (!strcmp(option, "p") || !strcmp(option, "label"))
            continue;
        if (!strcmp(param->key, "by")) {
            param->value = *by;
            status = 0;
        } else if (!strcmp(param->key, "where")) {
            status = settle_where(call, &known, param, e);
        } else if (!strcmp(param->key, "baseline")) {
            status = settle_baseline(call, db, &known, *by, param, e);
        } else if (!strcmp(param->key, "run")) {
            status = history_run(call, db, param->value, &id, &param->value, e);
        } else {
            status = known_check(&known, option, param->value, e);
        }
        if (status)
            return -1;
    }
    for (size_t i = 0; (text = option_nth(&call->options, "label", i)); i++)
        if (option_pair(call->arena, "label", text, &key, &value, e) ||
            known_check(&known, "label", key, e))
            return -1;
    return 0;
}

/* -o must not be the history: it would be gone. */
static int check_out(const struct command_call *call, const char *history, struct err *e) {
    const char *path = option_value(&call->options, "o");
    struct stat out, db;
    if (path && !stat(path, &out) && !stat(history, &db) && out.st_dev == db.st_dev &&
        out.st_ino == db.st_ino)
        return err_set(e, ERR_USAGE, "-o \"%s\" is the history itself; name another file", path);
    return 0;
}

static int settle_format(const struct command_call *call, struct report_ask *ask, struct err *e) {
    const char *format = option_value(&call->options, "format");
    const char *units = option_value(&call->options, "units");
    if (format && format_by_name(format, &ask->format, e))
        return -1;
    if (units && strcmp(units, "si") && strcmp(units, "iec"))
        return err_set(e, ERR_USAGE, "--units \"%s\": si or iec", units);
    ask->units = units && !strcmp(units, "iec") ? UNITS_IEC : UNITS_SI;
    ask->verbose = option_flag(&call->options, "v");
    ask->width = option_value(&call->options, "o") && !getenv("COLUMNS") ? 100 : report_width();
    return 0;
}

static int write_out(const struct command_call *call, const struct buf *out, struct err *e) {
    const char *path = option_value(&call->options, "o");
    if (!path)
        return print_out(out, e);
    FILE *f = fopen(path, "w");
    if (!f)
        return err_sys(e, errno, "cannot write \"%s\"", path);
    bool bad = fwrite(out->data, 1, out->len, f) != out->len;
    bad |= fclose(f) != 0;
    return bad ? err_sys(e, errno, "cannot write \"%s\"", path) : 0;
}

/* What --by has in the whole history: why there may be nothing to compare. */
static int read_values(struct arena *a, struct db *db, bool masked, struct summary_facts *facts,
                       struct err *e) {
    struct query *q;
    int status;
    if (db_query(db, "list_values", &q, e))
        return -1;
    query_text(q, "by", facts->by);
    while ((status = query_step(q, e)) > 0)
        facts->value =
            facts->n_values++ || masked ? NULL : arena_str(a, query_get_text(q, "value"));
    return status;
}

/* Some option other than a window of time picks runs. */
static bool is_filtered(const struct asked *asked) {
    static const char *const filters[] = {"host", "target", "workload", "where", "label", "run"};
    for (size_t i = 0; i < asked->n; i++)
        for (size_t k = 0; k < LENGTH(filters); k++)
            if (!strcmp(asked->params[i].key, filters[k]))
                return true;
    return false;
}

/* The sentences of the first report that names some: they are about runs, so once is enough. */
static int run_notes(struct db *db, const struct report *reports, size_t n,
                     const struct report_ask *ask, const char *const **notes, size_t *n_notes,
                     struct summary_facts *facts, struct err *e) {
    struct report *r = arena_new(ask->arena, struct report, 1);
    struct result result;
    for (size_t i = 0; i < n; i++) {
        if (!reports[i].notes)
            continue;
        if (report_load_show(ask->arena, reports[i].notes, r, e) ||
            report_run(db, r, ask, &result, e))
            return -1;
        *n_notes = result_sentences(ask->arena, &result, notes);
        for (size_t row = 0; row < result.n_rows; row++)
            facts->n_left_out += result_cell(&result, row, "left_out")->kind == VALUE_TEXT;
        return 0;
    }
    return 0;
}

static bool says(const struct result *r, size_t row, const char *column, const char *text) {
    const struct value *v = result_cell(r, row, column);
    return v->kind == VALUE_TEXT && !strcmp(v->text, text);
}

/* For --fail: what somebody should look at. */
static bool is_bad(const struct result *results, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t row = 0; row < results[i].n_rows; row++)
            if (says(&results[i], row, "verdict", "slower") ||
                says(&results[i], row, "state", "not met") ||
                (says(&results[i], row, "certainty", "certain") &&
                 says(&results[i], row, "way", "slower")))
                return true;
    return false;
}

static bool is_at_event(const struct result *changes, size_t row) {
    return says(changes, row, "kind", "event") || says(changes, row, "kind", "new meaning");
}

/* The newest event is what compare is about where it does not compare targets. */
static bool tells_more(const struct result *changes, const struct result *compare) {
    bool told = compare->n_rows && !says(compare, 0, "by", "target");
    int64_t newest = 0;
    for (size_t row = 0; row < changes->n_rows; row++)
        if (is_at_event(changes, row) && result_cell(changes, row, "when")->i > newest)
            newest = result_cell(changes, row, "when")->i;
    for (size_t row = 0; row < changes->n_rows; row++)
        if (!told || !is_at_event(changes, row) || result_cell(changes, row, "when")->i < newest)
            return true;
    return false;
}

/* For a person: without those that have nothing to tell; what is not there is in the summary. */
static void print_whole(struct result results[3], size_t n, const struct report_ask *ask,
                        struct buf *out) {
    struct result shown[3];
    size_t n_shown = 0;
    if (results[0].n_rows)
        shown[n_shown++] = results[0];
    if (results[0].n_rows && results[1].n_rows)
        shown[n_shown++] = results[1];
    if (n > 2 && tells_more(&results[2], &results[1]))
        shown[n_shown++] = results[2];
    if (n_shown)
        format_print(shown, n_shown, ask, out);
}

/* Of the three that stand for no name; who asks for a run or a division of them asks for these. */
static size_t usual_reports(const struct command_call *call, struct asked *asked,
                            const char *const **names) {
    static const char *const usual[] = {"trend", "compare", "changes"};
    static const char *const apart[] = {"by", "run", "baseline", "each"};
    *names = usual;
    for (size_t i = 0; i < LENGTH(apart); i++)
        if (option_nth(&call->options, apart[i], 0) || option_flag(&call->options, apart[i]))
            return LENGTH(usual) - 1;
    add(asked, "brief", "1", "p");
    return LENGTH(usual);
}

static int report(const struct command_call *call, struct err *e) {
    struct arena *a = call->arena;
    bool whole = !call->options.n_words;
    struct asked asked = {.a = a};
    const char *const *names = call->options.words;
    size_t n = whole ? usual_reports(call, &asked, &names) : call->options.n_words;
    struct report_ask ask = {.arena = a, .format = FORMAT_TABLE};
    struct report *reports = arena_new(a, struct report, n);
    struct result *results = arena_new(a, struct result, n);
    struct summary_facts facts = {0};
    const char *path, *by = NULL;
    const char *const *notes = NULL;
    size_t n_notes = 0;
    bool masked = option_flag(&call->options, "mask");
    struct db *db = NULL;
    if (gather(call, &asked, e) || settle_format(call, &ask, e) || history_path(call, &path, e) ||
        find(call, path, reports, n, names, e) || check_bound(&asked, reports, n, e) ||
        check_out(call, path, e) || history_open(call, DB_READ, &db, e))
        return -1;
    for (size_t i = 0; i < asked.n; i++)
        by = strcmp(asked.params[i].key, "by") ? by : asked.params[i].value;
    ask.params = asked.params;
    ask.n_params = asked.n;
    int status = summary_read(a, db, &facts, e);
    if (!status && facts.runs)
        status = check_names(call, db, &asked, &by, e);
    facts.by = by;
    facts.filtered = is_filtered(&asked);
    if (!status && by)
        status = read_values(a, db, masked, &facts, e);
    if (!status)
        status = db_restrict(db, BUDGET_S * NS_PER_S, e);
    for (size_t i = 0; i < n && !status; i++)
        status = report_run(db, &reports[i], &ask, &results[i], e);
    if (!status)
        status = run_notes(db, reports, n, &ask, &notes, &n_notes, &facts, e);
    db_close(db);
    if (status)
        return -1;
    for (size_t i = 0; i < n; i++)
        results[i].why_empty = summary_why(a, &facts, names[i]);
    struct buf out = {0};
    bool person = ask.format == FORMAT_TABLE || ask.format == FORMAT_MARKDOWN;
    bool screen =
        ask.format == FORMAT_TABLE && !option_value(&call->options, "o") && isatty(STDOUT_FILENO);
    ask.colour = screen && report_colour();
    if (person && whole) {
        summary_print(a, &facts, screen ? ask.width : 0, &results[0], &results[1], notes, n_notes,
                      &out);
    } else {
        results[0].notes = notes;
        results[0].n_notes = n_notes;
    }
    if (person && whole)
        print_whole(results, n, &ask, &out);
    else
        format_print(results, n, &ask, &out);
    if (person)
        summary_foot(a, &facts, masked ? NULL : path, whole && results[0].n_rows, &out);
    status = write_out(call, &out, e);
    buf_release(&out);
    if (!status && option_flag(&call->options, "fail") && is_bad(results, n))
        status = err_set(e, ERR_FOUND, "%s", "");
    return status;
}

const struct command command_report = {
    .name = "report",
    .args = "[NAME...]",
    .about = "what the history says; without a name: a summary, trend, compare, changes",
    .more =
        "A FACT is written in full (pool.layout) or by its key alone (layout). A key that a ZFS\n"
        "dataset has means the dataset's; one of several other kinds must be written in full.\n"
        "Sizes may be written as people do: --where recordsize=128K. show facts lists facts.\n",
    .rows = rows,
    .n_rows = LENGTH(rows),
    .min_words = 0,
    .max_words = 20,
    .run = report,
};
