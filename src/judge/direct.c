/*
 * direct.c: what came of O_DIRECT. That open() took the flag proves nothing: OpenZFS up to 2.2
 * takes and ignores it, other file systems fall back to their cache. Decided by counters, never by
 * version numbers.
 *
 * ZFS: R, what the pool moved past the ARC. A pool that counts for its datasets but has no such
 * counter has no direct I/O to count. Elsewhere: what the kernel moved for this process and what
 * the disks moved by the last operation, before any flush.
 */
#include <math.h>

#include "judge.h"

static const double MOST = 0.9, HARDLY = 0.1; /* the limits of the cache class */
/* R counts for the whole pool: with so much more than we moved, it was not only us. */
static const double EXCESS = 1.25;
/* Two witnesses of one read that differ by more (metadata, read ahead) speak of different things. */
static const double APART = 0.25;

static void say(struct witness *out, enum effect effect, const char *why) {
    out->direct = effect;
    out->direct_why = why;
}

static void say_share(struct witness *out, double share) {
    if (share >= MOST)
        say(out, EFFECT_YES, "the bytes went past the cache");
    else if (share <= HARDLY)
        say(out, EFFECT_NO, "the bytes went through the cache");
    else
        say(out, EFFECT_PARTLY, "some of the bytes went past the cache");
}

/* ---- ZFS ------------------------------------------------------------------------------------- */

static bool is_absent(const struct iteration *it, enum meter_count count) {
    const struct meter_reading *before = it->meter[METER_BEFORE], *after = it->meter[METER_AFTER];
    return before && after && before->count[count] == UNKNOWN && after->count[count] == UNKNOWN;
}

/* R: bytes past the ARC in the directions the phase moved; -1: not counted. */
static double direct_bytes(const struct phase_counts *p) {
    int64_t read = p->run.count[METER_DIRECT_READ], written = p->run.count[METER_DIRECT_WRITTEN];
    if ((p->read > 0 && read == UNKNOWN) || (p->written > 0 && written == UNKNOWN))
        return -1;
    return (p->read > 0 ? (double)read : 0) + (p->written > 0 ? (double)written : 0);
}

static bool dataset_saw_less(const struct phase_counts *p) {
    int64_t read = p->run.count[METER_DATASET_READ];
    int64_t written = p->run.count[METER_DATASET_WRITTEN];
    return (read != UNKNOWN && (double)read < MOST * (double)p->read) ||
           (written != UNKNOWN && (double)written < MOST * (double)p->written);
}

/* Direct I/O does not ask the ARC: where the ARC was asked for all of it, there was none. */
static bool arc_was_asked(const struct phase_counts *p, const struct witness_context *c) {
    int64_t hits = p->run.count[METER_ARC_DATA_HITS], misses = p->run.count[METER_ARC_DATA_MISSES];
    return p->read > 0 && hits != UNKNOWN && misses != UNKNOWN &&
           (double)(hits + misses) * record_bytes(c) >= MOST * (double)p->read;
}

static void without_counter(const struct iteration *it, const struct phase_counts *p,
                            const struct witness_context *c, struct witness *out) {
    bool absent = is_absent(it, METER_DIRECT_READ) && is_absent(it, METER_DIRECT_WRITTEN);
    bool counts = p->run.count[METER_DATASET_READ] != UNKNOWN;
    if (!c->direct)
        say(out, EFFECT_NO, "not asked for");
    else if (arc_was_asked(p, c))
        say(out, EFFECT_NO, "all reads were asked of the ARC (OpenZFS obeys the flag from 2.3 on)");
    else if (absent && counts)
        say(out, EFFECT_NO, "this OpenZFS counts no direct I/O (it obeys the flag from 2.3 on)");
    else
        say(out, EFFECT_UNKNOWN, "direct I/O of the pool is not counted");
}

static void judge_zfs(const struct iteration *it, const struct phase_counts *p,
                      const struct witness_context *c, struct witness *out) {
    double moved = (double)p->read + (double)p->written, direct = direct_bytes(p);
    if (direct < 0) {
        without_counter(it, p, c, out);
        return;
    }
    double share = direct / moved;
    double most = moved;
    if (c->block > 0 && (double)c->block < record_bytes(c))
        most = (double)(p->read_ops + p->write_ops) * record_bytes(c);
    out->numbers.direct_pct = fmin(1, share);
    if (direct > EXCESS * fmax(most, moved)) {
        out->numbers.direct_pct = (double)NAN;
        say(out, EFFECT_UNKNOWN, "others moved more past the cache of this pool than we did");
    } else if (share > HARDLY && dataset_saw_less(p)) {
        say(out, EFFECT_UNKNOWN, "the dataset was asked for less than was moved");
    } else {
        say_share(out, share);
        if (c->direct && out->direct != EFFECT_YES)
            out->direct_why = "bytes went through the ARC (OpenZFS writes only whole records past it, "
                              "and reads there what it still holds)";
    }
}

/* ---- elsewhere ------------------------------------------------------------------------------- */

/* The smaller share of those witnesses that can tell; NaN: none. */
static double weakest(double a, double b) {
    return isnan(a) ? b : isnan(b) ? a : fmin(a, b);
}

static double share_of(int64_t counted, double moved) {
    return counted == UNKNOWN || !(moved > 0) ? (double)NAN : (double)counted / moved;
}

static void judge_disks(const struct phase_counts *p, const struct witness_context *c,
                        struct witness *out) {
    double ratio = isnan(c->ratio) ? 1 : fmax(1, c->ratio);
    double copies = c->expansion > 1 ? c->expansion : 1;
    double share = (double)NAN;
    if (p->read > 0) {
        double disks = share_of(p->run.read, (double)p->read / ratio);
        double process = share_of(p->run.count[METER_PROC_READ], (double)p->read / ratio);
        if (fabs(fmin(1, disks) - fmin(1, process)) > APART) {
            say(out, EFFECT_UNKNOWN, "what the disks read and what was read for us do not agree");
            return;
        }
        share = weakest(disks, process);
    }
    if (p->written > 0)
        /* Not what was written for this process: that counts pages in the cache too. */
        share = weakest(share, share_of(p->run.written, (double)p->written / ratio * copies));
    if (isnan(share))
        say(out, EFFECT_UNKNOWN, "the disks could not be watched");
    else
        say_share(out, share);
}

static void judge_network(const struct phase_counts *p, struct witness *out) {
    const int64_t *count = p->run.count;
    double share = weakest(share_of(count[METER_NET_RECEIVED], (double)p->read),
                           share_of(count[METER_NET_SENT], (double)p->written));
    if (isnan(share))
        say(out, EFFECT_UNKNOWN, "the network could not be watched");
    else
        say_share(out, share);
}

void judge_direct(const struct iteration *it, const struct phase_counts *p,
                  const struct witness_context *c, struct witness *out) {
    if (c->storage == STORAGE_MEMORY)
        say(out, EFFECT_NO, "the file system lies in memory");
    else if (c->storage != STORAGE_ZFS && !c->direct)
        say(out, EFFECT_NO, "not asked for");
    else if (!p->known || p->read + p->written <= 0)
        say(out, c->direct ? EFFECT_UNKNOWN : EFFECT_NO,
            c->direct ? "no counters were read around the phase, or nothing was moved"
                      : "not asked for");
    else if (c->storage == STORAGE_ZFS)
        judge_zfs(it, p, c, out);
    else if (c->storage == STORAGE_DISKS)
        judge_disks(p, c, out);
    else if (c->storage == STORAGE_NETWORK)
        judge_network(p, out);
    else
        say(out, EFFECT_UNKNOWN, "what lies under the target is not known");
}

enum effect cell_effect(const enum effect *effect, size_t n) {
    enum effect all = n ? effect[0] : EFFECT_UNKNOWN;
    for (size_t i = 1; i < n; i++) {
        if (effect[i] == EFFECT_UNKNOWN || all == EFFECT_UNKNOWN)
            all = EFFECT_UNKNOWN;
        else if (effect[i] != all)
            all = EFFECT_PARTLY;
    }
    return all;
}
