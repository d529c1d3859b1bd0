-- title: COMPARE
-- about: two groups of runs or targets with intervals and a verdict
-- param: since time -- from then on (default: 90 days or the last 20 runs, whichever is longer)
-- param: until time -- up to then; of a day all of it
-- param: host text -- only this host
-- param: target text -- only this target
-- param: workload text -- only this workload
-- param: where list -- only runs where these facts had these values
-- param: label list -- only runs with these labels
-- param: run text -- only this run
-- param: metric text -- this metric or all (default: the headline of each phase)
-- param: disturbed flag = 0 -- iterations touched from outside count too
-- param: all flag = 0 -- runs that are left out too
-- param: by text -- target, host, run, label:KEY, or a fact (default: target, else the newest event)
-- param: baseline text -- the value the others are compared with (default: the first target, else the older)
-- param: mask flag = 0 -- host-1 and target-1 instead of names, no serials and servers
-- group: heading
-- column: heading show=table
-- column: label show=table head=""
-- column: shown_a show=table head=@head_a unit=@unit align=right keep=yes red=@doubt_a
-- column: shown_b show=table head=@head_b unit=@unit align=right red=@doubt_b
-- column: shown_change show=table head=change align=right keep=yes
-- column: shown_interval show=table head="95 % interval" align=right keep=long
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
-- column: bound_a show=v head="bound by"
-- column: bound_b show=v head="-> by"
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
-- column: sentence show=no
-- column: told show=never
-- sentence: told
-- column: context show=never
-- sentence: context
-- column: controls show=never
-- sentence: controls
-- column: doubt_a show=never
-- column: doubt_b show=never
-- column: doubt_told show=never
-- sentence: doubt_told
-- column: shape_told show=never
-- sentence: shape_told
-- column: footnote show=never
-- sentence: footnote
-- notes: report_notes
--
-- One row a metric and a pair of groups. a is the baseline. The interval is that of the ratio b / a:
-- paired by block where both were measured in the same interleaved runs, else Welch's over run
-- medians; p_adj is Holm's over the headline rows. hl_pct: Hodges-Lehmann's shift as a share of the
-- baseline's median. mde_pct: the smallest change these runs would have shown (power 0.8); more_runs:
-- how many more, for one that counts, on both sides, after an event behind it (of the 20 compared).
-- sentence: all that is said of the row; told, context, footnote are its parts as a table prints
-- them: told in one row for all that have the same to tell, the others where they differ.
-- Where over a third of a series' iterations in the window were disturbed, none is left out.
-- Marks, by the newest run of each side: * disturbed and counted, ! faster than the hardware can be,
-- ~ a finding of the shape. bound_a, bound_b: of those runs too.
--
-- Written as one chain, each step read once (series twice): SQLite parses a step anew for every
-- place that names it.
WITH RECURSIVE headline AS MATERIALIZED (
    SELECT * FROM v_headline
), led(name) AS (
    -- what follows the fact that is asked for, and it itself
    SELECT :by WHERE :by LIKE '%.%' AND :by NOT LIKE 'label:%'
    UNION
    SELECT s.kind || '.' || f.key
    FROM led
    JOIN fact AS f ON f.leader = led.name
    JOIN factset AS s ON s.id = f.factset_id
), others AS MATERIALIZED (
    -- each set of facts by its settings, but for those
    SELECT s.id AS factset_id,
           short_digest(group_concat(f.key || '=' || f.value, char(10))) AS settings
    FROM factset AS s
    JOIN fact AS f ON f.factset_id = s.id
    WHERE :by LIKE '%.%' AND :by NOT LIKE 'label:%' AND f.class IN ('setting', 'consequence')
      AND f.value IS NOT NULL AND s.kind || '.' || f.key NOT IN (SELECT name FROM led)
    GROUP BY s.id
), event AS MATERIALIZED (
    -- settings that moved between runs of a target: one event a step, a bundle is one; name and
    -- values are those of its first row, text tells up to three of them
    SELECT target_id, n AS place, min(k), started_at, name, told, from_value, to_value,
           count(*) AS many,
           group_concat(event_text(told, from_value, to_value, 40), ', ')
               FILTER (WHERE k <= 3 OR :verbose)
           || CASE WHEN count(*) > 3 AND NOT :verbose THEN ' and ' || (count(*) - 3) || ' more'
                   ELSE '' END AS text
    FROM (SELECT target_id, n, started_at,
                 CASE WHEN :mask THEN replace(told, ' [' || subject || ']', '') ELSE told END
                     AS told,
                 CASE WHEN :mask THEN replace(told, ' [' || subject || ']', '') ELSE name END
                     AS name,
                 CASE WHEN secret THEN 'one' ELSE from_value END AS from_value,
                 CASE WHEN secret THEN 'another' ELSE to_value END AS to_value,
                 row_number() OVER (PARTITION BY target_id, n
                                    ORDER BY rank, name) AS k
          FROM (SELECT *, :mask AND is_secret(kind || '.' || key) AS secret FROM v_event)
          WHERE NOT follows)
    GROUP BY target_id, n
), step AS MATERIALIZED (
    -- the runs of each target in their order, with the newest event up to then
    SELECT s.*, max(e.place) OVER one AS event, max(e.started_at) OVER one AS event_at
    FROM v_step AS s
    LEFT JOIN event AS e ON (e.target_id, e.place) = (s.target_id, s.n)
    WINDOW one AS (PARTITION BY s.target_id ORDER BY s.n)
), value AS MATERIALIZED (
    -- every run of every series that may take part; target_id: the canonical one; place: of the
    -- run among those of the target
    SELECT st.target_id, st.n AS place, st.started_at, st.event, st.event_at, ro.run_id,
           ro.target_id AS own_target, ro.workload_id, ro.phase, ro.class,
           ro.direct_effect AS direct, ro.origin, ro.metric_id, ro.n, ro.median, ro.n_left_out,
           m.name = hl.metric AS headline
    -- along the primary key of rollup, which SQLite would not choose by itself
    FROM v_target AS t
    CROSS JOIN headline AS hl
    CROSS JOIN rollup AS ro ON (ro.target_id, ro.workload_id, ro.phase)
                               = (t.target_id, hl.workload_id, hl.phase)
    CROSS JOIN metric AS m ON m.id = ro.metric_id
    CROSS JOIN run AS r ON r.id = ro.run_id
    CROSS JOIN workload AS w ON w.id = ro.workload_id
    JOIN step AS st ON (st.run_id, st.own_target) = (ro.run_id, ro.target_id)
    WHERE ro.everything = 0 AND ro.origin <> 'imported'
      AND (:metric = 'all' OR m.name = ifnull(:metric, hl.metric))
      AND ((:host IS NULL OR t.host = :host) AND (:target IS NULL OR t.target = :target)
           AND (:workload IS NULL OR w.name = :workload)
           AND (:run IS NULL OR substr(r.uuid, 1, length(:run)) = :run)
           AND (:until IS NULL OR r.started_at <= :until))
      AND (:label IS NULL OR NOT EXISTS (
               SELECT 1 FROM json_each(:label) AS l
               WHERE NOT EXISTS (SELECT 1 FROM label WHERE run_id = r.id
                                    AND key = l.value ->> 0 AND value = l.value ->> 1)))
      AND (:where IS NULL OR NOT EXISTS (
               SELECT 1 FROM json_each(:where) AS l
               WHERE NOT EXISTS (SELECT 1 FROM v_fact AS f
                                 WHERE f.run_id = r.id AND f.target_id IN (0, ro.target_id)
                                   AND f.kind = substr(l.value ->> 0, 1,
                                                       instr(l.value ->> 0, '.') - 1)
                                   AND f.key = substr(l.value ->> 0, instr(l.value ->> 0, '.') + 1)
                                   AND f.value IN (SELECT value FROM json_each(l.value)
                                                   WHERE key > 0))))
), seen AS MATERIALIZED (
    -- the runs of these, filters applied; inside: in the time that is asked for
    SELECT s.*, CASE WHEN :since IS NOT NULL THEN started_at >= :since
                     ELSE back <= 20 OR started_at >= :now - 90 * 86400000000000 END AS inside
    FROM (SELECT target_id, place, run_id, started_at, event, event_at, sum(n) AS n,
                 sum(n_left_out) AS n_left_out,
                 row_number() OVER (PARTITION BY target_id ORDER BY place DESC) AS back
          FROM value
          GROUP BY target_id, place) AS s
), windowed AS (
    -- runs with iterations that count; an event is in the time where the first run behind it is
    SELECT s.*, min(target_id) OVER run <> max(target_id) OVER run AS several,
           CASE WHEN :since IS NOT NULL THEN event_at >= :since
                ELSE max(back) OVER (PARTITION BY target_id, event) <= 20
                     OR event_at >= :now - 90 * 86400000000000 END AS event_inside
    FROM (SELECT *, sum(n_left_out * inside) OVER (PARTITION BY target_id)
                    / (1e-9 + sum((n + n_left_out) * inside) OVER (PARTITION BY target_id)) AS share
          FROM seen) AS s
    WHERE n > 0 OR :disturbed OR :all OR 3 * share > 1
    WINDOW run AS (PARTITION BY run_id)
), chosen AS (
    -- what is compared: as asked, else the targets of a run, else before and after the newest event
    SELECT w.*,
           CASE WHEN :by IS NOT NULL THEN :by
                WHEN max(inside AND several) OVER () THEN 'target'
                WHEN max(event_inside) OVER () THEN 'event' END AS mode,
           max(CASE WHEN event_inside THEN event END) OVER (PARTITION BY target_id) AS boundary
    FROM windowed AS w
), bounded AS MATERIALIZED (
    -- one row a target: its window, or its event and the one before that
    SELECT target_id, mode, boundary, min(CASE WHEN inside THEN place END) AS first_place,
           max(CASE WHEN place < boundary THEN event END) AS previous
    FROM chosen
    GROUP BY target_id
), labelled AS (
    -- the value of `mode` for each run and target; a fact is looked for by its kind and key
    SELECT b.mode, v.*, r.run_order, rt.position, t.host, t.target,
           CASE WHEN mode = 'target' THEN t.target
                WHEN mode = 'host' THEN t.host
                WHEN mode = 'run' THEN substr(r.uuid, 1, 8)
                WHEN mode = 'event' THEN iif(v.place < boundary, 'before', 'after')
                WHEN mode LIKE 'label:%'
                THEN (SELECT value FROM label WHERE (run_id, key) = (v.run_id, substr(b.mode, 7)))
                ELSE (SELECT distinct_texts(f.value) FROM v_fact AS f
                      WHERE f.run_id = v.run_id AND f.target_id IN (0, v.own_target)
                        AND f.kind = substr(b.mode, 1, instr(b.mode, '.') - 1)
                        AND f.key = substr(b.mode, instr(b.mode, '.') + 1)) END AS side,
           dense_rank() OVER (PARTITION BY b.target_id, v.place < boundary
                              ORDER BY abs(v.place - boundary)) AS distance
    FROM value AS v
    JOIN bounded AS b ON b.target_id = v.target_id
    JOIN run AS r ON r.id = v.run_id
    JOIN run_target AS rt ON (rt.run_id, rt.target_id) = (v.run_id, v.own_target)
    JOIN v_target AS t ON t.target_id = v.own_target
    WHERE v.place >= iif(mode = 'event', iif(boundary, ifnull(previous, 0), NULL), first_place)
), varied AS (
    -- a fact that a target has (not its host) and that never changed there
    SELECT l.*, substr(mode, 1, instr(mode, '.')) IN ('dataset.', 'pool.', 'disk.', 'mount.')
                AND min(side) OVER one = max(side) OVER one AS still
    FROM labelled AS l
    WINDOW one AS (PARTITION BY target_id)
), sided AS (
    -- where it changed in no target of a host, targets that differ in it are compared
    SELECT v.*, CASE mode WHEN 'host' THEN '' ELSE host END AS key_host,
           CASE WHEN mode = 'target' OR min(ifnull(still, 1)) OVER (PARTITION BY host) THEN ''
                ELSE target END AS key_target
    FROM varied AS v
), apart AS (
    -- stratum: all other settings of the run and target
    SELECT s.*, CASE WHEN :by LIKE '%.%' AND :by NOT LIKE 'label:%'
                     THEN (SELECT short_digest(group_concat(one, char(10)))
                           FROM (SELECT rf.kind || ' ' || rf.subject || ' ' || o.settings AS one
                                 FROM run_factset AS rf
                                 JOIN others AS o ON o.factset_id = rf.factset_id
                                 WHERE rf.run_id = s.run_id AND rf.moment = 'before'
                                   AND rf.target_id IN (0, s.own_target)
                                 ORDER BY 1)) END AS stratum
    FROM sided AS s
    WHERE side IS NOT NULL
), counted AS (
    SELECT a.*, dense_rank() OVER (PARTITION BY key_host, key_target, stratum ORDER BY side)
                + dense_rank() OVER (PARTITION BY key_host, key_target, stratum ORDER BY side DESC)
                  - 1 AS sides_here,
           dense_rank() OVER (PARTITION BY key_host, key_target ORDER BY side)
           + dense_rank() OVER (PARTITION BY key_host, key_target ORDER BY side DESC) - 1 AS sides,
           count(*) OVER (PARTITION BY key_host, key_target, stratum) AS here
    FROM apart AS a
), stratified AS (
    -- where one stratum has every side, only its runs are compared: the largest, else the newest
    SELECT c.*, first_value(stratum) OVER best AS best,
           first_value(sides_here) OVER best = sides AND sides > 1
           AND min(stratum) OVER one <> max(stratum) OVER one AS parted
    FROM counted AS c
    WINDOW best AS (PARTITION BY key_host, key_target
                    ORDER BY sides_here DESC, here DESC, started_at DESC),
           one AS (PARTITION BY key_host, key_target)
), weighed AS (
    -- spoilt: leaving out what was disturbed would leave out over a third; of an event at most 20
    -- runs a side
    SELECT s.*, 3 * sum(n_left_out) OVER one > sum(n + n_left_out) OVER one AS spoilt
    FROM stratified AS s
    WHERE (mode <> 'event' OR distance <= 20) AND (NOT ifnull(parted, 0) OR stratum = best)
    WINDOW one AS (PARTITION BY target_id, workload_id, phase, class, direct, origin, metric_id)
), kept AS (
    -- whole: what was disturbed counts; then dirty tells of how much, else left_out
    SELECT w.*, :disturbed OR :all OR spoilt AS whole,
           (SELECT count(*) FROM run_target AS rt WHERE rt.run_id = w.run_id) = 1 AS alone,
           sum(iif(:disturbed OR :all OR spoilt, 0, n_left_out)) OVER alike AS left_out,
           sum(iif(:disturbed OR :all OR spoilt, n_left_out, 0)) OVER alike AS dirty
    FROM weighed AS w
    WINDOW alike AS (PARTITION BY key_host, key_target, side, workload_id, phase, metric_id, origin,
                                  class, direct)
), based AS (
    -- the baseline of each key: as asked, else the first target of the newest run, of one with
    -- several where there is one, else the older;
    -- paired: both sides in one interleaved run; single: the only run of its series
    SELECT s.*, iif(e.n IS NULL, s.median, e.median) AS value,
           ifnull(:baseline,
                  CASE mode
                  WHEN 'target' THEN first_value(side) OVER (PARTITION BY key_host
                                                             ORDER BY alone, started_at DESC,
                                                                      s.run_id DESC, position)
                  WHEN 'event' THEN 'before'
                  ELSE first_value(side) OVER (PARTITION BY key_host, key_target
                                               ORDER BY started_at, s.run_id, position)
                  END) AS base,
           run_order = 'interleaved' AND min(side) OVER one <> max(side) OVER one AS paired,
           min(s.run_id) OVER alike = max(s.run_id) OVER alike AS single
    FROM kept AS s
    LEFT JOIN rollup AS e
           ON (e.target_id, e.workload_id, e.phase, e.class, e.direct_effect, e.origin,
               e.metric_id, e.run_id, e.everything)
              = (iif(s.n_left_out AND s.whole, s.own_target, NULL),
                 s.workload_id, s.phase, s.class, s.direct, s.origin, s.metric_id, s.run_id, 1)
    WHERE ifnull(e.n, s.n)
    WINDOW one AS (PARTITION BY key_host, key_target, s.workload_id, s.phase, s.metric_id,
                             s.origin, s.run_id),
           alike AS (PARTITION BY key_host, key_target, side, s.workload_id, s.phase,
                               s.metric_id, s.origin, s.class, direct)
), series AS MATERIALIZED (
    -- observations of each series and side: iterations where blocks may pair or where it is the
    -- only run, else one value a run; bare columns are those of the newest run (one max() only!)
    SELECT b.key_host, b.key_target, b.side, b.base, b.mode, b.workload_id, b.phase, b.metric_id,
           b.class, b.direct, b.origin, b.headline, b.target_id, b.own_target, b.run_id, b.event,
           b.event_at, b.parted,
           max(b.place) AS newest, sum(b.paired) > 0 AS paired, b.left_out, b.dirty, b.spoilt,
           observations(b.run_id, ifnull(i.block, 0), ifnull(x.value, b.value)) AS seen,
           json_group_array(DISTINCT b.run_id) AS runs,
           json_group_array(DISTINCT b.own_target) AS targets
    FROM based AS b
    LEFT JOIN iteration AS i
           ON (i.run_id, i.target_id, i.workload_id, i.phase, i.warmup, i.status)
              = (CASE WHEN b.paired OR b.single THEN b.run_id END, b.own_target, b.workload_id,
                 b.phase, 0, 'ok')
          AND (b.class = 'partial' OR i.cache_class = b.class)
          AND (b.whole OR NOT EXISTS (SELECT 1 FROM v_disturbed AS d WHERE d.iteration_id = i.id))
    LEFT JOIN sample AS x ON x.iteration_id = i.id AND x.metric_id = b.metric_id
    WHERE i.id IS NULL OR x.value IS NOT NULL
    GROUP BY b.key_host, b.key_target, b.side, b.workload_id, b.phase, b.metric_id, b.class,
             b.direct, b.origin
), pair AS (
    -- each series of another side with its like on the baseline, else with the newest unlike one
    SELECT b.*, a.side AS side_a, a.class AS class_a, a.direct AS direct_a, a.run_id AS run_a,
           a.own_target AS target_a, a.seen AS seen_a, a.runs AS runs_a, a.targets AS targets_a,
           a.left_out AS left_out_a, a.dirty AS dirty_a, a.spoilt AS spoilt_a,
           row_number() OVER (PARTITION BY b.key_host, b.key_target, b.side, b.workload_id, b.phase,
                                           b.metric_id, b.class, b.direct, b.origin
                              ORDER BY a.class = b.class AND a.direct = b.direct DESC,
                                       a.newest DESC) AS choice
    FROM series AS b
    JOIN series AS a
      ON (a.key_host, a.key_target, a.side, a.workload_id, a.phase, a.metric_id, a.origin)
         = (b.key_host, b.key_target, b.base, b.workload_id, b.phase, b.metric_id, b.origin)
    WHERE b.side <> b.base
), judged AS (
    SELECT p.*, m.name AS metric, m.unit, m.better, e.name AS at_name, e.told AS at_told,
           e.from_value AS at_from, e.to_value AS at_to, e.many AS at_n, e.text AS at_text,
           compare(p.seen_a, p.seen, p.paired) AS c,
           (SELECT bound_by FROM cell
            WHERE (run_id, target_id, workload_id, phase)
                  = (p.run_a, p.target_a, p.workload_id, p.phase)) AS bound_a,
           (SELECT bound_by FROM cell
            WHERE (run_id, target_id, workload_id, phase)
                  = (p.run_id, p.own_target, p.workload_id, p.phase)) AS bound_b,
           -- code, whether of b, the reason of a number that cannot be
           (SELECT json_group_array(json_array(code, run_id = p.run_id AND target_id = p.own_target,
                                               CASE WHEN instr(text, 'Likely reason: ')
                                                    THEN substr(text, instr(text, 'Likely reason: ')
                                                                      + 15) END))
            FROM finding
            WHERE run_id IN (p.run_a, p.run_id) AND workload_id = p.workload_id AND phase = p.phase
              AND ((run_id, target_id) = (p.run_a, p.target_a)
                   OR (run_id, target_id) = (p.run_id, p.own_target))
              AND (severity = 'shape' OR code = 'faster-than-hardware')) AS found,
           -- of throughput also that of throughput_durable, unless it has its own
           ifnull((SELECT th.share FROM threshold AS th
                   JOIN run AS r ON r.profile_id = th.profile_id
                   WHERE r.id = p.run_id AND m.name IN (th.metric, th.metric || '_durable')
                   ORDER BY th.metric DESC LIMIT 1), 0.05) AS delta,
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
                THEN 'not comparable (engine)'
                WHEN EXISTS (SELECT 1 FROM v_fact
                             WHERE run_id = p.run_id AND target_id = p.own_target
                               AND name = 'mount.backing' AND value = 'memory')
                     <> EXISTS (SELECT 1 FROM v_fact
                                WHERE run_id = p.run_a AND target_id = p.target_a
                                  AND name = 'mount.backing' AND value = 'memory')
                THEN 'not comparable (memory)' END AS reason
    FROM pair AS p
    JOIN metric AS m ON m.id = p.metric_id
    LEFT JOIN event AS e ON (e.target_id, e.place) = (p.target_id, p.event)
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
                               'few', group_concat(d.short, ', ')
                                          FILTER (WHERE d.k <= 3 OR :verbose))
            FROM (SELECT row_number() OVER (ORDER BY (SELECT min(weight) FROM v_weight
                                                      WHERE plain GLOB pattern), told) AS k,
                         CASE WHEN :mask AND is_secret(plain) THEN told || ' one / another'
                              ELSE printf('%s %s / %s', told,
                                          ifnull(fact_text(plain, value_a), 'none'),
                                          ifnull(fact_text(plain, value_b), 'none')) END AS text,
                         CASE WHEN :mask AND is_secret(plain) THEN told || ' one / another'
                              ELSE printf('%s %s / %s', told,
                                          ifnull(fact_short(plain, value_a, 40), 'none'),
                                          ifnull(fact_short(plain, value_b, 40), 'none')) END
                             AS short
                  FROM (SELECT x.class, x.leader, x.plain, x.value_a, x.value_b,
                               group_concat(plain, ' ') OVER () AS names,
                               CASE WHEN x.subject = '' THEN x.plain
                                    ELSE printf('%s %s%s%s %s', x.kind, ifnull(t.name, x.subject),
                                                ' (' || t.model || ')',
                                                CASE WHEN x.key = 'present' AND NOT :mask
                                                      AND x.subject <> t.name
                                                     THEN ' [' || x.subject || ']' END, x.key)
                                    END AS told
                        FROM (SELECT s.kind, s.subject, s.a_set,
                                     CASE WHEN s.one_side THEN 'present' ELSE f.key END AS key,
                                     s.kind || '.' || CASE WHEN s.one_side THEN 'present'
                                                           ELSE f.key END AS plain,
                                     f.leader, CASE WHEN s.one_side THEN 'setting'
                                                    ELSE f.class END AS class,
                                     CASE WHEN s.one_side THEN CASE WHEN s.is_b THEN 'no'
                                                                    ELSE 'yes' END
                                          ELSE nullif(
                                              ifnull(distinct_texts(f.value)
                                                     FILTER (WHERE NOT is_b), '')
                                              || CASE WHEN f.key LIKE 'option.%'
                                                       AND count(*) FILTER (WHERE NOT is_b)
                                                           BETWEEN 1 AND s.read_a - 1
                                                      THEN ' | none' ELSE '' END, '') END
                                         AS value_a,
                                     CASE WHEN s.one_side THEN CASE WHEN s.is_b THEN 'yes'
                                                                    ELSE 'no' END
                                          ELSE nullif(
                                              ifnull(distinct_texts(f.value)
                                                     FILTER (WHERE is_b), '')
                                              || CASE WHEN f.key LIKE 'option.%'
                                                       AND count(*) FILTER (WHERE is_b)
                                                           BETWEEN 1 AND s.read_b - 1
                                                      THEN ' | none' ELSE '' END, '') END
                                         AS value_b
                              -- one_side: a disk or pool that the other side, which saw some, has
                              -- not; read: sets of mount options that could be read
                              FROM (SELECT z.*, z.kind IN ('disk', 'pool')
                                                AND min(is_b) OVER one = max(is_b) OVER one
                                                AND min(is_b) OVER alike < max(is_b) OVER alike
                                                    AS one_side,
                                           z.kind NOT IN ('disk', 'pool')
                                           OR min(is_b) OVER one < max(is_b) OVER one
                                           OR min(is_b) OVER alike < max(is_b) OVER alike AS seen,
                                           max(factset_id) OVER one AS a_set,
                                           sum(read AND NOT is_b) OVER one AS read_a,
                                           sum(read AND is_b) OVER one AS read_b
                                    FROM (SELECT DISTINCT 0 AS is_b, rf.kind,
                                                 replace(rf.subject, 'declared', '') AS subject,
                                                 rf.subject = 'declared' AS declared, rf.factset_id,
                                                 rf.kind = 'mount' AND EXISTS
                                                 (SELECT 1 FROM fact
                                                  WHERE factset_id = rf.factset_id
                                                    AND key = 'fstype' AND value IS NOT NULL)
                                                     AS read
                                          FROM run_factset AS rf
                                          WHERE rf.moment = 'before'
                                            AND rf.run_id IN (SELECT value FROM json_each(p.runs_a))
                                            AND (rf.target_id = 0 OR rf.target_id IN
                                                 (SELECT value FROM json_each(p.targets_a)))
                                          UNION ALL
                                          SELECT DISTINCT 1, rf.kind,
                                                 replace(rf.subject, 'declared', ''),
                                                 rf.subject = 'declared', rf.factset_id,
                                                 rf.kind = 'mount' AND EXISTS
                                                 (SELECT 1 FROM fact
                                                  WHERE factset_id = rf.factset_id
                                                    AND key = 'fstype' AND value IS NOT NULL)
                                          FROM run_factset AS rf
                                          WHERE rf.moment = 'before'
                                            AND rf.run_id IN (SELECT value FROM json_each(p.runs))
                                            AND (rf.target_id = 0 OR rf.target_id IN
                                                 (SELECT value FROM json_each(p.targets)))) AS z
                                    WINDOW one AS (PARTITION BY kind, subject),
                                           alike AS (PARTITION BY kind)) AS s
                              JOIN fact AS f ON f.factset_id = s.factset_id
                              WHERE f.class IN ('setting', 'consequence') AND s.seen
                                -- what is declared counts where nothing was found out, as in v_fact
                                AND NOT (s.subject = '' AND (s.declared OR f.value IS NULL) AND EXISTS (
                                    SELECT 1
                                    FROM run_factset AS q
                                    JOIN fact AS g ON g.factset_id = q.factset_id
                                                  AND g.key = f.key AND g.value IS NOT NULL
                                    WHERE q.moment = 'before' AND q.kind = s.kind
                                      AND q.subject = iif(s.declared, '', 'declared')
                                      AND q.run_id IN (SELECT value FROM json_each(
                                                           iif(s.is_b, p.runs, p.runs_a)))
                                      AND q.target_id IN (SELECT value FROM json_each(
                                                              iif(s.is_b, p.targets, p.targets_a)))))
                              GROUP BY s.kind, s.subject,
                                       CASE WHEN s.one_side THEN 'present' ELSE f.key END
                              HAVING value_a <> value_b
                                  OR s.kind = 'mount' AND f.key LIKE 'option.%'
                                     AND s.read_a AND s.read_b AND value_a IS NOT value_b) AS x
                        JOIN v_thing AS t ON t.factset_id = x.a_set)
                  WHERE p.mode <> plain
                    -- what is compared by is no other difference
                    AND (p.mode <> 'event' OR plain IS NOT p.at_name)
                    -- nor is a program that none of these runs used
                    AND NOT EXISTS (SELECT 1 FROM v_weight AS u
                                    WHERE u.used_by IS NOT NULL AND plain GLOB u.pattern
                                      AND u.used_by <> (SELECT kind FROM workload
                                                        WHERE id = p.workload_id)
                                      AND NOT EXISTS (SELECT 1 FROM run_target
                                                      WHERE run_id = p.run_id
                                                        AND target_id = p.own_target
                                                        AND fstype = u.used_by))
                    -- a consequence only where nothing that it follows differs
                    AND (class = 'setting' OR leader IS NULL OR NOT EXISTS (
                         WITH RECURSIVE above(name) AS (
                             SELECT leader
                             UNION
                             SELECT f.leader
                             FROM above
                             JOIN v_fact AS f
                               ON f.run_id = p.run_id AND f.target_id = 0 AND f.kind = 'system'
                              AND f.key = substr(above.name, length('system.') + 1)
                             WHERE f.leader IS NOT NULL)
                         SELECT 1 FROM above
                         WHERE instr(' ' || names || ' ', ' ' || name || ' ')))) AS d) AS also
    FROM placed AS p
), named AS (
    -- where two workloads would have one label, each has its name too
    SELECT f.*, hl.position, w.name AS workload,
           l.label || CASE WHEN min(f.workload_id) OVER alike = max(f.workload_id) OVER alike
                           THEN ''
                           WHEN min(w.name) OVER alike = max(w.name) OVER alike
                           THEN ', ' || w.name || ' ' || substr(w.digest, 1, 4)
                           ELSE ', ' || w.name END AS label
    FROM final AS f
    JOIN workload AS w ON w.id = f.workload_id
    JOIN headline AS hl ON (hl.workload_id, hl.phase) = (f.workload_id, f.phase)
    JOIN v_label AS l ON (l.run_id, l.target_id, l.workload_id, l.phase)
                         = (f.run_id, f.own_target, f.workload_id, f.phase)
    WINDOW alike AS (PARTITION BY f.key_host, f.key_target, f.side, l.label)
), worded AS (
    SELECT f.*, upper(substr(f.label, 1, 1)) || substr(f.label, 2) AS name,
           verdict(f.c, f.p_adj, f.delta, f.better, f.reason, f.headline) AS verdict,
           CAST(more_runs(f.c, f.delta, f.mode = 'event') AS INTEGER) AS needed,
           CASE WHEN :mask THEN 'host-' || t.host_id ELSE t.host END AS host,
           CASE WHEN f.key_target = '' THEN NULL WHEN :mask THEN 'target-' || t.canonical_id
                ELSE f.key_target END AS target,
           CASE f.mode WHEN 'event' THEN f.at_name ELSE f.mode END AS by,
           CASE WHEN f.mode = 'event' THEN ifnull(f.at_from, 'none') WHEN NOT :mask THEN f.side_a
                WHEN f.mode = 'target' THEN 'target-' || ta.canonical_id
                WHEN f.mode = 'host' THEN 'host-' || ta.host_id
                WHEN is_secret(f.mode) THEN 'one' ELSE f.side_a END AS a,
           CASE WHEN f.mode = 'event' THEN ifnull(f.at_to, 'none') WHEN NOT :mask THEN f.side
                WHEN f.mode = 'target' THEN 'target-' || t.canonical_id
                WHEN f.mode = 'host' THEN 'host-' || t.host_id
                WHEN is_secret(f.mode) THEN 'another' ELSE f.side END AS b,
           CASE WHEN f.mode IN ('target', 'host') THEN ''
                WHEN f.mode LIKE 'label:%' THEN substr(f.mode, 7) || ' '
                WHEN f.mode LIKE 'system.%' OR f.mode LIKE 'module.%' THEN substr(f.mode, 8) || ' '
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
    FROM named AS f
    JOIN v_target AS t ON t.target_id = f.own_target
    JOIN v_target AS ta ON ta.target_id = f.target_a
), sized AS (
    -- the size of a change in words, where both ends of its interval lie on one side
    SELECT w.*, CASE WHEN verdict LIKE 'undecided%' AND (mode <> 'event' OR needed + (c ->> 'n_b') <= 20)
                     THEN needed END AS more_runs,
           fact_short(mode, a, 60) AS say_a, fact_short(mode, b, 60) AS say_b,
           fact_short(mode, a, 24) AS brief_a, fact_short(mode, b, 24) AS brief_b,
           CASE WHEN at_n > 1 AND NOT :verbose
                THEN printf('%s and %d more', event_text(at_told, at_from, at_to, 40), at_n - 1)
                ELSE at_text END AS at_short,
           ifnull(change_low_pct, diff_pct_low) AS low_pct,
           min(abs(ifnull(change_low_pct, diff_pct_low)),
               abs(ifnull(change_high_pct, diff_pct_high))) AS least,
           max(abs(ifnull(change_low_pct, diff_pct_low)),
               abs(ifnull(change_high_pct, diff_pct_high))) AS most,
           min(host || ifnull(', ' || target, '')) OVER ()
           <> max(host || ifnull(', ' || target, '')) OVER () AS several,
           verdict IN ('slower', 'faster', 'changed', 'slower?', 'faster?', 'changed?') AS moved
    FROM worded AS w
), pace(bound, words) AS (
    VALUES ('disk', 'the disks'), ('cpu', 'the CPUs'), ('network', 'the network'),
           ('generator', 'the making of the data'), ('latency', 'the time of one request'),
           ('flush', 'the flush')
), reasoned AS (
    -- whose: where labels alone do not tell the rows apart
    SELECT t.*,
       (SELECT max(value ->> 0 = 'faster-than-hardware' AND NOT value ->> 1)
        FROM json_each(t.found)) AS doubt_a,
       (SELECT max(value ->> 0 = 'faster-than-hardware' AND value ->> 1)
        FROM json_each(t.found)) AS doubt_b,
       (SELECT max(value ->> 2) FROM json_each(t.found)) AS doubt_why,
       (SELECT replace(group_concat(DISTINCT value ->> 0), ',', ', ') FROM json_each(t.found)
        WHERE value ->> 0 <> 'faster-than-hardware' AND NOT value ->> 1) AS shapes_a,
       (SELECT replace(group_concat(DISTINCT value ->> 0), ',', ', ') FROM json_each(t.found)
        WHERE value ->> 0 <> 'faster-than-hardware' AND value ->> 1) AS shapes_b,
       name || CASE WHEN t.several AND t.target IS NOT NULL
                    THEN printf(' (%s, %s)', t.host, t.target)
                    WHEN t.several THEN printf(' (%s)', t.host) ELSE '' END
            || CASE WHEN t.sides > 1 AND NOT ifnull(t.moved, 0) AND t.verdict NOT LIKE 'not%'
                    THEN printf(' (%s)', t.say_b) ELSE '' END AS whose,
       CASE
       WHEN t.moved
       THEN printf('%s%s%s%s (p %s%s%s).',
                   CASE WHEN t.mode <> 'event' THEN t.what || t.say_b || ' is ' END,
                   CASE WHEN t.least > 1000 THEN 'more than 10 times '
                        WHEN t.most > 1000 THEN printf('%.0f %% to more than 10 times ', t.least)
                        WHEN printf('%.0f', t.least) = printf('%.0f', t.most)
                        THEN printf('%.0f %% ', t.least)
                        WHEN t.least IS NOT NULL
                        THEN printf('%.0f to %.0f %% ', t.least, t.most) END,
                   rtrim(t.verdict, '?'),
                   iif(t.mode = 'event', ' since then', ' than ' || t.what || t.say_a),
                   CASE WHEN ifnull(t.p_adj, t.p) < 0.001 THEN '< 0.001'
                        ELSE printf('= %.3f', ifnull(t.p_adj, t.p)) END,
                   CASE WHEN t.verdict LIKE '%?' THEN ', one run so far' END,
                   CASE WHEN t.n_tested > 1
                        THEN printf(', %d rows tested together', t.n_tested) END)
       WHEN t.verdict = 'new meaning' AND t.class <> t.class_a
       THEN printf('was %s, now comes from %s: the two numbers are not comparable.',
                   iif(t.class_a = 'cached', 'served from memory', 'read from the disks'),
                   iif(t.class = 'cached', 'memory', 'the disks'))
       WHEN t.verdict = 'new meaning'
       THEN printf('O_DIRECT was %s: the two numbers are not comparable.',
                   iif(t.direct_a = 'yes', 'obeyed, now it is not', 'not obeyed, now it is'))
       WHEN t.verdict LIKE 'not comparable%'
       THEN printf('%s%s and %s differ in %s: the two numbers are not comparable.',
                   t.what, t.say_b, t.say_a,
                   CASE t.verdict
                   WHEN 'not comparable (cache class)'
                   THEN printf('where the data came from (%s and %s)', t.class, t.class_a)
                   WHEN 'not comparable (O_DIRECT)'
                   THEN printf('whether O_DIRECT was obeyed (%s and %s)', t.direct, t.direct_a)
                   WHEN 'not comparable (memory)' THEN 'whether they lie in memory'
                   ELSE rtrim(substr(t.verdict, instr(t.verdict, '(') + 1), ')') END)
       WHEN t.verdict = 'undecided (one run each)'
       THEN 'one run each: these intervals tell how much iterations of one run differ, not how much '
            || 'runs do. Record both again for a verdict.'
       WHEN t.verdict = 'undecided (one run so far)'
       THEN 'only one run on one side so far: more runs are needed for a verdict.'
       -- the difference alone is beyond chance, among so many it is not
       WHEN t.verdict = 'undecided' AND t.p <= 0.05 AND t.p_adj > 0.05
       THEN printf('with %d comparisons in this table, chance alone explains this difference '
                   || '(p %.3f, corrected %.2f); more %s would decide.', t.n_tested, t.p, t.p_adj,
                   t.more)
       WHEN t.verdict = 'undecided (outliers)'
       THEN printf('%d of the values %s far from the others: with %s the means say one thing, the '
                   || 'order of the values another; more %s would decide.', t.c ->> 'outliers',
                   iif(t.c ->> 'outliers' = 1, 'is', 'are'),
                   iif(t.c ->> 'outliers' = 1, 'it', 'them'), t.more)
       WHEN t.verdict LIKE 'undecided%' AND t.low_pct IS NOT NULL AND t.more_runs IS NULL
            AND t.mode = 'event' AND t.c ->> 'mde'
       THEN printf('the interval holds both no change and one that would count (%g %% or more); these '
                   || 'runs show one of %.1f %% or more.', 100 * t.delta, 100 * (t.c ->> 'mde'))
       WHEN t.verdict LIKE 'undecided%' AND t.low_pct IS NOT NULL
       THEN printf('the interval holds both no change and one that would count (%g %% or more); %s '
                   || '%s would decide.', 100 * t.delta,
                   -- told in round numbers: rows alike are told once
                   ifnull('about ' || CASE WHEN t.more_runs < 10 THEN t.more_runs
                                           WHEN t.more_runs < 100 THEN (t.more_runs + 9) / 10 * 10
                                           ELSE (t.more_runs + 99) / 100 * 100 END || ' more',
                          'more'),
                   CASE WHEN t.more_runs = 1 THEN replace(t.more, 's', '') ELSE t.more END
                   || CASE WHEN t.more_runs AND t.mode LIKE '%.%' THEN ' on each side' ELSE '' END)
       WHEN t.verdict LIKE 'undecided%'
       THEN printf('these values are too few or too uneven for a verdict; more %s would decide.',
                   t.more)
       WHEN t.verdict LIKE 'same (%'
       THEN 'all values are equal; is the clock too coarse for it?'
       WHEN t.verdict LIKE 'insufficient (%'
       THEN 'the values of each side are all equal, so chance cannot be judged.'
       WHEN t.verdict LIKE 'insufficient%' THEN 'too few values for a verdict.' END || ifnull(t.bound_told, '') AS tail,
       CASE
       WHEN NOT t.moved OR t.moved IS NULL THEN NULL
       WHEN t.mode = 'event' AND t.at_n > 1
       THEN printf('Several settings changed at once%s (%s): which of them is the cause cannot be '
                   || 'told from these runs.', iif(t.several, ' on ' || t.host
                                                              || ifnull(', ' || t.target, ''), ''),
                   t.at_text)
       WHEN t.n_also > 0
       THEN printf('%s%s differ%s too: %s%s.',
                   CASE WHEN t.sides > 1 OR t.several
                        THEN printf('%s%s%s against %s: ',
                                    CASE WHEN t.several
                                         THEN t.host || ifnull(', ' || t.target, '') || ', ' END,
                                    t.what, t.say_b, t.say_a) END,
                   iif(t.n_also = 1, 'This', 'These'), iif(t.n_also = 1, 's', ''),
                   replace(t.few, 'system.', ''),
                   CASE WHEN NOT :verbose
                        THEN ' and ' || nullif(max(t.n_also - 3, 0), 0) || ' more' END)
            || CASE WHEN t.mode LIKE '%.%' OR t.n_also > 1
                    THEN ' The change is given to none of them alone.' ELSE '' END
       WHEN t.parted
       THEN 'Only runs that are alike in all other settings are compared here.'
       END AS context,
       CASE WHEN :disturbed OR :all
            THEN CASE WHEN t.dirty + t.dirty_a > 0
                      THEN '* Iterations that were disturbed count here.' END
            WHEN t.spoilt OR t.spoilt_a
            THEN '* Over a third of these iterations were disturbed, so none is left out.' END
           AS footnote
    FROM (SELECT s.*, dense_rank() OVER (ORDER BY side) + dense_rank() OVER (ORDER BY side DESC) - 1
                          AS sides,
                 iif(c ->> 'n_of' = 'blocks' AND c ->> 'runs_a' = 1, 'iterations or runs', 'runs')
                     AS more,
                 -- where another thing sets the pace now, that may be the reason
                 CASE WHEN bound_a <> bound_b AND (moved OR verdict LIKE 'undecided%')
                       AND 'unknown' NOT IN (bound_a, bound_b)
                      THEN CASE WHEN mode = 'event'
                                THEN printf(' Bound by %s before, by %s now.', pace_a, pace_b)
                                ELSE printf(' %s%s is bound by %s, %s by %s.', what, say_a, pace_a,
                                            say_b, pace_b) END END AS bound_told
          FROM (SELECT s.*, ifnull((SELECT words FROM pace WHERE bound = bound_a), bound_a) AS pace_a,
                       ifnull((SELECT words FROM pace WHERE bound = bound_b), bound_b) AS pace_b
                FROM sized AS s) AS s) AS t
), grouped AS (
    -- of those under one heading, the one with the most runs asks for the controls
    SELECT r.*, row_number() OVER one AS nth, count(*) OVER () AS n_rows,
           row_number() OVER (PARTITION BY host, target, side
                              ORDER BY json_array_length(runs) + json_array_length(runs_a) DESC,
                                       workload_id, position, class, metric_id) = 1
           AND c ->> 'n_of' <> 'blocks' AND (mode = 'event' OR mode LIKE '%.%') AS asks,
           max(ifnull(moved, 0)) OVER (PARTITION BY host, target, side) AS any_moved
    FROM reasoned AS r
    WINDOW one AS (PARTITION BY tail ORDER BY host, ifnull(target, ''), side, workload_id, position,
                                              class, metric_id)
), told AS (
    -- what several rows have to tell is told once, in the first of them
    SELECT g.*, count(*) OVER whole AS alike,
           group_concat(whose, '; ') FILTER (WHERE nth <= 3) OVER whole
           || CASE WHEN count(*) OVER whole > 3
                   THEN printf(' and %d more', count(*) OVER whole - 3) ELSE '' END AS names
    FROM grouped AS g
    WINDOW whole AS (PARTITION BY tail ORDER BY nth
                     ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
SELECT printf('%s%s: %s%s', t.host, ', ' || t.target,
              CASE t.mode
              WHEN 'event' THEN printf('before and after %s, %s', substr(local_date(t.event_at), 1, 10),
                                       t.at_short)
              ELSE printf('%s %s (baseline) with %s', t.by, t.say_a, t.say_b) END,
              CASE WHEN :metric <> 'all' THEN ', ' || t.metric END) AS heading,
       t.label || CASE :metric WHEN 'all' THEN ', ' || t.metric ELSE '' END AS label,
       CASE WHEN t.reason IS NULL THEN t.c ->> 'mean_a'
            ELSE '(' || human(t.c ->> 'mean_a', t.unit, :units) || ')' END AS shown_a,
       t.c ->> 'mean_b' AS shown_b,
       CASE WHEN t.reason IS NULL AND t.change_pct IS NOT NULL
            THEN CASE WHEN t.change_pct >= 1000 THEN printf('%.0fx', 1 + t.change_pct / 100)
                      ELSE printf('%+.1f %%', round(t.change_pct, 1) + 0.0) END END AS shown_change,
       -- what is far off is not told to the last digit
       CASE WHEN t.reason IS NULL AND t.change_low_pct IS NOT NULL
            THEN printf('%s .. %s',
                        CASE WHEN t.change_low_pct >= 1000 THEN '>10x'
                             WHEN t.change_low_pct < -100 THEN '< -100'
                             ELSE printf('%+.1f', round(t.change_low_pct, 1) + 0.0) END,
                        CASE WHEN t.change_high_pct >= 1000 THEN '>10x'
                             ELSE printf('%+.1f', round(t.change_high_pct, 1) + 0.0) END) END
           AS shown_interval,
       CASE WHEN t.verdict IN ('slower', 'faster') THEN upper(t.verdict)
            ELSE substr(t.verdict, 1, instr(t.verdict || ' (', ' (') - 1) END
       || CASE WHEN t.footnote IS NOT NULL AND t.reason IS NULL THEN ' *' ELSE '' END
       || CASE WHEN t.doubt_told IS NOT NULL THEN ' !' ELSE '' END
       || CASE WHEN t.shape_told IS NOT NULL THEN ' ~' ELSE '' END
           AS shown_verdict,
       CASE WHEN t.mode = 'event' THEN 'before' WHEN t.brief_a = t.brief_b THEN 'baseline'
            ELSE t.brief_a END AS head_a,
       CASE WHEN t.mode = 'event' THEN 'after' WHEN t.brief_a = t.brief_b THEN 'compared'
            ELSE t.brief_b END AS head_b,
       CASE t.mode
       WHEN 'event' THEN printf('Since %s (%s)', substr(local_date(t.event_at), 1, 10), t.at_short)
       ELSE printf('%s%s against %s', t.what, t.say_b, t.say_a) END AS summary,
       t.host, t.target, t.workload, t.phase, t.metric, t.unit, t.by, t.a, t.b,
       t.class_a, t.class AS class_b, t.direct_a, t.direct AS direct_b, t.bound_a, t.bound_b,
       t.c ->> 'runs_a' AS runs_a, t.c ->> 'runs_b' AS runs_b, t.c ->> 'n_of' AS n_of,
       t.c ->> 'n_a' AS n_a, t.c ->> 'n_b' AS n_b,
       t.c ->> 'mean_a' AS mean_a, t.c ->> 'sd_a' AS sd_a,
       t.c ->> 'mean_b' AS mean_b, t.c ->> 'sd_b' AS sd_b,
       t.c ->> 'diff' AS diff, t.c ->> 'diff_low' AS diff_low, t.c ->> 'diff_high' AS diff_high,
       t.diff_pct_low, t.diff_pct_high, t.change_pct, t.change_low_pct, t.change_high_pct,
       100 * ((t.c ->> 'paired_low') - 1) AS paired_low_pct,
       100 * ((t.c ->> 'paired_high') - 1) AS paired_high_pct,
       100 * ((t.c ->> 'hl') - 1) AS hl_pct, t.p, t.p_adj, 100 * (t.c ->> 'mde') AS mde_pct,
       t.more_runs,
       t.left_out + t.left_out_a AS left_out, t.verdict, t.also_differs,
       nullif(ltrim(printf('%s%s%s%s%s', t.name || ': ' || t.tail, ' ' || t.context,
                           ' ' || substr(t.doubt_told, 3), ' ' || substr(t.shape_told, 3),
                           ' ' || substr(t.footnote, 3))), '') AS sentence,
       CASE WHEN t.nth = 1 AND t.tail IS NOT NULL
            THEN CASE WHEN t.alike > 1 AND t.alike = t.n_rows
                      THEN CASE WHEN t.moved OR t.verdict LIKE 'not%' -- begins with a name
                                THEN 'All rows: ' || t.tail
                                ELSE upper(substr(t.tail, 1, 1)) || substr(t.tail, 2) END
                      ELSE t.names || ': ' || t.tail END END AS told,
       t.context,
       CASE WHEN t.asks
            THEN (SELECT iif(t.several, t.host || ': ', '')
                         || CASE WHEN count(*) = 0 THEN NULL
                                 WHEN NOT max(far)
                                 THEN printf('Controls (%s): the same, so %s are as before.',
                                             group_concat(name, ', '),
                                             iif(max(raw), 'memory, CPU and disk', 'memory and CPU'))
                                 ELSE printf('%s: %s.',
                                             CASE WHEN NOT t.any_moved THEN 'Controls'
                                                  WHEN max(far AND NOT raw)
                                                  THEN 'Not only the storage'
                                                  ELSE 'Not only the file system' END,
                                             group_concat(printf('%s is %.0f %% %s%s (%s -> %s)', name,
                                                                 100 * abs(b / a - 1),
                                                                 iif(b < a, 'slower', 'faster'),
                                                                 iif(t.any_moved, ' too', ''),
                                                                 human(a, 'B/s', :units),
                                                                 human(b, 'B/s', :units)), ', ')
                                                 FILTER (WHERE far)) END
                  FROM (SELECT a, b, key = 'control_raw_read' AS raw, abs(b / a - 1) > 0.1 AS far,
                               CASE key WHEN 'control_memory_copy' THEN 'memory copy'
                                        WHEN 'control_generator' THEN 'generator'
                                        ELSE 'one disk read raw' END AS name
                        FROM (SELECT s.key,
                                     median(s.value + 0.0) FILTER (WHERE NOT x.is_b) AS a,
                                     median(s.value + 0.0) FILTER (WHERE x.is_b) AS b
                              FROM (SELECT value AS run_id, 0 AS is_b, t.targets_a AS targets
                                    FROM json_each(t.runs_a)
                                    UNION ALL
                                    SELECT value, 1, t.targets FROM json_each(t.runs)) AS x
                              JOIN run_state AS s
                                ON s.run_id = x.run_id AND s.moment = 'before'
                               AND s.key IN ('control_memory_copy', 'control_generator',
                                             'control_raw_read')
                               AND (s.target_id = 0
                                    OR s.target_id IN (SELECT value FROM json_each(x.targets)))
                              WHERE s.value + 0.0 > 0
                              GROUP BY s.key
                              HAVING count(*) FILTER (WHERE NOT x.is_b) > 1
                                 AND count(*) FILTER (WHERE x.is_b) > 1)
                        ORDER BY raw, key DESC)) END AS controls,
       t.doubt_a, t.doubt_b, t.doubt_told, t.shape_told, t.footnote
FROM (SELECT t.*,
             CASE WHEN doubt_a OR doubt_b
                  THEN printf('! %s: faster than the hardware can be%s%s.', whose,
                              CASE WHEN doubt_a AND doubt_b THEN ''
                                   ELSE printf(' (%s)', CASE WHEN mode = 'event'
                                                             THEN iif(doubt_a, 'before', 'after')
                                                             WHEN doubt_a THEN say_a
                                                             ELSE say_b END) END,
                              '; likely reason: ' || doubt_why) END AS doubt_told,
             CASE WHEN shapes_a = shapes_b THEN printf('~ %s: %s.', whose, shapes_a)
                  WHEN shapes_a IS NOT NULL OR shapes_b IS NOT NULL
                  THEN printf('~ %s: %s%s%s.', whose,
                              shapes_a || printf(' (%s)', iif(mode = 'event', 'before', say_a)),
                              CASE WHEN shapes_a IS NOT NULL AND shapes_b IS NOT NULL
                                   THEN ', ' END,
                              shapes_b || printf(' (%s)', iif(mode = 'event', 'after', say_b))) END
                 AS shape_told
      FROM told AS t) AS t
ORDER BY t.host, ifnull(t.target, ''), t.side, t.workload_id, t.position, t.class, t.metric_id;
