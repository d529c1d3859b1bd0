/*
 * change.c: the rules around one search: recursion, what is accepted, what is too small to count,
 * what a drift or the memory of a series makes doubtful. split.c draws, this decides.
 */
#include <math.h>

#include "zhist/change.h"

const char *const certainty_names[] = {"possible", "possible (slow drift)", "certain"};

enum { PERMUTATIONS = 999, PERMUTATIONS_MOST = 99999 };
static const double ACCEPT = 0.01, POSSIBLE = 0.05, WELCH = 0.01;
/* Of the 5 % of reports that may cry wolf; the rest is for drifts. */
static const double REPORT = 0.04;

struct found {
    size_t tau;
    double p;
    bool accepted;
};

struct search {
    struct arena scratch;
    const double *x;
    struct change_ask ask;
    struct found *found;
    size_t n, cap;
    double p_first;
};

/* The seed follows from where the segment lies alone: the same series gives the same p whoever
 * asks. */
static uint64_t seed_of(const struct search *s, size_t from, size_t to) {
    return s->ask.seed + from * CHANGE_MOST + to;
}

/* What Holm may ask of this p, so that the report is right in 96 of 100. */
static double asked_of(const struct search *s) {
    return REPORT / (double)s->ask.family;
}

/* Means of neighbours, some 60 to 120 of them; their p at half of what is asked. Else p is 1. */
static double ask_blocks(struct search *s, size_t from, size_t to, bool *best) {
    size_t n = to - from, width = n / (CHANGE_BLOCKED / 2), blocks = n / width;
    double limit = fmin(s->ask.accept, asked_of(s)) / 2;
    double *means = arena_new(&s->scratch, double, blocks);
    for (size_t i = 0; i < blocks * width; i++)
        means[i / width] += s->x[from + i] / (double)width;
    struct split_ask ask = {(size_t)fmin(PERMUTATIONS_MOST, ceil(2 / limit) - 1),
                            seed_of(s, from, to), limit};
    struct split split = stats_split(means, blocks, &ask);
    *best = split.best.p < split.end.p;
    return split.p <= limit ? split.p : 1;
}

/* At the floor of p, 2/(R+1), Holm may ask for less than R can give: then a larger one. */
static struct split ask_values(const struct search *s, size_t from, size_t to,
                               const struct split *seen) {
    bool lenient = s->ask.accept >= ACCEPT && (s->ask.possible || seen->p_welch_least <= WELCH);
    double asked = asked_of(s) / (to - from >= CHANGE_BLOCKED ? 2 : 1);
    struct split_ask ask = {s->ask.permutations, seed_of(s, from, to),
                            lenient ? POSSIBLE : s->ask.accept};
    struct split split = stats_split(s->x + from, to - from, &ask);
    double floor = 2 / ((double)ask.permutations + 1);
    if (split.p > floor * 1.5 || asked >= floor)
        return split;
    ask.permutations = (size_t)fmin(PERMUTATIONS_MOST, ceil(2 / asked) - 1);
    ask.enough = fmax(asked, 2 / ((double)ask.permutations + 1));
    return stats_split(s->x + from, to - from, &ask);
}

static struct split split_segment(struct search *s, size_t from, size_t to) {
    struct split seen = stats_split(s->x + from, to - from, &(struct split_ask){.enough = 1});
    bool best = false;
    double p = to - from >= CHANGE_BLOCKED ? ask_blocks(s, from, to, &best) : 1;
    if (p == 1)
        return ask_values(s, from, to, &seen);
    seen.p = p;
    seen.tau = best ? seen.best.tau : seen.end.tau;
    return seen;
}

static void search(struct search *s, size_t from, size_t to) {
    if (to - from < CHANGE_LEAST)
        return;
    struct split split = split_segment(s, from, to);
    if (isnan(s->p_first))
        s->p_first = split.p;
    bool accepted = split.p <= s->ask.accept ||
                    (s->ask.accept >= ACCEPT && split.p <= POSSIBLE && split.p_welch <= WELCH);
    if (!accepted && (!s->ask.possible || split.p > POSSIBLE))
        return;
    size_t tau = from + split.tau;
    if (accepted)
        search(s, from, tau);
    *array_add(&s->scratch, s->found, s->n, s->cap) =
        (struct found){tau, split.p, accepted};
    if (accepted)
        search(s, tau, to);
}

/* ---- levels ------------------------------------------------------------------------------------ */

static void describe(const double *x, size_t n, struct change *list, size_t n_list, size_t i) {
    struct change *c = &list[i];
    c->from = i ? list[i - 1].at : 0;
    c->to = i + 1 < n_list ? list[i + 1].at : n;
    struct summary a = stats_summary(x + c->from, c->at - c->from);
    struct summary b = stats_summary(x + c->at, c->to - c->at);
    c->ratio = stats_log_ratio(&a, &b, 0.95);
    c->before = a.mean;
    c->after = b.mean;
}

/* How large a step is, as a logarithm; where there is none, as a share. */
static double size_of(const struct change *c) {
    if (c->ratio.value > 0)
        return fabs(log(c->ratio.value));
    return fabs(c->before) > 0 ? fabs(c->after - c->before) / fabs(c->before) : HUGE_VAL;
}

/* The smallest goes first: its neighbours then have longer levels to be judged by. */
size_t stats_drop_small(const double *x, size_t n, double delta, struct change *list,
                        size_t n_list) {
    for (;;) {
        size_t least = 0;
        for (size_t i = 0; i < n_list; i++) {
            describe(x, n, list, n_list, i);
            if (size_of(&list[i]) < size_of(&list[least]))
                least = i;
        }
        if (n_list == 0 || size_of(&list[least]) >= log1p(delta) * (1 - 1e-12))
            return n_list;
        memmove(list + least, list + least + 1, (n_list - least - 1) * sizeof *list);
        n_list--;
    }
}

/* Lag-1 of what the levels leave: beyond 2/sqrt(n) a random walk would show steps as well. */
static bool remembers(struct arena *a, const double *x, size_t n, const struct change *list,
                      size_t n_list) {
    double *rest = arena_new(a, double, n);
    for (size_t i = 0, from = 0; i <= n_list; i++) {
        size_t to = i < n_list ? list[i].at : n;
        double mean = stats_summary(x + from, to - from).mean;
        for (; from < to; from++)
            rest[from] = x[from] - mean;
    }
    return stats_lag1(rest, n) > 2 / sqrt((double)n);
}

size_t stats_changes(const double *x, size_t n, const struct change_ask *ask, struct change *out,
                     size_t max) {
    struct search s = {.x = x, .ask = *ask, .p_first = (double)NAN};
    if (n > CHANGE_MOST) {
        size_t skip = n - CHANGE_MOST, count = stats_changes(x + skip, CHANGE_MOST, ask, out, max);
        for (size_t i = 0; i < count; i++) {
            out[i].at += skip;
            out[i].from += skip;
            out[i].to += skip;
        }
        return count;
    }
    s.ask.permutations = ask->permutations ? ask->permutations : PERMUTATIONS;
    s.ask.accept = ask->accept > 0 ? ask->accept : ACCEPT;
    s.ask.family = ask->family ? ask->family : 1;
    search(&s, 0, n);
    size_t count = 0;
    for (; count < s.n && count < max; count++)
        out[count] = (struct change){.at = s.found[count].tau,
                                     .p = s.found[count].p,
                                     .p_first = s.p_first,
                                     .certainty = s.found[count].accepted ? CHANGE_CERTAIN
                                                                          : CHANGE_POSSIBLE};
    count = stats_drop_small(x, n, s.ask.delta, out, count);
    if (count > 0 && remembers(&s.scratch, x, n, out, count))
        for (size_t i = 0; i < count; i++)
            out[i].certainty = CHANGE_DRIFTING;
    arena_release(&s.scratch);
    return count;
}
