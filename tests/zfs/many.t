#!/bin/sh
# Thousands of datasets: what is asked of one does not grow with the others.
# ZHIST_ZFS_MANY=2000: how many are made
# shellcheck source=tests/zfs/lib.sh
. "$(dirname "$0")/lib.sh"
many=${ZHIST_ZFS_MANY:-2000}

make plain
make crowd -o canmount=off
seq "$many" | sed "s|^|$BASE/crowd/d|" | tr '\n' '\0' | xargs -0 -n1 -P8 zfs create -o canmount=off
is "$many datasets are there" "$(zfs list -H -o name -r "$BASE/crowd" | wc -l)" $((many + 1))
record "$T/null.yaml" --target "x=$MNT/plain"
is "$many datasets: a run" "$code" 0
is "$many datasets: the right one" "$(fact dataset name)" "$BASE/plain"
is "$many datasets: its compression" "$(fact dataset compression)" lz4
# In memory: what the probes print does not hold the names of the others.
expect 0 "$many datasets: probe" timeout 30 "$ZHIST" probe "$MNT/plain"
check "$many datasets: probe fits a screen" test "$(wc -l <"$T/out")" -le 60
lacks "$many datasets: probe names none of the others" out "crowd/"
expect 0 "$many datasets: probe --json" timeout 30 "$ZHIST" probe "$MNT/plain" --json
expect 0 "$many datasets: init" timeout 30 "$ZHIST" init "$MNT/plain"
expect 0 "$many datasets: init of the siblings" timeout 30 "$ZHIST" init "$MNT"
finish
