/*
 * tool.c: what bench.sh cannot do in shell: run a program and tell what it cost, start two programs
 * many times in turn, commit durably. It knows nothing of zhist.
 *
 *   tool run OUT COMMAND...           stdout to OUT; prints wall ns, CPU ns, largest KiB resident
 *   tool start N COMMAND... -- OTHER...    N times each, in turn; prints N lines: ns, ns
 *   tool commit FILE N                N commits of one row under zhist's policy; prints ns a commit
 *   tool write FILE MIB               the same MiB again and again, into a new file and once more
 *                                     over it: what pwrite costs; prints ns a byte of each
 *   tool files DIR N                  N files of 4 KiB: bare calls in order of creation, of openat,
 *                                     write, close; fstatat; openat, read, close; unlinkat; prints
 *                                     ns a file of each
 */
#include <fcntl.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t time_ns(struct timeval t) {
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

/* Wall ns from before the start to after the end; ends the tool if the program fails. */
static int64_t run(char **command, const char *out) {
    posix_spawn_file_actions_t files;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    int64_t began = now();
    int failed = posix_spawnp(&child, command[0], &files, NULL, command, environ);
    if (failed || waitpid(child, &status, 0) < 0 || status != 0) {
        fprintf(stderr, "bench: \"%s\" failed\n", command[0]);
        exit(1);
    }
    int64_t took = now() - began;
    posix_spawn_file_actions_destroy(&files);
    return took;
}

static int tool_run(char **words) {
    struct rusage used;
    int64_t took = run(words + 1, words[0]);
    getrusage(RUSAGE_CHILDREN, &used); /* it was the only one */
    long long cpu = time_ns(used.ru_utime) + time_ns(used.ru_stime);
    printf("%lld %lld %ld\n", (long long)took, cpu, used.ru_maxrss);
    return 0;
}

/* A number, or the end: what is typed here is bench.sh's. */
static long number(const char *word) {
    char *end;
    long n = strtol(word, &end, 10);
    if (*end || n < 1) {
        fprintf(stderr, "bench: \"%s\" is not a number\n", word);
        exit(2);
    }
    return n;
}

static int tool_start(char **words) {
    char **other = words + 1;
    long n = number(words[0]);
    while (*other && strcmp(*other, "--"))
        other++;
    if (!*other || other == words + 1 || !other[1])
        return 2;
    *other++ = NULL;
    for (long i = 0; i < n; i++) {
        int64_t one = run(words + 1, "/dev/null");
        printf("%lld %lld\n", (long long)one, (long long)run(other, "/dev/null"));
    }
    return 0;
}

static void sql(sqlite3 *db, const char *text) {
    if (sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK)
        return;
    fprintf(stderr, "bench: %s: %s\n", text, sqlite3_errmsg(db));
    exit(1);
}

static int tool_commit(char **words) {
    sqlite3 *db;
    long n = number(words[1]);
    if (sqlite3_open(words[0], &db) != SQLITE_OK)
        return 1;
    sql(db, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA mmap_size = 0;"
            "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, at INTEGER, value REAL) STRICT;"
            "INSERT INTO t(at, value) VALUES (1, 0.5)");
    int64_t began = now();
    for (long i = 0; i < n; i++)
        sql(db, "BEGIN IMMEDIATE; INSERT INTO t(at, value) VALUES (1, 0.5); COMMIT");
    printf("%lld\n", (long long)((now() - began) / n));
    return sqlite3_close(db) != SQLITE_OK;
}

static int tool_write(char **words) {
    enum { MIB = 1 << 20 };
    static char bytes[MIB];
    long n = number(words[1]);
    int file = open(words[0], O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file < 0)
        return 1;
    memset(bytes, 1, MIB);
    for (int pass = 0; pass < 2; pass++) {
        int64_t began = now();
        for (long i = 0; i < n; i++)
            if (pwrite(file, bytes, MIB, (off_t)i * MIB) != MIB)
                return 1;
        printf("%.6f ", (double)(now() - began) / (double)n / MIB);
    }
    printf("\n");
    return close(file) != 0;
}

static int move(int dir, const char *name, int flags, char *bytes, size_t len) {
    int file = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
    ssize_t done = flags & O_CREAT ? write(file, bytes, len) : read(file, bytes, len);
    return done != (ssize_t)len || close(file) != 0;
}

static int tool_files(char **words) {
    static char bytes[4096];
    struct stat st;
    int dir = open(words[0], O_RDONLY | O_DIRECTORY);
    long n = number(words[1]);
    for (int what = 0; what < 4; what++) {
        int64_t began = now();
        for (long i = 0; i < n; i++) {
            char name[24];
            int failed;
            snprintf(name, sizeof name, "f%ld", i);
            if (what == 0)
                failed = move(dir, name, O_WRONLY | O_CREAT | O_EXCL, bytes, sizeof bytes);
            else if (what == 1)
                failed = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);
            else if (what == 2)
                failed = move(dir, name, O_RDONLY, bytes, sizeof bytes);
            else
                failed = unlinkat(dir, name, 0);
            if (failed)
                return 1;
        }
        printf("%.0f ", (double)(now() - began) / (double)n);
    }
    printf("\n");
    return close(dir) != 0;
}

int main(int argc, char **argv) {
    if (argc >= 4 && !strcmp(argv[1], "run"))
        return tool_run(argv + 2);
    if (argc >= 6 && !strcmp(argv[1], "start"))
        return tool_start(argv + 2);
    if (argc == 4 && !strcmp(argv[1], "commit"))
        return tool_commit(argv + 2);
    if (argc == 4 && !strcmp(argv[1], "write"))
        return tool_write(argv + 2);
    if (argc == 4 && !strcmp(argv[1], "files"))
        return tool_files(argv + 2);
    fprintf(stderr, "bench: see the top of tests/bench/tool.c\n");
    return 2;
}
