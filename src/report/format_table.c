/*
 * format_table.c: tables for people: aligned text that fits the terminal, and Markdown. Columns
 * that do not fit are dropped from the right, the first one is cut; -v shows more of them.
 */
#include "format.h"

enum { GAP = 2 };

struct grid {
    const struct result *r;
    size_t *shown, n;
    int *width;
};

static char *cell_text(const struct result *r, size_t row, size_t column,
                       const struct report_ask *ask) {
    struct buf b = {0};
    cell_put(&b, r, row, column, ask->units);
    char *text = arena_copy(ask->arena, b.data, b.len);
    buf_release(&b);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' '; /* a name may hold what a terminal would obey */
    return text;
}

static void put_padded(struct buf *out, const char *text, int width, bool right, bool last) {
    int pad = width - text_width(text);
    for (int i = 0; right && i < pad; i++)
        buf_str(out, " ");
    buf_str(out, text);
    for (int i = 0; !right && !last && i < pad; i++)
        buf_str(out, " ");
}

static void trim(struct buf *out) {
    while (out->len && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
}

static bool is_right(const struct result *r, size_t column) {
    return r->columns[column].right;
}

/* Widths over all groups, so that they stand under each other. */
static void measure(struct grid *g, const struct report_ask *ask) {
    for (size_t i = 0; i < g->n; i++) {
        for (size_t row = 0; row < g->r->n_rows; row++) {
            int width = text_width(cell_text(g->r, row, g->shown[i], ask));
            g->width[i] = width > g->width[i] ? width : g->width[i];
            if (row && same_group(g->r, row, row - 1))
                continue;
            width = i ? text_width(column_head(g->r, row, g->shown[i])) : 0;
            g->width[i] = width > g->width[i] ? width : g->width[i];
        }
    }
}

static int total(const struct grid *g) {
    int width = 2;
    for (size_t i = 0; i < g->n; i++)
        width += g->width[i] + (i ? GAP : 0);
    return width;
}

static void put_heads(const struct grid *g, size_t row, bool title, const struct report_ask *ask,
                      struct buf *out) {
    (void)ask;
    const char *first = title ? g->r->report->title : "";
    for (size_t i = 0; i < g->n; i++) {
        if (i)
            put_padded(out, "", GAP, false, false);
        put_padded(out, i ? column_head(g->r, row, g->shown[i]) : first,
                   g->width[i] + (i ? 0 : 2), is_right(g->r, g->shown[i]) && i, i + 1 == g->n);
    }
    trim(out);
    buf_str(out, "\n");
}

static void put_above(const struct grid *g, size_t row, const struct report_ask *ask,
                      struct buf *out) {
    for (size_t c = 0; c < g->r->n_columns; c++) {
        const struct value *v = &g->r->cells[row * g->r->n_columns + c];
        if (g->r->columns[c].above && v->kind == VALUE_TEXT && *v->text)
            buf_fmt(out, "  --- %s\n", cell_text(g->r, row, c, ask));
    }
}

/* Words broken at the width, the first line and the others indented by two. */
static void put_wrapped(struct buf *out, const char *text, int width) {
    int at = 0;
    while (*text) {
        size_t len = strcspn(text, " ");
        char word[512];
        snprintf(word, sizeof word, "%.*s", (int)len, text);
        int w = text_width(word);
        if (at && at + 1 + w > width) {
            buf_str(out, "\n");
            at = 0;
        }
        buf_str(out, at ? " " : "  ");
        buf_str(out, word);
        at += (at ? 1 : 2) + w;
        text += len;
        text += strspn(text, " ");
    }
    if (at)
        buf_str(out, "\n");
}

void format_table(const struct result *r, const struct report_ask *ask, struct buf *out) {
    struct grid g = {.r = r};
    int width = ask->width > 0 ? ask->width : 100;
    g.shown = arena_new(ask->arena, size_t, r->n_columns);
    g.width = arena_new(ask->arena, int, r->n_columns);
    g.n = columns_shown(r, ask->verbose, g.shown);
    if (!r->n_rows || !g.n) {
        buf_fmt(out, "%s: nothing to show\n", r->report->title);
        return;
    }
    measure(&g, ask);
    while (g.n > 2 && total(&g) > width)
        g.n--;
    for (size_t row = 0; row < r->n_rows; row++) {
        bool fresh = !row || !same_group(r, row, row - 1);
        struct buf heading = {0};
        if (fresh) {
            if (row)
                buf_str(out, "\n");
            bool headed = group_put(&heading, r, row);
            if (headed)
                buf_fmt(out, "%s%s%s\n", row ? "" : r->report->title, row ? "" : "  ",
                        heading.data);
            put_heads(&g, row, !headed && !row, ask, out);
        }
        buf_release(&heading);
        put_above(&g, row, ask, out);
        buf_str(out, "  ");
        for (size_t i = 0; i < g.n; i++) {
            if (i)
                put_padded(out, "", GAP, false, false);
            put_padded(out, cell_text(r, row, g.shown[i], ask), g.width[i],
                       is_right(r, g.shown[i]), i + 1 == g.n);
        }
        trim(out);
        buf_str(out, "\n");
    }
    bool any = false;
    for (size_t row = 0; row < r->n_rows; row++) {
        const char *text = result_sentence(r, row);
        if (!text)
            continue;
        buf_str(out, any ? "" : "\n");
        any = true;
        put_wrapped(out, text, width);
    }
}

/* ---- Markdown ---------------------------------------------------------------------------------- */

static void md_cell(struct buf *out, const char *text) {
    for (const char *c = text; *c; c++) {
        if (strchr("|\\`*_<>[]", *c))
            buf_str(out, "\\");
        buf_put(out, c, 1);
    }
}

static void md_heads(const struct result *r, const size_t *shown, size_t n, size_t row,
                     struct buf *out) {
    for (size_t i = 0; i < n; i++) {
        buf_str(out, i ? " | " : "| ");
        md_cell(out, i ? column_head(r, row, shown[i]) : "");
    }
    buf_str(out, " |\n");
    for (size_t i = 0; i < n; i++)
        buf_str(out, is_right(r, shown[i]) ? "| ---: " : "| --- ");
    buf_str(out, "|\n");
}

void format_markdown(const struct result *r, const struct report_ask *ask, struct buf *out) {
    size_t *shown = arena_new(ask->arena, size_t, r->n_columns);
    size_t n = columns_shown(r, ask->verbose, shown);
    buf_fmt(out, "**%s**\n", r->report->title);
    if (!r->n_rows) {
        buf_str(out, "\nNothing to show.\n");
        return;
    }
    for (size_t row = 0; row < r->n_rows; row++) {
        if (!row || !same_group(r, row, row - 1)) {
            struct buf heading = {0};
            buf_str(out, "\n");
            if (group_put(&heading, r, row)) {
                md_cell(out, heading.data);
                buf_str(out, "\n\n");
            }
            buf_release(&heading);
            md_heads(r, shown, n, row, out);
        }
        for (size_t c = 0; c < r->n_columns; c++) {
            const struct value *v = &r->cells[row * r->n_columns + c];
            if (r->columns[c].above && v->kind == VALUE_TEXT && *v->text) {
                buf_str(out, "| *");
                md_cell(out, v->text);
                buf_str(out, "* |\n");
            }
        }
        for (size_t i = 0; i < n; i++) {
            buf_str(out, i ? " | " : "| ");
            md_cell(out, cell_text(r, row, shown[i], ask));
        }
        buf_str(out, " |\n");
    }
    buf_str(out, "\n");
    for (size_t row = 0; row < r->n_rows; row++) {
        const char *text = result_sentence(r, row);
        if (text)
            buf_fmt(out, "%s\n", text);
    }
}
