INSERT INTO cell(run_id, target_id, workload_id, phase, class, direct_effect, engine_effect,
                 stop_rule, size)
VALUES (:run, :target, :workload, :phase, :class, :direct, :engine, :stop_rule, :size)
ON CONFLICT (run_id, target_id, workload_id, phase)
DO UPDATE SET class = excluded.class, direct_effect = excluded.direct_effect,
              engine_effect = excluded.engine_effect, stop_rule = excluded.stop_rule,
              size = excluded.size;
