/*
 * unit_spawn.c: real programs: good, failing, hanging, killed, noisy, endless; what they inherit;
 * that nothing of them stays behind. Bounds of time are far from what is measured: they only tell
 * "did not wait" from "waited for ever".
 */
#include "zhist/spawn.h"
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct arena arena;
static struct spawn_result r;
static struct err e;
static char *dir;

enum { LONG = 60 }; /* seconds: more than any of these needs */

static int run_for(double seconds, size_t max, const char *const *argv) {
    e = (struct err){0};
    return spawn(&arena, argv, (int64_t)(seconds * 1e9), max, &r, &e);
}

/* Through sh, the handiest of programs; spawn itself uses no shell. */
static int sh(double seconds, const char *script) {
    return run_for(seconds, 1 << 20, (const char *const[]){"sh", "-c", script, NULL});
}

static const char *file(const char *name, const char *text, mode_t mode) {
    const char *path = arena_fmt(&arena, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
        chmod(path, mode);
    }
    return path;
}

/* Dead, or only not yet waited for by whoever got it. Waits a while for it. */
static bool dies(const char *pid) {
    char path[64], text[512];
    for (int i = 0; i < 3000; i++) {
        snprintf(path, sizeof path, "/proc/%.*s/stat", (int)strspn(pid, "0123456789"), pid);
        FILE *f = fopen(path, "r");
        if (!f)
            return true;
        size_t len = fread(text, 1, sizeof text - 1, f);
        text[len] = '\0';
        fclose(f);
        if (strstr(text, ") Z") || strstr(text, ") X"))
            return true;
        poll(NULL, 0, 10);
    }
    return false;
}

static size_t descriptors(void) {
    size_t n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static void good(void) {
    CHECK("a program", !sh(LONG, "echo hello; echo world"));
    CHECK_TEXT("its output", r.out, "hello\nworld\n");
    CHECK("its length and end", r.len == 12 && r.exit_code == 0 && !r.signal && !r.timed_out &&
                                    !r.truncated && !*r.complaint);
    CHECK("bytes are bytes",
          !sh(LONG, "printf 'a\\000b'") && r.len == 3 && !memcmp(r.out, "a\0b", 4));
    const char *const odd[] = {"printf", "%s|", "a b", "$(x)", "*", "", "-n", ";", NULL};
    CHECK("arguments arrive as they are", !run_for(LONG, 1000, odd));
    CHECK_TEXT("no shell has seen them", r.out, "a b|$(x)|*||-n|;|");
    CHECK("no input",
          !run_for(LONG, 100, (const char *const[]){"cat", NULL}) && !r.len && r.exit_code == 0);
}

static void failing(void) {
    CHECK("an exit code",
          !sh(LONG, "echo out; echo; echo ' cannot open: x ' >&2; echo two >&2; exit 3") &&
              r.exit_code == 3 && !r.signal);
    CHECK_TEXT("with what it complained of", r.complaint, "cannot open: x");
    CHECK("a signal",
          !sh(LONG, "kill -TERM $$") && r.signal == SIGTERM && r.exit_code == -1 && !r.timed_out);
    CHECK("no such program", sh(LONG, "") == 0 &&
                                 run_for(LONG, 10, (const char *const[]){"zhist-no-such", NULL}) &&
                                 e.code == ENOENT && strstr(e.text, "'zhist-no-such'"));
    const char *path = file("plain", "#!/bin/sh\n", 0644);
    CHECK("not executable",
          run_for(LONG, 10, (const char *const[]){path, NULL}) && e.code == EACCES);
    CHECK("a directory is no program",
          run_for(LONG, 10, (const char *const[]){dir, NULL}) && e.code == ENOENT);
    CHECK("an empty name", run_for(LONG, 10, (const char *const[]){"", NULL}) && e.code == ENOENT);
    path = file("lost", "#!/no/such/interpreter\n", 0755);
    CHECK("an interpreter that is gone is not a program that is gone",
          run_for(LONG, 10, (const char *const[]){path, NULL}) && e.code == ENOEXEC);
    path = file("garbage", "\177ELF garbage", 0755);
    CHECK("no program at all",
          run_for(LONG, 10, (const char *const[]){path, NULL}) && e.code == ENOEXEC);
}

static void finding(void) {
    const char *had = getenv("PATH"), *path = arena_str(&arena, had);
    setenv("PATH", "", 1);
    const char *found = spawn_find(&arena, "ldconfig");
    CHECK("without PATH, what lies in sbin", found && strstr(found, "/sbin/ldconfig"));
    unsetenv("PATH");
    CHECK("without any, a shell",
          spawn_find(&arena, "sh") && !sh(LONG, "exit 4") && r.exit_code == 4);
    file("only-here", "#!/bin/sh\necho here\n", 0755);
    char *was = getcwd(NULL, 0);
    if (was && !chdir(dir)) {
        setenv("PATH", ".::x:/", 1);
        CHECK("not from where we happen to be", !spawn_find(&arena, "only-here"));
        CHECK("but where a path says so", spawn_find(&arena, "./only-here"));
        if (chdir(was))
            CHECK("the way back", 0);
    }
    free(was);
    setenv("PATH", arena_fmt(&arena, "/no/such:%s:/", dir), 1);
    CHECK("in PATH", !run_for(LONG, 100, (const char *const[]){"only-here", NULL}) &&
                         !strcmp(r.out, "here\n"));
    file("sh", "not for you", 0644);
    CHECK("over what may not be run", !sh(LONG, "exit 5") && r.exit_code == 5);
    setenv("PATH", path ? path : "/usr/bin:/bin", 1);
}

static void hanging(void) {
    int64_t start = clock_monotonic_ns();
    CHECK("one that hangs", !sh(0.3, "printf half; sleep 1000 & echo \" $!\" >&2; wait") &&
                                r.timed_out && r.exit_code == -1);
    CHECK_TEXT("what it had said", r.out, "half");
    CHECK("its child dies with it", dies(r.complaint));
    CHECK("one that hears no signal",
          !sh(0.3, "trap '' TERM INT HUP; while :; do sleep 1; done") && r.timed_out);
    CHECK("one that says nothing more", !sh(0.3, "exec >&- 2>&-; sleep 1000") && r.timed_out);
    CHECK("one that stops itself", !sh(0.3, "kill -STOP $$") && r.timed_out);
    CHECK("no time at all", !sh(0, "sleep 1000") && r.timed_out);
    CHECK("nobody waited", clock_monotonic_ns() - start < LONG * NS_PER_S);

    start = clock_monotonic_ns();
    CHECK("a child that keeps the pipe",
          !sh(LONG, "sleep 1000 & echo $!") && !r.timed_out && r.exit_code == 0);
    CHECK("does not keep us", clock_monotonic_ns() - start < LONG / 2 * NS_PER_S);
    CHECK("and is not killed for it", r.len > 1 && strspn(r.out, "0123456789") == r.len - 1);
    run_for(LONG, 10,
            (const char *const[]){"kill", "-9", arena_copy(&arena, r.out, r.len - 1), NULL});
    CHECK("quiet for a while, then its end",
          !sh(LONG, "echo x; exec >&- 2>&-; sleep 0.2; exit 7") && r.exit_code == 7 && r.len == 2);
}

static void noisy(void) {
    CHECK("a megabyte of complaints",
          !sh(LONG, "echo first >&2; head -c 1000000 /dev/zero | tr '\\0' x >&2; echo out") &&
              r.exit_code == 0);
    CHECK_TEXT("the first line counts", r.complaint, "first");
    CHECK_TEXT("the output is there", r.out, "out\n");
    const char *const yes[] = {"yes", NULL};
    int64_t start = clock_monotonic_ns();
    CHECK("one that never stops", !run_for(LONG, 100001, yes) && r.truncated && !r.timed_out);
    CHECK("is stopped at what was asked", r.len == 100001 && r.out[100001] == '\0' &&
                                              clock_monotonic_ns() - start < LONG / 2 * NS_PER_S);
    const char *const exact[] = {"head", "-c", "300000", "/dev/zero", NULL};
    CHECK("just as much as allowed",
          !run_for(LONG, 300000, exact) && !r.truncated && r.len == 300000 && r.exit_code == 0);
    CHECK("a byte more", !run_for(LONG, 299999, exact) && r.truncated && r.len == 299999);
}

static void inherited(void) {
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("LANGUAGE", "de", 1);
    setenv("TZ", "Asia/Tokyo", 1);
    setenv("ZPOOL_VDEV_NAME_GUID", "1", 1);
    CHECK("the environment", !sh(LONG, "echo $LC_ALL,$LANGUAGE,$TZ,$ZPOOL_VDEV_NAME_GUID"));
    CHECK_TEXT("is English, of this time zone, with the usual names", r.out, "C,,Asia/Tokyo,\n");
    unsetenv("LC_ALL");
    unsetenv("LANGUAGE");
    unsetenv("TZ");
    unsetenv("ZPOOL_VDEV_NAME_GUID");

    int low = open("/dev/null", O_RDONLY), high = fcntl(low, F_DUPFD, 200);
    if (access("/proc/self/status", R_OK)) {
        SKIP("what it has open", "no /proc");
    } else {
        sh(LONG, "for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 200; do "
                 "[ -e /proc/$$/fd/$n ] && echo $n; done");
        CHECK_TEXT("nothing of ours is open in it", r.out, "0\n1\n2\n");
        sigset_t block;
        sigemptyset(&block);
        sigaddset(&block, SIGUSR1);
        sigprocmask(SIG_BLOCK, &block, NULL);
        signal(SIGPIPE, SIG_IGN);
        unsigned long long blocked = 1, ignored = 1;
        sh(LONG, "while read -r k v; do case $k in SigBlk:|SigIgn:) echo $v;; esac; done "
                 "</proc/$$/status");
        sscanf(r.out, "%llx %llx", &blocked, &ignored);
        /* 32 and 33 are the C library's, which hands them on ignored and lets nobody change it */
        CHECK("no signal of ours is blocked or ignored in it",
              !blocked && !(ignored & 0x7fffffffULL));
        sigset_t now;
        sigprocmask(SIG_UNBLOCK, &block, &now);
        CHECK("our mask is as it was", sigismember(&now, SIGUSR1) && !sigismember(&now, SIGINT));
        signal(SIGPIPE, SIG_DFL);
        CHECK("a group of its own",
              !sh(LONG, "read -r l </proc/$$/stat; set -- $l; [ $5 = $$ ]") && r.exit_code == 0);
    }
    close(low);
    close(high);
    signal(SIGCHLD, SIG_IGN);
    CHECK("its end is known though we were started with SIGCHLD ignored",
          !sh(LONG, "exit 9") && r.exit_code == 9);
    signal(SIGCHLD, SIG_DFL);
}

/* In a process of our own, for what would hurt the test. */
static int aside(int (*does)(void)) {
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid)
        _exit(does());
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                           : -1;
}

static int without_any_open(void) {
    for (int fd = 0; fd < 20; fd++)
        close(fd);
    return sh(LONG, "echo 12345; exit 6") || r.exit_code != 6 || r.len != 6;
}

static int without_any_left(void) {
    while (dup(0) >= 0)
        ;
    return !(sh(LONG, "") && e.code == EMFILE);
}

static void parent_dies(void) {
    const char *path = file("pid", "", 0644);
    struct arena a = {0};
    char *text = NULL;
    size_t len = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        sh(LONG, arena_fmt(&arena, "echo $$ >%s; exec sleep 1000", path));
        _exit(0);
    }
    for (int i = 0; pid > 0 && i < 3000 && !(len && text[len - 1] == '\n'); i++) {
        poll(NULL, 0, 10);
        file_read(&a, path, 100, &text, &len, &e);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    CHECK("it dies with its parent", len && dies(text));
    arena_release(&a);
}

static void *many(void *wrong) {
    struct arena a = {0};
    for (int i = 0; i < 40; i++) {
        struct spawn_result mine;
        struct err why = {0};
        const char *number = arena_fmt(&a, "%d", i);
        const char *const argv[] = {"printf", "%s", number, NULL};
        if (spawn(&a, argv, LONG * NS_PER_S, 100, &mine, &why) || strcmp(mine.out, number) ||
            mine.exit_code)
            ++*(int *)wrong;
    }
    arena_release(&a);
    return NULL;
}

static void threads(void) {
    pthread_t t[4];
    int wrong[4] = {0}, made = 0;
    for (size_t i = 0; i < LENGTH(t); i++)
        made += !pthread_create(&t[i], NULL, many, &wrong[i]);
    for (int i = 0; i < made; i++)
        pthread_join(t[i], NULL);
    CHECK("four threads at once", made == 4 && !(wrong[0] + wrong[1] + wrong[2] + wrong[3]));
}

int main(void) {
    const char *tmp = getenv("TMPDIR");
    dir = arena_fmt(&arena, "%s/zhist-unit-spawn-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(dir)) {
        CHECK("a directory for programs", 0);
        return check_done();
    }
    size_t open = descriptors();
    good();
    failing();
    finding();
    hanging();
    noisy();
    inherited();
    threads();
    CHECK("with nothing open", aside(without_any_open) == 0);
    CHECK("with no descriptor left", aside(without_any_left) == 0);
    parent_dies();
    CHECK("no descriptor leaks", descriptors() == open);
    errno = 0;
    CHECK("no child is left", waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    run_for(LONG, 0, (const char *const[]){"rm", "-rf", dir, NULL});
    arena_release(&arena);
    return check_done();
}
