/*
 * fileset_ops.c: the loops of the kind `fileset`: one operation in flight a job, its latency
 * timed, each file reached by its short name in a directory that is open.
 *
 * A job takes its share of the files directory by directory: files are created in their order; all
 * else takes those of a directory in an order that looks random, new each time, as programs meet
 * files that walk directories (most file systems list by hash). Opening a directory, making a
 * name and preparing data are part of the duration; of the latency only what is said at the loop.
 */
#include "fileset.h"

#include "fsys.h"
#include "loop.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECT_TAIL = 4096 }; /* what is no multiple of it is written through the cache */

/* Where a job is. */
struct place {
    struct engine_job *job;
    const struct fileset_run *set;
    int dir, source; /* descriptors: the directory, and the real one that is copied or -1 */
    int64_t file;
    int64_t aside; /* ns of the operation that are not its own: data was prepared */
    char name[FILESET_NAME];
};

enum { DONE = 0, FAILED = -1, STOPPED = 1 };

static const struct fileset_run *set_of(const struct engine_job *job) {
    return (const struct fileset_run *)job->run;
}

static bool is_stopped(const struct engine_run *run) {
    return __atomic_load_n(run->stop, __ATOMIC_RELAXED) ||
           atomic_load_explicit(&run->broken, memory_order_relaxed);
}

static __attribute__((noinline)) int failed(struct engine_job *job, const char *what, int errnum,
                                            const char *why) {
    job->what = what;
    job->errnum = errnum;
    job->why = why;
    return FAILED;
}

static int sync_fd(struct engine_job *job, int fd, const char *what) {
    while (fsync(fd) != 0)
        if (errno != EINTR)
            return failed(job, what, errno, NULL);
    return DONE;
}

/* ---- names and directories ------------------------------------------------------------------- */

void fileset_file_name(char name[FILESET_NAME], char letter, int64_t file) {
    char digits[20];
    int n = 0, at = 1;
    do
        digits[n++] = (char)('0' + file % 10);
    while ((file /= 10) > 0);
    name[0] = letter;
    while (n > 0)
        name[at++] = digits[--n];
    name[at] = '\0';
}

static void dir_name(const struct fileset_plan *p, const char *tag, int64_t dir,
                     char name[FILESET_NAME]) {
    if (p->tree && dir > 0)
        snprintf(name, FILESET_NAME, "d%lld", (long long)dir);
    else
        snprintf(name, FILESET_NAME, "w%s-d%lld", tag, (long long)dir);
}

void fileset_dir_path(const struct fileset_plan *p, const char *tag, int64_t dir,
                      struct buf *path) {
    char name[FILESET_NAME];
    if (p->tree && dir > 0) {
        fileset_dir_path(p, tag, p->tree->dir[dir].parent, path);
        buf_str(path, "/");
    }
    dir_name(p, tag, dir, name);
    buf_str(path, name);
}

int fileset_open_dir(const struct fileset_run *set, int64_t dir) {
    char name[FILESET_NAME];
    const struct fileset_plan *p = set->plan;
    bool nested = p->tree && dir > 0;
    int parent = nested ? fileset_open_dir(set, p->tree->dir[dir].parent) : set->box;
    if (parent < 0)
        return -1;
    dir_name(p, set->tag, dir, name);
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int errnum = errno;
    if (nested)
        close(parent);
    errno = errnum;
    return fd;
}

int fileset_each(const struct fileset_run *set,
                 int (*visit)(void *context, int dir, const char *name, int64_t file),
                 void *context) {
    const struct fileset_plan *p = set->plan;
    char name[FILESET_NAME];
    int status = 0;
    for (int64_t d = 0; d < p->dirs && status == 0; d++) {
        int64_t end = fileset_first(p, d + 1);
        int dir = fileset_open_dir(set, d);
        if (dir < 0)
            return -1;
        for (int64_t file = fileset_first(p, d); file < end && status == 0; file++) {
            fileset_file_name(name, set->letter, file);
            status = visit(context, dir, name, file);
        }
        close(dir);
    }
    return status;
}

/* ---- create ---------------------------------------------------------------------------------- */

/* The next bytes of the real file. What it is longer than it was is not copied. */
static int copy_in(struct place *p, int *from, int64_t offset, int64_t len) {
    char *at = p->job->buffer;
    if (*from < 0) {
        const char *name = p->set->plan->tree->file[p->file].name;
        *from = openat(p->source, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (*from < 0)
            return failed(p->job, "open of the original", errno, NULL);
    }
    while (len > 0) {
        ssize_t done = pread(*from, at, (size_t)len, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return failed(p->job, "read of the original", done < 0 ? errno : 0,
                          "it became shorter");
        at += done;
        len -= done;
        offset += done;
    }
    return DONE;
}

/* What is written next, NULL when that failed; the time it takes is not the operation's. */
LOOP_INLINE const char *prepare(struct place *p, int *from, int64_t offset, int64_t len) {
    int64_t begun = loop_clock();
    const char *data = p->job->buffer;
    if (p->source < 0)
        data = fill_take(&p->job->fill, offset, len);
    else if (copy_in(p, from, offset, len) != DONE)
        data = NULL;
    p->aside += loop_clock() - begun;
    return data;
}

static int write_all(struct place *p, int fd, const char *data, int64_t len) {
    while (len > 0) {
        ssize_t done = write(fd, data, (size_t)len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return failed(p->job, "write", done < 0 ? errno : 0, "nothing was written");
        data += done;
        len -= done;
    }
    return DONE;
}

/* With direct the end of a file that is no whole unit goes through the cache, as dd does it. */
static int64_t cut_direct(int fd, int64_t len, bool *direct) {
    if (len % DIRECT_TAIL == 0 || !*direct)
        return len;
    if (len > DIRECT_TAIL)
        return len - len % DIRECT_TAIL;
    *direct = false;
    fcntl(fd, F_SETFL, 0);
    return len;
}

static int fill_file(struct place *p, int fd, int *from) {
    const struct engine_run *run = p->job->run;
    int64_t size = fileset_size(p->set->plan, p->file), len;
    bool direct = p->set->direct != 0;
    for (int64_t offset = 0; offset < size; offset += len) {
        len = size - offset < run->block ? size - offset : run->block;
        if (LOOP_UNLIKELY(direct))
            len = cut_direct(fd, len, &direct);
        const char *data = prepare(p, from, offset, len);
        if (!data || write_all(p, fd, data, len) != DONE)
            return FAILED;
        if (LOOP_UNLIKELY(offset + len < size && is_stopped(run)))
            return STOPPED;
    }
    return run->flush_each ? sync_fd(p->job, fd, "fsync") : DONE;
}

static int create_file(struct place *p) {
    int from = -1;
    int fd = openat(p->dir, p->name,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | p->set->direct, 0600);
    if (LOOP_UNLIKELY(fd < 0))
        return failed(p->job, "create", errno, NULL);
    int status = fill_file(p, fd, &from);
    if (LOOP_UNLIKELY(close(fd) != 0 && status == DONE))
        status = failed(p->job, "close", errno, NULL);
    if (from >= 0) {
        int64_t begun = loop_clock();
        close(from);
        p->aside += loop_clock() - begun;
    }
    return status;
}

/* ---- the other operations on a file ---------------------------------------------------------- */

static int read_file(struct place *p) {
    const struct engine_run *run = p->job->run;
    int64_t size = fileset_size(p->set->plan, p->file), got = 0;
    int status = DONE,
        fd = openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | p->set->direct);
    if (LOOP_UNLIKELY(fd < 0))
        return failed(p->job, "open", errno, NULL);
    do {
        ssize_t done = read(fd, p->job->buffer, (size_t)run->block);
        if (LOOP_UNLIKELY(done < 0 && errno == EINTR))
            continue;
        if (LOOP_UNLIKELY(done < 0 || (done == 0 && got < size)))
            status = failed(p->job, "read", done < 0 ? errno : 0,
                            "the file is shorter than it was written");
        else
            got += done;
        if (LOOP_UNLIKELY(status == DONE && got < size && is_stopped(run)))
            status = STOPPED;
    } while (status == DONE && got < size);
    if (LOOP_UNLIKELY(status == DONE && got > size))
        status = failed(p->job, "read", 0, "the file is longer than it was written");
    close(fd);
    return status;
}

static int stat_file(struct place *p) {
    struct stat st;
    if (LOOP_UNLIKELY(fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0))
        return failed(p->job, "stat", errno, NULL);
    if (LOOP_UNLIKELY((int64_t)st.st_size != fileset_size(p->set->plan, p->file)))
        return failed(p->job, "stat", 0, "its size is not what was written");
    return DONE;
}

static int rename_file(struct place *p) {
    char to[FILESET_NAME];
    fileset_file_name(to, 'g', p->file);
    if (LOOP_UNLIKELY(renameat(p->dir, p->name, p->dir, to) != 0))
        return failed(p->job, "rename", errno, NULL);
    return p->job->run->flush_each ? sync_fd(p->job, p->dir, "fsync of the directory") : DONE;
}

static int delete_file(struct place *p) {
    if (LOOP_UNLIKELY(unlinkat(p->dir, p->name, 0) != 0))
        return failed(p->job, "delete", errno, NULL);
    return p->job->run->flush_each ? sync_fd(p->job, p->dir, "fsync of the directory") : DONE;
}

/* ---- the loop over a job's files ------------------------------------------------------------- */

struct pace {
    int64_t now, mark, told_bytes, told_ops, bytes, ops;
};

static void tell(struct engine_job *job, struct pace *t) {
    loop_tell(job->run->progress, t->bytes - t->told_bytes, t->ops - t->told_ops);
    t->told_bytes = t->bytes;
    t->told_ops = t->ops;
    t->mark = t->now + LOOP_MARK_NS;
}

static void break_off(struct engine_job *job, int64_t where, int status) {
    if (status == STOPPED) {
        job->stopped = true;
        return;
    }
    job->where = where;
    atomic_store_explicit(&job->run->broken, true, memory_order_relaxed);
}

/* The files of one directory. The end of an operation is the start of the next one; of what lies
 * between them a name is made, some ns, and what `aside` counts is taken off. */
LOOP_INLINE int one_dir(struct place *p, struct pace *t, int64_t low, int64_t high,
                        int (*operation)(struct place *), bool shuffled, bool moves) {
    struct engine_job *job = p->job;
    uint64_t state = job->random;
    struct loop_order order = {.n = (uint64_t)(high - low)};
    if (shuffled)
        loop_shuffle(&order, &state);
    for (int64_t i = low; i < high; i++) {
        if (LOOP_UNLIKELY(is_stopped(job->run)))
            return STOPPED;
        p->file = shuffled ? low + loop_pick(&order, &state) : i;
        fileset_file_name(p->name, p->set->letter, p->file);
        p->aside = 0;
        int status = operation(p);
        int64_t end = loop_clock();
        if (LOOP_UNLIKELY(status != DONE)) {
            t->now = end;
            return status;
        }
        hist_add(&job->hist, end - t->now - p->aside);
        t->now = end;
        t->ops++;
        if (moves)
            t->bytes += fileset_size(p->set->plan, p->file);
        if (LOOP_UNLIKELY(end >= t->mark))
            tell(job, t);
    }
    job->random = state;
    return DONE;
}

static int enter(struct place *p, int64_t dir) {
    p->dir = fileset_open_dir(p->set, dir);
    p->source = -1;
    if (p->dir < 0)
        return failed(p->job, "open of the directory", errno, NULL);
    if (p->set->source < 0 || p->set->phase != PHASE_CREATE)
        return DONE;
    p->source = openat(p->set->source, p->set->plan->tree->dir[dir].path,
                       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return p->source >= 0 ? DONE : failed(p->job, "open of the original's directory", errno, NULL);
}

static void leave(struct place *p) {
    if (p->dir >= 0)
        close(p->dir);
    if (p->source >= 0)
        close(p->source);
}

/* The job's share: files one after the other, so that two jobs meet in no more than the
 * directories at the ends of their shares. */
static int64_t share_of(const struct engine_job *job, int64_t n, int more) {
    return n * (job - job->run->jobs + more) / job->run->n_jobs;
}

LOOP_INLINE void walk(struct engine_job *job, int (*operation)(struct place *), bool shuffled,
                      bool moves) {
    struct place p = {.job = job, .set = set_of(job), .dir = -1, .source = -1};
    const struct fileset_plan *plan = p.set->plan;
    int64_t file = share_of(job, plan->files, 0), end = share_of(job, plan->files, 1);
    struct pace t = {.now = loop_clock()};
    int status = DONE;
    job->started = t.now;
    t.mark = t.now + LOOP_MARK_NS;
    for (int64_t d = file < end ? fileset_dir_of(plan, file) : 0; file < end; d++) {
        int64_t high = fileset_first(plan, d + 1) < end ? fileset_first(plan, d + 1) : end;
        p.file = file;
        status = high > file ? enter(&p, d) : DONE;
        t.now = loop_clock();
        if (status == DONE && high > file)
            status = one_dir(&p, &t, file, high, operation, shuffled, moves);
        leave(&p);
        p.dir = p.source = -1;
        if (status != DONE)
            break;
        file = high;
    }
    if (status != DONE)
        break_off(job, p.file, status);
    tell(job, &t);
    job->ended = t.now;
    job->bytes = t.bytes;
    job->ops = t.ops;
}

/* ---- list ------------------------------------------------------------------------------------ */

/* Entries a directory must have: its files, and the directories in it. */
static int64_t entries_of(const struct fileset_plan *p, int64_t dir, int64_t *child) {
    int64_t entries = fileset_first(p, dir + 1) - fileset_first(p, dir);
    if (!p->tree)
        return entries;
    /* Breadth first: the children of a directory stand together, behind those of the one before. */
    while (*child < p->dirs && p->tree->dir[*child].parent < dir)
        ++*child;
    for (; *child < p->dirs && p->tree->dir[*child].parent == dir; ++*child)
        entries++;
    return entries;
}

/* An operation is a directory, open to end. What is counted as done is the files in it. */
static void list(struct engine_job *job) {
    const struct fileset_run *set = set_of(job);
    const struct fileset_plan *plan = set->plan;
    int64_t dir = share_of(job, plan->dirs, 0), end = share_of(job, plan->dirs, 1), child = 1;
    struct pace t = {.now = loop_clock()};
    job->started = t.now;
    t.mark = t.now + LOOP_MARK_NS;
    for (; dir < end; dir++) {
        if (is_stopped(job->run)) {
            job->stopped = true;
            break;
        }
        int64_t want = entries_of(plan, dir, &child);
        int fd = fileset_open_dir(set, dir);
        int64_t got = fd < 0 ? -1 : fsys_count(fd, job->buffer);
        int errnum = errno;
        if (fd >= 0)
            close(fd);
        int64_t now = loop_clock();
        if (got != want) {
            failed(job, fd < 0 ? "open" : "list", got < 0 ? errnum : 0,
                   "it has not as many entries as were made in it");
            t.now = now;
            break_off(job, -2 - dir, FAILED);
            break;
        }
        hist_add(&job->hist, now - t.now);
        t.now = now;
        t.ops += fileset_first(plan, dir + 1) - fileset_first(plan, dir);
        if (now >= t.mark)
            tell(job, &t);
    }
    tell(job, &t);
    job->ended = t.now;
    job->bytes = 0;
    job->ops = t.ops;
}

/* ---- the engine ------------------------------------------------------------------------------ */

static void fileset_loop(struct engine_job *job) {
    switch (set_of(job)->phase) {
    case PHASE_CREATE:
        walk(job, create_file, false, true);
        break;
    case PHASE_READ:
        walk(job, read_file, true, true);
        break;
    case PHASE_STAT:
        walk(job, stat_file, true, false);
        break;
    case PHASE_RENAME:
        walk(job, rename_file, true, false);
        break;
    case PHASE_DELETE:
        walk(job, delete_file, true, false);
        break;
    default:
        list(job);
    }
}

/* flush: each has left the directories; for all else one call makes the file system durable. */
static void fileset_flush(struct engine_job *job) {
    const struct fileset_run *set = set_of(job);
    const struct fileset_plan *plan = set->plan;
    int64_t file = share_of(job, plan->files, 0), end = share_of(job, plan->files, 1);
    if (!job->run->flush_each) {
        if (job == job->run->jobs && fsys_sync(set->box) != 0)
            failed(job, "syncfs of the file system", errno, NULL);
        job->flushed = loop_clock();
        return;
    }
    for (int64_t d = file < end ? fileset_dir_of(plan, file) : 0; file < end && !job->what; d++) {
        int dir = fileset_open_dir(set, d);
        job->where = file;
        if (dir < 0)
            failed(job, "open of the directory", errno, NULL);
        else
            sync_fd(job, dir, "fsync of the directory");
        if (dir >= 0)
            close(dir);
        file = fileset_first(plan, d + 1);
    }
    job->flushed = loop_clock();
}

const struct engine engine_fileset = {.files = true, .loop = fileset_loop, .flush = fileset_flush};
