/*
 * unit_shape.c: the shape inside an iteration, and one disk among its siblings: for each word one
 * that gets it and one that does not; noise gets none.
 */
#include "check.h"
#include "counters.h"

static struct tick ticks[5000];
static size_t n_ticks;
static struct shape_seen seen[SHAPES];
static uint64_t seed = 11;

static double uniform(void) {
    return (double)(random_next(&seed) >> 11) / 9007199254740992.0;
}

static double normal(void) {
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

static void clear(void) {
    n_ticks = 0;
}

/* n more ticks of so many ms at a rate of MiB/s, with a spread of cv. */
static void add(size_t n, int64_t ms, double rate, double cv) {
    for (size_t i = 0; i < n; i++) {
        int64_t from = n_ticks ? ticks[n_ticks - 1].ms : 0;
        double mib = rate * (double)ms / 1000 * fmax(0, 1 + cv * normal());
        ticks[n_ticks++] = (struct tick){from + ms, MIB(mib), (int64_t)mib};
    }
}

/* Its shapes, joined by ' '. */
static const char *shapes(void) {
    static char words[64];
    words[0] = 0;
    shape_of_ticks(ticks, n_ticks, seen);
    for (size_t i = 0; i < SHAPES; i++)
        if (seen[i].found)
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", *words ? " " : "",
                     shape_names[i]);
    return words;
}

static void test_falls(void) {
    clear();
    add(60, 1000, 500, 0.05);
    add(40, 1000, 150, 0.05);
    CHECK_TEXT("500 MiB/s, then 150 to the end", shapes(), "collapse");
    CHECK_NEAR("after a minute", (double)seen[SHAPE_COLLAPSE].at, 60e9, 1e-12);
    CHECK_NEAR("from", seen[SHAPE_COLLAPSE].before, 500 * 1048576.0, 0.03);
    CHECK_NEAR("to", seen[SHAPE_COLLAPSE].after, 150 * 1048576.0, 0.03);
    clear();
    add(20, 1000, 2000, 0.05);
    add(80, 1000, 180, 0.05);
    CHECK_TEXT("a write buffer, then the disk", shapes(), "burst");
    clear();
    add(50, 1000, 250, 0.05);
    add(50, 1000, 140, 0.05);
    CHECK_TEXT("to more than half is no collapse", shapes(), "");
    clear();
    for (int i = 0; i < 100; i++)
        add(1, 1000, 250 - 1.2 * i, 0.03);
    CHECK_TEXT("outer to inner tracks", shapes(), "drift");
    clear();
    add(50, 1000, 500, 0.05);
    add(10, 1000, 150, 0.05);
    add(40, 1000, 500, 0.05);
    CHECK_TEXT("it came back", shapes(), "");
    clear();
    for (int i = 0; i < 20; i++) {
        add(2, 1000, 900, 0.1);
        add(3, 1000, 100, 0.1);
    }
    CHECK_TEXT("a pool that writes in bursts", shapes(), "");
    clear();
    add(60, 1000, 500, 0.05);
    add(2, 1000, 100, 0.05);
    CHECK_TEXT("the last two ticks", shapes(), "");
}

static void test_stalls(void) {
    clear();
    add(40, 100, 500, 0.1);
    add(30, 100, 0, 0);
    add(40, 100, 500, 0.1);
    CHECK_TEXT("nothing for three seconds", shapes(), "stall");
    CHECK_NEAR("how long", (double)seen[SHAPE_STALL].length, 3e9, 1e-12);
    CHECK_NEAR("when", (double)seen[SHAPE_STALL].at, 4e9, 1e-12);
    clear();
    add(40, 100, 500, 0.1);
    add(5, 100, 0, 0);
    add(40, 100, 500, 0.1);
    CHECK_TEXT("half a second is a pool's pause", shapes(), "");
    clear();
    for (int i = 0; i < 30; i++) {
        add(1, 1000, 4, 0);
        add(3, 1000, 0, 0);
    }
    for (size_t i = 0; i < n_ticks; i++)
        ticks[i].ops = ticks[i].bytes > 0;
    CHECK_TEXT("an operation every four seconds is none", shapes(), "");
    clear();
    add(2, 500, 100, 0);
    add(3, 500, 0, 0);
    CHECK_TEXT("in a short phase too, until its end", shapes(), "stall");
}

static void test_drift(void) {
    clear();
    for (int i = 0; i < 100; i++)
        add(1, 1000, 500 - 1.5 * i, 0.05);
    CHECK_TEXT("a third slower at the end", shapes(), "drift");
    CHECK("from and to", seen[SHAPE_DRIFT].before > seen[SHAPE_DRIFT].after);
    clear();
    for (int i = 0; i < 100; i++)
        add(1, 1000, 500 - 0.5 * i, 0.01);
    CHECK_TEXT("a tenth is what a disk's zones do", shapes(), "");
    clear();
    for (int i = 0; i < 4000; i++)
        add(1, 1000, 500 - 0.05 * i, 0.05);
    CHECK_TEXT("over an hour as well", shapes(), "drift");
    clear();
    add(12, 1000, 500, 0.05);
    for (size_t i = 0; i < n_ticks; i++) {
        ticks[i].bytes = 0;
        ticks[i].ops = i < 8 ? 1000 : 300;
    }
    CHECK_TEXT("operations where no bytes move", shapes(), "collapse");
}

static void test_nothing(void) {
    clear();
    CHECK_TEXT("no ticks", shapes(), "");
    CHECK("nothing is zero", isnan(seen[0].before) && seen[0].at == UNKNOWN);
    add(3, 1000, 500, 0);
    CHECK_TEXT("three ticks", shapes(), "");
    clear();
    add(100, 1000, 0, 0);
    CHECK_TEXT("nothing was ever done", shapes(), "");
    clear();
    add(20, 0, 500, 0);
    CHECK_TEXT("ticks without time", shapes(), "");
    ticks[3].ms = -5;
    CHECK_TEXT("a clock that went backwards", shapes(), "");
}

/* Independent, and with neighbours that are alike (0.6), as ticks of a disk are. */
static void test_noise(double alike, const char *name) {
    int words = 0;
    for (int k = 0; k < 1000; k++) {
        double e = 0;
        clear();
        for (int i = 0; i < 100; i++) {
            e = alike * e + sqrt(1 - alike * alike) * normal();
            add(1, 1000, 500 * fmax(0.05, 1 + 0.15 * e), 0);
        }
        words += *shapes() != 0;
    }
    if (!CHECK(name, words <= 10))
        printf("#   %d of 1000\n", words);
}

/* ---- disks ----------------------------------------------------------------------------------- */

static struct disk_shape disks(const int *roles, const enum media *media) {
    struct disk_shape d;
    phase_counts(&made.it, &made.p);
    disk_shape(&made.p.durable, roles, media, &d);
    return d;
}

static void make_disks(size_t n) {
    make(PHASE_READ, 10, n);
    disks_moved((int64_t)n * MIB(500), 0);
    disks_busy(0.5, 2 * (double)n); /* 4000 requests each, 5 ms a request */
}

static void test_disks(void) {
    static const int roles[] = {0, 0, 0, 0, 0, 1};
    static const enum media media[] = {MEDIA_HDD, MEDIA_HDD,  MEDIA_HDD,
                                       MEDIA_HDD, MEDIA_NVME, MEDIA_UNKNOWN};
    make_disks(6);
    CHECK("six alike", disks(NULL, NULL).slow == 6 && disks(NULL, NULL).hot == 6);
    struct meter_disk *d = made.reading[METER_AFTER].disk;
    d[3].waited += SECONDS(60);
    d[3].busy += SECONDS(4);
    struct disk_shape found = disks(roles, NULL);
    CHECK("one four times slower, and busier", found.slow == 3);
    CHECK_NEAR("its time", found.slow_service, 20e6, 1e-6);
    CHECK_NEAR("theirs", found.siblings_service, 5e6, 1e-6);
    d[3].busy -= SECONDS(4);
    CHECK("slower, but not busier: it got the harder part", disks(roles, NULL).slow == 6);
    make_disks(6);
    d[5].waited += SECONDS(60);
    d[5].busy += SECONDS(4);
    CHECK("a disk of another role has no siblings", disks(roles, NULL).slow == 6);
    CHECK("it has without roles", disks(NULL, NULL).slow == 5);
    d[5].reads = 7000 + 50;
    CHECK("fifty requests prove nothing", disks(NULL, NULL).slow == 6);
    make_disks(2);
    d[1].waited += SECONDS(60);
    d[1].busy += SECONDS(4);
    CHECK("one half of a mirror", disks(NULL, NULL).slow == 1);
    make_disks(6);
    d[2].temperature = 56;
    d[4].temperature = 69;
    CHECK("56 degrees are much for a disk that turns", disks(NULL, media).hot == 2);
    CHECK("and its limit", disks(NULL, media).temperature_limit == 55);
    d[2].temperature = 55;
    CHECK("55 are not", disks(NULL, media).hot == 6);
    d[4].temperature = 75;
    CHECK("75 are for any", disks(NULL, NULL).hot == 4);
    CHECK("throttling is not known", disks(NULL, NULL).throttled == UNKNOWN);
    counted(METER_CPU_THROTTLED, 7);
    CHECK("throttled seven times", disks(NULL, NULL).throttled == 7);
    make(PHASE_READ, 1, 0);
    CHECK("no disks", disks(NULL, NULL).slow == 0 && disks(NULL, NULL).hot == 0);
}

int main(void) {
    test_falls();
    test_stalls();
    test_drift();
    test_nothing();
    test_noise(0, "of 1000 noisy phases (cv 15 %) at most 10 get a word");
    test_noise(0.6, "also where neighbours are alike (r 0.6)");
    test_disks();
    return check_done();
}
