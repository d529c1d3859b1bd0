/*
 * witness.h: what the counters of a phase prove: where its bytes came from, what became of
 * O_DIRECT, what set the pace, what shape it had, and whether its rate is possible at all.
 *
 * Pure functions: nothing is allocated (but in a caller's buf), read or kept. Unknown is UNKNOWN,
 * NaN or the word unknown, never zero and never a guess. Every limit is a constant with its reason
 * at the head of the file that uses it. Shares are 0 .. 1, times ns, rates bytes a second.
 */
#ifndef ZHIST_WITNESS_H
#define ZHIST_WITNESS_H

#include "zhist/model.h"

enum media { MEDIA_UNKNOWN, MEDIA_HDD, MEDIA_SSD, MEDIA_NVME, MEDIAS };

/* What the caller knows of the target and the workload. witness_context() sets all to unknown. */
struct witness_context {
    enum storage storage;
    int64_t recordsize;   /* of a ZFS dataset, bytes */
    double ratio;         /* size / allocated of the files the phase reads or wrote, whether
                             compressed or with holes; NaN: not known (also where a file system
                             compresses but does not show it in st_blocks, as btrfs) */
    int64_t file;         /* mean size of a file, bytes: a small file is one small record */
    int64_t block;        /* of an operation, bytes */
    int64_t jobs, depth;
    enum flush flush;
    bool direct;          /* O_DIRECT was asked for */
    bool dedup;           /* its tables are read while writing */
    bool log_device;      /* a separate log: what is flushed is written twice */
    int64_t cpus;         /* online */
    enum media media;     /* of all disks under the target, MEDIA_UNKNOWN where they differ */
    double generator;     /* rate of one thread that makes data */
    double network;       /* rate of the link of a network target, one way */
    double expansion;     /* bytes on disk per byte stored, by the layout alone, at least:
                             mirror n, raidz n / (n - p), else 1 */
    int64_t pending;      /* bytes of ours from before the phase that may not have reached the
                             disks yet: 0 after a flush; UNKNOWN: not judged */
};
void witness_context(struct witness_context *c);

/* ---- differences of readings (counts.c) ------------------------------------------------------ */

struct disk_counts {
    const char *name;
    int64_t read, written, reads, writes, busy, waited;
    double temperature;   /* the higher one of all readings that have it */
};

/* Between two readings. A counter that is UNKNOWN on a side or went backwards (reset, wrapped, a
 * mount or pool made anew) is UNKNOWN. */
struct span_counts {
    int64_t time;                  /* between the readings */
    int64_t count[METER_COUNTERS];
    size_t n_disks;                /* 0: there are none, or the readings do not fit together */
    struct disk_counts disk[METER_DISKS];
    /* P: sums over all disks; UNKNOWN where one of them is, or there are none */
    int64_t read, written, reads, writes, busy, waited;
    double busy_most, busy_mean;   /* shares of the time with a request in flight; NaN */
    size_t busiest;                /* index into disk; n_disks where busy_most is NaN */
    double cpu;                    /* share of all CPUs that was busy, system-wide; NaN */
    double cpu_own;                /* CPUs this process kept busy: 1.0 is one of them; NaN */
    double in_flight;              /* mean requests in flight, all disks together; NaN */
};

struct phase_counts {
    bool known;                    /* there are readings from before and after */
    struct span_counts run;        /* before .. after the last operation */
    struct span_counts durable;    /* before .. after the flush; equals run without one */
    int64_t read, read_ops;        /* L: what the operations moved */
    int64_t written, write_ops;
};
/* of: a struct of about 20 KB; the caller keeps it. Works on failed iterations too. */
void phase_counts(const struct iteration *of, struct phase_counts *out);

/* ---- numbers stored as samples; NaN: unknown (counts.c) -------------------------------------- */

struct witness_numbers {
    double cached_pct;       /* share of what was read that came from memory; NaN where the class
                                is unknown */
    double direct_pct;       /* R / L */
    double write_expansion;  /* P / L, flush included */
    double request_size;     /* bytes, mean at the disks */
    double requests;         /* at the disks */
    double disk_busy;        /* share, busiest disk */
    double disk_busy_mean;
    double cpu_per_gib;      /* CPU seconds of the whole machine per GiB moved */
    double stored_ratio;     /* size / allocated */
};

/* ---- where the bytes came from (cached.c, direct.c, others.c) -------------------------------- */

struct witness {
    enum cache_class class;  /* CACHE_NONE: the phase does not read data */
    double cached;           /* share from memory; NaN where class is unknown or none */
    double by_disks;         /* the same by each witness alone; NaN: it cannot tell */
    double by_fetch;
    const char *why;         /* of the class: a part of a sentence, static text; never NULL */
    enum effect direct;      /* what came of O_DIRECT, also where it was not asked for: the dataset
                                property direct=always makes it */
    const char *direct_why;  /* static text; never NULL */
    double others;           /* bytes at the disks that the phase cannot have caused, at least; 0:
                                none that can be told; NaN: cannot be told */
    double others_share;     /* of P; NaN */
    bool other_io;           /* more than 10 % of P, and enough of them to matter */
    struct witness_numbers numbers;
};
void witness_judge(const struct iteration *it, const struct phase_counts *p,
                   const struct witness_context *c, struct witness *out);

/* The class of a cell: that of at least 90 % of its iterations (n of them), else partial. deviates
 * (n, or NULL) tells which are of another class and must not be counted; none where it is partial.
 * n = 0: unknown. */
enum cache_class cell_class(const enum cache_class *class, size_t n, bool *deviates);
/* What a cell may say of O_DIRECT: the effect all iterations agree on; yes and no: partly; with
 * any unknown: unknown. */
enum effect cell_effect(const enum effect *effect, size_t n);

/* ---- what set the pace (bound.c) ------------------------------------------------------------- */

/* evidence (or NULL) gets a JSON object of the numbers that decided. */
enum bound bound_by(const struct iteration *it, const struct phase_counts *p,
                    const struct witness_context *c, const struct witness *w,
                    struct buf *evidence);

/* ---- the shape of an iteration, by its ticks (shape.c) --------------------------------------- */

enum shape { SHAPE_COLLAPSE, SHAPE_STALL, SHAPE_BURST, SHAPE_DRIFT, SHAPES };
extern const char *const shape_names[SHAPES]; /* the codes of the findings */

struct shape_seen {
    bool found;
    double before, after; /* rates before and after `at`; of a stall: the usual one and 0; of drift:
                             at the start and the end of the fitted line. Operations a second where
                             the ticks have no bytes */
    int64_t at;           /* ns since the clock started: the break; of a stall its start */
    int64_t length;       /* ns: of what comes after; of a stall its own */
};
void shape_of_ticks(const struct tick *ticks, size_t n, struct shape_seen out[SHAPES]);

/* ---- the shape of a run, by one number an iteration, in order (series.c) --------------------- */

struct series_shape {
    bool drift;           /* Mann-Kendall p <= 0.01 and |change| >= delta, n >= 10 */
    double drift_p;       /* NaN: n too small or constant */
    double change;        /* Theil-Sen slope over the span, as a share of the median */
    bool first_differs;
    double first;         /* first value / median of the others - 1; NaN */
    size_t outliers;      /* how many; n >= 10, wider than stats_outliers where n is small */
};
/* Warm-ups are not in it. delta: the practical threshold, 0.05. */
void series_shape(const double *x, size_t n, double delta, struct series_shape *out);

/* ---- one disk among its siblings (disks.c) --------------------------------------------------- */

struct disk_shape {
    size_t slow;          /* index into the span's disks; n_disks: none */
    double slow_service, siblings_service; /* ns a request: of that disk, median of the others */
    double slow_busy, siblings_busy;
    size_t hot;           /* the hottest above its limit; n_disks: none */
    double temperature, temperature_limit;
    int64_t throttled;    /* times a CPU slowed down because of heat; UNKNOWN */
};
/* roles (n_disks, or NULL: all alike): disks with equal numbers are siblings. media (n_disks, or
 * NULL: unknown) decides the limit of the temperature; of unknown media it is that of a nvme. */
void disk_shape(const struct span_counts *s, const int *roles, const enum media *media,
                struct disk_shape *out);

/* ---- what is possible at all (ceiling.c) ----------------------------------------------------- */

struct ceiling_disk {
    enum media media;
    bool sas;             /* else SATA, where it is a ssd */
    double link;          /* rate of its link as negotiated (PCIe speed x width, SATA); NaN */
};

enum ceiling_source { CEILING_NONE, CEILING_DECLARED, CEILING_NETWORK, CEILING_DISKS, CEILING_SEEN,
                      CEILING_SOURCES };
extern const char *const ceiling_sources[CEILING_SOURCES]; /* as parts of a sentence */

struct ceiling_ask {
    const struct hardware_spec *hardware; /* NULL: none given */
    enum storage storage;
    const char *layout;   /* of the pool or array: mirror, raidz2 ...; NULL: unknown */
    const struct ceiling_disk *disks;     /* that hold data */
    size_t n_disks;       /* 0: not known */
    double network;       /* rate of the link; NaN */
    double seen;          /* the largest P a second ever seen on this host; NaN */
    double expansion;     /* of the layout, as in witness_context; 0 or NaN: told by its name */
};
struct ceiling {
    double read, write;   /* bytes stored a second; NaN: nothing is known */
    enum ceiling_source source;
};
struct ceiling ceiling_of(const struct ceiling_ask *ask);

enum too_fast { TOO_FAST_NOT, TOO_FAST_MEMORY, TOO_FAST_BUFFER, TOO_FAST_COMPRESSION, TOO_FAST_ZEROS,
                TOO_FAST_UNKNOWN, TOO_FASTS };
extern const char *const too_fast_why[TOO_FASTS]; /* the likely reason, a part of a sentence */

/* rate: what the workload moved a second. reads: it read (else it wrote). class: CACHE_NONE or
 * CACHE_UNKNOWN where nothing is known. ratio: size / allocated, NaN: taken as 1. */
enum too_fast ceiling_judge(const struct ceiling *c, double rate, bool reads, bool durable,
                            enum cache_class class, double ratio);

/* ---- steady state (steady.c) ----------------------------------------------------------------- */

enum { STEADY_WINDOW = 5, STEADY_ROUNDS = 25 };

struct steady {
    bool steady;
    double average, range, excursion; /* of the last 5 rounds; range and excursion as shares of the
                                         average; NaN: fewer rounds, or not finite */
};
struct steady steady_state(const double *rounds, size_t n);

#endif
