"""What a file of the reflex folder tells every session, in one line, and what the master index of these lines is.

The files are those that Claude Code keeps as its memory, too: with a head of `name`, `description` and `metadata.type`,
or a name that begins with one of four words.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from hindbrain.core.front import fault_of, split
from hindbrain.core.value import dataclass

INDEX = "MEMORY.md"
PREFIXES = ("feedback", "user", "project", "reference")
TYPES: Mapping[str, str] = {
    "feedback": "convention",
    "user": "convention",
    "project": "decision",
    "reference": "learned",
}
LONGEST_LINE = 200  # characters of an entry's line

_SUFFIX = ".md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflex:
    """One file."""

    name: str  # of the file
    sort: str  # feedback, user, project, reference; "": it does not say
    title: str  # what its line in the index says
    text: str  # below the head
    links: tuple[str, ...] = ()  # files and notes that it names
    fault: str = ""  # what is wrong with its head


def wants(path: str) -> bool:
    """Whether a file of the folder is an entry; the master index itself is none, nor is what lies deeper."""
    return path.endswith(_SUFFIX) and "/" not in path and not path.startswith(".") and path != INDEX


def read(name: str, text: str) -> Reflex:
    head, body = split(text)
    metadata = head.get("metadata")
    said = str(metadata.get("type") or "") if isinstance(metadata, dict) else str(head.get("type") or "")
    told = (str(head.get("description") or ""), *_first_lines(body), name.removesuffix(_SUFFIX))
    return Reflex(
        name=name,
        sort=prefix_of(name) or (said if said in PREFIXES else ""),
        title=next(line for line in map(_one_line, told) if line),
        text=body,
        links=tuple(dict.fromkeys(links_of(body))),
        fault=fault_of(text),
    )


def prefix_of(name: str) -> str:
    """Which of the four words the name of a file begins with; "" for none."""
    return next((prefix for prefix in PREFIXES if name.startswith(f"{prefix}_")), "")


def line_of(name: str, title: str) -> str:
    """An entry of the master index. ValueError when it would not stay on its line."""
    if len(f"{name}{title}".splitlines()) != 1:
        raise ValueError("an entry of the index is one line")
    shown = title.replace("[", "(").replace("]", ")")
    return f"- [{name.removesuffix(_SUFFIX)}]({name}) — {shown}"[:LONGEST_LINE].rstrip()


def index_of(entries: Iterable[Reflex], present: str = "") -> str:
    """The master index: what `present` has beside entries, then a line for each file, sorted by name."""
    kept = [line for line in present.splitlines() if _pointer().search(line) is None]
    head = "\n".join(kept).strip("\n") or "# Memory"
    lines = [line_of(one.name, one.title) for one in sorted(entries, key=lambda one: one.name)]
    return "\n".join((head, "", *lines)) + "\n"


def pointers(index: str) -> tuple[str, ...]:
    """The files that a master index names, in order."""
    return tuple(found[1] for line in index.splitlines() if (found := _pointer().search(line)))


def missing(names: Sequence[str], index: str) -> tuple[str, ...]:
    """Files that the master index does not name exactly once."""
    named = pointers(index)
    return tuple(sorted(name for name in names if named.count(name) != 1))


def links_of(text: str) -> Iterator[str]:
    """Other files that a text names: `[x](other.md)` and `[[other]]`."""
    yield from (found[1] for found in _pointer().finditer(text) if "://" not in found[1])
    for found in _wikilink().finditer(text):
        yield f"{found[1].strip().removesuffix(_SUFFIX)}{_SUFFIX}"


def _first_lines(body: str) -> Iterator[str]:
    yield from (line.strip().lstrip("#").strip() for line in body[:4000].splitlines())


def _one_line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_LINE]


@cache
def _pointer() -> re.Pattern[str]:
    return re.compile(r"\]\(([^()\s]{1,300}\.md)\)")


@cache
def _wikilink() -> re.Pattern[str]:
    return re.compile(r"\[\[([^\[\]|#\n]{1,200})")
