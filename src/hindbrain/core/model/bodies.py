"""What only one kind of memory has: the fields of each kind's body, and what may stand in them.

Fields that a kind does not name are kept as they came: a file of another system must survive the round
trip. A named field with the wrong type is refused, so that readers need not check again.
"""

from collections.abc import Callable, Mapping

from hindbrain.core.model.memory import Kind

_Check = Callable[[object], bool]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _maps(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _map(value: object) -> bool:
    return isinstance(value, dict)


_EXPECTED: Mapping[_Check, str] = {
    _text: "text",
    _number: "a number",
    _flag: "true or false",
    _texts: "a list of texts",
    _maps: "a list of objects",
    _map: "an object",
}

_FIELDS: Mapping[Kind, Mapping[str, _Check]] = {
    Kind.LESSON: {"beads_source": _text},
    Kind.EPISODE: {
        "task_id": _text,
        "duration_seconds": _number,
        "agent": _text,
        "context": _map,
        "action_log": _maps,
        "outcome": _text,
        "errors_encountered": _maps,
        "artifacts_produced": _texts,
        "git_commit": _text,
    },
    Kind.PATTERN: {
        "conditions": _texts,
        "correct_approach": _text,
        "incorrect_approach": _text,
        "source_episodes": _texts,
    },
    Kind.ANTI_PATTERN: {"what_fails": _text, "why": _text, "prevention": _text, "source": _text},
    Kind.FACT: {"subject": _text},
    Kind.SKILL: {
        "name": _text,
        "prerequisites": _texts,
        "steps": _texts,
        "common_errors": _maps,
        "exit_criteria": _texts,
    },
    Kind.SCAR: {"outcome": _text, "check_added": _text, "is_learnable": _flag},
    Kind.REFLEX: {"path": _text, "description": _text},
    Kind.NOTE: {"path": _text, "status": _text, "aliases": _texts},
    Kind.ITERATION: {"thought": _text, "action": _text, "observation": _text, "number": _number},
}


def faults(kind: Kind, body: Mapping[str, object]) -> tuple[str, ...]:
    """What is wrong with `body` as the body of a `kind`, one sentence each. Empty when nothing is."""
    fields = _FIELDS[kind]
    return tuple(
        f"{kind}.{name} must be {_EXPECTED[check]}"
        for name, check in fields.items()
        if name in body and not check(body[name])
    )
