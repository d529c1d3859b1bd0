UPDATE run SET status = :status, finished_at = :finished_at WHERE id = :run;
