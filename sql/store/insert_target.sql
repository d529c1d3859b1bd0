INSERT INTO target(host_id, name) VALUES (:host, :name)
ON CONFLICT (host_id, name) DO UPDATE SET name = excluded.name
RETURNING id;
