-- 0003 agents: what agents did, what is queued, what came of showing a memory, and where in the code it is tied.
-- Adds tables, and columns with defaults; code of 0002 would no longer know how to write an injection.

CREATE TABLE activity (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice: followers keep it as a cursor
    id         TEXT NOT NULL UNIQUE,
    at         TEXT NOT NULL,
    project    TEXT NOT NULL REFERENCES project (id),
    session    TEXT NOT NULL,
    deed       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    result     TEXT NOT NULL CHECK (result IN ('passed', 'failed', '')),
    detail     TEXT NOT NULL,
    signature  TEXT NOT NULL,
    client     TEXT NOT NULL,
    agent      TEXT NOT NULL,
    agent_type TEXT NOT NULL,
    hat        TEXT NOT NULL,
    task       TEXT NOT NULL,
    ref        TEXT NOT NULL,
    data       TEXT NOT NULL -- JSON object
) STRICT;
CREATE INDEX idx_activity_session ON activity (project, session);

CREATE TABLE job (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of the queue
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,
    key        TEXT NOT NULL,
    project    TEXT NOT NULL, -- empty: of no project
    payload    TEXT NOT NULL, -- JSON object
    created_at TEXT NOT NULL,
    due_at     TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'dead')),
    tries      INTEGER NOT NULL CHECK (tries >= 0),
    updated_at TEXT,
    error      TEXT NOT NULL
) STRICT;
-- One open job for each key. A dead one does not count: what happens after it deserves a try of its own.
CREATE UNIQUE INDEX idx_job_key ON job (key) WHERE state IN ('queued', 'running');
CREATE INDEX idx_job_open ON job (seq) WHERE state IN ('queued', 'running'); -- the next one, however many are done
CREATE INDEX idx_job_state ON job (state);

CREATE TABLE outcome (
    id          TEXT PRIMARY KEY,
    at          TEXT NOT NULL,
    project     TEXT NOT NULL REFERENCES project (id),
    memory      TEXT NOT NULL REFERENCES memory (id),
    effect      TEXT NOT NULL CHECK (effect IN ('helped', 'hurt', 'unknown')),
    how         TEXT NOT NULL,
    injection   TEXT NOT NULL, -- empty: about the memory as such
    session     TEXT NOT NULL,
    note        TEXT NOT NULL,
    is_withheld INTEGER NOT NULL CHECK (is_withheld IN (0, 1)),
    UNIQUE (memory, injection, how) -- judging again changes nothing
) STRICT;
CREATE INDEX idx_outcome_session ON outcome (project, session);

CREATE TABLE anchor (
    memory     TEXT NOT NULL REFERENCES memory (id),
    position   INTEGER NOT NULL,
    project    TEXT NOT NULL REFERENCES project (id),
    path       TEXT NOT NULL,
    tied_at    TEXT NOT NULL,
    checked_at TEXT NOT NULL,
    blob       TEXT NOT NULL,
    symbol     TEXT NOT NULL,
    start      INTEGER NOT NULL,
    end        INTEGER NOT NULL,
    digest     TEXT NOT NULL,
    freshness  TEXT NOT NULL CHECK (freshness IN ('', 'fresh', 'suspect', 'gone')),
    note       TEXT NOT NULL,
    PRIMARY KEY (memory, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_anchor_path ON anchor (project, path);

CREATE TABLE cursor (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE injection ADD COLUMN moment TEXT NOT NULL DEFAULT 'asked';
ALTER TABLE injection ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE injection ADD COLUMN is_withheld INTEGER NOT NULL DEFAULT 0 CHECK (is_withheld IN (0, 1));
CREATE INDEX idx_injection_session ON injection (session);
CREATE INDEX idx_injection_project ON injection (project, at);

-- The fix for a failure is looked up while an agent waits.
CREATE INDEX idx_memory_signature ON memory (error_signature) WHERE error_signature IS NOT NULL;
