"""Which process holds a lock on a file, as the kernel tells it."""

import os
from collections.abc import Iterator
from pathlib import Path

TABLE = Path("/proc/locks")  # 3: FLOCK  ADVISORY  WRITE 1234 fe:00:786433 0 EOF


def holder(path: Path, *, table: Path = TABLE) -> str:
    """The process that holds a lock on `path`, by number and name; "" when nobody does, or where no table tells."""
    return next((_named(number) for number in _holders(path, "FLOCK", table=table)), "")


def user(path: Path, *, table: Path = TABLE) -> str:
    """Another process that has the database at `path` open, by the locks that the engine takes on it; "" for none."""
    own = str(os.getpid())
    others = (number for number in _holders(path, "POSIX", table=table) if number != own)
    return next((_named(number) for number in others), "")


def _holders(path: Path, kind: str, *, table: Path) -> Iterator[str]:
    try:
        wanted = path.stat()
        lines = table.read_text("utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        fields = line.split()
        is_held = len(fields) > 5 and fields[1] == kind  # one that waits has an arrow there
        # The number of the device is left out: some file systems tell the kernel another than they tell us.
        if is_held and fields[5].rpartition(":")[2] == str(wanted.st_ino):
            yield fields[4]


def _named(process: str) -> str:
    if not process.isdigit() or process == "0":
        return "a process of another container"
    try:
        name = Path(f"/proc/{process}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return f"process {process}"
    return f"process {process} ({name})"
