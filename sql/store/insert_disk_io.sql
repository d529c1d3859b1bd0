INSERT INTO disk_io(iteration_id, disk, read_bytes, write_bytes, requests, busy_ns, temperature)
VALUES (:iteration, :disk, :read_bytes, :write_bytes, :requests, :busy, :temperature);
