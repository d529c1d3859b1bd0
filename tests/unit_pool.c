/*
 * unit_pool.c: the probe of a pool in made-up trees whose zpool prints what real ones printed: the
 * same facts from text and JSON, disks behind every kind of path, a suspended pool, a zpool that is
 * not there or says too little; every fact and property has its class.
 */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/facts/probe.h"
#include "check.h"
#include "zhist/json.h"
#include "zhist/zfs.h"

static struct arena arena;
static char *root;

/* ---- trees ----------------------------------------------------------------------------------- */

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

static const char *data(const char *name) {
    const char *dir = getenv("ZHIST_TESTS");
    struct err e = {0};
    char *text;
    size_t len;
    if (!file_read(&arena, arena_fmt(&arena, "%s/data/zfs/%s", dir ? dir : "tests", name), 1 << 20,
                   &text, &len, &e))
        return text;
    printf("# %s\n", e.text);
    return "";
}

/* What a program prints when it is asked so. */
static void put_run(const char *call, const char *text) {
    put_file(arena_fmt(&arena, "/run/%s.txt", call), text);
}

/* sda with its partition 1, and what udev makes of them. */
static void put_disk(const char *name, const char *part, const char *by) {
    const char *at = arena_fmt(&arena, "/sys/devices/pci0/block/%s", name);
    put_file(arena_fmt(&arena, "%s/dev", at), "8:0\n");
    put_file(arena_fmt(&arena, "%s/size", at), "2048\n");
    put_link(arena_fmt(&arena, "/sys/class/block/%s", name),
             arena_fmt(&arena, "../../devices/pci0/block/%s", name));
    put_file(arena_fmt(&arena, "/dev/%s", name), "");
    if (!part)
        return;
    put_file(arena_fmt(&arena, "%s/%s/dev", at, part), "8:1\n");
    put_file(arena_fmt(&arena, "%s/%s/partition", at, part), "1\n");
    put_link(arena_fmt(&arena, "/sys/class/block/%s", part),
             arena_fmt(&arena, "../../devices/pci0/block/%s/%s", name, part));
    put_file(arena_fmt(&arena, "/dev/%s", part), "");
    if (by)
        put_link(arena_fmt(&arena, "/dev/disk/%s", by), arena_fmt(&arena, "../../%s", part));
}

static void begin(void) {
    if (root)
        remove_all(root);
    root = arena_str(&arena, "/tmp/zhist-pool-XXXXXX");
    if (!mkdtemp(root))
        printf("# no directory in /tmp\n");
    root = arena_str(&arena, path_resolve(&arena, root));
    put_file("/proc/self/mountinfo", "20 1 8:90 / / rw - ext4 /dev/sdz1 rw\n"
                                     "21 20 0:40 / /mnt/tank rw - zfs tank rw\n"
                                     "22 21 0:41 / /mnt/tank/plain rw - zfs tank/plain@snap rw\n"
                                     "23 20 0:42 / /mnt/odd rw - zfs odd/x rw\n");
}

static struct fact_sheet probe(const char *const *paths, size_t n) {
    struct fact_sheet sheet;
    struct facts_ask ask = {.paths = paths, .n_paths = n, .version = "0"};
    facts_probe_at(&arena, root, &ask, &sheet);
    return sheet;
}

static const struct factset *pool_at(const char *path) {
    const char *paths[] = {path};
    struct fact_sheet *sheet = arena_new(&arena, struct fact_sheet, 1);
    *sheet = probe(paths, 1);
    return facts_find(sheet, "pool", 0);
}

static const char *why(const struct factset *set, const char *key) {
    const struct fact *f = fact_find(set, key);
    return f && !f->value ? f->source : NULL;
}

/* tank of a real 2.3.9. */
static void real_tank(bool json) {
    begin();
    put_disk("sda", "sda1", "by-id/scsi-35000c50000ab0000-part1");
    put_disk("sdb", "sdb1", "by-id/scsi-35000c50000ab0001-part1");
    if (json) {
        put_run("zfs_version_-j", data("2.3.9/zfs_version_-j.txt"));
        put_run("zpool_status_-j_-i_-t_-P_-p_--json-int_tank",
                data("2.3.9/calls/plain/zpool_status_-j_-i_-t_-P_-p_--json-int_tank.txt"));
        put_run("zpool_get_-j_-p_all_tank", data("2.3.9/calls/plain/zpool_get_-j_-p_all_tank.txt"));
    } else {
        put_run("zpool_status_-P_tank", data("2.3.9/calls/plain/zpool_status_-P_tank.txt"));
        put_run("zpool_get_-Hp_all_tank", data("2.3.9/calls/plain/zpool_get_-Hp_all_tank.txt"));
    }
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void real(void) {
    static const char *const want[][2] = {{"name", "tank"},
                                          {"layout", "mirror of 2"},
                                          {"health", "ONLINE"},
                                          {"ashift", "12"},
                                          {"autotrim", "off"},
                                          {"readonly", "off"},
                                          {"suspended", "no"},
                                          {"scan", "none"},
                                          {"scan_text", "none requested"},
                                          {"status", "none"},
                                          {"errors", "No known data errors"},
                                          {"data_errors", "0"},
                                          {"read_errors", "0"},
                                          {"write_errors", "0"},
                                          {"checksum_errors", "0"},
                                          {"trim", "no"},
                                          {"initialize", "no"},
                                          {"remove", "no"},
                                          {"expand", "no"},
                                          {"disks", "sda sdb"},
                                          {"disk_count", "2"},
                                          {"size", "2952790016"},
                                          {"feature@lz4_compress", "enabled"},
                                          {"feature@async_destroy", "enabled"}};
    const struct factset *sets[2];
    for (int json = 0; json < 2; json++) {
        real_tank(json);
        const struct factset *set = sets[json] = pool_at("/mnt/tank/plain");
        CHECK(json ? "JSON: a pool" : "text: a pool", set);
        for (size_t i = 0; i < LENGTH(want); i++)
            CHECK_TEXT(want[i][0], fact_value(set, want[i][0]), want[i][1]);
        size_t judged = 0, unsaid = 0;
        for (size_t i = 0; set && i < set->n_facts; i++) {
            judged += fact_class_known("pool", set->facts[i].key);
            unsaid += !set->facts[i].value && !*set->facts[i].source;
        }
        CHECK("every fact is judged, every unknown has a reason",
              set && judged == set->n_facts && !unsaid);
        struct err e = {0};
        const char *tree = fact_value(set, "tree");
        const struct json *t = tree ? json_read(&arena, tree, strlen(tree), &e) : NULL;
        const struct json *mirror = json_get(t, "below") ? json_get(t, "below")->first : NULL;
        const struct json *leaf =
            json_get(mirror, "below") ? json_get(mirror, "below")->first : NULL;
        CHECK_TEXT("the tree is JSON", json_text(mirror, "type"), "mirror");
        CHECK_TEXT("down to the disks", json_text(leaf, "disk"), "sda");
    }
    CHECK_TEXT("the digest of text is that of JSON", sets[1] ? sets[1]->digest : NULL,
               sets[0] ? sets[0]->digest : NULL);
}

static void several_targets(void) {
    static const char *const paths[] = {"/mnt/tank", "/home", "/mnt/tank/plain"};
    real_tank(true);
    struct fact_sheet sheet = probe(paths, LENGTH(paths));
    const struct factset *one = facts_find(&sheet, "pool", 0);
    const struct factset *other = facts_find(&sheet, "pool", 2);
    CHECK("both targets have their pool", one && other && !strcmp(one->digest, other->digest));
    CHECK("a target without a pool has none", !facts_find(&sheet, "pool", 1));
    CHECK("and both their disks", facts_find(&sheet, "disk", 0) && facts_find(&sheet, "disk", 2));
}

static void active_is_enabled(void) {
    real_tank(false);
    const struct factset *before = pool_at("/mnt/tank");
    const char *get = data("2.3.9/calls/plain/zpool_get_-Hp_all_tank.txt");
    const char *feature = strstr(get, "feature@sha512\tenabled");
    CHECK("a feature nobody used yet", feature);
    if (feature)
        put_run("zpool_get_-Hp_all_tank",
                arena_fmt(&arena, "%.*sfeature@sha512\tactive%s", (int)(feature - get), get,
                          feature + strlen("feature@sha512\tenabled")));
    const struct factset *after = pool_at("/mnt/tank");
    CHECK_TEXT("its first use is no change", after ? after->digest : NULL,
               before ? before->digest : NULL);
}

#define HEAD(state)                                                                                \
    "  pool: odd\n state: " state "\n  scan: scrub in progress since Tue Dec  1 00:48:10 2026\n"   \
    "\t0B repaired, 12.50% done\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\todd " state           \
    " 0 0 0\n"
#define ROW(name) name " ONLINE 0 0 1\n"

static void paths_to_disks(void) {
    begin();
    put_disk("nvme0n1", "nvme0n1p1", NULL);
    put_disk("sdc", "sdc2", "by-partuuid/0123");
    put_disk("sdd", NULL, NULL);
    put_disk("sdz", "sdz1", NULL);
    put_link("/sys/dev/block/8:90", "../../devices/pci0/block/sdz/sdz1");
    put_file("/sys/devices/virtual/block/dm-0/dev", "253:0\n");
    put_file("/sys/devices/virtual/block/dm-0/dm/name", "crypt0\n");
    put_file("/sys/devices/virtual/block/dm-0/dm/uuid", "CRYPT-LUKS2-x\n");
    put_link("/sys/devices/virtual/block/dm-0/slaves/sdd",
             arena_fmt(&arena, "%s/sys/devices/pci0/block/sdd", root));
    put_link("/sys/class/block/dm-0", "../../devices/virtual/block/dm-0");
    put_file("/dev/dm-0", "");
    put_link("/dev/mapper/crypt0", "../dm-0");
    put_file("/srv/file", "");
    put_disk("sdf", "sdf1", NULL);
    put_run("zpool_status_-P_odd",
            HEAD("DEGRADED") ROW("\t  mirror-0") ROW("\t    /dev/nvme0n1p1")
                ROW("\t    /dev/disk/by-partuuid/0123") ROW("\t  mirror-1") ROW(
                    "\t    /dev/mapper/crypt0") "\t    9910801611647226724 UNAVAIL 0 0 0 was "
                                                "/dev/sde1\n" ROW("\t  /srv/file") "\tlogs\n" ROW(
                                                    "\t  /dev/gone1") "\tspares\n\t  /dev/sdf1 "
                                                                      "AVAIL\n\nerrors: No known "
                                                                      "data errors\n");
    const struct factset *set = pool_at("/mnt/odd");
    CHECK_TEXT("nvme, partuuid, dm-crypt, a file", fact_value(set, "disks"), "nvme0n1 sdc sdd sdz");
    const struct fact *disks = fact_find(set, "disks");
    CHECK("what has no disk is named with its reason",
          disks && strstr(disks->source, "9910801611647226724 (was /dev/sde1)") &&
              strstr(disks->source, "/dev/gone1 (/dev/gone1: not there)"));
    CHECK_TEXT("the number of disks does not depend on it", fact_value(set, "disk_count"), "5");
    CHECK_TEXT("layout", fact_value(set, "layout"), "2 x mirror of 2 + single; log 1; spare 1");
    CHECK_TEXT("scan", fact_value(set, "scan"), "scrub running");
    CHECK_TEXT("since", fact_value(set, "scan_started"), "2026-12-01 00:48:10");
    CHECK_TEXT("done", fact_value(set, "scan_done"), "0.1250");
    CHECK_TEXT("errors anywhere", fact_value(set, "checksum_errors"), "7");
    CHECK_TEXT("its state", fact_value(set, "health"), "DEGRADED");
    CHECK("zpool get is not there", why(set, "ashift") && strstr(why(set, "ashift"), "installed"));

    struct fact_sheet sheet = {0};
    const char *paths[] = {"/mnt/odd"};
    struct facts_ask ask = {.paths = paths, .n_paths = 1, .version = "0"};
    struct probe p;
    probe_open(&p, &arena, root, &ask, &sheet);
    probe_mount(&p);
    probe_pool(&p);
    CHECK("members: all but the spare and what has no disk", p.n_members == 4);
    const struct member *m = p.n_members == 4 ? p.members : NULL;
    CHECK_TEXT("a member's disk", m ? m[0].disk : NULL, "nvme0n1");
    CHECK_TEXT("its vdev", m ? m[0].vdev : NULL, "mirror-0");
    CHECK_TEXT("a vdev of its own", m ? m[3].vdev : NULL, "disk");
    CHECK("class, pool and target",
          m && !strcmp(m[2].class, "data") && !strcmp(m[2].pool, "odd") && m[2].target == 0);
}

static void suspended(void) {
    real_tank(false);
    put_file("/proc/spl/kstat/zfs/tank/state", "SUSPENDED\n");
    const struct factset *set = pool_at("/mnt/tank");
    CHECK_TEXT("suspended is read from /proc", fact_value(set, "health"), "SUSPENDED");
    CHECK_TEXT("and told", fact_value(set, "suspended"), "yes");
    CHECK("zpool is not asked", why(set, "layout") && strstr(why(set, "layout"), "suspended") &&
                                    why(set, "ashift") && why(set, "scan") && why(set, "guid"));
    put_file("/proc/spl/kstat/zfs/tank/state", "ONLINE\n");
    set = pool_at("/mnt/tank");
    CHECK_TEXT("else it is", fact_value(set, "layout"), "mirror of 2");
}

static void too_little(void) {
    begin();
    const struct factset *set = pool_at("/mnt/odd");
    CHECK_TEXT("without zpool the name is known", fact_value(set, "name"), "odd");
    CHECK("all else is unknown with its reason",
          why(set, "layout") && strstr(why(set, "layout"), "zpool: not installed") &&
              why(set, "health") && why(set, "scan") && why(set, "disks") && why(set, "trim"));
    put_run("zpool_status_-P_odd", "  pool: other\n state: ONLINE\nconfig:\n\n\tNAME STATE READ "
                                   "WRITE CKSUM\n\tother ONLINE 0 0 0\n\t  sda ONLINE 0 0 "
                                   "0\n\nerrors: No known data errors\n");
    set = pool_at("/mnt/odd");
    CHECK("another pool's output", why(set, "scan") && strstr(why(set, "scan"), "'odd'"));
    put_run("zpool_status_-P_odd",
            "  pool: odd\n state: ONLINE\n  scan: scrub repaired 0B in 00:00:05 with 0 errors on "
            "mardi\n"
            "config:\n\n\tNAME STATE\n\todd ONLINE\n\t  /dev/sda1 ONLINE\n\nerrors: none\n");
    set = pool_at("/mnt/odd");
    CHECK_TEXT("a scan that is over", fact_value(set, "scan"), "scrub finished");
    CHECK("on no date that can be compared",
          why(set, "scan_ended") &&
              strstr(why(set, "scan_ended"), "zpool status: no date in 'scrub") &&
              strstr(why(set, "scan_ended"), "mardi"));
    put_run("zpool_status_-P_odd", HEAD("ONLINE") "\t  mirror-0 ONLINE 0 0 0\n\t    /dev/sd");
    set = pool_at("/mnt/odd");
    CHECK_TEXT("half a tree: the scan is known", fact_value(set, "scan"), "scrub running");
    CHECK("the layout is not", why(set, "layout") && strstr(why(set, "layout"), "line 10") &&
                                   why(set, "disk_count") && why(set, "checksum_errors"));
    put_run("zpool_status_-P_odd", "  pool: odd\n state: ONLINE\n  scan: scrub wird geprueft\n"
                                   "config:\n\n\tNAME STATE READ WRITE CKSUM\n\todd ONLINE 0 0 0\n"
                                   "\t  /dev/sda1 ONLINE 0 0 0\nerrors: List of errors unavailable "
                                   "(insufficient privileges)\n");
    set = pool_at("/mnt/odd");
    CHECK("a scan line that is not understood is unknown, with the line",
          why(set, "scan") && strstr(why(set, "scan"), "scrub wird geprueft"));
    CHECK("errors that may not be listed are unknown",
          why(set, "data_errors") && strstr(why(set, "data_errors"), "privileges"));
    put_run("zfs_version_-j", data("2.3.9/zfs_version_-j.txt"));
    put_run("zpool_status_-j_-i_-t_-P_-p_--json-int_odd",
            "{\"output_version\":{\"command\":\"zpool status\",\"vers_major\":1},\"pools\":{}}");
    set = pool_at("/mnt/odd");
    CHECK_TEXT("a JSON of another major version: its text is read", fact_value(set, "layout"),
               "single");
}

/* The pool's facts alone, quickly. */
static const struct factset *pool_facts(struct arena *a, const char *path) {
    struct fact_sheet *sheet = arena_new(a, struct fact_sheet, 1);
    struct facts_ask ask = {.paths = &path, .n_paths = 1, .version = "0"};
    struct probe p;
    probe_open(&p, a, root, &ask, sheet);
    probe_mount(&p);
    probe_pool(&p);
    return facts_find(sheet, "pool", 0);
}

/* Cut behind any byte, zpool status tells what it told as a whole, or that it is not known. */
static void cut(void) {
    static const char text[] =
        "  pool: odd\n state: DEGRADED\nstatus: One or more devices has been removed.\n"
        "\tSufficient replicas exist.\naction: Online the device.\n   see: https://x/y\n"
        "  scan: scrub repaired 0B in 00:00:05 with 0 errors on Tue Dec  1 00:47:24 2026\n"
        "remove: Removal of vdev 1 copied 1M in 0h0m, completed on Tue Dec  1 00:47:25 2026\n"
        "\t144 memory used for removed device mappings\n"
        "config:\n\n\tNAME STATE READ WRITE CKSUM\n\todd DEGRADED 0 0 0\n"
        "\t  mirror-0 DEGRADED 0 0 0\n\t    /dev/sda1 ONLINE 0 0 12\n"
        "\t    spare-1 DEGRADED 0 0 0\n\t      /dev/sdb1 REMOVED 0 0 0\n"
        "\t      /dev/sdc1 ONLINE 0 0 0 (resilvering)\n"
        "\t  mirror-1 ONLINE 0 0 0\n\t    /dev/sdd1 ONLINE 0 0 0\n"
        "\t    /dev/sde1 ONLINE 0 0 0 (trimming)\n\t    /dev/sdf1 ONLINE 0 0 0\n"
        "\tlogs\n\t  /dev/sdg1 ONLINE 0 0 0\n\tspares\n\t  /dev/sdc1 INUSE currently in use\n"
        "\nerrors: 12 data errors, use '-v' for a list\n";
    begin();
    for (char c = 'a'; c <= 'g'; c++)
        put_disk(arena_fmt(&arena, "sd%c", c), arena_fmt(&arena, "sd%c1", c), NULL);
    put_run("zpool_status_-P_odd", text);
    const struct factset *whole = pool_facts(&arena, "/mnt/odd");
    CHECK_TEXT("as a whole", fact_value(whole, "layout"),
               "mirror of 2 + mirror of 3; log 1; spare 1");
    CHECK_TEXT("what is trimmed", fact_value(whole, "trim"), "yes");
    size_t wrong = 0, unsaid = 0;
    for (size_t n = 0; n < sizeof text - 1; n++) {
        struct arena own = {0};
        put_run("zpool_status_-P_odd", arena_copy(&own, text, n));
        const struct factset *set = pool_facts(&own, "/mnt/odd");
        for (size_t i = 0; i < whole->n_facts; i++) {
            const char *key = whole->facts[i].key, *value = fact_value(set, key);
            const struct fact *f = fact_find(set, key);
            bool differs =
                value && strcmp(value, whole->facts[i].value ? whole->facts[i].value : "");
            if (differs && !wrong++)
                printf("# behind byte %zu: %s is '%s'\n", n, key, value);
            if ((!f || (!value && !*f->source)) && !unsaid++)
                printf("# behind byte %zu: nothing is said of %s\n", n, key);
        }
        arena_release(&own);
    }
    CHECK("cut behind any byte: the same, or unknown", !wrong);
    CHECK("with a reason", !unsaid);
    put_run("zpool_status_-P_odd", HEAD("ONLINE") ROW("\t  mirror-0") ROW("\t    /dev/sda1"));
    const struct factset *set = pool_at("/mnt/odd");
    static const char *const keys[] = {"layout",          "disk_count", "disks",
                                       "checksum_errors", "trim",       "tree"};
    for (size_t i = 0; i < LENGTH(keys); i++)
        CHECK(arena_fmt(&arena, "cut behind a disk of a mirror: %s", keys[i]),
              why(set, keys[i]) && strstr(why(set, keys[i]), "the answer of zpool status is cut"));
}

/* Reasons name the program they come from, and both forms where both were asked for. */
static void reasons(void) {
    real_tank(true);
    const char *json = data("2.3.9/calls/plain/zpool_status_-j_-i_-t_-P_-p_--json-int_tank.txt");
    put_run("zpool_status_-j_-i_-t_-P_-p_--json-int_tank",
            arena_copy(&arena, json, strlen(json) / 2));
    const struct factset *set = pool_at("/mnt/tank");
    CHECK("half a JSON and no text: both reasons",
          why(set, "layout") && strstr(why(set, "layout"), "zpool status: ") &&
              strstr(why(set, "layout"), "not installed") && why(set, "scan"));
    put_run("zpool_status_-P_tank", data("2.3.9/calls/plain/zpool_status_-P_tank.txt"));
    CHECK_TEXT("half a JSON: the text is read", fact_value(pool_at("/mnt/tank"), "layout"),
               "mirror of 2");
    real_tank(false);
    put_run("zpool_get_-Hp_all_tank", "tank\tashift\t12\tlocal\ntank\tauto");
    set = pool_at("/mnt/tank");
    CHECK("zpool get says what is wrong with its answer",
          why(set, "autotrim") && !strncmp(why(set, "autotrim"), "zpool get: line 2", 17) &&
              why(set, "ashift") && !strncmp(why(set, "ashift"), "zpool get: ", 11));
    put_run("zpool_get_-Hp_all_tank", "tank\tashift\t12\tlocal\n");
    set = pool_at("/mnt/tank");
    CHECK_TEXT("what is missing from it", why(set, "autotrim"),
               "zpool get: not among its properties");
    put_run("zpool_status_-P_tank", "  pool: tank\n state: ONLINE\n\tgibberish\nx: y\nconfig:\n"
                                    "\n\tNAME STATE\n\ttank what\n\nerrors: none\n");
    set = pool_at("/mnt/tank");
    CHECK("zpool status too", why(set, "layout") && why(set, "trim") &&
                                  !strncmp(why(set, "layout"), "zpool status: line ", 19) &&
                                  why(set, "scan_ended") &&
                                  !strncmp(why(set, "scan_ended"), "zpool status: ", 14));
    put_run("zpool_status_-P_tank",
            "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE\n\ttank ONLINE\n"
            "\t  anymirror1-0 ONLINE\n\t    /dev/sda1 ONLINE\n\t    /dev/sdb1 ONLINE\n"
            "\nerrors: No known data errors\n");
    set = pool_at("/mnt/tank");
    static const char *const keys[] = {"layout", "disk_count", "disks"};
    for (size_t i = 0; i < LENGTH(keys); i++)
        CHECK(arena_fmt(&arena, "a vdev of an unknown kind: %s is unknown, by its name", keys[i]),
              why(set, keys[i]) && !strncmp(why(set, keys[i]), "zpool status: ", 14) &&
                  strstr(why(set, keys[i]), "'anymirror1-0'"));
    CHECK_TEXT("what is known of the pool stays", fact_value(set, "health"), "ONLINE");
}

static void odd_names(void) {
    begin();
    put_file("/proc/self/mountinfo", "20 1 8:90 / / rw - ext4 /dev/sdz1 rw\n"
                                     "21 20 0:40 / /mnt/a rw - zfs -x/data rw\n"
                                     "22 20 0:41 / /mnt/b rw - zfs my\\040pool/data rw\n");
    put_run("zpool_status_-P_-x", "all pools are healthy\n");
    put_run("zpool_status_-P_my_pool",
            "  pool: my pool\n state: ONLINE\nconfig:\n\n\tNAME        STATE READ WRITE CKSUM\n"
            "\tmy pool     ONLINE 0 0 0\n\t  /srv/a b  ONLINE 0 0 0\n\nerrors: No known data "
            "errors\n");
    const struct factset *set = pool_at("/mnt/a");
    CHECK("a name like an option is not asked for",
          why(set, "layout") && strstr(why(set, "layout"), "option") && why(set, "ashift") &&
              strstr(why(set, "ashift"), "option") && why(set, "health"));
    set = pool_at("/mnt/b");
    CHECK_TEXT("a name with a space", fact_value(set, "layout"), "single");
}

static void all_judged(void) {
    static const char *const files[] = {"2.1.11/zpool_get_-Hp_all_tank.txt",
                                        "2.3.9/zpool_get_-Hp_all_tank.txt",
                                        "2.4.4/zpool_get_-Hp_all_tank.txt"};
    for (size_t i = 0; i < LENGTH(files); i++) {
        const char *text = data(files[i]);
        struct property_list list = {0};
        struct err e = {0};
        size_t judged = 0;
        int rc = properties_from_text(&arena, text, strlen(text), &list, &e);
        for (size_t k = 0; k < list.n; k++) {
            bool known = fact_class_known("pool", list.items[k].name);
            judged += known;
            if (!known)
                printf("# nobody has judged pool.%s\n", list.items[k].name);
        }
        CHECK(files[i], rc == 0 && list.n > 60 && judged == list.n);
    }
    CHECK("what an import changes is state", fact_class_of("pool", "load_guid") == FACT_STATE);
    CHECK("a scan is state", fact_class_of("pool", "scan_ended") == FACT_STATE);
    CHECK("layout is a setting", fact_class_of("pool", "layout") == FACT_SETTING);
}

int main(void) {
    real();
    several_targets();
    active_is_enabled();
    paths_to_disks();
    suspended();
    too_little();
    cut();
    reasons();
    odd_names();
    all_judged();
    remove_all(root);
    arena_release(&arena);
    return check_done();
}
