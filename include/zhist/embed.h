/* embed.h: the files compiled into the binary (sql/, reports/, profiles/), by their path. */
#ifndef ZHIST_EMBED_H
#define ZHIST_EMBED_H

#include <stddef.h>

struct embedded {
    const char *path; /* "reports/trend.sql" */
    const char *text; /* NUL-terminated */
    size_t len;
};
extern const struct embedded embedded_files[]; /* sorted by path */
extern const size_t n_embedded_files;

/* folder "sql/store", name "insert_run", ending ".sql"; NULL: there is none. */
const struct embedded *embedded_find(const char *folder, const char *name, const char *ending);

#endif
