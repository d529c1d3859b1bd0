#!/bin/sh
# report: what histories of a known truth are said to tell. Numbers wanted here were computed by R
# (t.test, and Welch's df for log-ratios), verdicts follow from statistics.md. Whole outputs are
# tests/data/report/*; UPDATE=1 sh tests/report.t rewrites them for review.
# shellcheck source=tests/scenes.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/scenes.sh"
golden=$ZHIST_TESTS/data/report

near() { # NAME GOT WANTED: relative 1e-9
    if [ -n "$2" ] && awk "BEGIN { w = $3; d = $2 - w; d = d < 0 ? -d : d; a = w < 0 ? -w : w
                                  exit !(d <= 1e-9 * a) }"; then
        ok "$1"
    else
        not_ok "$1" "got $2, wanted $3"
    fi
}
numbers() { # NAME WHERE COLUMN=NUMBER...
    what=$1 where=$2
    shift 2
    for pair; do
        near "$what: ${pair%%=*}" "$(rows "j.value ->> '${pair%%=*}'" "$where")" "${pair#*=}"
    done
}
same() { # NAME: $T/out, paths masked, is the golden file
    sed -e "s|$T|/T|g" "$T/out" >"$T/masked"
    if [ -n "${UPDATE:-}" ]; then
        mkdir -p "$golden"
        cp "$T/masked" "$golden/$1"
    fi
    if cmp -s "$T/masked" "$golden/$1"; then
        ok "$1 is as it was"
    else
        not_ok "$1 is as it was" "$(diff "$golden/$1" "$T/masked" | head -20)"
    fi
}
fits() { # NAME WIDTH: no line of $T/out is wider; -v: characters, not bytes
    wide=$(LC_ALL=C.UTF-8 awk -v w="$2" '{ t = $0; gsub(/[\200-\277]/, "", t); if (length(t) > w) print }' \
        "$T/out" | grep -v '^History: ' | sed -n '2,$p')
    is "$1: nothing wider than $2" "$wide" ""
}
ok_exit() { is "$1: exit 0" "$code $(cat "$T/err")" "0 "; }

# ---- blocks: two targets in the same interleaved runs -------------------------------------------
scene pairs <<'END'
targets plain encrypted
fact system - - kernel 6.1
fact dataset - plain encryption off
fact dataset - encrypted encryption aes-256-gcm
fact dataset - plain name tank/plain
fact dataset - encrypted name tank/encrypted
label room cellar
run 2025-01-01
it stream write plain w50e6 100e6 102e6
it stream write encrypted w50e6 90e6 93e6
it stream read plain 500e6 504e6
it stream read encrypted 501e6 504e6
end
label room attic
run 2025-01-02
it stream write plain w50e6 101e6 103e6
it stream write encrypted w50e6 92e6 91e6
it stream read plain 502e6 506e6
it stream read encrypted 503e6 507e6
end
label room attic
run 2025-01-03
it stream write plain w50e6 99e6 100e6
it stream write encrypted w50e6 90e6 92e6
it stream read plain 499e6 503e6
it stream read encrypted 500e6 502e6
end
END
write="j.value ->> 'phase' = 'write'" read="j.value ->> 'phase' = 'read'"
rep pairs compare --format json
ok_exit "blocks"
is "blocks: by target, the first is the baseline" \
    "$(rows "j.value ->> 'by', j.value ->> 'a', j.value ->> 'b'" "$write")" "target|plain|encrypted"
is "blocks: counted in blocks, one value a run" \
    "$(rows "j.value ->> 'n_of', j.value ->> 'n_a', j.value ->> 'n_b', j.value ->> 'runs_a',
             j.value ->> 'runs_b'" "$write")" "blocks|3|3|3|3"
numbers "blocks (R t.test of mean log-ratios a run)" "$write" \
    change_pct=-9.42009901712688169 change_low_pct=-11.56073453252175476 \
    change_high_pct=-7.22765031235793565 paired_low_pct=-11.56073453252175476 \
    paired_high_pct=-7.22765031235793565 p=0.00314152165675744 mean_a=100833333.333333329 \
    sd_a=1258305.739211792 mean_b=91333333.333333329 sd_b=288675.134594813 diff=-9500000 \
    diff_low=-11984137.71175033 diff_high=-7015862.28824967
numbers "blocks, read" "$read" change_pct=0.0996219169840273 change_low_pct=-0.1457819829521867 \
    change_high_pct=0.3456289268869650 p=0.2230332119323863 p_adj=0.223033211932386
numbers "blocks: Holm over the two headline rows" "$write" p_adj=0.00628304331351488
is "blocks: verdicts" "$(rows "j.value ->> 'verdict'" | tr '\n' ' ')" "slower same "
is "blocks: the fact that differs between the targets, names do not count" \
    "$(rows "j.value ->> 'also_differs'" "$write")" "dataset.encryption off / aes-256-gcm"
rep pairs compare --metric all --format json
is "other metrics have no verdict and no adjusted p" \
    "$(rows "count(*) FILTER (WHERE j.value ->> 'metric' IN ('duration', 'throughput')
             AND (j.value ->> 'verdict' IS NOT NULL OR j.value ->> 'p_adj' IS NOT NULL)
             AND j.value ->> 'phase' = 'write')")" 0
numbers "other metrics: Holm as without them" "$write AND j.value ->> 'metric' = 'throughput_durable'" \
    p_adj=0.00628304331351488
is "duration: lower is better, its change is the other way" \
    "$(rows "j.value ->> 'change_pct' > 0" "$write AND j.value ->> 'metric' = 'duration'")" 1
rep pairs
says "summary: the answer" out "encrypted against plain: 1 of 2 is slower, 1 the same."
is "summary: the first line" "$(sed -n 1p "$T/out")" \
    "encrypted against plain: 1 of 2 is slower, 1 the same."
says "summary: the sentence of the row" "$T/flat" "encrypted is 7 to 12 % slower than plain" \
    "2 rows tested together" "This differs too: dataset.encryption off / aes-256-gcm"
same pairs.txt
rep pairs compare --baseline encrypted --format json
is "--baseline: the other way round" \
    "$(rows "j.value ->> 'a', j.value ->> 'b', j.value ->> 'verdict'" "$write")" \
    "encrypted|plain|faster"
numbers "--baseline: the ratio is the inverse" "$write" \
    change_pct="100 * (1 / (1 - 0.0942009901712688169) - 1)"
rep pairs compare --by dataset.encryption --format json
is "--by a fact that differs between the targets only: they are compared, in blocks" \
    "$code $(rows "j.value ->> 'a', j.value ->> 'b', j.value ->> 'n_of', j.value ->> 'verdict'" "$write")" \
    "0 off|aes-256-gcm|blocks|slower"
is "it is no other difference" "$(rows "j.value ->> 'also_differs'" "$write")" ""
rep pairs compare --by label:room --format json
is "--by label" "$(rows "j.value ->> 'by', j.value ->> 'a', j.value ->> 'b', j.value ->> 'n_of',
    j.value ->> 'n_a', j.value ->> 'n_b'" \
    "$write AND j.value ->> 'target' = 'plain'")" "label:room|cellar|attic|runs|1|2"
is "--by label: two against one is undecided" "$(rows "j.value ->> 'verdict'" \
    "$write AND j.value ->> 'target' = 'plain'")" "undecided (one run so far)"
rep pairs compare --by run --format json
is "--by run: two pairs a target, against the oldest" \
    "$(rows "count(*), count(DISTINCT j.value ->> 'b'), max(j.value ->> 'a')" "$write")" "4|2|5ce00001"
is "--by run: one run each" "$(rows "DISTINCT j.value ->> 'verdict', j.value ->> 'n_of'")" \
    "undecided (one run each)|iterations"
rep pairs compare --by run --baseline 5ce00003 --format json
is "--by run --baseline" "$(rows "DISTINCT j.value ->> 'a'")" 5ce00003
rep pairs compare --run 5ce00002 --format json
is "--run: one interleaved run, its blocks" "$(rows "j.value ->> 'n_of', j.value ->> 'n_a',
    j.value ->> 'runs_a'" "$write")" "blocks|2|1"
rep pairs compare --label room=attic --format json
is "--label: runs with it" "$(rows "j.value ->> 'runs_a'" "$write")" 2
rep pairs compare --where dataset.encryption=off --format json
is "--where: targets where it was so, alone there is nothing to compare" "$(rows "count(*)")" 0
rep pairs trend --where encryption=off --where kernel=6.1 --format json
is "--where: short names, repeatable" "$(rows "DISTINCT j.value ->> 'target'")" plain
is "dataset in trend" "$(rows "DISTINCT j.value ->> 'dataset'")" tank/plain
rep pairs trend --target encrypted --workload stream --format json
is "--target, --workload" "$(rows "count(*), min(j.value ->> 'target')")" "2|encrypted"
rep pairs trend --since 2025-01-02 --until 2025-01-02T12:00 --each --format json
is "--since, --until" "$(rows "DISTINCT j.value ->> 'run'")" 5ce00002
rep pairs --run 5ce00002
is "--run in both" "$code $(grep -c 5ce00 "$T/out")" "0 0"
rep pairs trend --label room=attic --label room=cellar --format json
is "--label, repeated: all of them must be true" "$(rows "count(*)")" 0
rep pairs --mask
lacks "--mask: no name" out nas plain encrypted tank "$T"
says "--mask: consistent" out host-1 "target-2 against target-1"
rep pairs --units iec
says "--units iec" out "MiB/s"
rep pairs -o "$T/file.txt"
is "-o: nothing on stdout" "$(cat "$T/out")" ""
rep pairs
check "-o: the same as on stdout" cmp -s "$T/out" "$T/file.txt"
rep pairs -o "$T/pairs.db"
one_line "-o on the history" "the history itself"
check "-o on the history: it is whole" "$ZHIST" --db "$T/pairs.db" db check
rep pairs -o "$T/no/such/folder"
is "-o that cannot be written" "$code" 1
one_line "-o that cannot be written" "no/such/folder"

scene one <<'END'
targets plain encrypted
run 2025-01-01
it stream write plain 100e6 102e6 101e6 99e6
it stream write encrypted 120e6 121e6 125e6 119e6
end
END
rep one compare --format json
is "one interleaved run" "$(rows "j.value ->> 'n_of', j.value ->> 'n_a', j.value ->> 'verdict'")" \
    "blocks|4|faster"
numbers "one interleaved run (R t.test of log-ratios of blocks)" 1 change_pct=20.6331623022416 \
    change_low_pct=17.2175945364444 change_high_pct=24.1482552562913 p=0.000243583086967725 \
    p_adj=0.000243583086967725 mean_a=100500000 sd_a=1290994.44873581 mean_b=121250000 \
    sd_b=2629955.63967658 diff=20750000 diff_low=17221692.1410693 diff_high=24278307.8589307
rep one
is "singular" "$(sed -n 1p "$T/out")" "encrypted against plain: 1 of 1 is faster."

# ---- runs: before and after an event ------------------------------------------------------------
scene event <<'END'
targets tank/bench
fact system - - kernel 6.6.44
fact system - - kernel_build #1
fact system - - zhist 0.1.0
fact mount - tank/bench option.relatime on
cell stream read * cached no psync
run 2025-01-01
it stream write tank/bench 170e6 171e6 172e6
it stream read tank/bench 5.8e9 5.81e9 5.79e9
it random randread tank/bench 118 119 120
end
run 2025-01-02
it stream write tank/bench 171e6 171e6 172e6
it stream read tank/bench 5.8e9 5.81e9 5.79e9
it random randread tank/bench 119 119 120
end
run 2025-01-03
it stream write tank/bench 171.5e6 171e6 172e6
it stream read tank/bench 5.82e9 5.81e9 5.79e9
it random randread tank/bench 118 119 121
end
fact system - - kernel 6.12.15
fact system - - kernel_build #2
fact mount - tank/bench option.relatime off
cell stream read * cold no psync
run 2025-01-04
it stream write tank/bench 151e6 151e6 152e6
it stream read tank/bench 312e6 311e6 310e6
it random randread tank/bench 119 119 120
end
run 2025-01-05
it stream write tank/bench 152e6 151e6 152e6
it stream read tank/bench 312e6 311e6 310e6
it random randread tank/bench 118 119 120
end
END
rep event compare --format json
numbers "runs (Welch in R)" "$write" diff=-19666666.6666667 diff_low=-24041527.5688440 \
    diff_high=-15291805.7644893 diff_pct_low="100 * -24041527.5688440 / 171166666.666666667" \
    change_pct=-11.4897760467380650 change_low_pct=-14.1797227879327572 \
    change_high_pct=-8.7155157411326734 p=0.0099639214231648 p_adj=0.0099639214231648 \
    sd_a=288675.134594813 sd_b=707106.781186548
is "event: by the system's setting first, newest against before" \
    "$(rows "j.value ->> 'by', j.value ->> 'a', j.value ->> 'b'" "$write")" \
    "system.kernel|6.6.44|6.12.15"
is "event: both settings differ, what follows the kernel is not told" \
    "$(rows "j.value ->> 'also_differs'" "$write")" \
    "mount.option.relatime on / off"
is "event: cached to cold is a new meaning, and is not tested" \
    "$(rows "j.value ->> 'verdict', j.value ->> 'class_a', j.value ->> 'class_b', j.value ->> 'p_adj'" "$read")" \
    "new meaning|cached|cold|"
is "event: equal values" "$(rows "j.value ->> 'verdict'" "j.value ->> 'phase' = 'randread'")" \
    "same (no spread recorded: check timer resolution)"
for width in 80 100 200; do
    COLUMNS=$width rep event
    same event-$width.txt
    fits "event" $width
done
is "event: the first line" "$(sed -n 1p "$T/out")" \
    "Since 2025-01-04 (kernel 6.6.44 -> 6.12.15 and 1 more): 1 of 3 is slower, 1 the same, 1 has a new meaning."
rep event -v
same event-v.txt
for format in csv json markdown; do
    rep event --format $format
    same event.$format
done
rep event trend --each --format csv
is "trend --each: the event is in the row of its run" \
    "$(grep -c 'kernel 6.6.44 -> 6.12.15' "$T/out")" 3
says "trend: a class that changed is an event of its own" out \
    "was served from memory, now comes from the disks: not comparable"
rep event trend --since 2025-01-05 --format csv
lacks "trend: an event before the window is not told" out "kernel 6.6.44"
rep event trend --each
same event-each.txt
rep event compare --by kernel --format json
is "--by, short name: the same numbers" "$(rows "j.value ->> 'verdict'" "$write")" slower
is "--by: the fact itself and what follows it do not differ too" \
    "$(rows "j.value ->> 'also_differs'" "$write")" "mount.option.relatime on / off"
is "--by a fact: a class that changed is not comparable" "$(rows "j.value ->> 'verdict'" "$read")" \
    "not comparable (cache class)"
rep event compare --by system.kernel --baseline 6.12.15 --format json
is "--by, long name, and --baseline" "$(rows "j.value ->> 'a', j.value ->> 'verdict'" "$write")" \
    "6.12.15|faster"
rep event compare --by system.kernel
says "a sentence calls values by their setting" "$T/flat" "kernel 6.12.15 is 9 to 14 % slower than kernel 6.6.44"
rep event --metric duration
is "--metric: numbers only, and one thing with a new meaning" "$(sed -n 1p "$T/out")" \
    "Since 2025-01-04 (kernel 6.6.44 -> 6.12.15 and 1 more): 1 of 1 has a new meaning."
rep event --metric duration --workload random
is "--metric: not a headline" "$(sed -n 1p "$T/out")" \
    "Since 2025-01-04 (kernel 6.6.44 -> 6.12.15 and 1 more): numbers only; a verdict is given for the headline of each phase."
rep event --until 2025-01-03
is "no event before: nothing to compare, one sentence" "$code $(sed -n 1p "$T/out")" \
    "0 Nothing to compare yet: no two targets in one run, and no setting changed in this time."
rep event --by system.zhist
is "--by with one value" "$(sed -n 1p "$T/out")" \
    "Nothing to compare: system.zhist is 0.1.0 in every run; record again after it changed, or name another (zhist show facts)."

# A mount option that changes back, zhist's own version, direct no -> yes, the engine.
scene back <<'END'
targets t
fact system - - zhist 0.1.0
fact mount - t option.atime on
cell stream read * cold no psync
run 2025-02-01
it stream read t 300e6 301e6 302e6
end
fact mount - t option.atime off
run 2025-02-02
it stream read t 300e6 301e6 302e6
end
fact mount - t option.atime on
run 2025-02-03
it stream read t 300e6 301e6 303e6
end
run 2025-02-04
it stream read t 300e6 302e6 303e6
end
fact system - - zhist 0.2.0
cell stream read * cold yes psync
run 2025-02-05
it stream read t 200e6 201e6 202e6
end
END
rep back trend --each --format csv
says "trend: an option changed, and changed back" out "mount option atime on -> off" \
    "mount option atime off -> on" "zhist 0.1.0 -> 0.2.0"
rep back compare --format json
is "compare: the newest event, runs back to the event before" \
    "$(rows "j.value ->> 'by', j.value ->> 'runs_a', j.value ->> 'runs_b'")" "system.zhist|2|1"
is "direct no to yes is a new meaning" "$(rows "j.value ->> 'verdict'")" "new meaning"
rep back
says "direct: why" "$T/flat" "O_DIRECT was not obeyed, now it is"
rep back compare --by option.atime --until 2025-02-04T12:00 --format json
is "--by an option that changed back: all runs of each value" \
    "$(rows "j.value ->> 'a', j.value ->> 'runs_a', j.value ->> 'b', j.value ->> 'runs_b'")" "on|3|off|1"

scene engine <<'END'
targets t
fact system - - kernel 1
cell stream write * n/a no psync
run 2025-02-01
it stream write t 100e6 101e6
end
run 2025-02-02
it stream write t 100e6 102e6
end
fact system - - kernel 2
cell stream write * n/a no uring
run 2025-02-03
it stream write t 200e6 201e6
end
run 2025-02-04
it stream write t 200e6 202e6
end
END
rep engine compare --format json
is "another engine" "$(rows "j.value ->> 'verdict', j.value ->> 'p_adj'")" "not comparable (engine)|"
rep engine
says "another engine: why" "$T/flat" "1 of 1 cannot be compared" "differ in engine"

# 20 before and 9 after of 25 and 12.
awk 'BEGIN { srand(1); print "targets t\nfact system - - kernel 1"
    for (i = 1; i <= 37; i++) {
        if (i == 26) print "fact system - - kernel 2"
        printf "run 2025-%02d-%02d\nit stream write t %d %d %d\nend\n", 1 + int((i - 1) / 28),
            (i - 1) % 28 + 1, 100e6 + i % 3 * 1e6, 101e6, 102e6 + i % 2 * 1e6 } }' | scene many
rep many compare --format json
is "at most 20 runs a side" "$(rows "j.value ->> 'runs_a', j.value ->> 'runs_b', j.value ->> 'verdict'")" \
    "20|12|same"
rep many compare --until 2025-02-06T12:00 --format json
is "20 before, 9 after" "$(rows "j.value ->> 'n_a', j.value ->> 'n_b'")" "20|9"
rep many trend --each --format json
is "trend --each: the last 20" "$(rows 'count(*)')" 20
rep many trend --each --all --since 2024-01-01 --format json
is "trend --each --all: every one" "$(rows 'count(*)')" 37
rep many trend --format json
is "trend: usual range of all runs before (type 7)" \
    "$(rows "j.value ->> 'usual_low', j.value ->> 'usual_high'")" "101000000|102000000"

# ---- one run against several --------------------------------------------------------------------
five() { # NAME RUNS-BEFORE LAST
    {
        echo "targets t
fact system - - kernel 1"
        i=0
        for value in 100 101 99 102 98; do
            i=$((i + 1))
            [ $i -le "$2" ] && echo "run 2025-03-0$i
it stream write t $((value - 1))e6 ${value}e6 $((value + 1))e6
end"
        done
        echo "fact system - - kernel 2
run 2025-03-09
it stream write t $3
end"
    } | scene "$1"
}
five five 5 "79e6 80e6 81e6"
rep five compare --format json
is "five against one: only with a ?" "$(rows "j.value ->> 'verdict', j.value ->> 'n_a', j.value ->> 'n_b',
    j.value ->> 'n_of'")" "slower?|5|1|runs"
numbers "five against one (prediction interval in R)" 1 change_pct=-20 \
    change_low_pct=-24.80894398662849554 change_high_pct=-15.19105601337150624 \
    p=0.00032126632845986 diff=-20000000 diff_low=-24808943.9866285 diff_high=-15191056.0133715
rep five
is "five against one: it may be" "$(sed -n 1p "$T/out")" "Since 2025-03-09 (kernel 1 -> 2): 1 of 1 may be slower."
says "five against one: why" "$T/flat" "15 to 25 % slower since then" "one run so far"
five four 4 "79e6 80e6 81e6"
rep four compare --format json
is "four against one is undecided" "$(rows "j.value ->> 'verdict'")" "undecided (one run so far)"
numbers "four against one: the change is shown" 1 change_pct="100 * (80 / 100.5 - 1)"
five each 1 "90e6 91e6 92.5e6"
rep each compare --format json
is "one run each" "$(rows "j.value ->> 'verdict', j.value ->> 'n_of', j.value ->> 'p'")" \
    "undecided (one run each)|iterations|"
rep each
is "one run each: undecided" "$(sed -n 1p "$T/out")" "Since 2025-03-09 (kernel 1 -> 2): 1 of 1 is undecided."
says "one run each: why" "$T/flat" "Record both again"
scene each2 <<'END'
targets t
fact system - - kernel 1
run 2025-03-01
it stream write t 100e6 101e6 102e6
end
fact system - - kernel 2
run 2025-03-02
it stream write t 90e6 91e6 92.5e6
end
END
rep each2 compare --format json
numbers "one run each (R)" 1 change_pct=-9.73597359735973 change_low_pct=-12.26059518780075 \
    change_high_pct=-7.13870831633790 diff=-9833333.33333333 diff_low=-12462410.73907044 \
    diff_high=-7204255.92759622

# ---- what is left out ---------------------------------------------------------------------------
scene left <<'END'
targets a b
run 2025-04-01
it stream write a w1e6 100e6 f0 101e6 102e6 101e6 102e6
it stream write b w1e6 200e6 201e6 i0 202e6 201e6 202e6
end
run 2025-04-02
it stream write a w1e6 100e6
it stream write b w1e6 200e6
finding other-io disturbed - - other I/O
end
run 2025-04-03
it stream write a w1e6 100e6
it stream write b w1e6 200e6
finding other-io disturbed b - other I/O
end
run 2025-04-04
it stream write a w1e6 100e6 100e6 101e6 102e6
it stream write b w1e6 200e6 201e6 200e6 202e6
crash
END
rep left compare --until 2025-04-02T12:00 --format json
is "failed iterations break their pair only, disturbed runs are left out" \
    "$(rows "j.value ->> 'n_of', j.value ->> 'n_a', j.value ->> 'runs_a'")" "blocks|4|1"
rep left compare --format json
is "a run with one side left counts for that side" \
    "$(rows "j.value ->> 'n_of', j.value ->> 'runs_a', j.value ->> 'runs_b', j.value ->> 'verdict'")" \
    "runs|2|1|undecided (one run so far)"
rep left compare --include disturbed --format json
is "--include disturbed: they count" "$(rows "j.value ->> 'runs_a', j.value ->> 'left_out'")" "3|0"
rep left
says "a run that never ended is told" out "1 run did not end: zhist show runs"
run "$ZHIST" --db "$T/left.db" show runs --format csv
is "show runs: it crashed" "$(sed -n 2p "$T/out" | cut -d, -f1,6)" "5ce00004,crashed"
rep left trend --format json
is "trend: newest undisturbed run, its findings only" \
    "$(rows "j.value ->> 'target', j.value ->> 'run', j.value ->> 'findings'" | tr '\n' ' ')" \
    "a|5ce00003| b|5ce00001| "
# Some iterations of each run, warm-ups first: they are counted as left out.
cp "$T/pairs.db" "$T/some.db"
sqlite3 "$T/some.db" "INSERT INTO finding(run_id, iteration_id, code, severity, text)
    SELECT run_id, id, 'other-io', 'disturbed', 'x' FROM iteration WHERE phase = 'write' AND ordinal = 2
    AND target_id = 1 AND run_id < 3;
    UPDATE rollup SET n = 1, n_left_out = 1 WHERE everything = 0 AND phase = 'write' AND target_id = 1
    AND run_id < 3"
rep some compare --format json
is "left_out counts disturbed iterations behind a warm-up" "$(rows "j.value ->> 'left_out'" "$write")" 2
run "$ZHIST" --db "$T/pairs.db" show run 5ce00001
same show-run.txt
cp "$T/pairs.db" "$T/excluded.db"
check "exclude" "$ZHIST" --db "$T/excluded.db" exclude 5ce00003 --reason "a scrub"
rep excluded compare --format json
is "an excluded run does not count" "$(rows "j.value ->> 'runs_a'" "$write")" 2
rep excluded trend --each --format csv
lacks "an excluded run is not in trend" out 5ce00003
check "include" "$ZHIST" --db "$T/excluded.db" include 5ce00003
rep excluded compare --format json
is "an included run counts again" "$(rows "j.value ->> 'runs_a'" "$write")" 3

# A series' newest run answers for it, whichever of its runs were paired.
scene newest <<'END'
targets a b
run 2025-04-01
it stream write a 100e6 101e6
it stream write b 100e6 101e6
end
run 2025-04-02
it stream write a 100e6 101e6
it stream write b 100e6 102e6
end
order sequential
targets b
cell stream write * n/a no uring
run 2025-04-03
it stream write b 100e6 101e6
end
END
rep newest compare --format json
is "the engine of the newest run counts" "$(rows "j.value ->> 'verdict'")" "not comparable (engine)"
# Iterations of another class than their cell are never counted in it.
scene deviant <<'END'
targets a b
run 2025-04-01
it stream read a 100e6 101e6 102e6 101e6
it stream read b 100e6 101e6 5000e6 103e6
end
END
sqlite3 "$T/deviant.db" "UPDATE iteration SET cache_class = 'cached' WHERE ordinal = 3 AND target_id = 2"
rep deviant compare --format json
is "an iteration from memory in a cell of the disks does not count" \
    "$(rows "j.value ->> 'n_a', j.value ->> 'mean_b' < 110e6")" "3|1"
# A renamed target goes on as the one it was.
scene alias <<'END'
targets old
run 2025-04-01
it stream write old 100e6 101e6
end
targets new
run 2025-04-02
it stream write new 100e6 102e6
end
END
sqlite3 "$T/alias.db" "UPDATE target SET alias_of = 1 WHERE name = 'new'"
rep alias trend --format json
is "alias_of joins targets in trend" "$(rows "j.value ->> 'target', j.value ->> 'change_pct' > 0")" "old|1"
rep alias trend --target new
is "alias_of: its old name is its name" "$code" 2
# ---- events: whose, and against what -------------------------------------------------------------
# A disk is itself by its serial, under each target that stands on it; kernel names are handed out anew.
scene disks <<'END'
targets a b
fact disk 0123456789ab a name sda
fact disk 0123456789ab a model WD40
fact disk 0123456789ab a scheduler none
fact disk cdef01234567 b name sdb
fact disk cdef01234567 b model ST8000
fact disk cdef01234567 b scheduler none
run 2025-04-01
it stream write a 100e6 101e6
it stream write b 100e6 101e6
end
fact disk 0123456789ab a name sdb
fact disk cdef01234567 b name sda
run 2025-04-02
it stream write a 100e6 101e6
it stream write b 100e6 101e6
end
fact disk cdef01234567 b scheduler mq-deadline
run 2025-04-03
it stream write a 100e6 101e6
it stream write b 100e6 101e6
end
nofact disk 0123456789ab a name
nofact disk 0123456789ab a model
nofact disk 0123456789ab a scheduler
run 2025-04-04
it stream write a 100e6 101e6
it stream write b 100e6 101e6
end
fact disk 89ab01234567 a name sdb
fact disk 89ab01234567 a model WD40
fact disk 89ab01234567 a scheduler none
run 2025-04-05
it stream write a 100e6 101e6
it stream write b 100e6 101e6
end
END
rep disks trend --each --format json
is "disks: swapped kernel names are no event, nor is a run that saw none, nor the other target's disk" \
    "$(rows "j.value ->> 'target', substr(j.value ->> 'run', 8), j.value ->> 'event'" \
        "j.value ->> 'event' IS NOT NULL")" \
    "a|5|disk sdb (WD40) [0123456789ab] present yes -> no, disk sdb (WD40) [89ab01234567] present no -> yes
b|3|disk sda (ST8000) scheduler none -> mq-deadline"
rep disks trend --each --mask --format json
lacks "disks: --mask hides what comes from the serial" out 0123456789ab 89ab01234567
rep disks compare --since 2025-04-01 --until 2025-04-03 --format json
is "disks: between targets they differ, by name and model" "$(rows "j.value ->> 'also_differs'")" \
    "disk sda (ST8000) [cdef01234567] present no / yes, disk sdb (WD40) [0123456789ab] present yes / no"
rep disks --mask
lacks "disks: nor in compare" out 0123456789ab 89ab01234567
rep disks compare --by target --run 5ce00004 --format json
is "disks: one side saw none: nothing differs" "$(rows "j.value ->> 'also_differs'")" ""
# What a newer zhist asks for the first time did not change; a mount option that came did.
scene probed <<'END'
targets t
fact system - - kernel 1
fact mount - t fstype ext4
run 2025-04-01
it stream write t 100e6 101e6
end
fact system - - governor performance
fact mount - t backing disk
run 2025-04-02
it stream write t 100e6 101e6
end
fact mount - t option.sync on
run 2025-04-03
it stream write t 90e6 91e6
end
run 2025-04-04
it stream write t 90e6 92e6
end
END
rep probed trend --each --format json
is "a fact that is new is no event, a mount option is" \
    "$(rows "substr(j.value ->> 'run', 8), j.value ->> 'event'" "j.value ->> 'event' IS NOT NULL")" \
    "3|mount option sync none -> on"
rep probed compare --format json
is "nor does it differ" "$(rows "j.value ->> 'by', j.value ->> 'also_differs'")" \
    "mount.option.sync|"
# Runs by root and by others alternate: what only one of them can read is compared all the same.
scene gaps <<'END'
targets t
fact system - - product A
run 2025-04-01
it stream write t 100e6 101e6
end
fact system - - product ?
run 2025-04-02
it stream write t 100e6 101e6
end
fact system - - product A
run 2025-04-03
it stream write t 100e6 101e6
end
fact system - - product ?
run 2025-04-04
it stream write t 100e6 101e6
end
fact system - - product B
run 2025-04-05
it stream write t 100e6 101e6
end
END
rep gaps trend --each --format json
is "known, unknown, another: an event; the same again: none" \
    "$(rows "substr(j.value ->> 'run', 8), j.value ->> 'event'" "j.value ->> 'event' IS NOT NULL")" \
    "5|product A -> B"
# A filter may hide the run an event began at, and leave nothing between two events.
scene hidden <<'END'
targets t
fact system - - kernel 1
label kind good
run 2025-04-01
it stream write t 100e6 101e6
end
label kind good
run 2025-04-02
it stream write t 100e6 102e6
end
fact system - - thp always
fact system - - governor x
run 2025-04-03
it stream write t 100e6 101e6
it random randread t 100 101
end
fact system - - governor y
run 2025-04-04
it stream write t 100e6 101e6
end
fact system - - kernel 2
run 2025-04-05
it stream write t 80e6 81e6
end
label kind good
run 2025-04-06
it stream write t 80e6 82e6
end
label kind good
run 2025-04-07
it stream write t 80e6 81e6
it random randread t 100 101
end
END
rep hidden compare --label kind=good --format json
is "a label hides the run of the event: before and after it all the same" \
    "$(rows "j.value ->> 'by', j.value ->> 'a', j.value ->> 'b', j.value ->> 'runs_a', j.value ->> 'runs_b'")" \
    "system.kernel|1|2|2|2"
rep hidden compare --since 2025-04-05 --label kind=good --format json
is "the window begins at the hidden run" "$(rows "j.value ->> 'runs_a', j.value ->> 'runs_b'")" "2|2"
rep hidden compare --workload random --format json
is "a workload that was away: all that changed meanwhile differs" \
    "$(rows "j.value ->> 'by', j.value ->> 'also_differs'")" \
    "system.kernel|system.governor x / y"
rep hidden trend --each --workload random --format json
is "trend: so does its next row" "$(rows "j.value ->> 'event'" "j.value ->> 'run' = '5ce00007'")" \
    "governor x -> y, kernel 1 -> 2"
# Runs of one moment are in the order they were recorded.
scene tie <<'END'
targets t
fact system - - kernel 1
run 2025-04-01
it stream write t 100e6 101e6
end
run 2025-04-01
it stream write t 110e6 111e6
end
run 2025-04-01
it stream write t 120e6 121e6
end
fact system - - kernel 2
run 2025-04-01
it stream write t 90e6 91e6
end
run 2025-04-01
it stream write t 90e6 92e6
end
END
rep tie trend --run 5ce00004 --format json
is "equal times: usual is of the runs before" \
    "$(rows "j.value ->> 'usual_low', j.value ->> 'usual_high'")" "101500000|119500000"
rep tie compare --format json
is "equal times: before and after" "$(rows "j.value ->> 'runs_a', j.value ->> 'runs_b', j.value ->> 'mean_a'")" \
    "3|2|110500000"
# A reinstalled host is an alias: its targets are those of the former one, events go across.
scene moved <<'END'
host old
targets t u
fact system - - kernel 1
run 2025-04-01
it stream write t 100e6 101e6
it stream write u 100e6 101e6
end
run 2025-04-02
it stream write t 100e6 102e6
it stream write u 100e6 102e6
end
host new
fact system - - kernel 2
targets u renamed
run 2025-04-03
it stream write u 90e6 91e6
it stream write renamed 90e6 91e6
end
run 2025-04-04
it stream write u 90e6 92e6
it stream write renamed 90e6 92e6
end
END
sqlite3 "$T/moved.db" "UPDATE host SET alias_of = 1 WHERE id = 2;
    UPDATE target SET alias_of = (SELECT id FROM target WHERE name = 't') WHERE name = 'renamed'"
rep moved trend --format json
is "an aliased host: one series a target, the event between them" \
    "$(rows "j.value ->> 'host', j.value ->> 'target', j.value ->> 'event', j.value ->> 'change_pct' < 0")" \
    "old|t|kernel 1 -> 2|1
old|u|kernel 1 -> 2|1"
rep moved compare --by system.kernel --format json
is "an aliased host: --by a fact" "$(rows "j.value ->> 'target', j.value ->> 'runs_a', j.value ->> 'runs_b'")" \
    "t|2|2
u|2|2"
rep moved compare --target t --format json
is "an aliased host: before and after" "$(rows "j.value ->> 'by', j.value ->> 'runs_a', j.value ->> 'runs_b'")" \
    "system.kernel|2|2"
run "$ZHIST" --db "$T/moved.db" show targets --format csv
is "show targets: one row for all that go by a name" "$(grep -c '^old,' "$T/out")" 2

# ---- disturbed: a phase, and more than a third ---------------------------------------------------
scene phase <<'END'
targets t
run 2025-04-01
it stream write t 100e6 101e6
it stream read t 100e6 101e6
end
run 2025-04-02
it stream write t 100e6 101e6
it stream read t 100e6 101e6
end
run 2025-04-03
it stream write t 100e6 101e6
it stream read t 100e6 101e6
end
run 2025-04-04
it stream write t 100e6 101e6
it stream read t 100e6 101e6
finding other-io disturbed t stream/read other I/O
end
END
rep phase trend --format json
is "a finding of a phase disturbs that phase" \
    "$(rows "j.value ->> 'phase', j.value ->> 'run', j.value ->> 'findings'")" "write|5ce00004|
read|5ce00003|"
rep phase trend --include disturbed --format json
is "and is told there" "$(rows "j.value ->> 'phase', j.value ->> 'findings'")" "write|
read|other-io"
is "v_iteration too" "$(sqlite3 "$T/phase.db" "SELECT group_concat(DISTINCT phase) FROM v_iteration
    WHERE disturbed")" read
scene forced <<'END'
targets a b
run 2025-04-01
it stream write a 100e6 101e6 102e6
it stream write b 80e6 81e6 82e6
finding low-space refuse - - forced
end
run 2025-04-02
it stream write a 100e6 101e6 103e6
it stream write b 80e6 81e6 83e6
finding low-space refuse - - forced
end
END
rep forced
is "forced runs: none is left out" "$(sed -n 1p "$T/out")" "b against a: 1 of 1 is slower."
says "forced runs: trend says so" "$T/flat" \
    "nas, a: over a third of the iterations of this time were disturbed, so none is left out." \
    "Over a third of these iterations were disturbed, so none is left out."
is "forced runs: each sentence once" "$(grep -c 'a third of the ' "$T/out") $(grep -c 'a third of these' "$T/out")" "2 1"
rep forced compare --format json
is "forced runs: none left out" "$(rows "j.value ->> 'runs_a', j.value ->> 'n_a', j.value ->> 'left_out'")" "2|2|0"
rep forced --include disturbed
lacks "forced runs: --include disturbed need not be explained" out "a third"
rep phase compare --by run --format json
is "a third and less is left out" "$(rows "count(*)" "$read")" 2

# ---- labels --------------------------------------------------------------------------------------
scene label <<'END'
profile
zhist: 1
name: labels
run: {iterations: 3}
workloads:
  - {name: big, kind: file, size: 64MiB, block: 1MiB, phases: [write, read]}
  - {name: small, kind: file, size: 64MiB, block: 64KiB, phases: [write]}
  - {name: rnd, kind: file, size: 64MiB, block: 4KiB, phases: [randread, randwrite], time: 1s}
end
targets mem nfs disk none
fact mount - mem backing memory
fact mount - nfs backing network
fact mount - disk backing disk
cell big read * unknown no psync
run 2025-04-01
it big write mem 1e6 2e6
it big read mem 1e6 2e6
it small write nfs 1e6 2e6
it big read nfs 1e6 2e6
it rnd randread nfs 1 2
it big write disk 1e6 2e6
it small write disk 1e6 2e6
it rnd randread disk 1 2
it rnd randwrite disk 1e6 2e6
it big read none 1e6 2e6
end
END
rep label trend --metric throughput
says "labels: by what lies beneath, sizes of random files, names of twins" out \
    "write 64 MiB, to memory" "read 64 MiB, from memory" "write 64 MiB, on server" \
    "read 64 MiB, memory or server" "random read 4 KiB in 64 MiB, server" \
    "write 64 MiB, on disk, big" "write 64 MiB, on disk, small" \
    "random read 4 KiB in 64 MiB, disk" "random write 4 KiB in 64 MiB, on disk" \
    "read 64 MiB, memory or disk"
lacks "labels: no name where there is no twin" out "server, small" "memory, big"
run "$ZHIST" --db "$T/label.db" show run 5ce00001
says "labels: of show run" out "write 64 MiB, on disk, big" "write 64 MiB, on disk, small"
sqlite3 "$T/label.db" "UPDATE workload SET spec = json_set(spec, '\$.quick', json('true')) WHERE name = 'small'"
rep label trend
says "labels: quick" out "write 64 MiB, on disk, quick" "write 64 MiB, on disk "
sqlite3 "$T/label.db" "UPDATE workload SET spec = json_remove(spec, '\$.quick'), name = 'big' WHERE name = 'small'"
rep label trend --target disk --format json
is "labels: of one name, the digest" \
    "$(rep label trend --target disk && grep -c '  write 64 MiB, on disk, big [0-9a-f]\{4\} ' "$T/out")" 2

# ---- a day as the end ----------------------------------------------------------------------------
rep probed trend --until 2025-04-01 --each --format json
is "--until a day: all of that day" "$(rows "count(*)")" 1
rep probed trend --until 2025-04-02T00:00 --each --format json
is "--until a moment: up to then" "$(rows "count(*)")" 2
rep probed trend --until 2025-03-31 --each --format json
is "--until the day before" "$(rows "count(*)")" 0
wrong_day() { rep probed --until "$1"; one_line "--until $1" "until \"$1\""; }
wrong_day 2025-02-30

# A workload that nobody runs any more leaves the table.
awk 'BEGIN { print "targets t"
    for (i = 1; i <= 28; i++)
        printf "run 2025-02-%02d\nit stream write t 100e6 101e6\n%send\n", i,
            i < 5 ? "it stream read t 100e6 101e6\n" : "" }' | scene dead
rep dead trend --format json
is "a series without runs in the window is not shown" "$(rows "j.value ->> 'phase'")" write
rep dead trend --since 2025-02-01 --format json
is "in a longer window it is" "$(rows "count(*)")" 2
rep dead trend --run 5ce00002 --since 2025-02-01 --format json
is "trend --run: that run against those before" \
    "$(rows "j.value ->> 'run', j.value ->> 'n'" "$write")" "5ce00002|2"

# ---- odd values ---------------------------------------------------------------------------------
scene odd <<'END'
targets a b
run 2025-05-01
it stream write a 100e6 100e6
it stream write b 150e6 150e6
it stream read a -1e6 1e6
it stream read b 5e6 6e6
end
run 2025-05-02
it stream write a 100e6 100e6
it stream write b 150e6 150e6
it stream read a -1e6 1e6
it stream read b 5e6 6.5e6
end
END
rep odd compare --format json
is "constant values that differ: insufficient" "$(rows "j.value ->> 'verdict'" "$write")" \
    "insufficient (zero variance)"
is "values below zero: no ratio, a difference" \
    "$(rows "j.value ->> 'change_pct', j.value ->> 'diff' > 0, j.value ->> 'diff_pct_low'" "$read")" "|1|"
rep odd
is "values below zero: no made-up zeros" "$(grep -c '+0.0 %' "$T/out")" 0
lacks "values below zero: no sentence about NULL" out "0 to 0 %"

# thresholds: of the profile
scene threshold <<'END'
profile
zhist: 1
name: coarse
run: {iterations: 3}
thresholds: {throughput_durable: 20 %}
workloads: [{name: stream, kind: file, size: 64MiB, block: 1MiB, phases: [write]}]
end
targets a b
run 2025-05-01
it stream write a 100e6 101e6 102e6
it stream write b 90e6 91e6 92e6
end
END
rep threshold compare --format json
is "thresholds of the profile: 10 % is the same at 20 %" "$(rows "j.value ->> 'verdict'")" same
scene threshold2 <<'END'
profile
zhist: 1
name: coarse
run: {iterations: 3}
thresholds: {throughput: 20 %}
workloads: [{name: stream, kind: file, size: 64MiB, block: 1MiB, phases: [write]}]
end
targets a b
run 2025-05-01
it stream write a 100e6 101e6 102e6
it stream write b 90e6 91e6 92e6
end
END
rep threshold2 compare --format json
is "thresholds: that of throughput goes for throughput_durable" "$(rows "j.value ->> 'verdict'")" same
sqlite3 "$T/threshold2.db" "INSERT INTO threshold SELECT profile_id, 'throughput_durable', 0.01 FROM threshold"
rep threshold2 compare --format json
is "thresholds: unless it has its own" "$(rows "j.value ->> 'verdict'")" slower
scene small <<'END'
targets a b
run 2025-05-01
it stream write a 100e6 101e6 102e6 100e6
it stream write b 98e6 99e6 100e6 98e6
it random randread a 100 101 99 100
it random randread b 99 105 95 106
end
END
rep small compare --format json
is "within the threshold, or wide" "$(rows "j.value ->> 'verdict'" | tr '\n' ' ')" "same undecided "
rep small --format json
scene small2 <<'END'
targets a b
run 2025-05-01
it stream write a 100e6 101e6 102e6 100e6
it stream write b 96e6 96.5e6 97e6 95e6
end
END
rep small2 compare --format json
is "small change" "$(rows "j.value ->> 'verdict'")" "small change"
rep small2
is "small change: in words" "$(sed -n 1p "$T/out")" "b against a: 1 of 1 changed a little."

# ---- two hosts, three targets -------------------------------------------------------------------
scene hosts <<'END'
host alpha
targets t
fact system - - kernel 1
run 2025-06-01
it stream write t 100e6 101e6
end
run 2025-06-02
it stream write t 100e6 102e6
end
host beta
fact system - - kernel 2
run 2025-06-01 12:00
it stream write t 200e6 201e6
end
run 2025-06-02 12:00
it stream write t 200e6 202e6
end
END
rep hosts compare --by host --format json
is "--by host pairs targets by name" \
    "$(rows "j.value ->> 'a', j.value ->> 'b', j.value ->> 'target', j.value ->> 'verdict'")" \
    "alpha|beta|t|faster"
is "--by host: the kernel differs too" "$(rows "j.value ->> 'also_differs'")" "system.kernel 1 / 2"
rep hosts compare --by host --baseline beta --format json
is "--by host --baseline" "$(rows "j.value ->> 'a', j.value ->> 'verdict'")" "beta|slower"
rep hosts trend --host beta --format json
is "--host" "$(rows "j.value ->> 'host'")" beta
rep hosts
is "two hosts are no event" "$(sed -n 1p "$T/out")" \
    "Nothing to compare yet: no two targets in one run, and no setting changed in this time."
rep hosts compare --by kernel --format json
is "hosts are never pooled" "$(rows 'count(*)')" 0
scene three <<'END'
targets a b c
run 2025-06-01
it stream write a 100e6 101e6 102e6
it stream write b 200e6 201e6 202e6
it stream write c 50e6 51e6 50e6
end
END
rep three
is "three targets: how many comparisons" "$(sed -n 1p "$T/out")" \
    "In 2 comparisons: 1 of 2 is slower, 1 faster."

# ---- a setting seen by the eyes of the facts: edited in a plain shell ---------------------------
"$ZHIST_BUILD/made_up" "$T/year.db" 1 2026-01-01 || not_ok "made_up"
for width in 80 100 200; do
    COLUMNS=$width rep year --since 2025-09-01
    same year-$width.txt
    fits "a year" $width
done
rep year compare --since 2025-09-01 --format json
is "a year: 20 before and 20 after the upgrade, the write is slower" \
    "$(rows "j.value ->> 'n_a', j.value ->> 'n_b', j.value ->> 'verdict'" "$write")" "20|20|slower"
is "a year: at most seven columns" \
    "$(rep year --since 2025-09-01 && awk '/^  write/ { n = split($0, x, /   */); if (n > 9) print n }' "$T/out")" ""
same_facts() { # DB SQL: copies the set of the newest run, changes it, keeps digests different
    sqlite3 "$1" "INSERT INTO factset(kind, digest) SELECT kind, printf('%064d', id) FROM factset
            WHERE id = (SELECT max(factset_id) FROM run_factset WHERE kind = '$2');
        INSERT INTO fact SELECT (SELECT max(id) FROM factset), key,
            CASE key WHEN '$3' THEN '$4' ELSE value END, source, class, leader FROM fact
            WHERE factset_id = (SELECT max(factset_id) FROM run_factset WHERE kind = '$2');
        UPDATE run_factset SET factset_id = (SELECT max(id) FROM factset)
            WHERE kind = '$2' AND run_id = (SELECT max(id) FROM run)"
}
cp "$T/year.db" "$T/edited.db"
same_facts "$T/edited.db" system kernel 7.0
rep edited --since 2025-09-01
says "a kernel edited in the sqlite3 shell is an event" out "kernel 6.12.15 -> 7.0"
same_facts "$T/edited.db" mount fstype other-fs
rep edited --since 2025-09-01
says "so is a file system" out "mount.fstype made-up-fs -> other-fs"

# ---- A/A: equals are called different in at most 5 of 100 ---------------------------------------
awk 'BEGIN { print "targets a b"
    for (i = 1; i <= 100; i++)
        printf "run 2025-01-01 %02d:%02d\nlevel 0.05\nnoise stream write a 100e6 0.04 10\nnoise stream write b 100e6 0.04 10\nend\n",
            int(i / 60), i % 60 }' | scene aa 7
i=0 differ=0 small=0
while [ $i -lt 100 ]; do
    i=$((i + 1))
    id=$(printf '5ce%05x' $i)
    rep aa compare --run "$id" --format csv
    if grep -qE ',"?(slower|faster)' "$T/out"; then differ=$((differ + 1)); fi
    small=$((small + $(awk -F, 'NR == 2 && $34 <= 0.05' "$T/out" | wc -l)))
    grep -q ',blocks,10,10,' "$T/out" || not_ok "A/A $i" "$(told)"
done
if [ $differ -le 5 ]; then ok "A/A: $differ of 100 equals differ"; else not_ok "A/A: $differ of 100"; fi
if [ $small -ge 1 ] && [ $small -le 11 ]; then # 99 % of B(100, 0.05)
    ok "A/A: p is at most 0.05 in $small of 100"
else
    not_ok "A/A: p is at most 0.05 in $small of 100"
fi

# ---- filters that name nothing, filters that nobody takes ---------------------------------------
wrong() { # NAME WORDS ARGS...: exit 2, one sentence with the words
    what=$1 text=$2
    shift 2
    rep event "$@"
    is "$what: exit 2" "$code" 2
    one_line "$what" "$text"
}
wrong "unknown report" 'no report "tredn"; did you mean "trend"' tredn
wrong "unknown report, far off" "show reports" xyzzy
wrong "unknown host" 'did you mean "nas"' --host nsa
wrong "unknown target" '"tank/bnech"' --target tank/bnech
wrong "unknown workload" 'did you mean "stream"' --workload strem
wrong "unknown metric" 'did you mean "duration"' --metric duratoin
wrong "unknown fact in --by" 'did you mean "kernel"' --by kernl
wrong "unknown label in --by" '"room"' --by label:room
wrong "unknown fact in --where" '"colour"' --where colour=red
wrong "--where without a value" "KEY=VALUE" --where kernel
wrong "unknown label" '"room"' --label room=cellar
wrong "unknown run" '"12345678"' --run 12345678
wrong "no run id" '"latest"' --run latest
wrong "ambiguous run" "several runs" --run 5ce0
wrong "unknown baseline" '"6.7"' --by kernel --baseline 6.7
wrong "unknown baseline of targets" '"nobody"' --baseline nobody
wrong "unknown --include" '"everything"' --include everything
wrong "--include imported" "not built yet" --include imported
wrong "unknown format" '"xml"' --format xml
wrong "unknown units" '"furlongs"' --units furlongs
wrong "not a time" '"yesterday"' --since yesterday
wrong "unknown parameter" '"colour"' compare -p colour=red
wrong "a filter that the report does not take" "compare does not use --each" compare --each
wrong "a filter that none takes" "nor do the others" trend trend --by kernel
rep event trend compare --by kernel
ok_exit "a filter that one of two takes"
says "several reports at once, in their order" out TREND COMPARE
rep event compare trend compare --format json
is "several at once: JSON" "$(sqlite3 :memory: "SELECT group_concat(value ->> 'name') FROM
    json_each(CAST(readfile('$T/out') AS TEXT), '\$.reports')")" compare,trend,compare

# ---- no runs, no history ------------------------------------------------------------------------
rep event --since 2030-01-01
is "no runs in the window" "$code $(sed -n 1p "$T/out")" \
    "0 No runs in this window; a longer one: zhist report --since 365d."
scene nothing </dev/null
rep nothing
is "an empty history" "$code $(sed -n 1p "$T/out")" \
    "0 Nothing was recorded yet: start with zhist record quick."
rep nothing --target whatever --format json
is "an empty history: JSON" "$code $(rows 'count(*)')" "0 0"
run env -u ZHIST_DB "$ZHIST" report
is "no history: exit 1" "$code" 1
one_line "no history: the places looked at" "--db" "ZHIST_DB" "history.db" "$T/home/.local/share/zhist"
rep no-such
one_line "no history at --db" "$T/no-such.db"
: >"$T/empty.db"
rep empty
is "an empty file" "$code" 1
one_line "an empty file" "empty"

# ---- reports of users ---------------------------------------------------------------------------
ZHIST_REPORTS=$T/mine
export ZHIST_REPORTS
mkdir "$T/mine"
mine() { cat >"$T/mine/$1.sql"; }
printf '%s\r\n' '-- title:   My report' '--about:with CRLF and odd spacing' '' \
    '  --	param :	least   number =	1	-- a number' '-- column : v   unit=B/s   align=right head="the value"' \
    '-- group: g , h' '-- sentence: told' 'SELECT 1 AS g, 2 AS h, :least AS l, 1e6 AS v,' \
    "'seen ' || :least AS told;" '-- the end' | mine odd
rep event odd -p least=3
ok_exit "front matter with CRLF, tabs and odd spacing"
says "odd front matter is read" out "the value" "1.00 MB/s" "seen 3"
printf '\357\273\277-- title: BOM\nSELECT 1 AS one' | mine bom
rep event bom
says "a byte order mark" out BOM
echo "-- a column named sentence
SELECT 'A sentence.' AS sentence, 1 AS one UNION ALL SELECT 'A sentence.', 2" | mine sentence
rep event sentence --format json
is "a column named sentence fills the sentences, once" "$(sqlite3 :memory: "SELECT value FROM
    json_each(CAST(readfile('$T/out') AS TEXT), '\$.reports[0].sentences')")" "A sentence."
rep event sentence
is "a column named sentence is told once" "$(grep -c 'A sentence' "$T/out")" 1
before=$(listing "$T" | grep -v -e /out -e /err -e /check -e /flat -e /mine -e "^$T d")
bad() { # NAME WORDS SQL
    echo "$3" | mine bad
    rep event bad
    is "$1: exit 2" "$code" 2
    one_line "$1" "$2"
}
bad "two statements" "only one statement" "SELECT 1; SELECT 2"
bad "no statement" "no statement" "-- title: nothing"
bad "INSERT" "bad" "INSERT INTO label VALUES (1, 'a', 'b')"
bad "DELETE ... RETURNING" "bad" "DELETE FROM run RETURNING id"
bad "PRAGMA" "bad" "PRAGMA user_version = 7"
bad "pragma as a function" "bad" "SELECT * FROM pragma_database_list"
bad "ATTACH" "bad" "ATTACH '$T/attached.db' AS x"
bad "VACUUM INTO" "bad" "VACUUM INTO '$T/vacuumed.db'"
bad "load_extension" "bad" "SELECT load_extension('x')"
bad "a syntax error" "syntax" "SELEC 1"
bad "no such table" "no such table" "SELECT * FROM nobody"
bad "a parameter that no line declares" ":colour, which no param" "SELECT :colour AS c"
bad "a parameter that is not used" "not in its statement" "-- param: colour text -- x
SELECT 1 AS one"
bad "a parameter of an unknown kind" 'unknown kind "colour"' "-- param: c colour -- x
SELECT :c AS c"
bad "an unknown word of a column" 'unknown "size=3"' "-- column: a size=3
SELECT 1 AS a"
bad "an unknown show" 'unknown "show=sometimes"' "-- column: a show=sometimes
SELECT 1 AS a"
bad "two columns of a name" 'two columns are called "a"' "SELECT 1 AS a, 2 AS a"
bad "endless recursion with rows" "add a LIMIT" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
printf 'SELECT 1 AS one\0; DROP TABLE run' | mine bad
rep event bad
is "a NUL byte: exit 2" "$code" 2
one_line "a NUL byte" "NUL byte"
{ echo "SELECT 1 AS one -- "; head -c 1100000 /dev/zero | tr '\0' x; } | mine bad
rep event bad
is "a huge file: exit 2" "$code" 2
one_line "a huge file" "larger than"
rm "$T/mine/bad.sql"
mkdir "$T/mine/bad.sql"
rep event bad
is "a folder: exit 2" "$code" 2
one_line "a folder" "not a regular file"
rmdir "$T/mine/bad.sql"
is "reports of users wrote nothing" "$(listing "$T" | grep -v -e /out -e /err -e /check -e /flat -e /mine -e "^$T d")" "$before"
cp "$ZHIST_TESTS/../reports/trend.sql" "$T/mine/trend.sql"
sed -i 's/^-- title: TREND/-- title: MY TREND/' "$T/mine/trend.sql"
rep event trend
says "a user's report stands for the built-in one" out "MY TREND"
run "$ZHIST" --db "$T/event.db" show reports
is "show reports: each once" "$(grep -c '^trend ' "$T/out")" 1
rm "$T/mine/trend.sql"

if [ -w /dev/full ]; then
    code=0
    "$ZHIST" --db "$T/event.db" report >/dev/full 2>"$T/err" || code=$?
    : >"$T/out"
    is "a full disk behind stdout" "$code" 1
    one_line "a full disk behind stdout" "standard output"
fi

# ---- formats ------------------------------------------------------------------------------------
scene names <<'END'
host na,s
targets com,ma"quo|te tank/大容量\e[31m new\nline\xff
run 2025-07-01
it stream write com,ma"quo|te 100e6 101e6
it stream write tank/大容量\e[31m 100e6 101e6
it stream write new\nline\xff 100e6 102e6
end
END
for format in table markdown csv json; do
    rep names --format $format
    same names.$format
done
rep names --format json
is "JSON is JSON: valid UTF-8, control characters escaped" \
    "$(sqlite3 :memory: "SELECT json_valid(CAST(readfile('$T/out') AS TEXT))") $(grep -q '\\u001b' "$T/out" && echo escaped)" "1 escaped"
for format in table markdown; do
    rep names --format $format
    is "control characters never reach the terminal ($format)" \
        "$(tr -d '\n' <"$T/out" | LC_ALL=C grep -c '[[:cntrl:]]')" 0
    is "broken bytes neither ($format)" "$(iconv -f UTF-8 -t UTF-8 "$T/out" >/dev/null 2>&1; echo $?)" 0
done
rep names trend --format csv
is "CSV: a quoted field" "$(grep -c '"com,ma""quo|te"' "$T/out")" 1
is "CSV: lines end with CRLF" "$(head -1 "$T/out" | od -c | grep -c '\\r  *\\n')" 1
finish
