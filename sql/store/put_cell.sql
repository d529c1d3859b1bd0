INSERT INTO cell(run_id, target_id, workload_id, phase, class, direct_effect, engine_effect,
                 bound_by, evidence, stop_rule, size)
VALUES (:run, :target, :workload, :phase, :class, :direct, :engine, :bound_by, :evidence,
        :stop_rule, :size)
ON CONFLICT (run_id, target_id, workload_id, phase)
DO UPDATE SET class = excluded.class, direct_effect = excluded.direct_effect,
              engine_effect = excluded.engine_effect, bound_by = excluded.bound_by,
              evidence = excluded.evidence, stop_rule = excluded.stop_rule,
              size = excluded.size;
