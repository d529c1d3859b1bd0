/*
 * status_row.c: one row of the table of zpool status: where its columns stand, its state, its
 * counters, and what the note behind them says.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "status.h"

bool row_columns(struct columns *c, size_t indent, const char *body) {
    const char *state;
    int n = 0;
    if (strncmp(body, "NAME", 4) || !isspace((unsigned char)body[4]) ||
        !(state = strstr(body, " STATE")))
        return false;
    *c = (struct columns){.state_at = (size_t)(state + 1 - body),
                          .name_indent = indent,
                          .at_read = -1,
                          .at_write = -1,
                          .at_checksum = -1};
    for (const char *at = state + 6; *at; n++) {
        at += strspn(at, " \t");
        size_t len = strcspn(at, " \t");
        if (len == 4 && !strncmp(at, "READ", len))
            c->at_read = n;
        else if (len == 5 && !strncmp(at, "WRITE", len))
            c->at_write = n;
        else if (len == 5 && !strncmp(at, "CKSUM", len))
            c->at_checksum = n;
        at += len;
    }
    c->counters = n;
    return true;
}

const char *row_class(const char *body) {
    static const char *const classes[][2] = {{"logs", "log"},
                                             {"cache", "cache"},
                                             {"spares", "spare"},
                                             {"special", "special"},
                                             {"dedup", "dedup"}};
    size_t len = strcspn(body, " \t");
    for (size_t i = 0; i < LENGTH(classes); i++)
        if (strlen(classes[i][0]) == len && !strncmp(classes[i][0], body, len))
            return classes[i][1];
    return NULL;
}

static bool is_state(const char *text, size_t len) {
    static const char *const states[] = {"ONLINE",  "DEGRADED", "FAULTED", "OFFLINE",
                                         "UNAVAIL", "REMOVED",  "AVAIL",   "INUSE"};
    for (size_t i = 0; i < LENGTH(states); i++)
        if (strlen(states[i]) == len && !strncmp(states[i], text, len))
            return true;
    return false;
}

static bool all_upper(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (!isupper((unsigned char)text[i]) && text[i] != '_')
            return false;
    return len > 2;
}

/* Where the state begins: under its heading, so that a name may hold spaces; else the first word
 * behind the name that is one. NULL: none. A state of a later version is taken under the heading.
 */
const char *row_state(const struct columns *c, size_t indent, const char *body) {
    size_t ahead = indent > c->name_indent ? indent - c->name_indent : 0;
    if (indent >= c->name_indent && strlen(body) + ahead > c->state_at && c->state_at > ahead + 1) {
        const char *at = body + (c->state_at - ahead);
        size_t len = strcspn(at, " \t");
        if (at[-1] == ' ' && (is_state(at, len) || all_upper(at, len)))
            return at;
    }
    for (const char *at = body + strcspn(body, " \t"); *at;) {
        at += strspn(at, " \t");
        size_t len = strcspn(at, " \t");
        if (is_state(at, len))
            return at;
        at += len;
    }
    return NULL;
}

/* Numbers behind the state, then what is left. How many there were. */
int row_counters(struct arena *a, const struct columns *c, const char *at, struct vdev *v) {
    int n = 0;
    for (; n < c->counters; n++) {
        const char *word = at + strspn(at, " \t");
        size_t len = strcspn(word, " \t");
        int64_t value = zfs_count(word, len);
        if (!len || (value == UNKNOWN && (len != 1 || *word != '-')))
            break;
        if (n == c->at_read)
            v->read_errors = value;
        if (n == c->at_write)
            v->write_errors = value;
        if (n == c->at_checksum)
            v->checksum_errors = value;
        at = word + len;
    }
    const char *note = zfs_one_line(a, at, strlen(at));
    v->note = *note ? note : NULL;
    return n;
}

/* What a note says of work on this disk. "(12% trimmed, suspended, started at ..." does not run. */
void row_activity(struct pool *p, const char *note) {
    if (!note)
        return;
    for (const char *at = note; (at = strchr(at, '(')); at++) {
        char what[160];
        snprintf(what, sizeof what, "%.*s", (int)strcspn(at, ")"), at);
        bool runs = strstr(what, ", started at") && !strstr(what, "suspended");
        if (!strcmp(what, "(trimming") || (strstr(what, "% trimmed") && runs))
            p->trimming = TOLD_YES;
        if (!strcmp(what, "(initializing") || (strstr(what, "% initialized") && runs))
            p->initializing = TOLD_YES;
    }
}
