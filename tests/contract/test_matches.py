"""What every store answers about words: who holds them, how well, how rare they are, and which there are at all."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from building import NOW, a_memory, a_project, keep
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindbrain.core.model import Memory, Reach, State
from hindbrain.core.recall.bm25 import Document, length, scores
from hindbrain.core.recall.index import WEIGHTS, columns, scope
from hindbrain.core.words import query_terms
from hindbrain.ports import Changes, Match, Store, Where

HERE = Where(project="prj-one")
LATER = NOW + timedelta(hours=1)
WORDS = "cache pool retry index queue worker 42 parseConfig http2 ünïcode"


def lessons() -> list[Memory]:
    """Of both projects and all states, with a title of their own or none."""
    return [
        a_memory("cache the pool", id="mem-a"),
        a_memory("cache cache and once more cache", id="mem-b", persona="ed"),
        a_memory("a long text about a pool, " + "and much more that is not asked for, " * 8, id="mem-c"),
        a_memory("nothing of it", id="mem-d", title="The cache of the pool"),
        a_memory("tagged only", id="mem-e", tags=("cache",), file_refs=("src/pool.py",)),
        a_memory("cache of old", id="mem-f", superseded_by="mem-a", superseded_at=NOW),
        a_memory("pool put away", id="mem-g", archived_at=NOW),
        a_memory("gardens need water", id="mem-h"),
    ]


def elsewhere() -> list[Memory]:
    return [
        a_memory("cache of another project", id="mem-x", project="prj-two"),
        a_memory("cache and pool for all", id="mem-y", project="prj-two", reach=Reach.EVERYWHERE),
    ]


def counted(memories: list[Memory], words: list[str]) -> dict[str, Match]:
    """By plain arithmetic over everything there is."""
    documents = [Document(id=memory.id, columns=(scope(memory, 0), *columns(memory))) for memory in memories]
    usual = sum(map(length, documents)) / len(documents)
    found = scores(documents, words, weights=WEIGHTS)
    sizes = {document.id: length(document) / usual for document in documents}
    return {key: Match(memory_id=key, score=score, size=sizes[key]) for key, score in found.items()}


def near(matches: object) -> dict[str, object]:
    return {
        match.memory_id: (pytest.approx(match.score, rel=1e-9), pytest.approx(match.size, rel=1e-9))
        for match in matches  # type: ignore[attr-defined]
    }


def told(matches: object) -> dict[str, object]:
    return {match.memory_id: (match.score, match.size) for match in matches}  # type: ignore[attr-defined]


ASKED = {
    "here": (HERE, {"mem-a", "mem-b", "mem-c", "mem-d", "mem-e", "mem-y"}),
    "only here": (replace(HERE, with_everywhere=False), {"mem-a", "mem-b", "mem-c", "mem-d", "mem-e"}),
    "heard": (replace(HERE, voices=()), {"mem-a", "mem-c", "mem-d", "mem-e", "mem-y"}),
    "old": (replace(HERE, states=frozenset({State.SUPERSEDED, State.ARCHIVED})), {"mem-f", "mem-g"}),
    "there": (Where(project="prj-two"), {"mem-x", "mem-y"}),
    "nowhere": (Where(project="prj-unheard", with_everywhere=False), set()),
}


@pytest.mark.parametrize("name", ASKED)
def test_scores_and_sizes_are_those_of_plain_arithmetic(store: Store, name: str) -> None:
    keep(store, *lessons(), *elsewhere())
    where, expected = ASKED[name]

    found = store.matches(["cach", "pool"], where, limit=50)

    everything = counted([*lessons(), *elsewhere()], ["cach", "pool"])
    assert {match.memory_id for match in found} == expected
    assert told(found) == near(everything[match.memory_id] for match in found)
    assert list(found) == sorted(found, key=lambda match: (-match.score, match.memory_id))
    assert [hit.memory.id for hit in store.search(["cach", "pool"], where, limit=50)] == [m.memory_id for m in found]


def test_a_project_that_is_a_small_part_of_the_store_is_counted_alike(store: Store) -> None:
    """Others hold the words as well, so that how rare they are is not the project's own affair."""
    many = [
        a_memory(f"{'cache ' * (n % 3 == 0)}{'pool ' * (n % 7 == 0)}lesson {n}", id=f"mem-{n:05}", project="prj-two")
        for n in range(1_800)
    ]
    keep(store, *lessons(), *elsewhere(), *many)
    for words in (["cach", "pool"], ["pool", "pool", "cach"]):
        everything = counted([*lessons(), *elsewhere(), *many], words)
        for name in ("here", "only here", "heard", "old"):
            where, expected = ASKED[name]
            found = store.matches(words, where, limit=50)
            assert {match.memory_id for match in found} == expected
            assert told(found) == near(everything[match.memory_id] for match in found)
            best = [match.memory_id for match in found[:2]]
            assert [match.memory_id for match in store.matches(words, where, limit=2)] == best


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=9), min_size=1, max_size=8),
    asked=st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=4),
)
def test_every_store_counts_as_arithmetic_does(store: Store, texts: list[list[str]], asked: list[str]) -> None:
    for old in store.select(HERE):
        store.erase(old.id, at=NOW)
    memories = [a_memory(" ".join(words), id=f"mem-{n:02}", title=words[0]) for n, words in enumerate(texts)]
    keep(store, *memories)
    words = query_terms(" ".join(asked))

    assert told(store.matches(words, HERE, limit=50)) == near(counted(memories, words).values())
    count, holders = store.holders(words)
    held = store.terms([memory.id for memory in memories])
    assert count == len(memories)
    assert holders == {word: sum(word in terms for terms in held.values()) for word in words}
    assert held == {m.id: frozenset(term for column in columns(m) for term in column) for m in memories}
    assert store.content_terms([m.id for m in memories]) == {m.id: list(columns(m)[1]) for m in memories}


@pytest.mark.parametrize("limit", [1, 2, 50])
@pytest.mark.parametrize("voices", [None, (), ("ed",)])
@pytest.mark.parametrize("states", [{State.LIVE}, {State.SUPERSEDED, State.ARCHIVED}, set(State)], ids=len)
def test_a_project_that_is_alone_is_answered_as_one_among_others(
    empty: Callable[[str], Store], limit: int, voices: tuple[str, ...] | None, states: set[State]
) -> None:
    """A store may leave out the project where there is no other; nobody may notice."""
    alone, among = empty("alone"), empty("among")
    a_project(alone)
    a_project(among)
    a_project(among, "two")
    for store in (alone, among):
        keep(store, *lessons())
    where = replace(HERE, states=frozenset(states), voices=voices)

    one, other = (store.matches(["cach", "pool"], where, limit=limit) for store in (alone, among))

    assert [match.memory_id for match in one] == [match.memory_id for match in other]
    assert told(one) == near(other)
    assert len(one) == min(limit, len(store.matches(["cach", "pool"], where, limit=99)))
    assert not alone.matches(["cach"], Where(project="prj-two"), limit=5)


def test_a_second_project_is_kept_apart_from_the_moment_it_is_there(empty: Callable[[str], Store]) -> None:
    store = empty("one")
    a_project(store)
    keep(store, *lessons())
    assert store.matches(["cach"], HERE, limit=50)

    a_project(store, "two")
    keep(store, *elsewhere())

    assert "mem-x" not in {match.memory_id for match in store.matches(["cach"], HERE, limit=50)}


def test_a_limit_gives_the_best(store: Store) -> None:
    keep(store, *lessons(), *elsewhere())
    everyone = store.matches(["cach", "pool"], HERE, limit=50)

    for limit in range(len(everyone) + 1):
        assert list(store.matches(["cach", "pool"], HERE, limit=limit)) == list(everyone[:limit])


@pytest.mark.parametrize("words", [[], [""], ['"'], ["a b"], ["\0"], ["cach\0pool"], ["*"], ["nowhere"]])
def test_odd_words_match_nothing(store: Store, words: list[str]) -> None:
    keep(store, *lessons())

    assert not store.matches(words, HERE, limit=5)
    assert set(store.holders(words)[1].values()) <= {0}


def test_those_that_are_there_are_given_by_id(store: Store) -> None:
    keep(store, *lessons(), *elsewhere())
    found = store.memories(["mem-c", "mem-gone", "mem-x", "mem-g", "mem-c"])

    assert dict(found) == {m.id: m for m in [*lessons(), *elsewhere()] if m.id in ("mem-c", "mem-x", "mem-g")}
    assert not store.memories([])


def test_holders_are_counted_over_everything(store: Store) -> None:
    assert store.holders(["cach"]) == (0, {"cach": 0})
    keep(store, *lessons(), *elsewhere())

    count, holders = store.holders(["cach", "pool", "water", "nowhere"])

    assert (count, dict(holders)) == (10, {"cach": 7, "pool": 6, "water": 1, "nowhere": 0})


def test_the_words_of_a_memory_follow_it(store: Store) -> None:
    memory = a_memory("cache the pool", id="mem-a", tags=())
    keep(store, memory)
    assert store.terms(["mem-a", "mem-gone"]) == {"mem-a": frozenset({"cach", "the", "pool", "learn"})}
    assert store.content_terms(["mem-a", "mem-gone"]) == {"mem-a": ["cach", "the", "pool"]}

    keep(store, replace(memory, content="retry", title="retry", type="pitfall", version=2, updated_at=LATER))
    assert store.terms(["mem-a"]) == {"mem-a": frozenset({"retri", "pitfal"})}
    assert store.holders(["cach", "retri"]) == (1, {"cach": 0, "retri": 1})

    store.erase("mem-a", at=LATER)
    assert store.terms(["mem-a"]) == store.content_terms(["mem-a"]) == {} and store.holders(["retri"]) == (
        0,
        {"retri": 0},
    )
    assert not store.spelled("ret", limit=9)


def test_the_words_that_there_are_can_be_looked_up_by_how_they_begin(store: Store) -> None:
    keep(store, a_memory("cache caching cart carton cat dog", id="mem-a"), *elsewhere())

    assert list(store.spelled("ca", limit=9)) == ["cach", "cart", "carton", "cat"]
    assert list(store.spelled("cart", limit=9)) == ["cart", "carton"]
    assert list(store.spelled("ca", limit=2)) == ["cach", "cart"]
    assert not store.spelled("", limit=9) and not store.spelled("zebra", limit=9)


def test_no_word_of_the_scope_can_be_looked_up_or_found(store: Store) -> None:
    """Where a memory lies is in the index too; it is no word of anybody's."""
    keep(store, *lessons(), *elsewhere())

    for token in ("p1live", "p2live", "everywherelive", "everywher"):
        assert not store.matches([token], HERE, limit=5)
        assert store.holders([token])[1] == {token: 0}
        assert not store.spelled(token[:3], limit=9), token


def test_what_a_transaction_wrote_it_can_look_up(store: Store) -> None:
    def work(tx: object) -> None:
        tx.apply(Changes(memories=(a_memory("zebra crossing", id="mem-z"),)))  # type: ignore[attr-defined]
        assert [match.memory_id for match in tx.matches(["zebra"], HERE, limit=1)] == ["mem-z"]  # type: ignore[attr-defined]
        assert tx.holders(["zebra"]) == (1, {"zebra": 1})  # type: ignore[attr-defined]
        assert list(tx.spelled("zeb", limit=1)) == ["zebra"]  # type: ignore[attr-defined]
        assert list(tx.terms(["mem-z"])) == list(tx.memories(["mem-z"])) == ["mem-z"]  # type: ignore[attr-defined]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(work)
    assert not store.matches(["zebra"], HERE, limit=1) and store.holders(["zebra"]) == (0, {"zebra": 0})
