-- 0004 calls: what was asked of models, for what, and what it cost; never a key, never a word of what was said.
-- And room for the long vectors of models on the network. Only adds tables and triggers.

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

-- A row of a clustered table that is longer than a quarter of a page takes a page more. Vectors of models on the network
-- have 1,024 numbers and more: what does not fit into `vector` lies here, in parts that fit.
CREATE TABLE vector_rest (
    scope  INTEGER NOT NULL,
    space  INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    piece  INTEGER NOT NULL,
    part   INTEGER NOT NULL, -- from 1: the first lies in `vector`
    code   BLOB NOT NULL,
    PRIMARY KEY (scope, space, memory, piece, part)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER vector_rest_delete AFTER DELETE ON vector BEGIN
    DELETE FROM vector_rest
    WHERE scope = old.scope AND space = old.space AND memory = old.memory AND piece = old.piece;
END;
CREATE TRIGGER vector_rest_scope AFTER UPDATE OF scope ON vector WHEN old.scope <> new.scope BEGIN
    UPDATE vector_rest SET scope = new.scope
    WHERE scope = old.scope AND space = old.space AND memory = old.memory AND piece = old.piece;
END;
