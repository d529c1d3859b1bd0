INSERT INTO histogram(iteration_id, op, buckets) VALUES (:iteration, :op, :buckets);
