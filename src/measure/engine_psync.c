/*
 * engine_psync.c: the engine of pread and pwrite: one operation in flight a job.
 * Short transfers are completed, interrupted ones repeated; a transfer that makes no progress is a
 * failure, never a zero. With flush: each the write is durable before its latency ends.
 */
#include "engine.h"
#include "loop.h"

#include <errno.h>
#include <unistd.h>

static int psync_failed(struct engine_job *job, const char *what, int errnum, const char *why) {
    job->what = what;
    job->errnum = errnum;
    job->why = why;
    return -1;
}

/* What is left of an operation whose first call returned done (-1: errno). */
static __attribute__((noinline)) int psync_finish(struct engine_job *job, bool write, char *bytes,
                                                  int64_t len, int64_t offset, ssize_t done) {
    const char *what = write ? "write" : "read";
    for (;;) {
        if (done < 0 && errno != EINTR)
            return psync_failed(job, what, errno, NULL);
        if (done == 0)
            return psync_failed(job, what, 0, write ? "nothing was written" : "the file ended");
        if (done > 0) {
            bytes += done;
            len -= done;
            offset += done;
        }
        if (len == 0)
            return 0;
        done = write ? pwrite(job->file, bytes, (size_t)len, (off_t)offset)
                     : pread(job->file, bytes, (size_t)len, (off_t)offset);
    }
}

LOOP_INLINE int psync_read(struct engine_job *job, void *bytes, int64_t len, int64_t offset) {
    ssize_t done = pread(job->file, bytes, (size_t)len, (off_t)offset);
    return done == len ? 0 : psync_finish(job, false, bytes, len, offset, done);
}

LOOP_INLINE int psync_write(struct engine_job *job, void *bytes, int64_t len, int64_t offset) {
    ssize_t done = pwrite(job->file, bytes, (size_t)len, (off_t)offset);
    if (done != len && psync_finish(job, true, bytes, len, offset, done) != 0)
        return -1;
    if (!job->run->flush_each)
        return 0;
    while (fdatasync(job->file) != 0)
        if (errno != EINTR)
            return psync_failed(job, "fdatasync", errno, NULL);
    return 0;
}

static void psync_loop(struct engine_job *job) {
    LOOP_DISPATCH(job, psync_read, psync_write);
}

const struct engine engine_psync = {.id = ENGINE_PSYNC, .files = true, .loop = psync_loop};
