/*
 * keep.h: TARGET/.zhist-keep-<12 hex digits>/, a box that stays from run to run (`keep: true`).
 *
 * Its files were written by an earlier run, so that the cache has hopefully lost them since: the
 * first read of a run takes them, then the files of that run replace them by renaming, one by one,
 * so that whole files lie there whenever a run dies. The digits are of the workload's digest. It is
 * a box as in box.h, with a mark, but of another name: what tidies after crashes leaves it alone;
 * only keep_forget removes it.
 */
#ifndef MEASURE_KEEP_H
#define MEASURE_KEEP_H

#include "box.h"
#include "zhist/target.h"

bool keep_is_name(const char *name); /* ".zhist-keep-" and 12 hex digits */
/* key: at least 12 hex digits. */
void keep_name(const char *key, char name[BOX_NAME]);

/* Opens the box, or makes it. box->dir is -1 where that cannot be, or where it is not ours, and
 * box->why says why; -1 without a why: it is not there and was not to be made. Given back with
 * box_release. */
void keep_open(const struct target *t, const char *name, bool make, struct box *box);

#endif
