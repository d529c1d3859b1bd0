/*
 * fill.c: makes the pool of data behind fill.h, and measures how fast data is made.
 *
 * Stamps are unique because they are a bijection of a counter that is never used twice: every fill
 * takes a range of its own (2^40 stamps, 4 PiB of data), and the key holds seed and time, so that
 * a run repeated with the same seed does not write what a snapshot already has.
 */
#include "fill.h"

#include "zhist/work.h"

#include <math.h>
#include <stdatomic.h>
#include <unistd.h>

enum { LANE_BITS = 40 };

static _Atomic uint64_t next_lane;

void fill_random(void *bytes, size_t len, uint64_t key) {
    unsigned char *at = bytes;
    uint64_t state = fill_mix(key);
    for (; len >= 32; len -= 32, at += 32) {
        uint64_t four[4];
        for (int i = 0; i < 4; i++)
            four[i] = random_next(&state);
        memcpy(at, four, sizeof four);
    }
    for (; len > 0; len--, at++)
        *at = (unsigned char)random_next(&state);
}

const char *fill_unsupported(const struct data_spec *data) {
    if (data->from)
        return "data taken from a file";
    if (data->dedup > 0)
        return "data with a share of repeated blocks";
    return NULL;
}

/* A ratio is had by zeros behind the random part of each unit: every compressor finds them. */
static void make_compressible(unsigned char *pool, size_t len, double ratio) {
    size_t keep = (size_t)(FILL_UNIT / ratio);
    if (keep < FILL_STAMP)
        keep = FILL_STAMP;
    for (size_t at = 0; at < len; at += FILL_UNIT) {
        size_t unit = len - at < FILL_UNIT ? len - at : FILL_UNIT;
        if (unit > keep)
            memset(pool + at + keep, 0, unit - keep);
    }
}

int64_t fill_pool(int64_t size) {
    int64_t pool = FILL_UNIT;
    while (pool < FILL_POOL && pool < size)
        pool *= 2;
    return pool;
}

int fill_open(struct fill *f, const struct data_spec *data, int64_t size, int64_t max, uint64_t seed,
              struct err *e) {
    uint64_t lane = atomic_fetch_add(&next_lane, 1);
    uint64_t key =
        fill_mix(seed + fill_mix((uint64_t)clock_real_ns()) + fill_mix((uint64_t)getpid()));
    size_t len = (size_t)fill_pool(size) + (size_t)max;
    void *pool;
    *f = (struct fill){0};
    if (posix_memalign(&pool, FILL_ALIGN, len) != 0)
        return err_set(e, ERR_FAILED, "no memory for %zu bytes of data to write; use fewer jobs", len);
    f->pool = pool;
    f->mask = (uint64_t)fill_pool(size) - 1;
    f->len = len;
    f->key[0] = key;
    f->key[1] = fill_mix(key ^ UINT64_C(0x9e3779b97f4a7c15));
    f->counter = lane << LANE_BITS;
    f->stamped = !data->zeros;
    if (data->zeros)
        memset(pool, 0, len);
    else
        fill_random(pool, len, key + fill_mix(lane));
    if (!data->zeros && data->compress > 1)
        make_compressible(pool, len, data->compress);
    return 0;
}

void fill_close(struct fill *f) {
    free(f->pool);
    *f = (struct fill){0};
}

double work_generator_rate(void) {
    enum { ROUND = 1 << 20, ROUNDS = 32 };
    struct fill f = {.stamped = true};
    void *bytes;
    if (posix_memalign(&bytes, FILL_ALIGN, ROUND) != 0)
        return (double)NAN;
    memset(bytes, 0, ROUND);
    f.pool = bytes;
    int64_t start = clock_monotonic_ns();
    for (int i = 0; i < ROUNDS; i++) {
        fill_random(bytes, ROUND, (uint64_t)i);
        fill_take(&f, 0, ROUND);
    }
    int64_t took = clock_monotonic_ns() - start;
    fill_close(&f);
    return took > 0 ? (double)ROUND * ROUNDS * (double)NS_PER_S / (double)took : (double)NAN;
}
