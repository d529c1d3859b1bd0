/*
 * cold.h: ways to make the kernel forget what it has of a file, before the clock of a phase that
 * reads. None is sure to work (on ZFS fadvise evicted nothing when tried, and drop_caches stops at
 * arc_c_min); what came of it the counters tell, so each way is only noted.
 */
#ifndef MEASURE_COLD_H
#define MEASURE_COLD_H

#include "kind.h"

/* Adds a rung to what work_cold_tried tells, each once. why: it could not be done; or NULL. */
void cold_note(struct work *work, const char *rung, const char *why);
/* Makes the file durable, since only clean pages go, then asks for it to be dropped. -1: errno of
 * the flush. */
int cold_forget(int file);
/* Where the profile allows it: drops what the kernel caches of everything, which hits everybody on
 * the machine. Needs root. */
void cold_drop_caches(struct work *work, const struct work_watch *watch);

#endif
