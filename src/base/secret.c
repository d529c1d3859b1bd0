/*
 * secret.c: the one list of facts whose values name a person, a machine or a place: names, paths,
 * addresses, ids and serials. What a machine is (models, versions, sizes, layout) is no secret.
 */
#include <fnmatch.h>
#include <stddef.h>

#include "zhist/base.h"
#include "zhist/secret.h"

static const char *const secrets[] = {
    "*guid",
    "*hostid",
    "*serial*",
    "*.wwn",
    "system.hostname",
    "system.cmdline", /* root=, ip=, names of pools */
    "pool.name",
    "pool.comment",
    "pool.altroot",
    "pool.bootfs",
    "pool.cachefile",
    "pool.tree", /* leaves by serial */
    "dataset.name",
    "dataset.mountpoint",
    "dataset.origin",
    "dataset.clones",
    "dataset.encryptionroot",
    "dataset.keylocation",
    "dataset.sharenfs", /* who may mount it */
    "dataset.sharesmb",
    "dataset.snapshot_newest",
    "dataset.snapshot_task",
    "dataset.redact_snaps",
    "dataset.receive_resume_token",
    "dataset.mlslabel",
    "dataset.*:*", /* users' own properties */
    "mount.path",
    "mount.mount_point",
    "mount.root",
    "mount.source",
    "mount.server",
    "mount.option.*addr",
    "mount.option.user*",
    "mount.option.domain",
    "mount.option.unc",
    "mount.option.subvol",
    "mount.option.*dir*",
};

bool fact_is_secret(const char *name) {
    for (size_t i = 0; i < LENGTH(secrets); i++)
        if (!fnmatch(secrets[i], name, 0))
            return true;
    return false;
}
