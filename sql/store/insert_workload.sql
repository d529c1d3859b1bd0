INSERT INTO workload(digest, name, kind, spec) VALUES (:digest, :name, :kind, :spec)
ON CONFLICT (digest) DO UPDATE SET name = excluded.name
RETURNING id;
