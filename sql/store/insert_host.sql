INSERT INTO host(machine_id, name) VALUES (:machine, :name)
ON CONFLICT (machine_id) DO UPDATE SET name = excluded.name
RETURNING id;
