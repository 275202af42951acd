-- 0006 turns: by what a writer knows, after a lost connection, whether its own transaction was committed.
-- A server that crashed may give a transaction's number to another one, so a number alone can mislead.
-- Safe while 0005 code runs: it only adds a table, which speaks of no project.

CREATE TABLE turn (
    token text COLLATE "C" PRIMARY KEY,
    at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idx_turn_at ON turn (at);
