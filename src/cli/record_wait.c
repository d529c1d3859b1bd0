/*
 * record_wait.c: `--wait` and `--skip-busy`: what to do about a machine that is busy just now.
 * Nothing is open or written while it waits.
 */
#include <math.h>

#include "recorder.h"
#include "zhist/unit.h"

/* A short scan is over soon; whoever waits for a long one does not mind half a minute. */
static const int64_t FIRST_POLL = 2 * NS_PER_S, LAST_POLL = 30 * NS_PER_S;

/* The first finding that will pass, if nothing is refused that stays. A pool that is resilvered is
 * degraded until that is done. A zpool that fails or hangs now may answer the next time. */
static const struct finding *passing(const struct survey *s) {
    const struct finding *first = NULL;
    bool stays = false, degraded = false, scan = false;
    for (size_t i = 0; s->findings.items && i < s->findings.n; i++) {
        const struct finding *f = &s->findings.items[i];
        if (finding_passes(f)) {
            scan |= !strncmp(f->code, "scan-", 5);
            first = first ? first : f;
        } else if (f->severity == SEVERITY_REFUSE) {
            bool pool = !strcmp(f->code, "pool-degraded");
            degraded |= pool;
            stays |= !pool;
        }
    }
    return stays || (degraded && !scan) ? NULL : first;
}

const struct finding *wait_needed(const struct survey *s) {
    return passing(s);
}

/* Not those that a person has to put right: another dataset, other properties, other hardware. */
static bool of_the_moment(const struct finding *f) {
    return finding_passes(f) || !strncmp(f->code, "pool-", 5) || !strcmp(f->code, "low-space");
}

const struct finding *wait_skip(const struct survey *s) {
    const struct finding *first = NULL;
    for (size_t i = 0; s->findings.items && i < s->findings.n; i++) {
        const struct finding *f = &s->findings.items[i];
        if (f->severity == SEVERITY_REFUSE && !of_the_moment(f))
            return NULL;
        if (!first && (f->severity == SEVERITY_REFUSE || finding_passes(f)))
            first = f;
    }
    return first;
}

static const char *time_text(struct arena *a, int64_t ns) {
    struct buf b = {0};
    unit_put_duration(&b, ns - ns % NS_PER_S);
    const char *text = arena_str(a, b.data);
    buf_release(&b);
    return text;
}

/* Rests, and shows on a terminal what for and how long it has been. */
static void rest(struct recorder *r, const char *code, int64_t began, int64_t limit, int64_t ns) {
    int64_t until = clock_monotonic_ns() + ns, left;
    while ((left = until - clock_monotonic_ns()) > 0 && !record_stopped(r)) {
        struct arena a = {0};
        char what[200];
        snprintf(what, sizeof what, "waiting for the end of %s: %s of %s", code,
                 time_text(&a, clock_monotonic_ns() - began), time_text(&a, limit));
        progress_begin(r->progress, what, NAN, began);
        record_rest(r, left < NS_PER_S ? left : NS_PER_S);
        progress_end(r->progress);
        arena_release(&a);
    }
}

int64_t wait_rest(int64_t poll, int64_t left, int64_t look) {
    int64_t rest_ns = left > look ? left - look : 0;
    return poll < rest_ns ? poll : rest_ns;
}

/* What a finding begins with: what was seen. The whole sentence follows should it be refused. */
static const char *seen(struct arena *a, const struct finding *f) {
    const char *end = strstr(f->text, ": ");
    return end ? arena_copy(a, f->text, (size_t)(end - f->text)) : f->text;
}

int record_wait(struct recorder *r, int64_t limit, struct err *e) {
    struct arena *a = r->call->arena;
    const struct finding *f;
    const char *code = NULL;
    int64_t began = clock_monotonic_ns(), poll = FIRST_POLL;
    /* At least once; after that only where there is time for another look. */
    while ((f = passing(&r->survey)) && (!code || limit - r->waited > r->survey.took)) {
        if ((!code || strcmp(code, f->code)) && !r->quiet)
            print_note("waiting, %s at most: %s: %s", time_text(a, limit), f->code, seen(a, f));
        code = arena_str(a, f->code);
        rest(r, code, began, limit, wait_rest(poll, limit - r->waited, r->survey.took));
        if (record_stopped(r))
            return err_set(e, ERR_INTERRUPTED,
                           "interrupted after waiting %s for the end of %s: nothing was measured",
                           time_text(a, clock_monotonic_ns() - began), code);
        poll = 2 * poll < LAST_POLL ? 2 * poll : LAST_POLL;
        struct arena reading = {0};
        struct disk_reading since;
        disks_read(&reading, &since);
        survey_look(r, &since);
        survey_judge(r);
        arena_release(&reading);
        r->waited = clock_monotonic_ns() - began;
    }
    if (!r->quiet)
        print_note("waited %s", time_text(a, r->waited));
    return 0;
}
