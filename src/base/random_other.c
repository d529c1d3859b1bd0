/* random_other.c: the twin for systems without getrandom(2). */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "zhist/base.h"

int random_bytes(void *bytes, size_t len, struct err *e) {
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(e, errno, "cannot open \"/dev/urandom\"");
    ssize_t got = read(fd, bytes, len);
    close(fd);
    return got == (ssize_t)len ? 0 : err_sys(e, errno, "cannot read \"/dev/urandom\"");
}
