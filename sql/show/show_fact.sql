-- title: Values
-- about: the values of one fact over time, newest first: from when to when, in how many runs
-- param: fact text -- kind.key
-- param: raw flag = 0 -- values as they are stored, not as people write sizes
-- param: mask flag = 0 -- host-1 and target-1 instead of names, no serials and paths
-- group: fact, host
-- column: from unit=date
-- column: to unit=date
-- column: runs align=right
-- column: run show=v
WITH one AS (
    SELECT substr(:fact, 1, instr(:fact, '.') - 1) AS kind,
           substr(:fact, instr(:fact, '.') + 1) AS key
), known AS (
    SELECT rf.run_id, rf.target_id, rf.subject, rf.factset_id, f.value, f.source
    FROM one
    JOIN factset AS s ON s.kind = one.kind
    JOIN fact AS f ON f.factset_id = s.id AND f.key = one.key
    JOIN run_factset AS rf ON rf.factset_id = s.id AND rf.moment = 'before'
    UNION ALL
    SELECT s.run_id, s.target_id, substr(s.subject, length(one.kind) + 2), NULL, s.value, NULL
    FROM one
    JOIN run_state AS s ON s.key = one.key AND s.moment = 'before'
                       AND (s.subject = one.kind OR s.subject LIKE one.kind || ':%')
), placed AS (
    SELECT k.*, r.started_at, r.uuid, h.host, t.target,
           row_number() OVER (PARTITION BY h.canonical_id, t.canonical_id, k.subject
                              ORDER BY r.started_at, r.id)
           - row_number() OVER (PARTITION BY h.canonical_id, t.canonical_id, k.subject, k.value
                                ORDER BY r.started_at, r.id) AS spell,
           h.canonical_id AS host_id, t.canonical_id AS of_target
    FROM known AS k
    JOIN run AS r ON r.id = k.run_id
    JOIN v_host AS h ON h.host_id = r.host_id
    LEFT JOIN v_target AS t ON t.target_id = k.target_id
)
SELECT :fact AS fact, host, target,
       CASE WHEN subject = '' THEN NULL
            ELSE ifnull((SELECT name || ifnull(' (' || model || ')', '') FROM v_thing AS v
                         WHERE v.factset_id = p.factset_id), iif(:mask, 'hidden', subject)) END
           AS thing,
       CASE WHEN value IS NULL THEN 'unknown' || ifnull(': ' || nullif(source, ''), '')
            WHEN :mask AND is_secret(:fact) AND value NOT IN (SELECT name FROM v_mask)
            THEN 'hidden' WHEN :raw THEN value ELSE fact_text(:fact, value) END AS value,
       min(started_at) AS "from", max(started_at) AS "to", count(*) AS runs,
       substr(uuid, 1, 8) AS run
FROM placed AS p
GROUP BY host_id, of_target, subject, value, spell
ORDER BY host, target, subject, max(started_at) DESC;
