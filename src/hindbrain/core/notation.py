"""How plain values are written down as JSON and read back, in the few forms that rows and hashes take.

What most rows hold (no text that needs an escape, empty lists, lists of plain words) is written and read here; the rest
is left to `json`, which loads the regular expressions and takes longer to load than a question takes to answer. Where
it is loaded already, it does all of the writing, with the same result and faster.
"""

import sys
from collections.abc import Callable
from functools import cache

from hindbrain.core.hints import Any

_ESCAPES = {
    **{code: f"\\u{code:04x}" for code in range(32)},
    **{ord(sign): f"\\{letter}" for sign, letter in zip('\b\t\n\f\r"\\', 'btnfr"\\', strict=True)},
}


def write(value: object, *, is_sorted: bool = False) -> str:
    """`value` as JSON, without spaces and with letters of every script as they are."""
    if not value and type(value) in _EMPTY:
        return _EMPTY[type(value)]
    if "json" not in sys.modules:
        try:
            return _written(value, is_sorted)
        except LookupError:
            pass  # a form that is not ours
    return _encoder(is_sorted)(value)


_EMPTY: dict[type[Any], str] = {dict: "{}", list: "[]", tuple: "[]"}


@cache
def _encoder(is_sorted: bool) -> Callable[[object], str]:
    """Made once: `json.dumps` makes one for every value that is not written in its own way."""
    import json

    return json.JSONEncoder(sort_keys=is_sorted, separators=(",", ":"), ensure_ascii=False).encode


def read(text: str) -> Any:
    """The value of a JSON text. ValueError when it is none."""
    if text == "{}":
        return {}
    if text == "[]":
        return []
    if text.startswith('["') and text.endswith('"]') and "\\" not in text and text.isprintable():
        words = text[2:-2].split('","')
        if '"' not in "".join(words):
            return words
    import json

    return json.loads(text)


def _written(value: object, is_sorted: bool) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if value is None or value is True or value is False:
        return _WORDS[value]
    if type(value) is int or (type(value) is float and value - value == 0):  # neither infinite nor no number
        return repr(value)
    return _container(value, is_sorted)


def _container(value: object, is_sorted: bool) -> str:
    if isinstance(value, list | tuple):
        return f"[{','.join([_written(item, is_sorted) for item in value])}]"
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        items = sorted(value.items()) if is_sorted else value.items()
        return f"{{{','.join([f'{_quoted(key)}:{_written(item, is_sorted)}' for key, item in items])}}}"
    raise LookupError


_WORDS = {None: "null", True: "true", False: "false"}


def _quoted(text: str) -> str:
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{text.translate(_ESCAPES)}"'
