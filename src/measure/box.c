/*
 * box.c: recognising, marking, locking and removing the directories of box.h.
 *
 * It must not remove what zhist did not make: what in it is ours is decided in sweep.c; links,
 * second names of other files and strangers stay and keep the box.
 */
#include "box.h"

#include "sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".zhist-"
#define MARK ".zhist-mark"
#define MARK_TEXT "zhist %s pid %ld\n"

enum { UUID_LEN = 36, MARK_MAX = 128 };

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool box_is_uuid(const char *text) {
    for (int i = 0; i < UUID_LEN; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !is_hex(text[i]))
            return false;
    }
    return text[UUID_LEN] == '\0';
}

bool box_is_name(const char *name) {
    return !strncmp(name, PREFIX, strlen(PREFIX)) && box_is_uuid(name + strlen(PREFIX));
}

void box_name(const char *uuid, char name[BOX_NAME]) {
    snprintf(name, BOX_NAME, PREFIX "%s", uuid);
}

/* ---- marks and locks ------------------------------------------------------------------------- */

int box_lock(int fd) {
    while (flock(fd, LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno == EAGAIN ? EWOULDBLOCK : errno;
    return 0;
}

int box_mark(int dir, const char *uuid) {
    char text[MARK_MAX];
    struct stat st;
    int fd = openat(dir, MARK, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    /* Locked before it says whose it is: nobody finds it free and ours. Where locks do not work
     * it stays unlocked, and nobody else can take it for dead either. */
    box_lock(fd);
    int len = snprintf(text, sizeof text, MARK_TEXT, uuid, (long)getpid());
    ssize_t done = write(fd, text, (size_t)len);
    int errnum = done < 0 ? errno : done < len ? ENOSPC : 0;
    if (errnum == 0 && (fstat(fd, &st) != 0 || st.st_nlink == 0))
        errnum = ENOENT; /* tidied away under our hands */
    if (errnum == 0) {
        fsync(fd); /* so that a power cut leaves a box that can be recognised */
        return fd;
    }
    unlinkat(dir, MARK, 0);
    close(fd);
    errno = errnum;
    return -1;
}

/* The mark says the UUID of its box; an empty one was just made. The pid is for a sentence. */
static bool mark_matches(int fd, const char *name, long *pid) {
    char text[MARK_MAX], want[MARK_MAX];
    ssize_t len = pread(fd, text, sizeof text - 1, 0);
    if (len < 0)
        return false;
    text[len] = '\0';
    int head = snprintf(want, sizeof want, "zhist %s pid ", name + strlen(PREFIX));
    if (strncmp(text, want, (size_t)head))
        return len == 0;
    *pid = 0;
    for (const char *c = text + head; *c >= '0' && *c <= '9' && *pid < 1000000000; c++)
        *pid = *pid * 10 + (*c - '0');
    return true;
}

static enum box_state because(struct box *box, enum box_state state, const char *why) {
    box->why = why;
    return state;
}

static enum box_state look_at_mark(const char *name, struct box *box) {
    struct stat st;
    if (fstatat(box->dir, MARK, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? BOX_BARE : because(box, BOX_UNKNOWN, "its mark cannot be read");
    if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
        return because(box, BOX_FOREIGN, "its mark is not one that zhist makes");
    bool blank = st.st_size == 0;
    box->mark = openat(box->dir, MARK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (box->mark < 0 || fstat(box->mark, &st) != 0 || !S_ISREG(st.st_mode))
        return because(box, BOX_UNKNOWN, "its mark cannot be opened");
    int locked = box_lock(box->mark);
    if (!mark_matches(box->mark, name, &box->pid))
        return because(box, BOX_FOREIGN, "its mark is not one that zhist makes");
    if (locked == EWOULDBLOCK)
        return BOX_LIVE;
    if (locked != 0)
        return because(box, BOX_UNKNOWN, "locks do not work here");
    return blank ? BOX_BARE : BOX_DEAD;
}

enum box_state box_look(int target, const char *name, struct box *box) {
    struct stat st;
    *box = (struct box){.dir = -1, .mark = -1};
    box->dir = openat(target, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (box->dir < 0 && (errno == ENOTDIR || errno == ELOOP))
        return because(box, BOX_FOREIGN, "it is not a directory");
    if (box->dir < 0 || fstat(box->dir, &st) != 0)
        return because(box, BOX_UNKNOWN, "it cannot be opened");
    if (geteuid() != 0 && st.st_uid != geteuid())
        return because(box, BOX_FOREIGN, "it belongs to another user");
    return look_at_mark(name, box);
}

void box_release(struct box *box) {
    if (box->mark >= 0)
        close(box->mark);
    if (box->dir >= 0)
        close(box->dir);
    box->mark = box->dir = -1;
}

/* ---- removing -------------------------------------------------------------------------------- */

int box_remove(int target, const char *name, int dir, struct err *e) {
    struct stat here, there;
    struct sweep s;
    int errnum = sweep_box(dir, MARK, &s);
    if (errnum)
        return err_sys(e, errnum, "cannot list \"%s\"", name);
    if (s.errnum)
        return err_sys(e, s.errnum, "cannot remove \"%s/%s\"", name, s.stuck);
    if (s.strangers)
        return err_set(e, ERR_FAILED,
                       "\"%s\" was left where it is: it holds \"%s\"%s, which zhist "
                       "did not make",
                       name, s.stranger, s.strangers > 1 ? " and more" : "");
    if (fstat(dir, &here) != 0 || fstatat(target, name, &there, AT_SYMLINK_NOFOLLOW) != 0 ||
        here.st_dev != there.st_dev || here.st_ino != there.st_ino)
        return err_set(e, ERR_FAILED, "\"%s\" was moved away while it was in use", name);
    if (unlinkat(dir, MARK, 0) != 0 && errno != ENOENT)
        return err_sys(e, errno, "cannot remove \"%s/%s\"", name, MARK);
    if (unlinkat(target, name, AT_REMOVEDIR) != 0)
        return err_sys(e, errno, "cannot remove \"%s\"", name);
    return 0;
}

/* Nothing but an empty mark? */
static bool is_bare(int dir) {
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;
    struct stat st;
    bool bare = d != NULL;
    while (bare && (entry = readdir(d)))
        bare = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
               (!strcmp(entry->d_name, MARK) && !fstatat(dir, MARK, &st, AT_SYMLINK_NOFOLLOW) &&
                S_ISREG(st.st_mode) && st.st_size == 0);
    if (d)
        closedir(d);
    else if (copy >= 0)
        close(copy);
    return bare;
}

bool box_remove_bare(int target, const char *name, int dir) {
    if (!is_bare(dir) || (unlinkat(dir, MARK, 0) != 0 && errno != ENOENT))
        return false;
    return unlinkat(target, name, AT_REMOVEDIR) == 0;
}
