"""What can be told about the database from outside: sizes, permissions, and who is writing it.

Files are looked at by `stat` only: closing a descriptor on a database drops the locks that this process holds on it.
"""

from pathlib import Path

from hindbrain.adapters import locks
from hindbrain.adapters.sqlite import place
from hindbrain.adapters.sqlite.engine import engine_version, is_safe


def vitals(path: Path, *, schema: int, is_read_only: bool) -> dict[str, str]:
    """The figures that `Store.vitals` promises, of the database at `path`."""
    version = engine_version()
    backups = path.with_name(path.name + ".backups")
    return {
        "engine": f"SQLite {'.'.join(map(str, version))}",
        "is_engine_safe": _yes(is_safe(version)),
        "path": str(path),
        "size_bytes": _size(path),
        "wal_bytes": _size(path.with_name(path.name + "-wal")),
        "schema": str(schema),
        "mode_file": _mode(path),
        "mode_folder": _mode(path.parent),
        "is_read_only": _yes(is_read_only),
        "lock_holder": locks.holder(path.with_name(path.name + ".turn")),
        "unfit": place.unfit(str(path)),
        "backups": str(len(list(backups.glob("*.db"))) if backups.is_dir() else 0),
    }


def _size(path: Path) -> str:
    return str(path.stat().st_size if path.exists() else 0)


def _mode(path: Path) -> str:
    return f"{path.stat().st_mode & 0o777:04o}"


def _yes(claim: bool) -> str:
    return "yes" if claim else "no"
