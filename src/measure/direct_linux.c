/*
 * direct_linux.c: the flag for uncached I/O on Linux.
 * <fcntl.h> hides it from POSIX programs, so it comes from the kernel's header; nothing else may
 * be included here, the two collide.
 */
#include "direct.h"

#include <asm/fcntl.h>

const int direct_flag = O_DIRECT;
