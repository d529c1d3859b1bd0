/*
 * workload.c: one item of the list `workloads` -> struct workload, and the rules between its
 * fields. It must not decide what this version can execute: that is in series.c.
 */
#include "field.h"
#include "zhist/unit.h"

#include <math.h>

#define SMALLEST_BLOCK 512       /* one sector: no storage under test takes less */
#define LARGEST_BLOCK (64 << 20) /* each operation in flight holds one in memory */

/* ---- sizes ----------------------------------------------------------------------------------- */

/* "2xARC": what is left of the x must be a number, what is right of it names the measure. */
static bool read_multiple(struct decoder *d, const struct field *f, const char *x,
                          struct size_spec *size) {
    double times;
    const char *of = x + 1;
    if (unit_read_number(arena_copy(d->a, f->text, (size_t)(x - f->text)), &times) ||
        (strcmp(of, "ARC") && strcmp(of, "RAM"))) {
        field_mistake(d, f, "is not a multiple like 2xARC or 2xRAM");
        return false;
    }
    if (times <= 0 || times > 1000) {
        field_mistake(d, f, "must be more than zero and at most 1000 times");
        return false;
    }
    *size =
        (struct size_spec){.text = f->text, .of = *of == 'A' ? SIZE_ARC : SIZE_RAM, .times = times};
    return true;
}

static void read_size(struct decoder *d, const struct conf *map, struct workload *w) {
    struct field f;
    if (!field_read(d, map, "workloads[].size", &f))
        return;
    const char *x = strchr(f.text, 'x');
    if (x && f.text[0] >= '0' && f.text[0] <= '9') {
        read_multiple(d, &f, x, &w->size);
        return;
    }
    int64_t bytes = 0;
    field_size(d, map, "workloads[].size", 1, LARGEST_SIZE, &bytes);
    if (bytes == 0)
        return;
    w->size = (struct size_spec){.text = f.text, .of = SIZE_BYTES, .bytes = bytes};
    if (w->block == 0)
        return;
    if (bytes < w->block)
        field_mistake(d, &f, "is smaller than its block, %s", size_shown(d, w->block));
    else if (bytes % w->block)
        field_mistake(d, &f, "is no multiple of its block, %s; the nearest are %s and %s",
                      size_shown(d, w->block), size_shown(d, bytes - bytes % w->block),
                      size_shown(d, bytes - bytes % w->block + w->block));
}

static int by_size(const void *a, const void *b) {
    const struct size_share *x = a, *y = b;
    return x->size < y->size ? -1 : x->size > y->size;
}

static void read_size_list(struct decoder *d, const struct conf *list, struct workload *w) {
    size_t before = d->n;
    double sum = 0;
    w->sizes = SIZES_LIST;
    w->size_list = arena_new(d->a, struct size_share, list->n_items);
    for (size_t i = 0; i < list->n_items; i++) {
        const struct conf *map = &list->items[i];
        struct size_share *s = &w->size_list[w->n_size_list++];
        if (!section_check(d, map, "workloads[].sizes[]", KINDS))
            continue;
        field_size(d, map, "workloads[].sizes[].size", 1, LARGEST_SIZE, &s->size);
        field_percent(d, map, "workloads[].sizes[].share", 0.001, 100, &s->share);
        sum += s->share;
    }
    if (d->n > before)
        return;
    /* Sorted: the order in which somebody wrote them makes no other workload. */
    qsort(w->size_list, w->n_size_list, sizeof *w->size_list, by_size);
    for (size_t i = 1; i < w->n_size_list; i++)
        if (w->size_list[i].size == w->size_list[i - 1].size)
            mistake(d, list->line, list->column, "sizes names %lld bytes twice",
                    (long long)w->size_list[i].size);
    if (fabs(sum - 1) > 0.001)
        mistake(d, list->line, list->column, "the shares of sizes add up to %g%%, not to 100%%",
                sum * 100);
}

static void read_sizes(struct decoder *d, const struct conf *map, struct workload *w) {
    static const char *const words[] = {"fixed", "lognormal"};
    const struct conf *node = field_node(map, "workloads[].sizes");
    if (node && node->kind != CONF_TEXT) {
        const struct conf *list = field_list(d, map, "workloads[].sizes");
        if (list)
            read_size_list(d, list, w);
        return;
    }
    int i = field_word(d, map, "workloads[].sizes", words, LENGTH(words));
    w->sizes = i == 0 ? SIZES_FIXED : SIZES_LOGNORMAL;
}

/* ---- other fields ---------------------------------------------------------------------------- */

/* The kind that knows this phase where ours does not; NULL: ours does, or nobody. */
static const char *phase_of_other_kind(const char *name, enum work_kind kind) {
    for (size_t i = 0; i < PHASES; i++)
        for (size_t k = 0; k < KINDS && !strcmp(phases[i].name, name); k++)
            if (!(phases[i].kinds & 1u << kind) && (phases[i].kinds & 1u << k))
                return kind_names[k];
    return NULL;
}

static void read_phases(struct decoder *d, const struct conf *map, struct workload *w) {
    const struct conf *list = field_list(d, map, "workloads[].phases");
    const char *names[PHASES];
    enum phase known[PHASES];
    size_t n = 0;
    for (size_t i = 0; i < PHASES; i++)
        if (phases[i].kinds & 1u << w->kind) {
            known[n] = (enum phase)i;
            names[n++] = phases[i].name;
        }
    for (size_t i = 0; list && i < list->n_items; i++) {
        struct field f;
        if (!field_of(d, &list->items[i], "phase", &f))
            continue;
        const char *other = phase_of_other_kind(f.text, w->kind);
        if (other) {
            field_mistake(d, &f, "is for kind %s, not for kind %s", other, kind_names[w->kind]);
            continue;
        }
        int found = word_index(d, &f, names, n);
        bool twice = false;
        for (size_t j = 0; found >= 0 && j < w->n_phases; j++)
            twice = twice || w->phase[j] == known[found];
        if (twice)
            field_mistake(d, &f, "stands here twice; once is enough, `iterations` repeat it");
        else if (found >= 0)
            w->phase[w->n_phases++] = known[found];
    }
}

static bool has_phase(const struct workload *w, enum phase phase) {
    for (size_t i = 0; i < w->n_phases; i++)
        if (w->phase[i] == phase)
            return true;
    return false;
}

static void read_mix(struct decoder *d, const struct conf *map, struct workload *w) {
    const struct conf *node = field_node(map, "workloads[].mix");
    struct field f;
    bool mixed = has_phase(w, PHASE_MIXED);
    if (!node) {
        if (mixed)
            mistake(d, map->line, map->column, "phase \"mixed\" needs mix, like 70%% read");
        return;
    }
    if (!mixed && w->n_phases > 0) {
        mistake(d, node->key_line, node->key_column, "mix is for the phase \"mixed\" only");
        return;
    }
    if (!field_of(d, node, node->key, &f))
        return;
    const char *end = strstr(f.text, " read");
    double share;
    if (!end || strcmp(end, " read") ||
        unit_read_percent(arena_copy(d->a, f.text, (size_t)(end - f.text)), &share))
        field_mistake(d, &f, "must be a share of reads, like 70%% read");
    else if (share <= 0 || share >= 1)
        field_mistake(d, &f, "must lie between 0%% and 100%%; else use randread or randwrite");
    else
        w->mix_read = share;
}

static void read_data(struct decoder *d, const struct conf *map, struct workload *w) {
    const struct conf *node = field_node(map, "workloads[].data");
    struct field f;
    if (node && node->kind == CONF_TEXT) {
        if (!field_of(d, node, node->key, &f))
            return;
        if (strcmp(f.text, "zeros"))
            field_mistake(d, &f, "must be zeros, {compress: 2.0, dedup: 20%%} or {from: FILE}");
        else
            w->data.zeros = true;
        node = NULL;
    } else if (node && !section_check(d, node, "workloads[].data", KINDS)) {
        return;
    }
    field_number(d, node, "workloads[].data.compress", 1, 100, &w->data.compress);
    field_percent(d, node, "workloads[].data.dedup", 0, 99, &w->data.dedup);
    const struct conf *from = field_node(node, "workloads[].data.from");
    if (!node || !from)
        return;
    field_text(d, node, "workloads[].data.from", &w->data.from);
    if (node->n_items > 1)
        mistake(d, from->key_line, from->key_column, "from excludes compress and dedup");
    if (!d->dir)
        mistake(d, from->line, from->column, "a built-in profile can name no file");
    else if (w->data.from)
        w->data.from_path = w->data.from[0] == '/' ? w->data.from
                                                   : arena_fmt(d->a, "%s/%s", d->dir, w->data.from);
}

static void check_engine(struct decoder *d, const struct conf *map, const struct workload *w) {
    struct field f;
    if (w->depth > 1 && w->engine == ENGINE_PSYNC && field_read(d, map, "workloads[].depth", &f))
        field_mistake(d, &f, "needs engine uring; psync has one operation in flight");
    if (w->direct && w->block % 512 && field_read(d, map, "workloads[].block", &f))
        field_mistake(d, &f, "must be a multiple of 512 bytes with direct: true");
}

/* With map NULL every field gets its preset: nothing here may differ from that. */
static void read_fields(struct decoder *d, const struct conf *map, struct workload *w) {
    int i;
    w->mix_read = NAN;
    w->data.compress = 1;
    if (w->kind == KIND_FIO)
        return;
    field_size(d, map, "workloads[].block", SMALLEST_BLOCK, LARGEST_BLOCK, &w->block);
    field_int(d, map, "workloads[].jobs", 1, MOST_JOBS, &w->jobs);
    field_bool(d, map, "workloads[].direct", &w->direct);
    i = field_word(d, map, "workloads[].flush", flush_names, FLUSHES);
    w->flush = i < 0 ? FLUSH_END : (enum flush)i;
    i = field_word(d, map, "workloads[].cold", cold_names, COLDS);
    w->cold = i < 0 ? COLD_TRY : (enum cold)i;
    field_bool(d, map, "workloads[].keep", &w->keep);
    read_data(d, map, w);
    if (w->kind == KIND_FILESET) {
        w->depth = 1;
        field_count(d, map, "workloads[].dirs", 1, MOST_FILES, &w->dirs);
        read_sizes(d, map, w);
        return;
    }
    field_int(d, map, "workloads[].depth", 1, MOST_DEPTH_OF_IO, &w->depth);
    field_duration(d, map, "workloads[].time", false, &w->time);
    i = field_word(d, map, "workloads[].engine", engine_names, ENGINES);
    w->engine = i < 0 ? ENGINE_PSYNC : (enum engine_id)i;
}

void workload_presets(enum work_kind kind, struct workload *w) {
    struct arena unused = {0};
    struct decoder d = {.a = &unused};
    *w = (struct workload){.kind = kind};
    read_fields(&d, NULL, w);
    arena_release(&unused);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static void forbid(struct decoder *d, const struct conf *map, const char *path, const char *why) {
    const struct conf *node = field_node(map, path);
    if (node)
        mistake(d, node->key_line, node->key_column, "%s: %s", node->key, why);
}

static void need(struct decoder *d, const struct conf *map, const char *path) {
    const struct profile_key *k = key_find(path);
    const char *key = strrchr(path, '.') + 1;
    if (!field_node(map, path))
        mistake(d, map->line, map->column, "key \"%s\" is missing %s (%s: %s)", key,
                section_label("workloads[]"), key, k->form);
}

/* How large the files are is said once: by total, by the list of sizes, or by real files. */
static void decode_fileset(struct decoder *d, const struct conf *map, struct workload *w) {
    field_text(d, map, "workloads[].from", &w->from);
    if (w->from) {
        const char *why = "the real files of from decide it";
        forbid(d, map, "workloads[].files", why);
        forbid(d, map, "workloads[].total", why);
        forbid(d, map, "workloads[].sizes", why);
        forbid(d, map, "workloads[].dirs", why);
        forbid(d, map, "workloads[].data", why);
        const struct conf *from = field_node(map, "workloads[].from");
        if (!d->dir)
            mistake(d, from->line, from->column, "a built-in profile can name no directory");
        w->from_path =
            w->from[0] == '/' || !d->dir ? w->from : arena_fmt(d->a, "%s/%s", d->dir, w->from);
        return;
    }
    need(d, map, "workloads[].files");
    field_count(d, map, "workloads[].files", 1, MOST_FILES, &w->files);
    if (w->sizes != SIZES_LIST) {
        need(d, map, "workloads[].total");
        field_size(d, map, "workloads[].total", 1, LARGEST_SIZE, &w->total);
    } else {
        forbid(d, map, "workloads[].total", "it follows from files and the list of sizes");
        double total = 0;
        for (size_t i = 0; i < w->n_size_list; i++)
            total += (double)w->size_list[i].size * w->size_list[i].share * (double)w->files;
        if (total > (double)LARGEST_SIZE)
            mistake(d, map->line, map->column, "all files together are larger than 1 PiB");
        else
            w->total = (int64_t)llround(total);
    }
    struct field f;
    if (w->files > 0 && w->dirs > w->files && field_read(d, map, "workloads[].dirs", &f))
        field_mistake(d, &f, "is more than there are files");
}

static void decode_fio(struct decoder *d, const struct conf *map, struct workload *w) {
    struct field f;
    struct err e;
    char *text;
    size_t len;
    w->phase[0] = PHASE_JOB;
    w->n_phases = 1;
    if (!field_read(d, map, "workloads[].job", &f))
        return;
    w->job = f.text;
    if (!d->dir) {
        field_mistake(d, &f, "cannot be read: a built-in profile can name no file");
        return;
    }
    const char *path = f.text[0] == '/' ? f.text : arena_fmt(d->a, "%s/%s", d->dir, f.text);
    if (file_read(d->a, path, 1 << 20, &text, &len, &e))
        mistake(d, f.line, f.column, "job: %s", e.text);
    else if (strlen(text) != len)
        field_mistake(d, &f, "holds a NUL byte: it is not a fio job file");
    else
        w->job_text = text;
}

void workload_decode(struct decoder *d, const struct conf *item, struct workload *w) {
    struct field f;
    int kind = -1;
    *w = (struct workload){.line = item->line};
    if (item->kind == CONF_MAP && field_read(d, item, "workloads[].kind", &f))
        kind = word_index(d, &f, kind_names, KINDS);
    if (!section_check(d, item, "workloads[]", kind < 0 ? KINDS : (enum work_kind)kind))
        return;
    field_name(d, item, "workloads[].name", &w->name);
    if (kind < 0)
        return;
    w->kind = (enum work_kind)kind;
    read_fields(d, item, w);
    if (w->kind != KIND_FIO)
        read_phases(d, item, w);
    if (w->kind == KIND_FILE) {
        read_mix(d, item, w);
        read_size(d, item, w);
    }
    if (w->kind == KIND_FILESET)
        decode_fileset(d, item, w);
    if (w->kind == KIND_FIO)
        decode_fio(d, item, w);
    check_engine(d, item, w);
}
