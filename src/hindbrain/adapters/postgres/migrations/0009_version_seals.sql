-- 0009 version seals: a hash over who made a version and why, so that a changed bit there is found as well; the value
-- beside them has its `row_hash`.
-- Written with the row, not generated: a version gets its end later, and a server would seal it again then, damaged or
-- not. Existing rows get theirs here.
-- Safe while 0008 code runs: what it writes has no seal, and is not looked at.

ALTER TABLE memory_version ADD COLUMN seal bigint;
UPDATE memory_version SET seal = hashtextextended((changed_by || chr(10) || change) COLLATE "C", 0);
