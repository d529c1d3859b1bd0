INSERT INTO ack(key, note, at) VALUES (:key, :note, :now)
ON CONFLICT(key) DO UPDATE SET note = excluded.note, at = excluded.at;
