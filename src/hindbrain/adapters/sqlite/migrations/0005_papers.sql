-- 0005 papers: what agents leave in writing, a ledger for each and handoffs between them.
-- Safe while 0003 code runs: it only adds tables.

CREATE TABLE paper (
    project  TEXT NOT NULL REFERENCES project (id),
    sort     TEXT NOT NULL CHECK (sort IN ('ledger', 'handoff')),
    id       TEXT NOT NULL,
    agent    TEXT NOT NULL,
    receiver TEXT NOT NULL, -- empty: whoever comes next
    at       TEXT NOT NULL,
    data     TEXT NOT NULL, -- JSON object
    taken_at TEXT,
    PRIMARY KEY (project, sort, id)
) STRICT, WITHOUT ROWID;

-- What another system calls a memory is looked up by that name.
CREATE INDEX idx_receipt_ref ON receipt (project, ref) WHERE ref <> '';
