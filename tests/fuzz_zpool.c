/*
 * fuzz_zpool.c: any bytes are pools and properties or a reason why not, in time, without a leak.
 *
 *     make fuzz
 *     cc -fsanitize=address,undefined ...      fuzz_zpool FILE...: reads them and mutants
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../src/zfs/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool sound, const char *what) {
    if (!sound) {
        fprintf(stderr, "fuzz_zpool: %s\n", what);
        abort();
    }
}

static void check_vdev(const struct vdev *v, int depth) {
    check(v->name && v->type && v->class, "a vdev without name, type or class");
    check(v->read_errors >= UNKNOWN && v->write_errors >= UNKNOWN && v->checksum_errors >= UNKNOWN,
          "a negative number of errors");
    check(depth < 20, "a tree beyond all depth");
    for (size_t i = 0; i < v->n_below; i++)
        check_vdev(v->below[i], depth + 1);
}

static void nothing(void *ctx, const struct vdev *leaf, const struct vdev *top) {
    check(vdev_is_leaf(leaf) && top, "a leaf that is none");
    ++*(size_t *)ctx;
}

static void check_pools(struct arena *a, const struct pool_list *list) {
    for (size_t i = 0; i < list->n; i++) {
        const struct pool *p = &list->items[i];
        const struct scan *s = &p->scan;
        size_t leaves = 0;
        check(p->name && s->text, "a pool without a name or a scan");
        check((s->kind == SCAN_NOT_UNDERSTOOD) == (s->state == SCAN_STATE_UNKNOWN),
              "a scan half understood");
        check((s->kind == SCAN_NEVER) == (s->state == SCAN_IDLE), "idle without never");
        check(isnan(s->done) || (s->done >= 0 && s->done <= 1), "a share beyond 1");
        check(p->data_errors >= UNKNOWN, "a negative number of errors");
        if (p->root)
            check_vdev(p->root, 0);
        pool_leaves(p, nothing, &leaves);
        const char *layout = pool_layout(a, p);
        check(!layout == (pool_members(p) == UNKNOWN), "a layout without members");
        check(!layout == !!p->unsure, "no layout and no reason, or both");
    }
}

static void check_properties(const struct property_list *list) {
    for (size_t i = 0; i < list->n; i++)
        check(list->items[i].name && list->items[i].source, "a property without name or source");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    static int (*const readers[])(struct arena *, const char *, size_t, struct pool_list *,
                                  struct err *) = {pools_from_text, pools_from_json};
    static int (*const properties[])(struct arena *, const char *, size_t, struct property_list *,
                                     struct err *) = {properties_from_text, properties_from_json};
    for (int i = 0; i < 2; i++) {
        struct arena a = {0};
        struct err e = {0};
        struct pool_list list = {0};
        struct property_list found = {0};
        int rc = readers[i](&a, text, size, &list, &e);
        check(!rc || *e.text, "a failure without a reason");
        check(rc || i || !size || text[size - 1] == '\n', "half a line is read as a whole one");
        check_pools(&a, &list);
        e = (struct err){0};
        check(!properties[i](&a, text, size, &found, &e) || *e.text, "a failure without a reason");
        check_properties(&found);
        arena_release(&a);
    }
    return 0;
}

#ifndef FUZZER

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int main(int argc, char **argv) {
    static const char *const pieces[] = {"\n",    "\t",     "  ",      "ONLINE", "mirror-0",
                                         "spare", "pool: ", "scan: ",  "-",      "\"",
                                         "{",     "}",      "\377",    "9",      "replacing-1",
                                         "NAME",  "STATE",  "config:", "(",      "draid1:9c-0"};
    uint64_t state = 88172645463325252u;
    alarm(600); /* a mutant that hangs is a finding, too */
    for (int i = 1; i < argc; i++) {
        struct arena a = {0};
        struct err e;
        char *text;
        size_t len;
        if (file_read(&a, argv[i], 1 << 22, &text, &len, &e))
            continue;
        LLVMFuzzerTestOneInput((const uint8_t *)text, len);
        for (int n = 0; n < 300; n++) {
            struct buf b = {0};
            size_t at = 0;
            while (at < len) {
                size_t run = 1 + next_random(&state) % (len / 3 + 1);
                run = run > len - at ? len - at : run;
                buf_put(&b, text + at, run);
                at += run + next_random(&state) % 9;
                buf_str(&b, pieces[next_random(&state) % LENGTH(pieces)]);
            }
            LLVMFuzzerTestOneInput((const uint8_t *)b.data, b.len);
            buf_release(&b);
        }
        arena_release(&a);
    }
    printf("%d files and their mutants: sound\n", argc - 1);
    return 0;
}

#endif
