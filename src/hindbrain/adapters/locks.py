"""Which process holds a lock on a file, as the kernel tells it."""

from pathlib import Path

_TABLE = Path("/proc/locks")  # "3: FLOCK  ADVISORY  WRITE 1234 fe:00:786433 0 EOF"; a waiter has "->" after the number


def holder(path: Path) -> str:
    """The process that holds a lock on `path`, by number and name; "" when nobody does, or where no table tells."""
    try:
        wanted = path.stat()
        table = _TABLE.read_text("utf-8")
    except OSError:
        return ""
    for line in table.splitlines():
        fields = line.split()
        if len(fields) < 6 or fields[1] == "->":
            continue
        *_, inode = fields[5].split(":")
        if inode == str(wanted.st_ino):
            return _named(fields[4])
    return ""


def _named(process: str) -> str:
    if not process.isdigit() or process == "0":
        return "a process of another container"
    try:
        name = Path(f"/proc/{process}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return f"process {process}"
    return f"process {process} ({name})"
