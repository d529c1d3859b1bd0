/*
 * cpu.c: the part of the system probe that is about the CPU: model, flags that checksums and
 * ciphers are computed with, microcode, and what sets its pace.
 */
#include "probe.h"
#include "zhist/unit.h"

#define CPU "/sys/devices/system/cpu"
#define NODES "/sys/devices/system/node"

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

/* The settings of all frequency policies: "powersave", or each once where they differ. */
static void policies_say(struct probe *p, struct factset *set, const char *key, const char *file) {
    const char **policies, *seen = "", *why = NULL;
    size_t n = probe_list(p, CPU "/cpufreq", &policies);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(policies[i], "policy", 6))
            continue;
        const char *path = arena_fmt(p->a, CPU "/cpufreq/%s/%s", policies[i], file);
        const char *one = probe_read(p, path, &why);
        if (one && !text_has_word(seen, one))
            seen = arena_fmt(p->a, "%s%s%s", seen, *seen ? " " : "", one);
    }
    fact_add(p->a, set, key, *seen ? seen : NULL,
             *seen ? arena_fmt(p->a, CPU "/cpufreq/policy*/%s", file)
             : why ? why
                   : CPU "/cpufreq: no policy, the frequency is not this kernel's to set");
}

/*
 * What the kernel does against the CPU's own bugs costs speed and comes with new kernels and
 * microcode: the names of what is kept off, and of what is let be.
 */
static void mitigations(struct probe *p, struct factset *set) {
    const char **names, *off = "", *on = "", *why = NULL;
    size_t n = probe_list(p, CPU "/vulnerabilities", &names);
    for (size_t i = 0; i < n; i++) {
        const char *path = arena_fmt(p->a, CPU "/vulnerabilities/%s", names[i]);
        const char *text = probe_read(p, path, &why);
        if (text && strstr(text, "Mitigation"))
            on = arena_fmt(p->a, "%s%s%s", on, *on ? " " : "", names[i]);
        else if (text && !strncmp(text, "Vulnerable", 10))
            off = arena_fmt(p->a, "%s%s%s", off, *off ? " " : "", names[i]);
    }
    bool both = *on && *off;
    const char *text = arena_fmt(p->a, "%s%s%s%s%s", *on ? "mitigated: " : "", on, both ? "; " : "",
                                 *off ? "open: " : "", off);
    fact_add(p->a, set, "mitigations", n ? *text ? text : "none needed" : NULL,
             n ? CPU "/vulnerabilities" : CPU "/vulnerabilities: not there");
}

static void online(struct probe *p, struct factset *set, const char *key, const char *path) {
    const char *why = NULL, *text = probe_read(p, path, &why);
    int64_t count = text ? list_count(p->a, text) : UNKNOWN;
    fact_number(p, set, key, count,
                count != UNKNOWN ? path
                : text           ? arena_fmt(p->a, "%s: no list", path)
                                 : why);
}

void system_cpu(struct probe *p, struct factset *set) {
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

    online(p, set, "cpus", CPU "/online");
    online(p, set, "numa_nodes", NODES "/online");
    policies_say(p, set, "governor", "scaling_governor");
    policies_say(p, set, "cpufreq_driver", "scaling_driver");
    policies_say(p, set, "energy_preference", "energy_performance_preference");
    mitigations(p, set);

    text = probe_read(p, path = CPU "/smt/active", &why);
    fact_add(p->a, set, "smt", text ? !strcmp(text, "1") ? "on" : "off" : NULL, text ? path : why);
    if ((text = probe_read(p, path = CPU "/intel_pstate/no_turbo", &why)))
        fact_add(p->a, set, "turbo", !strcmp(text, "0") ? "on" : "off", path);
    else if ((text = probe_read(p, path = CPU "/cpufreq/boost", &why)))
        fact_add(p->a, set, "turbo", !strcmp(text, "1") ? "on" : "off", path);
    else
        fact_add(p->a, set, "turbo", NULL, why);
}
