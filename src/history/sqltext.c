/*
 * sqltext.c: our functions in SQL that make texts for people. All are without effects.
 *
 *   human(value, unit, style) "171 MB/s"; style: si or iec
 *   human_range(low, high, unit, style)   "168-175", in the unit that high would have
 *   local_date(ns)            "2026-03-01 03:30"
 *   fact_text(name, value)    a fact's value: "128 KiB" for 131072 where name (kind.key) is a size
 *                             that ZFS and Linux tell in bytes, else as it stands
 *   fact_short(name, value, width)   the same in at most this many columns, cut with "..." as one
 *                             character
 *   event_text(told, from, to, width)   "kernel 6.6.44 -> 6.12.15": a fact as people call it, each
 *                             value in at most width columns (0: whole). What ends in ")" says all
 *                             by itself: "(new guid)"
 *   is_secret(name)           1: a value of this fact (kind.key) tells who or where, see secret.h
 */
#include <math.h>

#include "connection.h"
#include "zhist/secret.h"
#include "zhist/unit.h"

static const char *text_of(sqlite3_value *v) {
    return (const char *)sqlite3_value_text(v);
}

static double number_of(sqlite3_value *v) {
    int type = sqlite3_value_numeric_type(v);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_value_double(v) : (double)NAN;
}

static enum unit_style style_of(sqlite3_value *v) {
    const char *style = text_of(v);
    return style && !strcmp(style, "iec") ? UNITS_IEC : UNITS_SI;
}

static void result_buf(sqlite3_context *c, struct buf *b) {
    sqlite3_result_text(c, b->data, (int)b->len, SQLITE_TRANSIENT);
    buf_release(b);
}

static void human(sqlite3_context *c, int argc, sqlite3_value **argv) {
    const char *unit = text_of(argv[1]);
    struct buf b = {0};
    (void)argc;
    unit_put(&b, number_of(argv[0]), unit ? unit : "", style_of(argv[2]));
    result_buf(c, &b);
}

static void human_range(sqlite3_context *c, int argc, sqlite3_value **argv) {
    const char *unit = text_of(argv[2]);
    double low = number_of(argv[0]), high = number_of(argv[1]);
    struct buf b = {0};
    (void)argc;
    if (isnan(low) || isnan(high))
        return;
    unit_put_scaled(&b, low, high, unit ? unit : "", style_of(argv[3]), false);
    buf_str(&b, "-");
    unit_put_scaled(&b, high, high, unit ? unit : "", style_of(argv[3]), false);
    result_buf(c, &b);
}

static void local_date(sqlite3_context *c, int argc, sqlite3_value **argv) {
    struct buf b = {0};
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    unit_put_date(&b, sqlite3_value_int64(argv[0]));
    result_buf(c, &b);
}

/* Keys whose values are bytes. size: of pools and disks. */
static const char *const sizes[] = {
    "recordsize",
    "volblocksize",
    "volsize",
    "quota",
    "refquota",
    "reservation",
    "refreservation",
    "special_small_blocks",
    "size",
    "memory",
    "memory_limit",
    "swap",
    "zfs_arc_max",
    "zfs_arc_min",
    "arc_c_max",
    "arc_c_min",
    "arc_size",
    "arc_c",
    "mem_available",
    "mem_total",
    "zfs_dirty_data_max",
    "zfs_dirty_data_max_max",
    "allocated",
    "free",
    "used",
    "available",
    "referenced",
    "logicalused",
    "logicalreferenced",
    "written",
};

/* The key at the end of "dataset.recordsize", "disk sda (WD40) size". */
static bool is_size(const char *name) {
    const char *key = name + strlen(name);
    while (key > name && key[-1] != '.' && key[-1] != ' ')
        key--;
    for (size_t i = 0; i < LENGTH(sizes); i++)
        if (!strcmp(sizes[i], key))
            return true;
    return false;
}

/* Only what loses no digit and needs few: "128 KiB", but no "3907018584 KiB". */
static void put_size(struct buf *b, const char *text, size_t len) {
    enum { FEW = 5 };
    char digits[24] = "";
    struct buf size = {0};
    int64_t bytes;
    if (len < sizeof digits)
        memcpy(digits, text, len);
    if (!unit_read_count(digits, &bytes) && bytes >= 1024 && bytes % 1024 == 0)
        unit_put_exact(&size, bytes);
    if (size.len && strcspn(size.data, " ") <= FEW)
        buf_put(b, size.data, size.len);
    else
        buf_put(b, text, len);
    buf_release(&size);
}

/* Of several values, "131072 | 1048576", each. */
static void put_value(struct buf *b, const char *name, const char *value) {
    static const char between[] = " | ";
    const char *end;
    if (!is_size(name)) {
        buf_str(b, value);
        return;
    }
    for (; (end = strstr(value, between)); value = end + strlen(between)) {
        put_size(b, value, (size_t)(end - value));
        buf_str(b, between);
    }
    put_size(b, value, strlen(value));
}

static void fact_text(sqlite3_context *c, int argc, sqlite3_value **argv) {
    const char *name = text_of(argv[0]), *value = text_of(argv[1]);
    struct buf b = {0};
    (void)argc;
    if (!value)
        return;
    put_value(&b, name ? name : "", value);
    sqlite3_result_text(c, b.len ? b.data : "", (int)b.len, SQLITE_TRANSIENT);
    buf_release(&b);
}

/* At most `width` columns of a value; 0: all of it. */
static void put_short(struct buf *b, const char *name, const char *value, int width) {
    struct buf whole = {0};
    put_value(&whole, name, value);
    const char *text = whole.len ? whole.data : "";
    if (width <= 0 || text_width(text) <= width) {
        buf_str(b, text);
    } else {
        buf_put(b, text, text_fit(text, width - 1));
        buf_str(b, "\xe2\x80\xa6");
    }
    buf_release(&whole);
}

static int width_of(sqlite3_value *v) {
    int width = sqlite3_value_int(v);
    return width > 0 ? width : 0;
}

static void fact_short(sqlite3_context *c, int argc, sqlite3_value **argv) {
    const char *name = text_of(argv[0]), *value = text_of(argv[1]);
    struct buf b = {0};
    (void)argc;
    if (!value)
        return;
    put_short(&b, name ? name : "", value, width_of(argv[2]));
    sqlite3_result_text(c, b.len ? b.data : "", (int)b.len, SQLITE_TRANSIENT);
    buf_release(&b);
}

static void event_text(sqlite3_context *c, int argc, sqlite3_value **argv) {
    static const char *const plain[] = {"system.", "module."}; /* their keys speak for themselves */
    const char *told = text_of(argv[0]);
    struct buf b = {0};
    (void)argc;
    if (!told)
        return;
    const char *name = told;
    for (size_t i = 0; i < LENGTH(plain); i++)
        name += strncmp(name, plain[i], strlen(plain[i])) ? 0 : strlen(plain[i]);
    bool option = !strncmp(name, "mount.option.", 13);
    buf_fmt(&b, "%s%s", option ? "mount option " : "", name + (option ? 13 : 0));
    bool whole = b.len && b.data[b.len - 1] == ')';
    for (int i = 1; i <= 2 && !whole; i++) {
        const char *value = text_of(argv[i]);
        buf_str(&b, i == 1 ? " " : " -> ");
        put_short(&b, told, value ? value : "none", width_of(argv[3]));
    }
    result_buf(c, &b);
}

static void is_secret(sqlite3_context *c, int argc, sqlite3_value **argv) {
    const char *name = text_of(argv[0]);
    (void)argc;
    sqlite3_result_int(c, name && fact_is_secret(name));
}

int sqltext_register(sqlite3 *handle) {
    static const struct {
        const char *name;
        int args, flags;
        void (*run)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"human", 3, SQLITE_DETERMINISTIC, human},
        {"human_range", 4, SQLITE_DETERMINISTIC, human_range},
        {"local_date", 1, 0, local_date},
        {"fact_text", 2, SQLITE_DETERMINISTIC, fact_text},
        {"fact_short", 3, SQLITE_DETERMINISTIC, fact_short},
        {"event_text", 4, SQLITE_DETERMINISTIC, event_text},
        {"is_secret", 1, SQLITE_DETERMINISTIC, is_secret},
    };
    int code = SQLITE_OK;
    for (size_t i = 0; i < LENGTH(functions) && code == SQLITE_OK; i++)
        code = sqlite3_create_function_v2(handle, functions[i].name, functions[i].args,
                                          SQLITE_UTF8 | SQLITE_INNOCUOUS | functions[i].flags, NULL,
                                          functions[i].run, NULL, NULL, NULL);
    return code;
}
