/*
 * others.c: bytes at the disks that the phase cannot have caused: somebody else used them.
 *
 * Only the surely foreign part is counted. Mirrors, parity, padding, records written anew for a
 * part of them, the intent log, metadata, prefetch, and what we wrote before and nobody waited for
 * are ours; where one of these cannot be bounded, nothing is said (NaN). A second user who moves
 * less than this slack stays unseen.
 */
#include <math.h>

#include "judge.h"

/* measurement.md: over 10 % of P. */
static const double TOO_MUCH = 0.1;
/* What a pool or journal writes and reads for itself: in the lab 1 to 6 MiB around 512 MiB. */
static const double SLACK = 16 << 20;
/* And while time goes by: an idle pool with atime and its own txgs writes about 1 MiB in 5 s. */
static const double SLACK_RATE = 1 << 20;
/* Of what is known to be allocated: metadata and encryption took up to 4 % in the lab. */
static const double METADATA = 1.1;
/* The table of dedup is written beside it (6 % in the lab, more for small records). */
static const double METADATA_DEDUP = 1.5;
/* Of what is only known as written: padding of raidz, indirect blocks. Small records on raidz2
 * take up to three sectors for one and a half. */
static const double PADDING = 1.5, PADDING_SMALL = 3;
static const double SMALL_RECORD = 64 << 10;
/* zfs_immediate_write_sz: smaller ones go whole into the intent log, and into the pool later. */
static const double LOGGED = 32 << 10;
/* Directory entry, inode with its attributes, their indirect blocks: read or written for a file. */
static const double FILE_METADATA = 64 << 10;
static const double READ_AGAIN = 1.25, PREFETCH = 64 << 20; /* as in cached.c */

static double files_touched(const struct phase_counts *p, const struct witness_context *c) {
    double moved = (double)p->read + (double)p->written;
    double ops = (double)p->read_ops + (double)p->write_ops;
    if (moved <= 0)
        return ops;
    return c->file > 0 ? fmin(ops, ceil(moved / (double)c->file)) : ops;
}

static double slack(const struct phase_counts *p, const struct witness_context *c) {
    return SLACK + SLACK_RATE * (double)p->durable.time / (double)NS_PER_S +
           FILE_METADATA * files_touched(p, c);
}

static bool rewrites_records(const struct witness_context *c) {
    return c->block > 0 && (double)c->block < record_bytes(c);
}

/* Bytes the disks may have read for us. NaN: no bound. */
static double most_read(const struct iteration *it, const struct phase_counts *p,
                        const struct witness_context *c) {
    bool writes = phases[it->phase].writes;
    double record = record_bytes(c), read = (double)p->read, written = (double)p->written;
    /* Its tables are read at each write; md reads old data and parity of a part of a stripe. */
    if (writes && (c->dedup || (c->storage != STORAGE_ZFS && !(c->expansion <= 1))))
        return (double)NAN;
    if (c->storage != STORAGE_ZFS) {
        int64_t own = p->durable.count[METER_PROC_READ];
        return own == UNKNOWN ? (double)NAN : READ_AGAIN * (double)own + slack(p, c);
    }
    if (rewrites_records(c))
        read = fmax(read, (double)(p->read_ops + (writes ? p->write_ops : 0)) * record);
    else if (writes && c->block <= 0)
        read += written;
    double ahead = PREFETCH * (double)(c->jobs > 0 ? c->jobs : 1);
    if (c->file > 0)
        ahead = fmin(ahead, fmax(0, (double)c->file * (double)c->jobs - (double)p->read));
    return READ_AGAIN * read + (p->read > 0 ? ahead : 0) + slack(p, c);
}

/* What our writes take on the disks, before mirrors and parity. */
static double most_stored(const struct iteration *it, const struct phase_counts *p,
                          const struct witness_context *c) {
    double record = record_bytes(c), written = (double)p->written;
    double copies = c->ratio < 1 ? 1 / c->ratio : 1;
    double logged = c->flush == FLUSH_EACH || c->log_device ||
                            (c->flush == FLUSH_END && !((double)c->block > LOGGED))
                        ? written + (c->flush == FLUSH_EACH ? 4096 * (double)p->write_ops : 0)
                        : 0;
    bool whole = it->phase == PHASE_WRITE || it->phase == PHASE_CREATE;
    if (whole && it->allocated != UNKNOWN && it->size == p->written)
        return (c->dedup ? METADATA_DEDUP : METADATA) * fmax((double)it->allocated, 0) + logged;
    if (c->storage == STORAGE_ZFS && rewrites_records(c))
        written = fmax(written, (double)p->write_ops * record);
    /* md writes parity anew for each part of a stripe. */
    bool large = c->storage == STORAGE_ZFS ? record >= SMALL_RECORD
                                           : c->expansion <= 1 || c->block >= (int64_t)SMALL_RECORD;
    return (large ? PADDING : PADDING_SMALL) * written * copies + logged;
}

static double most_written(const struct iteration *it, const struct phase_counts *p,
                           const struct witness_context *c) {
    if (c->pending == UNKNOWN || !(c->expansion >= 1))
        return (double)NAN;
    return (most_stored(it, p, c) + PADDING * (double)c->pending + slack(p, c)) * c->expansion;
}

/* NaN where it is not counted or not bounded. */
static double beyond(int64_t counted, double most) {
    return counted == UNKNOWN || isnan(most) ? (double)NAN : fmax(0, (double)counted - most);
}

void judge_others(const struct iteration *it, const struct phase_counts *p,
                  const struct witness_context *c, struct witness *out) {
    bool disks = c->storage == STORAGE_ZFS || c->storage == STORAGE_DISKS;
    double read = (double)NAN, written = (double)NAN;
    out->others = out->others_share = (double)NAN;
    out->other_io = false;
    if (!disks || !p->known || it->phase == PHASE_JOB)
        return;
    read = beyond(p->durable.read, most_read(it, p, c));
    written = beyond(p->durable.written, most_written(it, p, c));
    if (isnan(read) && isnan(written))
        return;
    out->others = (isnan(read) ? 0 : read) + (isnan(written) ? 0 : written);
    double all = (double)p->durable.read + (double)p->durable.written;
    if (p->durable.read == UNKNOWN || p->durable.written == UNKNOWN)
        return;
    out->others_share = all > 0 ? out->others / all : 0;
    out->other_io = out->others_share > TOO_MUCH;
}
