/*
 * db.c: opening the history, and what holds for every connection: rollback journal with
 * synchronous=EXTRA, defensive, no trust in the schema, foreign keys on, no triggers, 10 s of
 * patience with other programs. Statements are in query.c, schema steps in migrate.c. Nothing else
 * may open the path while a connection is open: closing any descriptor of the file would drop
 * SQLite's POSIX locks (https://sqlite.org/howtocorrupt.html, 2.2).
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connection.h"

/* A COMMIT waits for readers longer than a report's time budget (60 s): a slow report must not end a
 * night's measurement. */
enum { BUSY_MS = 10000, COMMIT_MS = 70000 };

int db_fail(const struct db *db, int code, const char *what, struct err *e) {
    int primary = code & 0xff;
    const char *path = db->path;
    if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED)
        err_set(e, ERR_FAILED,
                "history \"%s\" was locked by another program for over %d s; wait until it has "
                "finished, or see who holds it with: fuser \"%s\"",
                path, BUSY_MS / 1000, path);
    else if (primary == SQLITE_FULL)
        err_set(e, ERR_FAILED,
                "history \"%s\" cannot grow: no space left on its file system; free some, or name "
                "another with --db",
                path);
    else if (primary == SQLITE_READONLY)
        err_set(e, ERR_FAILED,
                "history \"%s\" cannot be written: the file, its folder or its file system is "
                "read-only for this user; name another with --db",
                path);
    else if (primary == SQLITE_NOTADB)
        err_set(e, ERR_FAILED, "\"%s\" is not a SQLite database; name a history with --db", path);
    else if (primary == SQLITE_CORRUPT && !db->ready) /* db check could not open it either */
        err_set(e, ERR_FAILED,
                "history \"%s\" is damaged (%s); restore a copy, or save what can be read with: "
                "sqlite3 \"%s\" .recover",
                path, sqlite3_errmsg(db->handle), path);
    else if (primary == SQLITE_CORRUPT)
        err_set(e, ERR_FAILED,
                "history \"%s\" is damaged (%s); look with: zhist --db \"%s\" db check", path,
                sqlite3_errmsg(db->handle), path);
    else if (primary == SQLITE_INTERRUPT)
        err_set(e, ERR_FAILED, "%s took longer than %lld s and was stopped", what,
                (long long)(db->budget / NS_PER_S));
    else if (primary == SQLITE_IOERR && sqlite3_system_errno(db->handle) == ENOSPC)
        err_set(e, ERR_FAILED,
                "history \"%s\" cannot grow: no space left on its file system; free some, or name "
                "another with --db",
                path);
    else if (primary == SQLITE_IOERR)
        err_set(e, ERR_FAILED,
                "history \"%s\": %s: %s (%s); see to its file system, or name another with --db", path,
                what, sqlite3_errmsg(db->handle), strerror(sqlite3_system_errno(db->handle)));
    else
        err_set(e, ERR_FAILED, "history \"%s\": %s: %s", path, what, sqlite3_errmsg(db->handle));
    e->code = code;
    return -1;
}

int db_exec(struct db *db, const char *what, const char *sql, struct err *e) {
    int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : db_fail(db, code, what, e);
}

int db_pragma_int(struct db *db, const char *pragma, int64_t *value, struct err *e) {
    char sql[64];
    sqlite3_stmt *stmt = NULL;
    snprintf(sql, sizeof sql, "PRAGMA %s", pragma);
    int code = sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL);
    if (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        *value = sqlite3_column_int64(stmt, 0);
        code = SQLITE_OK;
    }
    sqlite3_finalize(stmt);
    return code == SQLITE_OK ? 0 : db_fail(db, code, pragma, e);
}

static void disconnect(struct db *db) {
    while (db->queries) {
        struct query *q = db->queries;
        db->queries = q->next;
        query_free(q);
    }
    sqlite3_close(db->handle);
    db->handle = NULL;
}

/* SQLite takes ":memory:" and, as Debian builds it, "file:..." for something else than a file; with
 * a folder in front it is a file's name. */
static int open_file(const char *path, int flags, sqlite3 **handle) {
    struct buf name = {0};
    buf_fmt(&name, "%s%s", *path == '/' ? "" : "./", path);
    int code = sqlite3_open_v2(name.data, handle, flags | SQLITE_OPEN_EXRESCODE, NULL);
    buf_release(&name);
    return code;
}

static int connect_to(struct db *db, const char *path, int flags, struct err *e) {
    static const struct {
        int what, value;
    } policy[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0}, /* Debian 12 has it on: runs any address */
    };
    int code = open_file(path, flags, &db->handle);
    if (code != SQLITE_OK)
        return db_fail(db, code, "opening it", e);
    sqlite3_busy_timeout(db->handle, BUSY_MS);
    for (size_t i = 0; i < LENGTH(policy); i++)
        sqlite3_db_config(db->handle, policy[i].what, policy[i].value, (int *)NULL);
    if (sqlfn_register(db->handle) != SQLITE_OK)
        return db_fail(db, SQLITE_ERROR, "registering functions", e);
    return db_exec(db, "policy",
                   "PRAGMA synchronous = EXTRA; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;"
                   "PRAGMA cell_size_check = ON",
                   e);
}

/* Is it ours, and which schema? Reads for the first time: a hot journal shows here. One
 * transaction, for another zhist may just be filling a new file. */
static int inspect(struct db *db, int64_t *version, struct err *e) {
    int64_t id = 0, tables = 0;
    int status = db_exec(db, "reading it", "BEGIN", e) ||
                 db_pragma_int(db, "schema_version", &tables, e) ||
                 db_pragma_int(db, "application_id", &id, e) ||
                 db_pragma_int(db, "user_version", version, e);
    db_rollback(db);
    if (status)
        return -1;
    if (id == 0 && *version == 0 && tables == 0)
        return 0; /* empty: made a moment ago, or never filled */
    if (id != DB_APPLICATION_ID)
        return err_set(e, ERR_FAILED,
                       "\"%s\" is another program's SQLite database, not a zhist history; name "
                       "another file with --db",
                       db->path);
    if (*version > db_schema_version())
        return err_set(e, ERR_FAILED,
                       "history \"%s\" has schema %lld, this zhist knows up to %lld; use a newer "
                       "zhist",
                       db->path, (long long)*version, (long long)db_schema_version());
    return 0;
}

/* Makes the empty file with mode 0640 and the folder's group, as a history that root writes and
 * others read. */
static int make_file(const char *path, bool *made, struct err *e) {
    char *copy = must(strdup(path));
    struct stat folder;
    const char *dir = dirname(copy);
    int status = 0;
    if (stat(dir, &folder))
        status = err_sys(e, errno,
                         "cannot make history \"%s\"; create its folder first, or name another "
                         "file with --db: \"%s\"",
                         path, dir);
    else {
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
        if (fd < 0 && errno == EEXIST)
            *made = false; /* another zhist was faster: the file is its own, not ours to remove */
        else if (fd < 0)
            status = err_sys(e, errno, "cannot make history \"%s\"; name another file with --db",
                             path);
        else if (fchown(fd, (uid_t)-1, folder.st_gid) | fchmod(fd, 0640))
            errno = 0; /* not permitted to give the group: the user's own stays */
        if (fd >= 0)
            close(fd);
    }
    free(copy);
    return status;
}

/* The path before SQLite sees it: its own messages do not name the remedy. */
static int look_at_path(const char *path, enum db_mode mode, bool *made, struct err *e) {
    struct stat st;
    if (stat(path, &st)) {
        if (errno != ENOENT && errno != ENOTDIR)
            return err_sys(e, errno, "cannot open history \"%s\"", path);
        if (mode != DB_CREATE)
            return err_set(e, ERR_FAILED, "there is no history at \"%s\"", path);
        *made = true;
        return make_file(path, made, e);
    }
    if (S_ISDIR(st.st_mode))
        return err_set(e, ERR_FAILED, "history \"%s\" is a directory; name a file with --db", path);
    if (!S_ISREG(st.st_mode))
        return err_set(e, ERR_FAILED, "history \"%s\" is not a regular file", path);
    if (access(path, R_OK))
        return err_sys(e, errno,
                       "cannot read history \"%s\"; read it as its owner, or name another with --db",
                       path);
    return 0;
}

static int refuse_empty(const struct db *db, struct err *e) {
    return err_set(e, ERR_FAILED, "history \"%s\" is empty: nothing was recorded yet", db->path);
}

/* Rolls back a hot journal or migrates for a reader: in place where permitted, else in a copy. */
static int repair_for_reader(struct db *db, struct err *e) {
    const char *path = db->path;
    char *copy = NULL;
    int64_t version = 0;
    bool done = false;
    disconnect(db);
    if (!connect_to(db, path, SQLITE_OPEN_READWRITE, e) && !sqlite3_db_readonly(db->handle, "main"))
        done = !inspect(db, &version, e) &&
               (!version || version == db_schema_version() || !migrate(db, version, e));
    disconnect(db);
    if (!done) {
        if (copy_private(path, &db->private_dir, &copy, e))
            return -1;
        db->in_copy = true;
        if (connect_to(db, copy, SQLITE_OPEN_READWRITE, e) || inspect(db, &version, e) ||
            (version && version != db_schema_version() && migrate(db, version, e))) {
            free(copy);
            return -1;
        }
        disconnect(db);
        db->said.len = 0;
        buf_fmt(&db->said, "\"%s\" %s and may not be written here; reading a private copy", path,
                version == db_schema_version() ? "was left in the middle of a change"
                                               : "has an older schema");
    }
    int status = connect_to(db, copy ? copy : path, SQLITE_OPEN_READONLY, e);
    free(copy);
    if (!status)
        status = inspect(db, &version, e);
    return status ? -1 : version ? 0 : refuse_empty(db, e);
}

static int open_reader(struct db *db, struct err *e) {
    int64_t version = 0;
    /* A hot journal is refused by whatever reads first: that may be the policy's pragmas. */
    if (connect_to(db, db->path, SQLITE_OPEN_READONLY, e) || inspect(db, &version, e)) {
        int primary = e->code & 0xff;
        if (primary != SQLITE_READONLY && primary != SQLITE_CANTOPEN)
            return -1;
        return repair_for_reader(db, e);
    }
    if (version == 0)
        return refuse_empty(db, e);
    return version == db_schema_version() ? 0 : repair_for_reader(db, e);
}

static int open_writer(struct db *db, struct err *e) {
    int64_t version = 0;
    if (connect_to(db, db->path, SQLITE_OPEN_READWRITE, e) || inspect(db, &version, e))
        return -1;
    if (sqlite3_db_readonly(db->handle, "main"))
        return db_fail(db, SQLITE_READONLY, "opening it", e);
    if (version != db_schema_version() && migrate(db, version, e))
        return -1;
    return 0;
}

int db_open(const char *path, enum db_mode mode, struct db **out, struct err *e) {
    struct db *db = must(calloc(1, sizeof *db));
    db->path = must(strdup(path));
    db->mode = mode;
    int status = look_at_path(path, mode, &db->made, e);
    if (!status)
        status = mode == DB_READ ? open_reader(db, e) : open_writer(db, e);
    if (status) {
        struct stat st;
        bool made = db->made;
        db_close(db);
        if (made && !stat(path, &st) && !st.st_size) /* else another zhist has filled it */
            unlink(path);
        return -1;
    }
    db->ready = true;
    *out = db;
    return 0;
}

void db_close(struct db *db) {
    if (!db)
        return;
    disconnect(db);
    if (db->private_dir)
        remove_private(db->private_dir);
    free(db->private_dir);
    buf_release(&db->said);
    free(db->path);
    free(db);
}

const char *db_path(const struct db *db) {
    return db->path;
}

const char *db_said(const struct db *db) {
    return db->said.data;
}

/* ---- the four locks -------------------------------------------------------------------------- */

static int allow(void *arg, int action, const char *one, const char *two, const char *database,
                 const char *trigger) {
    (void)arg, (void)one, (void)database, (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return two && sqlite3_stricmp(two, "load_extension") &&
                       sqlite3_stricmp(two, "fts3_tokenizer")
                   ? SQLITE_OK
                   : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static int over_budget(void *arg) {
    const struct db *db = arg;
    return clock_monotonic_ns() > db->deadline;
}

int db_restrict(struct db *db, int64_t budget_ns, struct err *e) {
    static const struct {
        int id, value;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, 64 << 20},  {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
        {SQLITE_LIMIT_COLUMN, 256},       {SQLITE_LIMIT_EXPR_DEPTH, 300},
        {SQLITE_LIMIT_ATTACHED, 0},       {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
        {SQLITE_LIMIT_WORKER_THREADS, 0}, {SQLITE_LIMIT_VARIABLE_NUMBER, 100},
        /* One LIKE is one step: the time budget cannot stop it. */
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 256},
    };
    /* An eponymous virtual table is made on first use, which the authorizer would refuse. */
    if (db_exec(db, "restricting", "SELECT * FROM json_each('[]')", e))
        return -1;
    for (size_t i = 0; i < LENGTH(limits); i++)
        sqlite3_limit(db->handle, limits[i].id, limits[i].value);
    db->budget = budget_ns;
    db->deadline = clock_monotonic_ns() + budget_ns;
    sqlite3_progress_handler(db->handle, 10000, over_budget, db);
    sqlite3_set_authorizer(db->handle, allow, db);
    return 0;
}

/* ---- transactions, copies, soundness ----------------------------------------------------------- */

int db_begin(struct db *db, struct err *e) {
    if (!db->depth && db_exec(db, "begin", "BEGIN IMMEDIATE", e))
        return -1;
    db->depth++;
    return 0;
}

int db_commit(struct db *db, struct err *e) {
    if (db->depth > 1) {
        db->depth--;
        return 0;
    }
    db->depth = 0;
    int64_t until = clock_monotonic_ns() + COMMIT_MS * INT64_C(1000000);
    int code;
    /* A reader's lock makes COMMIT answer BUSY and leaves the transaction open. */
    do
        code = sqlite3_exec(db->handle, "COMMIT", NULL, NULL, NULL);
    while ((code & 0xff) == SQLITE_BUSY && clock_monotonic_ns() < until);
    if (code == SQLITE_OK)
        return 0;
    db_fail(db, code, "commit", e);
    db_rollback(db);
    return -1;
}

void db_rollback(struct db *db) {
    db->depth = 0;
    if (!sqlite3_get_autocommit(db->handle))
        sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

static int copy_pages(struct db *db, sqlite3 *to) {
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", db->handle, "main");
    if (!backup)
        return sqlite3_errcode(to);
    sqlite3_backup_step(backup, -1);
    return sqlite3_backup_finish(backup);
}

int db_backup(struct db *db, const char *to, struct err *e) {
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd < 0)
        return err_sys(e, errno, "cannot make the copy \"%s\"", to);
    close(fd);
    sqlite3 *copy = NULL;
    int code = open_file(to, SQLITE_OPEN_READWRITE, &copy);
    if (code == SQLITE_OK)
        code = copy_pages(db, copy);
    const char *why = sqlite3_errstr(code);
    sqlite3_close(copy);
    if (code == SQLITE_OK)
        return 0;
    unlink(to);
    return err_set(e, ERR_FAILED, "cannot write the copy \"%s\": %s", to, why);
}

static int collect(struct db *db, const char *pragma, struct buf *report, struct err *e) {
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db->handle, pragma, -1, &stmt, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(stmt);
        if (code != SQLITE_ROW)
            break;
        const char *text = (const char *)sqlite3_column_text(stmt, 0);
        if (text && strcmp(text, "ok"))
            buf_fmt(report, "%s\n", text);
    }
    if ((code & 0xff) == SQLITE_CORRUPT) { /* too damaged to be looked through: that is an answer */
        buf_fmt(report, "%s\n", sqlite3_errmsg(db->handle));
        code = SQLITE_DONE;
    }
    sqlite3_finalize(stmt);
    return code == SQLITE_DONE ? 0 : db_fail(db, code, pragma, e);
}

int db_integrity(struct db *db, struct buf *report, struct err *e) {
    if (collect(db, "PRAGMA integrity_check", report, e) ||
        collect(db, "SELECT ifnull('row ' || rowid, 'a row') || ' of ' || [table] || ' points to a missing row of '"
                    " || parent FROM pragma_foreign_key_check",
                report, e) ||
        schema_missing(db, report, e))
        return -1;
    return report->len > 0;
}
