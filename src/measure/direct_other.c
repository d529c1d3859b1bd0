/*
 * direct_other.c: where uncached I/O is not known: asked for, it counts as refused.
 */
#include "direct.h"

const int direct_flag = 0;

int64_t direct_unit(int file) {
    (void)file;
    return UNKNOWN;
}
