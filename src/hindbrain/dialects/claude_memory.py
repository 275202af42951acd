"""What Claude Code remembers by itself: a file for each fact, and MEMORY.md with a line for each file."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from hindbrain.core.front import split
from hindbrain.core.model.foreign import Fate, Item, Reading, Told, View
from hindbrain.core.model.link import Relation
from hindbrain.core.model.memory import Memory, State
from hindbrain.core.model.moment import stamp
from hindbrain.dialects.careful import moment_of, text_of
from hindbrain.dialects.prose import bullets

INDEX = "MEMORY.md"
_POINTER = re.compile(r"\[(?P<title>[^\]\n]{1,300})\]\((?P<file>[^)\s]{1,300}\.md)\)(?:\s*[—–:-]+\s*(?P<hook>.*))?")
_LINK = re.compile(r"\[\[([^\]|#\n]{1,200})")
_PROJECT = frozenset({"architecture", "dependency", "decision", "constraint", "investigation"})
_TYPES = {"feedback": "convention", "project": "decision", "reference": "learned", "user": "convention"}
_OURS = "hindbrain"  # name in the metadata of files that we wrote; its value is the memory's id
_LONGEST_SLUG = 60


class _ClaudeMemory:
    name = "claude"

    def wants(self, path: str) -> bool:
        return path.endswith(".md")

    def read(self, tree: Mapping[str, bytes]) -> Reading:
        told: list[Told] = []
        items: list[Item] = []
        files = {path.rpartition("/")[2] for path in tree}
        for path in sorted(tree):
            text, repair = text_of(tree[path])
            found = _index(path, text, files=files) if path.endswith(INDEX) else _file(path, text)
            for one, item in found:
                told += [one] if one else []
                fixed = repair and item.fate is Fate.READ
                items.append(Item(where=item.where, fate=Fate.REPAIRED, reason=repair) if fixed else item)
        return Reading(told=tuple(told), items=tuple(items))

    def write(self, view: View) -> Mapping[str, bytes]:
        """A file for each live memory, and its line in MEMORY.md behind those that stand there. Files and lines that
        are not ours stay as they are."""
        own = _own(view.present)
        tree: dict[str, bytes] = {}
        lines: list[str] = []
        names = {name: None for name in view.present if name not in own.values()}
        for memory in view.memories:
            if memory.state is not State.LIVE:
                continue
            known = view.ids.get(memory.id, "")  # in the store that wrote the file which it was read from
            first = known if known.startswith("mem-") else memory.id
            name = own.get(first) or own.get(memory.id) or _free(_slug(memory), names)
            names[name] = None
            tree[name] = _written(memory, name.removesuffix(".md"), known_as=first).encode()
            lines.append(f"- [{_plain(memory.title)}]({name}) — {_hook(memory)}")
        tree[INDEX] = _indexed(view.present.get(INDEX, b""), lines, own=set(own.values()) | set(tree)).encode()
        return tree


DIALECT = _ClaudeMemory()


def _index(path: str, text: str, *, files: set[str]) -> Iterator[tuple[Told | None, Item]]:
    """Lines that point to a file which is there say nothing of their own."""
    for number, line in bullets(text):
        where = f"{path}:{number}"
        match = _POINTER.search(line)
        if match and match["file"].rpartition("/")[2] in files:
            yield None, Item(where=where, fate=Fate.READ, reason=f"points to {match['file']}")
        else:
            said = f"{match['title']}: {match['hook'] or ''}".strip(": ") if match else line
            fate, reason = (Fate.REPAIRED, f"{match['file']} is not there") if match else (Fate.READ, "")
            yield Told(where=where, content=said), Item(where=where, fate=fate, reason=reason)


def _file(path: str, text: str) -> Iterator[tuple[Told | None, Item]]:
    head, body = split(text)
    said = body.strip()
    if not said:
        yield None, Item(where=path, fate=Fate.REJECTED, reason="there is nothing below its head")
        return
    name = str(head.get("name") or path.rpartition("/")[2].removesuffix(".md"))
    metadata: Any = head.get("metadata") if isinstance(head.get("metadata"), dict) else {}
    kind = str(metadata.get("type") or head.get("type") or "")
    links = tuple((Relation.RELATED_TO, other) for other in dict.fromkeys(_LINK.findall(said)) if other != name)
    told = Told(
        where=path,
        content=said,
        title=str(head.get("description") or ""),
        type=str(metadata.get("kind") or _TYPES.get(kind, "learned")),
        id=str(metadata.get(_OURS) or name),
        learned_at=moment_of(metadata.get("learned")),
        links=links,
    )
    yield told, Item(where=path, fate=Fate.READ)


def _own(present: Mapping[str, bytes]) -> dict[str, str]:
    """Which of the files are ours: memory -> file."""
    found = {}
    for name, content in present.items():
        metadata = split(text_of(content)[0])[0].get("metadata")
        if isinstance(metadata, dict) and metadata.get(_OURS):
            found[str(metadata[_OURS])] = name
    return found


def _free(slug: str, taken: Mapping[str, None]) -> str:
    name, number = f"{slug}.md", 2
    while name in taken or name == INDEX:
        name, number = f"{slug}-{number}.md", number + 1
    return name


def _slug(memory: Memory) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", memory.title.casefold())[:_LONGEST_SLUG].strip("-")
    return words or memory.id


def _written(memory: Memory, name: str, *, known_as: str) -> str:
    kind = "project" if memory.type in _PROJECT else "reference" if memory.kind != "lesson" else "feedback"
    head = f"name: {name}\ndescription: {_plain(memory.title)}\n"
    learned = f"  learned: {stamp(memory.learned_at)}\n"
    metadata = f"metadata:\n  type: {kind}\n  kind: {memory.type}\n{learned}  {_OURS}: {known_as}\n"
    return f"---\n{head}{metadata}---\n{memory.content.strip()}\n"


def _plain(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())


def _hook(memory: Memory) -> str:
    first = memory.content.strip().split("\n", 1)[0]
    return " ".join(first.split())[:120].rstrip()


def _indexed(present: bytes, lines: list[str], *, own: set[str]) -> str:
    """The index as it stands, without lines of ours, then ours."""
    kept = [line for line in text_of(present)[0].split("\n") if not _points_to(line, own)]
    head = "\n".join(kept).rstrip("\n")
    return "\n".join([*([head] if head else []), *lines]) + "\n"


def _points_to(line: str, own: set[str]) -> bool:
    match = _POINTER.search(line)
    return bool(match and match["file"] in own)
