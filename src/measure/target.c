/*
 * target.c: the directory under test: resolved once, guarded, entered, left, tidied.
 *
 * Two locks keep two zhists apart: one on the target directory itself while we are in it (not
 * every network file system has it), one on the mark of the box, which also tells a crashed run
 * from a living one. Nothing is touched here but boxes; what may be removed is decided in box.c.
 */
#include "zhist/target.h"

#include "box.h"
#include "fsys.h"
#include "keep.h"
#include "zhist/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- open ------------------------------------------------------------------------------------ */

static int refuse_open(const char *path, int errnum, struct err *e) {
    if (errnum == ENOENT)
        err_set(e, ERR_FAILED,
                "target \"%s\" does not exist; create it, or name another directory "
                "with --target",
                path);
    else if (errnum == ENOTDIR)
        err_set(e, ERR_FAILED, "target \"%s\" is not a directory; name one with --target", path);
    else if (errnum == EROFS && strstr(path, "/.zfs/snapshot/"))
        err_set(e, ERR_FAILED,
                "target \"%s\" lies in a snapshot, which nobody can write to; name a directory of "
                "the dataset itself with --target",
                path);
    else if (errnum == EROFS)
        err_set(e, ERR_FAILED,
                "target \"%s\" lies on a read-only file system; mount it read-write, or name "
                "another directory with --target",
                path);
    else if (errnum == EACCES || errnum == EPERM)
        err_set(e, ERR_FAILED,
                "target \"%s\" cannot be written by this user: permission denied; give it to the "
                "user, run as its owner, or name another directory with --target",
                path);
    else
        err_sys(e, errnum, "target \"%s\" cannot be used", path);
    e->code = errnum;
    return -1;
}

static int check_access(struct target *t) {
    struct statvfs room;
    struct stat st;
    if (fstat(t->dir, &st) != 0 || fstatvfs(t->dir, &room) != 0)
        return errno;
    if (room.f_flag & ST_RDONLY)
        return EROFS;
    if (faccessat(t->dir, ".", R_OK | W_OK | X_OK, AT_EACCESS) != 0)
        return errno;
    t->device = (uint64_t)st.st_dev;
    t->free_bytes = (int64_t)room.f_bavail * (int64_t)room.f_frsize;
    t->free_inodes = room.f_files ? (int64_t)room.f_favail : UNKNOWN;
    return 0;
}

int target_open(struct arena *a, const char *name, const char *path, struct target *t,
                struct err *e) {
    *t = (struct target){.dir = -1, .box = -1, .lock = -1};
    char *resolved = realpath(path, NULL);
    if (!resolved)
        return refuse_open(path, errno, e);
    t->path = arena_str(a, resolved);
    free(resolved);
    t->name = name ? arena_str(a, name) : t->path;
    t->dir = open(t->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int errnum = t->dir < 0 ? errno : check_access(t);
    if (errnum == 0)
        return 0;
    target_close(t);
    return refuse_open(t->path, errnum, e);
}

void target_close(struct target *t) {
    if (t->lock >= 0)
        close(t->lock);
    if (t->box >= 0)
        close(t->box);
    if (t->dir >= 0)
        close(t->dir);
    t->lock = t->box = t->dir = -1;
}

/* ---- all boxes of a target ------------------------------------------------------------------- */

struct names {
    char (*items)[BOX_NAME];
    size_t n, cap;
};

static int list_boxes(struct arena *a, const struct target *t, bool (*is)(const char *),
                      struct names *names, struct err *e) {
    int copy = openat(t->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    if (!entries) {
        int errnum = errno;
        if (copy >= 0)
            close(copy);
        return err_sys(e, errnum, "cannot list target \"%s\"", t->path);
    }
    for (struct dirent *d; (d = readdir(entries));)
        if (is(d->d_name)) {
            char(*slot)[BOX_NAME] = array_add(a, names->items, names->n, names->cap);
            snprintf(*slot, BOX_NAME, "%.*s", BOX_NAME - 1, d->d_name);
        }
    closedir(entries);
    return 0;
}

/* The pid of a living zhist in this target, 0 where its mark does not say it; -1: none lives. */
static long find_living(const struct target *t, const struct names *names) {
    long pid = -1;
    for (size_t i = 0; i < names->n && pid < 0; i++) {
        struct box box;
        if (box_look(t->dir, names->items[i], &box) == BOX_LIVE)
            pid = box.pid;
        box_release(&box);
    }
    return pid;
}

/* ---- enter and leave ------------------------------------------------------------------------- */

static int refuse_busy(const struct target *t, long pid, struct err *e) {
    if (pid == (long)getpid())
        return err_set(e, ERR_REFUSED, "target \"%s\" is in this run twice", t->path);
    if (pid > 0)
        return err_set(e, ERR_REFUSED,
                       "another zhist (pid %ld) measures target \"%s\"; wait for it", pid, t->path);
    return err_set(e, ERR_REFUSED, "another zhist, or a program that locks it, is in target \"%s\"",
                   t->path);
}

static int check_alone(struct arena *a, const struct target *t, int locked, struct err *e) {
    struct names names = {0};
    if (list_boxes(a, t, box_is_name, &names, e) != 0)
        return -1;
    long pid = find_living(t, &names);
    return pid >= 0 || locked == EWOULDBLOCK ? refuse_busy(t, pid, e) : 0;
}

/* The path must still lead to the directory that was opened and checked. */
static int check_same(const struct target *t, struct err *e) {
    struct stat now, then;
    if (stat(t->path, &now) != 0 || fstat(t->dir, &then) != 0)
        return err_sys(e, errno, "target \"%s\" is gone", t->path);
    if (now.st_dev != then.st_dev || now.st_ino != then.st_ino)
        return err_set(e, ERR_FAILED,
                       "target \"%s\" was replaced by another directory since it was "
                       "checked; nothing was written",
                       t->path);
    return 0;
}

static int make_box(struct target *t, struct err *e) {
    char name[BOX_NAME];
    box_name(t->uuid, name);
    if (mkdirat(t->dir, name, 0700) != 0)
        return err_sys(e, errno, "cannot create \"%s/%s\"", t->path, name);
    t->box = openat(t->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (t->box < 0) {
        err_sys(e, errno, "cannot open \"%s/%s\"", t->path, name);
        unlinkat(t->dir, name, AT_REMOVEDIR);
        return -1;
    }
    t->lock = box_mark(t->box, t->uuid);
    if (t->lock >= 0)
        return 0;
    err_sys(e, errno, "cannot create the mark in \"%s/%s\"", t->path, name);
    close(t->box);
    t->box = -1;
    unlinkat(t->dir, name, AT_REMOVEDIR);
    return -1;
}

int target_enter(struct arena *a, struct target *t, const char *uuid, struct err *e) {
    if (!box_is_uuid(uuid))
        return err_set(e, ERR_FAILED, "\"%s\" is not a UUID", uuid);
    t->uuid = arena_str(a, uuid);
    int locked = box_lock(t->dir);
    if (check_alone(a, t, locked, e) == 0 && check_same(t, e) == 0 && make_box(t, e) == 0)
        return 0;
    if (locked == 0)
        flock(t->dir, LOCK_UN);
    return -1;
}

int target_leave(struct target *t, struct err *e) {
    char name[BOX_NAME];
    struct err why;
    if (t->box < 0)
        return 0;
    box_name(t->uuid, name);
    int status = box_remove(t->dir, name, t->box, &why);
    if (status != 0) {
        err_set(e, ERR_FAILED, "target \"%s\": %s", t->path, why.text);
        e->code = why.code;
    }
    if (t->lock >= 0)
        close(t->lock);
    close(t->box);
    t->lock = t->box = -1;
    flock(t->dir, LOCK_UN);
    fsys_sync(t->dir); /* btrfs gives the room back only then, and what follows looks at it */
    return status;
}

/* ---- tidy and room --------------------------------------------------------------------------- */

static void remove_one(const struct target *t, const char *name, const char *what,
                       struct buf *said) {
    struct box box;
    struct err why = {0};
    enum box_state state = box_look(t->dir, name, &box);
    if (state == BOX_BARE) {
        if (box_remove_bare(t->dir, name, box.dir))
            buf_fmt(said, "removed \"%s/%s\", %s\n", t->path, name, what);
        else
            buf_fmt(said, "left \"%s/%s\" alone: it has no mark of zhist, but files in it\n", t->path,
                    name);
    } else if (state == BOX_DEAD) {
        if (box_remove(t->dir, name, box.dir, &why) == 0)
            buf_fmt(said, "removed \"%s/%s\", %s\n", t->path, name, what);
        else
            buf_fmt(said, "target \"%s\": %s\n", t->path, why.text);
    } else if (state != BOX_LIVE) {
        buf_fmt(said, "left \"%s/%s\" alone: %s\n", t->path, name, box.why);
    }
    box_release(&box);
}

int target_tidy(struct arena *a, struct target *t, struct buf *said, struct err *e) {
    struct names names = {0};
    char own[BOX_NAME] = "";
    bool inside = t->box >= 0;
    /* While another zhist starts here, its box may still be without a mark: not the moment. */
    int locked = inside ? 0 : box_lock(t->dir);
    if (locked == EWOULDBLOCK)
        return 0;
    if (inside)
        box_name(t->uuid, own);
    int status = list_boxes(a, t, box_is_name, &names, e);
    for (size_t i = 0; i < names.n; i++)
        if (strcmp(names.items[i], own))
            remove_one(t, names.items[i], "left by a run that crashed", said);
    if (!inside && locked == 0)
        flock(t->dir, LOCK_UN);
    return status;
}

int target_forget(struct arena *a, struct target *t, struct buf *said, struct err *e) {
    struct names names = {0};
    int locked = box_lock(t->dir);
    if (check_alone(a, t, locked, e) != 0)
        return -1;
    int status = list_boxes(a, t, keep_is_name, &names, e);
    for (size_t i = 0; i < names.n; i++)
        remove_one(t, names.items[i], "kept for a cold read", said);
    if (locked == 0)
        flock(t->dir, LOCK_UN);
    return status;
}

const char *target_room(struct arena *a, const struct target *t, int64_t bytes, int64_t files) {
    struct buf b = {0};
    if (bytes > t->free_bytes / 2) {
        buf_fmt(&b, "target \"%s\" has ", t->name);
        unit_put(&b, (double)t->free_bytes, "B", UNITS_IEC);
        buf_str(&b, " free: too little to write ");
        unit_put(&b, (double)bytes, "B", UNITS_IEC);
        buf_str(&b, " and keep as much again free");
    } else if (t->free_inodes != UNKNOWN && files > t->free_inodes / 2) {
        buf_fmt(&b,
                "target \"%s\" has room for %lld more files: too little to make %lld and keep "
                "as many again free",
                t->name, (long long)t->free_inodes, (long long)files);
    }
    const char *reason = b.len ? arena_str(a, b.data) : NULL;
    buf_release(&b);
    return reason;
}
