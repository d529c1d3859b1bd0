SELECT id, uuid FROM run
WHERE substr(uuid, 1, length(:prefix)) = :prefix
LIMIT 2;
