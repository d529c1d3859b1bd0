/* random_linux.c: getrandom(2): needs no /dev, as in a chroot. */
#include <errno.h>
#include <sys/random.h>

#include "zhist/base.h"

int random_bytes(void *bytes, size_t len, struct err *e) {
    ssize_t got;
    do
        got = getrandom(bytes, len, 0); /* up to 256 bytes are never short */
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)len ? 0 : err_sys(e, errno, "cannot get random bytes from the kernel");
}
