/*
 * file_keep.c: `keep: true` of the kind `file`: the first read of a run takes the files an earlier
 * run left, and those of this run replace them. Nothing of it can fail an iteration: where it
 * cannot be had the run's own files are read, and the rung is told with its reason.
 */
#include "file_layout.h"

#include "cold.h"
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The digest decides the name: another workload, and other sizes of a file, keep their own. */
static void name_of(const struct file_work *f, char name[BOX_NAME]) {
    char key[13];
    snprintf(key, sizeof key, "%.12s", f->work.spec->digest);
    if (strlen(key) < sizeof key - 1)
        snprintf(key, sizeof key, "%s0000", f->tag);
    keep_name(key, name);
}

/* Of what is called like our file: nothing else is read or replaced. */
static bool is_ours_alone(int dir, const char *name) {
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    return S_ISREG(st.st_mode) && st.st_nlink == 1;
}

static bool all_whole(const struct file_work *f, int dir) {
    bool whole = true;
    for (int i = 0; i < f->n_jobs; i++) {
        char name[FILE_NAME_LEN];
        file_name(f, i, name);
        whole &= file_is_whole(f, dir, i) && is_ours_alone(dir, name);
    }
    return whole;
}

/* What is known of this target's kept files; looked at when it is first asked for. */
static struct kept *find(struct file_work *f, const struct target *t) {
    char name[BOX_NAME];
    struct box box;
    for (size_t i = 0; i < f->n_kept; i++)
        if (!strcmp(f->kept[i].target, t->path))
            return &f->kept[i];
    struct kept *kept = array_add(f->arena, f->kept, f->n_kept, f->cap_kept);
    name_of(f, name);
    keep_open(t, name, false, &box);
    *kept = (struct kept){.target = t->path, .state = KEPT_NONE, .why = box.why};
    if (box.dir >= 0 && all_whole(f, box.dir))
        kept->state = KEPT_READY;
    else if (box.why)
        kept->state = KEPT_DONE;
    box_release(&box);
    return kept;
}

void file_use_kept(struct file_work *f, const struct target *t, const struct iteration *it) {
    if (!f->work.spec->keep)
        return;
    struct kept *kept = find(f, t);
    if (kept->why && f->work.spec->cold != COLD_NO)
        cold_note(&f->work, "keep", kept->why);
    if (kept->state != KEPT_READY || it->warmup)
        return;
    char name[BOX_NAME];
    name_of(f, name);
    keep_open(t, name, false, &f->kept_box);
    if (f->kept_box.dir < 0 || !all_whole(f, f->kept_box.dir)) { /* touched since */
        box_release(&f->kept_box);
        kept->state = KEPT_NONE;
        return;
    }
    kept->state = KEPT_READ;
    f->dir = f->kept_box.dir;
    memcpy(f->box, name, sizeof name);
    if (f->work.spec->cold != COLD_NO)
        cold_note(&f->work, "keep", NULL);
}

static bool has_reads(const struct workload *w) {
    bool reads = false;
    for (size_t i = 0; i < w->n_phases; i++)
        reads |= phases[w->phase[i]].reads;
    return reads;
}

/* A file at a time: whole ones lie there at every moment. */
static const char *move_all(struct file_work *f, struct target *t, int dir) {
    for (int i = 0; i < f->n_jobs; i++) {
        char name[FILE_NAME_LEN];
        file_name(f, i, name);
        if (!is_ours_alone(dir, name))
            return "what lies there is not ours alone";
        if (renameat(t->box, name, dir, name) != 0)
            return "the new file cannot be moved there";
    }
    fsync(dir);
    return NULL;
}

void file_renew_kept(struct file_work *f, struct target *t) {
    const struct workload *w = f->work.spec;
    bool stopped = f->stop && __atomic_load_n(f->stop, __ATOMIC_RELAXED);
    if (!w->keep || !has_reads(w) || !f->stop || stopped || f->why.text[0] != '\0')
        return; /* a failed phase: perhaps for want of room */
    struct kept *kept = find(f, t);
    if (kept->state != KEPT_NONE && kept->state != KEPT_READ)
        return;
    char name[BOX_NAME];
    struct box box;
    enum made made = file_lay_out(f, t, f->stop);
    if (made == MADE_STOPPED)
        return;
    name_of(f, name);
    keep_open(t, name, true, &box);
    kept->why = box.dir < 0    ? box.why
                : made == MADE ? move_all(f, t, box.dir)
                               : "no new file could be written";
    kept->state = KEPT_DONE;
    box_release(&box);
}
