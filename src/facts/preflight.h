/*
 * preflight.h: what findings.c, preflight*.c, postflight.c and hardware.c share; private to
 * src/facts and its tests.
 */
#ifndef FACTS_PREFLIGHT_H
#define FACTS_PREFLIGHT_H

#include "zhist/facts.h"
#include "zhist/unit.h"

void finding_put(struct arena *a, struct finding_list *list, const char *code,
                 enum severity severity, int64_t target, const char *fmt, ...) PRINTF_LIKE(6, 7);
const char *size_text(struct arena *a, int64_t bytes);
/* What the profile says of a target of the run; NULL: a target of the command line. */
const struct target_spec *target_spec_of(const struct preflight_ask *ask, size_t target);

const struct factset *pool_of(const struct fact_sheet *sheet, size_t target);
int64_t fact_count(const struct factset *set, const char *key); /* UNKNOWN: no such number */
bool fact_is(const struct factset *set, const char *key, const char *value);
/* Why it is unknown; NULL: it is known, or was not asked for. */
const char *fact_why(const struct factset *set, const char *key);

/* Of a whole file system or pool that is nearly full once the run's files lie there; shares. */
extern const double LOW_SPACE_SAY, LOW_SPACE_REFUSE;

/* preflight_pool.c: scans, health, errors and room of the pool. */
void pool_check(struct arena *a, const struct preflight_ask *ask, size_t t,
                struct finding_list *out);
/* "a scrub and a trim are running"; NULL: nothing is. */
const char *pool_activity(struct arena *a, const struct factset *pool);
/* "DEGRADED" with what zpool says about it; NULL: healthy, or not known. */
const char *pool_trouble(struct arena *a, const struct factset *pool);

/* preflight_dataset.c: is it the dataset it was, and what its properties do to the numbers. */
void dataset_check(struct arena *a, const struct preflight_ask *ask, size_t t,
                   struct finding_list *out);

/* busy.c: others' I/O and load. */
void busy_check(struct arena *a, const struct preflight_ask *ask, size_t t,
                struct finding_list *out);
void load_check(struct arena *a, const struct preflight_ask *ask, struct finding_list *out);

/* `hardware` of the profile against the disks found. */
void hardware_check(struct arena *a, const struct preflight_ask *ask, struct finding_list *out);

#endif
