/* history_path.c: where the history lies, and opening it with a sentence that helps. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zhist/command.h"

struct places {
    const char *beside;   /* the binary */
    bool beside_counts;   /* it exists, or the binary lies below /mnt, where pools are */
    const char *data;     /* $XDG_DATA_HOME or ~/.local/share; NULL: no home */
};

static struct places look(struct arena *a) {
    struct places p = {0};
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len > 0) {
        self[len] = '\0';
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
        p.beside = arena_fmt(a, "%s/history.db", self);
        p.beside_counts = !access(p.beside, F_OK) || !strncmp(self, "/mnt/", 5);
    }
    const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (xdg && xdg[0] == '/')
        p.data = arena_fmt(a, "%s/zhist/history.db", xdg);
    else if (home && home[0] == '/')
        p.data = arena_fmt(a, "%s/.local/share/zhist/history.db", home);
    return p;
}

int history_path(const struct command_call *call, const char **path, struct err *e) {
    const char *env = getenv("ZHIST_DB");
    struct places p = look(call->arena);
    *path = call->db                ? call->db
            : env && *env           ? env
            : p.beside_counts       ? p.beside
            : p.data                ? p.data
                                    : NULL;
    if (*path && **path)
        return 0;
    err_set(e, ERR_USAGE, "no place for the history: name it with --db FILE, for example "
                                 "zhist --db /mnt/tank/zhist/history.db");
    return -1;
}

/* The folders of the default place only: one that the user named must be there. */
static void make_folders(struct arena *a, const char *path) {
    char *copy = arena_str(a, path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0700); /* what fails here fails with a sentence at the file */
        *slash = '/';
    }
}

int history_open(const struct command_call *call, enum db_mode mode, struct db **db,
                 struct err *e) {
    const char *path, *env = getenv("ZHIST_DB");
    if (history_path(call, &path, e))
        return -1;
    bool named = call->db || (env && *env);
    if (mode == DB_CREATE && !named)
        make_folders(call->arena, path);
    if (mode != DB_CREATE && !named && access(path, F_OK) && errno == ENOENT) {
        struct places p = look(call->arena);
        return err_set(e, ERR_FAILED,
                       "no history found; looked at --db (not given), $ZHIST_DB (not set), \"%s\" "
                       "and \"%s\"; record a first run, or name the file with --db",
                       p.beside ? p.beside : "history.db beside the program",
                       p.data ? p.data : "~/.local/share/zhist/history.db");
    }
    if (db_open(path, mode, db, e)) {
        if (mode != DB_CREATE && named && access(path, F_OK) && errno == ENOENT)
            return err_set(e, ERR_FAILED,
                           "no history found; looked at \"%s\" (%s); record a first run, or name "
                           "the file with --db",
                           path, call->db ? "--db" : "$ZHIST_DB");
        return -1;
    }
    if (db_said(*db) && !option_flag(&call->options, "quiet"))
        print_note("%s", db_said(*db));
    return 0;
}

int history_run(const struct command_call *call, struct db *db, const char *word, int64_t *id,
                const char **uuid, struct err *e) {
    struct query *q;
    size_t len = strlen(word);
    if (len < 4 || strspn(word, "0123456789abcdef-") != len)
        return err_set(e, ERR_USAGE,
                       "\"%s\" is not a run id: give at least four digits of it; zhist show runs "
                       "lists them",
                       word);
    if (db_query(db, "find_run", &q, e))
        return -1;
    query_text(q, "prefix", word);
    int status, found = 0;
    while ((status = query_step(q, e)) > 0) {
        *id = query_get_int(q, "id");
        *uuid = arena_str(call->arena, query_get_text(q, "uuid"));
        found++;
    }
    if (status < 0)
        return -1;
    if (found == 1)
        return 0;
    return err_set(e, ERR_USAGE, found ? "run id \"%s\" fits several runs; give more digits"
                                       : "there is no run \"%s\" in this history; zhist show runs "
                                         "lists them",
                   word);
}
