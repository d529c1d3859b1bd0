/*
 * clock_linux.c: whether something keeps the clock of this machine right, as the kernel knows it.
 *
 * Asking changes nothing and needs no rights.
 */
#include <errno.h>
#include <sys/timex.h>

#include "probe.h"

const char *clock_synchronised(const char **source) {
    struct timex now = {.modes = 0};
    int state = adjtimex(&now);
    if (state < 0) {
        *source =
            errno == ENOSYS || errno == EPERM ? "adjtimex: not permitted" : "adjtimex: failed";
        return NULL;
    }
    *source = "adjtimex";
    return state == TIME_ERROR || (now.status & STA_UNSYNC) ? "no" : "yes";
}
