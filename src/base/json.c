/*
 * json.c: a JSON text as a tree, through SQLite's json_valid and json_tree on a connection of its
 * own that has no file.
 *
 * SQLite decides what is JSON and decodes the texts. A look over the bytes before it refuses what
 * is too large or too deep and knows where most broken texts break (json_error_position is there
 * from SQLite 3.42 on); a second one beside it takes the numbers as they are written. Time is
 * linear: the columns fullkey and path of json_tree are not, so the tree is built from `parent`.
 */
#include <sqlite3.h>

#include "zhist/json.h"

enum { TEXT_MAX = 16 << 20, VALUES_MAX = 2 << 20, DEPTH_MAX = 500 };

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- before SQLite --------------------------------------------------------------------------- */

/* From behind the opening quote to the closing one, or len; *nul: where \u0000 stands. */
static size_t skip_text(const char *text, size_t len, size_t at, const char **nul) {
    for (; at < len && text[at] != '"'; at++) {
        if (text[at] != '\\')
            continue;
        if (len - at >= 6 && !memcmp(text + at + 1, "u0000", 5))
            *nul = text + at;
        at++;
    }
    return at < len ? at : len;
}

/* Brackets, quotes and sizes. True for any text whose only mistakes are others. */
static int look_over(const char *text, size_t len, struct err *e) {
    char open[DEPTH_MAX];
    size_t depth = 0, values = 1, at = 0;
    const char *nul = memchr(text, '\0', len);
    if (nul)
        return err_set(e, ERR_FAILED, "not JSON: a NUL at byte %zu", (size_t)(nul - text));
    while (at < len && is_space(text[at]))
        at++;
    if (at == len)
        return err_set(e, ERR_FAILED, "not JSON: the text is empty");
    for (bool closed = false; at < len; at++) {
        char c = text[at];
        if (is_space(c))
            continue;
        if (closed)
            return err_set(e, ERR_FAILED, "not JSON: something follows its end, at byte %zu", at);
        if (c == '"') {
            size_t end = skip_text(text, len, at + 1, &nul);
            if (end == len)
                return err_set(e, ERR_FAILED,
                               "not JSON: it ends in the middle of a text that begins at byte %zu",
                               at);
            if (nul)
                return err_set(e, ERR_FAILED, "a text with a NUL in it, at byte %zu",
                               (size_t)(nul - text));
            at = end;
        } else if (c == '[' || c == '{') {
            if (depth == DEPTH_MAX)
                return err_set(e, ERR_FAILED, "JSON of more than %d levels, at byte %zu", DEPTH_MAX,
                               at);
            open[depth++] = c;
            values++;
        } else if (c == ']' || c == '}') {
            if (!depth || open[--depth] != (c == ']' ? '[' : '{'))
                return err_set(e, ERR_FAILED, "not JSON: a '%c' that closes nothing, at byte %zu",
                               c, at);
            closed = !depth;
        } else if (c == ',') {
            values++;
        }
        if (values > VALUES_MAX)
            return err_set(e, ERR_FAILED, "JSON of more than %d values", VALUES_MAX);
    }
    if (depth)
        return err_set(e, ERR_FAILED,
                       "not JSON: it ends at byte %zu, before its last '%c' is closed", len,
                       open[depth - 1]);
    return 0;
}

/* The next number of a valid text, as written. */
static const char *next_number(struct arena *a, const char *text, size_t len, size_t *at) {
    const char *nul;
    for (; *at < len; ++*at) {
        char c = text[*at];
        if (c == '"')
            *at = skip_text(text, len, *at + 1, &nul);
        if (c == '-' || (c >= '0' && c <= '9'))
            break;
    }
    size_t start = *at;
    while (*at < len && strchr("+-.0123456789eE", text[*at]))
        ++*at;
    return arena_copy(a, text + start, *at - start);
}

/* ---- SQLite ---------------------------------------------------------------------------------- */

static int fail(sqlite3 *db, int code, struct err *e) {
    if (code == SQLITE_NOMEM)
        must(NULL);
    return err_set(e, ERR_FAILED, "cannot read JSON: %s", db ? sqlite3_errmsg(db) : "no SQLite");
}

/* The text is bound, not copied: it outlives the statement. */
static int prepare(sqlite3 *db, const char *sql, const char *text, size_t len,
                   sqlite3_stmt **stmt) {
    int code = sqlite3_prepare_v2(db, sql, -1, stmt, NULL);
    return code ? code : sqlite3_bind_text(*stmt, 1, text, (int)len, SQLITE_STATIC);
}

static int validate(sqlite3 *db, const char *text, size_t len, struct err *e) {
    sqlite3_stmt *stmt = NULL;
    int code = prepare(db, "SELECT json_valid(?1)", text, len, &stmt);
    if (!code && (code = sqlite3_step(stmt)) == SQLITE_ROW)
        code = sqlite3_column_int(stmt, 0) ? SQLITE_OK : SQLITE_MISMATCH;
    int status = code && code != SQLITE_MISMATCH ? fail(db, code, e) : 0;
    sqlite3_finalize(stmt);
    if (code != SQLITE_MISMATCH)
        return status;
    sqlite3_int64 place = 0; /* in characters, from 1; 0 also for what only JSON5 allows */
    if (!prepare(db, "SELECT json_error_position(?1)", text, len, &stmt) &&
        sqlite3_step(stmt) == SQLITE_ROW)
        place = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    if (place > 0)
        return err_set(e, ERR_FAILED, "not JSON, from character %lld on", (long long)place);
    return err_set(e, ERR_FAILED, "not JSON");
}

enum { COLUMN_KEY, COLUMN_TYPE, COLUMN_ATOM, COLUMN_ID, COLUMN_PARENT };
static const char select_rows[] = "SELECT key, type, atom, id, parent FROM json_tree(?1)";

static enum json_type type_of(const char *name) {
    static const char *const names[] = {"null", "true", "false", "integer",
                                        "real", "text", "array", "object"};
    size_t i = 0;
    while (i < LENGTH(names) - 1 && strcmp(name, names[i]))
        i++;
    return (enum json_type)i;
}

static const char *column_text(struct arena *a, sqlite3_stmt *stmt, int column) {
    const unsigned char *text = sqlite3_column_text(stmt, column);
    if (!text)
        must(NULL);
    return arena_copy(a, text, (size_t)sqlite3_column_bytes(stmt, column));
}

/* A container that is open, and what `parent` says in the rows of its children. From 3.45 on that
 * is not always its `id`, but grows along the text as ids do. */
struct level {
    struct json *of;
    const struct json **end; /* where its next child is hung up */
    sqlite3_int64 parent;
};

static const struct json *build(struct arena *a, sqlite3_stmt *stmt, const char *text, size_t len,
                                struct err *e) {
    struct level levels[DEPTH_MAX + 2];
    struct json *root = NULL, *last = NULL;
    size_t n = 0, at = 0;
    int code;
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct json *item = arena_new(a, struct json, 1);
        const char *type = (const char *)sqlite3_column_text(stmt, COLUMN_TYPE);
        item->type = type_of(type ? type : "null");
        if (!root) {
            root = item;
        } else {
            sqlite3_int64 parent = sqlite3_column_int64(stmt, COLUMN_PARENT);
            while (n && levels[n - 1].parent > parent)
                n--;
            if (!n || levels[n - 1].parent < parent) { /* the first child of the row before */
                if (last->type < JSON_ARRAY || n == LENGTH(levels))
                    break;
                levels[n++] = (struct level){last, &last->first, parent};
            }
            *levels[n - 1].end = item;
            levels[n - 1].end = &item->next;
            if (levels[n - 1].of->type == JSON_OBJECT)
                item->key = column_text(a, stmt, COLUMN_KEY);
        }
        if (item->type == JSON_INTEGER || item->type == JSON_REAL) {
            item->text = next_number(a, text, len, &at);
            item->real = sqlite3_column_double(stmt, COLUMN_ATOM);
            if (sqlite3_column_type(stmt, COLUMN_ATOM) == SQLITE_INTEGER)
                item->integer = sqlite3_column_int64(stmt, COLUMN_ATOM);
            else
                item->integer = item->real < 0 ? INT64_MIN : INT64_MAX;
        } else if (item->type == JSON_TEXT) {
            item->text = column_text(a, stmt, COLUMN_ATOM);
        } else if (item->type == JSON_TRUE || item->type == JSON_FALSE) {
            item->text = item->type == JSON_TRUE ? "true" : "false";
        }
        last = item;
    }
    if (code == SQLITE_DONE && root)
        return root;
    if (code == SQLITE_ROW)
        err_set(e, ERR_FAILED, "cannot read JSON: this SQLite's json_tree has another order");
    else
        fail(sqlite3_db_handle(stmt), code, e);
    return NULL;
}

const struct json *json_read(struct arena *a, const char *text, size_t len, struct err *e) {
    const struct json *root = NULL;
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    if (len > TEXT_MAX) {
        err_set(e, ERR_FAILED, "JSON of more than %d MiB", TEXT_MAX >> 20);
        return NULL;
    }
    if (look_over(text, len, e))
        return NULL;
    int code = sqlite3_open_v2(
        ":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, NULL);
    if (code) {
        fail(db, code, e);
    } else if (!validate(db, text, len, e)) {
        code = prepare(db, select_rows, text, len, &stmt);
        if (code)
            fail(db, code, e);
        else
            root = build(a, stmt, text, len, e);
    }
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return root;
}

/* ---- asking ---------------------------------------------------------------------------------- */

const struct json *json_get(const struct json *object, const char *key) {
    if (!object || object->type != JSON_OBJECT)
        return NULL;
    const struct json *item = object->first;
    while (item && strcmp(item->key, key))
        item = item->next;
    return item;
}

const char *json_text(const struct json *object, const char *key) {
    const struct json *item = json_get(object, key);
    return item && (item->type == JSON_TEXT || item->type == JSON_INTEGER ||
                    item->type == JSON_REAL)
               ? item->text
               : NULL;
}
