/*
 * property.c: what `zfs get` and `zpool get` print, text (-Hp, four columns) and JSON (-j -p), as
 * one list; both forms give the same values and sources.
 *
 * The text form ends a line of a value like a row. What a user may write freely is read with care:
 * a value of more than one line is unknown, and its lines are never taken for rows. Native
 * properties come before the users' own, pool features behind them (zfs_expand_proplist,
 * zpool_expand_proplist in OpenZFS); a native row behind a user's row is a line of a value.
 */
#include "zhist/json.h"
#include "zhist/zfs.h"

static const char many_lines[] = "a value of more than one line";

/* Users' own names hold a colon (zfsprops(7)). */
static bool is_user(const char *name) {
    return strchr(name, ':');
}

/* May hold a tab or a line feed: free text and paths. */
static bool is_free(const char *name) {
    static const char *const names[] = {"mountpoint",  "sharenfs", "sharesmb",
                                        "keylocation", "altroot",  "cachefile"};
    for (size_t i = 0; i < LENGTH(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return is_user(name);
}

static bool is_source(const char *text) {
    static const char *const words[] = {"-", "default", "local", "received", "temporary"};
    static const char inherited[] = "inherited from ";
    for (size_t i = 0; i < LENGTH(words); i++)
        if (!strcmp(text, words[i]))
            return true;
    return !strncmp(text, inherited, sizeof inherited - 1) && text[sizeof inherited - 1];
}

static struct property *find(const struct property_list *list, size_t from, const char *name) {
    for (size_t i = from; i < list->n; i++)
        if (!strcmp(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

/* ---- text ------------------------------------------------------------------------------------ */

struct reader {
    struct arena *a;
    struct property_list *list;
    const char *of; /* of the rows since `first` */
    size_t first;
    bool users, open; /* a user's row was seen; a value goes on in the next line */
};

/* 0: a row or a line of a value; -1: neither. The line is ours to cut. */
static int read_line(struct reader *r, char *line) {
    char *name = strchr(line, '\t'), *value = name ? strchr(name + 1, '\t') : NULL, *source = NULL;
    if (value && value > name + 1 && name > line) {
        *name++ = *value++ = '\0';
        if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789:@._+-#ABCDEFGHIJKLMNOPQRSTUVWXYZ") <
            strlen(name))
            value = NULL;
    } else {
        value = NULL;
    }
    if (!value)
        return r->open ? 0 : -1;
    if (!r->of || strcmp(r->of, line)) {
        if (r->open)
            return 0;
        *r = (struct reader){r->a, r->list, arena_str(r->a, line), r->list->n, false, false};
    }
    if (r->users && !is_user(name) && strncmp(name, "feature@", 8) &&
        strncmp(name, "unsupported@", 12))
        return 0;
    char *end = strrchr(value, '\t');
    if (end && is_source(end + 1)) {
        *end = '\0';
        source = end + 1;
    }
    if ((!source || strchr(value, '\t')) && !is_free(name))
        return r->open ? 0 : -1;
    r->open = !source;
    r->users |= is_user(name);
    struct property *had = find(r->list, r->first, name);
    if (had) { /* zfs prints each once: one of the two is a line of a value */
        had->value = NULL;
        had->source = "printed twice";
        return 0;
    }
    *array_add(r->a, r->list->items, r->list->n, r->list->cap) =
        (struct property){.of = r->of,
                          .name = arena_str(r->a, name),
                          .value = source ? arena_str(r->a, value) : NULL,
                          .source = source ? arena_str(r->a, source) : many_lines};
    return 0;
}

int properties_from_text(struct arena *a, const char *text, size_t len, struct property_list *list,
                         struct err *e) {
    struct reader r = {.a = a, .list = list};
    size_t number = 0;
    for (const char *at = text, *end = text + len; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        number++;
        if (!stop)
            return err_set(e, ERR_FAILED, "line %zu ends in the middle", number);
        if (memchr(at, '\0', (size_t)(stop - at)) ||
            read_line(&r, arena_copy(a, at, (size_t)(stop - at))))
            return err_set(e, ERR_FAILED, "line %zu is not name, property, value and source",
                           number);
        at = stop + 1;
    }
    return 0;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* As the text form has it: "inherited from tank". */
static const char *source_of(struct arena *a, const struct json *source) {
    static const char *const words[][2] = {{"NONE", "-"},
                                           {"DEFAULT", "default"},
                                           {"LOCAL", "local"},
                                           {"RECEIVED", "received"},
                                           {"TEMPORARY", "temporary"}};
    const char *type = json_text(source, "type"), *data = json_text(source, "data");
    if (!type)
        return "no source";
    for (size_t i = 0; i < LENGTH(words); i++)
        if (!strcmp(type, words[i][0]))
            return words[i][1];
    return !strcmp(type, "INHERITED") && data ? arena_fmt(a, "inherited from %s", data) : type;
}

/* With --json-int zfs prints every number beyond 2^63-1 as just that (2.3, 2.4). */
static const char *value_of(const struct json *property, const char **why) {
    const struct json *value = json_get(property, "value");
    if (value && value->type == JSON_INTEGER && value->integer == INT64_MAX) {
        *why = "too large for --json-int";
        return NULL;
    }
    *why = "no value";
    return json_text(property, "value");
}

static void read_properties(struct arena *a, const char *of, const struct json *properties,
                            struct property_list *list) {
    for (const struct json *j = properties ? properties->first : NULL; j; j = j->next) {
        const char *why, *value = value_of(j, &why);
        *array_add(a, list->items, list->n, list->cap) =
            (struct property){.of = of,
                              .name = j->key,
                              .value = value,
                              .source = value ? source_of(a, json_get(j, "source")) : why};
    }
}

int properties_from_json(struct arena *a, const char *text, size_t len, struct property_list *list,
                         struct err *e) {
    const struct json *root = json_read(a, text, len, e);
    if (!root)
        return -1;
    const struct json *version = json_get(root, "output_version");
    const char *major = json_text(version, "vers_major"), *minor = json_text(version, "vers_minor");
    if (!major)
        return err_set(e, ERR_FAILED, "JSON without an output_version");
    if (strcmp(major, "0"))
        return err_set(e, ERR_FAILED, "JSON of version %s.%s, not 0.x", major, minor ? minor : "?");
    const struct json *all = json_get(root, "datasets");
    if (!all)
        all = json_get(root, "pools");
    if (!all || all->type != JSON_OBJECT)
        return err_set(e, ERR_FAILED, "JSON without datasets or pools");
    for (const struct json *j = all->first; j; j = j->next) {
        const struct json *properties = json_get(j, "properties");
        if (!properties || properties->type != JSON_OBJECT)
            return err_set(e, ERR_FAILED, "JSON without properties of '%s'", j->key);
        read_properties(a, j->key, properties, list);
    }
    return 0;
}
