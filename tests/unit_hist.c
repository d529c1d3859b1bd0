/*
 * unit_hist.c: the latency histogram: bucket bounds, the error bound of quantiles against sorted
 * values, merging, and the stored form, also when it is damaged.
 */
#include "check.h"

#include "zhist/hist.h"

enum { VALUES = 20000 };

static uint64_t next(uint64_t *state) {
    uint64_t v = *state += UINT64_C(0x9e3779b97f4a7c15);
    v = (v ^ (v >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
    return v ^ (v >> 31);
}

static int by_value(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void test_buckets(void) {
    int ordered = 1;
    unsigned last = 0;
    for (int64_t v = 0; v < 1000000; v++) {
        unsigned i = hist_index(v);
        ordered &= i == last || i == last + 1;
        last = i;
    }
    CHECK("buckets follow each other without a gap", ordered);
    CHECK("values below 128 have a bucket each", hist_index(127) == 127 && hist_index(0) == 0);
    CHECK("the largest value has the last bucket", hist_index(INT64_MAX) == HIST_BUCKETS - 1);
    CHECK("a negative value falls into the first", hist_index(-5) == 0);
}

static void test_quantiles(void) {
    static int64_t values[VALUES];
    static struct hist h;
    static const double qs[] = {0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999};
    uint64_t state = 1;
    double sum = 0;
    hist_clear(&h);
    for (int i = 0; i < VALUES; i++) {
        values[i] = (int64_t)(next(&state) >> (20 + next(&state) % 40));
        hist_add(&h, values[i]);
        sum += (double)values[i];
    }
    qsort(values, VALUES, sizeof *values, by_value);
    int within = 1;
    for (size_t i = 0; i < LENGTH(qs); i++) {
        double exact = (double)values[(int)ceil(qs[i] * VALUES) - 1];
        within &= fabs(hist_quantile(&h, qs[i]) - exact) <= exact / 128;
    }
    CHECK("quantiles are within 1/128 of the sorted values", within);
    CHECK("the 0 quantile is the minimum", hist_quantile(&h, 0) == (double)values[0]);
    CHECK("the 1 quantile is the maximum", hist_quantile(&h, 1) == (double)values[VALUES - 1]);
    CHECK_NEAR("the mean is exact", hist_mean(&h), sum / VALUES, 1e-9);
}

static void test_few(void) {
    static struct hist h;
    hist_clear(&h);
    CHECK("an empty one has no quantile", isnan(hist_quantile(&h, 0.5)) && isnan(hist_mean(&h)));
    hist_add(&h, 1000003);
    CHECK("one value is every quantile",
          hist_quantile(&h, 0.01) == 1000003 && hist_quantile(&h, 0.999) == 1000003);
    hist_add(&h, INT64_MAX / 4);
    CHECK_NEAR("the median of two is the lower", hist_quantile(&h, 0.5), 1000003, 1.0 / 128);
    CHECK_NEAR("huge values keep the bound", hist_quantile(&h, 0.9), (double)(INT64_MAX / 4),
               1.0 / 128);
}

static int same(const struct hist *a, const struct hist *b) {
    return a->count == b->count && a->sum == b->sum && a->min == b->min && a->max == b->max &&
           !memcmp(a->bucket, b->bucket, sizeof a->bucket);
}

static void test_merge(void) {
    static struct hist parts[3], all, merged;
    uint64_t state = 7;
    hist_clear(&all);
    hist_clear(&merged);
    for (int p = 0; p < 3; p++) {
        hist_clear(&parts[p]);
        for (int i = 0; i < p * 1000; i++) { /* the first stays empty */
            int64_t v = (int64_t)(next(&state) >> 40);
            hist_add(&parts[p], v);
            hist_add(&all, v);
        }
        hist_merge(&merged, &parts[p]);
    }
    CHECK("merged parts are the whole", same(&merged, &all));
}

static void test_pack(void) {
    static struct hist h, back;
    struct buf b = {0};
    struct err e;
    uint64_t state = 3;
    hist_clear(&h);
    hist_pack(&h, &b);
    CHECK("an empty one comes back", hist_unpack(&back, b.data, b.len, &e) == 0 && same(&h, &back));
    for (int i = 0; i < 5000; i++)
        hist_add(&h, (int64_t)(next(&state) >> (1 + next(&state) % 60)) / 5000);
    hist_add(&h, 0);
    b.len = 0;
    hist_pack(&h, &b);
    CHECK("a full one comes back", hist_unpack(&back, b.data, b.len, &e) == 0 && same(&h, &back));

    int refused = 1;
    for (size_t len = 0; len < b.len; len++)
        refused &= hist_unpack(&back, b.data, len, &e) == -1;
    CHECK("cut short anywhere it is refused", refused);
    int safe = 1;
    for (size_t i = 0; i < b.len; i++) {
        b.data[i] = (char)(b.data[i] ^ 0x55);
        if (hist_unpack(&back, b.data, b.len, &e) == 0) /* the sum has nothing to check it by */
            safe &= back.count == h.count && hist_index(back.min) == hist_index(h.min) &&
                    hist_index(back.max) == hist_index(h.max);
        b.data[i] = (char)(b.data[i] ^ 0x55);
    }
    CHECK("a damaged byte never changes the count, or a bound by more than a bucket", safe);
    buf_put(&b, "\0\1", 2);
    CHECK("bytes behind the end are refused", hist_unpack(&back, b.data, b.len, &e) == -1);
    CHECK("another version is refused", hist_unpack(&back, "\2\0\0\0\0", 5, &e) == -1);
    CHECK_TEXT("and the sentence says why", e.text,
               "cannot read a stored histogram: it is of another version");
    CHECK("what was refused is left empty", back.count == 0 && isnan(hist_mean(&back)));
    static const unsigned char longer[] = {1, 0x81, 0x00, 5, 5, 5, 5, 1};
    CHECK("a number not in its shortest form is refused",
          hist_unpack(&back, longer, sizeof longer, &e) == -1);
    buf_release(&b);
}

int main(void) {
    test_buckets();
    test_quantiles();
    test_few();
    test_merge();
    test_pack();
    return check_done();
}
