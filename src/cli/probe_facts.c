/*
 * probe_facts.c: the end of the page with -v: every fact, a section a set, with the reason where it
 * is unknown. It must read nothing but the view.
 */
#include "probe_view.h"
#include "zhist/told.h"

static void put_fact(const struct page *p, const struct factset *set, const struct fact *f,
                     int width) {
    struct buf b = {0};
    if (f->value)
        fact_put(&b, arena_fmt(p->a, "%s.%s", set->kind, f->key), f->value);
    else
        buf_fmt(&b, "unknown (%s)", *f->source ? f->source : "no reason is known");
    const char *key = report_clean(p->a, f->key), *text = report_clean(p->a, b.len ? b.data : "");
    int pad = width - text_width(key);
    buf_fmt(p->out, "  %s%*s  ", key, pad > 0 ? pad : 0, "");
    report_wrap(p->out, text, (pad > 0 ? width : text_width(key)) + 4, width + 4, p->width);
    buf_str(p->out, "\n");
    buf_release(&b);
}

void page_facts(const struct page *p) {
    int most = p->width / 2;
    for (size_t i = 0; i < p->v->sheet.n_sets; i++) {
        const struct factset *set = &p->v->sheet.sets[i];
        const char *name = fact_value(set, "name");
        int width = 0;
        for (size_t k = 0; k < set->n_facts; k++) {
            int wide = text_width(set->facts[k].key);
            width = wide > width && wide <= most ? wide : width;
        }
        page_section(p, "FACTS",
                     arena_fmt(p->a, "%s%s%s", set->kind, name ? " " : "", name ? name : ""));
        for (size_t k = 0; k < set->n_facts; k++)
            put_fact(p, set, &set->facts[k], width);
    }
}
