/*
 * module.c: the probe of the ZFS modules: every parameter, which implementations of ciphers,
 * checksums and raidz were chosen and offered, the ARC in effect, and the module's own benchmarks.
 *
 * Where the module is not loaded there is no set: the system probe says why. What each parameter
 * means is in zfs(4) and spl(4); here they are texts.
 */
#include "probe.h"
#include "zhist/zfs.h"

#define KSTATS "/proc/spl/kstat/zfs/"

/* Until 2.1 ciphers were parameters of icp and fletcher those of zcommon; since 2.2 all of them
 * are in zfs. */
static const char *const modules[] = {"zfs", "spl", "icp", "zcommon", "zzstd"};

/* "cycle [fastest] generic avx2": the word in brackets, and all of them without the brackets.
 * NULL: no such list. */
static const char *chosen_of(struct arena *a, const char *text, const char **offered) {
    const char *chosen = NULL;
    struct buf b = {0};
    size_t n = 0;
    for (const char *at = text; *at; at += strspn(at, " \t")) {
        size_t len = strcspn(at, " \t");
        bool marked = len > 2 && *at == '[' && at[len - 1] == ']';
        const char *word = arena_copy(a, at + marked, marked ? len - 2 : len);
        if (marked && !n++)
            chosen = word;
        buf_fmt(&b, "%s%s", b.len && len ? " " : "", word);
        at += len;
    }
    *offered = arena_str(a, b.data);
    buf_release(&b);
    return n == 1 ? chosen : NULL;
}

static void parameters(struct probe *p, struct factset *set, const char *module) {
    const char **names, *dir = arena_fmt(p->a, "/sys/module/%s/parameters", module);
    size_t n = probe_list(p, dir, &names);
    for (size_t i = 0; i < n; i++) {
        const char *path = arena_fmt(p->a, "%s/%s", dir, names[i]), *why = NULL, *offered = NULL;
        const char *text = probe_read(p, path, &why);
        const char *chosen = text ? chosen_of(p->a, text, &offered) : NULL;
        fact_add(p->a, set, names[i], chosen ? chosen : text, text ? path : why);
        if (chosen)
            fact_add(p->a, set, arena_fmt(p->a, "%s.offered", names[i]), offered, path);
    }
}

static bool read_kstat(struct probe *p, const char *name, struct kstat *k, const char **source) {
    const char *path = arena_fmt(p->a, KSTATS "%s", name), *why = NULL;
    const char *text = probe_read(p, path, &why);
    struct err e = {0};
    *source = text ? path : why;
    if (!text)
        return false;
    if (!kstat_from_text(p->a, text, strlen(text), k, &e))
        return true;
    *source = arena_fmt(p->a, "%s: %s", path, e.text);
    return false;
}

/* What counts, whatever was asked for with zfs_arc_max and zfs_arc_min. */
static void arc(struct probe *p, struct factset *set) {
    static const char *const rows[] = {"c_max", "c_min", "c", "size"};
    struct kstat k = {0};
    const char *source;
    bool read = read_kstat(p, "arcstats", &k, &source);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        int64_t value = read ? kstat_number(&k, rows[i]) : UNKNOWN;
        fact_number(p, set, arena_fmt(p->a, "arc_%s", rows[i]), value,
                    value == UNKNOWN && read ? arena_fmt(p->a, "%s: no %s", source, rows[i])
                                             : source);
    }
}

int64_t facts_arc_at(const char *root) {
    struct arena a = {0};
    struct probe p;
    struct kstat k = {0};
    const char *source;
    probe_open(&p, &a, root, NULL, NULL);
    int64_t bytes = probe_exists(&p, "/sys/module/zfs") && read_kstat(&p, "arcstats", &k, &source)
                        ? kstat_number(&k, "c_max")
                        : UNKNOWN;
    arena_release(&a);
    return bytes;
}

int64_t facts_arc(void) {
    return facts_arc_at("");
}

/* A fact a row: "native=231639751 byteswap=207600724", in B/s. The row `fastest` says what the
 * implementation "fastest" came to at this load of the module. */
static void bench(struct probe *p, struct factset *set, const char *name, const char *file) {
    struct kstat k = {0};
    const char *source;
    if (!read_kstat(p, file, &k, &source)) {
        fact_add(p->a, set, arena_fmt(p->a, "bench.%s", name), NULL, source);
        return;
    }
    for (size_t i = 0; i < k.n_rows; i++) {
        struct buf b = {0};
        for (size_t c = 0; c < k.rows[i].n_values; c++)
            buf_fmt(&b, "%s%s=%s", c ? " " : "", k.columns[c], k.rows[i].values[c]);
        fact_add(p->a, set, arena_fmt(p->a, "bench.%s.%s", name, k.rows[i].name),
                 b.len ? b.data : NULL, b.len ? source : arena_fmt(p->a, "%s: no values", source));
        buf_release(&b);
    }
}

void probe_module(struct probe *p) {
    if (!probe_exists(p, "/sys/module/zfs"))
        return;
    struct factset *set = factset_add(p->a, p->sheet, "module", "", UNKNOWN);
    for (size_t i = 0; i < LENGTH(modules); i++)
        parameters(p, set, modules[i]);
    fact_from_file(p, set, "hostid", "/proc/sys/kernel/spl/hostid");
    arc(p, set);
    bench(p, set, "fletcher_4", "fletcher_4_bench");
    bench(p, set, "raidz", "vdev_raidz_bench");
    /* The first reader of chksum_bench makes the kernel run it: seconds of a whole CPU. */
    if (probe_exists(p, KSTATS "chksum_bench"))
        fact_add(p->a, set, "bench.checksum", NULL,
                 KSTATS "chksum_bench: not read, that would start the benchmark");
}
