#!/bin/sh
# Runs on a pool that nobody disturbs, and what a run must notice: an unchanged box shares every set
# of facts, whoever asks and in whatever format the answers come; what moved is told.
# shellcheck source=tests/zfs/lib.sh
. "$(dirname "$0")/lib.sh"

make plain
make zstd -o compression=zstd
chmod 777 "$MNT/plain"
tool() { command -v "$1"; }

# ---- two runs, one box ----------------------------------------------------------------------------
record "$T/null.yaml" --target "x=$MNT/plain" --target "y=$MNT/zstd"
is "a run on two datasets" "$code" 0
for kind in system module mount dataset pool disk; do
    check "it has a set of kind $kind" test -n "$(sets | grep "^$kind|")"
done
is "nothing moved by itself" "$(findings | grep -v '|say$')" ""
is "a set once, unless it moved" "$(sets | grep -c '|after|')" 0
sets >"$T/sets.first"
# Some writing moves every state there is: space, txg, ARC, load.
dd if=/dev/urandom of="$MNT/plain/some" bs=64k count=200 2>/dev/null
sync
record "$T/null.yaml" --target "x=$MNT/plain" --target "y=$MNT/zstd"
sets >"$T/sets.second"
check "a second run shares every set of facts" cmp "$T/sets.first" "$T/sets.second"
for kind in system module mount dataset pool disk; do
    is "a second run: nothing of kind $kind moved" "$(moved $kind)" ""
done
rm "$MNT/plain/some"

# ---- text instead of JSON -------------------------------------------------------------------------
mkdir "$T/text"
for name in zfs zpool; do
    cat >"$T/text/$name" <<END
#!/bin/sh
for word; do
    case \$word in -j | --json)
        echo "invalid option 'j'" >&2
        exit 2 ;;
    esac
done
exec $(tool $name) "\$@"
END
    chmod 755 "$T/text/$name"
done
run env PATH="$T/text:$PATH" "$ZHIST" record "$T/null.yaml" --target "x=$MNT/plain" \
    --target "y=$MNT/zstd"
is "without -j: exit" "$code" 0
sets >"$T/sets.text"
check "without -j: the same sets, so that an update to JSON is no event" \
    cmp "$T/sets.first" "$T/sets.text"
for kind in system module dataset pool disk; do
    is "without -j: nothing of kind $kind moved" "$(moved $kind)" ""
done

# ---- who asks, and from where ---------------------------------------------------------------------
run env PATH=/bin "$ZHIST" record "$T/null.yaml" --target "x=$MNT/plain" --target "y=$MNT/zstd"
sets >"$T/sets.path"
check "PATH without sbin, as in cron: the same sets" cmp "$T/sets.first" "$T/sets.path"
run env LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 TZ=Asia/Tokyo "$ZHIST" record "$T/null.yaml" \
    --target "x=$MNT/plain" --target "y=$MNT/zstd"
sets >"$T/sets.locale"
check "another locale and time zone: the same sets" cmp "$T/sets.first" "$T/sets.locale"
mkdir "$T/user"
chmod 777 "$T/user"
cp "$T/null.yaml" "$T/user"
run as_user "$ZHIST" --db "$T/user/h.db" record "$T/user/null.yaml" --target "x=$MNT/plain"
is "no root: exit" "$code" 0
user_fact() {
    query "SELECT value FROM run_factset JOIN fact USING (factset_id)
           WHERE kind = '$1' AND key = '$2'" "$T/user/h.db"
}
is "no root: dataset" "$(user_fact dataset name)" "$BASE/plain"
is "no root: compression" "$(user_fact dataset compression)" lz4
is "no root: layout" "$(user_fact pool layout)" "$(fact pool layout | head -1)"
is "no root: what is unknown says why" "$(query "SELECT count(*) FROM fact
    WHERE value IS NULL AND ifnull(source, '') = ''" "$T/user/h.db")" 0
run as_user "$ZHIST" probe "$MNT/plain"
is "no root: probe" "$code" 0
says "no root: probe" out "$BASE/plain"

# ---- what the profile expects ---------------------------------------------------------------------
expecting() { # NAME EXPECT
    profile "$1" <<END
targets:
  - {name: x, path: $MNT/plain, expect: {$2}}
run: {iterations: 1, warmup: 0}
workloads:
  - {name: nothing, kind: file, engine: "null", size: 1MiB, block: 64KiB, phases: [write]}
END
    record "$T/$1.yaml"
}
expecting met "compression: lz4, atime: off, encryption: off"
is "expect met: exit" "$code" 0
is "expect met: nothing to say about it" "$(findings | grep expect)" ""
expecting differs "compression: zstd, atime: off"
is "expect differs: exit" "$code" 4
one_line "expect differs: both values" compression lz4 zstd
is "expect differs: stored as refused" "$(newest status)" refused
is "expect differs: nothing measured" \
    "$(query "SELECT count(*) FROM iteration WHERE run_id = $NEWEST")" 0
has_finding "expect differs: a finding" expect-differs refuse lz4 zstd
is "expect differs: nothing written to the target" "$(ls -A "$MNT/plain")" ""
expecting unknown "compression: lz4, org.nowhere:colour: blue"
is "expect of what is not there: exit" "$code" 0
has_finding "expect of what is not there: said" expect-unknown say org.nowhere:colour

# ---- during a run ---------------------------------------------------------------------------------
begin long --target "x=$MNT/plain"
zfs set compression=gzip-2 atime=on "$BASE/plain"
end
is "a property set during a run: the run ends in order" "$code" 130
has_finding "a property set during a run" moved-during-run disturbed lz4 gzip-2 compression
has_finding "and another" moved-during-run disturbed atime
is "a property set during a run: a second set" "$(sets | grep -c '^dataset|.*|after|')" 1
record "$T/null.yaml" --target "x=$MNT/plain"
no_finding "the next run is not disturbed by it" moved-during-run
is "the next run sees the new value" "$(fact dataset compression)" gzip-2
zfs set compression=lz4 atime=off "$BASE/plain"

# A machine that is busy may get no answer from zfs in time: then nothing is said. Once it is.
for _ in 1 2 3; do
    begin long --target "x=$MNT/plain"
    zfs snapshot "$BASE/plain@auto-2026-01-01_00-00"
    end
    findings | grep -q '^snapshotted|disturbed' && break
    zfs destroy "$BASE/plain@auto-2026-01-01_00-00"
done
has_finding "a snapshot taken during a run" snapshotted disturbed
record "$T/null.yaml" --target "x=$MNT/plain"
is "a snapshot that was there before disturbs nobody" "$(findings | grep '^snapshotted|disturbed')" ""
zfs destroy "$BASE/plain@auto-2026-01-01_00-00" 2>/dev/null

make gone
begin long --target "x=$MNT/gone"
zfs unmount -f "$BASE/gone" 2>/dev/null && zfs destroy -f "$BASE/gone"
end
check "a dataset destroyed during a run: no crash" test "$code" -le 130
check "a dataset destroyed during a run: the run is closed" test -n "$(newest finished_at)"

# ---- another dataset under the path ---------------------------------------------------------------
make swap
record "$T/null.yaml" --target "s=$MNT/swap"
old_guid=$(fact dataset guid)
zfs destroy "$BASE/swap"
make swap
record "$T/null.yaml" --target "s=$MNT/swap"
is "made anew under its name: exit" "$code" 0
check "made anew: another guid" test "$(fact dataset guid)" != "$old_guid"
has_finding "made anew: said" new-dataset say
head -c 32 /dev/urandom >"$T/key"
zfs destroy "$BASE/swap"
make swap -o encryption=on -o keyformat=raw -o keylocation="file://$T/key"
record "$T/null.yaml" --target "s=$MNT/swap"
is "encrypted now: exit" "$code" 0
zfs unmount "$BASE/swap"
zfs unload-key "$BASE/swap"
mkdir -p "$MNT/swap"
record "$T/null.yaml" --target "s=$MNT/swap"
is "locked, a plain directory is left: exit" "$code" 4
has_finding "locked: told with both names" other-dataset refuse "$BASE/swap" "$BASE" \
    "zfs load-key $BASE/swap" "zfs mount $BASE/swap"
is "locked: nothing written there" "$(ls -A "$MNT/swap")" ""
record "$T/null.yaml" --target "s=$MNT/swap" --force
is "locked, --force: exit" "$code" 0
is "locked, --force: marked" "$(newest forced)" 1
check "locked, --force: still told" test -n "$(finding other-dataset)"
zfs load-key "$BASE/swap" && zfs mount "$BASE/swap"
record "$T/null.yaml" --target "s=$MNT/swap"
is "unlocked again, but the forced run was on another: exit" "$code" 4
record "$T/null.yaml" --target "s=$MNT/swap" --force
record "$T/null.yaml" --target "s=$MNT/swap"
is "and after one that is forced: exit" "$code" 0
finish
