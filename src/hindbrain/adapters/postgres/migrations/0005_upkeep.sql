-- 0005 upkeep: whoever puts a memory away closes what was asked about it, and must not read all that was ever asked.
-- Safe while 0004 code runs: it only adds an index.

CREATE INDEX idx_review_other ON review (other) WHERE other IS NOT NULL;
