-- title: Run
-- about: one run
-- param: mask flag = 0 -- target-1 instead of its name
-- column: value head=""
-- column: what head=""
WITH r AS (SELECT r.*, h.host, h.machine_id, p.name AS profile
           FROM run AS r
           JOIN v_host AS h ON h.host_id = r.host_id
           LEFT JOIN profile AS p ON p.id = r.profile_id
           WHERE r.uuid = :run)
SELECT 'run' AS what, uuid AS value FROM r
UNION ALL SELECT 'host', host FROM r
UNION ALL SELECT 'profile', profile FROM r
UNION ALL SELECT 'started', local_date(started_at) || printf(':%02d', started_at / 1000000000 % 60)
                                               || ifnull(', took ' || duration_text(finished_at - started_at), '')
          FROM r
UNION ALL SELECT 'status', CASE WHEN status <> 'running' THEN status
                                WHEN lives(process) THEN 'running'
                                WHEN lives(process) IS NULL THEN 'not ended'
                                ELSE 'crashed' END FROM r
UNION ALL SELECT 'zhist', zhist_version FROM r
UNION ALL SELECT 'order', run_order FROM r
UNION ALL SELECT 'seed', CAST(seed AS TEXT) FROM r
UNION ALL SELECT 'forced', 'yes' FROM r WHERE forced
UNION ALL SELECT 'excluded', excluded FROM r WHERE excluded IS NOT NULL
UNION ALL SELECT 'note', note FROM r WHERE note IS NOT NULL
UNION ALL SELECT 'label ' || key, l.value FROM r JOIN label AS l ON l.run_id = r.id
UNION ALL SELECT 'target ' || iif(:mask, (SELECT masked FROM v_mask
                                         WHERE kind = 'target' AND name = t.target), t.target),
                 rt.path || ' (' || ifnull(rt.fstype, 'file system unknown')
                 || ')'
          FROM r JOIN run_target AS rt ON rt.run_id = r.id
          JOIN v_target AS t ON t.target_id = rt.target_id;
