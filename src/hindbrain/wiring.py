"""Which adapter stands behind which port. The only module that knows both sides."""

import os

from hindbrain.adapters.ai.facade import embedder as chosen
from hindbrain.adapters.clock import SystemChance, SystemClock
from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.projects import locate
from hindbrain.app.tools import Tools
from hindbrain.core.value import replace
from hindbrain.facade import Hindbrain
from hindbrain.ports import Embedder
from hindbrain.settings import Settings, load


def open_hindbrain(
    store: str | os.PathLike[str] | None = None,
    project: str | os.PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
) -> Hindbrain:
    """The memory of `project` (default: the one around the current folder) in `store` (default: the user's).

    `embedder` compares meanings instead of the one that the settings name.
    """
    settings = settings or load()
    if store is not None:
        settings = replace(settings, store=os.fspath(store))
    tools = Tools(
        store=SqliteStore(settings.store, timeout_s=settings.lock_timeout_s),
        clock=SystemClock(),
        chance=SystemChance(),
        files=LocalFiles(),
        settings=settings,
        embedder=embedder or chosen(settings.embedder),
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
