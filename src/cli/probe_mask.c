/*
 * probe_mask.c: what of a probe says who and where this is, and its words. What the machine is
 * (models, versions, sizes, settings) stays. Facts whose text is the users' own are hidden whole;
 * names found in one fact are hidden in all texts. Nothing is read.
 */
#include <strings.h>

#include "mask.h"
#include "probe_view.h"
#include "zhist/json.h"
#include "zhist/secret.h"

/* Facts that are a name or an id: the kind of word they get. */
static const struct named {
    const char *kind, *key, *word;
} named[] = {
    {"system", "hostname", "host"},
    {"system", "boot_id", "boot"},
    {"module", "hostid", "hostid"},
    {"module", "spl_hostid", "hostid"},
    {"pool", "guid", "guid"},
    {"pool", "load_guid", "guid"},
    {"dataset", "guid", "guid"},
    {"dataset", "snapshots_changed", "guid"},
    {"mount", "option.addr", "address"},
    {"mount", "option.mountaddr", "address"},
    {"mount", "option.clientaddr", "address"},
    {"mount", "option.srcaddr", "address"},
};

static bool is_key(const struct factset *set, const struct fact *f, const char *kind,
                   const char *key) {
    return !strcmp(set->kind, kind) && !strcmp(f->key, key);
}

/* ---- datasets and pools ------------------------------------------------------------------- */

/* Of tank/a/b: tank is pool-1, tank/a pool-1/dataset-1 and so on; parts are hidden alone too. */
static void name_dataset(struct mask *m, const char *name) {
    if (!name || !*name || !strcmp(name, "-") || *name == '/')
        return;
    size_t len = strcspn(name, "/@#");
    const char *pool = arena_copy(m->a, name, len), *word = mask_word(m, pool, "pool");
    while (word && name[len]) {
        char mark = name[len];
        const char *part = arena_copy(m->a, name + len + 1, strcspn(name + len + 1, "/@#"));
        const char *own = mask_word(m, part, mark == '/' ? "dataset" : "snapshot");
        if (!own)
            return;
        len += 1 + strlen(part);
        word = arena_fmt(m->a, "%s%c%s", word, mark, own);
        mask_as(m, arena_copy(m->a, name, len), word);
    }
}

/* Of a source "inherited from tank/a". */
static void name_source(struct mask *m, const char *source) {
    static const char from[] = "inherited from ";
    if (source && !strncmp(source, from, sizeof from - 1))
        name_dataset(m, source + sizeof from - 1);
}

/* ---- paths, servers ----------------------------------------------------------------------- */

static void name_paths(struct mask *m, const char *point, const char *path) {
    const char *mount = NULL;
    size_t len = 0;
    if (point && strcmp(point, "/")) {
        mount = mask_word(m, point, "/mount");
        len = strlen(point);
    }
    if (!path || (point && !strcmp(path, point)))
        return;
    if (mount && !strncmp(path, point, len) && path[len] == '/')
        mask_as(m, path, arena_fmt(m->a, "%s%s", mount, mask_word(m, path + len, "/path")));
    else
        mask_word(m, path, "/path");
}

/* nas:/export/a, //nas/share/sub */
static void name_server(struct mask *m, const char *source) {
    bool smb = source && !strncmp(source, "//", 2);
    const char *host = smb ? source + 2 : source;
    size_t len = !host          ? 0
                 : smb          ? strcspn(host, "/")
                 : *host == '[' ? strcspn(host, "]") + 1
                                : strcspn(host, ":");
    if (!len || !host[len])
        return;
    const char *server = arena_copy(m->a, host, len), *share = host + len + 1;
    mask_word(m, server, "server");
    if (*share && strcmp(share, "/"))
        mask_word(m, share, *share == '/' ? "/share" : "share");
}

/* sda, nvme0n1p2, md127: the kernel hands them out. Others (of LVM, of dm-crypt) are given. */
static bool is_kernel_name(const char *name) {
    static const char *const prefixes[] = {
        "sd",   "hd",  "vd",  "xvd", "nvme",   "md",       "dm-",    "loop", "zd",  "ram",
        "zram", "nbd", "rbd", "sr",  "mmcblk", "mtdblock", "bcache", "drbd", "pmem"};
    for (size_t i = 0; i < LENGTH(prefixes); i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])) && !strchr(name, '/'))
            return true;
    return false;
}

static void name_volumes(struct mask *m, const char *chain) {
    for (const char *at = chain; at && *at;) {
        size_t len = strcspn(at, " (),");
        const char *name = arena_copy(m->a, at, len);
        if (len && strcmp(name, "->") && !is_kernel_name(name))
            mask_word(m, name, "volume");
        at += len;
        at += strspn(at, " (),");
    }
}

/* /dev/mapper/vg-lv, /dev/vg/lv; the tag of a share of a hypervisor. "tmpfs" names nothing. */
static void name_device(struct mask *m, const char *source, const char *fstype) {
    static const char *const nothing[] = {"none",   "tmpfs", "overlay", "root",
                                          "rootfs", "udev",  "shm",     "devtmpfs"};
    bool tag = source && *source && !strpbrk(source, "/:") && !(fstype && !strcmp(source, fstype));
    for (size_t i = 0; tag && i < LENGTH(nothing); i++)
        tag = strcmp(source, nothing[i]) != 0;
    if (tag)
        mask_word(m, source, "volume");
    if (!source || strncmp(source, "/dev/", 5))
        return;
    for (const char *at = source + 5; *at; at += *at == '/') {
        size_t len = strcspn(at, "/");
        const char *part = arena_copy(m->a, at, len);
        if (len && strcmp(part, "mapper") && strcmp(part, "disk") && strcmp(part, "zvol") &&
            strncmp(part, "by-", 3) && !is_kernel_name(part))
            mask_word(m, part, "volume");
        at += len;
    }
}

/* ---- the vdev tree ------------------------------------------------------------------------ */

static bool is_leaf(const struct json *node) {
    const char *type = json_text(node, "type");
    return type && (!strcmp(type, "disk") || !strcmp(type, "file") || !strcmp(type, "missing"));
}

/* One word for a disk, whether it is named by its link, its serial number or both: kept under a
 * text that stands nowhere. */
static const char *disk_word(struct mask *m, const char *kernel_name) {
    return mask_word(m, arena_fmt(m->a, "\x01%s", kernel_name), "disk");
}

/* "/dev/disk/by-id/ata-X-part1" is about ata-X. */
static const char *link_of(struct mask *m, const char *name) {
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    const char *part = strstr(base, "-part");
    return part ? arena_copy(m->a, base, (size_t)(part - base)) : base;
}

/* A leaf is named by path, by link or by guid: /dev/sda1 tells nothing, a link has the serial. */
static void name_leaves(struct mask *m, const struct json *node) {
    const char *name = json_text(node, "name");
    if (name && is_leaf(node)) {
        const char *link = link_of(m, name), *disk = json_text(node, "disk");
        const char *note = json_text(node, "note"), *word = NULL;
        if (!is_kernel_name(link) && disk && !strchr(disk, ' '))
            mask_as(m, link, word = disk_word(m, disk));
        else if (!is_kernel_name(link))
            word = mask_word(m, link, strcmp(json_text(node, "type"), "file") ? "disk" : "file");
        /* "was /dev/disk/by-id/ata-Y-part1": the same disk, under the guid ZFS knows it by */
        if (word && note && !strncmp(note, "was /dev/", 9) && !is_kernel_name(link_of(m, note)))
            mask_as(m, link_of(m, note), word);
    }
    const struct json *below = json_get(node, "below");
    for (const struct json *v = below ? below->first : NULL; v; v = v->next)
        name_leaves(m, v);
}

/* A name stands alone in such a fact, as in quotes: so also one that is a word of everyday use. */
static const char *alone(struct mask *m, const char *text) {
    const char *masked = mask_text(m, arena_fmt(m->a, "'%s'", text));
    return arena_copy(m->a, masked + 1, strlen(masked) - 2);
}

/* The tree again: only its names are replaced, so that a pool "data" leaves the class "data". */
static void put_masked(struct buf *b, struct mask *m, const struct json *node) {
    static const char *const names[] = {"name", "disk", "note", "why"};
    bool text = node->type == JSON_TEXT, own = false;
    if (node->key) {
        buf_json(b, node->key);
        buf_str(b, ":");
    }
    for (size_t i = 0; i < LENGTH(names); i++)
        own |= node->key && !strcmp(node->key, names[i]);
    if (node->type == JSON_OBJECT || node->type == JSON_ARRAY) {
        bool object = node->type == JSON_OBJECT;
        buf_str(b, object ? "{" : "[");
        for (const struct json *c = node->first; c; c = c->next) {
            buf_str(b, c == node->first ? "" : ",");
            put_masked(b, m, c);
        }
        buf_str(b, object ? "}" : "]");
    } else if (text && own) {
        buf_json(b, alone(m, node->text));
    } else if (text) {
        buf_json(b, node->text);
    } else {
        buf_str(b, node->text ? node->text : "null");
    }
}

static const char *masked_tree(struct mask *m, const char *text) {
    struct err e;
    struct buf b = {0};
    const struct json *tree = json_read(m->a, text, strlen(text), &e);
    if (!tree)
        return "hidden";
    put_masked(&b, m, tree);
    const char *masked = arena_str(m->a, b.data);
    buf_release(&b);
    return masked;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void name_host(struct mask *m, const char *name) {
    const char *dot = name ? strchr(name, '.') : NULL;
    const char *first = dot ? arena_copy(m->a, name, (size_t)(dot - name)) : name;
    const char *word = name && strcmp(name, "unknown") ? mask_word(m, first, "host") : NULL;
    if (word && dot) {
        mask_as(m, name, word);
        mask_word(m, dot + 1, "domain");
    }
}

static void gather(struct mask *m, const struct factset *set) {
    const char *tree = !strcmp(set->kind, "pool") ? fact_value(set, "tree") : NULL;
    struct err e;
    const struct json *root = tree ? json_read(m->a, tree, strlen(tree), &e) : NULL;
    if (root)
        name_leaves(m, root);
    for (size_t i = 0; i < set->n_facts; i++) {
        const struct fact *f = &set->facts[i];
        name_source(m, f->source);
        for (size_t k = 0; f->value && k < LENGTH(named); k++)
            if (is_key(set, f, named[k].kind, named[k].key) && strcmp(f->value, "0") &&
                strcmp(f->value, "-") && strcmp(f->value, "00000000"))
                mask_word(m, f->value, named[k].word);
    }
    if (!strcmp(set->kind, "pool")) {
        name_dataset(m, fact_value(set, "name"));
        name_dataset(m, fact_value(set, "bootfs"));
    } else if (!strcmp(set->kind, "dataset")) {
        name_dataset(m, fact_value(set, "name"));
        name_dataset(m, fact_value(set, "origin"));
        name_dataset(m, fact_value(set, "encryptionroot"));
        const char *point = fact_value(set, "mountpoint");
        if (point && *point == '/')
            name_paths(m, point, NULL);
    } else if (!strcmp(set->kind, "mount")) {
        const char *fstype = fact_value(set, "fstype"), *source = fact_value(set, "source");
        name_paths(m, fact_value(set, "mount_point"), fact_value(set, "path"));
        name_server(m, fact_value(set, "server"));
        name_volumes(m, fact_value(set, "chain"));
        if (fstype && !strcmp(fstype, "zfs"))
            name_dataset(m, source);
        else
            name_device(m, source, fstype);
        const char *root_of = fact_value(set, "root");
        if (root_of && strcmp(root_of, "/"))
            name_paths(m, NULL, root_of);
    } else if (!strcmp(set->kind, "disk")) {
        const char *digest = fact_value(set, "serial_digest"), *name = fact_value(set, "name");
        size_t len = strcspn(set->subject, "-"); /* a second of the same serial number has -2 */
        if (digest && name)
            mask_as(m, digest, disk_word(m, name));
        if (digest && len && !strncmp(digest, set->subject, len))
            mask_as(m, arena_copy(m->a, set->subject, len), mask_word(m, digest, "disk"));
    }
}

/* As long as an id, wherever it stands: of a file system, a volume group, a machine. */
static bool has_id(const char *text) {
    for (size_t run; *text; text += run ? run : 1)
        if ((run = strspn(text, "0123456789abcdefABCDEF-")) >= 16)
            return true;
    return false;
}

/* A place, an address, an id of somebody's: of the kernel's command line. */
static bool is_place(const char *text) {
    return strpbrk(text, "/=:@\\") || (strchr(text, '.') && !text[strspn(text, "0123456789.")]) ||
           has_id(text);
}

/* Parameters whose value is a name that somebody gave. */
static bool gives_name(const char *key) {
    static const char *const parts[] = {"host", "name",  "domain", "user",
                                        "uuid", "label", "lvm.",   "pool"};
    for (size_t i = 0; i < LENGTH(parts); i++)
        if (strstr(key, parts[i]))
            return true;
    return false;
}

static const char *masked_cmdline(struct mask *m, const char *text) {
    struct buf b = {0};
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, " ");
        const char *word = arena_copy(m->a, at, len), *value = strchr(word, '=');
        const char *key = value ? arena_copy(m->a, word, (size_t)(value - word)) : NULL;
        if (value && (is_place(value + 1) || gives_name(key)))
            buf_fmt(&b, "%s=hidden", key);
        else
            buf_str(&b, !value && is_place(word) ? "hidden" : mask_text(m, word));
        at += len;
        buf_str(&b, *at ? " " : "");
        at += *at == ' ';
    }
    const char *masked = b.len ? arena_str(m->a, b.data) : "";
    buf_release(&b);
    return masked;
}

/* Secrets that get a word, so that one sees what is the same; all others are hidden whole. */
static bool has_word(const struct factset *set, const struct fact *f) {
    static const char *const keys[][2] = {
        {"system", "cmdline"},     {"pool", "name"},
        {"pool", "bootfs"},        {"pool", "tree"},
        {"dataset", "name"},       {"dataset", "mountpoint"},
        {"dataset", "origin"},     {"dataset", "encryptionroot"},
        {"mount", "path"},         {"mount", "mount_point"},
        {"mount", "root"},         {"mount", "source"},
        {"mount", "server"},       {"mount", "chain"},
        {"disk", "serial_digest"}, {"disk", "pool"},
    };
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (is_key(set, f, keys[i][0], keys[i][1]))
            return true;
    for (size_t i = 0; i < LENGTH(named); i++)
        if (is_key(set, f, named[i].kind, named[i].key))
            return true;
    return false;
}

static bool is_hidden(struct arena *a, const struct factset *set, const struct fact *f) {
    static const char *const harmless[] = {"",   "-",   "none",   "on", "off",
                                           "no", "yes", "prompt", "0"};
    for (size_t i = 0; i < LENGTH(harmless); i++)
        if (!strcmp(f->value, harmless[i]))
            return false;
    /* Options may hold places of any kind. */
    if (!strcmp(set->kind, "mount") && !strncmp(f->key, "option.", 7) && strpbrk(f->value, "/\\"))
        return true;
    return !has_word(set, f) && fact_is_secret(arena_fmt(a, "%s.%s", set->kind, f->key));
}

/* "gzip" of a property is no name, even where a dataset is called so. */
static bool is_choice(const struct factset *set, const struct fact *f) {
    bool zfs = !strcmp(set->kind, "dataset") || !strcmp(set->kind, "pool");
    return zfs && f->class == FACT_SETTING && !strpbrk(f->value, " /@:#");
}

/* Users call their own properties by a domain that may be theirs; those of programs stay. */
static const char *masked_key(struct mask *m, const struct factset *set, const char *key) {
    static const char *const programs[] = {"com.sun:",     "org.freenas:",    "org.truenas:",
                                           "org.openzfs:", "org.zfsonlinux:", "org.zfsbootmenu:"};
    if (strcmp(set->kind, "dataset") || !strchr(key, ':'))
        return key;
    for (size_t i = 0; i < LENGTH(programs); i++)
        if (!strncmp(key, programs[i], strlen(programs[i])))
            return key;
    return mask_word(m, key, "user:property");
}

static const char *masked_value(struct mask *m, const struct factset *set, const struct fact *f) {
    if (!f->value)
        return NULL;
    if (is_hidden(m->a, set, f))
        return "hidden";
    if (is_key(set, f, "pool", "tree"))
        return masked_tree(m, f->value);
    if (is_key(set, f, "system", "cmdline"))
        return masked_cmdline(m, f->value);
    if (has_word(set, f))
        return alone(m, f->value);
    return is_choice(set, f) ? f->value : mask_text(m, f->value);
}

void probe_mask(struct arena *a, struct probe_view *v) {
    struct mask m = {.a = a};
    name_host(&m, v->host);
    for (size_t i = 0; i < v->sheet.n_sets; i++)
        gather(&m, &v->sheet.sets[i]);
    mask_word(&m, v->machine_id, "machine");
    name_paths(&m, NULL, v->path);
    mask_sort(&m);
    v->host = alone(&m, v->host);
    v->machine_id = mask_text(&m, v->machine_id);
    v->path = alone(&m, v->path);
    for (size_t i = 0; i < v->sheet.n_sets; i++) {
        struct factset *set = &v->sheet.sets[i];
        struct fact *facts = arena_new(a, struct fact, set->n_facts + 1);
        for (size_t k = 0; k < set->n_facts; k++) {
            facts[k] = set->facts[k];
            facts[k].key = masked_key(&m, set, set->facts[k].key);
            facts[k].value = masked_value(&m, set, &set->facts[k]);
            facts[k].source = mask_text(&m, set->facts[k].source);
        }
        set->facts = facts; /* disks of two targets may share theirs */
        set->subject = mask_text(&m, set->subject);
    }
    for (size_t i = 0; i < v->findings.n; i++) {
        struct finding *f = &v->findings.items[i];
        f->text = mask_text(&m, f->text);
        f->evidence = mask_text(&m, f->evidence);
    }
    v->masked = true;
}
