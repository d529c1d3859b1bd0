/*
 * disk.c: the probe of the disks under the targets: what they are and how the kernel drives them.
 *
 * It takes the disks that the sets before it name in `disks`, for each target its own, and reads
 * /sys and the database of udev; no device is opened. Under virtio, Xen and the like the kernel
 * shows what the hypervisor chose to show: `transport` says so.
 *
 * A disk is itself by its serial number: the kernel hands out sda and sdb anew at each boot.
 */
#include "probe.h"
#include "zhist/digest.h"
#include "zhist/unit.h"

/* Facts that are one file each below the disk's directory. */
static const struct file_fact {
    const char *key, *path;
    bool choice; /* the word in brackets counts */
} files[] = {
    {"logical_block_size", "queue/logical_block_size", false},
    {"physical_block_size", "queue/physical_block_size", false},
    {"scheduler", "queue/scheduler", true},
    {"write_cache", "queue/write_cache", false},
    {"read_ahead_kb", "queue/read_ahead_kb", false},
    {"nr_requests", "queue/nr_requests", false},
    {"max_sectors_kb", "queue/max_sectors_kb", false},
    {"zoned", "queue/zoned", false},
};

/* By what its path in /sys runs through; the first that fits. */
static const struct transport {
    const char *in_path, *name;
} transports[] = {
    {"/usb", "usb"},   {"/virtio", "virtio"}, {"/vbd-", "xen"},  {"/VMBUS", "hyper-v"},
    {"/nvme", "nvme"}, {"/session", "iscsi"}, {"/rport-", "fc"}, {"/end_device-", "sas"},
    {"/ata", "sata"},  {"/mmc_host", "mmc"},  {"/ufshc", "ufs"}, {"/virtual/", "virtual"},
    {"/host", "scsi"},
};

const char *disk_attribute(struct probe *p, const char *sys, const char *name,
                           const char **source) {
    const char *why, *path = arena_fmt(p->a, "%s/%s", sys, name);
    const char *text = probe_read(p, path, &why);
    text = text ? text + strspn(text, " ") : NULL;
    if (text && *text)
        *source = path;
    return text && *text ? text : NULL;
}

/* udev encodes spaces and the like as \x20, and pads. */
static const char *udev_decode(struct arena *a, const char *text) {
    static const char digits[] = "0123456789abcdef";
    char *copy = arena_str(a, text), *to = copy;
    for (const char *at = copy; *at;) {
        const char *high = at[0] == '\\' && at[1] == 'x' && at[2] ? strchr(digits, at[2]) : NULL;
        const char *low = high && at[3] ? strchr(digits, at[3]) : NULL;
        if (low) {
            *to++ = (char)((high - digits) * 16 + (low - digits));
            at += 4;
        } else {
            *to++ = *at++;
        }
    }
    while (to > copy && to[-1] == ' ')
        to--;
    *to = '\0';
    return copy + strspn(copy, " ");
}

static void model(struct probe *p, struct factset *set, const char *sys, const char *transport) {
    const char *source = "", *why, *text, *udev = NULL, *path = NULL, *full;
    const char *device = disk_attribute(p, sys, "dev", &source);
    bool scsi = transport && (!strcmp(transport, "sata") || !strcmp(transport, "sas") ||
                              !strcmp(transport, "usb") || !strcmp(transport, "scsi"));
    if (device) {
        path = arena_fmt(p->a, "/run/udev/data/b%s", device);
        udev = probe_read(p, path, &why);
    }
    text = disk_attribute(p, sys, "device/model", &source);
    /* SCSI cuts the name of a SATA disk after 16 characters; udev has asked the disk itself. */
    full = udev && scsi ? text_field(p->a, udev, "E:ID_MODEL_ENC", '=') : NULL;
    full = full ? udev_decode(p->a, full) : NULL;
    if (full && *full && (!text || strlen(full) > strlen(text))) {
        text = full;
        source = path;
    }
    const char *none = arena_fmt(p->a, "%s/device/model: not there%s%s", sys,
                                 transport ? ", transport " : "", transport ? transport : "");
    fact_add(p->a, set, "model", text, text ? source : none);

    /* Elsewhere `vendor` is the number of a PCI vendor. */
    text = scsi ? disk_attribute(p, sys, "device/vendor", &source) : NULL;
    fact_add(p->a, set, "vendor", text, text ? source : "only SCSI disks tell it");
    text = disk_attribute(p, sys, "device/firmware_rev", &source);
    if (!text && scsi && udev && (text = text_field(p->a, udev, "E:ID_REVISION", '=')))
        source = path;
    if (!text)
        text = disk_attribute(p, sys, "device/rev", &source);
    fact_add(p->a, set, "firmware", text, text ? source : "neither firmware_rev nor rev in /sys");
}

/* The serial number identifies a disk, and its owner: only a digest is kept. */
static void serial(struct probe *p, struct factset *set, const char *sys) {
    static const char *const places[] = {"device/serial", "serial", "wwid", "device/wwid"};
    const char *source = "", *text = NULL;
    char hex[DIGEST_TEXT];
    for (size_t i = 0; i < LENGTH(places) && !text; i++)
        text = disk_attribute(p, sys, places[i], &source);
    if (text) {
        digest_hex(text, strlen(text), hex);
        hex[16] = '\0';
    }
    fact_add(p->a, set, "serial_digest", text ? hex : NULL,
             text ? source : "no serial number in /sys");
}

static bool taken(const struct fact_sheet *sheet, int64_t target, const char *subject) {
    for (size_t i = 0; i < sheet->n_sets; i++)
        if (!strcmp(sheet->sets[i].kind, "disk") && sheet->sets[i].target == target &&
            !strcmp(sheet->sets[i].subject, subject))
            return true;
    return false;
}

/* Twelve digits of the serial's digest, else the name; two that share a serial (namespaces of one
 * controller, paths to one disk, bridges that all say 0123456789) are told apart by a number. */
static const char *subject_of(struct probe *p, const struct factset *set) {
    const char *digest = fact_value(set, "serial_digest"), *first, *subject;
    first = digest ? arena_fmt(p->a, "%.12s", digest) : fact_value(set, "name");
    subject = first;
    for (int k = 2; taken(p->sheet, set->target, subject); k++)
        subject = arena_fmt(p->a, "%s-%d", first, k);
    return subject;
}

static void read_disk(struct probe *p, struct factset *set, const char *name) {
    char *entry = arena_fmt(p->a, "/sys/class/block/%s", name), *c = strrchr(name, '/');
    const char *sys, *source = "", *text, *transport = NULL;
    if (c) /* cciss/c0d0 */
        entry[strlen(entry) - strlen(c)] = '!';
    sys = probe_resolve(p, entry);
    if (!sys)
        sys = entry;
    const char *real = probe_resolve(p, arena_fmt(p->a, "%s/device", sys));
    for (size_t i = 0; i < LENGTH(transports) && !transport; i++)
        if (strstr(sys, transports[i].in_path) || (real && strstr(real, transports[i].in_path)))
            transport = transports[i].name;
    fact_add(p->a, set, "name", name, sys);
    fact_add(p->a, set, "transport", transport, transport ? sys : "its path in /sys does not tell");
    model(p, set, sys, transport);
    serial(p, set, sys);
    disk_link(p, set, sys, transport);
    for (size_t i = 0; i < LENGTH(files); i++)
        (files[i].choice ? fact_from_choice : fact_from_file)(
            p, set, files[i].key, arena_fmt(p->a, "%s/%s", sys, files[i].path));

    text = disk_attribute(p, sys, "queue/rotational", &source);
    bool told = text && (!strcmp(text, "0") || !strcmp(text, "1"));
    fact_add(p->a, set, "rotational", told ? *text == '1' ? "yes" : "no" : NULL,
             told ? source : arena_fmt(p->a, "%s/queue/rotational: not there", sys));
    text = disk_attribute(p, sys, "queue/discard_max_bytes", &source);
    fact_add(p->a, set, "discard", text ? strcmp(text, "0") ? "yes" : "no" : NULL,
             text ? source : arena_fmt(p->a, "%s/queue/discard_max_bytes: not there", sys));
    int64_t sectors; /* of 512 bytes, whatever the disk's own are */
    text = disk_attribute(p, sys, "size", &source);
    bool sized = text && !unit_read_count(text, &sectors) && sectors <= INT64_MAX / 512;
    fact_number(p, set, "size", sized ? sectors * 512 : UNKNOWN,
                sized ? source : arena_fmt(p->a, "%s/size: not there", sys));
    disk_smr(p, set);
    disk_smart(p, set, name);
    text = disk_temperature(p, sys, &source);
    if (!text && (text = fact_value(set, "smart_temperature")))
        source = fact_find(set, "smart_temperature")->source;
    fact_add(p->a, set, "temperature", text, source);
}

/* ---- the pool it is a member of -------------------------------------------------------------- */

/* Adds a word to a list without saying it twice. */
static const char *joined(struct arena *a, const char *list, const char *word) {
    for (const char *at = list; at && *at;) {
        size_t len = strcspn(at, ",");
        if (len == strlen(word) && !strncmp(at, word, len))
            return list;
        at += len;
        at += strspn(at, ", ");
    }
    return list ? arena_fmt(a, "%s, %s", list, word) : word;
}

/* With partitions it may be in several vdevs. */
static void membership(struct probe *p, struct factset *set) {
    const char *name = fact_value(set, "name"), *pool = NULL, *vdev = NULL, *class = NULL;
    for (size_t i = 0; i < p->n_members; i++) {
        const struct member *m = &p->members[i];
        if (m->target != set->target || strcmp(m->disk, name))
            continue;
        pool = joined(p->a, pool, m->pool);
        vdev = joined(p->a, vdev, m->vdev);
        class = joined(p->a, class, m->class);
    }
    if (!pool)
        return;
    fact_add(p->a, set, "pool", pool, "zpool status");
    fact_add(p->a, set, "vdev", vdev, "zpool status");
    fact_add(p->a, set, "vdev_class", class, "zpool status");
}

static const struct factset *disk_of(const struct probe *p, const char *name, int64_t target) {
    for (size_t i = 0; i < p->sheet->n_sets; i++) {
        const struct factset *set = &p->sheet->sets[i];
        if (!strcmp(set->kind, "disk") && set->target == target &&
            !strcmp(fact_value(set, "name"), name))
            return set;
    }
    return NULL;
}

/* Of the disks that hold data, not of those that log or cache. */
static void media_of_pool(struct probe *p, struct factset *pool) {
    const char *media = NULL, *why = NULL, *count = fact_value(pool, "disk_count");
    int64_t n = 0, all;
    for (size_t i = 0; i < p->n_members && !why; i++) {
        const struct member *m = &p->members[i];
        if (m->target != pool->target || strcmp(m->class, "data"))
            continue;
        const struct factset *disk = disk_of(p, m->disk, pool->target);
        const char *one = disk ? disk_media(disk) : NULL;
        if (!one)
            why = arena_fmt(p->a, "%s: neither its transport nor its model tells for certain",
                            m->disk);
        else
            media = !media || !strcmp(media, one) ? one : "mixed";
        n++;
    }
    if (!why && (!count || unit_read_count(count, &all) || n < all))
        why = n ? "not all its disks are known" : "its disks are not known";
    fact_add(p->a, pool, "media", why ? NULL : media, why ? why : "its disks");
}

/* The facts of a disk that another target stands on too are read once. */
static void add_disk(struct probe *p, const char *name, int64_t target) {
    const struct factset *known = NULL;
    for (size_t i = 0; i < p->sheet->n_sets; i++) {
        const struct factset *set = &p->sheet->sets[i];
        if (strcmp(set->kind, "disk") || strcmp(fact_value(set, "name"), name))
            continue;
        if (set->target == target)
            return;
        known = set;
    }
    struct factset copy = known ? *known : (struct factset){0};
    struct factset *set = factset_add(p->a, p->sheet, "disk", "", target);
    for (size_t i = 0; i < copy.n_facts; i++)
        if (strcmp(copy.facts[i].key, "pool") && strncmp(copy.facts[i].key, "vdev", 4))
            *array_add(p->a, set->facts, set->n_facts, set->cap_facts) = copy.facts[i];
    if (!known)
        read_disk(p, set, name);
    membership(p, set);
    set->subject = subject_of(p, set);
}

void probe_disk(struct probe *p) {
    size_t n = p->sheet->n_sets; /* sets move when one is added: texts are kept, not sets */
    for (size_t i = 0; i < n; i++) {
        int64_t target = p->sheet->sets[i].target;
        for (const char *at = fact_value(&p->sheet->sets[i], "disks"); at && *at;) {
            size_t len = strcspn(at, " ");
            if (len)
                add_disk(p, arena_copy(p->a, at, len), target);
            at += len + (at[len] == ' ');
        }
    }
    for (size_t i = 0; i < n; i++)
        if (!strcmp(p->sheet->sets[i].kind, "pool"))
            media_of_pool(p, &p->sheet->sets[i]);
}
