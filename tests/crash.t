#!/bin/sh
# Kills and signals: what `record --json` announced is in the history, nothing else is touched, the
# next one tidies. CRASHES=N: kill -9 N times (40); SEED=N: other moments.
# shellcheck disable=SC2016,SC2086,SC2317 # words are split, functions are called by name
# shellcheck source=tests/lib.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"

crashes=${CRASHES:-40} seed=${SEED:-1} pid=
at_exit 'kill -9 $pid'
cp "$ZHIST" "$T/zhist" && chmod 755 "$T" "$T/zhist" # where nobody can reach it
mkdir "$T/ext" "$S/mem" "$T/tmp"
chmod 1777 "$T/tmp"

# Any file system will do below $T; most are ext4. $S is memory.
cat >"$T/null.yaml" <<'END'
zhist: 1
name: null
run: {iterations: 100000, warmup: 0}
workloads:
  - {name: n, kind: file, engine: "null", size: 1MiB, block: 64KiB, phases: [write, read]}
END
cat >"$T/files.yaml" <<'END'
zhist: 1
name: files
run: {iterations: 100000, warmup: 0}
workloads:
  - {name: f, kind: file, size: 256KiB, block: 16KiB, jobs: 2, phases: [write, read, randwrite]}
  - {name: r, kind: file, size: 64KiB, block: 4KiB, phases: [randread, rewrite]}
END

# ---- what must not be touched ----------------------------------------------------------------------

U1=11111111-1111-4111-8111-111111111111 U2=22222222-2222-4222-8222-222222222222
U3=33333333-3333-4333-8333-333333333333
canary() { # DIR
    mkdir "$1/canary" "$1/canary/deep" "$1/.zhist-mine" "$1/.zhist-$U1"
    echo precious >"$1/canary/file"
    echo deep >"$1/canary/deep/w01234567-j0"
    ln "$1/canary/file" "$1/second-name"
    ln -s canary "$1/link-to-dir"
    ln -s canary/file "$1/w01234567-j0"
    ln -s /etc "$1/link-out"
    ln -s nowhere "$1/dangling"
    echo mine >"$1/.zhist-mine/w01234567-j0"
    # Called like a box, with a mark that is not one; a link called like a box; a file.
    echo "something else" >"$1/.zhist-$U1/.zhist-mark"
    echo mine >"$1/.zhist-$U1/w01234567-j0"
    ln -s canary/deep "$1/.zhist-$U2"
    echo file >"$1/.zhist-$U3"
}
picture() { # of everything but boxes that zhist made
    find "$T/ext" "$S/mem" -mindepth 1 \
        ! -path '*/.zhist-????????-????-4???-????-????????????*' -printf '%p %y %s %m %n %l %T@\n' | sort
    find "$T/ext" "$S/mem" -path "*/.zhist-$U1*" -printf '%p %y %s %m %n %T@\n' | sort
    find "$T/ext" "$S/mem" -mindepth 1 -maxdepth 1 -name ".zhist-$U2" -printf '%p %y %l\n' | sort
    find "$T/ext" "$S/mem" -type f ! -path '*/.zhist-????????-????-4???-????-????????????/*' \
        -exec cksum {} + | sort
    cksum "$T/ext/.zhist-$U1"/* "$S/mem/.zhist-$U1"/*
}
boxes() { # directories that zhist made and left
    find "$T/ext" "$S/mem" -mindepth 1 -maxdepth 1 -type d \
        -name '.zhist-????????-????-4???-????-????????????' ! -name "*$U1" | wc -l
}
canary "$T/ext"
canary "$S/mem"
picture >"$T/before"

# ---- helpers ---------------------------------------------------------------------------------------

start() { # ARGS...: record in the background, its lines in $T/lines
    : >"$T/lines"
    "$ZHIST" record "$@" --json >"$T/lines" 2>"$T/err" </dev/null &
    pid=$!
}
both="--target ext=$T/ext --target mem=$S/mem"
await() { # CMD...: until it succeeds, or what was started has ended, or 20 s
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 2000 ] || return 1
        kill -0 "$pid" 2>/dev/null || { "$@" >/dev/null 2>&1; return; }
        sleep 0.01
    done
}
lines() { grep -c "$1" "$T/lines"; }
at_least() { [ "$(lines '"event":"iteration"')" -ge "$1" ]; }
end() { # waits for it: $code
    code=0
    { wait "$pid"; } 2>/dev/null || code=$?
    pid=
}
statuses() { "$ZHIST" --db "$DB" show runs --format csv | sed 1d | cut -d, -f6 | sort | uniq -c |
    sed 's/^ *//' | tr '\n' ' ' | sed 's/ $//'; }
newest() { "$ZHIST" --db "$DB" show runs --format csv | sed -n 2p | cut -d, -f6; }

# How many announced iterations the history does not have with the same numbers, of how many.
lost() {
    grep -a '^{.*}$' "$T/lines" | sed "s/'/''/g; s/.*/INSERT INTO l VALUES('&');/" >"$T/lines.sql"
    sqlite3 -batch -bail "file:$DB?mode=ro" 2>&1 <<END
CREATE TEMP TABLE l(j);
BEGIN;
.read $T/lines.sql
COMMIT;
WITH a AS (SELECT j FROM l WHERE j ->> 'event' = 'iteration'), found AS (
    SELECT a.j, i.id, i.run_id FROM a
    JOIN run AS r ON r.uuid = a.j ->> 'run'
    JOIN target AS t ON t.host_id = r.host_id AND t.name = a.j ->> 'target'
    JOIN iteration AS i ON i.run_id = r.id AND i.target_id = t.id AND i.phase = a.j ->> 'phase'
                       AND i.ordinal = a.j ->> 'ordinal'
    JOIN workload AS w ON w.id = i.workload_id AND w.name = a.j ->> 'workload'
    WHERE i.block = a.j ->> 'block' AND i.status = a.j ->> 'status'
      AND i.warmup = a.j ->> 'warmup'
      AND i.started_at = a.j ->> 'started_at' AND i.duration_ns IS a.j ->> 'duration_ns'
      AND i.flush_ns IS a.j ->> 'flush_ns' AND i.bytes IS a.j ->> 'bytes'
      AND i.ops IS a.j ->> 'ops'
      AND NOT EXISTS (SELECT 1 FROM json_each(a.j) AS k JOIN metric AS m ON m.name = k.key
                      LEFT JOIN sample AS s ON s.iteration_id = i.id AND s.metric_id = m.id
                      WHERE s.value IS NULL OR abs(s.value - k.value) > abs(k.value) * 1e-13)
      -- what counters say is stored besides
      AND (SELECT count(*) FROM sample WHERE iteration_id = i.id
               AND metric_id <= (SELECT id FROM metric WHERE name = 'cached_pct')) =
          (SELECT count(*) FROM json_each(a.j) AS k JOIN metric AS m ON m.name = k.key))
SELECT ((SELECT count(*) FROM a) - (SELECT count(*) FROM found)) || ' of ' || (SELECT count(*) FROM a);
END
}

# ---- kill -9 at many moments -----------------------------------------------------------------------

moments=$(awk -v n="$crashes" -v seed="$seed" 'BEGIN {
    srand(seed)
    for (i = 0; i < n; i++) {
        kind = i % 4 # 0: early, on a new history; 1, 2: after some iterations; 3: any time
        wait = kind == 0 ? rand() * 0.04 : kind == 3 ? rand() * 0.4 : rand() * 0.03
        printf "%d:%d:%.4f:%s ", kind, kind % 3 ? 1 + rand() * 12 : 0, wait, rand() < 0.5 ? "null" : "files"
    }
}')
announced=0 hot=0 missing='' wrong='' unread='' unchecked='' untidy='' touched='' done_runs=0
for moment in $moments; do
    kind=${moment%%:*} rest=${moment#*:}
    after=${rest%%:*} rest=${rest#*:}
    pause=${rest%%:*} profile=${rest#*:}
    [ "$kind" != 0 ] || rm -f "$DB" "$DB-journal"
    start "$T/$profile.yaml" $both
    await at_least "$after"
    sleep "$pause"
    kill -9 "$pid"
    end
    [ ! -s "$DB-journal" ] || hot=$((hot + 1))
    # Killed before there was a history, or anything in it?
    if [ ! -s "$T/lines" ] && { [ ! -e "$DB" ] || "$ZHIST" show runs 2>&1 | grep -q 'is empty'; }; then
        :
    else
        case $(statuses) in
        *running* | *ended*) wrong="$wrong $moment: $(statuses)" ;;
        *) [ ! -s "$T/lines" ] || [ "$(newest)" = crashed ] || wrong="$wrong $moment: $(newest)" ;;
        esac
        "$ZHIST" report --format json >"$T/out" 2>&1 || unread="$unread $moment: $(cat "$T/out")"
        "$ZHIST" db check >"$T/out" 2>&1 || unchecked="$unchecked $moment: $(cat "$T/out")"
        result=$(lost)
        announced=$((announced + ${result##* }))
        case $result in "0 of "*) ;; *) missing="$missing $moment: $result" ;; esac
    fi
    "$ZHIST" record "$T/null.yaml" $both --iterations 1 --quiet >"$T/out" 2>&1 ||
        untidy="$untidy $moment: $(cat "$T/out")"
    [ "$(newest)" = "done" ] && done_runs=$((done_runs + 1))
    [ "$(boxes)" -eq 0 ] || untidy="$untidy $moment"
    picture >"$T/after"
    cmp -s "$T/before" "$T/after" || touched="$touched $moment: $(diff "$T/before" "$T/after")"
done
echo "# $crashes kills, $announced iterations announced, $hot journals left"
is "killed: every announced iteration is in the history, with its numbers" "$missing" ""
check "there were some" test "$announced" -gt "$crashes"
is "killed: show runs says crashed" "$wrong" ""
is "killed: report works right away" "$unread" ""
is "killed: db check finds it sound" "$unchecked" ""
is "killed: the next record tidies" "$untidy" ""
is "killed: and ends as done" "$done_runs" "$crashes"
is "killed: nothing else was touched" "$touched" ""
is "killed: what crashed has its rollup" \
    "$(query "SELECT count(*) FROM run AS r WHERE status = 'running'
        AND EXISTS (SELECT 1 FROM iteration AS i JOIN sample AS s ON s.iteration_id = i.id
                    WHERE i.run_id = r.id AND NOT warmup)
        AND NOT EXISTS (SELECT 1 FROM rollup WHERE run_id = r.id)")" 0
is "no private copy is left" "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'zhist-??????' -newer "$T/null.yaml" \
    -user "$(id -un)" 2>/dev/null | wc -l)" 0

# The check itself would see it.
cp "$DB" "$T/kept.db" && cp "$T/lines" "$T/kept"
start "$T/null.yaml" --target "mem=$S/mem" --iterations 4
end
is "of four times two all are there" "$(lost)" "0 of 8"
sqlite3 -batch "$DB" "UPDATE sample SET value = value * 1.000001 WHERE iteration_id =
    (SELECT max(id) FROM iteration) AND metric_id = (SELECT min(metric_id) FROM sample);
    UPDATE iteration SET bytes = bytes - 1 WHERE id = (SELECT max(id) - 1 FROM iteration);
    PRAGMA foreign_keys = ON;
    DELETE FROM iteration WHERE id = (SELECT max(id) - 2 FROM iteration)"
is "one changed, one off by a byte, one removed: three are missed" "$(lost)" "3 of 8"
mv "$T/kept.db" "$DB"

# ---- several at once -------------------------------------------------------------------------------

"$ZHIST" record "$T/null.yaml" --target "ext=$T/ext" --iterations 40 --json >"$T/lines1" 2>"$T/err1" &
first=$!
start "$T/files.yaml" --target "mem=$S/mem" --iterations 10
at_exit "kill -9 $first"
reads=0 bad=
while kill -0 "$pid" 2>/dev/null || kill -0 $first 2>/dev/null; do
    "$ZHIST" report --format csv >"$T/out" 2>&1 || bad="$bad $(cat "$T/out")"
    reads=$((reads + 1))
done
end
is "two that record into one history, and readers all the while: the one" "$code" 0
wait $first
is "and the other" "$?" 0
is "no reader failed" "$bad" ""
is "nothing of the one is lost" "$(lost)" "0 of 50"
mv "$T/lines1" "$T/lines"
is "nor of the other" "$(lost)" "0 of 80"

# ---- a hot journal, made for sure ------------------------------------------------------------------

mkdir "$T/hot"
sqlite3 -batch "$DB" "VACUUM INTO '$T/hot/h.db'"
chmod 644 "$T/hot/h.db"
n=$(query "SELECT count(*) FROM iteration" "$T/hot/h.db")
sqlite3 -batch "$T/hot/h.db" >/dev/null 2>&1 <<'END'
PRAGMA cache_size = 5;
BEGIN IMMEDIATE;
UPDATE iteration SET status = 'failed', bytes = 0;
UPDATE sample SET value = 0;
DELETE FROM run_state;
.shell kill -9 $PPID
END
check "a change was cut off" test -s "$T/hot/h.db-journal"
as_nobody() {
    if [ $is_root = yes ]; then
        TMPDIR=$T/tmp as_user "$T/zhist" --db "$T/hot/h.db" "$@"
    else
        chmod 555 "$T/hot" && chmod 444 "$T/hot/h.db"
        TMPDIR=$T/tmp "$T/zhist" --db "$T/hot/h.db" "$@"
        told=$?
        chmod 755 "$T/hot" && chmod 644 "$T/hot/h.db"
        return $told
    fi
}
chmod 644 "$T/hot/h.db-journal"
expect 0 "one who may not write can report" as_nobody report --format csv
says "and is told that it is a private copy" err "private copy"
expect 0 "and check it" as_nobody db check
expect 0 "and see the runs" as_nobody show runs
check "the journal is still there" test -s "$T/hot/h.db-journal"
is "no copy is left" "$(find "$T/tmp" -mindepth 1 | wc -l)" 0
expect 0 "one who may write reports" "$ZHIST" --db "$T/hot/h.db" report --format csv
silent "without a word" err
is "the change is undone" "$(query "SELECT count(*) FROM iteration WHERE status = 'ok'" "$T/hot/h.db")" "$n"
: >"$T/new.db"
expect 0 "killed before the first table: record fills it" \
    "$ZHIST" --db "$T/new.db" record "$T/null.yaml" --target "$S/mem" --iterations 1 --quiet

# ---- boxes as a kill leaves them between two steps -------------------------------------------------

U4=44444444-4444-4444-8444-444444444444
tidy() { run "$ZHIST" record "$T/null.yaml" --target "$S/mem" --iterations 1; }
box=$S/mem/.zhist-$U4
mkdir -m 700 "$box"
tidy
check "killed before the mark, or after its removal: tidied" test ! -e "$box"
mkdir -m 700 "$box" && : >"$box/.zhist-mark"
tidy
check "killed with an empty mark: tidied" test ! -e "$box"
mkdir -m 700 "$box" && echo "zhist $U4 pid 1" >"$box/.zhist-mark"
echo x >"$box/w01234567-j0" && echo x >"$box/wabcdef01-j12"
tidy
check "killed with files: tidied" test ! -e "$box"
says "and told" err "$box" "left by a run that crashed"
mkdir -m 700 "$box" && echo "zhist $U4 pid 1" >"$box/.zhist-mark"
ln "$S/mem/canary/file" "$box/w01234567-j0" && ln -s ../canary/file "$box/w01234567-j1"
ln -s ../canary "$box/out" && mkdir "$box/w01234567-j3" && echo x >"$box/w01234567-j4"
tidy
is "strangers in a box stay, and keep it" "$(find "$box" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' ')" \
    ".zhist-mark out w01234567-j0 w01234567-j1 w01234567-j3 "
says "which is told" err "did not make"
is "and the run is done all the same" "$code" 0
is "what they lead to is whole" "$(cat "$S/mem/canary/file" "$S/mem/second-name")" "precious
precious"
rm -r "$box"
mkdir -m 700 "$box" && echo "zhist $U4 pi" >"$box/.zhist-mark" && echo x >"$box/w01234567-j4"
tidy
check "a mark cut short is not ours" test -e "$box/w01234567-j4"
says "which is told too" err "left \"$box\" alone"
rm -r "$box"
picture >"$T/after"
check "the canaries are as they were" cmp "$T/before" "$T/after"

# ---- signals ---------------------------------------------------------------------------------------

cat >"$T/long.yaml" <<'END'
zhist: 1
name: long
run: {iterations: 3, warmup: 0}
workloads:
  - {name: short, kind: file, size: 64KiB, block: 4KiB, phases: [write]}
  - {name: long, kind: file, size: 1MiB, block: 4KiB, phases: [randwrite], time: 100s}
END
sed 's/warmup: 0/warmup: 1/' "$T/long.yaml" >"$T/warm.yaml"
sed 's/warmup: 0/warmup: 0, pause: 100s/; /name: long, /d' "$T/long.yaml" >"$T/pause.yaml"
cat >"$T/layout.yaml" <<'END'
zhist: 1
name: layout
run: {iterations: 3, warmup: 0}
workloads:
  - {name: big, kind: file, size: 512MiB, block: 4KiB, phases: [randread], time: 100s}
END
rm -f "$DB"
runs=0
interrupt() { # NAME SIGNAL PROFILE ITERATIONS-BEFORE CMD...: signal once CMD succeeds
    what=$1 signal=$2 profile=$3 before=$4
    shift 4
    start "$T/$profile.yaml" --target "mem=$S/mem"
    await "$@"
    sleep 0.2
    kill -"$signal" "$pid"
    end
    runs=$((runs + 1))
    is "$what: exit 130" "$code" 130
    is "$what: the box is gone" "$(boxes)" 0
    is "$what: show runs says interrupted" "$(newest)" interrupted
    is "$what: nothing announced is lost" "$(lost | sed 's/ of.*//')" 0
    is "$what: run-finished is the last line, and says so" \
        "$(tail -1 "$T/lines" | grep -o '"event":"[a-z-]*"\|"status":"[a-z]*"' | tr '\n' ' ')" \
        '"event":"run-finished" "status":"interrupted" '
    is "$what: iterations that ended well" "$(lines '"status":"ok"')" "$before"
    tail -1 "$T/err" >"$T/last"
    says "$what: said in a sentence, with the history" "$T/last" "zhist: interrupted: " "stored in $DB"
    picture >"$T/after"
    check "$what: nothing else was touched" cmp "$T/before" "$T/after"
}
of_newest() { query "SELECT $1 FROM iteration WHERE run_id = (SELECT max(id) FROM run) ORDER BY id DESC LIMIT 1"; }
running() { find "$S/mem" -path '*-4???-*/w*-j0' -size +0 2>/dev/null | grep -q .; }

# Under nohup HUP is ignored from the start, and zhist leaves it so.
ignored=$(sed -n 's/^SigIgn:[[:space:]]*//p' "/proc/$$/status")
hup=HUP
[ $((0x${ignored:-0} & 1)) -eq 0 ] || hup=
[ -n "$hup" ] || skip "interrupted by HUP" "HUP is ignored here (nohup)"
for signal in INT TERM $hup; do
    interrupt "SIG$signal in a phase" $signal long 1 at_least 1
    is "SIG$signal in a phase: the iteration is stored as interrupted" \
        "$(of_newest "status || ' ' || (bytes > 0) || ' ' || warmup")" "interrupted 1 0"
    is "SIG$signal in a phase: it has no numbers" \
        "$(query "SELECT count(*) FROM sample WHERE iteration_id = (SELECT max(id) FROM iteration)")" 0
    check "SIG$signal in a phase: it was announced" grep -q '"status":"interrupted","errno"' "$T/lines"
done
interrupt "in the warm-up" INT warm 1 at_least 1
is "in the warm-up: stored as interrupted, and as a warm-up" "$(of_newest "status || ' ' || warmup")" \
    "interrupted 1"
interrupt "in the pause" TERM pause 1 at_least 1
is "in the pause: no iteration was begun" "$(of_newest status)" ok
interrupt "in the layout" INT layout 0 running
is "every run is there" "$(query 'SELECT count(*) FROM run')" $runs
is "and has ended" "$(query 'SELECT count(*) FROM run WHERE finished_at IS NULL')" 0
is "with its rule" "$(query "SELECT group_concat(DISTINCT stop_rule) FROM cell")" interrupted

# As nohup starts it: what is ignored stays ignored.
: >"$T/lines"
(
    trap '' HUP
    exec "$ZHIST" record "$T/null.yaml" --target "mem=$S/mem" --iterations 40 --json >"$T/lines" 2>"$T/err"
) &
pid=$!
await at_least 1
kill -HUP "$pid"
end
is "under nohup a hangup is no interruption" "$code $(newest)" "0 done"

# ---- the reader of the lines goes away -------------------------------------------------------------

(
    "$ZHIST" record "$T/null.yaml" --target "mem=$S/mem" --iterations 200 --json 2>"$T/err"
    echo $? >"$T/code"
) | head -2 >"$T/lines"
is "the reader of --json goes away: exit 1" "$(cat "$T/code")" 1
says "and a sentence" err "standard output"
is "the run has ended as failed, it did not crash" "$(newest)" failed
is "what was announced is stored" "$(lost | sed 's/ of.*//')" 0
check "and the rest too" test "$(query 'SELECT count(*) FROM iteration WHERE run_id = (SELECT max(id) FROM run)')" -ge 1
is "its rollup is there" "$(query 'SELECT count(*) > 0 FROM rollup WHERE run_id = (SELECT max(id) FROM run)')" 1
is "the box is gone" "$(boxes)" 0
if [ -w /dev/full ]; then
    "$ZHIST" record "$T/null.yaml" --target "mem=$S/mem" --iterations 3 --json >/dev/full 2>"$T/err"
    is "the lines cannot be written: exit 1" "$?" 1
    is "the run has ended as failed" "$(newest)" failed
else
    skip "the lines cannot be written: exit 1" "no /dev/full"
    skip "the run has ended as failed" "no /dev/full"
fi

# ---- a running run is not a crashed one ------------------------------------------------------------

start "$T/long.yaml" --target "mem=$S/mem"
await at_least 1
is "from another process it is running" "$(newest)" running
expect 4 "its target is taken" "$ZHIST" record "$T/null.yaml" --target "mem=$S/mem" --iterations 1 --quiet
check "its box was left alone" test "$(boxes)" -eq 1
expect 0 "another target is free" "$ZHIST" record "$T/null.yaml" --target "ext=$T/ext" --iterations 1 --quiet
is "which did not take the run for crashed" \
    "$(query "SELECT count(*) FROM rollup WHERE run_id = (SELECT id FROM run WHERE status = 'running')")" 0
expect 0 "it can be reported on" "$ZHIST" report --format csv
kill -9 "$pid"
end
is "killed, it is crashed" "$("$ZHIST" show runs --format csv | cut -d, -f6 | grep -c crashed)" 1
expect 0 "the next record" "$ZHIST" record "$T/null.yaml" --target "mem=$S/mem" --iterations 1 --quiet
is "adopts it" "$(query "SELECT count(*) > 0 FROM rollup WHERE run_id = (SELECT id FROM run WHERE status = 'running')")" 1
is "and tidies" "$(boxes)" 0
picture >"$T/after"
check "the canaries are as they were at the end" cmp "$T/before" "$T/after"
finish
