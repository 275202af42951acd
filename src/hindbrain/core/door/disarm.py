"""Which characters never enter: those a reader cannot see, or that steer a terminal or the reading order.

Letters, line feeds and tabs stay. CR LF and lone CR become LF, so that a stored line cannot overwrite another.
Emoji keep what they are made of: the variation selector right after a symbol, and the joiner between two of them.
Everything else on the list goes without a trace in the text; `scan` says where it stood.
"""

from functools import cache
from itertools import islice

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.value import dataclass

if TYPE_CHECKING:
    import re


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A run of characters that went, and where the gap is in the text that is left."""

    kind: str
    start: int


def disarm(text: str) -> str:
    """`text` without the characters that hide or steer; what is already clean comes back as it is."""
    return scan(text)[0]


def scan(text: str) -> tuple[str, tuple[Removed, ...]]:
    """The clean text, and what went: the first thousand runs, so that a hostile text cannot fill the memory."""
    text = _lines(text)
    if _is_plain(text) or _suspects().search(text) is None:
        return text, ()
    removed: list[Removed] = []
    gone = 0
    for match in islice(_hidden().finditer(text), _MOST_LISTED):
        removed.append(Removed(kind=match.lastgroup or "", start=match.start() - gone))
        gone += match.end() - match.start()
    return _hidden().sub("", text), tuple(removed)


_MOST_LISTED = 1000


def _is_plain(text: str) -> bool:
    """The common case, decided without a pattern: what Python prints as it is, line feeds and tabs."""
    bare = text.replace("\n", "").replace("\t", "")
    if not bare.isprintable():
        return False
    return bare.isascii() or (max(bare) <= "\uffff" and _PRINTED.isdisjoint(bare))


# Suspects of the first 65,536 that Python takes for printable: marks and letters by their category.
_PRINTED = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0").union(
    map(chr, range(0xFE00, 0xFE10))
)


def _lines(text: str) -> str:
    """One kind of line end: a lone CR or a Unicode line separator can forge or hide a line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    return text


# Each is the inside of a character class.
_CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff"
_BIDI = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_TAG = r"\U000e0000-\U000e007f"
_VARIATION = r"\u180b-\u180d\u180f\ufe00-\ufe0d\U000e0100-\U000e01ef"
_SURROGATE = r"\ud800-\udfff"
_ZERO_WIDTH = (
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    r"\U00013430-\U00013455\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
)
_SYMBOL = (
    r"\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
    r"\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
)
_SKIN = r"\U0001f3fb-\U0001f3ff"


@cache
def _suspects() -> "re.Pattern[str]":
    import re  # late: most texts are plain

    return re.compile(f"[{_CONTROL}{_BIDI}{_TAG}{_VARIATION}{_SURROGATE}{_ZERO_WIDTH}\u200d\ufe0e\ufe0f]")


@cache
def _hidden() -> "re.Pattern[str]":
    """All that goes. Each decision looks only at characters that stay, so that a second pass decides the same.

    Possessive quantifiers keep an unterminated escape sequence from being read more than once.
    """
    import re

    ansi = (
        r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"  # colours, cursor
        r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)"  # titles, links
        r"|\x1b[ -/]++[0-~]|\x1b[0-Z\\^_`a-~]"  # charset switches, single commands
    )
    symbol = rf"[{_SYMBOL}{_SKIN}]"
    joiner = rf"\u200d(?!(?<={symbol}\u200d){symbol})(?!(?<={symbol}[\ufe0e\ufe0f]\u200d){symbol})"
    selector = rf"[\ufe0e\ufe0f](?<!{symbol}[\ufe0e\ufe0f])(?<![0-9#*]\ufe0f(?=\u20e3))"
    return re.compile(
        rf"(?P<ansi>{ansi})|(?P<control>[{_CONTROL}]+)|(?P<bidi>[{_BIDI}]+)|(?P<tag>[{_TAG}]+)"
        rf"|(?P<variation>[{_VARIATION}]+|{selector})|(?P<surrogate>[{_SURROGATE}]+)"
        rf"|(?P<zero_width>[{_ZERO_WIDTH}]+|{joiner})"
    )
