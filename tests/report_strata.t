#!/bin/sh
# compare --by: runs that are alike in all other settings; two settings that differ; outliers; what
# these runs could have seen.
# shellcheck source=tests/scenes.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/scenes.sh"

by() { # NAME FACT ARGS...
    by_scene=$1 fact=$2
    shift 2
    zh "$by_scene" report compare --since 2025-01-01 --by "$fact" "$@"
}
day=0
runs() { # VALUE...: a run each, one value
    for value; do
        day=$((day + 1))
        printf 'run 2025-%02d-%02d\nit stream write t %se6\nend\n' $((1 + (day - 1) / 28)) \
            $((1 + (day - 1) % 28)) "$value"
    done
}

# ---- strata ----------------------------------------------------------------------------------------
# zstd costs 10 %; kernel 2 costs 30 %, and most runs with zstd are on it.
{
    echo "targets t
fact system - - kernel 1
fact dataset - t compression lz4"
    runs 100 101 99 100 101 99
    echo "fact dataset - t compression zstd"
    runs 90 91 89 90 91 89
    echo "fact system - - kernel 2"
    runs 63 64 62 63 64
} | scene strata
by strata compression --format json
is "only runs with the same kernel are compared: the change is that of zstd" \
    "$(rows "j.value ->> 'runs_a', j.value ->> 'runs_b', round(j.value ->> 'change_pct'), j.value ->> 'verdict',
        j.value ->> 'also_differs'")" "6|6|-10.0|slower|"
by strata compression
says "and the row says so" "$T/flat" "Only runs that are alike in all other settings are compared here."
by strata kernel --format json
is "by the other one: those with zstd" "$(rows "j.value ->> 'runs_a', j.value ->> 'runs_b',
    round(j.value ->> 'change_pct')")" "6|5|-30.0"

# ---- two settings that differ ----------------------------------------------------------------------
day=0
{
    echo "targets t
fact dataset - t compression lz4
fact dataset - t dedup off"
    runs 100 101 99 100
    echo "fact dataset - t compression zstd
fact dataset - t dedup on"
    runs 40 41 39 40
} | scene both
by both compression
says "no run is alike in the rest: both are named, none is blamed" "$T/flat" \
    "This differs too: dataset.dedup off / on. The change is given to none of them alone."
by both dedup --format json
is "also_differs names the other" "$(rows "j.value ->> 'also_differs'")" "dataset.compression lz4 / zstd"

# Three values: no stratum has all, so none is left out.
day=0
{
    echo "targets t
fact dataset - t compression lz4
fact system - - kernel 1"
    runs 100 101 99
    echo "fact dataset - t compression zstd"
    runs 90 91 89
    echo "fact system - - kernel 2
fact dataset - t compression gzip-9"
    runs 30 31 29
} | scene three
by three compression --format json
is "every value keeps its row" "$(rows "j.value ->> 'b', j.value ->> 'runs_b'" | sort | tr '\n' ' ')" \
    "gzip-9|3 zstd|3 "

# ---- outliers, and what could have been seen -------------------------------------------------------
day=0
{
    echo "targets t
fact system - - kernel 1"
    runs 100 101 99 100.5 99.5 100.2 99.8 100.1 100.3
    echo "fact system - - kernel 2"
    runs 90 91 89 90.5 89.5 90.2 90.3 89.9 300
} | scene outlier
by outlier kernel --format json
is "one far value: the means say one thing, the order another" \
    "$(rows "j.value ->> 'verdict', round(j.value ->> 'hl_pct')")" "undecided (outliers)|-10.0"
says "its sentence" out "1 of the values is far from the others"
day=0
{
    echo "targets t
fact system - - kernel 1"
    runs 100 104 96 102
    echo "fact system - - kernel 2"
    runs 101 105 95 99
} | scene few
by few kernel --format json
is "undecided: what would have been seen, and how many more it takes" \
    "$(rows "j.value ->> 'verdict', j.value ->> 'mde_pct' BETWEEN 8 AND 12, j.value ->> 'more_runs' BETWEEN 5 AND 9")" \
    "undecided|1|1"
says "in the sentence too" "$T/flat" "about 7 more runs on each side would decide."
finish
