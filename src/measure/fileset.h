/*
 * fileset.h: private to the kind `fileset`: which files there are, and the loops over them.
 *
 * Files have numbers from 0 in the order they are created, directory by directory. A file is
 * called "f" and its number, "g" once it was renamed; directory d lies in the box as "w", the tag
 * of the workload, "-d" and its number. Names of real files that are copied do not come along.
 */
#ifndef MEASURE_FILESET_H
#define MEASURE_FILESET_H

#include "zhist/base.h"
#include "zhist/model.h"

#include "engine.h"

enum { FILESET_NAME = 32 };

/* Real files, found below a directory: fileset_tree.c. */
struct fileset_tree {
    const char *path; /* of the directory */
    int64_t files, dirs, total, largest;
    struct fileset_tree_dir {
        int64_t parent, first; /* number of a directory, of the first file; [dirs] ends the list */
        const char *path;      /* below the directory; "." */
    } * dir;
    struct fileset_tree_file {
        const char *name;
        int64_t size;
    } * file;
};

/* Which files there are: fileset_plan.c. */
struct fileset_plan {
    int64_t files, dirs, total, largest;
    const int64_t *sizes; /* in order of creation; NULL: all alike, the first a byte longer */
    const struct fileset_tree *tree; /* of real files, or NULL */
};

/* A seed makes the order of the sizes: the same for the same workload, everywhere. */
void fileset_plan(struct arena *a, const struct workload *w, struct fileset_plan *p);
/* Bytes of all files, exactly, and of the largest, at most. */
int64_t fileset_total(const struct workload *w);
int64_t fileset_largest(const struct workload *w);

static inline int64_t fileset_size(const struct fileset_plan *p, int64_t file) {
    return p->sizes ? p->sizes[file] : p->total / p->files + (file < p->total % p->files);
}

/* The first file of a directory; of the one behind the last: how many files there are. */
static inline int64_t fileset_first(const struct fileset_plan *p, int64_t dir) {
    return p->tree ? p->tree->dir[dir].first : dir * p->files / p->dirs;
}

/* The directory a file lies in. */
int64_t fileset_dir_of(const struct fileset_plan *p, int64_t file);

/* One phase of a fileset. The loops get here from a job: run must come first. */
struct fileset_run {
    struct engine_run run;
    const struct fileset_plan *plan;
    enum phase phase;
    int box, source; /* descriptors of the box, and of the tree of real files or -1 */
    const char *tag;
    char letter; /* the files' names begin with it */
    int direct;  /* flag of openat, or 0 */
};

extern const struct engine engine_fileset;

void fileset_file_name(char name[FILESET_NAME], char letter, int64_t file);
/* Path of a directory below the box; false: it does not fit. */
void fileset_dir_path(const struct fileset_plan *p, const char *tag, int64_t dir, struct buf *path);
/* Opens a directory step by step, never through a link: descriptor, or -1 with errno. */
int fileset_open_dir(const struct fileset_run *set, int64_t dir);
/* Calls back for every file, in order of creation, in the calling thread; stops where it returns
 * non-zero or a directory cannot be opened (-1 with errno). */
int fileset_each(const struct fileset_run *set,
                 int (*visit)(void *context, int dir, const char *name, int64_t file),
                 void *context);

#endif
