"""Laws of merging, summing up and drawing, for any memories."""

import xml.etree.ElementTree as ET
from datetime import timedelta

from building import NOW, a_memory
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.duplicates import clusters, united
from hindbrain.core.graph import Web, as_dot, as_svg, laid_out
from hindbrain.core.model import Counters, Kind, Link, Memory, Relation
from hindbrain.core.retention import RETENTION, archive_reason, expiry_reason, is_to_summarise
from hindbrain.core.same import is_same
from hindbrain.core.summary import shortened, summarised

WORDS = st.sampled_from(
    ["cache", "lock", "queue", "token", "batch", "fails", "slow", "the", "not", "never", "5", "7", "a.py"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=7).map(" ".join)


@st.composite
def memories(draw: st.DrawFn) -> list[Memory]:
    texts = draw(st.lists(TEXTS, max_size=25))
    return [
        a_memory(
            text,
            id=f"mem-{number:03d}",
            kind=draw(st.sampled_from((Kind.LESSON, Kind.PATTERN))),
            confidence=draw(st.floats(0, 1)),
            trust=draw(st.integers(1, 4)),
            is_pinned=draw(st.booleans()),
            counters=Counters(injected=draw(st.integers(0, 3))),
        )
        for number, text in enumerate(texts)
    ]


def alike(one: Memory, other: Memory) -> bool:
    return is_same(one.content, other.content)


@given(memories())
def test_merging_hides_nothing_that_is_not_said_by_what_stays(found: list[Memory]) -> None:  # F-19
    hidden: list[str] = []
    for cluster in clusters(found, alike=alike):
        for other in cluster.others:
            hidden.append(other.id)
            assert is_same(cluster.primary.content, other.content) and cluster.primary.kind is other.kind
            assert not other.is_pinned and cluster.primary.trust >= other.trust
        whole = united(cluster.primary, cluster.others)
        assert whole.counters.injected == sum(m.counters.injected for m in (cluster.primary, *cluster.others))
        assert whole.content == cluster.primary.content
    assert len(hidden) == len(set(hidden))
    left = [memory for memory in found if memory.id not in hidden]
    assert not list(clusters(left, alike=alike)), "a second look finds nothing"


@given(st.lists(TEXTS, min_size=1, max_size=30))
def test_equal_texts_are_found_however_common_their_words_are(texts: list[str]) -> None:
    twins = [a_memory(text, id=f"mem-{number:03d}") for number, text in enumerate([*texts, *texts])]
    gone = {other.id for cluster in clusters(twins, alike=alike) for other in cluster.others}
    assert len(twins) - len(gone) <= len(texts)


@given(st.sampled_from(tuple(Kind)), st.floats(0, 1000), st.booleans(), st.booleans(), st.integers(0, 2))
def test_what_is_pinned_used_or_referred_to_never_goes(
    kind: Kind, age: float, is_pinned: bool, is_referenced: bool, used: int
) -> None:
    memory = a_memory(
        kind=kind,
        at=NOW - timedelta(days=age),
        is_pinned=is_pinned,
        confidence=0.0,
        counters=Counters(recalled=used),
    )
    reasons = [reason(memory, now=NOW, is_referenced=is_referenced) for reason in (archive_reason, expiry_reason)]
    if is_pinned or is_referenced or used:
        assert reasons == [None, None]
    assert sum(reason is not None for reason in reasons) <= 1
    if is_pinned or RETENTION[kind].summarised_after is None:
        assert not is_to_summarise(memory, now=NOW)


STEPS = st.lists(
    st.dictionaries(st.sampled_from(("action", "target", "result", "error", "t")), st.text(max_size=9), max_size=4),
    max_size=12,
)


@given(st.text(min_size=1, max_size=2000), STEPS)
def test_a_summary_is_shorter_says_when_and_stands(text: str, steps: list[dict[str, str]]) -> None:  # F-20
    one = a_memory("x", kind=Kind.EPISODE, body={"action_log": steps, "outcome": "success"})
    content, body = summarised(one, at=NOW)
    assert content == one.content and body["outcome"] == "success"
    assert len(shortened(text)) <= len(text) + 2 and shortened(shortened(text)) == shortened(text)
    again = a_memory("x", kind=Kind.EPISODE, body=body)
    assert summarised(again, at=NOW) == (content, body)


@given(st.lists(st.text(max_size=40), max_size=30), st.data())
def test_any_memories_make_a_picture_that_a_browser_can_read(titles: list[str], data: st.DataObject) -> None:
    found = [a_memory("x", id=f"mem-{number}", title=title) for number, title in enumerate(titles)]
    ids = st.sampled_from([memory.id for memory in found]) if found else st.nothing()
    pairs = data.draw(st.lists(st.tuples(ids, ids, st.sampled_from(tuple(Relation))), max_size=20)) if found else []
    links = tuple(Link(source=a, target=b, relation=relation, at=NOW) for a, b, relation in pairs)
    web = Web(memories=tuple(found), links=links)

    picture = as_svg(web)

    assert len(ET.fromstring(picture).findall(".//{*}circle")) >= len(found)
    assert picture == as_svg(web) and as_dot(web).count("\n") == len(found) + len(links) + 4


@given(st.sets(st.text(min_size=1, max_size=5), max_size=40))
def test_no_two_titles_lie_upon_each_other(names: set[str]) -> None:
    places = laid_out(sorted(names), [])
    assert set(places) == names and all(x >= 0 and y >= 0 for x, y in places.values())
    assert not [
        (one, other)
        for one in places
        for other in places
        if one < other
        and abs(places[one][0] - places[other][0]) < 100
        and abs(places[one][1] - places[other][1]) < 15.9
    ]
