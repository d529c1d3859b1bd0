/*
 * store.c: a run and its parts: structs in, rows out. Every function is one transaction; an error
 * leaves nothing of it behind. What the numbers mean is decided elsewhere.
 */
#include <math.h>

#include "store_parts.h"
#include "zhist/process.h"

int store_id_of(struct query *q, int64_t *id, struct err *e) {
    int status = query_step(q, e);
    *id = 0;
    if (status == 1) {
        *id = query_get_int(q, "id");
        status = query_run(q, e);
    }
    return status < 0 ? -1 : 0;
}

int store_settle(struct db *db, int status, struct err *e) {
    if (!status)
        return db_commit(db, e);
    db_rollback(db);
    return -1;
}

/* ---- facts -------------------------------------------------------------------------------------
 */

static int put_factset(struct db *db, const struct factset *set, int64_t *id, struct err *e) {
    struct query *q;
    if (db_query(db, "find_factset", &q, e))
        return -1;
    query_text(q, "digest", set->digest);
    if (store_id_of(q, id, e))
        return -1;
    if (*id)
        return 0;
    if (db_query(db, "insert_factset", &q, e))
        return -1;
    query_text(q, "kind", set->kind);
    query_text(q, "digest", set->digest);
    if (store_id_of(q, id, e))
        return -1;
    for (size_t i = 0; i < set->n_facts; i++) {
        const struct fact *f = &set->facts[i];
        if (f->class == FACT_STATE)
            continue;
        if (db_query(db, "insert_fact", &q, e))
            return -1;
        query_int(q, "factset", *id);
        query_text(q, "key", f->key);
        query_text(q, "value", f->value);
        query_text(q, "source", f->source);
        query_text(q, "class", fact_class_names[f->class]);
        query_text(q, "leader", f->leader);
        if (query_run(q, e))
            return -1;
    }
    return 0;
}

static int put_state(struct db *db, const struct stored_run *run, const struct factset *set,
                     int64_t target, const char *moment, struct err *e) {
    struct query *q;
    char subject[512];
    snprintf(subject, sizeof subject, "%s%s%s", set->kind, *set->subject ? ":" : "", set->subject);
    for (size_t i = 0; i < set->n_facts; i++) {
        if (set->facts[i].class != FACT_STATE)
            continue;
        if (db_query(db, "insert_run_state", &q, e))
            return -1;
        query_int(q, "run", run->id);
        query_int(q, "target", target);
        query_text(q, "subject", subject);
        query_text(q, "moment", moment);
        query_text(q, "key", set->facts[i].key);
        query_text(q, "value", set->facts[i].value);
        if (query_run(q, e))
            return -1;
    }
    return 0;
}

/* The sets of a sheet; with `before` only those whose digest is not the one it had there. */
static int put_facts(struct db *db, const struct stored_run *run, const struct fact_sheet *sheet,
                     const char *moment, const struct fact_sheet *before, struct err *e) {
    for (size_t i = 0; i < sheet->n_sets; i++) {
        const struct factset *set = &sheet->sets[i];
        int64_t id, target = set->target == UNKNOWN ? 0 : run->targets[set->target].id;
        struct query *q;
        bool same = false;
        for (size_t k = 0; before && k < before->n_sets; k++)
            same |= before->sets[k].target == set->target &&
                    !strcmp(before->sets[k].kind, set->kind) &&
                    !strcmp(before->sets[k].subject, set->subject) &&
                    !strcmp(before->sets[k].digest, set->digest);
        if (put_state(db, run, set, target, moment, e))
            return -1;
        if (same)
            continue;
        if (put_factset(db, set, &id, e) || db_query(db, "insert_run_factset", &q, e))
            return -1;
        query_int(q, "run", run->id);
        query_int(q, "target", target);
        query_text(q, "kind", set->kind);
        query_text(q, "subject", set->subject);
        query_text(q, "moment", moment);
        query_int(q, "factset", id);
        if (query_run(q, e))
            return -1;
    }
    return 0;
}

/* ---- the beginning of a run
 * ---------------------------------------------------------------------- */

static int put_workloads(struct arena *a, struct db *db, struct stored_run *run, struct err *e) {
    const struct profile *p = run->profile;
    struct query *q;
    run->workload_ids = arena_new(a, int64_t, p->n_workloads);
    for (size_t i = 0; i < p->n_workloads; i++) {
        if (db_query(db, "insert_workload", &q, e))
            return -1;
        query_text(q, "digest", p->workloads[i].digest);
        query_text(q, "name", p->workloads[i].name);
        query_text(q, "kind", kind_names[p->workloads[i].kind]);
        query_text(q, "spec", p->workloads[i].spec);
        if (store_id_of(q, &run->workload_ids[i], e))
            return -1;
    }
    return 0;
}

static int put_needs(struct db *db, const struct stored_run *run, int64_t profile, struct err *e) {
    const struct profile *p = run->profile;
    struct query *q;
    for (size_t i = 0; i < p->n_requires; i++) {
        const struct requirement *r = &p->requires[i];
        const struct workload *w = p->workloads;
        while (w < p->workloads + p->n_workloads && strcmp(w->name, r->workload))
            w++;
        /* Left out by --only; or capped, and then it is not what the need is about. */
        if (w == p->workloads + p->n_workloads || w->quick)
            continue;
        if (db_query(db, "insert_requirement", &q, e))
            return -1;
        query_int(q, "profile", profile);
        query_int(q, "workload", run->workload_ids[w - p->workloads]);
        query_text(q, "target", r->target);
        query_text(q, "phase", phases[r->phase].name);
        query_text(q, "metric", r->metric);
        query_text(q, "op", r->at_least ? "at_least" : "at_most");
        query_real(q, "value", r->value);
        query_text(q, "why", r->why);
        if (query_run(q, e))
            return -1;
    }
    for (size_t i = 0; i < p->n_thresholds; i++) {
        if (db_query(db, "insert_threshold", &q, e))
            return -1;
        query_int(q, "profile", profile);
        query_text(q, "metric", p->thresholds[i].metric);
        query_real(q, "share", p->thresholds[i].share);
        if (query_run(q, e))
            return -1;
    }
    for (size_t i = 0; i < METRICS; i++) {
        if (db_query(db, "insert_metric", &q, e))
            return -1;
        query_text(q, "name", metrics[i].name);
        query_text(q, "unit", metrics[i].unit);
        query_int(q, "better", metrics[i].better);
        if (query_run(q, e))
            return -1;
    }
    return 0;
}

static int put_targets(struct db *db, struct stored_run *run, struct err *e) {
    struct query *q;
    for (size_t i = 0; i < run->n_targets; i++) {
        struct stored_target *t = &run->targets[i];
        if (db_query(db, "insert_target", &q, e))
            return -1;
        query_int(q, "host", run->host_id);
        query_text(q, "name", t->name);
        if (store_id_of(q, &t->id, e) || db_query(db, "insert_run_target", &q, e))
            return -1;
        query_int(q, "run", run->id);
        query_int(q, "target", t->id);
        query_text(q, "path", t->path);
        query_text(q, "fstype", t->fstype);
        query_text(q, "dataset_guid", t->dataset_guid);
        query_text(q, "pool_guid", t->pool_guid);
        query_int(q, "position", (int64_t)i);
        if (query_run(q, e))
            return -1;
    }
    return 0;
}

static int put_run(struct arena *a, struct db *db, struct stored_run *run, struct err *e) {
    struct query *q;
    int64_t profile;
    if (db_query(db, "insert_profile", &q, e))
        return -1;
    query_text(q, "digest", run->profile->digest);
    query_text(q, "name", run->profile->name);
    query_text(q, "text", run->profile->text);
    if (store_id_of(q, &profile, e) || db_query(db, "insert_host", &q, e))
        return -1;
    query_text(q, "machine", run->machine_id);
    query_text(q, "name", run->host_name);
    if (store_id_of(q, &run->host_id, e) || db_query(db, "insert_run", &q, e))
        return -1;
    query_text(q, "uuid", run->uuid);
    query_int(q, "host", run->host_id);
    query_int(q, "profile", profile);
    query_int(q, "started_at", run->started_at);
    query_int(q, "seed", run->seed);
    query_text(q, "order", run->profile->run.interleaved ? "interleaved" : "sequential");
    query_int(q, "forced", run->forced);
    query_text(q, "note", run->note);
    query_text(q, "version", run->version);
    query_text(q, "process", run->process);
    if (store_id_of(q, &run->id, e) || put_targets(db, run, e) || put_workloads(a, db, run, e) ||
        put_needs(db, run, profile, e))
        return -1;
    for (size_t i = 0; i < run->n_labels; i++) {
        if (db_query(db, "set_label", &q, e))
            return -1;
        query_int(q, "run", run->id);
        query_text(q, "key", run->labels[i].key);
        query_text(q, "value", run->labels[i].value);
        if (query_run(q, e))
            return -1;
    }
    return put_facts(db, run, run->facts, "before", NULL, e);
}

int store_run_begin(struct arena *a, struct db *db, struct stored_run *run, struct err *e) {
    return db_begin(db, e) ? -1 : store_settle(db, put_run(a, db, run, e), e);
}

/* ---- the end ------------------------------------------------------------------------ */

static int fill_rollup(struct db *db, int64_t run, struct err *e) {
    struct query *q;
    if (db_query(db, "fill_rollup", &q, e))
        return -1;
    query_int(q, "run", run);
    return query_run(q, e);
}

static int end_run(struct db *db, const struct stored_run *run, const struct stored_cell *cells,
                   size_t n_cells, const struct fact_sheet *after, const char *status,
                   int64_t finished_at, struct err *e) {
    struct query *q;
    for (size_t i = 0; i < n_cells; i++)
        if (store_put_cell(db, run, &cells[i], e))
            return -1;
    if (after && put_facts(db, run, after, "after", run->facts, e))
        return -1;
    if (fill_rollup(db, run->id, e) || db_query(db, "finish_run", &q, e))
        return -1;
    query_int(q, "run", run->id);
    query_text(q, "status", status);
    query_int(q, "finished_at", finished_at);
    return query_run(q, e);
}

int store_run_end(struct db *db, const struct stored_run *run, const struct stored_cell *cells,
                  size_t n_cells, const struct fact_sheet *after, const char *status,
                  int64_t finished_at, struct err *e) {
    if (db_begin(db, e))
        return -1;
    return store_settle(db, end_run(db, run, cells, n_cells, after, status, finished_at, e), e);
}

static int adopt(struct db *db, const char *machine_id, struct err *e) {
    struct arena a = {0};
    struct query *q;
    int64_t *runs = NULL;
    size_t n = 0, cap = 0;
    int status = db_query(db, "list_unfinished", &q, e);
    if (!status) {
        query_text(q, "machine", machine_id);
        while ((status = query_step(q, e)) > 0) {
            const char *process = query_get_text(q, "process");
            if (process && process_lives(process) == 0)
                *array_add(&a, runs, n, cap) = query_get_int(q, "id");
        }
    }
    for (size_t i = 0; i < n && !status; i++)
        status = fill_rollup(db, runs[i], e);
    arena_release(&a);
    return status;
}

int store_adopt_crashed(struct db *db, const char *machine_id, struct err *e) {
    return db_begin(db, e) ? -1 : store_settle(db, adopt(db, machine_id, e), e);
}

int store_earlier(struct arena *a, struct db *db, const char *machine_id,
                  const char *const *targets, const char *const *paths, size_t n_targets,
                  struct earlier *earlier, struct err *e) {
    struct query *q;
    for (size_t i = 0; i < n_targets; i++) {
        earlier[i] = (struct earlier){0};
        if (db_query(db, "find_earlier", &q, e))
            return -1;
        query_text(q, "machine", machine_id);
        query_text(q, "target", targets[i]);
        query_text(q, "path", paths[i]);
        int status = query_step(q, e);
        if (status > 0) {
            earlier[i] = (struct earlier){.dataset = arena_str(a, query_get_text(q, "dataset")),
                                          .guid = arena_str(a, query_get_text(q, "dataset_guid")),
                                          .fstype = arena_str(a, query_get_text(q, "fstype"))};
            status = query_run(q, e);
        }
        if (status < 0)
            return -1;
    }
    return 0;
}

int store_most_seen(struct db *db, const char *machine_id, double *rate, struct err *e) {
    struct query *q;
    *rate = (double)NAN;
    if (db_query(db, "find_most_seen", &q, e))
        return -1;
    query_text(q, "machine", machine_id);
    int status = query_step(q, e);
    if (status > 0) {
        *rate = query_get_real(q, "rate");
        status = query_run(q, e);
    }
    return status < 0 ? -1 : 0;
}
