/*
 * told.h: facts as people are told them: which of them everybody wants to see, and their values with
 * a unit. One rule: exact sizes as they were set ("128 KiB"), amounts in three digits: storage in
 * powers of 1000 ("1.50 TB"), memory in powers of 1024 ("24.0 GiB"), moments as dates. Programs get
 * the stored values.
 */
#ifndef ZHIST_TOLD_H
#define ZHIST_TOLD_H

#include "zhist/base.h"

/* name: kind.key, or any text that ends in the key. Of several values, "1 | 2", each. What is no
 * number of the expected kind stands as it is. */
void fact_put(struct buf *b, const char *name, const char *value);
/* Belongs to the few dozen of a first look? name: kind.key; source: as stored, or NULL. What
 * somebody set on a dataset always does. */
bool fact_is_main(const char *name, const char *source);

#endif
