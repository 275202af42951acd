"""How a memory is written down as plain JSON values: in `--json`, in its history and in row hashes."""

from collections.abc import Mapping
from datetime import datetime

from hindbrain.core.digest import sha256
from hindbrain.core.hints import Any
from hindbrain.core.model.actor import Actor, ActorType, Provenance, Source
from hindbrain.core.model.memory import Counters, Kind, Memory, Reach
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.notation import write

_TIMES = ("learned_at", "created_at", "updated_at")
_MAYBE_TIMES = ("last_used_at", "verified_at", "decayed_at", "superseded_at", "archived_at")
_PLAIN = (
    *("id", "project", "content", "title", "type", "category", "category_is_fixed", "error_signature"),
    *("key", "legacy_key", "content_hash", "chorus_hash", "persona", "trust", "confidence", "importance"),
    *("superseded_by", "archive_reason", "is_pinned", "version"),
)


def to_record(memory: Memory) -> dict[str, Any]:
    """Every field, in a fixed order; `from_record` gives an equal memory back."""
    record: dict[str, Any] = {name: getattr(memory, name) for name in _PLAIN}
    record |= {name: stamp(getattr(memory, name)) for name in _TIMES}
    record |= {name: _stamp_or_none(getattr(memory, name)) for name in _MAYBE_TIMES}
    record |= {
        "kind": str(memory.kind),
        "reach": str(memory.reach),
        "body": dict(memory.body),
        "tags": list(memory.tags),
        "file_refs": list(memory.file_refs),
        "provenance": _provenance_record(memory.provenance),
        "counters": {name: getattr(memory.counters, name) for name in Counters.__slots__},
    }
    return record


def from_record(record: Mapping[str, Any]) -> Memory:
    """The memory that `to_record` wrote. KeyError or ValueError when it is not such a record."""
    return Memory(
        **{name: record[name] for name in _PLAIN},
        **{name: _read_or_none(record[name]) for name in (*_TIMES, *_MAYBE_TIMES)},
        kind=Kind(record["kind"]),
        reach=Reach(record["reach"]),
        body=record["body"],
        tags=tuple(record["tags"]),
        file_refs=tuple(record["file_refs"]),
        provenance=provenance_of(record["provenance"]),
        counters=Counters(**record["counters"]),
    )


def provenance_of(record: Mapping[str, Any]) -> Provenance:
    rest = {name: record[name] for name in ("session", "task", "adapter", "receipt")}
    return Provenance(actor=actor_of(record["actor"]), source=Source(record["source"]), **rest)


def actor_record(actor: Actor) -> dict[str, str]:
    known = {
        "type": str(actor.type),
        "persona": actor.persona,
        "hat": actor.hat,
        "instance": actor.instance,
    }
    return known | {"login": actor.login} if actor.login else known


def actor_of(record: Mapping[str, str]) -> Actor:
    rest = {name: record[name] for name in ("persona", "hat", "instance")}
    return Actor(type=ActorType(record["type"]), login=record.get("login", ""), **rest)


def canonical(value: object) -> str:
    """One text per value: sorted keys, no spaces, no escapes but JSON's own."""
    return write(value, is_sorted=True)


def fingerprint(value: object) -> str:
    """SHA-256 of the canonical text: equal values have equal fingerprints on every machine."""
    return fingerprint_of(canonical(value))


def fingerprint_of(text: str) -> str:
    """The fingerprint of the value whose canonical text this is."""
    return sha256(text.encode("utf-8", "surrogatepass"))


def _provenance_record(provenance: Provenance) -> dict[str, Any]:
    return {
        "actor": actor_record(provenance.actor),
        "session": provenance.session,
        "task": provenance.task,
        "source": str(provenance.source),
        "adapter": provenance.adapter,
        "receipt": provenance.receipt,
    }


def _read_or_none(text: str | None) -> Any:
    return read_stamp(text) if text else None


def _stamp_or_none(moment: datetime | None) -> str | None:
    return stamp(moment) if moment else None
