"""Which tags a text earns: its type, then the words of a fixed list that it holds as whole words."""

from __future__ import annotations

from functools import cache

from hindbrain.core.words import listed, pieces

_KEYWORDS = listed(
    "swift swiftui appkit menubar api security test database networking ui layout performance crash bug "
    "fix workaround gotcha pattern convention architecture auth middleware async concurrency model "
    "protocol adapter scanner engine"
)

# Words that say a keyword in other letters. Only true synonyms: a database's product name is not one.
_SYNONYMS = {
    "async": "taskgroup await coroutine asynchronous asyncio",
    "auth": "authentication authorization authorisation oauth authn authz",
    "concurrency": "concurrent concurrently",
    "database": "db",
    "networking": "network",
    "performance": "perf",
}
_SUFFIXES = ("s", "es", "ed", "ing")


def tags_of(text: str, *, type: str) -> tuple[str, ...]:  # noqa: A002 (the word of the five documents)
    """The type first, then matching keywords in the order of the list, each once."""
    known = _forms()
    found = {known[piece] for piece in pieces(text) if piece in known}
    scanned = (keyword for keyword in _KEYWORDS if keyword in found and keyword != type)
    return (*((type,) if type else ()), *scanned)


@cache
def _forms() -> dict[str, str]:
    """Every spelling that counts, with the keyword it stands for."""
    forms: dict[str, str] = {}
    for keyword in _KEYWORDS:
        for word in (keyword, *_SYNONYMS.get(keyword, "").split()):
            forms |= {word + suffix: keyword for suffix in ("", *_SUFFIXES)}
    return forms
