/*
 * busy.c: does somebody else use the machine just before the run? The disks by two readings of
 * what the kernel counts of them (Documentation/admin-guide/iostats.rst), the CPUs by the load.
 */
#include "preflight.h"

/* What ZFS writes by itself every 5 s keeps a hard disk busy for a tenth of a second; a fifth of
 * the time is somebody. */
static const double BUSY_SHARE = 0.20;
/* 3 % of what one hard disk does; flash that is hardly busy with it is told by this. */
static const double BUSY_RATE = 5e6;
/* Shorter and one flush of a hard disk looks like load. */
static const int64_t LEAST_TIME = NS_PER_S / 10;
/* Of the CPUs: from there on what we start has to wait for one now and then. */
static const double LOAD_SHARE = 0.5;
enum { SECTOR = 512, DISKSTATS_MAX = 4 << 20 }; /* the kernel's sector, whatever the disk has */

struct counters {
    uint64_t sectors, busy_ms;
};

/* "   8  0 sda 393 0 15573 301 3682 0 392955 8815 0 7084 9185": the name is the third word, then
 * reads, merged, sectors, ms, the same of writes, in flight, ms with a request in flight. */
static bool counters_of(const char *text, const char *disk, size_t len, struct counters *out) {
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        unsigned long long v[10];
        unsigned major, minor;
        char name[128];
        line += *line == '\n';
        int n = sscanf(line, "%u %u %127s %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu",
                       &major, &minor, name, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7],
                       &v[8], &v[9]);
        if (n < 3 || strlen(name) != len || strncmp(name, disk, len))
            continue;
        if (n < 13)
            return false; /* half a line: not guessed */
        *out = (struct counters){v[2] + v[6], v[9]};
        return true;
    }
    return false;
}

static const char *disks_of(const struct fact_sheet *sheet, size_t t) {
    const char *names = fact_value(pool_of(sheet, t), "disks");
    return names ? names : fact_value(facts_find(sheet, "mount", (int64_t)t), "disks");
}

bool disks_known(const struct fact_sheet *sheet, size_t n_targets) {
    for (size_t t = 0; t < n_targets; t++)
        if (disks_of(sheet, t))
            return true;
    return false;
}

void disks_read(struct arena *a, struct disk_reading *reading) {
    struct err e;
    char *text;
    size_t len;
    reading->at = clock_monotonic_ns();
    reading->text = file_read(a, "/proc/diskstats", DISKSTATS_MAX, &text, &len, &e) ? NULL : text;
}

/* How far over its threshold, the worse of the two. */
static double weight(const struct disk_use *use) {
    double by_time = use->busy / BUSY_SHARE, by_rate = use->rate / BUSY_RATE;
    return by_time > by_rate ? by_time : by_rate;
}

bool disk_use_is_load(const struct disk_use *use) {
    return use->disk && weight(use) > 1;
}

void disks_compare(struct arena *a, const struct disk_reading *from, const struct disk_reading *to,
                   const struct fact_sheet *sheet, size_t n_targets, struct disk_use *use) {
    double seconds = (double)(to->at - from->at) / 1e9;
    for (size_t t = 0; t < n_targets; t++) {
        use[t] = (struct disk_use){.disk = NULL};
        const char *at = disks_of(sheet, t);
        if (!from->text || !to->text || to->at - from->at < LEAST_TIME)
            continue;
        for (size_t len; at && *at; at += len + (at[len] == ' ')) {
            struct counters x, y;
            len = strcspn(at, " ");
            if (!counters_of(from->text, at, len, &x) || !counters_of(to->text, at, len, &y) ||
                y.sectors < x.sectors || y.busy_ms < x.busy_ms) /* unplugged and back */
                continue;
            struct disk_use one = {.disk = arena_copy(a, at, len),
                                   .busy = (double)(y.busy_ms - x.busy_ms) / 1e3 / seconds,
                                   .rate = (double)(y.sectors - x.sectors) * SECTOR / seconds,
                                   .time = to->at - from->at};
            one.busy = one.busy > 1 ? 1 : one.busy; /* its clock ticks more coarsely than ours */
            if (!use[t].disk || weight(&one) > weight(&use[t]))
                use[t] = one;
        }
    }
}

void busy_check(struct arena *a, const struct preflight_ask *ask, size_t t,
                struct finding_list *out) {
    const struct disk_use *use = ask->use ? &ask->use[t] : NULL;
    struct buf b = {0};
    if (!use || !disk_use_is_load(use) || pool_activity(a, pool_of(ask->sheet, t)))
        return; /* a scan is told by its name */
    buf_fmt(&b, "somebody else uses the disks: before the run %s was busy %.0f %% of ", use->disk,
            100 * use->busy);
    unit_put_duration(&b, use->time);
    buf_str(&b, ", with ");
    unit_put(&b, use->rate, "B/s", UNITS_SI);
    buf_str(&b, " of others: the numbers are lower than they would be alone; find out who it is "
                "(iotop, or zpool iostat 1), or let --wait 3h wait for it");
    finding_add(a, out, "other-io", SEVERITY_DISTURBED, (int64_t)t, b.data);
    buf_release(&b);
}

/* Only said: the load is a mean of the last minute, so it counts what has just ended as well. */
void load_check(struct arena *a, const struct preflight_ask *ask, struct finding_list *out) {
    const struct factset *host = facts_find(ask->sheet, "system", UNKNOWN);
    const char *text = fact_value(host, "load1");
    int64_t cpus = fact_count(host, "cpus");
    double load;
    if (!text || unit_read_number(text, &load) || cpus < 1 || load <= LOAD_SHARE * (double)cpus)
        return;
    finding_put(a, out, "other-io", SEVERITY_SAY, UNKNOWN,
                "the load of the last minute is %.2f on %lld CPU%s: others compute or wait for "
                "disks, and what is bound by the CPU may be slower for it; measure when the "
                "machine is idle",
                load, (long long)cpus, cpus == 1 ? "" : "s");
}
