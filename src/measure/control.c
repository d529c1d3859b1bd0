/*
 * control.c: generator, memory copy, timer; and a raw read of one disk.
 */
#include "zhist/control.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "direct.h"
#include "zhist/work.h"

enum {
    COPY_BYTES = 32 << 20, /* a side: beyond the caches of one core */
    COPY_ROUNDS = 5,
    TIMER_READINGS = 2000,
    RAW_BLOCK = 1 << 20,
    RAW_BLOCKS = 256,
    RAW_ALIGN = 4096,
};
static const int64_t RAW_TIME = NS_PER_S / 2;

/* The best of some rounds: what disturbs can only make it slower. */
static double memory_copy(void) {
    void *from, *to;
    double best = (double)NAN;
    if (posix_memalign(&from, RAW_ALIGN, COPY_BYTES) != 0)
        return best;
    if (posix_memalign(&to, RAW_ALIGN, COPY_BYTES) == 0) {
        memset(from, 0x5a, COPY_BYTES);
        memset(to, 0, COPY_BYTES);
        for (int i = 0; i < COPY_ROUNDS; i++) {
            int64_t start = clock_monotonic_ns();
            memcpy(to, from, COPY_BYTES);
            __asm__ volatile("" : : "r"(to) : "memory"); /* the copy is not left out */
            double rate = (double)COPY_BYTES * 1e9 / (double)(clock_monotonic_ns() - start);
            best = rate > best || isnan(best) ? rate : best;
        }
        free(to);
    }
    free(from);
    return best;
}

static void timer(struct controls *c) {
    int64_t step = INT64_MAX, first = clock_monotonic_ns(), last = first;
    for (int i = 0; i < TIMER_READINGS; i++) {
        int64_t now = clock_monotonic_ns();
        if (now > last && now - last < step)
            step = now - last;
        last = now;
    }
    c->timer = step < INT64_MAX ? (double)step : (double)NAN;
    c->timer_cost = (double)(last - first) / TIMER_READINGS;
}

void controls_measure(struct controls *c) {
    c->generator = work_generator_rate();
    c->memory_copy = memory_copy();
    timer(c);
}

static double read_from(int disk, int64_t size, void *block, struct err *e) {
    int64_t at = size / 4 / RAW_BLOCK * RAW_BLOCK, bytes = 0, start = clock_monotonic_ns(), took = 0;
    for (int i = 0; i < RAW_BLOCKS && at + RAW_BLOCK <= size && took < RAW_TIME; i++) {
        ssize_t got = pread(disk, block, RAW_BLOCK, (off_t)at);
        if (got <= 0) {
            err_sys(e, got ? errno : EIO, "cannot read at %lld", (long long)at);
            return (double)NAN;
        }
        at += got;
        bytes += got;
        took = clock_monotonic_ns() - start;
    }
    if (bytes && took > 0)
        return (double)bytes * 1e9 / (double)took;
    err_set(e, ERR_FAILED, "it is too small");
    return (double)NAN;
}

double control_raw_read(const char *name, struct err *e) {
    char path[512];
    void *block;
    double rate = (double)NAN;
    snprintf(path, sizeof path, "/dev/%s", name);
    for (char *c = path + 5; *c; c++)
        *c = *c == '!' ? '/' : *c; /* the kernel's name of "cciss/c0d0" in /sys */
    int disk = open(path, O_RDONLY | O_CLOEXEC | direct_flag);
    if (disk < 0) {
        err_sys(e, errno, "cannot open \"%s\"", path);
        return rate;
    }
    int64_t size = lseek(disk, 0, SEEK_END);
    if (posix_memalign(&block, RAW_ALIGN, RAW_BLOCK) == 0) {
        rate = read_from(disk, size, block, e);
        free(block);
    } else {
        err_set(e, ERR_FAILED, "no memory for a block");
    }
    close(disk);
    return rate;
}
