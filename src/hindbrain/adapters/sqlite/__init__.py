"""The embedded store: one SQLite file that many processes write at once and none can corrupt."""

from hindbrain.adapters.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
