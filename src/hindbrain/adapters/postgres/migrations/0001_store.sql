-- 0001 store: all that a store keeps, in one schema of the database.
-- A row has the columns that questions ask by, and its value whole as JSON text in `data`: text, because jsonb refuses
-- the character U+0000 and numbers would not come back as they were written. Text is compared by code points (C), so
-- that every server gives the same order. Times are UTC text with milliseconds: text order is time order.

CREATE TABLE project (
    seq        integer GENERATED ALWAYS AS IDENTITY UNIQUE, -- the scope of its words and vectors; 0 is everywhere
    id         text COLLATE "C" PRIMARY KEY,
    name       text NOT NULL,
    created_at text COLLATE "C" NOT NULL
);

-- A code base has several names (remote, git folder, path); all lead to one project.
CREATE TABLE project_identity (
    identity text COLLATE "C" PRIMARY KEY,
    project  text COLLATE "C" NOT NULL REFERENCES project (id)
);

CREATE SEQUENCE memory_number;
CREATE TABLE memory (
    seq             bigint PRIMARY KEY DEFAULT nextval('memory_number'),
    id              text COLLATE "C" NOT NULL UNIQUE,
    project         text COLLATE "C" NOT NULL REFERENCES project (id),
    scope           integer NOT NULL, -- seq of the project; 0 for memories that go everywhere
    kind            text COLLATE "C" NOT NULL,
    type            text COLLATE "C" NOT NULL,
    state           text COLLATE "C" NOT NULL,
    persona         text COLLATE "C", -- null: shared by all personas
    reach           text COLLATE "C" NOT NULL,
    session         text COLLATE "C" NOT NULL,
    trust           smallint NOT NULL,
    confidence      double precision NOT NULL,
    is_pinned       boolean NOT NULL,
    learned_at      text COLLATE "C" NOT NULL,
    created_at      text COLLATE "C" NOT NULL,
    error_signature text COLLATE "C",
    key             text COLLATE "C" NOT NULL,
    content_hash    text COLLATE "C" NOT NULL,
    version         integer NOT NULL CHECK (version > 0),
    size            integer NOT NULL, -- in terms, those that say where it lies included: what BM25 weighs by
    words           text COLLATE "C" NOT NULL, -- the terms that it is found by
    row_hash        text NOT NULL, -- SHA-256 of `data`
    data            text COLLATE "C" NOT NULL
);
CREATE INDEX idx_memory_confidence ON memory (project, confidence DESC, created_at DESC, id DESC);
CREATE INDEX idx_memory_newest ON memory (project, learned_at DESC, id DESC);
CREATE INDEX idx_memory_hash ON memory (project, content_hash);
CREATE INDEX idx_memory_key ON memory (project, key);
CREATE INDEX idx_memory_everywhere ON memory (id) WHERE reach = 'everywhere';
CREATE INDEX idx_memory_signature ON memory (error_signature) WHERE error_signature IS NOT NULL;

CREATE TABLE memory_version (
    memory     text COLLATE "C" NOT NULL REFERENCES memory (id),
    version    integer NOT NULL,
    project    text COLLATE "C" NOT NULL,
    reach      text COLLATE "C" NOT NULL,
    since      text COLLATE "C" NOT NULL,
    until      text COLLATE "C",
    changed_by text NOT NULL, -- JSON object
    change     text NOT NULL,
    row_hash   text NOT NULL,
    data       text COLLATE "C" NOT NULL,
    PRIMARY KEY (memory, version)
);
CREATE INDEX idx_version_project ON memory_version (project, since);
CREATE INDEX idx_version_everywhere ON memory_version (since) WHERE reach = 'everywhere';

-- The word index: where a term stands, how often by the weight of its place, and how long that memory is. Its key
-- begins with the scope, so that a project is searched at the same cost however many others there are.
CREATE TABLE posting (
    scope  integer NOT NULL,
    term   text COLLATE "C" NOT NULL,
    memory bigint NOT NULL,
    often  double precision NOT NULL,
    size   integer NOT NULL,
    PRIMARY KEY (scope, term, memory) INCLUDE (often, size)
);

CREATE TABLE term (
    term    text COLLATE "C" PRIMARY KEY,
    holders bigint NOT NULL -- memories of all projects that hold it
);

CREATE TABLE tally (
    is_only  boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    memories bigint NOT NULL,
    size     bigint NOT NULL -- of all of them
);
INSERT INTO tally VALUES (true, 0, 0);

CREATE TABLE space (
    seq         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider    text NOT NULL,
    model       text NOT NULL,
    version     text NOT NULL,
    dimension   integer NOT NULL CHECK (dimension > 0),
    is_expected boolean NOT NULL, -- every memory is to have a vector in it
    UNIQUE (provider, model, version, dimension)
);

-- Not named `vector`, as a table would hide the type of that name. One signed byte for each dimension, which half precision holds exactly. Each space has an index of its own.
CREATE TABLE embedding (
    space  integer NOT NULL REFERENCES space (seq),
    scope  integer NOT NULL,
    memory bigint NOT NULL REFERENCES memory (seq),
    piece  integer NOT NULL,
    start  integer NOT NULL,
    stop   integer NOT NULL,
    digest text COLLATE "C" NOT NULL,
    scale  double precision NOT NULL,
    code   halfvec NOT NULL,
    PRIMARY KEY (space, scope, memory, piece)
);
CREATE INDEX idx_embedding_memory ON embedding (memory);

CREATE TABLE embedding_due (
    space  integer NOT NULL,
    memory bigint NOT NULL, -- seq, so that the oldest come first
    PRIMARY KEY (space, memory)
);
CREATE INDEX idx_due_memory ON embedding_due (memory);

CREATE TABLE saying (
    memory  text COLLATE "C" NOT NULL REFERENCES memory (id),
    receipt text COLLATE "C" NOT NULL,
    at      text COLLATE "C" NOT NULL,
    data    text COLLATE "C" NOT NULL,
    PRIMARY KEY (memory, receipt)
);

CREATE TABLE link (
    source   text COLLATE "C" NOT NULL REFERENCES memory (id),
    target   text COLLATE "C" NOT NULL REFERENCES memory (id),
    relation text COLLATE "C" NOT NULL,
    at       text COLLATE "C" NOT NULL,
    data     text COLLATE "C" NOT NULL,
    PRIMARY KEY (source, target, relation)
);
CREATE INDEX idx_link_target ON link (target);

CREATE TABLE receipt (
    id      text COLLATE "C" PRIMARY KEY,
    key     text COLLATE "C" NOT NULL UNIQUE, -- the same line of the same source never counts twice
    at      text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    verdict text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    memory  text COLLATE "C",
    ref     text COLLATE "C" NOT NULL,
    data    text COLLATE "C" NOT NULL
);
CREATE INDEX idx_receipt_project ON receipt (project, at);
CREATE INDEX idx_receipt_session ON receipt (project, session);
CREATE INDEX idx_receipt_ref ON receipt (project, ref) WHERE ref <> '';
CREATE INDEX idx_receipt_memory ON receipt (memory);

CREATE TABLE review (
    id        text COLLATE "C" PRIMARY KEY,
    project   text COLLATE "C" NOT NULL,
    memory    text COLLATE "C" NOT NULL,
    other     text COLLATE "C",
    opened_at text COLLATE "C" NOT NULL,
    closed_at text COLLATE "C",
    data      text COLLATE "C" NOT NULL
);
CREATE INDEX idx_review_project ON review (project, opened_at);
CREATE INDEX idx_review_memory ON review (memory);

CREATE TABLE injection (
    id          text COLLATE "C" PRIMARY KEY,
    at          text COLLATE "C" NOT NULL,
    project     text COLLATE "C" NOT NULL,
    session     text COLLATE "C" NOT NULL,
    agent       text COLLATE "C" NOT NULL,
    is_withheld boolean NOT NULL,
    data        text COLLATE "C" NOT NULL
);
CREATE INDEX idx_injection_session ON injection (session);
CREATE INDEX idx_injection_project ON injection (project, at);

CREATE TABLE injection_item (
    injection text COLLATE "C" NOT NULL REFERENCES injection (id) ON DELETE CASCADE,
    position  integer NOT NULL,
    memory    text COLLATE "C" NOT NULL,
    version   integer NOT NULL,
    PRIMARY KEY (injection, position)
);
CREATE INDEX idx_item_memory ON injection_item (memory);

CREATE TABLE event (
    seq     bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, -- never used twice: followers keep it as a cursor
    project text COLLATE "C" NOT NULL,
    memory  text COLLATE "C",
    data    text COLLATE "C" NOT NULL
);
CREATE INDEX idx_event_project ON event (project, seq);
CREATE INDEX idx_event_memory ON event (memory);

CREATE TABLE activity (
    seq     bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, -- never used twice: followers keep it as a cursor
    id      text COLLATE "C" NOT NULL UNIQUE,
    project text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    deed    text COLLATE "C" NOT NULL,
    data    text COLLATE "C" NOT NULL
);
CREATE INDEX idx_activity_project ON activity (project, seq);
CREATE INDEX idx_activity_session ON activity (project, session, seq);

CREATE TABLE job (
    seq     bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, -- the order of the queue
    id      text COLLATE "C" NOT NULL UNIQUE,
    home    text COLLATE "C" NOT NULL, -- whose worker does it: it may speak of files that only that machine has
    project text COLLATE "C" NOT NULL, -- empty: of no project
    kind    text COLLATE "C" NOT NULL,
    key     text COLLATE "C" NOT NULL,
    state   text COLLATE "C" NOT NULL,
    due_at  text COLLATE "C" NOT NULL,
    data    text COLLATE "C" NOT NULL
);
-- One open job for each key in a home. A dead one does not count: what happens after it deserves a try of its own.
CREATE UNIQUE INDEX idx_job_key ON job (home, key) WHERE state IN ('queued', 'running');
CREATE INDEX idx_job_open ON job (home, seq) WHERE state IN ('queued', 'running');
CREATE INDEX idx_job_state ON job (home, state, seq);

CREATE TABLE outcome (
    id        text COLLATE "C" PRIMARY KEY,
    at        text COLLATE "C" NOT NULL,
    project   text COLLATE "C" NOT NULL,
    memory    text COLLATE "C" NOT NULL REFERENCES memory (id),
    injection text COLLATE "C" NOT NULL, -- empty: about the memory as such
    how       text COLLATE "C" NOT NULL,
    session   text COLLATE "C" NOT NULL,
    data      text COLLATE "C" NOT NULL,
    UNIQUE (memory, injection, how) -- judging again changes nothing
);
CREATE INDEX idx_outcome_project ON outcome (project, session);

CREATE TABLE anchor (
    memory   text COLLATE "C" NOT NULL REFERENCES memory (id),
    position integer NOT NULL,
    project  text COLLATE "C" NOT NULL,
    path     text COLLATE "C" NOT NULL,
    data     text COLLATE "C" NOT NULL,
    PRIMARY KEY (memory, position)
);
CREATE INDEX idx_anchor_path ON anchor (project, path);

CREATE TABLE call (
    seq  bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    id   text COLLATE "C" NOT NULL UNIQUE,
    at   text COLLATE "C" NOT NULL,
    data text COLLATE "C" NOT NULL
);
CREATE INDEX idx_call_at ON call (at);

CREATE TABLE paper (
    project  text COLLATE "C" NOT NULL,
    sort     text COLLATE "C" NOT NULL,
    id       text COLLATE "C" NOT NULL,
    agent    text COLLATE "C" NOT NULL,
    receiver text COLLATE "C" NOT NULL, -- empty: whoever comes next
    at       text COLLATE "C" NOT NULL,
    data     text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, sort, id)
);

CREATE TABLE suggestion (
    id         text COLLATE "C" PRIMARY KEY,
    project    text COLLATE "C" NOT NULL,
    scar       text COLLATE "C" NOT NULL, -- empty: it removes a rule
    status     text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    data       text COLLATE "C" NOT NULL
);
CREATE INDEX idx_suggestion_project ON suggestion (project, status);
CREATE INDEX idx_suggestion_scar ON suggestion (scar) WHERE scar <> '';

CREATE TABLE audit (
    seq     bigint PRIMARY KEY, -- given by the chain, without gaps
    project text COLLATE "C" NOT NULL,
    data    text COLLATE "C" NOT NULL
);

CREATE TABLE workstream (
    id        text COLLATE "C" PRIMARY KEY,
    project   text COLLATE "C" NOT NULL,
    state     text COLLATE "C" NOT NULL,
    opened_at text COLLATE "C" NOT NULL,
    data      text COLLATE "C" NOT NULL
);
CREATE INDEX idx_workstream_project ON workstream (project, state);

CREATE TABLE cursor (
    home  text COLLATE "C" NOT NULL, -- each follows its own spool and its own clients
    name  text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (home, name)
);

-- Who waits for events is woken; what happened he reads behind his cursor, so that no word lost on the way matters.
CREATE FUNCTION tell_followers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('hindbrain_' || TG_TABLE_SCHEMA, '');
    RETURN NULL;
END
$$;
CREATE TRIGGER event_told AFTER INSERT ON event FOR EACH STATEMENT EXECUTE FUNCTION tell_followers();
