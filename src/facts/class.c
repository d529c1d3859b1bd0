/*
 * class.c: the one table that says what kind of fact a fact is.
 *
 *   setting      compared, makes events
 *   state        moves by itself: a sample of the run, never an event, never digested
 *   name         shown, never compared
 *   consequence  follows its leader; where the leader did not change it is compared as a setting
 *
 * The first row that fits counts. What nobody has judged is state, so that it can never be blamed;
 * the tests fail where a probe makes such a fact. Must read nothing.
 */
#include <fnmatch.h>

#include "probe.h"

struct row {
    const char *pattern; /* of kind.key, as in the shell */
    enum fact_class class;
    const char *leader; /* of a consequence */
};

/* clang-format off */
static const struct row rows[] = {
    /* Changes with every boot or every minute. */
    {"system.boot_id",              FACT_STATE, NULL},
    {"system.uptime",               FACT_STATE, NULL},
    {"system.load1",                FACT_STATE, NULL},
    {"system.psi_*",                FACT_STATE, NULL},
    {"*.control_*",                 FACT_STATE, NULL}, /* measured once a run */
    {"system.mem_available",        FACT_STATE, NULL},
    {"system.mem_total",            FACT_STATE, NULL}, /* some MiB go with each kernel, balloons */
    {"system.swap_free",            FACT_STATE, NULL},
    {"system.clock_synchronised",   FACT_STATE, NULL}, /* comes and goes with the network */
    {"system.hostname",             FACT_NAME, NULL},  /* the machine id is the identity */
    /* One update of TrueNAS brings all of these: one cause, not four. */
    {"system.os",                   FACT_CONSEQUENCE, "system.truenas"},
    {"system.kernel",               FACT_CONSEQUENCE, "system.truenas"},
    {"system.zfs",                  FACT_CONSEQUENCE, "system.truenas"},
    {"system.samba",                FACT_CONSEQUENCE, "system.truenas"},
    {"system.fio",                  FACT_CONSEQUENCE, "system.truenas"},
    {"system.truenas_build",        FACT_CONSEQUENCE, "system.truenas"},
    {"system.truenas_train",        FACT_CONSEQUENCE, "system.truenas"},
    {"system.zfs_module",           FACT_CONSEQUENCE, "system.zfs"},
    {"system.spl",                  FACT_CONSEQUENCE, "system.zfs_module"},
    {"system.kernel_build",         FACT_CONSEQUENCE, "system.kernel"},
    /* Defaults of a kernel. */
    {"system.mitigations",          FACT_CONSEQUENCE, "system.kernel"},
    {"system.mglru*",               FACT_CONSEQUENCE, "system.kernel"},
    {"system.cpufreq_driver",       FACT_CONSEQUENCE, "system.kernel"},
    {"system.zhist",                FACT_SETTING, NULL}, /* the tool may be the cause itself */
    {"system.truenas",              FACT_SETTING, NULL},
    {"system.arch",                 FACT_SETTING, NULL},
    {"system.cpu",                  FACT_SETTING, NULL},
    {"system.cpu_flags",            FACT_SETTING, NULL},
    {"system.cpus",                 FACT_SETTING, NULL},
    {"system.microcode",            FACT_SETTING, NULL},
    {"system.smt",                  FACT_SETTING, NULL},
    {"system.governor",             FACT_SETTING, NULL},
    {"system.energy_preference",    FACT_SETTING, NULL},
    {"system.numa_nodes",           FACT_SETTING, NULL},
    {"system.memory_limit",         FACT_SETTING, NULL}, /* of the control group */
    {"system.cpu_limit",            FACT_SETTING, NULL},
    {"system.swap_kind",            FACT_SETTING, NULL},
    {"system.zswap",                FACT_SETTING, NULL},
    {"system.turbo",                FACT_SETTING, NULL},
    {"system.memory",               FACT_SETTING, NULL}, /* installed, in steps no kernel moves */
    {"system.swap",                 FACT_SETTING, NULL},
    {"system.page_size",            FACT_SETTING, NULL},
    {"system.thp",                  FACT_SETTING, NULL},
    {"system.cmdline",              FACT_SETTING, NULL}, /* without what names the boot image */
    {"system.virtual",              FACT_SETTING, NULL},
    {"system.container",            FACT_SETTING, NULL},
    {"system.product",              FACT_SETTING, NULL},
    {"system.firmware",             FACT_SETTING, NULL},
    {"system.vm.*",                 FACT_SETTING, NULL}, /* when dirty pages are written back */

    /* The ARC's limits follow zfs_arc_*, memory, kernel and module: facts of their own. Bytes and
     * benchmarks are new at each load of the module. */
    {"module.arc_*",                FACT_STATE, NULL},
    {"module.bench.*",              FACT_STATE, NULL},
    {"module.hostid",               FACT_NAME, NULL},
    {"module.spl_hostid",           FACT_NAME, NULL},
    /* No parameters, though they look so: counters for ZFS's own tests, and a button. */
    {"module.zfs_livelist_condense_*_cancel", FACT_STATE, NULL},
    {"module.zfs_livelist_condense_new_alloc", FACT_STATE, NULL},
    {"module.spl_taskq_kick",       FACT_STATE, NULL},
    /* Their defaults are shares of the memory a kernel leaves: other bytes with each kernel. */
    {"module.zfs_dirty_data_max",   FACT_CONSEQUENCE, "system.kernel"},
    {"module.zfs_dirty_data_max_max", FACT_CONSEQUENCE, "system.kernel"},
    {"module.zfs_wrlog_data_max",   FACT_CONSEQUENCE, "system.kernel"},
    {"module.zfs_dedup_log_mem_max", FACT_CONSEQUENCE, "system.kernel"},
    {"module.dbuf_*cache_max_bytes", FACT_CONSEQUENCE, "system.kernel"},
    /* Offered is what kernel and CPU let the module use. */
    {"module.*.offered",            FACT_CONSEQUENCE, "system.kernel"},
    /* Parameters are defaults of the module that was loaded, unless somebody set them. */
    {"module.*",                    FACT_CONSEQUENCE, "system.zfs_module"},

    {"pool.guid",                   FACT_NAME, NULL},
    {"pool.name",                   FACT_NAME, NULL},
    {"pool.comment",                FACT_NAME, NULL},
    {"pool.altroot",                FACT_NAME, NULL},
    {"pool.bootfs",                 FACT_NAME, NULL},
    {"pool.cachefile",              FACT_NAME, NULL},
    {"pool.disks",                  FACT_NAME, NULL},    /* sda today, sdb after a boot */
    {"pool.load_guid",              FACT_STATE, NULL},   /* another with each import */
    {"pool.alloc*",                 FACT_STATE, NULL},
    {"pool.free*",                  FACT_STATE, NULL},
    {"pool.frag*",                  FACT_STATE, NULL},
    {"pool.cap*",                   FACT_STATE, NULL},
    {"pool.leaked",                 FACT_STATE, NULL},
    {"pool.expandsize",             FACT_STATE, NULL},
    {"pool.checkpoint",             FACT_STATE, NULL},   /* the bytes it holds */
    {"pool.dedupratio",             FACT_STATE, NULL},
    {"pool.dedup_table_size",       FACT_STATE, NULL},
    {"pool.dedupcached",            FACT_STATE, NULL},
    {"pool.dedup*saved",            FACT_STATE, NULL},
    {"pool.dedupused",              FACT_STATE, NULL},
    {"pool.bclone*",                FACT_STATE, NULL},
    {"pool.last_scrubbed_txg",      FACT_STATE, NULL},
    {"pool.health",                 FACT_STATE, NULL},   /* has findings of its own */
    {"pool.suspended",              FACT_STATE, NULL},
    {"pool.status",                 FACT_STATE, NULL},
    {"pool.errors",                 FACT_STATE, NULL},
    {"pool.*_errors",               FACT_STATE, NULL},
    {"pool.scan*",                  FACT_STATE, NULL},
    {"pool.trim",                   FACT_STATE, NULL},
    {"pool.initialize",             FACT_STATE, NULL},
    {"pool.remove",                 FACT_STATE, NULL},
    {"pool.expand",                 FACT_STATE, NULL},
    {"pool.tree",                   FACT_STATE, NULL},   /* `layout` is the setting */
    {"pool.unsupported@*",          FACT_STATE, NULL},
    {"pool.size",                   FACT_SETTING, NULL},
    {"pool.layout",                 FACT_SETTING, NULL},
    {"pool.disk_count",             FACT_SETTING, NULL},
    {"pool.media",                  FACT_SETTING, NULL},
    {"pool.ashift",                 FACT_SETTING, NULL},
    {"pool.autotrim",               FACT_SETTING, NULL},
    {"pool.version",                FACT_SETTING, NULL},
    {"pool.readonly",               FACT_SETTING, NULL},
    {"pool.failmode",               FACT_SETTING, NULL},
    {"pool.multihost",              FACT_SETTING, NULL},
    {"pool.autoexpand",             FACT_SETTING, NULL},
    {"pool.autoreplace",            FACT_SETTING, NULL},
    {"pool.delegation",             FACT_SETTING, NULL},
    {"pool.listsnap*",              FACT_SETTING, NULL},
    {"pool.compatibility",          FACT_SETTING, NULL},
    {"pool.dedup_table_quota",      FACT_SETTING, NULL},
    {"pool.dedupditto",             FACT_SETTING, NULL},
    /* Enabled becomes active by itself at first use: the probe must give both one value. */
    {"pool.feature@*",              FACT_SETTING, NULL},

    {"dataset.type",                FACT_SETTING, NULL},
    {"dataset.encryption",          FACT_SETTING, NULL},
    {"dataset.volblocksize",        FACT_SETTING, NULL},
    {"dataset.casesensitivity",     FACT_SETTING, NULL},
    {"dataset.normalization",       FACT_SETTING, NULL},
    {"dataset.utf8only",            FACT_SETTING, NULL},
    /* keylocation is set by hand as well, but never without encryption and never measured. */
    {"dataset.key*",                FACT_CONSEQUENCE, "dataset.encryption"},
    {"dataset.encryptionroot",      FACT_CONSEQUENCE, "dataset.encryption"},
    {"dataset.pbkdf2*",             FACT_CONSEQUENCE, "dataset.encryption"},
    {"dataset.guid",                FACT_NAME, NULL},    /* a change is an event of its own */
    {"dataset.name",                FACT_NAME, NULL},
    {"dataset.mountpoint",          FACT_NAME, NULL},
    {"dataset.creation",            FACT_NAME, NULL},
    {"dataset.createtxg",           FACT_NAME, NULL},
    {"dataset.objsetid",            FACT_NAME, NULL},
    {"dataset.origin",              FACT_NAME, NULL},
    /* Those that can be set, whoever set them: a changed default is a change too. */
    {"dataset.recordsize",          FACT_SETTING, NULL},
    {"dataset.compression",         FACT_SETTING, NULL},
    {"dataset.checksum",            FACT_SETTING, NULL},
    {"dataset.dedup",               FACT_SETTING, NULL},
    {"dataset.sync",                FACT_SETTING, NULL},
    {"dataset.logbias",             FACT_SETTING, NULL},
    {"dataset.primarycache",        FACT_SETTING, NULL},
    {"dataset.secondarycache",      FACT_SETTING, NULL},
    {"dataset.prefetch",            FACT_SETTING, NULL},
    {"dataset.direct",              FACT_SETTING, NULL},
    {"dataset.atime",               FACT_SETTING, NULL},
    {"dataset.relatime",            FACT_SETTING, NULL},
    {"dataset.xattr",               FACT_SETTING, NULL},
    {"dataset.acltype",             FACT_SETTING, NULL},
    {"dataset.aclmode",             FACT_SETTING, NULL},
    {"dataset.dnodesize",           FACT_SETTING, NULL},
    {"dataset.copies",              FACT_SETTING, NULL},
    {"dataset.redundant_metadata",  FACT_SETTING, NULL},
    {"dataset.special_small_blocks", FACT_SETTING, NULL},
    {"dataset.quota",               FACT_SETTING, NULL},
    {"dataset.refquota",            FACT_SETTING, NULL},
    {"dataset.reservation",         FACT_SETTING, NULL},
    {"dataset.snapshots*",          FACT_STATE, NULL},   /* how many, and when that changed */
    {"dataset.snapshot_newest",     FACT_STATE, NULL},
    {"dataset.snapshot_automatic",  FACT_STATE, NULL},
    {"dataset.snapshot_task",       FACT_STATE, NULL},
    {"dataset.refreservation",      FACT_SETTING, NULL},
    {"dataset.volsize",             FACT_SETTING, NULL},
    {"dataset.volmode",             FACT_SETTING, NULL},
    {"dataset.volthreading",        FACT_SETTING, NULL},
    {"dataset.snapdir",             FACT_SETTING, NULL},
    {"dataset.snapdev",             FACT_SETTING, NULL},
    {"dataset.readonly",            FACT_SETTING, NULL},
    {"dataset.canmount",            FACT_SETTING, NULL},
    {"dataset.exec",                FACT_SETTING, NULL},
    {"dataset.setuid",              FACT_SETTING, NULL},
    {"dataset.devices",             FACT_SETTING, NULL},
    {"dataset.aclinherit",          FACT_SETTING, NULL},
    {"dataset.sharenfs",            FACT_SETTING, NULL},
    {"dataset.sharesmb",            FACT_SETTING, NULL},
    {"dataset.nbmand",              FACT_SETTING, NULL},
    {"dataset.vscan",               FACT_SETTING, NULL},
    {"dataset.overlay",             FACT_SETTING, NULL},
    {"dataset.longname",            FACT_SETTING, NULL},
    {"dataset.zoned",               FACT_SETTING, NULL},
    {"dataset.jailed",              FACT_SETTING, NULL},
    {"dataset.mlslabel",            FACT_SETTING, NULL},
    {"dataset.context",             FACT_SETTING, NULL},
    {"dataset.fscontext",           FACT_SETTING, NULL},
    {"dataset.defcontext",          FACT_SETTING, NULL},
    {"dataset.rootcontext",         FACT_SETTING, NULL},
    {"dataset.version",             FACT_SETTING, NULL},
    {"dataset.filesystem_limit",    FACT_SETTING, NULL},
    {"dataset.snapshot_limit",      FACT_SETTING, NULL},
    {"dataset.default*quota",       FACT_SETTING, NULL},
    /* What moves by itself, or with every snapshot that is taken. */
    {"dataset.used",                FACT_STATE, NULL},
    {"dataset.usedby*",             FACT_STATE, NULL},
    {"dataset.available",           FACT_STATE, NULL},
    {"dataset.referenced",          FACT_STATE, NULL},
    {"dataset.logicalused",         FACT_STATE, NULL},
    {"dataset.logicalreferenced",   FACT_STATE, NULL},
    {"dataset.compressratio",       FACT_STATE, NULL},
    {"dataset.refcompressratio",    FACT_STATE, NULL},
    {"dataset.written",             FACT_STATE, NULL},
    {"dataset.mounted",             FACT_STATE, NULL},
    {"dataset.filesystem_count",    FACT_STATE, NULL},
    {"dataset.snapshot_count",      FACT_STATE, NULL},
    {"dataset.snapshots_changed",   FACT_STATE, NULL},
    {"dataset.userrefs",            FACT_STATE, NULL},
    {"dataset.defer_destroy",       FACT_STATE, NULL},
    {"dataset.clones",              FACT_STATE, NULL},
    {"dataset.receive_resume_token",FACT_STATE, NULL},
    {"dataset.redact_snaps",        FACT_NAME, NULL},

    {"mount.path",                  FACT_NAME, NULL},
    {"mount.mount_point",           FACT_NAME, NULL},
    {"mount.root",                  FACT_NAME, NULL},    /* of a bind mount or a subvolume */
    {"mount.source",                FACT_NAME, NULL},    /* sda1 today, sdb1 after a boot */
    {"mount.chain",                 FACT_NAME, NULL},
    {"mount.disks",                 FACT_NAME, NULL},
    {"mount.device",                FACT_STATE, NULL},   /* handed out at each mount */
    {"mount.size",                  FACT_STATE, NULL},   /* on ZFS and btrfs it breathes */
    {"mount.used",                  FACT_STATE, NULL},
    {"mount.available",             FACT_STATE, NULL},
    {"mount.inodes",                FACT_STATE, NULL},
    {"mount.inodes_free",           FACT_STATE, NULL},
    {"mount.fstype",                FACT_SETTING, NULL},
    {"mount.access",                FACT_SETTING, NULL},
    {"mount.fs_block",              FACT_CONSEQUENCE, "dataset.recordsize"}, /* on ZFS it is that */
    {"mount.server",                FACT_SETTING, NULL}, /* another server is another storage */
    {"mount.backing",               FACT_SETTING, NULL},
    {"mount.layers",                FACT_SETTING, NULL}, /* the chain without its names */
    {"mount.disk_count",            FACT_SETTING, NULL},
    {"mount.nfs.pnfs",              FACT_SETTING, NULL},
    {"mount.nfs.*",                 FACT_STATE, NULL},   /* counters; abilities go when first denied */
    {"mount.smb.channels",          FACT_STATE, NULL},   /* as many as the network has at the time */
    {"mount.smb.*",                 FACT_SETTING, NULL}, /* dialect, signed, encrypted */
    /* Handed out anew at each mount. */
    {"mount.option.fd",             FACT_STATE, NULL},
    {"mount.option.pgrp",           FACT_STATE, NULL},
    {"mount.option.pipe_ino",       FACT_STATE, NULL},
    {"mount.option.mountport",      FACT_STATE, NULL},
    {"mount.option.clientaddr",     FACT_STATE, NULL},   /* DHCP */
    {"mount.option.addr",           FACT_NAME, NULL},    /* `server` is the setting */
    {"mount.option.mountaddr",      FACT_NAME, NULL},
    {"mount.option.subvol",         FACT_NAME, NULL},    /* snapshots and rollbacks renumber */
    {"mount.option.subvolid",       FACT_NAME, NULL},
    {"mount.option.lowerdir*",      FACT_NAME, NULL},    /* of containers: random names */
    {"mount.option.upperdir",       FACT_NAME, NULL},
    {"mount.option.workdir",        FACT_NAME, NULL},
    {"mount.option.*",              FACT_SETTING, NULL},

    {"disk.name",                   FACT_NAME, NULL},    /* sda: handed out at each boot */
    {"disk.size",                   FACT_SETTING, NULL},
    {"disk.model",                  FACT_SETTING, NULL},
    {"disk.vendor",                 FACT_SETTING, NULL},
    {"disk.firmware",               FACT_SETTING, NULL},
    {"disk.serial_digest",          FACT_SETTING, NULL}, /* another disk of the same model */
    {"disk.rotational",             FACT_SETTING, NULL},
    {"disk.transport",              FACT_SETTING, NULL},
    {"disk.link_speed",             FACT_SETTING, NULL}, /* a bad cable shows here */
    {"disk.logical_block_size",     FACT_SETTING, NULL},
    {"disk.physical_block_size",    FACT_SETTING, NULL},
    {"disk.scheduler",              FACT_SETTING, NULL},
    {"disk.write_cache",            FACT_SETTING, NULL},
    {"disk.read_ahead_kb",          FACT_SETTING, NULL},
    {"disk.nr_requests",            FACT_SETTING, NULL},
    {"disk.max_sectors_kb",         FACT_SETTING, NULL},
    {"disk.zoned",                  FACT_SETTING, NULL},
    {"disk.discard",                FACT_SETTING, NULL},
    {"disk.link_speed_max",         FACT_SETTING, NULL},
    {"disk.smr",                    FACT_SETTING, NULL},
    {"disk.pool",                   FACT_NAME, NULL},
    {"disk.vdev",                   FACT_NAME, NULL},    /* counted anew when one is removed */
    {"disk.vdev_class",             FACT_SETTING, NULL},
    {"disk.temperature",            FACT_STATE, NULL},
    /* There as root, with smartctl, while the disk is awake: a set must not change with that. */
    {"disk.smart_*",                FACT_STATE, NULL},
    {"disk.power_on_hours",         FACT_STATE, NULL},
    {"disk.rotation_rate",          FACT_STATE, NULL},
    {"disk.form_factor",            FACT_STATE, NULL},
    {"disk.interface_speed*",       FACT_STATE, NULL},
    {"disk.reallocated_sectors",    FACT_STATE, NULL},
    {"disk.pending_sectors",        FACT_STATE, NULL},
    {"disk.media_errors",           FACT_STATE, NULL},
    {"disk.endurance_used",         FACT_STATE, NULL},
};
/* clang-format on */

static const struct row *row_of(const char *kind, const char *key) {
    char name[512];
    int len = snprintf(name, sizeof name, "%s.%s", kind, key);
    if (len < 0 || (size_t)len >= sizeof name)
        return NULL;
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (!fnmatch(rows[i].pattern, name, 0))
            return &rows[i];
    return NULL;
}

enum fact_class fact_class_sourced(const char *kind, const char *key, const char *source) {
    const struct row *row = row_of(kind, key);
    if (row)
        return row->class;
    /* Somebody set it here, sent it, or wrote it into the profile: a property of a newer ZFS, or
     * one of the users' own. */
    if (!strcmp(kind, "dataset") && source &&
        (!strcmp(source, "local") || !strcmp(source, "received") || !strcmp(source, "declared")))
        return FACT_SETTING;
    return FACT_STATE;
}

enum fact_class fact_class_of(const char *kind, const char *key) {
    return fact_class_sourced(kind, key, NULL);
}

const char *fact_leader(const char *kind, const char *key) {
    const struct row *row = row_of(kind, key);
    return row ? row->leader : NULL;
}

bool fact_class_known(const char *kind, const char *key) {
    return row_of(kind, key);
}
