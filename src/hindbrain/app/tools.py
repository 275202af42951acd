"""Everything from outside in one value, for the verbs that need most of it."""

from hindbrain.core.value import dataclass
from hindbrain.ports import Chance, Clock, Embedder, ProjectFiles, Store
from hindbrain.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    store: Store
    clock: Clock
    chance: Chance
    files: ProjectFiles
    settings: Settings
    embedder: Embedder | None = None  # None: meaning is switched off
