/*
 * told.c: the two lists of how facts are told to people: the unit of a value by the fact's key, and
 * which facts are for a first look. It must not judge: what a fact means is in src/facts/class.c.
 */
#include <fnmatch.h>

#include "zhist/told.h"
#include "zhist/unit.h"

/* ---- units ----------------------------------------------------------------------------------- */

enum how {
    EXACT,   /* bytes that somebody set: no digit is lost */
    STORAGE, /* bytes that a device has: none either, in powers of 1000 */
    LIMIT,   /* the same, where 0 is none */
    AMOUNT,  /* bytes of storage that move */
    MEMORY,  /* bytes of memory that move */
    DATE,    /* seconds since 1970 */
    SECONDS,
    PERCENT,
    RATE, /* bytes a second */
    NANOSECONDS,
    COUNT, /* 2^64-1 is none */
    CELSIUS,
};

static const struct {
    const char *key; /* as in the shell; with a dot: kind.key */
    enum how how;
} units[] = {
    {"recordsize", EXACT},
    {"volblocksize", EXACT},
    {"volsize", EXACT},
    {"usedby*", AMOUNT},
    {"*quota", LIMIT},
    {"*reservation", LIMIT},
    {"special_small_blocks", LIMIT},
    {"mount.size", AMOUNT}, /* on ZFS and btrfs it breathes */
    {"size", STORAGE},      /* of pools and disks */
    {"memory", EXACT},
    {"memory_limit", EXACT},
    {"swap", LIMIT},
    {"page_size", EXACT},
    {"*_block_size", EXACT},
    {"fs_block", EXACT},
    {"zfs_arc_max", EXACT},
    {"zfs_arc_min", EXACT},
    {"zfs_dirty_data_max*", EXACT},
    {"arc_*", MEMORY},
    {"mem_*", MEMORY},
    {"swap_free", MEMORY},
    {"allocated", AMOUNT},
    {"free", AMOUNT},
    {"freeing", AMOUNT},
    {"leaked", AMOUNT},
    {"checkpoint", AMOUNT},
    {"used", AMOUNT},
    {"available", AMOUNT},
    {"referenced", AMOUNT},
    {"logical*", AMOUNT},
    {"written", AMOUNT},
    {"bclone*ed", AMOUNT},
    {"dedup_table_size", AMOUNT},
    {"creation", DATE},
    {"snapshots_changed", DATE},
    {"uptime", SECONDS},
    {"capacity", PERCENT},
    {"fragmentation", PERCENT},
    {"psi_*", PERCENT},
    {"control_generator", RATE},
    {"control_memory_copy", RATE},
    {"control_raw_read", RATE},
    {"control_timer*", NANOSECONDS},
    {"*_limit", COUNT},
    {"*_count", COUNT},
    {"*temperature", CELSIUS},
};

/* Three digits, and where they are not all, the whole behind them. */
static void put_storage(struct buf *b, int64_t bytes) {
    int64_t step = 1;
    while (bytes / step >= 1000)
        step *= 10;
    unit_put(b, (double)bytes, "B", UNITS_SI);
    if (bytes % step)
        buf_fmt(b, " (%lld B)", (long long)bytes);
}

/* "128 KiB", but no "3907018584 KiB". */
static void put_exact(struct buf *b, int64_t bytes) {
    enum { FEW = 5 };
    struct buf size = {0};
    unit_put_exact(&size, bytes);
    if (bytes && strcspn(size.data, " ") <= FEW) {
        buf_put(b, size.data, size.len);
    } else if (!bytes) {
        buf_str(b, "0");
    } else {
        put_storage(b, bytes);
    }
    buf_release(&size);
}

/* false: it is not of that kind. */
static bool put_as(struct buf *b, enum how how, const char *value) {
    bool is_counted = how != PERCENT && how != RATE && how != NANOSECONDS && how != SECONDS;
    int64_t n = 0;
    double x = 0;
    if (is_counted ? unit_read_count(value, &n) != NULL : unit_read_number(value, &x) != NULL)
        return false;
    switch (how) {
    case EXACT:
        put_exact(b, n);
        return true;
    case STORAGE:
        put_storage(b, n);
        return true;
    case LIMIT:
        if (n)
            put_exact(b, n);
        else
            buf_str(b, "none");
        return true;
    case AMOUNT:
    case MEMORY:
        unit_put(b, (double)n, "B", how == AMOUNT ? UNITS_SI : UNITS_IEC);
        return true;
    case DATE:
        if (n > INT64_MAX / NS_PER_S)
            return false;
        unit_put_date(b, n * NS_PER_S);
        return true;
    case SECONDS:
        if (x < 0 || x > 9e9)
            return false;
        unit_put_duration(b, (int64_t)(x * 1e9));
        return true;
    case PERCENT:
    case CELSIUS:
        buf_fmt(b, "%s %s", value, how == PERCENT ? "%" : "C");
        return true;
    case RATE:
        unit_put(b, x, "B/s", UNITS_SI);
        return true;
    case NANOSECONDS:
        unit_put(b, x, "ns", UNITS_SI);
        return true;
    case COUNT:
        break;
    }
    return false;
}

static void put_one(struct buf *b, const char *name, const char *key, const char *value) {
    bool is_told = false;
    size_t i = 0;
    while (i < LENGTH(units) && fnmatch(units[i].key, strchr(units[i].key, '.') ? name : key, 0))
        i++;
    if (i < LENGTH(units))
        is_told = put_as(b, units[i].how, value);
    if (!is_told && !strcmp(value, "18446744073709551615"))
        buf_str(b, i < LENGTH(units) && units[i].how == COUNT ? "none" : "no limit (2^64-1)");
    else if (!is_told)
        buf_str(b, value);
}

void fact_put(struct buf *b, const char *name, const char *value) {
    static const char between[] = " | ";
    const char *key = name + strlen(name), *end;
    while (key > name && key[-1] != '.' && key[-1] != ' ')
        key--;
    for (; (end = strstr(value, between)); value = end + strlen(between)) {
        struct buf one = {0};
        buf_put(&one, value, (size_t)(end - value));
        put_one(b, name, key, one.len ? one.data : "");
        buf_release(&one);
        buf_str(b, between);
    }
    put_one(b, name, key, value);
}

/* ---- the first look -------------------------------------------------------------------------- */

static const char *const main_facts[] = {
    "system.os",
    "system.truenas",
    "system.kernel",
    "system.zfs",
    "system.zfs_module",
    "system.cpu",
    "system.cpus",
    "system.governor",
    "system.memory",
    "system.memory_limit",
    "system.swap",
    "system.virtual",
    "system.container",
    "system.product",
    "system.zhist",
    "system.samba",
    "system.load1",
    "system.psi_io",
    "system.mem_available",
    "system.clock_synchronised",
    "system.control_*",
    "dataset.name",
    "dataset.type",
    "dataset.creation",
    "dataset.recordsize",
    "dataset.volblocksize",
    "dataset.compression",
    "dataset.encryption",
    "dataset.checksum",
    "dataset.sync",
    "dataset.logbias",
    "dataset.primarycache",
    "dataset.secondarycache",
    "dataset.direct",
    "dataset.atime",
    "dataset.dedup",
    "dataset.copies",
    "dataset.xattr",
    "dataset.special_small_blocks",
    "dataset.quota",
    "dataset.volsize",
    "dataset.used",
    "dataset.available",
    "dataset.compressratio",
    "dataset.snapshots",
    "pool.name",
    "pool.layout",
    "pool.disk_count",
    "pool.media",
    "pool.ashift",
    "pool.autotrim",
    "pool.size",
    "pool.free",
    "pool.capacity",
    "pool.fragmentation",
    "pool.health",
    "pool.status",
    "pool.scan",
    "pool.errors",
    "disk.name",
    "disk.model",
    "disk.size",
    "disk.rotational",
    "disk.transport",
    "disk.link_speed",
    "disk.firmware",
    "disk.scheduler",
    "disk.write_cache",
    "disk.smr",
    "disk.temperature",
    "disk.vdev",
    "disk.vdev_class",
    "mount.path",
    "mount.fstype",
    "mount.mount_point",
    "mount.source",
    "mount.server",
    "mount.backing",
    "mount.chain",
    "mount.size",
    "mount.available",
    "mount.access",
    "mount.option.*",
    "mount.smb.*",
    "module.zfs_arc_max",
    "module.arc_c_max",
    "module.arc_size",
    "module.zfs_dirty_data_max",
    "module.zfs_txg_timeout",
    "module.zfs_dio_enabled",
    "module.*_impl",
};

bool fact_is_main(const char *name, const char *source) {
    bool set = source && (!strcmp(source, "local") || !strcmp(source, "received"));
    if (set && !strncmp(name, "dataset.", 8) && !strchr(name, ':'))
        return true;
    for (size_t i = 0; i < LENGTH(main_facts); i++)
        if (!fnmatch(main_facts[i], name, 0))
            return true;
    return false;
}
