/*
 * fsys_linux.c: syncfs(2) and getdents64(2). POSIX headers hide the calls, and glibc before 2.30 had
 * no getdents64, so they go by number.
 */
#include "fsys.h"

#include <sys/syscall.h>

extern long syscall(long number, ...); /* unistd.h hides it as well */

/* As the kernel writes it: include/linux/dirent.h. */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t len;
    uint8_t type;
    char name[];
};

int fsys_sync(int fd) {
    return (int)syscall(SYS_syncfs, fd);
}

int64_t fsys_count(int dir, void *buffer) {
    int64_t count = 0;
    for (;;) {
        long got = syscall(SYS_getdents64, dir, buffer, (long)FSYS_LISTING);
        if (got <= 0)
            return got < 0 ? -1 : count;
        for (long at = 0; at < got;) {
            const struct entry *e = (const struct entry *)((const char *)buffer + at);
            const char *name = e->name;
            bool dots = name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
            count += !dots;
            at += e->len;
        }
    }
}
