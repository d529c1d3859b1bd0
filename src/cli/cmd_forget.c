/* cmd_forget.c: `forget`: removes the files that `keep: true` left in a directory. */
#include "zhist/command.h"
#include "zhist/target.h"

static int forget(const struct command_call *call, struct err *e) {
    struct target t;
    struct buf said = {0};
    if (target_open(call->arena, NULL, call->options.words[0], &t, e))
        return -1;
    int status = target_forget(call->arena, &t, &said, e);
    if (!status && !said.len)
        buf_fmt(&said, "nothing is kept in \"%s\"\n", t.path);
    if (said.len && print_out(&said, e))
        status = -1;
    buf_release(&said);
    target_close(&t);
    return status;
}

const struct command command_forget = {.name = "forget", .args = "PATH",
    .about = "remove what `keep: true` left in a directory", .min_words = 1, .max_words = 1,
    .more = "A workload with `keep: true` leaves its files in the target, in a directory\n"
            ".zhist-keep-..., for the next run to read them cold. A later run writes new ones.",
    .run = forget};
