-- 0009 upkeep: putting many memories away costs no more than writing them, and papers may be figures, too.
-- Code of 0008 reads and writes on as before; figures of another system it does not know.

-- To change a memory's state is to take its words out of the index and to put them in again. With secure-delete that
-- rewrote the list of every word at once: two thirds of the time of `prune`, and more with every memory. What is to be
-- unreadable is forgotten by `erase`, which merges the whole index and writes the file anew.
INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 0);

-- Whoever puts a memory away closes what was asked about it, and must not read all that was ever asked.
CREATE INDEX idx_review_memory ON review (memory);
CREATE INDEX idx_review_other ON review (other) WHERE other IS NOT NULL;

CREATE TABLE paper_of_any_sort (
    project  TEXT NOT NULL REFERENCES project (id),
    sort     TEXT NOT NULL CHECK (sort IN ('ledger', 'handoff', 'metric')),
    id       TEXT NOT NULL,
    agent    TEXT NOT NULL,
    receiver TEXT NOT NULL, -- empty: whoever comes next
    at       TEXT NOT NULL,
    data     TEXT NOT NULL, -- JSON object
    taken_at TEXT,
    PRIMARY KEY (project, sort, id)
) STRICT, WITHOUT ROWID;
INSERT INTO paper_of_any_sort SELECT project, sort, id, agent, receiver, at, data, taken_at FROM paper;
DROP TABLE paper;
ALTER TABLE paper_of_any_sort RENAME TO paper;
