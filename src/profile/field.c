/*
 * field.c: typed readers of fields, and the mistakes they gather.
 *
 * It knows types, units and ranges. It must not know what a profile means: rules between fields
 * are in profile.c and workload.c, the list of keys is in keys.c.
 */
#include "field.h"
#include "zhist/unit.h"

enum { MISTAKES_SHOWN = 10 };

/* ---- mistakes -------------------------------------------------------------------------------- */

static void mistake_add(struct decoder *d, int line, int column, struct buf *text) {
    struct mistake *m = array_add(d->a, d->mistakes, d->n, d->cap);
    *m = (struct mistake){line, column, d->n, arena_copy(d->a, text->data, text->len)};
    buf_release(text);
}

void mistake(struct decoder *d, int line, int column, const char *fmt, ...) {
    struct buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    mistake_add(d, line, column, &b);
}

void field_mistake(struct decoder *d, const struct field *f, const char *fmt, ...) {
    struct buf b = {0};
    va_list ap;
    buf_fmt(&b, "%s %s ", f->key, conf_quoted(d->a, f->text));
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    mistake_add(d, f->line, f->column, &b);
}

static int by_place(const void *a, const void *b) {
    const struct mistake *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

int mistakes_report(struct decoder *d, struct err *e) {
    if (d->n == 0)
        return 0;
    qsort(d->mistakes, d->n, sizeof *d->mistakes, by_place);
    struct buf b = {0};
    for (size_t i = 0; i < d->n && i < MISTAKES_SHOWN; i++) {
        const struct mistake *m = &d->mistakes[i];
        buf_str(&b, i ? "\n" : "");
        buf_clean(&b, arena_fmt(d->a, "%s:%d:%d: %s", d->name, m->line, m->column, m->text));
    }
    if (d->n > MISTAKES_SHOWN)
        buf_fmt(&b, "\n... and %zu more", d->n - MISTAKES_SHOWN);
    err_set(e, ERR_USAGE, "%s", b.data);
    e->lines = true;
    buf_release(&b);
    return -1;
}

/* ---- sections and their keys ----------------------------------------------------------------- */

static const struct {
    const char *section, *label, *what;
} sections[] = {
    {"", "at the top level", "a profile"},
    {"hardware", "in hardware", "hardware"},
    {"targets[]", "in a target", "a target"},
    {"run", "in run", "run"},
    {"workloads[]", "in a workload", "a workload"},
    {"workloads[].data", "in data", "data"},
    {"workloads[].sizes[]", "in sizes", "an entry of sizes"},
    {"require[]", "in a requirement", "a requirement"},
};

static size_t section_index(const char *section) {
    size_t i = 0;
    while (i < LENGTH(sections) - 1 && strcmp(sections[i].section, section))
        i++;
    return i;
}

const char *section_label(const char *section) {
    return sections[section_index(section)].label;
}

/* The key a path names if it lies directly in this section, else NULL. */
static const char *key_in(const char *path, const char *section) {
    size_t len = strlen(section);
    if (len > 0) {
        if (strncmp(path, section, len) || path[len] != '.')
            return NULL;
        path += len + 1;
    }
    return strchr(path, '.') ? NULL : path;
}

static const struct profile_key *key_of(const char *key, const char *section) {
    for (size_t i = 0; i < n_profile_keys; i++) {
        const char *known = key_in(profile_keys[i].path, section);
        if (known && !strcmp(known, key))
            return &profile_keys[i];
    }
    return NULL;
}

static bool fits_kind(const struct profile_key *k, enum work_kind kind) {
    return kind == KINDS || k->kinds == 0 || (k->kinds & 1u << kind);
}

/* Returns the known key it was probably meant to be, or NULL. */
static const char *unknown_key(struct decoder *d, const struct conf *item, const char *section,
                               enum work_kind kind) {
    const char *words[64];
    size_t n = 0;
    for (size_t i = 0; i < n_profile_keys && n < LENGTH(words); i++) {
        const char *known = key_in(profile_keys[i].path, section);
        if (known && fits_kind(&profile_keys[i], kind))
            words[n++] = known;
    }
    const char *near = word_nearest(item->key, words, n), *label = section_label(section);
    const char *key = conf_quoted(d->a, item->key);
    if (near) {
        mistake(d, item->key_line, item->key_column, "unknown key %s %s; did you mean \"%s\"?", key,
                label, near);
        return near;
    }
    for (size_t i = 0; i < LENGTH(sections); i++)
        if (key_of(item->key, sections[i].section)) {
            mistake(d, item->key_line, item->key_column, "unknown key %s %s; it belongs %s", key,
                    label, section_label(sections[i].section));
            return NULL;
        }
    mistake(d, item->key_line, item->key_column, "unknown key %s %s", key, label);
    return NULL;
}

static void wrong_kind(struct decoder *d, const struct conf *item, unsigned kinds,
                       enum work_kind kind) {
    struct buf b = {0};
    for (size_t i = 0; i < KINDS; i++)
        if (kinds & 1u << i)
            buf_fmt(&b, "%s%s", b.len ? " or " : "", kind_names[i]);
    mistake(d, item->key_line, item->key_column, "key \"%s\" is for kind %s, not for kind %s",
            item->key, b.data, kind_names[kind]);
    buf_release(&b);
}

/* A mistyped key is one mistake, not an unknown and a missing one. */
static bool is_among(const char *const *words, size_t n, const char *word) {
    for (size_t i = 0; i < n; i++)
        if (words[i] && !strcmp(words[i], word))
            return true;
    return false;
}

bool section_check(struct decoder *d, const struct conf *map, const char *section,
                   enum work_kind kind) {
    /* "run:" with every key below it commented out is an empty section. */
    bool nothing = map->kind == CONF_TEXT && !*map->text && !map->quoted;
    if (map->kind != CONF_MAP && !nothing) {
        mistake(d, map->line, map->column, "%s must be written as keys with values, not as %s",
                sections[section_index(section)].what,
                map->kind == CONF_LIST ? "a list" : "a text");
        return false;
    }
    const char **meant = arena_new(d->a, const char *, map->n_items + 1);
    for (size_t i = 0; i < map->n_items; i++) {
        const struct profile_key *k = key_of(map->items[i].key, section);
        if (!k)
            meant[i] = unknown_key(d, &map->items[i], section, kind);
        else if (!fits_kind(k, kind))
            wrong_kind(d, &map->items[i], k->kinds, kind);
    }
    for (size_t i = 0; i < n_profile_keys; i++) {
        const struct profile_key *k = &profile_keys[i];
        const char *key = key_in(k->path, section);
        if (key && k->required && fits_kind(k, kind) && (kind != KINDS || k->kinds == 0) &&
            !field_node(map, k->path) && !is_among(meant, map->n_items, key))
            mistake(d, map->line, map->column, "key \"%s\" is missing %s (%s: %s)", key,
                    section_label(section), key, k->form);
    }
    return true;
}

/* ---- nodes and texts ------------------------------------------------------------------------- */

static const char *last_part(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

const struct conf *field_node(const struct conf *map, const char *path) {
    const char *key = last_part(path);
    for (size_t i = 0; map && map->kind == CONF_MAP && i < map->n_items; i++)
        if (!strcmp(map->items[i].key, key))
            return &map->items[i];
    return NULL;
}

const struct conf *field_list(struct decoder *d, const struct conf *map, const char *path) {
    const struct conf *node = field_node(map, path);
    if (!node)
        return NULL;
    if (node->kind == CONF_LIST && node->n_items > 0)
        return node;
    if (node->kind == CONF_LIST)
        mistake(d, node->line, node->column, "%s is an empty list", node->key);
    else if (node->kind == CONF_TEXT && !*node->text)
        mistake(d, node->line, node->column, "%s has no value", node->key);
    else
        mistake(d, node->line, node->column, "%s needs a list%s", node->key,
                node->kind == CONF_TEXT ? arena_fmt(d->a, ", like [%.40s]", node->text) : "");
    return NULL;
}

bool field_of(struct decoder *d, const struct conf *node, const char *key, struct field *f) {
    *f = (struct field){key, node->text, node->line, node->column};
    if (node->kind != CONF_TEXT) {
        mistake(d, node->line, node->column, "%s needs one value, not a %s", key,
                node->kind == CONF_LIST ? "list" : "set of keys");
        return false;
    }
    if (!*node->text) {
        mistake(d, node->line, node->column, "%s has no value", key);
        return false;
    }
    return true;
}

bool field_read(struct decoder *d, const struct conf *map, const char *path, struct field *f) {
    const struct conf *node = field_node(map, path);
    if (node)
        return field_of(d, node, node->key, f);
    const struct profile_key *k = key_find(path);
    if (!k || !k->preset)
        return false;
    *f = (struct field){last_part(path), k->preset, 0, 0};
    return true;
}

void field_text(struct decoder *d, const struct conf *map, const char *path, const char **out) {
    struct field f;
    if (field_read(d, map, path, &f))
        *out = f.text;
}

void field_name(struct decoder *d, const struct conf *map, const char *path, const char **out) {
    struct field f;
    if (!field_read(d, map, path, &f))
        return;
    if (strpbrk(f.text, "\n\r\t") || f.text[0] == ' ' || f.text[strlen(f.text) - 1] == ' ')
        field_mistake(d, &f, "must be one line without blanks around it");
    else if (text_width(f.text) > LONGEST_NAME || text_width(f.text) < 1)
        field_mistake(d, &f, "must take 1 to %d columns", LONGEST_NAME);
    else
        *out = f.text;
}

int word_index(struct decoder *d, const struct field *f, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(f->text, words[i]))
            return (int)i;
    const char *near = word_nearest(f->text, words, n);
    if (near) {
        field_mistake(d, f, "is not known; did you mean \"%s\"?", near);
        return -1;
    }
    struct buf b = {0};
    for (size_t i = 0; i < n; i++)
        buf_fmt(&b, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", words[i]);
    field_mistake(d, f, "is not known; it can be %s", b.data);
    buf_release(&b);
    return -1;
}

int field_word(struct decoder *d, const struct conf *map, const char *path,
               const char *const *words, size_t n) {
    struct field f;
    return field_read(d, map, path, &f) ? word_index(d, &f, words, n) : -1;
}

void field_bool(struct decoder *d, const struct conf *map, const char *path, bool *out) {
    struct field f;
    if (!field_read(d, map, path, &f))
        return;
    if (strcmp(f.text, "true") && strcmp(f.text, "false"))
        field_mistake(d, &f, "must be true or false");
    else
        *out = f.text[0] == 't';
}

/* ---- numbers with units ---------------------------------------------------------------------- */

const char *size_shown(struct decoder *d, int64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t i = 0;
    for (; bytes % 1024 == 0 && bytes > 0 && i < LENGTH(units) - 1; i++)
        bytes /= 1024;
    return arena_fmt(d->a, "%lld %s", (long long)bytes, units[i]);
}

void field_size(struct decoder *d, const struct conf *map, const char *path, int64_t low,
                int64_t high, int64_t *out) {
    struct field f;
    int64_t value;
    if (!field_read(d, map, path, &f))
        return;
    const char *reason = unit_read_size(f.text, &value);
    if (reason)
        field_mistake(d, &f, "%s", reason);
    else if (value < low && low == 1)
        field_mistake(d, &f, "must be more than zero");
    else if (value < low)
        field_mistake(d, &f, "must be at least %s", size_shown(d, low));
    else if (value > high)
        field_mistake(d, &f, "must be at most %s", size_shown(d, high));
    else
        *out = value;
}

void field_duration(struct decoder *d, const struct conf *map, const char *path, bool zero,
                    int64_t *out) {
    struct field f;
    int64_t value;
    if (!field_read(d, map, path, &f))
        return;
    const char *reason = unit_read_duration(f.text, &value);
    if (reason)
        field_mistake(d, &f, "%s", reason);
    else if (value == 0 && !zero)
        field_mistake(d, &f, "must be more than zero");
    else
        *out = value;
}

void field_count(struct decoder *d, const struct conf *map, const char *path, int64_t low,
                 int64_t high, int64_t *out) {
    struct field f;
    int64_t value;
    if (!field_read(d, map, path, &f))
        return;
    const char *reason = unit_read_count(f.text, &value);
    if (reason)
        field_mistake(d, &f, "%s", reason);
    else if (value < low || value > high)
        field_mistake(d, &f, "must lie between %lld and %lld", (long long)low, (long long)high);
    else
        *out = value;
}

void field_int(struct decoder *d, const struct conf *map, const char *path, int low, int high,
               int *out) {
    int64_t value = *out;
    field_count(d, map, path, low, high, &value);
    *out = (int)value;
}

void field_number(struct decoder *d, const struct conf *map, const char *path, double low,
                  double high, double *out) {
    struct field f;
    double value;
    if (!field_read(d, map, path, &f))
        return;
    const char *reason = unit_read_number(f.text, &value);
    if (reason)
        field_mistake(d, &f, "%s", reason);
    else if (value < low || value > high)
        field_mistake(d, &f, "must lie between %g and %g", low, high);
    else
        *out = value;
}

void field_percent(struct decoder *d, const struct conf *map, const char *path, double low,
                   double high, double *out) {
    struct field f;
    double value;
    if (!field_read(d, map, path, &f))
        return;
    const char *reason = unit_read_percent(f.text, &value);
    if (reason)
        field_mistake(d, &f, "%s", reason);
    else if (value * 100 < low || value * 100 > high)
        field_mistake(d, &f, "must lie between %g%% and %g%%", low, high);
    else
        *out = value;
}

void field_rate(struct decoder *d, const struct conf *map, const char *path, double *out) {
    struct field f;
    double value;
    if (!field_read(d, map, path, &f))
        return;
    const char *reason = unit_read_rate(f.text, &value);
    if (reason)
        field_mistake(d, &f, "%s", reason);
    else if (value <= 0)
        field_mistake(d, &f, "must be more than zero");
    else
        *out = value;
}
