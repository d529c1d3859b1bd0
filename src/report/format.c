/*
 * format.c: the rules of cells and columns, and the formats for programs: CSV (RFC 4180) and JSON,
 * in base units, null for unknown. Tables for people: format_table.c.
 */
#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "format.h"

enum { PLAIN_COLUMNS = 7 }; /* more of them nobody reads; -v shows the others */

static const struct {
    const char *name;
    enum format format;
    const char *about;
} formats[] = {
    {"table", FORMAT_TABLE, "aligned text for a terminal"},
    {"markdown", FORMAT_MARKDOWN, "for a forum or a bug report"},
    {"csv", FORMAT_CSV, "RFC 4180, base units, empty for unknown"},
    {"json", FORMAT_JSON, "base units, null for unknown"},
};

void formats_put(struct buf *out) {
    for (size_t i = 0; i < LENGTH(formats); i++)
        buf_fmt(out, "%-10s  %s\n", formats[i].name, formats[i].about);
}

int format_by_name(const char *name, enum format *format, struct err *e) {
    const char *names[LENGTH(formats)];
    for (size_t i = 0; i < LENGTH(formats); i++) {
        names[i] = formats[i].name;
        if (!strcmp(names[i], name)) {
            *format = formats[i].format;
            return 0;
        }
    }
    if (!strcmp(name, "html"))
        return err_set(e, ERR_USAGE,
                       "format \"html\" is not built yet; there are table, markdown, "
                       "csv and json");
    const char *near = word_nearest(name, names, LENGTH(names));
    return err_set(e, ERR_USAGE,
                   near ? "unknown format \"%s\"; did you mean \"%s\"?"
                        : "unknown format \"%s\"; there are table, markdown, csv and "
                          "json",
                   name, near);
}

int report_width(void) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int64_t n;
    if (columns && !unit_read_count(columns, &n) && n >= 20 && n <= 10000)
        return (int)n;
    if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
        return size.ws_col;
    return 100;
}

/* https://no-color.org: whatever it is set to, if not to nothing. */
bool report_colour(void) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && term && *term && strcmp(term, "dumb");
}

char *report_clean(struct arena *a, const char *text) {
    struct buf b = {0};
    buf_clean(&b, text);
    char *clean = arena_copy(a, b.data, b.len);
    buf_release(&b);
    return clean;
}

/* ---- cells ------------------------------------------------------------------------------------- */

static const char *by_row(const struct result *r, size_t row, const char *text) {
    if (!text || text[0] != '@')
        return text;
    const struct value *v = r->n_rows ? result_cell(r, row, text + 1) : NULL;
    return v && v->kind == VALUE_TEXT ? v->text : NULL;
}

const char *cell_unit(const struct result *r, size_t row, size_t column) {
    const char *unit = by_row(r, row, r->columns[column].unit);
    return unit ? unit : "";
}

const char *column_head(const struct result *r, size_t row, size_t column) {
    const char *head = by_row(r, row, r->columns[column].head);
    return head ? head : r->columns[column].head ? "" : r->columns[column].name;
}

void cell_put(struct buf *b, const struct result *r, size_t row, size_t column,
              enum unit_style style) {
    const struct value *v = &r->cells[row * r->n_columns + column];
    const char *unit = cell_unit(r, row, column);
    if (v->kind == VALUE_NULL)
        buf_str(b, "-");
    else if (v->kind == VALUE_TEXT && r->columns[column].spark)
        spark_put(b, v->text);
    else if (v->kind == VALUE_TEXT)
        buf_str(b, v->text);
    else if (!strcmp(unit, "date"))
        unit_put_date(b, v->i);
    else if (!strcmp(unit, "duration"))
        unit_put_duration(b, v->i);
    else if (!strcmp(unit, "flag"))
        buf_str(b, v->i ? "yes" : "");
    else if (!*unit && v->kind == VALUE_INT)
        buf_fmt(b, "%lld", (long long)v->i);
    else
        unit_put(b, v->r, unit, style);
}

bool cell_red(const struct result *r, size_t row, size_t column) {
    const char *by = r->columns[column].red;
    const struct value *v = by ? result_cell(r, row, by) : NULL;
    return v && v->kind == VALUE_INT && v->i;
}

/* A column in which nothing is known tells a person nothing. */
static bool is_empty(const struct result *r, size_t column) {
    for (size_t row = 0; row < r->n_rows; row++)
        if (r->cells[row * r->n_columns + column].kind != VALUE_NULL)
            return false;
    return r->n_rows > 0;
}

size_t columns_shown(const struct result *r, bool verbose, size_t *shown) {
    size_t n = 0;
    for (size_t c = 0; c < r->n_columns; c++) {
        const struct column *k = &r->columns[c];
        if (k->group || k->above || k->sentence || k->show == SHOW_NO || k->show == SHOW_NEVER ||
            (k->show == SHOW_VERBOSE && !verbose) || is_empty(r, c))
            continue;
        if (n < PLAIN_COLUMNS || verbose)
            shown[n++] = c;
    }
    return n;
}

bool same_group(const struct result *r, size_t row, size_t other) {
    for (size_t c = 0; c < r->n_columns; c++) {
        const struct value *x = &r->cells[row * r->n_columns + c];
        const struct value *y = &r->cells[other * r->n_columns + c];
        if (!r->columns[c].group)
            continue;
        if (x->kind != y->kind || x->i != y->i ||
            (x->kind == VALUE_TEXT && strcmp(x->text, y->text)))
            return false;
    }
    return true;
}

bool group_put(struct buf *b, const struct result *r, size_t row) {
    bool any = false;
    for (size_t c = 0; c < r->n_columns; c++) {
        const struct value *v = &r->cells[row * r->n_columns + c];
        if (!r->columns[c].group || v->kind != VALUE_TEXT)
            continue;
        buf_fmt(b, "%s%s", any ? ", " : "", v->text);
        any = true;
    }
    return any;
}

size_t sentences_shown(struct arena *a, const struct result *r, const char *const **out) {
    const char *const *own;
    size_t n = result_sentences(a, r, &own);
    const char **all = arena_new(a, const char *, n + r->n_notes + 1);
    for (size_t i = 0; i < n; i++)
        all[i] = own[i];
    for (size_t i = 0; i < r->n_notes; i++)
        all[n + i] = r->notes[i];
    *out = all;
    return n + r->n_notes;
}

/* ---- CSV --------------------------------------------------------------------------------------- */

static bool for_programs(const struct column *c) {
    return c->show != SHOW_TABLE && c->show != SHOW_NEVER && !c->spark;
}

static void csv_text(struct buf *out, const char *text) {
    bool quoted = text[strcspn(text, ",\"\r\n")] != '\0';
    buf_str(out, quoted ? "\"" : "");
    for (size_t left = strlen(text), len; left > 0; text += len, left -= len) {
        len = (size_t)utf8_length((const unsigned char *)text, left);
        if (len == 0) { /* as in JSON: a name may hold any bytes */
            buf_str(out, "\xef\xbf\xbd");
            len = 1;
        } else {
            buf_str(out, *text == '"' ? "\"" : "");
            buf_put(out, text, len);
        }
    }
    buf_str(out, quoted ? "\"" : "");
}

static void format_csv(const struct result *r, struct buf *out) {
    const char *comma = "";
    for (size_t c = 0; c < r->n_columns; c++)
        if (for_programs(&r->columns[c])) {
            buf_str(out, comma);
            csv_text(out, r->columns[c].name);
            comma = ",";
        }
    buf_str(out, "\r\n");
    for (size_t row = 0; row < r->n_rows; row++) {
        comma = "";
        for (size_t c = 0; c < r->n_columns; c++) {
            const struct value *v = &r->cells[row * r->n_columns + c];
            if (!for_programs(&r->columns[c]))
                continue;
            buf_str(out, comma);
            comma = ",";
            if (v->kind == VALUE_TEXT)
                csv_text(out, v->text);
            else if (v->kind == VALUE_INT)
                buf_fmt(out, "%lld", (long long)v->i);
            else if (v->kind == VALUE_REAL)
                buf_json_number(out, v->r);
        }
        buf_str(out, "\r\n");
    }
}

/* ---- JSON -------------------------------------------------------------------------------------- */

/* The unit all rows of a column share, or NULL. */
static const char *column_unit(const struct result *r, size_t column) {
    const char *unit = r->columns[column].unit;
    if (!unit || unit[0] != '@')
        return unit;
    for (size_t row = 0; row < r->n_rows; row++) {
        const char *here = cell_unit(r, row, column);
        if (row && strcmp(here, unit))
            return NULL;
        unit = here;
    }
    return r->n_rows ? unit : NULL;
}

static void json_columns(const struct result *r, struct buf *out) {
    const char *comma = "";
    buf_str(out, "\"columns\":[");
    for (size_t c = 0; c < r->n_columns; c++) {
        if (!for_programs(&r->columns[c]))
            continue;
        const char *unit = column_unit(r, c);
        buf_fmt(out, "%s{\"name\":", comma);
        buf_json(out, r->columns[c].name);
        buf_str(out, ",\"unit\":");
        buf_json(out, unit && !strcmp(unit, "date")       ? "ns since 1970 UTC"
                      : unit && !strcmp(unit, "duration") ? "ns"
                                                          : unit);
        buf_str(out, "}");
        comma = ",";
    }
    buf_str(out, "]");
}

static void json_rows(const struct result *r, struct buf *out) {
    buf_str(out, ",\"rows\":[");
    for (size_t row = 0; row < r->n_rows; row++) {
        const char *comma = "";
        buf_str(out, row ? ",\n{" : "\n{");
        for (size_t c = 0; c < r->n_columns; c++) {
            const struct value *v = &r->cells[row * r->n_columns + c];
            if (!for_programs(&r->columns[c]))
                continue;
            buf_str(out, comma);
            comma = ",";
            buf_json(out, r->columns[c].name);
            buf_str(out, ":");
            if (v->kind == VALUE_INT)
                buf_fmt(out, "%lld", (long long)v->i);
            else if (v->kind == VALUE_REAL)
                buf_json_number(out, v->r);
            else
                buf_json(out, v->text);
        }
        buf_str(out, "}");
    }
    buf_str(out, "]");
}

static void json_result(struct arena *a, const struct result *r, struct buf *out) {
    buf_str(out, "{\"name\":");
    buf_json(out, r->report->name);
    buf_str(out, ",\"title\":");
    buf_json(out, r->report->title);
    buf_str(out, ",");
    json_columns(r, out);
    json_rows(r, out);
    buf_str(out, ",\"sentences\":[");
    const char *const *sentences;
    size_t n = sentences_shown(a, r, &sentences);
    for (size_t i = 0; i < n; i++) {
        buf_str(out, i ? "," : "");
        buf_json(out, sentences[i]);
    }
    buf_str(out, "]}");
}

void format_print(const struct result *results, size_t n, const struct report_ask *ask,
                  struct buf *out) {
    if (ask->format == FORMAT_JSON)
        buf_str(out, "{\"zhist\":1,\"reports\":[");
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_str(out, ask->format == FORMAT_JSON  ? ",\n"
                         : ask->format == FORMAT_CSV ? "\r\n"
                                                     : "\n");
        switch (ask->format) {
        case FORMAT_TABLE:
            format_table(&results[i], ask, out);
            break;
        case FORMAT_MARKDOWN:
            format_markdown(&results[i], ask, out);
            break;
        case FORMAT_CSV:
            format_csv(&results[i], out);
            break;
        case FORMAT_JSON:
            json_result(ask->arena, &results[i], out);
        }
    }
    if (ask->format == FORMAT_JSON)
        buf_str(out, "]}\n");
}
