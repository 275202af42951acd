-- 0012 pieces: long texts are cut finer than before, so what has more than one piece is embedded again.
-- Short texts, which most memories are, keep their vectors. Until a worker has made the others they count like those
-- that have none yet.
-- Code of 0011 reads and writes on as before; what it embeds has larger pieces.

INSERT OR IGNORE INTO vector_due
SELECT DISTINCT v.space, v.memory
FROM vector v JOIN space s ON s.seq = v.space JOIN memory m ON m.seq = v.memory
WHERE v.piece = 1 AND s.is_expected = 1 AND m.archived_at IS NULL;
DELETE FROM vector WHERE (scope, space, memory) IN (
    SELECT v.scope, v.space, v.memory FROM vector v JOIN space s ON s.seq = v.space
    WHERE v.piece = 1 AND s.is_expected = 1
);
