"""How a memory lies in its row: one column per field, and a hash over all of them."""

from datetime import datetime
from functools import lru_cache

from hindbrain.core.hints import Any
from hindbrain.core.model import Actor, ActorType, Counters, Kind, Memory, Provenance, Reach, Source
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.model.record import fingerprint, to_record
from hindbrain.core.notation import read, write
from hindbrain.core.recall.index import columns, scope

COLUMNS = (
    *("id", "project", "kind", "type", "category", "category_is_fixed", "title", "content", "body", "tags"),
    *("file_refs", "error_signature", "key", "legacy_key", "content_hash", "chorus_hash", "persona", "reach"),
    *("actor_type", "actor_persona", "hat", "instance", "session", "task", "source", "adapter", "receipt"),
    *("trust", "confidence", "importance", "evidence", "injected", "recalled", "cited", "confirmed"),
    *("learned_at", "created_at", "updated_at", "last_used_at", "verified_at", "decayed_at"),
    *("superseded_by", "superseded_at", "archived_at", "archive_reason", "is_pinned", "version", "row_hash"),
)
WRITTEN = (*COLUMNS, "scope", "title_words", "content_words", "extra_words")
SELECTED = ", ".join(f"m.{name}" for name in COLUMNS)


def to_row(memory: Memory, *, project_number: int, known_hash: str = "") -> tuple[Any, ...]:
    """Values for WRITTEN, in its order. Who knows the `row_hash` already need not have it computed again."""
    words = (" ".join(column) for column in columns(memory))
    return (*_values(memory), known_hash or row_hash(memory), " ".join(scope(memory, project_number)), *words)


def row_hash(memory: Memory) -> str:
    return fingerprint(to_record(memory))


def _values(memory: Memory) -> tuple[Any, ...]:
    actor, origin, count = memory.provenance.actor, memory.provenance, memory.counters
    return (
        *(memory.id, memory.project, str(memory.kind), memory.type, memory.category),
        *(int(memory.category_is_fixed), memory.title, memory.content, to_json(dict(memory.body))),
        *(
            to_json(memory.tags),
            to_json(memory.file_refs),
            memory.error_signature,
            memory.key,
            memory.legacy_key,
        ),
        *(memory.content_hash, memory.chorus_hash, memory.persona, str(memory.reach)),
        *(str(actor.type), actor.persona, actor.hat, actor.instance),
        *(origin.session, origin.task, str(origin.source), origin.adapter, origin.receipt),
        *(memory.trust, memory.confidence, memory.importance),
        *(count.evidence, count.injected, count.recalled, count.cited, count.confirmed),
        *(stamp(memory.learned_at), stamp(memory.created_at), stamp(memory.updated_at)),
        *(maybe_stamp(memory.last_used_at), maybe_stamp(memory.verified_at), maybe_stamp(memory.decayed_at)),
        *(memory.superseded_by, maybe_stamp(memory.superseded_at), maybe_stamp(memory.archived_at)),
        *(memory.archive_reason, int(memory.is_pinned), memory.version),
    )


@lru_cache(maxsize=2048)  # a question reads some rows twice, and the next one many of them again
def of_row(row: tuple[Any, ...]) -> Memory:
    """The memory in a row selected as SELECTED, which may go on behind it."""
    r = dict(zip(COLUMNS, row, strict=False))
    del r["row_hash"]
    for name in _TIMES:
        r[name] = read_moment(r[name])
    actor = Actor(
        type=ActorType(r.pop("actor_type")),
        persona=r.pop("actor_persona"),
        hat=r.pop("hat"),
        instance=r.pop("instance"),
    )
    r["provenance"] = Provenance(actor=actor, source=Source(r.pop("source")), **{name: r.pop(name) for name in _ORIGIN})
    r["counters"] = Counters(**{name: r.pop(name) for name in Counters.__slots__})
    r["kind"], r["reach"] = Kind(r["kind"]), Reach(r["reach"])
    r["category_is_fixed"], r["is_pinned"] = bool(r["category_is_fixed"]), bool(r["is_pinned"])
    r["body"] = read(r["body"]) if r["body"] != "{}" else {}
    r["tags"] = tuple(read(r["tags"])) if r["tags"] != "[]" else ()
    r["file_refs"] = tuple(read(r["file_refs"])) if r["file_refs"] != "[]" else ()
    return Memory(**r)


_ORIGIN = ("session", "task", "adapter", "receipt")
_TIMES = tuple(name for name in COLUMNS if name.endswith("_at"))


def to_json(value: object) -> str:
    return write(value)


def maybe_stamp(moment: datetime | None) -> str | None:
    return stamp(moment) if moment else None


def read_moment(text: str | None) -> Any:
    return read_stamp(text) if text else None
