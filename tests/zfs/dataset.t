#!/bin/sh
# The dataset under a path, whatever way leads there, and every property as zfs itself tells it.
# shellcheck source=tests/zfs/lib.sh
. "$(dirname "$0")/lib.sh"

# Every property of zfs get is a fact with that value, and with that source where it is kept with
# the fact. What moved while the test looked is not compared.
agrees() { # NAME DATASET PATH
    zfs get -Hp -o property,value,source all "$2" >"$T/get.before"
    record "$T/null.yaml" --target "x=$3"
    zfs get -Hp -o property,value,source all "$2" >"$T/get.after"
    if [ "$code" -ne 0 ]; then
        not_ok "$1" "$(told)"
        return
    fi
    facts dataset >"$T/facts"
    awk -F '\t' -v OFS='\t' '
        FILENAME ~ /before$/ {before[$1] = $2; next}
        FILENAME ~ /facts$/ {value[$1] = $2; source[$1] = $3; next}
        {
            n++
            if (before[$1] != $2) next
            # 2^64 - 1 is no limit: releases print it in either way
            if ($2 == "18446744073709551615" && $1 ~ /_(limit|count)$/) $2 = "none"
            if (!($1 in value)) print $1 ": not there"
            else if (value[$1] != $2) print $1 ": \"" value[$1] "\", zfs says \"" $2 "\""
            else if (source[$1] != "" && source[$1] != $3)
                print $1 ": from \"" source[$1] "\", zfs says \"" $3 "\""
        }
        END {if (n < 40) print "only " n " properties"}
    ' "$T/get.before" "$T/facts" "$T/get.after" >"$T/differs"
    is "$1: every property" "$(cat "$T/differs")" ""
    is "$1: name" "$(fact dataset name)" "$2"
    is "$1: pool" "$(fact pool name)" "$POOL"
}

# ---- names and ways -------------------------------------------------------------------------------
make plain
agrees "a dataset" "$BASE/plain" "$MNT/plain"
is "mount: file system" "$(fact mount fstype)" zfs
is "run_target: guids" \
    "$(query "SELECT dataset_guid, pool_guid FROM run_target WHERE run_id = $NEWEST")" \
    "$(zfs get -Hp -o value guid "$BASE/plain")|$(zpool get -Hp -o value guid "$POOL")"
mkdir -p "$MNT/plain/a/b"
agrees "a folder in it" "$BASE/plain" "$MNT/plain/a/b"
make plain/inner -o compression=off
make plain/inner/most -o recordsize=16K
agrees "nested" "$BASE/plain/inner/most" "$MNT/plain/inner/most"
mkdir "$MNT/plain/inner/folder"
agrees "a folder in the middle one" "$BASE/plain/inner" "$MNT/plain/inner/folder"
LC_ALL=C.UTF-8 zfs create -o compression=gzip-3 -o mountpoint="$T/Töne und mehr" \
    "$BASE/Bilder und mehr" || not_ok "zfs create Bilder und mehr"
agrees "spaces, and UTF-8 where it is mounted" "$BASE/Bilder und mehr" "$T/Töne und mehr"
make "deep:a_b.c-d" -o dedup=off -o sync=disabled -o logbias=throughput -o copies=2
agrees "every sign a name may have" "$BASE/deep:a_b.c-d" "$MNT/deep:a_b.c-d"
make -n -o mountpoint="$T/else where"
agrees "named like an option, mounted elsewhere" "$BASE/-n" "$T/else where"

make legacy -o mountpoint=legacy
mkdir "$T/legacy"
at_exit "umount '$T/legacy'"
mount -t zfs "$BASE/legacy" "$T/legacy"
agrees "legacy mountpoint" "$BASE/legacy" "$T/legacy"
mkdir "$T/bound"
at_exit "umount '$T/bound'"
mount --bind "$MNT/plain/a" "$T/bound"
agrees "bind mount" "$BASE/plain" "$T/bound"
ln -s "$MNT/plain/a" "$T/link"
agrees "symbolic link" "$BASE/plain" "$T/link/b"
at_exit "umount '$T/over'"
mkdir "$T/over"
mount -t tmpfs -o size=16m none "$T/over"
record "$T/null.yaml" --target "x=$T/over"
is "a tmpfs has no dataset" "$(facts dataset)$(facts pool)" ""
umount "$T/over"
mount -t zfs "$BASE/legacy" "$T/over" 2>/dev/null && {
    agrees "mounted twice" "$BASE/legacy" "$T/over"
    umount "$T/over"
}

zfs snapshot "$BASE/plain@before"
run "$ZHIST" probe "$MNT/plain/.zfs/snapshot/before"
is "probe of a snapshot: exit" "$code" 0
says "probe of a snapshot: it is one" out "@before"
record "$T/null.yaml" --target "x=$MNT/plain/.zfs/snapshot/before"
check "a snapshot cannot be measured" test "$code" -ne 0
lacks "and that is told" err "internal" "Assertion"
zfs clone "$BASE/plain@before" "$BASE/clone"
agrees "a clone" "$BASE/clone" "$MNT/clone"

# ---- encryption -----------------------------------------------------------------------------------
head -c 32 /dev/urandom >"$T/key"
make secret -o encryption=aes-256-gcm -o keyformat=raw -o keylocation="file://$T/key"
agrees "encrypted" "$BASE/secret" "$MNT/secret"
is "encryption is a setting, the rest its consequence" "$(query "
    SELECT key, class, leader FROM run_factset JOIN fact USING (factset_id)
    WHERE run_id = $NEWEST AND kind = 'dataset' AND key IN ('encryption', 'keyformat', 'encryptionroot')
    ORDER BY 1")" "encryption|setting|
encryptionroot|consequence|dataset.encryption
keyformat|consequence|dataset.encryption"
make secret/child
agrees "inherited encryption" "$BASE/secret/child" "$MNT/secret/child"

# ---- properties of users --------------------------------------------------------------------------
tab=$(printf 'one\ttwo')
zfs set "org.test:tab=$tab" "org.test:empty=" "org.test:equals=a=b" "org.test:quote=\"'\\" "$BASE/plain"
record "$T/null.yaml" --target "x=$MNT/plain"
is "user property with a tab" "$(fact dataset org.test:tab)" 'one\011two'
check "user property that is empty" sh -c "printf '%s\\n' \"\$1\" | grep -qx \"\$2\"" - \
    "$(facts dataset)" "$(printf 'org.test:empty\t\tlocal')"
is "user property with =" "$(fact dataset org.test:equals)" "a=b"
is "user property with quotes" "$(fact dataset org.test:quote)" "\"'\\"
is "user property: from whom" "$(why dataset org.test:tab)" local
zfs set "org.test:lines=one
two" "$BASE/plain"
record "$T/null.yaml" --target "x=$MNT/plain"
is "user property with a line feed: the run" "$code" 0
for key in compression recordsize guid type atime; do
    is "beside it: $key" "$(fact dataset $key)" "$(zfs get -Hp -o value $key "$BASE/plain")"
done
zfs inherit org.test:lines "$BASE/plain"

# ---- a file system on a volume --------------------------------------------------------------------
make vol -s -V 128M -o volblocksize=8K
volume=/dev/zvol/$BASE/vol
if wait_for 20 test -b "$volume" && mkfs.ext4 -q "$volume" 2>"$T/err"; then
    mkdir "$T/vol"
    at_exit "umount '$T/vol'"
    mount "$volume" "$T/vol"
    agrees "ext4 on a volume" "$BASE/vol" "$T/vol"
    is "ext4 on a volume: file system" "$(fact mount fstype)" ext4
    is "ext4 on a volume: type" "$(fact dataset type)" volume
    is "ext4 on a volume: block size" "$(fact dataset volblocksize)" 8192
    check "ext4 on a volume: the pool's disks" test -n "$(fact pool disks)"
    umount "$T/vol"
else
    skip "ext4 on a volume" "no such device: $volume $(head -1 "$T/err")"
fi
finish
