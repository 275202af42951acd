"""What mem0 exports: memories as a list, or under `results` or `memories`, with times and free metadata."""

from collections.abc import Iterator, Mapping
from typing import Any

from hindbrain.core.model.foreign import Fate, Item, Reading, Told, View
from hindbrain.core.model.memory import TYPES
from hindbrain.dialects.careful import json_of, moment_of, text_of
from hindbrain.errors import BadValue

_LISTS = ("results", "memories", "data")


class _Mem0:
    name = "mem0"

    def wants(self, path: str) -> bool:
        return path.endswith(".json")

    def read(self, tree: Mapping[str, bytes]) -> Reading:
        told: list[Told] = []
        items: list[Item] = []
        for path in sorted(tree):
            for one in _file(path, tree[path]):
                (told if isinstance(one, Told) else items).append(one)  # type: ignore[arg-type]
        return Reading(told=tuple(told), items=tuple(items))

    def write(self, view: View) -> Mapping[str, bytes]:
        raise BadValue(f"mem0 takes no files ({len(view.memories)} memories)", fix="use its own API, or export dex")


DIALECT = _Mem0()


def _file(path: str, content: bytes) -> Iterator[Told | Item]:
    text, repair = text_of(content)
    value, fault = json_of(text)
    entries = _entries(value)
    if fault or entries is None:
        yield Item(where=path, fate=Fate.REJECTED, reason=fault or "no list of memories in it")
        return
    for number, entry in enumerate(entries, start=1):
        where = f"{path}:{number}"
        said = _said(entry)
        if not said:
            yield Item(where=where, fate=Fate.REJECTED, reason="it has no text under `memory`")
            continue
        yield Item(where=where, fate=Fate.REPAIRED if repair else Fate.READ, reason=repair)
        yield _told(entry, said, where=where)


def _entries(value: Any) -> list[Any] | None:
    if isinstance(value, list):
        return value
    lists = (value.get(name) for name in _LISTS) if isinstance(value, dict) else ()
    return next((one for one in lists if isinstance(one, list)), None)


def _said(entry: Any) -> str:
    found = next((entry[name] for name in ("memory", "text", "data") if entry.get(name)), "") if _is(entry) else ""
    return found.strip() if isinstance(found, str) else ""


def _is(entry: Any) -> bool:
    return isinstance(entry, dict)


def _told(entry: dict[str, Any], said: str, *, where: str) -> Told:
    given = entry.get("metadata")
    metadata: dict[str, Any] = given if isinstance(given, dict) else {}
    kind = metadata.get("type") or metadata.get("category") or ""
    names = [str(name) for name in entry.get("categories") or [] if isinstance(name, str)]
    return Told(
        where=where,
        content=said,
        type=kind if kind in TYPES else "learned",
        tags=tuple(names) if names else None,
        id=_text(entry, "id"),
        persona=None,
        instance=_text(entry, "agent_id"),
        session=_text(entry, "run_id"),
        task=_text(metadata, "task_id"),
        learned_at=moment_of(entry.get("updated_at")) or moment_of(entry.get("created_at")),
    )


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""
