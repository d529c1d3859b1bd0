/*
 * json.h: a JSON text as a tree in an arena, read through SQLite's own functions on a private
 * in-memory connection: duplicate keys are kept, in their order, and 64-bit integers are exact.
 * Integers beyond int64_t keep their digits in `text`.
 */
#ifndef ZHIST_JSON_H
#define ZHIST_JSON_H

#include "zhist/base.h"

enum json_type { JSON_NULL, JSON_TRUE, JSON_FALSE, JSON_INTEGER, JSON_REAL, JSON_TEXT, JSON_ARRAY,
                 JSON_OBJECT };

struct json {
    enum json_type type;
    const char *key;        /* in an object; NULL in an array and at the root */
    const char *text;       /* of texts and numbers: as written; of true, false: the word */
    int64_t integer;        /* of JSON_INTEGER; one that does not fit: the nearest that does */
    double real;            /* of both kinds of number; may be infinite */
    const struct json *first, *next; /* children of an array or object, in their order */
};

/* One value and white space; RFC 8259, no more. NULL: e says where it is broken (offset) in one
 * sentence. Refused: over 16 MiB, 2 Mi values or 500 levels, a NUL, also one written as \u0000. */
const struct json *json_read(struct arena *a, const char *text, size_t len, struct err *e);

const struct json *json_get(const struct json *object, const char *key); /* the first; NULL: none */
const char *json_text(const struct json *object, const char *key); /* of texts and numbers; or NULL */

#endif
