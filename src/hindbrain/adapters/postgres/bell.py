"""How this process hears that any other has written: one session that listens, for all who follow.

A word only shortens a wait: what happened is read behind a cursor, so one that is lost costs nothing but time. After
every new beginning all are woken, for what happened while nobody listened. Some poolers let nobody listen, and say
nothing about it: so each session first sends a word to itself by another, and is only relied on when that has come.
"""

import contextlib
import threading
from collections.abc import Callable

from hindbrain.adapters.postgres.wire import Db, Wire, translated
from hindbrain.errors import HindbrainError

_SLICE_S = 0.5  # in which the thread sees that nobody follows any more
_PAUSE_S = 0.5  # before another try to reach the server
_CHANNEL = "SELECT 'hindbrain_' || current_schema()"


class Bell:
    """Listens while anybody follows. Threads may share it."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._lock = threading.Lock()
        self._ears: set[Ear] = set()
        self._is_listening = False
        self._thread: threading.Thread | None = None
        self._is_over = threading.Event()
        self.is_sure = False

    def listen(self, heard: Callable[[], None]) -> "Ear":
        ear = Ear(self, heard)
        with self._lock:
            self._ears.add(ear)
            if not self._is_listening:
                self._is_listening = True
                self._thread = threading.Thread(target=self._run, name="hindbrain-bell", daemon=True)
                self._thread.start()
        return ear

    def leave(self, ear: "Ear") -> None:
        with self._lock:
            self._ears.discard(ear)

    def close(self) -> None:
        """For good: the store is closed."""
        self._is_over.set()
        with self._lock:
            self._ears.clear()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while self._is_wanted():
            with contextlib.suppress(HindbrainError), translated(self._wire.name), self._wire.open() as db:
                self._attend(db)
            self.is_sure = False
            self._is_over.wait(_PAUSE_S)

    def _is_wanted(self) -> bool:
        """Under the lock, so that whoever comes now either is seen here or starts another thread."""
        with self._lock:
            self._is_listening = bool(self._ears)
            return self._is_listening

    def _attend(self, db: Db) -> None:
        db.execute("SELECT set_config('application_name', 'hindbrain follower', false)")
        ((channel,),) = db.execute(_CHANNEL.encode()).fetchall()
        ((quoted,),) = db.execute("SELECT quote_ident(%s)", (channel,)).fetchall()
        db.execute(f"LISTEN {quoted}".encode())
        with self._wire.open() as other:
            other.execute("SELECT pg_notify(%s, '')", (channel,))
        self._ring()
        while self._has_ears():
            if any(True for _ in db.notifies(timeout=_SLICE_S, stop_after=1)):
                self.is_sure = True
                self._ring()

    def _has_ears(self) -> bool:
        with self._lock:
            return bool(self._ears)

    def _ring(self) -> None:
        with self._lock:
            ears = tuple(self._ears)
        for ear in ears:
            ear.heard()


class Ear:
    """One who follows."""

    def __init__(self, bell: Bell, heard: Callable[[], None]) -> None:
        self._bell = bell
        self.heard = heard

    @property
    def is_sure(self) -> bool:
        return self._bell.is_sure

    def close(self) -> None:
        self._bell.leave(self)
