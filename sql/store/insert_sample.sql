INSERT INTO sample(iteration_id, metric_id, value)
VALUES (:iteration, (SELECT id FROM metric WHERE name = :metric), :value);
