"""The embedded store: how a change becomes durable, and which of many processes may make it."""

import contextlib
import os
import sys
from _thread import _local as local  # threading's, without loading threading; so with the next
from _weakrefset import WeakSet
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial

import apsw

from hindbrain.adapters.sqlite import schema
from hindbrain.adapters.sqlite.engine import BUSY_MS, connect, steady, transaction, translated
from hindbrain.adapters.sqlite.gate import Gate
from hindbrain.adapters.sqlite.reader import SqliteReader
from hindbrain.adapters.sqlite.writer import apply
from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model import Space
from hindbrain.core.model.moment import stamp
from hindbrain.errors import BadSettings, ReadOnly
from hindbrain.ports import Changes, Damage, Erasure, Project, Reader, T, Transaction

if TYPE_CHECKING:
    from pathlib import Path

    from hindbrain.adapters.sqlite.trail import Trail
    from hindbrain.core.model import Vector

_FOLD = "PRAGMA wal_checkpoint(TRUNCATE)"
_OFTEN = 24  # writes of one process
CHECKPOINT_BYTES = 4 * 1024 * 1024  # size of the write-ahead log that calls for a checkpoint


class SqliteStore(SqliteReader):
    """Memories in one SQLite file. Threads may share it: each has a connection of its own."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        timeout_s: float = 30.0,
        migrations: Sequence[schema.Migration] | None = None,
    ) -> None:
        path = os.fspath(path)
        super().__init__(path, self._connection)
        self._timeout_s = timeout_s
        self._migrations = tuple(migrations) if migrations is not None else schema.shipped()
        self._gate = Gate(path)
        self._local = local()
        self._opened: WeakSet[apsw.Connection] = WeakSet()  # those of ended threads go by themselves
        self._pids: dict[int, int] = {}
        self._inherited: list[apsw.Connection] = []
        self._is_read_only = False
        self._trail: Trail | None = None
        self._pid, self._writes = os.getpid(), 0
        with translated(path):
            self._connection()

    @property
    def path(self) -> "Path":
        from pathlib import Path  # late, as most stores are only opened and asked

        return Path(self._path)

    @property
    def backups(self) -> "Path":
        return self.path.with_name(self.path.name + ".backups")  # two stores may lie in one folder

    @property
    def is_read_only(self) -> bool:
        return self._is_read_only

    def write(
        self,
        work: Callable[[Transaction], T],
        *,
        meanwhile: Callable[[Reader], object] | None = None,
        is_durable: bool = True,
        patience_s: float | None = None,
    ) -> T:
        trail = self._kept_trail()
        with self._writing(patience_s, partial(self._glance, meanwhile, trail)) as db:
            if not is_durable:
                db.execute("PRAGMA synchronous = NORMAL")
            try:
                with self._followed(trail), transaction(db):
                    result = work(_Open(self._path, self._connection, trail))
            finally:
                if not is_durable:
                    db.execute("PRAGMA synchronous = FULL")
            if is_durable:
                self._note(db)
        return result

    def _glance(self, work: Callable[[Reader], object] | None, trail: "Trail | None") -> None:
        """Let `work` read one state of the store, if what it reads stays known when it reads again behind the gate."""
        if work is None or trail is None or not trail.is_worn:
            return
        if not trail.lock.acquire(blocking=False):  # the one before us is a thread of our own, which follows it as well
            return
        try:
            # Followed inside the transaction: what is known afterwards is what it saw.
            followed = trail.followed(self._index.record, self._all, is_look=True)
            with translated(self._path), steady(self._connection()), followed:
                work(SqliteReader(self._path, self._connection, trail))
        finally:
            trail.lock.release()

    def adopt(self, identities: Sequence[str], *, name: str, project_id: str, at: datetime) -> Project:
        known = self.project_of(identities)
        if known and all(self.project_of([identity]) for identity in identities if len(identities) > 1):
            return known
        with self._writing() as db, transaction(db):
            project = self.project_of(identities)
            if project is None:
                project = Project(id=project_id, name=name, created_at=at)
                db.execute(
                    "INSERT INTO project (id, name, created_at) VALUES (?, ?, ?)",
                    (project_id, name, stamp(at)),
                )
            db.executemany(
                "INSERT OR IGNORE INTO project_identity VALUES (?, ?)",
                [(identity, project.id) for identity in (*identities, f"id:{project.id}")],
            )
        return project

    def expect(self, space: Space) -> None:
        from hindbrain.adapters.sqlite import vectors

        with translated(self._path):
            is_done = vectors.is_listed(self._connection(), space)
        while not is_done:
            with self._writing() as db, transaction(db):
                is_done = vectors.list_some(db, space)

    def drop_spaces(self, *, but: Space) -> int:
        from hindbrain.adapters.sqlite import vectors

        removed, is_done = 0, False
        while not is_done:
            with self._writing() as db, transaction(db):
                count, is_done = vectors.drop_some(db, but=but)
            removed += count
        return removed

    def erase(self, *memory_ids: str, at: datetime) -> Erasure:
        from hindbrain.adapters.sqlite import erase  # starts a process: nothing that a recall should load

        with self._writing() as db:
            self._gate.note(0)  # what is erased may be the last that was written
            erased = erase.erase(db, memory_ids, path=self.path, backups=self.backups, at=at)
            self._note(db)
            return erased

    def listen(self, heard: Callable[[], None]) -> None:
        """A file tells nobody."""

    def repair(self) -> None:
        from hindbrain.adapters.sqlite import check

        with self._writing() as db, transaction(db):
            check.repair(db)

    def damage(self) -> Sequence[Damage]:
        from hindbrain.adapters.sqlite import check

        noted = self._gate.noted()  # first: whoever writes meanwhile only adds
        with translated(self._path):
            return (*check.damage(self._connection()), *check.shortfall(self._connection(), noted))

    def identities(self) -> Sequence[tuple[str, str]]:
        return self._all("SELECT identity, project FROM project_identity ORDER BY identity")

    def spaces(self) -> Sequence[tuple[Space, bool]]:
        from hindbrain.adapters.sqlite import move

        return move.spaces(self._all)

    def vectors(self, ids: Sequence[str]) -> "Sequence[Vector]":
        from hindbrain.adapters.sqlite import move

        return move.vectors(self._all, ids)

    def carry(self, parts: Sequence[tuple[Changes, Mapping[str, int]]]) -> None:
        from hindbrain.adapters.sqlite import move

        with self._writing() as db, transaction(db):
            for changes, first in parts:
                move.number_from(db, first)
                apply(changes, db, reader=self)

    def vitals(self) -> Mapping[str, str]:
        from hindbrain.adapters.sqlite import vectors, vitals

        with translated(self._path):
            number = schema.version(self._connection())
            outside = vitals.vitals(self.path, schema=number, is_read_only=self._is_read_only)
            return {**outside, "spaces": vectors.told(self._connection())}

    def close(self) -> None:
        """Close every thread's connection. The write-ahead log stays: the next opener reads it."""
        for db in list(self._opened):
            if self._pids.get(id(db)) == os.getpid():
                db.close()
        self._opened = WeakSet()
        self._local = local()

    def _connection(self) -> apsw.Connection:
        db: apsw.Connection | None = getattr(self._local, "db", None)
        if db is not None and self._local.pid != os.getpid():
            # A forked child has the connection without its locks. Closing it would drop nothing of ours and
            # everything of the parent's, so it is kept, unused.
            self._inherited.append(db)
            db = None
        if db is None:
            db = self._local.db = self._open()
            self._local.pid = self._pids[id(db)] = os.getpid()
            self._opened.add(db)
        return db

    def _open(self) -> apsw.Connection:
        """Most openers find the schema they expect and need no gate; the rest make it, one at a time."""
        if os.path.isdir(self._path):
            raise BadSettings(f"{self._path} is a folder, not a database", fix="give the path of a file")
        if os.path.exists(self._path) and os.path.getsize(self._path):
            db, self._is_read_only = connect(self._path)
            is_current = schema.version(db) == schema.last(self._migrations) and self._has_journal(db)
            with contextlib.ExitStack() as unwanted:
                unwanted.callback(db.close)
                schema.refuse_strangers(db, self._path)
                if self._is_read_only or is_current:
                    unwanted.pop_all()
                    return db
                schema.refuse_newer(db, self._path, known=schema.last(self._migrations))
        os.makedirs(os.path.dirname(self._path) or ".", mode=0o700, exist_ok=True)
        with self._gate.hold(self._timeout_s):
            if not os.path.exists(self._path):
                schema.create_file(self._path)
            db, _ = connect(self._path)
            schema.migrate(db, self._path, migrations=self._migrations, backups=self.backups)
        return db

    def _has_journal(self, db: apsw.Connection) -> bool:
        """Whether it is the one that is wanted. Whoever has a log already is not asked where it lies: a hook waits."""
        found = db.pragma("journal_mode")
        return bool(found == "wal" or found == schema.journal(self._path))

    @contextmanager
    def _writing(
        self, patience_s: float | None = None, meanwhile: Callable[[], object] = lambda: None
    ) -> Iterator[apsw.Connection]:
        with translated(self._path):
            db = self._connection()
            if self._is_read_only:
                raise ReadOnly(
                    f"{self._path} can be read but not written; nothing was saved",
                    fix="make the folder writable, or set HINDBRAIN_HOME to one that is",
                )
            patience_s = self._timeout_s if patience_s is None else patience_s
            with self._gate.hold(patience_s, meanwhile=meanwhile):
                yield db
                self._fold(db)

    def _kept_trail(self) -> "Trail | None":
        """For who has numpy loaded, or has written often: then the process is no short one, and will write again.
        Before the gate, because to load it takes longer than to write."""
        if self._pid != os.getpid():  # a forked child knows not who held the lock
            self._pid, self._trail, self._writes = os.getpid(), None, 0
        self._writes += 1
        is_steady = self._writes > _OFTEN + self._pid % _OFTEN  # of many that begin together not all at once
        if self._trail is None and ("numpy" in sys.modules or is_steady):
            with contextlib.suppress(ImportError):
                from hindbrain.adapters.sqlite.trail import Trail

                self._trail = Trail()
        return self._trail

    @contextmanager
    def _followed(self, trail: "Trail | None") -> Iterator[None]:
        if trail is None:
            yield
            return
        with trail.lock, trail.followed(self._index.record, self._all):
            yield

    def _note(self, db: apsw.Connection) -> None:
        """Best effort: a note that could not be made only leaves the one before it."""
        with contextlib.suppress(OSError):
            self._gate.note(schema.reached(db))

    def _fold(self, db: apsw.Connection) -> None:
        """Move a long write-ahead log into the file. The caller holds the gate: who queued for it again would find that
        somebody else has done it.

        Whatever is in the way (a reader, a full disk), the log is intact and the next writer tries again: what
        was committed must not be reported as failed.
        """
        try:
            if os.stat(f"{self._path}-wal").st_size < CHECKPOINT_BYTES:
                return
        except FileNotFoundError:
            return
        with contextlib.suppress(apsw.Error, OSError):
            db.set_busy_timeout(0)
            try:
                db.execute(_FOLD).fetchall()
            finally:
                db.set_busy_timeout(BUSY_MS)


class _Open(SqliteReader):
    """The store inside a transaction."""

    def __init__(self, path: str, connection: Callable[[], apsw.Connection], trail: "Trail | None") -> None:
        super().__init__(path, connection, trail)
        self._trail = trail

    def apply(self, changes: Changes) -> None:
        apply(changes, self._db(), reader=self, trail=self._trail)
