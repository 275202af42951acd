"""Where copies of a store lie, and when one has its name: once it was written, read back and found sound."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import apsw

from hindbrain.adapters import locks
from hindbrain.adapters.alone import alone
from hindbrain.adapters.sqlite import mend, twin
from hindbrain.adapters.sqlite.engine import connect, teach, translated
from hindbrain.adapters.sqlite.gate import Gate
from hindbrain.adapters.sqlite.store import SqliteStore
from hindbrain.adapters.sqlite.words import generation, renew
from hindbrain.core.hints import Any
from hindbrain.core.model.backup import Backup, Mended
from hindbrain.errors import BadValue, Conflict, StoreDamaged, StoreLocked, Unreadable
from hindbrain.ports import Damage

Tell = Callable[[int, int], None]
_STAMP = "%Y%m%dT%H%M%S"
_ASIDE, _BEFORE = "aside-", "before-"
_WORK = ".work-"  # folders of what is not finished
_BROKEN = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError)
_SIDES = ("-wal", "-shm")


class BackupFolder:
    """What is the same whatever the copies are made of."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    @property
    def folder(self) -> str:
        return str(self._folder)

    def all(self) -> Sequence[Backup]:
        found = [_backup(path) for path in self._folder.glob("*.db")] if self._folder.is_dir() else []
        return sorted((one for one in found if one), key=lambda one: (one.at, one.name))

    def remove(self, backup: Backup) -> None:
        (self._folder / backup.name).unlink(missing_ok=True)

    def check(self, path: str) -> tuple[int, Sequence[Damage]]:
        with self._busy() as work:
            fresh = self._present(path, work / "copy.db")
            with closing(fresh):
                return len(fresh.ids("", limit=-1)), fresh.damage()

    @contextmanager
    def _busy(self, beside: Path | None = None) -> Iterator[Path]:
        """Alone, with a folder for what is not finished. What a killed process left of its own goes first."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with translated(self.folder), alone(self._folder, "backup"):
            for old in (*self._folder.glob(f"{_WORK}*"), *(beside.glob(f"{_WORK}hindbrain*") if beside else ())):
                shutil.rmtree(old, ignore_errors=True)
            work = Path(tempfile.mkdtemp(prefix=f"{_WORK}hindbrain", dir=beside or self._folder))
            try:
                yield work
            finally:
                shutil.rmtree(work, ignore_errors=True)

    def _present(self, path: str, to: Path) -> SqliteStore:
        """A store with the content of a backup and the schema of today."""
        if not os.path.isfile(path):
            raise Unreadable(f"there is no backup {path}", fix="`hindbrain backup --list` names them")
        try:
            twin.copied(path, str(to))
            return SqliteStore(to)
        except (*_BROKEN, StoreDamaged) as error:
            raise Unreadable(
                f"{path} is no sound backup: {error}", fix="`hindbrain backup --list` names others"
            ) from error

    def _named(self, made: Path, *, at: datetime, to: str, wanted: twin.Print) -> Backup:
        """The copy under its name, once it was found to be what it should be."""
        found, damage = twin.checked(str(made))
        if damage:
            raise StoreDamaged(
                f"no backup was made, as the store is damaged: {damage[0].where} {damage[0].what}",
                fix="hindbrain fsck --repair; older backups are untouched",
            )
        if found != wanted:
            raise StoreDamaged("no backup was made: the copy is not what was copied", fix="check the disk, try again")
        name = Path(to) if to else self._folder / _file_name(at)
        if name.exists():
            raise Conflict(f"{name} is there already", fix="give another name")
        twin.settled(str(made), str(name))
        known = _backup(name)
        return known or Backup(name=name.name, path=str(name), at=at, size_bytes=name.stat().st_size, sort="made")

    def _place(self, to: str) -> Path | None:
        if not to:
            return None
        if os.path.exists(to):
            raise BadValue(f"{to} is there already", fix="give the name of a new file")
        return Path(to).absolute().parent


class SqliteBackups(BackupFolder):
    """Of the store in one file."""

    def __init__(self, path: str, *, timeout_s: float = 30.0) -> None:
        super().__init__(f"{path}.backups")
        self._path = path
        self._timeout_s = timeout_s

    def make(self, at: datetime, *, to: str = "", tell: Tell) -> Backup:
        with self._busy(self._place(to)) as work:
            if not os.path.exists(self._path):
                raise BadValue(f"there is no store at {self._path} yet", fix="keep something first")
            wanted = twin.copied(self._path, str(work / "copy.db"), tell=tell, look=twin.printed)
            return self._named(work / "copy.db", at=at, to=to, wanted=wanted)

    def restore(self, path: str, *, at: datetime) -> str:
        with self._busy() as work:
            self._present(path, work / "new.db").close()
            _, damage = twin.checked(str(work / "new.db"))
            if damage:
                first = damage[0]
                raise StoreDamaged(
                    f"{path} is damaged and was not restored: {first.where} {first.what}",
                    fix="`hindbrain backup --list` names older ones; `hindbrain fsck --repair` takes what is sound",
                )
            with Gate(self._path).hold(self._timeout_s):
                aside = self._set_aside(at, work=work)
                self._replace(work / "new.db", at=at)
        return aside

    def mend(self, at: datetime) -> Mended:
        with self._busy() as work, Gate(self._path).hold(self._timeout_s):
            aside = self._set_aside(at, work=work)
            base = self._base(work)
            if not aside and not base:
                raise BadValue(f"there is no store at {self._path}, and no backup", fix="nothing: there was none")
            with closing(SqliteStore(work / "new.db")):  # made where there was no backup
                target, _ = connect(str(work / "new.db"))
            with closing(target):
                told = _told(aside, target) if aside else mend.Told()
            self._replace(work / "new.db", at=at)
        return Mended(
            base=base,
            aside=aside,
            restored=tuple(told.restored),
            older=tuple(told.older),
            unsure=tuple(told.unsure),
            lost=tuple(told.lost),
        )

    def _base(self, work: Path) -> str:
        """The newest backup that is sound, copied to where the new store is made."""
        for backup in reversed([one for one in self.all() if one.sort != "aside"]):
            if self._is_sound(backup, to=work / "new.db"):
                return backup.name
            for left in work.glob("new.db*"):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        return ""

    def _is_sound(self, backup: Backup, *, to: Path) -> bool:
        try:
            self._present(backup.path, to).close()
        except (Unreadable, StoreDamaged):
            return False
        return not twin.checked(str(to))[1]

    def _set_aside(self, at: datetime, *, work: Path) -> str:
        """Keep what is there now, page by page, however damaged it is; where."""
        name = self._folder / f"{_ASIDE}{_file_name(at)}"
        if os.path.exists(self._path) and os.path.getsize(self._path):
            try:
                twin.copied(self._path, str(work / "aside.db"))
                twin.settled(str(work / "aside.db"), str(name))
                return str(name)
            except _BROKEN:
                (work / "aside.db").unlink(missing_ok=True)
        self._move_aside(name)
        return str(name) if name.exists() else ""

    def _move_aside(self, name: Path) -> None:
        """What the engine cannot even open goes as it is, and so does a log that belongs to no file any more."""
        user = locks.user(Path(self._path))
        if user:
            raise StoreLocked(f"{user} has {self._path} open", fix="end it (hindbrain worker --stop), then try again")
        for side in ("", *_SIDES):
            with contextlib.suppress(FileNotFoundError):
                os.rename(f"{self._path}{side}", f"{name}{side}")

    def _replace(self, new: Path, *, at: datetime) -> None:
        Gate(self._path).note(0)  # an older one has not come so far, and that is no damage
        if not os.path.exists(self._path):
            twin.copied(str(new), str(new.with_name("whole.db")))
            twin.settled(str(new.with_name("whole.db")), self._path)
            return
        live, _ = connect(self._path)
        with closing(live):
            _outrun(live, new, at=at)
            twin.poured(str(new), live)
            live.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _told(aside: str, target: apsw.Connection) -> mend.Told:
    damaged = apsw.Connection(aside, flags=apsw.SQLITE_OPEN_READONLY)
    with closing(damaged):
        teach(damaged)
        # Tables are read by those parts of the schema that are whole; the first statement still says what is not.
        damaged.pragma("writable_schema", 1)
        with contextlib.suppress(apsw.Error, UnicodeDecodeError):
            damaged.execute("SELECT 1 FROM sqlite_schema").fetchall()
        return mend.mended(damaged, target)


def _outrun(live: apsw.Connection, new: Path, *, at: datetime) -> None:
    """Numbers that others hold as cursors, or know a state by, must not be given twice."""
    numbers: list[Any] = []
    words = 0
    with contextlib.suppress(*_BROKEN):
        numbers = live.execute("SELECT name, seq FROM sqlite_sequence").fetchall()
    with contextlib.suppress(*_BROKEN, IndexError):
        words = generation(live)
    with closing(connect(str(new))[0]) as db:
        for name, seq in numbers:
            db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (seq, name))
        db.execute("UPDATE vector_tally SET removed = removed + ?", (int(at.timestamp() * 1000),))
        renew(db, beyond=words)


def _file_name(at: datetime) -> str:
    moment = at.astimezone(UTC)
    return f"{moment:{_STAMP}}{moment.microsecond // 1000:03d}Z.db"


def _backup(path: Path) -> Backup | None:
    """What a file of the folder is by its name."""
    size = path.stat().st_size
    if path.name.startswith(_BEFORE):
        at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return Backup(name=path.name, path=str(path), at=at, size_bytes=size, sort="before")
    sort = "aside" if path.name.startswith(_ASIDE) else "made"
    try:
        at = datetime.strptime(path.name.removeprefix(_ASIDE), f"{_STAMP}%fZ.db").replace(tzinfo=UTC)
    except ValueError:
        return None
    return Backup(name=path.name, path=str(path), at=at, size_bytes=size, sort=sort)
