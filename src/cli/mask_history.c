/*
 * mask_history.c: what `show --mask` prints in the place of names of hosts, targets, datasets,
 * pools, servers and paths. Reports mask by column, in their SQL, with the same words (v_mask);
 * here also sentences are masked.
 */
#include "mask_history.h"

int mask_history(struct arena *a, struct db *db, struct history_mask *mask, struct err *e) {
    struct query *q;
    int status;
    *mask = (struct history_mask){.text = {.a = a}};
    if (db_query(db, "list_secrets", &q, e))
        return -1;
    while ((status = query_step(q, e)) > 0) {
        struct mask_word word = {arena_str(a, query_get_text(q, "name")),
                                 arena_str(a, query_get_text(q, "masked"))};
        if (!word.name || !*word.name)
            continue;
        *array_add(a, mask->words, mask->n, mask->cap) = word;
        mask_as(&mask->text, word.name, word.masked);
    }
    mask_sort(&mask->text);
    return status;
}

/* One name may be that of a target and of a dataset: a column says which it means. */
static const char *mask_cell(struct history_mask *mask, const char *column, const char *text) {
    const char *word = NULL;
    size_t len = strlen(column);
    for (size_t i = 0; i < mask->n; i++) {
        const char *masked = mask->words[i].masked;
        if (strcmp(mask->words[i].name, text))
            continue;
        if (!strncmp(masked, column, len) && masked[len] == '-')
            return masked;
        word = word ? word : masked;
    }
    return word ? word : mask_text(&mask->text, text);
}

void mask_result(struct history_mask *mask, struct result *r) {
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
                v->text = mask_cell(mask, r->columns[c].name, v->text);
        }
    }
}
