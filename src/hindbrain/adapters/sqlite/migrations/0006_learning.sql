-- 0006 learning: rules that are proposed, the files that they change, who decided what, and work that may teach.
-- Only adds tables.

CREATE TABLE suggestion (
    id          TEXT PRIMARY KEY,
    project     TEXT NOT NULL REFERENCES project (id),
    scar        TEXT REFERENCES memory (id), -- null: it removes a rule
    key         TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('pending', 'applied', 'modified', 'refused', 'undone', 'removed')),
    destination TEXT NOT NULL CHECK (
        destination IN ('claude_md', 'settings_json', 'memory', 'brain_inbox', 'skill', 'chantier_outil')
    ),
    created_at  TEXT NOT NULL,
    importance  INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 10),
    applied_as  INTEGER NOT NULL,
    data        TEXT NOT NULL -- JSON object: all else
) STRICT;
CREATE INDEX idx_suggestion_project ON suggestion (project, status);
CREATE INDEX idx_suggestion_scar ON suggestion (scar) WHERE scar IS NOT NULL;

-- Files are kept byte by byte: that is what an undo gives back.
CREATE TABLE suggestion_edit (
    suggestion TEXT NOT NULL REFERENCES suggestion (id),
    position   INTEGER NOT NULL,
    folder     TEXT NOT NULL,
    path       TEXT NOT NULL,
    before     BLOB, -- null: there was no such file
    after      BLOB,
    made       INTEGER NOT NULL,
    PRIMARY KEY (suggestion, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
    seq     INTEGER PRIMARY KEY, -- given by the chain, without gaps
    at      TEXT NOT NULL,
    project TEXT NOT NULL,
    actor   TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail  TEXT NOT NULL, -- JSON object
    prev    TEXT NOT NULL,
    hash    TEXT NOT NULL
) STRICT;

CREATE TABLE workstream (
    id        TEXT PRIMARY KEY,
    project   TEXT NOT NULL REFERENCES project (id),
    title     TEXT NOT NULL,
    state     TEXT NOT NULL CHECK (state IN ('open', 'closed')),
    data      TEXT NOT NULL, -- JSON object
    opened_at TEXT NOT NULL,
    closed_at TEXT
) STRICT;
CREATE INDEX idx_workstream_project ON workstream (project, state);
