/* check.h: the gate, for `check`, `record --check` and `explain`. */
#ifndef CHECK_H
#define CHECK_H

#include "zhist/command.h"

struct check_finding {
    const char *key;                /* SERIES-DAY, see reports/changes.sql */
    const char *day_low, *day_high; /* the same series within these days: the same finding */
    const char *text;               /* a sentence */
};
struct check_list {
    struct check_finding *items;
    size_t n, cap;
};

/* What there is now, whether known or not. profile: only this one's runs, or NULL. */
int check_gather(struct arena *a, struct db *db, const char *profile, struct check_list *list,
                 struct err *e);
/*
 * Prints what is new, or was told a week ago, a paragraph each; all: everything, and nothing is
 * noted. ERR_FOUND with an empty text if something that is not accepted was printed.
 */
int check_history(const struct command_call *call, const char *profile, bool all, struct err *e);

#endif
