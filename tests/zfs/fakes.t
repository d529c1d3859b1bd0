#!/bin/sh
# Programs that hang, die, or print what nobody understands, in front of the real ones in PATH: what
# they should have told is unknown with a reason, nothing is guessed, nothing refused, nothing hangs.
# shellcheck source=tests/zfs/lib.sh
. "$(dirname "$0")/lib.sh"

make plain
record "$T/null.yaml" --target "x=$MNT/plain"
is "without fakes" "$code" 0
REAL_ZFS=$(command -v zfs) REAL_ZPOOL=$(command -v zpool)
export REAL_ZFS REAL_ZPOOL

fake() { # DIR zfs|zpool, the body on stdin; $REAL is the real program
    mkdir -p "$T/$1"
    {
        echo '#!/bin/sh'
        if [ "$2" = zfs ]; then echo "REAL=$REAL_ZFS"; else echo "REAL=$REAL_ZPOOL"; fi
        cat
    } >"$T/$1/$2"
    chmod 755 "$T/$1/$2"
}
# A run with the fakes of DIR. Whatever they do it is done, in time, and guesses nothing: each
# property of a dataset or a pool is what the real programs say, or unknown with a reason.
with() { # DIR WHAT
    run env PATH="$T/$1:$PATH" timeout 60 "$ZHIST" record "$T/null.yaml" --target "x=$MNT/plain"
    if [ "$code" -ne 0 ]; then
        not_ok "$2: a run" "$(told)"
        return
    fi
    ok "$2: a run"
    is "$2: what is unknown says why" "$(query "SELECT key FROM run_factset JOIN fact USING (factset_id)
        WHERE run_id = $NEWEST AND value IS NULL AND ifnull(source, '') = ''")" ""
    zfs get -Hp -o property,value all "$BASE/plain" >"$T/real.dataset"
    zpool get -Hp -o property,value all "$POOL" >"$T/real.pool"
    for kind in dataset pool; do
        facts $kind >"$T/facts"
        # Settings only: state moves.
        awk -F '\t' 'FILENAME ~ /real/ {
                 if ($2 == "active") $2 = "enabled"
                 if ($2 == "18446744073709551615" && $1 ~ /_(limit|count)$/) $2 = "none"
                 real[$1] = $2
                 next
             }
             $3 != "" && $2 != "NULL" && $1 in real && real[$1] != $2 {print $1 ": " $2}' \
            "$T/real.$kind" "$T/facts" >"$T/guessed"
        is "$2: nothing guessed about the $kind" "$(cat "$T/guessed")" ""
    done
    is "$2: nothing held against the run" "$(findings | grep -E '\|(refuse|disturbed)$')" ""
    run env PATH="$T/$1:$PATH" timeout 60 "$ZHIST" probe "$MNT/plain"
    is "$2: probe" "$code" 0
    run env PATH="$T/$1:$PATH" timeout 60 "$ZHIST" probe "$MNT/plain" --json
    is "$2: probe --json" "$code" 0
    check "$2: probe --json is JSON" is_json "$T/out"
}
unknown() { # NAME KIND KEY WORD: not known, and the reason has the word
    is "$1: $2 $3 is unknown" "$(fact "$2" "$3" | sed 's/^NULL$//')" ""
    query "SELECT ifnull(source, '') FROM run_factset JOIN fact USING (factset_id)
           WHERE run_id = $NEWEST AND value IS NULL AND kind IN ('$2', 'mount', 'pool', 'dataset')" >"$T/why"
    says "$1: and the reason tells" "$T/why" "$4"
}
both() { # DIR, the body on stdin: the same fake for both
    cat >"$T/body"
    fake "$1" zfs <"$T/body"
    fake "$1" zpool <"$T/body"
}

both hang <<'END'
exec sleep 1000
END
with hang "both hang"
unknown "both hang" pool layout "answer"
both killed <<'END'
kill -9 $$
END
with killed "both are killed"
unknown "both are killed" pool layout "signal 9"
both failing <<'END'
echo "cannot open '/dev/zfs': Permission denied" >&2
exit 1
END
with failing "both may not"
unknown "both may not" pool layout "Permission denied"
both silent <<'END'
exit 0
END
with silent "both print nothing"
both garbage <<'END'
head -c 100000 /dev/urandom
END
with garbage "both print garbage"
both endless <<'END'
exec yes "pool: tank"
END
with endless "both print without end"
both half <<'END'
"$REAL" "$@" | head -c 150
END
with half "both stop within a line"
both most <<'END'
"$REAL" "$@" | awk '{line[NR] = $0} END {for (i = 1; i < NR * 2 / 3; i++) print line[i]}'
END
with most "both lose the last third of their lines"
both reversed <<'END'
case " $* " in *" -j "* | *" --json "*) exec "$REAL" "$@" ;; esac
"$REAL" "$@" | awk -F '\t' -v OFS='\t' 'NF > 1 {for (i = NF; i; i--) printf "%s%s", $i, i > 1 ? OFS : "\n"; next} {print}'
END
with reversed "their columns stand in another order"
both notes <<'END'
echo "note: this is a test release" >&2
exec "$REAL" "$@"
END
with notes "both add a note on stderr"
is "a note on stderr changes nothing" "$(fact dataset compression)" lz4
if [ "$RELEASE" -ge 203 ]; then
    both major <<'END'
case " $* " in *" -j "* | *" --json "*) "$REAL" "$@" | sed 's/"vers_major": *0/"vers_major": 7/' ;;
*) exec "$REAL" "$@" ;;
esac
END
    with major "JSON of another major version"
    both cut <<'END'
case " $* " in *" -j "* | *" --json "*) "$REAL" "$@" | tr -d '}' ;; *) exec "$REAL" "$@" ;; esac
END
    with cut "JSON that never closes"
    both types <<'END'
case " $* " in *" -j "* | *" --json "*) "$REAL" "$@" | sed 's/"value": *"[^"]*"/"value": [1, {}]/g' ;;
*) exec "$REAL" "$@" ;;
esac
END
    with types "JSON with other types"
fi

both fork <<'END'
sleep 1000 &
exec "$REAL" "$@"
END
with fork "both leave a child behind that holds the pipe"
finish
