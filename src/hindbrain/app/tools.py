"""Everything from outside in one value, for the verbs that need most of it."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from hindbrain.core.value import dataclass
from hindbrain.ports import (
    Backups,
    Chance,
    Clock,
    Dialect,
    Embedder,
    Folders,
    Model,
    Pages,
    ProjectFiles,
    Spool,
    Store,
    Worker,
)
from hindbrain.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    store: Store
    clock: Clock
    chance: Chance
    files: ProjectFiles
    settings: Settings
    embedder: Embedder | None = None  # None: words only
    spool: Callable[[], Spool] | None = None  # what hooks left; opened by who needs it. None: there are no hooks
    is_served: bool = True  # whether the worker of the home, if there is one, works for this store
    worker: Worker | None = None  # a process that has the model running; None: do without
    is_brief: bool = False  # ends with its answer: starts no model because a worker is late, and goes by words
    folders: Folders | None = None  # None: no file is read or written
    model: Model | None = None  # None: rules only
    pages: Pages | None = None  # None: no rule can be applied
    dialect: Callable[[str], Dialect] | None = None  # by its name; BadValue for one that nobody speaks
    lock: Callable[[str], AbstractContextManager[None]] | None = None  # by its name; Locked when another holds it
    backups: Callable[[], Backups] | None = None  # copies of the store; opened by who needs them. None: none are made
    notify: Callable[[str], None] | None = None  # tells a person something at once; None: nobody wants to be told
    alone: Callable[[str], AbstractContextManager[None]] | None = None  # who does a work of that name; None: any
    login: str = ""  # account and machine, where others share the store
