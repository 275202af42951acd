"""How one process at a time does a piece of work: by a lock on a file of its own, which a killed process gives back."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hindbrain.adapters import locks
from hindbrain.errors import UpkeepRunning


@contextmanager
def alone(folder: Path, name: str) -> Iterator[None]:
    """Hold the lock of that name. UpkeepRunning at once, naming the process, when somebody else does."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{name}.lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = locks.holder(path) or "another process"
            raise UpkeepRunning(f"{who} looks after these memories already", fix="wait until it is done") from None
        yield
    finally:
        os.close(handle)
