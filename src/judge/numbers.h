/*
 * numbers.h: what the files of this room share about arrays of numbers.
 */
#ifndef JUDGE_NUMBERS_H
#define JUDGE_NUMBERS_H

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "zhist/base.h"

static inline bool all_finite(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) {
            errno = EDOM;
            return false;
        }
    return true;
}

static inline int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double *sorted_copy(struct arena *a, const double *x, size_t n) {
    double *copy = arena_new(a, double, n + 1);
    if (n > 0) {
        memcpy(copy, x, n * sizeof *x);
        qsort(copy, n, sizeof *copy, compare_doubles);
    }
    return copy;
}

#endif
