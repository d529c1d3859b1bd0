-- What lay under a target of this host at its newest run that counts, at this path: whoever names
-- another path for it means another place, and the new guid is an event. On ZFS only a run that knew
-- the dataset's name. Other names the host or target goes by are other places.
SELECT rt.fstype, rt.dataset_guid,
       (SELECT f.value
        FROM run_factset AS s JOIN fact AS f ON f.factset_id = s.factset_id AND f.key = 'name'
        WHERE s.run_id = r.id AND s.target_id = rt.target_id AND s.kind = 'dataset'
          AND s.subject <> 'declared' AND s.moment = 'before') AS dataset
FROM host AS h
JOIN target AS t ON t.host_id = h.id AND t.name = :target
JOIN run_target AS rt ON rt.target_id = t.id
JOIN run AS r ON r.id = rt.run_id
WHERE h.machine_id = :machine AND rt.path = :path AND r.origin = 'measured' AND r.status <> 'refused'
  AND r.excluded IS NULL AND (dataset IS NOT NULL OR rt.fstype <> 'zfs')
ORDER BY r.started_at DESC
LIMIT 1;
