/*
 * control.h: the speed of what is not storage, measured once a run: when a control moved too, it
 * was not the storage alone that changed.
 */
#ifndef ZHIST_CONTROL_H
#define ZHIST_CONTROL_H

#include "zhist/base.h"

struct controls {
    double generator;       /* bytes a second of data made and stamped, one thread */
    double memory_copy;     /* bytes a second of memcpy, one thread, larger than its caches */
    double timer;           /* ns: the smallest step of the clock that was seen */
    double timer_cost;      /* ns: one reading of the clock */
};

/* Takes about 0.1 s; NaN where something could not be had. */
void controls_measure(struct controls *c);

/* Bytes a second of reading the whole disk `name` (the kernel's name) past all caches, one request
 * after another, at a quarter of its length, for at most half a second. Opens it for reading only.
 * NaN with the reason in *e: not permitted (root), not there, too small. */
double control_raw_read(const char *name, struct err *e);

#endif
