/*
 * status_text.c: zpool status as text, OpenZFS 0.6 to 2.4 and its elders, into pools.
 *
 * Made for reading by people, so nothing is taken on trust: columns are those of the header, a row
 * must have a state, the tree is built from what can stand under what where the indent is off (the
 * published text was pasted by hand). What cannot be read is said with its line, and the rest is
 * still read; nothing is invented for what is missing.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "status.h"

enum { DEPTH_MAX = 16 };

enum part {
    PART_NONE,   /* before the first pool */
    PART_VALUE,  /* lines that go on with the last key */
    PART_CONFIG, /* behind "config:", before the header of the table */
    PART_TABLE,
    PART_FILES, /* damaged files, a line each */
    PART_SKIP   /* what we do not read, or what has no beginning */
};

struct reader {
    struct arena *a;
    struct pool_list *list;
    struct err *e;
    bool failed;
    size_t line;
    enum part part;
    bool closed; /* the table has an end */
    bool paths;  /* leaves are told by their paths, as with -P */
    size_t base; /* spaces in front of the whole text, where it was pasted */

    struct pool pool;
    bool open, beginning, config; /* a pool is being read; with its first line; up to its tree */
    const char *key;
    struct buf value; /* of key */
    bool scanned;     /* a scan line was there */
    struct buf scans;

    struct columns columns;
    const char *class;
    struct {
        size_t indent;
        struct vdev *v;
    } above[DEPTH_MAX];
    size_t depth;
};

/* The first complaint stays. */
static void complain(struct reader *r, const char *what, const char *subject) {
    if (!r->failed)
        err_set(r->e, ERR_FAILED, "line %zu: %s%s%.100s%s", r->line, what, subject ? ": '" : "",
                subject ? subject : "", subject ? "'" : "");
    r->failed = true;
}

/* ---- the lines with a key -------------------------------------------------------------------- */

static void scan_line(struct reader *r, const char *text) {
    struct scan scan;
    scan_from_text(r->a, text, &scan);
    buf_fmt(&r->scans, "%s%s", r->scanned ? "; " : "", scan.text);
    r->pool.scan = r->scanned ? *scan_to_tell(&r->pool.scan, &scan) : scan;
    r->scanned = true;
}

/* "remove:" and "expand:": under way, over, or words that are not known. */
static enum told under_way(const char *text) {
    static const char *const over[] = {"completed on", "canceled on", "expanded ", "Removal of "};
    if (strstr(text, "in progress"))
        return TOLD_YES;
    for (size_t i = 0; i < LENGTH(over); i++)
        if (strstr(text, over[i]))
            return TOLD_NO;
    return TOLD_NOTHING;
}

static void errors_line(struct reader *r, const char *text) {
    size_t len = strspn(text, "0123456789");
    const char *comma = strstr(text, ", use '-v'");
    if (r->pool.errors) /* of a suspended pool: the number, then that they cannot be listed */
        return;
    r->pool.errors = comma ? arena_copy(r->a, text, (size_t)(comma - text)) : text;
    if (!strcmp(text, "No known data errors"))
        r->pool.data_errors = 0;
    else if (len && !strncmp(text + len, " data error", 11))
        r->pool.data_errors = zfs_count(text, len);
}

/* The key's lines are all there. */
static void value_ends(struct reader *r) {
    const char *key = r->key, *text;
    if (!key)
        return;
    text = zfs_one_line(r->a, r->value.data ? r->value.data : "", r->value.len);
    r->key = NULL;
    r->value.len = 0;
    if (!strcmp(key, "state"))
        r->pool.state = *text ? text : NULL;
    else if (!strcmp(key, "status"))
        r->pool.status = text;
    else if (!strcmp(key, "action"))
        r->pool.action = text;
    else if (!strcmp(key, "scan") || !strcmp(key, "scrub"))
        scan_line(r, text);
    else if (!strcmp(key, "remove"))
        r->pool.removing = under_way(text);
    else if (!strcmp(key, "expand"))
        r->pool.expanding = under_way(text);
    else if (!strcmp(key, "errors"))
        errors_line(r, text);
}

/* With -P a leaf has a path, or its guid where it was not found; else it is none. */
static void doubt_leaves(struct vdev *v) {
    if (!strcmp(v->type, "disk") && !v->n_below && *v->name != '/' &&
        v->name[strspn(v->name, "0123456789")])
        v->type = "unknown";
    for (size_t i = 0; i < v->n_below; i++)
        doubt_leaves(v->below[i]);
}

static void tree_ends(struct reader *r) {
    struct pool *p = &r->pool;
    if (r->paths)
        doubt_leaves(p->root);
    p->unsure = r->closed ? vdev_lacks(r->a, p->root) : NULL;
    if (!r->closed) {
        const char *far = vdev_unsure(r->a, p->root) ? NULL : pool_layout(r->a, p);
        p->unsure =
            arena_fmt(r->a, "the answer of zpool status is cut: nothing follows its table%s%s",
                      far ? ", which says so far: " : "", far ? far : "");
    }
    if (p->unsure)
        complain(r, p->unsure, NULL);
    else
        p->unsure = vdev_unsure(r->a, p->root);
}

static void pool_ends(struct reader *r) {
    struct pool *p = &r->pool;
    value_ends(r);
    if (p->errors && !strncmp(p->errors, "Permanent errors", 16))
        p->errors = arena_fmt(r->a, "%lld data errors", (long long)p->data_errors);
    if (r->open && p->name && *p->name) {
        const char *missing = !r->beginning ? "the beginning of this pool is missing"
                              : !r->config  ? "the answer of zpool status is cut: it ends before "
                                              "the scan line is certain"
                                            : NULL;
        if (missing) {
            p->scan = (struct scan){.kind = SCAN_NOT_UNDERSTOOD, .done = NAN, .text = missing};
            p->removing = p->expanding = TOLD_NOTHING;
            p->headless = true;
            complain(r, missing, p->name);
        } else if (!r->scanned) {
            p->scan = (struct scan){SCAN_NEVER, SCAN_IDLE, NULL, NULL, NAN, "none requested"};
        } else {
            p->scan.text = arena_str(r->a, r->scans.data);
        }
        if (p->root) {
            tree_ends(r);
        } else {
            p->trimming = p->initializing = TOLD_NOTHING;
            p->unsure = missing ? missing : "the answer of zpool status is cut: it has no vdevs";
            complain(r, p->unsure, p->name);
        }
        p->suspended = zfs_says_suspended(p->state, p->status);
        *array_add(r->a, r->list->items, r->list->n, r->list->cap) = *p;
    }
    r->open = r->scanned = r->config = r->beginning = r->closed = r->paths = false;
    r->scans.len = 0;
}

static void pool_begins(struct reader *r, const char *name, bool beginning) {
    pool_ends(r);
    r->pool = (struct pool){.name = name,
                            .data_errors = UNKNOWN,
                            .removing = TOLD_NO,
                            .expanding = TOLD_NO,
                            .trimming = TOLD_NO,
                            .initializing = TOLD_NO};
    r->open = true;
    r->beginning = beginning;
}

/* "  scan: text" at the left side: *rest is the text. Keys are never further in than six. */
static const char *key_of(struct reader *r, size_t indent, const char *body, const char **rest) {
    size_t len = 0;
    while (islower((unsigned char)body[len]))
        len++;
    if (!len || body[len] != ':' || (body[len + 1] && !isspace((unsigned char)body[len + 1])))
        return NULL;
    *rest = body + len + 1 + strspn(body + len + 1, " \t");
    const char *key = arena_copy(r->a, body, len);
    bool row_or_file = r->part == PART_FILES || r->part == PART_TABLE;
    if (!strcmp(key, "pool") && !row_or_file) /* either may be called so */
        r->base = indent > 2 ? indent - 2 : 0;
    return indent < r->base + 8 ? key : NULL;
}

static void key_line(struct reader *r, const char *key, const char *rest) {
    value_ends(r);
    if (r->part == PART_TABLE && !strcmp(key, "errors"))
        r->closed = true;
    if (!strcmp(key, "pool")) {
        pool_begins(r, zfs_one_line(r->a, rest, strlen(rest)), true);
        if (!*r->pool.name)
            complain(r, "a pool without a name", NULL);
        r->part = PART_VALUE;
        return;
    }
    if (!r->open) {
        complain(r, "a part of a pool whose beginning is missing", key);
        r->part = PART_SKIP;
        return;
    }
    r->part = PART_VALUE;
    r->key = key;
    r->value.len = 0;
    buf_str(&r->value, rest);
    if (!strcmp(key, "config")) {
        r->config = true;
        r->part = PART_CONFIG;
    } else if (!strcmp(key, "errors") && !strncmp(rest, "Permanent errors", 16)) {
        value_ends(r);
        r->pool.data_errors = 0;
        r->part = PART_FILES;
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool header_line(struct reader *r, size_t indent, const char *body) {
    struct columns columns;
    if (!row_columns(&columns, indent, body))
        return false;
    if (r->pool.root && r->open) {
        complain(r, "a second table of one pool", r->pool.name);
        r->part = PART_SKIP;
        return true;
    }
    r->columns = columns;
    r->class = "data";
    r->depth = 0;
    r->part = PART_TABLE;
    return true;
}

static bool top_level_only(const struct vdev *v) {
    return !strncmp(v->type, "mirror", 6) || !strncmp(v->type, "raidz", 5) ||
           !strncmp(v->type, "draid", 5);
}

/*
 * Under which vdev a row stands. Two columns an indent, but: a disk has nothing below it, a mirror
 * or raidz stands at the top, and nothing but the root is made of a single disk. In this order they
 * set right what the indent has wrong.
 */
static struct vdev *parent_of(struct reader *r, size_t indent, const struct vdev *v) {
    bool leaf = vdev_is_leaf(v);
    while (r->depth > 1) {
        const struct vdev *above = r->above[r->depth - 1].v;
        bool short_of_disks = leaf && !vdev_is_leaf(above) && above->n_below < 2;
        if (!vdev_is_leaf(above) && !top_level_only(v) &&
            (r->above[r->depth - 1].indent < indent || short_of_disks))
            break;
        r->depth--;
    }
    return r->above[r->depth - 1].v;
}

/* What has rows below it is no disk: a vdev of a kind that is not known. zpool numbers what it
 * makes and indents by two columns: other names are believed to be disks where the indent is off.
 */
static void has_below(struct reader *r, size_t indent, const struct vdev *v) {
    struct vdev *above = r->depth > 1 ? r->above[r->depth - 1].v : NULL;
    size_t at = above ? r->above[r->depth - 1].indent : 0;
    if (!above || indent <= at || strcmp(above->type, "disk") || *above->name == '/' ||
        !above->name[strspn(above->name, "0123456789")])
        return;
    bool in_place = at > r->above[r->depth - 2].indent;
    if (vdev_is_numbered(above->name) || (in_place && indent == at + 2 && !top_level_only(v)))
        above->type = "unknown";
}

static void row(struct reader *r, size_t indent, const char *body) {
    const char *class = row_class(body), *state = row_state(&r->columns, indent, body);
    if (class && r->pool.root && (!state || indent <= r->columns.name_indent)) {
        r->class = class;
        r->depth = 1;
        return;
    }
    if (!state) {
        complain(r, "a vdev without its state", body);
        return;
    }
    size_t len = (size_t)(state - body);
    while (len && isspace((unsigned char)body[len - 1]))
        len--;
    struct vdev *v = vdev_add(r->a, NULL, arena_copy(r->a, body, len));
    size_t state_len = strcspn(state, " \t");
    v->state = arena_copy(r->a, state, state_len);
    v->type = vdev_type_of_name(r->a, v->name);
    v->class = r->class;
    if (!r->pool.root)
        v->type = "root";
    else if (!v->type)
        v->type = vdev_type_of_leaf(v->name);
    if (*v->name == '/' && vdev_is_leaf(v))
        v->path = v->name;
    r->paths |= v->path && !strncmp(v->path, "/dev/", 5) && strncmp(v->path, "/dev/shm/", 9);
    bool spare = !strcmp(v->state, "AVAIL") || !strcmp(v->state, "INUSE");
    if (row_counters(r->a, &r->columns, state + state_len, v) < r->columns.counters && !spare)
        complain(r, "a vdev without its counters", v->name);
    if (v->note && !strncmp(v->note, "was /", 5) && vdev_is_leaf(v))
        v->type = vdev_type_of_leaf(v->note + 4);
    row_activity(&r->pool, v->note);
    if (!r->pool.root) {
        r->pool.root = v;
        if (!r->pool.name) { /* the table is all there is */
            r->pool.name = v->name;
            r->pool.state = v->state;
        }
    } else {
        has_below(r, indent, v);
        struct vdev *parent = parent_of(r, indent, v);
        *array_add(r->a, parent->below, parent->n_below, parent->cap_below) = v;
    }
    if (r->depth == DEPTH_MAX)
        r->depth--;
    r->above[r->depth].indent = indent;
    r->above[r->depth++].v = v;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void other_line(struct reader *r, size_t indent, const char *body) {
    switch (r->part) {
    case PART_TABLE:
        row(r, indent, body);
        break;
    case PART_VALUE:
        if (r->key) {
            buf_str(&r->value, " ");
            buf_str(&r->value, body);
        }
        break;
    case PART_FILES:
        r->pool.data_errors++;
        break;
    case PART_NONE:
    case PART_CONFIG:
        if (header_line(r, indent, body)) {
            if (!r->open) {
                complain(r, "a part of a pool whose beginning is missing", body);
                pool_begins(r, NULL, false);
                r->part = PART_TABLE;
            }
        } else if (r->part == PART_NONE && strcmp(body, "no pools available")) {
            complain(r, "a part of a pool whose beginning is missing", body);
            r->part = PART_SKIP;
        }
        break;
    case PART_SKIP:
        break;
    }
}

static void line(struct reader *r, const char *text) {
    size_t indent = 0, len = strlen(text);
    const char *body = text, *key, *rest;
    for (; *body == ' ' || *body == '\t'; body++)
        indent = *body == '\t' ? (indent / 8 + 1) * 8 : indent + 1;
    while (len && isspace((unsigned char)text[len - 1]))
        len--;
    body = text + len > body ? arena_copy(r->a, body, (size_t)(text + len - body)) : "";
    if (!*body) {
        if (r->part == PART_TABLE && r->depth) {
            r->closed = true;
            r->part = PART_VALUE;
            r->key = NULL;
        }
    } else if ((key = key_of(r, indent, body, &rest)) &&
               (r->part != PART_FILES || indent < r->base + 8)) {
        key_line(r, key, rest);
    } else {
        other_line(r, indent, body);
    }
}

int pools_from_text(struct arena *a, const char *text, size_t len, struct pool_list *list,
                    struct err *e) {
    struct reader r = {.a = a, .list = list, .e = e};
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        r.line++;
        if (!end || memchr(text + at, '\0', n)) { /* half a line says nothing */
            complain(&r, "the answer of zpool status is cut: this line is not whole", NULL);
            break;
        }
        line(&r, arena_copy(a, text + at, n));
        at += n + 1;
        /* What people publish often ends with its table. An answer cut there looks the same, but
         * who prints half an answer was killed, and is not read at all. */
        r.closed |= at == len;
    }
    pool_ends(&r);
    buf_release(&r.value);
    buf_release(&r.scans);
    return r.failed ? -1 : 0;
}
