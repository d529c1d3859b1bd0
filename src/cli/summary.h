/*
 * summary.h: what stands around the tables of `report`: the one sentence with the answer, what was
 * measured, and the history's path.
 */
#ifndef ZHIST_SUMMARY_H
#define ZHIST_SUMMARY_H

#include "zhist/report.h"

struct summary_facts {
    int64_t runs, first_at;     /* of the history: counted, the oldest's start */
    int64_t refused, unfinished;
    bool filtered;              /* some option picks runs */
    size_t n_left_out;          /* hosts with runs that are left out */
    const char *by;             /* what --by said, or NULL; its values in the whole history: */
    size_t n_values;
    const char *value;          /* the only one; NULL: several, or not to be shown */
};

int summary_read(struct arena *a, struct db *db, struct summary_facts *facts, struct err *e);
/* Why the report of a name (trend, compare) has no rows, and what to do. NULL: another report. */
const char *summary_why(struct arena *a, const struct summary_facts *facts, const char *name);
/* The answer, and a line for each note. width: breaks them there; 0: one line each. */
void summary_print(struct arena *a, const struct summary_facts *facts, int width,
                   const struct result *trend, const struct result *compare,
                   const char *const *notes, size_t n_notes, struct buf *out);
/* The last line: history (path NULL: hidden), runs, first date; before it, with unfinished, runs that never ended. */
void summary_foot(struct arena *a, const struct summary_facts *facts, const char *path,
                  bool unfinished, struct buf *out);

#endif
