/* init_profile.h: a first profile for what was found, as text: a pure function of the facts. */
#ifndef INIT_PROFILE_H
#define INIT_PROFILE_H

#include "zhist/facts.h"

struct init_target {
    const char *name, *path;
    int64_t at; /* its index in the sheet */
};

struct init_ask {
    const char *path; /* as asked for */
    const char *host;
    const struct fact_sheet *sheet;
    struct init_target *targets; /* one, or several that differ */
    size_t n_targets;
    const char *alike, *more;   /* datasets left out: set as a target; too many. Or NULL */
    const struct profile *from; /* whose workloads are taken over, or NULL */
    const char *from_name;
    int64_t memory; /* of the machine, bytes; UNKNOWN */
};

/* The text is parsed before it is given away: -1 where it would be no good profile. */
int init_profile(struct arena *a, const struct init_ask *ask, struct buf *out, struct err *e);

/* Do the properties that matter have other values? Unknown ones are no difference. */
bool init_differ(const struct fact_sheet *sheet, int64_t x, int64_t y);
/* Puts the target first that most others differ from in one property only. */
void init_base_first(struct init_ask *ask);

/* ---- private to the writers: init_profile.c, init_parts.c, init_work.c -------------------------
 */

/* "  key: value   # comment", comments under each other. */
void init_key(struct buf *out, int indent, const char *key, const char *value, const char *comment);
const char *init_quoted(struct arena *a, const char *text);          /* as a YAML text */
const char *init_media(struct arena *a, const struct init_ask *ask); /* of all targets, or NULL */
void init_hardware(struct arena *a, const struct init_ask *ask, struct buf *out);
void init_targets(struct arena *a, const struct init_ask *ask, struct buf *out);
/* "compression, sync and atime" with " and " as last; how many. */
size_t init_differences(const struct init_ask *ask, const char *last, struct buf *out);
bool init_compares(const struct init_ask *ask, const char *property); /* do targets differ in it? */
/* -1: there is no room for anything worth measuring. */
int init_workloads(struct arena *a, const struct init_ask *ask, struct buf *out, struct err *e);
enum { INIT_ITERATIONS = 5, INIT_WARMUP = 1 };

#endif
