/*
 * mountinfo.c: /proc/self/mountinfo: reading its lines, and finding the mount of a path.
 *
 * The longest mount point in front of a path is not always the mount: one put over its parent
 * directory hides it. So the tree is walked by parent, as the kernel does. Lines that are no
 * mounts are left out; no line can crash the reader.
 */
#include "probe.h"
#include "zhist/unit.h"

enum { MOUNTINFO_MAX = 32 << 20 };

/* \040 is a space and so on; anything else after a backslash stays as it is. */
static char *unescape(struct arena *a, const char *text, size_t len) {
    char *copy = arena_copy(a, text, len), *to = copy;
    const char *end = copy + len;
    for (const char *at = copy; at < end;) {
        if (*at == '\\' && end - at >= 4 && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' &&
            at[2] <= '7' && at[3] >= '0' && at[3] <= '7' && memcmp(at, "\\000", 4)) {
            *to++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
            at += 4;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
    return copy;
}

struct field {
    const char *at;
    size_t len;
};

/* Fields are parted by single spaces; an empty source is an empty field. */
static bool next(struct field *f, const char **at, const char *end) {
    if (!*at)
        return false;
    const char *space = memchr(*at, ' ', (size_t)(end - *at));
    f->at = *at;
    f->len = (size_t)((space ? space : end) - *at);
    *at = space ? space + 1 : NULL;
    return true;
}

static bool parse_line(struct arena *a, const char *at, const char *end, struct mount *m) {
    struct field f[6], rest[2], sep;
    if (memchr(at, '\0', (size_t)(end - at)))
        return false;
    for (size_t i = 0; i < LENGTH(f); i++)
        if (!next(&f[i], &at, end) || !f[i].len)
            return false;
    do
        if (!next(&sep, &at, end))
            return false;
    while (sep.len != 1 || *sep.at != '-');
    if (!next(&rest[0], &at, end) || !rest[0].len || !next(&rest[1], &at, end) || !at)
        return false;
    if (unit_read_count(arena_copy(a, f[0].at, f[0].len), &m->id) ||
        unit_read_count(arena_copy(a, f[1].at, f[1].len), &m->parent))
        return false;
    m->device = arena_copy(a, f[2].at, f[2].len);
    if (!strchr(m->device, ':') || strspn(m->device, "0123456789:") != f[2].len)
        return false;
    m->root = unescape(a, f[3].at, f[3].len);
    m->point = unescape(a, f[4].at, f[4].len);
    m->options = arena_copy(a, f[5].at, f[5].len);
    m->fstype = unescape(a, rest[0].at, rest[0].len);
    m->source = unescape(a, rest[1].at, rest[1].len);
    m->super = arena_copy(a, at, (size_t)(end - at));
    return true;
}

size_t mountinfo_parse(struct arena *a, const char *text, size_t len, struct mount **mounts,
                       size_t *n) {
    size_t cap = 0, bad = 0;
    *mounts = NULL;
    *n = 0;
    for (const char *at = text, *end = text + len; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct mount m = {0};
        if (!stop)
            stop = end;
        if (parse_line(a, at, stop, &m))
            *array_add(a, *mounts, *n, cap) = m;
        else
            bad++;
        at = stop + 1;
    }
    return bad;
}

const struct mount *mount_of_id(const struct mount *mounts, size_t n, int64_t id) {
    for (size_t i = 0; i < n; i++)
        if (mounts[i].id == id)
            return &mounts[i];
    return NULL;
}

/* What is mounted on this mount just there; the kernel keeps at most one. */
static const struct mount *mounted_on(const struct mount *mounts, size_t n,
                                      const struct mount *parent, const char *point, size_t len) {
    for (size_t i = n; i-- > 0;)
        if (mounts[i].parent == parent->id && &mounts[i] != parent &&
            !strncmp(mounts[i].point, point, len) && !mounts[i].point[len])
            return &mounts[i];
    return NULL;
}

/* In a chroot whose root is no mount, the tree has no root: the longest, of equals the last. */
static const struct mount *longest(const struct mount *mounts, size_t n, const char *path) {
    const struct mount *best = NULL;
    size_t best_len = 0;
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(mounts[i].point);
        bool root = !strcmp(mounts[i].point, "/");
        if (!root && (strncmp(path, mounts[i].point, len) || (path[len] && path[len] != '/')))
            continue;
        if (!best || len >= best_len) {
            best = &mounts[i];
            best_len = len;
        }
    }
    return best;
}

const struct mount *mount_of_path(const struct mount *mounts, size_t n, const char *path) {
    const struct mount *at = NULL;
    for (size_t i = 0; i < n && !at; i++)
        if (!strcmp(mounts[i].point, "/") &&
            (mounts[i].parent == mounts[i].id || !mount_of_id(mounts, n, mounts[i].parent)))
            at = &mounts[i];
    if (!at || *path != '/')
        return *path == '/' ? longest(mounts, n, path) : NULL;
    for (size_t len = 1, steps = 0;;) {
        const struct mount *over = mounted_on(mounts, n, at, path, len);
        if (over && steps++ <= n) { /* a made-up list may go in circles */
            at = over;
            continue;
        }
        if (!path[len] || (len == 1 && !path[1]))
            return at;
        len += path[len] == '/';
        len += strcspn(path + len, "/");
    }
}

void mount_options(struct arena *a, const char *options,
                   void (*put)(void *ctx, const char *key, const char *value), void *ctx) {
    for (const char *at = options; *at;) {
        size_t len = 0, name;
        for (bool quoted = false; at[len] && (quoted || at[len] != ','); len++)
            quoted ^= at[len] == '"'; /* SELinux contexts carry commas in quotes */
        name = len ? strcspn(at, "=") : 0;
        if (name > len)
            name = len;
        if (name)
            put(ctx, unescape(a, at, name),
                name < len ? unescape(a, at + name + 1, len - name - 1) : "on");
        at += len + (at[len] == ',');
    }
}

void probe_mounts(struct probe *p) {
    struct err e = {0};
    char *text;
    size_t len;
    if (p->mounts || p->mounts_why)
        return;
    if (file_read(p->a, arena_fmt(p->a, "%s/proc/self/mountinfo", p->root), MOUNTINFO_MAX, &text,
                  &len, &e))
        p->mounts_why =
            arena_fmt(p->a, "/proc/self/mountinfo: %s", e.code ? strerror(e.code) : "too large");
    else {
        mountinfo_parse(p->a, text, len, &p->mounts, &p->n_mounts);
        if (!p->mounts)
            p->mounts_why = "/proc/self/mountinfo: no mount in it";
    }
}
