/*
 * words.c: the small words of zpool's outputs: numbers with its suffixes, its dates, its lines.
 *
 * Numbers come from zfs_nicenum() (three digits, powers of 1024), dates from ctime() in text and
 * from strftime("%a %b %e %k:%M:%S %Z %Y") in JSON. None of them follows the locale but the decimal
 * sign: LC_NUMERIC with a comma was seen.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "status.h"
#include "zhist/unit.h"

const char *zfs_one_line(struct arena *a, const char *text, size_t len) {
    char *line = arena_alloc(a, len + 1, 1), *to = line;
    for (size_t i = 0; i < len && text[i]; i++) {
        if (!isspace((unsigned char)text[i]))
            *to++ = text[i];
        else if (to > line && to[-1] != ' ')
            *to++ = ' ';
    }
    if (to > line && to[-1] == ' ')
        to--;
    *to = '\0';
    return line;
}

int64_t zfs_count(const char *text, size_t len) {
    static const char suffixes[] = "KMGTPE";
    char number[32];
    double value, scale = 1;
    if (len > 1 && text[len - 1] == 'B')
        len--;
    if (!len || len >= sizeof number)
        return UNKNOWN;
    memcpy(number, text, len);
    number[len] = '\0';
    const char *suffix = strchr(suffixes, number[len - 1]);
    if (suffix) {
        scale = ldexp(1, (int)(10 * (suffix - suffixes + 1)));
        number[--len] = '\0';
    }
    char *comma = strchr(number, ',');
    if (comma)
        *comma = '.';
    if (!len || strspn(number, "0123456789.") != len)
        return UNKNOWN;
    int64_t whole;
    if (!suffix && !unit_read_count(number, &whole))
        return whole;
    if (unit_read_number(number, &value) || value * scale >= 9.2e18)
        return UNKNOWN;
    return (int64_t)(value * scale + 0.5);
}

/* The next word of *at, at most size - 1 bytes of it. */
static bool word(const char **at, char *to, size_t size) {
    const char *from = *at + strspn(*at, " \t\n");
    size_t len = strcspn(from, " \t\n,");
    if (!len || len >= size)
        return false;
    memcpy(to, from, len);
    to[len] = '\0';
    *at = from + len;
    return true;
}

static bool digits(const char *text, size_t len) {
    return strlen(text) == len && strspn(text, "0123456789") == len;
}

/* "4:01:02", "20:33:48"; false: no time of a day. */
static bool clock_of(const char *text, int at[3]) {
    int n = 0;
    for (; n < 3; n++) {
        size_t len = strspn(text, "0123456789");
        if (len < (n ? 2 : 1) || len > 2 || text[len] != (n < 2 ? ':' : '\0'))
            return false;
        at[n] = len == 2 ? (text[0] - '0') * 10 + text[1] - '0' : text[0] - '0';
        text += len + 1;
    }
    return at[0] < 24 && at[1] < 60 && at[2] <= 60; /* a leap second */
}

static bool is_leap(int64_t year) {
    return (year % 4 == 0 && year % 100) || year % 400 == 0;
}

const char *zfs_date(struct arena *a, const char *text) {
    static const char days[] = "MonTueWedThuFriSatSun";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    static const int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    char w[16];
    const char *at = text, *found;
    int64_t day, year;
    int clock[3];
    if (!word(&at, w, sizeof w) || strlen(w) != 3)
        return NULL;
    if ((found = strstr(days, w)) && (found - days) % 3 == 0 && !word(&at, w, sizeof w))
        return NULL;
    found = strlen(w) == 3 ? strstr(months, w) : NULL;
    if (!found || (found - months) % 3)
        return NULL;
    int month = (int)((found - months) / 3);
    if (!word(&at, w, sizeof w) || unit_read_count(w, &day) || day < 1 || day > lengths[month])
        return NULL;
    if (!word(&at, w, sizeof w) || !clock_of(w, clock))
        return NULL;
    if (!word(&at, w, sizeof w) || (!digits(w, 4) && (!word(&at, w, sizeof w) || !digits(w, 4))))
        return NULL;
    if (unit_read_count(w, &year) || (month == 1 && day == 29 && !is_leap(year)))
        return NULL;
    return arena_fmt(a, "%s-%02d-%02d %02d:%02d:%02d", w, month + 1, (int)day, clock[0], clock[1],
                     clock[2]);
}

const char *zfs_date_of_epoch(struct arena *a, int64_t seconds) {
    time_t t = (time_t)seconds;
    struct tm tm;
    char text[40];
    if (seconds <= 0 || !localtime_r(&t, &tm) || tm.tm_year > 9999 - 1900)
        return NULL;
    return strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm) ? arena_str(a, text) : NULL;
}

bool zfs_says_suspended(const char *state, const char *status) {
    return (state && !strcmp(state, "SUSPENDED")) ||
           (status && (strstr(status, "suspended") || strstr(status, "IO failures") ||
                       strstr(status, "I/O failures")));
}
