"""How two texts are set side by side: which lines face each other, and what in between is left out."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from hindbrain.core.value import dataclass

_AROUND = 3  # lines of what stays, before and after a change
_MOST = 400  # lines that are compared with care; more are set against each other as they come
_SHOWN = 2_000  # rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line on either side; None where that side has none. `gap` rows left out before it."""

    left: str | None
    right: str | None
    left_at: int = 0  # 1-based
    right_at: int = 0
    gap: int = 0

    @property
    def sort(self) -> str:
        if self.left == self.right:
            return "same"
        return "added" if self.left is None else "gone" if self.right is None else "changed"


def side_by_side(before: str, after: str) -> Sequence[Row]:
    """What changed, with a few lines around it. Nothing where both are the same."""
    ends = before.endswith("\n") or not before, after.endswith("\n") or not after
    rows = list(_rows(_lines(before, is_cut=all(ends)), _lines(after, is_cut=all(ends))))
    near: set[int] = set()
    for n, row in enumerate(rows):
        if row.sort != "same":
            near.update(range(n - _AROUND, n + _AROUND + 1))
    return list(_kept(rows, near))[:_SHOWN]


def _lines(text: str, *, is_cut: bool) -> list[str]:
    """`is_cut`: what follows the last line break is no line, on neither side."""
    lines = text.replace("\r\n", "\n").split("\n") if text else []
    return lines[:-1] if is_cut else lines


def _kept(rows: Sequence[Row], near: set[int]) -> Iterator[Row]:
    skipped = 0
    for n, row in enumerate(rows):
        if n not in near:
            skipped += 1
            continue
        yield Row(left=row.left, right=row.right, left_at=row.left_at, right_at=row.right_at, gap=skipped)
        skipped = 0


def _rows(left: list[str], right: list[str]) -> Iterator[Row]:
    head = _shared(left, right)
    tail = _shared(left[head:][::-1], right[head:][::-1])
    ends = len(left) - tail, len(right) - tail
    yield from _pairs(left, right, spans=(0, head, 0, head))
    for span in _spans(left[head : ends[0]], right[head : ends[1]]):
        yield from _pairs(left, right, spans=(span[0] + head, span[1] + head, span[2] + head, span[3] + head))
    yield from _pairs(left, right, spans=(ends[0], len(left), ends[1], len(right)))


def _shared(left: list[str], right: list[str]) -> int:
    """How many lines both begin with."""
    return next((n for n, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), _least(left, right))


def _least(left: list[str], right: list[str]) -> int:
    return min(len(left), len(right))


def _spans(left: list[str], right: list[str]) -> Iterator[tuple[int, int, int, int]]:
    if max(len(left), len(right)) > _MOST:
        yield 0, len(left), 0, len(right)
        return
    for _, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        yield a, b, c, d


def _pairs(left: list[str], right: list[str], *, spans: tuple[int, int, int, int]) -> Iterator[Row]:
    a, b, c, d = spans
    for n in range(max(b - a, d - c)):
        has_left, has_right = a + n < b, c + n < d
        yield Row(
            left=left[a + n] if has_left else None,
            right=right[c + n] if has_right else None,
            left_at=a + n + 1 if has_left else 0,
            right_at=c + n + 1 if has_right else 0,
        )
