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
    {"workload", "NAME", "only this workload"},
    {"where", "FACT=VALUE", "only runs where this was true (repeatable)"},
    {"label", "K=V", "only runs with this label (repeatable)"},
    {"run", "RUN", "only this run"},
    {"metric", "NAME|all", "this metric; default: the headline of each phase"},
    {"by", "FACT", "compare by target, host, run, label:K, or a setting such as system.kernel"},
    {"baseline", "VALUE", "the value of --by that others are compared with"},
    {"include", "WHAT", "disturbed: iterations touched from outside count too"},
    {"each", NULL, "trend: one line a run"},
    {"all", NULL, "no limit to the last 20 runs"},
    {"v", NULL, "more columns"},
    {"p", "NAME=VALUE", "a parameter of the report (repeatable)"},
    {"format", "F", "table, markdown, csv, json"},
    {"units", "si|iec", "MB/s or MiB/s in tables"},
    {"o", "FILE", "write there instead of stdout"},
    {"mask", NULL, "host-1, target-1 instead of names; no serials, servers and paths"},
};

struct asked {
    struct arena *a;
    struct setting *params;
    const char **options;   /* the option each came from, for messages */
    size_t n, cap_params, cap_options;
};

static void add(struct asked *asked, const char *name, const char *value, const char *option) {
    size_t n = asked->n;
    *array_add(asked->a, asked->options, n, asked->cap_options) = option;
    *array_add(asked->a, asked->params, asked->n, asked->cap_params) =
        (struct setting){name, value};
}

/* --where and --label: JSON lists of [key, value], for json_each. */
static int add_pairs(const struct command_call *call, struct asked *asked, const char *option,
                     struct err *e) {
    struct buf list = {0};
    const char *text, *key, *value;
    int status = 0;
    for (size_t i = 0; !status && (text = option_nth(&call->options, option, i)); i++) {
        status = option_pair(call->arena, option, text, &key, &value, e);
        if (status)
            break;
        buf_str(&list, i ? ",[" : "[[");
        buf_json(&list, key);
        buf_str(&list, ",");
        buf_json(&list, value);
        buf_str(&list, "]");
    }
    if (!status && list.len) {
        buf_str(&list, "]");
        add(asked, option, arena_copy(call->arena, list.data, list.len), option);
    }
    buf_release(&list);
    return status;
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

static int gather(const struct command_call *call, struct asked *asked, struct err *e) {
    static const char *const plain[] = {"since", "until", "host", "target", "workload",
                                        "run", "metric", "by", "baseline"};
    static const char *const flags[] = {"each", "all", "mask"};
    const char *text, *key, *value;
    for (size_t i = 0; i < LENGTH(plain); i++)
        if ((text = option_value(&call->options, plain[i])))
            add(asked, plain[i], text, plain[i]);
    for (size_t i = 0; i < LENGTH(flags); i++)
        if (option_flag(&call->options, flags[i]))
            add(asked, flags[i], "1", flags[i]);
    for (size_t i = 0; (text = option_nth(&call->options, "p", i)); i++) {
        if (option_pair(call->arena, "-p", text, &key, &value, e))
            return -1;
        add(asked, key, value, "p");
    }
    return add_pairs(call, asked, "where", e) || add_pairs(call, asked, "label", e) ||
                   add_include(call, asked, e)
               ? -1
               : 0;
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

static int find(const struct command_call *call, const char *path, struct report *reports,
                size_t n, const char *const *names, struct err *e) {
    for (size_t i = 0; i < n; i++)
        if (report_find(call->arena, path, names[i], &reports[i], e))
            return -1;
    return 0;
}

/* What the options name must be there; run ids become whole ones. */
static int check_names(const struct command_call *call, struct db *db, struct asked *asked,
                       struct err *e) {
    const char *by = option_value(&call->options, "by"), *text, *key, *value;
    struct known known;
    int64_t id;
    if (known_read(call->arena, db, by, &known, e))
        return -1;
    for (size_t i = 0; i < asked->n; i++) {
        const char *option = asked->options[i];
        struct setting *param = &asked->params[i];
        bool is_run = !strcmp(option, "run");
        if (!strcmp(option, "baseline") && by && !strcmp(by, "run")) {
            if (history_run(call, db, param->value, &id, &param->value, e))
                return -1;
            param->value = arena_fmt(call->arena, "%.8s", param->value); /* as compare shows it */
        } else if (!strcmp(option, "baseline")) {
            if (known_baseline(&known, by, param->value, e))
                return -1;
        } else if (is_run ? history_run(call, db, param->value, &id, &param->value, e)
                          : strcmp(option, "where") && strcmp(option, "label") &&
                                known_check(&known, option, param->value, e)) {
            return -1;
        }
    }
    static const char *const pairs[] = {"where", "label"};
    for (size_t p = 0; p < LENGTH(pairs); p++)
        for (size_t i = 0; (text = option_nth(&call->options, pairs[p], i)); i++)
            if (option_pair(call->arena, pairs[p], text, &key, &value, e) ||
                known_check(&known, pairs[p], key, e))
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

static int report(const struct command_call *call, struct err *e) {
    static const char *const usual[] = {"trend", "compare"};
    struct arena *a = call->arena;
    bool whole = !call->options.n_words;
    const char *const *names = whole ? usual : call->options.words;
    size_t n = whole ? LENGTH(usual) : call->options.n_words;
    struct asked asked = {.a = a};
    struct report_ask ask = {.arena = a, .format = FORMAT_TABLE};
    struct report *reports = arena_new(a, struct report, n);
    struct result *results = arena_new(a, struct result, n);
    struct summary_facts facts = {0};
    const char *path;
    struct db *db = NULL;
    if (gather(call, &asked, e) || settle_format(call, &ask, e) || history_path(call, &path, e) ||
        find(call, path, reports, n, names, e) || check_bound(&asked, reports, n, e) ||
        check_out(call, path, e) || history_open(call, DB_READ, &db, e))
        return -1;
    ask.params = asked.params;
    ask.n_params = asked.n;
    int status = summary_read(a, db, &facts, e);
    if (!status && facts.runs)
        status = check_names(call, db, &asked, e);
    if (!status)
        status = db_restrict(db, BUDGET_S * NS_PER_S, e);
    for (size_t i = 0; i < n && !status; i++)
        status = report_run(db, &reports[i], &ask, &results[i], e);
    db_close(db);
    if (status)
        return -1;
    struct buf out = {0};
    bool person = ask.format == FORMAT_TABLE || ask.format == FORMAT_MARKDOWN;
    bool screen = ask.format == FORMAT_TABLE && !option_value(&call->options, "o") &&
                  isatty(STDOUT_FILENO);
    if (person && whole)
        summary_print(a, &facts, option_value(&call->options, "by"), screen ? ask.width : 0,
                      &results[0], &results[1], &out);
    if (!person || !whole || results[0].n_rows) /* what is not there was said in the summary */
        format_print(results, person && whole && !results[1].n_rows ? 1 : n, &ask, &out);
    if (person)
        summary_foot(a, &facts, option_flag(&call->options, "mask") ? NULL : path,
                     whole && results[0].n_rows, &out);
    status = write_out(call, &out, e);
    buf_release(&out);
    return status;
}

const struct command command_report = {
    .name = "report",
    .args = "[NAME...]",
    .about = "what the history says; without a name: a summary, trend and compare",
    .rows = rows,
    .n_rows = LENGTH(rows),
    .min_words = 0,
    .max_words = 20,
    .run = report,
};
