-- title: Facts
-- about: what was true of the machine before the run, and what had moved at its end
-- param: all flag = 0 -- also those that few people ask for
-- param: raw flag = 0 -- values as they are stored, not as people write sizes
-- param: mask flag = 0 -- host-1 and target-1 instead of names, no serials and paths
-- group: thing
-- column: thing show=no
-- column: fact head=""
-- column: value head=""
-- column: class show=no
-- column: source show=no
WITH word AS MATERIALIZED (
    SELECT kind, name, masked FROM v_mask WHERE :mask
), r AS MATERIALIZED (
    SELECT id, substr(uuid, 1, 8) AS short FROM run WHERE uuid = :run
), fact_of AS (
    SELECT rf.target_id, rf.kind, rf.subject, rf.moment, f.key, f.value, f.source, f.class
    FROM r
    JOIN run_factset AS rf ON rf.run_id = r.id
    JOIN fact AS f ON f.factset_id = rf.factset_id
    UNION ALL
    SELECT s.target_id, substr(s.subject, 1, instr(s.subject || ':', ':') - 1),
           substr(s.subject, instr(s.subject || ':', ':') + 1), s.moment, s.key, s.value, NULL,
           'state'
    FROM r JOIN run_state AS s ON s.run_id = r.id
), told AS (
    SELECT f.*, f.kind || '.' || f.key AS name,
           CASE WHEN :mask AND is_secret(f.kind || '.' || f.key)
                THEN coalesce((SELECT masked FROM word WHERE (kind, name) = (f.kind, f.value)),
                              (SELECT masked FROM word WHERE name = f.value), 'hidden')
                WHEN :raw THEN f.value ELSE fact_text(f.kind || '.' || f.key, f.value) END
           -- what somebody set, on it or above it, is told apart from a default
           || CASE WHEN :raw OR f.kind <> 'dataset' OR f.value IS NULL THEN ''
                   WHEN f.source = 'local' THEN ' (set on it)'
                   WHEN f.source = 'received' OR f.source LIKE 'inherited from %'
                   THEN ' (' || f.source || ')' ELSE '' END AS text,
           -- the reason why something is unknown matters for the storage; the rest can be asked
           :all OR f.subject = 'declared'
                OR is_main(f.kind || '.' || f.key, f.source)
                   AND (f.value IS NOT NULL OR f.kind <> 'system' AND f.class <> 'state') AS shown
    FROM fact_of AS f
), both AS (
    -- of what moves by itself, only what is told anew in three digits
    SELECT b.*, a.key IS NOT NULL AND a.value IS NOT b.value
                AND (:raw OR b.class <> 'state' OR a.text IS NOT b.text) AS moved,
           a.text AS after_text
    FROM told AS b
    LEFT JOIN told AS a
           ON (a.target_id, a.kind, a.subject, a.key, a.moment)
              = (b.target_id, b.kind, b.subject, b.key, 'after')
    WHERE b.moment = 'before'
), row AS (
    SELECT target_id, kind, subject, 0 AS last, key AS fact,
           printf('%s%s', ifnull(text, 'unknown' || ifnull(': ' || nullif(source, ''), '')),
                  CASE WHEN moved THEN ' -> ' || ifnull(after_text, 'unknown') END) AS value,
           class, source
    FROM both WHERE shown OR moved AND class <> 'state'
    UNION ALL
    SELECT target_id, kind, subject, 1, 'and ' || count(*) || ' more',
           'zhist show run ' || (SELECT short FROM r) || ' -v', NULL, NULL
    FROM both WHERE NOT (shown OR moved AND class <> 'state')
    GROUP BY target_id, kind, subject
)
SELECT CASE w.kind
       WHEN 'module' THEN 'OpenZFS module'
       WHEN 'system' THEN 'system'
       ELSE printf('%s%s%s%s', w.kind,
                   CASE WHEN w.subject = 'declared' THEN ' as the profile declares it'
                        ELSE (SELECT ' ' || text FROM told
                              WHERE (target_id, kind, subject, key, moment)
                                    = (w.target_id, w.kind, w.subject, 'name', 'before')) END,
                   (SELECT ' (' || text || ')' FROM told
                    WHERE (target_id, kind, subject, key, moment)
                          = (w.target_id, w.kind, w.subject, 'model', 'before')),
                   CASE WHEN (SELECT count(*) FROM run_target
                              WHERE run_id = (SELECT id FROM r)) > 1
                        THEN ', target ' || iif(:mask, (SELECT masked FROM word
                                                        WHERE (kind, name) = ('target', t.target)),
                                                t.target) END) END AS thing,
       w.fact, w.value, w.class, w.source
FROM row AS w
LEFT JOIN v_target AS t ON t.target_id = w.target_id
ORDER BY CASE w.kind WHEN 'system' THEN 0 WHEN 'dataset' THEN 1 WHEN 'pool' THEN 2 WHEN 'disk' THEN 3
                     WHEN 'mount' THEN 4 ELSE 5 END,
         w.target_id, w.kind, w.subject, w.last, w.fact;
