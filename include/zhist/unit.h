/*
 * unit.h: the one reader and the one printer of sizes, durations, rates, shares and dates,
 * for profiles and for the command line.
 *
 * Readers return NULL and fill *out, or return the reason as a part of a sentence ("needs a unit:
 * ns, us, ms, s, m, h or d") and leave *out alone. Nothing overflows silently.
 * Sizes follow GNU dd: K M G T P and KiB MiB GiB TiB PiB are powers of 1024, KB MB GB TB PB (and
 * kB) powers of 1000; a bare number is bytes.
 */
#ifndef ZHIST_UNIT_H
#define ZHIST_UNIT_H

#include "zhist/base.h"

const char *unit_read_size(const char *text, int64_t *bytes);
const char *unit_read_duration(const char *text, int64_t *ns);      /* 90s 1.5h 30d 2w; >= 0 */
const char *unit_read_rate(const char *text, double *bytes_per_s);  /* 248MB/s, 10Gbit/s */
const char *unit_read_percent(const char *text, double *share);     /* "5%" gives 0.05 */
const char *unit_read_count(const char *text, int64_t *count);      /* digits only, >= 0 */
const char *unit_read_number(const char *text, double *value);      /* finite, decimal point */
/* A day or moment: 30d (that long before now), 2026-03-01, 2026-03-01T03:30[:00], local time. */
const char *unit_read_moment(const char *text, int64_t now_ns, int64_t *ns);

enum unit_style { UNITS_SI, UNITS_IEC };

/*
 * A value in a base unit for a person, three significant digits, with its unit: ("B/s", 1.71e8)
 * gives "171 MB/s". Units known: B, B/s, ns, s, 1/s, files/s, ratio, %, s/GiB, "" ; others are
 * printed behind a plain number. NaN prints "-".
 */
void unit_put(struct buf *b, double value, const char *unit, enum unit_style style);
/* The same with a scale chosen by another value, so that a column shares one unit; the unit is
 * put only if with_unit. */
void unit_put_scaled(struct buf *b, double value, double like, const char *unit,
                     enum unit_style style, bool with_unit);
/* Three significant digits, no exponent between 0.001 and 999999. */
void unit_put_number(struct buf *b, double value);
/* A size without rounding, in the largest unit that holds it: "2000 MiB", "5 GB", "513 B". */
void unit_put_exact(struct buf *b, int64_t bytes);
void unit_put_duration(struct buf *b, int64_t ns); /* "1 h 20 min", "12 s", "3.1 ms" */
void unit_put_date(struct buf *b, int64_t ns);     /* "2026-03-01 03:30", local time */

/* Columns a UTF-8 text takes on a terminal (East Asian wide 2, combining 0). */
int text_width(const char *text);
size_t text_fit(const char *text, int width); /* bytes of it that fit into width columns */
/* The valid UTF-8 sequence length at text, or 0. */
int utf8_length(const unsigned char *text, size_t left);
/* A text as a terminal may be given it, on one line: what is no letter is written as people write
 * it in C: \n, \t, \x1b, \xff (no UTF-8), \u202e (turns the direction of the text around it). */
void buf_clean(struct buf *b, const char *text);
/* The nearest of n words to a mistyped one, or NULL when none is near. */
const char *word_nearest(const char *word, const char *const *words, size_t n);

#endif
