/*
 * unit_disk.c: the disk probe in a made-up /sys: links, temperatures, SMR, what smartctl and nvme
 * print (JSON of the shapes of smartctl 7.2 to 7.4 and nvme-cli 1 and 2), and the place in a pool.
 */
#include <math.h>

#include "../src/facts/probe.h"
#include "check.h"
#include "tree.h"

static struct arena arena;
static const char *root;

static void put(const char *path, const char *text) {
    tree_put(&arena, root, path, text);
}

static void link_to(const char *path, const char *to) {
    tree_put(&arena, root, arena_fmt(&arena, "%s.", path), ""); /* the directories */
    if (symlink(to, arena_fmt(&arena, "%s%s", root, path)))
        perror(path);
}

/* A disk at /sys/devices/AT with its number 8:MINOR; attributes NAME, TEXT, ..., NULL. */
static void put_disk(const char *at, int minor, const char *const *attributes) {
    const char *name = strrchr(at, '/') + 1;
    put(arena_fmt(&arena, "/sys/devices/%s/dev", at), arena_fmt(&arena, "8:%d\n", minor));
    link_to(arena_fmt(&arena, "/sys/class/block/%s", name),
            arena_fmt(&arena, "../../devices/%s", at));
    link_to(arena_fmt(&arena, "/sys/dev/block/8:%d", minor),
            arena_fmt(&arena, "../../devices/%s", at));
    for (size_t i = 0; attributes[i]; i += 2)
        put(arena_fmt(&arena, "/sys/devices/%s/%s", at, attributes[i]), attributes[i + 1]);
}
#define DISK(at, minor, ...) put_disk(at, minor, (const char *const[]){__VA_ARGS__, NULL})
#define HDD "queue/rotational", "1\n", "queue/zoned", "none\n", "queue/discard_max_bytes", "0\n"
#define FLASH                                                                                      \
    "queue/rotational", "0\n", "queue/zoned", "none\n", "queue/discard_max_bytes", "4096\n"

static struct fact_sheet sheet;
static const char *const paths[] = {"/sda", "/sdb", "/sdc",  "/sdd",   "/sde",     "/sdf",
                                    "/sdg", "/sdh", "/sdi",  "/sdj",   "/nvme0n1", "/nvme1n1",
                                    "/sdk", "/vda", "/tank", "/tank/b"};

static void probe(void) {
    static const struct facts_ask ask = {paths, LENGTH(paths), "test"};
    facts_probe_at(&arena, root, &ask, &sheet);
}

static const struct factset *disk_on(const char *name, int64_t target) {
    for (size_t i = 0; i < sheet.n_sets; i++)
        if (!strcmp(sheet.sets[i].kind, "disk") &&
            !strcmp(fact_value(&sheet.sets[i], "name"), name) &&
            (target < 0 || sheet.sets[i].target == target))
            return &sheet.sets[i];
    return NULL;
}

static const char *value(const char *name, const char *key) {
    return fact_value(disk_on(name, -1), key);
}

static bool unknown(const struct factset *set, const char *key, const char *why) {
    const struct fact *f = fact_find(set, key);
    bool ok = f && !f->value && strstr(f->source, why);
    if (!ok)
        printf("# %s: value %s, source %s\n", key, f && f->value ? f->value : "(null)",
               f ? f->source : "(no fact)");
    return ok;
}

#define SATA(n, name) "pci0/ata" n "/host" n "/target0/0/block/" name
#define SAS_PORT "pci0/host8/port-8:0/expander-8:0/port-8:0:3"
#define SAS SAS_PORT "/end_device-8:0:3/target8:0:3/8:0:3:0/block/sdc"
#define WIDE "pci0/host9/port-9:0"
#define USB "pci0/usb2/2-1"
#define NVME0 "pci0/0000:01:00.0/nvme/nvme0/nvme0n1"
#define NVME1 "virtual/nvme-subsystem/nvme-subsys1/nvme1n1"

static void build(void) {
    struct buf mounts = {0};
    buf_str(&mounts, "1 0 0:1 / / rw - rootfs none rw\n");
    for (int i = 0; i < 14; i++)
        buf_fmt(&mounts, "%d 1 8:%d / %s rw - ext4 /dev/x rw\n", i + 2, i, paths[i]);
    buf_str(&mounts,
            "30 1 0:50 / /tank rw - zfs tank rw\n31 30 0:51 / /tank/b rw - zfs tank/b rw\n");
    put("/proc/self/mountinfo", mounts.data);
    buf_release(&mounts);

    DISK(SATA("1", "sda"), 0, HDD, "wwid", "naa.1\n");
    link_to("/sys/devices/" SATA("1", "sda") "/device", "../..");
    put("/sys/devices/pci0/ata1/host1/target0/0/hwmon/hwmon3/name", "drivetemp\n");
    put("/sys/devices/pci0/ata1/host1/target0/0/hwmon/hwmon3/temp1_input", "38000\n");
    put("/sys/class/ata_link/link1/sata_spd", "3.0 Gbps\n");
    put("/sys/class/ata_link/link1/hw_sata_spd_limit", "6.0 Gbps\n");
    put("/sys/devices/pci0/ata1/host1/target0/0/model", "WDC WD60EFAX-68S\n");
    DISK(SATA("2", "sdb"), 1, "queue/rotational", "1\n", "queue/discard_max_bytes", "4096\n",
         "device/model", "Unlisted 1\n", "wwid", "naa.2\n");
    put("/sys/class/ata_link/link2/sata_spd", "<unknown>\n");
    DISK(SAS, 2, HDD, "device/model", "ST16000NM002G\n", "device/vendor", "SEAGATE\n", "wwid",
         "naa.3\n");
    put("/sys/devices/" SAS_PORT "/phy-8:0:7/x", "");
    put("/sys/class/sas_phy/phy-8:0:7/negotiated_linkrate", "12.0 Gbit\n");
    put("/sys/class/sas_phy/phy-8:0:7/maximum_linkrate", "12.0 Gbit\n");
    DISK(WIDE "/end_device-9:0/target9/0/block/sdd", 3, FLASH, "device/model", "X\n", "wwid",
         "4\n");
    for (int i = 0; i < 3; i++) {
        put(arena_fmt(&arena, "/sys/devices/" WIDE "/phy-9:%d/x", i), "");
        put(arena_fmt(&arena, "/sys/class/sas_phy/phy-9:%d/negotiated_linkrate", i),
            i == 1 ? "Phy disabled\n" : "6.0 Gbit\n");
        put(arena_fmt(&arena, "/sys/class/sas_phy/phy-9:%d/maximum_linkrate", i), "12.0 Gbit\n");
    }
    DISK(USB "/2-1:1.0/host6/target6/0/block/sde", 4, HDD, "device/model", "My Book\n", "wwid",
         "naa.5\n");
    put("/sys/devices/" USB "/speed", "5000\n");
    put("/sys/devices/pci0/usb2/speed", "10000\n");
    DISK(SATA("3", "sdf"), 5, HDD, "device/model", "WDC WD80EFAX-68L\n", "wwid", "naa.6\n");
    DISK(SATA("4", "sdg"), 6, "queue/rotational", "1\n", "queue/zoned", "host-managed\n",
         "device/model", "HGST HSH721414AL\n", "wwid", "naa.7\n");
    DISK(SATA("5", "sdh"), 7, "queue/rotational", "1\n", "queue/discard_max_bytes", "4096\n",
         "device/model", "QEMU HARDDISK\n", "wwid", "naa.8\n");
    DISK("pci0/virtio1/host0/target0/0/block/sdi", 8, "queue/rotational", "1\n",
         "queue/discard_max_bytes", "4096\n", "device/model", "Disk\n", "wwid", "naa.9\n");
    DISK(SATA("6", "sdj"), 9, FLASH, "device/model", "Samsung SSD 870\n", "wwid", "naa.10\n");
    DISK(NVME0, 10, FLASH, "device/model", "WD_BLACK SN850X\n", "wwid", "eui.1\n",
         "device/device/current_link_speed", "8.0 GT/s PCIe\n", "device/device/current_link_width",
         "4\n", "device/device/max_link_speed", "16.0 GT/s PCIe\n", "device/device/max_link_width",
         "4\n", "device/hwmon1/name", "nvme\n", "device/hwmon1/temp1_input", "-1600\n",
         "device/hwmon/x", "");
    DISK(NVME1, 11, FLASH, "device/model", "TWO PORTS\n", "wwid", "eui.2\n",
         "device/nvme1/device/current_link_speed", "Unknown\n",
         "device/nvme2/device/current_link_speed", "16.0 GT/s PCIe\n",
         "device/nvme2/device/current_link_width", "2\n", "device/nvme1c1n1/x", "",
         "device/device/hwmon/hwmon7/name", "acpitz\n", "device/device/hwmon/hwmon7/temp1_input",
         "1\n");
    DISK(SATA("7", "sdk"), 12, HDD, "device/model", "TOSHIBA HDWD240\n", "wwid", "naa.11\n");
    DISK("pci0/virtio2/block/vda", 13, HDD);
}

static void links(void) {
    CHECK_TEXT("SATA, slower than it could be", value("sda", "link_speed"), "3.0 Gbps");
    CHECK_TEXT("what it could be", value("sda", "link_speed_max"), "6.0 Gbps");
    CHECK("no link, no speed", unknown(disk_on("sdb", -1), "link_speed", "not told"));
    CHECK_TEXT("SAS behind an expander", value("sdc", "link_speed"), "12.0 Gbit");
    CHECK_TEXT("a wide port, one phy off", value("sdd", "link_speed"), "6.0 Gbit x2");
    CHECK_TEXT("its best", value("sdd", "link_speed_max"), "12.0 Gbit x2");
    CHECK("as rates: SATA, a wide port, PCIe, none",
          fabs(disk_link_rate(disk_on("sda", -1)) - 300e6) < 1 &&
              fabs(disk_link_rate(disk_on("sdd", -1)) - 1200e6) < 1 &&
              fabs(disk_link_rate(disk_on("nvme0n1", -1)) - 3938e6) < 1e6 &&
              isnan(disk_link_rate(disk_on("sdb", -1))));
    CHECK_TEXT("USB: the device, not the hub", value("sde", "link_speed"), "5000 Mbps");
    CHECK("of USB the best is not told", unknown(disk_on("sde", -1), "link_speed_max", "usb"));
    CHECK_TEXT("PCIe, speed and width", value("nvme0n1", "link_speed"), "8.0 GT/s PCIe x4");
    CHECK_TEXT("PCIe at its best", value("nvme0n1", "link_speed_max"), "16.0 GT/s PCIe x4");
    CHECK_TEXT("two controllers: the one that tells", value("nvme1n1", "link_speed"),
               "16.0 GT/s PCIe x2");
    CHECK("virtio has none", unknown(disk_on("sdi", -1), "link_speed", "virtio"));
}

static void temperatures(void) {
    CHECK_TEXT("drivetemp", value("sda", "temperature"), "38");
    CHECK_TEXT("nvme, below zero, rounded", value("nvme0n1", "temperature"), "-2");
    CHECK("a sensor of something else is none",
          unknown(disk_on("nvme1n1", -1), "temperature", "no sensor"));
    CHECK("it is state", fact_find(disk_on("sda", -1), "temperature")->class == FACT_STATE);
}

static bool smr(const char *name, const char *want, const char *source) {
    const struct fact *f = fact_find(disk_on(name, -1), "smr");
    bool ok =
        f && (want ? f->value && !strcmp(f->value, want) : !f->value) && strstr(f->source, source);
    if (!ok)
        printf("# %s: %s, %s\n", name, f && f->value ? f->value : "unknown", f ? f->source : "");
    return ok;
}

static void shingled(void) {
    CHECK("a model its maker lists", smr("sda", "yes", "Western Digital's list"));
    CHECK("with its maker in front", smr("sdk", "yes", "Toshiba's list"));
    CHECK("a disk that turns and takes TRIM", smr("sdb", "yes", "TRIM"));
    CHECK("a larger one of the same line is not on the list", smr("sdf", NULL, "no maker's list"));
    CHECK("nor is any other", smr("sdc", NULL, "no maker's list"));
    CHECK("zoned", smr("sdg", "yes", "host-managed"));
    CHECK("flash is not", smr("sdj", "no", "flash") && smr("nvme0n1", "no", "flash"));
    CHECK("what a hypervisor made up is not believed", smr("sdh", NULL, "not known"));
    CHECK("nor what it shows through virtio", smr("sdi", NULL, "not known"));
    CHECK("nor a bridge", smr("sde", NULL, "not known"));
    static const char *const yes[] = {"ST4000DM004-2CV104", "ST8000DM004-2CX188",
                                      "TOSHIBA MQ04ABF100", "WDC WD10SPZX-24Z10",
                                      "TOSHIBA DT02ABA600", "WDC_WD20EZAZ-00L"};
    static const char *const no[] = {"ST4000VN008-2DR166",
                                     "ST2000DM008-2FR102", /* on others' lists alone */
                                     "ST8000AS0002-1NA17Z",
                                     "ST2000LM015-2E8174",
                                     "ST1000DM010-2EP102",
                                     "TOSHIBA HDWD110",
                                     "WDC WD80EZAZ-11TDBA0",
                                     "XST4000DM004",
                                     "WD60EFRX",
                                     ""};
    struct probe p = {.a = &arena};
    size_t right = 0;
    for (size_t i = 0; i < LENGTH(yes) + LENGTH(no); i++) {
        struct fact_sheet s = {0};
        struct factset *set = factset_add(&arena, &s, "disk", "", 0);
        bool listed = i < LENGTH(yes);
        fact_add(&arena, set, "model", listed ? yes[i] : no[i - LENGTH(yes)], "");
        disk_smr(&p, set);
        right += (fact_value(set, "smr") != NULL) == listed;
    }
    CHECK("models on and off the lists", right == LENGTH(yes) + LENGTH(no));
}

/* ---- smartctl, nvme -------------------------------------------------------------------------- */

#define HEAD(status) "{\"json_format_version\":[1,0],\"smartctl\":{\"exit_status\":" status "},"
#define CALL(name) "/run/smartctl_-j_-n_standby_-i_-A_-H_-dev-" name ".txt"

static const struct factset *smart(const char *name, const char *text) {
    put(arena_fmt(&arena, CALL("%s"), name), text);
    probe();
    return disk_on(name, -1);
}

static void smart_facts(void) {
    const struct factset *set = disk_on("sdb", -1);
    CHECK("no smartctl", unknown(set, "smart_health", "smartctl: not installed") &&
                             unknown(set, "power_on_hours", "smartctl: not installed"));
    CHECK("virtio-blk and the like are not asked",
          unknown(disk_on("vda", -1), "smart_health", "neither SCSI nor NVMe"));
    CHECK("nor without nvme-cli",
          unknown(disk_on("nvme0n1", -1), "smart_health", "nvme: not inst"));
    const char *digest = arena_str(&arena, set->digest);

    set = smart(
        "sdb",
        HEAD(
            "64") "\"model_name\":\"ST8000DM004-2CX188\",\"firmware_version\":\"0001\","
                  "\"form_factor\":{\"ata_value\":2,\"name\":\"3.5 "
                  "inches\"},\"rotation_rate\":5425,"
                  "\"interface_speed\":{\"max\":{\"string\":\"6.0 Gb/s\"},\"current\":{\"string\":"
                  "\"3.0 Gb/s\"}},\"smart_status\":{\"passed\":true},\"ata_smart_attributes\":{"
                  "\"table\":[{\"id\":5,\"raw\":{\"value\":8,\"string\":\"8\"}},{\"id\":9,\"raw\":{"
                  "\"value\":1}},{\"id\":197,\"raw\":{\"value\":0}},{\"id\":\"5\"},7]},"
                  "\"power_on_time\":{\"hours\":12345},\"temperature\":{\"current\":41}}");
    CHECK_TEXT("errors in its log are no failure of asking", fact_value(set, "smart_health"),
               "passed");
    CHECK_TEXT("hours", fact_value(set, "power_on_hours"), "12345");
    CHECK_TEXT("the table", fact_value(set, "reallocated_sectors"), "8");
    CHECK_TEXT("zero is a number", fact_value(set, "pending_sectors"), "0");
    CHECK_TEXT("how fast it turns", fact_value(set, "rotation_rate"), "5425");
    CHECK_TEXT("form", fact_value(set, "form_factor"), "3.5 inches");
    CHECK_TEXT("its link", fact_value(set, "interface_speed"), "3.0 Gb/s");
    CHECK_TEXT("at best", fact_value(set, "interface_speed_max"), "6.0 Gb/s");
    CHECK_TEXT("model", fact_value(set, "smart_model"), "ST8000DM004-2CX188");
    CHECK_TEXT("firmware", fact_value(set, "smart_firmware"), "0001");
    CHECK_TEXT("no sensor in /sys: its own", fact_value(set, "temperature"), "41");
    CHECK("what it does not say is unknown", unknown(set, "endurance_used", "not said"));
    CHECK_TEXT("with smartctl or without: the same set", set->digest, digest);

    set = smart("sdb", HEAD("8") "\"smart_status\":{\"passed\":false}}");
    CHECK_TEXT("a disk that fails", fact_value(set, "smart_health"), "failed");
    set = smart("sdb", "{\"json_format_version\":[1,0],\"smartctl\":{\"messages\":[{\"string\":"
                       "\"Device is in STANDBY mode, exit(2)\",\"severity\":\"information\"}],"
                       "\"exit_status\":2},\"smart_status\":{\"passed\":true}}");
    CHECK("a sleeping disk is left asleep", unknown(set, "smart_health", "STANDBY mode"));
    set = smart("sdb", HEAD("2") "\"device\":{\"name\":\"/dev/sdb\"}}");
    CHECK("older: without a word", unknown(set, "smart_health", "sleeps, or cannot be opened"));
    set = smart("sdb", "{\"json_format_version\":[2,0],\"smart_status\":{\"passed\":true}}");
    CHECK("JSON of another version", unknown(set, "smart_health", "version 1"));
    set = smart("sdb", "{\"json_format_version\":[1,0],\"smart_sta");
    CHECK("half a line", unknown(set, "smart_health", "smartctl: "));
    set = smart("sdb", "[]");
    CHECK("no object", unknown(set, "smart_health", "no JSON object"));
    set = smart("sdb", "");
    CHECK("nothing", unknown(set, "smart_health", "smartctl: "));
    set = smart("sdb",
                HEAD("0") "\"smart_status\":\"passed\",\"power_on_time\":7,\"temperature\":"
                          "{\"current\":{}},\"ata_smart_attributes\":[],\"rotation_rate\":null}");
    CHECK("other types are unknown", unknown(set, "smart_health", "not said") &&
                                         unknown(set, "power_on_hours", "not said") &&
                                         unknown(set, "temperature", "no sensor") &&
                                         unknown(set, "reallocated_sectors", "not said") &&
                                         unknown(set, "rotation_rate", "not"));

    set = smart("sdc", HEAD("0") "\"scsi_product\":\"ST16000NM002G\",\"scsi_revision\":\"E004\","
                                 "\"temperature\":{\"current\":0,\"drive_trip\":0},\"scsi_grown_"
                                 "defect_list\":3,\"smart_status\":{\"passed\":true},"
                                 "\"scsi_pending_defects\":{\"count\":1}}");
    CHECK("SCSI: no sensor is not 0 degrees", unknown(set, "temperature", "no sensor"));
    CHECK_TEXT("SCSI: the list of defects", fact_value(set, "reallocated_sectors"), "3");
    CHECK_TEXT("SCSI: pending", fact_value(set, "pending_sectors"), "1");
    CHECK_TEXT("SCSI: firmware", fact_value(set, "smart_firmware"), "E004");

    put("/run/nvme_smart-log_-o_json_-dev-nvme1n1.txt",
        "{\"critical_warning\":0,\"temperature\":311,\"avail_spare\":100,\"percent_used\":4,"
        "\"power_on_hours\":\"812\",\"media_errors\":0}");
    probe();
    set = disk_on("nvme1n1", -1);
    CHECK_TEXT("nvme-cli: kelvin", fact_value(set, "temperature"), "38");
    CHECK_TEXT("nvme-cli: nothing wrong", fact_value(set, "smart_health"), "passed");
    CHECK_TEXT("nvme-cli: worn", fact_value(set, "endurance_used"), "4");
    CHECK_TEXT("nvme-cli: numbers as texts", fact_value(set, "power_on_hours"), "812");
    CHECK("nvme-cli: the rest", unknown(set, "rotation_rate", "nvme smart-log: not said"));
    set = smart("nvme1n1", HEAD("0") "\"nvme_smart_health_information_log\":{\"percentage_used\":3,"
                                     "\"media_errors\":1}}");
    CHECK_TEXT("smartctl goes first", fact_value(set, "endurance_used"), "3");
    CHECK_TEXT("media errors", fact_value(set, "media_errors"), "1");
}

/* A program may take its time, and all disks together may not. */
static void budget(void) {
    struct probe p;
    struct fact_sheet s = {0};
    struct factset *set = factset_add(&arena, &s, "disk", "", 0);
    static const struct facts_ask ask = {NULL, 0, "test"};
    probe_open(&p, &arena, root, &ask, &s);
    p.smart_spent = 3 * NS_PER_S;
    fact_add(&arena, set, "transport", "sata", "");
    disk_smart(&p, set, "sdb");
    CHECK("when the time is over no disk is asked", unknown(set, "smart_health", "all the time"));

    const char *const always[] = {"true", NULL}, *why = NULL;
    size_t len;
    probe_open(&p, &arena, "", &ask, &s);
    CHECK("a program is asked", probe_run(&p, always, RUN_LIMIT_MS, &len, &why) && p.run_spent > 0);
    p.run_spent = 15 * NS_PER_S;
    CHECK("and not when all of them took their time",
          !probe_run(&p, always, RUN_LIMIT_MS, &len, &why) &&
              !strcmp(why, "true: not asked, the programs before it took 15 s"));
}

/* ---- in a pool ------------------------------------------------------------------------------- */

#define ROW(name) name " ONLINE 0 0 0\n"
#define BEGIN                                                                                      \
    "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\t" ROW("tank")
#define END "\nerrors: No known data errors\n"
#define MIRROR                                                                                     \
    BEGIN "\t  " ROW("mirror-0") "\t    " ROW("/dev/sda") "\t    " ROW("/dev/sdf") "\tlogs\n\t  "

static void pool_of_disks(void) {
    const char *const nodes[] = {"sda", "sdf", "sdj", "nvme0n1"};
    for (size_t i = 0; i < LENGTH(nodes); i++)
        put(arena_fmt(&arena, "/dev/%s", nodes[i]), "");
    put("/run/zpool_status_-P_tank.txt",
        MIRROR ROW("/dev/sdj") "\tcache\n\t  " ROW("/dev/sdj") END);
    probe();
    const struct factset *sda = disk_on("sda", 14), *sdj = disk_on("sdj", 14);
    const struct factset *pool = facts_find(&sheet, "pool", 14);
    CHECK_TEXT("a disk in a pool", fact_value(sda, "pool"), "tank");
    CHECK_TEXT("its vdev", fact_value(sda, "vdev"), "mirror-0");
    CHECK_TEXT("for data", fact_value(sda, "vdev_class"), "data");
    CHECK_TEXT("one that does two things", fact_value(sdj, "vdev_class"), "log, cache");
    CHECK_TEXT("what holds the data turns", fact_value(pool, "media"), "hdd");
    CHECK("under a file system of its own it is in no pool",
          disk_on("sda", 0) && !fact_find(disk_on("sda", 0), "pool"));
    CHECK("every target of the pool has it", disk_on("sda", 15) &&
                                                 !strcmp(disk_on("sda", 15)->digest, sda->digest) &&
                                                 fact_value(disk_on("sda", 15), "vdev"));
    put("/run/zpool_status_-P_tank.txt", MIRROR ROW("/dev/sdj") "\t  " ROW("/dev/sdz") END);
    probe();
    CHECK_TEXT("a log that is gone is no matter",
               fact_value(facts_find(&sheet, "pool", 14), "media"), "hdd");
    put("/run/zpool_status_-P_tank.txt",
        BEGIN "\t  " ROW("/dev/sda") "\t  " ROW("/dev/nvme0n1") END);
    probe();
    CHECK_TEXT("of two kinds", fact_value(facts_find(&sheet, "pool", 14), "media"), "mixed");
    put("/run/zpool_status_-P_tank.txt", BEGIN "\t  " ROW("/dev/sda") "\t  " ROW("/dev/sdz") END);
    probe();
    CHECK("half of the disks prove nothing",
          unknown(facts_find(&sheet, "pool", 14), "media", "not all"));
    size_t unjudged = 0;
    for (size_t i = 0; i < sheet.n_sets; i++)
        for (size_t k = 0; k < sheet.sets[i].n_facts; k++)
            if (!fact_class_known(sheet.sets[i].kind, sheet.sets[i].facts[k].key)) {
                printf("# not judged: %s.%s\n", sheet.sets[i].kind, sheet.sets[i].facts[k].key);
                unjudged++;
            }
    CHECK("every fact has its class in the table", !unjudged);
}

/* On the machine itself: whatever is there, nothing is without a reason. */
static void live(void) {
    static const char *const here[] = {"/", "/tmp"};
    static const struct facts_ask ask = {here, LENGTH(here), "test"};
    size_t bare = 0;
    facts_probe(&arena, &ask, &sheet);
    for (size_t i = 0; i < sheet.n_sets; i++)
        for (size_t k = 0; k < sheet.sets[i].n_facts; k++)
            bare += !sheet.sets[i].facts[k].value && !*sheet.sets[i].facts[k].source;
    CHECK("every unknown has its reason", !bare);
}

int main(void) {
    root = tree_make(&arena);
    build();
    probe();
    links();
    temperatures();
    shingled();
    smart_facts();
    budget();
    pool_of_disks();
    live();
    tree_remove(root);
    arena_release(&arena);
    return check_done();
}
