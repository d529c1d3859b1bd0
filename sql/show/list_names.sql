-- What a filter of a report may name; of a fact its kind.key.
SELECT 'host' AS kind, host AS name FROM v_host
UNION SELECT 'target', target FROM v_target
UNION SELECT 'workload', name FROM workload
UNION SELECT 'metric', name FROM metric
UNION SELECT 'label', key FROM label
UNION SELECT 'fact', s.kind || '.' || f.key FROM factset AS s JOIN fact AS f ON f.factset_id = s.id
UNION SELECT 'dataset', f.value
      FROM factset AS s JOIN fact AS f ON f.factset_id = s.id AND f.key = 'name'
      WHERE s.kind = 'dataset' AND f.value IS NOT NULL;
