/*
 * status.h: what the readers of zpool's text and JSON share; private to src/zfs.
 */
#ifndef ZFS_STATUS_H
#define ZFS_STATUS_H

#include "zhist/zfs.h"

/* White space, ends of lines too, becomes one space, none at the ends. */
const char *zfs_one_line(struct arena *a, const char *text, size_t len);

/* "0", "417", "1.50K", "13,8M", "0B"; powers of 1024. UNKNOWN: "-" or no such number. */
int64_t zfs_count(const char *text, size_t len);

/* "Mon Nov 30 19:59:41 2026", with or without a time zone before the year, gives "2026-11-30
 * 19:59:41"; NULL: text does not begin with such a date. */
const char *zfs_date(struct arena *a, const char *text);
const char *zfs_date_of_epoch(struct arena *a,
                              int64_t seconds); /* local time, as zpool prints it */

/* mirror, raidz2, draid1, spare, replacing, dspare ...; "unknown": built of others, in a way that
 * is not known; NULL: a leaf like any other. */
const char *vdev_type_of_name(struct arena *a, const char *name);
/* Of zpool's word for it and the type by its name: what both tell, so that JSON is read as text. */
const char *vdev_type_of_json(const char *type, const char *named);
bool vdev_is_numbered(const char *name);         /* mirror-0, any-1: as zpool names what it made */
const char *vdev_type_of_leaf(const char *name); /* disk or file */
struct vdev *vdev_add(struct arena *a, struct vdev *to, const char *name);

/* The table of zpool status as text, whose columns stand where its header says. */
struct columns {
    size_t state_at;                    /* of STATE in bytes from the header's first */
    size_t name_indent;                 /* of NAME */
    int counters;                       /* columns of numbers */
    int at_read, at_write, at_checksum; /* which of them, -1: not there */
};
bool row_columns(struct columns *c, size_t indent, const char *body); /* false: no header */
const char *row_class(const char *body); /* log cache spare special dedup; NULL: no such row */
const char *row_state(const struct columns *c, size_t indent, const char *body); /* or NULL */
/* Numbers behind the state, then what is left. How many there were. */
int row_counters(struct arena *a, const struct columns *c, const char *at, struct vdev *v);
/* What a note says of work on this disk. */
void row_activity(struct pool *p, const char *note);

/* Which of two scans of a pool to tell: one that runs or cannot be read, else the later one. */
const struct scan *scan_to_tell(const struct scan *one, const struct scan *other);

/* Why a tree is less than a whole one: a vdev with fewer members than its kind can have. */
const char *vdev_lacks(struct arena *a, const struct vdev *v);
/* Why a tree's layout cannot be told: that, or a vdev of an unknown kind. NULL: it can. */
const char *vdev_unsure(struct arena *a, const struct vdev *root);

bool zfs_says_suspended(const char *state, const char *status);

#endif
