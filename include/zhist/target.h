/*
 * target.h: the directory under test: resolved once, guarded, laid out, tidied.
 *
 * Everything happens inside TARGET/.zhist-<run uuid>/, made with O_EXCL and mode 0700 and used by
 * descriptor only (openat, O_NOFOLLOW): nothing is followed, overwritten or removed that zhist did
 * not make there. The lock file in it tells the living from the crashed.
 */
#ifndef ZHIST_TARGET_H
#define ZHIST_TARGET_H

#include "zhist/model.h"

struct target {
    const char *name;       /* as given, else the resolved path */
    const char *path;       /* resolved: absolute, no links */
    int dir;                /* the target directory itself, held open; locked while we are in it */
    int box;                /* the .zhist-<uuid> directory, -1 until target_enter */
    int lock;               /* held while we are in it */
    const char *uuid;
    int64_t free_bytes, free_inodes; /* for us, at target_open; UNKNOWN inodes: not counted */
    uint64_t device;        /* st_dev, to see which targets and histories share a file system */
};

/*
 * Resolves and opens; creates nothing. Refused with a sentence: missing, not a directory, not
 * writable, read-only file system. kind ERR_FAILED.
 */
int target_open(struct arena *a, const char *name, const char *path, struct target *t,
                struct err *e);
/* Makes and locks the box; uuid must look like one. Fails when the path no longer leads to the
 * directory that was opened (a link swapped in); ERR_REFUSED when another zhist measures this
 * target (its box, or the directory, is locked), or this one does already. */
int target_enter(struct arena *a, struct target *t, const char *uuid, struct err *e);
/* Removes what zhist made in the box, then the box. -1: something zhist did not make is in it, so
 * it stays, with its mark. Safe to call twice, and where enter failed. */
int target_leave(struct target *t, struct err *e);
void target_close(struct target *t);
/* Removes boxes under the target whose owner is dead (lock free, mark ours), but never our own.
 * Says each in *said, a line with its newline: removed, or left alone and why; nothing of living
 * ones. Never touches anything it does not recognise. */
int target_tidy(struct arena *a, struct target *t, struct buf *said, struct err *e);
/* Removes what `keep: true` left under the target, and says each as target_tidy does. Never touches
 * anything it does not recognise. ERR_REFUSED while another zhist measures it. */
int target_forget(struct arena *a, struct target *t, struct buf *said, struct err *e);
/* Room for bytes and files (as of target_open), keeping as much again free? NULL, or the reason as
 * a sentence. */
const char *target_room(struct arena *a, const struct target *t, int64_t bytes, int64_t files);

#endif
