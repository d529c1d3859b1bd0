/*
 * record_tell.c: what `record` says of findings: on stderr before and after a run, as JSON lines,
 * and of a dry run what would come of it. Decides nothing.
 */
#include "recorder.h"
#include "zhist/unit.h"

/* Nobody has to act on these: named in one line, the sentences are kept with the run. */
static bool is_quiet(const struct finding *f) {
    return f->severity < SEVERITY_DISTURBED;
}

static void tell_sayings(const struct recorder *r, const struct finding_list *list) {
    struct buf names = {0};
    for (size_t i = 0; i < list->n; i++) {
        bool told = !is_quiet(&list->items[i]);
        for (size_t k = 0; k < i && !told; k++)
            told = !strcmp(list->items[k].code, list->items[i].code);
        if (!told)
            buf_fmt(&names, "%s%s", names.len ? ", " : "", list->items[i].code);
    }
    if (names.len)
        print_note("worth knowing: %s (show run %.8s)", names.data, r->run.uuid);
    buf_release(&names);
}

static void tell_aloud(const struct recorder *r, const struct finding_list *list) {
    bool forced = false;
    for (size_t i = 0; i < list->n; i++) {
        const struct finding *f = &list->items[i];
        bool refused = f->severity == SEVERITY_REFUSE;
        if (is_quiet(f) || (refused && !r->run.forced))
            continue;
        print_note("%s: %s", f->code, f->text);
        forced |= refused;
    }
    if (forced)
        print_note("--force: measuring all the same; this run is marked as disturbed");
    tell_sayings(r, list);
}

int tell_findings(const struct recorder *r, const struct finding_list *list, bool aloud,
                  struct err *e) {
    struct buf lines = {0};
    for (size_t i = 0; r->json && i < list->n; i++)
        line_finding(r, &list->items[i], &lines);
    if (aloud && !r->quiet)
        tell_aloud(r, list);
    int status = r->json ? print_out(&lines, e) : 0;
    buf_release(&lines);
    return status;
}

const char *tell_others(const struct recorder *r, const struct finding *told) {
    const struct finding_list *list = &r->survey.findings;
    struct buf b = {0};
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].severity == SEVERITY_REFUSE && &list->items[i] != told)
            buf_fmt(&b, "%s%s", b.len ? ", " : "; refused as well: ", list->items[i].code);
    if (b.len)
        buf_fmt(&b, " (show run %.8s)", r->run.uuid);
    const char *text = arena_str(r->call->arena, b.len ? b.data : "");
    buf_release(&b);
    return text;
}

int tell_nothing(const struct recorder *r, struct err *e) {
    const struct run_spec *run = &r->plan->profile.run;
    const char *name = "max_time", *rule = NULL;
    struct buf limit = {0}, took = {0};
    size_t n_workloads = r->plan->profile.n_workloads, w = 0;
    for (size_t i = 0; i < n_workloads * r->plan->n_targets * PHASES && !rule; i++) {
        rule = r->series[i].cell.stop_rule;
        w = i / PHASES / r->plan->n_targets;
    }
    if (rule && !strcmp(rule, "written")) {
        name = "max_written";
        unit_put(&limit, (double)run->max_written, "B", UNITS_SI);
    } else {
        unit_put_duration(&limit, run->max_time);
    }
    if (r->round_time[w]) {
        buf_fmt(&took, " (a warm-up of '%s' took ", r->plan->profile.workloads[w].name);
        unit_put_duration(&took, r->round_time[w]);
        buf_str(&took, " and wrote ");
        unit_put(&took, (double)r->round_written[w], "B", UNITS_SI);
        buf_str(&took, ")");
    }
    err_set(
        e, ERR_FAILED,
        "nothing was measured: %s of %s ended the run before the first iteration that counts%s; "
        "raise %s under `run` in the profile%s, or measure less of it (--only, a smaller `size`)",
        name, limit.data, took.len ? took.data : "", name,
        r->plan->profile.run.warmup ? ", set `warmup: 0` there" : "");
    buf_release(&limit);
    buf_release(&took);
    return -1;
}

/* ---- a dry run ------------------------------------------------------------------------------- */

void tell_outlook(const struct recorder *r, bool skip_busy, struct buf *out) {
    const struct survey *s = &r->survey;
    const struct finding *f = survey_refusal(s, r->run.forced);
    const char *intro = "This run would be REFUSED: ";
    if (r->plan->waits && wait_needed(s)) {
        f = wait_needed(s);
        intro = "This run would wait first (--wait): ";
    } else if (skip_busy && !r->run.forced && wait_skip(s)) {
        f = wait_skip(s);
        intro = "This run would be skipped (--skip-busy): ";
    } else if (!f && survey_refusal(s, false)) {
        f = survey_refusal(s, false);
        intro = "This run would be measured all the same (--force), and marked as disturbed: ";
    }
    if (!f)
        return;
    plan_put_finding(intro, f, "", 0, out);
    for (size_t i = 0; i < s->findings.n; i++)
        if (s->findings.items[i].severity == SEVERITY_REFUSE && &s->findings.items[i] != f)
            plan_put_finding("Refused as well: ", &s->findings.items[i], "", 0, out);
    buf_str(out, "\n");
}
