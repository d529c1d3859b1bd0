/* mask_history.h: the names a history knows, hidden in what `show` prints as reports hide them. */
#ifndef MASK_HISTORY_H
#define MASK_HISTORY_H

#include "mask.h"
#include "zhist/report.h"

struct history_mask {
    struct mask text; /* in sentences */
    struct mask_word {
        const char *name, *masked;
    } *words; /* in cells that are a name and nothing else */
    size_t n, cap;
};

int mask_history(struct arena *a, struct db *db, struct history_mask *mask, struct err *e);
void mask_result(struct history_mask *mask, struct result *r);

#endif
