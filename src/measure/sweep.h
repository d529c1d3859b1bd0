/*
 * sweep.h: removing what zhist made in a box, told by names, and nothing else.
 *
 * Ours are regular files with one name called "w", eight hex digits, "-j", a number (work_file.c);
 * directories called the same with "-d" (work_fileset.c), on the file system of the box, and in
 * them "f" or "g" and a number (files), "d" and a number (directories). Nothing is followed.
 */
#ifndef MEASURE_SWEEP_H
#define MEASURE_SWEEP_H

#include "zhist/base.h"

enum { SWEEP_DEPTH = 72, SWEEP_NAME = 600 };

struct sweep {
    int64_t removed;
    int64_t strangers;         /* what zhist did not make; it stays */
    char stranger[SWEEP_NAME]; /* one of them */
    int errnum;                /* of the first removal that failed */
    char stuck[SWEEP_NAME];
};

/* Everything of ours in a box but its mark. 0, or the errno why it cannot be listed. */
int sweep_box(int box, const char *mark, struct sweep *s);
/* One directory of a fileset and what is in it; that it is not there is no failure. */
void sweep_set(int box, const char *name, struct sweep *s);

#endif
