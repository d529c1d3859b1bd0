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
    int64_t free_bytes[2], needed[2];
    bool db[2], quick;
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
                                .quick = b->quick};
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
    hardware();
    table();
    arena_release(&arena);
    return check_done();
}
