/*
 * preflight_dataset.c: is it the dataset it was at the last run, and which of its properties change
 * what is measured? Properties of ZFS are those of zfsprops(7). Must read nothing: facts, sizes and
 * the last run are handed in.
 */
#include "preflight.h"

/* Bytes an entry of a dedup table takes on disk: zpool status -D shows 100 to 300. */
static const double DEDUP_ENTRY = 200;
/* A table that knows a tenth of the blocks planned is a small one for them. */
static const double DEDUP_SMALL = 0.1;

/* ---- which dataset
 * ------------------------------------------------------------------------------- */

static const char *dataset_name(const struct fact_sheet *sheet, size_t t) {
    const struct factset *mount = facts_find(sheet, "mount", (int64_t)t);
    const char *name = fact_value(facts_dataset(sheet, (int64_t)t), "name");
    if (!name && fact_is(mount, "fstype", "zfs")) /* zfs did not answer; the mount tells it too */
        name = fact_value(mount, "source");
    return name;
}

/* How to have it back: as one types it. */
static const char *remedy(struct arena *a, const struct earlier *last) {
    const char *quote = strchr(last->dataset, ' ') ? "'" : "";
    const char *mount = arena_fmt(a, "`zfs mount %s%s%s`", quote, last->dataset, quote);
    if (!last->locked)
        return arena_fmt(a, "mount that one with %s (if it is encrypted, load its key first)",
                         mount);
    return *last->locked ? arena_fmt(a,
                                     "the key of that one is not loaded: `zfs load-key %s%s%s`, "
                                     "then %s",
                                     quote, last->locked, quote, mount)
                         : arena_fmt(a, "mount that one with %s", mount);
}

static void misplaced(struct arena *a, const struct preflight_ask *ask, size_t t,
                      struct finding_list *out) {
    const struct factset *mount = facts_find(ask->sheet, "mount", (int64_t)t);
    const char *path = fact_value(mount, "path"), *where = NULL;
    const char *pool = fact_value(pool_of(ask->sheet, t), "name");
    if (!path || strncmp(path, "/mnt/", 5))
        return;
    if (pool && (!strcmp(pool, "boot-pool") || !strcmp(pool, "freenas-boot")))
        where = arena_fmt(a, "the boot pool '%s'", pool);
    else if (fact_is(mount, "mount_point", "/"))
        where = "the root file system";
    if (where)
        finding_put(a, out, "other-dataset", SEVERITY_REFUSE, (int64_t)t,
                    "'%s' lies on %s: a dataset that is locked, not mounted or gone leaves a plain "
                    "directory behind, and the run would measure and fill the system disk; find it "
                    "with `zfs list -o name,mounted,keystatus,mountpoint`, then `zfs load-key` and "
                    "`zfs mount` it",
                    path, where);
}

/* true: it is another one, and that was said. */
static bool compared(struct arena *a, const struct preflight_ask *ask, size_t t,
                     struct finding_list *out) {
    const struct earlier *last = ask->earlier ? &ask->earlier[t] : NULL;
    const char *name = dataset_name(ask->sheet, t);
    const char *guid = fact_value(facts_dataset(ask->sheet, (int64_t)t), "guid");
    const char *fstype = fact_value(facts_find(ask->sheet, "mount", (int64_t)t), "fstype");
    if (!last || !last->dataset)
        return false;
    bool same_guid = guid && last->guid && !strcmp(guid, last->guid); /* renamed: still itself */
    if (name && strcmp(name, last->dataset) && !same_guid) {
        finding_put(a, out, "other-dataset", SEVERITY_REFUSE, (int64_t)t,
                    "under '%s' lies dataset '%s', at its last run it was '%s': two datasets would "
                    "be taken for one; %s, or give this one a target name of its own (--force "
                    "once makes it the new one)",
                    ask->target_names[t], name, last->dataset, remedy(a, last));
        return true;
    }
    if (!name && fstype && last->fstype && !strcmp(last->fstype, "zfs") && strcmp(fstype, "zfs")) {
        finding_put(a, out, "other-dataset", SEVERITY_REFUSE, (int64_t)t,
                    "under '%s' lies %s, at its last run it was dataset '%s': a dataset that is "
                    "locked or not mounted leaves a plain directory behind; %s",
                    ask->target_names[t], fstype, last->dataset, remedy(a, last));
        return true;
    }
    if (name && guid && last->guid && !same_guid)
        finding_put(a, out, "new-dataset", SEVERITY_SAY, (int64_t)t,
                    "dataset '%s' was made anew since the last run (guid %s, was %s): what it "
                    "held is gone, and properties fixed at creation may differ; the series goes "
                    "on, and the change is shown in it",
                    name, guid, last->guid);
    return false;
}

/* ---- what is planned
 * ----------------------------------------------------------------------------- */

static bool measures(const struct workload *w) {
    return w->engine != ENGINE_NULL;
}

static bool reads(const struct workload *w) {
    for (size_t k = 0; k < w->n_phases; k++)
        if (phases[w->phase[k]].reads)
            return measures(w);
    return false;
}

static bool writes(const struct workload *w) {
    for (size_t k = 0; k < w->n_phases; k++)
        if (phases[w->phase[k]].writes)
            return measures(w);
    return false;
}

static bool random_phases(const struct workload *w) {
    for (size_t k = 0; k < w->n_phases; k++)
        if (phases[w->phase[k]].random)
            return measures(w);
    return false;
}

/* Bytes of all files of a workload; UNKNOWN: as the kind has it. */
static int64_t bytes_of(const struct preflight_ask *ask, size_t w) {
    const struct workload *work = &ask->profile->workloads[w];
    int64_t size = ask->sizes ? ask->sizes[w] : UNKNOWN, all;
    if (work->kind == KIND_FILESET)
        return work->total;
    return size < 0 || __builtin_mul_overflow(size, (int64_t)work->jobs, &all) ? UNKNOWN : all;
}

/* Names the workloads that `is` holds for: "stream (8 GiB), random (1 GiB)". */
struct named {
    struct buf text;
    size_t n;
};
static void name_it(struct named *list, const char *name) {
    buf_fmt(&list->text, "%s%s", list->n++ ? ", " : "", name);
}

/* What O_DIRECT does to reads of a target. OpenZFS takes it and ignores it before 2.3; from then on
 * the property `direct` decides (zfsprops(7)). */
enum direct { DIRECT_UNKNOWN, DIRECT_HONOURED, DIRECT_TOO_OLD, DIRECT_DISABLED, DIRECT_ALWAYS };

static enum direct direct_of(const struct preflight_ask *ask, size_t t) {
    const char *version = fact_value(facts_find(ask->sheet, "system", UNKNOWN), "zfs_module");
    const struct factset *dataset = facts_dataset(ask->sheet, (int64_t)t);
    unsigned major, minor;
    if (!fact_is(facts_find(ask->sheet, "mount", (int64_t)t), "fstype", "zfs"))
        return DIRECT_HONOURED;
    if (!version || sscanf(version, "%u.%u", &major, &minor) != 2)
        return DIRECT_UNKNOWN;
    if (major < 2 || (major == 2 && minor < 3))
        return DIRECT_TOO_OLD;
    return fact_is(dataset, "direct", "disabled") ? DIRECT_DISABLED
           : fact_is(dataset, "direct", "always") ? DIRECT_ALWAYS
                                                  : DIRECT_HONOURED;
}

static const char *direct_advice(struct arena *a, const struct preflight_ask *ask,
                                 enum direct direct) {
    switch (direct) {
    case DIRECT_HONOURED:
        return ", or `direct: true`";
    case DIRECT_TOO_OLD:
        return arena_fmt(a,
                         "; `direct: true` does not help: OpenZFS %s ignores it, 2.3 and later "
                         "do not",
                         fact_value(facts_find(ask->sheet, "system", UNKNOWN), "zfs_module"));
    case DIRECT_DISABLED:
        return "; `direct: true` does not help: the dataset has direct=disabled";
    default:
        return "";
    }
}

static void fits_in_cache(struct arena *a, const struct preflight_ask *ask, size_t t,
                          struct finding_list *out) {
    const struct factset *mount = facts_find(ask->sheet, "mount", (int64_t)t);
    const struct factset *dataset = facts_dataset(ask->sheet, (int64_t)t);
    const char *keeps = fact_value(dataset, "primarycache");
    bool zfs = fact_is(mount, "fstype", "zfs");
    int64_t cache = zfs ? fact_count(facts_find(ask->sheet, "module", UNKNOWN), "arc_c_max")
                        : fact_count(facts_find(ask->sheet, "system", UNKNOWN), "memory");
    struct named fits = {{0}, 0};
    enum direct direct = direct_of(ask, t);
    bool ignored = direct == DIRECT_TOO_OLD || direct == DIRECT_DISABLED;
    if (direct == DIRECT_ALWAYS || cache == UNKNOWN || fact_is(mount, "backing", "memory") ||
        (keeps && strcmp(keeps, "all")))
        return;
    for (size_t w = 0; w < ask->profile->n_workloads; w++) {
        const struct workload *work = &ask->profile->workloads[w];
        int64_t bytes = bytes_of(ask, w);
        if (!reads(work) || (work->direct && !ignored) || bytes == UNKNOWN || bytes >= cache)
            continue;
        name_it(&fits, arena_fmt(a, "'%s' (%s)", work->name, size_text(a, bytes)));
    }
    if (fits.n)
        finding_put(a, out, "fits-in-cache", SEVERITY_SAY, (int64_t)t,
                    "the data of %s %s fits into %s (%s): reads may come from memory and say "
                    "nothing about the disks; take a larger size (`size: %s`)%s",
                    fits.n > 1 ? "each of the workloads" : "workload", fits.text.data,
                    zfs ? "the ARC" : "memory", size_text(a, cache), zfs ? "2xARC" : "2xRAM",
                    direct_advice(a, ask, direct));
    buf_release(&fits.text);
}

/* ---- properties
 * ---------------------------------------------------------------------------------- */

static void sync_disabled(struct arena *a, const struct preflight_ask *ask, size_t t,
                          struct finding_list *out) {
    bool flushed = false;
    for (size_t w = 0; w < ask->profile->n_workloads; w++)
        flushed |=
            writes(&ask->profile->workloads[w]) && ask->profile->workloads[w].flush != FLUSH_NONE;
    if (flushed && fact_is(facts_dataset(ask->sheet, (int64_t)t), "sync", "disabled"))
        finding_put(a, out, "sync-disabled", SEVERITY_SAY, (int64_t)t,
                    "sync=disabled on '%s': a flush comes back at once and nothing is durable "
                    "then, so `throughput_durable` means less than its name; compare it only with "
                    "the same setting",
                    ask->target_names[t]);
}

static void atime_on(struct arena *a, const struct preflight_ask *ask, size_t t,
                     struct finding_list *out) {
    const struct factset *dataset = facts_dataset(ask->sheet, (int64_t)t);
    bool read = false;
    for (size_t w = 0; w < ask->profile->n_workloads; w++)
        read |= reads(&ask->profile->workloads[w]);
    /* with relatime it is written once a day */
    if (read && fact_is(dataset, "atime", "on") && !fact_is(dataset, "relatime", "on"))
        finding_put(a, out, "atime-on", SEVERITY_SAY, (int64_t)t,
                    "atime=on on '%s': each read of a file writes its access time, so reads are "
                    "measured with some writes among them; most people want atime=off or "
                    "relatime=on",
                    ask->target_names[t]);
}

/* A record is read and written as a whole: a random block that is not a number of whole records
 * costs more than itself. In order, what is missing of a record comes with the next block. */
static void recordsize(struct arena *a, const struct preflight_ask *ask, size_t t,
                       struct finding_list *out) {
    const struct factset *dataset = facts_dataset(ask->sheet, (int64_t)t);
    const char *key = fact_is(dataset, "type", "volume") ? "volblocksize" : "recordsize";
    int64_t record = fact_count(dataset, key);
    struct named odd = {{0}, 0};
    if (record < 1)
        return;
    for (size_t w = 0; w < ask->profile->n_workloads; w++) {
        const struct workload *work = &ask->profile->workloads[w];
        bool whole = work->block % record == 0;
        if (work->kind != KIND_FILE || whole || !measures(work) ||
            !(random_phases(work) || (work->direct && writes(work))))
            continue;
        name_it(&odd, arena_fmt(a, "'%s' (%s)", work->name, size_text(a, work->block)));
    }
    if (odd.n)
        finding_put(a, out, "recordsize-mismatch", SEVERITY_SAY, (int64_t)t,
                    "the blocks of %s are no whole records: %s is %s on '%s', and each such "
                    "access reads or writes a whole record; that is right if the application does "
                    "it too, else set `block` or the property",
                    odd.text.data, key, size_text(a, record), ask->target_names[t]);
    buf_release(&odd.text);
}

static void dedup_table(struct arena *a, const struct preflight_ask *ask, size_t t,
                        struct finding_list *out) {
    const struct factset *dataset = facts_dataset(ask->sheet, (int64_t)t);
    const char *dedup = fact_value(dataset, "dedup");
    int64_t record = fact_count(dataset, "recordsize"), planned = 0;
    int64_t table = fact_count(pool_of(ask->sheet, t), "dedup_table_size");
    if (!dedup || !strcmp(dedup, "off") || record < 1 || table == UNKNOWN)
        return;
    for (size_t w = 0; w < ask->profile->n_workloads; w++) {
        int64_t bytes = writes(&ask->profile->workloads[w]) ? bytes_of(ask, w) : UNKNOWN;
        planned = bytes > planned ? bytes : planned;
    }
    double known = (double)table / DEDUP_ENTRY, blocks = (double)planned / (double)record;
    if (known >= DEDUP_SMALL * blocks)
        return;
    finding_put(a, out, "dedup-table-small", SEVERITY_SAY, (int64_t)t,
                "dedup is on and its table has %s, about %.0f blocks, while %.0f are written: so "
                "small a table lies in memory, on a filled pool each block is looked up on the "
                "disks; measure again with the pool as full as it will be",
                size_text(a, table), known, blocks);
}

static void snapshotted(struct arena *a, const struct preflight_ask *ask, size_t t,
                        struct finding_list *out) {
    const struct factset *dataset = facts_dataset(ask->sheet, (int64_t)t);
    const char *count = fact_value(dataset, "snapshots"), *by = NULL, *told = NULL;
    for (size_t i = 0; dataset && i < dataset->n_facts; i++) {
        const struct fact *f = &dataset->facts[i];
        if (!f->value)
            continue;
        if (!strcmp(f->key, "snapshot_task") && strcmp(f->value, "no"))
            by = f->value;
        else if (!strcmp(f->key, "snapshot_automatic") && !strcmp(f->value, "yes"))
            told = f->source;
        else if (!strncmp(f->key, "com.sun:auto-snapshot", 21) && !strcmp(f->value, "true"))
            told = told ? told : f->key;
    }
    if (!by && !told)
        return;
    finding_put(a, out, "snapshotted", SEVERITY_SAY, (int64_t)t,
                "'%s' is snapshotted by itself (%s%s%s): a snapshot taken while this runs keeps "
                "the files of the run on the disks after they are removed, and replication sends "
                "them; leave it out of the task, or measure in a dataset without one",
                ask->target_names[t], by ? by : told, count ? ", snapshots now: " : "",
                count ? count : "");
}

static void smr_disk(struct arena *a, const struct preflight_ask *ask, size_t t,
                     struct finding_list *out) {
    struct named shingled = {{0}, 0};
    for (size_t i = 0; i < ask->sheet->n_sets; i++) {
        const struct factset *set = &ask->sheet->sets[i];
        const char *name = fact_value(set, "name"), *model = fact_value(set, "model");
        if (strcmp(set->kind, "disk") || set->target != (int64_t)t || !fact_is(set, "smr", "yes"))
            continue;
        name_it(&shingled, arena_fmt(a, "%s%s%s%s", name ? name : set->subject, model ? " (" : "",
                                     model ? model : "", model ? ")" : ""));
    }
    if (shingled.n)
        finding_put(a, out, "smr-disk", SEVERITY_CLASS, (int64_t)t,
                    "%s: shingled magnetic recording: fast until the cache on the disk is full, "
                    "then many times slower, and slower still after it was full before; write more "
                    "than the cache holds (tens of GB), and compare with shingled disks only",
                    shingled.text.data);
    buf_release(&shingled.text);
}

void dataset_check(struct arena *a, const struct preflight_ask *ask, size_t t,
                   struct finding_list *out) {
    if (!compared(a, ask, t, out))
        misplaced(a, ask, t, out);
    smr_disk(a, ask, t, out);
    snapshotted(a, ask, t, out);
    fits_in_cache(a, ask, t, out);
    sync_disabled(a, ask, t, out);
    atime_on(a, ask, t, out);
    recordsize(a, ask, t, out);
    dedup_table(a, ask, t, out);
}
