/*
 * spawn.h: starting a program by argument vector, with a time limit; never through a shell.
 *
 * The program is looked for in PATH and then in /usr/local/sbin, /usr/sbin, /sbin, /usr/local/bin,
 * /usr/bin, /bin (cron's PATH lacks them). It gets LC_ALL=C and TZ unchanged, no standard input,
 * no descriptor of ours, a process group of its own, and dies with its parent. When the limit
 * passes, or when it prints too much, its group is killed; a program that cannot be killed (a zpool
 * waiting for a suspended pool) is left behind and reaped by a later call: the caller never waits
 * for it. What a program leaves running when it ends is neither waited for nor killed.
 * Threads may call it at once.
 */
#ifndef ZHIST_SPAWN_H
#define ZHIST_SPAWN_H

#include "zhist/base.h"

struct spawn_result {
    int exit_code;          /* -1: it did not exit by itself */
    int signal;             /* that ended it, or 0 */
    bool timed_out;         /* the limit passed */
    bool truncated;         /* it printed more than out_max bytes, and was killed for it */
    const char *out;        /* standard output, a NUL behind it */
    size_t len;
    const char *complaint;  /* the first line of its standard error, or "" */
};

/* -1 only where it could not be started: e->code is ENOENT where there is no such program, and
 * nowhere else. What it did otherwise is in *r. limit: ns. */
int spawn(struct arena *a, const char *const *argv, int64_t limit, size_t out_max,
          struct spawn_result *r, struct err *e);

/* Where the program would be found, or NULL. */
const char *spawn_find(struct arena *a, const char *name);

#endif
