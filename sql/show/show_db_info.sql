-- title: History
-- about: how much is in it
-- column: what head=""
-- column: rows align=right
SELECT 'runs' AS what, count(*) AS rows FROM run
UNION ALL SELECT 'hosts', count(*) FROM host
UNION ALL SELECT 'targets', count(*) FROM target
UNION ALL SELECT 'workloads', count(*) FROM workload
UNION ALL SELECT 'iterations', count(*) FROM iteration
UNION ALL SELECT 'samples', count(*) FROM sample
UNION ALL SELECT 'histograms', count(*) FROM histogram
UNION ALL SELECT 'fact sets', count(*) FROM factset
UNION ALL SELECT 'findings', count(*) FROM finding;
