/*
 * unit_module.c: kstats of several versions and eras, and the module probe on made-up machines that
 * have the parameters of real ones.
 */
#include "../src/facts/probe.h"
#include "check.h"
#include "tree.h"
#include "zhist/unit.h"
#include "zhist/zfs.h"

static struct arena arena;

static const char *data(const char *version, const char *name) {
    const char *dir = getenv("ZHIST_TESTS");
    const char *path = arena_fmt(&arena, "%s/data/zfs/%s/%s", dir ? dir : "tests", version, name);
    struct err e = {0};
    char *text;
    size_t len;
    return file_read(&arena, path, 1 << 20, &text, &len, &e) ? NULL : text;
}

static struct kstat kstat(const char *text) {
    struct kstat k;
    struct err e = {0};
    if (!text || kstat_from_text(&arena, text, strlen(text), &k, &e)) {
        printf("# %s\n", text ? e.text : "no file");
        return (struct kstat){.type = -1};
    }
    return k;
}

static bool refused(const char *text, const char *why) {
    struct kstat k;
    struct err e = {0};
    return kstat_from_text(&arena, text, strlen(text), &k, &e) == -1 && strstr(e.text, why);
}

static void kstats(void) {
    struct kstat k = kstat(data("2.3.9", "proc_spl_kstat_zfs_arcstats.txt"));
    CHECK("named", k.type == KSTAT_NAMED && k.n_columns == 2);
    CHECK("a number", kstat_number(&k, "c_max") == INT64_C(5146189824));
    CHECK("a row that is not there", kstat_number(&k, "c_maximum") == UNKNOWN);
    CHECK("a column that is not there", !kstat_value(&k, "c_max", "byteswap"));
    k = kstat(data("2.1.11", "proc_spl_kstat_zfs_arcstats.txt"));
    CHECK("2.1 too", kstat_number(&k, "c_max") > 0 && kstat_number(&k, "size") > 0);
    k = kstat(data("2.4.4", "proc_spl_kstat_zfs_tank_objset_tank-enc.txt"));
    CHECK_TEXT("a text", kstat_value(&k, "dataset_name", "data"), "tank/enc");
    CHECK_TEXT("its type", kstat_value(&k, "dataset_name", "type"), "7");
    CHECK("a text is no number", kstat_number(&k, "dataset_name") == UNKNOWN);
    k = kstat(data("2.3.9", "proc_spl_kstat_zfs_tank_iostats.txt"));
    CHECK("bytes past the cache", kstat_number(&k, "direct_read_bytes") >= 0);
    k = kstat(data("2.4.4", "proc_spl_kstat_zfs_fletcher_4_bench.txt"));
    CHECK("raw: columns behind the names", k.type == KSTAT_RAW && k.n_columns == 2);
    CHECK_TEXT("a cell", kstat_value(&k, "superscalar", "byteswap"), "2050917149");
    CHECK_TEXT("the fastest", kstat_value(&k, "fastest", "native"), "scalar");
    k = kstat(data("2.3.9", "proc_spl_kstat_zfs_vdev_raidz_bench.txt"));
    CHECK_TEXT("the last column", kstat_value(&k, "fastest", "rec_pqr"), "scalar");
    k = kstat(data("2.3.9", "proc_spl_kstat_zfs_chksum_bench.txt"));
    CHECK_TEXT("sizes as columns", kstat_value(&k, "blake3-sse2", "16m"), "93");

    k = kstat("6 1 0x01 91 4368 5 9\nname type data\nc_max 4 18446744073709551615\n"
              "dataset_name 7  tank/with two  spaces \nhalf 4\n\nlast 4 7");
    CHECK("more than a number can hold is unknown", kstat_number(&k, "c_max") == UNKNOWN);
    CHECK_TEXT("but its digits are there", kstat_value(&k, "c_max", "data"),
               "18446744073709551615");
    CHECK_TEXT("a text with spaces", kstat_value(&k, "dataset_name", "data"),
               "tank/with two  spaces");
    CHECK("half a line is left out", !kstat_value(&k, "half", "type") && k.n_rows == 3);
    CHECK("the last line needs no end", kstat_number(&k, "last") == 7);
    k = kstat("2 3 0x00 1 80 5 9\nnread nwritten\n100 200\n");
    CHECK_TEXT("of type I/O: one row without a name", kstat_value(&k, "", "nwritten"), "200");
    k = kstat("0 0 0x01 -1 0 5 9\nimplementation a b\nx 1 2 3 4\ny 1\nz\n");
    CHECK_TEXT("more cells than columns", kstat_value(&k, "x", "b"), "2");
    CHECK("fewer", !kstat_value(&k, "y", "b") && kstat_value(&k, "y", "a"));
    CHECK("none", k.n_rows == 2);
    k = kstat("0 0 0x01 -1 0 5 9\n");
    CHECK("a head alone is an empty table", k.type == KSTAT_RAW && !k.n_rows);
    CHECK("empty", refused("", "empty"));
    CHECK("no head", refused("kfpu_allowed 1\n", "head") && refused("1 2 3\n", "head") &&
                         refused("1 9 0x01 1 2 3 4\n", "head") &&
                         refused("1 1 01 1 2 3 4\n", "head") && refused("\n\n", "head"));

    const char *shared = getenv("ZHIST_SHARED");
    const char *path =
        arena_fmt(&arena, "%s/samples/arcstats-kstat-0.6.5.txt", shared ? shared : "../shared");
    struct err e = {0};
    char *text;
    size_t len;
    if (file_read(&arena, path, 1 << 20, &text, &len, &e)) {
        SKIP("arcstats of 0.6.5", e.text);
        return;
    }
    k = kstat(text);
    CHECK("arcstats of 0.6.5", k.type == KSTAT_NAMED &&
                                   kstat_number(&k, "c_max") == INT64_C(8367976448) &&
                                   kstat_number(&k, "size") == INT64_C(1603939792));
}

/* The files of a real machine; `name:value` lines become parameters. */
static const char *machine(const char *version) {
    const char *root = tree_make(&arena);
    const char *text = data(version, "sys_module_zfs_parameters.txt");
    for (const char *line = text; line && *line;) {
        size_t len = strcspn(line, "\n"), name = strcspn(line, ":");
        tree_put(&arena, root,
                 arena_fmt(&arena, "/sys/module/zfs/parameters/%.*s", (int)name, line),
                 arena_fmt(&arena, "%.*s\n", (int)(len - name - 1), line + name + 1));
        line += len + (line[len] == '\n');
    }
    tree_put(&arena, root, "/sys/module/zfs/version", data(version, "sys_module_zfs_version.txt"));
    static const char *const stats[] = {"arcstats", "fletcher_4_bench", "vdev_raidz_bench",
                                        "chksum_bench"};
    for (size_t i = 0; i < LENGTH(stats); i++) {
        text = data(version, arena_fmt(&arena, "proc_spl_kstat_zfs_%s.txt", stats[i]));
        if (text)
            tree_put(&arena, root, arena_fmt(&arena, "/proc/spl/kstat/zfs/%s", stats[i]), text);
    }
    return root;
}

static const struct fact_sheet *sheet_of(const char *root) {
    static const struct facts_ask ask = {NULL, 0, "1.2.3"};
    struct fact_sheet *sheet = arena_new(&arena, struct fact_sheet, 1);
    facts_probe_at(&arena, root, &ask, sheet);
    return sheet;
}

static const struct factset *module_of(const char *root) {
    return facts_find(sheet_of(root), "module", UNKNOWN);
}

static bool says(const struct factset *set, const char *key, const char *why) {
    const struct fact *f = fact_find(set, key);
    bool ok = f && !f->value && strstr(f->source, why);
    if (!ok)
        printf("# %s: value %s, source %s\n", key, f && f->value ? f->value : "(null)",
               f ? f->source : "(no fact)");
    return ok;
}

/* Every line of the fixture is a fact with that value, but for the lists. */
static bool all_there(const char *version, const struct factset *set) {
    const char *text = data(version, "sys_module_zfs_parameters.txt");
    size_t all = 0, same = 0, lists = 0;
    for (const char *line = text; line && *line; all++) {
        size_t len = strcspn(line, "\n"), name = strcspn(line, ":"), end = len;
        while (end > name && line[end - 1] == ' ')
            end--;
        const char *value = arena_copy(&arena, line + name + 1, end - name - 1);
        const char *got = fact_value(set, arena_copy(&arena, line, name));
        bool list = strchr(value, '[');
        lists += list;
        same += got && (list ? !strcmp(got, "fastest") : !strcmp(got, value));
        line += len + (line[len] == '\n');
    }
    printf("# %s: %zu parameters, %zu of them lists\n", version, all, lists);
    return all > 300 && same == all && lists >= 1;
}

static void versions(void) {
    static const char *const all[] = {"2.1.11", "2.3.9", "2.4.4"};
    for (size_t i = 0; i < LENGTH(all); i++) {
        const char *root = machine(all[i]);
        const struct factset *set = module_of(root), *again = module_of(root);
        int64_t limit;
        CHECK(arena_fmt(&arena, "%s: every parameter", all[i]), all_there(all[i], set));
        CHECK_TEXT("chosen", fact_value(set, "zfs_vdev_raidz_impl"), "fastest");
        CHECK_TEXT("offered", fact_value(set, "zfs_vdev_raidz_impl.offered"),
                   "cycle fastest original scalar sse2 ssse3 avx2");
        CHECK("the ARC's limit in effect, whatever zfs_arc_max says",
              fact_value(set, "arc_c_max") && strlen(fact_value(set, "arc_c_max")) == 10 &&
                  !strcmp(fact_value(set, "zfs_arc_max"), "0"));
        CHECK("the same limit for a profile's 2xARC",
              fact_value(set, "arc_c_max") &&
                  !unit_read_count(fact_value(set, "arc_c_max"), &limit) &&
                  facts_arc_at(root) == limit);
        CHECK("its target and size", fact_value(set, "arc_c") && fact_value(set, "arc_c_min") &&
                                         fact_value(set, "arc_size"));
        CHECK("fletcher by row", fact_value(set, "bench.fletcher_4.avx2") &&
                                     strstr(fact_value(set, "bench.fletcher_4.avx2"), "native="));
        CHECK("raidz by row", fact_value(set, "bench.raidz.fastest") &&
                                  strstr(fact_value(set, "bench.raidz.fastest"), " rec_pqr="));
        CHECK("twice the same digest", !strcmp(set->digest, again->digest));
        tree_put(&arena, root, "/proc/spl/kstat/zfs/arcstats",
                 "6 1 0x01 1 2 3 4\nname type data\nsize 4 17\nc_max 4 99\n");
        tree_put(&arena, root, "/sys/module/zfs/parameters/zfs_livelist_condense_sync_cancel",
                 "5\n");
        set = module_of(root);
        CHECK_TEXT("the ARC breathes", fact_value(set, "arc_size"), "17");
        CHECK_TEXT("and is not digested, nor are counters", set->digest, again->digest);
        CHECK("a row that is missing", says(set, "arc_c_min", "arcstats: no c_min"));
        tree_put(&arena, root, "/sys/module/zfs/parameters/zfs_txg_timeout", "30\n");
        CHECK("a parameter is", strcmp(module_of(root)->digest, again->digest) != 0);
        tree_remove(root);
    }
}

static void odd(void) {
    const char *root = machine("2.3.9");
    const struct factset *set = module_of(root);
    CHECK("a benchmark is not started by looking at it", says(set, "bench.checksum", "not read"));
    tree_put(&arena, root, "/sys/module/icp/parameters/icp_aes_impl", "cycle fastest [aesni] \n");
    tree_put(&arena, root, "/sys/module/zcommon/parameters/zfs_fletcher_4_impl",
             "[avx512bw] scalar\n");
    tree_put(&arena, root, "/sys/module/spl/parameters/spl_hostid", "0\n");
    tree_put(&arena, root, "/sys/module/spl/parameters/spl_taskq_kick", "");
    tree_put(&arena, root, "/proc/spl/kstat/zfs/fletcher_4_bench", "no kstat at all\n");
    set = module_of(root);
    CHECK_TEXT("icp's own", fact_value(set, "icp_aes_impl"), "aesni");
    CHECK_TEXT("the last is chosen", fact_value(set, "icp_aes_impl.offered"),
               "cycle fastest aesni");
    CHECK_TEXT("zcommon's", fact_value(set, "zfs_fletcher_4_impl"), "avx512bw");
    CHECK_TEXT("spl's", fact_value(set, "spl_hostid"), "0");
    CHECK_TEXT("an empty one is empty, not unknown", fact_value(set, "spl_taskq_kick"), "");
    CHECK("a broken kstat", says(set, "bench.fletcher_4", "not the head of a kstat"));
    const struct fact *f = fact_find(set, "icp_aes_impl");
    CHECK_TEXT("the source is the file", f ? f->source : NULL,
               "/sys/module/icp/parameters/icp_aes_impl");
    static const char *const no_lists[] = {"[a] [b]", "a[b]", "[]", "[ a ]", "x [y z]"};
    size_t kept = 0;
    for (size_t i = 0; i < LENGTH(no_lists); i++) {
        tree_put(&arena, root, "/sys/module/zfs/parameters/zfs_odd", no_lists[i]);
        set = module_of(root);
        kept += fact_value(set, "zfs_odd") && !strcmp(fact_value(set, "zfs_odd"), no_lists[i]) &&
                !fact_find(set, "zfs_odd.offered");
    }
    CHECK("other brackets stay as they are", kept == LENGTH(no_lists));
    if (geteuid()) {
        chmod(arena_fmt(&arena, "%s/sys/module/zfs/parameters/zfs_arc_max", root), 0);
        CHECK("one that may not be read", says(module_of(root), "zfs_arc_max", "denied"));
    } else {
        SKIP("one that may not be read", "root reads everything");
    }
    tree_remove(root);

    root = tree_make(&arena);
    tree_put(&arena, root, "/sys/module/zfs/version", "0.6.5.11-1\n");
    set = module_of(root);
    CHECK("no kstats, no ARC known", facts_arc_at(root) == UNKNOWN);
    CHECK("no kstats at all", says(set, "arc_c_max", "/proc/spl/kstat/zfs/arcstats: No such") &&
                                  says(set, "bench.raidz", "vdev_raidz_bench: No such"));
    tree_remove(root);
    root = tree_make(&arena);
    tree_put(&arena, root, "/proc/uptime", "1 1\n");
    const struct fact_sheet *sheet = sheet_of(root);
    CHECK("no module, no ARC", facts_arc_at(root) == UNKNOWN);
    CHECK("no module, no set", !facts_find(sheet, "module", UNKNOWN));
    CHECK("and the system set says why",
          says(facts_find(sheet, "system", UNKNOWN), "zfs_module", "/sys/module/zfs/version: No"));
    tree_remove(root);
}

static void classes(void) {
    CHECK_TEXT("parameters follow the module", fact_leader("module", "zfs_txg_timeout"),
               "system.zfs_module");
    CHECK_TEXT("the module follows the package", fact_leader("system", "zfs_module"), "system.zfs");
    CHECK_TEXT("shares of memory follow the kernel", fact_leader("module", "zfs_dirty_data_max"),
               "system.kernel");
    CHECK_TEXT("but a percentage does not", fact_leader("module", "zfs_dirty_data_max_percent"),
               "system.zfs_module");
    CHECK_TEXT("so does what is offered", fact_leader("module", "icp_gcm_impl.offered"),
               "system.kernel");
    CHECK("benchmarks are state", fact_class_of("module", "bench.raidz.avx2") == FACT_STATE);
    CHECK("so is the ARC", fact_class_of("module", "arc_c_max") == FACT_STATE);
    CHECK("zfs_arc_max is not", fact_class_of("module", "zfs_arc_max") == FACT_CONSEQUENCE);
}

int main(void) {
    kstats();
    versions();
    odd();
    classes();
    arena_release(&arena);
    return check_done();
}
