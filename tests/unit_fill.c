/*
 * unit_fill.c: what is written is unique in every 4 KiB and does not compress, or by as much as
 * was asked; real compressors are asked, where they are installed.
 */
#include "check.h"

#include "../src/measure/fill.h"
#include "zhist/work.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
          fill_open(&f[0], &plain, INT64_MAX, MIB, 42, &e) == 0 && fill_open(&f[1], &plain, INT64_MAX, MIB, 42, &e) == 0);
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

/* The size of the file packed by a program, or -1: there is none. */
static long packed_by(const char *program, const char *level, const char *path) {
    char out[600];
    struct stat st;
    int status;
    snprintf(out, sizeof out, "%s/packed", dir);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int in = open(path, O_RDONLY), to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (in < 0 || to < 0 || dup2(in, 0) < 0 || dup2(to, 1) < 0)
            _exit(126);
        execlp(program, program, level, "-c", (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || stat(out, &st) != 0)
        return -1;
    unlink(out);
    return (long)st.st_size;
}

static void write_file(const char *path, struct fill *f, int64_t total, int64_t block) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int64_t at = 0; at < total; at += block)
        if (write(fd, fill_take(f, at, block), (size_t)block) != block)
            break;
    close(fd);
}

static void test_ratio(const char *name, const struct data_spec *data, double low, double high) {
    static const char *const tools[][2] = {{"gzip", "-1"}, {"zstd", "-3"}};
    char path[600], line[200];
    struct fill f;
    struct err e;
    const int64_t total = 20 * MIB;
    snprintf(path, sizeof path, "%s/data", dir);
    if (!CHECK(name, fill_open(&f, data, INT64_MAX, MIB, 1, &e) == 0))
        return;
    write_file(path, &f, total, MIB);
    for (size_t i = 0; i < LENGTH(tools); i++) {
        long size = packed_by(tools[i][0], tools[i][1], path);
        snprintf(line, sizeof line, "%s, says %s", name, tools[i][0]);
        if (size < 0)
            SKIP(line, "not installed");
        else if (!CHECK(line,
                        (double)total / (double)size > low && (double)total / (double)size < high))
            printf("#   ratio %f\n", (double)total / (double)size);
    }
    fill_close(&f);
    unlink(path);
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
    CHECK("plain data is supported", !fill_unsupported(&plain));
    CHECK("repeated blocks are not, yet", fill_unsupported(&(struct data_spec){.dedup = 0.1}));
}

int main(void) {
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/zhist-fill-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return 1;
    test_makers();
    test_unique();
    test_ratio("plain data does not compress", &plain, 0.9, 1.01);
    test_ratio("a ratio of 3 is one", &(struct data_spec){.compress = 3}, 2.8, 3.05);
    test_ratio("zeros are zeros", &(struct data_spec){.compress = 1, .zeros = true}, 100, 1e9);
    rmdir(dir);
    return check_done();
}
