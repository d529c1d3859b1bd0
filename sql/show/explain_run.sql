-- title: Run
-- about: each phase of a run with the values of its iterations, in base units
-- group: target
-- column: label head=""
-- column: n align=right
-- column: mean align=right
-- column: sd align=right
-- column: median align=right
-- column: lag1 align=right head=lag-1
-- column: stopped
-- column: values_line show=table
-- above: values_line
-- sentence: sentence
--
-- A value in brackets does not count: warm-up (w), disturbed (d), failed (f).
WITH one AS (
    SELECT i.*, x.value, w.name AS workload, hl.position, hl.metric, c.stop_rule, t.target,
           l.label, rt.position AS target_position, m.unit,
           EXISTS (SELECT 1 FROM v_disturbed AS d WHERE d.iteration_id = i.id) AS disturbed
    FROM run AS r
    JOIN iteration AS i ON i.run_id = r.id
    JOIN workload AS w ON w.id = i.workload_id
    JOIN v_headline AS hl ON (hl.workload_id, hl.phase) = (i.workload_id, i.phase)
    JOIN metric AS m ON m.name = hl.metric
    LEFT JOIN sample AS x ON (x.iteration_id, x.metric_id) = (i.id, m.id)
    JOIN cell AS c ON (c.run_id, c.target_id, c.workload_id, c.phase)
                      = (i.run_id, i.target_id, i.workload_id, i.phase)
    JOIN v_target AS t ON t.target_id = i.target_id
    JOIN v_label AS l ON (l.run_id, l.target_id, l.workload_id, l.phase)
                         = (i.run_id, i.target_id, i.workload_id, i.phase)
    JOIN run_target AS rt ON (rt.run_id, rt.target_id) = (i.run_id, i.target_id)
    WHERE r.uuid = :run
    ORDER BY i.ordinal
), counted AS (
    SELECT *, status = 'ok' AND NOT warmup AND NOT disturbed AND value IS NOT NULL AS counts FROM one
)
SELECT target, label, sum(counts) AS n,
       printf('%.9g', avg(value) FILTER (WHERE counts)) AS mean,
       printf('%.6g', stddev(value) FILTER (WHERE counts)) AS sd,
       printf('%.9g', median(value) FILTER (WHERE counts)) AS median,
       printf('%.3f', lag1(ordinal, value) FILTER (WHERE counts)) AS lag1, stop_rule AS stopped,
       printf('%s, %s: %s', metric, unit,
              group_concat(CASE WHEN counts THEN printf('%.9g', value)
                                ELSE printf('(%s%s)', ifnull(printf('%.9g ', value), ''),
                                            CASE WHEN status <> 'ok' THEN 'f' WHEN warmup THEN 'w'
                                                 WHEN disturbed THEN 'd' ELSE '-' END) END, ' '))
           AS values_line,
       CASE WHEN sum(NOT counts) > 0
            THEN 'In brackets what does not count: w warm-up, d disturbed, f failed.' END AS sentence
FROM counted
GROUP BY target_id, workload_id, phase
ORDER BY target_position, workload_id, position;
