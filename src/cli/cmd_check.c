/*
 * cmd_check.c: `zhist check`: the gate for cron. Silent when nothing is new; what was told is told
 * again after a week, until somebody accepts it.
 */
#include "check.h"
#include "plan.h"
#include "zhist/report.h"

#define WEEK (NS_PER_S * 7 * 24 * 3600)

static const struct option_row rows[] = {
    {"ack", "KEY", "accept this finding: what it says is the new normal"},
    {"note", "TEXT", "with --ack: why; kept with it"},
    {"all", NULL, "also what is accepted, and what was told within the last week"},
};

struct known {
    bool accepted, told;
};

static int look_up(struct db *db, const struct check_finding *f, int64_t now, struct known *known,
                   struct err *e) {
    struct query *q;
    char prefix[10] = "";
    memcpy(prefix, f->key, strlen(f->key) < 9 ? strlen(f->key) : 9);
    if (db_query(db, "find_notice", &q, e))
        return -1;
    query_text(q, "prefix", prefix);
    query_text(q, "low", f->day_low);
    query_text(q, "high", f->day_high);
    if (query_step(q, e) < 0)
        return -1;
    int64_t mailed = query_get_int(q, "mailed_at");
    known->accepted = query_get_text(q, "ack") != NULL;
    known->told = mailed != UNKNOWN && now - mailed < WEEK && mailed <= now;
    return 0;
}

static int note_told(struct db *db, const char *key, int64_t now, struct err *e) {
    struct query *q;
    if (db_query(db, "put_notice", &q, e))
        return -1;
    query_text(q, "key", key);
    query_int(q, "now", now);
    return query_run(q, e);
}

static void put_finding(const struct command_call *call, const struct check_finding *f,
                        const struct known *known, struct buf *out) {
    char *text = report_clean(call->arena, f->text);
    if (out->len)
        buf_str(out, "\n");
    report_wrap(out, text, 0, 0, 80);
    buf_fmt(out, "\n%s: zhist check --ack %s", known->accepted ? "Accepted already" : "Accept it",
            f->key);
    if (call->db)
        buf_fmt(out, " --db %s", report_clean(call->arena, call->db));
    buf_str(out, "\n");
}

/* A week is counted from what was printed: noted before it is, for a mail lost is told again by
 * --all, a mail every night by nothing. */
static int tell(const struct command_call *call, struct db *db, const struct check_list *list,
                bool all, struct buf *out, bool *open, struct err *e) {
    int64_t now = clock_real_ns();
    for (size_t i = 0; i < list->n; i++) {
        const struct check_finding *f = &list->items[i];
        struct known known;
        if (look_up(db, f, now, &known, e))
            return -1;
        if (!all && (known.accepted || known.told))
            continue;
        put_finding(call, f, &known, out);
        *open |= !known.accepted;
        if (!all && note_told(db, f->key, now, e))
            return -1;
    }
    return 0;
}

int check_history(const struct command_call *call, const char *profile, bool all, struct err *e) {
    struct check_list list = {0};
    struct buf out = {0};
    struct db *db = NULL;
    bool open = false;
    if (history_open(call, all ? DB_READ : DB_CHANGE, &db, e))
        return -1;
    int status = check_gather(call->arena, db, profile, &list, e);
    if (!status && list.n && !all)
        status = db_begin(db, e);
    if (!status)
        status = tell(call, db, &list, all, &out, &open, e);
    if (!status && list.n && !all)
        status = db_commit(db, e);
    db_close(db);
    if (!status && out.len)
        status = print_out(&out, e) ? -1 : open ? err_set(e, ERR_FOUND, "%s", "") : 0;
    buf_release(&out);
    return status;
}

/* ---- accepting --------------------------------------------------------------------------------- */

static int find_key(struct arena *a, struct db *db, const char *word, const char **key,
                    struct err *e) {
    struct check_list list = {0};
    size_t found = 0;
    if (strlen(word) < 4)
        return err_set(e, ERR_USAGE, "--ack \"%s\": four characters at least", word);
    if (check_gather(a, db, NULL, &list, e))
        return -1;
    for (size_t i = 0; i < list.n; i++)
        if (!strncmp(list.items[i].key, word, strlen(word))) {
            *key = list.items[i].key;
            found++;
        }
    if (found > 1)
        return err_set(e, ERR_USAGE, "--ack \"%s\" begins %zu keys; write more of it", word, found);
    if (!found)
        return err_set(e, ERR_USAGE, "no finding has the key \"%s\"; zhist check --all lists them",
                       word);
    return 0;
}

static int accept(const struct command_call *call, const char *word, struct err *e) {
    struct db *db = NULL;
    struct query *q;
    const char *key = "";
    if (history_open(call, DB_CHANGE, &db, e))
        return -1;
    int status = find_key(call->arena, db, word, &key, e) || db_begin(db, e) ||
                         db_query(db, "put_ack", &q, e)
                     ? -1
                     : 0;
    if (!status) {
        query_text(q, "key", key);
        query_text(q, "note", option_value(&call->options, "note"));
        query_int(q, "now", clock_real_ns());
        status = query_run(q, e) || db_commit(db, e) ? -1 : 0;
    }
    db_close(db);
    if (!status)
        print_note("%s is accepted; a later change of it is told again", key);
    return status;
}

/* ---- which profile ------------------------------------------------------------------------------ */

/* A name that runs have, or a file with it. */
static int profile_name(const struct command_call *call, const char *word, const char **name,
                        struct err *e) {
    struct profile p;
    *name = word;
    if (!word || (!strchr(word, '/') && !strchr(word, '.')))
        return 0;
    if (profile_load(call->arena, word, &p, e))
        return -1;
    *name = p.name;
    return 0;
}

static int is_known(const struct command_call *call, const char *profile, struct err *e) {
    struct db *db = NULL;
    struct query *q;
    if (!profile)
        return 0;
    if (history_open(call, DB_READ, &db, e))
        return -1;
    int status = db_query(db, "check_runs", &q, e);
    if (!status) {
        query_text(q, "profile", profile);
        status = query_step(q, e);
        if (!status)
            status = err_set(e, ERR_USAGE, "no run of a profile \"%s\"; zhist show runs lists them",
                             profile);
    }
    db_close(db);
    return status < 0 ? -1 : 0;
}

static int check(const struct command_call *call, struct err *e) {
    const char *word = call->options.n_words ? call->options.words[0] : NULL, *profile;
    const char *ack = option_value(&call->options, "ack");
    static const char *const apart[][2] = {{"ack", "all"}};
    if (options_apart(&call->options, apart, LENGTH(apart), e))
        return -1;
    if (option_value(&call->options, "note") && !ack)
        return err_set(e, ERR_USAGE, "--note goes with --ack KEY");
    if (ack && word)
        return err_set(e, ERR_USAGE, "--ack KEY takes no profile: the key says which");
    if (ack)
        return accept(call, ack, e);
    return profile_name(call, word, &profile, e) || is_known(call, profile, e)
               ? -1
               : check_history(call, profile, option_flag(&call->options, "all"), e);
}

const struct command command_check = {
    .name = "check",
    .args = "[PROFILE]",
    .about = "the gate for cron: what became worse, what is needed, what stopped",
    .more =
        "Silent and exit 0 when nothing is new, else exit 3 with a paragraph for each finding:\n"
        "requirements that are not met, changes for the worse that three nights in a row or a\n"
        "comparison at an event found, new meanings, and runs of a profile with `every:` that\n"
        "stopped coming. Each is told once, and again every week until --ack KEY accepts it.\n",
    .rows = rows,
    .n_rows = LENGTH(rows),
    .max_words = 1,
    .run = check,
};
