/*
 * mask.h: replaces secrets in texts by words, the same secret by the same word everywhere.
 *
 * Strong secrets (four characters or more, and no word of everyday use) are replaced wherever they
 * stand, in any case of letters. Weak ones ("on", "data", "nas") would tear other words apart: they
 * are replaced where they stand alone beside a slash, a quote, '@' or ':', or behind "from ".
 */
#ifndef MASK_H
#define MASK_H

#include "zhist/base.h"

struct secret {
    const char *text, *word;
    size_t len;
    bool weak;
};

struct mask {
    struct arena *a;
    struct secret *items;
    size_t n, cap;
    struct counter {
        const char *kind;
        int n;
    } counters[24];
};

/* The word of a text, made on its first use: mask_word(m, "tank", "pool") gives "pool-1", of kind
 * "/path" it gives "/path-1". Empty texts are no secrets: NULL. */
const char *mask_word(struct mask *m, const char *text, const char *kind);
/* The same with a word of the caller's. */
void mask_as(struct mask *m, const char *text, const char *word);
/* After the last secret: the longest come first. */
void mask_sort(struct mask *m);
/* A text without secrets: those known, what stands behind /dev/disk/by-*, and paths that are not
 * the system's own (each becomes a word of its own). NULL gives NULL. */
const char *mask_text(struct mask *m, const char *text);

#endif
