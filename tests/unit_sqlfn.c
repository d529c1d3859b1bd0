/*
 * unit_sqlfn.c: our SQL functions against known values; what is NULL, empty, infinite, of the wrong
 * kind. The statistics themselves are proven in unit_stats.c and unit_verdict.c.
 */
#include "check.h"

#include "zhist/db.h"
#include "zhist/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct arena memory;
static struct err e;
static struct db *db;

/* The first value as text; "error: ..." where it fails, "NULL". */
static const char *ask(const char *sql) {
    struct query *q;
    char *full = arena_fmt(&memory, "SELECT %s", sql);
    if (db_query_text(db, "test", full, &q, &e))
        return arena_fmt(&memory, "error: %s", e.text);
    const char *answer = "no row";
    int status = query_step(q, &e);
    if (status < 0)
        answer = arena_fmt(&memory, "error: %s", e.text);
    if (status > 0) {
        struct value v = query_value(q, 0);
        answer = v.kind == VALUE_NULL   ? "NULL"
                 : v.kind == VALUE_INT  ? arena_fmt(&memory, "%lld", (long long)v.i)
                 : v.kind == VALUE_REAL ? arena_fmt(&memory, "%.15g", v.r)
                                        : arena_str(&memory, v.text);
    }
    query_free(q);
    return answer;
}

static void is(const char *sql, const char *want) {
    CHECK_TEXT(sql, ask(sql), want);
}

static void near(const char *sql, double want) {
    const char *got = ask(sql);
    double number = strtod(got, NULL);
    if (!check_line(fabs(number - want) <= 1e-12 * fabs(want), sql, __FILE__, __LINE__))
        printf("#   got:  %s\n#   want: %.17g\n", got, want);
}

static int says(const char *sql, const char *part) {
    const char *got = ask(sql);
    if (strstr(got, part))
        return 1;
    printf("#   %s: %s\n", sql, got);
    return 0;
}

#define OF " FROM (SELECT value AS x, key AS t FROM json_each('"

static void test_aggregates(void) {
    near("stddev(x)" OF "[2,4,4,4,5,5,7,9]'))", 2.1380899352993950); /* sqrt(32/7) */
    near("m2(x)" OF "[2,4,4,4,5,5,7,9]'))", 32);
    is("median(x)" OF "[2,4,4,4,5,5,7,9]'))", "4.5");
    is("median(x)" OF "[3,1,2]'))", "2");
    is("percentile(x, 0.25)" OF "[1,2,3,4]'))", "1.75"); /* type 7 */
    is("percentile(x, 0)" OF "[4,2,3]'))", "2");
    is("percentile(x, 1)" OF "[4,2,3]'))", "4");
    near("p95(x)" OF "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]'))", 19.05);
    near("half_width(x)" OF "[1,2,3]'))", 2.48413771175033); /* 4.302652729911275 / sqrt(3) */
    near("lag1(t, x)" OF "[1,2,3,4,5]'))", 0.4);
    /* by time, whatever the order of the rows */
    near("lag1(-t, x)" OF "[5,4,3,2,1]'))", 0.4);
    is("series(t, x)" OF "[1,2.5,3]'))", "[1,2.5,3]");
    is("series(-t, x)" OF "[1,2.5,3]'))", "[3,2.5,1]");
    is("series(t, x)" OF "[1,\"event\",3]'))", "[1,\"|\",3]");
    /* what has the same time stays in its order */
    is("series(0, x)" OF "[7,\"event\",5,6,4,3,2,1,9,8,\"event\",0]'))",
       "[7,\"|\",5,6,4,3,2,1,9,8,\"|\",0]");
    is("series(1, 0.1)", "[0.1]");
    is("distinct_texts(x)" OF "[\"b\",\"a\",\"b\",null]'))", "a | b | unknown");
    is("distinct_texts(x)" OF "[null,null]'))", "unknown");
    is("distinct_texts(x)" OF "[2,10,2]'))", "10 | 2");
    is("distinct_texts(x)" OF "[\"\",\"x\"]'))", " | x");
}

static const char *const one_argument[] = {"stddev", "median", "p95", "m2", "half_width"};

static void test_strange_values(void) {
    for (size_t i = 0; i < LENGTH(one_argument); i++) {
        const char *f = one_argument[i];
        is(arena_fmt(&memory, "%s(x)" OF "[]'))", f), "NULL");
        is(arena_fmt(&memory, "%s(NULL)", f), "NULL");
        is(arena_fmt(&memory, "%s(x)" OF "[null,null]'))", f), "NULL");
        is(arena_fmt(&memory, "%s(x) IS %s(x) FILTER (WHERE x > 0)" OF "[null,5,null,7,9]'))", f, f),
           "1");
        is(arena_fmt(&memory, "%s(9e999)", f), "NULL");
        is(arena_fmt(&memory, "%s(-9e999)", f), "NULL");
        is(arena_fmt(&memory, "%s(x)" OF "[1,2,9e999]'))", f), "NULL");
        CHECK(arena_fmt(&memory, "%s: a text is no number, and not zero", f),
              says(arena_fmt(&memory, "%s(x)" OF "[1,2,\"three\"]'))", f), "where a number is expected"));
        CHECK(arena_fmt(&memory, "%s: nor is a blob", f),
              says(arena_fmt(&memory, "%s(x'0102')", f), "where a number is expected"));
        is(arena_fmt(&memory, "%s(x) = %s(x + 0)" OF "[\"5\",\"7.5\",\"9e1\"]'))", f, f), "1");
        CHECK(arena_fmt(&memory, "%s is no window function", f),
              says(arena_fmt(&memory, "%s(1) OVER ()", f), "error: "));
    }
    is("stddev(5)", "NULL");
    is("half_width(5)", "NULL");
    is("m2(5)", "0");
    is("median(5)", "5");
    is("percentile(x, 0.5)" OF "[]'))", "NULL");
    CHECK("percentile of a share above 1", says("percentile(1, 1.5)", "a share from 0 to 1"));
    CHECK("percentile of a negative share", says("percentile(1, -0.1)", "a share from 0 to 1"));
    CHECK("percentile of no share", says("percentile(1, NULL)", "a share from 0 to 1"));
    CHECK("percentile of a word", says("percentile(1, 'half')", "error: "));
    CHECK("percentile of an infinite share", says("percentile(1, 9e999)", "a share from 0 to 1"));
    is("lag1(t, x)" OF "[]'))", "NULL");
    is("lag1(1, 2)", "NULL");
    is("lag1(t, x)" OF "[3,3,3]'))", "NULL");
    is("lag1(t, x)" OF "[3,9e999,3]'))", "NULL");
    is("lag1(t, x)" OF "[1,\"word\",3]'))", "NULL");
    is("series(t, x)" OF "[]'))", "NULL");
    is("series(t, x)" OF "[null,null]'))", "NULL");
    is("series(1, 9e999)", "[null]");
    is("json_valid(series(t, x))" OF "[1,\"a\\\"b\",9e999,-0.0,1e-300]'))", "1");
    is("series(NULL, 1)", "[1]");
    is("distinct_texts(x)" OF "[]'))", "NULL");
    CHECK("too few arguments", says("percentile(1)", "wrong number of arguments"));
    CHECK("too many", says("median(1, 2)", "wrong number of arguments"));
}

#define SIDE(values) "(SELECT observations(key / 5, key % 5 + 1, value) FROM json_each('" values "'))"
#define A SIDE("[100,101,99,100,102,101,100,99,98,100]")
#define B SIDE("[110,111,109,110,112,111,110,109,108,110]")

static void test_compare(void) {
    is("observations(1, 2, 3.5)", "[1,2,3.5]");
    is("observations(1, 2, NULL)", "NULL");
    is("observations(1, 2, x)" OF "[]'))", "NULL");
    is("observations(key, 1, value) FROM json_each('[1,null,3]')", "[0,1,1,2,1,3]");
    CHECK("an observation that is a text", says("observations(1, 2, 'x')", "where a number"));
    is("json_valid(compare(" A ", " B ", 0))", "1");
    is("compare(" A ", " B ", 0) ->> 'n_of'", "runs");
    is("compare(" A ", " B ", 0) ->> 'runs_a'", "2");
    near("compare(" A ", " B ", 0) ->> 'mean_b'", 110);
    near("compare(" A ", " B ", 0) ->> 'diff'", 10);
    is("compare(" A ", " B ", 1) ->> 'n_of'", "blocks");
    is("compare(NULL, NULL, 0) ->> 'n_of'", "NULL");
    is("compare(NULL, " B ", 0) ->> 'mean_b'", "NULL");
    is("compare(" A ", NULL, 0) ->> 'p'", "NULL");
    is("compare('garbage', '[[[,,,', 0) ->> 'n_of'", "NULL");
    is("compare('[1,1', '[1,1,', 0) ->> 'n_of'", "NULL");
    is("compare('[1e300,-1e300,5,nan,inf,5]', '[1,1,5]', 0) IS NOT NULL", "1");
    is("compare(5, x'ff00', NULL) ->> 'n_of'", "NULL");
    /* An infinite value makes the whole comparison unknown, whatever comes behind it. */
    is("compare(observations(1, key, 1 / value), '[1,1,5,2,1,6]', 0) ->> 'mean_a' "
       "FROM json_each('[1, 1e-309, 1]')", "NULL");
    is("compare('[1,1,5,1,2,null,1,3,7]', '[1,1,5,1,2,6]', 0) ->> 'mean_a'", "NULL");
    is("verdict(compare(" A ", " B ", 1), NULL, 0.05, 1, NULL, 1)", "faster");
    is("verdict(compare(" A ", " B ", 1), NULL, 0.05, -1, NULL, 1)", "slower");
    is("verdict(compare(" A ", " B ", 1), NULL, 0.05, 0, NULL, 1)", "changed");
    is("verdict(compare(" A ", " B ", 1), 0.9, 0.05, 1, NULL, 1)", "undecided");
    is("verdict(compare(" A ", " B ", 1), NULL, 0.05, 1, 'not comparable (host)', 1)",
       "not comparable (host)");
    is("verdict(compare(" A ", " B ", 1), NULL, 0.05, 1, NULL, 0)", "NULL");
    is("verdict(compare(" A ", " A ", 1), NULL, 0.05, 1, NULL, 1)",
       "same (no spread recorded: check timer resolution)");
    is("verdict(NULL, NULL, 0.05, 1, NULL, 1)", "NULL");
    is("verdict(NULL, NULL, 0.05, 1, 'new meaning', 1)", "new meaning");
    is("verdict('', NULL, 0.05, 1, NULL, 1)", "insufficient");
    is("verdict('garbage', NULL, 0.05, 1, NULL, 1)", "insufficient");
    is("verdict('\"n_of\":', NULL, 0.05, 1, NULL, 1)", "insufficient");
    is("verdict('{\"n_of\":\"runs\",\"runs_a\":1e999,\"n_a\":-1e300}', NULL, NULL, NULL, NULL, 1) "
       "IS NOT NULL", "1");
}

static void test_plain(void) {
    is("human(171000000, 'B/s', 'si')", "171 MB/s");
    is("human(1048576, 'B', 'iec')", "1 MiB");
    CHECK("human of nothing is no zero", !strchr(ask("human(NULL, 'B', 'si')"), '0'));
    CHECK("human of a text is no zero", !strcmp(ask("human('x', 'B', 'si') IS human(NULL, 'B', 'si')"), "1"));
    is("human(1, NULL, NULL)", "1.00");
    is("human_range(NULL, 1, 'B', 'si')", "NULL");
    is("human_range(1, 'x', 'B', 'si')", "NULL");
    is("local_date(NULL)", "NULL");
    CHECK("the ends of time", strncmp(ask("local_date(9223372036854775807)"), "error", 5) &&
                                  strncmp(ask("local_date(-9223372036854775807 - 1)"), "error", 5));
    is("lives(NULL)", "NULL");
    is("lives('')", "NULL");
    is("lives('nonsense')", "NULL");
    is("lives(5)", "NULL");
    is("lives('a b c d e')", "0"); /* of another boot */
    const char *self = process_self(&memory);
    if (!self) {
        SKIP("who lives", "nothing is known of processes here");
        return;
    }
    is(arena_fmt(&memory, "lives('%s')", self), "1");
    const char *boot_end = strchr(self, ' '), *space = strchr(strchr(boot_end + 1, ' ') + 1, ' ');
    int boot = (int)(boot_end - self);
    is(arena_fmt(&memory, "lives('%.*s %ld 1')", boot, self, (long)getpid()), "0"); /* a later one */
    is(arena_fmt(&memory, "lives('%.*s 4194305 1')", boot, self), "0"); /* above every pid */
    is(arena_fmt(&memory, "lives('%.*s %ld 12345678901234567890')", boot, self, (long)getpid()), "0");
    is(arena_fmt(&memory, "lives('%.*s')", boot, self), "NULL");
    is(arena_fmt(&memory, "lives('%.*s 1')", boot, self), "NULL");
    is(arena_fmt(&memory, "lives('%.*s  ')", boot, self), "NULL");
    is(arena_fmt(&memory, "lives('%.*s %ld ')", boot, self, (long)getpid()), "0");
    if (space)
        is(arena_fmt(&memory, "lives('%.*s pid:[1]')", (int)(space - self), self), "NULL");
    /* Killed, and nobody waited for it: a container whose first process does not. */
    int up[2];
    char text[200] = "";
    if (pipe(up))
        return;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        const char *me = process_self(&memory);
        if (write(up[1], me, strlen(me) + 1) < 0)
            _exit(1);
        close(up[0]);
        pause();
    }
    if (read(up[0], text, sizeof text - 1) < 1)
        printf("# no child\n");
    is(arena_fmt(&memory, "lives('%s')", text), "1");
    kill(child, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    is(arena_fmt(&memory, "lives('%s')", text), "0");
    waitpid(child, NULL, 0);
    is(arena_fmt(&memory, "lives('%s')", text), "0");
}

static void test_facts(void) {
    is("fact_text('dataset.recordsize', '131072')", "128 KiB");
    is("fact_text('dataset.recordsize', '131072 | 1048576 | unknown')", "128 KiB | 1 MiB | unknown");
    is("fact_text('module.zfs_arc_max', '0')", "0");
    /* many digits either way: short, and whole */
    is("fact_text('disk.size', '4000787030016')", "4.00 TB (4000787030016 B)");
    is("fact_text('disk.size', '4000000000000')", "4 TB");
    is("fact_text('pool.size', '21474836480')", "21.5 GB (21474836480 B)");
    is("fact_text('disk.size', '0')", "0 B");
    is("fact_text('dataset.quota', '21474836480')", "20 GiB");
    is("fact_text('dataset.quota', '0')", "none");
    is("fact_text('dataset.used', '279703552')", "280 MB");
    is("fact_text('mount.size', '270553174016')", "271 GB");
    is("fact_text('module.arc_size', '2147483648')", "2 GiB");
    is("fact_text('dataset.snapshot_limit', '18446744073709551615')", "none");
    is("fact_text('module.dbuf_cache_max_bytes', '18446744073709551615')", "no limit (2^64-1)");
    is("fact_text('pool.capacity', '41')", "41 %");
    is("fact_text('system.uptime', '18243.68')", "5 h 4 min");
    is("fact_text('system.control_generator', '1914363216')", "1.91 GB/s");
    is("fact_text('disk.temperature', '34')", "34 C");
    is("fact_text('pool.disk_count', '2')", "2");
    setenv("TZ", "UTC", 1);
    tzset();
    is("fact_text('dataset.creation', '1796068490')", "2026-11-30 19:54");
    is("fact_text('dataset.creation', 'today')", "today");
    is("duration_text(5400000000000)", "1 h 30 min");
    is("is_main('dataset.recordsize', 'default')", "1");
    is("is_main('dataset.exec', 'default')", "0");
    is("is_main('dataset.exec', 'local')", "1");
    is("is_main('dataset.org:note', 'local')", "0");
    is("is_main('module.zfs_scan_idle', NULL)", "0");
    is("fact_text('dataset.quota', 'none')", "none");
    is("fact_text('dataset.quota', '')", "");
    is("fact_text('dataset.quota', '99999999999999999999999999')", "99999999999999999999999999");
    is("fact_text('system.kernel', '1024')", "1024");
    is("fact_text(NULL, '1024')", "1024");
    is("fact_text('dataset.recordsize', NULL)", "NULL");
    is("event_text('system.kernel', '6.6', '6.12', 40)", "kernel 6.6 -> 6.12");
    is("event_text('module.zfs_arc_max', '0', '8589934592', 40)", "zfs_arc_max 0 -> 8 GiB");
    is("event_text('dataset.recordsize', '131072', '1048576', 40)",
       "dataset.recordsize 128 KiB -> 1 MiB");
    is("event_text('mount.option.sync', NULL, 'on', 40)", "mount option sync none -> on");
    is("event_text('disk sda (WD40) scheduler', 'none', '', 40)",
       "disk sda (WD40) scheduler none -> ");
    is("event_text('dataset made anew (new guid)', '1', '2', 40)", "dataset made anew (new guid)");
    is("event_text('', '1', '2', 40)", " 1 -> 2");
    is("event_text(NULL, '1', '2', 40)", "NULL");
    is("event_text('system.cmdline', '1234567890', '12345678901', 10)",
       "cmdline 1234567890 -> 123456789\xe2\x80\xa6");
    is("event_text('system.cmdline', '1234567890', '12345678901', 0)",
       "cmdline 1234567890 -> 12345678901");
    is("fact_short('dataset.recordsize', '131072', 7)", "128 KiB");
    is("fact_short('', '\xe5\xa4\xa7\xe5\xae\xb9\xe9\x87\x8f', 5)",
       "\xe5\xa4\xa7\xe5\xae\xb9\xe2\x80\xa6");
    is("fact_short('', '\xe5\xa4\xa7\xe5\xae\xb9\xe9\x87\x8f', 6)",
       "\xe5\xa4\xa7\xe5\xae\xb9\xe9\x87\x8f");
    is("fact_short('', '', 6)", "");
    is("fact_short('', NULL, 6)", "NULL");
    /* Who and where, but not what. */
    is("(SELECT group_concat(value) FROM json_each('[\"dataset.name\", \"pool.guid\", "
       "\"disk.serial_digest\", \"mount.server\", \"mount.source\", \"dataset.org.me:owner\", "
       "\"dataset.sharenfs\", \"system.hostname\"]') WHERE NOT is_secret(value))",
       "NULL");
    is("(SELECT group_concat(value) FROM json_each('[\"dataset.recordsize\", \"pool.layout\", "
       "\"disk.model\", \"mount.fstype\", \"system.kernel\", \"module.zfs_arc_max\", "
       "\"disk.name\", \"\"]') WHERE is_secret(value))",
       "NULL");
    is("is_secret(NULL)", "0");
}

/* Where the numbers come from is proven in unit_change.c. */
static void test_changes(void) {
    const char *days = "'[1,2,3,4,5,6,7,8,9,10,11,12]'";
    is("json_array_length(find_levels('[1,2]', '[3,4]', 0.05, 1, 0, 0))", "0");
    is(arena_fmt(&memory, "(value ->> 'at') || (value ->> 'certainty') || (value ->> 'n_after') FROM json_each("
                 "find_levels(%s, '[10,10.1,9.9,10,10.1,9.9,8,8.1,7.9,8,8.1,7.9]', 0.05, 1, 0, 0))", days),
       "6certain6");
    CHECK("lists of two lengths are a mistake", says("find_levels('[1,2]', '[3]', 0.05, 1, 0, 0)", "as many"));
    is("find_levels('[]', '[]', 0.05, 1, 0, 0)", "[]");
    is("find_levels(NULL, NULL, NULL, NULL, NULL, NULL)", "[]");
    is(arena_fmt(&memory, "json_array_length(find_levels(%s, '[10,10.1,9.9,10,10.1,9.9,8,8.1,7.9,8,8.1,7.9]', "
                          "0.05, 1, 6, 0))", days), "0"); /* the last six have one level */
    is("gate_search('[10,10.1,9.9,10,10.1,9.9]', 0.05, 1)", "[]");
    is("gate_planned('[10,10.1,9.9]', '[8,8.1]')", "NULL"); /* the first look is due at 3 */
    is("gate_planned('[10,10.1,9.9]', '[8,8.1,7.9]') ->> 'n_b'", "3");
    is("gate_planned('[]', '[8,8.1,7.9]')", "NULL");
    is("gate_planned('[10,10.1,9.9]', '[8,8.1,7.9]') ->> 'p' < 0.001", "1");
    is("short_digest('abc')", "ba7816bf"); /* FIPS 180-4 */
    is("more_runs('', 0.05, 0)", "NULL");
    is("(SELECT compare('[1,0,10,2,0,10.2,3,0,9.8]', '[4,0,9,5,0,9.2,6,0,8.8]', 0) ->> 'hl' < 0.95)",
       "1");
    is("more_runs(compare('[1,0,10,2,0,11,3,0,9]', '[4,0,10.1,5,0,11,6,0,9]', 0), 0.05, 0) > 20", "1");
}

int main(void) {
    char path[] = "/tmp/zhist-unit-sqlfn-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || close(fd) || db_open(path, DB_CREATE, &db, &e)) {
        printf("# %s\n", e.text);
        return 1;
    }
    test_aggregates();
    test_strange_values();
    test_compare();
    test_plain();
    test_facts();
    test_changes();
    /* Under the locks too. */
    CHECK("locked", !db_restrict(db, 10 * NS_PER_S, &e));
    is("stddev(x)" OF "[1,3]'))", "1.4142135623731");
    is("lives('a b c')", "0");
    db_close(db);
    unlink(path);
    arena_release(&memory);
    return check_done();
}
