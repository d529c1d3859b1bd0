/*
 * witness.c: all that the counters of a phase prove, in one struct, and the numbers that are
 * stored as its samples. How each word is found: cached.c, direct.c, others.c.
 */
#include <math.h>

#include "judge.h"

static const double GIB = 1 << 30;

static double ratio_of(int64_t part, int64_t whole) {
    return part == UNKNOWN || whole <= 0 ? (double)NAN : (double)part / (double)whole;
}

static int64_t sum(int64_t a, int64_t b) {
    return a == UNKNOWN || b == UNKNOWN ? UNKNOWN : a + b;
}

static double cpu_per_gib(const struct span_counts *s, double moved) {
    const int64_t *count = s->count;
    int64_t busy = sum(sum(count[METER_CPU_USER], count[METER_CPU_SYSTEM]), count[METER_CPU_IRQ]);
    if (busy == UNKNOWN || !(moved > 0))
        return (double)NAN;
    return (double)busy / (double)NS_PER_S / (moved / GIB);
}

/* direct_pct is direct.c's, cached_pct that of the class. */
static void numbers(const struct iteration *it, const struct phase_counts *p,
                    const struct witness *w, struct witness_numbers *n) {
    const struct span_counts *s = &p->durable;
    int64_t requests = sum(s->reads, s->writes);
    n->cached_pct = w->cached;
    n->write_expansion = phases[it->phase].writes ? ratio_of(s->written, p->written) : (double)NAN;
    n->requests = requests == UNKNOWN ? (double)NAN : (double)requests;
    n->request_size = ratio_of(sum(s->read, s->written), requests);
    n->disk_busy = s->busy_most;
    n->disk_busy_mean = s->busy_mean;
    n->cpu_per_gib = cpu_per_gib(s, (double)p->read + (double)p->written);
    n->stored_ratio = it->size > 0 ? ratio_of(it->size, it->allocated) : (double)NAN;
}

void witness_judge(const struct iteration *it, const struct phase_counts *p,
                   const struct witness_context *c, struct witness *out) {
    *out = (struct witness){.numbers = {.direct_pct = (double)NAN}};
    judge_cached(it, p, c, out);
    judge_direct(it, p, c, out);
    judge_others(it, p, c, out);
    numbers(it, p, out, &out->numbers);
}
