/*
 * unit_ceiling.c: what is too fast to be true, three published measurements among it.
 */
#include "check.h"
#include "zhist/witness.h"

static const double none = (double)NAN;

static struct hardware_spec hardware(int64_t disks, double throughput, const char *layout) {
    return (struct hardware_spec){.disks = disks,
                                  .disk_throughput = throughput,
                                  .layout = layout,
                                  .disk_iops = none,
                                  .network = none};
}

static const struct ceiling_disk hdds[] = {{MEDIA_HDD, false, (double)NAN},
                                           {MEDIA_HDD, false, (double)NAN},
                                           {MEDIA_HDD, false, (double)NAN},
                                           {MEDIA_HDD, false, (double)NAN}};

/* A forum: 2000 MiB read in 0.263 s (encrypted: 0.513) from a mirror of two 248 MB/s disks, written
 * in 4.69 s. */
static void test_forum(void) {
    struct hardware_spec h = hardware(2, 248e6, "mirror");
    struct ceiling_ask ask = {&h, STORAGE_ZFS, NULL, NULL, 0, none, none, none};
    struct ceiling c = ceiling_of(&ask);
    double read = 2000 * 1048576.0 / 0.263, encrypted = 2000 * 1048576.0 / 0.513;
    CHECK("two disks read 496 MB/s, a mirror writes 248", c.read == 496e6 && c.write == 248e6);
    CHECK_TEXT("by the profile", ceiling_sources[c.source], "what the profile says that the disks can do");
    CHECK("7.97 GB/s from two disks: memory",
          ceiling_judge(&c, read, true, false, CACHE_CACHED, 1) == TOO_FAST_MEMORY);
    CHECK("4.1 GB/s, encrypted: likewise",
          ceiling_judge(&c, encrypted, true, false, CACHE_CACHED, 1) == TOO_FAST_MEMORY);
    CHECK("without counters: what moved them is not known",
          ceiling_judge(&c, read, true, false, CACHE_UNKNOWN, 1) == TOO_FAST_UNKNOWN);
    CHECK("and most likely memory", strstr(too_fast_why[TOO_FAST_UNKNOWN], "memory") != NULL);
    CHECK("written at 447 MB/s without a flush: in the write buffer",
          ceiling_judge(&c, 2000 * 1048576.0 / 4.69, false, false, CACHE_NONE, 1) ==
              TOO_FAST_BUFFER);
    ask = (struct ceiling_ask){NULL, STORAGE_ZFS, "mirror", hdds, 2, none, none, none};
    c = ceiling_of(&ask);
    ask.expansion = 1.5;
    CHECK("what the layout writes besides is not the workload's",
          ceiling_of(&ask).write * 1.5 == ceiling_of(&ask).read);
    ask.expansion = none;
    CHECK("without the profile: any two disks that turn",
          ceiling_judge(&c, read, true, false, CACHE_CACHED, 1) == TOO_FAST_MEMORY);
    CHECK("at most 600 MB/s", c.read == 600e6 && c.source == CEILING_DISKS);
}

/* A blog: 2433 MB/s through a share of a virtual machine, from one NVMe disk. */
static void test_blog(void) {
    struct ceiling_ask ask = {NULL, STORAGE_NETWORK, NULL, NULL, 0, 1.25e9, none, none};
    struct ceiling c = ceiling_of(&ask);
    CHECK("twice the 10 Gbit/s of the link: not through it",
          ceiling_judge(&c, 2433e6, true, false, CACHE_UNKNOWN, none) == TOO_FAST_UNKNOWN);
    CHECK("compression does not make a link faster",
          ceiling_judge(&c, 2433e6, true, false, CACHE_UNKNOWN, 3) == TOO_FAST_UNKNOWN);
    CHECK("108 MB/s are",
          ceiling_judge(&c, 108e6, true, false, CACHE_UNKNOWN, none) == TOO_FAST_NOT);
    ask.network = none;
    c = ceiling_of(&ask);
    CHECK("an unknown link proves nothing",
          isnan(c.read) && c.source == CEILING_NONE &&
              ceiling_judge(&c, 2433e6, true, false, CACHE_UNKNOWN, none) == TOO_FAST_NOT);
    ask = (struct ceiling_ask){
        NULL, STORAGE_ZFS, "single", &(struct ceiling_disk){MEDIA_NVME, false, 3.94e9},
        1,    none,        none, none};
    c = ceiling_of(&ask);
    CHECK("one NVMe on PCIe 3.0 x4 could do it",
          ceiling_judge(&c, 2433e6, true, false, CACHE_CACHED, none) == TOO_FAST_NOT);
}

/* A lab: four 5400 rpm disks in raidz2 behind 100 GbE: 2.62 GB/s written, 1.38 read. */
static void test_lab(void) {
    struct hardware_spec h = hardware(4, 180e6, "raidz2");
    h.network = 12.5e9;
    struct ceiling_ask ask = {&h, STORAGE_NETWORK, NULL, NULL, 0, none, none, none};
    struct ceiling c = ceiling_of(&ask);
    CHECK("the disks are narrower than the wire", c.source == CEILING_DECLARED);
    CHECK("two of four hold data", c.read == 720e6 && c.write == 360e6);
    CHECK("2.62 GB/s written: memory of the server",
          ceiling_judge(&c, 2.62e9, false, true, CACHE_NONE, none) == TOO_FAST_UNKNOWN);
    CHECK("1.38 GB/s read as well",
          ceiling_judge(&c, 1.38e9, true, false, CACHE_UNKNOWN, none) == TOO_FAST_UNKNOWN);
    CHECK("680 MB/s of data that compresses 2:1 are possible",
          ceiling_judge(&c, 680e6, false, true, CACHE_NONE, 2) == TOO_FAST_COMPRESSION);
}

static void test_limits(void) {
    struct hardware_spec h = hardware(2, 100e6, "stripe");
    struct ceiling_ask ask = {&h, STORAGE_DISKS, NULL, NULL, 0, none, none, none};
    struct ceiling c = ceiling_of(&ask);
    CHECK("5 % above is within",
          ceiling_judge(&c, 209e6, true, false, CACHE_COLD, 1) == TOO_FAST_NOT);
    CHECK("6 % is not", ceiling_judge(&c, 212e6, true, false, CACHE_COLD, 1) == TOO_FAST_UNKNOWN);
    CHECK("zeros", ceiling_judge(&c, 5e9, false, true, CACHE_NONE, 512) == TOO_FAST_ZEROS);
    CHECK("more than compression explains",
          ceiling_judge(&c, 900e6, false, true, CACHE_NONE, 2) == TOO_FAST_UNKNOWN);
    h = hardware(UNKNOWN, none, NULL);
    ask.seen = 700e6;
    c = ceiling_of(&ask);
    CHECK("else the most it ever showed", c.source == CEILING_SEEN && c.read == 700e6);
    ask.storage = STORAGE_MEMORY;
    CHECK("memory has no ceiling", isnan(ceiling_of(&ask).read));
    struct ceiling_disk ssds[] = {{MEDIA_SSD, false, none}, {MEDIA_SSD, true, none}};
    ask = (struct ceiling_ask){NULL, STORAGE_DISKS, NULL, ssds, 2, none, none, none};
    CHECK("SATA and SAS", ceiling_of(&ask).read == 1760e6);
    ssds[0].link = 300e6;
    CHECK("on a slower link", ceiling_of(&ask).read == 1500e6);
    ssds[1].media = MEDIA_UNKNOWN;
    CHECK("one unknown disk: no ceiling", isnan(ceiling_of(&ask).read));
    ask.disks = hdds;
    ask.n_disks = 4;
    ask.layout = "raidz1";
    CHECK("raidz1 of four", ceiling_of(&ask).write == 900e6);
}

int main(void) {
    test_forum();
    test_blog();
    test_lab();
    test_limits();
    return check_done();
}
