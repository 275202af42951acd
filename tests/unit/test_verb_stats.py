from building import NOW, a_memory, keep
from embedding import WordEmbedder

from hindbrain.app.embed import embed_due
from hindbrain.app.stats import stats
from hindbrain.core.model import Kind, Reach, Receipt, Review, ReviewKind, Verdict
from hindbrain.ports import Changes, Store


def a_receipt(number: int, verdict: Verdict) -> Receipt:
    return Receipt(id=f"rcp-{number}", key=str(number), at=NOW, project="prj-one", verdict=verdict, text="", reason="")


def test_every_count_of_a_project_is_told(store: Store) -> None:  # BD-036
    keep(
        store,
        a_memory("Use tabs", type="learned", id="mem-1"),
        a_memory("use tabs!", type="learned", id="mem-2", persona="ed"),
        a_memory("The test failed once", type="investigation", id="mem-3"),
        a_memory("Cache the routes", type="pattern", kind=Kind.PATTERN, id="mem-4"),
        a_memory("Away", archived_at=NOW, archive_reason="deleted", id="mem-5"),
        a_memory("Replaced", superseded_by="mem-1", superseded_at=NOW, id="mem-6"),
        a_memory("In doubt", trust=0, id="mem-7"),
        a_memory("Elsewhere", project="prj-two", reach=Reach.EVERYWHERE, id="mem-8"),
    )
    review = Review(
        id="rev-1", project="prj-one", kind=ReviewKind.QUARANTINE, memory_id="mem-7", reason="?", opened_at=NOW
    )
    verdicts = (Verdict.STORED, Verdict.STORED, Verdict.REJECTED)
    receipts = tuple(a_receipt(number, verdict) for number, verdict in enumerate(verdicts))
    store.write(lambda tx: tx.apply(Changes(reviews=(review,), receipts=receipts)))

    told = stats("prj-one", store=store)

    assert (told.active, told.unique_keys) == (4, 3)
    assert (told.learned, told.investigation, told.archived) == (2, 1, 1)
    assert told.by_type == {"pattern": 1, "learned": 2, "investigation": 1}
    assert told.by_kind == {"lesson": 3, "pattern": 1}
    assert told.by_category == {"API Design": 1, "Testing": 1, "General": 2}
    assert told.by_state == {"live": 4, "quarantined": 1, "superseded": 1, "archived": 1}
    assert told.receipts == {"stored": 2, "rejected": 1}
    assert told.open_reviews == 1


def test_a_project_that_nobody_knows_has_nothing(store: Store) -> None:
    told = stats("", store=store)

    assert (told.active, told.unique_keys, told.archived, told.open_reviews) == (0, 0, 0, 0)
    assert set(told.by_state.values()) == {0}
    assert told.by_type == told.receipts == {}


def test_vectors_of_the_model_that_is_set_are_counted_and_what_waits_for_one(store: Store) -> None:
    keep(store, *(a_memory(f"Lesson {n}", id=f"mem-{n}") for n in range(3)))
    embedder = WordEmbedder()
    embed_due(store=store, embedder=embedder, limit=2)

    told = stats("prj-one", store=store, embedder=embedder)
    off = stats("prj-one", store=store)

    assert (told.vectors, told.due) == (2, 1)
    assert (off.vectors, off.due) == (0, 0)
