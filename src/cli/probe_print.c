/*
 * probe_print.c: the page of `probe` for a person: first what lies under the path in one sentence,
 * then host, storage (probe_storage.c), conditions and findings. What is not known says why. It
 * must read nothing but the view.
 */
#include "probe_view.h"
#include "zhist/unit.h"

enum { LABEL = 13, WIDEST = 120 }; /* lines of prose wider than that are hard to read */

const struct fact *page_fact(const struct factset *set, const char *key) {
    for (size_t i = 0; set && i < set->n_facts; i++)
        if (!strcmp(set->facts[i].key, key))
            return &set->facts[i];
    return NULL;
}

const char *page_told(const struct page *p, const struct factset *set, const char *key) {
    const struct fact *f = page_fact(set, key);
    return !f ? NULL : f->value ? f->value : arena_fmt(p->a, "unknown (%s)", f->source);
}

/* Is this the blank of "1.5 TB" or "75 %"? */
static bool before_unit(const char *text, const char *at) {
    size_t len = strcspn(at + 1, " ,;:.()");
    if (*at != ' ' || at == text || at[-1] < '0' || at[-1] > '9')
        return false;
    return (len == 1 && strchr("%BC", at[1])) || (len == 2 && at[2] == 'B') ||
           (len == 3 && at[2] == 'i' && at[3] == 'B');
}

/* A number stays with its unit: a no-break space while the lines are broken, a blank on paper. */
static void put_text(const struct page *p, const char *text, int at, int indent) {
    static const char glue[] = "\xc2\xa0";
    const char *clean = report_clean(p->a, text);
    struct buf b = {0}, lines = {0};
    for (const char *c = clean; *c; c++)
        buf_put(&b, before_unit(clean, c) ? glue : c, before_unit(clean, c) ? 2 : 1);
    report_wrap(&lines, b.len ? b.data : "", at, indent, p->width < WIDEST ? p->width : WIDEST);
    for (size_t i = 0; i < lines.len; i++) {
        bool glued = !strncmp(lines.data + i, glue, 2);
        buf_put(p->out, glued ? " " : lines.data + i, 1);
        i += glued;
    }
    buf_str(p->out, "\n");
    buf_release(&b);
    buf_release(&lines);
}

void page_line(const struct page *p, const char *label, const char *text) {
    if (!text)
        return;
    int wide = 2 + text_width(label), at = wide + 2 > LABEL ? wide + 2 : LABEL;
    buf_fmt(p->out, "  %s%*s", label, at - wide, "");
    put_text(p, text, at, LABEL);
}

void page_section(const struct page *p, const char *name, const char *text) {
    buf_fmt(p->out, "\n%s  ", name);
    put_text(p, text, text_width(name) + 2, 4);
}

const char *page_bytes(const struct page *p, const char *count, enum unit_style style) {
    int64_t bytes;
    if (!count || unit_read_count(count, &bytes))
        return NULL;
    struct buf b = {0};
    unit_put(&b, (double)bytes, "B", style);
    const char *text = arena_str(p->a, b.data);
    buf_release(&b);
    return text;
}

/* Parts of a line: what is unknown or not there leaves no gap. */
static void part(struct buf *b, const char *before, const char *text, const char *after) {
    if (text)
        buf_fmt(b, "%s%s%s%s", b->len ? ", " : "", before, text, after);
}

static void end_parts(const struct page *p, const char *label, struct buf *b) {
    page_line(p, label, b->len ? b->data : NULL);
    buf_release(b);
}

/* ---- the first line ------------------------------------------------------------------------- */

static const char *is(const struct factset *set, const char *key, const char *value) {
    const char *text = fact_value(set, key);
    return text && !strcmp(text, value) ? text : NULL;
}

/* .zfs and .zfs/snapshot are no directories of the dataset: the module makes them up. */
static bool is_control(const char *path) {
    static const char *const ends[] = {"/.zfs", "/.zfs/snapshot", "/.zfs/shares"};
    size_t len = strlen(path);
    for (size_t i = 0; i < LENGTH(ends); i++)
        if (len >= strlen(ends[i]) && !strcmp(path + len - strlen(ends[i]), ends[i]))
            return true;
    return false;
}

static void where(const struct page *p, struct buf *b) {
    const struct factset *mount = facts_find(&p->v->sheet, "mount", 0);
    const struct factset *dataset = facts_dataset(&p->v->sheet, 0);
    const struct factset *pool = facts_find(&p->v->sheet, "pool", 0);
    const char *fstype = fact_value(mount, "fstype"), *name = fact_value(dataset, "name");
    const char *layout = fact_value(pool, "layout"), *source = fact_value(mount, "source");
    if (!fstype)
        buf_fmt(b, "file system %s",
                mount ? page_told(p, mount, "fstype") : "unknown (it was not asked)");
    else if (is(mount, "fstype", "zfs") && name && strchr(name, '@'))
        buf_fmt(b, "snapshot %s of the ZFS dataset %.*s", strchr(name, '@') + 1,
                (int)strcspn(name, "@"), name);
    else if (is(mount, "fstype", "zfs") && is_control(p->v->path))
        buf_fmt(b, "the directory through which ZFS shows the snapshots of dataset %s",
                name ? name : "unknown");
    else if (is(mount, "fstype", "zfs"))
        buf_fmt(b, "ZFS dataset %s", name ? name : source ? source : "unknown");
    else if (dataset)
        buf_fmt(b, "%s on the zvol %s", fstype, name ? name : "unknown");
    else if (is(mount, "backing", "memory") || is(mount, "backing", "host"))
        buf_fmt(b, "%s, %s", fstype,
                is(mount, "backing", "memory") ? "in memory, not on a disk"
                                               : "on the host of this virtual machine");
    else
        buf_fmt(b, "%s on %s", fstype, source && *source ? source : "an unknown device");
    if (pool && layout) /* without what only helps: log, cache, spares */
        buf_fmt(b, ", %.*s", (int)strcspn(layout, ";"), layout);
}

static void head(const struct page *p) {
    const struct factset *mount = facts_find(&p->v->sheet, "mount", 0);
    const char *size = page_bytes(p, fact_value(mount, "size"), UNITS_SI);
    const char *left = page_bytes(p, fact_value(mount, "available"), UNITS_SI);
    struct buf b = {0};
    buf_fmt(&b, "%s: ", p->v->path);
    where(p, &b);
    if (is(mount, "access", "ro") || is_control(p->v->path)) /* what is free there is of no use */
        buf_str(&b, "; read-only: nothing can be measured here");
    else if (left && size)
        buf_fmt(&b, "; %s of %s free", left, size);
    put_text(p, b.data, 0, 2);
    buf_release(&b);
}

/* ---- the machine ---------------------------------------------------------------------------- */

static void versions(const struct page *p, const struct factset *host) {
    const char *zfs = fact_value(host, "zfs"), *module = fact_value(host, "zfs_module");
    struct buf b = {0};
    if (page_fact(host, "truenas")) {
        part(&b, "", page_told(p, host, "truenas"), "");
        part(&b, "", fact_value(host, "truenas_train"), "");
        end_parts(p, "TrueNAS", &b);
    }
    part(&b, "", page_told(p, host, "os"), "");
    part(&b, "kernel ", page_told(p, host, "kernel"), "");
    end_parts(p, "system", &b);
    if (zfs && module)
        page_line(p, "OpenZFS",
                  !strcmp(zfs, module) || !strncmp(module, zfs, strlen(zfs))
                      ? module
                      : arena_fmt(p->a, "%s, module %s", zfs, module));
    else if (zfs || module)
        page_line(p, "OpenZFS",
                  arena_fmt(p->a, "%s, module %s", page_told(p, host, "zfs"),
                            page_told(p, host, "zfs_module")));
    else if (facts_find(&p->v->sheet, "pool", 0) || facts_dataset(&p->v->sheet, 0))
        page_line(p, "OpenZFS", page_told(p, host, "zfs"));
}

static void hardware(const struct page *p, const struct factset *host) {
    const struct factset *module = facts_find(&p->v->sheet, "module", UNKNOWN);
    const char *cpus = fact_value(host, "cpus"), *limit = fact_value(host, "memory_limit");
    struct buf b = {0};
    part(&b, "", page_told(p, host, "cpu"), "");
    part(&b, "", cpus, cpus && !strcmp(cpus, "1") ? " CPU" : " CPUs");
    part(&b, "governor ", fact_value(host, "governor"), "");
    end_parts(p, "CPU", &b);
    const char *memory = page_bytes(p, fact_value(host, "memory"), UNITS_IEC);
    part(&b, "", memory ? memory : page_told(p, host, "memory"), "");
    part(&b, "", page_bytes(p, fact_value(host, "mem_available"), UNITS_IEC), " available");
    part(&b, "limited to ", page_bytes(p, limit, UNITS_IEC), "");
    const char *arc = page_bytes(p, fact_value(module, "arc_c_max"), UNITS_IEC);
    const char *now = page_bytes(p, fact_value(module, "arc_size"), UNITS_IEC);
    if (arc)
        buf_fmt(&b, "; ARC up to %s%s%s%s", arc, now ? " (" : "", now ? now : "",
                now ? " now)" : "");
    end_parts(p, "memory", &b);
    const char *virtual = fact_value(host, "virtual"), *box = fact_value(host, "container");
    part(&b, "", fact_value(host, "product"), "");
    if (virtual && strcmp(virtual, "no"))
        part(&b, "virtual machine",
             !strcmp(virtual, "yes") ? "" : arena_fmt(p->a, " (%s)", virtual), "");
    else if (virtual)
        part(&b, "", "not virtual", "");
    else
        part(&b, "virtual or not: ", page_told(p, host, "virtual"), "");
    part(&b, "in a container (", box && strcmp(box, "no") ? box : NULL, ")");
    end_parts(p, "machine", &b);
}

/* ---- conditions ----------------------------------------------------------------------------- */

static const char *percent(const struct page *p, const char *text) {
    return text ? arena_fmt(p->a, "%s %%", arena_copy(p->a, text, strcspn(text, "%"))) : NULL;
}

/* "scrub running since 2026-11-30 19:58:47, 25 % done"; what has ended, in zpool's own words. */
static const char *scan_told(const struct page *p, const struct factset *pool) {
    const char *scan = fact_value(pool, "scan"), *text = fact_value(pool, "scan_text");
    const char *since = fact_value(pool, "scan_started"), *done = fact_value(pool, "scan_done");
    double share;
    if (!scan || !strstr(scan, " running"))
        return is(pool, "scan", "none") ? "no scrub or resilver was ever done"
               : text                   ? text
                                        : page_told(p, pool, "scan");
    bool known = done && !unit_read_number(done, &share);
    return arena_fmt(p->a, "%s%s%s%s", scan, since ? " since " : "", since ? since : "",
                     known ? arena_fmt(p->a, ", %.0f %% done", 100 * share) : "");
}

static void pool_condition(const struct page *p, const struct factset *pool) {
    static const char *const under_way[] = {"trim", "initialize", "remove", "expand"};
    const char *status = fact_value(pool, "status");
    const char *errors = fact_value(pool, "errors");
    struct buf b = {0};
    part(&b, "", page_told(p, pool, "health"), "");
    part(&b, "", is(pool, "suspended", "yes") ? "suspended: it waits for its disks" : NULL, "");
    part(&b, "", percent(p, fact_value(pool, "capacity")), " full");
    part(&b, "", percent(p, fact_value(pool, "fragmentation")), " fragmented");
    part(&b, "read-only", is(pool, "readonly", "on") ? "" : NULL, "");
    part(&b, "",
         errors && !strcmp(errors, "No known data errors") ? "no known data errors" : errors, "");
    end_parts(p, "pool", &b);
    page_line(p, "", status && strcmp(status, "none") ? status : NULL);
    page_line(p, "scan", scan_told(p, pool));
    for (size_t i = 0; i < LENGTH(under_way); i++)
        part(&b, "", is(pool, under_way[i], "yes") ? under_way[i] : NULL, "");
    end_parts(p, "under way", &b);
}

static void snapshots(const struct page *p, const struct factset *dataset) {
    const char *n = fact_value(dataset, "snapshots"),
               *newest = fact_value(dataset, "snapshot_newest");
    const char *task = fact_value(dataset, "snapshot_task");
    const struct fact *automatic = page_fact(dataset, "snapshot_automatic");
    struct buf b = {0};
    if (!n)
        return;
    buf_str(&b, !strcmp(n, "0") ? "none" : n);
    if (newest && strcmp(newest, "none"))
        buf_fmt(&b, ", the newest is %s", newest);
    if (automatic && automatic->value && !strcmp(automatic->value, "yes"))
        buf_fmt(&b, "; taken automatically (%s)", automatic->source);
    if (task && strcmp(task, "no"))
        buf_fmt(&b, "; a task takes them: %s", task);
    end_parts(p, "snapshots", &b);
}

/* Shares of the last 10 seconds, from the kernel's pressure stall information. */
static void pressure(const struct page *p, const struct factset *host, struct buf *b) {
    static const char *const of[][2] = {
        {"psi_io", "I/O"}, {"psi_cpu", "CPU"}, {"psi_memory", "memory"}};
    bool any = false;
    for (size_t i = 0; i < LENGTH(of); i++) {
        const char *text = fact_value(host, of[i][0]);
        double share;
        if (!text || unit_read_number(text, &share))
            continue;
        buf_fmt(b, any ? ", %s %.0f %%" : "; tasks wait for %s %.0f %%", of[i][1], share);
        any = true;
    }
    if (!any && page_fact(host, "psi_io"))
        buf_fmt(b, "; how long tasks wait: %s", page_told(p, host, "psi_io"));
}

static void conditions(const struct page *p, const struct factset *host) {
    const struct factset *pool = facts_find(&p->v->sheet, "pool", 0);
    const char *load = page_told(p, host, "load1"), *clock = fact_value(host, "clock_synchronised");
    struct buf b = {0};
    size_t before = p->out->len, after;
    buf_str(p->out, "\nCONDITIONS\n");
    after = p->out->len;
    if (pool)
        pool_condition(p, pool);
    snapshots(p, facts_dataset(&p->v->sheet, 0));
    part(&b, "", load, "");
    pressure(p, host, &b);
    end_parts(p, "load", &b);
    page_line(p, "clock",
              !clock                 ? page_told(p, host, "clock_synchronised")
              : !strcmp(clock, "no") ? "not synchronised: nothing keeps it right"
                                     : "synchronised");
    if (p->out->len == after) /* nothing was asked */
        p->out->data[p->out->len = before] = '\0';
}

static void findings(const struct page *p) {
    const struct finding_list *list = &p->v->findings;
    page_section(p, "FINDINGS", list->n ? "what would be said of a run here" : "none");
    for (int refuse = 1; refuse >= 0; refuse--)
        for (size_t i = 0; i < list->n; i++) {
            const struct finding *f = &list->items[i];
            if ((f->severity == SEVERITY_REFUSE) != (refuse == 1))
                continue;
            buf_str(p->out, "  ");
            put_text(p, arena_fmt(p->a, "%s%s: %s", f->code, refuse ? " (refuses)" : "", f->text),
                     2, 4);
        }
}

void probe_print(struct arena *a, const struct probe_view *v, int width, struct buf *out) {
    struct page p = {.a = a, .v = v, .width = width, .out = out};
    const struct factset *host = facts_find(&v->sheet, "system", UNKNOWN);
    head(&p);
    page_section(&p, "HOST", v->host);
    versions(&p, host);
    hardware(&p, host);
    page_layout(&p);
    page_properties(&p);
    page_mount(&p);
    page_disks(&p);
    conditions(&p, host);
    findings(&p);
    if (v->all)
        page_facts(&p);
}
