"""Where the next page of a list begins: behind the last row that was shown, also when rows came or went since."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from starlette.datastructures import URL

from hindbrain.core.value import dataclass
from hindbrain.entry.http.problem import Refused

T = TypeVar("T")
MOST = 100  # rows of a page
_SLACK = 50  # rows that may have come since the last page, before the place is found by counting alone
_FURTHEST = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """How much is wanted, and from where."""

    limit: int
    cursor: str = ""

    def cut(self, rows: Callable[[int], Sequence[T]], *, id_of: Callable[[T], str]) -> tuple[Sequence[T], str]:
        """The rows of this page, and the cursor of the next; "" where there is none. `rows` gives the first n."""
        at, last = _read(self.cursor)
        found = rows(at + self.limit + 1 + (_SLACK if at else 0))
        start = next((n + 1 for n in range(min(len(found), at + _SLACK) - 1, -1, -1) if id_of(found[n]) == last), at)
        page = found[start : start + self.limit]
        is_more = len(found) > start + self.limit
        return page, _written(start + self.limit, id_of(page[-1])) if is_more and page else ""


def next_link(url: URL, cursor: str) -> dict[str, str]:
    """As RFC 8288 has it; relative, so that a name in between does not matter."""
    if not cursor:
        return {}
    query = [(name, value) for name, value in _pairs(url) if name != "cursor"]
    return {"link": f'<{url.path}?{urlencode([*query, ("cursor", cursor)])}>; rel="next"'}


def _pairs(url: URL) -> list[tuple[str, str]]:
    from urllib.parse import parse_qsl

    return parse_qsl(url.query, keep_blank_values=True)


def _written(at: int, last: str) -> str:
    return base64.urlsafe_b64encode(f"{at}:{last}".encode()).decode().rstrip("=")


def _read(cursor: str) -> tuple[int, str]:
    if not cursor:
        return 0, ""
    try:
        text = base64.urlsafe_b64decode(cursor.encode("ascii") + b"==").decode()
        at, _, last = text.partition(":")
        place = int(at)
    except (ValueError, binascii.Error, UnicodeError):
        raise _odd() from None
    if not 0 < place < _FURTHEST:
        raise _odd()
    return place, last


def _odd() -> Refused:
    return Refused(400, "bad_cursor", "that is no cursor of ours", fix="use the one from the Link header, or none")
