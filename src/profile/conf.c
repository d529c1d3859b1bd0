/*
 * conf.c: YAML text -> a tree that knows where each thing stood; the only file with <yaml.h>.
 *
 * It uses libyaml's events: the document API takes seconds for a few KB of "[" and hides aliases.
 * It must not know any key: what a field means and which type it has, the asking side decides.
 */
#include "zhist/conf.h"
#include "zhist/unit.h"

#include <yaml.h>

enum {
    MOST_BYTES = 1 << 20,
    MOST_DEPTH = 32,
    MOST_NODES = 5000, /* keeps the search for duplicate keys, which is quadratic, in ms */
    SHOWN_BYTES = 60,
};

struct reader {
    yaml_parser_t parser;
    struct arena *a;
    const char *name;
    struct err *e;
    size_t nodes;
};

/* line and column are 0-based here, as libyaml counts. */
static int fail(struct reader *r, size_t line, size_t column, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

static int fail(struct reader *r, size_t line, size_t column, const char *fmt, ...) {
    struct buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    err_set(r->e, ERR_USAGE, "%s:%zu:%zu: %s", r->name, line + 1, column + 1, b.data);
    buf_release(&b);
    return -1;
}

const char *conf_quoted(struct arena *a, const char *text) {
    size_t len = strlen(text), cut = 0;
    while (cut < len) {
        int step = utf8_length((const unsigned char *)text + cut, len - cut);
        if (step == 0)
            step = 1;
        if (cut + (size_t)step > SHOWN_BYTES)
            break;
        cut += (size_t)step;
    }
    char *shown = arena_fmt(a, "\"%.*s%s\"", (int)cut, text, cut < len ? "..." : "");
    for (char *p = shown; *p; p++)
        if ((unsigned char)*p < 0x20)
            *p = ' ';
    return shown;
}

/* ---- before libyaml sees it ------------------------------------------------------------------ */

static uint32_t decode(const unsigned char *p, int len) {
    if (len == 1)
        return p[0];
    uint32_t c = p[0] & (0x7fu >> len);
    for (int i = 1; i < len; i++)
        c = c << 6 | (p[i] & 0x3fu);
    return c;
}

static bool is_control(uint32_t c) {
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c >= 0x7f && c < 0xa0) ||
           c == 0xfeff || c == 0xfffe || c == 0xffff;
}

/* Libyaml would refuse most of it too, but name a byte offset instead of a place. */
static int check_bytes(struct reader *r, const char *text, size_t len) {
    const unsigned char *p = (const unsigned char *)text;
    size_t line = 0, column = 0;
    for (size_t i = 0; i < len;) {
        int step = utf8_length(p + i, len - i);
        if (step == 0)
            return fail(r, line, column, "byte 0x%02x is not UTF-8 text", p[i]);
        uint32_t c = decode(p + i, step);
        if (c == 0)
            return fail(r, line, column, "a NUL byte: this is not a text file");
        if (is_control(c))
            return fail(r, line, column, "a control character (U+%04X) in the text", (unsigned)c);
        i += (size_t)step;
        column++;
        if (c == '\n' || (c == '\r' && (i == len || p[i] != '\n'))) {
            line++;
            column = 0;
        }
    }
    return 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The character a mark points at, as text of at most 4 bytes. */
static void char_at(const char *text, size_t len, size_t index, char out[5]) {
    size_t i = 0;
    out[0] = '\0';
    while (i < len) {
        int step = utf8_length((const unsigned char *)text + i, len - i);
        if (index-- == 0) {
            memcpy(out, text + i, (size_t)step);
            out[step] = '\0';
            return;
        }
        i += (size_t)step;
    }
}

static int fail_syntax(struct reader *r) {
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "it cannot be read";
    yaml_mark_t at = p->problem_mark;

    if (p->error == YAML_MEMORY_ERROR)
        return err_set(r->e, ERR_FAILED, "cannot read \"%s\": out of memory", r->name);
    if (!strcmp(problem, "found character that cannot start any token")) {
        char c[5];
        char_at((const char *)p->input.string.start,
                (size_t)(p->input.string.end - p->input.string.start), at.index, c);
        if (!strcmp(c, "\t"))
            return fail(r, at.line, at.column, "a tab; YAML is indented with spaces");
        if (*c)
            return fail(r, at.line, at.column, "a text that begins with %s needs quotes", c);
    }
    if (!p->context)
        return fail(r, at.line, at.column, "not YAML: %s", problem);
    if (p->context_mark.line == at.line)
        return fail(r, at.line, at.column, "not YAML: %s %s", problem, p->context);
    return fail(r, at.line, at.column, "not YAML: %s %s that begins in line %zu", problem,
                p->context, p->context_mark.line + 1);
}

static int next_event(struct reader *r, yaml_event_t *event) {
    return yaml_parser_parse(&r->parser, event) ? 0 : fail_syntax(r);
}

static int check_plain(struct reader *r, const yaml_event_t *event, const yaml_char_t *anchor,
                       const yaml_char_t *tag) {
    yaml_mark_t at = event->start_mark;
    if (anchor)
        return fail(r, at.line, at.column, "an anchor (&%s); they are not supported",
                    (const char *)anchor);
    if (tag)
        return fail(r, at.line, at.column, "a tag (%s); they are not supported, quote the text",
                    (const char *)tag);
    return 0;
}

static int read_scalar(struct reader *r, const yaml_event_t *event, const char **text,
                       bool *quoted) {
    yaml_mark_t at = event->start_mark;
    if (check_plain(r, event, event->data.scalar.anchor, event->data.scalar.tag))
        return -1;
    const unsigned char *value = event->data.scalar.value;
    size_t len = event->data.scalar.length;
    for (size_t i = 0; i < len;) { /* "\0" and "\e" come in through escapes */
        int step = utf8_length(value + i, len - i);
        uint32_t c = step ? decode(value + i, step) : 0;
        if (c == 0 || is_control(c))
            return fail(r, at.line, at.column, "a control character (U+%04X) in the text",
                        (unsigned)c);
        i += (size_t)step;
    }
    *text = arena_copy(r->a, value, len);
    *quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return 0;
}

static int read_node(struct reader *r, const yaml_event_t *event, int depth, struct conf *node);

static int read_list(struct reader *r, int depth, struct conf *node) {
    for (;;) {
        yaml_event_t event;
        if (next_event(r, &event))
            return -1;
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            return 0;
        }
        struct conf *item = array_add(r->a, node->items, node->n_items, node->cap_items);
        int status = read_node(r, &event, depth, item);
        yaml_event_delete(&event);
        if (status)
            return -1;
    }
}

static int read_key(struct reader *r, const yaml_event_t *event, struct conf *map,
                    struct conf *item) {
    yaml_mark_t at = event->start_mark;
    bool quoted;
    if (event->type == YAML_ALIAS_EVENT)
        return fail(r, at.line, at.column, "an alias (*%s); they are not supported",
                    (const char *)event->data.alias.anchor);
    if (event->type != YAML_SCALAR_EVENT)
        return fail(r, at.line, at.column, "a key must be text");
    if (read_scalar(r, event, &item->key, &quoted))
        return -1;
    if (!strcmp(item->key, "<<") && !quoted)
        return fail(r, at.line, at.column, "a merge key (<<); they are not supported");
    item->key_line = (int)at.line + 1;
    item->key_column = (int)at.column + 1;
    for (const struct conf *other = map->items; other < item; other++)
        if (!strcmp(other->key, item->key))
            return fail(r, at.line, at.column, "key %s stands here twice, first in line %d",
                        conf_quoted(r->a, item->key), other->key_line);
    return 0;
}

static int read_map(struct reader *r, int depth, struct conf *node) {
    for (;;) {
        yaml_event_t event;
        if (next_event(r, &event))
            return -1;
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            return 0;
        }
        struct conf *item = array_add(r->a, node->items, node->n_items, node->cap_items);
        int status = read_key(r, &event, node, item);
        yaml_event_delete(&event);
        if (status || next_event(r, &event))
            return -1;
        status = read_node(r, &event, depth, item);
        yaml_event_delete(&event);
        if (status)
            return -1;
    }
}

static int read_node(struct reader *r, const yaml_event_t *event, int depth, struct conf *node) {
    yaml_mark_t at = event->start_mark;
    node->line = (int)at.line + 1;
    node->column = (int)at.column + 1;
    if (++r->nodes > MOST_NODES)
        return fail(r, at.line, at.column, "more than %d entries in one file", MOST_NODES);
    if (depth > MOST_DEPTH)
        return fail(r, at.line, at.column, "nested deeper than %d levels", MOST_DEPTH);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        node->kind = CONF_TEXT;
        return read_scalar(r, event, &node->text, &node->quoted);
    case YAML_SEQUENCE_START_EVENT:
        node->kind = CONF_LIST;
        if (check_plain(r, event, event->data.sequence_start.anchor,
                        event->data.sequence_start.tag))
            return -1;
        return read_list(r, depth + 1, node);
    case YAML_MAPPING_START_EVENT:
        node->kind = CONF_MAP;
        if (check_plain(r, event, event->data.mapping_start.anchor, event->data.mapping_start.tag))
            return -1;
        return read_map(r, depth + 1, node);
    case YAML_ALIAS_EVENT:
        return fail(r, at.line, at.column, "an alias (*%s); they are not supported",
                    (const char *)event->data.alias.anchor);
    default:
        return fail(r, at.line, at.column, "not YAML: something else is expected here");
    }
}

static int read_file(struct reader *r, struct conf *root) {
    bool seen = false;
    for (;;) {
        yaml_event_t event;
        if (next_event(r, &event))
            return -1;
        yaml_mark_t at = event.start_mark;
        yaml_event_type_t type = event.type;
        int status = 0;
        if (type == YAML_DOCUMENT_START_EVENT && seen)
            status = fail(r, at.line, at.column, "a second document; a file holds one");
        else if (type == YAML_DOCUMENT_START_EVENT &&
                 event.data.document_start.tag_directives.start !=
                     event.data.document_start.tag_directives.end)
            status = fail(r, at.line, at.column, "a %%TAG line; tags are not supported");
        else if (type != YAML_STREAM_START_EVENT && type != YAML_DOCUMENT_START_EVENT &&
                 type != YAML_DOCUMENT_END_EVENT && type != YAML_STREAM_END_EVENT) {
            status = read_node(r, &event, 1, root);
            seen = true;
        }
        yaml_event_delete(&event);
        if (status)
            return -1;
        if (type == YAML_STREAM_END_EVENT)
            return seen ? 0 : fail(r, 0, 0, "nothing is written in it");
    }
}

int conf_parse(struct arena *a, const char *name, const char *text, size_t len, struct conf *root,
               struct err *e) {
    struct reader r = {.a = a, .name = name, .e = e};
    *root = (struct conf){0};
    if (len > MOST_BYTES)
        return fail(&r, 0, 0, "larger than 1 MiB");
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        text += 3;
        len -= 3;
    }
    if (len == 0) /* libyaml insists on a pointer */
        return fail(&r, 0, 0, "nothing is written in it");
    if (check_bytes(&r, text, len))
        return -1;
    if (!yaml_parser_initialize(&r.parser))
        return err_set(e, ERR_FAILED, "cannot read \"%s\": out of memory", name);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
    int status = read_file(&r, root);
    yaml_parser_delete(&r.parser);
    return status;
}
