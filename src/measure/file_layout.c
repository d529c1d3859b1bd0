/*
 * file_layout.c: what the kind `file` has on a target: see file_layout.h.
 * Files are opened by descriptor inside the box, never through a link, and only where they are
 * what we made.
 */
#include "file_layout.h"

#include "cold.h"
#include "direct.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void file_name(const struct file_work *f, int job, char name[FILE_NAME_LEN]) {
    snprintf(name, FILE_NAME_LEN, "w%s-j%d", f->tag, job);
}

void file_use_own(struct file_work *f, const struct target *t) {
    f->dir = t->box;
    box_name(t->uuid, f->box);
}

/* The sentence of a failure: what, where in which file, and the system's reason or ours. */
enum made file_say(struct file_work *f, const struct target *t, int job, const char *what,
                   int64_t offset, int errnum, const char *why) {
    char name[FILE_NAME_LEN], at[48] = "";
    bool hint =
        errnum == EINVAL && offset != UNKNOWN && f->work.spec->direct && !f->work.direct_refused;
    file_name(f, job, name);
    if (offset != UNKNOWN)
        snprintf(at, sizeof at, " at offset %lld", (long long)offset);
    if (errnum)
        err_sys(&f->why, errnum, "%s%s of \"%s/%s/%s\"%s", what, at, t->path, f->box, name,
                hint ? " (direct I/O of this block size does not suit this storage; try a "
                       "multiple of 4 KiB)"
                     : "");
    else
        err_set(&f->why, ERR_FAILED, "%s%s of \"%s/%s/%s\": %s", what, at, t->path, f->box, name,
                why);
    return MADE_FAILED;
}

static int remove_all(struct file_work *f, struct target *t, struct err *e) {
    for (int i = 0; i < f->n_jobs; i++) {
        char name[FILE_NAME_LEN];
        file_name(f, i, name);
        if (unlinkat(t->box, name, 0) != 0 && errno != ENOENT)
            return err_sys(e, errno, "cannot remove \"%s/%s/%s\"", t->path, f->box, name);
    }
    return 0;
}

/* ---- open ------------------------------------------------------------------------------------ */

/* With O_DIRECT, else without it where it is refused: then the cache is used, and that is told. */
static int open_direct(struct file_work *f, const char *name, int flags) {
    if (!direct_flag || f->work.direct_refused) {
        f->work.direct_refused = true;
        return openat(f->dir, name, flags, 0600);
    }
    int file = openat(f->dir, name, flags | direct_flag, 0600);
    if (file >= 0 ? direct_unit(file) != 0 : errno != EINVAL)
        return file;
    if (file >= 0)
        close(file);
    f->work.direct_refused = true;
    /* Linux refuses direct only once the file has been made. */
    if (flags & O_EXCL && unlinkat(f->dir, name, 0) != 0 && errno != ENOENT)
        return -1;
    return openat(f->dir, name, flags, 0600);
}

/* A block that the kernel says will not do is refused before anything is written or read: by the
 * cache it would be another measurement than the one that was asked for. */
static enum made check_direct(struct file_work *f, const struct target *t, int job, int file) {
    int64_t unit = f->work.spec->direct && !f->work.direct_refused ? direct_unit(file) : UNKNOWN;
    char why[160];
    if (unit <= 0 || (f->block % unit == 0 && f->size % unit == 0))
        return MADE;
    snprintf(why, sizeof why,
             "direct I/O needs a %s that is a multiple of %lld bytes here, not %lld; change it, or "
             "use direct: false",
             f->block % unit ? "block" : "size", (long long)unit,
             (long long)(f->block % unit ? f->block : f->size));
    return file_say(f, t, job, "open", UNKNOWN, 0, why);
}

static enum made open_file(struct file_work *f, struct target *t, int job, int flags, int *file) {
    const char *what = flags & O_CREAT ? "create" : "open";
    enum made made = MADE;
    char name[FILE_NAME_LEN];
    struct stat st;

    file_name(f, job, name);
    flags |= O_NOFOLLOW | O_CLOEXEC;
    *file = f->work.spec->direct ? open_direct(f, name, flags) : openat(f->dir, name, flags, 0600);
    if (*file < 0 || fstat(*file, &st) != 0)
        made = file_say(f, t, job, what, UNKNOWN, errno, NULL);
    else if (!S_ISREG(st.st_mode) || st.st_nlink > 1)
        made = file_say(f, t, job, what, UNKNOWN, 0,
                        "it has another name as well, so it is not ours alone");
    else
        made = check_direct(f, t, job, *file);
    if (made != MADE && *file >= 0) {
        close(*file);
        *file = -1;
    }
    return made;
}

bool file_is_whole(const struct file_work *f, int dir, int job) {
    char name[FILE_NAME_LEN];
    struct stat st;
    file_name(f, job, name);
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_size == f->size;
}

/* ---- lay out --------------------------------------------------------------------------------- */

static enum made write_out(struct file_work *f, struct target *t, int job, int file,
                           const volatile int *stop) {
    for (int64_t offset = 0; offset < f->size;) {
        int64_t left = f->size - offset;
        int64_t len = left < f->chunk ? left : f->chunk;
        const char *data = fill_take(&f->jobs[job].fill, offset, len);
        if (__atomic_load_n(stop, __ATOMIC_RELAXED))
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
static enum made lay_out(struct file_work *f, struct target *t, int job, const volatile int *stop) {
    char name[FILE_NAME_LEN];
    int file;
    file_name(f, job, name);
    if (unlinkat(t->box, name, 0) != 0 && errno != ENOENT)
        return file_say(f, t, job, "remove", UNKNOWN, errno, NULL);
    fill_begin(&f->jobs[job].fill, f->size, f->chunk);
    enum made made = open_file(f, t, job, O_WRONLY | O_CREAT | O_EXCL, &file);
    if (made != MADE)
        return made;
    made = write_out(f, t, job, file, stop);
    if (close(file) != 0 && made == MADE)
        return file_say(f, t, job, "close", UNKNOWN, errno, NULL);
    return made;
}

enum made file_lay_out(struct file_work *f, struct target *t, const volatile int *stop) {
    enum made made = MADE;
    for (int i = 0; i < f->n_jobs && made == MADE; i++)
        if (!file_is_whole(f, f->dir, i))
            made = lay_out(f, t, i, stop);
    return made;
}

/* ---- a phase --------------------------------------------------------------------------------- */

static enum made make_cold(struct file_work *f, struct target *t, const struct work_watch *watch) {
    enum made made = MADE;
    int file;
    for (int i = 0; i < f->n_jobs && made == MADE; i++) {
        made = open_file(f, t, i, O_RDONLY, &file);
        if (made != MADE)
            break;
        if (cold_forget(file) != 0)
            made = file_say(f, t, i, "fsync", UNKNOWN, errno, NULL);
        close(file);
    }
    cold_note(&f->work, "fadvise", NULL);
    cold_drop_caches(&f->work, watch);
    return made;
}

/* What a job writes until it has been everywhere once. */
static int64_t bytes_of_pass(const struct file_work *f, enum phase phase) {
    int64_t bytes = phases[phase].random ? f->size / f->block * f->block : f->size;
    return phases[phase].reads ? (int64_t)((double)bytes * (1 - f->work.spec->mix_read)) : bytes;
}

enum made file_prepare(struct file_work *f, struct target *t, const struct work_watch *watch,
                       const struct iteration *it) {
    enum made made = MADE;
    enum phase phase = it->phase;
    int flags = !phases[phase].writes ? O_RDONLY : phases[phase].reads ? O_RDWR : O_WRONLY;
    bool cold = phases[phase].reads && f->work.spec->cold != COLD_NO;
    f->stop = watch->stop;
    f->why = (struct err){0};
    file_use_own(f, t);
    if (phase == PHASE_WRITE) {
        if (remove_all(f, t, &f->why) != 0)
            return MADE_FAILED;
        fsync(t->box); /* so that freeing the old files is not left for the clock */
        flags |= O_CREAT | O_EXCL;
    } else if (phases[phase].reads) {
        file_use_kept(f, t, it);
    }
    if (phase != PHASE_WRITE && f->dir == t->box)
        made = file_lay_out(f, t, watch->stop);
    if (made == MADE && cold)
        made = make_cold(f, t, watch);
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
    box_release(&f->kept_box);
}

int file_finish(struct file_work *f, struct target *t, struct err *e) {
    file_use_own(f, t);
    file_renew_kept(f, t);
    return remove_all(f, t, e);
}
