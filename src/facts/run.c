/*
 * run.c: the door through which probes start programs: found, limited in time each and together,
 * and not asked again once one did not answer. zfs and zpool wait for the same locks of the kernel:
 * where one is silent the other gets a moment only.
 */
#include <errno.h>

#include "probe.h"
#include "zhist/spawn.h"

enum { OUT_MAX = 16 << 20 };
/* Of all programs of a probe. Many datasets on a slow machine take some seconds. */
static const int64_t BUDGET = 15 * NS_PER_S;

/* The words of the call that say what was asked: "zpool status". */
static const char *called(struct arena *a, const char *const *argv) {
    return argv[1] && argv[1][0] != '-' ? arena_fmt(a, "%s %s", argv[0], argv[1])
                                        : arena_str(a, argv[0]);
}

static const char *from_tree(struct probe *p, const char *const *argv, size_t *len,
                             const char **why) {
    struct buf name = {0};
    struct err e = {0};
    char *text;
    buf_str(&name, argv[0]);
    for (size_t i = 1; argv[i]; i++)
        buf_fmt(&name, "_%s", argv[i]);
    for (char *c = name.data; c && *c; c++)
        *c = *c == ' ' ? '_' : *c == '/' ? '-' : *c;
    const char *path = arena_fmt(p->a, "%s/run/%s.txt", p->root, name.data);
    buf_release(&name);
    if (!file_read(p->a, path, OUT_MAX, &text, len, &e))
        return text;
    *why = arena_fmt(p->a, "%s: not installed", argv[0]);
    return NULL;
}

/* Of many snapshots a list takes long: that says nothing of other questions. */
static bool is_list(const char *const *argv) {
    return !strcmp(argv[0], "zfs") && argv[1] && !strcmp(argv[1], "list");
}

static bool silent(const struct probe *p, const char *name) {
    for (size_t i = 0; i < p->n_silent; i++)
        if (!strcmp(p->silent[i], name))
            return true;
    return false;
}

static void keep_silent(struct probe *p, const char *const *argv) {
    *array_add(p->a, p->silent, p->n_silent, p->cap_silent) =
        is_list(argv) ? called(p->a, argv) : arena_str(p->a, argv[0]);
}

/* ns it may take, 0: it is not asked, and *why. */
static int64_t time_for(struct probe *p, const char *const *argv, enum run_limit limit,
                        const char **why) {
    const char *name = called(p->a, argv), *sibling = !strcmp(argv[0], "zfs")     ? "zpool"
                                                      : !strcmp(argv[0], "zpool") ? "zfs"
                                                                                  : "";
    int64_t time = (int64_t)limit * 1000000, left = BUDGET - p->run_spent;
    if (silent(p, argv[0]) || silent(p, name)) {
        *why = arena_fmt(p->a, "%s: not asked, it did not answer before", name);
        return 0;
    }
    if (left <= 0) {
        *why = arena_fmt(p->a, "%s: not asked, the programs before it took %lld s", name,
                         (long long)(BUDGET / NS_PER_S));
        return 0;
    }
    if (silent(p, sibling) && time > RUN_SHORT_MS * INT64_C(1000000))
        time = RUN_SHORT_MS * INT64_C(1000000);
    return time < left ? time : left;
}

const char *probe_run_any(struct probe *p, const char *const *argv, enum run_limit limit,
                          size_t *len, int *code, const char **why) {
    struct spawn_result r;
    struct err e = {0};
    *code = 0;
    if (!p->live)
        return from_tree(p, argv, len, why);
    int64_t time = time_for(p, argv, limit, why), began = clock_monotonic_ns();
    if (!time)
        return NULL;
    int failed = spawn(p->a, argv, time, OUT_MAX, &r, &e);
    p->run_spent += clock_monotonic_ns() - began;
    if (failed) {
        *why = e.code == ENOENT ? arena_fmt(p->a, "%s: not installed", argv[0])
                                : arena_str(p->a, e.text);
        return NULL;
    }
    *len = r.len;
    const char *name = called(p->a, argv);
    if (r.timed_out) {
        keep_silent(p, argv);
        *why = arena_fmt(p->a, "%s: no answer within %.3g s", name, (double)time / 1e9);
    } else if (r.truncated) {
        *why = arena_fmt(p->a, "%s: printed more than %d MiB", name, OUT_MAX >> 20);
    } else if (r.signal) {
        *why = arena_fmt(p->a, "%s: ended by signal %d", name, r.signal);
    } else {
        *code = r.exit_code;
        if (r.exit_code)
            *why = arena_fmt(p->a, "%s: exit %d%s%s", name, r.exit_code, *r.complaint ? ": " : "",
                             r.complaint);
        return r.out;
    }
    return NULL;
}

const char *probe_run(struct probe *p, const char *const *argv, enum run_limit limit, size_t *len,
                      const char **why) {
    int code;
    const char *text = probe_run_any(p, argv, limit, len, &code, why);
    return code ? NULL : text;
}
