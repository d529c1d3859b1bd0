-- Is there a state of this name? Which ones, as kind.key; a bare key may be of several kinds.
SELECT DISTINCT substr(subject, 1, instr(subject || ':', ':') - 1) || '.' || key AS name
FROM run_state
WHERE key IN (:name, substr(:name, instr(:name, '.') + 1))
  AND :name IN (key, substr(subject, 1, instr(subject || ':', ':') - 1) || '.' || key)
ORDER BY 1;
