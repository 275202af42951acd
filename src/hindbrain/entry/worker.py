"""What the worker of a home does while it lives, and when it ends.

It embeds what is due: at its start, when it is told of new memories, and every few seconds. It runs the jobs of
`app.schedule` when their time has come. Meanwhile it answers
processes that live too short to load the model. It ends when it is told to, when nobody has asked for a while, and when
its home goes; when its settings change, it begins anew with them.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from hindbrain import __version__
from hindbrain.app import errand
from hindbrain.app.answer import answer
from hindbrain.app.embed import BATCH, Embedded, embed_due
from hindbrain.app.schedule import run_due, watch
from hindbrain.app.tools import Tools
from hindbrain.core.message import MOST_ANSWERED, understood, written
from hindbrain.errors import BadValue, EmbedderMissing, HindbrainError
from hindbrain.settings import Settings
from hindbrain.wiring import lease_of, open_tools, service_of

STOPPED, IDLE = "stopped", "nobody asked"
GONE, CHANGED = "its home is gone", "its settings or its store changed"

_TICK_S = 5.0  # between two looks at the clock and at the files
_CHECK_S = 5.0  # between two looks for what is due
_FIRST_S = 15.0  # before the first look at the schedule
_JOBS_S = 60.0  # between two looks at the schedule, and at the files of the vault
_RETRY_S = 60.0  # the same, after a failure
_POLITE = 10  # niceness of the thread that embeds: answers come first, and so does the user

T = TypeVar("T")
Say = Callable[[str], None]  # a line for the log
Message = Mapping[str, Any]


def work(load: Callable[[], Settings], *, say: Say, opened: Callable[[Settings], Tools] = open_tools) -> str:
    """Be the worker until it ends, and say why it did. WorkerRunning when there is one already."""
    settings = load()
    with lease_of(settings).hold():
        while (ending := _lived(opened(settings), say=say)) == CHANGED:
            say(f"begins anew: {ending}")
            settings = load()
    say(f"ends: {ending}")
    return ending


def _lived(tools: Tools, *, say: Say) -> str:
    try:
        return _Life(tools, say=say).run()
    finally:
        tools.store.close()


class _Life:
    """With one store, one model and one set of settings."""

    def __init__(self, tools: Tools, *, say: Say) -> None:
        if tools.embedder is None:
            raise EmbedderMissing("meaning is switched off", fix='set embedder = "minilm" in config.toml')
        self._tools = tools
        self._files = _files(tools.settings)
        self._embedder = tools.embedder
        self._say = say
        self._ending = ""
        self._is_busy = True  # there is something to embed, or nobody has looked yet
        self._done = 0  # memories since the log last told
        self._trouble = ""  # what last went wrong, until it goes right again
        self._used = time.monotonic()
        self._poked = threading.Event()
        self._over = threading.Event()
        self._is_listed = False  # whether the store knows all that is due
        self._is_alone = False  # whether the vectors of other models are gone
        self._embedder.embed(["warm up"])  # before it can be called: whoever reaches it is answered in time
        self._service = service_of(tools.settings)

    def run(self) -> str:
        embedding = threading.Thread(target=self._embed_on, name="embedding")
        keeping = threading.Thread(target=self._keep_on, name="jobs")
        try:
            with _signals(self._end):
                embedding.start()
                keeping.start()
                self._say(f"serves {self._tools.settings.home} as process {os.getpid()}")
                while not self._is_over():
                    self._service.serve(self._answer, for_s=self._pause())
        finally:
            self._end()
            self._service.close()
            embedding.join()
            keeping.join()
        return self._ending

    def _end(self, why: str = STOPPED) -> None:
        self._ending = self._ending or why
        self._poked.set()
        self._over.set()
        self._service.wake()

    def _is_over(self) -> bool:
        store = Path(self._tools.settings.store)
        if not self._service.is_there or not store.parent.exists():
            self._end(GONE)
        elif self._is_changed() and store.exists():  # while there is none, a person may be putting one there
            self._end(CHANGED)
        elif self._pause() <= 0:
            self._end(IDLE)
        return bool(self._ending)

    def _is_changed(self) -> bool:
        """A store that was put in the place of another has other memories: what is open here is the old one."""
        return _files(self._tools.settings) != self._files

    def _pause(self) -> float:
        """Seconds until the next look; none when it was idle for too long."""
        most = self._tools.settings.worker_idle_s
        if most <= 0 or self._is_busy:
            return _TICK_S
        return min(_TICK_S, self._used + most - time.monotonic())

    def _embed_on(self) -> None:
        _be_polite()
        while True:
            self._poked.clear()
            step = None if self._ending or self._is_changed() else self._outlived(self._embed_some)
            if step and step.done and step.left:
                continue
            if self._is_busy:
                self._is_busy = False
                self._service.wake()  # it may be time to end
            if self._ending:
                return
            self._poked.wait(_CHECK_S if step else _RETRY_S)

    def _keep_on(self) -> None:
        """Run the jobs whose time has come, and look for files that a person changed. Not at once: whoever started the
        worker is waiting for an answer."""
        _be_polite()
        pause = _FIRST_S
        while not self._over.wait(pause):
            pause = _JOBS_S
            if not self._is_changed():
                self._outlived(self._keep)

    def _keep(self) -> None:
        for name in run_due(self._tools):
            self._say(f"has run {name}")
        watch(self._tools)

    def _embed_some(self) -> Embedded:
        store = self._tools.store
        store.expect(self._embedder.space)
        self._is_listed = True
        step = embed_due(store=store, embedder=self._embedder, limit=BATCH, is_over=lambda: bool(self._ending))
        if step.done:
            self._used = time.monotonic()
            self._done += step.done
        if self._done and not step.left:
            self._say(f"has embedded what was due: {self._done}")
            self._done = 0
        if not step.left and not self._is_alone:
            store.drop_spaces(but=self._embedder.space)
            self._is_alone = True
        self._trouble = ""
        return step

    def _answer(self, line: bytes) -> bytes:
        """A message for a message; whatever is wrong with it, the caller is told, and the worker lives on."""
        message = understood(line)
        if message is None:
            return written({"error": "not_understood"})
        return self._outlived(lambda: self._said(message)) or written({"error": "internal"})

    def _said(self, message: Message) -> bytes:
        try:
            said = written(self._verb(message)(message))
        except HindbrainError as error:  # the caller will meet it as well, and tell it better
            return written({"error": error.code})
        return said if len(said) <= MOST_ANSWERED else written({"error": "too_long"})

    def _verb(self, message: Message) -> Callable[[Message], Mapping[str, object]]:
        verbs = {
            "ping": self._ping,
            "embed": self._embed,
            "recall": self._recall,
            "hook": self._hook,
            "poke": self._poke,
            "stop": self._stop,
        }
        name = str(message.get("do"))
        if name not in verbs:
            raise BadValue(f"the worker cannot {name}", fix=f"use one of: {', '.join(verbs)}")
        if name != "ping":  # to look whether it lives does not keep it alive
            self._used = time.monotonic()
        return verbs[name]

    def _ping(self, _: Message) -> Mapping[str, object]:
        space = self._embedder.space
        return {
            "pid": os.getpid(),
            "hindbrain": __version__,
            "space": space.name,
            "due": self._present().store.count_unembedded(space) if self._is_listed else None,
            "trouble": self._trouble,
        }

    def _embed(self, message: Message) -> Mapping[str, object]:
        if message.get("space") != self._embedder.space.name:
            raise BadValue("the worker has another model", fix="embed without it")
        texts = message.get("texts")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise BadValue("`texts` must be a list of texts", fix="send such a list")
        return {"vectors": [list(vector) for vector in self._embedder.embed(texts)]}

    def _recall(self, message: Message) -> Mapping[str, object]:
        return errand.answer(message, tools=self._present())

    def _hook(self, message: Message) -> Mapping[str, object]:
        """Exactly what the hook prints; nothing where it no longer waits."""
        heard, body = time.monotonic(), message.get("body")
        at, patience_ms = message.get("at"), message.get("for_ms")
        if not isinstance(body, bytes) or not isinstance(at, int) or not isinstance(patience_ms, int):
            raise BadValue("a hook sends `at`, `for_ms` and an event", fix="send them")
        moment = datetime.fromtimestamp(at / 1000, UTC)
        said = answer(str(message.get("client")), body, at=moment, tools=self._present())
        return {"body": said} if said and time.monotonic() < heard + patience_ms / 1000 else {}

    def _present(self) -> Tools:
        """Not a moment longer than they are those of this home: a thread would open what came in the store's place,
        or make an empty one while a person puts a backup there."""
        if self._is_changed():
            raise BadValue("the store or the settings are being exchanged", fix="do without the worker")
        return self._tools

    def _poke(self, _: Message) -> Mapping[str, object]:
        self._poked.set()
        return {}

    def _stop(self, _: Message) -> Mapping[str, object]:
        self._end()
        return {"pid": os.getpid()}

    def _outlived(self, run: Callable[[], T]) -> T | None:
        """What `run` returns; None when it failed, which is recorded and shown by `worker --status`."""
        try:
            return run()
        except Exception as error:  # noqa: BLE001 - one of the two catch-alls in hindbrain (rule 7)
            trouble = f"{type(error).__name__}: {error}"
            if trouble != self._trouble:
                self._say(f"failed: {trouble}")
            self._trouble = trouble
            return None


def _files(settings: Settings) -> tuple[object, ...]:
    """What tells whether the settings were edited, or the store exchanged."""
    config, store = _known(Path(settings.home) / "config.toml"), _known(Path(settings.store))
    return config and (config.st_ino, config.st_size, config.st_mtime_ns), store and (store.st_dev, store.st_ino)


def _known(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _be_polite() -> None:
    if sys.platform == "linux":  # elsewhere only whole processes have a niceness
        own = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, own, max(_POLITE, os.getpriority(os.PRIO_PROCESS, own)))


@contextmanager
def _signals(end: Callable[[], None]) -> Iterator[None]:
    """Whoever ends the process lets it end well."""
    kinds = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(kind, lambda *_: end()) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)
