/*
 * base.c: errors, arenas, byte buffers, whole files, clocks. The floor of the house: knows nothing
 * of storage, profiles or databases, and ends no program.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "zhist/base.h"
#include "zhist/unit.h"

void (*base_oom)(void) = abort;

void *must(void *memory) {
    if (!memory) {
        base_oom();
        abort();
    }
    return memory;
}

/* ---- errors ---------------------------------------------------------------------------------- */

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    e->kind = kind;
    e->lines = false;
    e->code = 0;
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    return -1;
}

int err_sys(struct err *e, int errnum, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    e->kind = ERR_FAILED;
    e->lines = false;
    e->code = errnum;
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    size_t len = strlen(e->text);
    char why[256];
    if (strerror_r(errnum, why, sizeof why))
        snprintf(why, sizeof why, "error %d", errnum);
    snprintf(e->text + len, sizeof e->text - len, ": %s", why);
    return -1;
}

/* ---- arena ----------------------------------------------------------------------------------- */

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *arena_alloc(struct arena *a, size_t count, size_t size) {
    const size_t align = _Alignof(max_align_t);
    size_t need;
    if (__builtin_mul_overflow(count, size, &need) || need > SIZE_MAX / 2)
        must(NULL);
    need = (need + align - 1) / align * align;
    struct arena_block *b = a->head;
    if (!b || b->size - b->used < need) {
        size_t room = need > 8000 ? need : 8000;
        struct arena_block *fresh = must(calloc(1, sizeof *fresh + room));
        fresh->size = room;
        /* A big piece goes behind the head, so that the head's free space is not lost. */
        if (b && need > 4000) {
            fresh->next = b->next;
            b->next = fresh;
        } else {
            fresh->next = b;
            a->head = fresh;
        }
        b = fresh;
    }
    void *memory = b->bytes + b->used;
    b->used += need;
    return memory;
}

char *arena_copy(struct arena *a, const void *bytes, size_t len) {
    char *copy = arena_alloc(a, len + 1, 1);
    if (len)
        memcpy(copy, bytes, len);
    return copy;
}

char *arena_str(struct arena *a, const char *text) {
    return text ? arena_copy(a, text, strlen(text)) : NULL;
}

char *arena_fmt(struct arena *a, const char *fmt, ...) {
    va_list ap;
    struct buf b = {0};
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    char *text = arena_copy(a, b.data, b.len);
    buf_release(&b);
    return text;
}

void *array_grow(struct arena *a, const void *items, size_t n, size_t *cap, size_t size) {
    *cap = *cap ? *cap * 2 : 8;
    void *grown = arena_alloc(a, *cap, size);
    if (n)
        memcpy(grown, items, n * size);
    return grown;
}

void arena_release(struct arena *a) {
    for (struct arena_block *b = a->head; b;) {
        struct arena_block *next = b->next;
        free(b);
        b = next;
    }
    a->head = NULL;
}

/* ---- buffer ---------------------------------------------------------------------------------- */

static void buf_reserve(struct buf *b, size_t more) {
    if (b->data && b->cap - b->len > more) /* one byte is kept for the NUL */
        return;
    size_t cap = b->cap ? b->cap : 64;
    while (cap - b->len <= more)
        cap *= 2;
    b->data = must(realloc(b->data, cap));
    b->cap = cap;
}

void buf_put(struct buf *b, const void *bytes, size_t len) {
    buf_reserve(b, len);
    if (len)
        memcpy(b->data + b->len, bytes, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void buf_str(struct buf *b, const char *text) {
    buf_put(b, text, strlen(text));
}

void buf_vfmt(struct buf *b, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int len = vsnprintf(NULL, 0, fmt, ap);
    if (len >= 0) {
        buf_reserve(b, (size_t)len);
        vsnprintf(b->data + b->len, (size_t)len + 1, fmt, again);
        b->len += (size_t)len;
    }
    va_end(again);
}

void buf_fmt(struct buf *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(b, fmt, ap);
    va_end(ap);
}

void buf_json(struct buf *b, const char *text) {
    if (!text) {
        buf_str(b, "null");
        return;
    }
    buf_put(b, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            buf_fmt(b, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            buf_fmt(b, "\\u%04x", *c);
        else if (*c < 0x80)
            buf_put(b, c, 1);
        else {
            int len = utf8_length(c, strlen((const char *)c));
            if (len) /* a file name may hold any bytes, JSON may not */
                buf_put(b, c, (size_t)len);
            else
                buf_str(b, "\\ufffd");
            c += len ? len - 1 : 0;
        }
    }
    buf_put(b, "\"", 1);
}

void buf_json_number(struct buf *b, double value) {
    if (!isfinite(value)) {
        buf_str(b, "null");
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    buf_str(b, text);
}

void buf_release(struct buf *b) {
    free(b->data);
    *b = (struct buf){0};
}

/* ---- files and clocks ------------------------------------------------------------------------ */

int file_read(struct arena *a, const char *path, size_t max, char **text, size_t *len,
              struct err *e) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* a FIFO must not hang */
    if (fd < 0)
        return err_sys(e, errno, "cannot open \"%s\"", path);
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return err_set(e, ERR_FAILED, "\"%s\" is not a regular file", path);
    }
    struct buf b = {0};
    int status = 0;
    for (;;) {
        char piece[16384];
        ssize_t got = read(fd, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = err_sys(e, errno, "cannot read \"%s\"", path);
        if (got <= 0)
            break;
        if (b.len + (size_t)got > max) {
            status = err_set(e, ERR_FAILED, "\"%s\" is larger than %zu bytes", path, max);
            break;
        }
        buf_put(&b, piece, (size_t)got);
    }
    close(fd);
    if (!status) {
        *text = arena_copy(a, b.data, b.len);
        *len = b.len;
    }
    buf_release(&b);
    return status;
}

int uuid_make(char text[37], struct err *e) {
    unsigned char b[16] = {0};
    if (random_bytes(b, sizeof b, e))
        return -1;
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    size_t at = 0;
    for (size_t i = 0; i < sizeof b; i++)
        at += (size_t)snprintf(text + at, 37 - at, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
    return 0;
}

static int64_t clock_ns(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t clock_real_ns(void) {
    return clock_ns(CLOCK_REALTIME);
}

int64_t clock_monotonic_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}
