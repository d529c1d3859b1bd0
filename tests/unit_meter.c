/*
 * unit_meter.c: the meters on made-up machines: kstats of real OpenZFS, disks, CPU, pressure,
 * network; what is not there is unknown; and on this machine, that they count what is done.
 */
#include <fcntl.h>
#include <math.h>

#include "../src/measure/meter.h"
#include "check.h"
#include "tree.h"

static struct arena arena;
static struct meter_reading now;

static const char *fixture(const char *version, const char *name) {
    const char *dir = getenv("ZHIST_TESTS");
    char *text;
    size_t len;
    struct err e = {0};
    if (file_read(&arena,
                  arena_fmt(&arena, "%s/data/zfs/%s/proc_spl_kstat_zfs_%s.txt", dir ? dir : "tests",
                            version, name),
                  1 << 20, &text, &len, &e))
        printf("# %s\n", e.text);
    return text;
}

static void read_at(const char *root, const struct meter_spec *spec) {
    struct meter *m = meter_open_at(&arena, root, spec);
    meter_read(m, &now);
    meter_read_temperatures(m, &now);
    meter_close(m);
}

static int64_t count(enum meter_count which) {
    return now.count[which];
}

static const char *zfs_tree(const char *version) {
    const char *root = tree_make(&arena), *base = "/proc/spl/kstat/zfs/";
    tree_put(&arena, root, "/proc/spl/kstat/zfs/tank/objset-0x2a",
             fixture(version, "tank_objset_tank-enc"));
    tree_put(&arena, root, "/proc/spl/kstat/zfs/tank/objset-0x36",
             fixture(version, "tank_objset_tank-plain"));
    tree_put(&arena, root, arena_fmt(&arena, "%stank/iostats", base),
             fixture(version, "tank_iostats"));
    tree_put(&arena, root, arena_fmt(&arena, "%sarcstats", base), fixture(version, "arcstats"));
    tree_put(&arena, root, arena_fmt(&arena, "%sdmu_tx", base), fixture(version, "dmu_tx"));
    return root;
}

static void test_zfs(void) {
    struct meter_spec spec = {.storage = STORAGE_ZFS, .pool = "tank", .dataset = "tank/plain"};
    const char *root = zfs_tree("2.3.9");
    read_at(root, &spec);
    CHECK("D of the dataset by its name",
          count(METER_DATASET_WRITTEN) == 52428800 && count(METER_DATASET_READ) == 0);
    CHECK("R where OpenZFS has it",
          count(METER_DIRECT_READ) == 0 && count(METER_DIRECT_WRITTEN) == 0);
    CHECK("the ARC", count(METER_ARC_DATA_HITS) == 42 && count(METER_ARC_DATA_MISSES) == 0 &&
                         count(METER_ARC_SIZE) == 253282208 &&
                         count(METER_ARC_TARGET) == 293987584 &&
                         count(METER_ARC_LIMIT) == 5146189824);
    CHECK("writers held back", count(METER_DIRTY_WAITS) == 0);
    CHECK("nothing else is there", count(METER_PSI_IO) == UNKNOWN &&
                                       count(METER_CPU_IDLE) == UNKNOWN &&
                                       count(METER_PROC_READ) == UNKNOWN && now.n_disks == 0);
    spec.dataset = "tank/plai";
    read_at(root, &spec);
    CHECK("a name that only begins alike is another", count(METER_DATASET_WRITTEN) == UNKNOWN);
    spec.dataset = "tank/plain";
    spec.storage = STORAGE_DISKS;
    read_at(root, &spec);
    CHECK("no kstats where it is no dataset", count(METER_ARC_SIZE) == UNKNOWN);
    tree_remove(root);

    spec.storage = STORAGE_ZFS;
    root = zfs_tree("2.1.11");
    read_at(root, &spec);
    CHECK("R is unknown on 2.1", count(METER_DIRECT_READ) == UNKNOWN);
    CHECK("data hits of 2.1", count(METER_ARC_DATA_HITS) == 384);
    struct meter *m = meter_open_at(&arena, root, &spec);
    tree_put(&arena, root, "/proc/spl/kstat/zfs/tank/objset-0x36",
             "27 1 0x01 7 2160 1 1\nname type data\ndataset_name 7 tank/other\nnwritten 4 7\n");
    meter_read(m, &now);
    CHECK("a kstat that is now another dataset's is not taken",
          count(METER_DATASET_WRITTEN) == UNKNOWN);
    tree_put(&arena, root, "/proc/spl/kstat/zfs/arcstats",
             "name type data\nsize 4 -5\nc 4\nc_max 4 99999999999999999999\n");
    meter_read(m, &now);
    CHECK("numbers that are none are unknown", count(METER_ARC_SIZE) == UNKNOWN &&
                                                   count(METER_ARC_TARGET) == UNKNOWN &&
                                                   count(METER_ARC_LIMIT) == UNKNOWN);
    meter_close(m);
    tree_remove(root);
}

static void test_disks(void) {
    const char *root = tree_make(&arena);
    struct meter_spec spec = {.storage = STORAGE_DISKS, .disks = "sda nvme0n1 sdz"};
    tree_put(&arena, root, "/sys/class/block/sda/stat",
             "  100 5 2048 30 50 6 4096 90 0 70 120 0 0 0 0 0 0\n");
    tree_put(&arena, root, "/sys/class/block/sda/device/hwmon/hwmon3/temp1_input", "41000\n");
    tree_put(&arena, root, "/sys/class/block/nvme0n1/stat", "1 2 3 4\n");
    tree_put(&arena, root, "/sys/class/block/nvme0n1/device/hwmon1/temp1_input", "38850\n");
    read_at(root, &spec);
    CHECK("every disk has its place", now.n_disks == 3);
    CHECK_TEXT("in the order of the names", now.disk[2].name, "sdz");
    CHECK("sectors are of 512 bytes",
          now.disk[0].read == 2048 * 512 && now.disk[0].written == 4096 * 512);
    CHECK("requests and times", now.disk[0].reads == 100 && now.disk[0].writes == 50 &&
                                    now.disk[0].busy == 70000000 &&
                                    now.disk[0].waited == 120000000);
    CHECK("temperatures of both kinds", fabs(now.disk[0].temperature - 41) < 0.01 &&
                                            fabs(now.disk[1].temperature - 38.85) < 0.01);
    CHECK("half a line is not guessed", now.disk[1].read == UNKNOWN);
    CHECK("no such disk", now.disk[2].busy == UNKNOWN && isnan(now.disk[2].temperature));
    tree_remove(root);
}

static void test_machine(void) {
    const char *root = tree_make(&arena);
    struct meter_spec spec = {.storage = STORAGE_DISKS, .path = "/"};
    int64_t tick = NS_PER_S / sysconf(_SC_CLK_TCK);
    tree_put(&arena, root, "/proc/stat",
             "cpu  10 1 20 100 5 3 2 7 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
    tree_put(&arena, root, "/proc/self/io", "rchar: 1\nread_bytes: 4096\nwrite_bytes: 8192\n");
    tree_put(&arena, root, "/proc/meminfo",
             "MemTotal: 9 kB\nMemAvailable:  100 kB\nDirty: 8 kB\nWriteback: 2 kB\n");
    tree_put(&arena, root, "/proc/pressure/io",
             "some avg10=0.00 avg300=1.0 total=250\n"
             "full avg10=0.00 avg60=0.02 total=900\n");
    tree_put(&arena, root, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
             "3\n");
    tree_put(&arena, root, "/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count",
             "4\n");
    read_at(root, &spec);
    CHECK("CPU time by kind",
          count(METER_CPU_USER) == 11 * tick && count(METER_CPU_SYSTEM) == 20 * tick &&
              count(METER_CPU_IDLE) == 100 * tick && count(METER_CPU_IRQ) == 5 * tick &&
              count(METER_CPU_IOWAIT) == 5 * tick && count(METER_CPU_STEAL) == 7 * tick);
    CHECK("bytes of this process",
          count(METER_PROC_READ) == 4096 && count(METER_PROC_WRITTEN) == 8192);
    CHECK("memory", count(METER_MEMORY_AVAILABLE) == 102400 && count(METER_MEMORY_DIRTY) == 10240);
    CHECK("pressure, some, in ns",
          count(METER_PSI_IO) == 250000 && count(METER_PSI_CPU) == UNKNOWN);
    CHECK("throttling of all CPUs", count(METER_CPU_THROTTLED) == 7);
    CHECK("room", count(METER_FREE) > 0);
    tree_put(&arena, root, "/proc/stat", "cpu  10 1 20\n");
    read_at(root, &spec);
    CHECK("half a line of CPU time", count(METER_CPU_USER) == UNKNOWN);
    tree_remove(root);
}

static void test_network(void) {
    const char *root = tree_make(&arena);
    struct meter_spec spec = {
        .storage = STORAGE_NETWORK, .path = "/", .nfs_device = "nas:/a b mounted on /mnt/x"};
    tree_put(&arena, root, "/proc/self/mountstats",
             "device /dev/sda1 mounted on / with fstype ext4\n"
             "device nas:/a b mounted on /mnt/x with fstype nfs4 statvers=1.1\n"
             "\topts:\trw\n\tbytes:\t1 2 3 4 500 600 7 8\n\tRPC iostats version: 1.1\n"
             "device nas:/other mounted on /mnt/y with fstype nfs4 statvers=1.1\n\tbytes:\t9 9 9 9 "
             "9 9 9 9\n");
    tree_put(&arena, root, "/proc/net/dev",
             "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes\n"
             "    lo: 77 1 0 0 0 0 0 0 77 1 0 0 0 0 0 0\n"
             "  eth0: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n"
             "  eth1:5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0\n");
    read_at(root, &spec);
    CHECK("NFS by its mount", count(METER_NET_RECEIVED) == 500 && count(METER_NET_SENT) == 600);
    CHECK("a server is not asked for its room", count(METER_FREE) == UNKNOWN);
    spec.nfs_device = "nas:/a b mounted on /mnt/zz";
    read_at(root, &spec);
    CHECK("a mount that is not there", count(METER_NET_RECEIVED) == UNKNOWN);
    spec.nfs_device = NULL;
    read_at(root, &spec);
    CHECK("interfaces without lo",
          count(METER_NET_RECEIVED) == 1005 && count(METER_NET_SENT) == 2006);
    tree_remove(root);
}

/* On this machine: what is not readable is unknown, and nothing is opened that stays open. */
static void test_here(void) {
    struct meter_spec spec = {.storage = STORAGE_DISKS, .path = "/", .disks = "no-such-disk"};
    static struct meter_reading later;
    int before = open("/dev/null", O_RDONLY);
    struct meter *m = meter_open(&arena, &spec);
    meter_read(m, &now);
    volatile double x = 0;
    for (int i = 0; i < 20000000; i++)
        x = x + i;
    meter_read(m, &later);
    CHECK("our own CPU time grows", later.count[METER_CPU_OWN] > count(METER_CPU_OWN));
    CHECK("time goes on", later.at > now.at);
    meter_close(m);
    meter_close(NULL);
    int after = open("/dev/null", O_RDONLY);
    CHECK("every file was closed", after == before + 1);
    close(before);
    close(after);
}

int main(void) {
    test_zfs();
    test_disks();
    test_machine();
    test_network();
    test_here();
    arena_release(&arena);
    return check_done();
}
