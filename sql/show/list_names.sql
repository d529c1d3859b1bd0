-- What a filter of a report may name. by: that of the report, for the values of --baseline.
SELECT 'host' AS kind, host AS name FROM v_host
UNION SELECT 'target', target FROM v_target
UNION SELECT 'workload', name FROM workload
UNION SELECT 'metric', name FROM metric
UNION SELECT 'label', key FROM label
UNION SELECT 'fact', rf.kind || '.' || f.key
      FROM fact AS f JOIN (SELECT DISTINCT kind, factset_id FROM run_factset) AS rf
        ON rf.factset_id = f.factset_id
UNION SELECT 'fact', key FROM fact
UNION SELECT 'value', CASE :by WHEN 'host' THEN v.host WHEN 'target' THEN v.target END
      FROM v_target AS v WHERE :by IN ('host', 'target')
UNION SELECT 'value', value FROM label WHERE key = substr(:by, 7) AND :by LIKE 'label:%'
UNION SELECT 'value', f.value
      FROM fact AS f JOIN (SELECT DISTINCT kind, factset_id FROM run_factset) AS rf
        ON rf.factset_id = f.factset_id
      WHERE :by IN (f.key, rf.kind || '.' || f.key);
