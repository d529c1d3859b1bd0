/*
 * counters.h: made-up readings around one iteration, for the tests of src/judge: what a phase
 * moved, and by how much each counter went up. What is not set is unknown.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <math.h>

#include "zhist/witness.h"

#define MIB(n) ((int64_t)((n) * 1048576.0))
#define SECONDS(n) ((int64_t)((n) * 1e9))

static struct made {
    struct meter_reading reading[METER_MOMENTS];
    struct iteration it;
    struct phase_counts p;
    struct witness_context c;
    struct witness w;
} made;

static const char *const made_names[] = {"sda", "sdb", "sdc", "sdd", "sde", "sdf"};

/* An iteration with readings that know nothing but the time and n idle disks. */
static inline void make(enum phase phase, double seconds, size_t n_disks) {
    memset(&made, 0, sizeof made);
    made.it = (struct iteration){.phase = phase,
                                 .ordinal = 1,
                                 .block = 1,
                                 .duration = SECONDS(seconds),
                                 .flush = UNKNOWN,
                                 .size = UNKNOWN,
                                 .allocated = UNKNOWN};
    for (int m = 0; m < METER_MOMENTS; m++) {
        struct meter_reading *r = &made.reading[m];
        r->at = 1000 + (m > 0 ? SECONDS(seconds) : 0);
        for (size_t i = 0; i < METER_COUNTS; i++)
            r->count[i] = UNKNOWN;
        r->n_disks = n_disks;
        for (size_t i = 0; i < n_disks; i++)
            r->disk[i] = (struct meter_disk){
                made_names[i], 7000, 7000, 7000, 7000, 7000, 7000, (double)NAN};
    }
    made.it.meter[METER_BEFORE] = &made.reading[METER_BEFORE];
    made.it.meter[METER_AFTER] = &made.reading[METER_AFTER];
    witness_context(&made.c);
}

static inline void moved(int64_t read, int64_t written, int64_t block) {
    made.it.bytes = read + written;
    made.it.read_bytes = read;
    made.it.ops = block > 0 ? (read + written) / block : 0;
    made.it.read_ops = block > 0 ? read / block : 0;
    made.c.block = block;
}

static inline void counted(enum meter_count count, int64_t by) {
    made.reading[METER_BEFORE].count[count] = 5000;
    made.reading[METER_AFTER].count[count] = 5000 + by;
    made.reading[METER_FLUSHED].count[count] = 5000 + by;
}

/* By the last operation, all disks alike; the flush then adds what flushed() says. */
static inline void disks_moved(int64_t read, int64_t written) {
    for (int m = METER_AFTER; m < METER_MOMENTS; m++) {
        struct meter_reading *r = &made.reading[m];
        for (size_t i = 0; i < r->n_disks; i++) {
            r->disk[i].read += read / (int64_t)r->n_disks;
            r->disk[i].written += written / (int64_t)r->n_disks;
            r->disk[i].reads += read / (int64_t)r->n_disks / 131072;
            r->disk[i].writes += written / (int64_t)r->n_disks / 131072;
        }
    }
}

static inline void flushed(double seconds, int64_t written) {
    struct meter_reading *r = &made.reading[METER_FLUSHED];
    made.it.meter[METER_FLUSHED] = r;
    made.it.flush = SECONDS(seconds);
    r->at += SECONDS(seconds);
    for (size_t i = 0; i < r->n_disks; i++)
        r->disk[i].written += written / (int64_t)r->n_disks;
}

static inline void disks_busy(double share, double in_flight) {
    for (int m = METER_AFTER; m < METER_MOMENTS; m++) {
        struct meter_reading *r = &made.reading[m];
        double time = (double)(made.reading[METER_AFTER].at - made.reading[METER_BEFORE].at);
        for (size_t i = 0; i < r->n_disks; i++) {
            r->disk[i].busy += (int64_t)(share * time);
            r->disk[i].waited += (int64_t)(in_flight * time / (double)r->n_disks);
        }
    }
}

/* Of cpus CPUs: the share that is busy, and how many of them this process kept busy. */
static inline void cpu_busy(double share, double own, int cpus) {
    double time = (double)(made.reading[METER_AFTER].at - made.reading[METER_BEFORE].at) * cpus;
    made.c.cpus = cpus;
    counted(METER_CPU_USER, (int64_t)(time * share / 2));
    counted(METER_CPU_SYSTEM, (int64_t)(time * share / 2));
    counted(METER_CPU_IRQ, 0);
    counted(METER_CPU_IOWAIT, 0);
    counted(METER_CPU_IDLE, (int64_t)(time * (1 - share)));
    counted(METER_CPU_OWN, (int64_t)(time / cpus * own));
}

static inline const struct witness *judge(void) {
    phase_counts(&made.it, &made.p);
    witness_judge(&made.it, &made.p, &made.c, &made.w);
    return &made.w;
}

/* After judge(). */
static inline enum bound bound(struct buf *evidence) {
    judge();
    return bound_by(&made.it, &made.p, &made.c, &made.w, evidence);
}

#endif
