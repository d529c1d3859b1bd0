/*
 * unit_init.c: first profiles for made-up boxes: each is a valid profile that says what was found;
 * goldens in data/init (UPDATE=1 writes them). And the datasets beside a path.
 */
#include <math.h>
#include <stdlib.h>

#include "../src/cli/init_profile.h"
#include "../src/facts/probe.h"
#include "check.h"
#include "tree.h"
#include "zhist/command.h"
#include "zhist/embed.h"
#include "zhist/profile.h"
#include "zhist/unit.h"

void print_note(const char *fmt, ...) { /* main.c's, which a test does not link */
    (void)fmt;
}

static struct arena arena;
static struct err e;
static struct fact_sheet sheet;
static struct init_target targets[8];

/* ---- boxes -------------------------------------------------------------------------------------
 */

static void begin_set(const char *kind, int64_t target) {
    factset_add(&arena, &sheet, kind, "", target);
}

static void put(const char *key, const char *value) {
    fact_add(&arena, &sheet.sets[sheet.n_sets - 1], key, value, "made up");
}

static struct init_ask begin(const char *memory) {
    int64_t bytes = UNKNOWN;
    if (unit_read_count(memory, &bytes))
        bytes = UNKNOWN;
    sheet = (struct fact_sheet){0};
    begin_set("system", UNKNOWN);
    put("memory", memory);
    put("zfs", "2.3.0-1");
    return (struct init_ask){.path = "/mnt/tank/a",
                             .host = "NAS1.example",
                             .sheet = &sheet,
                             .targets = targets,
                             .memory = bytes};
}

static void target(struct init_ask *ask, const char *name, const char *path, const char *fstype,
                   const char *available) {
    int64_t at = (int64_t)ask->n_targets;
    targets[ask->n_targets++] = (struct init_target){name, path, at};
    begin_set("mount", at);
    put("path", path);
    put("fstype", fstype);
    put("available", available);
    put("backing", !fstype                    ? NULL
                   : !strcmp(fstype, "zfs")   ? "pool"
                   : !strcmp(fstype, "tmpfs") ? "memory"
                   : !strcmp(fstype, "nfs4")  ? "network"
                                              : "disk");
}

static void disk(int64_t at, const char *name, const char *model, const char *transport,
                 const char *rotational) {
    begin_set("disk", at);
    put("name", name);
    put("model", model);
    put("transport", transport);
    put("rotational", rotational);
}

static void dataset(int64_t at, const char *name, const char *compression, const char *direct) {
    begin_set("dataset", at);
    put("name", name);
    put("type", "filesystem");
    put("recordsize", "131072");
    put("compression", compression);
    put("encryption", "off");
    put("sync", "standard");
    put("atime", "off");
    put("special_small_blocks", "0");
    if (direct)
        put("direct", direct);
}

static void pool(int64_t at, const char *layout) {
    begin_set("pool", at);
    put("name", "tank");
    put("layout", layout);
    put("disk_count", "2");
    put("media", "hdd");
}

static void arc(const char *most) {
    begin_set("module", UNKNOWN);
    put("arc_c_max", most);
    put("zfs_dio_enabled", "1");
}

/* A mirror of hard disks with a fast log; direct NULL: an OpenZFS without the property. */
static struct init_ask hdd_mirror(const char *most, const char *direct) {
    struct init_ask ask = begin("8589934592");
    arc(most);
    target(&ask, "a", "/mnt/tank/a", "zfs", "4000000000000");
    dataset(0, "tank/a", "lz4", direct);
    pool(0, "mirror of 2; log 1");
    disk(0, "nvme0n1", "Optane 900P", "nvme", "no");
    put("vdev_class", "log");
    disk(0, "sda", "TOSHIBA HDWG460", "sata", "yes");
    put("vdev_class", "data");
    disk(0, "sdb", "TOSHIBA HDWG460", "sata", "yes");
    put("vdev_class", "data");
    return ask;
}

/* ---- what comes out ----------------------------------------------------------------------------
 */

static struct profile parsed;
static char *text;

static bool make(const struct init_ask *ask) {
    struct buf out = {0};
    e = (struct err){0};
    text = NULL;
    int status = init_profile(&arena, ask, &out, &e);
    if (!status) {
        text = arena_copy(&arena, out.data, out.len);
        status = profile_parse(&arena, "init", NULL, out.data, out.len, &parsed, &e);
        for (size_t i = 0; !status && i < parsed.n_workloads; i++)
            status = profile_refuse_unbuilt("init", &parsed.workloads[i], &e);
    }
    if (status)
        printf("# %s\n", e.text);
    buf_release(&out);
    return !status;
}

static void golden(const char *name, const struct init_ask *ask) {
    const char *dir = getenv("ZHIST_TESTS");
    const char *path = arena_fmt(&arena, "%s/data/init/%s.yaml", dir ? dir : "tests", name);
    char *want = NULL;
    size_t len;
    CHECK(arena_fmt(&arena, "%s: a profile that can be run", name), make(ask));
    if (getenv("UPDATE")) {
        FILE *f = fopen(path, "w");
        if (f) {
            fputs(text ? text : "", f);
            fclose(f);
        }
    }
    if (file_read(&arena, path, 1 << 20, &want, &len, &e))
        printf("# %s\n", e.text);
    CHECK_TEXT(arena_fmt(&arena, "%s: as it was", name), text, want);
}

static const struct workload *work(const char *name) {
    for (size_t i = 0; i < parsed.n_workloads; i++)
        if (!strcmp(parsed.workloads[i].name, name))
            return &parsed.workloads[i];
    return NULL;
}

static const char *expected(size_t target_at, const char *key) {
    const struct target_spec *t = &parsed.targets[target_at];
    for (size_t i = 0; i < t->n_expect; i++)
        if (!strcmp(t->expect[i].key, key))
            return t->expect[i].value;
    return NULL;
}

static void hard_disks(void) {
    struct init_ask ask = hdd_mirror("4294967296", NULL);
    golden("hdd-mirror", &ask);
    CHECK_TEXT("a log of another kind does not make the media mixed", parsed.hardware.media, "hdd");
    CHECK_TEXT("its layout is a word of the profile", parsed.hardware.layout, "mirror");
    CHECK_TEXT("all data disks are of one model", parsed.hardware.model, "TOSHIBA HDWG460");
    CHECK("so many disks", parsed.hardware.disks == 2);
    CHECK_TEXT("a property is expected as it is", expected(0, "compression"), "lz4");
    CHECK_TEXT("a size in the words of people", expected(0, "recordsize"), "128K");
    CHECK_TEXT("the name is of a-z, 0-9 and -", parsed.name, "nas1-example-tank");
    CHECK("without O_DIRECT the cold file is twice the ARC",
          work("stream-cold") && work("stream-cold")->size.of == SIZE_ARC &&
              fabs(work("stream-cold")->size.times - 2) < 1e-9);
    CHECK("and says what that is here", strstr(text, "# here 8 GiB"));
    CHECK("and nothing asks for O_DIRECT", !work("stream-direct") && !work("random")->direct);

    ask = hdd_mirror("68719476736", NULL);
    CHECK("a large ARC", make(&ask));
    CHECK("a cold file that takes hours is proposed, not done",
          !work("stream-cold") && strstr(text, "# - name: stream-cold") &&
              strstr(text, "size: 2xARC") && strstr(text, "# here 128 GiB"));
    ask = hdd_mirror("4294967296", "standard");
    CHECK("OpenZFS 2.3", make(&ask));
    CHECK("O_DIRECT reads the disks without a file beyond the ARC",
          work("stream-direct")->direct && !work("stream-cold"));
    ask = hdd_mirror("4294967296", "disabled");
    CHECK("direct=disabled", make(&ask) && !work("stream-direct") && work("stream-cold"));
}

static void layouts(void) {
    static const char *const cases[][2] = {
        {"single", "single"},
        {"stripe of 3", "stripe"},
        {"2 x mirror of 2", "mirror"},
        {"raidz2 of 6; special mirror of 2; spare 1", "raidz2"},
        {"draid2:4d:11c:1s of 11", "draid2"},
        {"3 x raidz1 of 4; log 1", "raidz1"},
        {"mirror of 2 + raidz1 of 3", NULL},
        {"something new", NULL},
        {NULL, NULL},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct init_ask ask = begin("8589934592");
        target(&ask, "a", "/mnt/tank/a", "zfs", "4000000000000");
        dataset(0, "tank/a", "lz4", NULL);
        pool(0, cases[i][0]);
        CHECK(arena_fmt(&arena, "layout %s", cases[i][0] ? cases[i][0] : "unknown"), make(&ask));
        CHECK_TEXT("is written as", parsed.hardware.layout, cases[i][1]);
    }
}

static void others(void) {
    struct init_ask ask = begin("17179869184");
    ask.path = "/home";
    target(&ask, "home", "/home", "ext4", "900000000000");
    put("disk_count", "1");
    disk(0, "nvme0n1", "Odd [model]* \\ \"x\"", "nvme", "no");
    golden("nvme-ext4", &ask);
    CHECK_TEXT("one disk is single", parsed.hardware.layout, "single");
    CHECK_TEXT("a model is a pattern that only it fits", parsed.hardware.model,
               "Odd \\[model]\\* \\\\ \"x\"");
    CHECK("flash gets more than one thread", work("random")->jobs > 1);

    ask = begin("17179869184");
    target(&ask, "shm", "/dev/shm", "tmpfs", "8000000000");
    CHECK("memory", make(&ask));
    CHECK("in memory there is nothing to be cold",
          parsed.n_workloads == 2 && !work("random")->direct);

    ask = begin("17179869184");
    target(&ask, "nas", "/mnt/nas", "nfs4", "8000000000000");
    golden("nfs", &ask);
    CHECK("what a server has is for the user to declare", strstr(text, "# declares:"));

    ask = begin("17179869184");
    target(&ask, "x", "/x", NULL, NULL);
    ask.memory = UNKNOWN;
    golden("blind", &ask);
    CHECK("nothing known: small files", work("stream")->size.bytes <= INT64_C(64) << 20);

    ask = begin("17179869184");
    target(&ask, "x", "/x", "ext4", "100000000");
    CHECK("too little room is a failure", init_profile(&arena, &ask, &(struct buf){0}, &e) == -1);
    CHECK("of kind failed, in a sentence", e.kind == ERR_FAILED && strstr(e.text, "128 MiB"));
    ask = begin("17179869184");
    target(&ask, "x", "/x", "ext4", "400000000");
    CHECK("little room, small files", make(&ask) && work("stream")->size.bytes == INT64_C(32)
                                                                                      << 20);
}

static void names(void) {
    static const char *const cases[] = {
        "/mnt/with space",       "/mnt/a: b # c",    "/mnt/\xc3\xbc\xe6\x97\xa5",
        "/mnt/\"quoted\" 'too'", "/mnt/back\\slash", "/mnt/- [x]{y}&*!|>%@`",
        "/mnt/tab\there",        "/mnt/~",
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct init_ask ask = begin("17179869184");
        ask.path = cases[i];
        target(&ask, "yes", cases[i], "ext4", "900000000000");
        bool made = make(&ask);
        CHECK(arena_fmt(&arena, "path %zu", i), made);
        CHECK_TEXT("is read as it is", made ? parsed.targets[0].path : NULL, cases[i]);
        CHECK_TEXT("a name that looks like a boolean", made ? parsed.targets[0].name : NULL, "yes");
    }
    struct init_ask ask = begin("17179869184");
    ask.host = "\xc3\xbc\xc3\xbc.--";
    target(&ask, "\xe6\x97\xa5", "/x", "ext4", "900000000000");
    CHECK("no letter of a-z in any name", make(&ask));
    CHECK_TEXT("still has a name", parsed.name, "first");
}

static void comparison(void) {
    struct init_ask ask = begin("8589934592");
    arc("4294967296");
    target(&ask, "plain", "/mnt/tank/plain", "zfs", "4000000000000");
    target(&ask, "enc", "/mnt/tank/enc", "zfs", "4000000000000");
    for (int64_t i = 0; i < 2; i++) {
        dataset(i, i ? "tank/enc" : "tank/plain", i ? "zstd" : "lz4", "standard");
        pool(i, "mirror of 2");
    }
    ask.alike = "/mnt/tank/photos, /mnt/tank/two\nlines";
    ask.more = "/mnt/tank/last";
    golden("compare", &ask);
    CHECK("both are targets", parsed.n_targets == 2);
    CHECK_TEXT("each with its own", expected(0, "compression"), "lz4");
    CHECK_TEXT("and the other", expected(1, "compression"), "zstd");
    CHECK("they take turns", parsed.run.interleaved);
    CHECK(
        "one setting differs: a clean comparison",
        strstr(text, "one setting differs from \"plain\": compression; this comparison is clean"));
    CHECK("they differ", init_differ(&sheet, 0, 1));
    CHECK("one and itself do not", !init_differ(&sheet, 1, 1));
    CHECK("unknown is no difference", !init_differ(&sheet, 0, 7));
}

/* `on` is lz4: nobody wants to compare one with the other. */
static void on_is_lz4(void) {
    struct init_ask ask = begin("8589934592");
    target(&ask, "a", "/mnt/tank/a", "zfs", "4000000000000");
    dataset(0, "tank/a", "on", "standard");
    dataset(1, "tank/b", "lz4", "standard");
    dataset(2, "tank/c", "zstd", "disabled");
    CHECK("on and lz4 are one", !init_differ(&sheet, 0, 1));
    CHECK("on and zstd are not", init_differ(&sheet, 0, 2));
    target(&ask, "c", "/mnt/tank/c", "zfs", "4000000000000");
    targets[1].at = 2;
    CHECK("two settings", make(&ask) && strstr(text, "about: \"What do compression and direct cost?\""));
    CHECK("what compression can show here", strstr(text, "data: {compress: 2.0}"));
    CHECK("in each workload but the cold one",
          parsed.workloads[0].data.compress > 1 &&
              parsed.workloads[parsed.n_workloads - 1].data.compress > 1);
    dataset(3, "tank/d", "on", "disabled");
    targets[1].at = 3;
    CHECK("another setting", make(&ask) && strstr(text, "about: \"What does direct cost?\""));
    CHECK("needs no word on compression", !strstr(text, "data:"));
}

/* The third differs from the first in two properties, the second in one. */
static void two_at_once(void) {
    static const char *const all[][3] = {
        {"plain", "lz4", "standard"}, {"gzip", "gzip", "standard"}, {"both", "zstd", "disabled"}};
    struct init_ask ask = begin("8589934592");
    arc("4294967296");
    for (size_t i = 0; i < LENGTH(all); i++) {
        target(&ask, all[i][0], arena_fmt(&arena, "/mnt/tank/%s", all[i][0]), "zfs",
               "4000000000000");
        dataset((int64_t)i, arena_fmt(&arena, "tank/%s", all[i][0]), all[i][1], all[i][2]);
    }
    CHECK("three targets", make(&ask) && parsed.n_targets == 3);
    CHECK("one of them is a clean comparison", strstr(text, "one setting differs from \"plain\": "
                                                            "compression; this comparison"));
    CHECK("the other is warned of: two settings differ at once",
          strstr(text, "2 settings differ from \"plain\" at once: compression, direct;"));

    struct init_target first = targets[0];
    targets[0] = targets[2]; /* the one that differs most from all others */
    targets[2] = first;
    init_base_first(&ask);
    CHECK_TEXT("the base is what most others differ from in one setting", ask.targets[0].name,
               "gzip");
    CHECK_TEXT("the others keep their order", ask.targets[1].name, "both");
    CHECK_TEXT("to the last", ask.targets[2].name, "plain");
}

static void from_shipped(void) {
    static const char *const shipped[] = {"nightly", "n300-mirror", "quick", "ssd-filesets"};
    for (size_t i = 0; i < LENGTH(shipped); i++) {
        const struct embedded *file = embedded_find("profiles", shipped[i], ".yaml");
        struct profile from;
        struct init_ask ask = hdd_mirror("4294967296", NULL);
        if (!CHECK(shipped[i], file && !profile_parse(&arena, shipped[i], NULL, file->text,
                                                      file->len, &from, &e)))
            continue;
        ask.from = &from;
        ask.from_name = shipped[i];
        CHECK("with its workloads", make(&ask) && parsed.n_workloads == from.n_workloads);
        for (size_t k = 0; k < from.n_workloads; k++)
            CHECK_TEXT("each the same", parsed.workloads[k].digest, from.workloads[k].digest);
        CHECK("and its run", parsed.run.iterations_max == from.run.iterations_max);
        CHECK("on this hardware",
              parsed.n_targets == 1 && !strcmp(parsed.targets[0].path, "/mnt/tank/a") &&
                  parsed.hardware.disks == 2 && isnan(parsed.hardware.disk_throughput));
    }
    static const char own[] =
        "\xef\xbb\xbfzhist: 1\nname: mine\n# of the targets\ntargets:\n- {name: old, path: /old}\n"
        "# of the work\nworkloads:\n# inside\n- {name: w, kind: file, size: 1MiB, phases: "
        "[write]}\n"
        "require:\n- {workload: w, target: old, phase: write, metric: throughput, at_least: "
        "1MB/s}\n";
    struct profile from;
    struct init_ask ask = hdd_mirror("4294967296", NULL);
    CHECK("one's own", !profile_parse(&arena, "own", NULL, own, sizeof own - 1, &from, &e));
    ask.from = &from;
    ask.from_name = "own.yaml";
    CHECK("is taken over", make(&ask));
    CHECK("what needs its targets is not", parsed.n_requires == 0);
    CHECK("comments stay with what they are about",
          strstr(text, "# of the work\nworkloads:\n# inside\n") &&
              !strstr(text, "# of the targets"));
}

/* ---- siblings ----------------------------------------------------------------------------------
 */

static void siblings(void) {
    const char *root = tree_make(&arena), **paths;
    tree_put(&arena, root, "/proc/self/mountinfo",
             "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
             "21 20 0:40 / /mnt/tank rw - zfs tank rw\n"
             "22 21 0:41 / /mnt/tank/plain rw - zfs tank/plain rw\n"
             "23 21 0:42 / /mnt/tank/enc rw - zfs tank/enc rw\n"
             "24 23 0:43 / /mnt/tank/enc/below rw - zfs tank/enc/below rw\n"
             "25 20 0:44 / /mnt/tank2 rw - zfs tank2/plain rw\n"
             "26 21 0:45 / /mnt/tank/snap rw - zfs tank/plain@a rw\n"
             "27 20 0:41 /dir /srv/bind rw - zfs tank/plain rw\n"
             "28 20 0:46 / /mnt/elsewhere\\040x rw - zfs tank/other rw\n"
             "29 21 0:47 / /mnt/tank/hidden rw - zfs tank/hidden rw\n"
             "30 29 0:48 / /mnt/tank/hidden rw - tmpfs tmpfs rw\n");
    size_t n = facts_siblings_at(&arena, root, "/mnt/tank/plain", false, &paths);
    CHECK("beside a dataset, itself among them, by name: no snapshot, no bind mount, not what is "
          "mounted over",
          n == 3 && !strcmp(paths[0], "/mnt/tank/enc") && !strcmp(paths[1], "/mnt/elsewhere x") &&
              !strcmp(paths[2], "/mnt/tank/plain"));
    n = facts_siblings_at(&arena, root, "/mnt/tank", true, &paths);
    CHECK("below it: only one step", n == 3);
    n = facts_siblings_at(&arena, root, "/mnt/tank/enc", true, &paths);
    CHECK("one below", n == 1 && !strcmp(paths[0], "/mnt/tank/enc/below"));
    CHECK("a pool has none beside it",
          !facts_siblings_at(&arena, root, "/mnt/tank", false, &paths));
    CHECK("nor has ext4", !facts_siblings_at(&arena, root, "/srv", false, &paths));
    CHECK("nor a snapshot", !facts_siblings_at(&arena, root, "/mnt/tank/snap", false, &paths));
    tree_put(&arena, root, "/proc/self/mountinfo", "");
    CHECK("nor where there is no mountinfo",
          !facts_siblings_at(&arena, root, "/mnt/tank", true, &paths));
    tree_remove(root);
}

int main(void) {
    hard_disks();
    layouts();
    others();
    names();
    comparison();
    on_is_lz4();
    two_at_once();
    from_shipped();
    siblings();
    arena_release(&arena);
    return check_done();
}
