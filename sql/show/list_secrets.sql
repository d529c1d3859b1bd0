-- Names that --mask hides wherever they stand, and what stands there then.
SELECT name, masked FROM (
    SELECT name, masked FROM v_mask
    UNION
    SELECT machine_id, 'machine-' || canonical_id FROM v_host
    UNION
    SELECT path, 'path-' || min(target_id) FROM run_target GROUP BY path
    UNION
    SELECT f.value, 'server-' || min(s.id)
    FROM factset AS s JOIN fact AS f ON f.factset_id = s.id AND f.key = 'server'
    WHERE s.kind = 'mount' AND f.value IS NOT NULL
    GROUP BY f.value
    UNION
    SELECT subject, 'disk-' || min(factset_id)
    FROM run_factset
    WHERE kind = 'disk' AND subject GLOB '[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*'
    GROUP BY subject
)
ORDER BY length(name) DESC, name, masked;
