/* mask.h: names of hosts, targets, datasets, pools, servers and paths, hidden the same everywhere. */
#ifndef ZHIST_MASK_H
#define ZHIST_MASK_H

#include "zhist/report.h"

struct mask {
    struct mask_word {
        const char *name, *masked;
    } *words; /* longer names first */
    size_t n, cap;
};

int mask_read(struct arena *a, struct db *db, struct mask *mask, struct err *e);
/* The text with every name replaced where it stands as a word. */
const char *mask_text(struct arena *a, const struct mask *mask, const char *text);
void mask_result(struct arena *a, const struct mask *mask, struct result *r);

#endif
