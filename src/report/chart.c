/*
 * chart.c: a sparkline of eight heights (U+2581 to U+2588) with U+2502 where an event was. Its
 * middle is the median; a step is 5 % of it, so that noise looks flat and a change of 5 % is seen,
 * or more where the values spread wider.
 */
#include <math.h>

#include "format.h"

enum { MOST = 256 };

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The numbers of a JSON array, "|" as NaN. */
static size_t read_numbers(const char *json, double *out) {
    size_t n = 0;
    while (*json && n < MOST) {
        char *end;
        double x = strtod(json, &end);
        if (end != json) {
            out[n++] = x;
            json = end;
            continue;
        }
        if (*json == '|')
            out[n++] = (double)NAN;
        json++;
    }
    return n;
}

void spark_put(struct buf *b, const char *json) {
    static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double x[MOST], sorted[MOST];
    size_t n = read_numbers(json, x), known = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            sorted[known++] = x[i];
    if (!known)
        return;
    qsort(sorted, known, sizeof *sorted, by_value);
    double middle = sorted[known / 2];
    double reach = fmax(sorted[known - 1] - middle, middle - sorted[0]);
    double step = fmax(0.05 * fabs(middle), reach / 3.5);
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) {
            buf_str(b, "│");
            continue;
        }
        double height = 4 + (step > 0 ? round((x[i] - middle) / step) : 0);
        buf_str(b, heights[(int)fmax(0, fmin(7, height))]);
    }
}
