"""When somebody is told of a new learning, for how long, and what happens when many come at once.

Only what was stored anew is told: the same lesson once more, a new version or a restored one are not. It does not
matter which process stored it: the log of events is followed, from where a toast last stopped.
"""

import asyncio
from collections.abc import Sequence

from rich.text import Text
from textual.containers import Vertical
from textual.events import Click
from textual.widgets import Static

from hindbrain.app.watch import Watch
from hindbrain.core.heading import LEARNINGS
from hindbrain.core.model import Event, Memory, State
from hindbrain.entry.panel import wording
from hindbrain.entry.panel.layout import wrapped
from hindbrain.entry.pause import follow
from hindbrain.errors import HindbrainError
from hindbrain.facade import Hindbrain

SHOWN_S = 5.0
WIDTH = 40  # columns, the frame included
LOOK_S = 0.5  # between two looks into the log
_MOST = 3  # toasts on top of each other
_QUOTE_LINES = 3
_STORED = "learning_stored"
_FOLLOWER = "panel"


def fresh(hindbrain: Hindbrain, events: Sequence[Event]) -> list[Memory]:
    """The learnings that these events tell of, oldest first, as far as they still stand."""
    ids = dict.fromkeys(event.memory_id for event in events if event.name == _STORED and event.memory_id)
    found = hindbrain.store.memories(list(ids))
    known = (found[one] for one in ids if one in found)
    return [one for one in known if one.state is State.LIVE and one.kind in LEARNINGS]


class LearningToast(Static):
    """One new learning, for five seconds or until it is clicked."""

    DEFAULT_CSS = """
    LearningToast {
        width: 40;
        max-width: 100%;
        height: auto;
        padding: 0 1;
        border: solid #14B8A6;
        background: $surface;
        color: $foreground;
    }
    """

    def __init__(self, memory: Memory, *, more: int = 0) -> None:
        super().__init__(self._lines(memory, more), markup=False)
        self.memory_id = memory.id

    def on_mount(self) -> None:
        self.set_timer(SHOWN_S, self.remove)

    def on_click(self, event: Click) -> None:
        event.stop()
        self.remove()

    def _lines(self, memory: Memory, more: int) -> Text:
        title, quote, source, hint = wording.toast(memory, more=more)
        room = WIDTH - 4 - 2  # frame and padding, then the hang
        quoted = wrapped(quote, room, most=_QUOTE_LINES)
        below = [*quoted, *wrapped(source, room, most=2)]
        text = Text(title, style="bold #14B8A6", no_wrap=True)
        for line in below:
            text.append(f"\n  {line}", "none")
        return text.append(f"\n  {hint}", "dim")


class LearningToasts(Vertical):
    """Put it into a screen, and new learnings are told there, whichever process found them."""

    DEFAULT_CSS = """
    LearningToasts {
        overlay: screen;
        position: absolute;
        width: 40;
        max-width: 100%;
        height: auto;
    }
    """

    def __init__(self, hindbrain: Hindbrain, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._hindbrain = hindbrain

    def on_mount(self) -> None:
        self.run_worker(self._follow(), group="toasts", exclusive=True)

    def tell(self, memories: Sequence[Memory]) -> None:
        """One toast for each, the newest lowest; of too many, the newest, the lowest with how many more there are."""
        more = len(memories) - _MOST
        shown = memories[-_MOST:]
        for number, memory in enumerate(shown, start=1):
            self.mount(LearningToast(memory, more=max(more, 0) if number == len(shown) else 0))
        for old in list(self.query(LearningToast))[: -_MOST or None]:
            old.remove()

    def on_resize(self) -> None:
        self._settle()

    def _settle(self) -> None:
        """At the bottom right of the screen, whatever is around."""
        whole = self.screen.size
        own = self.outer_size
        self.styles.offset = (max(whole.width - own.width, 0), max(whole.height - own.height, 0))

    async def _follow(self) -> None:
        await follow(self._hindbrain, self._look, look_s=LOOK_S)

    async def _look(self, watch: Watch | None) -> Watch | None:
        """With the follower's place, once it is known."""
        try:
            if watch is None:
                watch = await asyncio.to_thread(self._hindbrain.watch, _FOLLOWER)
            events = await asyncio.to_thread(watch.news)
            found = await asyncio.to_thread(fresh, self._hindbrain, events) if events else []
        except HindbrainError:
            found = []  # the panel says what is wrong with the store; here it is tried again
        if found:
            self.tell(found)
        return watch
