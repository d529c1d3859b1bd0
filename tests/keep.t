#!/bin/sh
# keep: true over runs, and what removes it; data of a profile as it lies on disk; O_DIRECT that
# cannot be.
# shellcheck source=tests/lib.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"

D=$T/target
mkdir "$D"
cat >"$T/keep.yaml" <<'END'
zhist: 1
name: keep
run: {iterations: 2, warmup: 1}
workloads:
  - {name: w, kind: file, size: 256KiB, block: 64KiB, phases: [write, read], keep: true, jobs: 2}
END
record() { expect 0 "$1" "$ZHIST" record "${2:-$T/keep.yaml}" --target "d=$D"; }
kept() { find "$D" -path '*/.zhist-keep-*/w*' -printf '%i %s\n' | sort; }
boxes() { find "$D" -mindepth 1 -maxdepth 1 | wc -l; }
sums() { find "$D" -path '*/.zhist-keep-*/w*' -exec cksum {} + | sort; }

# ---- from run to run ----------------------------------------------------------------------------
expect 0 "dry run" "$ZHIST" record "$T/keep.yaml" --target "d=$D" --dry-run
says "the kept file counts as space" out "Space: 1.05 MB"
printf '  - {name: v, kind: file, size: 1MiB, phases: [read], keep: true}\n' | cat "$T/keep.yaml" - >"$T/two.yaml"
expect 0 "dry run of two that keep" "$ZHIST" record "$T/two.yaml" --target "d=$D" --dry-run
says "what both keep lies there at a time" out "Space: 2.62 MB"
record "the first run"
is "its files are kept: one a job, of its size" "$(kept | cut -d' ' -f2)" "262144
262144"
is "in one directory, and nothing else is left" "$(boxes)" 1
box=$(find "$D" -mindepth 1 -maxdepth 1 -printf '%f')
is "called after the workload" "$box" \
    ".zhist-keep-$(query "SELECT substr(digest, 1, 12) FROM workload")"
is "for its owner alone" "$(find "$D/$box" -maxdepth 0 -printf '%m %y')" "700 d"
before=$(kept) data=$(sums)
record "the second run"
check "they were replaced" test "$(kept)" != "$before"
check "by other data" test "$(sums)" != "$data"
is "by as many" "$(kept | wc -l)" 2
is "of a run that has one, the read of the kept file counts, and what it wrote itself does not" \
    "$(query "SELECT group_concat(n, ' ') FROM (SELECT sum(NOT warmup) AS n FROM iteration
              WHERE phase = 'read' GROUP BY run_id ORDER BY run_id)")" "2 1"
is "writes all count" "$(query "SELECT group_concat(n, ' ') FROM (SELECT sum(NOT warmup) AS n FROM iteration
              WHERE phase = 'write' GROUP BY run_id ORDER BY run_id)")" "2 2"
is "what was tried is told with what came of it" "$(query "SELECT count(*) FROM cell
    WHERE phase = 'read' AND evidence LIKE '%\"cold_tried\":\"keep%'")" 1
is "all iterations are good" "$(query "SELECT group_concat(DISTINCT status) FROM iteration")" ok

# Where the read takes the kept file, nothing is laid out for it: only what is kept again is written.
sed 's/phases: .write, read./phases: [read]/; s/name: w/name: r/; s/256KiB/128KiB/' "$T/keep.yaml" >"$T/read.yaml"
record "a profile that only reads" "$T/read.yaml"
record "again" "$T/read.yaml"
is "has a directory of its own" "$(boxes)" 2

# ---- crashes ------------------------------------------------------------------------------------
before=$(kept)
sed 's/iterations: 2/iterations: 100000/' "$T/keep.yaml" >"$T/long.yaml"
"$ZHIST" record "$T/long.yaml" --target "d=$D" --json >"$T/lines" 2>"$T/err" </dev/null &
pid=$!
at_exit "kill -9 $pid"
tries=0
until [ "$(grep -c iteration "$T/lines")" -gt 3 ] || [ $tries -gt 2000 ]; do
    tries=$((tries + 1))
    sleep 0.01
done
expect 4 "forget while a run is there is refused" "$ZHIST" forget "$D"
one_line "and says so" "another zhist" "$D"
kill -9 $pid
wait $pid 2>/dev/null
is "killed: it left its own directory beside the kept ones" "$(boxes)" 3
is "killed: whole files are kept" "$(kept | wc -l)" "$(echo "$before" | wc -l)"
record "the next run"
says "tidies what the crash left" err "removed" "crashed"
is "and nothing that is kept" "$(boxes)" 2
is "whole files, still" "$(kept | cut -d' ' -f2 | sort | uniq -c | tr -s ' \n' ' ')" \
    " 2 131072 2 262144 "

# ---- what is not ours ---------------------------------------------------------------------------
expect 0 "forget" "$ZHIST" forget "$D"
is "forget tells each" "$(grep -c "^removed \"$D/.zhist-keep-.*\", kept for a cold read\$" "$T/out")" 2
is "nothing is left" "$(boxes)" 0
expect 0 "forget again" "$ZHIST" forget "$D"
says "says that there is nothing" out "nothing is kept in \"$D\""
expect 1 "forget where there is nothing" "$ZHIST" forget "$D/not-here"
one_line "forget where there is nothing" "does not exist"

mkdir "$T/precious" "$D/mine"
echo precious >"$T/precious/file"
echo mine >"$D/mine/file"
ln -s "$T/precious" "$D/$box"
before=$(listing "$D" "$T/precious")
record "a link of that name"
is "it is not followed, and left" "$(listing "$D" "$T/precious")" "$before"
expect 0 "forget with a link of that name" "$ZHIST" forget "$D"
says "leaves it and says why" out "left \"$D/$box\" alone" "not a directory"
is "and touches nothing" "$(listing "$D" "$T/precious")" "$before"
rm "$D/$box"
mkdir "$D/$box"
echo foreign >"$D/$box/w01234567-j0"
before=$(listing "$D")
record "a foreign directory of that name"
is "is left" "$(listing "$D")" "$before"
expect 0 "forget with a foreign directory" "$ZHIST" forget "$D"
says "leaves it and says why, too" out "left" "no mark of zhist"
is "nothing of it was touched" "$(listing "$D")" "$before"
rm -r "${D:?}/$box" "$D/mine"

# ---- data ---------------------------------------------------------------------------------------
# Iterations of one, so that the kept file shows what was written.
data() { # NAME DATA SIZE
    printf 'zhist: 1\nname: %s\nrun: {iterations: 1, warmup: 0}\nworkloads:\n  - {name: %s, %s, %s, keep: true, %s}\n' \
        "$1" "$1" "kind: file, block: 64KiB, phases: [write, read]" "size: $3" "data: $2" >"$T/$1.yaml"
    "$ZHIST" forget "$D" >"$T/out" 2>&1
    record "data: $2" "$T/$1.yaml"
    file=$(find "$D" -path '*/.zhist-keep-*/w*')
}
data zeros zeros 1MiB
is "zeros are zeros" "$(tr -d '\000' <"$file" | wc -c)" 0
data ratio '{compress: 4.0}' 4MiB
packed=$(zstd -q -3 -c "$file" | wc -c)
check "a ratio of 4 is within 5 %" test "$packed" -gt $((4194304 * 95 / 400)) -a \
    "$packed" -lt $((4194304 * 105 / 400))
data repeated '{dedup: 50%}' 8MiB
is "half of 8 MiB repeats" "$(split -b 1M --filter=cksum "$file" | sort -u | wc -l)" 4
data small '{compress: 1.0}' 1MiB
is "without a share nothing does" "$(split -b 4K --filter=cksum "$file" | sort -u | wc -l)" 256
seq 100000 >"$T/numbers"
data from '{from: numbers}' 1MiB
is "from: the bytes of a file beside the profile" "$(tail -c +17 "$file" | head -c 1000)" \
    "$(tail -c +17 "$T/numbers" | head -c 1000)"
rm "$T/numbers"
expect 1 "from: a file that is not there" "$ZHIST" record "$T/from.yaml" --target "d=$D"
one_line "from: a file that is not there is named" "$T/numbers" "data: from:"
cat >"$T/few.yaml" <<'END'
zhist: 1
name: few
run: {iterations: 1, warmup: 0}
workloads:
  - {name: few, kind: file, size: 2MiB, phases: [write], data: {dedup: 20%}}
END
expect 1 "too small to repeat anything" "$ZHIST" record "$T/few.yaml" --target "d=$D"
one_line "too small to repeat anything" "dedup" "larger size"
"$ZHIST" forget "$D" >"$T/out" 2>&1

# ---- O_DIRECT on a disk of 4 KiB sectors --------------------------------------------------------
cat >"$T/direct.yaml" <<'END'
zhist: 1
name: direct
run: {iterations: 1, warmup: 0}
workloads:
  - {name: w, kind: file, size: 64KiB, block: 512, phases: [write], direct: true}
END
loop=
if [ $is_root = yes ]; then
    truncate -s 64M "$T/disk"
    loop=$(losetup -b 4096 -f --show "$T/disk" 2>/dev/null)
fi
mkdir "$T/ext4"
if [ -n "$loop" ]; then
    at_exit "umount $T/ext4; losetup -d $loop"
    PATH=$PATH:/sbin:/usr/sbin mkfs.ext4 -q -b 4096 "$loop" >"$T/out" 2>&1
fi
if [ -n "$loop" ] && mount "$loop" "$T/ext4" 2>"$T/err"; then
    run "$ZHIST" record "$T/direct.yaml" --target "e=$T/ext4"
    says "a block that does not suit is named with what would" err "multiple of 4096 bytes" "512" \
        "direct: false"
    is "it is a failed iteration in which nothing was written" \
        "$(query "SELECT status, bytes FROM iteration ORDER BY id DESC LIMIT 1")" "failed|0"
    sed 's/block: 512/block: 4096/' "$T/direct.yaml" >"$T/suits.yaml"
    expect 0 "one that suits is written" "$ZHIST" record "$T/suits.yaml" --target "e=$T/ext4"
else
    skip "a block that does not suit is named with what would" "needs root and a loop device"
    skip "it is a failed iteration in which nothing was written" "needs root and a loop device"
    skip "one that suits is written" "needs root and a loop device"
fi
finish
