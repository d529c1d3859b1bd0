/*
 * unit_preflight.c: what is said and refused before a run, and that the table of findings has it.
 */
#include "../src/facts/preflight.h"
#include "check.h"

static struct arena arena;
static const int64_t GIB = INT64_C(1) << 30;

/* One case: facts, a profile, the numbers; two targets, `plain` and `other`. */
struct box {
    struct fact_sheet sheet;
    struct profile profile;
    struct target_spec targets[2];
    struct setting expect[2];
    const char *names[2];
    struct workload works[2];
    struct disk_use use[2];
    struct earlier earlier[2];
    int64_t free_bytes[2], needed[2], sizes[2];
    bool db[2], quick, waits;
    size_t n;
};

static void fact(struct box *b, const char *kind, const char *subject, int64_t target,
                 const char *key, const char *value) {
    struct factset *set = NULL;
    for (size_t i = 0; i < b->sheet.n_sets; i++)
        if (!strcmp(b->sheet.sets[i].kind, kind) && !strcmp(b->sheet.sets[i].subject, subject) &&
            b->sheet.sets[i].target == target)
            set = &b->sheet.sets[i];
    if (!set)
        set = factset_add(&arena, &b->sheet, kind, subject, target);
    fact_add(&arena, set, key, value, value ? "test" : "the test hides it");
}

static struct box *box(size_t n) {
    struct box *b = arena_new(&arena, struct box, 1);
    b->n = n;
    b->names[0] = "plain";
    b->names[1] = "other";
    b->targets[0] = (struct target_spec){.name = "plain", .path = "/mnt/plain"};
    b->targets[1] = (struct target_spec){.path = "other"}; /* no name: the path is it */
    b->profile.targets = b->targets;
    b->profile.n_targets = n;
    b->profile.hardware = (struct hardware_spec){.disks = UNKNOWN};
    for (size_t t = 0; t < n; t++) {
        b->free_bytes[t] = 50 * GIB;
        b->needed[t] = GIB;
        fact(b, "mount", "", (int64_t)t, "size", "107374182400"); /* 100 GiB */
        fact(b, "mount", "", (int64_t)t, "fstype", "ext4");
    }
    return b;
}

static struct finding_list run(struct box *b) {
    struct finding_list out = {0};
    struct preflight_ask ask = {.profile = &b->profile,
                                .sheet = &b->sheet,
                                .target_names = b->names,
                                .n_targets = b->n,
                                .free_bytes = b->free_bytes,
                                .needed_bytes = b->needed,
                                .db_on_target = b->db,
                                .sizes = b->sizes,
                                .use = b->use,
                                .earlier = b->earlier,
                                .quick = b->quick,
                                .waits = b->waits};
    preflight(&arena, &ask, &out);
    for (size_t i = 0; i < out.n; i++) {
        const struct finding *f = &out.items[i];
        bool listed = false;
        for (size_t k = 0; k < n_finding_infos; k++)
            listed |= !strcmp(finding_infos[k].code, f->code) &&
                      (finding_infos[k].severities & 1u << f->severity);
        printf("# %s %s %lld: %s\n", f->code, severity_names[f->severity], (long long)f->target,
               f->text);
        if (!listed || f->workload != UNKNOWN || !*f->text)
            CHECK("the table has it, with that severity", 0);
    }
    return out;
}

static const struct finding *found(struct finding_list l, const char *code) {
    const struct finding *f = NULL;
    for (size_t i = 0; i < l.n; i++)
        if (!strcmp(l.items[i].code, code))
            f = &l.items[i];
    return f;
}

static bool is(struct finding_list l, const char *code, enum severity severity, int64_t target) {
    const struct finding *f = found(l, code);
    return l.n == 1 && f && f->severity == severity && f->target == target;
}

static bool space(int64_t free_bytes, int64_t needed, enum severity severity) {
    struct box *b = box(1);
    b->free_bytes[0] = free_bytes;
    b->needed[0] = needed;
    return is(run(b), "low-space", severity, 0);
}

static bool room(int64_t free_bytes, int64_t needed) {
    struct box *b = box(1);
    b->free_bytes[0] = free_bytes;
    b->needed[0] = needed;
    return run(b).n == 0;
}

static void low_space(void) {
    CHECK("half free: nothing", room(50 * GIB, GIB));
    CHECK("10 % left: nothing", room(11 * GIB, GIB));
    CHECK("just under 10 % left: said", space(11 * GIB - 1, GIB, SEVERITY_SAY));
    CHECK("5 % left: said", space(6 * GIB, GIB, SEVERITY_SAY));
    CHECK("just under 5 %: refused", space(6 * GIB - 1, GIB, SEVERITY_REFUSE));
    CHECK("twice what is written: nothing", room(50 * GIB, 25 * GIB));
    CHECK("a byte less than twice: refused", space(50 * GIB - 1, 25 * GIB, SEVERITY_REFUSE));
    CHECK("more than there is: refused", space(GIB, 50 * GIB, SEVERITY_REFUSE));
    CHECK("more than can be: refused", space(GIB, INT64_MAX, SEVERITY_REFUSE));
    CHECK("nothing free, nothing written: refused", space(0, 0, SEVERITY_REFUSE));
    CHECK("free space unknown: said, not refused", space(UNKNOWN, GIB, SEVERITY_SAY));
    CHECK("need unknown: the share decides", space(4 * GIB, UNKNOWN, SEVERITY_REFUSE));
    struct box *b = box(1);
    b->sheet = (struct fact_sheet){0};
    b->free_bytes[0] = 4 * GIB;
    CHECK("size unknown: no share is low", run(b).n == 0);
    b->free_bytes[0] = GIB;
    CHECK("but twice still counts", is(run(b), "low-space", SEVERITY_REFUSE, 0));
    const struct finding *f = found(run(b), "low-space");
    CHECK("the number is told", f && strstr(f->text, "1 GiB") && strstr(f->text, "'plain'"));
    b = box(2);
    b->free_bytes[1] = 6 * GIB;
    CHECK("on the target where it is", is(run(b), "low-space", SEVERITY_SAY, 1));
}

static void machine(void) {
    struct box *b = box(1);
    fact(b, "system", "", UNKNOWN, "virtual", "kvm");
    CHECK("a virtual machine", is(run(b), "virtual-machine", SEVERITY_SAY, UNKNOWN));
    b = box(1);
    fact(b, "system", "", UNKNOWN, "virtual", "no");
    fact(b, "system", "", UNKNOWN, "clock_synchronised", "yes");
    CHECK("neither", run(b).n == 0);
    fact(b, "system", "", UNKNOWN, "virtual", NULL);
    fact(b, "system", "", UNKNOWN, "clock_synchronised", NULL);
    CHECK("unknown is not held against anybody", run(b).n == 0);
    fact(b, "system", "", UNKNOWN, "clock_synchronised", "no");
    CHECK("the clock", is(run(b), "clock-unsynchronised", SEVERITY_SAY, UNKNOWN));
    b = box(2);
    b->db[1] = true;
    CHECK("the history on a target", is(run(b), "db-on-target", SEVERITY_SAY, 1));
    b = box(1);
    b->quick = true;
    CHECK("quick", is(run(b), "quick", SEVERITY_SAY, UNKNOWN));
    b = box(0);
    CHECK("no target at all", run(b).n == 0);
}

static void expect(void) {
    struct box *b = box(2);
    b->expect[0] = (struct setting){"encryption", "off"};
    b->expect[1] = (struct setting){"compression", "lz4"};
    b->targets[0].expect = b->expect;
    b->targets[0].n_expect = 2;
    struct finding_list l = run(b);
    const struct finding *f = found(l, "expect-unknown");
    CHECK("no properties on ext4: said", is(l, "expect-unknown", SEVERITY_SAY, 0));
    CHECK("which, and where",
          f && strstr(f->text, "encryption: off, compression: lz4") && strstr(f->text, "ext4"));
    fact(b, "dataset", "tank/plain", 0, "encryption", "off");
    fact(b, "dataset", "tank/plain", 0, "compression", "lz4");
    CHECK("as expected", run(b).n == 0);
    fact(b, "dataset", "tank/plain", 0, "encryption", "aes-256-gcm");
    l = run(b);
    f = found(l, "expect-differs");
    CHECK("not as expected: refused", is(l, "expect-differs", SEVERITY_REFUSE, 0));
    CHECK("both values", f && strstr(f->text, "encryption is 'aes-256-gcm', not 'off'"));
    fact(b, "dataset", "tank/plain", 0, "compression", NULL);
    l = run(b);
    CHECK("one differs, one is unknown",
          l.n == 2 && found(l, "expect-differs") && found(l, "expect-unknown"));
    b = box(2);
    b->targets[1].expect = b->expect;
    b->targets[1].n_expect = 1;
    b->expect[0] = (struct setting){"sync", "standard"};
    CHECK("a target without a name goes by its path",
          is(run(b), "expect-unknown", SEVERITY_SAY, 1));
    b->names[1] = "elsewhere";
    CHECK("a target of the command line expects nothing", run(b).n == 0);
}

/* ---- the pool
 * ------------------------------------------------------------------------------------ */

static struct box *on_pool(size_t n) {
    struct box *b = box(n);
    for (int64_t t = 0; t < (int64_t)n; t++) {
        fact(b, "mount", "", t, "fstype", "zfs");
        fact(b, "mount", "", t, "path", "/mnt/tank/plain");
        fact(b, "mount", "", t, "mount_point", "/mnt/tank/plain");
        fact(b, "mount", "", t, "source", "tank/plain");
        fact(b, "pool", "", t, "name", "tank");
        fact(b, "pool", "", t, "health", "ONLINE");
        fact(b, "pool", "", t, "scan", "scrub finished");
        fact(b, "pool", "", t, "size", "107374182400");
        fact(b, "pool", "", t, "free", "53687091200");
        fact(b, "dataset", "", t, "name", "tank/plain");
        fact(b, "dataset", "", t, "guid", "42");
    }
    return b;
}

static bool pool_says(const char *key, const char *value, enum severity severity,
                      const char *code) {
    struct box *b = on_pool(1);
    fact(b, "pool", "", 0, key, value);
    return *code ? is(run(b), code, severity, 0) : run(b).n == 0;
}

static void pool(void) {
    static const char *const active[] = {"scrub running", "resilver running", "rebuild running",
                                         "error scrub running"};
    static const char *const idle[] = {"none", "scrub finished", "resilver finished",
                                       "scrub canceled"};
    static const char *const keys[] = {"trim", "initialize", "remove", "expand"};
    CHECK("a healthy pool at rest", run(on_pool(1)).n == 0);
    for (size_t i = 0; i < LENGTH(active); i++)
        CHECK(active[i], pool_says("scan", active[i], SEVERITY_REFUSE, "scan-running"));
    for (size_t i = 0; i < LENGTH(idle); i++)
        CHECK(idle[i], pool_says("scan", idle[i], SEVERITY_SAY, ""));
    CHECK("paused: said", pool_says("scan", "scrub paused", SEVERITY_SAY, "scan-paused"));
    CHECK("not understood: said with the reason",
          pool_says("scan", NULL, SEVERITY_SAY, "scan-unknown"));
    struct box *w = on_pool(1);
    w->waits = true;
    CHECK("whoever waits: a pool at rest is one", run(w).n == 0);
    fact(w, "pool", "", 0, "scan", NULL);
    struct finding_list unknown = run(w);
    CHECK("and an unknown scan is none", is(unknown, "scan-unknown", SEVERITY_REFUSE, 0) &&
                                             finding_passes(&unknown.items[0]) &&
                                             strstr(unknown.items[0].text, "the test hides it"));
    w->waits = false;
    unknown = run(w);
    CHECK("to others it passes for nothing", unknown.n == 1 && !finding_passes(&unknown.items[0]));
    for (size_t i = 0; i < LENGTH(keys); i++) {
        CHECK(keys[i], pool_says(keys[i], "yes", SEVERITY_REFUSE, "scan-running"));
        CHECK("and not", pool_says(keys[i], "no", SEVERITY_SAY, ""));
    }
    struct box *b = on_pool(2);
    for (int64_t t = 0; t < 2; t++) {
        fact(b, "pool", "", t, "scan", "scrub running");
        fact(b, "pool", "", t, "scan_done", "0.4321");
        fact(b, "pool", "", t, "trim", "yes");
    }
    struct finding_list l = run(b);
    CHECK("both targets on one pool: once", is(l, "scan-running", SEVERITY_REFUSE, UNKNOWN));
    CHECK("what and how far", l.n && strstr(l.items[0].text, "a scrub and a trim are running") &&
                                  strstr(l.items[0].text, "43.2 %"));
    fact(b, "pool", "", 1, "name", "rz2");
    CHECK("on two pools: each", run(b).n == 2);

    CHECK("degraded", pool_says("health", "DEGRADED", SEVERITY_REFUSE, "pool-degraded"));
    CHECK("faulted", pool_says("health", "FAULTED", SEVERITY_REFUSE, "pool-degraded"));
    CHECK("suspended", pool_says("suspended", "yes", SEVERITY_REFUSE, "pool-suspended"));
    b = on_pool(1);
    fact(b, "pool", "", 0, "suspended", "yes");
    fact(b, "pool", "", 0, "health", "SUSPENDED");
    l = run(b);
    CHECK("what would hang no force overrules", l.n == 1 && finding_stands(&l.items[0], true));
    fact(b, "pool", "", 0, "suspended", "no");
    l = run(b);
    CHECK("the others it does",
          l.n == 1 && finding_stands(&l.items[0], false) && !finding_stands(&l.items[0], true));
    CHECK("not suspended", pool_says("suspended", "no", SEVERITY_SAY, ""));
    CHECK("health unknown: not held against it", pool_says("health", NULL, SEVERITY_SAY, ""));
    b = on_pool(1);
    fact(b, "pool", "", 0, "health", "DEGRADED");
    fact(b, "pool", "", 0, "status", "One or more devices are offline.");
    l = run(b);
    CHECK("with what zpool says", l.n == 1 && strstr(l.items[0].text, "devices are offline"));

    fact(b, "pool", "", 0, "tree",
         "{\"name\":\"tank\",\"state\":\"DEGRADED\",\"below\":[{\"name\":\"mirror-0\",\"state\":"
         "\"DEGRADED\",\"below\":[{\"name\":\"x\",\"state\":\"ONLINE\",\"disk\":\"sda\",\"below\":["
         "]},"
         "{\"name\":\"y\",\"state\":\"OFFLINE\",\"disk\":\"sdb\",\"below\":[]},"
         "{\"name\":\"/dev/gone\",\"state\":\"UNAVAIL\",\"disk\":null,\"below\":[]}]},"
         "{\"name\":\"s\",\"state\":\"AVAIL\",\"below\":[]}]}");
    l = run(b);
    CHECK("and which disks",
          l.n == 1 && strstr(l.items[0].text, "DEGRADED (sdb OFFLINE, /dev/gone UNAVAIL): One or "
                                              "more devices are offline: a pool"));
    fact(b, "pool", "", 0, "tree", "{\"name\":");
    CHECK("a broken tree is no harm", run(b).n == 1);

    CHECK("11 % of the pool free: nothing", pool_says("free", "11811160064", SEVERITY_SAY, ""));
    CHECK("under 10 %, behind a quota: said",
          pool_says("free", "11811160063", SEVERITY_SAY, "low-space"));
    CHECK("under 5 %: refused", pool_says("free", "6442450943", SEVERITY_REFUSE, "low-space"));
    CHECK("unknown: nothing", pool_says("free", NULL, SEVERITY_REFUSE, ""));
    b = on_pool(1);
    b->free_bytes[0] = 6 * GIB;
    fact(b, "pool", "", 0, "free", "6442450944");
    CHECK("said by the dataset already: once", is(run(b), "low-space", SEVERITY_SAY, 0));
}

/* ---- which dataset
 * ------------------------------------------------------------------------------- */

static bool at(const char *path, const char *mount_point, const char *pool, bool refused) {
    struct box *b = on_pool(1);
    fact(b, "mount", "", 0, "path", path);
    fact(b, "mount", "", 0, "mount_point", mount_point);
    fact(b, "pool", "", 0, "name", pool);
    return refused ? is(run(b), "other-dataset", SEVERITY_REFUSE, 0) : run(b).n == 0;
}

static bool before(const char *name, const char *guid, const char *fstype, const char *code) {
    struct box *b = on_pool(1);
    b->earlier[0] = (struct earlier){name, guid, fstype, NULL};
    if (!*code)
        return run(b).n == 0;
    return is(run(b), code, strcmp(code, "new-dataset") ? SEVERITY_REFUSE : SEVERITY_SAY, 0);
}

static void which_dataset(void) {
    CHECK("mounted", at("/mnt/tank/a", "/mnt/tank", "tank", false));
    CHECK("below /mnt on the root file system", at("/mnt/tank/a", "/", "rpool", true));
    CHECK("elsewhere on the root file system", at("/srv/a", "/", "rpool", false));
    CHECK("/mnt/ must be a directory of its own", at("/mntx/a", "/", "rpool", false));
    CHECK("below /mnt on boot-pool", at("/mnt/tank/a", "/mnt", "boot-pool", true));
    CHECK("below /mnt on freenas-boot", at("/mnt/tank/a", "/mnt", "freenas-boot", true));
    CHECK("mount unknown", at("/mnt/tank/a", NULL, "tank", false));
    CHECK("the same as last time", before("tank/plain", "42", "zfs", ""));
    CHECK("no run before", before(NULL, NULL, NULL, ""));
    CHECK("another one", before("tank/enc", "7", "zfs", "other-dataset"));
    CHECK("another one, its guid unknown", before("tank/enc", NULL, "zfs", "other-dataset"));
    CHECK("renamed: the same guid", before("tank/old", "42", "zfs", ""));
    CHECK("made anew", before("tank/plain", "7", "zfs", "new-dataset"));
    CHECK("guid unknown then", before("tank/plain", NULL, "zfs", ""));
    CHECK("was no dataset then", before(NULL, NULL, "ext4", ""));
    struct box *b = box(1); /* ext4 */
    b->earlier[0] = (struct earlier){.dataset = "tank/plain", .guid = "42", .fstype = "zfs"};
    CHECK("a plain directory left behind", is(run(b), "other-dataset", SEVERITY_REFUSE, 0));
    struct finding_list l = run(b);
    CHECK("how to mount it",
          l.n && strstr(l.items[0].text, "`zfs mount tank/plain` (if it is enc"));
    b->earlier[0].locked = "";
    l = run(b);
    CHECK("no key is missing", l.n && strstr(l.items[0].text, "with `zfs mount tank/plain`") &&
                                   !strstr(l.items[0].text, "key"));
    b->earlier[0].locked = "tank";
    l = run(b);
    CHECK("a key is",
          l.n && strstr(l.items[0].text, "`zfs load-key tank`, then `zfs mount tank/plain`"));
    b->earlier[0].dataset = "tank/a b";
    l = run(b);
    CHECK("as one types it", l.n && strstr(l.items[0].text, "`zfs mount 'tank/a b'`"));
    fact(b, "mount", "", 0, "path", "/mnt/tank/plain");
    fact(b, "mount", "", 0, "mount_point", "/");
    CHECK("on the system disk: told once", run(b).n == 1);
    b = box(1);
    b->earlier[0] = (struct earlier){.dataset = "tank/plain", .guid = "42", .fstype = "zfs"};
    b->earlier[0].fstype = "ext4"; /* on a volume, and zfs does not answer today */
    CHECK("ext4 then and now", run(b).n == 0);
    b = box(1);
    fact(b, "mount", "", 0, "fstype", "zfs");
    fact(b, "mount", "", 0, "source", "tank/enc");
    b->earlier[0] = (struct earlier){.dataset = "tank/plain", .guid = "42", .fstype = "zfs"};
    CHECK("zfs does not answer, the mount tells", is(run(b), "other-dataset", SEVERITY_REFUSE, 0));
    fact(b, "dataset", "declared", 0, "name", "tank/plain");
    CHECK("what is declared is not found", is(run(b), "other-dataset", SEVERITY_REFUSE, 0));
}

/* ---- what is planned
 * ----------------------------------------------------------------------------- */

static struct box *planned(enum phase phase, int64_t block, int64_t size) {
    struct box *b = on_pool(1);
    fact(b, "module", "", UNKNOWN, "arc_c_max", "8589934592");
    fact(b, "system", "", UNKNOWN, "memory", "17179869184");
    fact(b, "dataset", "", 0, "recordsize", "131072");
    b->works[0] = (struct workload){.name = "w",
                                    .kind = KIND_FILE,
                                    .phase = {phase},
                                    .n_phases = 1,
                                    .block = block,
                                    .jobs = 2,
                                    .flush = FLUSH_END};
    b->profile.workloads = b->works;
    b->profile.n_workloads = 1;
    b->sizes[0] = size;
    return b;
}

static bool with(enum phase phase, int64_t block, const char *key, const char *value,
                 const char *code) {
    struct box *b = planned(phase, block, 16 * GIB);
    fact(b, "dataset", "", 0, key, value);
    return *code ? is(run(b), code, SEVERITY_SAY, 0) : run(b).n == 0;
}

static void properties(void) {
    static const int64_t KIB = 1024;
    CHECK("more than the ARC", run(planned(PHASE_READ, 1024 * KIB, 4 * GIB)).n == 0);
    struct box *b = planned(PHASE_READ, 1024 * KIB, 4 * GIB - 1);
    struct finding_list l = run(b);
    CHECK("less than it, all jobs together", is(l, "fits-in-cache", SEVERITY_SAY, 0));
    CHECK("with its numbers", l.n && strstr(l.items[0].text, "'w'") &&
                                  strstr(l.items[0].text, "8 GiB") &&
                                  strstr(l.items[0].text, "2xARC"));
    fact(b, "dataset", "", 0, "primarycache", "metadata");
    CHECK("nothing is cached", run(b).n == 0);
    CHECK("writes alone", run(planned(PHASE_WRITE, 1024 * KIB, GIB)).n == 0);
    CHECK("the version is not known: no word of O_DIRECT", !strstr(l.items[0].text, "direct"));
    b = planned(PHASE_READ, 1024 * KIB, GIB);
    fact(b, "system", "", UNKNOWN, "zfs_module", "2.3.9-0+deb13u1");
    l = run(b);
    CHECK("OpenZFS 2.3: O_DIRECT helps",
          l.n == 1 && strstr(l.items[0].text, ", or `direct: true`"));
    b->works[0].direct = true;
    CHECK("past the cache", run(b).n == 0);
    fact(b, "dataset", "", 0, "direct", "disabled");
    l = run(b);
    CHECK("but where the dataset says no",
          is(l, "fits-in-cache", SEVERITY_SAY, 0) && strstr(l.items[0].text, "direct=disabled"));
    b->works[0].direct = false;
    fact(b, "dataset", "", 0, "direct", "always");
    CHECK("and where it says always", run(b).n == 0);
    fact(b, "dataset", "", 0, "direct", "standard");
    fact(b, "system", "", UNKNOWN, "zfs_module", "2.2.99-1");
    l = run(b);
    CHECK("OpenZFS 2.2: it is ignored", l.n == 1 && strstr(l.items[0].text, "does not help") &&
                                            strstr(l.items[0].text, "2.2.99-1"));
    b->works[0].direct = true;
    CHECK("so whoever set it is told", is(run(b), "fits-in-cache", SEVERITY_SAY, 0));
    b = planned(PHASE_READ, 1024 * KIB, GIB);
    fact(b, "module", "", UNKNOWN, "arc_c_max", NULL);
    CHECK("limit unknown", run(b).n == 0);
    b->sizes[0] = UNKNOWN;
    CHECK("size unknown", run(b).n == 0);
    b = planned(PHASE_READ, 1024 * KIB, 7 * GIB);
    fact(b, "mount", "", 0, "fstype", "ext4");
    l = run(b);
    CHECK("elsewhere memory counts",
          is(l, "fits-in-cache", SEVERITY_SAY, 0) && strstr(l.items[0].text, "16 GiB"));
    fact(b, "mount", "", 0, "backing", "memory");
    CHECK("on tmpfs nobody thinks of disks", run(b).n == 0);

    CHECK("sync=disabled", with(PHASE_WRITE, 128 * KIB, "sync", "disabled", "sync-disabled"));
    CHECK("sync=standard", with(PHASE_WRITE, 128 * KIB, "sync", "standard", ""));
    CHECK("sync=disabled and reads", with(PHASE_READ, 128 * KIB, "sync", "disabled", ""));
    b = planned(PHASE_WRITE, 128 * KIB, GIB);
    b->works[0].flush = FLUSH_NONE;
    fact(b, "dataset", "", 0, "sync", "disabled");
    CHECK("sync=disabled and no flush", run(b).n == 0);

    CHECK("atime", with(PHASE_READ, 128 * KIB, "atime", "on", "atime-on"));
    CHECK("no atime", with(PHASE_READ, 128 * KIB, "atime", "off", ""));
    CHECK("atime and writes", with(PHASE_WRITE, 128 * KIB, "atime", "on", ""));
    b = planned(PHASE_READ, 128 * KIB, 16 * GIB);
    fact(b, "dataset", "", 0, "atime", "on");
    fact(b, "dataset", "", 0, "relatime", "on");
    CHECK("relatime", run(b).n == 0);

    CHECK("random, whole records", run(planned(PHASE_RANDREAD, 256 * KIB, 16 * GIB)).n == 0);
    CHECK("random, less than a record", is(run(planned(PHASE_RANDWRITE, 4 * KIB, 16 * GIB)),
                                           "recordsize-mismatch", SEVERITY_SAY, 0));
    b = on_pool(2);
    b->works[0] = planned(PHASE_RANDWRITE, 4 * KIB, 16 * GIB)->works[0];
    b->profile.workloads = b->works;
    b->profile.n_workloads = 1;
    b->sizes[0] = 16 * GIB;
    for (int64_t t = 0; t < 2; t++)
        fact(b, "dataset", "", t, "recordsize", "131072");
    l = run(b);
    CHECK("of both targets: once, with both names",
          is(l, "recordsize-mismatch", SEVERITY_SAY, UNKNOWN) &&
              strstr(l.items[0].text, "is 128 KiB on 'plain', 'other', and"));
    fact(b, "dataset", "", 1, "recordsize", "1048576");
    CHECK("of another size: each", run(b).n == 2);
    CHECK("random, a record and a half", is(run(planned(PHASE_RANDREAD, 192 * KIB, 16 * GIB)),
                                            "recordsize-mismatch", SEVERITY_SAY, 0));
    CHECK("in order", run(planned(PHASE_WRITE, 4 * KIB, 16 * GIB)).n == 0);
    b = planned(PHASE_WRITE, 4 * KIB, 16 * GIB);
    b->works[0].direct = true;
    CHECK("in order, direct", is(run(b), "recordsize-mismatch", SEVERITY_SAY, 0));
    b = planned(PHASE_RANDREAD, 16 * KIB, 16 * GIB);
    fact(b, "dataset", "", 0, "type", "volume");
    fact(b, "dataset", "", 0, "volblocksize", "16384");
    CHECK("a volume has blocks of its own", run(b).n == 0);
    b = planned(PHASE_RANDREAD, 4 * KIB, 16 * GIB);
    b->works[0].engine = ENGINE_NULL;
    CHECK("the null engine reads nothing", run(b).n == 0);

    b = planned(PHASE_WRITE, 128 * KIB, 16 * GIB);
    fact(b, "dataset", "", 0, "dedup", "on");
    CHECK("dedup, table unknown", run(b).n == 0);
    fact(b, "pool", "", 0, "dedup_table_size", "245760");
    CHECK("dedup, a small table", is(run(b), "dedup-table-small", SEVERITY_SAY, 0));
    fact(b, "pool", "", 0, "dedup_table_size", "104857600");
    CHECK("dedup, a large one", run(b).n == 0);
    fact(b, "pool", "", 0, "dedup_table_size", "0");
    fact(b, "dataset", "", 0, "dedup", "off");
    CHECK("no dedup", run(b).n == 0);
}

static bool snapshot_fact(const char *key, const char *value, bool said) {
    struct box *b = on_pool(1);
    fact(b, "dataset", "", 0, key, value);
    fact(b, "dataset", "", 0, "snapshots", "17");
    return said ? is(run(b), "snapshotted", SEVERITY_SAY, 0) : run(b).n == 0;
}

static void snapshots_and_disks(void) {
    CHECK("snapshots of a person", snapshot_fact("snapshot_automatic", "no", false));
    CHECK("automatic ones", snapshot_fact("snapshot_automatic", "yes", true));
    CHECK("unknown", snapshot_fact("snapshot_automatic", NULL, false));
    CHECK("a task of TrueNAS", snapshot_fact("snapshot_task", "task 3 of tank", true));
    CHECK("no task", snapshot_fact("snapshot_task", "no", false));
    CHECK("the property", snapshot_fact("com.sun:auto-snapshot", "true", true));
    CHECK("of one kind", snapshot_fact("com.sun:auto-snapshot:daily", "true", true));
    CHECK("switched off", snapshot_fact("com.sun:auto-snapshot", "false", false));
    struct box *b = box(1);
    fact(b, "disk", "x", 0, "name", "sda");
    fact(b, "disk", "x", 0, "smr", "no");
    CHECK("no SMR", run(b).n == 0);
    fact(b, "disk", "x", 0, "smr", "yes");
    fact(b, "disk", "x", 0, "model", "WD40EFAX");
    struct finding_list l = run(b);
    CHECK("SMR", is(l, "smr-disk", SEVERITY_CLASS, 0) && strstr(l.items[0].text, "WD40EFAX"));
}

/* ---- others
 * ---------------------------------------------------------------------------------------- */

static const char ONE[] = "   8       0 sda 100 0 1000 1 100 0 2000 1 0 5000 2\n"
                          "   8       1 sda1 100 0 1000 1 100 0 2000 1 0 5000 2\n"
                          "   8      16 sdb 100 0 1000 1 100 0 2000 1 0 5000 2 0 0 0 0 4 2\n";
static const char TWO[] = "   8       0 sda 110 0 3000 1 110 0 4000 1 0 5050 2\n"
                          "   8       1 sda1 100 0 9999999 1 100 0 2000 1 0 9999 2\n"
                          "   8      16 sdb 100 0 1000 1 100 0 22000 1 0 5300 2 0 0 0 0 4 2\n";

static struct disk_use use_of(const char *disks, const char *x, const char *y, int64_t ns) {
    struct box *b = box(1);
    struct disk_use use = {.disk = "left over"};
    fact(b, "mount", "", 0, "disks", disks);
    disks_compare(&arena, &(struct disk_reading){x, NS_PER_S},
                  &(struct disk_reading){y, NS_PER_S + ns}, &b->sheet, 1, &use);
    return use;
}

static void others(void) {
    struct disk_use use = use_of("sda sdb", ONE, TWO, NS_PER_S);
    CHECK_TEXT("the busiest disk", use.disk, "sdb");
    CHECK_NEAR("its time", use.busy, 0.3, 1e-9);
    CHECK_NEAR("its bytes", use.rate, 20000 * 512, 1e-9);
    CHECK("is load", disk_use_is_load(&use));
    use = use_of("sda", ONE, TWO, NS_PER_S);
    CHECK_TEXT("a disk, not its partition", use.disk, "sda");
    CHECK("5 % and 2 MB/s are none", use.busy > 0.04 && use.busy < 0.06 && !disk_use_is_load(&use));
    CHECK("no such disk", !use_of("sdc", ONE, TWO, NS_PER_S).disk);
    CHECK("no disks", !use_of(NULL, ONE, TWO, NS_PER_S).disk);
    CHECK("counters that went back", !use_of("sda", TWO, ONE, NS_PER_S).disk);
    CHECK("nothing read", !use_of("sda", NULL, TWO, NS_PER_S).disk);
    CHECK("half a line", !use_of("sda", "8 0 sda 1 2 3", TWO, NS_PER_S).disk);
    CHECK("too short a time", !use_of("sda", ONE, TWO, NS_PER_S / 100).disk);
    use = use_of("sdb", ONE, TWO, NS_PER_S / 5);
    CHECK("never more than all the time", use.busy <= 1);
    struct box *b = on_pool(1);
    fact(b, "pool", "", 0, "disks", "sdb");
    disks_compare(&arena, &(struct disk_reading){ONE, 0}, &(struct disk_reading){TWO, NS_PER_S},
                  &b->sheet, 1, &use);
    CHECK_TEXT("of a pool", use.disk, "sdb");

    b->use[0] = use;
    struct finding_list l = run(b);
    CHECK("load before the start", is(l, "other-io", SEVERITY_DISTURBED, 0));
    CHECK("which disk and how much", l.n && strstr(l.items[0].text, "sdb was busy 30 %") &&
                                         strstr(l.items[0].text, "10.2 MB/s"));
    CHECK("it passes", l.n && finding_passes(&l.items[0]));
    fact(b, "pool", "", 0, "scan", "scrub running");
    CHECK("a scrub is called a scrub", is(run(b), "scan-running", SEVERITY_REFUSE, 0));
    fact(b, "pool", "", 0, "scan", "none");
    b->use[0].busy = 0.1;
    b->use[0].rate = 1e6;
    CHECK("a little", run(b).n == 0);

    b = box(1);
    fact(b, "system", "", UNKNOWN, "load1", "2.01");
    fact(b, "system", "", UNKNOWN, "cpus", "4");
    l = run(b);
    CHECK("half of the CPUs", is(l, "other-io", SEVERITY_SAY, UNKNOWN));
    CHECK("said, not waited for", l.n && !finding_passes(&l.items[0]));
    fact(b, "system", "", UNKNOWN, "load1", "2.00");
    CHECK("less", run(b).n == 0);
    fact(b, "system", "", UNKNOWN, "load1", NULL);
    CHECK("unknown", run(b).n == 0);
}

static bool expects(const char *key, const char *want, const char *value) {
    struct box *b = on_pool(1);
    b->expect[0] = (struct setting){key, want};
    b->targets[0].expect = b->expect;
    b->targets[0].n_expect = 1;
    fact(b, "dataset", "", 0, key, value);
    struct finding_list l = run(b);
    return l.n ? !is(l, "expect-differs", SEVERITY_REFUSE, 0) : true;
}

static void expected_values(void) {
    CHECK("128K is 131072", expects("recordsize", "128K", "131072"));
    CHECK("1M is 1048576", expects("recordsize", "1M", "1048576"));
    CHECK("64K is not", !expects("recordsize", "64K", "131072"));
    CHECK("none is 0", expects("quota", "none", "0"));
    CHECK("0 is none", expects("refquota", "0", "none"));
    CHECK("none is not 1G", !expects("quota", "none", "1073741824"));
    CHECK("off is not 0", !expects("dedup", "off", "0"));
    CHECK("on is not off", !expects("atime", "on", "off"));
    CHECK("lz4", expects("compression", "lz4", "lz4"));
    CHECK("zstd is not zstd-3", !expects("compression", "zstd", "zstd-3"));
    CHECK("tank is no size", !expects("mlslabel", "1K", "tank"));
    struct box *b = box(1);
    b->expect[0] = (struct setting){"compression", "lz4"};
    b->targets[0].expect = b->expect;
    b->targets[0].n_expect = 1;
    fact(b, "dataset", "declared", 0, "compression", "lz4");
    CHECK("what is declared was not read", is(run(b), "expect-unknown", SEVERITY_SAY, 0));
}

static struct box *with_disks(size_t n, const char *names, const char *count) {
    struct box *b = box(n);
    for (size_t t = 0; t < n; t++) {
        fact(b, "mount", "", (int64_t)t, "disks", names);
        fact(b, "mount", "", (int64_t)t, "disk_count", count);
    }
    return b;
}

static void disk(struct box *b, const char *name, const char *transport, const char *rotational,
                 const char *model) {
    for (int64_t t = 0; t < 2; t++) { /* more targets than a box may have is no harm */
        char *subject = arena_fmt(&arena, "digest of %s", name);
        fact(b, "disk", subject, t, "name", name);
        fact(b, "disk", subject, t, "transport", transport);
        fact(b, "disk", subject, t, "rotational", rotational);
        fact(b, "disk", subject, t, "model", model);
    }
}

static bool media(const char *want, const char *transport, const char *rotational,
                  const char *code) {
    struct box *b = with_disks(1, "sda", "1");
    disk(b, "sda", transport, rotational, "X");
    b->profile.hardware.media = want;
    return *code ? is(run(b), code, SEVERITY_SAY, 0) : run(b).n == 0;
}

static void hardware(void) {
    CHECK("hdd on hdd", media("hdd", "sata", "yes", ""));
    CHECK("hdd on ssd", media("hdd", "sata", "no", "hardware-mismatch"));
    CHECK("ssd on ssd", media("ssd", "sas", "no", ""));
    CHECK("ssd on nvme is ssd", media("ssd", "nvme", "no", ""));
    CHECK("nvme on ssd", media("nvme", "sata", "no", "hardware-mismatch"));
    CHECK("nvme on nvme", media("nvme", "nvme", "no", ""));
    CHECK("mixed on one kind", media("mixed", "sata", "yes", "hardware-mismatch"));
    CHECK("behind virtio nothing is known", media("hdd", "virtio", "yes", "hardware-unknown"));
    CHECK("nor against it", media("ssd", "virtio", "yes", "hardware-unknown"));
    CHECK("no flag", media("hdd", "sata", NULL, "hardware-unknown"));

    struct box *b = with_disks(2, "sda sdb", "2");
    disk(b, "sda", "sata", "yes", "TOSHIBA HDWG160");
    disk(b, "sdb", "sata", "yes", "TOSHIBA HDWG160");
    b->profile.hardware = (struct hardware_spec){
        .media = "hdd", .model = "TOSHIBA HDWG*", .disks = 2, .strict = true};
    CHECK("all fits", run(b).n == 0);
    disk(b, "sdb", "sata", "yes", "ST4000DM004");
    struct finding_list l = run(b);
    CHECK("a model does not; both targets on it: once, for the run; strict: refused",
          is(l, "hardware-mismatch", SEVERITY_REFUSE, UNKNOWN));
    CHECK("it is named", l.n && strstr(l.items[0].text, "sdb is 'ST4000DM004'"));
    b->profile.hardware.strict = false;
    CHECK("not strict: said", is(run(b), "hardware-mismatch", SEVERITY_SAY, UNKNOWN));
    b->profile.hardware.model = "SEAGATE ST4000*";
    disk(b, "sda", "sas", "yes", "ST4000NM0025");
    for (int64_t t = 0; t < 2; t++)
        fact(b, "disk", "digest of sda", t, "vendor", "SEAGATE");
    for (int64_t t = 0; t < 2; t++)
        fact(b, "disk", "digest of sdb", t, "vendor", "SEAGATE");
    CHECK("a vendor may stand in front", run(b).n == 0);
    b->profile.hardware.disks = 4;
    CHECK("too few disks", is(run(b), "hardware-mismatch", SEVERITY_SAY, UNKNOWN));

    b = with_disks(1, "sda", "1");
    disk(b, "sda", "sata", "yes", NULL);
    b->profile.hardware.model = "X*";
    b->profile.hardware.strict = true;
    CHECK("no model: cannot be told, not refused", is(run(b), "hardware-unknown", SEVERITY_SAY, 0));
    b->profile.hardware.model = NULL;
    b->profile.hardware.layout = "mirror";
    CHECK("a mirror of one disk is none", is(run(b), "hardware-mismatch", SEVERITY_REFUSE, 0));
    b->profile.hardware.layout = "single";
    CHECK("single", run(b).n == 0);

    b = with_disks(1, NULL, NULL);
    b->profile.hardware = (struct hardware_spec){
        .media = "hdd", .model = "X*", .layout = "mirror", .disks = 2, .strict = true};
    l = run(b);
    CHECK("disks not known: never refused", is(l, "hardware-unknown", SEVERITY_SAY, 0));
    CHECK("with the reason", l.n && strstr(l.items[0].text, "the test hides it"));
}

/* Two disks of data and one of log, in a pool of that layout. */
static struct box *in_pool(const char *layout, const char *count) {
    struct box *b = on_pool(1);
    const char *const names[] = {"sda", "sdb", "sdc"};
    fact(b, "pool", "", 0, "layout", layout);
    fact(b, "pool", "", 0, "disk_count", count);
    for (size_t i = 0; i < LENGTH(names); i++) {
        fact(b, "disk", names[i], 0, "name", names[i]);
        fact(b, "disk", names[i], 0, "transport", "sata");
        fact(b, "disk", names[i], 0, "rotational", i < 2 ? "yes" : "no");
        fact(b, "disk", names[i], 0, "model", i < 2 ? "HDWG160" : "SSD");
        fact(b, "disk", names[i], 0, "vdev_class", i < 2 ? "data" : "log");
    }
    b->profile.hardware = (struct hardware_spec){.disks = UNKNOWN, .strict = true};
    return b;
}

static bool layout(const char *want, const char *is_one, bool fits) {
    struct box *b = in_pool(is_one, "2");
    b->profile.hardware.layout = want;
    struct finding_list l = run(b);
    return fits ? l.n == 0 : is(l, "hardware-mismatch", SEVERITY_REFUSE, 0);
}

static bool raid(const char *want, const char *layers, const char *code) {
    struct box *b = with_disks(1, "sda sdb", "2");
    disk(b, "sda", "sata", "yes", "X");
    disk(b, "sdb", "sata", "yes", "X");
    fact(b, "mount", "", 0, "layers", layers);
    b->profile.hardware.layout = want;
    struct finding_list l = run(b);
    return *code ? is(l, code, SEVERITY_SAY, 0) : l.n == 0;
}

static void hardware_of_pools(void) {
    CHECK("a mirror", layout("mirror", "mirror of 2", true));
    CHECK("several, with a log", layout("mirror", "3 x mirror of 2; log 1", true));
    CHECK("raidz2", layout("raidz2", "2 x raidz2 of 6; special mirror of 2; spare 2", true));
    CHECK("raidz1 is not raidz2", layout("raidz2", "raidz1 of 6", false));
    CHECK("a mirror of metadata is none of data",
          layout("mirror", "raidz1 of 3; special mirror of 2", false));
    CHECK("dRAID", layout("draid2", "draid2:4d:11c:1s of 11", true));
    CHECK("stripe", layout("stripe", "stripe of 4", true));
    CHECK("single", layout("single", "single; cache 1", true));
    CHECK("single is not stripe", layout("stripe", "single", false));
    CHECK("of two kinds it is neither", layout("mirror", "mirror of 2 + single", false));

    struct box *b = in_pool("mirror of 2; log 1", "2");
    b->profile.hardware.media = "hdd";
    b->profile.hardware.model = "HDWG*";
    b->profile.hardware.disks = 2;
    CHECK("disks that hold data count, not the log", run(b).n == 0);
    b->profile.hardware.media = "ssd";
    CHECK("another kind", is(run(b), "hardware-mismatch", SEVERITY_REFUSE, 0));
    b = in_pool("raidz1 of 3", "3");
    b->profile.hardware.disks = 3;
    b->profile.hardware.media = "hdd";
    struct finding_list l = run(b);
    CHECK("one disk is hidden: cannot be told",
          is(l, "hardware-unknown", SEVERITY_SAY, 0) && strstr(l.items[0].text, "only 2 of the 3"));
    b = in_pool(NULL, NULL);
    b->profile.hardware.layout = "mirror";
    b->profile.hardware.disks = 2;
    CHECK("a pool that tells nothing", is(run(b), "hardware-unknown", SEVERITY_SAY, 0));

    CHECK("md mirror", raid("mirror", "crypt -> raid1 -> 2 x (partition -> disk)", ""));
    CHECK("md stripe is no mirror", raid("mirror", "raid0 -> 2 x disk", "hardware-mismatch"));
    CHECK("raid10 has no word", raid("mirror", "raid10 -> 2 x disk", "hardware-unknown"));
    CHECK("LVM does not tell", raid("stripe", "lvm -> 2 x disk", "hardware-unknown"));
    CHECK("two arrays", raid("mirror", "raid0 -> 2 x (raid1 -> 2 x disk)", "hardware-unknown"));
}

static void table(void) {
    bool unique = true, sound = true;
    for (size_t i = 0; i < n_finding_infos; i++) {
        sound &= finding_infos[i].severities && *finding_infos[i].about;
        for (size_t k = i + 1; k < n_finding_infos; k++)
            unique &= strcmp(finding_infos[i].code, finding_infos[k].code) != 0;
    }
    CHECK("each code once", unique);
    CHECK("each with a severity and a sentence", sound && n_finding_infos > 40);
    struct finding_list l = {0};
    char text[] = "text";
    for (int i = 0; i < 100; i++)
        finding_add(&arena, &l, "drift", SEVERITY_SHAPE, i, text);
    text[0] = 'n';
    CHECK("the list grows and keeps copies", l.n == 100 && l.items[99].target == 99 &&
                                                 !strcmp(l.items[0].text, "text") &&
                                                 !l.items[0].evidence);
}

int main(void) {
    low_space();
    machine();
    expect();
    expected_values();
    pool();
    which_dataset();
    properties();
    snapshots_and_disks();
    others();
    hardware();
    hardware_of_pools();
    table();
    arena_release(&arena);
    return check_done();
}
