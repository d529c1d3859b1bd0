/*
 * spawn.c: starts a program by argument vector, takes what it prints, and never waits longer than
 * it was told. The one place where a process is made; no shell.
 *
 * Other threads may run: between fork and exec the child only makes calls that are safe in a signal
 * handler (fork(2)). A program that SIGKILL does not end, since it hangs in the kernel, is left
 * behind: its number is kept and later calls reap it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawn_child.h"
#include "zhist/spawn.h"

extern char **environ;

enum {
    COMPLAINT_MAX = 4096,
    FIRST_FREE = 10, /* our ends of pipes lie above what the child numbers anew */
    TICK_MS = 20,    /* how late an end is seen while somebody else holds the pipes */
    KILL_MS = 200,   /* what a killed program gets to be gone */
    LEFT_MAX = 64,
};

/* ---- finding it ------------------------------------------------------------------------------ */

static const char *try_path(const char *path, int *code) {
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode))
        return NULL;
    if (!access(path, X_OK))
        return path;
    *code = EACCES;
    return NULL;
}

/* Only whole paths of PATH count: an empty or relative one is wherever we happen to be. */
static const char *find(struct arena *a, const char *name, int *code) {
    static const char usual[] = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin";
    const char *lists[] = {getenv("PATH"), usual};
    *code = ENOENT;
    if (strchr(name, '/'))
        return try_path(arena_str(a, name), code);
    for (size_t i = 0; *name && i < LENGTH(lists); i++)
        for (const char *at = lists[i]; at; at = strchr(at, ':')) {
            at += *at == ':';
            size_t len = strcspn(at, ":");
            const char *path =
                *at == '/' ? try_path(arena_fmt(a, "%.*s/%s", (int)len, at, name), code) : NULL;
            if (path)
                return path;
        }
    return NULL;
}

const char *spawn_find(struct arena *a, const char *name) {
    int code;
    return find(a, name, &code);
}

/* ---- those left behind ----------------------------------------------------------------------- */

static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t left[LEFT_MAX];
static size_t n_left;

static void leave(pid_t pid) {
    pthread_mutex_lock(&left_lock);
    if (n_left < LEFT_MAX) /* more of them are reaped by init, after us */
        left[n_left++] = pid;
    pthread_mutex_unlock(&left_lock);
}

static void reap_left(void) {
    pthread_mutex_lock(&left_lock);
    for (size_t i = n_left; i-- > 0;)
        if (waitpid(left[i], NULL, WNOHANG)) /* gone, or no child of ours */
            left[i] = left[--n_left];
    pthread_mutex_unlock(&left_lock);
}

/* ---- the child ------------------------------------------------------------------------------- */

enum { IN, OUT, ERR, REPORT, ENDS }; /* as the child numbers them; errno of a failed exec: REPORT */

struct start {
    const char *path;
    char **argv, **env;
    int child[ENDS], ours[ENDS]; /* ours[IN]: none */
    pid_t parent, pid;
};

/* English, so that it can be read; and without what makes zpool print other names or colours. */
static char **environment(struct arena *a) {
    static const char *const dropped[] = {"LC_ALL=", "LANGUAGE=", "ZPOOL_VDEV_NAME_", "ZFS_COLOR"};
    char **env = NULL;
    size_t n = 0, cap = 0;
    for (char **at = environ; at && *at; at++) {
        bool keep = true;
        for (size_t i = 0; i < LENGTH(dropped); i++)
            keep &= strncmp(*at, dropped[i], strlen(dropped[i])) != 0;
        if (keep)
            *array_add(a, env, n, cap) = *at;
    }
    *array_add(a, env, n, cap) = arena_str(a, "LC_ALL=C");
    *array_add(a, env, n, cap) = NULL;
    return env;
}

static void __attribute__((noreturn)) become(const struct start *s) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    setpgid(0, 0);
    for (int number = 1; number <= SIGRTMAX; number++)
        sigaction(number, &usual, NULL);
    bool ok = spawn_die_with(s->parent);
    for (int i = 0; ok && i < ENDS; i++)
        ok = dup2(s->child[i], i) == i;
    ok = ok && fcntl(REPORT, F_SETFD, FD_CLOEXEC) >= 0;
    if (ok) {
        spawn_close_from(ENDS);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execve(s->path, s->argv, s->env);
    }
    int code = errno;
    ssize_t ignored = write(ok ? REPORT : s->child[REPORT], &code, sizeof code);
    (void)ignored;
    _exit(127);
}

static void close_all(int fds[ENDS]) {
    for (int i = 0; i < ENDS; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

static int lift(int fd) {
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE), code = errno;
    if (fd >= 0)
        close(fd);
    errno = code;
    return high;
}

static bool open_ends(struct start *s) {
    s->child[IN] = lift(open("/dev/null", O_RDONLY | O_CLOEXEC));
    bool ok = s->child[IN] >= 0;
    for (int i = OUT; ok && i < ENDS; i++) {
        int ends[2];
        if (pipe(ends))
            return false;
        s->ours[i] = lift(ends[0]);
        s->child[i] = lift(ends[1]);
        ok = s->ours[i] >= 0 && s->child[i] >= 0 && fcntl(s->ours[i], F_SETFL, O_NONBLOCK) >= 0;
    }
    return ok;
}

static int start(struct start *s, struct err *e) {
    sigset_t all, old;
    struct sigaction chld;
    for (int i = 0; i < ENDS; i++)
        s->child[i] = s->ours[i] = -1;
    if (!open_ends(s)) {
        int code = errno;
        close_all(s->child);
        close_all(s->ours);
        return err_sys(e, code, "cannot start '%s'", s->argv[0]);
    }
    /* Started with SIGCHLD ignored, nobody's exit code would be known. */
    if (!sigaction(SIGCHLD, NULL, &chld) && chld.sa_handler == SIG_IGN) {
        chld.sa_handler = SIG_DFL;
        sigaction(SIGCHLD, &chld, NULL);
    }
    s->parent = getpid();
    sigfillset(&all); /* our handlers must not run in the child */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    s->pid = fork();
    if (!s->pid)
        become(s);
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    close_all(s->child);
    if (s->pid < 0) {
        close_all(s->ours);
        return err_sys(e, code, "cannot start '%s'", s->argv[0]);
    }
    setpgid(s->pid, s->pid); /* both do it: neither knows who is first */
    return 0;
}

/* ---- what it prints -------------------------------------------------------------------------- */

struct taken {
    struct buf text[ENDS];
    bool over[ENDS]; /* there was more than its limit */
};

/* What lies in a pipe; at most a MiB, so that one who never stops cannot keep us. */
static void drain(struct start *s, struct taken *t, int i, size_t max) {
    char piece[65536];
    for (int turn = 0; turn < 16 && s->ours[i] >= 0; turn++) {
        ssize_t got = read(s->ours[i], piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            close(s->ours[i]);
            s->ours[i] = -1;
            return;
        }
        size_t room = max - t->text[i].len, len = (size_t)got;
        t->over[i] |= len > room;
        buf_put(&t->text[i], piece, len < room ? len : room);
    }
}

static int to_ms(int64_t ns, int most) {
    return ns >= most * INT64_C(1000000) ? most : ns <= 0 ? 0 : (int)((ns + 999999) / 1000000);
}

/* Until it ended (true, *status), its limit passed, or it printed too much. Its end counts, not
 * that of the pipes: a program it left running may hold them. */
static bool watch(struct start *s, struct taken *t, int64_t deadline, size_t out_max, int *status) {
    const size_t max[ENDS] = {0, out_max, COMPLAINT_MAX, sizeof(int)};
    int tick = 1;
    for (;;) {
        struct pollfd fds[ENDS];
        bool open = false;
        int64_t rest = deadline - clock_monotonic_ns();
        for (int i = 0; i < ENDS; i++) {
            fds[i] = (struct pollfd){.fd = s->ours[i], .events = POLLIN};
            open |= s->ours[i] >= 0;
        }
        tick = open ? 1 : tick < TICK_MS ? 2 * tick : TICK_MS;
        poll(fds, ENDS, to_ms(rest, open ? TICK_MS : tick));
        pid_t ended = waitpid(s->pid, status, WNOHANG); /* before: what it wrote is in the pipes */
        for (int i = OUT; i < ENDS; i++)
            drain(s, t, i, max[i]);
        if (ended) {
            *status = ended < 0 ? -1 : *status;
            return true;
        }
        if (rest <= 0 || t->over[OUT])
            return false;
    }
}

/* -1: it is still there. */
static int kill_all(pid_t pid) {
    int status = -1;
    int64_t deadline = clock_monotonic_ns() + KILL_MS * INT64_C(1000000);
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL); /* should it not have its group yet */
    for (int tick = 1;; tick = tick < TICK_MS ? 2 * tick : TICK_MS) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended)
            return ended < 0 ? -1 : status;
        if (clock_monotonic_ns() >= deadline)
            break;
        poll(NULL, 0, tick);
    }
    leave(pid);
    return -1;
}

static const char *first_line(struct arena *a, const struct buf *b) {
    const char *at = b->data ? b->data : "";
    at += strspn(at, " \t\r\n");
    size_t len = strcspn(at, "\r\n");
    while (len && (at[len - 1] == ' ' || at[len - 1] == '\t'))
        len--;
    return arena_copy(a, at, len);
}

int spawn(struct arena *a, const char *const *argv, int64_t limit, size_t out_max,
          struct spawn_result *r, struct err *e) {
    struct start s = {0};
    struct taken t = {0};
    size_t n = 0;
    int code, status, failed = 0;
    int64_t deadline = clock_monotonic_ns() + limit;
    *r = (struct spawn_result){.exit_code = -1, .out = "", .complaint = ""};
    reap_left();
    s.path = find(a, argv[0], &code);
    if (!s.path)
        return err_sys(e, code, "cannot start '%s'", argv[0]);
    while (argv[n])
        n++;
    s.argv = arena_new(a, char *, n + 1);
    for (size_t i = 0; i < n; i++)
        s.argv[i] = arena_str(a, argv[i]);
    s.env = environment(a);
    if (start(&s, e))
        return -1;
    bool ended = watch(&s, &t, deadline, out_max, &status);
    if (!ended)
        status = kill_all(s.pid);
    close_all(s.ours);
    if (t.text[REPORT].len == sizeof failed) {
        memcpy(&failed, t.text[REPORT].data, sizeof failed);
        /* The file is there: what is missing is its interpreter. */
        err_sys(e, failed == ENOENT ? ENOEXEC : failed, "cannot start '%s'", argv[0]);
    } else {
        r->timed_out = !ended && !t.over[OUT];
        r->truncated = t.over[OUT];
        r->exit_code = status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        r->signal = status != -1 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        r->out = arena_copy(a, t.text[OUT].data, t.text[OUT].len);
        r->len = t.text[OUT].len;
        r->complaint = first_line(a, &t.text[ERR]);
    }
    for (int i = 0; i < ENDS; i++)
        buf_release(&t.text[i]);
    return failed ? -1 : 0;
}
