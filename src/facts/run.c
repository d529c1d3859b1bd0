/*
 * run.c: the door through which probes start programs: found, limited in time, and never asked
 * again once one did not answer, since its siblings would hang as well.
 */
#include <errno.h>

#include "probe.h"
#include "zhist/spawn.h"

enum { OUT_MAX = 16 << 20 };

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

const char *probe_run_any(struct probe *p, const char *const *argv, enum run_limit limit,
                          size_t *len, int *code, const char **why) {
    struct spawn_result r;
    struct err e = {0};
    *code = 0;
    if (!p->live)
        return from_tree(p, argv, len, why);
    for (size_t i = 0; i < p->n_silent; i++)
        if (!strcmp(p->silent[i], argv[0])) {
            *why = arena_fmt(p->a, "%s: not asked, it did not answer before", called(p->a, argv));
            return NULL;
        }
    if (spawn(p->a, argv, (int64_t)limit * 1000000, OUT_MAX, &r, &e)) {
        *why = e.code == ENOENT ? arena_fmt(p->a, "%s: not installed", argv[0])
                                : arena_str(p->a, e.text);
        return NULL;
    }
    *len = r.len;
    const char *name = called(p->a, argv);
    if (r.timed_out) {
        *array_add(p->a, p->silent, p->n_silent, p->cap_silent) = arena_str(p->a, argv[0]);
        *why = arena_fmt(p->a, "%s: no answer within %g s", name, limit / 1000.0);
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
