"""What Chorus has learned: a Markdown list by category for all agents, and one for each persona."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from hindbrain.core.heading import GIVEN, LEARNINGS, heading
from hindbrain.core.model.foreign import Fate, Item, Reading, Told, View
from hindbrain.core.model.memory import Memory, State
from hindbrain.core.shape import CATEGORIES
from hindbrain.core.value import dataclass, replace
from hindbrain.dialects.careful import moment_of, text_of

_FILE = "learnings.md"
_PERSONA = re.compile(r"(?:^|/)agents/(?P<persona>[^/]{1,100})/learnings\.md$")
_HEADING = re.compile(r"##[ \t]+(?P<name>.*?)[ \t]*$")
_POINT = re.compile(r"- (?:\[(?P<date>\d{4}-\d\d-\d\d)\] )?(?P<said>\S.*)$")
_STRUCK = re.compile(r"~~(?P<old>.+)~~ \(superseded by (?P<new>.+)\)$")
_SOURCE = re.compile(r"[ \t]+Source: (?P<task>[^\s(]+)(?: \((?P<date>[\d-]+)(?:, (?P<agent>[^)]+))?\))?[ \t]*$")
_SUPERSEDED = re.compile(r"[ \t]+Superseded: (?P<date>[\d-]+)(?: by (?P<task>\S+))?[ \t]*$")
_HISTORY = "<!-- Superseded learnings (kept for history)"
_END = "-->"
_NOBODY = "unknown"
_NOTE = "superseded_note"  # how the file names the newer learning, where it does so in its own words


class _Chorus:
    name = "chorus"

    def wants(self, path: str) -> bool:
        return path.endswith(f".chorus/{_FILE}") or path == _FILE or _PERSONA.search(path) is not None

    def read(self, tree: Mapping[str, bytes]) -> Reading:
        told: list[Told] = []
        items: list[Item] = []
        for path in sorted(tree):
            text, repair = text_of(tree[path])
            entries = list(_entries(text))
            found = [_told(entry, path=path) for entry in entries]
            told += _resolved(found, entries)
            for entry in entries:
                reason = "; ".join(filter(None, (repair, entry.fault)))
                fate = Fate.REPAIRED if reason else Fate.READ
                items.append(Item(where=f"{path}:{entry.line}", fate=fate, reason=reason))
        return Reading(told=tuple(told), items=tuple(items))

    def write(self, view: View) -> Mapping[str, bytes]:
        known = [memory for memory in view.memories if memory.kind in LEARNINGS and memory.state is not State.ARCHIVED]
        by_id = {memory.id: memory for memory in view.memories}
        shared = [memory for memory in known if memory.persona is None]
        tree = {f".chorus/{_FILE}": _document("# Project Learnings", shared, by_id=by_id, is_shared=True)}
        for persona in sorted({memory.persona for memory in known if memory.persona}):
            own = [memory for memory in known if memory.persona == persona]
            name = re.sub(r"[^\w.-]", "_", persona).lstrip(".") or _NOBODY
            title = f"# {name[:1].upper()}{name[1:]}'s Learnings"
            tree[f".chorus/agents/{name}/{_FILE}"] = _document(title, own, by_id=by_id, is_shared=False)
        return {path: _with_prose(text, view.present.get(path, b"")).encode() for path, text in tree.items()}


DIALECT = _Chorus()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One learning of a file, as it stands there."""

    line: int
    said: str
    category: str = ""
    date: str = ""
    task: str = ""
    agent: str = ""
    superseded_by: str = ""
    superseded_on: str = ""
    superseded_task: str = ""
    fault: str = ""


def _entries(text: str) -> Iterator[_Entry]:
    """Prose between the lists is a person's own and no learning."""
    entry: _Entry | None = None
    category, is_history = "", False
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if entry:
            if better := _with_line(entry, line):
                entry = better
                continue
            yield entry
            entry = None
        is_history = line.startswith(_HISTORY[:15]) or (is_history and line.strip() != _END)
        if heading := _HEADING.match(line):
            category = heading["name"]
        elif point := _POINT.match(line):
            entry = _Entry(line=number, said=point["said"].strip(), category=category, date=point["date"] or "")
            entry = _struck(entry, is_history=is_history)


def _struck(entry: _Entry, *, is_history: bool) -> _Entry:
    if struck := _STRUCK.match(entry.said):
        return replace(entry, said=struck["old"], superseded_by=struck["new"])
    return replace(entry, fault="among the superseded, without a word by what") if is_history else entry


def _with_line(entry: _Entry, line: str) -> _Entry | None:
    """The entry with a line that belongs to it; None for one that does not."""
    if source := _SOURCE.match(line):
        task = "" if source["task"] == _NOBODY else source["task"]
        return replace(entry, task=task, date=source["date"] or entry.date, agent=source["agent"] or "")
    if superseded := _SUPERSEDED.match(line):
        return replace(entry, superseded_on=superseded["date"], superseded_task=superseded["task"] or "")
    if line[:2] == "  " and line.strip():
        return replace(entry, said=f"{entry.said} {line.strip()}", fault="it ran over several lines")
    return None


def _told(entry: _Entry, *, path: str) -> Told:
    own = _PERSONA.search(path)
    body: dict[str, object] = {}
    if entry.superseded_by:
        body[_NOTE] = entry.superseded_by
        if entry.superseded_task:
            body["superseded_task"] = entry.superseded_task
    if entry.category and entry.category not in CATEGORIES:
        body[GIVEN] = entry.category
    return Told(
        where=f"{path}:{entry.line}",
        content=entry.said,
        category=entry.category or None,
        body=body,
        id=f"{own['persona'] if own else ''}#{entry.said}",
        persona=own["persona"] if own else None,
        instance=entry.agent,
        task=entry.task,
        learned_at=moment_of(entry.date),
        superseded_at=moment_of(entry.superseded_on),
    )


def _resolved(told: Sequence[Told], entries: Sequence[_Entry]) -> Iterator[Told]:
    """A superseded one names the newer in the newer's words, or in some of them."""
    for one, entry in zip(told, entries, strict=True):
        if not entry.superseded_by:
            yield one
            continue
        wanted = entry.superseded_by.strip('"').casefold()
        newer = [
            two.id
            for two, other in zip(told, entries, strict=True)
            if not other.superseded_by and other.said.casefold().startswith(wanted)
        ]
        yield replace(one, superseded_by=newer[0]) if newer else one


# ---- writing


def _document(title: str, memories: Sequence[Memory], *, by_id: Mapping[str, Memory], is_shared: bool) -> str:
    blocks = [title]
    groups: dict[str, list[Memory]] = {category: [] for category in CATEGORIES if is_shared}  # else as they came up
    for memory in memories:
        if memory.state is State.LIVE:
            groups.setdefault(heading(memory), []).append(memory)
    for category, found in groups.items():
        if found:
            blocks.append("\n".join((f"## {category}", *(_lines(memory, is_shared=is_shared) for memory in found))))
    old = [_history(memory, by_id) for memory in memories if memory.state is State.SUPERSEDED]
    if old:
        blocks.append("\n".join((_HISTORY, *old, _END)))
    return "\n\n".join(blocks) + "\n"


def _with_prose(text: str, present: bytes) -> str:
    """What a person wrote between the lists stays, below the title."""
    lines = text_of(present)[0].split("\n")
    own = {entry.line for entry in _entries("\n".join(lines))}
    prose = [line for number, line in enumerate(lines, start=1) if number not in own and _is_prose(line)]
    if not prose:
        return text
    title, _, rest = text.partition("\n")
    return "\n".join((title, "", *prose)) + f"\n{rest}"


def _is_prose(line: str) -> bool:
    marks = (_HISTORY[:15], _END, "# ", "## ", "  ")
    return bool(line.strip()) and not line.startswith(marks)


def _category(memory: Memory) -> str:
    given = memory.body.get("chorus_category")
    return given if isinstance(given, str) and given and not memory.category_is_fixed else memory.category


def _lines(memory: Memory, *, is_shared: bool) -> str:
    if is_shared:
        return f"- {_flat(memory.content)}\n{_source(memory)}"
    return f"- [{_date(memory.learned_at)}] {_flat(memory.content)}\n  Source: {_task(memory)}"


def _source(memory: Memory) -> str:
    return f"  Source: {_task(memory)} ({_date(memory.learned_at)}, {_agent(memory)})"


def _agent(memory: Memory) -> str:
    actor = memory.provenance.actor
    return _flat(actor.instance or actor.voice)


def _history(memory: Memory, by_id: Mapping[str, Memory]) -> str:
    newer = by_id.get(memory.superseded_by or "")
    note = memory.body.get(_NOTE) or (newer.content if newer else _NOBODY)
    task = memory.body.get("superseded_task") or (_task(newer) if newer else _NOBODY)
    first = f"- ~~{_flat(memory.content)}~~ (superseded by {_flat(str(note))})"
    return f"{first}\n{_source(memory)}\n  Superseded: {_date(memory.superseded_at)} by {_flat(str(task))}"


def _task(memory: Memory) -> str:
    return _flat(memory.provenance.task).replace(" ", "_") or _NOBODY


def _date(at: datetime | None) -> str:
    return f"{at.date()}" if at else _NOBODY


def _flat(text: str) -> str:
    return " ".join(text.replace("-->", "→").replace("<!--", "").split())
