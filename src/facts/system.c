/*
 * system.c: the probe of the machine: kernel, versions, what kind of machine it is, and how busy.
 * CPU and memory have files of their own (cpu.c, memory.c).
 *
 * What changes by itself (load, uptime, exact memory) is state; installed memory is a setting and
 * comes in steps that no kernel update moves. Must not read what needs root.
 */
#include <sys/utsname.h>
#include <unistd.h>

#include "probe.h"
#include "zhist/unit.h"

#define DMI "/sys/class/dmi/id/"
#define CLOCKS "/sys/devices/system/clocksource/clocksource0/available_clocksource"

/* Facts that are one file each. */
static const struct file_fact {
    const char *key, *path;
    bool choice; /* the word in brackets counts */
} files[] = {
    {"boot_id", "/proc/sys/kernel/random/boot_id", false},
    {"kernel_build", "/proc/sys/kernel/version", false},
    {"thp", "/sys/kernel/mm/transparent_hugepage/enabled", true},
    {"mglru", "/sys/kernel/mm/lru_gen/enabled", false},
    {"mglru_min_ttl_ms", "/sys/kernel/mm/lru_gen/min_ttl_ms", false},
    {"zfs_module", "/sys/module/zfs/version", false},
    {"spl", "/sys/module/spl/version", false},
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

/*
 * What programs call themselves. `zfs version` prints the same in text and JSON, with the module's
 * version in a line of its own; that one is read from /sys, which needs no program.
 */
static const struct program {
    const char *key, *argv[3], *before; /* what stands before the version, at a line's start */
} programs[] = {
    {"zfs", {"zfs", "version", NULL}, "zfs-"},
    {"fio", {"fio", "--version", NULL}, "fio-"},
    {"samba", {"smbd", "--version", NULL}, "Version "},
};

static void versions(struct probe *p, struct factset *set) {
    for (size_t i = 0; i < LENGTH(programs); i++) {
        const struct program *of = &programs[i];
        const char *why = NULL, *name = arena_fmt(p->a, "%s %s", of->argv[0], of->argv[1]);
        size_t len, skip = strlen(of->before);
        const char *text = probe_run(p, of->argv, RUN_LIMIT_MS, &len, &why);
        size_t line = text ? strcspn(text, "\n") : 0;
        bool good = line > skip && !strncmp(text, of->before, skip);
        fact_add(p->a, set, of->key, good ? arena_copy(p->a, text + skip, line - skip) : NULL,
                 good   ? name
                 : text ? arena_fmt(p->a, "%s: no version in what it printed", name)
                        : why);
    }
}

/* A number of a line "some avg10=0.19 avg60=0.05 ..."; NULL: it is not there. */
static const char *psi_value(struct arena *a, const char *text, const char *who, const char *span) {
    size_t len = strlen(who);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, who, len) || line[len] != ' ')
            continue;
        const char *at = strstr(arena_copy(a, line, strcspn(line, "\n")), span);
        size_t digits = at ? strspn(at + strlen(span), "0123456789.") : 0;
        return digits ? arena_copy(a, at + strlen(span), digits) : NULL;
    }
    return NULL;
}

/* PSI: the share of the last 10 and 60 s, in %, in which some or all tasks waited. */
static void pressure(struct probe *p, struct factset *set) {
    static const char *const of[] = {"cpu", "io", "memory"}, *const who[] = {"some", "full"};
    static const char *const span[] = {"avg10=", "avg60="};
    for (size_t i = 0; i < LENGTH(of) * 4; i++) {
        size_t w = i / 2 % 2, s = i % 2;
        const char *path = arena_fmt(p->a, "/proc/pressure/%s", of[i / 4]), *why = NULL;
        const char *text = probe_read(p, path, &why);
        const char *value = text ? psi_value(p->a, text, who[w], span[s]) : NULL;
        const char *key =
            arena_fmt(p->a, "psi_%s%s%s", of[i / 4], w ? "_full" : "", s ? "_60s" : "");
        if (text && !value)
            why = arena_fmt(p->a, "%s: no %s in a line \"%s\"", path, span[s], who[w]);
        fact_add(p->a, set, key, value, value ? path : why);
    }
}

void probe_system(struct probe *p) {
    struct factset *set = factset_add(p->a, p->sheet, "system", "", UNKNOWN);
    const char *source = "only the kernel says it", *synchronised;
    identity(p, set);
    system_cpu(p, set);
    system_memory(p, set);
    machine(p, set);
    cmdline(p, set);
    versions(p, set);
    first_word(p, set, "uptime", "/proc/uptime");
    first_word(p, set, "load1", "/proc/loadavg");
    pressure(p, set);
    for (size_t i = 0; i < LENGTH(files); i++)
        (files[i].choice ? fact_from_choice : fact_from_file)(p, set, files[i].key, files[i].path);
    synchronised = p->live ? clock_synchronised(&source) : NULL;
    fact_add(p->a, set, "clock_synchronised", synchronised, source);
}
