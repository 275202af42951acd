"""What Beads knows: one JSON object a line, appended; of several with one key the last one counts.

Its hook cut entries out of command lines with a pattern, so that one in five real entries carries pieces of the
shell around it (F-23). What can be told apart is taken off; what is nothing but a command is rejected.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hindbrain.core.model.foreign import Fate, Item, Reading, Told, View
from hindbrain.core.model.memory import TYPES, Kind, Memory, State
from hindbrain.core.value import dataclass, replace
from hindbrain.dialects.beads_scripts import HOOKS, RECALL, scripts
from hindbrain.dialects.careful import Line, lines_of, moment_of

ACTIVE = "knowledge.jsonl"
ARCHIVE = "knowledge.archive.jsonl"
_FOLDER = ".beads/memory/"
_UNION = b"*.jsonl merge=union\n"  # two branches that both learned keep both
_MOST_LINES, _MOVED = 1_000, 500
_WRITTEN = (Kind.LESSON, Kind.FACT, Kind.PATTERN, Kind.ANTI_PATTERN)
_FURTHER = "~"  # after a key: the number of an insight that had run into the entry
_EARLIER = "@"  # after a key: the line of an entry that a later one with the same key replaced


class _Beads:
    name = "beads"

    def wants(self, path: str) -> bool:
        return _is_knowledge(path) or path.endswith((RECALL, *HOOKS))

    def read(self, tree: Mapping[str, bytes]) -> Reading:
        paths = [
            path for path in tree if not path.endswith(".sh")
        ]  # a file that was named alone may be called anything
        entries = [
            _entry(line, where=f"{path}:{line.number}", is_archived=path.endswith(ARCHIVE))
            for path in sorted(paths, key=lambda path: (not path.endswith(ARCHIVE), path))  # the archive is older
            for line in lines_of(tree[path])
        ]
        found = [told for one in entries for told in one.told]
        last = {told.id: told.where for told in found}
        told = tuple(_named(one, last) for one in found)
        return Reading(told=told, items=tuple(one.item for one in entries))

    def write(self, view: View) -> Mapping[str, bytes]:
        known = [memory for memory in view.memories if memory.kind in _WRITTEN]
        active = [memory for memory in known if memory.state is not State.ARCHIVED]
        rotated = {memory.id for memory in active[: _rotated(len(active))]}
        archived = [memory for memory in known if memory.state is State.ARCHIVED or memory.id in rotated]
        return {
            f"{_FOLDER}{ACTIVE}": _lines([memory for memory in active if memory.id not in rotated], view),
            f"{_FOLDER}{ARCHIVE}": _lines(archived, view),
            f"{_FOLDER}.gitattributes": _UNION,
            **scripts(view.present, has_hooks=view.has_scripts),
        }


DIALECT = _Beads()


def _is_knowledge(path: str) -> bool:
    return path.rpartition("/")[2] in (ACTIVE, ARCHIVE)


def _rotated(lines: int) -> int:
    """How many of the oldest have left a file that has had that many (BD-048, BD-049)."""
    return -(-max(lines - _MOST_LINES, 0) // _MOVED) * _MOVED


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    item: Item
    told: tuple[Told, ...] = ()


def _entry(line: Line, *, where: str, is_archived: bool) -> _Entry:
    value = line.value
    if line.fault or not isinstance(value, dict):
        return _rejected(where, line.fault or "no object")
    said = value.get("content")
    if not isinstance(said, str) or not said.strip():
        return _rejected(where, "it has no content")
    insights, shell = cleaned(said)
    if not insights:
        return _rejected(where, shell)
    bead, odd_bead = _bead(value.get("bead"))
    reason = "; ".join(filter(None, (line.repair, shell, odd_bead, *_oddities(value))))
    whole = Told(
        where=where,
        content="",
        tags=_tags(value.get("tags")),
        body={"beads_source": str(value.get("source") or "orchestrator")},
        task=bead,
        learned_at=moment_of(value.get("ts")),
        is_archived=is_archived,
    )
    item = Item(where=where, fate=Fate.REPAIRED if reason else Fate.READ, reason=reason)
    return _Entry(item=item, told=tuple(_insights(whole, insights, value=value)))


def _insights(whole: Told, insights: Sequence[tuple[str, str]], *, value: Mapping[str, Any]) -> Iterator[Told]:
    key, kind = str(value.get("key") or ""), str(value.get("type") or "learned")
    for number, (content, marked) in enumerate(insights, start=1):
        name = f"{key}{_FURTHER}{number}" if key and number > 1 else key
        yield _insight(whole, content, kind=marked or kind, key=name)


def _insight(whole: Told, content: str, *, kind: str, key: str) -> Told:
    return replace(
        whole,
        content=content,
        kind=Kind.FACT if kind == "fact" else Kind.LESSON,
        type=kind if kind in TYPES else "learned",
        id=key,
    )


def _rejected(where: str, reason: str) -> _Entry:
    return _Entry(item=Item(where=where, fate=Fate.REJECTED, reason=reason))


def _oddities(value: Mapping[str, Any]) -> Iterator[str]:
    if not value.get("source"):
        yield "it had no source"
    if not value.get("key"):
        yield "it had no key"
    if isinstance(value.get("ts"), str):
        yield "its time was a text"
    elif moment_of(value.get("ts")) is None:
        yield "it had no time"
    if "tags" in value and not isinstance(value["tags"], list):
        yield "its tags were no list"


def _tags(given: object) -> tuple[str, ...] | None:
    if isinstance(given, str):
        given = given.split(",")
    if not isinstance(given, list):
        return None
    return tuple(dict.fromkeys(tag.strip() for tag in given if isinstance(tag, str) and tag.strip()))


def _bead(given: object) -> tuple[str, str]:
    """The id, and what was wrong with it: a command may have run into it."""
    text = given if isinstance(given, str) else ""
    if re.fullmatch(r"[A-Za-z0-9._-]*", text):
        return text, ""
    first = text.split("\n", 1)[0].strip()
    is_id = re.fullmatch(r"[A-Za-z0-9._-]+", first) is not None
    return (first if is_id else ""), "a command had run into its bead"


def _named(told: Told, last: Mapping[str, str]) -> Told:
    """Of entries with one key the last is called by it; the others are what it replaced."""
    if not told.id or last[told.id] == told.where:
        return told
    return replace(told, id=f"{told.id}{_EARLIER}{told.where.rpartition(':')[2]}", superseded_by=told.id)


# ---- pieces of the shell


_AROUND = re.compile(
    r"""\A(?:\s*(?:cd[ \t]+["']?[~./$]\S*|export[ \t]\w+=\S*|set[ \t]-\w+)[ \t]*(?:&&|;)?[ \t]*\\?(?:\n|\Z))+"""
)
_HEREDOC = re.compile(r"""\A\s*["']?\$\(cat\s+<<-?\s*['"]?(\w+)['"]?\s*\n(.*?)(?:\n\1\b.*)?\Z""", re.DOTALL)
_AFTER = r"(?:[ \t]*&& | [ \t]*\|\|? | [ \t]*; | [ \t]+\d?>[>&]?[ \t]*\S+)"  # what the shell does after a quote
_JOINT = re.compile(rf"""(?<!\\)["']{_AFTER}[ \t]*\\?\n""", re.VERBOSE)  # between two entries of one command line
_TAIL = re.compile(rf"""(?<!\\)["'](?:{_AFTER} | [ \t]*\)["']?\s*\Z).*\Z""", re.VERBOSE | re.DOTALL)
_NEXT = re.compile(
    r"""["']?\n[ \t]*(?:bd[ \t]+(?:close|update|comments?|sync|create)\b|git[ \t]+(?:add|commit|push|pull)\b
        |echo[ \t]|(?:EOF|DESC)\b|\)["']?\s*\Z).*\Z""",
    re.VERBOSE | re.DOTALL,
)
_COMMAND = re.compile(r"\A\s*(?:bd[ \t]+(?:create|update|close|comments?|dep|sync)\b[^\n]*[ \t]-{1,2}\w|\$\(|<<)")
_SCRIPT = re.compile(r"\|[ \t]*\\?\s*(?:sed|grep|awk|jq|head|tail)[ \t]")
_OTHER = re.compile(
    r"(?:git[ \t]+(?:add|commit|push|pull)\b|(?:bd|cd|echo)[ \t]+\S+[ \t]*\Z|Completed:)"
)  # other comments too
_MARKED = re.compile(r"\n(?=(?:FACT|PATTERN|DECISION|LEARNED|INVESTIGATION):[ \t])")
_MARK = re.compile(r"\A(FACT|PATTERN|DECISION|LEARNED|INVESTIGATION):\s+")


def cleaned(said: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """What was meant, each with the type that it names, and what was put right; none where it is only a command."""
    text = said.strip()
    if heredoc := _HEREDOC.match(text):
        text = heredoc[2].strip()
    text = _AROUND.sub("", text, count=1).strip()
    if _COMMAND.match(text):
        return (), "it is a command, not an insight"
    if text.startswith("#") and _SCRIPT.search(text):
        return (), "it is a script, not an insight"
    found = tuple(map(_typed, _meant(text)))
    if not found:
        return (), "nothing is left of it but the shell around it"
    if len(found) > 1:
        return found, f"{len(found)} insights had run into one"
    return found, "" if found[0][0] == said.strip() else "pieces of the shell around it were taken off"


def _meant(text: str) -> Iterator[str]:
    """The insights of a text: what follows the first may also be another command, or a comment of another sort."""
    parts = (part for joined in _JOINT.split(text) for part in _MARKED.split(joined))
    for number, part in enumerate(map(_bare, parts)):
        if any(map(str.isalnum, part)) and not (number and _OTHER.match(part)):
            yield part


def _bare(text: str) -> str:
    text = _NEXT.sub("", _TAIL.sub("", text, count=1), count=1).strip()
    if text.count('"') % 2 and text.endswith('"'):
        text = text[:-1]
    text = text.replace("\\$", "$").replace('\\"', '"').replace("\\`", "`").strip()
    return "" if _COMMAND.match(text) else text


def _typed(text: str) -> tuple[str, str]:
    mark = _MARK.match(text)
    return (text[mark.end() :], mark[1].casefold()) if mark else (text, "")


# ---- writing


def _lines(memories: Sequence[Memory], view: View) -> bytes:
    return "".join(f"{_line(memory, view.ids.get(memory.id, ''))}\n" for memory in memories).encode("utf-8", "replace")


def _line(memory: Memory, foreign_id: str) -> str:
    kind = "fact" if memory.kind is Kind.FACT else memory.type
    entry = {
        "key": foreign_id.partition(_EARLIER)[0] or memory.legacy_key,
        "type": kind,
        "content": memory.content,
        "source": str(memory.body.get("beads_source") or "orchestrator"),
        "tags": list(dict.fromkeys((kind, *memory.tags))),
        "ts": int(memory.learned_at.timestamp()),
        "bead": memory.provenance.task,
    }
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
