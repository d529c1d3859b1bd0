/*
 * unit_target.c: nothing outside the box, and nothing zhist did not make, is ever touched:
 * canaries behind links, hard links, strangers; locks of living and killed owners. Everything runs
 * as the user we are, and as nobody too where that is root.
 */
#include "check.h"

#include "zhist/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UUID "01234567-89ab-4def-8123-456789abcdef"
#define OTHER "11111111-2222-4333-8444-555555555555"
#define BOX ".zhist-" UUID
#define OURS "w0123abcd-j0"

enum { PATH = 700, NOBODY = 65534 };

static char dir[256], place[PATH], outside[PATH];
static struct arena memory;
static struct err e;

/* ---- helpers --------------------------------------------------------------------------------- */

static const char *in(const char *base, const char *name) {
    return arena_fmt(&memory, "%s/%s", base, name);
}

static void put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        printf("# cannot write %s\n", path);
    close(fd);
}

static int holds(const char *path, const char *text) {
    char got[64] = "";
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, got, sizeof got - 1);
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)strlen(text) && !strcmp(got, text);
}

static int there(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0;
}

static int says(const char *text, const char *part) {
    if (text && strstr(text, part))
        return 1;
    printf("#   said: %s\n", text ? text : "(nothing)");
    return 0;
}

static struct target opened(void) {
    struct target t;
    if (target_open(&memory, NULL, place, &t, &e) != 0)
        printf("# %s\n", e.text);
    return t;
}

static char *tidy(void) {
    struct target t = opened();
    struct buf said = {0};
    if (target_tidy(&memory, &t, &said, &e) != 0)
        printf("# %s\n", e.text);
    char *text = arena_str(&memory, said.data ? said.data : "");
    buf_release(&said);
    target_close(&t);
    return text;
}

/* A box as a crash leaves it. */
static const char *abandoned(const char *uuid, const char *mark) {
    const char *box = arena_fmt(&memory, "%s/.zhist-%s", place, uuid);
    mkdir(box, 0700);
    if (mark)
        put(in(box, ".zhist-mark"), mark);
    return box;
}

/* ---- open ------------------------------------------------------------------------------------ */

static void test_open(void) {
    struct target t;
    CHECK("a missing directory is refused",
          target_open(&memory, NULL, in(dir, "no"), &t, &e) == -1);
    CHECK("its sentence says what to do", says(e.text, "does not exist; create it"));
    CHECK("nothing was created", !there(in(dir, "no")) && t.dir == -1);
    put(in(dir, "file"), "x");
    CHECK("a file is refused", target_open(&memory, NULL, in(dir, "file"), &t, &e) == -1 &&
                                   says(e.text, "is not a directory"));
    CHECK("it is laid for the test", !symlink(place, in(dir, "link")));
    CHECK("a link is resolved", target_open(&memory, "name", in(dir, "link"), &t, &e) == 0);
    CHECK_TEXT("to the real path", t.path, place);
    CHECK_TEXT("the name is the one given", t.name, "name");
    CHECK("free space is known", t.free_bytes > 0 && t.device != 0);
    target_close(&t);
    t = opened();
    CHECK_TEXT("without a name the path is the name", t.name, place);
    target_close(&t);
    unlink(in(dir, "file"));
    unlink(in(dir, "link"));
    mkdir(in(dir, "locked"), 0500);
    if (geteuid() == 0)
        SKIP("a directory without write permission is refused", "root may write everywhere");
    else
        CHECK("a directory without write permission is refused",
              target_open(&memory, NULL, in(dir, "locked"), &t, &e) == -1 &&
                  says(e.text, "cannot be written by this user"));
    rmdir(in(dir, "locked"));
}

static void test_room(void) {
    struct target t = {.name = "t", .free_bytes = 1000 << 20, .free_inodes = 100};
    CHECK("room is room", !target_room(&memory, &t, 500 << 20, 50));
    CHECK("too few bytes are told", says(target_room(&memory, &t, 501 << 20, 1), "too little"));
    CHECK("too few files are told", says(target_room(&memory, &t, 1, 51), "100 more files"));
    t.free_inodes = UNKNOWN;
    CHECK("uncounted files are no obstacle", !target_room(&memory, &t, 1, INT64_MAX));
}

/* ---- enter and leave ------------------------------------------------------------------------- */

static void test_enter(void) {
    struct target t = opened(), twin = opened();
    struct stat st;
    CHECK("it is entered", target_enter(&memory, &t, UUID, &e) == 0);
    CHECK("the box is ours alone",
          stat(in(place, BOX), &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 0777) == 0700);
    CHECK("it is marked", there(in(place, BOX "/.zhist-mark")));
    CHECK("nobody else may come in", target_enter(&memory, &twin, OTHER, &e) == -1);
    CHECK("the sentence says that it is us", says(e.text, "is in this run twice"));
    CHECK("the one refused made nothing", !there(in(place, ".zhist-" OTHER)) && twin.box == -1);
    CHECK_TEXT("tidying leaves the living alone", tidy(), "");
    CHECK("and its own", target_tidy(&memory, &t, &(struct buf){0}, &e) == 0 &&
                             there(in(place, BOX "/.zhist-mark")));
    put(in(place, BOX "/" OURS), "data");
    CHECK("it is left", target_leave(&t, &e) == 0 && !there(in(place, BOX)));
    CHECK("twice is once", target_leave(&t, &e) == 0);
    CHECK("then the next may come in", target_enter(&memory, &twin, OTHER, &e) == 0);
    CHECK("and leave", target_leave(&twin, &e) == 0);
    CHECK("no other name than a UUID is taken", target_enter(&memory, &t, "../x", &e) == -1);
    target_close(&t);
    target_close(&twin);
}

static void test_enter_refused(void) {
    struct target t = opened();
    mkdir(in(place, BOX), 0700);
    CHECK("a box that exists is not entered",
          target_enter(&memory, &t, UUID, &e) == -1 && e.code == EEXIST && there(in(place, BOX)));
    rmdir(in(place, BOX));
    CHECK("it is laid for the test", !symlink(outside, in(place, BOX)));
    CHECK("nor a link in its place", target_enter(&memory, &t, UUID, &e) == -1);
    unlink(in(place, BOX));
    target_close(&t);

    t = opened();
    rename(place, in(dir, "moved"));
    CHECK("it is laid for the test", !symlink(outside, place));
    CHECK("a link swapped in is noticed", target_enter(&memory, &t, UUID, &e) == -1);
    CHECK("and told", says(e.text, "was replaced by another directory"));
    CHECK("nothing was made on either side",
          !there(in(outside, BOX)) && !there(in(in(dir, "moved"), BOX)));
    unlink(place);
    CHECK("a target that vanished is noticed",
          target_enter(&memory, &t, UUID, &e) == -1 && says(e.text, "is gone"));
    rename(in(dir, "moved"), place);
    target_close(&t);
}

/* Everything in a box that zhist does not make, most of it disguised. */
static void test_canaries(void) {
    struct target t = opened();
    const char *box = in(place, BOX);
    CHECK("it is entered for the canaries", target_enter(&memory, &t, UUID, &e) == 0);
    put(in(outside, "canary"), "alive");
    put(in(outside, "linked"), "alive");
    CHECK("it is laid for the test", !symlink(in(outside, "canary"), in(box, "w00000000-j1")));
    CHECK("it is laid for the test", !symlink(outside, in(box, "w00000000-j2")));
    CHECK("it is laid for the test", !link(in(outside, "linked"), in(box, "w00000000-j3")));
    mkfifo(in(box, "w00000000-j4"), 0600);
    mkdir(in(box, "w00000000-j5"), 0700);
    put(in(box, "notes.txt"), "mine");
    put(in(box, OURS), "data");
    CHECK("leaving with strangers inside says so",
          target_leave(&t, &e) == -1 && says(e.text, "which zhist did not make"));
    CHECK("our file went", !there(in(box, OURS)));
    CHECK("what links lead to is alive", holds(in(outside, "canary"), "alive"));
    CHECK("the second name of a file stays",
          there(in(box, "w00000000-j3")) && holds(in(outside, "linked"), "alive"));
    CHECK("strangers stay", holds(in(box, "notes.txt"), "mine") && there(in(box, "w00000000-j1")) &&
                                there(in(box, "w00000000-j4")) && there(in(box, "w00000000-j5")));
    CHECK("tidying says the same", says(tidy(), "which zhist did not make"));
    CHECK("and keeps them", holds(in(box, "notes.txt"), "mine"));
    for (int i = 1; i <= 4; i++)
        unlink(arena_fmt(&memory, "%s/w00000000-j%d", box, i));
    rmdir(in(box, "w00000000-j5"));
    unlink(in(box, "notes.txt"));
    CHECK("once they are gone, so is the box",
          says(tidy(), "left by a run that crashed") && !there(box));
    CHECK("outside all is alive", holds(in(outside, "canary"), "alive"));
    unlink(in(outside, "canary"));
    unlink(in(outside, "linked"));
    target_close(&t);
}

/* ---- tidy ------------------------------------------------------------------------------------ */

static void test_tidy(void) {
    const char *box = abandoned(UUID, "zhist " UUID " pid 1\n");
    put(in(box, OURS), "data");
    CHECK("what a crash left is removed", says(tidy(), "removed") && !there(box));
    box = abandoned(UUID, "");
    CHECK("also when it crashed early", says(tidy(), "removed") && !there(box));
    box = abandoned(UUID, NULL);
    CHECK("also before the mark", says(tidy(), "removed") && !there(box));

    box = abandoned(UUID, "zhist " OTHER " pid 1\n");
    put(in(box, OURS), "data");
    CHECK("another mark is not ours",
          says(tidy(), "its mark is not one that zhist makes") && holds(in(box, OURS), "data"));
    unlink(in(box, ".zhist-mark"));
    CHECK("it is laid for the test", !symlink(in(outside, "mark"), in(box, ".zhist-mark")));
    put(in(outside, "mark"), "zhist " UUID " pid 1\n");
    CHECK("a link for a mark is not ours", says(tidy(), "left") && holds(in(box, OURS), "data"));
    unlink(in(box, ".zhist-mark"));
    mkfifo(in(box, ".zhist-mark"), 0600);
    CHECK("a pipe for a mark does not hang", says(tidy(), "left") && there(in(box, OURS)));
    unlink(in(box, ".zhist-mark"));
    unlink(in(box, OURS));
    put(in(box, "stranger"), "mine");
    CHECK("without a mark strangers stay",
          says(tidy(), "no mark") && holds(in(box, "stranger"), "mine"));
    unlink(in(box, "stranger"));
    put(in(box, OURS), "precious");
    CHECK("without a mark a name like ours is not ours",
          says(tidy(), "no mark") && holds(in(box, OURS), "precious"));
    put(in(box, ".zhist-mark"), "");
    CHECK("nor with an empty mark", says(tidy(), "no mark") && holds(in(box, OURS), "precious"));
    unlink(in(box, OURS));
    unlink(in(box, ".zhist-mark"));
    rmdir(box);

    rename(in(outside, "mark"), in(outside, ".zhist-mark"));
    put(in(outside, OURS), "data");
    CHECK("it is laid for the test", !symlink(outside, box));
    CHECK("a link for a box is left alone",
          says(tidy(), "it is not a directory") && holds(in(outside, OURS), "data"));
    unlink(box);
    unlink(in(outside, ".zhist-mark"));
    unlink(in(outside, OURS));
    put(in(place, ".zhist-notes"), "mine");
    mkdir(in(place, ".zhist-0"), 0700);
    CHECK_TEXT("other names are not looked at", tidy(), "");
    unlink(in(place, ".zhist-notes"));
    rmdir(in(place, ".zhist-0"));
}

/* A fileset as a crash leaves it: its directories, directories in them, files; and what is not ours. */
static void test_tidy_sets(void) {
    const char *box = abandoned(UUID, "zhist " UUID " pid 1\n");
    const char *set = in(box, "w0123abcd-d0"), *deep = in(set, "d1/d2");
    mkdir(set, 0700), mkdir(in(set, "d1"), 0700), mkdir(deep, 0700);
    mkdir(in(box, "w0123abcd-d17"), 0700);
    put(in(set, "f0"), "data"), put(in(set, "g1"), "data"), put(in(deep, "f12345678901"), "data");
    put(in(box, OURS), "data");
    CHECK("directories of a set go, with what is in them", says(tidy(), "removed") && !there(box));

    static const char *const strangers[] = {"stranger", "f", "f1x", "g-1", "w0123abcd-j0", "d1", "h1"};
    for (size_t i = 0; i < LENGTH(strangers); i++) {
        box = abandoned(UUID, "zhist " UUID " pid 1\n");
        set = in(box, "w0123abcd-d0");
        mkdir(set, 0700);
        put(in(set, "f0"), "data"), put(in(set, strangers[i]), "precious");
        CHECK(strangers[i], says(tidy(), strangers[i]) && holds(in(set, strangers[i]), "precious"));
        CHECK("  the rest of the set is gone, the mark stays",
              !there(in(set, "f0")) && there(in(box, ".zhist-mark")));
        unlink(in(set, strangers[i]));
        CHECK("  then it goes", says(tidy(), "removed") && !there(box));
    }

    box = abandoned(UUID, "zhist " UUID " pid 1\n");
    set = in(box, "w0123abcd-d0");
    mkdir(set, 0700);
    put(in(outside, "f1"), "precious");
    CHECK("it is laid for the test", !symlink(outside, in(box, "w0123abcd-d1")) &&
                                         !symlink(outside, in(set, "d1")) &&
                                         !symlink(in(outside, "f1"), in(set, "f2")) &&
                                         !link(in(outside, "f1"), in(set, "f3")));
    CHECK("links called like ours stay, and what they lead to",
          says(tidy(), "which zhist did not make") && holds(in(outside, "f1"), "precious") &&
              there(in(box, "w0123abcd-d1")) && there(in(set, "d1")) && there(in(set, "f2")));
    CHECK("so does a second name of another file", holds(in(set, "f3"), "precious"));
    unlink(in(box, "w0123abcd-d1")), unlink(in(set, "d1")), unlink(in(set, "f2"));
    unlink(in(set, "f3"));
    mkdir(in(set, "f4"), 0700), mkfifo(in(set, "f5"), 0600);
    CHECK("a directory called like a file stays, a pipe too",
          says(tidy(), "did not make") && there(in(set, "f4")) && there(in(set, "f5")));
    rmdir(in(set, "f4")), unlink(in(set, "f5"));
    mkdir(in(box, "w0123abcd-d"), 0700), mkdir(in(box, "w0123abcx-d1"), 0700);
    CHECK("other directories stay", says(tidy(), "and more") && there(in(box, "w0123abcd-d")));
    rmdir(in(box, "w0123abcd-d")), rmdir(in(box, "w0123abcx-d1"));
    if (geteuid() == 0 && mkdir(set, 0700) == 0 && mount("tmpfs", set, "tmpfs", 0, "size=64k") == 0) {
        put(in(set, "f1"), "precious");
        CHECK("another file system mounted there is not emptied",
              says(tidy(), "did not make") && holds(in(set, "f1"), "precious"));
        umount(set);
    } else {
        SKIP("another file system mounted there", "no tmpfs can be mounted here");
    }
    CHECK("then it goes", says(tidy(), "removed") && !there(box));
    unlink(in(outside, "f1"));
}

/* A child enters, says so through a pipe, and waits to be killed. */
static pid_t start_owner(void) {
    int ready[2];
    char byte = 0;
    if (pipe(ready) != 0)
        return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct target t = opened();
        if (target_enter(&memory, &t, UUID, &e) == 0) {
            put(in(place, BOX "/" OURS), "data");
            byte = 1;
        }
        if (write(ready[1], &byte, 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1 || byte != 1)
        printf("# the child did not come in\n");
    close(ready[0]);
    return child;
}

static void test_owner(void) {
    struct target t = opened();
    pid_t owner = start_owner();
    CHECK("another process holds it", owner > 0 && target_enter(&memory, &t, OTHER, &e) == -1);
    CHECK("the sentence has its pid",
          e.kind == ERR_REFUSED && says(e.text, arena_fmt(&memory, "(pid %ld)", (long)owner)));
    CHECK_TEXT("a living owner is left alone", tidy(), "");
    CHECK("with its file", there(in(place, BOX "/" OURS)));
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    CHECK("after kill -9 it can be entered", target_enter(&memory, &t, OTHER, &e) == 0);
    struct buf said = {0};
    CHECK("and tidied from inside", target_tidy(&memory, &t, &said, &e) == 0 &&
                                        says(said.data, BOX "\", left by a run that crashed"));
    CHECK("which spares our own box", !there(in(place, BOX)) && there(in(place, ".zhist-" OTHER)));
    CHECK("and we leave nothing", target_leave(&t, &e) == 0 && rmdir(place) == 0);
    mkdir(place, 0700);
    buf_release(&said);
    target_close(&t);
}

/* ---- all of it, twice ------------------------------------------------------------------------ */

static int run_all(void) {
    const char *tmp = getenv("TMPDIR");
    char *real;
    snprintf(dir, sizeof dir, "%s/zhist-target-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return 1;
    snprintf(place, sizeof place, "%s/place", dir);
    snprintf(outside, sizeof outside, "%s/outside", dir);
    mkdir(place, 0700);
    mkdir(outside, 0700);
    real = getcwd(NULL, 0);
    if (chdir(place) == 0) { /* $TMPDIR may be a link: compare with what it leads to */
        char *path = getcwd(NULL, 0);
        snprintf(place, sizeof place, "%s", path ? path : "");
        free(path);
    }
    if (!real || chdir(real) != 0)
        printf("# cannot go back\n");
    free(real);
    test_open();
    test_room();
    test_enter();
    test_enter_refused();
    test_canaries();
    test_tidy();
    test_tidy_sets();
    test_owner();
    CHECK("nothing is left", rmdir(place) == 0 && rmdir(outside) == 0 && rmdir(dir) == 0);
    arena_release(&memory);
    return check_failed;
}

/* The same as another user, in a child; its lines become comments. */
static void run_as_nobody(void) {
    int lines[2], status = 1;
    char c;
    if (geteuid() != 0 || pipe(lines) != 0) {
        SKIP("all of it as nobody", "not root");
        return;
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (dup2(lines[1], 1) < 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(99);
        close(lines[0]);
        close(lines[1]);
        check_failed = check_count = 0;
        status = run_all();
        fflush(stdout);
        _exit(status != 0);
    }
    close(lines[1]);
    FILE *from = fdopen(lines[0], "r");
    int start = 1;
    while (from && (c = (char)fgetc(from), !feof(from))) {
        if (start)
            fputs("# nobody: ", stdout);
        putchar(c);
        start = c == '\n';
    }
    if (from)
        fclose(from);
    waitpid(child, &status, 0);
    CHECK("all of it as nobody", status == 0);
}

int main(void) {
    run_all();
    run_as_nobody();
    return check_done();
}
