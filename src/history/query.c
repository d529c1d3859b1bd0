/*
 * query.c: statements by name (sql/store, sql/show) and by text (reports), bound by name. A wrong
 * name or value is remembered and fails at the step, so that callers bind without checking.
 */
#include <math.h>

#include "connection.h"
#include "zhist/embed.h"

static int prepare(struct db *db, const char *name, const char *sql, sqlite3_stmt **stmt,
                   struct err *e) {
    const char *rest = NULL;
    int code = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, &rest);
    if (code != SQLITE_OK) {
        if ((code & 0xff) == SQLITE_ERROR || (code & 0xff) == SQLITE_AUTH)
            err_set(e, ERR_USAGE, "%s: %s", name, sqlite3_errmsg(db->handle));
        else
            db_fail(db, code, name, e);
        return -1;
    }
    if (!*stmt)
        return err_set(e, ERR_USAGE, "%s: there is no statement in it", name);
    /* Whatever follows must be blank or comment: then it prepares to nothing. */
    sqlite3_stmt *more = NULL;
    code = sqlite3_prepare_v2(db->handle, rest, -1, &more, NULL);
    sqlite3_finalize(more);
    if (code != SQLITE_OK || more) {
        sqlite3_finalize(*stmt);
        *stmt = NULL;
        return err_set(e, ERR_USAGE, "%s: only one statement is allowed", name);
    }
    return 0;
}

static struct query *query_new(struct db *db, const char *name, sqlite3_stmt *stmt) {
    struct query *q = must(calloc(1, sizeof *q));
    *q = (struct query){.db = db, .name = must(strdup(name)), .stmt = stmt};
    return q;
}

static void query_reset(struct query *q) {
    sqlite3_reset(q->stmt);
    q->bind_code = SQLITE_OK;
    q->bind_name = NULL;
}

int db_query(struct db *db, const char *name, struct query **out, struct err *e) {
    for (struct query *q = db->queries; q; q = q->next)
        if (!strcmp(q->name, name)) {
            query_reset(q);
            sqlite3_clear_bindings(q->stmt);
            *out = q;
            return 0;
        }
    const struct embedded *file = embedded_find("sql/store", name, ".sql");
    if (!file)
        file = embedded_find("sql/show", name, ".sql");
    if (!file)
        return err_set(e, ERR_FAILED, "there is no statement \"%s\"", name);
    sqlite3_stmt *stmt = NULL;
    if (prepare(db, name, file->text, &stmt, e))
        return -1;
    struct query *q = query_new(db, name, stmt);
    q->next = db->queries;
    db->queries = q;
    *out = q;
    return 0;
}

int db_query_text(struct db *db, const char *name, const char *sql, struct query **out,
                  struct err *e) {
    sqlite3_stmt *stmt = NULL;
    if (prepare(db, name, sql, &stmt, e))
        return -1;
    if (!sqlite3_stmt_readonly(stmt)) {
        sqlite3_finalize(stmt);
        return err_set(e, ERR_USAGE, "%s: only SELECT is allowed", name);
    }
    *out = query_new(db, name, stmt);
    return 0;
}

void query_free(struct query *q) {
    if (!q)
        return;
    sqlite3_finalize(q->stmt);
    free(q->name);
    free(q);
}

/* ---- binding --------------------------------------------------------------------------------- */

static int parameter(struct query *q, const char *name) {
    char full[64];
    snprintf(full, sizeof full, ":%s", name);
    return sqlite3_bind_parameter_index(q->stmt, full);
}

bool query_has(struct query *q, const char *name) {
    return parameter(q, name) > 0;
}

const char *query_parameter(const struct query *q, int n) {
    if (n >= sqlite3_bind_parameter_count(q->stmt))
        return NULL;
    const char *name = sqlite3_bind_parameter_name(q->stmt, n + 1);
    return name ? name : "?";
}

static void bound(struct query *q, const char *name, int code) {
    if (code != SQLITE_OK && q->bind_code == SQLITE_OK) {
        q->bind_code = code;
        q->bind_name = name;
    }
}

void query_int(struct query *q, const char *name, int64_t value) {
    bound(q, name, sqlite3_bind_int64(q->stmt, parameter(q, name), value));
}

void query_known(struct query *q, const char *name, int64_t value) {
    int at = parameter(q, name);
    bound(q, name, value < 0 ? sqlite3_bind_null(q->stmt, at)
                             : sqlite3_bind_int64(q->stmt, at, value));
}

void query_real(struct query *q, const char *name, double value) {
    int at = parameter(q, name);
    bound(q, name, isfinite(value) ? sqlite3_bind_double(q->stmt, at, value)
                                   : sqlite3_bind_null(q->stmt, at));
}

void query_text(struct query *q, const char *name, const char *text) {
    bound(q, name, sqlite3_bind_text(q->stmt, parameter(q, name), text, -1, SQLITE_TRANSIENT));
}

void query_blob(struct query *q, const char *name, const void *bytes, size_t len) {
    bound(q, name, sqlite3_bind_blob64(q->stmt, parameter(q, name), bytes, len, SQLITE_TRANSIENT));
}

/* ---- stepping -------------------------------------------------------------------------------- */

int query_step(struct query *q, struct err *e) {
    if (q->bind_code != SQLITE_OK)
        return err_set(e, ERR_FAILED, "%s: parameter \"%s\" cannot be bound: %s", q->name,
                       q->bind_name, sqlite3_errstr(q->bind_code));
    int code = sqlite3_step(q->stmt);
    if (code == SQLITE_ROW)
        return 1;
    if (code != SQLITE_DONE) {
        if ((code & 0xff) == SQLITE_ERROR || (code & 0xff) == SQLITE_AUTH)
            err_set(e, ERR_USAGE, "%s: %s", q->name, sqlite3_errmsg(q->db->handle));
        else
            db_fail(q->db, code, q->name, e);
        sqlite3_reset(q->stmt);
        return -1;
    }
    sqlite3_reset(q->stmt);
    return 0;
}

int query_run(struct query *q, struct err *e) {
    int status;
    while ((status = query_step(q, e)) > 0)
        ;
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

int query_columns(const struct query *q) {
    return sqlite3_column_count(q->stmt);
}

const char *query_column_name(const struct query *q, int column) {
    return sqlite3_column_name(q->stmt, column);
}

struct value query_value(struct query *q, int column) {
    struct value v = {VALUE_NULL, 0, (double)NAN, NULL};
    switch (sqlite3_column_type(q->stmt, column)) {
    case SQLITE_INTEGER:
        v.kind = VALUE_INT;
        v.i = sqlite3_column_int64(q->stmt, column);
        v.r = (double)v.i;
        break;
    case SQLITE_FLOAT:
        v.kind = VALUE_REAL;
        v.r = sqlite3_column_double(q->stmt, column);
        break;
    case SQLITE_NULL:
        break;
    default:
        v.kind = VALUE_TEXT;
        v.text = (const char *)sqlite3_column_text(q->stmt, column);
    }
    return v;
}

static int column_by_name(const struct query *q, const char *name) {
    for (int i = 0; i < sqlite3_column_count(q->stmt); i++)
        if (!strcmp(sqlite3_column_name(q->stmt, i), name))
            return i;
    fprintf(stderr, "zhist: %s has no column \"%s\"\n", q->name, name);
    abort();
}

int64_t query_get_int(struct query *q, const char *column) {
    struct value v = query_value(q, column_by_name(q, column));
    return v.kind == VALUE_INT ? v.i : INT64_C(-1);
}

double query_get_real(struct query *q, const char *column) {
    return query_value(q, column_by_name(q, column)).r;
}

const char *query_get_text(struct query *q, const char *column) {
    return query_value(q, column_by_name(q, column)).text;
}
