/*
 * unit_mask.c: the mask of texts: what lies below a hidden name is hidden with it, longer names and
 * the words of the kernel are not torn.
 */
#include "../src/cli/mask.h"
#include "check.h"

static struct arena arena;
static struct mask m;

static void is(const char *name, const char *text, const char *want) {
    CHECK_TEXT(name, mask_text(&m, text), want);
}

static void begin(void) {
    m = (struct mask){.a = &arena};
    mask_word(&m, "vm", "host"); /* also a directory of /proc/sys */
    mask_word(&m, "devices", "host");
    mask_word(&m, "tank", "pool");
    mask_as(&m, "tank/people", "pool-1/dataset-1");
    mask_word(&m, "nvme", "pool");
    mask_word(&m, "/mnt/nas", "/mount");
    mask_sort(&m);
}

static void paths(void) {
    begin();
    is("a path", "/opt/anna: gone", "/path-1: gone");
    is("a path below it shows no end", "/opt/anna/secret: gone", "/path-1/path-2: gone");
    is("nor one below a mount point", "/mnt/nas/berg/x: denied", "/mount-1/path-3: denied");
    is("in quotes it may have blanks", "'/mnt/nas/a berg/x' is full", "'/mount-1/path-4' is full");
    is("a longer name is another path", "/mnt/nas2/x", "/path-5");
    is("with a dash too", "/mnt/nas-old, /mnt/nas.old", "/path-6, /path-7");
    is("a sentence ends a path", "look at /mnt/nas.", "look at /mount-1.");
    is("the same path, the same word", "/mnt/nas/berg/x", "/mount-1/path-3");
}

static void kernels_own(void) {
    begin();
    is("a host 'vm' tears no path of the kernel", "/proc/sys/vm/dirty_ratio",
       "/proc/sys/vm/dirty_ratio");
    is("nor a host 'devices'", "/sys/devices/pci0000:00/0000:00:02.0/block/vda: gone",
       "/sys/devices/pci0000:00/0000:00:02.0/block/vda: gone");
    is("elsewhere it is hidden", "'vm' on devices", "'host-1' on host-2");
    is("the pool's own counters name it", "/proc/spl/kstat/zfs/tank/state",
       "/proc/spl/kstat/zfs/pool-1/state");
    is("what looks alike is a path of somebody's", "/proc/../home/anna, /sys/.., /sysop/block",
       "/path-1, /path-2, /path-3");
    is("a pool 'nvme' tears no disk", "nvme0n1 on nvme", "nvme0n1 on nvme");
    is("in quotes it is a pool", "pool 'nvme'", "pool 'pool-2'");
}

static void datasets(void) {
    begin();
    is("a dataset that was not named yet", "cannot open 'tank/other@new year'",
       "cannot open 'pool-1/dataset-1@snapshot-1 year'");
    is("one below a known one", "tank/people/x: busy", "pool-1/dataset-1/dataset-2: busy");
    is("one whose name begins the same", "tank/people2", "pool-1/dataset-3");
    is("a bookmark", "tank/people#mark.1.", "pool-1/dataset-1#snapshot-2.");
    is("a known one", "of tank/people, tank.", "of pool-1/dataset-1, pool-1.");
}

int main(void) {
    paths();
    kernels_own();
    datasets();
    arena_release(&arena);
    return check_done();
}
