-- Two rows a series and metric: without the disturbed iterations, and with everything. Warm-ups,
-- failed and interrupted iterations, and those of another cache class than their cell, are in
-- neither.
INSERT OR REPLACE INTO rollup(target_id, workload_id, phase, class, direct_effect, origin,
                              metric_id, run_id, everything, n, n_left_out, mean, m2, min, median,
                              p95, max)
SELECT i.target_id, i.workload_id, i.phase, c.class, c.direct_effect, r.origin, s.metric_id, r.id,
       e.value,
       count(*) FILTER (WHERE e.value OR d.iteration_id IS NULL),
       count(*) FILTER (WHERE NOT e.value AND d.iteration_id IS NOT NULL),
       avg(s.value) FILTER (WHERE e.value OR d.iteration_id IS NULL),
       m2(s.value) FILTER (WHERE e.value OR d.iteration_id IS NULL),
       min(s.value) FILTER (WHERE e.value OR d.iteration_id IS NULL),
       median(s.value) FILTER (WHERE e.value OR d.iteration_id IS NULL),
       p95(s.value) FILTER (WHERE e.value OR d.iteration_id IS NULL),
       max(s.value) FILTER (WHERE e.value OR d.iteration_id IS NULL)
FROM iteration AS i
JOIN run AS r ON r.id = i.run_id
JOIN cell AS c ON c.run_id = i.run_id AND c.target_id = i.target_id
              AND c.workload_id = i.workload_id AND c.phase = i.phase
JOIN sample AS s ON s.iteration_id = i.id
JOIN json_each('[0, 1]') AS e
LEFT JOIN (SELECT DISTINCT iteration_id FROM v_disturbed
           WHERE iteration_id IN (SELECT id FROM iteration WHERE run_id = :run)) AS d
       ON d.iteration_id = i.id
WHERE i.run_id = :run AND NOT i.warmup AND i.status = 'ok'
  AND (c.class = 'partial' OR i.cache_class = c.class)
GROUP BY i.target_id, i.workload_id, i.phase, c.class, c.direct_effect, s.metric_id, e.value;
