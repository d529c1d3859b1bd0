-- title: Hosts
-- about: machines this history knows
-- column: runs align=right
-- column: newest unit=date
SELECT h.host, h.machine_id, count(r.id) AS runs, max(r.started_at) AS newest
FROM v_host AS h
LEFT JOIN run AS r ON r.host_id = h.host_id
GROUP BY h.host_id
ORDER BY h.host;
