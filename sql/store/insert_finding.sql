INSERT INTO finding(run_id, target_id, workload_id, phase, iteration_id, code, severity, text, evidence)
VALUES (:run, :target, :workload, :phase,
        (SELECT id FROM iteration
         WHERE (run_id, target_id, workload_id, phase, ordinal)
               = (:run, :target, :workload, :phase, :ordinal)),
        :code, :severity, :text, :evidence);
