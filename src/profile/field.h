/*
 * field.h: private to the room profile: typed readers of fields that gather mistakes.
 *
 * A field is named by its path in profile_keys ("run.warmup", "workloads[].size"); the last part is
 * the key looked for. Where it is left out, the preset of the table is read instead. A reader that
 * finds a mistake notes it and leaves *out alone, so that reading can go on.
 */
#ifndef PROFILE_FIELD_H
#define PROFILE_FIELD_H

#include "zhist/conf.h"
#include "zhist/model.h"
#include "zhist/profile.h"

enum {
    LONGEST_NAME = 64,
    MOST_JOBS = 1024,
    MOST_DEPTH_OF_IO = 4096,
};
/* 1 PiB: no machine under test is filled further, and jobs x size stays within int64_t. */
#define LARGEST_SIZE (INT64_C(1) << 50)
#define MOST_FILES INT64_C(1000000000)

struct mistake {
    int line, column;
    size_t order;
    const char *text;
};

struct decoder {
    struct arena *a;
    const char *name; /* of the file, in messages */
    const char *dir;  /* where files it points to are; NULL: it is built in */
    struct mistake *mistakes;
    size_t n, cap;
};

/* A text that was found, or the preset (then line is 0). */
struct field {
    const char *key, *text;
    int line, column;
};

void mistake(struct decoder *d, int line, int column, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* key "text" and the sentence, at the place of the field. */
void field_mistake(struct decoder *d, const struct field *f, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* 0: none; else the first ten, sorted, into e. */
int mistakes_report(struct decoder *d, struct err *e);

/* The table. */
const struct profile_key *key_find(const char *path);

/*
 * Is map a map, are all its keys known in section ("" is the top level, "run", "workloads[]"),
 * valid for a workload of that kind (KINDS: not known, or no workload), and none missing?
 */
bool section_check(struct decoder *d, const struct conf *map, const char *section,
                   enum work_kind kind);
/* " in run", " in a workload" ... for a message. */
const char *section_label(const char *section);

/* A map, list or text under the last part of path; NULL where it is left out (or map is NULL). */
const struct conf *field_node(const struct conf *map, const char *path);
/* The list there; a mistake where it is something else or empty. */
const struct conf *field_list(struct decoder *d, const struct conf *map, const char *path);
/* False: nothing given and no preset, or a mistake. */
bool field_read(struct decoder *d, const struct conf *map, const char *path, struct field *f);
/* A text of a node that is not looked up by a key, e.g. in a list. */
bool field_of(struct decoder *d, const struct conf *node, const char *key, struct field *f);

void field_text(struct decoder *d, const struct conf *map, const char *path, const char **out);
/* A name of ours: 1 .. 64 columns of UTF-8 on one line. */
void field_name(struct decoder *d, const struct conf *map, const char *path, const char **out);
void field_size(struct decoder *d, const struct conf *map, const char *path, int64_t low,
                int64_t high, int64_t *out);
void field_duration(struct decoder *d, const struct conf *map, const char *path, bool zero,
                    int64_t *out);
void field_count(struct decoder *d, const struct conf *map, const char *path, int64_t low,
                 int64_t high, int64_t *out);
void field_int(struct decoder *d, const struct conf *map, const char *path, int low, int high,
               int *out);
void field_number(struct decoder *d, const struct conf *map, const char *path, double low,
                  double high, double *out);
/* low and high are in percent; *out is a share. */
void field_percent(struct decoder *d, const struct conf *map, const char *path, double low,
                   double high, double *out);
void field_rate(struct decoder *d, const struct conf *map, const char *path, double *out);
void field_bool(struct decoder *d, const struct conf *map, const char *path, bool *out);
/* An index into words, or -1; the mistake names the nearest one, or all. */
int field_word(struct decoder *d, const struct conf *map, const char *path,
               const char *const *words, size_t n);
int word_index(struct decoder *d, const struct field *f, const char *const *words, size_t n);

/* Exactly, in the largest unit of 1024 that divides it: "1536 MiB". */
const char *size_shown(struct decoder *d, int64_t bytes);

/* workload.c: one item of the list `workloads`. With a mistake in its kind it has no phases. */
void workload_decode(struct decoder *d, const struct conf *item, struct workload *w);
/* What a workload of this kind has where nothing is written. */
void workload_presets(enum work_kind kind, struct workload *w);

#endif
