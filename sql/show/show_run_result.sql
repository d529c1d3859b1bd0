-- title: Result
-- about: what each phase of a run came to: the headline metric of its iterations
-- group: target
-- column: label head=""
-- column: median unit=@unit align=right
-- column: interval head=+- unit=% align=right
-- column: low head=lowest unit=@unit align=right
-- column: high head=highest unit=@unit align=right
-- column: n align=right
-- column: failed align=right
-- column: stopped show=v
-- column: unit show=no
SELECT t.target, n.label, ro.median,
       CASE WHEN ro.n > 1
            THEN 100 * (SELECT half_width(s.value) FROM iteration AS i
                        JOIN sample AS s ON s.iteration_id = i.id AND s.metric_id = ro.metric_id
                        WHERE i.run_id = ro.run_id AND i.target_id = ro.target_id
                          AND i.workload_id = ro.workload_id AND i.phase = ro.phase
                          AND NOT i.warmup AND i.status = 'ok') / ro.mean END AS interval,
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
WHERE r.uuid = :run
ORDER BY rt.position, hl.workload_id, hl.position;
