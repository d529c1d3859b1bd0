/*
 * unit_probe_pools.c: the page of `probe` from what real zpool and zfs printed, read by the probes
 * in made-up trees: a degraded raidz2 under a scrub, a pool with special, log, cache and spare
 * vdevs, memory, and what --mask leaves of them. Goldens in data/probe, UPDATE=1 writes them.
 */
#include "../src/cli/probe_view.h"
#include "../src/facts/probe.h"
#include "check.h"
#include "tree.h"
#include "zhist/json.h"
#include "zhist/unit.h"

static struct arena arena;
static const char *root;

static const char *data(const char *name) {
    const char *dir = getenv("ZHIST_TESTS");
    struct err e = {0};
    char *text;
    size_t len;
    if (!file_read(&arena, arena_fmt(&arena, "%s/data/%s", dir ? dir : "tests", name), 1 << 20,
                   &text, &len, &e))
        return text;
    printf("# %s\n", e.text);
    return "";
}

static const char *replaced(const char *text, const char *old, const char *new) {
    struct buf b = {0};
    for (const char *at; (at = strstr(text, old)); text = at + strlen(old)) {
        buf_put(&b, text, (size_t)(at - text));
        buf_str(&b, new);
    }
    buf_str(&b, text);
    const char *result = arena_str(&arena, b.data);
    buf_release(&b);
    return result;
}

/* What zpool status printed of the first pool alone, with a scan line. */
static const char *first_pool(const char *name, const char *scan) {
    const char *text = data(name), *next = strstr(text + 1, "\n  pool:");
    text = next ? arena_copy(&arena, text, (size_t)(next - text)) : text;
    return replaced(text, "config:\n", arena_fmt(&arena, "%sconfig:\n", scan));
}

static void disk(int n) {
    const char *name = arena_fmt(&arena, "sd%c", 'a' + n);
    const char *at = arena_fmt(&arena, "/sys/devices/pci0/block/%s", name), *full;
    const struct {
        const char *file, *text;
    } of[] = {{"dev", arena_fmt(&arena, "8:%d\n", 16 * n)},
              {"size", "11721045168\n"},
              {"queue/rotational", "1\n"},
              {"device/model", "ST6000NE000-2KR1\n"},
              {"device/rev", "EN01\n"},
              {"device/vpd_pg80", arena_fmt(&arena, "ZR1GEHEIM%d\n", n)}};
    for (size_t i = 0; i < LENGTH(of); i++)
        tree_put(&arena, root, arena_fmt(&arena, "%s/%s", at, of[i].file), of[i].text);
    tree_put(&arena, root, arena_fmt(&arena, "%s/%s1/partition", at, name), "1\n");
    tree_put(&arena, root, arena_fmt(&arena, "%s/%s1/dev", at, name),
             arena_fmt(&arena, "8:%d\n", 16 * n + 1));
    tree_put(&arena, root, arena_fmt(&arena, "/dev/%s1", name), "");
    tree_put(&arena, root, "/sys/class/block/.made", "");
    tree_put(&arena, root, "/dev/disk/by-id/.made", "");
    const char *links[][2] = {
        {arena_fmt(&arena, "/sys/class/block/%s", name),
         arena_fmt(&arena, "../../devices/pci0/block/%s", name)},
        {arena_fmt(&arena, "/sys/class/block/%s1", name),
         arena_fmt(&arena, "../../devices/pci0/block/%s/%s1", name, name)},
        {arena_fmt(&arena, "/dev/disk/by-id/scsi-35000c50000ab000%d-part1", n),
         arena_fmt(&arena, "../../%s1", name)}};
    for (size_t i = 0; i < LENGTH(links); i++) {
        full = arena_fmt(&arena, "%s%s", root, links[i][0]);
        CHECK("a link is made", !symlink(links[i][1], full));
    }
}

static void begin(void) {
    root = path_resolve(&arena, tree_make(&arena));
    tree_put(&arena, root, "/proc/sys/kernel/osrelease", "6.12.15-production+truenas\n");
    tree_put(&arena, root, "/proc/sys/kernel/hostname", "geheim-nas\n");
    tree_put(&arena, root, "/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
    tree_put(&arena, root, "/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    tree_put(&arena, root, "/proc/self/mountinfo",
             "20 1 8:90 / / rw - ext4 /dev/sdz1 rw\n"
             "21 20 0:40 / /mnt/vault rw - zfs vault/geheim rw\n"
             "22 20 0:41 / /run/fast rw - tmpfs tmpfs rw,size=1g\n");
}

/* The dataset vault/geheim in the pool vault, which was called `from` where it was real. */
static void pool(const char *from, const char *status, const char *health) {
    static const char get[] = "/run/zfs_get_-Hp_-o_name,property,value,source_all_vault-geheim.txt";
    const char *tuned =
        data("zfs/2.3.9/zfs_get_-Hp_-o_name,property,value,source_all_tank-tuned.txt");
    const char *all = data("zfs/2.3.9/calls/plain/zpool_get_-Hp_all_tank.txt");
    tree_put(&arena, root, get,
             replaced(replaced(tuned, "tank/tuned", "vault/geheim"), "tank", "vault"));
    all = replaced(all, "health\tONLINE", arena_fmt(&arena, "health\t%s", health));
    tree_put(&arena, root, "/run/zpool_get_-Hp_all_vault.txt", replaced(all, "tank", "vault"));
    tree_put(&arena, root, "/run/zpool_status_-P_vault.txt", replaced(status, from, "vault"));
}

static struct probe_view probed(const char *path) {
    struct probe_view v = {.version = "0.0.0", .path = path};
    facts_host_at(&arena, root, &v.machine_id, &v.host);
    facts_probe_at(&arena, root,
                   &(struct facts_ask){.paths = &v.path, .n_paths = 1, .version = "0"}, &v.sheet);
    return v;
}

static void page(const char *name, struct probe_view v, int width) {
    struct buf out = {0};
    const char *dir = getenv("ZHIST_TESTS"), *file;
    file = arena_fmt(&arena, "%s/data/probe/%s.txt", dir ? dir : "tests", name);
    probe_print(&arena, &v, width, &out);
    FILE *f = getenv("UPDATE") ? fopen(file, "w") : NULL;
    if (f && (fputs(out.data, f) < 0 || fclose(f)))
        printf("# %s: not written\n", file);
    CHECK_TEXT(arena_fmt(&arena, "the page of %s", name), out.data,
               data(arena_fmt(&arena, "probe/%s.txt", name)));
    bool fits = true;
    for (const char *line = out.data; *line; line += strcspn(line, "\n"), line += *line == '\n')
        fits &= text_width(arena_copy(&arena, line, strcspn(line, "\n"))) <= width;
    CHECK(arena_fmt(&arena, "%s: no line is wider than %d", name, width), fits);
    buf_release(&out);
}

static void no_secret(const char *name, struct probe_view v) {
    static const char *const secrets[] = {"geheim",
                                          "vault",
                                          "/tmp/v",
                                          "5000c50000",
                                          "7440000363997386113",
                                          "1376789298749186342",
                                          "0123456789abcdef",
                                          "ZR1"};
    const char *digest = NULL;
    struct buf out = {0};
    struct err e = {0};
    for (size_t i = 0; i < v.sheet.n_sets; i++)
        if (!strcmp(v.sheet.sets[i].kind, "disk"))
            digest = fact_value(&v.sheet.sets[i], "serial_digest");
    probe_mask(&arena, &v);
    probe_json(&v, &out);
    CHECK(arena_fmt(&arena, "%s, masked: JSON", name), json_read(&arena, out.data, out.len, &e));
    probe_print(&arena, &v, 100, &out);
    for (size_t i = 0; i < LENGTH(secrets); i++)
        CHECK(arena_fmt(&arena, "%s, masked: no %s", name, secrets[i]),
              !strstr(out.data, secrets[i]));
    CHECK(arena_fmt(&arena, "%s, masked: no serial digest", name),
          !digest || !strstr(out.data, arena_fmt(&arena, "%.12s", digest)));
    buf_release(&out);
}

static void raidz2(void) {
    begin();
    for (int n = 2; n < 6; n++)
        disk(n);
    pool("rz2",
         first_pool("zfs/2.3.9/degraded-faulted/zpool_status_-P.txt",
                    "  scan: scrub in progress since Mon Nov 30 19:58:47 2026\n"
                    "\t1.21T / 4.02T scanned at 512M/s, 1.01T / 4.02T issued at 420M/s\n"
                    "\t0B repaired, 25.12% done, 02:04:11 to go\n"),
         "DEGRADED");
    page("raidz2-80", probed("/mnt/vault"), 80);
    no_secret("raidz2", probed("/mnt/vault"));
    tree_remove(root);
}

static void all_classes(void) {
    begin();
    pool("mix", first_pool("zfs/2.3.9/mix/zpool_status_-P.txt", ""), "ONLINE");
    page("classes-80", probed("/mnt/vault"), 80);
    no_secret("classes", probed("/mnt/vault"));
    tree_remove(root);
}

static void memory(void) {
    begin();
    page("tmpfs-80", probed("/run/fast/x"), 80);
    tree_remove(root);
}

/* User properties are called by domains, some of which are their users'. */
static void user_properties(void) {
    begin();
    struct probe_view v = probed("/run/fast");
    struct factset *set = factset_add(&arena, &v.sheet, "dataset", "", 0);
    fact_add(&arena, set, "de.annaberg:backup", "to the cellar", "local");
    fact_add(&arena, set, "com.sun:auto-snapshot", "false", "local");
    probe_mask(&arena, &v);
    set = &v.sheet.sets[v.sheet.n_sets - 1];
    CHECK_TEXT("a user's property has a word", set->facts[0].key, "user:property-1");
    CHECK_TEXT("and no value", set->facts[0].value, "hidden");
    CHECK_TEXT("a program's keeps its name", set->facts[1].key, "com.sun:auto-snapshot");
    tree_remove(root);
}

/* The kernel's command line: settings stay, names and ids go. */
static void command_line(void) {
    begin();
    tree_put(
        &arena, root, "/proc/cmdline",
        "mitigations=auto,no_guest_host rd.luks.uuid=luks-99999999-2222-4333-8444-555555555555 "
        "rd.lvm.vg=cellar zfs.zfs_arc_max=1099511627776 quiet\n");
    struct probe_view v = probed("/run/fast");
    probe_mask(&arena, &v);
    CHECK_TEXT("of the command line",
               fact_value(facts_find(&v.sheet, "system", UNKNOWN), "cmdline"),
               "mitigations=auto,no_guest_host rd.luks.uuid=hidden rd.lvm.vg=hidden "
               "zfs.zfs_arc_max=1099511627776 quiet");
    tree_remove(root);
}

int main(void) {
    raidz2();
    all_classes();
    memory();
    user_properties();
    command_line();
    arena_release(&arena);
    return check_done();
}
