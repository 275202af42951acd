"""What Beads' own scripts print: what `recall.sh` answers, and what a new session is told.

To the letter of the scripts as they were recorded, but for their faults (F-26): a bad line costs only itself, names of
fields are not searched, and a query is not a pattern unless somebody says so.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hindbrain.core.value import dataclass
from hindbrain.dialects.careful import lines_of

USAGE = "Usage: recall.sh [query] [--type learned|investigation] [--all] [--recent N] [--stats]\n"
_NOTHING = (
    "No knowledge entries yet.\n"
    "Entries are created automatically from bd comment commands with INVESTIGATION: or LEARNED: prefixes.\n"
)
_FOUND, _RECENT, _STARTED = 200, 120, 100  # characters of content in each of the three
_LATEST = 10  # entries of --recent without a number
_AT_START = 5
_LONGEST_PATTERN = 1_000  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    text: str
    exit_code: int = 0


def searched(words: Sequence[str], *, active: bytes | None, archive: bytes | None = None) -> Printed:
    """The answer of `recall.sh` with these arguments beside these two files (BD-033..BD-041)."""
    try:
        asked = _asked(words)
    except ValueError as error:
        return Printed(text=f"{error}\n{USAGE}", exit_code=1)
    if asked.is_help:
        return Printed(text=USAGE)
    if not (active or b"").strip():
        return Printed(text=_NOTHING)
    if not (asked.is_stats or asked.recent or asked.query):
        return Printed(text=USAGE, exit_code=1)
    return Printed(text=_told(asked, active or b"", archive=archive or b""))


def _told(asked: "_Asked", active: bytes, *, archive: bytes) -> str:
    lines = list(_entries(active))
    if asked.is_stats:
        return _counts(active, lines, archived=_lines(archive))
    if asked.recent:
        shown = [_block(one, most=_RECENT, has_tags=False) for one in lines[-asked.recent :]]
        return f"## Recent Knowledge ({len(shown)} entries)\n\n{''.join(shown)}"
    return _matching(asked, [*_entries(archive), *lines] if asked.is_all else lines)


def started(active: bytes | None) -> str:
    """What session-start prints of it; "" when there is nothing (BD-025..BD-032)."""
    entries = _latest(_entries(active or b""))
    if not entries:
        return ""
    shown = [f"  [{_type(one)}] {_text(one, 'content')[:_STARTED]}  ({_text(one, 'source')})" for one in entries]
    head = f"## Recent Knowledge ({_lines(active or b'')} entries)"
    return "\n".join([head, "", *shown[:_AT_START], "", '  Search: .beads/memory/recall.sh "keyword"', "", ""])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    query: str = ""
    type: str = ""
    recent: int = 0
    is_all: bool = False
    is_stats: bool = False
    is_help: bool = False
    matches: Callable[[str], bool]


def _asked(words: Sequence[str]) -> _Asked:
    """Of several queries the last one counts; an option that is not known is a query. ValueError: a bad pattern."""
    given: dict[str, Any] = {}
    rest = list(words)
    is_pattern = "--regex" in rest
    while rest:
        word = rest.pop(0)
        if word in _FLAGS:
            given[_FLAGS[word]] = True
        elif word == "--type" and rest:
            given["type"] = rest.pop(0)
        elif word == "--recent":
            given["recent"] = max(int(rest.pop(0)), 1) if rest and rest[0].isdigit() else _LATEST
        elif word != "--regex":
            given["query"] = word
    return _Asked(**given, matches=_matcher(str(given.get("query", "")), is_pattern=is_pattern))


_FLAGS = {"--all": "is_all", "--stats": "is_stats", "--help": "is_help", "-h": "is_help"}


def _matcher(query: str, *, is_pattern: bool) -> Callable[[str], bool]:
    if not is_pattern:
        wanted = query.casefold()
        return lambda text: wanted in text.casefold()
    try:
        pattern = re.compile(query[:_LONGEST_PATTERN], re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"not a pattern: {error}") from None
    return lambda text: pattern.search(text) is not None


def _matching(asked: _Asked, entries: Sequence[dict[str, Any]]) -> str:
    found = [one for one in _latest(entries) if any(map(asked.matches, _searchable(one)))]
    if asked.type:
        found = [one for one in found if one.get("type") == asked.type]
    if found:
        return "".join(_block(one, most=_FOUND, has_tags=True) for one in found)
    filtered = f"  (filtered by type: {asked.type})\n" if asked.type else ""
    return f"No knowledge entries matching '{asked.query}'\n{filtered}"


def _searchable(entry: dict[str, Any]) -> Iterator[str]:
    yield from (_text(entry, name) for name in ("content", "key", "bead"))
    yield from _tags(entry)


def _latest(entries: Iterator[dict[str, Any]] | Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of several with one key the newest, of equally new ones the later; newest first."""
    ordered = sorted(enumerate(entries), key=lambda item: (_moment(item[1]), item[0]))
    last = {_text(entry, "key") or f"#{number}": (number, entry) for number, entry in ordered}
    newest = sorted(last.values(), key=lambda item: (_moment(item[1]), item[0]), reverse=True)
    return [entry for _, entry in newest]


def _counts(content: bytes, entries: Sequence[dict[str, Any]], *, archived: int) -> str:
    counts = {
        "Active entries": _lines(content),
        "Unique keys": len({_text(one, "key") for one in entries}),
        "Learned": sum(one.get("type") == "learned" for one in entries),
        "Investigation": sum(one.get("type") == "investigation" for one in entries),
        "Archived": archived,
    }
    return "## Knowledge Base Stats\n" + "".join(f"  {f'{name}:':<16}{count}\n" for name, count in counts.items())


def _block(entry: dict[str, Any], *, most: int, has_tags: bool) -> str:
    tags = f" tags={','.join(_tags(entry))}" if has_tags else ""
    told = f"  source={_text(entry, 'source')} bead={_text(entry, 'bead')}{tags}\n"
    return f"[{_type(entry)}] {_text(entry, 'key')}\n  {_text(entry, 'content')[:most]}\n{told}\n"


def _entries(content: bytes) -> Iterator[dict[str, Any]]:
    return (line.value for line in lines_of(content) if isinstance(line.value, dict))


def _lines(content: bytes) -> int:
    return sum(bool(line.strip()) for line in content.split(b"\n"))


def _type(entry: dict[str, Any]) -> str:
    return _text(entry, "type").upper()[:5]


def _text(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def _tags(entry: dict[str, Any]) -> list[str]:
    tags = entry.get("tags")
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []


def _moment(entry: dict[str, Any]) -> float:
    value = entry.get("ts")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
