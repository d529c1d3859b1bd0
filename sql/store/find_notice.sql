-- What is known of a finding: accepted at its day or later (an ack is of a level: what began before
-- is accepted with it), told last when. Keys are SERIES-DAY; days within a run or two are the same.
SELECT (SELECT key FROM ack
        WHERE substr(key, 1, 9) = :prefix AND substr(key, 10) >= :low
        ORDER BY key DESC LIMIT 1) AS ack,
       (SELECT max(mailed_at) FROM notice
        WHERE substr(key, 1, 9) = :prefix AND substr(key, 10) BETWEEN :low AND :high) AS mailed_at;
