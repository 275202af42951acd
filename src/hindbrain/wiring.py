"""Which adapter stands behind which port. The only module that knows both sides."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from functools import cache

from hindbrain.adapters.ai.facade import Models
from hindbrain.adapters.clock import SystemChance, SystemClock
from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.projects import locate
from hindbrain.app.tools import Tools
from hindbrain.core.address import is_server
from hindbrain.core.hints import TYPE_CHECKING, cast
from hindbrain.core.value import replace
from hindbrain.errors import ExtraMissing, Unreadable
from hindbrain.facade import Hindbrain
from hindbrain.ports import Backups, Dialect, Embedder, Movable, Seen, Store, Written
from hindbrain.settings import Settings, default_home, load, login, machine, named, worker_socket

if TYPE_CHECKING:
    from hindbrain.adapters.clients import LocalClients
    from hindbrain.adapters.lease import Lease
    from hindbrain.adapters.postgres import PostgresStore as ServerStore
    from hindbrain.adapters.service import Service
    from hindbrain.adapters.spool import FileSpool
    from hindbrain.adapters.worker import RemoteWorker
    from hindbrain.core.setup.wires import Kit


def open_hindbrain(
    store: str | os.PathLike[str] | None = None,
    project: str | os.PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    is_brief: bool = False,
) -> Hindbrain:
    """The memory of `project` (default: the one around the current folder) in `store` (default: the user's).

    `embedder` compares meanings instead of the one that the settings name. A process that `is_brief` starts no model
    where a worker that has one is late: it answers by words.
    """
    usual = settings or load()
    settings = usual if store is None else replace(usual, store=os.fspath(store))
    store_, models = _opened(settings)
    tools = Tools(
        store=store_,
        clock=SystemClock(),
        chance=SystemChance(),
        files=LocalFiles(),
        settings=settings,
        spool=cache(lambda: spool_of(settings)),
        embedder=embedder or models.embedder(worker=lambda: worker_of(settings)),
        model=models,
        worker=worker_of(settings) if os.path.exists(worker_socket(settings.home)) else None,
        is_brief=is_brief,
        is_served=_is_same(settings.store, usual.store),
        folders=_Folders(),
        pages=_Pages(),
        dialect=_dialect,
        lock=_locked(settings),
        notify=_notified(settings),
        alone=lambda name: _alone(settings, name),
        login=_login(settings),
        backups=lambda: backups_of(settings),
    )
    # A path object is a path even where it looks like a name.
    wanted = project if isinstance(project, str | None) else os.path.join(".", os.fspath(project))
    located = locate(
        wanted or settings.project,
        here=os.getcwd(),
        reader=tools.store,
        files=tools.files,
        per_worktree=settings.per_worktree,
    )
    return Hindbrain(tools, located)


def _is_same(one: str, other: str) -> bool:
    """Whether two addresses lead to one store; of servers, as they are written."""
    if one == other or is_server(one) or is_server(other):
        return one == other
    return os.path.abspath(one) == os.path.abspath(other)


def open_tools(settings: Settings) -> Tools:
    """What verbs need, with a model that runs in this process: for the worker, and for nobody who is in a hurry."""
    store, models = _opened(settings)
    return Tools(
        store=store,
        clock=SystemClock(),
        chance=SystemChance(),
        files=LocalFiles(),
        settings=settings,
        embedder=models.embedder(),
        spool=cache(lambda: spool_of(settings)),
        model=models,
        folders=_Folders(),
        pages=_Pages(),
        dialect=_dialect,
        lock=_locked(settings),
        notify=_notified(settings),
        alone=lambda name: _alone(settings, name),
        login=_login(settings),
        backups=lambda: backups_of(settings),
    )


def _login(settings: Settings) -> str:
    return login() if is_server(settings.store) else ""


def _locked(settings: Settings) -> Callable[[str], AbstractContextManager[None]]:
    def held(name: str) -> AbstractContextManager[None]:
        from hindbrain.adapters.lease import alone

        return alone(os.path.join(settings.home, f"{name}.lock"))

    return held


def _notified(settings: Settings) -> Callable[[str], None] | None:
    if not settings.notify_command:
        return None

    def told(text: str) -> None:
        from hindbrain.adapters.notify import notify

        notify(settings.notify_command, text)

    return told


def readable(store: str) -> closing[Movable]:
    """A store that somebody names by its path or address, opened to be read out. Unreadable where there is no such
    file: opening would make one."""
    if not is_server(store) and not os.path.exists(named(store)):
        raise Unreadable(
            f"there is no {store}", fix="give the path of a store; `hindbrain doctor` tells where yours is"
        )
    return movable(store)


def movable(store: str) -> closing[Movable]:
    """A store that somebody names by its path or address, opened to be filled; made where there is none."""
    return closing(store_of(replace(load(), store=named(store))))


def store_of(settings: Settings, *, timeout_s: float | None = None) -> Movable:
    """The store that the settings name, opened."""
    patience = settings.lock_timeout_s if timeout_s is None else timeout_s
    if not is_server(settings.store):
        return SqliteStore(settings.store, timeout_s=patience)
    return _server(settings, timeout_s=patience)


def _server(settings: Settings, *, timeout_s: float) -> ServerStore:
    try:
        from hindbrain.adapters.postgres import PostgresStore
    except ImportError as error:
        raise ExtraMissing(
            f"the driver for PostgreSQL cannot be loaded: {error}", fix="pip install 'hindbrain[postgres]'"
        ) from error
    home = machine(settings.home)
    return PostgresStore(
        settings.store, home=home, login=login(), timeout_s=timeout_s, backups=_server_folder(settings)
    )


def backups_of(settings: Settings) -> Backups:
    """Copies of the store that the settings name, whether it can be opened or not."""
    if not is_server(settings.store):
        from hindbrain.adapters.sqlite.backups import SqliteBackups

        return SqliteBackups(settings.store, timeout_s=settings.lock_timeout_s)
    from hindbrain.adapters.postgres.backups import PostgresBackups
    from hindbrain.app.migrate import migrate

    return PostgresBackups(
        _server_folder(settings),
        store=lambda: _server(settings, timeout_s=settings.lock_timeout_s),
        carry=lambda source, target, tell: migrate(source, target, tell=tell),
    )


def clock() -> SystemClock:
    return SystemClock()


def _server_folder(settings: Settings) -> str:
    """Where this home keeps copies of that server's store."""
    from hindbrain.core.digest import sha256

    return os.path.join(settings.home, f"{sha256(settings.store.encode())[:16]}.backups")


def _opened(settings: Settings) -> tuple[Store, Models]:
    store = store_of(settings)
    return store, Models(settings, store=store, clock=SystemClock(), chance=SystemChance())


class _Folders:
    """Loads when it is used: a recall names no folder."""

    def wait(self, for_s: float) -> None:
        from hindbrain.adapters import tree

        tree.wait(for_s)

    def is_there(self, path: str) -> bool:
        return os.path.exists(path)

    def load(self, path: str, *, wants: Callable[[str], bool]) -> Mapping[str, bytes]:
        from hindbrain.adapters import tree

        return tree.load(path, wants=wants)

    def save(self, tree: Mapping[str, bytes], folder: str) -> Sequence[str]:
        from hindbrain.adapters.tree import save

        return save(tree, folder)

    def seen(self, folder: str, *, wants: Callable[[str], bool]) -> Mapping[str, Seen]:
        from hindbrain.adapters.tree import seen

        return seen(folder, wants=wants)

    def content(self, folder: str, name: str) -> bytes | None:
        from hindbrain.adapters.tree import content

        return content(folder, name)

    def create(self, folder: str, name: str, *, content: bytes) -> bool:
        from hindbrain.adapters.tree import create

        return create(folder, name, content=content)

    def compact(self, folder: str, name: str, *, content: bytes, archive: str) -> str:
        from hindbrain.adapters.tree import compact

        return compact(folder, name, content=content, archive=archive)

    def exchange(
        self, tree: Mapping[str, bytes], folder: str, *, present: Mapping[str, bytes], settle_s: float
    ) -> Written:
        from hindbrain.adapters.tree import exchange

        return exchange(tree, folder, present=present, settle_s=settle_s)


class _Pages:
    """Loads when it is used: most commands change no file."""

    def read(self, folder: str, path: str) -> bytes | None:
        from hindbrain.adapters.pages import LocalPages

        return LocalPages().read(folder, path)

    def write(self, folder: str, path: str, *, content: bytes | None, expected: bytes | None, made: int = 0) -> int:
        from hindbrain.adapters.pages import LocalPages

        return LocalPages().write(folder, path, content=content, expected=expected, made=made)

    def keep(self, path: str, content: bytes) -> None:
        from hindbrain.adapters.pages import LocalPages

        LocalPages().keep(path, content)


def _alone(settings: Settings, name: str) -> AbstractContextManager[None]:
    from pathlib import Path

    from hindbrain.adapters.alone import alone

    return alone(Path(settings.home) / "locks", name)


def as_beads(words: Sequence[str] | None, files: Mapping[str, bytes]) -> tuple[str, int]:
    """What Beads' `recall.sh` prints for `words`, and its exit code; without any words, what a session is told."""
    from hindbrain.dialects.beads_search import searched, started

    active, archive = files.get("knowledge.jsonl"), files.get("knowledge.archive.jsonl")
    if words is None:
        return started(active), 0
    printed = searched(words, active=active, archive=archive)
    return printed.text, printed.exit_code


def _dialect(name: str) -> Dialect:
    from hindbrain.dialects import dialect

    return cast("Dialect", dialect(name))


def hurried_tools(settings: Settings) -> Tools:
    """What verbs need, for a hook that answers by itself: words only, and it waits for nobody."""
    return Tools(
        store=store_of(settings, timeout_s=_HURRY_S),
        clock=SystemClock(),
        chance=SystemChance(),
        files=LocalFiles(),
        settings=settings,
        folders=_Folders(),
    )


_HURRY_S = 0.2  # for another process's write


def worker_of(settings: Settings) -> RemoteWorker:
    """The worker of the home, as others reach it, whether there is one or not."""
    from hindbrain.adapters.worker import RemoteWorker

    return RemoteWorker(worker_socket(settings.home), deadline_s=settings.worker_deadline_s)


def service_of(settings: Settings) -> Service:
    """What the worker of the home listens with."""
    from pathlib import Path

    from hindbrain.adapters.service import Service

    return Service(Path(worker_socket(settings.home)))


def spool_of(settings: Settings) -> FileSpool:
    """What the hooks of the home were told, and nobody has taken up yet."""
    from pathlib import Path

    from hindbrain.adapters.spool import FileSpool

    return FileSpool(Path(settings.home) / "spool")


def lease_of(settings: Settings) -> Lease:
    """What makes a process the worker of the home."""
    from pathlib import Path

    from hindbrain.adapters.lease import Lease

    return Lease(Path(settings.home) / "worker.lock")


def clients_of(settings: Settings) -> LocalClients:
    """The coding agents' clients of this user, and what the home knows of them."""
    from hindbrain.adapters.clients import LocalClients

    return LocalClients(os.path.abspath(settings.home))


def kit_of(settings: Settings, *, has_server: bool) -> Kit:
    """What is installed into clients, so that they find the home of `settings`."""
    from hindbrain.adapters.clients import kit

    home = os.path.abspath(settings.home)
    is_default = home == os.path.abspath(default_home())
    return kit(has_server=has_server, home="" if is_default else home)
