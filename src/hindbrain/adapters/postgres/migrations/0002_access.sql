-- 0002 access: who may see which project's rows, held by the database itself.
-- The owner of the tables sees all. Every other role sees the projects that stand beside its name in `access`, and of
-- these only the one in `app.project` where that is set: a role cannot widen what it sees, only narrow it.

CREATE TABLE access (
    role    name NOT NULL,
    project text COLLATE "C" NOT NULL, -- '*': all of them
    PRIMARY KEY (role, project)
);

CREATE FUNCTION may_see(wanted text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT 1 FROM access WHERE role = session_user AND project IN (wanted, '*'))
        AND coalesce(nullif(current_setting('app.project', true), ''), wanted) = wanted
$$;

ALTER TABLE project ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON project USING (may_see(id));
ALTER TABLE project_identity ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON project_identity USING (may_see(project));
-- What a person sent everywhere is everybody's to read, and its own project's to write.
ALTER TABLE memory ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON memory USING (may_see(project));
CREATE POLICY wide ON memory FOR SELECT USING (reach = 'everywhere');
ALTER TABLE memory_version ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON memory_version USING (may_see(project));
ALTER TABLE posting ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON posting USING (memory IN (SELECT seq FROM memory));
ALTER TABLE embedding ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON embedding USING (memory IN (SELECT seq FROM memory));
ALTER TABLE embedding_due ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON embedding_due USING (memory IN (SELECT seq FROM memory));
ALTER TABLE term ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON term USING (EXISTS (SELECT 1 FROM posting p WHERE p.term = term.term));
ALTER TABLE saying ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON saying USING (memory IN (SELECT id FROM memory));
ALTER TABLE link ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON link USING (source IN (SELECT id FROM memory) AND target IN (SELECT id FROM memory));
ALTER TABLE receipt ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON receipt USING (may_see(project));
ALTER TABLE review ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON review USING (may_see(project));
ALTER TABLE injection ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON injection USING (may_see(project));
ALTER TABLE injection_item ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON injection_item USING (injection IN (SELECT id FROM injection));
ALTER TABLE event ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON event USING (may_see(project));
ALTER TABLE activity ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON activity USING (may_see(project));
ALTER TABLE job ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON job USING (may_see(project));
ALTER TABLE outcome ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON outcome USING (may_see(project));
ALTER TABLE anchor ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON anchor USING (may_see(project));
ALTER TABLE paper ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON paper USING (may_see(project));
ALTER TABLE suggestion ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON suggestion USING (may_see(project));
ALTER TABLE audit ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON audit USING (may_see(project));
ALTER TABLE workstream ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON workstream USING (may_see(project));
-- Of no project, so nobody's but the owner's.
ALTER TABLE cursor ENABLE ROW LEVEL SECURITY;
ALTER TABLE call ENABLE ROW LEVEL SECURITY;
ALTER TABLE access ENABLE ROW LEVEL SECURITY;
