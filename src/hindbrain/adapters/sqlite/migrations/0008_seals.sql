-- 0008 seals: a hash beside every row that has none of its own, so that a changed bit is found wherever it lies.
-- `seal_of` is a function of the program: eight bytes of a SHA-256 over the values. Triggers keep the seals, whoever
-- writes a row; a program that does not know the function cannot write one. Memories have their `row_hash`, vectors can
-- be made anew from them. Code of 0007 cannot write after it.
CREATE TABLE seal (
    sort TEXT NOT NULL,    -- name of the table
    key  TEXT NOT NULL,    -- of the row, its parts joined by U+001F
    hash INTEGER NOT NULL,
    PRIMARY KEY (sort, key)
) STRICT, WITHOUT ROWID;

INSERT INTO seal SELECT 'meta', name, seal_of(
    CAST(name AS BLOB), CAST(value AS BLOB)
) FROM meta;
CREATE TRIGGER seal_meta_insert AFTER INSERT ON meta BEGIN
    INSERT INTO seal VALUES ('meta', new.name, seal_of(
        CAST(new.name AS BLOB), CAST(new.value AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_meta_update AFTER UPDATE ON meta BEGIN
    DELETE FROM seal WHERE sort = 'meta' AND key = old.name AND key <> new.name;
    INSERT INTO seal VALUES ('meta', new.name, seal_of(
        CAST(new.name AS BLOB), CAST(new.value AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_meta_delete AFTER DELETE ON meta BEGIN
    DELETE FROM seal WHERE sort = 'meta' AND key = old.name;
END;

INSERT INTO seal SELECT 'project', CAST(seq AS TEXT), seal_of(
    CAST(seq AS BLOB), CAST(id AS BLOB), CAST(name AS BLOB), CAST(created_at AS BLOB)
) FROM project;
CREATE TRIGGER seal_project_insert AFTER INSERT ON project BEGIN
    INSERT INTO seal VALUES ('project', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.id AS BLOB), CAST(new.name AS BLOB), CAST(new.created_at AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_project_update AFTER UPDATE ON project BEGIN
    DELETE FROM seal WHERE sort = 'project' AND key = CAST(old.seq AS TEXT) AND key <> CAST(new.seq AS TEXT);
    INSERT INTO seal VALUES ('project', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.id AS BLOB), CAST(new.name AS BLOB), CAST(new.created_at AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_project_delete AFTER DELETE ON project BEGIN
    DELETE FROM seal WHERE sort = 'project' AND key = CAST(old.seq AS TEXT);
END;

INSERT INTO seal SELECT 'project_identity', identity, seal_of(
    CAST(identity AS BLOB), CAST(project AS BLOB)
) FROM project_identity;
CREATE TRIGGER seal_project_identity_insert AFTER INSERT ON project_identity BEGIN
    INSERT INTO seal VALUES ('project_identity', new.identity, seal_of(
        CAST(new.identity AS BLOB), CAST(new.project AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_project_identity_update AFTER UPDATE ON project_identity BEGIN
    DELETE FROM seal WHERE sort = 'project_identity' AND key = old.identity AND key <> new.identity;
    INSERT INTO seal VALUES ('project_identity', new.identity, seal_of(
        CAST(new.identity AS BLOB), CAST(new.project AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_project_identity_delete AFTER DELETE ON project_identity BEGIN
    DELETE FROM seal WHERE sort = 'project_identity' AND key = old.identity;
END;

INSERT INTO seal SELECT 'memory_version', memory || char(31) || version, seal_of(
    CAST(memory AS BLOB), CAST(version AS BLOB), CAST(project AS BLOB), CAST(since AS BLOB), CAST(until AS BLOB),
    CAST(changed_by AS BLOB), CAST(change AS BLOB), CAST(data AS BLOB), CAST(row_hash AS BLOB)
) FROM memory_version;
CREATE TRIGGER seal_memory_version_insert AFTER INSERT ON memory_version BEGIN
    INSERT INTO seal VALUES ('memory_version', new.memory || char(31) || new.version, seal_of(
        CAST(new.memory AS BLOB), CAST(new.version AS BLOB), CAST(new.project AS BLOB), CAST(new.since AS BLOB),
        CAST(new.until AS BLOB), CAST(new.changed_by AS BLOB), CAST(new.change AS BLOB), CAST(new.data AS BLOB),
        CAST(new.row_hash AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_memory_version_update AFTER UPDATE ON memory_version BEGIN
    DELETE FROM seal WHERE sort = 'memory_version' AND key = old.memory || char(31) || old.version AND key <> new.memory || char(31) || new.version;
    INSERT INTO seal VALUES ('memory_version', new.memory || char(31) || new.version, seal_of(
        CAST(new.memory AS BLOB), CAST(new.version AS BLOB), CAST(new.project AS BLOB), CAST(new.since AS BLOB),
        CAST(new.until AS BLOB), CAST(new.changed_by AS BLOB), CAST(new.change AS BLOB), CAST(new.data AS BLOB),
        CAST(new.row_hash AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_memory_version_delete AFTER DELETE ON memory_version BEGIN
    DELETE FROM seal WHERE sort = 'memory_version' AND key = old.memory || char(31) || old.version;
END;

INSERT INTO seal SELECT 'saying', memory || char(31) || receipt, seal_of(
    CAST(memory AS BLOB), CAST(receipt AS BLOB), CAST(session AS BLOB), CAST(speaker AS BLOB), CAST(at AS BLOB)
) FROM saying;
CREATE TRIGGER seal_saying_insert AFTER INSERT ON saying BEGIN
    INSERT INTO seal VALUES ('saying', new.memory || char(31) || new.receipt, seal_of(
        CAST(new.memory AS BLOB), CAST(new.receipt AS BLOB), CAST(new.session AS BLOB), CAST(new.speaker AS BLOB),
        CAST(new.at AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_saying_update AFTER UPDATE ON saying BEGIN
    DELETE FROM seal WHERE sort = 'saying' AND key = old.memory || char(31) || old.receipt AND key <> new.memory || char(31) || new.receipt;
    INSERT INTO seal VALUES ('saying', new.memory || char(31) || new.receipt, seal_of(
        CAST(new.memory AS BLOB), CAST(new.receipt AS BLOB), CAST(new.session AS BLOB), CAST(new.speaker AS BLOB),
        CAST(new.at AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_saying_delete AFTER DELETE ON saying BEGIN
    DELETE FROM seal WHERE sort = 'saying' AND key = old.memory || char(31) || old.receipt;
END;

INSERT INTO seal SELECT 'link', source || char(31) || target || char(31) || relation, seal_of(
    CAST(source AS BLOB), CAST(target AS BLOB), CAST(relation AS BLOB), CAST(at AS BLOB), CAST(reason AS BLOB)
) FROM link;
CREATE TRIGGER seal_link_insert AFTER INSERT ON link BEGIN
    INSERT INTO seal VALUES ('link', new.source || char(31) || new.target || char(31) || new.relation, seal_of(
        CAST(new.source AS BLOB), CAST(new.target AS BLOB), CAST(new.relation AS BLOB), CAST(new.at AS BLOB),
        CAST(new.reason AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_link_update AFTER UPDATE ON link BEGIN
    DELETE FROM seal WHERE sort = 'link' AND key = old.source || char(31) || old.target || char(31) || old.relation AND key <> new.source || char(31) || new.target || char(31) || new.relation;
    INSERT INTO seal VALUES ('link', new.source || char(31) || new.target || char(31) || new.relation, seal_of(
        CAST(new.source AS BLOB), CAST(new.target AS BLOB), CAST(new.relation AS BLOB), CAST(new.at AS BLOB),
        CAST(new.reason AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_link_delete AFTER DELETE ON link BEGIN
    DELETE FROM seal WHERE sort = 'link' AND key = old.source || char(31) || old.target || char(31) || old.relation;
END;

INSERT INTO seal SELECT 'receipt', id, seal_of(
    CAST(id AS BLOB), CAST(key AS BLOB), CAST(at AS BLOB), CAST(project AS BLOB), CAST(verdict AS BLOB),
    CAST(text AS BLOB), CAST(reason AS BLOB), CAST(memory AS BLOB), CAST(supersedes AS BLOB), CAST(signal AS BLOB),
    CAST(said_at AS BLOB), CAST(session AS BLOB), CAST(task AS BLOB), CAST(adapter AS BLOB), CAST(origin AS BLOB),
    CAST(line AS BLOB), CAST(ref AS BLOB), CAST(removed AS BLOB)
) FROM receipt;
CREATE TRIGGER seal_receipt_insert AFTER INSERT ON receipt BEGIN
    INSERT INTO seal VALUES ('receipt', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.key AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB),
        CAST(new.verdict AS BLOB), CAST(new.text AS BLOB), CAST(new.reason AS BLOB), CAST(new.memory AS BLOB),
        CAST(new.supersedes AS BLOB), CAST(new.signal AS BLOB), CAST(new.said_at AS BLOB), CAST(new.session AS BLOB),
        CAST(new.task AS BLOB), CAST(new.adapter AS BLOB), CAST(new.origin AS BLOB), CAST(new.line AS BLOB),
        CAST(new.ref AS BLOB), CAST(new.removed AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_receipt_update AFTER UPDATE ON receipt BEGIN
    DELETE FROM seal WHERE sort = 'receipt' AND key = old.id AND key <> new.id;
    INSERT INTO seal VALUES ('receipt', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.key AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB),
        CAST(new.verdict AS BLOB), CAST(new.text AS BLOB), CAST(new.reason AS BLOB), CAST(new.memory AS BLOB),
        CAST(new.supersedes AS BLOB), CAST(new.signal AS BLOB), CAST(new.said_at AS BLOB), CAST(new.session AS BLOB),
        CAST(new.task AS BLOB), CAST(new.adapter AS BLOB), CAST(new.origin AS BLOB), CAST(new.line AS BLOB),
        CAST(new.ref AS BLOB), CAST(new.removed AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_receipt_delete AFTER DELETE ON receipt BEGIN
    DELETE FROM seal WHERE sort = 'receipt' AND key = old.id;
END;

INSERT INTO seal SELECT 'review', id, seal_of(
    CAST(id AS BLOB), CAST(project AS BLOB), CAST(kind AS BLOB), CAST(memory AS BLOB), CAST(other AS BLOB),
    CAST(reason AS BLOB), CAST(opened_at AS BLOB), CAST(closed_at AS BLOB), CAST(decision AS BLOB),
    CAST(decided_by AS BLOB)
) FROM review;
CREATE TRIGGER seal_review_insert AFTER INSERT ON review BEGIN
    INSERT INTO seal VALUES ('review', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.project AS BLOB), CAST(new.kind AS BLOB), CAST(new.memory AS BLOB),
        CAST(new.other AS BLOB), CAST(new.reason AS BLOB), CAST(new.opened_at AS BLOB), CAST(new.closed_at AS BLOB),
        CAST(new.decision AS BLOB), CAST(new.decided_by AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_review_update AFTER UPDATE ON review BEGIN
    DELETE FROM seal WHERE sort = 'review' AND key = old.id AND key <> new.id;
    INSERT INTO seal VALUES ('review', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.project AS BLOB), CAST(new.kind AS BLOB), CAST(new.memory AS BLOB),
        CAST(new.other AS BLOB), CAST(new.reason AS BLOB), CAST(new.opened_at AS BLOB), CAST(new.closed_at AS BLOB),
        CAST(new.decision AS BLOB), CAST(new.decided_by AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_review_delete AFTER DELETE ON review BEGIN
    DELETE FROM seal WHERE sort = 'review' AND key = old.id;
END;

INSERT INTO seal SELECT 'injection', id, seal_of(
    CAST(id AS BLOB), CAST(at AS BLOB), CAST(project AS BLOB), CAST(format AS BLOB), CAST(strategy AS BLOB),
    CAST(left_out AS BLOB), CAST(tokens AS BLOB), CAST(session AS BLOB), CAST(task AS BLOB), CAST(persona AS BLOB),
    CAST(hat AS BLOB), CAST(query AS BLOB), CAST(moment AS BLOB), CAST(agent AS BLOB), CAST(is_withheld AS BLOB)
) FROM injection;
CREATE TRIGGER seal_injection_insert AFTER INSERT ON injection BEGIN
    INSERT INTO seal VALUES ('injection', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB), CAST(new.format AS BLOB),
        CAST(new.strategy AS BLOB), CAST(new.left_out AS BLOB), CAST(new.tokens AS BLOB), CAST(new.session AS BLOB),
        CAST(new.task AS BLOB), CAST(new.persona AS BLOB), CAST(new.hat AS BLOB), CAST(new.query AS BLOB),
        CAST(new.moment AS BLOB), CAST(new.agent AS BLOB), CAST(new.is_withheld AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_injection_update AFTER UPDATE ON injection BEGIN
    DELETE FROM seal WHERE sort = 'injection' AND key = old.id AND key <> new.id;
    INSERT INTO seal VALUES ('injection', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB), CAST(new.format AS BLOB),
        CAST(new.strategy AS BLOB), CAST(new.left_out AS BLOB), CAST(new.tokens AS BLOB), CAST(new.session AS BLOB),
        CAST(new.task AS BLOB), CAST(new.persona AS BLOB), CAST(new.hat AS BLOB), CAST(new.query AS BLOB),
        CAST(new.moment AS BLOB), CAST(new.agent AS BLOB), CAST(new.is_withheld AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_injection_delete AFTER DELETE ON injection BEGIN
    DELETE FROM seal WHERE sort = 'injection' AND key = old.id;
END;

INSERT INTO seal SELECT 'injection_item', injection || char(31) || position, seal_of(
    CAST(injection AS BLOB), CAST(position AS BLOB), CAST(memory AS BLOB), CAST(version AS BLOB),
    CAST(session AS BLOB), CAST(reasons AS BLOB)
) FROM injection_item;
CREATE TRIGGER seal_injection_item_insert AFTER INSERT ON injection_item BEGIN
    INSERT INTO seal VALUES ('injection_item', new.injection || char(31) || new.position, seal_of(
        CAST(new.injection AS BLOB), CAST(new.position AS BLOB), CAST(new.memory AS BLOB), CAST(new.version AS BLOB),
        CAST(new.session AS BLOB), CAST(new.reasons AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_injection_item_update AFTER UPDATE ON injection_item BEGIN
    DELETE FROM seal WHERE sort = 'injection_item' AND key = old.injection || char(31) || old.position AND key <> new.injection || char(31) || new.position;
    INSERT INTO seal VALUES ('injection_item', new.injection || char(31) || new.position, seal_of(
        CAST(new.injection AS BLOB), CAST(new.position AS BLOB), CAST(new.memory AS BLOB), CAST(new.version AS BLOB),
        CAST(new.session AS BLOB), CAST(new.reasons AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_injection_item_delete AFTER DELETE ON injection_item BEGIN
    DELETE FROM seal WHERE sort = 'injection_item' AND key = old.injection || char(31) || old.position;
END;

INSERT INTO seal SELECT 'event', CAST(seq AS TEXT), seal_of(
    CAST(seq AS BLOB), CAST(at AS BLOB), CAST(project AS BLOB), CAST(name AS BLOB), CAST(memory AS BLOB),
    CAST(data AS BLOB)
) FROM event;
CREATE TRIGGER seal_event_insert AFTER INSERT ON event BEGIN
    INSERT INTO seal VALUES ('event', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB), CAST(new.name AS BLOB),
        CAST(new.memory AS BLOB), CAST(new.data AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_event_update AFTER UPDATE ON event BEGIN
    DELETE FROM seal WHERE sort = 'event' AND key = CAST(old.seq AS TEXT) AND key <> CAST(new.seq AS TEXT);
    INSERT INTO seal VALUES ('event', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB), CAST(new.name AS BLOB),
        CAST(new.memory AS BLOB), CAST(new.data AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_event_delete AFTER DELETE ON event BEGIN
    DELETE FROM seal WHERE sort = 'event' AND key = CAST(old.seq AS TEXT);
END;

INSERT INTO seal SELECT 'space', CAST(seq AS TEXT), seal_of(
    CAST(seq AS BLOB), CAST(provider AS BLOB), CAST(model AS BLOB), CAST(version AS BLOB), CAST(dimension AS BLOB),
    CAST(is_expected AS BLOB), CAST(unlisted AS BLOB)
) FROM space;
CREATE TRIGGER seal_space_insert AFTER INSERT ON space BEGIN
    INSERT INTO seal VALUES ('space', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.provider AS BLOB), CAST(new.model AS BLOB), CAST(new.version AS BLOB),
        CAST(new.dimension AS BLOB), CAST(new.is_expected AS BLOB), CAST(new.unlisted AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_space_update AFTER UPDATE ON space BEGIN
    DELETE FROM seal WHERE sort = 'space' AND key = CAST(old.seq AS TEXT) AND key <> CAST(new.seq AS TEXT);
    INSERT INTO seal VALUES ('space', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.provider AS BLOB), CAST(new.model AS BLOB), CAST(new.version AS BLOB),
        CAST(new.dimension AS BLOB), CAST(new.is_expected AS BLOB), CAST(new.unlisted AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_space_delete AFTER DELETE ON space BEGIN
    DELETE FROM seal WHERE sort = 'space' AND key = CAST(old.seq AS TEXT);
END;

INSERT INTO seal SELECT 'activity', CAST(seq AS TEXT), seal_of(
    CAST(seq AS BLOB), CAST(id AS BLOB), CAST(at AS BLOB), CAST(project AS BLOB), CAST(session AS BLOB),
    CAST(deed AS BLOB), CAST(subject AS BLOB), CAST(result AS BLOB), CAST(detail AS BLOB), CAST(signature AS BLOB),
    CAST(client AS BLOB), CAST(agent AS BLOB), CAST(agent_type AS BLOB), CAST(hat AS BLOB), CAST(task AS BLOB),
    CAST(ref AS BLOB), CAST(data AS BLOB)
) FROM activity;
CREATE TRIGGER seal_activity_insert AFTER INSERT ON activity BEGIN
    INSERT INTO seal VALUES ('activity', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.id AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB),
        CAST(new.session AS BLOB), CAST(new.deed AS BLOB), CAST(new.subject AS BLOB), CAST(new.result AS BLOB),
        CAST(new.detail AS BLOB), CAST(new.signature AS BLOB), CAST(new.client AS BLOB), CAST(new.agent AS BLOB),
        CAST(new.agent_type AS BLOB), CAST(new.hat AS BLOB), CAST(new.task AS BLOB), CAST(new.ref AS BLOB),
        CAST(new.data AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_activity_update AFTER UPDATE ON activity BEGIN
    DELETE FROM seal WHERE sort = 'activity' AND key = CAST(old.seq AS TEXT) AND key <> CAST(new.seq AS TEXT);
    INSERT INTO seal VALUES ('activity', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.id AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB),
        CAST(new.session AS BLOB), CAST(new.deed AS BLOB), CAST(new.subject AS BLOB), CAST(new.result AS BLOB),
        CAST(new.detail AS BLOB), CAST(new.signature AS BLOB), CAST(new.client AS BLOB), CAST(new.agent AS BLOB),
        CAST(new.agent_type AS BLOB), CAST(new.hat AS BLOB), CAST(new.task AS BLOB), CAST(new.ref AS BLOB),
        CAST(new.data AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_activity_delete AFTER DELETE ON activity BEGIN
    DELETE FROM seal WHERE sort = 'activity' AND key = CAST(old.seq AS TEXT);
END;

INSERT INTO seal SELECT 'job', CAST(seq AS TEXT), seal_of(
    CAST(seq AS BLOB), CAST(id AS BLOB), CAST(kind AS BLOB), CAST(key AS BLOB), CAST(project AS BLOB),
    CAST(payload AS BLOB), CAST(created_at AS BLOB), CAST(due_at AS BLOB), CAST(state AS BLOB), CAST(tries AS BLOB),
    CAST(updated_at AS BLOB), CAST(error AS BLOB)
) FROM job;
CREATE TRIGGER seal_job_insert AFTER INSERT ON job BEGIN
    INSERT INTO seal VALUES ('job', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.id AS BLOB), CAST(new.kind AS BLOB), CAST(new.key AS BLOB),
        CAST(new.project AS BLOB), CAST(new.payload AS BLOB), CAST(new.created_at AS BLOB), CAST(new.due_at AS BLOB),
        CAST(new.state AS BLOB), CAST(new.tries AS BLOB), CAST(new.updated_at AS BLOB), CAST(new.error AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_job_update AFTER UPDATE ON job BEGIN
    DELETE FROM seal WHERE sort = 'job' AND key = CAST(old.seq AS TEXT) AND key <> CAST(new.seq AS TEXT);
    INSERT INTO seal VALUES ('job', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.id AS BLOB), CAST(new.kind AS BLOB), CAST(new.key AS BLOB),
        CAST(new.project AS BLOB), CAST(new.payload AS BLOB), CAST(new.created_at AS BLOB), CAST(new.due_at AS BLOB),
        CAST(new.state AS BLOB), CAST(new.tries AS BLOB), CAST(new.updated_at AS BLOB), CAST(new.error AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_job_delete AFTER DELETE ON job BEGIN
    DELETE FROM seal WHERE sort = 'job' AND key = CAST(old.seq AS TEXT);
END;

INSERT INTO seal SELECT 'outcome', id, seal_of(
    CAST(id AS BLOB), CAST(at AS BLOB), CAST(project AS BLOB), CAST(memory AS BLOB), CAST(effect AS BLOB),
    CAST(how AS BLOB), CAST(injection AS BLOB), CAST(session AS BLOB), CAST(note AS BLOB), CAST(is_withheld AS BLOB)
) FROM outcome;
CREATE TRIGGER seal_outcome_insert AFTER INSERT ON outcome BEGIN
    INSERT INTO seal VALUES ('outcome', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB), CAST(new.memory AS BLOB),
        CAST(new.effect AS BLOB), CAST(new.how AS BLOB), CAST(new.injection AS BLOB), CAST(new.session AS BLOB),
        CAST(new.note AS BLOB), CAST(new.is_withheld AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_outcome_update AFTER UPDATE ON outcome BEGIN
    DELETE FROM seal WHERE sort = 'outcome' AND key = old.id AND key <> new.id;
    INSERT INTO seal VALUES ('outcome', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB), CAST(new.memory AS BLOB),
        CAST(new.effect AS BLOB), CAST(new.how AS BLOB), CAST(new.injection AS BLOB), CAST(new.session AS BLOB),
        CAST(new.note AS BLOB), CAST(new.is_withheld AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_outcome_delete AFTER DELETE ON outcome BEGIN
    DELETE FROM seal WHERE sort = 'outcome' AND key = old.id;
END;

INSERT INTO seal SELECT 'anchor', memory || char(31) || position, seal_of(
    CAST(memory AS BLOB), CAST(position AS BLOB), CAST(project AS BLOB), CAST(path AS BLOB), CAST(tied_at AS BLOB),
    CAST(checked_at AS BLOB), CAST(blob AS BLOB), CAST(symbol AS BLOB), CAST(start AS BLOB), CAST(end AS BLOB),
    CAST(digest AS BLOB), CAST(freshness AS BLOB), CAST(note AS BLOB)
) FROM anchor;
CREATE TRIGGER seal_anchor_insert AFTER INSERT ON anchor BEGIN
    INSERT INTO seal VALUES ('anchor', new.memory || char(31) || new.position, seal_of(
        CAST(new.memory AS BLOB), CAST(new.position AS BLOB), CAST(new.project AS BLOB), CAST(new.path AS BLOB),
        CAST(new.tied_at AS BLOB), CAST(new.checked_at AS BLOB), CAST(new.blob AS BLOB), CAST(new.symbol AS BLOB),
        CAST(new.start AS BLOB), CAST(new.end AS BLOB), CAST(new.digest AS BLOB), CAST(new.freshness AS BLOB),
        CAST(new.note AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_anchor_update AFTER UPDATE ON anchor BEGIN
    DELETE FROM seal WHERE sort = 'anchor' AND key = old.memory || char(31) || old.position AND key <> new.memory || char(31) || new.position;
    INSERT INTO seal VALUES ('anchor', new.memory || char(31) || new.position, seal_of(
        CAST(new.memory AS BLOB), CAST(new.position AS BLOB), CAST(new.project AS BLOB), CAST(new.path AS BLOB),
        CAST(new.tied_at AS BLOB), CAST(new.checked_at AS BLOB), CAST(new.blob AS BLOB), CAST(new.symbol AS BLOB),
        CAST(new.start AS BLOB), CAST(new.end AS BLOB), CAST(new.digest AS BLOB), CAST(new.freshness AS BLOB),
        CAST(new.note AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_anchor_delete AFTER DELETE ON anchor BEGIN
    DELETE FROM seal WHERE sort = 'anchor' AND key = old.memory || char(31) || old.position;
END;

INSERT INTO seal SELECT 'cursor', name, seal_of(
    CAST(name AS BLOB), CAST(value AS BLOB)
) FROM cursor;
CREATE TRIGGER seal_cursor_insert AFTER INSERT ON cursor BEGIN
    INSERT INTO seal VALUES ('cursor', new.name, seal_of(
        CAST(new.name AS BLOB), CAST(new.value AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_cursor_update AFTER UPDATE ON cursor BEGIN
    DELETE FROM seal WHERE sort = 'cursor' AND key = old.name AND key <> new.name;
    INSERT INTO seal VALUES ('cursor', new.name, seal_of(
        CAST(new.name AS BLOB), CAST(new.value AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_cursor_delete AFTER DELETE ON cursor BEGIN
    DELETE FROM seal WHERE sort = 'cursor' AND key = old.name;
END;

INSERT INTO seal SELECT 'call', CAST(seq AS TEXT), seal_of(
    CAST(seq AS BLOB), CAST(id AS BLOB), CAST(at AS BLOB), CAST(use AS BLOB), CAST(provider AS BLOB),
    CAST(model AS BLOB), CAST(outcome AS BLOB), CAST(tokens_in AS BLOB), CAST(tokens_out AS BLOB), CAST(cost AS BLOB),
    CAST(duration_s AS BLOB), CAST(tries AS BLOB), CAST(prompt AS BLOB), CAST(prompt_version AS BLOB)
) FROM call;
CREATE TRIGGER seal_call_insert AFTER INSERT ON call BEGIN
    INSERT INTO seal VALUES ('call', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.id AS BLOB), CAST(new.at AS BLOB), CAST(new.use AS BLOB),
        CAST(new.provider AS BLOB), CAST(new.model AS BLOB), CAST(new.outcome AS BLOB), CAST(new.tokens_in AS BLOB),
        CAST(new.tokens_out AS BLOB), CAST(new.cost AS BLOB), CAST(new.duration_s AS BLOB), CAST(new.tries AS BLOB),
        CAST(new.prompt AS BLOB), CAST(new.prompt_version AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_call_update AFTER UPDATE ON call BEGIN
    DELETE FROM seal WHERE sort = 'call' AND key = CAST(old.seq AS TEXT) AND key <> CAST(new.seq AS TEXT);
    INSERT INTO seal VALUES ('call', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.id AS BLOB), CAST(new.at AS BLOB), CAST(new.use AS BLOB),
        CAST(new.provider AS BLOB), CAST(new.model AS BLOB), CAST(new.outcome AS BLOB), CAST(new.tokens_in AS BLOB),
        CAST(new.tokens_out AS BLOB), CAST(new.cost AS BLOB), CAST(new.duration_s AS BLOB), CAST(new.tries AS BLOB),
        CAST(new.prompt AS BLOB), CAST(new.prompt_version AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_call_delete AFTER DELETE ON call BEGIN
    DELETE FROM seal WHERE sort = 'call' AND key = CAST(old.seq AS TEXT);
END;

INSERT INTO seal SELECT 'paper', project || char(31) || sort || char(31) || id, seal_of(
    CAST(project AS BLOB), CAST(sort AS BLOB), CAST(id AS BLOB), CAST(agent AS BLOB), CAST(receiver AS BLOB),
    CAST(at AS BLOB), CAST(data AS BLOB), CAST(taken_at AS BLOB)
) FROM paper;
CREATE TRIGGER seal_paper_insert AFTER INSERT ON paper BEGIN
    INSERT INTO seal VALUES ('paper', new.project || char(31) || new.sort || char(31) || new.id, seal_of(
        CAST(new.project AS BLOB), CAST(new.sort AS BLOB), CAST(new.id AS BLOB), CAST(new.agent AS BLOB),
        CAST(new.receiver AS BLOB), CAST(new.at AS BLOB), CAST(new.data AS BLOB), CAST(new.taken_at AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_paper_update AFTER UPDATE ON paper BEGIN
    DELETE FROM seal WHERE sort = 'paper' AND key = old.project || char(31) || old.sort || char(31) || old.id AND key <> new.project || char(31) || new.sort || char(31) || new.id;
    INSERT INTO seal VALUES ('paper', new.project || char(31) || new.sort || char(31) || new.id, seal_of(
        CAST(new.project AS BLOB), CAST(new.sort AS BLOB), CAST(new.id AS BLOB), CAST(new.agent AS BLOB),
        CAST(new.receiver AS BLOB), CAST(new.at AS BLOB), CAST(new.data AS BLOB), CAST(new.taken_at AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_paper_delete AFTER DELETE ON paper BEGIN
    DELETE FROM seal WHERE sort = 'paper' AND key = old.project || char(31) || old.sort || char(31) || old.id;
END;

INSERT INTO seal SELECT 'suggestion', id, seal_of(
    CAST(id AS BLOB), CAST(project AS BLOB), CAST(scar AS BLOB), CAST(key AS BLOB), CAST(status AS BLOB),
    CAST(destination AS BLOB), CAST(created_at AS BLOB), CAST(importance AS BLOB), CAST(applied_as AS BLOB),
    CAST(data AS BLOB)
) FROM suggestion;
CREATE TRIGGER seal_suggestion_insert AFTER INSERT ON suggestion BEGIN
    INSERT INTO seal VALUES ('suggestion', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.project AS BLOB), CAST(new.scar AS BLOB), CAST(new.key AS BLOB),
        CAST(new.status AS BLOB), CAST(new.destination AS BLOB), CAST(new.created_at AS BLOB),
        CAST(new.importance AS BLOB), CAST(new.applied_as AS BLOB), CAST(new.data AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_suggestion_update AFTER UPDATE ON suggestion BEGIN
    DELETE FROM seal WHERE sort = 'suggestion' AND key = old.id AND key <> new.id;
    INSERT INTO seal VALUES ('suggestion', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.project AS BLOB), CAST(new.scar AS BLOB), CAST(new.key AS BLOB),
        CAST(new.status AS BLOB), CAST(new.destination AS BLOB), CAST(new.created_at AS BLOB),
        CAST(new.importance AS BLOB), CAST(new.applied_as AS BLOB), CAST(new.data AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_suggestion_delete AFTER DELETE ON suggestion BEGIN
    DELETE FROM seal WHERE sort = 'suggestion' AND key = old.id;
END;

INSERT INTO seal SELECT 'suggestion_edit', suggestion || char(31) || position, seal_of(
    CAST(suggestion AS BLOB), CAST(position AS BLOB), CAST(folder AS BLOB), CAST(path AS BLOB), CAST(before AS BLOB),
    CAST(after AS BLOB), CAST(made AS BLOB)
) FROM suggestion_edit;
CREATE TRIGGER seal_suggestion_edit_insert AFTER INSERT ON suggestion_edit BEGIN
    INSERT INTO seal VALUES ('suggestion_edit', new.suggestion || char(31) || new.position, seal_of(
        CAST(new.suggestion AS BLOB), CAST(new.position AS BLOB), CAST(new.folder AS BLOB), CAST(new.path AS BLOB),
        CAST(new.before AS BLOB), CAST(new.after AS BLOB), CAST(new.made AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_suggestion_edit_update AFTER UPDATE ON suggestion_edit BEGIN
    DELETE FROM seal WHERE sort = 'suggestion_edit' AND key = old.suggestion || char(31) || old.position AND key <> new.suggestion || char(31) || new.position;
    INSERT INTO seal VALUES ('suggestion_edit', new.suggestion || char(31) || new.position, seal_of(
        CAST(new.suggestion AS BLOB), CAST(new.position AS BLOB), CAST(new.folder AS BLOB), CAST(new.path AS BLOB),
        CAST(new.before AS BLOB), CAST(new.after AS BLOB), CAST(new.made AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_suggestion_edit_delete AFTER DELETE ON suggestion_edit BEGIN
    DELETE FROM seal WHERE sort = 'suggestion_edit' AND key = old.suggestion || char(31) || old.position;
END;

INSERT INTO seal SELECT 'audit', CAST(seq AS TEXT), seal_of(
    CAST(seq AS BLOB), CAST(at AS BLOB), CAST(project AS BLOB), CAST(actor AS BLOB), CAST(action AS BLOB),
    CAST(subject AS BLOB), CAST(detail AS BLOB), CAST(prev AS BLOB), CAST(hash AS BLOB)
) FROM audit;
CREATE TRIGGER seal_audit_insert AFTER INSERT ON audit BEGIN
    INSERT INTO seal VALUES ('audit', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB), CAST(new.actor AS BLOB),
        CAST(new.action AS BLOB), CAST(new.subject AS BLOB), CAST(new.detail AS BLOB), CAST(new.prev AS BLOB),
        CAST(new.hash AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_audit_update AFTER UPDATE ON audit BEGIN
    DELETE FROM seal WHERE sort = 'audit' AND key = CAST(old.seq AS TEXT) AND key <> CAST(new.seq AS TEXT);
    INSERT INTO seal VALUES ('audit', CAST(new.seq AS TEXT), seal_of(
        CAST(new.seq AS BLOB), CAST(new.at AS BLOB), CAST(new.project AS BLOB), CAST(new.actor AS BLOB),
        CAST(new.action AS BLOB), CAST(new.subject AS BLOB), CAST(new.detail AS BLOB), CAST(new.prev AS BLOB),
        CAST(new.hash AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_audit_delete AFTER DELETE ON audit BEGIN
    DELETE FROM seal WHERE sort = 'audit' AND key = CAST(old.seq AS TEXT);
END;

INSERT INTO seal SELECT 'workstream', id, seal_of(
    CAST(id AS BLOB), CAST(project AS BLOB), CAST(title AS BLOB), CAST(state AS BLOB), CAST(data AS BLOB),
    CAST(opened_at AS BLOB), CAST(closed_at AS BLOB)
) FROM workstream;
CREATE TRIGGER seal_workstream_insert AFTER INSERT ON workstream BEGIN
    INSERT INTO seal VALUES ('workstream', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.project AS BLOB), CAST(new.title AS BLOB), CAST(new.state AS BLOB),
        CAST(new.data AS BLOB), CAST(new.opened_at AS BLOB), CAST(new.closed_at AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_workstream_update AFTER UPDATE ON workstream BEGIN
    DELETE FROM seal WHERE sort = 'workstream' AND key = old.id AND key <> new.id;
    INSERT INTO seal VALUES ('workstream', new.id, seal_of(
        CAST(new.id AS BLOB), CAST(new.project AS BLOB), CAST(new.title AS BLOB), CAST(new.state AS BLOB),
        CAST(new.data AS BLOB), CAST(new.opened_at AS BLOB), CAST(new.closed_at AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_workstream_delete AFTER DELETE ON workstream BEGIN
    DELETE FROM seal WHERE sort = 'workstream' AND key = old.id;
END;

INSERT INTO seal SELECT 'token', name, seal_of(
    CAST(name AS BLOB), CAST(digest AS BLOB), CAST(rights AS BLOB), CAST(project AS BLOB), CAST(created_at AS BLOB),
    CAST(revoked_at AS BLOB)
) FROM token;
CREATE TRIGGER seal_token_insert AFTER INSERT ON token BEGIN
    INSERT INTO seal VALUES ('token', new.name, seal_of(
        CAST(new.name AS BLOB), CAST(new.digest AS BLOB), CAST(new.rights AS BLOB), CAST(new.project AS BLOB),
        CAST(new.created_at AS BLOB), CAST(new.revoked_at AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_token_update AFTER UPDATE ON token BEGIN
    DELETE FROM seal WHERE sort = 'token' AND key = old.name AND key <> new.name;
    INSERT INTO seal VALUES ('token', new.name, seal_of(
        CAST(new.name AS BLOB), CAST(new.digest AS BLOB), CAST(new.rights AS BLOB), CAST(new.project AS BLOB),
        CAST(new.created_at AS BLOB), CAST(new.revoked_at AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_token_delete AFTER DELETE ON token BEGIN
    DELETE FROM seal WHERE sort = 'token' AND key = old.name;
END;

INSERT INTO seal SELECT 'reply', key, seal_of(
    CAST(key AS BLOB), CAST(request AS BLOB), CAST(at AS BLOB), CAST(status AS BLOB), CAST(headers AS BLOB),
    CAST(body AS BLOB)
) FROM reply;
CREATE TRIGGER seal_reply_insert AFTER INSERT ON reply BEGIN
    INSERT INTO seal VALUES ('reply', new.key, seal_of(
        CAST(new.key AS BLOB), CAST(new.request AS BLOB), CAST(new.at AS BLOB), CAST(new.status AS BLOB),
        CAST(new.headers AS BLOB), CAST(new.body AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_reply_update AFTER UPDATE ON reply BEGIN
    DELETE FROM seal WHERE sort = 'reply' AND key = old.key AND key <> new.key;
    INSERT INTO seal VALUES ('reply', new.key, seal_of(
        CAST(new.key AS BLOB), CAST(new.request AS BLOB), CAST(new.at AS BLOB), CAST(new.status AS BLOB),
        CAST(new.headers AS BLOB), CAST(new.body AS BLOB)
    )) ON CONFLICT DO UPDATE SET hash = excluded.hash;
END;
CREATE TRIGGER seal_reply_delete AFTER DELETE ON reply BEGIN
    DELETE FROM seal WHERE sort = 'reply' AND key = old.key;
END;
