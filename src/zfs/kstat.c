/*
 * kstat.c: the tables OpenZFS keeps in /proc/spl/kstat/zfs, for facts and for meters.
 *
 * The form is that of kstat_seq_show() in the SPL (module/os/linux/spl/spl-kstat.c): a line of
 * seven numbers (id, type, flags, rows, bytes, two times), a line of column names, the rows. Names
 * come and go with the versions: who reads asks by name and takes UNKNOWN for an answer.
 */
#include <string.h>

#include "zhist/unit.h"
#include "zhist/zfs.h"

enum { MAX_COLUMNS = 64 };

/* The words of a line; the last of `max` takes all that is left. */
static size_t words(struct arena *a, const char *line, size_t len, size_t max, const char **out) {
    size_t n = 0, at = 0;
    while (n < max) {
        while (at < len && strchr(" \t\r", line[at]))
            at++;
        if (at == len)
            break;
        size_t end = at;
        while (end < len && (n + 1 == max || !strchr(" \t\r", line[end])))
            end++;
        size_t stop = end;
        while (stop > at && strchr(" \t\r", line[stop - 1]))
            stop--;
        out[n++] = arena_copy(a, line + at, stop - at);
        at = end;
    }
    return n;
}

static const char *const *keep(struct arena *a, const char *const *list, size_t n) {
    const char **copy = n ? arena_new(a, const char *, n) : NULL;
    for (size_t i = 0; i < n; i++)
        copy[i] = list[i];
    return copy;
}

static int read_head(struct kstat *k, const char *const *word, size_t n) {
    int64_t number;
    if (n != 7 || unit_read_count(word[0], &number) || unit_read_count(word[1], &number) ||
        number > KSTAT_TIMER || strncmp(word[2], "0x", 2))
        return -1;
    k->type = (int)number;
    return 0;
}

int kstat_from_text(struct arena *a, const char *text, size_t len, struct kstat *k, struct err *e) {
    size_t line_no = 0;
    *k = (struct kstat){0};
    for (const char *line = text, *end = text + len; line < end; line_no++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line)), *word[MAX_COLUMNS + 1];
        size_t size = (size_t)((stop ? stop : end) - line);
        bool named = line_no && k->type == KSTAT_NAMED, io = line_no && k->type == KSTAT_IO;
        size_t n = words(a, line, size, named ? 3 : LENGTH(word), word), first = io ? 0 : 1;
        line = stop ? stop + 1 : end;
        if (line_no == 0) {
            if (read_head(k, word, n))
                return err_set(e, ERR_FAILED, "line 1 is not the head of a kstat");
        } else if (line_no == 1) {
            k->n_columns = n > first ? n - first : 0;
            k->columns = k->n_columns ? arena_new(a, const char *, k->n_columns) : NULL;
            for (size_t i = 0; i < k->n_columns; i++)
                k->columns[i] = word[i + first];
        } else if (n > first && (!named || n == 3)) {
            size_t values = n - first < k->n_columns ? n - first : k->n_columns;
            struct kstat_row *row = array_add(a, k->rows, k->n_rows, k->cap_rows);
            *row = (struct kstat_row){.name = io ? "" : word[0],
                                      .values = keep(a, word + first, values),
                                      .n_values = values};
        }
    }
    return line_no ? 0 : err_set(e, ERR_FAILED, "it is empty");
}

const char *kstat_value(const struct kstat *k, const char *row, const char *column) {
    size_t at = 0;
    while (at < k->n_columns && strcmp(k->columns[at], column))
        at++;
    for (size_t i = 0; i < k->n_rows; i++)
        if (!strcmp(k->rows[i].name, row))
            return at < k->rows[i].n_values ? k->rows[i].values[at] : NULL;
    return NULL;
}

int64_t kstat_number(const struct kstat *k, const char *row) {
    const char *text = kstat_value(k, row, "data");
    int64_t value;
    return text && !unit_read_count(text, &value) ? value : UNKNOWN;
}
