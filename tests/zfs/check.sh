#!/bin/sh
# make check-zfs: the transcripts of this folder, on real OpenZFS.
#   sh tests/zfs/check.sh BUILD-DIR [NAME]
# ZHIST_ZFS=POOL/DATASET      works in a child of it, which is removed at the end
# ZHIST_ZFS_POOL=POOL         a pool that may be disturbed: scrubs, a disk offline for some seconds
# ZHIST_LAB=PROGRAM           without ZHIST_ZFS: runs it all in guests instead, see guests.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${ZHIST_ZFS:-}" ]; then
    if [ -n "${ZHIST_LAB:-}" ]; then
        exec sh "$here/guests.sh" "$1/static/zhist" "${2:-}"
    fi
    echo "skipped: set ZHIST_ZFS=POOL/DATASET, a dataset below which the tests may make and destroy their own"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
exec sh "$here/../run.sh" "$1" "${2:-}" "$here"
