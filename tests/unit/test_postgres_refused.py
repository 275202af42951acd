"""A server that cannot be used is told from one that is away, and the next step is the one that helps."""

import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import pytest
from building import NOW, a_memory, a_project, keep
from calling import Cli
from database import shared_url
from hooking import left, ran

from hindbrain.errors import BadSettings, HindbrainError, ReadOnly


def run(url: str, *statements: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        for statement in statements:
            db.execute(statement.encode())


def at(url: str, *, user: str = "", database: str = "", query: str = "") -> str:
    parts = urlsplit(url)
    login, _, place = parts.netloc.rpartition("@")
    netloc = f"{user or login}@{place}"
    return urlunsplit(parts._replace(netloc=netloc, path=f"/{database}" if database else parts.path, query=query))


@pytest.fixture
def role() -> Iterator[str]:
    name = f"r{uuid.uuid4().hex[:12]}"
    run(shared_url(), f"CREATE ROLE {name} LOGIN")
    yield name
    run(shared_url(), f"DROP OWNED BY {name}", f"DROP ROLE {name}")


@pytest.fixture
def database() -> Iterator[str]:
    """An empty one, without the extension."""
    name = f"d{uuid.uuid4().hex[:12]}"
    run(shared_url(), f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    yield at(shared_url(), database=name)
    run(shared_url(), f"DROP DATABASE {name} WITH (FORCE)")


def refused(url: str) -> HindbrainError:
    from hindbrain.adapters.postgres import PostgresStore

    with pytest.raises(HindbrainError) as trouble:
        PostgresStore(url, timeout_s=0.1)
    return trouble.value


def test_a_server_without_pgvector_is_told_and_how_to_get_it(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = f"{database}?options={quote('-cextension_control_path=/nowhere')}"
    psycopg = pytest.importorskip("psycopg")
    try:
        run(bare)
    except psycopg.OperationalError as error:  # an older server, whose extensions cannot be hidden
        pytest.skip(str(error))
    found = refused(bare)
    assert isinstance(found, BadSettings) and "pgvector" in found.what and "install" in found.fix

    cli = Cli(tmp_path, monkeypatch)
    monkeypatch.setenv("HINDBRAIN_STORE", bare)
    said = cli("recall", "x", "--json", code=BadSettings.exit_code).error
    assert said["code"] == "bad_settings" and "pgvector" in said["what"]


def test_a_pgvector_that_is_too_old_is_refused_before_anything_is_made(database: str) -> None:
    run(database, "CREATE EXTENSION vector", "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
    found = refused(database)
    assert isinstance(found, BadSettings) and "0.7.4" in found.what and "ALTER EXTENSION vector UPDATE" in found.fix
    run(database, "CREATE TABLE meta (x int)")  # there is none yet


def test_a_pgvector_out_of_sight_is_told_with_its_schema(database: str) -> None:
    run(database, "CREATE SCHEMA elsewhere", "CREATE EXTENSION vector SCHEMA elsewhere")
    found = refused(database)
    assert isinstance(found, BadSettings) and "elsewhere" in found.what and "search_path" in found.fix


def test_a_role_that_may_not_make_the_extension_or_the_tables_is_told_who_can(database: str, role: str) -> None:
    found = refused(at(database, user=role))
    assert isinstance(found, ReadOnly) and "CREATE EXTENSION vector" in found.fix
    run(database, "CREATE EXTENSION vector", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    found = refused(at(database, user=role))
    assert isinstance(found, ReadOnly) and "GRANT CREATE" in found.fix


def test_who_is_not_let_in_is_not_told_that_the_server_is_away(database: str, role: str) -> None:
    name = urlsplit(database).path[1:]
    run(database, f"REVOKE CONNECT ON DATABASE {name} FROM PUBLIC")
    found = refused(at(database, user=role))
    assert isinstance(found, BadSettings) and f"GRANT CONNECT ON DATABASE {name}" in found.fix
    run(database, f"ALTER ROLE {role} NOLOGIN")
    assert isinstance(refused(at(database, user=role)), BadSettings)
    found = refused(at(database, database="no_such_database"))
    assert isinstance(found, BadSettings) and "CREATE DATABASE no_such_database" in found.fix


@pytest.mark.parametrize("place", ["127.0.0.1:99999/db", "127.0.0.1:port/db", "/?service=no-such-service"])
def test_an_address_that_cannot_be_meant_is_not_waited_for(place: str) -> None:
    pytest.importorskip("psycopg")
    assert isinstance(refused(f"postgresql://{place}"), BadSettings)


def test_a_role_of_one_project_is_told_what_it_may_and_not_that_the_store_is_damaged(
    database: str, role: str, tmp_path: Path
) -> None:
    from hindbrain.adapters.postgres import PostgresStore
    from hindbrain.adapters.postgres.backups import PostgresBackups

    with closing(PostgresStore(database)) as store:
        for name in ("one", "two"):
            a_project(store, name)
            keep(store, a_memory(f"learned in {name}", id=f"mem-{name}", project=f"prj-{name}"))
    run(database, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}", f"REVOKE ALL ON access FROM {role}")
    run(database, f"INSERT INTO access VALUES ('{role}', 'prj-one')")

    reader = at(database, user=role)
    with closing(PostgresStore(reader)) as store:
        assert store.memory("mem-one") and not store.memory("mem-two")
        assert not store.damage() and store.vitals()["is_read_only"] == "yes"
    backups = PostgresBackups(str(tmp_path), store=lambda: PostgresStore(reader), carry=lambda *_: None)
    with pytest.raises(ReadOnly, match="a part of the store only"):
        backups.make(NOW, tell=lambda *_: None)
    run(database, f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}")


@pytest.mark.parametrize(("count", "said"), [(0, "0 records wait"), (1, "1 record waits"), (3, "3 records wait")])
def test_doctor_tells_what_waits_on_this_machine_while_the_server_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, said: str
) -> None:
    cli = Cli(tmp_path, monkeypatch)
    left(cli.home / "spool", [ran("ls")] * count)
    monkeypatch.setenv("HINDBRAIN_STORE", "postgresql://ann:hush@127.0.0.1:1/none")  # nobody listens there
    told = cli.json("doctor", code=98)
    store, spool = told["findings"][:2]
    size = (cli.home / "spool" / "current").stat().st_size
    assert (told["is_ok"], store["name"], store["is_ok"]) == (False, "store", False) and "hush" not in str(told)
    assert "check that the server runs" in store["fix"]
    what = f"{said} on this machine, {size:,} bytes: taken up once the server is back"
    assert spool == {"name": "spool", "is_ok": True, "what": what, "fix": ""}
    assert what in cli("doctor", code=98).out
