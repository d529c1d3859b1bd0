/*
 * loop.h: the measuring loop of engines with one operation in flight, made to be inlined: each
 * engine instantiates it with its own operation, so that nothing is called through a pointer.
 *
 * Where nothing happens between two operations, the end of one is the start of the next: one
 * reading of the clock an operation. Before a write the data is stamped; this is part of the
 * duration but not of the latency, so writes read the clock twice.
 */
#ifndef MEASURE_LOOP_H
#define MEASURE_LOOP_H

#include "engine.h"

#include <stdatomic.h>
#include <time.h>

#define LOOP_INLINE static inline __attribute__((always_inline))
#define LOOP_UNLIKELY(x) __builtin_expect(!!(x), 0)

enum { LOOP_MARK_NS = 10 * 1000 * 1000 }; /* how often progress is told, for a tick */

LOOP_INLINE int64_t loop_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/*
 * Every block once, in an order that looks random; then again in another. A block that was hit
 * twice would be read from the cache, or overwritten there and flushed once: faster than it is.
 * Steps that are each a bijection of `bits` bits; what falls beyond n is permuted on until it does
 * not (cycle walking, Black and Rogaway 2002): fewer than two turns on average.
 */
struct loop_order {
    uint64_t n, next, mask, add, one, two;
    unsigned half;
};

LOOP_INLINE void loop_shuffle(struct loop_order *o, uint64_t *random) {
    unsigned bits = o->n > 1 ? 64u - (unsigned)__builtin_clzll(o->n - 1) : 1;
    o->next = 0;
    o->half = (bits + 1) / 2;
    o->mask = ~UINT64_C(0) >> (64 - bits);
    o->add = random_next(random);
    o->one = random_next(random) | 1;
    o->two = random_next(random) | 1;
}

LOOP_INLINE int64_t loop_pick(struct loop_order *o, uint64_t *random) {
    if (LOOP_UNLIKELY(o->next == o->n))
        loop_shuffle(o, random);
    uint64_t x = o->next++;
    do {
        x = (x + o->add) & o->mask;
        x ^= x >> o->half;
        x = (x * o->one) & o->mask;
        x ^= x >> o->half;
        x = (x * o->two) & o->mask;
        x ^= x >> o->half;
    } while (x >= o->n);
    return (int64_t)x;
}

/* Of operations that are mixed: by chance, so that no pattern of it meets one of the storage. */
LOOP_INLINE bool loop_is_write(uint64_t *random, double mix_read) {
    return (double)(random_next(random) >> 11) * 0x1p-53 >= mix_read;
}

static inline void loop_tell(struct work_progress *p, int64_t bytes, int64_t ops) {
    atomic_fetch_add_explicit(&p->bytes, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&p->ops, ops, memory_order_relaxed);
}

/* The operation returns 0, or -1 with what, and errnum or why, in the job. */
LOOP_INLINE void loop_run(struct engine_job *job,
                          int (*read)(struct engine_job *, void *, int64_t, int64_t),
                          int (*write)(struct engine_job *, void *, int64_t, int64_t), bool reads,
                          bool writes, bool random) {
    struct engine_run *run = job->run;
    const int64_t size = run->size, block = run->block, blocks = size / block;
    const volatile int *stop = run->stop;
    int64_t left = run->time ? run->most_ops : random ? blocks : blocks + (size % block != 0);
    int64_t bytes = 0, ops = 0, read_ops = 0, read_bytes = 0, told_bytes = 0, told_ops = 0, offset = 0, where = 0;
    uint64_t state = job->random;
    struct loop_order order = {.n = (uint64_t)blocks};
    int64_t now = loop_clock();
    const int64_t deadline = run->time ? now + run->time : INT64_MAX;
    int64_t mark = now + LOOP_MARK_NS < deadline ? now + LOOP_MARK_NS : deadline;

    if (random)
        loop_shuffle(&order, &state);
    job->started = now;
    for (;;) {
        if (LOOP_UNLIKELY(__atomic_load_n(stop, __ATOMIC_RELAXED) ||
                          atomic_load_explicit(&run->broken, memory_order_relaxed))) {
            job->stopped = true;
            break;
        }
        int64_t len = block;
        if (random) {
            where = loop_pick(&order, &state) * block;
        } else {
            where = offset;
            if (LOOP_UNLIKELY(size - where < len))
                len = size - where;
            offset = where + len == size ? 0 : where + len;
        }
        void *data = job->buffer;
        bool writing = writes && (!reads || loop_is_write(&state, run->mix_read));
        if (writing) {
            data = fill_take(&job->fill, where, len);
            now = loop_clock();
        }
        if (LOOP_UNLIKELY((writing ? write(job, data, len, where) : read(job, data, len, where)) !=
                          0)) {
            job->where = where;
            now = loop_clock();
            atomic_store_explicit(&run->broken, true, memory_order_relaxed);
            break;
        }
        int64_t end = loop_clock();
        hist_add(reads && writing ? &job->hist_writes : &job->hist, end - now);
        now = end;
        bytes += len;
        ops++;
        if (reads && !writing) {
            read_bytes += len;
            read_ops++;
        }
        if (LOOP_UNLIKELY(now >= mark)) {
            loop_tell(run->progress, bytes - told_bytes, ops - told_ops);
            told_bytes = bytes;
            told_ops = ops;
            if (now >= deadline)
                break;
            mark = now + LOOP_MARK_NS < deadline ? now + LOOP_MARK_NS : deadline;
        }
        if (--left == 0)
            break;
    }
    loop_tell(run->progress, bytes - told_bytes, ops - told_ops);
    job->ended = now;
    job->bytes = bytes;
    job->ops = ops;
    job->read_bytes = read_bytes;
    job->read_ops = read_ops;
    job->random = state;
}

/* One copy of the loop for each pattern: the branches above are decided when it is compiled. */
#define LOOP_DISPATCH(job, read, write)                                                            \
    do {                                                                                           \
        if ((job)->run->writes && (job)->run->reads)                                               \
            loop_run((job), (read), (write), true, true, true);                                    \
        else if ((job)->run->writes && (job)->run->random)                                         \
            loop_run((job), (read), (write), false, true, true);                                   \
        else if ((job)->run->writes)                                                               \
            loop_run((job), (read), (write), false, true, false);                                  \
        else if ((job)->run->random)                                                               \
            loop_run((job), (read), (write), true, false, true);                                   \
        else                                                                                       \
            loop_run((job), (read), (write), true, false, false);                                  \
    } while (0)

#endif
