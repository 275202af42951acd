"""What only the embedded store promises about vectors: about its file, other processes, damage, and numpy's absence."""

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from building import NOW, a_memory, a_project, a_vector, keep

from hindbrain.adapters.sqlite import SqliteStore, schema, shelves, vectors
from hindbrain.adapters.sqlite.scan import Shelf, empty, ranking
from hindbrain.core.model import Memory, Reach, Space
from hindbrain.core.model.vector import quantised
from hindbrain.ports import Changes, Where

HERE = Where(project="prj-one")
FLAT = Space(provider="local", model="flat", version="1", dimension=2)
WIDE = Space(provider="local", model="wide", version="1", dimension=384)
EAST, NORTH, WEST = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)


def keep_with(store: SqliteStore, memory: Memory, *points: tuple[float, ...], space: Space = FLAT) -> None:
    made = tuple(a_vector(memory, point, space=space, piece=n) for n, point in enumerate(points))
    store.write(lambda tx: tx.apply(Changes(memories=(memory,), vectors=made)))


def nearest(store: SqliteStore, point: tuple[float, ...] = EAST, limit: int = 9) -> list[str]:
    return [near.memory_id for near in store.nearest(point, FLAT, where=HERE, limit=limit)]


def random_point(source: random.Random, size: int = 384) -> tuple[float, ...]:
    return tuple(source.gauss(0, 1) / size**0.5 for _ in range(size))


@pytest.fixture
def store(sqlite_store: SqliteStore) -> SqliteStore:
    a_project(sqlite_store, "one")
    a_project(sqlite_store, "two")
    return sqlite_store


def test_a_question_reads_the_rows_of_its_project_only(store: SqliteStore) -> None:
    keep_with(store, a_memory(), EAST)
    plan = store._connection().execute(f"EXPLAIN QUERY PLAN {shelves._ROWS}", (1, 1, -1, 2)).fetchall()
    assert [row[3] for row in plan] == ["SEARCH vector USING PRIMARY KEY (scope=? AND space=? AND memory>?)"]


def test_the_list_of_what_is_due_is_read_without_reading_all_memories(store: SqliteStore) -> None:
    store.expect(FLAT)
    asked: list[str] = []
    db = store._connection()
    db.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: asked.append(event["sql"]))
    store.unembedded(FLAT, limit=5)
    db.trace_v2(0, None)
    plan = [str(row[3]) for row in db.execute(f"EXPLAIN QUERY PLAN {asked[0]}", ("l", "m", "1", 2, 5)).fetchall()]
    assert plan and all(step.startswith("SEARCH") for step in plan), plan


def test_the_rows_of_the_best_are_read_by_number_and_no_others(store: SqliteStore) -> None:
    """Left to choose, SQLite would read every row of the project to find ten of them."""
    keep_with(store, a_memory("about caching", id="mem-a"), EAST)
    asked: list[str] = []
    db = store._connection()
    db.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: asked.append(event["sql"]))
    assert store.nearest(EAST, FLAT, where=HERE, limit=1) and store.search(["cach"], HERE, limit=1)
    assert store.terms(["mem-a"])
    db.trace_v2(0, None)
    loading = [sql for sql in asked if "json_each" in sql]
    assert len(loading) == 3
    for sql in loading:
        plan = [str(row[3]) for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", ("[]", *[1] * (sql.count("?") - 1)))]
        assert plan[0].startswith("SCAN j") and not [step for step in plan[1:] if not step.startswith("SEARCH")], plan


def test_vectors_written_elsewhere_are_seen_at_once(store: SqliteStore, db_path: Path) -> None:
    """Two stores on one file, each with what it read before."""
    other = SqliteStore(db_path)
    memory = a_memory("first", id="mem-a")
    keep_with(store, memory, EAST)
    assert nearest(store) == nearest(other) == ["mem-a"]
    keep_with(other, a_memory("second", id="mem-b"), EAST)  # added behind
    assert nearest(store) == nearest(other) == ["mem-a", "mem-b"]
    edited = replace(memory, content="other words", title="other", version=2)
    keep_with(other, edited, WEST)  # replaced
    assert nearest(store) == nearest(other) == ["mem-b", "mem-a"]
    keep(other, replace(edited, content="no vector", title="none", version=3))  # taken out
    assert nearest(store) == nearest(other) == ["mem-b"]
    keep_with(other, a_memory("third", id="mem-c", project="prj-two", reach=Reach.EVERYWHERE), EAST)
    assert nearest(store) == nearest(other) == ["mem-b", "mem-c"]
    other.erase("mem-b", at=NOW)
    keep_with(other, a_memory("fourth", id="mem-d"), EAST)  # with the number of the one that is gone
    assert nearest(store) == nearest(other) == ["mem-c", "mem-d"]
    other.close()


def test_vectors_of_an_old_memory_that_come_late_are_seen(store: SqliteStore) -> None:
    early, late = a_memory("early", id="mem-a"), a_memory("late", id="mem-b")
    keep(store, early)
    keep_with(store, late, EAST)
    assert nearest(store) == ["mem-b"]
    store.write(lambda tx: tx.apply(Changes(vectors=(a_vector(early, EAST, space=FLAT),))))
    assert nearest(store) == ["mem-a", "mem-b"]


def test_what_was_undone_is_never_taken_for_what_another_wrote(store: SqliteStore, db_path: Path) -> None:
    """The tally comes back to the same number, with other rows behind it."""
    keep_with(store, a_memory("kept", id="mem-a"), NORTH)
    assert nearest(store) == ["mem-a"]

    def work(tx: object) -> None:
        lost = a_memory("lost", id="mem-lost")
        change = Changes(memories=(lost,), vectors=(a_vector(lost, EAST, space=FLAT),))
        tx.apply(change)  # type: ignore[attr-defined]
        assert [n.memory_id for n in store.nearest(EAST, FLAT, where=HERE, limit=1)] == ["mem-lost"]
        assert [n.memory_id for n in tx.nearest(EAST, FLAT, where=HERE, limit=1)] == ["mem-lost"]  # type: ignore[attr-defined]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(work)
    keep_with(store, a_memory("found", id="mem-found"), WEST)
    assert nearest(store) == ["mem-a", "mem-found"]


def test_a_space_that_comes_back_after_it_was_dropped_is_read_anew(store: SqliteStore) -> None:
    keep_with(store, a_memory("one", id="mem-a"), EAST)
    assert nearest(store) == ["mem-a"]
    store.drop_spaces(but=WIDE)
    keep_with(store, a_memory("two", id="mem-b"), WEST)
    assert nearest(store) == ["mem-b"]


WRITER = """
import random, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from building import a_memory, a_vector
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model import Space
from hindbrain.ports import Changes
space = Space(provider="local", model="flat", version="1", dimension=2)
store, chance = SqliteStore(Path(sys.argv[1])), random.Random(sys.argv[3])
for number in range(60):
    memory = a_memory(f"lesson {sys.argv[3]} {number}", id=f"mem-{sys.argv[3]}-{number:03}")
    vector = a_vector(memory, (chance.uniform(-1, 1), 1.0), space=space)
    store.write(lambda tx: tx.apply(Changes(memories=(memory,), vectors=(vector,))))
    print(memory.id, flush=True)
"""


def test_a_reader_with_a_warm_memory_sees_what_other_processes_promised(store: SqliteStore, db_path: Path) -> None:
    tests = str(Path(__file__).resolve().parents[1])
    command = [sys.executable, "-c", WRITER, str(db_path), tests]
    writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in "ab"]
    promised: set[str] = set()
    for lines in zip(*(writer.stdout for writer in writers if writer.stdout), strict=False):
        promised |= {line.strip() for line in lines}
        assert promised <= set(nearest(store, limit=999))
    assert [writer.wait() for writer in writers] == [0, 0] and len(promised) == 120
    for writer in writers:
        assert writer.stdout
        writer.stdout.close()
    fresh = SqliteStore(db_path)
    assert nearest(fresh, limit=999) == nearest(store, limit=999)
    fresh.close()


def test_a_killed_writer_leaves_each_memory_with_its_vector(store: SqliteStore, db_path: Path) -> None:
    """Row and vector are one transaction: whenever it ends, none is without the other."""
    store.expect(FLAT)
    tests = str(Path(__file__).resolve().parents[1])
    for seed in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(db_path), tests, str(seed)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout
        promised = [writer.stdout.readline().strip() for _ in range(random.Random(seed).randint(1, 30))]
        writer.kill()
        writer.wait()
        writer.stdout.close()
        kept = {memory.id for memory in store.select(HERE)}
        assert set(promised) <= kept == set(nearest(store, limit=999))
    assert not store.unembedded(FLAT, limit=1) and not store.damage()


def test_what_is_kept_of_vectors_has_a_bound_and_the_last_asked_for_stay() -> None:
    class Counting(shelves.Shelves):
        def asked(self, scope: int) -> None:
            row = (1, 0, 1.0, bytes(1000))
            self._keep((scope, 1), ((1, 0), empty(scope).extended([row])))

    one = empty(0).extended([(1, 0, 1.0, bytes(1000))]).size
    kept = Counting(room=3 * one)
    for scope in (1, 2, 3, 1, 4):
        kept.asked(scope)
        assert kept.size <= 3 * one
    assert [scope for scope, _ in kept._kept] == [3, 1, 4]
    Counting(room=one - 1).asked(1)


def test_reading_again_costs_no_rows(store: SqliteStore) -> None:
    for n in range(5):
        keep_with(store, a_memory(f"lesson {n}", id=f"mem-{n}"), EAST)
    nearest(store)
    asked: list[str] = []
    store._connection().trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: asked.append(event["sql"]))
    assert len(nearest(store)) == 5
    assert not [sql for sql in asked if "SELECT memory, piece, scale, code" in sql]
    store._connection().trace_v2(0, None)


@pytest.mark.parametrize("seed", range(5))
def test_without_numpy_the_answers_are_the_same(store: SqliteStore, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    source = random.Random(seed)
    for n in range(40):
        points = [random_point(source) for _ in range(source.randint(1, 3))]
        keep_with(store, a_memory(f"lesson {n}", id=f"mem-{n}", persona="ed" if n % 2 else None), *points, space=WIDE)
    point = random_point(source)
    asked = [(where, limit) for where in (HERE, replace(HERE, voices=())) for limit in (0, 1, 7, 99)]
    also = store.matches([str(n) for n in range(0, 40, 9)], HERE, limit=9)
    assert len(also) == 5
    fast = [store.nearest(point, WIDE, where=where, limit=limit, also=also) for where, limit in asked]
    monkeypatch.setitem(sys.modules, "numpy", None)
    plain = [store.nearest(point, WIDE, where=where, limit=limit, also=also) for where, limit in asked]
    for one, other in zip(fast, plain, strict=True):
        assert [(n.memory_id, n.start) for n in one] == [(n.memory_id, n.start) for n in other]
        assert [n.similarity for n in one] == pytest.approx([n.similarity for n in other], abs=1e-12)


@pytest.mark.parametrize("is_plain", [True, False])
def test_the_floor_is_never_above_what_was_left_out(monkeypatch: pytest.MonkeyPatch, is_plain: bool) -> None:
    """Near ties beyond what single precision can tell apart."""
    if is_plain:
        monkeypatch.setitem(sys.modules, "numpy", None)
    source = random.Random(7)
    code, scale = quantised(random_point(source))
    rows = [(n, 0, scale * (1 + 1e-6 * source.random()), code) for n in range(300)]
    shelf, point = empty(3).extended(rows), random_point(source)
    ranked = ranking([shelf], point)
    whole, _ = ranked.top(300)
    for depth in (1, 10, 150, 299):
        best, floor = ranked.top(depth)
        left = [whole[n][0] for n in whole if n not in best]
        assert len(best) >= depth and all(similarity < floor for similarity in left)
    assert ranked.of([5, 999]) == {5: whole[5]} and ranking([], point).top(3) == ({}, float("-inf"))
    assert isinstance(shelf, Shelf) and ranking([], point).of([1]) == {}


def test_a_migrated_store_has_nothing_due_until_a_space_is_expected(db_path: Path) -> None:
    old = SqliteStore(db_path, migrations=schema.shipped()[:1])
    a_project(old)
    keep(old, a_memory("kept over the migration", id="mem-a"))
    old.close()
    new = SqliteStore(db_path)
    assert not new.unembedded(FLAT, limit=5) and not new.damage()
    new.expect(FLAT)
    assert [memory.id for memory in new.unembedded(FLAT, limit=5)] == ["mem-a"]
    new.close()


def test_only_what_was_cut_into_larger_pieces_is_embedded_again_by_a_newer_program(db_path: Path) -> None:
    old = SqliteStore(db_path, migrations=[one for one in schema.shipped() if one.number < 12])
    a_project(old, "one")
    old.expect(FLAT)
    keep_with(old, a_memory("short", id="mem-short"), EAST)
    keep_with(old, a_memory("long", id="mem-long"), EAST, NORTH, WEST)
    old.close()
    new = SqliteStore(db_path)
    assert [memory.id for memory in new.unembedded(FLAT, limit=5)] == ["mem-long"]
    assert nearest(new) == ["mem-short"] and not new.damage()
    new.close()


def test_long_jobs_take_many_short_turns(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "BATCH", 4)
    memories = [
        a_memory(
            f"lesson {n}", id=f"mem-{n:02}", project=("prj-one", "prj-two")[n % 2], archived_at=NOW if n == 3 else None
        )
        for n in range(21)
    ]
    keep(store, *memories)
    asked: list[str] = []
    db = store._connection()
    db.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: asked.append(event["sql"]))
    store.expect(FLAT)
    assert asked.count("COMMIT") == 6
    asked.clear()
    store.expect(FLAT)
    assert "COMMIT" not in asked  # nothing to do is nothing written
    for memory in memories[:15]:
        made = tuple(a_vector(memory, EAST, space=FLAT, piece=piece) for piece in range(2))
        store.write(lambda tx, made=made: tx.apply(Changes(vectors=made)))
    assert [m.id for m in store.unembedded(FLAT, limit=99)] == [m.id for m in memories[15:]]
    asked.clear()
    assert store.drop_spaces(but=WIDE) == 30
    assert asked.count("COMMIT") > 6
    db.trace_v2(0, None)
    assert store.vitals()["spaces"] == "" and not store.damage()
    for table in ("vector", "vector_due", "vector_tally", "space"):
        assert db.execute(f"SELECT count(*) FROM {table}").fetchall() == [(0,)]


def test_an_expectation_that_was_cut_short_is_completed(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "BATCH", 3)
    keep(store, *(a_memory(f"lesson {n}", id=f"mem-{n}") for n in range(8)))
    with store._writing() as db, db:
        assert not vectors.list_some(db, FLAT)
    assert len(store.unembedded(FLAT, limit=99)) == 3 and not store.damage()
    store.expect(FLAT)
    assert len(store.unembedded(FLAT, limit=99)) == 8 and not store.damage()


DAMAGES = {
    "memory gone": "UPDATE vector SET memory = 999 WHERE memory = 1",
    "space gone": "UPDATE vector SET space = 99 WHERE memory = 1",
    "other project": "UPDATE vector SET scope = 2 WHERE memory = 1",
    "too short": "UPDATE vector SET code = x'01' WHERE memory = 1 AND piece = 1",
    "other words": "UPDATE vector SET digest = x'00' WHERE memory = 1",
    "other numbers": "UPDATE vector SET code = zeroblob(length(code)) WHERE memory = 1 AND piece = 1",  # R8
    "other scale": "UPDATE vector SET scale = scale * 1.0001 WHERE memory = 1",  # R8
    "other place": "UPDATE vector SET start = start + 1 WHERE memory = 1",  # R8
    "unsealed": "UPDATE vector SET seal = NULL WHERE memory = 1",
    "miscounted": "UPDATE vector_tally SET vectors = 77",
    "not counted": "DELETE FROM vector_tally",
    "never due": "DELETE FROM vector WHERE memory = 1",
    "lost from the list": "DELETE FROM vector_due",
    "listed for nothing": "INSERT INTO vector_due VALUES (1, 1), (1, 998), (98, 2)",
}


@pytest.mark.parametrize("name", DAMAGES)
def test_vectors_that_disagree_are_found_and_mended(store: SqliteStore, name: str) -> None:
    store.expect(FLAT)
    keep_with(store, a_memory("first", id="mem-a"), EAST, NORTH)
    keep_with(store, a_memory("second", id="mem-b"), NORTH)
    keep(store, a_memory("bare", id="mem-c"))
    assert not store.damage()
    store._connection().execute(DAMAGES[name])
    found = store.damage()
    assert found and all("repair" in one.fix and "vectors" in one.where for one in found)
    nearest(store)  # is no error
    store.repair()
    assert not store.damage()
    due = [memory.id for memory in store.unembedded(FLAT, limit=9)]
    assert sorted({*nearest(store), *due}) == ["mem-a", "mem-b", "mem-c"] and "mem-c" in due


def test_forgetting_takes_the_numbers_out_of_the_files(store: SqliteStore, db_path: Path) -> None:
    """Much of a text can be guessed from its vector."""
    memory = a_memory("the launch code is seven", id="mem-a")
    keep_with(store, memory, random_point(random.Random(1)), random_point(random.Random(2)), space=WIDE)
    backup = schema.back_up(store._connection(), store.backups, before=9)
    code = a_vector(memory, random_point(random.Random(2)), space=WIDE).code
    assert _files_with(code, db_path) and _files_with(code, backup)
    erased = store.erase("mem-a", at=NOW)
    assert not erased.found_in and str(backup) in erased.backups
    assert not _files_with(code, db_path) and not _files_with(code, backup)


def test_a_vector_that_survives_is_found(store: SqliteStore) -> None:
    memory = a_memory("the launch code is seven", id="mem-a")
    keep_with(store, memory, random_point(random.Random(1)), space=WIDE)
    code = a_vector(memory, random_point(random.Random(1)), space=WIDE).code
    store._connection().execute("CREATE TABLE leak (code BLOB) STRICT")
    store._connection().execute("INSERT INTO leak VALUES (?)", (code,))
    assert store.erase("mem-a", at=NOW).found_in


def test_a_vector_that_another_memory_has_too_is_no_trace(store: SqliteStore) -> None:
    point = random_point(random.Random(1))
    keep_with(store, a_memory("the launch code is seven", id="mem-a"), point, space=WIDE)
    keep_with(store, a_memory("seven, so runs the code to launch", id="mem-b"), point, space=WIDE)
    assert not store.erase("mem-a", at=NOW).found_in


def _files_with(code: bytes, path: Path) -> bool:
    """Looked for in a process of its own: closing the file here would drop the locks of the store."""
    look = "import json, sys; from pathlib import Path; a = json.load(sys.stdin);"
    look += "files = [p for p in Path(a[1]).parent.glob(Path(a[1]).name + '*') if p.is_file()];"
    look += "print(any(bytes.fromhex(a[0]) in p.read_bytes() for p in files))"
    request = json.dumps([code.hex(), str(path)])
    run = subprocess.run([sys.executable, "-c", look], input=request, capture_output=True, text=True, check=True)
    return run.stdout.strip() == "True"
