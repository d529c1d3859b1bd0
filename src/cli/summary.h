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
void summary_print(const struct summary_facts *facts, const struct result *trend,
                   const struct result *compare, struct buf *out);
/* The last line: history, runs, first date. whole: `report` without a name. */
void summary_foot(const struct summary_facts *facts, const char *path, bool whole,
                  const struct result *last, struct buf *out);

#endif
