/*
 * keep.c: the box of kept files: found, made, forgotten.
 */
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".zhist-"
#define KEEP PREFIX "keep-"

enum { KEY_LEN = 12 };

bool keep_is_name(const char *name) {
    const char *key = name + strlen(KEEP);
    return !strncmp(name, KEEP, strlen(KEEP)) && strspn(key, "0123456789abcdef") == KEY_LEN &&
           key[KEY_LEN] == '\0';
}

void keep_name(const char *key, char name[BOX_NAME]) {
    snprintf(name, BOX_NAME, KEEP "%.*s", KEY_LEN, key);
}

static void make(const struct target *t, const char *name, struct box *box) {
    *box = (struct box){.dir = -1, .mark = -1};
    if (mkdirat(t->dir, name, 0700) != 0) {
        box->why = errno == EEXIST ? "its name is taken" : "its directory cannot be made";
        return;
    }
    box->dir = openat(t->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    box->mark = box->dir < 0 ? -1 : box_mark(box->dir, name + strlen(PREFIX));
    if (box->mark >= 0)
        return;
    box_release(box);
    unlinkat(t->dir, name, AT_REMOVEDIR);
    box->why = "its mark cannot be made";
}

void keep_open(const struct target *t, const char *name, bool create, struct box *box) {
    struct stat st;
    bool there = fstatat(t->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (there) {
        enum box_state state = box_look(t->dir, name, box);
        if (state == BOX_DEAD)
            return;
        /* A crash came between directory and mark: it is empty, or it is somebody else's. */
        bool gone = state == BOX_BARE && box_remove_bare(t->dir, name, box->dir);
        const char *why = state == BOX_LIVE   ? "another zhist uses it"
                          : state == BOX_BARE ? "it has no mark of zhist, but files in it"
                                              : box->why;
        box_release(box);
        box->why = gone ? NULL : why;
        there = !gone;
    } else {
        *box = (struct box){.dir = -1, .mark = -1};
    }
    if (!there && create)
        make(t, name, box);
}
