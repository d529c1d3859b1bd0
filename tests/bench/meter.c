/*
 * meter.c: what one reading of all meters costs: prints ns a reading, the median of 201.
 *   bench_meter DISKS PATH     DISKS: kernel names joined by ' '
 */
#include <stdio.h>
#include <stdlib.h>

#include "zhist/meter.h"

static int ascending(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv) {
    static struct meter_reading reading;
    static int64_t took[201];
    struct arena a = {0};
    if (argc != 3)
        return 2;
    struct meter_spec spec = {.storage = STORAGE_DISKS, .disks = argv[1], .path = argv[2]};
    struct meter *m = meter_open(&a, &spec);
    for (size_t i = 0; i < LENGTH(took); i++) {
        int64_t start = clock_monotonic_ns();
        meter_read(m, &reading);
        took[i] = clock_monotonic_ns() - start;
    }
    qsort(took, LENGTH(took), sizeof *took, ascending);
    printf("%lld\n", (long long)took[LENGTH(took) / 2]);
    meter_close(m);
    arena_release(&a);
    return 0;
}
