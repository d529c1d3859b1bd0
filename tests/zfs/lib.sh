# lib.sh: what the transcripts tests/zfs/*.t share, on top of tests/lib.sh. They run on real OpenZFS,
# as root, with sh, zfs, zpool, and sqlite3 or python3; no compiler.
#
#   ZHIST_ZFS        a dataset to work below: everything is made in $BASE, a child of it, and goes
#                    with it at the end
#   ZHIST_ZFS_POOL   a pool that may be disturbed: scrubs, a disk offline for a while
#   ZHIST_ZFS_HANG   yes: a pool of our own may be made to hang (it hangs other zpool commands too)
#
#   $BASE  $MNT      the dataset of this transcript and where it is mounted
#   $RELEASE         major * 100 + minor of the OpenZFS in the kernel: 201, 203
#   make NAME [ZFS-CREATE-OPTIONS]   the dataset $BASE/NAME, mounted at $MNT/NAME
#   profile NAME     the rest on stdin -> $T/NAME.yaml;  $T/null.yaml measures nothing, in one
#                    iteration, $T/long.yaml the same until it is told to stop
#   record ARGS...   run "$ZHIST record ..."
#   newest EXPR      of the newest run, from table run
#   facts KIND       what it knew before it began, "key <tab> value <tab> source" a line; an
#                    unknown value is the word NULL, state has no source
#   fact KIND KEY    the value of one
#   why KIND KEY     the source of one: why it is unknown
#   sets             "kind|subject|target|moment|digest" of each set of the newest run
#   moved KIND       what differs from the run before, where its sets should be shared
#   findings         "code|severity" of the newest run, sorted;  finding CODE: its sentences
#   begin PROFILE ARGS...  starts a record and waits for its first stored iteration
#   end              stops it, with SIGTERM, and waits for it: $code
#   wait_for SECONDS CMD...  until CMD succeeds; 1: it did not

ZHIST_TESTS=${ZHIST_TESTS:-$(cd "$(dirname "$0")/.." && pwd)}
# shellcheck source=tests/lib.sh
. "$ZHIST_TESTS/lib.sh"
chmod 755 "$T" # as_user looks in

give_up() {
    skip "$(basename "$0" .t)" "$1"
    finish
}
[ "$is_root" = yes ] || give_up "only root may make and mount datasets"
[ -n "${ZHIST_ZFS:-}" ] || give_up "ZHIST_ZFS names no dataset to work below"
for tool in zfs zpool; do
    command -v $tool >/dev/null || give_up "no $tool in PATH"
done
command -v sqlite3 >/dev/null || command -v python3 >/dev/null ||
    give_up "neither sqlite3 nor python3 is there to look into the history"

if ! command -v sqlite3 >/dev/null; then
    query() {
        python3 -c '
import sqlite3, sys
db = sqlite3.connect("file:%s?mode=ro" % sys.argv[2], uri=True, timeout=10)
for row in db.execute(sys.argv[1]):
    print("|".join("" if v is None else str(v) for v in row))' "$1" "${2:-$DB}"
    }
fi

RELEASE=$(sed -n 's/^\([0-9]*\)\.\([0-9]*\).*/\1 \2/p' /sys/module/zfs/version)
RELEASE=$((${RELEASE% *} * 100 + ${RELEASE#* }))
BASE=$ZHIST_ZFS/zhist-test-$(basename "$0" .t)-$$
MNT=$T/mnt
export POOL="${ZHIST_ZFS%%/*}"
at_exit "zfs destroy -rf '$BASE'"
if ! zfs create -o mountpoint="$MNT" -o compression=lz4 -o atime=off "$BASE" 2>"$T/err"; then
    not_ok "a dataset below ZHIST_ZFS" "$(cat "$T/err")"
    finish
fi

make() {
    make_name=$1
    shift
    zfs create "$@" "$BASE/$make_name" || not_ok "zfs create $make_name"
}
profile() {
    { printf 'zhist: 1\nname: %s\n' "$1" && cat; } >"$T/$1.yaml"
}
profile null <<'END'
run: {iterations: 1, warmup: 0}
workloads:
  - {name: nothing, kind: file, engine: "null", size: 1MiB, block: 64KiB, phases: [write]}
END
profile long <<'END'
run: {iterations: 100000, warmup: 0, pause: 200ms}
workloads:
  - {name: nothing, kind: file, engine: "null", size: 1MiB, block: 64KiB, phases: [write]}
END

record() { run "$ZHIST" record "$@"; }
NEWEST='(SELECT max(id) FROM run)'
newest() { query "SELECT $1 FROM run WHERE id = $NEWEST"; }
facts() {
    query "SELECT f.key || char(9) || ifnull(f.value, 'NULL') || char(9) || ifnull(f.source, '')
           FROM run_factset AS r JOIN fact AS f USING (factset_id)
           WHERE r.run_id = $NEWEST AND r.kind = '$1' AND r.moment = 'before'
           UNION ALL
           SELECT key || char(9) || ifnull(value, 'NULL') || char(9) FROM run_state
           WHERE run_id = $NEWEST AND (subject = '$1' OR subject LIKE '$1:%')
             AND moment = 'before'"
}
fact() { facts "$1" | awk -F '\t' -v key="$2" '$1 == key {print $2}'; }
why() { facts "$1" | awk -F '\t' -v key="$2" '$1 == key {print $3}'; }
sets() {
    query "SELECT r.kind, r.subject, r.target_id, r.moment, s.digest
           FROM run_factset AS r JOIN factset AS s ON s.id = r.factset_id
           WHERE r.run_id = $NEWEST ORDER BY 1, 2, 3, 4"
}

findings() {
    query "SELECT DISTINCT code, severity FROM finding WHERE run_id = $NEWEST ORDER BY 1, 2"
}
finding() { query "SELECT text FROM finding WHERE run_id = $NEWEST AND code = '$1'"; }
moved() {
    query "WITH s AS (SELECT r.run_id, r.target_id, r.subject, f.key, f.value, f.source
                      FROM run_factset AS r JOIN fact AS f USING (factset_id)
                      WHERE r.kind = '$1' AND r.moment = 'before')
           SELECT a.key, a.value, a.source, b.value, b.source FROM s AS a
           LEFT JOIN s AS b ON b.run_id = $NEWEST - 1 AND b.target_id = a.target_id
                           AND b.subject = a.subject AND b.key = a.key
           WHERE a.run_id = $NEWEST AND (a.value IS NOT b.value OR a.source IS NOT b.source)"
}
has_finding() { # NAME CODE SEVERITY [WORD...]: the newest run has it, and its sentence the words
    has_name=$1 has_code=$2 has_severity=$3
    shift 3
    if ! findings | grep -qx "$has_code|$has_severity"; then
        not_ok "$has_name" "no $has_code ($has_severity) in: $(findings | tr '\n' ' ')"
        return
    fi
    finding "$has_code" >"$T/sentence"
    says "$has_name" "$T/sentence" "$@"
}
no_finding() { # NAME CODE
    if findings | grep -q "^$2|"; then not_ok "$1" "$(finding "$2")"; else ok "$1"; fi
}

# Strict JSON, one value.
if command -v python3 >/dev/null; then
    is_json() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1"; }
else
    is_json() { [ "$(json_query "$1" "SELECT json_valid(group_concat(text, char(10))) FROM line")" = 1 ]; }
fi

wait_for() {
    wait_left=$(($1 * 5))
    shift
    until "$@" >/dev/null 2>&1; do
        wait_left=$((wait_left - 1))
        [ $wait_left -gt 0 ] || return 1
        sleep 0.2
    done
}
begin() {
    begin_profile=$1
    shift
    "$ZHIST" record "$T/$begin_profile.yaml" --json "$@" >"$T/lines" 2>"$T/err" </dev/null &
    recorder=$!
    wait_for 120 grep -q '"iteration"' "$T/lines" || not_ok "begin: an iteration is stored" \
        "$(cat "$T/err" "$T/lines")"
}
end() {
    kill -TERM "$recorder"
    code=0
    wait "$recorder" || code=$?
}
