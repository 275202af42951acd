"""How a worker is started, looked at and ended by hand."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from hindbrain.core.address import is_server
from hindbrain.core.model.moment import stamp
from hindbrain.core.value import dataclass, replace
from hindbrain.entry.cli.bar import Bar
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import bold, dim, line, many
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import Misuse, command, option
from hindbrain.errors import WorkerStuck
from hindbrain.settings import Settings, anew, environment, load, worker_socket

_LOOK_S = 2.0  # how long a person waits for a worker's answer
_END_S = 15.0  # how long a worker may take to finish what it is doing
_BEAT_S = 2.5  # without a sign of life, a worker is worth replacing
_POLL_S = 0.05
_LONGEST_LOG = 1_000_000  # bytes; a longer one begins anew


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    is_running: bool
    is_answering: bool
    pid: int | None
    store: str | None  # that it works for
    space: str | None  # the model's
    due: int | None  # memories without a vector; None: not known yet
    trouble: str | None  # what last went wrong; empty: nothing
    queue: dict[str, Any] | None  # its machine: id, state (idle, processing), doing, pending, dead
    spool_bytes: int  # of what hooks were told, and nobody has taken up yet
    socket: str
    log: str


@command(
    examples="""
hindbrain worker --detach
hindbrain worker --status
hindbrain worker --once
hindbrain worker --stop
"""
)
@option("--detach", is_flag=True, help="Start it in the background, unless there is one, and return at once.")
@option("--once", is_flag=True, help="Take up what hooks left, do and embed what is due, then end.")
@option("--stop", is_flag=True, help="End the one that runs.")
@option("--status", is_flag=True, help="Say whether one runs, and what it has to do.")
def worker(call: Call, detach: bool, once: bool, stop: bool, status: bool) -> None:
    """Learn from what hooks heard, and give memories their meaning.

    Without an option it runs until Ctrl-C. While it runs, other commands need not load the model. It ends by itself
    when nobody has asked it for a while; hooks start one when there is none. Without a model it does all the rest.
    """
    wanted = {_detach: detach, _once: once, _stop: stop, _status: status}
    if sum(wanted.values()) > 1:
        raise Misuse("Give only one of --detach, --once, --stop and --status.")
    next((run for run, is_wanted in wanted.items() if is_wanted), _serve)(call)


def _serve(call: Call) -> None:
    from hindbrain.entry.worker import work

    settings = load()
    home = Path(settings.home).absolute()
    store = settings.store if is_server(settings.store) else str(Path(settings.store).absolute())
    settings = replace(settings, home=str(home), store=store)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chdir(home)  # it may live long: it must not hold the folder that somebody happened to stand in
    ending = work(lambda: anew(settings), say=_say)
    call.tell(lambda: {"pid": os.getpid(), "ended": ending}, ())


def _say(told: str) -> None:
    click.echo(f"{stamp(datetime.now(UTC))} {line(told)}", err=True)


def _detach(call: Call) -> None:
    from hindbrain.wiring import lease_of

    settings = load()
    lease = lease_of(settings)
    holder = lease.holder if lease.is_beating(_BEAT_S) else None  # one that is stopped will be replaced
    pid = _spawned(_log(settings)) if holder is None else holder
    told = f"Process {pid} {'starts' if holder is None else 'is the worker already'}."
    call.tell(lambda: {"pid": pid, "is_new": holder is None, "log": str(_log(settings))}, [told])


def _spawned(log: Path) -> int:
    """A worker of its own session: neither a terminal that closes nor the end of this process reaches it."""
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    is_long = log.exists() and log.stat().st_size > _LONGEST_LOG
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if is_long else os.O_APPEND)
    streams = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), flags, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    # -P: a folder called hindbrain where somebody stands is not ours to run.
    words = [sys.executable, "-P", "-m", "hindbrain", "worker"]
    return os.posix_spawn(sys.executable, words, environment(), file_actions=streams, setsid=True)


def _once(call: Call) -> None:
    from hindbrain.app.embed import Embedded, embed_all
    from hindbrain.entry.worker import caught_up
    from hindbrain.wiring import lease_of, open_tools

    settings = load()
    with lease_of(settings).hold(), contextlib.closing((tools := open_tools(settings)).store):
        drained, ran = caught_up(tools)
        embedder, embedded = tools.embedder, Embedded(done=0, left=0)
        if embedder is not None:
            tools.store.expect(embedder.space)
            with contextlib.closing(Bar("embedding", tools.store.count_unembedded(embedder.space))) as bar:
                embedded = embed_all(store=tools.store, embedder=embedder, tell=bar.tell)
    space = embedder.space.name if embedder else None
    lines = [f"{_memories(embedded.done)} embedded, {embedded.left:,} left"] if embedder else []
    if drained.records or drained.spoiled or any((ran.done, ran.failed, ran.dead)) or not embedder:
        lines.append(f"{many(drained.records, 'record')} taken up, {drained.spoiled:,} set aside")
        lines.append(f"{many(ran.done, 'job')} done, {ran.failed:,} to be tried again, {ran.dead:,} given up")
    call.tell(lambda: {**plain(embedded), "space": space, "drained": plain(drained), "jobs": plain(ran)}, lines)


def _stop(call: Call) -> None:
    from hindbrain.wiring import lease_of, worker_of

    settings = load()
    lease = lease_of(settings)
    pid = lease.holder
    if pid is not None:
        if worker_of(settings).ask({"do": "stop"}, deadline_s=_LOOK_S) is None and pid and lease.is_holder_sure:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        _wait(lambda: lease.holder is None, pid)
    told = "No worker was running." if pid is None else f"Process {pid} has ended."
    call.tell(lambda: {"pid": pid, "was_running": pid is not None}, [told])


def _wait(is_over: Callable[[], bool], pid: int) -> None:
    until = time.monotonic() + _END_S
    while not is_over():
        if time.monotonic() > until:
            raise WorkerStuck(f"process {pid} does not end", fix=f"kill -9 {pid}: nothing is lost by it")
        time.sleep(_POLL_S)


def _status(call: Call) -> None:
    from hindbrain.wiring import lease_of, spool_of, worker_of

    settings = load()
    holder = lease_of(settings).holder
    told: dict[str, Any] = worker_of(settings).ask({"do": "ping"}, deadline_s=_LOOK_S) or {}
    status = Status(
        is_running=holder is not None,
        is_answering=bool(told),
        pid=told.get("pid", holder),
        store=told.get("store"),
        space=told.get("space"),
        due=told.get("due"),
        trouble=told.get("trouble"),
        queue=told.get("queue"),
        spool_bytes=int(spool_of(settings).vitals()["waiting_bytes"]),
        socket=worker_socket(settings.home),
        log=str(_log(settings)),
    )
    call.tell(lambda: plain(status), _lines(status))


def _lines(status: Status) -> Iterator[str]:
    if not status.is_running:
        yield "No worker is running: a recall that needs the model starts it for itself."
        yield "Start one: hindbrain worker --detach"
    elif not status.is_answering:
        yield f"Process {status.pid} is the worker, but does not answer: it is starting, waits for its store,"
        yield "or is of another version."
    else:
        yield bold(f"Process {status.pid} is the worker.")
        yield f"  store    {line(status.store or 'not told')}"
        yield f"  model    {line(status.space or 'none: recall goes by words')}"
        if status.due is not None:
            yield f"  waiting  {_memories(status.due)} without a vector"
    if status.queue:
        queue = status.queue
        state = line(f"{queue['state']} {queue['doing']}".strip())
        yield f"  queue    {state}, {queue['pending']:,} pending, {queue['dead']:,} given up"
    if status.spool_bytes:
        yield f"  spool    {status.spool_bytes:,} bytes to be taken up"
    if status.trouble:
        yield f"  trouble  {line(status.trouble)}"
    if Path(status.log).exists():
        yield dim(f"  log      {line(status.log)}")


def _memories(count: int) -> str:
    return many(count, "memory", plural="memories")


def _log(settings: Settings) -> Path:
    return Path(settings.home) / "worker.log"
