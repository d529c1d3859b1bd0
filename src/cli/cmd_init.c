/*
 * cmd_init.c: `init PATH`: a first profile for what lies under a path, on stdout. Datasets beside
 * it, or below it, whose settings differ become targets to compare. It writes nothing.
 */
#include <unistd.h>

#include "init_profile.h"
#include "plan.h"
#include "zhist/command.h"
#include "zhist/report.h"
#include "zhist/target.h"
#include "zhist/unit.h"

static const struct option_row rows[] = {
    {"from", "NAME", "with the workloads of this profile (zhist show profiles, or a file)"},
};

enum { LOOKED_AT = 24, COMPARED = 6, NAME_WIDTH = 64 }; /* more datasets nobody compares at once */

/* What keeps `record` from measuring there, without its option --target in the advice. */
static int check_path(struct arena *a, const char *path, const char **resolved, struct err *e) {
    struct target t;
    if (target_open(a, NULL, path, &t, e)) {
        static const char option[] = " with --target";
        char *at = strstr(e->text, option);
        if (at && at[strlen(option)] == '\0')
            *at = '\0';
        return -1;
    }
    *resolved = t.path;
    target_close(&t);
    const char *shown = report_clean(a, t.path), *c = t.path;
    for (int len; *c; c += len)
        if (!(len = utf8_length((const unsigned char *)c, strlen(c))))
            return err_set(
                e, ERR_FAILED,
                "the name of \"%s\" is no UTF-8: a profile cannot hold it; rename it, or "
                "name another directory",
                shown);
    if (strcmp(shown, t.path))
        return err_set(
            e, ERR_FAILED,
            "the name of \"%s\" has a control character, written here with \\: a profile "
            "cannot hold it; rename it, or name another directory",
            shown);
    return 0;
}

/* The last part of the dataset's name or of the path, as a profile takes it. */
static const char *target_name(struct arena *a, const char *of) {
    const char *slash = strrchr(of, '/');
    char *name = arena_str(a, slash && slash[1] ? slash + 1 : slash ? "root" : of);
    for (char *c = name; *c; c++)
        if (*c == '=')
            *c = '-';
    return arena_copy(a, name, text_fit(name, NAME_WIDTH));
}

/* Measured by people: no system datasets, nothing that cannot be written, no name that a profile
 * cannot hold. */
static bool is_candidate(struct arena *a, const char *path) {
    const char *last = strrchr(path, '/');
    return last && last[1] && last[1] != '.' && strncmp(last + 1, "ix-", 3) &&
           !strcmp(report_clean(a, path), path) && !access(path, R_OK | W_OK | X_OK);
}

static size_t candidates(struct arena *a, const char *path, bool below, const char **paths) {
    const char **found;
    size_t n = facts_siblings(a, path, below, &found), kept = 0;
    for (size_t i = 0; i < n && kept < LOOKED_AT; i++)
        if (strcmp(found[i], path) && is_candidate(a, found[i]))
            paths[kept++] = found[i];
    return kept;
}

static void add_target(struct arena *a, struct init_ask *ask, const char *path, int64_t at) {
    const char *dataset = fact_value(facts_dataset(ask->sheet, at), "name");
    ask->targets[ask->n_targets++] = (struct init_target){
        .name = target_name(a, dataset ? dataset : path), .path = path, .at = at};
}

static void list(struct arena *a, const char **names, const char *name) {
    *names = *names ? arena_fmt(a, "%s, %s", *names, name) : name;
}

/* Of paths from the second on: those whose settings no target has yet. */
static void choose(struct arena *a, struct init_ask *ask, const char *const *paths, size_t n) {
    for (size_t i = 1; i < n; i++) {
        bool known = fact_value(facts_dataset(ask->sheet, (int64_t)i), "compression") != NULL;
        bool alike = false;
        for (size_t k = 0; k < ask->n_targets && !alike; k++)
            alike = !init_differ(ask->sheet, ask->targets[k].at, (int64_t)i);
        if (known && alike)
            list(a, &ask->alike, paths[i]);
        else if (known && ask->n_targets == COMPARED)
            list(a, &ask->more, paths[i]);
        else if (known)
            add_target(a, ask, paths[i], (int64_t)i);
    }
}

/* The datasets below the path, if they differ; else those beside it; else the path alone. */
static void find_targets(struct arena *a, struct init_ask *ask, const char *path,
                         struct fact_sheet *sheet) {
    const char **paths = arena_new(a, const char *, LOOKED_AT + 1);
    for (int below = 1; below >= 0; below--) {
        paths[0] = path;
        size_t n = 1 + candidates(a, path, below, paths + 1);
        if (below && n < 3) /* no two to compare */
            continue;
        *sheet = (struct fact_sheet){0};
        facts_probe(a, &(struct facts_ask){.paths = paths, .n_paths = n, .version = ZHIST_VERSION},
                    sheet);
        ask->sheet = sheet;
        ask->n_targets = 0;
        ask->alike = ask->more = NULL;
        if (!below)
            add_target(a, ask, path, 0);
        choose(a, ask, paths, n);
        if (below) /* nobody named one of them to compare with */
            init_base_first(ask);
        if (ask->n_targets > 1)
            return;
    }
    ask->alike = NULL; /* a single target has no company to be told of */
}

static int init(const struct command_call *call, struct err *e) {
    struct arena *a = call->arena;
    struct init_ask ask = {.from_name = option_value(&call->options, "from")};
    struct fact_sheet sheet;
    struct profile from;
    const char *machine_id, *path;
    struct buf out = {0};
    if (ask.from_name && profile_load(a, ask.from_name, &from, e))
        return -1;
    if (check_path(a, call->options.words[0], &path, e))
        return -1;
    ask.from = ask.from_name ? &from : NULL;
    ask.path = path;
    ask.memory = facts_memory();
    ask.targets = arena_new(a, struct init_target, COMPARED + 1);
    facts_host(a, &machine_id, &ask.host);
    find_targets(a, &ask, path, &sheet);
    int status = init_profile(a, &ask, &out, e);
    if (!status)
        status = print_out(&out, e);
    buf_release(&out);
    return status;
}

const struct command command_init = {
    .name = "init",
    .args = "PATH",
    .about = "prints a first profile for what lies under PATH",
    .more =
        "It says what was found (disks, layout, properties), with sizes that fit the caches and "
        "the\n"
        "free space. Datasets below PATH, or beside it, whose properties differ become targets to\n"
        "compare. Nothing is written:\n"
        "  zhist init /mnt/tank/bench >bench.yaml && zhist record bench.yaml --dry-run\n",
    .rows = rows,
    .n_rows = LENGTH(rows),
    .min_words = 1,
    .max_words = 1,
    .run = init,
};
