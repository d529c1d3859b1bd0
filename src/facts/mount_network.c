/*
 * mount_network.c: what the kernel's NFS and SMB clients tell of a mount beside its options: how it
 * was negotiated, and what went over the wire.
 *
 * NFS: /proc/self/mountstats (fs/nfs/super.c, net/sunrpc/stats.c). SMB: /proc/fs/cifs/DebugData,
 * made for people and other in each kernel (fs/smb/client/cifs_debug.c, before 6.4 fs/cifs): only
 * words that have stayed are looked for. Files of /proc: no server is asked.
 */
#include <ctype.h>
#include <strings.h>

#include "probe.h"
#include "zhist/unit.h"

enum { STATS_MAX = 8 << 20 }; /* some 5 KiB a mount */

/* ---- NFS ------------------------------------------------------------------------------------- */

/* As the kernel writes names there: " \t\n\\" as \ooo. */
static const char *escaped(struct arena *a, const char *text) {
    struct buf b = {0};
    for (const char *c = text; *c; c++)
        if (strchr(" \t\n\\", *c))
            buf_fmt(&b, "\\%03o", (unsigned)*c);
        else
            buf_fmt(&b, "%c", *c);
    text = arena_str(a, b.data ? b.data : "");
    buf_release(&b);
    return text;
}

/* The part of the last "device NAS:/x mounted on POINT with fstype nfs4 ..." for the mount; of
 * several on one point the last is on top. */
static const char *nfs_section(struct arena *a, const char *text, const struct mount *m) {
    const char *head, *found = NULL, *end;
    head = arena_fmt(a, "device %s mounted on %s with fstype nfs", escaped(a, m->source),
                     escaped(a, m->point));
    for (const char *at = text; (at = strstr(at, head)); at++)
        if (at == text || at[-1] == '\n')
            found = at;
    if (!found)
        return NULL;
    end = strstr(found, "\ndevice ");
    return end ? arena_copy(a, found, (size_t)(end - found)) : found;
}

/* Behind "\tKEY:" at the start of a line. */
static const char *line_of(struct arena *a, const char *section, const char *key) {
    const char *head = arena_fmt(a, "\n\t%s:", key), *at = strstr(section, head);
    if (!at)
        return NULL;
    at += strlen(head);
    at += strspn(at, " \t");
    return arena_copy(a, at, strcspn(at, "\n"));
}

static const char *word(struct arena *a, const char *line, size_t index) {
    for (const char *at = line; at && *at; index--) {
        size_t len = strcspn(at, " \t");
        if (!index)
            return arena_copy(a, at, len);
        at += len;
        at += strspn(at, " \t");
    }
    return NULL;
}

static void put_count(struct probe *p, struct factset *set, const char *key, const char *text,
                      const char *from) {
    int64_t n;
    bool ok = text && !unit_read_count(text, &n);
    fact_number(p, set, key, ok ? n : UNKNOWN, ok ? from : arena_fmt(p->a, "%s: not said", from));
}

/* "READ: 1000 1003 ...": operations, and how often they were sent; what was sent again is the
 * network's or the server's fault. */
static int64_t sent_again(const char *section) {
    const char *at = strstr(section, "\tper-op statistics");
    int64_t again = 0;
    bool any = false;
    for (at = at ? strchr(at, '\n') : NULL; at; at = strchr(at + 1, '\n')) {
        unsigned long long ops, sent;
        if (sscanf(at, " %*[A-Z0-9_]: %llu %llu", &ops, &sent) != 2)
            continue;
        any = true;
        again += sent > ops && sent - ops < INT64_MAX / 1024 ? (int64_t)(sent - ops) : 0;
    }
    return any ? again : UNKNOWN;
}

static void nfs_facts(struct probe *p, struct factset *set, const struct mount *m) {
    static const char from[] = "/proc/self/mountstats";
    static const char *const keys[] = {"nfs.age",       "nfs.caps",        "nfs.read_bytes",
                                       "nfs.pnfs",      "nfs.write_bytes", "nfs.connections",
                                       "nfs.sent_again"};
    struct err e = {0};
    const char *why = NULL, *section = NULL;
    char *text;
    size_t len;
    if (file_read(p->a, arena_fmt(p->a, "%s%s", p->root, from), STATS_MAX, &text, &len, &e))
        why = arena_fmt(p->a, "%s: %s", from, e.code ? strerror(e.code) : "too large");
    else if (!(section = nfs_section(p->a, text, m)))
        why = arena_fmt(p->a, "%s: not in it", from);
    if (!section) {
        for (size_t i = 0; i < LENGTH(keys); i++)
            fact_add(p->a, set, keys[i], NULL, why);
        return;
    }
    put_count(p, set, "nfs.age", line_of(p->a, section, "age"), from);
    const char *bytes = line_of(p->a, section, "bytes");
    /* Read and written: by read(), by O_DIRECT, over the wire; then pages. */
    put_count(p, set, "nfs.read_bytes", word(p->a, bytes, 4), from);
    put_count(p, set, "nfs.write_bytes", word(p->a, bytes, 5), from);
    const char *caps = line_of(p->a, section, "caps"), *nfs4 = line_of(p->a, section, "nfsv4");
    const char *pnfs = nfs4 ? strstr(nfs4, "pnfs=") : NULL;
    fact_add(p->a, set, "nfs.caps", caps, caps ? from : arena_fmt(p->a, "%s: not said", from));
    fact_add(p->a, set, "nfs.pnfs",
             pnfs ? arena_copy(p->a, pnfs + 5, strcspn(pnfs + 5, ",")) : NULL,
             pnfs ? from : arena_fmt(p->a, "%s: not said, as before NFS 4.1", from));
    int64_t n = 0;
    for (const char *at = section; (at = strstr(at, "\n\txprt:")); at++)
        n++;
    fact_number(p, set, "nfs.connections", n ? n : UNKNOWN,
                n ? from : arena_fmt(p->a, "%s: not said", from));
    n = sent_again(section);
    fact_number(p, set, "nfs.sent_again", n,
                n != UNKNOWN ? from : arena_fmt(p->a, "%s: not said", from));
}

/* ---- SMB ------------------------------------------------------------------------------------- */

/* The share as the client knows it: "//nas/media/films" is the tree "\\nas\media". */
static const char *tree_name(struct arena *a, const char *source) {
    size_t host = strspn(source, "/"), share, len;
    if (host != 2)
        return NULL;
    share = host + strcspn(source + host, "/");
    share += source[share] == '/';
    len = share + strcspn(source + share, "/");
    char *name = arena_copy(a, source, len);
    for (char *c = name; *c; c++)
        *c = *c == '/' ? '\\' : *c;
    return name;
}

/* "1) ConnectionId: 0x1 Hostname: nas" begins a server; sessions and shares are moved in by a tab.
 */
static bool server_begins(const char *line) {
    size_t digits = strspn(line, "0123456789");
    return digits && line[digits] == ')';
}

/* The part of the server that has the share among its trees. */
static const char *smb_section(struct arena *a, const char *text, const char *tree) {
    const char *begin = NULL, *end = NULL;
    size_t len = strlen(tree);
    bool found = false;
    for (const char *line = text; line && !end; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (server_begins(line)) {
            if (found)
                end = line;
            else
                begin = line;
            continue;
        }
        const char *at = line + strspn(line, " \t0123456789)");
        found |= begin && !strncasecmp(at, tree, len) && at[len] == ' ';
    }
    if (!found)
        return NULL;
    return arena_copy(a, begin, end ? (size_t)(end - begin) : strlen(begin));
}

/* " signed" and the like; what stands behind it, as "(gcm256)", is not part of it. */
static bool says(const char *section, const char *word_in_it) {
    size_t len = strlen(word_in_it);
    for (const char *at = section; (at = strstr(at, word_in_it)); at += len)
        if (at > section && at[-1] == ' ' && !isalnum((unsigned char)at[len]))
            return true;
    return false;
}

static const char *dialect(struct arena *a, const char *section) {
    static const char *const names[][2] = {{"0x202", "2.0.2"},
                                           {"0x210", "2.1"},
                                           {"0x300", "3.0"},
                                           {"0x302", "3.0.2"},
                                           {"0x311", "3.1.1"}};
    const char *at = strstr(section, "Dialect 0x");
    if (!at)
        return NULL;
    at += strlen("Dialect ");
    const char *number = arena_copy(a, at, 2 + strspn(at + 2, "0123456789abcdef"));
    for (size_t i = 0; i < LENGTH(names); i++)
        if (!strcmp(names[i][0], number))
            return names[i][1];
    return number;
}

static void smb_facts(struct probe *p, struct factset *set, const struct mount *m) {
    static const char from[] = "/proc/fs/cifs/DebugData";
    static const char *const keys[] = {"smb.dialect", "smb.signed", "smb.encrypted",
                                       "smb.channels"};
    const char *why = NULL, *text = probe_read(p, from, &why), *tree = tree_name(p->a, m->source);
    const char *section = text && tree ? smb_section(p->a, text, tree) : NULL;
    const char *name = section ? dialect(p->a, section) : NULL;
    if (!name) {
        why = !text      ? why
              : !section ? arena_fmt(p->a, "%s: the share is not in it", from)
                         : arena_fmt(p->a, "%s: no dialect in it", from);
        for (size_t i = 0; i < LENGTH(keys); i++)
            fact_add(p->a, set, keys[i], NULL, why);
        return;
    }
    fact_add(p->a, set, "smb.dialect", name, from);
    fact_add(p->a, set, "smb.signed", says(section, "signed") ? "yes" : "no", from);
    fact_add(p->a, set, "smb.encrypted", says(section, "encrypted") ? "yes" : "no", from);
    const char *extra = strstr(section, "Extra Channels:"); /* only where there are some */
    int64_t n = 0;
    if (extra) {
        extra += strlen("Extra Channels:");
        extra += strspn(extra, " ");
        if (unit_read_count(arena_copy(p->a, extra, strspn(extra, "0123456789")), &n))
            n = UNKNOWN;
    }
    fact_number(p, set, "smb.channels", n == UNKNOWN ? n : n + 1, from);
}

void network_facts(struct probe *p, struct factset *set, const struct mount *m) {
    if (!strcmp(m->fstype, "nfs") || !strcmp(m->fstype, "nfs4"))
        nfs_facts(p, set, m);
    else if (!strcmp(m->fstype, "cifs") || !strcmp(m->fstype, "smb3"))
        smb_facts(p, set, m);
}
