"""A writer that remembers what it knew answers as one that has just begun, whatever was written since and by whom."""

import importlib.util
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from building import a_memory, a_project, keep
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model import Memory, Reach
from hindbrain.core.model.filing import Filing
from hindbrain.core.value import replace
from hindbrain.core.words import query_terms
from hindbrain.ports import Changes, Match, Transaction, Where

HERE = Where(project="prj-one", with_everywhere=False)
WORDS = "cache pool retry index queue worker 42 parseConfig http2 ünïcode 索引"
texts = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=9).map(" ".join)
steps = st.one_of(
    st.tuples(st.sampled_from(["new", "new", "everywhere", "elsewhere", "others new", "failed"]), texts),
    st.tuples(st.sampled_from(["reworded", "archived", "filed", "erased"]), texts),
    st.tuples(st.sampled_from(["others reworded", "others archived", "others filed", "others erased"]), texts),
    st.tuples(st.sampled_from(["others both", "others repaired"]), texts),
)
Answer = tuple[list[str], list[Match], list[Match]]


@pytest.fixture
def store(db_path: Path) -> Iterator[SqliteStore]:
    pytest.importorskip("numpy")
    with closing(SqliteStore(db_path)) as opened:
        a_project(opened)
        a_project(opened, "two")
        yield opened


def answered(tx: Transaction, text: str) -> Answer:
    words = query_terms(text)
    found = list(tx.matches(words, HERE, limit=3)), list(tx.matches(words, replace(HERE, voices=("ed",)), limit=2))
    return list(tx.rarest(words, limit=4)), *found


def by_writer(store: SqliteStore, text: str) -> Answer:
    return store.write(lambda tx: answered(tx, text))


def by_engine(store: SqliteStore, text: str) -> Answer:
    """What a process answers that has just begun."""
    with closing(SqliteStore(store.path)) as new:
        return new.write(lambda tx: answered(tx, text))


def is_followed(store: SqliteStore) -> bool:
    return store._trail is not None and store._trail.is_worn


class Gone(Exception):
    pass


def fail(store: SqliteStore, memory: Memory) -> None:
    def work(tx: Transaction) -> None:
        tx.rarest(query_terms(memory.content), limit=4)
        tx.apply(Changes(memories=(memory,)))
        tx.matches(query_terms(memory.content), HERE, limit=3)
        raise Gone

    with pytest.raises(Gone):
        store.write(work)


def file(store: SqliteStore, memory: Memory) -> None:
    """Put it away or bring it back in a sweep, by a transaction that knows the index already."""

    def work(tx: Transaction) -> None:
        tx.matches(query_terms(memory.content), HERE, limit=3)
        reason = "" if memory.archived_at else "purged"
        sweep = Filing(versions={memory.id: memory.version}, at=memory.updated_at, reason=reason)
        tx.apply(Changes(filings=(sweep,)))

    store.write(work)


def test_what_was_put_away_or_brought_back_in_a_sweep_is_known_to_be(store: SqliteStore) -> None:
    for number in range(4):
        keep(store, a_memory("cache pool", id=f"mem-{number:03}"))
    for _ in range(2):
        by_writer(store, "cache pool")
        memory = store.memory("mem-000")
        assert memory is not None
        file(store, memory)
        assert by_writer(store, "cache pool") == by_engine(store, "cache pool")


def take(step: str, text: str, *, store: SqliteStore, number: int) -> None:
    who, _, what = step.rpartition(" ")
    if who != "others":
        do(step, text, store=store, number=number)
        return
    with closing(SqliteStore(store.path)) as other:
        if what == "repaired":
            other.repair()
        else:
            do(what, text, store=other, number=number)


def do(step: str, text: str, *, store: SqliteStore, number: int) -> None:
    memory = a_memory(text, id=f"mem-{number:03}", title=text[:5], project="prj-one")
    known = store.memory("mem-000")
    match step:
        case "new":
            keep(store, replace(memory, persona="ed") if number % 3 == 0 else memory)
        case "everywhere":
            keep(store, replace(memory, reach=Reach.EVERYWHERE))
        case "elsewhere":
            keep(store, replace(memory, project="prj-two"))
        case "both" if known:
            keep(store, memory, replace(known, content=text, title=text, version=known.version + 1))
        case "failed":
            fail(store, memory)
        case "reworded" if known:
            keep(store, replace(known, content=text, title=text, version=known.version + 1))
        case "archived" if known:
            keep(store, replace(known, archived_at=known.updated_at, version=known.version + 1))
        case "filed" if known:
            file(store, known)
        case "erased" if known:
            store.erase(known.id, at=known.updated_at)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=1, max_size=10), texts)
def test_a_writer_that_remembers_gives_the_numbers_of_the_engine(
    store: SqliteStore, taken: list[tuple[str, str]], asked: str
) -> None:
    for known in store.ids("mem-", limit=100):
        store.erase(known, at=a_memory("x").updated_at)
    for number, (step, text) in enumerate(taken):
        take(step, text, store=store, number=number)
        assert by_writer(store, asked) == by_writer(store, asked)  # the second one follows the first
        assert by_writer(store, asked) == by_engine(store, asked)


def test_a_writer_sees_what_it_wrote_in_the_same_transaction(store: SqliteStore) -> None:
    for number in range(3):
        keep(store, a_memory("the cache of the pool", id=f"mem-{number}", project="prj-one"))
        by_writer(store, "cache pool")
    new = a_memory("cache cache worker", id="mem-new", project="prj-one")

    def work(tx: Transaction) -> tuple[Answer, Answer]:
        before = answered(tx, "cache worker")
        assert is_followed(store)
        tx.apply(Changes(memories=(new,)))
        return before, answered(tx, "cache worker")

    before, after = store.write(work)

    assert "mem-new" not in [match.memory_id for match in before[1]]
    assert after == by_engine(store, "cache worker")
    assert after[1][0].memory_id == "mem-new"


def test_a_writer_follows_itself_and_what_others_write_down(store: SqliteStore) -> None:
    seen = []

    def look(tx: Transaction) -> None:
        tx.rarest(["cache"], limit=1)
        seen.append(is_followed(store))

    for number in range(3):
        store.write(look)
        keep(store, a_memory(f"cache {number}", id=f"mem-{number}", project="prj-one"))
    store.write(look)
    assert seen == [False, True, True, True]
    with closing(SqliteStore(store.path)) as other:
        keep(other, a_memory("cache 9", id="mem-9", project="prj-one"))
        store.write(look)
        take("others reworded", "pool", store=store, number=1)
        store.write(look)
        other.erase("mem-9", at=a_memory("x").updated_at)
        store.write(look)
        store.write(look)
        other.repair()
        store.write(look)
    assert seen[4:] == [True, True, False, True, False]


def test_what_a_hand_changed_beside_what_others_wrote_down_is_noticed_by_the_numbers(store: SqliteStore) -> None:
    for number in range(3):
        keep(store, a_memory("the cache of the pool", id=f"mem-{number}", project="prj-one"))
        by_writer(store, "cache pool worker")
    assert is_followed(store)
    with closing(SqliteStore(store.path)) as other:
        keep(other, a_memory("cache", id="mem-9", project="prj-one"))
        other._connection().execute(
            "UPDATE memory SET content_words = 'worker' WHERE id = 'mem-1'"
        )  # without a version
    assert by_writer(store, "cache pool worker") == by_engine(store, "cache pool worker")


def test_of_more_than_a_writer_can_catch_up_with_it_reads_all_again(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hindbrain.adapters.sqlite import trail

    monkeypatch.setattr(trail, "_MOST_MISSED", 4)
    for count in (2, 3, 7):
        keep(store, a_memory("cache pool", id=f"mem-{count}", project="prj-one"))
        by_writer(store, "cache pool")
        with closing(SqliteStore(store.path)) as other:
            keep(other, *(a_memory(f"pool {n}", id=f"mem-{count}-{n}", project="prj-one") for n in range(count)))
        assert by_writer(store, "cache pool") == by_engine(store, "cache pool")
        assert is_followed(store) is (count == 2)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(texts, min_size=3, max_size=20), st.lists(texts, min_size=1, max_size=4))
def test_who_cannot_be_among_the_best_is_not_missed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, kept: list[str], asked: list[str]
) -> None:
    from hindbrain.adapters.sqlite import prune

    monkeypatch.setattr(prune, "_FEW", 0)  # as in a large store
    with closing(SqliteStore(tmp_path_factory.mktemp("pruned") / "h.db")) as store:
        for name in ("one", "two"):
            a_project(store, name)
        for number, text in enumerate(kept):
            plain = " ".join(word for word in text.split() if word.isascii())
            project = f"prj-{'one' if number % 4 else 'two'}"
            keep(store, a_memory(f"{plain} common", id=f"mem-{number:03}", project=project))
            if number % 5 == 0:
                by_writer(store, "common cache")  # so that lists grow after they were read
        for text in asked:
            assert by_writer(store, f"{text} common") == by_engine(store, f"{text} common")


@given(st.lists(st.integers(-9, 400), max_size=60))
def test_a_short_list_is_read_as_a_long_one(places: list[int]) -> None:
    pytest.importorskip("numpy")
    from hindbrain.adapters.sqlite import postings

    text = ",".join(map(str, places))
    short, long = postings._few(text), postings._many(text)
    assert [part.tolist() for part in short] == [part.tolist() for part in long]


def test_a_failed_transaction_leaves_nothing_behind(store: SqliteStore) -> None:
    for number in range(2):
        keep(store, a_memory("the cache of the pool", id=f"mem-{number}", project="prj-one"))
        by_writer(store, "cache pool")

    fail(store, a_memory("cache pool cache", id="mem-lost", project="prj-one"))

    assert by_writer(store, "cache pool") == by_engine(store, "cache pool")
    assert by_writer(store, "cache pool") == by_engine(store, "cache pool")


def test_more_lists_than_there_is_room_for_are_read_again(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("numpy") is None:
        pytest.skip("lists are kept where numpy is")
    from hindbrain.adapters.sqlite import trail

    monkeypatch.setattr(trail, "_ROOM", 4)
    monkeypatch.setattr(trail, "_MOST_COUNTS", 2)
    monkeypatch.setattr(trail, "_MOST_SCOPES", 1)
    for number, text in enumerate(("cache pool", "cache retry", "index cache queue", "pool worker queue")):
        keep(store, a_memory(text, id=f"mem-{number}", project="prj-one"))
        for asked in ("cache pool", "queue retry index", "worker cache"):
            assert by_writer(store, asked) == by_engine(store, asked)
