INSERT INTO finding(run_id, target_id, workload_id, phase, code, severity, text, evidence)
VALUES (:run, :target, :workload, :phase, :code, :severity, :text, :evidence);
