/*
 * store_parts.h: what the files of store.h share.
 */
#ifndef HISTORY_STORE_PARTS_H
#define HISTORY_STORE_PARTS_H

#include "zhist/store.h"

/* Steps a statement with RETURNING id, or one that finds an id; 0 where it gave no row. */
int store_id_of(struct query *q, int64_t *id, struct err *e);
/* Ends a transaction that work was done in: commit, or roll back and keep the first error. */
int store_settle(struct db *db, int status, struct err *e);
int store_put_cell(struct db *db, const struct stored_run *run, const struct stored_cell *cell,
                   struct err *e);

#endif
