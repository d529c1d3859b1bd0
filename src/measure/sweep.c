/*
 * sweep.c: the names of what zhist makes, and removing it: the only code that removes files other
 * than by their own names. What is not plainly ours stays and is told.
 */
#include "sweep.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_number(const char *text) {
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* "w", eight hex digits, "-", the letter, a number. */
static bool is_top(const char *name, char letter) {
    int i = 0;
    if (name[i++] != 'w')
        return false;
    for (; i < 9; i++)
        if (!isxdigit((unsigned char)name[i]))
            return false;
    return name[i] == '-' && name[i + 1] == letter && is_number(name + i + 2);
}

enum shape { STRANGER, FILE_OF_OURS, DIRECTORY_OF_OURS };

static enum shape shape_of(const char *name, bool top) {
    if (top)
        return is_top(name, 'j') ? FILE_OF_OURS : is_top(name, 'd') ? DIRECTORY_OF_OURS : STRANGER;
    if (!is_number(name + (*name != '\0')))
        return STRANGER;
    return *name == 'f' || *name == 'g' ? FILE_OF_OURS
           : *name == 'd'               ? DIRECTORY_OF_OURS
                                        : STRANGER;
}

/* ---- removing -------------------------------------------------------------------------------- */

static void note_stranger(struct sweep *s, const char *name) {
    if (s->strangers++ == 0)
        snprintf(s->stranger, sizeof s->stranger, "%.599s", name);
}

static void note_stuck(struct sweep *s, const char *name, int errnum) {
    if (s->errnum)
        return;
    s->errnum = errnum;
    snprintf(s->stuck, sizeof s->stuck, "%.599s", name);
}

static void add(struct sweep *all, const char *dir, const struct sweep *one) {
    char name[SWEEP_NAME];
    all->removed += one->removed;
    if (one->strangers) {
        snprintf(name, sizeof name, "%.255s/%.340s", dir, one->stranger);
        note_stranger(all, name);
        all->strangers += one->strangers - 1;
    }
    if (one->errnum) {
        snprintf(name, sizeof name, "%.255s/%.340s", dir, one->stuck);
        note_stuck(all, name, one->errnum);
    }
}

struct level {
    int dir;
    dev_t device;
    int depth; /* 0: the box itself */
    const char *mark;
};

static int sweep_level(const struct level *at, struct sweep *s);

static void sweep_directory(const struct level *at, const char *name, struct sweep *s) {
    struct level inside = {.depth = at->depth + 1, .device = at->device};
    struct sweep one = {0};
    struct stat st = {0};
    inside.dir = openat(at->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inside.dir < 0 && errno == ENOENT)
        return;
    if (inside.dir < 0 && (errno == ENOTDIR || errno == ELOOP)) {
        note_stranger(s, name);
        return;
    }
    int errnum = inside.dir < 0 || fstat(inside.dir, &st) != 0 ? errno : 0;
    /* Another file system that was mounted there is not ours, whatever it holds. */
    bool ours = !errnum && st.st_dev == at->device && inside.depth <= SWEEP_DEPTH;
    if (ours)
        errnum = sweep_level(&inside, &one);
    if (inside.dir >= 0)
        close(inside.dir);
    add(s, name, &one);
    if (!errnum && !ours) {
        note_stranger(s, name);
        return;
    }
    if (!errnum && (one.strangers || one.errnum))
        return;
    if (!errnum && unlinkat(at->dir, name, AT_REMOVEDIR) != 0)
        errnum = errno;
    if (errnum)
        note_stuck(s, name, errnum);
    else
        s->removed++;
}

static void sweep_entry(const struct level *at, const char *name, struct sweep *s) {
    struct stat st;
    if (!strcmp(name, ".") || !strcmp(name, "..") || (at->mark && !strcmp(name, at->mark)))
        return;
    enum shape shape = shape_of(name, at->depth == 0);
    if (shape == DIRECTORY_OF_OURS) {
        sweep_directory(at, name, s);
        return;
    }
    bool ours = shape == FILE_OF_OURS && fstatat(at->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                S_ISREG(st.st_mode) && st.st_nlink <= 1;
    if (!ours)
        note_stranger(s, name);
    else if (unlinkat(at->dir, name, 0) == 0)
        s->removed++;
    else
        note_stuck(s, name, errno);
}

/* Entries may be passed over while others are removed, so it goes on until nothing more goes. */
static int sweep_level(const struct level *at, struct sweep *s) {
    int copy = openat(at->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    int64_t removed = 0;
    if (!entries) {
        int errnum = errno;
        if (copy >= 0)
            close(copy);
        return errnum;
    }
    do {
        removed += s->removed;
        *s = (struct sweep){0};
        rewinddir(entries);
        for (struct dirent *d; (d = readdir(entries));)
            sweep_entry(at, d->d_name, s);
    } while (s->removed > 0);
    s->removed = removed;
    closedir(entries);
    return 0;
}

int sweep_box(int box, const char *mark, struct sweep *s) {
    struct stat st;
    *s = (struct sweep){0};
    if (fstat(box, &st) != 0)
        return errno;
    return sweep_level(&(struct level){.dir = box, .device = st.st_dev, .mark = mark}, s);
}

void sweep_set(int box, const char *name, struct sweep *s) {
    struct stat st;
    if (fstat(box, &st) != 0)
        note_stuck(s, name, errno);
    else
        sweep_directory(&(struct level){.dir = box, .device = st.st_dev}, name, s);
}
