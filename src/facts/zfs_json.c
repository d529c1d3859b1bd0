/*
 * zfs_json.c: whether the zfs and zpool of this machine print JSON: asked once a probe, for both.
 *
 * OpenZFS has -j since 2.3 (TrueNAS since 24.10, 2.2.99); of another format than 0.x the text is
 * read instead, which has not changed since 0.8.
 */
#include "probe.h"
#include "zhist/json.h"

bool probe_zfs_json(struct probe *p) {
    static const char *const argv[] = {"zfs", "version", "-j", NULL};
    const char *why, *text;
    struct err e;
    size_t len;
    if (!p->zfs_json_asked && (text = probe_run(p, argv, RUN_LIMIT_MS, &len, &why))) {
        const struct json *root = json_read(p->a, text, len, &e);
        const char *major = json_text(json_get(root, "output_version"), "vers_major");
        p->zfs_json = major && !strcmp(major, "0");
    }
    p->zfs_json_asked = true;
    return p->zfs_json;
}
