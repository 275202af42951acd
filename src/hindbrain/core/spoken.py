"""Where the JSON is in what a model says: alone, between fences, or after a sentence that nobody asked for."""

import json
from collections.abc import Callable

from hindbrain.core.hints import Any

_DEEPEST = 64  # levels: more is no answer but an attack on whoever walks through it


def spoken(text: str) -> Any:
    """The value that `text` says in JSON; ValueError when there is none, or one that is nested beyond reason."""
    bare = _unfenced(text.strip())
    start = min((at for at in (bare.find("{"), bare.find("[")) if at >= 0), default=0)
    try:
        value, _ = json.JSONDecoder(parse_constant=_refused).raw_decode(bare, start)
    except RecursionError:
        raise ValueError("it is nested beyond reason") from None
    _refuse_depth(value)
    return value


def changed(value: Any, change: Callable[[str], str]) -> Any:
    """`value` with every text in it, names included, replaced by what `change` makes of it."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [changed(item, change) for item in value]
    if isinstance(value, dict):
        return {change(name): changed(item, change) for name, item in value.items()}
    return value


def _unfenced(text: str) -> str:
    """From behind the opening fence on. Where the closing one is need not be known, and a text may hold one, too."""
    opening = text.find("```")
    if opening < 0 or text[:1] in ("{", "["):
        return text
    begin = text.find("\n", opening)
    return text[begin + 1 :].strip() if begin >= 0 else text


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _refuse_depth(value: Any) -> None:
    level = [value]
    for _ in range(_DEEPEST):
        level = [inner for one in level for inner in _within(one)]
        if not level:
            return
    raise ValueError("it is nested beyond reason")


def _within(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
