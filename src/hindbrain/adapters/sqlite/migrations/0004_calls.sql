-- 0006 calls: what was asked of models, for what, and what it cost; never a key, never a word of what was said.
-- Only adds a table.

CREATE TABLE call (
    seq            INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    at             TEXT NOT NULL,
    use            TEXT NOT NULL,
    provider       TEXT NOT NULL,
    model          TEXT NOT NULL,
    outcome        TEXT NOT NULL CHECK (outcome IN ('open', 'answered', 'failed', 'misfit')),
    tokens_in      INTEGER NOT NULL,
    tokens_out     INTEGER NOT NULL,
    cost           REAL NOT NULL,
    duration_s     REAL NOT NULL,
    tries          INTEGER NOT NULL,
    prompt         TEXT NOT NULL,
    prompt_version INTEGER NOT NULL
) STRICT;
CREATE INDEX idx_call_at ON call (at);
