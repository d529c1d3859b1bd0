/*
 * meter.h: what the machine counts of one target, read before and after a phase.
 *
 * A reading costs well under 5 ms and starts no program. What is not there or not permitted is
 * UNKNOWN, never zero. All readings of one meter have the same disks in the same order.
 */
#ifndef ZHIST_METER_H
#define ZHIST_METER_H

#include "zhist/model.h"

/* Made from facts by the caller. */
struct meter_spec {
    enum storage storage;
    const char *path;           /* of the target */
    const char *pool, *dataset; /* of STORAGE_ZFS */
    const char *disks;          /* kernel names of the leaf disks, joined by ' '; NULL: unknown */
    const char *nfs_device;     /* of NFS, as /proc/self/mountstats names it: "SOURCE mounted on
                                   POINT"; NULL: the interfaces are counted */
};

struct meter;

/* Finds the files to read once; they stay open. Never fails: what is missing is UNKNOWN. */
struct meter *meter_open(struct arena *a, const struct meter_spec *spec);
void meter_close(struct meter *m);
void meter_read(struct meter *m, struct meter_reading *out);
/* Temperatures of the disks: asks the disk itself, so never while the clock runs. */
void meter_read_temperatures(struct meter *m, struct meter_reading *out);

#endif
