/*
 * unit_history.c: the door to SQLite: opening in every state, our policy, hot journals, migrations
 * (a future one is simulated), the four locks against attacks that work without them, nesting,
 * copies, damage. What is stored: unit_store.c; our SQL functions: unit_sqlfn.c.
 */
#include "check.h"

#include "../src/history/connection.h"
#include "zhist/embed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOBODY = 65534, PATH = 600 };
int setgroups(size_t n, const gid_t *groups); /* glibc hides it from POSIX programs */

static char dir[256], tmp[PATH];
static struct arena memory;
static struct err e;

/* ---- a future schema: this test answers for the embedded files ----------------------------------- */

static const char *next_step; /* the text of 0002.sql; NULL: there is none */

const struct embedded *embedded_find(const char *folder, const char *name, const char *ending) {
    static struct embedded future = {"sql/migrate/0002.sql", NULL, 0};
    char path[128];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    if (next_step && !strcmp(path, future.path)) {
        future.text = next_step;
        return &future;
    }
    for (size_t i = 0; i < n_embedded_files; i++)
        if (!strcmp(embedded_files[i].path, path))
            return &embedded_files[i];
    return NULL;
}

/* ---- helpers --------------------------------------------------------------------------------- */

static char *in(const char *name) {
    return arena_fmt(&memory, "%s/%s", dir, name);
}

static int says(const char *text, const char *part) {
    if (text && strstr(text, part))
        return 1;
    printf("#   said: %s\n", text ? text : "(nothing)");
    return 0;
}

static int there(const char *path) {
    struct stat st;
    return !lstat(path, &st);
}

static long long size_of(const char *path) {
    struct stat st;
    return stat(path, &st) ? -1 : (long long)st.st_size;
}

/* How many directories lie in it. */
static int folders_in(const char *path) {
    struct stat st;
    return stat(path, &st) ? -1 : (int)st.st_nlink - 2;
}

static void put(const char *path, const char *bytes, size_t len) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
        printf("# cannot write %s\n", path);
    close(fd);
}

/* By other means than ours: plain SQLite. NULL: it failed, and the test says why. */
static const char *raw(const char *path, const char *sql) {
    sqlite3 *handle = NULL;
    sqlite3_stmt *stmt = NULL;
    const char *answer = "", *at = sql;
    int code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    while (code == SQLITE_OK && *at && !(code = sqlite3_prepare_v2(handle, at, -1, &stmt, &at))) {
        if (!stmt)
            break;
        if ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
            const char *text = (const char *)sqlite3_column_text(stmt, 0);
            answer = text ? arena_str(&memory, text) : "NULL";
            while ((code = sqlite3_step(stmt)) == SQLITE_ROW)
                ;
        }
        sqlite3_finalize(stmt);
        code = code == SQLITE_DONE ? SQLITE_OK : code;
    }
    if (code != SQLITE_OK) {
        printf("# %s: %s\n", sql, sqlite3_errmsg(handle));
        answer = NULL;
    }
    sqlite3_close(handle);
    return answer;
}

/* The first value of a query through our door, as text; NULL: it failed, see e. */
static const char *ask(struct db *db, const char *sql) {
    struct query *q;
    e.text[0] = '\0';
    if (!db || db_query_text(db, "test", sql, &q, &e))
        return NULL;
    const char *answer = NULL;
    int status = query_step(q, &e);
    if (!status)
        answer = "no row";
    if (status == 1) {
        struct value v = query_value(q, 0);
        answer = v.kind == VALUE_NULL   ? "NULL"
                 : v.kind == VALUE_INT  ? arena_fmt(&memory, "%lld", (long long)v.i)
                 : v.kind == VALUE_REAL ? arena_fmt(&memory, "%.17g", v.r)
                                        : arena_str(&memory, v.text);
        if (query_run(q, &e))
            answer = NULL;
    }
    query_free(q);
    return answer;
}

static int fails(struct db *db, const char *sql) {
    int code = db ? sqlite3_exec(db->handle, sql, NULL, NULL, NULL) : 0;
    if (code == SQLITE_OK)
        printf("# went through: %s\n", sql);
    return code;
}

static struct db *opened(const char *path, enum db_mode mode) {
    struct db *db = NULL;
    if (db_open(path, mode, &db, &e))
        printf("# %s\n", e.text);
    return db;
}

static int refused(const char *path, enum db_mode mode, const char *part) {
    struct db *db = NULL;
    if (db_open(path, mode, &db, &e) == 0) {
        db_close(db);
        return 0;
    }
    return db == NULL && says(e.text, part);
}

/* A history with something in it: rows large enough to fill many pages. */
static char *populated(const char *name) {
    char *path = in(name);
    db_close(opened(path, DB_CREATE));
    raw(path, "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
              "INSERT INTO profile(digest, name, text) "
              "SELECT hex(randomblob(32)), 'p' || i, hex(randomblob(8000)) FROM n");
    return path;
}
#define COMMITTED "SELECT count(*) || ' ' || sum(length(text)) FROM profile"
#define COMMITTED_IS "40 640000"

/* The result of work() in a child, as nobody where we are root. */
static int in_child(int (*work)(const char *), const char *arg, bool as_nobody) {
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        if (as_nobody && geteuid() == 0 &&
            (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
            _exit(99);
        int status = work(arg);
        fflush(stdout);
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- opening ----------------------------------------------------------------------------------- */

static void test_states(void) {
    struct db *db;
    static const char garbage[] = "this is not a database, but it is long enough to have a header of "
                                  "one hundred bytes, which is where SQLite looks at first of all.";
    CHECK("reading what is not there is refused",
          refused(in("no.db"), DB_READ, "there is no history at"));
    CHECK("changing what is not there is refused",
          refused(in("no.db"), DB_CHANGE, "there is no history at"));
    CHECK("and nothing was made", !there(in("no.db")));
    CHECK("a missing folder is refused with the remedy",
          refused(in("no/h.db"), DB_CREATE, "create its folder first") && !there(in("no")));
    CHECK("a directory is refused", refused(dir, DB_CREATE, "is a directory"));
    mkfifo(in("fifo"), 0600);
    CHECK("a FIFO is refused and does not hang",
          refused(in("fifo"), DB_READ, "is not a regular file"));
    put(in("text.db"), garbage, sizeof garbage);
    CHECK("another file is refused", refused(in("text.db"), DB_READ, "is not a SQLite database"));
    CHECK("for writing too", refused(in("text.db"), DB_CREATE, "is not a SQLite database"));
    CHECK("and is left as it is", size_of(in("text.db")) == (long long)sizeof garbage);

    put(in("empty.db"), "", 0);
    CHECK("an empty file cannot be read", refused(in("empty.db"), DB_READ, "is empty"));
    CHECK("it was not filled by that", size_of(in("empty.db")) == 0);
    db = opened(in("empty.db"), DB_CREATE);
    CHECK("but it can be recorded into", db && !db_said(db));
    db_close(db);
    db = opened(in("empty.db"), DB_READ);
    CHECK("and then read", db && !strcmp(ask(db, "SELECT count(*) FROM run"), "0"));
    db_close(db);

    raw(in("other.db"), "CREATE TABLE t(x); INSERT INTO t VALUES (1)");
    CHECK("another program's database is refused",
          refused(in("other.db"), DB_CREATE, "another program's SQLite database"));
    CHECK("for reading too", refused(in("other.db"), DB_READ, "another program's"));
    CHECK_TEXT("and left as it is", raw(in("other.db"), "SELECT group_concat(name) FROM sqlite_schema"),
               "t");
    raw(in("marked.db"), "PRAGMA application_id = 1");
    CHECK("also when it is empty but marked", refused(in("marked.db"), DB_CREATE, "another program's"));

    char *newer = populated("newer.db");
    raw(newer, "PRAGMA user_version = 99");
    CHECK("a newer schema is refused with both numbers",
          refused(newer, DB_CHANGE, "has schema 99, this zhist knows up to 1"));
    CHECK("for reading too", refused(newer, DB_READ, "has schema 99"));

    char *zero = populated("zero.db");
    raw(zero, "PRAGMA user_version = 0");
    CHECK("a populated file that says version 0 is not filled again",
          refused(zero, DB_CHANGE, "already exists"));
    CHECK_TEXT("nothing in it was destroyed", raw(zero, COMMITTED), COMMITTED_IS);

    char *cut = populated("cut.db");
    if (truncate(cut, size_of(cut) / 2))
        printf("# truncate\n");
    int status = db_open(cut, DB_READ, &db, &e);
    struct buf report = {0};
    if (!status) {
        status = db_integrity(db, &report, &e);
        db_close(db);
        CHECK("a truncated file is found out by the check", status == 1 && report.len);
    } else {
        CHECK("a truncated file is refused as damaged", says(e.text, "damaged"));
    }
    buf_release(&report);
    if (truncate(cut, 700))
        printf("# truncate\n");
    CHECK("a file cut within its first page is refused", db_open(cut, DB_READ, &db, &e) == -1);
    CHECK("with a remedy that works", says(e.text, ".recover"));
}

/* Debian's SQLite would take these for something else than a file. */
static void test_odd_names(void) {
    static const char *const odd[] = {":memory:", "file:odd.db?mode=memory", "a b%20c#d.db", "-x.db"};
    char before[PATH];
    if (!getcwd(before, sizeof before) || chdir(dir))
        return;
    for (size_t i = 0; i < LENGTH(odd); i++) {
        struct db *db = opened(odd[i], DB_CREATE);
        CHECK("an odd name is a file's name", db && size_of(odd[i]) > 4096);
        CHECK("it can be copied to another", db && !db_backup(db, "file:copy.db", &e) &&
                                                 size_of("file:copy.db") > 4096);
        db_close(db);
        unlink("file:copy.db");
    }
    CHECK("no other file came of it", !there("odd.db") && !there("copy.db"));
    if (chdir(before))
        return;
}

static int make_history(const char *path) {
    struct db *db;
    if (db_open(path, DB_CREATE, &db, &e)) {
        printf("# %s\n", e.text);
        return 1;
    }
    db_close(db);
    return 0;
}

static void test_mode(void) {
    struct stat st, folder;
    char *sub = in("shared"), *path = in("shared/h.db");
    mkdir(sub, 0770);
    if (geteuid() == 0 && chown(sub, (uid_t)-1, NOBODY))
        printf("# chown\n");
    mode_t before = umask(077);
    int status = make_history(path);
    umask(before);
    CHECK("made under umask 077", !status && !stat(path, &st) && !stat(sub, &folder));
    CHECK("a new history is 0640 all the same", (st.st_mode & 07777) == 0640);
    CHECK("and has its folder's group", st.st_gid == folder.st_gid);
    chmod(path, 0604);
    umask(0);
    CHECK("made again", !make_history(path) && !stat(path, &st));
    CHECK("the mode of an existing file is left alone", (st.st_mode & 07777) == 0604);
    struct db *db = opened(path, DB_CHANGE);
    CHECK("a copy is no more open than a new one",
          !db_backup(db, in("shared/copy"), &e) && !stat(in("shared/copy"), &st) &&
              (st.st_mode & 07777) == 0640);
    db_close(db);
    umask(before);

    chmod(dir, 0755);
    mkdir(in("nobodys"), 0755);
    if (geteuid()) {
        SKIP("where the group may not be given, the mode is 0640 all the same", "needs root");
        return;
    }
    /* A folder of a group that nobody is not in. */
    if (chown(in("nobodys"), NOBODY, 0))
        printf("# chown\n");
    before = umask(077);
    status = in_child(make_history, in("nobodys/h.db"), true);
    umask(before);
    CHECK("where the group may not be given, the mode is 0640 all the same",
          !status && !stat(in("nobodys/h.db"), &st) && (st.st_mode & 07777) == 0640 &&
              st.st_gid == NOBODY);
}

static void test_race(void) {
    enum { RACERS = 8, ROUNDS = 5 };
    int lost = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char *path = in(arena_fmt(&memory, "race%d.db", round));
        int gate[2];
        if (pipe(gate))
            return;
        fflush(stdout);
        for (int i = 0; i < RACERS; i++)
            if (!fork()) {
                char c;
                close(gate[1]);
                if (read(gate[0], &c, 1) < 0) /* until the parent closes it: all at once */
                    _exit(98);
                int status = make_history(path);
                fflush(stdout);
                _exit(status);
            }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0, status; i < RACERS; i++)
            lost += wait(&status) < 0 || status != 0;
        lost += strcmp(raw(path, "PRAGMA user_version"), "1") != 0;
    }
    CHECK("many that make the same history at once all have it", lost == 0);
}

/* ---- policy -------------------------------------------------------------------------------------- */

static void test_policy(void) {
    char *path = populated("policy.db");
    raw(path, "CREATE TABLE extra(x); CREATE TRIGGER bad AFTER INSERT ON extra "
              "BEGIN DELETE FROM profile; END; INSERT INTO profile(digest, name, text) "
              "VALUES (hex(randomblob(32)), 'x', ''); DELETE FROM profile WHERE name = 'x'");
    struct db *db = opened(path, DB_CHANGE);
    static const struct {
        const char *pragma, *value;
    } want[] = {
        {"PRAGMA foreign_keys", "1"}, {"PRAGMA trusted_schema", "0"}, {"PRAGMA synchronous", "3"},
        {"PRAGMA busy_timeout", "10000"},
        {"PRAGMA temp_store", "2"}, {"PRAGMA mmap_size", "0"}, {"PRAGMA cell_size_check", "1"},
    };
    for (size_t i = 0; i < LENGTH(want); i++)
        CHECK_TEXT(want[i].pragma, ask(db, want[i].pragma), want[i].value);
    CHECK_TEXT("a rollback journal", raw(path, "PRAGMA journal_mode"), "delete");
    CHECK("extended result codes",
          fails(db, "INSERT INTO label VALUES (1, 'a', NULL)") == SQLITE_CONSTRAINT_NOTNULL);
    CHECK("a double-quoted string is no string", fails(db, "SELECT \"nonsense\"") == SQLITE_ERROR);
    CHECK("nor in a definition",
          fails(db, "CREATE TABLE x(a TEXT DEFAULT \"nonsense\", CHECK (a <> \"other\"))"));
    CHECK("the schema table cannot be written",
          fails(db, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''"));
    CHECK("rows that point nowhere are refused",
          fails(db, "INSERT INTO label VALUES (4711, 'a', 'b')") == SQLITE_CONSTRAINT_FOREIGNKEY);
    CHECK("a trigger in the file does not run",
          sqlite3_exec(db->handle, "INSERT INTO extra VALUES (1)", NULL, NULL, NULL) == SQLITE_OK);
    CHECK_TEXT("nothing was deleted by it", ask(db, COMMITTED), COMMITTED_IS);
    CHECK("no library can be loaded", ask(db, "SELECT load_extension('x')") == NULL &&
                                          says(e.text, "not authorized"));
    CHECK("no tokenizer can be registered by address",
          fails(db, "SELECT fts3_tokenizer('t', x'4141414141414141')"));
    db_close(db);
    raw(path, "CREATE VIEW v_bad AS SELECT fts3_tokenizer('simple') AS x");
    db = opened(path, DB_READ);
    CHECK("a view of the file may use nothing dangerous", ask(db, "SELECT x FROM v_bad") == NULL);
    CHECK("a reader cannot write", fails(db, "DELETE FROM profile") == SQLITE_READONLY);
    db_close(db);
}

/* ---- statements ---------------------------------------------------------------------------------- */

static void test_statements(void) {
    char *path = populated("statements.db");
    struct db *db = opened(path, DB_CHANGE), *reader = opened(path, DB_READ);
    struct query *q;
    int bad = 0, n = 0;
    if (db_restrict(reader, 60 * NS_PER_S, &e))
        printf("# %s\n", e.text);
    for (size_t i = 0; i < n_embedded_files; i++) {
        const struct embedded *f = &embedded_files[i];
        const char *slash = strrchr(f->path, '/');
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
        bool show = !strncmp(f->path, "sql/show/", 9), report = !strncmp(f->path, "reports/", 8);
        int status = 0;
        if (show || !strncmp(f->path, "sql/store/", 10))
            status = db_query(db, name, &q, &e), n++;
        if (!status && show)
            status = db_query(reader, name, &q, &e);
        if (!status && report) {
            status = db_query_text(reader, name, f->text, &q, &e), n++;
            if (!status) {
                status = query_run(q, &e); /* all parameters NULL, in an empty history */
                query_free(q);
            }
        }
        if (status)
            bad++, printf("# %s: %s\n", f->path, e.text);
    }
    CHECK("every statement of sql/store, sql/show and reports prepares", bad == 0 && n > 30);
    CHECK("an unknown name", db_query(db, "insert_nothing", &q, &e) == -1 &&
                                 says(e.text, "there is no statement \"insert_nothing\""));
    CHECK("the name is no path", db_query(db, "../views", &q, &e) == -1);
    CHECK("an unknown parameter is told at the step",
          !db_query(db, "set_note", &q, &e) && (query_int(q, "rum", 1), query_text(q, "value", "x"),
                                                query_run(q, &e) == -1) &&
              says(e.text, "set_note: parameter \"rum\" cannot be bound"));
    CHECK("the next use of the statement is not touched by that",
          !db_query(db, "set_note", &q, &e) && (query_int(q, "run", 1), query_run(q, &e) == 0));
    CHECK("query_has", query_has(q, "run") && !query_has(q, "rum") && !query_has(q, ""));
    static const char *const two[] = {"SELECT 1; SELECT 2", "SELECT 1;; SELECT 2", "SELECT 1; garbage",
                                      "SELECT 1;/* c */ DELETE FROM profile -- x"};
    for (size_t i = 0; i < LENGTH(two); i++)
        CHECK("text after the first statement",
              db_query_text(db, "test", two[i], &q, &e) == -1 && e.kind == ERR_USAGE &&
                  says(e.text, "only one statement"));
    CHECK_TEXT("blanks and comments may follow", ask(db, "SELECT 1 ; -- end\n /* more */ \n"), "1");
    CHECK("no statement at all", ask(db, " -- nothing\n") == NULL && says(e.text, "no statement"));
    CHECK("a mistake is the report's", ask(db, "SELECT nonsense FROM run") == NULL &&
                                           e.kind == ERR_USAGE && says(e.text, "test: no such column"));
    CHECK("a text of ours cannot write", ask(db, "DELETE FROM profile RETURNING 1") == NULL &&
                                             says(e.text, "only SELECT"));
    CHECK_TEXT("values keep their kinds", ask(db, "SELECT 9223372036854775807"),
               "9223372036854775807");
    db_close(reader);
    db_close(db);
}

/* ---- hot journals, copies ------------------------------------------------------------------------ */

/* Dies in the middle of a change, when its journal is on disk and pages were overwritten. */
static int die_writing(const char *path) {
    sqlite3 *handle;
    sqlite3_open(path, &handle);
    sqlite3_exec(handle, "PRAGMA cache_size = 5; PRAGMA cache_spill = 5; BEGIN IMMEDIATE; "
                         "UPDATE profile SET text = 'lost'; "
                         "INSERT INTO profile SELECT NULL, hex(randomblob(32)), 'y', "
                         "hex(randomblob(9000)) FROM profile",
                 NULL, NULL, NULL);
    kill(getpid(), SIGKILL);
    return 0;
}

static int read_in_copy(const char *path) {
    struct db *db = opened(path, DB_READ);
    if (!db)
        return 1;
    const char *got = ask(db, COMMITTED);
    int status = !got ? 2 : strcmp(got, COMMITTED_IS) ? 3 : !says(db_said(db), "private copy") ? 4 : 0;
    if (!status && folders_in(tmp) != 1)
        status = 5;
    if (!status && db_restrict(db, NS_PER_S, &e))
        status = 6;
    db_close(db);
    if (!status && folders_in(tmp))
        status = 7; /* the copy is still there */
    return status;
}

static int cannot_read_in_copy(const char *path) {
    struct db *db;
    return db_open(path, DB_READ, &db, &e) == 0 ? 1 : !says(e.text, "cannot read") || folders_in(tmp) != 0;
}

/* Where we are not root it is us who may not write. */
static void forbid(const char *folder, const char *file, bool forbidden) {
    chmod(file, geteuid() && forbidden ? 0444 : 0644);
    chmod(folder, geteuid() && forbidden ? 0555 : 0755);
}

static void test_hot_journal(void) {
    mkdir(in("hot"), 0755);
    char *path = populated("hot/h.db"), *journal = in("hot/h.db-journal");
    chmod(path, 0644);
    CHECK("the writer was killed", in_child(die_writing, path, false) == 128 + SIGKILL);
    CHECK("its journal is hot", size_of(journal) > 4096);
    long long size = size_of(path), journal_size = size_of(journal);
    forbid(in("hot"), path, true);
    CHECK("a reader who may not write sees what was committed",
          in_child(read_in_copy, path, true) == 0);
    char *link = in("link-to-hot.db");
    if (symlink(path, link))
        printf("# symlink\n");
    CHECK("behind a link too, where the journal lies elsewhere", !in_child(read_in_copy, link, true));
    CHECK("file and journal are as they were",
          size_of(path) == size && size_of(journal) == journal_size);
    chmod(journal, 0600);
    if (geteuid() == 0)
        CHECK("without the journal nothing is guessed", !in_child(cannot_read_in_copy, path, true));
    else
        SKIP("without the journal nothing is guessed", "the journal is ours to read");
    forbid(in("hot"), path, false);
    struct db *db = opened(path, DB_READ);
    CHECK("a reader who may write rolls back", db && !db_said(db));
    CHECK_TEXT("and sees what was committed", ask(db, COMMITTED), COMMITTED_IS);
    CHECK("the journal is gone", !there(journal));
    CHECK("it is a reader all the same", fails(db, "DELETE FROM profile") == SQLITE_READONLY);
    db_close(db);
    in_child(die_writing, path, false);
    CHECK("hot again", size_of(journal) > 4096);
    db = opened(path, DB_CHANGE);
    CHECK_TEXT("a writer rolls back too", ask(db, COMMITTED), COMMITTED_IS);
    db_close(db);
    CHECK_TEXT("and leaves a sound file", raw(path, "PRAGMA integrity_check"), "ok");
}

static int gate; /* closed at its other end: it is over */

/* Reads again and again while another dies writing and a third rolls back. */
static int read_often(const char *path) {
    int right = 0, wrong = 0;
    char c;
    fcntl(gate, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 100000 && read(gate, &c, 1) != 0; i++) {
        struct db *db = NULL;
        if (db_open(path, DB_READ, &db, &e))
            continue; /* it may fail, */
        const char *got = ask(db, COMMITTED);
        right += got && !strcmp(got, COMMITTED_IS);
        if (got && strcmp(got, COMMITTED_IS)) {
            printf("# %s%s\n", got, db_said(db) ? ", from a copy" : "");
            wrong++; /* but not tell what never was */
        }
        if (!got && strstr(e.text, "damaged"))
            wrong++, printf("# %s\n", e.text);
        db_close(db);
        struct arena none = {0};
        arena_release(&memory);
        memory = none;
    }
    return wrong ? 1 : right ? 0 : 2;
}

static void test_reading_on(void) {
    int ends[2];
    mkdir(in("on"), 0755);
    char *path = populated("on/h.db");
    if (geteuid()) {
        SKIP("a copy is never torn by those who write meanwhile", "needs root, to be two users");
        return;
    }
    if (pipe(ends))
        return;
    mode_t before = umask(022);
    chmod(path, 0644);
    fflush(stdout);
    pid_t reader = fork();
    if (!reader) {
        gate = ends[0];
        close(ends[1]);
        char *mine = strdup(path);
        if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
            _exit(99);
        int status = read_often(mine);
        fflush(stdout);
        _exit(status);
    }
    close(ends[0]);
    int failed = 0, status = 0;
    for (int i = 0; i < 25; i++) {
        failed += in_child(die_writing, path, false) != 128 + SIGKILL;
        struct timespec pause = {0, 3 * 1000 * 1000};
        nanosleep(&pause, NULL);
        struct db *db = opened(path, DB_CHANGE);
        failed += !db;
        db_close(db);
    }
    close(ends[1]);
    waitpid(reader, &status, 0);
    umask(before);
    CHECK("a copy is never torn by those who write meanwhile", !failed && status == 0);
}

static int die_in_wal(const char *path) {
    sqlite3 *handle;
    sqlite3_open(path, &handle);
    sqlite3_exec(handle, "PRAGMA wal_autocheckpoint = 0; UPDATE profile SET name = 'in the log'", NULL,
                 NULL, NULL);
    kill(getpid(), SIGKILL);
    return 0;
}

static int read_wal(const char *path) {
    struct db *db = opened(path, DB_READ);
    const char *got = db ? ask(db, "SELECT min(name) || ' ' || count(*) FROM profile") : NULL;
    int status = !got || strcmp(got, "in the log 40");
    db_close(db);
    return status;
}

static void test_wal(void) {
    mkdir(in("wal"), 0755);
    char *path = populated("wal/h.db");
    chmod(path, 0644);
    CHECK_TEXT("somebody made it WAL", raw(path, "PRAGMA journal_mode = WAL"), "wal");
    struct db *db = opened(path, DB_CHANGE);
    CHECK_TEXT("which is honoured", raw(path, "PRAGMA journal_mode"), "wal");
    CHECK("and written", !db_begin(db, &e) && !db_exec(db, "t", "UPDATE profile SET name = 'w'", &e) &&
                             !db_commit(db, &e));
    db_close(db);
    CHECK("a log is left by one who was killed",
          in_child(die_in_wal, path, false) == 128 + SIGKILL && size_of(in("wal/h.db-wal")) > 0);
    unlink(in("wal/h.db-shm"));
    forbid(in("wal"), path, true);
    CHECK("it is read by one who may not write", in_child(read_wal, path, true) == 0);
    forbid(in("wal"), path, false);
    CHECK("and by one who may", read_wal(path) == 0);
    raw(path, "PRAGMA wal_checkpoint(TRUNCATE)");
    CHECK("cleanly closed", !there(in("wal/h.db-wal")) || size_of(in("wal/h.db-wal")) == 0);
    unlink(in("wal/h.db-wal")), unlink(in("wal/h.db-shm"));
    forbid(in("wal"), path, true);
    CHECK("it is read by one who may not write, too", in_child(read_wal, path, true) == 0);
    forbid(in("wal"), path, false);
}

/* ---- migrations ---------------------------------------------------------------------------------- */

static void test_future(void) {
    static const char good[] = "CREATE TABLE added(x INTEGER) STRICT; INSERT INTO added VALUES (42);";
    mkdir(in("future"), 0755);
    char *one = populated("future/one.db"), *two = populated("future/two.db"),
         *three = populated("future/three.db");
    chmod(three, 0644);
    CHECK("this zhist writes schema 1", db_schema_version() == 1);
    next_step = "CREATE TABLE added(x INTEGER) STRICT; DELETE FROM profile; nonsense;";
    CHECK("a step that fails is told by its file", refused(one, DB_CHANGE, "sql/migrate/0002.sql"));
    CHECK_TEXT("and leaves what was there", raw(one, COMMITTED), COMMITTED_IS);
    CHECK_TEXT("nothing of the step", raw(one, "SELECT count(*) FROM sqlite_schema WHERE name = 'added'"),
               "0");
    CHECK_TEXT("the old version", raw(one, "PRAGMA user_version"), "1");
    CHECK("a new file stays at the last step that went well",
          refused(in("future/half.db"), DB_CREATE, "0002") &&
              !strcmp(raw(in("future/half.db"), "PRAGMA user_version"), "1"));
    next_step = good;
    CHECK("the future's schema is 2", db_schema_version() == 2);
    struct db *db = opened(in("future/new.db"), DB_CREATE);
    CHECK_TEXT("a new file goes from 0 to 2 in one go", ask(db, "SELECT x FROM added"), "42");
    CHECK_TEXT("the view is there", ask(db, "SELECT count(*) FROM v_iteration"), "0");
    CHECK("no copy of nothing", !db_said(db) && !there(in("future/new.db.schema-0")));
    db_close(db);
    raw(one, "DROP VIEW v_host; CREATE VIEW v_host AS SELECT 'old' AS host_id; "
             "CREATE VIEW \"v;\"\"odd\" AS SELECT 1");
    db = opened(one, DB_CHANGE);
    CHECK("an old file is brought up, and that is said", db && says(db_said(db), "from schema 1 to 2"));
    CHECK("naming the copy", db && says(db_said(db), "one.db.schema-1"));
    CHECK_TEXT("its data are there", ask(db, COMMITTED), COMMITTED_IS);
    CHECK("all views are made anew", ask(db, "SELECT machine_id FROM v_host") &&
                                         !ask(db, "SELECT * FROM \"v;\"\"odd\""));
    db_close(db);
    CHECK_TEXT("the copy is the former one", raw(in("future/one.db.schema-1"), "PRAGMA user_version"), "1");
    CHECK_TEXT("with everything in it", raw(in("future/one.db.schema-1"), COMMITTED), COMMITTED_IS);
    put(in("future/two.db.schema-1"), "", 0); /* what a kill in the middle of the copy leaves */
    db = opened(two, DB_READ);
    CHECK_TEXT("a copy that was cut off is made again, and not over it",
               raw(in("future/two.db.schema-1.2"), COMMITTED), COMMITTED_IS);
    CHECK("which is told", says(db_said(db), "two.db.schema-1.2"));
    CHECK_TEXT("a reader who may write brings it up too", ask(db, "SELECT x FROM added"), "42");
    CHECK("and stays a reader", fails(db, "DELETE FROM added") == SQLITE_READONLY);
    db_close(db);
    forbid(in("future"), three, true);
    CHECK("one who may not reads a private copy", in_child(read_in_copy, three, true) == 0);
    forbid(in("future"), three, false);
    CHECK_TEXT("the file was left alone", raw(three, "PRAGMA user_version"), "1");
    CHECK("and no copy lies beside it", !there(in("future/three.db.schema-1")));
    next_step = NULL;
    CHECK("an older zhist refuses the newer file",
          refused(two, DB_CHANGE, "has schema 2, this zhist knows up to 1"));
}

/* ---- the four locks ------------------------------------------------------------------------------ */

/* %s: a folder. without: it works on a connection that is not locked. */
static const struct {
    const char *sql;
    bool without;
} attacks[] = {
    {"ATTACH '%s/other.db' AS a", true},
    {"VACUUM INTO '%s/vacuumed.db'", true},
    {"PRAGMA journal_mode = PERSIST", true},
    {"PRAGMA user_version = 5", true},
    {"PRAGMA foreign_keys = OFF", true},
    {"PRAGMA query_only", true},
    {"SELECT * FROM pragma_database_list", true},
    {"BEGIN IMMEDIATE", true},
    {"SAVEPOINT s", true},
    {"INSERT INTO host(machine_id, name) VALUES ('', '')", true},
    {"DELETE FROM profile", true},
    {"WITH x AS (SELECT 1) UPDATE profile SET name = '' RETURNING 1", true},
    {"REPLACE INTO metric VALUES (1, 'a', 'b', 1)", true},
    {"CREATE TEMP TABLE t(x)", true},
    {"CREATE TEMP VIEW t AS SELECT 1", true},
    {"CREATE VIRTUAL TABLE temp.t USING fts5(x)", false}, /* where it is built in */
    {"DROP TABLE sample", true},
    {"ALTER TABLE sample RENAME TO s", true},
    {"ANALYZE", true},
    {"REINDEX", true},
    {"DETACH main", false},
    {"SELECT load_extension('libm.so.6')", false},
    {"SELECT readfile('/etc/passwd')", false},
    {"SELECT writefile('%s/written', 'x')", false},
    {"SELECT edit('x', 'sh')", false},
    {"SELECT fts3_tokenizer('simple')", false},
    {"SELECT fts3_tokenizer('x', x'4141414141414141')", false},
    {"SELECT length(zeroblob(1000000000))", true},
    {"SELECT length(replace(hex(zeroblob(1000000)), '0', hex(zeroblob(100))))", true},
    {"SELECT 'x' LIKE hex(zeroblob(1000))", true},
    {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", false},
    {"WITH n(i) AS (SELECT value FROM json_each('[1,2,3,4,5,6,7,8,9,10]')) SELECT count(*) FROM "
     "n, n, n, n, n, n, n, n, n, n, n, n", false}, /* of 10^12 rows: nobody waits for it */
    {"SELECT count(*) FROM profile a, profile b, profile c, profile d, profile e, profile f, "
     "profile g, profile h", false},
};

static void test_locks(void) {
    char *path = populated("locks.db"), *victim = in("victim.db");
    struct db *source = opened(path, DB_READ);
    for (size_t i = 0; i < LENGTH(attacks); i++) {
        char *sql = arena_str(&memory, attacks[i].sql), *at = strstr(sql, "%s");
        if (at)
            sql = arena_fmt(&memory, "%.*s%s%s", (int)(at - sql), sql, dir, at + 2);
        if (attacks[i].without) {
            unlink(victim);
            db_backup(source, victim, &e);
            struct db *open = opened(victim, DB_CHANGE);
            if (sqlite3_exec(open->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
                CHECK(arena_fmt(&memory, "works without the locks: %.50s", sql), false);
            db_close(open);
            unlink(in("vacuumed.db"));
        }
        /* READONLY is only the first lock: the others hold where it is missing. */
        for (int mode = DB_READ; mode <= DB_CHANGE; mode++) {
            struct db *db = opened(path, (enum db_mode)mode);
            int status = db_restrict(db, NS_PER_S / 5, &e);
            CHECK(arena_fmt(&memory, "refused to a %s: %.50s", mode == DB_READ ? "reader" : "writer",
                            sql),
                  !status && !ask(db, sql));
            db_close(db);
        }
    }
    db_close(source);
    struct db *reader = opened(path, DB_READ);
    CHECK("a short budget", !db_restrict(reader, NS_PER_S / 5, &e));
    CHECK("the reason of an endless query is the time",
          !ask(reader, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                       "SELECT max(i) FROM n") &&
              says(e.text, "took longer than"));
    struct db *locked = opened(path, DB_READ);
    CHECK("a long one", !db_restrict(locked, 60 * NS_PER_S, &e));
    CHECK_TEXT("json_each works", ask(locked, "SELECT sum(value) FROM json_each('[1,2,3]')"), "6");
    CHECK_TEXT("so do our functions", ask(locked, "SELECT median(value) FROM json_each('[1,2,3]')"), "2");
    CHECK_TEXT("and views", ask(locked, "SELECT count(*) FROM v_event"), "0");
    CHECK("no file came of it", !there(in("vacuumed.db")) &&
                                    !there(in("written")));
    CHECK_TEXT("and nothing was changed", ask(locked, COMMITTED), COMMITTED_IS);
    db_close(locked);
    db_close(reader);
}

/* ---- transactions, copies, damage ---------------------------------------------------------------- */

static int wipe(struct db *db) {
    return db_exec(db, "test", "DELETE FROM profile", &e);
}

static void test_transactions(void) {
    char *path = populated("nest.db");
    struct db *db = opened(path, DB_CHANGE);
    CHECK("nested", !db_begin(db, &e) && !db_begin(db, &e) && !wipe(db) && !db_commit(db, &e));
    CHECK_TEXT("the inner commit commits nothing", raw(path, COMMITTED), COMMITTED_IS);
    db_rollback(db);
    CHECK_TEXT("so the outer rollback undoes all", ask(db, COMMITTED), COMMITTED_IS);
    CHECK("again", !db_begin(db, &e) && !db_begin(db, &e) && !wipe(db));
    db_rollback(db);
    CHECK("after an inner rollback the outer commit fails", db_commit(db, &e) == -1);
    CHECK_TEXT("and all is there", ask(db, COMMITTED), COMMITTED_IS);
    db_rollback(db); /* without a transaction: nothing happens */
    CHECK("a commit without a begin fails", db_commit(db, &e) == -1);
    CHECK("after all that it still works", !db_begin(db, &e) && !wipe(db) && !db_commit(db, &e));
    CHECK_TEXT("durably", raw(path, "SELECT count(*) FROM profile"), "0");
    db_close(db);
    db = opened(path, DB_CHANGE);
    CHECK("begun", !db_begin(db, &e) &&
                       !db_exec(db, "t", "INSERT INTO host(machine_id, name) VALUES ('x', 'y')", &e));
    db_close(db);
    CHECK_TEXT("closing without a commit undoes it", raw(path, "SELECT count(*) FROM host"), "0");
}

static void test_busy(void) {
    char *path = populated("busy.db");
    struct db *db = opened(path, DB_CHANGE);
    int up[2];
    char c = 0;
    if (pipe(up))
        return;
    fflush(stdout);
    pid_t child = fork();
    if (!child) { /* a reader that holds its lock for a while */
        sqlite3 *handle;
        struct timespec pause = {0, 300 * 1000 * 1000};
        sqlite3_open(path, &handle);
        sqlite3_exec(handle, "BEGIN; SELECT count(*) FROM profile", NULL, NULL, NULL);
        if (write(up[1], "x", 1) != 1)
            _exit(1);
        nanosleep(&pause, NULL);
        sqlite3_exec(handle, "COMMIT", NULL, NULL, NULL);
        _exit(0);
    }
    if (read(up[0], &c, 1) != 1)
        printf("# no reader\n");
    CHECK("a change while another reads", c == 'x' && !db_begin(db, &e) && !wipe(db));
    CHECK("its commit waits for the reader", db_commit(db, &e) == 0);
    CHECK_TEXT("and is there", ask(db, "SELECT count(*) FROM profile"), "0");
    waitpid(child, NULL, 0);
    close(up[0]), close(up[1]);
    db_close(db);
}

static void test_copies(void) {
    char *path = populated("copied.db"), *copy = in("copy.db");
    struct db *db = opened(path, DB_CHANGE);
    CHECK("copied", db_backup(db, copy, &e) == 0);
    CHECK_TEXT("with everything", raw(copy, COMMITTED), COMMITTED_IS);
    CHECK("never over a file", db_backup(db, copy, &e) == -1 && says(e.text, "File exists"));
    if (symlink(in("behind"), in("link.db")))
        printf("# symlink\n");
    CHECK("nor through a link", db_backup(db, in("link.db"), &e) == -1 && !there(in("behind")));
    CHECK("nor over itself", db_backup(db, path, &e) == -1);
    CHECK_TEXT("which is untouched", ask(db, COMMITTED), COMMITTED_IS);
    CHECK("a missing folder", db_backup(db, in("no/copy"), &e) == -1 && says(e.text, "cannot make"));
    db_close(db);
}

static void test_damage(void) {
    char *path = populated("damaged.db");
    struct buf report = {0};
    struct db *db = opened(path, DB_READ);
    CHECK("a sound file", db_integrity(db, &report, &e) == 0 && !report.len);
    db_close(db);
    char page[4096];
    memset(page, 0xa5, sizeof page);
    int fd = open(path, O_WRONLY);
    long long pages = size_of(path) / 4096;
    for (long long i = pages / 2; i < pages; i += 3)
        if (pwrite(fd, page, sizeof page, (off_t)(i * 4096)) < 0)
            printf("# pwrite\n");
    close(fd);
    db = opened(path, DB_READ);
    CHECK("damage is found", db && db_integrity(db, &report, &e) == 1 && report.len > 10);
    db_close(db);
    buf_release(&report);
    char *loose = populated("loose.db");
    raw(loose, "PRAGMA foreign_keys = OFF; INSERT INTO label VALUES (77, 'k', 'v')");
    db = opened(loose, DB_READ);
    CHECK("a row that points nowhere is found", db_integrity(db, &report, &e) == 1 &&
                                                    says(report.data, "of label points to a missing"));
    db_close(db);
    buf_release(&report);
    char *root = populated("root.db");
    fd = open(root, O_WRONLY); /* all but the header, so that the schema itself is gone */
    if (pwrite(fd, page, sizeof page - 100, 100) < 0)
        printf("# pwrite\n");
    close(fd);
    CHECK("a schema that is gone: the remedy is not the check that cannot open it either",
          refused(root, DB_READ, ".recover"));
}

int main(void) {
    const char *base = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/zhist-unit-history-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(dir))
        return 1;
    chmod(dir, 0755);
    snprintf(tmp, sizeof tmp, "%s/tmp", dir);
    mkdir(tmp, 0700);
    chmod(tmp, 01777);
    setenv("TMPDIR", tmp, 1);
    test_states();
    test_odd_names();
    test_mode();
    test_race();
    test_policy();
    test_statements();
    test_hot_journal();
    test_reading_on();
    test_wal();
    test_future();
    test_locks();
    test_transactions();
    test_busy();
    test_copies();
    test_damage();
    if (!fork()) {
        execlp("rm", "rm", "-rf", dir, (char *)NULL);
        _exit(1);
    }
    wait(NULL);
    arena_release(&memory);
    return check_done();
}
