-- title: Findings
-- about: what the reader of a run must know
-- column: code show=no
-- column: severity show=no
-- column: target show=no
-- column: finding head="" show=table
-- column: text head=""
SELECT f.code, f.severity, t.target,
       f.code || CASE f.severity WHEN 'disturbed' THEN ' (disturbed)' WHEN 'refuse' THEN ' (refused)'
                 ELSE '' END AS finding,
       f.text
FROM finding AS f
JOIN run AS r ON r.id = f.run_id
LEFT JOIN v_target AS t ON t.target_id = f.target_id
WHERE r.uuid = :run
ORDER BY CASE f.severity WHEN 'refuse' THEN 0 WHEN 'disturbed' THEN 1 ELSE 2 END, f.id;
