/*
 * cold.c: posix_fadvise and /proc/sys/vm/drop_caches (Documentation/admin-guide/sysctl/vm.rst: 3
 * drops pages, dentries and inodes, clean ones only).
 */
#include "cold.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void cold_note(struct work *work, const char *rung, const char *why) {
    char *tried = work->cold_tried;
    size_t len = strlen(tried), room = sizeof work->cold_tried - len;
    if (strstr(tried, rung))
        return;
    snprintf(tried + len, room, "%s%s%s%s%s", len ? ", " : "", rung, why ? " (" : "",
             why ? why : "", why ? ")" : "");
}

int cold_forget(int file) {
    if (fsync(file) != 0)
        return -1;
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED); /* a wish */
    return 0;
}

void cold_drop_caches(struct work *work, const struct work_watch *watch) {
    if (!watch->drop_caches)
        return;
    int file = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
    int errnum = file < 0 ? errno : 0;
    if (file >= 0) {
        sync();
        errnum = write(file, "3", 1) == 1 ? 0 : errno;
        close(file);
    }
    cold_note(work, "drop_caches",
              errnum == 0                           ? NULL
              : errnum == EACCES || errnum == EPERM ? "not permitted, it needs root"
                                                    : "not possible here");
}
