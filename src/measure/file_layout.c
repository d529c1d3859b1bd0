/*
 * file_layout.c: what the kind `file` has on a target: see file_layout.h.
 * Files are opened by descriptor inside the box, never through a link, and only where they are
 * what we made.
 */
#include "file_layout.h"

#include "direct.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_LEN = 32 };

static void file_name(const struct file_work *f, int job, char name[NAME_MAX_LEN]) {
    snprintf(name, NAME_MAX_LEN, "w%s-j%d", f->tag, job);
}

/* The sentence of a failure: what, where in which file, and the system's reason or ours. */
enum made file_say(struct file_work *f, const struct target *t, int job, const char *what,
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

int file_remove_all(struct file_work *f, struct target *t, struct err *e) {
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
        return file_say(f, t, job, what, UNKNOWN, errnum, NULL);
    }
    if (S_ISREG(st.st_mode) && st.st_nlink <= 1)
        return MADE;
    close(*file);
    *file = -1;
    return file_say(f, t, job, what, UNKNOWN, 0,
                    "it has another name as well, so it is not ours alone");
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
                return file_say(f, t, job, "write", offset, done < 0 ? errno : 0,
                                "nothing was written");
            data += done;
            offset += done;
            len -= done;
            f->laid_out += done;
        }
    }
    return fsync(file) == 0 ? MADE : file_say(f, t, job, "fsync", UNKNOWN, errno, NULL);
}

/* Writes what a phase needs to find. A file of another size is ours, but not whole: made anew. */
static enum made lay_out(struct file_work *f, struct target *t, int job,
                         const struct work_watch *watch) {
    char name[NAME_MAX_LEN];
    int file;
    file_name(f, job, name);
    if (unlinkat(t->box, name, 0) != 0 && errno != ENOENT)
        return file_say(f, t, job, "remove", UNKNOWN, errno, NULL);
    fill_begin(&f->jobs[job].fill, f->size, f->chunk);
    enum made made = open_file(f, t, job, O_WRONLY | O_CREAT | O_EXCL, &file);
    if (made != MADE)
        return made;
    made = write_out(f, t, job, file, watch);
    if (close(file) != 0 && made == MADE)
        return file_say(f, t, job, "close", UNKNOWN, errno, NULL);
    return made;
}

/* Asks the kernel to drop the file from its cache; clean pages only, hence the flush. */
static enum made make_cold(struct file_work *f, struct target *t, int job) {
    int file;
    enum made made = open_file(f, t, job, O_RDONLY, &file);
    if (made != MADE)
        return made;
    if (fsync(file) != 0)
        made = file_say(f, t, job, "fsync", UNKNOWN, errno, NULL);
    else
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED); /* a wish: what came of it is counted */
    close(file);
    return made;
}

/* What a job writes until it has been everywhere once. */
static int64_t bytes_of_pass(const struct file_work *f, enum phase phase) {
    int64_t bytes = phases[phase].random ? f->size / f->block * f->block : f->size;
    return phases[phase].reads ? (int64_t)((double)bytes * (1 - f->work.spec->mix_read)) : bytes;
}

/* Everything a phase needs, before its clock: files laid out, cold if asked, and open. */
enum made file_prepare(struct file_work *f, struct target *t, enum phase phase,
                       const struct work_watch *watch) {
    enum made made = MADE;
    int flags = !phases[phase].writes ? O_RDONLY : phases[phase].reads ? O_RDWR : O_WRONLY;
    bool cold = phases[phase].reads && f->work.spec->cold != COLD_NO;
    if (phase == PHASE_WRITE) {
        if (file_remove_all(f, t, &f->why) != 0)
            return MADE_FAILED;
        fsync(t->box); /* so that freeing the old files is not left for the clock */
        flags |= O_CREAT | O_EXCL;
    }
    for (int i = 0; i < f->n_jobs && made == MADE && phase != PHASE_WRITE; i++)
        if (!is_laid_out(f, t, i))
            made = lay_out(f, t, i, watch);
    for (int i = 0; i < f->n_jobs && made == MADE && cold; i++)
        made = make_cold(f, t, i);
    for (int i = 0; i < f->n_jobs && made == MADE; i++) {
        fill_begin(&f->jobs[i].fill, bytes_of_pass(f, phase), f->block);
        made = open_file(f, t, i, flags, &f->jobs[i].file);
    }
    return made;
}

void file_close_all(struct file_work *f, struct target *t, struct iteration *it) {
    for (int i = 0; i < f->n_jobs; i++) {
        int file = f->jobs[i].file;
        f->jobs[i].file = -1;
        if (file < 0 || close(file) == 0 || it->status != ITERATION_OK)
            continue;
        it->status = ITERATION_FAILED; /* a network file system tells late errors here */
        it->errnum = errno;
        file_say(f, t, i, "close", UNKNOWN, errno, NULL);
        it->failed = f->why.text;
    }
}
