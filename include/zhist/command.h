/*
 * command.h: a command is a file with a const entry in the table of main.c; this is its entry and
 * what it is given.
 */
#ifndef ZHIST_COMMAND_H
#define ZHIST_COMMAND_H

#include "zhist/db.h"
#include "zhist/opt.h"

struct command_call {
    struct arena *arena;
    struct options options;
    const char *db;         /* --db, or NULL */
    volatile int *stop;     /* set by SIGINT and SIGTERM */
};

struct command {
    const char *name, *args, *about; /* "PROFILE", one line */
    const char *more;                /* paragraphs of help, or NULL */
    const struct option_row *rows;
    size_t n_rows;
    size_t min_words, max_words;
    bool stops;             /* SIGINT, SIGTERM, SIGHUP only set call->stop */
    int (*run)(const struct command_call *call, struct err *e);
};

extern const struct command command_record, command_report, command_show, command_probe,
    command_init, command_note, command_label, command_exclude, command_include, command_forget,
    command_db, command_check, command_explain, command_help;
extern const struct command *const commands[];
extern const size_t n_commands;
const struct command *command_find(const char *name);

/* Where the history is (history_path.c): the first that applies of --db, $ZHIST_DB, history.db
 * beside the binary, $XDG_DATA_HOME/zhist/history.db, ~/.local/share/zhist/history.db. */
int history_path(const struct command_call *call, const char **path, struct err *e);
/* Opens it for reading or changing; "no history found" lists the places looked at. */
int history_open(const struct command_call *call, enum db_mode mode, struct db **db,
                 struct err *e);
/* A run by uuid or its first digits (four at least): its row id and uuid. */
int history_run(const struct command_call *call, struct db *db, const char *word, int64_t *id,
                const char **uuid, struct err *e);

/* All of text to stdout; an error (a full disk, a closed pipe) is a failure. */
int print_out(const struct buf *text, struct err *e);
/* A line to stderr, "zhist: ...". */
void print_note(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
