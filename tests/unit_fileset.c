/*
 * unit_fileset.c: workloads of kind `fileset` on a real directory: which files there are (sizes,
 * directories, real files), what each phase leaves on disk, layout, direct, jobs, flush; failures
 * as failures that name the file; memory. Nothing here depends on how fast the machine is.
 */
#include "check.h"

#include "../src/measure/fileset.h"
#include "zhist/profile.h"
#include "zhist/work.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UUID "01234567-89ab-4def-8123-456789abcdef"
#define SECOND "11111111-2222-4333-8444-555555555555"

enum { KIB = 1024, MIB = 1 << 20, MOST = 4000 };

static char dir[512], other[512], real[512];
static struct arena memory;
static struct target target, second;
static struct err e;
static struct iteration it;
static struct work *last; /* what it.failed and the histograms lie in */

static const enum phase all_phases[] = {PHASE_CREATE, PHASE_LIST,   PHASE_STAT,
                                        PHASE_READ,   PHASE_RENAME, PHASE_DELETE};

static struct workload set_of(int64_t files, int64_t total, enum fileset_sizes sizes) {
    return (struct workload){.name = "w",
                             .kind = KIND_FILESET,
                             .block = MIB,
                             .jobs = 1,
                             .depth = 1,
                             .flush = FLUSH_END,
                             .data = {.compress = 1},
                             .files = files,
                             .total = total,
                             .sizes = sizes,
                             .dirs = 1};
}

static void open_set(const struct workload *w) {
    work_close(last);
    last = NULL;
    if (work_open(&memory, w, w->total, 1, &last, &e) != 0)
        printf("#   %s\n", e.text);
}

static int run_on(struct target *t, enum phase phase) {
    it = (struct iteration){0};
    if (!last || work_run(last, t, phase, NULL, &it, &e) != 0)
        return 0;
    if (it.failed)
        printf("#   %s\n", it.failed);
    return it.status == ITERATION_OK;
}

static int run(enum phase phase) {
    return run_on(&target, phase);
}

static void done(void) {
    CHECK("it is cleaned", last && work_clean(last, &target, &e) == 0);
    work_close(last);
    last = NULL;
}

/* ---- what lies on disk ----------------------------------------------------------------------- */

static struct {
    int64_t files, dirs, renamed, bytes, size[MOST];
    uint64_t stamp[MOST];
} seen;

static int see(const char *path, const struct stat *st, int type, struct FTW *at) {
    const char *name = path + at->base;
    if (type == FTW_D && at->level > 0)
        seen.dirs++;
    if (type != FTW_F || *name == '.')
        return 0;
    if (seen.files < MOST) {
        int fd = open(path, O_RDONLY);
        seen.size[seen.files] = (int64_t)st->st_size;
        seen.stamp[seen.files] = 0;
        if (read(fd, &seen.stamp[seen.files], sizeof seen.stamp[0]) < 0)
            printf("# cannot read %s\n", path);
        close(fd);
    }
    seen.files++;
    seen.renamed += *name == 'g';
    seen.bytes += (int64_t)st->st_size;
    return 0;
}

static void look(const struct target *t) {
    memset(&seen, 0, sizeof seen);
    nftw(arena_fmt(&memory, "%s/.zhist-%s", t->path, t->uuid), see, 16, FTW_PHYS);
}

static int by_value(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static int stamps_differ(void) {
    qsort(seen.stamp, (size_t)seen.files, sizeof seen.stamp[0], by_value);
    for (int64_t i = 1; i < seen.files; i++)
        if (seen.stamp[i] == seen.stamp[i - 1])
            return 0;
    return 1;
}

/* ---- which files ----------------------------------------------------------------------------- */

static int64_t sum_of(const struct fileset_plan *p) {
    int64_t sum = 0;
    for (int64_t i = 0; i < p->files; i++)
        sum += fileset_size(p, i);
    return sum;
}

static int largest_holds(const struct fileset_plan *p) {
    for (int64_t i = 0; i < p->files; i++)
        if (fileset_size(p, i) > p->largest || fileset_size(p, i) < 0)
            return 0;
    return 1;
}

static void test_sizes(void) {
    static const int64_t counts[] = {1, 2, 3, 10, 101, 12552};
    static const int64_t totals[] = {1, 7, 1000, 5000000000, INT64_C(1) << 50};
    struct fileset_plan p;
    int exact = 1, bounded = 1, filled = 1;
    for (size_t i = 0; i < LENGTH(counts); i++)
        for (size_t k = 0; k < LENGTH(totals); k++)
            for (int sizes = SIZES_FIXED; sizes <= SIZES_LOGNORMAL; sizes++) {
                struct workload w = set_of(counts[i], totals[k], (enum fileset_sizes)sizes);
                fileset_plan(&memory, &w, &p);
                exact &= sum_of(&p) == totals[k];
                bounded &= largest_holds(&p);
                for (int64_t f = 0; f < p.files && totals[k] >= p.files; f++)
                    filled &= fileset_size(&p, f) > 0;
            }
    CHECK("all files together have exactly the total", exact);
    CHECK("none is larger than the largest", bounded);
    CHECK("none is empty where there is a byte for each", filled);

    struct workload w = set_of(10001, 10001 * 100000, SIZES_LOGNORMAL);
    fileset_plan(&memory, &w, &p);
    int64_t half = 0, large = 0, order = 0;
    for (int64_t i = 0; i < p.files; i++) {
        half += fileset_size(&p, i) < 60653; /* exp(-1/2) of the mean */
        large += fileset_size(&p, i) > 621000;
        order += i > 0 && fileset_size(&p, i) > fileset_size(&p, i - 1);
    }
    CHECK_NEAR("half of them lie below the median", (double)half, 5000, 0.001);
    CHECK_NEAR("one in a hundred is larger than 6.2 times the mean", (double)large, 100, 0.03);
    CHECK("they are shuffled", order > 4500 && order < 5500);
    struct fileset_plan again;
    fileset_plan(&memory, &w, &again);
    CHECK("the same workload has the same sizes",
          !memcmp(p.sizes, again.sizes, sizeof *p.sizes * 10001));
    snprintf(w.digest, sizeof w.digest, "%s", "another");
    fileset_plan(&memory, &w, &again);
    CHECK("another one has another order",
          memcmp(p.sizes, again.sizes, sizeof *p.sizes * 10001) != 0 && sum_of(&again) == p.total);
}

static void test_list(void) {
    struct size_share shares[] = {{10, 1 / 3.0}, {1000, 1 / 3.0}, {70000, 1 - 2 / 3.0}};
    struct workload w = set_of(100, 0, SIZES_LIST);
    struct fileset_plan p;
    int64_t n[3] = {0};
    w.size_list = shares;
    w.n_size_list = 3;
    CHECK("its total is resolved", work_resolve(&memory, &w, &e) == 0);
    fileset_plan(&memory, &w, &p);
    for (int64_t i = 0; i < 100; i++)
        for (size_t k = 0; k < 3; k++)
            n[k] += fileset_size(&p, i) == shares[k].size;
    CHECK("a list gives each size its share", n[0] == 33 && n[1] == 34 && n[2] == 33);
    CHECK("and its exact total", p.total == sum_of(&p) && w.total == p.total);
    CHECK("which is what create writes", work_written(&w, 0, PHASE_CREATE) == p.total);
}

static void test_dirs(void) {
    static const int64_t shapes[][2] = {
        {1, 1}, {10, 3}, {12552, 64}, {1000000000, 999999937}, {7, 7}};
    int spread = 1, found = 1;
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        struct fileset_plan p = {.files = shapes[i][0], .dirs = shapes[i][1]};
        int64_t step = p.dirs > 1000 ? p.dirs / 1000 : 1;
        for (int64_t d = 0; d < p.dirs; d += step) {
            int64_t first = fileset_first(&p, d), n = fileset_first(&p, d + 1) - first;
            spread &= n >= p.files / p.dirs && n <= p.files / p.dirs + 1;
            found &= fileset_dir_of(&p, first) == d && fileset_dir_of(&p, first + n - 1) == d;
        }
        found &= fileset_first(&p, p.dirs) == p.files;
    }
    CHECK("files are spread evenly over directories", spread);
    CHECK("and the directory of a file is found", found);
}

/* ---- phases ---------------------------------------------------------------------------------- */

static void check_phase(const struct workload *w, enum phase phase) {
    const struct phase_info *p = &phases[phase];
    struct sample samples[METRICS];
    bool moves = phase == PHASE_CREATE || phase == PHASE_READ;
    int64_t ops = phase == PHASE_LIST ? w->dirs : w->files;
    int rate = 0, each = 0;
    CHECK(p->name, run(phase));
    CHECK("  did every file", it.ops == w->files && it.bytes == (moves ? w->total : 0));
    const struct hist *h = p->writes ? it.write : it.read;
    CHECK("  timed each operation", h && h->count == ops && !(p->writes ? it.read : it.write));
    CHECK("  told what it read",
          it.read_ops == (p->reads ? w->files : 0) && it.read_bytes == (p->reads ? it.bytes : 0));
    CHECK("  took its time", it.duration > 0 && it.started_at > 0 && (it.flush >= 0) == p->writes);
    CHECK("  wrote what it said",
          work_written(w, 0, phase) == (phase == PHASE_CREATE ? w->total : 0));
    size_t n = work_samples(w, &it, samples);
    for (size_t i = 0; i < n; i++) {
        rate += samples[i].metric == METRIC_FILES_PER_SECOND && samples[i].value > 0;
        each += samples[i].metric == METRIC_TIME_PER_FILE && samples[i].value > 0;
    }
    CHECK("  has files a second and the time of one", rate == 1 && each == 1);
    look(&target);
    if (phase == PHASE_DELETE) {
        CHECK("  left no file", seen.files == 0);
        return;
    }
    CHECK("  left the files as they must be",
          seen.files == w->files && seen.bytes == w->total && seen.dirs == w->dirs);
    CHECK("  under their names", seen.renamed == (phase == PHASE_RENAME ? w->files : 0));
}

static void test_phases(void) {
    static const struct {
        enum fileset_sizes sizes;
        int64_t files, total, dirs;
        int jobs;
        int64_t block;
    } cases[] = {
        {SIZES_FIXED, 20, 20 * 4096, 1, 1, MIB},   {SIZES_FIXED, 100, 100 * 4096 + 50, 7, 3, MIB},
        {SIZES_LOGNORMAL, 97, 4 * MIB, 5, 1, 512}, {SIZES_LOGNORMAL, 50, 3 * MIB, 1, 3, 4096},
        {SIZES_LOGNORMAL, 9, 9, 9, 3, MIB},        {SIZES_FIXED, 2, 2 * MIB, 1, 3, 64 * KIB},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct workload w = set_of(cases[i].files, cases[i].total, cases[i].sizes);
        w.dirs = cases[i].dirs;
        w.jobs = cases[i].jobs;
        w.block = cases[i].block;
        printf("# %lld files, %lld bytes, %lld directories, %d jobs\n", (long long)w.files,
               (long long)w.total, (long long)w.dirs, w.jobs);
        open_set(&w);
        for (size_t k = 0; k < LENGTH(all_phases); k++) {
            check_phase(&w, all_phases[k]);
            CHECK("  found what it needs", it.laid_out == 0);
            if (all_phases[k] == PHASE_CREATE && w.total / w.files >= 4096)
                CHECK("  each file has bytes of its own, and room on disk",
                      stamps_differ() && it.size == w.total && it.allocated != UNKNOWN);
        }
        done();
    }
}

static void test_layout(void) {
    struct workload w = set_of(30, 30000, SIZES_LOGNORMAL);
    w.dirs = 4;
    for (size_t k = 1; k < LENGTH(all_phases); k++) {
        open_set(&w);
        check_phase(&w, all_phases[k]);
        CHECK("  laid out what it needs, before the clock",
              it.laid_out == 30000 && work_layout_written(&w, 0, all_phases[k]) == 30000);
        done();
        look(&target);
        CHECK("  nothing is left", seen.files == 0 && seen.dirs == 0);
    }
    CHECK("create lays out nothing", work_layout_written(&w, 0, PHASE_CREATE) == 0);

    open_set(&w);
    CHECK("renamed files are read and listed",
          run(PHASE_RENAME) && run(PHASE_READ) && it.bytes == 30000 && it.laid_out == 0 &&
              run(PHASE_LIST) && run(PHASE_STAT) && it.laid_out == 0);
    CHECK("a second rename has files to rename", run(PHASE_RENAME) && it.laid_out == 30000);
    CHECK("a second create begins anew", run(PHASE_CREATE) && it.ops == 30);
    CHECK("after delete files are laid out again",
          run(PHASE_DELETE) && run(PHASE_STAT) && it.laid_out == 30000);
    open_set(&w);
    CHECK("what another one left is made anew", run(PHASE_READ) && it.laid_out == 30000);
    look(&target);
    CHECK("and lies there once", seen.files == 30);
    CHECK("one set serves two targets in turn",
          run_on(&second, PHASE_CREATE) && run(PHASE_STAT) && it.laid_out == 0 &&
              run_on(&second, PHASE_RENAME) && run(PHASE_DELETE) && run_on(&second, PHASE_DELETE) &&
              it.laid_out == 0);
    CHECK("and cleans both", work_clean(last, &second, &e) == 0);
    done();
    int64_t files;
    CHECK("space is announced, with directories",
          work_space(&w, 0, &files) >= 30000 + 34 * 4096 && files == 34);
}

static void test_ways(void) {
    struct workload w = set_of(25, 25 * 3000, SIZES_FIXED);
    w.dirs = 3;
    w.jobs = 3;
    w.flush = FLUSH_EACH;
    open_set(&w);
    for (size_t k = 0; k < LENGTH(all_phases); k++)
        CHECK("flush: each works for every phase",
              run(all_phases[k]) && it.ops == 25 &&
                  (it.flush >= 0) == phases[all_phases[k]].writes);
    done();
    w.flush = FLUSH_NONE;
    open_set(&w);
    CHECK("without a flush its time and the room on disk are unknown",
          run(PHASE_CREATE) && it.flush == UNKNOWN && it.allocated == UNKNOWN);
    w.cold = COLD_TRY;
    CHECK("cold: try reads as well", run(PHASE_READ) && it.bytes == 75000);
    done();
    w.direct = true;
    w.block = 4096;
    w.total = 25 * 10000;
    open_set(&w);
    CHECK("direct writes every byte, the tail too", run(PHASE_CREATE) && it.bytes == 250000);
    look(&target);
    CHECK("  and the files are whole", seen.bytes == 250000 && stamps_differ());
    CHECK("direct reads every byte", run(PHASE_READ) && it.bytes == 250000);
    printf("# direct here: %s\n", work_direct_effect(last));
    done();
    w.block = 1000;
    CHECK("direct with odd blocks is refused",
          work_open(&memory, &w, 0, 1, &last, &e) == -1 && strstr(e.text, "512"));
    last = NULL;
    w = set_of(10, 3, SIZES_LOGNORMAL);
    open_set(&w);
    CHECK("empty files are files",
          run(PHASE_CREATE) && it.ops == 10 && run(PHASE_READ) && it.ops == 10 && it.bytes == 3);
    done();
}

/* ---- real files ------------------------------------------------------------------------------ */

static void put(const char *path, size_t len) {
    FILE *f = fopen(path, "w");
    for (size_t i = 0; f && i < len; i++)
        fputc((int)(i * 7 % 251), f);
    if (f)
        fclose(f);
}

static const char *in(const char *name) {
    return arena_fmt(&memory, "%s/%s", real, name);
}

static void test_real(void) {
    struct workload w = set_of(0, 0, SIZES_LOGNORMAL);
    w.from = w.from_path = real;
    w.dirs = 1;
    w.jobs = 2;
    w.block = 4096;
    CHECK("an empty directory is refused",
          work_resolve(&memory, &w, &e) == -1 && strstr(e.text, "holds no regular file"));
    mkdir(in("a"), 0700), mkdir(in("a/b"), 0700), mkdir(in("empty"), 0700), mkdir(in("z"), 0700);
    put(in("one"), 10000), put(in("two"), 0), put(in("a/three"), 70000), put(in("z/four"), 5);
    put(in("a/b/f1"), 4096), put(in("a/b/.hidden"), 1);
    if (symlink("one", in("link")) != 0 || mkfifo(in("pipe"), 0600) != 0)
        printf("# cannot make links\n");
    CHECK("real files are found, links and pipes are not",
          work_resolve(&memory, &w, &e) == 0 && w.files == 6 && w.total == 84102 && w.dirs == 5);
    open_set(&w);
    for (size_t k = 0; k < LENGTH(all_phases); k++)
        if (all_phases[k] != PHASE_LIST)
            check_phase(&w, all_phases[k]);
        else
            CHECK("list counts directories in directories", run(PHASE_LIST) && it.ops == 6);
    CHECK("their bytes are copied", run(PHASE_CREATE));
    char got[70001], want[70001];
    const char *box = arena_fmt(&memory, "%s/.zhist-" UUID, dir);
    struct fileset_plan p;
    struct buf path = {0};
    fileset_plan(&memory, &w, &p);
    int same = 0;
    for (int64_t f = 0; f < w.files; f++) {
        char name[FILESET_NAME], tag[9] = "";
        uint32_t hash = UINT32_C(2166136261);
        hash = (hash ^ 'w') * UINT32_C(16777619);
        snprintf(tag, sizeof tag, "%08x", (unsigned)hash);
        path.len = 0;
        buf_fmt(&path, "%s/", box);
        fileset_dir_path(&p, tag, fileset_dir_of(&p, f), &path);
        fileset_file_name(name, 'f', f);
        buf_fmt(&path, "/%s", name);
        FILE *copy = fopen(path.data, "r");
        FILE *from = fopen(in(arena_fmt(&memory, "%s/%s", w.tree->dir[fileset_dir_of(&p, f)].path,
                                        w.tree->file[f].name)),
                           "r");
        size_t n = copy ? fread(got, 1, sizeof got, copy) : 0;
        size_t m = from ? fread(want, 1, sizeof want, from) : 1;
        same += n == m && !memcmp(got, want, n);
        if (copy)
            fclose(copy);
        if (from)
            fclose(from);
    }
    buf_release(&path);
    CHECK("byte by byte, in the same tree", same == 6);
    put(in("one"), 9000);
    CHECK("an original that became shorter is a failure", !run(PHASE_CREATE) &&
                                                              it.status == ITERATION_FAILED &&
                                                              strstr(it.failed, "became shorter"));
    unlink(in("one"));
    CHECK("one that is gone too", !run(PHASE_CREATE) && it.errnum == ENOENT &&
                                      strstr(it.failed, "open of the original of \""));
    done();
    look(&target);
    CHECK("and everything is cleaned", seen.files == 0 && seen.dirs == 0);
    put(in("one"), 100000000);
    w.tree = NULL;
    w.quick = true;
    CHECK("--quick takes no more than 64 MiB",
          work_resolve(&memory, &w, &e) == 0 && w.total <= 64 << 20 && w.files >= 1);
    w.from_path = "/nonexistent/place";
    w.tree = NULL;
    CHECK("a directory that is not there is told",
          work_resolve(&memory, &w, &e) == -1 &&
              strstr(e.text, "workload \"w\": from: cannot open"));
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static int failed_with(int errnum, const char *part) {
    struct sample samples[METRICS];
    struct workload w = set_of(1, 1, SIZES_FIXED);
    if (it.status == ITERATION_FAILED && it.errnum == errnum && it.failed &&
        strstr(it.failed, part) && work_samples(&w, &it, samples) == 0)
        return 1;
    printf("#   status %d, errno %d: %s\n", (int)it.status, it.errnum, it.failed ? it.failed : "");
    return 0;
}

static const char *file_of(const char *name) {
    const char *box = arena_fmt(&memory, "%s/.zhist-" UUID, dir);
    DIR *d = opendir(box);
    const char *path = "";
    for (const struct dirent *entry; d && (entry = readdir(d));)
        if (*entry->d_name == 'w')
            path = arena_fmt(&memory, "%s/%s/%s", box, entry->d_name, name);
    if (d)
        closedir(d);
    return path;
}

static void test_failures(void) {
    struct workload w = set_of(50, 50 * 4096, SIZES_FIXED);
    struct rlimit old, low;
    open_set(&w);
    run(PHASE_CREATE);
    if (truncate(file_of("f7"), 100) != 0)
        printf("# cannot cut\n");
    run(PHASE_READ);
    CHECK("a file that is too short fails the read",
          failed_with(0, "-d0/f7\": the file is shorter than it was written"));
    run(PHASE_STAT);
    CHECK("and the stat",
          failed_with(0, "stat of \"") && strstr(it.failed, "/f7\": its size is not"));
    if (truncate(file_of("f7"), 8192) != 0)
        printf("# cannot extend\n");
    run(PHASE_READ);
    CHECK("one that is too long fails too", failed_with(0, "f7\": the file is longer"));
    unlink(file_of("f7"));
    run(PHASE_STAT);
    CHECK("one that is gone fails with its errno", failed_with(ENOENT, "f7\": No such file"));
    run(PHASE_LIST);
    CHECK("a list that is short is a failure", failed_with(0, "-d0\": it has not as many entries"));
    put(file_of("f7"), 1), put(file_of("stranger"), 1);
    run(PHASE_LIST);
    CHECK("one that is long too", failed_with(0, "entries"));
    run(PHASE_DELETE);
    CHECK("the rest can be deleted", it.status == ITERATION_OK);
    CHECK("a stranger stays and is told",
          work_clean(last, &target, &e) == -1 && strstr(e.text, "-d0/stranger\" was not made by"));
    const char *stranger = file_of("stranger");
    unlink(stranger);
    run(PHASE_CREATE);
    put(file_of("g9"), 3);
    mkdir(file_of("g11"), 0700);
    unlink(file_of("g9"));
    run(PHASE_RENAME);
    CHECK("a rename that fails names its file",
          failed_with(EISDIR, "rename of \"") && strstr(it.failed, "/f11\": Is a directory"));
    rmdir(file_of("g11"));
    done();

    w = set_of(10, 10 * MIB, SIZES_FIXED);
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 512 * KIB;
    open_set(&w);
    setrlimit(RLIMIT_FSIZE, &low);
    run(PHASE_CREATE);
    CHECK("a write that fails is a failed iteration",
          failed_with(EFBIG, "/f0\": File too large") && it.flush == UNKNOWN && it.ops == 0);
    run(PHASE_READ);
    CHECK("a layout that fails too",
          failed_with(EFBIG, "File too large") && it.duration == UNKNOWN);
    setrlimit(RLIMIT_FSIZE, &old);
    if (geteuid() == 0) {
        SKIP("a directory that may not be written", "root may write everywhere");
    } else {
        run(PHASE_STAT);
        chmod(file_of(""), 0500);
        run(PHASE_DELETE);
        CHECK("a directory that may not be written",
              failed_with(EACCES, "delete of \"") && it.ops == 0);
        chmod(file_of(""), 0700);
    }
    CHECK("the next one works", run(PHASE_READ) && it.bytes == 10 * MIB);
    int flag = 1;
    struct work_watch watch = {.stop = &flag};
    it = (struct iteration){0};
    work_run(last, &target, PHASE_READ, &watch, &it, &e);
    CHECK("a stop ends it as interrupted", it.status == ITERATION_INTERRUPTED && it.failed);
    done();
    look(&target);
    CHECK("nothing is left of failures", seen.files == 0 && seen.dirs == 0);
}

/* Links where a file or a directory was: never followed. */
static void test_links(void) {
    struct workload w = set_of(5, 5 * 4096, SIZES_FIXED);
    const char *canary = arena_fmt(&memory, "%s/canary", dir);
    open_set(&w);
    run(PHASE_CREATE);
    mkdir(canary, 0700);
    put(arena_fmt(&memory, "%s/f1", canary), 4096);
    unlink(file_of("f1"));
    if (symlink(arena_fmt(&memory, "%s/f1", canary), file_of("f1")) != 0)
        printf("# cannot link\n");
    run(PHASE_READ);
    CHECK("a link is not read", failed_with(ELOOP, "f1\""));
    run(PHASE_STAT);
    CHECK("nor looked through", failed_with(0, "f1\""));
    CHECK("nor removed", work_clean(last, &target, &e) == -1 && strstr(e.text, "-d0/f1\""));
    unlink(file_of("f1"));
    CHECK("then it is cleaned", work_clean(last, &target, &e) == 0);
    run(PHASE_CREATE);
    const char *set = file_of("");
    char path[700];
    snprintf(path, sizeof path, "%.*s", (int)strlen(set) - 1, set);
    CHECK("it is laid for the test",
          rename(path, arena_fmt(&memory, "%s/away", dir)) == 0 && symlink(canary, path) == 0);
    run(PHASE_DELETE);
    CHECK("a directory that became a link is not entered",
          it.status == ITERATION_FAILED && it.ops == 0);
    CHECK("nor swept", work_clean(last, &target, &e) == -1 &&
                           access(arena_fmt(&memory, "%s/f1", canary), F_OK) == 0);
    unlink(path);
    CHECK("back again", rename(arena_fmt(&memory, "%s/away", dir), path) == 0);
    done();
    unlink(arena_fmt(&memory, "%s/f1", canary));
    rmdir(canary);
}

static void test_full(void) {
    if (geteuid() != 0 || mount("tmpfs", other, "tmpfs", 0, "size=1m,nr_inodes=200") != 0) {
        SKIP("a full file system", "no tmpfs can be mounted here");
        return;
    }
    struct target full;
    struct workload w = set_of(30, 3 * MIB, SIZES_FIXED);
    if (target_open(&memory, "full", other, &full, &e) != 0 ||
        target_enter(&memory, &full, UUID, &e) != 0)
        printf("# %s\n", e.text);
    open_set(&w);
    run_on(&full, PHASE_CREATE);
    CHECK("no room is a failed iteration that names the file",
          failed_with(ENOSPC, "write of \"") && strstr(it.failed, "No space left"));
    CHECK("what was made is removed", work_clean(last, &full, &e) == 0);
    w = set_of(300, 300, SIZES_FIXED);
    open_set(&w);
    run_on(&full, PHASE_STAT);
    CHECK("no inode left", failed_with(ENOSPC, "create of \""));
    CHECK("what was made is removed", work_clean(last, &full, &e) == 0);
    w = set_of(20, 20 * 4096, SIZES_FIXED);
    open_set(&w);
    CHECK("what fits works", run_on(&full, PHASE_STAT));
    CHECK("what was made is removed", work_clean(last, &full, &e) == 0);
    work_close(last);
    last = NULL;
    CHECK("and the box", target_leave(&full, &e) == 0);
    target_close(&full);
    umount(other);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* As many files as the pictures of ssd-filesets, small ones, in a child whose peak is its own; the
 * sizes of the real set, whose buffers are the largest, are opened but not written. */
static void test_memory(void) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct workload w = set_of(12552, 12552 * 64, SIZES_LOGNORMAL);
        struct workload big = set_of(12552, INT64_C(5000000000), SIZES_LOGNORMAL);
        struct work *work;
        int ok = work_open(&memory, &big, 0, 1, &work, &e) == 0;
        w.dirs = 64;
        open_set(&w);
        for (size_t k = 0; k < LENGTH(all_phases); k++)
            ok &= run(all_phases[k]);
        ok &= work_clean(last, &target, &e) == 0;
        struct rusage use;
        getrusage(RUSAGE_SELF, &use);
        printf("# peak %ld KiB\n", use.ru_maxrss);
        fflush(stdout);
        _exit(!ok || use.ru_maxrss > 64 * KIB);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK("12,552 files of 5 GB need less than 64 MiB", status == 0);
    struct workload big = set_of(12552, INT64_C(5000000000), SIZES_LOGNORMAL);
    CHECK("and that is told", work_memory(&big, 0) > 17 * MIB && work_memory(&big, 0) < 32 * MIB);
    big.files = 1000000000;
    CHECK("so is what a thousand million files need", work_memory(&big, 0) > INT64_C(8000000000));
}

int main(void) {
    const char *tmp = getenv("TMPDIR");
    static char top[400];
    snprintf(top, sizeof top, "%s/zhist-fileset-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(top))
        return 1;
    snprintf(dir, sizeof dir, "%s/place", top);
    snprintf(other, sizeof other, "%s/other", top);
    snprintf(real, sizeof real, "%s/real", top);
    mkdir(dir, 0700), mkdir(other, 0700), mkdir(real, 0700);
    struct target *both[] = {&target, &second};
    const char *places[] = {dir, other}, *uuids[] = {UUID, SECOND};
    for (int i = 0; i < 2; i++)
        if (target_open(&memory, NULL, places[i], both[i], &e) != 0 ||
            target_enter(&memory, both[i], uuids[i], &e) != 0)
            printf("# %s\n", e.text);
    snprintf(dir, sizeof dir, "%s", target.path);
    signal(SIGXFSZ, SIG_IGN);
    test_sizes();
    test_list();
    test_dirs();
    test_phases();
    test_layout();
    test_ways();
    test_real();
    test_failures();
    test_links();
    test_memory();
    CHECK("the boxes are left", target_leave(&target, &e) == 0 && target_leave(&second, &e) == 0);
    test_full();
    target_close(&target), target_close(&second);
    const char *left[] = {"a/b/f1", "a/b/.hidden", "a/b", "a/three", "a",    "empty",
                          "z/four", "z",           "one", "two",     "link", "pipe"};
    for (size_t i = 0; i < LENGTH(left); i++)
        remove(in(left[i]));
    CHECK("nothing is left",
          rmdir(dir) == 0 && rmdir(other) == 0 && rmdir(real) == 0 && rmdir(top) == 0);
    arena_release(&memory);
    return check_done();
}
