"""How a row of choices is drawn and clicked: it breaks between choices where the terminal is narrow."""

from collections.abc import Sequence
from typing import Any, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from hindbrain.core.value import dataclass

_MOST_ROWS = 3  # what is beyond scrolls with the active choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    key: str
    text: str
    is_active: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A chip and where it stands."""

    chip: Chip
    at: int  # column
    end: int


def rows(chips: Sequence[Chip], *, width: int, head: str = "", most: int = _MOST_ROWS) -> list[list[Spot]]:
    """The chips in rows, each behind the one before; of too many rows those around the active chip."""
    start = cell_len(head)
    found: list[list[Spot]] = [[]]
    at = start
    for chip in chips:
        wide = cell_len(chip.text)
        if found[-1] and at + wide > width:
            found.append([])
            at = start if start + wide <= width else 0
        found[-1].append(Spot(chip=chip, at=at, end=at + wide))
        at += wide + 1
    active = next((number for number, row in enumerate(found) if any(spot.chip.is_active for spot in row)), 0)
    first = max(0, min(active - most // 2, len(found) - most))
    return found[first : first + most]


class Chips(Widget):
    """Choices behind a head, with a word at the right end."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"chips--active", "chips--tail"}
    DEFAULT_CSS = """
    Chips { height: auto; width: 1fr; }
    Chips > .chips--active { text-style: bold; }
    Chips > .chips--tail { text-style: none; }
    """

    class Chosen(Message):
        """Somebody clicked a chip."""

        def __init__(self, chips: "Chips", key: str) -> None:
            super().__init__()
            self.chips, self.key = chips, key

        @property
        def control(self) -> "Chips":
            return self.chips

    def __init__(self, *, id: str, head: str = "") -> None:  # noqa: A002
        super().__init__(id=id)
        self._head, self._tail = head, ""
        self._chips: tuple[Chip, ...] = ()

    def show(self, chips: Sequence[Chip], *, tail: str = "") -> None:
        if (tuple(chips), tail) != (self._chips, self._tail):
            self._chips, self._tail = tuple(chips), tail
            self.refresh(layout=True)

    def get_content_height(self, *about: Any) -> int:
        """Of the sizes that are given, the last is the width that there is."""
        return len(self._lines(about[-1]))

    def render(self) -> Text:
        return Text("\n", no_wrap=True).join(self._lines(self.content_size.width))

    def on_click(self, event: Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        shown = self._rows(self.content_size.width)
        for spot in shown[place.y] if place.y < len(shown) else ():
            if spot.at <= place.x < spot.end:
                self.post_message(self.Chosen(self, spot.chip.key))

    def _rows(self, width: int) -> list[list[Spot]]:
        return rows(self._chips, width=max(width, 1), head=self._head)

    def _lines(self, width: int) -> list[Text]:
        active, tail = (self.get_component_rich_style(f"chips--{name}") for name in ("active", "tail"))
        lines = []
        for number, row in enumerate(self._rows(width)):
            line = Text(self._head if not number else "")
            for spot in row:
                line.append(" " * (spot.at - line.cell_len))
                line.append(spot.chip.text, active if spot.chip.is_active else "")
            lines.append(line)
        if self._tail:
            if lines[-1].cell_len + 1 + cell_len(self._tail) > width:
                lines.append(Text())
            room = width - lines[-1].cell_len - cell_len(self._tail)
            lines[-1].append(" " * max(room, 0)).append(self._tail, tail)
        return lines


def spread(left: str, right: str, *, width: int) -> str:
    """Both ends of a line; where there is no room for both, the left one gives way."""
    room = max(width - cell_len(right), 0)
    return set_cell_size(left, room) + right
