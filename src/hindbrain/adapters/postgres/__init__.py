"""Memories in PostgreSQL with pgvector, for teams and fleets. Loaded only where HINDBRAIN_STORE names a server."""

from hindbrain.adapters.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
