/*
 * direct_linux.c: the flag for uncached I/O on Linux, and statx(2) STATX_DIOALIGN, Linux 6.1, for
 * what it has to be aligned to (ext4, xfs, f2fs, btrfs; a file system without it tells nothing).
 * OpenZFS, from 2.3, tells the recordsize there: that is what goes past the ARC, but smaller blocks
 * work too (2.3: of whole pages; 2.4: any), through the ARC in part. 0 is direct=disabled.
 * <fcntl.h> hides the flag from POSIX programs, so it comes from the kernel's headers, which
 * collide with it.
 */
#include "direct.h"

#include <asm/fcntl.h>
#include <linux/stat.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

long syscall(long number, ...); /* unistd.h hides it from POSIX programs */

enum { OF_THE_FILE_ITSELF = 0x1000 /* AT_EMPTY_PATH of linux/fcntl.h */ };
enum { ZFS = 0x2fc12fc1 /* ZFS_SUPER_MAGIC of OpenZFS, sys/zfs_vfsops.h */ };

const int direct_flag = O_DIRECT;

#ifdef STATX_DIOALIGN
int64_t direct_unit(int file) {
    struct statx st = {0};
    if (syscall(SYS_statx, file, "", OF_THE_FILE_ITSELF, STATX_DIOALIGN, &st) != 0 ||
        !(st.stx_mask & STATX_DIOALIGN))
        return UNKNOWN;
    struct statfs fs;
    bool zfs = fstatfs(file, &fs) == 0 && fs.f_type == ZFS;
    return zfs && st.stx_dio_offset_align ? UNKNOWN : st.stx_dio_offset_align;
}
#else
int64_t direct_unit(int file) {
    (void)file;
    return UNKNOWN;
}
#endif
