INSERT INTO fact(factset_id, key, value, source, class, leader)
VALUES (:factset, :key, :value, :source, :class, :leader);
