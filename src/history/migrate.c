/*
 * migrate.c: sql/migrate/0001.sql, 0002.sql ... : step N takes user_version N-1 to N, each in a
 * transaction of its own; then all views are made anew. And the private copy for readers that may
 * not write. Released steps are frozen.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connection.h"
#include "zhist/embed.h"

int64_t db_schema_version(void) {
    char name[24];
    for (int64_t version = 0;; version++) {
        snprintf(name, sizeof name, "%04lld", (long long)version + 1);
        if (!embedded_find("sql/migrate", name, ".sql"))
            return version;
    }
}

static int remake_views(struct db *db, struct err *e) {
    struct buf drop = {0};
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db->handle, "SELECT name FROM sqlite_schema WHERE type = 'view'",
                                  -1, &stmt, NULL);
    while (code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        char *sql = must(sqlite3_mprintf("DROP VIEW \"%w\";", sqlite3_column_text(stmt, 0)));
        buf_str(&drop, sql);
        sqlite3_free(sql);
    }
    sqlite3_finalize(stmt);
    int status = code == SQLITE_OK ? 0 : db_fail(db, code, "views", e);
    if (!status && drop.len)
        status = db_exec(db, "views", drop.data, e);
    buf_release(&drop);
    const struct embedded *views = embedded_find("sql", "views", ".sql");
    return status ? -1 : db_exec(db, "sql/views.sql", views->text, e);
}

static int step(struct db *db, int64_t to, struct err *e) {
    char name[24], sql[160];
    int64_t now;
    snprintf(name, sizeof name, "%04lld", (long long)to);
    const struct embedded *script = embedded_find("sql/migrate", name, ".sql");
    if (db_exec(db, "migration", "BEGIN EXCLUSIVE", e))
        return -1;
    if (db_pragma_int(db, "user_version", &now, e)) {
        db_rollback(db);
        return -1;
    }
    if (now >= to) /* another zhist was faster */
        return db_exec(db, "migration", "COMMIT", e);
    snprintf(sql, sizeof sql, "PRAGMA user_version = %lld; PRAGMA application_id = %d;",
             (long long)to, DB_APPLICATION_ID);
    if (db_exec(db, script->path, script->text, e) || db_exec(db, script->path, sql, e) ||
        (to == db_schema_version() && remake_views(db, e)) ||
        db_exec(db, script->path, "COMMIT", e)) {
        db_rollback(db);
        return -1;
    }
    return 0;
}

/* A copy that was killed half-way is empty, or has its journal beside it: it does not count. */
static bool is_whole(const char *path) {
    struct buf journal = {0};
    struct stat st;
    buf_fmt(&journal, "%s-journal", path);
    bool whole = !stat(path, &st) && st.st_size && access(journal.data, F_OK);
    buf_release(&journal);
    return whole;
}

/* A copy of the schema before, under the first name that is free; or the one that is there. */
static int keep_former(struct db *db, int64_t from, struct buf *copy, struct err *e) {
    for (int i = 1;; i++) {
        copy->len = 0;
        buf_fmt(copy, "%s.schema-%lld", db->path, (long long)from);
        if (i > 1)
            buf_fmt(copy, ".%d", i);
        if (is_whole(copy->data))
            return 0;
        if (access(copy->data, F_OK))
            return db_backup(db, copy->data, e);
    }
}

int migrate(struct db *db, int64_t from, struct err *e) {
    if (from > 0 && !db->in_copy) {
        struct buf copy = {0};
        int status = keep_former(db, from, &copy, e);
        if (!status)
            buf_fmt(&db->said, "history brought from schema %lld to %lld; the former one is \"%s\"",
                    (long long)from, (long long)db_schema_version(), copy.data);
        buf_release(&copy);
        if (status)
            return -1;
    }
    for (int64_t to = from + 1; to <= db_schema_version(); to++)
        if (step(db, to, e))
            return -1;
    return 0;
}

/* ---- is all of it there? ------------------------------------------------------------------------- */

static int make_all(struct db *db, struct err *e) {
    char name[24];
    for (int64_t step = 1; step <= db_schema_version(); step++) {
        snprintf(name, sizeof name, "%04lld", (long long)step);
        if (db_exec(db, name, embedded_find("sql/migrate", name, ".sql")->text, e))
            return -1;
    }
    return remake_views(db, e);
}

static int compare_schemas(struct db *want, struct db *have, struct buf *report, struct err *e) {
    sqlite3_stmt *each = NULL, *find = NULL;
    int code = sqlite3_prepare_v2(want->handle,
                                  "SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL", -1,
                                  &each, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(have->handle,
                                  "SELECT 1 FROM sqlite_schema WHERE type = ?1 AND name = ?2", -1,
                                  &find, NULL);
    while (code == SQLITE_OK && sqlite3_step(each) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(each, 0);
        const char *name = (const char *)sqlite3_column_text(each, 1);
        sqlite3_bind_text(find, 1, type, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(find, 2, name, -1, SQLITE_TRANSIENT);
        if (sqlite3_step(find) != SQLITE_ROW)
            buf_fmt(report, "%s %s is missing\n", type, name);
        code = sqlite3_reset(find);
    }
    sqlite3_finalize(each);
    sqlite3_finalize(find);
    return code == SQLITE_OK ? 0 : db_fail(have, code, "comparing the schema", e);
}

int schema_missing(struct db *db, struct buf *report, struct err *e) {
    struct db fresh = {.path = db->path};
    int code = sqlite3_open_v2(":memory:", &fresh.handle,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL);
    int status = code == SQLITE_OK ? make_all(&fresh, e) : db_fail(&fresh, code, "memory", e);
    if (!status)
        status = compare_schemas(&fresh, db, report, e);
    sqlite3_close(fresh.handle);
    return status;
}

/* ---- a reader's private copy ------------------------------------------------------------------- */

static int copy_file(const char *from, const char *to, bool may_miss, struct err *e) {
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return may_miss && errno == ENOENT ? 0 : err_sys(e, errno, "cannot read \"%s\"", from);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int status = out < 0 ? err_sys(e, errno, "cannot make \"%s\"", to) : 0;
    static const size_t piece = 1 << 16;
    char *bytes = must(malloc(piece));
    ssize_t got = 0;
    while (!status && (got = read(in, bytes, piece)) > 0)
        for (ssize_t done = 0, put; !status && done < got; done += put > 0 ? put : 0)
            if ((put = write(out, bytes + done, (size_t)(got - done))) < 0 && errno != EINTR)
                status = err_sys(e, errno, "cannot write \"%s\"", to);
    if (!status && got < 0)
        status = err_sys(e, errno, "cannot read \"%s\"", from);
    free(bytes);
    close(in);
    if (out >= 0)
        close(out);
    return status;
}

static const char *const endings[] = {"", "-journal", "-wal"};

/* File, journal and log as they are now; what is missing is all zero. */
static void look_at(const char *path, struct stat st[LENGTH(endings)]) {
    struct buf name = {0};
    for (size_t i = 0; i < LENGTH(endings); i++) {
        name.len = 0;
        buf_fmt(&name, "%s%s", path, endings[i]);
        if (stat(name.data, &st[i]))
            memset(&st[i], 0, sizeof st[i]);
    }
    buf_release(&name);
}

static bool same(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int copy_all(const char *path, const char *dir, struct err *e) {
    struct buf from = {0}, to = {0};
    int status = 0;
    for (size_t i = 0; i < LENGTH(endings) && !status; i++) {
        from.len = to.len = 0;
        buf_fmt(&from, "%s%s", path, endings[i]);
        buf_fmt(&to, "%s/history.db%s", dir, endings[i]);
        unlink(to.data); /* of the attempt before */
        status = copy_file(from.data, to.data, i > 0, e);
    }
    buf_release(&from);
    buf_release(&to);
    return status;
}

int copy_private(const char *path, char **dir, char **copy, struct err *e) {
    const char *tmp = getenv("TMPDIR");
    struct buf name = {0}, to = {0};
    buf_fmt(&name, "%s/zhist-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(name.data)) {
        int status = err_sys(e, errno, "cannot make a private folder \"%s\"", name.data);
        buf_release(&name);
        return status;
    }
    *dir = name.data;
    char *real = realpath(path, NULL); /* behind a link: the journal lies beside the file itself */
    if (!real)
        return err_sys(e, errno, "cannot find history \"%s\"", path);
    /* No lock can be had on a file with a hot journal: a writer that rolls it back between our
     * reading of the one and the other would leave us half of each. */
    enum { ATTEMPTS = 20 };
    struct stat before[LENGTH(endings)], after[LENGTH(endings)];
    bool still = false;
    int status = 0;
    for (int i = 0; i < ATTEMPTS && !still && !status; i++) {
        look_at(real, before);
        status = copy_all(real, name.data, e);
        look_at(real, after);
        still = same(&before[0], &after[0]) && same(&before[1], &after[1]) &&
                same(&before[2], &after[2]);
    }
    free(real);
    if (status)
        return -1;
    if (!still)
        return err_set(e, ERR_FAILED,
                       "history \"%s\" cannot be copied to be read: another program keeps changing "
                       "it; try again when it has finished",
                       path);
    buf_fmt(&to, "%s/history.db", name.data);
    *copy = to.data;
    return 0;
}

void remove_private(const char *dir) {
    DIR *d = opendir(dir);
    if (!d)
        return;
    for (const struct dirent *entry; (entry = readdir(d));)
        if (!strncmp(entry->d_name, "history.db", 10))
            unlinkat(dirfd(d), entry->d_name, 0);
    closedir(d);
    rmdir(dir);
}
