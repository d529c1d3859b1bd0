-- title: Facts
-- about: what was true of the machine, before the run
-- column: class show=v
-- column: source show=v
SELECT f.kind || CASE WHEN f.subject <> '' THEN ' ' || f.subject ELSE '' END || ' ' || f.key
         || CASE WHEN f.target_id THEN ' (' || t.target || ')' ELSE '' END AS fact,
       ifnull(f.value, 'unknown: ' || f.source) AS value, f.class, f.source
FROM v_fact AS f
JOIN run AS r ON r.id = f.run_id
LEFT JOIN v_target AS t ON t.target_id = f.target_id
WHERE r.uuid = :run
ORDER BY f.kind, f.target_id, f.subject, f.key;
