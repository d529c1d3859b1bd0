# lib.sh: what the transcripts tests/*.t share. A transcript begins with
#     . "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"
# and ends with `finish`. Every check prints one TAP line; what failed prints why behind "# ".
#
#   $T            a directory of its own on a disk's file system (below $TMPDIR, else /tmp), removed
#                 at the end; $HOME lies in it, and ZHIST_DB is $T/history.db, so nobody's own
#                 history is touched
#   $S            the same on tmpfs (/dev/shm); where there is none, below $T
#   $ZHIST        the program;  $DB  the history, $T/history.db
#   $is_root      yes or no
#
#   run CMD...                      runs it: $code, and the files $T/out and $T/err; no check
#   expect CODE NAME CMD...         run, and check the exit code
#   ok NAME / not_ok NAME [WHY] / skip NAME REASON
#   is NAME GOT WANTED              equal text
#   check NAME CMD...               CMD succeeds ("check NAME test -e FILE", "check NAME ! ...")
#   says NAME FILE TEXT...          FILE has every TEXT (fixed, whatever case);  FILE: out, err, or a path
#   lacks NAME FILE TEXT...         FILE has none of them
#   one_line NAME [TEXT...]         stderr of the last run is exactly one line "zhist: ..." with every TEXT
#   silent NAME out|err             it is empty
#   query SQL [DB]                  a plain sqlite3 shell, read-only; columns by |
#   json_query FILE SQL             lines of FILE as table line(text), in order of rowid
#   at_exit CMD                     done at the end, the last one first, before the directories go
#   as_user CMD...                  as nobody, when root; else as who we are
#   listing DIR...                  every name with type, size and mode, to compare before and after
#   finish                          the plan; exit 1 when something failed

set -u
LC_ALL=C
export LC_ALL
ZHIST_TESTS=${ZHIST_TESTS:-$(cd "$(dirname "$0")" && pwd)}
ZHIST_BUILD=${ZHIST_BUILD:-$ZHIST_TESTS/../build}
ZHIST=${ZHIST:-$ZHIST_BUILD/zhist}
tests_done=0 tests_failed=0 code=0 exit_commands=
is_root=no
[ "$(id -u)" -eq 0 ] && is_root=yes
as_user() {
    if [ $is_root = yes ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}
# A folder for temporary files that is root's alone (libpam-tmpdir) is no place for as_user.
as_user test -w "${TMPDIR:-/tmp}" || TMPDIR=/tmp
T=$(mktemp -d "${TMPDIR:-/tmp}/zhist-test-XXXXXX") || exit 1
S=
[ -d /dev/shm ] && [ -w /dev/shm ] && S=$(mktemp -d /dev/shm/zhist-test-XXXXXX)
[ -n "$S" ] || { S=$T/shm && mkdir "$S"; }
# The way as the kernel tells it, since zhist resolves links.
T=$(cd "$T" && pwd -P) S=$(cd "$S" && pwd -P)
mkdir "$T/home"
HOME=$T/home DB=$T/history.db
ZHIST_DB=$DB
export ZHIST HOME ZHIST_DB
unset XDG_DATA_HOME ZHIST_REPORTS NO_COLOR COLUMNS

clean_up() {
    trap - EXIT
    eval "$exit_commands"
    rm -rf "$T" "$S"
}
at_exit() { exit_commands="$1 >/dev/null 2>&1; $exit_commands"; }
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

ok() {
    tests_done=$((tests_done + 1))
    echo "ok $tests_done - $1"
}
not_ok() {
    tests_done=$((tests_done + 1)) tests_failed=$((tests_failed + 1))
    echo "not ok $tests_done - $1"
    [ $# -lt 2 ] || printf '%s\n' "$2" | head -c 2000 | head -10 | sed 's/^/#   /'
}
skip() {
    tests_done=$((tests_done + 1))
    echo "ok $tests_done - $1 # SKIP $2"
}

run() {
    code=0
    "$@" >"$T/out" 2>"$T/err" </dev/null || code=$?
}
told() { # what the last run said, for a failure
    echo "exit $code; stderr:"
    head -c 1000 "$T/err"
    echo "stdout:"
    head -c 500 "$T/out"
}
expect() {
    expected=$1 name=$2
    shift 2
    run "$@"
    if [ "$code" -eq "$expected" ]; then
        ok "$name: exit $expected"
    else
        not_ok "$name: exit $expected" "$(told)"
    fi
}
is() {
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1" "got:    $2
wanted: $3"
    fi
}
check() {
    name=$1
    shift
    if [ "$1" = ! ]; then
        shift
        if "$@" >"$T/check" 2>&1; then not_ok "$name" "$(cat "$T/check")"; else ok "$name"; fi
    elif "$@" >"$T/check" 2>&1; then
        ok "$name"
    else
        not_ok "$name" "$(cat "$T/check")"
    fi
}
stream() { # out, err -> the file
    case $1 in out | err) echo "$T/$1" ;; *) echo "$1" ;; esac
}
says() {
    name=$1 file=$(stream "$2")
    shift 2
    for text; do
        if ! grep -qiF -e "$text" "$file"; then
            not_ok "$name" "not there: $text
in: $(head -c 1500 "$file")"
            return
        fi
    done
    ok "$name"
}
lacks() {
    name=$1 file=$(stream "$2")
    shift 2
    for text; do
        if grep -qiF -e "$text" "$file"; then
            not_ok "$name" "there: $(grep -iF -e "$text" "$file")"
            return
        fi
    done
    ok "$name"
}
one_line() {
    name=$1
    shift
    if [ "$(wc -l <"$T/err")" -ne 1 ] || ! grep -q '^zhist: ' "$T/err"; then
        not_ok "$name" "not one sentence: $(told)"
        return
    fi
    says "$name" err "zhist: " "$@"
}
silent() {
    if [ -s "$T/$2" ]; then not_ok "$1" "$(told)"; else ok "$1"; fi
}
query() { sqlite3 -readonly -batch -cmd '.timeout 10000' "${2:-$DB}" "$1"; }
json_query() {
    sqlite3 -batch :memory: 'CREATE TABLE line(text)' '.mode ascii' '.separator "\037" "\n"' \
        ".import '$(stream "$1")' line" '.mode list' '.separator | "\n"' "$2"
}
listing() { find "$@" -printf '%p %y %s %m\n' 2>/dev/null | sort; }
finish() {
    echo "1..$tests_done"
    [ $tests_failed -eq 0 ]
    exit
}
