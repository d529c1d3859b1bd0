-- Runs of this host that never ended and have no rollup yet.
SELECT r.id, r.process
FROM run AS r
JOIN host AS h ON h.id = r.host_id
WHERE h.machine_id = :machine AND r.status = 'running'
  AND NOT EXISTS (SELECT 1 FROM rollup WHERE run_id = r.id);
