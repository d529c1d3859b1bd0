INSERT INTO notice(key, first_at, mailed_at) VALUES (:key, :now, :now)
ON CONFLICT(key) DO UPDATE SET mailed_at = excluded.mailed_at;
