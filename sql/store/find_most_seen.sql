-- The most the disks of this host ever moved a second, in runs nobody disturbed.
SELECT max(p.max) AS rate
FROM rollup AS p
JOIN run AS r ON r.id = p.run_id AND r.excluded IS NULL AND r.origin = 'measured'
JOIN host AS h ON h.id = r.host_id
JOIN metric AS m ON m.id = p.metric_id AND m.name = 'disk_throughput'
WHERE h.machine_id = :machine AND NOT p.everything;
