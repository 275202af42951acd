-- 0008 pieces: long texts are cut finer than before, so what has more than one piece is embedded again.
-- Short texts, which most memories are, keep their vectors. Until a worker has made the others they count like those
-- that have none yet.
-- Safe while 0007 code runs: what it embeds has larger pieces.

INSERT INTO embedding_due
SELECT DISTINCT v.space, v.memory
FROM embedding v JOIN space s ON s.seq = v.space JOIN memory m ON m.seq = v.memory
WHERE v.piece = 1 AND s.is_expected AND m.state <> 'archived'
ON CONFLICT DO NOTHING;
DELETE FROM embedding v USING embedding w, space s
WHERE w.piece = 1 AND w.space = v.space AND w.scope = v.scope AND w.memory = v.memory
    AND s.seq = v.space AND s.is_expected;
