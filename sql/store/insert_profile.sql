INSERT INTO profile(digest, name, text) VALUES (:digest, :name, :text)
ON CONFLICT (digest) DO UPDATE SET name = excluded.name
RETURNING id;
