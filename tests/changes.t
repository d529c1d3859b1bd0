#!/bin/sh
# report changes: a made-up history of 200 nights in which an upgrade, a property, a disk and a slow
# drift each changed one series, and others are noise; then what else a change can be.
# shellcheck source=tests/scenes.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/scenes.sh"

# What a row says, without its numbers.
what="date((j.value ->> 'when') / 1000000000, 'unixepoch'), j.value ->> 'kind', j.value ->> 'cause',
    j.value ->> 'workload', j.value ->> 'phase'"

# ---- 200 nights -----------------------------------------------------------------------------------
# Night 1 is 1 January 2025. 61 (2 March): TrueNAS, with what follows it, writes 8 % slower. 101
# (11 April): recordsize, random reads 12 % slower. 141 (21 May): a disk is replaced, reads 10 % faster.
# From 151 (31 May) on the random writes fade, 0.3 % a night.
two_hundred() {
    cat <<'END'
profile
zhist: 1
name: nightly
run: {iterations: 5}
workloads:
  - {name: stream, kind: file, size: 64MiB, block: 1MiB, phases: [write, read]}
  - {name: random, kind: file, size: 64MiB, block: 16KiB, phases: [randread, randwrite], time: 1s}
  - {name: quiet, kind: file, size: 32MiB, block: 1MiB, phases: [write, read]}
  - {name: noisy, kind: file, size: 32MiB, block: 4KiB, phases: [randread, mixed], mix: 70% read, time: 1s}
end
targets tank/bench
fact dataset - tank/bench name tank/bench
fact dataset - tank/bench compression lz4
fact pool - tank/bench layout mirror of 2
fact disk 111111111111 tank/bench name sda
fact disk 222222222222 tank/bench name sdb
END
    awk 'BEGIN {
        for (night = 1; night <= 200; night++) {
            late = night > 60
            if (night == 1 || night == 61) {
                print "fact system - - truenas", late ? "25.04.0" : "24.10.2"
                print "fact system - - zfs", late ? "2.3.0" : "2.2.99"
                print "fact system - - kernel", late ? "6.12.15" : "6.6.44"
            }
            if (night == 1 || night == 101)
                print "fact dataset - tank/bench recordsize", night == 1 ? 131072 : 1048576
            if (night == 141) {
                print "nofact disk 222222222222 tank/bench name"
                print "fact disk 333333333333 tank/bench name sdc"
            }
            month = 1; day = night
            split("31 28 31 30 31 30 31", length_of, " ")
            while (day > length_of[month]) day -= length_of[month++]
            printf "run 2025-%02d-%02d 03:30\n", month, day
            n = split("stream write 171e6 0.02|stream read 300e6 0.03|random randread 120 0.03|" \
                      "random randwrite 20e6 0.02|quiet write 160e6 0.02|quiet read 500e6 0.05|" \
                      "noisy randread 900 0.10|noisy mixed 400 0.06", series, "|")
            for (i = 1; i <= n; i++) {
                split(series[i], s, " ")
                f = 1
                if (i == 1 && late) f = 0.92
                if (i == 2 && night > 140) f = 1.10
                if (i == 3 && night > 100) f = 0.88
                if (i == 4 && night > 150) f = 1 - 0.003 * (night - 150)
                print "level", s[4]
                print "noise", s[1], s[2], "tank/bench", s[3] * f, s[4] / 2, 5
            }
            print "end"
        }
    }'
}
two_hundred >"$T/two_hundred"
planted="2025-03-02|event|system.truenas|stream|write
2025-04-11|event|dataset.recordsize|random|randread
2025-05-21|event|disk.222222222222.present|stream|read"
for seed in 1 2 3; do
    scene all$seed $seed <"$T/two_hundred"
    rep all$seed changes --since 2025-01-01 --format json
    is "seed $seed: each planted event, on its day, in its series, and in no other" \
        "$(rows "$what" "j.value ->> 'certainty' = 'certain' AND j.value ->> 'kind' = 'event'")" "$planted"
    is "seed $seed: and the drift, in its series" \
        "$(rows "j.value ->> 'kind', j.value ->> 'cause', j.value ->> 'workload', j.value ->> 'phase'" \
            "j.value ->> 'certainty' <> 'none' AND j.value ->> 'kind' <> 'event'")" \
        "drift|no recorded change|random|randwrite"
    is "seed $seed: since about when" \
        "$(rows "j.value ->> 'when' BETWEEN strftime('%s', '2025-05-21') * 1000000000
            AND strftime('%s', '2025-06-14') * 1000000000" "j.value ->> 'kind' = 'drift'")" 1
    is "seed $seed: the intervals hold the truth" \
        "$(rows "count(*)" "j.value ->> 'certainty' = 'certain' AND CASE j.value ->> 'phase'
            WHEN 'write' THEN -8 WHEN 'read' THEN 10 WHEN 'randread' THEN -12 ELSE -15 END
            BETWEEN (j.value ->> 'change_low_pct') - 1 AND (j.value ->> 'change_high_pct') + 1")" 4
    is "seed $seed: nothing certain on the noise" \
        "$(rows "count(*)" "j.value ->> 'workload' IN ('quiet', 'noisy')
            AND j.value ->> 'certainty' NOT IN ('none', 'undecided')")" 0
done

# ---- the words of it ------------------------------------------------------------------------------
rep all1 changes --since 2025-01-01
says "each event has a heading" out "2025-03-02 03:30 truenas 24.10.2 -> 25.04.0" \
    "2025-04-11 03:30 dataset.recordsize 128 KiB -> 1 MiB" "2025-06-05 03:30 no recorded change"
says "each change its sentence" "$T/flat" \
    "Write 64 MiB, on disk: 7 to 10 % slower since 2025-03-02, truenas 24.10.2 -> 25.04.0 (p < 0.001)." \
    "Random write 16 KiB in 64 MiB, on disk: slowly, 13 to 17 % slower since 2025-06-05, with no recorded change"
says "a bundle is told as one" "$T/flat" "On 2025-05-21 several settings changed at once (disk sdb" \
    "which of them is the cause cannot be told from these runs."
rep all1 changes --since 2025-06-01 --format json
is "--since selects what is printed, all runs are used" \
    "$(rows "$what, j.value ->> 'runs_before' >= 10")" "2025-06-05|drift|no recorded change|random|randwrite|1"
rep all1 changes --since 2025-01-01 --until 2025-04-01 --format json
is "--until: what was known then" "$(rows "DISTINCT j.value ->> 'cause'")" system.truenas
rep all1 changes --since 2025-01-01 --format json
is "what moved with it, and what did not" \
    "$(rows "j.value ->> 'also_changed', j.value ->> 'unchanged'" "j.value ->> 'cause' LIKE 'disk%'" | uniq)" \
    "disk sdc [333333333333] present no -> yes|dataset settings, pool, versions"
keys=$(rows "j.value ->> 'key'" "j.value ->> 'certainty' = 'certain'" | sort)
is "keys are those of a series and a day" "$(echo "$keys" | grep -cE '^[0-9a-f]{8}-2025(0302|0411|0521|06[0-9]{2})$')" 4
rep all1 changes --since 2025-01-01 --mask
lacks "--mask: no name, no serial number" out tank/bench 222222222222 "nas,"
says "--mask: versions stay" out "truenas 24.10.2 -> 25.04.0"
rep all1 changes --since 2025-01-01 --target nothere
is "an unknown target is a mistake" "$code" 2

# ---- without a recorded cause ----------------------------------------------------------------------
nights() { # DAYS VALUE...: a run a day of these values, spread by 1 %
    awk -v days="$1" -v value="$2" -v from="${3:-1}" 'BEGIN {
        for (i = 0; i < days; i++) {
            d = from + i; m = 1 + int((d - 1) / 28); d = 1 + (d - 1) % 28
            printf "run 2025-%02d-%02d\nnoise stream write t %g 0.01 3\nnoise stream read t 5e8 0.01 3\nend\n", m, d, value
        }
    }'
}
{
    echo "targets t"
    nights 20 100e6
    nights 20 80e6 21
} | scene step
rep step changes --since 2025-01-01 --format json
is "a step without a cause: found by search" "$(rows "$what, j.value ->> 'certainty'")" \
    "2025-01-21|step|no recorded change|stream|write|certain"
step_key=$(rows "j.value ->> 'key'")
says "its sentence" out "with no recorded change within 3 days"
{
    echo "targets t
fact system - - kernel 1"
    nights 18 100e6
    echo "fact system - - kernel 2"
    nights 4 100e6 19
    nights 20 80e6 23
} | scene near
rep near changes --since 2025-01-01 --format json
is "a step four runs behind an event names it" \
    "$(rows "$what, j.value ->> 'from_value', j.value ->> 'to_value'" "j.value ->> 'kind' = 'step'")" \
    "2025-01-23|step|system.kernel|stream|write|1|2"
is "and the event itself, compared with the runs up to there, did nothing" \
    "$(rows "j.value ->> 'certainty'" "j.value ->> 'kind' = 'event' AND j.value ->> 'phase' = 'write'")" none
{
    echo "targets t"
    nights 20 100e6
    nights 26 80e6 21
} | scene later
rep later changes --since 2025-01-01 --format json
is "six nights later its key is the same" "$(rows "j.value ->> 'key'")" "$step_key"
{
    echo "targets t"
    nights 40 100e6
} | scene quiet
rep quiet changes --since 2025-01-01
says "nothing changed: one line" out "CHANGES: nothing to show"
is "and exit 0" "$code" 0

# ---- new meaning -----------------------------------------------------------------------------------
{
    echo "targets t
fact system - - zfs 2.2.6
cell stream read * cached no psync"
    nights 10 100e6
    echo "fact system - - zfs 2.3.0
cell stream read * cold yes psync"
    nights 10 100e6 11
} | scene meaning
rep meaning changes --since 2025-01-01 --format json
is "another class: a new meaning, both values, no percentage" \
    "$(rows "j.value ->> 'phase', j.value ->> 'cause', j.value ->> 'before' > 0, j.value ->> 'after' > 0,
        j.value ->> 'change_pct'" "j.value ->> 'kind' = 'new meaning'")" "read|system.zfs|1|1|"
says "its sentence" out "read from the disks, not from memory, since 2025-01-11; the two numbers are not comparable."

# ---- little or nothing -----------------------------------------------------------------------------
echo "targets t
run 2025-01-01
it stream write t 100 101
end" | scene one
rep one changes --since 2025-01-01
says "one run: nothing" out "nothing to show"
{
    echo "targets t"
    for day in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20; do
        echo "run 2025-01-$day
it stream write t 1e8 1e8
end"
    done
} | scene constant
rep constant changes --since 2025-01-01
says "constant values: nothing" out "nothing to show"
{
    echo "targets t
fact system - - kernel 1
run 2025-01-01
it stream write t 1e8 1.01e8
end
fact system - - kernel 2
run 2025-01-02
it stream write t 0.9e8 0.91e8
end"
} | scene few
rep few changes --since 2025-01-01 --format json
is "one run a side: undecided, with both values" \
    "$(rows "j.value ->> 'certainty', j.value ->> 'runs_before', j.value ->> 'before' > j.value ->> 'after', j.value ->> 'p'")" \
    "undecided|1|1|"
finish
