SELECT count(*) AS runs, min(started_at) AS first_at,
       count(*) FILTER (WHERE status = 'refused') AS refused,
       count(*) FILTER (WHERE status = 'running' AND lives(process) IS NOT 1) AS unfinished
FROM run;
