-- title: CONTROLS
-- about: what is measured beside the storage, once a run: memory copy, generator, timer, a raw disk
-- param: since time -- from then on (default: 90 days or the last 20 runs, whichever is longer)
-- param: until time -- up to then; of a day all of it
-- param: host text -- only this host
-- param: target text -- only runs of this target
-- param: run text -- only this run, against those before it
-- param: each flag = 0 -- one row a run
-- param: all flag = 0 -- excluded runs too; with each: no limit to the last 20 runs
-- param: mask flag = 0 -- host-1 and target-1 instead of names
-- column: heading show=table
-- group: heading
-- column: label show=table head=""
-- column: when show=table head="" unit=date keep=yes
-- column: usual show=table head=usual align=right
-- column: newest show=table head=newest unit=@unit align=right keep=yes
-- column: shown_change show=table head=change align=right
-- column: word show=table head="" keep=yes
-- column: spark show=table head="last 20"
-- spark: spark
-- column: runs show=table head=runs align=right
-- column: host show=no
-- column: target show=no
-- column: control show=no
-- column: unit show=no
-- column: run show=no
-- column: started show=no unit=date
-- column: value show=no unit=@unit
-- column: usual_low show=no unit=@unit
-- column: usual_high show=no unit=@unit
-- column: change_pct show=no unit=%
--
-- One row a control: its newest run, or with each one a run. usual_low .. usual_high: the middle 90 %
-- of the runs before, from three on; change_pct: against their median. word: more than 10 % away from
-- it and outside that range. A raw read is that of one disk of a target.
WITH value AS MATERIALIZED (
    SELECT r.id AS run_id, r.uuid, r.started_at, v.canonical_id AS host_id, v.host,
           t.canonical_id AS target_id, t.target, s.key, s.value + 0.0 AS value,
           iif(s.key LIKE 'control_timer%', 's', 'B/s') AS unit,
           :run IS NULL OR substr(r.uuid, 1, length(:run)) = :run AS asked
    FROM run_state AS s
    JOIN run AS r ON r.id = s.run_id
    JOIN v_host AS v ON v.host_id = r.host_id
    LEFT JOIN v_target AS t ON t.target_id = s.target_id
    WHERE s.key LIKE 'control\_%' ESCAPE '\' AND s.moment = 'before' AND s.value + 0.0 > 0
      AND r.status <> 'refused' AND (:all OR r.excluded IS NULL)
      AND (:host IS NULL OR v.host = :host)
      AND (:until IS NULL OR r.started_at <= :until)
      AND (:target IS NULL OR t.target = :target
           OR t.target IS NULL AND EXISTS (SELECT 1 FROM run_target AS rt
                                           JOIN v_target AS x ON x.target_id = rt.target_id
                                           WHERE rt.run_id = r.id AND x.target = :target))
), ranked AS (
    -- back: the runs of a series from the newest on
    SELECT v.run_id, v.uuid, v.started_at, v.host_id, v.host, v.target_id, v.target, v.key, v.unit,
           v.asked, iif(unit = 's', value / 1e9, value) AS value,
           row_number() OVER one AS back, count(*) OVER (PARTITION BY host_id, key, target_id) AS runs
    FROM value AS v
    WINDOW one AS (PARTITION BY host_id, key, target_id ORDER BY started_at DESC, run_id DESC)
), newest AS (
    SELECT r.*, min(back) FILTER (WHERE asked) OVER one AS newest_back
    FROM ranked AS r
    WINDOW one AS (PARTITION BY host_id, key, target_id)
), full AS (
    SELECT n.*,
           (SELECT json_array(percentile(b.value, 0.05), median(b.value), percentile(b.value, 0.95),
                              count(*))
            FROM ranked AS b
            WHERE b.host_id = n.host_id AND b.key = n.key AND b.target_id IS n.target_id
              AND b.back > n.back) AS usual,
           CASE WHEN NOT :each AND n.runs > 1
                THEN (SELECT series(b.started_at, b.value) FROM ranked AS b
                      WHERE b.host_id = n.host_id AND b.key = n.key AND b.target_id IS n.target_id
                        AND b.back BETWEEN n.back AND n.back + 19) END AS spark
    FROM newest AS n
    WHERE asked AND CASE WHEN :each THEN :all OR back <= 20 ELSE back = newest_back END
      AND CASE WHEN :since IS NOT NULL THEN started_at >= :since
               ELSE back <= 20 OR started_at >= :now - 90 * 86400000000000 END
), told AS (
    SELECT f.*, CASE WHEN usual ->> 3 > 0 THEN 100 * (value / (usual ->> 1) - 1) END AS change,
           CASE WHEN :mask THEN 'host-' || host_id ELSE host END AS shown_host,
           CASE WHEN :mask THEN 'target-' || target_id ELSE target END AS shown_target
    FROM full AS f
)
SELECT shown_host AS heading,
       CASE key WHEN 'control_memory_copy' THEN 'memory copy'
                WHEN 'control_generator' THEN 'generator of the data'
                WHEN 'control_timer' THEN 'step of the clock'
                WHEN 'control_timer_cost' THEN 'reading the clock'
                WHEN 'control_raw_read' THEN 'one disk read raw, ' || shown_target
                ELSE key END AS label,
       CASE WHEN :each THEN started_at END AS "when",
       CASE WHEN usual ->> 3 >= 3
            THEN human_range(usual ->> 0, usual ->> 2, unit, :units) END AS usual,
       value AS newest,
       CASE WHEN change IS NOT NULL THEN printf('%+.1f %%', round(change, 1) + 0.0) END
           AS shown_change,
       CASE WHEN usual ->> 3 = 0 THEN 'first run'
            WHEN usual ->> 3 < 3 THEN 'too few to say'
            WHEN abs(change) <= 10 OR value BETWEEN usual ->> 0 AND usual ->> 2 THEN 'as usual'
            WHEN change < 0 = (unit = 's') THEN 'faster than usual'
            ELSE 'slower than usual' END AS word,
       spark, CASE WHEN NOT :each THEN runs - back + 1 END AS runs,
       shown_host AS host, shown_target AS target, substr(key, length('control_') + 1) AS control,
       unit, substr(uuid, 1, 8) AS run, started_at AS started, value,
       CASE WHEN usual ->> 3 >= 3 THEN usual ->> 0 END AS usual_low,
       CASE WHEN usual ->> 3 >= 3 THEN usual ->> 2 END AS usual_high, change AS change_pct
FROM told
ORDER BY shown_host,
         CASE key WHEN 'control_memory_copy' THEN 0 WHEN 'control_generator' THEN 1
                  WHEN 'control_timer' THEN 2 WHEN 'control_timer_cost' THEN 3 ELSE 4 END,
         key, shown_target, started_at, run_id;
