/*
 * postflight.c: what came from outside while a run measured: two sheets compared, from before the
 * first iteration and after the last one. A pure function: unknown on one side proves nothing.
 */
#include "preflight.h"

/* Points of fullness: ZFS and others place data in another way as they fill. */
static const double FILLED = 5;

/* A fact of both sheets. */
struct pair {
    const char *before, *after; /* NULL: unknown */
};

static struct pair pair_of(const struct factset *before, const struct factset *after,
                           const char *key) {
    return (struct pair){fact_value(before, key), fact_value(after, key)};
}

static bool moved(struct pair p) {
    return p.before && p.after && strcmp(p.before, p.after);
}

static const char *pool_name(const struct factset *pool) {
    const char *name = fact_value(pool, "name");
    return name ? name : "?";
}

/* ---- pool
 * ---------------------------------------------------------------------------------------- */

/* What ran and ended between the two probes shows in its times; a paused one that went on and was
 * paused again only in how far it is. */
static const char *scan_trace(const struct factset *before, const struct factset *after) {
    static const char *const keys[] = {"scan_started", "scan_ended", "scan_done"};
    struct pair scan = pair_of(before, after, "scan");
    if (!scan.before || !scan.after)
        return NULL;
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (moved(pair_of(before, after, keys[i])))
            return keys[i];
    return strcmp(scan.before, scan.after) ? "scan" : NULL;
}

static void scan(struct arena *a, const struct factset *before, const struct factset *after,
                 size_t t, struct finding_list *out) {
    const char *running = pool_activity(a, after), *trace = scan_trace(before, after);
    const char *what = NULL, *scan_now = fact_value(after, "scan"), *why = fact_why(after, "scan");
    if (running)
        what = arena_fmt(a, "%s on pool '%s' at the end of the run", running, pool_name(after));
    else if (trace)
        what = arena_fmt(a,
                         "a scrub or resilver of pool '%s' came or went during the run (%s was "
                         "'%s' before and is '%s' now; zpool says: %s)",
                         pool_name(after), trace,
                         fact_value(before, trace) ? fact_value(before, trace) : "unknown",
                         fact_value(after, trace), scan_now ? scan_now : "nothing");
    else if (pool_activity(a, before))
        what = arena_fmt(a, "%s on pool '%s' when the run began", pool_activity(a, before),
                         pool_name(before));
    if (what)
        finding_put(a, out, "scan-running", SEVERITY_DISTURBED, (int64_t)t,
                    "%s: some or all iterations shared the disks with it and are too low; run "
                    "again when it is over",
                    what);
    else if (why && fact_value(before, "scan") && !fact_is(after, "suspended", "yes"))
        finding_put(a, out, "scan-unknown", SEVERITY_SAY, (int64_t)t,
                    "whether a scrub or resilver of pool '%s' began during the run cannot be told "
                    "(%s): if one did, the numbers are too low; look at zpool status",
                    pool_name(after), why);
}

static void health(struct arena *a, const struct factset *before, const struct factset *after,
                   size_t t, struct finding_list *out) {
    const char *then = pool_trouble(a, before), *now = pool_trouble(a, after);
    struct pair health_ = pair_of(before, after, "health");
    if (!now && !moved(health_))
        return;
    if (now && then && !strcmp(now, then))
        return; /* said before the run, and forced */
    finding_put(a, out, "pool-degraded", SEVERITY_DISTURBED, (int64_t)t,
                "pool '%s' is %s at the end of the run and was %s at its start: the iterations "
                "were not measured on one and the same pool; repair it and run again",
                pool_name(after), now ? now : "ONLINE",
                then             ? then
                : health_.before ? health_.before
                                 : "in an unknown state");
}

static void errors(struct arena *a, const struct factset *before, const struct factset *after,
                   size_t t, struct finding_list *out) {
    static const struct {
        const char *key, *name;
    } counters[] = {{"read_errors", "read errors"},
                    {"write_errors", "write errors"},
                    {"checksum_errors", "checksum errors"},
                    {"data_errors", "files with errors"}};
    struct buf b = {0};
    for (size_t i = 0; i < LENGTH(counters); i++) {
        int64_t then = fact_count(before, counters[i].key);
        int64_t now = fact_count(after, counters[i].key);
        if (then != UNKNOWN && now > then)
            buf_fmt(&b, "%s%lld %s (%lld before)", b.len ? ", " : "", (long long)now,
                    counters[i].name, (long long)then);
    }
    if (b.len)
        finding_put(a, out, "disk-errors", SEVERITY_DISTURBED, (int64_t)t,
                    "pool '%s' counts %s: repeated and repaired requests cost time, and a disk, "
                    "cable or controller may be failing; look at zpool status -v, then run again",
                    pool_name(after), b.data);
    buf_release(&b);
}

/* ---- room and snapshots
 * -------------------------------------------------------------------------- */

/* In percent; what is being freed in the background (the files of the run) is gone already. */
static double pool_fullness(const struct factset *pool) {
    int64_t size = fact_count(pool, "size"), used = fact_count(pool, "allocated");
    int64_t freeing = fact_count(pool, "freeing");
    if (size <= 0 || used == UNKNOWN)
        return -1;
    return 100 * (double)(freeing > 0 && freeing < used ? used - freeing : used) / (double)size;
}

static double mount_fullness(const struct factset *mount) {
    int64_t size = fact_count(mount, "size"), used = fact_count(mount, "used");
    return size > 0 && used != UNKNOWN ? 100 * (double)used / (double)size : -1;
}

static void filled(struct arena *a, const struct fact_sheet *before, const struct fact_sheet *after,
                   const char *name, size_t t, struct finding_list *out) {
    const struct factset *pool = pool_of(after, t);
    double then = pool_fullness(pool_of(before, t)), now = pool_fullness(pool);
    const char *what = arena_fmt(a, "pool '%s'", pool_name(pool));
    if (!pool) {
        then = mount_fullness(facts_find(before, "mount", (int64_t)t));
        now = mount_fullness(facts_find(after, "mount", (int64_t)t));
        what = arena_fmt(a, "the file system of '%s'", name);
    }
    if (then < 0 || now < 0 || (now - then <= FILLED && then - now <= FILLED))
        return;
    finding_put(a, out, "filled-by-run", SEVERITY_DISTURBED, (int64_t)t,
                "%s was %.1f %% full at the start and is %.1f %% full at the end of the run: the "
                "last iterations found another file system than the first; look who fills or "
                "empties it (snapshots keep what the run wrote), and run again",
                what, then, now);
}

static void snapshots(struct arena *a, const struct factset *before, const struct factset *after,
                      const char *name, size_t t, struct finding_list *out) {
    static const char *const keys[] = {"snapshots", "snapshot_newest", "snapshots_changed"};
    for (size_t i = 0; i < LENGTH(keys); i++) {
        struct pair p = pair_of(before, after, keys[i]);
        /* The property is "-" until the first snapshot. */
        if (!moved(p))
            continue;
        finding_put(a, out, "snapshotted", SEVERITY_DISTURBED, (int64_t)t,
                    "snapshots of '%s' were taken or destroyed during the run (%s was %s, is %s): "
                    "that makes the pool write, and the files of the run may stay in them; look "
                    "at zfs list -t snapshot, and measure between two of them",
                    name, keys[i], p.before, p.after);
        return;
    }
}

void postflight(struct arena *a, const struct fact_sheet *before, const struct fact_sheet *after,
                const char *const *target_names, size_t n_targets, struct finding_list *out) {
    facts_moved(a, before, after, out);
    for (size_t t = 0; t < n_targets; t++) {
        const struct factset *pool = pool_of(before, t), *pool_now = pool_of(after, t);
        const struct factset *dataset = facts_dataset(before, (int64_t)t);
        if (pool && pool_now) {
            scan(a, pool, pool_now, t, out);
            health(a, pool, pool_now, t, out);
            errors(a, pool, pool_now, t, out);
        }
        filled(a, before, after, target_names[t], t, out);
        if (dataset)
            snapshots(a, dataset, facts_dataset(after, (int64_t)t), target_names[t], t, out);
    }
    findings_merge(out, n_targets);
}
