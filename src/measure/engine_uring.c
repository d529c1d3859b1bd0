/*
 * engine_uring.c: the engine of io_uring: up to `depth` requests of a job in flight, through liburing,
 * the only file that knows it. Each job has a ring and buffers of its own, made before the clock.
 *
 * The latency of a request is from its submission to the moment its completion is seen. Data to be
 * written are copied into the buffer of the request: the slices of a pool may overlap while both are
 * in flight. flush: each is RWF_DSYNC: the write completes when it is durable, as pwrite and fdatasync
 * together do in psync. Buffers and the file are registered where the kernel lets us (before 5.12
 * they count against RLIMIT_MEMLOCK); else they are used unregistered.
 */
#include "engine.h"
#include "loop.h"

#include <errno.h>
#include <liburing.h>
#include <sys/uio.h>

struct slot {
    char *buffer;
    int64_t where, len, done, submitted;
    bool write;
};

struct uring {
    struct io_uring ring;
    struct slot *slots;
    char *buffers;
    unsigned depth;
    bool fixed_buffers, fixed_file;
    unsigned *free; /* slots that are not in flight */
    unsigned n_free;
};

/* What happens to the job while its requests go on. */
struct flow {
    struct engine_job *job;
    int64_t now, left, offset;
    int64_t told_bytes, told_ops, deadline, mark;
    struct loop_order order;
    uint64_t random;
    bool ended;
};

/* ---- made before the clock --------------------------------------------------------------------- */

void engine_uring_close(struct engine_job *job) {
    struct uring *u = job->uring;
    if (!u)
        return;
    io_uring_queue_exit(&u->ring);
    free(u->slots);
    free(u->free);
    free(u->buffers);
    free(u);
    job->uring = NULL;
}

static bool make_slots(struct uring *u, size_t block) {
    size_t stride = (block + FILL_ALIGN - 1) / FILL_ALIGN * FILL_ALIGN;
    struct iovec *all = calloc(u->depth, sizeof *all);
    void *buffers = NULL;
    u->slots = calloc(u->depth, sizeof *u->slots);
    u->free = calloc(u->depth, sizeof *u->free);
    if (!all || !u->slots || !u->free || posix_memalign(&buffers, FILL_ALIGN, u->depth * stride) != 0) {
        free(all);
        return false;
    }
    u->buffers = buffers;
    memset(buffers, 0, u->depth * stride);
    for (unsigned i = 0; i < u->depth; i++) {
        u->slots[i].buffer = u->buffers + i * stride;
        all[i] = (struct iovec){u->slots[i].buffer, block};
    }
    u->fixed_buffers = io_uring_register_buffers(&u->ring, all, u->depth) == 0;
    free(all);
    return true;
}

int engine_uring_open(struct engine_job *job, int depth, int64_t block) {
    struct uring *u = calloc(1, sizeof *u);
    if (!u)
        return ENOMEM;
    u->depth = (unsigned)depth;
    int error = -io_uring_queue_init(u->depth, &u->ring, 0);
    if (error) {
        free(u);
        return error;
    }
    job->uring = u;
    if (make_slots(u, (size_t)block))
        return 0;
    engine_uring_close(job);
    return ENOMEM;
}

/* ---- requests ---------------------------------------------------------------------------------- */

/* What is left of a request; short transfers come here again. */
static void queue(struct uring *u, const struct engine_job *job, unsigned index) {
    struct slot *s = &u->slots[index];
    struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring); /* as many as there are slots */
    int file = u->fixed_file ? 0 : job->file;
    char *at = s->buffer + s->done;
    unsigned len = (unsigned)(s->len - s->done);
    uint64_t offset = (uint64_t)(s->where + s->done);
    if (s->write && u->fixed_buffers)
        io_uring_prep_write_fixed(sqe, file, at, len, offset, (int)index);
    else if (s->write)
        io_uring_prep_write(sqe, file, at, len, offset);
    else if (u->fixed_buffers)
        io_uring_prep_read_fixed(sqe, file, at, len, offset, (int)index);
    else
        io_uring_prep_read(sqe, file, at, len, offset);
    if (s->write && job->run->flush_each)
        sqe->rw_flags = RWF_DSYNC;
    if (u->fixed_file)
        sqe->flags |= IOSQE_FIXED_FILE;
    io_uring_sqe_set_data64(sqe, index);
}

static void failed(struct flow *f, const struct slot *s, int errnum, const char *why) {
    struct engine_job *job = f->job;
    f->ended = true;
    atomic_store_explicit(&job->run->broken, true, memory_order_relaxed);
    if (job->what)
        return; /* the first one speaks */
    job->what = s->write ? "write" : "read";
    job->where = s->where + s->done;
    job->errnum = errnum;
    job->why = why;
}

/* Where the next request goes, and what it is. */
static void next(struct flow *f, struct slot *s) {
    const struct engine_run *run = f->job->run;
    s->done = 0;
    s->len = run->block;
    if (run->random) {
        s->where = loop_pick(&f->order, &f->random) * run->block;
    } else {
        s->where = f->offset;
        if (run->size - s->where < s->len)
            s->len = run->size - s->where;
        f->offset = s->where + s->len == run->size ? 0 : s->where + s->len;
    }
    s->write = run->writes && (!run->reads || loop_is_write(&f->random, run->mix_read));
    if (s->write)
        memcpy(s->buffer, fill_take(&f->job->fill, s->where, s->len), (size_t)s->len);
}

static void fill_queue(struct uring *u, struct flow *f) {
    const struct engine_run *run = f->job->run;
    while (u->n_free && !f->ended && f->left > 0) {
        if (LOOP_UNLIKELY(__atomic_load_n(run->stop, __ATOMIC_RELAXED) ||
                          atomic_load_explicit(&run->broken, memory_order_relaxed))) {
            f->job->stopped = true;
            f->ended = true;
            return;
        }
        unsigned index = u->free[--u->n_free];
        next(f, &u->slots[index]);
        if (run->writes)
            f->now = loop_clock(); /* making the data is not the storage's time */
        u->slots[index].submitted = f->now;
        queue(u, f->job, index);
        f->left--;
    }
}

static void complete(struct uring *u, struct flow *f, unsigned index, int result) {
    struct engine_job *job = f->job;
    struct slot *s = &u->slots[index];
    if (result > 0)
        s->done += result;
    if (LOOP_UNLIKELY(result == -EINTR || result == -EAGAIN || (result > 0 && s->done < s->len))) {
        queue(u, job, index);
        return;
    }
    u->free[u->n_free++] = index;
    if (LOOP_UNLIKELY(result <= 0)) {
        failed(f, s, -result, s->write ? "nothing was written" : "the file ended");
        return;
    }
    hist_add(s->write && job->run->reads ? &job->hist_writes : &job->hist, f->now - s->submitted);
    job->bytes += s->len;
    job->ops++;
    if (!s->write) {
        job->read_bytes += s->len;
        job->read_ops++;
    }
}

/* The kernel writes into the buffers for as long as requests are in flight: they must not outlive
 * a ring that takes no more. */
static void drain(struct uring *u) {
    unsigned flying = u->depth - u->n_free - io_uring_sq_ready(&u->ring);
    struct io_uring_cqe *cqe;
    for (int error; flying > 0; flying--) {
        while ((error = io_uring_wait_cqe(&u->ring, &cqe)) == -EINTR)
            continue;
        if (error)
            return;
        io_uring_cqe_seen(&u->ring, cqe);
    }
}

/* Everything that has completed, at one moment. false: nothing more can be had from the ring. */
static bool reap(struct uring *u, struct flow *f) {
    struct io_uring_cqe *cqe;
    unsigned head, n = 0;
    int got = io_uring_submit_and_wait(&u->ring, 1);
    f->now = loop_clock();
    if (LOOP_UNLIKELY(got < 0 && got != -EINTR && got != -EAGAIN && got != -EBUSY)) {
        failed(f, &u->slots[0], -got, NULL);
        drain(u);
        return false;
    }
    io_uring_for_each_cqe(&u->ring, head, cqe) {
        n++;
        complete(u, f, (unsigned)io_uring_cqe_get_data64(cqe), cqe->res);
    }
    io_uring_cq_advance(&u->ring, n);
    return true;
}

static void uring_loop(struct engine_job *job) {
    struct engine_run *run = job->run;
    struct uring *u = job->uring;
    int64_t blocks = run->size / run->block;
    struct flow f = {.job = job, .random = job->random, .order = {.n = (uint64_t)blocks}};
    f.left = run->time     ? run->most_ops
             : run->random ? blocks
                           : blocks + (run->size % run->block != 0);
    u->fixed_file = io_uring_register_files(&u->ring, &job->file, 1) == 0;
    for (u->n_free = 0; u->n_free < u->depth; u->n_free++)
        u->free[u->n_free] = u->depth - 1 - u->n_free;
    if (run->random)
        loop_shuffle(&f.order, &f.random);
    job->started = f.now = loop_clock();
    f.deadline = run->time ? f.now + run->time : INT64_MAX;
    f.mark = f.now + LOOP_MARK_NS;
    do {
        fill_queue(u, &f);
        if (u->n_free < u->depth && !reap(u, &f))
            break;
        if (f.now >= f.mark) {
            loop_tell(run->progress, job->bytes - f.told_bytes, job->ops - f.told_ops);
            f.told_bytes = job->bytes;
            f.told_ops = job->ops;
            f.mark = f.now + LOOP_MARK_NS;
        }
        f.ended |= f.now >= f.deadline;
    } while (u->n_free < u->depth || (!f.ended && f.left > 0));
    loop_tell(run->progress, job->bytes - f.told_bytes, job->ops - f.told_ops);
    job->ended = f.now;
    job->random = f.random;
    if (u->fixed_file)
        io_uring_unregister_files(&u->ring);
}

const struct engine engine_uring = {.id = ENGINE_URING, .files = true, .loop = uring_loop};
