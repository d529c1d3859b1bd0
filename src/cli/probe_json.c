/* probe_json.c: `probe --json`: one object with every fact and finding, as the probes left them. */
#include "probe_view.h"

static void put(struct buf *out, const char *before, const char *text) {
    buf_str(out, before);
    buf_json(out, text);
}

static void put_set(struct buf *out, const struct factset *set) {
    put(out, "{\"kind\":", set->kind);
    put(out, ",\"subject\":", set->subject);
    if (set->target == UNKNOWN) /* of the host, whatever path was asked for */
        buf_str(out, ",\"target\":null");
    else
        buf_fmt(out, ",\"target\":%lld", (long long)set->target);
    buf_str(out, ",\"facts\":[");
    for (size_t i = 0; i < set->n_facts; i++) {
        const struct fact *f = &set->facts[i];
        put(out, i ? ",\n  {\"key\":" : "\n  {\"key\":", f->key);
        put(out, ",\"value\":", f->value);
        put(out, ",\"class\":", fact_class_names[f->class]);
        put(out, ",\"source\":", f->source);
        buf_str(out, "}");
    }
    buf_str(out, "]}");
}

void probe_json(const struct probe_view *v, struct buf *out) {
    put(out, "{\"zhist\":1,\"probe\":{\"version\":", v->version);
    put(out, ",\"path\":", v->path);
    put(out, ",\"host\":", v->host);
    put(out, ",\"machine_id\":", v->machine_id);
    buf_fmt(out, ",\"masked\":%s,\"sets\":[", v->masked ? "true" : "false");
    for (size_t i = 0; i < v->sheet.n_sets; i++) {
        buf_str(out, i ? ",\n " : "\n ");
        put_set(out, &v->sheet.sets[i]);
    }
    buf_str(out, "],\"findings\":[");
    for (size_t i = 0; i < v->findings.n; i++) {
        const struct finding *f = &v->findings.items[i];
        put(out, i ? ",\n {\"code\":" : "\n {\"code\":", f->code);
        put(out, ",\"severity\":", severity_names[f->severity]);
        put(out, ",\"text\":", f->text);
        buf_str(out, "}");
    }
    buf_str(out, "]}}\n");
}
