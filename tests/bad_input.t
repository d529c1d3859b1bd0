#!/bin/sh
# Bad input, all of it: one sentence that names the thing and the remedy, the right exit code, and
# nothing left behind.
# shellcheck source=tests/lib.sh disable=SC2317 # functions are handed on by name
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"

W=$T/w A=$S/a B=$S/b
mkdir "$W" "$W/bin" "$W/tmp" "$A" "$B"
chmod 755 "$T" "$S" # as_user reads in it
chmod 777 "$A" "$B" "$W/tmp"
cp "$ZHIST" "$W/bin/zhist" # nothing lies beside it
TMPDIR=$W/tmp
export TMPDIR
cd "$W" || exit 1

body='workloads:
  - {name: w, kind: file, engine: "null", size: 64KiB, block: 16KiB, phases: [write]}'
profile() { printf 'zhist: 1\nname: p\n%b\n' "$1"; } # LINES behind the name
good() { profile "run: {iterations: 1, warmup: 0}\n$body"; }
good >good.yaml

# Exit code, one sentence with these words, nothing on stdout, nothing made or changed.
bad() { # CODE NAME "WORD|WORD" CMD...
    bad_code=$1 bad_name=$2 bad_words=$3
    shift 3
    bad_before=$(listing "$W" "$S" "$T/home")
    expect "$bad_code" "$bad_name" "$@"
    ifs=$IFS
    IFS='|'
    # shellcheck disable=SC2086 # words, by |
    set -- $bad_words
    IFS=$ifs
    one_line "$bad_name: one sentence, the thing and the remedy" "$@"
    silent "$bad_name: nothing on stdout" out
    is "$bad_name: nothing left behind" "$(listing "$W" "$S" "$T/home")" "$bad_before"
}
# A profile with this text: mistakes are told with file:line:column.
bad_profile() { # NAME "WORD|WORD" TEXT (of printf %b)
    printf '%b' "$3" >bad.yaml
    bad 2 "$1" "bad.yaml|$2" timeout 20 "$ZHIST" record bad.yaml --target "$A"
}
make_history() { "$ZHIST" --db "$1" record good.yaml --target "$A" --quiet; }

# ---- held in the background meanwhile: both take the ten seconds of patience --------------------
hold() { # DB SECONDS: an exclusive lock, by another program
    { echo "BEGIN EXCLUSIVE;" && sleep "$2"; } | sqlite3 -cmd '.timeout 9000' "$1" 2>/dev/null
}
is_locked() { ! sqlite3 "$1" 'BEGIN IMMEDIATE; ROLLBACK' 2>/dev/null; }
has_iterations() { [ "$(query 'SELECT count(*) > 1 FROM iteration' "$1" 2>/dev/null)" = 1 ]; }
wait_until() { # CMD...: five seconds at most
    tries=0
    while [ $tries -lt 250 ] && ! "$@"; do
        sleep 0.02
        tries=$((tries + 1))
    done
}
mkdir "$T/lock" "$T/tmp"
for name in locked middle; do make_history "$T/lock/$name.db"; done
profile "run: {iterations: 500, warmup: 0, pause: 20ms}\n$body" >"$T/lock/long.yaml"
mkdir "$T/lock/a" "$T/lock/b"
(
    hold "$T/lock/locked.db" 14 &
    wait_until is_locked "$T/lock/locked.db"
    "$ZHIST" --db "$T/lock/locked.db" report >"$T/lock/report.out" 2>"$T/lock/report.err" &
    report=$!
    "$ZHIST" --db "$T/lock/locked.db" record good.yaml --target "$T/lock/a" --quiet \
        >"$T/lock/record.out" 2>"$T/lock/record.err"
    echo $? >"$T/lock/record.code"
    wait $report
    echo $? >"$T/lock/report.code"
    wait
) &
locked=$!
(
    "$ZHIST" --db "$T/lock/middle.db" record "$T/lock/long.yaml" --target "$T/lock/b" --json --quiet \
        >"$T/lock/middle.out" 2>"$T/lock/middle.err" &
    record=$!
    wait_until has_iterations "$T/lock/middle.db"
    hold "$T/lock/middle.db" 14 &
    wait $record
    echo $? >"$T/lock/middle.code"
    wait
) &
middle=$!

# ---- profiles -----------------------------------------------------------------------------------
bad 2 "profile missing" 'no profile "nope.yaml"|no such file|zhist show profiles' \
    "$ZHIST" record nope.yaml --target "$A"
bad 2 "profile nearly right" 'no profile "quik"|did you mean "quick"' "$ZHIST" record quik
bad 2 "profile below a file" '"good.yaml/x"|not a directory' "$ZHIST" record good.yaml/x
bad 2 "profile is a directory" '"bin" is a directory|name a YAML file' "$ZHIST" record bin
bad 2 "profile with a name too long" "cannot open profile|too long" "$ZHIST" record "$(printf %0300d 0)"
bad 2 "profile is a device" '"/dev/zero"|not a regular file' timeout 5 "$ZHIST" record /dev/zero
mkfifo fifo
bad 2 "profile is a FIFO" '"fifo"|not a regular file' timeout 5 "$ZHIST" record fifo --target "$A"
good >secret.yaml && chmod 000 secret.yaml
bad 2 "profile unreadable" '"secret.yaml"|permission denied' as_user "$W/bin/zhist" record secret.yaml
rm -f secret.yaml
bad_profile "profile empty" "bad.yaml:1:1: nothing is written in it" ""
bad_profile "profile of comments" "nothing is written in it" "# nothing\n\n"
bad_profile "profile of blanks" "bad.yaml:" "   \n \n"
bad_profile "profile not UTF-8" "bad.yaml:3:|UTF-8" "zhist: 1\nname: p\nabout: caf\0351\n$body\n"
bad_profile "profile with a NUL" "bad.yaml:3:" "zhist: 1\nname: p\nabout: a\0000b\n$body\n"
bad_profile "profile is a program" "bad.yaml" "\0177ELF\0001\0001\0001\0000\0000\0000"
bad_profile "no map" "bad.yaml:1:" "- zhist\n- 1\n"
bad_profile "not closed" "bad.yaml:" "zhist: 1\nname: [p\n"
bad_profile "tabs" "bad.yaml:3:" "zhist: 1\nname: p\n\trun: {}\n"
bad_profile "a tag" "bad.yaml:2:|tag" "zhist: 1\nname: !!str p\n$body\n"
bad_profile "a second document" "bad.yaml:|second document" "zhist: 1\nname: p\n$body\n---\nzhist: 1\n"
head -c 2000000 /dev/zero | tr '\0' '[' >brackets.yaml
bad 2 "2 MB of [" '"brackets.yaml"|larger than' "$ZHIST" record brackets.yaml
head -c 1000000 /dev/zero | tr '\0' '[' >brackets.yaml
bad 2 "1 MB of [" "brackets.yaml:1:|deep" "$ZHIST" record brackets.yaml
rm -f brackets.yaml
bomb='a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c]'
bad_profile "alias bomb" "bad.yaml:3:|anchor" "zhist: 1\nname: p\n$bomb\n"
bad_profile "duplicate keys" "bad.yaml:3:1|\"name\"|twice" "zhist: 1\nname: p\nname: q\n$body\n"
bad_profile "duplicate keys in a workload" "size|twice" \
    "zhist: 1\nname: p\nworkloads:\n  - {name: w, kind: file, size: 1MiB, size: 2MiB, phases: [write]}\n"
bad_profile "unknown key" 'bad.yaml:3:|"iterations"' "zhist: 1\nname: p\nrun: {iteration: 3}\n$body\n"
one() { printf 'zhist: 1\\nname: p\\nworkloads:\\n  - {name: w, kind: file, phases: [write], %s}\\n' "$1"; }
bad_profile "wrong type: a list for a number" "bad.yaml:3:|iterations" "zhist: 1\nname: p\nrun: {iterations: [3]}\n$body\n"
bad_profile "wrong type: a word for a map" "bad.yaml:3:|run" "zhist: 1\nname: p\nrun: fast\n$body\n"
bad_profile "wrong type: a map for a list" "bad.yaml:3:|workloads" "zhist: 1\nname: p\nworkloads: {name: w}\n"
bad_profile "wrong type: yes for true" "bad.yaml:4:|direct|true" "$(one "size: 1MiB, direct: yes")"
bad_profile "wrong type: bananas for a size" "bad.yaml:4:|size" "$(one "size: bananas")"
bad_profile "a bare duration" "bad.yaml:3:|pause" "zhist: 1\nname: p\nrun: {pause: 2}\n$body\n"
for size in 99999999999999999999 16EiB 9223372036854775808 99999999999999999999xRAM 1e400 -1MiB 0; do
    bad_profile "size: $size" "bad.yaml:4:|size" "$(one "size: $size")"
done
bad_profile "size smaller than its block" "bad.yaml:4:|block" "$(one "size: 4KiB, block: 1MiB")"
bad_profile "jobs without end" "bad.yaml:4:|jobs" "$(one "size: 1MiB, jobs: 99999999999")"
for n in 0 -1 0..5 5..2 1.5 99999999999999999999 ""; do
    bad_profile "iterations: $n" "bad.yaml:3:|iterations" "zhist: 1\nname: p\nrun: {iterations: $n}\n$body\n"
done
bad_profile "a later format" "bad.yaml:1:|zhist" "zhist: 2\nname: p\n$body\n"
bad_profile "no workloads" "bad.yaml:|workloads" "zhist: 1\nname: p\n"
bad_profile "max_written below one round" "max_written|--only" \
    "zhist: 1\nname: p\nrun: {max_written: 1KiB}\nworkloads:\n  - {name: w, kind: file, size: 1MiB, phases: [write]}\n"

{ printf 'zhist: 1\nname: P p\nworkloads:\n'
  for i in 1 2 3 4 5 6; do printf '  - {name: w%s, kind: file, sise: 1MiB, phases: [wirte]}\n' $i; done; } >ten.yaml
expect 2 "ten mistakes at once" "$ZHIST" record ten.yaml --target "$A"
is "ten mistakes: ten lines with file:line:column" "$(grep -c 'ten.yaml:[0-9]*:[0-9]*: ' "$T/err")" 10
says "ten mistakes: suggestions" err 'did you mean "size"' 'did you mean "write"'
silent "ten mistakes: nothing on stdout" out

unbuilt() { # WHAT LINES
    bad_profile "not built: $1" "not built yet|$1" "zhist: 1\nname: p\n$2\n"
}
printf '[global]\nrw=read\n' >job.fio
unbuilt "kind fio" "workloads:\n  - {name: w, kind: fio, job: job.fio}"
for row in "keep: true of a fileset|keep: true" "dedup of a fileset|data: {dedup: 20%}"; do
    unbuilt "${row%%|*}" "workloads:\n  - {name: w, kind: fileset, files: 10, total: 1MiB, phases: [read], ${row#*|}}"
done
printf 'zhist: 1\nname: p\nworkloads:\n  - {name: w, kind: file, size: 2xARC, phases: [write]}\n' >arc.yaml
if [ -e /proc/spl/kstat/zfs/arcstats ]; then
    skip "a multiple of the ARC without ZFS" "this machine has ZFS"
else
    bad 1 "a multiple of the ARC without ZFS" 'workload "w"|2xARC|ZFS|GiB' \
        "$ZHIST" record arc.yaml --target "$A" --dry-run
fi
rm -f arc.yaml
bad_profile "fio job missing" "bad.yaml:4:|job|not-there.fio" \
    "zhist: 1\nname: p\nworkloads:\n  - {name: w, kind: fio, job: not-there.fio}\n"
bad_profile "fio job is a FIFO" "bad.yaml:4:|job|not a regular file" \
    "zhist: 1\nname: p\nworkloads:\n  - {name: w, kind: fio, job: fifo}\n"
rm -f bad.yaml ten.yaml

# ---- targets ------------------------------------------------------------------------------------
measure="$ZHIST record good.yaml --target"
# shellcheck disable=SC2086 # words
{
    bad 1 "target missing" "target \"$A/no\"|does not exist|create it|--target" $measure "$A/no"
    bad 1 "target is a file" '/good.yaml"|not a directory|--target' $measure good.yaml
    bad 1 "target below a file" 'target "good.yaml/x"|not a directory|--target' $measure good.yaml/x
    ln -s "$A/no" dangling && ln -s loop loop
    bad 1 "target is a dangling link" 'target "dangling"|does not exist' $measure dangling
    bad 1 "target is a loop of links" 'target "loop"|symbolic links' $measure loop
    bad 2 "target empty" "--target|path is missing" $measure ""
    bad 2 "one directory as two targets" "same directory|$A" $measure "$A" --target "x=$A/../a"
    bad 2 "two targets of one name" 'two targets|"x"' $measure "x=$A" --target "x=$B"
}
profile "targets:\n  - {name: plain, path: $A/no}\n$body" >targets.yaml
bad 1 "target of the profile missing" "$A/no|does not exist|--target plain=PATH" "$ZHIST" record targets.yaml
mkdir closed && chmod 555 closed
bad 1 "target not writable" "target \"$W/closed\"|permission denied|--target" \
    as_user env ZHIST_DB="$A/x.db" "$W/bin/zhist" record good.yaml --target closed
if [ $is_root = yes ]; then
    mkdir -p hidden/in && chmod 700 hidden
    bad 1 "target not reachable" 'target "hidden/in"|permission denied|--target' \
        as_user env ZHIST_DB="$A/x.db" "$W/bin/zhist" record good.yaml --target hidden/in
else
    skip "target not reachable" "needs root to be another user"
fi
rm -rf hidden closed
printf 'zhist: 1\nname: p\nworkloads:\n  - {name: w, kind: file, size: 900TiB, phases: [write]}\n' >huge.yaml
bad 1 "not enough space" "target \"$A\"|free|900 TiB|make room|--target" "$ZHIST" record huge.yaml --target "$A"
bad 1 "not enough space, not even by force" "target \"$A\"|free|900 TiB" \
    "$ZHIST" record huge.yaml --target "$A" --force

can_mount=no
if [ $is_root = yes ] && mkdir "$T/mount" && mount -t tmpfs -o size=64k,mode=755 none "$T/mount" 2>/dev/null; then
    umount "$T/mount"
    can_mount=yes
fi
mounted() { # NAME OPTIONS: a tmpfs at $T/mount/NAME
    mkdir "$T/mount/$1" && mount -t tmpfs -o "$2" none "$T/mount/$1" && at_exit "umount -l '$T/mount/$1'"
}
if [ $can_mount = yes ]; then
    mounted ro ro
    bad 1 "target on a read-only file system" "target \"$T/mount/ro\"|read-only|--target" \
        "$ZHIST" record good.yaml --target "$T/mount/ro"
    mounted tight size=1m
    printf 'zhist: 1\nname: p\nworkloads:\n  - {name: w, kind: file, size: 2MiB, phases: [write]}\n' >two.yaml
    bad 1 "target too small" "target \"$T/mount/tight\"|free|2 MiB" "$ZHIST" record two.yaml \
        --target "$T/mount/tight"
    mounted inodes nr_inodes=8
    printf 'zhist: 1\nname: p\nworkloads:\n  - {name: w, kind: file, jobs: 20, size: 16KiB, block: 4KiB, phases: [write]}\n' >jobs.yaml
    bad 1 "target without inodes" "target \"$T/mount/inodes\"|files" "$ZHIST" record jobs.yaml \
        --target "$T/mount/inodes"
    # Somebody else fills it in the middle.
    mounted filled size=8m
    printf 'zhist: 1\nname: p\nrun: {iterations: 200, warmup: 0, pause: 20ms}\nworkloads:\n  - {name: w, kind: file, size: 2MiB, phases: [write]}\n' >fills.yaml
    {
        i=0
        until [ $((i += 1)) -gt 300 ] || [ "$(query "SELECT count(*) FROM iteration AS i JOIN run AS r ON r.id = i.run_id
            JOIN run_target AS t ON t.run_id = r.id WHERE t.path = '$T/mount/filled'" 2>/dev/null)" -gt 0 ]; do
            sleep 0.1
        done
        i=0
        while [ $i -lt 200 ]; do
            head -c 1000000 /dev/zero >>"$T/mount/filled/other"
            i=$((i + 1))
        done
    } 2>/dev/null &
    expect 1 "target full in the middle" "$ZHIST" record fills.yaml --target "$T/mount/filled" --quiet
    wait $!
    one_line "target full in the middle: one sentence" "w on $T/mount/filled, write" "no space left" "--target"
    is "target full in the middle: the failed iteration and the run are stored" "$(query "SELECT r.status,
        i.status, i.errno, r.finished_at IS NOT NULL FROM run AS r JOIN iteration AS i ON i.run_id = r.id
        ORDER BY i.id DESC LIMIT 1")" "failed|failed|28|1"
    is "target full in the middle: our files are gone" "$(ls -A "$T/mount/filled")" other
else
    for name in "target on a read-only file system" "target too small" "target without inodes" \
        "target full in the middle"; do skip "$name" "needs root and mount"; done
fi

# A link put in the place of a file of ours, and of the target, while it is measured.
mkdir "$S/swap" "$S/elsewhere"
printf 'zhist: 1\nname: p\nrun: {iterations: 1, warmup: 0, pause: 500ms}\nworkloads:\n  - {name: w, kind: file, size: 64KiB, block: 16KiB, phases: [write, rewrite, randwrite]}\n' >swap.yaml
echo precious >"$S/canary"
swap() { # waits for the first file, then does something
    tries=0
    while [ $tries -lt 200 ] && ! [ "$(query "SELECT count(*) FROM iteration" "$T/swap.db" 2>/dev/null)" = 1 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    "$@"
}
swap_file() {
    for file in "$S"/swap/.zhist-*/w*; do ln -sf "$S/canary" "$file"; done
}
swap swap_file &
expect 0 "a link in the place of our file" "$ZHIST" --db "$T/swap.db" record swap.yaml --target "$S/swap" --quiet
wait $!
is "a link in the place of our file: not followed" "$(cat "$S/canary")" precious
is "a link in the place of our file: nothing left" "$(ls -A "$S/swap")" ""
rm -f "$T/swap.db"
swap_target() { mv "$S/swap" "$S/moved" && ln -s "$S/elsewhere" "$S/swap"; }
swap swap_target &
expect 0 "a link in the place of the target" "$ZHIST" --db "$T/swap.db" record swap.yaml --target "$S/swap" --quiet
wait $!
is "a link in the place of the target: not followed, nothing left" \
    "$(ls -A "$S/elsewhere" "$S/moved")" "$S/elsewhere:

$S/moved:"
rm -rf "$S/swap" "$S/moved" "$S/elsewhere" "$S/canary" swap.yaml

expect 2 "a control character in a name" "$ZHIST" record good.yaml --target "$(printf 'a\033b')=$A"
one_line "a control character in a name" "--target" "control characters"
expect 0 "history on the target's file system" "$ZHIST" --db "$S/near.db" record good.yaml --target "$A"
says "it is said" err "db-on-target" "db-on-target"
is "and stored as a finding" "$(query "SELECT severity FROM finding WHERE code = 'db-on-target'" "$S/near.db")" say
rm -f "$S/near.db"

# ---- the history --------------------------------------------------------------------------------
both() { # NAME "WORDS": record and report refuse the history $X, which stays as it is
    before_sum=$([ -f "$X" ] && cksum "$X")
    bad 1 "record: $1" "$2" "$ZHIST" --db "$X" record good.yaml --target "$A" --quiet
    bad 1 "report: $1" "$2" "$ZHIST" --db "$X" report
    is "$1: not a byte of it changed" "$([ -f "$X" ] && cksum "$X")" "$before_sum"
}
X=$W/no/history.db
bad 1 "record: history in a missing directory" "\"$X\"|create its folder|--db" \
    "$ZHIST" --db "$X" record good.yaml --target "$A"
bad 1 "report: history in a missing directory" "no history found|\"$X\"|--db" "$ZHIST" --db "$X" report
bad 1 "report: history missing" "no history found|\"none.db\"|record a first run|--db" "$ZHIST" --db none.db report
mkdir folder.db && X=folder.db
both "history is a directory" '"folder.db" is a directory|--db'
echo "this is no database, and longer than the hundred bytes of the header that SQLite looks at, all of them" >text.db
X=text.db
both "history is not a database" '"text.db"|not a SQLite database|--db'
sqlite3 other.db 'CREATE TABLE photo(id); INSERT INTO photo VALUES (1)' && X=other.db
both "history of another program" "\"other.db\"|another program's|--db"
sqlite3 numbered.db 'PRAGMA application_id = 1196444487; PRAGMA user_version = 1; CREATE TABLE t(x)' && X=numbered.db
both "history of another program, numbered" "\"numbered.db\"|another program's"
make_history newer.db && sqlite3 newer.db 'PRAGMA user_version = 99' && X=newer.db
both "history of a newer schema" '"newer.db"|schema 99|up to|use a newer zhist'
make_history cut.db && truncate -s 5000 cut.db && X=cut.db
both "history cut off" '"cut.db"|damaged'
mkfifo fifo.db && X=fifo.db
both "history is a FIFO" '"fifo.db"|not a regular file'
rm -rf folder.db ./*.db

mkdir own && make_history own/history.db
cp -r own own-folder
if [ $is_root = yes ]; then chown -R 65534 own own-folder; fi
chmod 444 own/history.db
chmod 555 own-folder
user_record() { as_user env HOME=/ "$W/bin/zhist" --db "$1" record good.yaml --target "$B" --quiet; }
bad 1 "history read-only" '"own/history.db"|cannot be written|--db' user_record own/history.db
bad 1 "history in a read-only directory" '"own-folder/history.db"|cannot be written|--db' \
    user_record own-folder/history.db
bad 1 "history to be made in a read-only directory" '"own-folder/new.db"|permission denied|--db' \
    user_record own-folder/new.db
for x in own/history.db own-folder/history.db; do
    expect 0 "reading it ($x)" as_user "$W/bin/zhist" --db $x report
done
chmod 000 own/history.db
bad 1 "history unreadable" '"own/history.db"|permission denied|--db' user_record own/history.db
bad 1 "report: history unreadable" '"own/history.db"|permission denied' \
    as_user "$W/bin/zhist" --db own/history.db report
chmod 755 own-folder
rm -rf own own-folder

# What could not be stored is spilled, named, and complete. $X: the history, $1: the name
spilled() { # NAME CODE-FILE ERR OUT: after a run with --json
    is "$1: exit" "$(cat "$2")" 1
    cp "$3" "$T/err"
    one_line "$1: one sentence" "\"$X\"" "the iteration that was not stored is in"
    file=$(sed -n 's/.*not stored is in "\(.*\)".*/\1/p' "$3")
    check "$1: the file named is there" test -s "$file"
    is "$1: two lines of JSON, the run and the iteration" "$(json_query "$file" "SELECT group_concat(
        json_extract(text, '\$.event'), ' ') FROM line WHERE json_valid(text)")" "run-started iteration"
    is "$1: everything is in it" "$(json_query "$file" "SELECT count(*) FROM line WHERE
        CASE json_extract(text, '\$.event')
        WHEN 'run-started' THEN json_extract(text, '\$.profile_text') LIKE 'zhist: 1%workloads%'
                            AND json_extract(text, '\$.machine_id') <> ''
        ELSE json_extract(text, '\$.bytes') > 0 AND json_extract(text, '\$.workload') = 'w'
             AND json_extract(text, '\$.position') = 0 AND length(json_extract(text, '\$.workload_digest')) = 64
             AND json_extract(text, '\$.histograms.write') LIKE '01%' END")" 2
    run_id=$(json_query "$file" "SELECT json_extract(text, '\$.run') FROM line LIMIT 1")
    last=$(query "SELECT max(ordinal) FROM iteration JOIN run ON run.id = run_id WHERE uuid = '$run_id'" "$X")
    is "$1: it is the one after the last stored" "$(json_query "$file" "SELECT json_extract(text, '\$.ordinal')
        FROM line WHERE json_extract(text, '\$.event') = 'iteration'")" $((last + 1))
    is "$1: what --json announced is stored" "$(json_query "$4" "SELECT count(*) FROM line
        WHERE json_extract(text, '\$.event') = 'iteration'")" "$last"
    is "$1: the run ends with a line" "$(json_query "$4" "SELECT json_extract(text, '\$.status') FROM line
        ORDER BY rowid DESC LIMIT 1")" failed
    is "$1: the history is sound" "$(query "PRAGMA integrity_check" "$X")" ok
    rm -f "$file"
}
run_to() { # FILES-PREFIX CMD...
    prefix=$1
    shift
    "$@" >"$prefix.out" 2>"$prefix.err"
    echo $? >"$prefix.code"
}
profile "run: {iterations: 20000, warmup: 0}\n$body" >endless.yaml
full() { # NAME: a history on a full file system
    run_to "$T/tmp/full" "$ZHIST" --db "$X" record endless.yaml --target "$A" --json --quiet
    says "$1: no space, and what to do" "$T/tmp/full.err" "no space left" "--db"
    spilled "$1" "$T/tmp/full.code" "$T/tmp/full.err" "$T/tmp/full.out"
    is "$1: nothing is left in the target" "$(ls -A "$A")" ""
    is "$1: and nowhere else" "$(ls -A "$TMPDIR")" ""
    # A short run may still fit into what the failed one gave back: again one that does not.
    run_to "$T/tmp/again" "$ZHIST" --db "$X" record endless.yaml --target "$A" --quiet
    is "$1: again: exit 1" "$(cat "$T/tmp/again.code")" 1
    says "$1: again: no space, and what to do" "$T/tmp/again.err" "no space left" "--db"
    rm -f "$TMPDIR"/zhist-spill-*
    expect 0 "$1: it can be read" "$ZHIST" --db "$X" show runs
    says "$1: the run shows as it ended" out failed
}
if [ $can_mount = yes ]; then
    mounted full size=600k
    X=$T/mount/full/history.db
    full "history on a full tmpfs"
    mount -o remount,size=2m "$T/mount/full"
    expect 0 "space again: the next run" "$ZHIST" --db "$X" record good.yaml --target "$A" --quiet
    is "space again: the crashed run has its rollup" "$(query "SELECT count(*) > 0 FROM rollup
        WHERE run_id = (SELECT min(id) FROM run)" "$X")" 1
    mounted none size=8k
    X=$T/mount/none/history.db
    head -c 8192 /dev/zero >"$T/mount/none/other"
    bad 1 "no space for a new history" "\"$X\"|no space left|--db" "$ZHIST" --db "$X" record good.yaml --target "$A" --quiet
    is "no space for a new history: nothing left there" "$(ls -A "$T/mount/none")" other
    mkdir "$T/mount/frozen"
    mounted cold size=2m && make_history "$T/mount/cold/history.db" && mount -o remount,ro "$T/mount/cold"
    X=$T/mount/cold/history.db
    bad 1 "history on a read-only file system" "\"$X\"|cannot be written|read-only|--db" \
        "$ZHIST" --db "$X" record good.yaml --target "$A" --quiet
    expect 0 "history on a read-only file system: reading" "$ZHIST" --db "$X" report
    bad 1 "history to be made on a read-only file system" "\"$T/mount/ro/x.db\"|read-only|--db" \
        "$ZHIST" --db "$T/mount/ro/x.db" record good.yaml --target "$A" --quiet
else
    for name in "history on a full tmpfs" "no space for a new history" "history on a read-only file system"; do
        skip "$name" "needs root and mount"
    done
fi
image=$T/image
mkdir -p "$T/mount/ext4"
if [ $can_mount = yes ] && head -c 4194304 /dev/zero >"$image" && mkfs.ext4 -q -F -m 0 "$image" 2>/dev/null &&
    mount -o loop "$image" "$T/mount/ext4" 2>/dev/null; then
    at_exit "umount -l '$T/mount/ext4'"
    X=$T/mount/ext4/history.db
    make_history "$X"
    avail=$(($(stat -f -c '%a * %S' "$T/mount/ext4")))
    head -c $((avail - 150000)) /dev/zero >"$T/mount/ext4/other"
    full "history on a full ext4"
else
    skip "history on a full ext4" "needs root, mkfs.ext4 and a loop device"
fi

# ---- the command line ---------------------------------------------------------------------------
bad 2 "no command" "which command|zhist help" "$ZHIST"
bad 2 "unknown command" 'unknown command "benchmark"|zhist help' "$ZHIST" benchmark
bad 2 "unknown command, nearly right" 'unknown command "recrod"|"record"' "$ZHIST" recrod
bad 2 "unknown global option" 'unknown option "--bd"|--db' "$ZHIST" --bd x record
bad 2 "unknown option" 'unknown option "--iteration"|"--iterations"' "$ZHIST" record good.yaml --iteration 3
bad 2 "unknown letter" 'unknown option "-z"' "$ZHIST" record good.yaml -z
bad 2 "no profile" "usage: zhist record|PROFILE" "$ZHIST" record
bad 2 "two profiles" "usage: zhist record" "$ZHIST" record good.yaml good.yaml
bad 2 "a flag with a value" '"--quick=yes"|takes no value' "$ZHIST" record good.yaml --quick=yes
for option in --target --iterations --only --label --note --db; do
    bad 2 "value missing: $option" "\"$option\" needs a value" "$ZHIST" record good.yaml $option
    bad 2 "an option for a value: $option" "\"$option\" needs a value|\"--quick\" is an option" \
        "$ZHIST" record good.yaml $option --quick
done
bad 2 "global value missing" '"--db" needs a value' "$ZHIST" --db
for n in 0 -3 many 1.5 99999999999999999999 "" 5KiB; do
    bad 2 "--iterations $n" "--iterations|\"$n\"" "$ZHIST" record good.yaml --target "$A" "--iterations=$n"
done
bad 2 "--only nobody" '--only|"x"' "$ZHIST" record good.yaml --target "$A" --only x
bad 2 "--only nothing" "--only" "$ZHIST" record good.yaml --target "$A" --only ""
bad 2 "--label without =" '--label "x"|KEY=VALUE' "$ZHIST" record good.yaml --target "$A" --label x
bad 2 "--label without a key" '--label "=x"|KEY=VALUE' "$ZHIST" record good.yaml --target "$A" --label =x
make_history "$DB"
bad 2 "unknown report" '"trends"|"trend"' "$ZHIST" report trends
bad 2 "report with a path" '../trend' "$ZHIST" report ../trend
bad 2 "unknown format" '"xml"|table' "$ZHIST" report --format xml
bad 2 "unknown thing to show" '"things"|runs' "$ZHIST" show things
bad 2 "unknown run" '"00000000"|zhist show runs' "$ZHIST" show run 00000000
bad 2 "not a run id" '"latest"|run id' "$ZHIST" show run latest
bad 2 "a time that is none" '"yesterday-ish"|since|30d' "$ZHIST" report --since yesterday-ish

# ---- where the history is -----------------------------------------------------------------------
expect 0 "ZHIST_DB" env ZHIST_DB="$T/tmp/env.db" "$ZHIST" record good.yaml --target "$A" --quiet
check "ZHIST_DB names the history" test -s "$T/tmp/env.db"
expect 0 "--db beats ZHIST_DB" env ZHIST_DB="$T/tmp/env.db" "$ZHIST" --db "$T/tmp/option.db" record good.yaml \
    --target "$A" --quiet
is "--db beats ZHIST_DB: the other has one run" "$(query "SELECT count(*) FROM run" "$T/tmp/env.db")" 1
expect 0 "--db behind the command" "$ZHIST" record good.yaml --target "$A" --quiet --db "$T/tmp/option.db"
bad 1 "ZHIST_DB to nowhere" "\"$W/no/x.db\"|create its folder|--db" \
    env ZHIST_DB="$W/no/x.db" "$ZHIST" record good.yaml --target "$A"
bad 1 "report: ZHIST_DB to nowhere" "no history found|\"$W/no/x.db\"" env ZHIST_DB="$W/no/x.db" "$ZHIST" report
bad 2 "no HOME, no place" "no place for the history|--db FILE" \
    env -u HOME -u ZHIST_DB "$W/bin/zhist" record good.yaml --target "$A"
bad 2 "HOME is relative" "no place for the history|--db FILE" \
    env -u ZHIST_DB HOME=home "$W/bin/zhist" record good.yaml --target "$A"
bad 2 "report: no HOME, no place" "no place for the history|--db FILE" env -u HOME -u ZHIST_DB "$W/bin/zhist" report
bad 1 "report: the places looked at" "--db (not given)|ZHIST_DB|bin/history.db|$HOME/.local/share/zhist/history.db" \
    env -u ZHIST_DB "$W/bin/zhist" report
expect 0 "the default place is made" env -u ZHIST_DB "$W/bin/zhist" record good.yaml --target "$A" --quiet
check "the default place" test -s "$HOME/.local/share/zhist/history.db"
expect 0 "XDG_DATA_HOME" env -u ZHIST_DB XDG_DATA_HOME="$T/xdg" "$W/bin/zhist" record good.yaml --target "$A" --quiet
check "XDG_DATA_HOME: there" test -s "$T/xdg/zhist/history.db"
is "a new history may be read by the group, not by others" "$(stat -c %a "$T/xdg/zhist/history.db")" 640
(cd "$T/tmp" && "$ZHIST" --db :memory: record "$W/good.yaml" --target "$A" --quiet 2>/dev/null)
check "--db :memory: is a file like any other" test -s "$T/tmp/:memory:"
rm -rf "$HOME/.local" "$T/xdg"

# ---- streams ------------------------------------------------------------------------------------
stream_to() { # REDIRECTION CMD...
    to=$1
    shift
    sh -c '"$@" '"$to" sh "$@"
}
runs=$(query "SELECT count(*) FROM run")
for to in ">/dev/full" ">&-"; do
    bad 1 "record --json $to" "cannot write to standard output" \
        stream_to "$to" "$ZHIST" record good.yaml --target "$A" --json --quiet
    runs=$((runs + 1))
    is "record --json $to: the run has an end" "$(query "SELECT count(*) || ' ' ||
        (SELECT status || ' ' || (finished_at IS NOT NULL) FROM run ORDER BY id DESC) FROM run")" "$runs failed 1"
    for words in "report" "report --format json" "show runs" "show profiles" "help" "help record" "--version" \
        "record quick --dry-run --target ." "db info"; do
        # shellcheck disable=SC2086 # words
        bad 1 "$words $to" "cannot write to standard output" stream_to "$to" "$ZHIST" $words
    done
done
expect 0 "a history is not written to by a closed stderr" \
    stream_to "2>&- <&-" "$ZHIST" record good.yaml --target "$A"
is "closed streams: sound" "$(query "PRAGMA integrity_check")" ok
sh -c '"$ZHIST" record good.yaml --target "$1" --json --quiet | head -n 1' sh "$A" >"$T/out" 2>"$T/err"
one_line "a reader that goes away" "cannot write to standard output" "pipe"
is "a reader that goes away: nothing left" "$(ls -A "$A")" ""

# ---- failing iterations -------------------------------------------------------------------------
if command -v prlimit >/dev/null 2>&1; then
    mkdir "$S/first" "$S/second"
    printf 'zhist: 1\nname: p\nrun: {iterations: 4, warmup: 0, order: sequential, pause: 200ms}\nworkloads:\n  - {name: w, kind: file, size: 8MiB, phases: [write, read]}\n' >limited.yaml
    expect 1 "a limit on file sizes" prlimit --fsize=4194304: "$ZHIST" record limited.yaml --target "$S/first" \
        --iterations 1 --quiet
    says "a limit on file sizes: what failed, where, why" err "w on $S/first, write: iteration 1 failed" \
        "at offset 4194304" "File too large" "1 of 1 iteration failed"
    is "a limit on file sizes: stored as failed" "$(query "SELECT r.status, i.status, i.errno, i.ordinal, r.finished_at > 0,
        (SELECT count(*) FROM sample WHERE iteration_id = i.id) FROM run AS r JOIN iteration AS i ON i.run_id = r.id
        WHERE r.id = (SELECT max(id) FROM run)")" "failed|failed|27|1|1|0"
    is "a limit on file sizes: nothing left" "$(ls -A "$S/first")" ""
    # The first target fails three times and is given up; then the limit goes, and the second is fine.
    prlimit --fsize=4194304: "$ZHIST" record limited.yaml --target "$S/first" --target "$S/second" --quiet \
        2>"$T/err" &
    limited=$!
    tries=0
    while [ $tries -lt 200 ] && [ "$(grep -c failed "$T/err")" -lt 3 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    prlimit --pid $limited --fsize=unlimited:
    wait $limited
    is "a target that was given up: exit" $? 1
    is "a target that was given up: the run failed, though the last target was fine" \
        "$(query "SELECT status, (SELECT count(*) FROM iteration WHERE run_id = run.id AND status = 'ok') > 0,
            (SELECT group_concat(DISTINCT stop_rule) FROM cell JOIN target AS t ON t.id = target_id
             WHERE run_id = run.id AND t.name = '$S/first') FROM run ORDER BY id DESC LIMIT 1")" "failed|1|failed"
else
    skip "a limit on file sizes" "there is no prlimit(1)"
fi

# ---- what was held meanwhile --------------------------------------------------------------------
wait $locked $middle
for what in record report; do
    is "$what: history locked for longer than the timeout: exit" "$(cat "$T/lock/$what.code")" 1
    cp "$T/lock/$what.err" "$T/err"
    one_line "$what: history locked: one sentence" "\"$T/lock/locked.db\"" "locked by another program" "10 s" "fuser"
    check "$what: history locked: nothing on stdout" ! test -s "$T/lock/$what.out"
done
is "history locked: nothing left" "$(ls -A "$T/lock/a")$(cd "$T/lock" && echo locked*)" locked.db
X=$T/lock/middle.db
spilled "history locked in the middle" "$T/lock/middle.code" "$T/lock/middle.err" "$T/lock/middle.out"
is "history locked in the middle: nothing left" "$(ls -A "$T/lock/b")" ""
expect 0 "and afterwards it goes on" "$ZHIST" --db "$X" record good.yaml --target "$A" --quiet
finish
