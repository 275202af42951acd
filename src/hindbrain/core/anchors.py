"""Whether the code still says what a memory says about it.

A memory is tied to a file, to some of its lines, or to what it calls by name, by a digest of that text without its
blanks: what was only laid out anew is the same, and so is what was moved as a whole. The digest carries the length of
the text, by which it is found again elsewhere, and how often it stood in the file: of two equal lines one may change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import accumulate, islice

from hindbrain.core.definitions import places, resolved
from hindbrain.core.digest import sha256
from hindbrain.core.model import Memory
from hindbrain.core.model.outcome import Anchor, Freshness
from hindbrain.core.shape.file_refs import matches_path
from hindbrain.core.value import dataclass, replace

FEW = 5  # a pattern that means more files than this speaks of none of them
MOST = 20  # anchors of one memory
_NAMES = 12  # that a text may call; more is a list, not a statement
_READ = 1 << 16  # characters of a memory
_HASHED = 64_000_000  # characters that are hashed to find a text that was moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A place in the code as a memory names it."""

    ref: str  # a path, the end of one, a folder or a pattern
    symbol: str = ""
    start: int = 0  # first line; 0: none is named
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file as it is now."""

    path: str
    blob: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What became of an anchor."""

    freshness: Freshness
    note: str = ""
    start: int = 0  # where the text is now
    end: int = 0


class Tree:
    """The files of a code base by their paths, so that a reference finds its own without looking at all of them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = dict.fromkeys(paths)
        self._by_name: dict[str, list[str]] = {}
        self._folders: dict[str, list[str]] = {}
        for path in self._paths:
            *folders, name = path.split("/")
            self._by_name.setdefault(name, []).append(path)
            for folder in accumulate(folders, "{}/{}".format):
                inside = self._folders.setdefault(folder, [])
                if len(inside) <= FEW:
                    inside.append(path)

    def meant(self, ref: str) -> tuple[str, ...]:
        """The file of that path, else the only one whose path ends so, else the few that a pattern or a folder covers.

        What points out of the code base means nothing.
        """
        ref = ref.removesuffix("/**").rstrip("/")
        if ref.startswith(("/", "~")) or ref in ("", ".") or ".." in ref.split("/"):
            return ()
        if ref in self._paths:
            return (ref,)
        found = self._covered(ref) if "*" in ref or "?" in ref else self._folders.get(ref) or self._ending(ref)
        return tuple(found) if len(found) <= FEW else ()

    def namesakes(self, path: str) -> tuple[str, ...]:
        """Other files of the same name; none when there are many."""
        others = [other for other in self._by_name.get(path.rpartition("/")[2], ()) if other != path]
        return tuple(others) if len(others) <= FEW else ()

    def _covered(self, pattern: str) -> list[str]:
        return list(islice((path for path in self._paths if matches_path(pattern, path)), FEW + 1))

    def _ending(self, ref: str) -> list[str]:
        ends = [path for path in self._by_name.get(ref.rpartition("/")[2], ()) if path.endswith(f"/{ref}")]
        return ends if len(ends) == 1 else []


def cited(memory: Memory) -> tuple[Cited, ...]:
    """Which places a memory speaks of: its files, with the lines or names that it gives for them."""
    found: dict[Cited, None] = {}
    written = [_split(token) for token in _placed().findall(memory.content[:_READ])]
    exact = [*map(_split, memory.file_refs), *(one for one in written if "." in one.ref or "/" in one.ref)]
    placed = [one for one in exact if one.start or one.symbol]
    for one in exact:
        if one in placed or not any(matches_path(one.ref, other.ref) for other in placed):
            found[one] = None
    return tuple(found)[:MOST]


def names(memory: Memory) -> tuple[str, ...]:
    """What a text calls by name, in backticks or with parentheses: `Worktree.close()` is `Worktree.close`."""
    text = memory.content[:_READ]
    quoted = (hit[1] or hit[2] for hit in _named().finditer(text))
    found = dict.fromkeys(re.sub(r"::|#|->", ".", name) for name in quoted)
    return tuple(found)[:_NAMES]


def tied(memory: Memory, sources: Mapping[Cited, Iterable[Source]], *, at: datetime) -> tuple[Anchor, ...]:
    """Anchors of `memory` in the files that each of its references means, as these are now."""
    called = names(memory)
    found: dict[tuple[str, str, int, int], Anchor] = {}
    for cite, files in sources.items():
        for source in files:
            for anchor in _drafts(cite, source, called=called, blank=_blank(memory, source, at=at)):
                found.setdefault((anchor.path, anchor.symbol, anchor.start, anchor.end), anchor)
    return tuple(found.values())[:MOST]


def compare(anchor: Anchor, now: str | None) -> Seen:
    """Whether the text that `anchor` is tied to stands in a file with the content `now`; None: there is no file."""
    if now is None:
        return Seen(freshness=Freshness.GONE, note=f"{anchor.path} is gone", start=anchor.start, end=anchor.end)
    if anchor.symbol:
        return _compare_symbol(anchor, now)
    return _compare_lines(anchor, now) if anchor.start else _compare_file(anchor, now)


def told(before: str, after: str) -> str:
    """How much of a text is another, in words: "" when that cannot be told by its lines."""
    old, new = (Counter(filter(None, map(_squeezed, text.split("\n")))) for text in (before, after))
    gone, come = (old - new).total(), (new - old).total()
    parts = [
        f"{count} {'line' if count == 1 else 'lines'} {word}"
        for count, word in ((gone, "gone"), (come, "new"))
        if count
    ]
    return " and ".join(parts)


def span(anchor: Anchor, text: str) -> str | None:
    """The text that `anchor` is tied to in `text`, a content in which it is fresh; None where it is not."""
    seen = compare(anchor, text)
    if seen.freshness is not Freshness.FRESH:
        return None
    return _symbol_text(anchor, text) if anchor.symbol else _cut(text, seen.start, end=seen.end) if seen.start else text


def place(anchor: Anchor, text: str) -> str | None:
    """What stands in `text` where `anchor` points, whether it is what it was tied to or not."""
    return (
        _symbol_text(anchor, text)
        if anchor.symbol
        else _cut(text, anchor.start, end=anchor.end)
        if anchor.start
        else text
    )


def _split(token: str) -> Cited:
    """`path:10-20`, `path#L10-L20`, `path::Class::name` and `path:10` as what they are."""
    token = token.strip().replace("\\", "/").removeprefix("./")
    lines = _lines().search(token)
    if lines:
        start = int(lines[1])
        end = int(lines[2] or start)
        is_sound = 0 < start <= end
        return Cited(ref=token[: lines.start()], start=start if is_sound else 0, end=end if is_sound else 0)
    path, sign, symbol = token.partition("::")
    symbol = symbol.replace("::", ".").removesuffix("()")
    return Cited(ref=path, symbol=symbol if sign and _name().fullmatch(symbol) else "")


def _blank(memory: Memory, source: Source, *, at: datetime) -> Anchor:
    return Anchor(
        memory_id=memory.id, project=memory.project, path=source.path, tied_at=at, checked_at=at, blob=source.blob
    )


def _drafts(cite: Cited, source: Source, *, called: Sequence[str], blank: Anchor) -> list[Anchor]:
    """The lines or the name that is cited; else what the memory calls by name and the file defines; else the file."""
    if cite.start:
        text = _cut(source.text, cite.start, end=cite.end)
        if _squeezed(text):
            return [replace(blank, start=cite.start, end=cite.end, digest=_seal(text, source.text))]
    wanted = (cite.symbol,) if cite.symbol else called if not cite.start else ()
    symbols = dict.fromkeys(filter(None, (resolved(source.text, name, path=source.path) for name in wanted)))
    drafts = [_tied_symbol(replace(blank, symbol=symbol), source.text) for symbol in symbols]
    return drafts or [replace(blank, digest=_seal(source.text, ""))]


def _tied_symbol(anchor: Anchor, text: str) -> Anchor:
    first = places(text, anchor.symbol, path=anchor.path)[0]
    return replace(anchor, start=first.start, end=first.end, digest=_seal(_symbol_text(anchor, text) or "", ""))


def _symbol_text(anchor: Anchor, text: str) -> str | None:
    """All definitions of the name: of several, any may be the one that is meant."""
    found = places(text, anchor.symbol, path=anchor.path)
    if not found:
        return None
    lines = text.split("\n")
    return "\n".join("\n".join(lines[one.start - 1 : one.end]) for one in found)


def _compare_symbol(anchor: Anchor, now: str) -> Seen:
    found = places(now, anchor.symbol, path=anchor.path)
    if not found:
        note = f"`{anchor.symbol}` is not in {anchor.path} any more"
        return Seen(freshness=Freshness.GONE, note=note, start=anchor.start, end=anchor.end)
    start, end = found[0]
    if _seal(_symbol_text(anchor, now) or "", "") == anchor.digest:
        return Seen(freshness=Freshness.FRESH, start=start, end=end)
    note = f"`{anchor.symbol}` in {anchor.path} changed"
    return Seen(freshness=Freshness.SUSPECT, note=note, start=start, end=end)


def _compare_file(anchor: Anchor, now: str) -> Seen:
    if _seal(now, "") == anchor.digest:
        return Seen(freshness=Freshness.FRESH)
    return Seen(freshness=Freshness.SUSPECT, note=f"{anchor.path} changed")


def _compare_lines(anchor: Anchor, now: str) -> Seen:
    count, length, digest = _opened(anchor.digest)
    here = _squeezed(_cut(now, anchor.start, end=anchor.end))
    if _digest(here) == digest:
        return Seen(freshness=Freshness.FRESH, start=anchor.start, end=anchor.end)
    found = _places_of(digest, length, whole=now)
    where = f"lines {anchor.start}-{anchor.end}" if anchor.end > anchor.start else f"line {anchor.start}"
    if not found or len(found) < count:
        note = f"{where} of {anchor.path} changed"
        return Seen(freshness=Freshness.SUSPECT, note=note, start=anchor.start, end=anchor.end)
    start, end = min(found, key=lambda place: (abs(place[0] - anchor.start), place))
    return Seen(freshness=Freshness.FRESH, note=f"{where} moved to line {start}", start=start, end=end)


def _seal(text: str, whole: str) -> str:
    """How often `text` stands in `whole` (at least once), its length and its digest."""
    squeezed = _squeezed(text)
    digest = _digest(squeezed)
    count = len(_places_of(digest, len(squeezed), whole=whole)) if whole else 1
    return f"{max(count, 1)}.{len(squeezed)}.{digest}"


def _opened(seal: str) -> tuple[int, int, str]:
    count, _, rest = seal.partition(".")
    length, _, digest = rest.partition(".")
    is_sound = count.isdecimal() and length.isdecimal()
    return (int(count), int(length), digest) if is_sound else (1, 0, seal)


def _places_of(digest: str, length: int, *, whole: str) -> list[tuple[int, int]]:
    """Whole lines of `whole`, 1-based, whose text without blanks has that length and digest."""
    lines = [_squeezed(line) for line in whole.split("\n")]
    text = "".join(lines)
    ends = list(accumulate(map(len, lines)))
    last = {end: number for number, (end, line) in enumerate(zip(ends, lines, strict=True), start=1) if line}
    found: list[tuple[int, int]] = []
    left = _HASHED
    for number, line in enumerate(lines, start=1):
        start = ends[number - 1] - len(line)
        end = last.get(start + length)
        if not line or end is None:
            continue
        left -= length
        if left < 0:
            break
        if _digest(text[start : start + length]) == digest:
            found.append((number, end))
    return found


def _cut(text: str, start: int, *, end: int) -> str:
    return "\n".join(text.split("\n")[max(start, 1) - 1 : end])


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _digest(squeezed: str) -> str:
    return sha256(squeezed.encode("utf-8", "surrogatepass"))[:32]


@cache
def _placed() -> re.Pattern[str]:
    """Paths with a place in them; what stands in the text without one is among the memory's file references."""
    return re.compile(
        r"[\w./\\@+-]{1,300}+(?::\d{1,7}(?:-\d{1,7})?|#L\d{1,7}(?:-L?\d{1,7})?|(?:::\w{1,100}+)+(?:\(\))?)"
    )


@cache
def _lines() -> re.Pattern[str]:
    return re.compile(r"(?::|#L)(\d{1,7})(?:-L?(\d{1,7}))?(?::\d{1,7})?$")


@cache
def _named() -> re.Pattern[str]:
    name = r"[A-Za-z_$][\w$]{0,100}(?:(?:\.|::|#|->)[A-Za-z_$][\w$]{0,100}){0,5}"
    return re.compile(rf"`({name})(?:\([^`()]{{0,100}}\))?`|(?<![\w`.$])({name})\(\)")


@cache
def _name() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z_$][\w$.]*")
