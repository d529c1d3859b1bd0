/*
 * fileset_layout.c: what of a fileset lies on a target, and making it so before the clock.
 *
 * What was left in a box is remembered, not looked for: looking at each file would warm what a
 * phase is to find cold. Where nothing is remembered, everything of ours is removed and made anew.
 */
#include "fileset_layout.h"

#include "fsys.h"
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what lies there ------------------------------------------------------------------------- */

struct fileset_box *fileset_box(struct fileset_work *f, const struct target *t) {
    struct stat st = {0};
    fstat(t->box, &st);
    for (size_t i = 0; i < f->n_boxes; i++)
        if (f->boxes[i].device == st.st_dev && f->boxes[i].inode == st.st_ino)
            return &f->boxes[i];
    struct fileset_box *box = array_add(f->arena, f->boxes, f->n_boxes, f->cap_boxes);
    *box = (struct fileset_box){.device = st.st_dev, .inode = st.st_ino};
    return box;
}

void fileset_say(struct fileset_work *f, const struct target *t, char letter, const char *what,
                 int64_t where, int errnum, const char *why) {
    char name[FILESET_NAME] = "";
    struct buf path = {0};
    int64_t dir = where >= 0 ? fileset_dir_of(&f->plan, where) : -2 - where;
    buf_fmt(&path, "%s/.zhist-%s", t->path, t->uuid);
    if (where != UNKNOWN) {
        buf_str(&path, "/");
        fileset_dir_path(&f->plan, f->tag, dir, &path);
    }
    if (where >= 0) {
        fileset_file_name(name, letter, where);
        buf_fmt(&path, "/%s", name);
    }
    if (errnum)
        err_sys(&f->why, errnum, "%s of \"%s\"", what, path.data);
    else
        err_set(&f->why, ERR_FAILED, "%s of \"%s\": %s", what, path.data, why);
    buf_release(&path);
}

int fileset_remove(struct fileset_work *f, struct target *t, struct err *e) {
    struct fileset_box *box = fileset_box(f, t);
    int64_t tops = f->plan.tree ? 1 : f->plan.dirs;
    if (box->state == BOX_EMPTY)
        return 0;
    box->state = BOX_UNSEEN;
    for (int64_t d = 0; d < tops; d++) {
        struct sweep s = {0};
        struct buf name = {0};
        fileset_dir_path(&f->plan, f->tag, d, &name);
        sweep_set(t->box, name.data, &s);
        buf_release(&name);
        if (s.errnum)
            return err_sys(e, s.errnum, "cannot remove \"%s/.zhist-%s/%s\"", t->path, t->uuid,
                           s.stuck);
        if (s.strangers)
            return err_set(e, ERR_FAILED,
                           "\"%s/.zhist-%s/%s\" was not made by zhist, so it stays where it is",
                           t->path, t->uuid, s.stranger);
    }
    box->state = BOX_EMPTY;
    return 0;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int make_dir(const struct fileset_run *set, int64_t dir) {
    const struct fileset_plan *p = set->plan;
    struct buf path = {0};
    bool nested = p->tree && dir > 0;
    int parent = nested ? fileset_open_dir(set, p->tree->dir[dir].parent) : set->box;
    fileset_dir_path(p, set->tag, dir, &path);
    const char *name = nested ? strrchr(path.data, '/') + 1 : path.data;
    int status = parent < 0 ? -1 : mkdirat(parent, name, 0700), errnum = errno;
    if (nested && parent >= 0)
        close(parent);
    buf_release(&path);
    errno = errnum;
    return status;
}

static enum fileset_made failed(struct fileset_work *f, const struct target *t, const char *what,
                                int64_t where, int errnum) {
    fileset_say(f, t, 'f', what, where, errnum, NULL);
    return FILESET_FAILED;
}

static enum fileset_made make_dirs(struct fileset_work *f, struct target *t,
                                   const struct fileset_run *set) {
    fileset_box(f, t)->state = BOX_UNSEEN;
    for (int64_t d = 0; d < f->plan.dirs; d++)
        if (make_dir(set, d) != 0)
            return failed(f, t, "create", -2 - d, errno);
    return FILESET_MADE;
}

/* Real files are read once, so that the copy finds them in memory as far as they fit. What cannot
 * be read is told by the copy. */
static enum fileset_made warm_source(struct fileset_work *f, const struct work_watch *watch) {
    const struct fileset_tree *tree = f->plan.tree;
    for (int64_t d = 0; f->source >= 0 && d < tree->dirs; d++) {
        int dir =
            openat(f->source, tree->dir[d].path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        for (int64_t i = tree->dir[d].first; dir >= 0 && i < tree->dir[d + 1].first; i++) {
            int fd =
                openat(dir, tree->file[i].name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
            ssize_t got = 1;
            for (int64_t left = tree->file[i].size; fd >= 0 && left > 0 && got > 0; left -= got) {
                if (__atomic_load_n(watch->stop, __ATOMIC_RELAXED))
                    break;
                got = read(fd, f->jobs[0].buffer, FSYS_LISTING);
            }
            if (fd >= 0)
                close(fd);
        }
        if (dir >= 0)
            close(dir);
        if (__atomic_load_n(watch->stop, __ATOMIC_RELAXED))
            return FILESET_STOPPED;
    }
    return FILESET_MADE;
}

/* The files a phase needs to find, made as create makes them. */
static enum fileset_made lay_out(struct fileset_work *f, struct target *t,
                                 const struct work_watch *watch) {
    static struct work_progress unseen;
    struct work_watch quiet = {.stop = watch->stop, .progress = &unseen};
    struct fileset_run set = fileset_run_of(f, t, PHASE_CREATE, &quiet);
    bool stopped = false;
    set.run.flush_each = false;
    if (engine_run(&set.run, &f->why) != 0)
        return FILESET_FAILED;
    const struct engine_job *first = NULL;
    for (int i = 0; i < f->n_jobs; i++) {
        const struct engine_job *job = &f->jobs[i];
        f->laid_out += job->bytes;
        stopped |= job->stopped;
        if (job->what && (!first || job->ended < first->ended))
            first = job;
    }
    if (first) {
        fileset_say(f, t, 'f', first->what, first->where, first->errnum, first->why);
        return FILESET_FAILED;
    }
    if (stopped)
        return FILESET_STOPPED;
    fileset_box(f, t)->state = BOX_WHOLE;
    return FILESET_MADE;
}

/* ---- cold ------------------------------------------------------------------------------------ */

/* Asks the kernel to drop the file's data; what it knows of names and inodes stays. */
static int make_cold(void *context, int dir, const char *name, int64_t file) {
    const struct work_watch *watch = context;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    (void)file;
    if (fd < 0)
        return -1;
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); /* a wish: what came of it is counted */
    close(fd);
    return __atomic_load_n(watch->stop, __ATOMIC_RELAXED) ? 1 : 0;
}

static enum fileset_made make_all_cold(struct fileset_work *f, struct target *t,
                                       const struct work_watch *watch) {
    struct fileset_run set = fileset_run_of(f, t, PHASE_READ, watch);
    struct work_watch look = *watch;
    int status = fileset_each(&set, make_cold, &look);
    if (status > 0)
        return FILESET_STOPPED;
    return status == 0 ? FILESET_MADE : failed(f, t, "open of a file", UNKNOWN, errno);
}

/* Does this place take O_DIRECT at all? Asked with a file of our own, so that the loops need not
 * ask. Linux refuses only once the file has been made. */
static void try_direct(struct fileset_work *f, struct target *t, int flag) {
    char name[FILESET_NAME];
    snprintf(name, sizeof name, "w%s-j0", f->tag);
    int fd =
        openat(t->box, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | flag, 0600);
    f->work.direct_refused = flag == 0 || (fd < 0 && errno == EINVAL);
    if (fd >= 0)
        close(fd);
    unlinkat(t->box, name, 0);
}

/* ---- before a phase -------------------------------------------------------------------------- */

enum fileset_made fileset_prepare(struct fileset_work *f, struct target *t, enum phase phase,
                                  const struct work_watch *watch) {
    const struct workload *w = f->work.spec;
    enum fileset_made made = FILESET_MADE;
    struct fileset_box *box = fileset_box(f, t);
    bool create = phase == PHASE_CREATE;
    bool ready = !create &&
                 (box->state == BOX_WHOLE || (box->state == BOX_RENAMED && phase != PHASE_RENAME));
    if (w->direct)
        try_direct(f, t, f->direct_flag);
    if (!ready) {
        struct fileset_run set = fileset_run_of(f, t, PHASE_CREATE, watch);
        if (fileset_remove(f, t, &f->why) != 0)
            return FILESET_FAILED;
        made = make_dirs(f, t, &set);
        if (made == FILESET_MADE)
            made = warm_source(f, watch);
        if (made == FILESET_MADE && !create)
            made = lay_out(f, t, watch);
    }
    /* So that what was written or removed before is not left for the clock, or for the flush. */
    bool dirty = !ready || phases[phase].writes;
    if (made == FILESET_MADE && dirty && w->flush != FLUSH_NONE && fsys_sync(t->box) != 0)
        made = failed(f, t, "syncfs", UNKNOWN, errno);
    if (made == FILESET_MADE && phase == PHASE_READ && w->cold != COLD_NO) {
        if (fsys_sync(t->box) != 0) /* only clean pages are dropped */
            return failed(f, t, "syncfs", UNKNOWN, errno);
        made = make_all_cold(f, t, watch);
    }
    return made;
}
