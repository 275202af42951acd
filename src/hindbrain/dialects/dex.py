"""What Dex knows: its export as JSON, or its SQLite database, read without ever opening the file itself."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from hindbrain.core.dex_export import written
from hindbrain.core.model.foreign import Fate, Item, Reading, Told, View
from hindbrain.core.model.memory import TYPES, State
from hindbrain.dialects.careful import json_of, moment_of, text_of

_SQLITE = b"SQLite format 3\0"
_FILE = "memories.json"
_COLUMNS = (
    *("id", "project_id", "type", "title", "content", "confidence", "tags", "file_refs", "created_by_hat"),
    *("created_by_task_id", "created_by_session_id", "source", "created_at", "last_used_at", "use_count"),
)


class _Dex:
    name = "dex"

    def wants(self, path: str) -> bool:
        return path.endswith((".json", ".db", ".sqlite", ".sqlite3"))

    def read(self, tree: Mapping[str, bytes]) -> Reading:
        told: list[Told] = []
        items: list[Item] = []
        for path in sorted(tree):
            for where, entry, fault in _rows(path, tree[path]):
                one = None if fault else _told(entry, where)
                told += [one] if one else []
                reason = fault or ("" if one else "it has no content")
                items.append(Item(where=where, fate=Fate.READ if one else Fate.REJECTED, reason=reason))
        return Reading(told=tuple(told), items=tuple(items))

    def write(self, view: View) -> Mapping[str, bytes]:
        live = sorted((one for one in view.memories if one.state is State.LIVE), key=lambda memory: memory.id)
        at = max((memory.updated_at for memory in live), default=view.at)
        return {_FILE: written(live, project=view.project, at=at).encode()}


DIALECT = _Dex()

_Row = tuple[str, dict[str, Any], str]  # where, what, and why not


def _rows(path: str, content: bytes) -> Iterator[_Row]:
    if content.startswith(_SQLITE):
        yield from _database(path, content)
        return
    value, fault = json_of(text_of(content)[0])
    entries = value.get("memories") if isinstance(value, dict) else value
    if fault or not isinstance(entries, list):
        yield path, {}, fault or "no list of memories in it"
        return
    for number, entry in enumerate(entries, start=1):
        is_one = isinstance(entry, dict)
        yield f"{path}:{number}", entry if is_one else {}, "" if is_one else "no object"


def _database(path: str, content: bytes) -> Iterator[_Row]:
    """From a copy in memory: whoever has the file open keeps its locks (RELIABILITY, finding 2)."""
    try:
        with closing(sqlite3.connect(":memory:")) as copy:
            copy.deserialize(_without_wal(content))
            known = {row[1] for row in copy.execute("PRAGMA table_info(memories)")}
            if not {"id", "content"} <= known:
                yield path, {}, "the database has no table `memories`"
                return
            names = [name for name in _COLUMNS if name in known]
            rows = copy.execute(f"SELECT {', '.join(names)} FROM memories ORDER BY rowid")  # noqa: S608 (our own names)
            for number, row in enumerate(rows, start=1):
                yield f"{path}:{number}", dict(zip(names, row, strict=True)), ""
    except sqlite3.Error as error:
        yield path, {}, f"the database cannot be read: {error}"


def _without_wal(content: bytes) -> bytes:
    """A database in WAL mode says so in two bytes of its head; a copy in memory has no second file."""
    return content[:18] + b"\x01\x01" + content[20:] if content[18:20] == b"\x02\x02" else content


def _told(entry: Mapping[str, Any], where: str) -> Told | None:
    said = _text(entry, "content").strip()
    if not said:
        return None
    kind = _text(entry, "type")
    return Told(
        where=where,
        content=said,
        title=_text(entry, "title"),
        type=kind if kind in TYPES else "learned",
        tags=_list(entry.get("tags")),
        file_refs=_list(entry.get("file_refs")),
        id=_text(entry, "id"),
        hat=_text(entry, "created_by_hat"),
        session=_text(entry, "created_by_session_id"),
        task=_text(entry, "created_by_task_id"),
        learned_at=moment_of(entry.get("created_at")),
        confidence=_number(entry.get("confidence")),
        used=int(_number(entry.get("use_count")) or 0),
        last_used_at=moment_of(entry.get("last_used_at")),
    )


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _list(given: object) -> tuple[str, ...] | None:
    if isinstance(given, str):
        given = json_of(given)[0]
    return tuple(one for one in given if isinstance(one, str)) if isinstance(given, list) else None


def _number(given: object) -> float | None:
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) else None
