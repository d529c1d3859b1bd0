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
    CHANGE_BLOCKED = 120, /* from so many values on means of neighbours are asked first */
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
    double p_welch_least;        /* the smaller of that at both tau */
    size_t permutations;         /* that were drawn */
};
struct split_ask {
    size_t permutations; /* R; 0: p is 1 */
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
    bool possible;       /* also those that are only possible, which takes longer */
};
/*
 * Fills at most `max` changes in order, returns how many. Recursive; accepted at p <= accept, or
 * p <= 0.05 where Welch's p times n - 5 is <= 0.01; else p <= 0.05 is possible, and not searched
 * below. Where p is at its floor and the family asks for less, more permutations are drawn (up to
 * 99,999). From CHANGE_BLOCKED values on, means of neighbours are asked first, which have an
 * order of no meaning as well and are much faster: what they find at half the limit is found. If the
 * rest is autocorrelated (r1 > 2/sqrt(n)), all are possible (slow drift).
 */
size_t stats_changes(const double *x, size_t n, const struct change_ask *ask, struct change *out,
                     size_t max);

/* Takes out those whose neighbouring levels differ by less than delta, the smallest first, and
 * describes the others anew. */
size_t stats_drop_small(const double *x, size_t n, double delta, struct change *list,
                        size_t n_list);

/* ---- slow drift (slope.c) ----------------------------------------------------------------------- */

enum { SLOPE_LEAST = 10 }; /* values on the line */

/* A level that from `from` on follows a line over the times t (rising; days). */
struct slope {
    size_t from;
    double before, after; /* the level, and where the line ends */
    double low, high;     /* 95 % of `after`, by the error of the slope */
    double span;          /* time from there to the end */
    double p;             /* Mann-Kendall over all values */
    double cost;          /* Schwarz's criterion */
};
/* All NaN for fewer than SLOPE_LEAST or more than CHANGE_MOST values, or no time between them. */
struct slope stats_slope(const double *t, const double *x, size_t n);
/*
 * The steps of stats_changes, and a drift where the last part of the series follows a line better
 * than it keeps to the levels found there (these are then none): Mann-Kendall's p <= 0.01, at least
 * SLOPE_DAYS long and delta large. Returns how many steps; drift->p is NaN where there is no drift.
 */
enum { SLOPE_DAYS = 14 };
size_t stats_levels(const double *t, const double *x, size_t n, const struct change_ask *ask,
                    struct change *out, size_t max, struct slope *drift);

/* ---- the gate (gate.c) ------------------------------------------------------------------------- */

/* A look every night must not mean an alarm every year. */
enum { GATE_NIGHTS = 3, GATE_NEAR = 2, GATE_LOOKS = 3 };

struct gate_ask {
    uint64_t seed;
    double delta;
    int better; /* +1, -1: only what becomes worse speaks; 0: every change */
};
/*
 * Changes for the worse that still last: found at p <= 0.002 (R = 9999; on the newest data 0.001)
 * within two runs of the same place on the data up to each of the last three runs, and the newest
 * level is worse than the one before by delta. Nothing is remembered between nights. Returns how many.
 */
size_t gate_search(const double *x, size_t n, const struct gate_ask *ask, struct change *out,
                   size_t max);
/*
 * The planned comparison at an event, looked at with 3, 7 and 14 runs behind it, a third of alpha
 * each. before: up to the last 20 runs; all in order. The look with the smallest p of those that
 * are due; 3 times its p, at most 1. runs: behind the event that it took; 0: none is due.
 */
struct gate_look {
    struct interval ratio;
    double p;
    size_t runs;
};
struct gate_look gate_planned(const double *before, size_t n_before, const double *after,
                              size_t n_after);

#endif
