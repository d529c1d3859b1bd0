/*
 * change.c: the rules around one search: recursion, what is accepted, what is too small to count,
 * what a drift or the memory of a series makes doubtful. split.c draws, this decides.
 */
#include <math.h>

#include "zhist/change.h"

const char *const certainty_names[] = {"possible", "possible (slow drift)", "certain"};

enum { PERMUTATIONS = 999, PERMUTATIONS_MOST = 99999 };
static const double ACCEPT = 0.01, POSSIBLE = 0.05, WELCH = 0.01;

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

/*
 * The seed follows from where the segment lies alone: the same series gives the same p whoever
 * asks. At the floor of p, 2/(R+1), Holm may ask for less than R can give: then a larger one.
 */
static struct split split_segment(const struct search *s, size_t from, size_t to) {
    struct split_ask ask = {s->ask.permutations, s->ask.seed + from * CHANGE_MOST + to,
                            fmax(POSSIBLE, s->ask.accept)};
    struct split split = stats_split(s->x + from, to - from, &ask);
    double floor = 2 / ((double)ask.permutations + 1), asked = POSSIBLE / (double)s->ask.family;
    if (split.p > floor * 1.5 || asked >= floor)
        return split;
    ask.permutations = (size_t)fmin(PERMUTATIONS_MOST, ceil(2 / asked) - 1);
    ask.enough = fmax(asked, 2 / ((double)ask.permutations + 1));
    return stats_split(s->x + from, to - from, &ask);
}

static void search(struct search *s, size_t from, size_t to) {
    if (to - from < CHANGE_LEAST)
        return;
    struct split split = split_segment(s, from, to);
    if (isnan(s->p_first))
        s->p_first = split.p;
    bool accepted = split.p <= s->ask.accept ||
                    (s->ask.accept >= ACCEPT && split.p <= POSSIBLE && split.p_welch <= WELCH);
    if (!accepted && split.p > POSSIBLE)
        return;
    size_t tau = from + split.tau;
    if (accepted)
        search(s, from, tau);
    *array_add(&s->scratch, s->found, s->n, s->cap) =
        (struct found){tau, split.p, accepted};
    if (accepted)
        search(s, tau, to);
}

static struct interval ratio_at(const double *x, size_t from, size_t at, size_t to,
                                struct summary sides[2]) {
    sides[0] = stats_summary(x + from, at - from);
    sides[1] = stats_summary(x + at, to - at);
    return stats_log_ratio(&sides[0], &sides[1], 0.95);
}

/* How large a step is, as a logarithm; where there is none, as a share. */
static double size_of(const struct interval *ratio, const struct summary sides[2]) {
    if (ratio->value > 0)
        return fabs(log(ratio->value));
    double scale = fabs(sides[0].mean);
    return scale > 0 ? fabs(sides[1].mean - sides[0].mean) / scale : HUGE_VAL;
}

static size_t end_of(const struct search *s, size_t i, size_t n) {
    return i + 1 < s->n ? s->found[i + 1].tau : n;
}

/* The smallest below delta goes first: its neighbours then have longer levels to be judged by. */
static bool drop_smallest(struct search *s, size_t n) {
    double least = INFINITY;
    size_t which = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct summary sides[2];
        struct interval r = ratio_at(s->x, i ? s->found[i - 1].tau : 0, s->found[i].tau,
                                     end_of(s, i, n), sides);
        double size = size_of(&r, sides);
        if (size < least) {
            least = size;
            which = i;
        }
    }
    if (s->n == 0 || least >= log1p(s->ask.delta) * (1 - 1e-12))
        return false;
    memmove(s->found + which, s->found + which + 1, (s->n - which - 1) * sizeof *s->found);
    s->n--;
    return true;
}

/* Lag-1 of what the levels leave: beyond 2/sqrt(n) a random walk would show steps as well. */
static bool remembers(struct search *s, size_t n) {
    double *rest = arena_new(&s->scratch, double, n);
    for (size_t i = 0, from = 0; i <= s->n; i++) {
        size_t to = i < s->n ? s->found[i].tau : n;
        double mean = stats_summary(s->x + from, to - from).mean;
        for (; from < to; from++)
            rest[from] = s->x[from] - mean;
    }
    return stats_lag1(rest, n) > 2 / sqrt((double)n);
}

static struct change describe(const struct search *s, size_t i, size_t n) {
    const struct found *f = &s->found[i];
    struct change c = {.at = f->tau, .p = f->p, .from = i ? s->found[i - 1].tau : 0,
                       .to = end_of(s, i, n), .p_first = s->p_first};
    struct summary sides[2];
    c.ratio = ratio_at(s->x, c.from, c.at, c.to, sides);
    c.before = sides[0].mean;
    c.after = sides[1].mean;
    c.certainty = f->accepted ? CHANGE_CERTAIN : CHANGE_POSSIBLE;
    return c;
}

size_t stats_changes(const double *x, size_t n, const struct change_ask *ask, struct change *out,
                     size_t max) {
    size_t skip = n > CHANGE_MOST ? n - CHANGE_MOST : 0, count = 0;
    struct search s = {.x = x + skip, .ask = *ask, .p_first = (double)NAN};
    n -= skip;
    s.ask.permutations = ask->permutations ? ask->permutations : PERMUTATIONS;
    s.ask.accept = ask->accept > 0 ? ask->accept : ACCEPT;
    s.ask.family = ask->family ? ask->family : 1;
    search(&s, 0, n);
    while (drop_smallest(&s, n))
        ;
    bool doubtful = s.n > 0 && remembers(&s, n);
    for (; count < s.n && count < max; count++) {
        struct change *c = &out[count];
        *c = describe(&s, count, n);
        if (doubtful)
            c->certainty = CHANGE_DRIFTING;
        c->at += skip;
        c->from += skip;
        c->to += skip;
    }
    arena_release(&s.scratch);
    return count;
}
