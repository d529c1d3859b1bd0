#!/bin/sh
# Runs tests, each alone by name, and counts their TAP lines; the last line is the sum.
#   sh tests/run.sh BUILD-DIR [NAME [DIR]]      a NAME is a part of a test's name
# A unit test is BUILD-DIR/tests/unit_X; a transcript is tests/X.t, run with $ZHIST set.
# With DIR only its transcripts.
set -u
build=$1
only=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
transcripts=${3:-$here}
ZHIST=$(cd "$build" && pwd)/zhist
ZHIST_BUILD=$(cd "$build" && pwd)
ZHIST_TESTS=$here
export ZHIST ZHIST_BUILD ZHIST_TESTS
unset ZHIST_DB ZHIST_REPORTS || :
passed=0 failed=0 skipped=0
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

run_one() { # NAME COMMAND...
    name=$1
    shift
    case $name in *"$only"*) ;; *) return ;; esac
    "$@" >"$log" 2>&1
    code=$?
    ok=$(grep -c '^ok ' "$log")
    bad=$(grep -c '^not ok ' "$log")
    skip=$(grep -c '^ok .*# SKIP' "$log")
    # Not a line, or an end without its plan: it died.
    if ! grep -q '^1\.\.[0-9]*$' "$log" || { [ $code -ne 0 ] && [ "$bad" -eq 0 ]; }; then
        bad=$((bad + 1))
        echo "not ok - $name ended with code $code before its plan" >>"$log"
    fi
    printf '%-24s %5d ok %4d failed %4d skipped\n' "$name" $((ok - skip)) "$bad" "$skip"
    if [ "$bad" -gt 0 ]; then
        grep -A12 -E '^not ok |ERROR: |runtime error' "$log" | head -60
    fi
    grep '^ok .*# SKIP' "$log" | sed 's/^/    /'
    passed=$((passed + ok - skip)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

for test in "$build"/tests/unit_*; do
    case $test in *.d) continue ;; esac
    [ "$transcripts" = "$here" ] && [ -x "$test" ] && run_one "$(basename "$test")" "$test"
done
for test in "$transcripts"/*.t; do
    [ -e "$test" ] && run_one "$(basename "$test")" sh "$test"
done
if [ "$transcripts" = "$here" ] && { [ -z "$only" ] || [ "$only" = rooms ]; }; then
    run_one rooms sh "$here/rooms.sh"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
