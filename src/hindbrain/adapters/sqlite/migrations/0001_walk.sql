-- 0001 walk: memories, their words, their history, and the way from a sentence to a prompt.
-- The first schema. Times are UTC text with milliseconds, so that text order is time order.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE project (
    seq        INTEGER PRIMARY KEY, -- short number for the scope token of the word index
    id         TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

-- A code base has several names (remote, git folder, path); all lead to one project.
CREATE TABLE project_identity (
    identity TEXT PRIMARY KEY,
    project  TEXT NOT NULL REFERENCES project (id)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory (
    seq               INTEGER PRIMARY KEY, -- rowid of the word index
    id                TEXT NOT NULL UNIQUE,
    project           TEXT NOT NULL REFERENCES project (id),
    kind              TEXT NOT NULL,
    type              TEXT NOT NULL,
    category          TEXT NOT NULL,
    category_is_fixed INTEGER NOT NULL CHECK (category_is_fixed IN (0, 1)),
    title             TEXT NOT NULL,
    content           TEXT NOT NULL,
    body              TEXT NOT NULL, -- JSON object
    tags              TEXT NOT NULL, -- JSON array
    file_refs         TEXT NOT NULL, -- JSON array
    error_signature   TEXT,
    key               TEXT NOT NULL,
    legacy_key        TEXT NOT NULL,
    content_hash      TEXT NOT NULL,
    chorus_hash       TEXT NOT NULL,
    persona           TEXT, -- NULL: shared by all personas
    reach             TEXT NOT NULL CHECK (reach IN ('project', 'everywhere')),
    actor_type        TEXT NOT NULL CHECK (actor_type IN ('human', 'agent', 'automate')),
    actor_persona     TEXT NOT NULL,
    hat               TEXT NOT NULL,
    instance          TEXT NOT NULL,
    session           TEXT NOT NULL,
    task              TEXT NOT NULL,
    source            TEXT NOT NULL DEFAULT 'automatic'
                      CHECK (source IN ('automatic', 'explicit', 'imported', 'manual')),
    adapter           TEXT NOT NULL,
    receipt           TEXT NOT NULL,
    trust             INTEGER NOT NULL CHECK (trust BETWEEN 0 AND 4),
    confidence        REAL NOT NULL DEFAULT 0.5 CHECK (confidence BETWEEN 0 AND 1),
    importance        INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 10),
    evidence          INTEGER NOT NULL,
    injected          INTEGER NOT NULL DEFAULT 0,
    recalled          INTEGER NOT NULL DEFAULT 0,
    cited             INTEGER NOT NULL DEFAULT 0,
    confirmed         INTEGER NOT NULL DEFAULT 0,
    learned_at        TEXT NOT NULL,
    created_at        TEXT NOT NULL,
    updated_at        TEXT NOT NULL,
    last_used_at      TEXT,
    verified_at       TEXT,
    decayed_at        TEXT,
    superseded_by     TEXT,
    superseded_at     TEXT,
    archived_at       TEXT,
    archive_reason    TEXT NOT NULL,
    is_pinned         INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
    version           INTEGER NOT NULL CHECK (version > 0),
    row_hash          TEXT NOT NULL, -- SHA-256 of all of the above: integrity_check does not see a flipped bit
    state             TEXT NOT NULL GENERATED ALWAYS AS (CASE
                          WHEN archived_at IS NOT NULL THEN 'archived'
                          WHEN superseded_by IS NOT NULL THEN 'superseded'
                          WHEN trust = 0 THEN 'quarantined'
                          ELSE 'live' END) STORED,
    -- What the word index holds: kept here so that FTS5 can compare index and rows.
    scope             TEXT NOT NULL,
    title_words       TEXT NOT NULL,
    content_words     TEXT NOT NULL,
    extra_words       TEXT NOT NULL
) STRICT;

CREATE INDEX idx_memories_project ON memory (project);
CREATE INDEX idx_memories_project_type ON memory (project, type);
CREATE INDEX idx_memories_project_confidence ON memory (project, confidence DESC);
CREATE INDEX idx_memories_last_used ON memory (last_used_at DESC);
CREATE INDEX idx_memory_hash ON memory (project, content_hash);
CREATE INDEX idx_memory_key ON memory (project, key);
CREATE INDEX idx_memory_newest ON memory (project, learned_at DESC);
CREATE INDEX idx_memory_everywhere ON memory (reach) WHERE reach = 'everywhere';

-- Terms arrive ready-made (core/words.py), so the tokeniser only splits at spaces.
CREATE VIRTUAL TABLE memory_words USING fts5 (
    scope, title_words, content_words, extra_words,
    content = 'memory', content_rowid = 'seq',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '_'"
);
-- How many memories hold a term: rare ones find neighbours at a fraction of the cost.
CREATE VIRTUAL TABLE memory_terms USING fts5vocab (memory_words, row);
-- Without it, deleted words stay readable in the index until segments happen to merge.
INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER memory_words_insert AFTER INSERT ON memory BEGIN
    INSERT INTO memory_words (rowid, scope, title_words, content_words, extra_words)
    VALUES (new.seq, new.scope, new.title_words, new.content_words, new.extra_words);
END;
CREATE TRIGGER memory_words_delete AFTER DELETE ON memory BEGIN
    INSERT INTO memory_words (memory_words, rowid, scope, title_words, content_words, extra_words)
    VALUES ('delete', old.seq, old.scope, old.title_words, old.content_words, old.extra_words);
END;
CREATE TRIGGER memory_words_update AFTER UPDATE OF scope, title_words, content_words, extra_words ON memory
WHEN old.scope <> new.scope OR old.title_words <> new.title_words
    OR old.content_words <> new.content_words OR old.extra_words <> new.extra_words
BEGIN
    INSERT INTO memory_words (memory_words, rowid, scope, title_words, content_words, extra_words)
    VALUES ('delete', old.seq, old.scope, old.title_words, old.content_words, old.extra_words);
    INSERT INTO memory_words (rowid, scope, title_words, content_words, extra_words)
    VALUES (new.seq, new.scope, new.title_words, new.content_words, new.extra_words);
END;

CREATE TABLE memory_version (
    memory     TEXT NOT NULL REFERENCES memory (id),
    version    INTEGER NOT NULL,
    project    TEXT NOT NULL,
    since      TEXT NOT NULL,
    until      TEXT, -- NULL: it still stands
    changed_by TEXT NOT NULL, -- JSON actor
    change     TEXT NOT NULL,
    data       TEXT NOT NULL, -- JSON memory
    row_hash   TEXT NOT NULL,
    PRIMARY KEY (memory, version)
) STRICT; -- with rowid: rows this long would spill into mostly empty pages without it
CREATE INDEX idx_memory_version_time ON memory_version (project, since);

CREATE TABLE saying (
    memory  TEXT NOT NULL REFERENCES memory (id),
    receipt TEXT NOT NULL,
    session TEXT NOT NULL,
    speaker TEXT NOT NULL,
    at      TEXT NOT NULL,
    PRIMARY KEY (memory, receipt)
) STRICT, WITHOUT ROWID;

CREATE TABLE link (
    source   TEXT NOT NULL REFERENCES memory (id),
    target   TEXT NOT NULL REFERENCES memory (id),
    relation TEXT NOT NULL CHECK (relation IN ('derived_from', 'related_to', 'contradicts', 'elaborates',
                                               'example_of', 'supersedes', 'superseded_by')),
    at       TEXT NOT NULL,
    reason   TEXT NOT NULL,
    PRIMARY KEY (source, target, relation)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_link_target ON link (target);

-- The unique key makes a replayed capture a no-op.
CREATE TABLE receipt (
    id         TEXT PRIMARY KEY,
    key        TEXT NOT NULL UNIQUE,
    at         TEXT NOT NULL,
    project    TEXT NOT NULL REFERENCES project (id),
    verdict    TEXT NOT NULL CHECK (verdict IN ('stored', 'evidence', 'version', 'superseded', 'review', 'rejected')),
    text       TEXT NOT NULL,
    reason     TEXT NOT NULL,
    memory     TEXT,
    supersedes TEXT NOT NULL, -- JSON array
    signal     TEXT NOT NULL,
    said_at    TEXT,
    session    TEXT NOT NULL,
    task       TEXT NOT NULL,
    adapter    TEXT NOT NULL,
    origin     TEXT NOT NULL,
    line       INTEGER NOT NULL,
    ref        TEXT NOT NULL,
    removed    TEXT NOT NULL -- JSON array
) STRICT;
CREATE INDEX idx_receipt_project ON receipt (project, at);
CREATE INDEX idx_receipt_session ON receipt (project, session);
CREATE INDEX idx_receipt_memory ON receipt (memory);

CREATE TABLE review (
    id         TEXT PRIMARY KEY,
    project    TEXT NOT NULL REFERENCES project (id),
    kind       TEXT NOT NULL CHECK (kind IN ('quarantine', 'contradiction')),
    memory     TEXT NOT NULL REFERENCES memory (id),
    other      TEXT REFERENCES memory (id),
    reason     TEXT NOT NULL,
    opened_at  TEXT NOT NULL,
    closed_at  TEXT,
    decision   TEXT NOT NULL,
    decided_by TEXT NOT NULL
) STRICT;
CREATE INDEX idx_review_open ON review (project, opened_at) WHERE closed_at IS NULL;

CREATE TABLE injection (
    id       TEXT PRIMARY KEY,
    at       TEXT NOT NULL,
    project  TEXT NOT NULL REFERENCES project (id),
    format   TEXT NOT NULL,
    strategy TEXT NOT NULL,
    left_out INTEGER NOT NULL,
    tokens   INTEGER NOT NULL,
    session  TEXT NOT NULL,
    task     TEXT NOT NULL,
    persona  TEXT NOT NULL,
    hat      TEXT NOT NULL,
    query    TEXT NOT NULL
) STRICT;

CREATE TABLE injection_item (
    injection TEXT NOT NULL REFERENCES injection (id),
    position  INTEGER NOT NULL,
    memory    TEXT NOT NULL REFERENCES memory (id),
    version   INTEGER NOT NULL,
    session   TEXT NOT NULL, -- of the injection, here for the index
    reasons   TEXT NOT NULL, -- JSON: [name, value, weight, note]
    PRIMARY KEY (injection, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_injection_item_memory ON injection_item (memory, session);

CREATE TABLE event (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice: followers keep it as a cursor
    at      TEXT NOT NULL,
    project TEXT NOT NULL,
    name    TEXT NOT NULL,
    memory  TEXT,
    data    TEXT NOT NULL -- JSON object
) STRICT;
CREATE INDEX idx_event_memory ON event (memory);

-- The table as Dex documents it, for people and scripts that know that schema.
CREATE VIEW memories AS
SELECT id, project AS project_id, type, title, content, confidence, tags, file_refs,
       hat AS created_by_hat, task AS created_by_task_id, session AS created_by_session_id,
       source, created_at, last_used_at, injected AS use_count, verified_at
FROM memory
WHERE archived_at IS NULL;
