"""The JSON that scripts may rely on: which keys each answer has."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from hindbrain.core.hints import TYPE_CHECKING, Any
from hindbrain.core.model import Injection, Memory, Receipt, Score, Version
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.record import actor_record, to_record
from hindbrain.core.value import names_of

if TYPE_CHECKING:
    from hindbrain.app.inject import Injected
    from hindbrain.app.recall import Found
    from hindbrain.core.recall import Recalled


def memory_record(memory: Memory) -> dict[str, Any]:
    """Every field, and the state that follows from them."""
    return {**to_record(memory), "state": str(memory.state)}


def found_record(found: "Found") -> dict[str, Any]:
    memories = [{**memory_record(one.memory), **_judged(one)} for one in found.memories]
    return {"memories": memories, **_searched(found)}


def _judged(found: "Recalled") -> dict[str, Any]:
    """What a question makes of a memory."""
    start, end = found.speaks
    gate = found.gate
    return {
        **score_record(found.score),
        "similarity": found.similarity,
        "label": _label(found),
        "piece": None if found.similarity is None else {"start": start, "end": end},
        "gate": gate and {"value": gate.value, "least": gate.least, "is_open": gate.is_open},
    }


def _label(found: "Recalled") -> str | None:
    """How far to rely on a match, by its raw similarity and not by its score (X-21)."""
    from hindbrain.core.recall.strategies.doc05 import label

    return None if found.similarity is None else label(found.similarity)


def injected_record(injected: "Injected") -> dict[str, Any]:
    return {
        "text": injected.text,
        "injection_id": injected.injection_id,
        "memory_ids": list(injected.memory_ids),
        "shown": [{"memory_id": one.id, **_judged(one)} for one in injected.shown],
        "kept_out": [{"memory_id": one.id, **_judged(one)} for one in injected.kept_out],
        **_searched(injected),
    }


def _searched(found: "Found | Injected") -> dict[str, Any]:
    """How an answer was looked for, and what stood in its way."""
    return {
        "how": found.how,
        "spelled": [{"word": word, "taken_for": other} for word, other in found.spelled],
        "repeats": [{"memory_id": memory_id, "repeats": other} for memory_id, other in found.repeats],
        "left_out": found.left_out,
        **({"notices": list(found.notices)} if found.notices else {}),
    }


def score_record(score: Score) -> dict[str, Any]:
    reasons = [{"name": r.name, "value": r.value, "weight": r.weight, "note": r.note} for r in score.reasons]
    return {"score": score.total, "reasons": reasons}


def receipt_record(receipt: Receipt) -> dict[str, Any]:
    return {
        "verdict": str(receipt.verdict),
        "memory_id": receipt.memory_id,
        "text": receipt.text,
        "reason": receipt.reason,
        "supersedes": list(receipt.supersedes),
        "id": receipt.id,
        "at": stamp(receipt.at),
        "said_at": stamp(receipt.said_at) if receipt.said_at else None,
        "signal": receipt.signal,
        "session": receipt.session,
        "task": receipt.task,
        "adapter": receipt.adapter,
        "origin": receipt.origin,
        "line": receipt.line,
        "removed": list(receipt.removed),
        "replayed": receipt.is_replay,
    }


def version_record(version: Version) -> dict[str, Any]:
    return {
        "change": version.change,
        "changed_by": actor_record(version.changed_by),
        "since": stamp(version.since),
        "until": stamp(version.until) if version.until else None,
        "memory": memory_record(version.memory),
    }


def injection_record(injection: Injection) -> dict[str, Any]:
    shown = [{"memory_id": s.memory_id, "version": s.version, **score_record(s.score)} for s in injection.shown]
    rest = {name: plain(getattr(injection, name)) for name in names_of(injection) if name != "shown"}
    return {**rest, "shown": shown}


def plain(value: object) -> Any:
    """Any answer as JSON values: values of the model in their own shape, other dataclasses field by field."""
    match value:
        case Memory():
            return memory_record(value)
        case Receipt():
            return receipt_record(value)
        case Version():
            return version_record(value)
        case Injection():
            return injection_record(value)
        case str():
            return str(value)
        case datetime():
            return stamp(value)
    if names := names_of(value):
        return {name: plain(getattr(value, name)) for name in names}
    return _plain_container(value)


def _plain_container(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value
