-- title: Findings
-- about: what the reader of a run must know
SELECT f.code, f.severity, t.target, f.text
FROM finding AS f
JOIN run AS r ON r.id = f.run_id
LEFT JOIN v_target AS t ON t.target_id = f.target_id
WHERE r.uuid = :run
ORDER BY f.id;
