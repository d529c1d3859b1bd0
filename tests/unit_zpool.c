/*
 * unit_zpool.c: zpool status as text and as JSON: every state of the real outputs of three versions
 * reads to the same facts from both, the scan lines of six eras, published outputs with their
 * traps, layouts that do not move, and outputs that are cut, foreign or broken.
 */
#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#include "../src/zfs/status.h"
#include "check.h"

static struct arena arena;

static const char *path_of(const char *name) {
    const char *dir = getenv("ZHIST_TESTS");
    return arena_fmt(&arena, "%s/data/zfs/%s", dir ? dir : "tests", name);
}

static const char *shared(const char *name) {
    const char *dir = getenv("ZHIST_SHARED"), *tests = getenv("ZHIST_TESTS");
    return dir ? arena_fmt(&arena, "%s/%s", dir, name)
               : arena_fmt(&arena, "%s/../../shared/%s", tests ? tests : "tests", name);
}

static int read_pools(const char *path, struct pool_list *list, struct err *e) {
    char *text;
    size_t len;
    *list = (struct pool_list){0};
    if (file_read(&arena, path, 1 << 22, &text, &len, e))
        return -2;
    size_t blank = strspn(text, " \n\t");
    return text[blank] == '{' ? pools_from_json(&arena, text, len, list, e)
                              : pools_from_text(&arena, text, len, list, e);
}

static int from_text(const char *text, struct pool_list *list, struct err *e) {
    *list = (struct pool_list){0};
    return pools_from_text(&arena, text, strlen(text), list, e);
}

static const char *told(enum told t) {
    return t == TOLD_YES ? "yes" : t == TOLD_NO ? "no" : "?";
}

static void put_tree(struct buf *b, const struct vdev *v) {
    buf_fmt(b, "%s %s %s %s", v->name, v->type, v->class, v->state ? v->state : "?");
    if (v->read_errors > 0 || v->write_errors > 0 || v->checksum_errors > 0)
        buf_fmt(b, " %lld/%lld/%lld", (long long)v->read_errors, (long long)v->write_errors,
                (long long)v->checksum_errors);
    for (size_t i = 0; i < v->n_below; i++) {
        buf_str(b, i ? ", " : " (");
        put_tree(b, v->below[i]);
    }
    buf_str(b, v->n_below ? ")" : "");
}

static void expansions(void) {
    static const struct {
        const char *layout;
        double bytes;
    } table[] = {{"mirror of 2", 2}, {"3 x mirror of 3; special mirror of 2; log 1", 3},
                 {"2 x raidz2 of 6", 1.5}, {"raidz1 of 3 + mirror of 2", 1.5}, {"stripe of 4", 1},
                 {"single; cache 1", 1}, {"draid2:4d:11c:1s of 11", 1.5}};
    for (size_t i = 0; i < LENGTH(table); i++)
        CHECK(table[i].layout, fabs(layout_expansion(table[i].layout) - table[i].bytes) < 1e-9);
    CHECK("a layout of the future", isnan(layout_expansion("anymirror1 of 4")) &&
                                        isnan(layout_expansion("mirror of 2 + anyraidz of 3")) &&
                                        isnan(layout_expansion("raidz2 of 2")));
}

/* What text and JSON must agree on. */
static const char *facts_of(const struct pool *p) {
    struct buf b = {0};
    const struct scan *s = &p->scan;
    const char *layout = pool_layout(&arena, p);
    buf_fmt(&b, "%s %s: %s; %s %s", p->name, p->state ? p->state : "?", layout ? layout : "?",
            scan_kind_names[s->kind], scan_state_names[s->state]);
    if (s->ended)
        buf_fmt(&b, " %s", s->ended);
    if (!isnan(s->done))
        buf_fmt(&b, " %.4f", s->done);
    buf_fmt(&b, "; remove %s expand %s", told(p->removing), told(p->expanding));
    buf_fmt(&b, "; %lld errors%s", (long long)p->data_errors, p->suspended ? "; suspended" : "");
    const char *text = arena_str(&arena, b.data);
    buf_release(&b);
    return text;
}

static const char *tree_of(const struct pool *p) {
    struct buf b = {0};
    if (p->root)
        put_tree(&b, p->root);
    const char *text = arena_str(&arena, b.data ? b.data : "");
    buf_release(&b);
    return text;
}

static const struct pool *pool_named(const struct pool_list *list, const char *name) {
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

/* ---- our own captures ------------------------------------------------------------------------ */

/* ended: of 2.1.11, 2.3.9, 2.4.4 where they differ, as they were captured one after the other. */
static const struct {
    const char *state, *pool, *facts;
    const char *ended[3];
} expected[] = {
    {".", "tank", "tank ONLINE: mirror of 2; none idle; remove no expand no; 0 errors", {0}},
    {".", "rz2", "rz2 ONLINE: raidz2 of 4; none idle; remove no expand no; 0 errors", {0}},
    {"mix",
     "mix",
     "mix ONLINE: 2 x mirror of 2; special mirror of 2; log mirror of 2; cache 1; spare 1; none "
     "idle; remove no expand no; 0 errors",
     {0}},
    {"draid",
     "dr",
     "dr ONLINE: draid1:2d:6c:1s of 6; none idle; remove no expand no; 0 errors",
     {0}},
    {"degraded-offline",
     "tank",
     "tank DEGRADED: mirror of 2; none idle; remove no expand no; 0 errors",
     {0}},
    {"resilvering",
     "tank",
     "tank ONLINE: mirror of 2; resilver running 0.0000; remove no expand no; 0 errors",
     {0}},
    {"resilvered",
     "tank",
     "tank ONLINE: mirror of 2; resilver finished %s; remove no expand no; 0 errors",
     {"2026-11-30 20:33:48", "2026-11-30 19:58:41", "2026-11-30 20:39:41"}},
    {"scrubbing",
     "tank",
     "tank ONLINE: mirror of 2; scrub running 0.0000; remove no expand no; 0 errors",
     {0}},
    {"scrub-paused",
     "tank",
     "tank ONLINE: mirror of 2; scrub paused 0.0000; remove no expand no; 0 errors",
     {0}},
    {"scrub-canceled",
     "tank",
     "tank ONLINE: mirror of 2; scrub canceled %s; remove no expand no; 0 errors",
     {"2026-11-30 20:34:14", "2026-11-30 19:59:04", "2026-11-30 20:40:14"}},
    {"scrubbed",
     "tank",
     "tank ONLINE: mirror of 2; scrub finished %s; remove no expand no; 0 errors",
     {"2026-11-30 20:34:23", "2026-11-30 19:59:17", "2026-11-30 20:40:30"}},
    {"degraded-faulted",
     "rz2",
     "rz2 DEGRADED: raidz2 of 4; none idle; remove no expand no; 0 errors",
     {0}},
    {"checksum-errors",
     "rz2",
     "rz2 ONLINE: raidz2 of 4; scrub finished %s; remove no expand no; 0 errors",
     {"2026-11-30 20:34:40", "2026-11-30 19:59:41", "2026-11-30 20:40:56"}},
    {"initializing",
     "rz2",
     "rz2 ONLINE: raidz2 of 4; scrub finished %s; remove no expand no; 0 errors",
     {"2026-11-30 20:34:40", "2026-11-30 19:59:41", "2026-11-30 20:40:56"}},
    {"read-only",
     "rz2",
     "rz2 ONLINE: raidz2 of 4; scrub finished %s; remove no expand no; 0 errors",
     {"2026-11-30 20:34:40", "2026-11-30 19:59:41", "2026-11-30 20:40:56"}},
    {"no-pools", NULL, NULL, {0}},
};
static const char *const versions[] = {"2.1.11", "2.3.9", "2.4.4"};

/* Every zpool status in dir reads to the same facts. */
static void check_state(const char *dir, size_t v, size_t row) {
    DIR *d = opendir(dir);
    struct dirent *entry;
    size_t files = 0, wrong = 0;
    const char *want = NULL;
    if (expected[row].facts)
        want = expected[row].ended[v]
                   ? arena_fmt(&arena, "%.*s%s%s", (int)strcspn(expected[row].facts, "%"),
                               expected[row].facts, expected[row].ended[v],
                               strchr(expected[row].facts, '%') + 2)
                   : expected[row].facts;
    while (d && (entry = readdir(d))) {
        size_t len = strlen(entry->d_name);
        struct pool_list list;
        struct err e = {0};
        if (strncmp(entry->d_name, "zpool_status", 12) || len < 4 ||
            strcmp(entry->d_name + len - 4, ".txt"))
            continue;
        files++;
        int rc = read_pools(arena_fmt(&arena, "%s/%s", dir, entry->d_name), &list, &e);
        const struct pool *p = want ? pool_named(&list, expected[row].pool) : NULL;
        bool good = !rc && (want ? p && !strcmp(facts_of(p), want) : list.n == 0);
        if (!good)
            printf("# %s/%s: %s\n#   got:  %s\n#   want: %s\n", dir, entry->d_name, e.text,
                   p ? facts_of(p) : "(no such pool)", want ? want : "(no pools)");
        wrong += !good;
    }
    if (d)
        closedir(d);
    CHECK(arena_fmt(&arena, "%s %s %s, %zu files", versions[v], expected[row].state,
                    expected[row].pool ? expected[row].pool : "", files),
          files > 0 && wrong == 0);
}

static void captures(void) {
    for (size_t v = 0; v < LENGTH(versions); v++)
        for (size_t i = 0; i < LENGTH(expected); i++)
            check_state(path_of(arena_fmt(&arena, "%s/%s", versions[v], expected[i].state)), v, i);
    const char *all = shared("fixtures");
    DIR *d = opendir(all);
    if (!d) {
        SKIP("all flags of all versions", "the whole captures are not here");
        return;
    }
    closedir(d);
    for (size_t v = 0; v < LENGTH(versions); v++)
        for (size_t i = 0; i < LENGTH(expected); i++)
            check_state(arena_fmt(&arena, "%s/zfs-%s/%s", all, versions[v], expected[i].state), v,
                        i);
}

static void text_is_json(void) {
    static const char *const pairs[][2] = {
        {"2.3.9/mix/zpool_status_-P.txt",
         "2.3.9/mix/zpool_status_-jP_--json-int_--json-flat-vdevs.txt"},
        {"2.3.9/degraded-offline/zpool_status_-P.txt",
         "2.3.9/degraded-offline/zpool_status_-jP_--json-int_--json-flat-vdevs.txt"},
        {"2.3.9/scrub-paused/zpool_status_-P.txt",
         "2.3.9/scrub-paused/zpool_status_-jP_--json-int_--json-flat-vdevs.txt"},
        {"2.3.9/mix/zpool_status_-s.txt", "2.3.9/mix/zpool_status_-j.txt"}};
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        struct pool_list text, json;
        struct err e = {0};
        CHECK("both are read", !read_pools(path_of(pairs[i][0]), &text, &e) &&
                                   !read_pools(path_of(pairs[i][1]), &json, &e));
        CHECK("as many pools", text.n == json.n && text.n >= 2);
        for (size_t k = 0; k < text.n && k < json.n; k++) {
            const struct pool *t = &text.items[k], *j = &json.items[k];
            CHECK_TEXT(pairs[i][1], tree_of(j), tree_of(t));
            CHECK_TEXT("what zpool says of it", j->status, t->status);
            CHECK_TEXT("what to do", j->action, t->action);
            CHECK_TEXT("its errors", j->errors, t->errors);
            CHECK("text has no guid, JSON has", !t->guid && j->guid && strlen(j->guid) > 15);
        }
    }
}

/* As the probe calls zpool, pools of more kinds and states. told: trim, initialize. */
static const struct {
    const char *dir, *pool, *facts, *told;
} calls[] = {
    {"2.3.9/calls/created", "m",
     "m ONLINE: 2 x mirror of 2; log 1; spare 1; none idle; remove no expand no; 0 errors",
     "no no"},
    {"2.3.9/calls/initializing", "m",
     "m ONLINE: 2 x mirror of 2; log 1; spare 1; none idle; remove no expand no; 0 errors",
     "no yes"},
    {"2.3.9/calls/init-suspended", "m",
     "m ONLINE: 2 x mirror of 2; log 1; spare 1; none idle; remove no expand no; 0 errors",
     "no no"},
    {"2.3.9/calls/trimming", "m",
     "m ONLINE: 2 x mirror of 2; log 1; spare 1; none idle; remove no expand no; 0 errors",
     "yes no"},
    {"2.3.9/calls/trim-suspended", "m",
     "m ONLINE: 2 x mirror of 2; log 1; spare 1; none idle; remove no expand no; 0 errors",
     "no no"},
    {"2.3.9/calls/spare-inuse", "m",
     "m DEGRADED: 2 x mirror of 2; log 1; spare 1; resilver finished; remove no expand no; 0 "
     "errors",
     "no no"},
    {"2.3.9/calls/replacing", "m",
     "m ONLINE: 2 x mirror of 2; log 1; spare 1; resilver running 0.0000; remove no expand no; 0 "
     "errors",
     "no no"},
    {"2.3.9/calls/rebuilding2", "m",
     "m ONLINE: 2 x mirror of 3; log 1; spare 1; rebuild running 0.0000; remove no expand no; 0 "
     "errors",
     "no no"},
    {"2.3.9/calls/log-removed", "m",
     "m ONLINE: 2 x mirror of 3; spare 1; scrub finished; remove no expand no; 0 errors", "no no"},
    {"2.3.9/calls/removing", "m",
     "m ONLINE: 2 x mirror of 3; spare 1; scrub finished; remove yes expand no; 0 errors", "no no"},
    {"2.3.9/calls/removed", "m",
     "m ONLINE: mirror of 3; spare 1; scrub finished; remove no expand no; 0 errors", "no no"},
    {"2.3.9/calls/expanding", "z",
     "z ONLINE: raidz1 of 4; none idle; remove no expand yes; 0 errors", "no no"},
    {"2.3.9/calls/expanded", "z",
     "z ONLINE: raidz1 of 4; scrub finished; remove no expand no; 0 errors", "no no"},
    {"2.3.9/calls/error-scrub-e", "e",
     "e ONLINE: single; error scrub running; remove no expand no; many errors", "no no"},
    {"2.3.9/calls/missing", "m",
     "m DEGRADED: mirror of 3; spare 1; scrub finished; remove no expand no; 0 errors", "no no"},
    {"2.3.9/calls/permanent", "e",
     "e ONLINE: single; scrub finished; remove no expand no; many errors", "no no"},
    {"2.3.9/calls/draid-spare", "d",
     "d DEGRADED: draid1:2d:6c:1s of 6; resilver finished; remove no expand no; 0 errors", "no no"},
    {"2.3.9/calls/too-many-errors", "tank",
     "tank ONLINE: mirror of 2; none idle; remove no expand no; 0 errors", "no no"},
    {"2.1.11/calls/suspended", "tank",
     "tank SUSPENDED: mirror of 2; none idle; remove no expand no; many errors; suspended",
     "no no"},
    {"2.1.11/calls/rebuilding2", "m",
     "m ONLINE: 2 x mirror of 3; log 1; spare 1; rebuild running 0.0000; remove no expand no; 0 "
     "errors",
     "no no"},
};

/* Without the moment it was captured at, and many errors without their number. */
static const char *timeless(const char *facts) {
    struct buf b = {0};
    for (const char *at = facts; *at; at++) {
        size_t len = strspn(at, "0123456789");
        if (at[0] == ' ' && !strncmp(at + 1, "20", 2) && at[5] == '-')
            at += 20;
        if (len > 1 && !strncmp(at + len, " errors", 7)) {
            buf_str(&b, "many");
            at += len;
        }
        buf_put(&b, at, 1);
    }
    const char *text = arena_str(&arena, b.data);
    buf_release(&b);
    return text;
}

static void as_called(void) {
    for (size_t i = 0; i < LENGTH(calls); i++) {
        const char *trees[2] = {NULL, NULL};
        for (int json = 0; json < 2; json++) {
            const char *file = json ? "zpool_status_-j_-i_-t_-P_-p_--json-int" : "zpool_status_-P";
            struct pool_list l;
            struct err e = {0};
            int rc = read_pools(
                path_of(arena_fmt(&arena, "%s/%s_%s.txt", calls[i].dir, file, calls[i].pool)), &l,
                &e);
            if (rc == -2 && json && !strncmp(calls[i].dir, "2.1", 3))
                continue;
            const struct pool *p = l.n == 1 && !rc ? &l.items[0] : NULL;
            CHECK_TEXT(calls[i].dir, p ? timeless(facts_of(p)) : e.text, calls[i].facts);
            if (!p)
                continue;
            trees[json] = tree_of(p);
            CHECK_TEXT("what is trimmed or initialized",
                       arena_fmt(&arena, "%s %s", told(p->trimming), told(p->initializing)),
                       calls[i].told);
        }
        if (trees[1])
            CHECK_TEXT("the same tree from both", trees[1], trees[0]);
    }
}

static void details(void) {
    struct pool_list l;
    struct err e = {0};
    read_pools(path_of("2.3.9/checksum-errors/zpool_status_-P.txt"), &l, &e);
    const struct pool *p = pool_named(&l, "rz2");
    CHECK_TEXT("the tree with its counters", p ? tree_of(p) : NULL,
               "rz2 root data ONLINE (raidz2-0 raidz2 data ONLINE ("
               "/dev/disk/by-id/scsi-35000c50000ab0002-part1 disk data ONLINE, "
               "/dev/disk/by-id/scsi-35000c50000ab0003-part1 disk data ONLINE, "
               "/dev/disk/by-id/scsi-35000c50000ab0004-part1 disk data ONLINE 0/0/405, "
               "/dev/disk/by-id/scsi-35000c50000ab0005-part1 disk data ONLINE))");
    CHECK_TEXT("a status of several lines is one", p ? p->status : NULL,
               "One or more devices has experienced an unrecoverable error. An attempt was made to "
               "correct the error. Applications are unaffected.");
    read_pools(path_of("2.3.9/degraded-faulted/zpool_status_-P.txt"), &l, &e);
    p = pool_named(&l, "rz2");
    CHECK_TEXT("a note", p ? p->root->below[0]->below[1]->note : NULL, "external device fault");
    read_pools(path_of("2.3.9/degraded-faulted/zpool_status_-j.txt"), &l, &e);
    p = pool_named(&l, "rz2");
    CHECK_TEXT("the same from JSON", p ? p->root->below[0]->below[1]->note : NULL,
               "external device fault");
    CHECK_TEXT("JSON has the path behind a short name",
               p ? p->root->below[0]->below[1]->path : NULL,
               "/dev/disk/by-id/scsi-35000c50000ab0003-part1");
    read_pools(path_of("2.3.9/initializing/zpool_status_-P.txt"), &l, &e);
    CHECK("initializing is seen in text", pool_named(&l, "rz2")->initializing == TOLD_YES &&
                                              pool_named(&l, "rz2")->trimming == TOLD_NO &&
                                              pool_named(&l, "tank")->initializing == TOLD_NO);
    read_pools(path_of("2.3.9/initializing/zpool_status_-j.txt"), &l, &e);
    CHECK("JSON without -i does not tell", pool_named(&l, "rz2")->initializing == TOLD_NOTHING);
    read_pools(path_of("2.3.9/trim/zpool_status_-t.txt"), &l, &e);
    CHECK("a finished trim is over", pool_named(&l, "tank")->trimming == TOLD_NO);
    read_pools(path_of("2.3.9/mix/zpool_status_-P.txt"), &l, &e);
    CHECK("members of the data vdevs",
          pool_members(pool_named(&l, "mix")) == 4 && pool_members(pool_named(&l, "rz2")) == 4);
}

/* ---- scan lines ------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    enum scan_kind kind;
    enum scan_state state;
    const char *started, *ended;
    double done;
} scans[] = {
    {"none requested", SCAN_NEVER, SCAN_IDLE, NULL, NULL, NAN},
    {"scrub in progress since Tue May 10 21:13:54 2016\n    787M scanned out of 2.61T at 2.21M/s, "
     "344h20m to go\n    0 repaired, 0.03% done",
     SCAN_SCRUB, SCAN_RUNNING, "2016-05-10 21:13:54", NULL, 0.0003},
    {"resilver in progress since Thu Feb 19 20:20:24 2015\n 114G scanned out of 19.6T at 2.52M/s, "
     "(scan is slow, no estimated time)\n 13.7G resilvered, 0.57% done",
     SCAN_RESILVER, SCAN_RUNNING, "2015-02-19 20:20:24", NULL, 0.0057},
    {"resilver in progress since Mon Oct  6 11:35:18 2014\n 4,43G scanned out of 282G at 292K/s, "
     "277h24m to go",
     SCAN_RESILVER, SCAN_RUNNING, "2014-10-06 11:35:18", NULL, NAN},
    {"resilver in progress since Mon Jun 22 12:58:29 2020\n\t526G resilvered, 56,89% done, no "
     "estimated completion time",
     SCAN_RESILVER, SCAN_RUNNING, "2020-06-22 12:58:29", NULL, 0.5689},
    {"scrub repaired 0 in 0 days 04:27:18 with 0 errors on Sun Apr 28 04:27:20 2019", SCAN_SCRUB,
     SCAN_FINISHED, NULL, "2019-04-28 04:27:20", NAN},
    {"scrub repaired 1,50K in 1 days 10:42:22 with 0 errors on Mon Dec  9 11:06:24 2019",
     SCAN_SCRUB, SCAN_FINISHED, NULL, "2019-12-09 11:06:24", NAN},
    {"scrub canceled on Tue Aug 14 10:38:24 2018", SCAN_SCRUB, SCAN_CANCELED, NULL,
     "2018-08-14 10:38:24", NAN},
    {"scrub paused since Mon Nov 30 20:34:07 2026\n\tscrub started on Mon Nov 30 20:33:54 2026\n\t"
     "1.2G / 476M scanned, 0B issued\n\t0B repaired, 12.50% done",
     SCAN_SCRUB, SCAN_PAUSED, "2026-11-30 20:33:54", NULL, 0.125},
    {"resilvered 301M in 00:00:13 with 0 errors on Mon Nov 30 19:58:41 2026", SCAN_RESILVER,
     SCAN_FINISHED, NULL, "2026-11-30 19:58:41", NAN},
    {"resilver (draid1:4d:11c:1s-0) in progress since Tue Nov 24 14:34:25 2020\n\t3.51T scanned at "
     "13.4G/s, 1.59T issued 6.07G/s, 6.13T total\n\t326G resilvered, 57.17% done, 00:03:21 to go",
     SCAN_REBUILD, SCAN_RUNNING, "2020-11-24 14:34:25", NULL, 0.5717},
    {"resilvered (mirror-1) 30.2M in 00:00:05 with 0 errors on Tue Dec  1 00:47:19 2026",
     SCAN_REBUILD, SCAN_FINISHED, NULL, "2026-12-01 00:47:19", NAN},
    {"resilver (mirror-0) canceled on Tue Dec  1 00:47:19 2026", SCAN_REBUILD, SCAN_CANCELED, NULL,
     "2026-12-01 00:47:19", NAN},
    {"error scrub in progress since Tue Dec  1 00:48:10 2026\n\t17600.00% done, issued I/O for 176 "
     "error blocks",
     SCAN_ERROR_SCRUB, SCAN_RUNNING, "2026-12-01 00:48:10", NULL, NAN},
    {"error scrub paused since Tue Dec  1 00:48:10 2026\n\terror scrub started on Tue Dec  1 "
     "00:47:00 2026",
     SCAN_ERROR_SCRUB, SCAN_PAUSED, "2026-12-01 00:47:00", NULL, NAN},
    {"error scrub canceled on Tue Dec  1 00:48:10 2026", SCAN_ERROR_SCRUB, SCAN_CANCELED, NULL,
     "2026-12-01 00:48:10", NAN},
    {"scrubbed 51 error blocks in 0 days 00:00:06 on Tue Dec  1 00:50:10 2026", SCAN_ERROR_SCRUB,
     SCAN_FINISHED, NULL, "2026-12-01 00:50:10", NAN},
    /* pool version 10: Solaris, FreeBSD 8, zfs-fuse */
    {"scrub in progress for 0h12m, 3.20% done, 6h3m to go", SCAN_SCRUB, SCAN_RUNNING, NULL, NULL,
     0.032},
    {"scrub completed after 3h40m with 0 errors on Mon Jan 11 14:01:02 2010", SCAN_SCRUB,
     SCAN_FINISHED, NULL, "2010-01-11 14:01:02", NAN},
    {"resilver completed after 0h5m with 0 errors on Mon Jan 11 14:01:02 2010", SCAN_RESILVER,
     SCAN_FINISHED, NULL, "2010-01-11 14:01:02", NAN},
    {"scrub stopped after 0h0m with 0 errors on Mon Jan 11 4:01:02 2010", SCAN_SCRUB, SCAN_CANCELED,
     NULL, "2010-01-11 04:01:02", NAN},
    {"scrub repaired 0B in <snip>", SCAN_SCRUB, SCAN_FINISHED, NULL, NULL, NAN},
    /* no dates: nothing to compare */
    {"scrub in progress since gestern", SCAN_SCRUB, SCAN_RUNNING, NULL, NULL, NAN},
    {"scrub repaired 0B in 00:00:00 with 0 errors on lun. 30 nov. 2026 19:59:41", SCAN_SCRUB,
     SCAN_FINISHED, NULL, NULL, NAN},
    {"scrub repaired 0B in 00:00:00 with 0 errors on Mon Nov 31 19:59:41 2026", SCAN_SCRUB,
     SCAN_FINISHED, NULL, NULL, NAN},
    {"scrub repaired 0B in 00:00:00 with 0 errors on Sun Feb 29 19:59:41 2026", SCAN_SCRUB,
     SCAN_FINISHED, NULL, NULL, NAN},
    {"scrub repaired 0B in 00:00:00 with 0 errors on Tue Feb 29 19:59:41 2028", SCAN_SCRUB,
     SCAN_FINISHED, NULL, "2028-02-29 19:59:41", NAN},
    {"resilvered 1.2G in 3 days 01:02:03 with 0 errors on Mon Nov 30 24:59:41 2026", SCAN_RESILVER,
     SCAN_FINISHED, NULL, NULL, NAN},
    {"scrub canceled on Mon Nov 30 19:60:41 2026", SCAN_SCRUB, SCAN_CANCELED, NULL, NULL, NAN},
    {"scrub canceled on onT Nov 30 19:06:41 2026", SCAN_SCRUB, SCAN_CANCELED, NULL, NULL, NAN},
    {"scrub canceled on Mon Nov 30 1:9:006 2026", SCAN_SCRUB, SCAN_CANCELED, NULL, NULL, NAN},
    {"scrub canceled on Mon Nov 30 19:06:41 UTC 2026", SCAN_SCRUB, SCAN_CANCELED, NULL,
     "2026-11-30 19:06:41", NAN},
    /* not what zpool prints: unknown, never idle */
    {"", SCAN_NOT_UNDERSTOOD, SCAN_STATE_UNKNOWN, NULL, NULL, NAN},
    {"scrub", SCAN_NOT_UNDERSTOOD, SCAN_STATE_UNKNOWN, NULL, NULL, NAN},
    {"scrub repaired", SCAN_NOT_UNDERSTOOD, SCAN_STATE_UNKNOWN, NULL, NULL, NAN},
    {"scrub in progressive mode", SCAN_NOT_UNDERSTOOD, SCAN_STATE_UNKNOWN, NULL, NULL, NAN},
    {"none requested yet", SCAN_NOT_UNDERSTOOD, SCAN_STATE_UNKNOWN, NULL, NULL, NAN},
    {"resilvered everything", SCAN_NOT_UNDERSTOOD, SCAN_STATE_UNKNOWN, NULL, NULL, NAN},
    {"Überprüfung läuft seit Mo 1. Dez", SCAN_NOT_UNDERSTOOD, SCAN_STATE_UNKNOWN, NULL, NULL, NAN},
    {"warp in progress since Tue Dec  1 00:48:10 2026", SCAN_NOT_UNDERSTOOD, SCAN_STATE_UNKNOWN,
     NULL, NULL, NAN},
};

static void scan_lines(void) {
    for (size_t i = 0; i < LENGTH(scans); i++) {
        struct scan s;
        scan_from_text(&arena, scans[i].text, &s);
        const char *name = arena_fmt(&arena, "scan: %.50s", s.text);
        CHECK(name, s.kind == scans[i].kind && s.state == scans[i].state);
        CHECK_TEXT("since", s.started, scans[i].started);
        CHECK_TEXT("until", s.ended, scans[i].ended);
        CHECK_NEAR("done", s.done, scans[i].done, 1e-9);
    }
}

static void scan_eras(void) {
    static const char *const want[] = {"scrub running 0.0003", "resilver running 0.0057",
                                       "resilver running",     "resilver running 0.5689",
                                       "scrub running 0.7181", "scrub finished",
                                       "scrub finished",       "scrub finished",
                                       "scrub canceled",       "none idle"};
    char *text;
    size_t len, n = 0;
    struct err e = {0};
    if (file_read(&arena, shared("cases/c19_scan_lines.txt"), 1 << 20, &text, &len, &e)) {
        SKIP("scan lines of six eras", "the cases are not here");
        return;
    }
    for (char *at = text; (at = strstr(at, "  scan: "));) {
        char *end = strstr(at, "\n["), *next = end ? end : text + len;
        struct scan s;
        scan_from_text(&arena, arena_copy(&arena, at + 8, (size_t)(next - at - 8)), &s);
        const char *got =
            arena_fmt(&arena, "%s %s", scan_kind_names[s.kind], scan_state_names[s.state]);
        if (!isnan(s.done))
            got = arena_fmt(&arena, "%s %.4f", got, s.done);
        CHECK_TEXT("a scan line of its era", got, n < LENGTH(want) ? want[n] : NULL);
        n++;
        at = next;
    }
    CHECK("all eras were there", n == LENGTH(want));
}

/* ---- published outputs ----------------------------------------------------------------------- */

static const struct {
    const char *file, *pool, *facts;
    int rc;
    const char *unsure; /* what is said of a table that ends with the file */
} samples[] = {
    {"zpool-status-two-mirrors-upgrade-notice.txt", "pool1",
     "pool1 ONLINE: 2 x mirror of 2; scrub finished 2023-02-12 11:40:04; remove no expand no; 0 "
     "errors",
     0, NULL},
    {"zpool-status-mirrors-spares.txt", "tank",
     "tank ONLINE: 4 x mirror of 2; spare 1; scrub finished; remove no expand no; 0 errors", 0,
     NULL},
    {"zpool-status-raidz2-write-error.txt", "tank",
     "tank ONLINE: raidz2 of 5; scrub finished 2023-01-17 18:12:00; remove no expand no; 0 errors",
     0, NULL},
    {"zpool-status-draid1-online.txt", "tank",
     "tank ONLINE: draid1:4d:11c:1s of 11; none idle; remove no expand no; -1 errors", 0,
     NULL},
    {"zpool-status-draid1-resilvering-spare.txt", "tank",
     "tank DEGRADED: draid1:4d:11c:1s of 11; rebuild running 0.5717; remove no expand no; "
     "-1 errors",
     0, NULL},
    {"zpool-status-special-logs-and-boot-pool-truenas-truncated.txt", "boot-pool",
     "boot-pool ONLINE: mirror of 2; scrub finished 2023-02-03 03:49:52; remove no expand no; 0 "
     "errors",
     -1, NULL},
    {"zpool-status-P-mixed-paths-truncated.txt", "rpool",
     "rpool ONLINE: single; unknown unknown; remove ? expand ?; 0 errors", -1, NULL},
    {"zpool-status-P-mixed-paths-truncated.txt", "tank",
     "tank ONLINE: raidz1 of 5; resilver finished 2024-05-21 10:56:21; remove no expand no; 0 "
     "errors",
     -1, NULL},
    {"zpool-status-LP-replacing-resilvering.txt", "vault",
     "vault DEGRADED: raidz1 of 3; none idle; remove no expand no; -1 errors", 0, NULL},
    {"zpool-status-j-raidz1-dedup-special.json", "tank",
     "tank ONLINE: raidz1 of 3; special 1; dedup mirror of 2; none idle; remove no expand no; 0 "
     "errors",
     0, NULL},
};

static void published(void) {
    for (size_t i = 0; i < LENGTH(samples); i++) {
        struct pool_list l;
        struct err e = {0};
        int rc = read_pools(shared(arena_fmt(&arena, "samples/%s", samples[i].file)), &l, &e);
        if (rc == -2) {
            SKIP(samples[i].file, "the samples are not here");
            continue;
        }
        const struct pool *p = pool_named(&l, samples[i].pool);
        CHECK_TEXT(samples[i].file, p ? facts_of(p) : NULL, samples[i].facts);
        CHECK("complete, or said what is missing", rc == samples[i].rc);
        CHECK("a complaint names its line", !rc || !strncmp(e.text, "line ", 5));
        if (samples[i].unsure)
            CHECK("what it says so far", p && strstr(p->unsure, samples[i].unsure));
    }
}

/* ---- traps ----------------------------------------------------------------------------------- */

static const char *layout_in(const char *table) {
    struct pool_list l;
    struct err e = {0};
    const char *text =
        arena_fmt(&arena, "  pool: t\n state: ONLINE\nconfig:\n\n%s\nerrors: none\n", table);
    if (from_text(text, &l, &e))
        printf("# %s\n", e.text);
    return l.n == 1 ? pool_layout(&arena, &l.items[0]) : NULL;
}

#define HEAD                                                                                       \
    "\tNAME         STATE     READ WRITE CKSUM\n\tt            ONLINE       0     0     0\n"
#define ROW(name) name "  ONLINE       0     0     0\n"

static void layouts(void) {
    CHECK_TEXT("one disk", layout_in(HEAD ROW("\t  sda")), "single");
    CHECK_TEXT("a stripe", layout_in(HEAD ROW("\t  sda") ROW("\t  sdb")), "stripe of 2");
    CHECK_TEXT("one disk that is being replaced",
               layout_in(HEAD ROW("\t  replacing-0") ROW("\t    sda") ROW("\t    sdb")), "single");
    CHECK_TEXT("mixed",
               layout_in(HEAD ROW("\t  mirror-0") ROW("\t    sda") ROW("\t    sdb") ROW("\t  sdc")),
               "mirror of 2 + single");
    CHECK_TEXT("log disks, two caches",
               layout_in(HEAD ROW("\t  sda") "\tlogs\n" ROW("\t  sdb")
                             ROW("\t  sdc") "\tcache\n" ROW("\t  sdd") ROW("\t  sde")),
               "single; log 2; cache 2");
    CHECK_TEXT("a replacement in the place of a spare, indent off by hand",
               layout_in(HEAD ROW("\t  raidz1-0") ROW("\t    sda") ROW("\t    sdb")
                             ROW("\t    spare-2") ROW("\t      replacing-0") ROW("\t        sdc")
                                 ROW("\t      sdd") ROW("\t      sde") ROW("\t    sdf")),
               "raidz1 of 4");
    CHECK_TEXT("a disk too far to the right",
               layout_in(HEAD ROW("\t  mirror-0") ROW("\t    sda") ROW("\t       sdb")
                             ROW("\t  mirror-1") ROW("\t    sdc") ROW("\t    sdd")),
               "2 x mirror of 2");
    CHECK_TEXT("a disk too far to the left",
               layout_in(HEAD ROW("\t  mirror-0") ROW("\t  sda") ROW("\t    sdb")
                             ROW("\t  mirror-1") ROW("\t    sdc") ROW("\t   sdd")),
               "2 x mirror of 2");
    CHECK_TEXT("a mirror too far to the right",
               layout_in(HEAD ROW("\t  mirror-0") ROW("\t    sda") ROW("\t    sdb")
                             ROW("\t    mirror-1") ROW("\t    sdc") ROW("\t    sdd")),
               "2 x mirror of 2");
    CHECK_TEXT("a pool called like a class",
               layout_in("\tNAME   STATE  READ WRITE CKSUM\n" ROW("\tlogs") ROW("\t  sda")),
               "single");
}

static void names(void) {
    struct pool_list l;
    struct err e = {0};
    int rc = from_text("  pool: t\n state: DEGRADED\n  scan: none requested\nconfig:\n\n"
                       "\tNAME                      STATE     READ WRITE CKSUM\n"
                       "\tt                         DEGRADED     0     0     0\n"
                       "\t  mirror-0                DEGRADED  1.5K     0     2\n"
                       "\t    /mnt/a b ONLINE/d1    ONLINE       0     -     0  (resilvering)\n"
                       "\t    12345678901234567890  UNAVAIL      0     0     0  was /dev/sdb1\n"
                       "\t  c0d0:10                 ONLINE       0     0     0\n"
                       "\t  gpt/zfs1                ONLINE       0     0     0  block size: 512B "
                       "configured, 4096B native\n"
                       "\n"
                       "errors: Permanent errors have been detected in the following files:\n\n"
                       "        /mnt/pool: x\n"
                       "        t/x:<0x0>\n"
                       "  pool: u\n state: FAULTED\nconfig:\n\n"
                       "\tNAME  STATE  READ WRITE CKSUM\n"
                       "\tu     FAULTED  0  0  0  corrupted data\n"
                       "errors: List of errors unavailable (insufficient privileges)\n",
                       &l, &e);
    CHECK("all of it is read", rc == 0 && l.n == 2);
    CHECK_TEXT("names with spaces, colons, slashes, of digits", l.n ? tree_of(&l.items[0]) : NULL,
               "t root data DEGRADED (mirror-0 mirror data DEGRADED 1536/0/2 (/mnt/a b ONLINE/d1 "
               "file data ONLINE, 12345678901234567890 disk data UNAVAIL), c0d0:10 disk data "
               "ONLINE, gpt/zfs1 disk data ONLINE)");
    const struct vdev *m = l.n ? l.items[0].root->below[0] : NULL;
    CHECK("a dash is unknown, not zero", m && m->below[0]->write_errors == UNKNOWN);
    CHECK("a guid has no path", m && !m->below[1]->path);
    CHECK_TEXT("and was something", m ? m->below[1]->note : NULL, "was /dev/sdb1");
    CHECK("damaged files are counted", l.items[0].data_errors == 2);
    CHECK("what may not be listed is unknown", l.items[1].data_errors == UNKNOWN);
    CHECK_TEXT("with its reason", l.items[1].errors,
               "List of errors unavailable (insufficient privileges)");

    rc = from_text("    $ zpool status\n      pool: t\n     state: ONLINE\n      scan: none "
                   "requested\n    config:\n\n            NAME   STATE     READ WRITE CKSUM  SLOW\n"
                   "            t      ONLINE       0     0     0     -\n"
                   "              sda  ONLINE       0     0     7    12\n",
                   &l, &e);
    CHECK("a pasted output is read, its prompt complained of", rc == -1 && l.n == 1);
    CHECK_TEXT("with a column more", tree_of(&l.items[0]),
               "t root data ONLINE (sda disk data ONLINE 0/0/7)");
    rc = from_text("  pool: t\nconfig:\n" HEAD "config:\n" HEAD, &l, &e);
    CHECK("a second table is no part of the pool", rc == -1 && l.n == 1);
    rc = from_text("  pool: t\r\n state: ONLINE\r\n scrub: none requested\r\nconfig:\r\n\r\n\tNAME "
                   "STATE CKSUM\r\n\tt ONLINE 3\r\n\t  sda ONLINE 3\r\n\r\n",
                   &l, &e);
    CHECK("other columns, other line ends", rc == 0 && l.items[0].root->checksum_errors == 3 &&
                                                l.items[0].root->read_errors == UNKNOWN);
}

static void several_scans(void) {
    struct pool_list l;
    struct err e = {0};
    static const char rest[] = "config:\n\n" HEAD ROW("\t  sda") "\nerrors: No known data errors\n";
    int rc = from_text(
        arena_fmt(
            &arena,
            "  pool: t\n state: ONLINE\n"
            "  scan: scrub repaired 0B in 00:00:00 with 0 errors on Tue Dec  1 00:47:24 2026\n"
            "  scan: resilvered (mirror-0) 30.3M in 00:00:05 with 0 errors on Tue Dec  1 "
            "00:47:25 2026\n  scan: resilver (mirror-1) in progress since Tue Dec  1 00:40:00 "
            "2026\n\t3M scanned\nremove: Evacuation of mirror in progress since Tue Dec  1 "
            "00:47:27 2026\n\t14K copied\nexpand: expanded raidz1-0 copied 76.5M in 00:00:06, "
            "on Tue Dec  1 00:47:54 2026\ncheckpoint: created Tue Dec  1 00:47:35 2026, "
            "consumes 82.5K\n%s",
            rest),
        &l, &e);
    CHECK("several scans", rc == 0 && l.n == 1);
    CHECK("the one that runs is told",
          l.items[0].scan.kind == SCAN_REBUILD && l.items[0].scan.state == SCAN_RUNNING);
    CHECK("all are in the text", strstr(l.items[0].scan.text, "scrub repaired") &&
                                     strstr(l.items[0].scan.text, "mirror-1"));
    CHECK("a removal runs, an expansion is over",
          l.items[0].removing == TOLD_YES && l.items[0].expanding == TOLD_NO);
    static const char over[] = "scrub repaired 0B in 00:00:00 with 0 errors on ";
    for (int first = 0; first < 2; first++) {
        from_text(
            arena_fmt(&arena,
                      "  pool: t\n state: ONLINE\n  scan: %s%s\n  scan: resilvered (mirror-0) "
                      "30.3M in 00:00:05 with 0 errors on %s\n%s",
                      over, first ? "zaterdag" : "Tue Dec  1 00:47:24 2026",
                      first ? "Tue Dec  1 00:47:24 2026" : "zaterdag", rest),
            &l, &e);
        CHECK_TEXT("a date nobody can read is not the later one", l.items[0].scan.ended,
                   "2026-12-01 00:47:24");
        CHECK("of two scans", l.items[0].scan.kind == (first ? SCAN_REBUILD : SCAN_SCRUB));
    }
    rc = from_text(arena_fmt(&arena,
                             "  pool: t\n state: ONLINE\n  scan: frobnicated since noon\nexpand: "
                             "hm\n  warp: 9\n%s",
                             rest),
                   &l, &e);
    CHECK("an unknown line is left alone, an unknown scan is unknown",
          rc == 0 && l.items[0].scan.kind == SCAN_NOT_UNDERSTOOD &&
              l.items[0].scan.state == SCAN_STATE_UNKNOWN);
    CHECK("an unknown word about an expansion too", l.items[0].expanding == TOLD_NOTHING);
}

/* Cut at any byte: never a crash, never idle where the scan line may be missing. */
static void cut(void) {
    static const char *const files[] = {"2.3.9/scrubbing/zpool_status_-P.txt",
                                        "2.3.9/scrubbing/zpool_status_-j.txt",
                                        "2.3.9/mix/zpool_status_-P.txt"};
    for (size_t i = 0; i < LENGTH(files); i++) {
        struct err e = {0};
        char *text;
        size_t len, idle = 0, untold = 0;
        if (file_read(&arena, path_of(files[i]), 1 << 20, &text, &len, &e))
            continue;
        for (size_t n = 0; n < len; n++) {
            struct pool_list l = {0};
            struct arena own = {0};
            bool json = *text == '{';
            int rc = (json ? pools_from_json : pools_from_text)(&own, text, n, &l, &e);
            const struct pool *p = i < 2 ? pool_named(&l, "tank") : NULL;
            idle += p && p->scan.state != SCAN_RUNNING && p->scan.state != SCAN_STATE_UNKNOWN;
            untold += rc && !*e.text;
            arena_release(&own);
        }
        CHECK(arena_fmt(&arena, "%s cut anywhere", files[i]), idle == 0 && untold == 0);
    }
}

static void foreign_json(void) {
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{}",
        "{\"output_version\":{\"command\":\"zpool status\",\"vers_major\":1,"
        "\"vers_minor\":0},\"pools\":{}}",
        "{\"output_version\":{\"command\":\"zpool list\",\"vers_major\":0},\"pools\":{}}",
        "{\"output_version\":{\"command\":\"zpool status\",\"vers_major\":0},\"pools\":[]}",
        "{\"output_version\":{\"command\":\"zpool status\",\"vers_major\":0},\"pools\":{\"t\":7}}",
        "{\"output_version\":{\"command\":\"zpool "
        "status\",\"vers_major\":0},\"pools\":{\"t\":{}}}"};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct pool_list l = {0};
        struct err e = {0};
        CHECK(arena_fmt(&arena, "foreign JSON %zu is refused", i),
              pools_from_json(&arena, bad[i], strlen(bad[i]), &l, &e) == -1 && *e.text);
    }
    static const char odd[] =
        "{\"output_version\":{\"command\":\"zpool status\",\"vers_major\":0},\"pools\":{\"t\":{"
        "\"state\":\"ONLINE\",\"scan_stats\":{\"function\":\"WARP\",\"state\":\"SCANNING\"},"
        "\"removal_stats\":{\"state\":\"WARPING\"},\"vdevs\":{\"t\":{\"name\":\"t\",\"vdev_type\":"
        "\"root\",\"vdevs\":{\"/dev/sda1\":{\"name\":\"/dev/sda1\"},\"x-0\":{\"name\":\"x-0\","
        "\"vdev_type\":\"warp\",\"state\":7,\"vdevs\":[1,null]}}}}}}}";
    struct pool_list l = {0};
    struct err e = {0};
    static const char unnamed[] =
        "{\"output_version\":{\"command\":\"zpool status\",\"vers_major\":0},\"pools\":{\"t\":{"
        "\"state\":\"ONLINE\",\"vdevs\":{\"t\":{\"name\":\"t\",\"vdevs\":{}}}}}}";
    CHECK("a pool without a name inside has that of its key",
          !pools_from_json(&arena, unnamed, sizeof unnamed - 1, &l, &e) && l.n == 1 &&
              !strcmp(l.items[0].name, "t") && l.items[0].root);
    l = (struct pool_list){0};
    CHECK("words of a later version are read",
          !pools_from_json(&arena, odd, sizeof odd - 1, &l, &e) && l.n == 1);
    CHECK_TEXT("as far as they go", l.n ? facts_of(&l.items[0]) : NULL,
               "t ONLINE: ?; unknown unknown; remove ? expand no; -1 errors");
}

int main(void) {
    setenv("TZ", "UTC", 1);
    tzset();
    captures();
    text_is_json();
    as_called();
    details();
    scan_lines();
    scan_eras();
    published();
    layouts();
    names();
    several_scans();
    cut();
    foreign_json();
    expansions();
    arena_release(&arena);
    return check_done();
}
