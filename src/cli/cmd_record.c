/*
 * cmd_record.c: `zhist record`: the one place where measuring and storing meet. Plan, facts,
 * history, preflight, then the loop, then the end; whatever happens, what was measured is stored
 * and what was made in the targets is removed.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "recorder.h"
#include "zhist/process.h"
#include "zhist/report.h"
#include "zhist/unit.h"

static const struct option_row rows[] = {
    {"target", "[NAME=]PATH...", "measure this directory; with NAME: move the profile's target"},
    {"iterations", "N", "this many, whatever the profile says"},
    {"only", "W,..", "these workloads only"},
    {"label", "K=V...", "a label of the run"},
    {"note", "TEXT", "a note on the run"},
    {"quick", NULL, "small and short: 64 MiB, 2 s, 3 iterations; a series of its own"},
    {"dry-run", NULL, "print the plan, measure and write nothing"},
    {"wait", "TIME", "wait so long for scans and others' I/O to end (3h, 90min)"},
    {"skip-busy", NULL, "the machine is busy, or has no room: store the refusal, exit 0"},
    {"force", NULL, "run although preflight refuses; the run stays marked as disturbed"},
    {"quiet", NULL, "no output but errors"},
    {"check", NULL, "look afterwards what became worse, see zhist help check; exit 3"},
    {"json", NULL, "one JSON object a line on stdout, each iteration once it is stored"},
};

static int take_labels(const struct command_call *call, struct stored_run *run, struct err *e) {
    const char *text;
    struct setting *labels = NULL;
    size_t n = 0, cap = 0;
    for (size_t i = 0; (text = option_nth(&call->options, "label", i)); i++) {
        struct setting label;
        if (option_pair(call->arena, "--label", text, &label.key, &label.value, e))
            return -1;
        *array_add(call->arena, labels, n, cap) = label;
    }
    run->labels = labels;
    run->n_labels = n;
    return 0;
}

/* st_dev of the history, or of the nearest folder above it that is there; 0: unknown. */
static uint64_t history_device(struct arena *a, const char *path) {
    struct stat st;
    char *at = arena_str(a, path);
    while (stat(at, &st)) {
        char *slash = strrchr(at, '/');
        if (!slash)
            return stat(".", &st) ? 0 : st.st_dev;
        if (slash == at)
            return stat("/", &st) ? 0 : st.st_dev;
        *slash = '\0';
    }
    return st.st_dev;
}

static void describe_run(struct recorder *r) {
    struct arena *a = r->call->arena;
    const struct fact_sheet *sheet = &r->survey.sheet;
    struct stored_run *run = &r->run;
    run->note = option_value(&r->call->options, "note");
    run->forced = option_flag(&r->call->options, "force");
    run->version = ZHIST_VERSION;
    run->process = process_self(a);
    run->started_at = clock_real_ns();
    run->profile = &r->plan->profile;
    run->facts = sheet;
    run->n_targets = r->plan->n_targets;
    run->targets = arena_new(a, struct stored_target, run->n_targets);
    for (size_t i = 0; i < run->n_targets; i++)
        run->targets[i] = (struct stored_target){
            .name = r->plan->names[i],
            .path = r->plan->paths[i],
            .fstype = fact_value(facts_find(sheet, "mount", (int64_t)i), "fstype"),
            .dataset_guid = fact_value(facts_dataset(sheet, (int64_t)i), "guid"),
            .pool_guid = fact_value(facts_find(sheet, "pool", (int64_t)i), "guid")};
}

/* ---- targets ----------------------------------------------------------------------------------- */

static void tell_tidied(struct recorder *r, char *lines) {
    for (char *line = lines, *end; line && *line && !r->quiet; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        print_note("%s", line);
    }
}

static int enter_targets(struct recorder *r, struct err *e) {
    struct plan *plan = r->plan;
    for (size_t i = 0; i < plan->n_targets; i++) {
        struct buf said = {0};
        int status = target_tidy(r->call->arena, &plan->targets[i], &said, e);
        tell_tidied(r, said.data);
        buf_release(&said);
        if (status || target_enter(r->call->arena, &plan->targets[i], r->run.uuid, e))
            return -1;
    }
    return 0;
}

static int leave_targets(struct plan *plan, struct err *e) {
    int status = 0;
    for (size_t i = 0; i < plan->n_targets; i++)
        status |= target_leave(&plan->targets[i], e);
    return status;
}

/* ---- the run ----------------------------------------------------------------------------------- */

static int open_works(struct recorder *r, struct err *e) {
    const struct profile *p = &r->plan->profile;
    struct arena *a = r->call->arena;
    r->works = arena_new(a, struct work *, p->n_workloads);
    r->series = arena_new(a, struct series, p->n_workloads * r->plan->n_targets * PHASES);
    r->stop_rule = arena_new(a, const char *, p->n_workloads);
    r->round_time = arena_new(a, int64_t, p->n_workloads);
    r->round_written = arena_new(a, int64_t, p->n_workloads);
    for (size_t i = 0; i < p->n_workloads; i++)
        if (work_open(a, &p->workloads[i], r->plan->sizes[i], (uint64_t)r->run.seed + i,
                      &r->works[i], e))
            return -1;
    return 0;
}

static void close_works(struct recorder *r) {
    for (size_t i = 0; r->works && i < r->plan->profile.n_workloads; i++)
        if (r->works[i])
            work_close(r->works[i]);
}

static const char *run_status(const struct recorder *r, int status, const struct err *e) {
    if (status)
        return e->kind == ERR_INTERRUPTED ? "interrupted" : "failed";
    size_t n = r->plan->profile.n_workloads * r->plan->n_targets * PHASES;
    for (size_t i = 0; i < n; i++) {
        const struct series *s = &r->series[i];
        bool gave_up = s->started && s->cell.stop_rule && !strcmp(s->cell.stop_rule, "failed");
        if (gave_up || (s->failures && !s->n)) /* or never came to a number */
            return "failed";
    }
    return "done";
}

/* Cells, facts that moved, rollups. Done also after a failure: what was stored must be found. */
static int end_run(struct recorder *r, const char *status, struct err *e) {
    struct arena *a = r->call->arena;
    size_t n = r->plan->profile.n_workloads * r->plan->n_targets * PHASES, n_cells = 0;
    struct stored_cell *cells = arena_new(a, struct stored_cell, n);
    for (size_t i = 0; i < n; i++)
        if (r->series[i].started)
            cells[n_cells++] = r->series[i].cell;
    size_t n_targets = r->plan->n_targets;
    struct fact_sheet *after = arena_new(a, struct fact_sheet, 1);
    struct finding_list moved = {0};
    survey_after(r, after, &moved);
    for (size_t i = 0; i < n; i++)
        if (r->series[i].started)
            record_cell_findings(r, i / PHASES / n_targets, i / PHASES % n_targets,
                                 (enum phase)(i % PHASES), &moved);
    if ((moved.n && store_findings(r->db, &r->run, &moved, e)) ||
        store_run_end(r->db, &r->run, cells, n_cells, after, status, clock_real_ns(), e))
        return -1;
    return tell_findings(r, &moved, true, e);
}

static int print_result(const struct recorder *r, struct err *e) {
    struct buf out = {0};
    struct report_ask ask = {.arena = r->call->arena, .format = FORMAT_TABLE,
                             .width = report_width(), .colour = report_colour(),
                             .run = r->run.uuid};
    int status = report_show(r->db, "show_run_result", &ask, &out, e);
    if (!status)
        status = print_out(&out, e);
    buf_release(&out);
    return status;
}

static int print_line(void (*line)(const struct recorder *, struct buf *),
                      const struct recorder *r, struct err *e) {
    struct buf b = {0};
    line(r, &b);
    int status = print_out(&b, e);
    buf_release(&b);
    return status;
}

static int print_finished(const struct recorder *r, const char *status, struct err *e) {
    struct buf b = {0};
    line_run_finished(r, status, &b);
    int failed = print_out(&b, e);
    buf_release(&b);
    return failed;
}

/* Nothing is written to the targets. A person is told the refusal alone. */
static int store_refused(struct recorder *r, struct err *e) {
    const struct finding_list *findings = &r->survey.findings;
    return store_run_begin(r->call->arena, r->db, &r->run, e) ||
                   store_findings(r->db, &r->run, findings, e) ||
                   store_run_end(r->db, &r->run, NULL, 0, NULL, "refused", clock_real_ns(), e) ||
                   (r->json && print_line(line_run_started, r, e)) ||
                   tell_findings(r, findings, false, e) ||
                   (r->json && print_finished(r, "refused", e))
               ? -1
               : 0;
}

static int refuse(struct recorder *r, const struct finding *why, struct err *e) {
    const char *waited = "";
    if (store_refused(r, e))
        return -1;
    if (r->waited) {
        struct buf b = {0};
        unit_put_duration(&b, r->waited - r->waited % NS_PER_S);
        waited = arena_fmt(r->call->arena, " after waiting %s", b.data);
        buf_release(&b);
    }
    return err_set(
        e, ERR_REFUSED, "refused%s (%s): %s%s%s", waited, why->code, why->text, tell_others(r, why),
        finding_stands(why, true) ? "" : "; --force runs all the same and marks the run");
}

static int skip(struct recorder *r, const struct finding *why, struct err *e) {
    if (store_refused(r, e))
        return -1;
    if (!r->quiet)
        print_note("skipped (%s): %s; run %.8s is stored as refused in %s", why->code, why->text,
                   r->run.uuid, db_path(r->db));
    return 0;
}

static int measure(struct recorder *r, struct err *e) {
    const struct finding_list *findings = &r->survey.findings;
    struct err late = {.kind = ERR_NONE};
    record_controls(r);
    record_meters_open(r);
    record_describe_targets(r);
    int status = open_works(r, e);
    if (!status)
        status = enter_targets(r, e);
    if (!status)
        status = store_run_begin(r->call->arena, r->db, &r->run, e);
    bool begun = !status;
    if (!status)
        status = store_findings(r->db, &r->run, findings, e);
    if (!status && r->json)
        status = print_line(line_run_started, r, e);
    if (!status)
        status = tell_findings(r, findings, true, e);
    r->began = clock_monotonic_ns();
    if (!status)
        status = record_loop(r, e);
    progress_close(r->progress);
    close_works(r);
    record_meters_close(r);
    const char *word = run_status(r, status, e);
    /* The first error is the one to tell; later ones only where there was none. */
    if (leave_targets(r->plan, status ? &late : e) && !status)
        status = -1;
    if (late.kind)
        print_note("%s", late.text);
    if (begun && end_run(r, word, status ? &late : e) && !status)
        status = -1;
    if (begun && r->json && print_finished(r, word, status ? &late : e) && !status)
        status = -1;
    if (r->spilled) {
        struct err first = *e;
        return err_set(e, ERR_FAILED, "%.4000s; the iteration that was not stored is in \"%s\"",
                       first.text, r->spilled);
    }
    if (status && e->kind == ERR_INTERRUPTED)
        return err_set(e, ERR_INTERRUPTED, "interrupted: %lld iteration%s stored in %s",
                       (long long)r->stored, r->stored == 1 ? " is" : "s are", db_path(r->db));
    if (!status && !strcmp(word, "failed"))
        return err_set(e, ERR_FAILED, "%lld of %lld iteration%s failed, stored as failed",
                       (long long)r->failed, (long long)r->stored, r->stored == 1 ? "" : "s");
    if (!status && !r->measured)
        return tell_nothing(r, e);
    return status;
}

/* ---- before it ----------------------------------------------------------------------------------- */

static int take_wait(const struct command_call *call, int64_t *limit, struct err *e) {
    const char *text = option_value(&call->options, "wait");
    const char *why = text ? unit_read_duration(text, limit) : NULL;
    return why ? err_set(e, ERR_USAGE, "--wait \"%s\": %s", text, why) : 0;
}

/* What only the history knows: runs that crashed, and what lay under the targets before. */
static int ask_history(struct recorder *r, struct err *e) {
    const struct plan *plan = r->plan;
    struct arena *a = r->call->arena;
    r->earlier = arena_new(a, struct earlier, plan->n_targets + 1);
    if (history_open(r->call, DB_CREATE, &r->db, e))
        return -1;
    if (store_adopt_crashed(r->db, r->run.machine_id, e) ||
        store_most_seen(r->db, r->run.machine_id, &r->seen, e) ||
        store_earlier(a, r->db, r->run.machine_id, plan->names, plan->paths, plan->n_targets,
                      r->earlier, e))
        return -1;
    for (size_t i = 0; i < plan->n_targets; i++) {
        const struct fact_sheet *sheet = &r->survey.sheet;
        struct earlier *last = &r->earlier[i];
        const char *name = fact_value(facts_dataset(sheet, (int64_t)i), "name");
        if (last->dataset && (!name || strcmp(name, last->dataset)))
            last->locked = facts_locked(a, sheet, last->dataset);
    }
    return 0;
}

/* Other runs use the history meanwhile, and it may be moved or merged: it is closed for that time. */
static int wait_for_quiet(struct recorder *r, int64_t limit, struct err *e) {
    if (!limit || !wait_needed(&r->survey))
        return 0;
    db_close(r->db);
    r->db = NULL;
    return record_wait(r, limit, e) ? -1 : history_open(r->call, DB_CREATE, &r->db, e);
}

static int dry_run(struct recorder *r, struct err *e) {
    struct buf out = {0};
    r->run.forced = option_flag(&r->call->options, "force");
    survey_judge(r);
    tell_outlook(r, option_flag(&r->call->options, "skip-busy"), &out);
    plan_print(r->plan, &r->survey.findings, &out);
    int status = print_out(&out, e);
    buf_release(&out);
    return status;
}

static int begin(struct recorder *r, struct err *e) {
    char *uuid = arena_new(r->call->arena, char, 37);
    r->run.uuid = uuid;
    if (uuid_make(uuid, e) || random_bytes(&r->random, sizeof r->random, e))
        return -1;
    r->random >>= 1; /* the seed is kept in a signed column */
    r->run.seed = (int64_t)r->random;
    facts_host(r->call->arena, &r->run.machine_id, &r->run.host_name);
    return 0;
}

/* Another zhist measures there: that is busy as well. -1: it is not that. */
static int skip_taken(struct recorder *r, struct err *e) {
    struct finding_list *list = &r->survey.findings;
    if (e->kind != ERR_REFUSED || !option_flag(&r->call->options, "skip-busy"))
        return -1;
    finding_add(&r->survey.arena, list, "other-io", SEVERITY_DISTURBED, UNKNOWN, e->text);
    return skip(r, &list->items[list->n - 1], e) ? -1 : 1;
}

/* -1, 0: measured, 1: skipped */
static int run(struct recorder *r, int64_t wait, struct err *e) {
    if (begin(r, e) || ask_history(r, e))
        return -1;
    survey_judge(r);
    if (wait_for_quiet(r, wait, e))
        return -1;
    describe_run(r);
    const struct finding *why = survey_refusal(&r->survey, r->run.forced), *busy = NULL;
    if (option_flag(&r->call->options, "skip-busy") && !r->run.forced)
        busy = wait_skip(&r->survey);
    if (busy)
        return skip(r, busy, e) ? -1 : 1;
    if (why)
        return refuse(r, why, e);
    if (measure(r, e))
        return skip_taken(r, e);
    if (!r->quiet && !r->json && isatty(STDOUT_FILENO) && print_result(r, e))
        return -1;
    if (!r->quiet && !r->json)
        print_note("run %.8s is stored in %s", r->run.uuid, db_path(r->db));
    return 0;
}

/* Also where the run was skipped or failed: that runs stop coming is what the gate tells. The error
 * of the run itself comes first. */
static int then_check(const struct command_call *call, const char *profile, int status,
                      struct err *e) {
    struct err later = {0};
    if (!option_flag(&call->options, "check") || option_flag(&call->options, "dry-run") ||
        e->kind == ERR_USAGE || e->kind == ERR_INTERRUPTED || !profile)
        return status;
    return check_history(call, profile, false, status ? &later : e) || status ? -1 : 0;
}

static int record(const struct command_call *call, struct err *e) {
    struct plan plan = {0};
    struct recorder r = {.call = call, .plan = &plan};
    struct disk_reading since;
    const char *path;
    int64_t wait = 0;
    disks_read(call->arena, &since); /* early: what the probes take is time to look at */
    r.json = option_flag(&call->options, "json");
    r.quiet = option_flag(&call->options, "quiet");
    static const char *const apart[][2] = {{"dry-run", "json"}, {"dry-run", "check"}, {"json", "check"}};
    int status = options_apart(&call->options, apart, LENGTH(apart), e);
    if (!status)
        status = take_wait(call, &wait, e);
    plan.waits = wait > 0;
    if (!status)
        status = plan_make(call, call->options.words[0], &plan, e);
    if (!status)
        status = take_labels(call, &r.run, e);
    if (!status)
        status = history_path(call, &path, e);
    if (!status) {
        r.db_device = history_device(call->arena, path);
        r.progress = progress_open(call->arena, !r.quiet && !r.json && isatty(STDERR_FILENO));
        survey_look(&r, &since);
        status = option_flag(&call->options, "dry-run") ? dry_run(&r, e) : run(&r, wait, e);
        progress_close(r.progress);
    }
    db_close(r.db);
    survey_release(&r.survey);
    status = then_check(call, plan.profile.name, status < 0 ? -1 : 0, e);
    plan_close(&plan);
    return status;
}

const struct command command_record = {
    .name = "record",
    .args = "PROFILE",
    .about = "measure and store: a profile file, or the name of a built-in profile",
    .rows = rows,
    .n_rows = LENGTH(rows),
    .min_words = 1,
    .max_words = 1,
    .stops = true,
    .run = record,
};
