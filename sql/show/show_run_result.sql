-- title: Result
-- about: what each phase of a run came to: the headline metric of its iterations
-- group: target
-- column: label head=""
-- column: median unit=@unit align=right
-- column: interval head=+- align=right show=table
-- column: interval_pct show=no unit=%
-- column: low head=lowest unit=@unit align=right
-- column: high head=highest unit=@unit align=right
-- column: n align=right
-- column: failed align=right
-- column: stopped show=v
-- column: unit show=no
SELECT t.target,
       -- where two workloads would have one label, each has its name too
       n.label || CASE WHEN min(ro.workload_id) OVER alike = max(ro.workload_id) OVER alike THEN ''
                       WHEN min(n.workload) OVER alike = max(n.workload) OVER alike
                       THEN ', ' || n.workload || ' ' || substr(w.digest, 1, 4)
                       ELSE ', ' || n.workload END AS label, ro.median,
       CASE WHEN t_half(ro.n, ro.m2) > 0 AND ro.mean <> 0
            THEN printf('%.1f %%', 100 * t_half(ro.n, ro.m2) / abs(ro.mean)) END AS interval,
       100 * t_half(ro.n, ro.m2) / nullif(abs(ro.mean), 0) AS interval_pct,
       ro.min AS low, ro.max AS high, ro.n,
       (SELECT count(*) FROM iteration AS i
        WHERE i.run_id = ro.run_id AND i.target_id = ro.target_id AND i.workload_id = ro.workload_id
          AND i.phase = ro.phase AND i.status <> 'ok') AS failed,
       c.stop_rule AS stopped, m.unit
FROM run AS r
JOIN rollup AS ro ON ro.run_id = r.id AND ro.everything
JOIN v_headline AS hl ON hl.workload_id = ro.workload_id AND hl.phase = ro.phase
JOIN metric AS m ON m.id = ro.metric_id AND m.name = hl.metric
JOIN cell AS c ON c.run_id = r.id AND c.target_id = ro.target_id
              AND c.workload_id = ro.workload_id AND c.phase = ro.phase
JOIN v_target AS t ON t.target_id = ro.target_id
JOIN run_target AS rt ON rt.run_id = r.id AND rt.target_id = ro.target_id
JOIN v_label AS n ON n.run_id = r.id AND n.target_id = ro.target_id
                 AND n.workload_id = ro.workload_id AND n.phase = ro.phase
JOIN workload AS w ON w.id = ro.workload_id
WHERE r.uuid = :run
WINDOW alike AS (PARTITION BY ro.target_id, n.label)
ORDER BY rt.position, hl.workload_id, hl.position;
