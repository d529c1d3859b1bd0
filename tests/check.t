#!/bin/sh
# check: what wakes somebody, once and then weekly, and what does not; --ack; record --check; explain.
# shellcheck source=tests/scenes.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/scenes.sh"

gate() { # NAME ARGS...
    gate_scene=$1
    shift
    zh "$gate_scene" check "$@"
}
change() { sqlite3 "$T/$1.db" "$2"; }
nights() { # FIRST DAYS VALUE: a run a day, spread by 1 %; day 1 is 1 January 2025
    awk -v from="$1" -v days="$2" -v value="$3" 'BEGIN {
        for (i = 0; i < days; i++) {
            d = from + i; m = 1 + int((d - 1) / 28); d = 1 + (d - 1) % 28
            printf "run 2025-%02d-%02d\nlevel 0.01\nnoise stream write t %g 0.005 3\nend\n", m, d, value
        }
    }'
}
silent_gate() { # NAME, of the scene that was asked
    is "$1: exit 0" "$code" 0
    silent "$1: silent" out
}

# ---- a change without a cause ----------------------------------------------------------------------
{ echo "targets t"; nights 1 40 100e6; } | scene noise
gate noise
silent_gate "noise"
{ echo "targets t"; nights 1 30 100e6; nights 31 4 80e6; } | scene early
gate early
silent_gate "a step that four nights show is not told yet"
{ echo "targets t"; nights 1 30 100e6; nights 31 9 80e6; } | scene step
gate step
is "a step that three nights in a row confirm: exit 3" "$code" 3
silent "nothing on stderr" err
says "its paragraph" "$T/flat" "nas, t: Write 64 MiB, on disk: 19 to 20 % slower since 2025-02-03, with no recorded change"
key=$(grep -oE '[0-9a-f]{8}-[0-9]{8}' "$T/out")
is "ends with its own command" "$(tail -1 "$T/out")" "Accept it: zhist check --ack $key --db $T/step.db"
gate step
silent_gate "the next night"
change step "UPDATE notice SET mailed_at = mailed_at - 8 * 86400000000000"
gate step
is "a week later it is told again" "$code $(grep -c "$key" "$T/out")" "3 1"
gate step --all
is "--all tells it in between" "$code $(grep -c "$key" "$T/out")" "3 1"
gate step --all
is "and again: it notes nothing" "$(grep -c "$key" "$T/out")" 1
cp "$T/step.db" "$T/told.db"
expect 0 "--ack, four digits, with a note" "$ZHIST" --db "$T/step.db" check --ack "$(echo "$key" | cut -c1-4)" --note "as it is"
is "it is kept" "$(query "SELECT key, note FROM ack" "$T/step.db")" "$key|as it is"
change step "UPDATE notice SET mailed_at = 0"
gate step
silent_gate "accepted"
gate step --all
is "--all: accepted, exit 0" "$code $(grep -c "Accepted already" "$T/out")" "0 1"

# The same finding after more runs, its place moved by a night; then a later one.
{ echo "targets t"; nights 1 30 100e6; nights 31 14 80e6; } | scene more
change more "INSERT INTO ack VALUES ('$(echo "$key" | cut -c1-9)20250202', NULL, 1)"
gate more
silent_gate "accepted, found a night beside it"
{ echo "targets t"; nights 1 30 100e6; nights 31 14 80e6; nights 45 10 64e6; } | scene twice
change twice "INSERT INTO ack VALUES ('$key', NULL, 1)"
gate twice
is "a later change of the same series is told" "$code" 3
says "with its own day" "$T/flat" "slower since 2025-02-17"
{ echo "targets t"; nights 1 30 100e6; nights 31 14 80e6; nights 45 10 100e6; } | scene back
gate back
silent_gate "what became right again"
{ echo "targets t"; nights 1 30 100e6; nights 31 10 125e6; } | scene faster
gate faster
silent_gate "faster"

# ---- at an event -----------------------------------------------------------------------------------
upgrade() { # RUNS VALUE
    echo "targets t
fact system - - kernel 6.6"
    nights 1 20 100e6
    echo "fact system - - kernel 6.12"
    nights 21 "$1" "$2"
}
upgrade 2 90e6 | scene two
gate two
silent_gate "two runs behind an upgrade"
upgrade 3 90e6 | scene three
gate three
is "three runs behind it: told" "$code" 3
says "with what it was" "$T/flat" "slower since 2025-01-21, kernel 6.6 -> 6.12 (p = 0.038)."
upgrade 14 99e6 | scene nothing
gate nothing
silent_gate "an upgrade that did nothing"

# ---- new meaning -----------------------------------------------------------------------------------
{
    echo "targets t
cell stream read * cached no psync"
    nights 1 5 100e6 | sed 's/stream write/stream read/'
    echo "cell stream read * cold no psync"
    nights 6 2 100e6 | sed 's/stream write/stream read/'
} | scene meaning
gate meaning
is "a new meaning is told" "$code" 3
says "and that it is no loss" "$T/flat" "the two numbers are not comparable. This is no loss and no gain."

# ---- requirements ------------------------------------------------------------------------------------
needs() { # VALUES...: one run each
    echo "profile
zhist: 1
name: needy
workloads:
  - {name: stream, kind: file, size: 64MiB, block: 1MiB, phases: [write, read]}
require:
  - {workload: stream, phase: write, metric: throughput_durable, at_least: 100 MB/s, why: the backup must end by six}
end
targets t"
    day=0
    for value; do
        day=$((day + 1))
        echo "run 2025-01-0$day
it stream write t ${value}e6 ${value}e6
end"
    done
}
needs 110 111 112 | scene met
gate met
silent_gate "a requirement that is met"
needs 110 111 90 | scene once
gate once
silent_gate "one that failed once"
needs 110 90 91 92 | scene unmet
gate unmet
is "three runs that fail it: exit 3" "$code" 3
says "what is needed, what there is, and why" "$T/flat" \
    "nas, t: write 64 MiB, on disk: 92.0 MB/s, but at least 100 MB/s is needed, for the backup must end by six (3 runs since 2025-01-02)."
is "--ack of it" "$("$ZHIST" --db "$T/unmet.db" check --ack "$(grep -oE '[0-9a-f]{8}-[0-9]{8}' "$T/out")" 2>&1 |
    grep -c 'is accepted')" 1
gate unmet
silent_gate "a need that was accepted"
gate unmet needy
is "PROFILE: only its runs" "$code" 0
gate unmet other
is "an unknown profile is a mistake" "$code" 2
one_line "and is named" '"other"' "show runs"

# ---- runs that stopped -------------------------------------------------------------------------------
nightly() { # DAY...: days ago, a word behind it: how it ended
    echo "profile
zhist: 1
name: nightly
run: {every: 1d}
workloads:
  - {name: stream, kind: file, size: 64MiB, block: 1MiB, phases: [write]}
end
targets t"
    for day; do
        echo "run $(date -u -d "-${day%%:*} days" +%Y-%m-%d)"
        case $day in
        *:*) echo "finding scan-running refuse t - a scrub runs
end ${day#*:}" ;;
        *) echo "it stream write t 1e8 1e8
end" ;;
        esac
    done
}
nightly 3 2 1 | scene runs
gate runs
silent_gate "runs that come"
nightly 6 5 4 | scene stopped
gate stopped
is "none for four days: exit 3" "$code" 3
says "since when, and how often it is meant to run" "$T/flat" "nas: no run of nightly ended well for 4 d" \
    "it is meant to run every 1 d" "none was begun since"
nightly 6 5 4:refused 3:refused | scene refused
gate refused
says "the reasons of those that did not" "$T/flat" "refused: a scrub runs"

# ---- mistakes ----------------------------------------------------------------------------------------
gate noise --note x
is "--note without --ack" "$code" 2
gate noise --ack 0000
is "--ack of what is not there" "$code" 2
one_line "says where keys are" "check --all"
run "$ZHIST" --db "$T/none.db" check
is "no history" "$code" 1

# ---- record --check ----------------------------------------------------------------------------------
mkdir "$S/t"
cat >"$T/p.yaml" <<'END'
zhist: 1
name: tight
run: {iterations: 2}
targets: [{name: t, path: TARGET}]
workloads:
  - {name: stream, kind: file, size: 64KiB, block: 16KiB, phases: [write]}
require:
  - {workload: stream, phase: write, metric: throughput, at_least: 900 TB/s}
END
sed -i "s|TARGET|$S/t|" "$T/p.yaml"
expect 0 "record" "$ZHIST" record "$T/p.yaml" --quiet
silent "record --quiet alone says nothing" out
expect 3 "record --check: what is not met" "$ZHIST" record "$T/p.yaml" --quiet --check
says "and says it" out "TB/s is needed" "Accept it: zhist check --ack"
expect 0 "record --check again: known" "$ZHIST" record "$T/p.yaml" --quiet --check
silent "silent" out
expect 2 "--check with --json" "$ZHIST" record "$T/p.yaml" --json --check

# ---- report --fail -----------------------------------------------------------------------------------
expect 3 "report changes --fail: slower" "$ZHIST" --db "$T/told.db" report changes --since 2025-01-01 --fail
says "the report is there" out "SLOWER"
silent "and nothing else" err
expect 3 "report --fail: slower since an upgrade" "$ZHIST" --db "$T/three.db" report --since 2025-01-01 --fail
expect 0 "faster: exit 0" "$ZHIST" --db "$T/faster.db" report changes --since 2025-01-01 --fail
expect 0 "noise: exit 0" "$ZHIST" --db "$T/noise.db" report --since 2025-01-01 --fail

# ---- explain -----------------------------------------------------------------------------------------
expect 0 "explain KEY" "$ZHIST" --db "$T/told.db" explain "$key"
says "both sides, the tests, the search, what was asked" out "before " "n 30, mean" "n 9, mean" "Welch: t" \
    "Hodges-Lehmann" "E-divisive over these 39 values" "a change counts from 5 % on"
mean=$(sqlite3 :memory: "SELECT printf('%.6g', avg(value)) FROM json_each('[' ||
    '$(sed -n '/^  before/,/n 30/p' "$T/out" | sed '/n 30/,$d; s/before//' | tr '\n' ' ' | sed 's/^ *//; s/ *$//' | tr -s ' ' ,)' || ']')")
is "the values give the mean that is told" "$(sed -n 's/.*n 30, mean \([0-9]*\),.*/\1/p' "$T/out" |
    awk '{ printf "%.6g", $1 }')" "$mean"
expect 0 "explain RUN" "$ZHIST" --db "$T/told.db" explain 5ce00001
says "each iteration" out "throughput_durable, B/s:" "lag-1"
expect 2 "explain of nothing" "$ZHIST" --db "$T/told.db" explain 99999999
one_line "says where they are" "show runs"
finish
