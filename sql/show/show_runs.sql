-- title: Runs
-- about: every run, newest first; crashed: it began and never ended
-- column: started unit=date
-- column: duration unit=duration align=right show=v
-- column: iterations align=right show=v
-- column: disturbed align=right
SELECT substr(r.uuid, 1, 8) AS run, h.host, r.started_at AS started,
       r.finished_at - r.started_at AS duration, p.name AS profile,
       CASE WHEN r.status <> 'running' THEN r.status
            WHEN lives(r.process) THEN 'running'
            WHEN lives(r.process) IS NULL THEN 'not ended'
            ELSE 'crashed' END AS status,
       (SELECT count(*) FROM iteration WHERE run_id = r.id) AS iterations,
       (SELECT count(*) FROM finding WHERE run_id = r.id
           AND severity IN ('disturbed', 'refuse')) AS disturbed,
       CASE WHEN r.excluded IS NULL THEN r.note ELSE 'excluded: ' || r.excluded END AS note
FROM run AS r
JOIN v_host AS h ON h.host_id = r.host_id
LEFT JOIN profile AS p ON p.id = r.profile_id
ORDER BY r.started_at DESC, r.id DESC;
