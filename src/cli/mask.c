/*
 * mask.c: secrets and their words, and a text with the words in their place. It must not know what
 * a fact is: which texts are secret is decided in probe_mask.c.
 */
#include <strings.h>

#include "mask.h"

/* Names people give that are words of everyday output as well. */
static const char *const everyday[] = {
    "active",  "always",   "auto",     "backup",  "boot",   "cache",    "data",     "debian",
    "dedup",   "default",  "disabled", "disk",    "enabled", "export",  "file",     "freenas",
    "hidden",  "host",     "inherited", "inode",  "kernel", "latency",  "legacy",   "linux",
    "local",   "localhost", "memory",  "metadata", "mirror", "module",  "mount",    "name",
    "none",    "online",   "option",   "path",    "pool",   "posix",    "prompt",   "read",
    "received", "root",    "scan",     "server",  "share",  "snapshot", "source",   "spare",
    "special", "standard", "state",    "storage", "system", "temporary", "test",    "throughput",
    "time",    "truenas",  "ubuntu",   "unknown", "user",   "version",  "virtual",  "volume",
    "write",   "zfs",      "zpool",    "zstd",
};

/* Where the kernel and the distribution keep things on every machine. */
static const char *const system_paths[] = {
    "/proc", "/sys", "/dev", "/etc", "/usr", "/run/udev", "/run/systemd", "/run/.containerenv",
    "/.dockerenv", "/var/lib/dbus", "/data/manifest.json", "/data/freenas-v1.db",
};
/* Directories everybody has: no secrets as they stand. */
static const char *const usual[] = {"/",     "/mnt", "/home", "/tmp", "/var", "/srv", "/media",
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

/* ---- a text ------------------------------------------------------------------------------------ */

static bool weak_fits(const struct secret *s, const char *text, const char *at) {
    char before = at > text ? at[-1] : '\0', after = at[s->len];
    if (strncmp(at, s->text, s->len) || is_alnum(before) || is_alnum(after))
        return false;
    return (before && strchr("/'\"@:", before)) || (after && strchr("/'\"@:", after)) ||
           (at - text >= 5 && !strncmp(at - 5, "from ", 5));
}

static const struct secret *secret_at(const struct mask *m, const char *text, const char *at) {
    for (size_t i = 0; i < m->n; i++) {
        const struct secret *s = &m->items[i];
        if (s->weak ? weak_fits(s, text, at) : !strncasecmp(at, s->text, s->len))
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

static bool is_below(const char *path, size_t len, const char *dir) {
    size_t n = strlen(dir);
    return len >= n && !strncmp(path, dir, n) && (len == n || path[n] == '/');
}

/* The length of a path that begins here and is not the system's; quote: it ends at it. */
static size_t foreign_path(const char *text, const char *at) {
    static const char *const words[] = {"/mount-", "/path-", "/share-"};
    char before = at > text ? at[-1] : '\0';
    if (*at != '/' || !at[1] || (before && !strchr(" '\"=,:(", before)))
        return 0;
    size_t len = before == '\'' || before == '"' ? strcspn(at, before == '"' ? "\"" : "'")
                                                 : strcspn(at, " '\",;:()");
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

const char *mask_text(struct mask *m, const char *text) {
    struct buf b = {0};
    if (!text)
        return NULL;
    for (const char *at = text; *at;) {
        size_t head = 0, len = link_at(at, &head);
        const struct secret *s = secret_at(m, text, at);
        if (s) {
            buf_str(&b, s->word);
            at += s->len;
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
