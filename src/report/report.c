/*
 * report.c: finds a report, reads its front matter, binds, runs it to the end: a struct result.
 * Nothing is printed here, and nothing of a metric or a table is known here.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zhist/embed.h"
#include "zhist/report.h"

enum { REPORT_MAX = 1 << 20, MOST_ROWS = 1000000, MOST_CELLS = 10000000, MOST_BYTES = 256 << 20 };

/* ---- front matter ------------------------------------------------------------------------------ */

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static char *word(struct arena *a, const char **at, const char *end) {
    while (*at < end && is_blank(**at))
        ++*at;
    const char *from = *at;
    bool quoted = from < end && *from == '"';
    if (quoted)
        from++;
    *at = from;
    while (*at < end && (quoted ? **at != '"' : !is_blank(**at)))
        ++*at;
    char *text = arena_copy(a, from, (size_t)(*at - from));
    if (quoted && *at < end)
        ++*at;
    return text;
}

static struct column *mark(struct arena *a, struct report *r, const char *name) {
    for (size_t i = 0; i < r->n_marks; i++)
        if (!strcmp(r->marks[i].name, name))
            return &r->marks[i];
    struct column *c = array_add(a, r->marks, r->n_marks, r->cap_marks);
    *c = (struct column){.name = name};
    return c;
}

static int read_column(struct arena *a, struct report *r, const char *at, const char *end,
                       struct err *e) {
    static const char *const shows[] = {
        [SHOW_TABLE] = "table", [SHOW_VERBOSE] = "v", [SHOW_NO] = "no", [SHOW_NEVER] = "never"};
    struct column *c = mark(a, r, word(a, &at, end));
    if (!*c->name)
        return err_set(e, ERR_USAGE, "report %s: a column: line needs a name", r->name);
    for (;;) {
        while (at < end && is_blank(*at))
            at++;
        if (at == end)
            return 0;
        const char *equals = memchr(at, '=', (size_t)(end - at));
        if (!equals)
            return err_set(e, ERR_USAGE, "report %s: column %s: write NAME=VALUE", r->name,
                           c->name);
        const char *key = arena_copy(a, at, (size_t)(equals - at));
        at = equals + 1;
        const char *value = at < end && !is_blank(*at) ? word(a, &at, end) : "";
        bool known = true;
        if (!strcmp(key, "unit"))
            c->unit = value;
        else if (!strcmp(key, "head"))
            c->head = value;
        else if (!strcmp(key, "red") && *value == '@')
            c->red = value + 1;
        else if (!strcmp(key, "keep"))
            c->keep = !strcmp(value, "yes") ? KEEP_YES : !strcmp(value, "long") ? KEEP_LONG : KEEP_NO;
        else if (!strcmp(key, "align"))
            c->right = !strcmp(value, "right");
        else if (!strcmp(key, "better"))
            c->better = !strcmp(value, "up") ? 1 : !strcmp(value, "down") ? -1 : 0;
        else if (!strcmp(key, "show")) {
            known = false;
            for (size_t i = SHOW_TABLE; i < LENGTH(shows); i++)
                if (!strcmp(value, shows[i])) {
                    c->show = (enum column_show)i;
                    known = true;
                }
        } else
            known = false;
        if (!known)
            return err_set(e, ERR_USAGE, "report %s: column %s: unknown \"%s=%s\"", r->name,
                           c->name, key, value);
    }
}

static int read_param(struct arena *a, struct report *r, const char *at, const char *end,
                      struct err *e) {
    static const char *const kinds[] = {"text", "time", "number", "flag", "list"};
    struct param p = {.name = word(a, &at, end), .kind = word(a, &at, end)};
    bool known = false;
    for (size_t i = 0; i < LENGTH(kinds); i++)
        known |= !strcmp(kinds[i], p.kind);
    if (!known)
        return err_set(e, ERR_USAGE,
                       "report %s: param %s: unknown kind \"%s\"; text, time, number, flag or list",
                       r->name, p.name, p.kind);
    while (at < end && is_blank(*at))
        at++;
    if (at < end && *at == '=') {
        at++;
        p.preset = word(a, &at, end);
        while (at < end && is_blank(*at))
            at++;
    }
    if (end - at >= 2 && at[0] == '-' && at[1] == '-')
        at += 2;
    while (at < end && is_blank(*at))
        at++;
    p.about = arena_copy(a, at, (size_t)(end - at));
    *array_add(a, r->params, r->n_params, r->cap_params) = p;
    return 0;
}

static int read_line(struct arena *a, struct report *r, const char *key, const char *at,
                     const char *end, struct err *e) {
    if (!strcmp(key, "title"))
        r->title = arena_copy(a, at, (size_t)(end - at));
    else if (!strcmp(key, "about"))
        r->about = arena_copy(a, at, (size_t)(end - at));
    else if (!strcmp(key, "param"))
        return read_param(a, r, at, end, e);
    else if (!strcmp(key, "column"))
        return read_column(a, r, at, end, e);
    else if (!strcmp(key, "above"))
        mark(a, r, word(a, &at, end))->above = true;
    else if (!strcmp(key, "spark"))
        mark(a, r, word(a, &at, end))->spark = true;
    else if (!strcmp(key, "sentence"))
        mark(a, r, word(a, &at, end))->sentence = true;
    else if (!strcmp(key, "notes"))
        r->notes = word(a, &at, end);
    else if (!strcmp(key, "group"))
        while (at < end) {
            size_t len = 0;
            while (at + len < end && at[len] != ',')
                len++;
            const char *from = at, *name = word(a, &from, at + len);
            mark(a, r, name)->group = true;
            at += len + (at + len < end);
        }
    return 0; /* chart, pivot: for formats that draw them; others: a plain comment */
}

/* The comment lines "-- key: value" at the top. */
static int read_front(struct arena *a, struct report *r, struct err *e) {
    r->title = r->name;
    r->about = "";
    static const char blank[] = " \t\r\n";
    const char *line = r->sql + (strncmp(r->sql, "\xef\xbb\xbf", 3) ? 0 : 3); /* an editor's BOM */
    for (line += strspn(line, blank); !strncmp(line, "--", 2); line += strspn(line, blank)) {
        const char *end = line + strcspn(line, "\n"), *stop = end;
        const char *key = line + 2 + strspn(line + 2, " \t");
        size_t len = strspn(key, "abcdefghijklmnopqrstuvwxyz");
        size_t gap = strspn(key + len, " \t");
        while (stop > line && (is_blank(stop[-1]) || stop[-1] == '\r'))
            stop--;
        if (len && key[len + gap] == ':') {
            const char *at = key + len + gap + 1;
            while (at < stop && is_blank(*at))
                at++;
            if (read_line(a, r, arena_copy(a, key, len), at, stop, e))
                return -1;
        }
        if (!*end)
            break;
        line = end + 1;
    }
    return 0;
}

/* ---- finding ----------------------------------------------------------------------------------- */

/* The user's folders: $ZHIST_REPORTS, else reports/ beside the history and in the data folder.
 * Never the current directory: a report is trusted with time and memory, not with files. */
static size_t folders(struct arena *a, const char *history, const char *out[3]) {
    const char *named = getenv("ZHIST_REPORTS"), *data = getenv("XDG_DATA_HOME"),
               *home = getenv("HOME");
    size_t n = 0;
    if (named && *named) {
        out[n++] = named;
        return n;
    }
    const char *slash = history ? strrchr(history, '/') : NULL;
    if (slash)
        out[n++] = arena_fmt(a, "%.*s/reports", (int)(slash - history), history);
    if (data && data[0] == '/')
        out[n++] = arena_fmt(a, "%s/zhist/reports", data);
    else if (home && home[0] == '/')
        out[n++] = arena_fmt(a, "%s/.local/share/zhist/reports", home);
    return n;
}

static bool is_name(const char *name) {
    return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_-")] == '\0';
}

int report_find(struct arena *a, const char *history, const char *name, struct report *r,
                struct err *e) {
    const char *places[3];
    *r = (struct report){.name = name};
    if (is_name(name)) {
        size_t n = folders(a, history, places);
        for (size_t i = 0; i < n; i++) {
            char *path = arena_fmt(a, "%s/%s.sql", places[i], name), *text;
            size_t len;
            if (access(path, F_OK))
                continue;
            if (file_read(a, path, REPORT_MAX, &text, &len, e)) {
                e->kind = ERR_USAGE; /* a mistake of the report, not of the program */
                return -1;
            }
            if (strlen(text) != len)
                return err_set(e, ERR_USAGE, "report \"%s\" holds a NUL byte", path);
            r->sql = text;
            return read_front(a, r, e);
        }
        const struct embedded *file = embedded_find("reports", name, ".sql");
        if (file) {
            r->sql = file->text;
            r->built_in = true;
            return read_front(a, r, e);
        }
    }
    const char *const *names;
    size_t n = report_names(a, history, &names);
    const char *near = word_nearest(name, names, n);
    return err_set(e, ERR_USAGE,
                   near ? "there is no report \"%s\"; did you mean \"%s\"?"
                        : "there is no report \"%s\"; zhist show reports lists them",
                   name, near);
}

int report_load_show(struct arena *a, const char *name, struct report *r, struct err *e) {
    const struct embedded *file = embedded_find("sql/show", name, ".sql");
    if (!file)
        file = embedded_find("reports", name, ".sql");
    if (!file)
        return err_set(e, ERR_FAILED, "there is no statement \"%s\"", name);
    *r = (struct report){.name = name, .sql = file->text, .built_in = true};
    return read_front(a, r, e);
}

/* Each once: a user's report stands for the built-in one of its name. */
static void add_name(struct arena *a, const char ***names, size_t *n, size_t *cap,
                     const char *name) {
    if (!is_name(name))
        return;
    for (size_t i = 0; i < *n; i++)
        if (!strcmp((*names)[i], name))
            return;
    *array_add(a, *names, *n, *cap) = name;
}

size_t report_names(struct arena *a, const char *history, const char *const **out) {
    const char **names = NULL, *places[3];
    size_t n = 0, cap = 0;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *path = embedded_files[i].path;
        if (!strncmp(path, "reports/", 8))
            *array_add(a, names, n, cap) = arena_copy(a, path + 8, strlen(path) - 8 - 4);
    }
    size_t n_places = folders(a, history, places);
    for (size_t i = 0; i < n_places; i++) {
        DIR *d = opendir(places[i]);
        const struct dirent *entry;
        while (d && (entry = readdir(d))) {
            size_t len = strlen(entry->d_name);
            if (len > 4 && !strcmp(entry->d_name + len - 4, ".sql"))
                add_name(a, &names, &n, &cap, arena_copy(a, entry->d_name, len - 4));
        }
        if (d)
            closedir(d);
    }
    *out = names;
    return n;
}

const struct param *report_param(const struct report *r, const char *name) {
    for (size_t i = 0; i < r->n_params; i++)
        if (!strcmp(r->params[i].name, name))
            return &r->params[i];
    return NULL;
}

/* ---- running ----------------------------------------------------------------------------------- */

static int bind_one(struct query *q, const struct report *r, const struct param *p,
                    const char *text, struct err *e) {
    const char *why = NULL;
    int64_t i;
    double x;
    if (!query_has(q, p->name))
        return err_set(e, ERR_USAGE, "report %s: param %s is not in its statement", r->name,
                       p->name);
    if (!text)
        return 0; /* NULL */
    if (!strcmp(p->kind, "time")) {
        /* A day as the end is a whole day. */
        bool day = !strcmp(p->name, "until") && strlen(text) == 10 && text[4] == '-';
        char end[24] = "";
        if (day)
            snprintf(end, sizeof end, "%sT23:59:59", text);
        if (!(why = unit_read_moment(day ? end : text, clock_real_ns(), &i)))
            query_int(q, p->name, day ? i + NS_PER_S - 1 : i);
    } else if (!strcmp(p->kind, "number")) {
        if (!(why = unit_read_number(text, &x)))
            query_real(q, p->name, x);
    } else if (!strcmp(p->kind, "flag")) {
        query_int(q, p->name, strcmp(text, "0") && strcmp(text, "false"));
    } else {
        query_text(q, p->name, text);
    }
    return why ? err_set(e, ERR_USAGE, "%s \"%s\" %s", p->name, text, why) : 0;
}

/* What the statement asks for and nobody would fill: it would be NULL without a word. */
static int check_parameters(const struct query *q, const struct report *r, const char *run,
                            struct err *e) {
    const char *name;
    for (int i = 0; (name = query_parameter(q, i)); i++) {
        bool ours = !strcmp(name, ":now") || !strcmp(name, ":units") || !strcmp(name, ":verbose") ||
                    (run && !strcmp(name, ":run"));
        if (!ours && (*name != ':' || !report_param(r, name + 1)))
            return err_set(e, ERR_USAGE,
                           "report %s: its statement asks for %s, which no param: "
                           "line declares",
                           r->name, name);
    }
    return 0;
}

static int bind(struct query *q, const struct report *r, const struct report_ask *ask,
                struct err *e) {
    if (check_parameters(q, r, ask->run, e))
        return -1;
    for (size_t i = 0; i < r->n_params; i++) {
        const char *text = r->params[i].preset;
        for (size_t k = 0; k < ask->n_params; k++)
            if (!strcmp(ask->params[k].key, r->params[i].name))
                text = ask->params[k].value;
        if (bind_one(q, r, &r->params[i], text, e))
            return -1;
    }
    if (query_has(q, "now"))
        query_int(q, "now", clock_real_ns());
    if (query_has(q, "units"))
        query_text(q, "units", ask->units == UNITS_IEC ? "iec" : "si");
    if (query_has(q, "verbose"))
        query_int(q, "verbose", ask->verbose);
    if (ask->run && query_has(q, "run"))
        query_text(q, "run", ask->run);
    return 0;
}

static int describe(struct arena *a, struct query *q, const struct report *r, struct result *out,
                    struct err *e) {
    bool marked = false;
    for (size_t m = 0; m < r->n_marks; m++)
        marked |= r->marks[m].sentence;
    out->n_columns = (size_t)query_columns(q);
    out->columns = arena_new(a, struct column, out->n_columns);
    for (size_t c = 0; c < out->n_columns; c++) {
        const char *name = arena_str(a, query_column_name(q, (int)c));
        out->columns[c].name = name;
        for (size_t m = 0; m < r->n_marks; m++)
            if (!strcmp(r->marks[m].name, name))
                out->columns[c] = r->marks[m];
        out->columns[c].sentence |= !marked && !strcmp(name, "sentence");
        for (size_t before = 0; before < c; before++)
            if (!strcmp(out->columns[before].name, name))
                return err_set(e, ERR_USAGE,
                               "report %s: two columns are called \"%s\"; name one "
                               "of them with AS",
                               r->name, name);
    }
    return 0;
}

/* Our own statement cannot be run: then it is the history that is not whole. */
static int blame(struct db *db, const struct report *r, struct err *e) {
    if (!r->built_in || e->kind != ERR_USAGE)
        return -1;
    struct err why = *e;
    return err_set(e, ERR_FAILED,
                   "history \"%s\" is not whole (%.1000s); look with: zhist --db \"%s\" "
                   "db check",
                   db_path(db), why.text, db_path(db));
}

int report_run(struct db *db, const struct report *r, const struct report_ask *ask,
               struct result *out, struct err *e) {
    struct query *q;
    *out = (struct result){.report = r};
    if (db_query_text(db, r->name, r->sql, &q, e))
        return blame(db, r, e);
    int status = bind(q, r, ask, e);
    if (!status)
        status = describe(ask->arena, q, r, out, e);
    int step = status;
    size_t bytes = 0;
    while (!status && (step = query_step(q, e)) > 0) {
        for (size_t c = 0; c < out->n_columns; c++) {
            struct value v = query_value(q, (int)c);
            bytes += v.text ? strlen(v.text) : 0;
            v.text = arena_str(ask->arena, v.text);
            *array_add(ask->arena, out->cells, out->n_cells, out->cap_cells) = v;
        }
        out->n_rows++;
        if (out->n_rows > MOST_ROWS || out->n_cells > MOST_CELLS || bytes > MOST_BYTES)
            status = err_set(e, ERR_USAGE,
                             "report %s gives more than a report can hold (%d rows, "
                             "%d cells, %d MiB of text); add a LIMIT",
                             r->name, MOST_ROWS, MOST_CELLS, MOST_BYTES >> 20);
    }
    query_free(q);
    if (step < 0 && !status)
        return blame(db, r, e);
    return status ? -1 : 0;
}

int report_show(struct db *db, const char *name, const struct report_ask *ask, struct buf *out,
                struct err *e) {
    struct report *r = arena_new(ask->arena, struct report, 1);
    struct result result;
    if (report_load_show(ask->arena, name, r, e) || report_run(db, r, ask, &result, e))
        return -1;
    format_print(&result, 1, ask, out);
    return 0;
}

const struct value *result_cell(const struct result *r, size_t row, const char *column) {
    static const struct value nothing = {.kind = VALUE_NULL};
    for (size_t c = 0; c < r->n_columns; c++)
        if (!strcmp(r->columns[c].name, column))
            return &r->cells[row * r->n_columns + c];
    return &nothing;
}

static bool has_text(const char *const *list, size_t n, const char *text) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], text))
            return true;
    return false;
}

size_t result_sentences(struct arena *a, const struct result *r, const char *const **out) {
    const char **list = NULL;
    size_t n = 0, cap = 0;
    for (size_t c = 0; c < r->n_columns; c++)
        for (size_t row = 0; r->columns[c].sentence && row < r->n_rows; row++) {
            const struct value *v = &r->cells[row * r->n_columns + c];
            if (v->kind == VALUE_TEXT && *v->text && !has_text(list, n, v->text))
                *array_add(a, list, n, cap) = v->text;
        }
    *out = list;
    return n;
}
