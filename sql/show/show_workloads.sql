-- title: Workloads
-- about: I/O patterns; the digest carries a series across edits of a profile
-- column: runs align=right
SELECT w.name, w.kind, substr(w.digest, 1, 12) AS digest,
       (SELECT count(DISTINCT run_id) FROM cell WHERE workload_id = w.id) AS runs, w.spec
FROM workload AS w
ORDER BY w.name, w.id;
