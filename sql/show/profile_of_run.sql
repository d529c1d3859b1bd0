SELECT p.text FROM run AS r JOIN profile AS p ON p.id = r.profile_id WHERE r.id = :run;
