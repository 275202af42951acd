-- 0007 tokens: who may call the service, and what a repeated write was answered.
-- Safe while older code runs: it only adds tables. A secret is kept as its hash alone.
CREATE TABLE token (
    name       TEXT NOT NULL PRIMARY KEY,
    digest     TEXT NOT NULL UNIQUE,
    rights     TEXT NOT NULL,             -- of read, write, decide; spaces between them
    project    TEXT NOT NULL DEFAULT '',  -- empty: every project
    created_at TEXT NOT NULL,
    revoked_at TEXT
) STRICT;

CREATE TABLE reply (
    key     TEXT NOT NULL PRIMARY KEY,
    request TEXT NOT NULL,
    at      TEXT NOT NULL,
    status  INTEGER NOT NULL,             -- 0: still being made
    headers TEXT NOT NULL,                -- JSON
    body    TEXT NOT NULL
) STRICT;

CREATE INDEX idx_reply_at ON reply (at);
