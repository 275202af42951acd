"""Which files every session is told of: those of a repository once a person has read them.

Whoever can commit to a repository could otherwise speak to every agent that works in it. Approval is given to bytes,
not to names: a file that changes must be approved again.
"""

import os
from collections.abc import Callable, Mapping, Sequence

from hindbrain.app.shelf import Filed, Indexed, Shelf, cards, folders_of, index, put_away
from hindbrain.app.tools import Tools
from hindbrain.core import reflex, trust
from hindbrain.core.digest import sha256
from hindbrain.core.model import Actor, ActorType, Event, Kind, Memory, State
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes

_SOURCE = "memory"  # DOC-05's name for it (HB-053)
ROOTS = "reflex/root/"  # cursors: where the code of a project was last seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Hurry:
    """For one whom somebody waits for."""

    most: int  # files that are read
    patience_s: float  # with other writers


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file of the folder, as it stands in the index."""

    name: str
    title: str
    sort: str  # feedback, user, project, reference; "": it does not say
    memory_id: str
    is_told: bool  # to every session
    is_approved: bool  # by a person
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflexes:
    folder: str
    entries: tuple[Entry, ...]

    @property
    def waiting(self) -> tuple[Entry, ...]:
        """Those that no session is told of until a person approves them."""
        return tuple(entry for entry in self.entries if not entry.is_told)


def folder_of(root: str | None, *, tools: Tools) -> str:
    """Where the files are; "" when there can be none."""
    wanted = os.path.expanduser(tools.settings.reflex_folder) or "memory"
    if os.path.isabs(wanted):
        return wanted
    return os.path.join(root, wanted) if root else ""


def sync(
    project: str,
    root: str | None,
    *,
    tools: Tools,
    is_all: bool = False,
    hurry: Hurry | None = None,
) -> Indexed:
    """Take in what changed in the folder. Without one there is nothing to tell, and what was told is put away."""
    folder = folder_of(root, tools=tools)
    if not folder or not project:
        return Indexed(files=0)
    if root and tools.store.cursor(f"{ROOTS}{project}") != root:
        patience_s = hurry.patience_s if hurry else None
        tools.store.write(lambda tx: tx.apply(Changes(cursors={f"{ROOTS}{project}": root})), patience_s=patience_s)
    if not folders_of(tools).is_there(folder):
        return put_away(shelf_of(project, root, tools=tools), tools=tools)
    shelf = shelf_of(project, root, tools=tools)
    if hurry:
        shelf = replace(shelf, patience_s=hurry.patience_s)
    return index(shelf, tools=tools, is_all=is_all, most=hurry.most if hurry else 0)


def listed(project: str, root: str | None, *, tools: Tools) -> Reflexes:
    """What the folder holds, as it was last taken in, sorted by name."""
    folder = folder_of(root, tools=tools)
    if not folder:
        return Reflexes(folder="", entries=())
    shelf = shelf_of(project, root, tools=tools)
    known = cards(shelf, tools=tools)
    memories = tools.store.memories([card.memory_id for card in known.values()])
    entries = [
        _entry(path, memories[card.memory_id]) for path, card in sorted(known.items()) if card.memory_id in memories
    ]
    return Reflexes(folder=folder, entries=tuple(entries))


def approve(names: Sequence[str], project: str, *, root: str | None, tools: Tools, by: str = "") -> tuple[str, ...]:
    """A person has read these files, all of them when none is named; from now on every session is told of them."""
    folder = folder_of(root, tools=tools)
    if not folder or not folders_of(tools).is_there(folder):
        raise BadValue("this project has no reflex folder", fix="make a folder `memory` at its top, or set one")
    present = folders_of(tools).seen(folder, wants=reflex.wants)
    if unknown := [name for name in names if name not in present]:
        raise BadValue(f"{folder} has no file {unknown[0]}", fix="`hindbrain reflex` lists them")
    at = tools.clock.now()
    wanted = list(names or present)
    contents = {name: folders_of(tools).content(folder, name) for name in wanted}
    digests = {name: sha256(content) for name, content in contents.items() if content is not None}
    data = {"files": digests, "by": by}
    event = Event(name="reflex_approved", at=at, project=project, data=data)
    marks = approvals(project, {name: content for name, content in contents.items() if content is not None})
    person = Actor(type=ActorType.HUMAN, persona=by)
    tools.store.write(lambda tx: tx.apply(Changes(cursors=marks, events=(event,), by=person)))
    sync(project, root, tools=tools, is_all=True)
    return tuple(digests)


def approvals(project: str, contents: Mapping[str, bytes]) -> dict[str, str]:
    """The cursors that say that a person has approved files with these contents, which are by their names."""
    return {_approval(project, sha256(content)): name for name, content in contents.items() if reflex.wants(name)}


def master_index(project: str, root: str | None, *, tools: Tools, is_written: bool = False) -> str:
    """A line for each file. Written into the folder only on a person's order: agents have no business there."""
    folder = folder_of(root, tools=tools)
    if not folder:
        raise BadValue("this project has no reflex folder", fix="run it in the project's folder")
    folders = folders_of(tools)
    if not folders.is_there(folder):
        raise BadValue(f"there is no folder {folder}", fix="make it, and put a file into it")
    present = (folders.content(folder, reflex.INDEX) or b"").decode("utf-8", "replace")
    names = folders.seen(folder, wants=reflex.wants)
    files = {name: folders.content(folder, name) or b"" for name in names}
    text = reflex.index_of([reflex.read(name, _text(content)) for name, content in files.items()], present)
    if is_written:
        folders.save({reflex.INDEX: text.encode()}, folder)
    return text


def shelf_of(project: str, root: str | None, *, tools: Tools) -> Shelf:
    folder = folder_of(root, tools=tools)
    return Shelf(
        name="reflex",
        folder=folder,
        project=project,
        kind=Kind.REFLEX,
        wants=reflex.wants,
        read=_reader(project, is_shared=bool(root) and _is_below(folder, str(root)), tools=tools),
    )


def _reader(project: str, *, is_shared: bool, tools: Tools) -> Callable[[str, bytes], Filed]:
    """Files of the repository are worth nothing until they are approved; a folder that only the user has, as much as
    what an agent says."""

    def filed(name: str, content: bytes) -> Filed:
        found = reflex.read(name, _text(content))
        is_approved = bool(tools.store.cursor(_approval(project, sha256(content))))
        body: dict[str, object] = {
            "description": found.title,
            "sort": found.sort,
            "links": list(found.links),
            "is_approved": is_approved,
            **({"fault": found.fault} if found.fault else {}),
        }
        return Filed(
            title=found.title,
            text=found.text,
            source=_SOURCE,
            type=reflex.TYPES.get(found.sort, "learned"),
            body=body,
            is_human=is_approved,
            trust=None if is_approved else trust.QUARANTINED if is_shared else trust.AGENT,
        )

    return filed


def _entry(name: str, memory: Memory) -> Entry:
    return Entry(
        name=name,
        title=memory.title,
        sort=str(memory.body.get("sort", "")),
        memory_id=memory.id,
        is_told=memory.state is State.LIVE and memory.trust >= trust.INJECTED_FROM,
        is_approved=bool(memory.body.get("is_approved")),
        fault=str(memory.body.get("fault", "")),
    )


def _approval(project: str, digest: str) -> str:
    return f"reflex/approved/{project}/{digest}"


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")


def _is_below(folder: str, root: str) -> bool:
    return os.path.realpath(folder).startswith(os.path.join(os.path.realpath(root), ""))
