-- 0003 tokens: who may call the service, and what a repeated write was answered. The owner's alone.
-- Only adds tables. A secret is kept as its hash alone.

CREATE TABLE token (
    name   text COLLATE "C" PRIMARY KEY,
    digest text COLLATE "C" NOT NULL UNIQUE,
    data   text COLLATE "C" NOT NULL
);
ALTER TABLE token ENABLE ROW LEVEL SECURITY;

CREATE TABLE reply (
    key  text COLLATE "C" PRIMARY KEY,
    at   text COLLATE "C" NOT NULL,
    data text COLLATE "C" NOT NULL
);
CREATE INDEX idx_reply_at ON reply (at);
ALTER TABLE reply ENABLE ROW LEVEL SECURITY;
