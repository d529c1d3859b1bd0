/* cmd_help.c: `help [COMMAND]`, printed from the command and option tables. */
#include "zhist/command.h"

static void overview(struct buf *b) {
    buf_str(b, "zhist measures storage the same way every time and remembers everything.\n\n"
               "usage: zhist [--db FILE] COMMAND ...\n\n");
    for (size_t i = 0; i < n_commands; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", commands[i]->name, commands[i]->args);
        buf_fmt(b, "  %-26s %s\n", left, commands[i]->about);
    }
    buf_str(b, "\nThe history: --db FILE, else $ZHIST_DB, else history.db beside the program if it "
               "is there or\nthe program lies below /mnt, else $XDG_DATA_HOME/zhist/history.db, "
               "else\n~/.local/share/zhist/history.db.\n\n"
               "Exit codes: 0 done; 1 failed; 2 usage, profile or report mistake; 3 the gate found "
               "something;\n4 refused; 130 interrupted.\n\n"
               "More: zhist help COMMAND\n");
}

static int help(const struct command_call *call, struct err *e) {
    struct buf b = {0};
    if (!call->options.n_words)
        overview(&b);
    else {
        const struct command *c = command_find(call->options.words[0]);
        if (!c)
            return err_set(e, ERR_USAGE, "there is no command \"%s\"; zhist help lists them",
                           call->options.words[0]);
        buf_fmt(&b, "usage: zhist [--db FILE] %s %s%s\n\n%s\n", c->name, c->args,
                c->n_rows ? " [options]" : "", c->about);
        if (c->more)
            buf_fmt(&b, "\n%s", c->more);
        if (c->n_rows)
            buf_str(&b, "\n");
        options_help(&b, c->rows, c->n_rows);
    }
    int status = print_out(&b, e);
    buf_release(&b);
    return status;
}

const struct command command_help = {.name = "help", .args = "[COMMAND]",
    .about = "this list, or what a command takes", .min_words = 0, .max_words = 1, .run = help};
