/*
 * unit_facts.c: the system probe on made-up machines, classes, digests, the host, and what moved.
 */
#include "../src/facts/probe.h"
#include "check.h"

static struct arena arena;

static const char *data(const char *name) {
    const char *dir = getenv("ZHIST_TESTS");
    return arena_fmt(&arena, "%s/data/facts/%s", dir ? dir : "tests", name);
}

static const struct factset *probe(const char *box) {
    static const struct facts_ask ask = {NULL, 0, "1.2.3"};
    struct fact_sheet *sheet = arena_new(&arena, struct fact_sheet, 1);
    facts_probe_at(&arena, *box ? data(box) : "", &ask, sheet);
    return facts_find(sheet, "system", UNKNOWN);
}

static bool says(const struct factset *set, const char *key, const char *why) {
    const struct fact *f = fact_find(set, key);
    bool ok = f && !f->value && strstr(f->source, why);
    if (!ok)
        printf("# %s: value %s, source %s\n", key, f && f->value ? f->value : "(null)",
               f ? f->source : "(no fact)");
    return ok;
}

static void bare_metal(void) {
    const struct factset *set = probe("box1");
    CHECK_TEXT("zhist's version", fact_value(set, "zhist"), "1.2.3");
    CHECK_TEXT("kernel", fact_value(set, "kernel"), "6.6.44-production+truenas");
    CHECK_TEXT("os without its quotes", fact_value(set, "os"), "Debian GNU/Linux 12 (bookworm)");
    CHECK_TEXT("the first CPU's model", fact_value(set, "cpu"),
               "Intel(R) Xeon(R) E-2224 CPU @ 3.40GHz");
    CHECK_TEXT("flags that matter, as whole words", fact_value(set, "cpu_flags"),
               "aes avx avx2 movbe pclmulqdq sse2 ssse3");
    CHECK_TEXT("a list of CPUs is counted", fact_value(set, "cpus"), "4");
    CHECK_TEXT("governors, each once", fact_value(set, "governor"), "powersave performance");
    CHECK_TEXT("turbo", fact_value(set, "turbo"), "on");
    CHECK_TEXT("no hyper-threading", fact_value(set, "smt"), "off");
    CHECK_TEXT("memory installed, by blocks", fact_value(set, "memory"), "536870912");
    CHECK_TEXT("memory to the byte", fact_value(set, "mem_total"), "511705088");
    CHECK_TEXT("the chosen word", fact_value(set, "thp"), "madvise");
    CHECK_TEXT("the command line without its image", fact_value(set, "cmdline"),
               "ro quiet mitigations=off");
    CHECK_TEXT("no virtual machine, whatever vmx flags say", fact_value(set, "virtual"), "no");
    CHECK_TEXT("no container", fact_value(set, "container"), "no");
    CHECK_TEXT("product", fact_value(set, "product"), "Supermicro X11SCH-F");
    CHECK_TEXT("load", fact_value(set, "load1"), "0.05");
    CHECK_TEXT("uptime", fact_value(set, "uptime"), "86400.52");
    CHECK("what is not there says so", says(set, "vm.swappiness", "/proc/sys/vm/swappiness: No"));
    CHECK("no root in a reason", !strstr(fact_find(set, "vm.swappiness")->source, "box1"));
    CHECK("a source names the file",
          !strcmp(fact_find(set, "thp")->source, "/sys/kernel/mm/transparent_hugepage/enabled"));
    CHECK("the clock of another machine is unknown", says(set, "clock_synchronised", "kernel"));
    bool sorted = true;
    for (size_t i = 1; i < set->n_facts; i++)
        sorted &= strcmp(set->facts[i - 1].key, set->facts[i].key) < 0;
    CHECK("facts are sorted, each once", sorted);
}

static void guest(void) {
    const struct factset *set = probe("box2");
    CHECK_TEXT("a virtual machine", fact_value(set, "virtual"), "qemu");
    CHECK_TEXT("a container", fact_value(set, "container"), "lxc");
    CHECK_TEXT("os from its second place", fact_value(set, "os"), "Arch");
    CHECK_TEXT("memory to 64 MiB where there are no blocks", fact_value(set, "memory"),
               "16777216000");
    CHECK("a list that is none", says(set, "cpus", "no list"));
    CHECK("no microcode", says(set, "microcode", "no microcode"));
    CHECK("no line in meminfo", says(set, "swap", "no SwapTotal"));
    CHECK("no cpufreq", says(set, "governor", "no policy"));
    CHECK("no file", says(set, "boot_id", "No such file"));
    CHECK("two boxes, two digests", strcmp(set->digest, probe("box1")->digest) != 0);
    const struct factset *none = probe("nowhere");
    size_t known = 0;
    for (size_t i = 0; i < none->n_facts; i++)
        known += none->facts[i].value != NULL;
    CHECK("of no machine nothing is known but zhist and that no mark of a container is there",
          known == 2 && fact_value(none, "zhist") && fact_value(none, "container"));
}

static void this_machine(void) {
    const struct factset *first = probe(""), *second = probe("");
    size_t unknown = 0, all = 0, judged = 0;
    for (size_t i = 0; i < first->n_facts; i++) {
        const struct fact *f = &first->facts[i];
        all++;
        unknown += !f->value;
        judged += fact_class_known("system", f->key);
        if (!f->value && !*f->source)
            printf("# no reason: %s\n", f->key);
    }
    CHECK("every fact has its class in the table", all && judged == all);
    CHECK("most is known", unknown * 2 < all);
    CHECK_TEXT("twice the same digest", second->digest, first->digest);
    CHECK("a digest is 64 hex digits", strspn(first->digest, "0123456789abcdef") == 64);
    CHECK("memory is known", facts_memory() > 0);
    CHECK("memory of nowhere is not", facts_memory_at(data("nowhere")) == UNKNOWN);
    CHECK("memory of a box", facts_memory_at(data("box1")) == 511705088);
}

static void hosts(void) {
    const char *id, *name;
    facts_host_at(&arena, data("box1"), &id, &name);
    CHECK_TEXT("machine id", id, "0123456789abcdef0123456789abcdef");
    CHECK_TEXT("host name", name, "nas1");
    facts_host_at(&arena, data("box2"), &id, &name);
    CHECK_TEXT("an image that never booted has no id", id, "unknown-client7");
    facts_host_at(&arena, data("nowhere"), &id, &name);
    CHECK_TEXT("nothing known", id, "unknown-unknown");
    facts_host(&arena, &id, &name);
    CHECK("this one has both", id && *id && name && *name);
}

static void classes(void) {
    CHECK("a setting", fact_class_of("system", "governor") == FACT_SETTING);
    CHECK("a state", fact_class_of("system", "load1") == FACT_STATE);
    CHECK("a name", fact_class_of("mount", "source") == FACT_NAME);
    CHECK("a consequence", fact_class_of("system", "kernel") == FACT_CONSEQUENCE);
    CHECK_TEXT("follows its leader", fact_leader("system", "kernel"), "system.truenas");
    CHECK_TEXT("key format follows encryption", fact_leader("dataset", "keyformat"),
               "dataset.encryption");
    CHECK_TEXT("what statvfs calls a block is the record on ZFS", fact_leader("mount", "fs_block"),
               "dataset.recordsize");
    CHECK("a setting follows nothing", !fact_leader("system", "governor"));
    CHECK("any mount option", fact_class_of("mount", "option.commit") == FACT_SETTING);
    CHECK("but a port", fact_class_of("mount", "option.mountport") == FACT_STATE);
    CHECK("any parameter", fact_class_of("module", "zfs_arc_max") == FACT_CONSEQUENCE);
    CHECK("used", fact_class_of("dataset", "used") == FACT_STATE);
    CHECK("the digest of a serial number", fact_class_of("disk", "serial_digest") == FACT_SETTING);
    CHECK("nobody has judged it: state",
          fact_class_of("system", "new") == FACT_STATE && !fact_class_known("system", "new"));
    CHECK("a property set here: setting",
          fact_class_sourced("dataset", "org.x:y", "local") == FACT_SETTING);
    CHECK("received: setting", fact_class_sourced("dataset", "zz", "received") == FACT_SETTING);
    CHECK("elsewhere: state", fact_class_sourced("dataset", "zz", "default") == FACT_STATE &&
                                  fact_class_sourced("dataset", "zz", "-") == FACT_STATE);
    CHECK("a judged property keeps its class",
          fact_class_sourced("dataset", "guid", "local") == FACT_NAME);
    char key[600];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    CHECK("a key beyond all measure", fact_class_of("mount", key) == FACT_STATE);
}

static struct factset *set_of(struct fact_sheet *sheet, const char *kind, int64_t target) {
    return factset_add(&arena, sheet, kind, "", target);
}

static const char *digest_of(const char *kind, const char *const pairs[][2], size_t n) {
    struct fact_sheet sheet = {0};
    struct factset *set = set_of(&sheet, kind, UNKNOWN);
    for (size_t i = 0; i < n; i++)
        fact_add(&arena, set, pairs[i][0], pairs[i][1], "test");
    factset_seal(set);
    return arena_str(&arena, set->digest);
}
#define DIGEST(kind, ...)                                                                          \
    digest_of(kind, (const char *const[][2]){__VA_ARGS__},                                         \
              LENGTH(((const char *const[][2]){__VA_ARGS__})))

static void digests(void) {
    const char *one = DIGEST("system", {"cpu", "a"}, {"thp", "b"});
    CHECK_TEXT("order does not matter", DIGEST("system", {"thp", "b"}, {"cpu", "a"}), one);
    CHECK_TEXT("nor does state", DIGEST("system", {"cpu", "a"}, {"load1", "9"}, {"thp", "b"}), one);
    CHECK("a value does", strcmp(one, DIGEST("system", {"cpu", "a"}, {"thp", "c"})) != 0);
    CHECK("kind does",
          strcmp(DIGEST("mount", {"option.a", "b"}), DIGEST("disk", {"option.a", "b"})) != 0);
    CHECK("names do",
          strcmp(DIGEST("system", {"hostname", "a"}), DIGEST("system", {"hostname", "b"})) != 0);
    CHECK("unknown is not empty",
          strcmp(DIGEST("system", {"cpu", NULL}), DIGEST("system", {"cpu", ""})) != 0);
    CHECK("nor is it the mark of unknown",
          strcmp(DIGEST("system", {"cpu", NULL}), DIGEST("system", {"cpu", "!"})) != 0);
    CHECK("one value cannot look like two facts",
          strcmp(DIGEST("mount", {"option.a", "1"}, {"option.b", "2"}),
                 DIGEST("mount", {"option.a", "1\n8:option.b=1:2"})) != 0);
    CHECK("key and value cannot trade",
          strcmp(DIGEST("mount", {"option.a=b", "c"}), DIGEST("mount", {"option.a", "b=c"})) != 0);
    CHECK_TEXT("the last of two counts", DIGEST("system", {"cpu", "a"}, {"thp", "x"}, {"thp", "b"}),
               one);
    CHECK("an empty set has one too", strlen(digest_of("system", NULL, 0)) == 64);
    struct fact_sheet sheet = {0};
    struct factset *set = set_of(&sheet, "mount", 0);
    fact_add(&arena, set, "option.x",
             "a\nb\xff"
             "c\xc3\xa9\x7f",
             NULL);
    CHECK_TEXT("no control characters, valid UTF-8", fact_value(set, "option.x"),
               "a\\012b\\377c\xc3\xa9\\177");
    CHECK_TEXT("no source is an empty one", set->facts[0].source, "");
    CHECK("no set, no value", !fact_value(NULL, "x") && !facts_find(&sheet, "mount", 1));
}

static struct fact_sheet sheet_of(const char *const rows[][4], size_t n) {
    struct fact_sheet sheet = {0};
    for (size_t i = 0; i < n; i++) {
        struct factset *set = NULL;
        for (size_t k = 0; k < sheet.n_sets; k++)
            if (!strcmp(sheet.sets[k].kind, rows[i][0]) &&
                !strcmp(sheet.sets[k].subject, rows[i][1]))
                set = &sheet.sets[k];
        if (!set)
            set = factset_add(&arena, &sheet, rows[i][0], rows[i][1],
                              strcmp(rows[i][0], "mount") ? UNKNOWN : 0);
        fact_add(&arena, set, rows[i][2], rows[i][3], "test");
    }
    for (size_t i = 0; i < sheet.n_sets; i++)
        factset_seal(&sheet.sets[i]);
    return sheet;
}
#define SHEET(...)                                                                                 \
    sheet_of((const char *const[][4]){__VA_ARGS__}, LENGTH(((const char *const[][4]){__VA_ARGS__})))

static struct finding_list moves(struct fact_sheet before, struct fact_sheet after) {
    struct finding_list out = {0};
    facts_moved(&arena, &before, &after, &out);
    for (size_t i = 0; i < out.n; i++)
        printf("# %s\n", out.items[i].text);
    return out;
}

static void moved(void) {
    struct finding_list l =
        moves(SHEET({"system", "", "governor", "powersave"}, {"system", "", "load1", "1"}),
              SHEET({"system", "", "governor", "performance"}, {"system", "", "load1", "5"}));
    CHECK("a setting moved, state is no matter", l.n == 1);
    CHECK("it disturbs the whole run",
          l.n && l.items[0].severity == SEVERITY_DISTURBED && l.items[0].target == UNKNOWN &&
              l.items[0].workload == UNKNOWN && !strcmp(l.items[0].code, "moved-during-run"));
    CHECK("both values are told", l.n && strstr(l.items[0].text, "'powersave'") &&
                                      strstr(l.items[0].text, "'performance'"));
    CHECK_TEXT("and stored", l.n ? l.items[0].evidence : NULL,
               "{\"kind\":\"system\",\"subject\":\"\",\"key\":\"governor\","
               "\"before\":\"powersave\",\"after\":\"performance\"}");
    l = moves(SHEET({"system", "", "cpu", NULL}, {"system", "", "thp", "a"}),
              SHEET({"system", "", "cpu", "x"}, {"system", "", "thp", NULL}));
    CHECK("unknown proves nothing", l.n == 0);
    l = moves(SHEET({"mount", "", "fstype", "zfs"}, {"mount", "", "option.noatime", "on"}),
              SHEET({"mount", "", "fstype", "zfs"}, {"mount", "", "option.sync", "on"}));
    CHECK("options came and went, on their target",
          l.n == 2 && l.items[0].target == 0 && l.items[1].target == 0);
    l = moves(SHEET({"mount", "", "fstype", "zfs"}, {"mount", "", "option.noatime", "on"}),
              SHEET({"mount", "", "fstype", NULL}));
    CHECK("unless the options could not be read", l.n == 0);
    l = moves(SHEET({"mount", "", "source", "/dev/sda1"}),
              SHEET({"mount", "", "source", "/dev/sdb1"}));
    CHECK("a name does not move", l.n == 0);
    l = moves(SHEET({"disk", "d1", "model", "X"}, {"disk", "d1", "name", "sda"}),
              SHEET({"disk", "d2", "model", "Y"}, {"disk", "d2", "name", "sda"}));
    CHECK("a disk is gone, another came, by their names and models",
          l.n == 2 && strstr(l.items[0].text, "disk sda (X) was there at the start and is gone") &&
              strstr(l.items[1].text, "disk sda (Y) was not there at the start"));
    CHECK_TEXT("stored by its subject", l.n ? l.items[0].evidence : NULL,
               "{\"kind\":\"disk\",\"subject\":\"d1\",\"key\":\"present\",\"before\":\"yes\","
               "\"after\":\"no\"}");
    l = moves(SHEET({"disk", "d1", "name", "sda"}, {"disk", "d2", "name", "sdb"}),
              SHEET({"disk", "d1", "name", "sdb"}, {"disk", "d2", "name", "sda"}));
    CHECK("kernel names that trade places are no move", l.n == 0);
    l = moves(SHEET({"system", "", "cpu", "x"}, {"disk", "d1", "model", "X"}),
              SHEET({"system", "", "cpu", "x"}));
    CHECK("no disk seen at all at the end proves nothing", l.n == 0);
    l = moves(SHEET({"disk", "d1", "model", "X"}, {"disk", "d1", "scheduler", "none"}),
              SHEET({"disk", "d1", "model", "X"}, {"disk", "d1", "scheduler", "bfq"}));
    CHECK("a fact of a disk", l.n == 1 && strstr(l.items[0].text, "disk d1 (X) scheduler was 'none'"));
    l = moves(SHEET({"system", "", "truenas", "24.10"}, {"system", "", "kernel", "6.6"}),
              SHEET({"system", "", "truenas", "25.04"}, {"system", "", "kernel", "6.12"}));
    CHECK("a consequence follows its leader", l.n == 1 && strstr(l.items[0].text, "truenas"));
    l = moves(SHEET({"system", "", "truenas", "24.10"}, {"system", "", "kernel", "6.6"}),
              SHEET({"system", "", "truenas", "24.10"}, {"system", "", "kernel", "6.12"}));
    CHECK("alone it is a setting", l.n == 1 && strstr(l.items[0].text, "kernel"));
    struct fact_sheet same = SHEET({"system", "", "cpu", "x"});
    CHECK("nothing moved", moves(same, same).n == 0);
}

static void texts(void) {
    CHECK_TEXT("a field", text_field(&arena, "a: 1\nb :2 \nab: 3", "b", ':'), "2");
    CHECK_TEXT("a field at the end", text_field(&arena, "a: 1\nab: 3", "ab", ':'), "3");
    CHECK("no field", !text_field(&arena, "xa: 1\n", "a", ':'));
    CHECK_TEXT("no brackets, the whole", text_chosen(&arena, "none"), "none");
    CHECK_TEXT("an open bracket", text_chosen(&arena, "a [b"), "a [b");
    CHECK("words", text_has_word("avx2 avx", "avx") && !text_has_word("avx2 xavx", "avx"));
}

int main(void) {
    bare_metal();
    guest();
    this_machine();
    hosts();
    classes();
    digests();
    moved();
    texts();
    arena_release(&arena);
    return check_done();
}
