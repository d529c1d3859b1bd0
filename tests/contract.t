#!/bin/sh
# contract: names that other programs call. Whoever adds a command, an option, a column, an exit
# code or a key adds it here in the same commit; nothing may go.
# shellcheck source=tests/lib.sh
. "${ZHIST_TESTS:-$(dirname "$0")}/lib.sh"
TZ=UTC
export TZ
json() { # SQL over j, the parsed $T/out
    sqlite3 -batch :memory: "WITH f(j) AS (SELECT CAST(readfile('$T/out') AS TEXT)) $1"
}
lines() { # words, one a line
    for word; do echo "$word"; done
}

# ---- commands and options -----------------------------------------------------------------------
expect 0 "help" "$ZHIST" help
commands="record report show probe init note label exclude include forget db check explain help"
is "help lists every command, in its order" \
    "$(sed -n 's/^  \([a-z]*\) .*/\1/p' "$T/out" | tr '\n' ' ')" "$commands "
says "help tells the exit codes" out "0 done" "1 failed" "2 usage" "3 the gate" "4 refused" \
    "130 interrupted"
options() { # COMMAND OPTION...
    command=$1
    shift
    expect 0 "help $command" "$ZHIST" help "$command"
    is "help $command: its options and no others" \
        "$(sed -n 's/^  \(-[-a-z]*\).*/\1/p' "$T/out" | sort | tr '\n' ' ')" \
        "$(lines "$@" | sort | tr '\n' ' ')"
    run "$ZHIST" "$command" --help
    is "$command --help is its help" "$code $(sed -n 1p "$T/out" | cut -d' ' -f1-2)" "0 usage: zhist"
}
options record --target --iterations --only --label --note --quick --dry-run --force --wait --skip-busy \
    --quiet --check --json
options report --since --until --host --target --dataset --workload --where --label --run --metric --by \
    --baseline --include --each --all -v -p --format --units -o --fail --mask
options check --ack --note --all
options show --profile --format -v --mask
options probe --json --mask -v
options init --from
options exclude --reason
for command in note label include forget db explain help; do
    expect 0 "help $command" "$ZHIST" help "$command"
done
expect 0 "--version" "$ZHIST" --version
check "--version: zhist and a number" grep -Eq '^zhist [0-9]+\.[0-9]+\.[0-9]+$' "$T/out"
expect 0 "--help" "$ZHIST" --help
says "--help is help" out "record PROFILE"
expect 2 "no command" "$ZHIST"
one_line "no command" "help"
expect 2 "unknown command" "$ZHIST" reprot
one_line "unknown command: suggests" "reprot" "report"
for command in $commands; do
    expect 2 "$command: unknown option" "$ZHIST" "$command" --xyzzy
    one_line "$command: unknown option is named" "--xyzzy"
done

# ---- record --json: events and keys -------------------------------------------------------------
mkdir "$S/a" "$S/b"
cat >"$T/p.yaml" <<'END'
zhist: 1
name: contract
run: {iterations: 2}
workloads:
  - {name: stream, kind: file, size: 64KiB, block: 16KiB, phases: [write, read, rewrite]}
  - {name: random, kind: file, size: 64KiB, block: 4KiB, phases: [randread, randwrite]}
END
expect 0 "record --json" "$ZHIST" record "$T/p.yaml" --target "one=$S/a" --target "two=$S/b" --json
cp "$T/out" "$T/events"
event_keys() { # EVENT: keys of its first line, sorted
    grep "\"event\":\"$1\"" "$T/events" | head -1 >"$T/out"
    json "SELECT group_concat(key, ' ') FROM (SELECT key FROM f, json_each(j) ORDER BY key)"
}
has_keys() { # NAME HAVE KEY...
    name=$1 have=" $2 " missing=
    shift 2
    for key; do
        case $have in *" $key "*) ;; *) missing="$missing $key" ;; esac
    done
    is "$name: every key" "$missing" ""
}
is "record --json: the first event" "$(sed -n '1s/.*"event":"\([a-z-]*\)".*/\1/p' "$T/events")" \
    run-started
is "record --json: the last event" "$(sed -n '$s/.*"event":"\([a-z-]*\)".*/\1/p' "$T/events")" \
    run-finished
is "record --json: no other events" \
    "$(sed 's/.*"event":"\([a-z-]*\)".*/\1/' "$T/events" | sort -u | grep -v finding | tr '\n' ' ')" \
    "iteration run-finished run-started "
has_keys run-started "$(event_keys run-started)" event run profile host started_at seed history \
    targets
has_keys iteration "$(event_keys iteration)" event run target workload phase ordinal block warmup \
    status errno started_at duration_ns flush_ns bytes ops throughput cache_class bound_by
has_keys run-finished "$(event_keys run-finished)" event run status iterations failed history
# --quick is a finding of its own on every machine
expect 0 "record --json --quick" "$ZHIST" --db "$T/quick.db" record "$T/p.yaml" --target "$S/a" --json --quick
cp "$T/out" "$T/events.quick"
cp "$T/events" "$T/events.full" && cp "$T/events.quick" "$T/events"
has_keys finding "$(event_keys finding)" event run target code severity text
cp "$T/events.full" "$T/events"
is "every iteration says its status" \
    "$(grep -c '"event":"iteration".*"status":"ok"' "$T/events")" \
    "$(grep -c '"event":"iteration"' "$T/events")"

# A write to memory and a write to a disk are two things, although both say only "write".
if [ "$(stat -f -c %T "$S")" = tmpfs ] && [ "$(stat -f -c %T "$T")" != tmpfs ]; then
    mkdir -p "$T/disk" "$S/mem"
    expect 0 "memory and disk" "$ZHIST" --db "$T/mixed.db" record "$T/p.yaml" --quiet \
        --target "disk=$T/disk" --target "mem=$S/mem"
    expect 0 "memory and disk are compared" "$ZHIST" --db "$T/mixed.db" report compare --format csv
    is "no row of them gets a verdict" "$(grep -c 'not comparable' "$T/out") $(wc -l <"$T/out")" "5 6"
else
    skip "memory and disk" "not both a tmpfs and a disk here"
fi

# ---- the history --------------------------------------------------------------------------------
columns_of() { # TABLE COLUMN...
    table=$1
    shift
    have=" $(query "SELECT group_concat(name, ' ') FROM pragma_table_info('$table')") " missing=
    for column; do
        case $have in *" $column "*) ;; *) missing="$missing $column" ;; esac
    done
    is "$table has its columns" "$missing" ""
}
columns_of profile id digest name text
columns_of workload id digest name kind spec
columns_of requirement profile_id workload_id target phase metric op value why
columns_of host id machine_id name alias_of
columns_of target id host_id name alias_of
columns_of run id uuid host_id profile_id origin started_at finished_at status seed forced excluded \
    note zhist_version
columns_of label run_id key value
columns_of run_target run_id target_id path fstype dataset_guid pool_guid
columns_of factset id kind digest
columns_of fact factset_id key value source class
columns_of run_state run_id target_id subject moment key value
columns_of run_factset run_id target_id kind subject moment factset_id
columns_of cell run_id target_id workload_id phase class direct_effect engine_effect bound_by \
    evidence stop_rule size
columns_of iteration id run_id target_id workload_id phase ordinal block position warmup started_at \
    duration_ns flush_ns bytes ops status errno cache_class bound_by
columns_of metric id name unit better
columns_of sample iteration_id metric_id value
columns_of disk_io iteration_id disk read_bytes write_bytes requests busy_ns temperature
columns_of histogram iteration_id op buckets
columns_of tick iteration_id t_ms bytes ops
columns_of finding id run_id target_id workload_id phase iteration_id code severity text evidence
columns_of notice key first_at mailed_at
columns_of ack key note at
columns_of rollup target_id workload_id phase class direct_effect origin metric_id run_id everything \
    n n_left_out mean m2 min median p95 max pruned
columns_of v_iteration iteration_id run host target path fstype dataset compression encryption \
    recordsize checksum sync primarycache atime dedup direct pool layout media kernel truenas zfs profile workload kind phase ordinal block warmup origin note started_utc \
    started_at status errno cache_class direct_effect engine_effect bound_by bytes ops duration_s \
    flush_s throughput throughput_durable ops_per_second lat_p50_ns lat_p99_ns disturbed excluded
is "views that reports of users may stand on" \
    "$(query "SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND name IN ('v_host',
       'v_target', 'v_fact', 'v_event', 'v_headline', 'v_label', 'v_iteration', 'v_disturbed',
       'v_mask')")" 9
is "application_id and user_version" "$(query "PRAGMA application_id; PRAGMA user_version;" |
    tr '\n' ' ')" "2053663091 1 "
is "every table is STRICT" \
    "$(query "SELECT group_concat(name) FROM pragma_table_list
              WHERE type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'")" ""
is "indexes of the plan" \
    "$(query "SELECT count(*) FROM sqlite_schema WHERE type = 'index'
              AND (sql LIKE '%run(host_id, started_at)%' OR sql LIKE '%iteration(run_id)%')")" 2
is "a plain shell reads v_iteration" "$(query "SELECT count(*) FROM v_iteration")" 30
is "statuses of iterations" "$(query "SELECT DISTINCT status FROM iteration")" ok
check "an unknown status is refused" ! sqlite3 "$DB" "UPDATE run SET status = 'crashed'"
for status in running failed interrupted refused "done"; do
    cp "$DB" "$T/status.db"
    check "run status $status" \
        sqlite3 "$T/status.db" "UPDATE run SET finished_at = NULL, status = '$status'"
done
query "SELECT name FROM metric ORDER BY name" >"$T/out"
is "metrics" "$(tr '\n' ' ' <"$T/out")" "arc_size cached_pct cpu_busy cpu_per_gib direct_pct disk_busy disk_requests \
disk_throughput duration duration_durable files_per_second flush_time free lat_max \
lat_mean lat_p50 lat_p95 lat_p99 lat_p999 memory_available network_bytes ops_per_second \
psi_cpu psi_io psi_memory read_lat_max read_lat_mean read_lat_p50 read_lat_p95 \
read_lat_p99 read_lat_p999 read_ops_per_second read_throughput request_size stored_ratio \
temperature throughput throughput_durable time_per_file write_expansion write_lat_max \
write_lat_mean write_lat_p50 write_lat_p95 write_lat_p99 write_lat_p999 \
write_ops_per_second write_throughput "

# ---- reports: columns and envelope --------------------------------------------------------------
trend="host target dataset workload phase metric unit class direct origin run started n mean sd \
median cv_pct low high usual_low usual_high change_pct cached_pct bound_by findings event"
compare="host target workload phase metric unit by a b class_a class_b direct_a direct_b bound_a bound_b runs_a \
runs_b n_of n_a n_b mean_a sd_a mean_b sd_b diff diff_low diff_high diff_pct_low diff_pct_high \
change_pct change_low_pct change_high_pct paired_low_pct paired_high_pct hl_pct p p_adj mde_pct \
more_runs left_out verdict also_differs sentence"
controls="host target control unit run started value usual_low usual_high change_pct"
for report in trend compare controls; do
    wanted=$trend
    [ $report = controls ] && wanted=$controls
    [ $report = compare ] && wanted=$compare
    expect 0 "report $report --format csv" "$ZHIST" report $report --format csv
    is "$report: columns of CSV" "$(sed -n '1s/\r//p' "$T/out" | tr , ' ')" "$wanted"
    expect 0 "report $report --format json" "$ZHIST" report $report --format json
    is "$report: JSON has a row" "$(json "SELECT json_array_length(j, '\$.reports[0].rows') > 0 FROM f")" 1
    # The sentence is a sentence of the report, and a column of each row.
    is "$report: columns of JSON" \
        "$(json "SELECT group_concat(value ->> 'name', ' ') FROM f, json_each(j, '\$.reports[0].columns')")" \
        "$wanted"
    is "$report: keys of each JSON row, in the same order" \
        "$(json "SELECT group_concat(DISTINCT k) FROM (SELECT (SELECT group_concat(key, ' ')
                 FROM json_each(r.value)) AS k FROM f, json_each(j, '\$.reports[0].rows') AS r)")" \
        "$wanted"
    is "$report: keys of the envelope" "$(json "SELECT group_concat(key, ' ') FROM f, json_each(j)")" \
        "zhist reports"
    is "$report: zhist is 1" "$(json "SELECT j ->> 'zhist' FROM f")" 1
    is "$report: keys of a report" \
        "$(json "SELECT group_concat(key, ' ') FROM f, json_each(j, '\$.reports[0]')")" \
        "name title columns rows sentences"
    is "$report: its name" "$(json "SELECT j ->> '\$.reports[0].name' FROM f")" $report
    is "$report: each column is a name and a unit" \
        "$(json "SELECT DISTINCT (SELECT group_concat(key, ' ') FROM json_each(c.value))
                 FROM f, json_each(j, '\$.reports[0].columns') AS c")" "name unit"
done
changes="host when kind cause from_value to_value target workload phase metric unit runs_before runs_after \
before after change_pct change_low_pct change_high_pct p certainty also_changed unchanged key sentence"
expect 0 "report changes --format csv" "$ZHIST" report changes --format csv
is "changes: columns of CSV" "$(sed -n '1s/\r//p' "$T/out" | tr , ' ')" "$changes"
expect 0 "report changes --format json" "$ZHIST" report changes --format json
is "changes: columns of JSON" \
    "$(json "SELECT group_concat(value ->> 'name', ' ') FROM f, json_each(j, '\$.reports[0].columns')")" \
    "$changes"
expect 0 "report --format json" "$ZHIST" report --format json
is "without a name: trend, compare and changes" \
    "$(json "SELECT group_concat(value ->> 'name', ' ') FROM f, json_each(j, '\$.reports')")" \
    "trend compare changes"
is "units are base units" \
    "$(json "SELECT DISTINCT r.value ->> 'unit' FROM f, json_each(j, '\$.reports[1].rows') AS r
             ORDER BY 1" | tr '\n' ' ')" "1/s B/s "
for format in table markdown csv json; do
    expect 0 "--format $format" "$ZHIST" report --format $format
done
expect 2 "--format html" "$ZHIST" report --format html
one_line "--format html" "html" "not built yet"

# ---- show, db, notes ----------------------------------------------------------------------------
for thing in runs hosts targets series workloads profiles reports engines facts; do
    expect 0 "show $thing" "$ZHIST" show $thing
    check "show $thing says something" test -s "$T/out"
done
expect 2 "show xyzzy" "$ZHIST" show xyzzy
one_line "show xyzzy" "xyzzy" "runs" "facts"
expect 0 "show runs --format csv" "$ZHIST" show runs --format csv
is "show runs: columns" "$(sed -n '1s/\r//p' "$T/out")" \
    "run,host,started,duration,profile,status,iterations,disturbed,marked,targets,note"
id=$(sed -n 2p "$T/out" | cut -d, -f1)
is "a run's id is eight digits of its uuid" "$(query "SELECT substr(uuid, 1, 8) FROM run")" "$id"
expect 0 "show run ID" "$ZHIST" show run "$id"
expect 0 "show run ID --mask" "$ZHIST" show run "$id" --mask
expect 0 "show facts NAME" "$ZHIST" show facts kernel
expect 0 "show run ID --profile" "$ZHIST" show run "$id" --profile
check "show run --profile is the file, verbatim" cmp -s "$T/out" "$T/p.yaml"
expect 2 "show run" "$ZHIST" show run
expect 2 "show run of none" "$ZHIST" show run 00000000-none
expect 0 "note" "$ZHIST" note "$id" "a sentence"
expect 0 "label" "$ZHIST" label "$id" a=b
expect 2 "exclude without a reason" "$ZHIST" exclude "$id"
expect 0 "exclude" "$ZHIST" exclude "$id" --reason "the reason"
is "they are kept" "$(query "SELECT note, excluded, (SELECT key || value FROM label) FROM run")" \
    "a sentence|the reason|ab"
expect 0 "include" "$ZHIST" include "$id"
is "include: it counts again" "$(query "SELECT excluded IS NULL FROM run")" 1
expect 0 "db info" "$ZHIST" db info
expect 0 "db check" "$ZHIST" db check
for lost in "TABLE rollup" "VIEW v_label" "INDEX rollup_by_run"; do
    sqlite3 "$ZHIST_DB" "VACUUM INTO '$T/lacking.${lost#* }'"
    sqlite3 "$T/lacking.${lost#* }" "DROP $lost"
    expect 1 "db check without $lost" "$ZHIST" --db "$T/lacking.${lost#* }" db check
    says "db check without $lost: names it" err "${lost#* } is missing"
done
expect 1 "a report of a history that lacks a table" "$ZHIST" --db "$T/lacking.rollup" report
one_line "a report of a history that lacks a table" "lacking.rollup" "db check"
expect 2 "db xyzzy" "$ZHIST" db xyzzy

# ---- probe --json -------------------------------------------------------------------------------
expect 0 "probe --json" "$ZHIST" probe --json "$T"
probe_keys() { # PATH: keys of the object there
    json "SELECT group_concat(key, ' ') FROM (SELECT key FROM f, json_each(j, '$1') ORDER BY key)"
}
is "probe --json: the envelope" "$(probe_keys '$')" "probe zhist"
is "probe --json: version 1" "$(json "SELECT json_extract(j, '\$.zhist') FROM f")" 1
is "probe --json: what there is" "$(probe_keys '$.probe')" \
    "findings host machine_id masked path sets version"
is "probe --json: a set" "$(probe_keys '$.probe.sets[0]')" "facts kind subject target"
is "probe --json: a fact" "$(probe_keys '$.probe.sets[0].facts[0]')" "class key source value"
expect 0 "init" "$ZHIST" init "$T"
for key in zhist name about targets run workloads; do
    check "init: has $key" grep -q "^$key:" "$T/out"
done

# ---- exit codes ---------------------------------------------------------------------------------
expect 0 "no runs in the window is no failure" "$ZHIST" report --since 2000-01-01 --until 2000-01-02
is "no runs in the window: one sentence, first" "$(sed -n 1p "$T/out" | grep -c '\.$')" 1
expect 1 "no history" "$ZHIST" --db "$T/none.db" report
expect 2 "a mistake of the profile" "$ZHIST" record "$T/none.yaml"
cat >"$T/long.yaml" <<'END'
zhist: 1
name: long
run: {iterations: 1000}
workloads: [{name: s, kind: file, size: 64KiB, block: 16KiB, phases: [write], time: 50ms}]
END
"$ZHIST" record "$T/long.yaml" --target "$S/a" --json >"$T/long" 2>"$T/err" &
pid=$!
n=0
while ! grep -q '"iteration"' "$T/long" && [ $n -lt 100 ]; do
    sleep 0.1
    n=$((n + 1))
done
expect 4 "refused: another run measures there" "$ZHIST" record "$T/p.yaml" --target "$S/a"
kill -INT $pid
wait $pid
is "interrupted is 130" $? 130
is "interrupted: the run says so" \
    "$(query "SELECT status FROM run ORDER BY id DESC LIMIT 1")" interrupted

# ---- where reports of users lie -----------------------------------------------------------------
sql='SELECT 1 AS one'
there() { # NAME yes|no CMD...
    name=$1 wanted=$2
    shift 2
    run "$@"
    found=no
    [ "$code" -eq 0 ] && found=yes
    is "$name" "$found" "$wanted"
}
mkdir -p "$T/env" "$T/reports" "$T/xdg/zhist/reports" "$T/home/.local/share/zhist/reports" "$T/cwd/reports"
echo "$sql" >"$T/env/mine.sql"
there "\$ZHIST_REPORTS" yes env ZHIST_REPORTS="$T/env" "$ZHIST" report mine
echo "$sql" >"$T/reports/beside.sql"
there "reports/ beside the history" yes "$ZHIST" report beside
there "\$ZHIST_REPORTS alone counts" no env ZHIST_REPORTS="$T/env" "$ZHIST" report beside
echo "$sql" >"$T/xdg/zhist/reports/data.sql"
there "\$XDG_DATA_HOME/zhist/reports" yes env XDG_DATA_HOME="$T/xdg" "$ZHIST" report data
echo "$sql" >"$T/home/.local/share/zhist/reports/homely.sql"
there "the data folder of a home" yes "$ZHIST" report homely
echo "$sql" >"$T/cwd/here.sql"
echo "$sql" >"$T/cwd/reports/here.sql"
there "never the current directory" no sh -c "cd '$T/cwd' && \"\$ZHIST\" report here"
there "never a path" no "$ZHIST" report ../cwd/here
expect 0 "show reports" "$ZHIST" show reports
says "show reports: those of the user are marked" out "beside" "(yours)" "trend" "compare"
finish
