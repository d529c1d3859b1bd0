#!/bin/sh
# record: every option, what is stored of an iteration, the order of things, when it stops.
# shellcheck source=tests/lib.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"

A=$S/a B=$S/b C=$S/c D=$T/disk
mkdir "$A" "$B" "$C" "$D"

profile() { # NAME, the rest on stdin -> $T/NAME.yaml
    { printf 'zhist: 1\nname: %s\n' "$1" && cat; } >"$T/$1.yaml"
}
record() { run "$ZHIST" record "$@"; }
newest() { query "SELECT $1 FROM run ORDER BY id DESC LIMIT 1"; }
of_last() { query "SELECT $1 FROM iteration WHERE run_id = (SELECT max(id) FROM run) AND $2"; }
rules() { query "SELECT group_concat(DISTINCT stop_rule) FROM cell
                 WHERE run_id = (SELECT max(id) FROM run)"; }
profile one <<'END'
run: {iterations: 2, warmup: 1}
workloads:
  - {name: small, kind: file, size: 256KiB, block: 16KiB, phases: [write, read]}
  - {name: other, kind: file, size: 64KiB, block: 16KiB, phases: [write]}
END
profile null <<'END'
run: {iterations: 3, warmup: 0}
workloads:
  - {name: nothing, kind: file, engine: "null", size: 1MiB, block: 16KiB, phases: [write, read]}
END
profile named <<END
targets:
  - {name: plain, path: $S/not-here-1}
  - {name: crypt, path: $S/not-here-2}
run: {iterations: 1, warmup: 0}
workloads:
  - {name: nothing, kind: file, engine: "null", size: 1MiB, block: 16KiB, phases: [write]}
END

# ---- dry run ------------------------------------------------------------------------------------
before=$(listing "$T/home" "$S" "$D")
expect 0 "dry run" "$ZHIST" record "$T/one.yaml" --target "$A" --target "$B" --dry-run
says "dry run: targets, workloads, sizes, iterations, bytes a run and a year, space, time" out \
    "$A" "$B" "free" "small: write, read" "256 KiB" "other: write" "1 warm-up, 2 measured" \
    "Written: at most" "a year" "Space:" "Time:"
unset ZHIST_DB
expect 0 "dry run at the default place" "$ZHIST" record "$T/one.yaml" --target "$A" --dry-run
ZHIST_DB=$DB
export ZHIST_DB
is "dry run creates nothing at all" "$(listing "$T/home" "$S" "$D")" "$before"
check "dry run makes no history" ! test -e "$DB"
for name in quick nightly; do
    expect 0 "built-in profile $name" "$ZHIST" record $name --target "$D" --dry-run --quick
done
expect 0 "built-in profile n300-mirror, its targets moved" "$ZHIST" record n300-mirror --dry-run \
    --quick --target "plain=$A" --target "encrypted=$B"
says "moved: both targets" out "plain: $A" "encrypted: $B" "expect-unknown (note): "
check "dry run still makes no history" ! test -e "$DB"
mkdir "$T/nightly" && cp "$T/null.yaml" "$T/quick"
expect 0 "a file of a built-in name wins" sh -c "cd '$T' && \"\$ZHIST\" record quick --dry-run"
says "a file of a built-in name wins: it is the file" out "Profile null" "nothing: write"
says "no target: the current directory, and it says so" err "measuring the current directory"

# ---- what is stored of an iteration -------------------------------------------------------------
expect 0 "a run" "$ZHIST" record "$T/one.yaml" --target "$A" --label a=1 --label b=two=2 --label a=3 \
    --note "after the upgrade"
silent "no terminal: nothing on stdout" out
lacks "no terminal: no progress on stderr" err "iteration" "$(printf '\r')"
is "run: done, measured, with seed, version, times" "$(newest "status, origin, seed IS NOT NULL,
    zhist_version <> '', finished_at > started_at, run_order, forced, length(uuid)")" \
    "done|measured|1|1|1|interleaved|0|36"
is "--note" "$(newest note)" "after the upgrade"
is "--label is repeatable, the last of a key counts" \
    "$(query "SELECT group_concat(key || ':' || value, ' ') FROM (SELECT * FROM label ORDER BY key)")" \
    "a:3 b:two=2"
is "each phase of each iteration, warm-up first and flagged" \
    "$(query "SELECT w.name, phase, ordinal, block, position, warmup, status, bytes, ops
              FROM iteration JOIN workload AS w ON w.id = workload_id ORDER BY iteration.id")" \
    "small|write|1|1|0|1|ok|262144|16
small|read|1|1|0|1|ok|262144|16
other|write|1|1|0|1|ok|65536|4
small|write|2|2|0|0|ok|262144|16
small|read|2|2|0|0|ok|262144|16
other|write|2|2|0|0|ok|65536|4
small|write|3|3|0|0|ok|262144|16
small|read|3|3|0|0|ok|262144|16
other|write|3|3|0|0|ok|65536|4"
is "both durations of writes, no flush of reads, all started within the run" \
    "$(query "SELECT count(*) FROM iteration AS i JOIN run AS r ON r.id = run_id
              WHERE duration_ns > 0 AND (flush_ns IS NOT NULL) = (phase = 'write')
                AND i.started_at BETWEEN r.started_at AND r.finished_at
                AND errno IS NULL")" 9
# What counters say is another matter: it depends on the machine.
own="m.id <= (SELECT id FROM metric WHERE name = 'flush_time')"
is "samples of a write" "$(query "SELECT group_concat(name, ' ') FROM (SELECT m.name FROM sample
    JOIN metric AS m ON m.id = metric_id WHERE iteration_id = 1 AND $own ORDER BY 1)")" \
    "duration duration_durable flush_time lat_max lat_mean lat_p50 lat_p95 lat_p99 lat_p999 ops_per_second throughput throughput_durable"
is "samples of a read have nothing durable" "$(query "SELECT group_concat(name, ' ') FROM (
    SELECT m.name FROM sample JOIN metric AS m ON m.id = metric_id WHERE iteration_id = 2 AND $own
    ORDER BY 1)")" \
    "duration lat_max lat_mean lat_p50 lat_p95 lat_p99 lat_p999 ops_per_second throughput"
is "samples follow from durations and bytes" "$(query "SELECT count(*) FROM iteration AS i
    JOIN sample AS s ON s.iteration_id = i.id JOIN metric AS m ON m.id = s.metric_id
    WHERE (m.name = 'throughput' AND abs(s.value / (bytes * 1e9 / duration_ns) - 1) < 1e-9)
       OR (m.name = 'ops_per_second' AND abs(s.value / (ops * 1e9 / duration_ns) - 1) < 1e-9)
       OR (m.name = 'throughput_durable'
           AND abs(s.value / (bytes * 1e9 / (duration_ns + flush_ns)) - 1) < 1e-9)
       OR (m.name = 'duration' AND abs(s.value * 1e9 / duration_ns - 1) < 1e-9)
       OR (m.name = 'flush_time' AND abs(s.value * 1e9 - flush_ns) < 1)")" 39

# The stored form of a histogram (hist.h), read by nothing of ours: a byte 1, then LEB128 numbers:
# count, sum, min, max, pairs of distance and count.
histograms="WITH RECURSIVE
    h(id, op, hex) AS (SELECT iteration_id, op, hex(buckets) FROM histogram),
    b(id, op, hex, pos, byte) AS (
        SELECT id, op, hex, 1, 1 FROM h
        UNION ALL
        SELECT id, op, hex, pos + 2, (instr('0123456789ABCDEF', substr(hex, pos + 2, 1)) - 1) * 16
                                     + instr('0123456789ABCDEF', substr(hex, pos + 3, 1)) - 1
        FROM b WHERE pos + 2 < length(hex)),
    w(id, op, hex, pos, acc, shift, k, value, at) AS (
        SELECT id, op, hex, 1, 0, 0, 0, NULL, NULL FROM h
        UNION ALL
        SELECT w.id, w.op, w.hex, b.pos,
               CASE WHEN byte >= 128 THEN acc | ((byte & 127) << shift) ELSE 0 END,
               CASE WHEN byte >= 128 THEN shift + 7 ELSE 0 END,
               k + (byte < 128),
               CASE WHEN byte < 128 THEN acc | (byte << shift) END,
               CASE WHEN byte < 128 THEN k + 1 END
        FROM w JOIN b ON b.id = w.id AND b.op = w.op AND b.pos = w.pos + 2)"
is "a histogram an iteration: counts add up to its operations, in the right place" \
    "$(query "$histograms SELECT count(*) FROM iteration AS i
        JOIN (SELECT id, op, substr(hex, 1, 2) AS version,
                     max(value) FILTER (WHERE at = 1) AS n,
                     sum(value) FILTER (WHERE at > 4 AND at % 2 = 0) AS counted,
                     max(value) FILTER (WHERE at = 4) AS largest FROM w GROUP BY id, op) AS h
        ON h.id = i.id AND h.op = i.phase
        WHERE version = '01' AND n = ops AND counted = ops
          AND largest = (SELECT value FROM sample WHERE iteration_id = i.id
                         AND metric_id = (SELECT id FROM metric WHERE name = 'lat_max'))")" 9
is "histograms merge: the operations of a series" \
    "$(query "$histograms SELECT phase, sum(value) FROM w JOIN iteration AS i ON i.id = w.id
        WHERE at > 4 AND at % 2 = 0 GROUP BY phase")" "read|48
write|60"
class=$(query "SELECT class FROM cell WHERE phase = 'read'") # so little data, and who else reads
case $(stat -f -c %T "$A").$class in
tmpfs.cached | [!t]*.cold | [!t]*.cached | [!t]*.partial | [!t]*.unknown) ok "the class of a read" ;;
*) not_ok "the class of a read" "$class" ;;
esac
is "cells" "$(query "SELECT phase, class, engine_effect, direct_effect, stop_rule, size FROM cell
    ORDER BY workload_id, phase")" \
    "read|$class|psync|no|fixed|262144
write|n/a|psync|no|fixed|262144
write|n/a|psync|no|fixed|65536"
is "rollup: two rows a series and metric, without the warm-up" \
    "$(query "SELECT phase, count(*), count(DISTINCT metric_id), sum(everything), min(n), max(n),
              sum(n_left_out) FROM rollup JOIN metric AS m ON m.id = metric_id WHERE $own GROUP BY workload_id, phase ORDER BY workload_id, phase")" \
    "read|18|9|9|2|2|0
write|24|12|12|2|2|0
write|24|12|12|2|2|0"
is "v_iteration, in a plain sqlite3 shell" \
    "$(query "SELECT path, fstype IS NOT NULL, host <> '', profile, workload, phase, note,
              throughput > 0, ops_per_second > 0, lat_p50_ns <= lat_p99_ns, duration_s > 0,
              throughput_durable <= throughput, disturbed, direct_effect
              FROM v_iteration WHERE iteration_id = 1")" \
    "$A|1|1|one|small|write|after the upgrade|1|1|1|1|1|0|no"
is "nothing is left in the target" "$(ls -A "$A")" ""
id=$(newest uuid)
"$ZHIST" show run "$id" --profile >"$T/back"
check "show run ID --profile gives the text back, byte for byte" cmp "$T/back" "$T/one.yaml"
printf '\357\273\277zhist: 1\r\nname: odd   # caf\303\251\r\nrun: {iterations: 1, warmup: 0}\r\nworkloads:\r\n  - {name: x, kind: file, engine: "null", size: 1MiB, phases: [write]}   \r\n\r\n' >"$T/odd.yaml"
expect 0 "BOM, CRLF, blanks at the end" "$ZHIST" record --quiet "$T/odd.yaml" --target "$A"
"$ZHIST" show run "$(newest uuid)" --profile >"$T/back"
check "and they come back as they were" cmp "$T/back" "$T/odd.yaml"

# ---- options ------------------------------------------------------------------------------------
expect 0 "--quiet" "$ZHIST" record "$T/one.yaml" --target "$A" --quiet --only other --iterations 1
silent "--quiet: nothing on stdout" out
silent "--quiet: nothing on stderr" err
is "--only" "$(query "SELECT DISTINCT workload FROM v_iteration WHERE run = '$(newest uuid)'")" other
is "--iterations, with the profile's warm-up" "$(of_last "sum(warmup), count(*)" 1)" "1|2"
expect 0 "--only with several" "$ZHIST" record "$T/one.yaml" --target "$A" --quiet --only small,other \
    --iterations=2
is "--only with several: all of them" "$(of_last "count(*)" "NOT warmup")" 6
expect 0 "quiet in the current directory" sh -c "cd '$A' && \"\$ZHIST\" record '$T/null.yaml' --quiet"
silent "quiet in the current directory: says nothing" err
is "the name of a target is its resolved path" "$(query "SELECT DISTINCT target FROM v_iteration
    WHERE run = '$(newest uuid)'")" "$A"
ln -s "$B" "$S/link"
record "$T/null.yaml" --target "$S/link" --quiet
is "a link is resolved" "$(query "SELECT DISTINCT target || ' ' || path FROM v_iteration
    WHERE run = '$(newest uuid)'")" "$B $B"
targets() { query "SELECT t.name, rt.path FROM run_target AS rt JOIN target AS t ON t.id = target_id
                   WHERE run_id = (SELECT max(id) FROM run) ORDER BY position"; }
expect 0 "--target NAME=PATH moves" "$ZHIST" record "$T/named.yaml" --quiet --target "crypt=$B" \
    --target "plain=$A"
is "moved, in the order of the profile" "$(targets)" "plain|$A
crypt|$B"
expect 0 "--target PATH replaces" "$ZHIST" record "$T/named.yaml" --quiet --target "$C"
is "replaced" "$(targets)" "$C|$C"
expect 0 "--target NAME=PATH without targets in the profile" "$ZHIST" record "$T/null.yaml" --quiet \
    --target "x=$A" --target "y=$B"
is "names of its own" "$(targets)" "x|$A
y|$B"
mkdir "$S/p=q"
expect 0 "--target with = in the path" "$ZHIST" record "$T/null.yaml" --quiet --target "$S/p=q"
is "it is a path" "$(targets)" "$S/p=q|$S/p=q"
before=$(query "SELECT count(*) FROM run")
for bad in "plain=$A" "plain=$A --target $B" "wrong=$A" "plain=" "plain=$A --target crypt=$A"; do
    # shellcheck disable=SC2086 # words
    expect "$([ "$bad" = "plain=$A" ] && echo 1 || echo 2)" "--target ${bad#*/}" \
        "$ZHIST" record "$T/named.yaml" --target $bad
    one_line "--target ${bad#*/}: one sentence"
done
is "and none of them was stored" "$(query "SELECT count(*) FROM run")" "$before"

quick_digests() { query "SELECT count(DISTINCT digest) FROM workload WHERE name = 'big'"; }
profile big <<'END'
run: {iterations: 5, warmup: 0}
workloads:
  - {name: big, kind: file, engine: "null", size: 1GiB, block: 1MiB, phases: [write]}
END
record "$T/big.yaml" --target "$A" --quiet
expect 0 "--quick" "$ZHIST" record "$T/big.yaml" --target "$A" --quick
says "--quick is said" err "quick"
is "--quick caps size and iterations" "$(of_last "count(*), min(bytes)" "NOT warmup")" "3|67108864"
is "--quick is a series of its own" "$(quick_digests)" 2
profile both <<'END'
run: {iterations: 1, warmup: 0}
workloads:
  - {name: large, kind: file, engine: "null", size: 1GiB, block: 1MiB, phases: [write]}
  - {name: larger, kind: file, engine: "null", size: 2GiB, block: 1MiB, phases: [write]}
END
expect 0 "--quick of two sizes" "$ZHIST" record "$T/both.yaml" --target "$A" --quick
says "--quick of two sizes: the second is left out" err '--quick makes "larger" the same as "large"'
is "--quick of two sizes: one is measured" "$(of_last "count(*)" "NOT warmup")" 1
record "$T/big.yaml" --target "$A" --quick --iterations 4 --quiet
is "--iterations beats the cap of --quick" "$(of_last "count(*), min(bytes)" "NOT warmup")" "4|67108864"
is "and stays in the quick series" "$(quick_digests)" 2
expect 0 "a built-in profile by name" "$ZHIST" record quick --quick --only stream --iterations 1 \
    --target "$D" --quiet
is "a built-in profile by name is stored" "$(newest "(SELECT name FROM profile WHERE id = profile_id)")" quick
"$ZHIST" show run "$(newest uuid)" --profile >"$T/back"
check "with its text" cmp "$T/back" "$ZHIST_TESTS/../profiles/quick.yaml"

# ---- --json -------------------------------------------------------------------------------------
expect 0 "--json" "$ZHIST" record "$T/one.yaml" --json --target "a\"b=$A" --target "$B"
lacks "--json: no progress" err "iteration"
is "--json: every line is an object" "$(json_query out "SELECT count(*) FROM line
    WHERE NOT json_valid(text) OR json_type(text) <> 'object'")" 0
is "--json: order of events" "$(json_query out "SELECT group_concat(e, ' ') FROM (
    SELECT json_extract(text, '\$.event') AS e FROM line
    WHERE e <> 'finding' ORDER BY rowid)")" \
    "run-started$(printf ' iteration%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18) run-finished"
keys() { json_query out "SELECT group_concat(k, ' ') FROM (SELECT j.key AS k FROM line, json_each(text) AS j
    WHERE line.rowid = (SELECT min(rowid) FROM line WHERE json_extract(text, '\$.event') = '$1') ORDER BY j.id)"; }
is "--json: keys of run-started" "$(keys run-started)" \
    "event run profile host started_at seed history targets"
is "--json: keys of iteration" "$(keys iteration)" \
    "event run target workload phase ordinal block warmup status errno started_at duration_ns flush_ns bytes ops cache_class bound_by duration throughput ops_per_second duration_durable throughput_durable flush_time lat_mean lat_p50 lat_p95 lat_p99 lat_p999 lat_max"
is "--json: keys of run-finished" "$(keys run-finished)" "event run status iterations failed history"
is "--json: the run is the stored one" "$(json_query out "SELECT DISTINCT json_extract(text, '\$.run') FROM line")" \
    "$(newest uuid)"
is "--json: seed and count" "$(json_query out "SELECT json_extract(text, '\$.seed') FROM line LIMIT 1")/$(
    json_query out "SELECT json_extract(text, '\$.iterations') || json_extract(text, '\$.status') FROM line
                    ORDER BY rowid DESC LIMIT 1")" "$(newest seed)/18done"
json_query out "SELECT json_extract(text, '\$.target'), json_extract(text, '\$.workload'),
    json_extract(text, '\$.phase'), json_extract(text, '\$.ordinal'), json_extract(text, '\$.duration_ns'),
    json_extract(text, '\$.bytes') FROM line WHERE json_extract(text, '\$.event') = 'iteration'
    ORDER BY rowid" >"$T/announced"
query "SELECT t.name, w.name, phase, ordinal, duration_ns, bytes FROM iteration AS i
    JOIN target AS t ON t.id = target_id JOIN workload AS w ON w.id = workload_id
    WHERE run_id = (SELECT max(id) FROM run) ORDER BY i.id" >"$T/stored"
check "--json: what is announced is what is stored" cmp "$T/announced" "$T/stored"
record "$T/null.yaml" --json --quiet --target "$A"
silent "--json --quiet: stderr is silent" err
is "--json --quiet: the lines come all the same" "$(json_query out "SELECT count(*) >= 8 FROM line")" 1

# ---- order and stopping -------------------------------------------------------------------------
ZHIST_DB=$S/many.db DB=$S/many.db # commits on tmpfs cost nothing
many() { # NAME RUN -> one null workload
    profile "$1" <<END
run: {$2}
workloads:
  - {name: w, kind: file, engine: "null", size: 64KiB, block: 16KiB, phases: [write, read]}
END
}
many turns "iterations: 20, warmup: 1"
record "$T/turns.yaml" --target "$A" --target "$B" --target "$C" --quiet
is "interleaved: each block has every target at a position of its own" \
    "$(query "SELECT count(*) FROM (SELECT block, phase FROM iteration GROUP BY block, phase
              HAVING count(DISTINCT target_id) = 3 AND count(DISTINCT position) = 3)")" 42
is "interleaved: the phases of a target stay together" "$(query "SELECT count(*) FROM iteration AS i
    JOIN iteration AS k ON k.id = i.id + 1 AND k.target_id = i.target_id AND k.position = i.position
    WHERE i.phase = 'write' AND k.phase = 'read'")" 63
is "interleaved: every target was first, second and third" "$(query "SELECT count(*) FROM (
    SELECT DISTINCT target_id, position FROM iteration)")" 9
many queue "iterations: 3, warmup: 1, order: sequential"
record "$T/queue.yaml" --target "$A" --target "$B" --quiet
is "sequential: one target after the other, in order" "$(query "SELECT group_concat(name, ' ') FROM (
    SELECT DISTINCT t.name || ':' || block AS name FROM iteration AS i JOIN target AS t ON t.id = target_id
    WHERE run_id = (SELECT max(id) FROM run) ORDER BY i.id)")" \
    "$A:1 $A:2 $A:3 $A:4 $B:1 $B:2 $B:3 $B:4"
is "sequential is stored" "$(newest run_order)" sequential
record "$T/turns.yaml" --target "$A" --quiet
check "runs have seeds of their own" test "$(query "SELECT count(DISTINCT seed) FROM run")" = 3
is "fixed: the rule" "$(rules)" fixed
profile loose <<'END'
run: {iterations: 2..100, precision: 90%, warmup: 0}
workloads:
  - {name: w, kind: file, engine: "null", size: 64KiB, block: 16KiB, time: 20ms, phases: [write]}
END
record "$T/loose.yaml" --target "$A" --quiet
is "ranged: stops when it is precise" "$(rules)" precision
is "ranged: at least ten, fewer than the maximum" "$(of_last "max(ordinal) BETWEEN 10 AND 99" 1)" 1
record "$T/loose.yaml" --target "$A" --quiet --quick
is "ranged and quick: three" "$(of_last "max(ordinal)" 1)" 3
many tight "iterations: 2..4, precision: 0.1%, warmup: 0"
record "$T/tight.yaml" --target "$A" --quiet
is "ranged: the maximum" "$(rules) $(of_last "max(ordinal)" 1)" "maximum 4"
record "$T/loose.yaml" --target "$A" --quiet --iterations 5
is "--iterations makes a range a number" "$(rules) $(of_last "max(ordinal)" 1)" "fixed 5"
profile timed <<'END'
run: {iterations: 100, warmup: 0, max_time: 400ms}
workloads:
  - {name: w, kind: file, engine: "null", time: 100ms, size: 64KiB, block: 16KiB, phases: [write]}
END
expect 0 "max_time" "$ZHIST" record "$T/timed.yaml" --target "$A" --quiet
is "max_time: the rule" "$(rules)" time
is "max_time: no round is begun that would pass it" "$(of_last "max(ordinal) BETWEEN 1 AND 4" 1)" 1
is "time: an iteration lasts as long as asked" "$(of_last "min(duration_ns) >= 1e8" 1)" 1
profile wear <<'END'
run: {iterations: 100, warmup: 1, max_written: 5MiB}
workloads:
  - {name: w, kind: file, size: 1MiB, block: 64KiB, phases: [write, read]}
END
expect 0 "max_written" "$ZHIST" record "$T/wear.yaml" --target "$A" --quiet
is "max_written: the rule, and not a byte more" "$(rules) $(of_last "sum(bytes)" "phase = 'write'")" \
    "written 5242880"
profile laid <<'END'
run: {iterations: 100, warmup: 0, max_written: 5MiB}
workloads:
  - {name: w, kind: file, size: 1MiB, block: 64KiB, phases: [read, rewrite]}
END
record "$T/laid.yaml" --target "$A" --quiet
is "max_written counts what is laid out" "$(rules) $(of_last "count(*)" "phase = 'rewrite'")" "written 2"
cat >"$T/timed.yaml" <<'END'
zhist: 1
name: timed
run: {iterations: 100, warmup: 0, max_written: 6MiB}
workloads:
  - {name: w, kind: file, size: 1MiB, block: 4KiB, phases: [write, rewrite], time: 1h}
END
expect 0 "max_written with a time" "$ZHIST" record "$T/timed.yaml" --target "$A" --quiet
is "max_written ends what runs by time" \
    "$(rules) $(of_last "sum(bytes) <= 6291456 AND count(*) = 2" "1")" "written 1"
sed "s/max_written: 6MiB/iterations: 1/; s/iterations: 100, //; s/size: 1MiB/size: 64MiB/; s/time: 1h/jobs: 1024/" "$T/timed.yaml" >"$T/jobs.yaml"
sed -i 's/warmup: 0, iterations: 1/iterations: 1/' "$T/jobs.yaml"
expect 2 "more data than memory" "$ZHIST" record "$T/jobs.yaml" --target "$A"
one_line "more data than memory" "memory" "fewer jobs"
sed 's/max_written: 6MiB/max_time: 1ns/; s/time: 1h/direct: false/' "$T/timed.yaml" >"$T/none.yaml"
expect 1 "a limit before the first iteration" "$ZHIST" record "$T/none.yaml" --target "$A" --quiet
one_line "a limit before the first iteration" "nothing was measured: max_time of 1 ns" "raise max_time"
lacks "a limit before the first iteration: no other is blamed" err "max_written" "warm-up"
sed 's/warmup: 0/warmup: 1/; s/max_time: 1ns/max_time: 900ms, pause: 1s/' "$T/none.yaml" >"$T/slow-warmup.yaml"
expect 1 "a limit after the warm-up" "$ZHIST" record "$T/slow-warmup.yaml" --target "$A" --quiet
one_line "a limit after the warm-up: what that took" "max_time of 900 ms" "a warm-up of '" "took"
many rest "iterations: 2, warmup: 0, pause: 150ms"
record "$T/rest.yaml" --target "$A" --quiet
is "pause: between any two measurements" "$(query "SELECT count(*) FROM iteration AS i
    JOIN iteration AS k ON k.id = i.id + 1 AND k.run_id = i.run_id
    WHERE i.run_id = (SELECT max(id) FROM run)
      AND k.started_at - i.started_at - i.duration_ns >= 140000000")" 3

# ---- phases, jobs, flush, direct ----------------------------------------------------------------
profile phases <<'END'
run: {iterations: 2, warmup: 0}
workloads:
  - {name: all, kind: file, size: 256KiB, block: 16KiB, phases: [write, rewrite, read, randread, randwrite]}
  - {name: jobs, kind: file, jobs: 3, size: 64KiB, block: 16KiB, phases: [write, randread]}
  - {name: bare, kind: file, size: 128KiB, block: 16KiB, phases: [read]}
  - {name: timed, kind: file, size: 64KiB, block: 4KiB, time: 30ms, phases: [randwrite, read]}
  - {name: none, kind: file, size: 64KiB, block: 16KiB, flush: none, phases: [write]}
  - {name: each, kind: file, size: 64KiB, block: 16KiB, flush: each, phases: [write, randwrite]}
  - {name: direct, kind: file, size: 64KiB, block: 16KiB, direct: true, phases: [write, read]}
END
for where in "$A" "$D"; do
    expect 0 "all phases on $(stat -f -c %T "$where")" "$ZHIST" record "$T/phases.yaml" --target "$where" --quiet
    is "all phases on $(stat -f -c %T "$where"): bytes and operations" \
        "$(query "SELECT w.name, phase, count(*), min(bytes), min(ops), sum(flush_ns IS NOT NULL) FROM iteration
          JOIN workload AS w ON w.id = workload_id
          WHERE run_id = (SELECT max(id) FROM run) AND status = 'ok' AND w.name <> 'timed'
          GROUP BY workload_id, phase ORDER BY min(iteration.id)")" \
        "all|write|2|262144|16|2
all|rewrite|2|262144|16|2
all|read|2|262144|16|0
all|randread|2|262144|16|0
all|randwrite|2|262144|16|2
jobs|write|2|196608|12|2
jobs|randread|2|196608|12|0
bare|read|2|131072|8|0
none|write|2|65536|4|0
each|write|2|65536|4|2
each|randwrite|2|65536|4|2
direct|write|2|65536|4|2
direct|read|2|65536|4|0"
    is "time-limited phases last as long as asked" "$(query "SELECT count(*) FROM iteration
        JOIN workload AS w ON w.id = workload_id WHERE w.name = 'timed' AND duration_ns >= 3e7
        AND run_id = (SELECT max(id) FROM run) AND bytes = ops * 4096")" 4
    is "without a flush nothing is called durable" "$(query "SELECT count(*) FROM v_iteration
        WHERE workload = 'none' AND throughput_durable IS NOT NULL")" 0
    is "what O_DIRECT did is stored" "$(query "SELECT count(*) FROM cell JOIN workload AS w ON w.id = workload_id
        WHERE run_id = (SELECT max(id) FROM run)
          AND CASE w.name WHEN 'direct' THEN direct_effect = 'no' OR '$where' LIKE '$T/%'
               ELSE direct_effect = 'no' END")" 15
    is "and nothing is left" "$(ls -A "$where")" ""
done

# ---- needs, failures, refusal -------------------------------------------------------------------
profile needs <<'END'
run: {iterations: 1, warmup: 0}
workloads:
  - {name: w, kind: file, engine: "null", size: 64KiB, block: 16KiB, phases: [write, read]}
  - {name: v, kind: file, engine: "null", size: 128KiB, block: 16KiB, phases: [write]}
thresholds: {throughput: 5%, lat_p99: 20%}
require:
  - {workload: w, target: tank, phase: write, metric: throughput_durable, at_least: 600MB/s, why: nightly backup}
  - {workload: v, phase: write, metric: lat_p99, at_most: 5ms}
END
expect 0 "requirements and thresholds" "$ZHIST" record "$T/needs.yaml" --quiet --target "tank=$A"
is "requirements" "$(query "SELECT w.name, target, phase, metric, op, value, why FROM requirement
    JOIN workload AS w ON w.id = workload_id ORDER BY 1 DESC")" \
    "w|tank|write|throughput_durable|at_least|600000000.0|nightly backup
v||write|lat_p99|at_most|5000000.0|"
is "thresholds" "$(query "SELECT metric, share FROM threshold ORDER BY 1")" "lat_p99|0.2
throughput|0.05"
expect 0 "again, and some of them only" "$ZHIST" record "$T/needs.yaml" --quiet --target "tank=$A" --only v
is "once each" "$(query "SELECT count(*) FROM requirement")" 2

# Larger than half of what is free: refused; written are 50 ms of it when forced.
free=$(($(stat -f -c '%a * %S' "$A")))
mib=$((free * 6 / 10 / 1048576))
profile large <<END
run: {iterations: 2, warmup: 0}
workloads:
  - {name: w, kind: file, size: ${mib}MiB, block: 1MiB, time: 50ms, flush: none, phases: [write]}
END
expect 4 "preflight refuses" "$ZHIST" record "$T/large.yaml" --target "$A" --quiet
one_line "refusal: one sentence with its code and the way out" "low-space" "--force" "free"
is "refusal: stored, ended, without an iteration" "$(newest "status, finished_at IS NOT NULL, forced,
    (SELECT count(*) FROM iteration WHERE run_id = run.id),
    (SELECT group_concat(code || ' ' || severity) FROM finding
     WHERE run_id = run.id AND severity = 'refuse')")" "refused|1|0|0|low-space refuse"
expect 4 "refusal with --json" "$ZHIST" record "$T/large.yaml" --target "$A" --json --quiet
is "refusal with --json: begins, tells, ends" "$(json_query out "SELECT group_concat(e, ' ') FROM (
    SELECT DISTINCT json_extract(text, '\$.event') AS e FROM line ORDER BY rowid)") $(
    json_query out "SELECT json_extract(text, '\$.status') FROM line ORDER BY rowid DESC LIMIT 1")" \
    "run-started finding run-finished refused"
expect 0 "--force" "$ZHIST" record "$T/large.yaml" --target "$A" --force
says "--force: the finding is said all the same" err "low-space" \
    "--force: measuring all the same; this run is marked as disturbed"
expect 0 "a dry run of it" "$ZHIST" record "$T/large.yaml" --target "$A" --dry-run
check "a dry run of it: begins with what would come" sh -c "head -1 '$T/out' | grep -q '^This run would be REFUSED: low-space: '"
is "a dry run of it: told once" "$(grep -c low-space "$T/out")" 1
check "a dry run of it: fits the screen" test "$(COLUMNS=80 "$ZHIST" record "$T/large.yaml" --target "$A" \
    --dry-run | sed -n '/^This/,/^$/p;/^Findings/,$p' | awk 'length > 80' | wc -l)" -eq 0
expect 0 "a dry run of it, --force" "$ZHIST" record "$T/large.yaml" --target "$A" --dry-run --force
says "a dry run of it, --force" out "measured all the same (--force), and marked as disturbed"
expect 0 "a dry run of it, --skip-busy" "$ZHIST" record "$T/large.yaml" --target "$A" --dry-run --skip-busy
says "a dry run of it, --skip-busy" out "would be skipped (--skip-busy): low-space"
is "--force: stored and marked for ever" "$(newest "status, forced")" "done|1"
is "--force: its iterations are disturbed" "$(query "SELECT count(*), sum(disturbed) FROM v_iteration
    WHERE run = '$(newest uuid)'")" "2|2"
is "--force: left out of one row of the rollup, not of the other" "$(query "SELECT everything, n, n_left_out
    FROM rollup JOIN metric AS m ON m.id = metric_id
    WHERE run_id = (SELECT max(id) FROM run) AND m.name = 'throughput' ORDER BY 1")" "0|0|2
1|2|0"
is "--force: nothing is left" "$(ls -A "$A")" ""

# ---- a busy machine -----------------------------------------------------------------------------
before=$(query "SELECT count(*) FROM run")
expect 0 "--skip-busy, no room" "$ZHIST" record "$T/large.yaml" --target "$A" --skip-busy
one_line "--skip-busy: one line with why and where" "skipped (low-space)" "refused" "$DB"
silent "--skip-busy: nothing on stdout" out
is "--skip-busy: stored as refused, with its finding" "$(newest "status, finished_at IS NOT NULL,
    (SELECT count(*) FROM iteration WHERE run_id = run.id), (SELECT code FROM finding
     WHERE run_id = run.id AND severity = 'refuse')")" "refused|1|0|low-space"
is "--skip-busy: nothing is left" "$(ls -A "$A")" ""
expect 0 "--skip-busy --quiet" "$ZHIST" record "$T/large.yaml" --target "$A" --skip-busy --quiet
silent "--skip-busy --quiet: says nothing" err
expect 0 "--skip-busy --json" "$ZHIST" record "$T/large.yaml" --target "$A" --skip-busy --json --quiet
is "--skip-busy --json: begins, tells, ends" "$(json_query out "SELECT group_concat(e, ' ') FROM (
    SELECT DISTINCT json_extract(text, '\$.event') AS e FROM line ORDER BY rowid)") $(
    json_query out "SELECT json_extract(text, '\$.status') FROM line ORDER BY rowid DESC LIMIT 1")" \
    "run-started finding run-finished refused"
is "each is a run" "$(query "SELECT count(*) FROM run")" $((before + 3))
expect 0 "--skip-busy --force: it runs" "$ZHIST" record "$T/large.yaml" --target "$A" --skip-busy \
    --force --quiet
is "and stays marked" "$(newest "status, forced")" "done|1"
expect 4 "--wait waits for no room" "$ZHIST" record "$T/large.yaml" --target "$A" --wait 1h --quiet
one_line "--wait waits for no room: refused at once" "refused (low-space)"
cat >"$T/strict.yaml" <<'END'
zhist: 1
name: strict
hardware: {disks: 77, strict: true}
run: {iterations: 1, warmup: 0}
workloads:
  - {name: w, kind: file, engine: "null", size: 64KiB, block: 16KiB, phases: [write]}
END
expect 2 "--wait needs a time" "$ZHIST" record "$T/null.yaml" --target "$A" --wait soon
one_line "--wait needs a time" "--wait" "soon"
expect 2 "--wait without a unit" "$ZHIST" record "$T/null.yaml" --target "$A" --wait 3
expect 0 "nothing to wait for" "$ZHIST" record "$T/null.yaml" --target "$A" --wait 3h --quiet
"$ZHIST" record "$T/strict.yaml" --target "$D" --dry-run >"$T/out" 2>"$T/err"
if grep -q 'REFUSED: hardware-mismatch:' "$T/out"; then # the disks below $T are known
    expect 4 "--skip-busy is not for what a person must put right" \
        "$ZHIST" record "$T/strict.yaml" --target "$D" --skip-busy --quiet
    free=$(($(stat -f -c '%a * %S' "$D")))
    sed "s/size: 64KiB/size: $((free * 6 / 10 / 1048576))MiB/; s/engine: \"null\", //" "$T/strict.yaml" >"$T/two.yaml"
    expect 4 "two refusals" "$ZHIST" record "$T/two.yaml" --target "$D" --quiet
    one_line "two refusals: one sentence, and the name of the other" "refused (low-space)" \
        "refused as well: hardware-mismatch (show run $(newest "substr(uuid, 1, 8)"))"
    # Somebody writes to the same disk as long as it takes. A machine that has more to do than it can
    # may let him rest for the moment that is looked at: then it is looked at again.
    writers=
    for writer in 1 2 3; do
        (trap 'exit 0' TERM
         while dd if=/dev/zero of="$T/noise.$writer" bs=1M count=64 oflag=direct conv=notrunc 2>/dev/null
         do :; done) &
        writers="$writers $!"
    done
    at_exit "kill $writers"
    beside_others() { # TEXT OPTION...: until stderr has TEXT
        text=$1 tries=0
        shift
        while record "$T/null.yaml" --target "$D" "$@" && ! grep -q "$text" "$T/err" && [ $tries -lt 20 ]; do
            tries=$((tries + 1))
        done
    }
    wait_in_background() { # TIME
        tries=0
        : >"$T/err"
        while ! grep -q waiting "$T/err" && [ $tries -lt 200 ]; do
            if [ $((tries % 50)) -eq 0 ]; then
                "$ZHIST" record "$T/null.yaml" --target "$D" --wait "$1" >"$T/out" 2>"$T/err" &
                waiting=$!
            fi
            sleep 0.1
            tries=$((tries + 1))
        done
    }
    beside_others "other-io: "
    says "others' I/O: said" err "other-io: somebody else uses the disks"
    is "others' I/O: the run is disturbed" "$code $(query "SELECT count(*), sum(disturbed) FROM v_iteration
        WHERE run = '$(newest uuid)'")" "0 6|6"
    beside_others "skipped" --skip-busy
    one_line "others' I/O --skip-busy" "skipped (other-io)"
    is "others' I/O --skip-busy: stored, exit 0" "$code $(newest "status, (SELECT code || severity FROM
        finding WHERE run_id = run.id AND severity = 'disturbed')")" "0 refused|other-iodisturbed"
    beside_others "waiting" --wait 1s
    says "others' I/O --wait: what for, and that it waited" err "waiting, 1 s at most: other-io" \
        "waited "
    is "the time is over: it runs all the same" "$code $(newest status)" "0 done"
    wait_in_background 1h
    runs=$(query "SELECT count(*) FROM run")
    check "the history is free meanwhile" "$ZHIST" db check
    kill -INT "$waiting"
    wait "$waiting"
    is "SIGINT while it waits: exit" $? 130
    says "SIGINT while it waits: one sentence" err "interrupted after waiting"
    is "SIGINT while it waits: nothing stored" "$(query "SELECT count(*) FROM run")" "$runs"
    is "SIGINT while it waits: nothing is left" "$(ls -A "$D")" ""
    wait_in_background 30s
    # shellcheck disable=SC2086 # words
    kill $writers
    wait "$waiting"
    is "it ends: the run follows" "$? $(newest status)" "0 done"
    says "it ends: how long it was" err "waited "
    # Somebody else may use the same disk: then it is told, else the run is as any other.
    is "it ends: disturbed only if there are others still" "$(query "SELECT sum(disturbed) > 0
        FROM v_iteration WHERE run = '$(newest uuid)'")" "$(newest "(SELECT count(*) > 0 FROM finding
        WHERE run_id = run.id AND severity = 'disturbed')")"
    rm -f "$T"/noise.*
else
    skip "others' I/O" "the disks below $T are not known"
fi

# ---- many at a time -----------------------------------------------------------------------------
ZHIST_DB=$T/shared.db DB=$T/shared.db
"$ZHIST" record "$T/one.yaml" --target "$A" --quiet 2>"$T/first" &
first=$!
"$ZHIST" record "$T/one.yaml" --target "$B" --quiet 2>"$T/second" &
second=$!
"$ZHIST" record "$T/one.yaml" --target "$C" --quiet 2>"$T/third" &
third=$!
codes=
for pid in $first $second $third; do
    wait "$pid"
    codes=$codes$?
done
is "three at the same time make one history" "$codes $(cat "$T/first" "$T/second" "$T/third")" "000 "
is "and all is in it" "$(query "SELECT count(*), sum(status = 'done'),
    (SELECT count(*) FROM iteration), (SELECT count(DISTINCT target_id) FROM iteration) FROM run")" "3|3|27|3"
many slow "iterations: 50, warmup: 0, pause: 200ms"
"$ZHIST" record "$T/slow.yaml" --target "$A" --quiet 2>"$T/first" &
first=$!
tries=0
while [ $tries -lt 100 ] && ! ls "$A"/.zhist-*/.zhist-mark >/dev/null 2>&1; do
    sleep 0.05
    tries=$((tries + 1))
done
runs=$(query "SELECT count(*) FROM run")
expect 4 "the same target twice" "$ZHIST" record "$T/one.yaml" --target "$A" --quiet
one_line "the same target twice: who is there, and to wait" "another zhist" "$first" "$A"
is "the same target twice: nothing stored" "$(query "SELECT count(*) FROM run")" "$runs"
expect 0 "the same target twice --skip-busy" "$ZHIST" record "$T/one.yaml" --target "$A" --skip-busy
one_line "the same target twice --skip-busy" "skipped (other-io)" "another zhist"
is "the same target twice --skip-busy: stored" "$(newest status)" refused
kill -TERM $first
wait $first
is "SIGTERM: exit" $? 130
is "SIGTERM: stored as interrupted, with what it had" "$(query "SELECT status, finished_at IS NOT NULL,
    (SELECT count(*) > 0 FROM iteration WHERE run_id = run.id) FROM run WHERE status NOT IN ('done', 'refused')")" "interrupted|1|1"
is "SIGTERM: nothing is left" "$(ls -A "$A")" ""

# ---- a terminal ---------------------------------------------------------------------------------
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then # there, and a terminal to be had
    profile seen <<'END'
run: {iterations: 2, warmup: 1}
workloads:
  - {name: visible, kind: file, engine: "null", time: 700ms, size: 64KiB, block: 16KiB, phases: [write]}
END
    on_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null >"$T/tty" 2>&1; }
    on_terminal "'$ZHIST' record '$T/seen.yaml' --target 'tank=$A' >'$T/out'"
    says "progress: workload, target, phase, n of m, rate" "$T/tty" \
        "visible  tank  write  iteration 1 of 1 (warm-up)" "iteration 2 of 2" "B/s"
    check "progress: it is erased at the end" grep -qF "$(printf '\r\033[K')zhist: run " "$T/tty"
    silent "progress: nothing of it on stdout" out
    on_terminal "'$ZHIST' record '$T/null.yaml' --target 'tank=$A' --quiet"
    is "progress: none with --quiet" "$(cat "$T/tty")" ""
    on_terminal "'$ZHIST' record '$T/null.yaml' --target 'tank=$A' --json --quiet >'$T/out'"
    is "progress: none with --json" "$(cat "$T/tty")" ""
    on_terminal "'$ZHIST' record '$T/null.yaml' --target 'tank=$A' 2>'$T/err'"
    lacks "progress: none when only stdout is a terminal" err "iteration"
    says "a terminal gets the result" "$T/tty" "tank" "write 1 MiB" "read 1 MiB"
    says "and where it is stored" err "is stored in $DB"
else
    skip "progress on a terminal" "there is no script(1)"
fi
finish
