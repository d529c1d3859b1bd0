/*
 * spawn_child.h: what only a system's own calls can do for a child between fork and exec.
 * Both may be called there: they allocate nothing and take no lock (fork(2), signal-safety(7)).
 */
#ifndef BASE_SPAWN_CHILD_H
#define BASE_SPAWN_CHILD_H

#include <stdbool.h>

bool spawn_die_with(long parent); /* false: the parent is gone already */
void spawn_close_from(int first);

#endif
