/*
 * progress.c: one line on a terminal: what is measured, how fast, how long it will take. A thread
 * of its own redraws it twice a second, so that the measuring threads never print. Without a
 * terminal nothing is started and nothing is printed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "recorder.h"
#include "zhist/unit.h"

struct progress {
    bool enabled, stop;
    bool running;               /* a phase is being measured */
    char what[300];
    double done;
    int64_t began, phase_began; /* monotonic */
    struct work_progress counter;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

static int columns(void) {
    struct winsize size;
    return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 20 ? size.ws_col : 80;
}

static void draw(struct progress *p) {
    struct buf line = {0};
    int64_t now = clock_monotonic_ns();
    double seconds = (double)(now - p->phase_began) / 1e9;
    double bytes = (double)atomic_load(&p->counter.bytes);
    buf_str(&line, p->what);
    if (bytes > 0 && seconds > 0.2) {
        buf_str(&line, "  ");
        unit_put(&line, bytes / seconds, "B/s", UNITS_SI);
    }
    double elapsed = (double)(now - p->began);
    if (p->done > 0.02 && elapsed > 2e9) {
        buf_str(&line, "  about ");
        unit_put_duration(&line, (int64_t)(elapsed * (1 - p->done) / p->done));
        buf_str(&line, " left");
    }
    /* Cut to the width: a wrapped line could not be redrawn. */
    size_t end = line.len;
    while (text_width(line.data) >= columns() && end) {
        while (--end && ((unsigned char)line.data[end] & 0xc0) == 0x80)
            ;
        line.data[end] = '\0';
    }
    fprintf(stderr, "\r\033[K%s", line.data);
    fflush(stderr);
    buf_release(&line);
}

static void *draw_on(void *arg) {
    struct progress *p = arg;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 500000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&p->wake, &p->lock, &until);
        if (p->running && !p->stop)
            draw(p);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct progress *progress_open(struct arena *a, bool enabled) {
    struct progress *p = arena_new(a, struct progress, 1);
    const char *terminal = getenv("TERM");
    if (!enabled || (terminal && !strcmp(terminal, "dumb")))
        return p;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    p->enabled = !pthread_create(&p->thread, NULL, draw_on, p);
    return p;
}

void progress_begin(struct progress *p, const char *what, double done, int64_t began) {
    atomic_store(&p->counter.bytes, 0);
    atomic_store(&p->counter.ops, 0);
    if (!p->enabled)
        return;
    struct buf clean = {0}; /* a target's name may hold what a terminal would obey */
    buf_clean(&clean, what);
    pthread_mutex_lock(&p->lock);
    snprintf(p->what, sizeof p->what, "%s", clean.len ? clean.data : "");
    p->done = done;
    p->began = began;
    p->phase_began = clock_monotonic_ns();
    p->running = true;
    draw(p);
    pthread_mutex_unlock(&p->lock);
    buf_release(&clean);
}

struct work_progress *progress_counter(struct progress *p) {
    return &p->counter;
}

void progress_end(struct progress *p) {
    if (!p->enabled)
        return;
    pthread_mutex_lock(&p->lock);
    p->running = false;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    pthread_mutex_unlock(&p->lock);
}

void progress_close(struct progress *p) {
    if (!p->enabled)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    p->enabled = false;
}
