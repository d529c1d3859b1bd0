/*
 * judge.h: what the files of this room share about the counters of a phase.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "zhist/witness.h"

/* What reading everything from the disks would have fetched, in logical bytes: L, and for random
 * operations smaller than a record a whole record each (cached.c). */
double bytes_needed(const struct iteration *it, const struct phase_counts *p,
                    const struct witness_context *c);
/* Of a record that operations work on: recordsize, or a small file; 0: not known. */
double record_bytes(const struct witness_context *c);
/* Compression as far as it makes fewer bytes; NaN: unknown. Padding and copies are no more to read. */
double read_ratio(const struct witness_context *c);

void judge_cached(const struct iteration *it, const struct phase_counts *p,
                  const struct witness_context *c, struct witness *out);
void judge_direct(const struct iteration *it, const struct phase_counts *p,
                  const struct witness_context *c, struct witness *out);
void judge_others(const struct iteration *it, const struct phase_counts *p,
                  const struct witness_context *c, struct witness *out);

#endif
