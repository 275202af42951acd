"""What every store promises about suggestions, the log of decisions, and workstreams."""

from datetime import timedelta

import pytest
from building import NOW, a_memory, keep

from hindbrain.core.learning.audit import Entry, Head, first_fault, head_of, seal
from hindbrain.core.model.memory import Kind
from hindbrain.core.model.suggestion import Destination, Edit, Status, Suggestion
from hindbrain.core.model.workstream import CLOSED, Workstream
from hindbrain.core.value import replace
from hindbrain.errors import Conflict
from hindbrain.ports import Changes, Store

SCAR = "mem-scar"


def written(store: Store, **changes: object) -> None:
    store.write(lambda tx: tx.apply(Changes(**changes)))  # type: ignore[arg-type]


def a_suggestion(key: str = "sug-1", **given: object) -> Suggestion:
    fields: dict[str, object] = {
        "project": "prj-one",
        "destination": Destination.CLAUDE_MD,
        "title": "Broken images",
        "text": "Map what the code reads",
        "key": "text:1",
        "created_at": NOW,
        "scar_id": SCAR,
    }
    return Suggestion(id=key, **(fields | given))  # type: ignore[arg-type]


def an_entry(store: Store, **given: object) -> Entry:
    fields: dict[str, object] = {"at": NOW, "project": "prj-one", "actor": "human anna", "action": "apply"}
    head = store.audit_head()
    assert head is not None
    return seal(Entry(**({"subject": "sug-1"} | fields | given)), head)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def scar(store: Store) -> None:
    keep(store, a_memory("Map what the code reads before a layer goes", id=SCAR, kind=Kind.SCAR))


def test_a_suggestion_comes_back_as_it_was_made(store: Store) -> None:
    made = a_suggestion(
        status=Status.MODIFIED,
        importance=9,
        reason="why",
        name="broken-images",
        data={"at": ["env", "A"], "value": "1"},
        root="/app",
        edits=(
            Edit(folder="/app", path="CLAUDE.md", before=b"\xff\x00\r\n", after=b"\xff\x00\r\n- x\r\n"),
            Edit(folder="/app", path="new.md", before=None, after=b"", made=2),
        ),
        made_by="model 3",
        is_patched=True,
        decided_at=NOW + timedelta(days=1),
        decided_by="anna",
        note="because",
        snoozed_until=NOW + timedelta(days=2),
        applied_as=7,
    )
    written(store, suggestions=(made,))
    assert store.suggestion("sug-1") == made and list(store.suggestions("prj-one")) == [made]
    assert store.suggestion("sug-2") is None and not store.suggestions("prj-two")


def test_a_suggestion_takes_the_place_of_its_former_state(store: Store) -> None:
    first = a_suggestion(edits=(Edit(folder="/app", path="a", before=None, after=b"1"),))
    written(
        store,
        suggestions=(first, a_suggestion("sug-2", created_at=NOW - timedelta(days=1), removes="sug-1", scar_id="")),
    )
    later = replace(first, status=Status.REFUSED, edits=())
    written(store, suggestions=(later,))
    assert store.suggestion("sug-1") == later
    assert [one.id for one in store.suggestions("prj-one")] == ["sug-2", "sug-1"]
    assert [one.id for one in store.suggestions("prj-one", statuses=(Status.PENDING,))] == ["sug-2"]
    assert [one.id for one in store.suggestions("prj-one", scar=SCAR)] == ["sug-1"]


# S12
def test_the_log_is_kept_in_its_chain_and_nothing_else_comes_in(store: Store) -> None:
    assert store.audit_head() == Head()
    first = an_entry(store, detail={"files": [{"path": "ü", "before": ""}]})
    written(store, audits=(first,))
    second = an_entry(store, subject="sug-2")
    written(store, audits=(second,))
    assert list(store.audits()) == [first, second] and list(store.audits(after=1)) == [second]
    assert list(store.audits(limit=1)) == [first] and store.audit_head() == head_of(second)
    assert first_fault(store.audits(), heads=[head_of(second)]) is None
    with pytest.raises(Conflict):
        written(store, audits=(second,))
    with pytest.raises(Conflict):
        written(store, suggestions=(a_suggestion(),), audits=(seal(second, Head()),))
    assert store.suggestion("sug-1") is None and len(store.audits()) == 2


def test_a_workstream_is_kept_and_closed(store: Store) -> None:
    work = Workstream(id="wrk-1", project="prj-one", title="Images", opened_at=NOW, data={"tasks": [{"n": 1}]})
    written(store, workstreams=(work,))
    assert list(store.workstreams("prj-one", state="open")) == [work] and not store.workstreams("prj-two")
    done = replace(work, state=CLOSED, closed_at=NOW + timedelta(days=1))
    written(store, workstreams=(done,))
    assert list(store.workstreams("prj-one")) == [done] and not store.workstreams("prj-one", state="open")


def test_what_is_forgotten_is_in_no_suggestion_and_in_no_kept_file(store: Store) -> None:
    words = "Map what the code reads before a layer goes"
    edit = Edit(folder="/app", path="CLAUDE.md", before=b"", after=f"- {words}\n".encode())
    other = a_memory("another scar entirely", id="mem-other", kind=Kind.SCAR)
    keep(store, other)
    written(
        store,
        suggestions=(
            a_suggestion(text=words, edits=(edit,)),
            a_suggestion("sug-2", scar_id=other.id, text=f"As they say: {words}", edits=(edit,)),
        ),
        workstreams=(Workstream(id="wrk-1", project="prj-one", title=words, opened_at=NOW, data={"log": words}),),
        audits=(an_entry(store),),
    )
    erased = store.erase(SCAR, at=NOW)
    assert not erased.found_in and store.suggestion("sug-1") is None
    left = store.suggestion("sug-2")
    assert left is not None and words not in left.text and left.edits == ()
    (work,) = store.workstreams("prj-one")
    assert words not in work.title and work.data == {}
    assert first_fault(store.audits(), heads=[Head()]) is None
