INSERT INTO run_factset(run_id, target_id, kind, subject, moment, factset_id)
VALUES (:run, :target, :kind, :subject, :moment, :factset);
