/*
 * init_profile.c: puts a first profile together: head with what a run costs, what was found, the
 * run, the workloads (own ones, or those of another profile). The text is parsed as any profile's
 * before it leaves: what is printed is valid.
 */
#include <math.h>

#include "init_profile.h"
#include "plan.h"
#include "zhist/profile.h"
#include "zhist/report.h"
#include "zhist/unit.h"

enum { NAME_MOST = 64, ABOUT_MOST = 200 };

/* ---- another profile's workloads ---------------------------------------------------------------
 */

/* What is this machine's own, or said anew. */
static bool is_replaced(const struct profile *from, const char *key, size_t len) {
    static const char *const words[] = {"zhist", "name", "about", "hardware", "targets", "require"};
    bool names_targets = false;
    for (size_t i = 0; i < from->n_requires; i++)
    names_targets |= from->requires[i].target != NULL;
    size_t n = LENGTH(words) - !names_targets; /* `require` goes only where it names targets */
    for (size_t i = 0; i < n; i++)
        if (strlen(words[i]) == len && !strncmp(words[i], key, len))
            return true;
    return false;
}

/* Sections as they are written, with the comments that stand over them. */
static void put_sections(const struct init_ask *ask, struct buf *out) {
    const char *text = ask->from->text;
    struct buf over = {0}; /* comments and blank lines: of the next key, if one follows */
    bool keep = false, fresh = true;
    if (!strncmp(text, "\xef\xbb\xbf", 3))
        text += 3;
    for (size_t len; *text; text += len) {
        len = strcspn(text, "\n");
        len += text[len] == '\n';
        size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
        bool top = word && text[word] == ':',
             aside = *text == '#' || *text == '\n' || *text == '\r';
        if (aside) {
            buf_put(&over, text, len);
            continue;
        }
        if (top)
            keep = !is_replaced(ask->from, text, word);
        if (keep) {
            const char *comments = over.len ? over.data : "";
            buf_str(out, fresh ? comments + strspn(comments, "\r\n") : comments);
            buf_put(out, text, len);
            fresh = false;
        }
        over.len = 0;
        if (over.data)
            *over.data = '\0';
    }
    if (out->len && out->data[out->len - 1] != '\n')
        buf_str(out, "\n");
    buf_release(&over);
}

/* ---- the head ----------------------------------------------------------------------------------
 */

/* nas1-tank, of a-z, 0-9 and -. */
static const char *profile_name(struct arena *a, const struct init_ask *ask) {
    const char *pool = fact_value(facts_find(ask->sheet, "pool", ask->targets[0].at), "name");
    const char *raw = arena_fmt(a, "%s-%s%s%s", ask->host, pool ? pool : ask->targets[0].name,
                                ask->from_name ? "-" : "", ask->from_name ? ask->from->name : "");
    struct buf b = {0};
    for (const char *c = raw; *c && b.len < NAME_MOST; c++) {
        char low = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
        bool good = (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9');
        if (good)
            buf_put(&b, &low, 1);
        else if (b.len && b.data[b.len - 1] != '-')
            buf_str(&b, "-");
    }
    while (b.len && b.data[b.len - 1] == '-')
        b.data[--b.len] = '\0';
    const char *name = b.len ? arena_str(a, b.data) : "first";
    buf_release(&b);
    return name;
}

static const char *about(struct arena *a, const struct init_ask *ask) {
    struct buf differ = {0};
    const char *text, *dataset = fact_value(facts_dataset(ask->sheet, ask->targets[0].at), "name");
    size_t n = init_differences(ask, " and ", &differ);
    if (ask->from && ask->from->about)
        text = ask->from->about;
    else if (ask->n_targets > 1)
        text =
            arena_fmt(a, "What %s %s cost?", n == 1 ? "does" : "do", differ.len ? differ.data : "");
    else
        text = arena_fmt(a, "How fast is %s on %s?", dataset ? dataset : ask->targets[0].path,
                         ask->host);
    buf_release(&differ);
    text = report_clean(a, text);
    return arena_copy(a, text, text_fit(text, ABOUT_MOST));
}

/* What this machine has, in the words of `probe`. */
static void put_found(struct arena *a, const struct init_ask *ask, struct buf *out) {
    const struct factset *host = facts_find(ask->sheet, "system", UNKNOWN);
    const struct factset *module = facts_find(ask->sheet, "module", UNKNOWN);
    const struct factset *mount = facts_find(ask->sheet, "mount", ask->targets[0].at);
    const char *layout = fact_value(facts_find(ask->sheet, "pool", ask->targets[0].at), "layout");
    const char *fstype = fact_value(mount, "fstype"), *zfs = fact_value(host, "zfs");
    const char *media = init_media(a, ask), *text;
    int64_t bytes;
    buf_fmt(out, "# Found: %s%s%s%s%s", fstype ? fstype : "a file system that is not known",
            layout ? ", " : "", layout ? layout : "", media ? ", " : "", media ? media : "");
    if (zfs && fstype && !strcmp(fstype, "zfs"))
        buf_fmt(out, ", OpenZFS %s", zfs);
    text = fact_value(host, "memory");
    if (text && !unit_read_count(text, &bytes)) {
        buf_str(out, "; memory ");
        unit_put(out, (double)bytes, "B", UNITS_IEC);
    }
    text = fact_value(module, "arc_c_max");
    if (text && !unit_read_count(text, &bytes)) {
        buf_str(out, ", ARC up to ");
        unit_put(out, (double)bytes, "B", UNITS_IEC);
    }
    buf_str(out, ".\n");
}

static int64_t size_of(const struct init_ask *ask, const struct workload *w) {
    if (w->size.of == SIZE_BYTES)
        return w->size.bytes;
    int64_t whole = ask->memory, arc;
    const char *limit = fact_value(facts_find(ask->sheet, "module", UNKNOWN), "arc_c_max");
    if (w->size.of == SIZE_ARC)
        whole = limit && !unit_read_count(limit, &arc) ? arc : UNKNOWN;
    double bytes = whole == UNKNOWN ? 0 : w->size.times * (double)whole;
    return bytes < (double)w->block ? w->block : bytes > 9e18 ? INT64_MAX : (int64_t)bytes;
}

static struct plan_estimate cost_of(struct arena *a, const struct init_ask *ask,
                                    const struct profile *p) {
    struct plan plan = {.profile = *p, .n_targets = ask->n_targets};
    plan.sizes = arena_new(a, int64_t, p->n_workloads);
    for (size_t i = 0; i < p->n_workloads; i++)
        plan.sizes[i] = size_of(ask, &p->workloads[i]);
    return plan_estimate(&plan);
}

static void put_minutes(struct buf *out, double seconds) {
    unit_put_duration(out, (int64_t)fmin(ceil(seconds / 60), 1e6) * 60 * NS_PER_S);
}

static void put_head(struct arena *a, const struct init_ask *ask, const struct profile *p,
                     const struct plan_estimate *round, struct buf *out) {
    double low = (double)(p->run.iterations_min + p->run.warmup);
    double high = (double)(p->run.iterations_max + p->run.warmup);
    double rate = isfinite(p->hardware.disk_throughput) ? p->hardware.disk_throughput / 1e6 : 150;
    buf_fmt(out,
            "# A first profile for %s, by zhist init%s%s: look it through, change it freely.\n"
            "#\n#   zhist record THIS-FILE --dry-run   the plan; nothing is written\n"
            "#   zhist record THIS-FILE             about ",
            report_clean(a, ask->path), ask->from_name ? " --from " : "",
            ask->from_name ? report_clean(a, ask->from_name) : "");
    put_minutes(out, round->seconds * low);
    if (high > low) {
        buf_str(out, " to ");
        put_minutes(out, round->seconds * high);
    }
    buf_fmt(out, " where a disk does %.0f MB/s, %s ", rate, round->timed ? "about" : "at most");
    unit_put(out, round->written * high, "B", UNITS_SI);
    buf_str(out, " written\n#\n");
    put_found(a, ask, out);
    if (ask->n_targets > 1) {
        buf_str(out, "# The targets differ in: ");
        init_differences(ask, ", ", out);
        buf_str(out, ".\n");
    }
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static void put_run(const struct init_ask *ask, struct arena *a, const struct plan_estimate *round,
                    struct buf *out) {
    init_key(out, 0, "run", "", NULL);
    init_key(out, 2, "iterations", arena_fmt(a, "%d", INIT_ITERATIONS),
             "how often each phase is measured");
    init_key(out, 2, "warmup", arena_fmt(a, "%d", INIT_WARMUP),
             "one more before them, stored but not counted");
    if (ask->n_targets > 1)
        init_key(out, 2, "order", "interleaved",
                 "the targets take turns: a busy hour hits all of them");
    if (round) {
        double rounds = INIT_ITERATIONS + INIT_WARMUP;
        double minutes = ceil(round->seconds * rounds * 2 / 600) * 10;
        double gb = ceil(round->written * rounds * 2 / 1e9);
        init_key(out, 2, "max_time", arena_fmt(a, "%.0fm", fmax(minutes, 10)),
                 "twice what it should take: on a slow day it ends in order");
        init_key(out, 2, "max_written", arena_fmt(a, "%.0fGB", fmax(gb, 1)),
                 "a cap on wear; also twice what it should be");
    }
    buf_str(out, "\n");
}

static int put_body(struct arena *a, const struct init_ask *ask, const struct plan_estimate *round,
                    struct buf *out, struct err *e) {
    init_key(out, 0, "zhist", "1", "version of the format");
    init_key(out, 0, "name", init_quoted(a, profile_name(a, ask)), "of this profile, in reports");
    init_key(out, 0, "about", init_quoted(a, about(a, ask)), NULL);
    buf_str(out, "\n");
    init_hardware(a, ask, out);
    init_targets(a, ask, out);
    if (ask->from) {
        put_sections(ask, out);
        return 0;
    }
    put_run(ask, a, round, out);
    return init_workloads(a, ask, out, e);
}

/* Parsed as any profile; what was meant must be what is read. */
static int check(struct arena *a, const struct init_ask *ask, const struct buf *body,
                 struct profile *p, struct err *e) {
    struct err why = {0};
    bool good = !profile_parse(a, "profile", NULL, body->data, body->len, p, &why) &&
                p->n_targets == ask->n_targets;
    for (size_t i = 0; good && i < p->n_targets; i++)
        good = !strcmp(p->targets[i].path, ask->targets[i].path) &&
               !strcmp(p->targets[i].name, ask->targets[i].name);
    if (good)
        return 0;
    return err_set(e, ERR_FAILED, "no profile can be written for \"%s\": %s", ask->path,
                   *why.text ? why.text
                             : "its path or name holds characters a profile cannot keep");
}

int init_profile(struct arena *a, const struct init_ask *ask, struct buf *out, struct err *e) {
    struct profile p;
    struct buf body = {0};
    int status = put_body(a, ask, NULL, &body, e);
    if (!status)
        status = check(a, ask, &body, &p, e);
    for (size_t i = 0; !status && i < p.n_workloads; i++)
        status = profile_refuse_unbuilt(ask->from_name ? ask->from_name : "profile",
                                        &p.workloads[i], e);
    struct plan_estimate round = {0};
    if (!status) {
        round = cost_of(a, ask, &p);
        body.len = 0;
        status = put_body(a, ask, &round, &body, e);
    }
    if (!status)
        status = check(a, ask, &body, &p, e);
    if (!status) {
        put_head(a, ask, &p, &round, out);
        buf_put(out, body.data, body.len);
    }
    buf_release(&body);
    return status;
}
