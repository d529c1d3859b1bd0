/*
 * process.h: who is measuring: this process as a text that no later process shares, and whether
 * the one a text names still lives. Linux: boot id, pid, start tick of /proc/PID/stat field 22
 * (proc(5)) and pid namespace; elsewhere nothing is known (process_other.c).
 */
#ifndef ZHIST_PROCESS_H
#define ZHIST_PROCESS_H

#include "zhist/base.h"

const char *process_self(struct arena *a);     /* NULL: unknown */
int process_lives(const char *process);        /* 1 yes, 0 no, -1 cannot be told from here */

#endif
