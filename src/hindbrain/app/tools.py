"""Everything from outside in one value, for the verbs that need most of it."""

from hindbrain.core.value import dataclass
from hindbrain.ports import Chance, Clock, Embedder, ProjectFiles, Store, Worker
from hindbrain.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    store: Store
    clock: Clock
    chance: Chance
    files: ProjectFiles
    settings: Settings
    embedder: Embedder | None = None  # None: words only
    worker: Worker | None = None  # a process that has the model running; None: do without
