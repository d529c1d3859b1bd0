/*
 * system.c: the probe of the machine: kernel, CPU, memory, and what of it sets the pace.
 *
 * What changes by itself (load, uptime, exact memory) is state; installed memory is a setting and
 * comes in steps that no kernel update moves. Must not read what needs root.
 */
#include <sys/utsname.h>
#include <unistd.h>

#include "probe.h"
#include "zhist/unit.h"

#define CPU "/sys/devices/system/cpu"
#define DMI "/sys/class/dmi/id/"
#define MEMORY "/sys/devices/system/memory"
#define CLOCKS "/sys/devices/system/clocksource/clocksource0/available_clocksource"

/* Facts that are one file each. */
static const struct file_fact {
    const char *key, *path;
    bool choice; /* the word in brackets counts */
} files[] = {
    {"boot_id", "/proc/sys/kernel/random/boot_id", false},
    {"kernel_build", "/proc/sys/kernel/version", false},
    {"thp", "/sys/kernel/mm/transparent_hugepage/enabled", true},
    {"firmware", DMI "bios_version", false},
    {"vm.dirty_ratio", "/proc/sys/vm/dirty_ratio", false},
    {"vm.dirty_bytes", "/proc/sys/vm/dirty_bytes", false},
    {"vm.dirty_background_ratio", "/proc/sys/vm/dirty_background_ratio", false},
    {"vm.dirty_background_bytes", "/proc/sys/vm/dirty_background_bytes", false},
    {"vm.dirty_expire_centisecs", "/proc/sys/vm/dirty_expire_centisecs", false},
    {"vm.dirty_writeback_centisecs", "/proc/sys/vm/dirty_writeback_centisecs", false},
    {"vm.swappiness", "/proc/sys/vm/swappiness", false},
};

/* A file, else what the kernel says itself. */
static void file_or(struct probe *p, struct factset *set, const char *key, const char *path,
                    const char *own) {
    const char *why = NULL, *text = probe_read(p, path, &why);
    if (text && *text)
        fact_add(p->a, set, key, text, path);
    else
        fact_add(p->a, set, key, p->live ? own : NULL, p->live && own ? "uname" : why);
}

static void identity(struct probe *p, struct factset *set) {
    struct utsname u;
    bool named = uname(&u) >= 0;
    fact_add(p->a, set, "zhist", p->ask->version, "this program");
    file_or(p, set, "kernel", "/proc/sys/kernel/osrelease", named ? u.release : NULL);
    file_or(p, set, "arch", "/proc/sys/kernel/arch", named ? u.machine : NULL);
    file_or(p, set, "hostname", "/proc/sys/kernel/hostname", named ? u.nodename : NULL);
    if (p->live)
        fact_number(p, set, "page_size", sysconf(_SC_PAGESIZE), "sysconf");
    else
        fact_add(p->a, set, "page_size", NULL, "only the kernel says it");

    const char *path = "/etc/os-release", *why = NULL, *text = probe_read(p, path, &why), *os;
    if (!text)
        text = probe_read(p, path = "/usr/lib/os-release", &why);
    os = text ? text_field(p->a, text, "PRETTY_NAME", '=') : NULL;
    size_t len = os ? strlen(os) : 0;
    if (len > 1 && (*os == '"' || *os == '\'') && os[len - 1] == *os)
        os = arena_copy(p->a, os + 1, len - 2);
    fact_add(p->a, set, "os", os, os ? path : text ? "no PRETTY_NAME in os-release" : why);
}

/* ---- CPU ------------------------------------------------------------------------------------- */

/* "0-3,6" counts 5; UNKNOWN where it is no such list. */
static int64_t list_count(struct arena *a, const char *text) {
    int64_t count = 0;
    while (*text) {
        int64_t from, to;
        size_t len = strcspn(text, ",");
        const char *item = arena_copy(a, text, len), *dash = strchr(item, '-');
        if (unit_read_count(dash ? arena_copy(a, item, (size_t)(dash - item)) : item, &from))
            return UNKNOWN;
        to = from;
        if (dash && unit_read_count(dash + 1, &to))
            return UNKNOWN;
        if (to < from || to > 1 << 20)
            return UNKNOWN;
        count += to - from + 1;
        text += len + (text[len] == ',');
    }
    return count ? count : UNKNOWN;
}

/* What encryption, checksums and raidz are computed with. */
static const char *const flags_that_matter[] = {
    "aes",  "avx",   "avx2", "avx512bw",   "avx512f", "gfni",  "movbe", "pclmulqdq", "sha_ni",
    "sse2", "ssse3", "vaes", "vpclmulqdq", "asimd",   "pmull", "sha1",  "sha2",      "sha512",
};

static void cpu(struct probe *p, struct factset *set) {
    const char *path = "/proc/cpuinfo", *why = NULL, *text = probe_read_head(p, path, &why);
    const char *model = NULL, *flags = NULL, *microcode = NULL;
    if (text) {
        model = text_field(p->a, text, "model name", ':');
        const char *by = text_field(p->a, text, "CPU implementer", ':');
        const char *part = text_field(p->a, text, "CPU part", ':');
        if (!model && by && part)
            model = arena_fmt(p->a, "ARM implementer %s part %s", by, part);
        if (!model)
            model = text_field(p->a, text, "cpu", ':');
        flags = text_field(p->a, text, "flags", ':');
        if (!flags)
            flags = text_field(p->a, text, "Features", ':');
        microcode = text_field(p->a, text, "microcode", ':');
    }
    fact_add(p->a, set, "cpu", model, model ? path : text ? "/proc/cpuinfo: no model" : why);
    fact_add(p->a, set, "microcode", microcode,
             microcode ? path
             : text    ? "/proc/cpuinfo: no microcode"
                       : why);
    struct buf b = {0};
    for (size_t i = 0; flags && i < LENGTH(flags_that_matter); i++)
        if (text_has_word(flags, flags_that_matter[i]))
            buf_fmt(&b, "%s%s", b.len ? " " : "", flags_that_matter[i]);
    fact_add(p->a, set, "cpu_flags", flags ? b.len ? b.data : "" : NULL,
             flags  ? path
             : text ? "/proc/cpuinfo: no flags"
                    : why);
    buf_release(&b);

    path = CPU "/online";
    text = probe_read(p, path, &why);
    int64_t count = text ? list_count(p->a, text) : UNKNOWN;
    fact_number(p, set, "cpus", count,
                count != UNKNOWN ? path
                : text           ? CPU "/online: no list"
                                 : why);

    const char **policies, *seen = "";
    size_t n = probe_list(p, CPU "/cpufreq", &policies);
    for (size_t i = 0; i < n; i++) {
        path = arena_fmt(p->a, CPU "/cpufreq/%s/scaling_governor", policies[i]);
        const char *one = strncmp(policies[i], "policy", 6) ? NULL : probe_read(p, path, &why);
        if (one && !text_has_word(seen, one))
            seen = arena_fmt(p->a, "%s%s%s", seen, *seen ? " " : "", one);
    }
    fact_add(p->a, set, "governor", *seen ? seen : NULL,
             *seen ? CPU "/cpufreq/policy*/scaling_governor"
                   : CPU "/cpufreq: no policy, the frequency is not this kernel's to set");

    text = probe_read(p, path = CPU "/smt/active", &why);
    fact_add(p->a, set, "smt", text ? !strcmp(text, "1") ? "on" : "off" : NULL, text ? path : why);
    if ((text = probe_read(p, path = CPU "/intel_pstate/no_turbo", &why)))
        fact_add(p->a, set, "turbo", !strcmp(text, "0") ? "on" : "off", path);
    else if ((text = probe_read(p, path = CPU "/cpufreq/boost", &why)))
        fact_add(p->a, set, "turbo", !strcmp(text, "1") ? "on" : "off", path);
    else
        fact_add(p->a, set, "turbo", NULL, why);
}

/* ---- memory ---------------------------------------------------------------------------------- */

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

static void memory(struct probe *p, struct factset *set) {
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

/* ---- virtual or not -------------------------------------------------------------------------- */

static const char *const makers[][2] = {
    {"QEMU", "qemu"},
    {"KVM", "kvm"},
    {"VMware", "vmware"},
    {"VirtualBox", "virtualbox"},
    {"innotek", "virtualbox"},
    {"Xen", "xen"},
    {"Virtual Machine", "hyper-v"},
    {"Bochs", "bochs"},
    {"Parallels", "parallels"},
    {"Apple Virtualization", "apple"},
    {"Google Compute", "google"},
    {"Amazon EC2", "amazon"},
    {"OpenStack", "openstack"},
    {"Proxmox", "kvm"},
    {"BHYVE", "bhyve"},
};
/* A clock that only this hypervisor offers its guests. */
static const char *const clocks[][2] = {
    {"kvm-clock", "kvm"}, {"xen", "xen"}, {"hyperv_clocksource_tsc_page", "hyper-v"}};

static void machine(struct probe *p, struct factset *set) {
    const char *why = NULL, *vendor = probe_read(p, DMI "sys_vendor", &why);
    const char *product = probe_read(p, DMI "product_name", &why), *cpuinfo, *flags, *clock;
    const char *name = vendor || product
                           ? arena_fmt(p->a, "%s%s%s", vendor ? vendor : "",
                                       vendor && product ? " " : "", product ? product : "")
                           : NULL;
    fact_add(p->a, set, "product", name, name ? DMI "sys_vendor and product_name" : why);

    cpuinfo = probe_read_head(p, "/proc/cpuinfo", &why);
    flags = cpuinfo ? text_field(p->a, cpuinfo, "flags", ':') : NULL;
    bool guest = flags && text_has_word(flags, "hypervisor");
    const char *kind = NULL, *source = DMI "product_name";
    /* A cloud's bare metal carries the cloud's name too: on x86 the CPU flag decides. */
    for (size_t i = 0; name && (guest || !flags) && !kind && i < LENGTH(makers); i++)
        if (strstr(name, makers[i][0]))
            kind = makers[i][1];
    clock = guest && !kind ? probe_read(p, CLOCKS, &why) : NULL;
    for (size_t i = 0; clock && !kind && i < LENGTH(clocks); i++)
        if (text_has_word(clock, clocks[i][0])) {
            kind = clocks[i][1];
            source = CLOCKS;
        }
    if (!kind && flags) {
        kind = guest ? "yes" : "no";
        source = "/proc/cpuinfo: flag hypervisor";
    }
    fact_add(p->a, set, "virtual", kind,
             kind      ? source
             : cpuinfo ? "this CPU has no flag for it, nor has DMI a name"
                       : why);

    const char *box = probe_read(p, "/run/systemd/container", &why);
    source = "/run/systemd/container";
    if (!box && probe_exists(p, source = "/.dockerenv"))
        box = "docker";
    if (!box && probe_exists(p, source = "/run/.containerenv"))
        box = "podman";
    fact_add(p->a, set, "container", box ? box : "no",
             box ? source : "none of /run/systemd/container, /.dockerenv, /run/.containerenv");
}

/* Words that only say which image was booted change with every update and mean nothing here. */
static void cmdline(struct probe *p, struct factset *set) {
    static const char *const dropped[] = {"BOOT_IMAGE=", "initrd=", "root=", "resume=", "ostree="};
    const char *path = "/proc/cmdline", *why = NULL, *text = probe_read(p, path, &why);
    struct buf b = {0};
    for (const char *at = text; at && *at;) {
        size_t len = strcspn(at, " ");
        bool drop = !len;
        for (size_t i = 0; i < LENGTH(dropped); i++)
            drop |= !strncmp(at, dropped[i], strlen(dropped[i]));
        if (!drop) {
            buf_str(&b, b.len ? " " : "");
            buf_put(&b, at, len);
        }
        at += len + (at[len] == ' ');
    }
    fact_add(p->a, set, "cmdline", text ? b.len ? b.data : "" : NULL, text ? path : why);
    buf_release(&b);
}

/* The first word of a file. */
static void first_word(struct probe *p, struct factset *set, const char *key, const char *path) {
    const char *why = NULL, *text = probe_read(p, path, &why);
    bool good = text && *text;
    fact_add(p->a, set, key, good ? arena_copy(p->a, text, strcspn(text, " ")) : NULL,
             good   ? path
             : text ? arena_fmt(p->a, "%s: empty", path)
                    : why);
}

void probe_system(struct probe *p) {
    struct factset *set = factset_add(p->a, p->sheet, "system", "", UNKNOWN);
    const char *source = "only the kernel says it", *synchronised;
    identity(p, set);
    cpu(p, set);
    memory(p, set);
    machine(p, set);
    cmdline(p, set);
    first_word(p, set, "uptime", "/proc/uptime");
    first_word(p, set, "load1", "/proc/loadavg");
    for (size_t i = 0; i < LENGTH(files); i++)
        (files[i].choice ? fact_from_choice : fact_from_file)(p, set, files[i].key, files[i].path);
    synchronised = p->live ? clock_synchronised(&source) : NULL;
    fact_add(p->a, set, "clock_synchronised", synchronised, source);
}
