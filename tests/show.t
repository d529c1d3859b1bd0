#!/bin/sh
# show: what is stored, as a person and as a program reads it; and what all commands have in common:
# control characters, options that would be ignored, a current directory that is gone.
# shellcheck source=tests/lib.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"
TZ=UTC
export TZ
mkdir "$S/a" "$S/b"
cat >"$T/p.yaml" <<'END'
zhist: 1
name: p
run: {iterations: 1, warmup: 0}
workloads:
  - {name: w, kind: file, engine: "null", size: 64KiB, block: 16KiB, phases: [write]}
END
run_id() { query "SELECT substr(uuid, 1, 8) FROM run ORDER BY id DESC LIMIT 1"; }

# ---- control characters -------------------------------------------------------------------------
odd="$S/a
b	c"
mkdir "$odd"
one_lines() { # NAME FILE: no raw control character but line ends, and the name on one line
    says "$1: written out" "$2" "a\\nb\\tc"
    if LC_ALL=C tr -d '\n' <"$(stream "$2")" | LC_ALL=C grep -q '[[:cntrl:]]'; then
        not_ok "$1: no control character" "$(cat -A "$(stream "$2")" | head -5)"
    else
        ok "$1: no control character"
    fi
}
expect 0 "probe of a name over lines" "$ZHIST" probe "$odd"
one_lines "probe" out
expect 0 "the plan of it" "$ZHIST" record "$T/p.yaml" --dry-run --target "$odd"
one_lines "the plan" out
expect 1 "init refuses it" "$ZHIST" init "$odd"
one_line "init says why" "control character" "rename it"
one_lines "init" err
expect 1 "a path that is not there" "$ZHIST" probe "$odd/none"
one_line "a path that is not there" "does not exist"
one_lines "an error" err
expect 0 "a run of it" "$ZHIST" record "$T/p.yaml" --target "t=$odd" --note "first
second" --quiet
expect 0 "show run of it" "$ZHIST" show run "$(run_id)"
one_lines "show run" out
expect 0 "a note over lines" "$ZHIST" show runs
says "a note over lines" out 'first\nsecond'
expect 2 "a bad command" "$ZHIST" "$(printf 'sh\033[31mow')"
one_line "an escape in a command" 'sh\x1b[31mow'
rm -rf "$odd"

# ---- options that would be ignored --------------------------------------------------------------
apart() { # NAME WORDS CMD...
    name=$1 words=$2
    shift 2
    expect 2 "$name" "$ZHIST" "$@"
    one_line "$name" "$words"
    silent "$name: nothing on stdout" out
}
id=$(run_id)
apart "a profile has no formats" "--profile and --format" show run "$id" --profile --format json
apart "a profile has no columns" "--profile and -v" show run "$id" --profile -v
apart "only runs have a profile" "show runs takes no --profile" show runs --profile
for thing in profiles reports formats engines; do
    apart "show $thing is text" "show $thing takes no --format" show $thing --format json
done
apart "nothing to mask in engines" "takes no --mask" show engines --mask
apart "a dry run prints no JSON lines" "--dry-run and --json" record "$T/p.yaml" --dry-run --json
apart "one value only" '"--format" is given twice ("csv", "json")' show runs --format csv --format json
apart "one --from" "--from" init "$S/a" --from quick --from nightly
expect 0 "the same value twice is one" "$ZHIST" show runs --format csv --format=csv
expect 0 "a label may be given again" "$ZHIST" record "$T/p.yaml" --target "$S/a" --target "$S/b" \
    --label x=1 --label y=2 --quiet

# ---- the current directory is gone --------------------------------------------------------------
gone() { # CODE NAME WORDS CMD...
    mkdir "$T/gone"
    gone_code=$1 name=$2 words=$3
    shift 3
    # shellcheck disable=SC2016 # the inner shell's
    expect "$gone_code" "$name" sh -c 'cd "$1" && rmdir "$1" && shift && exec "$@"' - "$T/gone" "$@"
    one_line "$name" "the current directory was removed" "with cd" "$words"
}
gone 1 "probe without a directory" 'cannot probe "."' "$ZHIST" probe
gone 1 "init without a directory" "does not exist" "$ZHIST" init .
gone 2 "a profile without a directory" '"x.yaml"' "$ZHIST" record x.yaml
gone 1 "a history without a directory" '"h.db"' "$ZHIST" --db h.db show runs
mkdir "$T/gone"
# shellcheck disable=SC2016 # the inner shell's
expect 0 "whole paths need none" sh -c 'cd "$1" && rmdir "$1" && exec "$2" probe "$3"' - "$T/gone" "$ZHIST" "$S"

# ---- show runs ----------------------------------------------------------------------------------
R=$T/runs.db
base=1767225600 # 2026-01-01 00:00 UTC, a full minute
expect 0 "a run" "$ZHIST" --db "$R" record "$T/p.yaml" --target "one=$S/a" --target "two=$S/b" --quiet
for _ in 1 2 3 4; do run "$ZHIST" --db "$R" record "$T/p.yaml" --target "one=$S/a" --quiet; done
sqlite3 "$R" "DELETE FROM finding;
    UPDATE run SET started_at = ($base + 600 * id) * 1000000000, finished_at = NULL, note = NULL;
    UPDATE run SET started_at = ($base + 600 * 3 + 7) * 1000000000 WHERE id = 2;
    UPDATE run SET status = 'refused' WHERE id = 3;
    UPDATE run SET forced = 1 WHERE id = 4;
    INSERT INTO finding(run_id, code, severity, text) VALUES (1, 'a', 'say', 'x'), (1, 'b', 'class', 'x'),
        (2, 'a', 'say', 'x'), (2, 'other-io', 'disturbed', 'noise'), (2, 'a', 'shape', 'x'),
        (3, 'scan-running', 'refuse', 'x'), (4, 'scan-running', 'refuse', 'x'), (4, 'b', 'disturbed', 'x')"
expect 0 "show runs" "$ZHIST" --db "$R" show runs
is "show runs: words, targets, seconds where two began in one minute" \
    "$(sed '/^$/,$d' "$T/out" | sed 1d | awk '{ $1 = $2 = ""; print }' | sed 's/^ *//')" \
    "2026-01-01 00:50 p done - one
2026-01-01 00:40 p done forced one
2026-01-01 00:30:07 p done disturbed one
2026-01-01 00:30:00 p refused - one
2026-01-01 00:10 p done - one, two"
expect 0 "show runs --format csv" "$ZHIST" --db "$R" show runs --format csv
is "show runs for programs: counts and words" "$(tr -d '\r' <"$T/out" | cut -d, -f6,8,9 | tr '\n' ' ')" \
    "status,disturbed,marked done,0, done,2,forced done,1,disturbed refused,1, done,0, "

# ---- show run -----------------------------------------------------------------------------------
id=$(query "SELECT substr(uuid, 1, 8) FROM run WHERE id = 2" "$R")
expect 0 "show run ID" "$ZHIST" --db "$R" show run "$id"
says "show run: what counts most first" out "  other-io (disturbed)  noise"
is "show run: other-io is the first finding" "$(sed -n '/^Findings/{n;p;}' "$T/out" | awk '{ print $1 }')" other-io
lacks "show run: no raw bytes a second, bytes, reasons of the system" out "not installed" "psi_memory" "boot_id"
says "show run: amounts with units" out "GB" "GiB"
check "show run: a control is a rate" grep -Eq '^  control_memory_copy  [0-9.]+ [MG]B/s' "$T/out"
expect 0 "show run ID -v" "$ZHIST" --db "$R" show run "$id" -v
says "show run -v: all" out psi_memory boot_id
long=$(query "SELECT substr(uuid, 1, 8) FROM run WHERE id = 1" "$R")
for v in "" -v; do
    # shellcheck disable=SC2086 # no word where it is empty
    expect 0 "show run ID $v --mask" "$ZHIST" --db "$R" show run "$long" $v --mask
    says "show run ID $v --mask: words in headings" out "mount, target target-1" "mount, target target-2"
    lacks "show run ID $v --mask: names of three letters too" out "target one" "target two"
done
expect 0 "show runs --mask" "$ZHIST" --db "$R" show runs --mask
says "show runs --mask: a list of targets" out "target-1, target-2"
expect 0 "show run ID --format json" "$ZHIST" --db "$R" show run "$id" --format json
check "show run, for programs: as stored" grep -Eq '"fact":"control_memory_copy","value":"[0-9]+"' "$T/out"
finish
