"""What the panel does with a key or a click, and what it says when there is nothing to show or the store fails."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from hindbrain.app.watch import Watch
from hindbrain.core.address import is_server
from hindbrain.core.model import Event, Memory
from hindbrain.core.model.event import OF_MANY
from hindbrain.entry.cli.output import line
from hindbrain.entry.panel import wording
from hindbrain.entry.panel.chips import Chip, Chips, spread
from hindbrain.entry.panel.dialogs import Confirm, Editor
from hindbrain.entry.panel.listing import LearningList
from hindbrain.entry.panel.toast import LOOK_S, LearningToast
from hindbrain.entry.panel.views import ALL, SHARED, Board, View, read, reread
from hindbrain.entry.pause import follow
from hindbrain.errors import Conflict, HindbrainError, Unreadable
from hindbrain.facade import Hindbrain

_FEW_LINES = 16  # below that, the footer names keys without words
_QUOTED = 40  # characters
_REST_S = 5.0  # between two readings of everything

_TURN = ("tab", "[Tab]", "Switch view")
_MOVE = ("j", "[j/k]", "Scroll")
_FIND = ("slash", "[/]", "Search")
_ON_LIVE = (("e", "[e]", "Edit"), ("d", "[d]", "Delete"))
_CLOSE = ("escape", "[ESC]", "Close")
_END = ("escape", "[ESC]", "End search")
_TYPING = (("tab", "[Tab]", "Switch view"), ("j", "[↑/↓]", "Scroll"), ("enter", "[Enter]", "Keep"), _END)
_PAST = ("s", "[s]", "Superseded")
_UNDO = ("u", "[u]", "Undo")
_AGAIN = ("r", "[r]", "Try again")
_WHILE_TYPING = {"next_view", "move", "page", "back", "keep"}
_DEEDS = {
    "tab": "next_view(1)",
    "j": "move(1)",
    "slash": "search",
    "e": "edit",
    "d": "delete",
    "s": "superseded",
    "u": "undo",
    "r": "reload",
    "escape": "back",
    "enter": "keep",
}


class LearningsPanel(Vertical, can_focus=True):
    """The learnings of a project, live. Posts `Closed` when a person is done with it; whoever shows it takes it away.

    It reads and writes in threads, through the verbs that every other surface uses. While it has the focus, Tab goes
    round its views.
    """

    DEFAULT_CSS = """
    LearningsPanel {
        width: 1fr;
        height: 1fr;
        background: $surface;
        color: $foreground;
        & > * { border-left: solid #14B8A6; border-right: solid #14B8A6; padding: 0 1; }
        & > PanelRule { border: none; padding: 0; }
        #title { border-top: solid #14B8A6; text-style: bold; }
        #views { padding: 1 2; }
        #search { height: auto; padding: 0 2 1 2; display: none; background: $surface; color: $foreground; }
        #search > Static { width: 1; color: #14B8A6; }
        #search > Input { height: 1; border: none; padding: 0; background: $surface; }
        #list { padding: 0; }
        #message { height: 1fr; padding: 1 1 1 2; display: none; }
        #status { height: auto; padding: 0 2; display: none; color: #14B8A6; }
        &.-short #views { padding: 0 2; }
        #keys { border-bottom: solid #14B8A6; color: $foreground 80%; }
    }
    """
    # Each is decided before the next key is looked at: whoever types ahead of a slow machine types into the search, or
    # into nothing, but never gives an order.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next_view(1)", "Switch view", priority=True),
        Binding("shift+tab", "next_view(-1)", "Switch view back", show=False, priority=True),
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
        Binding("j", "step(1)", "Down", show=False, priority=True),
        Binding("k", "step(-1)", "Up", show=False, priority=True),
        Binding("pagedown", "page(1)", "Page down", show=False, priority=True),
        Binding("pageup", "page(-1)", "Page up", show=False, priority=True),
        Binding("home,g", "edge(False)", "First", show=False, priority=True),
        Binding("end,G", "edge(True)", "Last", show=False, priority=True),
        Binding("slash", "search", "Search", priority=True),
        Binding("e", "edit", "Edit", priority=True),
        Binding("d", "delete", "Delete", priority=True),
        Binding("s", "superseded", "Superseded", priority=True),
        Binding("u", "undo", "Undo", priority=True),
        Binding("r", "reload", "Try again", show=False, priority=True),
        Binding("L", "look", "View all, or close", show=False, priority=True),
        Binding("escape", "back", "Close", priority=True),
    ]

    class Closed(Message):
        """A person is done with the panel."""

    def __init__(self, hindbrain: Hindbrain, *, view: str = SHARED, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._hindbrain = hindbrain
        self._board = Board()
        self._key, self._query = view, ""
        self._has_past, self._left = False, ""  # whether history is shown, and what was selected before it was
        self._is_read = False
        self._error: HindbrainError | None = None
        self._deleted: list[Memory] = []  # the last one is undone first
        self._status = ""
        self._mark: tuple[int, ...] = ()  # of the store's files when all was read
        self._read_at = 0.0

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield PanelRule()
        yield Chips(id="views", head="View: ")
        with Horizontal(id="search"):
            yield Static("/", markup=False)
            yield Input(placeholder="search", id="query")
        yield LearningList(id="list")
        yield Static("", id="message", markup=False)
        yield Static("", id="status", markup=False)
        yield PanelRule()
        yield Chips(id="keys")

    def on_mount(self) -> None:
        self._draw()
        self.focus()
        self.run_worker(self._follow(), group="follow", exclusive=True)

    # ---- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters are letters while somebody types them."""
        return action in _WHILE_TYPING or not self._is_typing

    def action_next_view(self, by: int) -> None:
        keys = [view.key for view in self._board.views]
        self._turn(keys[(keys.index(self._key) + by) % len(keys)] if self._key in keys else SHARED)

    def action_move(self, by: int) -> None:
        self._list.move(by)

    def action_step(self, by: int) -> None:
        self._list.move(by)

    def action_page(self, by: int) -> None:
        self._list.page(by)

    def action_edge(self, is_end: bool) -> None:
        self._list.edge(is_end=is_end)

    def action_search(self) -> None:
        self.query_one("#search").display = True
        self.screen.set_focus(self._query_input)
        self._draw()

    def action_keep(self) -> None:
        """Stay with what was found; an empty search is none."""
        self.screen.set_focus(self)
        self.query_one("#search").display = bool(self._query.strip())
        self._draw()

    def action_superseded(self) -> None:
        """It stands at the very end: whoever asks for it is led there, and back."""
        self._has_past = not self._has_past
        selected = self._list.selected
        if not self._has_past:
            self._draw(select=self._left)
            return
        self._left = selected.id if selected else ""
        past = self._board.past(self._key, query=self._query).entries
        self._draw(select=past[0].id if past else "")
        if not past:
            self.call_after_refresh(self._list.scroll_end, animate=False)

    def action_reload(self) -> None:
        """Begin anew: what fails is tried again by itself, but a person need not wait for that."""
        self.run_worker(self._follow(), group="follow", exclusive=True)

    def action_back(self) -> None:
        """Out of a search first; out of the panel when there is none."""
        if self.query_one("#search").display:
            self._query_input.value = ""
            self._query = ""
            self.screen.set_focus(self)
            self.query_one("#search").display = False
            self._draw()
        else:
            self.post_message(self.Closed())

    def action_look(self) -> None:
        """What a toast promises while there is one; else the key that opened the panel closes it."""
        toasts = list(self.screen.query(LearningToast))
        if not toasts:
            self.post_message(self.Closed())
            return
        self._turn(ALL, select=toasts[-1].memory_id)
        for toast in toasts:
            toast.remove()

    def action_edit(self) -> None:
        if (memory := self._selected) and memory.superseded_by is None:
            self.app.push_screen(Editor(memory, save=lambda text: self._saved(memory, text)))

    def action_delete(self) -> None:
        memory = self._selected
        if memory is None:
            return

        def answered(is_yes: bool | None) -> None:
            if is_yes:
                self.run_worker(self._delete(memory), group="write")

        self.app.push_screen(Confirm(memory), answered)

    def action_undo(self) -> None:
        if self._deleted:
            self.run_worker(self._undo(self._deleted.pop()), group="write")

    def on_chips_chosen(self, event: Chips.Chosen) -> None:
        event.stop()
        if event.chips.id == "views":
            self._turn(event.key)
        else:
            self.call_later(self.run_action, _DEEDS[event.key])

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if not self.query_one("#search").display:  # letters that arrive behind the ESC that ended their search
            event.input.value = ""
            return
        self._query = event.value
        self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_keep()

    def on_learning_list_picked(self) -> None:
        self._draw_keys()

    def on_focus(self) -> None:
        self._draw_keys()

    def on_descendant_focus(self) -> None:
        self._draw_keys()

    def on_resize(self) -> None:
        self._draw_keys()

    # ---- the store

    async def _follow(self) -> None:
        """Read anew whenever any process changed something, and try again while the store fails."""
        await follow(self._hindbrain, self._look, look_s=LOOK_S)

    async def _look(self, watch: Watch | None) -> Watch | None:
        """With the follower's place, once it is known."""
        try:
            await asyncio.to_thread(_must_exist, self._hindbrain, self._is_read)
            if watch is None or self._error:
                watch = watch or await asyncio.to_thread(self._hindbrain.watch)
                await self._read()
            else:
                await self._catch_up(await asyncio.to_thread(watch.news))
        except HindbrainError as error:
            self._fail(error)
        return watch

    async def _catch_up(self, events: Sequence[Event]) -> None:
        """What events name is read again. What changes without one, such as an erasure, is seen by the file."""
        ids = {event.memory_id for event in events if event.memory_id}
        mark = await asyncio.to_thread(_mark, self._hindbrain)
        if any(event.name in OF_MANY for event in events):
            await self._read()
        elif ids:
            self._show(await asyncio.to_thread(reread, self._hindbrain, self._board, ids=ids))
        elif mark != self._mark and monotonic() - self._read_at > _REST_S:
            await self._read()

    async def _read(self) -> None:
        """HindbrainError when it cannot be read: then the panel says so until it can."""
        self._mark, self._read_at = await asyncio.to_thread(_mark, self._hindbrain), monotonic()
        self._show(await asyncio.to_thread(read, self._hindbrain, self._board))

    def _show(self, board: Board) -> None:
        self._board, self._is_read, self._error = board, True, None
        self._draw()

    async def _saved(self, memory: Memory, text: str) -> HindbrainError | None:
        def work() -> None:
            now = self._hindbrain.show(memory.id)
            if now.version != memory.version:
                raise Conflict(
                    "somebody else has changed it meanwhile", fix="cancel, look at what it says now, then edit again"
                )
            self._hindbrain.edit(memory.id, content=text)

        error = await self._write(work)
        if error is None:
            self._say("Saved; what it said before is in its history.")
        return error

    async def _delete(self, memory: Memory) -> None:
        error = await self._write(lambda: self._hindbrain.delete(memory.id))
        if error is None:
            self._deleted.append(memory)
            self._say(f'Deleted "{_quoted(memory)}".')
        else:
            self._complain(error)

    async def _undo(self, memory: Memory) -> None:
        error = await self._write(lambda: self._hindbrain.restore(memory.id))
        if error is None:
            self._say(f'Brought back "{_quoted(memory)}".', select=memory.id)
        else:
            self._complain(error)

    async def _write(self, work: Callable[[], object]) -> HindbrainError | None:
        """The change itself decides whether it worked; files that could not follow are told beside it."""
        try:
            await asyncio.to_thread(work)
        except HindbrainError as error:
            return error
        try:
            await asyncio.to_thread(self._hindbrain.sync)
        except HindbrainError as error:
            self.notify(f"The change is kept, but a file did not follow: {line(error.what)}", markup=False)
        try:
            self._show(await asyncio.to_thread(read, self._hindbrain, self._board))
        except HindbrainError as error:
            self._fail(error)
        return None

    def _fail(self, error: HindbrainError) -> None:
        self._error = error
        self._draw()

    # ---- the screen

    @property
    def _is_typing(self) -> bool:
        return self.screen.focused is self._query_input

    @property
    def _query_input(self) -> Input:
        return self.query_one("#query", Input)

    @property
    def _list(self) -> LearningList:
        return self.query_one("#list", LearningList)

    @property
    def _selected(self) -> Memory | None:
        entry = self._list.selected if not self._error else None
        return self._board.memories.get(entry.id) if entry else None

    @property
    def _view(self) -> View:
        views = self._board.views
        return next((view for view in views if view.key == self._key), views[0])

    def _turn(self, key: str, *, select: str = "") -> None:
        self._key = key
        self._draw(select=select)

    def _say(self, text: str, *, select: str = "") -> None:
        self._status = text
        self._draw(select=select)

    def _complain(self, error: HindbrainError) -> None:
        self._say(f"{line(error.what)} → {line(error.fix)}")

    def _draw(self, *, select: str = "") -> None:
        """Everything, from what is known: nothing on the screen is kept anywhere else."""
        self._key = self._view.key if self._is_read else self._key
        sections = self._board.sections(self._key, query=self._query)
        found = sum(len(section.entries) for section in sections)
        if self._has_past:
            sections = (*sections, self._board.past(self._key, query=self._query))
        self.query_one(TitleBar).show(self._view.title)
        self.query_one("#views", Chips).show(
            [_chip(view, is_active=view.key == self._key) for view in self._board.views],
            tail=wording.count(found) if self._is_read else "",
        )
        message = self._message(is_empty=not sections)
        self.query_one("#message", Static).update(message or "")
        self.query_one("#message").display = message is not None
        self._list.show(sections, nothing="Nothing was superseded.", select=select)
        self._list.display = message is None
        self.query_one("#status", Static).update(Text(self._status))
        self.query_one("#status").display = bool(self._status)
        self._draw_keys()

    def _draw_keys(self) -> None:
        is_short = self.size.height < _FEW_LINES
        self.set_class(is_short, "-short")
        chips = [Chip(key=key, text=mark if is_short else f"{mark} {word}") for key, mark, word in self._keys()]
        self.query_one("#keys", Chips).show(chips)

    def _keys(self) -> list[tuple[str, str, str]]:
        """What works just now, and nothing else."""
        if self._error:
            return [_AGAIN, _CLOSE]
        if self._is_typing:
            return list(_TYPING)
        close = _END if self.query_one("#search").display else _CLOSE
        selected = self._selected
        can_edit = _ON_LIVE if selected and selected.superseded_by is None else _ON_LIVE[1:] if selected else ()
        return [
            _TURN,
            *([_MOVE] if selected else []),
            _FIND,
            *can_edit,
            close,
            _PAST,
            *([_UNDO] if self._deleted else []),
        ]

    def _message(self, *, is_empty: bool) -> Text | None:
        """Instead of a list."""
        if self._error:
            return (
                Text("The learnings cannot be read.\n\n", style="bold")
                .append(f"{line(self._error.what)}\n", style="none")
                .append(f"→ {line(self._error.fix)}\n\n", style="none")
                .append("It is tried again every moment.", style="dim")
            )
        if not self._is_read:
            return Text("Reading…", style="dim")
        if not is_empty:
            return None
        if self._query:
            return Text(f"Nothing here matches “{line(self._query)}”.\n\nESC ends the search.")
        signal, whose = ("GLOBAL", "") if self._key in (SHARED, ALL) else ("LOCAL", f" --persona {line(self._key[1:])}")
        return (
            Text("No learnings yet.\n\n", style="bold")
            .append(f"An agent teaches by saying\n<chorus>LEARNING_{signal}:…</chorus>\n\n", style="none")
            .append(f'you by typing\nhindbrain add{whose} "…"', style="none")
        )


class TitleBar(Widget):
    """What is shown, and how to leave."""

    DEFAULT_CSS = "TitleBar { height: auto; }"

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._title = ""

    def show(self, title: str) -> None:
        if title != self._title:
            self._title = title
            self.refresh()

    def get_content_height(self, *_: object) -> int:
        return 1

    def render(self) -> RenderResult:
        return Text(spread(self._title, f"│ {wording.CLOSE}", width=self.content_size.width), no_wrap=True)

    def on_click(self, event: object) -> None:
        self.post_message(LearningsPanel.Closed())


class PanelRule(Widget):
    """A line from frame to frame."""

    DEFAULT_CSS = "PanelRule { height: 1; color: #14B8A6; }"

    def render(self) -> RenderResult:
        return Text(f"├{'─' * max(self.size.width - 2, 0)}┤", no_wrap=True)


def _chip(view: View, *, is_active: bool) -> Chip:
    return Chip(key=view.key, text=f"[{'●' if is_active else ''}{view.label}]", is_active=is_active)


def _quoted(memory: Memory) -> str:
    text = line(memory.content[: 4 * _QUOTED])
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1].rstrip()}…"


def _mark(hindbrain: Hindbrain) -> tuple[int, ...]:
    """Changes whenever anybody has written into the store."""
    path = hindbrain.settings.store
    if is_server(path):
        return (int(time.monotonic()),)  # there is no file to look at: it looks once a second
    files = [file for file in (Path(path), Path(f"{path}-wal")) if file.exists()]
    return tuple(number for file in files for number in (file.stat().st_mtime_ns, file.stat().st_size))


def _must_exist(hindbrain: Hindbrain, was_there: bool) -> None:
    """An engine goes on reading a file that was removed: nobody would ever learn that the store is gone."""
    path = hindbrain.settings.store
    if was_there and not is_server(path) and not Path(path).exists():
        raise Unreadable(
            f"{path} is gone", fix="put it back, or close the panel and open it anew to begin with nothing"
        )
