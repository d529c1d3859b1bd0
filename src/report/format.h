/* format.h: what the formats share; private to the room. */
#ifndef ZHIST_FORMAT_H
#define ZHIST_FORMAT_H

#include "zhist/report.h"

/* A cell for a person: a number in its unit, "-" for unknown, a text as it is. */
void cell_put(struct buf *b, const struct result *r, size_t row, size_t column,
              enum unit_style style);
/* The unit of a cell: the column's, or that of the row. "" for none. */
const char *cell_unit(const struct result *r, size_t row, size_t column);
/* What a person must not take as it is. */
bool cell_red(const struct result *r, size_t row, size_t column);
/* The heading of a column in the group that starts at row. */
const char *column_head(const struct result *r, size_t row, size_t column);
/* Columns a person sees, in order: at most all of them; returns how many. */
size_t columns_shown(const struct result *r, bool verbose, size_t *shown);
bool same_group(const struct result *r, size_t row, size_t other);
/* The group's heading; false where the report has no groups. */
bool group_put(struct buf *b, const struct result *r, size_t row);
/* All that is to be said below the table: sentences, then notes. */
size_t sentences_shown(struct arena *a, const struct result *r, const char *const **out);

void format_table(const struct result *r, const struct report_ask *ask, struct buf *out);
void format_markdown(const struct result *r, const struct report_ask *ask, struct buf *out);

/* chart.c: a JSON array of numbers and "|" as a line of eight heights; newest at the right. */
void spark_put(struct buf *b, const char *json);

#endif
