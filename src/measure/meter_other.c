/*
 * meter_other.c: a system whose counters nobody has taught zhist: everything is UNKNOWN.
 */
#include "meter.h"

struct meter {
    int none;
};

struct meter *meter_open_at(struct arena *a, const char *root, const struct meter_spec *spec) {
    (void)root, (void)spec;
    return arena_new(a, struct meter, 1);
}

struct meter *meter_open(struct arena *a, const struct meter_spec *spec) {
    return meter_open_at(a, "", spec);
}

void meter_close(struct meter *m) {
    (void)m;
}

void meter_read(struct meter *m, struct meter_reading *out) {
    (void)m;
    for (size_t i = 0; i < METER_COUNTS; i++)
        out->count[i] = UNKNOWN;
    out->at = clock_monotonic_ns();
    out->n_disks = 0;
}

void meter_read_temperatures(struct meter *m, struct meter_reading *out) {
    (void)m, (void)out;
}
