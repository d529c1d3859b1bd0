INSERT OR REPLACE INTO run_state(run_id, target_id, subject, moment, key, value)
VALUES (:run, :target, :subject, :moment, :key, :value);
