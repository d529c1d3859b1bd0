-- The table of bench.sh from r(row, a, b, acpu, bcpu): one line a row with its goal. A goal is the
-- largest median of a/b that meets it; unit: how a and b are shown.
WITH goal(ord, row, what, other, unit, most, said) AS (
    VALUES
        (1, 'null.read', 'null engine, in order, an operation', 'fio null', 'ns', 0.5, 'half'),
        (2, 'null.randread', 'null engine, random, an operation', 'fio null', 'ns', 0.5, 'half'),
        (3, 'write.new', 'write 1 MiB, new file', 'fio, no fallocate', 'MB/s', 0.5, '2 x'),
        (4, 'write.default', 'write 1 MiB, new file', 'fio, its default', 'MB/s', 0.5, '2 x'),
        (5, 'write.again', 'rewrite 1 MiB', 'fio, over a file', 'MB/s', 0.5, '2 x'),
        (6, 'dd.new', 'write 1 MiB, new file', 'dd urandom', 'MB/s', 1 / 15.0, '15 x'),
        (7, 'dd.again', 'rewrite 1 MiB', 'dd, over a file', 'MB/s', 1 / 15.0, '15 x'),
        (7.1, 'bare.new', '- new file, beside the limit of the kernel', 'bare pwrite', 'MB/s', NULL,
         ''),
        (7.2, 'bare.again', '- rewrite, beside the limit of the kernel', 'bare pwrite', 'MB/s',
         NULL, ''),
        (8, 'pread', 'randread 4 KiB, an operation', 'fio psync', 'ns', 1, 'equal'),
        (9, 'read', 'read 1 MiB', 'fio psync', 'MB/s', 1, 'equal'),
        (9.001, 'uring', 'randread 4 KiB O_DIRECT, depth 32, disk', 'fio io_uring', 'us', 1, 'equal'),
        (9.002, 'meter', 'one reading of all meters', '2 ms', 'us', 1, 'at most'),
        (9.01, 'data.1', 'data handed out, incompressible', 'memcpy', 'MB/s', 2, '0.5 x'),
        (9.02, 'data.3', 'data handed out, ratio 3', 'memcpy', 'MB/s', 2, '0.5 x'),
        (9.03, 'made.1', '- made before the clock, new memory', 'memcpy, the same', 'MB/s', 2, '0.5 x'),
        (9.04, 'made.3', '- of ratio 3', 'memcpy, the same', 'MB/s', 2, '0.5 x'),
        (9.1, 'set.memory.create', 'files of 4 KiB on tmpfs, create', 'fio, in order', 'ns', 1,
         'equal'),
        (9.2, 'set.memory.stat', '- stat', 'fio filestat', 'ns', 1, 'equal'),
        (9.3, 'set.memory.read', '- read', 'fio, in order', 'ns', 1, 'equal'),
        (9.4, 'set.memory.delete', '- delete', 'fio filedelete', 'ns', 1, 'equal'),
        (9.41, 'set.memory.default', '- read', 'fio, its default', 'ns', 0.1, '10 x'),
        (9.42, 'set.memory.bonnie.create', '- create', 'bonnie++', 'ns', 1, 'equal'),
        (9.43, 'set.memory.bonnie.read', '- stat and read', 'bonnie++', 'ns', 1, 'equal'),
        (9.44, 'set.memory.bonnie.delete', '- delete', 'bonnie++', 'ns', 1, 'equal'),
        (9.441, 'set.memory.bare.create', '- create, beside the bare calls', 'bare calls', 'ns', NULL, ''),
        (9.442, 'set.memory.bare.stat', '- stat, beside the bare calls', 'bare calls', 'ns', NULL, ''),
        (9.443, 'set.memory.bare.read', '- read, beside the bare calls', 'bare calls', 'ns', NULL, ''),
        (9.444, 'set.memory.bare.delete', '- delete, beside the bare calls', 'bare calls', 'ns', NULL, ''),
        (9.5, 'set.disk.create', 'files of 4 KiB on disk, create', 'fio, in order', 'us', 1,
         'equal'),
        (9.6, 'set.disk.stat', '- stat', 'fio filestat', 'us', 1, 'equal'),
        (9.7, 'set.disk.read', '- read', 'fio, in order', 'us', 1, 'equal'),
        (9.8, 'set.disk.delete', '- delete', 'fio filedelete', 'us', 1, 'equal'),
        (9.81, 'set.disk.default', '- read', 'fio, its default', 'us', 0.1, '10 x'),
        (9.82, 'set.disk.bonnie.create', '- create', 'bonnie++', 'us', 1, 'equal'),
        (9.83, 'set.disk.bonnie.read', '- stat and read', 'bonnie++', 'us', 1, 'equal'),
        (9.84, 'set.disk.bonnie.delete', '- delete', 'bonnie++', 'us', 1, 'equal'),
        (9.841, 'set.disk.bare.create', '- create, beside the bare calls', 'bare calls', 'us', NULL, ''),
        (9.842, 'set.disk.bare.stat', '- stat, beside the bare calls', 'bare calls', 'us', NULL, ''),
        (9.843, 'set.disk.bare.read', '- read, beside the bare calls', 'bare calls', 'us', NULL, ''),
        (9.844, 'set.disk.bare.delete', '- delete, beside the bare calls', 'bare calls', 'us', NULL, ''),
        (10, 'disk.run', 'outside the phases, disk, 40 iterations', '2 commits + 5 ms', 'us', 1,
         'at most'),
        (11, 'disk.step', '- one more iteration, beside a commit', '1 commit', 'us', NULL, ''),
        (12, 'memory.run', 'outside the phases, tmpfs, 200 iterations', '2 commits + 5 ms', 'us', 1,
         'at most'),
        (13, 'memory.step', '- one more iteration, beside a commit', '1 commit', 'us', NULL, ''),
        (14, 'memory.few', 'peak memory, 20 iterations', '32 + 17 MiB', 'KiB', 1, 'under'),
        (15, 'memory.many', 'peak memory, 2000 iterations', '32 + 17 MiB', 'KiB', 1, 'under'),
        (16, 'memory.growth', '- of that, growth from 20 to 2000', '1 MiB', 'KiB', 1, 'under'),
        (17, 'memory.jobs', 'peak memory, 4 jobs of 1 MiB', '32 + 72 MiB', 'KiB', 1, 'under'),
        (17.1, 'split', 'one search, 365 runs, 999 permutations', '0.1 s', 'us', 1, 'under'),
        (17.2, 'changes.0', 'changes, 200 series of 365 runs, noise', '10 s', 'us', 1, 'under'),
        (17.3, 'changes.0.memory', '- peak memory', '64 MiB', 'KiB', 1, 'under'),
        (17.4, 'changes.10', 'changes, the same, 20 of 200 have a step', '10 s', 'us', 1, 'under'),
        (17.5, 'changes.10.memory', '- peak memory', '64 MiB', 'KiB', 1, 'under'),
        (18, 'start.--version', 'start: zhist --version', 'fio --version', 'us', 1, 'equal'),
        (19, 'start.show profiles', 'start: zhist show profiles', 'fio --version', 'us', 1, 'equal')
), place AS (
    SELECT row, a, b, acpu, bcpu, a / b AS ratio, count(*) OVER (PARTITION BY row) AS n,
           row_number() OVER (PARTITION BY row ORDER BY a / b) AS pr,
           row_number() OVER (PARTITION BY row ORDER BY a) AS pa,
           row_number() OVER (PARTITION BY row ORDER BY b) AS pb,
           row_number() OVER (PARTITION BY row ORDER BY acpu) AS pac,
           row_number() OVER (PARTITION BY row ORDER BY bcpu) AS pbc
    FROM r
), middle AS (
    SELECT row, n, min(ratio) AS low, max(ratio) AS high,
           avg(ratio) FILTER (WHERE pr IN ((n + 1) / 2, (n + 2) / 2)) AS ratio,
           avg(a) FILTER (WHERE pa IN ((n + 1) / 2, (n + 2) / 2)) AS a,
           avg(b) FILTER (WHERE pb IN ((n + 1) / 2, (n + 2) / 2)) AS b,
           avg(acpu) FILTER (WHERE pac IN ((n + 1) / 2, (n + 2) / 2)) AS acpu,
           avg(bcpu) FILTER (WHERE pbc IN ((n + 1) / 2, (n + 2) / 2)) AS bcpu
    FROM place GROUP BY row
), shown AS (
    -- Speeds are shown as the reader asks: higher is better, so the ratio is turned round.
    SELECT *, unit = 'MB/s' AS speed,
           CASE unit WHEN 'MB/s' THEN 1e3 / a WHEN 'us' THEN a / 1e3 ELSE a END AS za,
           CASE unit WHEN 'MB/s' THEN 1e3 / b WHEN 'us' THEN b / 1e3 ELSE b END AS zb
    FROM goal JOIN middle USING (row)
)
SELECT what AS measured,
       printf(iif(za < 100, '%.1f %s', '%.0f %s'), za, unit) AS zhist,
       printf(iif(zb < 100, '%.1f %s', '%.0f %s'), zb, unit) AS other,
       other AS "of",
       CASE WHEN n = 1 THEN printf('%.2f', ratio)
            WHEN speed THEN printf('%.2f x (%.2f .. %.2f)', 1 / ratio, 1 / high, 1 / low)
            ELSE printf('%.2f (%.2f .. %.2f)', ratio, low, high) END AS ratio,
       CASE WHEN said = 'half' THEN 'at most 0.5' WHEN said = 'at most' THEN 'at most 1'
            WHEN said = 'under' THEN 'under 1' WHEN said = 'equal' AND speed THEN 'at least 1 x'
            WHEN said = 'equal' THEN 'at most 1' WHEN said = '' THEN ''
            WHEN said = '10 x' THEN 'at most 0.1'
            ELSE 'at least ' || said END AS goal,
       CASE WHEN most IS NULL THEN '' WHEN ratio <= most THEN 'yes' ELSE 'NO' END AS met,
       CASE WHEN acpu > 0 THEN printf('%.2f / %.2f', acpu / 1e9, bcpu / 1e9) ELSE '' END AS "cpu s"
FROM shown ORDER BY ord;
