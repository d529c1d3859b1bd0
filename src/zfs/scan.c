/*
 * scan.c: the scan lines of zpool status, from the "scrub:" of pool version 10 to OpenZFS 2.4.
 *
 * A shape is taken for what it says only where its words are those zpool prints; everything else is
 * "not understood", never idle: a run during a scrub would look like a regression. What runs is
 * recognised by less than what has ended. Words: print_scan_status() and its kin in OpenZFS's
 * cmd/zpool/zpool_main.c of 0.6 to 2.4.
 */
#include <math.h>
#include <string.h>

#include "status.h"
#include "zhist/unit.h"

const char *const scan_kind_names[] = {"none",    "scrub",       "resilver",
                                       "rebuild", "error scrub", "unknown"};
const char *const scan_state_names[] = {"unknown", "idle",     "running",
                                        "paused",  "finished", "canceled"};

/* What stands behind prefix in text, or NULL. */
static const char *after(const char *text, const char *prefix) {
    size_t len = strlen(prefix);
    return text && !strncmp(text, prefix, len) ? text + len : NULL;
}

/* A date; NULL where the words are none: they stay in the scan's text, and are compared with
 * nothing. */
static const char *moment(struct arena *a, const char *at) {
    return at ? zfs_date(a, at) : NULL;
}

static const char *moment_after_last(struct arena *a, const char *text, const char *word) {
    const char *found = NULL;
    for (const char *at = text; (at = strstr(at, word)); at++)
        found = at + strlen(word);
    return moment(a, found);
}

/* "(mirror-0) " of a sequential resilver is skipped: *rebuild tells that it was there. */
static const char *skip_vdev(const char *at, bool *rebuild) {
    const char *end = at && *at == '(' ? strchr(at, ')') : NULL;
    *rebuild = end && end[1] == ' ';
    return *rebuild ? end + 2 : at;
}

static double share_done(const char *text) {
    const char *sign = strstr(text, "% done"), *from = sign;
    char number[32];
    double value;
    while (from > text && strchr("0123456789.,", from[-1]))
        from--;
    if (!sign || from == sign || (size_t)(sign - from) >= sizeof number)
        return NAN;
    memcpy(number, from, (size_t)(sign - from));
    number[sign - from] = '\0';
    char *comma = strchr(number, ',');
    if (comma)
        *comma = '.';
    /* An error scrub of 2.3 told 17600 %. */
    return unit_read_number(number, &value) || value < 0 || value > 100 ? (double)NAN : value / 100;
}

/* What is said of a scrub or resilver behind its name; false: not understood. */
static bool read_state(struct arena *a, const char *at, struct scan *scan) {
    const char *rest;
    if ((rest = after(at, "in progress")) && (!*rest || *rest == ' ' || *rest == ',')) {
        scan->state = SCAN_RUNNING;
        scan->started = moment(a, after(rest, " since "));
        scan->done = share_done(rest);
    } else if ((rest = after(at, "paused")) && (!*rest || *rest == ' ')) {
        scan->state = SCAN_PAUSED;
        scan->started = moment_after_last(a, rest, "started on ");
        scan->done = share_done(rest);
    } else if ((rest = after(at, "canceled")) || (rest = after(at, "cancelled")) ||
               (rest = after(at, "stopped after "))) {
        scan->state = SCAN_CANCELED;
        scan->ended = moment_after_last(a, rest, "on ");
    } else if ((rest = after(at, "completed after "))) {
        scan->state = SCAN_FINISHED;
        scan->ended = moment_after_last(a, rest, " on ");
    }
    return scan->state != SCAN_STATE_UNKNOWN;
}

/* "24.1M in 00:00:01 with 0 errors on ..." */
static bool read_finished(struct arena *a, const char *at, struct scan *scan) {
    size_t len = strcspn(at, " ");
    if (zfs_count(at, len) == UNKNOWN || !after(at + len, " in "))
        return false;
    scan->state = SCAN_FINISHED;
    scan->ended = moment_after_last(a, at, " on ");
    return true;
}

static bool read_scan(struct arena *a, const char *line, struct scan *scan) {
    const char *at;
    bool rebuild = false;
    if (!strcmp(line, "none requested")) {
        scan->kind = SCAN_NEVER;
        scan->state = SCAN_IDLE;
        return true;
    }
    if ((at = after(line, "scrub repaired ")) || (at = after(line, "resilvered "))) {
        scan->kind = *line == 's' ? SCAN_SCRUB : SCAN_RESILVER;
        if (*line == 'r')
            at = skip_vdev(at, &rebuild);
        scan->kind = rebuild ? SCAN_REBUILD : scan->kind;
        return read_finished(a, at, scan);
    }
    if ((at = after(line, "scrubbed "))) { /* "scrubbed 12 error blocks in 00:00:01 on ..." */
        size_t len = strcspn(at, " ");
        scan->kind = SCAN_ERROR_SCRUB;
        scan->state = SCAN_FINISHED;
        scan->ended = moment_after_last(a, at, " on ");
        return zfs_count(at, len) != UNKNOWN && after(at + len, " error block");
    }
    if ((at = after(line, "error scrub "))) {
        scan->kind = SCAN_ERROR_SCRUB;
    } else if ((at = after(line, "scrub "))) {
        scan->kind = SCAN_SCRUB;
    } else if ((at = after(line, "resilver "))) {
        at = skip_vdev(at, &rebuild);
        scan->kind = rebuild ? SCAN_REBUILD : SCAN_RESILVER;
    }
    return at && read_state(a, at, scan);
}

void scan_from_text(struct arena *a, const char *text, struct scan *scan) {
    const char *line = zfs_one_line(a, text, strlen(text));
    *scan = (struct scan){.done = NAN, .text = line};
    if (!read_scan(a, line, scan))
        *scan = (struct scan){.kind = SCAN_NOT_UNDERSTOOD, .done = NAN, .text = line};
}

static int rank(const struct scan *s) {
    return s->state == SCAN_RUNNING         ? 4
           : s->kind == SCAN_NOT_UNDERSTOOD ? 3
           : s->state == SCAN_PAUSED        ? 2
           : s->kind != SCAN_NEVER          ? 1
                                            : 0;
}

/* Of two that are over, the later one; one whose end is no date cannot be it. */
const struct scan *scan_to_tell(const struct scan *one, const struct scan *other) {
    if (rank(one) != rank(other))
        return rank(one) > rank(other) ? one : other;
    if (!other->ended || (one->ended && strcmp(one->ended, other->ended) >= 0))
        return one;
    return other;
}
