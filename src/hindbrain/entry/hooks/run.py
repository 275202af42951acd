"""What one hook call does, in which order, and what it never does: fail, talk out of turn, or take long.

It keeps the event first, because that needs nobody. Then, if the event can be answered, it asks the worker; if there
is none, it starts one and answers by itself. Each step may fail without the others: what went wrong is noted for
`hindbrain doctor`, never shown to the agent. The process ends with 0, and at its deadline wherever it is.
"""

import _signal  # type: ignore[import-not-found]  # `signal` would load enum
import posix
import time

from hindbrain.core.hooks.table import EVENTS
from hindbrain.entry.hooks import event, spool
from hindbrain.entry.hooks.home import home_of
from hindbrain.entry.hooks.trouble import note

TYPE_CHECKING = False  # checkers take it for True
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from hindbrain.entry.hooks.call import Asked

DEADLINE_S = 0.75  # of the whole process; a client waits a second at most
GRACE_S = 0.1  # to note that the deadline came
PATIENCE_S = 0.35  # with a worker that is there
SPARE_S = 0.15  # less than this is not enough to answer in this process
MOST = 4_000_000  # bytes of an event that is kept as it is
_MOST_READ = 32_000_000  # bytes; of what is longer only the beginning can be told
_CHUNK = 65_536  # bytes; what a pipe holds
_OFF = (b"off", b"0", b"no", b"false")


class Hook:
    """One call."""

    def __init__(self, client: str, *, environ: "dict[bytes, bytes]") -> None:
        self.client = client
        self.environ = environ
        self.home = home_of(environ)
        self.since = time.monotonic()
        self.at_ms = time.time_ns() // 1_000_000
        self.doing = "reading"

    def run(self) -> None:
        payload = _heard()
        if not payload.strip() or self.environ.get(b"HINDBRAIN_HOOKS", b"").lower() in _OFF:
            return
        if len(payload) > MOST:
            from hindbrain.entry.hooks.giant import shortened

            payload = shortened(payload, MOST)
        heard = event.read(payload, client=self.client)
        if heard is None:
            return
        self.doing = "keeping"
        self._tried(lambda: spool.append(self.home, self.record(payload), is_synced=heard.is_synced))
        if heard.asks:
            self._answer(payload, heard)
        elif heard.is_synced:
            self._tried(self._wake)

    def over(self, *_: object) -> "NoReturn":
        """The deadline. If the disk keeps even the note waiting, the kernel ends it."""
        _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
        _signal.setitimer(_signal.ITIMER_REAL, GRACE_S)
        note(self.home, f"{self.at_ms} {self.client} too late while {self.doing}")
        posix._exit(0)

    def left(self) -> float:
        """Seconds until the deadline."""
        return self.since + DEADLINE_S - time.monotonic()

    @property
    def socket(self) -> str:
        """Where nearly every worker is reached; that of a home that lies deep is elsewhere."""
        return f"{self.home}/worker.sock"

    @property
    def asked(self) -> "Asked":
        from hindbrain.entry.hooks.call import Asked

        patience = min(PATIENCE_S, self.left())
        return Asked(client=self.client, at_ms=self.at_ms, patience_s=patience, store=self.store)

    @property
    def store(self) -> bytes:
        return self.environ.get(b"HINDBRAIN_STORE", b"")

    def record(self, payload: bytes) -> bytes:
        import binascii

        line = payload.replace(b"\n", b" ")
        return b"1 %b %d %08x %b\n" % (self.client.encode(), self.at_ms, binascii.crc32(line), line)

    def _answer(self, payload: bytes, heard: event.Heard) -> None:
        from hindbrain.entry.hooks import call

        self.doing = "asking the worker"
        try:
            said = call.answered(self.socket, payload, asked=self.asked)
        except OSError:
            self._tried(self._start)  # it may be stuck: a new one finds out, and takes its place or ends
            raise
        if said is None:
            self._tried(self._start)
            is_worth_it = heard.asks == event.ALWAYS and self.left() > SPARE_S
            said = self._alone(payload) if is_worth_it else b""
        else:
            self._has_worker()
        _say(said)

    def _alone(self, payload: bytes) -> bytes:
        self.doing = "answering"
        from hindbrain.entry.hooks.alone import answered

        return answered(self, payload)

    def _wake(self) -> None:
        from hindbrain.entry.hooks import call

        self.doing = "waking the worker"
        if not call.poked(self.socket, store=self.store):
            self._start()

    def _start(self) -> None:
        from hindbrain.entry.hooks.start import start

        start(self.home, self.environ)

    def _has_worker(self) -> None:
        from hindbrain.entry.hooks.start import forget

        forget(self.home)

    def _tried(self, step: "Callable[[], None]") -> None:
        try:
            step()
        except OSError as error:
            note(self.home, f"{self.at_ms} {self.client} {self.doing}: {error}")


def main(words: "Sequence[str]") -> "NoReturn":
    client = words[0] if words else ""
    hook = Hook(client, environ=posix.environ)
    _signal.signal(_signal.SIGALRM, hook.over)
    _signal.setitimer(_signal.ITIMER_REAL, DEADLINE_S)
    try:
        if client in EVENTS:
            hook.run()
        else:
            note(hook.home, f"{hook.at_ms} {client} is no client: use one of {', '.join(EVENTS)}")
    except Exception as error:  # noqa: BLE001 - one of the two catch-alls in hindbrain (rule 7)
        note(hook.home, f"{hook.at_ms} {client} {hook.doing}: {type(error).__name__}: {error}")
    posix._exit(0)


def _heard() -> bytes:
    """All of it, so that the client is not left with half of it in its hands."""
    parts: list[bytes] = []
    size = 0
    while part := posix.read(0, _CHUNK):
        if size < _MOST_READ:
            parts.append(part)
        size += len(part)
    return b"".join(parts)


def _say(said: bytes) -> None:
    while said:
        said = said[posix.write(1, said) :]
