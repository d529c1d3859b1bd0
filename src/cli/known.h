/* known.h: filters of a report that name something this history does not have are mistakes. */
#ifndef ZHIST_KNOWN_H
#define ZHIST_KNOWN_H

#include "zhist/command.h"

struct known {
    struct arena *arena;
    struct known_name {
        const char *kind, *name;
    } *names;
    size_t n, cap;
};

/* by: the value of --by, or NULL. Before db_restrict. */
int known_read(struct arena *a, struct db *db, const char *by, struct known *known, struct err *e);
/* ERR_USAGE, naming it, where the option's value (of where, label: its key) is not known. */
int known_check(const struct known *known, const char *option, const char *value, struct err *e);
/* Is it one of what --by told apart? Several values of one run ("a | b") are let through. */
int known_baseline(const struct known *known, const char *by, const char *value, struct err *e);

#endif
