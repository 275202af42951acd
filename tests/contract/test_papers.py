"""What every store promises about ledgers and handoffs, and about the names that other systems give."""

from dataclasses import replace
from datetime import timedelta

import pytest
from building import NOW, a_memory, keep

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model import Receipt, Verdict
from hindbrain.core.model.paper import Paper, Sort
from hindbrain.ports import Changes, Store


def a_paper(key: str = "handoff-001", **given: object) -> Paper:
    fields: dict[str, object] = {"project": "prj-one", "sort": Sort.HANDOFF, "agent": "eng", "at": NOW}
    return Paper(id=key, **(fields | given))  # type: ignore[arg-type]


def written(store: Store, *papers: Paper) -> None:
    store.write(lambda tx: tx.apply(Changes(papers=papers)))


def a_receipt(key: str, **given: object) -> Receipt:
    fields: dict[str, object] = {"key": key, "at": NOW, "project": "prj-one", "verdict": Verdict.STORED, "text": "x"}
    return Receipt(id=f"rcp-{key}", reason="", **(fields | given))  # type: ignore[arg-type]


def test_a_paper_comes_back_as_it_was_written(store: Store) -> None:  # LK-100..120
    paper = a_paper(to="qa", data={"context": {"artifacts": ["ä.py", 1, None]}}, taken_at=NOW + timedelta(hours=1))
    written(store, paper)
    assert list(store.papers("prj-one")) == [paper]


def test_a_paper_takes_the_place_of_the_one_with_its_name(store: Store) -> None:  # LK-110
    first = a_paper("eng", sort=Sort.LEDGER, data={"tasks_completed": 1})
    second = replace(first, data={"tasks_completed": 2}, at=NOW + timedelta(minutes=1))
    others = (replace(first, project="prj-two"), replace(first, sort=Sort.HANDOFF))
    written(store, first, *others)
    written(store, second)
    assert list(store.papers("prj-one", sort=Sort.LEDGER)) == [second]
    assert len(store.papers("prj-two")) == 1 and len(store.papers("prj-one")) == 2


def test_papers_are_narrowed_and_the_oldest_comes_first(store: Store) -> None:
    late, early = a_paper("a", at=NOW + timedelta(days=1), to="qa"), a_paper("b")
    ledger = a_paper("c", sort=Sort.LEDGER, agent="qa")
    written(store, late, early, ledger)
    assert [paper.id for paper in store.papers("prj-one", sort=Sort.HANDOFF)] == ["b", "a"]
    assert [paper.id for paper in store.papers("prj-one", to="qa")] == ["a"]
    assert [paper.id for paper in store.papers("prj-one", to="", sort=Sort.HANDOFF)] == ["b"]
    assert [paper.id for paper in store.papers("prj-one", agent="qa")] == ["c"]
    assert not store.papers("prj-two")


def test_a_failed_write_leaves_no_paper(store: Store) -> None:
    def work(tx: object) -> None:
        tx.apply(Changes(papers=(a_paper(),)))  # type: ignore[attr-defined]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.write(work)
    assert not store.papers("prj-one")


def test_a_memory_is_found_by_what_another_system_calls_it(store: Store) -> None:  # LK-133
    memory, other = a_memory("one"), a_memory("two")
    keep(store, memory, other)
    receipts = (
        a_receipt("1", ref="sem-001", memory_id=memory.id),
        a_receipt("2", ref="sem-001", memory_id=other.id, at=NOW + timedelta(days=1)),
        a_receipt("3", ref="sem-002"),
        a_receipt("4", memory_id=memory.id),
    )
    store.write(lambda tx: tx.apply(Changes(receipts=receipts)))
    assert list(store.called("sem-001", "prj-one")) == [memory.id, other.id]
    assert not store.called("sem-002", "prj-one") and not store.called("", "prj-one")
    assert not store.called("sem-001", "prj-two")


def test_what_is_forgotten_is_gone_from_papers_too(store: Store) -> None:
    memory = a_memory("The staging database lives on host cranberry-seven behind the bastion")
    keep(store, memory)
    written(
        store, a_paper(data={"context": {"known_issues": [f"note: {memory.content}"]}}), a_paper("i", data={"x": 1})
    )
    assert not store.erase(memory.id, at=NOW).found_in
    assert [dict(paper.data) for paper in store.papers("prj-one")] == [{}, {"x": 1}]


def test_a_paper_that_cannot_be_read_is_damage(sqlite_store: SqliteStore) -> None:
    sqlite_store.adopt(["name:one"], name="one", project_id="prj-one", at=NOW)
    written(sqlite_store, a_paper())
    with sqlite_store._writing() as db:
        db.execute("UPDATE paper SET data = '{torn'")
    assert [(found.where, "cannot be read" in found.what) for found in sqlite_store.damage()] == [("paper", True)]
