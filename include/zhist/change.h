/*
 * change.h: where does the level of a series change? Values in the order of time, one a run.
 *
 * The search is two-sided E-divisive (Matteson & James 2014), by permutation: it asks nothing of
 * the distribution but that the order of equal runs is of no meaning.
 */
#ifndef ZHIST_CHANGE_H
#define ZHIST_CHANGE_H

#include "zhist/stats.h"

enum {
    CHANGE_SEGMENT = 3, /* the smallest segment */
    CHANGE_LEAST = 2 * CHANGE_SEGMENT,
    CHANGE_MOST = 400,  /* of a longer series only the last are looked at */
};

/* ---- one search (split.c) ---------------------------------------------------------------------- */

/* One statistic: its largest value, where, and how often chance reached it. */
struct split_side {
    size_t tau; /* the first value of the new level */
    double q, p;
};
struct split {
    struct split_side end, best; /* right end fixed; best right end (KAP) */
    size_t tau;                  /* that of the smaller p, of `end` where they are alike */
    double p;                    /* min(1, 2 min(p of both)) */
    double p_welch;              /* of the means on both sides of tau, times n - 5; 1: none */
    size_t permutations;         /* that were drawn */
};
struct split_ask {
    size_t permutations; /* R */
    uint64_t seed;
    /* Stops drawing where p can no longer be at most this (then it is the share of those drawn:
     * Besag & Clifford 1991). 1: draws all. */
    double enough;
};
/* n < 6: p is 1, tau 0. CHANGE_MOST values at most; all finite. */
struct split stats_split(const double *x, size_t n, const struct split_ask *ask);

/* ---- the rules around it (change.c) ------------------------------------------------------------ */

enum certainty { CHANGE_POSSIBLE, CHANGE_DRIFTING, CHANGE_CERTAIN };
extern const char *const certainty_names[]; /* "possible", "possible (slow drift)", "certain" */

struct change {
    size_t at;            /* index of the first run of the new level */
    enum certainty certainty;
    double p, p_first;    /* p_first: of the first search, over the whole: does it change at all? */
    size_t from, to;      /* the neighbouring levels: from .. at-1 and at .. to-1 */
    struct interval ratio; /* of their means; all NaN where a value is not positive */
    double before, after;  /* means */
};
struct change_ask {
    size_t permutations; /* 0: 999 */
    uint64_t seed;
    double accept;       /* 0: 0.01 */
    double delta;        /* a smaller change is none; 0: all */
    size_t family;       /* segments searched for the same report, this one too; 0: 1 */
};
/*
 * Fills at most `max` changes in order, returns how many. Recursive; accepted at p <= accept, or
 * p <= 0.05 where Welch's p times n - 5 is <= 0.01; else p <= 0.05 is possible, and not searched
 * below. Where p is at its floor and the family asks for less, more permutations are drawn (up to
 * 99,999). If the rest is autocorrelated (r1 > 2/sqrt(n)), all are possible (slow drift).
 */
size_t stats_changes(const double *x, size_t n, const struct change_ask *ask, struct change *out,
                     size_t max);

#endif
