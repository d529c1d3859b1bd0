-- title: Series
-- about: what is compared over time: target, workload, phase, cache class, effective O_DIRECT
-- group: host
-- column: origin show=v
-- column: runs align=right
-- column: newest unit=date
SELECT t.host, t.target, w.name AS workload, ro.phase, ro.class, ro.direct_effect AS direct,
       ro.origin, count(DISTINCT ro.run_id) AS runs, max(r.started_at) AS newest
FROM rollup AS ro
JOIN v_target AS t ON t.target_id = ro.target_id
JOIN workload AS w ON w.id = ro.workload_id
JOIN run AS r ON r.id = ro.run_id
WHERE ro.everything
GROUP BY t.canonical_id, ro.workload_id, ro.phase, ro.class, ro.direct_effect, ro.origin
ORDER BY t.host, t.target, w.name, ro.phase;
