/*
 * lines.c: the events of `record --json`, one JSON object a line, and the spill: what the history
 * did not take, as the same lines with everything in them.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "recorder.h"

static void put(struct buf *out, const char *key, const char *text) {
    buf_fmt(out, ",\"%s\":", key);
    buf_json(out, text);
}

static void put_int(struct buf *out, const char *key, int64_t value) {
    if (value == UNKNOWN)
        buf_fmt(out, ",\"%s\":null", key);
    else
        buf_fmt(out, ",\"%s\":%lld", key, (long long)value);
}

static void start(const struct recorder *r, const char *event, struct buf *out) {
    buf_fmt(out, "{\"event\":\"%s\"", event);
    put(out, "run", r->run.uuid);
}

static void put_started(const struct recorder *r, struct buf *out) {
    const struct profile *p = &r->plan->profile;
    start(r, "run-started", out);
    put(out, "profile", p->name);
    put(out, "host", r->run.host_name);
    put_int(out, "started_at", r->run.started_at);
    put_int(out, "seed", r->run.seed);
    put(out, "history", db_path(r->db));
    buf_str(out, ",\"targets\":[");
    for (size_t i = 0; i < r->run.n_targets; i++) {
        buf_str(out, i ? ",{\"name\":" : "{\"name\":");
        buf_json(out, r->run.targets[i].name);
        put(out, "path", r->run.targets[i].path);
        put(out, "fstype", r->run.targets[i].fstype);
        buf_str(out, "}");
    }
    buf_str(out, "]");
}

void line_run_started(const struct recorder *r, struct buf *out) {
    put_started(r, out);
    buf_str(out, "}\n");
}

static void put_iteration(const struct recorder *r, const struct iteration *it,
                          const struct sample *samples, size_t n_samples, bool all,
                          struct buf *out) {
    const struct workload *w = &r->plan->profile.workloads[it->workload];
    start(r, "iteration", out);
    put(out, "target", r->run.targets[it->target].name);
    put(out, "workload", w->name);
    put(out, "phase", phases[it->phase].name);
    put_int(out, "ordinal", it->ordinal);
    put_int(out, "block", it->block);
    buf_fmt(out, ",\"warmup\":%s", it->warmup ? "true" : "false");
    put(out, "status", iteration_status_names[it->status]);
    put_int(out, "errno", it->errnum ? it->errnum : UNKNOWN);
    put_int(out, "started_at", it->started_at);
    put_int(out, "duration_ns", it->duration);
    put_int(out, "flush_ns", it->flush);
    put_int(out, "bytes", it->bytes);
    put_int(out, "ops", it->ops);
    put(out, "cache_class", cache_class_names[it->cache]);
    put(out, "bound_by", it->bound ? bound_names[it->bound] : NULL);
    for (size_t i = 0; i < n_samples; i++) {
        if (!all && samples[i].metric > METRIC_CACHED_PCT) /* what the counters say besides */
            continue;
        buf_fmt(out, ",\"%s\":", metrics[samples[i].metric].name);
        buf_json_number(out, samples[i].value);
    }
}

void line_iteration(const struct recorder *r, const struct iteration *it,
                    const struct sample *samples, size_t n_samples, struct buf *out) {
    put_iteration(r, it, samples, n_samples, false, out);
    buf_str(out, "}\n");
}

void line_finding(const struct recorder *r, const struct finding *f, struct buf *out) {
    start(r, "finding", out);
    put(out, "target", f->target == UNKNOWN ? NULL : r->run.targets[f->target].name);
    put(out, "code", f->code);
    put(out, "severity", severity_names[f->severity]);
    put(out, "text", f->text);
    buf_str(out, "}\n");
}

void line_run_finished(const struct recorder *r, const char *status, struct buf *out) {
    start(r, "run-finished", out);
    put(out, "status", status);
    put_int(out, "iterations", r->stored);
    put_int(out, "failed", r->failed);
    put(out, "history", db_path(r->db));
    buf_str(out, "}\n");
}

/* ---- the spill --------------------------------------------------------------------------------- */

static void put_hist(struct buf *out, const char *op, const struct hist *h, bool *first) {
    struct buf packed = {0};
    if (!h || !h->count)
        return;
    hist_pack(h, &packed);
    buf_fmt(out, "%s\"%s\":\"", *first ? "" : ",", op);
    for (size_t i = 0; i < packed.len; i++)
        buf_fmt(out, "%02x", (unsigned char)packed.data[i]);
    buf_str(out, "\"");
    buf_release(&packed);
    *first = false;
}

static void put_labels(const struct recorder *r, struct buf *out) {
    buf_str(out, ",\"labels\":{");
    for (size_t i = 0; i < r->run.n_labels; i++) {
        buf_str(out, i ? "," : "");
        buf_json(out, r->run.labels[i].key);
        buf_str(out, ":");
        buf_json(out, r->run.labels[i].value);
    }
    buf_str(out, "}");
}

/* Everything an import needs to join it with what the history has of the run. */
static void put_spill(const struct recorder *r, const struct iteration *it,
                      const struct sample *samples, size_t n_samples, struct buf *out) {
    const struct series *s = recorder_series(r, it->workload, it->target, it->phase);
    const struct workload *w = &r->plan->profile.workloads[it->workload];
    bool first = true;
    put_started(r, out);
    put(out, "machine_id", r->run.machine_id);
    put(out, "version", r->run.version);
    put(out, "note", r->run.note);
    put(out, "profile_text", r->plan->profile.text);
    put_labels(r, out);
    buf_str(out, "}\n");
    put_iteration(r, it, samples, n_samples, true, out);
    put_int(out, "position", it->position);
    put(out, "workload_digest", w->digest);
    put(out, "kind", kind_names[w->kind]);
    put(out, "spec", w->spec);
    put(out, "class", s->cell.class);
    put(out, "direct_effect", s->cell.direct_effect);
    put(out, "engine_effect", s->cell.engine_effect);
    put_int(out, "size", s->cell.size);
    buf_str(out, ",\"histograms\":{");
    put_hist(out, "read", it->read, &first);
    put_hist(out, "write", it->write, &first);
    buf_str(out, "}}\n");
}

static int write_new(const char *path, const struct buf *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd < 0)
        return -1;
    size_t done = 0;
    while (done < text->len) {
        ssize_t put = write(fd, text->data + done, text->len - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            break;
        done += (size_t)put;
    }
    int status = done == text->len && !fsync(fd) ? 0 : -1;
    close(fd);
    if (status)
        unlink(path);
    return status;
}

const char *spill_iteration(const struct recorder *r, const struct iteration *it,
                            const struct sample *samples, size_t n_samples) {
    const char *tmp = getenv("TMPDIR"), *found = NULL;
    struct arena *a = r->call->arena;
    struct buf text = {0};
    put_spill(r, it, samples, n_samples, &text);
    const char *places[] = {
        arena_fmt(a, "%s.spill-%.8s.jsonl", db_path(r->db), r->run.uuid),
        tmp && *tmp ? arena_fmt(a, "%s/zhist-spill-%.8s.jsonl", tmp, r->run.uuid) : NULL,
        arena_fmt(a, "/tmp/zhist-spill-%.8s.jsonl", r->run.uuid),
    };
    for (size_t i = 0; i < LENGTH(places) && !found; i++)
        if (places[i] && !write_new(places[i], &text))
            found = places[i];
    buf_release(&text);
    return found;
}
