-- All views: dropped and made again after any migration; a change here needs a new step in
-- sql/migrate/. Only functions of plain SQLite >= 3.38: any sqlite3 shell can read them. Up to 3.40
-- json_extract is refused in a view of an untrusted schema, json_each is not.

-- Hosts and targets under the name they go by: alias_of joins a reinstalled or moved one; what an
-- aliased host calls a target is that target of the other host. canonical_id: one for all of them.
CREATE VIEW v_host AS
SELECT h.id AS host_id, ifnull(h.alias_of, h.id) AS canonical_id, ifnull(a.name, h.name) AS host,
       h.machine_id
FROM host AS h LEFT JOIN host AS a ON a.id = h.alias_of;

CREATE VIEW v_target AS
SELECT t.id AS target_id,
       min(t.id) OVER (PARTITION BY h.canonical_id, ifnull(a.name, t.name)) AS canonical_id,
       ifnull(a.name, t.name) AS target, h.host, h.canonical_id AS host_id
FROM target AS t
LEFT JOIN target AS a ON a.id = t.alias_of
JOIN v_host AS h ON h.host_id = ifnull(a.host_id, t.host_id);

-- Iterations touched from outside: by a finding of their own, of their phase, workload or target,
-- or of their run; a row for each such finding.
CREATE VIEW v_disturbed AS
SELECT i.id AS iteration_id
FROM finding AS f
JOIN iteration AS i
  ON i.run_id = f.run_id
 AND (f.iteration_id IS NULL OR f.iteration_id = i.id)
 AND (f.target_id IS NULL OR f.target_id = i.target_id)
 AND (f.workload_id IS NULL OR f.workload_id = i.workload_id)
 AND (f.phase IS NULL OR f.phase = i.phase)
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

-- What a row is called in a table: "write 2000 MiB, on disk", "random read 16 KiB in 64 MiB, from
-- memory". A read whose cache class is unknown says so: it is never taken for a read of the disks.
CREATE VIEW v_label AS
WITH unit(bytes, name, k) AS (
    VALUES (1099511627776, ' TiB', 1), (1073741824, ' GiB', 2), (1048576, ' MiB', 3),
           (1000000000, ' GB', 4), (1000000, ' MB', 5), (1024, ' KiB', 6), (1, ' B', 7)
), c AS (
    SELECT c.run_id, c.target_id, c.workload_id, c.phase, c.class, c.direct_effect,
           c.engine_effect, c.bound_by, w.kind, w.name,
           ifnull((SELECT value FROM json_each(w.spec) WHERE key = 'block'), 1048576) AS block,
           ifnull((SELECT value FROM json_each(w.spec) WHERE key = 'flush'), 'end') AS flush,
           ifnull((SELECT value FROM json_each(w.spec) WHERE key = 'jobs'), 1) AS jobs,
           ifnull((SELECT value FROM json_each(w.spec) WHERE key = 'direct'), 0) AS direct,
           ifnull((SELECT value FROM json_each(w.spec) WHERE key = 'quick'), 0) AS quick,
           (SELECT value FROM json_each(w.spec) WHERE key = 'files') AS files,
           c.size, ifnull((SELECT f.value
                           FROM run_factset AS rf
                           JOIN fact AS f ON f.factset_id = rf.factset_id AND f.key = 'backing'
                           WHERE rf.run_id = c.run_id AND rf.target_id = c.target_id
                             AND rf.kind = 'mount' AND rf.subject = '' AND rf.moment = 'before'),
                          CASE WHEN rt.fstype IN ('tmpfs', 'ramfs') THEN 'memory' ELSE 'disk' END)
               AS backing
    FROM cell AS c
    JOIN workload AS w ON w.id = c.workload_id
    LEFT JOIN run_target AS rt ON rt.run_id = c.run_id AND rt.target_id = c.target_id
), t AS (
    SELECT c.*, CASE c.backing WHEN 'network' THEN 'server' ELSE 'disk' END AS there,
           (SELECT (c.size / u.bytes) || u.name FROM unit AS u
            WHERE c.size % u.bytes = 0 ORDER BY u.k LIMIT 1) AS size_text,
           (SELECT (c.block / u.bytes) || u.name FROM unit AS u
            WHERE c.block % u.bytes = 0 ORDER BY u.k LIMIT 1) AS block_text
    FROM c
)
SELECT t.run_id, t.target_id, t.workload_id, t.phase, t.name AS workload,
       printf('%s%s%s%s%s',
              CASE WHEN t.kind = 'fileset' AND t.files IS NOT NULL
                   THEN printf('%d file%s, %s', t.files, iif(t.files = 1, '', 's'), t.phase)
                   WHEN t.kind <> 'file' THEN t.name || ', ' || t.phase
                   WHEN t.phase IN ('randread', 'randwrite', 'mixed')
                   THEN printf('random %s %s%s', replace(t.phase, 'rand', ''), t.block_text,
                               ' in ' || t.size_text)
                   ELSE t.phase || ifnull(' ' || t.size_text, '') END,
              CASE WHEN t.jobs > 1 THEN printf(' x %d jobs', t.jobs) END,
              CASE WHEN t.engine_effect = 'null' THEN ', null engine'
                   WHEN t.phase IN ('write', 'rewrite', 'randwrite')
                   THEN CASE WHEN t.backing = 'memory' THEN ', to memory'
                             WHEN t.flush = 'none' THEN ', not flushed'
                             -- written several times there, and to the disks but once
                             WHEN t.bound_by = 'memory' THEN ', to memory'
                             ELSE ', on ' || t.there END
                   WHEN t.phase IN ('read', 'randread', 'mixed')
                   THEN CASE WHEN t.class = 'cached' OR t.backing = 'memory' THEN ', from memory'
                             WHEN t.class = 'cold'
                             THEN iif(t.phase = 'read', ', from ', ', ') || t.there
                             WHEN t.class = 'partial' THEN ', partly from memory'
                             WHEN t.direct AND t.direct_effect = 'unknown' THEN ''
                             ELSE ', memory or ' || t.there END END,
              CASE WHEN t.direct_effect = 'yes' THEN ', O_DIRECT'
                   WHEN t.direct AND t.direct_effect = 'unknown' THEN ', O_DIRECT asked' END,
              CASE WHEN t.quick THEN ', quick' END) AS label
FROM t;

-- The facts of a run, as kind.key; target_id 0: the host. Facts of several disks are several rows.
-- What a profile declares of a dataset counts where nothing was found out about it.
CREATE VIEW v_fact AS
SELECT rf.run_id, rf.target_id, rf.kind, rf.subject, f.key, rf.kind || '.' || f.key AS name,
       f.value, f.source, f.class, f.leader
FROM run_factset AS rf
JOIN fact AS f ON f.factset_id = rf.factset_id
WHERE rf.moment = 'before'
  AND NOT (rf.subject = 'declared'
           AND EXISTS (SELECT 1 FROM run_factset AS p JOIN fact AS q
                         ON q.factset_id = p.factset_id AND q.key = f.key AND q.value IS NOT NULL
                       WHERE (p.run_id, p.target_id, p.kind, p.subject, p.moment)
                             = (rf.run_id, rf.target_id, rf.kind, '', 'before')));

-- What --mask puts in the place of names: the same word for the same thing in every report.
CREATE VIEW v_mask AS
SELECT 'host' AS kind, host AS name, 'host-' || min(canonical_id) AS masked
FROM v_host GROUP BY host
UNION ALL
SELECT 'target', target, 'target-' || min(canonical_id) FROM v_target GROUP BY target
UNION ALL
SELECT kind, value, kind || '-' || row_number() OVER (PARTITION BY kind ORDER BY first_set, value)
FROM (SELECT s.kind, f.value, min(s.id) AS first_set
      FROM factset AS s
      JOIN fact AS f ON f.factset_id = s.id AND f.key = 'name' AND f.value IS NOT NULL
      WHERE s.kind IN ('dataset', 'pool')
      GROUP BY s.kind, f.value);

-- The runs of a target in their order: n counts them over all that go by its name. target_id is
-- the canonical one.
CREATE VIEW v_step AS
SELECT t.canonical_id AS target_id, rt.target_id AS own_target, rt.run_id, r.started_at,
       dense_rank() OVER (PARTITION BY t.canonical_id ORDER BY r.started_at, r.id) AS n
FROM run_target AS rt
JOIN run AS r ON r.id = rt.run_id
JOIN v_target AS t ON t.target_id = rt.target_id
WHERE r.status <> 'refused' AND r.excluded IS NULL
  AND EXISTS (SELECT 1 FROM rollup WHERE run_id = r.id);

-- What people call the thing a set is about: "sda (WDC WD40EFRX)".
CREATE VIEW v_thing AS
SELECT s.id AS factset_id,
       (SELECT value FROM fact WHERE factset_id = s.id AND key = 'name') AS name,
       (SELECT value FROM fact WHERE factset_id = s.id AND key = 'model') AS model
FROM factset AS s;

-- How much a fact weighs among those that changed together: the smallest of the rows that fit, what
-- leads comes first. used_by: it can only be a cause where the run has a workload of this kind, or
-- a target on a file system of this type.
CREATE VIEW v_weight AS
SELECT column1 AS pattern, column2 AS weight, column3 AS used_by
FROM (VALUES ('system.truenas*', 0, NULL), ('system.zfs', 1, NULL), ('system.zfs_module', 2, NULL),
             ('system.kernel', 3, NULL), ('system.kernel_build', 4, NULL), ('system.os', 5, NULL),
             ('system.fio', 6, 'fio'), ('system.samba', 6, 'cifs'), ('system.*', 6, NULL),
             ('pool.*', 7, NULL), ('dataset.*', 8, NULL), ('module.*', 9, NULL),
             ('mount.*', 10, NULL), ('disk.*', 11, NULL), ('*', 12, NULL));

-- Settings that changed between two runs of a target: against the last run before in which the
-- fact was known. Unknown is no value; nor is absence, except that of a mount option where the
-- options were read. `present`: a disk or pool came or went, between runs that saw any of its kind.
-- Of names only the guid of a dataset or pool is one: it was made anew, or another lies there.
-- A consequence is told alone only where nothing that it follows, directly or through others, moved
-- (follows = 1: it did). rank: the weight, what leads comes first.
CREATE VIEW v_event AS
WITH step AS MATERIALIZED (
    SELECT target_id, own_target, run_id, started_at, n, lag(run_id) OVER one AS old_run,
           lag(own_target) OVER one AS old_target, lead(run_id) OVER one AS next_run,
           lead(own_target) OVER one AS next_target
    FROM v_step
    WINDOW one AS (PARTITION BY target_id ORDER BY n)
), spell AS MATERIALIZED (
    -- where a set is another one than in the run before, or was not there, or is gone from a disk
    -- or pool in the next one: most runs have the same
    SELECT s.target_id, s.run_id, s.n, s.started_at, f.target_id = 0 AS of_host, f.kind, f.subject,
           f.factset_id, f.kind IN ('disk', 'pool')
                         AND (s.old_run IS NOT NULL AND o.factset_id IS NULL
                              OR s.next_run IS NOT NULL AND x.factset_id IS NULL) AS part_time
    FROM step AS s
    JOIN run_factset AS f ON f.run_id = s.run_id AND f.target_id IN (0, s.own_target)
                         AND f.moment = 'before'
    LEFT JOIN run_factset AS o
           ON (o.run_id, o.target_id, o.kind, o.subject, o.moment)
              = (s.old_run, CASE f.target_id WHEN 0 THEN 0 ELSE s.old_target END, f.kind,
                 f.subject, 'before')
    LEFT JOIN run_factset AS x
           ON (x.run_id, x.target_id, x.kind, x.subject, x.moment)
              = (CASE WHEN f.kind IN ('disk', 'pool') THEN s.next_run END,
                 CASE f.target_id WHEN 0 THEN 0 ELSE s.next_target END, f.kind, f.subject,
                 'before')
    WHERE o.factset_id IS NOT f.factset_id OR part_time
), vary AS MATERIALIZED (
    -- the facts that have more than one value in these sets at all
    SELECT d.target_id, d.of_host, d.kind, d.subject, f.key, min(f.class) AS class,
           min(f.leader) AS leader,
           d.kind = 'mount' AND f.key LIKE 'option.%' AS option
    FROM (SELECT *, count(*) OVER (PARTITION BY target_id, of_host, kind, subject) AS sets
          FROM (SELECT DISTINCT target_id, of_host, kind, subject, factset_id FROM spell)) AS d
    JOIN fact AS f ON f.factset_id = d.factset_id
    WHERE d.sets > 1
      AND (f.class <> 'name' OR d.kind IN ('dataset', 'pool') AND f.key IN ('guid', 'name'))
    GROUP BY d.target_id, d.of_host, d.kind, d.subject, f.key
    HAVING min(f.value) <> max(f.value) OR option AND count(*) < d.sets
), value AS (
    SELECT p.*, v.key, v.class, v.leader, f.value AS to_value, lag(f.value) OVER one AS from_value,
           row_number() OVER one AS k
    FROM vary AS v
    JOIN spell AS p ON p.target_id = v.target_id AND p.of_host = v.of_host AND p.kind = v.kind
                   AND p.subject = v.subject
    LEFT JOIN fact AS f ON f.factset_id = p.factset_id AND f.key = v.key
    WHERE f.value IS NOT NULL
       OR v.option AND f.key IS NULL
          AND EXISTS (SELECT 1 FROM fact WHERE factset_id = p.factset_id AND key = 'fstype'
                                           AND value IS NOT NULL)
    WINDOW one AS (PARTITION BY p.target_id, p.of_host, p.kind, p.subject, v.key ORDER BY p.n)
), part_time AS MATERIALIZED (
    SELECT DISTINCT target_id, of_host, kind, subject FROM spell WHERE part_time
), seeing AS MATERIALIZED (
    -- the runs that saw any of their kind
    SELECT DISTINCT s.target_id, s.own_target, f.target_id = 0 AS of_host, f.kind, s.n, s.run_id,
           s.started_at
    FROM step AS s
    JOIN run_factset AS f ON f.run_id = s.run_id AND f.target_id IN (0, s.own_target)
                         AND f.moment = 'before'
    WHERE f.kind IN (SELECT kind FROM part_time)
), presence AS (
    SELECT s.target_id, s.run_id, s.n, s.started_at, p.kind, p.subject,
           ifnull(f.factset_id, lag(f.factset_id) OVER one) AS factset_id,
           f.factset_id IS NOT NULL AS is_there,
           lag(f.factset_id IS NOT NULL) OVER one AS was_there
    FROM part_time AS p
    JOIN seeing AS s ON s.target_id = p.target_id AND s.of_host = p.of_host AND s.kind = p.kind
    LEFT JOIN run_factset AS f ON f.run_id = s.run_id AND f.kind = p.kind
         AND f.target_id = CASE p.of_host WHEN 1 THEN 0 ELSE s.own_target END
         AND f.subject = p.subject AND f.moment = 'before'
    WINDOW one AS (PARTITION BY p.target_id, p.of_host, p.kind, p.subject ORDER BY s.n)
), differs AS MATERIALIZED (
    SELECT target_id, run_id, n, started_at, kind, subject, factset_id, key, from_value, to_value,
           class, leader
    FROM value
    WHERE k > 1 AND from_value IS NOT to_value
    UNION ALL
    SELECT target_id, run_id, n, started_at, kind, subject, factset_id, 'present',
           CASE was_there WHEN 1 THEN 'yes' ELSE 'no' END,
           CASE is_there WHEN 1 THEN 'yes' ELSE 'no' END, 'setting', NULL
    FROM presence
    WHERE was_there <> is_there
), moved AS MATERIALIZED (
    -- what others may follow
    SELECT DISTINCT target_id, run_id, kind || '.' || key AS name
    FROM differs
    WHERE kind IN ('system', 'dataset') AND subject = '' AND class <> 'name'
)
SELECT d.target_id, d.run_id, d.n, d.started_at, d.subject, d.kind, d.key,
       d.kind || CASE WHEN d.subject <> '' THEN '.' || d.subject ELSE '' END || '.' || d.key
           AS name,
       -- for people; disks that come and go may have the same name and model
       (SELECT CASE WHEN d.class = 'name'
                    THEN printf(iif(EXISTS (SELECT 1 FROM differs AS x
                                            WHERE (x.target_id, x.run_id, x.kind, x.subject, x.key)
                                                  = (d.target_id, d.run_id, d.kind, d.subject,
                                                     'name')),
                                    'another %s (new guid)', '%s made anew (new guid)'), d.kind)
                    WHEN d.subject = '' THEN d.kind || '.' || d.key
                    ELSE printf('%s %s%s%s %s', d.kind, ifnull(t.name, d.subject),
                                ' (' || t.model || ')',
                                CASE WHEN d.key = 'present' AND d.subject <> t.name
                                     THEN ' [' || d.subject || ']' END, d.key) END
        FROM v_thing AS t WHERE t.factset_id = d.factset_id) AS told,
       d.from_value, d.to_value,
       d.class = 'consequence'
       AND EXISTS (WITH RECURSIVE above(name) AS (
                       SELECT d.leader
                       UNION
                       SELECT f.leader
                       FROM above
                       JOIN run_factset AS rf
                         ON (rf.run_id, rf.target_id, rf.kind, rf.subject, rf.moment)
                            = (d.run_id, 0, 'system', '', 'before')
                       JOIN fact AS f ON f.factset_id = rf.factset_id
                                     AND f.key = substr(above.name, length('system.') + 1)
                       WHERE f.leader IS NOT NULL)
                   SELECT 1 FROM moved AS l
                   WHERE l.run_id = d.run_id AND l.target_id = d.target_id
                     AND l.name IN (SELECT name FROM above)) AS follows,
       (SELECT min(weight) FROM v_weight WHERE d.kind || '.' || d.key GLOB pattern) AS rank
FROM differs AS d
WHERE (d.class <> 'name' OR d.key = 'guid')
  AND NOT EXISTS (SELECT 1 FROM v_weight AS w
                  WHERE w.used_by IS NOT NULL AND d.kind || '.' || d.key GLOB w.pattern
                    AND NOT EXISTS (SELECT 1 FROM cell AS c JOIN workload AS l ON l.id = c.workload_id
                                    WHERE c.run_id = d.run_id AND l.kind = w.used_by)
                    AND NOT EXISTS (SELECT 1 FROM run_target AS rt
                                    WHERE rt.run_id = d.run_id AND rt.fstype = w.used_by));

-- One row an iteration, with what a person asks for first. Rates in bytes a second.
CREATE VIEW v_iteration AS
SELECT i.id AS iteration_id,
       r.uuid AS run,
       h.host, t.target, rt.path, rt.fstype,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'name' AND value IS NOT NULL) AS dataset,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'compression' AND value IS NOT NULL) AS compression,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'encryption' AND value IS NOT NULL) AS encryption,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'recordsize' AND value IS NOT NULL) AS recordsize,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'checksum' AND value IS NOT NULL) AS checksum,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'sync' AND value IS NOT NULL) AS sync,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'primarycache' AND value IS NOT NULL) AS primarycache,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'atime' AND value IS NOT NULL) AS atime,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'dedup' AND value IS NOT NULL) AS dedup,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'dataset' AND key = 'direct' AND value IS NOT NULL) AS direct,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'pool' AND key = 'name' AND value IS NOT NULL) AS pool,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'pool' AND key = 'layout' AND value IS NOT NULL) AS layout,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = i.target_id
           AND kind = 'pool' AND key = 'media' AND value IS NOT NULL) AS media,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = 0
           AND kind = 'system' AND key = 'kernel' AND value IS NOT NULL) AS kernel,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = 0
           AND kind = 'system' AND key = 'truenas' AND value IS NOT NULL) AS truenas,
       (SELECT value FROM v_fact WHERE run_id = i.run_id AND target_id = 0
           AND kind = 'system' AND key = 'zfs_module' AND value IS NOT NULL) AS zfs,
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
       EXISTS (SELECT 1 FROM v_disturbed AS d WHERE d.iteration_id = i.id) AS disturbed,
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
