/*
 * record_survey.c: what a run needs to know of the machine before it begins: the facts, who uses
 * the disks, and what preflight says to both; and the facts after its end. Must not touch the
 * targets.
 */
#include "recorder.h"

/* Between the two readings of the disks' counters; the probes take part of it. */
static const int64_t GLANCE = NS_PER_S / 5;
/* What a glance found is looked at again for so long while nothing of ours runs: programs that the
 * probes started may have been read from the same disks, and a short burst is no load. */
static const int64_t STARE = NS_PER_S;
/* The blocks of a removed file come free with the transaction group that removes them and two more
 * (TXG_DEFER_SIZE of OpenZFS), of 5 s each where nothing else is written. */
static const int64_t FREED_WITHIN = 20 * NS_PER_S, FREED_POLL = 2 * NS_PER_S;

/* What a client cannot see of its server is declared in the profile: facts of the dataset. */
static void add_declared(const struct plan *plan, struct arena *a, struct fact_sheet *sheet) {
    for (size_t i = 0; i < plan->n_targets; i++) {
        const struct target_spec *spec = &plan->profile.targets[i];
        if (!spec->n_declares)
            continue;
        struct factset *set = factset_add(a, sheet, "dataset", "declared", (int64_t)i);
        for (size_t k = 0; k < spec->n_declares; k++)
            fact_add(a, set, spec->declares[k].key, spec->declares[k].value, "declared");
        factset_seal(set);
    }
}

void record_probe(const struct plan *plan, struct arena *a, const struct fact_sheet *earlier,
                  struct fact_sheet *sheet) {
    struct facts_ask ask = {
        .paths = plan->paths, .n_paths = plan->n_targets, .version = ZHIST_VERSION};
    if (earlier)
        facts_probe_again(a, &ask, earlier, sheet);
    else
        facts_probe(a, &ask, sheet);
    add_declared(plan, a, sheet);
}

static bool any_load(const struct survey *s, size_t n_targets) {
    for (size_t t = 0; t < n_targets; t++)
        if (disk_use_is_load(&s->use[t]))
            return true;
    return false;
}

static void look_at_disks(struct recorder *r, const struct disk_reading *since) {
    struct survey *s = &r->survey;
    struct disk_reading now, later;
    size_t n = r->plan->n_targets;
    s->use = arena_new(&s->arena, struct disk_use, n + 1);
    if (!disks_known(&s->sheet, n)) /* memory, or a server: nothing to wait for */
        return;
    record_rest(r, since->at + GLANCE - clock_monotonic_ns());
    disks_read(&s->arena, &now);
    disks_compare(&s->arena, since, &now, &s->sheet, n, s->use);
    if (!any_load(s, n))
        return;
    record_rest(r, STARE);
    disks_read(&s->arena, &later);
    disks_compare(&s->arena, &now, &later, &s->sheet, n, s->use);
}

void survey_look(struct recorder *r, const struct disk_reading *since) {
    survey_release(&r->survey);
    record_probe(r->plan, &r->survey.arena, NULL, &r->survey.sheet);
    look_at_disks(r, since);
    r->survey.took = clock_monotonic_ns() - since->at;
}

void survey_judge(struct recorder *r) {
    struct survey *s = &r->survey;
    s->findings = (struct finding_list){0};
    plan_preflight(&s->arena, r->plan, r->db_device, &s->sheet, s->use, r->earlier, &s->findings);
}

void survey_release(struct survey *s) {
    arena_release(&s->arena);
    *s = (struct survey){0};
}

static size_t find(const struct finding_list *list, const char *code) {
    size_t i = 0;
    while (i < list->n && strcmp(list->items[i].code, code))
        i++;
    return i;
}

void survey_after(struct recorder *r, struct fact_sheet *after, struct finding_list *findings) {
    struct arena *a = r->call->arena;
    int64_t until = clock_monotonic_ns() + FREED_WITHIN;
    size_t at;
    for (;;) {
        *findings = (struct finding_list){0};
        *after = (struct fact_sheet){0};
        record_probe(r->plan, a, r->run.facts, after);
        postflight(a, r->run.facts, after, r->plan->names, r->plan->n_targets, findings);
        at = find(findings, "filled-by-run");
        if (at == findings->n || record_stopped(r) || clock_monotonic_ns() >= until)
            break;
        record_rest(r, FREED_POLL);
    }
    /* Nobody waited for the run's own files to be gone: it proves nothing. */
    while (record_stopped(r) && (at = find(findings, "filled-by-run")) < findings->n)
        findings->items[at] = findings->items[--findings->n];
}

const struct finding *survey_refusal(const struct survey *s, bool forced) {
    for (size_t i = 0; i < s->findings.n; i++)
        if (finding_stands(&s->findings.items[i], forced))
            return &s->findings.items[i];
    return NULL;
}
