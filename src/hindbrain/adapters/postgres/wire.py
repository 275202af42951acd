"""How the server is reached: connections are opened, lent to threads and replaced when they break.

What the server complains about becomes an error of ours, with what to do, and never with a password.
"""

import contextlib
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import errors, pq
from psycopg.conninfo import conninfo_to_dict

from hindbrain.core.address import shown
from hindbrain.errors import (
    BadSettings,
    DiskFailed,
    DiskFull,
    HindbrainError,
    ReadOnly,
    StoreDamaged,
    StoreLocked,
    StoreUnreachable,
)

MOST = 8  # connections of one process
Db = psycopg.Connection[tuple[Any, ...]]
_CONNECT_S = 5
_KEPT: dict[str, Any] = {  # a cut line is noticed in half a minute, not in hours
    "application_name": "hindbrain",
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}


class Wire:
    """Connections to one server. Threads may share it; a forked child opens its own."""

    def __init__(self, url: str, *, most: int = MOST) -> None:
        self.name = shown(url)
        try:
            given = conninfo_to_dict(url)
        except psycopg.ProgrammingError:  # its message quotes the address, and the password with it
            raise BadSettings(f"{self.name} is not an address of PostgreSQL", fix=_FIXES[BadSettings]) from None
        self._how = {"connect_timeout": _CONNECT_S, **_KEPT, **given}
        self._free: list[Db] = []
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(most)
        self._pid = os.getpid()
        self._inherited: list[Db] = []
        self._is_closed = False

    @contextmanager
    def lent(self) -> Iterator[Db]:
        """A connection for one piece of work; a broken one is not lent again."""
        self._leave_parent()
        with self._room:
            db = self._taken() or self.open()
            try:
                yield db
            finally:
                self._give_back(db)

    def open(self) -> Db:
        """A connection that nobody else gets."""
        # No prepared statements: a pooler may give the next statement to another session.
        with translated(self.name):
            return psycopg.connect(**self._how, autocommit=True, prepare_threshold=None)

    def drop_idle(self) -> None:
        """Forget connections that wait: after a restart of the server all of them are broken."""
        with self._lock:
            idle, self._free = self._free, []
        for db in idle:
            db.close()

    def close(self) -> None:
        self._is_closed = True
        if self._pid == os.getpid():
            self.drop_idle()

    def _taken(self) -> Db | None:
        with self._lock:
            self._is_closed = False
            return self._free.pop() if self._free else None

    def _give_back(self, db: Db) -> None:
        is_idle = not db.closed and db.info.transaction_status is pq.TransactionStatus.IDLE
        with self._lock:
            is_kept = is_idle and not self._is_closed
            if is_kept:
                self._free.append(db)
        if not is_kept:
            db.close()

    def _leave_parent(self) -> None:
        """A forked child shares the sockets: to close one would end the parent's session."""
        if self._pid != os.getpid():
            self._inherited += self._free
            self._free, self._pid, self._lock = [], os.getpid(), threading.Lock()
            self._room = threading.BoundedSemaphore(MOST)


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection broke, or the server is not ready: trying again may work."""
    return (
        isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        and (
            error.sqlstate is None or error.sqlstate[:2] in ("08", "57") or isinstance(error, errors.TooManyConnections)
        )
        and not isinstance(error, errors.QueryCanceled)
    )


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Errors of the server as errors of ours, each with its fix; never with a word of the address that is secret."""
    try:
        yield
    except psycopg.Error as error:
        kind = _kind(error)
        if kind is None:
            raise
        told = (error.diag.message_primary or str(error)).strip().splitlines()
        fix = _refusal(error) or _FIXES[kind]
        raise kind(f"{name}: {told[0] if told else 'no answer'}", fix=fix) from error


def _kind(error: psycopg.Error) -> type[HindbrainError] | None:
    state = error.sqlstate or ""
    known = _STATES.get(state) or _CLASSES.get(state[:2])
    if known is None and is_lost(error):
        return BadSettings if _refusal(error) else StoreUnreachable
    return known


def _refusal(error: psycopg.Error) -> str:
    """What helps whom the server, or the driver, turns away before there is a session; such errors have no state of
    their own. Empty: waiting may help."""
    if error.sqlstate is not None:
        return ""
    for pattern, fix in _REFUSALS.items():
        if found := re.search(pattern, str(error)):
            return found.expand(fix)
    return ""


_STATES: dict[str, type[HindbrainError]] = {
    "55P03": StoreLocked,
    "57014": StoreLocked,
    "53100": DiskFull,
    "53300": StoreUnreachable,
    "25006": ReadOnly,
    "42501": ReadOnly,
    "3D000": BadSettings,
}
_CLASSES: dict[str, type[HindbrainError]] = {
    "28": BadSettings,
    "57": StoreUnreachable,
    "08": StoreUnreachable,
    "58": DiskFailed,
    "XX": StoreDamaged,
}
_ADDRESS = "set HINDBRAIN_STORE to postgresql://USER@HOST/DATABASE; a password may lie in ~/.pgpass"
_REFUSALS = {
    r'database "(.+)" does not exist': r"have an administrator run `CREATE DATABASE \1 OWNER …`, or name another one",
    r'permission denied for database "(.+)"': r"have its owner run `GRANT CONNECT ON DATABASE \1 TO …`",
    r'role "(.+)" (does not exist|is not permitted to log in)': r"have an administrator run `CREATE ROLE \1 LOGIN`"
    r" or `ALTER ROLE \1 LOGIN`, or name another role",
    "pg_hba.conf": "have whoever runs the server let this role in from this machine, by its pg_hba.conf",
    "authentication failed|no password": _ADDRESS,
    "invalid port|for connection option|Servname not supported|definition of service": _ADDRESS,
    "does not support SSL|certificate": "set sslmode and sslrootcert in the address to what the server offers",
}
_FIXES: dict[type[HindbrainError], str] = {
    BadSettings: _ADDRESS,
    DiskFailed: "ask whoever runs the server, then run the same command again: repeating it is safe",
    DiskFull: "free some space on the server and run the same command again; what was saved before is intact",
    ReadOnly: "connect to the primary, with a role that owns the tables; docs/postgres.md says what others may",
    StoreDamaged: "ask whoever runs the server to check it, and restore a backup if it is damaged",
    StoreLocked: "try again; `hindbrain doctor` names the session that holds it",
    StoreUnreachable: "check that the server runs and can be reached; what hooks were told waits in the spool",
}


@contextmanager
def steady(db: Db) -> Iterator[None]:
    """All reads see one state of the store."""
    if db.info.transaction_status is not pq.TransactionStatus.IDLE:
        yield
        return
    with db.transaction():
        db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


@contextmanager
def undone_quietly() -> Iterator[None]:
    """For steps on a connection that may be broken already."""
    with contextlib.suppress(psycopg.Error):
        yield
