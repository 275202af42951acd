"""How a memory lies in its row: one column per field, and a hash over all of them."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from operator import itemgetter

from hindbrain.core.hints import Any
from hindbrain.core.model import Actor, ActorType, Counters, Kind, Memory, Provenance, Reach, Source
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.model.record import fingerprint, to_record
from hindbrain.core.notation import read, write
from hindbrain.core.recall.index import columns, scope
from hindbrain.core.value import filled

COLUMNS = (
    *("id", "project", "kind", "type", "category", "category_is_fixed", "title", "content", "body", "tags"),
    *("file_refs", "error_signature", "key", "legacy_key", "content_hash", "chorus_hash", "persona", "reach"),
    *("actor_type", "actor_persona", "hat", "instance", "session", "task", "source", "adapter", "receipt"),
    *("trust", "confidence", "importance", "evidence", "injected", "recalled", "cited", "confirmed"),
    *("learned_at", "created_at", "updated_at", "last_used_at", "verified_at", "decayed_at"),
    *("superseded_by", "superseded_at", "archived_at", "archive_reason", "is_pinned", "version", "row_hash"),
)
_WORDS = ("scope", "title_words", "content_words", "extra_words")
WRITTEN = (*COLUMNS, *_WORDS)
INDEXED = len(_WORDS)  # of WRITTEN the last ones, which the index of words holds
SELECTED = ", ".join(f"m.{name}" for name in COLUMNS)
THOSE = "json_each(?) j CROSS JOIN memory m ON m.id = j.value"  # of a JSON list of ids


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


def selected(ask: Callable[..., list[Any]], source: str, *values: Any) -> list[Any]:
    """Rows of `memory m`, each as SELECTED. Of one that holds bytes which are no text there is the id alone: nobody can
    read a memory in it, and it costs no other."""
    try:
        return ask(f"SELECT {SELECTED} FROM {source}", *values)
    except UnicodeDecodeError:
        raw = (f"CASE typeof(m.{name}) WHEN 'text' THEN CAST(m.{name} AS BLOB) ELSE m.{name} END" for name in COLUMNS)
        return [_texts(row) for row in ask(f"SELECT {', '.join(raw)} FROM {source}", *values)]


def _texts(raw: tuple[Any, ...]) -> tuple[Any, ...]:
    try:
        return tuple(value.decode() if isinstance(value, bytes) else value for value in raw)
    except UnicodeDecodeError:
        return (raw[0].decode("utf-8", "replace"), *(None,) * (len(raw) - 1))


def is_whole(row: Sequence[Any]) -> bool:
    """Whether a row selected as SELECTED says what it was written to say."""
    try:
        memory = of_row(tuple(row[: len(COLUMNS)]))
    except (ValueError, KeyError, TypeError):
        return False
    proof: str = row[len(COLUMNS) - 1]
    return row_hash(memory) == proof


@lru_cache(maxsize=2048)  # a question reads some rows twice, and the next one many of them again
def of_row(row: tuple[Any, ...]) -> Memory:
    """The memory in a row selected as SELECTED, which may go on behind it."""
    values = list(row[: len(COLUMNS)])
    for place in _TIMES:
        values[place] = read_moment(values[place])
    values[_KIND], values[_REACH] = Kind(values[_KIND]), Reach(values[_REACH])
    for place in _FLAGS:
        values[place] = bool(values[place])
    values[_BODY] = read(values[_BODY]) if values[_BODY] != "{}" else {}
    for place in _LISTS:
        values[place] = tuple(read(values[place])) if values[place] != "[]" else ()
    values += (_provenance(_origin(row)), _counters(_counted(row)))
    return filled(Memory, _in_order(values))


@lru_cache(maxsize=1024)  # a session teaches several
def _provenance(values: tuple[str, ...]) -> Provenance:
    kind, persona, hat, instance, source, *rest = values
    actor = Actor(type=ActorType(kind), persona=persona, hat=hat, instance=instance)
    return Provenance(actor=actor, source=Source(source), **dict(zip(_ORIGIN[5:], rest, strict=True)))


@lru_cache(maxsize=1024)  # most were taught once and hardly asked for
def _counters(values: tuple[int, ...]) -> Counters:
    return Counters(**dict(zip(_COUNTED, values, strict=True)))


def _of(names: Iterable[str]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """How these columns are taken from a row."""
    return itemgetter(*map(COLUMNS.index, names))


_ORIGIN = ("actor_type", "actor_persona", "hat", "instance", "source", "session", "task", "adapter", "receipt")
_COUNTED = ("evidence", "injected", "recalled", "cited", "confirmed")
_TIMES = tuple(place for place, name in enumerate(COLUMNS) if name.endswith("_at"))
_FLAGS = tuple(map(COLUMNS.index, ("category_is_fixed", "is_pinned")))
_LISTS = tuple(map(COLUMNS.index, ("tags", "file_refs")))
_KIND, _REACH, _BODY = map(COLUMNS.index, ("kind", "reach", "body"))
_origin, _counted = _of(_ORIGIN), _of(_COUNTED)
_in_order = itemgetter(*map((*COLUMNS, "provenance", "counters").index, Memory.__slots__))


def to_json(value: object) -> str:
    return write(value)


def maybe_stamp(moment: datetime | None) -> str | None:
    return stamp(moment) if moment else None


def read_moment(text: str | None) -> Any:
    return read_stamp(text) if text else None
