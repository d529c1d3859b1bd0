INSERT INTO run_target(run_id, target_id, path, fstype, position)
VALUES (:run, :target, :path, :fstype, :position);
