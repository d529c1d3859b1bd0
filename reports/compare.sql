-- title: COMPARE
-- about: two groups of runs or targets with intervals and a verdict
-- param: since time -- from then on (default: 90 days or the last 20 runs, whichever is longer)
-- param: until time -- up to then
-- param: host text -- only this host
-- param: target text -- only this target
-- param: workload text -- only this workload
-- param: where list -- only runs where these facts had these values
-- param: label list -- only runs with these labels
-- param: run text -- only this run
-- param: metric text -- this metric or all (default: the headline of each phase)
-- param: disturbed flag = 0 -- iterations touched from outside count too
-- param: by text -- target, host, run, label:KEY, or a fact (default: target, else the newest event)
-- param: baseline text -- the value the others are compared with (default: the first target, else the older)
-- param: mask flag = 0 -- host-1 and target-1 instead of names, no serials and servers
-- group: heading
-- column: heading show=table
-- column: label show=table head=""
-- column: shown_a show=table head=@head_a unit=@unit align=right
-- column: shown_b show=table head=@head_b unit=@unit align=right keep=yes
-- column: shown_change show=table head=change align=right keep=yes
-- column: shown_interval show=table head="95 % interval" align=right keep=yes
-- column: shown_verdict show=table head="" keep=yes
-- column: head_a show=never
-- column: head_b show=never
-- column: summary show=never
-- column: host show=no
-- column: target show=no
-- column: workload show=v
-- column: phase show=no
-- column: metric show=v
-- column: unit show=no
-- column: by show=no
-- column: a show=no
-- column: b show=no
-- column: class_a show=no
-- column: class_b show=no
-- column: direct_a show=no
-- column: direct_b show=no
-- column: runs_a show=v align=right
-- column: runs_b show=v align=right
-- column: n_of show=v
-- column: n_a show=v align=right
-- column: n_b show=v align=right
-- column: mean_a show=no unit=@unit
-- column: sd_a show=no unit=@unit
-- column: mean_b show=no unit=@unit
-- column: sd_b show=no unit=@unit
-- column: diff show=no unit=@unit
-- column: diff_low show=no unit=@unit
-- column: diff_high show=no unit=@unit
-- column: diff_pct_low show=no unit=%
-- column: diff_pct_high show=no unit=%
-- column: change_pct show=no unit=%
-- column: change_low_pct show=no unit=%
-- column: change_high_pct show=no unit=%
-- column: paired_low_pct show=no unit=%
-- column: paired_high_pct show=no unit=%
-- column: hl_pct show=no unit=%
-- column: p show=no
-- column: p_adj show=v align=right
-- column: mde_pct show=no unit=%
-- column: more_runs show=no
-- column: left_out show=v align=right
-- column: verdict show=no
-- column: also_differs show=no
-- sentence: sentence
--
-- One row a metric and a pair of groups. a is the baseline. The interval is that of the ratio b / a:
-- paired by block where both were measured in the same interleaved runs, else Welch's over run
-- medians; p_adj is Holm's over the headline rows. hl_pct, mde_pct and more_runs are not filled yet.
--
-- Written as one chain, each step read once (series twice): SQLite parses a step anew for every
-- place that names it.
WITH headline AS MATERIALIZED (
    SELECT * FROM v_headline
), event AS MATERIALIZED (
    -- settings that moved between consecutive runs of a target: one event a step, a bundle is one;
    -- name and values are those of its first row, text tells up to three of them
    SELECT target_id, run_id, min(k), name, from_value, to_value, count(*) AS n,
           group_concat(event_text(name, from_value, to_value), ', ') FILTER (WHERE k <= 3)
           || CASE WHEN count(*) > 3 THEN ' and ' || (count(*) - 3) || ' more' ELSE '' END AS text
    FROM (SELECT target_id, run_id, name,
                 CASE WHEN secret THEN 'one' ELSE from_value END AS from_value,
                 CASE WHEN secret THEN 'another' ELSE to_value END AS to_value,
                 row_number() OVER (PARTITION BY target_id, run_id
                                    ORDER BY name NOT LIKE 'system.%', name) AS k
          FROM (SELECT *, :mask AND (name LIKE '%.server' OR name LIKE '%serial%'
                                     OR name LIKE '%guid') AS secret FROM v_event)
          WHERE NOT follows)
    GROUP BY target_id, run_id
), scope AS (
    -- every run of every series that may take part, with its value and the event it begins with
    SELECT ro.workload_id, ro.phase, ro.class, ro.direct_effect AS direct, ro.origin, ro.metric_id,
           ro.run_id, ro.target_id AS own_target, r.started_at, ro.median, ro.n_left_out,
           m.name = hl.metric AS headline, e.n AS event_n,
           dense_rank() OVER (PARTITION BY ro.target_id
                              ORDER BY r.started_at DESC, r.id DESC) AS back
    -- along the primary key of rollup, which SQLite would not choose by itself
    FROM v_target AS t
    CROSS JOIN headline AS hl
    CROSS JOIN rollup AS ro ON ro.target_id = t.target_id AND ro.workload_id = hl.workload_id
                           AND ro.phase = hl.phase
    CROSS JOIN metric AS m ON m.id = ro.metric_id
    CROSS JOIN run AS r ON r.id = ro.run_id
    CROSS JOIN workload AS w ON w.id = ro.workload_id
    LEFT JOIN event AS e ON e.run_id = ro.run_id AND e.target_id = ro.target_id
    WHERE ro.everything = :disturbed AND ro.n > 0 AND r.excluded IS NULL
      AND ro.origin <> 'imported'
      AND (:metric = 'all' OR m.name = ifnull(:metric, hl.metric))
      AND (:host IS NULL OR t.host = :host)
      AND (:target IS NULL OR t.target = :target)
      AND (:workload IS NULL OR w.name = :workload)
      AND (:run IS NULL OR substr(r.uuid, 1, length(:run)) = :run)
      AND (:until IS NULL OR r.started_at <= :until)
      AND (:label IS NULL OR NOT EXISTS (
               SELECT 1 FROM json_each(:label) AS l
               WHERE NOT EXISTS (SELECT 1 FROM label WHERE run_id = r.id
                                    AND key = l.value ->> 0 AND value = l.value ->> 1)))
      AND (:where IS NULL OR NOT EXISTS (
               SELECT 1 FROM json_each(:where) AS l
               WHERE NOT EXISTS (SELECT 1 FROM v_fact AS f
                                 WHERE f.run_id = r.id AND f.target_id IN (0, ro.target_id)
                                   AND l.value ->> 0 IN (f.name, f.key)
                                   AND f.value = l.value ->> 1)))
), windowed AS (
    SELECT s.*,
           CASE WHEN :since IS NOT NULL THEN started_at >= :since
                ELSE back <= 20 OR started_at >= :now - 90 * 86400000000000 END AS inside,
           min(own_target) OVER run <> max(own_target) OVER run AS several
    FROM scope AS s
    WINDOW run AS (PARTITION BY run_id)
), chosen AS (
    -- what is compared: as asked, else the targets of a run, else before and after the newest event
    SELECT w.*,
           CASE WHEN :by IS NOT NULL THEN :by
                WHEN max(inside AND several) OVER () THEN 'target'
                WHEN max(inside AND event_n > 0) OVER () THEN 'event' END AS mode,
           max(CASE WHEN inside AND event_n THEN started_at END) OVER target AS boundary
    FROM windowed AS w
    WINDOW target AS (PARTITION BY own_target)
), bounded AS (
    SELECT c.*,
           max(CASE WHEN event_n AND started_at < boundary THEN started_at END) OVER target
               AS previous,
           max(CASE WHEN started_at = boundary THEN run_id END) OVER target AS at_run
    FROM chosen AS c
    WINDOW target AS (PARTITION BY own_target)
), sided AS (
    -- the value of `mode` for each run and target; of an event at most 20 runs a side
    SELECT b.*, r.run_order, rt.position,
           CASE mode
           WHEN 'target' THEN t.target
           WHEN 'host' THEN t.host
           WHEN 'run' THEN substr(r.uuid, 1, 8)
           WHEN 'event' THEN CASE WHEN b.started_at < boundary THEN 'before' ELSE 'after' END
           ELSE CASE WHEN mode LIKE 'label:%'
                     THEN (SELECT value FROM label
                           WHERE run_id = b.run_id AND key = substr(b.mode, 7))
                     ELSE (SELECT distinct_texts(f.value) FROM v_fact AS f
                           WHERE f.run_id = b.run_id AND f.target_id IN (0, b.own_target)
                             AND b.mode IN (f.name, f.key)) END END AS side,
           CASE mode WHEN 'host' THEN '' ELSE t.host END AS key_host,
           CASE mode WHEN 'target' THEN '' ELSE t.target END AS key_target,
           dense_rank() OVER (PARTITION BY own_target, b.started_at < boundary
                              ORDER BY abs(b.started_at - boundary)) AS distance
    FROM bounded AS b
    JOIN run AS r ON r.id = b.run_id
    JOIN run_target AS rt ON rt.run_id = b.run_id AND rt.target_id = b.own_target
    JOIN v_target AS t ON t.target_id = b.own_target
    WHERE CASE mode WHEN 'event'
               THEN boundary IS NOT NULL AND (previous IS NULL OR b.started_at >= previous)
               ELSE inside END
), based AS (
    -- the baseline of each key: as asked, else the first target of the newest run, else the older;
    -- paired: both sides in one interleaved run; single: the only run of its series
    SELECT s.*,
           ifnull(:baseline,
                  CASE mode
                  WHEN 'target' THEN first_value(side) OVER (PARTITION BY key_host
                                                             ORDER BY run_id DESC, position)
                  WHEN 'event' THEN 'before'
                  ELSE first_value(side) OVER (PARTITION BY key_host, key_target
                                               ORDER BY started_at, run_id) END) AS base,
           run_order = 'interleaved' AND min(side) OVER one <> max(side) OVER one AS paired,
           min(run_id) OVER alike = max(run_id) OVER alike AS single,
           sum(n_left_out) OVER alike AS left_out
    FROM sided AS s
    WHERE side IS NOT NULL AND (mode <> 'event' OR distance <= 20)
    WINDOW one AS (PARTITION BY key_host, key_target, workload_id, phase, metric_id, origin, run_id),
           alike AS (PARTITION BY key_host, key_target, side, workload_id, phase, metric_id, origin,
                                  class, direct)
), series AS MATERIALIZED (
    -- observations of each series and side: iterations where blocks may pair or where it is the
    -- only run, else one value a run; bare columns are those of the newest run (one max() only!)
    SELECT b.key_host, b.key_target, b.side, b.base, b.mode, b.workload_id, b.phase, b.metric_id,
           b.class, b.direct, b.origin, b.headline, b.own_target, b.run_id, b.boundary,
           b.at_run,
           max(b.started_at) AS newest_at, sum(b.paired) > 0 AS paired, b.left_out,
           observations(b.run_id, ifnull(i.block, 0), ifnull(x.value, b.median)) AS seen,
           json_group_array(DISTINCT b.run_id) AS runs,
           json_group_array(DISTINCT b.own_target) AS targets
    FROM based AS b
    LEFT JOIN iteration AS i ON (b.paired OR b.single) AND i.run_id = b.run_id
          AND i.target_id = b.own_target AND i.workload_id = b.workload_id AND i.phase = b.phase
          AND NOT i.warmup AND i.status = 'ok'
          AND (b.class = 'partial' OR i.cache_class = b.class)
          AND (:disturbed OR NOT EXISTS (SELECT 1 FROM v_disturbed AS d WHERE d.iteration_id = i.id))
    LEFT JOIN sample AS x ON x.iteration_id = i.id AND x.metric_id = b.metric_id
    WHERE i.id IS NULL OR x.value IS NOT NULL
    GROUP BY b.key_host, b.key_target, b.side, b.workload_id, b.phase, b.metric_id, b.class,
             b.direct, b.origin
), pair AS (
    -- each series of another side with its like on the baseline, else with the newest unlike one
    SELECT b.*, a.side AS side_a, a.class AS class_a, a.direct AS direct_a, a.run_id AS run_a,
           a.own_target AS target_a, a.seen AS seen_a, a.runs AS runs_a, a.targets AS targets_a,
           a.left_out AS left_out_a,
           row_number() OVER (PARTITION BY b.key_host, b.key_target, b.side, b.workload_id, b.phase,
                                           b.metric_id, b.class, b.direct, b.origin
                              ORDER BY a.class = b.class AND a.direct = b.direct DESC,
                                       a.newest_at DESC) AS choice
    FROM series AS b
    JOIN series AS a ON a.key_host = b.key_host AND a.key_target = b.key_target
                    AND a.side = b.base AND a.workload_id = b.workload_id AND a.phase = b.phase
                    AND a.metric_id = b.metric_id AND a.origin = b.origin
    WHERE b.side <> b.base
), judged AS (
    SELECT p.*, m.name AS metric, m.unit, m.better, e.name AS at_name, e.from_value AS at_from,
           e.to_value AS at_to, e.n AS at_n, e.text AS at_text,
           compare(p.seen_a, p.seen, p.paired) AS c,
           ifnull((SELECT th.share FROM threshold AS th
                   JOIN run AS r ON r.profile_id = th.profile_id
                   WHERE r.id = p.run_id AND th.metric = m.name), 0.05) AS delta,
           CASE WHEN p.mode = 'event'
                 AND (p.class IN ('cold', 'cached') AND p.class_a IN ('cold', 'cached')
                      AND p.class <> p.class_a
                      OR p.direct IN ('yes', 'no') AND p.direct_a IN ('yes', 'no')
                      AND p.direct <> p.direct_a) THEN 'new meaning'
                WHEN p.class <> p.class_a THEN 'not comparable (cache class)'
                WHEN p.direct <> p.direct_a THEN 'not comparable (O_DIRECT)'
                WHEN (SELECT engine_effect FROM cell
                      WHERE run_id = p.run_id AND target_id = p.own_target
                        AND workload_id = p.workload_id AND phase = p.phase)
                     <> (SELECT engine_effect FROM cell
                         WHERE run_id = p.run_a AND target_id = p.target_a
                           AND workload_id = p.workload_id AND phase = p.phase)
                THEN 'not comparable (engine)' END AS reason
    FROM pair AS p
    JOIN metric AS m ON m.id = p.metric_id
    LEFT JOIN event AS e ON e.run_id = p.at_run AND e.target_id = p.own_target
    WHERE p.choice = 1
), tested AS (
    SELECT j.*, j.c ->> 'p' AS p,
           j.headline AND j.reason IS NULL AND j.c ->> 'p' IS NOT NULL AS counts
    FROM judged AS j
), placed AS (
    SELECT t.*, row_number() OVER (PARTITION BY counts ORDER BY p, workload_id, phase, side) AS k,
           sum(counts) OVER () AS n_tested
    FROM tested AS t
), final AS (
    -- Holm 1979: the k-th smallest of m p values times m - k + 1, never below an earlier one
    SELECT p.*,
           CASE WHEN counts THEN max(min(1.0, p * (n_tested - k + 1)))
                                 OVER (PARTITION BY counts ORDER BY k) END AS p_adj,
           (SELECT json_object('n', count(*), 'text', group_concat(d.text, ', '),
                               'few', group_concat(d.text, ', ') FILTER (WHERE d.k <= 3))
            FROM (SELECT row_number() OVER (ORDER BY name NOT LIKE 'system.%', name) AS k,
                         CASE WHEN :mask AND (name LIKE '%.server' OR name LIKE '%serial%'
                                              OR name LIKE '%guid') THEN name || ' one / another'
                              ELSE name || ' ' || ifnull(value_a, 'none') || ' / '
                                   || ifnull(value_b, 'none') END AS text
                  FROM (SELECT x.*, group_concat(plain, ' ') OVER () AS names
                        FROM (SELECT s.kind || '.' || CASE s.subject WHEN '' THEN ''
                                                      ELSE s.subject || '.' END || f.key AS name,
                                     s.kind || '.' || f.key AS plain, f.class, f.leader,
                                     distinct_texts(f.value) FILTER (WHERE NOT is_b) AS value_a,
                                     distinct_texts(f.value) FILTER (WHERE is_b) AS value_b
                              FROM (SELECT DISTINCT 0 AS is_b, rf.kind, rf.subject, rf.factset_id
                                    FROM run_factset AS rf
                                    WHERE rf.moment = 'before'
                                      AND rf.run_id IN (SELECT value FROM json_each(p.runs_a))
                                      AND (rf.target_id = 0 OR rf.target_id IN
                                           (SELECT value FROM json_each(p.targets_a)))
                                    UNION ALL
                                    SELECT DISTINCT 1, rf.kind, rf.subject, rf.factset_id
                                    FROM run_factset AS rf
                                    WHERE rf.moment = 'before'
                                      AND rf.run_id IN (SELECT value FROM json_each(p.runs))
                                      AND (rf.target_id = 0 OR rf.target_id IN
                                           (SELECT value FROM json_each(p.targets)))) AS s
                              JOIN fact AS f ON f.factset_id = s.factset_id
                              WHERE f.class IN ('setting', 'consequence')
                              GROUP BY s.kind, s.subject, f.key
                              HAVING value_a IS NOT value_b) AS x)
                  WHERE p.mode NOT IN (plain, substr(plain, instr(plain, '.') + 1))
                    AND (class = 'setting' OR leader IS NULL
                         OR instr(' ' || names || ' ', ' ' || leader || ' ') = 0)) AS d)
               AS also -- a consequence only where what it follows does not differ
    FROM placed AS p
), worded AS (
    SELECT f.*, l.label, upper(substr(l.label, 1, 1)) || substr(l.label, 2) AS name, hl.position,
           verdict(f.c, f.p_adj, f.delta, f.better, f.reason, f.headline) AS verdict,
           CASE WHEN :mask THEN 'host-' || t.host_id ELSE t.host END AS host,
           CASE WHEN f.key_target = '' THEN NULL WHEN :mask THEN 'target-' || t.canonical_id
                ELSE f.key_target END AS target,
           CASE f.mode WHEN 'event' THEN f.at_name ELSE f.mode END AS by,
           CASE WHEN f.mode = 'event' THEN ifnull(f.at_from, 'none') WHEN NOT :mask THEN f.side_a
                WHEN f.mode = 'target' THEN 'target-' || ta.canonical_id
                WHEN f.mode = 'host' THEN 'host-' || ta.host_id
                WHEN f.mode LIKE '%server' OR f.mode LIKE '%serial%' OR f.mode LIKE '%name'
                THEN 'one' ELSE f.side_a END AS a,
           CASE WHEN f.mode = 'event' THEN ifnull(f.at_to, 'none') WHEN NOT :mask THEN f.side
                WHEN f.mode = 'target' THEN 'target-' || t.canonical_id
                WHEN f.mode = 'host' THEN 'host-' || t.host_id
                WHEN f.mode LIKE '%server' OR f.mode LIKE '%serial%' OR f.mode LIKE '%name'
                THEN 'another' ELSE f.side END AS b,
           CASE WHEN f.mode IN ('target', 'host') THEN ''
                WHEN f.mode LIKE 'label:%' THEN substr(f.mode, 7) || ' '
                WHEN f.mode LIKE 'system.%' THEN substr(f.mode, 8) || ' '
                WHEN f.mode LIKE 'mount.option.%' THEN substr(f.mode, 14) || ' '
                ELSE f.mode || ' ' END AS what,
           f.also ->> 'text' AS also_differs, f.also ->> 'n' AS n_also, f.also ->> 'few' AS few,
           100 * ((f.c ->> 'ratio') - 1) AS change_pct,
           100 * ((f.c ->> 'ratio_low') - 1) AS change_low_pct,
           100 * ((f.c ->> 'ratio_high') - 1) AS change_high_pct,
           CASE WHEN f.c ->> 'mean_a' <> 0
                THEN 100 * (f.c ->> 'diff_low') / abs(f.c ->> 'mean_a') END AS diff_pct_low,
           CASE WHEN f.c ->> 'mean_a' <> 0
                THEN 100 * (f.c ->> 'diff_high') / abs(f.c ->> 'mean_a') END AS diff_pct_high
    FROM final AS f
    JOIN v_target AS t ON t.target_id = f.own_target
    JOIN v_target AS ta ON ta.target_id = f.target_a
    JOIN v_label AS l ON l.run_id = f.run_id AND l.target_id = f.own_target
                     AND l.workload_id = f.workload_id AND l.phase = f.phase
    JOIN headline AS hl ON hl.workload_id = f.workload_id AND hl.phase = f.phase
), told AS (
    -- the size of a change in words, where both ends of its interval lie on one side
    SELECT w.*,
           min(abs(ifnull(change_low_pct, diff_pct_low)),
               abs(ifnull(change_high_pct, diff_pct_high))) AS least,
           max(abs(ifnull(change_low_pct, diff_pct_low)),
               abs(ifnull(change_high_pct, diff_pct_high))) AS most
    FROM worded AS w
)
SELECT t.host || ifnull(', ' || t.target, '')
       || CASE t.mode
          WHEN 'event' THEN ': before and after ' || substr(local_date(t.boundary), 1, 10) || ', '
               || event_text(t.at_name, t.at_from, t.at_to)
               || CASE WHEN t.at_n > 1 THEN ' and ' || (t.at_n - 1) || ' more' ELSE '' END
          ELSE ': ' || t.by || ' ' || t.a || ' (baseline) with ' || t.b END
       || CASE WHEN :metric <> 'all' THEN ', ' || t.metric ELSE '' END AS heading,
       t.label || CASE :metric WHEN 'all' THEN ', ' || t.metric ELSE '' END AS label,
       CASE WHEN t.reason IS NULL THEN t.c ->> 'mean_a'
            ELSE '(' || human(t.c ->> 'mean_a', t.unit, :units) || ')' END AS shown_a,
       t.c ->> 'mean_b' AS shown_b,
       CASE WHEN t.reason IS NULL AND t.change_pct IS NOT NULL
            THEN printf('%+.1f %%', round(t.change_pct, 1) + 0.0) END AS shown_change,
       CASE WHEN t.reason IS NULL AND t.change_low_pct IS NOT NULL
            THEN printf('%+.1f .. %+.1f', round(t.change_low_pct, 1) + 0.0,
                        round(t.change_high_pct, 1) + 0.0) END AS shown_interval,
       CASE WHEN t.verdict IN ('slower', 'faster') THEN upper(t.verdict)
            ELSE substr(t.verdict, 1, instr(t.verdict || ' (', ' (') - 1) END AS shown_verdict,
       CASE t.mode WHEN 'event' THEN 'before' ELSE t.a END AS head_a,
       CASE t.mode WHEN 'event' THEN 'after' ELSE t.b END AS head_b,
       CASE t.mode
       WHEN 'event' THEN 'Since ' || substr(local_date(t.boundary), 1, 10) || ' ('
            || event_text(t.at_name, t.at_from, t.at_to)
            || CASE WHEN t.at_n > 1 THEN ' and ' || (t.at_n - 1) || ' more' ELSE '' END || ')'
       ELSE t.what || t.b || ' against ' || t.a END AS summary,
       t.host, t.target, w.name AS workload, t.phase, t.metric, t.unit, t.by, t.a, t.b,
       t.class_a, t.class AS class_b, t.direct_a, t.direct AS direct_b,
       t.c ->> 'runs_a' AS runs_a, t.c ->> 'runs_b' AS runs_b, t.c ->> 'n_of' AS n_of,
       t.c ->> 'n_a' AS n_a, t.c ->> 'n_b' AS n_b,
       t.c ->> 'mean_a' AS mean_a, t.c ->> 'sd_a' AS sd_a,
       t.c ->> 'mean_b' AS mean_b, t.c ->> 'sd_b' AS sd_b,
       t.c ->> 'diff' AS diff, t.c ->> 'diff_low' AS diff_low, t.c ->> 'diff_high' AS diff_high,
       t.diff_pct_low, t.diff_pct_high, t.change_pct, t.change_low_pct, t.change_high_pct,
       100 * ((t.c ->> 'paired_low') - 1) AS paired_low_pct,
       100 * ((t.c ->> 'paired_high') - 1) AS paired_high_pct,
       NULL AS hl_pct, t.p, t.p_adj, NULL AS mde_pct, NULL AS more_runs,
       t.left_out + t.left_out_a AS left_out, t.verdict, t.also_differs,
       CASE
       WHEN t.verdict IN ('slower', 'faster', 'changed', 'slower?', 'faster?', 'changed?')
       THEN t.name || ': '
            || CASE t.mode WHEN 'event' THEN '' ELSE t.what || t.b || ' is ' END
            || CASE WHEN t.least IS NULL THEN ''
                    WHEN printf('%.0f', t.least) = printf('%.0f', t.most)
                    THEN printf('%.0f %% ', t.least)
                    ELSE printf('%.0f to %.0f %% ', t.least, t.most) END
            || rtrim(t.verdict, '?')
            || CASE t.mode WHEN 'event' THEN ' since then' ELSE ' than ' || t.what || t.a END
            || CASE WHEN ifnull(t.p_adj, t.p) < 0.001 THEN ' (p < 0.001'
                    ELSE printf(' (p = %.3f', ifnull(t.p_adj, t.p)) END
            || CASE WHEN t.verdict LIKE '%?' THEN ', one run so far' ELSE '' END
            || CASE WHEN t.n_tested > 1 THEN ', ' || t.n_tested || ' rows tested together'
                    ELSE '' END
            || ').'
            || CASE WHEN t.mode = 'event' AND t.at_n > 1
                    THEN ' Several settings changed at once (' || t.at_text
                         || '): which of them is the cause cannot be told from these runs.'
                    WHEN t.mode <> 'event' AND t.n_also > 0
                    THEN CASE t.n_also WHEN 1 THEN ' This differs too: '
                                       ELSE ' These differ too: ' END
                         || replace(t.few, 'system.', '')
                         || CASE WHEN t.n_also > 3 THEN ' and ' || (t.n_also - 3) || ' more'
                                 ELSE '' END || '.'
                    ELSE '' END
       WHEN t.verdict = 'new meaning' AND t.class <> t.class_a
       THEN t.name || ': was '
            || CASE t.class_a WHEN 'cached' THEN 'served from memory' ELSE 'read from the disks' END
            || ', now comes from '
            || CASE t.class WHEN 'cached' THEN 'memory' ELSE 'the disks' END
            || ': the two numbers are not comparable.'
       WHEN t.verdict = 'new meaning'
       THEN t.name || ': O_DIRECT was '
            || CASE t.direct_a WHEN 'yes' THEN 'obeyed, now it is not'
                               ELSE 'not obeyed, now it is' END
            || ': the two numbers are not comparable.'
       WHEN t.verdict LIKE 'not comparable%'
       THEN t.name || ': ' || t.what || t.b || ' and ' || t.a || ' differ in '
            || CASE t.verdict
               WHEN 'not comparable (cache class)'
               THEN 'where the data came from (' || t.class || ' and ' || t.class_a || ')'
               WHEN 'not comparable (O_DIRECT)'
               THEN 'whether O_DIRECT was obeyed (' || t.direct || ' and ' || t.direct_a || ')'
               ELSE rtrim(substr(t.verdict, instr(t.verdict, '(') + 1), ')') END
            || ': the two numbers are not comparable.'
       WHEN t.verdict = 'undecided (one run each)'
       THEN 'One run each: these intervals tell how much iterations of one run differ, not how much '
            || 'runs do. Record both again for a verdict.'
       WHEN t.verdict = 'undecided (one run so far)'
       THEN 'Only one run on one side so far: more runs are needed for a verdict.'
       WHEN t.verdict LIKE 'same (%'
       THEN t.name || ': all values are equal; is the clock too coarse for it?'
       WHEN t.verdict LIKE 'insufficient%'
       THEN t.name || CASE WHEN t.verdict LIKE '%(%'
                           THEN ': the values of each side are all equal, so chance cannot be judged.'
                           ELSE ': too few values for a verdict.' END
       END AS sentence
FROM told AS t
JOIN workload AS w ON w.id = t.workload_id
ORDER BY t.host, ifnull(t.target, ''), t.side, t.workload_id, t.position, t.class, t.metric_id;
