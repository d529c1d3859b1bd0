/*
 * unit_cold.c: what is tried so that reads come from the disks: fadvise, the file kept from run to
 * run, drop_caches. That nothing foreign is touched for it; and that O_DIRECT which cannot be is
 * told before anything is written.
 */
#include "check.h"

#include "../src/measure/cold.h"
#include "../src/measure/direct.h"
#include "../src/measure/keep.h"
#include "zhist/work.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define UUID "01234567-89ab-4def-8123-456789abcdef"
#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define KEPT ".zhist-keep-0123456789ab"

enum { KIB = 1024, MIB = 1 << 20, SIZE = 256 * KIB };

int mincore(void *address, size_t len, unsigned char *pages); /* hidden from POSIX programs */

static char dir[512];
static struct arena memory;
static struct target target;
static struct work *work;
static struct iteration it;
static struct err e;

static const char *in(const char *name) {
    return arena_fmt(&memory, "%s/%s", dir, name);
}

static ino_t inode(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0 ? st.st_ino : 0;
}

static int64_t size_of(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

static void put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        printf("#   cannot write %s\n", path);
    close(fd);
}

static struct workload reader(void) {
    struct workload w = {.name = "w",
                         .kind = KIND_FILE,
                         .phase = {PHASE_READ},
                         .n_phases = 1,
                         .block = 64 * KIB,
                         .jobs = 2,
                         .depth = 1,
                         .flush = FLUSH_END,
                         .cold = COLD_TRY,
                         .data = {.compress = 1}};
    memcpy(w.digest, DIGEST, sizeof DIGEST);
    return w;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int begin(const struct workload *w, int64_t size) {
    struct buf said = {0};
    int status = target_open(&memory, NULL, dir, &target, &e);
    status = status || target_tidy(&memory, &target, &said, &e) ||
             target_enter(&memory, &target, UUID, &e) || work_open(&memory, w, size, 1, &work, &e);
    if (status || said.len)
        printf("#   %s %s\n", status ? e.text : "", said.len ? said.data : "");
    buf_release(&said);
    return status == 0;
}

static int phase(enum phase which, bool warmup) {
    it = (struct iteration){.warmup = warmup};
    if (work_run(work, &target, which, NULL, &it, &e) == 0 && it.status == ITERATION_OK)
        return 1;
    printf("#   %s\n", it.failed ? it.failed : e.text);
    return 0;
}

static int finish(void) {
    int status = work_clean(work, &target, &e);
    work_close(work);
    if (target_leave(&target, &e) != 0 || status != 0)
        printf("#   %s\n", e.text);
    target_close(&target);
    return status == 0;
}

static int tried(const char *what) {
    const char *got = work_cold_tried(work);
    if (got && !strcmp(got, what))
        return 1;
    printf("#   tried: %s\n", got ? got : "nothing");
    return 0;
}

static const char *kept_file(int job) {
    uint32_t hash = UINT32_C(2166136261);
    for (const char *c = DIGEST; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT32_C(16777619);
    return arena_fmt(&memory, "%s/" KEPT "/w%08x-j%d", dir, (unsigned)hash, job);
}

static void forget(void) {
    struct buf said = {0};
    if (target_open(&memory, NULL, dir, &target, &e) != 0 ||
        target_forget(&memory, &target, &said, &e) != 0)
        printf("#   %s\n", e.text);
    target_close(&target);
    buf_release(&said);
}

/* ---- which rungs ----------------------------------------------------------------------------- */

static void test_rungs(void) {
    struct workload w = reader();
    w.n_phases = 2;
    w.phase[1] = PHASE_WRITE;
    CHECK("a workload begins", begin(&w, SIZE));
    CHECK("a write tries nothing", phase(PHASE_WRITE, false) && !work_cold_tried(work));
    CHECK("a read is made cold", phase(PHASE_READ, false) && tried("fadvise"));
    CHECK("so is a random one", phase(PHASE_RANDREAD, false) && tried("fadvise"));
    CHECK("an overwriting one is not", phase(PHASE_REWRITE, false) && !work_cold_tried(work));
    CHECK("and ends", finish());
    CHECK("nothing is kept unasked", inode(in(KEPT)) == 0);
    w.cold = COLD_NO;
    CHECK("cold: no begins", begin(&w, SIZE));
    CHECK("cold: no tries nothing", phase(PHASE_READ, false) && !work_cold_tried(work));
    CHECK("and ends", finish());
}

static void test_drop_caches(void) {
    struct work bare = {.spec = NULL};
    cold_drop_caches(&bare, &(struct work_watch){.drop_caches = false});
    CHECK("caches are not dropped unasked", !work_cold_tried(&bare));
    if (geteuid() == 0 && seteuid(65534) != 0) {
        SKIP("nobody may drop them", "cannot be nobody");
        return;
    }
    cold_drop_caches(&bare, &(struct work_watch){.drop_caches = true});
    const char *got = work_cold_tried(&bare);
    CHECK("nobody may drop them, and that is told",
          got && (!strcmp(got, "drop_caches (not permitted, it needs root)") ||
                  !strcmp(got, "drop_caches (not possible here)")));
    cold_note(&bare, "fadvise", NULL);
    cold_note(&bare, "fadvise", NULL);
    CHECK("rungs are joined, each once", strstr(work_cold_tried(&bare), "root), fadvise") ||
                                             strstr(work_cold_tried(&bare), "here), fadvise"));
    if (getuid() == 0 && seteuid(0) != 0)
        printf("#   cannot be root again\n");
}

/* Pages of a file in the page cache; -1: cannot be told. */
static int resident(int fd, size_t len) {
    static unsigned char page[4096];
    size_t pages = (len + 4095) / 4096;
    int found = 0;
    void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED || pages > sizeof page || mincore(map, len, page) != 0)
        return -1;
    for (size_t i = 0; i < pages; i++)
        found += page[i] & 1;
    munmap(map, len);
    return found;
}

static void test_fadvise(void) {
    char *block = calloc(1, MIB);
    int fd = open(in("page-cache"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK("a file is written", fd >= 0 && write(fd, block, MIB) == MIB);
    int before = resident(fd, MIB);
    CHECK("its cache is asked to go", cold_forget(fd) == 0);
    int after = resident(fd, MIB);
    printf("# pages in the cache: %d, then %d\n", before, after);
    if (before > 0 && after == before)
        SKIP("it has gone", "this file system keeps it");
    else
        CHECK("it has gone", after < before);
    close(fd);
    unlink(in("page-cache"));
    CHECK("what cannot be flushed is an error", cold_forget(-1) == -1 && errno == EBADF);
    free(block);
}

/* ---- keep ------------------------------------------------------------------------------------ */

static void test_keep_runs(void) {
    struct workload w = reader();
    w.keep = true;
    CHECK("the first run begins", begin(&w, SIZE));
    CHECK("it has nothing kept to read",
          phase(PHASE_READ, false) && it.laid_out == 2 * SIZE && tried("fadvise"));
    CHECK("it ends", finish());
    ino_t first = inode(kept_file(0));
    CHECK("its files are kept",
          first != 0 && size_of(kept_file(0)) == SIZE && size_of(kept_file(1)) == SIZE);
    struct stat st;
    CHECK("in a directory for its owner alone",
          stat(in(KEPT), &st) == 0 && (st.st_mode & 0777) == 0700);

    CHECK("the second run begins, and tidies nothing away",
          begin(&w, SIZE) && inode(kept_file(0)) == first);
    CHECK("its warm-up leaves the kept files alone",
          phase(PHASE_READ, true) && it.laid_out == 2 * SIZE && tried("fadvise"));
    CHECK("so does the end of that block",
          work_clean(work, &target, &e) == 0 && inode(kept_file(0)) == first);
    CHECK("its first read takes them", phase(PHASE_READ, false) && it.laid_out == 0 &&
                                           it.bytes == 2 * SIZE && tried("keep, fadvise"));
    CHECK("its second does not",
          phase(PHASE_READ, false) && it.laid_out == 2 * SIZE && tried("fadvise"));
    CHECK("the block ends", work_clean(work, &target, &e) == 0);
    ino_t second = inode(kept_file(0));
    CHECK("they were replaced", second != 0 && second != first && size_of(kept_file(1)) == SIZE);
    CHECK("what comes after does not touch them",
          phase(PHASE_READ, false) && finish() && inode(kept_file(0)) == second);

    w.n_phases = 2;
    w.phase[0] = PHASE_WRITE;
    w.phase[1] = PHASE_READ;
    CHECK("one that also writes begins", begin(&w, SIZE));
    CHECK("it writes", phase(PHASE_WRITE, false));
    CHECK("reads what an earlier run wrote",
          phase(PHASE_READ, false) && it.laid_out == 0 && tried("keep, fadvise"));
    CHECK("and keeps what it wrote, without writing again",
          finish() && inode(kept_file(0)) != second);

    w.cold = COLD_NO;
    CHECK("cold: no takes them as well", begin(&w, SIZE) && phase(PHASE_READ, false) &&
                                             it.laid_out == 0 && !work_cold_tried(work) &&
                                             finish());
    forget();
    CHECK("forget removes them", inode(in(KEPT)) == 0);
    w.phase[1] = PHASE_REWRITE;
    CHECK("a workload that never reads", begin(&w, SIZE) && phase(PHASE_WRITE, false) && finish());
    CHECK("keeps nothing", inode(in(KEPT)) == 0);
}

static void test_keep_not_whole(void) {
    struct workload w = reader();
    w.keep = true;
    CHECK("files are kept", begin(&w, SIZE) && phase(PHASE_READ, false) && finish());
    CHECK("of another size", begin(&w, 2 * SIZE) && phase(PHASE_READ, false));
    CHECK("they are not read, but replaced",
          it.laid_out == 4 * SIZE && finish() && size_of(kept_file(0)) == 2 * SIZE);
    CHECK("where one is missing", unlink(kept_file(1)) == 0 && begin(&w, 2 * SIZE) &&
                                      phase(PHASE_READ, false) && it.laid_out == 4 * SIZE);
    CHECK("both are made anew", finish() && size_of(kept_file(1)) == 2 * SIZE);
    ino_t one = inode(kept_file(0));
    static int stop = 1;
    it = (struct iteration){0};
    CHECK("an interrupted run", begin(&w, 2 * SIZE) &&
                                    work_run(work, &target, PHASE_READ,
                                             &(struct work_watch){.stop = &stop}, &it, &e) == 0 &&
                                    it.status == ITERATION_INTERRUPTED);
    CHECK("leaves them", finish() && inode(kept_file(0)) == one);
    CHECK("a file with a second name", link(kept_file(0), in("second")) == 0 &&
                                           begin(&w, 2 * SIZE) && phase(PHASE_READ, false) &&
                                           it.laid_out == 4 * SIZE);
    CHECK("is neither read nor replaced",
          finish() && inode(kept_file(0)) == one && inode(in("second")) == one);
    unlink(in("second"));
    forget();
    CHECK("and goes once it is ours alone", inode(in(KEPT)) == 0);
}

/* What has the name and is not ours: the run goes on without, and touches nothing. */
static void check_foreign(const char *name, const char *why) {
    struct workload w = reader();
    w.keep = true;
    char line[100];
    snprintf(line, sizeof line, "%s of that name: the run goes on", name);
    CHECK(line, begin(&w, SIZE) && phase(PHASE_READ, false) && it.laid_out == 2 * SIZE);
    snprintf(line, sizeof line, "%s of that name: and says why", name);
    const char *got = work_cold_tried(work);
    if (!CHECK(line, got && strstr(got, "keep (") && strstr(got, why)))
        printf("#   %s\n", got ? got : "nothing");
    finish();
    forget();
}

static void test_keep_foreign(void) {
    struct stat st;
    mkdir(in("precious"), 0700);
    put(in("precious/file"), "precious");
    CHECK("a link", symlink("precious", in(KEPT)) == 0);
    check_foreign("a link", "not a directory");
    CHECK("is not followed", lstat(in(KEPT), &st) == 0 && S_ISLNK(st.st_mode) &&
                                 size_of(in("precious/file")) == 8 && rmdir(in("precious")) != 0);
    unlink(in(KEPT));
    put(in(KEPT), "a file");
    check_foreign("a file", "not a directory");
    CHECK("is left", size_of(in(KEPT)) == 6);
    unlink(in(KEPT));
    mkdir(in(KEPT), 0755);
    put(in(KEPT "/mine"), "mine");
    check_foreign("a directory with files in it", "no mark");
    CHECK("is left too", size_of(in(KEPT "/mine")) == 4);
    put(in(KEPT "/.zhist-mark"), "zhist keep-ffffffffffff pid 1\n");
    check_foreign("a directory with another mark", "not one that zhist makes");
    CHECK("is left as well", size_of(in(KEPT "/mine")) == 4);
    unlink(in(KEPT "/mine"));
    unlink(in(KEPT "/.zhist-mark"));
    struct workload w = reader();
    w.keep = true;
    CHECK("an empty one, as a crash leaves it, is taken",
          begin(&w, SIZE) && phase(PHASE_READ, false) && finish() && size_of(kept_file(1)) == SIZE);
    put(in(KEPT "/mine"), "mine");
    forget();
    CHECK("a stranger in it keeps it from being removed", size_of(in(KEPT "/mine")) == 4);
    unlink(in(KEPT "/mine"));
    forget();
    CHECK("without it all goes", inode(in(KEPT)) == 0);
    unlink(in("precious/file"));
    rmdir(in("precious"));
}

static void test_names(void) {
    char name[BOX_NAME];
    keep_name(DIGEST, name);
    CHECK_TEXT("twelve digits name it", name, KEPT);
    CHECK("it is known by its name", keep_is_name(name) && !box_is_name(name));
    CHECK("others are not",
          !keep_is_name(".zhist-keep-0123456789a") && !keep_is_name(".zhist-keep-0123456789abc") &&
              !keep_is_name(".zhist-keep-0123456789aX") && !keep_is_name(".zhist-" UUID));
}

/* ---- direct ---------------------------------------------------------------------------------- */

static void test_direct(void) {
    int fd = open(in("direct"), O_RDWR | O_CREAT, 0600);
    int64_t unit = direct_unit(fd);
    printf("# direct I/O here is in units of %lld\n", (long long)unit);
    CHECK("the unit is told, or unknown", unit == UNKNOWN || (unit >= 0 && unit <= 65536));
    CHECK("of nothing it is unknown", direct_unit(-1) == UNKNOWN);
    close(fd);
    unlink(in("direct"));
}

int main(void) {
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/zhist-cold-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return 1;
    test_names();
    test_rungs();
    test_drop_caches();
    test_fadvise();
    test_keep_runs();
    test_keep_not_whole();
    test_keep_foreign();
    test_direct();
    CHECK("nothing was left behind", rmdir(dir) == 0);
    arena_release(&memory);
    return check_done();
}
