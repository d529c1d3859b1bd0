/*
 * read.c: how the probes read: small files below a root, their fields and chosen words.
 *
 * Nothing here knows what a value means. A reason names the path as the machine has it, without
 * the root the tests put before it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "probe.h"

enum { READ_MAX = 1 << 20, HEAD_MAX = 16 << 10 };

/* POSIX.1-2008 has it in its base; glibc shows it only to XSI programs. */

const char *path_resolve(struct arena *a, const char *path) {
    char *full = realpath(path, NULL);
    const char *copy = arena_str(a, full);
    free(full);
    return copy;
}

static const char *trimmed(struct arena *a, const char *text, size_t len) {
    while (len && (text[len - 1] == '\n' || text[len - 1] == ' ' || text[len - 1] == '\t' ||
                   text[len - 1] == '\0'))
        len--;
    return arena_copy(a, text, len);
}

const char *probe_read(struct probe *p, const char *path, const char **why) {
    struct err e = {0};
    char *text;
    size_t len;
    if (file_read(p->a, arena_fmt(p->a, "%s%s", p->root, path), READ_MAX, &text, &len, &e)) {
        *why = arena_fmt(p->a, "%s: %s", path, e.code ? strerror(e.code) : "too large");
        return NULL;
    }
    return trimmed(p->a, text, len);
}

const char *probe_read_head(struct probe *p, const char *path, const char **why) {
    char text[HEAD_MAX];
    size_t len = 0;
    ssize_t got = 0;
    int fd = open(arena_fmt(p->a, "%s%s", p->root, path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        while (len < sizeof text &&
               ((got = read(fd, text + len, sizeof text - len)) > 0 || (got < 0 && errno == EINTR)))
            len += got > 0 ? (size_t)got : 0;
    if (fd < 0 || got < 0) {
        *why = arena_fmt(p->a, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    close(fd);
    return trimmed(p->a, text, len);
}

bool probe_exists(struct probe *p, const char *path) {
    return !access(arena_fmt(p->a, "%s%s", p->root, path), F_OK);
}

const char *probe_resolve(struct probe *p, const char *path) {
    const char *full = path_resolve(p->a, arena_fmt(p->a, "%s%s", p->root, path));
    size_t len = strlen(p->root);
    return full && !strncmp(full, p->root, len) && full[len] == '/' ? full + len : NULL;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t probe_list(struct probe *p, const char *path, const char ***names) {
    size_t n = 0, cap = 0;
    DIR *dir = opendir(arena_fmt(p->a, "%s%s", p->root, path));
    *names = NULL;
    if (!dir)
        return 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            *array_add(p->a, *names, n, cap) = arena_str(p->a, entry->d_name);
    closedir(dir);
    if (n)
        qsort(*names, n, sizeof **names, by_name);
    return n;
}

const char *text_chosen(struct arena *a, const char *text) {
    const char *open = strchr(text, '['), *end = open ? strchr(open, ']') : NULL;
    return end ? arena_copy(a, open + 1, (size_t)(end - open - 1)) : text;
}

const char *text_field(struct arena *a, const char *text, const char *key, char sep) {
    size_t len = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, len))
            continue;
        const char *at = line + len;
        at += strspn(at, " \t");
        if (*at != sep)
            continue;
        at++;
        at += strspn(at, " \t");
        return trimmed(a, at, strcspn(at, "\n"));
    }
    return NULL;
}

bool text_has_word(const char *text, const char *word) {
    size_t len = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += len)
        if ((at == text || strchr(" \t\n", at[-1])) && (!at[len] || strchr(" \t\n", at[len])))
            return true;
    return false;
}

void fact_from_file(struct probe *p, struct factset *set, const char *key, const char *path) {
    const char *why = NULL, *text = probe_read(p, path, &why);
    fact_add(p->a, set, key, text, text ? path : why);
}

void fact_from_choice(struct probe *p, struct factset *set, const char *key, const char *path) {
    const char *why = NULL, *text = probe_read(p, path, &why);
    fact_add(p->a, set, key, text ? text_chosen(p->a, text) : NULL, text ? path : why);
}

void fact_number(struct probe *p, struct factset *set, const char *key, int64_t value,
                 const char *source) {
    fact_add(p->a, set, key, value == UNKNOWN ? NULL : arena_fmt(p->a, "%lld", (long long)value),
             source);
}
