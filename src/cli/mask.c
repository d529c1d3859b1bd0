/*
 * mask.c: secrets and their words, and a text with the words in their place. It must not know what
 * a fact is: which texts are secret is decided in probe_mask.c.
 */
#include <strings.h>

#include "mask.h"

/* clang-format off */
/* Names people give that are words of everyday output as well, or parts of such words. */
static const char *const everyday[] = {
    "active", "always", "auto", "back", "backup", "boot", "cache", "data", "date", "debian",
    "dedup", "default", "disabled", "disk", "disks", "enabled", "export", "fast", "file",
    "freenas", "gzip", "hidden", "home", "host", "inherited", "inode", "kernel", "latency",
    "legacy", "linux", "local", "localhost", "lzjb", "main", "media", "memory", "metadata",
    "mirror", "module", "mount", "name", "none", "nvme", "online", "option", "path", "pool",
    "posix", "prompt", "read", "received", "root", "sata", "scan", "scsi", "server", "share",
    "snapshot", "source", "spare", "special", "standard", "state", "storage", "system",
    "temporary", "test", "throughput", "time", "truenas", "ubuntu", "unknown", "user", "version",
    "virtio", "virtual", "volume", "work", "write", "zpool", "zstd",
};
/* clang-format on */

/* Where the kernel and the distribution keep things on every machine. */
static const char *const system_paths[] = {
    "/proc",
    "/sys",
    "/dev",
    "/etc",
    "/usr",
    "/run/udev",
    "/run/systemd",
    "/run/.containerenv",
    "/.dockerenv",
    "/var/lib/dbus",
    "/data/manifest.json",
    "/data/freenas-v1.db",
};
/* The kernel's own: what stands there are its words and numbers, never names that people gave. */
static const char *const kernel_paths[] = {
    "/proc/self", "/proc/sys", "/proc/pressure", "/sys/block",  "/sys/bus",
    "/sys/class", "/sys/dev",  "/sys/devices",   "/sys/kernel", "/sys/module",
};
/* Directories everybody has: no secrets as they stand. */
static const char *const usual[] = {"/",     "/mnt", "/home", "/tmp",  "/var", "/srv", "/media",
                                    "/data", "/opt", "/root", "/boot", "/usr", "/run", "/dev/shm"};

static bool is_alnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

static bool is_everyday(const char *text) {
    for (size_t i = 0; i < LENGTH(everyday); i++)
        if (!strcasecmp(everyday[i], text))
            return true;
    return false;
}

static const char *known_word(const struct mask *m, const char *text) {
    for (size_t i = 0; i < m->n; i++)
        if (!strcmp(m->items[i].text, text))
            return m->items[i].word;
    return NULL;
}

void mask_as(struct mask *m, const char *text, const char *word) {
    if (!text || !*text || known_word(m, text))
        return;
    for (size_t i = 0; i < LENGTH(usual); i++)
        if (!strcmp(usual[i], text))
            return;
    size_t len = strlen(text);
    *array_add(m->a, m->items, m->n, m->cap) =
        (struct secret){arena_str(m->a, text), word, len, len < 4 || is_everyday(text)};
}

static const char *next_word(struct mask *m, const char *kind) {
    struct counter *c = m->counters;
    while (c->kind && strcmp(c->kind, kind) && c < &m->counters[LENGTH(m->counters) - 1])
        c++;
    c->kind = kind;
    return arena_fmt(m->a, "%s-%d", kind, ++c->n);
}

const char *mask_word(struct mask *m, const char *text, const char *kind) {
    const char *word = text && *text ? known_word(m, text) : NULL;
    if (word || !text || !*text)
        return word;
    word = next_word(m, kind);
    mask_as(m, text, word);
    return word;
}

static int by_length(const void *a, const void *b) {
    const struct secret *x = a, *y = b;
    return x->len != y->len ? x->len < y->len ? 1 : -1 : strcmp(x->text, y->text);
}

void mask_sort(struct mask *m) {
    if (m->n)
        qsort(m->items, m->n, sizeof *m->items, by_length);
}

/* ---- a text --------------------------------------------------------------------------------- */

static bool weak_fits(const struct secret *s, const char *text, const char *at) {
    if (strncmp(at, s->text, s->len))
        return false;
    char before = at > text ? at[-1] : '\0', after = at[s->len];
    if (is_alnum(before) || is_alnum(after))
        return false;
    return (before && strchr("/'\"@:", before)) || (after && strchr("/'\"@:", after)) ||
           (at - text >= 5 && !strncmp(at - 5, "from ", 5));
}

/* Does a name reach further than here? A point does not end a name, but a sentence. */
static bool goes_on(const char *at) {
    return is_alnum(*at) || (*at && strchr("-_.", *at) && is_alnum(at[1]));
}

/* Names with a slash are whole ones: tank/a is not the begin of tank/ab. */
static const struct secret *secret_at(const struct mask *m, const char *text, const char *at) {
    for (size_t i = 0; i < m->n; i++) {
        const struct secret *s = &m->items[i];
        if (s->weak ? weak_fits(s, text, at)
                    : !strncasecmp(at, s->text, s->len) &&
                          !(strchr(s->text, '/') && goes_on(at + s->len)))
            return s;
    }
    return NULL;
}

/* Of "/dev/disk/by-id/ata-X-part1": what stands behind by-id/, without the partition. */
static size_t link_at(const char *at, size_t *head) {
    size_t len = strcspn(at, "/");
    if (strncmp(at, "by-", 3) || at[len] != '/')
        return 0;
    *head = len + 1;
    size_t name = strcspn(at + *head, " '\",)]}\\");
    for (size_t i = 0; i + 5 < name; i++)
        if (!strncmp(at + *head + i, "-part", 5))
            return i;
    return name;
}

/* /proc/../home is not below /proc. */
static bool is_below(const char *path, size_t len, const char *dir) {
    size_t n = strlen(dir);
    for (size_t i = 0; i + 2 < len; i++)
        if (!strncmp(path + i, "/..", 3) && (i + 3 == len || path[i + 3] == '/'))
            return false;
    return len >= n && !strncmp(path, dir, n) && (len == n || path[n] == '/');
}

/* The length of what is left of a path that began at `from`; in quotes it ends with them. */
static size_t path_length(const char *text, const char *from, const char *at) {
    char before = from > text ? from[-1] : '\0';
    return before == '\'' || before == '"' ? strcspn(at, before == '"' ? "\"" : "'")
                                           : strcspn(at, " '\",;:()");
}

/* The length of a path of the kernel's that begins here: a colon within stands in bus addresses. */
static size_t kernel_path(const char *text, const char *at) {
    if (*at != '/' || (at > text && (is_alnum(at[-1]) || strchr("-_./", at[-1]))))
        return 0;
    size_t len = strcspn(at, " '\",;()");
    len -= len && at[len - 1] == ':';
    for (size_t i = 0; i < LENGTH(kernel_paths); i++)
        if (is_below(at, len, kernel_paths[i]))
            return len;
    return 0;
}

/* The length of a path that begins here and is not the system's. */
static size_t foreign_path(const char *text, const char *at) {
    static const char *const words[] = {"/mount-", "/path-", "/share-"};
    char before = at > text ? at[-1] : '\0';
    if (*at != '/' || !at[1] || (before && !strchr(" '\"=,:(", before)))
        return 0;
    size_t len = path_length(text, at, at);
    for (size_t i = 0; i < LENGTH(words); i++)
        if (!strncmp(at, words[i], strlen(words[i])))
            return 0;
    for (size_t i = 0; i < LENGTH(system_paths); i++)
        if (is_below(at, len, system_paths[i]))
            return 0;
    for (size_t i = 0; i < LENGTH(usual); i++)
        if (strlen(usual[i]) == len && !strncmp(at, usual[i], len))
            return 0;
    return len > 1 ? len : 0;
}

/* Behind a pool or a dataset: what lies in it and was not named yet. */
static const char *put_below(struct mask *m, struct buf *b, const char *at) {
    while (*at && strchr("/@#", *at) && is_alnum(at[1])) {
        size_t len = 1;
        while (goes_on(at + len))
            len++;
        buf_put(b, at, 1);
        buf_str(b, mask_word(m, arena_copy(m->a, at + 1, len - 1),
                             *at == '/' ? "dataset" : "snapshot"));
        at += len;
    }
    return at;
}

/* The word of a secret, and of what the text names below it. */
static const char *put_secret(struct mask *m, struct buf *b, const struct secret *s,
                              const char *text, const char *at) {
    const char *word = s->word, *end = at + s->len;
    bool path = *s->text == '/', pool = !strncmp(word, "pool-", 5);
    buf_str(b, word);
    if (path && *end == '/' && end[1]) {
        size_t len = path_length(text, at, end);
        buf_str(b, mask_word(m, arena_copy(m->a, end, len), "/path"));
        return end + len;
    }
    return pool && !(at > text && at[-1] == '/') ? put_below(m, b, end) : end;
}

const char *mask_text(struct mask *m, const char *text) {
    struct buf b = {0};
    if (!text)
        return NULL;
    for (const char *at = text; *at;) {
        size_t head = 0, len = kernel_path(text, at);
        if (len) {
            buf_put(&b, at, len);
            at += len;
            continue;
        }
        len = link_at(at, &head);
        const struct secret *s = secret_at(m, text, at);
        if (s) {
            at = put_secret(m, &b, s, text, at);
        } else if (len) {
            buf_put(&b, at, head);
            buf_str(&b, mask_word(m, arena_copy(m->a, at + head, len), "disk"));
            at += head + len;
        } else if ((len = foreign_path(text, at)) > 0) {
            buf_str(&b, mask_word(m, arena_copy(m->a, at, len), "/path"));
            at += len;
        } else {
            buf_put(&b, at++, 1);
        }
    }
    const char *masked = b.len ? arena_str(m->a, b.data) : "";
    buf_release(&b);
    return masked;
}
