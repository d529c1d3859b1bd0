/*
 * mask.c: what `show --mask` prints in the place of names. Reports mask by column, in their SQL;
 * here also sentences are masked, so names are looked for as words in every text. Rather too much
 * is hidden than too little: a host called "write" hides that word.
 */
#include <ctype.h>

#include "mask.h"

int mask_read(struct arena *a, struct db *db, struct mask *mask, struct err *e) {
    struct query *q;
    int status;
    *mask = (struct mask){0};
    if (db_query(db, "list_secrets", &q, e))
        return -1;
    while ((status = query_step(q, e)) > 0) {
        const char *name = query_get_text(q, "name");
        if (name && *name && strcmp(name, "/"))
            *array_add(a, mask->words, mask->n, mask->cap) =
                (struct mask_word){arena_str(a, name), arena_str(a, query_get_text(q, "masked"))};
    }
    return status;
}

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

/* The name that stands at `at`, the longest there is; NULL: none. */
static const struct mask_word *word_at(const struct mask *mask, const char *text, const char *at) {
    for (size_t i = 0; i < mask->n; i++) {
        const char *name = mask->words[i].name;
        size_t len = strlen(name);
        if (strncmp(at, name, len))
            continue;
        bool starts = at == text || !in_word(*name) || !in_word(at[-1]);
        bool ends = !at[len] || !in_word(name[len - 1]) || !in_word(at[len]);
        /* One letter in a sentence is an article more often than a name. */
        if (starts && ends && (len > 1 || (at == text && !at[len])))
            return &mask->words[i];
    }
    return NULL;
}

const char *mask_text(struct arena *a, const struct mask *mask, const char *text) {
    struct buf b = {0};
    for (const char *at = text; *at;) {
        const struct mask_word *word = word_at(mask, text, at);
        buf_put(&b, word ? word->masked : at, word ? strlen(word->masked) : 1);
        at += word ? strlen(word->name) : 1;
    }
    const char *masked = b.len ? arena_copy(a, b.data, b.len) : text;
    buf_release(&b);
    return masked;
}

/* One name may be that of a target and of a dataset: a column says which it means. */
static const char *mask_cell(struct arena *a, const struct mask *mask, const char *column,
                             const char *text) {
    size_t len = strlen(column);
    for (size_t i = 0; i < mask->n; i++)
        if (!strncmp(mask->words[i].masked, column, len) && mask->words[i].masked[len] == '-' &&
            !strcmp(mask->words[i].name, text))
            return mask->words[i].masked;
    return mask_text(a, mask, text);
}

void mask_result(struct arena *a, const struct mask *mask, struct result *r) {
    /* Our own words, which no name of a user's gets into. */
    static const char *const ours[] = {"fact",  "class", "follows", "code", "severity",
                                       "phase", "kind",  "status",  "unit"};
    for (size_t c = 0; c < r->n_columns; c++) {
        bool own = false;
        for (size_t i = 0; i < LENGTH(ours); i++)
            own |= !strcmp(r->columns[c].name, ours[i]);
        for (size_t row = 0; row < r->n_rows && !own; row++) {
            struct value *v = &r->cells[row * r->n_columns + c];
            if (v->kind == VALUE_TEXT)
                v->text = mask_cell(a, mask, r->columns[c].name, v->text);
        }
    }
}
