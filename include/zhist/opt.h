/*
 * opt.h: command lines: a command's const table of options is parsed, listed in help and (later)
 * in completion and the manual; there is no other list.
 */
#ifndef ZHIST_OPT_H
#define ZHIST_OPT_H

#include "zhist/base.h"

struct option_row {
    const char *name;  /* "since": --since; or a letter of its own: "p": -p */
    const char *arg;   /* "TIME"; "K=V...": it may be given again; NULL: a flag */
    const char *about; /* one line */
};

struct option_given {
    const struct option_row *row;
    const char *value; /* NULL for a flag */
};

struct options {
    struct option_given *given;
    size_t n_given, cap_given;
    const char **words; /* what is not an option */
    size_t n_words, cap_words;
};

/*
 * Takes --name VALUE, --name=VALUE, -x VALUE, -xVALUE; "--" ends options. With stop_at_word parsing
 * ends before the first word and *used tells how many arguments were taken. ERR_USAGE otherwise,
 * and where an option is given with two values but takes one: neither is dropped silently.
 */
int options_parse(struct arena *a, const struct option_row *rows, size_t n_rows, int argc,
                  char **argv, bool stop_at_word, struct options *out, int *used, struct err *e);
const char *option_value(const struct options *o, const char *name); /* the last one, or NULL */
/* Options that say nothing together: the first pair of which both were given is ERR_USAGE. */
int options_apart(const struct options *o, const char *const (*pairs)[2], size_t n, struct err *e);
bool option_flag(const struct options *o, const char *name);
const char *option_nth(const struct options *o, const char *name, size_t n); /* or NULL */
/* Splits "KEY=VALUE" at the first '='; -1 with a sentence when there is none or KEY is empty. */
int option_pair(struct arena *a, const char *option, const char *text, const char **key,
                const char **value, struct err *e);
void options_help(struct buf *b, const struct option_row *rows, size_t n_rows);

#endif
