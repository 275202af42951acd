"""What a copy of a server's store is: a file of the embedded store, filled from one state of it.

The file holds what `migrate` carries, so it restores into a server or a file alike. Queues and cursors of other
machines are not in it, nor who may see what: those are the server's, and so is going back to a point in time.
"""

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from functools import partial

from hindbrain.adapters.postgres import mend
from hindbrain.adapters.postgres.check import is_partial
from hindbrain.adapters.postgres.store import PostgresStore
from hindbrain.adapters.sqlite import SqliteStore, twin
from hindbrain.adapters.sqlite.backups import BackupFolder, Tell
from hindbrain.core.model.backup import Backup, Mended
from hindbrain.errors import ReadOnly, StoreDamaged, Unreadable
from hindbrain.ports import Movable, Whole

Carry = Callable[[Whole, Movable, Callable[[int], None]], object]  # all of one store into another, and compare them


class PostgresBackups(BackupFolder):
    def __init__(self, folder: str, *, store: Callable[[], PostgresStore], carry: Carry) -> None:
        super().__init__(folder)
        self._store = store
        self._carry = carry

    def make(self, at: datetime, *, to: str = "", tell: Tell) -> Backup:
        with self._busy(self._place(to)) as work:
            with closing(self._store()) as store, closing(SqliteStore(work / "filled.db")) as target:
                _refuse_damaged(store)
                with store.snapshot() as source:
                    self._carry(source, target, lambda count: tell(count, 0))
            wanted = twin.copied(str(work / "filled.db"), str(work / "copy.db"), look=twin.printed)
            return self._named(work / "copy.db", at=at, to=to, wanted=wanted)

    def restore(self, path: str, *, at: datetime) -> str:
        """Into an empty database: what a server holds is never overwritten from here. Cut short, it can be repeated."""
        with self._busy() as work, closing(self._present(path, work / "copy.db")) as source:
            if source.damage():
                raise StoreDamaged(
                    f"{path} is damaged and was not restored", fix="`hindbrain backup --list` names others"
                )
            with closing(self._store()) as store:
                self._carry(source, store, lambda _: None)
        return ""

    def mend(self, at: datetime) -> Mended:
        """Every row that is not as it was written, by the hash or seal that it was written with."""
        told = mend.Told()
        with self._busy() as work, closing(self._store()) as store:
            for number, backup in enumerate(reversed(self.all())):
                if store.look(mend.is_sound):
                    break
                try:
                    source = self._present(backup.path, work / f"copy-{number}.db")
                except Unreadable:
                    continue
                with closing(source):
                    store.mend(partial(mend.restore, source=source, told=told))
            store.mend(partial(mend.settle, told=told))
        return told.report()


def _refuse_damaged(store: PostgresStore) -> None:
    if store.look(is_partial):
        raise ReadOnly(
            "no backup was made: this role sees a part of the store only", fix="use the role that owns the tables"
        )
    for one in store.damage():
        raise StoreDamaged(
            f"no backup was made, as the store is damaged: {one.where} {one.what}",
            fix="hindbrain fsck --repair; older backups are untouched",
        )
