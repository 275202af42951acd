"""How a question is sent to the worker, and how its answer comes back as if it had been found here."""

import os
from collections.abc import Mapping
from datetime import datetime

from hindbrain.app.recall import Found, Question, recall
from hindbrain.app.tools import Tools
from hindbrain.core.address import is_server
from hindbrain.core.hints import Any
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.model.record import from_record, to_record
from hindbrain.core.model.score import Reason, Score
from hindbrain.core.recall import Recalled
from hindbrain.core.recall.gate import Gate
from hindbrain.core.value import names_of, replace
from hindbrain.errors import BadValue
from hindbrain.settings import Settings

_MATTERS = ("strategy",)  # settings that make another answer: the asker's count, not the worker's


def errand(question: Question, *, project: str, settings: Settings, space: str) -> dict[str, object]:
    """The message that has the worker answer `question` about the project with that id, by the model whose vectors lie
    in `space`: one that was started with another, or with none, would find something else."""
    return {
        "do": "recall",
        "store": place(settings),
        "space": space,
        "project": project,
        "settings": {name: getattr(settings, name) for name in _MATTERS},
        "question": {name: _plain(getattr(question, name)) for name in names_of(question)},
    }


def place(settings: Settings) -> str:
    """By what two processes know that they have the same store."""
    return settings.store if is_server(settings.store) else os.path.realpath(settings.store)


def answer(message: Mapping[str, Any], *, tools: Tools) -> dict[str, object]:
    """What the worker says to such a message. BadValue when it is none, about another store, or by another model."""
    try:
        if message["store"] != place(tools.settings):
            raise BadValue("this worker has another store", fix="ask the worker of that one")
        if message["space"] != (tools.embedder.space.name if tools.embedder else ""):
            raise BadValue("this worker has another model, or none", fix="do without it")
        settings = replace(tools.settings, **{name: message["settings"][name] for name in _MATTERS})
        question = _question(message["question"])
        project = "" + message["project"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadValue(f"that is no question: {error!r}", fix="ask as the command line does") from error
    found = recall(question, project=project, tools=replace(tools, settings=settings))
    rest = {name: getattr(found, name) for name in names_of(found) if name != "memories"}
    return {**rest, "memories": [_record(item) for item in found]}


def found(answered: Mapping[str, Any] | None) -> Found | None:
    """What the worker found; None when that is not what it says."""
    if answered is None:
        return None
    try:
        rest = {name: _restored(value) for name, value in answered.items() if name != "memories"}
        return Found(memories=tuple(_recalled(record) for record in answered["memories"]), **rest)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _plain(value: Any) -> Any:
    return stamp(value) if isinstance(value, datetime) else value


def _question(record: Mapping[str, Any]) -> Question:
    as_of = record["as_of"]
    fields = {name: _restored(value) for name, value in record.items()}
    return Question(**(fields | {"as_of": read_stamp(as_of) if as_of else None}))


def _restored(value: Any) -> Any:
    """JSON knows no tuples."""
    return tuple(map(_restored, value)) if isinstance(value, list) else value


def _record(item: Recalled) -> dict[str, Any]:
    reasons = [[reason.name, reason.value, reason.weight, reason.note] for reason in item.reasons]
    gate = [item.gate.value, item.gate.least] if item.gate else None
    return {
        "memory": to_record(item.memory),
        "reasons": reasons,
        "similarity": item.similarity,
        "speaks": item.speaks,
        "pieces": item.pieces,
        "gate": gate,
        "band": item.band,
    }


def _recalled(record: Mapping[str, Any]) -> Recalled:
    value, least = record["gate"] or (0.0, 0.0)
    return Recalled(
        memory=from_record(record["memory"]),
        score=Score(tuple(Reason(*reason) for reason in record["reasons"])),
        similarity=record["similarity"],
        speaks=tuple(record["speaks"]),
        pieces=record["pieces"],
        gate=Gate(value=value, least=least) if record["gate"] else None,
        band=record["band"],
    )
