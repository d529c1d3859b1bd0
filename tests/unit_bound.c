/*
 * unit_bound.c: what set the pace: for each word one iteration that gets it, and the same one with
 * one number moved that does not; and the order of the words.
 */
#include "check.h"
#include "counters.h"

static void is(const char *name, enum bound want) {
    CHECK_TEXT(name, bound_names[bound(NULL)], bound_names[want]);
}

/* 4 GiB in 10 s through O_DIRECT by one thread on two disks of a kind, nothing full. */
static void plain(enum phase phase, enum media media) {
    bool reads = phases[phase].reads;
    make(phase, 10, 2);
    moved(reads ? MIB(4096) : 0, reads ? 0 : MIB(4096), 1 << 20);
    made.c.storage = STORAGE_DISKS;
    made.c.media = media;
    made.c.ratio = made.c.expansion = 1;
    made.c.jobs = 4;
    made.c.depth = 8;
    made.c.direct = true;
    counted(METER_PROC_READ, reads ? MIB(4096) : 0);
    disks_moved(reads ? MIB(4096) : 0, reads ? 0 : MIB(4096));
    cpu_busy(0.2, 0.3, 8);
}

static void test_memory(void) {
    plain(PHASE_READ, MEDIA_HDD);
    disks_busy(0.5, 8);
    is("a cold read is not memory", BOUND_UNKNOWN);
    counted(METER_PROC_READ, 0);
    made.reading[METER_AFTER].disk[0].read = made.reading[METER_AFTER].disk[1].read = 7000;
    is("a cached read is", BOUND_MEMORY);
    plain(PHASE_WRITE, MEDIA_HDD);
    made.reading[METER_AFTER].disk[0].written = made.reading[METER_AFTER].disk[1].written = 7000;
    is("written, nothing reached a disk, no flush", BOUND_MEMORY);
    flushed(1, MIB(4096));
    is("with a flush it is not", BOUND_UNKNOWN);
    made.it.flush = SECONDS(0.1);
    made.reading[METER_FLUSHED].disk[0].written = made.reading[METER_FLUSHED].disk[1].written = MIB(128);
    made.c.jobs = 1;
    made.c.file = MIB(256);
    is("a file written sixteen times in memory, and once to the disks, is", BOUND_MEMORY);
    made.c.dedup = true;
    is("but not where dedup saves the writes", BOUND_UNKNOWN);
    made.c.dedup = false;
    made.c.file = MIB(4096);
    is("nor where each block was written once", BOUND_UNKNOWN);
    plain(PHASE_WRITE, MEDIA_UNKNOWN);
    made.c.storage = STORAGE_MEMORY;
    is("tmpfs", BOUND_MEMORY);
}

static void test_generator(void) {
    plain(PHASE_WRITE, MEDIA_HDD);
    disks_busy(0.5, 8);
    made.c.jobs = made.c.depth = 1;
    cpu_busy(0.2, 0.99, 8);
    made.c.generator = (double)MIB(450);
    is("the generator makes 450 MiB/s, 410 were written", BOUND_GENERATOR);
    made.c.storage = STORAGE_MEMORY;
    is("that is said before memory", BOUND_GENERATOR);
    made.c.generator = (double)MIB(100);
    is("four times as fast as it can be: the control is wrong", BOUND_MEMORY);
    made.c.generator = (double)MIB(450);
    made.c.storage = STORAGE_DISKS;
    made.c.jobs = 4;
    is("with four threads it makes four times that", BOUND_UNKNOWN);
    made.c.jobs = 1;
    cpu_busy(0.2, 0.3, 8);
    is("a thread that waits does not make data", BOUND_UNKNOWN);
    plain(PHASE_READ, MEDIA_HDD);
    disks_busy(0.5, 8);
    made.c.generator = (double)MIB(1);
    is("nothing is made for a read", BOUND_UNKNOWN);
}

static void test_flush(void) {
    plain(PHASE_WRITE, MEDIA_HDD);
    disks_busy(0.5, 8);
    flushed(15, MIB(2000));
    is("60 % of the time was the flush", BOUND_FLUSH);
    made.it.flush = SECONDS(5);
    is("a third of it was", BOUND_UNKNOWN);
    plain(PHASE_RANDWRITE, MEDIA_SSD);
    disks_busy(0.5, 1);
    made.c.flush = FLUSH_EACH;
    made.c.jobs = made.c.depth = 1;
    is("a flush after each write", BOUND_FLUSH);
    made.reading[METER_AFTER].disk[0].written = made.reading[METER_AFTER].disk[1].written = 7000;
    cpu_busy(0.2, 1, 8);
    is("that nobody waits for (sync=disabled)", BOUND_MEMORY);
    made.it.flush = SECONDS(0);
    is("a thread that is full", BOUND_CPU);
}

static void test_disk(void) {
    plain(PHASE_READ, MEDIA_HDD);
    disks_busy(0.95, 8);
    is("disks that turn, busy", BOUND_DISK);
    cpu_busy(0.95, 4, 8);
    is("also where the CPUs are", BOUND_DISK);
    made.c.media = MEDIA_NVME;
    is("of NVMe busy says less", BOUND_CPU);
    cpu_busy(0.3, 0.5, 8);
    is("but with a queue and idle CPUs it is the disk", BOUND_DISK);
    plain(PHASE_READ, MEDIA_HDD);
    disks_busy(0.8, 8);
    is("80 % busy is not full", BOUND_UNKNOWN);
    plain(PHASE_WRITE, MEDIA_SSD);
    disks_busy(0.6, 8);
    made.c.storage = STORAGE_ZFS;
    counted(METER_DIRTY_WAITS, 5000);
    is("ZFS held the writers back", BOUND_DISK);
    counted(METER_DIRTY_WAITS, 3);
    is("three times is nothing", BOUND_UNKNOWN);
}

static void test_cpu(void) {
    plain(PHASE_WRITE, MEDIA_SSD);
    disks_busy(0.5, 8);
    cpu_busy(0.93, 1, 8);
    is("all CPUs (encryption in kernel threads)", BOUND_CPU);
    cpu_busy(0.5, 3.9, 8);
    is("four jobs keep four CPUs busy", BOUND_CPU);
    cpu_busy(0.5, 2, 8);
    is("two of four do not", BOUND_UNKNOWN);
    made.c.jobs = 16;
    cpu_busy(0.8, 7.8, 8);
    is("more jobs than CPUs", BOUND_CPU);
}

static void test_latency(void) {
    plain(PHASE_RANDREAD, MEDIA_NVME);
    made.c.jobs = made.c.depth = 1;
    disks_busy(0.9, 0.95);
    is("one request at a time, always in flight", BOUND_LATENCY);
    made.c.media = MEDIA_HDD;
    is("a disk that turns is full with one", BOUND_DISK);
    made.c.media = MEDIA_NVME;
    disks_busy(0, 5);
    is("the kernel read ahead", BOUND_DISK);
    plain(PHASE_RANDREAD, MEDIA_NVME);
    made.c.depth = 1;
    disks_busy(0.5, 0.9);
    is("four jobs are not alone", BOUND_UNKNOWN);
    plain(PHASE_READ, MEDIA_UNKNOWN);
    made.c.storage = STORAGE_NETWORK;
    made.reading[METER_AFTER].n_disks = made.reading[METER_BEFORE].n_disks = 0;
    made.c.jobs = made.c.depth = 1;
    is("over the network, past the cache", BOUND_LATENCY);
    made.c.direct = false;
    is("through it nobody knows what was read ahead", BOUND_UNKNOWN);
}

static void test_network(void) {
    plain(PHASE_READ, MEDIA_UNKNOWN);
    made.c.storage = STORAGE_NETWORK;
    made.c.network = 1.25e9 / 2.5;
    counted(METER_NET_RECEIVED, MIB(4200));
    counted(METER_NET_SENT, MIB(20));
    is("440 of 500 MB/s of the wire", BOUND_NETWORK);
    made.c.network = 1.25e9;
    is("440 of 1250", BOUND_UNKNOWN);
    made.c.network = (double)NAN;
    is("of who knows what", BOUND_UNKNOWN);
}

static void test_evidence(void) {
    struct buf b = {0};
    plain(PHASE_READ, MEDIA_HDD);
    disks_busy(0.95, 8);
    bound(&b);
    CHECK_TEXT("the numbers that decided", b.data,
               "{\"from_memory\":0,\"disk_busy\":0.95,\"disk_busy_mean\":0.95,\"in_flight\":8,"
               "\"disk_read_rate\":429496730,\"disk_write_rate\":0,\"cpu\":0.2,\"cpu_own\":0.3,"
               "\"busiest\":\"sda\"}");
    b.len = 0;
    make(PHASE_READ, 1, 0);
    CHECK("nothing known, nothing said", bound(&b) == BOUND_UNKNOWN);
    CHECK_TEXT("in an empty object", b.data, "{}");
    b.len = 0;
    plain(PHASE_READ, MEDIA_HDD);
    disks_busy(0.95, 8);
    made.it.status = ITERATION_FAILED;
    CHECK("a failed iteration has no pace", bound(&b) == BOUND_UNKNOWN);
    CHECK_TEXT("nor evidence", b.data, "{}");
    buf_release(&b);
}

int main(void) {
    test_memory();
    test_generator();
    test_flush();
    test_disk();
    test_cpu();
    test_latency();
    test_network();
    test_evidence();
    return check_done();
}
