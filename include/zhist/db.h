/*
 * db.h: the one door to SQLite: connection policy, statements by name, transactions, migrations.
 *
 * A failure becomes one struct err with the statement's name and the extended result code.
 */
#ifndef ZHIST_DB_H
#define ZHIST_DB_H

#include "zhist/base.h"

enum { DB_APPLICATION_ID = 0x7a686973 }; /* "zhis" */

enum db_mode {
    DB_READ,   /* read-only; a hot journal or an older schema is dealt with first */
    DB_CHANGE, /* read-write, must exist */
    DB_CREATE, /* read-write, made if missing */
};

struct db;
struct query;

/*
 * Opens the history under our policy (see db.c) and brings its schema up to this version; a copy
 * is kept beside it before the first step of an existing file ("... saved as"). Refused with a sentence: no
 * database, another program's database, a newer schema. Where a reader is not permitted to roll
 * back a hot journal or to migrate, a private copy is read; db_said tells.
 */
int db_open(const char *path, enum db_mode mode, struct db **db, struct err *e);
void db_close(struct db *db);
const char *db_path(const struct db *db);
/* What the user should know of the opening (private copy, migration, WAL), or NULL. */
const char *db_said(const struct db *db);

/* The four locks for SQL that is not ours: read-only connection (already), statements that only
 * read, an allow-list authorizer, limits with a time budget. */
int db_restrict(struct db *db, int64_t budget_ns, struct err *e);

/* A statement of sql/store or sql/show by name, reset and with no bindings. The db owns it. */
int db_query(struct db *db, const char *name, struct query **q, struct err *e);
/* A statement given as text; name is for messages. query_free it. Text after the first
 * statement is an error, and under db_restrict so is anything that writes. */
int db_query_text(struct db *db, const char *name, const char *sql, struct query **q,
                  struct err *e);
void query_free(struct query *q);

/* Bind by name, without the colon. A wrong name is remembered and reported by query_step. */
void query_int(struct query *q, const char *name, int64_t value);
void query_known(struct query *q, const char *name, int64_t value); /* negative: NULL */
void query_real(struct query *q, const char *name, double value);   /* NaN, inf: NULL */
void query_text(struct query *q, const char *name, const char *text); /* NULL: NULL; copied */
void query_blob(struct query *q, const char *name, const void *bytes, size_t len);
bool query_has(struct query *q, const char *name); /* does it have this parameter? */
const char *query_parameter(const struct query *q, int n); /* from 0; ":since"; NULL: no more */

int query_step(struct query *q, struct err *e); /* 1: a row, 0: done, -1 */
int query_run(struct query *q, struct err *e);  /* steps to the end, resets; 0 or -1 */

enum value_kind { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT };
struct value {
    enum value_kind kind;
    int64_t i;
    double r;
    const char *text; /* valid until the next step; blobs are given as text */
};
int query_columns(const struct query *q);
const char *query_column_name(const struct query *q, int column);
struct value query_value(struct query *q, int column);
/* By name; an unknown name is a mistake of ours and aborts. NULL gives UNKNOWN / NaN / NULL. */
int64_t query_get_int(struct query *q, const char *column);
double query_get_real(struct query *q, const char *column);
const char *query_get_text(struct query *q, const char *column);

/* IMMEDIATE. They nest: only the outermost pair begins and commits, a rollback at any depth undoes
 * all, and the outermost commit then fails. COMMIT is retried while readers hold their lock, up to the busy timeout. */
int db_begin(struct db *db, struct err *e);
int db_commit(struct db *db, struct err *e);
void db_rollback(struct db *db);

int db_integrity(struct db *db, struct buf *report, struct err *e); /* 0: sound; 1: told in report */
int db_backup(struct db *db, const char *to, struct err *e); /* O_EXCL: never over a file */
int64_t db_schema_version(void); /* what this zhist writes */

#endif
