INSERT OR IGNORE INTO requirement(profile_id, workload_id, target, phase, metric, op, value, why)
VALUES (:profile, :workload, :target, :phase, :metric, :op, :value, :why);
