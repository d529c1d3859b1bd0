/*
 * unit_json.c: JSON as a tree: types, order, escapes, numbers no double holds, and texts that are
 * broken, hostile or too large. fuzz_json.c (make fuzz) goes on from there.
 */
#include "zhist/json.h"
#include "check.h"

#include <time.h>

static struct arena arena;
static struct err err;

static const struct json *read_text(const char *text) {
    err = (struct err){0};
    return json_read(&arena, text, strlen(text), &err);
}

/* The tree as text, so that one line compares all of it. */
static void put(struct buf *b, const struct json *j) {
    if (j->key)
        buf_fmt(b, "%s=", j->key);
    switch (j->type) {
    case JSON_ARRAY:
    case JSON_OBJECT:
        buf_str(b, j->type == JSON_ARRAY ? "[" : "{");
        for (const struct json *c = j->first; c; c = c->next) {
            put(b, c);
            buf_str(b, c->next ? " " : "");
        }
        buf_str(b, j->type == JSON_ARRAY ? "]" : "}");
        break;
    case JSON_TEXT:
        buf_fmt(b, "'%s'", j->text);
        break;
    case JSON_NULL:
        buf_str(b, "null");
        break;
    default:
        buf_fmt(b, "%s%s", j->type == JSON_REAL ? "~" : "", j->text);
    }
}

static const char *shown(const char *text) {
    struct buf b = {0};
    const struct json *root = read_text(text);
    if (!root)
        return err.text;
    put(&b, root);
    const char *all = arena_str(&arena, b.data);
    buf_release(&b);
    return all;
}

static void trees(void) {
    CHECK_TEXT("nothing is lost",
               shown(" {\"a\":{\"b\":[1,-2.5e3,{\"c\":[]}]},\"t\":true,"
                     "\"f\":false,\"n\":null,\"e\":{}} \n"),
               "{a={b=[1 ~-2.5e3 {c=[]}]} t=true f=false n=null e={}}");
    CHECK_TEXT("up by several levels at once", shown("[[[[1]]],[2],3,[[],[[]],4]]"),
               "[[[[1]]] [2] 3 [[] [[]] 4]]");
    CHECK_TEXT("duplicate keys stay, in their order", shown("{\"a\":1,\"b\":2,\"a\":3,\"\":4}"),
               "{a=1 b=2 a=3 =4}");
    CHECK_TEXT("the first is found", json_text(read_text("{\"a\":1,\"a\":3}"), "a"), "1");
    CHECK_TEXT("a text alone", shown("\"x\""), "'x'");
    CHECK_TEXT("a number alone", shown(" 0 "), "0");
    CHECK_TEXT("null alone", shown("null"), "null");
    CHECK_TEXT("escapes",
               shown("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00fc\\ud83d\\ude00\",\"\xc3\xb6\"]"),
               "['\"\\/\b\f\n\r\t\xc3\xbc\xf0\x9f\x98\x80' '\xc3\xb6']");
    CHECK_TEXT("escapes in keys", shown("{\"a\\tb\\u00e4\":1}"), "{a\tb\xc3\xa4=1}");
    CHECK_TEXT("digits and brackets in texts are text",
               shown("{\"1]\":\"2}\\\"3\",\"x\":[4,\"-5,\",6]}"), "{1]='2}\"3' x=[4 '-5,' 6]}");
    const struct json *root = read_text("{\"a\":[1],\"t\":\"x\",\"n\":null,\"y\":true,\"r\":1.5}");
    CHECK("asking for what is not there",
          !json_get(root, "b") && !json_get(NULL, "a") && !json_get(json_get(root, "a"), "a") &&
              !json_text(root, "a") && !json_text(root, "n") && !json_text(root, "y"));
    CHECK_TEXT("asking for a text", json_text(root, "t"), "x");
    CHECK_TEXT("asking for a number", json_text(root, "r"), "1.5");
}

static void numbers(void) {
    const struct json *j = read_text("[9223372036854775807,-9223372036854775808,"
                                     "18446744073709551615,-9223372036854775809,1e400,-0,"
                                     "12345678901234567890123456789,0.1]");
    const struct json *at[8] = {0};
    for (size_t i = 0; i < LENGTH(at) && (j = i ? at[i - 1]->next : j ? j->first : NULL); i++)
        at[i] = j;
    if (!CHECK("eight numbers", at[7] && !at[7]->next))
        return;
    CHECK("the largest", at[0]->integer == INT64_MAX && at[0]->type == JSON_INTEGER);
    CHECK("the smallest", at[1]->integer == INT64_MIN);
    CHECK_TEXT("64 bits without a sign keep their digits", at[2]->text, "18446744073709551615");
    CHECK("and are the nearest that fits", at[2]->integer == INT64_MAX &&
                                               at[2]->type == JSON_INTEGER &&
                                               at[3]->integer == INT64_MIN);
    CHECK_NEAR("and near as a double", at[2]->real, 18446744073709551616.0, 1e-15);
    CHECK("beyond a double is infinite", at[4]->type == JSON_REAL && isinf(at[4]->real));
    CHECK("minus zero", at[5]->integer == 0);
    CHECK_TEXT("any length", at[6]->text, "12345678901234567890123456789");
    CHECK_NEAR("a tenth", at[7]->real, 0.1, 0);
}

static bool refused(const char *text, const char *why) {
    bool ok = !read_text(text) && err.kind == ERR_FAILED && strstr(err.text, why);
    if (!ok)
        printf("# %s: %s\n", text, err.text);
    return ok;
}

static void broken(void) {
    CHECK("nothing", refused("", "empty") && refused(" \n", "empty"));
    CHECK("half a line",
          refused("{\"a\":{\"b\":1", "ends at byte 11") && refused("[1,2", "'[' is closed"));
    CHECK("half a text", refused("{\"abc", "begins at byte 1") && refused("\"x\\\"", "byte 0"));
    CHECK("something behind it", refused("{} x", "at byte 3") && refused("[1]]", "at byte 3") &&
                                     refused("{}{}", "at byte 2"));
    CHECK("other brackets", refused("{\"a\":1]", "']'") && refused("]", "byte 0"));
    static const char *const others[] = {
        "x",       "1 2",     "tru",    "True",     "[1,]",     "{\"a\":1,}", "{a:1}",
        "{'a':1}", "{\"a\"}", "[1 2]",  "\"\\x\"",  "\"a\nb\"", "+1",         ".5",
        "01",      "1.",      "[1,,2]", "NaN",      "Infinity", "// x\n1",    "[\"\\u12\"]",
        "0x10",    "-",       "{1:2}",  "{\"a\":}", ",",        ":",          "zfs: not found"};
    size_t bad = 0;
    for (size_t i = 0; i < LENGTH(others); i++)
        bad += refused(others[i], "not JSON");
    CHECK("what is nearly JSON", bad == LENGTH(others));
    CHECK("a NUL in the middle",
          !json_read(&arena, "[1\0]", 4, &err) && strstr(err.text, "byte 2"));
    CHECK("a NUL at the end", !json_read(&arena, "[1]", 4, &err) && strstr(err.text, "byte 3"));
    CHECK("a NUL in disguise", refused("[\"a\\u0000b\"]", "byte 3"));
    CHECK_TEXT("a backslash before u0000", shown("[\"\\\\u0000\"]"), "['\\u0000']");
}

static const char *repeated(const char *open, const char *middle, const char *close, size_t n) {
    struct buf b = {0};
    for (size_t i = 0; i < n; i++)
        buf_str(&b, open);
    buf_str(&b, middle);
    for (size_t i = 0; i < n; i++)
        buf_str(&b, close);
    const char *text = arena_copy(&arena, b.data, b.len);
    buf_release(&b);
    return text;
}

static void large(void) {
    size_t depth = 0;
    for (const struct json *j = read_text(repeated("[", "7", "]", 500)); j; j = j->first)
        depth++;
    CHECK("500 levels", depth == 501);
    depth = 0;
    for (const struct json *j = read_text(repeated("{\"a\":", "7", "}", 500)); j; j = j->first)
        depth++;
    CHECK("500 objects in each other", depth == 501);
    CHECK("1000 levels", refused(repeated("[", "", "]", 1000), "500 levels"));
    CHECK("100000 levels, never closed", refused(repeated("[{\"a\":", "", "", 100000), "levels"));
    CHECK("too many values", refused(repeated("", "[1", ",1", 1), "not JSON") &&
                                 refused(repeated("1,", "", "", 3 << 20), "values"));
    struct buf b = {0};
    buf_str(&b, "\"");
    while (b.len < (17 << 20))
        buf_str(&b, "xxxxxxxxxxxxxxxx");
    buf_str(&b, "\"");
    CHECK("17 MiB", !json_read(&arena, b.data, b.len, &err) && strstr(err.text, "16 MiB"));
    buf_release(&b);
    /* A quadratic reader would need minutes for one of these; the limit is no measure of speed. */
    clock_t start = clock();
    buf_str(&b, "[");
    for (size_t i = 0; i < 100000; i++)
        buf_fmt(&b, "%s[[%zu],{\"a\":18446744073709551615}]", i ? "," : "", i);
    buf_str(&b, "]");
    const struct json *wide = json_read(&arena, b.data, b.len, &err), *last = NULL;
    size_t n = 0;
    for (last = wide ? wide->first : NULL; last && last->next; last = last->next)
        n++;
    CHECK("100000 pairs", n == 99999 && last->first->first->integer == 99999);
    buf_release(&b);
    CHECK("in linear time", clock() - start < 60 * (clock_t)CLOCKS_PER_SEC);
}

/* Any bytes are a tree or a sentence. */
static void mutations(void) {
    static const char seed[] =
        "{\"output_version\":{\"command\":\"zfs get\",\"vers_major\":0},\"datasets\":{\"tank\":{"
        "\"n\":[1,-2.5,1e9,true,false,null,\"a\\n\\u00fc\"],\"guid\":18446744073709551615}}}";
    static const char bytes[] = "[]{}\",:\\0un1e-. \n\377\0t";
    uint64_t state = 42;
    size_t good = 0, bad = 0;
    for (size_t turn = 0; turn < 20000; turn++) {
        struct arena a = {0};
        struct err e = {0};
        size_t len = sizeof seed - 1 - (turn % 2 ? random_next(&state) % (sizeof seed - 1) : 0);
        char *copy = malloc(len); /* to the byte: a sanitizer sees one step beyond */
        if (!copy)
            break;
        memcpy(copy, seed, len);
        for (size_t i = random_next(&state) % 4; i-- > 0;)
            copy[random_next(&state) % len] = bytes[random_next(&state) % (sizeof bytes - 1)];
        if (json_read(&a, copy, len, &e))
            good++;
        else
            bad += e.kind == ERR_FAILED && *e.text;
        free(copy);
        arena_release(&a);
    }
    CHECK("20000 spoiled texts end in a tree or a sentence", good > 100 && good + bad == 20000);
}

int main(void) {
    trees();
    numbers();
    broken();
    large();
    mutations();
    arena_release(&arena);
    return check_done();
}
