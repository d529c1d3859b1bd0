/*
 * record_context.c: what must be known of a target and a workload before counters can be judged:
 * told from the facts, the profile and the controls. What is not known stays unknown.
 */
#include <math.h>

#include "recorder.h"
#include "zhist/unit.h"

static const char *fact_of(const struct recorder *r, const char *kind, size_t t, const char *key) {
    return fact_value(facts_find(r->run.facts, kind, (int64_t)t), key);
}

static int64_t count_of(const char *text) {
    int64_t value;
    return text && !unit_read_count(text, &value) ? value : UNKNOWN;
}

static enum media media_of(const char *word) {
    return !word                   ? MEDIA_UNKNOWN
           : !strcmp(word, "hdd")  ? MEDIA_HDD
           : !strcmp(word, "nvme") ? MEDIA_NVME
                                   : MEDIA_SSD;
}

/* Disks that hold data, in the form of the ceiling; media: of all of them, unknown where they
 * differ. */
static size_t disks_of(const struct recorder *r, size_t t, struct ceiling_disk **out,
                       enum media *media) {
    struct arena *a = r->call->arena;
    const struct factset *const *sets;
    size_t n = facts_data_disks(a, r->run.facts, t, &sets);
    *media = MEDIA_UNKNOWN;
    *out = n ? arena_new(a, struct ceiling_disk, n) : NULL;
    for (size_t i = 0; i < n; i++) {
        const char *transport = fact_value(sets[i], "transport");
        struct ceiling_disk *d = &(*out)[i];
        d->media = media_of(disk_media(sets[i]));
        d->sas = transport && !strcmp(transport, "sas");
        d->link = disk_link_rate(sets[i]);
        *media = i == 0 || *media == d->media ? d->media : MEDIA_UNKNOWN;
    }
    return n;
}

/* The disks of a reading, in its order: media by name. */
static enum media *reading_media(const struct recorder *r, size_t t, const char *names) {
    struct arena *a = r->call->arena;
    enum media *media = arena_new(a, enum media, METER_DISKS);
    size_t n = 0;
    for (const char *at = names; at && *at && n < METER_DISKS; n++) {
        size_t len = strcspn(at, " ");
        for (size_t i = 0; i < r->run.facts->n_sets; i++) {
            const struct factset *set = &r->run.facts->sets[i];
            const char *name = fact_value(set, "name");
            if (!strcmp(set->kind, "disk") && set->target == (int64_t)t && name &&
                strlen(name) == len && !strncmp(name, at, len))
                media[n] = media_of(disk_media(set));
        }
        at += len + (at[len] == ' ');
    }
    return media;
}

/* Bytes that may wait in memory to be written: ZFS holds writers back at zfs_dirty_data_max, others
 * at vm.dirty_bytes or that share of what is available. */
static int64_t dirty_limit(const struct recorder *r, enum storage storage) {
    const struct factset *host = facts_find(r->run.facts, "system", UNKNOWN);
    if (storage == STORAGE_ZFS)
        return count_of(
            fact_value(facts_find(r->run.facts, "module", UNKNOWN), "zfs_dirty_data_max"));
    int64_t bytes = count_of(fact_value(host, "vm.dirty_bytes"));
    int64_t ratio = count_of(fact_value(host, "vm.dirty_ratio"));
    int64_t memory = count_of(fact_value(host, "mem_available"));
    if (storage != STORAGE_DISKS || bytes > 0)
        return storage == STORAGE_DISKS ? bytes : UNKNOWN;
    return ratio == UNKNOWN || memory == UNKNOWN ? UNKNOWN : memory / 100 * ratio;
}

static void describe(struct recorder *r, size_t t, enum storage storage, const char *disks) {
    struct known_target *k = &r->known[t];
    const struct factset *dataset = facts_dataset(r->run.facts, (int64_t)t);
    const char *volblock = fact_value(dataset, "volblocksize");
    const char *dedup = fact_value(dataset, "dedup");
    int64_t copies = count_of(fact_value(dataset, "copies"));
    struct witness_context *c = &k->context;
    struct ceiling_disk *list;
    double expansion = facts_expansion(r->run.facts, t);
    witness_context(c);
    c->storage = storage;
    c->recordsize = count_of(volblock ? volblock : fact_value(dataset, "recordsize"));
    c->dedup = dedup && strcmp(dedup, "off") && strcmp(dedup, "-");
    const char *layout = fact_of(r, "pool", t, "layout");
    c->log_device = layout && strstr(layout, "; log ");
    c->cpus = count_of(fact_value(facts_find(r->run.facts, "system", UNKNOWN), "cpus"));
    c->generator = r->generator;
    c->network = r->plan->profile.hardware.network;
    c->expansion = (isnan(expansion) ? 1 : expansion) * (copies > 1 ? (double)copies : 1);
    size_t n = disks_of(r, t, &list, &c->media);
    k->ceiling = ceiling_of(&(struct ceiling_ask){.hardware = &r->plan->profile.hardware,
                                                  .storage = storage,
                                                  .layout = layout,
                                                  .expansion = expansion,
                                                  .disks = list,
                                                  .n_disks = n,
                                                  .network = c->network,
                                                  .seen = r->seen});
    k->media = reading_media(r, t, disks);
    k->dirty_limit = dirty_limit(r, storage);
    k->dirty = 0;
    const char *sync = fact_value(dataset, "sync");
    k->sync_disabled = sync && !strcmp(sync, "disabled");
}

void record_describe_targets(struct recorder *r) {
    size_t n = r->plan->profile.n_workloads * r->plan->n_targets;
    r->counts = arena_new(r->call->arena, struct phase_counts, 1);
    r->ratio = arena_new(r->call->arena, double, n);
    for (size_t i = 0; i < n; i++)
        r->ratio[i] = (double)NAN;
    r->known = arena_new(r->call->arena, struct known_target, r->plan->n_targets);
    for (size_t t = 0; t < r->plan->n_targets; t++)
        describe(r, t, r->storage[t], r->disks[t]);
}

void record_context(const struct recorder *r, const struct iteration *it, double ratio,
                    struct witness_context *out) {
    const struct workload *w = &r->plan->profile.workloads[it->workload];
    *out = r->known[it->target].context;
    out->ratio = ratio;
    out->file = w->kind == KIND_FILESET
                    ? w->files > 0 && w->total > 0 ? w->total / w->files : UNKNOWN
                    : r->plan->sizes[it->workload];
    out->block = w->block;
    out->jobs = w->jobs;
    out->depth = w->depth;
    out->flush = r->known[it->target].sync_disabled ? FLUSH_NONE : w->flush;
    out->direct = w->direct;
    out->pending = r->known[it->target].dirty;
}
