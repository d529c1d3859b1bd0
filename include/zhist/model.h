/*
 * model.h: what the rooms tell each other, in the field's words: plain structs, no functions.
 *
 * Everything is owned by the arena of whoever made it. Sizes and counts are int64_t, times are ns
 * (moments since 1970 UTC, durations of the monotonic clock). Unknown is UNKNOWN (or NaN in a
 * double, NULL in a text), never zero. The tables (names, units, headlines) lie in
 * src/base/model.c.
 */
#ifndef ZHIST_MODEL_H
#define ZHIST_MODEL_H

#include "zhist/base.h"
#include "zhist/hist.h"

#define UNKNOWN INT64_C(-1)

enum { DIGEST_TEXT = 65 }; /* 64 hex digits of SHA-256 and a NUL */

/* ---- what people write: the profile ---------------------------------------------------------- */

enum work_kind { KIND_FILE, KIND_FILESET, KIND_FIO, KINDS };

/* In the order of the table phases[]. PHASE_READ is shared by file and fileset. */
enum phase {
    PHASE_WRITE,
    PHASE_READ,
    PHASE_REWRITE,
    PHASE_RANDREAD,
    PHASE_RANDWRITE,
    PHASE_MIXED,
    PHASE_CREATE,
    PHASE_LIST,
    PHASE_STAT,
    PHASE_RENAME,
    PHASE_DELETE,
    PHASE_JOB, /* kind fio: what the job file says */
    PHASES
};

struct phase_info {
    const char *name;
    unsigned kinds;    /* 1 << KIND_... */
    bool reads, writes, random;
    bool built;        /* executed by this version */
};

enum engine_id { ENGINE_PSYNC, ENGINE_URING, ENGINE_NULL, ENGINES };
enum flush { FLUSH_NONE, FLUSH_END, FLUSH_EACH, FLUSHES };
enum cold { COLD_NO, COLD_TRY, COLD_REQUIRE, COLDS };
enum fileset_sizes { SIZES_FIXED, SIZES_LOGNORMAL, SIZES_LIST };

extern const char *const kind_names[KINDS];
extern const struct phase_info phases[PHASES];
extern const char *const engine_names[ENGINES];
extern const char *const flush_names[FLUSHES];
extern const char *const cold_names[COLDS];

/* A size as written: bytes, or a multiple of the ARC or of memory, resolved on the machine. */
struct size_spec {
    const char *text;           /* as written */
    enum { SIZE_BYTES, SIZE_ARC, SIZE_RAM } of;
    int64_t bytes;              /* of SIZE_BYTES */
    double times;               /* of the others */
};

struct data_spec {
    double compress;            /* target ratio, 1: incompressible */
    double dedup;               /* share of repeated blocks, 0 .. 1 */
    bool zeros;
    const char *from;           /* a file whose bytes are written, as named, or NULL */
    const char *from_path;      /* where it lies */
};

struct size_share {
    int64_t size;
    double share;
};

struct workload {
    const char *name;
    enum work_kind kind;
    enum phase phase[PHASES];
    size_t n_phases;
    /* file */
    struct size_spec size;      /* of each job's file */
    int64_t block;
    int jobs, depth;
    double mix_read;            /* share of reads in `mixed`, NaN where not given */
    int64_t time;               /* ns; 0: until the size is done */
    enum engine_id engine;
    bool direct;
    enum flush flush;
    enum cold cold;
    bool keep;
    struct data_spec data;
    /* fileset */
    int64_t files, total;       /* count; bytes of all of them */
    enum fileset_sizes sizes;
    struct size_share *size_list;
    size_t n_size_list;
    const char *from;           /* a directory of real files as written, or NULL */
    const char *from_path;      /* where it is */
    const struct fileset_tree *tree; /* its files; NULL: not looked at yet (work_resolve) */
    int64_t dirs;
    /* fio */
    const char *job;            /* path as written */
    const char *job_text;       /* its bytes */

    bool quick;                 /* capped by --quick: a workload of its own */
    const char *spec;           /* canonical text of what makes it the same workload */
    char digest[DIGEST_TEXT];   /* of spec: carries the series across profile edits */
    int line;                   /* in the profile */
};

struct setting {
    const char *key, *value;
};

struct target_spec {
    const char *name;           /* NULL: the resolved path serves as the name */
    const char *path;
    struct setting *expect, *declares;
    size_t n_expect, n_declares;
    int line;                   /* in the profile; 0: from the command line */
};

struct hardware_spec {
    const char *media, *layout, *model; /* NULL: not given */
    int64_t disks;                      /* UNKNOWN: not given */
    double disk_throughput, disk_iops, network; /* B/s, 1/s, B/s; NaN: not given */
    bool strict;
};

struct run_spec {
    int64_t iterations_min, iterations_max; /* equal: a fixed number */
    double precision;           /* half-width as a share of the mean; NaN: not given */
    int warmup;
    bool interleaved;
    int64_t pause;              /* ns between iterations */
    int64_t max_time;           /* ns; UNKNOWN: no limit */
    int64_t max_written;        /* bytes; UNKNOWN: no limit */
    int64_t every;              /* ns; UNKNOWN: not given */
    bool allow_drop_caches, allow_raw_read;
    bool steady_snia;
};

struct threshold {
    const char *metric;
    double share;
};

struct requirement {
    const char *workload, *target, *metric, *why; /* target, why: NULL where not given */
    enum phase phase;
    bool at_least;              /* else at_most */
    double value;               /* base unit of the metric */
};

struct profile {
    const char *name, *about;
    const char *text;           /* verbatim, stored with the run */
    char digest[DIGEST_TEXT];   /* of text */
    struct hardware_spec hardware;
    struct target_spec *targets;
    size_t n_targets;
    struct run_spec run;
    struct workload *workloads;
    size_t n_workloads;
    struct threshold *thresholds;
    size_t n_thresholds;
    struct requirement *requires;
    size_t n_requires;
};

/* ---- what the machine counted while a phase ran ----------------------------------------------- */

/* What lies under a target: it decides which counters are witnesses. */
enum storage { STORAGE_UNKNOWN, STORAGE_DISKS, STORAGE_ZFS, STORAGE_MEMORY, STORAGE_NETWORK, STORAGES };

/* Sources stand in src/measure/meter_linux.c. */
enum meter_count {
    /* Counters: only a difference of two readings means something. Bytes, requests, ns. */
    METER_DATASET_READ,         /* D: what the dataset was asked for */
    METER_DATASET_WRITTEN,
    METER_DIRECT_READ,          /* R: what went past the ARC, of the whole pool */
    METER_DIRECT_WRITTEN,
    METER_ARC_DATA_HITS,        /* requests of the ARC for data, demand and prefetch */
    METER_ARC_DATA_MISSES,
    METER_PROC_READ,            /* what the kernel fetched for this process (not on ZFS) */
    METER_PROC_WRITTEN,
    METER_CPU_USER,             /* of all CPUs together */
    METER_CPU_SYSTEM,
    METER_CPU_IRQ,
    METER_CPU_STEAL,
    METER_CPU_IOWAIT,
    METER_CPU_IDLE,
    METER_CPU_OWN,              /* of this process */
    METER_PSI_CPU,              /* time in which some task waited for it */
    METER_PSI_IO,
    METER_PSI_MEMORY,
    METER_NET_RECEIVED,         /* of the mount where it tells, else of the interfaces */
    METER_NET_SENT,
    METER_DIRTY_WAITS,          /* writers ZFS held back: times */
    METER_CPU_THROTTLED,        /* times a CPU slowed down because of heat */
    METER_COUNTERS,
    /* Gauges: what it is at that moment. Bytes. */
    METER_ARC_SIZE = METER_COUNTERS,
    METER_ARC_TARGET,
    METER_ARC_LIMIT,
    METER_MEMORY_AVAILABLE,
    METER_MEMORY_DIRTY,
    METER_FREE,                 /* of the target's file system */
    METER_COUNTS
};

struct meter_disk {
    const char *name;           /* of the kernel */
    int64_t read, written;      /* P: bytes */
    int64_t reads, writes;      /* requests */
    int64_t busy;               /* ns with a request in flight */
    int64_t waited;             /* ns, summed over requests */
    double temperature;         /* degrees Celsius; NaN: not read at this moment */
};

enum { METER_DISKS = 128 };

struct meter_reading {
    int64_t at;                 /* monotonic */
    int64_t count[METER_COUNTS];/* UNKNOWN: not there, not readable */
    size_t n_disks;             /* the leaf disks under the target, in a fixed order */
    struct meter_disk disk[METER_DISKS];
};

/* SETTLED: only where it was waited for, see work_watch. */
enum meter_moment { METER_BEFORE, METER_AFTER, METER_FLUSHED, METER_SETTLED, METER_MOMENTS };

/* What was done since the tick before. */
struct tick {
    int64_t ms;                 /* since the clock started, at its end */
    int64_t bytes, ops;
};

/* ---- what was done --------------------------------------------------------------------------- */

/* Where the bytes of a read iteration came from; writes have CACHE_NONE ("n/a"). */
enum cache_class { CACHE_UNKNOWN, CACHE_COLD, CACHE_CACHED, CACHE_PARTIAL, CACHE_NONE, CACHE_CLASSES };
/* What came of O_DIRECT. */
enum effect { EFFECT_UNKNOWN, EFFECT_YES, EFFECT_NO, EFFECT_PARTLY, EFFECTS };
/* What set the pace. */
enum bound {
    BOUND_UNKNOWN,
    BOUND_MEMORY,
    BOUND_DISK,
    BOUND_CPU,
    BOUND_NETWORK,
    BOUND_GENERATOR,
    BOUND_LATENCY,
    BOUND_FLUSH,
    BOUNDS
};
extern const char *const cache_class_names[CACHE_CLASSES];
extern const char *const effect_names[EFFECTS];
extern const char *const bound_names[BOUNDS];

enum iteration_status { ITERATION_OK, ITERATION_FAILED, ITERATION_INTERRUPTED, ITERATION_STATUSES };
extern const char *const iteration_status_names[ITERATION_STATUSES];

struct iteration {
    size_t target, workload;    /* index into the plan's targets and the profile's workloads */
    enum phase phase;
    int64_t ordinal;            /* 1 .. for this target, workload and phase; warm-ups count too */
    int64_t block;              /* round of the run, 1 .. */
    int64_t position;           /* place of the target in the shuffled block, 0 .. */
    bool warmup;
    int64_t started_at;         /* moment the clock started */
    int64_t duration;           /* ns to the last operation; UNKNOWN: it never ran */
    int64_t flush;              /* ns the flush took after that; UNKNOWN: none was asked */
    int64_t bytes, ops;         /* of completed operations */
    int64_t read_bytes, read_ops; /* those of them that read */
    int64_t size, allocated;    /* bytes of the files it wrote and what they take on disk (st_blocks)
                                   after the flush; UNKNOWN: not looked at */
    const struct meter_reading *meter[METER_MOMENTS]; /* NULL: not read */
    const struct tick *ticks;
    size_t n_ticks;
    int64_t laid_out;           /* bytes written before the clock, for the phase to find */
    enum iteration_status status;
    int errnum;                 /* of the first operation that failed, else 0 */
    const char *failed;         /* what failed, for a person; NULL when ok */
    const struct hist *read, *write; /* latency; NULL: no such operations */
    enum cache_class cache;     /* what the counters say of it (witness.h); 0: nothing */
    enum bound bound;
};

/* In the order of the table metrics[]. */
enum metric {
    METRIC_DURATION,
    METRIC_DURATION_DURABLE,
    METRIC_THROUGHPUT,
    METRIC_THROUGHPUT_DURABLE,
    METRIC_OPS_PER_SECOND,
    METRIC_FILES_PER_SECOND,
    METRIC_TIME_PER_FILE,
    METRIC_LAT_MEAN,
    METRIC_LAT_P50,
    METRIC_LAT_P95,
    METRIC_LAT_P99,
    METRIC_LAT_P999,
    METRIC_LAT_MAX,
    METRIC_FLUSH_TIME,
    /* Of mixed operations, beside the totals. In the order of the totals. */
    METRIC_READ_THROUGHPUT,
    METRIC_READ_OPS_PER_SECOND,
    METRIC_READ_LAT_MEAN,
    METRIC_READ_LAT_P50,
    METRIC_READ_LAT_P95,
    METRIC_READ_LAT_P99,
    METRIC_READ_LAT_P999,
    METRIC_READ_LAT_MAX,
    METRIC_WRITE_THROUGHPUT,
    METRIC_WRITE_OPS_PER_SECOND,
    METRIC_WRITE_LAT_MEAN,
    METRIC_WRITE_LAT_P50,
    METRIC_WRITE_LAT_P95,
    METRIC_WRITE_LAT_P99,
    METRIC_WRITE_LAT_P999,
    METRIC_WRITE_LAT_MAX,
    /* What the counters say (witness.h). Shares: 0 .. 1. */
    METRIC_CACHED_PCT,          /* share of what was read that came from memory, in percent */
    METRIC_DIRECT_PCT,          /* share that went past the cache, in percent */
    METRIC_WRITE_EXPANSION,     /* bytes the disks wrote for each byte written */
    METRIC_REQUEST_SIZE,        /* mean, at the disks */
    METRIC_DISK_REQUESTS,
    METRIC_DISK_THROUGHPUT,     /* of all disks under the target together */
    METRIC_DISK_BUSY,           /* of the busiest disk */
    METRIC_CPU_BUSY,            /* of all CPUs */
    METRIC_CPU_PER_GIB,
    METRIC_STORED_RATIO,        /* size of the files / what they take on disk */
    METRIC_PSI_CPU,             /* share of the time in which some task waited for a CPU, */
    METRIC_PSI_IO,              /* for I/O, */
    METRIC_PSI_MEMORY,          /* for memory */
    METRIC_ARC_SIZE,            /* after the phase */
    METRIC_MEMORY_AVAILABLE,
    METRIC_NETWORK_BYTES,       /* received and sent, for a target on a server */
    METRIC_FREE,           /* room in the target's file system after the phase */
    METRIC_TEMPERATURE,         /* of the hottest disk */
    METRICS
};

struct metric_info {
    const char *name, *unit;    /* base unit: s, B/s, 1/s, files/s, ns, ratio */
    int better;                 /* +1: higher, -1: lower, 0: neither */
};
extern const struct metric_info metrics[METRICS];

struct sample {
    enum metric metric;
    double value;
};

/* ---- what was true --------------------------------------------------------------------------- */

enum fact_class { FACT_SETTING, FACT_STATE, FACT_NAME, FACT_CONSEQUENCE, FACT_CLASSES };
extern const char *const fact_class_names[FACT_CLASSES];

struct fact {
    const char *key, *value;    /* value NULL: could not be read, source says why */
    const char *source;         /* the file or program it was read from */
    enum fact_class class;
    const char *leader;         /* of a consequence: the fact it follows, "kind.key" */
};

/* Facts of one thing: kind is system, module, pool, dataset, disk or mount; subject says which. */
struct factset {
    const char *kind, *subject;
    int64_t target;             /* index of the target it belongs to; UNKNOWN: the host */
    struct fact *facts;         /* sorted by key; state facts too */
    size_t n_facts, cap_facts;
    char digest[DIGEST_TEXT];   /* of kind and all facts but state */
};

struct fact_sheet {
    struct factset *sets;
    size_t n_sets, cap_sets;
    const char **silent; /* programs that did not answer in time */
    size_t n_silent;
};

/* What lay under a target at an earlier run; NULL: not known, or there was no dataset. */
struct earlier {
    const char *dataset, *guid; /* its name and guid */
    const char *fstype;
    const char *locked; /* whose key it waits for now; "": for none; NULL: not known */
};

/* The busiest disk under a target while nothing of ours ran. */
struct disk_use {
    const char *disk;           /* NULL: no disks, or they could not be looked at */
    double busy;                /* share of the time with a request in flight */
    double rate;                /* bytes read and written a second */
    int64_t time;               /* ns it was looked at */
};

enum severity { SEVERITY_SAY, SEVERITY_CLASS, SEVERITY_SHAPE, SEVERITY_DISTURBED, SEVERITY_REFUSE,
                SEVERITIES };
extern const char *const severity_names[SEVERITIES];

struct finding {
    const char *code;           /* of the table in facts/findings.c */
    enum severity severity;
    int64_t target;             /* index, or UNKNOWN: the whole run */
    int64_t workload;           /* index, or UNKNOWN */
    const char *phase;          /* its name; NULL: every phase */
    int64_t ordinal;            /* of the one iteration it is about; 0: of all */
    const char *text;           /* what was seen, what it means, what to do */
    const char *evidence;       /* JSON, or NULL */
};

struct finding_list {
    struct finding *items;
    size_t n, cap;
};

#endif
