/* embed.c: finds a file compiled into the binary by folder, name and ending. */
#include "zhist/embed.h"

const struct embedded *embedded_find(const char *folder, const char *name, const char *ending) {
    size_t f = strlen(folder), n = strlen(name);
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *path = embedded_files[i].path;
        if (!strncmp(path, folder, f) && path[f] == '/' && !strncmp(path + f + 1, name, n) &&
            !strcmp(path + f + 1 + n, ending))
            return &embedded_files[i];
    }
    return NULL;
}
