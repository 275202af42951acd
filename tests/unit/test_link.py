"""How memories are tied together, and what is seen from each end."""

from xml.etree import ElementTree

import pytest
from building import NOW, a_memory, keep

from hindbrain.app.archive import delete, restore
from hindbrain.app.link import around, graph, link, unlink
from hindbrain.app.tools import Tools
from hindbrain.core.graph import Web, as_dot, as_svg
from hindbrain.core.model import Kind, Link, Relation, State
from hindbrain.errors import BadValue, UnknownMemory
from hindbrain.ports import Changes, Store


@pytest.fixture
def four(store: Store) -> Store:
    keep(store, *(a_memory(f"The lesson that is called {name}", id=f"mem-{name}") for name in "abcd"))
    return store


@pytest.mark.parametrize("relation", list(Relation))
def test_every_relation_is_seen_from_both_ends(  # LK-073 LK-074 LK-075 LK-076 LK-077 LK-078 LK-079
    four: Store, tools: Tools, relation: Relation
) -> None:
    link("mem-a", relation, other="mem-b", reason="so", tools=tools)

    [here], [there] = around("mem-a", reader=four), around("mem-b", reader=four)

    assert (here.near, here.far.id, here.seen_as, here.reason) == ("mem-a", "mem-b", str(relation), "so")
    assert (there.near, there.far.id) == ("mem-b", "mem-a")
    inverse = relation.inverse
    assert there.seen_as == (str(inverse) if inverse else f"{relation} (from there)")


def test_an_unknown_relation_is_refused(four: Store, tools: Tools) -> None:  # LK-073
    with pytest.raises(BadValue, match="no relation"):
        link("mem-a", "likes", other="mem-b", tools=tools)
    with pytest.raises(BadValue, match="itself"):
        link("mem-a", "related_to", other="mem-a", tools=tools)
    assert around("mem-a", reader=four) == ()


@pytest.mark.parametrize(("one", "relation", "other"), [("a", "supersedes", "b"), ("b", "superseded_by", "a")])
def test_what_is_superseded_is_hidden_and_comes_back(  # LK-081
    four: Store, tools: Tools, one: str, relation: str, other: str
) -> None:
    link(f"mem-{one}", relation, other=f"mem-{other}", tools=tools)

    [tie] = around("mem-b", reader=four)
    assert (tie.seen_as, tie.far.id) == ("superseded_by", "mem-a")
    hidden = four.memory("mem-b")
    assert hidden and (hidden.superseded_by, hidden.state) == ("mem-a", State.SUPERSEDED)
    link(f"mem-{one}", relation, other=f"mem-{other}", tools=tools)
    assert len(around("mem-b", reader=four)) == 1, "saying it twice is saying it once"
    assert restore("mem-b", store=four, clock=tools.clock).state is State.LIVE


@pytest.mark.parametrize("relation", list(Relation))
def test_a_link_is_taken_away_and_what_it_hid_is_shown_again(
    four: Store, tools: Tools, relation: Relation
) -> None:  # LK-073 LK-081
    before = {name: four.memory(f"mem-{name}") for name in "ab"}
    link("mem-a", "elaborates", other="mem-c", tools=tools)
    link("mem-a", relation, other="mem-b", reason="so", tools=tools)

    tie = unlink("mem-a", relation, other="mem-b", tools=tools)

    assert (tie.far.id, tie.seen_as, tie.far.state) == ("mem-b", str(relation), State.LIVE)
    assert [left.far.id for left in around("mem-a", reader=four)] == ["mem-c"]
    for name, memory in before.items():
        assert memory and (now := four.memory(f"mem-{name}")) and now.state is State.LIVE
        assert now.content == memory.content
    with pytest.raises(UnknownMemory, match="no link"):
        unlink("mem-a", relation, other="mem-b", tools=tools)


def test_a_link_can_be_taken_away_from_the_end_that_has_a_word_for_it(four: Store, tools: Tools) -> None:
    link("mem-a", "supersedes", other="mem-b", tools=tools)
    link("mem-a", "related_to", other="mem-c", tools=tools)
    link("mem-a", "derived_from", other="mem-d", tools=tools)

    unlink("mem-b", "superseded_by", other="mem-a", tools=tools)
    unlink("mem-c", "related_to", other="mem-a", tools=tools)
    with pytest.raises(UnknownMemory) as refused:
        unlink("mem-d", "derived_from", other="mem-a", tools=tools)

    assert refused.value.fix == "it goes the other way: `hindbrain links mem-a --remove derived_from mem-d`"
    assert [tie.far.id for tie in around("mem-a", reader=four)] == ["mem-d"]
    names = [event.name for event in four.events(after=0) if "link" in event.name]
    assert names == ["memory_linked"] * 3 + ["memory_unlinked"] * 2


def test_taking_a_link_away_leaves_alone_what_something_else_hid(four: Store, tools: Tools) -> None:
    link("mem-a", "supersedes", other="mem-b", tools=tools)
    restore("mem-b", store=four, clock=tools.clock)
    link("mem-c", "supersedes", other="mem-b", tools=tools)
    delete("mem-b", store=four, clock=tools.clock)

    unlink("mem-a", "supersedes", other="mem-b", tools=tools)
    hidden = four.memory("mem-b")
    assert hidden and (hidden.superseded_by, hidden.state) == ("mem-c", State.ARCHIVED)

    unlink("mem-c", "supersedes", other="mem-b", tools=tools)
    hidden = four.memory("mem-b")
    assert hidden and (hidden.superseded_by, hidden.state) == (None, State.ARCHIVED)
    with pytest.raises(BadValue, match="no relation"):
        unlink("mem-a", "likes", other="mem-b", tools=tools)


def test_a_memory_may_have_many_links(four: Store, tools: Tools) -> None:  # LK-080
    wanted = [(relation, name) for relation, name in zip(list(Relation)[:5], "bcdbc", strict=True)]
    for relation, name in wanted:
        link("mem-a", relation, other=f"mem-{name}", tools=tools)
    assert len(around("mem-a", reader=four)) == 5


def test_circles_are_walked_once(four: Store, tools: Tools) -> None:
    for one, other in ("ab", "bc", "ca", "cd"):
        link(f"mem-{one}", "related_to", other=f"mem-{other}", tools=tools)

    near = around("mem-a", depth=1, reader=four)
    far = around("mem-a", depth=10, reader=four)

    assert {tie.far.id for tie in near} == {"mem-b", "mem-c"}
    assert len(far) == 4 and {tie.far.id for tie in far} >= {"mem-b", "mem-c", "mem-d"}
    assert [tie.steps for tie in far if tie.far.id == "mem-d"] == [2]
    with pytest.raises(BadValue, match="between 1 and 10"):
        around("mem-a", depth=0, reader=four)


def test_the_graph_holds_what_is_linked_and_can_be_narrowed(four: Store, tools: Tools) -> None:
    keep(four, a_memory("A pattern", id="mem-p", kind=Kind.PATTERN), a_memory("Step", id="mem-e", kind=Kind.EPISODE))
    link("mem-p", "derived_from", other="mem-e", tools=tools)
    link("mem-a", "related_to", other="mem-b", tools=tools)

    whole = graph("prj-one", reader=four)
    assert {memory.id for memory in whole.memories} == {"mem-p", "mem-e", "mem-a", "mem-b"}
    assert [one.relation for one in graph("prj-one", relations=["derived_from"], reader=four).links] == [
        Relation.DERIVED_FROM
    ]
    assert graph("prj-one", kinds=["pattern"], reader=four).links == ()
    few = graph("prj-one", limit=3, reader=four)
    assert (len(few.memories), few.left_out) == (3, 1)
    for wrong in ({"kinds": ["cat"]}, {"relations": ["likes"]}):
        with pytest.raises(BadValue):
            graph("prj-one", reader=four, **wrong)  # type: ignore[arg-type]


def test_titles_are_cut_and_cannot_break_out_of_the_picture() -> None:
    evil = '</text><script>alert("x")</script> & more and more of it'
    one, other = a_memory("x", id='mem-"1', title=evil), a_memory("y", id="mem-2", title="It's \\ 5 > 3")
    tie = Link(source=one.id, target=other.id, relation=Relation.CONTRADICTS, at=NOW)
    web = Web(memories=(one, other), links=(tie,))

    picture = as_svg(web)
    texts = [node.text for node in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]

    assert "<script" not in picture and "…" in "".join(filter(None, texts))
    assert all(len(text or "") <= 32 for text in texts)
    assert '"mem-\\"1" -> "mem-2" [label="contradicts"];' in as_dot(web)


def test_two_hundred_memories_make_a_picture_in_which_no_title_hides_another() -> None:
    found = tuple(a_memory("x", id=f"mem-{number:03d}", title=f"Lesson {number}") for number in range(200))
    ties = tuple(
        Link(source=found[n].id, target=found[n * 7 % 200].id, relation=Relation.RELATED_TO, at=NOW)
        for n in range(1, 200)
    )
    picture = ElementTree.fromstring(as_svg(Web(memories=found, links=ties)))
    points = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in picture.findall(".//{*}g/{*}circle")]
    assert len(points) == 200
    assert not [
        1 for n, (x, y) in enumerate(points) for x2, y2 in points[n + 1 :] if abs(x - x2) < 220 and abs(y - y2) < 15.8
    ]


def test_links_of_a_project_without_any(store: Store) -> None:
    store.write(lambda tx: tx.apply(Changes()))
    assert graph("prj-one", reader=store) == Web(memories=(), links=())
    assert "<svg" in as_svg(Web(memories=(), links=()))
