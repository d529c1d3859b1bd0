UPDATE run SET excluded = :value WHERE id = :run;
