/*
 * unit_snapshot.c: snapshots of a dataset and who takes them, from what zfs and midclt print on
 * made-up machines.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/facts/probe.h"
#include "check.h"

static struct arena arena;
static const char *root;

static const char LIST[] =
    "zfs_list_-Hp_-t_snapshot_-d_1_-o_name,createtxg_-s_createtxg_tank-a.txt";
static const char TASKS[] = "midclt_call_pool.snapshottask.query.txt";
static const char COPIES[] = "midclt_call_replication.query.txt";

/* What the program prints; NULL: it is not there. */
static void prints(const char *name, const char *text) {
    const char *path = arena_fmt(&arena, "%s/run/%s", root, name);
    FILE *f = text ? fopen(path, "w") : NULL;
    if (!text && unlink(path) && errno != ENOENT)
        perror(path);
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static const struct factset *probe(const char *dataset, const char *truenas) {
    static const char *const paths[] = {"/mnt/tank/a"};
    static const struct facts_ask ask = {paths, 1, "1"};
    struct fact_sheet *sheet = arena_new(&arena, struct fact_sheet, 1);
    struct probe p;
    probe_open(&p, &arena, root, &ask, sheet);
    struct factset *host = factset_add(&arena, sheet, "system", "", UNKNOWN);
    fact_add(&arena, host, "truenas", truenas, "test");
    if (dataset)
        fact_add(&arena, factset_add(&arena, sheet, "dataset", "", 0), "name", dataset, "test");
    probe_snapshot(&p);
    const struct factset *set = facts_dataset(sheet, 0);
    for (size_t i = 0; set && i < set->n_facts; i++)
        printf("# %s: %s (%s)\n", set->facts[i].key,
               set->facts[i].value ? set->facts[i].value : "(null)", set->facts[i].source);
    return set;
}

static const char *automatic(const char *list) {
    prints(LIST, list);
    return fact_value(probe("tank/a", NULL), "snapshot_automatic");
}

static const char *unknown(const struct factset *set, const char *key) {
    const struct fact *f = fact_find(set, key);
    return f && !f->value ? f->source : "";
}

static void lists(void) {
    prints(LIST, "tank/a@one\t20\ntank/a@two 2\t30\n");
    const struct factset *set = probe("tank/a", NULL);
    CHECK_TEXT("counted", fact_value(set, "snapshots"), "2");
    CHECK_TEXT("the newest", fact_value(set, "snapshot_newest"), "two 2");
    CHECK_TEXT("made by hand", fact_value(set, "snapshot_automatic"), "no");
    CHECK("no TrueNAS is asked", !fact_find(set, "snapshot_task"));
    bool state = true;
    for (size_t i = 0; i < set->n_facts; i++)
        state &= set->facts[i].class == FACT_STATE || !strcmp(set->facts[i].key, "name");
    CHECK("all of it is state", state);
    set = probe("tank/a@two 2", NULL);
    CHECK_TEXT("a snapshot itself: its dataset", fact_value(set, "snapshots"), "2");
    prints(LIST, "");
    set = probe("tank/a", NULL);
    CHECK_TEXT("none", fact_value(set, "snapshots"), "0");
    CHECK_TEXT("none is the newest", fact_value(set, "snapshot_newest"), "none");

    CHECK_TEXT("TrueNAS", automatic("tank/a@auto-2026-12-01_00-00\t9\n"), "yes");
    CHECK_TEXT("sanoid", automatic("tank/a@autosnap_2026-12-01_00:00:01_daily\t9\n"), "yes");
    CHECK_TEXT("zfs-auto-snapshot, an older one by hand after it",
               automatic("tank/a@zfs-auto-snap_daily-2026-12-01-0617\t9\ntank/a@mine\t10\n"),
               "yes");
    CHECK_TEXT("zrepl", automatic("tank/a@zrepl_20261201_000000_000\t9\n"), "yes");
    CHECK_TEXT("a schedule nobody knows",
               automatic("tank/a@2026-11-29-000000\t7\ntank/a@2026-11-30-000000\t8\n"
                         "tank/a@2026-12-01-000000\t9\n"),
               "yes");
    CHECK_TEXT("two with a date",
               automatic("tank/a@2026-11-30-000000\t8\n"
                         "tank/a@2026-12-01-000000\t9\n"),
               "no");
    CHECK_TEXT("numbered by hand", automatic("tank/a@v1\t7\ntank/a@v2\t8\ntank/a@v3\t9\n"), "no");
    CHECK_TEXT("automobile", automatic("tank/a@auto-mobile\t9\n"), "no");

    prints(LIST, "tank/a@one\t20\ntank/a@tw");
    set = probe("tank/a", NULL);
    CHECK("half a line: unknown",
          strstr(unknown(set, "snapshots"), "no snapshot") && *unknown(set, "snapshot_automatic"));
    prints(LIST, "tank/b@one\t20\n");
    CHECK("of another dataset: unknown", *unknown(probe("tank/a", NULL), "snapshots"));
    prints(LIST, NULL);
    CHECK("no zfs: unknown", strstr(unknown(probe("tank/a", NULL), "snapshots"), "not installed"));
    CHECK("no dataset: nothing", !probe(NULL, "25.10"));
}

static const char *task(const char *snapshots, const char *copies) {
    prints(LIST, "");
    prints(TASKS, snapshots);
    prints(COPIES, copies);
    return fact_value(probe("tank/a", "25.10.0"), "snapshot_task");
}

static void appliance(void) {
    CHECK_TEXT("none", task("[]\n", "[]\n"), "no");
    CHECK_TEXT("of the dataset",
               task("[{\"id\": 3, \"dataset\": \"tank/a\", \"enabled\": true}]", "[]"),
               "periodic snapshot task 3 of tank/a");
    CHECK_TEXT("recursive, of its pool",
               task("[{\"id\": 1, \"dataset\": \"x\", \"enabled\": true}, {\"id\": 4, "
                    "\"dataset\": \"tank\", \"recursive\": true, \"exclude\": "
                    "[\"tank/b\"], \"enabled\": true}]",
                    "[]"),
               "periodic snapshot task 4 of tank");
    CHECK_TEXT("not recursive",
               task("[{\"id\": 4, \"dataset\": \"tank\", \"recursive\": "
                    "false, \"enabled\": true}]",
                    "[]"),
               "no");
    CHECK_TEXT("left out",
               task("[{\"id\": 4, \"dataset\": \"tank\", \"recursive\": true,"
                    " \"exclude\": [\"tank/a\"], \"enabled\": true}]",
                    "[]"),
               "no");
    CHECK_TEXT("switched off",
               task("[{\"id\": 4, \"dataset\": \"tank/a\", \"enabled\": "
                    "false}]",
                    "[]"),
               "no");
    CHECK_TEXT("a name that begins alike",
               task("[{\"id\": 4, \"dataset\": \"tan\", "
                    "\"recursive\": true, \"enabled\": true}]",
                    "[]"),
               "no");
    CHECK_TEXT("replication",
               task("[]", "[{\"id\": 1, \"name\": \"to nas2\", \"direction\": \"PUSH\", "
                          "\"source_datasets\": [\"x\", \"tank\"], \"recursive\": true, "
                          "\"exclude\": [], \"enabled\": true}]"),
               "replication task to nas2 of tank");
    CHECK_TEXT("replication to here",
               task("[]", "[{\"id\": 1, \"name\": \"from nas2\", \"direction\": \"PULL\","
                          " \"source_datasets\": [\"tank/a\"], \"enabled\": true}]"),
               "no");
    CHECK("not permitted: unknown", !task(NULL, NULL));
    CHECK("no JSON: unknown", !task("Error: not authenticated\n", "[]"));
    CHECK("no list: unknown", !task("{\"a\": 1}", "[]"));
    prints(TASKS, "[]");
    CHECK("half of it: unknown", !task("[]", NULL));
    prints(LIST, "tank/a@auto-2026-12-01_00-00\t9\n");
    CHECK("not asked where the names tell",
          !fact_find(probe("tank/a", "25.10.0"), "snapshot_task"));
}

int main(void) {
    const char *tmp = getenv("TMPDIR");
    char *made = arena_fmt(&arena, "%s/zhist-snapshot-XXXXXX", tmp ? tmp : "/tmp");
    root = mkdtemp(made);
    if (!root || mkdir(arena_fmt(&arena, "%s/run", root), 0700))
        return 1;
    lists();
    appliance();
    prints(LIST, NULL);
    prints(TASKS, NULL);
    prints(COPIES, NULL);
    rmdir(arena_fmt(&arena, "%s/run", root));
    rmdir(root);
    arena_release(&arena);
    return check_done();
}
