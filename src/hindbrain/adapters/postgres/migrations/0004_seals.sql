-- 0004 seals: a hash beside every value that has none of its own, so that a changed bit is found wherever it lies.
-- The server keeps them, whoever writes; existing rows get theirs here. Memories and versions have their `row_hash`.
-- Only adds columns: code of 0003 goes on writing.

ALTER TABLE activity ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE anchor ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE audit ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE call ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE event ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE injection ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE job ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE link ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE outcome ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE paper ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE receipt ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE reply ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE review ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE saying ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE suggestion ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE token ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE workstream ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(data, 0)) STORED;
ALTER TABLE cursor ADD COLUMN seal bigint GENERATED ALWAYS AS (hashtextextended(value COLLATE "C", 0)) STORED;
