-- title: TREND
-- about: each series over time: its usual range, its newest run, and what changed between runs
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
-- param: each flag = 0 -- one row a run
-- param: all flag = 0 -- with each: no limit to the last 20 runs
-- param: mask flag = 0 -- host-1 and target-1 instead of names, no serials and servers
-- column: heading show=table
-- group: heading
-- column: label show=table head=""
-- column: when show=table head="" unit=date
-- column: usual show=table head=usual align=right
-- column: newest show=table head=newest unit=@unit align=right
-- column: spread show=table head=+- align=right
-- column: word show=table head="" keep=yes
-- spark: spark
-- column: spark show=table head="last 20, | event"
-- column: runs show=table head=runs align=right
-- column: host show=no
-- column: target show=no
-- column: dataset show=no
-- column: workload show=no
-- column: phase show=no
-- column: metric show=v
-- column: unit show=no
-- column: class show=no
-- column: direct show=no
-- column: origin show=no
-- column: run show=no
-- column: started show=no unit=date
-- column: n show=v align=right
-- column: mean show=no unit=@unit
-- column: sd show=no unit=@unit
-- column: median show=no unit=@unit
-- column: cv_pct show=no unit=%
-- column: low show=no unit=@unit
-- column: high show=no unit=@unit
-- column: usual_low show=no unit=@unit
-- column: usual_high show=no unit=@unit
-- column: change_pct show=v unit=% align=right
-- column: cached_pct show=no unit=%
-- column: bound_by show=no
-- column: findings show=no
-- column: event show=no
-- column: event_line show=table
-- above: event_line
-- column: turn_line show=table
-- above: turn_line
--
-- mean, sd, median: of the iterations of the run; low .. high: the 95 % t interval of their mean.
-- usual_low .. usual_high: the middle 90 % of the run medians before. change_pct: the newest median
-- against the median of those. word: outside the usual range and more than 5 % away from the usual.
WITH headline AS MATERIALIZED (
    SELECT * FROM v_headline
), value AS MATERIALIZED (
    SELECT t.canonical_id AS target_id, ro.workload_id, ro.phase, ro.class,
           ro.direct_effect AS direct, ro.origin, ro.metric_id, ro.run_id,
           ro.target_id AS own_target, r.started_at, ro.n, ro.mean, ro.m2, ro.median,
           :run IS NULL OR substr(r.uuid, 1, length(:run)) = :run AS asked
    -- along the primary key of rollup, which SQLite would not choose by itself
    FROM v_target AS t
    CROSS JOIN headline AS hl
    CROSS JOIN rollup AS ro ON ro.target_id = t.target_id AND ro.workload_id = hl.workload_id
                           AND ro.phase = hl.phase
    CROSS JOIN metric AS m ON m.id = ro.metric_id
    CROSS JOIN run AS r ON r.id = ro.run_id
    CROSS JOIN workload AS w ON w.id = ro.workload_id
    WHERE ro.everything = :disturbed AND ro.n > 0 AND r.excluded IS NULL
      AND ro.origin <> 'imported'
      AND (:metric = 'all' OR m.name = ifnull(:metric, hl.metric))
      AND (:host IS NULL OR t.host = :host)
      AND (:target IS NULL OR t.target = :target)
      AND (:workload IS NULL OR w.name = :workload)
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
), numbered AS MATERIALIZED (
    -- series: a number for each; back: runs of it from the newest on; recent: runs of the target
    SELECT v.*,
           dense_rank() OVER (ORDER BY target_id, workload_id, phase, class, direct, origin,
                                       metric_id) AS series,
           row_number() OVER (one ORDER BY started_at DESC, run_id DESC) AS back,
           row_number() OVER (one ORDER BY started_at, run_id) - 1 AS n_before,
           dense_rank() OVER (PARTITION BY target_id ORDER BY started_at DESC, run_id DESC)
               AS recent
    FROM value AS v
    WINDOW one AS (PARTITION BY target_id, workload_id, phase, class, direct, origin, metric_id)
), ranked AS (
    SELECT n.*, count(*) OVER one AS runs, min(started_at) OVER one AS first_at,
           min(CASE WHEN back <= 20 THEN started_at END) OVER one AS spark_from,
           min(CASE WHEN asked THEN back END) OVER one AS newest_back
    FROM numbered AS n
    WINDOW one AS (PARTITION BY series)
), shown AS (
    SELECT r.*
    FROM ranked AS r
    WHERE asked AND CASE WHEN :since IS NOT NULL THEN started_at >= :since
                         ELSE recent <= 20 OR started_at >= :now - 90 * 86400000000000 END
      AND CASE WHEN :each THEN :all OR back <= 20 ELSE back = newest_back END
), event AS MATERIALIZED (
    SELECT e.target_id, e.run_id, e.started_at,
           group_concat(event_text(e.name, e.from_value, e.to_value), ', ') AS text
    FROM (SELECT target_id, run_id, started_at, name,
                 CASE WHEN secret THEN 'one' ELSE from_value END AS from_value,
                 CASE WHEN secret THEN 'another' ELSE to_value END AS to_value
          FROM (SELECT *, :mask AND (name LIKE '%.server' OR name LIKE '%serial%'
                                     OR name LIKE '%guid') AS secret FROM v_event)
          WHERE NOT follows
          ORDER BY target_id, run_id, name NOT LIKE 'system.%', name) AS e
    GROUP BY e.target_id, e.run_id
), full AS (
    SELECT s.*,
           CASE WHEN s.n > 1 THEN sqrt(s.m2 / (s.n - 1)) END AS sd,
           t_half(s.n, s.m2) AS half,
           (SELECT json_array(percentile(b.median, 0.05), median(b.median),
                              percentile(b.median, 0.95))
            FROM numbered AS b
            WHERE b.series = s.series AND b.started_at < s.started_at) AS usual,
           CASE WHEN NOT :each AND s.runs > 1
                THEN (SELECT series(x.at, x.value)
                      FROM (SELECT b.started_at AS at, b.median AS value
                            FROM numbered AS b
                            WHERE b.series = s.series AND b.back <= 20
                            UNION ALL
                            SELECT e.started_at - 1, '|' FROM event AS e
                            WHERE e.target_id = s.own_target AND e.started_at > s.spark_from)
                           AS x) END AS spark,
           -- with each: that of the run; else the newest one
           (SELECT e.text FROM event AS e
            WHERE e.target_id = s.own_target
              AND CASE WHEN :each THEN e.run_id = s.run_id
                       ELSE e.started_at <= s.started_at
                            AND (:since IS NULL OR e.started_at >= :since) END
            ORDER BY e.started_at DESC LIMIT 1) AS event,
           (SELECT e.started_at FROM event AS e
            WHERE e.target_id = s.own_target
              AND CASE WHEN :each THEN e.run_id = s.run_id
                       ELSE e.started_at <= s.started_at
                            AND (:since IS NULL OR e.started_at >= :since) END
            ORDER BY e.started_at DESC LIMIT 1) AS event_at,
           -- the series that ended where this one began: its class and effective O_DIRECT
           CASE WHEN s.n_before = 0 OR NOT :each
                THEN (SELECT CASE WHEN max(b.started_at)
                                  THEN json_array(b.class, b.direct) END
                      FROM numbered AS b
                      WHERE b.target_id = s.target_id AND b.workload_id = s.workload_id
                        AND b.phase = s.phase AND b.origin = s.origin
                        AND b.metric_id = s.metric_id AND b.started_at < s.first_at
                        AND (b.class <> s.class AND b.class IN ('cold', 'cached')
                             AND s.class IN ('cold', 'cached')
                             OR b.direct <> s.direct AND b.direct IN ('yes', 'no')
                                AND s.direct IN ('yes', 'no'))) END AS ended
    FROM shown AS s
), told AS (
    SELECT f.*,
           CASE WHEN f.ended ->> 0 <> f.class AND f.class = 'cold'
                THEN 'was served from memory, now comes from the disks: not comparable'
                WHEN f.ended ->> 0 <> f.class AND f.class = 'cached'
                THEN 'was read from the disks, now comes from memory: not comparable'
                WHEN f.ended IS NOT NULL AND f.direct = 'yes'
                THEN 'O_DIRECT was not obeyed, now it is: not comparable'
                WHEN f.ended IS NOT NULL
                THEN 'O_DIRECT was obeyed, now it is not: not comparable' END AS turn
    FROM full AS f
)
SELECT n.host || ', ' || n.target
       || CASE WHEN :metric <> 'all' THEN ': ' || m.name ELSE '' END AS heading,
       l.label || CASE :metric WHEN 'all' THEN ', ' || m.name ELSE '' END AS label,
       CASE WHEN :each THEN f.started_at END AS "when",
       CASE WHEN f.n_before >= 3
            THEN human_range(f.usual ->> 0, f.usual ->> 2, m.unit, :units) END AS usual,
       f.median AS newest,
       CASE WHEN f.half > 0 AND f.mean <> 0
            THEN printf('%.1f %%', 100 * f.half / abs(f.mean)) END AS spread,
       CASE WHEN f.n_before = 0 THEN 'first run'
            WHEN f.n_before < 3 THEN 'too few to say'
            WHEN f.median < f.usual ->> 0 AND f.median < 0.95 * (f.usual ->> 1) THEN 'below usual'
            WHEN f.median > f.usual ->> 2 AND f.median > 1.05 * (f.usual ->> 1) THEN 'above usual'
            ELSE 'as usual' END AS word,
       f.spark,
       CASE WHEN NOT :each THEN f.runs END AS runs,
       n.host, n.target,
       (SELECT CASE WHEN :mask THEN 'dataset-' || n.id ELSE value END FROM v_fact
        WHERE run_id = f.run_id AND target_id = f.own_target
          AND kind = 'dataset' AND key = 'name') AS dataset,
       w.name AS workload, f.phase, m.name AS metric, m.unit, f.class, f.direct, f.origin,
       substr(r.uuid, 1, 8) AS run, f.started_at AS started, f.n, f.mean, f.sd, f.median,
       CASE WHEN f.mean <> 0 THEN 100 * f.sd / abs(f.mean) END AS cv_pct,
       f.mean - f.half AS low, f.mean + f.half AS high,
       CASE WHEN f.n_before >= 3 THEN f.usual ->> 0 END AS usual_low,
       CASE WHEN f.n_before >= 3 THEN f.usual ->> 2 END AS usual_high,
       CASE WHEN f.n_before >= 1 AND (f.usual ->> 1) <> 0
            THEN 100 * (f.median / (f.usual ->> 1) - 1) END AS change_pct,
       (SELECT avg(x.value) FROM iteration AS i
        JOIN sample AS x ON x.iteration_id = i.id
                        AND x.metric_id = (SELECT id FROM metric WHERE name = 'cached_pct')
        WHERE i.run_id = f.run_id AND i.target_id = f.own_target
          AND i.workload_id = f.workload_id AND i.phase = f.phase) AS cached_pct,
       c.bound_by,
       (SELECT group_concat(DISTINCT code) FROM finding
        WHERE run_id = f.run_id AND severity <> 'say'
          AND (target_id IS NULL OR target_id = f.own_target)
          AND (workload_id IS NULL OR workload_id = f.workload_id)) AS findings,
       CASE WHEN f.turn IS NULL THEN f.event ELSE ifnull(f.event || ', ', '') || f.turn END AS event,
       CASE WHEN :each THEN f.event
            WHEN row_number() OVER (PARTITION BY f.target_id
                                    ORDER BY f.workload_id, hl.position, f.class, f.direct,
                                             f.metric_id) = 1
            THEN 'since ' || local_date(f.event_at) || ': ' || f.event END AS event_line,
       CASE WHEN :each THEN f.turn ELSE 'since ' || local_date(f.first_at) || ': ' || f.turn END
           AS turn_line
FROM told AS f
JOIN run AS r ON r.id = f.run_id
JOIN (SELECT target_id, canonical_id AS id,
             CASE WHEN :mask THEN 'host-' || host_id ELSE host END AS host,
             CASE WHEN :mask THEN 'target-' || canonical_id ELSE target END AS target
      FROM v_target) AS n ON n.target_id = f.own_target
JOIN metric AS m ON m.id = f.metric_id
JOIN workload AS w ON w.id = f.workload_id
JOIN cell AS c ON c.run_id = f.run_id AND c.target_id = f.own_target
              AND c.workload_id = f.workload_id AND c.phase = f.phase
JOIN v_label AS l ON l.run_id = f.run_id AND l.target_id = f.own_target
                 AND l.workload_id = f.workload_id AND l.phase = f.phase
JOIN headline AS hl ON hl.workload_id = f.workload_id AND hl.phase = f.phase
ORDER BY n.host, n.target, f.workload_id, hl.position, f.class, f.direct, f.metric_id,
         f.started_at, f.run_id;
