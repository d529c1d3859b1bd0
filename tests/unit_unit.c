/* unit_unit.c: sizes, durations, rates, shares, dates, widths, nearest words (unit.c, text.c). */
#include "zhist/digest.h"
#include "zhist/unit.h"

#include "check.h"

#include <time.h>

static char name[256];

/* ---- readers --------------------------------------------------------------------------------- */

static void size_is(const char *text, int64_t want) {
    int64_t got = -7;
    const char *why = unit_read_size(text, &got);
    snprintf(name, sizeof name, "size \"%s\"", text);
    if (!CHECK(name, !why && got == want))
        printf("#   %s, %lld\n", why ? why : "no reason", (long long)got);
}

static void size_fails(const char *text, const char *part) {
    int64_t got = -7;
    const char *why = unit_read_size(text, &got);
    snprintf(name, sizeof name, "size \"%s\" fails: %s", text, part);
    if (!CHECK(name, why && strstr(why, part) && got == -7))
        printf("#   %s\n", why ? why : "accepted");
}

static void duration_is(const char *text, int64_t want) {
    int64_t got = -7;
    const char *why = unit_read_duration(text, &got);
    snprintf(name, sizeof name, "duration \"%s\"", text);
    if (!CHECK(name, !why && got == want))
        printf("#   %s, %lld\n", why ? why : "no reason", (long long)got);
}

static void duration_fails(const char *text, const char *part) {
    int64_t got = -7;
    const char *why = unit_read_duration(text, &got);
    snprintf(name, sizeof name, "duration \"%s\" fails: %s", text, part);
    if (!CHECK(name, why && strstr(why, part) && got == -7))
        printf("#   %s\n", why ? why : "accepted");
}

typedef const char *double_reader(const char *, double *);

static void double_is(double_reader *read, const char *text, double want) {
    double got = -7;
    const char *why = read(text, &got);
    snprintf(name, sizeof name, "number \"%s\"", text);
    if (!CHECK(name, !why && fabs(got - want) <= 1e-15 * fabs(want)))
        printf("#   %s, %.17g\n", why ? why : "no reason", got);
}

static void double_fails(double_reader *read, const char *text, const char *part) {
    double got = -7;
    const char *why = read(text, &got);
    snprintf(name, sizeof name, "number \"%s\" fails: %s", text, part);
    if (!CHECK(name, why && strstr(why, part) && got < -6))
        printf("#   %s\n", why ? why : "accepted");
}

static void test_sizes(void) {
    size_is("0", 0);
    size_is("1", 1);
    size_is("512B", 512);
    size_is("4K", 4096);
    size_is("4k", 4096);
    size_is("4KB", 4000);
    size_is("4kB", 4000);
    size_is("4KiB", 4096);
    size_is("4 KiB", 4096);
    size_is("2000MiB", INT64_C(2097152000));
    size_is("1.5GB", 1500000000);
    size_is("1.5GiB", 1610612736);
    size_is("0.3K", 307);
    size_is("0.1P", INT64_C(112589990684262));
    size_is("0001K", 1024);
    size_is("5TB", INT64_C(5000000000000));
    size_is("1PiB", INT64_C(1) << 50);
    size_is("8191P", INT64_C(8191) << 50);
    size_is("9223372036854775807", INT64_MAX);
    size_is("9007199254740993", INT64_C(9007199254740993)); /* no double on the way */
    size_fails("9223372036854775808", "too large");
    size_fails("8192P", "too large");
    size_fails("99999999P", "too large");
    size_fails("99999999999999999999999999", "too large");
    size_fails("-1", "negative");
    size_fails("", "not a size");
    size_fails("K", "not a size");
    size_fails(".5K", "not a size");
    size_fails("1.K", "not a size");
    size_fails("+1", "not a size");
    size_fails(" 1", "not a size");
    size_fails("1.5", "whole number");
    size_fails("1.5B", "whole number");
    size_fails("1e9", "unknown unit");
    size_fails("1m", "unknown unit");
    size_fails("1KIB", "unknown unit");
    size_fails("1K ", "unknown unit");
    size_fails("1 K B", "unknown unit");
    size_fails("0x10", "unknown unit");
    size_fails("1,5G", "unknown unit");
    size_fails("1\302\240K", "unknown unit");
}

static void test_durations(void) {
    duration_is("0s", 0);
    duration_is("1ns", 1);
    duration_is("2us", 2000);
    duration_is("2\302\265s", 2000);
    duration_is("3ms", 3000000);
    duration_is("90s", 90 * NS_PER_S);
    duration_is("1.5h", 5400 * NS_PER_S);
    duration_is("2 h", 7200 * NS_PER_S);
    duration_is("2m", 120 * NS_PER_S);
    duration_is("2min", 120 * NS_PER_S);
    duration_is("30d", 2592000 * NS_PER_S);
    duration_is("2w", 1209600 * NS_PER_S);
    duration_is("1h30m", 5400 * NS_PER_S);
    duration_is("1 h 20 min", 4800 * NS_PER_S);
    duration_is("9223372036854775807ns", INT64_MAX);
    duration_is("0.000000001s", 1);
    duration_fails("9223372036854775808ns", "too large");
    duration_fails("9223372036s999999999999ns", "too large");
    duration_fails("106752d", "too large");
    duration_fails("30", "needs a unit");
    duration_fails("1h30", "needs a unit");
    duration_fails("", "not a duration");
    duration_fails("s", "not a duration");
    duration_fails("-1s", "negative");
    duration_fails("1M", "unknown unit");
    duration_fails("1y", "unknown unit");
    duration_fails("1s1m", "wrong order");
    duration_fails("1s2s", "wrong order");
    duration_fails("1s x", "not a duration");
}

static void test_numbers(void) {
    int64_t n = -7;
    double_is(unit_read_rate, "248MB/s", 248e6);
    double_is(unit_read_rate, "600 MB/s", 600e6);
    double_is(unit_read_rate, "1MiB/s", 1048576);
    double_is(unit_read_rate, "1M/s", 1048576);
    double_is(unit_read_rate, "10Gbit/s", 1.25e9);
    double_is(unit_read_rate, "2.5Gbit/s", 312500000);
    double_is(unit_read_rate, "8bit/s", 1);
    double_is(unit_read_rate, "5B/s", 5);
    double_fails(unit_read_rate, "248", "needs a unit");
    double_fails(unit_read_rate, "248MB", "/s");
    double_fails(unit_read_rate, "248/s", "/s");
    double_fails(unit_read_rate, "10Gb/s", "unknown unit");
    double_fails(unit_read_rate, "-1MB/s", "negative");
    double_fails(unit_read_rate, "99999999999999999999B/s", "too large");
    double_fails(unit_read_rate, "fast", "not a rate");

    double_is(unit_read_percent, "5%", 0.05);
    double_is(unit_read_percent, "5 %", 0.05);
    double_is(unit_read_percent, "70%", 0.7);
    double_is(unit_read_percent, "0.1%", 0.001);
    double_is(unit_read_percent, "250%", 2.5);
    double_fails(unit_read_percent, "5", "percent sign");
    double_fails(unit_read_percent, "5%%", "percent sign");
    double_fails(unit_read_percent, "%", "not a share");
    double_fails(unit_read_percent, "-5%", "negative");

    double_is(unit_read_number, "1.5", 1.5);
    double_is(unit_read_number, "-2", -2);
    double_is(unit_read_number, "+2", 2);
    double_is(unit_read_number, "1e9", 1e9);
    double_is(unit_read_number, "1.25E-3", 1.25e-3);
    double_fails(unit_read_number, "", "not a number");
    double_fails(unit_read_number, "nan", "not a number");
    double_fails(unit_read_number, "inf", "not a number");
    double_fails(unit_read_number, "0x10", "not a number");
    double_fails(unit_read_number, "1.", "not a number");
    double_fails(unit_read_number, "1,5", "not a number");
    double_fails(unit_read_number, "1e", "not a number");
    double_fails(unit_read_number, "1 ", "not a number");
    double_fails(unit_read_number, "1e999", "too large");

    CHECK("count 42", !unit_read_count("42", &n) && n == 42);
    CHECK("count INT64_MAX", !unit_read_count("9223372036854775807", &n) && n == INT64_MAX);
    n = -7;
    CHECK("count overflow", unit_read_count("9223372036854775808", &n) && n == -7);
    CHECK("count 1.0", unit_read_count("1.0", &n) && n == -7);
    CHECK("count 1K", unit_read_count("1K", &n) && n == -7);
    CHECK("count empty", unit_read_count("", &n) && n == -7);
    CHECK("count negative", unit_read_count("-1", &n) && n == -7);
}

static void moment_is(const char *text, int64_t want_s) {
    int64_t got = -7;
    const char *why = unit_read_moment(text, 1000000000 * NS_PER_S, &got);
    snprintf(name, sizeof name, "moment \"%s\"", text);
    if (!CHECK(name, !why && got == want_s * NS_PER_S))
        printf("#   %s, %lld\n", why ? why : "no reason", (long long)(got / NS_PER_S));
}

static void moment_fails(const char *text, const char *part) {
    int64_t got = -7;
    const char *why = unit_read_moment(text, 0, &got);
    snprintf(name, sizeof name, "moment \"%s\" fails: %s", text, part);
    if (!CHECK(name, why && strstr(why, part) && got == -7))
        printf("#   %s\n", why ? why : "accepted");
}

static void test_moments(void) {
    setenv("TZ", "Europe/Berlin", 1);
    tzset();
    moment_is("1d", 1000000000 - 86400);
    moment_is("2026-03-01", 1772319600);
    moment_is("2026-03-01T03:30", 1772332200);
    moment_is("2026-03-01 03:30:05", 1772332205);
    moment_is("2026-07-01T00:00", 1782856800); /* summer time */
    moment_is("2024-02-29", 1709161200);
    moment_is("2026-03-29T02:30", 1774747800); /* the skipped hour is moved */
    moment_fails("2026-02-29", "day that does not exist");
    moment_fails("2026-04-31", "day that does not exist");
    moment_fails("2026-13-01", "day that does not exist");
    moment_fails("2026-00-10", "day that does not exist");
    moment_fails("2026-03-01T24:00", "hour");
    moment_fails("2026-03-01T03:60", "hour");
    moment_fails("2026-3-1", "not a moment");
    moment_fails("2026-03-01T", "not a moment");
    moment_fails("2026-03-01T03", "not a moment");
    moment_fails("2026-03-01Z", "not a moment");
    moment_fails("1969-01-01", "years");
    moment_fails("9999-01-01", "years");
    moment_fails("yesterday", "not a moment");
    moment_fails("", "not a moment");
    moment_fails("30", "needs a unit");
}

/* ---- printers -------------------------------------------------------------------------------- */

static void puts_as(double value, const char *unit, enum unit_style style, const char *want) {
    struct buf b = {0};
    unit_put(&b, value, unit, style);
    snprintf(name, sizeof name, "put %g %s as %s", value, unit, want);
    CHECK_TEXT(name, b.data, want);
    buf_release(&b);
}

static void duration_puts(int64_t ns, const char *want) {
    struct buf b = {0};
    unit_put_duration(&b, ns);
    snprintf(name, sizeof name, "put duration %s", want);
    CHECK_TEXT(name, b.data, want);
    buf_release(&b);
}

static void number_puts(double value, const char *want) {
    struct buf b = {0};
    unit_put_number(&b, value);
    snprintf(name, sizeof name, "put number %s", want);
    CHECK_TEXT(name, b.data, want);
    buf_release(&b);
}

static void test_printing(void) {
    puts_as(1.71e8, "B/s", UNITS_SI, "171 MB/s");
    puts_as(1.71e8, "B/s", UNITS_IEC, "163 MiB/s");
    puts_as(999.4e3, "B/s", UNITS_SI, "999 kB/s");
    puts_as(999.6e3, "B/s", UNITS_SI, "1.00 MB/s");
    puts_as(1023 * 1024.0, "B/s", UNITS_IEC, "0.999 MiB/s");
    puts_as(0, "B/s", UNITS_SI, "0 B/s");
    puts_as(0.5, "B/s", UNITS_SI, "0.500 B/s");
    puts_as(-2.5e6, "B/s", UNITS_SI, "-2.50 MB/s");
    puts_as(NAN, "B/s", UNITS_SI, "-");
    puts_as(1e30, "B/s", UNITS_SI, "1.00e+18 TB/s");
    puts_as(8.0 * 1024 * 1024 * 1024, "B", UNITS_IEC, "8 GiB");
    puts_as(2000.0 * 1048576, "B", UNITS_IEC, "2000 MiB");
    puts_as(1536.0 * 1048576, "B", UNITS_IEC, "1.50 GiB");
    puts_as(2000.0 * 1048576, "B", UNITS_SI, "2.10 GB");
    puts_as(5e9, "B", UNITS_SI, "5 GB");
    puts_as(512, "B", UNITS_IEC, "512 B");
    puts_as(0, "B", UNITS_SI, "0 B");
    puts_as(123456, "ns", UNITS_SI, "123 \302\265s");
    puts_as(5.1e9, "ns", UNITS_SI, "5.10 s");
    puts_as(5.1, "s", UNITS_SI, "5.10 s");
    puts_as(0.513, "s", UNITS_SI, "513 ms");
    puts_as(90, "s", UNITS_SI, "90.0 s");
    puts_as(3000, "s", UNITS_SI, "50.0 min");
    puts_as(9000, "s", UNITS_SI, "2.50 h");
    puts_as(0, "s", UNITS_SI, "0 s");
    puts_as(1e-9, "s", UNITS_SI, "1.00 ns");
    puts_as(123, "1/s", UNITS_SI, "123 IOPS");
    puts_as(42600, "files/s", UNITS_SI, "42.6 k files/s");
    puts_as(1240, "files/s", UNITS_SI, "1240 files/s");
    puts_as(1.5, "ratio", UNITS_SI, "1.50");
    puts_as(-10.9, "%", UNITS_SI, "-10.9 %");
    puts_as(0.42, "s/GiB", UNITS_SI, "0.420 s/GiB");
    puts_as(3, "", UNITS_SI, "3.00");
    puts_as(3, "bananas", UNITS_SI, "3.00 bananas");
    puts_as(INFINITY, "B/s", UNITS_SI, "inf B/s");

    number_puts(0, "0");
    number_puts(0.001, "0.00100");
    number_puts(0.0009996, "0.00100");
    number_puts(0.0001234, "1.23e-04");
    number_puts(0.05, "0.0500");
    number_puts(0.9996, "1.00");
    number_puts(9.996, "10.0");
    number_puts(99.96, "100");
    number_puts(1105.4, "1105");
    number_puts(999999, "999999");
    number_puts(1234567, "1.23e+06");
    number_puts(-0.25, "-0.250");
    number_puts(NAN, "-");
    number_puts(-INFINITY, "-inf");

    struct buf b = {0};
    unit_put_scaled(&b, 7.4e9, 312e6, "B/s", UNITS_SI, false);
    CHECK_TEXT("a column shares one unit", b.data, "7400");
    b.len = 0;
    unit_put_scaled(&b, 312e6, 312e6, "B/s", UNITS_SI, true);
    CHECK_TEXT("and names it once", b.data, "312 MB/s");
    b.len = 0;
    unit_put_scaled(&b, NAN, 312e6, "B/s", UNITS_SI, true);
    CHECK_TEXT("unknown carries no unit", b.data, "-");
    buf_release(&b);

    duration_puts(-1, "-");
    duration_puts(0, "0 s");
    duration_puts(1, "1 ns");
    duration_puts(3100000, "3.1 ms");
    duration_puts(12345678, "12 ms");
    duration_puts(999600000, "1 s");
    duration_puts(2 * NS_PER_S, "2 s");
    duration_puts(12 * NS_PER_S, "12 s");
    duration_puts(59600000000, "1 min");
    duration_puts(80 * NS_PER_S, "1 min 20 s");
    duration_puts(3599600000000, "1 h");
    duration_puts(4800 * NS_PER_S, "1 h 20 min");
    duration_puts(86399 * NS_PER_S, "1 d");
    duration_puts(90000 * NS_PER_S, "1 d 1 h");
    duration_puts(INT64_MAX, "106752 d");
}

static void test_dates(void) {
    struct buf b = {0};
    unit_put_date(&b, 1772332200 * NS_PER_S + 5);
    CHECK_TEXT("date in local time", b.data, "2026-03-01 03:30");
    b.len = 0;
    unit_put_date(&b, -1);
    CHECK_TEXT("unknown date", b.data, "-");
    buf_release(&b);
}

/* What is printed reads back, within what three digits carry. */
static void test_round_trips(void) {
    uint64_t seed = 88172645463325252u;
    int bad_sizes = 0, bad_durations = 0, bad_rates = 0, bad_dates = 0, long_texts = 0;
    for (int i = 0; i < 20000; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        int64_t value = (int64_t)(seed >> (1 + i % 60)), back = -1;
        double rate = -1;
        struct buf b = {0};
        enum unit_style style = i & 1 ? UNITS_IEC : UNITS_SI;

        if (value < (INT64_C(1) << 55)) {
            unit_put(&b, (double)value, "B", style);
            bad_sizes += unit_read_size(b.data, &back) ||
                         fabs((double)(back - value)) > 0.00501 * (double)value;
            b.len = 0;
            unit_put(&b, (double)value, "B/s", style);
            bad_rates +=
                value < 1000000000000000 && (unit_read_rate(b.data, &rate) ||
                                             fabs(rate - (double)value) > 0.00501 * (double)value);
            long_texts += text_width(b.data) > 11;
            b.len = 0;
        }
        unit_put_duration(&b, value);
        bad_durations += unit_read_duration(b.data, &back) ||
                         fabs((double)(back - value)) > 0.051 * (double)value;
        b.len = 0;
        unit_put_date(&b, value);
        bad_dates += unit_read_moment(b.data, 0, &back) || back > value + 7200 * NS_PER_S ||
                     value - back > 7200 * NS_PER_S;
        buf_release(&b);
    }
    CHECK("20000 sizes read back", bad_sizes == 0);
    CHECK("20000 rates read back", bad_rates == 0);
    CHECK("20000 durations read back", bad_durations == 0);
    CHECK("20000 dates read back", bad_dates == 0);
    CHECK("rates are short", long_texts == 0);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void test_text(void) {
    const char *words[] = {"iterations", "precision", "warmup", "order", "size", "sizes", "name"};
    size_t n = LENGTH(words);
    CHECK("width of ASCII", text_width("tank/bench") == 10);
    CHECK("width of nothing", text_width("") == 0);
    CHECK("width of umlauts", text_width("gr\303\266\303\237e") == 5);
    CHECK("width of combining", text_width("o\314\210") == 1);
    CHECK("width of CJK", text_width("\346\227\245\346\234\254") == 4);
    CHECK("width of Hangul jamo", text_width("\341\204\222\341\205\241\341\206\253") == 2);
    CHECK("width of emoji", text_width("\360\237\230\200") == 2);
    CHECK("width of a sparkline", text_width("\342\226\205\342\226\206\342\224\202") == 3);
    CHECK("width of zero width space", text_width("a\342\200\213b") == 2);
    CHECK("width of fullwidth A", text_width("\357\274\241") == 2);
    CHECK("width of broken bytes", text_width("a\377\303") == 3);
    CHECK("width of controls", text_width("a\tb\033") == 2);

    const struct {
        const char *text;
        size_t len;
        int want;
    } sequences[] = {
        {"a", 1, 1},
        {"", 0, 0},
        {"\0", 1, 1},
        {"\303\266", 2, 2},
        {"\303", 1, 0},
        {"\303\50", 2, 0},
        {"\300\200", 2, 0},
        {"\301\277", 2, 0},
        {"\340\200\200", 3, 0},
        {"\340\240\200", 3, 3},
        {"\355\240\200", 3, 0},
        {"\355\237\277", 3, 3},
        {"\360\200\200\200", 4, 0},
        {"\360\220\200\200", 4, 4},
        {"\364\217\277\277", 4, 4},
        {"\364\220\200\200", 4, 0},
        {"\365\200\200\200", 4, 0},
        {"\200", 1, 0},
        {"\342\202", 2, 0},
        {"\342\202\50", 3, 0},
        {"\376\377", 2, 0},
    };
    for (size_t i = 0; i < LENGTH(sequences); i++) {
        snprintf(name, sizeof name, "UTF-8 sequence %zu", i);
        CHECK(name, utf8_length((const unsigned char *)sequences[i].text, sequences[i].len) ==
                        sequences[i].want);
    }

    CHECK_TEXT("nearest: a letter missing", word_nearest("iteratons", words, n), "iterations");
    CHECK_TEXT("nearest: letters swapped", word_nearest("oredr", words, n), "order");
    CHECK_TEXT("nearest: upper case", word_nearest("Size", words, n), "size");
    CHECK_TEXT("nearest: dash for nothing", word_nearest("warm-up", words, n), "warmup");
    CHECK_TEXT("nearest: of equals the first", word_nearest("sizex", words, n), "size");
    CHECK_TEXT("nearest: exact", word_nearest("name", words, n), "name");
    CHECK("nearest: none", !word_nearest("bananas", words, n));
    CHECK("nearest: nothing", !word_nearest("", words, n));
    CHECK("nearest: one letter", !word_nearest("x", words, n));
    CHECK("nearest: no words", !word_nearest("size", words, 0));
    char longer[200];
    memset(longer, 's', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    CHECK("nearest: too long", !word_nearest(longer, words, n));
}

static void test_digest(void) { /* FIPS 180-4 examples */
    char hex[65];
    digest_hex("abc", 3, hex);
    CHECK_TEXT("digest of abc", hex,
               "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    digest_hex(NULL, 0, hex);
    CHECK_TEXT("digest of nothing", hex,
               "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

int main(void) {
    test_sizes();
    test_durations();
    test_numbers();
    test_moments();
    test_printing();
    test_dates();
    test_round_trips();
    test_text();
    test_digest();
    return check_done();
}
