-- title: Notes
-- about: runs that are not in trend and compare, and why; what was found in the others
-- param: since time -- as in trend
-- param: until time -- as in trend
-- param: host text -- as in trend
-- param: target text -- as in trend
-- param: workload text -- as in trend
-- param: where list -- as in trend
-- param: label list -- as in trend
-- param: run text -- as in trend
-- param: metric text -- as in trend
-- param: disturbed flag = 0 -- as in trend
-- param: all flag = 0 -- as disturbed
-- param: mask flag = 0 -- as in trend
-- sentence: left_out
-- sentence: worth
--
-- At most one sentence of each kind a host; worth: findings that leave nothing out, a code once,
-- but for those that trend and compare tell with their row.
-- Not in the reports are: whole series of a run whose iterations were all disturbed
-- (unless that is over a third of a series), and runs that were refused, excluded, or ended with
-- nothing measured. Of those that never ended `report` tells by itself.
WITH headline AS MATERIALIZED (
    SELECT * FROM v_headline
), taken AS MATERIALIZED (
    -- the runs and targets that pass the filters
    SELECT r.id AS run_id, r.uuid, r.started_at, r.status, r.excluded, r.forced,
           rt.target_id AS own_target, t.canonical_id AS target_id,
           CASE WHEN :mask THEN 'host-' || t.host_id ELSE t.host END AS host,
           CASE WHEN :mask THEN 'target-' || t.canonical_id ELSE t.target END AS target,
           st.n AS place, :run IS NULL OR substr(r.uuid, 1, length(:run)) = :run AS asked
    FROM run AS r
    JOIN run_target AS rt ON rt.run_id = r.id
    JOIN v_target AS t ON t.target_id = rt.target_id
    LEFT JOIN v_step AS st ON (st.run_id, st.own_target) = (r.id, rt.target_id)
    WHERE r.origin <> 'imported'
      AND (:host IS NULL OR t.host = :host)
      AND (:target IS NULL OR t.target = :target)
      AND (:until IS NULL OR r.started_at <= :until)
      AND (:label IS NULL OR NOT EXISTS (
               SELECT 1 FROM json_each(:label) AS l
               WHERE NOT EXISTS (SELECT 1 FROM label WHERE run_id = r.id
                                    AND key = l.value ->> 0 AND value = l.value ->> 1)))
      AND (:where IS NULL OR NOT EXISTS (
               SELECT 1 FROM json_each(:where) AS l
               WHERE NOT EXISTS (SELECT 1 FROM v_fact AS f
                                 WHERE f.run_id = r.id AND f.target_id IN (0, rt.target_id)
                                   AND f.kind = substr(l.value ->> 0, 1,
                                                       instr(l.value ->> 0, '.') - 1)
                                   AND f.key = substr(l.value ->> 0, instr(l.value ->> 0, '.') + 1)
                                   AND f.value IN (SELECT value FROM json_each(l.value)
                                                   WHERE key > 0))))
), value AS MATERIALIZED (
    SELECT k.*, ro.workload_id, ro.phase, ro.class, ro.direct_effect, ro.origin, ro.metric_id,
           ro.n, ro.n_left_out
    FROM taken AS k
    CROSS JOIN headline AS hl
    CROSS JOIN rollup AS ro ON (ro.target_id, ro.workload_id, ro.phase)
                               = (k.own_target, hl.workload_id, hl.phase)
                           AND ro.run_id = k.run_id
    CROSS JOIN metric AS m ON m.id = ro.metric_id
    CROSS JOIN workload AS w ON w.id = ro.workload_id
    WHERE ro.everything = 0 AND k.place IS NOT NULL
      AND (:metric = 'all' OR m.name = ifnull(:metric, hl.metric))
      AND (:workload IS NULL OR w.name = :workload)
), since AS MATERIALIZED (
    -- for each target the beginning of the time that is asked for
    SELECT t.target_id, ifnull(:since, min(:now - 90 * 86400000000000, ifnull(f.at, :now))) AS at
    FROM (SELECT DISTINCT target_id FROM taken) AS t
    LEFT JOIN (SELECT target_id, min(started_at) AS at
               FROM (SELECT target_id, started_at,
                            row_number() OVER (PARTITION BY target_id ORDER BY place DESC) AS back
                     FROM (SELECT target_id, place, started_at FROM value
                           GROUP BY target_id, place))
               WHERE back <= 20
               GROUP BY target_id) AS f ON f.target_id = t.target_id
), inside AS (
    SELECT v.*, 3 * sum(n_left_out) OVER one > sum(n + n_left_out) OVER one AS spoilt
    FROM value AS v
    JOIN since AS s ON s.target_id = v.target_id AND v.started_at >= s.at
    WINDOW one AS (PARTITION BY v.target_id, workload_id, phase, class, direct_effect, origin,
                                metric_id)
), counted AS (
    SELECT i.*, n = 0 AND n_left_out > 0 AND NOT spoilt AND NOT :disturbed AND NOT :all AS out
    FROM inside AS i
    WHERE asked
), item AS (
    -- runs that lost series; what: which of them, where others of the run are left
    SELECT host, run_id, uuid, started_at, 1 AS disturbed,
           printf('disturbed%s%s',
                  CASE WHEN max(out) = min(out) THEN ''
                       WHEN count(DISTINCT target) > count(DISTINCT CASE WHEN out THEN target END)
                       THEN ' for ' || replace(group_concat(DISTINCT CASE WHEN out THEN target END),
                                               ',', ', ')
                       WHEN count(DISTINCT phase) > count(DISTINCT CASE WHEN out THEN phase END)
                       THEN ' for ' || replace(group_concat(DISTINCT CASE WHEN out THEN phase END),
                                               ',', ', ')
                       ELSE ' in part' END,
                  (SELECT ' (' || replace(group_concat(DISTINCT code), ',', ', ')
                          || iif(c.forced, ', forced', '') || ')'
                   FROM finding
                   WHERE run_id = c.run_id AND severity IN ('disturbed', 'refuse'))) AS why
    FROM counted AS c
    GROUP BY host, run_id
    HAVING max(out)
    UNION ALL
    -- and those that never had any
    SELECT k.host, k.run_id, k.uuid, k.started_at, 0,
           CASE WHEN excluded IS NOT NULL
                THEN printf('excluded%s', CASE WHEN NOT :mask
                                               THEN ' (' || fact_short('', excluded, 60) || ')' END)
                ELSE printf('%s%s', CASE k.status WHEN 'done' THEN 'nothing measured'
                                                  ELSE k.status END,
                            (SELECT ' (' || replace(group_concat(DISTINCT code), ',', ', ') || ')'
                             FROM finding
                             WHERE run_id = k.run_id AND severity = 'refuse')) END
    FROM taken AS k
    JOIN since AS s ON s.target_id = k.target_id AND k.started_at >= s.at
    WHERE k.asked AND k.place IS NULL AND k.status <> 'running' AND :workload IS NULL
    GROUP BY k.host, k.run_id
), placed AS (
    SELECT *, row_number() OVER (PARTITION BY host ORDER BY started_at DESC, run_id DESC) AS k
    FROM item
)
SELECT host, printf('%s: %s left out: %s%s. %s', host,
              CASE count(*) WHEN 1 THEN 'one run is' ELSE count(*) || ' runs are' END,
              group_concat(printf('%s of %s, %s', substr(uuid, 1, 8),
                                  substr(local_date(started_at), 1, 10), why), '; ')
                  FILTER (WHERE k <= 3),
              CASE WHEN count(*) > 3 THEN printf('; and %d before', count(*) - 3) END,
              CASE WHEN NOT max(disturbed) THEN 'All runs: zhist show runs.'
                   WHEN count(*) = 1 THEN 'To see it too: --all.'
                   ELSE 'To see what was disturbed too: --all.' END) AS left_out,
       NULL AS worth
FROM (SELECT * FROM placed ORDER BY host, k)
GROUP BY host
UNION ALL
SELECT host, NULL,
       printf('%s: worth knowing: %s%s. What it means: zhist show run %s.', host,
              group_concat(printf('%s (%d %s%s)', code, runs, iif(runs = 1, 'run', 'runs'),
                                  CASE WHEN newest < last
                                       THEN ', newest ' || substr(local_date(newest), 1, 10) END),
                           ', ') FILTER (WHERE k <= 5),
              CASE WHEN count(*) > 5 THEN printf(' and %d more', count(*) - 5) END,
              max(CASE WHEN k = 1 THEN run END))
FROM (SELECT *, row_number() OVER (PARTITION BY host ORDER BY severity = 'say', runs DESC, code) AS k
      FROM (-- bare columns are those of the newest run (one max() only!)
            SELECT c.host, f.code, f.severity, count(DISTINCT c.run_id) AS runs,
                   max(c.started_at) AS newest, substr(c.uuid, 1, 8) AS run, c.last
            FROM (SELECT DISTINCT host, run_id, uuid, own_target, started_at,
                         max(started_at) OVER (PARTITION BY host) AS last
                  FROM counted WHERE NOT out) AS c
            JOIN finding AS f ON f.run_id = c.run_id AND f.severity IN ('say', 'class', 'shape')
                             AND (f.target_id IS NULL OR f.target_id = c.own_target)
            GROUP BY c.host, f.code
            -- of the newest run these are told with their row
            HAVING newest < last OR f.severity <> 'shape' AND f.code <> 'faster-than-hardware')
      ORDER BY host, k)
GROUP BY host
ORDER BY host;
