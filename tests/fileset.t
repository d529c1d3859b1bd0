#!/bin/sh
# Filesets through the program: what is stored, sizes, real files, reports, interruption, kill -9.
# shellcheck source=tests/lib.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"

A=$S/a B=$T/b R=$T/real
mkdir "$A" "$B" "$R" "$R/in" "$R/in/deep"
pid=
# shellcheck disable=SC2016 # later
at_exit 'kill -9 $pid'

profile() { # NAME, the rest on stdin -> $T/NAME.yaml
    { printf 'zhist: 1\nname: %s\n' "$1" && cat; } >"$T/$1.yaml"
}
rows() { query "SELECT $1 FROM iteration AS i JOIN workload AS w ON w.id = i.workload_id
                JOIN target AS t ON t.id = i.target_id
                WHERE i.run_id = (SELECT max(id) FROM run) $2"; }
sample() { query "SELECT count(*) FROM sample AS s JOIN metric AS m ON m.id = s.metric_id
                  JOIN iteration AS i ON i.id = s.iteration_id
                  WHERE i.run_id = (SELECT max(id) FROM run) AND m.name = '$1' AND s.value > 0"; }

# ---- what is stored -----------------------------------------------------------------------------
profile sets <<'END1'
run: {iterations: 2, warmup: 0}
workloads:
  - {name: small, kind: fileset, files: 300, total: 1234567, dirs: 7, jobs: 3,
     phases: [create, list, stat, read, rename, delete]}
  - {name: listed, kind: fileset, files: 30, sizes: [{size: 1KiB, share: 90%}, {size: 20KB, share: 10%}],
     phases: [read, stat], flush: each}
END1
expect 0 "dry run" "$ZHIST" record "$T/sets.yaml" --target "$A" --dry-run
says "dry run: what files there are" out \
    'small: create, list, stat, read, rename, delete; 300 files of 1.23 MB together in 7 directories, 3 jobs' \
    'listed: read, stat; 30 files of 87.6 kB together in 1 directory'
expect 0 "record on two targets" "$ZHIST" record "$T/sets.yaml" --target "$A" --target "$B"
is "record: every phase, twice, on both" "$(rows 'count(*)' "AND status = 'ok'")" 32
is "record: an operation is a file" "$(rows 'group_concat(DISTINCT ops)' "AND w.name = 'small'")" 300
is "record: bytes are those of the files" \
    "$(rows "group_concat(DISTINCT bytes)" "AND w.name = 'small' AND phase IN ('create', 'read')")" 1234567
is "record: names have no bytes" \
    "$(rows "group_concat(DISTINCT bytes)" "AND phase NOT IN ('create', 'read')")" 0
is "record: a list has its own total" "$(rows 'group_concat(DISTINCT bytes)' "AND w.name = 'listed'
    AND phase = 'read'")" 87648
is "record: files a second, of all" "$(sample files_per_second)" 32
is "record: the time of a file, of all" "$(sample time_per_file)" 32
is "record: latencies, of all" "$(sample lat_p99)" 32
is "record: the flush of what changes files" "$(sample flush_time)" 12
check "record: nothing is left" test -z "$(find "$A" "$B" -mindepth 1)"
query "SELECT DISTINCT label FROM v_label" >"$T/labels"
says "labels" "$T/labels" '300 files, create' '300 files, list' '30 files, stat'
expect 0 "report" "$ZHIST" report --target "$A"
says "report: rows have the label and unit" out '300 files, create' 'files/s'

# ---- real files ---------------------------------------------------------------------------------
head -c 100000 /dev/urandom >"$R/one"
head -c 5000 /dev/urandom >"$R/in/two"
head -c 1 /dev/urandom >"$R/in/deep/three"
: >"$R/in/empty"
ln -s /etc "$R/out"
profile real <<'END1'
run: {iterations: 1, warmup: 0}
workloads:
  - {name: mine, kind: fileset, from: real, phases: [create, list, stat, read, rename, delete]}
END1
expect 0 "real files, beside the profile" "$ZHIST" record "$T/real.yaml" --target "$A"
is "real files: as many, as long" "$(rows 'ops, bytes' "AND phase = 'read'")" '4|105001'
first=$(query 'SELECT digest FROM workload ORDER BY id DESC LIMIT 1')
: >"$R/more"
expect 0 "real files, one more" "$ZHIST" record "$T/real.yaml" --target "$A"
check "real files: others are another workload" \
    test "$first" != "$(query 'SELECT digest FROM workload ORDER BY id DESC LIMIT 1')"
chmod 755 "$T" "$R" "$R/in"
W=$T/theirs
mkdir -m 777 "$W"
chmod 0 "$R/in/two"
expect 1 "real files that may not be read" as_user "$ZHIST" --db "$T/none/db" record "$T/real.yaml" --target "$W" --dry-run
one_line "real files that may not be read" 'workload "mine"' 'cannot read' 'in/two' 'Permission denied'
chmod 600 "$R/in/two"
mv "$R" "$R.away"
expect 1 "real files that are not there" "$ZHIST" record "$T/real.yaml" --target "$A"
one_line "real files that are not there" 'workload "mine"' from 'real' 'No such file'
mkdir "$R"
expect 1 "no real files" "$ZHIST" record "$T/real.yaml" --target "$A"
one_line "no real files" 'holds no regular file'
rmdir "$R" && mv "$R.away" "$R"
check "real files: they are as they were" test "$(find "$R" -type f | wc -l)" = 5

# ---- quick --------------------------------------------------------------------------------------
profile many <<'END1'
run: {iterations: 1, warmup: 0}
workloads:
  - {name: many, kind: fileset, files: 1000000, total: 100GB, dirs: 1000, phases: [create, read, delete]}
END1
expect 0 "quick" "$ZHIST" record "$T/many.yaml" --target "$A" --quick
is "quick: 200 files of the same mean size" "$(rows 'DISTINCT ops, bytes' "AND phase = 'read'")" '200|20000000'

# ---- interruption and kill -9 -------------------------------------------------------------------
profile long <<'END1'
run: {iterations: 100000, warmup: 0}
workloads:
  - {name: long, kind: fileset, files: 2000, total: 9MB, dirs: 20, jobs: 2,
     phases: [create, read, rename, delete]}
  - {name: mine, kind: fileset, from: real, phases: [stat]}
END1
begin() {
    : >"$T/lines"
    "$ZHIST" record "$T/long.yaml" --target "$A" --target "$B" --json >"$T/lines" 2>"$T/err" </dev/null &
    pid=$!
    tries=0
    until [ "$(grep -c '"event":"iteration"' "$T/lines")" -ge "$1" ] || [ $tries -gt 3000 ]; do
        tries=$((tries + 1))
        sleep 0.01
    done
}
end() {
    code=0
    { wait "$pid"; } 2>/dev/null || code=$?
    pid=
}
begin 3
kill -INT "$pid"
end
is "interrupted: exit 130" "$code" 130
check "interrupted: nothing is left" test -z "$(find "$A" "$B" -mindepth 1)"
is "interrupted: what was measured is stored" \
    "$(query "SELECT status FROM run ORDER BY id DESC LIMIT 1")" interrupted

echo precious >"$A/f1"
mkdir "$A/w01234567-d0" && echo precious >"$A/w01234567-d0/f1"
profile short <<'END1'
run: {iterations: 1, warmup: 0}
workloads:
  - {name: short, kind: fileset, files: 3, total: 3K, phases: [create]}
END1
left=0
for n in 1 2 3 5 6 8; do
    begin "$n"
    sleep "0.0$n"
    kill -9 "$pid"
    end
    found=$(find "$A" "$B" -path '*/.zhist-*/w*' -type f | wc -l)
    left=$((left + (found > 0)))
    run "$ZHIST" record "$T/short.yaml" --target "$A" --target "$B"
    is "killed after $n: the next one tidies" \
        "$code $(find "$A" "$B" -name '.zhist-*' | wc -l)" "0 0"
done
check "killed: some of them left files ($left of 6)" test "$left" -gt 0
is "killed: files of others are as they were" "$(cat "$A/f1" "$A/w01234567-d0/f1")" "precious
precious"
rm -r "$A/f1" "$A/w01234567-d0"

# A stranger in a set of a crashed run: everything else goes.
begin 1
kill -9 "$pid"
end
box=$(find "$A" -maxdepth 1 -name '.zhist-*')
mkdir -p "$box/w01234567-d0"
echo precious >"$box/w01234567-d0/stranger"
echo x >"$box/w01234567-d0/f5"
run "$ZHIST" record "$T/short.yaml" --target "$A" --target "$B"
is "a stranger in a set: it is recorded all the same" "$code" 0
says "a stranger in a set: it is told" err "w01234567-d0/stranger"
is "a stranger in a set: only it stays" "$(find "$A" -type f ! -name .zhist-mark)" \
    "$box/w01234567-d0/stranger"
rm -r "$box"

# ---- what goes wrong ----------------------------------------------------------------------------
if [ $is_root = yes ] && mkdir "$S/tiny" && mount -t tmpfs -o size=1m none "$S/tiny" 2>/dev/null; then
    at_exit "umount $S/tiny"
    profile full <<'END1'
run: {iterations: 2, warmup: 0}
workloads:
  - {name: full, kind: fileset, files: 10, total: 600KB, phases: [create]}
END1
    expect 4 "no room for as much again: refused" "$ZHIST" record "$T/full.yaml" --target "$S/tiny"
    head -c 600000 /dev/zero >"$S/tiny/others"
    expect 1 "no room at all" "$ZHIST" record "$T/full.yaml" --target "$S/tiny" --force
    one_line "no room at all" "too little" "free"
    umount "$S/tiny"
else
    skip "no room" "no tmpfs can be mounted here"
fi

finish
