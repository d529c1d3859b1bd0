/*
 * chain.c: from a mount down to the disks, through partitions, device mapper, md, the files behind
 * loop devices and the upper directory of an overlay; all of it read from /sys. A zvol or a dataset
 * is an end: below it lies a pool.
 *
 * Names (vda3 -> vda) are handed out at boot; layers (partition -> disk) are what was built. A
 * chain that ends in the unknown is no chain: the reason is handed back instead.
 */
#include "probe.h"

enum { DEPTH_MAX = 16 };

static struct block *block_new(struct probe *p, const char *sys, const char *name,
                               const char *kind) {
    struct block *b = arena_new(p->a, struct block, 1);
    char *copy = arena_str(p->a, name);
    for (char *c = copy; *c; c++)
        if (*c == '!') /* /sys writes cciss/c0d0 as cciss!c0d0 */
            *c = '/';
    *b = (struct block){.name = copy, .kind = kind, .sys = sys};
    return b;
}

static bool block_add(struct probe *p, struct block *b, struct block *below) {
    if (below)
        *array_add(p->a, b->below, b->n_below, b->cap_below) = below;
    return below;
}

static const char *attribute(struct probe *p, const char *sys, const char *name) {
    const char *why;
    return probe_read(p, arena_fmt(p->a, "%s/%s", sys, name), &why);
}

/* The kinds of device mapper devices, by the beginning of their uuid. */
static const char *mapper_kind(const char *uuid) {
    static const char *const kinds[][2] = {{"CRYPT-", "crypt"},     {"LVM-", "lvm"},
                                           {"mpath-", "multipath"}, {"part", "partition"},
                                           {"DMRAID-", "dmraid"},   {"VDO-", "vdo"}};
    for (size_t i = 0; uuid && i < LENGTH(kinds); i++)
        if (!strncmp(uuid, kinds[i][0], strlen(kinds[i][0])))
            return kinds[i][1];
    return "mapper";
}

static const char *leaf_kind(const char *name) {
    static const char *const kinds[] = {"zram", "ram", "nbd", "rbd", "drbd"};
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        size_t len = strlen(kinds[i]);
        if (!strncmp(name, kinds[i], len) && name[len] >= '0' && name[len] <= '9')
            return kinds[i];
    }
    if (!strncmp(name, "zd", 2) && name[2] && !name[2 + strspn(name + 2, "0123456789")])
        return "zvol"; /* sda to sdzz begin otherwise */
    return "disk";
}

/* A file behind a loop device: on with the mount it lies in. */
static struct block *of_file(struct probe *p, const char *path, int depth, const char **why);
static struct block *of_mount(struct probe *p, const struct mount *m, int depth, const char **why);

static struct block *block_at(struct probe *p, const char *sys, int depth, const char **why) {
    const char *slash = strrchr(sys, '/'), *name = slash ? slash + 1 : sys, *text, **names;
    if (!slash || !probe_exists(p, arena_fmt(p->a, "%s/dev", sys))) {
        *why = arena_fmt(p->a, "%s: not a block device", sys);
        return NULL;
    }
    if (depth > DEPTH_MAX) {
        *why = arena_fmt(p->a, "%s: more than %d layers", sys, DEPTH_MAX);
        return NULL;
    }
    if (probe_exists(p, arena_fmt(p->a, "%s/partition", sys))) {
        struct block *b = block_new(p, sys, name, "partition");
        const char *parent = arena_copy(p->a, sys, (size_t)(slash - sys));
        return block_add(p, b, block_at(p, parent, depth + 1, why)) ? b : NULL;
    }
    if ((text = attribute(p, sys, "loop/backing_file"))) {
        struct block *b = block_new(p, sys, name, "loop");
        return block_add(p, b, of_file(p, text, depth + 1, why)) ? b : NULL;
    }
    size_t n = probe_list(p, arena_fmt(p->a, "%s/slaves", sys), &names);
    if (!n)
        return block_new(p, sys, name, leaf_kind(name));
    const char *mapped = attribute(p, sys, "dm/name"), *level = attribute(p, sys, "md/level");
    struct block *b = block_new(p, sys, mapped && *mapped ? mapped : name,
                                mapped  ? mapper_kind(attribute(p, sys, "dm/uuid"))
                                : level ? level
                                        : "stack");
    for (size_t i = 0; i < n; i++) {
        const char *below = probe_resolve(p, arena_fmt(p->a, "%s/slaves/%s", sys, names[i]));
        if (!below) {
            *why = arena_fmt(p->a, "%s/slaves/%s: leads nowhere", sys, names[i]);
            return NULL;
        }
        if (!block_add(p, b, block_at(p, below, depth + 1, why)))
            return NULL;
    }
    return b;
}

static struct block *of_name(struct probe *p, const char *name, int depth, const char **why) {
    const char *sys = probe_resolve(p, arena_fmt(p->a, "/sys/class/block/%s", name));
    if (!sys) {
        *why = arena_fmt(p->a, "/sys/class/block/%s: no such device", name);
        return NULL;
    }
    return block_at(p, sys, depth, why);
}

/* btrfs: the source is one of its devices; /sys/fs/btrfs/UUID/devices has them all. */
static struct block *of_btrfs(struct probe *p, const char *device, int depth, const char **why) {
    const char **uuids, **names;
    size_t n = probe_list(p, "/sys/fs/btrfs", &uuids);
    for (size_t i = 0; i < n; i++) {
        const char *dir = arena_fmt(p->a, "/sys/fs/btrfs/%s/devices", uuids[i]);
        if (!probe_exists(p, arena_fmt(p->a, "%s/%s", dir, device)))
            continue;
        size_t n_names = probe_list(p, dir, &names);
        if (n_names < 2)
            break;
        struct block *b = block_new(p, dir, "btrfs", "btrfs");
        for (size_t k = 0; k < n_names; k++)
            if (!block_add(p, b, of_name(p, names[k], depth + 1, why)))
                return NULL;
        return b;
    }
    return of_name(p, device, depth, why);
}

struct upper {
    struct arena *a;
    const char *dir;
};

static void put_upper(void *ctx, const char *key, const char *value) {
    struct upper *u = ctx;
    if (!strcmp(key, "upperdir"))
        u->dir = arena_str(u->a, value);
}

/* overlay writes to its upper directory. The path is one of whoever mounted it: from inside a
 * container it is not there, or leads back to the overlay itself. */
static struct block *of_overlay(struct probe *p, const struct mount *m, int depth,
                                const char **why) {
    struct upper u = {.a = p->a};
    mount_options(p->a, m->super, put_upper, &u);
    const struct mount *below =
        u.dir && probe_exists(p, u.dir) ? mount_of_path(p->mounts, p->n_mounts, u.dir) : NULL;
    if (!below || below == m) {
        *why = u.dir ? arena_fmt(p->a, "overlay: its upper directory '%s' cannot be seen from here",
                                 u.dir)
                     : "overlay: it has no upper directory";
        return NULL;
    }
    struct block *b = block_new(p, m->point, "overlay", "overlay");
    return block_add(p, b, of_mount(p, below, depth + 1, why)) ? b : NULL;
}

static struct block *of_mount(struct probe *p, const struct mount *m, int depth, const char **why) {
    if (depth > DEPTH_MAX) {
        *why = arena_fmt(p->a, "%s: more than %d layers", m->point, DEPTH_MAX);
        return NULL;
    }
    if (!strcmp(m->fstype, "overlay"))
        return of_overlay(p, m, depth, why);
    if (strncmp(m->device, "0:", 2)) {
        const char *sys = probe_resolve(p, arena_fmt(p->a, "/sys/dev/block/%s", m->device));
        if (sys)
            return block_at(p, sys, depth, why);
        *why = arena_fmt(p->a, "/sys/dev/block/%s: no such device", m->device);
        return NULL;
    }
    /* Reached through a loop device or an overlay only. The disks are the pool's. */
    if (!strcmp(m->fstype, "zfs") && *m->source)
        return block_new(p, m->point, m->source, "dataset");
    if (!strcmp(m->fstype, "tmpfs") || !strcmp(m->fstype, "ramfs"))
        return block_new(p, m->point, m->fstype, "memory");
    /* Without a device number of its own, the source may name one; /dev/mapper/x is a link. */
    if (!strncmp(m->source, "/dev/", 5)) {
        const char *node = probe_resolve(p, m->source), *name;
        name = strrchr(node ? node : m->source, '/') + 1;
        return !strcmp(m->fstype, "btrfs") ? of_btrfs(p, name, depth, why)
                                           : of_name(p, name, depth, why);
    }
    *why = arena_fmt(p->a, "%s does not tell its device", m->fstype);
    return NULL;
}

static struct block *of_file(struct probe *p, const char *path, int depth, const char **why) {
    const struct mount *m;
    probe_mounts(p);
    m = mount_of_path(p->mounts, p->n_mounts, path);
    if (!m) {
        *why = arena_fmt(p->a, "the file '%s' lies in no mount", path);
        return NULL;
    }
    return of_mount(p, m, depth, why);
}

struct block *chain_of_mount(struct probe *p, const struct mount *m, const char **why) {
    return of_mount(p, m, 0, why);
}

struct block *chain_of_path(struct probe *p, const char *path, const char **why) {
    const char *node = probe_resolve(p, path);
    if (!node)
        *why = arena_fmt(p->a, "%s: not there", path);
    else if (!strncmp(node, "/dev/", 5))
        return of_name(p, strrchr(node, '/') + 1, 0, why);
    else
        return of_file(p, node, 0, why);
    return NULL;
}

/* ---- as text --------------------------------------------------------------------------------- */

static const char *text_of(struct arena *a, const struct block *b, bool layers) {
    const char *text = layers ? b->kind : b->name;
    if (!b->n_below)
        return text;
    struct buf all = {0};
    size_t parts = 0;
    for (size_t i = 0; i < b->n_below;) {
        const char *one = text_of(a, b->below[i], layers);
        size_t same = 1;
        while (layers && i + same < b->n_below &&
               !strcmp(one, text_of(a, b->below[i + same], layers)))
            same++;
        buf_str(&all, parts++ ? ", " : "");
        if (same > 1)
            buf_fmt(&all, "%zu x ", same);
        buf_fmt(&all, same > 1 && strchr(one, ' ') ? "(%s)" : "%s", one);
        i += same;
    }
    text = arena_fmt(a, parts > 1 ? "%s -> (%s)" : "%s -> %s", text, all.data);
    buf_release(&all);
    return text;
}

const char *chain_names(struct arena *a, const struct block *b) {
    return text_of(a, b, false);
}

const char *chain_layers(struct arena *a, const struct block *b) {
    return text_of(a, b, true);
}

struct leaves {
    const char **names;
    size_t n, cap;
};

static int64_t gather(struct arena *a, const struct block *b, struct leaves *l) {
    size_t had = l->n;
    int64_t added = 0;
    if (!strcmp(b->kind, "memory") || !strcmp(b->kind, "dataset") || !strcmp(b->kind, "zvol"))
        return 0;
    if (!b->n_below) {
        for (size_t i = 0; i < l->n; i++)
            if (!strcmp(l->names[i], b->name))
                return 0;
        *array_add(a, l->names, l->n, l->cap) = b->name;
        return 1;
    }
    for (size_t i = 0; i < b->n_below; i++)
        added += gather(a, b->below[i], l);
    return strcmp(b->kind, "multipath") ? added : l->n > had;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t chain_disks(struct arena *a, const struct block *b, const char ***names, int64_t *count) {
    struct leaves l = {0};
    *count = gather(a, b, &l);
    if (l.n)
        qsort(l.names, l.n, sizeof *l.names, by_name);
    *names = l.names;
    return l.n;
}

bool chain_in_pool(const struct block *b) {
    for (size_t i = 0; i < b->n_below; i++)
        if (!chain_in_pool(b->below[i]))
            return false;
    return b->n_below || !strcmp(b->kind, "dataset") || !strcmp(b->kind, "zvol");
}

bool chain_in_memory(const struct block *b) {
    for (size_t i = 0; i < b->n_below; i++)
        if (!chain_in_memory(b->below[i]))
            return false;
    return b->n_below || !strcmp(b->kind, "memory") || !strcmp(b->kind, "zram") ||
           !strcmp(b->kind, "ram");
}
