"""Which known word an unknown one stands for: one not typed to its end, or one with a single slip in it.

Numbers are never guessed: `http2` is not a slip of `http3`. Words are index terms (core/words.py).
"""

from collections.abc import Sequence

from hindbrain.core.words import query_terms

SHORTEST = 4  # letters of a word that may be finished; shorter ones begin too many
_MOST_ADDED = 4  # letters that finish it
_SHORTEST_SLIP = 5  # characters of a word that may hold a slip: of `cart` and `card` either may be meant
_LONGEST = 64  # characters; no term is longer
_MARKS = ".,;:!?()[]{}<>\"'`“”‘’"  # that stand around a word
_READ = 500  # words of a text in which a term is looked for


def meant(word: str, known: Sequence[str]) -> str | None:
    """The word of `known` that `word` most likely means; None when it resembles none enough.

    What only has to be finished is more likely than what has to be mended; then the shortest, then the first
    of the alphabet. A word that is known means itself.
    """
    if len(word) > _LONGEST:
        return None
    numbers = _numbers(word)
    is_beginning = sum(map(str.isalpha, word)) >= SHORTEST
    best: tuple[int, int, str] | None = None
    for other in known:
        if not -1 <= len(other) - len(word) <= _MOST_ADDED:
            continue
        slips = _slips(word, other, is_beginning=is_beginning)
        if slips is None or (best and best <= (slips, len(other), other)) or _numbers(other) != numbers:
            continue
        best = (slips, len(other), other)
    return best[2] if best else None


def in_words(
    spelled: Sequence[tuple[str, str]], question: str, *, answers: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Unknown terms and those they were taken for, as people write them: in the question, and in the answers."""
    return tuple((_written(term, [question]), _written(other, answers)) for term, other in spelled)


def _written(term: str, texts: Sequence[str]) -> str:
    """The first word of `texts` that the term stands for; the term itself where none does."""
    words = (word.strip(_MARKS) for text in texts for word in text.split(None, _READ)[:_READ])
    return next((word for word in words if term in query_terms(word)), term)


def _slips(word: str, other: str, *, is_beginning: bool) -> int | None:
    """How many mistakes lie between the two: none, one, or too many (None)."""
    if word == other or (is_beginning and other.startswith(word)):
        return 0
    return 1 if len(word) >= _SHORTEST_SLIP and _is_slip(word, other) else None


def _is_slip(word: str, other: str) -> bool:
    """One character added, lost or changed, or two neighbours exchanged. One end of the word is whole in any case."""
    end = len(word) // 2 - 1
    if word[:end] != other[:end] and word[-end:] != other[-end:]:
        return False
    short, long = (word, other) if len(word) <= len(other) else (other, word)
    if len(long) - len(short) > 1:
        return False
    at = next((i for i, letter in enumerate(short) if letter != long[i]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    is_swap = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return is_swap or short[at + 1 :] == long[at + 1 :]


def _numbers(word: str) -> list[str]:
    """The runs of digits in it."""
    return "".join(c if c.isdigit() else " " for c in word).split()
