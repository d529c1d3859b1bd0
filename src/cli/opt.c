/* opt.c: parses a command line by a command's table of options and prints that table as help. */
#include "zhist/opt.h"
#include "zhist/unit.h"

static const struct option_row *row_find(const struct option_row *rows, size_t n, const char *name,
                                         size_t len) {
    for (size_t i = 0; i < n; i++)
        if (strlen(rows[i].name) == len && !strncmp(rows[i].name, name, len))
            return &rows[i];
    return NULL;
}

static int unknown(struct arena *a, const struct option_row *rows, size_t n, const char *arg,
                   struct err *e) {
    const char **names = arena_new(a, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        names[i] = rows[i].name;
    const char *word = arg + strspn(arg, "-");
    char *bare = arena_copy(a, word, strcspn(word, "="));
    const char *near = word_nearest(bare, names, n);
    return err_set(e, ERR_USAGE,
                   near ? "unknown option \"%s\"; did you mean \"%s%s\"?" : "unknown option \"%s\"",
                   arg, near && near[1] ? "--" : "-", near);
}

static bool is_repeatable(const struct option_row *row) {
    size_t len = strlen(row->arg);
    return len > 3 && !strcmp(row->arg + len - 3, "...");
}

static const char *dashes(const char *name) {
    return name[1] ? "--" : "-";
}

int options_parse(struct arena *a, const struct option_row *rows, size_t n_rows, int argc,
                  char **argv, bool stop_at_word, struct options *out, int *used, struct err *e) {
    int i = 0;
    bool only_words = false;
    for (; i < argc; i++) {
        const char *arg = argv[i];
        if (only_words || arg[0] != '-' || !arg[1]) {
            if (stop_at_word)
                break;
            *array_add(a, out->words, out->n_words, out->cap_words) = arg;
            continue;
        }
        if (!strcmp(arg, "--")) {
            only_words = true;
            continue;
        }
        bool is_long = arg[1] == '-';
        const char *name = arg + (is_long ? 2 : 1);
        size_t len = is_long ? strcspn(name, "=") : 1;
        const struct option_row *row = row_find(rows, n_rows, name, len);
        if (!row || is_long != (row->name[1] != '\0'))
            return unknown(a, rows, n_rows, arg, e);
        const char *value = name[len] ? name + len + (is_long ? 1 : 0) : NULL;
        if (!row->arg && value)
            return err_set(e, ERR_USAGE, "option \"%s\" takes no value", arg);
        if (row->arg && !value) {
            if (i + 1 >= argc)
                return err_set(e, ERR_USAGE, "option \"%s\" needs a value: %s %s", arg, arg,
                               row->arg);
            value = argv[++i];
            if (!strncmp(value, "--", 2) &&
                row_find(rows, n_rows, value + 2, strcspn(value + 2, "=")))
                return err_set(e, ERR_USAGE,
                               "option \"%s\" needs a value: %s %s; \"%s\" is an option "
                               "(if it is meant: %s=%s)",
                               arg, arg, row->arg, value, arg, value);
        }
        const char *before = option_value(out, row->name);
        if (row->arg && value && before && strcmp(before, value) && !is_repeatable(row))
            return err_set(e, ERR_USAGE,
                           "option \"%s%s\" is given twice (\"%s\", \"%s\"); it takes one value",
                           dashes(row->name), row->name, before, value);
        *array_add(a, out->given, out->n_given, out->cap_given) = (struct option_given){row, value};
    }
    *used = i;
    return 0;
}

const char *option_nth(const struct options *o, const char *name, size_t n) {
    for (size_t i = 0; i < o->n_given; i++)
        if (!strcmp(o->given[i].row->name, name) && n-- == 0)
            return o->given[i].value ? o->given[i].value : "";
    return NULL;
}

const char *option_value(const struct options *o, const char *name) {
    const char *last = NULL, *value;
    for (size_t n = 0; (value = option_nth(o, name, n)); n++)
        last = value;
    return last;
}

bool option_flag(const struct options *o, const char *name) {
    return option_nth(o, name, 0) != NULL;
}

int options_apart(const struct options *o, const char *const (*pairs)[2], size_t n, struct err *e) {
    for (size_t i = 0; i < n; i++) {
        const char *one = pairs[i][0], *two = pairs[i][1];
        if (option_flag(o, one) && option_flag(o, two))
            return err_set(e, ERR_USAGE, "%s%s and %s%s do not go together; leave one of them out",
                           dashes(one), one, dashes(two), two);
    }
    return 0;
}

int option_pair(struct arena *a, const char *option, const char *text, const char **key,
                const char **value, struct err *e) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return err_set(e, ERR_USAGE, "%s \"%s\": write it as KEY=VALUE", option, text);
    *key = arena_copy(a, text, (size_t)(equals - text));
    *value = equals + 1;
    return 0;
}

void options_help(struct buf *b, const struct option_row *rows, size_t n_rows) {
    for (size_t i = 0; i < n_rows; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s", dashes(rows[i].name), rows[i].name,
                 rows[i].arg ? " " : "", rows[i].arg ? rows[i].arg : "");
        buf_fmt(b, "  %-24s %s\n", left, rows[i].about);
    }
}
