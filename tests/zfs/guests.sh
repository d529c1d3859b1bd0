#!/bin/sh
# make check-zfs with ZHIST_LAB: the transcripts of this folder in guests with real OpenZFS of
# several releases, on a mirror and on a raidz2.
#   sh tests/zfs/guests.sh STATIC-ZHIST [NAME]
# ZHIST_LAB=PROGRAM      is called as `ZFS_VM_IMAGE=... ZFS_VM_POOLS=1 PROGRAM run DIR -- COMMAND`: it
#                        runs COMMAND as root in the guest, with DIR at /host and as the working
#                        directory, and with the pools tank (mirror) and rz2 (raidz2)
# ZHIST_LAB_IMAGES       bookworm trixie trixie-bpo: OpenZFS 2.1, 2.3, 2.4
# ZHIST_LAB_POOLS        tank rz2
# Nothing of the guest is kept but what the tests print. The last line is the sum.
set -u
program=$1
only=${2:-}
tests=$(cd "$(dirname "$0")/.." && pwd)
passed=0 failed=0 skipped=0
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/zhist-guests-XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM HUP

mkdir "$dir/build" "$dir/tests"
cp "$program" "$dir/build/zhist"
cp -R "$tests/lib.sh" "$tests/run.sh" "$tests/zfs" "$dir/tests/"

for image in ${ZHIST_LAB_IMAGES:-bookworm trixie trixie-bpo}; do
    for pool in ${ZHIST_LAB_POOLS:-tank rz2}; do
        echo "---- $image, pool $pool"
        ZFS_VM_IMAGE=$image ZFS_VM_POOLS=1 ZFS_VM_TIMEOUT=1800 nice "$ZHIST_LAB" run "$dir" -- \
            env ZHIST_ZFS="$pool" ZHIST_ZFS_POOL="$pool" ZHIST_ZFS_HANG=yes \
            sh tests/zfs/check.sh build "$only" 2>&1 | tee "$dir/log"
        sum=$(tail -1 "$dir/log" |
            sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p')
        if [ -z "$sum" ]; then
            echo "not ok - $image, $pool: ended before the sum"
            failed=$((failed + 1))
            continue
        fi
        # shellcheck disable=SC2086 # three numbers
        set -- $sum
        passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
