/*
 * probe_storage.c: the part of the `probe` page about storage: the vdev tree or the block chain,
 * the properties that matter, the disks. It must read nothing but the view.
 */
#include "probe_view.h"
#include "zhist/json.h"
#include "zhist/unit.h"

enum { GAP = 2, DEEPEST = 16, PROPERTIES_MAX = 64, GRID_MAX = 4 };

static void blanks(struct buf *out, int n) {
    while (n-- > 0)
        buf_str(out, " ");
}

static void end_line(struct buf *out) {
    while (out->len && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
    buf_str(out, "\n");
}

/* Cut where it is wider, padded where it is narrower. */
static void cell(struct buf *out, const char *text, int width, bool right) {
    struct buf b = {0};
    if (text_width(text) > width) {
        buf_put(&b, text, text_fit(text, width > 3 ? width - 3 : width));
        buf_str(&b, width > 3 ? "..." : "");
    } else {
        buf_str(&b, text);
    }
    int pad = width - text_width(b.data);
    blanks(out, right ? pad : 0);
    buf_str(out, b.data);
    blanks(out, right ? 0 : pad);
    buf_release(&b);
}

/* ---- disks ---------------------------------------------------------------------------------- */

static const struct factset *disk_named(const struct page *p, const char *name) {
    for (size_t i = 0; name && i < p->v->sheet.n_sets; i++) {
        const struct factset *set = &p->v->sheet.sets[i];
        const char *own = fact_value(set, "name");
        if (!strcmp(set->kind, "disk") && set->target == 0 && own && !strcmp(own, name))
            return set;
    }
    return NULL;
}

static const char *model_of(const struct page *p, const struct factset *disk) {
    const char *model = fact_value(disk, "model"), *vendor = fact_value(disk, "vendor");
    if (model && vendor && strcmp(vendor, "ATA") && strncmp(model, vendor, strlen(vendor)))
        return arena_fmt(p->a, "%s %s", vendor, model);
    return model;
}

/* "mirror-0", "log", "special mirror-1": a vdev that holds data needs no class. */
static const char *place_of(const struct page *p, const struct factset *disk) {
    const char *vdev = fact_value(disk, "vdev"), *class = fact_value(disk, "vdev_class");
    if (!vdev || !class || !strcmp(class, "data"))
        return vdev;
    return strcmp(vdev, "disk") ? arena_fmt(p->a, "%s %s", class, vdev) : class;
}

static const struct json *tree_of(const struct page *p) {
    const char *text = fact_value(facts_find(&p->v->sheet, "pool", 0), "tree");
    struct err e;
    return text ? json_read(p->a, text, strlen(text), &e) : NULL;
}

enum disk_column {
    DISK_NAME,
    DISK_MODEL,
    DISK_SIZE,
    DISK_KIND,
    DISK_VDEV,
    DISK_TEMPERATURE,
    DISK_LINK,
    DISK_FIRMWARE,
    DISK_COLUMNS
};

static const char *disk_cell(const struct page *p, const struct factset *disk,
                             enum disk_column column) {
    const char *text, *more;
    switch (column) {
    case DISK_NAME:
        return fact_value(disk, "name");
    case DISK_MODEL:
        return model_of(p, disk);
    case DISK_SIZE:
        return page_bytes(p, fact_value(disk, "size"), UNITS_SI);
    case DISK_KIND:
        text = disk_media(disk);
        more = fact_value(disk, "smr"); /* slow once its cache is full */
        return !text                          ? "unknown"
               : more && !strcmp(more, "yes") ? arena_fmt(p->a, "%s, SMR", text)
                                              : text;
    case DISK_VDEV:
        return place_of(p, disk);
    case DISK_TEMPERATURE:
        text = fact_value(disk, "temperature");
        return text ? arena_fmt(p->a, "%s C", text) : NULL;
    case DISK_LINK:
        text = fact_value(disk, "transport");
        more = fact_value(disk, "link_speed");
        return text && more ? arena_fmt(p->a, "%s %s", text, more) : text ? text : more;
    case DISK_FIRMWARE:
        return fact_value(disk, "firmware");
    case DISK_COLUMNS:
        break;
    }
    return NULL;
}

/* "tmpfs lies in memory", "the disks are the server's": then it is known that there are none here.
 */
static const char *elsewhere(const struct page *p) {
    const struct factset *mount = facts_find(&p->v->sheet, "mount", 0);
    const struct fact *chain = page_fact(mount, "chain");
    const char *backing = fact_value(mount, "backing");
    bool known = backing && strcmp(backing, "disk") && strcmp(backing, "pool");
    return known && chain && !chain->value ? chain->source : NULL;
}

static const char *no_disks(const struct page *p) {
    const struct fact *of_pool = page_fact(facts_find(&p->v->sheet, "pool", 0), "disks");
    const struct fact *of_mount = page_fact(facts_find(&p->v->sheet, "mount", 0), "disks");
    const struct fact *f = of_pool ? of_pool : of_mount;
    const char *told = elsewhere(p);
    if (of_pool && !of_pool->value && tree_of(p))
        return "unknown; LAYOUT says why";
    return told ? told : arena_fmt(p->a, "unknown (%s)", f ? f->source : "nothing names them");
}

static size_t fit(const struct page *p, const int *width, bool *shown) {
    size_t n = 0;
    for (size_t c = DISK_COLUMNS; c-- > 0;) { /* from the right: the last ones matter least */
        int total = GAP;
        for (size_t i = 0; i < DISK_COLUMNS; i++)
            total += shown[i] ? width[i] + GAP : 0;
        if (total - GAP <= p->width)
            break;
        if (c > DISK_MODEL)
            shown[c] = false;
    }
    for (size_t i = 0; i < DISK_COLUMNS; i++)
        n += shown[i];
    return n;
}

void page_disks(const struct page *p) {
    static const char *const heads[DISK_COLUMNS] = {"disk", "model",       "size", "kind",
                                                    "in",   "temperature", "link", "firmware"};
    bool pool = facts_find(&p->v->sheet, "pool", 0) != NULL;
    size_t n_sets = p->v->sheet.n_sets, n = 0;
    const char **cells = arena_new(p->a, const char *, (n_sets + 1) * DISK_COLUMNS);
    int width[DISK_COLUMNS] = {0};
    bool shown[DISK_COLUMNS] = {false};
    for (size_t i = 0; i < n_sets; i++) {
        const struct factset *set = &p->v->sheet.sets[i];
        const char *name = fact_value(set, "name");
        bool zvol = pool && name && !strncmp(name, "zd", 2); /* the pool's disks are the disks */
        if (strcmp(set->kind, "disk") || set->target != 0 || zvol)
            continue;
        for (size_t c = 0; c < DISK_COLUMNS; c++) {
            const char *text = disk_cell(p, set, (enum disk_column)c);
            shown[c] |= text != NULL;
            text = text ? report_clean(p->a, text) : "-";
            cells[n * DISK_COLUMNS + c] = text;
            width[c] = text_width(text) > width[c] ? text_width(text) : width[c];
        }
        n++;
    }
    if (!n) {
        page_section(p, "DISKS", no_disks(p));
        return;
    }
    for (size_t c = 0; c < DISK_COLUMNS; c++)
        width[c] = text_width(heads[c]) > width[c] ? text_width(heads[c]) : width[c];
    fit(p, width, shown);
    buf_str(p->out, "\nDISKS\n");
    for (size_t row = 0; row <= n; row++) {
        blanks(p->out, 2);
        for (size_t c = 0; c < DISK_COLUMNS; c++) {
            if (!shown[c])
                continue;
            cell(p->out, row ? cells[(row - 1) * DISK_COLUMNS + c] : heads[c], width[c],
                 c == DISK_SIZE || c == DISK_TEMPERATURE);
            blanks(p->out, GAP);
        }
        end_line(p->out);
    }
}

/* ---- the vdev tree -------------------------------------------------------------------------- */

/* "/dev/disk/by-id/ata-X-part1" is ata-X-part1: the rest is the same for all of them. */
static const char *short_link(const char *path) {
    const char *base = strrchr(path, '/');
    return !strncmp(path, "/dev/", 5) && base[1] ? base + 1 : path;
}

static const char *node_name(const struct page *p, const struct json *node) {
    const char *disk = json_text(node, "disk"), *name = json_text(node, "name");
    return report_clean(p->a, disk ? disk : name ? short_link(name) : "?");
}

static const struct json *first_below(const struct json *node) {
    const struct json *below = json_get(node, "below");
    return below ? below->first : NULL;
}

/* Vdevs that hold no data stand under a line with their class, as zpool status has them. */
static bool has_class_line(const struct json *vdev) {
    const char *class = json_text(vdev, "class");
    return class && strcmp(class, "data");
}

static int tree_width(const struct page *p, const struct json *node, int depth) {
    int widest = 2 * depth + text_width(node_name(p, node));
    for (const struct json *v = depth < DEEPEST ? first_below(node) : NULL; v; v = v->next) {
        int width = tree_width(p, v, depth + (!depth && has_class_line(v) ? 2 : 1));
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void put_errors(struct buf *b, const struct json *node) {
    static const char *const of[] = {"read", "write", "checksum"};
    const struct json *errors = json_get(node, "errors"), *e = errors ? errors->first : NULL;
    bool any = false;
    for (size_t i = 0; e && i < LENGTH(of); i++, e = e->next) {
        if (e->type != JSON_INTEGER || !e->integer)
            continue;
        buf_fmt(b, "%s%lld %s",
                any      ? ", "
                : b->len ? "; errors: "
                         : "errors: ",
                (long long)e->integer, of[i]);
        any = true;
    }
}

static void put_node(const struct page *p, const struct json *node, int depth, int name) {
    const char *state = json_text(node, "state"), *note = json_text(node, "note");
    const char *why = json_text(node, "why"), *type = json_text(node, "type");
    const struct factset *disk = disk_named(p, json_text(node, "disk"));
    const char *model = disk ? model_of(p, disk) : NULL;
    const char *size = disk ? page_bytes(p, fact_value(disk, "size"), UNITS_SI) : NULL;
    struct buf b = {0};
    buf_fmt(&b, "%s%s%s", model ? model : "", model && size ? ", " : "", size ? size : "");
    put_errors(&b, node);
    if (note && !strncmp(note, "was /", 5))
        buf_fmt(&b, "%swas %s", b.len ? "; " : "", short_link(note + 4));
    else if (note)
        buf_fmt(&b, "%s%s", b.len ? "; " : "", note);
    if (type && !strcmp(type, "file"))
        buf_fmt(&b, "%sa file", b.len ? "; " : "");
    else if (why && (!note || strcmp(note, why)))
        buf_fmt(&b, "%sdisk unknown: %s", b.len ? "; " : "", why);
    blanks(p->out, 2 + 2 * depth);
    cell(p->out, node_name(p, node), name - 2 * depth, false);
    blanks(p->out, GAP);
    cell(p->out, state ? state : "?", 8, false);
    blanks(p->out, GAP);
    int at = 2 + name + GAP + 8 + GAP;
    report_wrap(p->out, report_clean(p->a, b.data), at, at, p->width);
    end_line(p->out);
    buf_release(&b);
}

static void put_tree(const struct page *p, const struct json *node, int depth, int name) {
    const char *class = "data";
    int more = 1;
    put_node(p, node, depth, name);
    for (const struct json *v = depth < DEEPEST ? first_below(node) : NULL; v; v = v->next) {
        const char *own = json_text(v, "class");
        if (!depth && own && strcmp(own, class)) {
            more = has_class_line(v) ? 2 : 1;
            if (more == 2)
                buf_fmt(p->out, "    %s\n", report_clean(p->a, own));
            class = own;
        }
        put_tree(p, v, depth + more, name);
    }
}

void page_layout(const struct page *p) {
    const struct factset *pool = facts_find(&p->v->sheet, "pool", 0);
    const struct json *tree = tree_of(p);
    const char *ashift = fact_value(pool, "ashift");
    if (!pool)
        return;
    if (ashift && !strcmp(ashift, "0")) /* each vdev has its own */
        ashift = NULL;
    page_section(p, "LAYOUT",
                 arena_fmt(p->a, "%s%s%s", page_told(p, pool, "layout"), ashift ? "; ashift " : "",
                           ashift && !strcmp(ashift, "0") ? "automatic"
                           : ashift                       ? ashift
                                                          : ""));
    if (!tree)
        return;
    int name = tree_width(p, tree, 0), most = p->width / 2;
    put_tree(p, tree, 0, name < most ? name : most);
}

/* ---- properties ----------------------------------------------------------------------------- */

struct property_cell {
    const char *name, *value;
};

/* These always; others where somebody set them here. */
static const char *const that_matter[] = {
    "recordsize", "volblocksize", "compression",          "encryption", "checksum", "sync",
    "logbias",    "primarycache", "secondarycache",       "direct",     "atime",    "dedup",
    "copies",     "xattr",        "special_small_blocks", "quota",
};
static const char *const sizes[] = {
    "recordsize", "volblocksize", "quota",          "refquota",
    "volsize",    "reservation",  "refreservation", "special_small_blocks"};

static bool among(const char *const *list, size_t n, const char *word) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], word))
            return true;
    return false;
}

static bool set_here(const struct fact *f) {
    return !strcmp(f->source, "local") || !strcmp(f->source, "received");
}

static const char *property_value(const struct page *p, const struct fact *f) {
    int64_t bytes;
    struct buf b = {0};
    if (!f->value)
        return "unknown";
    if (!among(sizes, LENGTH(sizes), f->key) || unit_read_count(f->value, &bytes))
        buf_str(&b, f->value);
    else if (!bytes)
        buf_str(&b, "none");
    else
        unit_put_exact(&b, bytes);
    if (set_here(f))
        buf_str(&b, " *");
    const char *text = report_clean(p->a, b.data);
    buf_release(&b);
    return text;
}

static void add_property(const struct page *p, struct property_cell *cells, size_t *n,
                         const struct fact *f) {
    if (f && *n < PROPERTIES_MAX && !(f->value && !strcmp(f->value, "-")))
        cells[(*n)++] = (struct property_cell){report_clean(p->a, f->key), property_value(p, f)};
}

/* Columns filled from top to bottom, as many as fit. */
static void put_grid(const struct page *p, const struct property_cell *cells, size_t n) {
    int name[GRID_MAX], value[GRID_MAX];
    size_t columns = GRID_MAX, rows;
    for (;; columns--) {
        int total = 2;
        rows = (n + columns - 1) / columns;
        for (size_t c = 0; c < columns; c++) {
            name[c] = value[c] = 0;
            for (size_t i = c * rows; i < n && i < (c + 1) * rows; i++) {
                int wide = text_width(cells[i].name), deep = text_width(cells[i].value);
                name[c] = wide > name[c] ? wide : name[c];
                value[c] = deep > value[c] ? deep : value[c];
            }
            total += name[c] + value[c] + GAP + (c ? 2 * GAP : 0);
        }
        if (total <= p->width || columns == 1)
            break;
    }
    if (columns == 1 && 2 + name[0] + GAP + value[0] > p->width)
        value[0] = p->width - name[0] - 2 - GAP > 8 ? p->width - name[0] - 2 - GAP : 8;
    for (size_t r = 0; r < rows; r++) {
        blanks(p->out, 2);
        for (size_t c = 0; c < columns && c * rows + r < n; c++) {
            blanks(p->out, c ? 2 * GAP : 0);
            cell(p->out, cells[c * rows + r].name, name[c], false);
            blanks(p->out, GAP);
            cell(p->out, cells[c * rows + r].value, value[c], false);
        }
        end_line(p->out);
    }
}

void page_properties(const struct page *p) {
    const struct factset *set = facts_dataset(&p->v->sheet, 0);
    struct property_cell cells[PROPERTIES_MAX];
    size_t n = 0;
    if (!set)
        return;
    const struct fact *first = page_fact(set, "compression");
    const char *name = page_told(p, set, "name");
    if (!first || !first->value) { /* one reason for all of them */
        page_section(p, "DATASET", name ? name : "unknown");
        if (name && strchr(name, '@')) {
            page_line(p, "properties",
                      arena_fmt(p->a, "probe a directory of the dataset %.*s itself to see them",
                                (int)strcspn(name, "@"), name));
            return;
        }
        page_line(p, "properties",
                  arena_fmt(p->a, "unknown (%s)", first ? first->source : "zfs was not asked"));
        return;
    }
    for (size_t i = 0; i < LENGTH(that_matter); i++)
        add_property(p, cells, &n, page_fact(set, that_matter[i]));
    for (size_t i = 0; i < set->n_facts; i++) {
        const struct fact *f = &set->facts[i];
        bool shown = among(that_matter, LENGTH(that_matter), f->key);
        if (!shown && set_here(f) && f->class == FACT_SETTING && !strchr(f->key, ':'))
            add_property(p, cells, &n, f);
    }
    page_section(p, "DATASET", arena_fmt(p->a, "%s   (* set on it, not inherited)", name));
    put_grid(p, cells, n);
}

/* ---- other file systems --------------------------------------------------------------------- */

static const char *options_of(const struct page *p, const struct factset *mount) {
    struct buf b = {0};
    for (size_t i = 0; i < mount->n_facts; i++) {
        const struct fact *f = &mount->facts[i];
        if (strncmp(f->key, "option.", 7) || !f->value)
            continue;
        bool flag = !strcmp(f->value, "on");
        buf_fmt(&b, "%s%s%s%s", b.len ? ", " : "", f->key + 7, flag ? "" : "=",
                flag ? "" : f->value);
    }
    const char *text = b.len ? arena_str(p->a, b.data) : NULL;
    buf_release(&b);
    return text;
}

void page_mount(const struct page *p) {
    const struct factset *mount = facts_find(&p->v->sheet, "mount", 0);
    const char *fstype = fact_value(mount, "fstype"), *point = page_told(p, mount, "mount_point");
    const char *source = fact_value(mount, "source"), *server = fact_value(mount, "server");
    const char *chain = fact_value(mount, "chain"), *layers = fact_value(mount, "layers");
    if (!mount || (fstype && !strcmp(fstype, "zfs")))
        return;
    page_section(
        p, "MOUNT",
        arena_fmt(p->a, "%s at %s", page_told(p, mount, "fstype"), point ? point : "unknown"));
    page_line(p, "from", page_told(p, mount, "source"));
    if (source && server && strcmp(source, server))
        page_line(p, "server", server);
    if (chain)
        page_line(p, "stands on", layers ? arena_fmt(p->a, "%s (%s)", chain, layers) : chain);
    else
        page_line(p, "stands on", elsewhere(p) ? elsewhere(p) : page_told(p, mount, "chain"));
    page_line(p, "options", options_of(p, mount));
}
