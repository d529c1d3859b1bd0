/*
 * fuzz_profile.c: any bytes are a profile or a list of mistakes, in time, without a leak.
 *
 *     clang -fsanitize=fuzzer,address,undefined -DFUZZER ...    fuzz_profile CORPUS
 *     cc ...      fuzz_profile FILE...                          reads them, then 20000 mutants
 */
#include "zhist/profile.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool sound, const char *what) {
    if (!sound) {
        fprintf(stderr, "fuzz_profile: %s\n", what);
        abort();
    }
}

/* What holds for every profile that was accepted. */
static void check_profile(struct arena *a, struct profile *p) {
    struct err e;
    check(p->name && p->n_workloads > 0, "a profile without name or workloads");
    check(p->run.iterations_min >= 1 && p->run.iterations_min <= p->run.iterations_max,
          "iterations out of range");
    for (int quick = 0; quick < 2; quick++) {
        for (size_t i = 0; i < p->n_workloads; i++) {
            struct workload *w = &p->workloads[i];
            check(w->name && w->n_phases > 0 && w->n_phases <= PHASES, "a workload without phases");
            check(w->spec && *w->spec && strlen(w->digest) == DIGEST_TEXT - 1, "no identity");
            if (w->kind == KIND_FILE && w->size.of == SIZE_BYTES)
                check(w->block >= 512 && w->size.bytes >= w->block && w->size.bytes % w->block == 0,
                      "a size that is no multiple of its block");
            check(w->total >= 0 && w->files >= 0 && w->jobs >= 0, "a negative number");
            char digest[DIGEST_TEXT];
            memcpy(digest, w->digest, sizeof digest);
            workload_identify(a, w);
            check(!strcmp(digest, w->digest), "a digest that is not stable");
            if (profile_refuse_unbuilt("f", w, &e))
                check(e.kind == ERR_USAGE && *e.text, "refused without a reason");
            for (size_t j = 0; j < w->n_phases; j++)
                check(workload_headline(w, w->phase[j]) < METRICS, "no headline");
        }
        profile_make_quick(a, p, false);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena a = {0};
    struct profile p;
    struct err e = {0};
    if (profile_parse(&a, "f", NULL, (const char *)data, size, &p, &e))
        check(e.kind == ERR_USAGE && !strncmp(e.text, "f:", 2), "an error without a place");
    else
        check_profile(&a, &p);
    arena_release(&a);
    return 0;
}

#ifndef FUZZER

enum { MUTANTS = 20000 };

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A few edits of a good profile come further than random bytes. */
static void mutate(uint64_t *state, const struct buf *from, const struct buf *other,
                   struct buf *to) {
    static const char *const pieces[] = {
        "\n", "  ", "- ",   ": ",       "[",    "]",
        "{",  "}",  "\"",   "'",        "0",    "99999999999999999999",
        "-1", "%",  "&a ",  "*a",       "!t ",  "|",
        "#",  "\t", "xARC", "\303\266", "\377", ""};
    to->len = 0;
    buf_put(to, from->data, from->len);
    for (uint64_t edits = 1 + next_random(state) % 6; edits > 0 && to->len > 0; edits--) {
        size_t at = next_random(state) % to->len, cut = next_random(state) % 12;
        struct buf b = {0};
        if (cut > to->len - at)
            cut = to->len - at;
        buf_put(&b, to->data, at);
        if (next_random(state) % 4 == 0 && other->len > 0) {
            size_t start = next_random(state) % other->len, len = next_random(state) % 60;
            buf_put(&b, other->data + start, len > other->len - start ? other->len - start : len);
        } else {
            buf_str(&b, pieces[next_random(state) % LENGTH(pieces)]);
        }
        buf_put(&b, to->data + at + cut, to->len - at - cut);
        buf_release(to);
        *to = b;
    }
}

int main(int argc, char **argv) {
    struct arena a = {0};
    struct err e;
    struct buf *corpus = arena_new(&a, struct buf, (size_t)argc), mutant = {0};
    size_t n = 0;
    uint64_t state = 88172645463325252u;
    for (int i = 1; i < argc; i++) {
        if (file_read(&a, argv[i], 1 << 22, &corpus[n].data, &corpus[n].len, &e)) {
            fprintf(stderr, "fuzz_profile: %s\n", e.text);
            return 1;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)corpus[n].data, corpus[n].len);
        n++;
    }
    alarm(300); /* a mutant that hangs is a finding, too */
    for (int i = 0; n > 0 && i < MUTANTS; i++) {
        const struct buf *from = &corpus[next_random(&state) % n];
        mutate(&state, from, &corpus[next_random(&state) % n], &mutant);
        LLVMFuzzerTestOneInput((const uint8_t *)mutant.data, mutant.len);
    }
    buf_release(&mutant);
    arena_release(&a);
    printf("%zu files, %d mutants: sound\n", n, n > 0 ? MUTANTS : 0);
    return 0;
}

#endif
