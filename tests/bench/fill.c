/*
 * fill.c: what data of a set ratio costs beside copying memory, measured in turn, for bench.sh.
 *
 *   fill RATIO N     N lines: ns a byte of data taken from the pool and copied to where a device
 *                    would take it; of memcpy there; of a pool made anew, memory included; of
 *                    memcpy into new memory
 */
#include "zhist/banned.h"

#include "../../src/measure/fill.h"
#include "zhist/unit.h"

#include <malloc.h>

enum { MIB = 1 << 20, MIBS = 64 };

static double per_byte(int64_t began) {
    return (double)(clock_monotonic_ns() - began) / MIBS / MIB;
}

static double take(struct fill *f, char *to) {
    int64_t began = clock_monotonic_ns();
    for (int64_t i = 0; i < MIBS; i++)
        memcpy(to + i * MIB, fill_take(f, i * MIB, MIB), MIB);
    return per_byte(began);
}

static double copy(const char *from, char *to) {
    int64_t began = clock_monotonic_ns();
    for (int64_t i = 0; i < MIBS; i++)
        memcpy(to + i * MIB, from + i * MIB % FILL_POOL, MIB);
    return per_byte(began);
}

static double make(const struct data_spec *data) {
    int64_t began = clock_monotonic_ns();
    for (int i = 0; i < MIBS * MIB / FILL_POOL; i++) {
        struct fill f;
        struct err e;
        if (fill_open(&f, data, INT64_MAX, MIB, 1, &e) != 0)
            exit(1);
        fill_close(&f);
    }
    return per_byte(began) * FILL_POOL / (FILL_POOL + MIB);
}

static double copy_new(const char *from) {
    int64_t began = clock_monotonic_ns();
    for (int i = 0; i < MIBS * MIB / FILL_POOL; i++) {
        char *to = malloc(FILL_POOL);
        if (!to)
            exit(1);
        memcpy(to, from, FILL_POOL);
        __asm__ volatile("" : : "r"(to) : "memory"); /* or the compiler leaves it out */
        free(to);
    }
    return per_byte(began);
}

int main(int argc, char **argv) {
    struct fill f;
    struct err e;
    int64_t n = 0;
    struct data_spec data = {0};
    mallopt(M_MMAP_THRESHOLD, MIB); /* what is made anew always has new pages */
    char *from = malloc(FILL_POOL), *to = malloc((size_t)MIBS * MIB);
    if (argc != 3 || unit_read_number(argv[1], &data.compress) || unit_read_count(argv[2], &n) ||
        !from || !to || fill_open(&f, &data, INT64_MAX, MIB, 1, &e) != 0)
        return 2;
    memset(from, 1, FILL_POOL);
    memset(to, 1, (size_t)MIBS * MIB);
    for (int64_t i = 0; i < n; i++) {
        double a = take(&f, to), b = copy(from, to), c = make(&data);
        printf("%.6f %.6f %.6f %.6f\n", a, b, c, copy_new(from));
    }
    return 0;
}
