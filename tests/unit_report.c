/*
 * unit_report.c: front matter, running a report, the rules of cells, and the formats, on results
 * made here: what no history would hold.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "zhist/report.h"
#include "zhist/unit.h"

static struct arena a;
static char folder[] = "/tmp/zhist-unit-report-XXXXXX";

/* ---- text -------------------------------------------------------------------------------------- */

static void test_clean(void) {
    CHECK_TEXT("clean: plain text stays", report_clean(&a, "tank/bench \xc3\xa4 \xe5\xa4\xa7"),
               "tank/bench \xc3\xa4 \xe5\xa4\xa7");
    CHECK_TEXT("clean: escape, newline, tab, DEL are written out",
               report_clean(&a, "a\x1b[31mb\nc\td\x7f"), "a\\x1b[31mb\\nc\\td\\x7f");
    CHECK_TEXT("clean: so are C1 controls",
               report_clean(&a, "a\xc2\x9b"
                                "31m"),
               "a\\u009b31m");
    CHECK_TEXT("clean: what turns the direction of a text",
               report_clean(&a, "a\xe2\x80\xae"
                                "b"),
               "a\\u202eb");
    CHECK_TEXT("clean: broken bytes", report_clean(&a, "a\xff\x9b"), "a\\xff\\x9b");
    CHECK_TEXT("clean: a cut character", report_clean(&a, "\xe5\xa4"), "\\xe5\\xa4");
    CHECK_TEXT("clean: U+00A0 is no control", report_clean(&a, "a\xc2\xa0"), "a\xc2\xa0");
    CHECK_TEXT("clean: nothing", report_clean(&a, ""), "");
}

static void check_wrap(const char *name, const char *text, int at, int indent, int width,
                       const char *want) {
    struct buf b = {0};
    report_wrap(&b, text, at, indent, width);
    CHECK_TEXT(name, b.data ? b.data : "", want);
    buf_release(&b);
}

static void test_wrap(void) {
    check_wrap("wrap: what fits stays", "one two three", 0, 2, 13, "one two three");
    check_wrap("wrap: at words", "one two three", 0, 2, 12, "one two\n  three");
    check_wrap("wrap: the first line begins further right", "one two", 10, 4, 14, "one\n    two");
    check_wrap("wrap: no room left at all", "one two", 14, 4, 14, "\n    one two");
    check_wrap("wrap: a long word is cut", "abcdefghij", 0, 2, 6, "abcdef\n  ghij");
    check_wrap("wrap: a long word behind others", "ab abcdefghij", 0, 2, 6, "ab\n  abcd\n  efgh\n  ij");
    check_wrap("wrap: wide characters count two",
               "\xe5\xa4\xa7\xe5\xae\xb9 \xe9\x87\x8f", 0, 0, 6,
               "\xe5\xa4\xa7\xe5\xae\xb9\n\xe9\x87\x8f");
    check_wrap("wrap: a wide character is not split", "\xe5\xa4\xa7\xe5\xae\xb9", 0, 0, 3,
               "\xe5\xa4\xa7\n\xe5\xae\xb9");
    check_wrap("wrap: blanks between are one", "a   b ", 0, 0, 10, "a b");
    check_wrap("wrap: nothing", "", 0, 0, 10, "");
    check_wrap("wrap: no room for anything ends too", "\xe5\xa4\xa7 b", 0, 0, 1,
               "\xe5\xa4\xa7\nb");
}

/* ---- formats ----------------------------------------------------------------------------------- */

static struct value text(const char *t) {
    return (struct value){VALUE_TEXT, 0, (double)NAN, t};
}
static struct value real(double r) {
    return (struct value){VALUE_REAL, 0, r, NULL};
}
static struct value whole(int64_t i) {
    return (struct value){VALUE_INT, i, (double)i, NULL};
}
static const struct value nothing = {VALUE_NULL, 0, 0, NULL};

static char *printed(const struct result *r, enum format format, int width, bool verbose) {
    struct buf b = {0};
    struct report_ask ask = {.arena = &a, .format = format, .width = width, .verbose = verbose};
    format_print(r, 1, &ask, &b);
    char *out = arena_str(&a, b.data);
    buf_release(&b);
    return out;
}

static size_t widest(const char *out) {
    size_t most = 0;
    while (*out) {
        size_t len = strcspn(out, "\n");
        int width = text_width(arena_copy(&a, out, len));
        most = (size_t)width > most ? (size_t)width : most;
        out += len + (out[len] == '\n');
    }
    return most;
}

static void test_formats(void) {
    static const struct report report = {.name = "made", .title = "MADE"};
    struct column columns[] = {
        {.name = "name"},
        {.name = "rate", .unit = "B/s", .right = true},
        {.name = "n", .right = true},
        {.name = "hidden", .show = SHOW_NO},
        {.name = "never", .show = SHOW_NEVER},
        {.name = "table", .show = SHOW_TABLE},
        {.name = "more", .show = SHOW_VERBOSE},
        {.name = "told", .sentence = true},
    };
    struct value cells[] = {
        text("a,\"b\"\nc|d"), real(1.5e8), whole(3), text("h"), text("x"), text("t"), text("v"),
        text("One told sentence."),
        text("plain"), nothing, whole(-1), nothing, nothing, text("t"), text("v"),
        text("One told sentence."),
    };
    struct result r = {.report = &report, .columns = columns, .n_columns = LENGTH(columns),
                       .cells = cells, .n_cells = LENGTH(cells), .n_rows = 2};
    CHECK_TEXT("CSV: RFC 4180, base units, no table columns", printed(&r, FORMAT_CSV, 0, false),
               "name,rate,n,hidden,more,told\r\n"
               "\"a,\"\"b\"\"\nc|d\",150000000,3,h,v,One told sentence.\r\n"
               "plain,,-1,,v,One told sentence.\r\n");
    CHECK_TEXT("JSON: null for unknown, each sentence once", printed(&r, FORMAT_JSON, 0, false),
               "{\"zhist\":1,\"reports\":[{\"name\":\"made\",\"title\":\"MADE\",\"columns\":["
               "{\"name\":\"name\",\"unit\":null},{\"name\":\"rate\",\"unit\":\"B/s\"},"
               "{\"name\":\"n\",\"unit\":null},{\"name\":\"hidden\",\"unit\":null},"
               "{\"name\":\"more\",\"unit\":null},{\"name\":\"told\",\"unit\":null}],\"rows\":[\n"
               "{\"name\":\"a,\\\"b\\\"\\u000ac|d\",\"rate\":150000000,\"n\":3,\"hidden\":\"h\","
               "\"more\":\"v\",\"told\":\"One told sentence.\"},\n"
               "{\"name\":\"plain\",\"rate\":null,\"n\":-1,\"hidden\":null,\"more\":\"v\","
               "\"told\":\"One told sentence.\"}],\"sentences\":[\"One told sentence.\"]}]}\n");
    CHECK_TEXT("table", printed(&r, FORMAT_TABLE, 100, false),
               "MADE              rate   n  table\n"
               "  a,\"b\"\\nc|d  150 MB/s   3  t\n"
               "  plain              -  -1  t\n"
               "\n  One told sentence.\n");
    CHECK("table: -v shows more", strstr(printed(&r, FORMAT_TABLE, 100, true), "more") != NULL);
    CHECK_TEXT("Markdown: pipes are escaped, line breaks written out",
               printed(&r, FORMAT_MARKDOWN, 0, false),
               "**MADE**\n\n|  | rate | n | table |\n| --- | ---: | ---: | --- |\n"
               "| a,\"b\"\\\\nc\\|d | 150 MB/s | 3 | t |\n| plain | - | -1 | t |\n\n"
               "One told sentence.\n");
    r.n_rows = 0;
    CHECK_TEXT("table: no rows", printed(&r, FORMAT_TABLE, 100, false), "MADE: nothing to show\n");
    CHECK_TEXT("CSV: no rows, but heads", printed(&r, FORMAT_CSV, 0, false),
               "name,rate,n,hidden,more,told\r\n");
}

static void test_red(void) {
    static const struct report report = {.name = "r", .title = "RED"};
    struct column columns[] = {{.name = "label", .head = ""},
                               {.name = "v", .unit = "B/s", .right = true, .red = "doubt"},
                               {.name = "word"},
                               {.name = "doubt", .show = SHOW_NEVER}};
    struct value cells[] = {text("x"), real(1e6), text("!"), whole(1),
                            text("y"), real(2e8), text(""), nothing};
    struct result r = {.report = &report, .columns = columns, .n_columns = LENGTH(columns),
                       .cells = cells, .n_cells = LENGTH(cells), .n_rows = 2};
    struct report_ask ask = {.arena = &a, .format = FORMAT_TABLE, .width = 80};
    struct buf b = {0};
    const char *plain = "RED          v  word\n  x  1.00 MB/s  !\n  y   200 MB/s\n";
    CHECK_TEXT("red: not unless asked for", printed(&r, FORMAT_TABLE, 80, false), plain);
    ask.colour = true;
    format_print(&r, 1, &ask, &b);
    CHECK_TEXT("red: one cell, and nothing moves", b.data,
               "RED          v  word\n  x  \x1b[31m1.00 MB/s\x1b[0m  !\n  y   200 MB/s\n");
    b.len = 0;
    ask.format = FORMAT_MARKDOWN;
    format_print(&r, 1, &ask, &b);
    CHECK("red: a table's only", !strchr(b.data, '\x1b'));
    buf_release(&b);
    columns[1].red = "none";
    CHECK_TEXT("red: by a column that is not there", printed(&r, FORMAT_TABLE, 80, false), plain);
}

static void test_narrow(void) {
    static const struct report report = {.name = "wide", .title = "WIDE"};
    struct column columns[] = {{.name = "label"},
                               {.name = "value", .right = true},
                               {.name = "spare"},
                               {.name = "verdict", .keep = true}};
    struct value cells[] = {text("a label of some length"), whole(123456789),
                            text("a long text that nobody needs to see in full"), text("SLOWER")};
    struct result r = {.report = &report, .columns = columns, .n_columns = LENGTH(columns),
                       .cells = cells, .n_cells = LENGTH(cells), .n_rows = 1};
    for (int width = 30; width <= 120; width += 3) {
        char name[64];
        snprintf(name, sizeof name, "a table of %d columns is no wider", width);
        CHECK(name, widest(printed(&r, FORMAT_TABLE, width, false)) <= (size_t)width);
    }
    char *out = printed(&r, FORMAT_TABLE, 50, false);
    CHECK("what is marked keep stays", strstr(out, "SLOWER") && !strstr(out, "nobody"));
    columns[3].keep = false;
    columns[3].name = "text";
    cells[3] = text("a text in the last column is broken at words");
    cells[2] = nothing;
    CHECK_TEXT("the last column is broken", printed(&r, FORMAT_TABLE, 62, false),
               "WIDE                          value  text\n"
               "  a label of some length  123456789  a text in the last column\n"
               "                                     is broken at words\n");
    struct column many[12];
    struct value ones[12];
    for (size_t i = 0; i < LENGTH(many); i++) {
        many[i] = (struct column){.name = arena_fmt(&a, "c%zu", i)};
        ones[i] = whole((int64_t)i);
    }
    r = (struct result){.report = &report, .columns = many, .n_columns = LENGTH(many),
                        .cells = ones, .n_cells = LENGTH(ones), .n_rows = 1};
    out = printed(&r, FORMAT_TABLE, 100, false);
    CHECK("at most seven columns", strstr(out, "c6") && !strstr(out, "c7"));
    CHECK("-v: all of them", strstr(printed(&r, FORMAT_TABLE, 100, true), "c11") != NULL);
    ones[11] = text("x");
    many[11].name = "sentence";
    many[11].sentence = true;
    CHECK("a sentence is no column", !strstr(printed(&r, FORMAT_TABLE, 100, true), "sentence"));
}

static void test_groups(void) {
    static const struct report report = {.name = "g", .title = "GROUPS"};
    struct column columns[] = {{.name = "g", .group = true},
                               {.name = "label", .head = ""},
                               {.name = "v", .unit = "@u", .head = "@h", .right = true},
                               {.name = "u", .show = SHOW_NO},
                               {.name = "h", .show = SHOW_NEVER},
                               {.name = "line", .show = SHOW_TABLE, .above = true},
                               {.name = "spark", .show = SHOW_TABLE, .spark = true}};
    struct value cells[] = {
        text("first"), text("x"), real(1e6), text("B/s"), text("one"), nothing, text("[1,1,\"|\",2]"),
        text("first"), text("y"), real(0.5), text("s"), text("one"), text("since\x1b[2J then"),
        text("[]"),
        text("second"), text("z"), real(7), text("1/s"), text("two"), nothing, nothing,
    };
    struct result r = {.report = &report, .columns = columns, .n_columns = LENGTH(columns),
                       .cells = cells, .n_cells = LENGTH(cells), .n_rows = 3};
    CHECK_TEXT("groups, units and heads of the row, lines above, small charts",
               printed(&r, FORMAT_TABLE, 100, false),
               "GROUPS  first\n"
               "           one  spark\n"
               "  x  1.00 MB/s  \xe2\x96\x85\xe2\x96\x85\xe2\x94\x82\xe2\x96\x88\n"
               "  --- since\\x1b[2J then\n"
               "  y     500 ms\n"
               "\nsecond\n"
               "           two  spark\n"
               "  z  7.00 IOPS  -\n");
    char *json = printed(&r, FORMAT_JSON, 0, false);
    CHECK("JSON: a unit that differs by row is null",
          strstr(json, "{\"name\":\"v\",\"unit\":null}") != NULL);
    CHECK("JSON: no column that is only shown", !strstr(json, "spark") && !strstr(json, "\"h\""));
    char *long_name = arena_fmt(&a, "%0150d", 7);
    cells[0] = cells[7] = text(long_name);
    CHECK("a long heading is broken", widest(printed(&r, FORMAT_TABLE, 60, false)) <= 60);
}

/* ---- front matter ------------------------------------------------------------------------------ */

static int load(const char *sql, struct report *r, struct err *e) {
    char *path = arena_fmt(&a, "%s/x.sql", folder);
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fputs(sql, f);
    fclose(f);
    *e = (struct err){0};
    return report_find(&a, NULL, "x", r, e);
}

static void check_bad(const char *name, const char *sql, const char *word) {
    struct report r;
    struct err e;
    bool refused = load(sql, &r, &e) != 0;
    CHECK(name, refused && e.kind == ERR_USAGE && strstr(e.text, word));
}

static void test_front(void) {
    struct report r;
    struct err e;
    CHECK("front matter is read",
          !load("-- title: A title: with a colon\n-- about: it\n"
                "-- param: since time -- from then on\n-- param: n number = 2.5 -- how many\n"
                "-- param: t text = \"two words\" -- quoted\n"
                "-- column: v unit=@u align=right better=down head=\"95 % v\" show=table keep=yes\n"
                "-- group: one, two\n-- above: over\n-- spark: dots\n-- sentence: said\n"
                "-- no key, a comment\n-- chart: x=a\nSELECT 1 AS v -- title: not here\n",
                &r, &e));
    CHECK_TEXT("title", r.title, "A title: with a colon");
    CHECK_TEXT("about", r.about, "it");
    CHECK("params", r.n_params == 3 && report_param(&r, "since") && !report_param(&r, "x"));
    CHECK_TEXT("a default", report_param(&r, "n")->preset, "2.5");
    CHECK_TEXT("a default in quotes", report_param(&r, "t")->preset, "two words");
    CHECK_TEXT("a param's sentence", report_param(&r, "t")->about, "quoted");
    CHECK("no default", !report_param(&r, "since")->preset);
    const struct column *c = &r.marks[0];
    CHECK_TEXT("a column", c->name, "v");
    CHECK_TEXT("its unit", c->unit, "@u");
    CHECK_TEXT("its head", c->head, "95 % v");
    CHECK("its ways", c->right && c->better == -1 && c->show == SHOW_TABLE && c->keep);
    CHECK("groups, above, spark, sentence",
          r.n_marks == 6 && r.marks[1].group && !strcmp(r.marks[2].name, "two") &&
              r.marks[2].group && r.marks[3].above && r.marks[4].spark && r.marks[5].sentence);
    CHECK("no front matter at all", !load("SELECT 1", &r, &e) && !strcmp(r.title, "x"));
    CHECK("an empty file is found", !load("", &r, &e));
    CHECK("no line end", !load("-- title: t", &r, &e) && !strcmp(r.title, "t"));
    CHECK("an open quote ends with the line",
          !load("-- column: a head=\"open\n-- title: t\n", &r, &e) &&
              !strcmp(r.marks[0].head, "open") && !strcmp(r.title, "t"));
    check_bad("column without a name", "-- column:\nSELECT 1", "needs a name");
    check_bad("column, no value", "-- column: a right\nSELECT 1", "NAME=VALUE");
    check_bad("column, unknown", "-- column: a colour=red\nSELECT 1", "colour=red");
    check_bad("show, unknown", "-- column: a show=maybe\nSELECT 1", "show=maybe");
    check_bad("param without a kind", "-- param: a\nSELECT 1", "unknown kind");
    check_bad("param of an unknown kind", "-- param: a date\nSELECT 1", "\"date\"");
    CHECK("a path is no name", report_find(&a, NULL, "../x", &r, &e) && e.kind == ERR_USAGE);
    CHECK("nothing is no name", report_find(&a, NULL, "", &r, &e) && e.kind == ERR_USAGE);
}

/* ---- running ----------------------------------------------------------------------------------- */

static int run_text(struct db *db, const char *sql, const struct setting *params, size_t n,
                    struct result *out, struct err *e) {
    struct report *r = arena_new(&a, struct report, 1);
    struct report_ask ask = {.arena = &a, .params = params, .n_params = n};
    return load(sql, r, e) || report_run(db, r, &ask, out, e) ? -1 : 0;
}

static void test_run(void) {
    struct err e = {0};
    struct db *db = NULL;
    struct result r;
    char *path = arena_fmt(&a, "%s/history.db", folder);
    bool made = !db_open(path, DB_CREATE, &db, &e);
    db_close(db);
    CHECK("a history to run on", made && !db_open(path, DB_READ, &db, &e) &&
                                     !db_restrict(db, 60 * INT64_C(1000000000), &e));
    const struct setting given[] = {{"n", "4"}, {"on", "1"}, {"at", "2026-03-01"},
                                    {"list", "[[\"a\",\"b\"]]"}};
    const char *sql = "-- param: n number = 2 -- x\n-- param: t text = hello -- x\n"
                      "-- param: on flag = 0 -- x\n-- param: at time -- x\n-- param: list list -- x\n"
                      "SELECT :n * 2 AS n, :t AS t, :on AS on_, typeof(:at) AS at, "
                      "(SELECT value ->> 1 FROM json_each(:list)) AS l, :now > 0 AS now, "
                      ":units AS units, NULL AS blank, 1.5 AS real";
    bool ran = !run_text(db, sql, given, LENGTH(given), &r, &e) && r.n_rows == 1;
    if (!CHECK("a report runs", ran))
        printf("#   %s\n", e.text);
    CHECK_NEAR("a number", result_cell(&r, 0, "n")->r, 8, 0);
    CHECK_TEXT("a preset", result_cell(&r, 0, "t")->text, "hello");
    CHECK("a flag", result_cell(&r, 0, "on_")->i == 1);
    CHECK_TEXT("a time is ns", result_cell(&r, 0, "at")->text, "integer");
    CHECK_TEXT("a list", result_cell(&r, 0, "l")->text, "b");
    CHECK("now and units", result_cell(&r, 0, "now")->i == 1 &&
                               !strcmp(result_cell(&r, 0, "units")->text, "si"));
    CHECK("NULL stays unknown", result_cell(&r, 0, "blank")->kind == VALUE_NULL);
    CHECK("no such column is unknown", result_cell(&r, 0, "x")->kind == VALUE_NULL);
    CHECK("not given: presets, and NULL", !run_text(db, sql, NULL, 0, &r, &e) &&
                                              result_cell(&r, 0, "n")->r == 4 &&
                                              result_cell(&r, 0, "l")->kind == VALUE_NULL);
    const struct setting bad[] = {{"n", "many"}};
    CHECK("a value that is no number is named",
          run_text(db, sql, bad, 1, &r, &e) && e.kind == ERR_USAGE && strstr(e.text, "\"many\""));
    CHECK("a parameter without a line", run_text(db, "SELECT :x AS x", NULL, 0, &r, &e) &&
                                            e.kind == ERR_USAGE && strstr(e.text, ":x"));
    CHECK("a parameter without a name", run_text(db, "SELECT ? AS x", NULL, 0, &r, &e) &&
                                            e.kind == ERR_USAGE);
    CHECK("a line without its parameter",
          run_text(db, "-- param: y text\nSELECT 1 AS x", NULL, 0, &r, &e) && strstr(e.text, "y"));
    CHECK("two columns of a name", run_text(db, "SELECT 1 AS x, 2 AS x", NULL, 0, &r, &e) &&
                                       strstr(e.text, "two columns"));
    CHECK("a million rows are the most",
          run_text(db, "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
                   NULL, 0, &r, &e) &&
              e.kind == ERR_USAGE && strstr(e.text, "LIMIT"));
    CHECK("and a text larger than a report can hold",
          run_text(db, "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                       "SELECT hex(zeroblob(8000000)) AS t FROM n",
                   NULL, 0, &r, &e) &&
              e.kind == ERR_USAGE);
    db_close(db);
}

int main(void) {
    if (!mkdtemp(folder) || setenv("ZHIST_REPORTS", folder, 1) || setenv("TZ", "UTC", 1))
        return 1;
    test_clean();
    test_wrap();
    test_formats();
    test_red();
    test_narrow();
    test_groups();
    test_front();
    test_run();
    unlink(arena_fmt(&a, "%s/x.sql", folder));
    unlink(arena_fmt(&a, "%s/history.db", folder));
    rmdir(folder);
    arena_release(&a);
    return check_done();
}
