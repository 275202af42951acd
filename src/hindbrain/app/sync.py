"""Files that follow the memories, where a person wants them to: what was changed in them by hand comes in first."""

from collections.abc import Mapping, Sequence

from hindbrain.app.adopt import taken_in
from hindbrain.app.archive import delete, restore
from hindbrain.app.edit import edit
from hindbrain.app.hand_out import hand_out
from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.model import Memory, State
from hindbrain.core.model.foreign import Reading, Told
from hindbrain.core.sync import Edits, edits
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Dialect, Folders, Where, Written

WRITABLE = ("beads", "chorus", "claude", "loki")
_MOST_ROUNDS = 5  # a person who saves more often than that is asked to stop for a moment
_MOST_LOOKS, _STILL_S = 20, 0.05  # for a file to stand still
_BY_HAND = "removed by hand from"  # how the reason of an archival begins that a file's reader caused
_KEPT = frozenset({State.LIVE, State.SUPERSEDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    dialect: str
    folder: str
    written: tuple[str, ...] = ()
    added: int = 0  # by hand, and now memories
    reworded: int = 0
    removed: int = 0  # by hand, and now archived
    withheld: tuple[str, ...] = ()  # files that would have held a secret
    busy: tuple[str, ...] = ()  # files that somebody else kept saving


def follow(dialect: str, folder: str, *, project: str, tools: Tools, has_scripts: bool = False) -> None:
    """From now on `sync` keeps that dialect's files below `folder`; also its scripts, if `has_scripts`."""
    if dialect not in WRITABLE:
        raise BadValue(f"{dialect!r} cannot follow", fix=f"use one of: {', '.join(WRITABLE)}")
    cursors = {_name(project, dialect): folder, _scripts(project, dialect): "yes" if has_scripts else ""}
    tools.store.write(lambda tx: tx.apply(Changes(cursors=cursors)))


def unfollow(dialect: str, *, project: str, tools: Tools) -> bool:
    """No longer; the files stay as they are. False when it did not follow."""
    if not tools.store.cursor(_name(project, dialect)):
        return False
    tools.store.write(lambda tx: tx.apply(Changes(cursors={_name(project, dialect): ""})))
    return True


def following(project: str, *, tools: Tools) -> Mapping[str, str]:
    """Which dialects follow, and where."""
    start = _name(project, "")
    return {name.removeprefix(start): folder for name, folder in tools.store.cursors(start).items()}


def sync(project: str, *, name: str, tools: Tools, settle_s: float = 0.0) -> tuple[Synced, ...]:
    """Take in what was changed by hand, then write what is known; for all that follow."""
    return tuple(
        _Follower(dialect=_spoken(dialect, tools), folder=folder, project=project, name=name, tools=tools).round(
            settle_s
        )
        for dialect, folder in following(project, tools=tools).items()
    )


def astray(project: str, *, name: str, tools: Tools) -> tuple[str, ...]:
    """Files that follow and are not as they were last written: gone, or changed by hand since."""
    return tuple(
        path
        for dialect, folder in following(project, tools=tools).items()
        for path in _Follower(
            dialect=_spoken(dialect, tools), folder=folder, project=project, name=name, tools=tools
        ).astray()
    )


def _name(project: str, dialect: str) -> str:
    return f"sync/{project}/{dialect}"


def _scripts(project: str, dialect: str) -> str:
    return f"sync-scripts/{project}/{dialect}"


def _spoken(dialect: str, tools: Tools) -> Dialect:
    if tools.dialect is None:
        raise BadValue("files are not read or written here", fix="open Hindbrain with open_hindbrain()")
    return tools.dialect(dialect)


def _folders(tools: Tools) -> Folders:
    if tools.folders is None:
        raise BadValue("files are not read or written here", fix="open Hindbrain with open_hindbrain()")
    return tools.folders


@dataclass(frozen=True, slots=True, kw_only=True)
class _Follower:
    """One dialect's files of one project."""

    dialect: Dialect
    folder: str
    project: str
    name: str
    tools: Tools

    def round(self, settle_s: float) -> Synced:
        """As often as somebody else saves a file in between."""
        report = Synced(dialect=self.dialect.name, folder=self.folder)
        for _ in range(_MOST_ROUNDS):
            base = self._load(self._home)
            present, found = self._steady(base)
            report = self._taken_in(found, report)
            self._file(base, present)
            tree, withheld = self._tree(present)
            written = _folders(self.tools).exchange(tree, self.folder, present=present, settle_s=settle_s)
            self._remember(tree, written)
            report = _told(report, written, withheld=withheld)
            for path, late in written.late.items():  # an editor had the old file open, and has saved into it
                before = {path: present[path]} if path in present else {}
                report = self._taken_in(replace(self._edits(before, {path: late}), removed=()), report)
            if not written.theirs and not written.late:
                return replace(report, busy=())
        return report

    def astray(self) -> Sequence[str]:
        base = self._load(self._home)
        present = self._load(self.folder)
        return [f"{self.folder}/{path}" for path, content in base.items() if present.get(path) != content]

    @property
    def _home(self) -> str:
        return f"{self.tools.settings.home}/sync/{self.project}/{self.dialect.name}"

    def _load(self, folder: str) -> Mapping[str, bytes]:
        folders = _folders(self.tools)
        return folders.load(folder, wants=self.dialect.wants) if folders.is_there(folder) else {}

    def _steady(self, base: Mapping[str, bytes]) -> tuple[Mapping[str, bytes], Edits]:
        """The files and what was changed in them. What changed may be what somebody is just writing: it is believed
        once it stands still."""
        present = self._load(self.folder)
        found = self._edits(base, present)
        for _ in range(_MOST_LOOKS):
            if found == Edits():
                break
            _folders(self.tools).wait(_STILL_S)
            before, present = present, self._load(self.folder)
            found = self._edits(base, present)
            if before == present:
                break
        return present, found

    def _edits(self, base: Mapping[str, bytes], present: Mapping[str, bytes]) -> Edits:
        if base == present:
            return Edits()
        written = {path: content for path, content in present.items() if base or content}
        gone = [path for path in base if path not in present]  # whoever deletes a file does not forget what it said
        known = {path: content for path, content in base.items() if path not in gone}
        return edits(self.dialect.read(known).told, self.dialect.read(written).told)

    def _taken_in(self, found: Edits, report: Synced) -> Synced:
        fresh = tuple(told for told in found.added if not self._returned(told))
        added = len(found.added) - len(fresh)
        if fresh:
            reading = Reading(told=fresh, items=())
            taken = taken_in(reading, dialect=self.dialect.name, project=self.project, tools=self.tools)
            added += sum(not receipt.is_replay for receipt in taken.receipts)
        reworded = sum(self._reword(before, after) for before, after in found.reworded)
        removed = sum(map(self._remove, found.removed))
        return replace(
            report,
            added=report.added + added,
            reworded=report.reworded + reworded,
            removed=report.removed + removed,
        )

    def _file(self, base: Mapping[str, bytes], present: Mapping[str, bytes]) -> None:
        """Ledgers and handoffs that the other system has written since."""
        changed = {path: content for path, content in present.items() if base.get(path) != content}
        if changed and (papers := self.dialect.read(changed).papers):
            filed = Reading(told=(), items=(), papers=papers)
            taken_in(filed, dialect=self.dialect.name, project=self.project, tools=self.tools)

    def _reword(self, before: Told, after: Told) -> bool:
        memory = self._memory(before)
        if memory is None or memory.state is not State.LIVE:
            return False
        edit(memory.id, {"content": after.content}, store=self.tools.store, clock=self.tools.clock)
        return True

    def _remove(self, told: Told) -> bool:
        memory = self._memory(told)
        if memory is None:
            return False
        reason = f"{_BY_HAND} {told.where.partition(':')[0]}"
        delete(memory.id, reason=reason, store=self.tools.store, clock=self.tools.clock)
        return True

    def _returned(self, told: Told) -> bool:
        """Whether a line that had been removed stands there again: then so does its memory."""
        gone = self._memory(told, states=frozenset({State.ARCHIVED}))
        if gone is None or not gone.archive_reason.startswith(_BY_HAND) or self._memory(told):
            return False
        restore(gone.id, store=self.tools.store, clock=self.tools.clock)
        return True

    def _memory(self, told: Told, *, states: frozenset[State] = _KEPT) -> Memory | None:
        """The memory that a line was written from."""
        wanted = " ".join(told.content.split())
        where = Where(project=self.project, with_everywhere=False, states=states)
        found = (one for one in self.tools.store.select(where) if " ".join(one.content.split()) == wanted)
        return next((one for one in found if (one.persona or "") == (told.persona or "")), None)

    def _tree(self, present: Mapping[str, bytes]) -> tuple[dict[str, bytes], tuple[str, ...]]:
        """The files, without those in which the door finds a secret (X-38)."""
        tree = hand_out(
            dialect=self.dialect,
            project=self.project,
            name=self.name,
            tools=self.tools,
            present=present,
            has_scripts=bool(self.tools.store.cursor(_scripts(self.project, self.dialect.name))),
        )
        withheld = tuple(path for path, content in tree.items() if _is_secret(content))
        return {path: content for path, content in tree.items() if path not in withheld}, withheld

    def _remember(self, tree: Mapping[str, bytes], written: Written) -> None:
        base = {path: content for path, content in tree.items() if path not in written.theirs}
        _folders(self.tools).save(base, self._home)


def _is_secret(content: bytes) -> bool:
    return any(finding.family == "secret" for finding in admit(content.decode("utf-8", "replace")).findings)


def _told(report: Synced, written: Written, *, withheld: tuple[str, ...]) -> Synced:
    changed = tuple(dict.fromkeys((*report.written, *written.changed)))
    return replace(report, written=changed, busy=written.theirs, withheld=withheld)
