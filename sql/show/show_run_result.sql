-- title: Result
-- about: what each phase of a run came to: the headline metric of its iterations
-- group: target
-- column: label head=""
-- column: median unit=@unit align=right keep=yes red=@doubt
-- column: interval head=+- align=right show=table
-- column: interval_pct show=no unit=%
-- column: shown_range head=range align=right show=table
-- column: low show=no unit=@unit
-- column: high show=no unit=@unit
-- column: shown_n head=n align=right show=table
-- column: n show=no
-- column: failed show=no
-- column: shown_cached head=memory align=right show=table keep=long
-- column: cached_pct show=no unit=%
-- column: shown_bound head="bound by" show=table keep=yes
-- column: bound_by show=no
-- column: stopped show=v
-- column: unit show=no
-- column: doubt show=never
-- column: doubt_told show=never
-- sentence: doubt_told
-- column: shape_told show=never
-- sentence: shape_told
--
-- cached_pct: the share of the bytes that came from memory, mean of the iterations that count.
-- Marks: ! faster than the hardware can be, ~ a finding of the shape. The findings themselves:
-- show_run_findings.
WITH row AS (
SELECT t.target,
       -- where two workloads would have one label, each has its name too
       n.label || CASE WHEN min(ro.workload_id) OVER alike = max(ro.workload_id) OVER alike THEN ''
                       WHEN min(n.workload) OVER alike = max(n.workload) OVER alike
                       THEN ', ' || n.workload || ' ' || substr(w.digest, 1, 4)
                       ELSE ', ' || n.workload END AS label, ro.median,
       CASE WHEN t_half(ro.n, ro.m2) > 0 AND ro.mean <> 0
            THEN printf('%.1f %%', 100 * t_half(ro.n, ro.m2) / abs(ro.mean)) END AS interval,
       100 * t_half(ro.n, ro.m2) / nullif(abs(ro.mean), 0) AS interval_pct,
       ro.min AS low, ro.max AS high, ro.n,
       (SELECT count(*) FROM iteration AS i
        WHERE i.run_id = ro.run_id AND i.target_id = ro.target_id AND i.workload_id = ro.workload_id
          AND i.phase = ro.phase AND i.status <> 'ok') AS failed,
       (SELECT avg(x.value) FROM iteration AS i
        JOIN sample AS x ON x.iteration_id = i.id
                        AND x.metric_id = (SELECT id FROM metric WHERE name = 'cached_pct')
        WHERE i.run_id = ro.run_id AND i.target_id = ro.target_id
          AND i.workload_id = ro.workload_id AND i.phase = ro.phase AND NOT i.warmup
          AND i.status = 'ok') AS cached_pct,
       c.bound_by, c.stop_rule AS stopped, m.unit,
       (SELECT json_group_array(json_array(f.code, f.severity, f.text))
        FROM finding AS f
        WHERE f.run_id = ro.run_id AND f.target_id = ro.target_id
          AND f.workload_id = ro.workload_id AND f.phase = ro.phase
          AND (f.severity = 'shape' OR f.code = 'faster-than-hardware')) AS found,
       rt.position AS target_position, hl.workload_id, hl.position
FROM run AS r
JOIN rollup AS ro ON ro.run_id = r.id AND ro.everything
JOIN v_headline AS hl ON hl.workload_id = ro.workload_id AND hl.phase = ro.phase
JOIN metric AS m ON m.id = ro.metric_id AND m.name = hl.metric
JOIN cell AS c ON c.run_id = r.id AND c.target_id = ro.target_id
              AND c.workload_id = ro.workload_id AND c.phase = ro.phase
JOIN v_target AS t ON t.target_id = ro.target_id
JOIN run_target AS rt ON rt.run_id = r.id AND rt.target_id = ro.target_id
JOIN v_label AS n ON n.run_id = r.id AND n.target_id = ro.target_id
                 AND n.workload_id = ro.workload_id AND n.phase = ro.phase
JOIN workload AS w ON w.id = ro.workload_id
WHERE r.uuid = :run
WINDOW alike AS (PARTITION BY ro.target_id, n.label)
)
SELECT target, label, median, interval, interval_pct,
       CASE WHEN n > 1 THEN human_range(low, high, unit, :units) END AS shown_range, low, high,
       n || CASE WHEN failed THEN printf(' (%d failed)', failed) ELSE '' END AS shown_n, n, failed,
       CASE WHEN cached_pct IS NOT NULL THEN printf('%.0f %%', cached_pct) END AS shown_cached,
       cached_pct,
       nullif(trim(ifnull(bound_by, '') || iif(reason IS NULL, '', ' !')
                   || iif(shapes IS NULL, '', ' ~')), '') AS shown_bound,
       bound_by, stopped, unit, reason IS NOT NULL AS doubt,
       '! ' || name || ': faster than the hardware can be' || reason || '.' AS doubt_told,
       '~ ' || name || ': ' || shapes || '.' AS shape_told
FROM (SELECT *, upper(substr(label, 1, 1)) || substr(label, 2)
                || iif(min(target) OVER () = max(target) OVER (), '', ' (' || target || ')') AS name,
             (SELECT max(CASE WHEN instr(value ->> 2, 'Likely reason: ')
                              THEN '; likely reason: '
                                   || substr(value ->> 2, instr(value ->> 2, 'Likely reason: ') + 15)
                              ELSE '' END)
              FROM json_each(found) WHERE value ->> 1 <> 'shape') AS reason,
             (SELECT replace(group_concat(DISTINCT value ->> 0), ',', ', ')
              FROM json_each(found) WHERE value ->> 1 = 'shape') AS shapes
      FROM row)
ORDER BY target_position, workload_id, position;
