/*
 * fill.c: makes the pool of data behind fill.h, and measures how fast data is made.
 *
 * Stamps are unique because they are a bijection of a counter that is never used twice: every fill
 * takes a range of its own (2^40 stamps, 4 PiB of data), and the key holds seed and time, so that
 * a run repeated with the same seed does not write what a snapshot already has.
 * Where blocks repeat, the counter counts passes, and offsets are mixed into the stamp.
 */
#include "fill.h"

#include "zhist/work.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <sys/stat.h>
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

/* ---- what the pool holds --------------------------------------------------------------------- */

/*
 * A ratio is had by zeros behind the random part of each unit: every compressor finds them. What
 * it costs to say so is taken from the random part: of lz4, zstd and gzip, measured at records of
 * 16 KiB to 1 MiB, none then is more than 5 % off up to a ratio of 10 (tests/unit_fill.c). lz4
 * spends a byte on each 255 that repeat, gzip two codes on each 258; the beginning of a run costs
 * some more.
 */
static size_t random_part(double ratio) {
    const double begin = 6, each = 0.0025;
    double zeros = FILL_UNIT - FILL_UNIT / ratio;
    double keep = FILL_UNIT - zeros - begin - each * zeros;
    return ratio <= 1 ? FILL_UNIT : keep > FILL_STAMP ? (size_t)(keep + 0.5) : FILL_STAMP;
}

static void make_random(unsigned char *pool, size_t len, double ratio, uint64_t key) {
    size_t keep = random_part(ratio);
    if (keep == FILL_UNIT) {
        fill_random(pool, len, key);
        return;
    }
    for (size_t at = 0; at < len; at += FILL_UNIT) {
        size_t unit = len - at < FILL_UNIT ? len - at : FILL_UNIT;
        size_t random = unit < keep ? unit : keep;
        fill_random(pool + at, random, key + at);
        memset(pool + at + random, 0, unit - random);
    }
}

/* One piece of the file, as long as there is room and it does not end. -1 with errno. */
static int64_t read_piece(int file, unsigned char *to, int64_t len, int64_t offset) {
    int64_t have = 0;
    while (have < len) {
        ssize_t got = pread(file, to + have, (size_t)(len - have), (off_t)(offset + have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        have += got;
    }
    return have;
}

static void repeat(unsigned char *bytes, int64_t have, int64_t len) {
    for (int64_t at = have; at < len; at++)
        bytes[at] = bytes[at - have];
}

/* Of a file longer than the pool, 16 pieces from end to end; a shorter one is repeated. */
static int read_pieces(int file, int64_t size, unsigned char *pool, int64_t len, const char *path,
                       struct err *e) {
    enum { PIECES = 16 };
    int64_t have = 0;
    if (size <= len)
        have = read_piece(file, pool, len, 0);
    for (int64_t i = 0; size > len && i < PIECES && have >= 0; i++) {
        int64_t piece = len / PIECES, from = (size - piece) / (PIECES - 1) * i;
        int64_t got = read_piece(file, pool + have, piece, from);
        have = got < 0 ? -1 : have + got;
    }
    if (have < 0)
        return err_sys(e, errno, "data: from: cannot read \"%s\"", path);
    if (have == 0)
        return err_set(e, ERR_FAILED, "data: from: \"%s\" is empty; name a file with bytes in it",
                       path);
    repeat(pool, have, len);
    return 0;
}

static int make_from_file(unsigned char *pool, int64_t len, const char *path, struct err *e) {
    struct stat st;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 || fstat(file, &st) != 0) {
        err_sys(e, errno, "data: from: cannot open \"%s\"", path);
        if (file >= 0)
            close(file);
        return -1;
    }
    int status = S_ISREG(st.st_mode)
                     ? read_pieces(file, (int64_t)st.st_size, pool, len, path, e)
                     : err_set(e, ERR_FAILED, "data: from: \"%s\" is not a regular file", path);
    close(file);
    return status;
}

/* ---- open and close -------------------------------------------------------------------------- */

int64_t fill_pool(int64_t size) {
    int64_t pool = FILL_UNIT;
    while (pool < FILL_POOL && pool < size)
        pool *= 2;
    return pool;
}

int64_t fill_memory(const struct data_spec *data, int64_t size, int64_t max) {
    return fill_pool(size) + (data->dedup > 0 ? 2 : 1) * max;
}

int fill_open(struct fill *f, const struct data_spec *data, int64_t size, int64_t max,
              uint64_t seed, struct err *e) {
    uint64_t lane = atomic_fetch_add(&next_lane, 1);
    uint64_t key =
        fill_mix(seed + fill_mix((uint64_t)clock_real_ns()) + fill_mix((uint64_t)getpid()));
    size_t all = (size_t)fill_memory(data, size, max), len = (size_t)(fill_pool(size) + max);
    void *pool;
    *f = (struct fill){0};
    f->stretch =
        max <= FILL_STRETCH ? FILL_STRETCH : (max + FILL_STRETCH - 1) / FILL_STRETCH * FILL_STRETCH;
    int64_t stretches = size / f->stretch;
    if (data->dedup > 0 && (double)stretches * data->dedup < 1) /* none would repeat */
        return err_set(
            e, ERR_FAILED,
            "data: dedup repeats aligned stretches of %lld MiB, and a file of %lld bytes has "
            "too few of them for a share of %g %%; use a larger size",
            (long long)(f->stretch >> 20), (long long)size, data->dedup * 100);
    if (posix_memalign(&pool, FILL_ALIGN, all) != 0)
        return err_set(e, ERR_FAILED, "no memory for %zu bytes of data to write; use fewer jobs",
                       all);
    f->pool = pool;
    f->mask = (uint64_t)fill_pool(size) - 1;
    f->len = len;
    f->key[0] = key;
    f->key[1] = fill_mix(key ^ UINT64_C(0x9e3779b97f4a7c15));
    f->counter = lane << LANE_BITS;
    f->stamped = !data->zeros;
    f->dedup = data->dedup;
    f->pass = INT64_MAX;
    f->step = FILL_UNIT;
    f->joined = data->dedup > 0 ? f->pool + len : NULL;
    if (data->from) {
        const char *path = data->from_path ? data->from_path : data->from;
        if (make_from_file(pool, fill_pool(size), path, e) != 0) {
            fill_close(f);
            return -1;
        }
    } else if (data->zeros) {
        memset(pool, 0, len);
    } else {
        make_random(pool, len, data->compress, key + fill_mix(lane));
    }
    if (data->from || data->dedup > 0) /* what repeats must not depend on where the pool ends */
        repeat(pool, fill_pool(size), (int64_t)len);
    if (f->joined) /* so that its pages are there before the clock */
        memset(f->joined, 0, (size_t)max);
    return 0;
}

void fill_close(struct fill *f) {
    free(f->pool);
    *f = (struct fill){0};
}

/* ---- repeated blocks ------------------------------------------------------------------------- */

void fill_begin(struct fill *f, int64_t pass, int64_t block) {
    enum { SHORT_UNIT = 512 }; /* so that each short block has a stamp of its own */
    f->step = block < FILL_UNIT ? SHORT_UNIT : FILL_UNIT;
    f->pass = pass > 0 ? pass : INT64_MAX;
    f->passed = 0;
    f->counter++;
}

/* The stretch whose data this one holds: itself, unless the share of repeated ones grows by one. */
static int64_t source_of(const struct fill *f, int64_t i) {
    while (i > 0 && floor((double)(i + 1) * f->dedup) > floor((double)i * f->dedup))
        i--;
    return i;
}

/* The part of a write that lies in one stretch: offset is where its source has it. */
static void stamp_repeated(const struct fill *f, unsigned char *slice, int64_t offset,
                           int64_t len) {
    for (int64_t unit = offset / f->step * f->step; unit < offset + len; unit += f->step) {
        uint64_t n = fill_mix(f->key[0] + f->counter) + (uint64_t)unit;
        uint64_t stamp[2] = {fill_mix(n), fill_mix(n ^ f->key[1])};
        int64_t from = unit < offset ? offset : unit;
        int64_t end = unit + FILL_STAMP < offset + len ? unit + FILL_STAMP : offset + len;
        if (from < end)
            memcpy(slice + (from - offset), (const char *)stamp + (from - unit),
                   (size_t)(end - from));
    }
}

void *fill_take_repeated(struct fill *f, int64_t offset, int64_t len) {
    unsigned char *slice = NULL;
    const int64_t stretch = f->stretch > 0 ? f->stretch : FILL_STRETCH;
    if (f->passed >= f->pass) {
        f->passed = 0;
        f->counter++;
    }
    f->passed += len;
    for (int64_t done = 0, part; done < len; done += part) {
        int64_t at = offset + done, i = at / stretch, within = at % stretch;
        int64_t from = source_of(f, i) * stretch + within;
        part = stretch - within < len - done ? stretch - within : len - done;
        slice = f->pool + ((uint64_t)from & f->mask);
        stamp_repeated(f, slice, from, part);
        if (part < len)
            memcpy(f->joined + done, slice, (size_t)part);
        if (part < len && done + part == len)
            slice = f->joined;
    }
    return slice;
}

/* ---- control --------------------------------------------------------------------------------- */

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
