-- title: Needs
-- about: requirements that are not met, of each target's newest run of each profile
-- param: profile text -- only this profile
--
-- Not met: the newest two runs fail it, or all there are. day_low: of the first run of that.
WITH newest AS (
    -- bare columns are those of the newest run
    SELECT st.target_id, p.name, r.profile_id, max(st.n) AS n
    FROM v_step AS st
    JOIN run AS r ON r.id = st.run_id
    JOIN profile AS p ON p.id = r.profile_id
    WHERE :profile IS NULL OR p.name = :profile
    GROUP BY st.target_id, p.name
), value AS (
    SELECT n.target_id, t.host, t.target, q.workload_id, q.phase, q.metric, q.op, q.value AS needed,
           q.why, m.unit, w.digest, st.n, st.run_id, st.own_target, st.started_at, ro.median,
           (SELECT machine_id FROM host WHERE id = t.host_id) AS machine_id,
           CASE q.op WHEN 'at_least' THEN ro.median >= q.value ELSE ro.median <= q.value END AS met
    FROM newest AS n
    JOIN requirement AS q ON q.profile_id = n.profile_id
    JOIN v_target AS t ON t.target_id = n.target_id AND ifnull(q.target, t.target) = t.target
    JOIN metric AS m ON m.name = q.metric
    JOIN workload AS w ON w.id = q.workload_id
    JOIN v_step AS st ON st.target_id = n.target_id
    JOIN rollup AS ro ON (ro.run_id, ro.target_id, ro.workload_id, ro.phase, ro.metric_id,
                          ro.everything)
                         = (st.run_id, st.own_target, q.workload_id, q.phase, m.id, 0)
    WHERE ro.n > 0 AND ro.origin <> 'imported'
), streak AS (
    SELECT v.*, max(CASE WHEN met THEN n END) OVER one AS last_met,
           row_number() OVER (PARTITION BY target_id, workload_id, phase, metric, op, needed
                              ORDER BY n DESC) AS back
    FROM value AS v
    WINDOW one AS (PARTITION BY target_id, workload_id, phase, metric, op, needed)
), failing AS (
    SELECT s.*, count(*) AS runs, min(started_at) AS since, min(back)
    FROM streak AS s
    WHERE last_met IS NULL OR n > last_met
    GROUP BY target_id, workload_id, phase, metric, op, needed
)
SELECT short_digest(f.machine_id || char(10) || f.target || char(10) || f.digest || ' ' || f.phase
                    || ' ' || f.metric || ' ' || f.op || ' ' || 'need')
       || '-' || strftime('%Y%m%d', f.since / 1000000000, 'unixepoch') AS key,
       strftime('%Y%m%d', f.since / 1000000000, 'unixepoch') AS day_low,
       strftime('%Y%m%d', f.since / 1000000000, 'unixepoch') AS day_high,
       printf('%s, %s: %s: %s, but %s %s is needed%s (%s).', f.host, f.target, l.label,
              human(f.median, f.unit, 'si'), iif(f.op = 'at_least', 'at least', 'at most'),
              human(f.needed, f.unit, 'si'), ', for ' || f.why,
              CASE WHEN f.runs = 1 THEN 'one run so far'
                   ELSE printf('%d runs since %s', f.runs, substr(local_date(f.since), 1, 10)) END)
           AS sentence
FROM failing AS f
JOIN v_label AS l ON (l.run_id, l.target_id, l.workload_id, l.phase)
                     = (f.run_id, f.own_target, f.workload_id, f.phase)
WHERE f.runs > 1 OR f.last_met IS NULL
ORDER BY f.host, f.target, f.workload_id, f.phase, f.metric;
