/*
 * space.c: how much room a file system has, asked so that a server that does not answer cannot hold
 * us: statvfs() of a hard NFS mount waits for it for ever.
 *
 * Where that may happen a thread asks, and is left behind when the time is over; it touches nothing
 * but its own memory, and the end of the process ends it.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "probe.h"

/* A server that needs longer is not one to measure with. */
static const int64_t LIMIT = NS_PER_S;

struct question {
    pthread_mutex_t lock;
    pthread_cond_t answered;
    bool done, left; /* left: nobody waits, the thread frees it */
    int (*ask)(const char *path, struct statvfs *s);
    int errnum;
    struct statvfs s;
    char path[];
};

static void question_free(struct question *q) {
    pthread_cond_destroy(&q->answered);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static void *answer(void *ctx) {
    struct question *q = ctx;
    struct statvfs s;
    int errnum = q->ask(q->path, &s) ? errno : 0;
    pthread_mutex_lock(&q->lock);
    q->errnum = errnum;
    if (!errnum)
        q->s = s;
    q->done = true;
    bool left = q->left;
    pthread_cond_signal(&q->answered);
    pthread_mutex_unlock(&q->lock);
    if (left)
        question_free(q);
    return NULL;
}

static struct question *question_new(const char *path,
                                     int (*ask)(const char *path, struct statvfs *s)) {
    size_t len = strlen(path) + 1;
    struct question *q = must(calloc(1, sizeof *q + len));
    pthread_condattr_t attr;
    memcpy(q->path, path, len);
    q->ask = ask;
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&q->answered, &attr);
    pthread_condattr_destroy(&attr);
    return q;
}

/* Signals are for the thread that has handlers to run: none of them goes to this one. */
static int start(struct question *q) {
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    int errnum = pthread_create(&thread, &attr, answer, q);
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return errnum;
}

int statvfs_within(int64_t limit, const char *path, struct statvfs *s,
                   int (*ask)(const char *path, struct statvfs *s)) {
    struct question *q = question_new(path, ask);
    int errnum = start(q);
    if (errnum) {
        question_free(q);
        errno = errnum;
        return -1;
    }
    int64_t end = clock_monotonic_ns() + limit;
    struct timespec ts = {.tv_sec = (time_t)(end / NS_PER_S), .tv_nsec = (long)(end % NS_PER_S)};
    pthread_mutex_lock(&q->lock);
    for (int rc = 0; !q->done && !rc;)
        rc = pthread_cond_timedwait(&q->answered, &q->lock, &ts);
    bool done = q->done;
    errnum = done ? q->errnum : ETIMEDOUT;
    if (done && !errnum)
        *s = q->s;
    q->left = !done;
    pthread_mutex_unlock(&q->lock);
    if (done)
        question_free(q);
    errno = errnum;
    return errnum ? -1 : 0;
}

static int64_t times(uint64_t count, uint64_t size) {
    return size && count > (uint64_t)INT64_MAX / size ? UNKNOWN : (int64_t)(count * size);
}

void space_facts(struct probe *p, struct factset *set, const char *path, bool may_hang) {
    static const char *const keys[] = {"size",   "used",        "available",
                                       "inodes", "inodes_free", "fs_block"};
    struct statvfs s;
    int rc = !p->live   ? -1
             : may_hang ? statvfs_within(LIMIT, path, &s, statvfs)
                        : statvfs(path, &s);
    if (rc) {
        const char *why = !p->live             ? "only the kernel says it"
                          : errno == ETIMEDOUT ? "statvfs: no answer of the server within 1 s"
                                               : arena_fmt(p->a, "statvfs: %s", strerror(errno));
        for (size_t i = 0; i < LENGTH(keys); i++)
            fact_add(p->a, set, keys[i], NULL, why);
        return;
    }
    fact_number(p, set, "size", times(s.f_blocks, s.f_frsize), "statvfs");
    fact_number(p, set, "used",
                s.f_bfree > s.f_blocks ? UNKNOWN : times(s.f_blocks - s.f_bfree, s.f_frsize),
                "statvfs");
    fact_number(p, set, "available", times(s.f_bavail, s.f_frsize), "statvfs");
    /* btrfs and others make inodes as they go and say 0 */
    bool counted = s.f_files > 0;
    const char *source = counted ? "statvfs" : "this file system has no fixed number";
    fact_number(p, set, "inodes", counted ? times(s.f_files, 1) : UNKNOWN, source);
    fact_number(p, set, "inodes_free", counted ? times(s.f_ffree, 1) : UNKNOWN, source);
    fact_number(p, set, "fs_block", times(s.f_frsize, 1), "statvfs");
}
