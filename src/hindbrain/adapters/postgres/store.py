"""The store of teams: how a change becomes durable on a server, and what happens when the line to it breaks.

Writers stand in one line for each store, by a lock of the database: so the numbers of events are committed in their
order and no follower misses one. Readers never wait.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import psycopg

from hindbrain.adapters.postgres import schema, vectors
from hindbrain.adapters.postgres.bell import Bell, Ear
from hindbrain.adapters.postgres.reader import PostgresReader
from hindbrain.adapters.postgres.wire import Db, Wire, is_lost, steady, translated, undone_quietly
from hindbrain.adapters.postgres.writer import apply
from hindbrain.core.model import Space, Vector
from hindbrain.core.model.moment import stamp
from hindbrain.core.value import replace
from hindbrain.errors import StoreUnreachable
from hindbrain.ports import Changes, Damage, Erasure, Project, Reader, Transaction

T = TypeVar("T")
_NUMBERED = {name: name for name in ("event", "activity", "job")}  # tables whose rows have numbers
_GATE = (
    "SELECT pg_current_xact_id()::text, set_config('lock_timeout', '0', true)"
    f" FROM (SELECT pg_advisory_xact_lock({schema.GATE}) OFFSET 0) gate"
)
_TURN = "WITH gone AS (DELETE FROM turn WHERE at < now() - interval '1 hour') INSERT INTO turn (token) VALUES (%s)"
_PAUSE_S = 0.05  # between tries to reach the server again, doubled each time
_LONGEST_PAUSE_S = 1.0


class _Whole(PostgresReader):
    """What it takes to read a store out wholly."""

    def identities(self) -> Sequence[tuple[str, str]]:
        found = self._all("SELECT identity, project FROM project_identity ORDER BY identity")
        return [(identity, project) for identity, project in found]

    def spaces(self) -> Sequence[tuple[Space, bool]]:
        found: Sequence[tuple[Space, bool]] = self._using(vectors.all_spaces)
        return found

    def vectors(self, ids: Sequence[str]) -> Sequence[Vector]:
        found: Sequence[Vector] = self._using(lambda db: vectors.of(db, ids))
        return found


class PostgresStore(_Whole):
    """Memories in one schema of a PostgreSQL database. Threads may share it."""

    def __init__(
        self, url: str, *, home: str = "", login: str = "", timeout_s: float = 30.0, backups: str = ""
    ) -> None:
        """`home` tells this machine's queue and cursors from those of others that share the store. `login` is written
        beside every change, so that all know whose it was. `backups` is the folder of the machine's own copies of it,
        out of which a memory that is forgotten goes, too."""
        super().__init__(self._with_connection, home=home)
        self._login = login
        self._wire = Wire(url)
        self._bell = Bell(self._wire)
        self._timeout_s = timeout_s
        self._backups = backups
        with ExitStack() as unwanted:
            unwanted.callback(self._wire.close)
            self._prepare()
            unwanted.pop_all()

    def _prepare(self) -> None:
        with translated(self._wire.name), self._wire.lent() as db:
            self._is_read_only = bool(db.execute("SELECT pg_is_in_recovery()").fetchall()[0][0])
            if not self._is_read_only or not schema.version(db):
                schema.prepare(db, name=self._wire.name)

    @property
    def is_read_only(self) -> bool:
        return self._is_read_only

    def _with_connection(self, work: Callable[[Db], T]) -> T:
        """For reads: whatever the connection was lost in the middle of can be asked again."""

        def tried() -> T:
            with self._wire.lent() as db:
                return work(db)

        with translated(self._wire.name):
            return self._persistent(tried, patience_s=self._timeout_s)

    def _persistent(self, attempt: Callable[[], T], *, patience_s: float) -> T:
        """`attempt`, again and again while the server cannot be reached."""
        end, pause = time.monotonic() + patience_s, _PAUSE_S
        while True:
            try:
                return attempt()
            except (psycopg.Error, StoreUnreachable) as error:
                is_over = time.monotonic() + pause > end
                if is_over or (isinstance(error, psycopg.Error) and not is_lost(error)):
                    raise
            self._wire.drop_idle()
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def write(
        self,
        work: Callable[[Transaction], T],
        *,
        meanwhile: Callable[[Reader], object] | None = None,
        is_durable: bool = True,
        patience_s: float | None = None,
    ) -> T:
        def run(db: Db) -> T:
            if not is_durable:
                db.execute("SET LOCAL synchronous_commit = off")
            return work(_Open(db, home=self.home, login=self._login))

        return self._written(run, patience_s=patience_s)

    def _written(self, work: Callable[[Db], T], *, patience_s: float | None = None) -> T:
        """`work` in a transaction behind the gate, once. It may run again if it came to nothing."""
        patience = self._timeout_s if patience_s is None else patience_s
        with translated(self._wire.name):
            return self._persistent(lambda: self._try_to_write(work, patience_s=patience), patience_s=patience)

    def _try_to_write(self, work: Callable[[Db], T], *, patience_s: float) -> T:
        with self._wire.lent() as db:
            db.execute(f"BEGIN; SET LOCAL lock_timeout = {max(1, int(patience_s * 1000))}".encode())
            turn = uuid4().hex
            with ExitStack() as failing:
                failing.callback(_roll_back, db)
                ((number, *_),) = db.execute(_GATE.encode()).fetchall()
                db.execute(_TURN, (turn,))
                result = work(db)
                failing.pop_all()
            try:
                db.execute("COMMIT")
            except psycopg.Error as error:
                if not is_lost(error):
                    raise
                lost = error
            else:
                return result
        # Whether the commit arrived is not known here; the server does know.
        patience = max(patience_s, self._timeout_s)
        if self._persistent(lambda: self._is_committed(number, turn=turn), patience_s=patience):
            return result
        raise lost

    def _is_committed(self, number: str, *, turn: str) -> bool:
        """The number tells whether it is still under way. What became of it, only what it wrote itself does: a server
        that crashed gives numbers out again that had not reached its disk."""
        try:
            with self._wire.lent() as db:
                ((status,),) = db.execute("SELECT pg_xact_status(%s::text::xid8)", (number,)).fetchall()
                found = db.execute("SELECT 1 FROM turn WHERE token = %s", (turn,)).fetchall()
        except psycopg.errors.InvalidParameterValue:
            return False  # "in the future": it died before anything under that number had reached its disk
        if status == "in progress" and not found:  # its session has not noticed yet that we are gone
            raise StoreUnreachable(f"{self._wire.name}: a commit hangs", fix="try again: repeating it is safe")
        return bool(found)

    def adopt(self, identities: Sequence[str], *, name: str, project_id: str, at: datetime) -> Project:
        known = self.project_of(identities)
        if known and all(self.project_of([identity]) for identity in identities):
            return known

        def work(db: Db) -> Project:
            project = _Open(db, home=self.home).project_of(identities)
            if project is None:
                project = Project(id=project_id, name=name, created_at=at)
                db.execute(
                    "INSERT INTO project (id, name, created_at) VALUES (%s, %s, %s)", (project_id, name, stamp(at))
                )
            db.cursor().executemany(
                "INSERT INTO project_identity VALUES (%s, %s) ON CONFLICT DO NOTHING",
                [(identity, project.id) for identity in (*identities, f"id:{project.id}")],
            )
            return project

        return self._written(work)

    def expect(self, space: Space) -> None:
        sql = f"SELECT 1 FROM space s WHERE {vectors.SPACE} AND s.is_expected"
        if self._all(sql, *vectors.key(space)):
            return

        def work(db: Db) -> None:
            vectors.made(db, space, is_expected=True)
            vectors.list_due(db)

        self._written(work)

    def drop_spaces(self, *, but: Space) -> int:
        removed, is_done = 0, False
        while not is_done:
            count, is_done = self._written(lambda db: vectors.drop_one(db, but=but))
            removed += count
        return removed

    def erase(self, *memory_ids: str, at: datetime) -> Erasure:
        from hindbrain.adapters.postgres import erase

        erased = self._written(lambda db: erase.erase(db, memory_ids, at=at))
        self._with_connection(erase.swept)
        if not self._has_backups():
            return erased
        from hindbrain.adapters.sqlite.erase import cleaned

        copies, remaining = cleaned(Path(self._backups), memory_ids, at=at)
        return Erasure(rows=erased.rows, backups=copies, found_in=(*erased.found_in, *remaining))

    def _has_backups(self) -> bool:
        return bool(self._backups) and Path(self._backups).is_dir()

    def repair(self) -> None:
        from hindbrain.adapters.postgres import check

        self._written(check.repair)

    def damage(self) -> Sequence[Damage]:
        from hindbrain.adapters.postgres import check

        return self._with_connection(check.damage)

    @contextmanager
    def snapshot(self) -> Iterator[_Whole]:
        """All of the store as it is at one moment. Others go on writing."""
        with translated(self._wire.name), self._wire.lent() as db, steady(db):
            yield _Whole(lambda work: work(db), home=self.home)

    def look(self, work: Callable[[Db], T]) -> T:
        """What `work` reads of the tables as they are."""
        return self._with_connection(work)

    def mend(self, work: Callable[[Db], T]) -> T:
        """What `work` answers after it has written the tables, while nobody else does. Wholly or not at all."""
        return self._written(work)

    def carry(self, parts: Sequence[tuple[Changes, Mapping[str, int]]]) -> None:
        def work(db: Db) -> None:
            tx = _Open(db, home=self.home)
            for changes, first in parts:
                for table, number in first.items():
                    sql = f"SELECT setval(pg_get_serial_sequence('{_NUMBERED[table]}', 'seq'), %s, false)"
                    db.execute(sql.encode(), (number,))
                tx.apply(changes)

        self._written(work)

    def vitals(self) -> Mapping[str, str]:
        return self._with_connection(self._vitals)

    def _vitals(self, db: Db) -> Mapping[str, str]:
        ((engine, may_write, size, holder),) = db.execute(
            "SELECT current_setting('server_version'), has_table_privilege('memory', 'INSERT'),"
            " (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c"
            "  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'),"
            " (SELECT string_agg(a.pid || ' ' || a.application_name, ', ') FROM pg_locks l"
            "  JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.granted"
            f"  AND (l.classid::bigint << 32 | l.objid::bigint) = {schema.GATE})".encode()
        ).fetchall()
        extension: list[Any] = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchall()
        copies = len(list(Path(self._backups).glob("*.db"))) if self._has_backups() else 0
        return {
            "engine": f"PostgreSQL {engine.split()[0]}, pgvector {extension[0][0] if extension else 'missing'}",
            "is_engine_safe": "yes",
            "path": self._wire.name,
            "size_bytes": str(size),
            "wal_bytes": "0",
            "schema": str(schema.version(db)),
            "mode_file": "",
            "mode_folder": "",
            "unfit": "",
            "is_read_only": "yes" if self._is_read_only or not may_write else "no",
            "lock_holder": holder or "",
            "backups": str(copies),
            "spaces": vectors.told(db),
        }

    def listen(self, heard: Callable[[], None]) -> Ear:
        return self._bell.listen(heard)

    def close(self) -> None:
        self._bell.close()
        self._bell = Bell(self._wire)  # a closed store opens again for who asks it
        self._wire.close()


class _Open(PostgresReader):
    """The store inside a transaction."""

    def __init__(self, db: Db, *, home: str, login: str = "") -> None:
        super().__init__(lambda work: work(db), home=home)
        self._db = db
        self._login = login

    def apply(self, changes: Changes) -> None:
        if self._login and not changes.by.login:
            changes = replace(changes, by=replace(changes.by, login=self._login))
        with self._db.pipeline():  # statements that nobody waits for go out together
            apply(changes, self._db, reader=self)


def _roll_back(db: Db) -> None:
    with undone_quietly():
        db.execute("ROLLBACK")
