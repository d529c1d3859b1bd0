/*
 * unit_witness.c: where bytes came from and what became of O_DIRECT, with the counters that real
 * OpenZFS 2.1, 2.3 and 2.4 showed around reads of a 512 MiB file (recordsize 128k, mirror).
 */
#include "check.h"
#include "counters.h"

static char text[256];
#define NAME(...) (snprintf(text, sizeof text, __VA_ARGS__), text)

/* ---- on OpenZFS ------------------------------------------------------------------------------ */

struct lab {
    const char *what;
    bool direct;          /* asked */
    int64_t disks;        /* MiB they read */
    int64_t hits, misses; /* of the ARC, demand and prefetch */
    int64_t past;         /* MiB of R; -1: not counted (2.1) */
    enum cache_class class;
    enum effect effect;
};

/* clang-format off */
static const struct lab lab[] = {
    /* 2.1.11 */
    {"2.1: just written",              false,   0, 4096,    0,  -1, CACHE_CACHED,  EFFECT_NO},
    {"2.1: cold, 4067 of 4096 are hits", false, 512, 4067, 4096, -1, CACHE_COLD,   EFFECT_NO},
    {"2.1: cold, encrypted",           false, 513, 1816, 4096,  -1, CACHE_COLD,    EFFECT_NO},
    {"2.1: O_DIRECT of what is cached", true,   0, 4096,    0,  -1, CACHE_CACHED,  EFFECT_NO},
    {"2.1: O_DIRECT, cold",             true, 512, 4066, 4096,  -1, CACHE_COLD,    EFFECT_NO},
    {"2.1: drop_caches=2",             false, 351, 4080, 2810,  -1, CACHE_PARTIAL, EFFECT_NO},
    {"2.1: small ARC, dropped",        false, 496, 4080, 3967,  -1, CACHE_COLD,    EFFECT_NO},
    {"2.1: primarycache=metadata",     false, 512,    0, 4096,  -1, CACHE_COLD,    EFFECT_NO},
    {"2.1: primarycache=none",         false, 536,    0, 4096,  -1, CACHE_COLD,    EFFECT_NO},
    {"2.1: second read, ARC of 64 MiB", false, 559, 3699, 4474, -1, CACHE_COLD,    EFFECT_NO},
    /* 2.3.9 */
    {"2.3: just written",              false,   0, 4096,    0,   0, CACHE_CACHED,  EFFECT_NO},
    {"2.3: cold",                      false, 513, 4069, 4096,   0, CACHE_COLD,    EFFECT_NO},
    {"2.3: O_DIRECT of what is cached", true, 496,  126,    0, 496, CACHE_COLD,    EFFECT_YES},
    {"2.3: O_DIRECT, encrypted, cached", true, 482, 244,    0, 481, CACHE_COLD,    EFFECT_YES},
    {"2.3: O_DIRECT, cold",             true, 512,    0,    0, 512, CACHE_COLD,    EFFECT_YES},
    {"2.3: direct=always, not asked",  false, 512,    0,    0, 512, CACHE_COLD,    EFFECT_YES},
    {"2.3: direct=disabled, O_DIRECT",  true,   0, 4096,    0,   0, CACHE_CACHED,  EFFECT_NO},
    {"2.3: direct=disabled, cold",      true, 512, 4072, 4096,   0, CACHE_COLD,    EFFECT_NO},
    {"2.3: drop_caches=3",             false, 340, 4071, 2721,   0, CACHE_PARTIAL, EFFECT_NO},
    {"2.3: half of it past the cache",  true, 256, 2048,    0, 256, CACHE_PARTIAL, EFFECT_PARTLY},
};
/* clang-format on */

static void make_zfs(enum phase phase, int64_t read, int64_t block, int64_t hits, int64_t misses) {
    make(phase, 5, 2);
    moved(read, 0, block);
    made.c.storage = STORAGE_ZFS;
    made.c.recordsize = 131072;
    made.c.ratio = 1;
    made.c.file = read;
    made.c.jobs = made.c.depth = 1;
    made.c.pending = 0;
    made.c.expansion = 2;
    counted(METER_DATASET_READ, read);
    counted(METER_DATASET_WRITTEN, 0);
    counted(METER_ARC_DATA_HITS, hits);
    counted(METER_ARC_DATA_MISSES, misses);
}

static void test_lab(void) {
    for (size_t i = 0; i < LENGTH(lab); i++) {
        const struct lab *l = &lab[i];
        make_zfs(PHASE_READ, MIB(512), 1 << 20, l->hits, l->misses);
        disks_moved(MIB(l->disks), MIB(1));
        made.c.direct = l->direct;
        if (l->past >= 0) {
            counted(METER_DIRECT_READ, MIB(l->past));
            counted(METER_DIRECT_WRITTEN, 0);
        }
        const struct witness *w = judge();
        CHECK_TEXT(NAME("%s: class", l->what), cache_class_names[w->class],
                   cache_class_names[l->class]);
        CHECK_TEXT(NAME("%s: O_DIRECT", l->what), effect_names[w->direct], effect_names[l->effect]);
        CHECK(NAME("%s: nobody else", l->what), !w->other_io && w->others == 0);
    }
}

static void test_small_blocks(void) {
    make_zfs(PHASE_READ, MIB(512), 4096, 131033, 4127);
    disks_moved(MIB(516), 0);
    CHECK("4 KiB in order, cold: 131033 hits, all from the disks", judge()->class == CACHE_COLD);
    make_zfs(PHASE_READ, MIB(16), 4096, 0, 4096);
    disks_moved(MIB(512), 0);
    CHECK("4 KiB in order, nothing cached: 32 times as much is ours",
          judge()->class == CACHE_COLD && !judge()->other_io);
    make_zfs(PHASE_RANDREAD, MIB(1024), 4096, 253952, 8192);
    disks_moved(MIB(1024), 0);
    CHECK("random 4 KiB: each record read once, 31 of 32 from memory",
          judge()->class == CACHE_CACHED);
    CHECK_NEAR("and so says cached_pct", judge()->numbers.cached_pct, 31.0 / 32, 1e-9);
    make_zfs(PHASE_RANDREAD, MIB(32), 4096, 0, 8192);
    disks_moved(MIB(1024), 0);
    CHECK("random 4 KiB, each from another record: cold", judge()->class == CACHE_COLD);
}

static void test_compression(void) {
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 0, 0);
    made.c.ratio = 512;
    CHECK("zeros on lz4: neither memory nor disks", judge()->class == CACHE_UNKNOWN);
    CHECK("with the reason", strstr(judge()->why, "zeros") != NULL);
    CHECK("and no share", isnan(judge()->cached) && isnan(judge()->numbers.cached_pct));
    made.c.ratio = (double)NAN;
    CHECK("the same where the compression is not known", judge()->class == CACHE_UNKNOWN);
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4096, 0);
    made.c.ratio = 512;
    CHECK("all of it found in the ARC: cached, however far compressed",
          judge()->class == CACHE_CACHED);
    made.c.ratio = INFINITY;
    CHECK("allocated nothing: likewise", judge()->class == CACHE_CACHED);
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4080, 4096);
    disks_moved(MIB(256), 0);
    made.c.ratio = 2;
    CHECK("half the bytes, all of the data: cold", judge()->class == CACHE_COLD);
    made.c.ratio = (double)NAN;
    CHECK("unknown, without the ratio", judge()->class == CACHE_UNKNOWN);
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4080, 4096);
    disks_moved(MIB(512), 0);
    made.c.ratio = 0.5;
    CHECK("copies=2: one of them is read", judge()->class == CACHE_COLD);
}

static void test_others_reading(void) {
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4096, 0);
    disks_moved(MIB(900), 0);
    CHECK("a scrub reads: cached by the ARC, not by the disks: unknown",
          judge()->class == CACHE_UNKNOWN);
    CHECK("and that is others' I/O", judge()->other_io && judge()->others > MIB(100));
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 8192, 12000);
    disks_moved(MIB(1500), 0);
    CHECK("a second reader: unknown", judge()->class == CACHE_UNKNOWN);
    CHECK("and said", strstr(judge()->why, "somebody else") != NULL);
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4096, 4096);
    disks_moved(MIB(1), 0);
    CHECK("another pool's misses: the witnesses do not agree", judge()->class == CACHE_UNKNOWN);
    make_zfs(PHASE_READ, MIB(1), 4096, 8, 8);
    disks_moved(MIB(1), 0);
    made.c.file = 4096;
    CHECK("a megabyte cannot be told from metadata", judge()->class == CACHE_UNKNOWN);
    make_zfs(PHASE_READ, MIB(1), 4096, 256, 0);
    made.c.file = 4096;
    CHECK("but that the disks did not read it can", judge()->class == CACHE_CACHED);
    make_zfs(PHASE_READ, MIB(64), 1 << 20, 500, 512);
    disks_moved(MIB(66), MIB(1));
    CHECK("64 MiB of a quick run: cold", judge()->class == CACHE_COLD);
    make_zfs(PHASE_READ, MIB(64), 1 << 20, 512, 0);
    disks_moved(MIB(2), MIB(1));
    CHECK("64 MiB of a quick run: cached", judge()->class == CACHE_CACHED);
    make_zfs(PHASE_READ, MIB(50), 4096, 100, 12800);
    disks_moved(MIB(70), MIB(1));
    made.c.file = 4096;
    CHECK("small files have small records", judge()->class == CACHE_COLD);
    CHECK("and metadata", !judge()->other_io);
}

static void test_zfs_unknown(void) {
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4096, 0);
    made.c.recordsize = UNKNOWN;
    CHECK("without a record size one witness is left", judge()->class == CACHE_UNKNOWN);
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4096, 0);
    made.reading[METER_AFTER].disk[1].read = UNKNOWN;
    CHECK("one disk unknown: P is",
          judge()->class == CACHE_UNKNOWN && isnan(judge()->others_share));
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4096, 0);
    made.reading[METER_AFTER].count[METER_ARC_DATA_MISSES] = 3;
    CHECK("a counter that went backwards is unknown", judge()->class == CACHE_UNKNOWN);
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4096, 0);
    made.reading[METER_AFTER].disk[1].name = "sdz";
    CHECK("other disks: nothing is known", judge()->class == CACHE_UNKNOWN);
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4096, 0);
    made.it.meter[METER_AFTER] = NULL;
    CHECK("no readings", judge()->class == CACHE_UNKNOWN && !made.p.known);
    CHECK("of which nothing is zero",
          made.p.run.read == UNKNOWN && isnan(made.p.run.cpu) && isnan(judge()->numbers.requests));
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 0, 0);
    made.it.meter[METER_BEFORE] = NULL;
    made.c.direct = true;
    CHECK("O_DIRECT without readings", judge()->direct == EFFECT_UNKNOWN);
    make(PHASE_WRITE, 5, 2);
    moved(0, MIB(512), 1 << 20);
    made.c.storage = STORAGE_ZFS;
    CHECK("writes have no class", judge()->class == CACHE_NONE);
}

/* ---- O_DIRECT -------------------------------------------------------------------------------- */

static void make_zfs_write(int64_t past) {
    make(PHASE_WRITE, 12, 2);
    moved(0, MIB(512), 1 << 20);
    made.c.storage = STORAGE_ZFS;
    made.c.recordsize = 131072;
    made.c.direct = true;
    counted(METER_DATASET_READ, 0);
    counted(METER_DATASET_WRITTEN, MIB(512));
    if (past >= 0) {
        counted(METER_DIRECT_READ, 0);
        counted(METER_DIRECT_WRITTEN, MIB(past));
    }
}

static void test_direct(void) {
    make_zfs_write(511);
    CHECK("2.3: written past the cache", judge()->direct == EFFECT_YES);
    CHECK_NEAR("direct_pct", judge()->numbers.direct_pct, 511.0 / 512, 1e-9);
    make_zfs_write(0);
    CHECK("2.3: blocks smaller than a record", judge()->direct == EFFECT_NO);
    make_zfs_write(-1);
    CHECK("2.1: no such counter", judge()->direct == EFFECT_NO);
    CHECK("and no direct_pct", isnan(judge()->numbers.direct_pct));
    made.reading[METER_BEFORE].count[METER_DIRECT_WRITTEN] = 9000;
    made.reading[METER_AFTER].count[METER_DIRECT_WRITTEN] = 3;
    CHECK("a counter made anew is not one that is missing", judge()->direct == EFFECT_UNKNOWN);
    make_zfs_write(-1);
    made.reading[METER_BEFORE].count[METER_DATASET_READ] = UNKNOWN;
    CHECK("nothing of the pool may be read", judge()->direct == EFFECT_UNKNOWN);
    make_zfs(PHASE_READ, MIB(512), 131072, 100, 0);
    made.c.direct = true;
    counted(METER_DATASET_READ, MIB(512));
    CHECK("2.1: reads that the dbuf cache answered ask no ARC: not past it either",
          judge()->direct == EFFECT_NO);
    make_zfs_write(900);
    CHECK("others write past the cache of this pool", judge()->direct == EFFECT_UNKNOWN);
    make_zfs_write(511);
    counted(METER_DATASET_WRITTEN, MIB(20));
    CHECK("the dataset did not see it", judge()->direct == EFFECT_UNKNOWN);
    make_zfs(PHASE_RANDREAD, MIB(16), 4096, 0, 0);
    made.c.direct = true;
    counted(METER_DIRECT_READ, MIB(512));
    counted(METER_DIRECT_WRITTEN, 0);
    CHECK("4 KiB of whole records past the cache", judge()->direct == EFFECT_YES);
}

/* ---- other file systems ---------------------------------------------------------------------- */

static void make_disk(enum phase phase, int64_t bytes, int64_t disks, int64_t process) {
    bool reads = phases[phase].reads;
    make(phase, 5, 1);
    moved(reads ? bytes : 0, reads ? 0 : bytes, 1 << 20);
    made.c.storage = STORAGE_DISKS;
    made.c.ratio = 1;
    made.c.pending = 0;
    made.c.expansion = 1;
    counted(reads ? METER_PROC_READ : METER_PROC_WRITTEN, process);
    if (reads)
        disks_moved(disks, 0);
    else
        disks_moved(0, disks);
}

static void test_disks(void) {
    make_disk(PHASE_READ, MIB(512), MIB(512), MIB(512));
    CHECK("ext4: cold", judge()->class == CACHE_COLD && judge()->direct == EFFECT_NO);
    made.c.direct = true;
    CHECK("and past the cache, where asked", judge()->direct == EFFECT_YES);
    make_disk(PHASE_READ, MIB(512), 0, 0);
    made.c.direct = true;
    CHECK("ext4: warm", judge()->class == CACHE_CACHED);
    CHECK("O_DIRECT fell back to the cache", judge()->direct == EFFECT_NO);
    make_disk(PHASE_READ, MIB(512), MIB(200), MIB(210));
    CHECK("ext4: half evicted", judge()->class == CACHE_PARTIAL);
    CHECK_NEAR("by the disks", judge()->cached, 312.0 / 512, 1e-9);
    make_disk(PHASE_READ, MIB(512), MIB(700), 0);
    made.c.direct = true;
    CHECK("others read while we had it cached: unknown", judge()->class == CACHE_UNKNOWN);
    CHECK("and whether it went past the cache", judge()->direct == EFFECT_UNKNOWN);
    make_disk(PHASE_READ, MIB(512), 0, MIB(512));
    made.c.direct = true;
    CHECK("the file behind a loop device was cached: unknown", judge()->class == CACHE_UNKNOWN);
    CHECK("and whether O_DIRECT did what it should", judge()->direct == EFFECT_UNKNOWN);
    make_disk(PHASE_READ, MIB(512), MIB(700), 0);
    CHECK("and said", judge()->other_io);
    make_disk(PHASE_READ, MIB(1), MIB(1), MIB(1));
    CHECK("the kernel counts for the process: a megabyte is enough", judge()->class == CACHE_COLD);
    make_disk(PHASE_READ, MIB(512), MIB(512), MIB(512));
    made.reading[METER_AFTER].n_disks = made.reading[METER_BEFORE].n_disks = 0;
    CHECK("without disks one witness is left", judge()->class == CACHE_UNKNOWN);
    make_disk(PHASE_WRITE, MIB(512), MIB(512), MIB(512));
    made.c.direct = true;
    CHECK("on disk when the last write returned: direct", judge()->direct == EFFECT_YES);
    make_disk(PHASE_WRITE, MIB(512), MIB(30), MIB(512));
    made.c.direct = true;
    CHECK("still in memory: not", judge()->direct == EFFECT_NO);
    make_disk(PHASE_STAT, 0, 0, 0);
    made.it.ops = made.it.read_ops = 10000;
    CHECK("names and sizes from memory", judge()->class == CACHE_CACHED);
    disks_moved(MIB(5), 0);
    CHECK("or who knows", judge()->class == CACHE_UNKNOWN);
}

static void test_memory_and_network(void) {
    make(PHASE_READ, 1, 0);
    moved(MIB(512), 0, 1 << 20);
    made.c.storage = STORAGE_MEMORY;
    made.c.direct = true;
    CHECK("tmpfs is memory, also where O_DIRECT opens",
          judge()->class == CACHE_CACHED && judge()->direct == EFFECT_NO && judge()->cached == 1);
    made.c.storage = STORAGE_NETWORK;
    counted(METER_NET_RECEIVED, MIB(2));
    CHECK("nothing received: the client's memory", judge()->class == CACHE_CACHED);
    counted(METER_NET_RECEIVED, MIB(530));
    CHECK("all received: the server's memory cannot be seen", judge()->class == CACHE_UNKNOWN);
    CHECK("but it went past the client's", judge()->direct == EFFECT_YES);
    made.c.storage = STORAGE_UNKNOWN;
    CHECK("who knows what", judge()->class == CACHE_UNKNOWN && judge()->direct == EFFECT_UNKNOWN);
}

/* ---- others' I/O ----------------------------------------------------------------------------- */

/* 512 MiB on a mirror; the disks wrote so many MiB. */
static void make_zfs_written(double disks) {
    make_zfs_write(-1);
    made.c.ratio = 1;
    made.c.expansion = 2;
    made.c.pending = 0;
    made.c.flush = FLUSH_END;
    made.it.size = MIB(512);
    made.it.allocated = MIB(513);
    disks_moved(0, MIB(400));
    flushed(1, MIB(disks - 400));
}

static void test_others_writing(void) {
    static const double own[] = {1029, 1031, 1035, 1061, 1091};
    for (size_t i = 0; i < LENGTH(own); i++) {
        make_zfs_written(own[i]);
        CHECK(NAME("a mirror writes %g for 512: nobody else", own[i]), !judge()->other_io);
    }
    CHECK_NEAR("write_expansion, flush included", judge()->numbers.write_expansion, 1091.0 / 512,
               1e-6);
    make_zfs_written(2000);
    CHECK("a second writer", judge()->other_io && judge()->others > MIB(700));
    made.c.pending = MIB(800);
    CHECK("or what we wrote before", !judge()->other_io);
    made.c.pending = UNKNOWN;
    CHECK("not judged where that is not known", judge()->others == 0 && !judge()->other_io);
    make_zfs_written(3072);
    made.c.expansion = 3;
    CHECK("a mirror of three", judge()->others < MIB(1300));
    made.c.expansion = (double)NAN;
    CHECK("an unknown layout is not judged", !judge()->other_io);
    make_zfs_written(1029);
    made.it.phase = PHASE_RANDWRITE;
    made.it.size = made.it.allocated = UNKNOWN;
    made.it.bytes = MIB(8);
    made.it.ops = 2048;
    made.c.block = 4096;
    CHECK("4 KiB into records of 128 KiB: each is written whole", !judge()->other_io);
    disks_moved(MIB(256), 0);
    CHECK("and read before", !judge()->other_io);
    disks_moved(MIB(900), 0);
    CHECK("but not more than that", judge()->other_io);
    made.c.dedup = true;
    CHECK("unless dedup's tables may be read", !judge()->other_io);
    make_disk(PHASE_WRITE, MIB(512), MIB(530), MIB(512));
    CHECK("ext4 and its journal", !judge()->other_io);
    make_disk(PHASE_WRITE, MIB(512), MIB(1500), MIB(512));
    CHECK("ext4 and somebody else", judge()->other_io);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void test_numbers(void) {
    make_zfs(PHASE_READ, MIB(512), 1 << 20, 4080, 4096);
    disks_moved(MIB(512), 0);
    disks_busy(0.6, 3);
    made.reading[METER_AFTER].disk[1].busy += SECONDS(1);
    cpu_busy(0.5, 1, 4);
    made.it.size = MIB(512);
    made.it.allocated = MIB(256);
    const struct witness_numbers *n = &judge()->numbers;
    CHECK_NEAR("request_size", n->request_size, 131072, 1e-12);
    CHECK_NEAR("requests", n->requests, 4096, 1e-12);
    CHECK_NEAR("disk_busy", n->disk_busy, 0.8, 1e-9);
    CHECK_NEAR("disk_busy_mean", n->disk_busy_mean, 0.7, 1e-9);
    CHECK_NEAR("cpu_per_gib: 4 CPUs half busy for 5 s, half a GiB", n->cpu_per_gib, 20, 1e-6);
    CHECK_NEAR("stored_ratio", n->stored_ratio, 2, 1e-12);
    CHECK("no write_expansion of a read", isnan(n->write_expansion));
    CHECK("the busiest disk", made.p.run.busiest == 1);
    made.reading[METER_AFTER].count[METER_CPU_IOWAIT] -= 100;
    made.reading[METER_AFTER].count[METER_CPU_IDLE] += 100;
    CHECK_NEAR("iowait may go backwards", (judge(), made.p.run.cpu), 0.5, 1e-6);
}

static void test_cell(void) {
    enum cache_class c[10] = {CACHE_COLD, CACHE_COLD, CACHE_COLD, CACHE_CACHED, CACHE_COLD,
                              CACHE_COLD, CACHE_COLD, CACHE_COLD, CACHE_COLD,   CACHE_COLD};
    bool deviates[10];
    CHECK("nine of ten cold: cold", cell_class(c, 10, deviates) == CACHE_COLD);
    CHECK("the tenth deviates", deviates[3] && !deviates[0] && !deviates[9]);
    CHECK("eight of nine: partial", cell_class(c, 9, deviates) == CACHE_PARTIAL);
    CHECK("of which none deviates", !deviates[3] && !deviates[0]);
    CHECK("no iterations", cell_class(c, 0, NULL) == CACHE_UNKNOWN);
    CHECK("one", cell_class(&c[3], 1, NULL) == CACHE_CACHED);
    enum effect e[3] = {EFFECT_YES, EFFECT_YES, EFFECT_NO};
    CHECK("all yes", cell_effect(e, 2) == EFFECT_YES);
    CHECK("yes and no", cell_effect(e, 3) == EFFECT_PARTLY);
    e[0] = EFFECT_UNKNOWN;
    CHECK("one unknown", cell_effect(e, 3) == EFFECT_UNKNOWN);
    CHECK("none", cell_effect(e, 0) == EFFECT_UNKNOWN);
}

int main(void) {
    test_lab();
    test_small_blocks();
    test_compression();
    test_others_reading();
    test_zfs_unknown();
    test_direct();
    test_disks();
    test_memory_and_network();
    test_others_writing();
    test_numbers();
    test_cell();
    return check_done();
}
