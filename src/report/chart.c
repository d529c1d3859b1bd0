/* chart.c: a sparkline of eight heights (U+2581 to U+2588) with U+2502 where an event was. */
#include <math.h>

#include "format.h"

void spark_put(struct buf *b, const char *json) {
    static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const char *at = json; *at;) {
        char *end;
        double x = strtod(at, &end);
        if (end == at) {
            at++;
            continue;
        }
        low = fmin(low, x);
        high = fmax(high, x);
        at = end;
    }
    /* From zero upwards, so that a change of 5 % looks like one; two heights kept for the rest. */
    for (const char *at = json; *at;) {
        char *end;
        double x = strtod(at, &end);
        if (end == at) {
            if (*at == '|')
                buf_str(b, "│");
            at++;
            continue;
        }
        double share = high > 0 && low >= 0 ? x / high : 1;
        int height = (int)(share * 7 + 0.5);
        buf_str(b, heights[height < 0 ? 0 : height > 7 ? 7 : height]);
        at = end;
    }
}
