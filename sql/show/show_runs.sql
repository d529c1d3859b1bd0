-- title: Runs
-- about: every run, newest first; crashed: it began and never ended
-- param: mask flag = 0 -- target-1 instead of its name
-- column: started unit=date show=no
-- column: at head=started show=table
-- column: duration unit=duration align=right show=v
-- column: iterations align=right show=v
-- column: disturbed show=no
-- column: marked keep=yes
WITH word AS MATERIALIZED (SELECT name, masked FROM v_mask WHERE :mask AND kind = 'target')
SELECT substr(r.uuid, 1, 8) AS run, h.host, r.started_at AS started,
       -- with seconds where two began in one minute
       local_date(r.started_at)
       || CASE WHEN count(*) OVER (PARTITION BY r.started_at / 60000000000) > 1
               THEN printf(':%02d', r.started_at / 1000000000 % 60) ELSE '' END AS at,
       r.finished_at - r.started_at AS duration, p.name AS profile,
       CASE WHEN r.status <> 'running' THEN r.status
            WHEN lives(r.process) THEN 'running'
            WHEN lives(r.process) IS NULL THEN 'not ended'
            ELSE 'crashed' END AS status,
       (SELECT count(*) FROM iteration WHERE run_id = r.id) AS iterations,
       (SELECT count(*) FROM finding WHERE run_id = r.id
           AND severity IN ('disturbed', 'refuse')) AS disturbed,
       -- the worst that was found; a refusal is a status already
       (SELECT CASE WHEN r.status = 'refused' THEN NULL
                    WHEN max(severity = 'refuse') AND r.forced THEN 'forced'
                    WHEN max(severity IN ('disturbed', 'refuse')) THEN 'disturbed' END
        FROM finding WHERE run_id = r.id) AS marked,
       (SELECT group_concat(target, ', ')
        FROM (SELECT iif(:mask, (SELECT masked FROM word WHERE name = t.target),
                         t.target) AS target
              FROM run_target AS rt JOIN v_target AS t ON t.target_id = rt.target_id
              WHERE rt.run_id = r.id ORDER BY rt.position)) AS targets,
       CASE WHEN r.excluded IS NULL THEN r.note ELSE 'excluded: ' || r.excluded END AS note
FROM run AS r
JOIN v_host AS h ON h.host_id = r.host_id
LEFT JOIN profile AS p ON p.id = r.profile_id
ORDER BY r.started_at DESC, r.id DESC;
