"""What counts as healthy, and the command that mends what is not."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import PurePath

from hindbrain.app import errand
from hindbrain.app.spaces import Held, held
from hindbrain.core.address import is_server, shown
from hindbrain.core.model.backup import Backup
from hindbrain.core.value import dataclass
from hindbrain.errors import EmbedderMissing, StoreDamaged
from hindbrain.ports import Damage, Embedder, Store, Worker
from hindbrain.settings import Settings

_LONG_LOG = 64 * 1024 * 1024  # bytes; a log beyond it means that somebody has kept it from being emptied
_EMBED = "hindbrain worker --once, or --detach to keep the model warm"
_STALE = timedelta(days=3)  # a nightly backup that has not come for so long does not come at all
_PINGS = 3  # before a worker counts as one that does not answer
_SHARED = 0o077  # permissions of anybody but the owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    name: str
    is_ok: bool
    what: str
    fix: str = ""  # empty when there is nothing to do; what is healthy may have one, too


def doctor(
    *,
    is_repairing: bool = False,
    project: str,
    store: Store,
    settings: Settings,
    embedder: Embedder | None = None,
    worker: Worker | None = None,
) -> Sequence[Finding]:
    """Everything that was looked at, healthy or not. With `is_repairing`, the word index is built anew first."""
    if is_repairing:
        store.repair()
    vitals = store.vitals()
    return (
        _engine(vitals),
        *_modes(vitals),
        *_place(vitals),
        _writing(vitals),
        *_damage(store),
        _log(vitals),
        _lock(vitals, settings),
        _backups(vitals),
        _reviews(store, project),
        _model(embedder),
        *_vectors(vitals, embedder),
        *(() if embedder is None else (_worker(worker, settings),)),
    )


def _engine(vitals: Mapping[str, str]) -> Finding:
    is_safe = vitals["is_engine_safe"] == "yes"
    where = f", at {vitals['path']}" if is_server(vitals["path"]) else ""
    what = f"{vitals['engine']}, schema {vitals['schema']}{where}"
    if is_safe:
        return Finding(name="engine", is_ok=True, what=what)
    return Finding(
        name="engine",
        is_ok=False,
        what=f"{what}: it can corrupt a database that several processes write",
        fix="pip install --upgrade apsw",
    )


def _modes(vitals: Mapping[str, str]) -> Iterator[Finding]:
    path = vitals["path"]
    folder = str(PurePath(path).parent)
    for name, mode, wanted, place in (
        ("file", vitals["mode_file"], "600", path),
        ("folder", vitals["mode_folder"], "700", folder),
    ):
        if not mode:
            continue
        is_private = not int(mode, 8) & _SHARED
        what = f"{place} has mode {mode}" + ("" if is_private else ": other users of this machine can open it")
        fix = "" if is_private else f"chmod {wanted} {shlex.quote(place)}"
        yield Finding(name=name, is_ok=is_private, what=what, fix=fix)


def _place(vitals: Mapping[str, str]) -> Iterator[Finding]:
    if why := vitals["unfit"]:
        yield Finding(
            name="place",
            is_ok=False,
            what=f"{vitals['path']} is written more slowly and may be damaged: {why}",
            fix="set HINDBRAIN_HOME to a folder on a disk of this machine; to share, HINDBRAIN_STORE=postgresql://…",
        )


def _writing(vitals: Mapping[str, str]) -> Finding:
    if vitals["is_read_only"] != "yes":
        return Finding(name="writing", is_ok=True, what="the store can be written")
    return Finding(
        name="writing",
        is_ok=False,
        what=f"{vitals['path']} can be read but not written",
        fix="connect to the primary, with a role that owns the tables"
        if is_server(vitals["path"])
        else "make the folder writable, or set HINDBRAIN_HOME to one that is",
    )


def _damage(store: Store) -> Iterator[Finding]:
    try:
        found = store.damage()
    except StoreDamaged as error:  # too far gone to be read row by row
        found = (Damage(where="store", what=error.what, fix=error.fix),)
    if not found:
        yield Finding(name="rows", is_ok=True, what="every row has the hash it was written with, and its words")
    for damage in found:
        yield Finding(name="rows", is_ok=False, what=f"{damage.where}: {damage.what}", fix=damage.fix)


def _log(vitals: Mapping[str, str]) -> Finding:
    size, log = int(vitals["size_bytes"]), int(vitals["wal_bytes"])
    what = f"{_bytes(size)}, and {_bytes(log)} in the write-ahead log"
    if log <= _LONG_LOG:
        return Finding(name="size", is_ok=True, what=what)
    return Finding(
        name="size",
        is_ok=False,
        what=f"{what}: a program that reads has kept it from being emptied",
        fix="end programs that keep the store open, then run a command that writes",
    )


def _lock(vitals: Mapping[str, str], settings: Settings) -> Finding:
    holder = vitals["lock_holder"]
    what = f"written by {holder}; others wait up to {settings.lock_timeout_s:g}s" if holder else "nobody writes"
    return Finding(name="lock", is_ok=True, what=what)


def _backups(vitals: Mapping[str, str]) -> Finding:
    return Finding(name="backups", is_ok=True, what=f"{vitals['backups']} in the backups folder")


def age(last: Backup | None, *, now: datetime) -> Finding:
    """How old the last backup is. One that is old is an illness: whoever has one counts on it. To have none is a
    choice, with a word about it."""
    if last is None:
        return Finding(name="backup", is_ok=True, what="none was made yet", fix="hindbrain backup")
    past = max(now - last.at, timedelta(0))
    what = f"the last one was made {_ago(past)} ago"
    fix = "" if past <= _STALE else "hindbrain backup; hindbrain worker --detach makes one every night"
    return Finding(name="backup", is_ok=past <= _STALE, what=what, fix=fix)


def _ago(past: timedelta) -> str:
    if past < timedelta(hours=1):
        return f"{past // timedelta(minutes=1)} minutes"
    return f"{past // timedelta(hours=1)} hours" if past < timedelta(days=2) else f"{past.days} days"


def _reviews(store: Store, project: str) -> Finding:
    waiting = len(store.reviews(project))
    fix = "run `hindbrain review`" if waiting else ""
    return Finding(name="reviews", is_ok=True, what=f"{waiting} wait for a person", fix=fix)


def _model(embedder: Embedder | None) -> Finding:
    if embedder is None:
        return Finding(name="model", is_ok=True, what="switched off: recall goes by words")
    try:
        return Finding(name="model", is_ok=True, what=embedder.check())
    except EmbedderMissing as error:
        return Finding(name="model", is_ok=False, what=f"{error.what}: recall goes by words", fix=error.fix)


def _vectors(vitals: Mapping[str, str], embedder: Embedder | None) -> Iterator[Finding]:
    """What is due is no illness: a memory that was just kept is found by its words."""
    own = embedder.space.name if embedder else ""
    by_space = {one.space: one for one in held(vitals)}
    if embedder is not None:
        mine = by_space.get(own, Held(space=own, vectors=0, due=0))
        fix = _EMBED if mine.due else ""
        what = f"{mine.vectors:,} in the store; {_waiting(mine.due)}"
        yield Finding(name="vectors", is_ok=True, what=what, fix=fix)
    for other in by_space.values():
        if other.space != own:
            until = "until all are made anew" if embedder else "for when it is switched on again"
            what = f"{other.vectors:,} of {other.space}, kept {until}"
            yield Finding(name="vectors", is_ok=True, what=what, fix=_EMBED if embedder else "")


def _worker(worker: Worker | None, settings: Settings) -> Finding:
    told = _pinged(worker) if worker else None
    if worker is not None and told is None and worker.is_late:
        what = f"it did not answer {_PINGS} times within {settings.worker_deadline_s:g}s: recall goes by words"
        return Finding(name="worker", is_ok=False, what=what, fix="hindbrain worker --stop; then --detach")
    if told is None:
        what = "none runs: a question that needs the model has to start it"
        return Finding(name="worker", is_ok=True, what=what, fix="hindbrain worker --detach")
    if trouble := told.get("trouble"):
        what = f"process {told.get('pid')} is in trouble: {trouble}"
        return Finding(name="worker", is_ok=False, what=what, fix="hindbrain worker --stop; then --detach")
    store = told.get("store", own := shown(errand.place(settings)))
    if store != own:
        what = f"process {told.get('pid')} works for {store}, and not for {own}: what hooks hear goes there"
        return Finding(name="worker", is_ok=False, what=what, fix="hindbrain worker --stop; hooks start another")
    return Finding(name="worker", is_ok=True, what=f"process {told.get('pid')} keeps the model warm")


def _pinged(worker: Worker) -> Mapping[str, object] | None:
    """Again where it was late: it answers one after the other, and may have been at a long question."""
    for _ in range(_PINGS):
        told = worker.ask({"do": "ping"})
        if told is not None or not worker.is_late:
            return told
    return None


def _waiting(count: int) -> str:
    if not count:
        return "no memory waits for its own"
    return "1 memory waits for its own" if count == 1 else f"{count:,} memories wait for theirs"


def _bytes(count: int) -> str:
    return f"{count:,} bytes" if count < 10_000 else f"{count / 1_000_000:,.1f} MB"
