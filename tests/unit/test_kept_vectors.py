"""Where a model is running, a memory is kept together with its meaning: in one transaction, or not at all."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest
from building import NOW, FakeClock
from embedding import WordEmbedder, point

from hindbrain.app.add import Noted, add
from hindbrain.app.capture import Said, capture
from hindbrain.app.tools import Tools
from hindbrain.core.model import Verdict
from hindbrain.core.value import replace
from hindbrain.ports import Store, Transaction, Where

HERE = Where(project="prj-one")
LESSON = "Redis locks expire after a minute"


class Watched:
    """A store that counts what is written, and can fail at the last moment before it is kept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.writes = 0
        self.is_failing = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def write(self, work: Callable[[Transaction], object], **how: object) -> object:
        self.writes += 1

        def ended(tx: Transaction) -> object:
            result = work(tx)
            if self.is_failing:
                raise ZeroDivisionError
            return result

        return self._store.write(ended, **how)  # type: ignore[arg-type]


def adding(text: str, tools: Tools) -> None:
    add(Noted(content=text), project="prj-one", tools=tools)


def capturing(text: str, tools: Tools) -> None:
    said = capture(Said(text=f"MEMORY:pattern:{text}", session="s1"), project="prj-one", tools=tools)
    assert said.receipts[0].verdict is not Verdict.REJECTED


both = pytest.mark.parametrize("keeping", [adding, capturing])
Keeping = Callable[[str, Tools], None]


def near(store: Store, text: str, embedder: WordEmbedder) -> list[float]:
    found = store.nearest(point(text), embedder.space, where=HERE, limit=9)
    return [round(one.similarity, 1) for one in found]


# HB-061
@both
def test_row_and_vectors_are_one_write_where_the_model_is_running(tools: Tools, keeping: Keeping) -> None:
    embedder, watched = WordEmbedder(), Watched(tools.store)
    tools.store.expect(embedder.space)

    keeping(LESSON, replace(tools, store=watched, embedder=embedder))

    assert watched.writes == 1 and embedder.calls == [[LESSON]]
    assert near(tools.store, LESSON, embedder) == [1.0] and tools.store.count_unembedded(embedder.space) == 0


@both
def test_a_write_that_fails_leaves_neither_row_nor_vector(tools: Tools, keeping: Keeping) -> None:
    embedder, watched = WordEmbedder(), Watched(tools.store)
    watched.is_failing = True

    with pytest.raises(ZeroDivisionError):
        keeping(LESSON, replace(tools, store=watched, embedder=embedder))

    assert tools.store.count(HERE) == 0 and near(tools.store, LESSON, embedder) == []
    assert not tools.store.has_vectors(embedder.space, HERE) and not tools.store.damage()


# BD-060
@both
def test_nobody_waits_for_a_model_that_is_not_running(tools: Tools, keeping: Keeping) -> None:
    cold = WordEmbedder()
    cold.is_warm = False
    tools.store.expect(cold.space)

    keeping(LESSON, replace(tools, embedder=cold))

    assert cold.calls == [] and tools.store.count(HERE) == 1
    assert [memory.content for memory in tools.store.unembedded(cold.space, limit=9)] == [LESSON]


@both
def test_a_model_that_fails_costs_the_vector_and_not_the_memory(tools: Tools, keeping: Keeping) -> None:
    broken = WordEmbedder(fails_on="Redis")
    tools.store.expect(broken.space)

    keeping(LESSON, replace(tools, embedder=broken))

    assert tools.store.count(HERE) == 1 and tools.store.count_unembedded(broken.space) == 1


def test_a_memory_in_better_words_has_the_vectors_of_those_words(tools: Tools, clock: FakeClock) -> None:
    embedder = WordEmbedder()
    tools.store.expect(embedder.space)
    warm = replace(tools, embedder=embedder)
    first = add(Noted(content="Redis locks expire"), project="prj-one", tools=warm)
    clock.forward(minutes=1)
    second = add(Noted(content="Redis locks expire after sixty seconds"), project="prj-one", tools=warm)

    assert (second.verdict, second.memory_id) == (Verdict.VERSION, first.memory_id)
    assert near(tools.store, "Redis locks expire after sixty seconds", embedder) == [1.0]
    assert tools.store.count_unembedded(embedder.space) == 0 and not tools.store.damage()


@both
def test_the_same_text_again_changes_no_vector(tools: Tools, keeping: Keeping) -> None:
    embedder = WordEmbedder()
    warm = replace(tools, embedder=embedder)
    for _ in range(2):
        keeping(LESSON, warm)

    assert tools.store.count(HERE) == 1 and near(tools.store, LESSON, embedder) == [1.0]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (datetime(2025, 5, 1, 12, 0, 0, 123_456), "2025-05-01T12:00:00.123000+00:00"),  # no zone: UTC
        (datetime(2025, 5, 1, 12, tzinfo=timezone(timedelta(hours=2))), "2025-05-01T10:00:00+00:00"),
        (datetime(2100, 1, 1), NOW.isoformat()),  # nothing is learned in the future
    ],
)
def test_when_something_was_learned_may_be_said_with_or_without_a_zone(
    tools: Tools, given: datetime, kept: str
) -> None:
    receipt = add(Noted(content=LESSON, learned_at=given), project="prj-one", tools=tools)

    memory = tools.store.memory(receipt.memory_id or "")
    assert memory is not None and memory.learned_at.isoformat() == kept
    assert not tools.store.damage()
