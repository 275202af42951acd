-- 0002 vectors: what each memory means, as points in the space of a model, and which memories still have none.
-- Only adds tables and triggers. No foreign keys to memory or space: to check them when a row goes, the whole of
-- `vector` would be read. The triggers keep what a key would, and `doctor` looks.

CREATE TABLE space (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice: what was read of one is never taken for another
    provider    TEXT NOT NULL,
    model       TEXT NOT NULL,
    version     TEXT NOT NULL,
    dimension   INTEGER NOT NULL CHECK (dimension > 0),
    is_expected INTEGER NOT NULL CHECK (is_expected IN (0, 1)), -- every memory is to have a vector in it
    unlisted    INTEGER NOT NULL, -- memories up to this seq were not looked at yet for vector_due; 0: all were
    UNIQUE (provider, model, version, dimension)
) STRICT;

-- Where a memory's vectors lie: with those of its project, or with all that go everywhere.
CREATE VIEW memory_scope AS
SELECT m.seq AS memory, CASE m.reach WHEN 'everywhere' THEN 0 ELSE p.seq END AS scope
FROM memory m JOIN project p ON p.id = m.project;

-- Clustered: a question reads one project's rows, side by side, and those of scope 0, however many others there are.
CREATE TABLE vector (
    scope  INTEGER NOT NULL, -- seq of the project; 0 for memories that go everywhere
    space  INTEGER NOT NULL,
    memory INTEGER NOT NULL, -- seq
    piece  INTEGER NOT NULL,
    start  INTEGER NOT NULL,
    end    INTEGER NOT NULL,
    digest BLOB NOT NULL,
    scale  REAL NOT NULL,
    code   BLOB NOT NULL, -- one signed byte for each dimension
    PRIMARY KEY (scope, space, memory, piece)
) STRICT, WITHOUT ROWID;

-- The durable list of what is to be embedded, written in the transaction that makes it necessary.
CREATE TABLE vector_due (
    space  INTEGER NOT NULL,
    memory INTEGER NOT NULL, -- seq, so that the oldest come first
    PRIMARY KEY (space, memory)
) STRICT, WITHOUT ROWID;

-- How many vectors lie where. The two numbers never come back to what they were, so that a reader can tell by them
-- whether anything has changed.
CREATE TABLE vector_tally (
    space   INTEGER NOT NULL,
    scope   INTEGER NOT NULL,
    vectors INTEGER NOT NULL,
    removed INTEGER NOT NULL, -- so far, by deleting or by moving to another scope
    PRIMARY KEY (space, scope)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER vector_tally_insert AFTER INSERT ON vector BEGIN
    INSERT INTO vector_tally VALUES (new.space, new.scope, 1, 0)
    ON CONFLICT DO UPDATE SET vectors = vectors + 1;
END;
CREATE TRIGGER vector_tally_delete AFTER DELETE ON vector BEGIN
    UPDATE vector_tally SET vectors = vectors - 1, removed = removed + 1
    WHERE space = old.space AND scope = old.scope;
END;
CREATE TRIGGER vector_tally_update AFTER UPDATE ON vector BEGIN
    UPDATE vector_tally SET vectors = vectors - 1, removed = removed + 1
    WHERE space = old.space AND scope = old.scope;
    INSERT INTO vector_tally VALUES (new.space, new.scope, 1, 0)
    ON CONFLICT DO UPDATE SET vectors = vectors + 1;
END;

CREATE TRIGGER vector_memory_insert AFTER INSERT ON memory WHEN new.archived_at IS NULL BEGIN
    INSERT OR IGNORE INTO vector_due SELECT seq, new.seq FROM space WHERE is_expected = 1;
END;

-- Other words mean something else. SQLite runs triggers of one event in no order that it promises, so each of these
-- gives the same result before and after the others.
CREATE TRIGGER vector_memory_text AFTER UPDATE OF title, content ON memory
WHEN old.title <> new.title OR old.content <> new.content
BEGIN
    DELETE FROM vector
    WHERE scope IN (0, (SELECT seq FROM project WHERE id = old.project), (SELECT seq FROM project WHERE id = new.project))
        AND space IN (SELECT seq FROM space) AND memory = new.seq;
    INSERT OR IGNORE INTO vector_due
    SELECT seq, new.seq FROM space WHERE is_expected = 1 AND new.archived_at IS NULL;
END;
CREATE TRIGGER vector_memory_scope AFTER UPDATE OF project, reach ON memory
WHEN old.project <> new.project OR old.reach <> new.reach
BEGIN
    UPDATE vector SET scope = (SELECT scope FROM memory_scope WHERE memory = new.seq)
    WHERE scope IN (0, (SELECT seq FROM project WHERE id = old.project))
        AND space IN (SELECT seq FROM space) AND memory = new.seq;
END;
CREATE TRIGGER vector_memory_archive AFTER UPDATE OF archived_at ON memory
WHEN old.archived_at IS NULL AND new.archived_at IS NOT NULL
BEGIN
    DELETE FROM vector_due WHERE space IN (SELECT seq FROM space) AND memory = new.seq;
END;
CREATE TRIGGER vector_memory_restore AFTER UPDATE OF archived_at ON memory
WHEN old.archived_at IS NOT NULL AND new.archived_at IS NULL
BEGIN
    INSERT OR IGNORE INTO vector_due
    SELECT s.seq, new.seq FROM space s
    WHERE s.is_expected = 1 AND NOT EXISTS (
        SELECT 1 FROM vector v
        WHERE v.scope IN (0, (SELECT seq FROM project WHERE id = old.project), (SELECT seq FROM project WHERE id = new.project))
            AND v.space = s.seq AND v.memory = new.seq);
END;
CREATE TRIGGER vector_memory_delete AFTER DELETE ON memory BEGIN
    DELETE FROM vector
    WHERE scope IN (0, (SELECT seq FROM project WHERE id = old.project))
        AND space IN (SELECT seq FROM space) AND memory = old.seq;
    DELETE FROM vector_due WHERE space IN (SELECT seq FROM space) AND memory = old.seq;
END;
