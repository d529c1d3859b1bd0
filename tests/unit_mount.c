/*
 * unit_mount.c: mountinfo and what lies under a mount: escapes, hidden mounts, options, chains of
 * block devices in a made-up /sys, and lines nobody should write.
 */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/facts/probe.h"
#include "check.h"

static struct arena arena;

static const char *data(const char *name) {
    const char *dir = getenv("ZHIST_TESTS");
    return arena_fmt(&arena, "%s/data/facts/%s", dir ? dir : "tests", name);
}

struct list {
    struct mount *m;
    size_t n, bad;
};

static struct list sample(const char *name) {
    struct list l = {0};
    struct err e = {0};
    char *text;
    size_t len;
    if (file_read(&arena, data(arena_fmt(&arena, "mountinfo/%s", name)), 1 << 20, &text, &len, &e))
        printf("# %s\n", e.text);
    else
        l.bad = mountinfo_parse(&arena, text, len, &l.m, &l.n);
    return l;
}

static int64_t id_at(struct list l, const char *path) {
    const struct mount *m = mount_of_path(l.m, l.n, path);
    return m ? m->id : -1;
}

static void lines(void) {
    struct list l = sample("server");
    CHECK("all lines of a server are read", l.n == 12 && l.bad == 0);
    CHECK("a mount over the root wins", id_at(l, "/") == 25 && id_at(l, "/home/x") == 25);
    CHECK("a dataset below a dataset", id_at(l, "/mnt/tank/with space/dir") == 28);
    CHECK("a name that only begins alike is not below",
          id_at(l, "/mnt/tank2") == 25 && id_at(l, "/mnt/tank/with") == 27);
    CHECK("a mount point and a slash at its end", id_at(l, "/mnt/tank/") == 27);
    CHECK_TEXT("a space is decoded", l.m[4].source, "tank/with space");
    CHECK_TEXT("backslash and tab are decoded", l.m[11].point, "/mnt/back\\slash\ttab");
    CHECK_TEXT("a bind mount has its root", mount_of_path(l.m, l.n, "/srv/bind")->root,
               "/var/lib/box");
    CHECK_TEXT("an empty source is empty", l.m[9].source, "");
    CHECK_TEXT("and what follows it is not moved", l.m[9].super, "rw,size=1048576k");
    CHECK("a relative path lies nowhere", id_at(l, "home") == -1);

    l = sample("hidden");
    CHECK("a mount over the parent directory hides", id_at(l, "/mnt/pool/x") == 22);
    CHECK("the upper of two on one point wins", id_at(l, "/mnt/new/x") == 24);
    l = sample("chroot");
    CHECK("without a root: the longest", id_at(l, "/data/deeper/x") == 43);
    CHECK("without a root: the last of equals", id_at(l, "/data/x") == 42);
    CHECK("without a root: nothing", id_at(l, "/else") == -1);
    l = sample("hostile");
    CHECK("hostile lines are left out", l.n == 2 && l.bad == 14);
    CHECK_TEXT("broken escapes stay", l.n == 2 ? l.m[1].point : NULL, "/x\\04");
    CHECK_TEXT("beyond a byte, and NUL, stay", l.n == 2 ? l.m[1].source : NULL, "\\9\\400\\000");
    l.bad = mountinfo_parse(&arena, "", 0, &l.m, &l.n);
    CHECK("nothing at all", l.n == 0 && l.bad == 0 && !mount_of_path(l.m, l.n, "/"));

    static const char circle[] = "1 9 8:1 / / rw - a b rw\n2 1 8:1 / / rw - a b rw\n"
                                 "1 2 8:1 / / rw - a b rw\n";
    mountinfo_parse(&arena, circle, sizeof circle - 1, &l.m, &l.n);
    CHECK("a circle of parents ends", l.n == 3 && mount_of_path(l.m, l.n, "/a/b"));
}

/* The kernel's own answer and the walk must agree on this machine. */
static void live(void) {
    static const char *const paths[] = {"/",    "/proc",       "/dev/shm",
                                        "/tmp", "/sys/kernel", "/usr/bin"};
    struct fact_sheet sheet;
    struct facts_ask ask = {paths, LENGTH(paths), "test"};
    struct list l = {0};
    struct err e = {0};
    char *text;
    size_t len, agree = 0;
    if (file_read(&arena, "/proc/self/mountinfo", 1 << 24, &text, &len, &e)) {
        SKIP("the walk agrees with the kernel", "no /proc/self/mountinfo");
        return;
    }
    l.bad = mountinfo_parse(&arena, text, len, &l.m, &l.n);
    CHECK("each line of this machine is read", l.n > 0 && l.bad == 0);
    bool rooted = false;
    for (size_t i = 0; i < l.n; i++)
        rooted |= !strcmp(l.m[i].point, "/");
    if (!rooted) { /* a chroot: what lies at / has no line, the walk can only guess */
        SKIP("the walk agrees with the kernel", "the root of this chroot is no mount");
        return;
    }
    facts_probe(&arena, &ask, &sheet);
    for (size_t i = 0; i < LENGTH(paths); i++) {
        const char *point = fact_value(facts_find(&sheet, "mount", (int64_t)i), "mount_point");
        const char *real = path_resolve(&arena, paths[i]);
        const struct mount *m = real ? mount_of_path(l.m, l.n, real) : NULL;
        agree += !real || (m && point && !strcmp(m->point, point));
    }
    CHECK("the walk agrees with the kernel", agree == LENGTH(paths));
}

static void put(void *ctx, const char *key, const char *value) {
    buf_fmt(ctx, "<%s|%s>", key, value);
}

static const char *options(const char *text) {
    struct buf b = {0};
    mount_options(&arena, text, put, &b);
    const char *all = arena_str(&arena, b.data ? b.data : "");
    buf_release(&b);
    return all;
}

static void option_lists(void) {
    CHECK_TEXT("flags and values", options("rw,relatime,commit=30"),
               "<rw|on><relatime|on><commit|30>");
    CHECK_TEXT("a comma in quotes", options("a=\"x,y\",b"), "<a|\"x,y\"><b|on>");
    CHECK_TEXT("an open quote", options("a=\"x,b"), "<a|\"x,b>");
    CHECK_TEXT("an escaped comma", options("user=a\\054b"), "<user|a,b>");
    CHECK_TEXT("empty ones", options(",,a=,=x,"), "<a|>");
    CHECK_TEXT("a value with =", options("compress=zstd:3,x=a=b"), "<compress|zstd:3><x|a=b>");
    CHECK_TEXT("none", options(""), "");
}

/* ---- a made-up machine ----------------------------------------------------------------------- */

static char *root;

static void remove_all(const char *path) {
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *below = arena_fmt(&arena, "%s/%s", path, entry->d_name);
        struct stat st;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || lstat(below, &st))
            continue;
        if (S_ISDIR(st.st_mode))
            remove_all(below);
        else
            unlink(below);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

static void make_dirs(const char *path) {
    char *copy = arena_str(&arena, path);
    for (char *c = copy + 1; *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(copy, 0700);
            *c = '/';
        }
}

static void put_file(const char *path, const char *text) {
    const char *full = arena_fmt(&arena, "%s%s", root, path);
    make_dirs(full);
    FILE *f = fopen(full, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static void put_link(const char *path, const char *to) {
    const char *full = arena_fmt(&arena, "%s%s", root, path);
    make_dirs(full);
    if (symlink(to, full))
        printf("# link '%s' failed\n", full);
}

/* A block device at /sys/devices/AT, with the links the kernel makes to it. */
static void put_block(const char *at, const char *number) {
    const char *name = strrchr(at, '/') + 1;
    put_file(arena_fmt(&arena, "/sys/devices/%s/dev", at), arena_fmt(&arena, "%s\n", number));
    put_link(arena_fmt(&arena, "/sys/dev/block/%s", number),
             arena_fmt(&arena, "../../devices/%s", at));
    put_link(arena_fmt(&arena, "/sys/class/block/%s", name),
             arena_fmt(&arena, "../../devices/%s", at));
}

static void put_slave(const char *at, const char *name, const char *device) {
    put_link(arena_fmt(&arena, "/sys/devices/%s/slaves/%s", at, name),
             arena_fmt(&arena, "%s/sys/devices/%s", root, device));
}

static void put_attr(const char *at, const char *name, const char *text) {
    put_file(arena_fmt(&arena, "/sys/devices/%s/%s", at, name), text);
}

#define SDA "pci0/ata1/host0/block/sda"
#define SDB "pci0/ata2/host1/block/sdb"
#define NVME "pci0/nvme/nvme0/nvme0n1"
#define VIRTUAL "virtual/block/"

static void build(void) {
    put_block(SDA, "8:0");
    put_block(SDA "/sda1", "8:1");
    put_attr(SDA "/sda1", "partition", "1\n");
    put_block(SDA "/sda2", "8:2");
    put_attr(SDA "/sda2", "partition", "2\n");
    put_block(SDB, "8:16");
    put_block(SDB "/sdb1", "8:17");
    put_attr(SDB "/sdb1", "partition", "1\n");
    put_block(NVME, "259:0");
    put_block(VIRTUAL "md0", "9:0");
    put_attr(VIRTUAL "md0", "md/level", "raid1\n");
    put_slave(VIRTUAL "md0", "sda1", SDA "/sda1");
    put_slave(VIRTUAL "md0", "sdb1", SDB "/sdb1");
    put_block(VIRTUAL "dm-0", "254:0");
    put_attr(VIRTUAL "dm-0", "dm/name", "secret\n");
    put_attr(VIRTUAL "dm-0", "dm/uuid", "CRYPT-LUKS2-abc\n");
    put_slave(VIRTUAL "dm-0", "md0", VIRTUAL "md0");
    put_block(VIRTUAL "dm-1", "254:1");
    put_attr(VIRTUAL "dm-1", "dm/name", "path\n");
    put_attr(VIRTUAL "dm-1", "dm/uuid", "mpath-3600\n");
    put_slave(VIRTUAL "dm-1", "sda", SDA);
    put_slave(VIRTUAL "dm-1", "sdb", SDB);
    put_block(VIRTUAL "dm-2", "254:2"); /* stands on something that is gone */
    put_attr(VIRTUAL "dm-2", "dm/name", "broken\n");
    put_slave(VIRTUAL "dm-2", "sdz", "pci0/sdz");
    put_block(VIRTUAL "loop0", "7:0");
    put_attr(VIRTUAL "loop0", "loop/backing_file", "/crypt/image.raw\n");
    put_block(VIRTUAL "loop1", "7:1");
    put_attr(VIRTUAL "loop1", "loop/backing_file", "/shm/image.raw\n");
    put_block(VIRTUAL "loop2", "7:2"); /* lies in itself */
    put_attr(VIRTUAL "loop2", "loop/backing_file", "/self/image.raw\n");
    put_block(VIRTUAL "zram0", "253:0");
    put_block("pci0/virtio1/block/vda", "252:0");
    put_attr("pci0/virtio1/block/vda", "queue/rotational", "1\n");

    put_attr(SDA, "queue/rotational", "1\n");
    put_attr(SDA, "queue/scheduler", "none [mq-deadline] kyber\n");
    put_attr(SDA, "queue/logical_block_size", "512\n");
    put_attr(SDA, "size", "11721045168\n");
    put_attr(SDA, "device/model", "Samsung SSD 870 \n");
    put_attr(SDA, "device/vendor", "ATA     \n");
    put_attr(SDA, "device/rev", "2B6Q\n");
    put_attr(SDA, "wwid", "naa.5002538f31234567\n");
    put_attr(SDB, "queue/rotational", "x\n");
    put_attr(SDB, "size", "-5\n");
    put_attr(NVME, "queue/rotational", "0\n");
    put_attr(NVME, "device/model", "WDC WDS500G2B0C                         \n");
    put_attr(NVME, "device/firmware_rev", "211070WD\n");
    put_attr(NVME, "device/serial", "2104AB456\n");
    put_attr(NVME, "device/device/current_link_speed", "8.0 GT/s PCIe\n");
    put_attr(NVME, "device/device/current_link_width", "4\n");
    put_file("/sys/class/ata_link/link1/sata_spd", "6.0 Gbps\n");
    put_file("/run/udev/data/b8:0", "S:disk/by-id/x\nE:ID_MODEL=Samsung_SSD_870_EVO_1TB\n"
                                    "E:ID_MODEL_ENC=Samsung\\x20SSD\\x20870\\x20EVO\\x201TB\\x20\n"
                                    "E:ID_REVISION=SVT02B6Q\n");
    put_file("/sys/fs/btrfs/features/x", "");
    put_file("/sys/fs/btrfs/1-2/devices/sdb1", "");
    put_file("/sys/fs/btrfs/1-2/devices/sda2", "");
    put_file("/dev/sda2", "");
    put_file("/dev/nvme0n1", "");
    put_link("/dev/mapper/one", "../nvme0n1");
    put_file("/proc/self/mountinfo",
             "1 0 8:2 / / rw,relatime - ext4 /dev/root rw,commit=5\n"
             "2 1 254:0 / /crypt rw - ext4 /dev/mapper/secret rw\n"
             "3 1 254:1 / /path ro - xfs /dev/mapper/path rw\n"
             "4 1 254:2 / /broken rw - xfs /dev/mapper/broken rw\n"
             "5 1 7:0 / /image rw - ext4 /dev/loop0 rw\n"
             "6 1 0:30 / /shm rw - tmpfs tmpfs rw,size=4k\n"
             "7 1 7:1 / /onshm rw - ext4 /dev/loop1 rw\n"
             "8 1 7:2 / /self rw - ext4 /dev/loop2 rw\n"
             "9 1 0:31 / /btrfs rw - btrfs /dev/sda2 rw,subvolid=5\n"
             "10 1 0:32 / /one rw - btrfs /dev/mapper/one rw\n"
             "11 1 0:33 / /over rw - overlay overlay rw,upperdir=/x\n"
             "12 1 0:34 / /zfs rw,noatime - zfs tank rw,xattr,posixacl,casesensitive\n"
             "13 1 0:35 / /nfs rw - nfs4 nas:/x rw,clientaddr=1.2.3.4\n"
             "14 1 253:0 / /zram rw - ext4 /dev/zram0 rw\n"
             "15 1 9:9 / /gone rw - ext4 /dev/md9 rw\n"
             "16 1 0:36 / /odd rw - fuse.odd /dev/ rw,password=x\n"
             "17 1 252:0 / /vda rw - ext4 /dev/vda rw\n");
}

static struct fact_sheet sheet;
static const char *const targets[] = {"/x",     "/crypt", "/path",  "/broken", "/image", "/shm",
                                      "/onshm", "/self",  "/btrfs", "/one",    "/over",  "/zfs",
                                      "/nfs",   "/zram",  "/gone",  "/odd",    "/vda"};

static const struct factset *target(const char *path) {
    for (size_t i = 0; i < LENGTH(targets); i++)
        if (!strcmp(targets[i], path))
            return facts_find(&sheet, "mount", (int64_t)i);
    return NULL;
}

static const char *value(const char *path, const char *key) {
    return fact_value(target(path), key);
}

static bool says(const char *path, const char *key, const char *why) {
    const struct fact *f = fact_find(target(path), key);
    bool ok = f && !f->value && strstr(f->source, why);
    if (!ok)
        printf("# %s: value %s, source %s\n", key, f && f->value ? f->value : "(null)",
               f ? f->source : "(no fact)");
    return ok;
}

static const struct factset *disk(const char *name) {
    for (size_t i = 0; i < sheet.n_sets; i++)
        if (!strcmp(sheet.sets[i].kind, "disk") && !strcmp(fact_value(&sheet.sets[i], "name"), name))
            return &sheet.sets[i];
    return NULL;
}

static void chains(void) {
    CHECK_TEXT("a partition", value("/x", "chain"), "sda2 -> sda");
    CHECK_TEXT("its layers have no names", value("/x", "layers"), "partition -> disk");
    CHECK_TEXT("an option with a value", value("/x", "option.commit"), "5");
    CHECK_TEXT("an option without", value("/x", "option.relatime"), "on");
    CHECK_TEXT("crypt on md", value("/crypt", "chain"),
               "secret -> md0 -> (sda1 -> sda, sdb1 -> sdb)");
    CHECK_TEXT("layers that are alike are counted", value("/crypt", "layers"),
               "crypt -> raid1 -> 2 x (partition -> disk)");
    CHECK_TEXT("its disks", value("/crypt", "disks"), "sda sdb");
    CHECK_TEXT("two disks", value("/crypt", "disk_count"), "2");
    CHECK_TEXT("two paths", value("/path", "disks"), "sda sdb");
    CHECK_TEXT("are one disk", value("/path", "disk_count"), "1");
    CHECK_TEXT("ro of either is ro", value("/path", "access"), "ro");
    CHECK("half a chain is none", says("/broken", "chain", "slaves/sdz: leads nowhere"));
    CHECK_TEXT("a file on a file system on disks", value("/image", "chain"),
               "loop0 -> secret -> md0 -> (sda1 -> sda, sdb1 -> sdb)");
    CHECK("tmpfs has no disks", says("/shm", "disks", "in memory"));
    CHECK_TEXT("tmpfs is memory", value("/shm", "backing"), "memory");
    CHECK_TEXT("so is a file in it", value("/onshm", "backing"), "memory");
    CHECK("which has no disks either", says("/onshm", "disks", "no disk"));
    CHECK("a loop in itself ends", says("/self", "chain", "layers"));
    CHECK_TEXT("btrfs on two", value("/btrfs", "chain"), "btrfs -> (sda2 -> sda, sdb1 -> sdb)");
    CHECK_TEXT("btrfs on one, through a link", value("/one", "chain"), "nvme0n1");
    CHECK("overlay does not tell", says("/over", "backing", "overlay"));
    CHECK_TEXT("a pool is a pool", value("/zfs", "backing"), "pool");
    CHECK_TEXT("its mount has options", value("/zfs", "option.noatime"), "on");
    CHECK("what is a property of the dataset is none", !value("/zfs", "option.xattr") &&
                                                           !value("/zfs", "option.posixacl") &&
                                                           !value("/zfs", "option.casesensitive"));
    CHECK("whose disks are not read yet", says("/zfs", "disks", "pool"));
    CHECK_TEXT("a server", value("/nfs", "server"), "nas:/x");
    CHECK_TEXT("zram is memory", value("/zram", "backing"), "memory");
    CHECK("a device that is gone", says("/gone", "chain", "/sys/dev/block/9:9"));
    CHECK("a source without a name", says("/odd", "chain", "/sys/class/block"));
    CHECK_TEXT("a secret stays one", value("/odd", "option.password"), "hidden");
    CHECK("sizes are not made up", says("/x", "size", "kernel"));
    CHECK("no rw or ro among the options", !value("/x", "option.rw"));
}

/* "NAME=SUBJECT ..." of the disks of a target. */
static const char *disks_under(const char *path) {
    struct buf b = {0};
    const struct factset *mount = target(path);
    for (size_t i = 0; i < sheet.n_sets; i++)
        if (!strcmp(sheet.sets[i].kind, "disk") && sheet.sets[i].target == mount->target)
            buf_fmt(&b, "%s%s=%s", b.len ? " " : "", fact_value(&sheet.sets[i], "name"),
                    sheet.sets[i].subject);
    const char *text = arena_str(&arena, b.data ? b.data : "");
    buf_release(&b);
    return text;
}

static void disks_of_targets(void) {
    const char *serial = fact_value(disk("sda"), "serial_digest");
    const char *self = arena_fmt(&arena, "sda=%.12s", serial);
    CHECK_TEXT("a disk is itself by its serial", disks_under("/x"), self);
    CHECK_TEXT("one without goes by its name, each target has its own", disks_under("/crypt"),
               arena_fmt(&arena, "%s sdb=sdb", self));
    CHECK_TEXT("no other disk under another target", disks_under("/vda"), "vda=vda");
    CHECK_TEXT("none under tmpfs", disks_under("/shm"), "");
    const struct factset *first = disk("sda"), *other = NULL;
    for (size_t i = 0; i < sheet.n_sets; i++)
        if (!strcmp(sheet.sets[i].subject, first->subject) && &sheet.sets[i] != first)
            other = &sheet.sets[i];
    CHECK("of all its targets the facts are the same",
          other && other->target != first->target && !strcmp(other->digest, first->digest));
    /* The next boot hands out the names the other way round. */
    char *was = arena_str(&arena, first->subject);
    put_attr(SDB, "wwid", "naa.5002538f31234567\n");
    put_attr(SDA, "wwid", "\n");
    struct facts_ask ask = {targets, LENGTH(targets), "test"};
    facts_probe_at(&arena, root, &ask, &sheet);
    CHECK_TEXT("another name, the same disk", disks_under("/crypt"),
               arena_fmt(&arena, "sda=sda sdb=%s", was));
    put_attr(SDA, "wwid", "naa.5002538f31234567\n");
    facts_probe_at(&arena, root, &ask, &sheet);
    CHECK_TEXT("two that share a serial are two", disks_under("/crypt"),
               arena_fmt(&arena, "sda=%s sdb=%s-2", was, was));
}

static void disks(void) {
    const struct factset *sda = disk("sda"), *nvme = disk("nvme0n1"), *sdb = disk("sdb");
    CHECK("every disk", sda && sdb && nvme && disk("zram0") && disk("vda"));
    CHECK_TEXT("the whole model", fact_value(sda, "model"), "Samsung SSD 870 EVO 1TB");
    CHECK_TEXT("rotational", fact_value(sda, "rotational"), "yes");
    CHECK_TEXT("scheduler", fact_value(sda, "scheduler"), "mq-deadline");
    CHECK_TEXT("sectors are 512 bytes", fact_value(sda, "size"), "6001175126016");
    CHECK_TEXT("transport", fact_value(sda, "transport"), "sata");
    CHECK_TEXT("link", fact_value(sda, "link_speed"), "6.0 Gbps");
    CHECK_TEXT("firmware from udev", fact_value(sda, "firmware"), "SVT02B6Q");
    const char *serial = fact_value(sda, "serial_digest");
    CHECK("the serial number is a digest",
          serial && strlen(serial) == 16 && !strstr(serial, "naa"));
    CHECK_TEXT("nvme", fact_value(nvme, "transport"), "nvme");
    CHECK_TEXT("padding goes", fact_value(nvme, "model"), "WDC WDS500G2B0C");
    CHECK_TEXT("firmware", fact_value(nvme, "firmware"), "211070WD");
    CHECK_TEXT("pcie", fact_value(nvme, "link_speed"), "8.0 GT/s PCIe x4");
    CHECK("nonsense is unknown", sdb && !fact_value(sdb, "rotational") && !fact_value(sdb, "size"));
    CHECK_TEXT("virtio says what it is", fact_value(disk("vda"), "transport"), "virtio");
    size_t judged = 0, all = 0;
    for (size_t i = 0; i < sheet.n_sets; i++)
        for (size_t k = 0; k < sheet.sets[i].n_facts; k++) {
            bool known = fact_class_known(sheet.sets[i].kind, sheet.sets[i].facts[k].key);
            all++;
            judged += known;
            if (!known)
                printf("# not judged: %s.%s\n", sheet.sets[i].kind, sheet.sets[i].facts[k].key);
        }
    CHECK("every fact has its class in the table", judged == all);
}

/* ---- lines nobody should write --------------------------------------------------------------- */

static void mutations(void) {
    static const char bytes[] = " \n\\-:,=\"/0179a\0\377\t";
    struct err e = {0};
    char *text;
    size_t len, kept = 0, found = 0, turns = 3000;
    uint64_t state = 20260301;
    if (file_read(&arena, data("mountinfo/server"), 1 << 20, &text, &len, &e)) {
        CHECK("the sample is there", 0);
        return;
    }
    for (size_t turn = 0; turn < turns; turn++) {
        struct arena a = {0};
        size_t cut = len - (turn % 3 ? 0 : random_next(&state) % len);
        char *copy = malloc(cut ? cut : 1); /* to the byte: a sanitizer sees one step beyond */
        struct list l;
        if (!copy)
            break;
        memcpy(copy, text, cut);
        for (size_t i = random_next(&state) % 40; cut && i-- > 0;)
            copy[random_next(&state) % cut] = bytes[random_next(&state) % (sizeof bytes - 1)];
        l.bad = mountinfo_parse(&a, copy, cut, &l.m, &l.n);
        free(copy);
        kept += l.n;
        for (size_t i = 0; i < l.n; i++) {
            struct buf b = {0};
            found += mount_of_path(l.m, l.n, l.m[i].point) != NULL;
            mount_options(&a, l.m[i].super, put, &b);
            buf_release(&b);
        }
        arena_release(&a);
    }
    CHECK("3000 spoiled lists are read without harm", kept > turns && found > turns);
}

int main(void) {
    lines();
    live();
    option_lists();
    mutations();
    const char *tmp = getenv("TMPDIR");
    root = arena_fmt(&arena, "%s/zhist-unit-mount-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(root)) {
        struct facts_ask ask = {targets, LENGTH(targets), "test"};
        build();
        facts_probe_at(&arena, root, &ask, &sheet);
        chains();
        disks();
        disks_of_targets();
        remove_all(root);
    } else {
        CHECK("a directory for the made-up machine", 0);
    }
    arena_release(&arena);
    return check_done();
}
