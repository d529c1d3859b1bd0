#!/bin/sh
# report and show with facts of ZFS: which fact a name means, filters, events of an upgrade and of a
# dataset made anew, what show tells of facts, and what --mask hides. All of it is made up.
# shellcheck source=tests/scenes.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/scenes.sh"

wrong() { # NAME-OF-SCENE WORDS ARGS...: exit 2, one sentence with the words
    what=$1 text=$2
    shift 2
    zh "$what" "$@"
    is "$*: exit 2" "$code" 2
    one_line "$*" "$text"
}
three_runs() { # DAY TARGET...: three nights from this day on
    day=$1
    shift
    for i in 0 1 2; do
        echo "run 2025-$(printf %02d "$month")-$(printf %02d $((day + i)))"
        for target; do
            echo "it stream write $target 100e6 10${i}e6 102e6"
        done
        echo end
    done
}

# ---- an upgrade of TrueNAS: one event -------------------------------------------------------------
upgrade() { # OLD|NEW values of what an upgrade brings
    echo "fact system - - truenas $1
fact system - - truenas_build $1-build
fact system - - os TrueNAS_$1
fact system - - kernel $2
fact system - - kernel_build #$2
fact system - - zfs $3
fact system - - zfs_module $3
fact system - - spl $3
fact system - - samba $4"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        echo "fact module - - zfs_parameter_$i $3/$i"
    done
}
month=1
{
    echo "host silo
targets tank/bench
fact system - - cpu CPU
fact system - - microcode 0x1
fact module - - zfs_arc_max 0
fact pool - tank/bench name tank
fact pool - tank/bench guid 111
fact pool - tank/bench layout mirror of 2
fact pool - tank/bench feature@encryption enabled
fact pool - tank/bench capacity 41
fact pool - tank/bench size 4294967296
fact mount - tank/bench fstype zfs
fact mount - tank/bench source tank/bench
fact mount - tank/bench size 1000
fact disk 0123456789ab tank/bench name sda
fact disk 0123456789ab tank/bench model WD40
fact disk 0123456789ab tank/bench serial_digest 0123456789abcdef
fact disk 0123456789ab tank/bench size 4000787030016
fact dataset - tank/bench name tank/bench
fact dataset - tank/bench guid 1234567
fact dataset - tank/bench mountpoint /mnt/tank/bench
fact dataset - tank/bench recordsize 131072
fact dataset - tank/bench compression lz4
fact dataset - tank/bench encryption off
fact dataset - tank/bench keyformat none
fact dataset - tank/bench quota ?"
    upgrade 24.10.2 6.6.44 2.2.99 4.19.0
    three_runs 1 tank/bench
    upgrade 25.04.0 6.12.15 2.3.0 4.21.0
    three_runs 4 tank/bench
} | scene upgrade
zh upgrade report trend --each --format csv
is "an upgrade is one event, led by TrueNAS; what follows it is not told" \
    "$(grep -c 'truenas 24.10.2 -> 25.04.0$' "$T/out" | tr -d '\r') $(tr -d '\r' <"$T/out" | grep -c ',truenas 24.10.2 -> 25.04.0$')" "0 1"
lacks "no parameter and no version is an event of its own" out zfs_parameter kernel samba spl
zh upgrade report
says "trend has the line" out "--- since 2025-01-04 00:00: truenas 24.10.2 -> 25.04.0"
is "an event line" "$(grep -c -e '--- since' "$T/out")" 1
says "compare: one event" out "before and after 2025-01-04, truenas 24.10.2 -> 25.04.0"
lacks "compare: nothing else differs" out "differs too" "differ too" "more"
is "v_event has them all, and says that they follow" "$(query \
    "SELECT count(*), sum(follows) FROM v_event" "$T/upgrade.db")" "28|27"

# Where TrueNAS is not, OpenZFS leads its module; where OpenZFS could not be asked, TrueNAS does.
chain() { # NAME TRUENAS-OLD TRUENAS-NEW ZFS-OLD ZFS-NEW
    {
        echo "targets t
fact system - - truenas $2
fact system - - zfs $4
fact system - - zfs_module 2.2
fact module - - zfs_txg_timeout 5"
        three_runs 1 t
        echo "fact system - - truenas $3
fact system - - zfs $5
fact system - - zfs_module 2.3
fact module - - zfs_txg_timeout 10"
        three_runs 4 t
    } | scene "$1"
    zh "$1" report trend --each --format json
}
chain debian '?' '?' 2.2 2.3
is "without TrueNAS, OpenZFS leads" "$(rows "j.value ->> 'event'" "j.value ->> 'event' IS NOT NULL")" \
    "zfs 2.2 -> 2.3"
chain gap 24.10 25.04 '?' '?'
is "a link that is unknown does not break the chain" \
    "$(rows "j.value ->> 'event'" "j.value ->> 'event' IS NOT NULL")" "truenas 24.10 -> 25.04"
chain module '?' '?' '?' '?'
is "a module alone leads its parameters" \
    "$(rows "j.value ->> 'event'" "j.value ->> 'event' IS NOT NULL")" "zfs_module 2.2 -> 2.3"

# Many that somebody set: the line is bounded, the column is not.
{
    echo "targets t"
    for i in 1 2 3 4 5 6; do echo "fact module - - zfs_p$i a"; done
    three_runs 1 t
    for i in 1 2 3 4 5 6; do echo "fact module - - zfs_p$i b"; done
    echo "fact module - - zfs_new 1"
    three_runs 4 t
} | scene many
zh many report trend
says "a line tells three" out "zfs_p1 a -> b, zfs_p2 a -> b, zfs_p3 a -> b and 3 more"
lacks "a parameter that is new is no event" out zfs_new zfs_p4
zh many report trend --format csv
says "the column tells all" out "zfs_p6 a -> b"

# ---- a dataset made anew, renamed, another; values as people write them ---------------------------
{
    echo "targets t
fact dataset - t name tank/a
fact dataset - t guid 111
fact dataset - t recordsize 131072
fact pool - t name tank
fact pool - t guid 9"
    three_runs 1 t
    echo "fact dataset - t name tank/b"
    three_runs 4 t
    echo "fact dataset - t guid 222
fact dataset - t recordsize 1048576"
    three_runs 7 t
    echo "fact dataset - t guid 333
fact dataset - t name old/b
fact pool - t guid 10"
    three_runs 10 t
} | scene anew
zh anew report trend --each --format json
is "renamed: no event; made anew, another, pools: events" \
    "$(rows "substr(j.value ->> 'run', 7), j.value ->> 'event'" "j.value ->> 'event' IS NOT NULL")" \
    "07|dataset made anew (new guid), dataset.recordsize 128 KiB -> 1 MiB
0a|pool made anew (new guid), another dataset (new guid)"
zh anew report compare --format json
is "compare: the new guid is the event" \
    "$(rows "j.value ->> 'by', j.value ->> 'a', j.value ->> 'b'")" "pool.guid|9|10"
zh anew report --mask
says "--mask: the event without its guids" out "another dataset (new guid)"
lacks "--mask: no guid, no name" out 222 333 tank old/b "$T"
zh anew report trend --mask --format json
is "--mask: a name for each dataset" "$(rows "j.value ->> 'dataset'")" dataset-3

# ---- which fact a name means ------------------------------------------------------------------------
zh upgrade report compare --by truenas --format json
is "--by, a bare key: its full name" "$(rows "j.value ->> 'by', j.value ->> 'a', j.value ->> 'b'")" \
    "system.truenas|24.10.2|25.04.0"
is "--by: what follows differs, but is not told" "$(rows "j.value ->> 'also_differs'")" ""
for by in zfs kernel samba zfs_parameter_7 module.zfs_parameter_7; do
    zh upgrade report compare --by $by --format json
    is "--by $by" "$(rows "j.value ->> 'runs_a', j.value ->> 'runs_b'")" "3|3"
    is "--by $by: TrueNAS differs too" "$(rows "substr(j.value ->> 'also_differs', 1, 33)")" \
        "system.truenas 24.10.2 / 25.04.0"
done
zh anew report compare --by recordsize
says "--by a size" out "dataset.recordsize 128 KiB (baseline) with 1 MiB"
zh anew report compare --by recordsize --baseline 1M --format json
is "--baseline, as people write sizes; the columns have what is stored" \
    "$(rows "j.value ->> 'a', j.value ->> 'b'")" "1048576|131072"
zh upgrade report trend --where readonly=on
wrong upgrade '"size" is the name of several facts: disk.size, pool.size; write one of them in full' \
    report --by size
wrong upgrade "pool.capacity is a state" report --by capacity
wrong upgrade "pool.capacity is a state" report --by pool.capacity
wrong upgrade "show facts pool.capacity" report --where pool.capacity=41
wrong upgrade 'did you mean "recordsize"' report --by recordsiz
wrong upgrade 'did you mean "dataset.recordsize"' report --by dataset.recordsiz
wrong upgrade 'did you mean "zfs_arc_max"' report --where zfs_arc_mx=1
wrong upgrade "there is 131072" report --where recordsize=64K
wrong upgrade 'did you mean "lz4"' report --where compression=lz5
for where in recordsize=131072 recordsize=128K recordsize=128KiB dataset.recordsize=128K name=tank/bench \
    pool.layout="mirror of 2" layout="mirror of 2" disk.size=4000787030016 pool.size=4G \
    zfs_arc_max=0 truenas=24.10.2 feature@encryption=enabled; do
    zh upgrade report trend --where "$where" --format json
    is "--where $where" "$code $(rows 'count(*)') $(cat "$T/err")" "0 1 "
done
zh upgrade report trend --where truenas=25.04.0 --where recordsize=128K --format json
is "--where, twice: the runs where both were true" "$(rows "j.value ->> 'run', j.value ->> 'n'")" \
    "5ce00006|3"
zh anew report trend --dataset tank/b --each --format json
is "--dataset: the runs where it lay there" "$(rows "count(*), min(j.value ->> 'run')")" "6|5ce00004"
zh anew report --dataset tank/b --where recordsize=1M --format json
is "--dataset and --where" "$(rows "j.value ->> 'dataset', j.value ->> 'run'")" "tank/b|5ce00009"
wrong anew 'no such dataset; did you mean "tank/a"' report --dataset tank/q
cat >"$T/plain.sql" <<'EOF'
SELECT 1 AS one
EOF
mkdir "$T/mine" && cp "$T/plain.sql" "$T/mine/plain.sql"
run env ZHIST_REPORTS="$T/mine" "$ZHIST" --db "$T/anew.db" report plain --dataset tank/b
one_line "--dataset of a report that has no filters" "report plain does not use --dataset"

# Targets that differ in a fact are compared by it; hosts' facts never mix targets.
month=2
{
    echo "targets plain crypt other
fact system - - kernel 1
fact dataset - plain encryption off
fact dataset - crypt encryption aes-256-gcm
fact dataset - other encryption aes-256-gcm"
    for day in 1 2 3; do
        echo "run 2025-02-0$day
it stream write plain 10${day}e6 102e6
it stream write crypt 9${day}e6 92e6
it stream write other 9${day}e6 92e6
end"
    done
} | scene siblings
zh siblings report compare --by encryption --format json
is "--by encryption: sibling datasets, blocks of the same runs" \
    "$(rows "j.value ->> 'a', j.value ->> 'b', j.value ->> 'n_of', j.value ->> 'n_a', j.value ->> 'verdict'")" \
    "off|aes-256-gcm|blocks|3|slower"
cp "$T/out" "$T/by-option"
zh siblings report compare -p by=encryption --format json
check "-p by= is --by" cmp "$T/out" "$T/by-option"
wrong siblings 'encription' report compare -p by=encription
wrong siblings "leave one of them out" report compare -p by=encryption --by compression
zh siblings report --by encryption
is "--by encryption: the answer" "$(sed -n 1p "$T/out")" \
    "dataset.encryption aes-256-gcm against off: 1 of 1 is slower."
zh siblings report compare --by kernel --format json
is "--by a fact of the host: targets are never compared" "$(rows 'count(*)')" 0
zh siblings report compare --by encryption --target crypt --format json
is "--by encryption of one target: nothing to compare" "$(rows 'count(*)')" 0

# What a profile declares counts where nothing was found out.
{
    echo "targets t
fact dataset declared t recordsize 1M
fact dataset declared t compression zstd
fact dataset - t recordsize 131072
fact dataset - t compression ?"
    three_runs 1 t
} | scene declared
zh declared report trend --where recordsize=128K --where compression=zstd --format json
is "declared counts where nothing is known" "$(rows 'count(*)')" 1
is "declared in v_iteration" "$(query "SELECT DISTINCT recordsize, compression FROM v_iteration" \
    "$T/declared.db")" "131072|zstd"
zh declared report trend --where recordsize=1M --format json
is "what was found out counts before what is declared" "$(rows 'count(*)')" 0

# Two targets whose declarations differ, although the same was found out of both.
{
    echo "targets t u
fact dataset declared t recordsize 1M
fact dataset declared t compression zstd
fact dataset declared t sync standard
fact dataset declared u recordsize 16K
fact dataset declared u compression lz4
fact dataset - t recordsize 131072
fact dataset - u recordsize 131072
fact dataset - u sync disabled
fact dataset - t compression ?"
    three_runs 1 t u
} | scene declared_two
zh declared_two report compare --by target --format json
is "also_differs: declared only where nothing was found out, against what was found out" \
    "$(rows "j.value ->> 'also_differs'" | sort -u)" \
    "dataset.compression zstd / lz4, dataset.sync standard / disabled"

# ---- v_iteration --------------------------------------------------------------------------------
is "v_iteration has the properties" "$(query "SELECT DISTINCT dataset, compression, encryption,
    recordsize, pool, layout, truenas, zfs, kernel, checksum FROM v_iteration WHERE run LIKE '5ce00006%'" \
    "$T/upgrade.db")" "tank/bench|lz4|off|131072|tank|mirror of 2|25.04.0|2.3.0|6.12.15|"

# ---- show ---------------------------------------------------------------------------------------
zh upgrade show facts
is "show facts: what is known of one" \
    "$(awk '$1 == "recordsize" || $1 == "capacity" || $1 == "kernel"' "$T/out" | tr -s ' ')" \
    " kernel 2 6 6.12.15
 recordsize 1 6 128 KiB
 capacity 1 6 41 %"
is "show facts: by what they are about" "$(grep -E '^[A-Za-z]' "$T/out" | grep -v History | tr '\n' ' ')" \
    "Facts  system dataset pool disk mount module "
says "show facts: what few ask for is counted" out "and 20 more" "zhist show facts -v"
lacks "show facts: and not listed" out zfs_parameter_1 feature@encryption consequence
zh upgrade show facts -v
says "show facts -v: everything, with class and leader" out zfs_parameter_20 feature@encryption \
    "consequence  system.truenas"
zh upgrade show facts --format csv
says "show facts: in base units for programs" out "dataset.recordsize,setting,,1,6,131072"
zh anew show facts recordsize
is "show facts NAME: from when to when" "$(sed -n '3,4p' "$T/out" | tr -s ' ')" \
    " t 1 MiB 2025-01-07 00:00 2025-01-12 00:00 6
 t 128 KiB 2025-01-01 00:00 2025-01-06 00:00 6"
zh upgrade show facts pool.capacity --format csv
says "show facts NAME: of a state" out "pool.capacity,silo,tank/bench,,41,"
zh upgrade show facts disk.size
says "show facts NAME: of a disk" out "sda (WD40)" 4000787030016
wrong upgrade 'show facts "recordsiz": this history has no such fact; did you mean "recordsize"' \
    show facts recordsiz
wrong upgrade "several facts: disk.size, pool.size" show facts size
wrong upgrade "show facts NAME" show hosts silo
zh upgrade show run 5ce00006
says "show run: groups with what they are about" out "Facts  system" "dataset tank/bench" "pool tank" \
    "disk sda (WD40)" "OpenZFS module"
is "show run: what is unknown says why" "$(awk '$1 == "quota"' "$T/out" | tr -s ' ')" " quota unknown: scene"
is "show run: sizes, states" "$(awk '$1 == "recordsize" || $1 == "capacity"' "$T/out" | tr -s ' ')" \
    " recordsize 128 KiB
 capacity 41 %"
says "show run: what few ask for is counted" out "and 20 more" "and 1 more" "zhist show run 5ce00006 -v"
lacks "show run: and not listed" out zfs_parameter_1 feature@
zh upgrade show run 5ce00006 -v
says "show run -v: everything" out zfs_parameter_20 feature@encryption
cp "$T/upgrade.db" "$T/set.db"
sqlite3 "$T/set.db" "UPDATE fact SET source = 'local' WHERE key = 'recordsize';
    UPDATE fact SET source = 'inherited from tank' WHERE key = 'compression'"
zh set show run 5ce00006
says "show run: what was set is told from a default" out "128 KiB (set on it)" "lz4 (inherited from tank)"
zh set show run 5ce00006 --format csv
says "show run, for programs: the value alone" out "compression,lz4,"
zh upgrade show run 5ce00006 --format csv
says "show run, for programs: everything, in base units" out zfs_parameter_20 "recordsize,131072"

# ---- --mask ---------------------------------------------------------------------------------------
for what in "show run 5ce00006" "show run 5ce00006 -v" "show run 5ce00006 --format json" "show facts" "show runs" "show hosts" \
    "show targets" "show series" "show facts name" "show facts disk.serial_digest" "show facts guid"; do
    # shellcheck disable=SC2086
    zh upgrade $what --mask
    is "$what --mask: exit 0" "$code" 0
    lacks "$what --mask" out silo tank bench 1234567 0123456789ab "/mnt" "$T"
done
zh upgrade show run 5ce00006 --mask
says "show --mask: the same names as in reports" out host-1 target-1 "dataset dataset-1" "pool pool-1"
is "show --mask: what a machine is stays" "$(awk '$1 == "recordsize" || $1 == "layout"' "$T/out" | tr -s ' ')" \
    " recordsize 128 KiB
 layout mirror of 2"
zh upgrade report --mask
lacks "report --mask" out silo tank bench "$T"
cp "$T/upgrade.db" "$T/told.db"
sqlite3 "$T/told.db" "INSERT INTO finding(run_id, code, severity, text) VALUES
    (6, 'new-dataset', 'say', 'tank/bench (on silo) was made anew: look at /mnt/tank/bench')"
zh told show run 5ce00006 --mask
says "sentences are masked by words" out "dataset-1 (on host-1) was made anew"
finish
