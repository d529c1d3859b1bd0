/*
 * scenes.c: writes a history out of a script, for tests that need a known truth:
 *
 *   scenes FILE [SEED] < SCRIPT
 *
 * A script is lines of words; what is set stays set for the runs that follow:
 *   profile                     YAML up to a line "end"; else the one below
 *   host NAME                   order interleaved|sequential        targets NAME...
 *   fact KIND SUBJECT|- TARGET|- KEY VALUE     ("?" is unknown)     nofact KIND SUBJECT TARGET KEY
 *   cell WORKLOAD PHASE TARGET|* CLASS DIRECT ENGINE [BOUND|- [CACHED_PCT]]
 *   label KEY VALUE             of the next run only
 *   run DAY [HH:MM]             begins one; its uuid is 5ce00001-..., 5ce00002-... in turn
 *   it WORKLOAD PHASE TARGET VALUE...          iterations with these values of the headline metric;
 *                               w before a value: warm-up; f, i: failed, interrupted
 *   level CV                    one draw of what all noise of this run shares
 *   noise WORKLOAD PHASE TARGET MEAN CV N      N iterations around it
 *   finding CODE SEVERITY TARGET|- WORKLOAD[/PHASE]|- TEXT
 *   end [STATUS]                ends the run (done); crash: it never ended, its process is gone
 * Everything must be right: a mistake ends it with the line's number.
 */
#include <math.h>

#include "zhist/facts.h"
#include "zhist/profile.h"
#include "zhist/store.h"
#include "zhist/unit.h"

enum { WORDS = 200, MOST = 64, FACTS = 1024 };

static const char usual_profile[] =
    "zhist: 1\n"
    "name: scene\n"
    "run: {iterations: 3}\n"
    "workloads:\n"
    "  - {name: stream, kind: file, size: 64MiB, block: 1MiB, phases: [write, read]}\n"
    "  - {name: random, kind: file, size: 64MiB, block: 4KiB, phases: [randread], time: 1s}\n";

struct known_fact {
    char *kind, *subject, *target, *key, *value;
};

struct known_cell {
    size_t workload;
    enum phase phase;
    size_t target; /* index, or MOST for every one */
    char *class, *direct, *engine, *bound;
    double cached_pct;
};

struct scene {
    struct arena a;
    struct db *db;
    uint64_t seed;
    double level;
    struct profile profile;
    bool sequential;
    const char *host;
    struct stored_target targets[MOST];
    size_t n_targets;
    struct known_fact facts[FACTS];
    struct known_cell cells[MOST];
    size_t n_facts, n_cells;
    struct setting labels[MOST];
    size_t n_labels;
    struct stored_run run;
    struct fact_sheet sheet;
    int64_t n_runs, now, counts[MOST][PHASES][MOST]; /* iterations so far */
    struct err e;
};

static double uniform(struct scene *s) {
    return ((double)(random_next(&s->seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct scene *s) { /* Box and Muller 1958 */
    double r = sqrt(-2 * log(uniform(s)));
    return r * cos(2 * 3.14159265358979323846 * uniform(s));
}

static char *keep(struct scene *s, const char *word) {
    return arena_str(&s->a, word);
}

static int wrong(struct scene *s, const char *what, const char *word) {
    return err_set(&s->e, ERR_USAGE, "%s \"%s\"", what, word);
}

static int find_target(struct scene *s, const char *name, size_t *index) {
    for (*index = 0; *index < s->n_targets; ++*index)
        if (!strcmp(s->targets[*index].name, name))
            return 0;
    return wrong(s, "no target", name);
}

static int find_work(struct scene *s, const char *name, const char *phase, size_t *workload,
                     enum phase *out) {
    for (*out = 0; *out < PHASES && strcmp(phases[*out].name, phase);)
        ++*out;
    if (*out == PHASES)
        return wrong(s, "no phase", phase);
    for (*workload = 0; *workload < s->profile.n_workloads; ++*workload)
        if (!strcmp(s->profile.workloads[*workload].name, name))
            return 0;
    return wrong(s, "no workload", name);
}

/* ---- what is set ------------------------------------------------------------------------------- */

static const char *bare(const char *word) {
    return strcmp(word, "-") ? word : "";
}

static void forget_fact(struct scene *s, char **w) {
    for (size_t i = 0; i < s->n_facts; i++) {
        struct known_fact *f = &s->facts[i];
        if (!strcmp(f->kind, w[1]) && !strcmp(f->subject, bare(w[2])) && !strcmp(f->target, w[3]) &&
            !strcmp(f->key, w[4])) {
            *f = s->facts[--s->n_facts];
            return;
        }
    }
}

static void set_fact(struct scene *s, char **w, size_t n) {
    struct buf value = {0};
    forget_fact(s, w);
    if (s->n_facts == FACTS) {
        fputs("scenes: too many facts\n", stderr);
        abort();
    }
    for (size_t i = 5; i < n; i++)
        buf_fmt(&value, "%s%s", i > 5 ? " " : "", w[i]);
    s->facts[s->n_facts++] = (struct known_fact){keep(s, w[1]), keep(s, bare(w[2])), keep(s, w[3]),
                                                 keep(s, w[4]), keep(s, value.data)};
    buf_release(&value);
}

static int set_cell(struct scene *s, char **w, size_t n) {
    struct known_cell c = {.target = MOST};
    if (find_work(s, w[1], w[2], &c.workload, &c.phase) ||
        (strcmp(w[3], "*") && find_target(s, w[3], &c.target)))
        return -1;
    c.class = keep(s, w[4]);
    c.direct = keep(s, w[5]);
    c.engine = keep(s, w[6]);
    c.bound = n > 7 && *bare(w[7]) ? keep(s, w[7]) : NULL;
    c.cached_pct = n > 8 ? strtod(w[8], NULL) : (double)NAN;
    for (size_t i = 0; i < s->n_cells; i++)
        if (s->cells[i].workload == c.workload && s->cells[i].phase == c.phase &&
            s->cells[i].target == c.target)
            s->cells[i] = s->cells[--s->n_cells];
    s->cells[s->n_cells++] = c;
    return 0;
}

static int read_profile(struct scene *s, int *line_number) {
    struct buf text = {0};
    char line[4096];
    while (fgets(line, sizeof line, stdin) && strcmp(line, "end\n")) {
        ++*line_number;
        buf_str(&text, line);
    }
    ++*line_number;
    const char *yaml = arena_str(&s->a, text.data);
    int status = profile_parse(&s->a, "scene", NULL, yaml, text.len, &s->profile, &s->e);
    buf_release(&text);
    return status;
}

/* ---- a run ------------------------------------------------------------------------------------- */

static void add_facts(struct scene *s) {
    struct arena *a = &s->a;
    s->sheet = (struct fact_sheet){0};
    for (size_t i = 0; i < s->n_facts; i++) {
        struct known_fact *f = &s->facts[i];
        int64_t target = UNKNOWN;
        size_t index;
        if (strcmp(f->target, "-")) {
            if (find_target(s, f->target, &index))
                continue; /* of a target that does not take part */
            target = (int64_t)index;
        }
        struct factset *set = NULL;
        for (size_t k = 0; k < s->sheet.n_sets; k++)
            if (!strcmp(s->sheet.sets[k].kind, f->kind) && s->sheet.sets[k].target == target &&
                !strcmp(s->sheet.sets[k].subject, f->subject))
                set = &s->sheet.sets[k];
        if (!set)
            set = factset_add(a, &s->sheet, f->kind, f->subject, target);
        fact_add(a, set, f->key, strcmp(f->value, "?") ? f->value : NULL, "scene");
    }
    for (size_t k = 0; k < s->sheet.n_sets; k++)
        factset_seal(&s->sheet.sets[k]);
}

static int begin(struct scene *s, char **w, size_t n) {
    char moment[64];
    const char *why;
    snprintf(moment, sizeof moment, "%s %s", w[1], n > 2 ? w[2] : "00:00");
    if ((why = unit_read_moment(moment, 0, &s->now)))
        return wrong(s, why, moment);
    memset(s->counts, 0, sizeof s->counts);
    s->level = 1;
    s->profile.run.interleaved = !s->sequential;
    add_facts(s);
    s->n_runs++;
    s->run = (struct stored_run){
        .uuid = arena_fmt(&s->a, "%08x-0000-4000-8000-%012x", 0x5ce00000U + (unsigned)s->n_runs,
                          (unsigned)s->n_runs),
        .machine_id = s->host, .host_name = s->host, .version = "0", .started_at = s->now,
        .process = "00000000-0000-4000-8000-000000000000 1 1", .seed = s->n_runs,
        .profile = &s->profile, .targets = s->targets, .n_targets = s->n_targets,
        .labels = s->labels, .n_labels = s->n_labels, .facts = &s->sheet};
    return store_run_begin(&s->a, s->db, &s->run, &s->e);
}

static struct stored_cell cell_of(const struct scene *s, size_t workload, enum phase phase,
                                  size_t target, double *cached_pct) {
    bool writes = phases[phase].writes;
    struct stored_cell cell = {.target = target, .workload = workload, .phase = phase,
                               .class = writes ? "n/a" : "cold", .direct_effect = "no",
                               .engine_effect = "psync", .stop_rule = "fixed",
                               .size = s->profile.workloads[workload].size.bytes};
    *cached_pct = (double)NAN;
    for (size_t i = 0; i < s->n_cells; i++) {
        const struct known_cell *k = &s->cells[i];
        if (k->workload != workload || k->phase != phase ||
            (k->target != MOST && k->target != target))
            continue;
        cell.class = k->class;
        cell.direct_effect = k->direct;
        cell.engine_effect = k->engine;
        cell.bound_by = k->bound;
        *cached_pct = k->cached_pct;
    }
    return cell;
}

static int put(struct scene *s, size_t workload, enum phase phase, size_t target, char mark,
               double value) {
    const struct workload *w = &s->profile.workloads[workload];
    int64_t ordinal = ++s->counts[workload][phase][target];
    bool random = phase == PHASE_RANDREAD || phase == PHASE_MIXED, writes = phases[phase].writes;
    double rate = random ? value * (double)w->block : value;
    double seconds = rate > 0 ? (double)w->size.bytes / rate : 1;
    struct iteration it = {.target = target, .workload = workload, .phase = phase,
                           .ordinal = ordinal, .block = ordinal, .warmup = mark == 'w',
                           .started_at = s->now, .duration = (int64_t)(seconds * 1e9),
                           .flush = writes ? 1000000 : UNKNOWN, .bytes = w->size.bytes,
                           .ops = w->size.bytes / w->block,
                           .status = mark == 'f'   ? ITERATION_FAILED
                                     : mark == 'i' ? ITERATION_INTERRUPTED
                                                   : ITERATION_OK,
                           .errnum = mark == 'f' ? 5 : 0};
    struct sample samples[] = {
        {METRIC_DURATION, seconds}, {METRIC_THROUGHPUT, rate},
        {random ? METRIC_OPS_PER_SECOND : METRIC_THROUGHPUT_DURABLE, value},
        {METRIC_CACHED_PCT, 0},
    };
    size_t n = it.status != ITERATION_OK ? 0 : random || writes ? 3 : 2;
    double cached_pct;
    struct stored_cell cell = cell_of(s, workload, phase, target, &cached_pct);
    if (n && isfinite(cached_pct))
        samples[n++] = (struct sample){METRIC_CACHED_PCT, cached_pct};
    while (strcmp(cache_class_names[it.cache], cell.class))
        it.cache++;
    s->now += it.duration;
    return store_iteration(s->db, &s->run, &it, &cell, samples, n, &s->e);
}

static int put_values(struct scene *s, char **w, size_t n) {
    size_t workload, target;
    enum phase phase;
    if (find_work(s, w[1], w[2], &workload, &phase) || find_target(s, w[3], &target))
        return -1;
    for (size_t i = 4; i < n; i++) {
        char mark = strchr("wfi", w[i][0]) ? w[i][0] : ' ', *end;
        const char *number = w[i] + (mark != ' ');
        double value = strtod(number, &end);
        if (*end || end == number)
            return wrong(s, "not a number", w[i]);
        if (put(s, workload, phase, target, mark, value))
            return -1;
    }
    return 0;
}

static int put_noise(struct scene *s, char **w) {
    size_t workload, target;
    enum phase phase;
    double mean = strtod(w[4], NULL), cv = strtod(w[5], NULL), n = strtod(w[6], NULL);
    if (find_work(s, w[1], w[2], &workload, &phase) || find_target(s, w[3], &target))
        return -1;
    for (int i = 0; i < (int)n; i++)
        if (put(s, workload, phase, target, ' ', mean * s->level * exp(cv * normal(s))))
            return -1;
    return 0;
}

static int put_finding(struct scene *s, char **w, size_t n) {
    struct finding_list list = {0};
    struct buf text = {0};
    size_t target = 0, workload = 0;
    enum phase phase;
    int severity = 0;
    char *slash = strchr(w[4], '/');
    if (slash)
        *slash = '\0';
    if ((*bare(w[3]) && find_target(s, w[3], &target)) ||
        (*bare(w[4]) && find_work(s, w[4], slash ? slash + 1 : "write", &workload, &phase)))
        return -1;
    while (severity < SEVERITIES && strcmp(severity_names[severity], w[2]))
        severity++;
    if (severity == SEVERITIES)
        return wrong(s, "no severity", w[2]);
    for (size_t i = 5; i < n; i++)
        buf_fmt(&text, "%s%s", i > 5 ? " " : "", w[i]);
    *array_add(&s->a, list.items, list.n, list.cap) = (struct finding){
        .code = keep(s, w[1]), .severity = (enum severity)severity, .text = keep(s, text.data),
        .target = *bare(w[3]) ? (int64_t)target : UNKNOWN,
        .workload = *bare(w[4]) ? (int64_t)workload : UNKNOWN,
        .phase = slash ? phases[phase].name : NULL};
    buf_release(&text);
    return store_findings(s->db, &s->run, &list, &s->e);
}

static int line_done(struct scene *s, char **w, size_t n, int *line_number) {
    static const struct {
        const char *word;
        size_t least; /* words, with the first */
    } rows[] = {{"profile", 1}, {"host", 2},  {"order", 2}, {"targets", 2}, {"fact", 6},
                {"nofact", 5},  {"cell", 7},  {"label", 3}, {"run", 2},     {"it", 5},
                {"level", 2},   {"noise", 7}, {"finding", 6}, {"end", 1},   {"crash", 1}};
    size_t which = 0;
    while (which < LENGTH(rows) && strcmp(rows[which].word, w[0]))
        which++;
    if (which == LENGTH(rows) || n < rows[which].least)
        return wrong(s, "unknown or too short", w[0]);
    switch (which) {
    case 0:
        return read_profile(s, line_number);
    case 1:
        s->host = keep(s, w[1]);
        return 0;
    case 2:
        s->sequential = !strcmp(w[1], "sequential");
        return 0;
    case 3:
        s->n_targets = 0;
        for (size_t i = 1; i < n; i++)
            s->targets[s->n_targets++] = (struct stored_target){
                .name = keep(s, w[i]), .path = arena_fmt(&s->a, "/scene/%s", w[i]),
                .fstype = "scene-fs"};
        return 0;
    case 4:
        set_fact(s, w, n);
        return 0;
    case 5:
        forget_fact(s, w);
        return 0;
    case 6:
        return set_cell(s, w, n);
    case 7:
        s->labels[s->n_labels++] = (struct setting){keep(s, w[1]), keep(s, w[2])};
        return 0;
    case 8:
        return begin(s, w, n);
    case 9:
        return put_values(s, w, n);
    case 10:
        s->level = exp(strtod(w[1], NULL) * normal(s));
        return 0;
    case 11:
        return put_noise(s, w);
    case 12:
        return put_finding(s, w, n);
    case 13:
        s->n_labels = 0;
        return store_run_end(s->db, &s->run, NULL, 0, NULL, n > 1 ? w[1] : "done", s->now, &s->e);
    default:
        s->n_labels = 0;
        return 0;
    }
}

/* Splits at blanks; "\_" in a word is a blank, "\n" a new line, "\e" an escape, "\xHH" a byte. */
static size_t split(char *line, char **w) {
    size_t n = 0;
    while (n < WORDS && *(line += strspn(line, " \n"))) {
        char *word = line, *to = word;
        line += strcspn(line, " \n");
        if (*line)
            *line++ = '\0';
        w[n++] = word;
        for (const char *c = word; *c; c++) {
            unsigned byte = 0;
            if (*c != '\\' || !c[1]) {
                *to++ = *c;
                continue;
            }
            c++;
            if (*c == 'x' && sscanf(c + 1, "%2x", &byte) == 1)
                c += 2;
            *to++ = *c == '_' ? ' ' : *c == 'n' ? '\n' : *c == 'e' ? 27 : byte ? (char)byte : *c;
        }
        *to = '\0';
    }
    return n;
}

int main(int argc, char **argv) {
    static struct scene s = {.host = "nas", .level = 1, .seed = 1};
    static char line[65536];
    char *w[WORDS];
    int number = 0;
    int64_t seed = 1;
    if (argc < 2 || (argc > 2 && unit_read_count(argv[2], &seed))) {
        fputs("usage: scenes FILE [SEED] < SCRIPT\n", stderr);
        return 2;
    }
    s.seed = (uint64_t)seed;
    int status = profile_parse(&s.a, "scene", NULL, usual_profile, sizeof usual_profile - 1,
                               &s.profile, &s.e);
    if (!status)
        status = db_open(argv[1], DB_CREATE, &s.db, &s.e);
    if (!status)
        status = db_begin(s.db, &s.e);
    while (!status && fgets(line, sizeof line, stdin)) {
        number++;
        size_t n = line[0] == '#' ? 0 : split(line, w);
        if (n)
            status = line_done(&s, w, n, &number);
    }
    if (!status)
        status = db_commit(s.db, &s.e);
    db_close(s.db);
    arena_release(&s.a);
    if (status)
        fprintf(stderr, "scenes: line %d: %s\n", number, s.e.text);
    return status ? 1 : 0;
}
