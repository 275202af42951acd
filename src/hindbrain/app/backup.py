"""When a store is copied, which copies stay, and which of them a person means.

A backup holds what the store holds: memories with their history, decisions and the end of their log, tokens as hashes,
cursors. What people own as files (config.toml, routing.yaml, the vault, rules) is not in it.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from hindbrain.app import log
from hindbrain.app.tools import Tools
from hindbrain.core.model.backup import Backup
from hindbrain.core.rotation import kept
from hindbrain.core.value import dataclass
from hindbrain.errors import BadValue
from hindbrain.ports import Backups, Damage, Spool

Tell = Callable[[int, int], None]
NEWEST = "newest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    backup: Backup
    removed: tuple[str, ...]  # names of older ones that have had their time


@dataclass(frozen=True, slots=True, kw_only=True)
class Drilled:
    """A restore into a place out of the way, of which nothing is left."""

    backup: str
    memories: int
    damage: tuple[Damage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    backup: str
    aside: str  # where that which the store held is now; "": it held nothing
    replayed: int  # files of what hooks were told since, to be taken up again


def backup(tools: Tools, *, to: str = "", tell: Tell = lambda *_: None) -> Saved:
    """Copy the store, then let those go that have had their time. A copy into `to` is nobody's turn."""
    backups = _backups(tools)
    at = tools.clock.now()
    before = last(backups)
    made = backups.make(at, to=to, tell=tell)
    if to:
        return Saved(backup=made, removed=())
    if before is not None and tools.spool is not None:
        tools.spool().drop_kept(before=before.at)
    return Saved(backup=made, removed=_rotated(backups, tools))


def _rotated(backups: Backups, tools: Tools) -> tuple[str, ...]:
    made = [one for one in backups.all() if one.sort == "made"]
    settings = tools.settings
    staying = kept([one.at for one in made], daily=settings.backups_daily, weekly=settings.backups_weekly)
    going = [one for one in made if one.at not in staying]
    for one in going:
        backups.remove(one)
    return tuple(one.name for one in going)


def listed(tools: Tools) -> Sequence[Backup]:
    return tools.backups().all() if tools.backups else ()


def last(backups: Backups | None) -> Backup | None:
    """The newest that was made as such."""
    made = [one for one in backups.all() if one.sort == "made"] if backups else []
    return made[-1] if made else None


def drill(name: str, *, backups: Backups) -> Drilled:
    """Whether a backup could be restored, tried out."""
    path = found(name, backups=backups)
    memories, damage = backups.check(path)
    return Drilled(backup=path, memories=memories, damage=tuple(damage))


def restore(name: str, *, backups: Backups, spool: Spool | None, at: datetime) -> Restored:
    """Let the store be what it was, and hand what hooks have told since to whoever takes it up."""
    path = found(name, backups=backups)
    aside = backups.restore(path, at=at)
    replayed = spool.replay() if spool else 0
    return Restored(backup=path, aside=aside, replayed=replayed)


def reanchored(tools: Tools) -> int:
    """Note the end of the log of decisions as the restored store has it; how many decisions since are not in it."""
    reached = log.audit(tools).anchored
    head = tools.store.audit_head()
    log.anchor(tools, is_cut=True)
    return max(reached - head.seq, 0) if head else 0


def found(name: str, *, backups: Backups) -> str:
    """The path of the backup that a person means: `newest`, a name out of the list, or a path."""
    if name == NEWEST:
        newest = last(backups)
        if newest is None:
            raise BadValue("there is no backup yet", fix="`hindbrain backup` makes one")
        return newest.path
    known = {one.name: one.path for one in backups.all()}
    return known.get(name) or str(Path(name).expanduser())


def _backups(tools: Tools) -> Backups:
    if tools.backups is None:
        raise BadValue("backups are not made here", fix="open Hindbrain with open_hindbrain()")
    return tools.backups()
