/*
 * keys.c: every key of the profile grammar, format version 1: the one list that the decoder, the
 * manual, the completion and the JSON schema are made from.
 *
 * A preset never changes within a format version: digests of workloads leave presets out, so a
 * changed one would give old measurements another meaning.
 */
#include "field.h"

#define FILE_KIND (1u << KIND_FILE)
#define SET_KIND (1u << KIND_FILESET)
#define FIO_KIND (1u << KIND_FIO)
#define OWN_KINDS (FILE_KIND | SET_KIND)

/* Short, so that an entry stays readable: optional key, required key, key of some kinds. */
#define KEY(path, form, preset, about)                                                             \
    { path, form, about, preset, 0, false }
#define MUST(path, form, about)                                                                    \
    { path, form, about, NULL, 0, true }
#define WORK(kinds, path, form, preset, about)                                                     \
    { "workloads[]." path, form, about, preset, kinds, false }
#define WORK_MUST(kinds, path, form, about)                                                        \
    { "workloads[]." path, form, about, NULL, kinds, true }

/* clang-format off */
const struct profile_key profile_keys[] = {
    MUST("zhist", "1", "Version of the format."),
    MUST("name", "a-z, 0-9 and -", "Name of the profile."),
    KEY("about", "text", NULL, "What question it answers, in a sentence."),
    KEY("hardware", "keys", NULL, "The machine it was written for; checked against what is found."),
    KEY("targets", "list", NULL, "Directories to measure; without it any directory serves."),
    KEY("run", "keys", NULL, "How often and how long it measures."),
    MUST("workloads", "list", "What is done in each target."),
    KEY("thresholds", "metric: share", NULL, "What counts as a change, per metric."),
    KEY("require", "list", NULL, "What the user needs, whatever the benchmark says."),

    KEY("hardware.media", "hdd | ssd | nvme | mixed", NULL, "Kind of the disks."),
    KEY("hardware.layout", "single | stripe | mirror | raidz1..3 | draid1..3", NULL,
        "How the pool joins its disks."),
    KEY("hardware.disks", "number", NULL, "How many disks the pool has."),
    KEY("hardware.model", "shell pattern", NULL, "Model of the disks, like \"TOSHIBA HDWG*\"."),
    KEY("hardware.disk_throughput", "rate", NULL,
        "What one disk can sustain, like 248MB/s: more than all of them together is not believed."),
    KEY("hardware.disk_iops", "number", NULL, "Random operations per second of one disk."),
    KEY("hardware.network", "rate", NULL, "The wire to a target on a share, like 10Gbit/s."),
    KEY("hardware.strict", "true | false", "false", "Refuse to run on other hardware."),

    MUST("targets[].name", "text", "Name of the target; --target NAME=PATH moves it."),
    MUST("targets[].path", "absolute path", "Directory that is measured."),
    KEY("targets[].expect", "property: value", NULL,
        "Dataset properties it must have; another value is an error before anything is written."),
    KEY("targets[].declares", "property: value", NULL,
        "What this machine cannot see of a share: server, pool, compression."),

    KEY("run.iterations", "number, or a range like 10..100", "10",
        "How often each phase is measured; with a range until it is precise enough."),
    KEY("run.precision", "share", "2%",
        "With a range of iterations: stop when the 95 % interval is this narrow."),
    KEY("run.warmup", "number", "1", "Iterations before them, stored but not counted."),
    KEY("run.order", "interleaved | sequential", "interleaved",
        "Targets alternate in shuffled order, or one follows the other."),
    KEY("run.pause", "duration", "0s", "Rest before each iteration."),
    KEY("run.max_time", "duration", NULL, "End the run in an orderly way after this time."),
    KEY("run.max_written", "size", NULL, "End the run after so many bytes: a cap on wear."),
    KEY("run.every", "duration", NULL, "How often it is meant to run; check notices its absence."),
    KEY("run.allow", "list of: drop_caches, raw_read", NULL,
        "What touches others on the machine: empty all caches; read one disk of each target raw, as "
        "a control. Both need root."),
    KEY("run.steady", "snia", NULL, "Repeat rounds until the SNIA steady state holds (5 rounds alike), at most 25 "
        "or as many as iterations says."),

    MUST("workloads[].name", "text", "Name of the workload."),
    MUST("workloads[].kind", "file | fileset | fio",
         "One file a job; many files and their metadata; an existing fio job."),
    WORK_MUST(OWN_KINDS, "phases", "list of: write, read, rewrite, randread, randwrite, mixed; "
              "or create, list, stat, read, rename, delete",
              "What is done, in this order."),
    WORK_MUST(FILE_KIND, "size", "size, or a multiple like 2xARC or 2xRAM",
              "Size of each job's file; a multiple of block."),
    WORK(OWN_KINDS, "block", "size, 512 to 64MiB", "1MiB", "Bytes of one operation."),
    WORK(OWN_KINDS, "jobs", "number", "1", "Threads that work at the same time."),
    WORK(FILE_KIND, "depth", "number", "1", "Operations each job keeps in flight (engine uring)."),
    WORK(FILE_KIND, "mix", "share of reads, like 70% read", NULL,
         "With the phase mixed: how many operations read."),
    WORK(FILE_KIND, "time", "duration", NULL,
         "Go on for this long instead of until the size is done."),
    WORK(FILE_KIND, "engine", "psync | uring | null", "psync",
         "Who does the I/O; null measures zhist itself."),
    WORK(OWN_KINDS, "direct", "true | false", "false",
         "Ask for O_DIRECT; what took effect is stored."),
    WORK(OWN_KINDS, "flush", "none | end | each", "end",
         "fsync after the last write, after every one, or never; of a fileset: the whole file "
         "system at the end, each file, or never."),
    WORK(OWN_KINDS, "cold", "no | try | require", "try", "Read from the disks, not from memory."),
    WORK(OWN_KINDS, "keep", "true | false", "false",
         "A file stays and is read, cold, by the next run."),
    WORK(OWN_KINDS, "data", "{compress: 1.0, dedup: 0%} | zeros | {from: FILE}", NULL,
         "The bytes written; otherwise neither compressible nor repeated."),
    WORK(OWN_KINDS, "data.compress", "number, 1 to 100", "1.0", "Compression ratio aimed at, in blocks of 4 KiB and more."),
    WORK(OWN_KINDS, "data.dedup", "share", "0%", "Share of the data that repeats, in pieces of 1 MiB or a block."),
    WORK(OWN_KINDS, "data.from", "path", NULL, "A file whose bytes are written, with a stamp in each 4 KiB."),
    WORK(SET_KIND, "files", "number", NULL, "How many files."),
    WORK(SET_KIND, "total", "size", NULL, "Bytes of all files together."),
    WORK(SET_KIND, "sizes", "fixed | lognormal | list of {size, share}", "lognormal",
         "How the bytes are spread over the files; lognormal: half are smaller than 0.6 of the "
         "mean, one in a hundred is larger than 6 times."),
    WORK(SET_KIND, "from", "path", NULL, "A directory whose real files are copied (bytes, sizes, tree; not names) instead of files and "
         "total."),
    WORK(SET_KIND, "dirs", "number", "1", "Directories the files are spread over, evenly."),
    MUST("workloads[].sizes[].size", "size", "Size of these files."),
    MUST("workloads[].sizes[].share", "share", "How many of all files have it."),
    WORK_MUST(FIO_KIND, "job", "path", "The fio job file, relative to the profile."),

    MUST("require[].workload", "name", "A workload of this profile."),
    KEY("require[].target", "name", NULL, "A target; without it each of them."),
    MUST("require[].phase", "phase", "A phase of the workload."),
    MUST("require[].metric", "metric", "What is compared."),
    KEY("require[].at_least", "value", NULL, "In the unit of the metric, like 600MB/s."),
    KEY("require[].at_most", "value", NULL, "In the unit of the metric, like 20ms."),
    KEY("require[].why", "text", NULL, "What it is needed for; printed beside the verdict."),
};
/* clang-format on */
const size_t n_profile_keys = LENGTH(profile_keys);

const struct profile_key *key_find(const char *path) {
    for (size_t i = 0; i < n_profile_keys; i++)
        if (!strcmp(profile_keys[i].path, path))
            return &profile_keys[i];
    return NULL;
}
