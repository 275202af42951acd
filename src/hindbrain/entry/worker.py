"""What the worker of a home does while it lives, and when it ends.

Four threads. One takes up what hooks have left and does the jobs that follow from it, one embeds what is due: each at
its start, when it is told that there is something, and every few seconds. One runs what `app.schedule` says, when its
time has come. Meanwhile it answers processes that live too
short to load the model. Without a model it does all the rest. It ends when it is told to, when nobody has asked for a
while, and when its home goes; when its settings change, it begins anew with them.
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
from hindbrain.app import errand, schedule
from hindbrain.app.answer import answer
from hindbrain.app.consolidate import queue_due
from hindbrain.app.drain import Drained, drain
from hindbrain.app.embed import BATCH, Embedded, embed_due
from hindbrain.app.handlers import handlers
from hindbrain.app.jobs import Ran, run_due
from hindbrain.app.tools import Tools
from hindbrain.app.weekly import queue_upkeep
from hindbrain.core.address import is_server, shown
from hindbrain.core.logger import MACHINE, Phase
from hindbrain.core.message import MOST_ANSWERED, understood, written
from hindbrain.core.model.job import Job, JobState
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, EmbedderMissing, HindbrainError
from hindbrain.settings import Settings, named
from hindbrain.wiring import lease_of, open_tools, service_of, spool_of

STOPPED, IDLE = "stopped", "nobody asked"
GONE, CHANGED = "its home is gone", "its settings or its store changed"
OTHER = "a hook asked for another store"

_TICK_S = 5.0  # between two looks at the clock and at the files
_CHECK_S = 5.0  # between two looks for what is due
_FIRST_S = 15.0  # before the first look at the schedule
_JOBS_S = 60.0  # between two looks at the schedule, and at the files of the vault
_SWEEP_S = 60.0  # between two looks for projects in which nothing happens any more
_UPKEEP_S = 3600.0  # between two looks for projects whose week is over
_SPOOL_S = 1.0  # between two looks at what hooks have left
_RETRY_S = 60.0  # the same, after a failure
_POLITE = 10  # niceness of the thread that embeds: answers come first, and so does the user

_DISTANT = ("openai", "mistral")  # models that cannot be kept warm, and whose network may come back

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


def caught_up(tools: Tools) -> tuple[Drained, Ran]:
    """Take up what hooks left and do what is due, once. The caller holds the lease."""
    drained = drain(spool_of(tools.settings), tools=tools, attempt=_trouble_of)
    return drained, run_due(handlers(), tools=tools, attempt=_trouble_of)


def attempted(run: Callable[[], T]) -> tuple[T | None, str]:
    """What `run` returns, and what went wrong: whoever calls this outlives what it runs, and records it."""
    try:
        return run(), ""
    except Exception as error:  # noqa: BLE001 - one of the two catch-alls in hindbrain (rule 7)
        return None, f"{type(error).__name__}: {error}"


class _Life:
    """With one store, one model and one set of settings."""

    def __init__(self, tools: Tools, *, say: Say) -> None:
        self._tools = tools
        self._files = _files(tools.settings)
        self._say = say
        self._ending = ""
        self._busy = {"draining", "embedding"}  # parts that have something to do, or have not looked yet
        self._done = 0  # memories since the log last told
        self._trouble: dict[str, str] = {}  # by part: what last went wrong, until it goes right again
        self._used = time.monotonic()
        self._swept = self._used
        self._poked = threading.Event()
        self._over = threading.Event()
        self._stirred = threading.Event()
        self._phase = Phase.IDLE
        self._doing = ""  # the kind of job
        self._is_listed = False  # whether the store knows all that is due
        self._is_alone = False  # whether the vectors of other models are gone
        self._spool = spool_of(tools.settings)
        self._upkeep_at = time.monotonic()  # when to look whose turn it is
        self._embedder = tools.embedder if self._is_warmed() else None
        for warning in tools.model.warnings() if tools.model else ():
            say(f"warns: {warning}")
        self._service = service_of(tools.settings)

    def _is_warmed(self) -> bool:
        """Before it can be called: whoever reaches it is answered in time. False where there is no model to be had."""
        embedder = self._tools.embedder
        if embedder is not None and embedder.space.provider in _DISTANT:
            return True
        try:
            return bool(embedder and embedder.embed(["warm up"]))
        except EmbedderMissing as error:
            self._trouble["embedding"] = f"{error.what}; {error.fix}"
            self._say(f"does without a model: {error.what}")
            return False

    def run(self) -> str:
        loops = {"draining": self._drain_on, "embedding": self._embed_on, "keeping": self._keep_on}
        if self._embedder is None:
            self._busy.discard("embedding")
            del loops["embedding"]
        threads = [threading.Thread(target=loop, name=name) for name, loop in loops.items()]
        try:
            with _signals(self._end):
                for thread in threads:
                    thread.start()
                self._say(f"serves {self._tools.settings.home} as process {os.getpid()}")
                while not self._is_over():
                    self._service.serve(self._answer, for_s=self._pause())
        finally:
            self._end()
            self._service.close()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
        return self._ending

    def _end(self, why: str = STOPPED) -> None:
        self._ending = self._ending or why
        self._poked.set()
        self._over.set()
        self._stirred.set()
        self._service.wake()

    def _is_over(self) -> bool:
        is_remote = is_server(self._tools.settings.store)
        store = Path(self._tools.settings.home if is_remote else self._tools.settings.store)
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
        if most <= 0 or self._busy:
            return _TICK_S
        return min(_TICK_S, self._used + most - time.monotonic())

    def _rest(self, part: str) -> None:
        """Nothing is left to do there."""
        if part in self._busy:
            self._busy.discard(part)
            self._service.wake()  # it may be time to end

    def _drain_on(self) -> None:
        _be_polite()
        while not self._ending:
            self._stirred.clear()
            is_more = None if self._is_changed() else self._outlived("draining", self._drain_some)
            if is_more:
                self._busy.add("draining")
                self._used = time.monotonic()
            else:
                self._rest("draining")
            if not self._ending:
                self._stirred.wait(_SPOOL_S if is_more is not None else _CHECK_S)

    def _drain_some(self) -> bool:
        """Take up what hooks left, do what is due; whether there is anything that will be due."""
        drained = drain(self._spool, tools=self._tools, attempt=_trouble_of, is_over=self._is_ending)
        if not drained.records and time.monotonic() >= self._swept + _SWEEP_S:
            self._swept = time.monotonic()
            queue_due(self._tools)
        if time.monotonic() >= self._upkeep_at:
            self._upkeep_at = time.monotonic() + _UPKEEP_S
            queue_upkeep(tools=self._tools)
        run_due(handlers(), tools=self._tools, attempt=_trouble_of, is_over=self._is_ending, watch=self._watch_queue)
        if drained.queued:
            self._poked.set()  # what was captured has no vectors yet
        self._trouble.pop("draining", None)
        counts = self._tools.store.count_jobs()
        return bool(drained.records or counts.get(JobState.QUEUED) or counts.get(JobState.RUNNING))

    def _is_ending(self) -> bool:
        return bool(self._ending)

    def _watch_queue(self, phase: Phase, job: Job) -> None:
        self._phase = phase
        self._doing = job.kind if job.state is JobState.RUNNING else ""
        if job.state is JobState.DEAD:
            self._say(f"gives up {job.kind} {job.id}: {job.error}")

    def _embed_on(self) -> None:
        _be_polite()
        while True:
            self._poked.clear()
            step = None if self._ending or self._is_changed() else self._outlived("embedding", self._embed_some)
            if step and step.done and step.left:
                continue
            self._rest("embedding")
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
                self._outlived("keeping", self._keep)

    def _keep(self) -> None:
        for name in schedule.run_due(self._tools):
            self._say(f"has run {name}")
        schedule.watch(self._tools)
        self._trouble.pop("keeping", None)

    def _embed_some(self) -> Embedded:
        store, embedder = self._tools.store, self._embedder
        if embedder is None:
            raise BadValue("the worker has no model", fix="do without it")
        store.expect(embedder.space)
        self._is_listed = True
        step = embed_due(store=store, embedder=embedder, limit=BATCH, is_over=lambda: bool(self._ending))
        if step.done:
            self._used = time.monotonic()
            self._done += step.done
        if self._done and not step.left:
            self._say(f"has embedded what was due: {self._done}")
            self._done = 0
        if not step.left and not self._is_alone:
            store.drop_spaces(but=embedder.space)
            self._is_alone = True
        self._trouble.pop("embedding", None)
        return step

    def _answer(self, line: bytes) -> bytes:
        """A message for a message; whatever is wrong with it, the caller is told, and the worker lives on."""
        message = understood(line)
        if message is None:
            return written({"error": "not_understood"})
        return self._outlived("answering", lambda: self._said(message)) or written({"error": "internal"})

    def _said(self, message: Message) -> bytes:
        try:
            said = written(self._verb(message)(message))
        except _OtherStore:
            self._end(OTHER)
            return written({"error": "another_store"})
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
        store, space = self._present().store, self._embedder.space if self._embedder else None
        counts = store.count_jobs()
        return {
            "pid": os.getpid(),
            "hindbrain": __version__,
            "store": shown(errand.place(self._tools.settings)),
            "space": space.name if space else None,
            "due": store.count_unembedded(space) if space and self._is_listed else None,
            "trouble": "; ".join(self._trouble.values()),
            "queue": {
                "id": MACHINE,
                "state": str(self._phase),
                "processing": self._phase is Phase.PROCESSING,
                "doing": self._doing,
                "pending": counts.get(JobState.QUEUED, 0),
                "dead": counts.get(JobState.DEAD, 0),
            },
            "spool_bytes": int(self._spool.vitals()["waiting_bytes"]),
        }

    def _embed(self, message: Message) -> Mapping[str, object]:
        if self._embedder is None or message.get("space") != self._embedder.space.name:
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
        self._refuse_other(message)
        self._stirred.set()  # it has left something in the spool
        moment = datetime.fromtimestamp(at / 1000, UTC)
        said = answer(str(message.get("client")), body, at=moment, tools=self._present())
        return {"body": said} if said and time.monotonic() < heard + patience_ms / 1000 else {}

    def _present(self) -> Tools:
        """Not a moment longer than they are those of this home: a thread would open what came in the store's place,
        or make an empty one while a person puts a backup there."""
        if self._is_changed():
            raise BadValue("the store or the settings are being exchanged", fix="do without the worker")
        return self._tools

    def _refuse_other(self, message: Message) -> None:
        """Whoever has switched the store of a home means its hooks as well: what they hear belongs there, and what they
        are told must come from there. So this worker makes room for one that has it. Older hooks do not say."""
        told = message.get("store")
        if not isinstance(told, str):
            return
        settings = self._tools.settings
        try:
            store = named(os.fsdecode(bytes.fromhex(told))) or str(Path(settings.home) / "hindbrain.db")
            if not is_server(store) and not Path(store).is_absolute():
                return  # another one in every folder: nobody knows which is meant
            place = errand.place(replace(settings, store=store))
        except ValueError as error:
            raise BadValue(f"`store` is no place: {error}", fix="send its name in hexadecimal digits") from error
        if place != errand.place(settings):
            raise _OtherStore

    def _poke(self, message: Message) -> Mapping[str, object]:
        self._refuse_other(message)
        self._poked.set()
        self._stirred.set()
        return {}

    def _stop(self, _: Message) -> Mapping[str, object]:
        self._end()
        return {"pid": os.getpid()}

    def _outlived(self, part: str, run: Callable[[], T]) -> T | None:
        """What `run` returns; None when it failed, which is recorded and shown by `worker --status`."""
        result, trouble = attempted(run)
        if trouble and trouble != self._trouble.get(part):
            self._say(f"failed: {trouble}")
        if trouble:
            self._trouble[part] = trouble
        return result


class _OtherStore(Exception):
    """Who calls has another store than this worker."""


def _trouble_of(run: Callable[[], None]) -> str:
    return attempted(run)[1]


def _files(settings: Settings) -> tuple[object, ...]:
    """What tells whether the settings were edited, or the store exchanged."""
    written = [_known(Path(settings.home) / name) for name in ("config.toml", "routing.yaml")]
    store = None if is_server(settings.store) else _known(Path(settings.store))
    marks = (one and (one.st_ino, one.st_size, one.st_mtime_ns) for one in written)
    return *marks, store and (store.st_dev, store.st_ino)


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
    """Whoever ends the process lets it end well. Only a main thread hears of it: in another, whoever started it must
    tell."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kinds = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(kind, lambda *_: end()) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)
