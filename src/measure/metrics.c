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

static void add_latency(struct samples *s, const struct hist *h) {
    if (h->count == 0)
        return;
    add(s, METRIC_LAT_MEAN, hist_mean(h));
    add(s, METRIC_LAT_P50, hist_quantile(h, 0.5));
    add(s, METRIC_LAT_P95, hist_quantile(h, 0.95));
    add(s, METRIC_LAT_P99, hist_quantile(h, 0.99));
    add(s, METRIC_LAT_P999, hist_quantile(h, 0.999));
    add(s, METRIC_LAT_MAX, (double)h->max);
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
    add_latency(&s, &both);
    return s.n;
}
