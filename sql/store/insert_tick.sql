INSERT INTO tick(iteration_id, t_ms, bytes, ops) VALUES (:iteration, :t_ms, :bytes, :ops);
