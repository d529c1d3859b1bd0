-- The values of a fact (by: kind.key), of a label (by: label:KEY), or the hosts or targets.
SELECT v.host AS value FROM v_host AS v WHERE :by = 'host'
UNION SELECT target FROM v_target WHERE :by = 'target'
UNION SELECT value FROM label WHERE key = substr(:by, length('label:') + 1) AND :by LIKE 'label:%'
UNION SELECT f.value
      FROM factset AS s
      JOIN fact AS f ON f.factset_id = s.id AND f.key = substr(:by, instr(:by, '.') + 1)
      WHERE s.kind = substr(:by, 1, instr(:by, '.') - 1) AND f.value IS NOT NULL;
