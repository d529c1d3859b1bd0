UPDATE run SET note = :value WHERE id = :run;
