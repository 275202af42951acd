"""When a signal repeats what the agent had read: all of its words, or any eight in a row, stand there too.

Words are compared without case, punctuation and line breaks, so that a page that says `MEMORY:fix:Do this now`
is recognised in the memory `Do this now`. The index holds the signals, not what was read: signals are few and
short, so a session of any size takes little room.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

RUN = 8  # words in a row that do not agree by chance
_SHORT = 4  # a text of fewer words must be a line of its own: "use pnpm" is said by everybody
_CHUNK = 1 << 18  # characters that are taken apart at once
_CJK = "぀-ヿ㐀-鿿가-힯"  # written without spaces; each character counts as a word


class Echoes:
    """Finds which of a few texts are repeated in what is shown to it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._runs: dict[tuple[str, ...], set[int]] = {}
        self._lines: dict[tuple[str, ...], set[int]] = {}
        self._lengths: dict[str, set[int]] = {}  # first word of a run -> lengths of such runs
        for index, text in enumerate(texts):
            self._learn(index, tuple(_words(text)))

    def heard_in(self, text: str) -> set[int]:
        """Indices of the texts that `text` repeats."""
        found: set[int] = set()
        if self._runs:
            for words in _stretches(text):
                self._find_runs(words, found)
        if self._lines:
            for lines in _line_sets(text):
                self._find_lines(lines, found)
        return found

    def _learn(self, index: int, words: tuple[str, ...]) -> None:
        if 0 < len(words) < _SHORT:
            self._lines.setdefault(words, set()).add(index)
            return
        size = min(RUN, len(words))
        for start in range(len(words) - size + 1 if words else 0):
            run = words[start : start + size]
            self._runs.setdefault(run, set()).add(index)
            self._lengths.setdefault(run[0], set()).add(size)

    def _find_runs(self, words: list[str], found: set[int]) -> None:
        lengths = self._lengths
        for start, word in enumerate(words):
            for size in lengths.get(word, ()):
                found |= self._runs.get(tuple(words[start : start + size]), set())

    def _find_lines(self, lines: set[str], found: set[int]) -> None:
        for line in lines:
            if 0 < len(line) < 400:
                found |= self._lines.get(tuple(_words(_unmarked(line))), set())


def _words(text: str) -> list[str]:
    return _word().findall(text.casefold())


def _stretches(text: str) -> Iterator[list[str]]:
    """The words of a text, a chunk at a time, each with the last words of the chunk before."""
    carried: list[str] = []
    for chunk in _chunks(text, _space()):
        words = carried + _words(chunk)
        yield words
        carried = words[-(RUN - 1) :]


def _line_sets(text: str) -> Iterator[set[str]]:
    """The different lines of a text, a chunk at a time."""
    for chunk in _chunks(text, _line_break()):
        yield set(chunk.split("\n"))


def _chunks(text: str, boundary: re.Pattern[str]) -> Iterator[str]:
    start = 0
    while start < len(text):
        found = boundary.search(text, start + _CHUNK)
        end = found.start() if found else len(text)
        yield text[start:end]
        start = end


def _unmarked(line: str) -> str:
    """A line without the mark that would make it a signal."""
    return _mark().sub("", line).removesuffix("</chorus>")


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")


@cache
def _space() -> re.Pattern[str]:
    return re.compile(r"\s")


@cache
def _line_break() -> re.Pattern[str]:
    return re.compile("\n")


@cache
def _mark() -> re.Pattern[str]:
    return re.compile(
        r"^[^\w<]{0,40}(?:<chorus>\s{0,8}LEARNING_\w{1,10}:|MEMORY:\s{0,8}\w{1,20}\s{0,8}:|LEARNED:|INVESTIGATION:)"
    )
