"""A whole store is carried into another, whatever both are made of, and nothing is different afterwards."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from building import a_memory, a_project, keep
from calling import Cli
from database import give_back, take_url
from filling import WIDE, filled

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.migrate import left, migrate
from hindbrain.core.learning.audit import first_fault
from hindbrain.core.model import Actor, Provenance
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes, Movable


@pytest.fixture
def url() -> Iterator[str]:
    taken = take_url()
    yield taken
    give_back(taken)


def on_server(url: str) -> Movable:
    from hindbrain.adapters.postgres import PostgresStore

    return PostgresStore(url, home="here")


Stores = Callable[[str], Movable]


@pytest.fixture
def stores(tmp_path: Path, url: str) -> Iterator[Stores]:
    made: list[Movable] = []

    def make(name: str) -> Movable:
        made.append(on_server(url) if name == "postgres" else SqliteStore(tmp_path / f"{name}.db"))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.mark.parametrize(("old", "new"), [("sqlite", "postgres"), ("postgres", "sqlite"), ("sqlite", "other")])
def test_everything_arrives_and_can_go_back(stores: Stores, old: str, new: str) -> None:
    source, target = filled(stores(old)), stores(new)
    told: list[int] = []
    whole = left(source, target)

    moved = migrate(source, target, tell=told.append)

    rows = {part.name: part.rows for part in moved.parts}
    assert sum(told) == moved.rows == whole and rows["activities"] == 450 and rows["vectors"] == 1
    assert [event.seq for event in target.events()] == [event.seq for event in source.events()]
    assert target.history("mem-a") == source.history("mem-a") and len(target.history("mem-a")) == 2
    assert target.memory("mem-a") == source.memory("mem-a")
    assert target.vectors(["mem-a"]) == source.vectors(["mem-a"]) and len(target.vectors(["mem-a"])) == 3
    assert target.suggestions("prj-one")[0].edits[0].after == b"\x00\xff rule"
    assert target.receipts_for("k\x00") == source.receipts_for("k\x00")
    assert target.project_of(["remote:host/two"]) == source.project_of(["name:two"])
    assert target.audit_head() == source.audit_head() and target.cursors("") == {"judged/x": "7"}
    assert target.count_unembedded(WIDE) == source.count_unembedded(WIDE) == 1
    assert not target.damage()


@pytest.mark.parametrize(("old", "new"), [("sqlite", "postgres"), ("postgres", "sqlite")])
def test_who_wrote_and_who_decided_goes_along(stores: Stores, old: str, new: str) -> None:  # issue 8: identity
    source, target = filled(stores(old)), stores(new)
    agent = Actor(persona="ada", hat="critic", instance="ada-007")
    said = Provenance(actor=agent, session="s-7", adapter="claude", receipt="rcp-1")
    memory = a_memory("said by an agent", id="mem-said", provenance=said)
    by = replace(agent, login="ada@build-3")
    source.write(lambda tx: tx.apply(Changes(memories=(memory,), by=by)))

    migrate(source, target)

    kept = target.memory("mem-said")
    assert kept and kept.provenance == said
    assert [(v.changed_by.type, v.changed_by.instance) for v in target.history("mem-a")][-1] == ("human", "ed-001")
    assert [(entry.actor, entry.action) for entry in target.audits()] == [("human ed", "apply")]
    assert target.sayings("mem-a")[0].speaker == "ed"
    assert [version.changed_by for version in target.history("mem-said")] == [by]
    head = target.audit_head()
    assert head and first_fault(target.audits(), heads=[head]) is None


class Cut(Exception):
    """The power goes."""


@pytest.mark.parametrize("after", [1, 4, 6, 8, 11])
@pytest.mark.parametrize(("old", "new"), [("sqlite", "postgres"), ("postgres", "sqlite")])
def test_what_was_cut_short_goes_on_where_it_stopped(stores: Stores, old: str, new: str, after: int) -> None:
    source, target = filled(stores(old)), stores(new)
    count, whole = 0, left(source, target)

    def tell(_: int) -> None:
        nonlocal count
        count += 1
        if count == after:
            raise Cut

    with pytest.raises(Cut):
        migrate(source, target, tell=tell)
    told: list[int] = []
    rest = left(source, target)
    moved = migrate(source, target, tell=told.append)
    assert sum(told) == rest < moved.rows == whole and not target.damage()


def test_two_stores_are_never_mixed_and_an_empty_one_is_not_carried(stores: Stores) -> None:
    source, other = filled(stores("sqlite")), stores("other")
    with pytest.raises(BadValue, match="nothing"):
        migrate(other, stores("third"))
    a_project(other)
    with pytest.raises(BadValue, match="already"):
        migrate(source, other)


def test_a_source_that_changes_meanwhile_is_found_out(stores: Stores) -> None:
    source, target = filled(stores("sqlite")), stores("other")
    count = 0

    def tell(_: int) -> None:
        nonlocal count
        count += 1
        if count == 12:
            keep(source, a_memory("late", id="mem-late"))

    with pytest.raises(Conflict, match="versions"):
        migrate(source, target, tell=tell)


def test_the_command_carries_and_tells_what(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli = Cli(tmp_path, monkeypatch)
    cli("add", "Run make test before you push")
    done = cli.json("migrate", str(cli.home / "hindbrain.db"), url)
    assert {part["name"] for part in done["parts"] if part["rows"]} >= {"projects", "memories", "versions", "receipts"}
    told = cli("migrate", url, str(tmp_path / "back.db")).out
    assert "carried to" in told and "memories" in told
    assert f"export HINDBRAIN_STORE={tmp_path / 'back.db'}" in told
    monkeypatch.setenv("HINDBRAIN_STORE", url)
    assert cli.contents("list") == ["Run make test before you push"]


def test_a_source_that_is_not_there_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli = Cli(tmp_path, monkeypatch)
    said = cli("migrate", str(tmp_path / "not" / "here.db"), str(tmp_path / "new.db"), "--json", code=66).error
    assert said["code"] == "unreadable" and "here.db" in said["what"]
    assert not (tmp_path / "not").exists() and not (tmp_path / "new.db").exists()
