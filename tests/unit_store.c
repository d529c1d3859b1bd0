/*
 * unit_store.c: structs in, rows out, as they were given: unknown is NULL and never zero; an error
 * leaves nothing; facts once; rollups; crashed runs; and the views that tell of it: headline,
 * events, iterations.
 */
#include "check.h"

#include "zhist/facts.h"
#include "zhist/process.h"
#include "zhist/profile.h"
#include "zhist/report.h"
#include "zhist/stats.h"
#include "zhist/store.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[300];
static struct arena memory;
static struct err e;
static struct db *db;
static struct profile profile;

static const char profile_text[] =
    "zhist: 1\n"
    "name: store\n"
    "targets:\n"
    "  - {name: one, path: /nowhere/1}\n"
    "  - {name: two, path: /nowhere/2}\n"
    "run: {iterations: 5}\n"
    "workloads:\n"
    "  - {name: stream, kind: file, size: 1MiB, block: 64KiB, phases: [write, read]}\n"
    "  - {name: random, kind: file, size: 1MiB, block: 4KiB, phases: [randread], time: 1s}\n"
    "require:\n"
    "  - {workload: stream, phase: write, metric: throughput, at_least: 1MB/s}\n";

static const char *ask(const char *sql) {
    struct query *q;
    if (db_query_text(db, "test", sql, &q, &e)) {
        printf("# %s\n", e.text);
        return "error";
    }
    struct buf b = {0};
    while (query_step(q, &e) > 0)
        for (int i = 0; i < query_columns(q); i++) {
            struct value v = query_value(q, i);
            buf_str(&b, i ? "|" : b.len ? "\n" : "");
            if (v.kind == VALUE_NULL)
                buf_str(&b, "NULL");
            else if (v.kind == VALUE_INT)
                buf_fmt(&b, "%lld", (long long)v.i);
            else if (v.kind == VALUE_REAL)
                buf_fmt(&b, "%.15g", v.r);
            else
                buf_str(&b, v.text);
        }
    query_free(q);
    const char *answer = arena_str(&memory, b.data ? b.data : "");
    buf_release(&b);
    return answer;
}

static void is(const char *name, const char *sql, const char *want) {
    CHECK_TEXT(name, ask(sql), want);
}

/* ---- a run --------------------------------------------------------------------------------------- */

static struct stored_target targets[2];
static struct fact_sheet sheet;
static int runs;

/* Facts by kind.key of the host or of the first target; a key twice gives a set of its own. */
static struct fact_sheet facts(const char *kernel, const char *truenas, const char *cpu,
                               const char *disk) {
    struct fact_sheet s = {0};
    struct factset *host = factset_add(&memory, &s, "system", "", UNKNOWN);
    fact_add(&memory, host, "kernel", kernel, kernel ? "uname" : "not told");
    if (truenas)
        fact_add(&memory, host, "truenas", truenas, "file");
    fact_add(&memory, host, "cpu", cpu, cpu ? "cpuinfo" : "not there");
    fact_add(&memory, host, "load", runs % 2 ? "0.5" : "0.7", "loadavg");
    factset_seal(host);
    struct factset *mount = factset_add(&memory, &s, "mount", "", 0);
    fact_add(&memory, mount, "fstype", "ext4", "mountinfo");
    factset_seal(mount);
    if (disk) {
        struct factset *d = factset_add(&memory, &s, "disk", disk, 0);
        fact_add(&memory, d, "model", "M1", "sysfs");
        factset_seal(d);
    }
    return s;
}

static struct stored_run new_run(const struct fact_sheet *given, const char *process) {
    static char uuid[37];
    snprintf(uuid, sizeof uuid, "%08x-0000-4000-8000-000000000000", (unsigned)++runs);
    sheet = *given;
    targets[0] = (struct stored_target){.name = "one", .path = "/nowhere/1", .fstype = "ext4"};
    targets[1] = (struct stored_target){.name = "two", .path = "/nowhere/2"};
    return (struct stored_run){.uuid = arena_str(&memory, uuid), .machine_id = "machine",
                               .host_name = "host", .version = "0.1.0", .process = process,
                               .started_at = runs * 1000 * NS_PER_S, .seed = 7,
                               .profile = &profile, .targets = targets, .n_targets = 2,
                               .facts = &sheet};
}

static struct stored_cell cell_of(size_t target, size_t workload, enum phase phase) {
    return (struct stored_cell){.target = target, .workload = workload, .phase = phase,
                                .class = phases[phase].reads ? "unknown" : "n/a",
                                .direct_effect = "no", .engine_effect = "psync", .size = 1 << 20};
}

static int add(const struct stored_run *run, size_t target, int64_t ordinal, double value,
               enum iteration_status status, bool warmup) {
    struct stored_cell cell = cell_of(target, 0, PHASE_WRITE);
    struct iteration it = {.target = target, .phase = PHASE_WRITE, .ordinal = ordinal,
                           .block = ordinal, .started_at = 5, .duration = 10, .flush = 1,
                           .bytes = 100, .ops = 2, .status = status, .warmup = warmup,
                           .cache = CACHE_NONE};
    struct sample s = {METRIC_THROUGHPUT_DURABLE, value};
    return store_iteration(db, run, &it, &cell, &s, 1, &e);
}

static int end(const struct stored_run *run, const struct fact_sheet *after, const char *status) {
    return store_run_end(db, run, NULL, 0, after, status, run->started_at + NS_PER_S, &e);
}

/* ---- rows as given ------------------------------------------------------------------------------- */

static void test_rows(void) {
    struct fact_sheet f = facts("6.1", NULL, NULL, "sda");
    struct stored_run run = new_run(&f, NULL);
    CHECK("a run begins", store_run_begin(&memory, db, &run, &e) == 0);
    is("as given", "SELECT uuid, origin, started_at, finished_at, status, seed, forced, excluded, note, "
                   "zhist_version, process, run_order FROM run",
       "00000001-0000-4000-8000-000000000000|measured|1000000000000|NULL|running|7|0|NULL|NULL|0.1.0|"
       "NULL|interleaved");
    is("targets in their order", "SELECT t.name, r.path, r.fstype, r.dataset_guid, r.position FROM "
                                 "run_target AS r JOIN target AS t ON t.id = r.target_id",
       "one|/nowhere/1|ext4|NULL|0\ntwo|/nowhere/2|NULL|NULL|1");
    is("the requirement", "SELECT w.name, r.target, phase, metric, op, value, why FROM requirement AS r "
                          "JOIN workload AS w ON w.id = r.workload_id",
       "stream|NULL|write|throughput|at_least|1000000|NULL");
    is("no rows for nothing", "SELECT count(*) FROM label", "0");
    is("a fact that is unknown is NULL with the reason",
       "SELECT value, source FROM fact WHERE key = 'cpu'", "NULL|not there");
    is("a state is no fact", "SELECT count(*) FROM fact WHERE key = 'load'", "0");
    is("but the run's", "SELECT target_id, subject, moment, key, value FROM run_state",
       "0|system|before|load|0.7");

    struct hist h;
    hist_clear(&h);
    hist_add(&h, 5);
    struct hist empty;
    hist_clear(&empty);
    struct stored_cell cell = cell_of(1, 1, PHASE_RANDREAD);
    cell.size = UNKNOWN;
    struct iteration never_ran = {.target = 1, .workload = 1, .phase = PHASE_RANDREAD, .ordinal = 1,
                                  .block = 3, .position = 1, .warmup = true, .started_at = UNKNOWN,
                                  .duration = UNKNOWN, .flush = UNKNOWN, .bytes = UNKNOWN,
                                  .ops = UNKNOWN, .status = ITERATION_FAILED, .read = &empty};
    CHECK("an iteration of which nothing is known",
          store_iteration(db, &run, &never_ran, &cell, NULL, 0, &e) == 0);
    is("is all NULL, and nothing zero",
       "SELECT ordinal, block, position, warmup, started_at, duration_ns, flush_ns, bytes, ops, status, "
       "errno, cache_class, bound_by FROM iteration",
       "1|3|1|1|NULL|NULL|NULL|NULL|NULL|failed|NULL|unknown|NULL");
    is("the cell too", "SELECT class, direct_effect, engine_effect, bound_by, stop_rule, size FROM cell",
       "unknown|no|psync|NULL|NULL|NULL");
    is("no histogram of nothing", "SELECT count(*) FROM histogram", "0");
    struct iteration full = {.target = 1, .workload = 1, .phase = PHASE_RANDREAD, .ordinal = 2,
                             .block = 4, .started_at = 1796077841907345665, .duration = 0, .flush = 0,
                             .bytes = INT64_MAX, .ops = 0, .status = ITERATION_OK, .errnum = 28,
                             .read = &h, .write = &empty};
    struct sample samples[] = {{METRIC_THROUGHPUT, 1e300}, {METRIC_LAT_MEAN, 0},
                               {METRIC_LAT_P50, NAN}, {METRIC_LAT_P99, INFINITY},
                               {METRIC_DURATION, 0.1}};
    CHECK("one of which all is known, and samples that are no numbers",
          store_iteration(db, &run, &full, &cell, samples, LENGTH(samples), &e) == 0);
    is("zero stays zero, and large stays large",
       "SELECT started_at, duration_ns, flush_ns, bytes, ops, errno FROM iteration WHERE ordinal = 2",
       "1796077841907345665|0|0|9223372036854775807|0|28");
    is("what is no number has no row",
       "SELECT name, value FROM sample JOIN metric AS m ON m.id = metric_id ORDER BY name",
       "duration|0.1\nlat_mean|0\nthroughput|1e+300");
    is("one histogram", "SELECT op, typeof(buckets), length(buckets) > 5 FROM histogram", "read|blob|1");
    is("the row for a person", "SELECT run, host, target, path, fstype, dataset, workload, phase, kernel, "
                               "started_utc, duration_s, throughput, throughput_durable, disturbed "
                               "FROM v_iteration WHERE ordinal = 2",
       "00000001-0000-4000-8000-000000000000|host|two|/nowhere/2|NULL|NULL|random|randread|6.1|"
       "2026-11-30 22:30:41|0|1e+300|NULL|0");

    CHECK("the same ordinal twice is refused",
          store_iteration(db, &run, &full, &cell, samples, 1, &e) == -1 && strstr(e.text, "UNIQUE"));
    is("and leaves nothing", "SELECT count(*), (SELECT count(*) FROM sample) FROM iteration", "2|3");
    full.ordinal = 3;
    struct sample twice[] = {{METRIC_THROUGHPUT, 1}, {METRIC_THROUGHPUT, 2}};
    CHECK("a metric twice is refused", store_iteration(db, &run, &full, &cell, twice, 2, &e) == -1);
    is("and leaves nothing of the iteration either",
       "SELECT count(*), (SELECT count(*) FROM sample), (SELECT count(*) FROM histogram) FROM iteration",
       "2|3|1");
    cell.class = "nonsense";
    CHECK("a class that there is not", store_iteration(db, &run, &full, &cell, NULL, 0, &e) == -1);
    full.cache = CACHE_COLD;
    full.bound = BOUND_DISK;
    cell.class = "cold";
    static struct meter_reading before, after;
    struct tick ticks[] = {{100, 4096, 1}, {200, 0, 0}};
    before.n_disks = after.n_disks = 2;
    before.disk[0] = (struct meter_disk){"sda", 100, 50, 1, 2, 1000, 0, NAN};
    after.disk[0] = (struct meter_disk){"sda", 4196, 50, 4, 2, 3000, 0, 41.5};
    before.disk[1] = (struct meter_disk){"sdb", 900, UNKNOWN, 9, 2, 1000, 0, NAN};
    after.disk[1] = (struct meter_disk){"sdb", 100, 7, 9, 2, 3000, 0, NAN};
    full.ticks = ticks;
    full.n_ticks = LENGTH(ticks);
    full.meter[METER_BEFORE] = &before;
    full.meter[METER_AFTER] = &after;
    CHECK("a cell is written again", store_iteration(db, &run, &full, &cell, NULL, 0, &e) == 0);
    is("its class and what bound it", "SELECT cache_class, bound_by FROM iteration WHERE ordinal = 3",
       "cold|disk");
    is("its ticks", "SELECT t_ms, bytes, ops FROM tick", "100|4096|1\n200|0|0");
    is("its disks; what ran backwards is unknown",
       "SELECT disk, read_bytes, write_bytes, requests, busy_ns, temperature FROM disk_io",
       "sda|4096|0|3|2000|41.5\nsdb|NULL|NULL|0|2000|NULL");
    struct finding about[] = {{.code = "stall", .severity = SEVERITY_SHAPE, .target = 1, .workload = 1,
                               .phase = "randread", .ordinal = 3, .text = "one"},
                              {.code = "drift", .severity = SEVERITY_SHAPE, .target = 1, .workload = 1,
                               .phase = "randread", .text = "all"}};
    struct finding_list list = {.items = about, .n = LENGTH(about)};
    CHECK("findings are stored", store_findings(db, &run, &list, &e) == 0);
    is("of one iteration or of all", "SELECT f.text, i.ordinal FROM finding AS f LEFT JOIN iteration AS i "
                                     "ON i.id = f.iteration_id WHERE f.code IN ('stall', 'drift')",
       "one|3\nall|NULL");
    is("with what is known now", "SELECT class FROM cell", "cold");
    CHECK("a wrong status is refused", end(&run, NULL, "crashed") == -1);
    is("and nothing of the end is kept", "SELECT status, finished_at FROM run", "running|NULL");
    CHECK("the end", end(&run, NULL, "done") == 0);
    is("as given", "SELECT status, finished_at - started_at FROM run", "done|1000000000");
    is("the file is sound", "SELECT count(*) FROM pragma_foreign_key_check", "0");
    CHECK("the same run twice is refused", store_run_begin(&memory, db, &run, &e) == -1);
    is("one run", "SELECT count(*) FROM run", "1");
}

static void test_rollback(void) {
    struct fact_sheet f = facts("6.9-rollback", NULL, "c", NULL);
    struct stored_run run = new_run(&f, NULL);
    struct setting labels[] = {{"k", "v"}, {"k2", "\"'; DROP TABLE run; --"}};
    run.uuid = "too short"; /* fails at the CHECK of run, behind profile and host */
    run.host_name = "renamed";
    CHECK("a run that fails half-way", store_run_begin(&memory, db, &run, &e) == -1);
    is("leaves nothing", "SELECT (SELECT count(*) FROM run) || (SELECT name FROM host)", "1host");
    CHECK("nor is a transaction left open", db_begin(db, &e) == 0);
    db_rollback(db);
    run = new_run(&f, NULL);
    run.labels = labels;
    run.n_labels = 2;
    run.host_name = "renamed";
    run.note = "a \"note\"\nof 'two' lines";
    CHECK("one that does not", store_run_begin(&memory, db, &run, &e) == 0);
    is("labels", "SELECT key, value FROM label ORDER BY key", "k|v\nk2|\"'; DROP TABLE run; --");
    is("a note", "SELECT note FROM run ORDER BY id DESC LIMIT 1", "a \"note\"\nof 'two' lines");
    is("one host under its newest name", "SELECT name FROM host", "renamed");
    is("one profile, two workloads, two targets",
       "SELECT (SELECT count(*) FROM profile), (SELECT count(*) FROM workload), "
       "(SELECT count(*) FROM target), (SELECT count(*) FROM requirement)", "1|2|2|1");
    struct finding items[] = {
        {.code = "quick", .severity = SEVERITY_SAY, .target = UNKNOWN, .workload = UNKNOWN, .text = "t"},
        {.code = "other-io", .severity = SEVERITY_DISTURBED, .target = 1, .workload = 0,
         .phase = "read", .text = "u", .evidence = "{}"},
        {.code = "no text", .severity = SEVERITY_SAY, .target = UNKNOWN, .workload = UNKNOWN}};
    struct finding_list list = {.items = items, .n = 3};
    CHECK("a finding without a text is refused", store_findings(db, &run, &list, &e) == -1);
    is("with all of its list", "SELECT count(*) FROM finding WHERE text IN ('t', 'u')", "0");
    list.n = 2;
    CHECK("two findings", store_findings(db, &run, &list, &e) == 0);
    is("as given", "SELECT f.code, f.severity, t.name, w.name, f.phase, f.iteration_id, f.text, f.evidence "
                   "FROM (SELECT * FROM finding WHERE text IN ('t', 'u')) AS f LEFT JOIN target AS t ON t.id = f.target_id "
                   "LEFT JOIN workload AS w ON w.id = f.workload_id ORDER BY f.id",
       "quick|say|NULL|NULL|NULL|NULL|t|NULL\nother-io|disturbed|two|stream|read|NULL|u|{}");
    CHECK("its end", end(&run, NULL, "failed") == 0);
}

static void test_facts_once(void) {
    const char *sets = "SELECT count(*), (SELECT count(*) FROM fact) FROM factset";
    struct fact_sheet f = facts("5.0", NULL, "c", "sdx");
    struct stored_run one = new_run(&f, NULL);
    store_run_begin(&memory, db, &one, &e);
    const char *before = ask(sets);
    struct fact_sheet again = facts("5.0", NULL, "c", "sdx"); /* another load, the same digest */
    CHECK("the same machine at the end", end(&one, &again, "done") == 0);
    struct stored_run two = new_run(&again, NULL);
    CHECK("and the next time", store_run_begin(&memory, db, &two, &e) == 0);
    is("its facts are stored once", sets, before);
    is("states are each run's own",
       "SELECT count(*), count(DISTINCT run_id) FROM run_state WHERE run_id > 2 AND key = 'load'", "3|2");
    is("what did not move is not told again",
       "SELECT count(*) FROM run_factset WHERE moment = 'after'", "0");
    struct fact_sheet moved = facts("5.1", NULL, "c", "sdx");
    CHECK("a kernel that moved meanwhile", end(&two, &moved, "done") == 0);
    is("only that set is told", "SELECT kind, subject FROM run_factset WHERE moment = 'after'", "system|");
    is("what was true before counts", "SELECT value FROM v_fact WHERE key = 'kernel' AND run_id = "
                                      "(SELECT max(id) FROM run)", "5.0");
}

/* ---- rollups ------------------------------------------------------------------------------------- */

static void test_rollup(void) {
    struct fact_sheet f = facts("5.0", NULL, "c", "sdx");
    struct stored_run run = new_run(&f, NULL);
    store_run_begin(&memory, db, &run, &e);
    add(&run, 0, 1, 1000, ITERATION_OK, true); /* a warm-up */
    add(&run, 0, 2, 10, ITERATION_OK, false);
    add(&run, 0, 3, 20, ITERATION_OK, false);
    add(&run, 0, 4, 5000, ITERATION_FAILED, false);
    add(&run, 0, 5, 60, ITERATION_OK, false);
    add(&run, 0, 6, 7000, ITERATION_INTERRUPTED, false);
    add(&run, 1, 1, 5, ITERATION_OK, false);
    struct finding item = {.code = "other-io", .severity = SEVERITY_DISTURBED, .target = 1,
                           .workload = UNKNOWN, .text = "u"};
    struct finding twice[] = {item, item};
    twice[1].code = "moved-during-run";
    store_findings(db, &run, &(struct finding_list){.items = twice, .n = 2}, &e);
    struct stored_cell cells[] = {cell_of(0, 0, PHASE_WRITE), cell_of(1, 0, PHASE_WRITE)};
    cells[0].stop_rule = "fixed";
    CHECK("a run with all kinds of iterations",
          store_run_end(db, &run, cells, 2, NULL, "done", run.started_at + 1, &e) == 0);
    const char *rows = "SELECT t.name, everything, n, n_left_out, mean, m2, min, median, p95, max, pruned "
                       "FROM rollup JOIN target AS t ON t.id = target_id JOIN metric AS m ON m.id = "
                       "metric_id WHERE m.name = 'throughput_durable' AND run_id = "
                       "(SELECT max(id) FROM run) ORDER BY t.name, everything";
    is("two rows a series; warm-ups, failed and interrupted in neither, disturbed in one", rows,
       "one|0|3|0|30|1400|10|20|56|60|0\none|1|3|0|30|1400|10|20|56|60|0\n"
       "two|0|0|1|NULL|NULL|NULL|NULL|NULL|NULL|0\ntwo|1|1|0|5|0|5|5|5|5|0");
    CHECK("the end once more", end(&run, NULL, "done") == 0);
    is("does not double it", rows,
       "one|0|3|0|30|1400|10|20|56|60|0\none|1|3|0|30|1400|10|20|56|60|0\n"
       "two|0|0|1|NULL|NULL|NULL|NULL|NULL|NULL|0\ntwo|1|1|0|5|0|5|5|5|5|0");
}

/* ---- crashed runs -------------------------------------------------------------------------------- */

static int64_t unfinished(const char *process, const char *machine) {
    struct fact_sheet f = facts("5.0", NULL, "c", "sdx");
    struct stored_run run = new_run(&f, process);
    run.machine_id = machine;
    if (store_run_begin(&memory, db, &run, &e) || add(&run, 0, 1, 10, ITERATION_OK, false))
        printf("# %s\n", e.text);
    return run.id;
}

static int has_rollup(int64_t run) {
    return strcmp(ask(arena_fmt(&memory, "SELECT count(*) FROM rollup WHERE run_id = %lld",
                                (long long)run)), "0") != 0;
}

static void test_adopt(void) {
    char gone[200] = "";
    int up[2];
    if (pipe(up))
        return;
    fflush(stdout);
    if (!fork()) {
        const char *me = process_self(&memory);
        _exit(me && write(up[1], me, strlen(me) + 1) > 0 ? 0 : 1);
    }
    if (read(up[0], gone, sizeof gone - 1) < 1)
        printf("# no child\n");
    wait(NULL);
    close(up[0]), close(up[1]);
    int64_t living = unfinished(process_self(&memory), "machine"),
            unknown = unfinished(NULL, "machine"), dead = unfinished(gone, "machine"),
            other = unfinished(gone, "another machine");
    int64_t booted = unfinished("00000000-0000-0000-0000-000000000000 1 1", "machine");
    CHECK("adopted", store_adopt_crashed(db, "machine", &e) == 0);
    CHECK("a dead one has its rollup", has_rollup(dead));
    CHECK("so has one of an earlier boot", has_rollup(booted));
    CHECK("a living one has not", !has_rollup(living));
    CHECK("nor one that nothing is known of", !has_rollup(unknown));
    CHECK("nor one of another machine, whose processes cannot be seen", !has_rollup(other));
    is("it is still a run without an end", arena_fmt(&memory, "SELECT status, finished_at FROM run WHERE "
       "id = %lld", (long long)dead), "running|NULL");
    CHECK("again is no harm", store_adopt_crashed(db, "machine", &e) == 0);
    CHECK("nobody's machine", store_adopt_crashed(db, "nobody", &e) == 0);
    is("two rows", arena_fmt(&memory, "SELECT count(*) FROM rollup WHERE run_id = %lld", (long long)dead),
       "2");
}

/* ---- views --------------------------------------------------------------------------------------- */

/* The view's word for a workload beside the code's; both are told where they differ. */
static int same_headline(const struct workload *w, int64_t id, enum phase phase) {
    const char *got = ask(arena_fmt(&memory, "SELECT metric FROM v_headline WHERE workload_id = %lld "
                                             "AND phase = '%s'", (long long)id, phases[phase].name));
    const char *want = metrics[workload_headline(w, phase)].name;
    if (strcmp(got, want))
        printf("# %s %s: view %s, code %s\n", w->spec, phases[phase].name, got, want);
    return !strcmp(got, want);
}

static void test_headline(void) {
    static const char *const kinds[] = {
        "kind: file, size: 1MiB, block: 4KiB, phases: [write, read, rewrite, randread, randwrite, mixed], "
        "mix: 70% read",
        "kind: fileset, files: 10, total: 1MiB, phases: [create, list, stat, read, rename, delete]"};
    static const char *const flushes[] = {"", ", flush: none", ", flush: end", ", flush: each"};
    static const char *const engines[] = {"", ", engine: psync", ", engine: null"};
    int agree = 0, n = 0;
    for (size_t k = 0; k < LENGTH(kinds) * LENGTH(flushes) * LENGTH(engines); k++) {
        struct profile p;
        if (k % LENGTH(kinds) && k >= LENGTH(kinds) * LENGTH(flushes))
            continue; /* file sets have no engine */
        char *text = arena_fmt(&memory, "zhist: 1\nname: h\nworkloads:\n  - {name: w, %s%s%s}\n",
                               kinds[k % LENGTH(kinds)], flushes[k / LENGTH(kinds) % LENGTH(flushes)],
                               engines[k / LENGTH(kinds) / LENGTH(flushes)]);
        if (profile_parse(&memory, "h", NULL, text, strlen(text), &p, &e)) {
            printf("# %s\n", e.text);
            continue;
        }
        struct fact_sheet none = {0};
        struct stored_run run = new_run(&none, NULL);
        run.profile = &p;
        if (db_begin(db, &e) || store_run_begin(&memory, db, &run, &e))
            printf("# %s\n", e.text);
        for (size_t i = 0; i < p.workloads[0].n_phases; i++, n++)
            agree += same_headline(&p.workloads[0], run.workload_ids[0], p.workloads[0].phase[i]);
        db_rollback(db);
    }
    CHECK("view and code have the same headline for every kind, phase, flush and engine",
          agree == n && n == 96);
    is("phases of the view are those of the test",
       "SELECT count(*) FROM v_headline AS h JOIN workload AS w ON w.id = h.workload_id "
       "WHERE w.name = 'stream'", "6");
    struct workload job = {.kind = KIND_FIO, .name = "job", .spec = "{}", .digest = "f"};
    memset(job.digest, 'f', sizeof job.digest - 1);
    struct profile p = profile;
    p.workloads = &job;
    p.n_workloads = 1;
    p.n_requires = 0;
    struct fact_sheet none = {0};
    struct stored_run run = new_run(&none, NULL);
    run.profile = &p;
    if (db_begin(db, &e) || store_run_begin(&memory, db, &run, &e))
        printf("# %s\n", e.text);
    CHECK("a fio job's too", same_headline(&job, run.workload_ids[0], PHASE_JOB));
    db_rollback(db);
}

/* ---- Holm ---------------------------------------------------------------------------------------- */

/* A history of its own: six workloads on two targets, changes of all sizes; values by arithmetic. */
static void test_holm(void) {
    static const double change[] = {1, 1.001, 1.02, 1.03, 1.08, 1.3};
    char *file = arena_fmt(&memory, "%s-holm", path);
    struct buf yaml = {0};
    struct profile p;
    struct db *own = NULL;
    buf_str(&yaml, "zhist: 1\nname: holm\nworkloads:\n");
    for (size_t w = 0; w < LENGTH(change); w++)
        buf_fmt(&yaml, "  - {name: w%zu, kind: file, size: %zuMiB, block: 4KiB, phases: [write]}\n", w,
                w + 1);
    char *text = arena_copy(&memory, yaml.data, yaml.len);
    if (profile_parse(&memory, "holm", NULL, text, yaml.len, &p, &e) ||
        db_open(file, DB_CREATE, &own, &e))
        printf("# %s\n", e.text);
    buf_release(&yaml);
    struct fact_sheet none = {0};
    for (int r = 0; r < 4; r++) {
        struct stored_run run = new_run(&none, NULL);
        run.profile = &p;
        int status = store_run_begin(&memory, own, &run, &e);
        for (size_t i = 0; i < LENGTH(change) * 2 && !status; i++) {
            size_t w = i / 2, target = i % 2;
            struct stored_cell cell = cell_of(target, w, PHASE_WRITE);
            struct iteration it = {.target = target, .workload = w, .phase = PHASE_WRITE, .ordinal = 1,
                                   .block = 1, .started_at = 5, .duration = 10, .bytes = 100, .ops = 2,
                                   .cache = CACHE_NONE};
            double noise = 1 + 0.003 * (double)((r * 7 + (int)i * 5) % 11);
            struct sample x = {METRIC_THROUGHPUT_DURABLE, 100 * noise * (target ? change[w] : 1)};
            status = store_iteration(own, &run, &it, &cell, &x, 1, &e);
        }
        if (status || store_run_end(own, &run, NULL, 0, NULL, "done", run.started_at + 1, &e))
            printf("# %s\n", e.text);
    }
    struct report report;
    struct result result = {0};
    struct setting since = {"since", "1970-01-01"};
    struct report_ask question = {.arena = &memory, .params = &since, .n_params = 1};
    if (report_find(&memory, NULL, "compare", &report, &e) ||
        db_restrict(own, 60 * NS_PER_S, &e) || report_run(own, &report, &question, &result, &e))
        printf("# %s\n", e.text);
    double pure[LENGTH(change)] = {0}, by_sql[LENGTH(change)] = {0};
    CHECK("six comparisons", result.n_rows == LENGTH(change));
    for (size_t i = 0; i < result.n_rows && i < LENGTH(change); i++) {
        pure[i] = result_cell(&result, i, "p")->r;
        by_sql[i] = result_cell(&result, i, "p_adj")->r;
    }
    stats_holm(pure, LENGTH(change));
    int same = 0;
    for (size_t i = 0; i < LENGTH(change); i++) {
        same += fabs(pure[i] - by_sql[i]) <= 1e-12 * pure[i];
        printf("# judge %.17g, SQL %.17g\n", pure[i], by_sql[i]);
    }
    CHECK("Holm in SQL is Holm of judge", same == LENGTH(change));
    db_close(own);
    unlink(file);
}

/* ---- events -------------------------------------------------------------------------------------- */

static const char *events(int64_t run) {
    return ask(arena_fmt(&memory, "SELECT v.name, from_value, to_value, follows FROM v_event AS v JOIN target "
                         "AS t ON t.id = v.target_id WHERE run_id = %lld AND t.name = 'one' ORDER BY v.name",
                         (long long)run));
}

static int64_t measured(struct fact_sheet f) {
    struct stored_run run = new_run(&f, NULL);
    if (store_run_begin(&memory, db, &run, &e) || add(&run, 0, 1, 10, ITERATION_OK, false) ||
        end(&run, NULL, "done"))
        printf("# %s\n", e.text);
    return run.id;
}

static void test_events(void) {
    measured(facts("5.0", NULL, "c", "sdx"));
    CHECK_TEXT("nothing moved", events(measured(facts("5.0", NULL, "c", "sdx"))), "");
    CHECK_TEXT("a setting moved", events(measured(facts("5.1", NULL, "c", "sdx"))),
               "system.kernel|5.0|5.1|0");
    CHECK_TEXT("and that once", events(measured(facts("5.1", NULL, "c", "sdx"))), "");
    CHECK_TEXT("one that could not be read is no event", events(measured(facts("5.1", NULL, NULL, "sdx"))),
               "");
    CHECK_TEXT("nor that it can be again", events(measured(facts("5.1", NULL, "c", "sdx"))), "");
    CHECK_TEXT("a disk came, another went", events(measured(facts("5.1", NULL, "c", "sdy"))),
               "disk.sdx.present|yes|no|0\ndisk.sdy.present|no|yes|0");
    CHECK_TEXT("no disk can be seen: that proves nothing",
               events(measured(facts("5.1", NULL, "c", NULL))), "");
    CHECK_TEXT("seen again", events(measured(facts("5.1", NULL, "c", "sdy"))), "");
    CHECK_TEXT("another one, behind a run that saw none",
               (measured(facts("5.1", NULL, "c", NULL)), events(measured(facts("5.1", NULL, "c", "sdz")))),
               "disk.sdy.present|yes|no|0\ndisk.sdz.present|no|yes|0");
    CHECK_TEXT("a fact that nobody asked for before",
               events(measured(facts("5.1", "25.04", "c", NULL))), "");
    CHECK_TEXT("a consequence follows its leader", events(measured(facts("6.12", "25.10", "c", NULL))),
               "system.kernel|5.1|6.12|1\nsystem.truenas|25.04|25.10|0");
    CHECK_TEXT("alone it is a setting", events(measured(facts("6.13", "25.10", "c", NULL))),
               "system.kernel|6.12|6.13|0");
    measured(facts("6.13", "25.10", NULL, NULL));
    CHECK_TEXT("against the last run that knew it", events(measured(facts("6.13", "25.10", "d", NULL))),
               "system.cpu|c|d|0");
    struct fact_sheet f = facts("7.0", "25.10", "d", NULL);
    struct stored_run refused = new_run(&f, NULL);
    store_run_begin(&memory, db, &refused, &e);
    CHECK("a refused run with another kernel", end(&refused, NULL, "refused") == 0);
    CHECK_TEXT("makes no event", events(refused.id), "");
    CHECK_TEXT("and is passed over", events(measured(facts("7.0", "25.10", "d", NULL))),
               "system.kernel|6.13|7.0|0");
}

/* ---- what lay there before ------------------------------------------------------------------------ */

/* A run on dataset `name` (NULL: zfs did not answer) of file system `fstype`. */
static int64_t on(const char *fstype, const char *name, const char *guid, const char *status) {
    struct fact_sheet f = facts("7.0", "25.10", "d", NULL);
    struct factset *declared = factset_add(&memory, &f, "dataset", "declared", 0);
    fact_add(&memory, declared, "name", "declared/name", "declared");
    factset_seal(declared);
    if (name) {
        struct factset *dataset = factset_add(&memory, &f, "dataset", "", 0);
        fact_add(&memory, dataset, "name", name, "zfs get");
        factset_seal(dataset);
    }
    struct stored_run run = new_run(&f, NULL);
    targets[0].fstype = fstype;
    targets[0].dataset_guid = guid;
    targets[0].pool_guid = guid ? "77" : NULL;
    if (store_run_begin(&memory, db, &run, &e) || end(&run, NULL, status))
        printf("# %s\n", e.text);
    return run.id;
}

static const char *earlier_at(const char *machine, const char *target, const char *where) {
    struct earlier found[2];
    const char *names[] = {"no such target", target}, *paths[] = {where, where};
    if (store_earlier(&memory, db, machine, names, paths, 2, found, &e))
        return e.text;
    if (found[0].dataset || found[0].guid || found[0].fstype)
        return "something of a target that there is not";
    return arena_fmt(&memory, "%s %s %s", found[1].fstype ? found[1].fstype : "NULL",
                     found[1].dataset ? found[1].dataset : "NULL",
                     found[1].guid ? found[1].guid : "NULL");
}

static const char *earlier(const char *machine, const char *target) {
    return earlier_at(machine, target, targets[0].path);
}

static void test_earlier(void) {
    CHECK_TEXT("a run on ext4", earlier("machine", "one"), "ext4 NULL NULL");
    int64_t id = on("zfs", "tank/one", "42", "done");
    CHECK_TEXT("then on a dataset", earlier("machine", "one"), "zfs tank/one 42");
    is("guids are kept with the target", arena_fmt(&memory, "SELECT dataset_guid, pool_guid FROM "
                                                   "run_target WHERE run_id = %lld AND "
                                                   "dataset_guid <> ''", (long long)id), "42|77");
    CHECK_TEXT("at another path", earlier_at("machine", "one", "/else"), "NULL NULL NULL");
    CHECK_TEXT("of another machine", earlier("other", "one"), "NULL NULL NULL");
    CHECK_TEXT("of another target", earlier("machine", "two"), "NULL NULL NULL");
    on("ext4", NULL, NULL, "refused");
    CHECK_TEXT("a refused run made nothing of it", earlier("machine", "one"), "zfs tank/one 42");
    on("zfs", NULL, NULL, "done");
    CHECK_TEXT("nor one that could not ask zfs", earlier("machine", "one"), "zfs tank/one 42");
    id = on("zfs", "tank/two", "43", "failed");
    CHECK_TEXT("one that failed did", earlier("machine", "one"), "zfs tank/two 43");
    struct query *q;
    CHECK("it is excluded", db_query(db, "set_excluded", &q, &e) == 0);
    query_int(q, "run", id);
    query_text(q, "value", "x");
    CHECK("and says why", query_run(q, &e) == 0);
    CHECK_TEXT("an excluded one does not count", earlier("machine", "one"), "zfs tank/one 42");
}

int main(void) {
    snprintf(path, sizeof path, "/tmp/zhist-unit-store-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0 || close(fd) ||
        profile_parse(&memory, "store", NULL, profile_text, sizeof profile_text - 1, &profile, &e) ||
        db_open(path, DB_CREATE, &db, &e)) {
        printf("# %s\n", e.text);
        return 1;
    }
    test_rows();
    test_rollback();
    test_facts_once();
    test_rollup();
    test_adopt();
    test_headline();
    test_holm();
    test_events();
    test_earlier();
    struct buf report = {0};
    CHECK("the file is sound after all that", db_integrity(db, &report, &e) == 0);
    buf_release(&report);
    db_close(db);
    unlink(path);
    arena_release(&memory);
    return check_done();
}
