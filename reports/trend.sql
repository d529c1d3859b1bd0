-- title: TREND
-- about: each series over time: its usual range, its newest run, and what changed between runs
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
-- param: each flag = 0 -- one row a run
-- param: all flag = 0 -- runs that are left out too; with each: no limit to the last 20 runs
-- param: mask flag = 0 -- host-1 and target-1 instead of names, no serials and servers
-- column: heading show=table
-- group: heading
-- column: label show=table head=""
-- column: when show=table head="" unit=date keep=yes
-- column: usual show=table head=usual align=right
-- column: newest show=table head=newest unit=@unit align=right keep=yes red=@doubt
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
-- column: bound_by show=v head="bound by"
-- column: findings show=no
-- column: event show=no
-- column: event_line show=table
-- above: event_line
-- column: turn_line show=table
-- above: turn_line
-- column: doubt show=never
-- column: doubt_told show=never
-- sentence: doubt_told
-- column: shape_told show=never
-- sentence: shape_told
-- column: footnote show=never
-- sentence: footnote
-- column: sentence show=never
-- sentence: sentence
-- notes: report_notes
--
-- mean, sd, median: of the iterations of the run; low .. high: the 95 % t interval of their mean.
-- usual_low .. usual_high: the middle 90 % of the run medians before. change_pct: the newest median
-- against the median of those. word: outside the usual range and more than 5 % away from the usual.
-- Where over a third of a series' iterations in the window were disturbed, none is left out.
-- Marks: * disturbed and counted, ! faster than the hardware can be, ~ a finding of the shape, told
-- in full where it is the only one of its row, and few rows have one.
-- A run of which nothing counts has a row with each, n is 0 there, and none without. An event is
-- told up to the newest run, whether that counts or not.
WITH headline AS MATERIALIZED (
    SELECT * FROM v_headline
), step AS MATERIALIZED (
    SELECT * FROM v_step
), value AS MATERIALIZED (
    -- target_id: the canonical one; n: the place of the run among those of the target
    SELECT st.target_id, ro.workload_id, ro.phase, ro.class, ro.direct_effect AS direct, ro.origin,
           ro.metric_id, ro.run_id, ro.target_id AS own_target, st.n AS place, st.started_at,
           ro.n, ro.n_left_out, ro.mean, ro.m2, ro.median,
           :run IS NULL OR substr(r.uuid, 1, length(:run)) = :run AS asked
    -- along the primary key of rollup, which SQLite would not choose by itself
    FROM v_target AS t
    CROSS JOIN headline AS hl
    CROSS JOIN rollup AS ro ON ro.target_id = t.target_id AND ro.workload_id = hl.workload_id
                           AND ro.phase = hl.phase
    CROSS JOIN metric AS m ON m.id = ro.metric_id
    CROSS JOIN run AS r ON r.id = ro.run_id
    CROSS JOIN workload AS w ON w.id = ro.workload_id
    JOIN step AS st ON st.run_id = ro.run_id AND st.own_target = ro.target_id
    WHERE ro.everything = 0 AND ro.origin <> 'imported'
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
                                   AND f.kind = substr(l.value ->> 0, 1,
                                                       instr(l.value ->> 0, '.') - 1)
                                   AND f.key = substr(l.value ->> 0, instr(l.value ->> 0, '.') + 1)
                                   AND f.value IN (SELECT value FROM json_each(l.value)
                                                   WHERE key > 0))))
), asked_for AS MATERIALIZED (
    -- for each target the first and the newest run in the time that is asked for
    SELECT target_id, min(place) AS first_place, max(place) AS last_place
    FROM (SELECT target_id, place, started_at,
                 row_number() OVER (PARTITION BY target_id ORDER BY place DESC) AS back
          FROM (SELECT target_id, place, started_at FROM value GROUP BY target_id, place))
    WHERE CASE WHEN :since IS NOT NULL THEN started_at >= :since
               ELSE back <= 20 OR started_at >= :now - 90 * 86400000000000 END
    GROUP BY target_id
), spoilt AS MATERIALIZED (
    -- series that would lose over a third of their iterations in this time
    SELECT v.target_id, workload_id, phase, class, direct, origin, metric_id
    FROM value AS v
    JOIN asked_for AS a ON a.target_id = v.target_id AND a.first_place <= v.place
    GROUP BY v.target_id, workload_id, phase, class, direct, origin, metric_id
    HAVING 3 * sum(v.n_left_out) > sum(v.n + v.n_left_out)
), counted AS (
    -- disturbed iterations count where that was asked for, and where leaving out leaves too little;
    -- series: a number for each
    SELECT dense_rank() OVER (ORDER BY v.target_id, v.workload_id, v.phase, v.class, v.direct,
                                       v.origin, v.metric_id) AS series,
           v.target_id, v.workload_id, v.phase, v.class, v.direct, v.origin, v.metric_id,
           v.run_id, v.own_target, v.place, v.started_at, v.asked, v.place >= a.first_place AS inside,
           iif(:run IS NULL, a.last_place, v.place) AS last_place, v.n_left_out,
           x.target_id IS NOT NULL AS spoilt, ifnull(e.n, v.n) AS n,
           iif(e.n IS NULL, v.mean, e.mean) AS mean, iif(e.n IS NULL, v.m2, e.m2) AS m2,
           iif(e.n IS NULL, v.median, e.median) AS median
    FROM value AS v
    LEFT JOIN asked_for AS a ON a.target_id = v.target_id
    LEFT JOIN spoilt AS x
           ON (x.target_id, x.workload_id, x.phase, x.class, x.direct, x.origin, x.metric_id)
              = (v.target_id, v.workload_id, v.phase, v.class, v.direct, v.origin, v.metric_id)
    LEFT JOIN rollup AS e
           ON (e.target_id, e.workload_id, e.phase, e.class, e.direct_effect, e.origin,
               e.metric_id, e.run_id, e.everything)
              = (iif(v.n_left_out AND (x.target_id OR :disturbed OR :all), v.own_target, NULL),
                 v.workload_id, v.phase, v.class, v.direct, v.origin, v.metric_id, v.run_id, 1)
), numbered AS MATERIALIZED (
    -- back: runs of the series that count, from the newest on
    SELECT c.*, sum(n > 0) OVER one AS back, lead(place) OVER one AS place_before
    FROM counted AS c
    WINDOW one AS (PARTITION BY series ORDER BY place DESC ROWS UNBOUNDED PRECEDING)
), ranked AS (
    SELECT n.*, sum(n > 0) OVER one AS runs,
           min(CASE WHEN n > 0 THEN place END) OVER one AS first_place,
           min(CASE WHEN n > 0 THEN started_at END) OVER one AS first_at,
           min(CASE WHEN n > 0 AND back <= 20 THEN place END) OVER one AS spark_from,
           min(CASE WHEN n > 0 AND asked THEN back END) OVER one AS newest_back
    FROM numbered AS n
    WINDOW one AS (PARTITION BY series)
), shown AS (
    SELECT r.*, runs - back AS n_before
    FROM ranked AS r
    WHERE asked AND inside
      AND CASE WHEN :each THEN :all OR back <= 20 ELSE n > 0 AND back = newest_back END
), event AS MATERIALIZED (
    -- one a step of a target; few: its first three settings, all with -v
    SELECT target_id, n AS place, started_at, group_concat(text, ', ') AS text,
           group_concat(short, ', ') FILTER (WHERE k <= 3 OR :verbose)
           || CASE WHEN count(*) > 3 AND NOT :verbose THEN ' and ' || (count(*) - 3) || ' more'
                   ELSE '' END AS few
    FROM (SELECT target_id, n, started_at, rank, name,
                 row_number() OVER (PARTITION BY target_id, n ORDER BY rank, name) AS k,
                 event_text(told, from_value, to_value, 0) AS text,
                 event_text(told, from_value, to_value, 40) AS short
          FROM (SELECT e.target_id, e.n, e.started_at, e.rank, e.name,
                       CASE WHEN :mask THEN replace(e.told, ' [' || e.subject || ']', '')
                            ELSE e.told END AS told,
                       CASE WHEN secret THEN 'one' ELSE e.from_value END AS from_value,
                       CASE WHEN secret THEN 'another' ELSE e.to_value END AS to_value
                FROM (SELECT *, :mask AND is_secret(kind || '.' || key) AS secret
                      FROM v_event) AS e
                WHERE NOT follows)
          ORDER BY target_id, n, rank, name)
    GROUP BY target_id, n
), full AS (
    SELECT s.*,
           CASE WHEN s.n > 1 THEN sqrt(s.m2 / (s.n - 1)) END AS sd,
           t_half(s.n, s.m2) AS half,
           (SELECT json_array(percentile(b.median, 0.05), median(b.median),
                              percentile(b.median, 0.95))
            FROM numbered AS b
            WHERE b.series = s.series AND b.back > s.back AND b.n > 0) AS usual,
           CASE WHEN NOT :each AND s.runs > 1
                THEN (SELECT series(x.at, x.value)
                      FROM (SELECT b.place AS at, b.median AS value
                            FROM numbered AS b
                            WHERE b.series = s.series AND b.back <= 20 AND b.n > 0
                            UNION ALL
                            SELECT e.place - 0.5, '|' FROM event AS e
                            WHERE e.target_id = s.target_id AND e.place > s.spark_from
                              AND (:until IS NULL OR e.started_at <= :until))
                           AS x) END AS spark,
           -- with each: what changed since the row before; else the newest one
           CASE WHEN :each
                THEN (SELECT json_array(group_concat(e.text, ', '), max(e.started_at),
                                        group_concat(e.few, ', '))
                      FROM event AS e
                      WHERE e.target_id = s.target_id AND e.place <= s.place
                        AND e.place > ifnull(s.place_before, s.place - 1))
                ELSE (SELECT json_array(e.text, e.started_at, e.few)
                      FROM event AS e
                      WHERE e.target_id = s.target_id AND e.place <= s.place
                        AND (:since IS NULL OR e.started_at >= :since)
                      ORDER BY e.place DESC LIMIT 1) END AS told_event,
           -- the line over a target: also where nothing counts since then
           CASE WHEN NOT :each
                THEN (SELECT printf('since %s: %s', local_date(e.started_at), e.few)
                      FROM event AS e
                      WHERE e.target_id = s.target_id AND e.place <= s.last_place
                        AND (:since IS NULL OR e.started_at >= :since)
                      ORDER BY e.place DESC LIMIT 1) END AS line,
           -- the series that ended where this one began: its class and effective O_DIRECT
           CASE WHEN s.n > 0 AND (s.n_before = 0 OR NOT :each)
                THEN (SELECT CASE WHEN max(b.place) THEN json_array(b.class, b.direct) END
                      FROM numbered AS b
                      WHERE b.target_id = s.target_id AND b.workload_id = s.workload_id
                        AND b.phase = s.phase AND b.origin = s.origin
                        AND b.metric_id = s.metric_id AND b.n > 0 AND b.place < s.first_place
                        AND (b.class <> s.class AND b.class IN ('cold', 'cached')
                             AND s.class IN ('cold', 'cached')
                             OR b.direct <> s.direct AND b.direct IN ('yes', 'no')
                                AND s.direct IN ('yes', 'no'))) END AS ended
    FROM shown AS s
), told AS (
    -- marked: it counts, though it was disturbed
    SELECT f.*, f.n > 0 AND f.n_left_out > 0 AND (f.spoilt OR :disturbed OR :all) AS marked,
           f.told_event ->> 0 AS event, f.told_event ->> 2 AS few,
           CASE WHEN f.ended ->> 0 <> f.class AND f.class = 'cold'
                THEN 'was served from memory, now comes from the disks: not comparable'
                WHEN f.ended ->> 0 <> f.class AND f.class = 'cached'
                THEN 'was read from the disks, now comes from memory: not comparable'
                WHEN f.ended IS NOT NULL AND f.direct = 'yes'
                THEN 'O_DIRECT was not obeyed, now it is: not comparable'
                WHEN f.ended IS NOT NULL
                THEN 'O_DIRECT was obeyed, now it is not: not comparable' END AS turn
    FROM full AS f
), named AS (
    -- where two workloads would have one label, each has its name too
    SELECT f.*, hl.position, w.name AS workload,
           l.label || CASE WHEN min(f.workload_id) OVER alike = max(f.workload_id) OVER alike
                           THEN ''
                           WHEN min(w.name) OVER alike = max(w.name) OVER alike
                           THEN ', ' || w.name || ' ' || substr(w.digest, 1, 4)
                           ELSE ', ' || w.name END AS label
    FROM told AS f
    JOIN workload AS w ON w.id = f.workload_id
    JOIN headline AS hl ON hl.workload_id = f.workload_id AND hl.phase = f.phase
    JOIN v_label AS l ON l.run_id = f.run_id AND l.target_id = f.own_target
                     AND l.workload_id = f.workload_id AND l.phase = f.phase
    WINDOW alike AS (PARTITION BY f.target_id, l.label)
), found AS (
    -- what was found out of the run's own phase; text: without the words that name the row
    SELECT f.*, upper(substr(f.label, 1, 1)) || substr(f.label, 2) AS name, d.shapes, d.n_shapes,
           d.shape, d.doubt, d.n_doubts > 0 AS is_doubted,
           CASE WHEN min(f.target_id) OVER () <> max(f.target_id) OVER ()
                THEN (SELECT printf(' (%s)', CASE WHEN :mask THEN 'target-' || canonical_id
                                                  ELSE target END)
                      FROM v_target WHERE target_id = f.own_target) ELSE '' END AS whose
    FROM named AS f
    LEFT JOIN (SELECT run_id, target_id, workload_id, phase,
                      max(CASE WHEN severity = 'class' THEN text END) AS doubt,
                      sum(severity = 'class') AS n_doubts,
                      count(DISTINCT CASE WHEN severity = 'shape' THEN code END) AS n_shapes,
                      max(CASE WHEN severity = 'shape' THEN text END) AS shape,
                      replace(group_concat(DISTINCT CASE WHEN severity = 'shape' THEN code END),
                              ',', ', ') AS shapes
               FROM (SELECT d.run_id, d.target_id, d.workload_id, d.phase, d.code, d.severity,
                            CASE WHEN instr(d.text, said) = 1
                                 THEN substr(d.text, length(said) + 1) END AS text
                     FROM (SELECT d.*, printf('%s of "%s" on %s: ', d.phase, w.name, t.name) AS said
                           FROM finding AS d
                           JOIN workload AS w ON w.id = d.workload_id
                           JOIN target AS t ON t.id = d.target_id
                           WHERE d.severity = 'shape' OR d.code = 'faster-than-hardware') AS d)
               GROUP BY run_id, target_id, workload_id, phase) AS d
           ON (d.run_id, d.target_id, d.workload_id, d.phase)
              = (f.run_id, f.own_target, f.workload_id, f.phase)
)
SELECT n.host || ', ' || n.target
       || CASE WHEN :metric <> 'all' THEN ': ' || m.name ELSE '' END AS heading,
       f.label || CASE :metric WHEN 'all' THEN ', ' || m.name ELSE '' END AS label,
       CASE WHEN :each THEN f.started_at END AS "when",
       CASE WHEN f.n_before >= 3 AND f.n > 0
            THEN human_range(f.usual ->> 0, f.usual ->> 2, m.unit, :units) END AS usual,
       f.median AS newest,
       CASE WHEN f.half > 0 AND f.mean <> 0
            THEN printf('%.1f %%', 100 * f.half / abs(f.mean)) END AS spread,
       CASE WHEN f.n = 0 THEN 'left out'
            WHEN f.n_before = 0 THEN 'first run'
            WHEN f.n_before < 10 THEN 'too few to say' -- a range of few is passed by chance
            WHEN f.median < f.usual ->> 0 AND f.median < 0.95 * (f.usual ->> 1) THEN 'below usual'
            WHEN f.median > f.usual ->> 2 AND f.median > 1.05 * (f.usual ->> 1) THEN 'above usual'
            ELSE 'as usual' END
       || CASE WHEN f.marked THEN ' *' ELSE '' END
       || CASE WHEN f.n > 0 AND f.is_doubted THEN ' !' ELSE '' END
       || CASE WHEN f.n > 0 AND f.n_shapes > 0 THEN ' ~' ELSE '' END AS word,
       f.spark,
       CASE WHEN NOT :each THEN f.runs END AS runs,
       n.host, n.target,
       (SELECT CASE WHEN :mask THEN (SELECT masked FROM v_mask WHERE kind = 'dataset'
                                       AND name = d.value) ELSE d.value END
        FROM v_fact AS d
        WHERE d.run_id = f.run_id AND d.target_id = f.own_target
          AND d.kind = 'dataset' AND d.key = 'name' AND d.value IS NOT NULL) AS dataset,
       f.workload, f.phase, m.name AS metric, m.unit, f.class, f.direct, f.origin,
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
          AND (workload_id IS NULL OR workload_id = f.workload_id)
          AND (phase IS NULL OR phase = f.phase)) AS findings,
       CASE WHEN f.turn IS NULL THEN f.event ELSE ifnull(f.event || ', ', '') || f.turn END AS event,
       CASE WHEN :each THEN f.few
            WHEN row_number() OVER (PARTITION BY f.target_id
                                    ORDER BY f.workload_id, f.position, f.class, f.direct,
                                             f.metric_id) = 1
            THEN f.line || ifnull('; ' || (
                -- the runs since the event against those between it and the one before
                SELECT CASE WHEN count(*) = 0 THEN NULL
                            WHEN max(moved)
                            THEN printf('not only the %s: %s',
                                        iif(max(moved AND key <> 'control_raw_read'), 'storage',
                                            'file system'),
                                        group_concat(printf('%s is %.0f %% %s too (from %s to %s)',
                                                            name, 100 * abs(b / a - 1),
                                                            iif(b < a, 'slower', 'faster'),
                                                            human(a, 'B/s', :units),
                                                            human(b, 'B/s', :units)), ', ')
                                            FILTER (WHERE moved))
                            ELSE printf('controls (%s) the same', group_concat(name, ', ')) END
                FROM (SELECT key, a, b, abs(b / a - 1) > 0.1 AS moved,
                             CASE key WHEN 'control_memory_copy' THEN 'memory copy'
                                      WHEN 'control_generator' THEN 'generator'
                                      ELSE 'one disk read raw' END AS name
                      FROM (SELECT s.key, median(s.value + 0.0) FILTER (WHERE x.n < e.at) AS a,
                                   median(s.value + 0.0) FILTER (WHERE x.n >= e.at) AS b
                            FROM (SELECT max(place) AS at,
                                         (SELECT max(place) FROM event AS o
                                          WHERE o.target_id = f.target_id
                                            AND o.place < max(v.place)) AS before
                                  FROM event AS v
                                  WHERE v.target_id = f.target_id AND v.place <= f.last_place) AS e
                            JOIN step AS x ON x.target_id = f.target_id AND x.n <= f.last_place
                                          AND x.n >= ifnull(e.before, 0)
                                          AND abs(x.n - e.at + 0.5) <= 20
                            JOIN run_state AS s
                              ON s.run_id = x.run_id AND s.target_id IN (0, x.own_target)
                             AND s.moment = 'before' AND s.value + 0.0 > 0
                             AND s.key IN ('control_memory_copy', 'control_generator',
                                           'control_raw_read')
                            GROUP BY s.key
                            HAVING count(*) FILTER (WHERE x.n < e.at) > 1
                               AND count(*) FILTER (WHERE x.n >= e.at) > 1)
                      ORDER BY key = 'control_raw_read', key DESC)), '') END AS event_line,
       CASE WHEN :each THEN f.turn ELSE 'since ' || local_date(f.first_at) || ': ' || f.turn END
           AS turn_line,
       f.n > 0 AND f.is_doubted AS doubt,
       CASE WHEN f.n > 0 AND f.is_doubted
            THEN CASE WHEN :each OR f.doubt IS NULL
                      THEN '! Faster than the hardware can be: zhist show run'
                           || iif(:each, '', ' ' || substr(r.uuid, 1, 8)) || ' says more.'
                      ELSE printf('! %s%s: %s.', f.name, f.whose, f.doubt) END END AS doubt_told,
       CASE WHEN f.n > 0 AND f.n_shapes > 0
            THEN CASE WHEN :each
                      THEN '~ The numbers moved while they were measured: zhist show run says more.'
                      WHEN f.n_shapes = 1 AND f.shape IS NOT NULL
                           AND (:verbose OR sum(f.n > 0 AND f.n_shapes > 0) OVER () <= 3)
                      THEN printf('~ %s%s: %s: %s.', f.name, f.whose, f.shapes, f.shape)
                      ELSE printf('~ %s%s: %s; zhist show run %s says more.', f.name, f.whose,
                                  f.shapes, substr(r.uuid, 1, 8)) END END AS shape_told,
       CASE WHEN f.marked
            THEN printf('* %s of %s was disturbed%s.', substr(r.uuid, 1, 8),
                        substr(local_date(f.started_at), 1, 10),
                        (SELECT ' (' || replace(group_concat(DISTINCT code), ',', ', ')
                                || iif(r.forced, ', forced', '') || ')'
                         FROM finding
                         WHERE run_id = f.run_id AND severity IN ('disturbed', 'refuse'))) END AS footnote,
       CASE WHEN f.spoilt AND NOT :disturbed AND NOT :all
            THEN n.host || ', ' || n.target || ': over a third of the iterations of '
                 || CASE WHEN min(f.spoilt) OVER (PARTITION BY f.target_id) THEN 'this time'
                         ELSE 'some rows' END
                 || ' were disturbed, so none is left out' || CASE
                    WHEN min(f.spoilt) OVER (PARTITION BY f.target_id) THEN '' ELSE ' there' END
                 || '.' END AS sentence
FROM found AS f
JOIN run AS r ON r.id = f.run_id
JOIN (SELECT target_id, canonical_id AS id,
             CASE WHEN :mask THEN 'host-' || host_id ELSE host END AS host,
             CASE WHEN :mask THEN 'target-' || canonical_id ELSE target END AS target
      FROM v_target) AS n ON n.target_id = f.own_target
JOIN metric AS m ON m.id = f.metric_id
JOIN cell AS c ON c.run_id = f.run_id AND c.target_id = f.own_target
              AND c.workload_id = f.workload_id AND c.phase = f.phase
ORDER BY n.host, n.target, f.workload_id, f.position, f.class, f.direct, f.metric_id, f.place;
