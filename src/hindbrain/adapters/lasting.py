"""When a name on the disk counts as given for good: once the folder that it stands in was synced."""

import os


def sync(path: str | os.PathLike[str]) -> None:
    """A file, or the names in a folder, are on the disk when this returns: what was renamed or removed does not come
    back under its old name."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
