/*
 * store_iteration.c: an iteration with its samples, latencies, ticks and disks, the cell it belongs
 * to, and findings: structs in, rows out.
 */
#include <math.h>

#include "store_parts.h"

int store_put_cell(struct db *db, const struct stored_run *run, const struct stored_cell *cell,
                   struct err *e) {
    struct query *q;
    if (db_query(db, "put_cell", &q, e))
        return -1;
    query_int(q, "run", run->id);
    query_int(q, "target", run->targets[cell->target].id);
    query_int(q, "workload", run->workload_ids[cell->workload]);
    query_text(q, "phase", phases[cell->phase].name);
    query_text(q, "class", cell->class);
    query_text(q, "direct", cell->direct_effect);
    query_text(q, "engine", cell->engine_effect);
    query_text(q, "bound_by", cell->bound_by);
    query_text(q, "evidence", cell->evidence);
    query_text(q, "stop_rule", cell->stop_rule);
    query_known(q, "size", cell->size);
    return query_run(q, e);
}

static int put_histogram(struct db *db, int64_t iteration, const char *op, const struct hist *h,
                         struct err *e) {
    struct query *q;
    if (!h || !h->count)
        return 0;
    if (db_query(db, "insert_histogram", &q, e))
        return -1;
    struct buf b = {0};
    hist_pack(h, &b);
    query_int(q, "iteration", iteration);
    query_text(q, "op", op);
    query_blob(q, "buckets", b.data, b.len);
    buf_release(&b);
    return query_run(q, e);
}

static int put_ticks(struct db *db, int64_t iteration, const struct iteration *it, struct err *e) {
    struct query *q;
    for (size_t i = 0; i < it->n_ticks; i++) {
        if (db_query(db, "insert_tick", &q, e))
            return -1;
        query_int(q, "iteration", iteration);
        query_int(q, "t_ms", it->ticks[i].ms);
        query_int(q, "bytes", it->ticks[i].bytes);
        query_int(q, "ops", it->ticks[i].ops);
        if (query_run(q, e))
            return -1;
    }
    return 0;
}

/* What went on from one reading to the next; UNKNOWN where the counter is not known of both, or ran
 * backwards: the disk went away and came back. */
static int64_t grown(int64_t from, int64_t to) {
    return from == UNKNOWN || to < from ? UNKNOWN : to - from;
}

static int put_disks(struct db *db, int64_t iteration, const struct iteration *it, struct err *e) {
    const struct meter_reading *from = it->meter[METER_BEFORE], *to = it->meter[METER_FLUSHED];
    struct query *q;
    to = to ? to : it->meter[METER_AFTER];
    for (size_t i = 0; from && to && i < from->n_disks && i < to->n_disks; i++) {
        const struct meter_disk *x = &from->disk[i], *y = &to->disk[i];
        int64_t reads = grown(x->reads, y->reads), writes = grown(x->writes, y->writes);
        if (db_query(db, "insert_disk_io", &q, e))
            return -1;
        query_int(q, "iteration", iteration);
        query_text(q, "disk", y->name);
        query_known(q, "read_bytes", grown(x->read, y->read));
        query_known(q, "write_bytes", grown(x->written, y->written));
        query_known(q, "requests",
                    reads == UNKNOWN || writes == UNKNOWN ? UNKNOWN : reads + writes);
        query_known(q, "busy", grown(x->busy, y->busy));
        if (isfinite(y->temperature))
            query_real(q, "temperature", y->temperature);
        if (query_run(q, e))
            return -1;
    }
    return 0;
}

static int put_iteration(struct db *db, const struct stored_run *run, const struct iteration *it,
                         const struct stored_cell *cell, const struct sample *samples,
                         size_t n_samples, struct err *e) {
    struct query *q;
    int64_t id;
    if (store_put_cell(db, run, cell, e) || db_query(db, "insert_iteration", &q, e))
        return -1;
    query_int(q, "run", run->id);
    query_int(q, "target", run->targets[it->target].id);
    query_int(q, "workload", run->workload_ids[it->workload]);
    query_text(q, "phase", phases[it->phase].name);
    query_int(q, "ordinal", it->ordinal);
    query_int(q, "block", it->block);
    query_int(q, "position", it->position);
    query_int(q, "warmup", it->warmup);
    query_known(q, "started_at", it->started_at);
    query_known(q, "duration", it->duration);
    query_known(q, "flush", it->flush);
    query_known(q, "bytes", it->bytes);
    query_known(q, "ops", it->ops);
    query_text(q, "status", iteration_status_names[it->status]);
    query_known(q, "errno", it->errnum ? it->errnum : UNKNOWN);
    query_text(q, "class", cache_class_names[it->cache]);
    query_text(q, "bound_by", it->bound ? bound_names[it->bound] : NULL);
    if (store_id_of(q, &id, e))
        return -1;
    for (size_t i = 0; i < n_samples; i++) {
        if (!isfinite(samples[i].value)) /* unknown: no row, but the iteration is kept */
            continue;
        if (db_query(db, "insert_sample", &q, e))
            return -1;
        query_int(q, "iteration", id);
        query_text(q, "metric", metrics[samples[i].metric].name);
        query_real(q, "value", samples[i].value);
        if (query_run(q, e))
            return -1;
    }
    return put_histogram(db, id, "read", it->read, e) ||
                   put_histogram(db, id, "write", it->write, e) || put_ticks(db, id, it, e) ||
                   put_disks(db, id, it, e)
               ? -1
               : 0;
}

int store_iteration(struct db *db, const struct stored_run *run, const struct iteration *it,
                    const struct stored_cell *cell, const struct sample *samples, size_t n_samples,
                    struct err *e) {
    if (db_begin(db, e))
        return -1;
    return store_settle(db, put_iteration(db, run, it, cell, samples, n_samples, e), e);
}

/* ---- findings
 * ------------------------------------------------------------------------------------ */

static int put_findings(struct db *db, const struct stored_run *run,
                        const struct finding_list *list, struct err *e) {
    struct query *q;
    for (size_t i = 0; i < list->n; i++) {
        const struct finding *f = &list->items[i];
        if (db_query(db, "insert_finding", &q, e))
            return -1;
        query_int(q, "run", run->id);
        if (f->target != UNKNOWN)
            query_int(q, "target", run->targets[f->target].id);
        if (f->workload != UNKNOWN)
            query_int(q, "workload", run->workload_ids[f->workload]);
        query_text(q, "phase", f->phase);
        query_known(q, "ordinal", f->ordinal ? f->ordinal : UNKNOWN);
        query_text(q, "code", f->code);
        query_text(q, "severity", severity_names[f->severity]);
        query_text(q, "text", f->text);
        query_text(q, "evidence", f->evidence);
        if (query_run(q, e))
            return -1;
    }
    return 0;
}

int store_findings(struct db *db, const struct stored_run *run, const struct finding_list *list,
                   struct err *e) {
    return db_begin(db, e) ? -1 : store_settle(db, put_findings(db, run, list, e), e);
}
