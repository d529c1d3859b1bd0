/*
 * box.h: TARGET/.zhist-<uuid>, the only directory zhist writes in: names, mark, lock, emptying.
 *
 * Everything goes by descriptor and without following links. A box is ours if its name is a dot,
 * "zhist-" and a UUID, and its mark file says that UUID. Its owner lives while the mark is locked
 * (flock, which the kernel also keeps on NFS and SMB, and drops when the owner dies).
 */
#ifndef MEASURE_BOX_H
#define MEASURE_BOX_H

#include "zhist/base.h"

#include <sys/types.h>

enum { BOX_NAME = 7 + 36 + 1 };

enum box_state {
    BOX_LIVE,    /* locked by a running zhist */
    BOX_DEAD,    /* marked by us, nobody holds the lock */
    BOX_BARE,    /* no mark, or one with nothing in it: a crash in the first steps left no more */
    BOX_FOREIGN, /* not a directory, not our owner, another mark: not ours */
    BOX_UNKNOWN, /* cannot be looked into, or cannot be locked: nobody knows */
};

struct box {
    int dir, mark;   /* open descriptors, or -1; the mark is locked where DEAD */
    long pid;        /* of the owner of a LIVE one, else 0 */
    const char *why; /* for FOREIGN and UNKNOWN: a part of a sentence */
};

bool box_is_uuid(const char *text);
bool box_is_name(const char *name); /* ".zhist-" and a UUID */
void box_name(const char *uuid, char name[BOX_NAME]);

/* 0: locked, EWOULDBLOCK: another holds it, else the errno why locks do not work here. */
int box_lock(int fd);

/* Looks at an entry of the target directory; box_release closes (and unlocks) what it opened. */
enum box_state box_look(int target, const char *name, struct box *box);
void box_release(struct box *box);

/* Makes the mark in a new box, locked: its descriptor, or -1 with errno. */
int box_mark(int dir, const char *uuid);

/*
 * Removes the files zhist makes in a box, then the mark, then the box itself. What zhist did not
 * make stays, and then the mark and the box stay too: -1, and its name in *e.
 */
int box_remove(int target, const char *name, int dir, struct err *e);
/* Removes a bare box, which can only hold an empty mark. false: there is more, it is not ours. */
bool box_remove_bare(int target, const char *name, int dir);

#endif
