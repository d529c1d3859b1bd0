/*
 * hardware.c: does what lies under the targets fit what the profile was written for?
 *
 * Of a pool its data disks count: what logs, caches or holds metadata may be of another kind.
 * Only what was read can contradict: behind virtio and the like the kernel does not know what
 * turns, and a server hides its disks. That is said as hardware-unknown, which never refuses; a
 * contradiction does, where the profile is strict.
 */
#include <fnmatch.h>
#include <math.h>

#include "preflight.h"
#include "zhist/zfs.h"

struct disks {
    const struct factset **sets; /* those that are known */
    size_t n, cap;
    int64_t count;      /* UNKNOWN: neither a pool nor a chain tells */
    const char *layout; /* the pool's, or NULL */
    const char *layers; /* of the chain, or NULL */
    const char *why;    /* of UNKNOWN */
};

static bool holds_data(const struct factset *disk) {
    const char *class = fact_value(disk, "vdev_class");
    return class && strstr(class, "data");
}

/* The reason why a fact of the set is unknown. */
static const char *reason(const struct factset *set, const char *key, const char *otherwise) {
    for (size_t i = 0; set && i < set->n_facts; i++)
        if (!strcmp(set->facts[i].key, key) && !set->facts[i].value)
            return set->facts[i].source;
    return otherwise;
}

static struct disks disks_of_pool(struct arena *a, const struct fact_sheet *sheet,
                                  const struct factset *pool) {
    struct disks d = {.layout = fact_value(pool, "layout"),
                      .count = fact_count(pool, "disk_count"),
                      .why = reason(pool, "disk_count", "the disks of the pool are not known")};
    for (size_t i = 0; i < sheet->n_sets; i++) {
        const struct factset *set = &sheet->sets[i];
        if (!strcmp(set->kind, "disk") && set->target == pool->target && holds_data(set))
            *array_add(a, d.sets, d.n, d.cap) = set;
    }
    return d;
}

static struct disks disks_of_mount(struct arena *a, const struct fact_sheet *sheet, size_t t) {
    const struct factset *mount = facts_find(sheet, "mount", (int64_t)t);
    struct disks d = {.layers = fact_value(mount, "layers"),
                      .count = fact_count(mount, "disk_count"),
                      .why = reason(mount, "disks", "its disks are not known")};
    for (const char *at = fact_value(mount, "disks"); at && *at;) {
        size_t len = strcspn(at, " ");
        for (size_t i = 0; i < sheet->n_sets; i++) {
            const struct factset *set = &sheet->sets[i];
            const char *name = fact_value(set, "name");
            if (!strcmp(set->kind, "disk") && set->target == (int64_t)t && name &&
                strlen(name) == len && !strncmp(name, at, len))
                *array_add(a, d.sets, d.n, d.cap) = set;
        }
        at += len + (at[len] == ' ');
    }
    if (!d.n)
        d.count = UNKNOWN;
    return d;
}

static struct disks disks_of(struct arena *a, const struct fact_sheet *sheet, size_t t) {
    const struct factset *pool = pool_of(sheet, t);
    return pool ? disks_of_pool(a, sheet, pool) : disks_of_mount(a, sheet, t);
}

double facts_expansion(const struct fact_sheet *sheet, size_t target) {
    const char *layout = fact_value(pool_of(sheet, target), "layout");
    return layout ? layout_expansion(layout) : (double)NAN;
}

size_t facts_data_disks(struct arena *a, const struct fact_sheet *sheet, size_t target,
                        const struct factset *const **disks) {
    struct disks d = disks_of(a, sheet, target);
    *disks = d.sets;
    return d.n;
}

/* Of a mount the names of all are known; of a pool a disk may hide behind a controller. */
static bool all_known(const struct disks *d) {
    return !d->layout || (int64_t)d->n >= d->count;
}

static const char *name_of(const struct factset *disk) {
    return fact_value(disk, "name"); /* disks_of() found it by that */
}

struct verdict {
    struct buf wrong, open; /* parts of a sentence */
};

static void part(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void part(struct buf *b, const char *fmt, ...) {
    va_list ap;
    buf_str(b, b->len ? "; " : "");
    va_start(ap, fmt);
    buf_vfmt(b, fmt, ap);
    va_end(ap);
}

static void check_media(const char *want, const struct disks *d, struct verdict *v) {
    bool hdd = false, flash = false;
    for (size_t i = 0; i < d->n; i++) {
        const char *media = disk_media(d->sets[i]),
                   *transport = fact_value(d->sets[i], "transport");
        if (!media) {
            part(&v->open, "media: %s, but %s hangs on %s, which does not tell", want,
                 name_of(d->sets[i]), transport ? transport : "something unknown");
            return;
        }
        hdd |= !strcmp(media, "hdd");
        flash |= strcmp(media, "hdd") != 0;
        bool fits = !strcmp(want, "mixed") || !strcmp(want, media) ||
                    (!strcmp(want, "ssd") && !strcmp(media, "nvme"));
        if (!fits)
            part(&v->wrong, "media: %s, but %s is %s", want, name_of(d->sets[i]), media);
    }
    if (!strcmp(want, "mixed") && !(hdd && flash))
        part(&v->wrong, "media: mixed, but all is %s", hdd ? "hdd" : "flash");
}

/* A SAS disk is often written with its vendor in front. */
static void check_model(struct arena *a, const char *want, const struct disks *d,
                        struct verdict *v) {
    for (size_t i = 0; i < d->n; i++) {
        const char *model = fact_value(d->sets[i], "model");
        const char *vendor = fact_value(d->sets[i], "vendor");
        if (!model)
            part(&v->open, "model: '%s', but %s tells no model", want, name_of(d->sets[i]));
        else if (fnmatch(want, model, 0) &&
                 (!vendor || fnmatch(want, arena_fmt(a, "%s %s", vendor, model), 0)))
            part(&v->wrong, "model: '%s', but %s is '%s'", want, name_of(d->sets[i]), model);
    }
}

/*
 * What the data part of a pool's layout is called in a profile: "mirror of 2" and "3 x mirror of 2"
 * mirror, "2 x raidz2 of 6; log 1" raidz2, "draid2:4d:11c:1s ..." draid2, "stripe of 4". NULL:
 * vdevs of several kinds.
 */
static const char *layout_word(struct arena *a, const char *layout) {
    const char *at = layout;
    size_t len = strspn(at, "0123456789");
    if (len && !strncmp(at + len, " x ", 3))
        at += len + 3;
    const char *data = arena_copy(a, layout, strcspn(layout, ";"));
    len = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");
    return len && !strchr(data, ',') && !strchr(data, '+') ? arena_copy(a, at, len) : NULL;
}

/* md's levels; NULL: none in it, or something else as well. */
static const char *raid_word(const char *layers) {
    const char *raid = layers ? strstr(layers, "raid") : NULL;
    if (!raid || strstr(raid + 4, "raid") || strstr(layers, "lvm") || strstr(layers, "btrfs"))
        return NULL;
    if (raid[4] == '1' && (raid[5] < '0' || raid[5] > '9'))
        return "mirror";
    return raid[4] == '0' ? "stripe" : NULL;
}

static void check_layout(struct arena *a, const char *want, const struct disks *d,
                         struct verdict *v) {
    bool single = !strcmp(want, "single");
    const char *is = d->layout ? layout_word(a, d->layout) : raid_word(d->layers);
    if (d->layout && !is)
        part(&v->wrong, "layout: %s, but the pool is '%s'", want, d->layout);
    else if (is && strcmp(is, want))
        part(&v->wrong, "layout: %s, but it is '%s'", want, d->layout ? d->layout : d->layers);
    else if (is)
        return;
    else if (single != (d->count == 1))
        part(&v->wrong, "layout: %s, but there %s %lld disk%s", want, d->count == 1 ? "is" : "are",
             (long long)d->count, d->count == 1 ? "" : "s");
    else if (!single)
        part(&v->open, "layout: %s, but how the %lld disks are joined is not known", want,
             (long long)d->count);
}

static void check(struct arena *a, const struct hardware_spec *h, const struct disks *d,
                  struct verdict *v) {
    if (d->count == UNKNOWN) { /* one reason for all that was asked */
        const char *asked[] = {h->media ? "media" : NULL, h->model ? "model" : NULL,
                               h->disks != UNKNOWN ? "disks" : NULL, h->layout ? "layout" : NULL};
        for (size_t i = 0; i < LENGTH(asked); i++)
            if (asked[i])
                buf_fmt(&v->open, "%s%s", v->open.len ? ", " : "", asked[i]);
        if (v->open.len)
            buf_fmt(&v->open, ": %s", d->why);
        return;
    }
    if ((h->media || h->model) && !all_known(d))
        part(&v->open, "%s: only %zu of the %lld disks of the pool are known",
             h->media ? "media" : "model", d->n, (long long)d->count);
    if (h->media && d->n)
        check_media(h->media, d, v);
    if (h->model)
        check_model(a, h->model, d, v);
    if (h->disks != UNKNOWN && h->disks != d->count)
        part(&v->wrong, "disks: %lld, but there %s %lld", (long long)h->disks,
             d->count == 1 ? "is" : "are", (long long)d->count);
    if (h->layout)
        check_layout(a, h->layout, d, v);
}

/* Targets often share their disks: what was said of one in the same words is of the whole run. */
static void add_once(struct arena *a, struct finding_list *out, const char *code,
                     enum severity severity, size_t t, const char *text) {
    for (size_t i = 0; i < out->n; i++)
        if (!strcmp(out->items[i].code, code) && !strcmp(out->items[i].text, text)) {
            out->items[i].target = UNKNOWN;
            return;
        }
    finding_add(a, out, code, severity, (int64_t)t, text);
}

void hardware_check(struct arena *a, const struct preflight_ask *ask, struct finding_list *out) {
    const struct hardware_spec *h = &ask->profile->hardware;
    for (size_t t = 0; t < ask->n_targets; t++) {
        struct disks d = disks_of(a, ask->sheet, t);
        struct verdict v = {{0}, {0}};
        check(a, h, &d, &v);
        if (v.wrong.len)
            add_once(a, out, "hardware-mismatch", h->strict ? SEVERITY_REFUSE : SEVERITY_SAY, t,
                     arena_fmt(a,
                               "not the hardware the profile is written for (%s): its limits "
                               "and requirements do not fit what is found here; %s",
                               v.wrong.data,
                               h->strict ? "run it there, correct `hardware`, or set `strict: "
                                           "false`"
                                         : "correct `hardware`, or read the numbers as those of "
                                           "another machine"));
        if (v.open.len)
            add_once(a, out, "hardware-unknown", SEVERITY_SAY, t,
                     arena_fmt(a,
                               "whether this is the hardware of the profile cannot be told "
                               "(%s): it is measured as it is; look yourself, or leave those "
                               "keys out of `hardware`",
                               v.open.data));
        buf_release(&v.wrong);
        buf_release(&v.open);
    }
}
