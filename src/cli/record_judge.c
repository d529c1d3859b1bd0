/*
 * record_judge.c: what the counters say of each iteration, and of the cell they make up so far. The
 * judging itself is witness.h; here it meets the run. Sentences: record_findings.c.
 */
#include <math.h>

#include "recorder.h"
#include "zhist/profile.h"

static const int64_t SETTLE = 20 * NS_PER_S;

/* Of data that no compressor can make smaller it is known beforehand: a quick run need not wait. */
static bool is_plain(const struct workload *w) {
    return w->data.compress <= 1 && !w->data.zeros && !w->data.from && !w->from;
}

int64_t record_settle(const struct recorder *r, size_t w, size_t t) {
    const struct workload *work = &r->plan->profile.workloads[w];
    bool known = isfinite(r->ratio[w * r->plan->n_targets + t]);
    return r->storage[t] != STORAGE_ZFS || known || (r->plan->quick && is_plain(work)) ? 0 : SETTLE;
}

/* A phase whose files were written in another one has the ratio they were stored with then. */
static double ratio_of(struct recorder *r, struct iteration *it) {
    double *kept = &r->ratio[it->workload * r->plan->n_targets + it->target];
    if (r->storage[it->target] == STORAGE_ZFS && record_settle(r, it->workload, it->target) == 0)
        it->size = it->allocated = UNKNOWN; /* not waited for: what ZFS says by then is not all */
    if (it->size > 0 && it->allocated > 0)
        *kept = (double)it->size / (double)it->allocated;
    else if (it->size > 0 && it->allocated == 0)
        *kept = (double)it->size; /* all holes: nothing was stored at all */
    return isnan(*kept) && is_plain(&r->plan->profile.workloads[it->workload]) ? 1 : *kept;
}

/* What was written and may reach the disks later: ZFS writes what fsync put into its log once more
 * with the next transaction group, others write what was not flushed. */
static void keep_dirty(struct recorder *r, const struct iteration *it) {
    struct known_target *k = &r->known[it->target];
    int64_t written = it->bytes - it->read_bytes + it->laid_out;
    if (written <= 0)
        return;
    bool flushed = it->flush != UNKNOWN || (it->laid_out > 0 && it->bytes == it->read_bytes);
    k->dirty = r->storage[it->target] == STORAGE_ZFS ? written : flushed ? 0 : UNKNOWN;
}

static void add(struct sample *samples, size_t *n, enum metric metric, double value) {
    if (isfinite(value) && *n < METRICS)
        samples[(*n)++] = (struct sample){metric, value};
}

static double share(int64_t part, int64_t whole) {
    return part == UNKNOWN || whole <= 0 ? (double)NAN : (double)part / (double)whole;
}

static double gauge(const struct iteration *it, enum meter_count which) {
    const struct meter_reading *m =
        it->meter[METER_FLUSHED] ? it->meter[METER_FLUSHED] : it->meter[METER_AFTER];
    return m && m->count[which] != UNKNOWN ? (double)m->count[which] : (double)NAN;
}

static void add_samples(const struct iteration *it, const struct phase_counts *p,
                        const struct witness *w, struct sample *samples, size_t *n) {
    const struct span_counts *all = &p->durable;
    const struct witness_numbers *x = &w->numbers;
    double hottest = (double)NAN;
    for (size_t i = 0; p->known && i < all->n_disks; i++)
        if (isnan(hottest) || all->disk[i].temperature > hottest)
            hottest = all->disk[i].temperature;
    add(samples, n, METRIC_CACHED_PCT, 100 * x->cached_pct);
    add(samples, n, METRIC_DIRECT_PCT, 100 * x->direct_pct);
    add(samples, n, METRIC_WRITE_EXPANSION, x->write_expansion);
    add(samples, n, METRIC_REQUEST_SIZE, x->request_size);
    add(samples, n, METRIC_DISK_REQUESTS, x->requests);
    add(samples, n, METRIC_DISK_BUSY, x->disk_busy);
    add(samples, n, METRIC_CPU_PER_GIB, x->cpu_per_gib);
    add(samples, n, METRIC_STORED_RATIO, x->stored_ratio);
    add(samples, n, METRIC_TEMPERATURE, hottest);
    add(samples, n, METRIC_ARC_SIZE, gauge(it, METER_ARC_SIZE));
    add(samples, n, METRIC_MEMORY_AVAILABLE, gauge(it, METER_MEMORY_AVAILABLE));
    add(samples, n, METRIC_FREE, gauge(it, METER_FREE));
    if (!p->known || all->time <= 0)
        return;
    if (all->read != UNKNOWN && all->written != UNKNOWN)
        add(samples, n, METRIC_DISK_THROUGHPUT,
            (double)(all->read + all->written) / ((double)all->time / (double)NS_PER_S));
    add(samples, n, METRIC_CPU_BUSY, all->cpu);
    add(samples, n, METRIC_PSI_CPU, share(all->count[METER_PSI_CPU], all->time));
    add(samples, n, METRIC_PSI_IO, share(all->count[METER_PSI_IO], all->time));
    add(samples, n, METRIC_PSI_MEMORY, share(all->count[METER_PSI_MEMORY], all->time));
    int64_t received = all->count[METER_NET_RECEIVED], sent = all->count[METER_NET_SENT];
    if (received != UNKNOWN && sent != UNKNOWN)
        add(samples, n, METRIC_NETWORK_BYTES, (double)(received + sent));
}

/* What was tried for a cold read stands beside what came of it. */
static void put_tried(const char *tried, const struct iteration *it, struct buf *evidence) {
    if (!tried || it->read_bytes <= 0 || evidence->len < 2)
        return;
    evidence->len--;
    buf_str(evidence, evidence->len > 1 ? ",\"cold_tried\":" : "\"cold_tried\":");
    buf_json(evidence, tried);
    buf_str(evidence, "}");
}

static double value_of(const struct sample *samples, size_t n, enum metric metric) {
    for (size_t i = 0; i < n; i++)
        if (samples[i].metric == metric)
            return samples[i].value;
    return (double)NAN;
}

/* An iteration that must be cold and was not is a failed one: its number would be another thing. */
static void require_cold(struct recorder *r, struct iteration *it, const struct witness *w) {
    const struct workload *work = &r->plan->profile.workloads[it->workload];
    if (work->cold != COLD_REQUIRE || it->read_bytes <= 0 || it->status != ITERATION_OK || w->class == CACHE_COLD ||
        w->class == CACHE_NONE)
        return;
    it->status = ITERATION_FAILED;
    it->failed = w->class == CACHE_UNKNOWN
                     ? arena_fmt(r->call->arena,
                                 "cold: require, and whether it was cold is unknown (%s)", w->why)
                     : arena_fmt(r->call->arena, "cold: require, but %.0f %% came from memory",
                                 100 * w->cached);
}

/* Blocks that were there already (dedup) take no room, whatever st_blocks says. */
static double occupied(const struct iteration *it) {
    const struct meter_reading *from = it->meter[METER_BEFORE], *to = it->meter[METER_SETTLED];
    if (!from || !to || it->allocated <= 0 || from->count[METER_FREE] == UNKNOWN ||
        to->count[METER_FREE] == UNKNOWN)
        return (double)NAN;
    return (double)(from->count[METER_FREE] - to->count[METER_FREE]) / (double)it->allocated;
}

void record_judge(struct recorder *r, struct series *s, struct iteration *it,
                  struct sample samples[METRICS], size_t *n) {
    struct phase_counts *p = r->counts;
    struct witness_context c;
    struct judged j = {.ordinal = it->ordinal, .occupied = (double)NAN};
    struct buf evidence = {0};
    const struct workload *work = &r->plan->profile.workloads[it->workload];
    phase_counts(it, p);
    record_context(r, it, ratio_of(r, it), &c);
    witness_judge(it, p, &c, &j.witness);
    if (work->engine == ENGINE_NULL)
        j.witness.class = CACHE_NONE; /* it reads nothing at all */
    if (!strcmp(work_direct_effect(r->works[it->workload]), "no") && work->direct)
        j.witness.direct = EFFECT_NO; /* refused when the file was opened */
    require_cold(r, it, &j.witness);
    it->cache = j.witness.class;
    *n = work_samples(work, it, samples);
    j.counted = it->status == ITERATION_OK && !it->warmup;
    if (it->status == ITERATION_OK) {
        bool reads = it->read_bytes > it->bytes - it->read_bytes;
        it->bound = bound_by(it, p, &c, &j.witness, &evidence);
        add_samples(it, p, &j.witness, samples, n);
        j.bound = it->bound;
        put_tried(work_cold_tried(r->works[it->workload]), it, &evidence);
        j.evidence = arena_str(r->call->arena, evidence.data);
        j.value = value_of(samples, *n, workload_headline(work, it->phase));
        j.rate = value_of(samples, *n,
                          it->flush == UNKNOWN ? METRIC_THROUGHPUT : METRIC_THROUGHPUT_DURABLE);
        j.bytes = it->bytes;
        j.occupied = occupied(it);
        shape_of_ticks(it->ticks, it->n_ticks, j.shape);
        if (p->known)
            disk_shape(&p->durable, NULL, r->known[it->target].media, &j.disks);
        if (p->known && j.disks.slow < p->durable.n_disks)
            j.slow_disk = p->durable.disk[j.disks.slow].name;
        if (p->known && j.disks.hot < p->durable.n_disks)
            j.hot_disk = p->durable.disk[j.disks.hot].name;
        if (isfinite(j.rate))
            j.too_fast = ceiling_judge(&r->known[it->target].ceiling, j.rate, reads,
                                       it->flush != UNKNOWN, it->cache, c.ratio);
    }
    buf_release(&evidence);
    keep_dirty(r, it);
    *array_add(r->call->arena, s->judged, s->n_judged, s->cap_judged) = j;
}

/* ---- the cell ----------------------------------------------------------------------------------
 */

/* The bound most of them have, and the evidence of the last one that has it. */
static void bound_of_cell(const struct series *s, struct stored_cell *cell) {
    size_t count[BOUNDS] = {0};
    enum bound most = BOUND_UNKNOWN;
    for (size_t i = 0; i < s->n_judged; i++)
        if (s->judged[i].counted && ++count[s->judged[i].bound] > count[most])
            most = s->judged[i].bound;
    cell->bound_by = most ? bound_names[most] : NULL;
    cell->evidence = NULL;
    for (size_t i = 0; i < s->n_judged; i++)
        if (s->judged[i].counted && s->judged[i].bound == most)
            cell->evidence = s->judged[i].evidence;
}

/* Warm-ups tell nothing of the cell, but where nothing else was measured they are all there is. */
void record_judge_cell(struct recorder *r, struct series *s) {
    enum cache_class *class = must(calloc(s->n_judged + 1, sizeof *class));
    enum effect *effect = must(calloc(s->n_judged + 1, sizeof *effect));
    bool any = false;
    size_t n = 0;
    (void)r;
    for (size_t i = 0; i < s->n_judged; i++)
        any |= s->judged[i].counted;
    for (size_t i = 0; i < s->n_judged; i++)
        if (s->judged[i].counted || !any) {
            class[n] = s->judged[i].witness.class;
            effect[n++] = s->judged[i].witness.direct;
        }
    s->cell.class = cache_class_names[cell_class(class, n, NULL)];
    s->cell.direct_effect = effect_names[cell_effect(effect, n)];
    bound_of_cell(s, &s->cell);
    free(class);
    free(effect);
}
