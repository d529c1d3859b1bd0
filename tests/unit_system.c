/*
 * unit_system.c: what the system probe says of versions, CPU policies, memory limits and pressure,
 * and of TrueNAS, on made-up machines.
 */
#include "../src/facts/probe.h"
#include "check.h"
#include "tree.h"

static struct arena arena;
static const char *root;

static void put(const char *path, const char *text) {
    tree_put(&arena, root, path, text);
}

static const struct factset *probe(void) {
    static const struct facts_ask ask = {NULL, 0, "1.2.3"};
    struct fact_sheet *sheet = arena_new(&arena, struct fact_sheet, 1);
    facts_probe_at(&arena, root, &ask, sheet);
    return facts_find(sheet, "system", UNKNOWN);
}

/* Wants a value, or with "?REASON" an unknown whose source has that in it. */
static void is(const char *key, const char *want) {
    const struct fact *f = fact_find(probe(), key);
    if (*want != '?') {
        CHECK_TEXT(arena_fmt(&arena, "%s: %s", key, want), f ? f->value : NULL, want);
    } else if (!CHECK(arena_fmt(&arena, "%s: unknown, %s", key, want + 1),
                      f && !f->value && strstr(f->source, want + 1))) {
        printf("#   value %s, source %s\n", f && f->value ? f->value : "(null)",
               f ? f->source : "(no fact)");
    }
}

static void begin(void) {
    root = tree_make(&arena);
    put("/proc/uptime", "1.00 1.00\n");
}

static void end(void) {
    tree_remove(root);
}

static void versions(void) {
    begin();
    is("zfs", "?zfs: not installed");
    is("samba", "?smbd: not installed");
    is("zfs_module", "?/sys/module/zfs/version: No such file");
    put("/run/zfs_version.txt", "zfs-2.3.9-0+deb13u1\nzfs-kmod-2.3.9-0+deb13u1\n");
    put("/run/fio_--version.txt", "fio-3.33\n");
    put("/run/smbd_--version.txt", "Version 4.17.12-Debian\n");
    put("/sys/module/zfs/version", "2.3.9-0+deb13u1\n");
    put("/sys/module/spl/version", "2.3.9-0+deb13u1\n");
    is("zfs", "2.3.9-0+deb13u1");
    is("zfs_module", "2.3.9-0+deb13u1");
    is("spl", "2.3.9-0+deb13u1");
    is("fio", "3.33");
    is("samba", "4.17.12-Debian");
    put("/run/zfs_version.txt", "zfs-2.3.99-123_gabcdef\nwarning: other module\n");
    is("zfs", "2.3.99-123_gabcdef");
    put("/run/zfs_version.txt", "unrecognized command 'version'\n");
    is("zfs", "?no version in what it printed");
    put("/run/zfs_version.txt", "zfs-\n");
    is("zfs", "?no version");
    put("/run/fio_--version.txt", "");
    is("fio", "?no version");
    end();
}

static void cpu(void) {
    begin();
    is("cpufreq_driver", "?no policy");
    is("mitigations", "?not there");
    is("numa_nodes", "?No such file");
    put("/sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "amd-pstate-epp\n");
    put("/sys/devices/system/cpu/cpufreq/policy1/scaling_driver", "amd-pstate-epp\n");
    put("/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference", "performance\n");
    put("/sys/devices/system/cpu/cpufreq/policy1/energy_performance_preference", "balance_power\n");
    is("cpufreq_driver", "amd-pstate-epp");
    is("energy_preference", "performance balance_power");
    is("governor", "?scaling_governor: No such file");
    put("/sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n");
    is("mitigations", "none needed");
    put("/sys/devices/system/cpu/vulnerabilities/spectre_v2",
        "Mitigation: Retpolines; STIBP: disabled; RSB filling\n");
    is("mitigations", "mitigated: spectre_v2");
    put("/sys/devices/system/cpu/vulnerabilities/mds", "Vulnerable: no microcode\n");
    put("/sys/devices/system/cpu/vulnerabilities/itlb_multihit", "KVM: Mitigation: Split\n");
    is("mitigations", "mitigated: itlb_multihit spectre_v2; open: mds");
    put("/sys/devices/system/node/online", "0-1\n");
    is("numa_nodes", "2");
    put("/sys/kernel/mm/lru_gen/enabled", "0x0007\n");
    put("/sys/kernel/mm/lru_gen/min_ttl_ms", "1000\n");
    is("mglru", "0x0007");
    is("mglru_min_ttl_ms", "1000");
    end();
}

static void memory(void) {
    begin();
    is("memory_limit", "?/proc/self/cgroup: No such file");
    put("/proc/self/cgroup", "4:memory:/a\n1:cpu:/\n0::/\n");
    is("memory_limit", "?not of version 2");
    put("/sys/fs/cgroup/cgroup.controllers", "cpu io memory\n");
    is("memory_limit", "none");
    is("cpu_limit", "none");
    put("/proc/self/cgroup", "0::/system.slice/zhist.service\n");
    put("/sys/fs/cgroup/system.slice/zhist.service/memory.max", "max\n");
    put("/sys/fs/cgroup/system.slice/zhist.service/cpu.max", "max 100000\n");
    is("memory_limit", "none");
    is("cpu_limit", "none");
    put("/sys/fs/cgroup/system.slice/zhist.service/memory.max", "8589934592\n");
    put("/sys/fs/cgroup/system.slice/memory.max", "4294967296\n");
    put("/sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n");
    is("memory_limit", "4294967296");
    is("cpu_limit", "1.5");
    put("/sys/fs/cgroup/memory.max", "1073741824\n"); /* the root of a container */
    is("memory_limit", "1073741824");
    put("/sys/fs/cgroup/memory.max", "lots\n");
    put("/sys/fs/cgroup/system.slice/cpu.max", "150000\n");
    is("memory_limit", "4294967296");
    is("cpu_limit", "none");
    put("/proc/self/cgroup", "0::/../elsewhere\n");
    is("memory_limit", "?");

    is("swap_kind", "?/proc/swaps: No such file");
    is("zswap", "?No such file");
    put("/proc/swaps", "Filename\tType\t\tSize\tUsed\tPriority\n");
    is("swap_kind", "none");
    put("/proc/swaps", "Filename\tType\t\tSize\tUsed\tPriority\n"
                       "/dev/sda2                               partition\t1\t0\t-2\n"
                       "/dev/sdb2                               partition\t1\t0\t-3\n"
                       "/dev/zram0                              partition\t1\t0\t100\n"
                       "/swap                                   file\t1\t0\t-4\n");
    is("swap_kind", "partition zram file");
    put("/sys/module/zswap/parameters/enabled", "Y\n");
    is("zswap", "on");
    put("/sys/module/zswap/parameters/enabled", "N\n");
    is("zswap", "off");
    end();
}

static void pressure(void) {
    begin();
    is("psi_io", "?/proc/pressure/io: No such file");
    put("/proc/pressure/io", "some avg10=0.19 avg60=0.05 avg300=0.01 total=99713\n"
                             "full avg10=0.14 avg60=0.03 avg300=0.00 total=46418\n");
    put("/proc/pressure/cpu", "some avg10=12.86 avg60=3.88 avg300=0.88 total=2841502\n");
    is("psi_io", "0.19");
    is("psi_io_60s", "0.05");
    is("psi_io_full", "0.14");
    is("psi_io_full_60s", "0.03");
    is("psi_cpu", "12.86");
    is("psi_cpu_full", "?no avg10= in a line \"full\"");
    put("/proc/pressure/io", "some avg60=");
    is("psi_io", "?no avg10=");
    is("psi_io_60s", "?no avg60=");
    const char *digest = probe()->digest;
    put("/proc/pressure/io", "some avg10=50.00 avg60=40.00 avg300=0.01 total=99713\n");
    CHECK_TEXT("pressure is not digested", probe()->digest, digest);
    end();
}

static void truenas_is(const char *version_file, const char *want) {
    put("/etc/version", version_file);
    is("truenas", want);
}

static void truenas(void) {
    begin();
    CHECK("nothing of TrueNAS elsewhere", !fact_find(probe(), "truenas") &&
                                              !fact_find(probe(), "truenas_train"));
    put("/etc/version", "2.4.1\n");
    CHECK("nor where others have /etc/version", !fact_find(probe(), "truenas"));
    put("/etc/version", "24.10.2\n");
    CHECK("nor with a number alone", !fact_find(probe(), "truenas"));
    put("/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    is("truenas", "24.10.2"); /* Debian has no such file */
    put("/run/systemd/container", "docker\n");
    CHECK("nor in a container", !fact_find(probe(), "truenas"));
    put("/usr/bin/midclt", "");
    truenas_is("25.04.2.6", "25.04.2.6");
    truenas_is("TrueNAS-SCALE-22.12.3.1\n", "22.12.3.1");
    truenas_is("TrueNAS-13.0-U6.1 (5cf5a3ee8e)\n", "13.0-U6.1");
    truenas_is("FreeNAS-11.3-U5 (2e4ded5a0a)\n", "11.3-U5");
    truenas_is("22.02-RC.1-2", "22.02-RC.1-2");
    truenas_is("25.10.0-MASTER-20250601-015443", "25.10.0-MASTER-20250601-015443");
    truenas_is("MASTER-20200603-042400", "MASTER-20200603-042400");
    truenas_is("TrueNAS-SCALE-\n", "?/etc/version: not understood");
    truenas_is("\n", "?not understood");
    is("truenas_train", "?/data/manifest.json: No such file");
    is("truenas", "?/data/manifest.json: No such file"); /* each of them says why it did not */
    is("truenas", "?; midclt: not installed");
    put("/run/midclt_call_system.version.txt", "not authenticated\n");
    is("truenas", "?midclt call system.version: not understood: 'not authenticated'");
    put("/run/midclt_call_system.version.txt", "TrueNAS-SCALE-24.04.2.5\n");
    is("truenas", "24.04.2.5");
    put("/run/midclt_call_system.version.txt", "\"TrueNAS-25.04.0\"\n");
    is("truenas", "25.04.0");

    put("/data/manifest.json", "{\"buildtime\": 1637616484, \"train\": "
                               "\"TrueNAS-SCALE-Fangtooth\", \"version\": \"25.04.1\"}\n");
    is("truenas", "25.04.1");
    is("truenas_train", "TrueNAS-SCALE-Fangtooth");
    is("truenas_build", "1637616484");
    truenas_is("25.04.2", "25.04.2"); /* the file everybody may read comes first */
    put("/data/manifest.json", "{\"buildtime\": \"1637616484\", \"version\": \"25.04.1\"}");
    is("truenas_build", "1637616484");
    is("truenas_train", "?/data/manifest.json: no train");
    put("/data/manifest.json", "{\"buildtime\": 163");
    is("truenas_build", "?/data/manifest.json: ");
    put("/data/manifest.json", "[]");
    is("truenas_build", "?no JSON object");
    is("truenas", "25.04.2");
    end();

    begin();
    put("/data/manifest.json",
        "{\"buildtime\": 1, \"train\": \"TrueNAS-SCALE-Goldeye\", \"version\": \"25.10.1\"}");
    is("truenas", "25.10.1");
    end();
}

static void classes(void) {
    CHECK_TEXT("build follows the version", fact_leader("system", "truenas_build"),
               "system.truenas");
    CHECK("the version is a setting", fact_class_of("system", "truenas") == FACT_SETTING);
    CHECK_TEXT("userland follows TrueNAS", fact_leader("system", "zfs"), "system.truenas");
    CHECK_TEXT("mitigations follow the kernel", fact_leader("system", "mitigations"),
               "system.kernel");
    CHECK("limits are settings", fact_class_of("system", "memory_limit") == FACT_SETTING);
    CHECK("pressure is state", fact_class_of("system", "psi_io_full_60s") == FACT_STATE);
    begin();
    put("/usr/bin/midclt", "");
    const struct factset *set = probe();
    size_t judged = 0;
    for (size_t i = 0; i < set->n_facts; i++)
        if (fact_class_known("system", set->facts[i].key))
            judged++;
        else
            printf("# not judged: %s\n", set->facts[i].key);
    CHECK("every fact has its class in the table", judged == set->n_facts);
    end();
}

int main(void) {
    versions();
    cpu();
    memory();
    pressure();
    truenas();
    classes();
    arena_release(&arena);
    return check_done();
}
