/*
 * facts.h: what was true of the machine: probes, classes of facts, digests, preflight.
 *
 * A probe is one file and one row of the table in facts.c. Unknown is a fact with value NULL and
 * the reason as its source. No root is needed; what cannot be read is said, never guessed.
 */
#ifndef ZHIST_FACTS_H
#define ZHIST_FACTS_H

#include "zhist/model.h"

struct facts_ask {
    const char *const *paths;   /* resolved paths of the targets */
    size_t n_paths;
    const char *version;        /* zhist's own: a setting */
};

/* Runs every probe. Never fails: what went wrong is in the facts. */
void facts_probe(struct arena *a, const struct facts_ask *ask, struct fact_sheet *sheet);
/* The same once more: programs that were silent then are not asked again. */
void facts_probe_again(struct arena *a, const struct facts_ask *ask,
                       const struct fact_sheet *earlier, struct fact_sheet *sheet);

/* The class of a fact: the one table. */
enum fact_class fact_class_of(const char *kind, const char *key);
/* The fact a consequence follows ("system.truenas" for "system.kernel"), or NULL. As kind.key. */
const char *fact_leader(const char *kind, const char *key);

const struct factset *facts_find(const struct fact_sheet *sheet, const char *kind, int64_t target);
/* The dataset that was found under a target, never what the profile declares; NULL: none. */
const struct factset *facts_dataset(const struct fact_sheet *sheet, int64_t target);
const char *fact_value(const struct factset *set, const char *key); /* NULL: unknown or no set */
/* Of a disk set: hdd, ssd or nvme; NULL: the kernel repeats what a hypervisor or a bridge told it. */
const char *disk_media(const struct factset *disk);
/* Of a disk set: bytes a second its link moves, by the speed and width it was negotiated at; NaN:
 * not told. */
double disk_link_rate(const struct factset *disk);
/* Bytes on the disks for each byte stored, at least, by the layout of the pool alone; NaN: not known. */
double facts_expansion(const struct fact_sheet *sheet, size_t target);
/* The disks that hold a target's data, as far as they are known. */
size_t facts_data_disks(struct arena *a, const struct fact_sheet *sheet, size_t target,
                        const struct factset *const **disks);

/* For probes: */
struct factset *factset_add(struct arena *a, struct fact_sheet *sheet, const char *kind,
                            const char *subject, int64_t target);
void fact_add(struct arena *a, struct factset *set, const char *key, const char *value,
              const char *source); /* value NULL: unknown, source: why */

/* Sorts the facts by key and computes the digest; facts_probe does it for its own. */
void factset_seal(struct factset *set);

/* host id (machine-id; "unknown-<name>" where there is none) and name. */
void facts_host(struct arena *a, const char **machine_id, const char **name);
/* memory installed, bytes; UNKNOWN where it cannot be read */
int64_t facts_memory(void);
/* the ARC's limit in effect (module.arc_c_max), bytes; UNKNOWN where there is no ZFS */
int64_t facts_arc(void);

/* Mount points of the ZFS datasets right below the one under path, or of those beside it (itself
 * among them), by name. 0: it is no dataset, or there are none. */
size_t facts_siblings(struct arena *a, const char *path, bool below, const char ***paths);

/* The encryption root whose key must be loaded before the dataset can be mounted, "" where none is
 * missing; NULL: not known. Asks zfs, unless it was silent for the sheet. */
const char *facts_locked(struct arena *a, const struct fact_sheet *sheet, const char *dataset);

/* Settings that differ between two sheets of one run -> findings moved-during-run. */
void facts_moved(struct arena *a, const struct fact_sheet *before, const struct fact_sheet *after,
                 struct finding_list *out);

/* The one list of findings; every finding's code is in it. */
struct finding_info {
    const char *code;
    unsigned severities; /* 1 << SEVERITY_... it may have */
    const char *about;   /* what was seen, in a few words */
};
extern const struct finding_info finding_infos[];
extern const size_t n_finding_infos;

void finding_add(struct arena *a, struct finding_list *list, const char *code,
                 enum severity severity, int64_t target, const char *text);
/* What is said in the same words of each target is said once, of the whole run. */
void findings_merge(struct finding_list *list, size_t n_targets);
/* What only needs to be said " on 'NAME'" of several targets is said once, with all names. */
void findings_join(struct arena *a, struct finding_list *list, const char *const *names);

/* Who uses the disks of each target: two readings of what the kernel counts, and what lies between
 * them. A target without disks (memory, a server) has no disk in its disk_use. */
struct disk_reading {
    const char *text; /* of /proc/diskstats; NULL: could not be read */
    int64_t at;       /* monotonic, ns */
};
void disks_read(struct arena *a, struct disk_reading *reading);
void disks_compare(struct arena *a, const struct disk_reading *from, const struct disk_reading *to,
                   const struct fact_sheet *sheet, size_t n_targets, struct disk_use *use);
bool disk_use_is_load(const struct disk_use *use); /* over the thresholds of other-io */
bool disks_known(const struct fact_sheet *sheet, size_t n_targets); /* is there any to look at? */

/* What must be said or refused before a run. Thresholds stand in the file that uses them. */
struct preflight_ask {
    const struct profile *profile;
    const struct fact_sheet *sheet;
    const char *const *target_names;
    size_t n_targets;
    const int64_t *free_bytes;      /* per target */
    const int64_t *needed_bytes;    /* per target: what will lie there at once */
    const bool *db_on_target;       /* the history lies on the same file system */
    const int64_t *sizes;           /* per workload: of each job's file; UNKNOWN: kind without */
    const struct disk_use *use;     /* per target; NULL: not looked at */
    const struct earlier *earlier;  /* per target, of its last run; NULL: no history was asked */
    bool quick;
    bool waits; /* whoever waits for scans to end wants to know that none runs */
};
void preflight(struct arena *a, const struct preflight_ask *ask, struct finding_list *out);
/* What came from outside while it ran: two sheets compared, facts_moved() among it. */
void postflight(struct arena *a, const struct fact_sheet *before, const struct fact_sheet *after,
                const char *const *target_names, size_t n_targets, struct finding_list *out);
/* Would it go away by itself: a scan, not knowing of one, or others' I/O? */
bool finding_passes(const struct finding *f);
/* Does it refuse the run? --force overrules all but what would hang for ever. */
bool finding_stands(const struct finding *f, bool forced);

#endif
