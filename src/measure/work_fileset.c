/*
 * work_fileset.c: the kind `fileset`: many files in directories, and what is done with their names
 * and bytes. Which files: fileset_plan.c and fileset_tree.c; what lies on a target:
 * fileset_layout.c; the loops: fileset_ops.c.
 *
 * flush: end makes the whole file system durable once (syncfs), since one fsync a file would
 * measure fsync; what others left unwritten there is flushed before the clock. flush: each makes
 * every file durable within its own latency, and the directories at the end; rename and delete the
 * directory each time. Directories are made before the clock.
 */
#include "direct.h"
#include "fileset_layout.h"
#include "fsys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECT_UNIT = 512, FILE_ROOM = 4096 }; /* what a file takes on disk beside its bytes */

/* ---- sizes ----------------------------------------------------------------------------------- */

static int64_t set_written(const struct workload *w, int64_t size, enum phase phase) {
    (void)size;
    return phase == PHASE_CREATE ? fileset_total(w) : 0;
}

static int64_t set_layout_written(const struct workload *w, int64_t size, enum phase phase) {
    (void)size;
    return phase == PHASE_CREATE ? 0 : fileset_total(w);
}

/* No longer than the longest file: small files need small buffers. */
static int64_t block_of(const struct workload *w) {
    int64_t largest = fileset_largest(w);
    int64_t whole = (largest / FILL_ALIGN + 1) * FILL_ALIGN;
    return w->block < whole ? w->block : whole;
}

static int64_t buffer_of(const struct workload *w) {
    int64_t block = block_of(w);
    return block > FSYS_LISTING ? block : FSYS_LISTING;
}

static int64_t set_memory(const struct workload *w, int64_t size) {
    int64_t pool = w->from ? 0 : fill_pool(fileset_largest(w)) + block_of(w);
    int64_t sizes = w->from || w->sizes == SIZES_FIXED ? 0 : w->files * (int64_t)sizeof(int64_t);
    (void)size;
    return w->jobs * (pool + buffer_of(w)) + sizes;
}

static int64_t set_space(const struct workload *w, int64_t size, int64_t *files) {
    (void)size;
    *files = w->files + (w->dirs > 0 ? w->dirs : 1);
    return fileset_total(w) + *files * FILE_ROOM;
}

/* ---- open and close -------------------------------------------------------------------------- */

static int check_spec(const struct workload *w, struct err *e) {
    if (w->from && !w->tree)
        return err_set(e, ERR_FAILED, "workload \"%s\": the files of \"%s\" were not looked for",
                       w->name, w->from);
    if (w->files < 1 || w->block < 1 || w->jobs < 1)
        return err_set(e, ERR_FAILED, "workload \"%s\": files, block and jobs must be at least 1",
                       w->name);
    if (w->direct && w->block % DIRECT_UNIT)
        return err_set(e, ERR_FAILED,
                       "workload \"%s\": direct I/O needs a block that is a multiple of %d bytes",
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

static void set_close(struct work *work) {
    struct fileset_work *f = (struct fileset_work *)work;
    for (int i = 0; i < f->n_jobs; i++) {
        fill_close(&f->jobs[i].fill);
        free(f->jobs[i].buffer);
        f->jobs[i].buffer = NULL;
    }
    if (f->source >= 0)
        close(f->source);
    f->source = -1;
}

static int open_job(struct fileset_work *f, const struct workload *w, int i, uint64_t seed,
                    struct err *e) {
    struct engine_job *job = &f->jobs[i];
    size_t buffer = (size_t)buffer_of(w);
    job->file = -1;
    job->random = fill_mix(seed + (uint64_t)i + 1);
    if (posix_memalign(&job->buffer, FILL_ALIGN, buffer) != 0)
        return err_set(e, ERR_FAILED, "no memory for a block of %zu bytes", buffer);
    memset(job->buffer, 0, buffer);
    return w->from ? 0 : fill_open(&job->fill, &w->data, f->plan.largest, block_of(w), seed, e);
}

static int set_open(struct arena *a, const struct workload *w, int64_t size, uint64_t seed,
                    struct work **work, struct err *e) {
    (void)size;
    if (check_spec(w, e) != 0)
        return -1;
    struct fileset_work *f = arena_new(a, struct fileset_work, 1);
    f->arena = a;
    f->source = -1;
    f->direct_flag = direct_flag;
    make_tag(w, f->tag);
    if (w->tree) {
        f->source = open(w->tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (f->source < 0)
            return err_sys(e, errno, "workload \"%s\": cannot open \"%s\"", w->name, w->tree->path);
    }
    fileset_plan(a, w, &f->plan);
    f->jobs = arena_new(a, struct engine_job, (size_t)w->jobs);
    for (; f->n_jobs < w->jobs; f->n_jobs++)
        if (open_job(f, w, f->n_jobs, seed, e) != 0) {
            f->n_jobs++;
            set_close(&f->work);
            return -1;
        }
    *work = &f->work;
    return 0;
}

/* ---- a phase --------------------------------------------------------------------------------- */

struct fileset_run fileset_run_of(struct fileset_work *f, const struct target *t, enum phase phase,
                                  const struct work_watch *watch) {
    const struct workload *w = f->work.spec;
    bool asked =
        w->direct && !f->work.direct_refused && (phase == PHASE_CREATE || phase == PHASE_READ);
    return (struct fileset_run){
        .run = {.engine = &engine_fileset,
                .jobs = f->jobs,
                .n_jobs = f->n_jobs,
                .writes = phases[phase].writes,
                .flush_each = w->flush == FLUSH_EACH && phases[phase].writes,
                .size = f->plan.total,
                .block = block_of(w),
                .most_ops = INT64_MAX,
                .stop = watch->stop,
                .progress = watch->progress},
        .plan = &f->plan,
        .phase = phase,
        .box = t->box,
        .source = f->source,
        .tag = f->tag,
        .letter = fileset_box(f, t)->state == BOX_RENAMED ? 'g' : 'f',
        .direct = asked ? f->direct_flag : 0,
    };
}

/* Merges the jobs into the iteration. Of several failures the first in time speaks. */
static void collect(struct fileset_work *f, struct target *t, const struct fileset_run *set,
                    struct iteration *it) {
    const struct engine_job *failed = NULL;
    bool stopped = false, writes = set->run.writes;
    hist_clear(&f->hist);
    it->started_at = set->run.started_at;
    it->duration = set->run.duration;
    for (int i = 0; i < f->n_jobs; i++) {
        const struct engine_job *job = &f->jobs[i];
        it->bytes += job->bytes;
        it->ops += job->ops;
        hist_merge(&f->hist, &job->hist);
        stopped |= job->stopped;
        if (job->what && (!failed || job->ended < failed->ended))
            failed = job;
    }
    it->read_bytes = writes ? 0 : it->bytes;
    it->read_ops = writes ? 0 : it->ops;
    if (f->hist.count > 0 && writes)
        it->write = &f->hist;
    else if (f->hist.count > 0)
        it->read = &f->hist;
    if (failed) {
        fileset_say(f, t, set->letter, failed->what, failed->where, failed->errnum, failed->why);
        it->errnum = failed->errnum;
        it->failed = f->why.text;
        return;
    }
    it->flush = set->run.flushed;
    it->status = stopped ? ITERATION_INTERRUPTED : ITERATION_OK;
}

static int add_allocated(void *context, int dir, const char *name, int64_t file) {
    int64_t *sum = context;
    struct stat st;
    (void)file;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    *sum += (int64_t)st.st_blocks * 512;
    return 0;
}

/* What lies there now, and what it takes on disk, which is known only once it is durable. */
static void settle(struct fileset_work *f, struct target *t, enum phase phase,
                   const struct fileset_run *set, struct iteration *it) {
    static const int after[PHASES] = {[PHASE_CREATE] = BOX_WHOLE, [PHASE_RENAME] = BOX_RENAMED};
    struct fileset_box *box = fileset_box(f, t);
    int64_t sum = 0;
    if (!set->run.writes)
        return;
    box->state = BOX_UNSEEN; /* after delete the directories are left */
    if (it->status != ITERATION_OK || !after[phase])
        return;
    box->state = after[phase];
    if (phase != PHASE_CREATE || f->work.spec->flush == FLUSH_NONE ||
        fileset_each(set, add_allocated, &sum) != 0)
        return;
    it->size = f->plan.total;
    it->allocated = sum;
}

static int set_run(struct work *work, struct target *t, enum phase phase,
                   const struct work_watch *watch, struct iteration *it, struct err *e) {
    struct fileset_work *f = (struct fileset_work *)work;
    struct stat st;
    if (t->box < 0 || fstat(t->box, &st) != 0 || st.st_nlink == 0)
        return err_set(e, ERR_FAILED, "target \"%s\" is gone", t->name);
    f->laid_out = 0;
    enum fileset_made made = fileset_prepare(f, t, phase, watch);
    struct fileset_run set = fileset_run_of(f, t, phase, watch);
    if (set.run.writes && work->spec->flush != FLUSH_NONE)
        set.run.flush = ENGINE_FLUSH_ALL;
    it->laid_out = f->laid_out;
    set.run.meter = watch->meter;
    set.run.trace = work->trace;
    if (made == FILESET_MADE && engine_run(&set.run, &f->why) == 0) {
        collect(f, t, &set, it);
        settle(f, t, phase, &set, it);
    } else if (made == FILESET_STOPPED) {
        it->status = ITERATION_INTERRUPTED;
    } else {
        it->errnum = f->why.code;
        it->failed = f->why.text;
    }
    if (it->status == ITERATION_INTERRUPTED)
        it->failed = "it was interrupted";
    return 0;
}

static int set_clean(struct work *work, struct target *t, struct err *e) {
    return t->box >= 0 ? fileset_remove((struct fileset_work *)work, t, e) : 0;
}

const struct work_kind_ops work_fileset = {
    .open = set_open,
    .close = set_close,
    .run = set_run,
    .clean = set_clean,
    .written = set_written,
    .layout_written = set_layout_written,
    .memory = set_memory,
    .space = set_space,
};
