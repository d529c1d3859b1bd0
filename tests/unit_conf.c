/* unit_conf.c: the tree conf.c makes of YAML, and what it refuses (texts that no editor writes). */
#include "zhist/conf.h"

#include "check.h"

static struct arena arena;
static struct conf root;
static struct err e;

static int parse(const char *text, size_t len) {
    arena_release(&arena);
    e = (struct err){0};
    return conf_parse(&arena, "f", text, len, &root, &e);
}

static void refuses(const char *name, const char *text, size_t len, const char *want) {
    int status = parse(text, len);
    check_text(name, status == -1 && e.kind == ERR_USAGE ? e.text : "(accepted)", want, __FILE__,
               __LINE__);
}
#define REFUSES(name, text, want) refuses((name), (text), sizeof(text) - 1, (want))

static void test_tree(void) {
    static const char text[] = "a: 1\n"
                               "list: [x, 'y', \"\"]\n"
                               "map:\n"
                               "  off: off\n"
                               "  nothing:\n"
                               "  gr\303\266\303\237e: {k: v}\n"
                               "block: |\n"
                               "  one\n"
                               "  two\n";
    CHECK("a tree", parse(text, sizeof text - 1) == 0);
    CHECK("root is a map at 1:1", root.kind == CONF_MAP && root.line == 1 && root.column == 1);
    CHECK("four keys", root.n_items == 4);
    CHECK_TEXT("first key", root.items[0].key, "a");
    CHECK_TEXT("its text", root.items[0].text, "1");
    CHECK("its place", root.items[0].line == 1 && root.items[0].column == 4 &&
                           root.items[0].key_line == 1 && root.items[0].key_column == 1);
    const struct conf *list = &root.items[1];
    CHECK("a list", list->kind == CONF_LIST && list->n_items == 3 && !list->items[0].key);
    CHECK("quoted or not", !list->items[0].quoted && list->items[1].quoted);
    CHECK("an empty text is quoted", list->items[2].quoted && !*list->items[2].text);
    const struct conf *map = &root.items[2];
    CHECK("a map in a map", map->kind == CONF_MAP && map->n_items == 3 && map->line == 4);
    CHECK_TEXT("off stays off", map->items[0].text, "off");
    CHECK("nothing is an empty text without quotes",
          map->items[1].kind == CONF_TEXT && !*map->items[1].text && !map->items[1].quoted);
    CHECK_TEXT("UTF-8 keys", map->items[2].key, "gr\303\266\303\237e");
    CHECK("columns are characters", map->items[2].column == 10);
    CHECK_TEXT("block text", root.items[3].text, "one\ntwo\n");
}

static void test_endings(void) {
    static const char bom[] = "\357\273\277a: 1\n", crlf[] = "a: 1\r\nb:\r\n  - x\r\n";
    CHECK("BOM", parse(bom, sizeof bom - 1) == 0);
    CHECK("BOM takes no column", root.items[0].key_column == 1);
    CHECK("CRLF", parse(crlf, sizeof crlf - 1) == 0);
    CHECK_TEXT("CRLF is no part of a text", root.items[0].text, "1");
    CHECK("CRLF is one line", root.items[1].items[0].line == 3);
    CHECK("no newline at the end", parse("a: 1", 4) == 0);
    CHECK("a merge sign in quotes is a key", parse("\"<<\": 1", 7) == 0);
    REFUSES("only a BOM", "\357\273\277", "f:1:1: nothing is written in it");
    refuses("no bytes at all", NULL, 0, "f:1:1: nothing is written in it");
}

static void test_bytes(void) {
    REFUSES("NUL", "a: 1\nb: \0\n", "f:2:4: a NUL byte: this is not a text file");
    REFUSES("latin-1", "a: gr\366\337e\n", "f:1:6: byte 0xf6 is not UTF-8 text");
    REFUSES("UTF-16", "\377\376a\0:\0", "f:1:1: byte 0xff is not UTF-8 text");
    REFUSES("cut sequence", "a: \342\226", "f:1:4: byte 0xe2 is not UTF-8 text");
    REFUSES("surrogate", "a: \355\240\200", "f:1:4: byte 0xed is not UTF-8 text");
    REFUSES("column in characters", "\303\266: \377", "f:1:4: byte 0xff is not UTF-8 text");
    REFUSES("escape", "a: \033[31m\n", "f:1:4: a control character (U+001B) in the text");
    REFUSES("DEL", "a: \177\n", "f:1:4: a control character (U+007F) in the text");
    REFUSES("C1", "a: \302\233\n", "f:1:4: a control character (U+009B) in the text");
    REFUSES("second BOM", "a: \357\273\277b\n", "f:1:4: a control character (U+FEFF) in the text");
    REFUSES("lines end with CRLF", "a: 1\r\nb: \001\r\n",
            "f:2:4: a control character (U+0001) in the text");
    REFUSES("lines end with CR", "a: 1\rb: \001\r",
            "f:2:4: a control character (U+0001) in the text");
    REFUSES("escaped control", "a: \"\\x9b\"", "f:1:4: a control character (U+009B) in the text");
}

/* n times the piece; the time limit is far above what is needed, far below what a bomb takes. */
static void bomb(const char *name, const char *piece, size_t n, const char *want) {
    size_t len = strlen(piece);
    struct buf b = {0};
    for (size_t i = 0; i < n; i++)
        buf_put(&b, piece, len);
    int64_t start = clock_monotonic_ns();
    int status = parse(b.data, b.len);
    int64_t took = clock_monotonic_ns() - start;
    if (!CHECK(name, status == -1 && e.kind == ERR_USAGE && strstr(e.text, want)))
        printf("#   %s\n", e.text);
    if (!CHECK("and quickly", took < NS_PER_S))
        printf("#   %s took %lld ms\n", name, (long long)(took / 1000000));
    buf_release(&b);
}

static void test_bombs(void) {
    bomb("60 KB of [", "[", 60000, "nested deeper than 32 levels");
    bomb("60 KB of {", "{", 60000, "a key must be text");
    bomb("60 KB of [ on lines", "[\n", 60000, "nested deeper than 32 levels");
    bomb("60 KB of {[", "{[", 30000, "");
    bomb("60 KB of dashes", "- ", 30000, "nested deeper than 32 levels");
    bomb("60 KB of question marks", "? ", 30000, "");
    bomb("60 KB of keys of keys", "? a: ", 30000, "");
    bomb("2 MB of [", "[", 2000000, "f:1:1: larger than 1 MiB");
    bomb("1 MiB of items", "- a\n", 262144, "more than 5000 entries");
    bomb("1 MiB of nothing", "- \n", 340000, "more than 5000 entries");
    bomb("1 MiB of one key", "a: 1\n", 200000, "stands here twice, first in line 1");
    bomb("1 MiB of anchors", "&a ", 340000, "");
    bomb("1 MiB of tags", "!a ", 340000, "");
    bomb("1 MiB of quotes", "'", 1048575, "");
    bomb("1 MiB of documents", "--- a\n", 170000, "a second document");
    bomb("1 MiB of colons", ": ", 500000, "");
    bomb("1 MiB of bars", "|\n", 500000, "");
    bomb("1 MiB of braces", "{}", 500000, "");
    bomb("1 MiB of commas", "[,", 500000, "");
    bomb("1 MiB of directives", "%YAML 1.1\n", 100000, "");
    bomb("1 MiB of tag directives", "%TAG !a! b\n", 90000, "");
    struct buf b = {0};
    for (int i = 0; i < 4998; i++)
        buf_fmt(&b, "k%d: v\n", i);
    CHECK("as many keys as allowed", parse(b.data, b.len) == 0 && root.n_items == 4998);
    b.len = 0;
    buf_str(&b, "a: ");
    for (int i = 0; i < 1 << 20; i++)
        buf_str(&b, "x");
    b.len = 1 << 20;
    CHECK("a text of 1 MiB", parse(b.data, b.len) == 0);
    buf_release(&b);
}

static void test_depth(void) {
    struct buf b = {0};
    for (int i = 0; i < 31; i++)
        buf_str(&b, "[");
    buf_str(&b, "x");
    for (int i = 0; i < 31; i++)
        buf_str(&b, "]");
    CHECK("32 levels", parse(b.data, b.len) == 0);
    buf_release(&b);
    CHECK("a lone text is a tree", parse("x", 1) == 0 && root.kind == CONF_TEXT);
    CHECK("an empty map", parse("{}", 2) == 0 && root.kind == CONF_MAP && root.n_items == 0);
    CHECK("an empty list", parse("[]", 2) == 0 && root.kind == CONF_LIST && root.n_items == 0);
}

static void test_quoted(void) {
    char longer[200];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    memcpy(longer + 59, "\303\266", 2);
    CHECK_TEXT("quoted", conf_quoted(&arena, "a b"), "\"a b\"");
    CHECK_TEXT("quoted on one line", conf_quoted(&arena, "a\nb\tc"), "\"a b c\"");
    CHECK("a long text is cut between characters", strlen(conf_quoted(&arena, longer)) == 59 + 5);
}

int main(void) {
    test_tree();
    test_endings();
    test_bytes();
    test_bombs();
    test_depth();
    test_quoted();
    arena_release(&arena);
    return check_done();
}
