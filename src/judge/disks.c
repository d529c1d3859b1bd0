/*
 * disks.c: one disk among its siblings: far slower at the same work, or too hot.
 */
#include <math.h>

#include "zhist/stats.h"
#include "zhist/witness.h"

/* Time a request of a sibling: disks of one make differ by tens of percent, a disk that retries or
 * shingles by many times. Above this, and busier beside it: else it just got harder requests. */
static const double SLOWER = 2.5, BUSIER = 1.5;
/* Fewer requests, or a disk that hardly works, prove nothing. */
static const double REQUESTS = 100, BUSY = 0.1;
/* Of the work of its siblings, so that they did the same kind of it. A slow half of a mirror is
 * given less to read. */
static const double SAME_WORK = 0.2;

/* Makers' data sheets allow disks that turn 60 to 65 degrees in operation; above 55 there is little
 * left of it. Flash slows itself down, at 70 and above: NVMe disks report about 70 to 85 as their
 * warning temperature (WCTEMP). */
static const double HOT[MEDIAS] = {
    [MEDIA_UNKNOWN] = 70, [MEDIA_HDD] = 55, [MEDIA_SSD] = 70, [MEDIA_NVME] = 70};

static double service(const struct disk_counts *d) {
    if (d->waited == UNKNOWN || d->reads == UNKNOWN || d->writes == UNKNOWN)
        return (double)NAN;
    double requests = (double)d->reads + (double)d->writes;
    return requests >= REQUESTS ? (double)d->waited / requests : (double)NAN;
}

static double busy(const struct span_counts *s, const struct disk_counts *d) {
    return d->busy == UNKNOWN || s->time <= 0 ? (double)NAN : (double)d->busy / (double)s->time;
}

static double work(const struct disk_counts *d) {
    return (double)d->reads + (double)d->writes;
}

struct siblings {
    double service, busy, work; /* medians of the others; NaN: there are none */
};

static struct siblings siblings_of(const struct span_counts *s, const int *roles, size_t of) {
    double services[METER_DISKS], shares[METER_DISKS], works[METER_DISKS];
    size_t n = 0;
    for (size_t i = 0; i < s->n_disks; i++) {
        const struct disk_counts *d = &s->disk[i];
        if (i == of || (roles && roles[i] != roles[of]) || isnan(service(d)) || isnan(busy(s, d)))
            continue;
        services[n] = service(d);
        shares[n] = busy(s, d);
        works[n++] = work(d);
    }
    return (struct siblings){stats_quantile(services, n, 0.5), stats_quantile(shares, n, 0.5),
                             stats_quantile(works, n, 0.5)};
}

static void look_for_slow(const struct span_counts *s, const int *roles, struct disk_shape *out) {
    double worst = 0;
    for (size_t i = 0; i < s->n_disks; i++) {
        const struct disk_counts *d = &s->disk[i];
        double time = service(d), share = busy(s, d);
        struct siblings others = siblings_of(s, roles, i);
        if (!(time >= SLOWER * others.service) || !(share >= BUSIER * others.busy) ||
            !(share >= BUSY) || !(work(d) >= SAME_WORK * others.work) ||
            !(time > worst * others.service))
            continue;
        worst = time / others.service;
        out->slow = i;
        out->slow_service = time;
        out->siblings_service = others.service;
        out->slow_busy = share;
        out->siblings_busy = others.busy;
    }
}

static void look_for_hot(const struct span_counts *s, const enum media *media,
                         struct disk_shape *out) {
    double worst = 0;
    for (size_t i = 0; i < s->n_disks; i++) {
        double limit = HOT[media ? media[i] : MEDIA_UNKNOWN];
        double above = s->disk[i].temperature - limit;
        if (!(above > worst))
            continue;
        worst = above;
        out->hot = i;
        out->temperature = s->disk[i].temperature;
        out->temperature_limit = limit;
    }
}

void disk_shape(const struct span_counts *s, const int *roles, const enum media *media,
                struct disk_shape *out) {
    const double none = (double)NAN;
    *out = (struct disk_shape){.slow = s->n_disks,
                               .slow_service = none,
                               .siblings_service = none,
                               .slow_busy = none,
                               .siblings_busy = none,
                               .hot = s->n_disks,
                               .temperature = none,
                               .temperature_limit = none,
                               .throttled = s->count[METER_CPU_THROTTLED]};
    look_for_slow(s, roles, out);
    look_for_hot(s, media, out);
}
