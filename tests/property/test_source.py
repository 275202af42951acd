"""Laws of what counts as coming from a source."""

import re

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.model import Actor, ActorType
from hindbrain.core.source import Source, Trace, speakers

names = st.text("ab*@/.", max_size=6)
traces = st.builds(
    Trace,
    session=names,
    task=names,
    speakers=st.lists(names, max_size=2).map(tuple),
    login=st.builds("{}@{}".format, st.text("ab", min_size=1, max_size=3), st.text("ab", min_size=1, max_size=3)),
    adapter=names,
    origin=names,
)
sources = st.builds(Source, session=names, task=names, agent=names, login=names, adapter=names, origin=names)


# S12
@given(traces, sources)
def test_every_word_more_narrows(trace: Trace, source: Source) -> None:
    parts = [
        Source(**{name: getattr(source, name)}) for name in ("session", "task", "agent", "login", "adapter", "origin")
    ]

    assert source.taught(trace) == all(part.taught(trace) for part in parts)
    assert Source().taught(trace) and not Source().is_named


@given(traces)
def test_a_statement_comes_from_its_own_source_and_nothing_unknown_is_taken_for_granted(trace: Trace) -> None:
    user, _, machine = trace.login.partition("@")

    for login in (trace.login, f"{user}@", f"@{machine}"):
        assert Source(session=trace.session, task=trace.task, adapter=trace.adapter, login=login).taught(trace)
    for wanted in ({"session": "s"}, {"agent": "ed"}, {"login": "@m"}, {"origin": "*"}, {"adapter": "cli"}):
        assert not Source(**wanted).taught(Trace())


@given(st.text("ab/", min_size=1, max_size=8), st.text("ab/*", min_size=1, max_size=8))
def test_a_star_stands_for_anything(origin: str, wanted: str) -> None:
    pattern = ".*".join(map(re.escape, wanted.split("*")))
    is_like = any(re.fullmatch(pattern, text) for text in (origin, origin.rpartition("/")[2]))

    assert Source(origin=wanted).taught(Trace(origin=origin)) == is_like


def test_a_long_pattern_takes_time_in_proportion() -> None:
    """It would not end within a day otherwise."""
    assert not Source(origin="*a" * 200 + "*b").taught(Trace(origin="a" * 200_000))


def test_people_are_people_whatever_they_are_called() -> None:
    assert speakers(Actor(type=ActorType.HUMAN, persona="ed")) == ("human",)
    assert set(speakers(Actor(instance="ed-001"))) == {"ed-001", "ed"}
