INSERT INTO label(run_id, key, value) VALUES (:run, :key, :value)
ON CONFLICT (run_id, key) DO UPDATE SET value = excluded.value;
