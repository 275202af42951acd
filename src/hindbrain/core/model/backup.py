"""What is known of a copy of a store, and of what came of rebuilding one."""

from datetime import datetime

from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A copy of a store, in a file of its own that any store can be filled from."""

    name: str
    path: str
    at: datetime  # as of when
    size_bytes: int
    sort: str  # made; before (a migration); aside (what stood where something was restored or repaired)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """What came of rebuilding a damaged store, row by row; each is named by its table and key."""

    base: str  # name of the backup that it was built on; "": none was sound
    aside: str  # where the damaged file is now
    restored: tuple[str, ...] = ()  # exactly as they were
    older: tuple[str, ...] = ()  # as a backup or the history has them
    unsure: tuple[str, ...] = ()  # as they read now: nothing tells whether that is right
    lost: tuple[str, ...] = ()
