/*
 * unit_network.c: what the clients of NFS and SMB tell of a mount, in files as kernels write them;
 * a server that does not answer; and overlay, loop devices and zvols that end in a pool.
 */
#include <errno.h>
#include <pthread.h>

#include "../src/facts/probe.h"
#include "check.h"
#include "tree.h"

static struct arena arena;
static const char *root;

static void put(const char *path, const char *text) {
    tree_put(&arena, root, path, text);
}

static void link_to(const char *path, const char *to) {
    put(arena_fmt(&arena, "%s.", path), ""); /* the directories */
    if (symlink(to, arena_fmt(&arena, "%s%s", root, path)))
        perror(path);
}

static struct fact_sheet sheet;

static const struct factset *probe_kind(const char *path, const char *kind) {
    const char **paths = arena_new(&arena, const char *, 1);
    struct facts_ask *ask = arena_new(&arena, struct facts_ask, 1);
    *paths = path;
    *ask = (struct facts_ask){.paths = paths, .n_paths = 1, .version = "test"};
    facts_probe_at(&arena, root, ask, &sheet);
    return facts_find(&sheet, kind, 0);
}

static const struct factset *probe(const char *path) {
    return probe_kind(path, "mount");
}

static bool unknown(const struct factset *set, const char *key, const char *why) {
    const struct fact *f = fact_find(set, key);
    bool ok = f && !f->value && strstr(f->source, why);
    if (!ok)
        printf("# %s: value %s, source %s\n", key, f && f->value ? f->value : "(null)",
               f ? f->source : "(no fact)");
    return ok;
}

/* ---- NFS ------------------------------------------------------------------------------------- */

#define NFS42(bytes)                                                                               \
    "\topts:\trw,vers=4.2,rsize=1048576,nconnect=2,sec=sys\n\tage:\t312\n"                         \
    "\timpl_id:\tname='',domain='',date='0,0'\n"                                                   \
    "\tcaps:\tcaps=0x3ffbffff,wtmult=512,dtsize=1048576,bsize=0,namlen=255\n"                      \
    "\tnfsv4:\tbm0=0xfdffbfff,acl=0x3,sessions,pnfs=not configured,lease_time=90\n"                \
    "\tsec:\tflavor=1,pseudoflavor=1\n\tevents:\t0 0 0 0 0 2 4\n"                                  \
    "\tbytes:\t" bytes "\n\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"                       \
    "\txprt:\ttcp 0 0 2 0 38 27 27 0 27 0 2 0 0\n\txprt:\ttcp 0 0 2 0 38 27 27 0 27 0 2 0 0\n"     \
    "\tper-op statistics\n\t        NULL: 1 1 0 44 24 0 0 0 0\n"                                   \
    "\t        READ: 1000 1003 0 220000 1048680000 1689 503927 505677 0\n"                         \
    "\t       WRITE: 5 4 0 0 0 0 0 0 0\n\tCB_RECALL_2: 2 3 0 0 0 0 0 0 0\n"

static void nfs(void) {
    put("/proc/self/mountstats",
        "device rootfs mounted on / with fstype rootfs\n"
        "device nas:/x mounted on /nfs with fstype nfs4 statvers=1.1\n" NFS42(
            "1 2 3 4 5 6 7 8") "\ndevice nas:/x mounted on /nfs/below with fstype nfs4 "
                               "statvers=1.1\n" NFS42("9 9 9") "\ndevice nas:/a\\040b mounted on "
                                                               "/with\\040space with fstype nfs "
                                                               "statvers=1.1\n"
                                                               "\tage:\t7\n\tbytes:\t0 0 0 0 0 0 0 "
                                                               "0\n\tper-op statistics\n\n"
                                                               "device nas:/x mounted on /nfs with "
                                                               "fstype nfs4 statvers=1.1\n" NFS42(
                                                                   "10 20 30 40 524288 1048576 70 "
                                                                   "80") "\n");
    const struct factset *set = probe("/nfs/dir");
    CHECK_TEXT("read over the wire, of the upper of two", fact_value(set, "nfs.read_bytes"),
               "524288");
    CHECK_TEXT("written over the wire", fact_value(set, "nfs.write_bytes"), "1048576");
    CHECK_TEXT("age", fact_value(set, "nfs.age"), "312");
    CHECK_TEXT("connections", fact_value(set, "nfs.connections"), "2");
    CHECK_TEXT("sent again", fact_value(set, "nfs.sent_again"), "4");
    CHECK_TEXT("pNFS", fact_value(set, "nfs.pnfs"), "not configured");
    CHECK_TEXT("abilities of the server", fact_value(set, "nfs.caps"),
               "caps=0x3ffbffff,wtmult=512,dtsize=1048576,bsize=0,namlen=255");
    CHECK_TEXT("options beside them", fact_value(set, "option.nconnect"), "2");
    const char *digest = arena_str(&arena, set->digest);
    set = probe("/nfs/below/x");
    CHECK("half a line of counters", unknown(set, "nfs.read_bytes", "not said"));
    set = probe("/with space");
    CHECK_TEXT("names with spaces", fact_value(set, "nfs.age"), "7");
    CHECK_TEXT("zero is a number", fact_value(set, "nfs.read_bytes"), "0");
    CHECK("NFS 3 has no pNFS", unknown(set, "nfs.pnfs", "before NFS 4.1"));
    CHECK("no connection, none counted", unknown(set, "nfs.connections", "not said"));
    CHECK("no operations", unknown(set, "nfs.sent_again", "not said"));
    put("/proc/self/mountstats",
        "device nas:/x mounted on /nfs with fstype nfs4 statvers=1.1\n" NFS42(
            "1 2 3 4 999 999 7 8"));
    CHECK_TEXT("counters are state", probe("/nfs/dir")->digest, digest);
    put("/proc/self/mountstats", "device nas:/x mounted on /nfs wi");
    CHECK("half a file", unknown(probe("/nfs"), "nfs.read_bytes", "not in it"));
    put("/proc/self/mountstats", "");
    CHECK("an empty file", unknown(probe("/nfs"), "nfs.caps", "not in it"));
    unlink(arena_fmt(&arena, "%s/proc/self/mountstats", root));
    CHECK("no file", unknown(probe("/nfs"), "nfs.age", "/proc/self/mountstats: No such"));
    CHECK("not of others", !fact_find(probe("/x"), "nfs.age"));
}

/* ---- SMB ------------------------------------------------------------------------------------- */

#define DEBUG "/proc/fs/cifs/DebugData"
#define HEAD "Display Internal CIFS Data Structures for Debugging\nCIFS Version 2.51\n\nServers: "
#define SERVER(n, dialect, session, trees)                                                         \
    "\n" n ") ConnectionId: 0x1 Hostname: nas \nClientGUID: 0\nNumber of credits: 389,1,1 "        \
    "Dialect " dialect "\nTCP status: 1 Instance: 1\n\n\tSessions: \n\t1) Address: 10.0.0.1 "      \
    "Uses: 1 Capability: 0x300067\tSession Status: 1 \n\tSecurity type: RawNTLMSSP  SessionId: "   \
    "0x1" session "\n\tUser: 0 Cred User: 0\n\n\tShares: \n\t0) IPC: \\\\nas\\IPC$ Mounts: 1 "     \
    "DevInfo: 0x0\n" trees

static void smb(void) {
    put(DEBUG, HEAD SERVER("1", "0x210", "", "\n\t1) \\\\nas\\mediaold Mounts: 1 DevInfo: 0x20\n")
                   SERVER("2", "0x311 signed",
                          " encrypted(gcm256)\n\n\tExtra Channels: 3 \n\t\tChannel: 2",
                          "\n\t1) \\\\NAS\\Media Mounts: 1 DevInfo: 0x20\n")
                       SERVER("3", "0x302", " encrypted", "\n\t1) \\\\nas\\c Mounts: 1\n"));
    const struct factset *set = probe("/smb/films");
    CHECK_TEXT("the dialect of the server with the share", fact_value(set, "smb.dialect"), "3.1.1");
    CHECK_TEXT("signed", fact_value(set, "smb.signed"), "yes");
    CHECK_TEXT("encrypted, with a cipher behind it", fact_value(set, "smb.encrypted"), "yes");
    CHECK_TEXT("channels", fact_value(set, "smb.channels"), "4");
    CHECK_TEXT("cache mode is an option", fact_value(set, "option.cache"), "strict");
    set = probe("/old");
    CHECK_TEXT("another server", fact_value(set, "smb.dialect"), "2.1");
    CHECK("plain", !strcmp(fact_value(set, "smb.signed"), "no") &&
                       !strcmp(fact_value(set, "smb.encrypted"), "no") &&
                       !strcmp(fact_value(set, "smb.channels"), "1"));
    put(DEBUG, HEAD "\n\t[NONE]\n");
    CHECK("no servers", unknown(probe("/smb"), "smb.dialect", "not in it"));
    put(DEBUG, "\n\t1) \\\\nas\\media Mounts: 1\n");
    CHECK("a share of no server", unknown(probe("/smb"), "smb.signed", "not in it"));
    put(DEBUG, "\n1) ConnectionId: 0x1\n\t1) \\\\nas\\media Mounts: 1\n");
    CHECK("cut: no dialect", unknown(probe("/smb"), "smb.encrypted", "no dialect"));
    put(DEBUG, HEAD SERVER("1", "0x999", "", "\n\t1) \\\\nas\\media Mounts: 1\n"));
    CHECK_TEXT("a dialect to come", fact_value(probe("/smb"), "smb.dialect"), "0x999");
    unlink(arena_fmt(&arena, "%s" DEBUG, root));
    CHECK("no file", unknown(probe("/smb"), "smb.channels", DEBUG ": No such"));
}

/* ---- a server that is gone ------------------------------------------------------------------- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static int answers(const char *path, struct statvfs *s) {
    *s = (struct statvfs){.f_blocks = strlen(path)};
    return 0;
}

static int fails(const char *path, struct statvfs *s) {
    (void)path, (void)s;
    errno = ESTALE;
    return -1;
}

static int hangs(const char *path, struct statvfs *s) {
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return answers(path, s);
}

static void gone(void) {
    struct statvfs s = {.f_blocks = 0};
    CHECK("an answer", !statvfs_within(60 * NS_PER_S, "/abc", &s, answers) && s.f_blocks == 4);
    CHECK("an error", statvfs_within(60 * NS_PER_S, "/abc", &s, fails) && errno == ESTALE);
    pthread_mutex_lock(&gate);
    CHECK("no answer", statvfs_within(NS_PER_S / 100, "/", &s, hangs) && errno == ETIMEDOUT);
    CHECK("what was there stays", s.f_blocks == 4);
    pthread_mutex_unlock(&gate);
}

/* ---- ends in a pool -------------------------------------------------------------------------- */

static void block(const char *name, const char *number) {
    put(arena_fmt(&arena, "/sys/devices/virtual/block/%s/dev", name), number);
    link_to(arena_fmt(&arena, "/sys/dev/block/%s", number),
            arena_fmt(&arena, "../../devices/virtual/block/%s", name));
    link_to(arena_fmt(&arena, "/sys/class/block/%s", name),
            arena_fmt(&arena, "../../devices/virtual/block/%s", name));
}

static void build(void) {
    block("sda", "8:0");
    block("zd0", "230:0");
    block("zdx", "230:16");
    block("loop0", "7:0");
    put("/sys/devices/virtual/block/loop0/loop/backing_file", "/tank/vm/disk.img\n");
    link_to("/dev/zvol/tank/vol", "../../zd0");
    put("/x/upper/file", "");
    put("/tank/up/file", "");
    put("/proc/self/mountinfo",
        "1 0 8:0 / / rw - ext4 /dev/sda rw\n"
        "2 1 0:40 / /nfs rw - nfs4 nas:/x rw,vers=4.2,nconnect=2\n"
        "3 2 0:41 / /nfs/below rw - nfs4 nas:/x rw\n"
        "4 1 0:42 / /with\\040space rw - nfs nas:/a\\040b rw\n"
        "5 1 0:43 / /smb rw - cifs //nas/media/films rw,vers=3.1.1,cache=strict\n"
        "6 1 0:44 / /old rw - smb3 //nas/mediaold rw\n"
        "7 1 0:45 / /over rw - overlay overlay rw,lowerdir=/l,upperdir=/x/upper,workdir=/x/work\n"
        "8 1 0:46 / /container rw - overlay overlay rw,upperdir=/var/lib/gone/diff\n"
        "9 1 0:47 / /lower rw - overlay overlay ro,lowerdir=/a:/b\n"
        "10 1 0:48 / /tank rw - zfs tank rw\n"
        "11 10 0:49 / /tank/vm rw - zfs tank/vm rw\n"
        "12 1 7:0 / /image rw - ext4 /dev/loop0 rw\n"
        "13 1 230:0 / /zvol rw - ext4 /dev/zd0 rw\n"
        "14 1 0:50 / /overzfs rw - overlay overlay rw,upperdir=/tank/up\n"
        "15 1 0:51 / /self rw - overlay overlay rw,upperdir=/self/up\n"
        "16 1 230:16 / /zdx rw - ext4 /dev/zdx rw\n");
    put("/self/up/x", "");
}

static void pools(void) {
    const struct factset *set = probe("/over");
    CHECK_TEXT("overlay goes on with its upper directory", fact_value(set, "layers"),
               "overlay -> disk");
    CHECK_TEXT("to the disks", fact_value(set, "disks"), "sda");
    CHECK("from inside a container it cannot be seen",
          unknown(probe("/container"), "backing", "'/var/lib/gone/diff' cannot be seen"));
    CHECK("without one", unknown(probe("/lower"), "disks", "no upper directory"));
    CHECK("one in itself", unknown(probe("/self"), "chain", "cannot be seen"));
    set = probe("/overzfs");
    CHECK_TEXT("overlay on ZFS", fact_value(set, "layers"), "overlay -> dataset");
    CHECK_TEXT("lies in a pool", fact_value(set, "backing"), "pool");
    CHECK_TEXT("whose dataset it is", fact_value(probe_kind("/overzfs", "dataset"), "name"),
               "tank");
    set = probe("/image");
    CHECK_TEXT("a file on ZFS behind a loop device", fact_value(set, "chain"), "loop0 -> tank/vm");
    CHECK_TEXT("is in a pool", fact_value(set, "backing"), "pool");
    CHECK("with its disks there", unknown(set, "disks", "those of the pool") &&
                                      unknown(set, "disk_count", "those of the pool"));
    CHECK_TEXT("and its dataset", fact_value(probe_kind("/image", "dataset"), "name"), "tank/vm");
    CHECK_TEXT("and its pool", fact_value(probe_kind("/image", "pool"), "name"), "tank");
    set = probe("/zvol");
    CHECK_TEXT("a zvol", fact_value(set, "layers"), "zvol");
    CHECK_TEXT("is in a pool too", fact_value(set, "backing"), "pool");
    CHECK("it is no disk", !facts_find(&sheet, "disk", 0) && unknown(set, "disks", "pool"));
    CHECK_TEXT("its pool", fact_value(probe_kind("/zvol", "pool"), "name"), "tank");
    CHECK_TEXT("a name that only begins alike", fact_value(probe("/zdx"), "layers"), "disk");
}

int main(void) {
    root = tree_make(&arena);
    build();
    nfs();
    smb();
    gone();
    pools();
    tree_remove(root);
    arena_release(&arena);
    return check_done();
}
