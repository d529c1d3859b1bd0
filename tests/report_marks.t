#!/bin/sh
# report and show run: what a number is not: faster than the hardware can be, a finding of the shape,
# bound by another thing, another meaning; and the controls, which are not the storage at all. All
# histories are made up.
# shellcheck source=tests/scenes.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/scenes.sh"


# ---- faster than the hardware, and shapes ---------------------------------------------------------
{
    echo "targets plain other
cell stream read * cached no psync memory 97.6
cell stream write * n/a no psync disk"
    for day in 01 02 03; do
        echo "run 2025-04-$day
it stream write plain 100e6 101e6 f102e6
it stream read plain 5000e6 5010e6
it stream write other 100e6 101e6
it stream read other 300e6 301e6"
        case $day in
            01) echo "finding collapse shape other stream/write write of \"stream\" on other: an old one" ;;
            03) echo "finding faster-than-hardware class plain stream/read read of \"stream\" on plain: 5.01 GB/s, more than what such disks can do (600 MB/s): this cannot be the disks. Likely reason: the bytes came from memory
finding stall shape plain stream/write write of \"stream\" on plain: in 1 of 2 iterations the rate stood still for 3 s: look at the disks
finding drift shape other stream/write x
finding outliers shape other stream/write y" ;;
        esac
        echo end
    done
} | scene marks
zh marks report trend
says "trend: a mark, and the sentence with the likely reason" "$T/flat" "too few to say !" \
    "! Read 64 MiB, from memory (plain): 5.01 GB/s, more than what such disks can do (600 MB/s): this cannot be the disks. Likely reason: the bytes came from memory."
says "trend: one finding of the shape is told in full" "$T/flat" "too few to say ~" \
    "~ Write 64 MiB, on disk (plain): stall: in 1 of 2 iterations the rate stood still for 3 s: look at the disks."
says "trend: of several the names" "$T/flat" \
    "~ Write 64 MiB, on disk (other): drift, outliers; zhist show run 5ce00003 says more."
is "trend: no other row is marked" "$(grep -c 'say [!~]' "$T/out")" 3
lacks "trend: what is told with its row is not told again" out "faster-than-hardware (" "drift (1"
says "trend: what an older run had is" "$T/flat" "worth knowing: collapse (1 run, newest 2025-04-01)"
zh marks report trend --format markdown
says "Markdown: the mark and the sentence" out "too few to say !" "! Read 64 MiB, from memory (plain): 5.01 GB/s"
zh marks report trend --mask
says "--mask: the sentence without the name" "$T/flat" \
    "! Read 64 MiB, from memory (target-1): 5.01 GB/s, more than" "(target-2): drift"
lacks "--mask: no name" out plain
zh marks report trend --each
is "--each: a mark for each run" "$(grep -c '[a-z] [!~]$' "$T/out") $(grep -c '^  [!~]' "$T/out")" "4 2"
zh marks report trend -v
says "-v: what bounds it" out "bound by" " memory " " disk "
zh marks report compare
says "compare: the mark, whose it is, and why" "$T/flat" "! Read 64 MiB, from memory: faster than the hardware can be (plain); likely reason: the bytes came from memory." \
    "~ Write 64 MiB, on disk: stall (plain), drift, outliers (other)."
is "compare: two rows are marked" "$(grep -c '[a-z] [!~]$' "$T/out")" 2
zh marks report compare --format json
is "compare: JSON has it in the sentence, and the verdict as ever" \
    "$(rows "j.value ->> 'sentence' LIKE '%faster than the hardware can be (plain)%', instr(j.value ->> 'verdict', '!')" \
        "j.value ->> 'phase' = 'read'")" "1|0"
zh marks show run 5ce00003
says "show run: the marks, the share from memory, what bounds it" "$T/flat" " memory bound by " \
    " 98 % memory ! " " disk ~ " "! Read 64 MiB, from memory (plain): faster than the hardware can be; likely reason: the bytes came from memory." \
    "~ Write 64 MiB, on disk (other): drift, outliers."
says "show run: failed ones beside those that count" "$T/flat" " 2 (1 failed) "
zh marks show run 5ce00003 --format csv
is "show run: columns for programs" "$(sed -n '/^target,label/s/\r//p' "$T/out")" \
    "target,label,median,interval_pct,low,high,n,failed,cached_pct,bound_by,stopped,unit"
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then # there, and a terminal to be had
    red=$(printf '\033[31m')
    on_terminal() { # VARIABLE=VALUE WORDS...
        setting=$1
        shift
        env TERM=xterm "$setting" COLUMNS=100 script -qec "'$ZHIST' --db '$T/marks.db' $*" /dev/null \
            </dev/null >"$T/tty" 2>&1
    }
    for what in "report trend" "report compare" "show run 5ce00003"; do
        on_terminal A=b "$what"
        is "$what: one number is red on a terminal" "$(grep -F "$red" "$T/tty" | grep -c '5.0[01] GB/s') $(grep -oF "$red" "$T/tty" | wc -l | tr -d ' ')" "1 1"
        on_terminal NO_COLOR=1 "$what"
        lacks "$what: not with NO_COLOR" "$T/tty" "$red"
    done
    on_terminal A=b "report trend --format markdown"
    lacks "Markdown is never red" "$T/tty" "$red"
    on_terminal TERM=dumb "report trend"
    lacks "a dumb terminal neither" "$T/tty" "$red"
else
    skip "red on a terminal" "there is no script(1)"
fi
lacks "a file neither" out "$(printf '\033')"

# ---- what bounds a cell ---------------------------------------------------------------------------
bound() { # DAYS VALUE BOUND
    echo "cell stream write * n/a no psync $3"
    for day in $1; do
        echo "run 2025-04-$day
it stream write t ${2}e6 $(($2 + 1 + ${day#0} % 3))e6
it stream read t 500e6 50$((${day#0} % 3))e6
end"
    done
}
{
    echo "targets t
fact system - - kernel 1"
    bound "01 02 03 04" 200 disk
    echo "fact system - - kernel 2"
    bound "05 06 07 08" 100 cpu
} | scene bound
zh bound report compare
says "what slowed down is bound by another thing now" "$T/flat" \
    "slower since then (p < 0.001, 2 rows tested together). Bound by the disks before, by the CPUs now."
is "and only that row says so" "$(grep -o 'Bound by' "$T/out" | wc -l | tr -d ' ')" 1
zh bound report compare --by kernel
says "--by: which is bound by what" "$T/flat" "kernel 1 is bound by the disks, 2 by the CPUs."
zh bound report compare -v
says "-v: both" out "bound by  -> by" "disk      cpu"
zh bound report compare --format json
is "JSON: both" "$(rows "j.value ->> 'bound_a', j.value ->> 'bound_b'")" "disk|cpu
|"
{
    echo "targets t
fact system - - kernel 1"
    bound "01 02 03 04" 200 disk
    echo "fact system - - kernel 2"
    bound "05 06 07 08" 100 unknown
} | scene unbound
zh unbound report compare
lacks "unknown is no other thing" out "Bound by"

# ---- controls ---------------------------------------------------------------------------------------
control() { # MEMORY GENERATOR RAW, of the runs that follow
    echo "fact system - - control_memory_copy $1
fact system - - control_generator $2
fact mount - t control_raw_read $3"
}
controls() { # NAME MEMORY GENERATOR RAW VALUE [DAYS]: since a new kernel, against 20 GB/s 4 GB/s 200 MB/s 200
    {
        echo "targets t
fact system - - kernel 1
fact mount - t fstype ext4"
        control 20000000000 4000000000 200000000
        bound "01 02 03" 200 disk
        echo "fact system - - kernel 2"
        control "$2" "$3" "$4"
        bound "${6:-05 06 07}" "$5" disk
    } | scene "$1"
    zh "$1" report
}
controls moved 16000000000 4100000000 199000000 100
says "a control that moved too" "$T/flat" \
    "Not only the storage: memory copy is 20 % slower too (20.0 GB/s -> 16.0 GB/s)."
says "trend says it with the event" "$T/flat" \
    "--- since 2025-04-05 00:00: kernel 1 -> 2; not only the storage: memory copy is 20 % slower too (from 20.0 GB/s to 16.0 GB/s)"
controls still 18100000000 4390000000 199000000 100
says "controls that did not move" "$T/flat" \
    "Controls (memory copy, generator, one disk read raw): the same, so memory, CPU and disk are as before." \
    "kernel 1 -> 2; controls (memory copy, generator, one disk read raw) the same"
controls raw 20000000000 4000000000 140000000 100
says "a disk that is slower by itself" "$T/flat" \
    "Not only the file system: one disk read raw is 30 % slower too (200 MB/s -> 140 MB/s)."
controls only 30000000000 '?' '?' 200
says "a control alone" "$T/flat" "Controls: memory copy is 50 % faster (20.0 GB/s -> 30.0 GB/s)."
controls few 10000000000 4000000000 200000000 100 05
lacks "one run on a side says nothing of controls" out ontrols "not only"
zh moved report compare --by kernel
says "--by a fact says it too" "$T/flat" "memory copy is 20 % slower too"
zh moved report trend --each
lacks "--each: not with each event" out "memory copy"

zh moved report controls
is "report controls: usual, newest, change" "$(sed -n 2,6p "$T/out" | tr -s ' ' | sed 's/ *$//')" \
    " usual newest change last 20 runs
 memory copy 16.0-20.0 16.0 GB/s -20.0 % as usual ▅▅▅▁▁▁ 6
 generator of the data 4.00-4.10 4.10 GB/s +2.5 % as usual ▅▅▅▅▅▅ 6
 one disk read raw, t 199-200 199 MB/s -0.5 % as usual ▅▅▅▅▅▅ 6"
zh moved report controls --run 5ce00004
says "report controls: a run against those before it" "$T/flat" \
    "memory copy 20.0-20.0 16.0 GB/s -20.0 % slower than usual ▅▅▅▁ 4"
zh moved report controls --each --mask
is "report controls --each: a row a run and control" "$(grep -c '2025-04-0' "$T/out") $(grep -c 'read raw, target-1' "$T/out")" "19 6"
zh moved report controls --target other
one_line "report controls: a target that is not there" "no such target"
"$ZHIST" --db "$T/moved.db" exclude 5ce00006 --reason x >/dev/null 2>&1
zh moved report controls --format json
is "report controls: an excluded run is left out; what is unknown has no row" \
    "$(rows "j.value ->> 'control', j.value ->> 'target', j.value ->> 'run', j.value ->> 'value'")" \
    "memory_copy||5ce00005|16000000000
generator||5ce00005|4100000000
raw_read|t|5ce00005|199000000"
zh only report controls --format json
is "report controls: unknown is no row" "$(rows "j.value ->> 'control', j.value ->> 'run'")" \
    "memory_copy|5ce00006
generator|5ce00003
raw_read|5ce00003"

# ---- an upgrade that makes O_DIRECT real ------------------------------------------------------------
upgrade() { # NAME CLASS DIRECT VALUE, after 2.3
    {
        cat <<'END'
profile
zhist: 1
name: scene
run: {iterations: 3}
workloads:
  - {name: stream, kind: file, size: 64MiB, block: 1MiB, direct: true, phases: [write, read]}
end
targets tank
fact system - - zfs 2.1.11
fact system - - zfs_module 2.1.11
fact dataset - tank name tank/bench
cell stream write * n/a no psync disk
cell stream read * cached no psync memory 99
END
        for day in 01 02 03 04; do
            echo "run 2025-04-$day
it stream write tank 170e6 17$((${day#0} % 3))e6
it stream read tank 9300e6 93$((${day#0} % 3))0e6
end"
        done
        echo "fact system - - zfs 2.3.9
fact system - - zfs_module 2.3.9
cell stream read * $2 $3 psync disk 0"
        for day in 05 06 07 08; do
            echo "run 2025-04-$day
it stream write tank 170e6 17$((${day#0} % 3))e6
it stream read tank ${4}e6 $(($4 + ${day#0} % 3))e6
end"
        done
    } | scene "$1"
}
upgrade direct cold yes 310
zh direct report
is "2.1 -> 2.3: the meaning is new" "$(sed -n 1p "$T/out")" \
    "Since 2025-04-05 (zfs 2.1.11 -> 2.3.9): 1 of 2 is the same, 1 has a new meaning."
says "2.1 -> 2.3: trend says where it comes from" "$T/flat" \
    "--- since 2025-04-05 00:00: was served from memory, now comes from the disks: not comparable" \
    "read 64 MiB, from disk, O_DIRECT"
says "2.1 -> 2.3: compare too" "$T/flat" "new meaning" \
    "Read 64 MiB, from disk, O_DIRECT: was served from memory, now comes from the disks: the two numbers are not comparable."
lacks "2.1 -> 2.3: never slower" out slower SLOWER "0x" " -96" "Bound by"
zh direct report --format json
is "2.1 -> 2.3: an event of the series" \
    "$(rows "j.value ->> 'event'" "j.value ->> 'class' = 'cold'")" \
    "zfs 2.1.11 -> 2.3.9, was served from memory, now comes from the disks: not comparable"
zh direct report --mask
says "2.1 -> 2.3 masked" "$T/flat" "was served from memory, now comes from the disks"
upgrade ignored cached yes 9300
zh ignored report
says "O_DIRECT alone" "$T/flat" "O_DIRECT was not obeyed, now it is: not comparable" "1 has a new meaning"
for class in partial unknown; do
    upgrade $class $class no 600
    zh $class report
    lacks "$class is no event" out "was served from memory" "new meaning" slower
    says "$class cannot be compared" "$T/flat" "1 cannot be compared" "differ in where the data came from"
done
upgrade half cached partly 9300
zh half report
lacks "O_DIRECT in part is no event" out obeyed, "new meaning"

# ---- labels -------------------------------------------------------------------------------------------
label() { # CLASS BACKING: of a read
    rm -f "$T/label.db"
    {
        echo "targets t
fact mount - t backing $2
cell stream read * $1 no psync
run 2025-04-01
it stream read t 1e8
it stream write t 1e8
end"
    } | scene label
    query "SELECT label FROM v_label WHERE phase = 'read'" "$T/label.db"
}
is "label: partial" "$(label partial disk)" "read 64 MiB, partly from memory"
is "label: unknown" "$(label unknown disk)" "read 64 MiB, memory or disk"
is "label: cold" "$(label cold disk)" "read 64 MiB, from disk"
is "label: cached" "$(label cached disk)" "read 64 MiB, from memory"
is "label: a server" "$(label cold network)" "read 64 MiB, from server"
is "label: a server, unknown" "$(label unknown network)" "read 64 MiB, memory or server"
is "label: a server, part of it kept here" "$(label partial network)" "read 64 MiB, partly from memory"
is "label: tmpfs" "$(label unknown memory)" "read 64 MiB, from memory"
is "label: writes to a server" "$(query "SELECT label FROM v_label WHERE phase = 'write'" "$T/label.db")" \
    "write 64 MiB, to memory"
finish
