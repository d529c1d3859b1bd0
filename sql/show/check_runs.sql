-- For each host and profile its newest text, when a run of it last ended well (none: when the first
-- began), and what the newest of those that did not say. `every:` stands in the text only.
WITH own AS (
    SELECT h.host, (SELECT machine_id FROM host WHERE id = h.canonical_id) AS machine_id, p.name,
           p.text, r.*
    FROM run AS r
    JOIN v_host AS h ON h.host_id = r.host_id
    JOIN profile AS p ON p.id = r.profile_id
    WHERE r.origin = 'measured' AND (:profile IS NULL OR p.name = :profile)
), newest AS (
    SELECT host, machine_id, name, text, max(started_at) AS at, min(started_at) AS first_at,
           max(CASE WHEN status = 'done' THEN started_at END) AS done_at
    FROM own
    GROUP BY machine_id, name
)
SELECT n.host, n.name, n.text, n.done_at IS NULL AS never, ifnull(n.done_at, n.first_at) AS last_at,
       short_digest(n.machine_id || char(10) || n.name || char(10) || 'stopped')
       || '-' || strftime('%Y%m%d', ifnull(n.done_at, n.first_at) / 1000000000, 'unixepoch') AS key,
       strftime('%Y%m%d', ifnull(n.done_at, n.first_at) / 1000000000, 'unixepoch') AS day,
       (SELECT group_concat(told, '; ')
        FROM (SELECT printf('%s %s%s', substr(local_date(o.started_at), 1, 10),
                            CASE o.status WHEN 'running' THEN 'did not end'
                                          ELSE o.status END,
                            ': ' || (SELECT text FROM finding
                                     WHERE run_id = o.id AND severity IN ('refuse', 'disturbed')
                                     ORDER BY severity = 'refuse' DESC, id LIMIT 1)) AS told
              FROM own AS o
              WHERE (o.machine_id, o.name) = (n.machine_id, n.name) AND o.status <> 'done'
                AND o.started_at > ifnull(n.done_at, 0)
              ORDER BY o.started_at DESC LIMIT 3)) AS reasons
FROM newest AS n
ORDER BY n.host, n.name;
