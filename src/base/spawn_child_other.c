/* spawn_child_other.c: the twin for any POSIX system: nobody is told when the parent dies. */
#include <unistd.h>

#include "spawn_child.h"

bool spawn_die_with(long parent) {
    return (long)getppid() == parent;
}

void spawn_close_from(int first) {
    long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < (limit > 0 && limit < 65536 ? limit : 65536); fd++)
        close(fd);
}
