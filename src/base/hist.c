/*
 * hist.c: the latency histogram of hist.h: merging, quantiles and the stored form.
 *
 * Error bound: a quantile answers with the middle of its bucket, at most 1/128 of the value away
 * from the true order statistic, and never outside min .. max. Mean, min and max are exact.
 * Stored form: the first distance is the index of the first non-empty bucket, later ones are at
 * least 1. Unpacking checks everything that can be checked, since a history is user input.
 */
#include "zhist/hist.h"

#include <math.h>

enum { PACK_VERSION = 1, LEB_MAX = 10 };

void hist_clear(struct hist *h) {
    memset(h, 0, sizeof *h);
    h->min = INT64_MAX;
    h->max = INT64_MIN;
}

void hist_merge(struct hist *into, const struct hist *from) {
    if (from->count == 0)
        return;
    if (into->count == 0 || from->min < into->min)
        into->min = from->min;
    if (into->count == 0 || from->max > into->max)
        into->max = from->max;
    into->count += from->count;
    into->sum += from->sum;
    for (size_t i = 0; i < HIST_BUCKETS; i++)
        into->bucket[i] += from->bucket[i];
}

static double bucket_middle(unsigned index) {
    if (index < 128)
        return (double)index;
    unsigned shift = (index - 64) / 64;
    uint64_t low = (uint64_t)(64 + (index - 64) % 64) << shift;
    uint64_t width = UINT64_C(1) << shift;
    return (double)low + (double)(width - 1) / 2;
}

double hist_quantile(const struct hist *h, double q) {
    if (h->count <= 0 || isnan(q))
        return (double)NAN;
    if (q <= 0)
        return (double)h->min;
    if (q >= 1)
        return (double)h->max;
    /* The rank: the smallest value that at least the share q of all values does not exceed. */
    double want = ceil(q * (double)h->count);
    int64_t rank = want < 1 ? 1 : want > (double)h->count ? h->count : (int64_t)want;
    int64_t seen = 0;
    for (unsigned i = 0; i < HIST_BUCKETS; i++) {
        seen += h->bucket[i];
        if (seen >= rank)
            return fmin(fmax(bucket_middle(i), (double)h->min), (double)h->max);
    }
    return (double)h->max;
}

double hist_mean(const struct hist *h) {
    return h->count > 0 ? (double)h->sum / (double)h->count : (double)NAN;
}

static void put_leb(struct buf *out, int64_t value) {
    unsigned char bytes[LEB_MAX];
    size_t n = 0;
    uint64_t v = value < 0 ? 0 : (uint64_t)value;
    do {
        bytes[n] = v & 0x7f;
        v >>= 7;
        if (v)
            bytes[n] |= 0x80;
        n++;
    } while (v);
    buf_put(out, bytes, n);
}

void hist_pack(const struct hist *h, struct buf *out) {
    buf_put(out, &(unsigned char){PACK_VERSION}, 1);
    put_leb(out, h->count);
    put_leb(out, h->sum);
    put_leb(out, h->count ? h->min : 0);
    put_leb(out, h->count ? h->max : 0);
    unsigned previous = 0;
    for (unsigned i = 0; i < HIST_BUCKETS; i++) {
        if (h->bucket[i] == 0)
            continue;
        put_leb(out, (int64_t)(i - previous));
        put_leb(out, h->bucket[i]);
        previous = i;
    }
}

struct reader {
    const unsigned char *at, *end;
    bool bad;
};

static int64_t get_leb(struct reader *r) {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
        if (r->at == r->end)
            break;
        unsigned char byte = *r->at++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            if (byte == 0 && shift > 0)
                break; /* not the shortest form: there is one form for a histogram */
            return (int64_t)v;
        }
    }
    r->bad = true;
    return 0;
}

static const char *unpack(struct hist *h, struct reader *r) {
    if (r->at == r->end || *r->at++ != PACK_VERSION)
        return "it is of another version";
    h->count = get_leb(r);
    h->sum = get_leb(r);
    h->min = get_leb(r);
    h->max = get_leb(r);
    if (r->bad)
        return "it is cut short or has a number out of range";
    int64_t index = 0, counted = 0, first = -1;
    while (r->at < r->end) {
        int64_t step = get_leb(r);
        int64_t n = get_leb(r);
        if (r->bad || n == 0 || step >= HIST_BUCKETS - index || (step == 0 && first >= 0))
            return "a bucket is out of place";
        index += step;
        if (first < 0)
            first = index;
        if (n > INT64_MAX - counted)
            return "its counts overflow";
        counted += n;
        h->bucket[index] = n;
    }
    if (counted != h->count)
        return "its buckets and its count disagree";
    if (h->count == 0)
        return h->sum || h->min || h->max ? "it is empty and yet has a sum" : NULL;
    if (hist_index(h->min) != first || hist_index(h->max) != index || h->min > h->max)
        return "its buckets and its minimum and maximum disagree";
    return h->sum < h->max ? "its sum is below its maximum" : NULL;
}

int hist_unpack(struct hist *h, const void *bytes, size_t len, struct err *e) {
    hist_clear(h);
    const unsigned char *start = bytes;
    struct reader r = {.at = start, .end = start + len};
    const char *reason = unpack(h, &r);
    bool empty = h->count == 0;
    if (reason || empty)
        hist_clear(h);
    if (reason)
        return err_set(e, ERR_FAILED, "cannot read a stored histogram: %s", reason);
    return 0;
}
