"""What every store promises, whatever it is made of."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from building import NOW, a_memory, a_project, keep
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.gather import gather
from hindbrain.core.model import (
    Actor,
    Event,
    Injection,
    Kind,
    Link,
    Pulse,
    Reach,
    Reason,
    Receipt,
    Relation,
    Review,
    ReviewKind,
    Score,
    Shown,
    State,
    Verdict,
)
from hindbrain.core.model.actor import ActorType, Provenance, Source
from hindbrain.core.recall import Ask
from hindbrain.core.words import query_terms
from hindbrain.errors import Conflict, StoreDamaged, UnknownMemory
from hindbrain.ports import Changes, Saying, Store, Where

HERE = Where(project="prj-one", with_everywhere=False)
LATER = NOW + timedelta(hours=1)


def test_a_memory_comes_back_as_it_was_kept(store: Store) -> None:  # CH-097 CH-098 CH-099
    memory = a_memory(
        "session.Get() returns nil — ⚙️ 中文",
        kind=Kind.SCAR,
        body={"outcome": "failure", "unknown": [1, {"deep": None}]},
        provenance=Provenance(
            actor=Actor(type=ActorType.HUMAN, persona="ed", hat="critic", instance="ed-001"),
            session="s1",
            task="ch-1",
            source=Source.MANUAL,
            adapter="cli",
            receipt="rcp-1",
        ),
        persona="ed",
        confidence=0.123456789,
        last_used_at=LATER,
        is_pinned=True,
    )
    keep(store, memory)
    assert store.memory(memory.id) == memory


def test_a_memory_of_no_known_project_is_refused_and_nothing_is_written(store: Store) -> None:  # DX-034
    with pytest.raises(Conflict):
        keep(store, a_memory("kept"), a_memory("lost", project="prj-nowhere"))
    assert store.count(HERE) == 0


def test_a_change_happens_wholly_or_not_at_all(store: Store) -> None:  # DX-134
    def work(tx: object) -> None:
        tx.apply(Changes(memories=(a_memory(),)))  # type: ignore[attr-defined]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(work)
    assert store.count(HERE) == 0 and not store.search(["batch"], HERE, limit=5)


def test_what_a_transaction_applied_it_can_read(store: Store) -> None:
    memory = a_memory()
    seen = store.write(lambda tx: (tx.apply(Changes(memories=(memory,))), tx.memory(memory.id))[1])
    assert seen == memory


def test_a_version_must_follow_the_one_before(store: Store) -> None:
    memory = a_memory()
    keep(store, memory)
    for version in (1, 3):
        with pytest.raises(Conflict):
            keep(store, replace(memory, version=version))


def test_every_version_is_kept_with_who_made_it(store: Store) -> None:
    memory = a_memory("first words")
    keep(store, memory)
    human = Actor(type=ActorType.HUMAN)
    second = replace(memory, content="second words", version=2, updated_at=LATER)
    store.write(lambda tx: tx.apply(Changes(memories=(second,), by=human, change="edited")))
    first, last = store.history(memory.id)
    assert (first.memory, first.until) == (memory, LATER)
    assert (last.memory, last.until, last.changed_by, last.change) == (second, None, human, "edited")


def test_the_past_can_be_asked_for(store: Store) -> None:
    memory = a_memory("first words")
    keep(store, memory)
    keep(store, replace(memory, archived_at=LATER, archive_reason="deleted", version=2, updated_at=LATER))
    assert [m.content for m in store.as_of(HERE, NOW)] == ["first words"]
    assert not store.as_of(HERE, LATER)
    assert not store.as_of(HERE, NOW - timedelta(milliseconds=1))


def test_a_pulse_moves_counters_but_makes_no_version(store: Store) -> None:
    memory = a_memory()
    keep(store, memory)
    pulse = Pulse(memory_id=memory.id, injected=1, evidence=2, confidence=0.52, last_used_at=LATER)
    store.write(lambda tx: tx.apply(Changes(pulses=(pulse, pulse))))
    after = store.memory(memory.id)
    assert after and (after.counters.injected, after.counters.evidence, after.confidence) == (2, 5, 0.52)
    assert after.last_used_at == LATER and after.version == 1 and len(store.history(memory.id)) == 1
    assert not store.damage()


def test_a_pulse_for_nobody_is_an_error(store: Store) -> None:
    with pytest.raises(UnknownMemory):
        store.write(lambda tx: tx.apply(Changes(pulses=(Pulse(memory_id="mem-none", recalled=1),))))


# R20
@pytest.mark.parametrize(
    "text",
    ["", '"', "AND OR NOT", "a* (b", "'; DROP TABLE memory", "NEAR(", "scope:p1live", "\x00", "^", "日本", "🚀"],
)
def test_no_search_text_is_a_syntax_error(store: Store, text: str) -> None:
    keep(store, a_memory())
    store.search(query_terms(text), HERE, limit=5)
    store.search([text], HERE, limit=5)
    store.select(replace(HERE, containing=text))


def test_search_finds_identifiers_whole_and_by_part(store: Store) -> None:
    keep(store, a_memory("SessionStore.getUserById in internal/session/store_test.go is slow"))
    for asked in ("SessionStore", "session", "getUserById", "user", "internal/session/store_test.go", "store_test"):
        assert len(store.search(query_terms(asked), HERE, limit=5)) == 1, asked
    assert not store.search(query_terms("unrelated"), HERE, limit=5)


def test_search_stems_prose(store: Store) -> None:
    keep(store, a_memory("Caching connections speeds up queries"))
    for asked in ("cache", "cached connection", "query"):
        assert store.search(query_terms(asked), HERE, limit=5), asked


# S11
def test_search_stays_in_its_project_and_among_the_living(store: Store) -> None:
    keep(store, a_memory("mine about caching", id="mem-a"))
    keep(store, a_memory("theirs about caching", id="mem-b", project="prj-two"))
    keep(store, a_memory("old caching", id="mem-c", superseded_by="mem-a", superseded_at=NOW))
    keep(store, a_memory("bad caching", id="mem-d", trust=0))
    found = store.search(query_terms("caching"), HERE, limit=9)
    assert [hit.memory.id for hit in found] == ["mem-a"]
    everything = replace(HERE, states=frozenset(State))
    assert {hit.memory.id for hit in store.search(query_terms("caching"), everything, limit=9)} == {
        "mem-a",
        "mem-c",
        "mem-d",
    }


def test_a_memory_for_everywhere_is_found_from_every_project(store: Store) -> None:
    keep(store, a_memory("always run the linter", reach=Reach.EVERYWHERE, project="prj-two"))
    near = replace(HERE, with_everywhere=True)
    assert store.search(query_terms("linter"), near, limit=5) and store.select(near)
    assert not store.search(query_terms("linter"), HERE, limit=5) and not store.select(HERE)


def test_search_follows_a_memory_that_changes(store: Store) -> None:
    memory = a_memory("use memcached for caching")
    keep(store, memory)
    keep(store, replace(memory, content="use redis for queues", title="queues", version=2))
    assert not store.search(query_terms("memcached"), HERE, limit=5)
    assert store.search(query_terms("redis"), HERE, limit=5)
    assert not store.damage()


FILTERS = {
    "types": replace(HERE, types=("pitfall",)),
    "kinds": replace(HERE, kinds=(Kind.SCAR,)),
    "min_confidence": replace(HERE, min_confidence=0.7),
    "min_trust": replace(HERE, min_trust=3),
    "after": replace(HERE, after=LATER),
    "not_session": replace(HERE, not_session="s1"),
    "containing": replace(HERE, containing="WANTED"),
    "voices": replace(HERE, voices=("ace",)),
}


@pytest.mark.parametrize("name", FILTERS)
def test_each_filter_narrows_a_selection_and_a_search(store: Store, name: str) -> None:  # DX-141 DX-142 DX-173 DX-175
    said = Provenance(session="s1")
    keep(
        store,
        a_memory("plain words here", id="mem-plain", provenance=said, persona="ed", confidence=0.2),
        a_memory(
            "wanted words here",
            id="mem-wanted",
            type="pitfall",
            kind=Kind.SCAR,
            confidence=0.7,
            trust=3,
            created_at=LATER,
        ),
    )
    assert [m.id for m in store.select(FILTERS[name])] == ["mem-wanted"]
    assert [h.memory.id for h in store.search(["word", "words"], FILTERS[name], limit=5)] == ["mem-wanted"]
    assert store.count(FILTERS[name]) == 1


def test_before_includes_its_moment(store: Store) -> None:  # DX-174
    keep(store, a_memory(created_at=LATER))
    assert store.select(replace(HERE, before=LATER))
    assert not store.select(replace(HERE, before=LATER - timedelta(milliseconds=1)))


@pytest.mark.parametrize("text", ["100%", "a_b", "c\\d"])
def test_wildcards_in_a_search_text_are_plain_characters(store: Store, text: str) -> None:  # F-13
    keep(store, a_memory(f"exactly {text} here", id="mem-a"), a_memory("exactly 100x axb cyd here", id="mem-b"))
    assert [m.id for m in store.select(replace(HERE, containing=text))] == ["mem-a"]


def test_a_listing_goes_by_confidence_then_newest(store: Store) -> None:  # DX-140 DX-176
    keep(
        store,
        a_memory("a", id="mem-a", confidence=0.5),
        a_memory("b", id="mem-b", confidence=0.9),
        a_memory("c", id="mem-c", confidence=0.5, created_at=LATER),
    )
    assert [m.id for m in store.select(HERE)] == ["mem-b", "mem-c", "mem-a"]
    assert [m.id for m in store.select(HERE, limit=1)] == ["mem-b"]


def test_the_same_text_is_found_per_project_and_persona(store: Store) -> None:  # CH-095
    keep(store, a_memory("Use X", id="mem-a"), a_memory("Use Y", id="mem-y", archived_at=NOW))
    assert store.same_text(a_memory("use  x."))
    assert not store.same_text(a_memory("use x", persona="ed"))
    assert not store.same_text(a_memory("use x", project="prj-two"))
    archived = store.same_text(a_memory("use y"))
    assert archived and archived.state is State.ARCHIVED
    keep(store, a_memory("Use Y", id="mem-z"))
    assert (found := store.same_text(a_memory("use y"))) and found.id == "mem-z"  # though the other is older
    assert store.same_key(a_memory("Use: X"))


def test_receipts_come_back_newest_first_and_by_key(store: Store) -> None:
    old = Receipt(id="rcp-1", key="k1", at=NOW, project="prj-one", verdict=Verdict.STORED, text="t", reason="r")
    new = replace(
        old, id="rcp-2", key="k2", at=LATER, session="s", verdict=Verdict.REJECTED, supersedes=("a",), removed=("x",)
    )
    store.write(lambda tx: tx.apply(Changes(receipts=(old, new))))
    assert list(store.receipts("prj-one")) == [new, old]
    assert list(store.receipts("prj-one", session="s")) == [new]
    assert list(store.receipts("prj-one", verdict="stored", limit=1)) == [old]
    assert store.receipts_for("k2") == new and store.receipt("rcp-1") == old and not store.receipts_for("k3")
    assert store.taught("prj-one") == 1 and store.taught("prj-one", since=LATER) == 0


def test_a_receipt_key_is_taken_once(store: Store) -> None:
    receipt = Receipt(id="rcp-1", key="k", at=NOW, project="prj-one", verdict=Verdict.STORED, text="t", reason="r")
    store.write(lambda tx: tx.apply(Changes(receipts=(receipt,))))
    with pytest.raises(Exception, match=r"(?i)unique|taken"):
        store.write(lambda tx: tx.apply(Changes(receipts=(replace(receipt, id="rcp-2"),))))


def test_links_are_seen_from_both_ends(store: Store) -> None:  # LK-073..LK-079
    keep(store, a_memory("a", id="mem-a"), a_memory("b", id="mem-b"))
    for relation in Relation:
        link = Link(source="mem-a", target="mem-b", relation=relation, at=NOW)
        store.write(lambda tx, link=link: tx.apply(Changes(links=(link, link))))
    assert len(store.links("mem-a")) == len(store.links("mem-b")) == len(Relation)


def test_a_link_goes_and_no_other_with_it(store: Store) -> None:  # LK-073
    keep(store, *(a_memory(name, id=f"mem-{name}") for name in "abc"))
    ends = [("mem-a", "mem-b"), ("mem-b", "mem-a"), ("mem-a", "mem-c")]
    made = [Link(source=s, target=t, relation=r, at=NOW) for s, t in ends for r in list(Relation)[:2]]
    store.write(lambda tx: tx.apply(Changes(links=tuple(made))))
    gone = replace(made[0], at=LATER, reason="other words")
    for _ in range(2):
        store.write(lambda tx: tx.apply(Changes(unlinked=(gone,))))
    left = {(link.source, link.target, link.relation) for key in "abc" for link in store.links(f"mem-{key}")}
    assert left == {(link.source, link.target, link.relation) for link in made[1:]}
    store.write(lambda tx: tx.apply(Changes(unlinked=(gone,), links=(gone,))))
    assert gone in store.links("mem-b"), "what goes makes room for what comes"


def test_reviews_are_found_by_either_memory_that_they_name(store: Store) -> None:
    keep(store, *(a_memory(f"lesson {name}", id=f"mem-{name}") for name in "abc"))
    asked = [("rev-1", "mem-a", "mem-b"), ("rev-2", "mem-b", None), ("rev-3", "mem-c", None)]
    kind = ReviewKind.CONTRADICTION
    reviews = [
        Review(id=key, project="prj-one", kind=kind, memory_id=one, other_id=two, reason="r", opened_at=NOW)
        for key, one, two in asked
    ]
    closed = replace(reviews[1], closed_at=NOW, decision="kept")
    store.write(lambda tx: tx.apply(Changes(reviews=(reviews[0], closed, reviews[2]))))
    assert list(store.reviews("prj-one", about=("mem-b",))) == [reviews[0]]
    assert list(store.reviews("prj-one", about=("mem-b",), with_closed=True)) == [reviews[0], closed]
    assert not store.reviews("prj-two", about=("mem-b",))


def test_reviews_close(store: Store) -> None:
    keep(store, a_memory("a", id="mem-a"))
    review = Review(
        id="rev-1", project="prj-one", kind=ReviewKind.QUARANTINE, memory_id="mem-a", reason="r", opened_at=NOW
    )
    closed = replace(review, closed_at=LATER, decision="released", decided_by="me")
    store.write(lambda tx: tx.apply(Changes(reviews=(review,))))
    assert list(store.reviews("prj-one")) == [review]
    store.write(lambda tx: tx.apply(Changes(reviews=(closed,))))
    assert not store.reviews("prj-one") and list(store.reviews("prj-one", with_closed=True)) == [closed]
    assert store.review("rev-1") == closed


def test_an_injection_remembers_what_it_showed_and_why(store: Store) -> None:
    keep(store, a_memory("a", id="mem-a"))
    score = Score((Reason("words", 0.5, 1.0, "batch"), Reason("path", 1.0, 0.1)))
    injection = Injection(
        id="inj-1",
        at=NOW,
        project="prj-one",
        format="default",
        strategy="unified",
        shown=(Shown(memory_id="mem-a", version=1, score=score),),
        left_out=2,
        tokens=30,
        session="s1",
        query="q",
    )
    store.write(lambda tx: tx.apply(Changes(injections=(injection,))))
    assert list(store.injections("mem-a")) == [injection]
    assert store.was_shown("mem-a", "s1") and not store.was_shown("mem-a", "s2")


def test_events_are_followed_with_a_cursor(store: Store) -> None:
    events = tuple(Event(name=f"e{n}", at=NOW, project="prj-one", data={"n": n}) for n in range(3))
    store.write(lambda tx: tx.apply(Changes(events=events)))
    first, *rest = store.events()
    assert [event.name for event in store.events(after=first.seq)] == [event.name for event in rest] == ["e1", "e2"]
    assert first.data == {"n": 0} and not store.events(project="prj-two")


def test_sayings_count_once_per_receipt(store: Store) -> None:
    keep(store, a_memory("a", id="mem-a"))
    saying = Saying(memory_id="mem-a", receipt="rcp-1", session="s1", speaker="ed", at=NOW)
    store.write(lambda tx: tx.apply(Changes(sayings=(saying, saying))))
    assert list(store.sayings("mem-a")) == [saying]


def test_a_project_is_known_by_any_of_its_names(store: Store) -> None:
    made = store.adopt(["remote:host/a", "folder:/a"], name="a", project_id="prj-a", at=NOW)
    again = store.adopt(["remote:host/a", "folder:/b"], name="b", project_id="prj-b", at=NOW)
    assert made == again == store.project_of(["folder:/b"]) == store.project_of([f"id:{made.id}"])
    assert store.project_of(["folder:/c"]) is None
    assert [project.name for project in store.projects()] == ["one", "two", "a"]


def test_erasing_removes_every_trace(store: Store) -> None:
    memory = a_memory("the forbidden sentence is here")
    keep(store, memory)
    keep(store, replace(memory, content="the forbidden sentence, again", version=2))
    receipt = Receipt(
        id="rcp-1",
        key="k",
        at=NOW,
        project="prj-one",
        verdict=Verdict.STORED,
        text=memory.content,
        reason="",
        memory_id=memory.id,
    )
    store.write(lambda tx: tx.apply(Changes(receipts=(receipt,))))
    erased = store.erase(memory.id, at=LATER)
    assert erased.rows and not erased.found_in
    assert (
        not store.memory(memory.id) and not store.history(memory.id) and not store.search(["forbidden"], HERE, limit=5)
    )
    kept = store.receipts_for("k")
    assert kept and "forbidden" not in kept.text
    with pytest.raises(UnknownMemory):
        store.erase(memory.id, at=LATER)


def test_erasing_blanks_what_was_refused_or_asked_in_the_same_words(store: Store) -> None:
    memory = a_memory("the forbidden sentence is here")
    keep(store, memory, a_memory("another lesson", id="mem-other"))
    refused = Receipt(
        id="rcp-1",
        key="k",
        at=NOW,
        project="prj-one",
        verdict=Verdict.REJECTED,
        text=f"MEMORY:fix:{memory.content}",
        reason="",
    )
    told = Injection(
        id="inj-1",
        at=NOW,
        project="prj-one",
        format="default",
        strategy="unified",
        shown=(Shown(memory_id="mem-other", version=1, score=Score(())),),
        left_out=0,
        tokens=1,
        query=f"do as {memory.content}",
    )
    store.write(lambda tx: tx.apply(Changes(receipts=(refused,), injections=(told,))))
    assert not store.erase(memory.id, at=LATER).found_in
    assert "forbidden" not in f"{store.receipt('rcp-1')} {store.injections('mem-other')}"


def test_the_rarest_words_come_first(store: Store) -> None:
    keep(store, *(a_memory(f"common word{n} {'seldom' if n < 2 else ''}", id=f"mem-{n}") for n in range(4)))
    assert list(store.rarest(["common", "seldom", "word3", "unheard"], limit=2)) == ["word3", "seldom"]


def test_a_filter_beyond_the_scope_does_not_starve_a_search(store: Store) -> None:
    keep(store, *(a_memory(f"caching lesson {n} caching", id=f"mem-{n:03}", persona="ed") for n in range(60)))
    keep(store, a_memory("one more about caching and other things besides", id="mem-z", persona="ace"))
    found = store.search(["cach"], replace(HERE, voices=("ace",)), limit=3)
    assert [hit.memory.id for hit in found] == ["mem-z"]


def test_the_beginning_of_an_id_finds_the_ids(store: Store) -> None:
    keep(store, a_memory("a", id="mem-aaa1"), a_memory("b", id="mem-aaa2"), a_memory("c", id="mem-b%_"))
    assert list(store.ids("mem-aaa", limit=9)) == ["mem-aaa1", "mem-aaa2"]
    assert list(store.ids("mem-aaa", limit=1)) == ["mem-aaa1"]
    assert list(store.ids("mem-%", limit=9)) == [] and list(store.ids("mem-b%", limit=9)) == ["mem-b%_"]


def test_threads_share_a_store(store: Store) -> None:  # DX-130 DX-131 DX-133
    def work(number: int) -> None:
        for n in range(5):
            keep(store, a_memory(f"lesson {number} {n}", id=f"mem-{number}-{n}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.count(HERE) == 20 and not store.damage()


VOCABULARY = ["redis", "memcached", "cache", "queue", "session", "store", "test", "user", "id"]
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=8)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(WORDS, min_size=1, max_size=8), asked=WORDS)
def test_every_store_gives_the_same_order_and_scores(store: Store, texts: list[list[str]], asked: list[str]) -> None:
    """Against the arithmetic of core, so that two stores can be compared without having both."""
    from hindbrain.core.recall.bm25 import Document, scores
    from hindbrain.core.recall.index import WEIGHTS, columns

    memories = [
        a_memory(" ".join(words) or "nothing", id=f"mem-{n}", project="prj-fresh") for n, words in enumerate(texts)
    ]
    for old in store.select(Where(project="prj-fresh", states=frozenset(State))):
        store.erase(old.id, at=NOW)
    a_project(store, "fresh")
    keep(store, *memories)
    hits = store.search(query_terms(" ".join(asked)), Where(project="prj-fresh"), limit=99)
    documents = [Document(id=m.id, columns=(("scope",), *columns(m))) for m in memories]
    expected = scores(documents, query_terms(" ".join(asked)), weights=WEIGHTS)
    assert {hit.memory.id: round(hit.score, 9) for hit in hits} == {key: round(s, 9) for key, s in expected.items()}
    assert [hit.memory.id for hit in hits] == sorted(expected, key=lambda key: (-expected[key], key))


def test_what_goes_everywhere_is_found_from_a_project_that_nobody_knows_yet(store: Store) -> None:
    keep(store, a_memory("the lock expires", id="mem-wide", reach=Reach.EVERYWHERE), a_memory("a lock", id="mem-own"))
    new = Where(project="prj-new")
    assert [hit.memory.id for hit in store.search(["lock"], new, limit=5)] == ["mem-wide"]
    assert [memory.id for memory in store.select(new)] == ["mem-wide"]
    assert not store.search(["lock"], Where(project="prj-new", with_everywhere=False), limit=5)


# R8
def test_a_memory_that_cannot_be_read_costs_no_other(store: Store) -> None:
    keep(store, *(a_memory(f"renew lock {n}", id=f"mem-{n}") for n in range(3)))
    torn = ["mem-1"] if tear(store, "mem-1") else []
    whole = {"mem-0", "mem-1", "mem-2"} - set(torn)
    with store.leaving_out() as unread:
        assert {memory.id for memory in store.select(HERE)} == whole
        assert unread == torn
        assert set(store.memories(["mem-0", "mem-1", "mem-2"])) == whole
    if torn:
        with pytest.raises(StoreDamaged, match="mem-1 cannot be read"):
            store.select(HERE)


# R8
def test_a_recall_leaves_out_what_cannot_be_read_and_says_so(store: Store) -> None:
    keep(store, *(a_memory(f"renew lock {n}", id=f"mem-{n}") for n in range(3)))
    torn = tear(store, "mem-1")
    for text in ("renew the lock", ""):
        found = gather(Ask(text=text, strategy="unified", limit=5), HERE, reader=store, embedder=None)
        assert ("mem-1" in {one.memory.id for one in found.candidates}) is not torn and len(found.candidates) >= 2
        assert [notice for notice in found.notices if "fsck --repair" in notice and "mem-1" in notice] or not torn


# R8
@pytest.mark.parametrize("store", ["sqlite"], indirect=True)  # others have no place for such bytes
def test_a_memory_of_bytes_that_are_no_text_costs_no_other(store: SqliteStore) -> None:
    keep(store, *(a_memory(f"renew lock {n}", id=f"mem-{n}") for n in range(3)))
    store._connection().execute("UPDATE memory SET content = CAST(x'ff41' AS TEXT) WHERE id = 'mem-1'")
    for text in ("renew the lock", ""):
        found = gather(Ask(text=text, strategy="unified", limit=5), HERE, reader=store, embedder=None)
        assert {one.memory.id for one in found.candidates} == {"mem-0", "mem-2"}
        assert any("mem-1" in notice and "fsck --repair" in notice for notice in found.notices)
    pulses = tuple(Pulse(memory_id=f"mem-{n}", recalled=1) for n in range(3))
    store.write(lambda tx: tx.apply(Changes(pulses=pulses)))
    with pytest.raises(StoreDamaged, match="mem-1"):
        store.memory("mem-1")
    assert [memory.counters.recalled for memory in store.memories(["mem-0", "mem-2"]).values()] == [1, 1]
    assert [one.what for one in store.damage() if one.where.startswith("memory")] == ["holds bytes that are no text"]


def tear(store: Store, memory_id: str) -> bool:
    """Whether a row of this store can be one that nobody reads."""
    if isinstance(store, SqliteStore):
        store._connection().execute("UPDATE memory SET learned_at = 'torn' WHERE id = ?", (memory_id,))
    elif not isinstance(store, DictStore):
        store._using(lambda db: db.execute(b"UPDATE memory SET data = '{torn' WHERE id = %s", (memory_id,)))  # type: ignore[attr-defined]
    return not isinstance(store, DictStore)
