#!/bin/sh
# record on a made-up pool, where there is no ZFS: a tmpfs that /proc/self/mountinfo calls zfs, and a
# zfs and a zpool that say what a test wants. What only real OpenZFS can show is in tests/zfs/.
# shellcheck source=tests/lib.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"

mkdir "$T/bin" "$T/plain"
# In a mount namespace of its own; exec keeps the process, whose mountinfo is replaced.
cat >"$T/made-up" <<END
#!/bin/sh
mount -t tmpfs -o size=64m tank/plain "$T/plain" || exit 99
sed 's| - tmpfs tank/plain | - zfs tank/plain |' /proc/self/mountinfo >"$T/mountinfo"
mount --bind "$T/mountinfo" /proc/\$\$/mountinfo || exit 99
PATH=$T/bin:\$PATH
export PATH
exec "\$@"
END
chmod 755 "$T/made-up"
if [ $is_root = no ] || ! unshare -m sh "$T/made-up" grep -q 'zfs tank/plain' /proc/self/mountinfo 2>"$T/err"; then
    skip "record on a made-up pool" "no mounts of our own: $(head -1 "$T/err")"
    finish
fi

# Each `zpool status` takes the next word of $T/words, the last one again and again, and $T/asked
# counts them. `zfs` and the other questions of zpool fail as for one who may not.
cat >"$T/bin/zpool" <<END
#!/bin/sh
if [ "\$1" = get ] && [ -e "$T/sizes" ]; then
    echo >>"$T/got"
    allocated=\$(sed -n "\$(wc -l <"$T/got")p;\\\$p" "$T/sizes" | head -1)
    printf 'tank\tsize\t100000000\t-\ntank\tfree\t80000000\t-\ntank\tallocated\t%s\t-\n' "\$allocated"
    exit 0
fi
[ "\$1" = status ] || { echo "Permission denied" >&2; exit 1; }
echo >>"$T/asked"
word=\$(sed -n "\$(wc -l <"$T/asked")p;\\\$p" "$T/words" | head -1)
state=ONLINE scan="none requested"
case \$word in
hang) exec sleep 1000 ;;
fail) echo "cannot open '/dev/zfs': Permission denied" >&2; exit 1 ;;
busy) scan="scrub in progress since Mon Nov 30 19:58:28 2026" ;;
suspended) state=SUSPENDED ;;
paused) scan="scrub paused since Mon Nov 30 19:58:28 2026" ;;
esac
printf '  pool: tank\n state: %s\n  scan: %s\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n\ttank  ONLINE  0  0  0\n\t  vdz  ONLINE  0  0  0\n\nerrors: No known data errors\n' \
    "\$state" "\$scan"
END
cat >"$T/bin/zfs" <<END
#!/bin/sh
[ ! -e "$T/zfs-hangs" ] || exec sleep 1000
echo "Permission denied" >&2
exit 1
END
chmod 755 "$T/bin/zpool" "$T/bin/zfs"
cat >"$T/null.yaml" <<'END'
zhist: 1
name: "null"
run: {iterations: 1, warmup: 0}
workloads:
  - {name: nothing, kind: file, engine: "null", size: 1MiB, block: 64KiB, phases: [write]}
END
words() { # WORD...: what zpool status says, one after the other
    printf '%s\n' "$@" >"$T/words"
    : >"$T/asked"
}
asked() { wc -l <"$T/asked" | tr -d ' '; }
record() { run unshare -m sh "$T/made-up" "$ZHIST" record "$T/null.yaml" --target "x=$T/plain" "$@"; }
newest() { query "SELECT $1 FROM run ORDER BY id DESC LIMIT 1"; }
findings() {
    query "SELECT code || ' ' || severity FROM finding WHERE run_id = (SELECT max(id) FROM run)
           AND code NOT IN ('virtual-machine', 'other-io', 'clock-unsynchronised', 'low-space') ORDER BY 1"
}

words idle
record
is "an idle pool: exit" "$code" 0
is "an idle pool: nothing said of a scan" "$(findings)" ""

# ---- scans: running, paused, not known -----------------------------------------------------------
words busy
record
is "a scrub: exit" "$code" 4
one_line "a scrub: one sentence" "scan-running" "a scrub is running on pool 'tank'"
record --dry-run --wait 1h
says "a dry run of it, --wait" out "would wait first (--wait): scan-running: a scrub"
words paused
record
is "paused: measured, and said" "$code $(findings)" "0 scan-paused say"
words fail
record
is "not known: measured, and said" "$code $(findings)" "0 scan-unknown say"
words fail
record --skip-busy
is "not known, --skip-busy: not taken for busy" "$code $(newest status)" "0 done"
words busy fail busy idle
record --wait 10m
is "--wait: a zpool that fails ends no wait" "$code $(newest "status, forced") $(findings)" "0 done|0 "
is "--wait: looked until it was idle, and at the end" "$(asked)" 5
says "--wait: says what for, each time it is another" err "at most: scan-running: a scrub" \
    "at most: scan-unknown: whether a scrub"
words busy fail
record --wait 3s
is "--wait: not known when the time is over: exit" "$code" 4
is "--wait: not known when the time is over: stored" "$(newest status) $(findings)" \
    "refused scan-unknown refuse"
says "--wait: not known when the time is over: told with the reason" err "refused after waiting" \
    "(scan-unknown)" "Permission denied" "leave --wait out"
words fail idle
record --wait 10m
is "--wait: not known at first" "$code $(findings)" "0 "
words idle fail
record
is "known before, not at the end: said" "$code $(findings)" "0 scan-unknown say"

# ---- suspended -----------------------------------------------------------------------------------
words suspended
record --force
is "suspended, --force: refused all the same" "$code $(newest status) $(findings)" \
    "4 refused pool-suspended refuse"
one_line "suspended, --force: the way out" "(pool-suspended)" "zpool clear tank"
lacks "suspended, --force: not told to force" err "--force runs"
record --skip-busy
is "suspended, --skip-busy: a state of the moment" "$code $(newest status)" "0 refused"

# ---- programs that hang --------------------------------------------------------------------------
why() { query "SELECT DISTINCT f.source FROM run_factset AS r JOIN fact AS f USING (factset_id)
    WHERE r.run_id = (SELECT max(id) FROM run) AND r.moment = '$1' AND f.key = '$2' AND f.value IS NULL"; }
: >"$T/zfs-hangs"
words hang
record
is "zfs and zpool hang: measured, and said" "$code $(findings)" "0 scan-unknown say"
is "zpool is asked once, and not at the end" "$(asked)" 1
is "its reason is kept: it got a moment only" "$(query "SELECT text LIKE '%zpool status: no answer within 1 s%'
    FROM finding WHERE run_id = (SELECT max(id) FROM run) AND code = 'scan-unknown'")" 1
is "so is that of zfs" "$(why before recordsize)" "zfs get: not asked, it did not answer before"
rm "$T/zfs-hangs"
words busy hang idle
record --wait 10m
is "--wait asks again" "$code $(findings) $(asked)" "0  4"

# ---- how full the pool is at the end ------------------------------------------------------------
sizes() {
    printf '%s\n' "$@" >"$T/sizes"
    : >"$T/got"
}
words idle
sizes 10000000 30000000 30000000 11000000
record
is "blocks of the run come free some moments later: not held against it" "$code $(findings)" "0 "
is "it looked until they were" "$(wc -l <"$T/got" | tr -d ' ')" 4
sizes 10000000 30000000
record
is "others' blocks do not: said" "$code $(findings)" "0 filled-by-run disturbed"
rm "$T/sizes"
finish
