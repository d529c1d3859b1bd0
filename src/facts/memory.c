/*
 * memory.c: the part of the system probe that is about memory: installed, available, swap, and
 * what the control group leaves of it.
 */
#include <math.h>

#include "probe.h"
#include "zhist/unit.h"

#define MEMORY "/sys/devices/system/memory"
#define CGROUPS "/sys/fs/cgroup"

/* A line of meminfo, in bytes. */
static int64_t meminfo(struct arena *a, const char *text, const char *key) {
    const char *line = text ? text_field(a, text, key, ':') : NULL;
    int64_t kib;
    if (!line || unit_read_count(arena_copy(a, line, strspn(line, "0123456789")), &kib) ||
        kib > INT64_MAX / 1024)
        return UNKNOWN;
    return kib * 1024;
}

/*
 * What is installed: the blocks of physical memory the kernel manages. MemTotal is that less what
 * the kernel took for itself, some MiB more or less with each version, and moves with a balloon:
 * where there are no blocks it is rounded to 64 MiB.
 */
static int64_t installed(struct probe *p, int64_t total, const char **source) {
    const char *why, *text = probe_read(p, MEMORY "/block_size_bytes", &why), **names;
    int64_t size = 0, count = 0;
    for (; text && *text && size < INT64_C(1) << 50; text++) {
        const char *digits = "0123456789abcdef", *at = strchr(digits, *text);
        if (!at)
            break;
        size = size * 16 + (at - digits);
    }
    size_t n = text && !*text ? probe_list(p, MEMORY, &names) : 0;
    for (size_t i = 0; i < n; i++)
        count += !strncmp(names[i], "memory", 6) && names[i][6] >= '0' && names[i][6] <= '9';
    if (size && count && size <= INT64_MAX / count) {
        *source = MEMORY;
        return size * count;
    }
    *source = "/proc/meminfo: MemTotal, to the nearest 64 MiB";
    return total == UNKNOWN ? UNKNOWN : (total + (32 << 20)) / (64 << 20) * (64 << 20);
}

/* What is swapped to: "partition", "file", "zram", each once; "none". */
static void swap(struct probe *p, struct factset *set) {
    const char *path = "/proc/swaps", *why = NULL, *text = probe_read(p, path, &why), *kinds = "";
    /* The first line is a head: Filename Type Size Used Priority. */
    for (const char *line = text ? strchr(text, '\n') : NULL; line; line = strchr(line, '\n')) {
        line++;
        size_t name = strcspn(line, " \t\n"), gap = strspn(line + name, " \t");
        const char *type = line + name + gap;
        const char *kind = !strncmp(line, "/dev/zram", 9)
                               ? "zram"
                               : arena_copy(p->a, type, strcspn(type, " \t\n"));
        if (*kind && !text_has_word(kinds, kind))
            kinds = arena_fmt(p->a, "%s%s%s", kinds, *kinds ? " " : "", kind);
    }
    fact_add(p->a, set, "swap_kind", text ? *kinds ? kinds : "none" : NULL, text ? path : why);

    text = probe_read(p, path = "/sys/module/zswap/parameters/enabled", &why);
    fact_add(p->a, set, "zswap", text ? !strcmp(text, "Y") ? "on" : "off" : NULL,
             text ? path : why);
}

/* The least limit from this group up to the topmost one, which has none but in a container. read():
 * the number in a file's text, infinite where there is no limit. */
static void least_limit(struct probe *p, struct factset *set, const char *key, const char *group,
                        const char *file, double (*read)(struct arena *a, const char *text)) {
    double least = HUGE_VAL;
    const char *source = CGROUPS, *why;
    size_t len = strlen(group);
    while (len && group[len - 1] == '/')
        len--;
    for (bool top = false; !top;) {
        const char *path = arena_fmt(p->a, CGROUPS "%.*s/%s", (int)len, group, file);
        const char *text = probe_read(p, path, &why);
        double limit = text ? read(p->a, text) : HUGE_VAL;
        if (limit < least) {
            least = limit;
            source = path;
        }
        top = !len;
        while (len && group[--len] != '/') {
        }
    }
    fact_add(p->a, set, key, least < HUGE_VAL ? arena_fmt(p->a, "%.15g", least) : "none", source);
}

static double memory_max(struct arena *a, const char *text) {
    int64_t bytes;
    (void)a;
    return unit_read_count(text, &bytes) ? HUGE_VAL : (double)bytes;
}

/* cpu.max: "200000 100000" is the time of two CPUs. */
static double cpu_max(struct arena *a, const char *text) {
    int64_t quota, period;
    size_t len = strcspn(text, " ");
    if (unit_read_count(arena_copy(a, text, len), &quota) || !text[len] ||
        unit_read_count(text + len + 1, &period) || !period)
        return HUGE_VAL;
    return (double)quota / (double)period;
}

/* A container or a unit may have less than the machine. */
static void cgroup(struct probe *p, struct factset *set) {
    const char *path = "/proc/self/cgroup", *why = NULL, *text = probe_read(p, path, &why);
    const char *group = text ? text_field(p->a, text, "0:", ':') : NULL;
    if (group && *group == '/' && !strstr(group, "/..") &&
        probe_exists(p, CGROUPS "/cgroup.controllers")) {
        least_limit(p, set, "memory_limit", group, "memory.max", memory_max);
        least_limit(p, set, "cpu_limit", group, "cpu.max", cpu_max);
        return;
    }
    why = text ? CGROUPS ": not of version 2" : why;
    fact_add(p->a, set, "memory_limit", NULL, why);
    fact_add(p->a, set, "cpu_limit", NULL, why);
}

void system_memory(struct probe *p, struct factset *set) {
    static const char *const keys[][2] = {{"mem_total", "MemTotal"},
                                          {"mem_available", "MemAvailable"},
                                          {"swap", "SwapTotal"},
                                          {"swap_free", "SwapFree"}};
    const char *path = "/proc/meminfo", *why = NULL, *text = probe_read(p, path, &why), *source;
    int64_t total = meminfo(p->a, text, "MemTotal"), bytes = installed(p, total, &source);
    fact_number(p, set, "memory", bytes, bytes != UNKNOWN ? source : why);
    for (size_t i = 0; i < LENGTH(keys); i++) {
        int64_t value = meminfo(p->a, text, keys[i][1]);
        fact_number(p, set, keys[i][0], value,
                    value != UNKNOWN ? path
                    : text           ? arena_fmt(p->a, "%s: no %s", path, keys[i][1])
                                     : why);
    }
    swap(p, set);
    cgroup(p, set);
}

int64_t facts_memory_at(const char *root) {
    struct arena a = {0};
    struct probe p;
    const char *why;
    probe_open(&p, &a, root, NULL, NULL);
    int64_t bytes = meminfo(&a, probe_read(&p, "/proc/meminfo", &why), "MemTotal");
    arena_release(&a);
    return bytes;
}

int64_t facts_memory(void) {
    return facts_memory_at("");
}
