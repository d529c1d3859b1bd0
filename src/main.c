/*
 * main.c: global options, the command table, signals, error kind -> exit code. The only exit.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "zhist/command.h"
#include "zhist/unit.h"

const struct command *const commands[] = {
    &command_record, &command_report, &command_show,    &command_probe,   &command_init,
    &command_note,   &command_label,  &command_exclude, &command_include, &command_forget,
    &command_db,     &command_check,  &command_explain, &command_help,
};
const size_t n_commands = LENGTH(commands);

static const struct option_row global_rows[] = {
    {"db", "FILE", "the history; else $ZHIST_DB, else the usual places"},
    {"help", NULL, "what there is"},
    {"version", NULL, "this program's version"},
};

static volatile int stop;

static void on_signal(int number) {
    __atomic_store_n(&stop, number, __ATOMIC_RELAXED); /* any thread may get the signal */
}

/* For a command that stops in order; others end at once, as a user expects. */
static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, hangup;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* nohup starts us with SIGHUP ignored: then it stays so */
    if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

static void out_of_memory(void) { /* the one way out that is not main's return */
    static const char sentence[] = "zhist: out of memory\n";
    ssize_t ignored = write(STDERR_FILENO, sentence, sizeof sentence - 1);
    (void)ignored;
    _exit(1);
}

static int exit_code(const struct err *e) {
    switch (e->kind) {
    case ERR_USAGE:
        return 2;
    case ERR_FOUND:
        return 3;
    case ERR_REFUSED:
        return 4;
    case ERR_INTERRUPTED:
        return 130;
    case ERR_NONE:
    case ERR_FAILED:
        break;
    }
    return 1;
}

const struct command *command_find(const char *name) {
    for (size_t i = 0; i < n_commands; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    return NULL;
}

int print_out(const struct buf *text, struct err *e) {
    if (text->len && (fwrite(text->data, 1, text->len, stdout) != text->len))
        return err_sys(e, errno, "cannot write to standard output");
    return fflush(stdout) ? err_sys(e, errno, "cannot write to standard output") : 0;
}

void print_note(const char *fmt, ...) {
    va_list ap;
    struct buf text = {0}, line = {0};
    va_start(ap, fmt);
    buf_vfmt(&text, fmt, ap);
    va_end(ap);
    buf_str(&line, "zhist: ");
    if (text.len)
        buf_clean(&line, text.data); /* a path may hold what a terminal would obey */
    buf_str(&line, "\n");
    fwrite(line.data, 1, line.len, stderr);
    buf_release(&text);
    buf_release(&line);
}

/* Descriptors 0 to 2 that were closed would go to the next files opened: what is printed would land
 * in a file under test. Stdout is opened for reading, so that printing fails as it should. */
static void hold_standard_descriptors(void) {
    static const int how[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", how[fd]) != fd)
            _exit(1); /* nothing can be said, and nothing may be opened */
}

/* Commands of the plan that a later version brings. */
static const char *const planned[] = {"import", "export", "sql", "selftest"};

static int unknown_command(const char *name, struct err *e) {
    for (size_t i = 0; i < LENGTH(planned); i++)
        if (!strcmp(planned[i], name))
            return err_set(e, ERR_USAGE, "command \"%s\" is not built yet; zhist help lists those "
                                         "that are", name);
    const char *names[LENGTH(commands)];
    for (size_t i = 0; i < n_commands; i++)
        names[i] = commands[i]->name;
    const char *near = word_nearest(name, names, n_commands);
    return near ? err_set(e, ERR_USAGE, "unknown command \"%s\"; did you mean \"%s\"?", name, near)
                : err_set(e, ERR_USAGE, "unknown command \"%s\"; zhist help lists them", name);
}

static int run(struct arena *a, int argc, char **argv, struct err *e) {
    struct options global = {0};
    struct command_call call = {.arena = a, .stop = &stop};
    int used;
    if (options_parse(a, global_rows, LENGTH(global_rows), argc - 1, argv + 1, true, &global, &used,
                      e))
        return -1;
    argc -= used + 1;
    argv += used + 1;
    call.db = option_value(&global, "db");
    if (option_flag(&global, "version")) {
        struct buf line = {0};
        buf_str(&line, "zhist " ZHIST_VERSION "\n");
        int status = print_out(&line, e);
        buf_release(&line);
        return status;
    }
    const char *name = option_flag(&global, "help") ? "help" : argc ? argv[0] : NULL;
    if (!name)
        return err_set(e, ERR_USAGE, "which command? zhist help lists them");
    const struct command *c = command_find(name);
    if (!c)
        return unknown_command(name, e);
    /* --db is taken behind the command too: it is where people put it. */
    struct option_row *rows = arena_new(a, struct option_row, c->n_rows + 2);
    if (c->n_rows)
        memcpy(rows, c->rows, c->n_rows * sizeof *rows);
    rows[c->n_rows] = global_rows[0];
    rows[c->n_rows + 1] = global_rows[1];
    argc = argc > 1 ? argc - 1 : 0;
    if (options_parse(a, rows, c->n_rows + 2, argc, argv + 1, false, &call.options, &used, e))
        return -1;
    if (option_value(&call.options, "db"))
        call.db = option_value(&call.options, "db");
    if (option_flag(&call.options, "help")) {
        call.options.words = arena_new(a, const char *, 1);
        call.options.words[0] = c->name;
        call.options.n_words = 1;
        return command_help.run(&call, e);
    }
    if (call.options.n_words < c->min_words || call.options.n_words > c->max_words)
        return err_set(e, ERR_USAGE, "usage: zhist %s %s; zhist help %s tells more", c->name,
                       c->args, c->name);
    if (c->stops)
        catch_signals();
    return c->run(&call, e);
}

/* Relative paths lead nowhere then, and "." does not exist: people do not think of that. */
static bool current_directory_gone(void) {
    char path[1];
    return !getcwd(path, sizeof path) && errno == ENOENT;
}

static void print_error(const struct err *e) {
    bool gone = (e->kind == ERR_FAILED || e->kind == ERR_USAGE) && current_directory_gone();
    const char *first =
        gone ? "the current directory was removed, change to another one with cd; " : "";
    if (e->lines) /* clean already */
        fprintf(stderr, "zhist: %s%s\n", first, e->text);
    else
        print_note("%s%s", first, e->text);
}

int main(int argc, char **argv) {
    struct arena a = {0};
    static struct err e;
    base_oom = out_of_memory;
    hold_standard_descriptors();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes (ulimit -f) is a failed write, no death */
    int code = 0;
    if (run(&a, argc, argv, &e)) {
        code = exit_code(&e);
        if (*e.text) /* what the gate found was told on stdout */
            print_error(&e);
    }
    arena_release(&a);
    return code;
}
