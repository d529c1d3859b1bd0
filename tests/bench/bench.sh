#!/bin/sh
# Speed, memory and start-up beside fio and dd, measured in turn: one table, in about four minutes.
#   sh tests/bench/bench.sh BUILD-DIR      BENCH_PAIRS=N pairs (10; fewer are not worth reading)
#   BENCH_MEMORY=DIR a tmpfs (/dev/shm)    BENCH_DISK=DIR a disk (the build directory)
#
# How to read it: in each round the programs take turns (zhist, other, other, zhist, ...), each
# round gives one ratio zhist/other, and the table shows the median ratio with the smallest and the
# largest. Columns zhist and other are medians of their own. The load of the machine moves both
# sides of a ratio; it does not move a ratio much. "cpu" is the CPU time of the whole program, user
# and system, start and preparation included. "met" compares the median ratio with the goal; no
# test fails on it. Each program's own clock is used: zhist's --json, fio's JSON (milliseconds),
# dd's last line.
#
# What to know of some rows: a new file on tmpfs is limited by the kernel, which allocates it page
# by page; "beside the limit" is the same pwrite of one buffer that never changes, so 1.00 means
# that nothing is left for zhist to win (where tmpfs has huge=always the same row is over 3 x). fio
# by default allocates the file before its clock starts, which zhist does not do. "Outside the
# phases" is the wall time of a run without its measured durations, an iteration, start and facts
# included; the line below it is the cost of one more iteration.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
pairs=${BENCH_PAIRS:-10}
memory=$(mktemp -d "${BENCH_MEMORY:-/dev/shm}/zhist-bench.XXXXXX")
disk=$(mktemp -d "${BENCH_DISK:-$build}/zhist-bench.XXXXXX")
trap 'rm -rf "$memory" "$disk"' EXIT
trap 'exit 130' INT TERM
unset ZHIST_DB || :
LC_ALL=C HOME=$memory # nobody's .sqliterc
export LC_ALL HOME
results=$memory/results # row|zhist|other|cpu of zhist|cpu of the other
: >"$results"
tool=$build/bench_tool
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -std=c11 -D_XOPEN_SOURCE=700 -O2 -Wall -Wextra -o "$tool" "$here/tool.c" \
    $(pkg-config --cflags --libs sqlite3)
cd "$memory"

# ---- running ------------------------------------------------------------------------------------

profile() { # profile NAME ITERATIONS WORKLOAD...: a profile of workloads in flow style
    name=$1 iterations=$2
    shift 2
    printf 'zhist: 1\nname: %s\nrun: {iterations: %s, warmup: 0}\nworkloads:\n' "$name" \
        "$iterations"
    printf '  - {%s}\n' "$@"
}

# Sets wall cpu kib: whole nanoseconds, nanoseconds, KiB; the lines are in $memory/lines.
zhist() { # zhist PROFILE HISTORY TARGET
    # shellcheck disable=SC2046
    set -- $("$tool" run lines "$build/zhist" --db "$2" record "$1.yaml" --target "b=$3" --json \
        2>errors)
    [ $# = 3 ] || { cat errors >&2 && exit 1; }
    wall=$1 cpu=$2 kib=$3
}
fio_run() { # fio_run OPTION...: sets wall cpu kib; the result is in $memory/fio.json
    # shellcheck disable=SC2046
    set -- $("$tool" run fio.out fio --name=b --thread --ioengine=psync --output-format=json \
        --output=fio.json "$@")
    [ $# = 3 ] || exit 1
    wall=$1 cpu=$2 kib=$3
}
lines() { # lines SQL: over the iterations of the last run, one JSON text each: l(j)
    sqlite3 :memory: '.mode ascii' '.separator "\001" "\n"' 'CREATE TABLE l(j TEXT)' \
        '.import lines l' "DELETE FROM l WHERE j ->> 'event' <> 'iteration'" '.mode list' "$1"
}
zhist_ns() { # ns per SHARE (ops, or bytes) of a phase
    lines "SELECT sum(j ->> 'duration_ns') * 1.0 / sum(j ->> '$2') FROM l
           WHERE j ->> 'phase' = '$1'"
}
fio_ns() { # the same of fio: total_ios or io_bytes of read or write
    sqlite3 :memory: "SELECT (j ->> '\$.jobs[0].$1.runtime') * 1e6 / (j ->> '\$.jobs[0].$1.$2')
                      FROM (SELECT readfile('fio.json') AS j)"
}
dd_ns() { # ns a byte
    dd if=/dev/urandom of=dd.file bs=1M "$@" 2>dd.out
    awk '/copied/ {for (i = 2; i <= NF; i++) if ($i == "s,") print $(i - 1) * 1e9 / $1}' dd.out
}
result() { # result ROW ZHIST OTHER [CPU CPU]
    echo "$1|$2|$3|${4:-}|${5:-}" >>"$results"
}
# A virtual machine's first touch of memory is paid to its host, and whoever comes first would pay
# it: so the pages that a new file will get are used once before each of them.
warm() {
    dd if=/dev/zero of=warm bs=1M count=640 2>/dev/null
    rm -f warm
}
say() { echo "bench: $*" >&2; }

# ---- what is measured ---------------------------------------------------------------------------

null_engine() {
    say "null engine"
    for phase in read randread; do
        profile null 1 "name: null, kind: file, engine: null, size: 1GiB, block: 4KiB, \
phases: [$phase], time: 1s" >null.yaml
        for _ in $(seq "$pairs"); do
            zhist null null.db "$memory"
            a=$(zhist_ns $phase ops) acpu=$cpu
            fio_run --ioengine=null --rw=$phase --bs=4k --size=1g --norandommap --time_based \
                --runtime=1
            result "null.$phase" "$a" "$(fio_ns read total_ios)" "$acpu" "$cpu"
        done
    done
}

writing() {
    say "sequential writes on tmpfs"
    profile new 1 "name: w, kind: file, size: 512MiB, block: 1MiB, phases: [write], flush: none" \
        >new.yaml
    profile again 1 "name: w, kind: file, size: 512MiB, block: 1MiB, phases: [rewrite], \
flush: none" >again.yaml
    write="--rw=write --bs=1m --size=512m --filename=$memory/fio.file --refill_buffers"
    for _ in $(seq "$pairs"); do
        warm
        zhist new "$disk/w.db" "$memory"
        a=$(zhist_ns write bytes) acpu=$cpu
        warm
        # shellcheck disable=SC2086
        fio_run $write --fallocate=none
        result write.new "$a" "$(fio_ns write io_bytes)" "$acpu" "$cpu"
        rm -f fio.file
        warm
        # shellcheck disable=SC2086
        fio_run $write
        result write.default "$a" "$(fio_ns write io_bytes)" "$acpu" "$cpu"
        zhist again "$disk/w.db" "$memory"
        b=$(zhist_ns rewrite bytes) acpu=$cpu
        # shellcheck disable=SC2086
        fio_run $write --fallocate=none # over the file it has just left
        result write.again "$b" "$(fio_ns write io_bytes)" "$acpu" "$cpu"
        rm -f fio.file
        warm
        result dd.new "$a" "$(dd_ns count=512)"
        result dd.again "$b" "$(dd_ns count=512 conv=notrunc)"
        rm -f dd.file
        warm
        # shellcheck disable=SC2046
        set -- $("$tool" write bare.file 512)
        result bare.new "$a" "$1"
        result bare.again "$b" "$2"
        rm -f bare.file
    done
}

reading() {
    say "reads on tmpfs"
    profile pread 1 "name: r, kind: file, size: 512MiB, block: 4KiB, phases: [randread], time: 1s" \
        >pread.yaml
    profile read 1 "name: r, kind: file, size: 512MiB, block: 1MiB, phases: [read], time: 1s" \
        >read.yaml
    read="--size=512m --filename=$memory/fio.file --time_based --runtime=1"
    fio_run --rw=write --bs=1m --size=512m --filename="$memory/fio.file" --refill_buffers
    warm
    for _ in $(seq "$pairs"); do
        zhist pread "$disk/r.db" "$memory"
        a=$(zhist_ns randread ops) acpu=$cpu
        # shellcheck disable=SC2086
        fio_run $read --rw=randread --bs=4k --norandommap
        result pread "$a" "$(fio_ns read total_ios)" "$acpu" "$cpu"
        zhist read "$disk/r.db" "$memory"
        a=$(zhist_ns read bytes) acpu=$cpu
        # shellcheck disable=SC2086
        fio_run $read --rw=read --bs=1m
        result read "$a" "$(fio_ns read io_bytes)" "$acpu" "$cpu"
    done
    rm -f fio.file
}

making_data() {
    say "data of a set ratio"
    for ratio in 1 3; do
        "$build/bench_fill" "$ratio" $((pairs * 5)) | while read -r take copy make new; do
            result "data.$ratio" "$take" "$copy"
            result "made.$ratio" "$make" "$new"
        done
    done
}

# Two lengths of run: per iteration of the short one (a share of start, facts and end with it), and
# the step from the short to the long one, which is what an iteration itself costs.
outside() { # outside ROW DIR ITERATIONS
    say "record outside the measured phases: $2"
    for n in "$3" $(($3 * 3)); do
        profile "tiny$n" "$n" "name: t, kind: file, engine: null, size: 4KiB, block: 4KiB, \
phases: [read]" >"tiny$n.yaml"
    done
    measured="SELECT sum(j ->> 'duration_ns') FROM l"
    for _ in $(seq "$pairs"); do
        zhist "tiny$3" "$2/short.db" "$memory"
        short=$((wall - $(lines "$measured")))
        one=$("$tool" commit "$2/commit.db" $(($3 * 2)))
        zhist "tiny$(($3 * 3))" "$2/long.db" "$memory"
        long=$((wall - $(lines "$measured")))
        result "$1.run" $((short / $3)) $((2 * one + 5000000))
        result "$1.step" $(((long - short) / (2 * $3))) "$one"
    done
}

peak() {
    say "memory"
    profile few 20 "name: t, kind: file, engine: null, size: 4KiB, block: 4KiB, phases: [read]" \
        >few.yaml
    profile many 2000 "name: t, kind: file, engine: null, size: 4KiB, block: 4KiB, phases: [read]" \
        >many.yaml
    profile jobs 2 "name: j, kind: file, jobs: 4, size: 64MiB, block: 1MiB, \
phases: [write, rewrite, read], flush: none" >jobs.yaml
    # KiB: a pool of 16 MiB and room for one write (at least the 1 MiB of a layout), and a block.
    zhist few few.db "$memory"
    few=$kib
    result memory.few "$few" $((32768 + 17 * 1024 + 4))
    zhist many many.db "$memory"
    result memory.many "$kib" $((32768 + 17 * 1024 + 4))
    result memory.growth $((kib - few)) 1024
    zhist jobs few.db "$memory"
    result memory.jobs "$kib" $((32768 + 4 * 18 * 1024))
}

starting() {
    say "start-up"
    for words in '--version' 'show profiles'; do
        # shellcheck disable=SC2086
        "$tool" start $((pairs * 20)) "$build/zhist" $words -- fio --version |
            sed "s/^/start.$words|/; s/ \([0-9]*\)\$/|\1||/" >>"$results"
    done
}

# ---- the table ----------------------------------------------------------------------------------

table() {
    {
        printf '%s\n' 'CREATE TABLE r(row TEXT, a REAL, b REAL, acpu REAL, bcpu REAL);' \
            '.separator |' '.import results r' '.mode column'
        cat "$here/table.sql"
    } | sqlite3 -batch :memory:
}

say "$pairs pairs; tmpfs: $memory; disk: $disk ($(df --output=fstype "$disk" | tail -1))"
null_engine
writing
reading
making_data
outside disk "$disk" 40
outside memory "$memory" 200
peak
starting
table
