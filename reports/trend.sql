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
-- column: heading
-- group: heading
-- column: label show=table head=""
-- column: when show=table head="" unit=date
-- column: usual show=table head=usual align=right
-- column: newest show=table head=newest unit=@unit align=right
-- column: spread show=table head=+- unit=% align=right
-- column: word show=table head=""
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
--
-- mean, sd, median: of the iterations of the run; low .. high: the 95 % t interval of their mean.
-- usual_low .. usual_high: the middle 90 % of the run medians before. change_pct: the newest median
-- against the median of those. word: outside the usual range and more than 5 % away from the usual.
WITH value AS MATERIALIZED (
    SELECT t.canonical_id AS target_id, t.host, t.target, ro.workload_id, ro.phase, ro.class,
           ro.direct_effect AS direct, ro.origin, ro.metric_id, m.name AS metric, m.unit,
           ro.run_id, ro.target_id AS own_target, r.uuid, r.started_at, ro.n, ro.mean, ro.m2,
           ro.median
    FROM rollup AS ro
    JOIN run AS r ON r.id = ro.run_id
    JOIN v_target AS t ON t.target_id = ro.target_id
    JOIN workload AS w ON w.id = ro.workload_id
    JOIN metric AS m ON m.id = ro.metric_id
    JOIN v_headline AS hl ON hl.workload_id = ro.workload_id AND hl.phase = ro.phase
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
), ranked AS (
    SELECT v.*, row_number() OVER later AS back, count(*) OVER series AS runs,
           row_number() OVER earlier - 1 AS n_before
    FROM value AS v
    WINDOW series AS (PARTITION BY target_id, workload_id, phase, class, direct, origin, metric_id),
           later AS (series ORDER BY started_at DESC, run_id DESC),
           earlier AS (series ORDER BY started_at, run_id)
), shown AS (
    SELECT r.*
    FROM ranked AS r
    WHERE (:run IS NULL OR substr(r.uuid, 1, length(:run)) = :run)
      AND (:since IS NOT NULL AND r.started_at >= :since
           OR :since IS NULL AND (r.back <= 20 OR r.started_at >= :now - 90 * 86400000000000))
      AND CASE WHEN :each THEN :all OR r.back <= 20
               ELSE r.back = (SELECT min(x.back) FROM ranked AS x
                              WHERE x.target_id = r.target_id AND x.workload_id = r.workload_id
                                AND x.phase = r.phase AND x.class = r.class
                                AND x.direct = r.direct AND x.origin = r.origin
                                AND x.metric_id = r.metric_id
                                AND (:run IS NULL OR substr(x.uuid, 1, length(:run)) = :run)) END
), event AS MATERIALIZED (
    SELECT e.target_id, e.run_id, e.started_at,
           group_concat(e.name || ' ' || ifnull(e.from_value, 'none') || ' -> '
                        || ifnull(e.to_value, 'none'), ', ') AS text
    FROM v_event AS e
    WHERE NOT e.follows
    GROUP BY e.target_id, e.run_id
), full AS (
    SELECT s.*,
           CASE WHEN s.n > 1 THEN sqrt(s.m2 / (s.n - 1)) END AS sd,
           (SELECT half_width(x.value) FROM iteration AS i
            JOIN sample AS x ON x.iteration_id = i.id AND x.metric_id = s.metric_id
            WHERE i.run_id = s.run_id AND i.target_id = s.own_target
              AND i.workload_id = s.workload_id AND i.phase = s.phase
              AND NOT i.warmup AND i.status = 'ok') AS half,
           (SELECT json_array(percentile(b.median, 0.05), median(b.median),
                              percentile(b.median, 0.95))
            FROM value AS b
            WHERE b.target_id = s.target_id AND b.workload_id = s.workload_id
              AND b.phase = s.phase AND b.class = s.class AND b.direct = s.direct
              AND b.origin = s.origin AND b.metric_id = s.metric_id
              AND b.started_at < s.started_at) AS usual,
           (SELECT series(x.at, x.value)
            FROM (SELECT b.started_at AS at, b.median AS value
                  FROM ranked AS b
                  WHERE b.target_id = s.target_id AND b.workload_id = s.workload_id
                    AND b.phase = s.phase AND b.class = s.class AND b.direct = s.direct
                    AND b.origin = s.origin AND b.metric_id = s.metric_id
                    AND b.back <= 20
                  UNION ALL
                  SELECT e.started_at - 1, '|' FROM event AS e
                  WHERE e.target_id = s.own_target
                    AND e.started_at > (SELECT min(b.started_at) FROM ranked AS b
                                        WHERE b.target_id = s.target_id
                                          AND b.workload_id = s.workload_id
                                          AND b.phase = s.phase AND b.class = s.class
                                          AND b.direct = s.direct AND b.origin = s.origin
                                          AND b.metric_id = s.metric_id
                                          AND b.back <= 20)) AS x) AS spark,
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
            ORDER BY e.started_at DESC LIMIT 1) AS event_at
    FROM shown AS s
)
SELECT f.host || ', ' || f.target AS heading,
       l.label || CASE WHEN :metric IS NULL THEN '' ELSE ', ' || f.metric END AS label,
       CASE WHEN :each THEN f.started_at END AS "when",
       CASE WHEN f.n_before >= 3
            THEN human_range(f.usual ->> 0, f.usual ->> 2, f.unit, :units) END AS usual,
       f.median AS newest,
       100 * f.half / f.mean AS spread,
       CASE WHEN f.n_before = 0 THEN 'first run'
            WHEN f.n_before < 3 THEN 'too few to say'
            WHEN f.median < f.usual ->> 0 AND f.median < 0.95 * (f.usual ->> 1) THEN 'below usual'
            WHEN f.median > f.usual ->> 2 AND f.median > 1.05 * (f.usual ->> 1) THEN 'above usual'
            ELSE 'as usual' END AS word,
       CASE WHEN :each OR f.runs < 2 THEN NULL ELSE f.spark END AS spark,
       CASE WHEN :each THEN NULL ELSE f.runs END AS runs,
       f.host, f.target,
       (SELECT value FROM v_fact WHERE run_id = f.run_id AND target_id = f.own_target
           AND kind = 'dataset' AND key = 'name') AS dataset,
       w.name AS workload, f.phase, f.metric, f.unit, f.class, f.direct, f.origin,
       substr(f.uuid, 1, 8) AS run, f.started_at AS started, f.n, f.mean, f.sd, f.median,
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
        WHERE run_id = f.run_id AND severity <> 'say') AS findings,
       f.event,
       CASE WHEN :each THEN f.event
            WHEN row_number() OVER (PARTITION BY f.target_id
                                    ORDER BY f.workload_id, hl.position, f.class, f.direct,
                                             f.metric_id) = 1
            THEN 'since ' || local_date(f.event_at) || ': ' || f.event END AS event_line
FROM full AS f
JOIN workload AS w ON w.id = f.workload_id
JOIN cell AS c ON c.run_id = f.run_id AND c.target_id = f.own_target
              AND c.workload_id = f.workload_id AND c.phase = f.phase
JOIN v_label AS l ON l.run_id = f.run_id AND l.target_id = f.own_target
                 AND l.workload_id = f.workload_id AND l.phase = f.phase
JOIN v_headline AS hl ON hl.workload_id = f.workload_id AND hl.phase = f.phase
ORDER BY f.host, f.target, f.workload_id, hl.position, f.class, f.direct, f.metric_id,
         f.started_at;
