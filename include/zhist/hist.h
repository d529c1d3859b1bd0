/*
 * hist.h: a latency histogram: log-linear buckets over 0 .. 2^63-1 ns, mergeable.
 *
 * Values below 128 ns have a bucket each; above, every power of two is cut into 64 equal
 * buckets, and a bucket answers with its middle: a quantile is off by at most 1/128 (0.8 %) of the
 * value. Minimum, maximum and sum are exact.
 * One writer at a time, no locks, no allocation; give each job its own and merge after the join.
 */
#ifndef ZHIST_HIST_H
#define ZHIST_HIST_H

#include "zhist/base.h"

enum { HIST_BUCKETS = 128 + 56 * 64 };

struct hist {
    int64_t count, sum, min, max; /* ns; min and max are meaningless while count is 0 */
    int64_t bucket[HIST_BUCKETS];
};

void hist_clear(struct hist *h);
void hist_merge(struct hist *into, const struct hist *from);
double hist_quantile(const struct hist *h, double q); /* ns; NaN when empty */
double hist_mean(const struct hist *h);               /* ns; NaN when empty */

/*
 * The stored form: a version byte 1, then LEB128: count, sum, min, max, then pairs (distance to
 * the previous non-empty bucket, its count). hist_unpack refuses anything else.
 */
void hist_pack(const struct hist *h, struct buf *out);
int hist_unpack(struct hist *h, const void *bytes, size_t len, struct err *e);

static inline unsigned hist_index(int64_t ns) {
    uint64_t v = ns < 0 ? 0 : (uint64_t)ns;
    if (v < 128)
        return (unsigned)v;
    unsigned shift = 57u - (unsigned)__builtin_clzll(v); /* v >> shift is 64 .. 127 */
    return 64 + shift * 64 + (unsigned)((v >> shift) - 64) ;
}

static inline void hist_add(struct hist *h, int64_t ns) {
    h->bucket[hist_index(ns)]++;
    h->count++;
    h->sum += ns;
    if (ns < h->min)
        h->min = ns;
    if (ns > h->max)
        h->max = ns;
}

#endif
