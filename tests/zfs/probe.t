#!/bin/sh
# probe and init on real datasets: what is told, what --mask hides, and that init's profile runs.
# shellcheck source=tests/zfs/lib.sh
. "$(dirname "$0")/lib.sh"

make geheim
make geheim/innen -o compression=zstd
head -c 32 /dev/urandom >"$T/key"
make tresor -o encryption=aes-256-gcm -o keyformat=raw -o keylocation="file://$T/key"

expect 0 "probe" "$ZHIST" probe "$MNT/geheim/innen"
silent "probe: nothing on stderr" err
says "probe: dataset, pool, what is set, versions" out "$BASE/geheim/innen" "$POOL" zstd \
    "$(zpool list -H -o health "$POOL")" "$(uname -r)"
cp "$T/out" "$T/plain.txt"
check "probe: it fits a screen" test "$(wc -l <"$T/out")" -le 60
check "probe: every disk is in it" sh -c "for d in $(zpool status -L "$POOL" |
    awk '$1 ~ /^(sd|vd|nvme)/ {print $1}' | sed 's/p*[0-9]*$//' | tr '\n' ' '); do grep -qw \$d '$T/out' || exit 1; done"
expect 0 "probe --json" "$ZHIST" probe "$MNT/geheim/innen" --json
check "probe --json: it is JSON" is_json "$T/out"
says "probe --json: dataset" out "$BASE/geheim/innen"
expect 0 "probe of where we stand" sh -c "cd '$MNT/geheim' && '$ZHIST' probe"
says "probe of where we stand: the dataset" out "$BASE/geheim"
check "probe makes no history" ! test -e "$DB"
is "probe writes nothing" "$(ls -A "$MNT/geheim")" innen

serials=$(cat /sys/block/*/device/vpd_pg80 2>/dev/null | tr -dc 'A-Za-z0-9\n' | sort -u)
for how in "" --json; do
    # shellcheck disable=SC2086 # none, or one word
    expect 0 "probe --mask $how" "$ZHIST" probe "$MNT/geheim/innen" --mask $how
    lacks "probe --mask $how: no names of datasets, folders, host" out geheim innen zhist-test \
        "$T" "$(hostname)"
    lacks "probe --mask $how: no guid" out "$(zfs get -Hp -o value guid "$BASE/geheim/innen")" \
        "$(zpool get -Hp -o value guid "$POOL")"
    for serial in $serials; do
        lacks "probe --mask $how: no serial $serial" out "$serial"
    done
    says "probe --mask $how: the properties stay" out zstd
    cp "$T/out" "$T/mask.1"
    # shellcheck disable=SC2086
    run "$ZHIST" probe "$MNT/geheim/innen" --mask $how
    # Names alone: load comes and goes, and on a busy machine smartctl has no time to answer.
    for file in mask.1 out; do
        grep -oE '[a-z]+-[0-9]+' "$T/$file" | sort -u >"$T/$file.names"
    done
    check "probe --mask $how: there are names" grep -q 'pool-1' "$T/out.names"
    check "probe --mask $how: the same names the next time" cmp "$T/mask.1.names" "$T/out.names"
done

# ---- init -----------------------------------------------------------------------------------------
for where in geheim geheim/innen tresor; do
    expect 0 "init $where" "$ZHIST" init "$MNT/$where"
    cp "$T/out" "$T/init.yaml"
    says "init $where: what is found is expected" "$T/init.yaml" expect encryption compression \
        "$MNT/$where"
    check "init $where: it has comments" grep -q '# ' "$T/init.yaml"
    run "$ZHIST" record "$T/init.yaml" --dry-run
    is "init $where: record takes it" "$code" 0
    lacks "init $where: it is as it expects" out expect-differs expect-unknown hardware-mismatch
done
run "$ZHIST" record "$T/init.yaml" --quick --iterations 1
is "init: and runs it" "$code" 0
is "init: stored" "$(newest status)" "done"
is "init writes nothing" "$(ls -A "$MNT/geheim")" innen
zfs set compression=off "$BASE/tresor"
run "$ZHIST" record "$T/init.yaml" --quick --iterations 1
is "init: the property it found is held" "$code" 4
printf 'zhist: 1\nname: arc\nworkloads:\n- {name: w, kind: file, size: 0.01xARC, phases: [write]}\n' >"$T/arc.yaml"
limit=$(awk '$1 == "c_max" {printf "%d", $3 / 100 / 1048576}' /proc/spl/kstat/zfs/arcstats)
expect 0 "a multiple of the ARC" "$ZHIST" record "$T/arc.yaml" --target "$MNT/geheim" --dry-run
says "a multiple of the ARC: of the limit in effect" out "1 file of $limit MiB"
expect 0 "init of siblings" "$ZHIST" init "$MNT"
cp "$T/out" "$T/init.yaml"
run "$ZHIST" record "$T/init.yaml" --dry-run
is "init of siblings: record takes it" "$code" 0
finish
