INSERT INTO run_target(run_id, target_id, path, fstype, dataset_guid, pool_guid, position)
VALUES (:run, :target, :path, :fstype, :dataset_guid, :pool_guid, :position);
