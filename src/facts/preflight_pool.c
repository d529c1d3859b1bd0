/*
 * preflight_pool.c: the pool under a target before a run: what runs on it by itself, whether it is
 * whole, and how full it is. What is true of the pool is said in the same words of each target in
 * it. Must read nothing: the facts are handed in.
 */
#include "preflight.h"
#include "zhist/json.h"

static const char *name_of(const struct factset *pool) {
    const char *name = fact_value(pool, "name");
    return name ? name : "?";
}

static bool ends_with(const char *text, const char *end) {
    size_t len = strlen(text), n = strlen(end);
    return len >= n && !strcmp(text + len - n, end);
}

const char *pool_activity(struct arena *a, const struct factset *pool) {
    static const struct {
        const char *key, *name;
    } others[] = {{"trim", "a trim"},
                  {"initialize", "an initialization of disks"},
                  {"remove", "the removal of a vdev"},
                  {"expand", "an expansion"}};
    const char *scan = fact_value(pool, "scan"), *text = NULL;
    size_t n = 0;
    if (scan && ends_with(scan, " running")) {
        text = arena_fmt(a, "a %.*s", (int)(strlen(scan) - strlen(" running")), scan);
        n++;
    }
    for (size_t i = 0; i < LENGTH(others); i++)
        if (fact_is(pool, others[i].key, "yes")) {
            text = arena_fmt(a, "%s%s%s", text ? text : "", text ? " and " : "", others[i].name);
            n++;
        }
    return text ? arena_fmt(a, "%s %s running", text, n > 1 ? "are" : "is") : NULL;
}

enum { NAMED_AT_MOST = 6 };

/* The leaves that are not in order, as "sdb OFFLINE"; the tree is JSON of pool.c. */
static void name_broken(const struct json *vdev, struct buf *out, int *n) {
    const char *name = json_text(vdev, "disk"), *state = json_text(vdev, "state");
    const struct json *list = json_get(vdev, "below");
    for (const struct json *v = list ? list->first : NULL; v; v = v->next)
        name_broken(v, out, n);
    if ((list && list->first) || !state || !strcmp(state, "ONLINE") || !strcmp(state, "AVAIL") ||
        !strcmp(state, "INUSE"))
        return;
    name = name ? name : json_text(vdev, "name");
    if (++*n <= NAMED_AT_MOST)
        buf_fmt(out, "%s%s %s", out->len ? ", " : "", name ? name : "a disk", state);
    else if (*n == NAMED_AT_MOST + 1)
        buf_str(out, ", ...");
}

static const char *broken(struct arena *a, const struct factset *pool) {
    const char *tree = fact_value(pool, "tree");
    struct err e;
    const struct json *root = tree ? json_read(a, tree, strlen(tree), &e) : NULL;
    struct buf b = {0};
    int n = 0;
    if (root)
        name_broken(root, &b, &n);
    const char *text = b.len ? arena_str(a, b.data) : NULL;
    buf_release(&b);
    return text;
}

const char *pool_trouble(struct arena *a, const struct factset *pool) {
    const char *health = fact_value(pool, "health"), *status = fact_value(pool, "status");
    if (fact_is(pool, "suspended", "yes"))
        return "SUSPENDED (every access waits until `zpool clear`)";
    if (!health || !strcmp(health, "ONLINE"))
        return NULL;
    const char *members = broken(a, pool);
    bool told = status && *status && strcmp(status, "-") && strcmp(status, "none");
    /* The first sentence says what is wrong, the others what zpool thinks of it. */
    const char *stop = told ? strchr(status, '.') : NULL;
    int len = !told ? 0 : (int)(stop ? (size_t)(stop - status) : strlen(status));
    return arena_fmt(a, "%s%s%s%s%s%.*s", health, members ? " (" : "", members ? members : "",
                     members ? ")" : "", told ? ": " : "", len, told ? status : "");
}

static void scan(struct arena *a, const struct preflight_ask *ask, const struct factset *pool,
                 size_t t, struct finding_list *out) {
    const char *active = pool_activity(a, pool), *done = fact_value(pool, "scan_done");
    const char *state = fact_value(pool, "scan"), *why;
    double share;
    if (active) {
        const char *far = "";
        if (state && ends_with(state, " running") && done && !unit_read_number(done, &share) &&
            share >= 0 && share <= 1)
            far = arena_fmt(a, ", %.1f %% of the scan is done", 100 * share);
        finding_put(a, out, "scan-running", SEVERITY_REFUSE, (int64_t)t,
                    "%s on pool '%s'%s: it reads or writes all disks, and what is measured beside "
                    "it is slower than the pool is; let it end (--wait 3h waits for it)",
                    active, name_of(pool), far);
        return;
    }
    why = state ? NULL : fact_why(pool, "scan");
    if (state && ends_with(state, " paused"))
        finding_put(a, out, "scan-paused", SEVERITY_SAY, (int64_t)t,
                    "a %.*s of pool '%s' is paused: it does nothing now and may be taken up again "
                    "at any time; end it, or see that nothing resumes it while this runs",
                    (int)(strlen(state) - strlen(" paused")), state, name_of(pool));
    else if (why && !fact_is(pool, "suspended", "yes")) /* then nothing runs, and that is said */
        finding_put(a, out, "scan-unknown", ask->waits ? SEVERITY_REFUSE : SEVERITY_SAY, (int64_t)t,
                    "whether a scrub or resilver of pool '%s' is running cannot be told (%s): if "
                    "one is, the numbers are too low; look at zpool status%s",
                    name_of(pool), why,
                    ask->waits ? ", or leave --wait out to measure without knowing" : "");
}

static void health(struct arena *a, const struct factset *pool, size_t t,
                   struct finding_list *out) {
    const char *trouble = pool_trouble(a, pool);
    if (fact_is(pool, "suspended", "yes"))
        finding_put(
            a, out, "pool-suspended", SEVERITY_REFUSE, (int64_t)t,
            "pool '%s' is SUSPENDED: its disks do not answer, and every access to it waits, "
            "so nothing is measured there, not with --force either; see that the disks are "
            "back, then `zpool clear %s`",
            name_of(pool), name_of(pool));
    else if (trouble)
        finding_put(a, out, "pool-degraded", SEVERITY_REFUSE, (int64_t)t,
                    "pool '%s' is %s: a pool that is not whole reads and writes in another way, "
                    "and load now may cost the disks it still has; repair it first",
                    name_of(pool), trouble);
}

/* A dataset shows the room it may use, not how full the pool behind it is: quotas and what lies in
 * its siblings hide that. Parity is in both numbers of the pool and not in what will be written,
 * so the run takes a little more than is reckoned here. */
static void fullness(struct arena *a, const struct preflight_ask *ask, const struct factset *pool,
                     size_t t, struct finding_list *out) {
    int64_t size = fact_count(pool, "size"), left = fact_count(pool, "free");
    int64_t needed = ask->needed_bytes[t];
    for (size_t i = 0; i < out->n; i++) /* the dataset has said it */
        if (!strcmp(out->items[i].code, "low-space") && out->items[i].target == (int64_t)t)
            return;
    if (size <= 0 || left == UNKNOWN)
        return;
    double share = ((double)left - (double)(needed == UNKNOWN ? 0 : needed)) / (double)size;
    if (share >= LOW_SPACE_SAY)
        return;
    bool refuse = share < LOW_SPACE_REFUSE;
    finding_put(a, out, "low-space", refuse ? SEVERITY_REFUSE : SEVERITY_SAY, (int64_t)t,
                "pool '%s' has %s of its %s free, and %.1f %% with the files of the run on it: a "
                "pool that full %s; make room, or measure elsewhere",
                name_of(pool), size_text(a, left), size_text(a, size), 100 * share,
                refuse ? "is busy searching for space, whatever the dataset is allowed"
                       : "is slower than it was when it had room");
}

void pool_check(struct arena *a, const struct preflight_ask *ask, size_t t,
                struct finding_list *out) {
    const struct factset *pool = pool_of(ask->sheet, t);
    if (!pool)
        return;
    scan(a, ask, pool, t, out);
    health(a, pool, t, out);
    fullness(a, ask, pool, t, out);
}
