/*
 * mount.c: the probe of the file system under each target: type, options, what it stands on.
 *
 * Each option is a fact of its own, those of the mount and those of the file system alike; rw and
 * ro of both become `access`. What ZFS lists there of a dataset's properties is left to them. Sizes
 * are state. What lies under the device: chain.c; what a client of a server tells: mount_network.c.
 * No step waits for a server that is gone.
 */
#include <fcntl.h>
#include <unistd.h>

#include "probe.h"
#include "zhist/unit.h"

#define POOL_WHY "the disks are those of the pool: see its own facts"

static const struct kind {
    const char *fstype, *backing, *why;
} kinds[] = {
    {"tmpfs", "memory", "tmpfs lies in memory"},
    {"ramfs", "memory", "ramfs lies in memory"},
    {"devtmpfs", "memory", "devtmpfs lies in memory"},
    {"hugetlbfs", "memory", "hugetlbfs lies in memory"},
    {"nfs", "network", "the disks are the server's"},
    {"nfs4", "network", "the disks are the server's"},
    {"cifs", "network", "the disks are the server's"},
    {"smb3", "network", "the disks are the server's"},
    {"ceph", "network", "the disks are the servers'"},
    {"afs", "network", "the disks are the server's"},
    {"lustre", "network", "the disks are the servers'"},
    {"fuse.sshfs", "network", "the disks are the server's"},
    {"fuse.glusterfs", "network", "the disks are the servers'"},
    {"9p", "host", "the disks are those of the host of this virtual machine"},
    {"virtiofs", "host", "the disks are those of the host of this virtual machine"},
    {"zfs", "pool", POOL_WHY},
};

static const struct kind *kind_of(const struct mount *m) {
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (!strcmp(kinds[i].fstype, m->fstype))
            return &kinds[i];
    return NULL;
}

/* A server or a program answers for it, or does not. */
static bool may_hang(const struct mount *m) {
    const struct kind *kind = kind_of(m);
    return !strncmp(m->fstype, "fuse", 4) || (kind && !strcmp(kind->backing, "network"));
}

/* On the machine itself the kernel is asked which mount it is; the walk is for made-up trees, for
 * directories that may not be opened, and for those whose opening would wait for a server. */
const struct mount *mount_of_target(struct probe *p, const char *path) {
    const struct mount *walked = mount_of_path(p->mounts, p->n_mounts, path), *m = NULL;
    bool ask = p->live && !(walked && may_hang(walked));
    int fd = ask ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd >= 0) {
        const char *why, *info, *id;
        int64_t number;
        info = probe_read(p, arena_fmt(p->a, "/proc/self/fdinfo/%d", fd), &why);
        id = info ? text_field(p->a, info, "mnt_id", ':') : NULL;
        if (id && !unit_read_count(id, &number)) {
            m = mount_of_id(p->mounts, p->n_mounts, number);
            if (!m) { /* opening it mounted it: a snapshot, an automount */
                p->mounts = NULL;
                probe_mounts(p);
                m = mount_of_id(p->mounts, p->n_mounts, number);
            }
        }
        close(fd);
    }
    return m ? m : walked;
}

struct option_ctx {
    struct probe *p;
    struct factset *set;
    bool read_only, known;
};

/* xattr, acltype and casesensitivity, as __zpl_show_options() of OpenZFS writes them; the last
 * since 2.3: an update would look like another option. */
static bool is_property(const struct option_ctx *c, const char *key) {
    static const char *const words[] = {"xattr", "noxattr",       "posixacl",        "nfs4acl",
                                        "noacl", "casesensitive", "caseinsensitive", "casemixed"};
    const char *fstype = fact_value(c->set, "fstype");
    for (size_t i = 0; fstype && !strcmp(fstype, "zfs") && i < LENGTH(words); i++)
        if (!strcmp(key, words[i]))
            return true;
    return false;
}

static void put_option(void *ctx, const char *key, const char *value) {
    static const char *const secrets[] = {"password", "pass", "secret", "key"};
    struct option_ctx *c = ctx;
    if (!strcmp(key, "rw") || !strcmp(key, "ro")) {
        c->known = true;
        c->read_only |= key[1] == 'o';
        return;
    }
    if (is_property(c, key))
        return;
    for (size_t i = 0; i < LENGTH(secrets); i++)
        if (!strcmp(key, secrets[i]))
            value = "hidden";
    /* An option given twice, as overlay's lowerdir+, keeps all its values. */
    const char *name = arena_fmt(c->p->a, "option.%s", key), *had = fact_value(c->set, name);
    if (had && strcmp(had, value))
        value = arena_fmt(c->p->a, "%s, %s", had, value);
    fact_add(c->p->a, c->set, name, value, "/proc/self/mountinfo");
}

static void under(struct probe *p, struct factset *set, const struct mount *m) {
    const struct kind *kind = kind_of(m);
    const char *why = NULL, *source = "/sys/dev/block", **names;
    if (kind && !strcmp(kind->backing, "network"))
        fact_add(p->a, set, "server", m->source, "/proc/self/mountinfo");
    struct block *b = kind ? NULL : chain_of_mount(p, m, &why);
    if (!b) {
        why = kind ? kind->why : why;
        fact_add(p->a, set, "backing", kind ? kind->backing : NULL,
                 kind ? "/proc/self/mountinfo" : why);
        fact_add(p->a, set, "chain", NULL, why);
        fact_add(p->a, set, "layers", NULL, why);
        fact_add(p->a, set, "disks", NULL, why);
        fact_add(p->a, set, "disk_count", NULL, why);
        return;
    }
    int64_t count;
    size_t n = chain_disks(p->a, b, &names, &count);
    struct buf disks = {0};
    for (size_t i = 0; i < n; i++)
        buf_fmt(&disks, "%s%s", i ? " " : "", names[i]);
    bool pool = chain_in_pool(b);
    const char *none = pool ? POOL_WHY : "no disk at its end";
    fact_add(p->a, set, "backing", pool ? "pool" : chain_in_memory(b) ? "memory" : "disk", source);
    fact_add(p->a, set, "chain", chain_names(p->a, b), source);
    fact_add(p->a, set, "layers", chain_layers(p->a, b), source);
    fact_add(p->a, set, "disks", n ? disks.data : NULL, n ? source : none);
    fact_number(p, set, "disk_count", n ? count : UNKNOWN, n ? source : none);
    buf_release(&disks);
}

static void probe_target(struct probe *p, size_t target) {
    const char *path = p->ask->paths[target], *from = "/proc/self/mountinfo";
    struct factset *set = factset_add(p->a, p->sheet, "mount", "", (int64_t)target);
    fact_add(p->a, set, "path", path, "asked for");
    const struct mount *m = p->mounts ? mount_of_target(p, path) : NULL;
    space_facts(p, set, path, m && may_hang(m));
    if (!m) {
        const char *why = p->mounts_why ? p->mounts_why : "/proc/self/mountinfo: no mount there";
        static const char *const keys[] = {"fstype", "source", "mount_point", "root",
                                           "device", "access", "backing",     "chain",
                                           "layers", "disks",  "disk_count"};
        for (size_t i = 0; i < LENGTH(keys); i++)
            fact_add(p->a, set, keys[i], NULL, why);
        return;
    }
    fact_add(p->a, set, "fstype", m->fstype, from);
    fact_add(p->a, set, "source", m->source, from);
    fact_add(p->a, set, "mount_point", m->point, from);
    fact_add(p->a, set, "root", m->root, from);
    fact_add(p->a, set, "device", m->device, from);
    struct option_ctx c = {.p = p, .set = set};
    mount_options(p->a, m->options, put_option, &c);
    mount_options(p->a, m->super, put_option, &c);
    fact_add(p->a, set, "access", c.known ? c.read_only ? "ro" : "rw" : NULL,
             c.known ? from : "/proc/self/mountinfo: neither rw nor ro");
    under(p, set, m);
    network_facts(p, set, m);
}

void probe_mount(struct probe *p) {
    probe_mounts(p);
    for (size_t i = 0; i < p->ask->n_paths; i++)
        probe_target(p, i);
}
