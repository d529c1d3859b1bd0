/*
 * process_linux.c: the boot id (/proc/sys/kernel/random/boot_id), the pid and the start tick
 * (field 22 of /proc/PID/stat, proc(5)) name a process that no later one can be taken for; the
 * pid namespace (pid_namespaces(7)) says who can look it up: a container and its host share the
 * boot id, not the pids.
 */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "zhist/process.h"

/* Field 22, counted behind the ')' that ends the program's name, which may hold anything. 1: the
 * process is dead; -1: it cannot be read. */
static int start_tick(struct arena *a, long pid, char *tick, size_t size) {
    struct err e;
    char path[64], *text;
    size_t len;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (file_read(a, path, 1 << 16, &text, &len, &e))
        return -1;
    const char *at = strrchr(text, ')');
    if (at && (!strncmp(at, ") Z", 3) || !strncmp(at, ") X", 3)))
        return 1; /* dead, and only not yet waited for: under an init that does not, for ever */
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

/* "pid:[4026531836]"; empty: unknown. */
static void pid_namespace(char name[64]) {
    ssize_t len = readlink("/proc/self/ns/pid", name, 63);
    name[len > 0 ? len : 0] = '\0';
}

const char *process_self(struct arena *a) {
    char tick[32], space[64];
    const char *id = boot(a);
    if (!id || start_tick(a, (long)getpid(), tick, sizeof tick))
        return NULL;
    pid_namespace(space);
    return arena_fmt(a, "%s %ld %s%s%s", id, (long)getpid(), tick, *space ? " " : "", space);
}

int process_lives(const char *process) {
    struct arena a = {0};
    int answer = -1;
    const char *id = boot(&a), *pid = strchr(process, ' ');
    const char *tick = pid ? strchr(pid + 1, ' ') : NULL;
    if (id && tick) {
        char now[32], here[64];
        long number = 0;
        const char *space = strchr(tick + 1, ' ');
        size_t digits = strspn(tick + 1, "0123456789");
        for (const char *c = pid + 1; c < tick && *c >= '0' && *c <= '9' && number < 1L << 30; c++)
            number = number * 10 + (*c - '0');
        size_t len = (size_t)(pid - process);
        bool same_boot = strlen(id) == len && !strncmp(process, id, len);
        int found = same_boot ? start_tick(&a, number, now, sizeof now) : 1;
        pid_namespace(here);
        if (same_boot && space && *here && strcmp(space + 1, here))
            ; /* it lives, or not, where we cannot look */
        else if (found == 0)
            answer = strlen(now) == digits && !strncmp(now, tick + 1, digits);
        else if (found > 0 || (kill((pid_t)number, 0) && errno == ESRCH))
            answer = 0;
        /* else it is there, but /proc is hidden from us (mount option hidepid) */
    }
    arena_release(&a);
    return answer;
}
