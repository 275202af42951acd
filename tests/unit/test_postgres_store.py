"""What only the store on a server promises: who sees what, whose queue it is, and the same answers as the file."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from building import NOW, a_memory, a_project, a_vector, keep
from database import give_back, rows_of, take_url

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.learning.audit import Entry, Head, seal
from hindbrain.core.model import (
    Event,
    Injection,
    Link,
    Memory,
    Reach,
    Receipt,
    Relation,
    Review,
    ReviewKind,
    Score,
    Shown,
    Space,
    State,
    Verdict,
)
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.model.job import Job
from hindbrain.core.model.outcome import Anchor, Effect, Outcome
from hindbrain.core.model.paper import Paper, Sort
from hindbrain.core.words import query_terms
from hindbrain.errors import HindbrainError, SchemaNewer, StoreDamaged
from hindbrain.ports import Changes, Saying, Store, Where

FLAT = Space(provider="local", model="flat", version="1", dimension=2)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def url() -> Iterator[str]:
    taken = take_url()
    a_store(taken).close()
    yield taken
    give_back(taken)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    made = a_store(url)
    yield made
    made.close()


def a_store(url: str, **given: object) -> Store:
    from hindbrain.adapters.postgres import PostgresStore

    return PostgresStore(url, **given)  # type: ignore[arg-type]


def ask(url: str, sql: str, *values: object) -> list[tuple[object, ...]]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        done = db.execute(sql, values or None)  # type: ignore[call-overload]
        while done.nextset():
            pass
        return done.fetchall() if done.description else []


def test_a_role_of_one_project_cannot_read_another_even_by_sql(url: str, store: Store) -> None:  # S11
    for name in ("one", "two"):
        a_project(store, name)
        memory = a_memory(f"secret of {name}", id=f"mem-{name}", project=f"prj-{name}")
        vectors = (a_vector(memory, (1.0, 0.0), space=FLAT),)
        store.write(lambda tx, m=memory, v=vectors: tx.apply(Changes(memories=(m,), vectors=v)))
        store.write(lambda tx, name=name: tx.apply(of_every_sort(name)))
    keep(store, a_memory("for all", id="mem-wide", project="prj-two", reach=Reach.EVERYWHERE))
    ((schema,),) = ask(url, "SELECT current_schema()")
    role = f"only_{schema}"
    ask(url, f"CREATE ROLE {role} LOGIN")
    ask(url, f"GRANT USAGE ON SCHEMA {schema} TO {role}")
    ask(url, f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}")
    ask(url, f"REVOKE ALL ON access FROM {role}")
    theirs = urlunsplit(urlsplit(url)._replace(netloc=urlsplit(url).netloc.replace("hindbrain@", f"{role}@")))

    assert ask(theirs, "SELECT id FROM memory") == [("mem-wide",)]  # nobody has said yet what it may see
    ask(url, "INSERT INTO access VALUES (%s, 'prj-one')", role)
    assert sorted(ask(theirs, "SELECT id FROM memory")) == [("mem-one",), ("mem-wide",)]
    seen = [row for row in rows_of(theirs) if "mem-wide" not in row]
    assert "mem-one" in str(seen) and "two" not in str(seen)  # in whatever table it may stand
    assert any("two" in row for row in rows_of(url) if "mem-wide" not in row)
    assert len(ask(theirs, "SELECT 1 FROM embedding")) == 1
    assert not ask(theirs, "SELECT term FROM term WHERE term = 'two'")
    assert ask(theirs, "SET app.project = 'prj-two'; SELECT id FROM memory") == [("mem-wide",)]
    assert ask(theirs, "UPDATE memory SET trust = 0 WHERE id <> 'mem-one' RETURNING id") == []
    own = a_store(theirs)
    assert [m.id for m in own.select(Where(project="prj-one"))] == ["mem-wide", "mem-one"]
    assert not own.search(["secret"], Where(project="prj-two", with_everywhere=False), limit=5)
    own.close()
    ask(url, f"DROP OWNED BY {role}; DROP ROLE {role}")


def of_every_sort(name: str) -> Changes:
    """Of one project, so that its name stands in every table that knows projects."""
    project, memory = f"prj-{name}", f"mem-{name}"
    receipt = Receipt(id=f"rcp-{name}", key=name, at=NOW, project=project, verdict=Verdict.STORED, text=name, reason="")
    shown = (Shown(memory_id=memory, version=1, score=Score(())),)
    injection = Injection(
        id=f"inj-{name}", at=NOW, project=project, format="f", strategy="s", shown=shown, left_out=0, tokens=1
    )
    review = Review(
        id=f"rev-{name}", project=project, kind=ReviewKind.QUARANTINE, memory_id=memory, reason="", opened_at=NOW
    )
    head = Head()
    return Changes(
        receipts=(receipt,),
        injections=(injection,),
        reviews=(review,),
        sayings=(Saying(memory_id=memory, receipt=receipt.id, session=name, speaker=name, at=NOW),),
        links=(Link(source=memory, target=memory, relation=Relation.RELATED_TO, at=NOW, reason=name),),
        events=(Event(name=name, at=NOW, project=project, memory_id=memory, data={}),),
        activities=(Activity(id=f"act-{name}", at=NOW, project=project, session=name, deed=Deed.EDIT),),
        jobs=(Job(id=f"job-{name}", kind=name, key=name, project=project, payload={}, created_at=NOW, due_at=NOW),),
        outcomes=(Outcome(id=name, at=NOW, project=project, memory_id=memory, effect=Effect.HELPED, how=name),),
        anchors=(Anchor(memory_id=memory, project=project, path=f"{name}.py", tied_at=NOW, checked_at=NOW),),
        papers=(Paper(id=name, project=project, sort=Sort.HANDOFF, agent=name, at=NOW, data={}),),
        cursors={f"heard/{name}": "7"},
        audits=(seal(Entry(at=NOW, project=project, actor=name, action="a", subject=name, detail={}), head),)
        if name == "two"
        else (),
    )


# S11
def test_every_table_is_behind_a_policy_or_nobodys(url: str) -> None:
    found = ask(
        url,
        "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"
        " AND NOT relrowsecurity ORDER BY relname",
    )
    assert [name for (name,) in found] == ["meta", "space", "tally", "turn"]  # they speak of no project


def test_each_home_has_a_queue_and_cursors_of_its_own(url: str) -> None:
    one, other = a_store(url, home="a"), a_store(url, home="b")
    job = Job(id="job-1", kind="transcript", key="/log", project="", payload={}, created_at=NOW, due_at=NOW)
    one.write(lambda tx: tx.apply(Changes(jobs=(job,), cursors={"spool/x": "7"})))
    other.write(lambda tx: tx.apply(Changes(jobs=(replace(job, id="job-2"),))))
    assert [found.id for found in one.due(NOW, limit=9)] == ["job-1"]
    assert [found.id for found in other.jobs()] == ["job-2"]
    assert one.cursors("") == {"spool/x": "7"} and not other.cursors("")
    one.close()
    other.close()


@pytest.mark.parametrize("place", ["me:hush@127.0.0.1:1/db", "me:hush@host:port/db", "127.0.0.1:1/db?password=hush"])
def test_a_password_stands_in_no_message(place: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(HindbrainError) as trouble:
        a_store(f"postgresql://{place}", timeout_s=0.1)
    assert "hush" not in f"{trouble.value} {trouble.value.fix}"


def test_vitals_name_the_server(store: Store) -> None:
    from hindbrain.adapters.postgres import schema

    vitals = store.vitals()
    assert vitals["engine"].startswith("PostgreSQL") and "pgvector" in vitals["engine"]
    assert vitals["path"].startswith("postgresql://hindbrain@") and int(vitals["size_bytes"]) > 0
    assert (vitals["schema"], vitals["is_read_only"], vitals["lock_holder"]) == (str(schema.last()), "no", "")
    held = store.write(lambda tx: store.vitals()["lock_holder"])
    assert "hindbrain" in held


# R19
def test_a_newer_schema_is_left_alone_and_so_are_tables_of_others(url: str) -> None:
    ((known,),) = ask(url, "SELECT value FROM meta WHERE name = 'schema'")
    ask(url, "UPDATE meta SET value = '999' WHERE name = 'schema'")
    with pytest.raises(SchemaNewer):
        a_store(url)
    ask(url, "UPDATE meta SET value = %s WHERE name = 'schema'", known)
    ask(url, "ALTER TABLE meta RENAME TO meta_")
    with pytest.raises(StoreDamaged, match="another program"):
        a_store(url)
    ask(url, "ALTER TABLE meta_ RENAME TO meta")
    a_store(url).close()


DAMAGES = {
    "memory": "UPDATE memory SET data = replace(data, 'kept', 'bent')",
    "version": "UPDATE memory_version SET data = replace(data, 'kept', 'bent')",
    "columns": "UPDATE memory SET confidence = 0.9",
    "postings": "DELETE FROM posting WHERE term = 'kept'",
    "holders": "UPDATE term SET holders = 7",
    "tally": "UPDATE tally SET size = 0",
    "vectors": "UPDATE embedding SET digest = 'x'",
    "due": "DELETE FROM embedding_due",
    "schema": "ALTER TABLE cursor DISABLE ROW LEVEL SECURITY",
    "doings": "INSERT INTO activity (id, project, session, deed, data) VALUES ('a', '', '', '', '{torn')",
}
REPAIRED = ("columns", "postings", "holders", "tally", "vectors", "due")


# R8
@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_seen_and_what_can_be_mended_is(url: str, store: Store, name: str) -> None:
    a_project(store)
    store.expect(FLAT)
    memory = a_memory("a lesson that was kept", id="mem-a")
    store.write(lambda tx: tx.apply(Changes(memories=(memory,), vectors=(a_vector(memory, (1.0, 0.0), space=FLAT),))))
    keep(store, a_memory("another", id="mem-b"))
    assert not store.damage()
    ask(url, DAMAGES[name])
    assert store.damage(), name
    store.repair()
    assert bool(store.damage()) is (name not in REPAIRED)
    if name == "schema":
        ask(url, "ALTER TABLE cursor ENABLE ROW LEVEL SECURITY")


def lessons() -> list[tuple[str, list[str]]]:
    """Texts, each with a question: made up, and the evaluation's lessons with their titles where they are there."""
    chance = random.Random(8)
    words = [
        *"abcdefgh",
        "cache",
        "pool",
        "retry",
        "parseConfig",
        "http2",
        "lock",
        "expires",
        "redis",
        "the",
        "of",
        "is",
    ]
    made = [" ".join(chance.choices(words, k=chance.randint(3, 30))) for _ in range(300)]
    said = [(text, query_terms(" ".join(chance.choices(words, k=3)))) for text in made]
    file = ROOT.parent / "shared" / "evals" / "data" / "lessons" / "entries.jsonl"
    if file.exists():
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[:400]]
        said = [(row["body"] or "empty", query_terms(row["title"])) for row in rows] + said
    return said


# S11
def test_both_stores_give_the_same_ten_by_words_and_by_meaning(store: Store, tmp_path: Path) -> None:
    file = SqliteStore(tmp_path / "hindbrain.db")
    space = replace(FLAT, dimension=16)
    chance = random.Random(7)
    said = lessons()
    memories = [
        a_memory(text, id=f"mem-{n:04}", project=f"prj-{'one' if n % 3 else 'two'}", trust=n % 4, created_at=_at(n))
        for n, (text, _) in enumerate(said)
    ]
    points = {memory.id: [chance.gauss(0, 1) for _ in range(16)] for memory in memories}
    for one in (store, file):
        a_project(one)
        a_project(one, "two")
        _fill(one, memories, points, space)
    for where in (Where(project="prj-one"), Where(project="prj-two", min_trust=2, states=frozenset(State))):
        for _, asked in chance.sample(said, 60):
            found, expected = (one.matches(asked, where, limit=10) for one in (store, file))
            assert [(m.memory_id, round(m.score, 9)) for m in found] == [
                (m.memory_id, round(m.score, 9)) for m in expected
            ]
        point = _unit([chance.gauss(0, 1) for _ in range(16)])
        near, wanted = (one.nearest(point, space, where=where, limit=10) for one in (store, file))
        assert [one.memory_id for one in near] == [one.memory_id for one in wanted]
    assert [m.id for m in store.select(Where(project="prj-one"))] == [
        m.id for m in file.select(Where(project="prj-one"))
    ]
    file.close()


def _at(n: int) -> object:
    return NOW + timedelta(minutes=n)


def _unit(values: list[float]) -> list[float]:
    size = sum(value * value for value in values) ** 0.5
    return [value / size for value in values]


def _fill(store: Store, memories: list[Memory], points: dict[str, list[float]], space: Space) -> None:
    vectors = tuple(a_vector(memory, _unit(points[memory.id]), space=space) for memory in memories)
    store.write(lambda tx: tx.apply(Changes(memories=tuple(memories), vectors=vectors)))


def test_the_graph_finds_nearly_all_and_no_project_starves(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hindbrain.adapters.postgres import vectors

    chance = random.Random(5)
    space = replace(FLAT, dimension=16)
    a_project(store)
    a_project(store, "two")
    memories = [
        a_memory(f"lesson {n}", id=f"mem-{n:04}", project=f"prj-{'two' if n % 20 else 'one'}") for n in range(2_000)
    ]
    _fill(store, memories, {m.id: [chance.gauss(0, 1) for _ in range(16)] for m in memories}, space)
    ask(url, "ANALYZE")
    asked = [_unit([chance.gauss(0, 1) for _ in range(16)]) for _ in range(20)]
    ((number,),) = ask(url, "SELECT seq FROM space")
    nearest = f"embedding WHERE space = {number} ORDER BY code::halfvec(16) <=> %s::halfvec(16) LIMIT 40"
    plan = ask(url, f"EXPLAIN SELECT 1 FROM {nearest}", str(asked[0]))
    assert "idx_space_" in str(plan)  # what the store asks in this form goes by the graph
    for project, few in (("prj-two", 500), ("prj-one", 50)):
        where = Where(project=project)
        exact = [{near.memory_id for near in store.nearest(point, space, where=where, limit=10)} for point in asked]
        monkeypatch.setattr(vectors, "FEW", few)
        found = [{near.memory_id for near in store.nearest(point, space, where=where, limit=10)} for point in asked]
        monkeypatch.undo()
        assert all(len(one) == 10 for one in found)
        assert sum(len(a & b) for a, b in zip(exact, found, strict=True)) >= 0.95 * 200


def test_the_graph_goes_on_until_the_filter_lets_enough_through(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the nearest of all, hardly one is of that type: whoever stopped there would have to compare all instead."""
    from hindbrain.adapters.postgres import vectors

    chance = random.Random(7)
    space = replace(FLAT, dimension=16)
    a_project(store)
    memories = [a_memory(f"lesson {n}", id=f"mem-{n:04}", type="learned" if n % 80 else "fix") for n in range(2_400)]
    _fill(store, memories, {m.id: [chance.gauss(0, 1) for _ in range(16)] for m in memories}, space)
    ask(url, "ANALYZE")
    monkeypatch.setattr(vectors, "FEW", 0)
    monkeypatch.setattr(vectors, "_EF", 40)
    monkeypatch.setattr(vectors, "_by_comparing_all", lambda *_, **__: pytest.fail("the graph gave up"))
    by_graph = vectors._by_graph

    def forced(db: Any, *wanted: Any, **more: Any) -> Any:
        db.execute("SET LOCAL enable_sort = off")  # among so few the server would rather sort all
        return by_graph(db, *wanted, **more)

    monkeypatch.setattr(vectors, "_by_graph", forced)
    for _ in range(10):
        point = _unit([chance.gauss(0, 1) for _ in range(16)])
        found = store.nearest(point, space, where=Where(project="prj-one", types=("fix",)), limit=5)
        assert len(found) >= 5 and all(int(one.memory_id[4:]) % 80 == 0 for one in found)


def test_one_small_project_among_a_thousand_does_not_starve(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hindbrain.adapters.postgres import vectors

    chance = random.Random(6)
    space = replace(FLAT, dimension=16)
    for n in range(1_000):
        a_project(store, str(n))
    memories = [a_memory(f"lesson {n}", id=f"mem-{n:04}", project=f"prj-{n % 1_000}") for n in range(2_000)]
    _fill(store, memories, {m.id: [chance.gauss(0, 1) for _ in range(16)] for m in memories}, space)
    ask(url, "ANALYZE")
    where = Where(project="prj-7")
    for limit in (1, 2, 10):
        for _ in range(5):
            point = _unit([chance.gauss(0, 1) for _ in range(16)])
            exact = store.nearest(point, space, where=where, limit=limit)
            monkeypatch.setattr(vectors, "FEW", 0)  # by the graph, whatever the size
            assert store.nearest(point, space, where=where, limit=limit) == exact
            monkeypatch.undo()
            assert len(exact) == min(limit, 2)


def test_only_what_was_cut_into_larger_pieces_is_embedded_again_by_a_newer_program(url: str) -> None:
    store = a_store(url)
    a_project(store, "one")
    store.expect(FLAT)
    short, long = a_memory("short", id="mem-short"), a_memory("long", id="mem-long")
    made = [a_vector(short, (1.0, 0.0), space=FLAT)]
    made += [a_vector(long, point, space=FLAT, piece=n) for n, point in enumerate([(1.0, 0.0), (0.0, 1.0)])]
    store.write(lambda tx: tx.apply(Changes(memories=(short, long), vectors=tuple(made))))
    store.close()
    ask(url, "ALTER TABLE memory_version DROP COLUMN seal")  # which 9 brings
    ask(url, "UPDATE meta SET value = '7' WHERE name = 'schema'")
    newer = a_store(url)
    assert [memory.id for memory in newer.unembedded(FLAT, limit=5)] == ["mem-long"]
    found = newer.nearest((1.0, 0.0), FLAT, where=Where(project="prj-one"), limit=5)
    assert [near.memory_id for near in found] == ["mem-short"] and not newer.damage()
    newer.close()
