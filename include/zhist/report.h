/*
 * report.h: a report is a .sql file with front matter: found, read, bound, run read-only, printed.
 *
 * Front matter: comment lines "-- key: value" before the statement:
 *   title: TEXT                     about: SENTENCE
 *   param: NAME KIND [= DEFAULT] -- sentence     KIND: text, time, number, flag, list (JSON)
 *   column: NAME [unit=U] [align=left|right] [better=up|down] [head=TEXT] [keep=yes|long]
 *           [show=table|v|no|never] [red=@COL]
 *           unit=@COL and head=@COL take it from the row. show: in tables only, there only with
 *           -v, not there, nowhere. CSV and JSON have every column but those of show=table and
 *           show=never, in base units. keep: where a table is too wide, others go,
 *           this one never (yes) or after them (long). red: in
 *           red on a terminal where COL of the row is a number other than 0.
 *   group: COL,...   rows that share them get one heading line, made of these columns
 *   above: COL       its text is a line of its own over the row
 *   spark: COL       a JSON array of numbers (and "|" for an event), drawn as a small chart
 *   sentence: COL    not a column of a table: fills the sentences under it, each once. Of several
 *                    all those of the first one come first. Where none is named: a column
 * `sentence` notes: NAME      sql/show/NAME.sql with the same parameters: its sentences come after
 * them Parameters bound by zhist itself where the statement has them: :now (ns), :units (si, iec),
 * :verbose (1 with -v).
 */
#ifndef ZHIST_REPORT_H
#define ZHIST_REPORT_H

#include "zhist/db.h"
#include "zhist/model.h"
#include "zhist/unit.h"

enum format { FORMAT_TABLE, FORMAT_MARKDOWN, FORMAT_CSV, FORMAT_JSON };

enum column_keep { KEEP_NO, KEEP_LONG, KEEP_YES };
enum column_show { SHOW_ALWAYS, SHOW_TABLE, SHOW_VERBOSE, SHOW_NO, SHOW_NEVER };

struct column {
    const char *name, *unit, *head; /* unit, head: NULL not given; "@col": from the row */
    const char *red;                /* the column that says so, or NULL */
    bool right;
    int better;
    enum column_show show;
    enum column_keep keep;
    bool group, above, spark, sentence;
};

struct param {
    const char *name, *kind, *preset, *about;
};

struct report {
    const char *name, *title, *about;
    const char *sql;
    const char *notes; /* NULL: none */
    struct param *params;
    size_t n_params, cap_params;
    struct column *marks; /* what the front matter says of columns, in its order */
    size_t n_marks, cap_marks;
    bool built_in;
};

struct result {
    const struct report *report;
    struct column *columns; /* as the statement returns them */
    size_t n_columns;
    struct value *cells;    /* row after row, texts in the arena */
    size_t n_rows, cap_cells, n_cells;
    /* What the caller adds: told behind the sentences; why there are no rows. NULL: nothing. */
    const char *const *notes;
    size_t n_notes;
    const char *why_empty;
};

/* The report's file in the user's folders, else built in. history: its path, or NULL. */
int report_find(struct arena *a, const char *history, const char *name, struct report *r,
                struct err *e);
/* Names of every report there is: built-in first, then the user's. */
size_t report_names(struct arena *a, const char *history, const char *const **names);
const struct param *report_param(const struct report *r, const char *name);

struct report_ask {
    struct arena *arena;
    enum format format;
    int width;                  /* columns of the terminal; 0: 100 */
    enum unit_style units;
    bool verbose;
    bool colour;                /* of tables; report_colour() */
    const struct setting *params; /* values for the report's parameters, as texts */
    size_t n_params;
    const char *run;            /* report_show: binds :run */
};

/* Runs it to the end under the caller's connection (db_restrict it before). */
int report_run(struct db *db, const struct report *r, const struct report_ask *ask,
               struct result *out, struct err *e);
/* sql/show/NAME.sql has front matter too: find, run, print; for `show`. */
int report_show(struct db *db, const char *name, const struct report_ask *ask, struct buf *out,
                struct err *e);
/* sql/show/NAME.sql, else the built-in report, whatever users call theirs. */
int report_load_show(struct arena *a, const char *name, struct report *r, struct err *e);

/* Its distinct sentences, without the notes; how many. */
size_t result_sentences(struct arena *a, const struct result *r, const char *const **out);
/* The column of a name, or NULL and the cell as an unknown value. */
const struct value *result_cell(const struct result *r, size_t row, const char *column);

/* format.c and its like: results to text. JSON and CSV take several results at once. */
void format_print(const struct result *results, size_t n, const struct report_ask *ask,
                  struct buf *out);
void formats_put(struct buf *out); /* a line each */
int format_by_name(const char *name, enum format *format, struct err *e);
bool report_colour(void);       /* stdout is a terminal that is asked for it: see NO_COLOR */
int report_width(void);         /* $COLUMNS, else of the terminal on stdout, else 100 */
/* buf_clean() in the arena: on one line, control characters and broken bytes escaped. */
char *report_clean(struct arena *a, const char *text);
/* Words from column `at` on, broken at width; the lines that follow are indented. No newline at
 * the end. text must be clean. */
void report_wrap(struct buf *out, const char *text, int at, int indent, int width);

#endif
