INSERT OR IGNORE INTO threshold(profile_id, metric, share) VALUES (:profile, :metric, :share);
