/*
 * unit_zpool_traps.c: what zpool status prints on an odd day, as text: pools and files with names
 * that look like something else, every note behind a disk, lines between the scan and the table,
 * pools one after the other, scans of all eras. Each reads right, or is unknown with its reason.
 */
#include <stdlib.h>
#include <time.h>

#include "../src/zfs/status.h"
#include "check.h"

static struct arena arena;
static struct pool_list list;
static struct err error;

static int read_text(const char *text) {
    list = (struct pool_list){0};
    error = (struct err){0};
    return (*text == '{' ? pools_from_json : pools_from_text)(&arena, text, strlen(text), &list,
                                                              &error);
}

/* The layout of the first pool, or why there is none. */
static const char *layout(void) {
    const char *text = list.n ? pool_layout(&arena, &list.items[0]) : NULL;
    return text ? text : list.n && list.items[0].unsure ? list.items[0].unsure : error.text;
}

/* Lines of a table as zpool pads them: a name, its indent in front of it, a state, what follows. */
static const char *table(const char *const (*rows)[3], size_t n) {
    struct buf b = {0};
    size_t width = strlen("NAME");
    for (size_t i = 0; i < n; i++)
        width = rows[i][1] && strlen(rows[i][0]) > width ? strlen(rows[i][0]) : width;
    buf_fmt(&b, "\t%-*s  %-8s %5s %5s %5s\n", (int)width, "NAME", "STATE", "READ", "WRITE",
            "CKSUM");
    for (size_t i = 0; i < n; i++)
        if (!rows[i][1])
            buf_fmt(&b, "\t%s\n", rows[i][0]);
        else if (!strcmp(rows[i][1], "AVAIL") || !strcmp(rows[i][1], "INUSE"))
            buf_fmt(&b, "\t%-*s  %-8s%s\n", (int)width, rows[i][0], rows[i][1], rows[i][2]);
        else
            buf_fmt(&b, "\t%-*s  %-8s %5d %5d %5d%s\n", (int)width, rows[i][0], rows[i][1], 0, 0, 0,
                    rows[i][2]);
    const char *text = arena_str(&arena, b.data);
    buf_release(&b);
    return text;
}

static const char *pool_text(const char *name, const char *lines, const char *rows) {
    return arena_fmt(&arena,
                     "  pool: %s\n state: ONLINE\n%sconfig:\n\n%s\nerrors: No known data "
                     "errors\n",
                     name, lines, rows);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void names(void) {
    static const char *const pools[] = {"errors:",   "config:",     "scan:",    "pool: x",
                                        "a b",       "tank ONLINE", "logs",     "tank 0 0 0",
                                        "spares",    "x-0",         "mirror-0", "draid1:2d:3c:0s-0",
                                        "NAME STATE"};
    for (size_t i = 0; i < LENGTH(pools); i++) {
        const char *const rows[][3] = {{pools[i], "ONLINE", ""},
                                       {"  mirror-0", "ONLINE", ""},
                                       {"    /dev/sda1", "ONLINE", ""},
                                       {"    /dev/sdb1", "ONLINE", ""}};
        int rc = read_text(pool_text(pools[i], "", table(rows, LENGTH(rows))));
        CHECK_TEXT(arena_fmt(&arena, "a pool named '%s'", pools[i]), rc ? error.text : layout(),
                   "mirror of 2");
        CHECK_TEXT("its name", list.n == 1 ? list.items[0].name : NULL, pools[i]);
        const char *json = arena_fmt(
            &arena,
            "{\"output_version\":{\"command\":\"zpool status\",\"vers_major\":0},\"pools\":{\"%s\":"
            "{\"name\":\"%s\",\"state\":\"ONLINE\",\"error_count\":\"0\",\"vdevs\":{\"%s\":{"
            "\"name\":\"%s\",\"vdev_type\":\"root\",\"vdevs\":{\"mirror-0\":{\"name\":\"mirror-0\","
            "\"vdev_type\":\"mirror\",\"vdevs\":{\"/dev/sda1\":{\"name\":\"/dev/sda1\","
            "\"vdev_type\":\"disk\"},\"/dev/sdb1\":{\"name\":\"/dev/sdb1\",\"vdev_type\":\"disk\"}"
            "}}}}}}}}",
            pools[i], pools[i], pools[i], pools[i]);
        rc = read_text(json);
        CHECK_TEXT("and from JSON", rc ? error.text : layout(), "mirror of 2");
    }
    static const char *const files[] = {
        "/srv/Größe ä/日本語", "/srv/a ONLINE 0 0 0", "/srv/errors: none",
        "/srv/mirror-0",       "/srv/config:",        "/srv/x (trimming)",
        "/srv/pool: t",        "/srv/was /dev/sda1",  "/dev/disk/by-vdev/spare-1"};
    for (size_t i = 0; i < LENGTH(files); i++) {
        const char *const rows[][3] = {{"t", "ONLINE", ""},
                                       {"  mirror-0", "ONLINE", ""},
                                       {arena_fmt(&arena, "    %s", files[i]), "ONLINE", ""},
                                       {"    /srv/other", "FAULTED", "  too many errors"}};
        int rc = read_text(pool_text("t", "", table(rows, LENGTH(rows))));
        CHECK_TEXT(arena_fmt(&arena, "a file named '%s'", files[i]), rc ? error.text : layout(),
                   "mirror of 2");
        const struct vdev *mirror = list.items[0].root->below[0];
        CHECK_TEXT("its path", mirror->below[0]->path, files[i]);
        CHECK("nothing is trimmed", list.items[0].trimming == TOLD_NO);
    }
}

/* A flat list names parents: a pool with the name of one of its vdevs is its own child there. */
static void flat_names(void) {
    struct buf b = {0};
    buf_str(&b, "{\"output_version\":{\"command\":\"zpool status\",\"vers_major\":0},\"pools\":{"
                "\"a\":{\"name\":\"a\",\"state\":\"ONLINE\",\"vdevs\":{\"a\":{\"name\":\"a\","
                "\"vdev_type\":\"root\"}");
    for (int i = 0; i < 30; i++)
        buf_fmt(&b, ",\"v%d\":{\"name\":\"a\",\"vdev_type\":\"mirror\",\"parent\":\"a\"}", i);
    buf_str(&b, "}}}}");
    int rc = read_text(b.data);
    buf_release(&b);
    CHECK("a flat list that goes round in circles ends", list.n == 1);
    CHECK("its layout is not known", !pool_layout(&arena, &list.items[0]) && (rc || *layout()));
}

/* ---- notes ----------------------------------------------------------------------------------- */

static const struct {
    const char *state, *note;
    enum told trim, initialize;
} notes[] = {
    {"ONLINE", "  (resilvering)", TOLD_NO, TOLD_NO},
    {"ONLINE", "  (awaiting resilver)", TOLD_NO, TOLD_NO},
    {"ONLINE", "  (repairing)", TOLD_NO, TOLD_NO},
    {"ONLINE", "  (trimming)", TOLD_YES, TOLD_NO},
    {"ONLINE", "  (initializing)", TOLD_NO, TOLD_YES},
    {"ONLINE", "  (repairing)  (trimming)", TOLD_YES, TOLD_NO},
    {"ONLINE", "  (50% initialized, started at Tue Dec  1 00:47:24 2026)", TOLD_NO, TOLD_YES},
    {"ONLINE", "  (50% initialized, suspended, started at Tue Dec  1 00:47:24 2026)", TOLD_NO,
     TOLD_NO},
    {"ONLINE", "  (100% initialized, completed at Tue Dec  1 00:47:24 2026)", TOLD_NO, TOLD_NO},
    {"ONLINE", "  (uninitialized)  (untrimmed)", TOLD_NO, TOLD_NO},
    {"ONLINE", "  (trim unsupported)", TOLD_NO, TOLD_NO},
    {"ONLINE", "  (7% trimmed, started at Tue Dec  1 00:47:24 2026)", TOLD_YES, TOLD_NO},
    {"ONLINE", "  block size: 512B configured, 4096B native", TOLD_NO, TOLD_NO},
    {"ONLINE", "  block size: 512B configured, 4096B native  (trimming)", TOLD_YES, TOLD_NO},
    {"UNAVAIL", "  was /dev/sdz1", TOLD_NO, TOLD_NO},
    {"UNAVAIL", "  was /dev/disk/by-id/ata-A B-part1", TOLD_NO, TOLD_NO},
    {"UNAVAIL", "  cannot open", TOLD_NO, TOLD_NO},
    {"FAULTED", "  corrupted data", TOLD_NO, TOLD_NO},
    {"DEGRADED", "  too many errors", TOLD_NO, TOLD_NO},
    {"FAULTED", "  too many slow I/Os", TOLD_NO, TOLD_NO},
    {"FAULTED", "  external device fault", TOLD_NO, TOLD_NO},
    {"REMOVED", "", TOLD_NO, TOLD_NO},
    {"OFFLINE", "  split into new pool", TOLD_NO, TOLD_NO},
    {"ONLINE", "  (non-allocating)", TOLD_NO, TOLD_NO},
};

static void all_notes(void) {
    for (size_t i = 0; i < LENGTH(notes); i++) {
        bool gone = strstr(notes[i].note, "was /");
        const char *const rows[][3] = {
            {"t", "DEGRADED", ""},
            {"  raidz1-0", "DEGRADED", ""},
            {gone ? "    9910801611647226724" : "    /dev/sda1", notes[i].state, notes[i].note},
            {"    /dev/sdb1", "ONLINE", ""},
            {"  mirror-1", "ONLINE", ""},
            {"    /dev/sdc1", "ONLINE", ""},
            {"    /dev/sdd1", "ONLINE", ""}};
        int rc = read_text(pool_text("t", "", table(rows, LENGTH(rows))));
        CHECK_TEXT(arena_fmt(&arena, "behind a disk: '%s%s'", notes[i].state, notes[i].note),
                   rc ? error.text : layout(), "raidz1 of 2 + mirror of 2");
        const struct vdev *v = list.items[0].root->below[0]->below[0];
        CHECK_TEXT("the state", v->state, notes[i].state);
        CHECK_TEXT("the note", v->note,
                   *notes[i].note ? zfs_one_line(&arena, notes[i].note, strlen(notes[i].note))
                                  : NULL);
        CHECK("what runs on it", list.items[0].trimming == notes[i].trim &&
                                     list.items[0].initializing == notes[i].initialize);
    }
}

/* ---- trees ----------------------------------------------------------------------------------- */

static void trees(void) {
    static const char *const nested[][3] = {
        {"t", "DEGRADED", ""},
        {"  draid2:4d:8c:2s-0", "DEGRADED", ""},
        {"    /dev/sda1", "ONLINE", "  (resilvering)"},
        {"    spare-1", "DEGRADED", ""},
        {"      replacing-0", "UNAVAIL", ""},
        {"        123456789012345", "UNAVAIL", "  was /dev/sdz"},
        {"        /dev/sdb1", "ONLINE", "  (awaiting resilver)"},
        {"      draid2-0-0", "ONLINE", "  (resilvering)"},
        {"    /dev/sdc1", "ONLINE", ""},
        {"    spare-3", "DEGRADED", ""},
        {"      /dev/sdd1", "FAULTED", "  too many errors"},
        {"      draid2-0-1", "ONLINE", ""},
        {"    /dev/sde1", "ONLINE", ""},
        {"    /dev/sdf1", "ONLINE", ""},
        {"    /dev/sdg1", "ONLINE", ""},
        {"    /dev/sdh1", "ONLINE", ""},
        {"special", NULL, ""},
        {"  mirror-1", "ONLINE", ""},
        {"    /dev/sdi1", "ONLINE", ""},
        {"    replacing-1", "ONLINE", ""},
        {"      /dev/sdj1", "ONLINE", ""},
        {"      /dev/sdk1", "ONLINE", "  (resilvering)"},
        {"dedup", NULL, ""},
        {"  /dev/sdl1", "ONLINE", ""},
        {"logs", NULL, ""},
        {"  mirror-3", "ONLINE", ""},
        {"    /dev/sdm1", "ONLINE", ""},
        {"    /dev/sdn1", "ONLINE", ""},
        {"cache", NULL, ""},
        {"  /dev/sdo1", "UNAVAIL", "  cannot open"},
        {"spares", NULL, ""},
        {"  draid2-0-0", "INUSE", "  currently in use"},
        {"  draid2-0-1", "INUSE", "  currently in use"},
        {"  /dev/sdp1", "AVAIL", ""},
        {"  /dev/sdq1", "UNAVAIL", "  cannot open"}};
    int rc = read_text(pool_text("t", "", table(nested, LENGTH(nested))));
    CHECK_TEXT("everything at once", rc ? error.text : layout(),
               "draid2:4d:8c:2s of 8; special mirror of 2; dedup 1; log mirror of 2; cache 1; "
               "spare 2");
    CHECK("members", pool_members(&list.items[0]) == 8);
    static const char *const gone[][3] = {{"t", "UNAVAIL", "  insufficient replicas"},
                                          {"  mirror-0", "UNAVAIL", "  insufficient replicas"},
                                          {"    123456789012345", "UNAVAIL", "  was /dev/sda1"},
                                          {"    123456789012346", "FAULTED", "  was /dev/sdb1"}};
    rc = read_text(pool_text("t", "", table(gone, LENGTH(gone))));
    CHECK_TEXT("a pool of which nothing is there", rc ? error.text : layout(), "mirror of 2");
    rc = read_text("  pool: t\n state: ONLINE\n scrub: none requested\nconfig:\n\n"
                   "        NAME        STATE     READ WRITE CKSUM\n"
                   "        t           ONLINE       0     0     0\n"
                   "          mirror    ONLINE       0     0     0\n"
                   "            c0t0d0  ONLINE       0     0     0\n"
                   "            c0t1d0  ONLINE       0     0     0\n"
                   "          raidz2    ONLINE       0     0     0\n"
                   "            c0t2d0  ONLINE       0     0     0\n"
                   "            c0t3d0  ONLINE       0     0     0\n"
                   "            c0t4d0  ONLINE       0     0     0\n"
                   "        logs        ONLINE       0     0     0\n"
                   "          c0t5d0    ONLINE       0     0     0\n\n"
                   "errors: No known data errors\n");
    CHECK_TEXT("without numbers, as in pool version 10", rc ? error.text : layout(),
               "mirror of 2 + raidz2 of 3; log 1");
    rc = read_text("  pool: t\n state: UNAVAIL\nconfig: The configuration cannot be determined.\n");
    CHECK("no configuration: no layout, a reason", rc && list.n == 1 && *layout());
}

/* ---- the lines above the table --------------------------------------------------------------- */

#define DATE "Tue Dec  1 00:47:24 2026"
#define DATE_READ "2026-12-01 00:47:24"

static const struct {
    const char *lines, *scan, *ended, *started;
    double done;
    enum told removing, expanding;
} heads[] = {
    {"", "none idle", NULL, NULL, NAN, TOLD_NO, TOLD_NO},
    {"  scan: none requested\n", "none idle", NULL, NULL, NAN, TOLD_NO, TOLD_NO},
    {"  scan: scrub in progress since " DATE "\n\t1.2T scanned out of 3T at 100M/s, 1h2m to go\n"
     "\t0 repaired, 40.00% done\n",
     "scrub running", NULL, DATE_READ, 0.4, TOLD_NO, TOLD_NO},
    {"  scan: scrub in progress since " DATE "\n\t1.20T / 3.00T scanned at 100M/s, 900G / 3.00T "
     "issued at 80M/s\n\t0B repaired, 29.30% done, 1 days 02:03:04 to go\n",
     "scrub running", NULL, DATE_READ, 0.293, TOLD_NO, TOLD_NO},
    {"  scan: scrub in progress since " DATE "\n\t0B scanned at 0B/s, 0B issued at 0B/s, 3T total\n"
     "\t0B repaired, 0.00% done, no estimated completion time\n",
     "scrub running", NULL, DATE_READ, 0, TOLD_NO, TOLD_NO},
    {"  scan: scrub repaired 0B in 00:00:00 with 0 errors on " DATE "\n", "scrub finished",
     DATE_READ, NULL, NAN, TOLD_NO, TOLD_NO},
    {"  scan: scrub repaired 0 in 0h0m with 0 errors on " DATE "\n", "scrub finished", DATE_READ,
     NULL, NAN, TOLD_NO, TOLD_NO},
    {"  scan: resilvered 1.2G in 3 days 01:02:03 with 0 errors on " DATE "\n", "resilver finished",
     DATE_READ, NULL, NAN, TOLD_NO, TOLD_NO},
    {"  scan: resilvered 1,2G in 3 days 01:02:03 with 7 errors on " DATE "\n", "resilver finished",
     DATE_READ, NULL, NAN, TOLD_NO, TOLD_NO},
    {"  scan: scrub paused since Tue Dec  1 01:00:00 2026\n\tscrub started on " DATE "\n\t1.2T "
     "scanned, 1T issued, 3T total\n\t0B repaired, 33.33% done\n",
     "scrub paused", NULL, DATE_READ, 0.3333, TOLD_NO, TOLD_NO},
    {"  scan: scrub canceled on " DATE "\n", "scrub canceled", DATE_READ, NULL, NAN, TOLD_NO,
     TOLD_NO},
    {"  scan: resilver canceled on " DATE "\n", "resilver canceled", DATE_READ, NULL, NAN, TOLD_NO,
     TOLD_NO},
    {"  scan: resilver (draid2:4d:11c:2s-0) in progress since " DATE "\n\t3T / 6T scanned, 1T / 6T "
     "issued at 1G/s\n\t300G resilvered, 16.67% done, 00:10:00 to go\n",
     "rebuild running", NULL, DATE_READ, 0.1667, TOLD_NO, TOLD_NO},
    {"  scan: resilvered (draid2:4d:11c:2s-0) 326G in 00:10:00 with 0 errors on " DATE "\n",
     "rebuild finished", DATE_READ, NULL, NAN, TOLD_NO, TOLD_NO},
    {"  scan: scrub repaired 0B in 00:00:00 with 0 errors on Mon Nov 30 00:00:00 2026\n"
     " scrub: error scrub in progress since " DATE
     "\n\t1.00% done, issued I/O for 9 error blocks\n",
     "error scrub running", NULL, DATE_READ, 0.01, TOLD_NO, TOLD_NO},
    {"  scan: scrub repaired 0B in 00:00:00 with 0 errors on Mon Nov 30 00:00:00 2026\n"
     " scrub: scrubbed 9 error blocks in 0 days 00:00:01 on " DATE "\n",
     "error scrub finished", DATE_READ, NULL, NAN, TOLD_NO, TOLD_NO},
    {"  scan: resilver (mirror-0) in progress since " DATE "\n\t1G scanned\n  scan: scrub repaired "
     "0B in 00:00:00 with 0 errors on Mon Nov 30 00:00:00 2026\n",
     "rebuild running", NULL, DATE_READ, NAN, TOLD_NO, TOLD_NO},
    {"  scan: scrub repaired 0B in 00:00:00 with 0 errors on\n", "scrub finished", NULL, NULL, NAN,
     TOLD_NO, TOLD_NO},
    {"  scan: scrub in progress since\n", "scrub running", NULL, NULL, NAN, TOLD_NO, TOLD_NO},
    {"  scan: defragmentation in progress since " DATE "\n", "unknown unknown", NULL, NULL, NAN,
     TOLD_NO, TOLD_NO},
    {"  scan:\n", "unknown unknown", NULL, NULL, NAN, TOLD_NO, TOLD_NO},
    {"checkpoint: created " DATE ", consumes 82.5K\n", "none idle", NULL, NULL, NAN, TOLD_NO,
     TOLD_NO},
    {"checkpoint: discarding, 1.20M remaining.\n", "none idle", NULL, NULL, NAN, TOLD_NO, TOLD_NO},
    {"remove: Removal of mirror-1 canceled on " DATE "\n", "none idle", NULL, NULL, NAN, TOLD_NO,
     TOLD_NO},
    {"remove: Removal of vdev 1 copied 75M in 0h0m, completed on " DATE "\n\t144 memory used for "
     "removed device mappings\n",
     "none idle", NULL, NULL, NAN, TOLD_NO, TOLD_NO},
    {"remove: Evacuation of /dev/sdc1 in progress since " DATE "\n\t1M copied out of 75M at 1M/s, "
     "1.33% done, 0h1m to go\n",
     "none idle", NULL, NULL, NAN, TOLD_YES, TOLD_NO},
    {"remove: something new\n", "none idle", NULL, NULL, NAN, TOLD_NOTHING, TOLD_NO},
    {"expand: expansion of raidz1-0 in progress since " DATE "\n\t1M / 75M copied at 1M/s\n",
     "none idle", NULL, NULL, NAN, TOLD_NO, TOLD_YES},
    {"expand: expanded raidz1-0 copied 76M in 00:00:06, on " DATE "\n", "none idle", NULL, NULL,
     NAN, TOLD_NO, TOLD_NO},
    {"status: One or more devices could not be used because the label is missing or\n\tinvalid.  "
     "errors: are below, scan: nothing.\naction: Replace the device using 'zpool replace'.\n   "
     "see: "
     "https://openzfs.github.io/openzfs-docs/\n\tmsg/ZFS-8000-4J\n  scan: none requested\n",
     "none idle", NULL, NULL, NAN, TOLD_NO, TOLD_NO},
    {"   see: https://openzfs.githu\n  scan: scrub canceled on " DATE "\n", "scrub canceled",
     DATE_READ, NULL, NAN, TOLD_NO, TOLD_NO},
    {" frobs: none\n", "none idle", NULL, NULL, NAN, TOLD_NO, TOLD_NO},
};

static bool same(const char *x, const char *y) {
    return x && y ? !strcmp(x, y) : x == y;
}

static void all_heads(void) {
    static const char *const rows[][3] = {{"t", "ONLINE", ""}, {"  /dev/sda1", "ONLINE", ""}};
    for (size_t i = 0; i < LENGTH(heads); i++) {
        int rc = read_text(pool_text("t", heads[i].lines, table(rows, LENGTH(rows))));
        const struct pool *p = &list.items[0];
        const struct scan *s = &p->scan;
        const char *name = zfs_one_line(&arena, heads[i].lines, strlen(heads[i].lines));
        CHECK_TEXT(arena_fmt(&arena, "'%.60s'", name), rc ? error.text : layout(), "single");
        CHECK_TEXT("its scan",
                   arena_fmt(&arena, "%s %s", scan_kind_names[s->kind], scan_state_names[s->state]),
                   heads[i].scan);
        CHECK("its times", same(s->ended, heads[i].ended) && same(s->started, heads[i].started));
        CHECK_NEAR("how far it is", s->done, heads[i].done, 1e-9);
        CHECK("removal and expansion",
              p->removing == heads[i].removing && p->expanding == heads[i].expanding);
        CHECK("no known errors", p->data_errors == 0);
    }
}

static void many_pools(void) {
    static const char *const rows[][3] = {{"t", "ONLINE", ""},
                                          {"  mirror-0", "ONLINE", ""},
                                          {"    /dev/sda1", "ONLINE", "  (trimming)"},
                                          {"    /dev/sdb1", "ONLINE", ""}};
    static const char *const other[][3] = {{"u", "ONLINE", ""}, {"  /dev/sdc1", "ONLINE", ""}};
    const char *one = pool_text("t", heads[2].lines, table(rows, LENGTH(rows)));
    const char *two = pool_text("u", "", table(other, LENGTH(other)));
    for (int blank = 0; blank < 2; blank++) {
        int rc = read_text(arena_fmt(&arena, "%s%s%s", one, blank ? "\n" : "", two));
        CHECK("two pools", rc == 0 && list.n == 2);
        CHECK("what one does the other does not",
              list.n == 2 && list.items[0].scan.state == SCAN_RUNNING &&
                  list.items[0].trimming == TOLD_YES && list.items[1].scan.state == SCAN_IDLE &&
                  list.items[1].trimming == TOLD_NO);
        CHECK_TEXT("the second one's layout",
                   list.n == 2 ? pool_layout(&arena, &list.items[1]) : NULL, "single");
    }
    int rc =
        read_text(arena_fmt(&arena, "%s\n%.*s", two, (int)(strstr(one, "mirror-0") - one), one));
    CHECK_TEXT("the first of two, the second of which is cut", rc ? layout() : NULL, "single");
    CHECK("the second", list.n == 2 && !pool_layout(&arena, &list.items[1]));
}

static void json_times(void) {
    static const char *const times[] = {"mardi", "-1", "99999999999999999",
                                        "Mon Nov 31 00:00:00 2026"};
    for (size_t i = 0; i < LENGTH(times); i++) {
        read_text(arena_fmt(
            &arena,
            "{\"output_version\":{\"command\":\"zpool status\",\"vers_major\":0},\"pools\":{\"t\":{"
            "\"name\":\"t\",\"state\":\"ONLINE\",\"scan_stats\":{\"function\":\"SCRUB\",\"state\":"
            "\"FINISHED\",\"start_time\":\"%s\",\"end_time\":\"%s\",\"errors\":\"0\"},\"vdevs\":{"
            "\"t\":{\"name\":\"t\",\"vdev_type\":\"root\",\"vdevs\":{\"/dev/sda1\":{\"name\":"
            "\"/dev/sda1\",\"vdev_type\":\"disk\"}}}}}}}",
            times[i], times[i]));
        CHECK(arena_fmt(&arena, "JSON: '%s' is no time", times[i]),
              list.n == 1 && list.items[0].scan.state == SCAN_FINISHED &&
                  !list.items[0].scan.ended && !list.items[0].scan.started);
    }
}

int main(void) {
    setenv("TZ", "UTC", 1);
    tzset();
    names();
    flat_names();
    all_notes();
    trees();
    all_heads();
    many_pools();
    json_times();
    arena_release(&arena);
    return check_done();
}
