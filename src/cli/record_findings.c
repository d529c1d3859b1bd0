/*
 * record_findings.c: what a person must know of a cell, once it is measured: one sentence for each
 * finding that the counters, the ticks or the iterations gave: what was seen, what it means, what
 * to do. How it was seen: witness.h; codes and severities: the table in findings.c.
 */
#include <math.h>
#include <stdarg.h>

#include "recorder.h"
#include "zhist/stats.h"
#include "zhist/unit.h"

/* What counts as a change where the profile says nothing else (statistics.md: delta). */
static const double DELTA = 0.05;
/* Files that take so much less on disk than their size are not the data that was meant to be
 * measured; metadata and sector rounding stay far below. */
static const double COMPRESSIBLE = 1.5;
/* Of the bytes the layout must write at least, less than so many were: they were there already. */
static const double DEDUPLICATED = 0.5;

struct cell_view {
    struct recorder *r;
    struct series *s;
    struct finding_list *out;
    size_t w, t;
    enum phase phase;
    size_t n; /* counted iterations */
};

static const struct workload *work_of(const struct cell_view *v) {
    return &v->r->plan->profile.workloads[v->w];
}

PRINTF_LIKE(5, 6)
static void say(struct cell_view *v, const char *code, enum severity severity, int64_t ordinal,
                const char *fmt, ...) {
    struct arena *a = v->r->call->arena;
    struct buf b = {0};
    va_list ap;
    buf_fmt(&b, "%s of \"%s\" on %s", phases[v->phase].name, work_of(v)->name,
            v->r->plan->names[v->t]);
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    finding_add(a, v->out, code, severity, (int64_t)v->t, b.data);
    struct finding *f = &v->out->items[v->out->n - 1];
    f->workload = (int64_t)v->w;
    f->phase = phases[v->phase].name;
    f->ordinal = ordinal;
    buf_release(&b);
}

static const char *amount(const struct cell_view *v, double value, const char *unit) {
    struct buf b = {0};
    unit_put(&b, value, unit, UNITS_SI);
    const char *text = arena_str(v->r->call->arena, b.data);
    buf_release(&b);
    return text;
}

static const char *duration(const struct cell_view *v, int64_t ns) {
    struct buf b = {0};
    unit_put_duration(&b, ns);
    const char *text = arena_str(v->r->call->arena, b.data);
    buf_release(&b);
    return text;
}

/* all: warm-ups too, where they are as good as any. */
static double median(const struct cell_view *v, double (*of)(const struct judged *), bool all) {
    double *x = must(calloc(v->s->n_judged + 1, sizeof *x));
    size_t n = 0;
    for (size_t i = 0; i < v->s->n_judged; i++)
        if ((all || v->s->judged[i].counted) && isfinite(of(&v->s->judged[i])))
            x[n++] = of(&v->s->judged[i]);
    double half = n ? stats_quantile(x, n, 0.5) : (double)NAN;
    free(x);
    return half;
}

static double median_of(const struct cell_view *v, double (*of)(const struct judged *)) {
    return median(v, of, false);
}

static double cached(const struct judged *j) {
    return j->witness.cached;
}
static double stored(const struct judged *j) {
    return j->witness.numbers.stored_ratio;
}
static double expansion(const struct judged *j) {
    return j->witness.numbers.write_expansion;
}
static double occupied(const struct judged *j) {
    return j->occupied;
}
static double rate(const struct judged *j) {
    return j->rate;
}

/* ---- memory ------------------------------------------------------------------------------------
 */

/* What was done for the write phase of the same workload, as the speed of the disks; or NaN. */
static double disk_rate(const struct cell_view *v) {
    struct cell_view write = *v;
    write.s = recorder_series(v->r, v->w, v->t, PHASE_WRITE);
    write.n = 0;
    for (size_t i = 0; i < write.s->n_judged; i++)
        write.n += write.s->judged[i].counted;
    return median_of(&write, rate);
}

static void ways_out(struct cell_view *v, struct buf *b) {
    const struct workload *w = work_of(v);
    int64_t size = v->r->plan->sizes[v->w], arc = facts_arc(), memory = facts_memory();
    double beyond = 2 * (double)(arc != UNKNOWN ? arc : memory), disk = disk_rate(v);
    if (w->cold == COLD_NO)
        buf_str(b, "; cold: try");
    if (!w->direct)
        buf_fmt(b, "; direct: true%s", 
                v->r->storage[v->t] == STORAGE_ZFS ? " (OpenZFS obeys it from 2.3 on)" : "");
    if (!w->keep && size > 0 && w->kind == KIND_FILE)
        buf_fmt(b, "; keep: true (%s stay on disk, and are read cold by the next run)",
                amount(v, (double)size * w->jobs, "B"));
    if (isfinite(beyond) && beyond > 0 && (double)size * w->jobs < beyond) {
        buf_fmt(b, "; a size beyond the cache (%s", amount(v, beyond, "B"));
        if (isfinite(disk) && disk > 0)
            buf_fmt(b, ", about %s a pass",
                    duration(v, (int64_t)(beyond / disk) * NS_PER_S + NS_PER_S));
        buf_str(b, ")");
    }
}

static void cached_reads(struct cell_view *v) {
    struct buf b = {0};
    if (strcmp(v->s->cell.class, "cached") || v->r->storage[v->t] == STORAGE_MEMORY)
        return;
    ways_out(v, &b);
    say(v, "cached-reads", SEVERITY_CLASS, 0,
        ": %.0f %% of the bytes came from memory: this is the speed of memory, not of the disks. "
        "To measure the disks, use%s",
        100 * median_of(v, cached), b.len ? b.data + 1 : " more data than memory holds");
    buf_release(&b);
}

static void class_differs(struct cell_view *v) {
    enum cache_class class = CACHE_UNKNOWN;
    struct buf b = {0};
    size_t n = 0;
    while (strcmp(cache_class_names[class], v->s->cell.class))
        class ++;
    for (size_t i = 0; i < v->s->n_judged && class != CACHE_PARTIAL; i++) {
        const struct judged *j = &v->s->judged[i];
        if (j->counted && j->witness.class != class)
            buf_fmt(&b, "%s%lld (%s)", n++ ? ", " : "", (long long)j->ordinal,
                    cache_class_names[j->witness.class]);
    }
    if (n)
        say(v, "class-differs", SEVERITY_CLASS, 0,
            ": %zu of %zu iterations read from another place than the others, which are %s: "
            "iteration %s; they are stored and not counted",
            n, v->n, v->s->cell.class, b.data);
    buf_release(&b);
}

static void direct_ignored(struct cell_view *v) {
    const char *effect = v->s->cell.direct_effect;
    if (!work_of(v)->direct || (strcmp(effect, "no") && strcmp(effect, "partly")))
        return;
    say(v, "direct-ignored", SEVERITY_CLASS, 0,
        ": O_DIRECT was asked for and %s: %s. The numbers are compared only with others of this "
        "kind",
        strcmp(effect, "no") ? "took effect only in part" : "had no effect",
        v->s->judged[v->s->n_judged - 1].witness.direct_why);
}

/* ---- the pace ----------------------------------------------------------------------------------
 */

static void paced(struct cell_view *v) {
    const char *bound = v->s->cell.bound_by;
    if (bound && !strcmp(bound, "generator"))
        say(v, "generator-bound", SEVERITY_CLASS, 0,
            ": making the data took most of the time: this is the speed of one CPU, not of the "
            "storage. Use more jobs");
    if (bound && !strcmp(bound, "latency") && work_of(v)->depth == 1 && work_of(v)->jobs == 1)
        say(v, "single-depth-bound", SEVERITY_CLASS, 0,
            ": one request was in flight at a time and neither disks nor CPUs were busy: this is "
            "the time of one request, not what the storage can do. Use %smore jobs",
            work_of(v)->kind == KIND_FILE ? "engine: uring with depth: 32, or " : "");
}

static void fallen_back(struct cell_view *v) {
    const char *why, *ran = work_engine_effect(v->r->works[v->w], &why);
    if (why)
        say(v, "engine-fallback", SEVERITY_CLASS, 0,
            ": engine %s ran instead of %s, one request at a time in each job (%s): compared only "
            "with others of this kind. Allow io_uring (sysctl kernel.io_uring_disabled=0), or ask "
            "for "
            "engine: psync",
            ran, engine_names[work_of(v)->engine], why);
}

static void too_fast(struct cell_view *v) {
    const struct ceiling *c = &v->r->known[v->t].ceiling;
    size_t n = 0;
    enum too_fast why = TOO_FAST_NOT;
    for (size_t i = 0; i < v->s->n_judged; i++)
        if (v->s->judged[i].counted && v->s->judged[i].too_fast) {
            n++;
            why = v->s->judged[i].too_fast;
        }
    if (n == 0 || 2 * n < v->n)
        return;
    double limit = phases[v->phase].writes ? c->write : c->read;
    say(v, "faster-than-hardware", SEVERITY_CLASS, 0,
        ": %s, more than %s (%s): this cannot be the disks. Likely reason: %s",
        amount(v, median_of(v, rate), "B/s"), ceiling_sources[c->source], amount(v, limit, "B/s"),
        too_fast_why[why]);
}

/* ---- the data ----------------------------------------------------------------------------------
 */

static void stored_smaller(struct cell_view *v) {
    const struct witness_context *c = &v->r->known[v->t].context;
    double ratio = median(v, stored, true), factor = median_of(v, expansion);
    double room = median(v, occupied, true);
    if (!phases[v->phase].writes)
        return;
    if (ratio >= COMPRESSIBLE)
        say(v, "compressible", SEVERITY_CLASS, 0,
            ": the files take %.1f times less on disk than their size (the profile asks for data "
            "that compress %.1f times): the disks wrote less than the number says",
            ratio, work_of(v)->data.compress);
    if (c->dedup && room < DEDUPLICATED)
        say(v, "deduplicated", SEVERITY_CLASS, 0,
            ": the files took only %.0f %% of the room they say they take: blocks that were there "
            "already are not stored again (dedup is on). Compare only with data that repeat as "
            "much",
            100 * fmax(0, room));
    else if (c->dedup && work_of(v)->flush != FLUSH_NONE &&
             factor * (isfinite(ratio) && ratio > 1 ? ratio : 1) < DEDUPLICATED * c->expansion)
        say(v, "deduplicated", SEVERITY_CLASS, 0,
            ": the disks wrote %.2f bytes for each byte, where the layout writes %.2f: blocks that "
            "were there already are not written again (dedup is on)",
            factor, c->expansion);
}

static void fits_dirty_limit(struct cell_view *v) {
    int64_t limit = v->r->known[v->t].dirty_limit, most = 0;
    if (!phases[v->phase].writes || work_of(v)->flush != FLUSH_NONE || limit == UNKNOWN)
        return;
    for (size_t i = 0; i < v->s->n_judged; i++)
        if (v->s->judged[i].bytes > most)
            most = v->s->judged[i].bytes;
    if (most > 0 && most < limit)
        say(v, "fits-dirty-limit", SEVERITY_CLASS, 0,
            ": %s were written without a flush, and memory takes %s before it makes writers wait: "
            "this is the speed of memory. Use flush: end, or write more",
            amount(v, (double)most, "B"), amount(v, (double)limit, "B"));
}

/* ---- shapes ------------------------------------------------------------------------------------
 */

static void inside(struct cell_view *v, enum shape shape) {
    static const struct {
        const char *verb, *meaning;
    } word[SHAPES] = {
        [SHAPE_COLLAPSE] =
            {"fell", "and stayed there: what came before is not what the storage can keep up"},
        [SHAPE_BURST] =
            {"fell",
             "once a buffer was full: make the size larger, so that the buffer counts less"},
        [SHAPE_DRIFT] = {"moved", "from its start to its end: the storage had not settled"},
    };
    const struct judged *shown = NULL;
    size_t n = 0;
    bool memory = v->r->storage[v->t] == STORAGE_MEMORY || !strcmp(v->s->cell.class, "cached");
    if (memory && shape != SHAPE_STALL)
        return; /* memory has nothing to settle: that is the CPU's and its neighbours' */
    for (size_t i = 0; i < v->s->n_judged; i++)
        if (v->s->judged[i].counted && v->s->judged[i].shape[shape].found) {
            shown = shown ? shown : &v->s->judged[i];
            n++;
        }
    if (!n || (shape == SHAPE_DRIFT && 2 * n <= v->n)) /* a trend of most of them is none by chance */
        return;
    const struct shape_seen *seen = &shown->shape[shape];
    const char *unit = shown->bytes > 0 ? "B/s" : "1/s";
    struct buf b = {0};
    buf_fmt(&b, ": in %zu of %zu iterations, iteration %lld for one, the rate ", n, v->n,
            (long long)shown->ordinal);
    if (shape == SHAPE_STALL)
        buf_fmt(&b,
                "stood still for %s, at %s: something held all requests back; look at the disks "
                "(zpool status, smartctl) and at who else uses them",
                duration(v, seen->length), duration(v, seen->at));
    else
        buf_fmt(&b, "%s from %s to %s%s%s, %s", word[shape].verb, amount(v, seen->before, unit),
                amount(v, seen->after, unit), shape == SHAPE_DRIFT ? "" : " after ",
                shape == SHAPE_DRIFT ? "" : duration(v, seen->at), word[shape].meaning);
    say(v, shape_names[shape], SEVERITY_SHAPE, 0, "%s", b.data);
    buf_release(&b);
}

static void over_iterations(struct cell_view *v) {
    struct series_shape shape;
    double *x = must(calloc(v->n + 1, sizeof *x));
    size_t n = 0;
    for (size_t i = 0; i < v->s->n_judged; i++)
        if (v->s->judged[i].counted && isfinite(v->s->judged[i].value))
            x[n++] = v->s->judged[i].value;
    series_shape(x, n, DELTA, &shape);
    free(x);
    if (shape.drift)
        say(v, "drift", SEVERITY_SHAPE, 0,
            ": over %zu iterations the values moved by %+.0f %% (p %.3f): the mean depends on how "
            "long the run was. Look at temperature, fullness and other load, and use a warm-up",
            n, 100 * shape.change, shape.drift_p);
    if (shape.first_differs)
        say(v, "first-differs", SEVERITY_SHAPE, 0,
            ": the first iteration is %+.0f %% from the others: the first meets another state than "
            "the rest. Use warmup: 1, or look at it alone",
            100 * shape.first);
    if (shape.outliers)
        say(v, "outliers", SEVERITY_SHAPE, 0,
            ": %zu of %zu iterations are far from the others: something happens now and then. Look "
            "at each with show run, and at what else ran",
            shape.outliers, n);
}

/* ---- disks and others --------------------------------------------------------------------------
 */

static void disks(struct cell_view *v) {
    const struct judged *slow = NULL, *hot = NULL;
    size_t n_slow = 0, n_hot = 0;
    int64_t throttled = 0;
    for (size_t i = 0; i < v->s->n_judged; i++) {
        const struct judged *j = &v->s->judged[i];
        if (!j->counted)
            continue;
        slow = j->slow_disk ? j : slow;
        hot = j->hot_disk ? j : hot;
        n_slow += j->slow_disk != NULL;
        n_hot += j->hot_disk != NULL;
        throttled += j->disks.throttled > 0 ? j->disks.throttled : 0;
    }
    if (2 * n_slow >= v->n && n_slow) /* once is chance */
        say(v, "slow-disk", SEVERITY_SHAPE, 0,
            ": in %zu of %zu iterations disk %s took %s a request, its siblings %s: all wait for "
            "the "
            "slowest. Look at smartctl -a, at its cable and port",
            n_slow, v->n, slow->slow_disk, duration(v, (int64_t)slow->disks.slow_service),
            duration(v, (int64_t)slow->disks.siblings_service));
    if (n_hot)
        say(v, "hot-disk", SEVERITY_SHAPE, 0,
            ": disk %s had %.0f degrees Celsius, over %.0f: heat slows disks down and wears them. "
            "Give it air",
            hot->hot_disk, hot->disks.temperature, hot->disks.temperature_limit);
    if (throttled)
        say(v, "throttled", SEVERITY_SHAPE, 0,
            ": the CPUs slowed down %lld time%s because of heat: the numbers are lower than they "
            "would be. Look at fans and dust",
            (long long)throttled, throttled == 1 ? "" : "s");
}

static void other_io(struct cell_view *v) {
    for (size_t i = 0; i < v->s->n_judged; i++) {
        const struct judged *j = &v->s->judged[i];
        if (j->counted && j->witness.other_io)
            say(v, "other-io", SEVERITY_DISTURBED, j->ordinal,
                ", iteration %lld: %s of what the disks moved (%.0f %%) was not ours: somebody "
                "else "
                "used them, and the number is too low. It is left out; find out who it was (iotop, "
                "zpool iostat 1)",
                (long long)j->ordinal, amount(v, j->witness.others, "B"),
                100 * j->witness.others_share);
    }
}

void record_cell_findings(struct recorder *r, size_t w, size_t t, enum phase phase,
                          struct finding_list *out) {
    struct cell_view v = {
        .r = r, .s = recorder_series(r, w, t, phase), .out = out, .w = w, .t = t, .phase = phase};
    for (size_t i = 0; i < v.s->n_judged; i++)
        v.n += v.s->judged[i].counted;
    if (!v.n || r->plan->profile.workloads[w].engine == ENGINE_NULL)
        return;
    cached_reads(&v);
    class_differs(&v);
    direct_ignored(&v);
    too_fast(&v);
    paced(&v);
    fallen_back(&v);
    stored_smaller(&v);
    fits_dirty_limit(&v);
    for (enum shape shape = 0; shape < SHAPES; shape++)
        inside(&v, shape);
    over_iterations(&v);
    disks(&v);
    other_io(&v);
}
