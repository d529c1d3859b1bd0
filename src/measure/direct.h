/*
 * direct.h: O_DIRECT, which POSIX does not know, chosen by platform.
 */
#ifndef MEASURE_DIRECT_H
#define MEASURE_DIRECT_H

#include "zhist/model.h"

extern const int direct_flag; /* for open; 0: this platform has none */

/* What offsets and lengths of direct I/O on this open file must be a multiple of. 0: none works
 * here. UNKNOWN: the kernel does not tell, the first operation will. */
int64_t direct_unit(int file);

#endif
