"""Where everything stands in Loki's folder `.loki/memory`, beside CONTINUITY.md and the figures of `.loki/metrics`.

Episodes, patterns, anti-patterns and skills are what they are here. Facts and lessons share facts.json; a lesson says
so in `kind` and `type`. Scars, reflexes, notes and iterations have no place. What is archived stands in the same form
below `archive/`, where Loki does not look.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hindbrain.core.model.actor import Source
from hindbrain.core.model.foreign import Fate, Item, Reading, Told, View
from hindbrain.core.model.link import Link, Relation
from hindbrain.core.model.memory import Kind, Memory, State
from hindbrain.core.model.paper import Paper, Sort
from hindbrain.core.naming import names
from hindbrain.core.value import replace
from hindbrain.dialects.careful import json_of, text_of
from hindbrain.dialects.loki import margin, metrics, paper, record, skill
from hindbrain.dialects.loki.margin import Found, found_in

FOLDER = ".loki/memory/"
_ARCHIVE = "archive/"
_VERSION = "1.1.0"  # of index.json, as Loki writes it
_SEMANTIC = {
    "patterns": ("semantic/patterns.json", "patterns"),
    "anti_patterns": ("semantic/anti-patterns.json", "anti_patterns"),
    "facts": ("semantic/facts.json", "facts"),
}
_FILES = {
    "patterns.json": Kind.PATTERN,
    "anti-patterns.json": Kind.ANTI_PATTERN,
    "anti_patterns.json": Kind.ANTI_PATTERN,
    "facts.json": Kind.FACT,
}
_LISTED = {"facts": Kind.FACT, "patterns": Kind.PATTERN, "episodes": Kind.EPISODE}  # others are anti-patterns
_PARTS = ("episodic", "semantic", "skills", "learnings", "ledgers", "handoffs", "signals")
_INDEXES = ("index.json", "timeline.json")
_EPISODE_ID = re.compile(r"ep-(\d{4}-\d\d-\d\d)-(\d+)")


class _Loki:
    name = "loki"

    def wants(self, path: str) -> bool:
        *folders, name = path.split("/")
        if _is_continuity(name):
            return True
        is_part = any(part in folders for part in _PARTS) and name.endswith((".json", ".md"))
        return is_part or bool(metrics.place_of(path)) or (name in _INDEXES and folders[-1:] in ([], ["memory"]))

    def read(self, tree: Mapping[str, bytes]) -> Reading:
        inside = [path for path in sorted(tree) if ".loki/" in f"/{path}"]
        beside = [path for path in sorted(tree) if ".loki/" not in f"/{path}" and _is_continuity(path)]
        own = [*inside, *beside] if inside else sorted(tree)
        files = _Files(tree)
        told: list[Told] = []
        items: list[Item] = []
        for path in own:
            for item, one in files.found(path):
                items.append(item)
                told += [one] if one else []
        return Reading(told=tuple(_tied(told, files.links)), items=tuple(items), papers=files.papers)

    def write(self, view: View) -> Mapping[str, bytes]:
        return _Tree(view).files()


DIALECT = _Loki()


def _is_continuity(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith("CONTINUITY") and name.endswith(".md")


class _Files:
    """One reading: what links.json says is only known once all is read."""

    def __init__(self, tree: Mapping[str, bytes]) -> None:
        self._tree = tree
        self.links: list[tuple[str, Relation, str]] = []
        self.papers: dict[str, Paper] = {}

    def found(self, path: str) -> Iterator[Found]:
        """Each thing in the file, once."""
        text, repair = text_of(self._tree[path])
        for item, told in self._document(path, text) if path.endswith(".md") else self._data(path, text):
            is_fixed = repair and item.fate is Fate.READ
            yield (replace(item, fate=Fate.REPAIRED, reason=repair) if is_fixed else item), told

    def _document(self, path: str, text: str) -> Iterator[Found]:
        folders, stem = path.split("/")[:-1], _stem(path)
        if "skills" in folders:
            yield _skill(path, text, stem=stem)
        elif "handoffs" in folders:
            yield self._handed(path, text, stem=stem), None
        else:
            yield from margin.continuity(path, text)

    def _handed(self, path: str, text: str, *, stem: str) -> Item:
        beside = path.removesuffix(".md") + ".json"
        if beside in self._tree and json_of(text_of(self._tree[beside])[0])[1] == "":
            return Item(where=path, fate=Fate.READ, reason=f"the same handoff as {beside}")
        if not text.strip():
            return Item(where=path, fate=Fate.REJECTED, reason="it is empty")
        self.papers[path] = paper.document(text, stem=stem)
        return Item(where=path, fate=Fate.READ)

    def _data(self, path: str, text: str) -> Iterator[Found]:
        value, fault = json_of(text)
        if fault or not isinstance(value, dict | list):
            yield Item(where=path, fate=Fate.REJECTED, reason=fault or "no object"), None
            return
        if place := metrics.place_of(path):
            yield self._counted(path, value, place=place), None
        else:
            yield from self._sorted(path, value)

    def _counted(self, path: str, value: Any, *, place: str) -> Item:
        figures = metrics.figures(value, place=place)
        if figures is None:
            return Item(where=path, fate=Fate.READ, reason=metrics.MADE_ANEW)
        self.papers[path] = figures
        return Item(where=path, fate=Fate.READ)

    def _sorted(self, path: str, value: Any) -> Iterator[Found]:
        """By the folder that it is in; a file on its own, by what it holds."""
        folders, name = path.split("/")[:-1], path.rpartition("/")[2]
        if name in _INDEXES or (_is_map(value) and "rarv_cycles" in value):
            return margin.timeline(path, value if _is_map(value) else {})
        if name == "links.json":
            return self._linked(path, value)
        if name in _FILES or "learnings" in folders or _list_in(value):
            return _elements(path, value, is_archived="archive" in folders)
        return iter((self._single(path, value),))

    def _single(self, path: str, value: Any) -> Found:
        folders = path.split("/")[:-1]
        if "signals" in folders and _is_map(value):
            return margin.signal(path, value)
        if _is_map(value) and (written := self._paper(path, value)):
            return written, None
        return found_in(value, Kind.EPISODE, where=path, is_archived="archive" in folders)

    def _paper(self, path: str, value: dict[str, Any]) -> Item | None:
        folders, stem = path.split("/")[:-1], _stem(path)
        if "ledgers" in folders or "agent_id" in value:
            self.papers[path], odd = paper.ledger(value, stem=stem)
        elif "handoffs" in folders or "from_agent" in value:
            beside = path.removesuffix(".json") + ".md"
            notes = paper.notes_of(text_of(self._tree[beside])[0]) if beside in self._tree else ""
            self.papers[path], odd = paper.handoff(value, stem=stem, notes=notes)
        else:
            return None
        return Item(where=path, fate=Fate.REPAIRED if odd else Fate.READ, reason=odd)

    def _linked(self, path: str, value: Any) -> Iterator[Found]:
        links = value.get("links") if isinstance(value, dict) else value
        elements = links if isinstance(links, list) else []
        for number, link in enumerate(elements, start=1):
            where = f"{path}#{number}"
            if tie := _tie(link):
                self.links.append(tie)
                yield Item(where=where, fate=Fate.READ), None
            else:
                yield Item(where=where, fate=Fate.REJECTED, reason="no link of the seven"), None
        if not elements:
            yield Item(where=path, fate=Fate.READ, reason="it is empty"), None


def _tie(link: Any) -> tuple[str, Relation, str] | None:
    if not _is_map(link) or link.get("relation") not in tuple(Relation):
        return None
    source, target = link.get("from") or link.get("source"), link.get("to") or link.get("target")
    is_whole = isinstance(source, str) and isinstance(target, str)
    return (source, Relation(link["relation"]), target) if is_whole else None


def _is_map(value: object) -> bool:
    return isinstance(value, dict)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _list_in(value: Any) -> str:
    """The name of the list that a file is; "" where it is one thing."""
    if isinstance(value, list):
        return "learnings"
    named = ("patterns", "anti_patterns", "facts", "learnings", "episodes")
    return next((name for name in named if isinstance(value.get(name), list) and "context" not in value), "")


def _elements(path: str, value: Any, *, is_archived: bool) -> Iterator[Found]:
    listed, name = _list_in(value), path.rpartition("/")[2]
    elements = value if isinstance(value, list) else value[listed] if listed else [value]
    kind = _FILES.get(name) or _LISTED.get(listed, Kind.ANTI_PATTERN)
    is_learning = kind is Kind.ANTI_PATTERN and name not in _FILES and listed != "anti_patterns"
    for number, element in enumerate(elements, start=1):
        given = {**element, "told_in": record.LEARNINGS} if is_learning and _is_map(element) else element
        yield found_in(given, kind, where=f"{path}#{number}", is_archived=is_archived)
    if not elements:
        yield Item(where=path, fate=Fate.READ, reason="it is empty"), None


def _skill(path: str, text: str, *, stem: str) -> Found:
    body = skill.parsed(text, name=stem)
    if len(body) == 1:
        return Item(where=path, fate=Fate.REJECTED, reason="says nothing"), None
    told = Told(
        where=path,
        content=text.strip(),
        kind=Kind.SKILL,
        title=body["name"],
        body=body,
        id=stem,
        is_archived="archive" in path.split("/"),
    )
    return Item(where=path, fate=Fate.READ), told


def _tied(told: Sequence[Told], links: Sequence[tuple[str, Relation, str]]) -> Iterator[Told]:
    """With what links.json says, and with both ends of *supersedes* (X-27, LK-081)."""
    known = {one.id for one in told if one.id}
    ties = [*links, *((one.id, *link) for one in told if one.id for link in one.links)]
    own: dict[str, dict[tuple[Relation, str], None]] = {}
    newer: dict[str, str] = {}
    for source, relation, target in ties:
        if {source, target} <= known:
            own.setdefault(source, {})[(relation, target)] = None
            newer |= {target: source} if relation is Relation.SUPERSEDES else {}
    for one in told:
        if one.id:
            successor = one.superseded_by or newer.get(one.id, "")
            one = replace(one, links=tuple(own.get(one.id, {})), superseded_by=successor)
        yield one


# ---- writing


class _Tree:
    """One writing of all files."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._names = names(view.memories, view.ids)
        self._lists: dict[tuple[str, str], list[tuple[object, dict[str, Any]]]] = {
            (path, name): [] for path, name in _SEMANTIC.values()
        }
        self._links_of: dict[str, list[Link]] = {}
        for link in view.links:
            self._links_of.setdefault(link.source, []).append(link)
        self._files: dict[str, bytes] = {}
        self._topics: list[dict[str, Any]] = []
        self._episodes: list[dict[str, Any]] = []

    def files(self) -> dict[str, bytes]:
        for memory in self._view.memories:
            if memory.id in self._names:
                self._put(memory)
        for (path, name), entries in self._lists.items():
            entries.sort(key=lambda entry: str(entry[0]))
            listed = [entry for _, entry in entries]
            self._files[path] = _json(listed if name == record.LEARNINGS else {name: listed})
        for one in self._view.papers:
            if one.sort is not Sort.METRIC:
                self._file_paper(one)
        self._files["semantic/links.json"] = _json({"links": self._links()})
        episodes = sorted(self._episodes, key=lambda one: (one["timestamp"], one["id"]))
        self._files["episodic/index.json"] = _json({"episodes": episodes})
        topics = sorted(self._topics, key=lambda one: (one["kind"], one["id"]))
        self._files["index.json"] = _json({"version": _VERSION, "topics": topics})
        whole = {f"{FOLDER}{path}": content for path, content in sorted(self._files.items())}
        return whole | self._figures()

    def _figures(self) -> dict[str, bytes]:
        """Those of others first: ours stand beside them."""
        found: dict[str, bytes] = {}
        for one in (known for known in self._view.papers if known.sort is Sort.METRIC):
            path = f"{metrics.FOLDER}{_safe_path(one.id)}.json"
            found[path] = self._as_present(path, metrics.kept(one))
        for place, ours in metrics.made(self._view.memories, self._names):
            path = f"{metrics.FOLDER}{place}.json"
            found[path if path not in found else f"{metrics.FOLDER}{place}-hindbrain.json"] = _json(ours)
        return dict(sorted(found.items()))

    def _as_present(self, path: str, value: object) -> bytes:
        """As the file has it, where it says the same: it is not ours to lay out anew."""
        there = self._view.present.get(path, b"")
        return there if there and json_of(text_of(there)[0]) == (value, "") else _json(value)

    def _put(self, memory: Memory) -> None:
        name = self._names[memory.id]
        start = _ARCHIVE if memory.state is State.ARCHIVED else ""
        if memory.kind is Kind.SKILL:
            path = self._free(f"{start or _ARCHIVE * (memory.state is not State.LIVE)}skills/{_safe(name)}", "md")
            self._files[path] = _skill_text(memory).encode("utf-8", "replace")
            self._index(memory, path, size=len(self._files[path]))
            return
        written = record.written(memory, self._names, links=self._links_of.get(memory.id, ()))
        if memory.kind is Kind.EPISODE:
            path = self._free(f"{start}{_episode_path(name, written)}", "json")
            self._files[path] = _json(written)
            self._note_episode(memory, written, path=path)
        else:
            path = f"{start}{self._listed(memory, written, start=start)}"
        self._index(memory, path, size=len(_json(written)))

    def _listed(self, memory: Memory, written: dict[str, Any], *, start: str) -> str:
        order = f"{memory.learned_at.timestamp():020.3f} {written['id']}"
        if _is_learning(memory):
            path, name = f"learnings/{memory.learned_at.date()}.json", record.LEARNINGS
            written = _as_learning(written)
        else:
            kind = {Kind.PATTERN: "patterns", Kind.ANTI_PATTERN: "anti_patterns"}.get(memory.kind, "facts")
            path, name = _SEMANTIC[kind]
        self._lists.setdefault((f"{start}{path}", name), []).append((order, written))
        return path

    def _note_episode(self, memory: Memory, written: Mapping[str, Any], *, path: str) -> None:
        entry = {"id": written["id"], "timestamp": str(written.get("timestamp") or ""), "path": path}
        self._episodes.append({**entry, "goal": memory.title, "outcome": written.get("outcome")})

    def _index(self, memory: Memory, path: str, *, size: int) -> None:
        """A line for each, so that an agent need not read the whole of what it does not need."""
        summary = memory.body.get("name") if memory.kind is Kind.SKILL else memory.title
        line = {"id": self._names[memory.id], "kind": str(memory.kind), "summary": summary or memory.title}
        self._topics.append({**line, "path": path, "tokens": -(-size // 4)})

    def _links(self) -> list[dict[str, str]]:
        ends = {
            (self._names[link.source], str(link.relation), self._names[link.target])
            for link in self._view.links
            if link.source in self._names and link.target in self._names
        }
        return [{"from": source, "to": target, "relation": relation} for source, relation, target in sorted(ends)]

    def _file_paper(self, one: Paper) -> None:
        ending, content = paper.written(one)
        folder = "ledgers" if one.sort is Sort.LEDGER else "handoffs"
        path = self._free(f"{folder}/{_safe(one.id)}", ending)
        self._files[path] = content.encode("utf-8", "replace") if isinstance(content, str) else _json(content)

    def _free(self, start: str, ending: str) -> str:
        path, number = f"{start}.{ending}", 2
        while path in self._files:
            path, number = f"{start}-{number}.{ending}", number + 1
        return path


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def _safe_path(place: str) -> str:
    return "/".join(_safe(part) for part in place.split("/"))


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name[:120], flags=re.ASCII).strip(".-") or "unnamed"


def _episode_path(name: str, written: Mapping[str, Any]) -> str:
    if match := _EPISODE_ID.fullmatch(name):
        return f"episodic/{match[1]}/task-{match[2]}"
    at = record.time_of(written.get("timestamp") or written.get("learned_at"))
    day = re.search(r"\d{4}-\d\d-\d\d", name)
    return f"episodic/{day[0] if day else f'{at.date()}' if at else 'undated'}/task-{_safe(name)}"


def _is_learning(memory: Memory) -> bool:
    """Drawn from an error as such; what consolidation made of episodes names its source."""
    is_drawn = memory.provenance.source is Source.AUTOMATIC and "source" not in memory.body
    return memory.kind is Kind.ANTI_PATTERN and (memory.body.get("told_in") == record.LEARNINGS or is_drawn)


def _as_learning(written: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as Q-18 calls them."""
    called = {"what_fails": "what_failed", "prevention": "prevent", "learned_at": "ts"}
    fields = {called.get(name, name): value for name, value in written.items() if name != "told_in"}
    order = ("what_failed", "why", "prevent", "ts", "agent")
    return {name: fields.get(name, "") for name in order} | fields


def _skill_text(memory: Memory) -> str:
    if memory.content.startswith(skill.HEADING):
        return f"{memory.content}\n"
    given = memory.body.get("description")
    name = str(memory.body.get("name") or memory.title)
    description = given if isinstance(given, str) and given.strip() else memory.content
    return skill.rendered(name, memory.body, description=description)
