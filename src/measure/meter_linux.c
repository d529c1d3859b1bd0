/*
 * meter_linux.c: what Linux counts of one target. Every number is a field of a small text file,
 * found once and read anew each time; the calls cost microseconds, no program is started.
 *
 * Sources: kstats of OpenZFS in /proc/spl/kstat/zfs (the forms: zfs.h),
 * Documentation/block/stat.rst, admin-guide/iostats.rst, filesystems/proc.rst (stat, meminfo,
 * self/io), accounting/psi.rst, ABI/stable/sysfs-devices-system-cpu, hwmon/drivetemp.rst,
 * net/sunrpc/stats.c (mountstats).
 */
#include "zhist/meter.h"

#include "meter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    TEXT_MAX = 256 << 10, /* of one file; of a longer one nothing is known */
    SECTOR = 512,         /* of the kernel's counters, whatever the disk has */
    CPUS_MAX = 256,
    DISK_FIELDS = 11,
};

enum file {
    FILE_DATASET,
    FILE_IOSTATS,
    FILE_ARC,
    FILE_TX,
    FILE_IO,
    FILE_STAT,
    FILE_PSI_CPU,
    FILE_PSI_IO,
    FILE_PSI_MEMORY,
    FILE_MEMORY,
    FILE_NET,
    FILES
};

struct meter {
    struct meter_spec spec;
    const char *root;
    int file[FILES]; /* -1: not there */
    int disk[METER_DISKS], temperature[METER_DISKS];
    char *name[METER_DISKS];
    size_t n_disks;
    int throttle[CPUS_MAX];
    size_t n_throttle;
    char *text; /* what was read last */
};

/* ---- files -------------------------------------------------------------------------------------
 */

__attribute__((format(printf, 2, 3))) static int open_file(const struct meter *m, const char *fmt,
                                                           ...) {
    char path[4096];
    size_t len = (size_t)snprintf(path, sizeof path, "%s", m->root);
    va_list ap;
    va_start(ap, fmt);
    int more = vsnprintf(path + len, sizeof path - len, fmt, ap);
    va_end(ap);
    if (more < 0 || (size_t)more >= sizeof path - len)
        return -1;
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* The whole file from its start, or NULL. */
static const char *text_of(const struct meter *m, int fd) {
    size_t len = 0;
    ssize_t got;
    if (fd < 0)
        return NULL;
    while (len < TEXT_MAX - 1 &&
           (got = pread(fd, m->text + len, TEXT_MAX - 1 - len, (off_t)len)) != 0)
        if (got > 0)
            len += (size_t)got;
        else if (errno != EINTR)
            return NULL;
    m->text[len] = '\0';
    return len < TEXT_MAX - 1 ? m->text : NULL;
}

/* A number without sign that fits, or UNKNOWN; *end behind it. */
static int64_t number_at(const char *text, const char **end) {
    int64_t value = 0;
    const char *at = text + strspn(text, " \t");
    const char *first = at;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *at - '0', &value))
            return UNKNOWN;
    if (end)
        *end = at;
    return at > first ? value : UNKNOWN;
}

/* Behind the key at the start of a line, or NULL. */
static const char *line_of(const char *text, const char *key) {
    size_t len = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, len) && strchr(" \t:", line[len]) && line[len])
            return line + len + 1;
    }
    return NULL;
}

/* "name   4    123": a row of a named kstat. */
static int64_t kstat(const char *text, const char *key) {
    const char *at = text ? line_of(text, key) : NULL;
    return at && number_at(at, &at) != UNKNOWN ? number_at(at, NULL) : UNKNOWN;
}

/* The sum of those that are there: versions have more or fewer of them. */
static int64_t kstat_sum(const char *text, const char *const *keys, size_t n) {
    int64_t sum = UNKNOWN;
    for (size_t i = 0; i < n; i++) {
        int64_t value = kstat(text, keys[i]);
        if (value != UNKNOWN)
            sum = (sum == UNKNOWN ? 0 : sum) + value;
    }
    return sum;
}

/* ---- opening -----------------------------------------------------------------------------------
 */

static bool is_dataset(const char *text, const char *name) {
    const char *at = text ? line_of(text, "dataset_name") : NULL;
    if (!at || number_at(at, &at) == UNKNOWN)
        return false;
    at += strspn(at, " \t");
    size_t len = strlen(name);
    return !strncmp(at, name, len) && (at[len] == '\n' || at[len] == '\0');
}

/* The kstat of a dataset bears a number; its name is within. */
static int find_dataset(const struct meter *m) {
    char path[4096];
    struct dirent *entry;
    int found = -1;
    snprintf(path, sizeof path, "%s/proc/spl/kstat/zfs/%s", m->root, m->spec.pool);
    DIR *dir = opendir(path);
    while (dir && found < 0 && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, "objset-", 7))
            continue;
        int fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (is_dataset(text_of(m, fd), m->spec.dataset))
            found = fd;
        else if (fd >= 0)
            close(fd);
    }
    if (dir)
        closedir(dir);
    return found;
}

static void open_zfs(struct meter *m) {
    if (m->spec.dataset && m->spec.pool)
        m->file[FILE_DATASET] = find_dataset(m);
    if (m->spec.pool)
        m->file[FILE_IOSTATS] = open_file(m, "/proc/spl/kstat/zfs/%s/iostats", m->spec.pool);
    m->file[FILE_ARC] = open_file(m, "/proc/spl/kstat/zfs/arcstats");
    m->file[FILE_TX] = open_file(m, "/proc/spl/kstat/zfs/dmu_tx");
}

/* drivetemp and nvme make it below the device; nvme one level higher on older kernels. */
static int find_temperature(const struct meter *m, const char *disk) {
    static const char *const below[] = {"device/hwmon", "device", "device/device/hwmon"};
    char path[4096];
    for (size_t i = 0; i < LENGTH(below); i++) {
        struct dirent *entry;
        int found = -1;
        snprintf(path, sizeof path, "%s/sys/class/block/%s/%s", m->root, disk, below[i]);
        DIR *dir = opendir(path);
        while (dir && found < 0 && (entry = readdir(dir)))
            if (!strncmp(entry->d_name, "hwmon", 5) && strlen(entry->d_name) < 64) {
                size_t len = strlen(path);
                snprintf(path + len, sizeof path - len, "/%.64s/temp1_input", entry->d_name);
                found = open(path, O_RDONLY | O_CLOEXEC);
                path[len] = '\0';
            }
        if (dir)
            closedir(dir);
        if (found >= 0)
            return found;
    }
    return -1;
}

static void open_disks(struct arena *a, struct meter *m) {
    const char *at = m->spec.disks ? m->spec.disks : "";
    for (size_t len; *at && m->n_disks < METER_DISKS; at += len + (at[len] == ' ')) {
        len = strcspn(at, " ");
        char *name = arena_copy(a, at, len);
        for (char *c = name; *c; c++)
            *c = *c == '/' ? '!' : *c; /* as /sys writes cciss/c0d0 */
        m->disk[m->n_disks] = open_file(m, "/sys/class/block/%s/stat", name);
        m->temperature[m->n_disks] = find_temperature(m, name);
        m->name[m->n_disks++] = name;
    }
}

static void open_cpus(struct meter *m) {
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        int fd =
            open_file(m, "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count", cpu);
        if (fd < 0)
            return; /* a gap in the numbers, or none at all: what is counted is counted */
        m->throttle[m->n_throttle++] = fd;
    }
}

struct meter *meter_open_at(struct arena *a, const char *root, const struct meter_spec *spec) {
    struct meter *m = arena_new(a, struct meter, 1);
    m->spec = *spec;
    m->root = root;
    m->text = arena_new(a, char, TEXT_MAX);
    for (size_t i = 0; i < FILES; i++)
        m->file[i] = -1;
    if (spec->storage == STORAGE_ZFS)
        open_zfs(m);
    m->file[FILE_IO] = open_file(m, "/proc/self/io");
    m->file[FILE_STAT] = open_file(m, "/proc/stat");
    m->file[FILE_PSI_CPU] = open_file(m, "/proc/pressure/cpu");
    m->file[FILE_PSI_IO] = open_file(m, "/proc/pressure/io");
    m->file[FILE_PSI_MEMORY] = open_file(m, "/proc/pressure/memory");
    m->file[FILE_MEMORY] = open_file(m, "/proc/meminfo");
    if (spec->storage == STORAGE_NETWORK)
        m->file[FILE_NET] =
            open_file(m, "%s", spec->nfs_device ? "/proc/self/mountstats" : "/proc/net/dev");
    open_disks(a, m);
    open_cpus(m);
    return m;
}

struct meter *meter_open(struct arena *a, const struct meter_spec *spec) {
    return meter_open_at(a, "", spec);
}

static void close_all(int *fd, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

void meter_close(struct meter *m) {
    if (!m)
        return;
    close_all(m->file, FILES);
    close_all(m->disk, m->n_disks);
    close_all(m->temperature, m->n_disks);
    close_all(m->throttle, m->n_throttle);
}

/* ---- reading -----------------------------------------------------------------------------------
 */

static void read_zfs(const struct meter *m, int64_t *count) {
    static const char *const hits[] = {"demand_data_hits", "demand_data_iohits",
                                       "prefetch_data_hits", "prefetch_data_iohits"};
    static const char *const misses[] = {"demand_data_misses", "prefetch_data_misses"};
    static const char *const waits[] = {"dmu_tx_dirty_throttle", "dmu_tx_dirty_delay",
                                        "dmu_tx_dirty_over_max", "dmu_tx_wrlog_delay"};
    /* A dataset that was destroyed and made anew under its name has another kstat. */
    const char *text = text_of(m, m->file[FILE_DATASET]);
    if (text && is_dataset(text, m->spec.dataset)) {
        count[METER_DATASET_READ] = kstat(text, "nread");
        count[METER_DATASET_WRITTEN] = kstat(text, "nwritten");
    }
    text = text_of(m, m->file[FILE_IOSTATS]);
    count[METER_DIRECT_READ] = kstat(text, "direct_read_bytes");
    count[METER_DIRECT_WRITTEN] = kstat(text, "direct_write_bytes");
    text = text_of(m, m->file[FILE_ARC]);
    count[METER_ARC_DATA_HITS] = kstat_sum(text, hits, LENGTH(hits));
    count[METER_ARC_DATA_MISSES] = kstat_sum(text, misses, LENGTH(misses));
    count[METER_ARC_SIZE] = kstat(text, "size");
    count[METER_ARC_TARGET] = kstat(text, "c");
    count[METER_ARC_LIMIT] = kstat(text, "c_max");
    text = text_of(m, m->file[FILE_TX]);
    count[METER_DIRTY_WAITS] = kstat_sum(text, waits, LENGTH(waits));
}

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice", in ticks; guest time is
 * in user already. */
static void read_cpu(const struct meter *m, int64_t *count) {
    const char *text = text_of(m, m->file[FILE_STAT]), *at = text ? line_of(text, "cpu") : NULL;
    int64_t tick = sysconf(_SC_CLK_TCK), v[8];
    struct rusage own;
    if (getrusage(RUSAGE_SELF, &own) == 0)
        count[METER_CPU_OWN] =
            ((int64_t)own.ru_utime.tv_sec + own.ru_stime.tv_sec) * NS_PER_S +
            ((int64_t)own.ru_utime.tv_usec + own.ru_stime.tv_usec) * (NS_PER_S / 1000000);
    for (size_t i = 0; i < LENGTH(v); i++)
        if (!at || tick <= 0 || (v[i] = number_at(at, &at)) == UNKNOWN)
            return;
        else
            v[i] *= NS_PER_S / tick;
    count[METER_CPU_USER] = v[0] + v[1];
    count[METER_CPU_SYSTEM] = v[2];
    count[METER_CPU_IDLE] = v[3];
    count[METER_CPU_IOWAIT] = v[4];
    count[METER_CPU_IRQ] = v[5] + v[6];
    count[METER_CPU_STEAL] = v[7];
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", in microseconds */
static int64_t read_psi(const struct meter *m, enum file file) {
    const char *text = text_of(m, m->file[file]), *at = text ? line_of(text, "some") : NULL;
    const char *end = at ? strchr(at, '\n') : NULL;
    at = at ? strstr(at, "total=") : NULL;
    int64_t value = at && (!end || at < end) ? number_at(at + 6, NULL) : UNKNOWN;
    return value == UNKNOWN ? UNKNOWN : value * 1000;
}

/* "MemAvailable:   123 kB" */
static int64_t memory(const char *text, const char *key) {
    const char *at = text ? line_of(text, key) : NULL;
    int64_t value = at ? number_at(at, NULL) : UNKNOWN;
    return value == UNKNOWN ? UNKNOWN : value * 1024;
}

static int64_t sum(int64_t x, int64_t y) {
    return x == UNKNOWN || y == UNKNOWN ? UNKNOWN : x + y;
}

static void read_memory(const struct meter *m, int64_t *count) {
    const char *text = text_of(m, m->file[FILE_MEMORY]);
    struct statvfs fs;
    count[METER_MEMORY_AVAILABLE] = memory(text, "MemAvailable");
    count[METER_MEMORY_DIRTY] = sum(memory(text, "Dirty"), memory(text, "Writeback"));
    /* A server that does not answer would hold us for ever. */
    if (m->spec.storage != STORAGE_NETWORK && m->spec.path && statvfs(m->spec.path, &fs) == 0)
        count[METER_FREE] = (int64_t)(fs.f_bfree * (uint64_t)fs.f_frsize);
}

/* The mount's "bytes: normal-read -write direct-read -write server-read server-write ...". */
static void read_nfs(const struct meter *m, const char *text, int64_t *count) {
    char head[4096];
    int len = snprintf(head, sizeof head, "device %s with fstype nfs", m->spec.nfs_device);
    const char *found = NULL, *bytes;
    if (len < 0 || (size_t)len >= sizeof head)
        return;
    for (const char *at = text; at && (at = strstr(at, head)); at++)
        found = at; /* of several on one point the last is on top */
    bytes = found ? strstr(found, "\n\tbytes:") : NULL;
    const char *next = found ? strstr(found, "\ndevice ") : NULL;
    if (!bytes || (next && next < bytes))
        return;
    bytes += strlen("\n\tbytes:");
    for (int i = 0; i < 6; i++) {
        int64_t value = number_at(bytes, &bytes);
        if (i == 4)
            count[METER_NET_RECEIVED] = value;
        if (i == 5)
            count[METER_NET_SENT] = value;
    }
}

/* "  eth0: bytes packets errs drop fifo frame compressed multicast bytes ...", of all but lo. */
static void read_interfaces(const char *text, int64_t *count) {
    int64_t received = 0, sent = 0;
    bool any = false;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *at = line + strspn(line, " "), *colon = strpbrk(at, ":\n");
        if (!colon || *colon != ':' || !strncmp(at, "lo:", 3))
            continue;
        int64_t v[9];
        size_t n = 0;
        for (at = colon + 1; n < LENGTH(v) && (v[n] = number_at(at, &at)) != UNKNOWN;)
            n++;
        if (n < LENGTH(v))
            continue;
        received += v[0];
        sent += v[8];
        any = true;
    }
    count[METER_NET_RECEIVED] = any ? received : UNKNOWN;
    count[METER_NET_SENT] = any ? sent : UNKNOWN;
}

static void read_disk(const struct meter *m, size_t i, struct meter_disk *d) {
    const char *at = text_of(m, m->disk[i]);
    int64_t v[DISK_FIELDS];
    *d = (struct meter_disk){m->name[i], UNKNOWN, UNKNOWN, UNKNOWN,
                             UNKNOWN,    UNKNOWN, UNKNOWN, (double)NAN};
    for (size_t k = 0; k < DISK_FIELDS; k++)
        if (!at || (v[k] = number_at(at, &at)) == UNKNOWN)
            return;
    d->reads = v[0];
    d->read = v[2] * SECTOR;
    d->writes = v[4];
    d->written = v[6] * SECTOR;
    d->busy = v[9] * (NS_PER_S / 1000);
    d->waited = v[10] * (NS_PER_S / 1000);
}

void meter_read(struct meter *m, struct meter_reading *out) {
    int64_t *count = out->count;
    for (size_t i = 0; i < METER_COUNTS; i++)
        count[i] = UNKNOWN;
    out->at = clock_monotonic_ns();
    out->n_disks = m->n_disks;
    for (size_t i = 0; i < m->n_disks; i++)
        read_disk(m, i, &out->disk[i]);
    if (m->spec.storage == STORAGE_ZFS)
        read_zfs(m, count);
    const char *text = text_of(m, m->file[FILE_IO]);
    count[METER_PROC_READ] = text && line_of(text, "read_bytes")
                                 ? number_at(line_of(text, "read_bytes"), NULL)
                                 : UNKNOWN;
    count[METER_PROC_WRITTEN] = text && line_of(text, "write_bytes")
                                    ? number_at(line_of(text, "write_bytes"), NULL)
                                    : UNKNOWN;
    read_cpu(m, count);
    count[METER_PSI_CPU] = read_psi(m, FILE_PSI_CPU);
    count[METER_PSI_IO] = read_psi(m, FILE_PSI_IO);
    count[METER_PSI_MEMORY] = read_psi(m, FILE_PSI_MEMORY);
    read_memory(m, count);
    text = text_of(m, m->file[FILE_NET]);
    if (text && m->spec.nfs_device)
        read_nfs(m, text, count);
    else if (text)
        read_interfaces(text, count);
    for (size_t i = 0; i < m->n_throttle; i++) {
        text = text_of(m, m->throttle[i]);
        int64_t value = text ? number_at(text, NULL) : UNKNOWN;
        if (value != UNKNOWN)
            count[METER_CPU_THROTTLED] =
                (count[METER_CPU_THROTTLED] == UNKNOWN ? 0 : count[METER_CPU_THROTTLED]) + value;
    }
}

void meter_read_temperatures(struct meter *m, struct meter_reading *out) {
    for (size_t i = 0; i < m->n_disks && i < out->n_disks; i++) {
        const char *text = text_of(m, m->temperature[i]);
        int64_t value = text ? number_at(text, NULL) : UNKNOWN; /* thousandths of a degree */
        out->disk[i].temperature = value == UNKNOWN ? (double)NAN : (double)value / 1000;
    }
}
