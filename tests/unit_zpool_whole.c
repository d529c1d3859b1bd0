/*
 * unit_zpool_whole.c: what zpool status printed is taken for the layout of a pool only where it is
 * whole and all of it is known: outputs cut at every byte, vdevs with too few members, vdevs of
 * kinds nobody knows yet, leaves with names no leaf has.
 */
#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#include "../src/zfs/status.h"
#include "check.h"

static struct arena arena;

static int read_from(struct arena *a, const char *text, size_t len, struct pool_list *list,
                     struct err *e) {
    size_t blank = strspn(text, " \n\t");
    *list = (struct pool_list){0};
    *e = (struct err){0};
    return (text[blank] == '{' ? pools_from_json : pools_from_text)(a, text, len, list, e);
}

static const struct pool *pool_named(const struct pool_list *list, const char *name) {
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

/* ---- cut ------------------------------------------------------------------------------------- */

static bool same(const char *x, const char *y) {
    return x && y ? !strcmp(x, y) : x == y;
}

/* Is what is said of a pool in a part of an output what the whole of it says, or unknown? */
static const char *wrong_in(struct arena *a, const struct pool *part, const struct pool *whole,
                            int rc) {
    const char *layout = pool_layout(a, part);
    if (layout && !same(layout, pool_layout(a, whole)))
        return "layout";
    if (!layout && !part->unsure)
        return "no layout and no reason";
    if (!layout && !rc)
        return "no complaint";
    if (pool_members(part) != UNKNOWN && pool_members(part) != pool_members(whole))
        return "members";
    if (part->scan.state != SCAN_STATE_UNKNOWN &&
        (part->scan.state != whole->scan.state || part->scan.kind != whole->scan.kind ||
         !same(part->scan.ended, whole->scan.ended) ||
         !same(part->scan.started, whole->scan.started) ||
         !same(part->scan.text, whole->scan.text)))
        return "scan";
    if (part->data_errors != UNKNOWN && part->data_errors != whole->data_errors)
        return "data errors";
    if (part->state && !same(part->state, whole->state))
        return "state";
    if (!part->headless &&
        (!same(part->status, whole->status) || part->suspended != whole->suspended))
        return "status";
    if ((part->removing && part->removing != whole->removing) ||
        (part->expanding && part->expanding != whole->expanding))
        return "removal or expansion";
    if (!rc && ((part->trimming && part->trimming != whole->trimming) ||
                (part->initializing && part->initializing != whole->initializing)))
        return "what is trimmed or initialized";
    return NULL;
}

/* at: whether to cut behind this byte. The number of cuts that were read wrongly. */
static size_t cuts(const char *name, const char *text, size_t len, size_t step, size_t *tried) {
    struct pool_list whole;
    struct err e;
    size_t wrong = 0;
    int complete = read_from(&arena, text, len, &whole, &e);
    for (size_t n = 0; n < len; n++) {
        bool line_end = n && text[n - 1] == '\n';
        if (!line_end && n % step)
            continue;
        struct arena own = {0};
        struct pool_list list;
        int rc = read_from(&own, text, n, &list, &e);
        const char *bad = rc && !*e.text ? "no reason" : NULL;
        if (n && !line_end && !rc && text[n + strspn(text + n, " \n")])
            bad = "half a line is taken for a whole one";
        /* A table may be all there is: where a row of it follows, nobody can tell. */
        bool in_table = line_end && text[n] == '\t' && text[0] != '{';
        for (size_t i = 0; i < list.n && !bad && !complete && !in_table; i++) {
            const struct pool *w = pool_named(&whole, list.items[i].name);
            bad = w ? wrong_in(&own, &list.items[i], w, rc) : "a pool that is not there";
        }
        if (bad && !wrong++)
            printf("# %s, cut behind byte %zu: %s (%s)\n", name, n, bad, e.text);
        ++*tried;
        arena_release(&own);
    }
    return wrong;
}

/* Every zpool status below dir. */
static void cut_all(const char *dir, size_t step, size_t *files, size_t *tried, size_t *wrong) {
    DIR *d = opendir(dir);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        const char *path = arena_fmt(&arena, "%s/%s", dir, entry->d_name);
        struct err e = {0};
        char *text;
        size_t len;
        if (entry->d_name[0] == '.')
            continue;
        if (!strchr(entry->d_name, '_')) {
            cut_all(path, step, files, tried, wrong);
        } else if (!strncmp(entry->d_name, "zpool_status", 12) &&
                   !file_read(&arena, path, 1 << 22, &text, &len, &e)) {
            ++*files;
            *wrong += cuts(path, text, len, step, tried);
        }
    }
    if (d)
        closedir(d);
}

static void cut(void) {
    const char *tests = getenv("ZHIST_TESTS"), *others = getenv("ZHIST_SHARED");
    size_t files = 0, tried = 0, wrong = 0;
    cut_all(arena_fmt(&arena, "%s/data/zfs", tests ? tests : "tests"), 1, &files, &tried, &wrong);
    CHECK(arena_fmt(&arena, "%zu outputs, cut behind each of %zu bytes", files, tried),
          files > 100 && !wrong);
    if (!others) {
        SKIP("all captured outputs cut", "ZHIST_SHARED is not set");
        return;
    }
    files = tried = wrong = 0;
    cut_all(arena_fmt(&arena, "%s/fixtures", others), 13, &files, &tried, &wrong);
    CHECK(arena_fmt(&arena, "all %zu captured outputs cut in %zu places", files, tried), !wrong);
}

#define HEAD                                                                                       \
    "  pool: t\n state: ONLINE\nconfig:\n\n"                                                       \
    "\tNAME         STATE     READ WRITE CKSUM\n\tt            ONLINE       0     0     0\n"
#define ROW(name) name "  ONLINE       0     0     0\n"
#define END "\nerrors: No known data errors\n"

static struct pool_list list;
static struct err error;

/* Of the one pool in text: its layout, or "unsure: why". */
static const char *layout_of(const char *text) {
    int rc = read_from(&arena, text, strlen(text), &list, &error);
    const char *layout = list.n ? pool_layout(&arena, &list.items[0]) : NULL;
    if (list.n && (!layout != (pool_members(&list.items[0]) == UNKNOWN)))
        return "layout and members disagree";
    return layout ? layout
           : list.n && list.items[0].unsure
               ? arena_fmt(&arena, "%s: %s", rc ? "complained" : "unsure", list.items[0].unsure)
               : error.text;
}

static bool says(const char *text, const char *reason) {
    const char *got = layout_of(text);
    if (!strstr(got, reason))
        printf("# got: %s\n", got);
    return strstr(got, reason);
}

static void short_of_members(void) {
    static const char cut_here[] = "the answer of zpool status is cut";
    CHECK("a table with nothing behind it", says(HEAD ROW("\t  sda") ROW("\t  sdb"), "stripe of 2") &&
                                                says(HEAD ROW("\t  mirror-0") ROW("\t    sda"), cut_here));
    CHECK("half a line", says(HEAD ROW("\t  sda") "\t  sdb  ONLINE       0", cut_here) &&
                             strstr(error.text, "line 8"));
    CHECK("half the last line", says(HEAD ROW("\t  sda") "\nerrors: No known", "single") &&
                                    strstr(error.text, cut_here) &&
                                    list.items[0].data_errors == UNKNOWN);
    CHECK("another pool right behind its table",
          says(HEAD ROW("\t  sda") HEAD ROW("\t  sda") END, cut_here));
    CHECK_TEXT("errors: right behind it",
               layout_of(HEAD ROW("\t  sda") "errors: No known data errors\n"), "single");
    CHECK("a mirror of one", says(HEAD ROW("\t  mirror-0") ROW("\t    sda") END, "mirror-0"));
    CHECK("is a complaint", strstr(error.text, cut_here));
    CHECK("a raidz2 of two",
          says(HEAD ROW("\t  raidz2-0") ROW("\t    sda") ROW("\t    sdb") END, "raidz2-0"));
    CHECK_TEXT(
        "a raidz2 of three",
        layout_of(HEAD ROW("\t  raidz2-0") ROW("\t    sda") ROW("\t    sdb") ROW("\t    sdc") END),
        "raidz2 of 3");
    CHECK("a raidz1 that lost its rows", says(HEAD ROW("\t  raidz1-0") END, "raidz1-0"));
    CHECK("a dRAID without one of its disks",
          says(HEAD ROW("\t  draid1:1d:3c:0s-0") ROW("\t    sda") ROW("\t    sdb") END,
               "draid1:1d:3c:0s-0"));
    CHECK_TEXT("a dRAID with all of them",
               layout_of(HEAD ROW("\t  draid1:1d:3c:0s-0") ROW("\t    sda") ROW("\t    sdb")
                             ROW("\t    sdc") END),
               "draid1:1d:3c:0s of 3");
    CHECK("a dRAID that does not say of how many",
          says(HEAD ROW("\t  draid1-0") ROW("\t    sda") ROW("\t    sdb") END, "draid1-0"));
    CHECK("a replacing of one, in a mirror", says(HEAD ROW("\t  mirror-0") ROW("\t    sda") ROW(
                                                      "\t    replacing-1") ROW("\t      sdb") END,
                                                  "replacing-1"));
    CHECK(
        "a log mirror of one",
        says(HEAD ROW("\t  sda") "\tlogs\n" ROW("\t  mirror-1") ROW("\t    sdb") END, "mirror-1"));
    CHECK("no vdevs at all", says(HEAD END, "no data vdevs"));
    CHECK("bytes that are none of a text",
          read_from(&arena, HEAD ROW("\t  sda") "\t  s\0b\n\n",
                    sizeof HEAD ROW("\t  sda") "\t  s\0b\n\n" - 1, &list, &error) == -1);
}

/* JSON: the vdevs of the data class, each {"name":..,"vdev_type":..,"vdevs":{..}}. */
#define JSON(vdevs)                                                                                \
    "{\"output_version\":{\"command\":\"zpool status\",\"vers_major\":0,\"vers_minor\":1},"        \
    "\"pools\":{\"t\":{\"name\":\"t\",\"state\":\"ONLINE\",\"error_count\":\"0\",\"vdevs\":{"      \
    "\"t\":{\"name\":\"t\",\"vdev_type\":\"root\",\"vdevs\":{" vdevs "}}}}}}"
#define INNER(name, type, below)                                                                   \
    "\"" name "\":{\"name\":\"" name "\",\"vdev_type\":\"" type "\",\"vdevs\":{" below "}}"
#define LEAF(name) "\"" name "\":{\"name\":\"" name "\",\"vdev_type\":\"disk\"}"

static void kinds(void) {
    static const struct {
        const char *name, *text, *json, *reason;
    } unknown[] = {
        {"a kind of a later version",
         HEAD ROW("\t  anymirror1-0") ROW("\t    /dev/sda1") ROW("\t    /dev/sdb1") END,
         JSON(INNER("anymirror1-0", "anyraid", LEAF("/dev/sda1") "," LEAF("/dev/sdb1"))),
         "anymirror1-0"},
        {"more parity than is known",
         HEAD ROW("\t  raidz4-0") ROW("\t    /dev/sda1") ROW("\t    /dev/sdb1") END,
         JSON(INNER("raidz4-0", "raidz", LEAF("/dev/sda1") "," LEAF("/dev/sdb1"))), "raidz4-0"},
        {"a name that says nothing",
         HEAD ROW("\t  x-0") ROW("\t    /dev/sda1") ROW("\t    /dev/sdb1") END,
         JSON(INNER("x-0", "warp", LEAF("/dev/sda1") "," LEAF("/dev/sdb1"))), "x-0"},
        {"with a parameter", HEAD ROW("\t  graid:2x-0") ROW("\t    /dev/sda1") END,
         JSON(INNER("graid:2x-0", "graid", LEAF("/dev/sda1"))), "graid:2x-0"},
        {"without a number", HEAD ROW("\t  stack") ROW("\t    /dev/sda1") END,
         JSON(INNER("stack", "stack", LEAF("/dev/sda1"))), "stack"},
        {"beside a mirror",
         HEAD ROW("\t  mirror-0") ROW("\t    /dev/sda1") ROW("\t    /dev/sdb1") ROW("\t  tier-1")
             ROW("\t    /dev/sdc1") ROW("\t    /dev/sdd1") END,
         JSON(INNER("mirror-0", "mirror", LEAF("/dev/sda1") "," LEAF("/dev/sdb1")) "," INNER(
             "tier-1", "tier", LEAF("/dev/sdc1") "," LEAF("/dev/sdd1"))),
         "tier-1"},
        {"inside a mirror",
         HEAD ROW("\t  mirror-0") ROW("\t    swapping-0") ROW("\t      /dev/sda1")
             ROW("\t      /dev/sdb1") ROW("\t    /dev/sdc1") END,
         JSON(INNER("mirror-0", "mirror",
                    INNER("swapping-0", "swapping",
                          LEAF("/dev/sda1") "," LEAF("/dev/sdb1")) "," LEAF("/dev/sdc1"))),
         "swapping-0"},
        {"a vdev that is not there, with all it was made of",
         HEAD ROW("\t  mirror-0") ROW("\t    /dev/sda1") ROW("\t    /dev/sdb1") ROW("\t  missing-1")
             END,
         JSON(INNER(
             "mirror-0", "mirror",
             LEAF("/dev/sda1") "," LEAF(
                 "/dev/sdb1")) ","
                               "\"missing-1\":{\"name\":\"missing-1\",\"vdev_type\":\"missing\"}"),
         "missing-1"},
    };
    for (size_t i = 0; i < LENGTH(unknown); i++) {
        CHECK(arena_fmt(&arena, "%s: unknown, by name", unknown[i].name),
              says(unknown[i].text, arena_fmt(&arena, "unsure: '%s'", unknown[i].reason)));
        const char *text = layout_of(unknown[i].text);
        CHECK_TEXT("JSON says the same", layout_of(unknown[i].json), text);
    }
    CHECK("a leaf with a name no leaf has, where all have paths",
          says(HEAD ROW("\t  mirror-0") ROW("\t    /dev/sda1") ROW("\t    /dev/sdb1")
                   ROW("\t  warp") END,
               "unsure: 'warp'"));
    CHECK("a kind of raid without members is no disk",
          says(HEAD ROW("\t  raidz4-0") END, "unsure: 'raidz4-0'"));
    CHECK_TEXT("names with numbers are disks",
               layout_of(HEAD ROW("\t  mirror-0") ROW("\t    dm-0") ROW("\t    dm-1")
                             ROW("\t  ata-WDC_WD40-1234") END),
               "mirror of 2 + single");
    CHECK_TEXT("so are guids and dRAID spares",
               layout_of(HEAD ROW("\t  mirror-0") ROW("\t    /dev/sda1")
                             ROW("\t    9910801611647226724") "\tspares\n\t  draid1-0-0  AVAIL\n"
                                                              "\t  /dev/sdz  AVAIL\n" END),
               "mirror of 2; spare 1");
    CHECK_TEXT("a file in memory beside short names",
               layout_of(HEAD ROW("\t  /dev/shm/a") ROW("\t  sda") END), "stripe of 2");
    CHECK("JSON: a disk with vdevs below",
          says(JSON(INNER("/dev/sda1", "disk", LEAF("/dev/sdb1"))), "unsure: '/dev/sda1'"));
    CHECK("JSON: a mirror of one is refused",
          says(JSON(INNER("mirror-0", "mirror", LEAF("/dev/sda1"))), "mirror-0") && *error.text);
}

int main(void) {
    setenv("TZ", "UTC", 1);
    tzset();
    cut();
    short_of_members();
    kinds();
    arena_release(&arena);
    return check_done();
}
