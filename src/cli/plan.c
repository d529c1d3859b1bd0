/*
 * plan.c: the profile, as the command line changes it, on this machine: workloads chosen, targets
 * opened, sizes resolved and checked. Creates nothing.
 */
#include <errno.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan.h"
#include "zhist/embed.h"
#include "zhist/profile.h"
#include "zhist/unit.h"
#include "zhist/work.h"

enum { PROFILE_MAX = 1 << 20 };

/* ---- the profile ------------------------------------------------------------------------------- */

static int no_such_profile(struct arena *a, const char *word, struct err *e) {
    const char **names = arena_new(a, const char *, n_embedded_files + 1);
    size_t n = 0;
    for (size_t i = 0; i < n_embedded_files; i++)
        if (!strncmp(embedded_files[i].path, "profiles/", 9))
            names[n++] = arena_copy(a, embedded_files[i].path + 9, embedded_files[i].len ?
                                    strcspn(embedded_files[i].path + 9, ".") : 0);
    const char *near = word_nearest(word, names, n);
    if (near)
        return err_set(e, ERR_USAGE, "there is no profile \"%s\"; did you mean \"%s\"?", word, near);
    return err_set(e, ERR_USAGE,
                   "there is no profile \"%s\": no such file, and no built-in one of that name; "
                   "zhist show profiles lists them",
                   word);
}

int profile_load(struct arena *a, const char *word, struct profile *profile, struct err *e) {
    struct stat st;
    if (stat(word, &st)) {
        int why = errno;
        const struct embedded *built_in = embedded_find("profiles", word, ".yaml");
        if (built_in)
            return profile_parse(a, word, NULL, built_in->text, built_in->len, profile, e);
        if (why == ENOENT)
            return no_such_profile(a, word, e);
        err_sys(e, why, "cannot open profile \"%s\"", word);
        e->kind = ERR_USAGE;
        return -1;
    }
    if (S_ISDIR(st.st_mode))
        return err_set(e, ERR_USAGE, "profile \"%s\" is a directory; name a YAML file in it", word);
    char *text;
    size_t len;
    if (file_read(a, word, PROFILE_MAX, &text, &len, e)) {
        e->kind = ERR_USAGE;
        return -1;
    }
    return profile_parse(a, word, dirname(arena_str(a, word)), text, len, profile, e);
}

static int keep_only(struct arena *a, struct profile *p, const char *only, struct err *e) {
    struct workload *kept = arena_new(a, struct workload, p->n_workloads);
    const char **names = arena_new(a, const char *, p->n_workloads);
    bool *wanted = arena_new(a, bool, p->n_workloads);
    size_t n = 0;
    for (size_t i = 0; i < p->n_workloads; i++)
        names[i] = p->workloads[i].name;
    for (const char *at = only; *at;) {
        char *name = arena_copy(a, at, strcspn(at, ","));
        size_t i = 0;
        while (i < p->n_workloads && strcmp(names[i], name))
            i++;
        if (i == p->n_workloads) {
            const char *near = word_nearest(name, names, p->n_workloads);
            return err_set(e, ERR_USAGE,
                           near ? "--only: the profile has no workload \"%s\"; did you mean \"%s\"?"
                                : "--only: the profile has no workload \"%s\"",
                           name, near);
        }
        wanted[i] = true;
        at += strcspn(at, ",");
        at += *at == ',';
    }
    for (size_t i = 0; i < p->n_workloads; i++)
        if (wanted[i])
            kept[n++] = p->workloads[i];
    if (!n)
        return err_set(e, ERR_USAGE, "--only names no workload");
    p->workloads = kept;
    p->n_workloads = n;
    return 0;
}

/* Sizes that --quick caps alike make workloads one: the first of them is measured. */
static void drop_alike(struct profile *p) {
    enum phase phase;
    size_t n = 0;
    for (size_t i = 0; i < p->n_workloads; i++) {
        const struct workload *w = &p->workloads[i], *same = NULL;
        for (size_t k = 0; k < n && !same; k++)
            same = workload_alike(&p->workloads[k], w, &phase) ? &p->workloads[k] : NULL;
        if (same)
            print_note("--quick makes \"%s\" the same as \"%s\": it is left out", w->name, same->name);
        else
            p->workloads[n++] = *w;
    }
    p->n_workloads = n;
}

static int apply_options(const struct command_call *call, struct plan *plan, struct err *e) {
    struct profile *p = &plan->profile;
    const char *only = option_value(&call->options, "only");
    const char *iterations = option_value(&call->options, "iterations");
    int64_t n = 0;
    if (only && keep_only(call->arena, p, only, e))
        return -1;
    if (iterations) {
        const char *why = unit_read_count(iterations, &n);
        if (why || n < 1)
            return err_set(e, ERR_USAGE, "--iterations \"%s\": %s", iterations,
                           why ? why : "needs at least 1");
        p->run.iterations_min = p->run.iterations_max = n;
    }
    plan->quick = option_flag(&call->options, "quick");
    if (plan->quick) {
        profile_make_quick(call->arena, p, iterations != NULL);
        drop_alike(p);
    }
    for (size_t i = 0; i < p->n_workloads; i++)
        if (profile_refuse_unbuilt(plan->profile_name, &p->workloads[i], e))
            return -1;
    return 0;
}

/* ---- targets ----------------------------------------------------------------------------------- */

/* --target [NAME=]PATH: a name has no slash, so that /a=b is a path. */
static void split_target(struct arena *a, const char *text, const char **name, const char **path) {
    const char *equals = strchr(text, '='), *slash = strchr(text, '/');
    bool named = equals && equals > text && (!slash || slash > equals);
    *name = named ? arena_copy(a, text, (size_t)(equals - text)) : NULL;
    *path = named ? equals + 1 : text;
}

/* As in a profile. */
static bool is_target_name(const char *name) {
    for (const char *c = name; *c;) {
        int len = utf8_length((const unsigned char *)c, strlen(c));
        if (!len || (unsigned char)*c < ' ' || *c == 0x7f)
            return false;
        c += len;
    }
    return text_width(name) <= 64;
}

static struct target_spec *spec_named(struct profile *p, const char *name) {
    for (size_t i = 0; i < p->n_targets; i++)
        if (p->targets[i].name && !strcmp(p->targets[i].name, name))
            return &p->targets[i];
    return NULL;
}

static int choose_targets(const struct command_call *call, struct profile *p, struct err *e) {
    struct arena *a = call->arena;
    struct target_spec *fresh = NULL;
    size_t n = 0, cap = 0, moved = 0;
    const char *text, *name, *path;
    for (size_t i = 0; (text = option_nth(&call->options, "target", i)); i++) {
        split_target(a, text, &name, &path);
        struct target_spec *known = name ? spec_named(p, name) : NULL;
        if (!*path)
            return err_set(e, ERR_USAGE, "--target \"%s\": the path is missing", text);
        if (name && !is_target_name(name))
            return err_set(e, ERR_USAGE, "--target \"%s\": a name has at most 64 columns of UTF-8 "
                                         "and no control characters", text);
        if (known) {
            known->path = path;
            moved++;
            continue;
        }
        if (name && p->n_targets) {
            const char **names = arena_new(a, const char *, p->n_targets);
            for (size_t k = 0; k < p->n_targets; k++)
                names[k] = p->targets[k].name;
            const char *near = word_nearest(name, names, p->n_targets);
            return err_set(e, ERR_USAGE,
                           "--target \"%s\": the profile has no target of that name; it has "
                           "\"%s\"%s",
                           name, near ? near : names[0], p->n_targets > 1 && !near ? ", ..." : "");
        }
        *array_add(a, fresh, n, cap) = (struct target_spec){.name = name, .path = path};
    }
    if (n && moved)
        return err_set(e, ERR_USAGE, "--target: either move the profile's targets by NAME=PATH, or "
                                     "replace them all by PATH, not both");
    if (n) {
        p->targets = fresh;
        p->n_targets = n;
    } else if (!p->n_targets) {
        p->targets = arena_new(a, struct target_spec, 1);
        p->targets[0].path = ".";
        p->n_targets = 1;
        if (!option_flag(&call->options, "quiet"))
            print_note("no target given: measuring the current directory");
    }
    return 0;
}

static int open_targets(struct arena *a, struct plan *plan, struct err *e) {
    const struct profile *p = &plan->profile;
    plan->targets = arena_new(a, struct target, p->n_targets);
    plan->names = arena_new(a, const char *, p->n_targets);
    plan->paths = arena_new(a, const char *, p->n_targets);
    for (size_t i = 0; i < p->n_targets; i++) {
        const struct target_spec *spec = &p->targets[i];
        struct target *t = &plan->targets[i];
        if (target_open(a, spec->name, spec->path, t, e)) {
            if (spec->line) {
                size_t len = strlen(e->text);
                snprintf(e->text + len, sizeof e->text - len,
                         "; measure elsewhere with --target %s=PATH", spec->name);
            }
            return -1;
        }
        plan->n_targets++;
        plan->names[i] = t->name;
        plan->paths[i] = t->path;
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(plan->paths[k], t->path))
                return err_set(e, ERR_USAGE,
                               "targets \"%s\" and \"%s\" are the same directory \"%s\"",
                               plan->names[k], t->name, t->path);
            if (!strcmp(plan->names[k], t->name))
                return err_set(e, ERR_USAGE, "two targets are named \"%s\"", t->name);
        }
    }
    return 0;
}

/* ---- sizes ------------------------------------------------------------------------------------- */

static int resolve_size(const struct workload *w, int64_t *size, struct err *e) {
    bool arc = w->size.of == SIZE_ARC;
    *size = w->kind == KIND_FILESET ? w->total : w->size.bytes;
    if (w->size.of == SIZE_BYTES)
        return 0;
    int64_t whole = arc ? facts_arc() : facts_memory();
    if (whole == UNKNOWN)
        return err_set(e, ERR_FAILED, "workload \"%s\": size %s cannot be resolved: %s; write it in "
                       "GiB%s",
                       w->name, w->size.text,
                       arc ? "no ARC can be seen, because ZFS is not loaded here or its statistics "
                             "cannot be read"
                           : "the memory of this machine is unknown",
                       arc ? ", or as a multiple of RAM" : "");
    double bytes = w->size.times * (double)whole;
    if (!(bytes >= (double)w->block && bytes < 9e18))
        return err_set(e, ERR_USAGE, "workload \"%s\": size %s of %lld bytes %s is no size", w->name,
                       w->size.text, (long long)whole, arc ? "ARC" : "memory");
    *size = (int64_t)(bytes / (double)w->block) * w->block;
    return 0;
}

static int64_t add_capped(int64_t x, int64_t y) {
    int64_t sum;
    return __builtin_add_overflow(x, y, &sum) ? INT64_MAX : sum;
}

int64_t plan_round_written(const struct plan *plan, size_t workload) {
    const struct workload *w = &plan->profile.workloads[workload];
    int64_t size = plan->sizes[workload], bytes = 0;
    bool there = false; /* whole files, as a phase needs them */
    for (size_t k = 0; k < w->n_phases; k++) {
        enum phase phase = w->phase[k];
        int64_t more = work_written(w, size, phase);
        if (!there)
            bytes = add_capped(bytes, work_layout_written(w, size, phase));
        if (more != UNKNOWN) /* by time: whatever the storage takes */
            bytes = add_capped(bytes, more);
        /* A write that runs by time may leave too little for the phases after it. */
        there = phase != PHASE_DELETE && !(phase == PHASE_WRITE && w->time);
    }
    return bytes;
}

/* Data pools of all workloads stay in memory for the whole run; more than a quarter of it would
 * squeeze the caches that are measured. */
static int check_memory(const struct plan *plan, struct err *e) {
    int64_t need = 0, memory = facts_memory();
    for (size_t i = 0; i < plan->profile.n_workloads; i++)
        need = add_capped(need, work_memory(&plan->profile.workloads[i], plan->sizes[i]));
    if (memory == UNKNOWN || need <= memory / 4)
        return 0;
    struct buf b = {0};
    unit_put(&b, (double)need, "B", UNITS_IEC);
    buf_str(&b, " of the ");
    unit_put(&b, (double)memory, "B", UNITS_IEC);
    err_set(e, ERR_USAGE,
            "%s: the data of all jobs would take %s of this machine's memory, a quarter at most is "
            "allowed; use fewer jobs, smaller blocks, or --only",
            plan->profile_name, b.data);
    buf_release(&b);
    return -1;
}

static int resolve_sizes(struct arena *a, struct plan *plan, struct err *e) {
    struct profile *p = &plan->profile;
    int64_t kept = 0, kept_files = 0; /* by keep: true, of all workloads together */
    plan->sizes = arena_new(a, int64_t, p->n_workloads);
    for (size_t i = 0; i < p->n_workloads; i++) {
        struct workload *w = &p->workloads[i];
        int64_t files;
        if (work_resolve(a, w, e) || resolve_size(w, &plan->sizes[i], e))
            return -1;
        if (w->from)
            workload_identify(a, w); /* other files in that directory are another workload */
        plan->round_written = add_capped(plan->round_written, plan_round_written(plan, i));
        int64_t space = work_space(w, plan->sizes[i], &files);
        if (w->keep && w->kind == KIND_FILE) { /* half of it is the kept one */
            kept = add_capped(kept, space / 2);
            kept_files += files / 2;
            space -= space / 2;
            files -= files / 2;
        }
        plan->space = space > plan->space ? space : plan->space;
        plan->files = files > plan->files ? files : plan->files;
    }
    plan->space = add_capped(plan->space, kept);
    plan->files += kept_files;
    int64_t all;
    if (__builtin_mul_overflow(plan->round_written, (int64_t)plan->n_targets, &all))
        all = INT64_MAX;
    plan->round_written = all;
    if (p->run.max_written != UNKNOWN && all > p->run.max_written) {
        struct buf b = {0};
        buf_str(&b, "max_written of ");
        unit_put(&b, (double)p->run.max_written, "B", UNITS_SI);
        buf_str(&b, " is less than one iteration of everything writes, ");
        unit_put(&b, (double)all, "B", UNITS_SI);
        err_set(e, ERR_USAGE, "%s: %s; raise it, or choose workloads with --only",
                plan->profile_name, b.data);
        buf_release(&b);
        return -1;
    }
    return 0;
}

/* What cannot fit at all; what fits but leaves too little free is for preflight and --force. */
static int check_room(struct arena *a, const struct plan *plan, size_t target, struct err *e) {
    const struct target *t = &plan->targets[target];
    struct buf b = {0};
    const char *why = target_room(a, t, 0, plan->files);
    if (why) {
        buf_str(&b, why);
    } else if (plan->space > t->free_bytes) {
        buf_fmt(&b, "target \"%s\" has ", t->path);
        unit_put(&b, (double)t->free_bytes, "B", UNITS_IEC);
        buf_str(&b, " free: too little for the ");
        unit_put(&b, (double)plan->space, "B", UNITS_IEC);
        buf_str(&b, " that will lie there");
    } else {
        return 0;
    }
    err_set(e, ERR_FAILED, "%s; make room, choose workloads with --only, or measure elsewhere with "
                           "--target", b.data);
    buf_release(&b);
    return -1;
}

/* ---- the plan ---------------------------------------------------------------------------------- */

int plan_make(const struct command_call *call, const char *word, struct plan *plan, struct err *e) {
    plan->profile_name = word;
    if (profile_load(call->arena, word, &plan->profile, e) || apply_options(call, plan, e) ||
        choose_targets(call, &plan->profile, e) || open_targets(call->arena, plan, e) ||
        resolve_sizes(call->arena, plan, e) || check_memory(plan, e))
        return -1;
    for (size_t i = 0; i < plan->n_targets; i++)
        if (check_room(call->arena, plan, i, e))
            return -1;
    return 0;
}

void plan_close(struct plan *plan) {
    for (size_t i = 0; i < plan->n_targets; i++)
        target_close(&plan->targets[i]);
    plan->n_targets = 0;
}

void plan_preflight(struct arena *a, const struct plan *plan, uint64_t db_device,
                    const struct fact_sheet *sheet, const struct disk_use *use,
                    const struct earlier *earlier, struct finding_list *findings) {
    int64_t *free_bytes = arena_new(a, int64_t, plan->n_targets);
    int64_t *needed = arena_new(a, int64_t, plan->n_targets);
    bool *shared = arena_new(a, bool, plan->n_targets);
    for (size_t i = 0; i < plan->n_targets; i++) {
        free_bytes[i] = plan->targets[i].free_bytes;
        needed[i] = plan->space;
        shared[i] = db_device && plan->targets[i].device == db_device;
    }
    preflight(a,
              &(struct preflight_ask){.profile = &plan->profile,
                                      .sheet = sheet,
                                      .target_names = plan->names,
                                      .n_targets = plan->n_targets,
                                      .free_bytes = free_bytes,
                                      .needed_bytes = needed,
                                      .db_on_target = shared,
                                      .sizes = plan->sizes,
                                      .use = use,
                                      .earlier = earlier,
                                      .quick = plan->quick,
                                      .waits = plan->waits},
              findings);
}
