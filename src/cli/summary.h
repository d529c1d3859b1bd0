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
};

int summary_read(struct arena *a, struct db *db, struct summary_facts *facts, struct err *e);
/* by: what --by said, or NULL. width: breaks the sentence there; 0: one line. */
void summary_print(struct arena *a, const struct summary_facts *facts, const char *by, int width,
                   const struct result *trend, const struct result *compare, struct buf *out);
/* The last line: history (path NULL: hidden), runs, first date; before it, with unfinished, runs that never ended. */
void summary_foot(struct arena *a, const struct summary_facts *facts, const char *path,
                  bool unfinished, struct buf *out);

#endif
