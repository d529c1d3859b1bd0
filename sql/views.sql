-- All views: dropped and made again after any migration; a change here needs a new step in
-- sql/migrate/. Only functions of plain SQLite >= 3.38: any sqlite3 shell can read them. Up to 3.40
-- json_extract is refused in a view of an untrusted schema, json_each is not.

-- Hosts and targets under the name they go by: alias_of joins a reinstalled or moved one.
CREATE VIEW v_host AS
SELECT h.id AS host_id, ifnull(h.alias_of, h.id) AS canonical_id, ifnull(a.name, h.name) AS host,
       h.machine_id
FROM host AS h LEFT JOIN host AS a ON a.id = h.alias_of;

CREATE VIEW v_target AS
SELECT t.id AS target_id, ifnull(t.alias_of, t.id) AS canonical_id,
       ifnull(a.name, t.name) AS target, h.host, h.canonical_id AS host_id
FROM target AS t
LEFT JOIN target AS a ON a.id = t.alias_of
JOIN v_host AS h ON h.host_id = t.host_id;

-- Iterations touched from outside: by a finding of their own, of their target, or of their run; a
-- row for each such finding.
CREATE VIEW v_disturbed AS
SELECT i.id AS iteration_id
FROM finding AS f
JOIN iteration AS i
  ON i.run_id = f.run_id
 AND (f.iteration_id IS NULL OR f.iteration_id = i.id)
 AND (f.target_id IS NULL OR f.target_id = i.target_id)
 AND (f.workload_id IS NULL OR f.workload_id = i.workload_id)
WHERE f.severity IN ('disturbed', 'refuse');

-- The one metric that answers for a phase: what zhist shows unless told otherwise. Durable is
-- unknown without a flush.
CREATE VIEW v_headline AS
SELECT w.id AS workload_id, p.phase, p.position,
       -- Nothing is durable without a flush, and the null engine has nothing to flush.
       CASE WHEN p.durable AND EXISTS (SELECT 1 FROM json_each(w.spec)
                                       WHERE (key = 'flush' AND value = 'none')
                                          OR (key = 'engine' AND value = 'null'))
            THEN 'throughput' ELSE p.metric END AS metric
FROM workload AS w
JOIN (SELECT 'file' AS kind, 'write' AS phase, 0 AS position, 'throughput_durable' AS metric,
             1 AS durable
      UNION ALL SELECT 'file', 'read', 1, 'throughput', 0
      UNION ALL SELECT 'file', 'rewrite', 2, 'throughput_durable', 1
      UNION ALL SELECT 'file', 'randread', 3, 'ops_per_second', 0
      UNION ALL SELECT 'file', 'randwrite', 4, 'throughput_durable', 1
      UNION ALL SELECT 'file', 'mixed', 5, 'ops_per_second', 0
      UNION ALL SELECT 'fileset', 'create', 0, 'files_per_second', 0
      UNION ALL SELECT 'fileset', 'list', 1, 'files_per_second', 0
      UNION ALL SELECT 'fileset', 'stat', 2, 'files_per_second', 0
      UNION ALL SELECT 'fileset', 'read', 3, 'files_per_second', 0
      UNION ALL SELECT 'fileset', 'rename', 4, 'files_per_second', 0
      UNION ALL SELECT 'fileset', 'delete', 5, 'files_per_second', 0
      UNION ALL SELECT 'fio', 'job', 0, 'throughput', 0) AS p ON p.kind = w.kind;

-- What a row is called in a table: "write 2000 MiB, on disk", "random read 16 KiB, from memory".
-- A read whose cache class is unknown says so: it is never taken for a read of the disks.
CREATE VIEW v_label AS
WITH c AS (
    SELECT c.run_id, c.target_id, c.workload_id, c.phase, c.class, c.direct_effect,
           c.engine_effect, c.size, ifnull((SELECT value FROM json_each(w.spec) WHERE key = 'block'), 1048576) AS block,
           ifnull((SELECT value FROM json_each(w.spec) WHERE key = 'flush'), 'end') AS flush,
           ifnull((SELECT value FROM json_each(w.spec) WHERE key = 'jobs'), 1) AS jobs,
           ifnull((SELECT value FROM json_each(w.spec) WHERE key = 'direct'), 0) AS direct, w.kind, w.name,
           (SELECT rt.fstype FROM run_target AS rt
            WHERE rt.run_id = c.run_id AND rt.target_id = c.target_id) AS fstype
    FROM cell AS c JOIN workload AS w ON w.id = c.workload_id
), t AS (
    SELECT c.*,
       CASE WHEN c.size % 1099511627776 = 0 THEN (c.size / 1099511627776) || ' TiB'
            WHEN c.size % 1073741824 = 0 THEN (c.size / 1073741824) || ' GiB'
            WHEN c.size % 1048576 = 0 THEN (c.size / 1048576) || ' MiB'
            WHEN c.size % 1000000000 = 0 THEN (c.size / 1000000000) || ' GB'
            WHEN c.size % 1000000 = 0 THEN (c.size / 1000000) || ' MB'
            WHEN c.size % 1024 = 0 THEN (c.size / 1024) || ' KiB'
            ELSE c.size || ' B' END AS size_text,
       CASE WHEN c.block % 1099511627776 = 0 THEN (c.block / 1099511627776) || ' TiB'
            WHEN c.block % 1073741824 = 0 THEN (c.block / 1073741824) || ' GiB'
            WHEN c.block % 1048576 = 0 THEN (c.block / 1048576) || ' MiB'
            WHEN c.block % 1000000000 = 0 THEN (c.block / 1000000000) || ' GB'
            WHEN c.block % 1000000 = 0 THEN (c.block / 1000000) || ' MB'
            WHEN c.block % 1024 = 0 THEN (c.block / 1024) || ' KiB'
            ELSE c.block || ' B' END AS block_text
    FROM c
)
SELECT t.run_id, t.target_id, t.workload_id, t.phase, t.name AS workload,
       CASE WHEN t.kind <> 'file' THEN t.name || ', ' || t.phase
            WHEN t.phase = 'randread' THEN 'random read ' || t.block_text
            WHEN t.phase = 'randwrite' THEN 'random write ' || t.block_text
            WHEN t.phase = 'mixed' THEN 'random mixed ' || t.block_text
            WHEN t.size IS NULL THEN t.phase
            ELSE t.phase || ' ' || t.size_text END
       || CASE WHEN t.jobs > 1 THEN ' x ' || t.jobs || ' jobs' ELSE '' END
       || CASE WHEN t.engine_effect = 'null' THEN ', null engine'
               WHEN t.phase IN ('write', 'rewrite', 'randwrite')
               THEN CASE WHEN t.fstype IN ('tmpfs', 'ramfs') THEN ', to memory'
                    WHEN t.flush = 'none' THEN ', not flushed' ELSE ', on disk' END
               WHEN t.phase IN ('read', 'randread', 'mixed')
               THEN CASE t.class WHEN 'cold' THEN ', from disk' WHEN 'cached' THEN ', from memory'
                                 WHEN 'partial' THEN ', partly from memory'
                                 ELSE ', memory or disk' END
               ELSE '' END
       || CASE WHEN t.direct_effect = 'yes' THEN ', O_DIRECT'
               WHEN t.direct AND t.direct_effect = 'unknown' THEN ', O_DIRECT asked'
               ELSE '' END AS label
FROM t;

-- The facts of a run, as kind.key; target_id 0: the host. Facts of several disks are several rows.
CREATE VIEW v_fact AS
SELECT rf.run_id, rf.target_id, rf.kind, rf.subject, f.key, rf.kind || '.' || f.key AS name,
       f.value, f.source, f.class, f.leader
FROM run_factset AS rf
JOIN fact AS f ON f.factset_id = rf.factset_id
WHERE rf.moment = 'before';

-- Consecutive runs of a target.
CREATE VIEW v_step AS
SELECT rt.target_id, rt.run_id, r.started_at,
       lag(rt.run_id) OVER (PARTITION BY rt.target_id ORDER BY r.started_at, r.id) AS before_id
FROM run_target AS rt
JOIN run AS r ON r.id = rt.run_id
WHERE r.status <> 'refused' AND r.excluded IS NULL
  AND EXISTS (SELECT 1 FROM rollup WHERE run_id = r.id);

-- Settings that differ between consecutive runs of a target. Sets with the same digest need no
-- look inside. A consequence is told alone only where what it follows did not move.
CREATE VIEW v_event AS
WITH moved AS MATERIALIZED (
    SELECT s.target_id, s.run_id, s.before_id, s.started_at, n.target_id AS scope, n.kind,
           n.subject, o.factset_id AS old_id, n.factset_id AS new_id
    FROM v_step AS s
    JOIN run_factset AS n ON n.run_id = s.run_id AND n.target_id IN (0, s.target_id)
                         AND n.moment = 'before'
    JOIN run_factset AS o ON o.run_id = s.before_id AND o.target_id = n.target_id
                         AND o.kind = n.kind AND o.subject = n.subject AND o.moment = 'before'
    WHERE s.before_id IS NOT NULL AND o.factset_id <> n.factset_id
), differs AS MATERIALIZED (
    SELECT m.target_id, m.run_id, m.before_id, m.started_at, m.kind, m.subject, n.key,
           o.value AS from_value, n.value AS to_value, n.class, n.leader
    FROM moved AS m
    JOIN fact AS n ON n.factset_id = m.new_id
    LEFT JOIN fact AS o ON o.factset_id = m.old_id AND o.key = n.key
    WHERE n.class <> 'name' AND (o.key IS NULL OR o.value IS NOT n.value)
      AND n.value IS NOT NULL AND (o.key IS NULL OR o.value IS NOT NULL)
    UNION ALL
    SELECT m.target_id, m.run_id, m.before_id, m.started_at, m.kind, m.subject, o.key,
           o.value, NULL, o.class, o.leader
    FROM moved AS m
    JOIN fact AS o ON o.factset_id = m.old_id
    WHERE o.class <> 'name' AND o.value IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM fact WHERE factset_id = m.new_id AND key = o.key)
    UNION ALL
    SELECT s.target_id, s.run_id, s.before_id, s.started_at, n.kind, n.subject, 'present',
           CASE n.run_id WHEN s.before_id THEN 'yes' ELSE 'no' END,
           CASE n.run_id WHEN s.before_id THEN 'no' ELSE 'yes' END, 'setting', NULL
    FROM v_step AS s
    JOIN run_factset AS n ON n.run_id IN (s.run_id, s.before_id)
                         AND n.target_id IN (0, s.target_id) AND n.moment = 'before'
                         AND n.kind IN ('disk', 'pool')
    WHERE s.before_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM run_factset AS x
                      WHERE x.run_id = CASE n.run_id WHEN s.run_id THEN s.before_id
                                                     ELSE s.run_id END
                        AND x.target_id = n.target_id AND x.kind = n.kind
                        AND x.subject = n.subject AND x.moment = 'before')
)
SELECT d.target_id, d.run_id, d.before_id, d.started_at,
       d.kind || CASE WHEN d.kind IN ('disk', 'pool') AND d.subject <> '' THEN '.' || d.subject
                      ELSE '' END || '.' || d.key AS name,
       d.from_value, d.to_value,
       d.class = 'consequence' AND EXISTS (SELECT 1 FROM differs AS l
                                           WHERE l.run_id = d.run_id AND l.target_id = d.target_id
                                             AND l.kind || '.' || l.key = d.leader) AS follows
FROM differs AS d;

-- One row an iteration, with what a person asks for first. Rates in bytes a second.
CREATE VIEW v_iteration AS
SELECT i.id AS iteration_id,
       r.uuid AS run,
       h.host, t.target, rt.path, rt.fstype,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'name') AS dataset,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'compression') AS compression,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'encryption') AS encryption,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'recordsize') AS recordsize,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = 0
           AND kind = 'system' AND key = 'kernel') AS kernel,
       p.name AS profile, w.name AS workload, w.kind, i.phase, i.ordinal, i.block, i.warmup,
       r.origin, r.note,
       strftime('%Y-%m-%d %H:%M:%S', i.started_at / 1000000000, 'unixepoch') AS started_utc,
       i.started_at, i.status, i.errno, i.cache_class, c.direct_effect, c.engine_effect,
       i.bound_by, i.bytes, i.ops,
       i.duration_ns / 1e9 AS duration_s, i.flush_ns / 1e9 AS flush_s,
       (SELECT value FROM sample WHERE iteration_id = i.id AND metric_id =
           (SELECT id FROM metric WHERE name = 'throughput')) AS throughput,
       (SELECT value FROM sample WHERE iteration_id = i.id AND metric_id =
           (SELECT id FROM metric WHERE name = 'throughput_durable')) AS throughput_durable,
       (SELECT value FROM sample WHERE iteration_id = i.id AND metric_id =
           (SELECT id FROM metric WHERE name = 'ops_per_second')) AS ops_per_second,
       (SELECT value FROM sample WHERE iteration_id = i.id AND metric_id =
           (SELECT id FROM metric WHERE name = 'lat_p50')) AS lat_p50_ns,
       (SELECT value FROM sample WHERE iteration_id = i.id AND metric_id =
           (SELECT id FROM metric WHERE name = 'lat_p99')) AS lat_p99_ns,
       EXISTS (SELECT 1 FROM finding AS f
               WHERE f.run_id = i.run_id AND f.severity IN ('disturbed', 'refuse')
                 AND (f.iteration_id IS NULL OR f.iteration_id = i.id)
                 AND (f.target_id IS NULL OR f.target_id = i.target_id)
                 AND (f.workload_id IS NULL OR f.workload_id = i.workload_id)) AS disturbed,
       r.excluded
FROM iteration AS i
JOIN run AS r ON r.id = i.run_id
JOIN v_host AS h ON h.host_id = r.host_id
JOIN v_target AS t ON t.target_id = i.target_id
JOIN run_target AS rt ON rt.run_id = i.run_id AND rt.target_id = i.target_id
JOIN workload AS w ON w.id = i.workload_id
LEFT JOIN profile AS p ON p.id = r.profile_id
LEFT JOIN cell AS c ON c.run_id = i.run_id AND c.target_id = i.target_id
                   AND c.workload_id = i.workload_id AND c.phase = i.phase;
