INSERT OR IGNORE INTO metric(name, unit, better) VALUES (:name, :unit, :better);
