/*
 * cmd_probe.c: `probe [PATH]`: what zhist sees of this machine and of what lies under the path.
 * It writes nothing and needs no history.
 */
#include <errno.h>

#include "probe_view.h"
#include "zhist/command.h"
#include "zhist/unit.h"

static const struct option_row rows[] = {
    {"json", NULL, "every fact and finding as one JSON object"},
    {"v", NULL, "behind the page every fact, with the reason where it is unknown"},
    {"mask", NULL, "host-1, pool-1/dataset-1, disk-1 instead of names; no ids, servers and paths"},
};

/* Findings of the facts alone: no workload, nothing that will be written, no earlier run. */
static void judge(struct arena *a, struct probe_view *v) {
    const struct profile none = {.hardware = {.disks = UNKNOWN}};
    const char *text = fact_value(facts_find(&v->sheet, "mount", 0), "available");
    int64_t available, nothing = 0;
    bool elsewhere = false;
    if (!text || unit_read_count(text, &available))
        available = UNKNOWN;
    preflight(a,
              &(struct preflight_ask){.profile = &none,
                                      .sheet = &v->sheet,
                                      .target_names = &v->path,
                                      .n_targets = 1,
                                      .free_bytes = &available,
                                      .needed_bytes = &nothing,
                                      .db_on_target = &elsewhere},
              &v->findings);
}

static int refuse(const char *path, int errnum, struct err *e) {
    if (errnum == EACCES)
        err_set(e, ERR_FAILED,
                "cannot probe \"%s\": permission denied to a directory above it; run "
                "as a user who may enter it",
                path);
    else if (errnum == ENOTDIR)
        err_set(e, ERR_FAILED,
                "cannot probe \"%s\": a part of it is a file, not a directory; look "
                "at it with ls",
                path);
    else if (errnum == ENOENT)
        err_set(e, ERR_FAILED,
                "cannot probe \"%s\": it does not exist; name a directory or file "
                "that does",
                path);
    else
        err_sys(e, errnum, "cannot probe \"%s\"", path);
    return -1;
}

static int probe(const struct command_call *call, struct err *e) {
    struct arena *a = call->arena;
    const char *path = call->options.n_words ? call->options.words[0] : ".";
    struct probe_view v = {.version = ZHIST_VERSION};
    struct buf out = {0};
    static const char *const apart[][2] = {{"json", "v"}}; /* it has every fact anyhow */
    if (options_apart(&call->options, apart, LENGTH(apart), e))
        return -1;
    char *resolved = realpath(path, NULL);
    if (!resolved)
        return refuse(path, errno, e);
    v.all = option_flag(&call->options, "v");
    v.path = arena_str(a, resolved);
    free(resolved);
    facts_host(a, &v.machine_id, &v.host);
    facts_probe(a, &(struct facts_ask){.paths = &v.path, .n_paths = 1, .version = ZHIST_VERSION},
                &v.sheet);
    judge(a, &v);
    if (option_flag(&call->options, "mask"))
        probe_mask(a, &v);
    if (option_flag(&call->options, "json"))
        probe_json(&v, &out);
    else
        probe_print(a, &v, report_width(), &out);
    int status = print_out(&out, e);
    buf_release(&out);
    return status;
}

const struct command command_probe = {
    .name = "probe",
    .args = "[PATH]",
    .about = "what zhist sees: machine, file system, pool, disks, conditions",
    /* clang-format off */
    .more = "PATH is a directory or file, else the current directory. --json prints one object:\n"
            "  {\"zhist\":1,\"probe\":{\"version\",\"path\",\"host\",\"machine_id\",\"masked\",\n"
            "   \"sets\":[{\"kind\",\"subject\",\"target\",\n"
            "            \"facts\":[{\"key\",\"value\",\"class\",\"source\"}]}],\n"
            "   \"findings\":[{\"code\",\"severity\",\"text\"}]}}\n"
            "A target of null is the host, 0 is PATH. A value of null is unknown, and source says why.\n"
            "For a bug report: zhist probe --mask\n",
    /* clang-format on */
    .rows = rows,
    .n_rows = LENGTH(rows),
    .min_words = 0,
    .max_words = 1,
    .run = probe,
};
