/*
 * work_file.c: the kind `file`: one file a job, of a size, in blocks, in any pattern.
 *
 * What lies on a target is asked of the target each time (a file counts as laid out when it has
 * its size), so one workload can go back and forth between targets. Files are opened by
 * descriptor inside the box, never through a link, and only where they are what we made.
 * The last block of a sequential pass may be shorter; random patterns take whole blocks, each once.
 */
#include "direct.h"
#include "engine.h"
#include "kind.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME_MAX_LEN = 32,
    LAYOUT_CHUNK = 1 << 20,
    DIRECT_UNIT = 512, /* blocks asked for with direct; more may be needed, the kernel says */
    TAIL_UNIT = 4096,  /* with direct, files end on such a boundary */
};

struct file_work {
    struct work work;
    const struct engine *engine;
    int64_t size, block, chunk;
    struct engine_job *jobs;
    int n_jobs;
    char tag[9];      /* of the files' names */
    int64_t laid_out; /* bytes, for the phase at hand */
    struct hist hist; /* of all jobs */
    struct err why;   /* the sentence of a failed iteration */
};

static void file_name(const struct file_work *f, int job, char name[NAME_MAX_LEN]) {
    snprintf(name, NAME_MAX_LEN, "w%s-j%d", f->tag, job);
}

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
    return w->jobs * (fill_pool(size) + chunk + w->block);
}

static int64_t file_space(const struct workload *w, int64_t size, int64_t *files) {
    *files = has_files(w) ? w->jobs : 0;
    return has_files(w) ? all_jobs(w, cut_size(w, size)) : 0;
}

/* ---- open and close -------------------------------------------------------------------------- */

static int check_spec(const struct workload *w, int64_t size, struct err *e) {
    const char *data = fill_unsupported(&w->data);
    if (!engine_find(w->engine))
        return err_set(e, ERR_FAILED,
                       "workload \"%s\": engine \"%s\" is not built into this version; "
                       "use engine: psync",
                       w->name, engine_names[w->engine]);
    if (data)
        return err_set(e, ERR_FAILED, "workload \"%s\": %s is not built into this version", w->name,
                       data);
    if (w->depth > 1)
        return err_set(e, ERR_FAILED,
                       "workload \"%s\": engine \"%s\" keeps one operation in flight, not %d; "
                       "use depth: 1 and more jobs",
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
        fill_close(&f->jobs[i].fill);
        free(f->jobs[i].buffer);
        f->jobs[i].buffer = NULL;
    }
}

static int open_job(struct file_work *f, const struct workload *w, int i, uint64_t seed,
                    struct err *e) {
    struct engine_job *job = &f->jobs[i];
    job->file = -1;
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
    f->engine = engine_find(w->engine);
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

/* ---- files ----------------------------------------------------------------------------------- */

enum made { MADE, MADE_FAILED, MADE_STOPPED };

/* The sentence of a failure: what, where in which file, and the system's reason or ours. */
static enum made say(struct file_work *f, const struct target *t, int job, const char *what,
                     int64_t offset, int errnum, const char *why) {
    char name[NAME_MAX_LEN], at[48] = "";
    bool hint =
        errnum == EINVAL && offset != UNKNOWN && f->work.spec->direct && !f->work.direct_refused;
    file_name(f, job, name);
    if (offset != UNKNOWN)
        snprintf(at, sizeof at, " at offset %lld", (long long)offset);
    if (errnum)
        err_sys(&f->why, errnum, "%s%s of \"%s/.zhist-%s/%s\"%s", what, at, t->path, t->uuid, name,
                hint ? " (direct I/O of this block size does not suit this storage)" : "");
    else
        err_set(&f->why, ERR_FAILED, "%s%s of \"%s/.zhist-%s/%s\": %s", what, at, t->path, t->uuid,
                name, why);
    return MADE_FAILED;
}

static int remove_files(struct file_work *f, struct target *t, struct err *e) {
    for (int i = 0; i < f->n_jobs; i++) {
        char name[NAME_MAX_LEN];
        file_name(f, i, name);
        if (unlinkat(t->box, name, 0) != 0 && errno != ENOENT)
            return err_sys(e, errno, "cannot remove \"%s/.zhist-%s/%s\"", t->path, t->uuid, name);
    }
    return 0;
}

static enum made open_file(struct file_work *f, struct target *t, int job, int flags, int *file) {
    const char *what = flags & O_CREAT ? "create" : "open";
    int direct = f->work.spec->direct && !f->work.direct_refused ? direct_flag : 0;
    char name[NAME_MAX_LEN];
    struct stat st;

    file_name(f, job, name);
    if (f->work.spec->direct && direct == 0)
        f->work.direct_refused = true;
    flags |= O_NOFOLLOW | O_CLOEXEC;
    *file = openat(t->box, name, flags | direct, 0600);
    if (*file < 0 && errno == EINVAL && direct) {
        f->work.direct_refused = true;
        if (flags & O_EXCL) /* Linux refuses direct only once the file has been made */
            unlinkat(t->box, name, 0);
        *file = openat(t->box, name, flags, 0600);
    }
    if (*file < 0 || fstat(*file, &st) != 0) {
        int errnum = errno;
        if (*file >= 0)
            close(*file);
        *file = -1;
        return say(f, t, job, what, UNKNOWN, errnum, NULL);
    }
    if (S_ISREG(st.st_mode) && st.st_nlink <= 1)
        return MADE;
    close(*file);
    *file = -1;
    return say(f, t, job, what, UNKNOWN, 0, "it has another name as well, so it is not ours alone");
}

static bool is_laid_out(const struct file_work *f, const struct target *t, int job) {
    char name[NAME_MAX_LEN];
    struct stat st;
    file_name(f, job, name);
    return fstatat(t->box, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_size == f->size;
}

static enum made write_out(struct file_work *f, struct target *t, int job, int file,
                           const struct work_watch *watch) {
    for (int64_t offset = 0; offset < f->size;) {
        int64_t left = f->size - offset;
        int64_t len = left < f->chunk ? left : f->chunk;
        const char *data = fill_take(&f->jobs[job].fill, offset, len);
        if (__atomic_load_n(watch->stop, __ATOMIC_RELAXED))
            return MADE_STOPPED;
        while (len > 0) {
            ssize_t done = pwrite(file, data, (size_t)len, (off_t)offset);
            if (done < 0 && errno == EINTR)
                continue;
            if (done <= 0)
                return say(f, t, job, "write", offset, done < 0 ? errno : 0, "nothing was written");
            data += done;
            offset += done;
            len -= done;
            f->laid_out += done;
        }
    }
    return fsync(file) == 0 ? MADE : say(f, t, job, "fsync", UNKNOWN, errno, NULL);
}

/* Writes what a phase needs to find. A file of another size is ours, but not whole: made anew. */
static enum made lay_out(struct file_work *f, struct target *t, int job,
                         const struct work_watch *watch) {
    char name[NAME_MAX_LEN];
    int file;
    file_name(f, job, name);
    if (unlinkat(t->box, name, 0) != 0 && errno != ENOENT)
        return say(f, t, job, "remove", UNKNOWN, errno, NULL);
    enum made made = open_file(f, t, job, O_WRONLY | O_CREAT | O_EXCL, &file);
    if (made != MADE)
        return made;
    made = write_out(f, t, job, file, watch);
    if (close(file) != 0 && made == MADE)
        return say(f, t, job, "close", UNKNOWN, errno, NULL);
    return made;
}

/* Asks the kernel to drop the file from its cache; clean pages only, hence the flush. */
static enum made make_cold(struct file_work *f, struct target *t, int job) {
    int file;
    enum made made = open_file(f, t, job, O_RDONLY, &file);
    if (made != MADE)
        return made;
    if (fsync(file) != 0)
        made = say(f, t, job, "fsync", UNKNOWN, errno, NULL);
    else
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED); /* a wish: what came of it is counted */
    close(file);
    return made;
}

/* Everything a phase needs, before its clock: files laid out, cold if asked, and open. */
static enum made prepare(struct file_work *f, struct target *t, enum phase phase,
                         const struct work_watch *watch) {
    enum made made = MADE;
    int flags = phases[phase].writes ? O_WRONLY : O_RDONLY;
    bool cold = phases[phase].reads && f->work.spec->cold != COLD_NO;
    if (phase == PHASE_WRITE) {
        if (remove_files(f, t, &f->why) != 0)
            return MADE_FAILED;
        fsync(t->box); /* so that freeing the old files is not left for the clock */
        flags |= O_CREAT | O_EXCL;
    }
    for (int i = 0; i < f->n_jobs && made == MADE && phase != PHASE_WRITE; i++)
        if (!is_laid_out(f, t, i))
            made = lay_out(f, t, i, watch);
    for (int i = 0; i < f->n_jobs && made == MADE && cold; i++)
        made = make_cold(f, t, i);
    for (int i = 0; i < f->n_jobs && made == MADE; i++)
        made = open_file(f, t, i, flags, &f->jobs[i].file);
    return made;
}

static void close_files(struct file_work *f, struct target *t, struct iteration *it) {
    for (int i = 0; i < f->n_jobs; i++) {
        int file = f->jobs[i].file;
        f->jobs[i].file = -1;
        if (file < 0 || close(file) == 0 || it->status != ITERATION_OK)
            continue;
        it->status = ITERATION_FAILED; /* a network file system tells late errors here */
        it->errnum = errno;
        say(f, t, i, "close", UNKNOWN, errno, NULL);
        it->failed = f->why.text;
    }
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
    it->started_at = run->started_at;
    it->duration = run->duration;
    for (int i = 0; i < f->n_jobs; i++) {
        const struct engine_job *job = &f->jobs[i];
        it->bytes += job->bytes;
        it->ops += job->ops;
        hist_merge(&f->hist, &job->hist);
        stopped |= job->stopped;
        if (job->what && (failed < 0 || job->ended < f->jobs[failed].ended))
            failed = i;
    }
    if (f->hist.count > 0 && run->writes)
        it->write = &f->hist;
    else if (f->hist.count > 0)
        it->read = &f->hist;
    if (failed >= 0) {
        const struct engine_job *job = &f->jobs[failed];
        say(f, t, failed, job->what, job->where, job->errnum, job->why);
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
        .writes = phases[phase].writes,
        .random = phases[phase].random,
        .flush_each = work->spec->flush == FLUSH_EACH,
        .flush = flush_of(work->spec, phase),
        .size = f->size,
        .block = f->block,
        .time = work->spec->time,
        .most_ops = most_ops(f, watch),
        .stop = watch->stop,
        .progress = watch->progress,
    };
    struct stat st;
    if (f->engine->files && (t->box < 0 || fstat(t->box, &st) != 0 || st.st_nlink == 0))
        return err_set(e, ERR_FAILED, "target \"%s\" is gone", t->name);
    f->laid_out = 0;
    enum made made = f->engine->files ? prepare(f, t, phase, watch) : MADE;
    it->laid_out = f->laid_out;
    if (made == MADE && engine_run(&run, &f->why) == 0) {
        collect(f, t, &run, it);
    } else if (made == MADE_STOPPED) {
        it->status = ITERATION_INTERRUPTED;
    } else {
        it->errnum = f->why.code;
        it->failed = f->why.text;
    }
    close_files(f, t, it);
    if (it->status == ITERATION_INTERRUPTED)
        it->failed = "it was interrupted";
    return 0;
}

static int file_clean(struct work *work, struct target *t, struct err *e) {
    struct file_work *f = (struct file_work *)work;
    return t->box >= 0 && f->engine->files ? remove_files(f, t, e) : 0;
}

const struct work_kind_ops work_file = {
    .open = file_open,
    .close = file_close,
    .run = file_run,
    .clean = file_clean,
    .written = file_written,
    .layout_written = file_layout_written,
    .memory = file_memory,
    .space = file_space,
};
