/*
 * fill.h: the data that is written: a pool made before the clock, stamped while it runs.
 *
 * A pool is incompressible and longer than any record a file system compresses at once (16 MiB),
 * and a write at a file offset takes the slice of the pool at that offset: nothing repeats inside
 * a record. Each FILL_UNIT of a write gets a stamp that no other write of any run has.
 */
#ifndef MEASURE_FILL_H
#define MEASURE_FILL_H

#include "zhist/base.h"
#include "zhist/model.h"

enum {
    FILL_POOL = 16 << 20, /* at most: a power of two */
    FILL_UNIT = 4096,
    FILL_STAMP = 16,
    FILL_ALIGN = 4096,
};

struct fill {
    unsigned char *pool; /* mask + 1 bytes and one write behind them, aligned for O_DIRECT */
    uint64_t mask;
    size_t len;
    uint64_t key[2], counter;
    bool stamped;
};

/* NULL, or why this version cannot make such data. */
const char *fill_unsupported(const struct data_spec *data);
/* How long a pool for files of this size is: no longer than the file needs. */
int64_t fill_pool(int64_t size);
/* Makes the pool for files of size, written at most max bytes at a time. Two fills never stamp alike, not even with the
 * same seed. -1: no memory. */
int fill_open(struct fill *f, const struct data_spec *data, int64_t size, int64_t max, uint64_t seed,
              struct err *e);
void fill_close(struct fill *f);
/* Random bytes, several GB/s; the same for the same key. */
void fill_random(void *bytes, size_t len, uint64_t key);

/* Turns a counter into 64 bits that look random; different counters give different bits. */
static inline uint64_t fill_mix(uint64_t v) {
    v = (v ^ (v >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
    return v ^ (v >> 31);
}

/* What is to be written at this offset, stamped: valid until the next call. */
static inline void *fill_take(struct fill *f, int64_t offset, int64_t len) {
    unsigned char *slice = f->pool + ((uint64_t)offset & f->mask);
    if (!f->stamped)
        return slice;
    for (int64_t at = 0; at < len; at += FILL_UNIT) {
        uint64_t n = f->counter++;
        uint64_t stamp[2] = {fill_mix(f->key[0] + n), fill_mix(f->key[1] + n)};
        size_t room = (size_t)(len - at);
        memcpy(slice + at, stamp, room < FILL_STAMP ? room : FILL_STAMP);
    }
    return slice;
}

#endif
