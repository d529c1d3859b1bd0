#!/bin/sh
# Where the bytes came from, on the file system of the temporary folder and on tmpfs: what was just
# written, what was dropped from the cache, past the cache. Others may use the disks meanwhile, so
# each is tried a few times. ZFS: tests/zfs/honest.t.
# shellcheck source=tests/lib.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"

mkdir "$T/disk"
type=$(stat -f -c %T "$T/disk")
cat >"$T/honest.yaml" <<'END'
zhist: 1
name: honest
run: {iterations: 2, warmup: 0}
workloads:
  - {name: warm, kind: file, size: 32MiB, block: 1MiB, phases: [write, read], cold: no}
  - {name: dropped, kind: file, size: 33MiB, block: 1MiB, phases: [write, read], cold: try}
  - {name: direct, kind: file, size: 34MiB, block: 1MiB, phases: [write, read], direct: true}
END
answers() { # TARGET: "workload phase class direct_effect" a line
    run "$ZHIST" record "$T/honest.yaml" --target "$1" --quiet
    query "SELECT w.name, phase, class, direct_effect FROM cell JOIN workload AS w ON w.id = workload_id
           WHERE run_id = (SELECT max(id) FROM run) ORDER BY 1, 2" | tr '|' ' '
}

# ---- disks --------------------------------------------------------------------------------------
cat >"$T/wanted" <<'END'
direct read cold yes
direct write n/a yes
dropped read cold no
dropped write n/a no
warm read cached no
warm write n/a no
END
case $type in
ext2/ext3 | xfs | btrfs)
    try=0 same=no
    while [ $try -lt 5 ] && [ $same = no ]; do
        try=$((try + 1))
        answers "$T/disk" >"$T/got"
        cmp -s "$T/got" "$T/wanted" && same=yes
    done
    disks=$(query "SELECT count(DISTINCT disk) FROM disk_io")
    if [ "$disks" = 0 ]; then
        skip "$type" "the disks behind the temporary folder cannot be watched"
        check "$type: nothing is called cold without a witness" test -z "$(grep ' cold ' "$T/got")"
    else
        check "$type: what was just written, dropped, past the cache" test $same = yes
        [ $same = yes ] || diff "$T/wanted" "$T/got" | sed 's/^/# /'
    fi
    ;;
*) skip "disks" "the temporary folder lies on $type" ;;
esac

# ---- memory -------------------------------------------------------------------------------------
if [ "$(stat -f -c %T "$S")" = tmpfs ]; then
    answers "$S" >"$T/got"
    is "tmpfs is memory, whatever was asked for" "$(grep -c ' read cached no' "$T/got")" 3
    is "tmpfs: nothing is written past a cache" "$(grep -c ' write n/a no' "$T/got")" 3
    is "tmpfs: bound by memory" \
        "$(query "SELECT group_concat(DISTINCT bound_by) FROM cell WHERE run_id = (SELECT max(id) FROM run)")" memory
else
    skip "tmpfs" "no tmpfs for this user"
fi
finish
