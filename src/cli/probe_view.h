/*
 * probe_view.h: what `probe` shows of one path: facts and findings, as text, as JSON, masked.
 * All of it is a pure function of the view: nothing is read from the machine here.
 */
#ifndef PROBE_VIEW_H
#define PROBE_VIEW_H

#include "zhist/facts.h"
#include "zhist/report.h"

struct probe_view {
    const char *version, *path, *host, *machine_id; /* path: resolved; target 0 of the sheet */
    struct fact_sheet sheet;
    struct finding_list findings;
    bool masked;
    bool all; /* the page ends with every fact */
};

/* At most width columns, but for a word that is longer. */
void probe_print(struct arena *a, const struct probe_view *v, int width, struct buf *out);
void probe_json(const struct probe_view *v, struct buf *out);
/* Hides who and where this is, in every text of the view: the same thing becomes the same word
 * everywhere (host-1, pool-1/dataset-2, disk-1). What the machine is stays. */
void probe_mask(struct arena *a, struct probe_view *v);

/* ---- private to the printers: probe_print.c, probe_storage.c, probe_facts.c -------------------
 */

struct page {
    struct arena *a;
    const struct probe_view *v;
    int width;
    struct buf *out;
};

const struct fact *page_fact(const struct factset *set, const char *key);
/* The value, "unknown (reason)", or NULL where there is no such fact. */
const char *page_told(const struct page *p, const struct factset *set, const char *key);
/* "  label     text", broken at the width; nothing where text is NULL. */
void page_line(const struct page *p, const char *label, const char *text);
void page_section(const struct page *p, const char *name, const char *text);
/* A count of bytes for a person: "3.64 TiB"; NULL: not known. */
const char *page_bytes(const struct page *p, const char *count, enum unit_style style);

void page_layout(const struct page *p);
void page_properties(const struct page *p);
void page_mount(const struct page *p);
void page_disks(const struct page *p);
void page_facts(const struct page *p);

#endif
