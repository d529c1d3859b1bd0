/*
 * series.c: what makes a workload the same one: its canonical text and digest, its quick twin,
 * its headline; and what this version cannot execute yet.
 *
 * It must not read a profile's text: everything follows from the fields of struct workload, and
 * defaults from the presets of keys.c.
 */
#include "field.h"
#include "zhist/digest.h"

#include <math.h>

enum { QUICK_FILES = 200, QUICK_ITERATIONS = 3 };
#define QUICK_SIZE (INT64_C(64) << 20)
#define QUICK_TIME (2 * NS_PER_S)

/* ---- identity -------------------------------------------------------------------------------- */

static void put_int(struct buf *b, int64_t value) {
    buf_fmt(b, "%lld", (long long)value);
}

static void put_bool(struct buf *b, bool value) {
    buf_str(b, value ? "true" : "false");
}

static void put_block(struct buf *b, const struct workload *w) {
    put_int(b, w->block);
}
static void put_compress(struct buf *b, const struct workload *w) {
    buf_json_number(b, w->data.compress);
}
static void put_data_from(struct buf *b, const struct workload *w) {
    if (w->data.from)
        buf_str(b, w->data.from);
}
static void put_dedup(struct buf *b, const struct workload *w) {
    buf_json_number(b, w->data.dedup);
}
static void put_zeros(struct buf *b, const struct workload *w) {
    put_bool(b, w->data.zeros);
}
static void put_depth(struct buf *b, const struct workload *w) {
    put_int(b, w->depth);
}
static void put_direct(struct buf *b, const struct workload *w) {
    put_bool(b, w->direct);
}
static void put_dirs(struct buf *b, const struct workload *w) {
    put_int(b, w->dirs);
}
static void put_engine(struct buf *b, const struct workload *w) {
    buf_str(b, engine_names[w->engine]);
}
static void put_files(struct buf *b, const struct workload *w) {
    put_int(b, w->files);
}
static void put_flush(struct buf *b, const struct workload *w) {
    buf_str(b, flush_names[w->flush]);
}
static void put_from(struct buf *b, const struct workload *w) {
    if (w->from)
        buf_str(b, w->from);
}
static void put_job(struct buf *b, const struct workload *w) {
    char hex[DIGEST_TEXT];
    if (!w->job_text)
        return;
    digest_hex(w->job_text, strlen(w->job_text), hex);
    buf_str(b, hex);
}
static void put_jobs(struct buf *b, const struct workload *w) {
    put_int(b, w->jobs);
}
static void put_kind(struct buf *b, const struct workload *w) {
    buf_str(b, kind_names[w->kind]);
}
static void put_mix(struct buf *b, const struct workload *w) {
    if (!isnan(w->mix_read))
        buf_json_number(b, w->mix_read);
}
static void put_quick(struct buf *b, const struct workload *w) {
    put_bool(b, w->quick);
}
static void put_size(struct buf *b, const struct workload *w) {
    if (w->size.of == SIZE_BYTES) {
        put_int(b, w->size.bytes);
        return;
    }
    buf_json_number(b, w->size.times);
    buf_str(b, w->size.of == SIZE_ARC ? "xARC" : "xRAM");
}
static void put_sizes(struct buf *b, const struct workload *w) {
    if (w->sizes != SIZES_LIST)
        buf_str(b, w->sizes == SIZES_FIXED ? "fixed" : "lognormal");
    for (size_t i = 0; i < w->n_size_list; i++) {
        buf_fmt(b, "%s%lld:", i ? "," : "", (long long)w->size_list[i].size);
        buf_json_number(b, w->size_list[i].share);
    }
}
static void put_time(struct buf *b, const struct workload *w) {
    put_int(b, w->time);
}
static void put_total(struct buf *b, const struct workload *w) {
    put_int(b, w->sizes == SIZES_LIST ? 0 : w->total); /* with a list it follows */
}

/* Sorted by key; the order is part of every digest. A JSON object, so that SQL can ask for a key;
 * a size in bytes is a number, a relative one a text. */
static const struct part {
    const char *key;
    void (*put)(struct buf *, const struct workload *);
    bool always; /* a default is kept too */
} parts[] = {
    {"block", put_block, false}, {"compress", put_compress, false}, {"data", put_data_from, false},
    {"dedup", put_dedup, false}, {"depth", put_depth, false},       {"direct", put_direct, false},
    {"dirs", put_dirs, false},   {"engine", put_engine, false},     {"files", put_files, false},
    {"flush", put_flush, false}, {"from", put_from, false},         {"job", put_job, false},
    {"jobs", put_jobs, false},   {"kind", put_kind, true},          {"mix", put_mix, false},
    {"quick", put_quick, false}, {"size", put_size, false},         {"sizes", put_sizes, false},
    {"time", put_time, false},   {"total", put_total, false},       {"zeros", put_zeros, false},
};

/* A number or a boolean of JSON, written without quotes. */
static bool is_bare(const char *text) {
    return !strcmp(text, "true") || !strcmp(text, "false") ||
           (*text && strspn(text, "0123456789.e-+") == strlen(text));
}

void workload_identify(struct arena *a, struct workload *w) {
    struct workload preset;
    struct buf spec = {0}, own = {0}, usual = {0};
    workload_presets(w->kind, &preset);
    for (size_t i = 0; i < LENGTH(parts); i++) {
        own.len = usual.len = 0;
        buf_str(&own, "");
        buf_str(&usual, "");
        parts[i].put(&own, w);
        parts[i].put(&usual, &preset);
        if (!parts[i].always && !strcmp(own.data, usual.data))
            continue;
        buf_fmt(&spec, "%s\"%s\":", spec.len ? "," : "{", parts[i].key);
        if (is_bare(own.data))
            buf_str(&spec, own.data);
        else
            buf_json(&spec, own.data);
    }
    buf_str(&spec, "}");
    w->spec = arena_copy(a, spec.data, spec.len);
    digest_hex(spec.data, spec.len, w->digest);
    buf_release(&spec);
    buf_release(&own);
    buf_release(&usual);
}

bool workload_alike(const struct workload *a, const struct workload *b, enum phase *phase) {
    for (size_t i = 0; i < a->n_phases && !strcmp(a->digest, b->digest); i++)
        for (size_t k = 0; k < b->n_phases; k++)
            if (a->phase[i] == b->phase[k]) {
                *phase = a->phase[i];
                return true;
            }
    return false;
}

/* ---- quick ----------------------------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void quick_file(struct arena *a, struct workload *w) {
    int64_t cap = w->block > QUICK_SIZE ? w->block : QUICK_SIZE - QUICK_SIZE % w->block;
    if (w->size.of != SIZE_BYTES || w->size.bytes > cap)
        w->size = (struct size_spec){
            .text = arena_fmt(a, "%lld", (long long)cap), .of = SIZE_BYTES, .bytes = cap};
    w->time = smaller(w->time, QUICK_TIME);
}

static void quick_fileset(struct workload *w) {
    if (w->from)
        return; /* how many real files are taken is known where they are read: w->quick says it */
    if (w->files > QUICK_FILES) {
        w->total = w->total / w->files * QUICK_FILES +
                   w->total % w->files * QUICK_FILES / w->files; /* without overflow */
        w->files = QUICK_FILES;
        w->dirs = smaller(w->dirs, w->files);
    }
    if (w->total <= QUICK_SIZE)
        return;
    for (size_t i = 0; i < w->n_size_list; i++) { /* all by the same ratio: the shape stays */
        double size = (double)w->size_list[i].size * ((double)QUICK_SIZE / (double)w->total);
        w->size_list[i].size = size < 1 ? 1 : (int64_t)size;
    }
    w->total = QUICK_SIZE;
}

void profile_make_quick(struct arena *a, struct profile *p, bool keep_iterations) {
    for (size_t i = 0; i < p->n_workloads; i++) {
        struct workload *w = &p->workloads[i];
        w->quick = true;
        if (w->kind == KIND_FILE)
            quick_file(a, w);
        else if (w->kind == KIND_FILESET)
            quick_fileset(w);
        workload_identify(a, w);
    }
    if (keep_iterations)
        return;
    p->run.iterations_min = smaller(p->run.iterations_min, QUICK_ITERATIONS);
    p->run.iterations_max = smaller(p->run.iterations_max, QUICK_ITERATIONS);
    if (p->run.iterations_min == p->run.iterations_max)
        p->run.precision = NAN;
}

/* ---- headline, and what is not built --------------------------------------------------------- */

enum metric workload_headline(const struct workload *w, enum phase phase) {
    switch (phase) {
    case PHASE_WRITE:
    case PHASE_REWRITE:
    case PHASE_RANDWRITE: /* without a flush nobody knows when it was durable */
        return w->flush == FLUSH_NONE || w->engine == ENGINE_NULL ? METRIC_THROUGHPUT
                                                                  : METRIC_THROUGHPUT_DURABLE;
    case PHASE_READ:
        return w->kind == KIND_FILESET ? METRIC_FILES_PER_SECOND : METRIC_THROUGHPUT;
    case PHASE_RANDREAD:
    case PHASE_MIXED:
        return METRIC_OPS_PER_SECOND;
    case PHASE_CREATE:
    case PHASE_LIST:
    case PHASE_STAT:
    case PHASE_RENAME:
    case PHASE_DELETE:
        return METRIC_FILES_PER_SECOND;
    case PHASE_JOB:
    case PHASES:
        break;
    }
    return METRIC_THROUGHPUT;
}

/* What would give the measurement another meaning if it were passed over; NULL: nothing. */
static const char *unbuilt(struct arena *a, const struct workload *w) {
    if (w->kind == KIND_FIO)
        return arena_fmt(a, "kind %s", kind_names[w->kind]);
    for (size_t i = 0; i < w->n_phases; i++)
        if (!phases[w->phase[i]].built)
            return arena_fmt(a, "phase %s", phases[w->phase[i]].name);
    if (w->kind == KIND_FILESET && w->keep)
        return "keep: true of a fileset";
    if (w->kind == KIND_FILESET && w->data.dedup > 0)
        return "dedup of a fileset";
    if (w->depth > 1 && w->engine != ENGINE_URING)
        return "depth above 1";
    return NULL;
}

int profile_refuse_unbuilt(const char *name, const struct workload *w, struct err *e) {
    struct arena scratch = {0};
    const char *what = unbuilt(&scratch, w);
    if (what)
        err_set(e, ERR_USAGE, "%s:%d: workload \"%s\": %s is not built yet", name, w->line, w->name,
                what);
    arena_release(&scratch);
    return what ? -1 : 0;
}
