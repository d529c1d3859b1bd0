/*
 * init_parts.c: the parts of a first profile that say what was found: hardware and targets with the
 * properties they have. What is not known is left out with a word why, never guessed.
 */
#include "init_profile.h"
#include "zhist/report.h"
#include "zhist/unit.h"

enum { COMMENTS_AT = 36 };

/* Properties that change what is measured; the why stands beside each. */
static const struct property {
    const char *name, *why;
    bool size;
} properties[] = {
    {"recordsize", "files are stored in blocks of at most this", true},
    {"volblocksize", "the volume is stored in blocks of this", true},
    {"compression", "less to write, more to compute", false},
    {"encryption", "fixed when the dataset was made", false},
    {"checksum", "computed for each block", false},
    {"dedup", "each block written is looked up first", false},
    {"sync", "disabled: a flush waits for nothing", false},
    {"logbias", "which way synchronous writes take", false},
    {"primarycache", "what the ARC may keep", false},
    {"direct", "what O_DIRECT means", false},
    {"atime", "on: reading writes too", false},
    {"copies", "each block is written so often", false},
    {"special_small_blocks", "which blocks go to the special vdev", true},
};

void init_key(struct buf *out, int indent, const char *key, const char *value,
              const char *comment) {
    struct buf b = {0};
    buf_fmt(&b, "%*s%s:%s%s", indent, "", key, *value ? " " : "", value);
    buf_str(out, b.data);
    if (comment) {
        int pad = COMMENTS_AT - text_width(b.data);
        buf_fmt(out, "%*s# %s", pad > 2 ? pad : 2, "", comment);
    }
    buf_str(out, "\n");
    buf_release(&b);
}

/* JSON's texts are YAML's, too. */
const char *init_quoted(struct arena *a, const char *text) {
    struct buf b = {0};
    buf_json(&b, text);
    const char *quoted = arena_str(a, b.data);
    buf_release(&b);
    return quoted;
}

static const struct factset *of(const struct init_ask *ask, const char *kind, size_t target) {
    return facts_find(ask->sheet, kind, ask->targets[target].at);
}

/* ---- hardware ----------------------------------------------------------------------------------
 */

/* Disks that hold data: logs, caches and spares are of another kind by intent. */
static size_t data_disks(struct arena *a, const struct init_ask *ask,
                         const struct factset ***disks) {
    size_t n = 0;
    *disks = arena_new(a, const struct factset *, ask->sheet->n_sets + 1);
    for (size_t t = 0; t < ask->n_targets; t++)
        for (size_t i = 0; i < ask->sheet->n_sets; i++) {
            const struct factset *set = &ask->sheet->sets[i];
            const char *class = fact_value(set, "vdev_class");
            bool holds = class ? strstr(class, "data") != NULL : !of(ask, "pool", t);
            if (!strcmp(set->kind, "disk") && set->target == ask->targets[t].at && holds)
                (*disks)[n++] = set;
        }
    return n;
}

/* The same of every target, or NULL. */
static const char *common(const struct init_ask *ask, const char *kind, const char *key) {
    const char *value = fact_value(of(ask, kind, 0), key);
    for (size_t t = 1; t < ask->n_targets && value; t++) {
        const char *other = fact_value(of(ask, kind, t), key);
        value = other && !strcmp(other, value) ? value : NULL;
    }
    return value;
}

const char *init_media(struct arena *a, const struct init_ask *ask) {
    const struct factset **disks;
    size_t n = data_disks(a, ask, &disks);
    const char *media = NULL;
    if (of(ask, "pool", 0))
        return common(ask, "pool", "media");
    for (size_t i = 0; i < n; i++) {
        const char *one = disk_media(disks[i]);
        if (!one)
            return NULL;
        media = !media || !strcmp(media, one) ? one : "mixed";
    }
    return media;
}

/* A pattern that only this text fits. */
static const char *pattern(struct arena *a, const char *text) {
    struct buf b = {0};
    for (; *text; text++) {
        buf_str(&b, strchr("*?[\\", *text) ? "\\" : "");
        buf_put(&b, text, 1);
    }
    const char *escaped = arena_str(a, b.data);
    buf_release(&b);
    return escaped;
}

static const char *model_of(struct arena *a, const struct init_ask *ask) {
    const struct factset **disks;
    size_t n = data_disks(a, ask, &disks);
    const char *model = n ? fact_value(disks[0], "model") : NULL;
    for (size_t i = 1; i < n && model; i++) {
        const char *other = fact_value(disks[i], "model");
        model = other && !strcmp(other, model) ? model : NULL;
    }
    return model && *model ? pattern(a, model) : NULL;
}

/* "2 x raidz2 of 6; log 1" is raidz2; NULL: vdevs of several kinds, or not known. */
static const char *layout_word(struct arena *a, const char *layout) {
    static const char *const words[] = {"single", "stripe", "mirror", "raidz1", "raidz2",
                                        "raidz3", "draid1", "draid2", "draid3"};
    const char *data = layout ? arena_copy(a, layout, strcspn(layout, ";")) : "";
    size_t digits = strspn(data, "0123456789");
    if (strstr(data, " + "))
        return NULL;
    if (digits && !strncmp(data + digits, " x ", 3))
        data += digits + 3;
    for (size_t i = 0; i < LENGTH(words); i++)
        if (!strncmp(data, words[i], strlen(words[i])))
            return words[i];
    return NULL;
}

void init_hardware(struct arena *a, const struct init_ask *ask, struct buf *out) {
    const char *media = init_media(a, ask), *model = model_of(a, ask);
    const char *layout = layout_word(a, common(ask, "pool", "layout"));
    const char *disks = common(ask, "pool", "disk_count");
    if (!disks && !of(ask, "pool", 0))
        disks = common(ask, "mount", "disk_count");
    if (!layout && !of(ask, "pool", 0) && disks && !strcmp(disks, "1"))
        layout = "single";
    if (!media && !model && !layout && !disks) {
        buf_str(out, "# hardware: left out, the disks cannot be seen from here\n\n");
        return;
    }
    init_key(out, 0, "hardware", "", "what was found; on another machine: a finding, no error");
    if (media)
        init_key(out, 2, "media", media, "kind of the disks");
    else
        init_key(out, 2, "# media", "hdd",
                 "hdd, ssd, nvme or mixed: what they are cannot be told here");
    if (layout)
        init_key(out, 2, "layout", layout, "how the disks are joined");
    if (disks)
        init_key(out, 2, "disks", disks, "how many hold data");
    if (model)
        init_key(out, 2, "model", init_quoted(a, model), "their model, a shell pattern");
    init_key(out, 2, "# disk_throughput", "250MB/s",
             "of one disk, from its data sheet: much more is not believed");
    buf_str(out, "\n");
}

/* ---- targets -----------------------------------------------------------------------------------
 */

static const char *value_of(const struct factset *dataset, const char *name) {
    const char *value = fact_value(dataset, name);
    return value && strcmp(value, "-") ? value : NULL;
}

/* What `on` stands for (zfsprops(7); of compression since the feature lz4_compress): a comparison
 * with it would measure one thing twice. */
static bool same_value(const char *property, const char *one, const char *two) {
    static const char *const on[][2] = {
        {"compression", "lz4"}, {"checksum", "fletcher4"}, {"dedup", "sha256"}};
    for (size_t i = 0; i < LENGTH(on); i++)
        if (!strcmp(on[i][0], property)) {
            one = strcmp(one, "on") ? one : on[i][1];
            two = strcmp(two, "on") ? two : on[i][1];
        }
    return !strcmp(one, two);
}

/* How many properties have other values; their names, where asked for. */
static size_t differing(const struct fact_sheet *sheet, int64_t x, int64_t y, struct buf *names) {
    const struct factset *from = facts_dataset(sheet, x), *to = facts_dataset(sheet, y);
    size_t n = 0;
    for (size_t i = 0; i < LENGTH(properties); i++) {
        const char *one = value_of(from, properties[i].name),
                   *two = value_of(to, properties[i].name);
        if (!one || !two || same_value(properties[i].name, one, two))
            continue;
        if (names)
            buf_fmt(names, "%s%s", n ? ", " : "", properties[i].name);
        n++;
    }
    return n;
}

bool init_differ(const struct fact_sheet *sheet, int64_t x, int64_t y) {
    return differing(sheet, x, y, NULL) > 0;
}

void init_base_first(struct init_ask *ask) {
    size_t best = 0, most = 0;
    for (size_t i = 0; i < ask->n_targets; i++) {
        size_t clean = 0;
        for (size_t k = 0; k < ask->n_targets; k++)
            clean += differing(ask->sheet, ask->targets[i].at, ask->targets[k].at, NULL) == 1;
        if (clean > most) {
            best = i;
            most = clean;
        }
    }
    struct init_target base = ask->targets[best];
    for (; best; best--)
        ask->targets[best] = ask->targets[best - 1];
    ask->targets[0] = base;
}

size_t init_differences(const struct init_ask *ask, const char *last, struct buf *out) {
    const char *names[LENGTH(properties)];
    size_t n = 0;
    for (size_t i = 0; i < LENGTH(properties); i++) {
        const char *first = NULL;
        bool differ = false;
        for (size_t t = 0; t < ask->n_targets; t++) {
            const char *value =
                value_of(facts_dataset(ask->sheet, ask->targets[t].at), properties[i].name);
            differ |= first && value && !same_value(properties[i].name, first, value);
            first = first ? first : value;
        }
        if (differ)
            names[n++] = properties[i].name;
    }
    for (size_t i = 0; i < n; i++)
        buf_fmt(out, "%s%s", !i ? "" : i + 1 == n ? last : ", ", names[i]);
    return n;
}

bool init_compares(const struct init_ask *ask, const char *property) {
    for (size_t t = 1; t < ask->n_targets; t++) {
        const char *one = value_of(facts_dataset(ask->sheet, ask->targets[0].at), property);
        const char *two = value_of(facts_dataset(ask->sheet, ask->targets[t].at), property);
        if (one && two && !same_value(property, one, two))
            return true;
    }
    return false;
}

/* 131072 as 128K, which is what people and zfs write; 0 stays. */
static const char *size_text(struct arena *a, const char *value) {
    static const char units[] = "KMGT";
    int64_t bytes;
    int unit = -1;
    if (unit_read_count(value, &bytes) || !bytes)
        return value;
    while (bytes % 1024 == 0 && unit + 1 < (int)strlen(units)) {
        bytes /= 1024;
        unit++;
    }
    return unit < 0 ? value : arena_fmt(a, "%lld%c", (long long)bytes, units[unit]);
}

/* told: the first target has the reasons, the others need them no more. */
static void put_expect(struct arena *a, const struct factset *dataset, bool told, struct buf *out) {
    bool any = false;
    for (size_t i = 0; i < LENGTH(properties); i++) {
        const struct property *p = &properties[i];
        const char *value = value_of(dataset, p->name);
        if (!value)
            continue;
        if (!any)
            init_key(out, 4, "expect", "",
                     told ? NULL : "must be so: else the run stops before it writes");
        any = true;
        init_key(out, 6, p->name, init_quoted(a, p->size ? size_text(a, value) : value),
                 told ? NULL : p->why);
    }
    if (dataset && !any)
        buf_str(out, "    # expect: left out, the properties cannot be read here\n");
}

static void put_declares(const struct factset *mount, struct buf *out) {
    const char *backing = fact_value(mount, "backing");
    if (backing && !strcmp(backing, "network"))
        init_key(out, 4, "# declares", "{pool: tank, compression: zstd}",
                 "what cannot be seen of the server: fill it in");
}

/* Is the comparison with the first target a clean one? */
static void put_difference(struct arena *a, const struct init_ask *ask, size_t t, struct buf *out) {
    struct buf names = {0};
    const char *first = report_clean(a, ask->targets[0].name);
    size_t n = differing(ask->sheet, ask->targets[0].at, ask->targets[t].at, &names);
    if (n == 1)
        buf_fmt(out, "  # one setting differs from \"%s\": %s; this comparison is clean\n", first,
                names.data);
    else if (n)
        buf_fmt(out,
                "  # %zu settings differ from \"%s\" at once: %s;\n"
                "  # which of them makes it faster or slower cannot be told\n",
                n, first, names.data);
    buf_release(&names);
}

void init_targets(struct arena *a, const struct init_ask *ask, struct buf *out) {
    init_key(out, 0, "targets", "",
             ask->n_targets > 1 ? "measured in turn; delete what you do not want to compare"
                                : "what is measured");
    for (size_t t = 0; t < ask->n_targets; t++) {
        const struct init_target *target = &ask->targets[t];
        if (t)
            put_difference(a, ask, t, out);
        init_key(out, 2, "- name", init_quoted(a, target->name), t ? NULL : "what reports call it");
        init_key(out, 4, "path", init_quoted(a, target->path),
                 t ? NULL : "only a directory of zhist's own in it is touched");
        put_expect(a, facts_dataset(ask->sheet, target->at), t > 0, out);
        put_declares(of(ask, "mount", t), out);
    }
    if (ask->alike)
        buf_fmt(out, "  # left out, set as one of these: %s\n", report_clean(a, ask->alike));
    if (ask->more)
        buf_fmt(out, "  # left out, %zu at once are enough: %s\n", ask->n_targets,
                report_clean(a, ask->more));
    buf_str(out, "\n");
}
