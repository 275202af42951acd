-- 0007 vector seals: a hash beside every vector, so that a changed bit in its numbers is found.
-- Written with the row, not generated: to compute those of existing rows would rewrite the table and build every graph
-- anew. What was embedded before has none, and is not looked at, until its memory is embedded again.
-- Safe while 0006 code runs: what it writes has no seal.

ALTER TABLE embedding ADD COLUMN seal bigint;
