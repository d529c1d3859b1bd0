/* connection.h: what the files of the history share of a connection; private to the room. */
#ifndef ZHIST_CONNECTION_H
#define ZHIST_CONNECTION_H

#include <sqlite3.h>

#include "zhist/db.h"

struct query {
    struct query *next;     /* in db->queries; NULL for query_text's own */
    struct db *db;
    char *name;
    sqlite3_stmt *stmt;
    int bind_code;          /* first binding that failed, */
    const char *bind_name;  /* and its parameter */
};

struct db {
    sqlite3 *handle;
    char *path;
    enum db_mode mode;
    struct query *queries;
    struct buf said;
    char *private_dir;      /* of a private copy; removed at close */
    int64_t deadline;       /* monotonic; of db_restrict */
    int64_t budget;
    bool made;              /* the file did not exist before */
    bool ready;             /* db_open succeeded */
    bool in_copy;           /* what is migrated is the private copy: needs no copy of its own */
    int depth;              /* of db_begin */
};

/* Turns the connection's state into e->text; what: the statement or step. Returns -1. */
int db_fail(const struct db *db, int code, const char *what, struct err *e);
int db_exec(struct db *db, const char *what, const char *sql, struct err *e);
int db_pragma_int(struct db *db, const char *pragma, int64_t *value, struct err *e);

/* migrate.c: steps N-1 to N of sql/migrate, then the views. from: its user_version now. */
int migrate(struct db *db, int64_t from, struct err *e);
/* migrate.c: tables, views and indexes that this schema has and the file lacks, a line each. */
int schema_missing(struct db *db, struct buf *report, struct err *e);
/* migrate.c: copies path and its journal into a private directory; *copy is malloced. */
int copy_private(const char *path, char **dir, char **copy, struct err *e);
void remove_private(const char *dir);

/* sqlfn.c, sqltext.c, sqlchange.c: our SQL functions; the first registers the others' too. */
int sqlfn_register(sqlite3 *handle);
int sqltext_register(sqlite3 *handle);
int sqlchange_register(sqlite3 *handle);

#endif
