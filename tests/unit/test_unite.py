"""How a person makes one memory of two, and several of one."""

import pytest
from building import a_memory, keep

from hindbrain.app.archive import delete, restore
from hindbrain.app.maintain import merge
from hindbrain.app.split import split
from hindbrain.app.tools import Tools
from hindbrain.app.unite import unite
from hindbrain.core.model import Counters, Memory, State
from hindbrain.core.trust import HUMAN
from hindbrain.core.words import query_terms
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Store, Where

LOCK, NAME = "Locks of the import expire after 30 seconds", "Jobs of the import are named by date"


def _memory(store: Store, memory_id: str) -> Memory:
    found = store.memory(memory_id)
    assert found is not None
    return found


@pytest.fixture
def two(store: Store) -> Store:
    used = Counters(evidence=3, injected=2)
    keep(
        store,
        a_memory(LOCK, id="mem-lock", tags=("redis",), file_refs=("src/lock.py",), counters=used),
        a_memory(NAME, id="mem-name", tags=("jobs",), counters=Counters(evidence=4)),
    )
    return store


def test_of_two_the_first_stays_and_knows_what_both_knew(two: Store, tools: Tools) -> None:
    whole = unite("mem-lock", "mem-name", content=f"{LOCK}; {NAME}", tools=tools)

    assert whole == _memory(two, "mem-lock") and whole.content == f"{LOCK}; {NAME}" and whole.trust == HUMAN
    assert whole.counters == Counters(evidence=7, injected=2)
    assert {"redis", "jobs"} <= set(whole.tags) and "src/lock.py" in whole.file_refs
    gone = _memory(two, "mem-name")
    assert (gone.state, gone.superseded_by) == (State.SUPERSEDED, "mem-lock")
    assert [version.change for version in two.history("mem-lock")][-1] == "merged"
    assert [link.reason for link in two.links("mem-lock")] == ["a person made one of both"]
    assert two.search(query_terms("named"), _where(), limit=5)[0].memory.id == "mem-lock"
    assert restore("mem-name", store=two, clock=tools.clock).state is State.LIVE


def test_without_words_of_its_own_the_first_says_what_it_said(two: Store, tools: Tools) -> None:
    assert unite("mem-lock", "mem-name", tools=tools).content == LOCK


def test_only_two_live_memories_of_one_project_become_one(two: Store, tools: Tools) -> None:
    keep(two, a_memory("Elsewhere", id="mem-else", project="prj-two"))
    delete("mem-name", store=two, clock=tools.clock)
    for other, error in (("mem-lock", BadValue), ("mem-else", BadValue), ("mem-name", Conflict)):
        with pytest.raises(error):
            unite("mem-lock", other, tools=tools)
    assert _memory(two, "mem-lock").version == 1


def test_a_text_that_a_third_one_has_is_refused_and_nothing_is_changed(two: Store, tools: Tools) -> None:
    keep(two, a_memory("The third one", id="mem-third"))
    with pytest.raises(Conflict, match="mem-third"):
        unite("mem-lock", "mem-name", content="The third one", tools=tools)
    assert _memory(two, "mem-name").state is State.LIVE and not two.links("mem-lock")


def test_an_old_page_changes_nothing(two: Store, tools: Tools) -> None:
    with pytest.raises(Conflict, match="version"):
        unite("mem-lock", "mem-name", version=9, tools=tools)
    with pytest.raises(Conflict, match="version"):
        split("mem-lock", ["One", "Two"], version=9, tools=tools)


def test_each_part_of_a_memory_is_one_of_its_own(store: Store, tools: Tools) -> None:
    keep(store, a_memory(f"{LOCK}. {NAME}.", id="mem-both", importance=8, persona="ed", type="pitfall"))
    parts = split("mem-both", [LOCK, f" {NAME}\n"], tools=tools)

    assert [part.content for part in parts] == [LOCK, NAME] == [part.title for part in parts]
    assert all(_memory(store, part.id) == part and part.state is State.LIVE for part in parts)
    assert {(part.importance, part.persona, part.type, part.trust) for part in parts} == {(8, "ed", "pitfall", HUMAN)}
    whole = _memory(store, "mem-both")
    assert (whole.state, whole.superseded_by) == (State.SUPERSEDED, parts[0].id)
    assert sorted(str(link.relation) for link in store.links("mem-both")) == ["derived_from"] * 2 + ["supersedes"]
    assert store.search(query_terms("named"), _where(voices=("ed",)), limit=5)[0].memory.id == parts[1].id
    assert restore("mem-both", store=store, clock=tools.clock).state is State.LIVE


def test_a_part_that_is_known_already_stays_as_it_is(two: Store, tools: Tools) -> None:
    keep(two, a_memory(f"{LOCK}. {NAME}.", id="mem-both"))
    parts = split("mem-both", [LOCK, "Jobs have names"], tools=tools)
    assert parts[0].id == "mem-lock" and _memory(two, "mem-lock").version == 1


@pytest.mark.parametrize("parts", [[], ["One"], ["One", " "], ["One", "One "], [LOCK, "Two"], ["x"] * 21])
def test_what_takes_nothing_apart_is_refused(two: Store, tools: Tools, parts: list[str]) -> None:
    with pytest.raises(BadValue, match="nothing apart"):
        split("mem-lock", parts, tools=tools)
    assert _memory(two, "mem-lock").state is State.LIVE and not two.links("mem-lock")


def test_no_merge_makes_one_of_what_a_person_took_apart(store: Store, tools: Tools) -> None:  # LK-125
    alike = "Never run the tests of the payment service against the live database of the bank"
    keep(store, a_memory("Two things in one", id="mem-both"))
    split("mem-both", [alike, f"{alike}s"], tools=tools)
    assert merge("prj-one", tools=tools).merged == ()


def _where(**more: object) -> Where:
    return Where(project="prj-one", **more)  # type: ignore[arg-type]
