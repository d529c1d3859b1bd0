/* known.h: filters of a report that name something this history does not have are mistakes. */
#ifndef ZHIST_KNOWN_H
#define ZHIST_KNOWN_H

#include "zhist/command.h"

struct known {
    struct arena *arena;
    struct db *db;
    struct known_name {
        const char *kind, *name;
    } *names;
    size_t n, cap;
};

/* Everything here is asked before db_restrict. Errors are ERR_USAGE and name what is wrong. */
int known_read(struct arena *a, struct db *db, struct known *known, struct err *e);
/* The value of --host, --target, --workload, --metric, --label (its key), --dataset. */
int known_check(const struct known *known, const char *option, const char *value, struct err *e);
/*
 * The fact somebody means by a name, as kind.key. A bare key is a property of the dataset where
 * there is one, else the only kind that has it; of several it is a mistake. So is a state, where
 * state is NULL: states are not compared; else *state says whether it is one.
 */
int known_fact(const struct known *known, const char *option, const char *name, const char **full,
               bool *state, struct err *e);
/* --by: target, host, run, label:KEY stay, a fact becomes kind.key. */
int known_by(const struct known *known, const char *value, const char **full, struct err *e);
/*
 * The values of a fact (by: kind.key, label:KEY, host, target) that are meant by a text: itself, or
 * those that are the same size ("128K" for 131072). None: a mistake, which lists what there is.
 */
int known_values(const struct known *known, const char *option, const char *by, const char *text,
                 const char *const **values, size_t *n, struct err *e);
/* --baseline: one of the values of by; *value becomes the one that is stored. by NULL: a target,
 * before or after. Several values of one run ("a | b") are let through. */
int known_baseline(const struct known *known, const char *by, const char **value, struct err *e);

#endif
