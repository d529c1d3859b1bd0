/* cmd_note.c: `note`, `label`, `exclude`, `include`: what is said of a run afterwards. */
#include "zhist/command.h"

/* Opens the history, finds the run, runs one statement with :run and the two texts. */
static int change(const struct command_call *call, const char *statement, const char *key,
                  const char *value, const char *done, struct err *e) {
    struct db *db = NULL;
    struct query *q;
    int64_t run;
    const char *uuid;
    if (history_open(call, DB_CHANGE, &db, e))
        return -1;
    int status = history_run(call, db, call->options.words[0], &run, &uuid, e);
    if (!status)
        status = db_begin(db, e);
    if (!status)
        status = db_query(db, statement, &q, e);
    if (!status) {
        query_int(q, "run", run);
        if (query_has(q, "key"))
            query_text(q, "key", key);
        query_text(q, "value", value);
        status = query_run(q, e);
    }
    if (!status)
        status = db_commit(db, e);
    db_close(db);
    if (!status)
        print_note("run %.8s %s", uuid, done);
    return status;
}

static int note(const struct command_call *call, struct err *e) {
    return change(call, "set_note", NULL, call->options.words[1], "has the note", e);
}

static int label(const struct command_call *call, struct err *e) {
    const char *key, *value;
    if (option_pair(call->arena, "label", call->options.words[1], &key, &value, e))
        return -1;
    return change(call, "set_label", key, value, "has the label", e);
}

static int exclude(const struct command_call *call, struct err *e) {
    const char *reason = option_value(&call->options, "reason");
    if (!reason || !*reason)
        return err_set(e, ERR_USAGE, "exclude needs --reason TEXT: it is kept with the run");
    return change(call, "set_excluded", NULL, reason, "is left out of reports", e);
}

static int include(const struct command_call *call, struct err *e) {
    return change(call, "set_excluded", NULL, NULL, "counts again", e);
}

static const struct option_row exclude_rows[] = {
    {"reason", "TEXT", "why; kept with the run"},
};

const struct command command_note = {.name = "note", .args = "RUN TEXT",
    .about = "keep a sentence with a run", .min_words = 2, .max_words = 2, .run = note};
const struct command command_label = {.name = "label", .args = "RUN K=V",
    .about = "label a run", .min_words = 2, .max_words = 2, .run = label};
const struct command command_exclude = {.name = "exclude", .args = "RUN --reason TEXT",
    .about = "leave a run out of reports", .rows = exclude_rows, .n_rows = LENGTH(exclude_rows),
    .min_words = 1, .max_words = 1, .run = exclude};
const struct command command_include = {.name = "include", .args = "RUN",
    .about = "let an excluded run count again", .min_words = 1, .max_words = 1, .run = include};
