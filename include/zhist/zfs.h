/*
 * zfs.h: what zfs and zpool print, as structs. Text in, structs out: nothing is started or read
 * here. OpenZFS 0.8 to 2.4, text and JSON (output_version 0.x; another major number is refused).
 * Texts are in the caller's arena. Unknown is UNKNOWN or NULL, never zero.
 */
#ifndef ZHIST_ZFS_H
#define ZHIST_ZFS_H

#include "zhist/model.h"

/* ---- zpool status ---------------------------------------------------------------------------- */

struct vdev {
    const char *name;       /* as printed: mirror-0, /dev/sda1, a guid */
    const char *type;       /* root mirror raidz1 raidz2 raidz3 draid1.. spare replacing; unknown: of a
                             * later version; of leaves: disk file dspare (a distributed spare)
                             * missing */
    const char *class;      /* data special dedup log cache spare */
    const char *state;      /* ONLINE DEGRADED FAULTED OFFLINE UNAVAIL REMOVED AVAIL INUSE;
                             * NULL: not said */
    const char *path;       /* of a leaf that names one; NULL: a guid, a dRAID spare, a short name */
    const char *note;       /* what stands behind the counters, or NULL */
    /* 1.5K and the like are zpool's own rounding: about 1536; -p has them exact. */
    int64_t read_errors, write_errors, checksum_errors;
    struct vdev **below;
    size_t n_below, cap_below;
};

enum scan_kind { SCAN_NEVER, SCAN_SCRUB, SCAN_RESILVER, SCAN_REBUILD, SCAN_ERROR_SCRUB,
                 SCAN_NOT_UNDERSTOOD };
enum scan_state { SCAN_STATE_UNKNOWN, SCAN_IDLE, SCAN_RUNNING, SCAN_PAUSED, SCAN_FINISHED,
                  SCAN_CANCELED };
extern const char *const scan_kind_names[], *const scan_state_names[];

struct scan {
    enum scan_kind kind;
    enum scan_state state;      /* NOT_UNDERSTOOD has SCAN_STATE_UNKNOWN: never taken for idle */
    const char *started, *ended; /* "2026-11-30 19:58:28", local time; NULL: not said, or no date */
    double done;                /* share, NaN: not said */
    const char *text;           /* the whole of it, in one line */
};

/* An output can leave a thing out; that is not "no". */
enum told { TOLD_NOTHING, TOLD_NO, TOLD_YES };

struct pool {
    const char *name;
    const char *state, *guid;        /* NULL where the output has none */
    const char *status, *action;     /* what zpool says about it, in one line; NULL: nothing */
    const char *errors;              /* the line errors:, of JSON in its words; NULL: none */
    int64_t data_errors;             /* of that line; UNKNOWN: no permission to list them, or none */
    struct scan scan;                /* of several the one that runs, else the last one
                                      * whose end is known */
    enum told trimming, initializing, removing, expanding; /* under way */
    bool suspended;
    bool headless;                   /* lines before the tree are missing: no status, not suspended
                                      * and no trim may be just that */
    const char *unsure;              /* why layout and members cannot be told: the output is cut, a
                                      * vdev of an unknown kind; NULL: they can */
    struct vdev *root;               /* below: data vdevs and those of every class, in order */
};

struct pool_list {
    struct pool *items;
    size_t n, cap;
};

/* -1: *e says what was not understood first and in which line; *list has what could be read for
 * certain before and after it (a pool whose beginning is missing has an unknown scan). */
int pools_from_text(struct arena *a, const char *text, size_t len, struct pool_list *list,
                    struct err *e);
int pools_from_json(struct arena *a, const char *text, size_t len, struct pool_list *list,
                    struct err *e);
/* Without "scan:"; lines as printed or joined by spaces. */
void scan_from_text(struct arena *a, const char *text, struct scan *scan);

/* "mirror of 2", "2 x raidz2 of 6; special mirror of 2; log 1; cache 1; spare 2": the same for the
 * same layout whatever is offline, replaced or resilvered meanwhile. A stripe of 1 is "single".
 * NULL: it cannot be told, see unsure. */
const char *pool_layout(struct arena *a, const struct pool *pool);
/* Bytes on disk for each byte stored, at least, by such a layout: mirror n, raidz and draid
 * all / data; of several kinds the least. NaN: not understood. */
double layout_expansion(const char *layout);
/* Disks the data vdevs are built of: a spare in use or a replacement counts with what it stands
 * for. UNKNOWN as the layout. */
int64_t pool_members(const struct pool *pool);
bool vdev_is_leaf(const struct vdev *v);
/* Calls put for each leaf that is a member for good: spares in use and the disk that is being
 * replaced are among them; dRAID's distributed spares are not. top: mirror-0 or the leaf itself. */
void pool_leaves(const struct pool *pool,
                 void (*put)(void *ctx, const struct vdev *leaf, const struct vdev *top), void *ctx);

/* ---- zfs get, zpool get ---------------------------------------------------------------------- */

struct property {
    const char *of, *name, *value; /* verbatim; of: the dataset or pool */
    const char *source;            /* "-", "default", "local", "inherited from X", "received", ... */
};

struct property_list {
    struct property *items;
    size_t n, cap;
};

/* `zfs get -Hp -o name,property,value,source`, `zpool get -Hp`: four columns; values may hold tabs. */
int properties_from_text(struct arena *a, const char *text, size_t len, struct property_list *list,
                         struct err *e);
int properties_from_json(struct arena *a, const char *text, size_t len, struct property_list *list,
                         struct err *e);

/* ---- kstats: /proc/spl/kstat/zfs ------------------------------------------------------------- */

enum kstat_type { KSTAT_RAW, KSTAT_NAMED, KSTAT_INTR, KSTAT_IO, KSTAT_TIMER };

struct kstat_row {
    const char *name;           /* its first word; "" of KSTAT_IO, whose row has none */
    const char *const *values;  /* one a column, at most n_columns */
    size_t n_values;
};

/* One file: a table. KSTAT_NAMED has the columns "type" and "data"; data may hold spaces. */
struct kstat {
    int type;
    const char **columns;       /* without the one above the names */
    size_t n_columns;
    struct kstat_row *rows;
    size_t n_rows, cap_rows;
};

/* The same from 0.6 to 2.4. -1: it has no such head; lines that are no row are left out. */
int kstat_from_text(struct arena *a, const char *text, size_t len, struct kstat *k, struct err *e);

const char *kstat_value(const struct kstat *k, const char *row, const char *column); /* or NULL */
int64_t kstat_number(const struct kstat *k, const char *row); /* of KSTAT_NAMED; or UNKNOWN */

#endif
