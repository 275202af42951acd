"""How a text becomes the numbers that a BERT model reads: words in small letters, then the longest pieces it knows.

It gives the ids that the model was trained with, but for one difference on purpose: `[CLS]` and `[SEP]` in a text are
read as brackets and letters, because no text may speak to the model in marks.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, islice

UNKNOWN = 100  # stands for any word that the model has no pieces for
_BEGIN, _END = 101, 102
_LONGEST_WORD = 100  # characters; a longer one is unknown, as in the model's training
_CHUNK = 1 << 12  # characters that are read at once: a long text is read only as far as the model looks
_CACHED = 1 << 13  # words


def token_ids(text: str, *, limit: int) -> list[int]:
    """The ids of `text` between the two marks that the model expects, at most `limit` in all."""
    found = chain.from_iterable(map(_pieces, _words(text)))
    return [_BEGIN, *islice(found, max(0, limit - 2)), _END]


def _words(text: str) -> Iterator[str]:
    rest = ""
    for at in range(0, len(text), _CHUNK):
        folded = rest + text[at : at + _CHUNK].translate(_FOLD)
        words = folded.split()
        is_open = bool(words) and not folded[-1].isspace()  # its last word may go on
        # One character too many says as well as a million that a word is too long.
        rest = words.pop()[: _LONGEST_WORD + 1] if is_open else ""
        yield from words
    if rest:
        yield rest


class _Fold(dict[int, str | None]):
    """What stands for a character, found out when it is first seen; blanks around it make it a word of its own."""

    def __missing__(self, code: int) -> str | None:
        self[code] = found = _folded(chr(code))
        return found


_FOLD = _Fold()


def _folded(character: str) -> str | None:
    if character in "\t\n\r":
        return " "
    if character in "\x00\ufffd" or unicodedata.category(character) in _UNSEEN:
        return None
    if character.isspace():
        return " "
    parts = unicodedata.normalize("NFD", character)
    return f" {parts} " if _is_ideograph(ord(character)) else "".join(map(_part, parts))


_UNSEEN = {"Cc", "Cf", "Co", "Cs"}


def _part(character: str) -> str:
    """Of a character taken apart: no accents, small, and punctuation alone."""
    kind = unicodedata.category(character)
    if kind == "Mn":
        return ""
    is_sign = kind[0] == "P" or (character.isascii() and not character.isalnum())
    return f" {character} " if is_sign else character.lower()


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


_IDEOGRAPHS = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


@lru_cache(_CACHED)
def _pieces(word: str) -> Sequence[int]:
    """The longest known beginning, then the longest known continuation; one gap makes the whole word unknown."""
    if len(word) > _LONGEST_WORD:
        return (UNKNOWN,)
    known, longest = _vocabulary()
    found: list[int] = []
    start = 0
    while start < len(word):
        lead = "##" if start else ""
        ends = range(min(len(word), start + longest), start, -1)
        end = next((end for end in ends if lead + word[start:end] in known), 0)
        if not end:
            return (UNKNOWN,)
        found.append(known[lead + word[start:end]])
        start = end
    return tuple(found)


@cache
def _vocabulary() -> tuple[dict[str, int], int]:
    """Every entry with its id, and the length of the longest."""
    text = files(__package__).joinpath("data", "minilm-vocab.txt").read_text("utf-8")
    entries = text.rstrip("\n").split("\n")  # not by `splitlines`: some entries are odd characters
    return {entry: number for number, entry in enumerate(entries)}, max(map(len, entries))
