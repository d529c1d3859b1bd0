INSERT INTO finding(run_id, target_id, workload_id, code, severity, text, evidence)
VALUES (:run, :target, :workload, :code, :severity, :text, :evidence);
