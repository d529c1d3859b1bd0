-- title: Facts
-- about: every fact that was stored, its class, and its newest value
SELECT rf.kind || '.' || f.key AS fact, f.class, f.leader AS follows,
       count(DISTINCT ifnull(f.value, '')) AS "values", f.value AS newest
FROM fact AS f
JOIN run_factset AS rf ON rf.factset_id = f.factset_id
GROUP BY rf.kind, f.key
HAVING max(rf.run_id)
ORDER BY rf.kind, f.key;
