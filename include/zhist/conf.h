/*
 * conf.h: YAML text -> a tree that knows where each thing stood. The door to libyaml.
 *
 * The tree holds texts only; whoever asks for a field decides its type. Refused with
 * file:line:column: aliases, anchors, tags, merge keys, duplicate keys, a second document, depth
 * over 32, more than 1 MiB or 5000 nodes, NUL bytes and control characters, text that is not UTF-8,
 * a file without content. BOM and CRLF are accepted.
 */
#ifndef ZHIST_CONF_H
#define ZHIST_CONF_H

#include "zhist/base.h"

enum conf_kind { CONF_TEXT, CONF_LIST, CONF_MAP };

struct conf {
    enum conf_kind kind;
    int line, column;           /* 1-based */
    const char *key;            /* in a map; NULL else */
    int key_line, key_column;
    const char *text;           /* CONF_TEXT; UTF-8 */
    bool quoted;                /* written with quotes: "" is then a text, not "nothing given" */
    struct conf *items;         /* CONF_LIST, CONF_MAP: in the order written */
    size_t n_items, cap_items;
};

/* name is what messages call the file. The tree lives in the arena. Error kind: ERR_USAGE. */
int conf_parse(struct arena *a, const char *name, const char *text, size_t len,
               struct conf *root, struct err *e);

/* A text as a message shows it: in double quotes, on one line, a long one cut. */
const char *conf_quoted(struct arena *a, const char *text);

#endif
