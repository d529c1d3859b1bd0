#!/bin/sh
# A pool that is disturbed, before and during a run: ZHIST_ZFS_POOL, which must be the pool of
# ZHIST_ZFS, is scrubbed, and a disk of it is taken offline for some seconds. Its disks, its tree and
# its properties as zpool tells them.
# shellcheck source=tests/zfs/lib.sh
# shellcheck disable=SC2317 # functions called by name
. "$(dirname "$0")/lib.sh"

make plain
before=$(zpool status "$POOL")

# ---- what the pool is -----------------------------------------------------------------------------
zpool get -Hp -o property,value,source all "$POOL" >"$T/get.before"
record "$T/null.yaml" --target "x=$MNT/plain"
zpool get -Hp -o property,value,source all "$POOL" >"$T/get.after"
is "a healthy pool: exit" "$code" 0
facts pool >"$T/facts"
awk -F '\t' '
    FILENAME ~ /before$/ {before[$1] = $2; next}
    FILENAME ~ /facts$/ {value[$1] = $2; source[$1] = $3; next}
    {
        n++
        if (before[$1] != $2) next
        if ($1 ~ /^feature@/ && $2 == "active") $2 = "enabled"
        if (!($1 in value)) print $1 ": not there"
        else if (value[$1] != $2) print $1 ": \"" value[$1] "\", zpool says \"" $2 "\""
        else if (source[$1] != "" && source[$1] != ($3 == "-" ? "zpool get" : $3))
            print $1 ": from \"" source[$1] "\", zpool says \"" $3 "\""
    }
    END {if (n < 20) print "only " n " properties"}' "$T/get.before" "$T/facts" "$T/get.after" \
    >"$T/differs"
is "every property of the pool" "$(cat "$T/differs")" ""
is "name" "$(fact pool name)" "$POOL"
layout=$(fact pool layout)
kind=$(zpool status "$POOL" | awk '$1 ~ /^(mirror|raidz[123])-0$/ {sub(/-.*/, "", $1); print $1}')
leaves=$(zpool status -LP "$POOL" | awk '$1 ~ /^\/dev\// {print $1}')
n_leaves=$(echo "$leaves" | grep -c .)
if [ -n "$kind" ] && [ "$(zpool list -vHP "$POOL" | grep -cE '^[[:space:]]+(mirror|raidz)')" = 1 ]; then
    is "layout" "$layout" "$kind of $n_leaves"
else
    check "layout" test -n "$layout"
fi
is "how many disks" "$(fact pool disk_count)" "$n_leaves"
disks=$(for leaf in $leaves; do
    part=$(basename "$(readlink -f "$leaf")")
    parent=$(basename "$(dirname "$(readlink -f "/sys/class/block/$part")")")
    if [ -e "/sys/class/block/$part/partition" ]; then echo "$parent"; else echo "$part"; fi
done | sort -u | tr '\n' ' ')
is "which disks" "$(fact pool disks | tr ' ' '\n' | sort -u | tr '\n' ' ')" "$disks"
is "a set of facts for each" "$(sets | grep -c '^disk|')" "$(echo "$disks" | wc -w)"
for key in trim initialize remove expand suspended; do
    is "nothing under way: $key" "$(fact pool $key)" no
done

# Parameters of the modules: every one that can be read, the chosen word of a choice.
for module in zfs spl icp; do
    for file in "/sys/module/$module/parameters"/*; do
        [ -r "$file" ] || continue
        value=$(cat "$file" 2>/dev/null) || continue
        case $value in *\[*\]*) value=${value#*\[} value=${value%%\]*} ;; esac
        printf '%s\t%s\n' "$(basename "$file")" "$value"
    done
done >"$T/parameters"
facts module >"$T/facts"
awk -F '\t' 'FILENAME ~ /facts$/ {value[$1] = $2; next}
    !($1 in value) {print $1 ": not there"; next}
    value[$1] != $2 {print $1 ": \"" value[$1] "\", not \"" $2 "\""}' "$T/facts" "$T/parameters" \
    >"$T/differs"
is "every parameter of the modules" "$(cat "$T/differs")" ""
check "there are many" test "$(wc -l <"$T/parameters")" -gt 100
is "the ARC's limit in effect" "$(fact module arc_c_max)" \
    "$(awk '$1 == "c_max" {print $3}' /proc/spl/kstat/zfs/arcstats)"
check "version of the module" grep -q "$(fact system zfs_module | sed 's/^zfs-kmod-//')" /sys/module/zfs/version
check "version of the programs" sh -c "zfs version | grep -qF -- '$(fact system zfs)'"

# ---- disturbed ------------------------------------------------------------------------------------
if [ "${ZHIST_ZFS_POOL:-}" != "$POOL" ]; then
    skip "scrubs, disks offline" "ZHIST_ZFS_POOL does not name the pool of ZHIST_ZFS: it may not be disturbed"
    finish
fi

# A scrub goes on for as long as a module parameter says so, on every release.
slow=/sys/module/zfs/parameters/zfs_scan_suspend_progress
hold() { echo 1 >$slow; }
release() { echo 0 >$slow; }
idle() { ! zpool status "$POOL" | grep -qE 'in progress|scrub paused'; }
at_exit "echo 0 >$slow; zpool scrub -s '$POOL'"
dd if=/dev/urandom of="$MNT/some" bs=64k count=300 2>/dev/null
zpool sync "$POOL"

if [ -w $slow ]; then
    hold
    zpool scrub "$POOL"
    record "$T/null.yaml" --target "x=$MNT/plain"
    is "a scrub before the run: exit" "$code" 4
    one_line "a scrub before the run: one sentence" scrub "$POOL" --force
    is "a scrub before the run: stored" "$(newest status)" refused
    has_finding "a scrub before the run: a finding" scan-running refuse scrub
    is "a scrub before the run: nothing written" "$(ls -A "$MNT/plain")" ""
    record "$T/null.yaml" --target "x=$MNT/plain" --dry-run
    is "a scrub, --dry-run: exit" "$code" 0
    run "$ZHIST" probe "$MNT/plain"
    is "a scrub, probe: exit" "$code" 0
    says "a scrub, probe: told" out scrub scan-running
    n_runs=$(query "SELECT count(*) FROM run")
    record "$T/null.yaml" --target "x=$MNT/plain" --skip-busy
    is "a scrub, --skip-busy: exit" "$code" 0
    is "a scrub, --skip-busy: stored" "$(newest status)" refused
    is "a scrub, --skip-busy: one run more" "$(query "SELECT count(*) FROM run")" $((n_runs + 1))
    record "$T/null.yaml" --target "x=$MNT/plain" --force
    is "a scrub, --force: exit" "$code" 0
    is "a scrub, --force: done and marked" "$(newest "status, forced")" "done|1"
    check "a scrub, --force: told" test -n "$(finding scan-running)"
    record "$T/null.yaml" --target "x=$MNT/plain" --wait 3s
    is "a scrub that does not end, --wait 3s: exit" "$code" 4
    is "a scrub that does not end, --wait 3s: stored" "$(newest status)" refused
    code=0
    "$ZHIST" record "$T/null.yaml" --target "x=$MNT/plain" --wait 10m >"$T/out" 2>"$T/err" </dev/null &
    recorder=$!
    sleep 5
    check "--wait: it waits" kill -0 $recorder
    release
    wait $recorder || code=$?
    is "--wait: it runs once the scrub is over: exit" "$code" 0
    is "--wait: done" "$(newest "status, forced")" "done|0"
    check "--wait: the scrub is over" idle
    is "--wait: not disturbed" "$(findings | grep 'scan-running')" ""
    wait_for 60 idle

    hold
    zpool scrub "$POOL"
    zpool scrub -p "$POOL"
    record "$T/null.yaml" --target "x=$MNT/plain"
    is "a paused scrub reads nothing: exit" "$code" 0
    is "a paused scrub: state" "$(fact pool scan)" "scrub paused"
    zpool scrub -s "$POOL"
    release
    record "$T/null.yaml" --target "x=$MNT/plain"
    is "a canceled scrub: exit" "$code" 0
    is "a canceled scrub: state" "$(fact pool scan)" "scrub canceled"

    begin long --target "x=$MNT/plain"
    hold
    zpool scrub "$POOL"
    end
    has_finding "a scrub that began during the run and goes on" scan-running disturbed scrub
    release
    wait_for 60 idle
else
    skip "a scrub that goes on" "$slow cannot be written"
fi
begin long --target "x=$MNT/plain"
sleep 1 # the end of a scrub is told in whole seconds
zpool scrub "$POOL"
wait_for 60 idle
end
is "a scrub during the run: the run ends in order" "$code" 130
has_finding "a scrub that began and ended during the run" scan-running disturbed scrub
record "$T/null.yaml" --target "x=$MNT/plain"
no_finding "the next run is not disturbed" scan-running
is "the next run: state" "$(fact pool scan)" "scrub finished"

if zpool initialize "$POOL" 2>/dev/null && zpool status "$POOL" | grep -q '(initializing)'; then
    record "$T/null.yaml" --target "x=$MNT/plain"
    is "initialize under way: exit" "$code" 4
    has_finding "initialize under way" scan-running refuse initializ
    zpool initialize -c "$POOL" 2>/dev/null
else
    skip "initialize under way" "it was over at once"
fi

# A disk that the pool can miss.
disk=$(zpool status -P "$POOL" | awk '$1 ~ /^\// {print $1; exit}')
case $layout in mirror* | raidz* | draid*) ;; *) disk= ;; esac
if [ -z "$disk" ]; then
    skip "a disk offline" "the pool has no redundancy: $layout"
    finish
fi
at_exit "zpool online '$POOL' '$disk'"
whole() { zpool list -H -o health "$POOL" | grep -qx ONLINE && idle; }
# The pool is ONLINE a moment before the resilver begins.
told_scan() { zpool status "$POOL" | grep 'scan:'; }
resilvered() { whole && [ "$(told_scan)" != "$scan_before" ]; }
scan_before=$(told_scan)
begin long --target "x=$MNT/plain"
zpool offline "$POOL" "$disk"
end
has_finding "a disk offline since the run began" pool-degraded disturbed "$POOL" DEGRADED
record "$T/null.yaml" --target "x=$MNT/plain"
is "a disk offline before the run: exit" "$code" 4
one_line "a disk offline before the run: one sentence" DEGRADED "$POOL"
has_finding "a disk offline before the run: a finding" pool-degraded refuse DEGRADED
is "a disk offline: the layout is what it was" "$(fact pool layout)" "$layout"
is "a disk offline: as many disks as before" "$(fact pool disk_count)" "$n_leaves"
record "$T/null.yaml" --target "x=$MNT/plain" --force
is "a disk offline, --force: exit" "$code" 0
dd if=/dev/urandom of="$MNT/more" bs=64k count=100 2>/dev/null
run "$ZHIST" probe "$MNT/plain"
says "a disk offline, probe: the tree and the finding" out OFFLINE DEGRADED pool-degraded
zpool online "$POOL" "$disk"
wait_for 60 resilvered
record "$T/null.yaml" --target "x=$MNT/plain"
is "brought back: exit" "$code" 0

scan_before=$(told_scan)
begin long --target "x=$MNT/plain"
sleep 1
zpool offline "$POOL" "$disk"
dd if=/dev/urandom of="$MNT/more" bs=64k count=100 2>/dev/null
zpool sync "$POOL"
zpool online "$POOL" "$disk"
wait_for 60 resilvered
end
check "a disk offline and back during the run: disturbed, by its resilver or its state" \
    test -n "$(findings | grep -E '^(scan-running|pool-degraded)\|disturbed$')"
record "$T/null.yaml" --target "x=$MNT/plain"
is "afterwards: exit" "$code" 0
is "afterwards: nothing left of it" "$(findings | grep -E 'pool-degraded|scan-running')" ""
is "the pool is as it was" "$(zpool status "$POOL" | grep -c ONLINE)" "$(echo "$before" | grep -c ONLINE)"
finish
