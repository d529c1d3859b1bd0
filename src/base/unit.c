/*
 * unit.c: the one reader and the one printer of sizes, durations, rates, shares and dates.
 *
 * Readers take the whole text or nothing and check every step for overflow. It must not decide
 * what a field allows (positive, below a limit): that is for whoever asks. Text without numbers
 * (display width, nearest word) is in text.c.
 */
#include "zhist/unit.h"

#include <math.h>
#include <time.h>

#define MINUTE (60 * NS_PER_S)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static const char too_large[] = "is too large";
static const char negative[] = "must not be negative";

/* ---- reading --------------------------------------------------------------------------------- */

/* A decimal number kept as a whole part and a fraction, so that whole parts stay exact. */
struct decimal {
    int64_t whole;
    double fraction; /* 0 <= fraction < 1 */
    bool has_fraction;
    bool overflow;
};

struct scale {
    const char *unit;
    int64_t factor;
};

#define KI INT64_C(1024)
#define K INT64_C(1000)

static const struct scale size_scales[] = {
    {"", 1},
    {"B", 1},
    {"K", KI},
    {"k", KI}, /* GNU dd takes both */
    {"KiB", KI},
    {"kiB", KI},
    {"KB", K},
    {"kB", K},
    {"M", KI *KI},
    {"MiB", KI *KI},
    {"MB", K *K},
    {"G", KI *KI *KI},
    {"GiB", KI *KI *KI},
    {"GB", K *K *K},
    {"T", KI *KI *KI *KI},
    {"TiB", KI *KI *KI *KI},
    {"TB", K *K *K *K},
    {"P", KI *KI *KI *KI *KI},
    {"PiB", KI *KI *KI *KI *KI},
    {"PB", K *K *K *K *K},
};

static const struct scale bit_scales[] = {
    {"bit", 1}, {"kbit", K}, {"Kbit", K}, {"Mbit", K *K}, {"Gbit", K *K *K}, {"Tbit", K *K *K *K},
};

static const struct scale time_scales[] = {
    {"ns", 1},     {"us", 1000},    {"\302\265s", 1000}, {"ms", 1000000}, {"s", NS_PER_S},
    {"m", MINUTE}, {"min", MINUTE}, {"h", HOUR},         {"d", DAY},      {"w", 7 * DAY},
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *skip_spaces(const char *p) {
    while (*p == ' ')
        p++;
    return p;
}

/* Returns what follows the number, or NULL where none begins. */
static const char *read_decimal(const char *p, struct decimal *d) {
    *d = (struct decimal){0};
    if (!is_digit(*p))
        return NULL;
    for (; is_digit(*p); p++) {
        int digit = *p - '0';
        if (d->whole > (INT64_MAX - digit) / 10)
            d->overflow = true;
        else
            d->whole = d->whole * 10 + digit;
    }
    if (*p != '.')
        return p;
    if (!is_digit(*++p))
        return NULL;
    d->has_fraction = true;
    int64_t digits = 0, power = 1;
    for (; is_digit(*p); p++)
        if (power < INT64_C(1000000000000000)) { /* what a double can hold; the rest is noise */
            digits = digits * 10 + (*p - '0');
            power *= 10;
        }
    d->fraction = (double)digits / (double)power;
    return p;
}

static const struct scale *find_scale(const struct scale *table, size_t n, const char *unit,
                                      size_t len) {
    for (size_t i = 0; i < n; i++)
        if (strlen(table[i].unit) == len && !memcmp(table[i].unit, unit, len))
            return &table[i];
    return NULL;
}

/* Rounds to the nearest; false where it does not fit. */
static bool scale_decimal(const struct decimal *d, int64_t factor, int64_t *out) {
    int64_t part = (int64_t)llround(d->fraction * (double)factor);
    if (d->overflow || d->whole > (INT64_MAX - part) / factor)
        return false;
    *out = d->whole * factor + part;
    return true;
}

const char *unit_read_size(const char *text, int64_t *bytes) {
    struct decimal d;
    if (*text == '-')
        return negative;
    const char *unit = read_decimal(text, &d);
    if (!unit)
        return "is not a size, like 4K, 64MiB or 1.5GB";
    unit = skip_spaces(unit);
    const struct scale *s = find_scale(size_scales, LENGTH(size_scales), unit, strlen(unit));
    if (!s)
        return "has an unknown unit: K M G T P and KiB MiB ... are powers of 1024, "
               "KB MB ... of 1000";
    if (d.has_fraction && s->factor == 1)
        return "is not a whole number of bytes";
    int64_t value;
    if (!scale_decimal(&d, s->factor, &value))
        return too_large;
    *bytes = value;
    return NULL;
}

const char *unit_read_duration(const char *text, int64_t *ns) {
    int64_t sum = 0, smaller_than = INT64_MAX;
    const char *p = text;
    if (*p == '-')
        return negative;
    do { /* "1h30m" too: what unit_put_duration prints reads back */
        struct decimal d;
        int64_t value;
        p = read_decimal(p, &d);
        if (!p)
            return "is not a duration, like 90s, 1.5h or 30d";
        const char *unit = skip_spaces(p);
        for (p = unit; *p && *p != ' ' && !is_digit(*p); p++)
            ;
        if (p == unit)
            return "needs a unit: ns, us, ms, s, m, h, d or w";
        const struct scale *s =
            find_scale(time_scales, LENGTH(time_scales), unit, (size_t)(p - unit));
        if (!s)
            return "has an unknown unit: ns, us, ms, s, m, h, d and w are known";
        if (s->factor >= smaller_than)
            return "has its units in the wrong order";
        smaller_than = s->factor;
        if (!scale_decimal(&d, s->factor, &value) || value > INT64_MAX - sum)
            return too_large;
        sum += value;
        p = skip_spaces(p);
    } while (*p);
    *ns = sum;
    return NULL;
}

const char *unit_read_rate(const char *text, double *bytes_per_s) {
    struct decimal d;
    if (*text == '-')
        return negative;
    const char *unit = read_decimal(text, &d);
    if (!unit)
        return "is not a rate, like 248MB/s or 10Gbit/s";
    unit = skip_spaces(unit);
    size_t len = strlen(unit);
    if (len == 0)
        return "needs a unit, like MB/s, MiB/s or Gbit/s";
    if (len < 3 || memcmp(unit + len - 2, "/s", 2))
        return "needs /s at its end, like 248MB/s or 10Gbit/s";
    double value = (double)d.whole + d.fraction;
    const struct scale *s = find_scale(size_scales, LENGTH(size_scales), unit, len - 2);
    if (!s) {
        s = find_scale(bit_scales, LENGTH(bit_scales), unit, len - 2);
        value /= 8;
    }
    if (!s)
        return "has an unknown unit, write it like MB/s, MiB/s or Gbit/s";
    if (d.overflow)
        return too_large;
    *bytes_per_s = value * (double)s->factor;
    return NULL;
}

const char *unit_read_percent(const char *text, double *share) {
    struct decimal d;
    if (*text == '-')
        return negative;
    const char *unit = read_decimal(text, &d);
    if (!unit)
        return "is not a share, like 5%";
    if (strcmp(skip_spaces(unit), "%"))
        return "needs a percent sign, like 5%";
    if (d.overflow)
        return too_large;
    *share = ((double)d.whole + d.fraction) / 100;
    return NULL;
}

const char *unit_read_count(const char *text, int64_t *count) {
    struct decimal d;
    if (*text == '-')
        return negative;
    const char *rest = read_decimal(text, &d);
    if (!rest || *rest || d.has_fraction)
        return "is not a whole number";
    if (d.overflow)
        return too_large;
    *count = d.whole;
    return NULL;
}

const char *unit_read_number(const char *text, double *value) {
    static const char form[] = "is not a number";
    const char *p = text;
    /* strtod alone would also take hexadecimals, "inf", "nan" and trailing text. */
    if (*p == '-' || *p == '+')
        p++;
    if (!is_digit(*p))
        return form;
    while (is_digit(*p))
        p++;
    if (*p == '.') {
        if (!is_digit(*++p))
            return form;
        while (is_digit(*p))
            p++;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '-' || *p == '+')
            p++;
        if (!is_digit(*p))
            return form;
        while (is_digit(*p))
            p++;
    }
    if (*p)
        return form;
    double number = strtod(text, NULL);
    if (!isfinite(number))
        return too_large;
    *value = number;
    return NULL;
}

/* Exactly n digits; returns what follows, or NULL. */
static const char *read_digits(const char *p, int n, int *out) {
    *out = 0;
    for (; n > 0; n--, p++) {
        if (!is_digit(*p))
            return NULL;
        *out = *out * 10 + (*p - '0');
    }
    return p;
}

const char *unit_read_moment(const char *text, int64_t now_ns, int64_t *ns) {
    static const char form[] = "is not a moment: write 30d, 2026-03-01 or 2026-03-01T03:30";
    int year, month, day, hour = 0, minute = 0, second = 0;
    const char *p = read_digits(text, 4, &year);
    if (!p || *p != '-') {
        int64_t ago;
        if (!unit_read_duration(text, &ago)) {
            *ns = now_ns - ago;
            return NULL;
        }
        return is_digit(*text) ? unit_read_duration(text, &ago) : form;
    }
    p = read_digits(p + 1, 2, &month);
    if (!p || *p != '-' || !(p = read_digits(p + 1, 2, &day)))
        return form;
    if (*p == 'T' || *p == ' ') {
        p = read_digits(p + 1, 2, &hour);
        if (!p || *p != ':' || !(p = read_digits(p + 1, 2, &minute)))
            return form;
        if (*p == ':' && !(p = read_digits(p + 1, 2, &second)))
            return form;
    }
    if (*p)
        return form;
    if (year < 1970 || year > 2261) /* what int64_t ns since 1970 can hold */
        return "lies outside the years 1970 to 2261";
    if (hour > 23 || minute > 59 || second > 59)
        return "names an hour that does not exist";
    struct tm tm = {.tm_year = year - 1900,
                    .tm_mon = month - 1,
                    .tm_mday = day,
                    .tm_hour = hour,
                    .tm_min = minute,
                    .tm_sec = second,
                    .tm_isdst = -1};
    time_t t = mktime(&tm);
    /* Only the day is compared: an hour skipped by summer time is moved, not wrong. */
    if (tm.tm_mon != month - 1 || tm.tm_mday != day)
        return "names a day that does not exist";
    *ns = (int64_t)t * NS_PER_S;
    return NULL;
}

/* ---- printing -------------------------------------------------------------------------------- */

struct step {
    double factor;
    const char *unit;
};

/* From small to large; a value takes the largest step it fills. */
static const struct step size_si[] = {{1, "B"},     {1e3, "kB"},  {1e6, "MB"}, {1e9, "GB"},
                                      {1e12, "TB"}, {1e15, "PB"}, {0, NULL}};
static const struct step size_iec[] = {{1, "B"},        {0x1p10, "KiB"}, {0x1p20, "MiB"},
                                       {0x1p30, "GiB"}, {0x1p40, "TiB"}, {0x1p50, "PiB"},
                                       {0, NULL}};
static const struct step rate_si[] = {{1, "B/s"},    {1e3, "kB/s"},  {1e6, "MB/s"},
                                      {1e9, "GB/s"}, {1e12, "TB/s"}, {0, NULL}};
static const struct step rate_iec[] = {{1, "B/s"},        {0x1p10, "KiB/s"}, {0x1p20, "MiB/s"},
                                       {0x1p30, "GiB/s"}, {0x1p40, "TiB/s"}, {0, NULL}};
static const struct step time_ns[] = {{1, "ns"},     {1e3, "\302\265s"}, {1e6, "ms"}, {1e9, "s"},
                                      {6e10, "min"}, {3.6e12, "h"},      {0, NULL}};
static const struct step time_s[] = {{1e-9, "ns"}, {1e-6, "\302\265s"}, {1e-3, "ms"}, {1, "s"},
                                     {60, "min"},  {3600, "h"},         {0, NULL}};
static const struct step per_second[] = {{1, "IOPS"}, {1e3, "k IOPS"}, {1e6, "M IOPS"}, {0, NULL}};
static const struct step files_per_second[] = {
    {1, "files/s"}, {1e3, "k files/s"}, {1e6, "M files/s"}, {0, NULL}};
static const struct step plain[] = {{1, ""}, {0, NULL}};

static const struct ladder {
    const char *unit;
    const struct step *si, *iec;
    double full; /* how much of a step is filled before the next one is taken */
} ladders[] = {
    {"B", size_si, size_iec, 1},
    {"B/s", rate_si, rate_iec, 1},
    {"ns", time_ns, time_ns, 1},
    {"s", time_s, time_s, 1},
    {"1/s", per_second, per_second, 10}, /* 1240 files/s is read more easily than 1.24 k */
    {"files/s", files_per_second, files_per_second, 10},
    {"ratio", plain, plain, 1},
    {"", plain, plain, 1},
};

static const struct ladder *find_ladder(const char *unit) {
    for (size_t i = 0; i < LENGTH(ladders); i++)
        if (!strcmp(ladders[i].unit, unit))
            return &ladders[i];
    return NULL;
}

static const struct step *find_step(const struct ladder *l, double value, enum unit_style style) {
    const struct step *steps = style == UNITS_IEC ? l->iec : l->si, *step = steps;
    double size = fabs(value);
    if (!isfinite(size) || size <= 0) { /* the base unit itself: 0 s, not 0 ns */
        while (step[1].unit && step->factor < 1)
            step++;
        return step;
    }
    for (; step[1].unit; step++) {
        const struct step *next = step + 1;
        /* 999.6 kB is printed as 1.00 MB, but 90 s and 100 min stay what people call them. */
        double enough = !strcmp(next->unit, "min")            ? 1000 * step->factor
                        : !strcmp(next->unit, "h")            ? 2 * next->factor
                        : next->factor == 1024 * step->factor ? 1000 * step->factor
                                                              : next->factor * l->full;
        if (size < enough * 0.9995)
            break;
    }
    return step;
}

void unit_put_number(struct buf *b, double value) {
    double size = fabs(value);
    if (isnan(value))
        buf_str(b, "-");
    else if (isinf(value))
        buf_str(b, value > 0 ? "inf" : "-inf");
    else if (size <= 0)
        buf_str(b, "0");
    else if (size < 0.0009995 || size >= 999999.5)
        buf_fmt(b, "%.2e", value);
    else {
        int decimals = 5;
        for (double limit = 0.009995; decimals > 0 && size >= limit; limit *= 10)
            decimals--;
        buf_fmt(b, "%.*f", decimals, value);
    }
}

/* A size that is a whole number of its unit is printed as one: 8 GiB, 2000 MiB, 512 B. */
static bool put_whole_size(struct buf *b, double value, const struct step *step,
                           const struct step *first) {
    double hundredths = value / step->factor * 100;
    bool exact = fabs(hundredths - round(hundredths)) < 1e-9;
    if (!exact && step > first && fabs(value / step[-1].factor) < 9999.5)
        step--;
    double count = value / step->factor;
    if (fabs(count - round(count)) > 0 || fabs(count) > 999999)
        return false;
    buf_fmt(b, "%.0f %s", count, step->unit);
    return true;
}

void unit_put_scaled(struct buf *b, double value, double like, const char *unit,
                     enum unit_style style, bool with_unit) {
    const struct ladder *l = find_ladder(unit);
    const struct step other = {1, unit}, *step = l ? find_step(l, like, style) : &other;
    unit_put_number(b, value / step->factor);
    if (with_unit && !isnan(value) && *step->unit)
        buf_fmt(b, " %s", step->unit);
}

void unit_put(struct buf *b, double value, const char *unit, enum unit_style style) {
    const struct step *first = style == UNITS_IEC ? size_iec : size_si;
    if (!strcmp(unit, "B") && isfinite(value) &&
        put_whole_size(b, value, find_step(&ladders[0], value, style), first))
        return;
    unit_put_scaled(b, value, value, unit, style, true);
}

static void put_two(struct buf *b, int64_t n, int64_t per, const char *large, const char *small) {
    buf_fmt(b, "%lld %s", (long long)(n / per), large);
    if (n % per)
        buf_fmt(b, " %lld %s", (long long)(n % per), small);
}

void unit_put_duration(struct buf *b, int64_t ns) {
    if (ns < 0) { /* UNKNOWN */
        buf_str(b, "-");
        return;
    }
    int64_t seconds = ns / NS_PER_S + (ns % NS_PER_S >= NS_PER_S / 2);
    int64_t minutes = (seconds + 30) / 60, hours = (minutes + 30) / 60;
    if (minutes >= INT64_C(24) * 60) {
        put_two(b, hours, 24, "d", "h");
    } else if (seconds >= 3600) {
        put_two(b, minutes, 60, "h", "min");
    } else if (seconds >= 60) {
        put_two(b, seconds, 60, "min", "s");
    } else {
        const struct step *step = time_ns;
        while (step->factor < 1e9 && (double)ns >= 999.5 * step->factor)
            step++;
        double value = (double)ns / step->factor;
        bool tenths = value < 9.95 && fabs(value - round(value)) >= 0.05;
        buf_fmt(b, "%.*f %s", tenths ? 1 : 0, value, ns ? step->unit : "s");
    }
}

void unit_put_date(struct buf *b, int64_t ns) {
    time_t t = (time_t)(ns / NS_PER_S);
    struct tm tm;
    char text[64];
    if (ns < 0 || !localtime_r(&t, &tm) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M", &tm)) {
        buf_str(b, "-");
        return;
    }
    buf_str(b, text);
}

void unit_put_exact(struct buf *b, int64_t bytes) {
    static const struct {
        const char *name;
        int64_t bytes;
    } units[] = {{"TiB", INT64_C(1) << 40}, {"GiB", INT64_C(1) << 30}, {"MiB", INT64_C(1) << 20},
                 {"TB", INT64_C(1000000000000)}, {"GB", INT64_C(1000000000)},
                 {"MB", INT64_C(1000000)}, {"KiB", INT64_C(1) << 10}, {"kB", INT64_C(1000)}};
    for (size_t i = 0; i < LENGTH(units); i++)
        if (bytes && bytes % units[i].bytes == 0) {
            buf_fmt(b, "%lld %s", (long long)(bytes / units[i].bytes), units[i].name);
            return;
        }
    buf_fmt(b, "%lld B", (long long)bytes);
}
