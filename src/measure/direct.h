/*
 * direct.h: O_DIRECT, which POSIX does not know: one constant, chosen by platform.
 */
#ifndef MEASURE_DIRECT_H
#define MEASURE_DIRECT_H

extern const int direct_flag; /* for open; 0: this platform has none */

#endif
