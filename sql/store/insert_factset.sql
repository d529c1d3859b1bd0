INSERT INTO factset(kind, digest) VALUES (:kind, :digest) RETURNING id;
