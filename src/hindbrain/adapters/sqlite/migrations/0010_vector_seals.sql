-- 0010 vector seals: a hash beside every vector, so that a changed bit in its numbers is found.
-- Written with the row by the one place that writes vectors: a trigger would cost more than the rest of adding one.
-- The scale is sealed as a whole number of billionths of a thousandth: its text may differ between engines.
-- Code of 0009 cannot write vectors after it.

-- To write the hash of every row would count each as moved.
DROP TRIGGER vector_tally_update;

ALTER TABLE vector ADD COLUMN seal INTEGER;
UPDATE vector SET seal = seal_of(code, CAST(CAST(round(scale * 1e12) AS INTEGER) AS BLOB), digest,
    CAST(start AS BLOB), CAST(end AS BLOB));
ALTER TABLE vector_rest ADD COLUMN seal INTEGER;
UPDATE vector_rest SET seal = seal_of(code);

CREATE TRIGGER vector_tally_update AFTER UPDATE ON vector BEGIN
    UPDATE vector_tally SET vectors = vectors - 1, removed = removed + 1
    WHERE space = old.space AND scope = old.scope;
    INSERT INTO vector_tally VALUES (new.space, new.scope, 1, 0)
    ON CONFLICT DO UPDATE SET vectors = vectors + 1;
END;
