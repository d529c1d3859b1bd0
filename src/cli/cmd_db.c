/* cmd_db.c: `db info`, `db check`: care of the history file. */
#include <sys/stat.h>

#include "zhist/command.h"
#include "zhist/report.h"
#include "zhist/unit.h"

static int db_info(const struct command_call *call, struct db *db, struct err *e) {
    struct buf out = {0};
    struct stat st;
    struct report_ask ask = {.arena = call->arena, .width = report_width()};
    int status = report_show(db, "show_db_info", &ask, &out, e);
    if (!status) {
        buf_fmt(&out, "\nHistory: %s, ", report_clean(call->arena, db_path(db)));
        if (!stat(db_path(db), &st))
            unit_put(&out, (double)st.st_size, "B", UNITS_IEC);
        buf_fmt(&out, ", schema %lld\n", (long long)db_schema_version());
        status = print_out(&out, e);
    }
    buf_release(&out);
    return status;
}

/* What SQLite tells is a line a damage; an error is one line. */
static void join_lines(struct buf *text) {
    struct buf joined = {0};
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] != '\n')
            buf_put(&joined, text->data + i, 1);
        else if (i + 1 < text->len)
            buf_str(&joined, "; ");
    buf_release(text);
    *text = joined;
}

static int db_check(struct arena *a, struct db *db, struct err *e) {
    struct buf told = {0}, out = {0};
    int status = db_integrity(db, &told, e);
    join_lines(&told);
    if (status > 0)
        status = err_set(e, ERR_FAILED,
                         "history \"%s\" is damaged; restore a copy, or save what can be read "
                         "with: sqlite3 \"%s\" .recover; found: %.3000s",
                         db_path(db), db_path(db), told.data);
    else if (!status) {
        buf_fmt(&out, "%s is sound\n", report_clean(a, db_path(db)));
        status = print_out(&out, e);
    }
    buf_release(&told);
    buf_release(&out);
    return status;
}

static int run_db(const struct command_call *call, struct err *e) {
    const char *what = call->options.words[0];
    struct db *db = NULL;
    bool info = !strcmp(what, "info");
    if (!info && strcmp(what, "check"))
        return err_set(e, ERR_USAGE, "db \"%s\" is unknown; there are info and check", what);
    if (history_open(call, DB_READ, &db, e))
        return -1;
    int status = info ? db_info(call, db, e) : db_check(call->arena, db, e);
    db_close(db);
    return status;
}

const struct command command_db = {.name = "db", .args = "info|check",
    .about = "care of the history file", .min_words = 1, .max_words = 1, .run = run_db};
