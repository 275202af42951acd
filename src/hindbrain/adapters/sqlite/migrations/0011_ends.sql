-- 0011 ends: a version ends when the next one begins, so that its end needs no hash: the seal covers the rest of it.
-- Every change of a memory ends a version, and to seal that one again was a tenth of what a large purge took. A seal that
-- did not fit stays as it is, and is found as before. Code of 0010 would take every version for a damaged one.
DROP TRIGGER seal_memory_version_insert;
DROP TRIGGER seal_memory_version_update;

UPDATE seal SET hash = seal_of(
    CAST(v.memory AS BLOB), CAST(v.version AS BLOB), CAST(v.project AS BLOB), CAST(v.since AS BLOB),
    CAST(v.changed_by AS BLOB), CAST(v.change AS BLOB), CAST(v.data AS BLOB), CAST(v.row_hash AS BLOB)
) FROM memory_version v
WHERE seal.sort = 'memory_version' AND seal.key = v.memory || char(31) || v.version AND seal.hash = seal_of(
    CAST(v.memory AS BLOB), CAST(v.version AS BLOB), CAST(v.project AS BLOB), CAST(v.since AS BLOB),
    CAST(v.until AS BLOB), CAST(v.changed_by AS BLOB), CAST(v.change AS BLOB), CAST(v.data AS BLOB),
    CAST(v.row_hash AS BLOB)
);

CREATE TRIGGER seal_memory_version_insert AFTER INSERT ON memory_version BEGIN
    INSERT INTO seal VALUES ('memory_version', new.memory || char(31) || new.version, seal_of(
        CAST(new.memory AS BLOB), CAST(new.version AS BLOB), CAST(new.project AS BLOB), CAST(new.since AS BLOB),
        CAST(new.changed_by AS BLOB), CAST(new.change AS BLOB), CAST(new.data AS BLOB), CAST(new.row_hash AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_memory_version_update
AFTER UPDATE OF memory, version, project, since, changed_by, change, data, row_hash ON memory_version BEGIN
    DELETE FROM seal WHERE sort = 'memory_version'
        AND key = old.memory || char(31) || old.version AND key <> new.memory || char(31) || new.version;
    INSERT INTO seal VALUES ('memory_version', new.memory || char(31) || new.version, seal_of(
        CAST(new.memory AS BLOB), CAST(new.version AS BLOB), CAST(new.project AS BLOB), CAST(new.since AS BLOB),
        CAST(new.changed_by AS BLOB), CAST(new.change AS BLOB), CAST(new.data AS BLOB), CAST(new.row_hash AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
