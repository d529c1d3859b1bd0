/*
 * work.c: the table of workload kinds, and the door of work.h, which only looks up the kind.
 * It measures nothing itself and touches no file.
 */
#include "engine.h"
#include "kind.h"

#include <time.h>

static const struct work_kind_ops *const kinds[KINDS] = {
    [KIND_FILE] = &work_file,
    [KIND_FILESET] = &work_fileset,
};

int work_open(struct arena *a, const struct workload *w, int64_t size, uint64_t seed,
              struct work **work, struct err *e) {
    const struct work_kind_ops *kind = kinds[w->kind];
    *work = NULL;
    if (!kind)
        return err_set(e, ERR_FAILED, "workload \"%s\": kind \"%s\" is not built into this version",
                       w->name, kind_names[w->kind]);
    for (size_t i = 0; i < w->n_phases; i++)
        if (!phases[w->phase[i]].built)
            return err_set(e, ERR_FAILED,
                           "workload \"%s\": phase \"%s\" is not built into this version", w->name,
                           phases[w->phase[i]].name);
    if (kind->open(a, w, size, seed, work, e) != 0)
        return -1;
    (*work)->spec = w;
    (*work)->engine = (*work)->fallback ? ENGINE_PSYNC : w->engine;
    (*work)->trace = arena_new(a, struct engine_trace, 1);
    (*work)->kind = kind;
    return 0;
}

void work_close(struct work *work) {
    if (work)
        work->kind->close(work);
}

static const volatile int never;
static struct work_progress untold;

/* Between looks, and how long it must not have moved: more than the 5 s between two groups. */
static const int64_t LOOK = NS_PER_S / 2, STILL = 6 * NS_PER_S;

static void look_at_stored(struct work *work, struct target *t, const struct work_watch *watch,
                           struct iteration *it) {
    int64_t size, allocated, last = UNKNOWN, since = clock_monotonic_ns(), until = since + watch->settle;
    if (it->status != ITERATION_OK || !phases[it->phase].writes || work->spec->flush == FLUSH_NONE ||
        it->phase == PHASE_RENAME || it->phase == PHASE_DELETE)
        return;
    for (;;) {
        int64_t now = clock_monotonic_ns();
        if (work->kind->stored(work, t, &size, &allocated) != 0)
            return;
        if (allocated != last)
            since = now;
        last = allocated;
        if (!watch->settle || now - since >= STILL)
            break;
        if (now >= until || __atomic_load_n(watch->stop, __ATOMIC_RELAXED))
            return;
        nanosleep(&(struct timespec){LOOK / NS_PER_S, (long)(LOOK % NS_PER_S)}, NULL);
    }
    it->size = size;
    it->allocated = allocated;
    if (watch->settle && watch->meter) {
        meter_read(watch->meter, &work->trace->reading[METER_SETTLED]);
        it->meter[METER_SETTLED] = &work->trace->reading[METER_SETTLED];
    }
}

int work_run(struct work *work, struct target *t, enum phase phase, const struct work_watch *watch,
             struct iteration *it, struct err *e) {
    struct work_watch all = watch ? *watch : (struct work_watch){0};
    all.stop = all.stop ? all.stop : &never;
    all.progress = all.progress ? all.progress : &untold;
    it->phase = phase;
    it->started_at = clock_real_ns();
    it->duration = it->flush = UNKNOWN;
    it->bytes = it->ops = it->read_bytes = it->read_ops = it->laid_out = 0;
    it->size = it->allocated = UNKNOWN;
    memset(it->meter, 0, sizeof it->meter);
    it->ticks = NULL;
    it->n_ticks = 0;
    it->status = ITERATION_FAILED;
    it->errnum = 0;
    it->failed = NULL;
    it->read = it->write = NULL;
    work->direct_refused = false;
    work->cold_tried[0] = '\0';
    work->trace->n_ticks = 0;
    memset(work->trace->read, 0, sizeof work->trace->read);
    if (work->kind->run(work, t, phase, &all, it, e) != 0)
        return -1;
    for (enum meter_moment m = 0; m < METER_MOMENTS; m++)
        it->meter[m] = work->trace->read[m] ? &work->trace->reading[m] : NULL;
    if (it->status != ITERATION_FAILED) {
        it->ticks = work->trace->tick;
        it->n_ticks = work->trace->n_ticks;
    }
    look_at_stored(work, t, &all, it);
    return 0;
}

int work_clean(struct work *work, struct target *t, struct err *e) {
    return work->kind->clean(work, t, e);
}

const char *work_direct_effect(const struct work *work) {
    bool in_doubt =
        work->spec->direct && work->spec->engine != ENGINE_NULL && !work->direct_refused;
    return in_doubt ? "unknown" : "no";
}

const char *work_cold_tried(const struct work *work) {
    return work->cold_tried[0] ? work->cold_tried : NULL;
}

const char *work_engine_effect(const struct work *work, const char **why) {
    *why = work->fallback;
    return engine_names[work->engine];
}

int64_t work_memory(const struct workload *w, int64_t size) {
    return kinds[w->kind] ? kinds[w->kind]->memory(w, size) : 0;
}

int64_t work_written(const struct workload *w, int64_t size, enum phase phase) {
    return kinds[w->kind] ? kinds[w->kind]->written(w, size, phase) : UNKNOWN;
}

int64_t work_layout_written(const struct workload *w, int64_t size, enum phase phase) {
    return kinds[w->kind] ? kinds[w->kind]->layout_written(w, size, phase) : UNKNOWN;
}

int64_t work_space(const struct workload *w, int64_t size, int64_t *files) {
    *files = UNKNOWN;
    return kinds[w->kind] ? kinds[w->kind]->space(w, size, files) : UNKNOWN;
}
