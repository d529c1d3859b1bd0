/*
 * cached.c: from memory, or from the disks? Two witnesses are asked what share came from memory:
 * the bytes that left the disks (P), and the bytes that had to be fetched because no cache had
 * them. On ZFS those are the ARC's misses for data, prefetch included, times the record, and what
 * went past it (R); elsewhere what the kernel read for this process. Hits are no witness: what was
 * prefetched from a disk a moment ago is a hit. Both must say the same, else nothing is said.
 *
 * P and the ARC's counts include what others do. Noise only adds to them: few bytes are proof of
 * memory; many are proof of the disks only as far as the phase can have caused them.
 */
#include <math.h>

#include "judge.h"

/* measurement.md: cold below 10 % from memory, cached above 90 %. */
static const double COLD = 0.1, CACHED = 0.9;
/* Witnesses of a partial read may differ by this: metadata, prefetch beyond the end. */
static const double PARTIAL_APART = 0.25;
/* More than this above what the phase can have caused: somebody else reads. In the lab 9 % came
 * from records read again under a small ARC. */
static const double EXCESS = 1.25;
/* Metadata of a phase, and less than which a pool-wide counter cannot prove that it was us. */
static const double LEAST_BYTES = 4 << 20;
/* Data that takes less than a fiftieth of its size is mostly holes (zeros under compression): to
 * read it asks neither memory nor disks. */
static const double HOLES = 50;
/* zfetch_max_distance: how far ahead of one reader OpenZFS prefetches. */
static const double PREFETCH = 64 << 20;
/* Read beside each file at most, where many of them lie together: inode and its place in the
 * directory. */
static const double FILE_METADATA = 4096;
/* Metadata of one file, on disk, at the least: an inode (ext4, xfs: 256 to 512 bytes; a dnode). */
static const double INODE = 256;

/* ---- what the phase can have caused ---------------------------------------------------------- */

double record_bytes(const struct witness_context *c) {
    if (c->recordsize <= 0)
        return 0;
    return c->file > 0 && c->file < c->recordsize ? (double)c->file : (double)c->recordsize;
}

static bool is_part_of_record(const struct witness_context *c) {
    return c->storage == STORAGE_ZFS && c->block > 0 && (double)c->block < record_bytes(c);
}

/* Operations that make ZFS fetch a record: also a write into a part of one. */
static double fetching_ops(const struct iteration *it, const struct phase_counts *p) {
    return (double)(p->read_ops + (phases[it->phase].writes ? p->write_ops : 0));
}

double bytes_needed(const struct iteration *it, const struct phase_counts *p,
                    const struct witness_context *c) {
    double moved = (double)p->read;
    if (!phases[it->phase].random || !is_part_of_record(c))
        return moved;
    return fmax(moved, fetching_ops(it, p) * record_bytes(c));
}

double read_ratio(const struct witness_context *c) {
    return isnan(c->ratio) ? c->ratio : fmax(1, c->ratio);
}

/* The most it can have fetched: where nothing is cached (primarycache=metadata), each operation
 * fetches the whole record anew; beside that, prefetch beyond where a reader stopped. */
static double most_fetched(const struct iteration *it, const struct phase_counts *p,
                           const struct witness_context *c) {
    double most = bytes_needed(it, p, c), ops = fetching_ops(it, p);
    double misses = (double)p->run.count[METER_ARC_DATA_MISSES];
    if (is_part_of_record(c) && misses >= 0.5 * ops)
        most = fmax(most, ops * record_bytes(c));
    if (c->file > 0 && c->jobs > 0 && !phases[it->phase].random) {
        double unread = (double)c->file * (double)c->jobs - (double)p->read;
        most += fmin(fmax(0, unread), PREFETCH * (double)c->jobs);
    }
    return most;
}

/* ---- the witnesses --------------------------------------------------------------------------- */

static double share_from_memory(double fetched, double needed) {
    return fetched < 0 || !(needed > 0) ? (double)NAN : fmax(0, 1 - fetched / needed);
}

/* Logical bytes. -1: the counters are not there. */
static double fetched_bytes(const struct phase_counts *p, const struct witness_context *c,
                            double ratio) {
    const int64_t *count = p->run.count;
    if (c->storage != STORAGE_ZFS)
        return count[METER_PROC_READ] == UNKNOWN ? -1 : (double)count[METER_PROC_READ] * ratio;
    if (count[METER_ARC_DATA_MISSES] == UNKNOWN || !(record_bytes(c) > 0))
        return -1;
    return (double)count[METER_ARC_DATA_MISSES] * record_bytes(c);
}

/* What went past the ARC is counted as asked for, not in records. */
static double direct_share(const struct phase_counts *p) {
    int64_t direct = p->run.count[METER_DIRECT_READ];
    return direct > 0 && p->read > 0 ? (double)direct / (double)p->read : 0;
}

static void ask(const struct iteration *it, const struct phase_counts *p,
                const struct witness_context *c, double ratio, struct witness *out) {
    double needed = bytes_needed(it, p, c);
    out->by_disks = p->run.read == UNKNOWN ? (double)NAN
                                           : share_from_memory((double)p->run.read * ratio, needed);
    double fetched = fetched_bytes(p, c, ratio);
    if (fetched >= 0 && c->storage == STORAGE_ZFS)
        fetched += direct_share(p) * needed;
    out->by_fetch = share_from_memory(fetched, needed);
}

/* All of it was asked of the ARC and found there: proof without knowing the compression. */
static bool was_found_in_arc(const struct iteration *it, const struct phase_counts *p,
                             const struct witness_context *c) {
    const int64_t *count = p->run.count;
    double needed = bytes_needed(it, p, c), record = record_bytes(c);
    return c->storage == STORAGE_ZFS && record > 0 && count[METER_ARC_DATA_HITS] != UNKNOWN &&
           count[METER_ARC_DATA_MISSES] != UNKNOWN && p->run.read != UNKNOWN &&
           (double)count[METER_ARC_DATA_HITS] * record >= CACHED * needed &&
           (double)count[METER_ARC_DATA_MISSES] * record < COLD * needed &&
           (double)p->run.read < needed / HOLES / 2 && direct_share(p) < COLD;
}

static bool others_read(const struct iteration *it, const struct phase_counts *p,
                        const struct witness_context *c, double ratio) {
    double most = EXCESS * most_fetched(it, p, c), fetched = fetched_bytes(p, c, ratio);
    double files = c->file > 0 ? (double)p->read / (double)c->file : 0;
    return c->storage == STORAGE_ZFS &&
           ((double)p->run.read > most / ratio + FILE_METADATA * files + LEAST_BYTES ||
            fetched > most + LEAST_BYTES || direct_share(p) > EXCESS);
}

/* ---- the word -------------------------------------------------------------------------------- */

static void say(struct witness *out, enum cache_class class, const char *why) {
    out->class = class;
    out->why = why;
}

static void compare_witnesses(struct witness *out) {
    double disks = out->by_disks, fetch = out->by_fetch;
    if (isnan(disks) && isnan(fetch))
        say(out, CACHE_UNKNOWN, "neither the disks nor the cache could be watched");
    else if (isnan(disks))
        say(out, CACHE_UNKNOWN, "the disks could not be watched, and one witness is not enough");
    else if (isnan(fetch))
        say(out, CACHE_UNKNOWN, "the cache could not be watched, and one witness is not enough");
    else if (disks < COLD && fetch < COLD)
        say(out, CACHE_COLD, "the bytes came from the disks");
    else if (disks > CACHED && fetch > CACHED)
        say(out, CACHE_CACHED, "the disks hardly read: the bytes came from memory");
    else if (fabs(disks - fetch) <= PARTIAL_APART)
        say(out, CACHE_PARTIAL, "some bytes came from memory and some from the disks");
    else
        say(out, CACHE_UNKNOWN, "what the disks read and what the cache fetched do not agree");
}

static void judge_disks(const struct iteration *it, const struct phase_counts *p,
                        const struct witness_context *c, struct witness *out) {
    double ratio = read_ratio(c), stored = (double)p->read / ratio;
    bool holes = ratio > HOLES || (ratio > 2 && stored < LEAST_BYTES);
    bool ratio_known = !isnan(ratio) && !holes;
    ask(it, p, c, ratio_known ? ratio : 1, out);
    compare_witnesses(out);
    if (!ratio_known && out->class != CACHE_COLD) {
        if (was_found_in_arc(it, p, c))
            say(out, CACHE_CACHED, "all of it was found in the ARC");
        else if (holes)
            say(out, CACHE_UNKNOWN,
                "hardly anything of the files is stored (zeros, or data that compresses away): "
                "such bytes come neither from memory nor from the disks");
        else
            say(out, CACHE_UNKNOWN, "how far the files are compressed is not known");
    } else if (out->class == CACHE_COLD || out->class == CACHE_PARTIAL) {
        if (others_read(it, p, c, ratio_known ? ratio : 1))
            say(out, CACHE_UNKNOWN,
                "more was read than this phase can have caused: somebody else "
                "read too");
        else if (c->storage == STORAGE_ZFS &&
                 (ratio_known ? stored : (double)p->read) < LEAST_BYTES)
            say(out, CACHE_UNKNOWN,
                "too few bytes to tell them from what others and metadata read");
    }
    if (out->class != CACHE_UNKNOWN)
        out->cached = was_found_in_arc(it, p, c) ? 1 : out->by_disks;
}

/* The client's own cache can be seen, the server's cannot. */
static void judge_network(const struct phase_counts *p, struct witness *out) {
    int64_t received = p->run.count[METER_NET_RECEIVED];
    if (received != UNKNOWN)
        out->by_fetch = share_from_memory((double)received, (double)p->read);
    if (out->by_fetch > CACHED) {
        say(out, CACHE_CACHED,
            "hardly anything was received: the bytes came from this machine's "
            "memory");
        out->cached = out->by_fetch;
    } else if (received == UNKNOWN) {
        say(out, CACHE_UNKNOWN, "the network could not be watched");
    } else {
        say(out, CACHE_UNKNOWN,
            "the bytes came over the network: whether the server had them in "
            "memory cannot be seen here");
    }
}

/* Names and sizes: how many bytes they are is not known, but where the disks read next to nothing
 * they came from memory. */
static void judge_metadata(const struct phase_counts *p, struct witness *out) {
    if (p->run.read != UNKNOWN && (double)p->run.read < COLD * INODE * (double)p->read_ops) {
        say(out, CACHE_CACHED, "the disks hardly read: names and sizes came from memory");
        out->cached = 1;
    } else {
        say(out, CACHE_UNKNOWN, "how many bytes names and sizes are is not known");
    }
}

void judge_cached(const struct iteration *it, const struct phase_counts *p,
                  const struct witness_context *c, struct witness *out) {
    out->cached = out->by_disks = out->by_fetch = (double)NAN;
    if (!phases[it->phase].reads || (phases[it->phase].writes && p->read == 0)) {
        say(out, CACHE_NONE, "the phase does not read");
    } else if (c->storage == STORAGE_MEMORY) {
        say(out, CACHE_CACHED, "the file system lies in memory");
        out->cached = 1;
    } else if (p->read_ops <= 0 || !p->known) {
        say(out, CACHE_UNKNOWN,
            p->known ? "nothing was read" : "no counters were read around the phase");
    } else if (c->storage == STORAGE_NETWORK) {
        judge_network(p, out);
    } else if (c->storage == STORAGE_UNKNOWN) {
        say(out, CACHE_UNKNOWN, "what lies under the target is not known");
    } else if (p->read == 0) {
        judge_metadata(p, out);
    } else {
        judge_disks(it, p, c, out);
    }
}

/* ---- of a cell ------------------------------------------------------------------------------- */

enum cache_class cell_class(const enum cache_class *class, size_t n, bool *deviates) {
    size_t count[CACHE_CLASSES] = {0};
    enum cache_class most = CACHE_UNKNOWN;
    for (size_t i = 0; i < n; i++)
        count[class[i]]++;
    for (size_t k = 0; k < CACHE_CLASSES; k++)
        if (count[k] > count[most])
            most = (enum cache_class)k;
    /* In whole numbers: 9 of 10 are 90 %. */
    if (n > 0 && count[most] * 10 < n * 9)
        most = CACHE_PARTIAL;
    for (size_t i = 0; deviates && i < n; i++)
        deviates[i] = most != CACHE_PARTIAL && class[i] != most;
    return most;
}
