/*
 * unit_series.c: what makes a workload the same one: canonical texts and digests that must never
 * change (data/digests.h), --quick, headlines, and what is not built.
 */
#include "zhist/profile.h"

#include "check.h"

static struct arena arena;
static struct err e;
static const char *tests;

static int parse(const char *text, struct profile *p) {
    e = (struct err){0};
    return profile_parse(&arena, "p.yaml", arena_fmt(&arena, "%s/data", tests), text, strlen(text),
                         p, &e);
}

/* ---- digests --------------------------------------------------------------------------------- */

/* Changing one of these gives stored measurements another meaning: never within version 1. */
static const struct {
    const char *fields, *spec, *digest;
} pinned[] = {
#include "data/digests.h"
};

static void test_digests(void) {
    bool update = getenv("UPDATE_DIGESTS") != NULL;
    for (size_t i = 0; i < LENGTH(pinned); i++) {
        struct profile p;
        const char *text =
            arena_fmt(&arena, "zhist: 1\nname: x\nworkloads: [{name: w, %s}]\n", pinned[i].fields);
        if (!CHECK(pinned[i].fields, parse(text, &p) == 0)) {
            printf("#   %s\n", e.text);
            continue;
        }
        CHECK_TEXT("its canonical text", p.workloads[0].spec, pinned[i].spec);
        CHECK_TEXT("its digest", p.workloads[0].digest, pinned[i].digest);
        if (update)
            fprintf(stderr, "    {\"%s\",\n     \"%s\",\n     \"%s\"},\n", pinned[i].fields,
                    p.workloads[0].spec, p.workloads[0].digest);
    }
}

static const char *digest_of(const char *fields) {
    struct profile p;
    const char *text =
        arena_fmt(&arena, "zhist: 1\nname: x\nworkloads: [{kind: file, size: 1GiB, %s}]\n", fields);
    if (parse(text, &p)) {
        printf("#   %s\n", e.text);
        return arena_fmt(&arena, "failed: %s", fields);
    }
    return p.workloads[0].digest;
}

/* What makes no other workload, and what does. */
static void test_identity(void) {
    const char *base = digest_of("name: w, phases: [write]");
    const char *same[] = {
        "name: other, phases: [write]",
        "name: w, phases: [write, read]",
        "name: w, phases: [write], cold: no",
        "name: w, phases: [write], keep: true",
        "name: w, phases: [write], block: 1024KiB",
        "name: w, phases: [write], jobs: 1, depth: 1, engine: psync, direct: false, flush: end",
        "name: w, phases: [write], data: {compress: 1, dedup: 0.0%}",
    };
    const char *different[] = {
        "block: 1MB, size: 1GB", "jobs: 2",         "time: 1s",    "engine: null",
        "direct: true",          "flush: none",     "data: zeros", "data: {compress: 1.1}",
        "data: {dedup: 1%}",     "data: {from: f}",
    };
    for (size_t i = 0; i < LENGTH(same); i++)
        CHECK_TEXT(same[i], digest_of(same[i]), base);
    for (size_t i = 1; i < LENGTH(different); i++)
        CHECK(different[i],
              strcmp(digest_of(arena_fmt(&arena, "name: w, phases: [write], %s", different[i])),
                     base) != 0);
}

/* ---- quick, headlines, what is not built ----------------------------------------------------- */

static void test_quick(void) {
    struct profile p, q;
    char *full;
    size_t len;
    if (!CHECK("every key", file_read(&arena, arena_fmt(&arena, "%s/data/full.yaml", tests),
                                      1 << 20, &full, &len, &e) == 0 &&
                                parse(full, &p) == 0 && parse(full, &q) == 0)) {
        printf("#   %s\n", e.text);
        return;
    }
    profile_make_quick(&arena, &q, false);
    const struct workload *w = q.workloads;
    CHECK("64 MiB", w[0].size.of == SIZE_BYTES && w[0].size.bytes == 64 << 20);
    CHECK("a relative size too", w[1].size.of == SIZE_BYTES && w[1].size.bytes == 64 << 20);
    CHECK("2 s, or until done", w[1].time == 2 * NS_PER_S && w[0].time == 0);
    CHECK("200 files, of the same mean size", w[2].files == 200 && w[2].dirs == 64);
    CHECK("at most 64 MiB of them", w[2].total == 64 << 20);
    CHECK("a list keeps its shape",
          w[3].files == 200 && w[3].total <= 64 << 20 && w[3].size_list[0].size == 4096);
    CHECK("3 iterations", q.run.iterations_min == 3 && q.run.iterations_max == 3);
    CHECK("a fixed number needs no precision", isnan(q.run.precision));
    for (size_t i = 0; i < p.n_workloads; i++)
        CHECK("a digest of its own", w[i].quick && strcmp(w[i].digest, p.workloads[i].digest) != 0);
    CHECK("quick is in the text", strstr(w[0].spec, "\"quick\":true") != NULL);

    profile_make_quick(&arena, &p, true);
    CHECK("kept iterations",
          p.run.iterations_min == 10 && p.run.iterations_max == 100 && !isnan(p.run.precision));

    CHECK("small ones", parse("zhist: 1\nname: x\nrun: {iterations: 2}\nworkloads:\n"
                              "  - {name: a, kind: file, size: 1MiB, phases: [write], time: 1s}\n"
                              "  - {name: b, kind: file, size: 300MB, block: 3MB, "
                              "phases: [write]}\n"
                              "  - {name: c, kind: file, size: 1GiB, block: 64MiB, "
                              "phases: [write]}\n"
                              "  - {name: d, kind: fileset, files: 10, total: 1MB, "
                              "phases: [create]}\n",
                              &q) == 0);
    profile_make_quick(&arena, &q, false);
    w = q.workloads;
    CHECK("what is small stays", w[0].size.bytes == 1 << 20 && w[0].time == NS_PER_S &&
                                     w[3].files == 10 && w[3].total == 1000000 &&
                                     q.run.iterations_max == 2);
    CHECK_TEXT("as it was written", w[0].size.text, "1MiB");
    CHECK("a multiple of the block", w[1].size.bytes == 66000000);
    CHECK("one block at least", w[2].size.bytes == 64 << 20);
}

static void test_headlines(void) {
    struct workload w = {.kind = KIND_FILE, .flush = FLUSH_END};
    CHECK("write", workload_headline(&w, PHASE_WRITE) == METRIC_THROUGHPUT_DURABLE);
    CHECK("rewrite", workload_headline(&w, PHASE_REWRITE) == METRIC_THROUGHPUT_DURABLE);
    CHECK("randwrite", workload_headline(&w, PHASE_RANDWRITE) == METRIC_THROUGHPUT_DURABLE);
    CHECK("read", workload_headline(&w, PHASE_READ) == METRIC_THROUGHPUT);
    CHECK("randread", workload_headline(&w, PHASE_RANDREAD) == METRIC_OPS_PER_SECOND);
    CHECK("mixed", workload_headline(&w, PHASE_MIXED) == METRIC_OPS_PER_SECOND);
    w.flush = FLUSH_NONE;
    CHECK("write, no flush", workload_headline(&w, PHASE_WRITE) == METRIC_THROUGHPUT);
    CHECK("randwrite, no flush", workload_headline(&w, PHASE_RANDWRITE) == METRIC_THROUGHPUT);
    w.kind = KIND_FILESET;
    CHECK("create", workload_headline(&w, PHASE_CREATE) == METRIC_FILES_PER_SECOND);
    CHECK("read of files", workload_headline(&w, PHASE_READ) == METRIC_FILES_PER_SECOND);
    w.kind = KIND_FIO;
    CHECK("fio", workload_headline(&w, PHASE_JOB) == METRIC_THROUGHPUT);
}

static void test_unbuilt(void) {
    const struct {
        const char *fields, *want;
    } cases[] = {
        {"kind: file, size: 1GiB, phases: [write, read, rewrite, randread, randwrite]", NULL},
        {"kind: file, size: 2xRAM, phases: [write], cold: no, jobs: 4, time: 1s", NULL},
        {"kind: fileset, files: 1, total: 1K, phases: [create, list, stat, read, rename, delete]",
         NULL},
        {"kind: fileset, from: /srv, phases: [create]", NULL},
        {"kind: fio, job: oltp.fio", "kind fio"},
        {"kind: file, size: 1GiB, phases: [read], engine: uring, depth: 8", NULL},
        {"kind: file, size: 1GiB, phases: [read], engine: null, depth: 2", "depth above 1"},
        {"kind: file, size: 2xARC, phases: [read]", NULL},
        {"kind: file, size: 1GiB, phases: [read], data: zeros", NULL},
        {"kind: file, size: 1GiB, phases: [read], data: {dedup: 5%, compress: 2}", NULL},
        {"kind: file, size: 1GiB, phases: [read], keep: true", NULL},
        {"kind: fileset, files: 1, total: 1K, phases: [read], keep: true",
         "keep: true of a fileset"},
        {"kind: fileset, files: 1, total: 1K, phases: [read], data: {dedup: 5%}",
         "dedup of a fileset"},
        {"kind: file, size: 1GiB, phases: [read], cold: require", NULL},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct profile p;
        if (!CHECK(cases[i].fields,
                   parse(arena_fmt(&arena, "zhist: 1\nname: x\nworkloads:\n  - {name: w, %s}\n",
                                   cases[i].fields),
                         &p) == 0)) {
            printf("#   %s\n", e.text);
            continue;
        }
        const char *want = cases[i].want ? arena_fmt(&arena,
                                                     "p.yaml:4: workload \"w\": %s is not built "
                                                     "yet",
                                                     cases[i].want)
                                         : "";
        e = (struct err){0};
        int status = profile_refuse_unbuilt("p.yaml", &p.workloads[0], &e);
        CHECK_TEXT("is it built?", e.text, want);
        CHECK("status", status == (*want ? -1 : 0) && (!*want || e.kind == ERR_USAGE));
    }
}

int main(void) {
    tests = getenv("ZHIST_TESTS") ? getenv("ZHIST_TESTS") : "tests";
    test_digests();
    test_identity();
    test_quick();
    test_headlines();
    test_unbuilt();
    arena_release(&arena);
    return check_done();
}
