/*
 * unit_property.c: zfs get and zpool get, text and JSON: real outputs of three versions, both forms
 * alike, values with tabs and line feeds, and outputs that are cut, foreign or broken.
 */
#include "zhist/zfs.h"
#include "check.h"

static struct arena arena;
static struct property_list list;
static struct err e;

static int text(const char *from) {
    list = (struct property_list){0};
    e = (struct err){0};
    return properties_from_text(&arena, from, strlen(from), &list, &e);
}

static int json(const char *from) {
    list = (struct property_list){0};
    e = (struct err){0};
    return properties_from_json(&arena, from, strlen(from), &list, &e);
}

/* The list in one line: "of name=value(source) ..." */
static const char *shown(void) {
    struct buf b = {0};
    for (size_t i = 0; i < list.n; i++) {
        struct property *p = &list.items[i];
        buf_fmt(&b, "%s%s %s=%s(%s)", i ? "; " : "", p->of, p->name, p->value ? p->value : "?",
                p->source);
    }
    const char *all = arena_str(&arena, b.data ? b.data : "");
    buf_release(&b);
    return all;
}

static const char *get(const char *name, bool source) {
    for (size_t i = 0; i < list.n; i++)
        if (!strcmp(list.items[i].name, name))
            return source ? list.items[i].source : list.items[i].value;
    return NULL;
}

static const char *fixture(const char *name) {
    const char *dir = getenv("ZHIST_TESTS");
    char *content;
    size_t len;
    if (!file_read(&arena, arena_fmt(&arena, "%s/data/zfs/%s", dir ? dir : "tests", name), 1 << 20,
                   &content, &len, &e))
        return content;
    printf("# %s\n", e.text);
    return "";
}

static size_t lines_of(const char *from) {
    size_t n = 0;
    for (; (from = strchr(from, '\n')); from++)
        n++;
    return n;
}

static void real(void) {
    static const char *const versions[] = {"2.1.11", "2.3.9", "2.4.4"};
    static const char *const datasets[] = {"tank",        "tank-enc",       "tank-tuned",
                                           "tank-vol",    "tank-clone",     "tank-plain@snap1",
                                           "tank-legacy", "tank-with_space"};
    for (size_t v = 0; v < LENGTH(versions); v++) {
        size_t all = 0;
        for (size_t d = 0; d < LENGTH(datasets); d++) {
            const char *from =
                fixture(arena_fmt(&arena, "%s/zfs_get_-Hp_-o_name,property,value,source_all_%s.txt",
                                  versions[v], datasets[d]));
            all += !text(from) && list.n > 20 && list.n == lines_of(from);
        }
        CHECK(arena_fmt(&arena, "every row of %s", versions[v]), all == LENGTH(datasets));
        CHECK_TEXT("a name with a space", list.n ? list.items[0].of : NULL, "tank/with space");
        CHECK_TEXT("its place", get("mountpoint", false), "/mnt/with space");
        CHECK_TEXT("set here", get("mountpoint", true), "local");
        CHECK_TEXT("set above", get("atime", true), "inherited from tank");
        CHECK_TEXT("cannot be set", get("used", true), "-");
        CHECK_TEXT("nobody set it", get("dedup", true), "default");
        const char *from = fixture(arena_fmt(&arena, "%s/zpool_get_-Hp_all_tank.txt", versions[v]));
        CHECK("a pool", !text(from) && list.n == lines_of(from));
        CHECK_TEXT("its ashift", get("ashift", false), "12");
        CHECK_TEXT("its features", get("feature@encryption", false), "active");
    }
}

static void alike(void) {
    static const char *const versions[] = {"2.3.9", "2.4.4"};
    for (size_t v = 0; v < LENGTH(versions); v++) {
        CHECK("JSON", !json(fixture(arena_fmt(&arena, "%s/zfs_get_-jp_--json-int_all_tank-enc.txt",
                                              versions[v]))));
        CHECK_TEXT("a guid that --json-int spoils is unknown", get("guid", false), NULL);
        const char *one = shown();
        CHECK("text", !text(fixture(arena_fmt(
                          &arena, "%s/zfs_get_-Hp_-o_name,property,value,source_all_tank-enc.txt",
                          versions[v]))));
        for (size_t i = 0; i < list.n; i++)
            if (!strcmp(list.items[i].name, "guid"))
                list.items[i] =
                    (struct property){list.items[i].of, "guid", NULL, "too large for --json-int"};
        CHECK_TEXT("say the same, in the same order", one, shown());
        CHECK("JSON of a pool",
              !json(fixture(arena_fmt(&arena, "%s/zpool_get_-j_all_tank.txt", versions[v]))));
        size_t n = list.n;
        const char *guid = get("guid", false), *source = get("ashift", true);
        text(fixture(arena_fmt(&arena, "%s/zpool_get_-Hp_all_tank.txt", versions[v])));
        CHECK("has what its text has", n == list.n);
        CHECK_TEXT("by value", guid, get("guid", false));
        CHECK_TEXT("and source", source, get("ashift", true));
    }
    const char *odd = "a\tb:c\t\tlocal\na\tb:d\t\303\274\treceived\na\tm\t1\tinherited from x y\n"
                      "a\tn\t-\ttemporary\n";
    CHECK("sources as JSON has them",
          !json("{\"output_version\":{\"vers_major\":0,\"vers_minor\":9},\"datasets\":{\"a\":{"
                "\"properties\":{\"m\":{\"value\":1,\"source\":{\"type\":\"INHERITED\",\"data\":"
                "\"x y\"}},\"n\":{\"value\":\"-\",\"source\":{\"type\":\"TEMPORARY\"}},"
                "\"b:c\":{\"value\":\"\",\"source\":{\"type\":\"LOCAL\",\"data\":\"-\"}},"
                "\"b:d\":{\"value\":\"\\u00fc\",\"source\":{\"type\":\"RECEIVED\"}}}}}}"));
    const char *one = shown();
    text("a\tm\t1\tinherited from x y\na\tn\t-\ttemporary\na\tb:c\t\tlocal\n"
         "a\tb:d\t\303\274\treceived\n");
    CHECK_TEXT("and as text has them", one, shown());
    text(odd);
    CHECK_TEXT("native rows behind the users' are lines of their values", shown(),
               "a b:c=(local); a b:d=\303\274(received)");
}

static void lines(void) {
    CHECK("tabs", !text("t\tmountpoint\t/mnt/a\tb\tlocal\nt\tu:x\ta\tb\t\tc\tinherited from t\n"));
    CHECK_TEXT("are part of a value", shown(),
               "t mountpoint=/mnt/a\tb(local); t u:x=a\tb\t\tc(inherited from t)");
    CHECK("a line feed", !text("t\tsync\tstandard\tdefault\nt\tu:a\tone\ntwo\tlocal\n"
                               "t\tu:b\tx\tlocal\n"));
    CHECK_TEXT("makes its value unknown, no other", shown(),
               "t sync=standard(default); t u:a=?(a value of more than one line); t u:b=x(local)");
    CHECK("many of them", !text("t\tu:a\t\n\n\n  \n\t\t\t\n\tlocal\nx\ty\nt\tu:b\tx\tlocal\n"));
    CHECK_TEXT("too", shown(), "t u:a=?(a value of more than one line); t u:b=x(local)");
    CHECK("a path of two lines", !text("t\tmountpoint\t/a\nb\tlocal\nt\tsync\toff\tlocal\n"));
    CHECK_TEXT("is unknown", shown(),
               "t mountpoint=?(a value of more than one line); t sync=off(local)");
    CHECK("a value that looks like a row",
          !text("t\trecordsize\t4096\tlocal\nt\tu:a\tx\tlocal\nt\trecordsize\t1048576\tlocal\n"
                "t\tdirect\talways\tlocal\nother\tsync\toff\tlocal\n"));
    CHECK_TEXT("is believed in nothing native of the same dataset", shown(),
               "t recordsize=4096(local); t u:a=x(local); other sync=off(local)");
    CHECK("a path that looks like a row",
          !text("t\tmountpoint\t/x\tlocal\nt\tsync\toff\tlocal\nt\tsync\tstandard\tdefault\n"));
    CHECK_TEXT("makes what it hides unknown", shown(),
               "t mountpoint=/x(local); t sync=?(printed twice)");
    CHECK("a pool with a property of a user",
          !text("p\tsize\t1\t-\np\tu:x\ty\tlocal\np\tfeature@a\tactive\tlocal\n"
                "p\tunsupported@com.x:y\tinactive\tlocal\n"));
    CHECK("has its features behind it", list.n == 4);
    CHECK("several datasets", !text("a\tsync\toff\tlocal\na\tu:x\t1\tlocal\n"
                                    "b\tsync\ton\tinherited from a\n") &&
                                  list.n == 3);
    CHECK("nothing", !text("") && !list.n);
}

static bool fails(int status, const char *why) {
    if (status && e.kind == ERR_FAILED && strstr(e.text, why))
        return true;
    printf("# %d %s\n", status, e.text);
    return false;
}

static void broken(void) {
    CHECK("half a line",
          fails(text("a\tsync\toff\tlocal\na\tdedup\to"), "line 2 ends") && list.n == 1);
    CHECK("half a word at its end",
          fails(text("a\tsync\toff\tlocal\na\tdedup\toff\tdefau"), "line 2"));
    CHECK("three columns", fails(text("sync\toff\tlocal\n"), "line 1 is not"));
    CHECK("two", fails(text("sync\toff\n"), "line 1"));
    CHECK("five", fails(text("a\tsync\toff\t-\tlocal\n"), "line 1"));
    CHECK("for people",
          fails(text("NAME  PROPERTY  VALUE  SOURCE\na  sync  off  local\n"), "line 1"));
    CHECK("another language", fails(text("a\tsync\toff\tgeerbt von x\n"), "line 1"));
    CHECK("a complaint", fails(text("cannot open 'x': dataset does not exist\n"), "line 1"));
    CHECK("an inheritance from nobody", fails(text("a\tsync\toff\tinherited from \n"), "line 1"));
    CHECK("a NUL", properties_from_text(&arena, "a\tb\0\tc\t-\n", 9, &list, &e));
    CHECK("no dataset, no property", fails(text("\tsync\toff\tlocal\n"), "line 1") &&
                                         fails(text("a\t\toff\tlocal\n"), "line 1"));

    CHECK("half a JSON", fails(json("{\"output_version\":{\"vers_major\":0},\"data"), "not JSON"));
    CHECK("another major version",
          fails(json("{\"output_version\":{\"vers_major\":1,\"vers_minor\":2},\"datasets\":{}}"),
                "version 1.2"));
    CHECK("no version", fails(json("{\"datasets\":{}}"), "output_version") &&
                            fails(json("[]"), "output_version") &&
                            fails(json("7"), "output_version"));
    CHECK("no datasets",
          fails(json("{\"output_version\":{\"vers_major\":0}}"), "without datasets") &&
              fails(json("{\"output_version\":{\"vers_major\":0},\"datasets\":[]}"),
                    "without datasets"));
    CHECK("no properties", fails(json("{\"output_version\":{\"vers_major\":0},\"datasets\":{"
                                      "\"a\":{\"properties\":[]}}}"),
                                 "properties of 'a'"));
    CHECK("odd ones", !json("{\"output_version\":{\"vers_major\":0},\"datasets\":{\"a\":{"
                            "\"properties\":{\"x\":1,\"y\":{},\"z\":{\"value\":[]},"
                            "\"n\":{\"value\":null},\"v\":{\"value\":\"1\"},"
                            "\"w\":{\"value\":\"2\",\"source\":{\"type\":\"MAGIC\"}}}}}}"));
    CHECK_TEXT("are unknown", shown(),
               "a x=?(no value); a y=?(no value); a z=?(no value); a n=?(no value); "
               "a v=1(no source); a w=2(MAGIC)");
    CHECK("no datasets at all",
          !json("{\"output_version\":{\"vers_major\":0},\"datasets\":{}}") && !list.n);
}

/* Any bytes are a list or a sentence. */
static void mutations(void) {
    static const char bytes[] = "\t\n:\0\"{},x-@ \377";
    const char *seeds[] = {
        fixture("2.3.9/zfs_get_-jp_--json-int_all_tank-enc.txt"),
        fixture("2.4.4/zfs_get_-Hp_-o_name,property,value,source_all_tank-enc.txt")};
    uint64_t state = 7;
    size_t sound = 0;
    for (size_t turn = 0; turn < 4000; turn++) {
        struct arena a = {0};
        struct property_list l = {0};
        struct err why = {0};
        size_t len = strlen(seeds[turn % 2]);
        len -= turn % 3 ? 0 : random_next(&state) % len;
        char *copy = malloc(len ? len : 1); /* to the byte: a sanitizer sees one step beyond */
        if (!copy)
            break;
        memcpy(copy, seeds[turn % 2], len);
        for (size_t i = random_next(&state) % 5; len && i-- > 0;)
            copy[random_next(&state) % len] = bytes[random_next(&state) % (sizeof bytes - 1)];
        int status = turn % 2 ? properties_from_text(&a, copy, len, &l, &why)
                              : properties_from_json(&a, copy, len, &l, &why);
        bool ok = status ? why.kind == ERR_FAILED && *why.text : true;
        for (size_t i = 0; i < l.n; i++)
            ok &= l.items[i].of && l.items[i].name && l.items[i].source;
        sound += ok;
        free(copy);
        arena_release(&a);
    }
    CHECK("4000 spoiled outputs end in a list or a sentence", sound == 4000);
}

int main(void) {
    real();
    alike();
    lines();
    broken();
    mutations();
    arena_release(&arena);
    return check_done();
}
