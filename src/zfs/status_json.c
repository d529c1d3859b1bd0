/*
 * status_json.c: zpool status -j (OpenZFS 2.3, TrueNAS 24.10) into the same pools as its text.
 *
 * Both forms: nested, and --json-flat-vdevs, where every vdev lies side by side and names its
 * parent. Ask with -P, never with -L: zpool looks a vdev up again by the name it prints, does not
 * find the resolved one, and leaves out its type, path and state (seen in 2.3.9 and 2.4.4). And
 * with -i -t: else nothing tells of what is being initialized or trimmed.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "status.h"
#include "zhist/json.h"

enum { DEPTH_MAX = 16 };

struct reader {
    struct arena *a;
    const struct json *flat; /* all vdevs of a pool, side by side; NULL: nested */
    size_t left;             /* of a flat list: vdevs that have no place yet */
    bool twice;              /* a name stands for more than one of them */
    struct pool *pool;
};

static int64_t number(const struct json *object, const char *key) {
    const char *text = json_text(object, key);
    return text ? zfs_count(text, strlen(text)) : UNKNOWN;
}

/* ---- vdevs ----------------------------------------------------------------------------------- */

/* As the text has it behind the counters. */
static const char *note_of(struct arena *a, const struct json *from) {
    static const char *const words[][2] = {
        {"EXTERNAL", "external device fault"}, {"ERR_EXCEEDED", "too many errors"},
        {"SPARED", "currently in use"},        {"CORRUPT_DATA", "corrupted data"},
        {"OPEN_FAILED", "cannot open"},        {"IO_FAILURE", "experienced I/O failures"},
        {"ACTIVE", "currently in use"}};
    const char *was = json_text(from, "was"), *aux = json_text(from, "aux");
    if (was)
        return arena_fmt(a, "was %s", was);
    for (size_t i = 0; aux && i < LENGTH(words); i++)
        if (!strcmp(words[i][0], aux))
            return words[i][1];
    return aux;
}

static void activity(enum told *told, const char *state) {
    if (!state)
        return;
    if (!strcmp(state, "ACTIVE"))
        *told = TOLD_YES;
    else if (*told == TOLD_NOTHING)
        *told = TOLD_NO;
}

static const char *type_of(struct arena *a, const struct vdev *v, const struct json *from) {
    const char *type = json_text(from, "vdev_type"), *named = vdev_type_of_name(a, v->name);
    if (!type)
        return named ? named : json_get(from, "vdevs") ? "unknown" : vdev_type_of_leaf(v->name);
    return vdev_type_of_json(type, named);
}

/* The kernel's words for a vdev's state become those of the text. */
static const char *state_word(const struct json *from) {
    const char *state = json_text(from, "state"), *aux = json_text(from, "aux");
    if (!state)
        return NULL;
    if (!strcmp(state, "HEALTHY"))
        return "ONLINE";
    if (!strcmp(state, "CLOSED"))
        return "OFFLINE";
    if (strcmp(state, "CANT_OPEN"))
        return state;
    return aux && (!strcmp(aux, "CORRUPT_DATA") || !strcmp(aux, "BAD_LOG")) ? "FAULTED"
           : aux && !strcmp(aux, "SPLIT_POOL")                              ? "SPLIT"
                                                                            : "UNAVAIL";
}

static struct vdev *add(struct reader *r, struct vdev *to, const struct json *from,
                        const char *class) {
    const char *name = json_text(from, "name");
    struct vdev *v = vdev_add(r->a, to, name ? name : from->key ? from->key : "");
    v->type = to ? type_of(r->a, v, from) : "root";
    v->class = class;
    v->state = state_word(from);
    const char *path = json_text(from, "path");
    if (to && vdev_is_leaf(v) && !json_get(from, "was") && path && *path == '/')
        v->path = path;
    v->note = note_of(r->a, from);
    v->read_errors = number(from, "read_errors");
    v->write_errors = number(from, "write_errors");
    v->checksum_errors = number(from, "checksum_errors");
    activity(&r->pool->initializing, json_text(from, "init_state"));
    activity(&r->pool->trimming, json_text(from, "trim_state"));
    return v;
}

/* indirect: what is left of a removed vdev; text leaves it out as well. */
static bool shown(const struct json *from) {
    const char *type = json_text(from, "vdev_type");
    return from->type == JSON_OBJECT &&
           (!type || (strcmp(type, "indirect") && strcmp(type, "hole")));
}

static bool is_text(const struct json *object, const char *key, const char *text) {
    const char *value = json_text(object, key);
    return value && !strcmp(value, text);
}

static void below(struct reader *r, struct vdev *to, const struct json *of, const char *class,
                  int depth) {
    const struct json *vdevs = r->flat ? r->flat : json_get(of, "vdevs");
    for (const struct json *v = vdevs ? vdevs->first : NULL; v && depth < DEPTH_MAX; v = v->next) {
        if (!shown(v) || (r->flat && !is_text(v, "parent", to->name)))
            continue;
        if (r->flat && !r->left--) {
            r->left = 0;
            r->twice = true;
            return;
        }
        below(r, add(r, to, v, class), v, class, depth + 1);
    }
}

static const struct {
    const char *key, *class, *word; /* object of the nested form, ours, "class" of the flat form */
} classes[] = {{"special", "special", "special"},
               {"dedup", "dedup", "dedup"},
               {"logs", "log", "log"},
               {"l2cache", "cache", "l2cache"},
               {"spares", "spare", "spare"}};

/* The vdev whose tree the others hang on: named as the pool. */
static const struct json *root_of(const struct pool *pool, const struct json *vdevs) {
    for (const struct json *v = vdevs->first; v; v = v->next)
        if (is_text(v, "vdev_type", "root"))
            return v;
    return json_get(vdevs, pool->name);
}

static void read_vdevs(struct reader *r, const struct json *pool) {
    const struct json *vdevs = json_get(pool, "vdevs"), *root;
    root = vdevs && vdevs->type == JSON_OBJECT ? root_of(r->pool, vdevs) : NULL;
    if (!root || root->type != JSON_OBJECT)
        return;
    r->flat = vdevs->first && vdevs->first->next ? vdevs : NULL;
    for (const struct json *v = vdevs->first; v; v = v->next)
        r->left++;
    r->pool->root = add(r, NULL, root, "data");
    below(r, r->pool->root, root, "data", 0);
    for (size_t i = 0; i < LENGTH(classes); i++) {
        const struct json *of = r->flat ? r->flat : json_get(pool, classes[i].key);
        for (const struct json *v = of ? of->first : NULL; v; v = v->next) {
            bool mine =
                !r->flat || (is_text(v, "class", classes[i].word) && !json_get(v, "parent"));
            if (mine && shown(v))
                below(r, add(r, r->pool->root, v, classes[i].class), v, classes[i].class, 1);
        }
    }
}

/* ---- scans ----------------------------------------------------------------------------------- */

/* Seconds since 1970 with --json-int or -p, else a date; 0, "-" and what is neither: NULL. */
static const char *moment(struct arena *a, const struct json *object, const char *key) {
    const char *text = json_text(object, key), *date = text ? zfs_date(a, text) : NULL;
    return date || !text ? date : zfs_date_of_epoch(a, zfs_count(text, strlen(text)));
}

/* Is there anything but "never"? A pause whose moment cannot be read is a pause. */
static bool is_said(const struct json *object, const char *key) {
    const char *text = json_text(object, key);
    return text && strcmp(text, "-") && strcmp(text, "0");
}

static enum scan_state state_of(const char *word) {
    static const struct {
        const char *word;
        enum scan_state state;
    } states[] = {{"SCANNING", SCAN_RUNNING},  {"ERRORSCRUBBING", SCAN_RUNNING},
                  {"ACTIVE", SCAN_RUNNING},    {"FINISHED", SCAN_FINISHED},
                  {"COMPLETE", SCAN_FINISHED}, {"CANCELED", SCAN_CANCELED},
                  {"NONE", SCAN_IDLE}};
    for (size_t i = 0; word && i < LENGTH(states); i++)
        if (!strcmp(states[i].word, word))
            return states[i].state;
    return SCAN_STATE_UNKNOWN;
}

static double share(int64_t part, int64_t whole, int64_t skipped) {
    whole -= skipped == UNKNOWN || skipped > whole ? 0 : skipped;
    return part < 0 || whole <= 0 || part > whole ? (double)NAN : (double)part / (double)whole;
}

/* prefix: "err_scrub_" for the keys of an error scrub. */
static struct scan read_scan(struct arena *a, const struct json *from, enum scan_kind kind,
                             const char *prefix) {
    struct scan s = {.kind = kind, .done = NAN};
    const char *word = json_text(from, arena_fmt(a, "%sstate", prefix));
    const char *started = moment(a, from, arena_fmt(a, "%sstart_time", prefix));
    const char *ended = moment(a, from, arena_fmt(a, "%send_time", prefix));
    const char *pause =
        arena_fmt(a, "%s%s", prefix, kind == SCAN_ERROR_SCRUB ? "pause" : "scrub_pause");
    const char *paused = moment(a, from, pause);
    s.state = state_of(word);
    if (s.state == SCAN_IDLE)
        s.kind = SCAN_NEVER;
    if (s.state == SCAN_STATE_UNKNOWN || kind == SCAN_NOT_UNDERSTOOD) {
        s.kind = SCAN_NOT_UNDERSTOOD;
        s.state = SCAN_STATE_UNKNOWN;
        s.text = arena_fmt(a, "function '%s', state '%s'",
                           json_text(from, "function") ? json_text(from, "function") : "",
                           word ? word : "");
        return s;
    }
    if (s.state == SCAN_RUNNING && is_said(from, pause))
        s.state = SCAN_PAUSED;
    if (s.state == SCAN_RUNNING || s.state == SCAN_PAUSED) {
        s.started = started;
        if (kind == SCAN_REBUILD)
            s.done = share(number(from, "issued"), number(from, "to_scan"), UNKNOWN);
        else if (kind != SCAN_ERROR_SCRUB)
            s.done =
                share(number(from, "issued"), number(from, "to_examine"), number(from, "skipped"));
        const char *since = s.state == SCAN_PAUSED ? paused : started;
        s.text = arena_fmt(a, "%s %s since %s%s", scan_kind_names[kind],
                           s.state == SCAN_PAUSED ? "paused" : "in progress", since ? since : "?",
                           isnan(s.done) ? "" : arena_fmt(a, ", %.2f%% done", s.done * 100));
    } else if (s.state != SCAN_IDLE) {
        s.started = started;
        s.ended = ended;
        const char *errors = json_text(from, "errors");
        s.text = arena_fmt(a, "%s %s on %s%s", scan_kind_names[kind], scan_state_names[s.state],
                           ended ? ended : "?", errors ? arena_fmt(a, ", %s errors", errors) : "");
    } else {
        s.text = "none requested";
    }
    return s;
}

static void tell(struct pool *p, struct buf *all, struct scan next) {
    if (next.kind == SCAN_NEVER)
        return;
    buf_fmt(all, "%s%s", all->len ? "; " : "", next.text);
    p->scan = all->len == strlen(next.text) ? next : *scan_to_tell(&p->scan, &next);
}

static void read_scans(struct arena *a, struct pool *p, const struct json *pool) {
    const struct json *stats = json_get(pool, "scan_stats");
    struct buf all = {0};
    p->scan = (struct scan){SCAN_NEVER, SCAN_IDLE, NULL, NULL, NAN, "none requested"};
    if (!stats)
        return;
    if (json_get(stats, "function")) {
        enum scan_kind kind = is_text(stats, "function", "SCRUB")      ? SCAN_SCRUB
                              : is_text(stats, "function", "RESILVER") ? SCAN_RESILVER
                              : is_text(stats, "function", "NONE")     ? SCAN_NEVER
                                                                       : SCAN_NOT_UNDERSTOOD;
        if (kind != SCAN_NEVER)
            tell(p, &all, read_scan(a, stats, kind, ""));
    }
    if (json_get(stats, "err_scrub_state"))
        tell(p, &all, read_scan(a, stats, SCAN_ERROR_SCRUB, "err_scrub_"));
    const struct json *rebuilds = json_get(stats, "rebuild_stats");
    for (const struct json *v = rebuilds ? rebuilds->first : NULL; v; v = v->next)
        tell(p, &all, read_scan(a, v, SCAN_REBUILD, ""));
    if (all.len)
        p->scan.text = arena_str(a, all.data);
    else if (!json_get(stats, "function"))
        p->scan = (struct scan){
            .kind = SCAN_NOT_UNDERSTOOD, .done = NAN, .text = "scan_stats without a function"};
    buf_release(&all);
}

/* ---- pools ----------------------------------------------------------------------------------- */

static const char *one_line(struct arena *a, const struct json *object, const char *key) {
    const char *text = json_text(object, key);
    return text && strcmp(text, "OK") ? zfs_one_line(a, text, strlen(text)) : NULL;
}

static enum told under_way(const struct json *stats) {
    switch (stats ? state_of(json_text(stats, "state")) : SCAN_IDLE) {
    case SCAN_RUNNING:
        return TOLD_YES;
    case SCAN_STATE_UNKNOWN:
        return TOLD_NOTHING;
    default:
        return TOLD_NO;
    }
}

static struct pool read_pool(struct arena *a, const struct json *from) {
    struct pool p = {.name = json_text(from, "name"), .state = json_text(from, "state")};
    struct reader r = {.a = a, .pool = &p};
    if (!p.name)
        p.name = from->key;
    p.guid = json_text(from, "pool_guid");
    if (!p.guid)
        p.guid = json_text(from, "guid");
    p.status = one_line(a, from, "status");
    p.action = one_line(a, from, "action");
    p.data_errors = number(from, "error_count");
    if (p.data_errors == 0)
        p.errors = "No known data errors";
    else if (p.data_errors > 0)
        p.errors = arena_fmt(a, "%lld data errors", (long long)p.data_errors);
    read_scans(a, &p, from);
    p.removing = under_way(json_get(from, "removal_stats"));
    p.expanding = under_way(json_get(from, "raidz_expand_stats"));
    read_vdevs(&r, from);
    p.unsure = !p.root   ? "it has no vdevs"
               : r.twice ? "one name stands for two of its vdevs"
                         : vdev_unsure(a, p.root);
    p.suspended = zfs_says_suspended(p.state, p.status);
    return p;
}

int pools_from_json(struct arena *a, const char *text, size_t len, struct pool_list *list,
                    struct err *e) {
    const struct json *top = json_read(a, text, len, e), *version, *pools;
    if (!top)
        return -1;
    version = json_get(top, "output_version");
    if (!version || !is_text(version, "command", "zpool status"))
        return err_set(e, ERR_FAILED, "not what zpool status -j prints");
    if (!is_text(version, "vers_major", "0"))
        return err_set(e, ERR_FAILED, "zpool status -j of major version %s: only 0 is known",
                       json_text(version, "vers_major") ? json_text(version, "vers_major") : "?");
    pools = json_get(top, "pools");
    if (!pools || pools->type != JSON_OBJECT)
        return err_set(e, ERR_FAILED, "zpool status -j without its pools");
    for (const struct json *p = pools->first; p; p = p->next) {
        if (p->type != JSON_OBJECT)
            return err_set(e, ERR_FAILED, "zpool status -j: pool '%s' is no object", p->key);
        struct pool pool = read_pool(a, p);
        *array_add(a, list->items, list->n, list->cap) = pool;
        if (!pool.root)
            return err_set(e, ERR_FAILED, "zpool status -j: pool '%s' has no vdevs", pool.name);
        const char *lacks = vdev_lacks(a, pool.root);
        if (lacks)
            return err_set(e, ERR_FAILED, "%s", lacks);
    }
    return 0;
}
