/*
 * init_work.c: the workloads of a first profile: sizes that fit the free space, the caches and the
 * kind of the disks. Only what this version can execute is written.
 */
#include "init_profile.h"
#include "zhist/unit.h"

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

static const struct medium {
    const char *media;
    int64_t size; /* of the large file: some seconds of work, moderate wear */
    int jobs;     /* of the random workload: how many requests such a disk answers at once */
    double rate;  /* B/s, to decide whether a cold file of twice the cache is affordable */
} mediums[] = {
    {"hdd", 2 * GIB, 1, 150e6},
    {"mixed", 2 * GIB, 1, 150e6},
    {"ssd", 2 * GIB, 2, 400e6},
    {"nvme", 4 * GIB, 4, 1000e6},
};

enum {
    SHARE = 8,            /* of the free space: no file is larger than this part of it */
    SMALLEST = 16,        /* MiB: less measures nothing but calls */
    COLD_SECONDS = 3600,  /* a run with a file of twice the cache may take so long */
    RANDOM_BLOCK = 16384, /* what databases and virtual machines use */
    RECORD_MOST = 65536,  /* a record up to this is a random block by itself */
};

static const struct medium *medium_of(struct arena *a, const struct init_ask *ask) {
    const char *media = init_media(a, ask);
    for (size_t i = 0; media && i < LENGTH(mediums); i++)
        if (!strcmp(mediums[i].media, media))
            return &mediums[i];
    return &mediums[0]; /* not known: what every disk can do */
}

static int64_t number(const struct factset *set, const char *key) {
    const char *text = fact_value(set, key);
    int64_t value;
    return text && !unit_read_count(text, &value) ? value : UNKNOWN;
}

static const struct factset *mount_of(const struct init_ask *ask, size_t t) {
    return facts_find(ask->sheet, "mount", ask->targets[t].at);
}

static bool is(const struct factset *set, const char *key, const char *value) {
    const char *text = fact_value(set, key);
    return text && !strcmp(text, value);
}

/* The least of all targets. */
static int64_t free_of(const struct init_ask *ask) {
    int64_t least = UNKNOWN;
    for (size_t t = 0; t < ask->n_targets; t++) {
        int64_t one = number(mount_of(ask, t), "available");
        if (one != UNKNOWN && (least == UNKNOWN || one < least))
            least = one;
    }
    return least;
}

/* The larger of wanted and what fits, as a power of two, so that block sizes divide it. */
static int64_t fitting(int64_t wanted, int64_t room) {
    while (wanted > SMALLEST * MIB && wanted > room)
        wanted /= 2;
    return wanted <= room ? wanted : 0;
}

/*
 * Does O_DIRECT go past the cache? On ZFS since 2.3, which is where the property `direct` came
 * (zfsprops(7)); what really happened is measured in the run.
 */
static bool direct_works(const struct init_ask *ask) {
    const struct factset *module = facts_find(ask->sheet, "module", UNKNOWN);
    for (size_t t = 0; t < ask->n_targets; t++) {
        const struct factset *mount = mount_of(ask, t);
        const char *direct = fact_value(facts_dataset(ask->sheet, ask->targets[t].at), "direct");
        if (is(mount, "fstype", "zfs") &&
            (!direct || !strcmp(direct, "disabled") || is(module, "zfs_dio_enabled", "0")))
            return false;
        if (!is(mount, "fstype", "zfs") && !is(mount, "backing", "disk"))
            return false;
    }
    return true;
}

static int64_t cache_of(const struct init_ask *ask, bool *arc) {
    int64_t most = number(facts_find(ask->sheet, "module", UNKNOWN), "arc_c_max");
    *arc = most != UNKNOWN && is(mount_of(ask, 0), "fstype", "zfs");
    return *arc ? most : ask->memory;
}

static const char *bytes_text(struct arena *a, int64_t bytes) {
    bool gib = bytes % GIB == 0, mib = bytes % MIB == 0;
    return arena_fmt(a, "%lld%s",
                     (long long)(bytes / (gib   ? GIB
                                          : mib ? MIB
                                                : 1024)),
                     gib   ? "GiB"
                     : mib ? "MiB"
                           : "KiB");
}

/* Where compression or dedup is compared the data must give it something to do. Not in stream-cold:
 * the ARC keeps blocks as they are stored, and half the size could fit it. */
static void put_data(const struct init_ask *ask, struct buf *out) {
    bool compress = init_compares(ask, "compression"), dedup = init_compares(ask, "dedup");
    if (compress || dedup)
        init_key(out, 4, "data",
                 !dedup      ? "{compress: 2.0}"
                 : !compress ? "{dedup: 50%}"
                             : "{compress: 2.0, dedup: 50%}",
                 !dedup      ? "half the size when compressed; 1.0: nothing to compress"
                 : !compress ? "half of the blocks repeat; 0%: all are unique"
                             : "half the size when compressed, half of the blocks repeat");
}

static void begin(struct arena *a, struct buf *out, const char *name, const char *why,
                  const char *size, const char *size_why, int64_t block, const char *done) {
    init_key(out, 2, "- name", name, why);
    init_key(out, 4, "kind", "file", "one file a job");
    init_key(out, 4, "size", size, size_why);
    init_key(out, 4, "block", bytes_text(a, block), "bytes of one operation");
    init_key(out, 4, "phases", done, "what is done, in this order");
}

static void stream(struct arena *a, struct buf *out, const struct init_ask *ask, int64_t size,
                   bool fits) {
    begin(a, out, "stream", "one large file, front to back", bytes_text(a, size),
          fits ? "fits the cache: its read may come from memory"
               : "of moderate wear: it is written anew each time",
          MIB, "[write, read]");
    init_key(out, 4, "flush", "end", "a write counts when it is on the disks");
    put_data(ask, out);
}

static void stream_direct(struct arena *a, struct buf *out, const struct init_ask *ask,
                          int64_t size) {
    buf_str(out, "\n");
    begin(a, out, "stream-direct", "the same past the cache: what the disks do",
          bytes_text(a, size), "as stream: here no cache has to be outgrown", MIB, "[write, read]");
    init_key(out, 4, "direct", "true", "O_DIRECT is asked for; what took effect is stored");
    put_data(ask, out);
}

/* A file of twice the cache is read from the disks whatever the cache does, and written each time.
 */
static void stream_cold(struct arena *a, struct buf *out, const struct init_ask *ask,
                        const struct medium *m, int64_t room) {
    bool arc;
    int64_t cache = cache_of(ask, &arc), size;
    if (cache == UNKNOWN || cache > INT64_MAX / 4) {
        buf_str(
            out,
            "\n  # A cold read needs a file of twice the cache, whose size is not known here.\n");
        return;
    }
    size = 2 * cache / MIB * MIB; /* as plan.c resolves it */
    double rounds = (INIT_ITERATIONS + INIT_WARMUP) * (double)ask->n_targets;
    double seconds = 2 * (double)size / m->rate * rounds, written = (double)size * rounds;
    bool live = seconds <= COLD_SECONDS && size <= room;
    struct buf cost = {0}, work = {0}, why = {0};
    buf_str(&why, "here ");
    unit_put(&why, (double)size, "B", UNITS_IEC);
    buf_fmt(&why, ": it follows the %s", arc ? "ARC's limit" : "memory");
    unit_put(&cost, written, "B", UNITS_SI);
    buf_str(&cost, " written and about ");
    unit_put_duration(&cost, (int64_t)seconds / 60 * 60 * NS_PER_S + 60 * NS_PER_S);
    buf_str(&cost, " a run");
    buf_fmt(out, "\n  # Reads that cannot come from memory need a file of twice the %s: %s%s.\n",
            arc ? "ARC" : "memory", cost.data,
            live          ? ""
            : size > room ? "; there is too little room for it"
                          : "; take the marks away if it is worth that");
    begin(a, &work, "stream-cold", "one file too large for the cache", arc ? "2xARC" : "2xRAM",
          why.data, MIB, "[write, read]");
    for (const char *line = work.data; *line;) {
        size_t len = strcspn(line, "\n");
        const char *from = live ? line : line + 2;
        buf_fmt(out, "%s%.*s\n", live ? "" : "  # ", (int)(len - (size_t)(from - line)), from);
        line += len + (line[len] == '\n');
    }
    buf_release(&cost);
    buf_release(&why);
    buf_release(&work);
}

/* One block of all targets: their record where that is small, else what databases use. */
static int64_t random_block(const struct init_ask *ask, int64_t *record) {
    const struct factset *first = facts_dataset(ask->sheet, ask->targets[0].at);
    *record = number(first, is(first, "type", "volume") ? "volblocksize" : "recordsize");
    bool usable = *record >= 4096 && *record <= RECORD_MOST;
    return usable ? *record : RANDOM_BLOCK;
}

static void random_work(struct arena *a, struct buf *out, const struct init_ask *ask,
                        const struct medium *m, int64_t size, bool direct) {
    int64_t record, block = random_block(ask, &record), each = size / 2 / m->jobs;
    const char *why = record == block ? "the size of a record"
                      : record > block
                          ? arena_fmt(a, "as databases use; each touches a whole record of %s",
                                      bytes_text(a, record))
                          : "as databases use";
    buf_str(out, "\n");
    init_key(out, 2, "- name", "random", "what databases and virtual machines do");
    init_key(out, 4, "kind", "file", "one file a job");
    init_key(out, 4, "size", bytes_text(a, each < MIB ? MIB : each), "of each job's file");
    init_key(out, 4, "block", bytes_text(a, block), why);
    init_key(out, 4, "phases", "[randread, randwrite]", "blocks in random order");
    init_key(out, 4, "time", "10s", "each phase, however fast it is");
    init_key(out, 4, "jobs", arena_fmt(a, "%d", m->jobs),
             m->jobs > 1 ? "threads: flash answers many requests at once"
                         : "threads: more of them make a disk seek more");
    if (direct)
        init_key(out, 4, "direct", "true", "past the cache, as far as the file system can");
    put_data(ask, out);
}

int init_workloads(struct arena *a, const struct init_ask *ask, struct buf *out, struct err *e) {
    const struct medium *m = medium_of(a, ask);
    int64_t room = free_of(ask), size, cache;
    bool arc, memory = is(mount_of(ask, 0), "backing", "memory"), direct = direct_works(ask);
    room = room == UNKNOWN ? SMALLEST * MIB * 4 : room / SHARE; /* df did not answer: carefully */
    size = fitting(m->size, room);
    if (!size)
        return err_set(e, ERR_FAILED,
                       "\"%s\" has too little free space to measure in: at least %d MiB are "
                       "needed, so that the file system stays as empty as it is",
                       ask->path, SMALLEST * SHARE);
    cache = cache_of(ask, &arc);
    init_key(out, 0, "workloads", "", "what is done in each target");
    stream(a, out, ask, size, memory || (cache != UNKNOWN && size < cache));
    if (memory)
        buf_str(out, "\n  # It lies in memory: there is no cold read, and nothing to pass by.\n");
    else if (direct)
        stream_direct(a, out, ask, size);
    else
        stream_cold(a, out, ask, m, room);
    random_work(a, out, ask, m, size, direct);
    return 0;
}
