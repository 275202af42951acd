"""Laws of episodes, of consolidation and of skills."""

from collections.abc import Sequence
from datetime import timedelta

from building import NOW, a_memory
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.consolidate.anti_patterns import anti_patterns
from hindbrain.core.consolidate.cluster import clusters
from hindbrain.core.consolidate.generalise import GATE, confidence, generalise
from hindbrain.core.consolidate.merge import strengthened
from hindbrain.core.consolidate.past import Past, past
from hindbrain.core.episodes.episode import body_of, prose, read
from hindbrain.core.episodes.made import episodes
from hindbrain.core.model import Kind
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.bodies import faults
from hindbrain.core.skills import Skill, parse, render
from hindbrain.core.skills import body_of as skill_body
from hindbrain.core.skills import read as skill_read

WORDS = st.sampled_from(("pool", "lock", "parser", "route", "cache", "index", "worker", "token", "must", "never"))
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
LINES = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=40)


@st.composite
def logs(draw: st.DrawFn) -> Sequence[Activity]:
    made = []
    for number in range(draw(st.integers(0, 25))):
        deed = draw(st.sampled_from(tuple(Deed)))
        commands = st.sampled_from(("pytest -q", "npm install", "make", "ls", "git commit -m x"))
        paths = st.sampled_from(("src/a.py", "src/b.py", "tests/test_a.py"))
        subject = draw(commands if deed is Deed.COMMAND else paths if deed in (Deed.EDIT, Deed.READ) else TEXTS)
        made.append(
            Activity(
                id=f"act-{number}",
                at=NOW + timedelta(seconds=number),
                project="p",
                session="s",
                deed=deed,
                subject=subject,
                result=draw(st.sampled_from(tuple(Result))),
                detail=draw(st.one_of(TEXTS, st.just("ValueError: no rows in the pool"), st.text(max_size=60))),
                task=draw(st.sampled_from(("", "", "t-1", "t-2"))),
                seq=number + 1,
            )
        )
    return made


@given(logs())
def test_every_log_becomes_valid_episodes_that_read_back_the_same(log: Sequence[Activity]) -> None:
    made = episodes(log)
    assert len({one.name for one in made}) == len(made)
    for one in made:
        body = body_of(one)
        assert faults(Kind.EPISODE, body) == ()
        memory = a_memory("x", kind=Kind.EPISODE, body=body)
        assert body_of(read(memory)) == body
        assert prose(one).strip()


@given(logs())
def test_nothing_that_was_edited_or_committed_is_lost(log: Sequence[Activity]) -> None:
    made = episodes(log)
    edited = {one.subject for one in log if one.deed is Deed.EDIT and one.result is not Result.FAILED}
    assert edited == {path for one in made for path in one.artifacts}
    committed = sum(one.deed is Deed.COMMIT for one in log)
    assert committed == sum(action.action == "commit" for one in made for action in one.actions)


@st.composite
def pasts(draw: st.DrawFn) -> list[Past]:
    errors = st.builds(
        lambda kind, message, fix: {"type": kind, "message": message, "resolution": fix},
        WORDS,
        TEXTS,
        TEXTS,
    )
    found = []
    for number in range(draw(st.integers(0, 7))):
        body = {
            "context": {"goal": draw(TEXTS), "constraints": draw(st.lists(TEXTS, max_size=2))},
            "outcome": draw(st.sampled_from(("success", "failure"))),
            "errors_encountered": draw(st.lists(errors, max_size=2)),
            "artifacts_produced": draw(st.lists(st.sampled_from(("src/a.py", "src/b.py", ".x/y")), max_size=3)),
            "action_log": [{"t": 1, "action": "run_test", "target": "pytest", "result": "pass"}],
        }
        found.append(past(a_memory("x", id=f"m{number}", kind=Kind.EPISODE, body=body)))
    return found


@given(pasts())
def test_groups_are_disjoint_of_two_at_least_and_the_order_does_not_matter(found: list[Past]) -> None:
    groups = clusters(found, near={})
    ids = [one.id for group in groups for one in group]
    assert len(ids) == len(set(ids))
    assert all(len(group) >= 2 for group in groups)
    other = clusters(list(reversed(found)), near={})
    assert {frozenset(one.id for one in group) for group in groups} == {
        frozenset(one.id for one in group) for group in other
    }


@given(pasts())
def test_a_pattern_says_only_what_its_sources_hold(found: list[Past]) -> None:
    by_id = {one.id: one for one in found}
    for group in clusters(found, near={}):
        for pattern in generalise(group):
            assert len(pattern.sources) >= 2 and pattern.correct.strip()
            assert set(pattern.sources) <= {one.id for one in group}
            held = [by_id[source] for source in pattern.sources]
            assert all(set(pattern.files) <= set(one.edited) for one in held)
            fixes = {error.resolution for one in held for error in one.errors}
            limits = {limit for one in held for limit in one.episode.constraints}
            assert pattern.category == "workflow" or pattern.correct in fixes | limits


@given(pasts())
def test_evidence_is_counted_once(found: list[Past]) -> None:
    # F-18
    for group in clusters(found, near={}):
        for pattern in generalise(group):
            assert strengthened(pattern, pattern) is pattern
    once = anti_patterns(found)
    assert all(len(one.sources) == len(set(one.sources)) for one in once)
    assert {source for one in once for source in one.sources} == {one.id for one in found if one.errors}


@given(st.integers(2, 50), st.floats(0, 1), st.floats(0, 1))
def test_confidence_rises_with_size_and_with_agreement(size: int, less: float, more: float) -> None:
    # F-22
    less, more = sorted((less, more))
    assert 0 <= confidence(size, less) <= confidence(size, more) <= 0.95
    assert confidence(size, more) <= confidence(size + 1, more)
    assert confidence(2, 1.0) >= GATE


CLEAN = LINES.map(lambda text: " ".join(text.replace("`", "'").split())).filter(bool)


@given(
    CLEAN.filter(lambda text: not text.startswith("Skill:")),
    st.lists(CLEAN, max_size=4),
    st.lists(st.tuples(CLEAN.filter(lambda text: not text.endswith(":")), CLEAN), max_size=3),
)
def test_a_skill_reads_back_as_it_was_written(title: str, items: list[str], errors: list[tuple[str, str]]) -> None:
    # LK-082..LK-086
    parts = tuple(items)
    skill = Skill(
        title=title, description=title, prerequisites=parts, steps=parts, errors=tuple(errors), criteria=parts
    )
    assert parse(render(skill)) == skill
    assert skill_read(skill_body(skill)) == skill
