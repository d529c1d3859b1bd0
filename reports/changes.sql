-- title: CHANGES
-- about: what changed, when, by how much: at each event, and where nothing was recorded
-- param: since time -- from then on (default: 90 days or the last 20 runs, whichever is longer)
-- param: until time -- up to then; of a day all of it
-- param: host text -- only this host
-- param: target text -- only this target
-- param: workload text -- only this workload
-- param: metric text -- this metric or all (default: the headline of each phase)
-- param: where list -- only runs where these facts had these values
-- param: label list -- only runs with these labels
-- param: disturbed flag = 0 -- iterations touched from outside count too
-- param: all flag = 0 -- runs that are left out too; changes that are only possible
-- param: profile text -- only runs of this profile
-- param: brief flag = 0 -- only what is certain; search in the last 120 runs of a series
-- param: gate flag = 0 -- only what check tells: what became worse, surely, and still is
-- param: mask flag = 0 -- host-1 and target-1 instead of names, no serials and servers
-- group: heading
-- column: heading show=table
-- column: label show=table head=""
-- column: shown_before show=table head=before unit=@unit align=right
-- column: shown_after show=table head=after unit=@unit align=right keep=yes
-- column: shown_change show=table head=change align=right keep=yes
-- column: shown_interval show=table head="95 % interval" align=right keep=long
-- column: word show=table head="" keep=yes
-- column: host show=no
-- column: when show=no unit=date
-- column: kind show=no
-- column: cause show=no
-- column: from_value show=no
-- column: to_value show=no
-- column: target show=no
-- column: workload show=v
-- column: phase show=no
-- column: metric show=v
-- column: unit show=no
-- column: runs_before show=v align=right head="runs before"
-- column: runs_after show=v align=right head=after
-- column: before show=no unit=@unit
-- column: after show=no unit=@unit
-- column: change_pct show=no unit=%
-- column: change_low_pct show=no unit=%
-- column: change_high_pct show=no unit=%
-- column: p show=no
-- column: certainty show=no
-- column: also_changed show=no
-- column: unchanged show=no
-- column: key show=v
-- column: sentence show=no
-- column: way show=never
-- column: values_before show=never
-- column: values_after show=never
-- column: delta show=never
-- column: tested show=never
-- column: p_raw show=never
-- column: day_low show=never
-- column: day_high show=never
-- column: told show=never
-- sentence: told
-- column: context show=never
-- sentence: context
--
-- One row a series and change. kind: event (the planned comparison of up to 20 runs before a recorded
-- change with up to 20 behind it, each within the neighbouring events and steps), step (found by search inside
-- the stretches between events), drift (a slow one), new meaning (the series of a cell ends and
-- another begins: no percentage). p: after Holm, over the events' rows, and over the stretches that
-- were searched. certainty: certain, possible (with --all), none (no effect seen), undecided.
-- key: of series, cause and day: the same after a merge. All earlier runs are used; since and until
-- select what is printed.
--
-- One chain, as in compare.sql: SQLite parses a step anew for every place that names it.
WITH headline AS MATERIALIZED (
    SELECT * FROM v_headline
), event AS MATERIALIZED (
    -- settings that moved between runs of a target: one event a step, a bundle is one
    SELECT target_id, n AS place,
           json_object('at', started_at, 'name', name, 'from', from_value, 'to', to_value,
                       'many', count(*),
                       'short', event_text(told, from_value, to_value, 40)
                                || CASE WHEN count(*) > 1 THEN ' and ' || (count(*) - 1) || ' more'
                                        ELSE '' END,
                       'few', group_concat(short, ', ') FILTER (WHERE k <= 3)
                              || CASE WHEN count(*) > 3 THEN ' and ' || (count(*) - 3) || ' more'
                                      ELSE '' END,
                       'text', group_concat(text, ', '),
                       'also', group_concat(text, ', ') FILTER (WHERE k > 1),
                       'kinds', group_concat(DISTINCT area)) AS what,
           min(k)
    FROM (SELECT *, event_text(told, from_value, to_value, 0) AS text,
                 event_text(told, from_value, to_value, 40) AS short
          FROM (SELECT target_id, n, started_at, key,
                       CASE WHEN :mask THEN replace(told, ' [' || subject || ']', '') ELSE told END
                           AS told,
                       CASE WHEN :mask THEN replace(kind || '.' || key, ' [' || subject || ']', '')
                            ELSE name END AS name,
                       CASE WHEN secret THEN 'one' ELSE from_value END AS from_value,
                       CASE WHEN secret THEN 'another' ELSE to_value END AS to_value,
                       iif(kind = 'system' AND key NOT IN ('truenas', 'truenas_train', 'zfs',
                               'zfs_module', 'kernel', 'kernel_build', 'os'), 'host', kind) AS area,
                       row_number() OVER (PARTITION BY target_id, n ORDER BY rank, name) AS k
                FROM (SELECT *, :mask AND is_secret(kind || '.' || key) AS secret FROM v_event)
                WHERE NOT follows)
          ORDER BY target_id, n, k)
    GROUP BY target_id, n
), stepped AS MATERIALIZED (
    -- the runs of each target in their order, with the newest event up to then (0: none yet)
    SELECT s.*, ifnull(max(e.place) OVER one, 0) AS event, e.what
    FROM v_step AS s
    LEFT JOIN event AS e ON (e.target_id, e.place) = (s.target_id, s.n)
    WINDOW one AS (PARTITION BY s.target_id ORDER BY s.n)
), step AS MATERIALIZED (
    -- of what lies before the time that is asked for the last 420 runs: 400 are searched
    SELECT s.*, min(previous) OVER stretch AS before, max(what) OVER stretch AS about
    FROM (SELECT *, lag(event) OVER (PARTITION BY target_id ORDER BY n) AS previous,
                 min(CASE WHEN CASE WHEN :since IS NOT NULL THEN started_at >= :since
                                    ELSE started_at >= :now - 90 * 86400000000000 END THEN n END)
                     OVER target AS first_inside, max(n) OVER target AS last_n
          FROM stepped
          WINDOW target AS (PARTITION BY target_id)) AS s
    WHERE n >= min(ifnull(first_inside, last_n), last_n - 20) - 420
    WINDOW stretch AS (PARTITION BY target_id, event ORDER BY n
                       ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
), value AS MATERIALIZED (
    -- every run of every series; target_id: the canonical one
    SELECT st.target_id, st.n AS place, st.started_at, st.event, st.about, st.before,
           ro.run_id, ro.target_id AS own_target, ro.workload_id, ro.phase, ro.class,
           ro.direct_effect AS direct, ro.origin, ro.metric_id, ro.n, ro.median, ro.n_left_out,
           m.name = hl.metric AS headline, hl.position, r.profile_id
    -- along the primary key of rollup, which SQLite would not choose by itself
    FROM v_target AS t
    CROSS JOIN headline AS hl
    CROSS JOIN rollup AS ro ON (ro.target_id, ro.workload_id, ro.phase)
                               = (t.target_id, hl.workload_id, hl.phase)
    CROSS JOIN metric AS m ON m.id = ro.metric_id
    CROSS JOIN run AS r ON r.id = ro.run_id
    CROSS JOIN workload AS w ON w.id = ro.workload_id
    JOIN step AS st ON (st.run_id, st.own_target) = (ro.run_id, ro.target_id)
    WHERE ro.everything = 0 AND ro.origin <> 'imported'
      AND (:metric = 'all' OR m.name = ifnull(:metric, hl.metric))
      AND (:host IS NULL OR t.host = :host)
      AND (:target IS NULL OR t.target = :target)
      AND (:workload IS NULL OR w.name = :workload)
      AND (:until IS NULL OR r.started_at <= :until)
      AND (:profile IS NULL OR r.profile_id IN (SELECT id FROM profile WHERE name = :profile))
      AND (:label IS NULL OR NOT EXISTS (
               SELECT 1 FROM json_each(:label) AS l
               WHERE NOT EXISTS (SELECT 1 FROM label WHERE run_id = r.id
                                    AND key = l.value ->> 0 AND value = l.value ->> 1)))
      AND (:where IS NULL OR NOT EXISTS (
               SELECT 1 FROM json_each(:where) AS l
               WHERE NOT EXISTS (SELECT 1 FROM v_fact AS f
                                 WHERE f.run_id = r.id AND f.target_id IN (0, ro.target_id)
                                   AND f.kind = substr(l.value ->> 0, 1,
                                                       instr(l.value ->> 0, '.') - 1)
                                   AND f.key = substr(l.value ->> 0, instr(l.value ->> 0, '.') + 1)
                                   AND f.value IN (SELECT value FROM json_each(l.value)
                                                   WHERE key > 0))))
), weighed AS (
    -- spoilt: leaving out what was disturbed would leave out over a third
    SELECT v.*, 3 * sum(n_left_out) OVER one > sum(n + n_left_out) OVER one AS spoilt,
           dense_rank() OVER (PARTITION BY target_id ORDER BY place DESC) AS back
    FROM value AS v
    WINDOW one AS (PARTITION BY target_id, workload_id, phase, class, direct, origin, metric_id)
), counted AS (
    SELECT w.*, iif(e.n IS NULL, w.median, e.median) AS x,
           CASE WHEN :since IS NOT NULL THEN started_at >= :since
                ELSE back <= 20 OR started_at >= :now - 90 * 86400000000000 END AS inside
    FROM weighed AS w
    LEFT JOIN rollup AS e
           ON (e.target_id, e.workload_id, e.phase, e.class, e.direct_effect, e.origin,
               e.metric_id, e.run_id, e.everything)
              = (iif(w.n_left_out AND (w.spoilt OR :disturbed OR :all), w.own_target, NULL),
                 w.workload_id, w.phase, w.class, w.direct, w.origin, w.metric_id, w.run_id, 1)
    WHERE ifnull(e.n, w.n) > 0
), ordered AS (
    -- the neighbours of a run: among those of its stretch, and the run before of the same cell
    SELECT c.*,
           row_number() OVER (PARTITION BY target_id, workload_id, phase, class, direct, origin,
                                           metric_id, event ORDER BY place) AS k,
           row_number() OVER (PARTITION BY target_id, workload_id, phase, class, direct, origin,
                                           metric_id ORDER BY place) = 1 AS is_first,
           max(place) OVER (PARTITION BY target_id, workload_id, phase, class, direct, origin,
                                         metric_id) AS last_place,
           lag(class) OVER cell AS old_class, lag(direct) OVER cell AS old_direct,
           lag(x) OVER cell AS old_x
    FROM counted AS c
    WINDOW cell AS (PARTITION BY target_id, workload_id, phase, origin, metric_id ORDER BY place)
), turned AS (
    SELECT o.*, lag(last_place) OVER (PARTITION BY target_id, workload_id, phase, origin, metric_id
                                      ORDER BY place) AS old_last
    FROM ordered AS o
), stretch AS MATERIALIZED (
    -- each series between two events; bare columns are those of its newest run (one max() only!)
    SELECT target_id, own_target, workload_id, phase, class, direct, origin, metric_id, event, before,
           about, headline, position, run_id, profile_id, max(place) AS newest, count(*) AS n,
           max(inside) AS inside, min(CASE WHEN k = 1 THEN inside END) AS begins_inside,
           series(place, x) AS xs, series(place, started_at / 1000) AS times,
           series(place, started_at / 86400e9) AS days, series(place, run_id) AS runs,
           -- another series of this cell ended where this one begins
           max(CASE WHEN is_first AND old_last < place
                     AND (class IN ('cold', 'cached') AND old_class IN ('cold', 'cached')
                          AND class <> old_class
                          OR direct IN ('yes', 'no') AND old_direct IN ('yes', 'no')
                          AND direct <> old_direct)
                    THEN json_array(old_class, old_direct, old_x) END) AS old
    FROM turned
    GROUP BY target_id, workload_id, phase, class, direct, origin, metric_id, event
), sought AS (
    -- what is searched, and among how many
    SELECT s.*, n >= 6 AND inside AS searched,
           (SELECT better FROM metric WHERE id = s.metric_id) AS better,
           last_value(xs) OVER (PARTITION BY target_id, workload_id, phase, class, direct, origin,
                                             metric_id ORDER BY event
                                ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS newest_xs,
           ifnull((SELECT th.share FROM threshold AS th JOIN metric AS m ON m.id = s.metric_id
                   WHERE th.profile_id = s.profile_id AND m.name IN (th.metric, th.metric || '_durable')
                   ORDER BY th.metric DESC LIMIT 1), 0.05) AS delta
    FROM stretch AS s
), levelled AS (
    SELECT s.*, sum(searched) OVER () AS n_searched,
           CASE WHEN NOT searched OR :gate AND NOT headline THEN '[]'
                WHEN :gate THEN gate_search(xs, delta, better)
                ELSE find_levels(days, xs, delta, sum(searched) OVER (), iif(:brief, 120, 0), :all) END
               AS levels
    FROM sought AS s
), neighbours AS (
    SELECT s.*, lag(event) OVER one AS event_a, lag(xs) OVER one AS xs_a, lag(n) OVER one AS size_a,
           lag(levels) OVER one AS levels_a, lead(about) OVER one AS next_about
    FROM levelled AS s
    WINDOW one AS (PARTITION BY target_id, workload_id, phase, class, direct, origin, metric_id
                   ORDER BY event)
), judged AS (
    -- the planned comparison at an event: up to 20 runs of the level before with up to 20 of the
    -- level behind it
    SELECT n.*, CASE WHEN event AND event_a = before AND begins_inside AND old IS NULL
                     THEN CASE WHEN :gate THEN gate_planned(list_a, list_b)
                               ELSE compare((SELECT observations(key - 1000000, 0, value)
                                             FROM json_each(list_a)),
                                            (SELECT observations(key, 0, value)
                                             FROM json_each(list_b)), 0) END END AS c
    FROM (SELECT n.*,
                 (SELECT json_group_array(value) FROM json_each(xs_a)
                  WHERE key >= size_a - 20
                    AND key >= ifnull((SELECT max(value ->> 'at') FROM json_each(levels_a)
                                       WHERE value ->> 'certainty' = 'certain'), 0)) AS list_a,
                 (SELECT json_group_array(value) FROM json_each(xs)
                  WHERE key < 20
                    AND key < ifnull((SELECT min(value ->> 'at') FROM json_each(levels)
                                      WHERE value ->> 'certainty' = 'certain'), 20)) AS list_b
          FROM neighbours AS n) AS n
), listed AS (
    -- one row a finding: the event's, a new meaning, what was searched
    SELECT j.*, f.value AS f, ifnull(f.value ->> 'at', 0) AS at, f.value ->> 'kind' AS kind
    FROM judged AS j
    CROSS JOIN json_each(printf('[%s%s]', CASE WHEN old IS NOT NULL AND begins_inside
                                               THEN '{"kind":"new meaning"}'
                                               WHEN c IS NOT NULL THEN '{"kind":"event"}'
                                               ELSE '{"kind":"none"}' END,
                                CASE WHEN levels <> '[]'
                                     THEN ',' || substr(levels, 2, length(levels) - 2) END)) AS f
    WHERE f.value ->> 'kind' <> 'none'
), tested AS (
    -- a p counts once a series: that of its first search
    SELECT l.*, 1000 * (times ->> at) AS moment, runs ->> at AS at_run,
           CASE kind WHEN 'event' THEN c ->> 'p' WHEN 'new meaning' THEN NULL
                     ELSE f ->> 'p_first' END AS p_raw,
           CASE kind WHEN 'event' THEN headline AND c ->> 'p' IS NOT NULL
                     WHEN 'new meaning' THEN 0
                     ELSE row_number() OVER (PARTITION BY target_id, workload_id, phase, class, direct,
                                                          origin, metric_id, event, kind
                                             ORDER BY at) = 1 END AS counts
    FROM listed AS l
), placed AS (
    -- the gate looks at each event by itself
    SELECT t.*, row_number() OVER (PARTITION BY kind, counts, family ORDER BY p_raw, workload_id,
                                                                             phase) AS k,
           -- those searched without a finding count too
           CASE kind WHEN 'event' THEN sum(counts) OVER (PARTITION BY kind, family)
                     ELSE n_searched END AS n_tested
    FROM (SELECT *, CASE WHEN :gate AND kind = 'event' THEN target_id || ' ' || event END AS family
          FROM tested) AS t
), holm AS (
    -- Holm 1979: the k-th smallest of m p values times m - k + 1, never below an earlier one
    SELECT p.*, CASE WHEN counts THEN max(min(1.0, p_raw * (n_tested - k + 1)))
                                      OVER (PARTITION BY kind, counts, family ORDER BY k) END AS p_first_adj
    FROM placed AS p
), adjusted AS (
    -- a further step of a series is as likely as its own p, and as the series
    SELECT h.*, CASE WHEN :gate AND kind = 'step' THEN f ->> 'p'
                     WHEN kind IN ('step', 'drift')
                     THEN max(f ->> 'p', max(p_first_adj) OVER (PARTITION BY target_id, workload_id,
                                  phase, class, direct, origin, metric_id, event, kind))
                     ELSE p_first_adj END AS p
    FROM holm AS h
), worded AS (
    SELECT a.*, m.name AS metric, m.unit, w.name AS workload, w.digest,
           CASE WHEN :mask THEN 'host-' || t.host_id ELSE t.host END AS host,
           CASE WHEN :mask THEN 'target-' || t.canonical_id ELSE t.target END AS target,
           (SELECT machine_id FROM host WHERE id = t.host_id) || char(10) || t.target AS where_key,
           l.label, CASE a.kind WHEN 'event' THEN c ->> 'ratio' ELSE f ->> 'ratio' END AS ratio,
           CASE a.kind WHEN 'event' THEN c ->> 'ratio_low' ELSE f ->> 'low' END AS low,
           CASE a.kind WHEN 'event' THEN c ->> 'ratio_high' ELSE f ->> 'high' END AS high,
           CASE a.kind WHEN 'event' THEN c ->> 'mean_a' WHEN 'new meaning' THEN old ->> 2
                     ELSE f ->> 'before' END AS level_a,
           CASE a.kind WHEN 'event' THEN c ->> 'mean_b' WHEN 'new meaning' THEN xs ->> 0
                     ELSE f ->> 'after' END AS level_b,
           CASE WHEN a.kind = 'event' AND :gate
                THEN CASE WHEN p <= 0.05 AND abs(ln(c ->> 'ratio')) >= ln(1 + delta)
                          THEN CASE WHEN m.better = 0 THEN 'changed'
                                    WHEN (c ->> 'ratio' > 1) = (m.better > 0) THEN 'faster'
                                    ELSE 'slower' END ELSE 'undecided' END
                WHEN a.kind = 'event' THEN verdict(c, p, delta, m.better, NULL, headline) END
               AS verdict,
           (SELECT median(value) FROM json_each(newest_xs)
            WHERE key >= json_array_length(newest_xs) - 5) AS level_now,
           -- the event nearest to the gap in which it changed, within three days
           CASE WHEN a.kind IN ('event', 'new meaning') AND at = 0 AND about IS NOT NULL THEN about
                WHEN a.kind = 'step' AND next_about IS NOT NULL
                     AND (next_about ->> 'at') - 1000 * (times ->> at) <= 3 * 86400000000000
                     AND NOT ifnull((next_about ->> 'at') - 1000 * (times ->> at)
                                    > 1000 * (times ->> (at - 1)) - (about ->> 'at'), 0)
                THEN next_about
                WHEN a.kind = 'step'
                     AND 1000 * (times ->> (at - 1)) - (about ->> 'at') <= 3 * 86400000000000
                THEN about END AS near
    FROM adjusted AS a
    JOIN metric AS m ON m.id = a.metric_id
    JOIN workload AS w ON w.id = a.workload_id
    JOIN v_target AS t ON t.target_id = a.own_target
    JOIN v_label AS l ON (l.run_id, l.target_id, l.workload_id, l.phase)
                         = (a.run_id, a.own_target, a.workload_id, a.phase)
), certain AS (
    SELECT w.*, 100 * (ratio - 1) AS change_pct, 100 * (low - 1) AS change_low_pct,
           100 * (high - 1) AS change_high_pct,
           CASE kind
           WHEN 'new meaning' THEN 'certain'
           WHEN 'event' THEN CASE WHEN verdict IN ('slower', 'faster', 'changed') THEN 'certain'
                                  WHEN verdict LIKE '%?' THEN 'possible'
                                  WHEN verdict LIKE 'same%' OR verdict = 'small change' THEN 'none'
                                  ELSE 'undecided' END
           WHEN 'drift' THEN iif(p <= 0.01, 'certain', 'possible')
           ELSE CASE WHEN f ->> 'certainty' = 'certain' AND p > 0.04 AND NOT :gate THEN 'possible'
                     ELSE f ->> 'certainty' END END AS certainty,
           CASE WHEN kind IN ('event', 'new meaning') THEN verdict
                WHEN better = 0 THEN 'changed'
                WHEN (level_b > level_a) = (better > 0) THEN 'faster' ELSE 'slower' END AS way,
           short_digest(printf('%s%s%s %s %s%s%s%s', where_key, char(10), digest, phase, class, direct,
                               metric, CASE kind WHEN 'new meaning' THEN kind WHEN 'drift' THEN kind
                                                 ELSE '' END))
           || '-' || strftime('%Y%m%d', moment / 1000000000, 'unixepoch') AS key,
           -- areas of settings that were read in that run, none of which moved there
           (SELECT group_concat(words, ', ')
            FROM (SELECT CASE area WHEN 'system' THEN 'versions' WHEN 'module' THEN 'module parameters'
                                   WHEN 'pool' THEN 'pool' WHEN 'dataset' THEN 'dataset settings'
                                   WHEN 'disk' THEN 'disks' WHEN 'mount' THEN 'mount options' END AS words
                  FROM (SELECT DISTINCT kind AS area FROM v_fact
                        WHERE run_id = w.at_run AND target_id IN (0, w.own_target)
                          AND value IS NOT NULL
                          AND (kind <> 'system' OR key IN ('truenas', 'zfs', 'kernel')))
                  WHERE at > 0 OR about IS NULL
                     OR instr(',' || (about ->> 'kinds') || ',', ',' || area || ',') = 0
                  ORDER BY words)) AS unchanged
    FROM worded AS w
), shown AS (
    SELECT c.*, upper(substr(label, 1, 1)) || substr(label, 2) AS name,
           substr(local_date(moment), 1, 10) AS day,
           min(host || target) OVER () <> max(host || target) OVER () AS several,
           max(abs(change_low_pct), abs(change_high_pct)) AS most,
           min(abs(change_low_pct), abs(change_high_pct)) AS least
    FROM certain AS c
    -- for the gate: for the worse, and the last five runs still are
    WHERE (NOT :brief OR certainty = 'certain')
      AND (NOT :gate OR kind = 'new meaning'
           OR certainty = 'certain' AND way IN ('slower', 'changed')
              AND CASE better WHEN 1 THEN level_now * (1 + delta) <= level_a * (1 + 1e-12)
                              WHEN -1 THEN level_now >= level_a * (1 + delta) * (1 - 1e-12)
                              ELSE 1 END)
      AND (kind IN ('event', 'new meaning') OR :all OR certainty <> 'possible')
      AND (kind IN ('event', 'new meaning')
           OR CASE WHEN :since IS NOT NULL THEN moment >= :since
                   ELSE inside AND (moment >= :now - 90 * 86400000000000 OR (xs IS NOT NULL
                        AND at >= n - 20)) END)
)
SELECT CASE WHEN kind IN ('event', 'new meaning') AND near IS NOT NULL
            THEN printf('%s  %s%s', local_date(moment), near ->> 'short',
                        CASE WHEN several THEN ' (' || host || ', ' || target || ')' END)
            ELSE printf('%s  %s%s', local_date(moment),
                        ifnull('near ' || (near ->> 'short'), 'no recorded change'),
                        CASE WHEN several THEN ' (' || host || ', ' || target || ')' END) END AS heading,
       s.label || CASE :metric WHEN 'all' THEN ', ' || s.metric ELSE '' END AS label,
       CASE WHEN kind = 'new meaning' THEN '(' || human(level_a, unit, :units) || ')'
            ELSE level_a END AS shown_before,
       level_b AS shown_after,
       CASE WHEN kind <> 'new meaning' AND change_pct IS NOT NULL
            THEN CASE WHEN change_pct >= 1000 THEN printf('%.0fx', ratio)
                      ELSE printf('%+.1f %%', round(change_pct, 1) + 0.0) END END AS shown_change,
       CASE WHEN kind <> 'new meaning' AND change_low_pct IS NOT NULL
            THEN printf('%s .. %s', CASE WHEN change_low_pct >= 1000 THEN '>10x'
                                         WHEN change_low_pct < -100 THEN '< -100'
                                         ELSE printf('%+.1f', round(change_low_pct, 1) + 0.0) END,
                        CASE WHEN change_high_pct >= 1000 THEN '>10x'
                             ELSE printf('%+.1f', round(change_high_pct, 1) + 0.0) END) END
           AS shown_interval,
       CASE WHEN kind = 'new meaning' THEN kind
            WHEN certainty = 'certain' AND kind = 'drift' THEN 'drifts'
            WHEN certainty = 'certain' THEN upper(way)
            WHEN kind = 'event' THEN substr(verdict, 1, instr(verdict || ' (', ' (') - 1)
            ELSE way || '?' END AS word,
       host, CAST(moment AS INTEGER) AS "when", kind,
       ifnull(near ->> 'name', 'no recorded change') AS cause, near ->> 'from' AS from_value,
       near ->> 'to' AS to_value, target, workload, phase, metric, unit,
       CASE kind WHEN 'event' THEN c ->> 'n_a' WHEN 'new meaning' THEN NULL
                 ELSE f ->> 'n_before' END AS runs_before,
       CASE kind WHEN 'event' THEN c ->> 'n_b' WHEN 'new meaning' THEN n
                 ELSE f ->> 'n_after' END AS runs_after,
       level_a AS before, level_b AS after,
       iif(kind = 'new meaning', NULL, change_pct) AS change_pct,
       iif(kind = 'new meaning', NULL, change_low_pct) AS change_low_pct,
       iif(kind = 'new meaning', NULL, change_high_pct) AS change_high_pct,
       p, certainty, near ->> 'also' AS also_changed, unchanged, key,
       told AS sentence,
       rtrim(way, '?') AS way,
       -- for explain: what the numbers were made of
       CASE kind WHEN 'event' THEN list_a
                 ELSE (SELECT json_group_array(value) FROM json_each(xs)
                       WHERE key < at AND key >= at - (f ->> 'n_before')) END AS values_before,
       CASE kind WHEN 'event' THEN list_b
                 ELSE (SELECT json_group_array(value) FROM json_each(xs)
                       WHERE key >= at AND key < at + (f ->> 'n_after')) END AS values_after,
       delta, n_tested AS tested, p_raw,
       -- the days of two runs before and behind: within these it is the same finding
       strftime('%Y%m%d', (times ->> max(at - 2, 0)) / 1000000, 'unixepoch') AS day_low,
       strftime('%Y%m%d', (times ->> min(at + 2, n - 1)) / 1000000, 'unixepoch') AS day_high,
       CASE WHEN certainty IN ('certain', 'possible', 'possible (slow drift)') THEN told END AS told,
       CASE WHEN kind = 'event' AND certainty = 'certain' AND near ->> 'many' > 1
            THEN printf('On %s several settings changed at once (%s): which of them is the cause '
                        || 'cannot be told from these runs.', day,
                        iif(:verbose, near ->> 'text', near ->> 'few')) END AS context
FROM (SELECT s.*,
             CASE
             WHEN kind = 'new meaning'
             THEN printf('%s%s: %s since %s; the two numbers are not comparable.', name,
                         CASE WHEN several THEN ' (' || host || ', ' || target || ')' END,
                         CASE WHEN class <> old ->> 0
                              THEN iif(class = 'cached', 'read from memory, not from the disks,',
                                       'read from the disks, not from memory,')
                              WHEN direct = 'yes' THEN 'O_DIRECT is obeyed'
                              ELSE 'O_DIRECT is not obeyed' END, day)
             WHEN certainty IN ('none', 'undecided')
             THEN printf('%s%s: %s at %s of %s.', name,
                         CASE WHEN several THEN ' (' || host || ', ' || target || ')' END,
                         iif(certainty = 'none', 'no effect seen', 'undecided'), near ->> 'short', day)
             ELSE printf('%s%s: %s%s%s %s%s (%sp %s).', name,
                         CASE WHEN several THEN ' (' || host || ', ' || target || ')' END,
                         CASE WHEN certainty <> 'certain' THEN 'possibly ' WHEN kind = 'drift'
                              THEN 'slowly, ' ELSE '' END,
                         CASE WHEN least IS NULL THEN ''
                              WHEN most >= 1000 THEN printf('%.0f %% to more than 10 times ', least)
                              WHEN printf('%.0f', least) = printf('%.0f', most)
                              THEN printf('%.0f %% ', least)
                              ELSE printf('%.0f to %.0f %% ', least, most) END,
                         rtrim(way, '?'), 'since ' || day,
                         CASE WHEN kind = 'event' THEN ', ' || (near ->> 'short')
                              WHEN near IS NOT NULL
                              THEN printf(', near %s of %s', near ->> 'short',
                                          substr(local_date(near ->> 'at'), 1, 10))
                              ELSE ', with no recorded change'
                                   || CASE kind WHEN 'step' THEN ' within 3 days' ELSE '' END END,
                         CASE WHEN certainty = 'possible (slow drift)'
                              THEN 'the values follow each other; ' ELSE '' END,
                         CASE WHEN p < 0.001 THEN '< 0.001' ELSE printf('= %.3f', p) END) END AS told
      FROM shown AS s) AS s
ORDER BY host, moment, near IS NULL, target, workload_id, position, class, metric_id;
