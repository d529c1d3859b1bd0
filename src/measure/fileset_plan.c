/*
 * fileset_plan.c: how many bytes each file of a fileset has, and in which directory it lies.
 *
 * Nothing is drawn by chance: a lognormal set is cut into as many equally likely parts as there
 * are files, and each file gets the bytes that the distribution has in its part, so that two
 * sets of the same numbers are alike and all files together have exactly the bytes asked for.
 * Only the order is shuffled, by the workload's digest.
 */
#include "fileset.h"

#include <math.h>

/* Spread of the logarithms: files of one kind (pictures, songs): half of them are smaller than 0.6
 * of the mean, one in a hundred is larger than 6 times. For mixed files there is the list. It is
 * part of what every stored result means and never changes. */
#define SIGMA 1.0

/* ---- the list of sizes ----------------------------------------------------------------------- */

/* How many files the first k entries of the list have together. */
static int64_t list_files(const struct workload *w, size_t k) {
    double share = 0;
    if (k == w->n_size_list)
        return w->files;
    for (size_t i = 0; i < k; i++)
        share += w->size_list[i].share;
    int64_t files = (int64_t)llround(share * (double)w->files);
    return files < w->files ? files : w->files;
}

static void list_sizes(const struct workload *w, int64_t *sizes) {
    int64_t file = 0;
    for (size_t k = 0; k < w->n_size_list; k++)
        for (int64_t end = list_files(w, k + 1); file < end; file++)
            sizes[file] = w->size_list[k].size;
}

int64_t fileset_total(const struct workload *w) {
    int64_t total = 0;
    if (w->tree)
        return w->tree->total;
    if (w->sizes != SIZES_LIST)
        return w->total;
    for (size_t k = 0; k < w->n_size_list; k++)
        total += (list_files(w, k + 1) - list_files(w, k)) * w->size_list[k].size;
    return total;
}

/* ---- lognormal ------------------------------------------------------------------------------- */

/* The share of a standard normal distribution that lies above x. */
static double above(double x) {
    return erfc(x * sqrt(0.5)) / 2;
}

/* From x, where more than q lies above, on to where q does: Newton's steps, which come from one
 * side only since the curve is bent one way there. */
static double step_to(double x, double q) {
    for (int i = 0; i < 50; i++) {
        double density = exp(-x * x / 2) / sqrt(2 * acos(-1.0));
        double step = (above(x) - q) / density;
        x += step;
        if (!(step > 1e-14 * (x + 1)))
            break;
    }
    return x;
}

/* Bytes of the smaller ones, where the files up to the point x of the distribution have been
 * counted: of a lognormal sum those below have the share that lies below x - SIGMA. */
static int64_t up_to(double x, int64_t files, int64_t least, int64_t rest) {
    return files * least + (int64_t)llround((double)rest * above(SIGMA - x));
}

/* Sizes from the smallest to the largest, from the middle outwards: both halves have the same
 * points but for the sign. */
static void lognormal_sizes(int64_t n, int64_t total, int64_t *sizes) {
    int64_t least = total >= n ? 1 : 0, rest = total - n * least;
    int64_t high = n / 2 + n % 2, low = n / 2; /* files up to these points */
    double x = n % 2 && n > 1 ? step_to(0, 0.5 - 0.5 / (double)n) : 0;
    int64_t below_high = n == 1 ? total : up_to(x, high, least, rest);
    int64_t below_low = n == 1 ? 0 : up_to(-x, low, least, rest);
    if (n % 2)
        sizes[low] = below_high - below_low;
    while (high < n) {
        double q = (double)(n - high - 1) / (double)n;
        x = high + 1 < n ? step_to(x, q) : (double)INFINITY;
        int64_t next_high = high + 1 < n ? up_to(x, high + 1, least, rest) : total;
        int64_t next_low = low - 1 > 0 ? up_to(-x, low - 1, least, rest) : 0;
        sizes[high++] = next_high - below_high;
        sizes[--low] = below_low - next_low;
        below_high = next_high;
        below_low = next_low;
    }
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void shuffle(int64_t *sizes, int64_t n, const char *seed) {
    uint64_t state = UINT64_C(14695981039346656037);
    for (; *seed; seed++)
        state = (state ^ (unsigned char)*seed) * UINT64_C(1099511628211);
    for (int64_t i = n; i > 1; i--) {
        int64_t k = (int64_t)(random_next(&state) % (uint64_t)i), keep = sizes[i - 1];
        sizes[i - 1] = sizes[k];
        sizes[k] = keep;
    }
}

int64_t fileset_largest(const struct workload *w) {
    int64_t n = w->files;
    if (w->tree)
        return w->tree->largest;
    if (w->sizes == SIZES_LIST)
        return w->size_list[w->n_size_list - 1].size;
    if (w->sizes == SIZES_FIXED || n < 2)
        return n < 1 ? w->total : w->total / n + 1;
    double x = step_to(0, 1.0 / (double)n);
    return (int64_t)((double)w->total * above(x - SIGMA)) + 2;
}

void fileset_plan(struct arena *a, const struct workload *w, struct fileset_plan *p) {
    const char *seed = w->digest[0] ? w->digest : w->name;
    int64_t *sizes = NULL;
    *p = (struct fileset_plan){.files = w->tree ? w->tree->files : w->files,
                               .dirs = w->tree ? w->tree->dirs : w->dirs,
                               .total = fileset_total(w),
                               .largest = fileset_largest(w),
                               .tree = w->tree};
    if (p->dirs < 1)
        p->dirs = 1;
    if (w->tree || w->sizes != SIZES_FIXED)
        p->sizes = sizes = arena_new(a, int64_t, (size_t)p->files);
    for (int64_t i = 0; w->tree && i < p->files; i++)
        sizes[i] = w->tree->file[i].size;
    if (!sizes || w->tree)
        return;
    if (w->sizes == SIZES_LIST)
        list_sizes(w, sizes);
    else
        lognormal_sizes(p->files, p->total, sizes);
    shuffle(sizes, p->files, seed);
}

int64_t fileset_dir_of(const struct fileset_plan *p, int64_t file) {
    if (!p->tree)
        return ((file + 1) * p->dirs - 1) / p->files;
    int64_t low = 0, high = p->dirs; /* the last directory that begins at or before it */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (p->tree->dir[middle].first <= file)
            low = middle;
        else
            high = middle;
    }
    return low;
}
