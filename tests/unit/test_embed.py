"""Which memories get vectors, in what order, and what a failure leaves behind."""

from collections.abc import Sequence

import pytest
from building import a_memory, a_project, keep
from embedding import WordEmbedder, point, space_of

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.embed import BATCH, embed_all, embed_due, vectors_of
from hindbrain.core.model import Memory
from hindbrain.core.model.vector import restored
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.core.value import replace
from hindbrain.errors import EmbedderMissing
from hindbrain.ports import Changes, Where

EVERYTHING = Where(project="prj-one")
LONG = "\n\n".join(
    f"Paragraph {number} about the {word} queue. " * 8 for number, word in enumerate(["red", "blue"] * 6)
)


@pytest.fixture
def store(sqlite_store: SqliteStore) -> SqliteStore:
    a_project(sqlite_store, "one")
    return sqlite_store


def memories(count: int, *, text: str = "Lesson") -> list[Memory]:
    return [a_memory(f"{text} number {number}", id=f"mem-{number:04d}") for number in range(count)]


def nearest(store: SqliteStore, text: str, embedder: WordEmbedder) -> list[str]:
    found = store.nearest(point(text), embedder.space, where=EVERYTHING, limit=3)
    return [near.memory_id for near in found]


# HB-045
def test_what_is_due_gets_its_vectors_in_batches(store: SqliteStore) -> None:
    keep(store, *memories(BATCH + 5))
    embedder, told = WordEmbedder(), list[int]()

    embedded = embed_due(store=store, embedder=embedder, limit=1000, tell=told.append)

    assert (embedded.done, embedded.left) == (BATCH + 5, 0)
    assert told == [len(call) for call in embedder.calls] == [BATCH, 5]
    assert nearest(store, "Lesson number 7", embedder)[0] == "mem-0007"


# HB-046
def test_what_has_vectors_is_not_embedded_again(store: SqliteStore) -> None:
    keep(store, *memories(3))
    embed_due(store=store, embedder=WordEmbedder(), limit=10)

    again = WordEmbedder()
    assert embed_due(store=store, embedder=again, limit=10).done == 0 and again.calls == []

    changed = replace(memories(1)[0], content="Lesson number zero", version=2)
    keep(store, changed)
    assert embed_due(store=store, embedder=again, limit=10).done == 1
    assert len(again.calls) == 1


def test_no_more_than_was_asked_for_is_done_and_the_rest_is_told(store: SqliteStore) -> None:
    keep(store, *memories(9))
    embedded = embed_due(store=store, embedder=WordEmbedder(), limit=4)
    assert (embedded.done, embedded.left) == (4, 5)
    assert [memory.id for memory in store.unembedded(space_of(), limit=1)] == ["mem-0004"]  # the oldest were first


def test_whoever_runs_it_can_end_it_between_two_batches(store: SqliteStore) -> None:
    keep(store, *memories(2 * BATCH))
    embedder = WordEmbedder()
    embedded = embed_due(store=store, embedder=embedder, limit=1000, is_over=lambda: bool(embedder.calls))
    assert (embedded.done, embedded.left) == (BATCH, BATCH)


def test_long_memories_make_shorter_batches(store: SqliteStore) -> None:
    """A stop has to wait for the batch: fifty memories of sixty pieces would be minutes."""
    keep(store, *(a_memory(f"{number} {LONG * 4}", id=f"mem-{number:04d}") for number in range(20)))
    embedder = WordEmbedder()
    embed_all(store=store, embedder=embedder)
    assert len(embedder.calls) > 1 and max(map(len, embedder.calls)) <= 200


def test_a_memory_longer_than_a_batch_is_embedded_alone(store: SqliteStore) -> None:
    keep(store, *(a_memory(f"{number} {'word ' * 4000}", id=f"mem-{number:04d}") for number in range(8)))
    assert embed_all(store=store, embedder=WordEmbedder()).left == 0


def test_a_failing_embedder_leaves_what_it_did_not_do_due(store: SqliteStore) -> None:
    keep(store, *memories(BATCH), a_memory("A poisoned text", id="mem-9"))
    with pytest.raises(EmbedderMissing):
        embed_due(store=store, embedder=WordEmbedder(fails_on="poisoned"), limit=1000)
    assert [memory.id for memory in store.unembedded(space_of(), limit=9)] == ["mem-9"]
    assert embed_due(store=store, embedder=WordEmbedder(), limit=1000).left == 0


class Meddler(WordEmbedder):
    """Somebody else writes while the model runs."""

    def __init__(self, store: SqliteStore, *changed: Memory, erased: str = "") -> None:
        super().__init__()
        self.store, self.changed, self.erased = store, changed, erased

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if not self.calls:
            keep(self.store, *self.changed)
            if self.erased:
                self.store.erase(self.erased, at=a_memory().created_at)
        return super().embed(texts)


def test_a_memory_that_goes_meanwhile_is_skipped(store: SqliteStore) -> None:
    keep(store, *memories(3))
    embedder = Meddler(store, erased="mem-0001")
    assert embed_all(store=store, embedder=embedder).left == 0
    assert sorted(nearest(store, "Lesson", embedder)) == ["mem-0000", "mem-0002"] and not store.damage()


def test_a_memory_that_changes_meanwhile_is_embedded_as_it_is_then(store: SqliteStore) -> None:
    keep(store, *memories(3))
    changed = replace(memories(2)[1], content="Something else entirely", title="Something else", version=2)
    embedder = Meddler(store, changed)
    assert embed_all(store=store, embedder=embedder).left == 0
    assert nearest(store, "Something else entirely", embedder)[0] == "mem-0001" and not store.damage()


# F-28 HB-035
def test_the_vectors_of_a_memory_say_from_what_they_were_made() -> None:
    memory = a_memory(LONG)
    text = meaningful(memory)
    vectors = vectors_of(memory, WordEmbedder())

    assert [vector.piece for vector in vectors] == list(range(len(vectors))) and len(vectors) > 3
    assert {vector.digest for vector in vectors} == {digest(text)}
    assert {vector.space for vector in vectors} == {space_of()}
    for vector in vectors:
        near = restored(vector.code, vector.scale)
        assert near == pytest.approx(point(text[vector.start : vector.end]), abs=0.01)


def test_a_warm_embedder_leaves_nothing_due(store: SqliteStore) -> None:
    embedder = WordEmbedder()
    store.expect(embedder.space)
    memory = a_memory("Kept with its meaning", id="mem-1")
    changes = Changes(memories=(memory,), vectors=vectors_of(memory, embedder))
    store.write(lambda tx: tx.apply(changes))
    assert store.count_unembedded(embedder.space) == 0
    assert nearest(store, "meaning", embedder) == ["mem-1"]


def test_a_blank_memory_is_not_due_for_ever(store: SqliteStore) -> None:
    keep(store, a_memory("x", content=" \n ", title="", id="mem-1"))
    assert embed_all(store=store, embedder=WordEmbedder()).left == 0


#
def test_another_model_takes_over_when_all_is_embedded_and_not_before(store: SqliteStore) -> None:
    keep(store, *memories(4))
    old, new = WordEmbedder(), WordEmbedder("other")
    embed_all(store=store, embedder=old)

    embed_due(store=store, embedder=new, limit=3)
    assert len(nearest(store, "Lesson", old)) == 3  # the old vectors serve until the new ones are whole

    embedded = embed_all(store=store, embedder=new)
    assert (embedded.done, embedded.left) == (1, 0)
    assert nearest(store, "Lesson", old) == [] and len(nearest(store, "Lesson", new)) == 3
    keep(store, a_memory("Later", id="mem-9"))
    assert store.count_unembedded(old.space) == 0 and store.count_unembedded(new.space) == 1


def test_an_embedder_that_fails_lets_go_of_nothing(store: SqliteStore) -> None:
    keep(store, *memories(4))
    old = WordEmbedder()
    embed_all(store=store, embedder=old)
    with pytest.raises(EmbedderMissing):
        embed_all(store=store, embedder=WordEmbedder("other", fails_on="Lesson"))
    assert len(nearest(store, "Lesson", old)) == 3
