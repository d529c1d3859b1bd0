/*
 * fill.h: the data that is written: a pool made before the clock, stamped while it runs.
 *
 * A pool is longer than any record a file system compresses at once (16 MiB), and a write at a file
 * offset takes the slice of the pool at that offset: nothing repeats inside a record. Each
 * FILL_UNIT of a write gets a stamp that no other write of any run has, so that deduplication,
 * NOP-write and block cloning find nothing.
 *
 * With a share of repeated blocks (dedup) the file lies in aligned stretches of FILL_STRETCH, or of
 * one write where that is longer, so that records up to that size repeat as a whole. In every 100
 * stretches `share` of them hold what the last one before them holds that is not such a copy. The
 * stamps then follow from offset and pass: the same within a pass over the file, others in the next
 * one.
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
    FILL_STRETCH = 1 << 20,
};

struct fill {
    unsigned char *pool; /* mask + 1 bytes and one write behind them, aligned for O_DIRECT */
    uint64_t mask;
    size_t len;
    uint64_t key[2], counter;
    bool stamped;
    /* of repeated blocks */
    double dedup;
    int64_t stretch, step; /* bytes from stamp to stamp */
    int64_t pass, passed;  /* bytes of a pass over the file; of them taken so far */
    unsigned char *joined; /* a write that lies in two stretches */
};

/* How long a pool for files of this size is: no longer than the file needs. */
int64_t fill_pool(int64_t size);
/* Bytes of memory for files of this size, written at most max bytes at a time. */
int64_t fill_memory(const struct data_spec *data, int64_t size, int64_t max);
/* Makes the pool. Two fills never stamp alike, not even with the same seed. -1: no memory, or the
 * file the data is taken from cannot be read. */
int fill_open(struct fill *f, const struct data_spec *data, int64_t size, int64_t max,
              uint64_t seed, struct err *e);
void fill_close(struct fill *f);
/* Before a phase that writes `pass` bytes, in such blocks, in one pass over the file: repeated
 * blocks are other ones than before. Other data needs no such call. */
void fill_begin(struct fill *f, int64_t pass, int64_t block);
/* Random bytes, several GB/s; the same for the same key. */
void fill_random(void *bytes, size_t len, uint64_t key);
/* fill_take where blocks repeat. */
void *fill_take_repeated(struct fill *f, int64_t offset, int64_t len);

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
    if (__builtin_expect(f->dedup > 0, 0))
        return fill_take_repeated(f, offset, len);
    for (int64_t at = 0; at < len; at += FILL_UNIT) {
        uint64_t n = f->counter++;
        uint64_t stamp[2] = {fill_mix(f->key[0] + n), fill_mix(f->key[1] + n)};
        size_t room = (size_t)(len - at);
        memcpy(slice + at, stamp, room < FILL_STAMP ? room : FILL_STAMP);
    }
    return slice;
}

#endif
