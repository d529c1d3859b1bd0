/*
 * metrics.c: from an iteration to its samples: the one place where rates are divided.
 * What was not measured has no sample; a failed or interrupted iteration has none at all.
 */
#include "zhist/work.h"

#include <math.h>

struct samples {
    struct sample *items;
    size_t n;
};

static void add(struct samples *s, enum metric metric, double value) {
    if (isfinite(value))
        s->items[s->n++] = (struct sample){metric, value};
}

static void add_rates(struct samples *s, const struct workload *w, const struct iteration *it) {
    bool moves = it->bytes > 0;
    double seconds = (double)it->duration / (double)NS_PER_S;
    add(s, METRIC_DURATION, seconds);
    if (moves)
        add(s, METRIC_THROUGHPUT, (double)it->bytes / seconds);
    if (w->kind == KIND_FILESET) { /* an operation is a file */
        add(s, METRIC_FILES_PER_SECOND, (double)it->ops / seconds);
        add(s, METRIC_TIME_PER_FILE, seconds / (double)it->ops);
    } else {
        add(s, METRIC_OPS_PER_SECOND, (double)it->ops / seconds);
    }
    if (it->flush == UNKNOWN)
        return;
    double durable = (double)(it->duration + it->flush) / (double)NS_PER_S;
    add(s, METRIC_DURATION_DURABLE, durable);
    if (moves)
        add(s, METRIC_THROUGHPUT_DURABLE, (double)it->bytes / durable);
    add(s, METRIC_FLUSH_TIME, (double)it->flush / (double)NS_PER_S);
}

/* first: METRIC_LAT_MEAN or the same of reads or writes; the others follow it. */
static void add_latency(struct samples *s, const struct hist *h, enum metric first) {
    static const double quantiles[] = {0.5, 0.95, 0.99, 0.999};
    if (h->count == 0)
        return;
    add(s, first, hist_mean(h));
    for (size_t i = 0; i < LENGTH(quantiles); i++)
        add(s, first + 1 + i, hist_quantile(h, quantiles[i]));
    add(s, first + 1 + LENGTH(quantiles), (double)h->max);
}

/* Reads and writes of a mixed phase, each over the whole of its time. */
static void add_mixed(struct samples *s, const struct iteration *it) {
    double seconds = (double)it->duration / (double)NS_PER_S;
    add(s, METRIC_READ_THROUGHPUT, (double)it->read_bytes / seconds);
    add(s, METRIC_READ_OPS_PER_SECOND, (double)it->read_ops / seconds);
    add_latency(s, it->read, METRIC_READ_LAT_MEAN);
    add(s, METRIC_WRITE_THROUGHPUT, (double)(it->bytes - it->read_bytes) / seconds);
    add(s, METRIC_WRITE_OPS_PER_SECOND, (double)(it->ops - it->read_ops) / seconds);
    add_latency(s, it->write, METRIC_WRITE_LAT_MEAN);
}

size_t work_samples(const struct workload *w, const struct iteration *it,
                    struct sample out[METRICS]) {
    struct samples s = {.items = out};
    struct hist both;
    if (it->status != ITERATION_OK || it->duration <= 0 || it->ops <= 0)
        return 0;
    add_rates(&s, w, it);
    hist_clear(&both);
    if (it->read)
        hist_merge(&both, it->read);
    if (it->write)
        hist_merge(&both, it->write);
    add_latency(&s, &both, METRIC_LAT_MEAN);
    if (it->read && it->write)
        add_mixed(&s, it);
    return s.n;
}
