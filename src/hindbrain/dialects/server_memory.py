"""What the MCP memory server keeps: a graph of named things, one JSON object a line; each observation is a fact."""

from collections.abc import Iterator, Mapping
from typing import Any

from hindbrain.core.model.foreign import Fate, Item, Reading, Told, View
from hindbrain.core.model.link import Relation
from hindbrain.core.model.memory import Kind
from hindbrain.dialects.careful import lines_of
from hindbrain.errors import BadValue


class _ServerMemory:
    name = "server-memory"

    def wants(self, path: str) -> bool:
        return path.endswith((".jsonl", "memory.json"))

    def read(self, tree: Mapping[str, bytes]) -> Reading:
        told: list[Told] = []
        items: list[Item] = []
        for path in sorted(tree):
            for line in lines_of(tree[path]):
                where = f"{path}:{line.number}"
                found, reason = _told(line.value, where) if not line.fault else ((), line.fault)
                told += found
                fate = Fate.REJECTED if reason else Fate.REPAIRED if line.repair else Fate.READ
                items.append(Item(where=where, fate=fate, reason=reason or line.repair))
        return Reading(told=tuple(told), items=tuple(items))

    def write(self, view: View) -> Mapping[str, bytes]:
        raise BadValue(
            f"a graph of things cannot hold {len(view.memories)} lessons without loss", fix="export dex or claude"
        )


DIALECT = _ServerMemory()


def _told(value: Any, where: str) -> tuple[tuple[Told, ...], str]:
    """The facts of a line, and why there are none."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "entity":
        facts = tuple(_facts(value, where))
        return facts, "" if facts else "a thing without observations"
    if kind == "relation":
        said = [value.get(name) for name in ("from", "relationType", "to")]
        if not all(isinstance(part, str) and part.strip() for part in said):
            return (), "a relation without both ends"
        source, relation, target = map(str, said)
        content = f"{source} {relation.replace('_', ' ')} {target}"
        name = f"{source}\0{relation}\0{target}"
        links = ((Relation.RELATED_TO, _name(source, 0)), (Relation.RELATED_TO, _name(target, 0)))
        return (Told(where=where, content=content, kind=Kind.FACT, id=name, links=links),), ""
    return (), "neither a thing nor a relation"


def _facts(value: dict[str, Any], where: str) -> Iterator[Told]:
    name = value.get("name")
    seen = value.get("observations")
    if not isinstance(name, str) or not isinstance(seen, list):
        return
    tag = value.get("entityType")
    for number, said in enumerate(one for one in seen if isinstance(one, str) and one.strip()):
        content = said.strip() if name.casefold() in said.casefold() else f"{name}: {said.strip()}"
        tags = (tag,) if isinstance(tag, str) and tag.strip() else None
        yield Told(
            where=where, content=content, kind=Kind.FACT, tags=tags, id=_name(name, number), body={"subject": name}
        )


def _name(thing: str, number: int) -> str:
    return f"{thing}\0{number}"
