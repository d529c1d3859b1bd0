/*
 * known.c: a filter with a slip in it finds nothing, which looks like an answer. So what it names
 * is looked up first; must not decide what a report shows.
 */
#include "known.h"
#include "zhist/unit.h"

enum { MOST_TOLD = 20 }; /* values in a sentence */

int known_read(struct arena *a, struct db *db, struct known *known, struct err *e) {
    struct query *q;
    int status;
    *known = (struct known){.arena = a, .db = db};
    if (db_query(db, "list_names", &q, e))
        return -1;
    while ((status = query_step(q, e)) > 0)
        *array_add(a, known->names, known->n, known->cap) = (struct known_name){
            arena_str(a, query_get_text(q, "kind")), arena_str(a, query_get_text(q, "name"))};
    return status;
}

static bool has(const struct known *known, const char *kind, const char *name) {
    for (size_t i = 0; i < known->n; i++)
        if (!strcmp(known->names[i].kind, kind) && !strcmp(known->names[i].name, name))
            return true;
    return false;
}

/* "--by", "show facts": how the name was given. */
static const char *given(const struct known *known, const char *option) {
    return strchr(option, ' ') ? option : arena_fmt(known->arena, "--%s", option);
}

/* "a, b, c and 4 more" */
static const char *told(struct arena *a, const char *const *names, size_t n) {
    struct buf list = {0};
    for (size_t i = 0; i < n && i < MOST_TOLD; i++)
        buf_fmt(&list, "%s%s", i ? ", " : "", names[i]);
    if (n > MOST_TOLD)
        buf_fmt(&list, " and %zu more", n - MOST_TOLD);
    const char *text = list.len ? arena_copy(a, list.data, list.len) : "none";
    buf_release(&list);
    return text;
}

static int unknown(const struct known *known, const char *kind, const char *option,
                   const char *value, struct err *e) {
    /* Facts also under their bare key, as they may be written. */
    const char **names = arena_new(known->arena, const char *, 2 * known->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < known->n; i++) {
        if (strcmp(known->names[i].kind, kind))
            continue;
        names[n++] = known->names[i].name;
        if (!strcmp(kind, "fact") && !strchr(value, '.'))
            names[n++] = strchr(known->names[i].name, '.') + 1;
    }
    const char *near = word_nearest(value, names, n);
    if (near)
        return err_set(e, ERR_USAGE,
                       "%s \"%s\": this history has no such %s; did you mean "
                       "\"%s\"?",
                       given(known, option), value, kind, near);
    if (!strcmp(kind, "metric") || !strcmp(kind, "label") || !strcmp(kind, "dataset"))
        return err_set(e, ERR_USAGE, "%s \"%s\": this history has no such %s; there %s %s",
                       given(known, option), value, kind, n == 1 ? "is" : "are",
                       told(known->arena, names, n));
    return err_set(e, ERR_USAGE,
                   "%s \"%s\": this history has no such %s; zhist show %ss lists "
                   "them",
                   given(known, option), value, kind, kind);
}

int known_check(const struct known *known, const char *option, const char *value, struct err *e) {
    static const char *const plain[] = {"host", "target", "workload", "metric", "label", "dataset"};
    if (!strcmp(option, "metric") && !strcmp(value, "all"))
        return 0;
    for (size_t i = 0; i < LENGTH(plain); i++)
        if (!strcmp(option, plain[i]))
            return has(known, option, value) ? 0 : unknown(known, option, option, value, e);
    return 0;
}

/* ---- facts
 * --------------------------------------------------------------------------------------- */

/* States of this name, "" for none: they lie with the runs, which is a longer look. */
static int find_states(const struct known *known, const char *name, const char **list,
                       struct err *e) {
    const char **names = NULL;
    size_t n = 0, cap = 0;
    struct query *q;
    int status;
    if (db_query(known->db, "find_states", &q, e))
        return -1;
    query_text(q, "name", name);
    while ((status = query_step(q, e)) > 0)
        *array_add(known->arena, names, n, cap) =
            arena_str(known->arena, query_get_text(q, "name"));
    *list = n ? told(known->arena, names, n) : "";
    return status;
}

static int ambiguous(const struct known *known, const char *option, const char *name,
                     const char *list, struct err *e) {
    return err_set(e, ERR_USAGE,
                   "%s \"%s\" is the name of several facts: %s; write one of them "
                   "in full",
                   given(known, option), name, list);
}

int known_fact(const struct known *known, const char *option, const char *name, const char **full,
               bool *state, struct err *e) {
    const char **kinds = arena_new(known->arena, const char *, known->n + 1), *states;
    size_t n = 0;
    if (state)
        *state = false;
    for (size_t i = 0; i < known->n; i++) {
        const char *fact = known->names[i].name;
        if (strcmp(known->names[i].kind, "fact"))
            continue;
        if (!strcmp(fact, name)) {
            *full = fact;
            return 0;
        }
        if (strcmp(strchr(fact, '.') + 1, name))
            continue;
        if (!strncmp(fact, "dataset.", 8)) { /* what people mean by recordsize, name, readonly */
            *full = fact;
            return 0;
        }
        kinds[n++] = fact;
    }
    if (n == 1) {
        *full = kinds[0];
        return 0;
    }
    if (n > 1)
        return ambiguous(known, option, name, told(known->arena, kinds, n), e);
    if (find_states(known, name, &states, e))
        return -1;
    if (!*states)
        return unknown(known, "fact", option, name, e);
    if (!state)
        return err_set(e, ERR_USAGE,
                       "%s \"%s\": %s is a state: it moves by itself, so runs are "
                       "not compared by it; zhist show facts %s lists its values",
                       given(known, option), name, states, states);
    if (strstr(states, ", "))
        return ambiguous(known, option, name, states, e);
    *state = true;
    *full = states;
    return 0;
}

int known_by(const struct known *known, const char *value, const char **full, struct err *e) {
    *full = value;
    if (!strcmp(value, "target") || !strcmp(value, "host") || !strcmp(value, "run"))
        return 0;
    if (!strncmp(value, "label:", 6))
        return has(known, "label", value + 6) ? 0 : unknown(known, "label", "by", value + 6, e);
    return known_fact(known, "by", value, full, NULL, e);
}

/* "128K" and 131072, "32 GiB" and 34359738368: the sizes the program writes and those people do. */
static bool same_size(struct arena *a, const char *one, const char *other) {
    const char *texts[] = {one, other};
    int64_t bytes[2];
    for (size_t i = 0; i < 2; i++) {
        char *text = arena_str(a, texts[i]), *to = text;
        for (const char *c = text; *c; c++)
            if (*c != ' ')
                *to++ = *c;
        *to = '\0';
        if (unit_read_size(text, &bytes[i]))
            return false;
    }
    return bytes[0] == bytes[1];
}

int known_values(const struct known *known, const char *option, const char *by, const char *text,
                 const char *const **values, size_t *n_values, struct err *e) {
    struct arena *a = known->arena;
    const char **all = NULL, **meant = NULL;
    size_t n = 0, cap = 0, n_meant = 0, cap_meant = 0;
    struct query *q;
    int status;
    if (db_query(known->db, "list_values", &q, e))
        return -1;
    query_text(q, "by", by);
    while ((status = query_step(q, e)) > 0) {
        const char *value = arena_str(a, query_get_text(q, "value"));
        if (!value)
            continue;
        *array_add(a, all, n, cap) = value;
        if (!strcmp(value, text) || same_size(a, value, text))
            *array_add(a, meant, n_meant, cap_meant) = value;
    }
    if (status < 0)
        return -1;
    *values = meant;
    *n_values = n_meant;
    if (n_meant)
        return 0;
    const char *near = word_nearest(text, all, n);
    if (near)
        return err_set(e, ERR_USAGE, "%s \"%s\": %s never had this value; did you mean \"%s\"?",
                       given(known, option), text, by, near);
    return err_set(e, ERR_USAGE, "%s \"%s\": %s never had this value; there %s %s",
                   given(known, option), text, by, n == 1 ? "is" : "are", told(a, all, n));
}

int known_baseline(const struct known *known, const char *by, const char **value, struct err *e) {
    const char *const *values;
    size_t n;
    if (!by) /* targets, else before and after an event */
        return has(known, "target", *value) || !strcmp(*value, "before") || !strcmp(*value, "after")
                   ? 0
                   : unknown(known, "target", "baseline", *value, e);
    if (strstr(*value, " | ") || !strcmp(*value, "unknown"))
        return 0;
    if (known_values(known, "baseline", by, *value, &values, &n, e))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(values[i], *value))
            return 0;
    if (n)
        *value = values[0];
    return 0;
}
