#!/bin/sh
# Pools of our own, made of files: every layout as it is told, one exported, one that hangs.
# shellcheck source=tests/zfs/lib.sh
# shellcheck disable=SC2317 # functions called by name
. "$(dirname "$0")/lib.sh"

if [ "${ZHIST_ZFS_HANG:-}" != yes ]; then
    skip "pools of our own, one of which hangs" \
        "ZHIST_ZFS_HANG is not yes: other zpool commands on this machine would wait for it"
    finish
fi
OWN=zhist-test-own-$$
file() { # N -> a file for a pool, its path in $file
    file=$T/file$1
    rm -f "$file"
    truncate -s 128M "$file"
}
files=
for n in 1 2 3 4 5 6 7 8 9; do
    file $n
    files="$files $file"
done
# shellcheck disable=SC2086 # words are wanted
set -- $files
at_exit "zpool destroy -f '$OWN'"

layout() { # WANTED VDEV...
    wanted=$1
    shift
    if ! zpool create -f -m "$T/own" "$OWN" "$@" 2>"$T/err"; then
        not_ok "zpool create: $*" "$(cat "$T/err")"
        return
    fi
    record "$T/null.yaml" --target "x=$T/own"
    is "$wanted: exit" "$code" 0
    is "layout $wanted" "$(fact pool layout)" "$wanted"
    is "$wanted: healthy" "$(fact pool health)" ONLINE
    is "$wanted: nothing refused or disturbed" "$(findings | grep -E '\|(refuse|disturbed)$')" ""
    zpool destroy -f "$OWN"
}
layout "single" "$1"
layout "stripe of 2" "$1" "$2"
layout "mirror of 3" mirror "$1" "$2" "$3"
layout "2 x mirror of 2" mirror "$1" "$2" mirror "$3" "$4"
layout "raidz1 of 3" raidz "$1" "$2" "$3"
layout "raidz3 of 5" raidz3 "$1" "$2" "$3" "$4" "$5"
layout "mirror of 2; special mirror of 2; log 1; spare 1" mirror "$1" "$2" \
    special mirror "$3" "$4" log "$5" spare "$7"
zpool create -f -m "$T/own" "$OWN" draid1:3d:6c:1s "$1" "$2" "$3" "$4" "$5" "$6"
record "$T/null.yaml" --target "x=$T/own"
check "draid: told as such" sh -c "echo '$(fact pool layout)' | grep -q draid1"
zpool destroy -f "$OWN"

# A spare that took over, a disk that is replaced: the layout stays, nothing is guessed.
zpool create -f -m "$T/own" "$OWN" mirror "$1" "$2" spare "$3"
record "$T/null.yaml" --target "x=$T/own"
whole=$(fact pool layout)
dd if=/dev/urandom of="$T/own/some" bs=64k count=100 2>/dev/null
if zpool replace -f "$OWN" "$2" "$3" 2>"$T/err" &&
    wait_for 60 sh -c "zpool status '$OWN' | grep -q 'scan: resilvered'"; then
    record "$T/null.yaml" --target "x=$T/own" --force
    is "a spare in use: the layout stays" "$(fact pool layout)" "$whole"
    is "a spare in use: the scan" "$(fact pool scan)" "resilver finished"
else
    skip "a spare in use" "it did not take over: $(head -1 "$T/err") $(zpool status "$OWN" | grep scan:)"
fi
zpool destroy -f "$OWN"

# ---- a small pool, filled and emptied by the run ---------------------------------------------------
profile fill <<'FILL'
run: {iterations: 1, warmup: 0}
workloads:
  - {name: w, kind: file, size: 16MiB, block: 1MiB, phases: [write]}
FILL
zpool create -f -m "$T/own" "$OWN" "$1"
record "$T/fill.yaml" --target "x=$T/own"
is "an eighth of the pool is written: exit" "$code" 0
no_finding "its blocks come free some moments later: not held against it" filled-by-run
zpool destroy -f "$OWN"

# ---- exported while it is measured, and before ----------------------------------------------------
zpool create -f -m "$T/own" "$OWN" mirror "$1" "$2"
record "$T/null.yaml" --target "x=$T/own"
is "before the export: exit" "$code" 0
begin long --target "x=$T/own"
zpool export -f "$OWN" 2>/dev/null || zfs unmount -f "$OWN"
end
check "exported during a run: no crash" test "$code" -le 130
check "exported during a run: the run is closed" test -n "$(newest finished_at)"
zpool export -f "$OWN" 2>/dev/null
mkdir -p "$T/own"
record "$T/null.yaml" --target "x=$T/own"
is "exported, a plain directory is left: exit" "$code" 4
has_finding "exported: told" other-dataset refuse "$OWN"
is "exported: nothing written" "$(ls -A "$T/own")" ""
rmdir "$T/own"
record "$T/null.yaml" --target "x=$T/own"
check "exported, no directory: told and not made" test "$code" -ne 0
check "exported, no directory: not made" ! test -e "$T/own"
run "$ZHIST" probe "$T/own"
check "exported, no directory: probe does not crash" test "$code" -le 2
zpool import -d "$T" "$OWN" 2>/dev/null
record "$T/null.yaml" --target "x=$T/own"
is "imported again: exit" "$code" 0
zpool destroy -f "$OWN"

# ---- one that hangs -------------------------------------------------------------------------------
# A disk that answers every request with an error, once it is told to: the pool is suspended, and
# whoever asks for its data waits for ever.
broken=zhist-test-$$
image=$T/file9
loop=$(losetup -f --show "$image" 2>/dev/null) || loop=
sectors=$(($(stat -c %s "$image") / 512))
if [ -z "$loop" ] || ! dmsetup create "$broken" --table "0 $sectors linear $loop 0" 2>"$T/err"; then
    [ -z "$loop" ] || losetup -d "$loop"
    skip "a suspended pool" "no loop device or no device mapper: $(head -1 "$T/err")"
    finish
fi
table() { # linear DEVICE OFFSET, or error
    dmsetup suspend --noflush --nolockfs "$broken"
    dmsetup reload "$broken" --table "0 $sectors $*"
    dmsetup resume "$broken"
}
mend() {
    table "linear $loop 0"
    zpool clear "$OWN"
    wait_for 60 zpool destroy -f "$OWN"
    dmsetup remove "$broken"
    losetup -d "$loop"
}
at_exit mend
node=/dev/mapper/$broken
[ -b "$node" ] || dmsetup mknodes "$broken"
if ! zpool create -f -o failmode=wait -m "$T/own" "$OWN" "$node" 2>"$T/err"; then
    not_ok "a pool on the device" "$(cat "$T/err")"
    finish
fi
record "$T/null.yaml" --target "x=$T/own"
is "on the device mapper: exit" "$code" 0
is "on the device mapper: layout" "$(fact pool layout)" single
table error
(dd if=/dev/urandom of="$T/own/some" bs=64k count=10 && sync -f "$T/own/some") >/dev/null 2>&1 &
suspended() { grep -q SUSPENDED "/proc/spl/kstat/zfs/$OWN/state"; }
if wait_for 60 suspended; then
    run timeout 60 "$ZHIST" probe "$T/own"
    check "a suspended pool: probe ends" test "$code" -ne 124 -a "$code" -ne 137
    says "a suspended pool: told" out suspended
    run timeout 60 "$ZHIST" probe "$MNT"
    is "a suspended pool elsewhere: probe of another ends" "$code" 0
    run timeout 60 "$ZHIST" record "$T/null.yaml" --target "x=$MNT"
    check "a suspended pool elsewhere: a run on another ends" test "$code" -ne 124
    run timeout 60 "$ZHIST" record "$T/null.yaml" --target "x=$T/own"
    check "a suspended pool: record ends" test "$code" -ne 124 -a "$code" -ne 137
    is "a suspended pool: record does not measure" "$code" 4
    run timeout 60 "$ZHIST" record "$T/null.yaml" --target "x=$T/own" --force
    is "a suspended pool, --force: neither" "$code" 4
    one_line "a suspended pool, --force: the way out" SUSPENDED "zpool clear $OWN"
    lacks "a suspended pool, --force: not told to force" err "--force runs"
else
    skip "a suspended pool" "it was not suspended"
fi
finish
