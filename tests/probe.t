#!/bin/sh
# probe: what zhist sees of this machine, and the first profile that init makes of it.
# shellcheck source=tests/lib.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"
json() { # SQL over j, the parsed $T/out
    sqlite3 -batch :memory: "WITH f(j) AS (SELECT CAST(readfile('$T/out') AS TEXT)) $1"
}
fact() { # KIND KEY: its value
    json "SELECT json_extract(x.value, '\$.value') FROM f, json_each(j, '\$.probe.sets') s,
          json_each(s.value, '\$.facts') x
          WHERE json_extract(s.value, '\$.kind') = '$1' AND json_extract(x.value, '\$.key') = '$2'"
}

# ---- the page -----------------------------------------------------------------------------------
there() { listing "$T" | grep -v -e "$T/out" -e "$T/err" -e "$T/check"; }
before=$(there)
expect 0 "probe PATH" "$ZHIST" probe "$T"
silent "probe PATH: nothing on stderr" err
check "the first line begins with the path" sh -c "head -1 '$T/out' | grep -qF '$T: '"
for section in HOST MOUNT DISKS CONDITIONS FINDINGS; do
    [ "$section" = MOUNT ] && [ "$(stat -f -c %T "$T")" = zfs ] && continue
    check "the page has $section" grep -q "^$section" "$T/out"
done
says "the kernel is told" out "kernel $(uname -r)"
is "nothing is written, no history made" "$(there)" "$before"
cp "$T/out" "$T/by-path"
for columns in 40 80 200; do
    expect 0 "$columns columns" env COLUMNS=$columns "$ZHIST" probe "$S"
    LC_ALL=C.UTF-8 awk -v most=$columns 'length($0) > most' "$T/out" >"$T/wide"
    is "$columns columns: no line is wider" "$(cat "$T/wide")" ""
done
if [ "$(stat -f -c %T "$S")" = tmpfs ]; then
    says "memory is called memory" out "in memory, not on a disk"
else
    skip "memory is called memory" "no tmpfs here"
fi
(cd "$T" && "$ZHIST" probe) >"$T/here" 2>&1
is "without PATH the current directory" "$(head -1 "$T/here")" "$(head -1 "$T/by-path")"
echo x >"$T/file"
expect 0 "a file" "$ZHIST" probe "$T/file"
expect 0 "/proc is probed like any other place" "$ZHIST" probe /proc
says "/proc: says what it is" out "/proc: proc"
expect 1 "no such path" "$ZHIST" probe "$T/none"
one_line "no such path" "$T/none" "does not exist" "name a directory"
expect 1 "an empty path" "$ZHIST" probe ""
one_line "an empty path" "cannot probe"
expect 2 "two paths" "$ZHIST" probe "$T" "$S"
one_line "two paths" "usage"
if [ -e /dev/full ]; then
    code=0
    "$ZHIST" probe "$T" >/dev/full 2>"$T/err" || code=$?
    is "a full output: exit 1" "$code" 1
    one_line "a full output" "standard output"
else
    skip "a full output" "no /dev/full"
fi
expect 0 "as nobody" as_user "$ZHIST" probe /

# ---- JSON ---------------------------------------------------------------------------------------
expect 0 "probe --json" "$ZHIST" probe --json "$T"
is "it is one JSON object" "$(json "SELECT json_valid(j) || json_type(j) FROM f")" "1object"
is "with the path" "$(json "SELECT json_extract(j, '\$.probe.path') FROM f")" "$T"
is "and not masked" "$(json "SELECT json_extract(j, '\$.probe.masked') FROM f")" 0
is "system and mount are there" \
    "$(json "SELECT group_concat(DISTINCT json_extract(s.value, '\$.kind')) FROM f,
             json_each(j, '\$.probe.sets') s WHERE json_extract(s.value, '\$.kind')
             IN ('system', 'mount')")" "system,mount"
is "a fact is what the kernel says" "$(fact system kernel)" "$(uname -r)"
is "every unknown fact has its reason" \
    "$(json "SELECT count(*) FROM f, json_each(j, '\$.probe.sets') s,
             json_each(s.value, '\$.facts') x WHERE json_type(x.value, '\$.value') = 'null'
             AND json_extract(x.value, '\$.source') = ''")" 0
is "classes are those of the table" \
    "$(json "SELECT count(*) FROM f, json_each(j, '\$.probe.sets') s,
             json_each(s.value, '\$.facts') x WHERE json_extract(x.value, '\$.class')
             NOT IN ('setting', 'state', 'name', 'consequence')")" 0
host=$(json "SELECT json_extract(j, '\$.probe.host') FROM f")
machine=$(json "SELECT json_extract(j, '\$.probe.machine_id') FROM f")
boot=$(fact system boot_id)
serials=$(fact disk serial_digest)

# ---- the mask -----------------------------------------------------------------------------------
mkdir "$T/Of Anna" && mask_of="$T/Of Anna"
for how in "" --json; do
    # shellcheck disable=SC2086 # no word where it is empty
    expect 0 "probe --mask $how" "$ZHIST" probe --mask $how "$mask_of"
    lacks "--mask $how: no path" out "$T" "Of Anna" "zhist-test-"
    # shellcheck disable=SC2086 # a word a disk
    for secret in "$machine" "$boot" $serials; do
        [ ${#secret} -lt 8 ] || lacks "--mask $how: no $secret" out "$secret"
    done
    [ ${#host} -lt 5 ] || lacks "--mask $how: no host name" out "$host"
    says "--mask $how: words instead" out host-1 path-1
done
is "masked JSON is valid" "$(json "SELECT json_valid(j) FROM f")" 1
is "and says so" "$(json "SELECT json_extract(j, '\$.probe.masked') FROM f")" 1
is "the kernel is no secret" "$(fact system kernel)" "$(uname -r)"
"$ZHIST" probe --mask "$mask_of" >"$T/once"
"$ZHIST" probe --mask "$mask_of" >"$T/twice"
is "the same words each time" "$(sed '/^CONDITIONS/,$d; / available/d; / free/d' "$T/once")" \
    "$(sed '/^CONDITIONS/,$d; / available/d; / free/d' "$T/twice")"

# ---- init ---------------------------------------------------------------------------------------
as_profile() { # WHAT PATH...: init makes a profile that record takes
    what=$1
    shift
    expect 0 "init $what" "$ZHIST" init "$@"
    silent "init $what: nothing on stderr" err
    cp "$T/out" "$T/first.yaml"
    expect 0 "init $what: record --dry-run takes it" "$ZHIST" record "$T/first.yaml" --dry-run
}
mkdir "$T/a b: #ü" "$T/-dash" "$T/quo'te\""
as_profile "a directory" "$T"
check "its path is in it" grep -qF "path: \"$T\"" "$T/first.yaml"
check "every key has its why" sh -c "! grep -nE '^ +[a-z_]+: [^#]*$' '$T/first.yaml'"
for dir in "a b: #ü" "-dash" "quo'te\""; do
    as_profile "a directory '$dir'" "$T/$dir"
    says "'$dir' is measured" out "$T/$dir"
done
as_profile "memory" "$S"
expect 0 "and a quick run of it works" "$ZHIST" record "$T/first.yaml" --quick --quiet
is "which is stored" "$(query "SELECT status FROM run")" "done"
for profile in nightly n300-mirror quick; do # others need more room than a machine may have
    as_profile "--from $profile" "$S" --from "$profile"
    is "--from $profile: its workloads" "$(sed -n '/^workloads:/,$p' "$T/first.yaml")" \
        "$(sed -n '/^workloads:/,$p' "$ZHIST_TESTS/../profiles/$profile.yaml")"
done
(cd "$T" && "$ZHIST" init .) >"$T/dot" 2>&1
check "a relative path becomes whole" grep -qF "path: \"$T\"" "$T/dot"
before=$(listing "$S")
run "$ZHIST" init "$S"
is "init writes nothing" "$(listing "$S")" "$before"

expect 2 "init without a path" "$ZHIST" init
one_line "init without a path" "usage"
expect 1 "init: no such path" "$ZHIST" init "$T/none"
one_line "init: no such path" "$T/none" "does not exist" "create it"
lacks "init: no advice on an option it has not" err "--target"
expect 1 "init: a file" "$ZHIST" init "$T/file"
one_line "init: a file" "not a directory"
expect 2 "init --from nothing known" "$ZHIST" init "$T" --from nightli
one_line "init --from nothing known" "nightli" "nightly"
printf 'zhist: 1\nname: later\nworkloads:\n- {name: f, kind: fileset, files: 10, total: 1MiB, phases: [read], keep: true}\n' \
    >"$T/later.yaml"
expect 2 "init --from what is not built" "$ZHIST" init "$T" --from "$T/later.yaml"
one_line "init --from what is not built" "not built yet"
bad=$(printf 'no-utf8-\377')
if mkdir "$T/$bad" 2>/dev/null; then
    expect 1 "init: a name that is no UTF-8" "$ZHIST" init "$T/$bad"
    one_line "init: a name that is no UTF-8" "UTF-8"
else
    skip "init: a name that is no UTF-8" "this file system refuses it"
fi
chmod 755 "$T"
mkdir -m 555 "$S/closed"
expect 1 "init: not writable" as_user "$ZHIST" init "$S/closed"
one_line "init: not writable" "permission denied"
expect 1 "init: /proc" "$ZHIST" init /proc
one_line "init: /proc" "/proc"
finish
