INSERT INTO run(uuid, host_id, profile_id, origin, started_at, status, seed, run_order, forced,
                note, zhist_version, process)
VALUES (:uuid, :host, :profile, 'measured', :started_at, 'running', :seed, :order, :forced,
        :note, :version, :process)
RETURNING id;
