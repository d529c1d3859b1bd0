/*
 * unit_dataset.c: the dataset under a path on made-up machines with the real outputs of three
 * versions: nested, legacy and bind mounts, snapshots, zvols, names with spaces; JSON and text
 * alike; what zfs does not say stays unknown. Every native property has its class.
 */
#include "../src/facts/probe.h"
#include "check.h"
#include "tree.h"

static struct arena arena;
static struct fact_sheet sheet;
static const char *root;

static const char *fixture(const char *name) {
    const char *dir = getenv("ZHIST_TESTS");
    struct err e;
    char *content;
    size_t len;
    if (!file_read(&arena, arena_fmt(&arena, "%s/data/zfs/%s", dir ? dir : "tests", name), 1 << 20,
                   &content, &len, &e))
        return content;
    printf("# %s\n", e.text);
    return "";
}

static const char *const paths[] = {
    "/mnt/tank/enc/a/b",
    "/mnt/tank/plain/.zfs/snapshot/snap1",
    "/mnt/with space",
    "/mnt/legacy/x",
    "/srv/bind",
    "/mnt/ext4/x",
    "/mnt/lvm",
    "/mnt/tank/tuned",
    "/home",
    "/mnt/tank/enc",
    "/mnt/two",
    "/mnt/lost",
    "/mnt/nosource",
    "/mnt/option",
    "/mnt/gone",
    "/mnt/utf",
};
enum target {
    ENC,
    SNAPSHOT,
    SPACE,
    LEGACY,
    BIND,
    ZVOL,
    LVM,
    TUNED,
    PLAIN_DISK,
    ENC_TOO,
    TWO,
    LOST,
    NO_SOURCE,
    OPTION,
    GONE,
    UTF,
    TARGETS
};

static void link_to(const char *path, const char *to) {
    tree_put(&arena, root, path, ""); /* its directories */
    const char *full = arena_fmt(&arena, "%s%s", root, path);
    if (remove(full) || symlink(to, full))
        printf("# %s: no link\n", path);
}

static void block(const char *name, const char *number, const char *slave) {
    const char *sys = arena_fmt(&arena, "/sys/devices/virtual/block/%s", name);
    tree_put(&arena, root, arena_fmt(&arena, "%s/dev", sys), number);
    link_to(arena_fmt(&arena, "/sys/dev/block/%s", number),
            arena_fmt(&arena, "../../devices/virtual/block/%s", name));
    link_to(arena_fmt(&arena, "/sys/class/block/%s", name),
            arena_fmt(&arena, "../../devices/virtual/block/%s", name));
    for (const char *at = slave; at && *at; at += strcspn(at, " "), at += *at == ' ') {
        const char *one = arena_copy(&arena, at, strcspn(at, " "));
        link_to(arena_fmt(&arena, "%s/slaves/%s", sys, one), arena_fmt(&arena, "../../%s", one));
    }
}

static const char text_call[] = "zfs_get_-Hp_-o_name,property,value,source_all_";

static void answer(const char *call, const char *dataset, const char *text) {
    tree_put(&arena, root, arena_fmt(&arena, "/run/%s%s.txt", call, dataset), text);
}

static void build(const char *version) {
    static const char *const datasets[] = {"tank",        "tank-enc",       "tank-tuned",
                                           "tank-vol",    "tank-clone",     "tank-plain@snap1",
                                           "tank-legacy", "tank-with_space"};
    static const struct {
        bool in_plain;
        const char *rest;
    } more[] = {
        {true, "0:50 / /mnt/tank/plain/.zfs/snapshot/snap1 ro - zfs tank/plain@snap1 ro"},
        {false, "0:51 / /mnt/legacy rw - zfs tank/legacy rw"},
        {false, "0:33 /sub /srv/bind rw - zfs tank/enc rw"},
        {false, "230:1 / /mnt/ext4 rw - ext4 /dev/zd0p1 rw"},
        {false, "253:0 / /mnt/lvm rw - ext4 /dev/mapper/v rw"},
        {false, "253:1 / /mnt/two rw - ext4 /dev/mapper/w rw"},
        {false, "230:48 / /mnt/lost rw - ext4 /dev/zd48 rw"},
        {false, "0:60 / /mnt/nosource rw - zfs  rw"},
        {false, "0:61 / /mnt/option rw - zfs -rf rw"},
        {false, "0:62 / /mnt/gone rw - zfs tank/gone rw"},
        {false, "0:63 / /mnt/utf rw - zfs tank/utf rw"},
    };
    struct buf mounts = {0};
    struct mount *m;
    size_t n;
    root = tree_make(&arena);
    const char *real = fixture(arena_fmt(&arena, "%s/proc_self_mountinfo.txt", version));
    mountinfo_parse(&arena, real, strlen(real), &m, &n);
    buf_str(&mounts, real);
    for (size_t i = 0; i < LENGTH(more); i++)
        buf_fmt(&mounts, "%zu %lld %s\n", 160 + i,
                (long long)mount_of_path(m, n, more[i].in_plain ? "/mnt/tank/plain" : "/")->id,
                more[i].rest);
    tree_put(&arena, root, "/proc/self/mountinfo", mounts.data);
    buf_release(&mounts);
    for (size_t i = 0; i < LENGTH(datasets); i++)
        answer(text_call, datasets[i],
               fixture(arena_fmt(&arena, "%s/%s%s.txt", version, text_call, datasets[i])));
    answer(text_call, "tank-utf",
           "tank/utf\ttype\tfilesystem\t-\n"
           "tank/utf\tmountpoint\t/mnt/gr\303\274n\tlocal\n"
           "tank/utf\tu:x\ta\tb\tlocal\ntank/utf\tu:y\tz\tinherited from tank\n");
    block("vda", "254:0", NULL);
    block("zd0", "230:0", NULL);
    tree_put(&arena, root, "/sys/devices/virtual/block/zd0/zd0p1/dev", "230:1");
    tree_put(&arena, root, "/sys/devices/virtual/block/zd0/zd0p1/partition", "1");
    link_to("/sys/dev/block/230:1", "../../devices/virtual/block/zd0/zd0p1");
    block("zd16", "230:16", NULL);
    block("zd48", "230:48", NULL);
    block("dm-0", "253:0", "zd16");
    block("dm-1", "253:1", "zd0 zd16");
    link_to("/dev/zvol/tank/vol", "../../zd0");
    link_to("/dev/zvol/tank/vol-part1", "../../zd0p1");
    link_to("/dev/zvol/tank/deep/er/my+vol", "../../../../zd16");
    link_to("/dev/zvol/tank/vol@snap", "../../zd32");
    link_to("/dev/zvol/tank/a", "../../zd480");
}

static void probe(void) {
    struct facts_ask ask = {paths, LENGTH(paths), "test"};
    facts_probe_at(&arena, root, &ask, &sheet);
}

static const struct factset *set(enum target t) {
    return facts_find(&sheet, "dataset", (int64_t)t);
}

static const char *value(enum target t, const char *key) {
    return fact_value(set(t), key);
}

static const char *source(enum target t, const char *key) {
    const struct fact *f = fact_find(set(t), key);
    return f ? f->source : NULL;
}

static bool unknown(enum target t, const char *key, const char *why) {
    const struct fact *f = fact_find(set(t), key);
    if (f && !f->value && strstr(f->source, why))
        return true;
    printf("# %s: %s (%s)\n", key, f && f->value ? f->value : "-", f ? f->source : "no fact");
    return false;
}

static void names(void) {
    CHECK_TEXT("a directory in a dataset", value(ENC, "name"), "tank/enc");
    CHECK_TEXT("its property, set here", value(ENC, "compression"), "lz4");
    CHECK_TEXT("its source", source(ENC, "compression"), "local");
    CHECK_TEXT("inherited", source(ENC, "mountpoint"), "inherited from tank");
    CHECK_TEXT("encryption", value(ENC, "encryption"), "aes-256-gcm");
    CHECK("all 20 digits of its guid", value(ENC, "guid") && strlen(value(ENC, "guid")) >= 18 &&
                                           strcmp(value(ENC, "guid"), "9223372036854775807"));
    CHECK_TEXT("a snapshot", value(SNAPSHOT, "name"), "tank/plain@snap1");
    CHECK_TEXT("is one", value(SNAPSHOT, "type"), "snapshot");
    CHECK_TEXT("a name with a space", value(SPACE, "name"), "tank/with space");
    CHECK_TEXT("is asked for as it is", value(SPACE, "type"), "filesystem");
    CHECK_TEXT("a legacy mount", value(LEGACY, "name"), "tank/legacy");
    CHECK_TEXT("says so", value(LEGACY, "mountpoint"), "legacy");
    CHECK_TEXT("a bind mount", value(BIND, "name"), "tank/enc");
    CHECK_TEXT("a file system on a zvol", value(ZVOL, "name"), "tank/vol");
    CHECK_TEXT("has the zvol's properties", value(ZVOL, "type"), "volume");
    CHECK("its size", value(ZVOL, "volsize") && value(ZVOL, "volblocksize"));
    CHECK_TEXT("through LVM, with a space", value(LVM, "name"), "tank/deep/er/my vol");
    CHECK("nobody answers for it", unknown(LVM, "type", "zfs: not installed"));
    CHECK("two targets, the same facts",
          set(ENC) && set(ENC_TOO) && !strcmp(set(ENC)->digest, set(ENC_TOO)->digest));
    CHECK("no dataset, no set", !set(PLAIN_DISK));
    CHECK("two zvols",
          unknown(TWO, "name", "more than one zvol") && unknown(TWO, "type", "more than one zvol"));
    CHECK("a zvol without a link", unknown(LOST, "name", "no link to zd48"));
    CHECK("a mount without a source", unknown(NO_SOURCE, "name", "no source"));
    CHECK_TEXT("a name like an option", value(OPTION, "name"), "-rf");
    CHECK("is never asked for", unknown(OPTION, "guid", "option"));
    CHECK_TEXT("a dataset that is gone keeps its name", value(GONE, "name"), "tank/gone");
    CHECK("the rest is unknown",
          unknown(GONE, "recordsize", "zfs:") && unknown(GONE, "guid", "zfs:"));
    CHECK_TEXT("any letters", value(UTF, "mountpoint"), "/mnt/gr\303\274n");
    CHECK_TEXT("a tab is shown as one", value(UTF, "u:x"), "a\\011b");
}

static bool judged(void) {
    bool all = true;
    for (size_t i = 0; i < sheet.n_sets; i++)
        for (size_t k = 0; k < sheet.sets[i].n_facts; k++) {
            const char *key = sheet.sets[i].facts[k].key;
            if (strcmp(sheet.sets[i].kind, "dataset") || strchr(key, ':') ||
                fact_class_known("dataset", key))
                continue;
            printf("# not judged: dataset.%s\n", key);
            all = false;
        }
    return all;
}

static enum fact_class class_of(enum target t, const char *key) {
    const struct fact *f = fact_find(set(t), key);
    return f ? f->class : FACT_NAME;
}

/* The text of a dataset with one value changed, as an hour later. */
static void later(const char *dataset, const char *from, const char *to) {
    const char *path = arena_fmt(&arena, "%s/run/%s%s.txt", root, text_call, dataset), *at;
    struct err e;
    char *text;
    size_t len;
    if (file_read(&arena, path, 1 << 20, &text, &len, &e) || !(at = strstr(text, from))) {
        printf("# no '%s' in %s\n", from, path);
        return;
    }
    answer(text_call, dataset,
           arena_fmt(&arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)));
}

static void versions(void) {
    static const char *const all[] = {"2.1.11", "2.3.9", "2.4.4"};
    for (size_t v = 0; v < LENGTH(all); v++) {
        build(all[v]);
        probe();
        printf("# %s\n", all[v]);
        names();
        CHECK("every native property has its class in the table", judged());
        CHECK("no limit is none in each release",
              !strcmp(fact_value(set(TUNED), "snapshot_limit"), "none") &&
                  !strcmp(fact_value(set(TUNED), "filesystem_limit"), "none") &&
                  !strcmp(fact_value(set(TUNED), "snapshot_count"), "none"));
        CHECK("of the users' own what was set here is a setting",
              class_of(UTF, "u:x") == FACT_SETTING && class_of(UTF, "u:y") == FACT_STATE);
        char was[DIGEST_TEXT];
        memcpy(was, set(TUNED)->digest, sizeof was);
        later("tank-tuned", "tank/tuned\tused\t", "tank/tuned\tused\t9");
        later("tank-tuned", "tank/tuned\tavailable\t", "tank/tuned\tavailable\t9");
        later("tank-tuned", "tank/tuned\tcompressratio\t", "tank/tuned\tcompressratio\t9");
        later("tank-tuned", "tank/tuned\twritten\t", "tank/tuned\twritten\t9");
        probe();
        CHECK_TEXT("what fills up moves no digest", set(TUNED)->digest, was);
        later("tank-tuned", "tank/tuned\tatime\t", "tank/tuned\tatime\tx");
        probe();
        CHECK("a setting does", strcmp(set(TUNED)->digest, was));
        tree_remove(root);
    }
}

/* ---- JSON and text --------------------------------------------------------------------------- */

static const char json_head[] = "{\"output_version\":{\"command\":\"zfs get\",\"vers_major\":0,"
                                "\"vers_minor\":1},\"datasets\":{\"tank/enc\":{\"properties\":{";

/* JSON of -j -p from the text form: every value a text, as zfs writes it. */
static const char *as_json(const char *text) {
    struct buf b = {0};
    buf_str(&b, json_head);
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1) {
        char field[4][256] = {{0}};
        sscanf(at, "%255[^\t]\t%255[^\t]\t%255[^\t]\t%255[^\n]", field[0], field[1], field[2],
               field[3]);
        const char *type = !strcmp(field[3], "-")         ? "NONE"
                           : !strcmp(field[3], "default") ? "DEFAULT"
                           : !strcmp(field[3], "local")   ? "LOCAL"
                                                          : "INHERITED";
        buf_fmt(&b, "%s\"%s\":{\"value\":\"%s\",\"source\":{\"type\":\"%s\",\"data\":\"%s\"}}",
                at == text ? "" : ",", field[1], field[2], type,
                *type == 'I' ? field[3] + strlen("inherited from ") : "-");
    }
    buf_str(&b, "}}}}\n");
    const char *all = arena_str(&arena, b.data);
    buf_release(&b);
    return all;
}

static void forms(void) {
    static const char call[] = "zfs_get_-j_-p_all_";
    build("2.3.9");
    probe();
    const char *text = arena_str(&arena, set(ENC)->digest);
    const char *enc = fixture(arena_fmt(&arena, "2.3.9/%stank-enc.txt", text_call));
    tree_put(&arena, root, "/run/zfs_version_-j.txt", fixture("2.3.9/zfs_version_-j.txt"));
    answer(call, "tank-enc", as_json(enc));
    answer(text_call, "tank-enc", "not to be asked\n");
    probe();
    CHECK_TEXT("JSON gives the facts of the text", set(ENC)->digest, text);
    CHECK_TEXT("and their sources", source(ENC, "atime"), "inherited from tank");
    answer(text_call, "tank-enc", enc);
    answer(call, "tank-enc",
           arena_fmt(&arena, "%s\"mountpoint\":{\"value\":\"/mnt/gr\n", json_head));
    probe();
    CHECK_TEXT("half a JSON (a value that is not ASCII): the text", set(ENC)->digest, text);
    answer(call, "tank-enc", "{\"output_version\":{\"vers_major\":1,\"vers_minor\":0}}");
    probe();
    CHECK_TEXT("JSON of another version: the text", set(ENC)->digest, text);
    tree_put(&arena, root, "/run/zfs_version_-j.txt",
             "{\"output_version\":{\"vers_major\":1,\"vers_minor\":0}}");
    answer(call, "tank-enc", as_json("tank/enc\ttype\twrong\t-\n"));
    probe();
    CHECK_TEXT("which a program of that version is not even asked for", set(ENC)->digest, text);

    static const char *const bad[][2] = {
        {"tank/enc\ttype\tfilesystem\t-\ntank/enc\tused\t12", "line 2 ends"},
        {"tank/enc\ttype\tfilesystem\t-\ntank/enc\tused\t12\tgeerbt von x\n", "line 2 is not"},
        {"type\tfilesystem\t-\n", "line 1 is not"},
        {"NAME PROPERTY VALUE SOURCE\n", "line 1 is not"},
        {"", "nothing of this dataset"},
        {"tank\ttype\tfilesystem\t-\n", "nothing of this dataset"}};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        answer(text_call, "tank-enc", bad[i][0]);
        probe();
        CHECK("an odd answer is none, its name stays",
              unknown(ENC, "type", bad[i][1]) && unknown(ENC, "guid", bad[i][1]) &&
                  !fact_find(set(ENC), "used") && !strcmp(value(ENC, "name"), "tank/enc"));
    }
    tree_remove(root);
}

/* In a container: a mount table without a root, no zfs, no /dev/zvol. */
static void container(void) {
    root = tree_make(&arena);
    tree_put(&arena, root, "/proc/self/mountinfo",
             "61 24 0:51 /data /data rw - zfs tank/apps/db rw\n"
             "63 24 230:0 / /mnt/ext4 rw - ext4 /dev/zd0 rw\n");
    static const char *const inside[] = {"/data/x", "/mnt/ext4", "/else"};
    struct facts_ask ask = {inside, LENGTH(inside), "test"};
    block("zd0", "230:0", NULL);
    facts_probe_at(&arena, root, &ask, &sheet);
    CHECK_TEXT("the mount says the name", value(0, "name"), "tank/apps/db");
    CHECK("there is no zfs to ask", unknown(0, "recordsize", "zfs: not installed"));
    CHECK("no links of zvols", unknown(1, "name", "no link to zd0"));
    CHECK("no mount, no set", !set(2));
    tree_remove(root);
}

/* Many zvols: only their links are read. */
static void crowd(void) {
    const char *why = NULL;
    struct probe p;
    root = tree_make(&arena);
    for (int i = 0; i < 10000; i += i < 100 ? 1 : 97) /* a hundred and some more */
        link_to(arena_fmt(&arena, "/dev/zvol/p/%d/v%d", i % 10, i),
                arena_fmt(&arena, "../../../zd%d", 16 * i));
    struct facts_ask ask = {NULL, 0, "test"};
    probe_open(&p, &arena, root, &ask, &sheet);
    CHECK_TEXT("one of many", zvol_dataset(&p, "zd160", &why), "p/0/v10");
    link_to("/dev/zvol/p/old", "../../zd160");
    CHECK("two names for one device", !zvol_dataset(&p, "zd160", &why) && strstr(why, "two links"));
    char deep[600] = "/dev/zvol";
    for (int i = 0; i < 200; i++)
        memcpy(deep + strlen(deep), "/d", 3);
    link_to(arena_fmt(&arena, "%s/v", deep), "../zd5");
    CHECK("deeper than ZFS nests is not looked at", !zvol_dataset(&p, "zd5", &why));
    tree_remove(root);
}

int main(void) {
    versions();
    forms();
    container();
    crowd();
    arena_release(&arena);
    return check_done();
}
