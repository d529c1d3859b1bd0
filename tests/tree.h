/*
 * tree.h: a made-up machine for facts_probe_at(): files under a directory of their own.
 *
 *     const char *root = tree_make(&arena);
 *     tree_put(&arena, root, "/sys/module/zfs/version", "2.3.9-1\n");
 *     tree_remove(root);
 */
#ifndef TREE_H
#define TREE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zhist/base.h"

static inline const char *tree_make(struct arena *a) {
    char *root = arena_str(a, "/tmp/zhist-tree-XXXXXX");
    if (!mkdtemp(root)) {
        perror("mkdtemp");
        exit(1);
    }
    return root;
}

static inline void tree_put(struct arena *a, const char *root, const char *path, const char *text) {
    char *full = arena_fmt(a, "%s%s", root, path);
    for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(full, 0755);
    }
    FILE *f = fopen(full, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) {
        perror(full);
        exit(1);
    }
}

static inline int tree_remove_one(const char *path, const struct stat *st, int kind,
                                  struct FTW *at) {
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static inline void tree_remove(const char *root) {
    nftw(root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
