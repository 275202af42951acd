"""When CONTINUITY.md is written, and what of the project's memory it refers to.

It is written only where the project follows Loki. A person may have it open: what they save is read again and kept,
however often they save.
"""

from collections.abc import Mapping, Sequence

from hindbrain.app.hand_out import names_of
from hindbrain.app.sync import following
from hindbrain.app.tools import Tools
from hindbrain.core import trust
from hindbrain.core.account import Account, account
from hindbrain.core.continuity import Working, has_content, joined, managed, renewed
from hindbrain.core.model import Kind, Memory
from hindbrain.core.model.activity import Activity
from hindbrain.core.model.job import Job
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue
from hindbrain.ports import Folders, Where

PATHS = (".loki/CONTINUITY.md", "CONTINUITY.md")  # the first that is there; else the first
_SETTLE_S = 2.0  # how long an editor may take to save into a file that was replaced under it
_MOST_ROUNDS = 5
_BASE = "CONTINUITY.md"
_BEFORE = "before.md"  # as it was before we first wrote into it
_LATE = "late.md"  # what was saved into it over and over, and could not be written back
_FEW = 5
_WARNING = (Kind.ANTI_PATTERN, Kind.SCAR)
_REFERRED = (Kind.PATTERN, Kind.EPISODE, Kind.SKILL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    path: str  # "" when nothing follows
    text: str
    is_written: bool = False
    is_busy: bool = False  # somebody kept saving it
    copy: str = ""  # where a text lies that is not in the file: below headings that are ours now, or saved too late


def working(project: str, *, session: str = "", tools: Tools) -> Working:
    """What the document says now: about the session, or the one that was heard of last."""
    log = _log(project, session, tools=tools)
    told = account(log)
    name = log[-1].session if log else session
    shown = _shown(project, name, tools=tools)
    warnings = [one for one in shown if _is_warning(one)]
    others = [one for one in shown if not _is_warning(one)]
    decided = [one for one in _select(project, tools, types=("decision",)) if name and one.provenance.session == name]
    listed = (*others[:_FEW], *decided[:_FEW])
    names = names_of(project, listed, dialect="loki", tools=tools)
    return Working(
        at=tools.clock.now(),
        current=_current(told, name),
        done=_done(told),
        blockers=told.failures[-_FEW:],
        next=[f"Test {path}" for path in told.untested[-2:]] + [f"Fix {one}" for one in told.failures[-1:]],
        decisions=[_reference(one, names) for one in decided[:_FEW]],
        memories=[_reference(one, names) for one in others[:_FEW]],
        mistakes=[one.title for one in warnings[:_FEW]],
    )


def continuity(project: str, *, root: str, session: str = "", tools: Tools) -> Renewed:
    """The document as it would be written now."""
    folder = following(project, tools=tools).get("loki", "") or root
    path = _path(folder, tools) if folder and tools.folders else PATHS[0]
    present = _load(f"{folder}/{path}", tools) if folder and tools.folders else None
    now = working(project, session=session, tools=tools)
    text = renewed(_text(present), now, base=_text(_load(f"{_home(project, tools)}/{_BASE}", tools)))
    return Renewed(path=f"{folder}/{path}" if folder else "", text=text)


def write_continuity(project: str, *, session: str = "", tools: Tools, settle_s: float = _SETTLE_S) -> Renewed:
    """Renew it on the disk, if the project follows Loki. What a person saves meanwhile goes in."""
    folder = following(project, tools=tools).get("loki", "")
    if not folder:
        return Renewed(path="", text="")
    folders, home = _folders(tools), _home(project, tools)
    path = _path(folder, tools)
    now = working(project, session=session, tools=tools)
    base = _text(_load(f"{home}/{_BASE}", tools))
    present = _load(f"{folder}/{path}", tools)
    copy = _set_aside(present, base, home=home, folders=folders)
    document = present
    for _ in range(_MOST_ROUNDS):
        text = renewed(_text(document), now, base=base)
        before = {path: present} if present is not None else {}
        content = text.encode("utf-8", "surrogateescape")
        written = folders.exchange({path: content}, folder, present=before, settle_s=settle_s)
        if not written.theirs:
            folders.save({_BASE: managed(now).encode()}, home)
            base = managed(now)
        present = _load(f"{folder}/{path}", tools)
        if not written.theirs and not written.late:
            return Renewed(path=f"{folder}/{path}", text=text, is_written=path in written.changed, copy=copy)
        document = _with_late(present, written.late.get(path), ours=content, base=base)
    if document != present and document is not None:  # somebody's text that the file does not have
        folders.save({_LATE: document}, home)
        copy = f"{home}/{_LATE}"
    return Renewed(path=f"{folder}/{path}", text=_text(present), is_busy=True, copy=copy)


def _with_late(present: bytes | None, late: bytes | None, *, ours: bytes, base: str) -> bytes | None:
    """What to go on from. Who saved late had the file before ours open; who saved over ours had not read that."""
    if late is None or present is None or present == ours:
        return present if late is None else late
    return joined(_text(present), _text(late), base=base).encode("utf-8", "surrogateescape")


def continuity_job(job: Job, tools: Tools) -> None:
    """The worker's handler for jobs of the kind `continuity`, one a turn: payload {session, project}."""
    project = str(job.payload.get("project") or job.project)
    write_continuity(project, session=str(job.payload.get("session") or ""), tools=tools)


def _set_aside(present: bytes | None, base: str, *, home: str, folders: Folders) -> str:
    """Keep the file as it was before the first time, when somebody wrote below headings that are ours now."""
    if base or present is None or not has_content(_text(present)):
        return ""
    folders.save({_BEFORE: present}, home)
    return f"{home}/{_BEFORE}"


def _log(project: str, session: str, *, tools: Tools) -> Sequence[Activity]:
    if session:
        return tools.store.activities(project, session=session)
    log = tools.store.activities(project)
    return [one for one in log if one.session == log[-1].session] if log else ()


def _current(told: Account, session: str) -> list[str]:
    pairs = {"Working on": told.goal, "Task": told.task, "Hat": told.hat, "Session": session}
    gates = ", ".join(f"{name} {result}" for name, result in told.gates)
    return [f"{name}: {value}" for name, value in (*pairs.items(), ("Checks", gates)) if value]


def _done(told: Account) -> list[str]:
    lines = [*told.completed[-2:], f"Last commit: {told.commit}" if told.commit else ""]
    files = ", ".join(told.edited[-_FEW:])
    return [line for line in (*lines, f"Files changed: {files}" if files else "") if line]


def _shown(project: str, session: str, *, tools: Tools) -> list[Memory]:
    """What the session was shown, the last first; then what is most certain."""
    told = tools.store.told(project, session=session) if session else ()
    ids = [one.memory_id for injection in reversed(told) if not injection.is_withheld for one in injection.shown]
    known = tools.store.memories(list(dict.fromkeys(ids))[: 4 * _FEW])
    first = [known[key] for key in dict.fromkeys(ids) if key in known and known[key].state == "live"]
    more = _select(project, tools, kinds=(*_REFERRED, *_WARNING))
    return list({one.id: one for one in (*first, *more) if one.trust >= trust.INJECTED_FROM}.values())


def _select(project: str, tools: Tools, **narrow: tuple[object, ...]) -> Sequence[Memory]:
    where = Where(project=project, with_everywhere=False, min_trust=trust.INJECTED_FROM)
    return tools.store.select(replace(where, **narrow), limit=4 * _FEW)  # type: ignore[arg-type]


def _is_warning(memory: Memory) -> bool:
    return memory.kind in _WARNING or memory.type == "pitfall"


def _reference(memory: Memory, names: Mapping[str, str]) -> str:
    """By what `hindbrain show` finds it (LK-131, LK-133)."""
    name = names.get(memory.id, memory.id)
    return f"[skill: {name}] {memory.title}" if memory.kind is Kind.SKILL else f"[{name}] {memory.title}"


def _home(project: str, tools: Tools) -> str:
    return f"{tools.settings.home}/sync/{project}/continuity"


def _folders(tools: Tools) -> Folders:
    if tools.folders is None:
        raise BadValue("files are not read or written here", fix="open Hindbrain with open_hindbrain()")
    return tools.folders


def _path(folder: str, tools: Tools) -> str:
    return next((path for path in PATHS if _folders(tools).is_there(f"{folder}/{path}")), PATHS[0])


def _load(path: str, tools: Tools) -> bytes | None:
    """One file; its folder is not walked."""
    folders = tools.folders
    if folders is None or not folders.is_there(path):
        return None
    return next(iter(folders.load(path, wants=lambda _: True).values()))


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "surrogateescape")
