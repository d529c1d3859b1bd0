-- title: Targets
-- about: directories that were measured
-- group: host
-- column: runs align=right
-- column: newest unit=date
SELECT t.host, t.target, rt.path, rt.fstype, count(DISTINCT rt.run_id) AS runs,
       max(r.started_at) AS newest
FROM run_target AS rt
JOIN v_target AS t ON t.target_id = rt.target_id
JOIN run AS r ON r.id = rt.run_id
GROUP BY t.canonical_id
ORDER BY t.host, t.target;
