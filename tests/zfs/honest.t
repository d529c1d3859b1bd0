#!/bin/sh
# Where the bytes of a phase came from, on real OpenZFS: what was just written, what nobody has in
# memory, what is larger than the ARC, past the ARC, compressed, there already, encrypted; while
# somebody else writes. Files are small: guests are slow, and counters are exact.
# shellcheck source=tests/zfs/lib.sh
. "$(dirname "$0")/lib.sh"

work() { # NAME, then keys of its workload
    work_name=$1
    shift
    profile "$work_name" <<END
run: {iterations: 2, warmup: 0}
workloads:
  - {name: $work_name, kind: file, size: 48MiB, block: 1MiB, $*}
END
}
cell() { # PHASE COLUMN [TARGET]
    query "SELECT c.$2 FROM cell AS c JOIN target AS t ON t.id = c.target_id
           WHERE c.run_id = $NEWEST AND c.phase = '$1' AND ('${3:-}' = '' OR t.name = '${3:-}')"
}
metric() { # PHASE METRIC [TARGET]: rounded mean of the newest run
    query "SELECT round(avg(s.value), 2) FROM iteration AS i JOIN sample AS s ON s.iteration_id = i.id
           JOIN metric AS m ON m.id = s.metric_id JOIN target AS t ON t.id = i.target_id
           WHERE i.run_id = $NEWEST AND i.phase = '$1' AND m.name = '$2'
             AND ('${3:-}' = '' OR t.name = '${3:-}')"
}
above() { # NAME VALUE LIMIT
    check "$1 ($2 above $3)" awk "BEGIN {exit !(\"$2\" != \"\" && $2 + 0 > $3)}"
}
below() { # NAME VALUE LIMIT
    check "$1 ($2 below $3)" awk "BEGIN {exit !(\"$2\" != \"\" && $2 + 0 < $3)}"
}
one_of() { # NAME GOT WORDS...
    of_name=$1 of_got=$2
    shift 2
    for of_word; do
        [ "$of_got" = "$of_word" ] && { ok "$of_name ($of_got)" && return; }
    done
    not_ok "$of_name" "got \"$of_got\", wanted one of: $*"
}
disks=$(zpool list -vHPL "$POOL" | awk '$1 ~ "^/dev/" {n++} END {print n}')

# ---- 1: what was just written is in memory --------------------------------------------------------
make plain
work warm "phases: [write, read], cold: no"
record "$T/warm.yaml" --target "$MNT/plain"
is "just written: exit" "$code" 0
is "just written: class" "$(cell read class)" cached
is "just written: bound by" "$(cell read bound_by)" memory
above "just written: share from memory" "$(metric read cached_pct)" 90
has_finding "just written: said" cached-reads class "came from memory" "keep: true"
is "a write has no class" "$(cell write class)" n/a
above "a write reaches the disks" "$(metric write write_expansion)" 1
below "incompressible data stay as they are" "$(metric write stored_ratio)" 1.1
no_finding "incompressible: not compressible" compressible
no_finding "incompressible: not deduplicated" deduplicated
check "disks are told" test "$(query "SELECT count(DISTINCT disk) FROM disk_io")" = "$disks"
check "ticks are told" test "$(query "SELECT count(*) FROM tick")" -gt 4
is "ticks are whole" "$(query "SELECT count(*) FROM iteration AS i WHERE run_id = $NEWEST AND bytes <>
    (SELECT sum(bytes) FROM tick WHERE iteration_id = i.id)")" 0

# ---- 4: O_DIRECT ----------------------------------------------------------------------------------
work direct "phases: [write, read], direct: true"
record "$T/direct.yaml" --target "$MNT/plain"
is "O_DIRECT: exit" "$code" 0
if [ "$RELEASE" -ge 203 ]; then
    is "O_DIRECT: in effect" "$(cell read direct_effect)" yes
    is "O_DIRECT: class" "$(cell read class)" cold
    is "O_DIRECT: written past the ARC" "$(cell write direct_effect)" yes
    above "O_DIRECT: share" "$(metric read direct_pct)" 90
    no_finding "O_DIRECT: nothing to say" direct-ignored
else
    is "O_DIRECT: without effect" "$(cell read direct_effect)" no
    is "O_DIRECT: class" "$(cell read class)" cached
    has_finding "O_DIRECT: said" direct-ignored class "O_DIRECT"
fi

# A block that is no whole record, a file that is none, requests in flight: all of it works.
profile parts <<'END'
run: {iterations: 1, warmup: 0}
workloads:
  - {name: small, kind: file, size: 2MiB, block: 4KiB, direct: true, mix: 50% read,
     phases: [write, rewrite, read, randread, randwrite, mixed]}
  - {name: deep, kind: file, size: 8MiB, block: 128KiB, engine: uring, depth: 8, direct: true,
     phases: [write, read, randread]}
  - {name: odd, kind: fileset, files: 20, total: 1000001, direct: true, phases: [create, read, delete]}
END
record "$T/parts.yaml" --target "$MNT/plain"
is "O_DIRECT of parts of records: exit" "$code" 0
is "O_DIRECT of parts of records: all is measured" \
    "$(query "SELECT count(*), sum(status = 'ok') FROM iteration WHERE run_id = $NEWEST")" "12|12"

# ---- 5: primarycache=metadata ---------------------------------------------------------------------
# What was just written may be there all the same: the class is what the disks say.
make nocache -o primarycache=metadata
record "$T/warm.yaml" --target "$MNT/nocache"
is "primarycache=metadata: the class of each read is what the disks say" "$(query "
    SELECT count(*) FROM iteration AS i
    JOIN (SELECT iteration_id, sum(read_bytes) AS p FROM disk_io GROUP BY 1) AS d ON d.iteration_id = i.id
    WHERE run_id = $NEWEST AND phase = 'read'
      AND CASE cache_class WHEN 'cold' THEN p < 0.9 * bytes WHEN 'cached' THEN p > 0.1 * bytes END")" 0

# ---- 6, 7: zeros and lz4 --------------------------------------------------------------------------
work zeros "phases: [write, read], data: zeros"
record "$T/zeros.yaml" --target "$MNT/plain"
has_finding "zeros: compressible" compressible class "less on disk"
below "zeros: next to nothing is written" "$(metric write write_expansion)" 0.5
check "zeros: never a read of the disks" test "$(cell read class)" != cold
work half "phases: [write, read], data: {compress: 3.0}"
record "$T/half.yaml" --target "$MNT/plain"
above "a ratio of 3: stored smaller" "$(metric write stored_ratio)" 2.2
below "a ratio of 3: not smaller than that" "$(metric write stored_ratio)" 3.4

# ---- 8: dedup -------------------------------------------------------------------------------------
make dedup -o dedup=on -o compression=off
work same "phases: [write], data: {dedup: 90%}"
record "$T/same.yaml" --target "$MNT/dedup"
echo "# duplicates: write_expansion $(metric write write_expansion), stored_ratio $(metric write stored_ratio)"
has_finding "duplicates on dedup: said" deduplicated class "not stored again"
record "$T/warm.yaml" --target "$MNT/dedup"
no_finding "unique data on dedup" deduplicated

# ---- 9: encrypted against plain -------------------------------------------------------------------
head -c 32 /dev/urandom >"$T/key"
make enc -o encryption=aes-256-gcm -o keyformat=raw -o "keylocation=file://$T/key"
profile pair <<'END'
run: {iterations: 3, warmup: 0}
workloads:
  - {name: stream, kind: file, size: 16MiB, block: 1MiB, phases: [write, read], cold: no}
  - {name: stream-direct, kind: file, size: 16MiB, block: 1MiB, phases: [write, read], direct: true}
END
record "$T/pair.yaml" --target "plain=$MNT/plain" --target "enc=$MNT/enc"
is "encrypted against plain: exit" "$code" 0
is "encrypted: read from memory" "$(query "SELECT DISTINCT class FROM cell JOIN workload AS w
    ON w.id = workload_id WHERE run_id = $NEWEST AND w.name = 'stream' AND phase = 'read'")" cached
above "cells say what bounds them" "$(query "SELECT count(bound_by) FROM cell WHERE run_id = $NEWEST")" 5
query "SELECT w.name, phase, t.name, class, direct_effect, bound_by, evidence FROM cell AS c
    JOIN workload AS w ON w.id = c.workload_id JOIN target AS t ON t.id = c.target_id
    WHERE run_id = $NEWEST" | sed 's/^/# /'
run "$ZHIST" report compare --by encryption
is "encrypted against plain: compare" "$code" 0
says "encrypted against plain: memory and disk apart" out "from memory"

record n300-mirror --quick --target "plain=$MNT/plain" --target "encrypted=$MNT/enc"
is "n300-mirror: exit" "$code" 0
no_finding "n300-mirror: its data do not compress" compressible
is "n300-mirror: what is not waited for is not known" \
    "$(query "SELECT count(*) FROM sample WHERE metric_id = (SELECT id FROM metric WHERE name = 'stored_ratio')
              AND iteration_id IN (SELECT id FROM iteration WHERE run_id = $NEWEST)")" 0
is "n300-mirror: both read from one place" \
    "$(query "SELECT group_concat(DISTINCT class) FROM cell WHERE run_id = $NEWEST AND phase = 'read'")" \
    "$([ "$RELEASE" -ge 203 ] && echo cold || echo cached)"
run "$ZHIST" report compare --by encryption
sed 's/^/# /' "$T/out"
is "n300-mirror: reads and writes are compared" "$(grep 'not comparable' "$T/out")" ""

# ---- 10: sync=disabled ----------------------------------------------------------------------------
make nosync -o sync=disabled
work each "phases: [write], flush: each"
record "$T/each.yaml" --target "$MNT/nosync"
has_finding "sync=disabled: said" sync-disabled say "sync=disabled"
check "sync=disabled: not bound by the flush" test "$(cell write bound_by)" != flush

# ---- 12: a second writer --------------------------------------------------------------------------
make other -o compression=off
profile beside <<'END'
run: {iterations: 2, warmup: 0}
workloads:
  - {name: beside, kind: file, size: 192MiB, block: 1MiB, phases: [write]}
END
(while :; do dd if=/dev/zero of="$MNT/other/x" bs=1M count=64 conv=fsync 2>/dev/null; done) &
writer=$!
sleep 1
record "$T/beside.yaml" --target "$MNT/plain" --force
kill $writer
wait $writer 2>/dev/null
has_finding "a second writer: disturbed" other-io disturbed "not ours"

# ---- 3: larger than the ARC -----------------------------------------------------------------------
parameters=/sys/module/zfs/parameters
old_max=$(cat $parameters/zfs_arc_max) old_min=$(cat $parameters/zfs_arc_min)
at_exit "echo $old_min >$parameters/zfs_arc_min; echo $old_max >$parameters/zfs_arc_max"
if echo 33554432 >$parameters/zfs_arc_min && echo 67108864 >$parameters/zfs_arc_max &&
    [ "$(awk '$1 == "c_max" {print $3}' /proc/spl/kstat/zfs/arcstats)" -le 67108864 ]; then
    profile large <<'END'
run: {iterations: 2, warmup: 0}
workloads:
  - {name: large, kind: file, size: 256MiB, block: 1MiB, phases: [write, read], cold: no}
END
    record "$T/large.yaml" --target "$MNT/plain"
    one_of "larger than the ARC: class" "$(cell read class)" cold partial
    below "larger than the ARC: share from memory" "$(metric read cached_pct)" 50
else
    skip "larger than the ARC" "zfs_arc_max cannot be set here"
fi
echo "$old_max" >$parameters/zfs_arc_max
echo "$old_min" >$parameters/zfs_arc_min

# ---- 2: nobody has it in memory. A scrub during a run: pool.t ----------------------------------------------------------------
if [ -z "${ZHIST_ZFS_POOL:-}" ]; then
    skip "export and import" "ZHIST_ZFS_POOL names no pool that may be disturbed"
    finish
fi
work kept "phases: [write, read], keep: true, cold: require"
record "$T/kept.yaml" --target "$MNT/plain"
zfs list -H -o name -r "$BASE" >/dev/null
if zpool export "$POOL" 2>"$T/err" && zpool import "$POOL" && zfs load-key -a && zfs mount -a; then
    work kept "phases: [write, read], keep: true"
    record "$T/kept.yaml" --target "$MNT/plain"
    is "after export and import: exit" "$code" 0
    is "after export and import: the kept file is read from the disks" \
        "$(query "SELECT cache_class FROM iteration WHERE run_id = $NEWEST AND phase = 'read'
                  ORDER BY id LIMIT 1")" cold
else
    skip "after export and import" "the pool cannot be exported: $(cat "$T/err")"
fi
finish
