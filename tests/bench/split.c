/* split.c: nanoseconds of CPU for one search with 999 permutations over 365 runs with a step. */
#include <time.h>

#include "zhist/change.h"

int main(void) {
    double x[365];
    uint64_t state = 3;
    struct timespec from, to;
    for (size_t i = 0; i < LENGTH(x); i++)
        x[i] = (i < 180 ? 100 : 90) + (double)(random_next(&state) >> 11) * 0x1p-53 * 10;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    struct split s = stats_split(x, LENGTH(x), &(struct split_ask){999, 1, 1});
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    if (s.tau != 180)
        return 1;
    printf("%lld\n", (long long)(to.tv_sec - from.tv_sec) * NS_PER_S + to.tv_nsec - from.tv_nsec);
    return 0;
}
