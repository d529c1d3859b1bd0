/*
 * unit_fill.c: what is written is unique in every 4 KiB and does not compress, or by as much as was
 * asked, which real compressors decide; or repeats in as many records as was asked.
 */
#include "check.h"

#include "../src/measure/fill.h"
#include "zhist/work.h"

#include <fcntl.h>
#include <lz4.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { MIB = 1 << 20, UNITS = 60000 };

static char dir[512];
static const struct data_spec plain = {.compress = 1};

struct units {
    uint64_t (*stamp)[2];
    size_t n;
};

static int by_stamp(const void *a, const void *b) {
    return memcmp(a, b, FILL_STAMP);
}

static void gather(struct units *u, const unsigned char *data, int64_t len) {
    for (int64_t at = 0; at < len && u->n < UNITS; at += FILL_UNIT)
        memcpy(u->stamp[u->n++], data + at, FILL_STAMP);
}

static int all_differ(struct units *u) {
    qsort(u->stamp, u->n, FILL_STAMP, by_stamp);
    for (size_t i = 1; i < u->n; i++)
        if (!memcmp(u->stamp[i - 1], u->stamp[i], FILL_STAMP))
            return 0;
    return u->n > 0;
}

static void test_unique(void) {
    struct units u = {.stamp = malloc(UNITS * FILL_STAMP)};
    struct fill f[2];
    struct err e;
    CHECK("two are made with the same seed",
          fill_open(&f[0], &plain, INT64_MAX, MIB, 42, &e) == 0 &&
              fill_open(&f[1], &plain, INT64_MAX, MIB, 42, &e) == 0);
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < 2; i++)
            for (int64_t at = 0; at < 20 * MIB; at += MIB)
                gather(&u, fill_take(&f[i], at, MIB), MIB);
    CHECK("every 4 KiB differs: over passes, wraps of the pool, and jobs", all_differ(&u));
    u.n = 0;
    for (int64_t at = 0; at < 20 * MIB; at += 512) {
        const unsigned char *data = fill_take(&f[0], at, 512);
        gather(&u, data, 512);
    }
    CHECK("blocks of 512 bytes differ", u.n == 20 * MIB / 512 && all_differ(&u));
    u.n = 0;
    for (int64_t at = 0; at < 20000; at += 5000) /* a unit of its own for the rest */
        gather(&u, fill_take(&f[0], at, 5000), 5000);
    CHECK("odd blocks differ in both of their parts", u.n == 8 && all_differ(&u));
    unsigned char one = *(const unsigned char *)fill_take(&f[0], 3, 1);
    (void)one;
    CHECK("slices are aligned for direct I/O",
          (uintptr_t)fill_take(&f[0], 17 * (int64_t)MIB, MIB) % FILL_ALIGN == 0);
    fill_close(&f[0]);
    fill_close(&f[1]);
    free(u.stamp);
}

/* ---- what compressors make of it ------------------------------------------------------------- */

static const char *const packers[] = {"lz4", "zstd", "gzip"}; /* as ZFS and btrfs use them */

static size_t packed(int packer, const unsigned char *data, size_t len, void *out, size_t room) {
    uLongf size = room;
    if (packer == 0)
        return (size_t)LZ4_compress_default((const char *)data, out, (int)len, (int)room);
    if (packer == 1)
        return ZSTD_compress(out, room, data, len, 3);
    return compress2(out, &size, data, len, 6) == Z_OK ? size : 0;
}

/* How much smaller a file of 4 MiB, written in blocks, becomes record by record. */
static double ratio_of(struct fill *f, int packer, size_t record, int64_t block) {
    enum { TOTAL = 4 * MIB };
    size_t room = record + record / 8 + 1024, all = 0;
    unsigned char *data = malloc(TOTAL), *out = malloc(room);
    for (int64_t at = 0; at < TOTAL; at += block)
        memcpy(data + at, fill_take(f, at, block), (size_t)block);
    for (size_t at = 0; at < TOTAL; at += record)
        all += packed(packer, data + at, record, out, room);
    free(data);
    free(out);
    return (double)TOTAL / (double)all;
}

static void test_ratio(double ratio, const struct data_spec *data) {
    static const size_t records[] = {16 * 1024, 128 * 1024, MIB};
    static const int64_t blocks[] = {4096, 8192, MIB};
    char line[200];
    struct fill f;
    struct err e;
    if (!CHECK("data of a ratio is made", fill_open(&f, data, INT64_MAX, MIB, 1, &e) == 0))
        return;
    for (int packer = 0; packer < (int)LENGTH(packers); packer++) {
        double low = 1e9, high = 0;
        for (size_t r = 0; r < LENGTH(records); r++)
            for (size_t b = 0; b < LENGTH(blocks); b++) {
                double got = ratio_of(&f, packer, records[r], blocks[b]);
                low = got < low ? got : low;
                high = got > high ? got : high;
            }
        snprintf(line, sizeof line, "a ratio of %g: %s is within 5 %% of it at every record", ratio,
                 packers[packer]);
        if (!CHECK(line, low > ratio * 0.95 && high < ratio * 1.05))
            printf("#   %.3f to %.3f\n", low, high);
    }
    fill_close(&f);
}

static void test_ratios(void) {
    static const double ratios[] = {1, 1.5, 2, 3, 4, 10};
    for (size_t i = 0; i < LENGTH(ratios); i++)
        test_ratio(ratios[i], &(struct data_spec){.compress = ratios[i]});
    test_ratio(3, &(struct data_spec){.compress = 3, .dedup = 0.3});
    struct fill f;
    struct err e;
    CHECK("zeros open", !fill_open(&f, &(struct data_spec){.zeros = true}, MIB, MIB, 1, &e));
    CHECK("zeros are zeros", ratio_of(&f, 0, MIB, MIB) > 200);
    fill_close(&f);
}

/* ---- repeated blocks ------------------------------------------------------------------------- */

enum { STRETCHES = 40 };

static uint64_t hash_of(const unsigned char *data, size_t len) {
    uint64_t hash = 0;
    for (size_t at = 0; at < len; at += 8) {
        uint64_t word;
        memcpy(&word, data + at, 8);
        hash = fill_mix(hash ^ word);
    }
    return hash;
}

/* One pass over a file of STRETCHES MiB: the hashes of its records. */
static size_t pass_over(struct fill *f, int64_t block, size_t record, uint64_t *hash) {
    unsigned char *data = malloc((size_t)STRETCHES * MIB);
    size_t n = 0;
    for (int64_t at = 0; at < (int64_t)STRETCHES * MIB; at += block) {
        int64_t left = (int64_t)STRETCHES * MIB - at, len = left < block ? left : block;
        memcpy(data + at, fill_take(f, at, len), (size_t)len);
    }
    for (size_t at = 0; at < (size_t)STRETCHES * MIB; at += record)
        hash[n++] = hash_of(data + at, record);
    free(data);
    return n;
}

static int by_hash(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    return (x > y) - (x < y);
}

static size_t distinct(uint64_t *hash, size_t n) {
    size_t found = n > 0;
    qsort(hash, n, sizeof *hash, by_hash);
    for (size_t i = 1; i < n; i++)
        found += hash[i] != hash[i - 1];
    return found;
}

static void test_share(double share, int64_t block, size_t record) {
    size_t most = (size_t)STRETCHES * MIB / record, per = MIB / record;
    uint64_t *hash = malloc(3 * most * sizeof *hash);
    int64_t max = block > MIB ? block : MIB;
    struct data_spec data = {.compress = 1, .dedup = share};
    char line[200];
    struct fill f;
    struct err e;
    snprintf(line, sizeof line, "%g of records of %zu repeat, written in blocks of %lld", share,
             record, (long long)block);
    if (!CHECK("repeated data is made",
               fill_open(&f, &data, (int64_t)STRETCHES * MIB, max, 1, &e) == 0))
        return;
    fill_begin(&f, (int64_t)STRETCHES * MIB, block);
    size_t n = pass_over(&f, block, record, hash);
    size_t once = distinct(hash, n);
    if (!CHECK(line, once == (size_t)(STRETCHES * (1 - share) + 0.5) * per))
        printf("#   %zu of %zu are distinct\n", once, n);
    n = pass_over(&f, block, record, hash); /* the next pass comes by itself */
    fill_begin(&f, (int64_t)STRETCHES * MIB, block);
    n += pass_over(&f, block, record, hash + n);
    fill_close(&f);
    CHECK("the same seed again opens", !fill_open(&f, &data, (int64_t)STRETCHES * MIB, max, 1, &e));
    n += pass_over(&f, block, record, hash + n);
    CHECK("no pass and no other fill repeats what one before wrote", distinct(hash, n) == 3 * once);
    fill_close(&f);
    free(hash);
}

static void test_repeated(void) {
    test_share(0.3, MIB, 128 * 1024);
    test_share(0.3, 8192, 8192);
    test_share(0.5, 128 * 1024, MIB);
    test_share(0.9, 512, 4096);
    test_share(0.25, 4 * 5000, 64 * 1024); /* lies in two stretches now and then */
    struct fill f;
    struct err e = {0};
    struct data_spec data = {.compress = 1, .dedup = 0.3};
    CHECK("a file too small to hold a repeated block is refused",
          fill_open(&f, &data, 3 * MIB, MIB, 1, &e) == -1 && strstr(e.text, "larger size"));
    CHECK("one that holds one is not", fill_open(&f, &data, 4 * MIB, MIB, 1, &e) == 0);
    fill_close(&f);
}

/* ---- a file's bytes -------------------------------------------------------------------------- */

static void write_pattern(const char *path, size_t len) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    unsigned char page[4096];
    for (size_t at = 0; at < len; at += sizeof page) {
        memset(page, 'a' + (int)(at / MIB % 26), sizeof page);
        if (write(fd, page, len - at < sizeof page ? len - at : sizeof page) < 0)
            break;
    }
    close(fd);
}

static void test_from(void) {
    char path[600];
    struct fill f;
    struct err e = {0};
    struct units u = {.stamp = malloc(UNITS * FILL_STAMP)};
    struct data_spec data = {.compress = 1, .from = "named", .from_path = path};
    snprintf(path, sizeof path, "%s/short", dir);
    write_pattern(path, 1000);
    CHECK("a short file is repeated", fill_open(&f, &data, INT64_MAX, MIB, 1, &e) == 0);
    const unsigned char *slice = fill_take(&f, 5 * (int64_t)MIB, MIB);
    CHECK("its bytes lie behind the stamps",
          slice[16] == 'a' && slice[4095] == 'a' && slice[MIB - 1] == 'a');
    gather(&u, slice, MIB);
    gather(&u, fill_take(&f, 5 * (int64_t)MIB, MIB), MIB);
    CHECK("which differ in every 4 KiB", all_differ(&u));
    fill_close(&f);
    write_pattern(path, 52 * (size_t)MIB);
    CHECK("a long one is taken from end to end", fill_open(&f, &data, INT64_MAX, MIB, 1, &e) == 0);
    slice = fill_take(&f, 0, MIB);
    CHECK("from its beginning", slice[100] == 'a');
    slice = fill_take(&f, 15 * (int64_t)MIB + MIB / 2, 4096);
    CHECK("to its end", slice[100] == 'z' || slice[100] == 'y');
    fill_close(&f);
    write_pattern(path, 0);
    CHECK("an empty one is refused", fill_open(&f, &data, MIB, MIB, 1, &e) == -1 &&
                                         strstr(e.text, "is empty") && strstr(e.text, "/short"));
    unlink(path);
    CHECK("a missing one is refused",
          fill_open(&f, &data, MIB, MIB, 1, &e) == -1 && strstr(e.text, "cannot open"));
    data.from_path = dir;
    CHECK("a directory is refused",
          fill_open(&f, &data, MIB, MIB, 1, &e) == -1 && strstr(e.text, "not a regular file"));
    CHECK("a fifo is refused, and not waited for", mkfifo(path, 0600) == 0);
    data.from_path = path;
    CHECK("it is",
          fill_open(&f, &data, MIB, MIB, 1, &e) == -1 && strstr(e.text, "not a regular file"));
    unlink(path);
    free(u.stamp);
}

static void test_makers(void) {
    unsigned char a[1003], b[1003];
    memset(a, 0, sizeof a);
    fill_random(a, sizeof a, 5);
    fill_random(b, sizeof b, 5);
    CHECK("the same key gives the same bytes", !memcmp(a, b, sizeof a));
    fill_random(b, sizeof b, 6);
    CHECK("another key gives others", memcmp(a, b, sizeof a));
    CHECK("the generator has a rate", work_generator_rate() > 0);
}

int main(void) {
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/zhist-fill-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return 1;
    test_makers();
    test_unique();
    test_ratios();
    test_repeated();
    test_from();
    rmdir(dir);
    return check_done();
}
