/*
 * work_file.c: the kind `file`: one file a job, of a size, in blocks, in any pattern.
 *
 * Sizes, buffers and the run are here; its files on a target are in file_layout.c.
 * The last block of a sequential pass may be shorter; random patterns take whole blocks, each once.
 */
#include "file_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum {
    LAYOUT_CHUNK = 1 << 20,
    DIRECT_UNIT = 512, /* blocks asked for with direct; more may be needed, the kernel says */
    TAIL_UNIT = 4096,  /* with direct, files end on such a boundary */
};

/* ---- sizes ----------------------------------------------------------------------------------- */

static bool has_files(const struct workload *w) {
    const struct engine *engine = engine_find(w->engine);
    return engine && engine->files;
}

/* With direct a file ends on a boundary that direct I/O can reach. */
static int64_t cut_size(const struct workload *w, int64_t size) {
    return w->direct && size > TAIL_UNIT ? size / TAIL_UNIT * TAIL_UNIT : size;
}

static int64_t all_jobs(const struct workload *w, int64_t bytes) {
    return bytes > INT64_MAX / w->jobs ? INT64_MAX : bytes * w->jobs;
}

static int64_t file_written(const struct workload *w, int64_t size, enum phase phase) {
    if (!phases[phase].writes || !has_files(w))
        return 0;
    if (w->time > 0)
        return UNKNOWN;
    size = cut_size(w, size);
    if (phases[phase].random && size >= w->block)
        size = size / w->block * w->block;
    return all_jobs(w, size);
}

static int64_t file_layout_written(const struct workload *w, int64_t size, enum phase phase) {
    return phase == PHASE_WRITE || !has_files(w) ? 0 : all_jobs(w, cut_size(w, size));
}

static int64_t file_memory(const struct workload *w, int64_t size) {
    int64_t chunk = w->block > LAYOUT_CHUNK ? w->block : LAYOUT_CHUNK;
    int64_t in_flight = w->engine == ENGINE_URING ? w->depth * w->block : 0;
    return w->jobs * (fill_memory(&w->data, size, chunk) + w->block + in_flight);
}

static int64_t file_space(const struct workload *w, int64_t size, int64_t *files) {
    int64_t bytes = has_files(w) ? all_jobs(w, cut_size(w, size)) : 0;
    *files = has_files(w) ? w->jobs : 0;
    if (!w->keep)
        return bytes;
    *files = *files * 2 + 2; /* the kept ones lie beside those of the run, in a box with a mark */
    return bytes > INT64_MAX / 2 ? INT64_MAX : bytes * 2;
}

/* ---- open and close -------------------------------------------------------------------------- */

static int check_spec(const struct workload *w, int64_t size, struct err *e) {
    if (!engine_find(w->engine))
        return err_set(e, ERR_FAILED,
                       "workload \"%s\": engine \"%s\" is not built into this version; "
                       "use engine: psync",
                       w->name, engine_names[w->engine]);
    if (w->depth > 1 && w->engine != ENGINE_URING)
        return err_set(e, ERR_FAILED,
                       "workload \"%s\": engine \"%s\" keeps one operation in flight, not %d; "
                       "use engine: uring, or depth: 1 and more jobs",
                       w->name, engine_names[w->engine], w->depth);
    if (size < 1 || w->block < 1 || w->jobs < 1)
        return err_set(e, ERR_FAILED, "workload \"%s\": size, block and jobs must be at least 1",
                       w->name);
    if (w->direct && (w->block % DIRECT_UNIT || (size < TAIL_UNIT && size % DIRECT_UNIT)))
        return err_set(e, ERR_FAILED,
                       "workload \"%s\": direct I/O needs a block and a size that are a multiple "
                       "of %d bytes",
                       w->name, DIRECT_UNIT);
    return 0;
}

/* Names carry the digest, so that what a crash left shows whose it was; else the name, hashed. */
static void make_tag(const struct workload *w, char tag[9]) {
    uint32_t hash = UINT32_C(2166136261);
    const char *text = w->digest[0] ? w->digest : w->name;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT32_C(16777619);
    snprintf(tag, 9, "%08x", (unsigned)hash);
}

static void file_close(struct work *work) {
    struct file_work *f = (struct file_work *)work;
    for (int i = 0; i < f->n_jobs; i++) {
        engine_uring_close(&f->jobs[i]);
        fill_close(&f->jobs[i].fill);
        free(f->jobs[i].buffer);
        f->jobs[i].buffer = NULL;
    }
}

static int open_job(struct file_work *f, const struct workload *w, int i, uint64_t seed,
                    struct err *e) {
    struct engine_job *job = &f->jobs[i];
    job->file = -1;
    int forbidden = f->engine->id == ENGINE_URING ? engine_uring_open(job, w->depth, f->block) : 0;
    if (forbidden == ENOMEM)
        return err_set(e, ERR_FAILED, "no memory for %d blocks of %lld bytes", w->depth,
                       (long long)f->block);
    if (forbidden) { /* by the kernel, a sandbox, or a limit: all jobs go the other way */
        f->engine = engine_find(ENGINE_PSYNC);
        f->work.fallback = arena_fmt(f->arena, "io_uring cannot be had here: %s", strerror(forbidden));
    }
    job->random = fill_mix(seed + (uint64_t)i + 1);
    if (posix_memalign(&job->buffer, FILL_ALIGN, (size_t)f->block) != 0)
        return err_set(e, ERR_FAILED, "no memory for a block of %lld bytes", (long long)f->block);
    memset(job->buffer, 0, (size_t)f->block);
    return fill_open(&job->fill, &w->data, f->size, f->chunk > f->block ? f->chunk : f->block, seed,
                     e);
}

static int file_open(struct arena *a, const struct workload *w, int64_t size, uint64_t seed,
                     struct work **work, struct err *e) {
    if (check_spec(w, size, e) != 0)
        return -1;
    struct file_work *f = arena_new(a, struct file_work, 1);
    f->arena = a;
    f->engine = engine_find(w->engine);
    f->kept_box = (struct box){.dir = -1, .mark = -1};
    f->size = cut_size(w, size);
    f->block = w->block < f->size ? w->block : f->size;
    f->chunk = LAYOUT_CHUNK;
    f->jobs = arena_new(a, struct engine_job, (size_t)w->jobs);
    make_tag(w, f->tag);
    for (; f->n_jobs < w->jobs; f->n_jobs++)
        if (open_job(f, w, f->n_jobs, seed, e) != 0) {
            f->n_jobs++;
            file_close(&f->work);
            return -1;
        }
    *work = &f->work;
    return 0;
}

/* ---- a phase --------------------------------------------------------------------------------- */

static enum engine_flush flush_of(const struct workload *w, enum phase phase) {
    if (!phases[phase].writes || w->flush == FLUSH_NONE || !has_files(w))
        return ENGINE_FLUSH_NONE;
    return phase == PHASE_WRITE ? ENGINE_FLUSH_ALL : ENGINE_FLUSH_DATA;
}

/* Merges the jobs into the iteration. Of several failures the first in time speaks. */
static void collect(struct file_work *f, struct target *t, const struct engine_run *run,
                    struct iteration *it) {
    int failed = -1;
    bool stopped = false;
    hist_clear(&f->hist);
    hist_clear(&f->hist_writes);
    it->started_at = run->started_at;
    it->duration = run->duration;
    for (int i = 0; i < f->n_jobs; i++) {
        const struct engine_job *job = &f->jobs[i];
        it->bytes += job->bytes;
        it->ops += job->ops;
        it->read_bytes += job->read_bytes;
        it->read_ops += job->read_ops;
        hist_merge(run->reads ? &f->hist : &f->hist_writes, &job->hist);
        hist_merge(&f->hist_writes, &job->hist_writes);
        stopped |= job->stopped;
        if (job->what && (failed < 0 || job->ended < f->jobs[failed].ended))
            failed = i;
    }
    it->read = f->hist.count > 0 ? &f->hist : NULL;
    it->write = f->hist_writes.count > 0 ? &f->hist_writes : NULL;
    if (failed >= 0) {
        const struct engine_job *job = &f->jobs[failed];
        file_say(f, t, failed, job->what, job->where, job->errnum, job->why);
        it->errnum = job->errnum;
        it->failed = f->why.text;
        return;
    }
    it->flush = run->flushed;
    it->status = stopped ? ITERATION_INTERRUPTED : ITERATION_OK;
}

/* What each job may do of a limit in bytes: at least one operation. */
static int64_t most_ops(const struct file_work *f, const struct work_watch *watch) {
    int64_t ops = watch->bytes / f->n_jobs / f->block;
    return watch->bytes <= 0 ? INT64_MAX : ops > 0 ? ops : 1;
}

static int file_run(struct work *work, struct target *t, enum phase phase,
                    const struct work_watch *watch, struct iteration *it, struct err *e) {
    struct file_work *f = (struct file_work *)work;
    struct engine_run run = {
        .engine = f->engine,
        .jobs = f->jobs,
        .n_jobs = f->n_jobs,
        .reads = phases[phase].reads,
        .writes = phases[phase].writes,
        .mix_read = work->spec->mix_read,
        .random = phases[phase].random,
        .flush_each = work->spec->flush == FLUSH_EACH,
        .flush = flush_of(work->spec, phase),
        .size = f->size,
        .block = f->block,
        .time = work->spec->time,
        .most_ops = most_ops(f, watch),
        .stop = watch->stop,
        .progress = watch->progress,
        .meter = watch->meter,
        .trace = work->trace,
    };
    struct stat st;
    if (f->engine->files && (t->box < 0 || fstat(t->box, &st) != 0 || st.st_nlink == 0))
        return err_set(e, ERR_FAILED, "target \"%s\" is gone", t->name);
    f->laid_out = 0;
    enum made made = f->engine->files ? file_prepare(f, t, watch, it) : MADE;
    it->laid_out = f->laid_out;
    if (made == MADE && engine_run(&run, &f->why) == 0) {
        collect(f, t, &run, it);
    } else if (made == MADE_STOPPED) {
        it->status = ITERATION_INTERRUPTED;
    } else {
        it->errnum = f->why.code;
        it->failed = f->why.text;
    }
    file_close_all(f, t, it);
    if (it->status == ITERATION_INTERRUPTED)
        it->failed = "it was interrupted";
    return 0;
}

static int file_stored(struct work *work, struct target *t, int64_t *size, int64_t *allocated) {
    struct file_work *f = (struct file_work *)work;
    *size = *allocated = 0;
    for (int i = 0; i < f->n_jobs; i++) {
        char name[FILE_NAME_LEN];
        struct stat st;
        file_name(f, i, name);
        if (!f->engine->files || fstatat(t->box, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            return -1;
        *size += st.st_size;
        *allocated += (int64_t)st.st_blocks * 512;
    }
    return 0;
}

static int file_clean(struct work *work, struct target *t, struct err *e) {
    struct file_work *f = (struct file_work *)work;
    return t->box >= 0 && f->engine->files ? file_finish(f, t, e) : 0;
}

const struct work_kind_ops work_file = {
    .open = file_open,
    .close = file_close,
    .run = file_run,
    .stored = file_stored,
    .clean = file_clean,
    .written = file_written,
    .layout_written = file_layout_written,
    .memory = file_memory,
    .space = file_space,
};
