/*
 * preflight.h: what preflight.c and hardware.c share; private to src/facts and its tests.
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

/* `hardware` of the profile against the disks found. */
void hardware_check(struct arena *a, const struct preflight_ask *ask, struct finding_list *out);

#endif
