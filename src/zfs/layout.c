/*
 * layout.c: what a vdev tree is built as: types by name, members, and the layout in a few words.
 *
 * The words name what somebody built, not what happens to it: a spare that stands in and a disk
 * that is being replaced are the one member they stand for.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "status.h"
#include "zhist/unit.h"

static bool all_digits(const char *text) {
    return *text && !text[strspn(text, "0123456789")];
}

/* draid1-0-0: parity, vdev, number of a distributed spare. */
static bool is_distributed_spare(const char *name) {
    if (strncmp(name, "draid", 5) || name[5] < '1' || name[5] > '3' || name[6] != '-')
        return false;
    const char *second = strchr(name + 7, '-');
    return second && second > name + 7 &&
           strspn(name + 7, "0123456789") == (size_t)(second - name - 7) && all_digits(second + 1);
}

static const char *const types[] = {"mirror", "raidz1",  "raidz2",    "raidz3",   "raidz",
                                    "spare",  "missing", "replacing", "indirect", "hole"};
static const char *const leaf_types[] = {"disk", "file", "dspare", "missing", "hole"};

bool vdev_is_numbered(const char *name) {
    const char *number = strrchr(name, '-');
    return islower((unsigned char)*name) && number && all_digits(number + 1) &&
           !name[strcspn(name, "/ \t")];
}

/* raidz4-0, anymirror1-0: built of others, in a way of later versions. */
static bool sounds_like_a_group(const char *name) {
    static const char *const words[] = {"mirror", "raid", "spare", "replacing"};
    for (size_t i = 0; i < LENGTH(words); i++)
        if (strstr(name, words[i]))
            return vdev_is_numbered(name);
    return false;
}

const char *vdev_type_of_name(struct arena *a, const char *name) {
    if (is_distributed_spare(name))
        return "dspare";
    if (!strncmp(name, "draid", 5) && name[5] >= '1' && name[5] <= '3' &&
        (name[6] == ':' || name[6] == '-'))
        return arena_copy(a, name, 6);
    for (size_t i = 0; i < LENGTH(types); i++) {
        size_t len = strlen(types[i]);
        if (!strncmp(name, types[i], len) &&
            (!name[len] || (name[len] == '-' && all_digits(name + len + 1))))
            return !strcmp(types[i], "raidz") ? "raidz1" : types[i];
    }
    return sounds_like_a_group(name) ? "unknown" : NULL;
}

const char *vdev_type_of_json(const char *type, const char *named) {
    for (size_t i = 0; i < LENGTH(leaf_types); i++)
        if (!strcmp(leaf_types[i], type))
            return type;
    if (!strcmp(type, "raidz") || !strcmp(type, "draid")) /* their parity is in the name only */
        return named && !strncmp(named, type, 5) ? named : "unknown";
    for (size_t i = 0; i < LENGTH(types); i++)
        if (!strcmp(types[i], type))
            return named && !strcmp(named, type) ? type : "unknown";
    return "unknown";
}

const char *vdev_type_of_leaf(const char *name) {
    return *name == '/' && strncmp(name, "/dev/", 5) ? "file" : "disk";
}

bool vdev_is_leaf(const struct vdev *v) {
    for (size_t i = 0; i < LENGTH(leaf_types); i++)
        if (!strcmp(v->type, leaf_types[i]))
            return true;
    return false;
}

struct vdev *vdev_add(struct arena *a, struct vdev *to, const char *name) {
    struct vdev *v = arena_new(a, struct vdev, 1);
    v->name = name;
    v->read_errors = v->write_errors = v->checksum_errors = UNKNOWN;
    if (to)
        *array_add(a, to->below, to->n_below, to->cap_below) = v;
    return v;
}

static bool stands_for_one(const struct vdev *v) {
    return vdev_is_leaf(v) || !strcmp(v->type, "spare") || !strcmp(v->type, "replacing");
}

/* dRAID has the number of its disks in its name: draid1:4d:11c:1s. */
static int64_t members(const struct vdev *v) {
    int64_t n = UNKNOWN;
    if (strncmp(v->type, "draid", 5))
        return (int64_t)v->n_below;
    for (const char *at = v->name; (at = strchr(at, ':')); at++) {
        size_t len = strspn(at + 1, "0123456789");
        if (len && at[1 + len] == 'c')
            n = zfs_count(at + 1, len);
    }
    return n;
}

/* A place that nobody built: left by a vdev that was removed, or a spare inside a dRAID. */
static bool holds_nothing(const struct vdev *v) {
    return !strcmp(v->type, "hole") || !strcmp(v->type, "indirect") || !strcmp(v->type, "dspare");
}

/* The fewest members with which zpool builds such a vdev, or keeps it: a mirror of one is a disk.
 */
static int64_t fewest(const struct vdev *v) {
    if (!strncmp(v->type, "raidz", 5))
        return v->type[5] - '0' + 1;
    if (!strncmp(v->type, "draid", 5))
        return members(v);
    return !strcmp(v->type, "root") || !strcmp(v->type, "indirect") ? 0 : 2;
}

const char *vdev_lacks(struct arena *a, const struct vdev *v) {
    bool unknown = !strcmp(v->type, "unknown");
    if (!vdev_is_leaf(v) && !unknown && (int64_t)v->n_below < fewest(v))
        return arena_fmt(a,
                         "the answer of zpool status is cut: '%s' has %zu members, there must be "
                         "%lld or more",
                         v->name, v->n_below, (long long)fewest(v));
    for (size_t i = 0; i < v->n_below; i++) {
        const char *why = vdev_lacks(a, v->below[i]);
        if (why)
            return why;
    }
    return NULL;
}

/* A vdev whose members cannot be told. */
static const char *not_known(struct arena *a, const struct vdev *v) {
    bool draid = !strncmp(v->type, "draid", 5);
    if (!strcmp(v->type, "unknown"))
        return arena_fmt(a, "'%s' is a vdev of a kind that is not known", v->name);
    if (!strcmp(v->type, "missing"))
        return arena_fmt(a, "'%s' is a vdev that is not there: what it was made of is not known",
                         v->name);
    if (vdev_is_leaf(v) && v->n_below)
        return arena_fmt(a, "'%s' is a disk, yet vdevs stand below it", v->name);
    if (draid && members(v) != (int64_t)v->n_below)
        return arena_fmt(a, "'%s' has %zu members, which is not what its name says", v->name,
                         v->n_below);
    for (size_t i = 0; i < v->n_below; i++) {
        const char *why = not_known(a, v->below[i]);
        if (why)
            return why;
    }
    return NULL;
}

const char *vdev_unsure(struct arena *a, const struct vdev *root) {
    bool data = false;
    for (size_t i = 0; i < root->n_below; i++)
        data |= !strcmp(root->below[i]->class, "data") && !holds_nothing(root->below[i]);
    const char *why = vdev_lacks(a, root);
    why = why ? why : not_known(a, root);
    return why ? why : data ? NULL : "it has no data vdevs";
}

int64_t pool_members(const struct pool *pool) {
    int64_t n = 0;
    if (!pool->root || pool->unsure)
        return UNKNOWN;
    for (size_t i = 0; i < pool->root->n_below; i++) {
        const struct vdev *v = pool->root->below[i];
        if (!strcmp(v->class, "data") && !holds_nothing(v))
            n += stands_for_one(v) ? 1 : members(v);
    }
    return n;
}

static const char *shape(struct arena *a, const struct vdev *v) {
    if (holds_nothing(v))
        return NULL;
    if (stands_for_one(v))
        return "";
    const char *name = v->type, *end = strrchr(v->name, '-');
    if (!strncmp(name, "draid", 5) && end)
        name = arena_copy(a, v->name, (size_t)(end - v->name));
    return arena_fmt(a, "%s of %lld", name, (long long)members(v));
}

static void put_class(struct arena *a, struct buf *b, const struct vdev *root, const char *class) {
    bool data = !strcmp(class, "data");
    const char **shapes = arena_new(a, const char *, root->n_below + 1);
    size_t n = 0, parts = 0;
    for (size_t i = 0; i < root->n_below; i++) {
        const char *text = !strcmp(root->below[i]->class, class) ? shape(a, root->below[i]) : NULL;
        if (text)
            shapes[n++] = text;
    }
    if (!n)
        return;
    buf_str(b, b->len ? "; " : "");
    if (!data)
        buf_fmt(b, "%s ", class);
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        for (size_t k = 0; k < i && !same; k++)
            same = !strcmp(shapes[k], shapes[i]);
        if (same) /* told with the first of them */
            continue;
        for (size_t k = i; k < n; k++)
            same += !strcmp(shapes[k], shapes[i]);
        buf_str(b, parts++ ? " + " : "");
        if (*shapes[i] && same > 1)
            buf_fmt(b, "%zu x %s", same, shapes[i]);
        else if (*shapes[i])
            buf_str(b, shapes[i]);
        else if (!data)
            buf_fmt(b, "%zu", same);
        else if (same > 1)
            buf_fmt(b, "stripe of %zu", same);
        else
            buf_str(b, "single");
    }
}

const char *pool_layout(struct arena *a, const struct pool *pool) {
    static const char *const classes[] = {"data", "special", "dedup", "log", "cache", "spare"};
    struct buf b = {0};
    if (pool_members(pool) == UNKNOWN)
        return NULL;
    for (size_t i = 0; i < LENGTH(classes); i++)
        put_class(a, &b, pool->root, classes[i]);
    const char *text = arena_str(a, b.data);
    buf_release(&b);
    return text;
}

static double part_expansion(const char *part) {
    unsigned parity, n, data;
    char raidz[7];
    const char *times = strstr(part, " x ");
    part = times ? times + 3 : part;
    if (!strncmp(part, "single", 6) || !strncmp(part, "stripe of ", 10))
        return 1;
    if (sscanf(part, "mirror of %u", &n) == 1 && n >= 1)
        return n;
    if (sscanf(part, "draid%1u:%ud", &parity, &data) == 2 && data >= 1)
        return (double)(data + parity) / data;
    if (sscanf(part, "%5[raidz]%1u of %u", raidz, &parity, &n) == 3 && !strcmp(raidz, "raidz") &&
        n > parity)
        return (double)n / (n - parity);
    return (double)NAN;
}

double layout_expansion(const char *layout) {
    double least = (double)NAN;
    const char *end = layout + strcspn(layout, ";");
    for (const char *at = layout; at && at < end;
         at = strstr(at, " + ") ? strstr(at, " + ") + 3 : end) {
        double one = part_expansion(at);
        if (isnan(one))
            return one;
        least = one < least || isnan(least) ? one : least;
    }
    return least;
}

static void leaves(const struct vdev *v, const struct vdev *top,
                   void (*put)(void *ctx, const struct vdev *leaf, const struct vdev *top),
                   void *ctx) {
    if (!v->n_below && vdev_is_leaf(v) && strcmp(v->type, "dspare") && strcmp(v->type, "hole"))
        put(ctx, v, top);
    for (size_t i = 0; i < v->n_below; i++)
        leaves(v->below[i], top, put, ctx);
}

void pool_leaves(const struct pool *pool,
                 void (*put)(void *ctx, const struct vdev *leaf, const struct vdev *top),
                 void *ctx) {
    for (size_t i = 0; pool->root && i < pool->root->n_below; i++)
        leaves(pool->root->below[i], pool->root->below[i], put, ctx);
}
