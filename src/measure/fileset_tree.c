/*
 * fileset_tree.c: the real files of `from: DIR`: which there are, how long, in which directories.
 *
 * Directories are taken breadth first, names in each of them sorted, so that the same tree gives
 * the same plan whatever order its file system has. Only regular files count; links are not
 * followed, boxes of zhist are passed over. Nothing is read of a file here.
 */
#include "fileset.h"

#include "box.h"
#include "zhist/work.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 1000000, MOST_DEPTH = 64, QUICK_FILES = 200 };
#define QUICK_BYTES (INT64_C(64) << 20) /* as --quick caps other sets: series.c */

struct scan {
    struct arena *a;
    struct fileset_tree *tree;
    size_t n_dirs, cap_dirs, n_files, cap_files;
    int64_t most_files, most_bytes;
    int root;
};

struct names {
    const char **items;
    size_t n, cap;
};

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int depth_of(const struct scan *s, size_t dir) {
    int depth = 0;
    for (; dir > 0; dir = (size_t)s->tree->dir[dir].parent)
        depth++;
    return depth;
}

static void add_dir(struct scan *s, size_t parent, const char *path) {
    struct fileset_tree_dir *d = array_add(s->a, s->tree->dir, s->n_dirs, s->cap_dirs);
    *d = (struct fileset_tree_dir){.parent = (int64_t)parent, .path = path};
}

/* Of a file that is longer than --quick lets it be, the beginning is taken. */
static void add_file(struct scan *s, const char *name, int64_t size) {
    struct fileset_tree *t = s->tree;
    if (size > s->most_bytes - t->total)
        size = s->most_bytes - t->total;
    struct fileset_tree_file *f = array_add(s->a, t->file, s->n_files, s->cap_files);
    *f = (struct fileset_tree_file){name, size};
    t->total += size;
    t->largest = size > t->largest ? size : t->largest;
}

static bool is_full(const struct scan *s) {
    return (int64_t)s->n_files >= s->most_files ||
           (s->tree->total >= s->most_bytes && s->n_files > 0);
}

static int list(struct scan *s, const char *path, struct names *names, struct err *e) {
    int fd = openat(s->root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    if (!entries) {
        int errnum = errno;
        if (fd >= 0)
            close(fd);
        return err_sys(e, errnum, "cannot list \"%s/%s\"", s->tree->path, path);
    }
    names->n = 0;
    for (const struct dirent *d; (d = readdir(entries));)
        if (strcmp(d->d_name, ".") && strcmp(d->d_name, "..") && !box_is_name(d->d_name))
            *array_add(s->a, names->items, names->n, names->cap) = arena_str(s->a, d->d_name);
    closedir(entries);
    if (names->n > 0)
        qsort(names->items, names->n, sizeof *names->items, by_name);
    return 0;
}

static int scan_dir(struct scan *s, size_t dir, struct names *names, struct err *e) {
    const char *path = s->tree->dir[dir].path;
    s->tree->dir[dir].first = (int64_t)s->n_files;
    if (list(s, path, names, e) != 0)
        return -1;
    for (size_t i = 0; i < names->n; i++) {
        const char *name = names->items[i];
        const char *below = dir == 0 ? name : arena_fmt(s->a, "%s/%s", path, name);
        struct stat st;
        if (fstatat(s->root, below, &st, AT_SYMLINK_NOFOLLOW) != 0)
            return err_sys(e, errno, "cannot look at \"%s/%s\"", s->tree->path, below);
        bool file = S_ISREG(st.st_mode) && !is_full(s);
        if (file && faccessat(s->root, below, R_OK, AT_EACCESS) != 0)
            return err_sys(e, errno, "cannot read \"%s/%s\"", s->tree->path, below);
        if (file)
            add_file(s, name, (int64_t)st.st_size);
        else if (S_ISDIR(st.st_mode) && !is_full(s))
            add_dir(s, dir, below);
        if ((int64_t)s->n_files > MOST_FILES || s->n_dirs > MOST_FILES)
            return err_set(e, ERR_FAILED,
                           "\"%s\" holds more than %d files; name a smaller directory",
                           s->tree->path, MOST_FILES);
    }
    return depth_of(s, dir) < MOST_DEPTH
               ? 0
               : err_set(e, ERR_FAILED, "directories in \"%s\" lie more than %d deep",
                         s->tree->path, MOST_DEPTH);
}

static int scan(struct scan *s, struct err *e) {
    struct names names = {0};
    s->root = open(s->tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->root < 0)
        return err_sys(e, errno, "cannot open \"%s\"", s->tree->path);
    add_dir(s, 0, ".");
    int status = 0;
    for (size_t dir = 0; dir < s->n_dirs && status == 0; dir++)
        status = scan_dir(s, dir, &names, e);
    close(s->root);
    if (status == 0 && s->n_files == 0)
        return err_set(e, ERR_FAILED, "\"%s\" holds no regular file", s->tree->path);
    s->tree->files = (int64_t)s->n_files;
    s->tree->dirs = (int64_t)s->n_dirs;
    add_dir(s, 0, NULL);
    s->tree->dir[s->tree->dirs].first = s->tree->files;
    return status;
}

int work_resolve(struct arena *a, struct workload *w, struct err *e) {
    struct err why;
    if (w->kind == KIND_FILESET && w->from && !w->tree) {
        struct scan s = {.a = a,
                         .tree = arena_new(a, struct fileset_tree, 1),
                         .most_files = w->quick ? QUICK_FILES : MOST_FILES + 1,
                         .most_bytes = w->quick ? QUICK_BYTES : INT64_MAX};
        s.tree->path = w->from_path ? w->from_path : w->from;
        if (scan(&s, &why) != 0) {
            err_set(e, ERR_FAILED, "workload \"%s\": from: %s", w->name, why.text);
            e->code = why.code;
            return -1;
        }
        w->tree = s.tree;
        w->files = s.tree->files;
        w->dirs = s.tree->dirs;
    }
    if (w->kind == KIND_FILESET)
        w->total = fileset_total(w);
    return 0;
}
