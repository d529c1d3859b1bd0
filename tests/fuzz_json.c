/*
 * fuzz_json.c: any bytes are a tree or a sentence; a tree written out again reads back the same.
 *
 *     clang -fsanitize=fuzzer,address,undefined ...    fuzz_json CORPUS
 */
#include "zhist/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool sound, const char *what) {
    if (!sound) {
        fprintf(stderr, "fuzz_json: %s\n", what);
        abort();
    }
}

static void put_one(struct buf *b, const struct json *j, const struct json *in) {
    if (in) {
        check(!j->key == (in->type == JSON_ARRAY), "a key outside an object, or none in one");
        buf_str(b, j == in->first ? "" : ",");
    }
    if (j->key) {
        buf_json(b, j->key);
        buf_str(b, ":");
    }
    check(!j->first || j->type >= JSON_ARRAY, "a leaf with children");
    if (j->type == JSON_TEXT)
        buf_json(b, j->text);
    else if (j->type < JSON_ARRAY)
        buf_str(b, j->type == JSON_NULL ? "null" : j->text);
    else
        buf_str(b, j->type == JSON_ARRAY ? "[" : "{");
}

static void write_out(struct buf *b, const struct json *root) {
    const struct json *above[512], *j = root;
    size_t n = 0;
    put_one(b, root, NULL);
    for (;;) {
        if (j->type >= JSON_ARRAY && j->first) {
            check(n < LENGTH(above), "too deep");
            above[n++] = j;
            j = j->first;
        } else {
            while (j->type >= JSON_ARRAY || (n && !j->next)) {
                if (j->type >= JSON_ARRAY)
                    buf_str(b, j->type == JSON_ARRAY ? "]" : "}");
                if (j->next || !n)
                    break;
                j = above[--n];
            }
            if (!j->next)
                return;
            j = j->next;
        }
        put_one(b, j, n ? above[n - 1] : NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena a = {0};
    struct err e = {0};
    const struct json *root = json_read(&a, (const char *)data, size, &e);
    if (!root) {
        check(e.kind == ERR_FAILED && *e.text, "an error without a sentence");
    } else {
        struct buf first = {0}, once = {0}, twice = {0};
        write_out(&first, root); /* bytes that are no UTF-8 become U+FFFD here */
        root = json_read(&a, first.data, first.len, &e);
        check(root, "what was written out is not JSON");
        write_out(&once, root);
        root = json_read(&a, once.data, once.len, &e);
        check(root, "what was written out again is not JSON");
        write_out(&twice, root);
        check(!strcmp(once.data, twice.data), "written out again it differs");
        buf_release(&first);
        buf_release(&once);
        buf_release(&twice);
    }
    arena_release(&a);
    return 0;
}
