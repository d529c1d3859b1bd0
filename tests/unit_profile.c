/*
 * unit_profile.c: profiles read in full, every mistake (tests/data/profiles/NAME.yaml with the
 * expected message in NAME.err; UPDATE=1 writes those), the shipped profiles, the table of keys.
 */
#include "zhist/profile.h"

#include "check.h"

#include <dirent.h>

static struct arena arena;
static struct err e;
static const char *tests;

static int parse(const char *text, struct profile *p) {
    e = (struct err){0};
    return profile_parse(&arena, "p.yaml", arena_fmt(&arena, "%s/data", tests), text, strlen(text),
                         p, &e);
}

/* ---- every key ------------------------------------------------------------------------------- */

static void test_hardware_targets(const struct profile *p) {
    CHECK_TEXT("media", p->hardware.media, "hdd");
    CHECK_TEXT("layout", p->hardware.layout, "mirror");
    CHECK_TEXT("model", p->hardware.model, "TOSHIBA HDWG*");
    CHECK("disks", p->hardware.disks == 2 && p->hardware.strict);
    CHECK_NEAR("disk throughput", p->hardware.disk_throughput, 248e6, 1e-12);
    CHECK_NEAR("disk iops", p->hardware.disk_iops, 200, 1e-12);
    CHECK_NEAR("network", p->hardware.network, 1.25e9, 1e-12);

    CHECK("two targets", p->n_targets == 2);
    CHECK_TEXT("target name", p->targets[0].name, "plain");
    CHECK_TEXT("target path", p->targets[0].path, "/mnt/tank/plain");
    CHECK("target line", p->targets[0].line == 15 && p->targets[1].line == 18);
    CHECK("two properties", p->targets[0].n_expect == 2 && p->targets[0].n_declares == 0);
    CHECK_TEXT("off stays off", p->targets[0].expect[0].value, "off");
    CHECK_TEXT("target in UTF-8", p->targets[1].name, "gr\303\266\303\237er");
    CHECK("declares", p->targets[1].n_declares == 4);
    CHECK_TEXT("on stays on", p->targets[1].declares[3].value, "on");
}

static void test_run_rest(const struct profile *p) {
    const struct run_spec *r = &p->run;
    CHECK("iterations", r->iterations_min == 10 && r->iterations_max == 100);
    CHECK_NEAR("precision", r->precision, 0.025, 1e-12);
    CHECK("warmup, order", r->warmup == 0 && !r->interleaved);
    CHECK("pause", r->pause == 2 * NS_PER_S);
    CHECK("max_time", r->max_time == 7200 * NS_PER_S);
    CHECK("max_written", r->max_written == INT64_C(500000000000));
    CHECK("every", r->every == 86400 * NS_PER_S);
    CHECK("allow, steady", r->allow_drop_caches && r->allow_raw_read && r->steady_snia);

    CHECK("two thresholds", p->n_thresholds == 2);
    CHECK_TEXT("threshold metric", p->thresholds[1].metric, "lat_p99");
    CHECK_NEAR("threshold share", p->thresholds[1].share, 0.1, 1e-12);

    const struct requirement *q = p->requires;
    CHECK("five requirements", p->n_requires == 5);
    CHECK("at least", q[0].at_least && q[0].phase == PHASE_WRITE);
    CHECK_NEAR("a rate", q[0].value, 600e6, 1e-12);
    CHECK_TEXT("why", q[0].why, "nightly backup");
    CHECK_TEXT("its target", q[0].target, "plain");
    CHECK("at most, no target, no why", !q[1].at_least && !q[1].target && !q[1].why);
    CHECK_NEAR("latency in ns", q[1].value, 20e6, 1e-12);
    CHECK_NEAR("duration in s", q[2].value, 90, 1e-12);
    CHECK_NEAR("a number", q[3].value, 1000, 1e-12);
    CHECK("phase of a fio job", q[4].phase == PHASE_JOB);
}

static void test_workloads(const struct profile *p) {
    const struct workload *w = p->workloads;
    CHECK("six workloads", p->n_workloads == 6);
    CHECK("kinds", w[0].kind == KIND_FILE && w[2].kind == KIND_FILESET && w[5].kind == KIND_FIO);
    CHECK("lines", w[0].line == 33 && w[1].line == 46);
    CHECK("size", w[0].size.of == SIZE_BYTES && w[0].size.bytes == INT64_C(2097152000));
    CHECK_TEXT("size as written", w[0].size.text, "2000MiB");
    CHECK("phases",
          w[0].n_phases == 2 && w[0].phase[0] == PHASE_WRITE && w[0].phase[1] == PHASE_READ);
    CHECK("block, jobs, depth", w[0].block == 1 << 20 && w[0].jobs == 2 && w[0].depth == 1);
    CHECK("engine, direct, flush, cold, keep", w[0].engine == ENGINE_PSYNC && w[0].direct &&
                                                   w[0].flush == FLUSH_EACH &&
                                                   w[0].cold == COLD_REQUIRE && w[0].keep);
    CHECK_NEAR("compress", w[0].data.compress, 1.5, 1e-12);
    CHECK_NEAR("dedup", w[0].data.dedup, 0.2, 1e-12);
    CHECK("no time, no mix", w[0].time == 0 && isnan(w[0].mix_read));

    CHECK("a relative size", w[1].size.of == SIZE_ARC);
    CHECK_NEAR("how many times", w[1].size.times, 2, 1e-12);
    CHECK_NEAR("mix", w[1].mix_read, 0.7, 1e-12);
    CHECK("time, engine, depth",
          w[1].time == 30 * NS_PER_S && w[1].engine == ENGINE_URING && w[1].depth == 32);
    CHECK("zeros", w[1].data.zeros && !w[0].data.zeros);
    CHECK("presets", !w[1].direct && w[1].flush == FLUSH_END && w[1].cold == COLD_TRY &&
                         !w[1].keep && w[1].jobs == 4);

    CHECK("files", w[2].files == 12552 && w[2].total == INT64_C(5000000000) && w[2].dirs == 64);
    CHECK("six phases", w[2].n_phases == 6 && w[2].phase[3] == PHASE_READ);
    CHECK("fixed", w[2].sizes == SIZES_FIXED);
    CHECK_TEXT("data from a file", w[2].data.from, "video.mkv");
    CHECK_TEXT("which lies beside the profile", w[2].data.from_path,
               arena_fmt(&arena, "%s/data/video.mkv", tests));
    CHECK("list of sizes is sorted",
          w[3].sizes == SIZES_LIST && w[3].n_size_list == 2 && w[3].size_list[0].size == 4096);
    CHECK("its total follows", w[3].total == 900 * 4096 + 100 * 1000000);
    CHECK_TEXT("real files", w[4].from, "/srv/pictures");
    CHECK_TEXT("fio job", w[5].job, "oltp.fio");
    CHECK("fio job text", w[5].job_text && strstr(w[5].job_text, "rw=randrw"));
    CHECK("fio phase", w[5].n_phases == 1 && w[5].phase[0] == PHASE_JOB);
}

static void test_full(void) {
    struct profile p;
    char *full;
    size_t len;
    if (!CHECK("every key", file_read(&arena, arena_fmt(&arena, "%s/data/full.yaml", tests),
                                      1 << 20, &full, &len, &e) == 0 &&
                                parse(full, &p) == 0)) {
        printf("#   %s\n", e.text);
        return;
    }
    CHECK_TEXT("name", p.name, "n300-mirror");
    CHECK_TEXT("text is verbatim", p.text, full);
    CHECK("digest of the text", strlen(p.digest) == 64);
    test_hardware_targets(&p);
    test_run_rest(&p);
    test_workloads(&p);
    CHECK("a built-in profile names no files",
          profile_parse(&arena, "x", NULL, full, len, &p, &e) == -1 &&
              strstr(e.text, "job \"oltp.fio\" cannot be read: a built-in profile"));
    CHECK("BOM and CRLF", parse("\357\273\277zhist: 1\r\nname: x\r\nworkloads:\r\n"
                                "  - {name: w, kind: file, size: 1GiB, phases: [read]}\r\n",
                                &p) == 0);
}

static void test_presets(void) {
    struct profile p;
    const struct run_spec *r = &p.run;
    CHECK("a short profile", parse("zhist: 1\nname: x\nrun:\nhardware:\n"
                                   "workloads: [{name: w, kind: file, size: 1GiB, "
                                   "phases: [write]}]\n",
                                   &p) == 0);
    CHECK("ten iterations", r->iterations_min == 10 && r->iterations_max == 10);
    CHECK("no precision", isnan(r->precision));
    CHECK("one warmup, interleaved, no pause", r->warmup == 1 && r->interleaved && r->pause == 0);
    CHECK("no limits", r->max_time == UNKNOWN && r->max_written == UNKNOWN && r->every == UNKNOWN);
    CHECK("nothing allowed", !r->allow_drop_caches && !r->allow_raw_read && !r->steady_snia);
    CHECK("hardware unknown", p.hardware.disks == UNKNOWN && isnan(p.hardware.network) &&
                                  !p.hardware.media && !p.hardware.strict);
    CHECK("no targets", p.n_targets == 0 && p.n_thresholds == 0 && p.n_requires == 0);
    CHECK("a range has a precision",
          parse("zhist: 1\nname: x\nrun: {iterations: 3..9}\nworkloads: [{name: w, kind: file, "
                "size: 1GiB, phases: [write]}]\n",
                &p) == 0);
    CHECK_NEAR("of 2 %", r->precision, 0.02, 1e-12);
    CHECK("1.5 times the memory",
          parse("zhist: 1\nname: x\nworkloads: [{name: w, kind: file, size: 1.50xRAM, "
                "phases: [read], engine: null, depth: 8}]\n",
                &p) == 0 &&
              p.workloads[0].size.of == SIZE_RAM && p.workloads[0].engine == ENGINE_NULL);
    CHECK_TEXT("its number in one form", p.workloads[0].spec,
               "{\"depth\":8,\"engine\":\"null\",\"kind\":\"file\",\"size\":\"1.5xRAM\"}");
}

/* ---- bad profiles ---------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_golden(const char *dir, const char *file) {
    struct profile p;
    struct err other;
    char *text, *want;
    size_t len, ignored;
    const char *golden = arena_fmt(&arena, "%s/%.*s.err", dir, (int)strlen(file) - 5, file);
    e = (struct err){0};
    if (file_read(&arena, arena_fmt(&arena, "%s/%s", dir, file), 1 << 21, &text, &len, &e))
        return check_text(file, e.text, "", __FILE__, __LINE__);
    int status = profile_parse(&arena, file, dir, text, len, &p, &e);
    const char *got = status ? arena_fmt(&arena, "%s\n", e.text) : "accepted\n";
    for (char *at; (at = strstr(e.text, dir));) /* where the tests lie is not part of a message */
        memmove(at, at + strlen(dir), strlen(at + strlen(dir)) + 1);
    if (status)
        got = arena_fmt(&arena, "%s\n", e.text);
    if (getenv("UPDATE")) {
        FILE *f = fopen(golden, "w");
        if (f) {
            fputs(got, f);
            fclose(f);
        }
    }
    if (file_read(&arena, golden, 1 << 20, &want, &ignored, &other))
        want = other.text;
    CHECK_TEXT(file, got, want);
    if (status && e.kind != ERR_USAGE)
        CHECK("a mistake in a profile is of kind usage", 0);
}

static void test_bad(void) {
    const char *dir = arena_fmt(&arena, "%s/data/profiles", tests);
    DIR *d = opendir(dir);
    char **names = NULL;
    size_t n = 0, cap = 0;
    if (!CHECK("bad profiles are there", d != NULL))
        return;
    for (struct dirent *entry; (entry = readdir(d));) {
        size_t len = strlen(entry->d_name);
        if (len > 5 && !strcmp(entry->d_name + len - 5, ".yaml"))
            *array_add(&arena, names, n, cap) = arena_str(&arena, entry->d_name);
    }
    closedir(d);
    CHECK("bad profiles were found", n > 100);
    if (n > 0)
        qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++)
        check_golden(dir, names[i]);
}

/* ---- shipped profiles ------------------------------------------------------------------------ */

static void test_shipped(void) {
    const char *names[] = {"quick", "n300-mirror", "nightly", "ssd-filesets", "backup-target",
                           "raidz2-hdd", "smb-client", "nvme-pool", "snia-ssd"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        char *text;
        size_t len;
        struct profile p;
        const char *path = arena_fmt(&arena, "%s/../profiles/%s.yaml", tests, names[i]);
        if (file_read(&arena, path, 1 << 20, &text, &len, &e) ||
            profile_parse(&arena, path, NULL, text, len, &p, &e)) {
            check_text(names[i], e.text, "", __FILE__, __LINE__);
            continue;
        }
        CHECK_TEXT("a shipped profile bears the name of its file", p.name, names[i]);
        int refused = 0;
        for (size_t j = 0; j < p.n_workloads; j++)
            refused |= profile_refuse_unbuilt(path, &p.workloads[j], &e);
        CHECK("and can be executed", !refused && p.n_workloads > 0);
        CHECK("and says what it is about", p.about != NULL);
        profile_make_quick(&arena, &p, false);
        CHECK("and quickly", p.run.iterations_max <= 3);
    }
}

/* ---- the table of keys ----------------------------------------------------------------------- */

static void test_keys(void) {
    int bad = 0, twice = 0;
    for (size_t i = 0; i < n_profile_keys; i++) {
        const struct profile_key *k = &profile_keys[i];
        bad += !k->path || !*k->path || !k->form || !*k->form || !k->about ||
               k->about[strlen(k->about) - 1] != '.' || (k->preset && k->required) ||
               (k->kinds && strncmp(k->path, "workloads[].", 12));
        for (size_t j = 0; j < i; j++)
            twice += !strcmp(profile_keys[j].path, k->path);
    }
    CHECK("the table of keys is in order", bad == 0 && twice == 0 && n_profile_keys > 50);
    /* The form of a key of words names all of them. */
    const struct {
        const char *path, *const *words;
        size_t n;
    } forms[] = {{"workloads[].kind", kind_names, KINDS},
                 {"workloads[].engine", engine_names, ENGINES},
                 {"workloads[].flush", flush_names, FLUSHES},
                 {"workloads[].cold", cold_names, COLDS}};
    for (size_t i = 0; i < LENGTH(forms); i++)
        for (size_t j = 0; j < n_profile_keys; j++)
            for (size_t k = 0; k < forms[i].n && !strcmp(profile_keys[j].path, forms[i].path); k++)
                CHECK(forms[i].path, strstr(profile_keys[j].form, forms[i].words[k]) != NULL);
    for (size_t j = 0; j < n_profile_keys; j++)
        for (size_t k = 0; k < PHASES && !strcmp(profile_keys[j].path, "workloads[].phases"); k++)
            CHECK(phases[k].name,
                  k == PHASE_JOB || strstr(profile_keys[j].form, phases[k].name) != NULL);
}

int main(void) {
    tests = getenv("ZHIST_TESTS") ? getenv("ZHIST_TESTS") : "tests";
    test_full();
    test_presets();
    test_bad();
    test_shipped();
    test_keys();
    arena_release(&arena);
    return check_done();
}
