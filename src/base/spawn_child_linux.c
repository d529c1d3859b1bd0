/*
 * spawn_child_linux.c: prctl(2) PR_SET_PDEATHSIG, so that a program left behind does not outlive
 * us, and close_range(2), Linux 5.9; before it, every number up to the limit.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spawn_child.h"

long syscall(long number, ...); /* unistd.h hides it from POSIX programs */

#ifdef SYS_close_range
static const long close_range_number = SYS_close_range;
#else
static const long close_range_number = -1; /* older headers: ENOSYS */
#endif

bool spawn_die_with(long parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    return (long)getppid() == parent; /* it may have died before the call */
}

void spawn_close_from(int first) {
    if (!syscall(close_range_number, (unsigned)first, ~0U, 0U))
        return;
    long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < (limit > 0 && limit < 65536 ? limit : 65536); fd++)
        close(fd);
}
