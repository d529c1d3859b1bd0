/*
 * made_up.c: writes a history of a year that never was: made_up FILE [SEED [END-DAY]].
 *
 * One host, one target, nightly runs, five iterations a phase. After 300 nights the system is
 * upgraded: kernel and OS change together, durable writes become 8 % slower, random reads 3 %
 * faster (too little to be seen at once), reads stay. For `make demo` and for tests that need a
 * known truth. Everything in it says that it is made up.
 */
#include <math.h>

#include "zhist/facts.h"
#include "zhist/profile.h"
#include "zhist/store.h"
#include "zhist/unit.h"
#include "zhist/work.h"

enum { NIGHTS = 365, UPGRADE = 300, ITERATIONS = 5 };

static const char profile_text[] =
    "zhist: 1\n"
    "name: made-up-nightly\n"
    "about: a made-up year, to show what reports look like; nothing of it was measured\n"
    "run: {iterations: 5}\n"
    "workloads:\n"
    "  - {name: stream, kind: file, size: 8GiB, block: 1MiB, phases: [write, read]}\n"
    "  - {name: random, kind: file, size: 8GiB, block: 16KiB, phases: [randread], time: 30s}\n";

static uint64_t state;

static double uniform(void) {
    return ((double)(random_next(&state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void) { /* Box and Muller 1958 */
    double r = sqrt(-2 * log(uniform()));
    return r * cos(2 * 3.14159265358979323846 * uniform());
}

static void add_facts(struct arena *a, struct fact_sheet *sheet, bool upgraded) {
    struct factset *host = factset_add(a, sheet, "system", "", UNKNOWN);
    fact_add(a, host, "os", upgraded ? "Made-up OS 2" : "Made-up OS 1", "made up");
    fact_add(a, host, "kernel", upgraded ? "6.12.15" : "6.6.44", "made up");
    fact_add(a, host, "cpu", "Made-up CPU", "made up");
    fact_add(a, host, "memory", "32 GiB", "made up");
    struct factset *mount = factset_add(a, sheet, "mount", "", 0);
    fact_add(a, mount, "fstype", "made-up-fs", "made up");
    struct factset *dataset = factset_add(a, sheet, "dataset", "", 0);
    fact_add(a, dataset, "name", "tank/bench", "made up");
    fact_add(a, dataset, "guid", "1", "made up");
    fact_add(a, dataset, "recordsize", "1048576", "made up");
    fact_add(a, dataset, "compression", "lz4", "made up");
    fact_add(a, dataset, "encryption", "off", "made up");
    struct factset *pool = factset_add(a, sheet, "pool", "", 0);
    fact_add(a, pool, "name", "tank", "made up");
    fact_add(a, pool, "guid", "2", "made up");
    fact_add(a, pool, "layout", "mirror of 2", "made up");
    factset_seal(host);
    factset_seal(mount);
    factset_seal(dataset);
    factset_seal(pool);
}

/* B/s or operations a second; the night's level and the iteration's own noise. */
static double speed(enum phase phase, bool upgraded, double night) {
    double level = phase == PHASE_WRITE  ? 171e6 * (upgraded ? 0.92 : 1)
                   : phase == PHASE_READ ? 5.8e9
                                         : 118 * 16384 * (upgraded ? 1.03 : 1);
    double cv = phase == PHASE_RANDREAD ? 0.05 : 0.015;
    return level * exp(cv * night + cv / 2 * normal());
}

static int put_night(struct db *db, const struct profile *p, int night, int64_t at,
                     struct err *e) {
    struct arena a = {0};
    struct fact_sheet sheet = {0};
    char uuid[37];
    bool upgraded = night >= UPGRADE;
    struct stored_target target = {.name = "tank/bench", .path = "/made/up/bench",
                                   .fstype = "made-up-fs"};
    add_facts(&a, &sheet, upgraded);
    snprintf(uuid, sizeof uuid, "%08x-0000-4000-8000-%012x", (unsigned)(random_next(&state) >> 32),
             (unsigned)night);
    struct stored_run run = {.uuid = uuid, .machine_id = "made-up", .host_name = "made-up-nas",
                             .note = "made up", .version = "0", .started_at = at,
                             .seed = night, .profile = p, .targets = &target, .n_targets = 1,
                             .facts = &sheet};
    int status = store_run_begin(&a, db, &run, e);
    int64_t now = at;
    for (size_t w = 0; w < p->n_workloads && !status; w++)
        for (size_t k = 0; k < p->workloads[w].n_phases && !status; k++) {
            const struct workload *work = &p->workloads[w];
            enum phase phase = work->phase[k];
            double level = normal();
            struct stored_cell cell = {.workload = w, .phase = phase,
                                       .class = phase == PHASE_WRITE ? "n/a"
                                                : phase == PHASE_READ ? "cached" : "cold",
                                       .direct_effect = "no", .engine_effect = "psync",
                                       .stop_rule = "fixed", .size = work->size.bytes};
            for (int i = 1; i <= ITERATIONS && !status; i++) {
                double rate = speed(phase, upgraded, level);
                int64_t bytes = work->time ? (int64_t)(rate * 30) / 16384 * 16384
                                           : work->size.bytes;
                struct iteration it = {.workload = w, .phase = phase, .ordinal = i, .block = i,
                                       .started_at = now, .bytes = bytes,
                                       .ops = bytes / work->block,
                                       .duration = (int64_t)((double)bytes / rate * 1e9),
                                       .flush = phase == PHASE_WRITE ? 1000000 : UNKNOWN,
                                       .cache = phase == PHASE_WRITE  ? CACHE_NONE
                                                : phase == PHASE_READ ? CACHE_CACHED
                                                                      : CACHE_COLD};
                struct sample samples[METRICS];
                size_t n = work_samples(work, &it, samples);
                now += it.duration;
                status = store_iteration(db, &run, &it, &cell, samples, n, e);
            }
        }
    if (!status)
        status = store_run_end(db, &run, NULL, 0, NULL, "done", now, e);
    arena_release(&a);
    return status;
}

int main(int argc, char **argv) {
    struct arena a = {0};
    struct err e = {0};
    struct profile p;
    struct db *db = NULL;
    int64_t seed = 1, end = clock_real_ns();
    const char *why = NULL;
    if (argc < 2 || (argc > 2 && (why = unit_read_count(argv[2], &seed))) ||
        (argc > 3 && (why = unit_read_moment(argv[3], end, &end)))) {
        fprintf(stderr, "usage: made_up FILE [SEED [END-DAY]]%s%s\n", why ? ": " : "",
                why ? why : "");
        return 2;
    }
    state = (uint64_t)seed;
    int status = profile_parse(&a, "made-up", NULL, profile_text, sizeof profile_text - 1, &p, &e);
    if (!status)
        status = db_open(argv[1], DB_CREATE, &db, &e);
    if (!status)
        status = db_begin(db, &e);
    for (int night = 0; night < NIGHTS && !status; night++)
        status = put_night(db, &p, night, end - (NIGHTS - night) * 86400 * NS_PER_S, &e);
    if (!status)
        status = db_commit(db, &e);
    db_close(db);
    arena_release(&a);
    if (status)
        fprintf(stderr, "made_up: %s\n", e.text);
    return status ? 1 : 0;
}
