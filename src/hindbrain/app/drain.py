"""When what hooks were told becomes part of the store: many records in one transaction, each exactly once.

How far a file of the spool was read stands in the store, written in the transaction that writes what was read. So
whoever goes on after a crash goes on behind the last record that had an effect. A worker that was stopped, and finds on
waking that another one has read on, writes nothing.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from hindbrain.app import later
from hindbrain.app.ending import completed
from hindbrain.app.observe import observed
from hindbrain.app.projects import adopted
from hindbrain.app.tasks import TASK_COMPLETED, queued
from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.hooks.clients import notice
from hindbrain.core.model.moment import stamp
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import (
    Conflict,
    DiskFailed,
    DiskFull,
    HindbrainError,
    ReadOnly,
    StoreLocked,
    StoreUnreachable,
)
from hindbrain.ports import PROMISES, Changes, Record, Spoiled, Spool, Transaction

Attempt = Callable[[Callable[[], None]], str]  # runs it, and outlives it: what went wrong, "" for nothing

_BATCH, _BATCH_BYTES = 500, 4_000_000  # records, and bytes of them, that are written together
_ASIDE = 20_000  # characters kept of a line that nobody could read
_PASSING = (StoreLocked, StoreUnreachable, DiskFull, DiskFailed, ReadOnly)  # no record's fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    records: int = 0
    spoiled: int = 0  # lines that nobody could read
    queued: int = 0  # jobs


def drain(spool: Spool, *, tools: Tools, attempt: Attempt, is_over: Callable[[], bool] = lambda: False) -> Drained:
    """Take up all that hooks have left, until nothing is or `is_over`. Records that cannot be taken up are set aside:
    one of them does not stand in the way of the rest."""
    kept = {f"spool/{name}" for name in spool.kept()}
    if not tools.store.cursors("spool/").keys() - kept and spool.vitals()["waiting_bytes"] == "0":
        return Drained()
    names = spool.claim()
    _begin((*names, *spool.kept()), tools)
    sums: Counter[str] = Counter()
    known: dict[str, str] = {}
    finished: list[str] = []
    for name in names:
        at = int(tools.store.cursor(f"spool/{name}"))
        for batch in _batches(spool.records(name, after=at)):
            if is_over():
                return Drained(**sums)
            sums += _Batch(name, after=at, spool=spool, tools=tools, attempt=attempt, known=known).taken(batch)
            at = batch[-1].end
        finished += [name] * spool.finish(name, at=at)
    _begin([*(name for name in names if name not in finished), *spool.kept()], tools)
    return Drained(**sums)


def _begin(names: Iterable[str], tools: Tools) -> None:
    """A cursor for each file that has none yet; none for a file that is gone. A file that is read has one, so that
    nobody can mistake one that was read to its end for one that nobody has begun; so has one that is put by, so that
    a restored store knows what it has heard of it."""
    known = tools.store.cursors("spool/")
    wanted = {f"spool/{name}" for name in names}
    moved = {name: "" for name in known if name not in wanted} | {name: "0" for name in wanted if name not in known}
    if moved:
        # A power cut may undo it, together with all that was read since: then the file is there, and begun anew.
        tools.store.write(lambda tx: tx.apply(Changes(cursors=moved)), is_durable=False)


def _batches(lines: Iterator[Record | Spoiled]) -> Iterator[list[Record | Spoiled]]:
    batch: list[Record | Spoiled] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line.payload if isinstance(line, Record) else line.line)
        if len(batch) >= _BATCH or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Batch:
    """What is written together."""

    def __init__(
        self, name: str, *, after: int, spool: Spool, tools: Tools, attempt: Attempt, known: dict[str, str]
    ) -> None:
        self._name = name
        self._after = after
        self._spool = spool
        self._tools = tools
        self._attempt = attempt
        self._known = known  # folder -> id of its project

    def taken(self, batch: list[Record | Spoiled]) -> Counter[str]:
        heard: list[Changes] = []
        spoiled: list[bytes] = []
        trouble = ""
        stopped: list[HindbrainError] = []

        def hear(record: Record) -> None:
            try:
                heard.append(self._heard(record))
            except _PASSING as error:
                stopped.append(error)
                raise

        for line in batch:
            if isinstance(line, Spoiled):
                spoiled.append(line.line)
                continue
            spoiled += [line.lost] if line.lost.strip() else []
            failed = self._attempt(lambda line=line: hear(line))  # type: ignore[misc]
            if stopped:  # it is the store that fails and not the record: all of them wait
                raise stopped[0]
            if failed:
                spoiled.append(line.payload)
                trouble = failed
        changes = _joined(heard)
        for raw in spoiled:  # before anything says that they were read
            self._spool.set_aside(admit(raw[:_ASIDE].decode("utf-8", "replace")).text)
        self._tools.store.write(
            lambda tx: self._write(tx, changes, end=batch[-1].end, spoiled=len(spoiled), why=trouble)
        )
        return Counter(records=len(batch) - len(spoiled), spoiled=len(spoiled), queued=len(changes.jobs))

    def _heard(self, record: Record) -> Changes:
        """What one record brings about. ValueError for a payload that is no JSON object: it is set aside."""
        payload = json.loads(record.payload)
        if not isinstance(payload, dict):
            raise ValueError("the payload is not an object")
        if record.client == PROMISES:
            return later.queued(payload, at=record.at, tools=self._tools)
        if payload.get("hook_event_name") == TASK_COMPLETED:
            return queued(payload, at=record.at, tools=self._tools)
        known = notice(record.client, payload, at=record.at)
        if known is None:
            return Changes()
        seen = {f"client/{known.client}": f"{stamp(known.at)} {known.happening}"}
        if not known.cwd:
            return Changes(cursors=seen)
        if known.cwd not in self._known:
            self._known[known.cwd] = adopted(known.cwd, tools=self._tools)
        known = completed(known, files=self._tools.files)
        activities, jobs = observed(known, project=self._known[known.cwd], tools=self._tools)
        return Changes(activities=activities, jobs=jobs, cursors=seen)

    def _write(self, tx: Transaction, changes: Changes, *, end: int, spoiled: int, why: str) -> None:
        place = f"spool/{self._name}"
        if tx.cursor(place) != str(self._after):
            raise Conflict(f"{self._name} was read on by another worker", fix="nothing: the other one does it")
        moved = {place: str(end)}
        if spoiled:
            before = tx.cursor("trouble/spool").partition(" ")[0]
            count = (int(before) if before.isdigit() else 0) + spoiled
            said = admit(why).text or "cut short, or changed on the disk"
            moved["trouble/spool"] = f"{count} {stamp(self._tools.clock.now())} {said}"
        tx.apply(replace(changes, cursors={**changes.cursors, **moved}))


def _joined(parts: list[Changes]) -> Changes:
    cursors: Mapping[str, str] = {name: value for part in parts for name, value in part.cursors.items()}
    return Changes(
        activities=tuple(one for part in parts for one in part.activities),
        jobs=tuple(one for part in parts for one in part.jobs),
        events=tuple(one for part in parts for one in part.events),
        cursors=cursors,
    )
