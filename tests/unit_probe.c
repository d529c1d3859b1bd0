/*
 * unit_probe.c: the page, the JSON and the mask of `probe` over made-up boxes: goldens in
 * data/probe (UPDATE=1 writes them), no line wider than asked, no secret left in what is masked.
 */
#include <stdlib.h>
#include <strings.h>

#include "../src/cli/mask.h"
#include "../src/cli/probe_view.h"
#include "check.h"
#include "zhist/json.h"
#include "zhist/unit.h"

static struct arena arena;

/* ---- boxes -------------------------------------------------------------------------------------
 */

/* The set that is being filled: sets move when one is added. */
static struct probe_view *view;

static void begin_set(const char *kind, const char *subject, int64_t target) {
    factset_add(&arena, &view->sheet, kind, subject, target);
}

static void put_from(const char *key, const char *value, const char *source) {
    fact_add(&arena, &view->sheet.sets[view->sheet.n_sets - 1], key, value, source);
}

static void put(const char *key, const char *value) {
    put_from(key, value, "/proc/made-up");
}

static struct probe_view begin(const char *path) {
    return (struct probe_view){.version = "0.0.0",
                               .path = path,
                               .host = "nasbox.example.org",
                               .machine_id = "0123456789abcdef0123456789abcdef"};
}

static void end(void) {
    for (size_t i = 0; i < view->sheet.n_sets; i++)
        factset_seal(&view->sheet.sets[i]);
}

static void machine(void) {
    begin_set("system", "", UNKNOWN);
    put("hostname", "nasbox");
    put("truenas", "25.04.2.6");
    put("truenas_train", "TrueNAS-SCALE-Fangtooth");
    put("os", "Debian GNU/Linux 12 (bookworm)");
    put("kernel", "6.12.15-production+truenas");
    put("zfs", "2.3.0-1");
    put("zfs_module", "2.3.0-1");
    put("cpu", "Intel(R) Xeon(R) E-2236 CPU @ 3.40GHz");
    put("cpus", "12");
    put("governor", "performance");
    put("memory", "34359738368");
    put("mem_available", "12884901888");
    put("virtual", "no");
    put("container", "no");
    put("product", "Supermicro X11SCH-F");
    put("load1", "0.31");
    put("psi_io", "1.25");
    put("psi_cpu", "0.00");
    put("psi_memory", "0.00");
    put("clock_synchronised", "yes");
    put("boot_id", "11111111-2222-4333-8444-555555555555");
    put("cmdline",
        "quiet nfsroot=10.1.2.3:/srv/root systemd.hostname=nasbox mitigations=auto,nosmt "
        "cryptdevice=UUID=99999999-2222-4333-8444-555555555555:luks zfs=tank/people");
    begin_set("module", "", UNKNOWN);
    put("arc_c_max", "16642998272");
    put("arc_size", "10737418240");
    put("hostid", "5eed1234");
    put("zfs_vdev_x", "18446744073709551615");
}

static const char tree[] =
    "{\"name\":\"tank\",\"type\":\"root\",\"class\":\"data\",\"state\":\"DEGRADED\",\"errors\":[0,"
    "0,"
    "0],\"below\":["
    "{\"name\":\"mirror-0\",\"type\":\"mirror\",\"class\":\"data\",\"state\":\"DEGRADED\","
    "\"errors\":"
    "[0,0,0],\"below\":["
    "{\"name\":\"/dev/disk/by-id/ata-TOSHIBA_HDWG460_X0A1B2C3F-part1\",\"type\":\"disk\",\"class\":"
    "\"data\",\"state\":\"ONLINE\",\"disk\":\"sda\",\"errors\":[3,0,12],\"below\":[]},"
    "{\"name\":\"14555555555555555551\",\"type\":\"disk\",\"class\":\"data\",\"state\":\"UNAVAIL\","
    "\"note\":\"was "
    "/dev/disk/by-id/ata-TOSHIBA_HDWG460_X0A1B2C4F-part1\",\"disk\":null,\"why\":\"was "
    "/dev/disk/by-id/ata-TOSHIBA_HDWG460_X0A1B2C4F-part1\",\"errors\":[0,0,0],\"below\":[]}]},"
    "{\"name\":\"/dev/"
    "nvme0n1p1\",\"type\":\"disk\",\"class\":\"log\",\"state\":\"ONLINE\",\"disk\":"
    "\"nvme0n1\",\"errors\":[0,0,0],\"below\":[]},"
    "{\"name\":\"/srv/vdevs/"
    "of-anna.img\",\"type\":\"file\",\"class\":\"spare\",\"state\":\"AVAIL\","
    "\"disk\":null,\"why\":\"/srv/vdevs/of-anna.img: not there\",\"errors\":[null,null,null],"
    "\"below\":[]}]}";

static void disk(const char *name, const char *model, const char *size, const char *transport,
                 const char *rotational, const char *serial) {
    begin_set("disk", arena_fmt(&arena, "%.12s", serial), 0);
    put("name", name);
    put("model", model);
    put("size", size);
    put("transport", transport);
    put("rotational", rotational);
    put("serial_digest", serial);
    put("firmware", "0601");
    put("link_speed", !strcmp(transport, "sata") ? "6.0 Gbps" : "8.0 GT/s PCIe x4");
    put("temperature", "34");
}

static void mount(const char *fstype, const char *source, const char *point, const char *path) {
    begin_set("mount", "", 0);
    put("path", path);
    put("fstype", fstype);
    put("source", source);
    put("mount_point", point);
    put("root", "/");
    put("size", "6000000000000");
    put("available", "1500000000000");
    put("access", "rw");
}

static struct probe_view zfs_box(void) {
    struct probe_view v = begin("/mnt/tank/people/anna b");
    view = &v;
    machine();
    mount("zfs", "tank/people/anna b", "/mnt/tank/people/anna b", "/mnt/tank/people/anna b");
    put("backing", "pool");
    put_from("chain", NULL, "the pool's members are its disks");
    put_from("disks", NULL, "the pool's members are its disks");
    begin_set("dataset", "", 0);
    put_from("name", "tank/people/anna b", "/proc/self/mountinfo");
    put_from("type", "filesystem", "-");
    put_from("recordsize", "1048576", "local");
    put_from("compression", "zstd-3", "inherited from tank/people");
    put_from("encryption", "aes-256-gcm", "-");
    put_from("encryptionroot", "tank/people", "-");
    put_from("keylocation", "file:///root/keys/people.key", "local");
    put_from("checksum", "on", "default");
    put_from("sync", "standard", "default");
    put_from("primarycache", "all", "default");
    put_from("atime", "off", "inherited from tank");
    put_from("dedup", "off", "default");
    put_from("copies", "1", "default");
    put_from("quota", "2199023255552", "local");
    put_from("special_small_blocks", "0", "default");
    put_from("origin", "tank/templates@base-2024", "-");
    put_from("guid", "10655982306315992298", "-");
    put_from("sharenfs", "rw=@10.1.2.0/24", "local");
    put_from("aclmode", "passthrough", "local");
    put_from("com.example:owner", "Anna Berg", "local");
    put_from("mountpoint", "/mnt/tank/people/anna b", "inherited from tank");
    put_from("snapshots", "31", "zfs list");
    put_from("snapshot_newest", "auto-2025-03-01_00-00", "zfs list");
    put_from("snapshot_automatic", "yes", "TrueNAS");
    begin_set("pool", "", 0);
    put("name", "tank");
    put("guid", "10967927743287240160");
    put("layout", "mirror of 2; log 1; spare 1");
    put("ashift", "12");
    put("health", "DEGRADED");
    put("suspended", "no");
    put("capacity", "75");
    put("fragmentation", "12");
    put("errors", "No known data errors");
    put("status", "One or more devices could not be used because the label is missing or invalid.");
    put("scan", "scrub finished");
    put("scan_text", "scrub repaired 0B in 05:12:44 with 0 errors on Sun Mar  2 05:12:46 2025");
    put("comment", "Anna's cellar");
    put("disks", "nvme0n1 sda");
    put("tree", tree);
    disk("nvme0n1", "Samsung SSD 970 EVO", "500107862016", "nvme", "no", "aaaabbbbccccdddd");
    put("pool", "tank");
    put("vdev", "disk");
    put("vdev_class", "log");
    disk("sda", "TOSHIBA HDWG460UZSVA", "6001175126016", "sata", "yes", "1111222233334444");
    put("pool", "tank");
    put("vdev", "mirror-0");
    put("vdev_class", "data");
    put("smr", "yes");
    end();
    finding_add(&arena, &v.findings, "snapshotted", SEVERITY_SAY, 0,
                "snapshots are taken of 'tank/people/anna b' by TrueNAS: what is written may stay");
    finding_add(&arena, &v.findings, "pool-degraded", SEVERITY_REFUSE, 0,
                "pool 'tank' is DEGRADED: '14555555555555555551' of nasbox is gone; replace it");
    return v;
}

static struct probe_view nfs_box(void) {
    struct probe_view v = begin("/mnt/nas/projects/secret one");
    view = &v;
    begin_set("system", "", UNKNOWN);
    put("hostname", "nasbox.example.org");
    put_from("os", NULL, "/etc/os-release: Permission denied");
    put("kernel", "6.1.0");
    put_from("virtual", NULL, "/proc/cpuinfo: Permission denied");
    put_from("memory", NULL, "/proc/meminfo: Permission denied");
    mount("nfs4", "filer.example.org:/export/projects", "/mnt/nas", "/mnt/nas/projects/secret one");
    put("backing", "network");
    put("server", "filer.example.org:/export/projects");
    put_from("chain", NULL, "the disks are the server's");
    put_from("disks", NULL, "the disks are the server's");
    put("option.vers", "4.2");
    put("option.addr", "192.168.7.9");
    put("option.clientaddr", "192.168.7.20");
    put("option.hard", "on");
    end();
    return v;
}

static struct probe_view lvm_box(void) {
    struct probe_view v = begin("/srv/data");
    view = &v;
    machine();
    mount("xfs", "/dev/mapper/vgcellar-wine", "/srv/data", "/srv/data");
    put("backing", "disk");
    put("chain", "vgcellar-wine -> md0 -> (sda1 -> sda, sdb1 -> sdb)");
    put("layers", "lvm -> raid1 -> 2 x (partition -> disk)");
    put("disks", "sda sdb");
    put("option.noatime", "on");
    put("option.logbufs", "8");
    disk("sda", "QEMU HARDDISK", "21474836480", "virtio", "yes", "5555666677778888");
    end();
    return v;
}

/* What lies below .zfs/snapshot: zfs is not asked about it, and nobody can write there. */
static struct probe_view snapshot_box(void) {
    struct probe_view v = begin("/mnt/tank/people/.zfs/snapshot/auto-2025-03-01");
    view = &v;
    mount("zfs", "tank/people@auto-2025-03-01", "/mnt/tank/people/.zfs/snapshot/auto-2025-03-01",
          "/mnt/tank/people/.zfs/snapshot/auto-2025-03-01");
    put("access", "ro");
    begin_set("dataset", "", 0);
    put_from("name", "tank/people@auto-2025-03-01", "/proc/self/mountinfo");
    begin_set("pool", "", 0);
    put("name", "tank");
    put("layout", "mirror of 2");
    end();
    return v;
}

static struct probe_view control_box(void) {
    struct probe_view v = begin("/mnt/tank/people/.zfs/snapshot");
    view = &v;
    mount("zfs", "tank/people", "/mnt/tank/people", "/mnt/tank/people/.zfs/snapshot");
    begin_set("dataset", "", 0);
    put_from("name", "tank/people", "/proc/self/mountinfo");
    end();
    return v;
}

/* Nothing could be read at all. */
static struct probe_view blind_box(void) {
    struct probe_view v = begin("/x");
    view = &v;
    begin_set("system", "", UNKNOWN);
    begin_set("mount", "", 0);
    put_from("fstype", NULL, "/proc/self/mountinfo: No such file or directory");
    put_from("chain", NULL, "/proc/self/mountinfo: No such file or directory");
    begin_set("pool", "", 0);
    put_from("layout", NULL, "zpool status did not answer within 3 s");
    put_from("tree", NULL, "zpool status did not answer within 3 s");
    put_from("health", NULL, "zpool status did not answer within 3 s");
    begin_set("dataset", "", 0);
    put_from("name", "tank", "/proc/self/mountinfo");
    put_from("compression", NULL, "zfs: not installed");
    end();
    return v;
}

/* ---- goldens -----------------------------------------------------------------------------------
 */

static const char *golden_path(const char *name) {
    const char *dir = getenv("ZHIST_TESTS");
    return arena_fmt(&arena, "%s/data/probe/%s.txt", dir ? dir : "tests", name);
}

static void golden(const char *name, const struct buf *got) {
    const char *path = golden_path(name);
    struct err e = {0};
    char *want = NULL;
    size_t len = 0;
    if (getenv("UPDATE")) {
        FILE *f = fopen(path, "w");
        if (f) {
            fwrite(got->data, 1, got->len, f);
            fclose(f);
        }
    }
    if (file_read(&arena, path, 1 << 20, &want, &len, &e))
        printf("# %s\n", e.text);
    CHECK_TEXT(arena_fmt(&arena, "the page of %s", name), got->data, want);
}

static int widest(const char *text) {
    int most = 0;
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        int width = text_width(arena_copy(&arena, line, len));
        most = width > most ? width : most;
        line += len + (line[len] == '\n');
    }
    return most;
}

static void page(const char *name, struct probe_view v, int width, bool masked) {
    struct buf out = {0};
    if (masked)
        probe_mask(&arena, &v);
    probe_print(&arena, &v, width, &out);
    golden(name, &out);
    CHECK(arena_fmt(&arena, "%s: no line is wider than %d", name, width),
          widest(out.data) <= width);
    buf_release(&out);
}

static void pages(void) {
    page("zfs-80", zfs_box(), 80, false);
    page("zfs-200", zfs_box(), 200, false);
    page("zfs-masked", zfs_box(), 100, true);
    page("nfs-80", nfs_box(), 80, false);
    page("nfs-masked", nfs_box(), 100, true);
    page("lvm-80", lvm_box(), 80, false);
    page("blind-80", blind_box(), 80, false);
    page("snapshot-80", snapshot_box(), 80, false);
    struct probe_view control = control_box(), all = lvm_box();
    struct buf head = {0};
    probe_print(&arena, &control, 200, &head);
    CHECK_TEXT(
        "the directory of the snapshots", arena_copy(&arena, head.data, strcspn(head.data, "\n")),
        "/mnt/tank/people/.zfs/snapshot: the directory through which ZFS shows the snapshots of "
        "dataset tank/people; read-only:");
    buf_release(&head);
    all.all = true;
    page("lvm-all-80", all, 80, false);
    for (int width = 20; width < 80; width += 7) {
        struct probe_view v = zfs_box();
        struct buf out = {0};
        probe_print(&arena, &v, width, &out);
        CHECK(arena_fmt(&arena, "%d columns: it is printed", width), out.len > 1000);
        buf_release(&out);
    }
}

/* ---- the mask ----------------------------------------------------------------------------------
 */

static bool contains(const char *text, const char *word) {
    for (; *text; text++)
        if (!strncasecmp(text, word, strlen(word)))
            return true;
    return false;
}

static void no_secret(const char *name, struct probe_view v, const char *const *secrets, size_t n) {
    struct buf json = {0}, text = {0};
    struct err e = {0};
    v.all = true; /* what tells most */
    probe_mask(&arena, &v);
    probe_json(&v, &json);
    probe_print(&arena, &v, 100, &text);
    CHECK(arena_fmt(&arena, "%s: the masked JSON is valid", name),
          json_read(&arena, json.data, json.len, &e) != NULL);
    for (size_t i = 0; i < n; i++)
        CHECK(arena_fmt(&arena, "%s: nothing of '%s' is left", name, secrets[i]),
              !contains(json.data, secrets[i]) && !contains(text.data, secrets[i]));
    buf_release(&json);
    buf_release(&text);
}

static const char *masked_value(const struct probe_view *v, const char *kind, const char *key) {
    return fact_value(facts_find(&v->sheet, kind, strcmp(kind, "system") ? 0 : UNKNOWN), key);
}

static void masks(void) {
    static const char *const of_zfs[] = {
        "nasbox",
        "example.org",
        "tank",
        "people",
        "anna",
        "Berg",
        "0123456789abcdef",
        "11111111-2222",
        "99999999",
        "10.1.2.",
        "/srv",
        "5eed1234",
        "X0A1B2C3F",
        "X0A1B2C4F",
        "TOSHIBA_HDWG460",
        "14555555555555555551",
        "10655982306315992298",
        "10967927743287240160",
        "cellar",
        "templates",
        "base-2024",
        "auto-2025",
        "people.key",
        "aaaabbbbcccc",
        "111122223333",
        "/mnt",
    };
    static const char *const of_nfs[] = {"nasbox",    "example.org", "filer",
                                         "export",    "projects",    "secret",
                                         "192.168.7", "/mnt/nas",    "0123456789abcdef"};
    static const char *const of_lvm[] = {"vgcellar", "wine", "555566667777", "/srv/data"};
    no_secret("zfs", zfs_box(), of_zfs, LENGTH(of_zfs));
    no_secret("nfs", nfs_box(), of_nfs, LENGTH(of_nfs));
    static const char *const of_snapshot[] = {"tank", "people", "auto-2025", "/mnt"};
    no_secret("snapshot", snapshot_box(), of_snapshot, LENGTH(of_snapshot));
    no_secret("lvm", lvm_box(), of_lvm, LENGTH(of_lvm));

    struct probe_view v = zfs_box();
    probe_mask(&arena, &v);
    CHECK_TEXT("a dataset keeps its shape", masked_value(&v, "dataset", "name"),
               "pool-1/dataset-1/dataset-2");
    CHECK_TEXT("its parent has its part of it", masked_value(&v, "dataset", "encryptionroot"),
               "pool-1/dataset-1");
    CHECK_TEXT("the pool has the same word", masked_value(&v, "pool", "name"), "pool-1");
    CHECK("and in a source", !strcmp(facts_find(&v.sheet, "dataset", 0)->facts[0].key, "aclmode"));
    CHECK_TEXT("what the machine is stays", masked_value(&v, "system", "truenas"), "25.04.2.6");
    CHECK_TEXT("a property stays", masked_value(&v, "dataset", "compression"), "zstd-3");
    CHECK_TEXT("a number as long as a guid stays",
               fact_value(facts_find(&v.sheet, "module", UNKNOWN), "zfs_vdev_x"),
               "18446744073709551615");
    CHECK("a disk's link and serial number are one word",
          strstr(masked_value(&v, "pool", "tree"), "by-id/disk-1-part1") &&
              !strcmp(fact_value(&v.sheet.sets[v.sheet.n_sets - 1], "serial_digest"), "disk-1"));
    CHECK("and what is left of one that is gone is another",
          strstr(masked_value(&v, "pool", "tree"), "\"was /dev/disk/by-id/disk-2-part1\"") &&
              strstr(masked_value(&v, "pool", "tree"), "\"name\":\"disk-2\""));
    CHECK("its finding names the pool by its word",
          strstr(v.findings.items[1].text, "pool 'pool-1' is DEGRADED"));
}

/* Names that are words of everyday use must not tear other words apart. */
static void everyday_names(void) {
    struct probe_view v = begin("/mnt/data/on");
    v.host = "truenas";
    view = &v;
    begin_set("system", "", UNKNOWN);
    put("hostname", "truenas");
    put("truenas", "25.04");
    put("kernel", "6.12.15-production+truenas");
    mount("zfs", "data/on", "/mnt/data/on", "/mnt/data/on");
    begin_set("dataset", "", 0);
    put_from("name", "data/on", "/proc/self/mountinfo");
    put_from("compression", "on", "inherited from data");
    begin_set("pool", "", 0);
    put("name", "data");
    put("errors", "No known data errors");
    put("tree", "{\"name\":\"data\",\"type\":\"root\",\"class\":\"data\",\"state\":\"ONLINE\","
                "\"below\":[]}");
    end();
    finding_add(&arena, &v.findings, "x", SEVERITY_SAY, 0, "pool 'data' and data/on of data");
    probe_mask(&arena, &v);
    CHECK_TEXT("a property 'on' stays", masked_value(&v, "dataset", "compression"), "on");
    CHECK_TEXT("the dataset 'on' does not", masked_value(&v, "dataset", "name"),
               "pool-1/dataset-1");
    CHECK_TEXT("'data errors' stays", masked_value(&v, "pool", "errors"), "No known data errors");
    CHECK_TEXT("the pool 'data' does not", masked_value(&v, "pool", "name"), "pool-1");
    CHECK_TEXT("the class 'data' stays, the name does not", masked_value(&v, "pool", "tree"),
               "{\"name\":\"pool-1\",\"type\":\"root\",\"class\":\"data\",\"state\":\"ONLINE\","
               "\"below\":[]}");
    CHECK_TEXT("in quotes and in a name it is hidden, as a word it stays", v.findings.items[0].text,
               "pool 'pool-1' and pool-1/dataset-1 of data");
    CHECK_TEXT("a source names it", facts_dataset(&v.sheet, 0)->facts[0].source,
               "inherited from pool-1");
    CHECK_TEXT("a host 'truenas'", masked_value(&v, "system", "hostname"), "host-1");
    CHECK_TEXT("the kernel of TrueNAS stays", masked_value(&v, "system", "kernel"),
               "6.12.15-production+truenas");
}

static void texts(void) {
    struct mask m = {.a = &arena};
    mask_word(&m, "longname", "host");
    mask_word(&m, "abc", "host");
    mask_sort(&m);
    CHECK_TEXT("a strong name goes wherever it stands", mask_text(&m, "xLongNamey longname2"),
               "xhost-1y host-12");
    CHECK_TEXT("a weak one only where it stands alone as a name",
               mask_text(&m, "abc abcd x/abc 'abc' xabc/ abc:"),
               "abc abcd x/host-2 'host-2' xabc/ host-2:");
    CHECK_TEXT("paths of the system stay", mask_text(&m, "/sys/class/x, /proc/self/y"),
               "/sys/class/x, /proc/self/y");
    CHECK_TEXT("other paths go, the same by the same word",
               mask_text(&m, "/opt/a/b: '/home/u/my file' /opt/a/b"), "/path-1: '/path-2' /path-1");
    CHECK_TEXT("links of disks go, the partition stays",
               mask_text(&m, "/dev/disk/by-id/wwn-0x5000-part3 /dev/disk/by-partlabel/anna"),
               "/dev/disk/by-id/disk-1-part3 /dev/disk/by-partlabel/disk-2");
    CHECK("no text is no text", mask_text(&m, NULL) == NULL);
    CHECK_TEXT("an empty text stays", mask_text(&m, ""), "");
}

int main(void) {
    pages();
    masks();
    everyday_names();
    texts();
    arena_release(&arena);
    return check_done();
}
