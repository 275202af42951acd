"""What a person is asked before something changes: a text to edit, or a yes to deleting."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea

from hindbrain.core.model import Memory
from hindbrain.entry.cli.output import line, safe
from hindbrain.entry.panel.layout import wrapped
from hindbrain.errors import HindbrainError

_BOX = """
    align: center middle;
    & > Vertical {
        width: 90%;
        max-width: 100;
        min-width: 36;
        height: auto;
        max-height: 100%;
        padding: 0 1;
        border: solid #14B8A6;
        background: $surface;
    }
    .dialog--title { text-style: bold; color: #14B8A6; }
    .dialog--keys { color: $foreground 70%; margin-top: 1; }
"""
_QUOTED = 300  # characters


class Editor(ModalScreen[None]):
    """A learning's text. It stays open, with what was typed, until that is saved or given up."""

    DEFAULT_CSS = f"""
    Editor {{
        {_BOX}
        TextArea {{ height: auto; min-height: 4; max-height: 60vh; padding: 0 1; margin-top: 1; border: none; }}
        TextArea:focus {{ border: none; }}
        #trouble {{ color: $error; height: auto; }}
    }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+s", "save", "Save"), ("escape", "close", "Cancel")]

    def __init__(self, memory: Memory, *, save: Callable[[str], Awaitable[HindbrainError | None]]) -> None:
        super().__init__()
        self._shown, self._save = safe(memory.content), save

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Edit learning", classes="dialog--title", markup=False)
            yield TextArea(self._shown, soft_wrap=True, id="text")
            yield Static("", id="trouble", markup=False)
            yield Static("[Ctrl+S] Save [ESC] Cancel", classes="dialog--keys", markup=False)

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.focus()
        area.move_cursor(area.document.end)

    def action_save(self) -> None:
        self.run_worker(self._saved(), exclusive=True)

    def action_close(self) -> None:
        self.dismiss()

    async def _saved(self) -> None:
        text = self.query_one(TextArea).text
        if text.strip() == self._shown.strip():
            self.dismiss()
            return
        trouble = self.query_one("#trouble", Static)
        trouble.update(Text("Saving…", style="dim"))
        error = await self._save(text)
        if error is None:
            self.dismiss()
        else:
            trouble.update(Text(f"{line(error.what)}\n→ {line(error.fix)}"))


class Confirm(ModalScreen[bool]):
    """Delete this one?"""

    DEFAULT_CSS = f"Confirm {{ {_BOX} & > Vertical {{ max-width: 64; }} }}"
    BINDINGS: ClassVar[list[BindingType]] = [("y,d", "answer(True)", "Delete"), ("n,escape", "answer(False)", "Keep")]

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self._quote = line(memory.content[:_QUOTED])

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Delete this learning?", classes="dialog--title", markup=False)
            yield Static(self._quote, id="quote", markup=False)
            yield Static("[y] Delete [n] Keep", classes="dialog--keys", markup=False)

    def on_resize(self) -> None:
        room = max(self.query_one("#quote").content_size.width, 20)
        self.query_one("#quote", Static).update(Text("\n".join(wrapped(f'"{self._quote}"', room, most=4))))

    def action_answer(self, is_yes: bool) -> None:
        self.dismiss(is_yes)
