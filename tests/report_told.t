#!/bin/sh
# report: what is told in words: runs that are left out, what weighs in an event, why something is
# undecided or not there, and what fits a window. All histories are made up.
# shellcheck source=tests/scenes.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/scenes.sh"

sentences() { # of the first report of $T/out
    sqlite3 -batch :memory: "SELECT value FROM
        json_each(CAST(readfile('$T/out') AS TEXT), '\$.reports[0].sentences')" 2>&1
}

# ---- the newest run does not count ----------------------------------------------------------------
night() { # DAY VALUE [FINDING...]: one run
    echo "run 2025-04-$1
it stream write t ${2}e6 $(($2 + 1 + ${1#0} % 2))e6
it stream read t ${2}e6 $(($2 + 1 + ${1#0} % 2))e6"
    shift 2
    [ $# -eq 0 ] || echo "finding $*"
    echo end
}
{
    echo "targets t
fact system - - kernel 1"
    for day in 01 02 03 04 05; do night $day 100; done
    echo "fact system - - kernel 2"
    night 06 60 scan-running disturbed - - a scrub ran
} | scene newest
rep newest trend
says "a newest run that is disturbed is told with its reason and the way to see it" "$T/flat" \
    "nas: one run is left out: 5ce00006 of 2025-04-06, disturbed (scan-running). To see it too: --all."
says "and the event before it" out "--- since 2025-04-06 00:00: kernel 1 -> 2" "▅▅▅▅▅│"
rep newest trend --format json
is "the row is that of the newest run that counts, and of the events up to it" \
    "$(rows "DISTINCT j.value ->> 'run', j.value ->> 'event'")" "5ce00005|"
is "JSON has the sentence" "$(sentences)" \
    "nas: one run is left out: 5ce00006 of 2025-04-06, disturbed (scan-running). To see it too: --all."
rep newest compare
says "nothing to compare has its reason" "$T/flat" "COMPARE Nothing to compare yet: among the runs that count" \
    "5ce00006 of 2025-04-06, disturbed (scan-running)"
rep newest
is "the summary: the reason, then what is left out" "$(sed -n 1,2p "$T/out")" \
    "Nothing to compare yet: among the runs that count in this time no two targets share one, and no setting changed.
nas: one run is left out: 5ce00006 of 2025-04-06, disturbed (scan-running). To see it too: --all."
is "the summary: once" "$(grep -c 'left out' "$T/out")" 1
rep newest trend --each
says "--each: its row says so, behind its event" out "2025-04-06 00:00" "left out" "--- kernel 1 -> 2"
rep newest trend --each --format json
is "--each: nothing is known of its values" \
    "$(rows "j.value ->> 'n', j.value ->> 'mean', j.value ->> 'median', j.value ->> 'findings', j.value ->> 'event'" \
        "j.value ->> 'run' = '5ce00006' AND j.value ->> 'phase' = 'write'")" "0|||scan-running|kernel 1 -> 2"
rep newest compare --by kernel
says "--by a fact with one value that counts" "$T/flat" \
    "no two values of system.kernel in this time" "5ce00006 of 2025-04-06, disturbed (scan-running)"
rep newest --mask
says "--mask" out "host-1: one run is left out"
lacks "--mask: no name" out nas
rep newest --until 2025-04-05
lacks "a run behind --until is not told" out "left out"
rep newest --run 5ce00006
is "--run of it alone: no runs that count, and why" "$(sed -n 1p "$T/out")" "No runs that count in this window."
says "--run of it alone: why" out "5ce00006 of 2025-04-06, disturbed (scan-running)"

rep newest --all
is "--all: it counts" "$(sed -n 1p "$T/out")" "Since 2025-04-06 (kernel 1 -> 2): 2 of 2 may be slower."
lacks "--all: nothing is left out" out "left out"
is "--all: its rows are marked, in both tables" "$(grep -c ' \*$' "$T/out") $(grep -c 'say \*  ' "$T/out")" "2 2"
says "--all: the footnotes" out "* 5ce00006 of 2025-04-06 was disturbed (scan-running)." \
    "* Iterations that were disturbed count here."
rep newest trend --include disturbed
says "--include disturbed marks it too" out "* 5ce00006 of 2025-04-06 was disturbed (scan-running)."

# Some of a run, several, refused, excluded, failed.
{
    echo "targets a b"
    for day in 01 02 03 04 05 06 07 08; do
        echo "run 2025-04-$day
it stream write a 100e6 101e6
it stream write b 100e6 101e6"
        case $day in
            06) echo "finding other-io disturbed b - x" ;;
            07) echo "finding pool-degraded refuse - - x
finding scan-running disturbed a - x" ;;
        esac
        echo end
    done
    echo "run 2025-04-09
finding scan-running refuse - - x
end refused
run 2025-04-10
end failed"
} | scene several
rep several trend
says "what is left out: newest first, of which target, three of them" "$T/flat" \
    "nas: 4 runs are left out: 5ce0000a of 2025-04-10, failed; 5ce00009 of 2025-04-09, refused (scan-running); 5ce00007 of 2025-04-07, disturbed (pool-degraded, scan-running); and 1 before. To see what was disturbed too: --all."
rep several trend --since 2025-04-08
says "without results there is nothing more to see" "$T/flat" \
    "2 runs are left out: 5ce0000a of 2025-04-10, failed; 5ce00009 of 2025-04-09, refused (scan-running). All runs: zhist show runs."
rep several trend --until 2025-04-06
says "one target of a run" "$T/flat" "5ce00006 of 2025-04-06, disturbed for b (other-io)"
rep several compare --format json
is "compare: left_out counts the iterations of whole runs" "$(rows "j.value ->> 'left_out'")" 6
rep several compare --all --format json
is "compare --all: nothing is left out" "$(rows "j.value ->> 'left_out', j.value ->> 'runs_a'")" "0|8"
run "$ZHIST" --db "$T/several.db" exclude 5ce00008 --reason "the fan was broken"
rep several trend --since 2025-04-08
says "an excluded run has its reason" "$T/flat" "5ce00008 of 2025-04-08, excluded (the fan was broken)" \
    "No runs that count"

# What is worth knowing is told once a code, not once a run.
{
    echo "targets t"
    for day in 01 02 03; do night $day 100 virtual-machine say - - x | sed '$d'
        [ $day = 03 ] || echo "finding cached-reads class t stream/read x"
        echo end
    done
} | scene worth
rep worth trend
says "what is worth knowing: a code, how many runs, the newest" "$T/flat" \
    "nas: worth knowing: cached-reads (2 runs, newest 2025-04-02), virtual-machine (3 runs). What it means: zhist show run 5ce00002."
is "once" "$(grep -c 'virtual-machine' "$T/out")" 1
rep worth
says "the summary has it too" out "worth knowing: cached-reads" "Nothing to compare yet: no two targets"

# ---- what leads an event --------------------------------------------------------------------------
upgrade() { # OLD|NEW
    echo "fact system - - fio $1
fact system - - governor $1
fact system - - kernel $1
fact system - - os $1
fact system - - samba $1
fact system - - zfs $1
fact system - - zfs_module $1
fact pool - t ashift $1
fact dataset - t recordsize $1
fact module - - zfs_txg_timeout $1
fact mount - t fstype zfs
fact mount - t option.atime $1
fact disk 01 t scheduler $1"
}
many() { # profile lines of scenes on stdin, or nothing
    echo "targets t"
    upgrade 1
    night 01 100
    night 02 100
    upgrade 2
    night 03 60
    night 04 60
}
many | scene weight
rep weight trend
says "what weighs most is told first" "$T/flat" \
    "since 2025-04-03 00:00: zfs 1 -> 2, kernel 1 -> 2, os 1 -> 2 and 5 more"
rep weight compare
says "it heads the comparison" "$T/flat" "before and after 2025-04-03, zfs 1 -> 2 and 7 more" \
    "(zfs 1 -> 2, kernel 1 -> 2, os 1 -> 2 and 5 more)"
rep weight trend -v
says "-v: all of them, in their order" "$T/flat" \
    "zfs 1 -> 2, kernel 1 -> 2, os 1 -> 2, governor 1 -> 2, pool.ashift 1 -> 2, dataset.recordsize 1 B -> 2 B, mount option atime 1 -> 2, disk 01 scheduler 1 -> 2"
rep weight compare -v
lacks "compare -v: no more" "$T/flat" " more)" "and 7 more"
says "compare -v: all of them" "$T/flat" "disk 01 scheduler 1 -> 2)"
rep weight compare --by kernel
says "what differs too goes by weight" "$T/flat" "differ too: zfs 1 / 2, os 1 / 2, governor 1 / 2 and 4 more."
lacks "programs that no workload uses are no cause" "$T/flat" fio samba
is "their facts are kept" "$(query "SELECT count(*) FROM fact WHERE key IN ('fio', 'samba')" "$T/weight.db")" 4
cp "$T/weight.db" "$T/used.db"
sqlite3 "$T/used.db" "UPDATE workload SET kind = 'fio'; UPDATE run_target SET fstype = 'cifs'"
is "where a workload uses them, they are" "$(query "SELECT group_concat(DISTINCT key) FROM v_event
    WHERE key IN ('fio', 'samba')" "$T/used.db")" "fio,samba"

# ---- reasons --------------------------------------------------------------------------------------
# Of four rows one with p = 0.03: Holm makes 0.1 of it.
{
    echo "targets a b
run 2025-05-01"
    for what in "stream write" "stream read"; do
        echo "it $what a 100e6 101e6 102e6 100e6
it $what b 100e6 102e6 101e6 100.5e6"
    done
    echo "it random randread a 100 101 99 100
it random randread b 109 102 106 110
end"
} | scene holm
rep holm compare --format json
is "undecided only because of the others" "$(rows "j.value ->> 'verdict', j.value ->> 'p' < 0.05,
    j.value ->> 'p_adj' > 0.05" "j.value ->> 'phase' = 'randread'")" "undecided|1|1"
rep holm compare
says "and why" "$T/flat" "with 3 comparisons in this table, chance alone explains this difference (p 0.0" \
    "more iterations or runs would decide."
is "every undecided row has its reason, equal ones are told once" "$(rep holm compare --format json
    rows "count(*)" "j.value ->> 'verdict' LIKE 'undecided%' AND j.value ->> 'sentence' IS NULL")" 0
{
    echo "targets a b
run 2025-05-01
it stream write a 100e6 101e6 102e6 100e6
it stream write b 80e6 121e6 99e6 109e6
end"
} | scene wide
rep wide compare
says "an interval that holds both" "$T/flat" "Write 64 MiB, on disk: the interval holds both no change and one that would count (5 % or more); about 100 more iterations or runs would decide."
{
    echo "targets t
fact system - - kernel 1"
    night 01 100
    echo "fact system - - kernel 2"
    night 02 90
} | scene two
rep two compare
says "what all rows have to say is said once" "$T/flat" "One run each: these intervals tell"
is "once" "$(grep -c 'Record both' "$T/flat")" 1
rep two compare --format json
is "each row has it" "$(rows "count(DISTINCT j.value ->> 'sentence')")" 2

# Several sides, several rows: which of them, three at most.
{
    echo "targets a b c d e
run 2025-05-01"
    for target in a b c d e; do echo "it stream write $target 9${#target}e6 100e6 90e6"; done
    echo "end
targets z
run 2025-05-02
it stream write z 100e6 101e6
end"
} | scene sides
rep sides compare --target a --format json
is "one target: nothing" "$(rows 'count(*)')" 0
rep sides compare
says "rows of several sides are told apart, three of them" "$T/flat" \
    "Write 64 MiB, on disk (b); Write 64 MiB, on disk (c); Write 64 MiB, on disk (d) and 1 more: all values are equal"
rep sides compare --format json
is "the baseline is the first target of the newest run that has several" "$(rows "DISTINCT j.value ->> 'a'")" a
COLUMNS=80
export COLUMNS
rep sides trend --each
unset COLUMNS
is "--each: a narrow table keeps the days" "$(grep -c '^  write .* 2025-05-0' "$T/out")" 6

# --by without two values
rep two compare --by system.kernel --until 2025-04-01
says "--by: two values, not in this time" "$T/flat" \
    "COMPARE Nothing to compare: no two values of system.kernel in this time; a longer one: --since 365d"
{
    echo "targets t
fact system - - governor ondemand
fact system - - product ?"
    night 01 100
    night 02 100
} | scene still
rep still --by governor
is "--by: one value" "$(sed -n 1p "$T/out")" \
    "Nothing to compare: system.governor is ondemand in every run; record again after it changed, or name another (zhist show facts)."
rep still compare --by governor
says "--by: one value, one report" "$T/flat" "COMPARE Nothing to compare: system.governor is ondemand in every run"
rep still compare --by product
says "--by: unknown everywhere" "$T/flat" "system.product is unknown in every run"
rep still compare --by host
says "--by host: one" "$T/flat" "host is nas in every run; without --by"
rep still compare --by host --mask
lacks "--by host: one, masked" out nas
rep still compare --format markdown
says "Markdown: the reason" out "Nothing to compare yet: no two targets in one run"
for option in by target host workload baseline since until run metric dataset include format units o; do
    rep still compare "--$option" governor "--$option" kernel
    [ $option = o ] && rep still compare -o governor -o kernel
    is "--$option twice: exit 2" "$code" 2
    one_line "--$option twice" "is given twice" '"governor", "kernel"'
done
rep still trend --where governor=ondemand --where governor=ondemand
is "--where twice is fine" "$code" 0

# ---- widths -----------------------------------------------------------------------------------------
{
    echo "targets the_baseline_of_all_that_follows_in_this_table another_target_with_quite_a_long_name
run 2025-05-01
it stream write the_baseline_of_all_that_follows_in_this_table 1e6 1.2e6 0.9e6
it stream write another_target_with_quite_a_long_name 400e6 9e6 3000e6
it random randread the_baseline_of_all_that_follows_in_this_table 1000 1001 1002
it random randread another_target_with_quite_a_long_name 20000 20300 20100
end"
} | scene far
for width in 60 80 200; do
    COLUMNS=$width
    export COLUMNS
    rep far compare
    unset COLUMNS
    is "far off, $width columns: baseline, change and verdict are there" \
        "$(grep -c -E '1\.0[0-9] MB/s .* undecided|1001 IOPS .*20x.* FASTER|1\.00 k IOPS .*20x.* FASTER' "$T/out")" 2
    is "far off, $width columns: nothing wider" "$(LC_ALL=C.UTF-8 awk -v w=$width '
        { t = $0; gsub(/[\200-\277]/, "", t); if (length(t) > w) print }' "$T/out" | grep -v '^History')" ""
done
says "what is far off is told plainly" out ">10x"
says "in words too" "$T/flat" "more than 10 times faster than"
rep far compare --format json
is "for programs: numbers as they are" "$(rows "j.value ->> 'change_pct' > 1900" "j.value ->> 'phase' = 'randread'")" 1

# Long values: short for people, whole for programs.
long=$(printf '%0100d' 7 | tr 0 x)
{
    echo "targets t
fact system - - cmdline ${long}_1"
    night 01 100
    night 02 100
    echo "fact system - - cmdline ${long}_2"
    night 03 60
    night 04 60
} | scene long
for args in "compare --by cmdline" "trend" "compare" "compare --by cmdline --format markdown"; do
    # shellcheck disable=SC2086
    rep long $args
    lacks "$args: long values are cut" out "$(printf '%061d' 0 | tr 0 x)"
    says "$args: and say so" out "x…"
done
rep long compare --by cmdline
says "long values: the columns have a name" "$T/flat" " baseline compared change"
says "long values: a sentence of all rows begins with no name" "$T/flat" "All rows: cmdline x"
rep long compare --by cmdline --format json
is "long values: whole in JSON" "$(rows "DISTINCT j.value ->> 'a', j.value ->> 'b'")" "${long}_1|${long}_2"
rep long trend --each --format csv
says "long values: whole in CSV" out "cmdline ${long}_1 -> ${long}_2"
finish
