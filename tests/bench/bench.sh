#!/bin/sh
# Speed, memory and start-up beside fio, dd and bonnie++, measured in turn: one table, in about ten
# minutes where the disk is fast.
#   sh tests/bench/bench.sh BUILD-DIR [WHAT...]   BENCH_PAIRS=N pairs (10; fewer are not worth reading)
#   WHAT: null_engine writing reading filesets running peak changes starting
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
#
# Filesets: 20,000 files of 4 KiB in one directory, nothing flushed; on the disk, which is slow at
# it, a third of the pairs. zhist takes files in random order and fio in that of their creation, which
# is kinder to the CPU's caches; "beside the bare calls" is the same without any clock, in order. By
# default fio goes round all files, open at once; where no more than 1024 may be open, as usual, it
# fails, so it gets openfiles=1000. bonnie++ stats and reads in
# one go, and of what took it under half a second it tells nothing, so on tmpfs it gets five times
# as many files.
set -eu
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
pairs=${BENCH_PAIRS:-10}
memory=$(mktemp -d "${BENCH_MEMORY:-/dev/shm}/zhist-bench.XXXXXX")
disk=$(mktemp -d "${BENCH_DISK:-$build}/zhist-bench.XXXXXX")
trap 'rm -rf "$memory" "$disk"' EXIT
trap 'exit 130' INT TERM
unset ZHIST_DB || :
root=
[ "$(id -u)" != 0 ] || root=yes # bonnie++ asks for a name then
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

uring() {
    say "io_uring, 32 requests in flight, on disk"
    profile uring 1 "name: r, kind: file, size: 1GiB, block: 4KiB, phases: [randread], time: 2s, \
engine: uring, depth: 32, direct: true, cold: no" >uring.yaml
    fio_run --rw=write --bs=1m --size=1g --filename="$disk/fio.file" --refill_buffers
    for _ in $(seq "$pairs"); do
        zhist uring "$memory/u.db" "$disk"
        a=$(zhist_ns randread ops) acpu=$cpu
        fio_run --size=1g --filename="$disk/fio.file" --time_based --runtime=2 --rw=randread --bs=4k \
            --ioengine=io_uring --iodepth=32 --direct=1 --registerfiles --fixedbufs # each block once, as zhist
        result uring "$a" "$(fio_ns read total_ios)" "$acpu" "$cpu"
    done
    rm -f "$disk/fio.file"
}

meters() {
    say "one reading of all meters"
    for _ in $(seq "$pairs"); do
        result meter "$("$build/bench_meter" "$(find /sys/block -mindepth 1 -printf '%f\n' | head -4 | tr '\n' ' ')" /)" 2000000
    done
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
set_fio() { # set_fio NS-OF TOTAL OPTION...: ns a file
    of=$1 total=$2
    shift 2
    sync
    fio_run --directory="$place" --nrfiles=20000 --filesize=4k --bs=4k --create_fsync=0 "$@"
    fio_ns "$of" "$total"
}
fileset() { # fileset ROW PLACE PAIRS BONNIE-FILES
    say "filesets: $2"
    row=$1 place=$2/set bonnie_files=$4
    profile set 1 "name: s, kind: fileset, files: 20000, total: 81920000, sizes: fixed, \
phases: [create, stat, read, delete], flush: none, cold: no" >set.yaml
    mkdir "$place"
    for _ in $(seq "$3"); do
        sync
        zhist set "$memory/set.db" "$place"
        for phase in create stat read delete; do
            eval "$phase=$(zhist_ns $phase ops)"
        done
        # shellcheck disable=SC2154 # set by eval
        result "$row.create" "$create" "$(set_fio write total_ios --rw=write --create_on_open=1 \
            --fallocate=none --file_service_type=sequential --openfiles=1)"
        # shellcheck disable=SC2154
        result "$row.read" "$read" "$(set_fio read total_ios --rw=read --invalidate=0 \
            --file_service_type=sequential --openfiles=1)"
        # shellcheck disable=SC2154
        result "$row.stat" "$stat" "$(set_fio read total_ios --ioengine=filestat --rw=read \
            --file_service_type=sequential)"
        # shellcheck disable=SC2154
        result "$row.delete" "$delete" "$(set_fio write total_ios --ioengine=filedelete --rw=write \
            --file_service_type=sequential)"
        result "$row.default" "$read" "$(set_fio read total_ios --rw=read --invalidate=0 \
            --openfiles=1000)"
        rm -rf "${place:?}"/*
        sync
        # shellcheck disable=SC2046
        set -- $("$tool" files "$place" 20000)
        result "$row.bare.create" "$create" "$1"
        result "$row.bare.stat" "$stat" "$2"
        result "$row.bare.read" "$read" "$3"
        result "$row.bare.delete" "$delete" "$4"
        sync
        bonnie++ -q -d "$place" ${root:+-u root} -s 0 -n "$bonnie_files:4096:4096:1" 2>bonnie.err |
            tail -1 | cut -d, -f27,29,31 | tr , ' ' >bonnie.out
        read -r bcreate bread bdelete <bonnie.out || :
        bonnie create "$create" "$bcreate"
        bonnie read "$(echo "$stat $read" | awk '{print $1 + $2}')" "$bread"
        bonnie delete "$delete" "$bdelete"
    done
    rm -rf "$place"
}
bonnie() { # bonnie PHASE ZHIST FILES-A-SECOND: none where it did not tell
    case $3 in
    '' | *[!0-9]*) ;;
    *) result "$row.bonnie.$1" "$2" $((1000000000 / $3)) ;;
    esac
}
filesets() {
    fileset set.memory "$memory" "$pairs" 100
    fileset set.disk "$disk" $(((pairs + 2) / 3)) 20
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

running() {
    outside disk "$disk" 40
    outside memory "$memory" 200
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

changes() {
    say "changes over a year"
    for _ in $(seq "$pairs"); do
        result split "$("$build/bench_split")" 100000000
    done
    for every in 0 10; do
        awk -v every=$every -f "$here/series.awk" | "$build/tests/scenes" year.db
        for _ in $(seq $(((pairs + 2) / 3))); do
            # shellcheck disable=SC2046
            set -- $("$tool" run year.txt "$build/zhist" --db year.db report changes --since 2025-01-01)
            result changes.$every "$2" 10000000000
            # shellcheck disable=SC2046
            set -- $("$tool" run year.txt "$build/zhist" --db year.db report changes --since 2025-01-01 \
                --format json)
            result "changes.$every.memory" "$3" 65536
        done
        rm -f year.db
    done
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
# shellcheck disable=SC2048 # words are split
for what in ${*:-null_engine writing reading uring meters making_data filesets running peak changes starting}; do
    $what
done
table
