/*
 * process_linux.c: the boot id (/proc/sys/kernel/random/boot_id), the pid and the start tick
 * (field 22 of /proc/PID/stat, proc(5)) name a process that no later one can be taken for.
 */
#include <unistd.h>

#include "zhist/process.h"

/* Field 22, counted behind the ')' that ends the program's name, which may hold anything. */
static int start_tick(struct arena *a, long pid, char *tick, size_t size) {
    struct err e;
    char path[64], *text;
    size_t len;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (file_read(a, path, 1 << 16, &text, &len, &e))
        return -1;
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return -1;
    snprintf(tick, size, "%.*s", (int)strspn(at + 1, "0123456789"), at + 1);
    return *tick ? 0 : -1;
}

static const char *boot(struct arena *a) {
    struct err e;
    char *text;
    size_t len;
    if (file_read(a, "/proc/sys/kernel/random/boot_id", 256, &text, &len, &e))
        return NULL;
    text[strcspn(text, "\n")] = '\0';
    return text;
}

const char *process_self(struct arena *a) {
    char tick[32];
    const char *id = boot(a);
    if (!id || start_tick(a, (long)getpid(), tick, sizeof tick))
        return NULL;
    return arena_fmt(a, "%s %ld %s", id, (long)getpid(), tick);
}

int process_lives(const char *process) {
    struct arena a = {0};
    int answer = -1;
    const char *id = boot(&a), *pid = strchr(process, ' ');
    const char *tick = pid ? strchr(pid + 1, ' ') : NULL;
    if (id && tick) {
        char now[32];
        long number = 0;
        for (const char *c = pid + 1; c < tick && *c >= '0' && *c <= '9' && number < 1L << 30; c++)
            number = number * 10 + (*c - '0');
        answer = !strncmp(process, id, (size_t)(pid - process)) &&
                 !start_tick(&a, number, now, sizeof now) && !strcmp(now, tick + 1);
    }
    arena_release(&a);
    return answer;
}
