/*
 * banned.h: included before every file: functions that cannot report overflow or truncation are a
 * compile error. Use unit.h for numbers, buf_* and snprintf for text.
 */
#ifndef ZHIST_BANNED_H
#define ZHIST_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC poison atoi atol atoll atof strtol strtoul strtoll strtoull
#pragma GCC poison sprintf vsprintf strcpy strcat strncpy strncat gets strtok system popen

#endif
