"""How ten thousand learnings scroll: only the lines on the screen are drawn, and one learning is always selected."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hindbrain.entry.panel.layout import MARGIN, Layout, Placed
from hindbrain.entry.panel.views import Section
from hindbrain.entry.panel.wording import Entry

_MARK = "▸ "
_LOOKS = ("rule", "heading", "text", "struck", "source", "blank")


class LearningList(ScrollView, can_focus=False, inherit_bindings=False):
    """Sections of learnings. Whoever shows it decides what keys do."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*(f"list--{look}" for look in _LOOKS), "list--selected"}
    DEFAULT_CSS = """
    LearningList {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .list--rule { color: $foreground 40%; }
        & > .list--heading { color: #14B8A6; text-style: bold; }
        & > .list--struck { text-style: strike; color: $foreground 60%; }
        & > .list--source { color: $foreground 60%; }
        & > .list--selected { background: #14B8A6 18%; }
    }
    """

    class Picked(Message):
        """Another learning is selected."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._sections: tuple[Section, ...] = ()
        self._entries: tuple[Entry, ...] = ()
        self._layout = Layout()
        self._placed: Placed = self._layout.placed(())
        self._nothing = ""
        self._at = 0

    @property
    def selected(self) -> Entry | None:
        return self._entries[self._at] if self._entries else None

    def show(self, sections: Sequence[Section], *, nothing: str = "", select: str = "") -> None:
        """Draw these; the learning with the id `select`, else the one that was selected, stays so, or its place."""
        if tuple(sections) == self._sections and not select:
            return
        wanted = select or (self.selected.id if self.selected else "")
        self._sections, self._nothing = tuple(sections), nothing
        self._entries = tuple(entry for section in sections for entry in section.entries)
        found = next((at for at, entry in enumerate(self._entries) if entry.id == wanted), None)
        self._at = min(self._at, max(len(self._entries) - 1, 0)) if found is None else found
        self._place()

    def move(self, by: int) -> None:
        """Select a learning further down, or up."""
        self._select(self._at + by)

    def page(self, by: int) -> None:
        """Select the learning a screen further down, or up."""
        if not self._placed.ends:
            return
        tops = self._placed.tops
        goal = tops[self._at] + by * max(self.size.height - 2, 1)
        step = 1 if by > 0 else -1
        at = self._at
        while 0 <= at + step < len(tops) and (tops[at + step] - goal) * step <= 0:
            at += step
        self._select(at if at != self._at else at + step)

    def edge(self, *, is_end: bool) -> None:
        self._select(len(self._entries) - 1 if is_end else 0)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        number = y + self.scroll_offset.y
        if number >= len(self._placed.rows):
            return Strip.blank(width, self.rich_style)
        row = self._placed.rows[number]
        style = self.rich_style + self._style(row.look)
        margin = " " * MARGIN
        if self._placed.owners[number] == self._at:
            style += self._style("selected")
            is_first = self._placed.owners[number - 1] != self._at
            margin = _MARK if is_first else margin
        plain = style + Style(strike=False, underline=False)
        segments = [Segment(margin, plain), Segment(row.text, style)]
        rest = width - MARGIN - cell_len(row.text)
        return Strip([*segments, Segment(" " * max(rest, 0), plain)], width)

    def on_resize(self, event: Resize) -> None:
        if self.scrollable_content_region.width != self._layout.width:
            self._place()

    def on_click(self, event: Click) -> None:
        place = event.get_content_offset(self)
        number = place.y + self.scroll_offset.y if place else -1
        if 0 <= number < len(self._placed.owners) and self._placed.owners[number] >= 0:
            self._select(self._placed.owners[number])

    def _style(self, look: str) -> Style:
        return self.get_component_rich_style(f"list--{look}", partial=True)

    def _place(self) -> None:
        width = self.scrollable_content_region.width
        if width != self._layout.width:
            self._layout = Layout(width)
        self._placed = self._layout.placed(self._sections, nothing=self._nothing)
        self.virtual_size = Size(width, len(self._placed.rows))
        self._reveal()
        self.refresh()
        self.post_message(self.Picked())

    def _select(self, at: int) -> None:
        if not self._entries:
            return
        self._at = max(0, min(at, len(self._entries) - 1))
        self._reveal()
        self.refresh()
        self.post_message(self.Picked())

    def _reveal(self) -> None:
        """Bring the selected learning onto the screen, whole if it fits, by as little as is needed."""
        if not self._placed.ends:
            self.scroll_to(y=0, animate=False)
            return
        top, end, height = self._placed.tops[self._at], self._placed.ends[self._at] + 1, self.size.height
        if end > self.scroll_offset.y + height:
            self.scroll_to(y=min(end - height, top) if end - top <= height else top, animate=False)
        if top < self.scroll_offset.y:
            self.scroll_to(y=top, animate=False)
