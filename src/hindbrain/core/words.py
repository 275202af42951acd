"""How text becomes search words: one rule for the index and for the query, on every store.

A term is made of lower-case letters and digits only, so that a store may split on white space and nothing else.
The whole of an identifier keeps its parts together with `_`: `src/app/main.py` is `src_app_main_py`. Changing this
file changes what stored indexes mean: they must then be built again.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from itertools import groupby, islice, pairwise

TYPE_CHECKING = False  # type checkers take it for True; a question in plain words loads neither typing nor re
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence


def listed(line: str) -> tuple[str, ...]:
    """Words written as one line: word lists are read by people, and a word a line is not a list to them."""
    return tuple(line.split())


STOP: frozenset[str] = frozenset(
    listed(
        "a about after again all also am an and any are as at be because been before being both but by can "
        "could did do does doing down during each few for from further had has have having he her here hers "
        "him his how i if in into is it its itself just me more most my of off on once only or other our ours "
        "out over own same she should so some such than that the their theirs them then there these they this "
        "those through to too under until up very was we were what when where which while who whom why will "
        "with would you your yours"
    )
)

_AMOUNTS = frozenset(("mani", "much"))  # terms of "many" and "much"
_READ = 1 << 18  # characters; no lesson is longer, and a hostile one must not hold up its writer
_LONGEST_TERM = 64  # characters
_MOST_QUERY_TERMS = 64
_SHORT_TEXT = 4_000  # characters of a text of which the words are remembered for a moment
_SHORT = 400  # characters of a question of which the terms are remembered
_MOST_RUNS = 16  # a name with more humps than this is a hash or an encoded blob: found whole only


def terms(text: str) -> list[str]:
    """Index terms of `text` in order, with repeats."""
    return list(_short_terms(text)) if len(text) <= _SHORT_TEXT else [_term(piece) for piece in _pieces(text)]


@lru_cache(maxsize=32)  # a new lesson is read several times on its way
def _short_terms(text: str) -> tuple[str, ...]:
    return tuple([_term(piece) for piece in _short_pieces(text)])


def query_terms(text: str) -> list[str]:
    """The terms to look for: each once, without stop words unless there is nothing else."""
    return list(_asked_shortly(text) if len(text) <= _SHORT else _asked(text))


def _asked(text: str) -> list[str]:
    return telling(terms(text))


def telling(found: Iterable[str]) -> list[str]:
    """`query_terms` of a text whose terms are known."""
    once = dict.fromkeys(found)
    return ([term for term in once if term not in STOP] or list(once))[:_MOST_QUERY_TERMS]


def telling_set(found: Sequence[str]) -> frozenset[str]:
    """`telling`, for who does not mind their order."""
    once = frozenset(found)
    return once - STOP or once if len(once) <= _MOST_QUERY_TERMS else frozenset(telling(found))


@lru_cache(maxsize=512)  # a question is read several times on its way, and so is each of its words
def _asked_shortly(text: str) -> list[str]:
    return _asked(text)


def asked_terms(text: str) -> list[str]:
    """Those of `query_terms` that an answer may hold: who asks how many is answered with the number."""
    found = query_terms(text)
    if _AMOUNTS.isdisjoint(found):
        return found
    asked = {_term(word) for how, word in pairwise(pieces(text)) if how == "how"}
    return [term for term in found if term not in _AMOUNTS & asked] or found


def count_words(text: str, *, most: int) -> int:
    """How many words `text` has, stop words and the parts of names among them; counted up to `most`."""
    return sum(1 for _ in islice(pieces(text), most))


def estimate_tokens(text: str) -> int:
    """About how many model tokens `text` costs: four characters each."""
    return max(1, len(text) // 4) if text else 0


def pieces(text: str) -> Iterator[str]:
    """Words in lower case, not stemmed; an identifier gives its whole and then its parts."""
    return iter(_short_pieces(text)) if len(text) <= _SHORT_TEXT else _pieces(text)


@lru_cache(maxsize=32)
def _short_pieces(text: str) -> tuple[str, ...]:
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    for chunk in _chunks(_folded(text[:_READ])):
        if chunk.isascii() and chunk.isalpha() and chunk[1:].islower():
            yield chunk.lower()
        elif len(chunk) <= _LONGEST_TERM:
            yield from _split_short(chunk)
        else:
            yield from _split(chunk)


_INNER = "./\\:'’-_"  # signs that are part of a word, between its letters and digits
_SIGNS = {code: " " for code in range(128) if not chr(code).isalnum()}
_KINDS = {code: "A" if chr(code).isupper() else "a" if chr(code).islower() else "0" for code in range(128)} | _SIGNS
_GAPS = {code: " " for code in _SIGNS if chr(code) not in _INNER}
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_SIGNED_NAMES = {"c++": "cpp", "c#": "csharp", "f#": "fsharp"}
_VOICED = "\u3099\u309a"  # kana that differ only in these are different letters, not accents

# Words and ASCII names are taken apart without a pattern, the rest with one that is compiled when a text first needs
# it: loading `re` costs a new process more than the rest of a question.
_PATHS = r"[/\\]+|::+"
_SCRIPTS = f"[{_UNSPACED}\U00020000-\U0003ffff]+|[^\\W_{_UNSPACED}\U00020000-\U0003ffff]+"
_SIGNED = r"(?<!\w)(?:[cC]\+\+|[cCfF]#)(?!\w)"


@cache
def _pattern(source: str) -> re.Pattern[str]:
    import re

    return re.compile(source)


def _chunks(text: str) -> list[str]:
    if not text.isascii():
        text = "".join([c if c.isalnum() or c in _INNER else " " for c in text])
    return text.translate(_GAPS).split()


def _folded(text: str) -> str:
    """Without accents and compatibility forms; names that end in signs get letters."""
    if "++" in text or "#" in text:
        text = _pattern(_SIGNED).sub(lambda m: _SIGNED_NAMES[m[0].lower()], text)
    if text.isascii():
        return text
    bare = (c for c in unicodedata.normalize("NFKD", text) if c in _VOICED or unicodedata.category(c)[0] != "M")
    return unicodedata.normalize("NFC", "".join(bare))


def _split(chunk: str) -> Iterator[str]:
    for part in chunk.split(":") if "::" not in chunk else (chunk,):  # `file.py:45` is two things, `std::vec` one
        part = part.strip("./\\:'’_-")
        if part.endswith(("'s", "’s")):
            part = part[:-2]
        part = part.replace("'", "").replace("’", "")
        if part:
            yield from _levels(part, 0)


@lru_cache(maxsize=8192)
def _split_short(chunk: str) -> tuple[str, ...]:
    return tuple(_split(chunk))


def _levels(part: str, depth: int) -> Iterator[str]:
    """Outermost first: a path, a dotted name, a snake or kebab name; inside those, the humps of camelCase."""
    if depth == 3:
        yield from _humps(part)
        return
    inner = [p for p in _parted(part, depth) if p]
    if len(inner) > 1:
        yield _whole(part)
    for piece in inner:
        yield from _levels(piece, depth + 1)


def _parted(part: str, depth: int) -> list[str]:
    if depth == 0:
        return _pattern(_PATHS).split(part) if ":" in part else part.replace("\\", "/").split("/")
    return part.split(".") if depth == 1 else part.replace("-", "_").split("_")


def _whole(part: str) -> str:
    head = _lower(part[: 2 * _LONGEST_TERM])
    words = head.translate(_SIGNS).split() if head.isascii() else _pattern(r"[\W_]+").split(head)
    return "_".join(word for word in words if word)


def _humps(word: str) -> Iterator[str]:
    if not word.isascii():
        yield from _unspaced(word)
        return
    yield word.lower()
    if word.isdigit() or (word.isalpha() and (word[1:].islower() or word.islower() or word.isupper())):
        return
    runs = list(_runs(word[: 4 * _LONGEST_TERM]))
    if 1 < len(runs) <= _MOST_RUNS:
        yield from (run.lower() for run in runs if len(run) > 1 or run.isdigit())


def _runs(word: str) -> Iterator[str]:
    """`HTTPServer2` is `HTTP`, `Server` and `2`; the plural of `APIs` is no hump of its own."""
    capitals, at = "", 0
    for kind, same in groupby(word.translate(_KINDS)):
        start, at = at, at + len(list(same))
        run = word[start:at]
        if kind == "A":
            capitals = run
            continue
        if kind == "a" and len(capitals) > 1 and run != "s":
            yield capitals[:-1]
            capitals = capitals[-1]
        if capitals and kind != "a":
            yield capitals
            capitals = ""
        if kind != " ":
            yield capitals + run
        capitals = ""
    if capitals:
        yield capitals


def _unspaced(word: str) -> Iterator[str]:
    """Scripts without spaces have no words to find: neighbouring pairs of letters stand in for them."""
    for run in _pattern(_SCRIPTS).findall(word):
        if not _is_unspaced(run[0]):
            yield from _humps(run) if run.isascii() else (_lower(run),)
        elif len(run) == 1:
            yield run
        else:
            yield from (run[i : i + 2] for i in range(len(run) - 1))


@lru_cache(maxsize=4096)
def _is_unspaced(letter: str) -> bool:
    return bool(_pattern(f"[{_UNSPACED}\U00020000-\U0003ffff]").match(letter))


def _lower(text: str) -> str:
    return text.lower() if text.isascii() else text.casefold().lower()


def _term(piece: str) -> str:
    piece = piece[:_LONGEST_TERM]
    return stem(piece) if piece.isascii() and piece.isalpha() else piece


@lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """The root of a lower-case English word, by Porter's five steps; stop words stay as they are."""
    if len(word) <= 2 or word in STOP:
        return word
    word = _step_1(word)
    word = _replace_suffix(word, _STEP_2, least=1)
    word = _replace_suffix(word, _STEP_3, least=1)
    word = _replace_suffix(word, _STEP_4, least=2)
    return _step_5(word)


_STEP_2 = dict(
    pair.split(">")
    for pair in listed(
        "ational>ate tional>tion enci>ence anci>ance izer>ize abli>able alli>al entli>ent eli>e ousli>ous "
        "ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive "
        "biliti>ble"
    )
)
_STEP_3 = dict(pair.split(">") for pair in listed("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>"))
_STEP_4 = dict.fromkeys(listed("al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize"), "")


def _shape(stem_: str) -> str:
    """The word as consonants (c) and vowels (v); y is a vowel after a consonant."""
    out = ""
    for letter in stem_:
        vowel = letter in "aeiou" or (letter == "y" and out[-1:] == "c")
        out += "v" if vowel else "c"
    return out


def _measure(stem_: str) -> int:
    return _shape(stem_).count("vc")


def _ends_short(stem_: str) -> bool:
    return _shape(stem_).endswith("cvc") and stem_[-1] not in "wxy"


def _step_1(word: str) -> str:
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = _without_ending(word)
    return word[:-1] + "i" if word.endswith("y") and "v" in _shape(word[:-1]) else word


def _without_ending(word: str) -> str:
    """Without -ed or -ing, where a root is left."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and "v" in _shape(word[: -len(suffix)]):
            return _mended(word[: -len(suffix)])
    return word


def _mended(root: str) -> str:
    """Give back what -ed or -ing took: hop(p), cach(e)."""
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if len(root) > 1 and root[-1] == root[-2] and root[-1] not in "aeioulsz":
        return root[:-1]
    return root + "e" if _measure(root) == 1 and _ends_short(root) else root


def _replace_suffix(word: str, table: dict[str, str], *, least: int) -> str:
    for size in range(min(7, len(word) - 1), 1, -1):
        suffix = word[-size:]
        if suffix in table:
            root = word[:-size]
            fits = suffix != "ion" or root[-1] in "st"
            return root + table[suffix] if fits and _measure(root) >= least else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        root = word[:-1]
        m = _measure(root)
        if m > 1 or (m == 1 and not _ends_short(root)):
            word = root
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
