# scenes.sh: what the transcripts that look at made-up histories share, on top of lib.sh. A scene is
# a script of tests/scenes.c. Times are UTC.
#
#   scene NAME [SEED]     the script on stdin -> the history $T/NAME.db
#   zh NAME WORDS...      run "$ZHIST" on it; $T/flat: $T/out without line breaks
#   rep NAME ARGS...      the same: report ARGS
#   rows COLUMNS [WHERE]  SQL over j, a row of the first report of the JSON in $T/out

# shellcheck source=tests/lib.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"
TZ=UTC
export TZ

scene() {
    rm -f "$T/$1.db"
    "$ZHIST_BUILD/tests/scenes" "$T/$1.db" "${2:-1}" || not_ok "scene $1 is made"
}
zh() {
    db=$T/$1.db
    shift
    run "$ZHIST" --db "$db" "$@"
    tr '\n' ' ' <"$T/out" | tr -s ' ' >"$T/flat"
}
rep() {
    rep_scene=$1
    shift
    zh "$rep_scene" report "$@"
}
rows() {
    sqlite3 -batch :memory: "SELECT $1 FROM json_each(CAST(readfile('$T/out') AS TEXT),
        '\$.reports[0].rows') AS j WHERE ${2:-1}" 2>&1
}
