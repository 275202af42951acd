import pytest
from building import NOW, FakeClock, a_memory, keep

from hindbrain.app.edit import edit
from hindbrain.app.why import why
from hindbrain.core.model import (
    Injection,
    Link,
    Provenance,
    Reason,
    Receipt,
    Relation,
    Review,
    ReviewKind,
    Score,
    Shown,
    Verdict,
)
from hindbrain.errors import UnknownMemory
from hindbrain.ports import Changes, Saying, Store

ID = "mem-aaaabbbb"


def a_receipt(id_: str, text: str) -> Receipt:
    return Receipt(
        id=id_, key=id_, at=NOW, project="prj-one", verdict=Verdict.STORED, text=text, reason="new", memory_id=ID
    )


def a_saying(receipt: str) -> Saying:
    return Saying(memory_id=ID, receipt=receipt, session="s", speaker="ed", at=NOW)


def test_the_walk_leads_back_to_every_sentence_and_on_to_every_prompt(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(id=ID, provenance=Provenance(receipt="rcp-1")), a_memory("Another", id="mem-other"))
    link = Link(source=ID, target="mem-other", relation=Relation.CONTRADICTS, at=NOW)
    review = Review(
        id="rev-1",
        project="prj-one",
        kind=ReviewKind.CONTRADICTION,
        memory_id="mem-other",
        other_id=ID,
        reason="?",
        opened_at=NOW,
    )
    injection = Injection(
        id="inj-1",
        at=NOW,
        project="prj-one",
        format="dex",
        strategy="dex",
        shown=(Shown(memory_id=ID, version=1, score=Score((Reason("match", 0.5, 1.0),))),),
        left_out=0,
        tokens=9,
    )
    store.write(
        lambda tx: tx.apply(
            Changes(
                receipts=(a_receipt("rcp-1", "said first"), a_receipt("rcp-2", "said again")),
                sayings=(a_saying("rcp-1"), a_saying("rcp-2"), a_saying("rcp-lost")),
                links=(link,),
                reviews=(review,),
                injections=(injection,),
            )
        )
    )
    edit(ID, {"importance": 8}, store=store, clock=clock)

    walk = why(ID[:9], store=store)

    assert (walk.memory.id, walk.memory.importance) == (ID, 8)
    assert walk.receipt is not None and walk.receipt.text == "said first"
    told = [(taught.saying.receipt, taught.receipt and taught.receipt.text) for taught in walk.sayings]
    assert told == [("rcp-1", "said first"), ("rcp-2", "said again"), ("rcp-lost", None)]
    assert [version.change for version in walk.versions] == ["stored", "edited"]
    assert list(walk.links) == [link]
    assert walk.reviews == (review,)
    assert list(walk.injections) == [injection]


def test_a_memory_without_a_past_has_a_short_walk(store: Store) -> None:
    keep(store, a_memory(id=ID))

    walk = why(ID, store=store)

    assert walk.receipt is None
    assert (walk.sayings, list(walk.links), walk.reviews, list(walk.injections)) == ((), [], (), [])


def test_an_unknown_memory_has_no_walk(store: Store) -> None:
    with pytest.raises(UnknownMemory):
        why("mem-nowhere1", store=store)
