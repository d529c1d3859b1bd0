/*
 * fsys.h: what of a file system POSIX has no call for, or none without memory of its own.
 */
#ifndef MEASURE_FSYS_H
#define MEASURE_FSYS_H

#include "zhist/base.h"

enum { FSYS_LISTING = 32 << 10 }; /* what fsys_count reads at a time: as much as glibc's readdir */

/* Makes everything of the file system this descriptor lies on durable. 0, or -1 with errno. */
int fsys_sync(int fd);
/* Reads a directory from where it stands to its end and counts its entries, "." and ".." left out;
 * buffer holds FSYS_LISTING bytes, aligned. -1 with errno. */
int64_t fsys_count(int dir, void *buffer);

#endif
