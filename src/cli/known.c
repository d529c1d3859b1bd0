/*
 * known.c: a filter with a slip in it finds nothing, which looks like an answer. So what it names
 * is looked up first; must not decide what a report shows.
 */
#include "known.h"
#include "zhist/unit.h"

int known_read(struct arena *a, struct db *db, const char *by, struct known *known, struct err *e) {
    struct query *q;
    int status;
    *known = (struct known){.arena = a};
    if (db_query(db, "list_names", &q, e))
        return -1;
    query_text(q, "by", by);
    while ((status = query_step(q, e)) > 0) {
        const char *name = query_get_text(q, "name");
        if (name)
            *array_add(a, known->names, known->n, known->cap) =
                (struct known_name){arena_str(a, query_get_text(q, "kind")), arena_str(a, name)};
    }
    return status;
}

static bool has(const struct known *known, const char *kind, const char *name) {
    for (size_t i = 0; i < known->n; i++)
        if (!strcmp(known->names[i].kind, kind) && !strcmp(known->names[i].name, name))
            return true;
    return false;
}

static int unknown(const struct known *known, const char *kind, const char *option,
                   const char *value, struct err *e) {
    const char **names = arena_new(known->arena, const char *, known->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < known->n; i++)
        if (!strcmp(known->names[i].kind, kind))
            names[n++] = known->names[i].name;
    const char *near = word_nearest(value, names, n);
    if (near)
        return err_set(e, ERR_USAGE, "--%s \"%s\": this history has no such %s; did you mean "
                                     "\"%s\"?",
                       option, value, kind, near);
    if (!strcmp(kind, "metric") || !strcmp(kind, "label") || !strcmp(kind, "value")) {
        struct buf list = {0};
        for (size_t i = 0; i < n && i < 20; i++)
            buf_fmt(&list, "%s%s", i ? ", " : "", names[i]);
        err_set(e, ERR_USAGE, "--%s \"%s\": this history has no such %s; there %s %s", option,
                value, kind, n == 1 ? "is" : "are", n ? list.data : "none");
        buf_release(&list);
        return -1;
    }
    return err_set(e, ERR_USAGE, "--%s \"%s\": this history has no such %s; zhist show %ss lists "
                                 "them",
                   option, value, kind, kind);
}

int known_check(const struct known *known, const char *option, const char *value, struct err *e) {
    static const char *const plain[] = {"host", "target", "workload", "metric", "label"};
    if (!strcmp(option, "metric") && !strcmp(value, "all"))
        return 0;
    for (size_t i = 0; i < LENGTH(plain); i++)
        if (!strcmp(option, plain[i]))
            return has(known, option, value) ? 0 : unknown(known, option, option, value, e);
    if (!strcmp(option, "by")) {
        if (!strcmp(value, "target") || !strcmp(value, "host") || !strcmp(value, "run"))
            return 0;
        if (!strncmp(value, "label:", 6))
            return has(known, "label", value + 6) ? 0 : unknown(known, "label", "by", value + 6, e);
    }
    if (!strcmp(option, "by") || !strcmp(option, "where"))
        return has(known, "fact", value) ? 0 : unknown(known, "fact", option, value, e);
    return 0;
}

int known_baseline(const struct known *known, const char *by, const char *value, struct err *e) {
    if (!by) /* targets, else before and after an event */
        return has(known, "target", value) || !strcmp(value, "before") || !strcmp(value, "after")
                   ? 0
                   : unknown(known, "target", "baseline", value, e);
    if (strstr(value, " | ") || !strcmp(value, "unknown") || has(known, "value", value))
        return 0;
    return unknown(known, "value", "baseline", value, e);
}
