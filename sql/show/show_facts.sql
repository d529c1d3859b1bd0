-- title: Facts
-- about: the facts that were stored: how many values each had, in how many runs, and its newest
-- param: all flag = 0 -- also those that few people ask for, and what was never known
-- param: raw flag = 0 -- values as they are stored, not as people write sizes
-- param: mask flag = 0 -- dataset-1 and pool-1 instead of names, no serials and paths
-- group: kind
-- column: kind show=no
-- column: fact show=no
-- column: key head="" show=table
-- column: class show=v
-- column: follows show=v
-- column: values align=right
-- column: runs align=right
--
-- Facts that lie in the same sets have the same runs, so those are counted once for all of them.
WITH seen AS MATERIALIZED (
    SELECT DISTINCT factset_id, run_id FROM run_factset WHERE moment = 'before'
), one AS MATERIALIZED (
    SELECT s.kind, seen.factset_id, max(seen.run_id) AS newest
    FROM seen JOIN factset AS s ON s.id = seen.factset_id
    GROUP BY seen.factset_id
), kept AS MATERIALIZED (
    SELECT o.kind, f.key, f.class, f.leader, f.value, f.source, max(o.newest),
           count(DISTINCT f.value) AS n_values, json_group_array(o.factset_id) AS sets
    FROM (SELECT * FROM one ORDER BY factset_id) AS o
    JOIN fact AS f ON f.factset_id = o.factset_id
    GROUP BY o.kind, f.key
), counted AS MATERIALIZED (
    SELECT sets, (SELECT count(DISTINCT run_id) FROM seen
                  WHERE factset_id IN (SELECT value FROM json_each(sets))) AS runs
    FROM (SELECT DISTINCT sets FROM kept)
), every AS (
    SELECT kind, key, class, leader, n_values, runs, value, source
    FROM kept JOIN counted USING (sets)
    UNION ALL
    SELECT kind, key, 'state', NULL, n_values, runs, value, NULL
    FROM (SELECT substr(subject, 1, instr(subject || ':', ':') - 1) AS kind, key, value,
                 max(run_id), count(DISTINCT value) AS n_values, count(DISTINCT run_id) AS runs
          FROM run_state
          WHERE moment = 'before'
          GROUP BY 1, 2)
), named AS (
    SELECT *, kind || '.' || key AS fact,
           :all OR n_values > 0 AND is_main(kind || '.' || key, source)
                OR n_values > 1 AND class = 'setting' AND key <> 'serial_digest' AS shown
    FROM every
)
SELECT key, fact, class, leader AS follows, n_values AS "values", runs,
       CASE WHEN :mask AND is_secret(fact) AND value NOT IN (SELECT name FROM v_mask) THEN 'hidden'
            WHEN :raw THEN value ELSE fact_text(fact, value) END AS newest, kind
FROM (SELECT *, 0 AS last FROM named WHERE shown
      UNION ALL
      SELECT kind, 'and ' || count(*) || ' more', NULL, NULL, NULL, NULL, 'zhist show facts -v', NULL,
             NULL, 0, 1
      FROM named WHERE NOT shown GROUP BY kind)
ORDER BY CASE kind WHEN 'system' THEN 0 WHEN 'dataset' THEN 1 WHEN 'pool' THEN 2 WHEN 'disk' THEN 3
                   WHEN 'mount' THEN 4 ELSE 5 END, kind, last, key;
