"""What a note of an Obsidian vault says: its head, its links, its headings, and where each link leads.

Nothing here ever writes a note. Links in code are no links: what stands in a fence or between ticks is somebody's
example.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from hindbrain.core.front import fault_of, split
from hindbrain.core.hints import Any
from hindbrain.core.value import dataclass

FOLDERS = ("permanent", "inbox", "moc", "daily", "fleeting")
DRAFTS = "inbox"  # where agents may write
CONSOLIDATED = "permanent"  # where only a person does

_SUFFIX = ".md"
_LONGEST_TITLE = 200  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Wikilink:
    """`[[target#heading|alias]]`, `[[target#^block]]`, `![[target]]`; without a target it means its own note."""

    target: str
    line: int  # 1-based, within the whole file
    heading: str = ""
    block: str = ""
    alias: str = ""
    is_embed: bool = False

    def __str__(self) -> str:
        place = f"#{self.heading}" if self.heading else f"#^{self.block}" if self.block else ""
        return f"{'!' if self.is_embed else ''}[[{self.target}{place}]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    path: str  # from the top of the vault, with forward slashes
    title: str
    text: str  # below the head, as it stands
    type: str | None = None  # as the head says; None: it does not
    status: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    links: tuple[Wikilink, ...] = ()
    headings: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    fault: str = ""  # what is wrong with its head

    @property
    def folder(self) -> str:
        return folder_of(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A link that leads nowhere."""

    path: str
    line: int
    link: str
    why: str


def wants(path: str) -> bool:
    """Whether a file of the vault is a note that is indexed."""
    return path.endswith(_SUFFIX) and bool(folder_of(path)) and not _is_hidden(path)


def folder_of(path: str) -> str:
    """Which of the five folders a file lies in; "" for none."""
    top, slash, _ = path.partition("/")
    return top if slash and top in FOLDERS else ""


def read(path: str, text: str) -> Note:
    """Tolerant: whatever is in the file, this is a note, and `fault` says what could not be read."""
    head, body = split(text)
    first = text.count("\n", 0, len(text) - len(body))
    lines = tuple(_prose(body))
    headings = tuple(found[1].strip().rstrip("#").strip() for _, line in lines if (found := _heading().match(line)))
    return Note(
        path=path,
        title=_title(path, head, headings=headings),
        text=body,
        type=_word(head.get("type")),
        status=_word(head.get("status")),
        aliases=_words(head.get("aliases", head.get("alias"))),
        tags=_words(head.get("tags", head.get("tag"))),
        links=(*_of_head(head), *(link for number, line in lines for link in _links(line, first + number))),
        headings=headings,
        blocks=tuple(found[1] for _, line in lines if (found := _block().search(line))),
        fault=fault_of(text) or ("" if head else "it has no head"),
    )


class Map:
    """Where the links of a vault lead, by the names of its files."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(paths, key=lambda one: (one.count("/"), one)):
            self._by_name.setdefault(_bare(path.rpartition("/")[2]), []).append(path)

    def find(self, target: str, *, beside: str) -> str | None:
        """The file that a link in the note `beside` means: the one at that path, else in the same folder, else the one
        nearest to the top; case does not count."""
        wanted = _bare(target.strip().strip("/"))
        named = self._by_name.get(wanted.rpartition("/")[2], ())
        found = [path for path in named if f"/{_bare(path)}".endswith(f"/{wanted}")]
        folder = beside.rpartition("/")[0]
        whole = [path for path in found if _bare(path) == wanted]
        near = [path for path in found if path.rpartition("/")[0] == folder]
        return next(iter((*whole, *near, *found)), None)


def broken(notes: Mapping[str, Note], others: Sequence[str] = ()) -> Iterator[Broken]:
    """Links that lead nowhere, in order. `notes` are by their paths; `others` are the vault's remaining files."""
    where = Map((*notes, *others))
    for path in sorted(notes):
        for link in notes[path].links:
            if why := _lacks(link, notes, where=where, path=path):
                yield Broken(path=path, line=link.line, link=str(link), why=why)


def _lacks(link: Wikilink, notes: Mapping[str, Note], *, where: Map, path: str) -> str:
    found = where.find(link.target, beside=path) if link.target else path
    if found is None:
        return "there is no such note"
    if found not in notes:
        return ""
    named = (_folded(part) for part in link.heading.split("#") if part.strip())
    known = {_folded(heading) for heading in notes[found].headings}
    if link.heading and not all(part in known for part in named):
        return f"{found} has no such heading"
    return f"{found} has no such block" if link.block and link.block not in notes[found].blocks else ""


def slug(text: str) -> str:
    """A name for a file: small letters, digits and hyphens, 60 characters at most; "note" when nothing is left."""
    return "-".join(_word_like().findall(text.casefold()[:400]))[:60].strip("-") or "note"


def written(title: str, text: str, *, head: Mapping[str, str]) -> str:
    """A new note, as agents write it: a head of plain lines, a heading, the text."""
    lines = "".join(f"{name}: {_quoted(value)}\n" for name, value in head.items())
    return f"---\n{lines}---\n# {' '.join(title.split())}\n\n{text.strip()}\n"


def _quoted(value: str) -> str:
    plain = " ".join(value.split())
    return plain if _is_plain().fullmatch(plain) else '"{}"'.format(plain.replace('"', "'"))


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of fences, with what stands between ticks blanked out; numbered from 1."""
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        mark = _fence().match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield number, _without_code(line) if "`" in line else line


def _without_code(line: str) -> str:
    """Spans of code as blanks. A span ends with as many ticks as it began with; ticks that nothing closes are text."""
    runs = [(run.start(), run.end()) for run in _ticks().finditer(line)]
    later: dict[int, list[int]] = {}  # length of a run -> its numbers, the last first
    for number in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[number][1] - runs[number][0], []).append(number)
    pieces: list[str] = []
    at = number = 0
    while number < len(runs):
        start, end = runs[number]
        same = later[end - start]
        while same and same[-1] <= number:
            same.pop()
        if same:
            number = same[-1]
            pieces += [line[at:start], " "]
            at = runs[number][1]
        number += 1
    return "".join((*pieces, line[at:]))


def _links(line: str, number: int) -> Iterator[Wikilink]:
    for found in _wikilink().finditer(line) if "[[" in line else ():
        link = _link(found["inside"], line=number, is_embed=bool(found["embed"]))
        if link.target or link.heading or link.block:
            yield link


def _link(inside: str, *, line: int, is_embed: bool = False) -> Wikilink:
    place, _, alias = inside.replace("\\|", "|").partition("|")
    target, _, within = place.partition("#")
    is_block = within.startswith("^")
    return Wikilink(
        target=target.strip(),
        line=line,
        heading="" if is_block else within.strip(),
        block=within[1:].strip() if is_block else "",
        alias=alias.strip(),
        is_embed=is_embed,
    )


def _of_head(head: Mapping[str, Any]) -> Iterator[Wikilink]:
    """Links that stand in properties."""
    for value in head.values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                yield from _links(text, 1)


def _title(path: str, head: Mapping[str, Any], *, headings: Sequence[str]) -> str:
    stem = path.rpartition("/")[2].removesuffix(_SUFFIX)
    said = _word(head.get("title")) or next(iter(headings), "") or stem
    return said[:_LONGEST_TITLE]


def _word(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _words(value: object) -> tuple[str, ...]:
    found = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    return tuple(dict.fromkeys(text for item in found if isinstance(item, str) and (text := item.strip(" #"))))


def _bare(path: str) -> str:
    folded = path.casefold()
    return folded.removesuffix(_SUFFIX)


def _folded(heading: str) -> str:
    """As Obsidian compares headings: signs that a link cannot hold do not count."""
    return " ".join(_unlinkable().sub(" ", heading).casefold().split())


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


@cache
def _wikilink() -> re.Pattern[str]:
    return re.compile(r"(?P<embed>!?)\[\[(?P<inside>[^\[\]\n]{1,500})\]\]")


@cache
def _heading() -> re.Pattern[str]:
    return re.compile(r" {0,3}#{1,6}[ \t]+(\S.{0,500})")


@cache
def _block() -> re.Pattern[str]:
    return re.compile(r"(?:^|\s)\^([A-Za-z0-9-]{1,100})\s*\Z")


@cache
def _fence() -> re.Pattern[str]:
    return re.compile(r" {0,3}(`{3,}|~{3,})")


@cache
def _ticks() -> re.Pattern[str]:
    return re.compile(r"`+")


@cache
def _unlinkable() -> re.Pattern[str]:
    return re.compile(r"[#^\[\]|:\\]+")


@cache
def _word_like() -> re.Pattern[str]:
    return re.compile(r"[^\W_]+")


@cache
def _is_plain() -> re.Pattern[str]:
    return re.compile(r"[^\W_][\w ./+-]{0,300}")
