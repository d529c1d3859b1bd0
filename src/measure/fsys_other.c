/*
 * fsys_other.c: fsys.h with what POSIX has: sync of all file systems, and readdir.
 */
#include "fsys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int fsys_sync(int fd) {
    (void)fd;
    sync();
    return 0;
}

int64_t fsys_count(int dir, void *buffer) {
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    int64_t count = 0;
    (void)buffer;
    if (!entries) {
        int errnum = errno;
        if (copy >= 0)
            close(copy);
        errno = errnum;
        return -1;
    }
    errno = 0;
    for (const struct dirent *d; (d = readdir(entries));)
        count += strcmp(d->d_name, ".") && strcmp(d->d_name, "..");
    int errnum = errno;
    closedir(entries);
    errno = errnum;
    return errnum ? -1 : count;
}
