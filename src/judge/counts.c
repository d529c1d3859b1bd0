/*
 * counts.c: from readings to differences. A counter that is unknown on a side, or smaller than it
 * was (reset, wrapped, a pool or mount made anew), is unknown; so is a sum with an unknown part.
 * Nothing is concluded here.
 */
#include <math.h>
#include <string.h>

#include "zhist/witness.h"

void witness_context(struct witness_context *c) {
    const double nan_value = (double)NAN;
    *c = (struct witness_context){.recordsize = UNKNOWN,
                                  .ratio = nan_value,
                                  .file = UNKNOWN,
                                  .block = UNKNOWN,
                                  .jobs = UNKNOWN,
                                  .depth = UNKNOWN,
                                  .cpus = UNKNOWN,
                                  .generator = nan_value,
                                  .network = nan_value,
                                  .expansion = nan_value,
                                  .pending = UNKNOWN};
}

static int64_t difference(int64_t before, int64_t after) {
    return before < 0 || after < before ? UNKNOWN : after - before;
}

/* Of counts: all of them are at least 0. */
static int64_t sum(int64_t a, int64_t b) {
    return a == UNKNOWN || b == UNKNOWN || a > INT64_MAX - b ? UNKNOWN : a + b;
}

static double share(int64_t part, int64_t whole) {
    return part == UNKNOWN || whole <= 0 ? (double)NAN : (double)part / (double)whole;
}

/* Busy time is rounded up to the kernel's tick: a little over 1 is 1. */
static double share_capped(int64_t part, int64_t whole) {
    double value = share(part, whole);
    return value > 1 ? 1 : value;
}

static struct disk_counts disk_between(const struct meter_disk *a, const struct meter_disk *b) {
    return (struct disk_counts){.name = a->name,
                                .read = difference(a->read, b->read),
                                .written = difference(a->written, b->written),
                                .reads = difference(a->reads, b->reads),
                                .writes = difference(a->writes, b->writes),
                                .busy = difference(a->busy, b->busy),
                                .waited = difference(a->waited, b->waited),
                                .temperature = fmax(a->temperature, b->temperature)};
}

/* One meter names the same disks in the same order; what does not fit proves nothing. */
static bool same_disks(const struct meter_reading *a, const struct meter_reading *b) {
    if (a->n_disks != b->n_disks || a->n_disks > METER_DISKS)
        return false;
    for (size_t i = 0; i < a->n_disks; i++)
        if (!a->disk[i].name || !b->disk[i].name || strcmp(a->disk[i].name, b->disk[i].name))
            return false;
    return true;
}

static void sum_disks(struct span_counts *s) {
    int64_t most = UNKNOWN;
    s->read = s->written = s->reads = s->writes = s->busy = s->waited = s->n_disks ? 0 : UNKNOWN;
    s->busiest = s->n_disks;
    for (size_t i = 0; i < s->n_disks; i++) {
        const struct disk_counts *d = &s->disk[i];
        s->read = sum(s->read, d->read);
        s->written = sum(s->written, d->written);
        s->reads = sum(s->reads, d->reads);
        s->writes = sum(s->writes, d->writes);
        s->busy = sum(s->busy, d->busy);
        s->waited = sum(s->waited, d->waited);
        if (d->busy > most) {
            most = d->busy;
            s->busiest = i;
        }
    }
    s->busy_most = share_capped(most, s->time);
    s->busy_mean = share_capped(
        s->busy, s->time > INT64_MAX / METER_DISKS ? UNKNOWN : s->time * (int64_t)s->n_disks);
    s->in_flight = share(s->waited, s->time);
}

static int64_t quiet(const struct meter_reading *r) {
    return sum(r->count[METER_CPU_IDLE], r->count[METER_CPU_IOWAIT]);
}

/*
 * Time stolen by the hypervisor is time this machine could not use: neither busy nor idle. iowait
 * alone may go backwards (Documentation/filesystems/proc.rst); what it loses, idle gains.
 */
static double cpu_share(const struct span_counts *s, const struct meter_reading *a,
                        const struct meter_reading *b) {
    const int64_t *count = s->count;
    int64_t busy = sum(sum(count[METER_CPU_USER], count[METER_CPU_SYSTEM]), count[METER_CPU_IRQ]);
    return share(busy, sum(busy, difference(quiet(a), quiet(b))));
}

static void between(const struct meter_reading *a, const struct meter_reading *b,
                    struct span_counts *s) {
    bool usable = a && b;
    s->time = usable ? difference(a->at, b->at) : UNKNOWN;
    for (size_t i = 0; i < METER_COUNTERS; i++)
        s->count[i] = usable ? difference(a->count[i], b->count[i]) : UNKNOWN;
    s->n_disks = usable && same_disks(a, b) ? a->n_disks : 0;
    for (size_t i = 0; i < s->n_disks; i++)
        s->disk[i] = disk_between(&a->disk[i], &b->disk[i]);
    sum_disks(s);
    s->cpu = usable ? cpu_share(s, a, b) : (double)NAN;
    s->cpu_own = share(s->count[METER_CPU_OWN], s->time);
}

void phase_counts(const struct iteration *of, struct phase_counts *out) {
    const struct meter_reading *before = of->meter[METER_BEFORE];
    const struct meter_reading *after = of->meter[METER_AFTER];
    const struct meter_reading *flushed = of->meter[METER_FLUSHED];
    out->known = before && after;
    between(before, after, &out->run);
    if (before && flushed)
        between(before, flushed, &out->durable);
    else
        out->durable = out->run;
    out->read = of->read_bytes;
    out->read_ops = of->read_ops;
    out->written = of->bytes - of->read_bytes;
    out->write_ops = of->ops - of->read_ops;
}
