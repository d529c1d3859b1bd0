/*
 * format_table.c: tables for people: aligned text that fits the width, and Markdown. What does not
 * fit: a text in the last column is broken, a long first one cut, then columns are left out
 * from the right (those marked keep last). -v leaves none out: it is for wide windows and pagers.
 */
#include "format.h"

/* FIRST_: columns of the first one: before another goes; before one that is kept long goes;
 * at all. */
enum { GAP = 2, FIRST_LEAST = 40, FIRST_CUT = 30, FIRST_MIN = 8, LAST_LEAST = 24 };

struct grid {
    const struct result *r;
    const struct report_ask *ask;
    size_t *shown, n;
    int *width;
    bool wraps; /* the last column is broken at the width */
};

static char *cell_text(const struct result *r, size_t row, size_t column,
                       const struct report_ask *ask) {
    struct buf b = {0};
    cell_put(&b, r, row, column, ask->units);
    char *text = report_clean(ask->arena, b.data ? b.data : "");
    buf_release(&b);
    return text;
}

static char *head_text(const struct grid *g, size_t row, size_t i) {
    return report_clean(g->ask->arena, column_head(g->r, row, g->shown[i]));
}

static void put_blanks(struct buf *out, int n) {
    while (n-- > 0)
        buf_str(out, " ");
}

static void put_padded(struct buf *out, const char *text, int width, bool right, bool last) {
    int pad = width - text_width(text);
    if (right)
        put_blanks(out, pad);
    buf_str(out, text);
    if (!right && !last)
        put_blanks(out, pad);
}

static void end_line(struct buf *out) {
    while (out->len && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
    buf_str(out, "\n");
}

void report_wrap(struct buf *out, const char *text, int at, int indent, int width) {
    bool fresh = true; /* nothing of the text is on this line yet */
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t len = strcspn(text, " "), part = text_fit(text, width - at - !fresh);
        if (part < len && !(fresh && at <= indent)) { /* the word begins a line of its own */
            buf_str(out, "\n");
            put_blanks(out, at = indent);
            fresh = true;
            part = text_fit(text, width - at);
        }
        if (part > len)
            part = len;
        if (part == 0)
            part = len; /* no room for a single character: give up */
        struct buf piece = {0};
        buf_put(&piece, text, part);
        buf_fmt(out, "%s%s", fresh ? "" : " ", piece.data);
        at += text_width(piece.data) + !fresh;
        buf_release(&piece);
        fresh = false;
        text += part;
        if (part < len) { /* longer than a line */
            buf_str(out, "\n");
            put_blanks(out, at = indent);
            fresh = true;
        }
    }
}

static bool is_right(const struct result *r, size_t column) {
    return r->columns[column].right;
}

/* ---- what fits --------------------------------------------------------------------------------- */

/* Widths over all groups, so that they stand under each other. */
static void measure(struct grid *g) {
    for (size_t i = 0; i < g->n; i++) {
        for (size_t row = 0; row < g->r->n_rows; row++) {
            int width = text_width(cell_text(g->r, row, g->shown[i], g->ask));
            g->width[i] = width > g->width[i] ? width : g->width[i];
            if (row && same_group(g->r, row, row - 1))
                continue;
            width = i ? text_width(head_text(g, row, i)) : 0;
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

static void remove_column(struct grid *g, size_t which) {
    g->n--;
    for (size_t i = which; i < g->n; i++) {
        g->shown[i] = g->shown[i + 1];
        g->width[i] = g->width[i + 1];
    }
}

/* The last one that may go; false where the first and those to be kept are all there are. */
static bool drop_column(struct grid *g) {
    size_t which = g->n - 1;
    while (which && g->r->columns[g->shown[which]].keep)
        which--;
    if (which)
        remove_column(g, which);
    return which > 0;
}

/* All columns of `whole` but those that are kept long: without them the others may fit again. */
static void drop_long(struct grid *g, const struct grid *whole) {
    g->n = whole->n;
    memcpy(g->shown, whole->shown, g->n * sizeof *g->shown);
    memcpy(g->width, whole->width, g->n * sizeof *g->width);
    for (size_t i = g->n - 1; i > 0; i--)
        if (g->r->columns[g->shown[i]].keep == KEEP_LONG)
            remove_column(g, i);
}

static bool is_wrappable(const struct grid *g) {
    const struct column *c = &g->r->columns[g->shown[g->n - 1]];
    return g->n > 1 && !c->right && !c->keep && !c->spark;
}

static void fit_columns(struct grid *g, int width) {
    struct grid whole = *g;
    bool first_try = true;
    whole.shown = arena_new(g->ask->arena, size_t, g->n);
    whole.width = arena_new(g->ask->arena, int, g->n);
    memcpy(whole.shown, g->shown, g->n * sizeof *g->shown);
    memcpy(whole.width, g->width, g->n * sizeof *g->width);
    for (;;) {
        int over = total(g) - width, *first = &g->width[0], *last = &g->width[g->n - 1];
        if (over <= 0)
            return;
        if (is_wrappable(g) && *last - over >= LAST_LEAST) {
            *last -= over;
            g->wraps = true;
            return;
        }
        bool cut = *first - over >= FIRST_LEAST || g->n <= 2;
        if (!cut && g->ask->verbose)
            return;
        if (!cut && drop_column(g))
            continue;
        if (!cut && first_try && *first - over < FIRST_CUT) {
            first_try = false;
            drop_long(g, &whole);
            continue;
        }
        *first = *first - over > FIRST_MIN ? *first - over : FIRST_MIN;
        return;
    }
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void put_heads(const struct grid *g, size_t row, bool title, struct buf *out) {
    const char *first = title ? report_clean(g->ask->arena, g->r->report->title) : "";
    bool any = title;
    for (size_t i = 1; i < g->n; i++)
        any = any || *head_text(g, row, i);
    if (!any)
        return; /* a heading stands over columns that need no name */
    for (size_t i = 0; i < g->n; i++) {
        put_blanks(out, i ? GAP : 0);
        put_padded(out, i ? head_text(g, row, i) : first, g->width[i] + (i ? 0 : 2),
                   is_right(g->r, g->shown[i]) && i, i + 1 == g->n);
    }
    end_line(out);
}

static void put_above(const struct grid *g, size_t row, int width, struct buf *out) {
    for (size_t c = 0; c < g->r->n_columns; c++) {
        const struct value *v = &g->r->cells[row * g->r->n_columns + c];
        if (!g->r->columns[c].above || v->kind != VALUE_TEXT || !*v->text)
            continue;
        buf_str(out, "  --- ");
        report_wrap(out, cell_text(g->r, row, c, g->ask), 6, 6, width);
        end_line(out);
    }
}

static void put_first(const struct grid *g, const char *text, struct buf *out) {
    struct buf b = {0};
    if (text_width(text) > g->width[0]) {
        buf_put(&b, text, text_fit(text, g->width[0] - 1));
        buf_str(&b, "\xe2\x80\xa6");
    } else {
        buf_str(&b, text);
    }
    put_padded(out, b.data, g->width[0], is_right(g->r, g->shown[0]), g->n == 1);
    buf_release(&b);
}

static void put_row(const struct grid *g, size_t row, int width, struct buf *out) {
    int at = 2;
    put_blanks(out, 2);
    for (size_t i = 0; i < g->n; i++) {
        const char *text = cell_text(g->r, row, g->shown[i], g->ask);
        put_blanks(out, i ? GAP : 0);
        at += i ? GAP : 0;
        bool red = g->ask->colour && cell_red(g->r, row, g->shown[i]);
        buf_str(out, red ? "\x1b[31m" : "");
        if (!i)
            put_first(g, text, out);
        else if (i + 1 == g->n && g->wraps)
            report_wrap(out, text, at, at, width);
        else
            put_padded(out, text, g->width[i], is_right(g->r, g->shown[i]), i + 1 == g->n);
        buf_str(out, red ? "\x1b[0m" : "");
        at += g->width[i];
    }
    end_line(out);
}

/* The line over a group; where there is none, the first head has the report's title. */
static bool put_heading(const struct grid *g, size_t row, int width, struct buf *out) {
    const char *title = report_clean(g->ask->arena, g->r->report->title);
    struct buf heading = {0};
    bool any = group_put(&heading, g->r, row);
    if (any) {
        if (!row)
            buf_fmt(out, "%s  ", title);
        report_wrap(out, report_clean(g->ask->arena, heading.data), row ? 0 : text_width(title) + 2,
                    4, width);
        end_line(out);
    }
    buf_release(&heading);
    return any;
}

static void put_sentences(const struct result *r, const struct report_ask *ask, int width,
                          struct buf *out) {
    const char *const *texts;
    size_t n = sentences_shown(ask->arena, r, &texts);
    for (size_t i = 0; i < n; i++) {
        buf_str(out, i ? "  " : "\n  ");
        report_wrap(out, report_clean(ask->arena, texts[i]), 2, 2, width);
        end_line(out);
    }
}

void format_table(const struct result *r, const struct report_ask *ask, struct buf *out) {
    struct grid g = {.r = r, .ask = ask};
    int width = ask->width > 0 ? ask->width : 100;
    g.shown = arena_new(ask->arena, size_t, r->n_columns);
    g.width = arena_new(ask->arena, int, r->n_columns);
    g.n = columns_shown(r, ask->verbose, g.shown);
    if (!r->n_rows || !g.n) {
        struct buf line = {0};
        buf_fmt(&line, r->why_empty ? "%s  %s" : "%s: nothing to show",
                report_clean(ask->arena, r->report->title), r->why_empty);
        report_wrap(out, report_clean(ask->arena, line.data), 0, 2, width);
        end_line(out);
        buf_release(&line);
        put_sentences(r, ask, width, out);
        return;
    }
    measure(&g);
    fit_columns(&g, width);
    for (size_t row = 0; row < r->n_rows; row++) {
        if (!row || !same_group(r, row, row - 1)) {
            buf_str(out, row ? "\n" : "");
            bool headed = put_heading(&g, row, width, out);
            put_heads(&g, row, !headed && !row, out);
        }
        put_above(&g, row, width, out);
        put_row(&g, row, width, out);
    }
    put_sentences(r, ask, width, out);
}

/* ---- Markdown ---------------------------------------------------------------------------------- */

static void md_cell(struct buf *out, const struct report_ask *ask, const char *text) {
    for (const char *c = report_clean(ask->arena, text); *c; c++) {
        if (strchr("|\\`*_<[~&", *c))
            buf_str(out, "\\");
        buf_put(out, c, 1);
    }
}

static void md_heads(const struct result *r, const size_t *shown, size_t n, size_t row,
                     const struct report_ask *ask, struct buf *out) {
    for (size_t i = 0; i < n; i++) {
        buf_str(out, i ? " | " : "| ");
        md_cell(out, ask, i ? column_head(r, row, shown[i]) : "");
    }
    buf_str(out, " |\n");
    for (size_t i = 0; i < n; i++)
        buf_str(out, is_right(r, shown[i]) ? "| ---: " : "| --- ");
    buf_str(out, "|\n");
}

static void md_sentences(const struct result *r, const struct report_ask *ask, struct buf *out) {
    const char *const *texts;
    size_t n = sentences_shown(ask->arena, r, &texts);
    buf_str(out, "\n");
    for (size_t i = 0; i < n; i++) {
        md_cell(out, ask, texts[i]);
        buf_str(out, "\n");
    }
}

void format_markdown(const struct result *r, const struct report_ask *ask, struct buf *out) {
    size_t *shown = arena_new(ask->arena, size_t, r->n_columns);
    size_t n = columns_shown(r, ask->verbose, shown);
    buf_fmt(out, "**%s**\n", report_clean(ask->arena, r->report->title));
    if (!r->n_rows) {
        buf_str(out, "\n");
        md_cell(out, ask, r->why_empty ? r->why_empty : "Nothing to show.");
        buf_str(out, "\n");
        md_sentences(r, ask, out);
        return;
    }
    for (size_t row = 0; row < r->n_rows; row++) {
        if (!row || !same_group(r, row, row - 1)) {
            struct buf heading = {0};
            buf_str(out, "\n");
            if (group_put(&heading, r, row)) {
                md_cell(out, ask, heading.data);
                buf_str(out, "\n\n");
            }
            buf_release(&heading);
            md_heads(r, shown, n, row, ask, out);
        }
        for (size_t c = 0; c < r->n_columns; c++) {
            const struct value *v = &r->cells[row * r->n_columns + c];
            if (r->columns[c].above && v->kind == VALUE_TEXT && *v->text) {
                buf_str(out, "| *");
                md_cell(out, ask, v->text);
                buf_str(out, "* |\n");
            }
        }
        for (size_t i = 0; i < n; i++) {
            buf_str(out, i ? " | " : "| ");
            md_cell(out, ask, cell_text(r, row, shown[i], ask));
        }
        buf_str(out, " |\n");
    }
    md_sentences(r, ask, out);
}
