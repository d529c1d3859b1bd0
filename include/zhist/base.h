/*
 * base.h: what every room stands on: errors, memory that lives as long as a job, byte buffers.
 *
 * Functions that can fail return 0 or -1 and fill the caller's struct err. Running out of memory
 * is not an error to handle: it ends the program with one sentence (see base_oom).
 */
#ifndef ZHIST_BASE_H
#define ZHIST_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define LENGTH(array) (sizeof(array) / sizeof *(array))

#define NS_PER_S INT64_C(1000000000)

/* The kind decides the exit code (main.c holds the mapping). */
enum err_kind {
    ERR_NONE,
    ERR_FAILED,      /* 1: it was tried and did not work */
    ERR_USAGE,       /* 2: the command line, the profile or the report is wrong */
    ERR_FOUND,       /* 3: the gate found something */
    ERR_REFUSED,     /* 4: preflight, expect or strict said no */
    ERR_INTERRUPTED, /* 130: SIGINT or SIGTERM */
};

struct err {
    enum err_kind kind;
    bool lines;      /* the text is several, of a profile's mistakes; else one */
    int code;        /* errno, or an extended SQLite code; 0: none */
    char text[6144]; /* lower case, what failed first, subject in quotes, no full stop */
};

/* Both fill *e and return -1. err_sys adds ": " and the text of the errno value, and keeps it. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
int err_sys(struct err *e, int errnum, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * Called when memory runs out, with nothing allocated; must not return. main.c sets one that
 * prints a sentence and ends the program; the default aborts.
 */
extern void (*base_oom)(void);
void *must(void *memory); /* gives it back; NULL: base_oom */

/* An arena: allocate, never free one thing, release all. Memory is zeroed. Zero-initialise it. */
struct arena {
    struct arena_block *head;
};
void *arena_alloc(struct arena *a, size_t count, size_t size); /* count * size is checked */
#define arena_new(a, type, count) ((type *)arena_alloc((a), (count), sizeof(type)))
char *arena_copy(struct arena *a, const void *bytes, size_t len); /* adds a NUL */
char *arena_str(struct arena *a, const char *text);               /* NULL gives NULL */
char *arena_fmt(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
void arena_release(struct arena *a);

/* A growing byte buffer, always NUL-terminated once something was put. Zero-initialise it. */
struct buf {
    char *data;
    size_t len, cap;
};
void buf_put(struct buf *b, const void *bytes, size_t len);
void buf_str(struct buf *b, const char *text);
void buf_fmt(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vfmt(struct buf *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0), nonnull(2)));
void buf_json(struct buf *b, const char *text);    /* a JSON string with its quotes; NULL: null */
void buf_json_number(struct buf *b, double value); /* shortest that reads back; NaN, inf: null */
void buf_release(struct buf *b);

/* An array in an arena, doubled when full: item = array_add(a, items, n, cap) on plain fields. */
#define array_add(a, items, n, cap)                                                                \
    (!(items) || (n) == (cap)                                                                      \
         ? (void)((items) = array_grow((a), (items), (n), &(cap), sizeof *(items)))                \
         : (void)0,                                                                                \
     &(items)[(n)++])
void *array_grow(struct arena *a, const void *items, size_t n, size_t *cap, size_t size);

/* Whole file into the arena with a NUL behind it; more than max bytes is an error. Pseudo files
 * (/proc, /sys) report size 0 and are read to their end. */
int file_read(struct arena *a, const char *path, size_t max, char **text, size_t *len,
              struct err *e);

/* The one PRNG: splitmix64 (Steele, Lea, Flood 2014, doi 10.1145/2660193.2660195). */
static inline uint64_t random_next(uint64_t *state) {
    uint64_t v = *state += UINT64_C(0x9e3779b97f4a7c15);
    v = (v ^ (v >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
    return v ^ (v >> 31);
}
int random_bytes(void *bytes, size_t len, struct err *e); /* from the kernel: seeds and uuids; len <= 256 */
int uuid_make(char text[37], struct err *e);              /* RFC 9562 version 4 */

int64_t clock_real_ns(void);      /* since 1970 UTC */
int64_t clock_monotonic_ns(void); /* for durations */

#endif
