/*
 * profile.h: what people write, checked: a profile's text -> struct profile (model.h).
 *
 * Every key, unit and range of the profile grammar is checked; an unknown key is an error with the
 * nearest known one. Up to ten mistakes are gathered, each a line "file:line:column: sentence" in
 * e->text (kind ERR_USAGE). Kinds, phases and engines that a later version will execute are
 * well-formed here: profile_refuse_unbuilt names them when somebody wants to run them.
 */
#ifndef ZHIST_PROFILE_H
#define ZHIST_PROFILE_H

#include "zhist/model.h"

/*
 * The files a profile points to (a fio job) are read relative to dir; NULL: the profile is
 * built in and may name none.
 */
int profile_parse(struct arena *a, const char *name, const char *dir, const char *text, size_t len,
                  struct profile *p, struct err *e);

/*
 * Caps every workload as --quick says (sizes 64 MiB, files 200, time 2 s) and the iterations (3,
 * unless keep_iterations); spec and digest become those of the quick workload.
 */
void profile_make_quick(struct arena *a, struct profile *p, bool keep_iterations);

/* ERR_USAGE with file:line and "... is not built yet" when the workload cannot be executed by
 * this version. */
int profile_refuse_unbuilt(const char *name, const struct workload *w, struct err *e);

/* The canonical text and its digest, from the fields (profile_parse does it itself). */
void workload_identify(struct arena *a, struct workload *w);

/* Both measure one and the same thing in a phase: a run has one cell for it. What is not part of a
 * series (name, cold, keep, steady) does not tell them apart. */
bool workload_alike(const struct workload *a, const struct workload *b, enum phase *phase);

/* The metric that answers for a phase of this workload (reports show it unless told otherwise). */
enum metric workload_headline(const struct workload *w, enum phase phase);

/* Every key of the grammar, for manual, completion and JSON schema: one list. */
struct profile_key {
    const char *path;   /* "run.iterations", "workloads[].size" */
    const char *form;   /* "size", "duration", "a number or a range", "write | read | ..." */
    const char *about;  /* one sentence */
    const char *preset; /* value where it is left out, or NULL */
    unsigned kinds;     /* keys of a workload: 1 << KIND_... of those that know it; 0: all */
    bool required;      /* in its section, or in a workload of those kinds */
};
extern const struct profile_key profile_keys[];
extern const size_t n_profile_keys;

#endif
