"""How long a follower waits until it looks again: until it hears of something; where it cannot hear, a moment."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

from hindbrain.app.tools import Tools
from hindbrain.facade import Hindbrain

W = TypeVar("W")

NET_S = 5.0  # even who hears everything looks now and then: words are not promised to come


async def follow(of: Hindbrain, look: Callable[[W | None], Awaitable[W | None]], *, look_s: float) -> None:
    """Look, and again after every pause, until it is cancelled. `look` is given what it returned last."""
    place: W | None = None
    with contextlib.closing(Pause(of)) as pause:
        while True:
            place = await look(place)
            while not await pause.over(look_s):
                pass


class Pause:
    """Made and used in one event loop. What is heard between two pauses ends the next one at once."""

    def __init__(self, of: Hindbrain | Tools, *, net_s: float = NET_S) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._ear = of.store.listen(self._wake)
        self._net_s = net_s
        self._looked_at = monotonic()

    @property
    def is_sure(self) -> bool:
        return self._ear is not None and self._ear.is_sure

    async def over(self, look_s: float) -> bool:
        """Whether to look now; after `look_s` seconds at the latest, so that a caller can see that it is to end."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), look_s)
        is_due = self._woken.is_set() or not self.is_sure or monotonic() - self._looked_at >= self._net_s
        if is_due:
            self._woken.clear()  # before the look: what comes during it is for the next
            self._looked_at = monotonic()
        return is_due

    def close(self) -> None:
        if self._ear is not None:
            self._ear.close()

    def _wake(self) -> None:
        """From the thread that listens, perhaps after the loop has ended."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._woken.set)
