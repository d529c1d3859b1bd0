/*
 * probe.h: what the probes of this room share; private to src/facts and its tests.
 *
 * A probe reads files below p->root ("" on the machine itself; the tests point it at a made-up
 * tree) and asks the kernel only where p->live. Programs are started by probe_run() only. It prints
 * nothing and never fails: what cannot be read becomes a fact without a value whose source says why.
 */
#ifndef FACTS_PROBE_H
#define FACTS_PROBE_H

#include <sys/statvfs.h>

#include "zhist/facts.h"

struct probe {
    struct arena *a;
    const char *root; /* no slash at its end */
    bool live;        /* root is "": system calls describe the same machine as the files */
    const struct facts_ask *ask;
    struct fact_sheet *sheet;
    struct mount *mounts; /* of /proc/self/mountinfo, read once */
    size_t n_mounts;
    const char *mounts_why; /* why there are none */
    struct member *members; /* disks of pools, by the pool probe for the disk probe */
    size_t n_members, cap_members;
    const char **silent; /* programs that did not answer in time: not asked again */
    size_t n_silent, cap_silent;
    int64_t run_spent; /* ns that programs have taken */
    bool zfs_json, zfs_json_asked;
    int64_t smart_spent; /* ns that disks have taken to speak of themselves */
};

/* A disk in a pool under a target. */
struct member {
    const char *disk; /* sda, as the kernel calls it */
    const char *pool, *vdev, *class;
    int64_t target;
};

/* One row of the table in facts.c. */
struct probe_row {
    const char *kind, *asks;
    void (*run)(struct probe *p);
};
void probe_system(struct probe *p);
void system_cpu(struct probe *p, struct factset *set);    /* cpu.c */
void system_memory(struct probe *p, struct factset *set); /* memory.c */
void probe_mount(struct probe *p);
void probe_truenas(struct probe *p);  /* adds to the system set */
void probe_module(struct probe *p);
void probe_dataset(struct probe *p); /* after mount */
void probe_pool(struct probe *p);    /* after dataset: of the pools the datasets lie in */
void probe_snapshot(struct probe *p); /* after dataset and pool, and last of those that ask zfs:
                                         many snapshots may take all its time */
void probe_disk(struct probe *p);    /* after every probe that names disks in `disks` */

/* facts_probe of the tree below root; root is made absolute and free of links. */
void facts_probe_at(struct arena *a, const char *root, const struct facts_ask *ask,
                    struct fact_sheet *sheet);
void probe_open(struct probe *p, struct arena *a, const char *root, const struct facts_ask *ask,
                struct fact_sheet *sheet);
void facts_host_at(struct arena *a, const char *root, const char **machine_id, const char **name);
int64_t facts_memory_at(const char *root);
int64_t facts_arc_at(const char *root);
size_t facts_siblings_at(struct arena *a, const char *root, const char *path, bool below,
                         const char ***paths);
const struct fact *fact_find(const struct factset *set, const char *key); /* sealed or not */

/* class.c: with the source, which decides for dataset properties nobody has judged. */
enum fact_class fact_class_sourced(const char *kind, const char *key, const char *source);
/* True where a row of the table names it, false where only the fallback does. */
bool fact_class_known(const char *kind, const char *key);

/* read.c. Paths are those of the machine; root is put before them and never shows. */

const char *path_resolve(struct arena *a, const char *path); /* realpath, or NULL */

/* Text without the white space at its end; NULL: *why is "PATH: reason". */
const char *probe_read(struct probe *p, const char *path, const char **why);
/* Only the beginning: for files whose end is costly (cpuinfo) or of no use. */
const char *probe_read_head(struct probe *p, const char *path, const char **why);
bool probe_exists(struct probe *p, const char *path);
/* The path without links, or NULL. */
const char *probe_resolve(struct probe *p, const char *path);
/* Sorted names in a directory, without . and .. */
size_t probe_list(struct probe *p, const char *path, const char ***names);
/* The word in brackets of "never [always]", else the whole text. */
const char *text_chosen(struct arena *a, const char *text);
/* What stands behind "KEY" and `sep` at the start of a line; NULL: no such line. */
const char *text_field(struct arena *a, const char *text, const char *key, char sep);
bool text_has_word(const char *text, const char *word);
/* A fact from one file, as it stands or as its chosen word. */
void fact_from_file(struct probe *p, struct factset *set, const char *key, const char *path);
void fact_from_choice(struct probe *p, struct factset *set, const char *key, const char *path);
void fact_number(struct probe *p, struct factset *set, const char *key, int64_t value,
                 const char *source);

/* run.c: what a program prints, NULL: *why is "zpool: not installed", "zpool status did not answer
 * within 5 s", "zfs get: exit 1: cannot open ...". Starts nothing unless live: in a made-up tree the
 * answer is the file ROOT/run/NAME.txt, NAME being the arguments joined by '_', with '_' for
 * ' ' and '-' for '/' (as tests/data/zfs has them). */
enum run_limit { RUN_SHORT_MS = 1000, RUN_DISK_MS = 2000, RUN_LIMIT_MS = 5000 };
const char *probe_run(struct probe *p, const char *const *argv, enum run_limit limit, size_t *len,
                      const char **why);
/* The same of a program whose exit status is no failure: *code has it, and *why where it is not 0.
 * In a made-up tree it is always 0. */
const char *probe_run_any(struct probe *p, const char *const *argv, enum run_limit limit,
                          size_t *len, int *code, const char **why);

/* disk.c: the text of a file below a disk's directory in /sys, without spaces around; *source is
 * set only where there is one. */
const char *disk_attribute(struct probe *p, const char *sys, const char *name,
                           const char **source);
/* disk_link.c */
void disk_link(struct probe *p, struct factset *set, const char *sys, const char *transport);
const char *disk_temperature(struct probe *p, const char *sys, const char **source);
/* smart.c: facts of a disk by smartctl or nvme, at most some seconds for all disks. */
void disk_smart(struct probe *p, struct factset *set, const char *name);
/* media.c, with disk_media(): from the disk's other facts. */
void disk_smr(struct probe *p, struct factset *disk);

/* zfs_json.c: zfs and zpool take -j here, and print a JSON we can read; else -H. Asked once. */
bool probe_zfs_json(struct probe *p);

/* dataset.c: the dataset of a zvol's device (zd0), or NULL. */
const char *zvol_dataset(struct probe *p, const char *device, const char **why);

/* mount.c: the mount a target lies in, or NULL; after probe_mounts(). */
const struct mount *mount_of_target(struct probe *p, const char *path);
/* mount_network.c: of NFS and SMB mounts. */
void network_facts(struct probe *p, struct factset *set, const struct mount *m);
/* space.c. may_hang: what is asked may be a server that is gone. */
void space_facts(struct probe *p, struct factset *set, const char *path, bool may_hang);
/* -1 and errno, ETIMEDOUT where ask() has not returned after `limit` ns: it is left behind. */
int statvfs_within(int64_t limit, const char *path, struct statvfs *s,
                   int (*ask)(const char *path, struct statvfs *s));

/* mountinfo.c */

/* A line of mountinfo; text fields without escapes, but for the options (split first). */
struct mount {
    int64_t id, parent;
    const char *device; /* MAJ:MIN */
    const char *root, *point, *fstype, *source;
    const char *options, *super;
};
/* Lines that are no mounts are left out; their number is returned. */
size_t mountinfo_parse(struct arena *a, const char *text, size_t len, struct mount **mounts,
                       size_t *n);
/* The mount a resolved path lies in, walked as the kernel does; NULL: none. */
const struct mount *mount_of_path(const struct mount *mounts, size_t n, const char *path);
const struct mount *mount_of_id(const struct mount *mounts, size_t n, int64_t id);
/* Calls put(ctx, key, value) for each option; a flag has the value "on". */
void mount_options(struct arena *a, const char *options,
                   void (*put)(void *ctx, const char *key, const char *value), void *ctx);
void probe_mounts(struct probe *p); /* fills p->mounts once */

/* chain.c: what lies under a block device, down to the disks. */

struct block {
    const char *name; /* vda3, vg-root, md0 */
    const char *kind; /* partition, lvm, crypt, raid1, loop, disk, zram, zvol, dataset ... */
    const char *sys;  /* its directory in /sys */
    struct block **below;
    size_t n_below, cap_below;
};
/* NULL: *why says what is missing. */
struct block *chain_of_mount(struct probe *p, const struct mount *m, const char **why);
/* Of a device node, a link to one, or a file; at the time of asking. */
struct block *chain_of_path(struct probe *p, const char *path, const char **why);
const char *chain_names(struct arena *a, const struct block *b);  /* vda3 -> vda */
const char *chain_layers(struct arena *a, const struct block *b); /* partition -> disk */
/* Disks at the ends, sorted, each once; the count takes the paths of a multipath as one disk. */
size_t chain_disks(struct arena *a, const struct block *b, const char ***names, int64_t *count);
bool chain_in_memory(const struct block *b);
bool chain_in_pool(const struct block *b); /* all its ends are zvols or datasets */

/* clock_linux.c, clock_other.c: "yes", "no", or NULL and why. */
const char *clock_synchronised(const char **source);

#endif
