/*
 * cmd_show.c: `show THING` and `show run ID`: what there is. Each thing of the history is a
 * statement in sql/show/show_THING.sql with the front matter of a report.
 */
#include "zhist/command.h"
#include "zhist/embed.h"
#include "zhist/model.h"
#include "zhist/report.h"

#include "known.h"
#include "mask_history.h"
#include "summary.h"

static const struct option_row rows[] = {
    {"profile", NULL, "with run ID: the profile's text as it was stored"},
    {"format", "F", "table, markdown, csv, json"},
    {"v", NULL, "more columns, with run ID every fact"},
    {"mask", NULL, "host-1, target-1 instead of names; no serials, servers and paths"},
};

static const char *const in_history[] = {"runs",   "hosts",     "targets",
                                         "series", "workloads", "facts"};
static const char *const in_program[] = {"profiles", "reports", "formats", "engines"};

static int settle(const struct command_call *call, struct report_ask *ask, struct err *e) {
    const char *format = option_value(&call->options, "format");
    *ask = (struct report_ask){
        .arena = call->arena, .width = report_width(), .colour = report_colour(), .verbose = option_flag(&call->options, "v")};
    return format ? format_by_name(format, &ask->format, e) : 0;
}

/* What is shown: statements of sql/show, of one run or one fact where they are given. */
struct showing {
    const char *const *names;
    size_t n;
    const char *run, *fact; /* as written; NULL: of everything */
};

/* The parameters of these statements; who has none of them ignores it. */
static int settle_params(const struct command_call *call, struct db *db, const struct showing *s,
                         struct report_ask *ask, struct err *e) {
    struct setting *params = arena_new(call->arena, struct setting, 4);
    bool person = ask->format == FORMAT_TABLE || ask->format == FORMAT_MARKDOWN;
    params[ask->n_params++] = (struct setting){"all", ask->verbose || !person ? "1" : "0"};
    params[ask->n_params++] = (struct setting){"raw", person ? "0" : "1"};
    params[ask->n_params++] =
        (struct setting){"mask", option_flag(&call->options, "mask") ? "1" : "0"};
    ask->params = params;
    if (s->fact) {
        struct setting *fact = &params[ask->n_params++];
        struct known known;
        bool state;
        fact->key = "fact";
        return known_read(call->arena, db, &known, e)
                   ? -1
                   : known_fact(&known, "show facts", s->fact, &fact->value, &state, e);
    }
    return 0;
}

static int show_statements(const struct command_call *call, const struct showing *s,
                           struct err *e) {
    struct report_ask ask;
    struct db *db = NULL;
    struct buf out = {0};
    const char *uuid = NULL;
    int64_t id;
    struct summary_facts facts;
    struct history_mask mask;
    size_t n = s->n;
    bool masked = option_flag(&call->options, "mask");
    struct report *reports = arena_new(call->arena, struct report, n);
    struct result *results = arena_new(call->arena, struct result, n);
    if (settle(call, &ask, e) || history_open(call, DB_READ, &db, e))
        return -1;
    int status = s->run ? history_run(call, db, s->run, &id, &uuid, e) : 0;
    ask.run = uuid;
    if (!status)
        status = settle_params(call, db, s, &ask, e);
    if (!status)
        status = summary_read(call->arena, db, &facts, e);
    if (!status && masked)
        status = mask_history(call->arena, db, &mask, e);
    for (size_t i = 0; i < n && !status; i++)
        status = report_load_show(call->arena, s->names[i], &reports[i], e) ||
                         report_run(db, &reports[i], &ask, &results[i], e)
                     ? -1
                     : 0;
    db_close(db);
    if (status)
        return -1;
    /* Of several, those with nothing in them are not worth a line. */
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (masked)
            mask_result(&mask, &results[i]);
        if (results[i].n_rows || n == 1 || ask.format == FORMAT_JSON)
            results[kept++] = results[i];
    }
    format_print(results, kept, &ask, &out);
    if (ask.format == FORMAT_TABLE || ask.format == FORMAT_MARKDOWN) {
        struct err ignored;
        const char *path = NULL;
        history_path(call, &path, &ignored);
        summary_foot(call->arena, &facts, masked ? NULL : path, false, &out);
    }
    status = print_out(&out, e);
    buf_release(&out);
    return status;
}

static int show_profile_text(const struct command_call *call, const char *run, struct err *e) {
    struct db *db = NULL;
    struct query *q;
    struct buf out = {0};
    struct history_mask mask;
    bool masked = option_flag(&call->options, "mask");
    const char *uuid;
    int64_t id;
    if (history_open(call, DB_READ, &db, e))
        return -1;
    int status = history_run(call, db, run, &id, &uuid, e);
    if (!status && masked)
        status = mask_history(call->arena, db, &mask, e);
    if (!status)
        status = db_query(db, "profile_of_run", &q, e);
    if (!status) {
        query_int(q, "run", id);
        status = query_step(q, e);
        if (status == 1)
            buf_str(&out, masked ? mask_text(&mask.text, query_get_text(q, "text"))
                                 : query_get_text(q, "text"));
        else if (!status)
            status = err_set(e, ERR_FAILED, "run %.8s has no profile: it was imported", uuid);
    }
    db_close(db);
    status = status < 0 ? -1 : print_out(&out, e);
    buf_release(&out);
    return status;
}

/* ---- things that need no history ---------------------------------------------------------------
 */

static int show_profiles(struct err *e) {
    struct buf out = {0};
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *path = embedded_files[i].path, *text = embedded_files[i].text;
        if (strncmp(path, "profiles/", 9))
            continue;
        const char *about = strstr(text, "\nabout:");
        about = about ? about + 7 + strspn(about + 7, " ") : "";
        buf_fmt(&out, "%-16.*s  %.*s\n", (int)(strcspn(path + 9, ".")), path + 9,
                (int)strcspn(about, "\n"), about);
    }
    int status = print_out(&out, e);
    buf_release(&out);
    return status;
}

static int show_reports(const struct command_call *call, struct err *e) {
    struct buf out = {0};
    const char *const *names, *path;
    struct err ignored;
    if (history_path(call, &path, &ignored))
        path = NULL;
    size_t n = report_names(call->arena, path, &names);
    for (size_t i = 0; i < n; i++) {
        struct report r;
        if (report_find(call->arena, path, names[i], &r, e))
            buf_fmt(&out, "%-16s  cannot be read: %s\n", names[i],
                    report_clean(call->arena, e->text));
        else
            buf_fmt(&out, "%-16s  %s%s\n", names[i], report_clean(call->arena, r.about),
                    r.built_in ? "" : " (yours)");
    }
    int status = print_out(&out, e);
    buf_release(&out);
    return status;
}

static int show_formats(struct err *e) {
    struct buf out = {0};
    formats_put(&out);
    int status = print_out(&out, e);
    buf_release(&out);
    return status;
}

static int show_engines(struct err *e) {
    static const char *const about[ENGINES] = {
        [ENGINE_PSYNC] = "pread and pwrite, one operation in flight a job",
        [ENGINE_URING] = "io_uring, `depth` operations in flight in each job",
        [ENGINE_NULL] = "moves nothing: what the tool itself costs",
    };
    struct buf out = {0};
    for (size_t i = 0; i < ENGINES; i++)
        buf_fmt(&out, "%-8s  %s\n", engine_names[i], about[i]);
    int status = print_out(&out, e);
    buf_release(&out);
    return status;
}

/* An option that changes nothing here would be dropped silently. */
static int check_options(const struct command_call *call, const char *what, struct err *e) {
    bool stored = true;
    for (size_t i = 0; i < LENGTH(in_program); i++)
        stored &= strcmp(what, in_program[i]) != 0;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const char *name = rows[i].name;
        bool profile = !strcmp(name, "profile");
        if (!option_flag(&call->options, name) || (profile ? !strcmp(what, "run") : stored))
            continue;
        return err_set(e, ERR_USAGE, "show %s takes no %s%s; %s", what, name[1] ? "--" : "-", name,
                       profile ? "it goes with run ID" : "it goes with what the history has");
    }
    static const char *const apart[][2] = {{"profile", "format"}, {"profile", "v"}};
    return options_apart(&call->options, apart, LENGTH(apart), e);
}

static int show(const struct command_call *call, struct err *e) {
    static const char *const of_run[] = {"show_run", "show_run_result", "show_run_findings",
                                         "show_run_facts"};
    static const char *const of_fact[] = {"show_fact"};
    const char *what = call->options.words[0];
    bool has_id = call->options.n_words > 1;
    if (!strcmp(what, "run")) {
        if (!has_id)
            return err_set(e, ERR_USAGE, "which run? zhist show runs lists them");
        if (check_options(call, what, e))
            return -1;
        if (option_flag(&call->options, "profile"))
            return show_profile_text(call, call->options.words[1], e);
        return show_statements(
            call, &(struct showing){of_run, LENGTH(of_run), call->options.words[1], NULL}, e);
    }
    if (!strcmp(what, "facts") && has_id)
        return check_options(call, what, e)
                   ? -1
                   : show_statements(
                         call,
                         &(struct showing){of_fact, LENGTH(of_fact), NULL, call->options.words[1]},
                         e);
    if (has_id)
        return err_set(e, ERR_USAGE,
                       "show %s takes nothing more; show run ID shows one run, show facts NAME the "
                       "values of one fact",
                       what);
    if (check_options(call, what, e))
        return -1;
    if (!strcmp(what, "profiles"))
        return show_profiles(e);
    if (!strcmp(what, "reports"))
        return show_reports(call, e);
    if (!strcmp(what, "formats"))
        return show_formats(e);
    if (!strcmp(what, "engines"))
        return show_engines(e);
    for (size_t i = 0; i < LENGTH(in_history); i++)
        if (!strcmp(what, in_history[i])) {
            const char *name = arena_fmt(call->arena, "show_%s", what);
            return show_statements(call, &(struct showing){&name, 1, NULL, NULL}, e);
        }
    return err_set(e, ERR_USAGE,
                   "show \"%s\" is unknown; there are runs, run ID, hosts, targets, series, "
                   "workloads, profiles, reports, formats, engines, facts and facts NAME",
                   what);
}

const struct command command_show = {
    .name = "show",
    .args = "THING",
    .about = "what is stored: show runs, show run ID, ...; and what zhist knows",
    .more = "runs, run ID, hosts, targets, series, workloads, facts and facts NAME are in the\n"
            "history; facts NAME lists the values of one fact over time;\n"
            "profiles, reports and engines are what this zhist comes with.\n",
    .rows = rows,
    .n_rows = LENGTH(rows),
    .min_words = 1,
    .max_words = 2,
    .run = show,
};
