/*
 * bound.c: what set the pace of an iteration, and the numbers that say so.
 *
 * The order is the proof: what makes the number say nothing about storage comes first (our own
 * data, the wire, memory), then what the operation waited for by order (the flush), then what was
 * full (a disk that turns, the CPUs, other disks), and last that nothing was full because only one
 * request was in flight. Where none of it is seen the answer is unknown.
 */
#include <math.h>

#include "judge.h"

/* Full: queueing makes waits grow without end towards 1, and short pauses (the end of a phase,
 * rounding to the kernel's tick) keep even a saturated device a little below it. */
static const double FULL = 0.85;
/* One thread that does nothing else: below 1 because the kernel runs other things beside it. */
static const double THREAD_FULL = 0.9;
/* Not full, when it is asked whether somebody merely waited. */
static const double THREAD_IDLE = 0.7;
/* Making the data took this share of the time. */
static const double GENERATOR = 0.8;
/* Faster than that was made: then the control is wrong, and proves nothing. */
static const double DISPROVED = 1.5;
/* TCP over Ethernet carries 94 % of the wire, SMB and NFS less; busy from here on. */
static const double WIRE = 0.85;
/* The flush took more than half of the time until the data was safe. */
static const double FLUSH = 0.5;
/* So little of what was written had left memory when the last write returned. */
static const double IN_MEMORY = 0.1;
/* With one operation at a time, more requests than this in flight were the kernel's own (read
 * ahead, write behind): then it was not the single operation that set the pace. */
static const double ALONE = 1.2;
/* OpenZFS holds writers back (dmu_tx_delay) once its buffer is 60 % full: the pool is behind. */
static const double DELAYS = 10;

/* Of at least so many requests a job had in flight, half and more waited at the disks. */
static const double QUEUE = 4;

struct seen {
    double time;                                  /* s, to the last operation */
    double flush_share, generator, wire, reached; /* shares; NaN: unknown */
    double delays;                                /* a second */
    bool alone, queued;
};

static double seconds(int64_t ns) {
    return ns == UNKNOWN ? (double)NAN : (double)ns / (double)NS_PER_S;
}

static double threads(const struct witness_context *c) {
    double jobs = c->jobs > 0 ? (double)c->jobs : 1;
    return c->cpus > 0 ? fmin(jobs, (double)c->cpus) : jobs;
}

static double rate(int64_t counted, double time) {
    return counted == UNKNOWN ? (double)NAN : (double)counted / time;
}

static struct seen look(const struct iteration *it, const struct phase_counts *p,
                        const struct witness_context *c) {
    struct seen s = {.time = seconds(it->duration)};
    const int64_t *count = p->run.count;
    s.flush_share = it->flush == UNKNOWN
                        ? (double)NAN
                        : (double)it->flush / ((double)it->flush + (double)it->duration);
    s.generator = (double)p->written / (c->generator * threads(c)) / s.time;
    /* Full duplex: the fuller direction. */
    s.wire = fmax(rate(count[METER_NET_RECEIVED], s.time), rate(count[METER_NET_SENT], s.time)) /
             c->network;
    double ratio = isnan(c->ratio) ? 1 : fmax(1, c->ratio);
    s.reached = p->written > 0 ? rate(p->run.written, (double)p->written / ratio) : (double)NAN;
    s.delays = rate(count[METER_DIRTY_WAITS], s.time);
    /* Through a cache the kernel reads ahead and writes behind: then it must have been counted. */
    bool surely = c->direct || c->flush == FLUSH_EACH;
    s.alone = c->jobs == 1 && c->depth == 1 &&
              (isnan(p->run.in_flight) ? surely : p->run.in_flight <= ALONE);
    double asked = (double)c->jobs * (double)c->depth;
    s.queued = c->jobs > 0 && c->depth >= QUEUE && p->run.in_flight >= asked / 2;
    return s;
}

static bool was_memory(const struct iteration *it, const struct phase_counts *p,
                       const struct witness_context *c, const struct witness *w,
                       const struct seen *s) {
    if (c->storage == STORAGE_MEMORY)
        return true;
    if (p->written == 0)
        return w->class == CACHE_CACHED;
    if (phases[it->phase].reads) /* mixed */
        return w->class == CACHE_CACHED && s->reached < IN_MEMORY;
    if (it->flush == UNKNOWN)
        return s->reached < IN_MEMORY;
    /* Written again and again in memory, and to the disks but once: not by dedup, which also saves. */
    double ratio = isnan(c->ratio) ? 1 : fmax(1, c->ratio);
    bool again = c->file > 0 && (double)p->written > 1.5 * (double)c->file * (double)(c->jobs > 0 ? c->jobs : 1);
    return !c->dedup && it->phase != PHASE_CREATE && again &&
           rate(p->durable.written, (double)p->written / ratio) < FLUSH;
}

/* After each write: only where the writes did reach the disks and the writer did wait (with
 * sync=disabled neither is so). */
static bool was_flush(const struct phase_counts *p, const struct witness_context *c,
                      const struct seen *s) {
    if (c->flush == FLUSH_EACH && p->write_ops > 0)
        return !(s->reached < FLUSH) && !(p->run.cpu_own >= THREAD_IDLE * threads(c));
    return s->flush_share > FLUSH;
}

static enum bound decide(const struct iteration *it, const struct phase_counts *p,
                         const struct witness_context *c, const struct witness *w,
                         const struct seen *s) {
    const struct span_counts *run = &p->run;
    bool busy = run->busy_most >= FULL;
    bool thread_full = run->cpu_own >= THREAD_FULL * threads(c);
    if (s->generator >= GENERATOR && s->generator <= DISPROVED && !(run->cpu_own < THREAD_IDLE * threads(c)))
        return BOUND_GENERATOR;
    if (c->storage == STORAGE_NETWORK && s->wire >= WIRE)
        return BOUND_NETWORK;
    if (was_memory(it, p, c, w, s))
        return BOUND_MEMORY;
    if (was_flush(p, c, s))
        return BOUND_FLUSH;
    if (c->media == MEDIA_HDD && busy)
        return BOUND_DISK;
    if (run->cpu >= FULL || thread_full)
        return BOUND_CPU;
    /* A solid-state disk is "busy" with one of its many channels: alone it only answers. */
    if (!s->alone && (busy || s->queued))
        return BOUND_DISK;
    if (s->delays >= DELAYS && c->storage == STORAGE_ZFS)
        return BOUND_DISK;
    return s->alone ? BOUND_LATENCY : BOUND_UNKNOWN;
}

/* ---- evidence -------------------------------------------------------------------------------- */

static void put(struct buf *b, const char *key, double value) {
    if (isnan(value) || isinf(value))
        return;
    buf_str(b, b->data[b->len - 1] == '{' ? "" : ",");
    buf_json(b, key);
    buf_str(b, ":");
    /* Four digits: these are shares and counts that a person reads. */
    double scale = value == 0 ? 1 : pow(10, 3 - floor(log10(fabs(value))));
    buf_json_number(b, fabs(value) >= 1e4 ? round(value) : round(value * scale) / scale);
}

static void put_evidence(const struct phase_counts *p, const struct witness *w,
                         const struct seen *s, struct buf *b) {
    buf_str(b, "{");
    put(b, "from_memory", w->cached);
    put(b, "disk_busy", p->run.busy_most);
    put(b, "disk_busy_mean", p->run.busy_mean);
    put(b, "in_flight", p->run.in_flight);
    put(b, "disk_read_rate", rate(p->run.read, seconds(p->run.time)));
    put(b, "disk_write_rate", rate(p->run.written, seconds(p->run.time)));
    put(b, "cpu", p->run.cpu);
    put(b, "cpu_own", p->run.cpu_own);
    put(b, "generator", s->generator);
    put(b, "network", s->wire);
    put(b, "flush", s->flush_share);
    put(b, "reached_disks", s->reached);
    put(b, "held_back", s->delays);
    if (p->run.busiest < p->run.n_disks) {
        buf_str(b, b->data[b->len - 1] == '{' ? "" : ",");
        buf_str(b, "\"busiest\":");
        buf_json(b, p->run.disk[p->run.busiest].name);
    }
    buf_str(b, "}");
}

enum bound bound_by(const struct iteration *it, const struct phase_counts *p,
                    const struct witness_context *c, const struct witness *w,
                    struct buf *evidence) {
    if (it->status != ITERATION_OK || it->duration <= 0) {
        if (evidence)
            buf_str(evidence, "{}");
        return BOUND_UNKNOWN;
    }
    struct seen s = look(it, p, c);
    if (evidence)
        put_evidence(p, w, &s, evidence);
    return decide(it, p, c, w, &s);
}
